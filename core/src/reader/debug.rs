//! The `Debug` text of a reader: its progress, never the content of the stream. Payloads can contain secrets.

use core::fmt;

use super::Reader;
use crate::outcome::Outcome;

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("events", &self.event_count())
            .field("offset", &self.offset())
            .field("last_sequence_number", &self.last_sequence_number())
            .field("items", &self.response().len())
            .field("findings", &self.all_findings().total())
            .field("outcome", &self.outcome().map(Outcome::name))
            .finish_non_exhaustive()
    }
}
