//! Parts, texts and tool input: which move an event makes there, and whether what it says agrees with what was streamed.

use alloc::format;
use alloc::string::String;

use super::agree::{agree, check_annotations, durable};
use super::channel::{Channel, Step};
use super::digest::Digest;
use super::items::report_id;
use super::rule::Rule;
use super::said::{judge, Said};
use super::slots::{Agreement, ByIndex, Class, Growing, Item, Part, PartKind};
use super::state::{InputMove, ItemMove, PartMove};
use super::validator::{Hot, Validator};
use crate::contract::Kind;
use crate::event::Event;
use crate::finding::Findings;

impl Validator {
    /// Takes a delta that goes on where the last one stopped: nothing about its place has changed. Says whether its item has
    /// its id.
    #[inline]
    pub(super) fn next_delta(&mut self, event: &Event<'_>, findings: &mut Findings) -> bool {
        self.check_number(event, true, findings);
        let Some(item) = self.items.at_mut(self.hot.item) else { return false };
        let named = event.item_id().is_none_or(|id| item.id.is(id));
        if !named {
            report_id(event, findings);
        }
        if let Some(text) = hot_text(&mut self.items, &self.hot) {
            text.push(event.delta_bytes(), event.halves());
        }
        named
    }

    /// Turns to the text that a delta goes on with, where several grow at once. `false`, and nothing has changed, if more than its
    /// number and the id of its item may have to be said of it, or if it moves anything.
    pub(super) fn turns(&mut self, event: &Event<'_>, kind: Kind) -> bool {
        let Step::Delta(channel) = Step::of(kind) else { return false };
        if !self.shortcuts || !self.spoken || !self.response.is_running() || self.expected.no_padding {
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
                let open = item.input.touched && !item.input.state.is_said();
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
        self.hot = Hot { live: true, kind, channel, output_index, element, item, row };
        true
    }

    pub(super) fn part_added(&mut self, event: &Event<'_>, channel: Channel, findings: &mut Findings) {
        let place = event.place();
        let Some(position) = self.route(event, ItemMove::PartAdded, channel.class(), findings) else { return };
        let (limit, unread) = (self.options.limits.parts, self.unread);
        let joined = self.joined;
        let Some(item) = self.items.at_mut(position) else { return };
        if !channel.fits(item.class) {
            let rule = if matches!(channel, Channel::Content(_)) { Rule::Part13 } else { channel.misplaced() };
            findings.report(rule, place, None, || {
                ("/output_index".into(), "expected an item that has such parts, found one of another type".into())
            });
            return;
        }
        let part = event.part();
        let kind = PartKind::of(&part.and_then(|part| part.get("type")?.as_str()).unwrap_or_default());
        if channel == Channel::Summary && !matches!(kind, PartKind::SummaryText | PartKind::Untold) {
            report_kind(Rule::Rsn07, event, PartKind::SummaryText, findings);
        }
        let reasons =
            matches!(kind, PartKind::ReasoningText | PartKind::OutputText | PartKind::Untold | PartKind::Other);
        if matches!(channel, Channel::Content(_)) && item.class == Class::Reasoning && !reasons {
            report_kind(Rule::Rsn05, event, PartKind::ReasoningText, findings);
        }
        let Some(index) = element(event, channel, findings) else { return };
        let rows = channel_rows(item, channel);
        let fresh = rows.position(index).is_none();
        if fresh && index != rows.len() as u64 && !(joined && rows.len() == 0) {
            let next = rows.len();
            findings.report(channel.rule(Rule::Part08), place, None, || {
                (index_path(channel), format!("expected {next}, found {index}"))
            });
        }
        let Some((_, slot)) = open(rows, index, limit, unread) else { return };
        if let Some(rule) = slot.state.go(PartMove::Added) {
            findings.report(channel.rule(rule), place, None, || {
                (index_path(channel), format!("expected an index that is free, found {index} again"))
            });
            return;
        }
        slot.kind = kind;
        let first = match channel {
            Channel::Command => event.text().map(Into::into),
            _ => part.and_then(|part| part.get(kind.field())?.as_str()),
        };
        slot.text.begin(&first.unwrap_or_default());
    }

    pub(super) fn part_done(&mut self, event: &Event<'_>, channel: Channel, findings: &mut Findings) {
        let place = event.place();
        let unread = self.unread;
        let Some((_, row, item)) = self.part(event, channel, PartMove::Done, findings) else { return };
        let Some(part) = event.part() else { return };
        let kind = PartKind::of(&part.get("type").and_then(|kind| kind.as_str()).unwrap_or_default());
        let Some(slot) = channel_rows(item, channel).at_mut(row) else { return };
        let rule = if channel == Channel::Summary { Rule::Rsn07 } else { Rule::Part10 };
        if slot.kind != PartKind::Untold && kind != slot.kind {
            let expected = slot.kind;
            report_kind(rule, event, expected, findings);
        }
        slot.kind = kind;
        let known = slot.text.said();
        if let Some(said) = part.get(kind.field()).and_then(|text| Said::of_string(text, known)) {
            agree(&mut slot.text, said, unread, |found, expected| {
                let message = format!("expected the {expected} bytes that were streamed, found other {found} bytes");
                findings.report(rule, place, None, || (format!("/part/{}", kind.field()), message));
            });
        }
        slot.whole = Some((Digest::of_raw(part.raw()), Digest::of_value_without(part, durable(slot.text.said()))));
        check_annotations(event, part, "/part", slot, findings);
    }

    pub(super) fn delta(&mut self, event: &Event<'_>, channel: Channel, findings: &mut Findings) {
        if let Channel::Input(class) = channel {
            let Some(position) = self.input(event, class, InputMove::Delta, findings) else { return };
            let Some(item) = self.items.at_mut(position) else { return };
            item.input.text.push(event.delta_bytes(), event.halves());
            self.warm(event, channel, position, 0);
            return;
        }
        let Some((position, row, item)) = self.part(event, channel, PartMove::Delta, findings) else { return };
        if let Some(slot) = channel_rows(item, channel).at_mut(row) {
            slot.text.push(event.delta_bytes(), event.halves());
        }
        self.warm(event, channel, position, row);
    }

    pub(super) fn said(&mut self, event: &Event<'_>, channel: Channel, findings: &mut Findings) {
        let place = event.place();
        let unread = self.unread;
        let whole = event.fields().whole;
        let (literal, escaped) = (event.text_literal(), event.fields().whole_escaped);
        let mut said = None;
        let growing = if let Channel::Input(class) = channel {
            let Some(position) = self.input(event, class, InputMove::Said, findings) else { return };
            let depth = self.options.limits.depth;
            let Some(item) = self.items.at_mut(position) else { return };
            // Arguments are asked for when their item is done. Here they are decoded anyway.
            if escaped && matches!(class, Class::FunctionCall | Class::McpCall) {
                item.input.json = Some(judge(literal, depth));
                said = item.input.json.map(|(said, _)| said);
            }
            &mut item.input.text
        } else {
            let Some((_, row, item)) = self.part(event, channel, PartMove::Said, findings) else { return };
            let Some(slot) = channel_rows(item, channel).at_mut(row) else { return };
            &mut slot.text
        };
        if !whole.is_there() {
            return;
        }
        let said = said.unwrap_or_else(|| Said::of_literal(literal, escaped, None));
        let found = said.text.length;
        let agreement = growing.say(said, unread);
        let message = match agreement {
            Agreement::Same => return,
            Agreement::Doubled(_) => "expected deltas that go on behind the first text, found it repeated".into(),
            Agreement::Unheard => format!("expected deltas for these {found} bytes, found none"),
            Agreement::Differs(expected) => {
                format!("expected the {expected} bytes that were streamed, found other {found} bytes")
            }
        };
        findings.report(channel.disagreement(agreement), place, None, || (String::new(), message));
    }

    pub(super) fn annotation(&mut self, event: &Event<'_>, findings: &mut Findings) {
        let channel = Channel::Content(PartKind::OutputText);
        let limit = self.options.limits.parts;
        let Some((_, row, item)) = self.part(event, channel, PartMove::Annotation, findings) else { return };
        let Some(slot) = item.content.at_mut(row) else { return };
        let (Some(annotation), Some(index)) = (event.annotation(), event.annotation_index()) else { return };
        let (count, digest) = (slot.annotations.len(), Digest::of_value(annotation));
        let known = usize::try_from(index).ok().and_then(|index| slot.annotations.get_mut(index));
        let message = match known {
            Some(known) if *known == digest => return,
            Some(known) => {
                *known = digest;
                format!("expected the annotation that stands at {index}, found another one")
            }
            None if slot.text.joined && count == 0 => return,
            None => {
                if count < limit {
                    slot.annotations.push(digest);
                }
                if index == count as u64 || count >= limit {
                    return;
                }
                format!("expected {count}, found {index}")
            }
        };
        findings.report(Rule::Ann02, event.place(), None, || ("/annotation_index".into(), message));
    }

    /// Finds or opens the part that an event is about and makes its move. Gives position of the item, position of the part,
    /// and the item.
    fn part(
        &mut self,
        event: &Event<'_>,
        channel: Channel,
        step: PartMove,
        findings: &mut Findings,
    ) -> Option<(usize, usize, &mut Item)> {
        let place = event.place();
        let position = self.route(event, ItemMove::Event, channel.class(), findings)?;
        let (limit, unread) = (self.options.limits.parts, self.unread);
        let joined = self.joined;
        let item = self.items.at_mut(position)?;
        if !channel.fits(item.class) {
            findings.report(channel.misplaced(), place, None, || {
                ("/output_index".into(), "expected an item that has such a text, found one of another type".into())
            });
            return None;
        }
        let index = element(event, channel, findings)?;
        let rows = channel_rows(item, channel);
        let (row, slot) = if step == PartMove::Annotation {
            // An annotation opens nothing.
            match rows.position(index) {
                Some(row) => (row, rows.at_mut(row)?),
                None if joined => return None,
                None => {
                    let rule = Part::default().state.go(step).unwrap_or(Rule::Ann01);
                    findings.report(rule, place, None, || {
                        (index_path(channel), format!("expected a part that is open, found none at {index}"))
                    });
                    return None;
                }
            }
        } else {
            open(rows, index, limit, unread)?
        };
        let fresh = !slot.state.is_known();
        if let Some(rule) = slot.state.go(step) {
            if !(fresh && joined) {
                findings.report(channel.rule(rule), place, None, || (index_path(channel), part_message(rule, step)));
            }
            // What comes behind the end of a part is not part of it.
            if matches!(rule, Rule::Part11 | Rule::Ann01) {
                return None;
            }
        }
        slot.text.joined |= fresh && joined;
        if let Channel::Content(wanted) = channel {
            let fits = match wanted {
                PartKind::Untold => true,
                // The prose shows raw reasoning in a text part.
                PartKind::ReasoningText => {
                    matches!(slot.kind, PartKind::ReasoningText | PartKind::OutputText | PartKind::Untold)
                }
                wanted => slot.kind == wanted || slot.kind == PartKind::Untold,
            };
            if !fits {
                let (rule, held) = (if step == PartMove::Annotation { Rule::Ann01 } else { Rule::Part07 }, slot.kind);
                findings.report(rule, place, None, || {
                    (index_path(channel), format!("expected a part of type {}, found {}", wanted.name(), held.name()))
                });
                if rule == Rule::Ann01 {
                    return None;
                }
            } else if slot.kind == PartKind::Untold {
                slot.kind = wanted;
            }
        }
        Some((position, row, item))
    }

    /// Finds the item whose input an event is about and makes the input's move.
    fn input(&mut self, event: &Event<'_>, class: Class, step: InputMove, findings: &mut Findings) -> Option<usize> {
        let channel = Channel::Input(class);
        let position = self.route(event, ItemMove::Event, class, findings)?;
        let item = self.items.at_mut(position)?;
        if !channel.fits(item.class) {
            findings.report(channel.misplaced(), event.place(), None, || {
                ("/output_index".into(), "expected a call of the type that the event names, found another item".into())
            });
            return None;
        }
        item.input.touched = true;
        if let Some(rule) = item.input.state.go(step) {
            findings.report(channel.rule(rule), event.place(), None, || {
                (String::new(), "expected nothing behind the done event of this input".into())
            });
            return None;
        }
        Some(position)
    }

    /// Remembers where a delta went. Where every delta has to be looked at, nothing is.
    fn warm(&mut self, event: &Event<'_>, channel: Channel, item: usize, row: usize) {
        let Some(output_index) = event.output_index().filter(|_| !self.expected.no_padding) else { return };
        let element = channel.element(event).unwrap_or(u64::MAX);
        self.hot = Hot { live: true, kind: event.kind(), channel, output_index, element, item, row };
    }
}

/// The text that the last delta went to.
#[inline]
pub(super) fn hot_text<'i>(items: &'i mut ByIndex<Item>, hot: &Hot) -> Option<&'i mut Growing> {
    let item = items.at_mut(hot.item)?;
    let rows = match hot.channel {
        Channel::Content(_) => &mut item.content,
        Channel::Summary => &mut item.summary,
        Channel::Command => &mut item.commands,
        Channel::Input(_) => return Some(&mut item.input.text),
    };
    rows.at_mut(hot.row).map(|part| &mut part.text)
}

