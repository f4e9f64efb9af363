//! Intents of hosted tools: their progress, preview images and shell commands.

use super::emit::{push_u64, Emitter};
use super::items::ItemHandle;
use super::parts::{close_input, close_open};
use super::shape::{Holds, ToolState};
use super::slot::{write_members, Open, Output, Slot};
use super::writer::{bad, refused, Writer};
use crate::contract::Kind;
use crate::error::Error;
use crate::json::{write_string, Object, Value};

impl Writer {
    /// Tells a step of a hosted tool's work, such as [`ToolState::Searching`]. Steps go forward only.
    ///
    /// `InProgress` is told when the item is opened, `Completed` and `Failed` when it is closed. A step behind the code
    /// of a code interpreter call tells first that the code is whole.
    pub fn progress(&mut self, item: ItemHandle, state: ToolState) -> Result<(), Error> {
        let at = self.slot(item)?;
        let slot = &mut self.items[at];
        if matches!(state, ToolState::InProgress | ToolState::Completed | ToolState::Failed) {
            return Err(refused("the first and the last step are told by opening and closing the item"));
        }
        if slot.shape.state(state, self.options.edition).is_none() {
            return Err(refused("items of this type have no such step"));
        }
        let step = slot.shape.states.iter().position(|(known, _)| *known == state).unwrap_or_default();
        if slot.progress > step {
            return Err(refused("the step was told already"));
        }
        close_input(&mut self.emit, slot, at, true);
        self.tell_state(at, state);
        Ok(())
    }

    /// Writes a preview of an image that is being made, base64. `fields` may hold `size`, `quality` and the like.
    pub fn partial_image(&mut self, item: ItemHandle, base64: &str, fields: &Object) -> Result<(), Error> {
        let at = self.slot(item)?;
        let slot = &mut self.items[at];
        if slot.shape.name != "image_generation_call" {
            return Err(refused("only image generation has previews"));
        }
        let known = ["size", "quality", "background", "output_format"];
        if !fields.iter().all(|(key, value)| known.contains(&key) && value.as_str().is_some()) {
            return Err(bad("expected size, quality, background or output_format, each a text"));
        }
        self.emit.open(Kind::ImageGenerationCallPartialImage.as_str());
        self.emit.text("item_id", &slot.id);
        self.emit.number("output_index", at as u64);
        self.emit.number("partial_image_index", slot.images);
        self.emit.text("partial_image_b64", base64);
        write_members(fields, self.emit.raw_members());
        self.emit.close();
        slot.images += 1;
        Ok(())
    }

    /// Opens the next command of a shell call, and closes the one before.
    pub fn command(&mut self, item: ItemHandle) -> Result<(), Error> {
        let at = self.command_slot(item)?;
        let openai = self.openai();
        let slot = &mut self.items[at];
        close_open(&mut self.emit, slot, at, openai);
        command_event(&mut self.emit, Kind::ShellCallCommandAdded, at, slot.commands.len());
        self.emit.text("command", "");
        self.emit.close();
        slot.commands.push(Default::default());
        slot.open = Some(Open::Command);

        slot.head.clear();
        slot.head.push_str(",\"output_index\":");
        push_u64(&mut slot.head, at as u64);
        slot.head.push_str(",\"command_index\":");
        push_u64(&mut slot.head, slot.commands.len() as u64 - 1);
        slot.head.push_str(",\"delta\":");
        Ok(())
    }

    /// Appends to the open command of a shell call; opens one if none is open.
    pub fn command_text(&mut self, item: ItemHandle, delta: &str) -> Result<(), Error> {
        let at = self.command_slot(item)?;
        if delta.is_empty() {
            return Ok(());
        }
        if self.items[at].open != Some(Open::Command) {
            self.command(item)?;
        }
        let slot = &mut self.items[at];
        if let Some(command) = slot.commands.last_mut() {
            command.push_str(delta);
        }
        self.emit.open(Kind::ShellCallCommandDelta.as_str());
        self.emit.verbatim(&slot.head);
        self.emit.string(delta);
        self.emit.close();
        Ok(())
    }

