//! The members of a delta besides calls: reasoning, content, refusal, annotations, images.

use alloc::borrow::Cow;
use alloc::string::ToString;

use super::{ChatDecoder, DeltaMembers, OpenReasoning};
use crate::accumulate::held_bytes::NAME_BYTES;
use crate::adapter::inbound::builder::{ItemStatus, LastItem, OutputSlot, ResponseBuilder};
use crate::adapter::inbound::encrypted_content;
use crate::adapter::inbound::{count, extension_type, non_null, text, TextPiece, TokenBytes, TokenLogProb};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::{Object, ValueKind, ValueRef};

impl ChatDecoder {
    /// Reasoning: the details of OpenRouter alone if there are any, since the plain text repeats them.
    pub(super) fn reason(&mut self, delta: &DeltaMembers<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let mut any = false;
        for detail in delta.reasoning_details.into_iter().flat_map(|details| details.elements()) {
            any = true;
            self.detail(detail, builder)?;
        }
        if any {
            return Ok(());
        }
        let texts = [delta.reasoning_content, delta.reasoning].into_iter().flatten();
        let piece = texts.filter_map(TextPiece::from_json).find(|piece| !piece.is_empty());
        if let Some(piece) = &piece {
            self.append_reasoning(piece, builder)?;
        }
        self.thinking_blocks(delta.thinking_blocks, piece.is_some(), builder)
    }

    /// Blocks of Anthropic, as gateways hand them on: their text is repeated beside them, their signature is not.
    fn thinking_blocks(
        &mut self,
        blocks: Option<ValueRef<'_>>,
        has_text: bool,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        for block in blocks.into_iter().flat_map(|blocks| blocks.elements()) {
            let piece = |key: &str| block.get(key).and_then(TextPiece::from_json).filter(|piece| !piece.is_empty());
            if let Some(data) = text(block.get("data")).filter(|data| !data.is_empty()) {
                self.flush_logprobs(builder)?;
                let envelope = encrypted_content::wrap("anthropic", "redacted", &data);
                let slot = builder.start_reasoning(Some(&envelope))?;
                self.reasoning = OpenReasoning { slot: Some(slot), sealed: true, index: None };
                continue;
            }
            if let Some(piece) = piece("thinking").filter(|_| !has_text) {
                self.append_reasoning(&piece, builder)?;
            }
            if let Some(signature) = text(block.get("signature")).filter(|signature| !signature.is_empty()) {
                let slot = self.in_reasoning(builder)?;
                self.reasoning.sealed = true;
                let envelope = encrypted_content::wrap("anthropic", "signature", &signature);
                builder.set_field(slot, "encrypted_content", envelope.into())?;
            }
        }
        Ok(())
    }

    fn append_reasoning(&mut self, piece: &TextPiece<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let slot = self.in_reasoning(builder)?;
        builder.append_thinking(slot, piece)
    }

    fn detail(&mut self, detail: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let index = count(detail.get("index"));
        let format = text(detail.get("format")).filter(|format| !format.is_empty()).unwrap_or(Cow::Borrowed("unknown"));
        let string = |key: &str| detail.get(key).and_then(TextPiece::from_json).filter(|piece| !piece.is_empty());
        match text(detail.get("type")).unwrap_or_default().as_ref() {
            "reasoning.text" => {
                if let Some(piece) = string("text") {
                    let slot = self.in_reasoning_detail(index, builder)?;
                    builder.append_thinking(slot, &piece)?;
                }
                if let Some(signature) = text(detail.get("signature")).filter(|signature| !signature.is_empty()) {
                    let slot = self.in_reasoning_detail(index, builder)?;
                    self.reasoning.sealed = true;
                    builder.set_field(
                        slot,
                        "encrypted_content",
                        encrypted_content::wrap("openrouter", &format, &signature).into(),
                    )?;
                }
            }
            "reasoning.summary" => {
                if let Some(piece) = string("summary") {
                    let slot = self.in_reasoning_detail(index, builder)?;
                    builder.append_summary(slot, &piece)?;
                }
            }
            "reasoning.encrypted" => {
                if let Some(data) = text(detail.get("data")).filter(|data| !data.is_empty()) {
                    // Together with text, the data would be read back as that text's signature.
                    self.flush_logprobs(builder)?;
                    let slot = builder.start_reasoning(Some(&encrypted_content::wrap("openrouter", &format, &data)))?;
                    self.reasoning = OpenReasoning { slot: Some(slot), sealed: true, index };
                }
            }
            other => builder.report(AdapterCode::ReasoningDropped, other),
        }
        Ok(())
    }

