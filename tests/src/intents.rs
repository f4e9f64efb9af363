//! Random intents for the writer: valid ones from a small model of the stream, and arbitrary ones.

use serde_json::{json, Value};

use crate::Random;

/// Item types of every edition.
pub const CORE: &[&str] = &["message", "reasoning", "function_call", "function_call_output", "acme:lookup"];

/// Item types that only the full edition has, in addition to those of every edition.
pub const HOSTED: &[&str] = &[
    "compaction",
    "custom_tool_call",
    "custom_tool_call_output",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_list_tools",
    "mcp_call",
    "mcp_approval_request",
    "mcp_approval_response",
    "shell_call",
    "shell_call_output",
    "apply_patch_call",
    "apply_patch_call_output",
    "computer_call",
    "computer_call_output",
    "local_shell_call",
    "local_shell_call_output",
];

/// Item types whose input is streamed.
const STREAMED_CALLS: &[&str] =
    &["function_call", "mcp_call", "custom_tool_call", "code_interpreter_call", "shell_call", "apply_patch_call"];

/// Texts that are difficult for escaping, framing or counting.
const TEXTS: &[&str] = &[
    "a",
    "Hello, world",
    " ",
    "\n",
    "\r\n\r\n",
    "data: [DONE]\n\n",
    "\"quoted\" \\ back",
    "\u{0}\u{1f}\u{7f}",
    "ümlaut – naïve",
    "日本語",
    "😀👩\u{200d}🚀",
    "\u{2028}\u{2029}\u{feff}",
    "{\"a\":",
    "1}",
    "[DONE]",
];

/// Generates intents that are valid in the current state.
pub struct LegalIntents {
    random: Random,
    types: Vec<&'static str>,
    items: Vec<Item>,
    cut: bool,
    /// The number of intents before the response ends.
    left: usize,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    New,
    Queued,
    Running,
    Erred,
    Ended,
}

#[derive(Clone, Debug)]
struct Item {
    kind: &'static str,
    open: bool,
    /// Bytes in the open text part.
    text: Option<usize>,
    part: bool,
    steps: Vec<&'static str>,
    input_open: bool,
}

