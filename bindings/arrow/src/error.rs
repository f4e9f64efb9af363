//! [`BatchError`]: why a whole batch was refused. A row never causes one.

use std::fmt;

use arrow_schema::{ArrowError, DataType};

/// Why a batch was refused or stopped.
#[derive(Debug)]
#[non_exhaustive]
pub enum BatchError {
    /// The column of bodies has another type than bytes or text.
    BodyType(DataType),
    /// The column of dialects has another type than text.
    DialectType(DataType),
    /// The column of dialects has another length than the column of bodies.
    Length {
        /// Rows of the column of bodies.
        bodies: usize,
        /// Rows of the column of dialects.
        dialects: usize,
    },
    /// No column has this name.
    UnknownColumn(String),
    /// The options are invalid.
    Options(deltafold::Error),
    /// The observer stopped the batch.
    Stopped,
    /// The result does not fit into one array: its texts exceed 2 GiB. The chunks of the result are usable.
    TooLarge,
    /// A column of another library cannot be read.
    Import(String),
    /// An error of the Arrow library.
    Arrow(ArrowError),
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BodyType(DataType::Struct(_)) => {
                f.write_str("expected one column of bodies, found a table or a struct; pass the column that has the bodies")
            }
            Self::BodyType(found) => write!(
                f,
                "expected a column of bytes or text (binary, string, their large and view types, or a dictionary of them), found {found}"
            ),
            Self::DialectType(found) => write!(f, "expected the dialects as a column of text, found {found}"),
            Self::Length { bodies, dialects } => {
                write!(f, "expected a dialect for each of the {bodies} bodies, found {dialects} dialects")
            }
            Self::UnknownColumn(name) => {
                let known = crate::FoldColumn::ALL.iter().map(|column| column.name()).collect::<Vec<_>>().join(", ");
                write!(f, "no column is called {name}; known columns: {known}")
            }
            Self::Options(error) => error.fmt(f),
            Self::Stopped => f.write_str("the batch was stopped"),
            Self::TooLarge => {
                f.write_str("the texts of the result exceed 2 GiB, the limit of one array; read the result as a stream of chunks")
            }
            Self::Import(reason) => write!(f, "the column cannot be read: {reason}"),
            Self::Arrow(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BatchError {}

impl From<deltafold::Error> for BatchError {
    fn from(error: deltafold::Error) -> Self {
        Self::Options(error)
    }
}

impl From<ArrowError> for BatchError {
    fn from(error: ArrowError) -> Self {
        Self::Arrow(error)
    }
}
