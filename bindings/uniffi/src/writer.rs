//! The writer: takes intents, returns bytes or events.

use deltafold::json::{Object, Value};
use deltafold::{Error, WriterOptions};

use crate::clock::CLOCK;
use crate::error::DeltafoldError;
use crate::int;
use crate::lock::Lock;
use crate::response::Usage;

/// Writes a valid stream: an intent that is invalid in the current state fails and writes nothing.
#[derive(Debug, uniffi::Object)]
pub struct Writer(Lock<deltafold::Writer>);

impl Writer {
    /// Runs an intent given by name and fields.
    fn run(&self, word: &str, keys: &[(&str, Option<Value>)]) -> Result<Option<i64>, DeltafoldError> {
        let mut intent = Object::new();
        intent.push("do", word);
        for (key, value) in keys {
            if let Some(value) = value {
                intent.push(*key, value.clone());
            }
        }
        self.0.attempt(|core| core.apply(&Value::Object(intent)).map(|item| item.map(index)))
    }

    fn append_text(&self, word: &str, text: &str, item: Option<i64>) -> Result<(), DeltafoldError> {
        self.run(word, &[("item", item.map(Value::from)), ("text", Some(Value::from(text)))]).map(drop)
    }

    fn open(&self, word: &str, keys: &[(&str, Option<Value>)]) -> Result<i64, DeltafoldError> {
        self.run(word, keys).map(Option::unwrap_or_default)
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
    /// Creates a writer. `created_at` is the creation time of the response in whole seconds; by default the clock, also for
    /// `completed_at`.
    #[uniffi::constructor(default(created_at = None))]
    pub fn new(id: String, model: String, created_at: Option<i64>) -> Self {
        let options = match created_at {
            Some(seconds) => WriterOptions::new(id, model, u64::try_from(seconds).unwrap_or_default()),
            None => WriterOptions::new(id, model, CLOCK.now()).clock(Some(CLOCK)),
        };
        Self(Lock::new(deltafold::Writer::new(options)))
    }

    /// Creates a writer from options as JSON text: `id` (required), `model`, `created_at` (by default the clock), `template`, `request`,
    /// `reasoning_names`, `edition`, `heartbeat`.
    #[uniffi::constructor]
    pub fn from_json(options: &str) -> Result<Self, DeltafoldError> {
        Ok(Self(Lock::new(deltafold::Writer::new(WriterOptions::from_json_with_clock(options, CLOCK)?))))
    }

    /// Runs any intent, given as JSON text such as `{"do":"text","text":"Hi"}`, and returns the output index of the item
    /// that it opened, if any.
    pub fn apply(&self, intent: &str) -> Result<Option<i64>, DeltafoldError> {
        self.0.attempt(|core| core.apply_json(intent).map(|item| item.map(index)))
    }

    /// Writes `response.created` and `response.in_progress`; every other intent starts the response if needed.
    pub fn start(&self) -> Result<(), DeltafoldError> {
        self.run("start", &[]).map(drop)
    }

    /// Opens a message and returns its output index.
    pub fn message(&self) -> Result<i64, DeltafoldError> {
        self.open("message", &[])
    }

    /// Opens a reasoning item and returns its output index.
    pub fn reasoning(&self) -> Result<i64, DeltafoldError> {
        self.open("reasoning", &[])
    }

    /// Opens a function call and returns its output index.
    pub fn function_call(&self, call_id: String, name: String) -> Result<i64, DeltafoldError> {
        self.open("function_call", &[("call_id", Some(call_id.into())), ("name", Some(name.into()))])
    }

    /// Writes a complete item, given as JSON text, and returns its output index.
    pub fn item(&self, item: String) -> Result<i64, DeltafoldError> {
        let item = parsed(Some(item))?;
        self.open("item", &[("item", item)])
    }

    /// Adds text to a message. Without an item number, the newest item is used.
    #[uniffi::method(default(item = None))]
    pub fn text(&self, text: &str, item: Option<i64>) -> Result<(), DeltafoldError> {
        self.append_text("text", text, item)
    }

    /// Adds text to a refusal.
    #[uniffi::method(default(item = None))]
    pub fn refusal(&self, text: &str, item: Option<i64>) -> Result<(), DeltafoldError> {
        self.append_text("refusal", text, item)
    }

    /// Adds raw reasoning.
    #[uniffi::method(default(item = None))]
    pub fn reasoning_text(&self, text: &str, item: Option<i64>) -> Result<(), DeltafoldError> {
        self.append_text("reasoning_text", text, item)
    }

    /// Adds to the summary of reasoning.
    #[uniffi::method(default(item = None))]
    pub fn reasoning_summary(&self, text: &str, item: Option<i64>) -> Result<(), DeltafoldError> {
        self.append_text("reasoning_summary", text, item)
    }

    /// Adds to the arguments of a call.
    #[uniffi::method(default(item = None))]
    pub fn arguments(&self, text: &str, item: Option<i64>) -> Result<(), DeltafoldError> {
        self.append_text("arguments", text, item)
    }

    /// Closes an item as `completed` or with the given status.
    #[uniffi::method(default(item = None, status = None))]
    pub fn close_item(&self, item: Option<i64>, status: Option<String>) -> Result<(), DeltafoldError> {
        self.run("close", &[("item", item.map(Value::from)), ("status", status.map(Value::from))]).map(drop)
    }

    /// Writes an extension event: a `slug:name`, and its fields as JSON text.
    #[uniffi::method(default(fields = None))]
    pub fn extension_event(&self, r#type: String, fields: Option<String>) -> Result<(), DeltafoldError> {
        let fields = parsed(fields)?;
        self.run("extension_event", &[("type", Some(r#type.into())), ("fields", fields)]).map(drop)
    }

    /// Completes the response with token counts: closes every open item, then writes `response.completed` and `[DONE]`.
    #[uniffi::method(default(usage = None))]
    pub fn complete(&self, usage: Option<Usage>) -> Result<(), DeltafoldError> {
        self.run("complete", &[("usage", usage.map(Usage::to_value))]).map(drop)
    }

    /// Ends the response early, with a reason such as `max_output_tokens`.
    #[uniffi::method(default(usage = None))]
    pub fn incomplete(&self, reason: String, usage: Option<Usage>) -> Result<(), DeltafoldError> {
        self.run("incomplete", &[("reason", Some(reason.into())), ("usage", usage.map(Usage::to_value))]).map(drop)
    }

    /// Cancels the response.
    pub fn cancel(&self) -> Result<(), DeltafoldError> {
        self.run("cancel", &[]).map(drop)
    }

    /// Fails the response with an error as JSON text: `message` and optionally `type`, `code`, `param`.
    pub fn fail(&self, error: String) -> Result<(), DeltafoldError> {
        let error = parsed(Some(error))?;
        self.run("fail", &[("error", error)]).map(drop)
    }

    /// Writes a heartbeat in the form that the option `heartbeat` selects.
    pub fn heartbeat(&self) -> Result<(), DeltafoldError> {
        self.run("heartbeat", &[]).map(drop)
    }

    /// Returns all bytes written since the last call: whole SSE frames.
    pub fn take(&self) -> Result<Vec<u8>, DeltafoldError> {
        self.0.with(deltafold::Writer::take)
    }

    /// Returns the JSON text of the next event, for WebSockets; null if there is none.
    pub fn poll_event(&self) -> Result<Option<String>, DeltafoldError> {
        self.0.with(|core| core.poll_event().map(str::to_owned))
    }

    /// True if a terminal event was written.
    pub fn is_ended(&self) -> Result<bool, DeltafoldError> {
        self.0.with(|core| core.is_ended())
    }

    /// The sequence number of the next event.
    pub fn sequence_number(&self) -> Result<i64, DeltafoldError> {
        self.0.with(|core| int(core.sequence_number()))
    }

    /// The response so far as JSON text, as the next snapshot would have it.
    pub fn response_json(&self) -> Result<String, DeltafoldError> {
        self.0.with(|core| core.response_json())
    }

    /// Frees the contents of the object; every later call fails with `misuse.after_finish`.
    pub fn release(&self) {
        self.0.release();
    }
}
