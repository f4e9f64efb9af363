//! The operation `events`: one list per body, with an element per event.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Fields};
use deltafold::adapter::Dialect;
use deltafold::{Error, Event};

use crate::builders::{field, list_of, ListRows, NumberBuilder, TextBuilder, Validity};
use crate::capture::CaptureReader;
use crate::row::RowBuilder;

fn fields() -> Fields {
    Fields::from(vec![
        field("index", DataType::Int64),
        field("type", DataType::Utf8),
        field("sequence_number", DataType::Int64),
        field("item_id", DataType::Utf8),
        field("output_index", DataType::Int64),
        field("content_index", DataType::Int64),
        field("delta", DataType::Utf8),
        field("data", DataType::Utf8),
    ])
}

/// The type of the result.
pub(crate) fn data_type() -> DataType {
    list_of(DataType::Struct(fields()))
}

pub(crate) struct EventsBuilder {
    reader: CaptureReader,
    rows: ListRows,
    events: EventColumns,
}

#[derive(Default)]
struct EventColumns {
    validity: Validity,
    index: NumberBuilder,
    kind: TextBuilder,
    sequence_number: NumberBuilder,
    item_id: TextBuilder,
    output_index: NumberBuilder,
    content_index: NumberBuilder,
    delta: TextBuilder,
    data: TextBuilder,
}

impl EventsBuilder {
    pub(crate) fn new(reader: CaptureReader) -> Self {
        Self { reader, rows: ListRows::default(), events: EventColumns::default() }
    }
}

impl EventColumns {
    fn append(&mut self, event: &Event<'_>) {
        self.index.append_count(Some(event.index()));
        self.kind.append(Some(event.wire_type()).filter(|kind| !kind.is_empty()));
        self.sequence_number.append_count(event.sequence_number());
        self.item_id.append(event.item_id());
        self.output_index.append_count(event.output_index());
        self.content_index.append_count(event.content_index());
        self.delta.append(event.kind().is_delta().then(|| event.delta()));
        self.data.append(Some(event.raw()));
        self.validity.append(true);
    }
}

impl RowBuilder for EventsBuilder {
    fn append(&mut self, body: &[u8], dialect: Option<Dialect>) {
        let Self { reader, rows, events } = self;
        reader.read(body, dialect, &mut |event| {
            events.append(event);
            rows.element();
        });
        rows.end_row(true);
    }

    fn append_null(&mut self) {
        self.rows.end_row(false);
    }

    fn append_unread(&mut self, _body: &[u8], _error: &Error) {
        self.rows.end_row(true);
    }

    fn bytes(&self) -> usize {
        self.events.data.bytes().max(self.events.delta.bytes())
    }

    fn finish(&mut self) -> ArrayRef {
        let EventColumns { validity, index, kind, sequence_number, item_id, output_index, content_index, delta, data } =
            &mut self.events;
        let columns = vec![
            index.finish(),
            kind.finish(),
            sequence_number.finish(),
            item_id.finish(),
            output_index.finish(),
            content_index.finish(),
            delta.finish(),
            data.finish(),
        ];
        let elements = validity.finish_struct(fields(), columns);
        self.rows.finish(elements)
    }
}
