//! One output item: its parts, its accumulated text, and the content of its done event.

use serde_json::{json, Value};

use super::Table;

/// A violation: the rule, and a description.
type Violation = (&'static str, String);

/// An item, from its added event to its done event.
pub(super) struct Item {
    /// The item accumulated from the events so far; after the done event, its item.
    value: Value,
    added: Value,
    /// The list and position of the open part.
    open: Option<(&'static str, usize)>,
    /// `true` if the done event of the open part's text, or of the item's own text, has arrived.
    is_done_reported: bool,
    done: bool,
}

/// Events of a part's text: their name, the type of the part, its field, its list, and the name of its index.
const PARTS: [(&str, &str, &str, &str, &str); 5] = [
    ("response.output_text", "output_text", "text", "content", "content_index"),
    ("response.refusal", "refusal", "refusal", "content", "content_index"),
    ("response.reasoning", "reasoning_text", "text", "content", "content_index"),
    ("response.reasoning_text", "reasoning_text", "text", "content", "content_index"),
    ("response.reasoning_summary_text", "summary_text", "text", "summary", "summary_index"),
];

/// Events of a text without a part: their name, the type of the item, the place of the text, its field in the done event.
const INPUTS: [(&str, &str, &str, &str); 5] = [
    ("response.function_call_arguments", "function_call", "/arguments", "arguments"),
    ("response.custom_tool_call_input", "custom_tool_call", "/input", "input"),
    ("response.mcp_call_arguments", "mcp_call", "/arguments", "arguments"),
    ("response.code_interpreter_call_code", "code_interpreter_call", "/code", "code"),
    ("response.apply_patch_call_operation_diff", "apply_patch_call", "/operation/diff", "diff"),
];

impl Item {
    pub(super) fn new(value: Value) -> Self {
        Self { added: value.clone(), value, open: None, is_done_reported: false, done: false }
    }

    pub(super) fn id(&self) -> &str {
        self.value["id"].as_str().unwrap_or_default()
    }

    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// Returns `true` if the item ended incomplete. A patch has no other status for that than `in_progress`.
    pub(super) fn is_cut(&self) -> bool {
        self.done && ["incomplete", "in_progress"].iter().any(|status| self.value["status"] == **status)
    }

    pub(super) fn is_call(&self) -> bool {
        self.value["type"].as_str().is_some_and(|kind| kind.ends_with("_call"))
    }

    /// Returns the item accumulated from the events so far.
    pub(super) fn folded(&self) -> Value {
        self.value.clone()
    }

    /// Returns the violations of the item as it was added (ITEM-01, ITEM-04, ITEM-05, ITEM-18).
    pub(super) fn at_start(&self, table: &Table) -> Vec<Violation> {
        let mut broken = Vec::new();
        let item = &self.added;
        if !table.has_item(item) {
            broken.push(("ITEM-18", format!("the edition has no item type {}", item["type"])));
        }
        broken.extend(
            table.missing_item_fields(item).into_iter().map(|field| ("ITEM-04", format!("no usable `{field}`"))),
        );
        for key in ["role", "name"] {
            if item[key] == "" {
                broken.push(("ITEM-04", format!("`{key}` is empty")));
            }
        }
        let status = item["status"].as_str().unwrap_or_default();
        // If the contract has no status for work in progress, the item is complete from the start.
        let fits = match table.has_status(item, "in_progress") {
            true => status == "in_progress",
            false => table.has_status(item, status),
        };
        if !fits {
            broken.push(("ITEM-05", format!("added as {status:?}")));
        }
        let grows = ["content", "summary", "arguments", "input", "code"];
        for key in grows.iter().filter(|key| self.grows(key)) {
            if item.get(*key).is_some_and(|value| *value != json!([]) && *value != json!("")) {
                broken.push(("ITEM-04", format!("`{key}` is not empty yet")));
            }
        }
        broken
    }

    /// Returns `true` if events make the field grow.
    fn grows(&self, key: &str) -> bool {
        let kind = self.added["type"].as_str().unwrap_or_default();
        match key {
            "content" | "summary" => matches!(kind, "message" | "reasoning"),
            _ => INPUTS.iter().any(|(_, item, pointer, _)| *item == kind && pointer[1..] == *key),
        }
    }

    /// Applies an event of the item, and returns its violations.
    pub(super) fn take(&mut self, event: &Value, kind: &str, table: &Table) -> Vec<Violation> {
        let mut broken = Vec::new();
        if self.done {
            broken.push(("ITEM-07", "the item is done".to_owned()));
        }
        let nameless = kind.starts_with("response.output_item.") || kind.starts_with("response.shell_call_command.");
        if !nameless && event["item_id"] != self.value["id"] {
            broken.push(("ITEM-11", "the id of another item".to_owned()));
        }
        let wrong = match kind {
            "response.output_item.done" => return [broken, self.finish(&event["item"], table)].concat(),
            "response.content_part.added" => self.open_part(event, "content", "content_index"),
            "response.reasoning_summary_part.added" => self.open_part(event, "summary", "summary_index"),
            "response.content_part.done" => self.close_part(event, "content", "content_index"),
            "response.reasoning_summary_part.done" => self.close_part(event, "summary", "summary_index"),
            "response.output_text.annotation.added" => self.annotate(event),
            _ if kind.starts_with("response.shell_call_command.") => self.command(event, kind),
            _ if kind.starts_with("response.shell_call_output_content.") => self.output(event, kind),
            _ => match kind.rsplit_once('.') {
                Some((family, step @ ("delta" | "done"))) => self.text(event, family, step),
                Some((family, step)) => self.progress(event, family, step),
                None => Some(("EXT-02", format!("what is {kind}?"))),
            },
        };
        broken.extend(wrong);
        broken
    }

    fn open_part(&mut self, event: &Value, list: &'static str, index: &str) -> Option<Violation> {
        let part = &event["part"];
        let holder = self.value["type"].as_str().unwrap_or_default();
        let expected = match (holder, list, part["type"].as_str().unwrap_or_default()) {
            ("message", "content", "output_text") => {
                json!({"type": "output_text", "text": "", "annotations": [], "logprobs": []})
            }
            ("message", "content", "refusal") => json!({"type": "refusal", "refusal": ""}),
            ("reasoning", "content", "reasoning_text") => json!({"type": "reasoning_text", "text": ""}),
            ("reasoning", "summary", "summary_text") => json!({"type": "summary_text", "text": ""}),
            (holder, _, part) => return Some(("PART-12", format!("a part {part} in {holder}.{list}"))),
        };
        if self.open.is_some() {
            return Some(("PART-05", "the previous part is still open".into()));
        }
        if self.value.get(list).is_none() {
            self.value[list] = json!([]);
        }
        let parts = self.value[list].as_array_mut()?;
        if event[index].as_u64() != Some(parts.len() as u64) {
            return Some(("PART-08", "not the next index".into()));
        }
        self.open = Some((list, parts.len()));
        self.is_done_reported = false;
        parts.push(part.clone());
        (*part != expected).then(|| ("PART-09", "the part is not empty, or incomplete".into()))
    }

    /// Returns the open part, if the event names it.
    fn part(&mut self, event: &Value, list: &str, index: &str) -> Option<&mut Value> {
        let (place, at) = self.open.filter(|(place, _)| *place == list)?;
        (event[index].as_u64() == Some(at as u64)).then(|| &mut self.value[place][at])
    }

    fn close_part(&mut self, event: &Value, list: &str, index: &str) -> Option<Violation> {
        let is_done_reported = self.is_done_reported;
        let Some(part) = self.part(event, list, index) else {
            return Some(("PART-05", "no such part is open".into()));
        };
        let mut expected = part.clone();
        // Fields that the sender adds are shown when the part closes.
        for (key, value) in event["part"].as_object().into_iter().flatten().filter(|(key, _)| key.contains(':')) {
            expected[key] = value.clone();
        }
        let same = event["part"] == expected;
        *part = expected;
        self.open = None;
        if !is_done_reported {
            return Some(("PART-04", "the part closes before the done event of its text".into()));
        }
        (!same).then(|| ("PART-10", "the part differs from the accumulated one".into()))
    }

    fn annotate(&mut self, event: &Value) -> Option<Violation> {
        let Some(part) = self.part(event, "content", "content_index").filter(|part| part["type"] == "output_text")
        else {
            return Some(("ANN-01", "no open output_text part".into()));
        };
        let annotation = &event["annotation"];
        let bytes = part["text"].as_str().map_or(0, str::len) as u64;
        let annotations = part["annotations"].as_array_mut()?;
        if event["annotation_index"].as_u64() != Some(annotations.len() as u64) {
            return Some(("ANN-02", "not the next index".into()));
        }
        annotations.push(annotation.clone());
        let [start, end] = ["start_index", "end_index"].map(|key| annotation[key].as_u64());
        (start > end || end > Some(bytes)).then(|| ("ANN-05", "out of range".into()))
    }

    /// A delta or done event: of a part, or of a text of the item itself.
    fn text(&mut self, event: &Value, family: &str, step: &str) -> Option<Violation> {
        if self.is_done_reported {
            return Some(("PART-11", "the text already had its done event".into()));
        }
        let kind = self.value["type"].as_str().unwrap_or_default().to_owned();
        let (text, logprobs, field) = if let Some((_, part, field, list, index)) =
            PARTS.iter().find(|row| row.0 == family)
        {
            let Some(found) = self.part(event, list, index).filter(|found| found["type"] == *part) else {
                return Some(("PART-02", format!("no open {part} part")));
            };
            let logs = (*part == "output_text").then(|| found["logprobs"].take());
            (&mut found[*field], logs, *field)
        } else if let Some((_, _, pointer, field)) = INPUTS.iter().find(|row| row.0 == family && row.1 == kind) {
            let Some(found) = self.value.pointer_mut(pointer) else { return Some(("ARG-01", format!("no {pointer}"))) };
            (found, None, *field)
        } else {
            return Some(("PART-07", format!("{family} in an item of type {kind}")));
        };
        let so_far = text.as_str().unwrap_or_default().to_owned();
        let mut wrong = None;
        if step == "delta" {
            let delta = event["delta"].as_str().unwrap_or_default();
            if delta.is_empty() {
                wrong = Some(("I6", "an empty delta, or none".into()));
            }
            *text = json!(so_far + delta);
        } else if event[field] != *so_far {
            wrong = Some(("TEXT-01", "the done text differs from the deltas".into()));
        }
        if let Some(Value::Array(mut all)) = logprobs {
            let Some(more) = event["logprobs"].as_array() else { return Some(("TEXT-03", "no logprobs".into())) };
            if step == "delta" {
                all.extend(more.iter().cloned());
            } else {
                // The done event may have more log probabilities than the deltas, but no others.
                if !more.starts_with(&all) {
                    wrong = Some(("TEXT-05", "the logprobs do not continue those of the deltas".into()));
                }
                all.clone_from(more);
            }
            if let Some(part) = self.part(event, "content", "content_index") {
                part["logprobs"] = json!(all);
            }
        }
        self.is_done_reported = step == "done";
        wrong
    }

    fn command(&mut self, event: &Value, kind: &str) -> Option<Violation> {
        let commands = self.value.pointer_mut("/action/commands").and_then(Value::as_array_mut)?;
        let at = event["command_index"].as_u64().unwrap_or(u64::MAX) as usize;
        let open = self.open.filter(|(list, _)| *list == "commands").map(|(_, at)| at);
        if kind.ends_with(".added") {
            if at != commands.len() || open.is_some() || event["command"] != "" {
                return Some(("ARG-07", "not the next command, not empty, or another is open".into()));
            }
            commands.push(json!(""));
            self.open = Some(("commands", at));
            return None;
        }
        if open != Some(at) {
            return Some(("ARG-07", "no such command is open".into()));
        }
        let so_far = commands[at].as_str().unwrap_or_default().to_owned();
        if kind.ends_with(".delta") {
            let delta = event["delta"].as_str().unwrap_or_default();
            commands[at] = json!(so_far + delta);
            return delta.is_empty().then(|| ("I6", "an empty delta, or none".into()));
        }
        self.open = None;
        (event["command"] != *so_far).then(|| ("ARG-02", "the command differs from the deltas".into()))
    }

    /// The output of a command (OpenAI): each entry grows, and its done event has the outcome.
    fn output(&mut self, event: &Value, kind: &str) -> Option<Violation> {
        let outputs = self.value["output"].as_array_mut()?;
        let at = event["command_index"].as_u64().unwrap_or(u64::MAX) as usize;
        if at == outputs.len() && self.open.is_none() {
            outputs.push(json!({"stdout": "", "stderr": ""}));
            self.open = Some(("output", at));
        }
        if self.open != Some(("output", at)) {
            return Some(("ARG-07", "not the next output, or another is open".into()));
        }
        if kind.ends_with(".delta") {
            for key in ["stdout", "stderr"] {
                let more = event["delta"][key].as_str().unwrap_or_default();
                outputs[at][key] = json!(outputs[at][key].as_str().unwrap_or_default().to_owned() + more);
            }
            return None;
        }
        let done_output = &event["output"][0];
        let same = ["stdout", "stderr"].iter().all(|key| done_output[key] == outputs[at][key])
            && done_output["outcome"].is_object();
        outputs[at] = done_output.clone();
        self.open = None;
        (!same).then(|| ("ARG-02", "the output differs from the deltas".into()))
    }

    /// A step of a hosted tool: it becomes the item's status if the contract has such a status.
    fn progress(&mut self, event: &Value, family: &str, step: &str) -> Option<Violation> {
        let kind = self.value["type"].as_str().unwrap_or_default().to_owned();
        if family.strip_prefix("response.") != Some(&kind) {
            return Some(("EXT-02", format!("{family} in an item of type {kind}")));
        }
        if step == "partial_image" {
            return (!event["partial_image_b64"].is_string()).then(|| ("TOOL-10", "a preview without an image".into()));
        }
        if !matches!(&*kind, "mcp_list_tools" | "compaction") {
            self.value["status"] = json!(step);
        }
        None
    }

    /// Compares the item of the done event with the accumulated item.
    fn finish(&mut self, item: &Value, table: &Table) -> Vec<Violation> {
        let mut broken = Vec::new();
        if self.open.is_some() {
            broken.push(("PART-05", "a part is still open".to_owned()));
        }
        for key in ["type", "id", "call_id"] {
            if item[key] != self.added[key] {
                broken.push(("ITEM-12", format!("`{key}` changes")));
            }
        }
        broken.extend(
            table.missing_item_fields(item).into_iter().map(|field| ("ITEM-01", format!("no usable `{field}`"))),
        );
        let status = item["status"].as_str().unwrap_or_default();
        let cut = if table.has_status(item, "incomplete") { "incomplete" } else { "in_progress" };
        if !["completed", "failed", cut].contains(&status) || !table.has_status(item, status) {
            broken.push(("ITEM-06", format!("done as {status:?}")));
        }
        // An item that is added complete does not change any more (ITEM-05, ITEM-07).
        if self.added["status"] != "in_progress" && *item != self.added {
            broken.push(("ITEM-07", "added as complete, and then changed".to_owned()));
        }
        let kind = item["type"].as_str().unwrap_or_default();
        for key in ["content", "summary"].iter().filter(|key| self.grows(key)) {
            if item.get(*key) != self.value.get(*key) {
                broken.push(("PART-10", format!("`{key}` differs from the accumulated value")));
            }
        }
        for (_, _, pointer, _) in INPUTS.iter().filter(|row| row.1 == kind && table.streams(row.0)) {
            let (said, text) = (item.pointer(pointer), self.value.pointer(pointer));
            if said != text {
                broken.push(("ARG-02", format!("{pointer} differs from the accumulated value")));
            }
            // A patch that deletes has no diff.
            if !self.is_done_reported && text.is_some() {
                broken.push(("ARG-01", format!("{pointer} had no done event")));
            }
            let json = matches!(kind, "function_call" | "mcp_call") && status == "completed";
            let fits = |text: &Value| text.as_str().is_some_and(|text| serde_json::from_str::<Value>(text).is_ok());
            if json && !said.is_some_and(fits) {
                broken.push(("ARG-03", format!("{pointer} of a complete call is not JSON")));
            }
        }
        if item.pointer("/action/commands") != self.value.pointer("/action/commands") {
            broken.push(("ARG-02", "the commands differ from the accumulated ones".to_owned()));
        }
        if kind == "reasoning"
            && ["content", "encrypted_content"].iter().any(|key| item.get(*key).is_some_and(Value::is_null))
        {
            broken.push(("RSN-02", "null where the field is left out".to_owned()));
        }
        self.value = item.clone();
        self.done = true;
        broken
    }
}
