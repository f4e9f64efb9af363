//! [`Event`]: sealed, by what it carries; what every event has is in its [`EventInfo`].

use deltafold::event::Payload;
use deltafold::json::View;
use deltafold::Kind;

use crate::finding::Failure;
use crate::int;

/// What every event says. What the event does not have is null, `delta` is then empty.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct EventInfo {
    /// Position of the event in the stream, from 0.
    pub index: i64,
    /// The wire name in the contract that `type` is read as; `extension` and `unknown` stand for all others.
    pub kind: String,
    /// The wire name as it was sent.
    pub r#type: String,
    /// The event's own number.
    pub sequence_number: Option<i64>,
    /// Id of the item.
    pub item_id: Option<String>,
    /// Position of the item in the output.
    pub output_index: Option<i64>,
    /// Position of the part in the item.
    pub content_index: Option<i64>,
    /// Position of the summary part in the item.
    pub summary_index: Option<i64>,
    /// Byte offset of the payload from the start of the stream.
    pub offset: i64,
    /// What is added to a text, to arguments, to code.
    pub delta: String,
    /// The whole text, arguments or code of a done event.
    pub text: Option<String>,
    /// The exact payload text.
    pub raw: String,
}

/// One event. A type that this version does not know is `Unknown`, one that its sender defined is `Extension`: both carry the
/// whole payload, and neither is an error.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Enum)]
pub enum Event {
    /// The response entered a state: created, queued, in progress, completed, incomplete, failed.
    ResponseState {
        /// What every event says.
        info: EventInfo,
        /// Whether it ends the response.
        terminal: bool,
    },
    /// An item begins.
    ItemAdded {
        /// What every event says.
        info: EventInfo,
        /// The item's type, such as `message`.
        item_type: String,
    },
    /// An item is finished.
    ItemDone {
        /// What every event says.
        info: EventInfo,
        /// The item's type.
        item_type: String,
    },
    /// A part (of content or summary) begins.
    PartAdded {
        /// What every event says.
        info: EventInfo,
        /// The part's type, such as `output_text`.
        part_type: String,
    },
    /// A part is finished.
    PartDone {
        /// What every event says.
        info: EventInfo,
        /// The part's type.
        part_type: String,
    },
    /// Text for the user grows.
    OutputTextDelta {
        /// What every event says.
        info: EventInfo,
    },
    /// A refusal grows.
    RefusalDelta {
        /// What every event says.
        info: EventInfo,
    },
    /// Raw reasoning grows.
    ReasoningDelta {
        /// What every event says.
        info: EventInfo,
    },
    /// A summary of reasoning grows.
    ReasoningSummaryDelta {
        /// What every event says.
        info: EventInfo,
    },
    /// The arguments of a function call grow.
    ArgumentsDelta {
        /// What every event says.
        info: EventInfo,
    },
    /// Anything else grows: the input of a custom tool, code, a diff, a command, audio.
    Delta {
        /// What every event says.
        info: EventInfo,
    },
    /// A text, arguments, code, a diff or a command is finished; `info.text` is the whole.
    Done {
        /// What every event says.
        info: EventInfo,
    },
    /// An annotation was added to a text part.
    Annotation {
        /// What every event says.
        info: EventInfo,
        /// The annotation as JSON text.
        annotation: Option<String>,
    },
    /// A hosted tool entered a state.
    ToolState {
        /// What every event says.
        info: EventInfo,
        /// The state, such as `searching`.
        status: String,
    },
    /// A preview of an image.
    PartialImage {
        /// What every event says.
        info: EventInfo,
        /// The image in base64.
        base64: Option<String>,
    },
    /// The stream reports an error.
    Error {
        /// What every event says.
        info: EventInfo,
        /// What it says about it.
        error: Failure,
    },
    /// A sign of life.
    Keepalive {
        /// What every event says.
        info: EventInfo,
    },
    /// Rate limits, as their server words them.
    RateLimits {
        /// What every event says.
        info: EventInfo,
    },
    /// Anything else that the contract has: the images API, WebSocket control.
    Other {
        /// What every event says.
        info: EventInfo,
    },
    /// A `slug:name` type of its sender's own, carried untouched.
    Extension {
        /// What every event says.
        info: EventInfo,
        /// The wire name.
        r#type: String,
        /// The exact payload text.
        raw: String,
    },
    /// A type that this version does not know, carried untouched.
    Unknown {
        /// What every event says.
        info: EventInfo,
        /// The wire name.
        r#type: String,
        /// The exact payload text.
        raw: String,
    },
}

impl EventInfo {
    fn of(event: &deltafold::Event<'_>) -> Self {
        Self {
            index: int(event.index()),
            kind: event.kind().as_str().to_owned(),
            r#type: event.wire_type().to_owned(),
            sequence_number: event.sequence_number().map(int),
            item_id: event.item_id().map(str::to_owned),
            output_index: event.output_index().map(int),
            content_index: event.content_index().map(int),
            summary_index: event.summary_index().map(int),
            offset: int(event.offset()),
            delta: event.delta().to_owned(),
            text: event.text().map(str::to_owned),
            raw: event.raw().to_owned(),
        }
    }
}

impl Event {
    pub(crate) fn of(event: &deltafold::Event<'_>) -> Self {
        let info = EventInfo::of(event);
        match (event.kind(), event.payload()) {
            (kind, Payload::Response(_)) => Self::ResponseState { info, terminal: kind.is_terminal() },
            (_, Payload::ItemAdded(_, item)) => Self::ItemAdded { info, item_type: type_of(item) },
            (_, Payload::ItemDone(_, item)) => Self::ItemDone { info, item_type: type_of(item) },
            (_, Payload::PartAdded(_, part)) => Self::PartAdded { info, part_type: type_of(part) },
            (_, Payload::PartDone(_, part)) => Self::PartDone { info, part_type: type_of(part) },
            (Kind::OutputTextDelta, _) => Self::OutputTextDelta { info },
            (Kind::RefusalDelta, _) => Self::RefusalDelta { info },
            (Kind::ReasoningDelta, _) => Self::ReasoningDelta { info },
            (Kind::ReasoningSummaryTextDelta, _) => Self::ReasoningSummaryDelta { info },
            (Kind::FunctionCallArgumentsDelta, _) => Self::ArgumentsDelta { info },
            (_, Payload::Delta(..)) => Self::Delta { info },
            (_, Payload::Done(..)) => Self::Done { info },
            (_, Payload::Annotation(_, annotation)) => {
                Self::Annotation { info, annotation: annotation.map(|view| view.to_value().to_string()) }
            }
            (_, Payload::ToolState(_, status)) => Self::ToolState { info, status: status.to_owned() },
            (_, Payload::PartialImage(_, image)) => Self::PartialImage { info, base64: image.and_then(text_of) },
            (_, Payload::Error(failure)) => Self::Error { info, error: Failure::of(&failure) },
            (_, Payload::Keepalive) => Self::Keepalive { info },
            (_, Payload::RateLimits(_)) => Self::RateLimits { info },
            (_, Payload::Extension(..)) => Self::Extension { r#type: info.r#type.clone(), raw: info.raw.clone(), info },
            (_, Payload::Unknown(..)) => Self::Unknown { r#type: info.r#type.clone(), raw: info.raw.clone(), info },
            _ => Self::Other { info },
        }
    }
}

fn type_of(view: Option<View<'_>>) -> String {
    view.and_then(|view| view.get("type")).and_then(text_of).unwrap_or_default()
}

fn text_of(view: View<'_>) -> Option<String> {
    view.as_str().map(|text| text.into_owned())
}
