//! The response so far: a live view of a reader, and copies of its items.

use std::sync::Arc;

use deltafold::json::{Object, Value};

use crate::error::DeltafoldError;
use crate::int;
use crate::lock::Lock;
use crate::reader::ReaderState;

/// The response so far, as a live view: each call reads the current state of the reader.
#[derive(Debug, uniffi::Object)]
pub struct Response(Arc<Lock<ReaderState>>);

/// A copy of an output item.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Item {
    /// Its type, such as `message` or `function_call`.
    pub r#type: String,
    /// Its id; empty without one.
    pub id: String,
    /// Its status; empty without one.
    pub status: String,
    /// The id of a call; empty without one.
    pub call_id: String,
    /// The name of the tool; empty without one.
    pub name: String,
    /// The arguments of a call so far, as text.
    pub arguments: String,
    /// The concatenated text.
    pub text: String,
    /// True if the item is done.
    pub is_done: bool,
    /// The content parts.
    pub parts: Vec<Part>,
    /// The summary parts of reasoning.
    pub summary: Vec<Part>,
    /// The whole item as JSON text.
    pub json: String,
}

/// One part of an item.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Part {
    /// Its type, such as `output_text`.
    pub r#type: String,
    /// Its text so far.
    pub text: String,
}

/// Token counts. Counts that a server did not report are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Usage {
    /// Input tokens, including cached ones.
    pub input_tokens: i64,
    /// Output tokens, including reasoning.
    pub output_tokens: i64,
    /// Input plus output; a writer computes it.
    #[uniffi(default = 0)]
    pub total_tokens: i64,
    /// Input tokens read from a cache.
    #[uniffi(default = 0)]
    pub cached_tokens: i64,
    /// Output tokens of reasoning.
    #[uniffi(default = 0)]
    pub reasoning_tokens: i64,
    /// Input tokens written to a cache; null if the server does not report them.
    #[uniffi(default = None)]
    pub cache_write_tokens: Option<i64>,
}

impl Usage {
    pub(crate) fn of(usage: deltafold::write::Usage) -> Self {
        Self {
            input_tokens: int(usage.input_tokens),
            output_tokens: int(usage.output_tokens),
            total_tokens: int(usage.total_tokens()),
            cached_tokens: int(usage.cached_tokens),
            reasoning_tokens: int(usage.reasoning_tokens),
            cache_write_tokens: usage.cache_write_tokens.map(int),
        }
    }

    /// The counts as the object that an intent takes.
    pub(crate) fn to_value(self) -> Value {
        let mut input_details = Object::new();
        input_details.push("cached_tokens", self.cached_tokens);
        if let Some(written) = self.cache_write_tokens {
            input_details.push("cache_write_tokens", written);
        }
        let mut output_details = Object::new();
        output_details.push("reasoning_tokens", self.reasoning_tokens);
        let mut usage = Object::new();
        usage.push("input_tokens", self.input_tokens);
        usage.push("output_tokens", self.output_tokens);
        usage.push("input_tokens_details", input_details);
        usage.push("output_tokens_details", output_details);
        Value::Object(usage)
    }
}

impl Response {
    pub(crate) fn new(state: Arc<Lock<ReaderState>>) -> Self {
        Self(state)
    }

    fn read<R>(&self, read: impl FnOnce(deltafold::Response<'_>) -> R) -> Result<R, DeltafoldError> {
        self.0.with(|state| read(state.core.response()))
    }

    fn item_at<R>(
        &self,
        at: i64,
        read: impl FnOnce(deltafold::Item<'_>) -> Option<R>,
    ) -> Result<Option<R>, DeltafoldError> {
        self.read(|response| usize::try_from(at).ok().and_then(|at| response.item(at)).and_then(read))
    }
}

#[uniffi::export]
impl Response {
    /// The id; empty before it is known.
    pub fn id(&self) -> Result<String, DeltafoldError> {
        self.read(|response| response.id().unwrap_or_default().to_owned())
    }

    /// The status; empty before it is known.
    pub fn status(&self) -> Result<String, DeltafoldError> {
        self.read(|response| response.status_name().unwrap_or_default().to_owned())
    }

    /// The name of the model; empty before it is known.
    pub fn model(&self) -> Result<String, DeltafoldError> {
        self.read(|response| response.model().unwrap_or_default().to_owned())
    }

    /// The concatenated text of all messages.
    pub fn output_text(&self) -> Result<String, DeltafoldError> {
        self.read(|response| response.output_text().into_owned())
    }

    /// Number of output items.
    pub fn item_count(&self) -> Result<i64, DeltafoldError> {
        self.read(|response| int(response.len() as u64))
    }

    /// The output items so far.
    pub fn items(&self) -> Result<Vec<Item>, DeltafoldError> {
        self.read(|response| response.items().map(Item::of).collect())
    }

    /// The output item at a position; null if there is none.
    pub fn item(&self, at: i64) -> Result<Option<Item>, DeltafoldError> {
        self.item_at(at, |item| Some(Item::of(item)))
    }

    /// The arguments of the call at a position so far, as complete JSON text; null before the value begins.
    pub fn partial_arguments(&self, at: i64) -> Result<Option<String>, DeltafoldError> {
        self.item_at(at, |item| item.read_arguments(|read| read.value().map(ToString::to_string)))
    }

    /// The text of a part so far, as complete JSON text, for structured output; null before the value begins.
    pub fn partial_text(&self, at: i64, part: i64) -> Result<Option<String>, DeltafoldError> {
        self.item_at(at, |item| {
            let part = item.parts().nth(usize::try_from(part).ok()?)?;
            part.read_json(|read| read.value().map(ToString::to_string))
        })
    }

    /// A field of the response as JSON text; null if there is none.
    pub fn field(&self, name: &str) -> Result<Option<String>, DeltafoldError> {
        self.read(|response| response.get(name).map(ToString::to_string))
    }

    /// Token counts; null before they are known. `field("usage")` returns them as the server sent them.
    pub fn usage(&self) -> Result<Option<Usage>, DeltafoldError> {
        self.read(|response| response.usage().map(Usage::of))
    }

    /// The error of a failed response as JSON text; null without one.
    pub fn error(&self) -> Result<Option<String>, DeltafoldError> {
        self.read(|response| response.error().filter(|error| !matches!(error, Value::Null)).map(ToString::to_string))
    }

    /// The whole response as JSON text; numbers keep their written form.
    pub fn to_json(&self) -> Result<String, DeltafoldError> {
        self.read(|response| response.to_json())
    }
}

impl Item {
    fn of(item: deltafold::Item<'_>) -> Self {
        let mut json = String::new();
        item.write_json(&mut json);
        Self {
            r#type: item.wire_type().unwrap_or_default().to_owned(),
            id: item.id().unwrap_or_default().to_owned(),
            status: item.status_name().unwrap_or_default().to_owned(),
            call_id: item.call_id().unwrap_or_default().to_owned(),
            name: item.name().unwrap_or_default().to_owned(),
            arguments: item.arguments().unwrap_or_default().to_owned(),
            text: item.text().into_owned(),
            is_done: item.is_done(),
            parts: item.parts().map(Part::of).collect(),
            summary: item.summary().map(Part::of).collect(),
            json,
        }
    }
}

impl Part {
    fn of(part: deltafold::Part<'_>) -> Self {
        Self {
            r#type: part.wire_type().unwrap_or_default().to_owned(),
            text: part.text().unwrap_or_default().to_owned(),
        }
    }
}
