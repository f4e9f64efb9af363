//! [`ResponseMembers`]: the members of a response that the rules read, found in one pass.

use crate::json::ValueRef;

/// The members of a response that the rules read; of repeated keys the last one. A response has some thirty members, so that a search
/// for each of them would take longer than the rules.
#[derive(Clone, Copy, Default)]
pub(super) struct ResponseMembers<'e> {
    pub(super) id: Option<ValueRef<'e>>,
    pub(super) status: Option<ValueRef<'e>>,
    pub(super) output: Option<ValueRef<'e>>,
    pub(super) usage: Option<ValueRef<'e>>,
    pub(super) completed_at: Option<ValueRef<'e>>,
    pub(super) error: Option<ValueRef<'e>>,
    pub(super) incomplete_details: Option<ValueRef<'e>>,
    pub(super) previous_response_id: Option<ValueRef<'e>>,
    pub(super) tools: Option<ValueRef<'e>>,
    pub(super) tool_choice: Option<ValueRef<'e>>,
    pub(super) parallel_tool_calls: Option<ValueRef<'e>>,
    pub(super) max_tool_calls: Option<ValueRef<'e>>,
}

impl<'e> ResponseMembers<'e> {
    /// Finds the members; there are none in a value that is not an object.
    pub(super) fn of(response: ValueRef<'e>) -> Self {
        let mut found = Self::default();
        for (key, value) in response.entries() {
            let member = match &*key.as_str().unwrap_or_default() {
                "id" => &mut found.id,
                "status" => &mut found.status,
                "output" => &mut found.output,
                "usage" => &mut found.usage,
                "completed_at" => &mut found.completed_at,
                "error" => &mut found.error,
                "incomplete_details" => &mut found.incomplete_details,
                "previous_response_id" => &mut found.previous_response_id,
                "tools" => &mut found.tools,
                "tool_choice" => &mut found.tool_choice,
                "parallel_tool_calls" => &mut found.parallel_tool_calls,
                "max_tool_calls" => &mut found.max_tool_calls,
                _ => continue,
            };
            *member = Some(value);
        }
        found
    }

    /// Returns `true` if the response has this status.
    pub(super) fn has_status(&self, status: &str) -> bool {
        self.status.is_some_and(|view| view.is_str(status))
    }

    /// The items of the output.
    pub(super) fn items(&self) -> impl Iterator<Item = ValueRef<'e>> + use<'e> {
        self.output.into_iter().flat_map(|output| output.elements())
    }

    /// Returns `true` if the response was cut off for this reason.
    pub(super) fn has_incomplete_reason(&self, reason: &str) -> bool {
        let found = self.incomplete_details.and_then(|details| details.get("reason"));
        found.is_some_and(|view| view.is_str(reason))
    }
}
