//! [`OpenItem`]: an item while it is written; after its end only its JSON text.
//!
//! Streamed and pending contents are separate. A failed response contains its open items exactly as streamed, without fields that
//! were set and not written yet.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::field_map::FieldMap;
use super::item_definitions::{InitialValue, InputField, ItemDefinition, ItemParts, ToolState};
use crate::contract::text_route::TextPart;
use crate::contract::{ItemKind, Kind};
use crate::json::{write_string, Object, Value};
use crate::named::display_name;

#[derive(Clone, Debug)]
pub(crate) struct OpenItem {
    pub(crate) definition: &'static ItemDefinition,
    pub(crate) id: String,
    pub(crate) done: bool,
    /// True if the item was closed as incomplete, whatever its status on the wire.
    pub(crate) incomplete: bool,
    pub(crate) status: Cow<'static, str>,
    /// All fields in order, as in `output_item.added`. Streamed fields are placeholders.
    pub(crate) fields: FieldMap,
    /// Fields for `output_item.done`.
    pub(crate) pending: FieldMap,
    pub(crate) content: Vec<OpenPart>,
    pub(crate) summary: Vec<OpenPart>,
    pub(crate) commands: Vec<String>,
    pub(crate) outputs: Vec<ShellOutput>,
    /// True if the edition has events for `outputs`.
    pub(crate) outputs_shown: bool,
    /// The open part, command or shell output; at most one.
    pub(crate) open: Option<OpenChild>,
    pub(crate) input: String,
    /// True if the edition has events for `input`.
    pub(crate) input_visible: bool,
    /// True after the input's done event.
    pub(crate) input_done: bool,
    /// The constant part of the delta events of the current text.
    pub(crate) delta_head: String,
    /// The last progress state that was written.
    pub(crate) progress: Option<ToolState>,
    pub(crate) images: u64,
    /// The JSON text of a done item; the fields above are then empty. Of a response without events between its snapshots the fields
    /// remain instead.
    pub(crate) json: String,
}

/// The open child of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenChild {
    Part(PartKind),
    Command,
    ShellOutput,
}

/// The output of one command of a shell call.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShellOutput {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// `outcome` and other fields, once the command has ended.
    pub(crate) rest: Object,
}

impl ShellOutput {
    pub(crate) fn write(&self, out: &mut String) {
        out.push_str("{\"stdout\":");
        write_string(&self.stdout, out);
        out.push_str(",\"stderr\":");
        write_string(&self.stderr, out);
        write_members(self.rest.iter(), out);
        out.push('}');
    }
}

/// A content part or summary part.
#[derive(Clone, Debug)]
pub(crate) struct OpenPart {
    pub(crate) kind: PartKind,
    pub(crate) text: String,
    pub(crate) annotations: Vec<Value>,
    /// The elements of the list of log probabilities, as JSON text.
    pub(crate) logprobs: String,
    /// Log probabilities for the next delta.
    pub(crate) pending_logprobs: String,
    /// Extension fields of the part, written when it closes.
    pub(crate) pending: FieldMap,
    pub(crate) extra: FieldMap,
}

/// The types of parts that a model writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
        self.text_part().name()
    }

    /// The kind for a part's `type`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Text, Self::Refusal, Self::Reasoning, Self::Summary].into_iter().find(|kind| kind.name() == name)
    }

    /// The field with the part's text, in the part and in the done event.
    pub(crate) fn field(self) -> &'static str {
        self.text_part().field()
    }

    /// The same type in the contract's table.
    fn text_part(self) -> TextPart {
        match self {
            Self::Text => TextPart::OutputText,
            Self::Refusal => TextPart::Refusal,
            Self::Reasoning => TextPart::ReasoningText,
            Self::Summary => TextPart::SummaryText,
        }
    }

    /// Returns `true` if items of this type have such parts.
    pub(crate) fn fits(self, item: ItemKind) -> bool {
        self.text_part().item() == item
    }

    /// The added, delta, done and closing events. `openai`: raw reasoning has OpenAI's names.
    ///
    /// A table beside `text_route`, because that table cannot be searched for the name of raw reasoning, which has two, and this one is
    /// read for each delta. A test compares both.
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

