//! [`Slot`]: one item while it is written, and its JSON text afterwards.
//!
//! A slot keeps apart what the stream has shown and what it has not. A failed response shows its open items exactly as
//! far as the events have told them (snapshot = fold), so a field that was set but not yet sent stays out of it.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::shape::{Holds, Input, Shape, Zero};
use crate::contract::Kind;
use crate::json::{write_string, Object, Value};

#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) shape: &'static Shape,
    pub(crate) id: String,
    pub(crate) done: bool,
    /// Whether it was closed as incomplete, in whatever word its type has for that.
    pub(crate) cut: bool,
    pub(crate) status: Cow<'static, str>,
    /// Every field in order, as shown by `output_item.added`. Those that grow hold their place only.
    pub(crate) fields: Object,
    /// Fields that `output_item.done` will show.
    pub(crate) pending: Object,
    pub(crate) content: Vec<Part>,
    pub(crate) summary: Vec<Part>,
    pub(crate) commands: Vec<String>,
    pub(crate) outputs: Vec<Output>,
    /// Whether the events of `outputs` are part of the edition.
    pub(crate) outputs_shown: bool,
    /// The part or command that is open; never more than one.
    pub(crate) open: Option<Open>,
    pub(crate) input: String,
    /// Whether the events of `input` are part of the edition.
    pub(crate) input_shown: bool,
    /// Whether the input was told to be whole.
    pub(crate) input_said: bool,
    /// The part of a delta event that does not change while the same string grows.
    pub(crate) head: String,
    /// How many steps of the shape's progress have been told.
    pub(crate) progress: usize,
    pub(crate) images: u64,
    /// The whole item, once it is done; then everything above is empty.
    pub(crate) json: String,
}

/// What is open in an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    Part(PartKind),
    Command,
    Output,
}

/// What one command of a shell call has printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// `outcome` and whatever else is known, once the command has ended.
    pub(crate) rest: Object,
}

impl Output {
    pub(crate) fn write(&self, out: &mut String) {
        out.push_str("{\"stdout\":");
        write_string(&self.stdout, out);
        out.push_str(",\"stderr\":");
        write_string(&self.stderr, out);
        write_members(&self.rest, out);
        out.push('}');
    }
}

/// A content or summary part.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) kind: PartKind,
    pub(crate) text: String,
    pub(crate) annotations: Vec<Value>,
    /// Elements of the list of log probabilities, as JSON text.
    pub(crate) logprobs: String,
    /// Log probabilities that wait for the next delta.
    pub(crate) waiting: String,
    /// Fields of the part beyond the schema, shown when it closes.
    pub(crate) pending: Object,
    pub(crate) extra: Object,
}

/// The types of parts that a model writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartKind {
    /// `output_text` in a message.
    Text,
    /// `refusal` in a message.
    Refusal,
    /// `reasoning_text` in the content of a reasoning item.
    Reasoning,
    /// `summary_text` in the summary of a reasoning item.
    Summary,
}

impl PartKind {
    /// The part's `type`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "output_text",
            Self::Refusal => "refusal",
            Self::Reasoning => "reasoning_text",
            Self::Summary => "summary_text",
        }
    }

    /// The kind of a part's `type`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Text, Self::Refusal, Self::Reasoning, Self::Summary].into_iter().find(|kind| kind.name() == name)
    }

    /// The field that holds its text, in the part and in the done event.
    pub(crate) fn field(self) -> &'static str {
        match self {
            Self::Refusal => "refusal",
            _ => "text",
        }
    }

    pub(crate) fn fits(self, holds: Holds) -> bool {
        match self {
            Self::Text | Self::Refusal => holds == Holds::Message,
            Self::Reasoning | Self::Summary => holds == Holds::Reasoning,
        }
    }

    /// Opening, delta, done and closing events.
    pub(crate) fn kinds(self, openai: bool) -> [Kind; 4] {
        use Kind::{ContentPartAdded, ContentPartDone};
        match self {
            Self::Text => [ContentPartAdded, Kind::OutputTextDelta, Kind::OutputTextDone, ContentPartDone],
            Self::Refusal => [ContentPartAdded, Kind::RefusalDelta, Kind::RefusalDone, ContentPartDone],
            Self::Reasoning if openai => {
                [ContentPartAdded, Kind::ReasoningTextDelta, Kind::ReasoningTextDone, ContentPartDone]
            }
            Self::Reasoning => [ContentPartAdded, Kind::ReasoningDelta, Kind::ReasoningDone, ContentPartDone],
            Self::Summary => [
                Kind::ReasoningSummaryPartAdded,
                Kind::ReasoningSummaryTextDelta,
                Kind::ReasoningSummaryTextDone,
                Kind::ReasoningSummaryPartDone,
            ],
        }
    }
}

impl Part {
    pub(crate) fn new(kind: PartKind) -> Self {
        Self {
            kind,
            text: String::new(),
            annotations: Vec::new(),
            logprobs: String::new(),
            waiting: String::new(),
            pending: Object::new(),
            extra: Object::new(),
        }
    }

