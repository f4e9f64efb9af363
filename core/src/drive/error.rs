//! [`ReadError`]: the error of an event source.

use core::fmt;

use crate::error::Error;

/// The error of an event source: the source itself failed, or the [`Reader`](crate::Reader) rejected its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError<E> {
    /// The source failed, for example because the connection broke.
    Source(E),
    /// A limit was exceeded, or the reader is strict and the stream broke a rule.
    Reader(Error),
}

impl<E> From<Error> for ReadError<E> {
    fn from(error: Error) -> Self {
        Self::Reader(error)
    }
}

impl<E> fmt::Display for ReadError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(_) => f.write_str("the source of the stream failed"),
            Self::Reader(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl<E: std::error::Error + 'static> std::error::Error for ReadError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Source(error) => Some(error),
            // Its text is that of this error.
            Self::Reader(error) => error.source(),
        }
    }
}
