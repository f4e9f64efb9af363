//! Parts, texts and tool input: applies an event's transition and compares done events with the deltas.

use alloc::format;
use alloc::string::String;

use super::channel::{Channel, EventRole};
use super::compare::{check_annotations, compare_text, stable_options};
use super::digest::Digest;
use super::items::report_id;
use super::records::{ByIndex, ItemClass, ItemRecord, PartRecord, PartType, StreamedText, TextComparison};
use super::rule::Rule;
use super::state::{InputTransition, ItemTransition, PartTransition};
use super::text_digest::{digest_and_check_json, TextDigest};
use super::validator::{LastDelta, Validator};
use crate::contract::Kind;
use crate::event::Event;
use crate::finding::Findings;

impl Validator {
    /// Checks a delta that continues the last one; its target is known and open. Returns `true` if the item id is right.
    #[inline]
    pub(super) fn next_delta(&mut self, event: &Event<'_>, findings: &mut Findings) -> bool {
        self.check_number(event, true, findings);
        let Some(item) = self.items.at_mut(self.last_delta.item) else { return false };
        let named = event.item_id().is_none_or(|id| item.id.is(id));
        if !named {
            report_id(event, findings);
        }
        if let Some(text) = last_delta_text(&mut self.items, &self.last_delta) {
            text.push(event.delta_bytes(), event.delta_surrogates());
        }
        named
    }

    /// Fast path for a delta that continues another open text than the last delta did. Returns `true` and makes that text the target
    /// if only the sequence number and the item id need a check; returns `false` and changes nothing otherwise.
    pub(super) fn switch_to_open_text(&mut self, event: &Event<'_>, kind: Kind) -> bool {
        let EventRole::Delta(channel) = EventRole::of(kind) else { return false };
        if !self.shortcuts || !self.response_seen || !self.response.is_running() || self.expectations.no_padding {
            return false;
        }
        let mut place = || {
            let output_index = event.output_index()?;
            let position = self.items.position(output_index)?;
            let item = self.items.at_mut(position)?;
            let named = !item.id.is_empty() || event.item_id().is_none();
            if !(named && item.state.is_open() && channel.fits(item.class)) {
                return None;
            }
            if let Channel::Input(_) = channel {
                let open = item.input.has_events && !item.input.state.is_done();
                return open.then_some((output_index, u64::MAX, position, 0));
            }
            let element = channel.element(event)?;
            let rows = channel_rows(item, channel);
            let row = rows.position(element)?;
            let part = rows.at_mut(row)?;
            let fits = !matches!(channel, Channel::Content(wanted) if part.kind != wanted);
            (fits && part.state.is_open()).then_some((output_index, element, position, row))
        };
        let Some((output_index, element, item, row)) = place() else { return false };
        self.last_delta = LastDelta { live: true, kind, channel, output_index, element, item, row };
        true
    }

    pub(super) fn part_added(&mut self, event: &Event<'_>, channel: Channel, findings: &mut Findings) {
        let location = event.location();
        let Some(position) = self.route(event, ItemTransition::PartAdded, channel.class(), findings) else { return };
        let (limit, unread) = (self.part_limit(), self.unread);
        let joined = self.joined;
        let Some(item) = self.items.at_mut(position) else { return };
        if !channel.fits(item.class) {
            let rule = if matches!(channel, Channel::Content(_)) { Rule::Part13 } else { channel.misplaced() };
            findings.report(rule, location, None, || {
                ("/output_index".into(), "expected an item type with such parts, found another item type".into())
            });
            return;
        }
        let part = event.part();
        let kind = PartType::of(&part.and_then(|part| part.get("type")?.as_str()).unwrap_or_default());
        if channel == Channel::Summary && !matches!(kind, PartType::SummaryText | PartType::Unknown) {
            report_kind(Rule::Rsn07, event, PartType::SummaryText, findings);
        }
        let reasons =
            matches!(kind, PartType::ReasoningText | PartType::OutputText | PartType::Unknown | PartType::Other);
        if matches!(channel, Channel::Content(_)) && item.class == ItemClass::Reasoning && !reasons {
            report_kind(Rule::Rsn05, event, PartType::ReasoningText, findings);
        }
        let Some(index) = element(event, channel, findings) else { return };
        let rows = channel_rows(item, channel);
        let fresh = rows.position(index).is_none();
        if fresh && index != rows.len() as u64 && !(joined && rows.len() == 0) {
            let next = rows.len();
            findings.report(channel.rule(Rule::Part08), location, None, || {
                (index_path(channel), format!("expected index {next}, found {index}"))
            });
        }
        let Some((_, slot)) = open(rows, index, limit, unread, &mut self.record_bytes) else { return };
        if let Some(rule) = slot.state.apply(PartTransition::Added) {
            findings.report(channel.rule(rule), location, None, || {
                (index_path(channel), format!("expected an unused index, found {index} again"))
            });
            return;
        }
        slot.kind = kind;
        let first = match channel {
            Channel::Command => event.done_text().map(Into::into),
            _ => part.and_then(|part| part.get(kind.field())?.as_str()),
        };
        slot.text.begin(&first.unwrap_or_default());
    }

