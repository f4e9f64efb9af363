//! Accumulation: the response so far, at any time, from any stream.
//!
//! Takes events in the order of arrival. Gives a [`Response`] after each event, the outcome, rate limits, and a finding for each
//! repair.
//!
//! Promises: an event finds its item by `output_index`, then by `item_id`. A missing item or part is opened, an event that comes too
//! late is not applied, and each repair is a finding with the rule that the stream broke. A later and more complete source
//! replaces an earlier one: delta, done event, part done, item done, terminal snapshot.
//!
//! Costs: a delta costs O(its length), a snapshot is a view. Gaps between indexes cost nothing: an item at index four billion takes
//! the memory of one item.

mod accumulated_response;
mod accumulator;
mod chunked_map;
mod compare;
mod elements;
pub(crate) mod held_bytes;
mod item_slot;
mod lazy_object;
mod rate_limits;
mod response;
mod route;
mod save;
// Generated; laid out by the generator.
#[rustfmt::skip]
pub mod typed_items;

pub(crate) use accumulator::header_texts;
pub use accumulator::{AccumulateOptions, Accumulator, PreviewImages};
pub use rate_limits::RateLimits;
pub use response::{Item, Part, Response};