impl LegalIntents {
    /// Creates a generator for a stream of about `length` intents with items of these types.
    pub fn new(seed: u64, length: usize, types: &[&'static str]) -> Self {
        Self::from_random(Random::new(seed), length, types)
    }

    /// As [`new`](Self::new), with a given source of randomness.
    pub fn from_random(random: Random, length: usize, types: &[&'static str]) -> Self {
        Self { random, types: types.to_vec(), items: Vec::new(), cut: false, left: length, phase: Phase::New }
    }

    /// Returns the source of randomness, for callers that insert other intents.
    pub fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.random.below(2) {
            text.push_str(self.random.pick(TEXTS));
        }
        text
    }

    fn begin(&mut self) -> Option<Value> {
        let roll = self.random.below(8);
        match self.phase {
            Phase::New if roll == 0 => {
                self.phase = Phase::Queued;
                Some(json!({"do": "queue"}))
            }
            Phase::New | Phase::Queued if roll == 1 => {
                self.phase = Phase::Running;
                Some(json!({"do": "start"}))
            }
            _ => None,
        }
    }

    fn end(&mut self) -> Value {
        let error = json!({"type": "server_error", "code": "boom", "message": self.text(), "param": null});
        if self.phase != Phase::Erred && self.random.one_in(8) {
            self.phase = Phase::Erred;
            return json!({"do": "error", "error": error});
        }
        let usage = json!({"input_tokens": self.random.below(99), "output_tokens": self.random.below(99)});
        let end = match (self.phase, self.random.below(6)) {
            (Phase::Erred, _) | (_, 0) => json!({"do": "fail", "error": error}),
            (_, 1) => json!({"do": "cancel"}),
            // Only the last item can run out of tokens, and a truncated call cannot precede a complete item.
            (_, 2) if !self.ends_whole() => json!({"do": "incomplete", "reason": "max_output_tokens"}),
            (_, 2) if !self.cuts_a_call() => json!({"do": "incomplete", "reason": "steered"}),
            _ if self.cut => json!({"do": "incomplete", "reason": "content_filter", "usage": usage}),
            (_, 3) => json!({"do": "complete"}),
            _ => json!({"do": "complete", "usage": usage}),
        };
        self.phase = Phase::Ended;
        end
    }

    fn ends_whole(&self) -> bool {
        self.items.last().is_some_and(|last| !last.open && !self.cut)
    }

    fn cuts_a_call(&self) -> bool {
        self.items.iter().any(|item| {
            item.open
                && match item.kind {
                    "function_call" | "mcp_call" | "code_interpreter_call" => item.input_open,
                    kind => ["custom_tool_call", "shell_call", "apply_patch_call"].contains(&kind),
                }
        })
    }

    /// Returns an intent that opens or writes an item.
    fn open(&mut self) -> Value {
        let kind = self.types[self.random.below(self.types.len())];
        let (text, call_id) = (self.text(), format!("call_{}", self.items.len()));
        let (mut steps, mut open, mut input_open) = (vec![], true, false);
        let intent = match kind {
            "function_call" | "custom_tool_call" => {
                input_open = true;
                json!({"do": kind, "call_id": call_id, "name": "f"})
            }
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                open = false;
                json!({"do": kind, "call_id": call_id, "output": text})
            }
            "compaction" => {
                open = false;
                json!({"do": kind, "encrypted_content": text})
            }
            "file_search_call" => {
                steps = vec!["searching"];
                json!({"do": kind, "queries": [text]})
            }
            "web_search_call" => {
                steps = vec!["searching"];
                json!({"do": kind})
            }
            "code_interpreter_call" => {
                (steps, input_open) = (vec!["interpreting"], true);
                json!({"do": kind, "container_id": "c1"})
            }
            "image_generation_call" => {
                steps = vec!["generating"];
                json!({"do": kind})
            }
            "mcp_list_tools" => json!({"do": kind, "server_label": "s"}),
            "mcp_call" => {
                input_open = true;
                json!({"do": kind, "server_label": "s", "name": "f"})
            }
            "mcp_approval_request" => {
                open = false;
                json!({"do": kind, "server_label": "s", "name": "f", "arguments": "{}"})
            }
            "mcp_approval_response" => {
                open = false;
                json!({"do": kind, "approval_request_id": "mcpr_1", "approve": true})
            }
            "shell_call" => json!({"do": kind, "call_id": call_id, "action": {"timeout_ms": 10}}),
            "shell_call_output" => json!({"do": kind, "call_id": call_id}),
            "apply_patch_call" if self.random.one_in(3) => {
                json!({"do": kind, "call_id": call_id, "operation": {"type": "delete_file", "path": "a"}})
            }
            "apply_patch_call" => {
                input_open = true;
                json!({"do": kind, "call_id": call_id, "operation": {"type": "update_file", "path": "a"}})
            }
            "apply_patch_call_output" => {
                open = false;
                json!({"do": kind, "call_id": call_id, "status": "failed", "output": text})
            }
            "computer_call" => json!({"do": kind, "call_id": call_id, "action": {"type": "wait"}}),
            "computer_call_output" => {
                open = false;
                let screenshot = json!({"type": "computer_screenshot", "image_url": "data:,", "file_id": null});
                json!({"do": kind, "call_id": call_id, "output": screenshot})
            }
            "local_shell_call" => {
                json!({"do": kind, "call_id": call_id, "action": {"type": "exec", "command": ["ls"], "env": {}}})
            }
            "message" if self.random.one_in(4) => {
                open = false;
                let annotation = json!({"type": "url_citation", "url": "https://example.org", "title": "t",
                    "start_index": 0, "end_index": text.len()});
                json!({"do": "item", "item": {"type": kind, "role": "assistant", "content": [
                    {"type": "output_text", "text": text, "annotations": [annotation]},
                    {"type": "refusal", "refusal": "no"},
                ]}})
            }
            "acme:lookup" => json!({"do": kind, "query": text, "acme:n": [1, 2.50, null]}),
            _ => json!({"do": kind}),
        };
        self.items.push(Item { kind, open, text: None, part: false, steps, input_open });
        intent
    }

