//! Text that cannot control a terminal: everything from payloads, file names and arguments passes one of these functions.

use std::borrow::Cow;
use std::fmt::Write;

/// Replaces characters that control a terminal or reorder its text with `\uXXXX`, as JSON escapes them. Keeps line feeds and
/// tabs; CRLF becomes LF.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    replace(text, |char| is_unsafe(char) && !matches!(char, '\n' | '\t'))
}

/// As [`escape`], but also replaces line feeds and tabs: for text inside a line.
pub(crate) fn escape_line(text: &str) -> Cow<'_, str> {
    replace(text, is_unsafe)
}

/// C0, DEL and C1 control characters, and the embeddings, overrides and isolates of the bidirectional algorithm.
fn is_unsafe(char: char) -> bool {
    char.is_control() || matches!(char, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn replace(text: &str, is_replaced: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.find(&is_replaced) else { return Cow::Borrowed(text) };
    let (safe, rest) = text.split_at(first);
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(safe);
    let mut chars = rest.chars().peekable();
    while let Some(char) = chars.next() {
        if char == '\r' && chars.peek() == Some(&'\n') && !is_replaced('\n') {
            continue;
        }
        if is_replaced(char) {
            // Writing to a string does not fail. No character above U+FFFF is unsafe.
            let _ = write!(out, "\\u{:04x}", u32::from(char));
        } else {
            out.push(char);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::{escape, escape_line};

    #[test]
    fn control_characters_and_bidi_overrides_are_visible() {
        let text = "a\u{1b}]52;c;\u{7}\u{9b}2J\u{7f}\u{202e}b\u{2069}";
        let escaped = "a\\u001b]52;c;\\u0007\\u009b2J\\u007f\\u202eb\\u2069";
        assert_eq!((&*escape(text), &*escape_line(text)), (escaped, escaped));
    }

    #[test]
    fn line_breaks_stay_only_in_text_of_several_lines() {
        assert_eq!(escape("a\tb\r\nc\rd\n"), "a\tb\nc\\u000dd\n");
        assert_eq!(escape_line("a\tb\r\nc"), "a\\u0009b\\u000d\\u000ac");
    }

    #[test]
    fn letters_of_all_scripts_stay() {
        let text = "שלום 日本語 👩\u{200d}💻 e\u{301}";
        assert_eq!(escape(text), text);
    }
}