    /// Appends to what the current command of a shell call output has printed; opens an entry if none is open.
    ///
    /// Only OpenAI has events for this. In other editions the output is shown when the item closes.
    pub fn shell_output(&mut self, item: ItemHandle, stdout: &str, stderr: &str) -> Result<(), Error> {
        let at = self.output_slot(item)?;
        if stdout.is_empty() && stderr.is_empty() {
            return Ok(());
        }
        let slot = &mut self.items[at];
        if slot.open != Some(Open::Output) {
            slot.outputs.push(Output::default());
            slot.open = Some(Open::Output);
        }
        if let Some(output) = slot.outputs.last_mut() {
            output.stdout.push_str(stdout);
            output.stderr.push_str(stderr);
        }
        if slot.outputs_shown {
            self.emit.open(Kind::ShellCallOutputContentDelta.as_str());
            self.emit.text("item_id", &slot.id);
            self.emit.number("output_index", at as u64);
            self.emit.number("command_index", slot.outputs.len() as u64 - 1);
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
        let at = self.output_slot(item)?;
        let mut probe = rest.clone();
        probe.insert("stdout", "");
        probe.insert("stderr", "");
        self.check_value(&Value::Object(probe), "FunctionShellCallOutputContent")?;
        let slot = &mut self.items[at];
        if slot.open != Some(Open::Output) {
            slot.outputs.push(Output::default());
        }
        slot.open = None;
        if let Some(output) = slot.outputs.last_mut() {
            output.rest = rest;
        }
        tell_output(&mut self.emit, slot, at);
        Ok(())
    }

    fn output_slot(&self, item: ItemHandle) -> Result<usize, Error> {
        let at = self.slot(item)?;
        match self.items[at].shape.holds {
            Holds::Outputs => Ok(at),
            _ => Err(refused("only a shell call output grows like that")),
        }
    }

    fn command_slot(&self, item: ItemHandle) -> Result<usize, Error> {
        let at = self.slot(item)?;
        match self.items[at].shape.holds {
            Holds::Commands => Ok(at),
            _ => Err(refused("only a shell call has commands")),
        }
    }
}

/// Tells that the open command is whole.
pub(crate) fn close_command(emit: &mut Emitter, slot: &Slot, at: usize) {
    let Some(command) = slot.commands.last() else { return };
    command_event(emit, Kind::ShellCallCommandDone, at, slot.commands.len() - 1);
    emit.text("command", command);
    emit.close();
}

/// Ends the open entry of a shell call output whose outcome nobody told: cut, or else ended well.
pub(crate) fn end_output(emit: &mut Emitter, slot: &mut Slot, at: usize, cut: bool) {
    slot.open = None;
    let mut outcome = Object::new();
    outcome.push("type", if cut { "timeout" } else { "exit" });
    if !cut {
        outcome.push("exit_code", 0);
    }
    if let Some(output) = slot.outputs.last_mut() {
        output.rest.insert("outcome", outcome);
    }
    tell_output(emit, slot, at);
}

/// Tells that the last entry of a shell call output is whole.
fn tell_output(emit: &mut Emitter, slot: &Slot, at: usize) {
    let Some(output) = slot.outputs.last().filter(|_| slot.outputs_shown) else { return };
    emit.open(Kind::ShellCallOutputContentDone.as_str());
    emit.text("item_id", &slot.id);
    emit.number("output_index", at as u64);
    emit.number("command_index", slot.outputs.len() as u64 - 1);
    let out = emit.raw("output");
    out.push('[');
    output.write(out);
    out.push(']');
    emit.close();
}

/// Opens an event about a command. This family has no `item_id`.
fn command_event(emit: &mut Emitter, kind: Kind, at: usize, index: usize) {
    emit.open(kind.as_str());
    emit.number("output_index", at as u64);
    emit.number("command_index", index as u64);
}
