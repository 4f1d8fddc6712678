//! What comparisons share: what is compared, how ratios are summed up, how numbers are written.

/// The algorithms of the benchmark.
pub(crate) const CLRS_30: &str = "articulation_points,activity_selector,bellman_ford,bfs,binary_search,\
    bridges,bubble_sort,dag_shortest_paths,dfs,dijkstra,find_maximum_subarray_kadane,\
    floyd_warshall,graham_scan,heapsort,insertion_sort,jarvis_march,kmp_matcher,lcs_length,\
    matrix_chain_order,minimum,mst_kruskal,mst_prim,naive_string_matcher,optimal_bst,quickselect,\
    quicksort,segments_intersect,strongly_connected_components,task_scheduling,topological_sort";

/// The mean of ratios: twice as fast and half as fast make as fast.
pub(crate) fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

/// The least of some numbers.
pub(crate) fn least(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

/// A number as tables show it: nobody reads more than three digits of it.
pub(crate) fn rounded(number: f64) -> String {
    if number < 10.0 { format!("{number:.2}") } else { format!("{number:.0}") }
}
