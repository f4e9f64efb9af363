//! The writer: intents in, bytes or events out.

use deltafold::json::{Object, Value};
use deltafold::{Error, WriterOptions};

use crate::error::DeltafoldError;
use crate::int;
use crate::lock::Lock;

/// Writes a stream that cannot be in a wrong order: an intent that does not fit is refused, and nothing is written.
#[derive(Debug, uniffi::Object)]
pub struct Writer(Lock<deltafold::Writer>);

impl Writer {
    /// Carries out an intent of one word, with text for an item.
    fn tell(&self, word: &str, keys: &[(&str, Option<Value>)]) -> Result<Option<i64>, DeltafoldError> {
        let mut intent = Object::new();
        intent.push("do", word);
        for (key, value) in keys {
            if let Some(value) = value {
                intent.push(*key, value.clone());
            }
        }
        self.0.attempt(|core| core.apply(&Value::Object(intent)).map(|item| item.map(index)))
    }

    fn add(&self, word: &str, text: &str, item: Option<i64>) -> Result<(), DeltafoldError> {
        self.tell(word, &[("item", item.map(Value::from)), ("text", Some(Value::from(text)))]).map(drop)
    }

    fn open(&self, word: &str, keys: &[(&str, Option<Value>)]) -> Result<i64, DeltafoldError> {
        self.tell(word, keys).map(Option::unwrap_or_default)
    }
}

fn index(item: deltafold::write::ItemHandle) -> i64 {
    i64::from(item.output_index())
}

fn parsed(json: Option<String>) -> Result<Option<Value>, DeltafoldError> {
    let depth = deltafold::Limits::default().depth;
    Ok(json.map(|json| Value::parse(&json, depth).map_err(Error::from)).transpose()?)
}

#[uniffi::export]
impl Writer {
    /// Makes a writer of the response with this id. The clock is yours: `created_at` is in whole seconds.
    #[uniffi::constructor]
    pub fn new(id: String, model: String, created_at: i64) -> Self {
        let created_at = u64::try_from(created_at).unwrap_or_default();
        Self(Lock::new(deltafold::Writer::new(WriterOptions::new(id, model, created_at))))
    }

    /// Makes a writer from options as JSON text: `id`, `model`, `created_at`, and if needed `template`, `request`, `dialect`,
    /// `edition`, `heartbeat`.
    #[uniffi::constructor]
    pub fn from_json(options: &str) -> Result<Self, DeltafoldError> {
        Ok(Self(Lock::new(deltafold::Writer::new(WriterOptions::from_json(options)?))))
    }

    /// Carries out any intent, given as JSON text such as `{"do":"text","text":"Hi"}`; the output index of the item that was
    /// opened, if one was.
    pub fn apply(&self, intent: &str) -> Result<Option<i64>, DeltafoldError> {
        self.0.attempt(|core| core.apply_json(intent).map(|item| item.map(index)))
    }

    /// Writes `response.created` and `response.in_progress`; the first intent does so by itself.
    pub fn start(&self) -> Result<(), DeltafoldError> {
        self.tell("start", &[]).map(drop)
    }

    /// Opens a message; its output index.
    pub fn message(&self) -> Result<i64, DeltafoldError> {
        self.open("message", &[])
    }

    /// Opens reasoning; its output index.
    pub fn reasoning(&self) -> Result<i64, DeltafoldError> {
        self.open("reasoning", &[])
    }

    /// Opens a function call; its output index.
    pub fn function_call(&self, call_id: String, name: String) -> Result<i64, DeltafoldError> {
        self.open("function_call", &[("call_id", Some(call_id.into())), ("name", Some(name.into()))])
    }

    /// Writes a whole item at once, given as JSON text; its output index.
    pub fn item(&self, item: String) -> Result<i64, DeltafoldError> {
        let item = parsed(Some(item))?;
        self.open("item", &[("item", item)])
    }

    /// Adds text to a message. Without an item the newest one is meant.
    #[uniffi::method(default(item = None))]
    pub fn text(&self, text: &str, item: Option<i64>) -> Result<(), DeltafoldError> {
        self.add("text", text, item)
    }

