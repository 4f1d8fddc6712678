//! Hints about flags and commands that the command line adds to errors of the libraries.
//!
//! Library errors say what was expected and what was found; they know nothing of flags. To add a hint, add an
//! arm to the function of the crate that has the error.

use narscope::{analysis, clrs, files, model, results, study, sweep};

/// An error and its hint, if there is one, as printed for the user.
pub(crate) fn describe(error: &anyhow::Error) -> String {
    match hint(error) {
        Some(hint) => format!("{error:#}\nhint: {hint}"),
        None => format!("{error:#}"),
    }
}

/// Like [`describe`], for an error that is not returned from the command.
pub(crate) fn describe_sweep(error: &sweep::Error) -> String {
    match of_sweep(error) {
        Some(hint) => format!("{error}\nhint: {hint}"),
        None => error.to_string(),
    }
}

/// What the user can do about an error.
fn hint(error: &anyhow::Error) -> Option<&'static str> {
    error.chain().find_map(|cause| {
        None.or_else(|| cause.downcast_ref().and_then(of_clrs))
            .or_else(|| cause.downcast_ref().and_then(of_files))
            .or_else(|| cause.downcast_ref().and_then(of_model))
            .or_else(|| cause.downcast_ref().and_then(of_net))
            .or_else(|| cause.downcast_ref().and_then(of_analysis))
            .or_else(|| cause.downcast_ref().and_then(of_results))
            .or_else(|| cause.downcast_ref().and_then(of_study))
            .or_else(|| cause.downcast_ref().and_then(of_sweep))
    })
}

fn of_clrs(error: &clrs::Error) -> Option<&'static str> {
    use clrs::Error;
    match error {
        Error::In { error, .. } => of_clrs(error),
        Error::MissingTarget { .. } => Some("give it with --target"),
        Error::ConflictingWeights { is_directed: false, .. } => {
            Some("use --directed if each edge has one direction")
        }
        _ => None,
    }
}

fn of_files(error: &files::Error) -> Option<&'static str> {
    use files::Error;
    match error {
        Error::Exists { .. } => Some("use --force to replace it, or choose another file name"),
        Error::Busy { .. } => Some("wait until it ends, or choose another folder"),
        Error::OtherDataset { .. } => Some("use --force to replace it, or choose another folder"),
        Error::OtherRecording { .. } => Some("remove it, or choose another file name"),
        Error::Unfinished { .. } => Some("repeat the `narscope record` command to continue it"),
        Error::Samples(error) => of_clrs(error),
        _ => None,
    }
}

// A transparent error is not in the chain of its wrapper, hence the arms that unwrap one.

fn of_model(error: &model::Error) -> Option<&'static str> {
    use model::Error;
    match error {
        Error::Files(error) => of_files(error),
        Error::Net(error) => of_net(error),
        Error::Samples(error) => of_clrs(error),
        Error::RunExists { .. } => {
            Some("choose another --out, or continue the run with `narscope train --resume`")
        }
        Error::NoBest { .. } => {
            Some("use its last weights with --checkpoint last, or train again with another --out")
        }
        Error::NotFinite { step: 0, .. } => {
            Some("no step was finished, and nothing is kept; try --grad_clip_max_norm 1")
        }
        Error::NotFinite { .. } => Some(
            "the last checkpoint is intact; try a lower --learning_rate, or --grad_clip_max_norm 1",
        ),
        Error::OtherProcessor { .. } => {
            Some("give the processor that they were trained with as --processor_type")
        }
        Error::Import(_) => {
            Some("do the algorithms, the processor and the other flags match how they were made?")
        }
        _ => None,
    }
}

fn of_net(error: &model::NetError) -> Option<&'static str> {
    use model::NetError;
    match error {
        NetError::Samples(error) => of_clrs(error),
        NetError::Memory { .. } => Some("lower --batch_size or the lengths"),
        NetError::AmbiguousTask { .. } | NetError::UnknownTask { .. } => {
            Some("name an algorithm of the network with --algorithm")
        }
        _ => None,
    }
}

fn of_analysis(error: &analysis::Error) -> Option<&'static str> {
    match error {
        analysis::Error::Files(error) => of_files(error),
        analysis::Error::Model(error) => of_model(error),
        analysis::Error::Net(error) => of_net(error),
        analysis::Error::ChooseAlgorithm { .. } => Some("name one with --algorithm"),
        _ => None,
    }
}

fn of_results(error: &results::Error) -> Option<&'static str> {
    match error {
        results::Error::Files(error) => of_files(error),
        results::Error::Run(error) => of_model(error),
        _ => None,
    }
}

fn of_study(error: &study::Error) -> Option<&'static str> {
    match error {
        study::Error::Files(error) => of_files(error),
        study::Error::Model(error) => of_model(error),
        study::Error::Analysis(error) => of_analysis(error),
        study::Error::Results(error) => of_results(error),
        study::Error::ChooseAlgorithm { .. } => Some("name one with --algorithm"),
        _ => None,
    }
}

fn of_sweep(error: &sweep::Error) -> Option<&'static str> {
    match error {
        sweep::Error::OtherRun(_) => {
            Some("move the folder away, or choose another `out` in the sweep file")
        }
        sweep::Error::NotAFolder(_) => {
            Some("move the file away, or choose another `out` in the sweep file")
        }
        sweep::Error::Scheduler { .. } => {
            Some("is it installed here? --dry-run prints what would be submitted")
        }
        sweep::Error::Files(error) => of_files(error),
        sweep::Error::Run(error) => of_model(error),
        sweep::Error::Results(error) => of_results(error),
        _ => None,
    }
}