    pub(super) fn part_done(&mut self, event: &Event<'_>, channel: Channel, findings: &mut Findings) {
        let location = event.location();
        let unread = self.unread;
        let Some((_, row, item)) = self.part(event, channel, PartTransition::Done, findings) else { return };
        let Some(part) = event.part() else { return };
        let kind = PartType::of(&part.get("type").and_then(|kind| kind.as_str()).unwrap_or_default());
        let Some(slot) = channel_rows(item, channel).at_mut(row) else { return };
        let rule = if channel == Channel::Summary { Rule::Rsn07 } else { Rule::Part10 };
        if slot.kind != PartType::Unknown && kind != slot.kind {
            let expected = slot.kind;
            report_kind(rule, event, expected, findings);
        }
        slot.kind = kind;
        let known = slot.text.last_whole();
        if let Some(done_text) = part.get(kind.field()).and_then(|text| TextDigest::of_string(text, known)) {
            compare_text(&mut slot.text, done_text, unread, |found, expected| {
                let message =
                    format!("expected the streamed text (length {expected}), found another text (length {found})");
                findings.report(rule, location, None, || (format!("/part/{}", kind.field()), message));
            });
        }
        slot.whole =
            Some((Digest::of_raw(part.raw()), Digest::of_value_with(part, stable_options(slot.text.last_whole()))));
        check_annotations(event, part, "/part", slot, findings);
    }

    pub(super) fn delta(&mut self, event: &Event<'_>, channel: Channel, findings: &mut Findings) {
        if let Channel::Input(class) = channel {
            let Some(position) = self.input(event, class, InputTransition::Delta, findings) else { return };
            let Some(item) = self.items.at_mut(position) else { return };
            item.input.text.push(event.delta_bytes(), event.delta_surrogates());
            self.remember(event, channel, position, 0);
            return;
        }
        let Some((position, row, item)) = self.part(event, channel, PartTransition::Delta, findings) else { return };
        if let Some(slot) = channel_rows(item, channel).at_mut(row) {
            slot.text.push(event.delta_bytes(), event.delta_surrogates());
        }
        self.remember(event, channel, position, row);
    }

    pub(super) fn text_done(&mut self, event: &Event<'_>, channel: Channel, findings: &mut Findings) {
        let location = event.location();
        let unread = self.unread;
        let whole = event.fields().whole;
        let (literal, escaped) = (event.done_text_literal(), event.fields().whole_escaped);
        let mut done_text = None;
        let growing = if let Channel::Input(class) = channel {
            let Some(position) = self.input(event, class, InputTransition::Done, findings) else { return };
            let depth = self.options.limits.depth;
            let Some(item) = self.items.at_mut(position) else { return };
            // The done item needs to know whether arguments are JSON; both answers come from one decoding here.
            if escaped && matches!(class, ItemClass::FunctionCall | ItemClass::McpCall) {
                item.input.json = Some(digest_and_check_json(literal, depth));
                done_text = item.input.json.map(|(done_text, _)| done_text);
            }
            &mut item.input.text
        } else {
            let Some((_, row, item)) = self.part(event, channel, PartTransition::TextDone, findings) else { return };
            let Some(slot) = channel_rows(item, channel).at_mut(row) else { return };
            &mut slot.text
        };
        if !whole.is_present() {
            return;
        }
        let done_text = done_text.unwrap_or_else(|| TextDigest::of_literal(literal, escaped, None));
        let found = done_text.text.length;
        let agreement = growing.compare_whole(done_text, unread);
        let message = match agreement {
            TextComparison::Same => return,
            TextComparison::Repeated(_) => {
                "expected deltas that continue the initial text, found the initial text repeated".into()
            }
            TextComparison::NoDeltas => format!("expected deltas for this text (length {found}), found none"),
            TextComparison::Differs(expected) => {
                format!("expected the streamed text (length {expected}), found another text (length {found})")
            }
        };
        findings.report(channel.disagreement(agreement), location, None, || (String::new(), message));
    }

