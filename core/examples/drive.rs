//! Drives a [`Writer`] from another program's event loop: an agent with its own threads, turns and items.
//!
//! The loop owns sockets, time and order. It reports events to the writer, and after each of its own events
//! it takes the bytes that are ready to send. One turn is one response; the agent's item ids map to handles.

use std::collections::HashMap;

use deltafold::json::{Object, Value};
use deltafold::write::{ApiError, ErrorType, ItemHandle, Usage};
use deltafold::{Error, Writer, WriterOptions};

/// The events of this agent; those of your program differ.
enum AgentEvent {
    TurnStarted { thread: &'static str, turn: u32, at: u64 },
    ItemStarted { id: &'static str, kind: &'static str },
    ItemGrew { id: &'static str, text: &'static str },
    ItemEnded { id: &'static str },
    CommandRan { command: &'static str, exit_code: i32 },
    TurnEnded { tokens: (u64, u64), at: u64 },
    TurnFailed { why: &'static str },
}

/// A turn in progress, which becomes one response.
struct Turn {
    writer: Writer,
    items: HashMap<&'static str, ItemHandle>,
}

impl Turn {
    /// Reports an event of the agent to the writer. Items that the agent leaves open are closed by the end of the turn.
    fn apply(&mut self, event: &AgentEvent) -> Result<(), Error> {
        let handle = |id: &str| self.items.get(id).copied().unwrap_or(ItemHandle::at(u32::MAX));
        match event {
            AgentEvent::TurnStarted { .. } => self.writer.start(),
            AgentEvent::ItemStarted { id, kind } => {
                let opened = match *kind {
                    "thought" => self.writer.reasoning()?,
                    "tool" => self.writer.function_call(id, "search")?,
                    _ => self.writer.message()?,
                };
                self.items.insert(id, opened);
                Ok(())
            }
            AgentEvent::ItemGrew { id, text } => match handle(id) {
                item if id.starts_with("th") => self.writer.reasoning_text(item, text),
                item if id.starts_with("to") => self.writer.arguments(item, text),
                item => self.writer.text(item, text),
            },
            AgentEvent::ItemEnded { id } => self.writer.close(handle(id)),
            // For an event without an Open Responses item, the agent defines an extension item: a receipt of the command.
            AgentEvent::CommandRan { command, exit_code } => {
                let mut receipt = Object::new();
                receipt.push("type", "acme:command");
                receipt.push("command", *command);
                receipt.push("exit_code", *exit_code);
                self.writer.item(&receipt).map(drop)
            }
            AgentEvent::TurnEnded { tokens: (input, output), at } => {
                self.writer.set_now(*at);
                self.writer.complete(Some(Usage::new(*input, *output)))
            }
            AgentEvent::TurnFailed { why } => {
                self.writer.fail(&ApiError::new(ErrorType::ModelError, "turn_failed", *why))
            }
        }
    }
}

fn main() -> Result<(), Error> {
    let events = [
        AgentEvent::TurnStarted { thread: "thread_7", turn: 1, at: 100 },
        AgentEvent::ItemStarted { id: "thought_1", kind: "thought" },
        AgentEvent::ItemGrew { id: "thought_1", text: "Files first." },
        AgentEvent::ItemEnded { id: "thought_1" },
        AgentEvent::CommandRan { command: "ls", exit_code: 0 },
        AgentEvent::ItemStarted { id: "tool_1", kind: "tool" },
        AgentEvent::ItemStarted { id: "answer_1", kind: "answer" },
        AgentEvent::ItemGrew { id: "answer_1", text: "Look" },
        AgentEvent::ItemGrew { id: "tool_1", text: "{\"q\":\"ada\"}" },
        AgentEvent::ItemGrew { id: "answer_1", text: "ing." },
        AgentEvent::TurnEnded { tokens: (20, 9), at: 104 },
        AgentEvent::TurnStarted { thread: "thread_7", turn: 2, at: 110 },
        AgentEvent::ItemStarted { id: "answer_2", kind: "answer" },
        AgentEvent::ItemGrew { id: "answer_2", text: "I am af" },
        AgentEvent::TurnFailed { why: "The model stopped answering." },
    ];
    let mut turn: Option<Turn> = None;
    for event in &events {
        if let AgentEvent::TurnStarted { thread, turn: number, at } = event {
            let options = WriterOptions::new(format!("resp_{thread}_{number}"), "agent", *at);
            turn = Some(Turn { writer: Writer::new(options), items: HashMap::new() });
        }
        let Some(turn) = &mut turn else { continue };
        turn.apply(event)?;
        // A real loop writes these bytes to its socket here.
        let bytes = turn.writer.take();
        assert!(bytes.ends_with(b"\n\n") || bytes.is_empty());
        if turn.writer.is_ended() {
            let response = turn.writer.response();
            let items = response.get("output").and_then(Value::as_array).unwrap_or_default();
            let kinds: Vec<&str> = items.iter().filter_map(|item| item.str_at("type")).collect();
            println!("{} {} {kinds:?}", turn.writer.options().id, response.str_at("status").unwrap_or_default());
        }
    }
    Ok(())
}

// prints:
// resp_thread_7_1 completed ["reasoning", "acme:command", "function_call", "message"]
// resp_thread_7_2 failed ["message"]
