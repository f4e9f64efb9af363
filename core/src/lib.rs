#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]
#![doc = include_str!("crate.md")]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[doc(hidden)]
#[path = "bindings.rs"]
pub mod __bindings;
pub mod accumulate;
pub mod adapter;
mod calendar;
mod clock;
pub mod contract;
#[cfg(feature = "std")]
mod drive;
mod error;
pub mod event;
mod finding;
#[cfg(any(feature = "serde", feature = "simd-json"))]
mod interop;
pub mod json;
mod limits;
mod named;
mod options;
mod outcome;
mod profile;
mod reader;
pub mod request;
mod retry_after;
pub mod sse;
mod status;
mod sync;
pub mod validate;
pub mod write;

pub use accumulate::{AccumulateOptions, Accumulator, Item, Part, PreviewImages, RateLimits, Response};
pub use clock::Clock;
pub use contract::{is_valid_extension_type, Edition, Editions, Group, ItemKind};
#[cfg(feature = "futures")]
pub use drive::futures;
#[cfg(feature = "std")]
pub use drive::{EventReader, ReadError};
pub use error::{Class, Code, Error};
pub use event::{Event, Kind, OwnedEvent};
pub use finding::{Finding, Findings, Layer, Location, Repair, Severity, SeverityMap};
pub use limits::{Limits, Overflow};
pub use outcome::{Failure, Outcome};
pub use profile::{Exemption, Profile};
pub use reader::{Reader, ReaderBuilder, ReaderOptions};
pub use status::{ItemStatus, ResponseStatus};
pub use write::{Usage, Writer, WriterOptions};

/// Compiles the examples of README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
