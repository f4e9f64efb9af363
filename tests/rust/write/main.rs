//! The writer: its vectors, its streams, and properties of random sequences of intents.

mod own_output;
mod properties;
mod reference_validator;
mod streams;
mod vectors;
