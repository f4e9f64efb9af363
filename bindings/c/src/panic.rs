//! The one unwind boundary: no panic crosses into C, where unwinding is undefined.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::status::dfold_status;

/// Panics on demand, for the test that forces a panic inside every entry point. Compiled only with the feature `__panics`.
#[cfg(feature = "__panics")]
mod forced {
    use std::cell::Cell;

    thread_local! {
        static ARMED: Cell<bool> = const { Cell::new(false) };
    }

    /// Makes the next entry point that this thread calls panic.
    #[no_mangle]
    extern "C" fn dfold_test_panic() {
        ARMED.set(true);
    }

    pub(super) fn panic_if_armed() {
        if ARMED.replace(false) {
            panic!("forced");
        }
    }
}

#[cfg(not(feature = "__panics"))]
mod forced {
    #[inline(always)]
    pub(super) fn panic_if_armed() {}
}

/// Runs the body of an entry point; a panic becomes [`dfold_status::DFOLD_INTERNAL`].
///
/// A panic may leave the handle in an inconsistent state. `AssertUnwindSafe` is sound because the status DFOLD_INTERNAL
/// allows the caller only to free the handle.
#[inline]
pub(crate) fn boundary(body: impl FnOnce() -> Result<(), dfold_status>) -> dfold_status {
    match catch_unwind(AssertUnwindSafe(|| {
        forced::panic_if_armed();
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
        forced::panic_if_armed();
        body()
    })) {
        Ok(value) => value,
        Err(payload) => {
            discard(payload);
            otherwise
        }
    }
}

/// Drops a panic payload. The drop may panic in turn; that second payload is leaked.
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
        struct PanicsOnDrop;
        impl Drop for PanicsOnDrop {
            fn drop(&mut self) {
                panic!("again");
            }
        }
        assert_eq!(boundary(|| std::panic::panic_any(PanicsOnDrop)), dfold_status::DFOLD_INTERNAL);
    }

    #[test]
    fn a_failure_passes_through() {
        assert_eq!(boundary(|| Err(dfold_status::DFOLD_JSON_SYNTAX)), dfold_status::DFOLD_JSON_SYNTAX);
        assert_eq!(boundary(|| Ok(())), dfold_status::DFOLD_OK);
    }
}
