#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![doc = "deltafold"]

extern crate alloc;

mod error;
mod finding;
pub mod json;
mod limits;
mod outcome;
pub mod validate;

pub use error::{Class, Code, Error};
pub use finding::{Finding, Findings, Layer, Place, Repair, Severity, Weights};
pub use limits::{Limits, Overflow};
pub use outcome::{Failure, Outcome};