    /// Returns an intent that closes an item.
    fn close(&mut self, at: usize) -> Value {
        let newest = self.items.len() - 1;
        let (kind, newest_is_open) = (self.items[at].kind, self.items[newest].open);
        let fails = ["web_search_call", "mcp_call", "acme:lookup", "mcp_list_tools"].contains(&kind);
        self.items[at].open = false;
        // The newest item may be truncated, or a call before it while the newest is open, which can then only be truncated too.
        let may_be_cut = at == newest || (newest_is_open && STREAMED_CALLS.contains(&kind));
        match self.random.below(4) {
            _ if at == newest && self.cut => json!({"do": "close", "item": at, "status": "incomplete"}),
            0 if fails => json!({"do": "close", "item": at, "status": "failed"}),
            1 if may_be_cut => {
                self.cut = true;
                json!({"do": "close", "item": at, "status": "incomplete"})
            }
            _ => json!({"do": "close", "item": at}),
        }
    }

    /// Returns an intent about an open item.
    fn grow(&mut self, at: usize) -> Value {
        let text = self.text();
        let roll = self.random.below(12);
        if roll == 0 {
            return self.close(at);
        }
        let item = &mut self.items[at];
        if roll == 1 {
            return json!({"do": "set", "item": at, "key": "acme:note", "value": text});
        }
        if roll == 2 && !item.steps.is_empty() {
            item.input_open = false;
            return json!({"do": "progress", "item": at, "state": item.steps.remove(0)});
        }
        match item.kind {
            "message" => match roll {
                3 => {
                    (item.text, item.part) = (None, true);
                    json!({"do": "refusal", "item": at, "text": text})
                }
                4 => {
                    (item.text, item.part) = (Some(item.text.unwrap_or(0)), true);
                    let logprob = json!({"token": text, "logprob": -0.5, "bytes": [1], "top_logprobs": []});
                    json!({"do": "logprobs", "item": at, "logprobs": [logprob]})
                }
                5 if item.text.is_some() => {
                    let end = item.text.unwrap_or(0);
                    let annotation = json!({"type": "url_citation", "url": "u", "title": "", "start_index": end / 2,
                        "end_index": end});
                    json!({"do": "annotation", "item": at, "annotation": annotation})
                }
                6 => {
                    (item.text, item.part) = (None, false);
                    json!({"do": "close_part", "item": at})
                }
                7 if item.part => json!({"do": "set_on_part", "item": at, "key": "acme:x", "value": {"y": 1}}),
                8 => {
                    (item.text, item.part) = (Some(0), true);
                    json!({"do": "part", "item": at, "type": "output_text"})
                }
                _ => {
                    (item.text, item.part) = (Some(item.text.unwrap_or(0) + text.len()), true);
                    json!({"do": "text", "item": at, "text": text})
                }
            },
            "reasoning" => match roll {
                3..=5 => json!({"do": "reasoning_summary", "item": at, "text": text}),
                6 => json!({"do": "encrypted_content", "item": at, "text": text}),
                7 => json!({"do": "close_part", "item": at}),
                _ => json!({"do": "reasoning_text", "item": at, "text": text}),
            },
            // JSON first, then spaces: the arguments are complete after every delta, whenever the call is closed.
            "function_call" | "mcp_call" if item.input_open => {
                item.input_open = false;
                json!({"do": "arguments", "item": at, "text": json!({"a": text}).to_string()})
            }
            "function_call" | "mcp_call" => json!({"do": "arguments", "item": at, "text": " \n"}),
            "custom_tool_call" => json!({"do": "input", "item": at, "text": text}),
            "code_interpreter_call" if item.input_open => json!({"do": "code", "item": at, "text": text}),
            "code_interpreter_call" => {
                json!({"do": "set", "item": at, "key": "outputs", "value": [{"type": "logs", "logs": text}]})
            }
            "apply_patch_call" if item.input_open => json!({"do": "diff", "item": at, "text": text}),
            "image_generation_call" if roll < 6 => {
                json!({"do": "partial_image", "item": at, "base64": "aGk=", "fields": {"size": "1024x1024"}})
            }
            "image_generation_call" => json!({"do": "set", "item": at, "key": "result", "value": "aGk="}),
            "shell_call" if roll < 6 => json!({"do": "command", "item": at}),
            "shell_call" => json!({"do": "command_text", "item": at, "text": text}),
            "shell_call_output" if roll < 6 => {
                json!({"do": "shell_outcome", "item": at, "outcome": {"type": "exit", "exit_code": 1}})
            }
            "shell_call_output" => json!({"do": "shell_output", "item": at, "stdout": text, "stderr": "!"}),
            "web_search_call" => {
                json!({"do": "set", "item": at, "key": "action", "value": {"type": "search", "query": text}})
            }
            _ => json!({"do": "set", "item": at, "key": "acme:more", "value": [text]}),
        }
    }
}

