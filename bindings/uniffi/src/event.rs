//! [`Event`]: a sealed type with one member per kind of content; [`EventInfo`] has the fields of every event.

use deltafold::event::Payload;
use deltafold::json::ValueRef;
use deltafold::Kind;

use crate::finding::Failure;
use crate::int;

/// The fields of every event. Absent fields are null; an absent `delta` is empty.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct EventInfo {
    /// Position of the event in the stream, from 0.
    pub index: i64,
    /// The wire name of the kind, with aliases of `type` resolved; `extension` or `unknown` for all other types.
    pub kind: String,
    /// The wire name in the payload.
    pub r#type: String,
    /// The sequence number of the event.
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
    /// The text that a delta event adds.
    pub delta: String,
    /// The complete text, arguments or code of a done event.
    pub text: Option<String>,
    /// The payload text exactly as received.
    pub raw: String,
}

/// One event. An extension type is `Extension`, and a type that this version does not know is `Unknown`; both keep the
/// whole payload, and neither is an error.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Enum)]
pub enum Event {
    /// The response entered a state: created, queued, in progress, completed, incomplete, failed.
    ResponseState {
        /// The fields of every event.
        info: EventInfo,
        /// True if the event ends the response.
        terminal: bool,
    },
    /// An item begins.
    ItemAdded {
        /// The fields of every event.
        info: EventInfo,
        /// The item's type, such as `message`.
        item_type: String,
    },
    /// An item is done.
    ItemDone {
        /// The fields of every event.
        info: EventInfo,
        /// The item's type.
        item_type: String,
    },
    /// A part (of content or summary) begins.
    PartAdded {
        /// The fields of every event.
        info: EventInfo,
        /// The part's type, such as `output_text`.
        part_type: String,
    },
    /// A part is done.
    PartDone {
        /// The fields of every event.
        info: EventInfo,
        /// The part's type.
        part_type: String,
    },
    /// Text for the user.
    OutputTextDelta {
        /// The fields of every event.
        info: EventInfo,
    },
    /// Text of a refusal.
    RefusalDelta {
        /// The fields of every event.
        info: EventInfo,
    },
    /// Raw reasoning.
    ReasoningDelta {
        /// The fields of every event.
        info: EventInfo,
    },
    /// Text of a reasoning summary.
    ReasoningSummaryDelta {
        /// The fields of every event.
        info: EventInfo,
    },
    /// Arguments of a function call.
    ArgumentsDelta {
        /// The fields of every event.
        info: EventInfo,
    },
    /// Any other delta: the input of a custom tool, code, a diff, a command, audio.
    Delta {
        /// The fields of every event.
        info: EventInfo,
    },
    /// A text, arguments, code, a diff or a command is done; `info.text` is the complete one.
    Done {
        /// The fields of every event.
        info: EventInfo,
    },
    /// An annotation was added to a text part.
    Annotation {
        /// The fields of every event.
        info: EventInfo,
        /// The annotation as JSON text.
        annotation: Option<String>,
    },
    /// A hosted tool entered a state.
    ToolState {
        /// The fields of every event.
        info: EventInfo,
        /// The state, such as `searching`.
        status: String,
    },
    /// A preview of an image.
    PartialImage {
        /// The fields of every event.
        info: EventInfo,
        /// The image in base64.
        base64: Option<String>,
    },
    /// The stream reports an error.
    Error {
        /// The fields of every event.
        info: EventInfo,
        /// The reported error.
        error: Failure,
    },
    /// A keepalive.
    Keepalive {
        /// The fields of every event.
        info: EventInfo,
    },
    /// Rate limits in the server's own form.
    RateLimits {
        /// The fields of every event.
        info: EventInfo,
    },
    /// Any other kind of the specification: the images API, WebSocket control.
    Other {
        /// The fields of every event.
        info: EventInfo,
    },
    /// An extension, `slug:name`, carried through unchanged.
    Extension {
        /// The fields of every event.
        info: EventInfo,
        /// The wire name.
        r#type: String,
        /// The payload text exactly as received.
        raw: String,
    },
    /// An unknown type, carried through unchanged.
    Unknown {
        /// The fields of every event.
        info: EventInfo,
        /// The wire name.
        r#type: String,
        /// The payload text exactly as received.
        raw: String,
    },
}

impl EventInfo {
    fn of(event: &deltafold::Event<'_>) -> Self {
        Self {
            index: int(event.index()),
            kind: event.kind().name().to_owned(),
            r#type: event.wire_type().to_owned(),
            sequence_number: event.sequence_number().map(int),
            item_id: event.item_id().map(str::to_owned),
            output_index: event.output_index().map(int),
            content_index: event.content_index().map(int),
            summary_index: event.summary_index().map(int),
            offset: int(event.offset()),
            delta: event.delta().to_owned(),
            text: event.done_text().map(str::to_owned),
            raw: event.raw().to_owned(),
        }
    }
}

/// The class of an event, with the fields that only this class has. The discriminant is the position in `Event::CLASSES` of
/// `ruby/lib/deltafold/event.rb`.
pub(crate) enum EventClass {
    ResponseState { terminal: bool },
    ItemAdded { item_type: String },
    ItemDone { item_type: String },
    PartAdded { part_type: String },
    PartDone { part_type: String },
    OutputTextDelta,
    RefusalDelta,
    ReasoningDelta,
    ReasoningSummaryDelta,
    ArgumentsDelta,
    Delta,
    Done,
    Annotation { annotation: Option<String> },
    ToolState { status: String },
    PartialImage { base64: Option<String> },
    Error { error: deltafold::Failure },
    Keepalive,
    RateLimits,
    Other,
    Extension,
    Unknown,
}

