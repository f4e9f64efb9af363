//! The wire contract as data: the editions, and the kinds and schemas of each.
//!
//! - *Takes*: names and ids of the wire.
//! - *Gives*: kinds, groups, fields and schema nodes.
//! - *Promises*: the tables are those of the fact files in `core/contract`, from which `cargo run -p deltafold-contract` generates them.
//! - *Costs*: constants; no start-up cost and no allocation.
//!
//! `text_route.rs` and [`ItemKind::is_answered_by_client`] are written by hand, because the facts state the effect of an event and the
//! party that runs a tool in words only.

use crate::named::display_name;
use core::fmt;

mod edition;
mod extension_type;
// Generated; laid out by the generator.
#[rustfmt::skip]
mod item_kinds;
#[rustfmt::skip]
pub(crate) mod kinds;
pub(crate) mod schema;
#[rustfmt::skip]
pub(crate) mod tables;
pub(crate) mod text_route;

pub use edition::{Edition, Editions};
pub use extension_type::is_valid_extension_type;
pub use item_kinds::ItemKind;
pub use kinds::Kind;
pub use schema::{FieldFact, SchemaId};

/// The change that an event reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Group {
    /// The response entered a state; the event carries the whole response.
    ResponseState,
    /// An output item opens or closes.
    ItemBoundary,
    /// A content or summary part opens or closes.
    PartBoundary,
    /// An element of a list inside an item opens.
    ElementAdded,
    /// Data is appended to a value.
    Delta,
    /// A value is complete.
    Done,
    /// An annotation was added to a text.
    Annotation,
    /// A hosted tool entered a state.
    ToolState,
    /// An error occurred.
    Error,
    /// Keeps the connection alive or describes it; does not affect the response.
    Transport,
    /// Answers a client message on a WebSocket.
    WebsocketControl,
    /// Belongs to the images API, which shares the event union in the split editions.
    ImagesApi,
    /// Defined by its sender.
    Extension,
    /// Unknown.
    Unknown,
}

impl ItemKind {
    /// Returns the kind of a `type` on the wire.
    pub fn from_wire(name: &str) -> Self {
        match Self::ALL.iter().find(|kind| kind.name() == name) {
            Some(kind) => *kind,
            None if is_valid_extension_type(name) => Self::Extension,
            None => Self::Unknown,
        }
    }

    /// Returns `true` for calls that a client can answer: their outputs are input items of the next request. The server runs and
    /// answers the calls of all other types.
    pub fn is_answered_by_client(self) -> bool {
        matches!(
            self,
            Self::FunctionCall
                | Self::CustomToolCall
                | Self::ShellCall
                | Self::LocalShellCall
                | Self::ApplyPatchCall
                | Self::ComputerCall
                | Self::McpApprovalRequest
        )
    }

    /// The member that identifies a call of this type in its answer: `call_id`, or the `id` of an approval request.
    pub(crate) fn call_id_key(self) -> &'static str {
        if self == Self::McpApprovalRequest {
            "id"
        } else {
            "call_id"
        }
    }
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Group {
    /// Returns the name in the fact files, such as `response_state`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ResponseState => "response_state",
            Self::ItemBoundary => "item_boundary",
            Self::PartBoundary => "part_boundary",
            Self::ElementAdded => "element_added",
            Self::Delta => "delta",
            Self::Done => "done",
            Self::Annotation => "annotation",
            Self::ToolState => "tool_state",
            Self::Error => "error",
            Self::Transport => "transport",
            Self::WebsocketControl => "websocket_control",
            Self::ImagesApi => "images_api",
            Self::Extension => "extension",
            Self::Unknown => "unknown",
        }
    }
}

display_name!(Group);