    pub(super) fn annotation(&mut self, event: &Event<'_>, findings: &mut Findings) {
        let channel = Channel::Content(PartType::OutputText);
        let limit = self.part_limit();
        let Some((_, row, item)) = self.part(event, channel, PartTransition::Annotation, findings) else { return };
        let Some(slot) = item.content.at_mut(row) else { return };
        let (Some(annotation), Some(index)) = (event.annotation(), event.annotation_index()) else { return };
        let (count, digest) = (slot.annotations.len(), Digest::of_value(annotation));
        let known = usize::try_from(index).ok().and_then(|index| slot.annotations.get_mut(index));
        let message = match known {
            Some(known) if *known == digest => return,
            Some(known) => {
                *known = digest;
                format!("expected a new annotation_index, found {index} again with another annotation")
            }
            None if slot.text.joined && count == 0 => return,
            None => {
                if count < limit {
                    slot.annotations.push(digest);
                    self.record_bytes += ANNOTATION_BYTES;
                }
                if index == count as u64 || count >= limit {
                    return;
                }
                format!("expected annotation_index {count}, found {index}")
            }
        };
        findings.report(Rule::Ann02, event.location(), None, || ("/annotation_index".into(), message));
    }

    /// Finds or opens the part of an event and applies its transition. Returns the positions of item and part, and the item.
    fn part(
        &mut self,
        event: &Event<'_>,
        channel: Channel,
        step: PartTransition,
        findings: &mut Findings,
    ) -> Option<(usize, usize, &mut ItemRecord)> {
        let location = event.location();
        let position = self.route(event, ItemTransition::Event, channel.class(), findings)?;
        let (limit, unread) = (self.part_limit(), self.unread);
        let joined = self.joined;
        let item = self.items.at_mut(position)?;
        if !channel.fits(item.class) {
            findings.report(channel.misplaced(), location, None, || {
                ("/output_index".into(), "expected an item type with such a text, found another item type".into())
            });
            return None;
        }
        let index = element(event, channel, findings)?;
        let rows = channel_rows(item, channel);
        let (row, slot) = if step == PartTransition::Annotation {
            // An annotation event does not open a part.
            match rows.position(index) {
                Some(row) => (row, rows.at_mut(row)?),
                None if joined => return None,
                None => {
                    let rule = PartRecord::default().state.apply(step).unwrap_or(Rule::Ann01);
                    findings.report(rule, location, None, || {
                        (index_path(channel), format!("expected an open part, found none at index {index}"))
                    });
                    return None;
                }
            }
        } else {
            open(rows, index, limit, unread, &mut self.record_bytes)?
        };
        let fresh = !slot.state.is_known();
        if let Some(rule) = slot.state.apply(step) {
            if !(fresh && joined) {
                findings.report(channel.rule(rule), location, None, || (index_path(channel), part_message(rule, step)));
            }
            // Text after the end of a part is not added to it.
            if matches!(rule, Rule::Part11 | Rule::Ann01) {
                return None;
            }
        }
        slot.text.joined |= fresh && joined;
        if let Channel::Content(wanted) = channel {
            let fits = match wanted {
                PartType::Unknown => true,
                // The examples of the specification show raw reasoning in a text part.
                PartType::ReasoningText => {
                    matches!(slot.kind, PartType::ReasoningText | PartType::OutputText | PartType::Unknown)
                }
                wanted => slot.kind == wanted || slot.kind == PartType::Unknown,
            };
            if !fits {
                let (rule, held) =
                    (if step == PartTransition::Annotation { Rule::Ann01 } else { Rule::Part07 }, slot.kind);
                findings.report(rule, location, None, || {
                    (index_path(channel), format!("expected a part of type {}, found {}", wanted.name(), held.name()))
                });
                if rule == Rule::Ann01 {
                    return None;
                }
            } else if slot.kind == PartType::Unknown {
                slot.kind = wanted;
            }
        }
        Some((position, row, item))
    }

