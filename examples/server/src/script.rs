//! The scripted model: converts a request and its context to the steps of a response. The same input gives the same steps.
//!
//! The newest user message decides:
//!
//! | message | effect |
//! | --- | --- |
//! | a word of a tool's name (`get_weather`: "weather") | calls the tool, with arguments generated from its schema |
//! | `…, then …` | uses the text before it to select tools, and the text after it once those calls are answered |
//! | `count to 40` | counts, one token per number |
//! | `what is my name` | looks for "my name is …" in earlier turns |
//! | `please refuse` | refuses |
//! | `cite` | adds a citation |
//! | `wait until cancelled` | writes some text and waits |
//! | `fail with server_error` (or another error type) | writes some text and fails |
//! | anything else | repeats it, and reports the other inputs: prompts, images, outputs of tools |
//!
//! The model `scripted-careless` calls tools regardless of `tool_choice`, `parallel_tool_calls` and `max_tool_calls`.

use std::collections::VecDeque;

use deltafold::json::Value;
use deltafold::write::{ApiError, ErrorType};

use crate::context::Context;
use crate::request::{invalid, Request};
use crate::schema::example;

/// One step of the model.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Reasoning,
    ReasoningText(String),
    Summary(String),
    Encrypted(String),
    Message,
    Text(String),
    Refusal(String),
    Cite,
    Call(String),
    Arguments(String),
    Close,
    WaitForCancel,
    Fail(ApiError),
}

/// Maximum length of the user's text that is repeated.
const REPEATED: usize = 400;

/// Maximum number of words; a longer context must allow truncation.
const WINDOW: u64 = 200_000;

/// Writes the script of a response.
pub(crate) fn script(request: &Request, context: &Context) -> Result<VecDeque<Step>, ApiError> {
    if context.tokens() > WINDOW && request.text("truncation") != Some("auto") {
        let message = "The context is longer than the model's window, and `truncation` is disabled.";
        return Err(invalid("context_length_exceeded", message).with_param("input"));
    }
    let said = context.last_user_text();
    let lower = said.to_lowercase();
    let mut steps = VecDeque::new();
    think(request, &said, &mut steps);

    let calls = calls(request, context, &lower)?;
    if !calls.is_empty() {
        for (name, parameters) in calls {
            steps.push_back(Step::Call(name));
            steps.extend(pieces(&example(&parameters, &said).to_string(), 12).map(Step::Arguments));
            steps.push_back(Step::Close);
        }
        return Ok(steps);
    }

    steps.push_back(Step::Message);
    if lower.contains("please refuse") {
        steps.extend(words("I am not able to help with that.").map(Step::Refusal));
    } else if lower.contains("wait until cancelled") {
        steps.extend(words("I am waiting.").map(Step::Text));
        steps.push_back(Step::WaitForCancel);
    } else if let Some(kind) = lower.split("fail with ").nth(1) {
        let word: String = kind.chars().take_while(|char| char.is_ascii_alphabetic() || *char == '_').collect();
        let kind = ErrorType::from_name(&word).unwrap_or_default();
        steps.extend(words("One moment").map(Step::Text));
        steps.push_back(Step::Fail(ApiError::new(kind, "scripted_failure", "The script fails here on request.")));
    } else {
        steps.extend(words(&answer(request, context, &said, &lower)).map(Step::Text));
        if lower.contains("cite") {
            steps.push_back(Step::Cite);
        }
    }
    steps.push_back(Step::Close);
    Ok(steps)
}

/// Returns the reasoning before the answer, if the request enables it.
fn think(request: &Request, said: &str, steps: &mut VecDeque<Step>) {
    let reasoning = request.body.get("reasoning");
    let effort = reasoning.and_then(|reasoning| reasoning.str_at("effort"));
    if effort.is_none_or(|effort| effort == "none") {
        return;
    }
    steps.push_back(Step::Reasoning);
    if reasoning.and_then(|reasoning| reasoning.str_at("summary")).is_some() {
        steps.push_back(Step::Summary("Reading the request.".to_owned()));
    }
    let thought = format!("The user wrote {} words.", said.split_whitespace().count());
    steps.extend(words(&thought).map(Step::ReasoningText));
    if request.includes("reasoning.encrypted_content") {
        steps.push_back(Step::Encrypted("scripted.c2VhbGVk".to_owned()));
    }
    steps.push_back(Step::Close);
}

