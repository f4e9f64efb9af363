//! Intents about the progress of hosted tools: states, preview images, shell commands and their output.

use super::emitter::{push_u64, Emitter};
use super::item_definitions::{ItemParts, ToolState};
use super::items::ItemHandle;
use super::open_item::{write_members, OpenChild, OpenItem, ShellOutput};
use super::parts::{close_input, close_open};
use super::writer::{invalid_argument, invalid_intent, Writer, ITEM_LEVELS};
use crate::contract::{ItemKind, Kind};
use crate::error::Error;
use crate::json::{write_string, Object, Value};

impl Writer {
    /// Writes a progress state of a hosted tool, such as [`ToolState::Searching`]. States cannot be repeated or go back.
    ///
    /// `InProgress` is written when the item is opened, `Completed` and `Failed` when it is closed. A state after the code of a
    /// code interpreter call closes the code first.
    pub fn progress(&mut self, item: ItemHandle, state: ToolState) -> Result<(), Error> {
        let at = self.open_index(item)?;
        let entry = &mut self.items[at];
        if matches!(state, ToolState::InProgress | ToolState::Completed | ToolState::Failed) {
            return Err(invalid_intent("opening and closing the item writes this state; expected another state"));
        }
        if entry.definition.state(state, self.options.edition).is_none() {
            return Err(invalid_intent("expected a progress state of this item type, found another one"));
        }
        if entry.progress >= Some(state) {
            return Err(invalid_intent("expected a later progress state, found an earlier or the same one"));
        }
        close_input(&mut self.emit, entry, at, true);
        self.write_state_event(at, state);
        Ok(())
    }

    /// Writes a base64 preview of an image in progress. `fields` may contain `size`, `quality`, `background` and `output_format`.
    pub fn partial_image(&mut self, item: ItemHandle, base64: &str, fields: &Object) -> Result<(), Error> {
        let at = self.open_index(item)?;
        let entry = &mut self.items[at];
        if entry.definition.kind != ItemKind::ImageGenerationCall {
            return Err(invalid_intent("expected an image generation call, found another item type"));
        }
        let known = ["size", "quality", "background", "output_format"];
        if !fields.iter().all(|(key, value)| known.contains(&key) && value.as_str().is_some()) {
            return Err(invalid_argument("expected strings in size, quality, background and output_format"));
        }
        self.emit.open(Kind::ImageGenerationCallPartialImage.name());
        self.emit.text("item_id", &entry.id);
        self.emit.number("output_index", at as u64);
        self.emit.number("partial_image_index", entry.images);
        self.emit.text("partial_image_b64", base64);
        write_members(fields.iter(), self.emit.raw_members());
        self.emit.close();
        entry.images += 1;
        Ok(())
    }

    /// Opens the next command of a shell call and closes the previous one.
    pub fn command(&mut self, item: ItemHandle) -> Result<(), Error> {
        let at = self.shell_call_index(item)?;
        let openai = self.openai();
        let entry = &mut self.items[at];
        close_open(&mut self.emit, entry, at, openai);
        command_event(&mut self.emit, Kind::ShellCallCommandAdded, at, entry.commands.len());
        self.emit.text("command", "");
        self.emit.close();
        entry.commands.push(Default::default());
        entry.open = Some(OpenChild::Command);

        entry.delta_head.clear();
        entry.delta_head.push_str(",\"output_index\":");
        push_u64(&mut entry.delta_head, at as u64);
        entry.delta_head.push_str(",\"command_index\":");
        push_u64(&mut entry.delta_head, entry.commands.len() as u64 - 1);
        entry.delta_head.push_str(",\"delta\":");
        Ok(())
    }

    /// Appends to the open command of a shell call; opens one if none is open.
    pub fn command_text(&mut self, item: ItemHandle, delta: &str) -> Result<(), Error> {
        let at = self.shell_call_index(item)?;
        if delta.is_empty() {
            return Ok(());
        }
        if self.items[at].open != Some(OpenChild::Command) {
            self.command(item)?;
        }
        let entry = &mut self.items[at];
        if let Some(command) = entry.commands.last_mut() {
            command.push_str(delta);
        }
        self.emit.open(Kind::ShellCallCommandDelta.name());
        self.emit.verbatim(&entry.delta_head);
        self.emit.string(delta);
        self.emit.close();
        Ok(())
    }

