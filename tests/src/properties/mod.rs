//! The properties that must hold for any bytes, one function each. `tests/rust/reader/mutated_vectors.rs` checks them for mutated vectors, the
//! fuzz targets of `tests/fuzz` for generated inputs.
//!
//! Every function panics if its property does not hold, with the data that is needed to understand the failure.

mod converting;
mod expand;
mod growing;
mod reading;
mod requests;
mod saving;
mod targets;
mod writing;

pub use converting::{converts_alike, converts_to_a_valid_stream, Conversion, FORCED, SOURCES, WRITTEN};
pub use expand::{expand, FRAMES, PIECES};
pub use growing::{grows_to_the_value_of_others, is_prefix, pieces, ChangeReplay};
pub use reading::{
    layers_change_no_event, no_level_matters, no_split_matters, read, reads_soundly, small_limits,
    strict_reads_a_prefix,
};
pub use requests::{any_request, any_text_is_judged, events_are_written_as_read, frames_come_back};
pub use saving::{a_damaged_save_is_refused, a_forged_save_is_harmless, a_save_goes_on, sign};
pub use targets::{target, Target, TARGETS};
pub use writing::{any_intents_leave_a_valid_stream, check_stream, item_types};
