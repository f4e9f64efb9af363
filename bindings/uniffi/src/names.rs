//! Lists: versions, kinds, codes, profiles, dialects, rules in words.

use deltafold::adapter::{self, Dialect};
use deltafold::validate::Rule;
use deltafold::{Class, Code, Kind, Profile};

/// A code of an error.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct CodeInfo {
    /// The dotted name, such as `limit.line`.
    pub name: String,
    /// The number, which is never reused.
    pub number: i32,
    /// Whose fault: `limit`, `violation`, `misuse` or `malformed`.
    pub class: String,
    /// One sentence that says what happened.
    pub sentence: String,
}

/// A dialect that can be converted.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct DialectInfo {
    /// Its name.
    pub name: String,
    /// Whether it can be read.
    pub is_read: bool,
    /// Whether it can be written.
    pub is_written: bool,
}

/// A rule in words.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct RuleInfo {
    /// Its id.
    pub rule: String,
    /// MUST, SHOULD, schema or practice.
    pub level: String,
    /// The layer that sees it.
    pub layer: String,
    /// What it asks.
    pub says: String,
    /// Why.
    pub why: String,
}

/// The version of the library.
#[uniffi::export]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The wire names of all events of the contract, then `extension` and `unknown`.
#[uniffi::export]
pub fn kinds() -> Vec<String> {
    Kind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect()
}

/// Every code that an error can have.
#[uniffi::export]
pub fn codes() -> Vec<CodeInfo> {
    let info = |code: &Code| CodeInfo {
        name: code.name().to_owned(),
        number: i32::from(*code as u16),
        class: match code.class() {
            Class::Limit => "limit",
            Class::Violation => "violation",
            Class::Misuse => "misuse",
            _ => "malformed",
        }
        .to_owned(),
        sentence: code.sentence().to_owned(),
    };
    Code::ALL.iter().map(info).collect()
}

/// The names of the built-in profiles.
#[uniffi::export]
pub fn profiles() -> Vec<String> {
    Profile::names().map(ToOwned::to_owned).collect()
}

/// Every dialect.
#[uniffi::export]
pub fn dialects() -> Vec<DialectInfo> {
    let info = |dialect: &Dialect| DialectInfo {
        name: dialect.name().to_owned(),
        is_read: dialect.is_read(),
        is_written: dialect.is_written(),
    };
    Dialect::ALL.iter().map(info).collect()
}

/// The dialect that a stream starts like, if any.
#[uniffi::export]
pub fn detect_dialect(start: Vec<u8>) -> Option<String> {
    adapter::detect(&start).map(|dialect| dialect.name().to_owned())
}

/// A rule in words; null if there is no such rule.
#[uniffi::export]
pub fn explain(rule: &str) -> Option<RuleInfo> {
    let rule = Rule::from_id(rule)?;
    let words = rule.explain();
    Some(RuleInfo {
        rule: rule.id().to_owned(),
        level: rule.level().word().to_owned(),
        layer: rule.layer().name().to_owned(),
        says: words.says.to_owned(),
        why: words.why.to_owned(),
    })
}
