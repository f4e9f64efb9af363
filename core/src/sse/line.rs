//! [`LineDecoder`]: chunks → lines.
//!
//! It keeps no bytes. A line that a chunk border splits is returned in several pieces, and a caller that needs the whole line joins them
//! in a buffer of its own; so nothing is scanned or copied twice, and a line may have any length. Memory is constant, time is one
//! search over each chunk.

use memchr::memchr2;

/// Splits chunks into lines. LF, CR and CRLF end a line; a byte order mark at the start of the stream is dropped.
///
/// Input is [`next`](Self::next), which is also the output; [`offset`](Self::offset) and
/// [`is_inside_line`](Self::is_inside_line) are getters; [`reset`](Self::reset) resets the decoder.
///
/// ```
/// use deltafold::sse::LineDecoder;
///
/// let mut decoder = LineDecoder::new();
/// let (mut lines, mut joined) = (Vec::new(), Vec::new());
/// for chunk in [&b"a\r"[..], b"\nb", b"c\n"] {
///     let mut at = 0;
///     while let Some(line) = decoder.next(chunk, &mut at) {
///         joined.extend_from_slice(line.bytes);
///         if line.end.is_some() {
///             lines.push(std::mem::take(&mut joined));
///         }
///     }
/// }
/// assert_eq!(lines, [&b"a"[..], b"bc"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct LineDecoder {
    /// Bytes consumed since the start.
    offset: u64,
    /// The start of the current line; undefined between lines.
    start: u64,
    /// Whether a line has begun and not ended.
    inside: bool,
    /// What the next byte may be, besides the byte of a line.
    expect: Expect,
}

/// A line, or the part of it that the chunk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'c> {
    /// Its bytes in this chunk, without the line end. Empty if the chunk has only the line end.
    pub bytes: &'c [u8],
    /// Offset of the line's first byte from the start of the stream, even if an earlier chunk had it.
    pub offset: u64,
    /// True if the line begins here.
    pub begins: bool,
    /// How the line ends; `None` if the chunk ended first.
    pub end: Option<LineEnd>,
}

/// The byte that ended a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineEnd {
    /// LF.
    Lf,
    /// CR, alone or the first half of CRLF. The decoder does not wait for the next byte to find out.
    Cr,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Expect {
    /// Nothing else.
    Plain,
    /// The LF of a CRLF whose CR has ended a line.
    Lf,
    /// The byte order mark, of which this many bytes were read.
    #[default]
    Bom0,
    Bom1,
    Bom2,
}

/// Finds the first LF or CR. For a chunk of a few bytes, a loop is faster than a vector search.
#[inline]
fn find_end(bytes: &[u8]) -> Option<usize> {
    if bytes.len() < 16 {
        bytes.iter().position(|&byte| byte == b'\n' || byte == b'\r')
    } else {
        memchr2(b'\n', b'\r', bytes)
    }
}

const BOM: &[u8; 3] = b"\xEF\xBB\xBF";

impl LineDecoder {
    /// Makes a decoder at the start of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next line, or the part of it that `chunk` has from `*at` on, and advances `*at` past it.
    ///
    /// `None` means that the chunk is used up. After a line that ends in CR, `*at` may be before the LF that belongs
    /// to it; the next call takes it.
    #[inline]
    pub fn next<'c>(&mut self, chunk: &'c [u8], at: &mut usize) -> Option<Line<'c>> {
        if self.expect != Expect::Plain {
            if let Some(line) = self.expected(chunk, at) {
                return Some(line);
            }
        }
        let rest = chunk.get(*at..).filter(|rest| !rest.is_empty())?;
        let begins = !self.inside;
        if begins {
            self.start = self.offset;
        }
        let (length, end) = match rest.first() {
            // Every block has a blank line, and starting a search costs more than one comparison.
            Some(b'\n') => (0, Some(LineEnd::Lf)),
            _ => match find_end(rest) {
                Some(found) if rest.get(found) == Some(&b'\n') => (found, Some(LineEnd::Lf)),
                Some(found) => (found, Some(LineEnd::Cr)),
                None => (rest.len(), None),
            },
        };
        let taken = length + usize::from(end.is_some());
        *at += taken;
        self.offset += taken as u64;
        self.inside = end.is_none();
        if end == Some(LineEnd::Cr) {
            self.expect = Expect::Lf;
        }
        Some(Line { bytes: rest.get(..length)?, offset: self.start, begins, end })
    }

    /// Resets the decoder to the start of a stream.
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    /// Bytes consumed since the start, line ends and byte order mark included.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns `true` if a line has begun and not ended.
    pub fn is_inside_line(&self) -> bool {
        self.inside
    }

    /// Returns `true` if the next byte begins a line for certain: no LF of a CRLF and no byte order mark is possible.
    #[inline]
    pub(super) fn between_lines(&self) -> bool {
        !self.inside && self.expect == Expect::Plain
    }

    /// Counts bytes that the caller has read: from the middle of a line, or whole lines.
    #[inline]
    pub(super) fn count_skipped(&mut self, length: usize) {
        self.offset += length as u64;
    }

    /// Takes the LF after a CR, or the byte order mark. Returns a line only if the bytes were not a mark.
    #[inline(never)]
    fn expected<'c>(&mut self, chunk: &'c [u8], at: &mut usize) -> Option<Line<'c>> {
        while let Some(&byte) = chunk.get(*at) {
            let (seen, wanted) = match self.expect {
                Expect::Plain => break,
                Expect::Lf => {
                    self.expect = Expect::Plain;
                    if byte == b'\n' {
                        *at += 1;
                        self.offset += 1;
                    }
                    break;
                }
                Expect::Bom0 => (0, Expect::Bom1),
                Expect::Bom1 => (1, Expect::Bom2),
                Expect::Bom2 => (2, Expect::Plain),
            };
            if BOM.get(seen) == Some(&byte) {
                self.expect = wanted;
                *at += 1;
                self.offset += 1;
                continue;
            }
            self.expect = Expect::Plain;
            if seen > 0 {
                // The bytes of a false mark begin the first line. They may have been in an earlier chunk, but their
                // values are known.
                self.start = self.offset - seen as u64;
                self.inside = true;
                return Some(Line { bytes: BOM.get(..seen)?, offset: self.start, begins: true, end: None });
            }
        }
        None
    }
}
