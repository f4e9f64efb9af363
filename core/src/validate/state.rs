//! State tables of the stream layer: response, item, part and tool input.
//!
//! Each row gives a state, a transition, the next state and, for a transition that the specification forbids, the broken rule.
//! A forbidden transition also leads to a next state, so that one mistake makes one finding instead of one finding per
//! following event. All decisions of the [`Validator`](super::Validator) that depend on a state are in this file.
//!
//! The [`Writer`](crate::Writer) does not use these tables: it tracks its own, smaller state and rejects invalid intents. Tests
//! validate the writer's output with these tables (`tests/rust/write/properties.rs`, `tests/rust/write/vectors.rs`).
//!
//! ```text
//! response   Start ──▶ Queued ──▶ Running ──▶ Ended
//! item       Absent ──▶ Open ──▶ Done
//! part       Absent ──▶ Open ──▶ TextDone ──▶ Done    (part added, text done, part done)
//! input      Open ──▶ Done                            (opened and closed by its item)
//! ```

use super::rule::Rule;

/// State of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ResponseState {
    /// No event about the response yet.
    #[default]
    Start,
    /// The response is queued.
    Queued,
    /// The response is in progress.
    Running,
    /// A terminal event was received.
    Ended,
}

/// Effect of an event on the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ResponseTransition {
    /// `response.created` with a status other than queued.
    Created,
    /// `response.created` with the status queued.
    CreatedQueued,
    /// `response.queued`.
    Queued,
    /// `response.in_progress`.
    InProgress,
    /// Any event about an item of the output.
    Output,
    /// `response.completed`.
    Completed,
    /// `response.incomplete`.
    Incomplete,
    /// `response.failed`.
    Failed,
    /// `error`.
    Error,
    /// An event that does not concern the response: keep-alives, extensions, unknown events.
    Unrelated,
}

/// State of an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ItemState {
    /// No event about the item yet.
    #[default]
    Absent,
    /// Added and not done.
    Open,
    /// Done: the item no longer changes.
    Done,
}

/// Effect of an event on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ItemTransition {
    /// `response.output_item.added`.
    Added,
    /// Any other event about the item or its contents.
    Event,
    /// `response.content_part.added` and the corresponding events of summaries and shell commands.
    PartAdded,
    /// `response.output_item.done`.
    Done,
}

/// State of a content part, a summary part or a shell command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum PartState {
    /// No event about the part yet.
    #[default]
    Absent,
    /// Added; its text is streaming.
    Open,
    /// The done event of the text was received.
    TextDone,
    /// The part was closed without a done event of its text.
    ClosedEarly,
    /// The part was closed.
    Done,
}

/// Effect of an event on a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum PartTransition {
    /// `response.content_part.added` and the corresponding events of summaries and shell commands.
    Added,
    /// A text delta.
    Delta,
    /// The done event of the text.
    TextDone,
    /// `response.content_part.done` and the corresponding event of summaries.
    Done,
    /// An annotation of the text.
    Annotation,
}

/// State of a tool's input: arguments, custom input, code or a diff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum InputState {
    /// The input is streaming; this state begins with the item.
    #[default]
    Open,
    /// The done event of the input was received.
    Done,
}

/// Effect of an event on a tool's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum InputTransition {
    /// A delta.
    Delta,
    /// The done event.
    Done,
}

type TransitionRow<S, M> = (S, M, S, Option<Rule>);

/// Transitions of a response. LIFE-02: `response.created` comes first and once. LIFE-03: each change of status has an event.
/// LIFE-06: one terminal event. LIFE-07: no event after it.
const RESPONSE: &[TransitionRow<ResponseState, ResponseTransition>] = {
    use ResponseState::{Ended, Queued, Running, Start};
    use ResponseTransition as M;
    use Rule::{Life02, Life03, Life06, Life07};
    &[
        (Start, M::Created, Running, None),
        (Start, M::CreatedQueued, Queued, None),
        (Start, M::Queued, Queued, Some(Life02)),
        (Start, M::InProgress, Running, Some(Life02)),
        (Start, M::Output, Running, Some(Life02)),
        (Start, M::Completed, Ended, Some(Life02)),
        (Start, M::Incomplete, Ended, Some(Life02)),
        (Start, M::Failed, Ended, Some(Life02)),
        // A stream may open with an error; both official SDKs accept that.
        (Start, M::Error, Start, None),
        (Start, M::Unrelated, Start, None),
        (Queued, M::Created, Running, Some(Life02)),
        (Queued, M::CreatedQueued, Queued, Some(Life02)),
        (Queued, M::Queued, Queued, None),
        (Queued, M::InProgress, Running, None),
        (Queued, M::Output, Running, Some(Life03)),
        (Queued, M::Completed, Ended, Some(Life03)),
        (Queued, M::Incomplete, Ended, Some(Life03)),
        (Queued, M::Failed, Ended, None),
        (Queued, M::Error, Queued, None),
        (Queued, M::Unrelated, Queued, None),
        (Running, M::Created, Running, Some(Life02)),
        (Running, M::CreatedQueued, Running, Some(Life02)),
        // A response in progress does not return to the queue.
        (Running, M::Queued, Running, Some(Life03)),
        (Running, M::InProgress, Running, None),
        (Running, M::Output, Running, None),
        (Running, M::Completed, Ended, None),
        (Running, M::Incomplete, Ended, None),
        (Running, M::Failed, Ended, None),
        (Running, M::Error, Running, None),
        (Running, M::Unrelated, Running, None),
        (Ended, M::Created, Ended, Some(Life07)),
        (Ended, M::CreatedQueued, Ended, Some(Life07)),
        (Ended, M::Queued, Ended, Some(Life07)),
        (Ended, M::InProgress, Ended, Some(Life07)),
        (Ended, M::Output, Ended, Some(Life07)),
        (Ended, M::Completed, Ended, Some(Life06)),
        (Ended, M::Incomplete, Ended, Some(Life06)),
        (Ended, M::Failed, Ended, Some(Life06)),
        (Ended, M::Error, Ended, Some(Life07)),
        (Ended, M::Unrelated, Ended, Some(Life07)),
    ]
};