impl EventClass {
    pub(crate) fn of(event: &deltafold::Event<'_>) -> Self {
        match (event.kind(), event.payload()) {
            (kind, Payload::Response(_)) => Self::ResponseState { terminal: kind.is_terminal() },
            (_, Payload::ItemAdded(_, item)) => Self::ItemAdded { item_type: type_of(item) },
            (_, Payload::ItemDone(_, item)) => Self::ItemDone { item_type: type_of(item) },
            (_, Payload::PartAdded(_, part)) => Self::PartAdded { part_type: type_of(part) },
            (_, Payload::PartDone(_, part)) => Self::PartDone { part_type: type_of(part) },
            (Kind::OutputTextDelta, _) => Self::OutputTextDelta,
            (Kind::RefusalDelta, _) => Self::RefusalDelta,
            (Kind::ReasoningDelta, _) => Self::ReasoningDelta,
            (Kind::ReasoningSummaryTextDelta, _) => Self::ReasoningSummaryDelta,
            (Kind::FunctionCallArgumentsDelta, _) => Self::ArgumentsDelta,
            (_, Payload::Delta(..)) => Self::Delta,
            (_, Payload::Done(..)) => Self::Done,
            (_, Payload::Annotation(_, annotation)) => {
                Self::Annotation { annotation: annotation.map(|view| view.to_value().to_string()) }
            }
            (_, Payload::ToolState(_, status)) => Self::ToolState { status: status.to_owned() },
            (_, Payload::PartialImage(_, image)) => Self::PartialImage { base64: image.and_then(text_of) },
            (_, Payload::Error(failure)) => Self::Error { error: failure },
            (_, Payload::Keepalive) => Self::Keepalive,
            (_, Payload::RateLimits(_)) => Self::RateLimits,
            (_, Payload::Extension(..)) => Self::Extension,
            (_, Payload::Unknown(..)) => Self::Unknown,
            _ => Self::Other,
        }
    }

    /// The position in `Event::CLASSES` of Ruby.
    pub(crate) fn number(&self) -> i64 {
        match self {
            Self::ResponseState { .. } => 0,
            Self::ItemAdded { .. } => 1,
            Self::ItemDone { .. } => 2,
            Self::PartAdded { .. } => 3,
            Self::PartDone { .. } => 4,
            Self::OutputTextDelta => 5,
            Self::RefusalDelta => 6,
            Self::ReasoningDelta => 7,
            Self::ReasoningSummaryDelta => 8,
            Self::ArgumentsDelta => 9,
            Self::Delta => 10,
            Self::Done => 11,
            Self::Annotation { .. } => 12,
            Self::ToolState { .. } => 13,
            Self::PartialImage { .. } => 14,
            Self::Error { .. } => 15,
            Self::Keepalive => 16,
            Self::RateLimits => 17,
            Self::Other => 18,
            Self::Extension => 19,
            Self::Unknown => 20,
        }
    }

    /// The field that only this class has, as text. A terminal state has an empty text.
    pub(crate) fn into_extra(self) -> Option<String> {
        match self {
            Self::ResponseState { terminal } => terminal.then(String::new),
            Self::ItemAdded { item_type: text }
            | Self::ItemDone { item_type: text }
            | Self::PartAdded { part_type: text }
            | Self::PartDone { part_type: text }
            | Self::ToolState { status: text } => Some(text),
            Self::Annotation { annotation: text } | Self::PartialImage { base64: text } => text,
            Self::Error { error } => Some(error.to_value().to_string()),
            _ => None,
        }
    }
}

impl Event {
    pub(crate) fn of(event: &deltafold::Event<'_>) -> Self {
        let info = EventInfo::of(event);
        match EventClass::of(event) {
            EventClass::ResponseState { terminal } => Self::ResponseState { info, terminal },
            EventClass::ItemAdded { item_type } => Self::ItemAdded { info, item_type },
            EventClass::ItemDone { item_type } => Self::ItemDone { info, item_type },
            EventClass::PartAdded { part_type } => Self::PartAdded { info, part_type },
            EventClass::PartDone { part_type } => Self::PartDone { info, part_type },
            EventClass::OutputTextDelta => Self::OutputTextDelta { info },
            EventClass::RefusalDelta => Self::RefusalDelta { info },
            EventClass::ReasoningDelta => Self::ReasoningDelta { info },
            EventClass::ReasoningSummaryDelta => Self::ReasoningSummaryDelta { info },
            EventClass::ArgumentsDelta => Self::ArgumentsDelta { info },
            EventClass::Delta => Self::Delta { info },
            EventClass::Done => Self::Done { info },
            EventClass::Annotation { annotation } => Self::Annotation { info, annotation },
            EventClass::ToolState { status } => Self::ToolState { info, status },
            EventClass::PartialImage { base64 } => Self::PartialImage { info, base64 },
            EventClass::Error { error } => Self::Error { info, error: Failure::of(&error) },
            EventClass::Keepalive => Self::Keepalive { info },
            EventClass::RateLimits => Self::RateLimits { info },
            EventClass::Other => Self::Other { info },
            EventClass::Extension => Self::Extension { r#type: info.r#type.clone(), raw: info.raw.clone(), info },
            EventClass::Unknown => Self::Unknown { r#type: info.r#type.clone(), raw: info.raw.clone(), info },
        }
    }
}

fn type_of(view: Option<ValueRef<'_>>) -> String {
    view.and_then(|view| view.get("type")).and_then(text_of).unwrap_or_default()
}

fn text_of(view: ValueRef<'_>) -> Option<String> {
    view.as_str().map(|text| text.into_owned())
}
