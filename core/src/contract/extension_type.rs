//! Names of extension types.

/// Returns `true` if a type of an event, item or tool has the form of an extension: `slug:name`, where slug and name consist of
/// ASCII letters, digits, `_`, `-` and `.`.
///
/// The [`Writer`](crate::Writer) and validation use this rule. Reading is tolerant: the data of any other name is kept too.
///
/// ```
/// use deltafold::is_valid_extension_type;
/// assert!(is_valid_extension_type("acme:search_result"));
/// assert!(!is_valid_extension_type("search_result") && !is_valid_extension_type("acme:search result"));
/// ```
pub fn is_valid_extension_type(name: &str) -> bool {
    let is_plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    };
    name.split_once(':').is_some_and(|(slug, rest)| is_plain(slug) && is_plain(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_type_is_slug_and_name_in_plain_characters() {
        assert!(is_valid_extension_type("acme:x") && is_valid_extension_type("a-b:c_d.e"));
        for name in ["message", ":x", "acme:", "acme:x y", "acme:\n", "a:b:c", "acme:\"", "ä:b"] {
            assert!(!is_valid_extension_type(name), "{name}");
        }
    }
}
