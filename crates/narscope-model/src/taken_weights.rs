//! Weights of another run as the start of some parts of a network: the keys `init_from` and `init_parts`.
//!
//! They are taken once, before the first step. Checkpoints have them from then on, so that a run resumes without the
//! run that they came from.

use std::path::Path;

use narscope_net::config::{Config, Part};
use narscope_net::spec::Spec;
use narscope_net::weights::{Parameter, Weights};

use crate::declaration::Declaration;
use crate::generic::net::Net;
use crate::run::{Run, Which};
use crate::run_log::TakenWeights;
use crate::{Error, Result};

/// Replaces the initial weights of the parts that start from another run, if the configuration names one.
///
/// # Errors
/// If that run cannot be read, or its parts are not those of this network.
pub(crate) fn take(config: &Config, weights: &mut Weights) -> Result<Option<TakenWeights>> {
    let Some(path) = config.init_from.as_ref().map(Path::new) else { return Ok(None) };
    let source = Run::open(path)?;
    let wanted = Wanted { config, source: &source };
    wanted.check_settings()?;
    let own = wanted.parameters(&Net::declarations(config, &Spec::all(config)?));
    let specs = Spec::all(&source.config)?;
    wanted
        .check_parameters(&own, &wanted.parameters(&Net::declarations(&source.config, &specs)))?;

    let found = source.checkpoint(Which::Best)?.weights;
    let mut taken = Weights::zeros(own);
    taken.fill(|parameter| find(&found, parameter))?;
    let all = weights.clone();
    weights.fill(|parameter| find(&taken, parameter).or_else(|| find(&all, parameter)))?;
    Ok(Some(TakenWeights {
        run: path.to_owned(),
        parts: config.init_parts.clone(),
        count: taken.values.len(),
        fingerprint: format!("{:016x}", taken.fingerprint()),
    }))
}

/// Shape and values of the parameter of this name.
fn find<'a>(weights: &'a Weights, wanted: &Parameter) -> Option<(&'a [usize], &'a [f32])> {
    let mut all = weights.iter();
    let (parameter, values) = all.find(|(parameter, _)| parameter.name == wanted.name)?;
    Some((&parameter.shape, values))
}

/// What a network wants from another run.
struct Wanted<'a> {
    config: &'a Config,
    source: &'a Run,
}

impl Wanted<'_> {
    fn refuse(&self, what: String) -> Error {
        Error::InitFrom { what, run: self.source.path.clone() }
    }

    fn wants(&self, part: Part) -> bool {
        self.config.init_parts.contains(&part)
    }

    /// Checks the settings that most often differ, by name.
    fn check_settings(&self) -> Result<()> {
        let (own, other) = (self.config, &self.source.config);
        if own.hidden_size != other.hidden_size {
            let (own, other) = (own.hidden_size, other.hidden_size);
            return Err(
                self.refuse(format!("expected a network with hidden_size {own}, found {other}"))
            );
        }
        if self.wants(Part::Processor) && own.processor_type != other.processor_type {
            let (own, other) = (&own.processor_type, &other.processor_type);
            return Err(self.refuse(format!("expected the processor {own}, found {other}")));
        }
        let by_task = self.wants(Part::Encoders) || self.wants(Part::Decoders);
        let missing = own.algorithms.iter().find(|name| !other.algorithms.contains(name));
        if let Some(missing) = missing.filter(|_| by_task) {
            let parts =
                [Part::Encoders, Part::Decoders].into_iter().filter(|&part| self.wants(part));
            let parts: Vec<&str> = parts.map(Part::name).collect();
            let (parts, found) = (parts.join(" and "), other.algorithms.join(", "));
            return Err(
                self.refuse(format!("expected {parts} of {missing}, found those of {found}"))
            );
        }
        Ok(())
    }

    /// The parameters of the parts: of encoders and decoders, those of this network's algorithms.
    fn parameters(&self, declarations: &[Declaration]) -> Vec<Parameter> {
        let is_of_task = |name: &str| {
            let algorithm = name.split('.').next();
            self.config.algorithms.iter().any(|own| Some(own.as_str()) == algorithm)
        };
        let wanted = declarations.iter().filter(|declaration| {
            let is_shared = declaration.task.is_none();
            self.wants(declaration.part) && (is_shared || is_of_task(&declaration.name))
        });
        wanted.map(Declaration::parameter).collect()
    }

    /// Checks that both networks have the same parameters.
    fn check_parameters(&self, own: &[Parameter], other: &[Parameter]) -> Result<()> {
        let same_name =
            |of: &[Parameter], name: &str| of.iter().find(|it| it.name == name).cloned();
        for Parameter { name, shape } in own {
            match same_name(other, name) {
                Some(found) if found.shape == *shape => {}
                Some(found) => {
                    let found = found.shape;
                    return Err(
                        self.refuse(format!("expected {name} of shape {shape:?}, found {found:?}"))
                    );
                }
                None => return Err(self.refuse(format!("expected weights {name}, found none"))),
            }
        }
        match other.iter().find(|other| same_name(own, &other.name).is_none()) {
            Some(more) => Err(self
                .refuse(format!("found weights {}, which this network does not have", more.name))),
            None => Ok(()),
        }
    }
}
