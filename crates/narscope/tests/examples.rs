//! Examples in help texts can be pasted into a shell.

/// Help pages wrap longer lines, which would cut a command in two.
const WIDTH: usize = 100;

/// All commands and subcommands.
fn all_commands(command: &clap::Command) -> Vec<clap::Command> {
    let inner = command.get_subcommands().flat_map(all_commands);
    std::iter::once(command.clone()).chain(inner).collect()
}

/// The commands among the lines of a text: lines that begin with `narscope`, without the comment that a shell
/// ignores, joined with the next line after a backslash.
fn commands_in(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let lines = joined.lines().map(str::trim).filter(|line| line.starts_with("narscope "));
    lines.map(|line| line.split(" # ").next().unwrap_or(line).trim().to_owned()).collect()
}

/// The words of a command, up to a pipe or a redirection. No example has spaces inside quotes before these.
fn words(command: &str) -> Vec<String> {
    let words = command.split_whitespace().take_while(|word| !["|", ">", "<"].contains(word));
    words.map(|word| word.trim_matches('\'').to_owned()).collect()
}

#[test]
fn every_example_of_a_help_page_is_a_command_that_can_be_pasted() {
    let mut count = 0;
    for command in all_commands(&narscope::command()) {
        let Some(text) = command.get_after_help() else { continue };
        let text = text.to_string();
        let name = command.get_name();
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{name}: this line is wrapped: {line}");
        }
        for example in commands_in(&text) {
            let parsed = narscope::command().try_get_matches_from(words(&example));
            assert!(parsed.is_ok(), "{name}: {example}\n{}", parsed.unwrap_err());
            count += 1;
        }
    }
    assert!(count > 40, "expected an example for each command, found {count}");
}

#[test]
fn comments_and_continued_lines_are_what_a_shell_makes_of_them() {
    let text = "Examples:\n  narscope list   # all\n  narscope train \\\n    --seed 1 > log\nIn Python:\n  x = 1";
    assert_eq!(commands_in(text), ["narscope list", "narscope train      --seed 1 > log"]);
    assert_eq!(words("narscope train      --seed 1 > log"), ["narscope", "train", "--seed", "1"]);
}
