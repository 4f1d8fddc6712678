//! Shared by the comparisons: algorithms, statistics of ratios and number format.

/// The algorithms of the benchmark, separated by commas.
pub(crate) const CLRS_30: &str = "articulation_points,activity_selector,bellman_ford,bfs,binary_search,\
    bridges,bubble_sort,dag_shortest_paths,dfs,dijkstra,find_maximum_subarray_kadane,\
    floyd_warshall,graham_scan,heapsort,insertion_sort,jarvis_march,kmp_matcher,lcs_length,\
    matrix_chain_order,minimum,mst_kruskal,mst_prim,naive_string_matcher,optimal_bst,quickselect,\
    quicksort,segments_intersect,strongly_connected_components,task_scheduling,topological_sort";

/// Arithmetic mean.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Geometric mean: the mean of 2 and 1/2 is 1.
pub(crate) fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

/// Smallest value; infinity if there is none.
pub(crate) fn minimum(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Formats a value for tables: two decimals below 10, none from 10 on.
pub(crate) fn rounded(number: f64) -> String {
    if number < 10.0 { format!("{number:.2}") } else { format!("{number:.0}") }
}
