//! Lists: versions, kinds, codes, profiles, dialects, rules.

use deltafold::adapter::{self, Dialect};
use deltafold::validate::Rule;
use deltafold::{Code, ItemStatus, Kind, Profile};

/// A code of an error.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct CodeInfo {
    /// The dotted name, such as `limit.line`.
    pub name: String,
    /// The number. Numbers are never reused.
    pub number: i32,
    /// The class: `limit`, `violation`, `misuse` or `malformed`.
    pub class: String,
    /// A sentence that describes the error.
    pub sentence: String,
}

/// A dialect.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct DialectInfo {
    /// Its name.
    pub name: String,
    /// True if it can be a source.
    pub is_read: bool,
    /// True if it can be a target.
    pub is_written: bool,
}

/// The description of a rule.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct RuleInfo {
    /// Its id.
    pub rule: String,
    /// MUST, SHOULD, schema or practice.
    pub level: String,
    /// The layer that checks it.
    pub layer: String,
    /// The requirement.
    pub says: String,
    /// The reason.
    pub why: String,
}

/// The version of the library.
#[uniffi::export]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The wire names of all known events, then `extension` and `unknown`.
#[uniffi::export]
pub fn kinds() -> Vec<String> {
    Kind::ALL.iter().map(|kind| kind.name().to_owned()).collect()
}

/// All codes of errors.
#[uniffi::export]
pub fn codes() -> Vec<CodeInfo> {
    let info = |code: &Code| CodeInfo {
        name: code.name().to_owned(),
        number: i32::from(*code as u16),
        class: code.class().name().to_owned(),
        sentence: code.sentence().to_owned(),
    };
    Code::ALL.iter().map(info).collect()
}

/// The names of the built-in profiles.
#[uniffi::export]
pub fn profiles() -> Vec<String> {
    Profile::names().map(ToOwned::to_owned).collect()
}

/// All dialects.
#[uniffi::export]
pub fn dialects() -> Vec<DialectInfo> {
    let info = |dialect: &Dialect| DialectInfo {
        name: dialect.name().to_owned(),
        is_read: dialect.is_read(),
        is_written: dialect.is_written(),
    };
    Dialect::ALL.iter().map(info).collect()
}

/// Detects the dialect of a stream from its first bytes.
#[uniffi::export]
pub fn detect_dialect(start: Vec<u8>) -> Option<String> {
    adapter::detect(&start).map(|dialect| dialect.name().to_owned())
}

/// Whether a name can be the type of an extension event or item: `slug:name`, with letters, digits, `_`, `-` and `.`.
#[uniffi::export]
pub fn is_valid_extension_type(name: &str) -> bool {
    deltafold::is_valid_extension_type(name)
}

/// Whether a status of an item is final: no further event changes the item. False for a word that is no status.
#[uniffi::export]
pub fn is_terminal_status(status: &str) -> bool {
    ItemStatus::from_name(status).is_some_and(ItemStatus::is_terminal)
}

/// Whether a status of an item says that the item is complete. False for a word that is no status.
#[uniffi::export]
pub fn is_success_status(status: &str) -> bool {
    ItemStatus::from_name(status).is_some_and(ItemStatus::is_success)
}

/// The description of a rule; null if there is no such rule.
#[uniffi::export]
pub fn explain(rule: &str) -> Option<RuleInfo> {
    let rule = Rule::from_id(rule)?;
    let words = rule.explain();
    Some(RuleInfo {
        rule: rule.id().to_owned(),
        level: rule.level().name().to_owned(),
        layer: rule.layer().name().to_owned(),
        says: words.statement.to_owned(),
        why: words.reason.to_owned(),
    })
}
