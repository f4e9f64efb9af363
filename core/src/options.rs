//! Options as JSON: the parser of all options objects.
//!
//! A binding passes its caller's options on unchanged, so that the names and the error messages are the same in every
//! language.

use alloc::format;
use alloc::string::String;

use crate::error::{Code, Error};
use crate::json::{Object, Value};
use crate::limits::Limits;

/// Declares a setter for each listed field of an options struct: `field: Type`, or `field: into Type` for a setter that converts its
/// argument.
macro_rules! setters {
    ($name:ident { $($rest:tt)* }) => {
        impl $name {
            setters!(@ $($rest)*);
        }
    };
    (@ $field:ident: into $type:ty $(, $($rest:tt)*)?) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
        #[must_use]
        pub fn $field(mut self, value: impl Into<$type>) -> Self {
            self.$field = value.into();
            self
        }
        setters!(@ $($($rest)*)?);
    };
    (@ $field:ident: $type:ty $(, $($rest:tt)*)?) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
        #[must_use]
        pub fn $field(mut self, value: $type) -> Self {
            self.$field = value;
            self
        }
        setters!(@ $($($rest)*)?);
    };
    (@) => {};
}
pub(crate) use setters;

/// Parses the text of an options object. An empty text means no options.
///
/// # Errors
///
/// [`Code::NotJson`] or [`Code::TooDeep`].
pub(crate) fn parse(text: &str) -> Result<Value, Error> {
    if text.is_empty() {
        return Ok(Value::Null);
    }
    Ok(Value::parse(text, Limits::default().depth)?)
}

/// Reads single options, with the same error messages for all of them. An option that is absent or `null` has its default.
#[derive(Clone, Copy, Debug)]
pub struct OptionReader<'a>(Option<&'a Object>);

impl<'a> OptionReader<'a> {
    /// Creates a reader of an object; `null` is an empty object.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`] for any other value.
    pub fn new(options: &'a Value) -> Result<Self, Error> {
        match options {
            Value::Object(object) => Ok(Self(Some(object))),
            Value::Null => Ok(Self(None)),
            _ => Err(Error::new(Code::BadArgument, 0, "expected the options to be an object")),
        }
    }

    /// Refuses unknown names, so that a misspelled option is not ignored.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownName`] with the first unknown name.
    pub fn check_names(&self, known: &[&str]) -> Result<(), Error> {
        for (name, _) in self.0.into_iter().flat_map(Object::iter) {
            if !known.contains(&name) {
                return Err(Error::new(
                    Code::UnknownName,
                    0,
                    format!("no option is called {name}; known options: {}", listed(known.iter().copied(), ", ")),
                ));
            }
        }
        Ok(())
    }

    /// Returns the value of an option.
    pub fn value(&self, name: &str) -> Option<&'a Value> {
        self.0?.get(name).filter(|value| !value.is_null())
    }

    /// Returns `true` if the option is given as `null`, for options where `null` differs from the default.
    pub fn is_null(&self, name: &str) -> bool {
        self.0.and_then(|options| options.get(name)).is_some_and(Value::is_null)
    }

    /// Returns an option that is a string.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`].
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, Error> {
        self.value(name).map(|value| value.as_str().ok_or_else(|| invalid_option(name, "a string"))).transpose()
    }

    /// Returns an option that is `true` or `false`.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`].
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Error> {
        self.value(name).map(|value| value.as_bool().ok_or_else(|| invalid_option(name, "true or false"))).transpose()
    }

    /// Returns an option that is an integer.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`].
    pub fn integer(&self, name: &str) -> Result<Option<i64>, Error> {
        self.value(name).map(|value| value.as_i64().ok_or_else(|| invalid_option(name, "a whole number"))).transpose()
    }

    /// Returns an option that is an integer and not negative.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`].
    pub fn count(&self, name: &str) -> Result<Option<u64>, Error> {
        self.value(name)
            .map(|value| value.as_u64().ok_or_else(|| invalid_option(name, "a whole number from 0")))
            .transpose()
    }

    /// Returns an option that is an object.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`].
    pub fn object(&self, name: &str) -> Result<Option<&'a Object>, Error> {
        self.value(name).map(|value| value.as_object().ok_or_else(|| invalid_option(name, "an object"))).transpose()
    }

    /// Returns an option that is one of several words: the index of the word, 0 if the option is absent.
    ///
    /// # Errors
    ///
    /// [`Code::BadArgument`].
    pub fn choice(&self, name: &str, words: &[&str]) -> Result<usize, Error> {
        let Some(word) = self.text(name)? else { return Ok(0) };
        words
            .iter()
            .position(|known| *known == word)
            .ok_or_else(|| invalid_option(name, &listed(words.iter().copied(), " or ")))
    }
}

