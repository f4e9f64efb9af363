//! Interior mutability that is thread-safe with the feature `std`.
//!
//! With the feature `std`, [`OnceCell`] is `std::sync::OnceLock` and [`Shared`] holds a `Mutex`, so that events, responses
//! and items are `Send` and `Sync`. Without it both are the single-threaded cells of `core`. No lock is held while the caller's
//! code runs, so a call from within a callback cannot deadlock.

#[cfg(not(feature = "std"))]
pub(crate) use core::cell::OnceCell;
#[cfg(feature = "std")]
pub(crate) use std::sync::OnceLock as OnceCell;

#[cfg(not(feature = "std"))]
type Lock<T> = core::cell::RefCell<T>;
#[cfg(feature = "std")]
type Lock<T> = std::sync::Mutex<T>;

/// A value that is changed through a shared reference, inside one closure.
#[derive(Debug, Default)]
pub(crate) struct Shared<T>(Lock<T>);

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Lock::new(value))
    }

    /// Passes the value to `change`, which must not call back into the same `Shared`.
    pub(crate) fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        #[cfg(not(feature = "std"))]
        let mut value = self.0.borrow_mut();
        // A panic while the lock is held leaves a complete value: every `change` in this crate is a single move.
        #[cfg(feature = "std")]
        let mut value = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        change(&mut value)
    }

    /// Returns the value, without a lock.
    pub(crate) fn get_mut(&mut self) -> &mut T {
        #[cfg(not(feature = "std"))]
        return self.0.get_mut();
        #[cfg(feature = "std")]
        self.0.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl<T: Clone> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self::new(self.with(|value| value.clone()))
    }
}