/// Transitions of an item. ITEM-03: the added event comes first. ITEM-07: no change after the done event. ITEM-10: an index is
/// used once. PART-11: no part is added to an item that is done.
const ITEM: &[TransitionRow<ItemState, ItemTransition>] = {
    use ItemState::{Absent, Done, Open};
    use ItemTransition as M;
    use Rule::{Item03, Item07, Item10, Part11};
    &[
        (Absent, M::Added, Open, None),
        (Absent, M::Event, Open, Some(Item03)),
        (Absent, M::PartAdded, Open, Some(Item03)),
        (Absent, M::Done, Done, Some(Item03)),
        (Open, M::Added, Open, Some(Item10)),
        (Open, M::Event, Open, None),
        (Open, M::PartAdded, Open, None),
        (Open, M::Done, Done, None),
        (Done, M::Added, Open, Some(Item10)),
        (Done, M::Event, Done, Some(Item07)),
        (Done, M::PartAdded, Done, Some(Part11)),
        (Done, M::Done, Done, Some(Item07)),
    ]
};

/// Transitions of a part. PART-02: the added event comes first. PART-04: one done event for the text. PART-05: one done event for
/// the part, after that of the text. PART-08: an index is used once. PART-11: no delta after the text's done event. ANN-01:
/// annotations are sent while the part is open, also after its text's done event.
const PART: &[TransitionRow<PartState, PartTransition>] = {
    use PartState::{Absent, ClosedEarly, Done, Open, TextDone};
    use PartTransition as M;
    use Rule::{Ann01, Part02, Part04, Part05, Part08, Part11};
    &[
        (Absent, M::Added, Open, None),
        (Absent, M::Delta, Open, Some(Part02)),
        (Absent, M::TextDone, TextDone, Some(Part02)),
        (Absent, M::Done, ClosedEarly, Some(Part02)),
        (Absent, M::Annotation, Absent, Some(Ann01)),
        (Open, M::Added, Open, Some(Part08)),
        (Open, M::Delta, Open, None),
        (Open, M::TextDone, TextDone, None),
        // The text's done event may be missing or late; that is known when the item is done.
        (Open, M::Done, ClosedEarly, None),
        (Open, M::Annotation, Open, None),
        (TextDone, M::Added, TextDone, Some(Part08)),
        (TextDone, M::Delta, TextDone, Some(Part11)),
        (TextDone, M::TextDone, TextDone, Some(Part04)),
        (TextDone, M::Done, Done, None),
        (TextDone, M::Annotation, TextDone, None),
        (ClosedEarly, M::Added, ClosedEarly, Some(Part08)),
        (ClosedEarly, M::Delta, ClosedEarly, Some(Part11)),
        (ClosedEarly, M::TextDone, Done, Some(Part05)),
        (ClosedEarly, M::Done, ClosedEarly, Some(Part05)),
        (ClosedEarly, M::Annotation, ClosedEarly, Some(Ann01)),
        (Done, M::Added, Done, Some(Part08)),
        (Done, M::Delta, Done, Some(Part11)),
        (Done, M::TextDone, Done, Some(Part04)),
        (Done, M::Done, Done, Some(Part05)),
        (Done, M::Annotation, Done, Some(Ann01)),
    ]
};

/// Transitions of a tool's input. ARG-01: deltas, then one done event.
const INPUT: &[TransitionRow<InputState, InputTransition>] = {
    use InputState::{Done, Open};
    use InputTransition as M;
    &[
        (Open, M::Delta, Open, None),
        (Open, M::Done, Done, None),
        (Done, M::Delta, Done, Some(Rule::Arg01)),
        (Done, M::Done, Done, Some(Rule::Arg01)),
    ]
};

