//! [`dfold_kind`]: the event kinds of the core with stable numbers.

use deltafold::Kind;

use crate::bytes::dfold_bytes;

/// The kind of an event, from its `type`. Numbers are never reused. A program built with this header sees
/// DFOLD_KIND_UNKNOWN for kinds that are newer than the header.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum dfold_kind {
    /// Any other type, or no type.
    DFOLD_KIND_UNKNOWN = 0,
    /// A type of the form `slug:name`: an extension event.
    DFOLD_KIND_EXTENSION = 1,
    /// `response.created`
    DFOLD_KIND_CREATED = 10,
    /// `response.queued`
    DFOLD_KIND_QUEUED = 11,
    /// `response.in_progress`
    DFOLD_KIND_IN_PROGRESS = 12,
    /// `response.completed`
    DFOLD_KIND_COMPLETED = 13,
    /// `response.failed`
    DFOLD_KIND_FAILED = 14,
    /// `response.incomplete`
    DFOLD_KIND_INCOMPLETE = 15,
    /// `response.output_item.added`
    DFOLD_KIND_OUTPUT_ITEM_ADDED = 16,
    /// `response.output_item.done`
    DFOLD_KIND_OUTPUT_ITEM_DONE = 17,
    /// `response.reasoning_summary_part.added`
    DFOLD_KIND_REASONING_SUMMARY_PART_ADDED = 18,
    /// `response.reasoning_summary_part.done`
    DFOLD_KIND_REASONING_SUMMARY_PART_DONE = 19,
    /// `response.content_part.added`
    DFOLD_KIND_CONTENT_PART_ADDED = 20,
    /// `response.content_part.done`
    DFOLD_KIND_CONTENT_PART_DONE = 21,
    /// `response.output_text.delta`
    DFOLD_KIND_OUTPUT_TEXT_DELTA = 22,
    /// `response.output_text.done`
    DFOLD_KIND_OUTPUT_TEXT_DONE = 23,
    /// `response.refusal.delta`
    DFOLD_KIND_REFUSAL_DELTA = 24,
    /// `response.refusal.done`
    DFOLD_KIND_REFUSAL_DONE = 25,
    /// `response.reasoning.delta`
    DFOLD_KIND_REASONING_DELTA = 26,
    /// `response.reasoning.done`
    DFOLD_KIND_REASONING_DONE = 27,
    /// `response.reasoning_summary_text.delta`
    DFOLD_KIND_REASONING_SUMMARY_TEXT_DELTA = 28,
    /// `response.reasoning_summary_text.done`
    DFOLD_KIND_REASONING_SUMMARY_TEXT_DONE = 29,
    /// `response.output_text.annotation.added`
    DFOLD_KIND_OUTPUT_TEXT_ANNOTATION_ADDED = 30,
    /// `response.function_call_arguments.delta`
    DFOLD_KIND_FUNCTION_CALL_ARGUMENTS_DELTA = 31,
    /// `response.function_call_arguments.done`
    DFOLD_KIND_FUNCTION_CALL_ARGUMENTS_DONE = 32,
    /// `response.custom_tool_call_input.delta`
    DFOLD_KIND_CUSTOM_TOOL_CALL_INPUT_DELTA = 33,
    /// `response.custom_tool_call_input.done`
    DFOLD_KIND_CUSTOM_TOOL_CALL_INPUT_DONE = 34,
    /// `response.shell_call_command.added`
    DFOLD_KIND_SHELL_CALL_COMMAND_ADDED = 35,
    /// `response.shell_call_command.delta`
    DFOLD_KIND_SHELL_CALL_COMMAND_DELTA = 36,
    /// `response.shell_call_command.done`
    DFOLD_KIND_SHELL_CALL_COMMAND_DONE = 37,
    /// `response.file_search_call.in_progress`
    DFOLD_KIND_FILE_SEARCH_CALL_IN_PROGRESS = 38,
    /// `response.file_search_call.searching`
    DFOLD_KIND_FILE_SEARCH_CALL_SEARCHING = 39,
    /// `response.file_search_call.completed`
    DFOLD_KIND_FILE_SEARCH_CALL_COMPLETED = 40,
    /// `response.web_search_call.in_progress`
    DFOLD_KIND_WEB_SEARCH_CALL_IN_PROGRESS = 41,
    /// `response.web_search_call.searching`
    DFOLD_KIND_WEB_SEARCH_CALL_SEARCHING = 42,
    /// `response.web_search_call.completed`
    DFOLD_KIND_WEB_SEARCH_CALL_COMPLETED = 43,
    /// `response.code_interpreter_call.in_progress`
    DFOLD_KIND_CODE_INTERPRETER_CALL_IN_PROGRESS = 44,
    /// `response.code_interpreter_call.interpreting`
    DFOLD_KIND_CODE_INTERPRETER_CALL_INTERPRETING = 45,
    /// `response.code_interpreter_call_code.delta`
    DFOLD_KIND_CODE_INTERPRETER_CALL_CODE_DELTA = 46,
    /// `response.code_interpreter_call_code.done`
    DFOLD_KIND_CODE_INTERPRETER_CALL_CODE_DONE = 47,
    /// `response.code_interpreter_call.completed`
    DFOLD_KIND_CODE_INTERPRETER_CALL_COMPLETED = 48,
    /// `response.apply_patch_call_operation_diff.delta`
    DFOLD_KIND_APPLY_PATCH_CALL_OPERATION_DIFF_DELTA = 49,
    /// `response.apply_patch_call_operation_diff.done`
    DFOLD_KIND_APPLY_PATCH_CALL_OPERATION_DIFF_DONE = 50,
    /// `response.image_generation_call.in_progress`
    DFOLD_KIND_IMAGE_GENERATION_CALL_IN_PROGRESS = 51,
    /// `response.image_generation_call.generating`
    DFOLD_KIND_IMAGE_GENERATION_CALL_GENERATING = 52,
    /// `response.image_generation_call.partial_image`
    DFOLD_KIND_IMAGE_GENERATION_CALL_PARTIAL_IMAGE = 53,
    /// `response.image_generation_call.completed`
    DFOLD_KIND_IMAGE_GENERATION_CALL_COMPLETED = 54,
    /// `response.mcp_list_tools.in_progress`
    DFOLD_KIND_MCP_LIST_TOOLS_IN_PROGRESS = 55,
    /// `response.mcp_list_tools.failed`
    DFOLD_KIND_MCP_LIST_TOOLS_FAILED = 56,
    /// `response.mcp_list_tools.completed`
    DFOLD_KIND_MCP_LIST_TOOLS_COMPLETED = 57,
    /// `response.mcp_call.in_progress`
    DFOLD_KIND_MCP_CALL_IN_PROGRESS = 58,
    /// `response.mcp_call.failed`
    DFOLD_KIND_MCP_CALL_FAILED = 59,
    /// `response.mcp_call.completed`
    DFOLD_KIND_MCP_CALL_COMPLETED = 60,
    /// `response.mcp_call_arguments.delta`
    DFOLD_KIND_MCP_CALL_ARGUMENTS_DELTA = 61,
    /// `response.mcp_call_arguments.done`
    DFOLD_KIND_MCP_CALL_ARGUMENTS_DONE = 62,
    /// `image_generation.partial_image`
    DFOLD_KIND_IMAGE_GENERATION_PARTIAL_IMAGE = 63,
    /// `image_generation.completed`
    DFOLD_KIND_IMAGE_GENERATION_COMPLETED = 64,
    /// `image_edit.partial_image`
    DFOLD_KIND_IMAGE_EDIT_PARTIAL_IMAGE = 65,
    /// `image_edit.completed`
    DFOLD_KIND_IMAGE_EDIT_COMPLETED = 66,
    /// `error`
    DFOLD_KIND_ERROR = 67,
    /// `response.audio.delta`
    DFOLD_KIND_AUDIO_DELTA = 68,
    /// `response.audio.done`
    DFOLD_KIND_AUDIO_DONE = 69,
    /// `response.audio.transcript.delta`
    DFOLD_KIND_AUDIO_TRANSCRIPT_DELTA = 70,
    /// `response.audio.transcript.done`
    DFOLD_KIND_AUDIO_TRANSCRIPT_DONE = 71,
    /// `response.compaction.compacting`
    DFOLD_KIND_COMPACTION_COMPACTING = 72,
    /// `response.shell_call_output_content.delta`
    DFOLD_KIND_SHELL_CALL_OUTPUT_CONTENT_DELTA = 73,
    /// `response.shell_call_output_content.done`
    DFOLD_KIND_SHELL_CALL_OUTPUT_CONTENT_DONE = 74,
    /// `response.reasoning_text.delta`
    DFOLD_KIND_REASONING_TEXT_DELTA = 75,
    /// `response.reasoning_text.done`
    DFOLD_KIND_REASONING_TEXT_DONE = 76,
    /// `response.steer.accepted`
    DFOLD_KIND_STEER_ACCEPTED = 77,
    /// `response.steer.pending`
    DFOLD_KIND_STEER_PENDING = 78,
    /// `response.steer.failed`
    DFOLD_KIND_STEER_FAILED = 79,
    /// `response.inject.created`
    DFOLD_KIND_INJECT_CREATED = 80,
    /// `response.inject.failed`
    DFOLD_KIND_INJECT_FAILED = 81,
    /// `keepalive`
    DFOLD_KIND_KEEPALIVE = 82,
    /// `codex.rate_limits`
    DFOLD_KIND_RATE_LIMITS = 83,
}

