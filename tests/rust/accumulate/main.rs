//! The accumulator: its vectors, and the views of a response.

mod vectors;
mod views;
