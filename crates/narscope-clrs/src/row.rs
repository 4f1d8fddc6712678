//! An array whose keys know which node they came from.

/// Keys and, in step with them, the nodes that hold them.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The keys, in the current order.
    pub(crate) keys: Vec<f64>,
    /// The nodes that the keys came from, in the same order.
    pub(crate) nodes: Vec<usize>,
}

impl Row {
    /// Every key at its own node.
    pub(crate) fn of(keys: &[f64]) -> Self {
        Self { keys: keys.to_vec(), nodes: (0..keys.len()).collect() }
    }
    /// The number of keys.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }
    /// Exchanges two places.
    pub(crate) fn swap(&mut self, i: usize, j: usize) {
        self.keys.swap(i, j);
        self.nodes.swap(i, j);
    }
}
