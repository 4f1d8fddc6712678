"""Random samples, and traces of your own graphs and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narscope import _narscope
from narscope._batch import Batch, Sample
from narscope._instance import Instance, instance_of
from narscope._specs import Spec, spec_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from narscope._options import SamplerOptions


def algorithms() -> dict[str, Spec]:
    """All algorithms by name, with yours.

    >>> import narscope as ns
    >>> len([spec for spec in ns.algorithms().values() if spec.in_clrs_30])
    30
    """
    return {name: spec_of(described) for name, described in _narscope.algorithm_specs().items()}


def spec(algorithm: str) -> Spec:
    """The spec of one algorithm."""
    return algorithms()[algorithm]


def name_of(algorithm: Any) -> str:
    """The name of an algorithm that is given by its name, its spec, or as one of your own."""
    name = algorithm if isinstance(algorithm, str) else getattr(algorithm, "name", None)
    if not isinstance(name, str):
        raise TypeError(f"algorithm should be a name or an algorithm, found {algorithm!r}")
    return name


def sample(
    algorithm: Any,
    *,
    n: int = 16,
    num: int = 32,
    seed: int = 1,
    **options: Unpack[SamplerOptions],
) -> Batch:
    """Draws ``num`` samples of ``n`` nodes and runs the algorithm on them.

    The same arguments give the same arrays, bit for bit those of
    ``clrs.build_sampler(algorithm, num_samples=num, length=n, seed=seed)``. Further keywords are options of the sampler,
    such as ``p`` (edge probability), ``directed``, ``family``, ``low`` and ``high``:
    :class:`narscope._options.SamplerOptions` explains all.

    >>> import narscope as ns
    >>> batch = ns.sample("bellman_ford", n=8, num=2, seed=3, p=0.3, directed=True)
    >>> sorted(batch.inputs)
    ['A', 'adj', 'pos', 's']
    >>> ns.sample("bfs", n=8, p=2.0)
    Traceback (most recent call last):
    ...
    narscope.InputError: bfs: p must be a probability from 0 to 1, got 2
    """
    name = name_of(algorithm)
    return Batch._of(name, _narscope.sample(name, n, num, seed, dict(options)))


def trace(
    algorithm: Any,
    instance: Instance,
    *,
    source: Any = None,
    target: float | None = None,
    directed: bool | None = None,
) -> Sample:
    """Runs an algorithm on your own graph, array, points or strings.

    A graph is one of ``networkx`` (its edge attribute ``weight`` counts, 1 if there is none), a sparse matrix of SciPy,
    a square array (0 is no edge), or a list of edges ``(u, v)`` or ``(u, v, weight)`` between nodes of any names. An
    array of numbers is a list or a NumPy array, a table a dictionary or a DataFrame with a column per input, strings are
    a list of texts. A path is read as the command line reads ``--input``. ``source`` is the node to start from,
    ``target`` the key to search for; ``directed`` overrides what the graph tells.

    >>> import narscope as ns
    >>> trip = ns.trace("dijkstra", [("Berlin", "Hamburg", 289), ("Hamburg", "Bremen", 126)], source="Berlin")
    >>> {trip.names[node]: trip.names[before] for node, before in enumerate(trip.outputs["pi"])}
    {'Berlin': 'Berlin', 'Hamburg': 'Berlin', 'Bremen': 'Hamburg'}
    >>> ns.trace("insertion_sort", [0.3, 0.1, 0.2]).outputs["pred"]
    array([2, 1, 1])
    """
    name = name_of(algorithm)
    form, content, nodes, stated = instance_of(instance)
    traced, names, is_directed = _narscope.trace(
        name,
        form,
        content,
        None if source is None else str(source),
        None if target is None else float(target),
        stated if directed is None else directed,
    )
    one = Batch._of(name, traced)[0]
    return Sample(
        name,
        inputs=one.inputs,
        hints=one.hints,
        outputs=one.outputs,
        n=one.n,
        # The nodes themselves, not what they are printed as.
        names=[nodes.get(text, text) for text in names] if names else None,
        directed=is_directed,
    )
