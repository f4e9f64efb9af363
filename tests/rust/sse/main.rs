//! The SSE layer: conformance cases, any split, the decoders, encoding, limits.

mod any_split;
mod conformance;
mod decoders;
mod encode;
mod limits;
