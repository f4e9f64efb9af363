//! Intents as JSON: one entry point for other languages, so that the bindings share the list of intents.
//!
//! ```text
//! {"do":"message"}                                       opens an item of this type with the other keys as its fields
//! {"do":"text","item":0,"text":"Hi"}                     without "item": the newest item
//! {"do":"acme:lookup","query":"x"}                       an extension item
//! {"do":"item","item":{"type":"function_call",…}}        a complete item
//! {"do":"close","status":"incomplete"}
//! {"do":"complete","usage":{"input_tokens":3,"output_tokens":2}}
//! ```
//!
//! [`INTENTS`] lists every intent and its keys. Item types are intents too: they open an item with the other keys as its fields.
//! An item type without streamed contents (outputs, approvals, compactions) is written complete; `open` opens it instead.

use alloc::format;
use alloc::string::{String, ToString};

use super::api_error::{ApiError, ErrorType};
use super::echo_request::echo_request;
use super::item_definitions::{ItemDefinition, ItemStatus, ToolState};
use super::items::ItemHandle;
use super::open_item::PartKind;
use super::options::WriterOptions;
use super::usage::Usage;
use super::writer::{depth, invalid_argument, invalid_intent, Writer};
use crate::clock::Clock;
use crate::contract::{Edition, Kind};
use crate::error::Error;
use crate::json::{Object, Value};

/// Every intent except the item types, with its keys. Keys that end in `?` are optional.
pub const INTENTS: &[(&str, &[&str])] = &[
    ("queue", &[]),
    ("start", &[]),
    ("now", &["seconds"]),
    ("set_field", &["key", "value"]),
    ("text", &["item?", "text"]),
    ("refusal", &["item?", "text"]),
    ("reasoning_text", &["item?", "text"]),
    ("reasoning_summary", &["item?", "text"]),
    ("part", &["item?", "type"]),
    ("set_on_part", &["item?", "key", "value"]),
    ("annotation", &["item?", "annotation"]),
    ("logprobs", &["item?", "logprobs"]),
    ("close_part", &["item?"]),
    ("arguments", &["item?", "text"]),
    ("input", &["item?", "text"]),
    ("code", &["item?", "text"]),
    ("diff", &["item?", "text"]),
    ("command", &["item?"]),
    ("command_text", &["item?", "text"]),
    ("shell_output", &["item?", "stdout?", "stderr?"]),
    ("shell_outcome", &["item?", "outcome"]),
    ("progress", &["item?", "state"]),
    ("partial_image", &["item?", "base64", "fields?"]),
    ("encrypted_content", &["item?", "text"]),
    ("set", &["item?", "key", "value"]),
    ("close", &["item?", "status?"]),
    ("open", &["type", "fields?"]),
    ("item", &["item"]),
    ("extension_event", &["type", "fields?"]),
    ("event", &["type", "fields?"]),
    ("usage", &["usage"]),
    ("complete", &["usage?"]),
    ("incomplete", &["reason", "usage?"]),
    ("cancel", &[]),
    ("error", &["error"]),
    ("fail", &["error"]),
    ("heartbeat", &[]),
];

impl Writer {
    /// Applies an intent given as JSON text; [`INTENTS`] lists all of them. Returns the opened item, if any.
    ///
    /// ```
    /// use deltafold::write::{Writer, WriterOptions};
    /// let mut writer = Writer::new(WriterOptions::new("resp_1", "m-1", 0));
    /// let item = writer.apply_json(r#"{"do":"message"}"#)?.unwrap();
    /// writer.apply_json(r#"{"do":"text","text":"Hi"}"#)?;
    /// assert!(writer.apply_json(r#"{"do":"text","txt":"typo"}"#).is_err());
    /// writer.apply_json(r#"{"do":"complete"}"#)?;
    /// assert_eq!(item.output_index(), 0);
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    pub fn apply_json(&mut self, intent: &str) -> Result<Option<ItemHandle>, Error> {
        self.apply(&parse(intent)?)
    }

    /// Applies an intent given as a value; see [`apply_json`](Self::apply_json).
    pub fn apply(&mut self, intent: &Value) -> Result<Option<ItemHandle>, Error> {
        let intent = intent.as_object().ok_or_else(|| invalid_argument("expected an object as the intent"))?;
        let word = text(intent, "do")?;
        let Some((word, keys)) = INTENTS.iter().find(|(known, _)| *known == word) else {
            return self.apply_item(word, intent).map(Some);
        };
        check_keys(word, keys, intent)?;
        match *word {
            "open" => return self.open(text(intent, "type")?, fields(intent)?).map(Some),
            "item" => return self.item(object(intent, "item")?).map(Some),
            _ => {}
        }
        let item = if keys.first() == Some(&"item?") { self.target_item(intent)? } else { ItemHandle::at(0) };
        self.apply_intent(word, item, intent).map(|()| None)
    }

