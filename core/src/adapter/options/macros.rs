//! The macros that turn one row per option into a struct field, a setter, a reader and a row of the table.

/// Declares an enum whose variants are words of an option, with one sentence per word.
macro_rules! option_words {
    (
        $(#[doc = $about:literal])+
        $name:ident { $first:ident = $first_word:literal, $first_meaning:literal; $($variant:ident = $word:literal, $meaning:literal;)* }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            #[doc = concat!("`", $first_word, "`: ", $first_meaning, ".")]
            #[default]
            $first,
            $(#[doc = concat!("`", $word, "`: ", $meaning, ".")] $variant,)*
        }

        impl $name {
            /// Every word with its meaning; the first is the default.
            pub const WORDS: &'static [(&'static str, &'static str)] =
                &[($first_word, $first_meaning), $(($word, $meaning),)*];

            /// The word in an options object.
            pub fn name(self) -> &'static str {
                match self { Self::$first => $first_word, $(Self::$variant => $word,)* }
            }

        }

        impl core::fmt::Display for $name {
            /// Writes the word.
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }

        impl core::str::FromStr for $name {
            type Err = Error;

            /// Reads a word; the error lists the known words.
            fn from_str(word: &str) -> Result<Self, Error> {
                match word {
                    $first_word => Ok(Self::$first),
                    $($word => Ok(Self::$variant),)*
                    _ => Err(super::unknown_word(word, Self::WORDS)),
                }
            }
        }
    };
}

/// The Rust type of an option.
macro_rules! option_field {
    (string) => { String };
    (optional_string) => { Option<String> };
    (nullable_string) => { Option<String> };
    (boolean) => { bool };
    (integer) => { i64 };
    (object) => { Object };
    (edition) => { Edition };
    (words $words:ident) => { $words };
}

/// The setter of an option.
macro_rules! option_setter {
    ($name:ident, $meaning:literal, string) => {
        #[doc = concat!("Sets `", stringify!($name), "`: ", $meaning, ".")]
        #[must_use]
        pub fn $name(mut self, value: impl Into<String>) -> Self {
            self.$name = value.into();
            self
        }
    };
    ($name:ident, $meaning:literal, optional_string) => {
        #[doc = concat!("Sets `", stringify!($name), "`: ", $meaning, ".")]
        #[must_use]
        pub fn $name(mut self, value: impl Into<String>) -> Self {
            self.$name = Some(value.into());
            self
        }
    };
    ($name:ident, $meaning:literal, nullable_string) => {
        #[doc = concat!("Sets `", stringify!($name), "`: ", $meaning, ".")]
        #[must_use]
        pub fn $name(mut self, value: Option<&str>) -> Self {
            self.$name = value.map(String::from);
            self
        }
    };
    ($name:ident, $meaning:literal, $kind:ident $($words:ident)?) => {
        #[doc = concat!("Sets `", stringify!($name), "`: ", $meaning, ".")]
        #[must_use]
        pub fn $name(mut self, value: option_field!($kind $($words)?)) -> Self {
            self.$name = value;
            self
        }
    };
}

/// Reads an option into its field; the field keeps its default if the option is absent or `null`.
macro_rules! option_read {
    ($reader:ident, $name:ident, $field:expr, string) => {
        if let Some(text) = $reader.text(stringify!($name))? {
            $field = text.into();
        }
    };
    ($reader:ident, $name:ident, $field:expr, optional_string) => {
        if let Some(text) = $reader.text(stringify!($name))? {
            $field = Some(text.into());
        }
    };
    ($reader:ident, $name:ident, $field:expr, nullable_string) => {
        if $reader.is_null(stringify!($name)) {
            $field = None;
        } else if let Some(text) = $reader.text(stringify!($name))? {
            $field = Some(text.into());
        }
    };
    ($reader:ident, $name:ident, $field:expr, boolean) => {
        if let Some(value) = $reader.flag(stringify!($name))? {
            $field = value;
        }
    };
    ($reader:ident, $name:ident, $field:expr, integer) => {
        if let Some(value) = $reader.integer(stringify!($name))? {
            $field = value;
        }
    };
    ($reader:ident, $name:ident, $field:expr, object) => {
        if let Some(value) = $reader.object(stringify!($name))? {
            $field = value.clone();
        }
    };
    ($reader:ident, $name:ident, $field:expr, edition) => {
        if let Some(name) = $reader.text(stringify!($name))? {
            $field = Edition::from_name(name).ok_or_else(|| super::invalid_word(stringify!($name), EDITIONS))?;
        }
    };
    ($reader:ident, $name:ident, $field:expr, words $words:ident) => {
        if let Some(word) = $reader.text(stringify!($name))? {
            $field = word.parse::<$words>().map_err(|_| super::invalid_word(stringify!($name), $words::WORDS))?;
        }
    };
}

/// The type of an option in the table.
macro_rules! option_type {
    (string) => {
        OptionType::String
    };
    (optional_string) => {
        OptionType::String
    };
    (nullable_string) => {
        OptionType::StringOrNull
    };
    (boolean) => {
        OptionType::Boolean
    };
    (integer) => {
        OptionType::Integer
    };
    (object) => {
        OptionType::Object
    };
    (edition) => {
        OptionType::Words(EDITIONS)
    };
    (words $words:ident) => {
        OptionType::Words($words::WORDS)
    };
}

/// Declares an options struct and its rows of the table.
///
/// A row is: name, kind, default as an expression, default as text, dialects, dialects that require it, meaning.
macro_rules! adapter_options {
    (
        $(#[doc = $about:literal])+
        $name:ident, $rows:ident, $direction:ident;
        $($field:ident: $kind:ident $($words:ident)? = $default:expr, $shown:literal, $dialects:expr, required $required:expr, $meaning:literal;)*
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $(#[doc = concat!("`", stringify!($field), "`: ", $meaning, ". Default: ", $shown, ".")]
            pub $field: option_field!($kind $($words)?),)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $name {
            $(option_setter!($field, $meaning, $kind $($words)?);)*

            /// Reads these options from an object that may also have options of other adapters.
            ///
            /// # Errors
            ///
            /// [`Code::BadArgument`](crate::Code::BadArgument) for a value of the wrong type.
            pub fn from_value(options: &Value) -> Result<Self, Error> {
                let reader = OptionReader::new(options)?;
                let mut all = Self::default();
                $(option_read!(reader, $field, all.$field, $kind $($words)?);)*
                Ok(all)
            }
        }

        pub(super) const $rows: &[OptionSpec] = &[$(OptionSpec {
            name: stringify!($field),
            value: option_type!($kind $($words)?),
            default: $shown,
            meaning: $meaning,
            direction: Direction::$direction,
            dialects: $dialects,
            required: $required,
        },)*];
    };
}
