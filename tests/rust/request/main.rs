//! Requests, history, errors and the tool loop.

mod errors;
mod history;
mod tool_loop;
mod vectors;
