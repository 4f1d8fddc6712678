"""Test cases of parity.py and golden.py: lengths, seeds and sampler options of every algorithm."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Options = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A call of a sampler. Both sides use the same names of options."""

    algorithm: str
    length: int
    num: int
    seed: int
    options: Options = field(default_factory=dict)


# Each list starts with the defaults. Truncation creates ties and, below zero, negative zeros.
KEYS: list[Options] = [
    {},
    {"low": -3.0, "high": 7.0},
    {"low": 0.25, "high": 0.375},
    {"truncate_decimals": 1},
    {"low": -9.5, "high": 0.5, "truncate_decimals": 2},
]
TASKS: list[Options] = [
    *KEYS,
    {"max_deadline": 1},
    {"max_deadline": 3, "low": 1.0, "high": 2.0},
    {"max_deadline": 100, "truncate_decimals": 1},
]
TREES: list[Options] = [{}, {"truncate_decimals": 1}, {"truncate_decimals": 3}]
EDGES: list[Options] = [
    {},
    # The reference's training values. Some are inexact: 0.1 + 0.1 * 2 is not 0.3.
    {"p": [0.1 + 0.1 * i for i in range(9)]},
    {"p": [0.05, 0.6]},
    {"p": [0.0]},
    {"p": [1.0]},
]
WEIGHTS: list[Options] = [
    *EDGES,
    {"low": 2.0, "high": 5.0},
    {"truncate_decimals": 1},
    {"p": [0.3, 0.7], "low": 0.25, "high": 4.0, "truncate_decimals": 2},
]
# Only directed weights can be negative: undirected ones are square roots.
SIGNED_WEIGHTS: list[Options] = [
    *WEIGHTS,
    {"low": -1.0, "high": 1.0},
    {"low": -2.0, "high": 2.0, "truncate_decimals": 1},
]
COMMUNITIES: list[Options] = [
    *EDGES,
    {"k": 1, "eps": 0.0},
    {"k": 2, "eps": 0.3},
    {"k": 3, "eps": 0.05, "p": [0.2, 0.4]},
    {"eps": 1.0},
]
NETWORKS: list[Options] = [*EDGES, {"length_2": 1}, {"length_2": 3, "p": [0.2, 0.8]}]
PEERS: list[Options] = [
    {},
    {"chars": 1},
    {"chars": 2},
    {"length_2": 1},
    {"length_2": 9, "chars": 3},
]
NEEDLES: list[Options] = [
    {},
    {"chars": 1},
    {"chars": 2},
    {"length_needle": 1},
    {"length_needle": 7},
    {"length_needle": -2},
    {"length_needle": -8, "chars": 3},
]
SEGMENTS: list[Options] = KEYS
POINTS: list[Options] = [
    {},
    {"origin_x": -1.5, "origin_y": 3.25, "radius": 0.5},
    {"truncate_decimals": 2},
    {"radius": 5.0, "truncate_decimals": 4},
]

CLRS_30: dict[str, list[Options]] = {
    "articulation_points": EDGES,
    "activity_selector": KEYS,
    "bellman_ford": WEIGHTS,
    "bfs": EDGES,
    "binary_search": KEYS,
    "bridges": EDGES,
    "bubble_sort": KEYS,
    "dag_shortest_paths": SIGNED_WEIGHTS,
    "dfs": EDGES,
    "dijkstra": WEIGHTS,
    "find_maximum_subarray_kadane": KEYS,
    "floyd_warshall": WEIGHTS,
    "graham_scan": POINTS,
    "heapsort": KEYS,
    "insertion_sort": KEYS,
    "jarvis_march": POINTS,
    "kmp_matcher": NEEDLES,
    "lcs_length": PEERS,
    "matrix_chain_order": KEYS,
    "minimum": KEYS,
    "mst_kruskal": WEIGHTS,
    "mst_prim": WEIGHTS,
    "naive_string_matcher": NEEDLES,
    "optimal_bst": TREES,
    "quickselect": KEYS,
    "quicksort": KEYS,
    "segments_intersect": SEGMENTS,
    "strongly_connected_components": COMMUNITIES,
    "task_scheduling": TASKS,
    "topological_sort": EDGES,
}
ALL: dict[str, list[Options]] = CLRS_30 | {
    "bipartite_matching": NETWORKS,
    "find_maximum_subarray": KEYS,
}

# Smallest lengths that the reference accepts, where it is not 2.
SMALLEST = {
    "bipartite_matching": 1,
    "kmp_matcher": 3,
    "naive_string_matcher": 3,
    "optimal_bst": 1,
    "strongly_connected_components": 4,
}

# A sample of length 64 takes the reference 0.1 to 2 s, or up to 150 MB per hint.
HEAVY = {
    "bipartite_matching",
    "bridges",
    "floyd_warshall",
    "graham_scan",
    "jarvis_march",
    "lcs_length",
    "matrix_chain_order",
    "mst_kruskal",
    "strongly_connected_components",
}

SEEDS = (1, 2, 42, 2**32 - 1)


def lengths(algorithm: str) -> list[int]:
    """Returns the lengths to test: the smallest one, then even and odd ones."""
    smallest = SMALLEST.get(algorithm, 2)
    return [smallest, *(n for n in (4, 5, 16, 17, 64) if n > smallest)]


def fits(algorithm: str, length: int, options: Options) -> bool:
    """Whether the reference can sample with these options at this length."""
    if 2 * abs(options.get("length_needle", 0)) >= length:
        return False  # the haystack would not be longer than the needle
    if options.get("k", 0) > length:
        return False  # more communities than nodes
    if ALL[algorithm] is POINTS and options.get("truncate_decimals") == 2:
        return length <= 17  # with more points on such a coarse grid, three are always collinear
    return True


def parity_cases(algorithm: str, quick: bool) -> Iterator[Case]:
    """All options at all lengths; the defaults with more seeds."""
    for length in lengths(algorithm):
        for options in ALL[algorithm]:
            if not fits(algorithm, length, options) or (quick and length == 64 and options):
                continue
            if length < 64:
                num = 10 if quick else 40
            else:
                num = 1 if quick or algorithm in HEAVY else 6
            seeds = SEEDS[:1] if quick else SEEDS[:2] if options else SEEDS
            for seed in seeds:
                yield Case(algorithm, length, num, seed, options)


def golden_cases(algorithm: str) -> Iterator[Case]:
    """The defaults at all lengths, and every other set of options once, with few samples each."""
    seeds = (0, 1, 2, 3, 42, 2**32 - 1)
    for length, seed in zip(lengths(algorithm), seeds):
        num = 4 if length < 64 else 1 if algorithm in HEAVY else 2
        yield Case(algorithm, length, num, seed)
    for i, options in enumerate(ALL[algorithm][1:]):
        yield Case(algorithm, length=16 + i % 2, num=3, seed=7 + i, options=options)
