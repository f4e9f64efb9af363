//! Intents of hosted tools: their progress, preview images and shell commands.

use super::emit::{push_u64, Emitter};
use super::items::ItemHandle;
use super::parts::{close_input, close_open};
use super::shape::{Holds, ToolState};
use super::slot::{write_members, Open, Slot};
use super::writer::{bad, refused, Writer};
use crate::contract::Kind;
use crate::error::Error;
use crate::json::Object;

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

/// Opens an event about a command. This family has no `item_id`.
fn command_event(emit: &mut Emitter, kind: Kind, at: usize, index: usize) {
    emit.open(kind.as_str());
    emit.number("output_index", at as u64);
    emit.number("command_index", index as u64);
}
