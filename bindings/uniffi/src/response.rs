//! The response so far: a live view of a reader, and copies of its items.

use std::sync::Arc;

use deltafold::json::Value;

use crate::error::DeltafoldError;
use crate::int;
use crate::lock::Lock;
use crate::reader::Held;

/// The response so far. A live view: each answer is about what has been read when it is asked.
#[derive(Debug, uniffi::Object)]
pub struct Response(Arc<Lock<Held>>);

/// One output item, as it was when it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Item {
    /// Its type, such as `message` or `function_call`.
    pub r#type: String,
    /// Its id; empty without one.
    pub id: String,
    /// Its status; empty without one.
    pub status: String,
    /// The id by which a call is answered; empty without one.
    pub call_id: String,
    /// The name of the tool; empty without one.
    pub name: String,
    /// The arguments of a call so far, as text.
    pub arguments: String,
    /// All its text, joined.
    pub text: String,
    /// Whether the item is finished.
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

impl Response {
    pub(crate) fn new(held: Arc<Lock<Held>>) -> Self {
        Self(held)
    }

    fn ask<R>(&self, ask: impl FnOnce(deltafold::Response<'_>) -> R) -> Result<R, DeltafoldError> {
        self.0.with(|held| ask(held.core.response()))
    }

    fn item_at<R>(
        &self,
        at: i64,
        ask: impl FnOnce(deltafold::Item<'_>) -> Option<R>,
    ) -> Result<Option<R>, DeltafoldError> {
        self.ask(|response| usize::try_from(at).ok().and_then(|at| response.item(at)).and_then(ask))
    }
}

#[uniffi::export]
impl Response {
    /// Its id; empty before it is known.
    pub fn id(&self) -> Result<String, DeltafoldError> {
        self.ask(|response| response.id().to_owned())
    }

    /// Its status; empty before it is known.
    pub fn status(&self) -> Result<String, DeltafoldError> {
        self.ask(|response| response.status().to_owned())
    }

    /// The model's name; empty before it is known.
    pub fn model(&self) -> Result<String, DeltafoldError> {
        self.ask(|response| response.model().to_owned())
    }

    /// The texts of all messages, joined.
    pub fn output_text(&self) -> Result<String, DeltafoldError> {
        self.ask(|response| response.output_text().into_owned())
    }

    /// How many output items there are.
    pub fn item_count(&self) -> Result<i64, DeltafoldError> {
        self.ask(|response| int(response.len() as u64))
    }

    /// The output items so far.
    pub fn items(&self) -> Result<Vec<Item>, DeltafoldError> {
        self.ask(|response| response.items().map(Item::of).collect())
    }

    /// The output item at a position; null if there is none.
    pub fn item(&self, at: i64) -> Result<Option<Item>, DeltafoldError> {
        self.item_at(at, |item| Some(Item::of(item)))
    }

    /// The arguments of the call at a position as far as they go, as JSON text; null without a value.
    pub fn partial_arguments(&self, at: i64) -> Result<Option<String>, DeltafoldError> {
        self.item_at(at, |item| item.read_arguments(|read| read.value().map(ToString::to_string)))
    }

    /// The text of a part that is JSON, as far as it goes, as JSON text; null without a value.
    pub fn partial_text(&self, at: i64, part: i64) -> Result<Option<String>, DeltafoldError> {
        self.item_at(at, |item| {
            let part = item.parts().nth(usize::try_from(part).ok()?)?;
            part.read_json(|read| read.value().map(ToString::to_string))
        })
    }

    /// A field of the response as JSON text; null if there is none.
    pub fn field(&self, name: &str) -> Result<Option<String>, DeltafoldError> {
        self.ask(|response| response.get(name).map(ToString::to_string))
    }

    /// Token counts as JSON text; null before they are known.
    pub fn usage(&self) -> Result<Option<String>, DeltafoldError> {
        self.ask(|response| response.usage().map(ToString::to_string))
    }

    /// The error of a failed response as JSON text; null without one.
    pub fn error(&self) -> Result<Option<String>, DeltafoldError> {
        self.ask(|response| response.error().filter(|error| !matches!(error, Value::Null)).map(ToString::to_string))
    }

    /// The whole response as JSON text; numbers keep their written form.
    pub fn to_json(&self) -> Result<String, DeltafoldError> {
        self.ask(|response| response.to_json())
    }
}

impl Item {
    fn of(item: deltafold::Item<'_>) -> Self {
        let mut json = String::new();
        item.write_json(&mut json);
        Self {
            r#type: item.kind().to_owned(),
            id: item.id().to_owned(),
            status: item.status().to_owned(),
            call_id: item.call_id().to_owned(),
            name: item.name().to_owned(),
            arguments: item.arguments().to_owned(),
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
        Self { r#type: part.kind().to_owned(), text: part.text().to_owned() }
    }
}