    /// Appends output of the current command of a shell call output; opens an entry if none is open.
    ///
    /// Only OpenAI has events for this. In other editions the output is written when the item closes.
    pub fn shell_output(&mut self, item: ItemHandle, stdout: &str, stderr: &str) -> Result<(), Error> {
        let at = self.shell_output_index(item)?;
        if stdout.is_empty() && stderr.is_empty() {
            return Ok(());
        }
        let entry = &mut self.items[at];
        if entry.open != Some(OpenChild::ShellOutput) {
            entry.outputs.push(ShellOutput::default());
            entry.open = Some(OpenChild::ShellOutput);
        }
        if let Some(output) = entry.outputs.last_mut() {
            output.stdout.push_str(stdout);
            output.stderr.push_str(stderr);
        }
        if entry.outputs_shown {
            self.emit.open(Kind::ShellCallOutputContentDelta.name());
            self.emit.text("item_id", &entry.id);
            self.emit.number("output_index", at as u64);
            self.emit.number("command_index", entry.outputs.len() as u64 - 1);
            let out = self.emit.raw("delta");
            let mut between = "{\"";
            for (key, text) in [("stdout", stdout), ("stderr", stderr)] {
                if !text.is_empty() {
                    out.push_str(between);
                    out.push_str(key);
                    out.push_str("\":");
                    write_string(text, out);
                    between = ",\"";
                }
            }
            out.push('}');
            self.emit.close();
        }
        Ok(())
    }

    /// Ends the current entry of a shell call output with its outcome, `{"type":"exit","exit_code":0}` or
    /// `{"type":"timeout"}`. The next output belongs to the next command.
    pub fn shell_outcome(&mut self, item: ItemHandle, outcome: Object) -> Result<(), Error> {
        let mut rest = Object::new();
        rest.push("outcome", outcome);
        self.end_shell_output(item, rest)
    }

    pub(crate) fn end_shell_output(&mut self, item: ItemHandle, rest: Object) -> Result<(), Error> {
        let at = self.shell_output_index(item)?;
        let mut probe = rest.clone();
        probe.insert("stdout", "");
        probe.insert("stderr", "");
        self.check_value(&Value::Object(probe), "FunctionShellCallOutputContent", ITEM_LEVELS + 1)?;
        let entry = &mut self.items[at];
        if entry.open != Some(OpenChild::ShellOutput) {
            entry.outputs.push(ShellOutput::default());
        }
        entry.open = None;
        if let Some(output) = entry.outputs.last_mut() {
            output.rest = rest;
        }
        write_output_done(&mut self.emit, entry, at);
        Ok(())
    }

    fn shell_output_index(&self, item: ItemHandle) -> Result<usize, Error> {
        let at = self.open_index(item)?;
        match self.items[at].definition.parts {
            ItemParts::Outputs => Ok(at),
            _ => Err(invalid_intent("expected a shell call output, found another item type")),
        }
    }

    fn shell_call_index(&self, item: ItemHandle) -> Result<usize, Error> {
        let at = self.open_index(item)?;
        match self.items[at].definition.parts {
            ItemParts::Commands => Ok(at),
            _ => Err(invalid_intent("expected a shell call, found another item type")),
        }
    }
}

/// Writes the done event of the open command.
pub(crate) fn close_command(emit: &mut Emitter, entry: &OpenItem, at: usize) {
    let Some(command) = entry.commands.last() else { return };
    command_event(emit, Kind::ShellCallCommandDone, at, entry.commands.len() - 1);
    emit.text("command", command);
    emit.close();
}

/// Ends an open entry of a shell call output without an outcome: as a timeout if it was cut off, otherwise as exit code 0.
pub(crate) fn end_output(emit: &mut Emitter, entry: &mut OpenItem, at: usize, cut: bool) {
    entry.open = None;
    let mut outcome = Object::new();
    outcome.push("type", if cut { "timeout" } else { "exit" });
    if !cut {
        outcome.push("exit_code", 0);
    }
    if let Some(output) = entry.outputs.last_mut() {
        output.rest.insert("outcome", outcome);
    }
    write_output_done(emit, entry, at);
}

/// Writes the done event of the last entry of a shell call output.
fn write_output_done(emit: &mut Emitter, entry: &OpenItem, at: usize) {
    let Some(output) = entry.outputs.last().filter(|_| entry.outputs_shown) else { return };
    emit.open(Kind::ShellCallOutputContentDone.name());
    emit.text("item_id", &entry.id);
    emit.number("output_index", at as u64);
    emit.number("command_index", entry.outputs.len() as u64 - 1);
    let out = emit.raw("output");
    out.push('[');
    output.write(out);
    out.push(']');
    emit.close();
}

/// Begins an event about a command. These events have no `item_id`.
fn command_event(emit: &mut Emitter, kind: Kind, at: usize, index: usize) {
    emit.open(kind.name());
    emit.number("output_index", at as u64);
    emit.number("command_index", index as u64);
}
