//! Maps: composition of layers with encoders, and their combination into wide matrices.

use crate::fused::fold::{Fold, Id, Slot};

/// All encoders of a location, combined.
#[derive(Clone, Copy)]
pub(super) struct Encoder {
    pub(super) map: Id,
    pub(super) bias: Id,
}

/// Builds the maps of a task.
pub(super) struct Maps<'a> {
    pub(super) fold: Fold,
    pub(super) algorithm: &'a str,
    pub(super) h: usize,
    pub(super) node: Encoder,
    pub(super) edge: Encoder,
    pub(super) graph: Encoder,
    /// Slots of the encoder of nodes, if a decoder needs it.
    pub(super) dense: Option<[Slot; 2]>,
}

/// A linear map and its bias.
#[derive(Clone, Copy)]
pub(super) struct Affine {
    pub(super) map: Id,
    pub(super) bias: Id,
}

impl Maps<'_> {
    /// A layer composed with an encoder; only its first `h` inputs are encoded.
    pub(super) fn after(&mut self, encoder: Encoder, layer: &str) -> Affine {
        let weight = self.fold.weight_rows(&format!("{layer}.weight"), 0..self.h);
        let own = self.fold.weights(&format!("{layer}.bias"));
        let encoded = self.fold.product(encoder.bias, weight);
        Affine {
            map: self.fold.product(encoder.map, weight),
            bias: self.fold.sum(vec![encoded, own]),
        }
    }

    /// A layer of encoded nodes and one or two states. Its inputs are the state after the step (of two
    /// states), features, and the state before the step, which is last because the first step has none.
    pub(super) fn of_nodes(&mut self, layer: &str, states: usize) -> Affine {
        let Affine { map, bias } = self.after(self.node, layer);
        let weight = format!("{layer}.weight");
        let before = self.fold.weight_rows(&weight, self.h..2 * self.h);
        let mut parts = vec![map, before];
        if states == 2 {
            parts.insert(0, self.fold.weight_rows(&weight, 2 * self.h..3 * self.h));
        }
        let cols = self.fold.shape(map).1;
        Affine { map: self.fold.below(&parts, cols), bias }
    }

    pub(super) fn slot_of(&mut self, name: &str) -> Slot {
        let id = self.fold.weights(name);
        self.fold.slot(id)
    }

    /// Combines maps of nodes and `states` states, with their biases.
    pub(super) fn side_by_side(&mut self, columns: &[Affine], states: usize) -> [Slot; 2] {
        let rows = self.fold.shape(self.node.map).0 + states * self.h;
        let maps: Vec<Id> = columns.iter().map(|affine| affine.map).collect();
        let biases: Vec<Id> = columns.iter().map(|affine| affine.bias).collect();
        let map = self.fold.beside_in_lines(&maps, rows);
        let bias = self.fold.beside_in_lines(&biases, 1);
        [self.fold.slot_and_transpose(map), self.fold.slot(bias)]
    }
}
