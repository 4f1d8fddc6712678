//! The reference's weights: Haiku parameters by their names, to and from ours.

use narscope_files::arrays::Array;

use crate::weights::{Parameter, Weights};
use crate::{Error, Result};

/// How the names of all processors' modules end.
const PROCESSOR: &str = "clrs_processor/";

/// Weights for the given parameters from arrays under the reference's names.
///
/// # Errors
/// If an array is missing, has another shape, or belongs to no parameter.
pub fn import(parameters: Vec<Parameter>, arrays: &[(String, Array)]) -> Result<Weights> {
    let size = parameters.iter().map(Parameter::size).sum();
    let mut weights = Weights { parameters, values: vec![0.0; size] };
    let mut used = vec![false; arrays.len()];
    let mut missing = None;
    let filled = weights.fill(|parameter| {
        let Some(place) = arrays.iter().position(|(name, _)| is_same(name, &parameter.haiku))
        else {
            missing = Some(parameter.haiku.clone());
            return None;
        };
        used[place] = true;
        let (_, array) = &arrays[place];
        Some((&array.shape, &array.data))
    });
    if let Some(name) = missing {
        return Err(Error::Import(format!("the parameters have no {name}")));
    }
    filled?;
    for (parameter, values) in weights.iter() {
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            let name = &parameter.haiku;
            return Err(Error::Import(format!("{name} should have finite numbers, found {value}")));
        }
    }
    if let Some(place) = used.iter().position(|&used| !used) {
        let name = &arrays[place].0;
        return Err(Error::Import(format!("the network has no place for {name}")));
    }
    Ok(weights)
}

/// Whether two names mean the same. The module of a processor is named after its class, which
/// its relatives and later versions may call otherwise.
fn is_same(name: &str, wanted: &str) -> bool {
    let of_processor = |name: &str| name.split_once(PROCESSOR).map(|(_, rest)| rest.to_owned());
    name == wanted || of_processor(wanted).is_some_and(|rest| of_processor(name) == Some(rest))
}