/// Joins words with a separator.
pub(crate) fn listed<'a>(words: impl Iterator<Item = &'a str>, between: &str) -> String {
    let mut list = String::new();
    for word in words {
        if !list.is_empty() {
            list.push_str(between);
        }
        list.push_str(word);
    }
    list
}

pub(crate) fn invalid_option(name: &str, expected: &str) -> Error {
    Error::new(Code::BadArgument, 0, format!("expected {name} to be {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::Converter;
    use crate::json::PartialOptions;
    use crate::ReaderOptions;

    #[test]
    fn an_empty_text_and_an_empty_object_are_the_defaults() {
        for text in ["", "{}", "null"] {
            assert_eq!(Limits::from_json(text).unwrap(), Limits::default());
            assert_eq!(PartialOptions::from_json(text).unwrap(), PartialOptions::default());
            let (read, default) = (ReaderOptions::from_json(text).unwrap(), ReaderOptions::default());
            assert_eq!(read, default);
        }
    }

    #[cfg(feature = "validate")]
    #[test]
    fn every_option_is_read_and_unusable_values_are_refused() {
        let text = r#"{"strict":true,"quote":true,"ignore_terminal_snapshot":true,"derive_item_ids":true,"profile":{"name":"mine"},
            "edition":"split","layers":["framing","schema"],"images":"drop","starting_after":7,"limits":{"line_bytes":1,"frame_bytes":2,
            "buffered_bytes":3,"depth":4,"items":5,"parts":6,"response_bytes":7,"findings":8,"overflow":"drop"},
            "schemas":{"items":{"acme:x":{"type":"object"}}}}"#;
        let read = format!("{:?}", ReaderOptions::from_json(text).unwrap());
        for (word, value) in [
            ("strict", "true"),
            ("quote", "true"),
            ("ignore_terminal_snapshot", "true"),
            ("derive_item_ids", "true"),
            ("images", "Drop"),
            ("name", "\"mine\""),
            ("edition", "Some(Split)"),
            ("layers", "Layers(3)"),
            ("starting_after", "Some(7)"),
            ("line_bytes", "1"),
            ("frame_bytes", "2"),
            ("buffered_bytes", "3"),
            ("depth", "4"),
            ("items", "5"),
            ("parts", "6"),
            ("response_bytes", "7"),
            ("findings", "8"),
            ("overflow", "Drop"),
            ("items", "[(\"acme:x\""),
        ] {
            assert!(read.contains(&format!("{word}: {value}")), "{word} in {read}");
        }
        for (text, code) in [
            ("{", Code::NotJson),
            ("[]", Code::BadArgument),
            (r#"{"strickt":true}"#, Code::UnknownName),
            (r#"{"strict":1}"#, Code::BadArgument),
            (r#"{"profile":"nobody"}"#, Code::UnknownName),
            (r#"{"profile":7}"#, Code::BadArgument),
            (r#"{"edition":"1999"}"#, Code::UnknownName),
            (r#"{"layers":"some"}"#, Code::BadArgument),
            (r#"{"layers":["stream","steam"]}"#, Code::BadArgument),
            (r#"{"images":"burn"}"#, Code::BadArgument),
            (r#"{"starting_after":-1}"#, Code::BadArgument),
            (r#"{"limits":{"depth":1.5}}"#, Code::BadArgument),
            (r#"{"limits":{"deep":1}}"#, Code::UnknownName),
            (r#"{"schemas":{"tools":{}}}"#, Code::UnknownName),
            (r#"{"schemas":{"items":{"acme:x":{"pattern":"a"}}}}"#, Code::BadArgument),
        ] {
            assert_eq!(ReaderOptions::from_json(text).unwrap_err().code(), code, "{text}");
        }
        for (text, code) in [
            (r#"{"strings":"keep"}"#, Code::BadArgument),
            (r#"{"string":"omit"}"#, Code::UnknownName),
            (r#"{"record_changes":1}"#, Code::BadArgument),
        ] {
            assert_eq!(PartialOptions::from_json(text).unwrap_err().code(), code, "{text}");
        }
        for (text, code) in [
            ("{}", Code::BadArgument),
            (r#"{"to":"nobody"}"#, Code::UnknownName),
            (r#"{"to":"open-responses","framing":"xml"}"#, Code::BadArgument),
            (r#"{"to":"open-responses","options":{"what":1}}"#, Code::UnknownName),
            (r#"{"to":"open-responses","limits":{"what":1}}"#, Code::UnknownName),
        ] {
            assert_eq!(Converter::from_json(text).err().map(|error| error.code()), Some(code), "{text}");
        }
    }
}