    fn apply_intent(&mut self, word: &str, item: ItemHandle, intent: &Object) -> Result<(), Error> {
        match word {
            "queue" => self.queue(),
            "start" => self.start(),
            "now" => {
                let seconds = intent.get("seconds").and_then(Value::as_u64);
                self.set_now(seconds.ok_or_else(|| invalid_argument("expected whole seconds in `seconds`"))?);
                Ok(())
            }
            "set_field" => self.set_field(text(intent, "key")?, any(intent, "value")),
            "text" => self.text(item, text(intent, "text")?),
            "refusal" => self.refusal(item, text(intent, "text")?),
            "reasoning_text" => self.reasoning_text(item, text(intent, "text")?),
            "reasoning_summary" => self.reasoning_summary(item, text(intent, "text")?),
            "part" => {
                let kind = PartKind::from_name(text(intent, "type")?);
                self.part(
                    item,
                    kind.ok_or_else(|| {
                        invalid_argument("expected output_text, refusal, reasoning_text or summary_text in `type`")
                    })?,
                )
            }
            "set_on_part" => self.set_on_part(item, text(intent, "key")?, any(intent, "value")),
            "annotation" => self.annotation(item, any(intent, "annotation")),
            "logprobs" => self.logprobs(item, any(intent, "logprobs")),
            "close_part" => self.close_part(item),
            "arguments" => self.arguments(item, text(intent, "text")?),
            "input" => self.input(item, text(intent, "text")?),
            "code" => self.code(item, text(intent, "text")?),
            "diff" => self.diff(item, text(intent, "text")?),
            "command" => self.command(item),
            "command_text" => self.command_text(item, text(intent, "text")?),
            "shell_output" => self.shell_output(item, optional(intent, "stdout")?, optional(intent, "stderr")?),
            "shell_outcome" => self.shell_outcome(item, object(intent, "outcome")?.clone()),
            "progress" => {
                let state = ToolState::from_name(text(intent, "state")?);
                self.progress(
                    item,
                    state.ok_or_else(|| invalid_argument("expected the name of a progress state in `state`"))?,
                )
            }
            "partial_image" => self.partial_image(item, text(intent, "base64")?, &fields(intent)?),
            "encrypted_content" => self.encrypted_content(item, text(intent, "text")?),
            "set" => self.set(item, text(intent, "key")?, any(intent, "value")),
            "close" => self.close_as(item, status(intent)?),
            "extension_event" => self.extension_event(text(intent, "type")?, &fields(intent)?),
            "event" => self.event(Kind::from_wire(text(intent, "type")?), &fields(intent)?),
            "usage" => self.usage(Usage::from_value(&any(intent, "usage"))?),
            "complete" => self.complete(usage(intent)?),
            "incomplete" => self.incomplete(text(intent, "reason")?, usage(intent)?),
            "cancel" => self.cancel(),
            "error" => self.error(&ApiError::from_value(&any(intent, "error"))?),
            "fail" => self.fail(&ApiError::from_value(&any(intent, "error"))?),
            _ => self.heartbeat(),
        }
    }

    /// Opens an item of the type `word`, or writes it complete if the type has no streamed contents.
    fn apply_item(&mut self, word: &str, intent: &Object) -> Result<ItemHandle, Error> {
        let definition = ItemDefinition::of(word)
            .ok_or_else(|| invalid_argument("expected an intent, an item type or `slug:name` in `do`"))?;
        let mut fields = intent.clone();
        fields.remove("do");
        if definition.is_static() {
            let status = status(intent)?;
            fields.remove("status");
            return self.complete_item(word, fields, status);
        }
        self.open(word, fields)
    }

    /// The item that an intent refers to, or the newest one.
    fn target_item(&self, intent: &Object) -> Result<ItemHandle, Error> {
        let newest = || self.item_count().checked_sub(1).map(|at| at as u64);
        let index = match intent.get("item") {
            None => newest().ok_or_else(|| invalid_intent("expected an open item, found no item"))?,
            Some(index) => index.as_u64().ok_or_else(|| invalid_argument("expected an output index in `item`"))?,
        };
        // An index beyond u32 refers to no item, and is reported as such.
        Ok(ItemHandle::at(u32::try_from(index).unwrap_or(u32::MAX)))
    }
}

impl WriterOptions {
    /// Reads options from JSON text: `id` and the optional `model`, `created_at`, `template`, `request` (its fields are repeated in
    /// the template), `reasoning_names`, `edition` and `heartbeat`.
    ///
    /// ```
    /// let options = deltafold::WriterOptions::from_json(r#"{"id":"resp_1","model":"m","created_at":5,"reasoning_names":"openai"}"#)?;
    /// assert_eq!((options.created_at, options.reasoning_names.name()), (5, "openai"));
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    pub fn from_json(json: &str) -> Result<Self, Error> {
        Self::from_value(&parse(json)?)
    }

    /// As [`from_json`](Self::from_json), for callers with a clock: it gives `created_at` and `completed_at`, unless the options
    /// have `created_at`.
    pub fn from_json_with_clock(json: &str, clock: Clock) -> Result<Self, Error> {
        let value = parse(json)?;
        let mut options = Self::from_value(&value)?;
        if value.pointer("/created_at").is_none_or(Value::is_null) {
            options.created_at = clock.now();
            options.clock = Some(clock);
        }
        Ok(options)
    }