    /// The reasoning item for a detail. A detail after encrypted content is another thought.
    fn in_reasoning_detail(&mut self, index: Option<u64>, builder: &mut ResponseBuilder) -> Result<OutputSlot, Error> {
        let open = self.reasoning.slot.is_some_and(|slot| builder.last_slot() == Some(slot));
        let fresh = !open || (self.reasoning.sealed && (self.reasoning.index != index || !self.has_text(builder)));
        if fresh {
            self.flush_logprobs(builder)?;
            let slot = builder.start_reasoning(None)?;
            self.reasoning = OpenReasoning { slot: Some(slot), sealed: false, index };
            return Ok(slot);
        }
        self.reasoning.index = index;
        self.in_reasoning(builder)
    }

    fn has_text(&self, builder: &ResponseBuilder) -> bool {
        self.reasoning.slot.is_some_and(|slot| builder.has_parts(slot))
    }

    fn in_reasoning(&mut self, builder: &mut ResponseBuilder) -> Result<OutputSlot, Error> {
        if builder.last_item() == LastItem::Message {
            self.flush_logprobs(builder)?;
        }
        let slot = builder.ensure_reasoning()?;
        if self.reasoning.slot != Some(slot) {
            self.reasoning = OpenReasoning { slot: Some(slot), ..OpenReasoning::default() };
        }
        Ok(slot)
    }

    /// Content: a text, or Mistral's list of typed chunks.
    pub(super) fn content(
        &mut self,
        content: Option<ValueRef<'_>>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        let Some(content) = content else { return Ok(()) };
        if content.kind() != ValueKind::Array {
            return match TextPiece::from_json(content) {
                Some(piece) => self.append_text(&piece, builder),
                None => Ok(()),
            };
        }
        for chunk in content.elements() {
            match text(chunk.get("type")).unwrap_or_default().as_ref() {
                "text" => {
                    if let Some(piece) = chunk.get("text").and_then(TextPiece::from_json) {
                        self.append_text(&piece, builder)?;
                    }
                }
                "thinking" => {
                    let thoughts = chunk.get("thinking").into_iter().flat_map(|thoughts| thoughts.elements());
                    for thought in thoughts.filter_map(|thought| thought.get("text")) {
                        if let Some(piece) = TextPiece::from_json(thought).filter(|piece| !piece.is_empty()) {
                            self.append_reasoning(&piece, builder)?;
                        }
                    }
                    if let Some(signature) = text(chunk.get("signature")).filter(|signature| !signature.is_empty()) {
                        let slot = self.in_reasoning(builder)?;
                        let envelope = encrypted_content::wrap(&self.provider, "signature", &signature);
                        builder.set_field(slot, "encrypted_content", envelope.into())?;
                    }
                }
                "image_url" => self.image(chunk, builder)?,
                "tool_reference" if text(chunk.get("url")).is_some_and(|url| !url.is_empty()) => {
                    self.cite_tool(chunk, builder)?;
                }
                other => builder.report(AdapterCode::ContentPartDropped, other),
            }
        }
        Ok(())
    }

    /// The results of a tool, cited after the text so far.
    fn cite_tool(&mut self, chunk: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(slot) = builder.last_slot().filter(|slot| builder.has_text_open(*slot)) else {
            builder.report(AdapterCode::AnnotationDropped, "tool_reference");
            return Ok(());
        };
        let member = |key: &str| text(chunk.get(key)).unwrap_or_default();
        let end = builder.part_length(slot)?;
        let annotation = builder.url_citation(&member("url"), &member("title"), end, end);
        builder.add_annotation(slot, annotation)
    }

    fn append_text(&mut self, piece: &TextPiece<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if piece.is_empty() {
            return Ok(());
        }
        self.reasoning = OpenReasoning::default();
        let slot = builder.ensure_message()?;
        builder.add_logprobs(slot, &self.logprobs)?;
        self.logprobs.clear();
        builder.append_text(slot, piece)
    }

    /// Log probabilities without a text are attached to the end of the open one.
    pub(super) fn flush_logprobs(&mut self, builder: &mut ResponseBuilder) -> Result<(), Error> {
        if let Some(slot) = builder.last_slot().filter(|slot| builder.has_text_open(*slot)) {
            builder.add_logprobs(slot, &self.logprobs)?;
        }
        self.logprobs.clear();
        Ok(())
    }

    pub(super) fn refuse(&mut self, refusal: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(piece) = refusal.and_then(TextPiece::from_json).filter(|piece| !piece.is_empty()) else {
            return Ok(());
        };
        self.flush_logprobs(builder)?;
        self.reasoning = OpenReasoning::default();
        let slot = builder.ensure_message()?;
        builder.append_refusal(slot, &piece)
    }