impl Iterator for LegalIntents {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if self.phase == Phase::Ended {
            return None;
        }
        if let Some(intent) = self.begin() {
            return Some(intent);
        }
        if self.left == 0 || self.phase == Phase::Erred {
            return Some(self.end());
        }
        self.left -= 1;
        let open: Vec<usize> = (0..self.items.len()).filter(|at| self.items[*at].open).collect();
        let roll = self.random.below(10);
        if roll == 0 {
            return Some(match self.random.below(3) {
                // A comment needs no response; everything else starts it.
                0 => json!({"do": "heartbeat"}),
                1 => {
                    self.phase = Phase::Running;
                    json!({"do": "extension_event", "type": "acme:tick", "fields": {"n": self.left, "t": self.text()}})
                }
                _ => json!({"do": "usage", "usage": {"input_tokens": 1, "output_tokens": 2}}),
            });
        }
        // Usually one item at a time, sometimes several.
        if !self.cut && (open.is_empty() || (open.len() < 3 && roll == 1)) {
            self.phase = Phase::Running;
            return Some(self.open());
        }
        if open.is_empty() {
            return Some(self.end());
        }
        let at = open[self.random.below(open.len())];
        Some(self.grow(at))
    }
}

/// Returns an arbitrary value, which may be an invalid intent or not an intent at all.
pub fn any_intent(random: &mut Random, words: &[&str], types: &[&str]) -> Value {
    let text = random.pick(TEXTS).to_string();
    let odd = |random: &mut Random| match random.below(9) {
        0 => json!(null),
        1 => json!(-1),
        2 => json!(random.below(5)),
        3 => json!([]),
        4 => json!({}),
        5 => json!({"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 1}),
        6 => json!([{"token": "a", "logprob": 0, "bytes": [], "top_logprobs": []}]),
        7 => json!("completed"),
        _ => json!(text),
    };
    let mut intent = serde_json::Map::new();
    let word = if random.one_in(3) { random.pick(types) } else { random.pick(words) };
    intent.insert("do".into(), json!(word));
    let keys = [
        "item",
        "text",
        "key",
        "value",
        "type",
        "status",
        "state",
        "fields",
        "annotation",
        "logprobs",
        "base64",
        "usage",
        "reason",
        "error",
        "seconds",
        "stdout",
        "stderr",
        "outcome",
        "call_id",
        "name",
        "output",
        "arguments",
        "id",
        "content",
        "role",
        "phase",
        "operation",
        "action",
        "server_label",
        "container_id",
        "queries",
        "encrypted_content",
    ];
    for _ in 0..random.below(5) {
        let key = random.pick(&keys);
        let value = match (key, random.below(4)) {
            ("item", 0..=2) => json!(random.below(4)),
            ("text" | "call_id" | "name" | "reason", 0..=2) => json!(text),
            ("key", 0..=2) => {
                json!(random.pick(&["acme:x", "status", "phase", "tools", "metadata", "output", "content"]))
            }
            ("type", 0..=2) => json!(random.pick(&["output_text", "refusal", "acme:y", "response.audio.done"])),
            ("status", 0..=2) => json!(random.pick(&["completed", "incomplete", "failed", "in_progress"])),
            ("error", 0..=2) => json!({"message": text}),
            ("usage", 0..=2) => json!({"input_tokens": random.below(9), "output_tokens": 1}),
            ("operation", 0..=2) => json!({"type": "create_file", "path": "p"}),
            _ => odd(random),
        };
        intent.insert(key.into(), value);
    }
    if random.one_in(40) {
        return odd(random);
    }
    Value::Object(intent)
}
