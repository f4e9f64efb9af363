//! Accumulation: the response so far, at any time, from any stream.
//!
//! [`Accumulator::apply`] takes events in order of arrival and keeps one object per output item, found by `output_index`, then
//! by `item_id`. Text grows in place: a delta costs its own length, a snapshot is a view. What a stream leaves out is
//! opened, what comes too late is left out, and each repair is a finding with the rule it mends. Indexes cost nothing: an item
//! at index four billion takes the room of one item.

mod accumulator;
mod agree;
mod body;
mod elements;
mod rates;
mod response;
mod route;
mod said;
mod save;
mod slot;
mod sorted;
mod state;

pub use accumulator::{AccumulateOptions, Accumulator, Images};
pub use rates::RateLimits;
pub use response::{Item, Part, Response};
