//! An in-memory terminal with the features that the program uses; it fails on anything else.

use std::fmt::Write;

/// Rows of text with a cursor. Rows that scrolled out of the window are kept.
pub(crate) struct Screen {
    columns: usize,
    height: usize,
    rows: Vec<Row>,
    /// Counted from the first row ever, not from the top of the window.
    cursor: (usize, usize),
    /// The last column has a character, so the next character wraps.
    full: bool,
    /// True if a color is active.
    pub(crate) colored: bool,
    /// The number of rows that the terminal itself wrapped.
    pub(crate) wraps: usize,
}

#[derive(Default, Clone)]
struct Row {
    cells: Vec<char>,
    /// The row continues in the next one.
    wrapped: bool,
}

impl Screen {
    pub(crate) fn new(columns: usize, height: usize) -> Self {
        Self { columns, height, rows: vec![Row::default()], cursor: (0, 0), full: false, colored: false, wraps: 0 }
    }

    /// Returns the visible rows and those that scrolled out; without spaces at the ends.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let line: String = row.cells.iter().filter(|cell| **cell != WIDE).collect();
            writeln!(text, "{}", line.trim_end()).unwrap();
        }
        text.trim_end().to_owned()
    }

    pub(crate) fn column(&self) -> usize {
        self.cursor.1
    }

    /// Interprets the output of a program.
    pub(crate) fn feed(&mut self, text: &str) {
        let mut chars = text.chars().peekable();
        while let Some(char) = chars.next() {
            match char {
                '\r' => (self.cursor.1, self.full) = (0, false),
                '\n' => self.down(),
                '\x1b' => {
                    assert_eq!(chars.next(), Some('['), "only control sequences are expected");
                    let mut number = String::new();
                    let last = loop {
                        match chars.next().expect("a sequence ends") {
                            char @ ('0'..='9' | ';') => number.push(char),
                            char => break char,
                        }
                    };
                    self.control(last, &number);
                }
                char => {
                    assert!(!char.is_control(), "{char:?}");
                    self.put(char);
                }
            }
        }
    }

    /// Changes the size as most terminals do: wrapped rows are joined and wrapped again.
    pub(crate) fn resize(&mut self, columns: usize, height: usize) {
        assert_eq!(self.cursor.1, 0, "the program rests at the start of a line");
        let at_end = self.cursor.0 + 1 == self.rows.len();
        assert!(at_end, "the program rests below what it has drawn");
        let mut lines: Vec<Vec<char>> = vec![Vec::new()];
        for row in &self.rows {
            lines.last_mut().unwrap().extend(&row.cells);
            if !row.wrapped {
                lines.push(Vec::new());
            }
        }
        lines.pop();
        self.rows.clear();
        for line in lines {
            let pieces: Vec<&[char]> = if line.is_empty() { vec![&[]] } else { line.chunks(columns).collect() };
            let count = pieces.len();
            for (at, piece) in pieces.into_iter().enumerate() {
                self.rows.push(Row { cells: piece.to_vec(), wrapped: at + 1 < count });
            }
        }
        (self.columns, self.height) = (columns, height);
        self.cursor = (self.rows.len() - 1, 0);
    }

    fn control(&mut self, last: char, number: &str) {
        match last {
            'm' => self.colored = number != "0",
            'A' => {
                let top = self.rows.len().saturating_sub(self.height);
                let up: usize = number.parse().expect("a count");
                self.cursor.0 = self.cursor.0.saturating_sub(up).max(top);
                self.full = false;
            }
            'K' => {
                assert!(!self.full, "erasing after a full row differs between terminals");
                let (row, column) = self.cursor;
                self.rows[row].cells.truncate(column);
                self.rows[row].wrapped = false;
            }
            'J' => {
                self.control('K', "");
                self.rows.truncate(self.cursor.0 + 1);
            }
            other => panic!("CSI {number} {other} is not expected"),
        }
    }

    fn put(&mut self, char: char) {
        let width = width(char);
        if self.full || self.cursor.1 + width > self.columns {
            self.rows[self.cursor.0].wrapped = true;
            self.wraps += 1;
            self.down();
            self.cursor.1 = 0;
        }
        let (row, column) = self.cursor;
        let cells = &mut self.rows[row].cells;
        cells.resize(cells.len().max(column + width), ' ');
        cells[column] = char;
        cells[column + 1..column + width].fill(WIDE);
        self.full = column + width == self.columns;
        self.cursor.1 = if self.full { column } else { column + width };
    }

    fn down(&mut self) {
        self.full = false;
        self.cursor.0 += 1;
        if self.cursor.0 == self.rows.len() {
            self.rows.push(Row::default());
        }
    }
}

/// The second half of a wide character.
const WIDE: char = '\0';

/// Emoji of the tests are wide.
fn width(char: char) -> usize {
    if char >= '\u{1F300}' {
        2
    } else {
        1
    }
}
