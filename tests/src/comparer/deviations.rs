//! The features that a binding may lack, from `tests/deviations.json`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::Vector;

/// The entries for one runner: a case, a file or a command, and whether the entry was used.
#[derive(Debug, Default)]
pub struct Deviations(BTreeMap<String, bool>);

impl Deviations {
    /// Loads the entries for a runner.
    ///
    /// # Panics
    ///
    /// If the file is invalid, or an entry has no reason.
    pub fn load(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deviations.json");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let all: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::from_value(&all[name])
    }

    /// Reads the entries from an object that maps each feature to its reason.
    ///
    /// # Panics
    ///
    /// If an entry has no reason.
    pub fn from_value(lines: &Value) -> Self {
        let lines = lines.as_object().cloned().unwrap_or_default();
        for (what, reason) in &lines {
            assert!(reason.as_str().is_some_and(|reason| !reason.is_empty()), "{what} has no reason");
        }
        Self(lines.into_iter().map(|(what, _)| (what, false)).collect())
    }

    pub(super) fn has_word(&self, word: &str) -> bool {
        self.0.contains_key(&format!("word {word}"))
    }

    pub(super) fn note_word(&mut self, word: &str, missing: bool) {
        if let Some(used) = self.0.get_mut(&format!("word {word}")) {
            *used |= missing;
        }
    }

    pub(super) fn covers(&mut self, vector: &Vector, differs: bool) -> bool {
        for what in [vector.to_string(), vector.file.clone()] {
            if let Some(used) = self.0.get_mut(&what) {
                *used |= differs;
                return true;
            }
        }
        false
    }

    pub(super) fn stale(&self) -> Vec<&str> {
        self.0.iter().filter(|(_, used)| !**used).map(|(what, _)| what.as_str()).collect()
    }
}
