//! The clock of JavaScript: the core reads none.

use deltafold::Clock;
use wasm_bindgen::prelude::*;

/// Gives `created_at` and `completed_at` where the caller gives no time.
pub(crate) const CLOCK: Clock = Clock::new(now);

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = Date, js_name = now)]
    fn milliseconds() -> f64;
}

/// Whole seconds since 1970.
fn now() -> u64 {
    (milliseconds() / 1000.0) as u64
}
