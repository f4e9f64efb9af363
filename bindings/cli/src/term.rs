//! Terminals: how wide text is, how it is wrapped, and what is painted how.
//!
//! Nothing here changes a mode of the terminal: no raw mode, no other screen, no hidden cursor. So there is nothing to put
//! back when the program is ended in the middle, by Ctrl-C or otherwise.

use crate::paint::Paint;

/// What a piece of a line is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Title,
    Dim,
    Good,
    Busy,
    Bad,
    Code,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Title => "1",
            Self::Dim => "2",
            Self::Good => "32",
            Self::Busy => "33",
            Self::Bad => "31;1",
            Self::Code => "36",
        }
    }
}

/// One line before it is wrapped: indented so far, made of pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) indent: usize,
    pub(crate) pieces: Vec<(Style, String)>,
}

impl Line {
    pub(crate) fn new(style: Style, text: impl Into<String>) -> Self {
        Self { indent: 0, pieces: vec![(style, text.into())] }
    }

    pub(crate) fn indented(mut self, indent: usize) -> Self {
        self.indent = indent;
        self
    }

    pub(crate) fn and(mut self, style: Style, text: impl Into<String>) -> Self {
        self.pieces.push((style, text.into()));
        self
    }

    /// The line as it is, however long.
    pub(crate) fn whole(&self, paint: Paint) -> String {
        let mut text = " ".repeat(self.indent);
        for (style, piece) in &self.pieces {
            text.push_str(&paint.with(style.code(), &tidy(piece)));
        }
        text.truncate(text.trim_end_matches(' ').len());
        text
    }

    /// The line in rows of at most `columns`, each painted, with its width. Breaks at spaces where there are any.
    pub(crate) fn rows(&self, columns: usize, paint: Paint) -> Vec<(String, usize)> {
        // On a very narrow terminal the indent gives way first.
        let indent = self.indent.min(columns / 4);
        let room = columns.saturating_sub(indent).max(1);
        let chars: Vec<(Style, char)> = self
            .pieces
            .iter()
            .flat_map(|(style, piece)| tidy(piece).chars().map(|char| (*style, char)).collect::<Vec<_>>())
            .collect();
        let mut rows = Vec::new();
        let mut start = 0;
        loop {
            let end = row_end(&chars, start, room);
            let row = chars.get(start..end).unwrap_or_default();
            rows.push(painted(row, indent, paint));
            start = end;
            // The space at which the line was broken belongs to neither row.
            while start > 0 && start < chars.len() && chars.get(start).is_some_and(|(_, char)| *char == ' ') {
                start += 1;
            }
            if start >= chars.len() {
                return rows;
            }
        }
    }
}

/// Where the row that begins at `start` ends.
fn row_end(chars: &[(Style, char)], start: usize, room: usize) -> usize {
    let mut used = 0;
    let mut space = None;
    for (at, (_, char)) in chars.iter().enumerate().skip(start) {
        used += char_width(*char);
        if used > room && *char == ' ' {
            return at;
        }
        if used > room {
            // At least one character, or it would never end.
            return space.unwrap_or(at.max(start + 1));
        }
        if *char == ' ' && at > start {
            space = Some(at);
        }
    }
    chars.len()
}

fn painted(row: &[(Style, char)], indent: usize, paint: Paint) -> (String, usize) {
    let mut text = " ".repeat(indent);
    let mut width = indent;
    for run in row.chunk_by(|(one, _), (other, _)| one == other) {
        let Some((style, _)) = run.first() else { continue };
        let plain: String = run.iter().map(|(_, char)| *char).collect();
        width += plain.chars().map(char_width).sum::<usize>();
        text.push_str(&paint.with(style.code(), &plain));
    }
    (text, width)
}

/// Text without anything that would move the cursor or change the terminal.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\t' => out.push_str("    "),
            // Marks that turn the direction of what follows would turn our own words too.
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => out.push('\u{FFFD}'),
            char if char.is_control() => out.push('\u{FFFD}'),
            char => out.push(char),
        }
    }
    out
}

