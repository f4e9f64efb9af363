//! Ids derived from the response's id: without randomness, and traceable to the id of the upstream.

use alloc::format;
use alloc::string::String;

/// Prefixes for the type of an object; one of them is removed from a source's id.
const PREFIXES: [&str; 7] = ["resp_", "msg_", "chatcmpl-", "cmpl-", "gen-", "thread_", "run_"];

/// Maximum number of characters kept from an id.
const LENGTH: usize = 48;

/// The part of a response id that item ids contain: without a known prefix, with `_` in place of other characters than letters,
/// digits, `_` and `-`, and at most the last 48 characters.
///
/// ```
/// use deltafold::write::suffix;
/// assert_eq!(suffix("chatcmpl-9a.b"), "9a_b");
/// ```
pub fn suffix(id: &str) -> String {
    let bare = PREFIXES.iter().find_map(|prefix| id.strip_prefix(prefix)).unwrap_or(id);
    let count = bare.chars().count();
    let safe = |char: char| if char.is_ascii_alphanumeric() || matches!(char, '_' | '-') { char } else { '_' };
    bare.chars().skip(count.saturating_sub(LENGTH)).map(safe).collect()
}

/// The response id for a source's id: `resp_` and its [`suffix`].
pub fn response_id(source: &str) -> String {
    format!("resp_{}", suffix(source))
}
