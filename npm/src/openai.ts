/**
 * The entry `deltafold/openai`: events for code that is written for the package `openai`. It needs no wasm, and of `openai` only the types.
 *
 * @module deltafold/openai
 */

import type { ResponseStreamEvent } from "openai/resources/responses/responses";

/** The types of the events that the package `openai` knows. */
export type OpenAIEventType = (typeof TYPES)[number];

const TYPES = [
  "error",
  "response.audio.delta",
  "response.audio.done",
  "response.audio.transcript.delta",
  "response.audio.transcript.done",
  "response.code_interpreter_call.completed",
  "response.code_interpreter_call.in_progress",
  "response.code_interpreter_call.interpreting",
  "response.code_interpreter_call_code.delta",
  "response.code_interpreter_call_code.done",
  "response.compaction.compacting",
  "response.completed",
  "response.content_part.added",
  "response.content_part.done",
  "response.created",
  "response.custom_tool_call_input.delta",
  "response.custom_tool_call_input.done",
  "response.failed",
  "response.file_search_call.completed",
  "response.file_search_call.in_progress",
  "response.file_search_call.searching",
  "response.function_call_arguments.delta",
  "response.function_call_arguments.done",
  "response.image_generation_call.completed",
  "response.image_generation_call.generating",
  "response.image_generation_call.in_progress",
  "response.image_generation_call.partial_image",
  "response.in_progress",
  "response.incomplete",
  "response.mcp_call.completed",
  "response.mcp_call.failed",
  "response.mcp_call.in_progress",
  "response.mcp_call_arguments.delta",
  "response.mcp_call_arguments.done",
  "response.mcp_list_tools.completed",
  "response.mcp_list_tools.failed",
  "response.mcp_list_tools.in_progress",
  "response.output_item.added",
  "response.output_item.done",
  "response.output_text.annotation.added",
  "response.output_text.delta",
  "response.output_text.done",
  "response.queued",
  "response.reasoning_summary_part.added",
  "response.reasoning_summary_part.done",
  "response.reasoning_summary_text.delta",
  "response.reasoning_summary_text.done",
  "response.reasoning_text.delta",
  "response.reasoning_text.done",
  "response.refusal.delta",
  "response.refusal.done",
  "response.shell_call_command.added",
  "response.shell_call_command.delta",
  "response.shell_call_command.done",
  "response.shell_call_output_content.delta",
  "response.shell_call_output_content.done",
  "response.web_search_call.completed",
  "response.web_search_call.in_progress",
  "response.web_search_call.searching",
] as const;

/**
 * True if the package `openai` knows an event of this type, so that the event can be handed to code for its `ResponseStreamEvent`.
 *
 * The events of this package have what a server sends. As in a stream of `openai` itself, the response inside of an event has no
 * `output_text`: that is what `events.outputText` is for.
 */
export function isOpenAIEvent(event: { readonly type: string }): event is ResponseStreamEvent {
  return (TYPES as readonly string[]).includes(event.type);
}