    /// Finds the item whose input an event extends or completes and applies the input's transition.
    fn input(
        &mut self,
        event: &Event<'_>,
        class: ItemClass,
        step: InputTransition,
        findings: &mut Findings,
    ) -> Option<usize> {
        let channel = Channel::Input(class);
        let position = self.route(event, ItemTransition::Event, class, findings)?;
        let item = self.items.at_mut(position)?;
        if !channel.fits(item.class) {
            findings.report(channel.misplaced(), event.location(), None, || {
                ("/output_index".into(), "expected a call of the event's type, found an item of another type".into())
            });
            return None;
        }
        item.input.has_events = true;
        if let Some(rule) = item.input.state.apply(step) {
            findings.report(channel.rule(rule), event.location(), None, || {
                (String::new(), "expected no event of this input after its done event, found one".into())
            });
            return None;
        }
        Some(position)
    }

    /// Stores the target of a delta. Not used if every delta must be checked for padding.
    fn remember(&mut self, event: &Event<'_>, channel: Channel, item: usize, row: usize) {
        let Some(output_index) = event.output_index().filter(|_| !self.expectations.no_padding) else { return };
        let element = channel.element(event).unwrap_or(u64::MAX);
        self.last_delta = LastDelta { live: true, kind: event.kind(), channel, output_index, element, item, row };
    }
}

/// The text that the last delta extended.
#[inline]
pub(super) fn last_delta_text<'i>(
    items: &'i mut ByIndex<ItemRecord>,
    delta: &LastDelta,
) -> Option<&'i mut StreamedText> {
    let item = items.at_mut(delta.item)?;
    let rows = match delta.channel {
        Channel::Content(_) => &mut item.content,
        Channel::Summary => &mut item.summary,
        Channel::Command => &mut item.commands,
        Channel::Input(_) => return Some(&mut item.input.text),
    };
    rows.at_mut(delta.row).map(|part| &mut part.text)
}

/// The parts that a channel refers to.
pub(super) fn channel_rows(item: &mut ItemRecord, channel: Channel) -> &mut ByIndex<PartRecord> {
    match channel {
        Channel::Summary => &mut item.summary,
        Channel::Command => &mut item.commands,
        Channel::Content(_) | Channel::Input(_) => &mut item.content,
    }
}

/// The record of a part.
const PART_BYTES: usize = 256;

/// The digest of an annotation.
const ANNOTATION_BYTES: usize = 24;

/// Finds a part or inserts it; `None` if the item has too many parts.
fn open<'r>(
    rows: &'r mut ByIndex<PartRecord>,
    index: u64,
    limit: usize,
    unread: u64,
    bytes: &mut usize,
) -> Option<(usize, &'r mut PartRecord)> {
    let row = match rows.position(index) {
        Some(row) => row,
        None if rows.len() >= limit => return None,
        None => {
            *bytes += PART_BYTES;
            rows.insert(index, PartRecord { text: StreamedText::since(unread), ..PartRecord::default() })
        }
    };
    rows.at_mut(row).map(|part| (row, part))
}

/// The index of the element that an event refers to.
fn element(event: &Event<'_>, channel: Channel, findings: &mut Findings) -> Option<u64> {
    let index = channel.element(event);
    if index.is_none() && channel == Channel::Summary {
        let other = event.content_index()?;
        findings.report(Rule::Rsn06, event.location(), None, || {
            ("/content_index".into(), "expected `summary_index`, found `content_index`".into())
        });
        return Some(other);
    }
    index
}

fn index_path(channel: Channel) -> String {
    match channel {
        Channel::Content(_) => "/content_index",
        Channel::Summary => "/summary_index",
        Channel::Command => "/command_index",
        Channel::Input(_) => "/output_index",
    }
    .into()
}

fn part_message(rule: Rule, step: PartTransition) -> String {
    match (rule, step) {
        (Rule::Part02, _) => "expected the part's added event first, found another event of the part",
        (Rule::Part04, _) => "expected one done event for the text, found a second one",
        (Rule::Part05, PartTransition::TextDone) => "expected the text's done event before the part's, found it after",
        (Rule::Part05, _) => "expected one done event for the part, found a second one",
        (Rule::Ann01, _) => "expected an open part, found a closed one",
        _ => "expected no text after the text's done event, found more",
    }
    .into()
}

fn report_kind(rule: Rule, event: &Event<'_>, expected: PartType, findings: &mut Findings) {
    // An unknown part type has no name to quote.
    let expected = if expected == PartType::Other { "the type of the added part" } else { expected.name() };
    findings.report(rule, event.location(), None, || {
        ("/part/type".into(), format!("expected {expected}, found another type"))
    });
}
