//! Intents that open an item of a hosted tool, or write it complete if it has no streamed contents. All of them use
//! [`Writer::open`] or [`Writer::item`].

use super::items::ItemHandle;
use super::writer::Writer;
use crate::error::Error;
use crate::json::{Object, Value};
use crate::status::ItemStatus;

impl Writer {
    /// Opens a web search. Set `action` before it closes; its progress state is [`ToolState::Searching`](super::ToolState).
    pub fn web_search_call(&mut self) -> Result<ItemHandle, Error> {
        self.open("web_search_call", Object::new())
    }

    /// Opens a file search. Set `results` before it closes.
    pub fn file_search_call(&mut self, queries: impl Into<Value>) -> Result<ItemHandle, Error> {
        self.open("file_search_call", fields([("queries", queries.into())]))
    }

    /// Opens a code interpreter call. [`code`](Self::code) appends its code; set `outputs` before it closes.
    pub fn code_interpreter_call(&mut self, container_id: &str) -> Result<ItemHandle, Error> {
        self.open("code_interpreter_call", fields([("container_id", container_id.into())]))
    }

    /// Opens an image generation. [`partial_image`](Self::partial_image) writes previews; set `result` before it closes.
    pub fn image_generation_call(&mut self) -> Result<ItemHandle, Error> {
        self.open("image_generation_call", Object::new())
    }

    /// Opens the list of an MCP server's tools. Set `tools` before it closes.
    pub fn mcp_list_tools(&mut self, server_label: &str) -> Result<ItemHandle, Error> {
        self.open("mcp_list_tools", fields([("server_label", server_label.into())]))
    }

    /// Opens a call of an MCP tool. Set `output` or `error` before it closes.
    pub fn mcp_call(&mut self, server_label: &str, name: &str) -> Result<ItemHandle, Error> {
        self.open("mcp_call", fields([("server_label", server_label.into()), ("name", name.into())]))
    }

    /// Writes a request to approve an MCP call.
    pub fn mcp_approval_request(&mut self, label: &str, name: &str, arguments: &str) -> Result<ItemHandle, Error> {
        let given = [("server_label", label.into()), ("name", name.into()), ("arguments", arguments.into())];
        self.complete_item("mcp_approval_request", fields(given), ItemStatus::Completed)
    }

    /// Writes the answer to a request to approve an MCP call.
    pub fn mcp_approval_response(&mut self, request_id: &str, approve: bool) -> Result<ItemHandle, Error> {
        let given = [("approval_request_id", request_id.into()), ("approve", approve.into())];
        self.complete_item("mcp_approval_response", fields(given), ItemStatus::Completed)
    }

    /// Opens a shell call. [`command`](Self::command) and [`command_text`](Self::command_text) write its commands.
    pub fn shell_call(&mut self, call_id: &str) -> Result<ItemHandle, Error> {
        self.open("shell_call", fields([("call_id", call_id.into())]))
    }

    /// Opens the output of a shell call, which [`shell_output`](Self::shell_output) appends.
    pub fn shell_call_output(&mut self, call_id: &str) -> Result<ItemHandle, Error> {
        self.open("shell_call_output", fields([("call_id", call_id.into())]))
    }

    /// Opens a patch. `operation` has `type` and `path`; [`diff`](Self::diff) appends its diff.
    pub fn apply_patch_call(&mut self, call_id: &str, operation: Object) -> Result<ItemHandle, Error> {
        self.open("apply_patch_call", fields([("call_id", call_id.into()), ("operation", operation.into())]))
    }

    /// Writes the result of a patch, completed or failed.
    pub fn apply_patch_call_output(
        &mut self,
        call_id: &str,
        status: ItemStatus,
        output: Option<&str>,
    ) -> Result<ItemHandle, Error> {
        let given = [("call_id", call_id.into()), ("output", output.into())];
        self.complete_item("apply_patch_call_output", fields(given), status)
    }

    /// Opens a computer call with its action.
    pub fn computer_call(&mut self, call_id: &str, action: Object) -> Result<ItemHandle, Error> {
        self.open("computer_call", fields([("call_id", call_id.into()), ("action", action.into())]))
    }

    /// Writes the output of a computer call, a screenshot.
    pub fn computer_call_output(&mut self, call_id: &str, output: Object) -> Result<ItemHandle, Error> {
        let given = [("call_id", call_id.into()), ("output", output.into())];
        self.complete_item("computer_call_output", fields(given), ItemStatus::Completed)
    }

    /// Opens a call of the local shell. `action` contains the command as a list.
    pub fn local_shell_call(&mut self, call_id: &str, action: Object) -> Result<ItemHandle, Error> {
        self.open("local_shell_call", fields([("call_id", call_id.into()), ("action", action.into())]))
    }

    /// Writes the output of a local shell call.
    pub fn local_shell_call_output(&mut self, call_id: &str, output: &str) -> Result<ItemHandle, Error> {
        let given = [("call_id", call_id.into()), ("output", output.into())];
        self.complete_item("local_shell_call_output", fields(given), ItemStatus::Completed)
    }

    /// Writes the output of a custom tool call, a string or a list of parts.
    pub fn custom_tool_call_output(&mut self, call_id: &str, output: impl Into<Value>) -> Result<ItemHandle, Error> {
        let given = [("call_id", call_id.into()), ("output", output.into())];
        self.complete_item("custom_tool_call_output", fields(given), ItemStatus::Completed)
    }
}

fn fields<const N: usize>(given: [(&str, Value); N]) -> Object {
    given.into_iter().map(|(key, value)| (key.into(), value)).collect()
}