macro_rules! machine {
    ($state:ident, $transition:ident, $table:ident, $states:literal states, $transitions:literal transitions) => {
        impl $state {
            /// Applies a transition; returns the rule that it breaks, if any.
            #[inline]
            pub(crate) fn apply(&mut self, transition: $transition) -> Option<Rule> {
                const GRID: [[($state, Option<Rule>); $transitions]; $states] = {
                    let mut grid = [[($table[0].0, None); $transitions]; $states];
                    let mut at = 0;
                    while at < $table.len() {
                        let (from, transition, to, rule) = $table[at];
                        grid[from as usize][transition as usize] = (to, rule);
                        at += 1;
                    }
                    grid
                };
                // The discriminants are the indexes; a test proves that the table has a row for every pair.
                let (to, rule) = GRID[*self as usize][transition as usize];
                *self = to;
                rule
            }
        }
    };
}

machine!(ResponseState, ResponseTransition, RESPONSE, 4 states, 10 transitions);
machine!(ItemState, ItemTransition, ITEM, 3 states, 4 transitions);
machine!(PartState, PartTransition, PART, 5 states, 5 transitions);
machine!(InputState, InputTransition, INPUT, 2 states, 2 transitions);

impl ResponseState {
    /// Returns `true` after a terminal event.
    pub(crate) fn is_ended(self) -> bool {
        self == Self::Ended
    }

    /// Returns `true` if a stream with this first transition starts in the middle: it refers to a response that it did not
    /// create.
    pub(crate) fn starts_mid_stream(self, transition: ResponseTransition) -> bool {
        use ResponseTransition::{Created, CreatedQueued, Error, Unrelated};
        self == Self::Start && !matches!(transition, Created | CreatedQueued | Unrelated | Error)
    }

    /// Marks the response as in progress, because its first events are not in this stream.
    pub(crate) fn assume_started(&mut self) {
        if *self == Self::Start {
            *self = Self::Running;
        }
    }

    /// Returns `true` if the response is in progress, so that output does not change its state.
    pub(crate) fn is_running(self) -> bool {
        self == Self::Running
    }

    /// Returns `true` if the response has started and not ended.
    pub(crate) fn is_in_flight(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

impl ItemState {
    /// Returns `true` if the item was opened, by its added event or another one, and is not done.
    pub(crate) fn is_open(self) -> bool {
        self == Self::Open
    }

    /// Returns `true` if the item is done.
    pub(crate) fn is_done(self) -> bool {
        self == Self::Done
    }
}

impl PartState {
    /// Returns `true` if any event opened the part.
    pub(crate) fn is_known(self) -> bool {
        self != Self::Absent
    }

    /// Returns `true` while the text is streaming.
    pub(crate) fn is_open(self) -> bool {
        self == Self::Open
    }

    /// The rules that are broken if the item is done now.
    pub(crate) fn missing_at_item_done(self) -> &'static [Rule] {
        match self {
            Self::Open => &[Rule::Part04, Rule::Part05],
            Self::TextDone => &[Rule::Part05],
            Self::ClosedEarly => &[Rule::Part04],
            Self::Absent | Self::Done => &[],
        }
    }
}

impl InputState {
    /// Returns `true` after the input's done event.
    pub(crate) fn is_done(self) -> bool {
        self == Self::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::fmt::Debug;

    fn is_complete<S, M>(table: &[TransitionRow<S, M>], states: usize, transitions: usize)
    where
        S: Copy + Debug + PartialEq,
        M: Copy + Debug + PartialEq,
    {
        assert_eq!(table.len(), states * transitions);
        for (at, (state, transition, ..)) in table.iter().enumerate() {
            let same = |row: &&TransitionRow<S, M>| row.0 == *state && row.1 == *transition;
            assert_eq!(table.iter().filter(same).count(), 1, "row {at}: {state:?} {transition:?}");
        }
    }

    #[test]
    fn every_table_has_every_pair_once() {
        is_complete(RESPONSE, 4, 10);
        is_complete(ITEM, 3, 4);
        is_complete(PART, 5, 5);
        is_complete(INPUT, 2, 2);
    }

    #[test]
    fn a_valid_stream_breaks_no_rule() {
        let mut response = ResponseState::default();
        for transition in [
            ResponseTransition::CreatedQueued,
            ResponseTransition::InProgress,
            ResponseTransition::Output,
            ResponseTransition::Completed,
        ] {
            assert_eq!(response.apply(transition), None);
        }
        assert!(response.is_ended());
        let mut part = PartState::default();
        for transition in [
            PartTransition::Added,
            PartTransition::Delta,
            PartTransition::Delta,
            PartTransition::TextDone,
            PartTransition::Annotation,
            PartTransition::Done,
        ] {
            assert_eq!(part.apply(transition), None);
        }
        assert!(part.missing_at_item_done().is_empty());
    }

    #[test]
    fn deltas_do_not_change_open_states() {
        let (mut response, mut item, mut part, mut input) =
            (ResponseState::Running, ItemState::Open, PartState::Open, InputState::Open);
        assert!(response.is_running() && item.is_open() && part.is_open() && !input.is_done());
        assert_eq!(response.apply(ResponseTransition::Output).or(item.apply(ItemTransition::Event)), None);
        assert_eq!(part.apply(PartTransition::Delta).or(input.apply(InputTransition::Delta)), None);
        assert!(response.is_running() && item.is_open() && part.is_open() && !input.is_done());
    }
}