impl From<Kind> for dfold_kind {
    // Inlined explicitly: the conversion runs for every event and compiles to one table lookup.
    #[inline(always)]
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Created => Self::DFOLD_KIND_CREATED,
            Kind::Queued => Self::DFOLD_KIND_QUEUED,
            Kind::InProgress => Self::DFOLD_KIND_IN_PROGRESS,
            Kind::Completed => Self::DFOLD_KIND_COMPLETED,
            Kind::Failed => Self::DFOLD_KIND_FAILED,
            Kind::Incomplete => Self::DFOLD_KIND_INCOMPLETE,
            Kind::OutputItemAdded => Self::DFOLD_KIND_OUTPUT_ITEM_ADDED,
            Kind::OutputItemDone => Self::DFOLD_KIND_OUTPUT_ITEM_DONE,
            Kind::ReasoningSummaryPartAdded => Self::DFOLD_KIND_REASONING_SUMMARY_PART_ADDED,
            Kind::ReasoningSummaryPartDone => Self::DFOLD_KIND_REASONING_SUMMARY_PART_DONE,
            Kind::ContentPartAdded => Self::DFOLD_KIND_CONTENT_PART_ADDED,
            Kind::ContentPartDone => Self::DFOLD_KIND_CONTENT_PART_DONE,
            Kind::OutputTextDelta => Self::DFOLD_KIND_OUTPUT_TEXT_DELTA,
            Kind::OutputTextDone => Self::DFOLD_KIND_OUTPUT_TEXT_DONE,
            Kind::RefusalDelta => Self::DFOLD_KIND_REFUSAL_DELTA,
            Kind::RefusalDone => Self::DFOLD_KIND_REFUSAL_DONE,
            Kind::ReasoningDelta => Self::DFOLD_KIND_REASONING_DELTA,
            Kind::ReasoningDone => Self::DFOLD_KIND_REASONING_DONE,
            Kind::ReasoningSummaryTextDelta => Self::DFOLD_KIND_REASONING_SUMMARY_TEXT_DELTA,
            Kind::ReasoningSummaryTextDone => Self::DFOLD_KIND_REASONING_SUMMARY_TEXT_DONE,
            Kind::OutputTextAnnotationAdded => Self::DFOLD_KIND_OUTPUT_TEXT_ANNOTATION_ADDED,
            Kind::FunctionCallArgumentsDelta => Self::DFOLD_KIND_FUNCTION_CALL_ARGUMENTS_DELTA,
            Kind::FunctionCallArgumentsDone => Self::DFOLD_KIND_FUNCTION_CALL_ARGUMENTS_DONE,
            Kind::CustomToolCallInputDelta => Self::DFOLD_KIND_CUSTOM_TOOL_CALL_INPUT_DELTA,
            Kind::CustomToolCallInputDone => Self::DFOLD_KIND_CUSTOM_TOOL_CALL_INPUT_DONE,
            Kind::ShellCallCommandAdded => Self::DFOLD_KIND_SHELL_CALL_COMMAND_ADDED,
            Kind::ShellCallCommandDelta => Self::DFOLD_KIND_SHELL_CALL_COMMAND_DELTA,
            Kind::ShellCallCommandDone => Self::DFOLD_KIND_SHELL_CALL_COMMAND_DONE,
            Kind::FileSearchCallInProgress => Self::DFOLD_KIND_FILE_SEARCH_CALL_IN_PROGRESS,
            Kind::FileSearchCallSearching => Self::DFOLD_KIND_FILE_SEARCH_CALL_SEARCHING,
            Kind::FileSearchCallCompleted => Self::DFOLD_KIND_FILE_SEARCH_CALL_COMPLETED,
            Kind::WebSearchCallInProgress => Self::DFOLD_KIND_WEB_SEARCH_CALL_IN_PROGRESS,
            Kind::WebSearchCallSearching => Self::DFOLD_KIND_WEB_SEARCH_CALL_SEARCHING,
            Kind::WebSearchCallCompleted => Self::DFOLD_KIND_WEB_SEARCH_CALL_COMPLETED,
            Kind::CodeInterpreterCallInProgress => Self::DFOLD_KIND_CODE_INTERPRETER_CALL_IN_PROGRESS,
            Kind::CodeInterpreterCallInterpreting => Self::DFOLD_KIND_CODE_INTERPRETER_CALL_INTERPRETING,
            Kind::CodeInterpreterCallCodeDelta => Self::DFOLD_KIND_CODE_INTERPRETER_CALL_CODE_DELTA,
            Kind::CodeInterpreterCallCodeDone => Self::DFOLD_KIND_CODE_INTERPRETER_CALL_CODE_DONE,
            Kind::CodeInterpreterCallCompleted => Self::DFOLD_KIND_CODE_INTERPRETER_CALL_COMPLETED,
            Kind::ApplyPatchCallOperationDiffDelta => Self::DFOLD_KIND_APPLY_PATCH_CALL_OPERATION_DIFF_DELTA,
            Kind::ApplyPatchCallOperationDiffDone => Self::DFOLD_KIND_APPLY_PATCH_CALL_OPERATION_DIFF_DONE,
            Kind::ImageGenerationCallInProgress => Self::DFOLD_KIND_IMAGE_GENERATION_CALL_IN_PROGRESS,
            Kind::ImageGenerationCallGenerating => Self::DFOLD_KIND_IMAGE_GENERATION_CALL_GENERATING,
            Kind::ImageGenerationCallPartialImage => Self::DFOLD_KIND_IMAGE_GENERATION_CALL_PARTIAL_IMAGE,
            Kind::ImageGenerationCallCompleted => Self::DFOLD_KIND_IMAGE_GENERATION_CALL_COMPLETED,
            Kind::McpListToolsInProgress => Self::DFOLD_KIND_MCP_LIST_TOOLS_IN_PROGRESS,
            Kind::McpListToolsFailed => Self::DFOLD_KIND_MCP_LIST_TOOLS_FAILED,
            Kind::McpListToolsCompleted => Self::DFOLD_KIND_MCP_LIST_TOOLS_COMPLETED,
            Kind::McpCallInProgress => Self::DFOLD_KIND_MCP_CALL_IN_PROGRESS,
            Kind::McpCallFailed => Self::DFOLD_KIND_MCP_CALL_FAILED,
            Kind::McpCallCompleted => Self::DFOLD_KIND_MCP_CALL_COMPLETED,
            Kind::McpCallArgumentsDelta => Self::DFOLD_KIND_MCP_CALL_ARGUMENTS_DELTA,
            Kind::McpCallArgumentsDone => Self::DFOLD_KIND_MCP_CALL_ARGUMENTS_DONE,
            Kind::ImageGenerationPartialImage => Self::DFOLD_KIND_IMAGE_GENERATION_PARTIAL_IMAGE,
            Kind::ImageGenerationCompleted => Self::DFOLD_KIND_IMAGE_GENERATION_COMPLETED,
            Kind::ImageEditPartialImage => Self::DFOLD_KIND_IMAGE_EDIT_PARTIAL_IMAGE,
            Kind::ImageEditCompleted => Self::DFOLD_KIND_IMAGE_EDIT_COMPLETED,
            Kind::Error => Self::DFOLD_KIND_ERROR,
            Kind::AudioDelta => Self::DFOLD_KIND_AUDIO_DELTA,
            Kind::AudioDone => Self::DFOLD_KIND_AUDIO_DONE,
            Kind::AudioTranscriptDelta => Self::DFOLD_KIND_AUDIO_TRANSCRIPT_DELTA,
            Kind::AudioTranscriptDone => Self::DFOLD_KIND_AUDIO_TRANSCRIPT_DONE,
            Kind::CompactionCompacting => Self::DFOLD_KIND_COMPACTION_COMPACTING,
            Kind::ShellCallOutputContentDelta => Self::DFOLD_KIND_SHELL_CALL_OUTPUT_CONTENT_DELTA,
            Kind::ShellCallOutputContentDone => Self::DFOLD_KIND_SHELL_CALL_OUTPUT_CONTENT_DONE,
            Kind::ReasoningTextDelta => Self::DFOLD_KIND_REASONING_TEXT_DELTA,
            Kind::ReasoningTextDone => Self::DFOLD_KIND_REASONING_TEXT_DONE,
            Kind::SteerAccepted => Self::DFOLD_KIND_STEER_ACCEPTED,
            Kind::SteerPending => Self::DFOLD_KIND_STEER_PENDING,
            Kind::SteerFailed => Self::DFOLD_KIND_STEER_FAILED,
            Kind::InjectCreated => Self::DFOLD_KIND_INJECT_CREATED,
            Kind::InjectFailed => Self::DFOLD_KIND_INJECT_FAILED,
            Kind::Keepalive => Self::DFOLD_KIND_KEEPALIVE,
            Kind::RateLimits => Self::DFOLD_KIND_RATE_LIMITS,
            Kind::Extension => Self::DFOLD_KIND_EXTENSION,
            // The test below fails for a kind that has no number.
            _ => Self::DFOLD_KIND_UNKNOWN,
        }
    }
}

/// Returns the wire name of a kind, such as `response.created`; `extension` or `unknown` for the two kinds that cover many
/// names, and `unknown` for a number that is not a kind.
///
/// - Ownership: the library owns the text; do not free it.
/// - NULL: the view's `data` is never NULL.
/// - Threads: safe from any thread.
/// - Views: the text is constant and lives as long as the library.
#[no_mangle]
pub extern "C" fn dfold_kind_name(kind: i32) -> dfold_bytes {
    let found = Kind::ALL.iter().find(|known| dfold_kind::from(**known) as i32 == kind);
    found.unwrap_or(&Kind::Unknown).name().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_the_core_has_a_number_under_its_own_name() {
        for kind in Kind::ALL {
            let mut name = String::from("DFOLD_KIND");
            for letter in format!("{kind:?}").chars() {
                if letter.is_uppercase() {
                    name.push('_');
                }
                name.extend(letter.to_uppercase());
            }
            assert_eq!(format!("{:?}", dfold_kind::from(*kind)), name);
        }
    }
}
