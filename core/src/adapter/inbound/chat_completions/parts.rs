//! What a delta holds besides calls: reasoning, content, refusal, annotations, images.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::{Chat, Reasoning};
use crate::adapter::inbound::envelope;
use crate::adapter::inbound::hub::{Hub, Last, Slot, Status};
use crate::adapter::inbound::{count, given, text, Piece};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Object, Tag, Value, View};

impl Chat {
    /// Reasoning: the details of OpenRouter alone if there are any, since the plain text repeats them.
    pub(super) fn reason(&mut self, delta: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let details = delta.get("reasoning_details");
        let mut any = false;
        for detail in details.into_iter().flat_map(|details| details.elements()) {
            any = true;
            self.detail(detail, hub)?;
        }
        if any {
            return Ok(());
        }
        let plain = |key: &str| delta.get(key).and_then(Piece::of).filter(|piece| !piece.is_empty());
        match plain("reasoning_content").or_else(|| plain("reasoning")) {
            Some(piece) => self.think(&piece, hub),
            None => Ok(()),
        }
    }

    fn think(&mut self, piece: &Piece<'_>, hub: &mut Hub) -> Result<(), Error> {
        let slot = self.in_reasoning(hub)?;
        hub.thinking(slot, piece)
    }

    fn detail(&mut self, detail: View<'_>, hub: &mut Hub) -> Result<(), Error> {
        let index = count(detail.get("index"));
        let format = text(detail.get("format")).filter(|format| !format.is_empty()).unwrap_or(Cow::Borrowed("unknown"));
        let string = |key: &str| detail.get(key).and_then(Piece::of).filter(|piece| !piece.is_empty());
        match text(detail.get("type")).unwrap_or_default().as_ref() {
            "reasoning.text" => {
                if let Some(piece) = string("text") {
                    let slot = self.in_detail(index, hub)?;
                    hub.thinking(slot, &piece)?;
                }
                if let Some(signature) = text(detail.get("signature")).filter(|signature| !signature.is_empty()) {
                    let slot = self.in_detail(index, hub)?;
                    self.reasoning.sealed = true;
                    hub.set(slot, "encrypted_content", envelope::wrap("openrouter", &format, &signature).into())?;
                }
            }
            "reasoning.summary" => {
                if let Some(piece) = string("summary") {
                    let slot = self.in_detail(index, hub)?;
                    hub.summary(slot, &piece)?;
                }
            }
            "reasoning.encrypted" => {
                if let Some(data) = text(detail.get("data")).filter(|data| !data.is_empty()) {
                    // With text beside it the data would be read back as that text's signature.
                    self.flush_logprobs(hub)?;
                    let slot = hub.next_reasoning(Some(&envelope::wrap("openrouter", &format, &data)))?;
                    self.reasoning = Reasoning { slot: Some(slot), sealed: true, index };
                }
            }
            other => hub.report(AdapterCode::ReasoningDropped, other),
        }
        Ok(())
    }

    /// The reasoning item for a detail. What comes behind a seal is another thought.
    fn in_detail(&mut self, index: Option<u64>, hub: &mut Hub) -> Result<Slot, Error> {
        let open = self.reasoning.slot.is_some_and(|slot| hub.last_slot() == Some(slot));
        let fresh = !open || (self.reasoning.sealed && (self.reasoning.index != index || !self.has_text(hub)));
        if fresh {
            self.flush_logprobs(hub)?;
            let slot = hub.next_reasoning(None)?;
            self.reasoning = Reasoning { slot: Some(slot), sealed: false, index };
            return Ok(slot);
        }
        self.reasoning.index = index;
        self.in_reasoning(hub)
    }

    fn has_text(&self, hub: &Hub) -> bool {
        self.reasoning.slot.is_some_and(|slot| hub.has_parts(slot))
    }

    fn in_reasoning(&mut self, hub: &mut Hub) -> Result<Slot, Error> {
        if hub.last() == Last::Message {
            self.flush_logprobs(hub)?;
        }
        let slot = hub.in_reasoning()?;
        if self.reasoning.slot != Some(slot) {
            self.reasoning = Reasoning { slot: Some(slot), ..Reasoning::default() };
        }
        Ok(slot)
    }

    /// Content: a text, or Mistral's list of typed chunks.
    pub(super) fn content(&mut self, content: Option<View<'_>>, hub: &mut Hub) -> Result<(), Error> {
        let Some(content) = content else { return Ok(()) };
        if content.tag() != Tag::Array {
            return match Piece::of(content) {
                Some(piece) => self.say(&piece, hub),
                None => Ok(()),
            };
        }
        for chunk in content.elements() {
            match text(chunk.get("type")).unwrap_or_default().as_ref() {
                "text" => {
                    if let Some(piece) = chunk.get("text").and_then(Piece::of) {
                        self.say(&piece, hub)?;
                    }
                }
                "thinking" => {
                    let thoughts = chunk.get("thinking").into_iter().flat_map(|thoughts| thoughts.elements());
                    for thought in thoughts.filter_map(|thought| thought.get("text")) {
                        if let Some(piece) = Piece::of(thought).filter(|piece| !piece.is_empty()) {
                            self.think(&piece, hub)?;
                        }
                    }
                }
                other => hub.report(AdapterCode::ContentPartDropped, other),
            }
        }
        Ok(())
    }

