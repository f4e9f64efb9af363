//! A reader without a validator. `with_validator.rs` replaces this file in builds with the feature `validate`.
//!
//! [`ReaderValidator`] has no values, so the compiler removes the code that a reader would run with one.

use super::ReaderOptions;
use crate::error::{Code, Error};
use crate::event::Event;
use crate::finding::{Findings, Location};
use crate::json::{Value, ValueRef};
use crate::sse::{Blank, Frame};
use crate::validate::{ExtensionSchemas, Layers};

#[derive(Debug)]
pub(super) enum ReaderValidator {}

pub(super) fn of(_: &ReaderOptions) -> Option<ReaderValidator> {
    None
}

pub(super) fn layers(value: Option<&Value>) -> Result<Layers, Error> {
    match value.map(Value::as_str) {
        None | Some(Some("none")) => Ok(Layers::NONE),
        Some(_) => Err(not_compiled_in()),
    }
}

pub(super) fn schemas(value: Option<&Value>) -> Result<ExtensionSchemas, Error> {
    value.map_or(Ok(ExtensionSchemas::default()), |_| Err(not_compiled_in()))
}

fn not_compiled_in() -> Error {
    Error::new(Code::BadArgument, 0, "this build has no validator")
}

impl ReaderValidator {
    pub(super) fn accept_continuation(&mut self, _: &Event<'_>) -> bool {
        match *self {}
    }

    pub(super) fn is_added(&self, _: &Event<'_>) -> bool {
        match *self {}
    }

    pub(super) fn check(&mut self, _: &Event<'_>, _: &mut Findings) {
        match *self {}
    }

    pub(super) fn check_frame(&mut self, _: &Frame<'_>, _: Location, _: &mut Findings) {
        match *self {}
    }

    pub(super) fn check_blank(&mut self, _: &Blank<'_>, _: &mut Findings) {
        match *self {}
    }

    pub(super) fn check_done(&mut self, _: &str, _: Location, _: &mut Findings) {
        match *self {}
    }

    pub(super) fn finish(&mut self, _: u64, _: &mut Findings) {
        match *self {}
    }

    pub(super) fn join(&mut self, _: Option<u64>) {
        match *self {}
    }

    pub(super) fn note_request(&mut self, _: ValueRef<'_>) {
        match *self {}
    }

    pub(super) fn note_headers<'a>(
        &mut self,
        _: u16,
        _: impl IntoIterator<Item = (&'a str, &'a str)>,
        _: &mut Findings,
    ) {
        match *self {}
    }
}
