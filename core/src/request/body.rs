//! The bodies of requests.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::choice::Choice;
use super::parts::{InputItem, Tool};
use crate::contract::Edition;
use crate::error::{Code, Error};
use crate::finding::Finding;
use crate::json::{Object, Value};
use crate::limits::Limits;
use crate::validate::{validate_compact_request, validate_request, validate_token_count};

/// Methods that all bodies share: an object that keeps everything unchanged.
macro_rules! body {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            fields: Object,
        }

        impl $name {
            /// Makes an empty body.
            pub fn new() -> Self {
                Self::default()
            }

            /// Reads a body. Everything is kept: unknown fields, the order of fields, the notation of numbers.
            ///
            /// # Errors
            ///
            /// [`Code::NotJson`] or [`Code::TooDeep`] for text that cannot be parsed, [`Code::BadArgument`] if it is not an
            /// object. `check` reports faults inside the object.
            pub fn from_json(json: &str) -> Result<Self, Error> {
                Self::from_value(Value::parse(json, Limits::default().depth)?)
            }

            /// Takes a body that was parsed.
            ///
            /// # Errors
            ///
            /// [`Code::BadArgument`] if the value is not an object.
            pub fn from_value(value: Value) -> Result<Self, Error> {
                match value {
                    Value::Object(fields) => Ok(Self { fields }),
                    _ => Err(Error::new(Code::BadArgument, 0, "expected a body that is an object")),
                }
            }

            /// Sets a field, known or not.
            #[must_use]
            pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
                self.fields.insert(field, value);
                self
            }

            /// Removes a field.
            #[must_use]
            pub fn without(mut self, field: &str) -> Self {
                self.fields.remove(field);
                self
            }

            /// A field; `None` if it is absent or null.
            pub fn get(&self, field: &str) -> Option<&Value> {
                self.fields.get(field).filter(|value| !value.is_null())
            }

            /// All fields.
            pub fn as_object(&self) -> &Object {
                &self.fields
            }

            /// Fields that are in no edition of the contract.
            pub fn unknown(&self) -> impl Iterator<Item = (&str, &Value)> {
                self.fields.iter().filter(|(name, _)| !Self::FIELDS.contains(name))
            }

            /// The body as JSON text.
            pub fn to_json(&self) -> String {
                self.to_string()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut out = String::new();
                self.fields.write_into(&mut out);
                f.write_str(&out)
            }
        }

        impl From<$name> for Value {
            fn from(body: $name) -> Self {
                Self::Object(body.fields)
            }
        }
    };
}

body! {
    /// The body of `POST /responses`.
    ///
    /// Every field of the contract has a getter and a setter; [`get`](Self::get) and [`with`](Self::with) reach all others.
    ///
    /// ```
    /// use deltafold::request::{CreateResponse, InputItem, InputPart, Tool, ToolChoice};
    /// use deltafold::Edition;
    ///
    /// let request = CreateResponse::new()
    ///     .with_model("m-1")
    ///     .with_item(InputItem::user_message(vec![InputPart::input_text("Is it raining?").into()]))
    ///     .with_tool(Tool::function("get_weather").with("strict", true))
    ///     .with_tool_choice(ToolChoice::function("get_weather"))
    ///     .with_max_output_tokens(64)
    ///     .with("acme:trace", "on");
    /// assert!(request.check(Edition::default())?.is_empty());
    ///
    /// let text = request.to_json();
    /// let read = CreateResponse::from_json(&text)?;
    /// assert_eq!((read.model(), read.max_output_tokens()), (Some("m-1"), Some(64)));
    /// assert_eq!(read.unknown().map(|(name, _)| name).collect::<Vec<_>>(), ["acme:trace"]);
    /// assert_eq!(read.to_json(), text);
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    CreateResponse
}

body! {
    /// The body of `POST /responses/compact`.
    CompactResponse
}

