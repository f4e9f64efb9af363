//! [`StyledLine`]: a line of styled text, and how it is wrapped to the width of a terminal.
//!
//! Nothing here changes a mode of the terminal: no raw mode, no alternate screen, no hidden cursor. So there is nothing to
//! restore when the program is interrupted, by Ctrl-C or otherwise.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::color::Color;
use crate::escape::escape_line;

/// One line before it is wrapped. Its text is escaped when it is rendered, so pieces of a payload need no care.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StyledLine {
    indent: usize,
    pieces: Vec<(Style, String)>,
}

impl StyledLine {
    pub(crate) fn new(style: Style, text: impl Into<String>) -> Self {
        Self { indent: 0, pieces: vec![(style, text.into())] }
    }

    /// Sets by how many columns the line and its continuations are indented.
    pub(crate) fn indented(mut self, indent: usize) -> Self {
        self.indent = indent;
        self
    }

    /// Appends text.
    pub(crate) fn with(mut self, style: Style, text: impl Into<String>) -> Self {
        self.pieces.push((style, text.into()));
        self
    }

    /// Renders the line without wrapping it.
    pub(crate) fn render(&self, color: Color) -> String {
        let mut text = " ".repeat(self.indent);
        for (style, piece) in &self.pieces {
            text.push_str(&color.apply(*style, &printable(piece)));
        }
        text.truncate(text.trim_end_matches(' ').len());
        text
    }

    /// Renders the line in rows of at most `columns`, each with its width. Rows end at spaces where possible.
    pub(crate) fn wrap(&self, columns: usize, color: Color) -> Vec<(String, usize)> {
        // A very narrow terminal has no room for the whole indent.
        let indent = self.indent.min(columns / 4);
        let room = columns.saturating_sub(indent).max(1);
        let chars: Vec<(Style, char)> = self
            .pieces
            .iter()
            .flat_map(|(style, piece)| printable(piece).chars().map(|char| (*style, char)).collect::<Vec<_>>())
            .collect();
        let mut rows = Vec::new();
        let mut start = 0;
        loop {
            let end = row_end(&chars, start, room);
            let row = chars.get(start..end).unwrap_or_default();
            rows.push(render_row(row, indent, color));
            start = end;
            // The space at which the line is broken belongs to neither row.
            while start > 0 && chars.get(start).is_some_and(|(_, char)| *char == ' ') {
                start += 1;
            }
            if start >= chars.len() {
                return rows;
            }
        }
    }
}

/// Pads text with spaces to a width.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    let text = printable(text);
    let missing = columns.saturating_sub(text.width());
    text + &" ".repeat(missing)
}

/// The width of a column of names in a table: that of the widest name, from 4 to 60.
pub(crate) fn column_width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| printable(name).width()).max().unwrap_or(0).clamp(4, 60)
}

/// Returns where the row that begins at `start` ends.
fn row_end(chars: &[(Style, char)], start: usize, room: usize) -> usize {
    let mut used = 0;
    let mut last_space = None;
    for (at, (_, char)) in chars.iter().enumerate().skip(start) {
        used += char_width(*char);
        if used > room && *char == ' ' {
            return at;
        }
        if used > room {
            // A row has at least one character, so that the loop of the caller ends.
            return last_space.unwrap_or(at.max(start + 1));
        }
        if *char == ' ' && at > start {
            last_space = Some(at);
        }
    }
    chars.len()
}

fn render_row(row: &[(Style, char)], indent: usize, color: Color) -> (String, usize) {
    let mut text = " ".repeat(indent);
    let mut width = indent;
    for run in row.chunk_by(|(one, _), (other, _)| one == other) {
        let Some((style, _)) = run.first() else { continue };
        let plain: String = run.iter().map(|(_, char)| *char).collect();
        width += plain.chars().map(char_width).sum::<usize>();
        text.push_str(&color.apply(*style, &plain));
    }
    (text, width)
}

/// Escapes text and expands its tabs.
fn printable(text: &str) -> String {
    escape_line(&text.replace('\t', "    ")).into_owned()
}

/// How many columns a character takes: combining marks none, ideographs and emoji two.
fn char_width(char: char) -> usize {
    char.width().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{pad, StyledLine};
    use crate::color::{Color, BAD, CODE, PLAIN, TITLE};

    fn rows(text: &str, indent: usize, columns: usize) -> Vec<String> {
        let line = StyledLine::new(PLAIN, text).indented(indent);
        line.wrap(columns, Color::NEVER).into_iter().map(|(row, _)| row).collect()
    }

    #[test]
    fn lines_break_at_spaces_and_inside_long_words() {
        assert_eq!(rows("one two three", 0, 7), ["one two", "three"]);
        assert_eq!(rows("one two three", 2, 8), ["  one", "  two", "  three"]);
        assert_eq!(rows("abcdefgh", 0, 3), ["abc", "def", "gh"]);
        assert_eq!(rows("", 4, 80), ["    "]);
        assert_eq!(rows("abc", 4, 1), ["a", "b", "c"]);
    }

    #[test]
    fn wide_characters_take_two_columns_and_combining_marks_none() {
        assert_eq!(rows("日本語", 0, 4), ["日本", "語"]);
        assert_eq!(rows("e\u{301}e\u{301}e\u{301}", 0, 2), ["e\u{301}e\u{301}", "e\u{301}"]);
        let rows = StyledLine::new(CODE, "🚲ab").wrap(3, Color::ALWAYS);
        assert_eq!(rows.iter().map(|row| row.1).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(pad("日本", 6), "日本  ");
    }

    #[test]
    fn payload_text_cannot_move_the_cursor() {
        assert_eq!(rows("a\x1b[2Jb\tc\r\u{9b}\u{202e}d", 0, 80), ["a\\u001b[2Jb    c\\u000d\\u009b\\u202ed"]);
    }

    #[test]
    fn every_row_ends_in_the_default_color() {
        let line = StyledLine::new(TITLE, "one two").with(BAD, " three");
        for (row, _) in line.wrap(5, Color::ALWAYS) {
            assert!(row.ends_with("\x1b[0m"), "{row:?}");
        }
    }
}
