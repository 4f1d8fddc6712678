//! Problems of a sweep file, with their lines.

/// What is wrong with a sweep file, and where.
pub(super) struct Problem {
    pub(super) what: String,
    pub(super) position: Position,
}

/// Position in a file.
pub(super) enum Position {
    /// The first line with all of these words, or else the first line with the first of them.
    Words(Vec<String>),
    /// Offset in bytes.
    Offset(usize),
    Unknown,
}

impl Problem {
    pub(super) fn new(what: impl Into<String>, word: &str) -> Self {
        Self::at_words(what, vec![word.to_owned()])
    }

    pub(super) fn at_words(what: impl Into<String>, words: Vec<String>) -> Self {
        Self { what: what.into(), position: Position::Words(words) }
    }
}

impl Position {
    /// The line, counted from 1.
    pub(super) fn line(&self, text: &str) -> Option<usize> {
        let line = match self {
            Self::Unknown => None,
            Self::Offset(bytes) => Some(text[..*bytes].matches('\n').count()),
            Self::Words(words) => {
                let lines = text.lines().enumerate();
                let mut lines = lines.filter(|(_, line)| !line.trim_start().starts_with('#'));
                let mut again = lines.clone();
                let has = |line: &str, word: &String| !word.is_empty() && has_word(line, word);
                let with_all = lines.find(|(_, line)| words.iter().all(|word| has(line, word)));
                let with_first =
                    again.find(|(_, line)| words.iter().take(1).any(|word| has(line, word)));
                with_all.filter(|_| !words.is_empty()).or(with_first).map(|(line, _)| line)
            }
        };
        line.map(|line| line + 1)
    }
}

/// Whether a text has a word, and not only as a part of a longer word.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + word.len()..].chars().next();
        !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
    })
}
