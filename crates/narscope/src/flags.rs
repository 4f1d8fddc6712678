//! The flags that become a run's configuration: one for each of its keys.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches};
use narscope::model::config::{Config, Draft};

/// What the user said of the configuration.
pub(crate) struct ConfigFlags {
    /// Values of keys, in the order of the keys.
    said: Vec<(&'static str, String)>,
}

const HEADING: &str =
    "Configuration (names as in the reference; dashes and underscores are the same)";

/// How a switch is turned off in the reference: `--nouse_ln`.
fn off(key: &str) -> String {
    format!("no{key}")
}

fn defaults() -> serde_json::Value {
    serde_json::to_value(Config::default()).expect("a configuration is JSON")
}

/// A value as it would be typed.
fn typed(value: &serde_json::Value) -> String {
    match value {
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
            let mut flag = Arg::new(key.name)
                .long(key.name.replace('_', "-"))
                .alias(key.name)
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
                let off = off(key.name);
                let switch_off = Arg::new(off.clone())
                    .long(off.clone())
                    .alias(off.replace('_', "-"))
                    .alias(format!("no-{}", key.name.replace('_', "-")))
                    .action(ArgAction::SetTrue)
                    .conflicts_with(key.name)
                    .hide(true);
                command = command.arg(switch_off);
            }
            command = command.arg(flag);
        }
        // The reference has a switch for one of the parts.
        let freeze_processor = Arg::new("freeze_processor")
            .long("freeze-processor")
            .alias("freeze_processor")
            .help("The same as --freeze processor")
            .help_heading(HEADING)
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
        let defaults = defaults();
        let mut said = vec![];
        for key in Config::KEYS {
            if let Some(value) = matches.get_one::<String>(key.name) {
                said.push((key.name, value.clone()));
            }
            if defaults[key.name].is_boolean() && matches.get_flag(&off(key.name)) {
                said.push((key.name, "false".to_owned()));
            }
        }
        if let Some(&freeze) = matches.get_one("freeze_processor") {
            said.push(("freeze", if freeze { "processor" } else { "" }.to_owned()));
        }
        Ok(Self { said })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ConfigFlags {
    /// The keys that were said.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.said.iter().map(|(key, _)| *key)
    }

    /// The configuration: flags go before files, files before the preset, later files before
    /// earlier ones.
    pub(crate) fn into_draft(
        self,
        preset: Option<&str>,
        files: &[PathBuf],
    ) -> anyhow::Result<Draft> {
        let mut draft = preset.map_or_else(|| Ok(Draft::default()), Draft::preset)?;
        for file in files {
            draft = draft.under(Draft::read(file)?);
        }
        for (key, value) in self.said {
            draft.set_text(key, &value)?;
        }
        Ok(draft)
    }
}
