//! Real recordings: their list, and access to them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::shared;

/// One recording: its entry in the manifest, and its bytes.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its name in the manifest, such as `responses/x.sse`.
    pub file: String,
    /// The recording's entry in the manifest.
    pub facts: Value,
    path: PathBuf,
}

impl Recording {
    /// Reads its bytes.
    ///
    /// # Panics
    ///
    /// If the file cannot be read.
    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }

    /// Returns `true` if the source project removed events from it.
    pub fn is_abridged(&self) -> bool {
        self.facts["authenticity"].as_str().is_some_and(|text| text.contains("abridged"))
    }
}

/// Returns the recordings in a folder of the corpus; none, with a message, if the corpus is missing.
///
/// # Panics
///
/// If the manifest cannot be read, or lists a file that is missing.
pub fn recordings(test: &str, folder: &str) -> Vec<Recording> {
    let Some(root) = shared(test, "corpus") else { return Vec::new() };
    let manifest = std::fs::read_to_string(root.join("manifest.json")).expect("the corpus has a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("the manifest is JSON");
    let files = manifest["files"].as_array().expect("the manifest lists files");
    let all: Vec<Recording> = files
        .iter()
        .filter_map(|facts| {
            let file = facts["file"].as_str()?.to_owned();
            let path = root.join(&file);
            assert!(path.exists(), "{file} is in the manifest and not in the corpus");
            file.starts_with(&format!("{folder}/")).then(|| Recording { file, facts: facts.clone(), path })
        })
        .collect();
    assert!(!all.is_empty(), "no recordings in {folder}");
    all
}

/// A reviewed list of exceptions: file and reason. A test fails if an exception of its list is not used.
#[derive(Debug)]
pub struct Exceptions {
    list: &'static str,
    reasons: BTreeMap<String, String>,
    used: BTreeMap<String, bool>,
}

impl Exceptions {
    /// Loads one list of `tests/corpus-exceptions.json`.
    ///
    /// # Panics
    ///
    /// If the file is invalid.
    pub fn load(list: &'static str) -> Self {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus-exceptions.json");
        let text = std::fs::read_to_string(&path).expect("tests/corpus-exceptions.json is there");
        let value: Value = serde_json::from_str(&text).expect("tests/corpus-exceptions.json is JSON");
        let entries = value[list].as_object().unwrap_or_else(|| panic!("no list `{list}`"));
        let reasons: BTreeMap<_, _> =
            entries.iter().map(|(file, reason)| (file.clone(), reason.as_str().unwrap_or("").to_owned())).collect();
        assert!(reasons.values().all(|reason| !reason.is_empty()), "every exception in `{list}` has a reason");
        let used = reasons.keys().map(|file| (file.clone(), false)).collect();
        Self { list, reasons, used }
    }

    /// Returns `true` if a key is in the list, and marks it as used.
    pub fn covers(&mut self, key: &str) -> bool {
        match self.used.get_mut(key) {
            Some(used) => {
                *used = true;
                true
            }
            None => false,
        }
    }

    /// Fails if an exception was not used.
    ///
    /// # Panics
    ///
    /// If an exception is stale.
    pub fn finish(self) {
        let stale: Vec<_> = self.used.iter().filter(|(_, used)| !**used).map(|(file, _)| file).collect();
        assert!(stale.is_empty(), "stale entries in `{}`: {stale:?} ({} listed)", self.list, self.reasons.len());
    }
}
