"""Weights of dm-clrs: into a run, and out of one."""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from narscope import _narscope
from narscope._errors import FileError, InputError, MissingFileError
from narscope._run import Run
from narscope._sampling import name_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from narscope._options import Configuration

__all__ = ["from_clrs", "to_clrs"]


def from_clrs(
    parameters: str | os.PathLike[str] | Mapping[str, Any],
    *,
    out: str | os.PathLike[str],
    algorithms: Any,
    preset: str | None = None,
    **keys: Unpack[Configuration],
) -> Run:
    """Makes a run from the parameters of a dm-clrs model: those of ``best.pkl`` or ``.npz``, or ``model.params``.

    ``algorithms`` and the keys of the configuration are those that the model was made with. A pickle is read without
    running what is in it, and needs neither JAX nor dm-clrs.
    """
    if isinstance(parameters, str | os.PathLike):
        parameters = _read(Path(parameters))
    several = algorithms if isinstance(algorithms, list | tuple) else [algorithms]
    all_keys = {"algorithms": [name_of(algorithm) for algorithm in several], **keys}
    _narscope.from_clrs(_flat(parameters), os.fspath(out), all_keys, preset)
    return Run.load(out)


def to_clrs(run: Run, path: str | os.PathLike[str] | None = None) -> dict[str, dict[str, NDArray[np.float32]]]:
    """The weights of a run as ``model.params`` of dm-clrs: modules, each with its arrays.

    With ``path`` they are also written: to a ``.npz`` file under ``MODULE/NAME``, or to a ``.pkl`` file as
    ``{"params": …}``.

    >>> import narscope as ns
    >>> run = ns.Run.load("crates/narscope/networks/linear_pgn-42")
    >>> params = ns.weights.to_clrs(run)
    >>> params["net/mpnn_aggr_clrs_processor/linear"]["w"].shape
    (256, 128)
    """
    flat = _narscope.to_clrs(run._handle)
    nested: dict[str, dict[str, NDArray[np.float32]]] = {}
    for key, array in flat.items():
        module, name = key.rsplit("/", 1)
        nested.setdefault(module, {})[name] = array
    if path is not None:
        file = Path(path)
        if file.suffix == ".npz":
            np.savez(file, **flat)  # type: ignore[arg-type, unused-ignore]
        elif file.suffix == ".pkl":
            with file.open("wb") as stream:
                pickle.dump({"params": nested}, stream)
        else:
            raise InputError(f"expected a file name ending in .npz or .pkl, found {file}")
    return nested


def _flat(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays under ``MODULE/NAME``."""
    flat: dict[str, Any] = {}
    for key, value in parameters.items():
        if isinstance(value, Mapping):
            flat.update({f"{key}/{name}": np.asarray(array) for name, array in value.items()})
        else:
            flat[key] = np.asarray(value)
    return flat


def _read(file: Path) -> Mapping[str, Any]:
    if not file.exists():
        raise MissingFileError(f"cannot read {file}: there is no such file")
    if file.suffix == ".npz":
        with np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)
    try:
        with file.open("rb") as stream:
            content = _ArraysOnly(stream).load()
    except OSError as error:
        raise FileError(f"cannot read {file}: {error}") from error
    except Exception as error:
        raise InputError(f"expected a pickle of dm-clrs or a .npz file, found neither in {file} ({error})") from error
    if not isinstance(content, Mapping) or not isinstance(content.get("params", content), Mapping):
        raise InputError(f'expected a dictionary with the key "params", as dm-clrs saves it, in {file}')
    parameters: Mapping[str, Any] = content.get("params", content)
    return parameters


class _ArraysOnly(pickle.Unpickler):
    """Reads dictionaries and arrays; whatever else a pickle names, such as the state of an optimiser, stays inert."""

    _NUMPY = frozenset({"_reconstruct", "scalar", "ndarray", "dtype", "_frombuffer"})

    def find_class(self, module: str, name: str) -> Any:
        if module.split(".")[0] == "numpy" and name in self._NUMPY:
            return super().find_class(module, name)
        if module.split(".")[0] in ("jax", "jaxlib") and name == "_reconstruct_array":
            return _array_of_jax
        if (module, name) == ("collections", "OrderedDict"):
            return dict
        return _Inert


class _Inert:
    """Something that is not an array."""

    def __new__(cls, *_: Any, **__: Any) -> _Inert:
        return super().__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        pass

    def __call__(self, *_: Any, **__: Any) -> _Inert:
        return self


def _array_of_jax(reconstruct: Any, arguments: Any, state: Any, _: Any) -> NDArray[Any]:
    """The array of NumPy that JAX stores an array of its own as."""
    array: NDArray[Any] = reconstruct(*arguments)
    array.__setstate__(state)
    return array
