"""A drop-in for the data and evaluation side of dm-clrs, DeepMind's CLRS benchmark, version 2.0.3.

``import narscope.clrs as clrs`` takes the place of ``import clrs``. Batches have the same values, types and shapes, bit
for bit; scores are the same numbers. Nothing here needs JAX, and nothing is downloaded. With JAX,
data points are pytrees, so that ``jax.tree_util`` and functions of JAX take batches.

``models.BaselineModel`` trains with the kernels of narscope. Its random numbers are not those of JAX: initial weights
follow the same distributions, but differ. What is not supported raises ``NotImplementedError`` and says what to use
instead. Modules that dm-clrs has in ``clrs._src`` are modules of this package: ``narscope.clrs.samplers`` for
``clrs._src.samplers``.

>>> import narscope.clrs as clrs
>>> sampler, spec = clrs.build_sampler("bfs", num_samples=100, length=16, seed=1)
>>> batch = sampler.next(batch_size=32)
>>> [point.name for point in batch.features.hints]
['reach_h', 'pi_h']
"""

from narscope.clrs import (
    algorithms,
    clrs_text,
    decoders,
    evaluation,
    models,
    probing,
    processors,
    samplers,
    specs,
)
from narscope.clrs.dataset import (
    CLRSDataset,
    chunkify,
    create_chunked_dataset,
    create_dataset,
    get_clrs_folder,
    get_dataset_gcp_url,
)
from narscope.clrs.evaluation import evaluate, evaluate_hints
from narscope.clrs.models import Model
from narscope.clrs.own_samplers import Features, Feedback, Sampler, Trajectory
from narscope.clrs.probing import DataPoint, predecessor_to_cyclic_predecessor_and_first
from narscope.clrs.processors import get_processor_factory
from narscope.clrs.samplers import (
    CLRS30,
    FeaturesChunked,
    build_sampler,
    process_permutations,
    process_pred_as_input,
    process_random_pos,
)
from narscope.clrs.specs import (
    ALGO_IDX_INPUT_NAME,
    CLRS_30_ALGS_SETTINGS,
    SPECS,
    Location,
    OutputClass,
    Spec,
    Stage,
    Type,
)

__version__ = "2.0.3"
"""The version of dm-clrs that this module stands in for."""

__all__ = [
    "ALGO_IDX_INPUT_NAME",
    "CLRS30",
    "CLRS_30_ALGS_SETTINGS",
    "CLRSDataset",
    "DataPoint",
    "Features",
    "FeaturesChunked",
    "Feedback",
    "Location",
    "Model",
    "OutputClass",
    "SPECS",
    "Sampler",
    "Spec",
    "Stage",
    "Trajectory",
    "Type",
    "algorithms",
    "build_sampler",
    "chunkify",
    "clrs_text",
    "create_chunked_dataset",
    "create_dataset",
    "decoders",
    "evaluate",
    "evaluate_hints",
    "evaluation",
    "get_clrs_folder",
    "get_dataset_gcp_url",
    "get_processor_factory",
    "models",
    "predecessor_to_cyclic_predecessor_and_first",
    "probing",
    "process_permutations",
    "process_pred_as_input",
    "process_random_pos",
    "processors",
    "samplers",
    "specs",
]
