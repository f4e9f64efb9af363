//! [`Context`]: the input of the model: earlier turns, instructions, and the new input.

use std::collections::HashSet;

use deltafold::json::{Object, Value};
use deltafold::write::{ApiError, ErrorType};

use crate::compact;
use crate::request::{invalid, Request};
use crate::state::Server;

/// The whole conversation, oldest first (PREV-02: old input, old output, new input).
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    pub(crate) items: Vec<Value>,
    pub(crate) instructions: Option<String>,
}

impl Context {
    /// Collects the context of a request. `memory` has the responses that a connection remembers in addition to the stored ones.
    pub(crate) fn of(request: &Request, server: &Server, memory: Option<(&str, &[Value])>) -> Result<Self, ApiError> {
        let mut items = match request.text("previous_response_id") {
            None => Vec::new(),
            Some(id) => match memory.filter(|(known, _)| *known == id) {
                Some((_, items)) => items.to_vec(),
                None => server.stored(id).ok_or_else(|| not_found(id))?.items.clone(),
            },
        };
        items.extend(input_items(request.body.get("input")));
        let items = compact::expand(items);
        check_outputs(&items)?;
        Ok(Self { items, instructions: request.text("instructions").map(str::to_owned) })
    }

    /// Returns the text of the newest user message.
    pub(crate) fn last_user_text(&self) -> String {
        self.items.iter().rev().find(|item| is_message(item, "user")).map(text_of).unwrap_or_default()
    }

    /// Returns the texts of system and developer messages and of `instructions`, in order.
    pub(crate) fn prompts(&self) -> Vec<String> {
        let spoken = |item: &&Value| is_message(item, "system") || is_message(item, "developer");
        self.instructions.iter().cloned().chain(self.items.iter().filter(spoken).map(text_of)).collect()
    }

    /// Returns the outputs of calls after the newest user message.
    pub(crate) fn new_outputs(&self) -> Vec<String> {
        let after = self.items.iter().rev().take_while(|item| !is_message(item, "user"));
        let outputs = after.filter(|item| item.str_at("type") == Some("function_call_output"));
        let mut outputs: Vec<String> = outputs.map(|item| content_text(item.get("output"))).collect();
        outputs.reverse();
        outputs
    }

    /// Returns how often calls were answered after the newest user message.
    pub(crate) fn rounds(&self) -> usize {
        let after = self.items.iter().rev().take_while(|item| !is_message(item, "user"));
        let outputs: Vec<bool> = after.map(|item| item.str_at("type") == Some("function_call_output")).collect();
        outputs.chunk_by(|one, next| one == next).filter(|run| run[0]).count()
    }

    /// Returns the number of images in the newest user message.
    pub(crate) fn images(&self) -> usize {
        let message = self.items.iter().rev().find(|item| is_message(item, "user"));
        let parts = message.and_then(|item| item.get("content")).and_then(Value::as_array).unwrap_or_default();
        parts.iter().filter(|part| part.str_at("type") == Some("input_image")).count()
    }

    /// Returns the word after a phrase, such as `my name is …`, in the newest user message that has it.
    pub(crate) fn recall(&self, phrase: &str) -> Option<String> {
        self.items.iter().rev().filter(|item| is_message(item, "user")).find_map(|item| {
            let text = text_of(item);
            let at = text.to_ascii_lowercase().find(phrase)?;
            let rest = text.get(at + phrase.len()..)?;
            let word: String = rest.trim_start().chars().take_while(|char| char.is_alphanumeric()).collect();
            (!word.is_empty()).then_some(word)
        })
    }

    /// Returns the number of words, which the script uses as tokens.
    pub(crate) fn tokens(&self) -> u64 {
        let words = |text: &str| text.split_whitespace().count() as u64;
        let prompts = self.instructions.as_deref().map_or(0, words);
        prompts + self.items.iter().map(|item| words(&text_of(item)).max(1)).sum::<u64>()
    }
}

/// Refuses the output of a call that is not in the conversation before it.
fn check_outputs(items: &[Value]) -> Result<(), ApiError> {
    let mut calls = HashSet::new();
    for item in items {
        let Some(kind) = item.str_at("type") else { continue };
        let (call, id) = match kind {
            "mcp_approval_request" => (kind, "id"),
            "mcp_approval_response" => ("mcp_approval_request", "approval_request_id"),
            _ => (kind.strip_suffix("_output").unwrap_or(kind), "call_id"),
        };
        let Some(id) = item.str_at(id) else { continue };
        if call == kind {
            calls.insert((call, id));
        } else if !calls.contains(&(call, id)) {
            let message = format!("No `{call}` with the id `{id}` comes before this `{kind}`.");
            return Err(invalid("tool_call_not_found", message).with_param("input"));
        }
    }
    Ok(())
}

pub(crate) fn not_found(id: &str) -> ApiError {
    let message = format!("The response `{id}` does not exist, so it cannot be continued.");
    ApiError::new(ErrorType::NotFound, "previous_response_not_found", message).with_param("previous_response_id")
}

/// Returns the input as items: a text becomes a user message.
pub(crate) fn input_items(input: Option<&Value>) -> Vec<Value> {
    match input {
        Some(Value::String(text)) => {
            let mut message = Object::new();
            message.push("type", "message");
            message.push("role", "user");
            message.push("content", text.as_str());
            vec![Value::Object(message)]
        }
        Some(Value::Array(items)) => items.clone(),
        _ => Vec::new(),
    }
}

/// Returns the text of an item of any type.
pub(crate) fn text_of(item: &Value) -> String {
    match item.str_at("type") {
        Some("function_call") => item.str_at("arguments").unwrap_or_default().to_owned(),
        Some("function_call_output") => content_text(item.get("output")),
        _ => content_text(item.get("content")),
    }
}

fn content_text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.str_at("text").or(part.str_at("refusal"))).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

fn is_message(item: &Value, role: &str) -> bool {
    item.str_at("type").is_none_or(|kind| kind == "message") && item.str_at("role") == Some(role)
}