fn answer(request: &Request, context: &Context, said: &str, lower: &str) -> String {
    let format = request.body.get("text").and_then(|text| text.get("format"));
    match format.and_then(|format| format.str_at("type")) {
        Some("json_schema") => {
            let schema = format.and_then(|format| format.get("schema")).cloned().unwrap_or_default();
            return example(&schema, said).to_string();
        }
        Some("json_object") => {
            let mut out = String::from("{\"answer\":");
            deltafold::json::write_string(&shortened(said), &mut out);
            out.push('}');
            return out;
        }
        _ => {}
    }
    let outputs = context.new_outputs();
    if !outputs.is_empty() {
        return format!("The tool says: {}", shortened(&outputs.join("; ")));
    }
    if let Some(count) = lower.split("count to ").nth(1) {
        let digits: String = count.chars().take_while(char::is_ascii_digit).collect();
        let count = digits.parse::<u64>().unwrap_or(3).min(10_000);
        return (1..=count).map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
    }
    if lower.contains("what is my name") || lower.contains("what's my name") {
        return match context.recall("my name is ") {
            Some(name) => format!("Your name is {name}."),
            None => "You have not told me your name.".to_owned(),
        };
    }
    let mut out = String::new();
    if let Some(prompt) = context.prompts().first() {
        out.push_str(&format!("As told ({}): ", shortened(prompt)));
    }
    if context.images() > 0 {
        out.push_str(&format!("I see {} image(s). ", context.images()));
    }
    out.push_str(&format!("You said: {}", shortened(said)));
    out
}

/// Returns the functions to call, with their parameters. A careful model never calls a function that the request forbids (TOOL-05).
fn calls(request: &Request, context: &Context, lower: &str) -> Result<Vec<(String, Value)>, ApiError> {
    let functions: Vec<&Value> =
        request.list("tools").iter().filter(|tool| tool.str_at("type") == Some("function")).collect();
    let choice = request.body.get("tool_choice").filter(|_| request.is_careful());
    let (mode, allowed) = match choice {
        Some(Value::String(mode)) => (mode.as_str(), None),
        Some(choice) if choice.str_at("type") == Some("allowed_tools") => {
            (choice.str_at("mode").unwrap_or("auto"), choice.get("tools").and_then(Value::as_array))
        }
        Some(Value::Object(_)) => ("required", None),
        _ => ("auto", None),
    };
    let forced = choice.filter(|choice| choice.str_at("type") == Some("function")).and_then(|it| it.str_at("name"));
    let may = |tool: &&&Value| {
        let name = tool.str_at("name");
        forced.is_none_or(|forced| name == Some(forced))
            && allowed.is_none_or(|list| list.iter().any(|one| one.str_at("name") == name))
    };
    let usable: Vec<&Value> = functions.iter().filter(may).copied().collect();
    // One round of calls for each part of the user's message.
    let part = lower.split(", then ").nth(context.rounds());
    let wanted = |tool: &&&Value| {
        let name = tool.str_at("name").unwrap_or_default().to_lowercase();
        let said = part.unwrap_or(lower);
        name.split(['_', '-']).any(|word| word.len() > 3 && said.contains(word))
    };
    let mut chosen: Vec<&Value> = match mode {
        "none" => Vec::new(),
        "auto" if part.is_none() => Vec::new(),
        _ => usable.iter().filter(wanted).copied().collect(),
    };
    if mode == "required" && chosen.is_empty() {
        let first = usable.first().ok_or_else(|| {
            invalid("invalid_value", "A tool call is required, but the request has no function.")
                .with_param("tool_choice")
        })?;
        chosen.push(first);
    }
    if request.is_careful() {
        let parallel = request.body.get("parallel_tool_calls").and_then(Value::as_bool).unwrap_or(true);
        let most = request.number("max_tool_calls").unwrap_or(u64::MAX).min(if parallel { 8 } else { 1 });
        chosen.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    }
    let named = |tool: &Value| {
        // Arguments are an object, also for a tool without a schema of its parameters.
        let nothing = || Value::parse(r#"{"type":"object"}"#, 2).unwrap_or_default();
        let parameters = tool.get("parameters").filter(|it| !it.is_null()).cloned().unwrap_or_else(nothing);
        (tool.str_at("name").unwrap_or_default().to_owned(), parameters)
    };
    Ok(chosen.into_iter().map(named).collect())
}

fn shortened(text: &str) -> String {
    text.chars().take(REPEATED).collect()
}

/// Returns the words of a text, each with the space after it.
fn words(text: &str) -> impl Iterator<Item = String> + use<> {
    text.split_inclusive(char::is_whitespace).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// Splits a text into pieces of `size` characters.
fn pieces(text: &str, length: usize) -> impl Iterator<Item = String> + use<> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(length).map(|piece| piece.iter().collect()).collect::<Vec<String>>().into_iter()
}
