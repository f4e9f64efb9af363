//! [`Lock`]: exclusive access to the contents of an object, until `release`.

use std::sync::{Mutex, PoisonError};

use deltafold::{Code, Error};

use crate::error::DeltafoldError;

/// The contents of an object in a mutex that can be emptied.
#[derive(Debug)]
pub(crate) struct Lock<T>(Mutex<Option<T>>);

impl<T> Lock<T> {
    pub(crate) fn new(contents: T) -> Self {
        Self(Mutex::new(Some(contents)))
    }

    /// Calls `body` with the contents.
    pub(crate) fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> Result<R, DeltafoldError> {
        // UniFFI raised the panic that poisoned the lock as an exception, and the core keeps its state valid.
        let mut contents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = || DeltafoldError::from(Error::new(Code::AfterFinish, 0, "the object is closed"));
        contents.as_mut().map(body).ok_or_else(closed)
    }

    /// Calls a fallible `body` with the contents.
    pub(crate) fn attempt<R>(&self, body: impl FnOnce(&mut T) -> Result<R, Error>) -> Result<R, DeltafoldError> {
        self.with(body)?.map_err(DeltafoldError::from)
    }

    /// Drops the contents.
    pub(crate) fn release(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
