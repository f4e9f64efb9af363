//! The elements of a request: items, parts of messages, tools and tool choices, each an object with a type.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Code, Error};
use crate::json::{Object, Value};

/// Methods that all of them share.
macro_rules! variant {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name(Object);

        impl $name {
            /// Makes one of any type, an extension too; add fields with [`with`](Self::with).
            pub fn named(kind: impl Into<String>) -> Self {
                let mut fields = Object::new();
                fields.push("type", kind.into());
                Self(fields)
            }

            /// Takes one in its JSON form.
            ///
            /// # Errors
            ///
            /// [`Code::BadArgument`] if the value is not an object.
            pub fn from_value(value: Value) -> Result<Self, Error> {
                match value {
                    Value::Object(fields) => Ok(Self(fields)),
                    _ => Err(Error::new(Code::BadArgument, 0, "expected an object")),
                }
            }

            /// Sets a field.
            #[must_use]
            pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
                self.0.insert(field, value);
                self
            }

            /// Its `type`; empty if it has none.
            pub fn kind(&self) -> &str {
                self.0.get("type").and_then(Value::as_str).unwrap_or_default()
            }

            /// A field.
            pub fn get(&self, field: &str) -> Option<&Value> {
                self.0.get(field)
            }

            /// All fields.
            pub fn as_object(&self) -> &Object {
                &self.0
            }
        }

        impl From<$name> for Value {
            fn from(variant: $name) -> Self {
                Self::Object(variant.0)
            }
        }
    };
}

variant! {
    /// An item of the input. There is a constructor for each type of the contract, with the required fields.
    InputItem
}

variant! {
    /// A part of a message or of a tool's output.
    InputPart
}

variant! {
    /// A tool that the model may call.
    Tool
}

variant! {
    /// A `format` of `text`.
    TextFormat
}

impl TextFormat {
    /// Plain text.
    pub fn text() -> Self {
        Self::named("text")
    }

    /// Any JSON object.
    pub fn json_object() -> Self {
        Self::named("json_object")
    }

    /// JSON that follows a schema.
    pub fn json_schema(name: impl Into<String>, schema: impl Into<Value>) -> Self {
        Self::named("json_schema").with("name", name.into()).with("schema", schema)
    }
}

/// The tools that the model may call: a word, one tool, or a list of allowed tools.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolChoice(Value);

impl ToolChoice {
    /// The model decides.
    pub fn auto() -> Self {
        Self(Value::from("auto"))
    }

    /// No tool.
    pub fn none() -> Self {
        Self(Value::from("none"))
    }

    /// At least one tool.
    pub fn required() -> Self {
        Self(Value::from("required"))
    }

    /// Only tools of this list, which may be shorter than `tools`.
    pub fn allowed(tools: impl IntoIterator<Item = Self>, mode: Option<&str>) -> Self {
        let tools: Vec<Value> = tools.into_iter().map(Value::from).collect();
        let choice = Self::named("allowed_tools").with("tools", tools);
        match mode {
            Some(mode) => choice.with("mode", mode),
            None => choice,
        }
    }

    /// A choice of any type; add fields with [`with`](Self::with).
    pub fn named(kind: impl Into<String>) -> Self {
        let mut fields = Object::new();
        fields.push("type", kind.into());
        Self(Value::Object(fields))
    }

    /// Sets a field. Without effect on a word.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        if let Value::Object(fields) = &mut self.0 {
            fields.insert(field, value);
        }
        self
    }
}

impl From<ToolChoice> for Value {
    fn from(choice: ToolChoice) -> Self {
        choice.0
    }
}
