//! Control characters in text from files: a line break ends a comment of a script, an escape sequence rewrites a
//! terminal.

use std::borrow::Cow;

/// Returns the first control character of a text that is to become a single line: of a script, a table, a LaTeX
/// file or a terminal. Names never need one.
///
/// ```
/// use narscope_files::text::control_character;
///
/// assert_eq!(control_character("long"), None);
/// assert_eq!(control_character("long\nrm -rf ~"), Some('\n'));
/// assert_eq!(control_character("line \u{2028} separator"), Some('\u{2028}'));
/// ```
pub fn control_character(text: &str) -> Option<char> {
    text.chars().find(|&character| is_control(character))
}

/// Checks a value that is to become part of a single line; the error is a sentence that names it `what`.
pub fn check_line(what: &str, text: &str) -> Result<(), String> {
    match control_character(text) {
        None => Ok(()),
        Some(character) => Err(format!(
            "{what} should have no line breaks and no other control characters, found {character:?} in {text:?}"
        )),
    }
}

/// Replaces control characters other than line breaks and tabs by their escapes, as `\u{1b}`, for a terminal.
///
/// ```
/// use narscope_files::text::escaped;
///
/// assert_eq!(escaped("two\nlines"), "two\nlines");
/// assert_eq!(escaped("\u{1b}[2Jgone"), "\\u{1b}[2Jgone");
/// ```
pub fn escaped(text: &str) -> Cow<'_, str> {
    let is_escaped = |character: char| is_control(character) && !matches!(character, '\n' | '\t');
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_escaped(character) {
            safe.extend(character.escape_debug());
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

/// Control characters of C0 and C1, the separators of lines and paragraphs, and those that change the direction of
/// text, so that it reads as something else.
fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_error_shows_the_control_character_without_printing_it() {
        let sentence = check_line("partition", "long\n\u{1b}[2J").unwrap_err();
        assert_eq!(
            sentence,
            "partition should have no line breaks and no other control characters, found '\\n' in \"long\\n\\u{1b}[2J\""
        );
        check_line("partition", "größer, 長い").unwrap();
    }

    proptest! {
        #[test]
        fn an_escaped_text_has_only_line_breaks_and_tabs(text: String) {
            let safe = escaped(&text);
            prop_assert!(!safe.replace(['\n', '\t'], "").contains(is_control));
            if !text.contains(is_control) {
                prop_assert_eq!(safe, text.as_str());
            }
        }
    }
}
