//! Weights of the reference: import and export of Haiku parameters by name.

use narscope_files::arrays::Array;
use narscope_net::config::Config;
use narscope_net::processor::{self, Preset};
use narscope_net::spec::Spec;
use narscope_net::weights::{Parameter, Weights};

use crate::declaration::{Declaration, parameters};
use crate::generic::net::Net;
use crate::{Error, NetError, Result};

/// End of the module names of all processors.
const PROCESSOR: &str = "clrs_processor/";

/// Weights of a network from arrays under the names of the reference.
///
/// # Errors
/// If an array is missing, has another shape, or belongs to no parameter.
pub fn import(declarations: &[Declaration], arrays: &[(String, Array)]) -> Result<Weights> {
    let shapes = arrays.iter().map(|(name, array)| (name.as_str(), array.shape.as_slice()));
    let mut places = places(declarations, &shapes.collect::<Vec<_>>())?.into_iter();
    let mut weights = Weights::zeros(parameters(declarations));
    weights.fill(|_| {
        let (_, array) = &arrays[places.next()?];
        Some((&array.shape, &array.data))
    })?;
    for (declaration, (_, values)) in declarations.iter().zip(weights.iter()) {
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            let name = &declaration.haiku;
            return Err(Error::Import(format!("{name} should have finite values, found {value}")));
        }
    }
    Ok(weights)
}

/// Checks names and shapes of arrays before their elements are read, which may be many.
///
/// # Errors
/// As [`import`] of these arrays.
pub fn check(declarations: &[Declaration], shapes: &[(String, Vec<usize>)]) -> Result<()> {
    let shapes = shapes.iter().map(|(name, shape)| (name.as_str(), shape.as_slice()));
    places(declarations, &shapes.collect::<Vec<_>>()).map(drop)
}

/// For every declaration, the index of the array with its name and its shape.
///
/// # Errors
/// If an array is missing, has another shape, or belongs to no declaration.
fn places(declarations: &[Declaration], arrays: &[(&str, &[usize])]) -> Result<Vec<usize>> {
    let mut used = vec![false; arrays.len()];
    let mut places = vec![];
    for (Declaration { haiku, .. }, parameter) in declarations.iter().zip(parameters(declarations))
    {
        let place = arrays.iter().position(|(name, _)| is_same(name, haiku));
        let place =
            place.ok_or_else(|| Error::Import(format!("the parameters have no {haiku}")))?;
        let Parameter { name, shape: expected } = parameter;
        let found = arrays[place].1.to_vec();
        if found != expected {
            return Err(NetError::WeightShape { name, expected, found }.into());
        }
        used[place] = true;
        places.push(place);
    }
    match used.iter().position(|&used| !used) {
        None => Ok(places),
        Some(unused) => {
            let name = arrays[unused].0;
            Err(Error::Import(format!("the network has no parameter {name}")))
        }
    }
}

/// Checks that arrays can be the weights of the configured processor, and returns the names of all processors
/// that they can be the weights of: some have weights of the same names and shapes.
///
/// # Errors
/// If they are weights of another processor. Arrays of no processor at all are no error here; [`import`] says
/// what is wrong with them.
pub fn check_processor(
    config: &Config,
    shapes: &[(String, Vec<usize>)],
) -> Result<Vec<&'static str>> {
    let wanted = processor::find(&config.processor_type)?;
    let presets = processor::all();
    let fitting: Vec<&'static str> =
        presets.iter().filter(|preset| fits(preset, config, shapes)).map(|it| it.name).collect();
    if fitting.contains(&wanted.name) {
        return Ok(fitting);
    }
    // If no processor fits, say for another hidden size, the name of the class still tells some apart.
    let class = shapes.iter().find_map(|(name, _)| class(name));
    let of_class = presets.iter().filter(|preset| class == Some(preset.haiku)).map(|it| it.name);
    let found = if fitting.is_empty() { of_class.collect() } else { fitting };
    if found.is_empty() || found.contains(&wanted.name) {
        return Ok(vec![]);
    }
    let found = found.into_iter().map(str::to_owned).collect();
    Err(Error::OtherProcessor { wanted: wanted.name.to_owned(), found })
}

/// Whether arrays have the names and shapes of the weights of a processor.
fn fits(preset: &Preset, config: &Config, shapes: &[(String, Vec<usize>)]) -> bool {
    let config = Config { processor_type: preset.name.to_owned(), ..config.clone() };
    let (Ok(()), Ok(specs)) = (config.check(), Spec::all(&config)) else { return false };
    let declarations = Net::declarations(&config, &specs);
    let has = |declared: &Declaration| {
        shapes
            .iter()
            .any(|(name, shape)| is_same(name, &declared.haiku) && *shape == declared.shape)
    };
    declarations.len() == shapes.len() && declarations.iter().all(has)
}

/// The module of a processor in the name of one of its parameters, if it is one that we know.
fn class(name: &str) -> Option<&str> {
    let (module, _) = name.split_once(PROCESSOR)?;
    let module = &name[..module.len() + PROCESSOR.len() - 1];
    let module = module.rsplit('/').next()?;
    processor::PRESETS.iter().any(|preset| preset.haiku == module).then_some(module)
}

/// Whether two names mean the same parameter. The module of a processor is named after its class,
/// which differs between versions of the reference; but not if both are classes that we know.
fn is_same(name: &str, wanted: &str) -> bool {
    if let (Some(one), Some(other)) = (class(name), class(wanted))
        && one != other
    {
        return false;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and shapes of the weights of a network.
    fn shapes(config: &Config) -> Vec<(String, Vec<usize>)> {
        let declarations = Net::declarations(config, &Spec::all(config).unwrap());
        declarations.into_iter().map(|declared| (declared.haiku, declared.shape)).collect()
    }

    fn config(processor: &str) -> Config {
        Config { processor_type: processor.to_owned(), hidden_size: 4, ..Config::default() }
    }

    #[test]
    fn weights_fit_their_processor_and_those_of_the_same_shapes_only() {
        for preset in processor::PRESETS {
            let fitting = check_processor(&config(preset.name), &shapes(&config(preset.name)));
            assert!(fitting.unwrap().contains(&preset.name), "{}", preset.name);
        }
        let of_gat = check_processor(&config("gat"), &shapes(&config("gat"))).unwrap();
        assert_eq!(of_gat, ["gat", "gat_full"]);
    }

    #[test]
    fn weights_of_another_processor_are_refused_by_its_name() {
        let refused = |wanted: &Config, shapes: &[(String, Vec<usize>)]| {
            check_processor(wanted, shapes).unwrap_err().to_string()
        };
        assert_eq!(
            refused(&config("mpnn"), &shapes(&config("triplet_gmpnn"))),
            "these are weights of triplet_gmpnn, triplet_gpgn or triplet_gpgn_mask, not of mpnn"
        );
        let of_gat = "these are weights of gat or gat_full, not of mpnn";
        assert_eq!(refused(&config("mpnn"), &shapes(&config("gat"))), of_gat);
        let larger = Config { hidden_size: 8, ..config("mpnn") };
        assert_eq!(refused(&larger, &shapes(&config("gat"))), of_gat, "by the name of the class");
        assert!(
            check_processor(&larger, &shapes(&config("pgn"))).unwrap().is_empty(),
            "only the size differs"
        );
    }
}