    /// Adds text to a refusal.
    #[uniffi::method(default(item = None))]
    pub fn refusal(&self, text: &str, item: Option<i64>) -> Result<(), DeltafoldError> {
        self.add("refusal", text, item)
    }

    /// Adds raw reasoning.
    #[uniffi::method(default(item = None))]
    pub fn reasoning_text(&self, text: &str, item: Option<i64>) -> Result<(), DeltafoldError> {
        self.add("reasoning_text", text, item)
    }

    /// Adds to the summary of reasoning.
    #[uniffi::method(default(item = None))]
    pub fn reasoning_summary(&self, text: &str, item: Option<i64>) -> Result<(), DeltafoldError> {
        self.add("reasoning_summary", text, item)
    }

    /// Adds to the arguments of a call.
    #[uniffi::method(default(item = None))]
    pub fn arguments(&self, text: &str, item: Option<i64>) -> Result<(), DeltafoldError> {
        self.add("arguments", text, item)
    }

    /// Closes an item: `completed`, unless a status says otherwise.
    #[uniffi::method(default(item = None, status = None))]
    pub fn close_item(&self, item: Option<i64>, status: Option<String>) -> Result<(), DeltafoldError> {
        self.tell("close", &[("item", item.map(Value::from)), ("status", status.map(Value::from))]).map(drop)
    }

    /// Writes an event that its sender defines: a `slug:name`, and its fields as JSON text.
    #[uniffi::method(default(fields = None))]
    pub fn extension_event(&self, r#type: String, fields: Option<String>) -> Result<(), DeltafoldError> {
        let fields = parsed(fields)?;
        self.tell("extension_event", &[("type", Some(r#type.into())), ("fields", fields)]).map(drop)
    }

    /// Ends the response well, with the token counts as JSON text: closes what is open, then `response.completed` and `[DONE]`.
    #[uniffi::method(default(usage = None))]
    pub fn complete(&self, usage: Option<String>) -> Result<(), DeltafoldError> {
        let usage = parsed(usage)?;
        self.tell("complete", &[("usage", usage)]).map(drop)
    }

    /// Ends the response early, for this reason.
    #[uniffi::method(default(usage = None))]
    pub fn incomplete(&self, reason: String, usage: Option<String>) -> Result<(), DeltafoldError> {
        let usage = parsed(usage)?;
        self.tell("incomplete", &[("reason", Some(reason.into())), ("usage", usage)]).map(drop)
    }

    /// Ends the response because its caller wants no more.
    pub fn cancel(&self) -> Result<(), DeltafoldError> {
        self.tell("cancel", &[]).map(drop)
    }

    /// Ends the response because something broke, with the error as JSON text: `message` and, if need be, `type`, `code`,
    /// `param`.
    pub fn fail(&self, error: String) -> Result<(), DeltafoldError> {
        let error = parsed(Some(error))?;
        self.tell("fail", &[("error", error)]).map(drop)
    }

    /// Writes a sign of life, as the option `heartbeat` says.
    pub fn heartbeat(&self) -> Result<(), DeltafoldError> {
        self.tell("heartbeat", &[]).map(drop)
    }

    /// Takes all bytes written since the last take: whole SSE frames.
    pub fn take(&self) -> Result<Vec<u8>, DeltafoldError> {
        self.0.with(deltafold::Writer::take)
    }

    /// Takes the JSON text of the next event, as a WebSocket wants it; null if there is none.
    pub fn poll_event(&self) -> Result<Option<String>, DeltafoldError> {
        self.0.with(|core| core.poll_event().map(str::to_owned))
    }

    /// Whether a terminal event was written.
    pub fn is_ended(&self) -> Result<bool, DeltafoldError> {
        self.0.with(|core| core.is_ended())
    }

    /// The number that the next event gets.
    pub fn sequence_number(&self) -> Result<i64, DeltafoldError> {
        self.0.with(|core| int(core.sequence_number()))
    }

    /// The response so far as JSON text: what a snapshot would carry now.
    pub fn response_json(&self) -> Result<String, DeltafoldError> {
        self.0.with(|core| core.response_json())
    }

    /// Lets go of everything; every later call is refused.
    pub fn release(&self) {
        self.0.release();
    }
}