impl OpenPart {
    pub(crate) fn new(kind: PartKind) -> Self {
        Self {
            kind,
            text: String::new(),
            annotations: Vec::new(),
            logprobs: String::new(),
            pending_logprobs: String::new(),
            pending: FieldMap::default(),
            extra: FieldMap::default(),
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
        write_members(self.extra.iter(), out);
        out.push('}');
    }
}

impl OpenItem {
    pub(crate) fn new(definition: &'static ItemDefinition, id: String, fields: FieldMap) -> Self {
        Self {
            definition,
            id,
            done: false,
            incomplete: false,
            status: Cow::Borrowed("in_progress"),
            fields,
            pending: FieldMap::default(),
            content: Vec::new(),
            summary: Vec::new(),
            commands: Vec::new(),
            outputs: Vec::new(),
            outputs_shown: true,
            open: None,
            input: String::new(),
            input_visible: true,
            input_done: false,
            delta_head: String::new(),
            progress: None,
            images: 0,
            json: String::new(),
        }
    }

    /// The open part.
    pub(crate) fn part_mut(&mut self) -> Option<&mut OpenPart> {
        match self.open? {
            OpenChild::Part(PartKind::Summary) => self.summary.last_mut(),
            OpenChild::Part(_) => self.content.last_mut(),
            OpenChild::Command | OpenChild::ShellOutput => None,
        }
    }

    /// The streamed input, if the item has one: a patch that deletes a file has no diff.
    pub(crate) fn input(&self) -> Option<InputField> {
        let input = self.definition.input?;
        match input.inside {
            Some(holder) => self.fields.get(holder).and_then(|holder| holder.get(input.key)).map(|_| input),
            None => Some(input),
        }
    }

    /// Returns `true` for a field that only the writer sets.
    pub(crate) fn is_writer_field(&self, key: &str) -> bool {
        matches!(key, "type" | "id" | "status" | "call_id")
            || self.definition.input.is_some_and(|input| input.inside.unwrap_or(input.key) == key)
            || match self.definition.parts {
                ItemParts::Message => key == "content",
                ItemParts::Reasoning => matches!(key, "content" | "summary"),
                ItemParts::Commands => key == "action",
                ItemParts::Outputs => key == "output",
                ItemParts::None => false,
            }
    }

    /// Appends the item as streamed so far.
    pub(crate) fn write(&self, out: &mut String) {
        if !self.json.is_empty() {
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
        let initial = self.definition.fields.iter().find(|(name, _)| *name == key).map(|(_, initial)| *initial);
        let input = self.definition.input;
        match initial {
            Some(InitialValue::Status) => write_string(&self.status, out),
            Some(InitialValue::Content) => write_parts(&self.content, out),
            Some(InitialValue::Summary) => {
                write_parts(&self.summary, out);
                // Omitted while empty, because an empty list is invalid when the item is sent back as input.
                if !self.content.is_empty() {
                    out.push_str(",\"content\":");
                    write_parts(&self.content, out);
                }
            }
            Some(InitialValue::Input) => write_string(self.visible_input(), out),
            Some(InitialValue::Commands) => {
                write_with_member(value, "commands", out, |out| {
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
            Some(InitialValue::Outputs) => {
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
                write_with_member(value, input.map_or("", |input| input.key), out, |out| {
                    write_string(self.visible_input(), out);
                });
            }
            _ => value.write_into(out),
        }
    }

    fn visible_input(&self) -> &str {
        if self.input_visible {
            &self.input
        } else {
            ""
        }
    }
}

/// Writes an object with a different value for one key.
fn write_with_member(value: &Value, inner: &str, out: &mut String, write: impl Fn(&mut String)) {
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

fn write_parts(parts: &[OpenPart], out: &mut String) {
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

/// Writes members after other members.
pub(crate) fn write_members<'a>(members: impl Iterator<Item = (&'a str, &'a Value)>, out: &mut String) {
    for (key, value) in members {
        out.push(',');
        write_string(key, out);
        out.push(':');
        value.write_into(out);
    }
}

display_name!(PartKind);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::text_route::{text_route, TextStep, TextTarget};

    #[test]
    fn the_events_of_a_part_extend_its_text() {
        for part in [PartKind::Text, PartKind::Refusal, PartKind::Reasoning, PartKind::Summary] {
            let target =
                if part == PartKind::Summary { TextTarget::Summary } else { TextTarget::Content(part.text_part()) };
            for openai in [false, true] {
                let [_, delta, done, _] = part.kinds(openai);
                for (kind, step) in [(delta, TextStep::Delta), (done, TextStep::Done)] {
                    let route = text_route(kind).unwrap_or_else(|| panic!("{kind} has no route"));
                    assert_eq!(
                        (route.item, route.target, route.step),
                        (part.text_part().item(), target, step),
                        "{kind}"
                    );
                }
                assert_eq!(done.name(), delta.name().replace(".delta", ".done"));
            }
        }
    }
}
