//! Bytes ⇄ SSE frames: the WHATWG event-stream algorithm, fed in chunks that may be split anywhere.
//!
//! - *Takes*: chunks of bytes.
//! - *Gives*: lines ([`LineDecoder`]), frames, comments and blank blocks ([`FrameDecoder`]); bytes for frames ([`encode()`]).
//! - *Promises*: see below.
//! - *Costs*: each byte is searched once for line ends; a frame in one chunk with one data line is not copied.
//!
//! ```text
//! chunk ─▶ LineDecoder ─▶ line ─▶ FrameDecoder ─▶ Signal: frame, comment, blank block
//! frame ─▶ encode ─▶ bytes
//! ```
//!
//! The layer knows nothing about JSON or Open Responses. What it promises:
//!
//! - **Any split.** The same bytes give the same signals with the same offsets, whether they arrive whole, byte by byte or
//!   with empty chunks between them. A CR ends its line at once; the LF that may follow it belongs to it.
//! - **Exactly the standard.** Every byte stream is legal input. Bytes that are not UTF-8 become U+FFFD, one for each maximal
//!   ill-formed part, and the first position is reported. A pending block is not dispatched at the end of input; it is returned
//!   separately, as an [`UnfinishedBlock`].
//! - **Nothing dropped silently.** Comments and blocks without data are signals too, because they show that the other side is alive.
//! - **Linear.** Each byte is searched once for line ends, in any split. A frame that lies in one chunk and has
//!   one data line is not copied; any other is joined once.
//! - **Bounded.** The kept data (payload, event name, id) is limited by [`Limits`](crate::Limits). Comments, unknown fields and
//!   the digits of `retry` are not kept, so they may have any length; the visible text of a comment is truncated at
//!   [`COMMENT_BYTES`].
//!
//! ```
//! use deltafold::{sse::{FrameDecoder, Signal}, Limits};
//!
//! let mut decoder = FrameDecoder::new(&Limits::default());
//! let mut texts = Vec::new();
//! for chunk in [&b"event: gree"[..], b"ting\ndata: hel", b"lo\r", b"\n\r\n: idle\n"] {
//!     let mut at = 0;
//!     while let Some(signal) = decoder.next(chunk, &mut at)? {
//!         match signal {
//!             Signal::Frame(frame) => texts.push(format!("{} = {}", frame.event, frame.data)),
//!             Signal::Comment(comment) => texts.push(format!("({})", comment.text.trim())),
//!             _ => {}
//!         }
//!     }
//! }
//! assert_eq!(texts, ["greeting = hello", "(idle)"]);
//! # Ok::<(), deltafold::Error>(())
//! ```

mod encode;
mod frame;
mod line;
mod partial_line;
mod signal;
mod text;

pub use encode::{encode, encode_comment, encode_id, encode_retry, encode_with};
pub(crate) use frame::FrameOutcome;
pub use frame::{FrameDecoder, COMMENT_BYTES};
pub use line::{Line, LineDecoder, LineEnd};
pub use signal::{Blank, BlockFeatures, Comment, Frame, RawFrame, RawSignal, Signal, UnfinishedBlock};
pub use text::decode_text;
