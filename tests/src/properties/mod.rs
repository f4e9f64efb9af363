//! The properties that must hold for any bytes, one function each. `tests/rust/reader/mutated_vectors.rs` checks them for mutated vectors, the
//! fuzz targets of `tests/fuzz` for generated inputs.
//!
//! Every function panics if its property does not hold, with the data that is needed to understand the failure.

mod blocks;
mod converting;
mod expand;
mod growing;
mod growing_shapes;
mod invariants;
mod mutating;
mod reading;
mod requests;
mod saving;
mod targets;
mod writing;

pub use blocks::near_identical_blocks;
pub use converting::{converts_alike, converts_to_a_valid_stream, Conversion, FORCED, SOURCES, WRITTEN};
pub use expand::{expand, FRAMES, PIECES};
pub use growing::{grows_to_the_value_of_others, is_prefix, pieces, ChangeReplay};
pub use growing_shapes::{
    a_growing_conversion_stays_within_the_limits, a_growing_shape_stays_within_the_limits, GrowingShape,
};
pub use invariants::{invariant, Case, INVARIANTS};
pub use mutating::{edited, excerpt, shake, shaken, split_frames, stranger};
pub use reading::{
    layers_change_no_event, no_fast_path_matters, no_split_matters, read, reads_soundly, small_limits,
    strict_reads_a_prefix,
};
pub use requests::{any_request, any_text_is_judged, events_are_written_as_read, frames_come_back};
pub use saving::{a_damaged_save_is_refused, a_forged_save_is_harmless, a_restored_reader_continues, sign};
pub use targets::{target, Target, TARGETS};
pub use writing::{any_intents_leave_a_valid_stream, check_stream, item_types};
