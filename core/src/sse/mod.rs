//! Bytes ⇄ SSE frames: the WHATWG event-stream algorithm, fed in chunks that may be cut anywhere.
//!
//! ```text
//! chunk ─▶ LineDecoder ─▶ line ─▶ FrameDecoder ─▶ Signal: frame, comment, blank block
//! frame ─▶ encode ─▶ bytes
//! ```
//!
//! The layer knows nothing about JSON or Open Responses. What it promises:
//!
//! - **Any cut.** The same bytes give the same signals with the same offsets, whether they come whole, byte by byte or
//!   with empty chunks between them. A CR ends its line at once; the LF that may follow it belongs to it.
//! - **To the letter.** Every byte stream is legal input. Bytes that are not UTF-8 become U+FFFD, one for each maximal
//!   ill-formed part, and the first place is told. Nothing pending is dispatched at the end of input; it is offered
//!   apart, as a [`UnfinishedBlock`].
//! - **Nothing swallowed.** Comments and blocks without data are signals too, since they show that the other side lives.
//! - **Linear.** Each byte is looked at once for line ends, however it arrives. A frame that lies in one chunk and has
//!   one data line is not copied; any other is joined once.
//! - **Bounded.** What is kept (data, event name, id) is limited by [`Limits`](crate::Limits). Comments, unknown fields and
//!   the digits of `retry` are not kept, so no length of them is an error; the visible text of a comment is cut at
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