/// Gives the rows that a channel's parts are in.
pub(super) fn channel_rows(item: &mut Item, channel: Channel) -> &mut ByIndex<Part> {
    match channel {
        Channel::Summary => &mut item.summary,
        Channel::Command => &mut item.commands,
        Channel::Content(_) | Channel::Input(_) => &mut item.content,
    }
}

/// Finds a part or makes room for it; `None` if there are too many.
fn open(rows: &mut ByIndex<Part>, index: u64, limit: usize, unread: u64) -> Option<(usize, &mut Part)> {
    let row = match rows.position(index) {
        Some(row) => row,
        None if rows.len() >= limit => return None,
        None => rows.insert(index, Part { text: Growing::since(unread), ..Part::default() }),
    };
    rows.at_mut(row).map(|part| (row, part))
}

/// The index of the element that an event is about.
fn element(event: &Event<'_>, channel: Channel, findings: &mut Findings) -> Option<u64> {
    let index = channel.element(event);
    if index.is_none() && channel == Channel::Summary {
        let other = event.content_index()?;
        findings.report(Rule::Rsn06, event.place(), None, || {
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

fn part_message(rule: Rule, step: PartMove) -> String {
    match (rule, step) {
        (Rule::Part02, _) => "expected the part to be added first, found another event of it",
        (Rule::Part04, _) => "expected one done event for the text, found another one",
        (Rule::Part05, PartMove::Said) => "expected the text's done event before the part's",
        (Rule::Part05, _) => "expected one done event for the part, found another one",
        (Rule::Ann01, _) => "expected a part that is open, found a closed one",
        _ => "expected nothing behind the done event of the text",
    }
    .into()
}

fn report_kind(rule: Rule, event: &Event<'_>, expected: PartKind, findings: &mut Findings) {
    // A type that is not known has no name to expect.
    let expected = if expected == PartKind::Other { "the type that was added" } else { expected.name() };
    findings.report(rule, event.place(), None, || {
        ("/part/type".into(), format!("expected {expected}, found another type"))
    });
}