body! {
    /// The body of `POST /responses/input_tokens`, which counts what a request would cost.
    TokenCount
}

/// The value of `input`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RequestInput<'a> {
    /// A text, which counts as a message of the user.
    Text(&'a str),
    /// Items in their JSON form.
    Items(&'a [Value]),
}

impl<'a> RequestInput<'a> {
    fn of(value: Option<&'a Value>) -> Option<Self> {
        match value? {
            Value::String(text) => Some(Self::Text(text)),
            Value::Array(items) => Some(Self::Items(items)),
            _ => None,
        }
    }

    /// Converts to items; a text becomes one message of the user.
    pub fn to_items(self) -> Vec<Value> {
        match self {
            Self::Text(text) => alloc::vec![InputItem::user_message(text).into()],
            Self::Items(items) => items.to_vec(),
        }
    }
}

impl CreateResponse {
    /// `input`, if it is a text or a list.
    pub fn input(&self) -> Option<RequestInput<'_>> {
        RequestInput::of(self.get("input"))
    }

    /// The input as items; none if there is no input.
    pub fn input_items(&self) -> Vec<Value> {
        self.input().map_or_else(Vec::new, RequestInput::to_items)
    }

    /// Adds an item to the input. An existing text becomes a message first.
    #[must_use]
    pub fn with_item(mut self, item: impl Into<Value>) -> Self {
        let mut items = self.input_items();
        items.push(item.into());
        self.fields.insert("input", items);
        self
    }

    /// The tools in their JSON form.
    pub fn tools(&self) -> &[Value] {
        self.get("tools").and_then(Value::as_array).unwrap_or_default()
    }

    /// Adds a tool.
    #[must_use]
    pub fn with_tool(mut self, tool: Tool) -> Self {
        let mut tools = self.tools().to_vec();
        tools.push(tool.into());
        self.fields.insert("tools", tools);
        self
    }

    /// The tools that the model may call. A missing or invalid choice is `auto`.
    pub fn tool_choice(&self) -> Choice<'_> {
        Choice::of(self.get("tool_choice"))
    }

    /// Checks the body against its schema and the rules.
    ///
    /// # Errors
    ///
    /// [`Code::TooDeep`] if the body is nested too deep.
    pub fn check(&self, edition: Edition) -> Result<Vec<Finding>, Error> {
        validate_request(&self.to_json(), edition)
    }
}

impl CompactResponse {
    /// `input`, if it is a text or a list.
    pub fn input(&self) -> Option<RequestInput<'_>> {
        RequestInput::of(self.get("input"))
    }

    /// Checks the body against its schema.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownName`] if the edition has no compaction, [`Code::TooDeep`].
    pub fn check(&self, edition: Edition) -> Result<Vec<Finding>, Error> {
        validate_compact_request(&self.to_json(), edition)
    }
}

impl TokenCount {
    /// `input`, if it is a text or a list.
    pub fn input(&self) -> Option<RequestInput<'_>> {
        RequestInput::of(self.get("input"))
    }

    /// The tools in their JSON form.
    pub fn tools(&self) -> &[Value] {
        self.get("tools").and_then(Value::as_array).unwrap_or_default()
    }

    /// The tools that the model may call.
    pub fn tool_choice(&self) -> Choice<'_> {
        Choice::of(self.get("tool_choice"))
    }

    /// The fields of a request that affect its token count; both bodies have them.
    pub fn of(request: &CreateResponse) -> Self {
        let known = |(name, _): &(&str, &Value)| Self::FIELDS.contains(name);
        let fields = request.as_object().iter().filter(known);
        Self { fields: fields.map(|(name, value)| (name.to_string(), value.clone())).collect() }
    }

    /// Checks the body against its schema.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownName`] if the edition has no token count, [`Code::TooDeep`].
    pub fn check(&self, edition: Edition) -> Result<Vec<Finding>, Error> {
        validate_token_count(&self.to_json(), edition)
    }
}
