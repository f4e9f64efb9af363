//! [`Lock`]: one thread at a time, and nothing after `release`.

use std::sync::{Mutex, PoisonError};

use deltafold::{Code, Error};

use crate::error::DeltafoldError;

/// What an object holds, behind a lock that can be emptied.
#[derive(Debug)]
pub(crate) struct Lock<T>(Mutex<Option<T>>);

impl<T> Lock<T> {
    pub(crate) fn new(held: T) -> Self {
        Self(Mutex::new(Some(held)))
    }

    /// Hands what is held to `ask`.
    pub(crate) fn with<R>(&self, ask: impl FnOnce(&mut T) -> R) -> Result<R, DeltafoldError> {
        // A panic of ours has become an exception already, and the core has no state that it could leave half done.
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = || DeltafoldError::from(Error::new(Code::AfterFinish, 0, "the object is closed"));
        held.as_mut().map(ask).ok_or_else(closed)
    }

    /// The same for what can fail.
    pub(crate) fn attempt<R>(&self, ask: impl FnOnce(&mut T) -> Result<R, Error>) -> Result<R, DeltafoldError> {
        self.with(ask)?.map_err(DeltafoldError::from)
    }

    /// Lets go of what is held.
    pub(crate) fn release(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
