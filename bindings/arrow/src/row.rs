//! [`RowBuilder`]: what each operation does with a row.

use arrow_array::ArrayRef;
use deltafold::adapter::Dialect;
use deltafold::Error;

/// Builds the result of one range of rows.
pub(crate) trait RowBuilder {
    /// Appends the result of a body; if no dialect is given, it is detected.
    fn append(&mut self, body: &[u8], dialect: Option<Dialect>);

    /// Appends null.
    fn append_null(&mut self);

    /// Appends a body that cannot be read at all.
    fn append_unread(&mut self, body: &[u8], error: &Error);

    /// Bytes in the largest array.
    fn bytes(&self) -> usize;

    /// Returns the rows so far and starts an empty result.
    fn finish(&mut self) -> ArrayRef;
}