    /// Reads options from a value; see [`from_json`](Self::from_json).
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let given = value.as_object().ok_or_else(|| invalid_argument("expected an object as the options"))?;
        // An option that is null has its default.
        let given: Object = given
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.into(), value.clone()))
            .collect();
        let given = &given;
        let keys =
            ["id", "model?", "created_at?", "template?", "request?", "reasoning_names?", "edition?", "heartbeat?"];
        check_keys("options", &keys, given)?;
        let mut options = Self::new(text(given, "id")?, optional(given, "model")?, 0);
        if let Some(created_at) = given.get("created_at") {
            options.created_at =
                created_at.as_u64().ok_or_else(|| invalid_argument("expected whole seconds in `created_at`"))?;
        }
        if given.contains_key("reasoning_names") {
            options.reasoning_names = text(given, "reasoning_names")?.parse()?;
        }
        if given.contains_key("edition") {
            options.edition = text(given, "edition")?.parse::<Edition>()?;
        }
        if given.contains_key("heartbeat") {
            options.heartbeat = text(given, "heartbeat")?.parse()?;
        }
        if given.contains_key("request") {
            options.template = echo_request(object(given, "request")?, options.edition);
        }
        if given.contains_key("template") {
            for (key, value) in object(given, "template")?.iter() {
                options.template.insert(key, value.clone());
            }
        }
        Ok(options)
    }
}

impl ApiError {
    /// Reads `{type, code, message, param, headers}`; only `message` is required.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let given = value.as_object().ok_or_else(|| invalid_argument("expected an object as the error"))?;
        check_keys("error", &["type?", "code?", "message", "param?", "headers?"], given)?;
        let owned = |key| match given.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(invalid_argument("expected a string or null in `code` and `param`")),
        };
        let kind = match given.get("type") {
            None => ErrorType::default(),
            Some(_) => ErrorType::from_name(text(given, "type")?)
                .ok_or_else(|| invalid_argument("expected one of the five error types in `type`"))?,
        };
        let mut error = Self { kind, code: owned("code")?, message: text(given, "message")?.into(), ..Self::default() };
        error.param = owned("param")?;
        if given.contains_key("headers") {
            for (name, value) in object(given, "headers")?.iter() {
                let value = value.as_str().ok_or_else(|| invalid_argument("expected strings in `headers`"))?;
                error.headers.push((name.to_string(), value.to_string()));
            }
        }
        Ok(error)
    }
}

fn parse(json: &str) -> Result<Value, Error> {
    Value::parse(json, depth()).map_err(|error| invalid_argument(error.to_string()))
}

/// Returns an error for a key that the intent does not have (probably a typing error) and for a missing required key.
fn check_keys(word: &str, keys: &[&str], intent: &Object) -> Result<(), Error> {
    for (key, _) in intent.iter() {
        if key != "do" && !keys.iter().any(|known| known.trim_end_matches('?') == key) {
            return Err(invalid_argument(format!(
                "expected the keys of `{word}` ({}), found another key",
                listed(keys)
            )));
        }
    }
    match keys.iter().find(|key| !key.ends_with('?') && !intent.contains_key(key)) {
        Some(missing) => Err(invalid_argument(format!("expected the key `{missing}` of `{word}`, found none"))),
        None => Ok(()),
    }
}

fn listed(keys: &[&str]) -> String {
    let mut out = String::new();
    for (at, key) in keys.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        out.push_str(key.trim_end_matches('?'));
    }
    if out.is_empty() {
        out.push_str("(none)");
    }
    out
}

fn any(intent: &Object, key: &str) -> Value {
    intent.get(key).cloned().unwrap_or_default()
}

fn text<'a>(intent: &'a Object, key: &str) -> Result<&'a str, Error> {
    intent.get(key).and_then(Value::as_str).ok_or_else(|| invalid_argument(format!("expected a string in `{key}`")))
}

fn optional<'a>(intent: &'a Object, key: &str) -> Result<&'a str, Error> {
    if intent.contains_key(key) {
        text(intent, key)
    } else {
        Ok("")
    }
}

fn object<'a>(intent: &'a Object, key: &str) -> Result<&'a Object, Error> {
    intent.get(key).and_then(Value::as_object).ok_or_else(|| invalid_argument(format!("expected an object in `{key}`")))
}

fn fields(intent: &Object) -> Result<Object, Error> {
    if intent.contains_key("fields") {
        object(intent, "fields").cloned()
    } else {
        Ok(Object::new())
    }
}

fn status(intent: &Object) -> Result<ItemStatus, Error> {
    match intent.get("status") {
        None => Ok(ItemStatus::Completed),
        Some(_) => ItemStatus::terminal_from_name(text(intent, "status")?)
            .ok_or_else(|| invalid_argument("expected completed, incomplete or failed in `status`")),
    }
}

fn usage(intent: &Object) -> Result<Option<Usage>, Error> {
    match intent.get("usage") {
        None | Some(Value::Null) => Ok(None),
        Some(usage) => Usage::from_value(usage).map(Some),
    }
}
