//! Exchange of values with other libraries, each with a feature of its name: `serde`, `serde_json`, `simd-json`.
//!
//! - *Takes*: values, events and responses of this crate; values of the other library.
//! - *Gives*: the same values in the other type.
//! - *Promises*: numbers keep their digits wherever the other side can store them.
//! - *Costs*: linear in the value; a stream is read without any of this.
//!
//! With `serde` the types of this crate are written by any `serde` serializer, a [`Value`](crate::json::Value) is read from any
//! deserializer, and the payload of an event or a response is read into the caller's types. Nothing here is on the path of
//! reading a stream.
//!
//! Numbers keep their digits if the other side can store them. A number that fits `u64`, `i64` or `f64` without a change
//! of its digits is passed as that type. Any other number (`0.10`, `1e400`, an integer beyond 64 bits) is passed as text to
//! `serde_json`, with the feature of that name; a format without such numbers gets the nearest `f64`.

#[cfg(feature = "serde")]
mod deserialize;
#[cfg(any(feature = "serde", feature = "simd-json"))]
mod number;
#[cfg(feature = "serde_json")]
mod serde_json;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "simd-json")]
mod simd_json;

#[cfg(feature = "serde")]
pub use deserialize::DeserializeError;
