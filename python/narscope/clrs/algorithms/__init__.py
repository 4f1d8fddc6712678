"""The algorithms of the benchmark as functions of arrays.

They run in Rust and return what the functions of ``clrs.algorithms`` return: the output, and a dictionary of probes.
Arguments that those have for recursion only are missing.
"""

from narscope.clrs.algorithms import (
    divide_and_conquer,
    dynamic_programming,
    geometry,
    graphs,
    greedy,
    searching,
    sorting,
    strings,
)
from narscope.clrs.algorithms.divide_and_conquer import find_maximum_subarray, find_maximum_subarray_kadane
from narscope.clrs.algorithms.dynamic_programming import lcs_length, matrix_chain_order, optimal_bst
from narscope.clrs.algorithms.geometry import graham_scan, jarvis_march, segments_intersect
from narscope.clrs.algorithms.graphs import (
    articulation_points,
    bellman_ford,
    bfs,
    bipartite_matching,
    bridges,
    dag_shortest_paths,
    dfs,
    dijkstra,
    floyd_warshall,
    mst_kruskal,
    mst_prim,
    strongly_connected_components,
    topological_sort,
)
from narscope.clrs.algorithms.greedy import activity_selector, task_scheduling
from narscope.clrs.algorithms.searching import binary_search, minimum, quickselect
from narscope.clrs.algorithms.sorting import bubble_sort, heapsort, insertion_sort, quicksort
from narscope.clrs.algorithms.strings import kmp_matcher, naive_string_matcher

__all__ = [
    "activity_selector",
    "articulation_points",
    "bellman_ford",
    "bfs",
    "binary_search",
    "bipartite_matching",
    "bridges",
    "bubble_sort",
    "dag_shortest_paths",
    "dfs",
    "dijkstra",
    "divide_and_conquer",
    "dynamic_programming",
    "find_maximum_subarray",
    "find_maximum_subarray_kadane",
    "floyd_warshall",
    "geometry",
    "graham_scan",
    "graphs",
    "greedy",
    "heapsort",
    "insertion_sort",
    "jarvis_march",
    "kmp_matcher",
    "lcs_length",
    "matrix_chain_order",
    "minimum",
    "mst_kruskal",
    "mst_prim",
    "naive_string_matcher",
    "optimal_bst",
    "quickselect",
    "quicksort",
    "searching",
    "segments_intersect",
    "sorting",
    "strings",
    "strongly_connected_components",
    "task_scheduling",
    "topological_sort",
]
