//! Every legal move of a stream, as tables: the response, an item, a part, a tool's input.
//!
//! Whatever decides by state lives here, and nothing here knows who is reading or writing: reader and writer are judged by
//! the same rows. A row names where a move leads and, if the specification does not allow it, the rule that it breaks; a
//! wrong move still leads somewhere, so that one mistake makes one finding and not one with every event behind it.
//!
//! ```text
//! response   Start ──▶ Queued ──▶ Running ──▶ Ended
//! item       Absent ──▶ Open ──▶ Done
//! part       Absent ──▶ Open ──▶ Said ──▶ Done          (part added, text done, part done)
//! input      Open ──▶ Said                              (opened and closed by its item)
//! ```

use super::rule::Rule;

/// Where a response stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Response {
    /// Nothing has come.
    #[default]
    Start,
    /// It waits.
    Queued,
    /// Work goes on.
    Running,
    /// A terminal event came.
    Ended,
}

/// What moves a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ResponseMove {
    /// `response.created` with a status other than queued.
    Created,
    /// `response.created` with the status queued.
    CreatedQueued,
    /// `response.queued`.
    Queued,
    /// `response.in_progress`.
    InProgress,
    /// Any event about an item.
    Output,
    /// `response.completed`.
    Completed,
    /// `response.incomplete`.
    Incomplete,
    /// `response.failed`.
    Failed,
    /// `error`.
    Error,
    /// Anything that says nothing of the response: keep-alives, extensions, unknown events.
    Aside,
}

/// Where an item stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Item {
    /// No event named it.
    #[default]
    Absent,
    /// Added, not done.
    Open,
    /// Done: nothing about it changes any more.
    Done,
}

/// What moves an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ItemMove {
    /// `response.output_item.added`.
    Added,
    /// An event about the item or something in it.
    Event,
    /// A part of the item is added.
    PartAdded,
    /// `response.output_item.done`.
    Done,
}

/// Where a part of content or summary, or a shell command, stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Part {
    /// No event named it.
    #[default]
    Absent,
    /// Added; its text grows.
    Open,
    /// Its text is whole.
    Said,
    /// The part is closed though its text was never said to be whole.
    Mute,
    /// The part is closed.
    Done,
}

/// What moves a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum PartMove {
    /// `response.content_part.added` and its like.
    Added,
    /// A delta of its text.
    Delta,
    /// The text is whole.
    Said,
    /// `response.content_part.done` and its like.
    Done,
    /// An annotation of its text.
    Annotation,
}

/// Where a tool's input stands: arguments, custom input, code, a diff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Input {
    /// It may grow: it opens with its item.
    #[default]
    Open,
    /// It is whole.
    Said,
}

/// What moves a tool's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum InputMove {
    /// A delta.
    Delta,
    /// It is whole.
    Said,
}

type Row<S, M> = (S, M, S, Option<Rule>);

/// How events move a response. LIFE-02: it opens with created, once. LIFE-03: a change of state has its event. LIFE-06:
/// one terminal event. LIFE-07: nothing behind it.
const RESPONSE: &[Row<Response, ResponseMove>] = {
    use Response::{Ended, Queued, Running, Start};
    use ResponseMove as M;
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
        // Both SDKs know a stream that opens with an error.
        (Start, M::Error, Start, None),
        (Start, M::Aside, Start, None),
        (Queued, M::Created, Running, Some(Life02)),
        (Queued, M::CreatedQueued, Queued, Some(Life02)),
        (Queued, M::Queued, Queued, None),
        (Queued, M::InProgress, Running, None),
        (Queued, M::Output, Running, Some(Life03)),
        (Queued, M::Completed, Ended, Some(Life03)),
        (Queued, M::Incomplete, Ended, Some(Life03)),
        (Queued, M::Failed, Ended, None),
        (Queued, M::Error, Queued, None),
        (Queued, M::Aside, Queued, None),
        (Running, M::Created, Running, Some(Life02)),
        (Running, M::CreatedQueued, Running, Some(Life02)),
        // Work that has begun does not go back into the queue.
        (Running, M::Queued, Running, Some(Life03)),
        (Running, M::InProgress, Running, None),
        (Running, M::Output, Running, None),
        (Running, M::Completed, Ended, None),
        (Running, M::Incomplete, Ended, None),
        (Running, M::Failed, Ended, None),
        (Running, M::Error, Running, None),
        (Running, M::Aside, Running, None),
        (Ended, M::Created, Ended, Some(Life07)),
        (Ended, M::CreatedQueued, Ended, Some(Life07)),
        (Ended, M::Queued, Ended, Some(Life07)),
        (Ended, M::InProgress, Ended, Some(Life07)),
        (Ended, M::Output, Ended, Some(Life07)),
        (Ended, M::Completed, Ended, Some(Life06)),
        (Ended, M::Incomplete, Ended, Some(Life06)),
        (Ended, M::Failed, Ended, Some(Life06)),
        (Ended, M::Error, Ended, Some(Life07)),
        (Ended, M::Aside, Ended, Some(Life07)),
    ]
};

