//! Command-line flags of a run's configuration: one per key.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches};
use narscope::model;
use narscope::model::config::{ALIASES, Config, Draft};
use narscope::model::config_file;

use crate::bundled;

/// The configuration keys given on the command line.
pub(crate) struct ConfigFlags {
    /// Keys and values, in the order of [`Config::KEYS`].
    given: Vec<(&'static str, String)>,
}

const HEADING: &str = "Configuration (flags of dm-clrs; - and _ are interchangeable in names)";

/// Flags of dm-clrs and of other programs that have no meaning here, and what to do instead.
const ANSWERS: &[(&str, &str)] = &[
    (
        "dataset_path",
        "no data set is needed: samples are drawn during training, and the test set of the benchmark is \
         generated (`narscope dataset` writes it to files)",
    ),
    (
        "test_every",
        "the test runs once, when training is over, with the best checkpoint; validations in between have \
         --eval_every",
    ),
    (
        "log_every",
        "metrics are written with every validation, see --eval_every, and at least every 100 steps",
    ),
    ("epochs", "there are no epochs: every step draws new samples; use --train_steps"),
    ("num_epochs", "there are no epochs: every step draws new samples; use --train_steps"),
    ("device", "training runs on the CPU; --threads sets the number of threads"),
    ("optimizer", "the optimiser is Adam, as in dm-clrs; --learning_rate sets its learning rate"),
    ("weight_decay", "the optimiser is Adam without weight decay, as in dm-clrs"),
];

/// The flag that turns a switch off, as in dm-clrs: `--nouse_ln`.
fn negated(key: &str) -> String {
    format!("no{key}")
}

fn defaults() -> serde_json::Value {
    serde_json::to_value(Config::default()).expect("a configuration is JSON")
}

/// A value as typed on the command line.
fn typed(value: &serde_json::Value) -> String {
    match value {
        // Not set.
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => items.iter().map(typed).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

impl clap::Args for ConfigFlags {
    fn augment_args(command: Command) -> Command {
        let defaults = defaults();
        let mut command = command;
        for key in Config::KEYS {
            let default = &defaults[key.name];
            let is_switch = default.is_boolean();
            let shown = typed(default);
            let help = match shown.as_str() {
                "" => key.help.to_owned(),
                shown => format!("{} [default: {shown}]", key.help),
            };
            let aliases = ALIASES.iter().filter(|(name, _)| *name == key.name);
            let aliases = aliases.flat_map(|(_, aliases)| aliases.iter());
            let aliases = aliases.flat_map(|alias| [(*alias).to_owned(), alias.replace('_', "-")]);
            let mut flag = Arg::new(key.name)
                .long(key.name.replace('_', "-"))
                .alias(key.name)
                .aliases(aliases.collect::<std::collections::BTreeSet<String>>())
                .value_name(if is_switch { "true|false" } else { "VALUE" })
                .help(help)
                .help_heading(HEADING)
                .allow_hyphen_values(!is_switch);
            if is_switch {
                flag = flag
                    .num_args(0..=1)
                    .default_missing_value("true")
                    .value_parser(["true", "false"])
                    .hide_possible_values(true);
                let negated = negated(key.name);
                let switch_off = Arg::new(negated.clone())
                    .long(negated.clone())
                    .alias(negated.replace('_', "-"))
                    .alias(format!("no-{}", key.name.replace('_', "-")))
                    .action(ArgAction::SetTrue)
                    .conflicts_with(key.name)
                    .hide(true);
                command = command.arg(switch_off);
            }
            command = command.arg(flag);
        }
        for (name, _) in ANSWERS {
            let unused = Arg::new(*name)
                .long(*name)
                .alias(name.replace('_', "-"))
                .hide(true)
                .num_args(0..=1)
                .default_missing_value("");
            command = command.arg(unused);
        }
        // Parity: dm-clrs has a switch for this part only.
        let freeze_processor = Arg::new("freeze_processor")
            .long("freeze-processor")
            .alias("freeze_processor")
            .help("Same as --freeze processor")
            .help_heading(HEADING)
            .value_name("true|false")
            .hide_possible_values(true)
            .num_args(0..=1)
            .default_missing_value("true")
            .value_parser(clap::value_parser!(bool))
            .conflicts_with("freeze");
        command.arg(freeze_processor)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ConfigFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        if let Some((name, answer)) = ANSWERS.iter().find(|(name, _)| matches.contains_id(name)) {
            return Err(Error::raw(ErrorKind::UnknownArgument, format!("--{name}: {answer}")));
        }
        let defaults = defaults();
        let mut given = vec![];
        for key in Config::KEYS {
            if let Some(value) = matches.get_one::<String>(key.name) {
                given.push((key.name, value.clone()));
            }
            if defaults[key.name].is_boolean() && matches.get_flag(&negated(key.name)) {
                given.push((key.name, "false".to_owned()));
            }
        }
        if let Some(&freeze) = matches.get_one("freeze_processor") {
            given.push(("freeze", if freeze { "processor" } else { "" }.to_owned()));
        }
        Ok(Self { given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ConfigFlags {
    /// The names of the keys given on the command line.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.given.iter().map(|(key, _)| *key)
    }

    /// The keys given on the command line, alone.
    pub(crate) fn into_draft(self) -> anyhow::Result<Draft> {
        let mut draft = Draft::default();
        for (key, value) in self.given {
            draft.set_text(key, &value)?;
        }
        Ok(draft)
    }

    /// The configuration: files override the preset, later files override earlier ones, and flags
    /// override files. An error that a file brings in names that file.
    pub(crate) fn into_config(
        self,
        preset: Option<&str>,
        files: &[PathBuf],
    ) -> anyhow::Result<Config> {
        let mut draft = preset.map_or_else(|| Ok(Draft::default()), Draft::preset)?;
        let mut stages = vec![];
        for file in files {
            let other = match bundled::configuration(file) {
                Some(bundled) => Draft::parse(bundled.text)?,
                None => config_file::read(file)?,
            };
            draft = draft.overridden_by(other);
            stages.push((file, draft.clone()));
        }
        draft = draft.overridden_by(self.into_draft()?);
        draft.finish().map_err(|error| {
            let message = error.to_string();
            let has_it = |stage: Draft| stage.finish().is_err_and(|it| it.to_string() == message);
            match stages.into_iter().find(|(_, stage)| has_it(stage.clone())) {
                Some((file, _)) => model::Error::ConfigFile { message, path: file.clone() }.into(),
                None => error.into(),
            }
        })
    }
}
