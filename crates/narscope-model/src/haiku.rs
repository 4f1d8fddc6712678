//! Weights of the reference: import and export of Haiku parameters by name.

use narscope_files::arrays::Array;
use narscope_net::weights::Weights;

use crate::declaration::{Declaration, parameters};
use crate::{Error, Result};

/// End of the module names of all processors.
const PROCESSOR: &str = "clrs_processor/";

/// Weights of a network from arrays under the names of the reference.
///
/// # Errors
/// If an array is missing, has another shape, or belongs to no parameter.
pub fn import(declarations: &[Declaration], arrays: &[(String, Array)]) -> Result<Weights> {
    let mut weights = Weights::zeros(parameters(declarations));
    let mut declared = declarations.iter();
    let mut used = vec![false; arrays.len()];
    let mut missing = None;
    let filled = weights.fill(|_| {
        let haiku = &declared.next().expect("one per parameter").haiku;
        let Some(index) = arrays.iter().position(|(name, _)| is_same(name, haiku)) else {
            missing = Some(haiku.clone());
            return None;
        };
        used[index] = true;
        let (_, array) = &arrays[index];
        Some((&array.shape, &array.data))
    });
    if let Some(name) = missing {
        return Err(Error::Import(format!("the parameters have no {name}")));
    }
    filled?;
    for (declaration, (_, values)) in declarations.iter().zip(weights.iter()) {
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            let name = &declaration.haiku;
            return Err(Error::Import(format!("{name} should have finite values, found {value}")));
        }
    }
    if let Some(unused) = used.iter().position(|&used| !used) {
        let name = &arrays[unused].0;
        return Err(Error::Import(format!("the network has no parameter {name}")));
    }
    Ok(weights)
}

/// Whether two names mean the same parameter. The module of a processor is named after its class,
/// which differs between versions of the reference.
fn is_same(name: &str, wanted: &str) -> bool {
    let of_processor = |name: &str| name.split_once(PROCESSOR).map(|(_, rest)| rest.to_owned());
    name == wanted || of_processor(wanted).is_some_and(|rest| of_processor(name) == Some(rest))
}

/// Shape and values of every parameter under its name in the reference.
pub fn export<'a>(
    declarations: &'a [Declaration],
    weights: &'a Weights,
) -> impl Iterator<Item = (String, &'a [usize], &'a [f32])> {
    let pairs = declarations.iter().zip(weights.iter());
    pairs.map(|(declaration, (parameter, values))| {
        (declaration.haiku.clone(), parameter.shape.as_slice(), values)
    })
}