/// How events move an item. ITEM-03: added comes first. ITEM-07: nothing changes behind done. ITEM-10: an index is used
/// once. PART-11: no part opens in an item that is done.
const ITEM: &[Row<Item, ItemMove>] = {
    use Item::{Absent, Done, Open};
    use ItemMove as M;
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

/// How events move a part of content. PART-02: added comes first. PART-04: its text is whole once. PART-05: the part closes
/// behind it, once. PART-08: an index is used once. PART-11: nothing grows behind that. ANN-01: annotations go to an open
/// part, also behind its text.
const PART: &[Row<Part, PartMove>] = {
    use Part::{Absent, Done, Mute, Open, Said};
    use PartMove as M;
    use Rule::{Ann01, Part02, Part04, Part05, Part08, Part11};
    &[
        (Absent, M::Added, Open, None),
        (Absent, M::Delta, Open, Some(Part02)),
        (Absent, M::Said, Said, Some(Part02)),
        (Absent, M::Done, Mute, Some(Part02)),
        (Absent, M::Annotation, Absent, Some(Ann01)),
        (Open, M::Added, Open, Some(Part08)),
        (Open, M::Delta, Open, None),
        (Open, M::Said, Said, None),
        // Whether the text's done event is missing or only late is not known before the item is done.
        (Open, M::Done, Mute, None),
        (Open, M::Annotation, Open, None),
        (Said, M::Added, Said, Some(Part08)),
        (Said, M::Delta, Said, Some(Part11)),
        (Said, M::Said, Said, Some(Part04)),
        (Said, M::Done, Done, None),
        (Said, M::Annotation, Said, None),
        (Mute, M::Added, Mute, Some(Part08)),
        (Mute, M::Delta, Mute, Some(Part11)),
        (Mute, M::Said, Done, Some(Part05)),
        (Mute, M::Done, Mute, Some(Part05)),
        (Mute, M::Annotation, Mute, Some(Ann01)),
        (Done, M::Added, Done, Some(Part08)),
        (Done, M::Delta, Done, Some(Part11)),
        (Done, M::Said, Done, Some(Part04)),
        (Done, M::Done, Done, Some(Part05)),
        (Done, M::Annotation, Done, Some(Ann01)),
    ]
};

/// How events move a tool's input. ARG-01: deltas, then done, once.
const INPUT: &[Row<Input, InputMove>] = {
    use Input::{Open, Said};
    use InputMove as M;
    &[
        (Open, M::Delta, Open, None),
        (Open, M::Said, Said, None),
        (Said, M::Delta, Said, Some(Rule::Arg01)),
        (Said, M::Said, Said, Some(Rule::Arg01)),
    ]
};

macro_rules! machine {
    ($state:ident, $step:ident, $table:ident, $states:literal states, $moves:literal moves) => {
        impl $state {
            /// Makes a move; gives the rule that it breaks, if any.
            #[inline]
            pub(crate) fn go(&mut self, step: $step) -> Option<Rule> {
                const GRID: [[($state, Option<Rule>); $moves]; $states] = {
                    let mut grid = [[($table[0].0, None); $moves]; $states];
                    let mut at = 0;
                    while at < $table.len() {
                        let (from, step, to, rule) = $table[at];
                        grid[from as usize][step as usize] = (to, rule);
                        at += 1;
                    }
                    grid
                };
                // Discriminants are indexes: the tables name every state and every move, as a test proves.
                let (to, rule) = GRID[*self as usize][step as usize];
                *self = to;
                rule
            }
        }
    };
}

machine!(Response, ResponseMove, RESPONSE, 4 states, 10 moves);
machine!(Item, ItemMove, ITEM, 3 states, 4 moves);
machine!(Part, PartMove, PART, 5 states, 5 moves);
machine!(Input, InputMove, INPUT, 2 states, 2 moves);

impl Response {
    /// Says whether a terminal event came.
    pub(crate) fn is_over(self) -> bool {
        self == Self::Ended
    }

    /// Says whether a stream that begins with this move was joined in the middle: it speaks of a response that it did not
    /// create.
    pub(crate) fn joins(self, step: ResponseMove) -> bool {
        use ResponseMove::{Aside, Created, CreatedQueued, Error};
        self == Self::Start && !matches!(step, Created | CreatedQueued | Aside | Error)
    }

    /// Takes a response as begun, since its beginning is not in this stream.
    pub(crate) fn join(&mut self) {
        if *self == Self::Start {
            *self = Self::Running;
        }
    }

    /// Says whether output leaves it as it is.
    pub(crate) fn is_running(self) -> bool {
        self == Self::Running
    }

    /// Says whether a response has begun and not ended.
    pub(crate) fn is_in_flight(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

impl Item {
    /// Says whether the item was added, or opened by another event, and is not done.
    pub(crate) fn is_open(self) -> bool {
        self == Self::Open
    }

    /// Says whether the item is done.
    pub(crate) fn is_done(self) -> bool {
        self == Self::Done
    }
}

impl Part {
    /// Says whether any event opened the part.
    pub(crate) fn is_known(self) -> bool {
        self != Self::Absent
    }

    /// Says whether its text grows.
    pub(crate) fn is_open(self) -> bool {
        self == Self::Open
    }

    /// What is missing if the item is done now.
    pub(crate) fn missing_at_item_done(self) -> &'static [Rule] {
        match self {
            Self::Open => &[Rule::Part04, Rule::Part05],
            Self::Said => &[Rule::Part05],
            Self::Mute => &[Rule::Part04],
            Self::Absent | Self::Done => &[],
        }
    }
}

impl Input {
    /// Says whether the input was said to be whole.
    pub(crate) fn is_said(self) -> bool {
        self == Self::Said
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::fmt::Debug;

    fn is_complete<S, M>(table: &[Row<S, M>], states: usize, moves: usize)
    where
        S: Copy + Debug + PartialEq,
        M: Copy + Debug + PartialEq,
    {
        assert_eq!(table.len(), states * moves);
        for (at, (state, step, ..)) in table.iter().enumerate() {
            let same = |row: &&Row<S, M>| row.0 == *state && row.1 == *step;
            assert_eq!(table.iter().filter(same).count(), 1, "row {at}: {state:?} {step:?}");
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
    fn the_road_of_a_good_stream_breaks_nothing() {
        let mut response = Response::default();
        for step in
            [ResponseMove::CreatedQueued, ResponseMove::InProgress, ResponseMove::Output, ResponseMove::Completed]
        {
            assert_eq!(response.go(step), None);
        }
        assert!(response.is_over());
        let mut part = Part::default();
        for step in
            [PartMove::Added, PartMove::Delta, PartMove::Delta, PartMove::Said, PartMove::Annotation, PartMove::Done]
        {
            assert_eq!(part.go(step), None);
        }
        assert!(part.missing_at_item_done().is_empty());
    }

    #[test]
    fn deltas_of_what_grows_move_nothing() {
        let (mut response, mut item, mut part, mut input) = (Response::Running, Item::Open, Part::Open, Input::Open);
        assert!(response.is_running() && item.is_open() && part.is_open() && !input.is_said());
        assert_eq!(response.go(ResponseMove::Output).or(item.go(ItemMove::Event)), None);
        assert_eq!(part.go(PartMove::Delta).or(input.go(InputMove::Delta)), None);
        assert!(response.is_running() && item.is_open() && part.is_open() && !input.is_said());
    }
}
