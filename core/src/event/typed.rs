//! [`Payload`]: the content of an event, by family, for matching.

use super::payload::Event;
use crate::contract::kinds::progress_item;
use crate::contract::{Group, Kind};
use crate::json::ValueRef;
use crate::outcome::Failure;

/// The item, and the element of it, that an event is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Address<'a> {
    /// Position of the item in the output.
    pub output_index: Option<u64>,
    /// Id of the item.
    pub item_id: Option<&'a str>,
    /// Position of the part, summary part or command inside the item.
    pub element: Option<u64>,
}

/// The content of an event, by family. Every kind has its family; extensions and unknown types have the raw payload.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Payload<'a> {
    /// The whole response object.
    Response(Option<ValueRef<'a>>),
    /// An item begins.
    ItemAdded(Address<'a>, Option<ValueRef<'a>>),
    /// An item is finished.
    ItemDone(Address<'a>, Option<ValueRef<'a>>),
    /// A part (of content or summary) begins.
    PartAdded(Address<'a>, Option<ValueRef<'a>>),
    /// A part is finished.
    PartDone(Address<'a>, Option<ValueRef<'a>>),
    /// Text, arguments, code, a diff or a command grows.
    Delta(Address<'a>, &'a str),
    /// Text, arguments, code, a diff or a command is finished.
    Done(Address<'a>, &'a str),
    /// An annotation was added to a text part.
    Annotation(Address<'a>, Option<ValueRef<'a>>),
    /// A tool changes state; the word is the item's new status.
    ToolState(Address<'a>, &'static str),
    /// A preview of an image, base64.
    PartialImage(Address<'a>, Option<ValueRef<'a>>),
    /// The stream reports an error.
    Error(Failure),
    /// A keep-alive.
    Keepalive,
    /// Rate limits, in the names of the server.
    RateLimits(Option<ValueRef<'a>>),
    /// Any other known event: audio, Images API, WebSocket control.
    Other(Kind, Option<ValueRef<'a>>),
    /// A `slug:name` type, unchanged.
    Extension(&'a str, Option<ValueRef<'a>>),
    /// A type that is not in the contract, unchanged.
    Unknown(&'a str, Option<ValueRef<'a>>),
}

impl<'a> Event<'a> {
    /// The item and element that the event is about.
    pub fn address(&self) -> Address<'a> {
        Address {
            output_index: self.output_index(),
            item_id: self.item_id(),
            element: self.content_index().or(self.summary_index()).or(self.command_index()),
        }
    }

    /// The content of the event, for matching.
    pub fn payload(&self) -> Payload<'a> {
        let address = self.address();
        match self.kind() {
            Kind::OutputItemAdded => Payload::ItemAdded(address, self.item()),
            Kind::OutputItemDone => Payload::ItemDone(address, self.item()),
            Kind::ContentPartAdded | Kind::ReasoningSummaryPartAdded => Payload::PartAdded(address, self.part()),
            Kind::ContentPartDone | Kind::ReasoningSummaryPartDone => Payload::PartDone(address, self.part()),
            Kind::OutputTextAnnotationAdded => Payload::Annotation(address, self.annotation()),
            Kind::ImageGenerationCallPartialImage => Payload::PartialImage(address, self.member("partial_image_b64")),
            Kind::Error => Payload::Error(self.failure()),
            Kind::Keepalive => Payload::Keepalive,
            Kind::RateLimits => Payload::RateLimits(self.root()),
            Kind::Extension => Payload::Extension(self.wire_type(), self.root()),
            Kind::Unknown => Payload::Unknown(self.wire_type(), self.root()),
            kind => match (kind.group(), kind.status()) {
                (Group::ResponseState, _) => Payload::Response(self.response()),
                (Group::ToolState, Some(status)) => Payload::ToolState(address, status),
                (Group::Delta, _) => Payload::Delta(address, self.delta()),
                (Group::Done, _) => Payload::Done(address, self.done_text().unwrap_or("")),
                _ => Payload::Other(kind, self.root()),
            },
        }
    }

    /// The error of an `error` event: each field from the nested object first, otherwise from the event.
    pub fn failure(&self) -> Failure {
        let flat = self.root();
        let nested = self.error();
        let find = |key: &str| {
            let of = |view: Option<ValueRef<'a>>| Some(view?.get(key)?.as_str()?.into_owned());
            of(nested).or_else(|| of(flat))
        };
        // In flat events, `type` is the event's own name.
        let kind = nested.and_then(|view| Some(view.get("type")?.as_str()?.into_owned())).unwrap_or_default();
        Failure {
            kind,
            code: find("code").unwrap_or_default(),
            message: find("message").unwrap_or_default(),
            param: find("param"),
        }
    }
}

impl Kind {
    /// The item status that a tool-state event sets.
    pub fn status(self) -> Option<&'static str> {
        progress_item(self)?;
        let name = self.name();
        name.get(name.bytes().rposition(|byte| byte == b'.').map_or(0, |at| at + 1)..)
    }
}