/// How many columns a character takes: marks none, ideographs and emoji two.
///
/// Ranges, not the tables of Unicode: what is one off here costs a row that is a little short or wraps by itself.
pub(crate) fn char_width(char: char) -> usize {
    match u32::from(char) {
        0x0300..=0x036F
        | 0x0483..=0x0489
        | 0x0591..=0x05BD
        | 0x0610..=0x061A
        | 0x064B..=0x065F
        | 0x0900..=0x0902
        | 0x0E31
        | 0x0E34..=0x0E3A
        | 0x0E47..=0x0E4E
        | 0x1AB0..=0x1AFF
        | 0x1DC0..=0x1DFF
        | 0x200B..=0x200F
        | 0x2060..=0x2064
        | 0x20D0..=0x20FF
        | 0xFE00..=0xFE0F
        | 0xFE20..=0xFE2F
        | 0xFEFF
        | 0x1F3FB..=0x1F3FF
        | 0xE0000..=0xE01EF => 0,
        0x1100..=0x115F
        | 0x231A..=0x231B
        | 0x23E9..=0x23EC
        | 0x25FD..=0x25FE
        | 0x2614..=0x2615
        | 0x2648..=0x2653
        | 0x26A1
        | 0x26BD..=0x26BE
        | 0x26D4
        | 0x2705
        | 0x2728
        | 0x274C
        | 0x2753..=0x2755
        | 0x2757
        | 0x2795..=0x2797
        | 0x2B50
        | 0x2E80..=0x303E
        | 0x3041..=0xA4CF
        | 0xA960..=0xA97F
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x1F18E
        | 0x1F191..=0x1F19A
        | 0x1F1E6..=0x1F202
        | 0x1F210..=0x1F3FA
        | 0x1F400..=0x1F64F
        | 0x1F680..=0x1F6FF
        | 0x1F7E0..=0x1F7EB
        | 0x1F900..=0x1F9FF
        | 0x1FA70..=0x1FAFF
        | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Style};
    use crate::paint::Paint;

    fn rows(text: &str, indent: usize, columns: usize) -> Vec<String> {
        let line = Line::new(Style::Plain, text).indented(indent);
        line.rows(columns, Paint(false)).into_iter().map(|(row, _)| row).collect()
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_anywhere() {
        assert_eq!(rows("one two three", 0, 7), ["one two", "three"]);
        assert_eq!(rows("one two three", 2, 8), ["  one", "  two", "  three"]);
        assert_eq!(rows("abcdefgh", 0, 3), ["abc", "def", "gh"]);
        assert_eq!(rows("", 4, 80), ["    "]);
        assert_eq!(rows("abc", 4, 1), ["a", "b", "c"]);
    }

    #[test]
    fn wide_characters_take_two_columns_and_marks_none() {
        assert_eq!(rows("日本語", 0, 4), ["日本", "語"]);
        assert_eq!(rows("e\u{301}e\u{301}e\u{301}", 0, 2), ["e\u{301}e\u{301}", "e\u{301}"]);
        let widths: Vec<usize> = Line::new(Style::Code, "🚲ab").rows(3, Paint(true)).iter().map(|row| row.1).collect();
        assert_eq!(widths, [3, 1]);
    }

    #[test]
    fn nothing_of_a_payload_moves_the_cursor() {
        assert_eq!(rows("a\x1b[2Jb\tc\r\u{9b}d\u{202e}e", 0, 80), ["a\u{FFFD}[2Jb    c\u{FFFD}\u{FFFD}d\u{FFFD}e"]);
    }

    #[test]
    fn every_row_ends_in_plain_colour() {
        let line = Line::new(Style::Title, "one two").and(Style::Bad, " three");
        for (row, _) in line.rows(5, Paint(true)) {
            assert!(row.ends_with("\x1b[0m"), "{row:?}");
        }
    }
}