    pub(crate) fn write(&self, out: &mut String) {
        out.push_str("{\"type\":\"");
        out.push_str(self.kind.name());
        out.push_str("\",\"");
        out.push_str(self.kind.field());
        out.push_str("\":");
        write_string(&self.text, out);
        if self.kind == PartKind::Text {
            out.push_str(",\"annotations\":[");
            write_list(&self.annotations, out);
            out.push_str("],\"logprobs\":[");
            out.push_str(&self.logprobs);
            out.push(']');
        }
        write_members(&self.extra, out);
        out.push('}');
    }
}

impl Slot {
    pub(crate) fn new(shape: &'static Shape, id: String, fields: Object) -> Self {
        Self {
            shape,
            id,
            done: false,
            cut: false,
            status: Cow::Borrowed("in_progress"),
            fields,
            pending: Object::new(),
            content: Vec::new(),
            summary: Vec::new(),
            commands: Vec::new(),
            outputs: Vec::new(),
            outputs_shown: true,
            open: None,
            input: String::new(),
            input_shown: true,
            input_said: false,
            head: String::new(),
            progress: 0,
            images: 0,
            json: String::new(),
        }
    }

    /// The open part.
    pub(crate) fn part_mut(&mut self) -> Option<&mut Part> {
        match self.open? {
            Open::Part(PartKind::Summary) => self.summary.last_mut(),
            Open::Part(_) => self.content.last_mut(),
            Open::Command | Open::Output => None,
        }
    }

    /// The string that grows, if the item has one now: a patch that deletes a file has no diff.
    pub(crate) fn input(&self) -> Option<Input> {
        let input = self.shape.input?;
        match input.inside {
            Some(holder) => self.fields.get(holder).and_then(|holder| holder.get(input.key)).map(|_| input),
            None => Some(input),
        }
    }

    /// Says whether a field is written by the writer alone.
    pub(crate) fn owns(&self, key: &str) -> bool {
        matches!(key, "type" | "id" | "status" | "call_id")
            || self.shape.input.is_some_and(|input| input.inside.unwrap_or(input.key) == key)
            || match self.shape.holds {
                Holds::Message => key == "content",
                Holds::Reasoning => matches!(key, "content" | "summary"),
                Holds::Commands => key == "action",
                Holds::Outputs => key == "output",
                Holds::Nothing => false,
            }
    }

    /// Appends the item as the events have told it.
    pub(crate) fn write(&self, out: &mut String) {
        if self.done {
            out.push_str(&self.json);
            return;
        }
        let mut between = '{';
        for (key, value) in self.fields.iter() {
            out.push(between);
            between = ',';
            write_string(key, out);
            out.push(':');
            self.write_field(key, value, out);
        }
        out.push('}');
    }

    fn write_field(&self, key: &str, value: &Value, out: &mut String) {
        let zero = self.shape.fields.iter().find(|(name, _)| *name == key).map(|(_, zero)| *zero);
        let input = self.shape.input;
        match zero {
            Some(Zero::Status) => write_string(&self.status, out),
            Some(Zero::Content) => write_parts(&self.content, out),
            Some(Zero::Summary) => {
                write_parts(&self.summary, out);
                // Left out while empty: an empty list is not valid when the item is sent back as input.
                if !self.content.is_empty() {
                    out.push_str(",\"content\":");
                    write_parts(&self.content, out);
                }
            }
            Some(Zero::Input) => write_string(self.shown_input(), out),
            Some(Zero::Commands) => {
                write_around(value, "commands", out, |out| {
                    out.push('[');
                    for (at, command) in self.commands.iter().enumerate() {
                        if at > 0 {
                            out.push(',');
                        }
                        write_string(command, out);
                    }
                    out.push(']');
                });
            }
            Some(Zero::Outputs) => {
                out.push('[');
                for (at, output) in self.outputs.iter().filter(|_| self.outputs_shown).enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    output.write(out);
                }
                out.push(']');
            }
            _ if input.is_some_and(|input| input.inside == Some(key)) => {
                write_around(value, input.map_or("", |input| input.key), out, |out| {
                    write_string(self.shown_input(), out);
                });
            }
            _ => value.write_into(out),
        }
    }

    fn shown_input(&self) -> &str {
        if self.input_shown {
            &self.input
        } else {
            ""
        }
    }
}

/// Writes an object; the member of one key gets another value.
fn write_around(value: &Value, inner: &str, out: &mut String, write: impl Fn(&mut String)) {
    let Some(object) = value.as_object() else {
        value.write_into(out);
        return;
    };
    let mut between = '{';
    for (key, value) in object.iter() {
        out.push(between);
        between = ',';
        write_string(key, out);
        out.push(':');
        if key == inner {
            write(out);
        } else {
            value.write_into(out);
        }
    }
    out.push_str(if between == '{' { "{}" } else { "}" });
}

fn write_parts(parts: &[Part], out: &mut String) {
    out.push('[');
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        part.write(out);
    }
    out.push(']');
}

pub(crate) fn write_list(values: &[Value], out: &mut String) {
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        value.write_into(out);
    }
}

/// Writes members behind others.
pub(crate) fn write_members(object: &Object, out: &mut String) {
    for (key, value) in object.iter() {
        out.push(',');
        write_string(key, out);
        out.push(':');
        value.write_into(out);
    }
}
