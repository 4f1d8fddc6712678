//! Arrays of keys that keep track of nodes.

/// An array of keys in which each key remembers the node it belongs to.
///
/// Sorting algorithms move keys; their probes are about nodes.
///
/// ```
/// use narscope_clrs::array::NodeArray;
///
/// let mut array = NodeArray::of(&[0.3, 0.1]);
/// array.swap(0, 1);
/// assert_eq!(array.keys, [0.1, 0.3]);
/// assert_eq!(array.nodes, [1, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct NodeArray {
    /// The keys, in the current order.
    pub keys: Vec<f64>,
    /// The node of each key, in the same order.
    pub nodes: Vec<usize>,
}

impl NodeArray {
    /// The keys of nodes 0, 1, 2, ….
    pub fn of(keys: &[f64]) -> Self {
        Self { keys: keys.to_vec(), nodes: (0..keys.len()).collect() }
    }
    /// The number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }
    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
    /// Exchanges the keys at two positions, and their nodes.
    pub fn swap(&mut self, i: usize, j: usize) {
        self.keys.swap(i, j);
        self.nodes.swap(i, j);
    }
}