    pub(super) fn annotate(
        &mut self,
        annotations: Option<ValueRef<'_>>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        for annotation in annotations.into_iter().flat_map(|list| list.elements()) {
            let open = builder.last_slot().filter(|slot| builder.has_text_open(*slot));
            let citation = non_null(annotation.get("url_citation")).unwrap_or(annotation);
            let url = text(citation.get("url")).filter(|url| !url.is_empty());
            let cites = annotation.get("type").is_some_and(|kind| kind.is_str("url_citation"));
            let (Some(slot), Some(url), true) = (open, url, cites) else {
                let kind = text(annotation.get("type")).unwrap_or_default();
                builder.report(AdapterCode::AnnotationDropped, &kind);
                continue;
            };
            let offset = |key: &str| count(citation.get(key)).unwrap_or(0);
            let title = text(citation.get("title")).unwrap_or_default();
            let annotation = builder.url_citation(&url, &title, offset("start_index"), offset("end_index"));
            builder.add_annotation(slot, annotation)?;
        }
        Ok(())
    }

    pub(super) fn images(&mut self, images: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        for image in images.into_iter().flat_map(|images| images.elements()) {
            self.image(image, builder)?;
        }
        Ok(())
    }

    fn image(&mut self, image: ValueRef<'_>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let url = text(image.pointer("/image_url/url")).or_else(|| text(image.get("image_url")));
        let Some(url) = url.filter(|url| !url.is_empty()) else {
            builder.report(AdapterCode::MediaDropped, "an image without a URL");
            return Ok(());
        };
        self.flush_logprobs(builder)?;
        self.reasoning = OpenReasoning::default();
        builder.close_last_item(ItemStatus::Completed)?;
        let media_type = url.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next());
        let media_type = media_type.filter(|media_type| !media_type.is_empty()).unwrap_or("image/*").to_string();
        builder.add_media(&self.provider, &media_type, url.into_owned())
    }

    /// Audio: its transcript is the text of the answer. The sound itself has no place.
    pub(super) fn audio(&mut self, audio: Option<ValueRef<'_>>, builder: &mut ResponseBuilder) -> Result<(), Error> {
        let Some(audio) = non_null(audio) else { return Ok(()) };
        if audio.entries().any(|(key, value)| key.as_str().is_some_and(|key| key != "transcript") && !value.is_null()) {
            builder.report_once(AdapterCode::MediaDropped, "audio")?;
        }
        match audio.get("transcript").and_then(TextPiece::from_json) {
            Some(piece) => self.append_text(&piece, builder),
            None => Ok(()),
        }
    }

    /// Tools that the provider ran itself: one item for each, which its output completes, so that no client runs it.
    pub(super) fn execute_tools(
        &mut self,
        tools: Option<ValueRef<'_>>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), Error> {
        for (at, tool) in tools.into_iter().flat_map(|tools| tools.elements()).enumerate() {
            let index = count(tool.get("index")).unwrap_or(at as u64);
            let members = tool.entries().filter_map(|(key, value)| Some((key.as_str()?, value)));
            let members = members.filter(|(key, value)| !matches!(key.as_ref(), "index" | "type") && !value.is_null());
            let slot = match self.executed.get(&index) {
                Some(slot) => *slot,
                None => {
                    self.flush_logprobs(builder)?;
                    self.reasoning = OpenReasoning::default();
                    builder.close_last_item(ItemStatus::Completed)?;
                    builder.account_bytes(NAME_BYTES)?;
                    let kind = text(tool.get("type")).unwrap_or_default();
                    let slot = builder.add_extension(&extension_type(&self.provider, &kind, "_call"), Object::new())?;
                    self.executed.insert(index, slot);
                    slot
                }
            };
            let Some(slot) = slot else { continue };
            for (key, value) in members {
                builder.set_field(slot, &key, value.to_value())?;
            }
            if non_null(tool.get("output")).is_some() {
                builder.close_item(slot, ItemStatus::Completed)?;
            }
        }
        Ok(())
    }
}

impl DeltaMembers<'_> {
    /// Returns `true` if a delta has data that would be written.
    pub(super) fn has_content(&self) -> bool {
        [
            self.content,
            self.refusal,
            self.reasoning,
            self.reasoning_content,
            self.reasoning_details,
            self.thinking_blocks,
            self.tool_calls,
            self.function_call,
            self.images,
            self.audio,
            self.executed_tools,
        ]
        .into_iter()
        .flatten()
        .any(|value| match value.kind() {
            ValueKind::String => value.literal().is_some_and(|text| !text.is_empty()),
            ValueKind::Array => value.elements().next().is_some(),
            ValueKind::Object => true,
            _ => false,
        })
    }
}

/// One token's log probability, if it has what the specification requires.
pub(super) fn logprob(token: ValueRef<'_>) -> Option<TokenLogProb<'_>> {
    let [word, logprob, bytes] = token.members(["token", "logprob", "bytes"]);
    TokenLogProb::new(word, logprob, TokenBytes::Listed(bytes))
}
