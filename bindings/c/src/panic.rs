//! The one unwind boundary: no panic crosses into C, where unwinding is undefined.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::status::dfold_status;

/// Panics on demand, for the test that forces one inside every entry point. Built only with the feature `__panics`.
#[cfg(feature = "__panics")]
mod forced {
    use std::cell::Cell;

    thread_local! {
        static ARMED: Cell<bool> = const { Cell::new(false) };
    }

    /// Lets the next entry point that this thread calls panic.
    #[no_mangle]
    extern "C" fn dfold_test_panic() {
        ARMED.set(true);
    }

    pub(super) fn strike() {
        if ARMED.replace(false) {
            panic!("forced");
        }
    }
}

#[cfg(not(feature = "__panics"))]
mod forced {
    #[inline(always)]
    pub(super) fn strike() {}
}

/// Runs the body of an entry point; a panic becomes [`dfold_status::DFOLD_INTERNAL`].
///
/// What the body touched may be half done after a panic. That is why the status tells the caller to free the handle and
/// do nothing else with it, and why asserting unwind safety here is true.
#[inline]
pub(crate) fn boundary(body: impl FnOnce() -> Result<(), dfold_status>) -> dfold_status {
    match catch_unwind(AssertUnwindSafe(|| {
        forced::strike();
        body()
    })) {
        Ok(Ok(())) => dfold_status::DFOLD_OK,
        Ok(Err(status)) => status,
        Err(payload) => {
            discard(payload);
            dfold_status::DFOLD_INTERNAL
        }
    }
}

/// Runs the body of an entry point that has no status to return; a panic becomes `otherwise`.
pub(crate) fn boundary_or<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    match catch_unwind(AssertUnwindSafe(|| {
        forced::strike();
        body()
    })) {
        Ok(value) => value,
        Err(payload) => {
            discard(payload);
            otherwise
        }
    }
}

/// Drops what a panic brought. That may panic in turn; what it brings then is left where it is, a few bytes.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        core::mem::forget(again);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(boundary(|| panic!("forced")), dfold_status::DFOLD_INTERNAL);
        assert_eq!(boundary_or(7, || panic!("forced")), 7);
    }

    #[test]
    fn a_payload_that_panics_when_dropped_becomes_a_status() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("again");
            }
        }
        assert_eq!(boundary(|| std::panic::panic_any(Bomb)), dfold_status::DFOLD_INTERNAL);
    }

    #[test]
    fn a_failure_passes_through() {
        assert_eq!(boundary(|| Err(dfold_status::DFOLD_JSON_SYNTAX)), dfold_status::DFOLD_JSON_SYNTAX);
        assert_eq!(boundary(|| Ok(())), dfold_status::DFOLD_OK);
    }
}
