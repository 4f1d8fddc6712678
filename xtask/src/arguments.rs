//! Flags of tasks: `--quick`, `--rounds 3` or `--rounds=3`.

use std::str::FromStr;

use crate::Result;

/// Parsed flags with their values; a flag without a value has an empty one.
#[derive(Debug, PartialEq)]
pub(crate) struct Arguments(Vec<(String, String)>);

impl Arguments {
    /// Parses flags. Returns `None` if one is not `known` or lacks its value. A known flag that
    /// ends in `=` takes a value.
    pub(crate) fn parse(words: &[&str], known: &[&str]) -> Option<Self> {
        let mut given = Vec::new();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word, None),
            };
            let value = if known.contains(&format!("{name}=").as_str()) {
                value.or_else(|| words.next().copied())?
            } else if known.contains(&word) {
                ""
            } else {
                return None;
            };
            given.push((name.to_owned(), value.to_owned()));
        }
        Some(Self(given))
    }

    /// Returns the value of a flag. The last occurrence wins.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// Parses the comma-separated values of a flag, or of `default` if the flag is absent.
    pub(crate) fn list<T: FromStr>(&self, name: &str, default: &str) -> Result<Vec<T>> {
        let text = self.get(name).unwrap_or(default);
        let invalid = |part| format!("invalid value {part:?} for {name}");
        text.split(',').map(|part| part.parse().map_err(|_| invalid(part))).collect()
    }

    /// Returns the flags in command-line form, to pass them to another program.
    pub(crate) fn to_flags(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(name, value)| match value.as_str() {
            "" => name.clone(),
            value => format!("{name}={value}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[&str] = &["--quick", "--rounds="];

    #[test]
    fn values_follow_an_equals_sign_or_a_space() {
        for words in [&["--rounds", "3", "--quick"][..], &["--quick", "--rounds=3"]] {
            let arguments = Arguments::parse(words, KNOWN).unwrap();
            assert_eq!(arguments.get("--quick"), Some(""));
            assert_eq!(arguments.list("--rounds", "1"), Ok(vec![3]));
        }
    }

    #[test]
    fn unknown_flags_and_invalid_values_are_rejected() {
        for words in [&["--fast"][..], &["quick"], &["--quick=yes"], &["--rounds"]] {
            assert_eq!(Arguments::parse(words, KNOWN), None, "{words:?}");
        }
        let arguments = Arguments::parse(&["--rounds=many"], KNOWN).unwrap();
        let error = arguments.list::<usize>("--rounds", "1").unwrap_err();
        assert_eq!(error, r#"invalid value "many" for --rounds"#);
    }
}
