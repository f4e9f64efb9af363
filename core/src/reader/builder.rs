//! How a reader is described.

use super::Reader;
use crate::accumulate::{AccumulateOptions, Images};
use crate::event::Levels;
use crate::finding::Weights;
use crate::limits::Limits;

/// What a [`Reader`] does, as data.
#[derive(Clone, Debug, Default)]
pub struct ReaderOptions {
    /// Bounds on memory, depth and count.
    pub limits: Limits,
    /// End reading at the first finding that is an error.
    pub strict: bool,
    /// How the response is accumulated.
    pub accumulate: AccumulateOptions,
    /// Which levels of the event parser are used; all give the same events.
    pub levels: Levels,
}

impl ReaderOptions {
    pub(super) fn weights(&self) -> Weights {
        Weights::by_level()
    }
}

/// Builds a [`Reader`] step by step.
#[derive(Clone, Debug, Default)]
pub struct ReaderBuilder {
    options: ReaderOptions,
}

impl ReaderBuilder {
    /// Ends reading at the first finding that is an error.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.options.strict = true;
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Rebuilds the response from the events alone; the terminal snapshot only says how it ended.
    #[must_use]
    pub fn without_terminal(mut self) -> Self {
        self.options.accumulate.without_terminal = true;
        self
    }

    /// Sets what happens to preview images.
    #[must_use]
    pub fn images(mut self, images: Images) -> Self {
        self.options.accumulate.images = images;
        self
    }

    /// Sets how the response is accumulated.
    #[must_use]
    pub fn accumulate(mut self, options: AccumulateOptions) -> Self {
        self.options.accumulate = options;
        self
    }

    /// Sets which levels of the event parser are used; all give the same events.
    #[must_use]
    pub fn levels(mut self, levels: Levels) -> Self {
        self.options.levels = levels;
        self
    }

    /// Makes the reader.
    pub fn build(self) -> Reader {
        Reader::with_options(self.options)
    }
}
