#![cfg_attr(not(feature = "std"), no_std)]
// A build for size keeps its hot functions fast; only a nightly compiler knows how to say so (python/build.sh).
#![cfg_attr(deltafold_hot, feature(optimize_attribute))]
#![deny(unsafe_code)]
// The front page is also the crate's: one source, and its example is compiled here.
#![doc = include_str!("../README.md")]

extern crate alloc;

pub mod accumulate;
pub mod adapter;
pub mod contract;
mod error;
pub mod event;
mod finding;
pub mod json;
mod limits;
mod options;
mod outcome;
mod profile;
mod reader;
pub mod request;
pub mod sse;
pub mod validate;
pub mod write;

pub use accumulate::{AccumulateOptions, Accumulator, Images, Item, Part, RateLimits, Response};
pub use contract::{Edition, Editions, Group};
pub use error::{Class, Code, Error};
pub use event::{Event, Kind, OwnedEvent};
pub use finding::{Finding, Findings, Layer, Place, Repair, Severity, Weights};
pub use limits::{Limits, Overflow};
pub use outcome::{Failure, Outcome};
pub use profile::{Forgiven, Profile};
pub use reader::{Reader, ReaderBuilder, ReaderOptions};
pub use write::{Writer, WriterOptions};

/// Whether there is code that only spares time. Without it the same is done by what there is anyway.
pub(crate) const SPEED: bool = cfg!(feature = "speed");
