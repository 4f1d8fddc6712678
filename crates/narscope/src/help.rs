//! Help for the algorithm or the network that the command line names: options that it does not have are hidden.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, FromArgMatches as _};
use narscope::clrs::algorithms::{self, Entry};
use narscope::clrs::options::OptionName;
use narscope::model::run::Run;

use crate::flags::ConfigFlags;

/// The command line, with help for the algorithms that `arguments` name. Unchanged if the arguments do not ask
/// for help, or name no algorithm and no run.
pub(crate) fn tailored(command: Command, arguments: &[OsString]) -> Command {
    let asks = |word: &OsString| word == "--help" || word == "-h";
    if !arguments.iter().any(asks) {
        return command;
    }
    let words = arguments.iter().filter(|word| !asks(word));
    let parsed = command.clone().ignore_errors(true).try_get_matches_from(words);
    let Ok(matches) = parsed else { return command };
    let Some((name, matches)) = matches.subcommand() else { return command };
    let entries = named_algorithms(matches);
    let is_network = command.find_subcommand(name).is_some_and(has_network_keys);
    let ineffective = if is_network { keys_without_effect(matches) } else { vec![] };
    command.mut_subcommand(name, |subcommand| {
        let subcommand = for_algorithms(subcommand, &entries);
        without(subcommand, "configuration keys that have an effect here", |id| {
            ineffective.contains(&id)
        })
    })
}

/// Whether a command has the keys of a network's configuration as flags. Its definition is asked, because matches
/// know in debug builds only which arguments there are.
fn has_network_keys(command: &Command) -> bool {
    command.get_arguments().any(|argument| argument.get_id() == "processor_type")
}

/// Configuration keys that other keys on the command line make ineffective, such as the size of triplets for a
/// processor without them. The matches must be those of a command with these keys.
fn keys_without_effect(matches: &ArgMatches) -> Vec<&'static str> {
    let Ok(flags) = ConfigFlags::from_arg_matches(matches) else { return vec![] };
    let given: Vec<&str> = flags.keys().collect();
    let Ok(config) = flags.into_config(None, &[]) else { return vec![] };
    let ineffective = config.without_effect().into_iter();
    let ineffective = ineffective.filter(|it| given.contains(&it.because_of));
    ineffective.map(|it| it.key).filter(|key| !given.contains(key)).collect()
}

/// The algorithms of a positional argument or of the runs that the arguments name.
fn named_algorithms(matches: &ArgMatches) -> Vec<&'static Entry> {
    let algorithm = matches.try_get_one::<String>("algorithm").ok().flatten();
    if let Some(entry) = algorithm.and_then(|name| algorithms::find(name).ok()) {
        return vec![entry];
    }
    let paths = ["run", "runs"].iter().filter_map(|id| matches.try_get_many::<PathBuf>(id).ok()?);
    let runs = paths.flatten().filter_map(|path| Run::open(path).ok());
    let names: BTreeSet<String> = runs.flat_map(|run| run.config.algorithms).collect();
    names.iter().filter_map(|name| algorithms::find(name).ok()).collect()
}

/// Hides the sampler options that none of the algorithms has.
fn for_algorithms(command: Command, entries: &[&Entry]) -> Command {
    let flags = |option: OptionName| match option {
        OptionName::Direction => vec!["directed", "undirected"],
        option => vec![option.name()],
    };
    let possible: BTreeSet<&str> =
        entries.iter().flat_map(|entry| entry.possible_options()).flat_map(flags).collect();
    let all: BTreeSet<&str> = OptionName::ALL.iter().copied().flat_map(flags).collect();
    let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
    without(command, &format!("sampler options of {}", names.join(", ")), |id| {
        !entries.is_empty() && all.contains(id) && !possible.contains(id)
    })
}

/// Hides some arguments, and says that only `shown` are left.
fn without(command: Command, shown: &str, is_hidden: impl Fn(&str) -> bool) -> Command {
    let hides = |argument: &Arg| !argument.is_hide_set() && is_hidden(argument.get_id().as_str());
    if !command.get_arguments().any(hides) {
        return command;
    }
    let name = command.get_name();
    let note = format!("Shows only the {shown}; `narscope {name} --help` shows all.");
    command.before_help(note).mut_args(|argument| {
        let is_hidden = hides(&argument);
        if is_hidden { argument.hide(true) } else { argument }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The help that `words` print.
    fn help(words: &str) -> String {
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let command = tailored(narscope::command(), &words);
        command.try_get_matches_from(words).expect_err("help is printed").to_string()
    }

    #[test]
    fn help_for_an_algorithm_hides_the_sampler_options_of_others() {
        let strings = help("narscope sample kmp_matcher --help");
        assert!(strings.contains("--length-needle") && strings.contains("--chars"));
        assert!(!strings.contains("--family <") && !strings.contains("--radius <"), "{strings}");
        assert!(strings.contains("only the sampler options of kmp_matcher"), "{strings}");

        let paths = help("narscope trace bellman_ford -h");
        assert!(paths.contains("--directed") && paths.contains("--factor"), "{paths}");
        let search = help("narscope trace bfs -h");
        // Rescaling and reweighting keep shortest paths, of which BFS has none with weights.
        assert!(search.contains("--classes") && !search.contains("--factor <"), "{search}");
        assert!(!search.contains("--low <"), "{search}");
    }

    #[test]
    fn help_for_a_network_hides_the_keys_without_effect_on_it() {
        let all = help("narscope train --help");
        assert!(all.contains("--nb-triplet-fts") && all.contains("--length-needle"), "{all}");
        let mpnn = help("narscope train --algorithms bfs --processor_type mpnn --help");
        assert!(!mpnn.contains("--nb-triplet-fts") && !mpnn.contains("--length-needle"), "{mpnn}");
        // The aggregator is not given, so its temperature may still matter.
        assert!(mpnn.contains("--temperature") && mpnn.contains("Shows only"), "{mpnn}");
    }

    #[test]
    fn every_command_has_help_and_only_those_that_make_networks_have_their_keys() {
        let command = narscope::command();
        let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        for name in &names {
            for flag in ["-h", "--help"] {
                let text = help(&format!("narscope {name} {flag}"));
                assert!(text.contains("Usage: narscope"), "{name}: {text}");
            }
        }
        let with_keys = names.into_iter().filter(|name| {
            has_network_keys(command.find_subcommand(name).expect("it has this name"))
        });
        assert_eq!(with_keys.collect::<Vec<_>>(), ["train", "bench", "import"]);
    }

    #[test]
    fn help_without_an_algorithm_shows_all_options_by_what_they_apply_to() {
        for words in ["narscope sample --help", "narscope sample no_such_algorithm --help"] {
            let all = help(words);
            assert!(all.contains("--family") && all.contains("--radius"), "{all}");
            assert!(all.contains("Sampler: points in the plane:"), "{all}");
            assert!(!all.contains("Shows only"), "{all}");
        }
    }
}