    fn say(&mut self, piece: &Piece<'_>, hub: &mut Hub) -> Result<(), Error> {
        if piece.is_empty() {
            return Ok(());
        }
        self.reasoning = Reasoning::default();
        let slot = hub.in_message()?;
        hub.text(slot, piece, &core::mem::take(&mut self.logprobs))
    }

    /// Log probabilities that waited for a text in vain go with the end of the open one.
    pub(super) fn flush_logprobs(&mut self, hub: &mut Hub) -> Result<(), Error> {
        let waiting = core::mem::take(&mut self.logprobs);
        match hub.last_slot().filter(|slot| hub.has_text_open(*slot)) {
            Some(slot) => hub.text(slot, &Piece::plain(""), &waiting),
            None => Ok(()),
        }
    }

    pub(super) fn refuse(&mut self, refusal: Option<View<'_>>, hub: &mut Hub) -> Result<(), Error> {
        let Some(piece) = refusal.and_then(Piece::of).filter(|piece| !piece.is_empty()) else { return Ok(()) };
        self.flush_logprobs(hub)?;
        self.reasoning = Reasoning::default();
        let slot = hub.in_message()?;
        hub.refusal(slot, &piece)
    }

    pub(super) fn annotate(&mut self, annotations: Option<View<'_>>, hub: &mut Hub) -> Result<(), Error> {
        for annotation in annotations.into_iter().flat_map(|list| list.elements()) {
            let open = hub.last_slot().filter(|slot| hub.has_text_open(*slot));
            let citation = given(annotation.get("url_citation")).unwrap_or(annotation);
            let url = text(citation.get("url")).filter(|url| !url.is_empty());
            let cites = annotation.get("type").is_some_and(|kind| kind.is_str("url_citation"));
            let (Some(slot), Some(url), true) = (open, url, cites) else {
                let kind = text(annotation.get("type")).unwrap_or_default();
                hub.report(AdapterCode::AnnotationDropped, &kind);
                continue;
            };
            let offset = |key: &str| count(citation.get(key)).unwrap_or(0);
            let title = text(citation.get("title")).unwrap_or_default();
            let annotation = hub.citation(&url, &title, offset("start_index"), offset("end_index"));
            hub.annotate(slot, annotation)?;
        }
        Ok(())
    }

    pub(super) fn images(&mut self, images: Option<View<'_>>, hub: &mut Hub) -> Result<(), Error> {
        for image in images.into_iter().flat_map(|images| images.elements()) {
            let url = text(image.pointer("/image_url/url")).or_else(|| text(image.get("image_url")));
            let Some(url) = url.filter(|url| !url.is_empty()) else {
                hub.report(AdapterCode::MediaDropped, "an image without a URL");
                continue;
            };
            self.flush_logprobs(hub)?;
            self.reasoning = Reasoning::default();
            hub.settle(Status::Completed)?;
            let media_type = url.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next());
            let media_type = media_type.filter(|media_type| !media_type.is_empty()).unwrap_or("image/*");
            hub.media(&self.provider, media_type, &url)?;
        }
        Ok(())
    }

    /// What some providers add to a delta and nothing here has a place for.
    pub(super) fn note_unmapped(&mut self, delta: View<'_>, hub: &mut Hub) {
        if given(delta.get("audio")).is_some() {
            self.report_once(AdapterCode::MediaDropped, "audio", hub);
        }
        if delta.get("executed_tools").is_some_and(|tools| tools.elements().next().is_some()) {
            self.report_once(AdapterCode::ItemDropped, "tools that the provider executed", hub);
        }
    }
}

/// Says whether a delta holds anything that would be written.
pub(super) fn has_content(delta: View<'_>) -> bool {
    let filled = |key: &str| {
        delta.get(key).is_some_and(|value| match value.tag() {
            Tag::String => value.literal().is_some_and(|text| !text.is_empty()),
            Tag::Array => value.elements().next().is_some(),
            Tag::Object => true,
            _ => false,
        })
    };
    [
        "content",
        "refusal",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "tool_calls",
        "function_call",
        "images",
    ]
    .iter()
    .any(|key| filled(key))
}

/// One token's log probability in the form of the specification, which wants every field.
pub(super) fn logprob(token: View<'_>) -> Option<Value> {
    let mut whole = alternative(token)?;
    let others: Vec<Value> = token
        .get("top_logprobs")
        .into_iter()
        .flat_map(|list| list.elements())
        .filter_map(alternative)
        .map(Value::from)
        .collect();
    whole.push("top_logprobs", others);
    Some(whole.into())
}

fn alternative(token: View<'_>) -> Option<Object> {
    let bytes: Vec<Value> = token
        .get("bytes")
        .into_iter()
        .flat_map(|list| list.elements())
        .filter(|byte| byte.as_i64().is_some())
        .map(Value::from)
        .collect();
    let mut object = Object::with_capacity(4);
    object.push("token", text(token.get("token"))?.as_ref());
    object.push("logprob", token.get("logprob").filter(|number| number.tag() == Tag::Number)?.to_value());
    object.push("bytes", bytes);
    Some(object)
}
