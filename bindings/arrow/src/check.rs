//! The operation `check`: one row per body, with the rules that it breaks.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Fields};
use deltafold::adapter::{Dialect, Fidelity};
use deltafold::{Error, Severity};

use crate::builders::{field, FindingsBuilder, NumberBuilder, TextBuilder, Validity};
use crate::capture::CaptureReader;
use crate::row::RowBuilder;

fn fields() -> Fields {
    Fields::from(vec![
        field("outcome", DataType::Utf8),
        field("dialect", DataType::Utf8),
        field("errors", DataType::Int64),
        field("warnings", DataType::Int64),
        field("notes", DataType::Int64),
        field("findings", FindingsBuilder::data_type()),
    ])
}

/// The type of the result.
pub(crate) fn data_type() -> DataType {
    DataType::Struct(fields())
}

pub(crate) struct CheckBuilder {
    reader: CaptureReader,
    validity: Validity,
    outcome: TextBuilder,
    dialect: TextBuilder,
    errors: NumberBuilder,
    warnings: NumberBuilder,
    notes: NumberBuilder,
    findings: FindingsBuilder,
}

impl CheckBuilder {
    pub(crate) fn new(reader: CaptureReader) -> Self {
        Self {
            reader,
            validity: Validity::default(),
            outcome: TextBuilder::default(),
            dialect: TextBuilder::default(),
            errors: NumberBuilder::default(),
            warnings: NumberBuilder::default(),
            notes: NumberBuilder::default(),
            findings: FindingsBuilder::default(),
        }
    }

    fn counts(&mut self, counts: [Option<u64>; 3]) {
        let [errors, warnings, notes] = counts;
        self.errors.append_count(errors);
        self.warnings.append_count(warnings);
        self.notes.append_count(notes);
    }
}

impl RowBuilder for CheckBuilder {
    fn append(&mut self, body: &[u8], dialect: Option<Dialect>) {
        let capture = self.reader.read(body, dialect, &mut |_| ());
        self.outcome.append(Some(capture.outcome.name()));
        self.dialect.append(Some(capture.dialect.name()));
        let assumed = |finding: &&_| -> bool {
            let finding: &deltafold::adapter::AdapterFinding = finding;
            finding.code.fidelity() == Fidelity::Assumed
        };
        let adapter_notes = capture.adapter_findings.iter().filter(assumed).count() as u64;
        let adapter_warnings = capture.adapter_findings.len() as u64 - adapter_notes;
        let findings = self.reader.reader().all_findings();
        let counts = [
            findings.count(Severity::Error) + u64::from(capture.error.is_some()),
            findings.count(Severity::Warning) + adapter_warnings,
            findings.count(Severity::Note) + adapter_notes,
        ];
        self.findings.append(&capture, self.reader.reader().findings());
        self.counts(counts.map(Some));
        self.validity.append(true);
    }

    fn append_null(&mut self) {
        self.outcome.append(None);
        self.dialect.append(None);
        self.counts([None; 3]);
        self.findings.append_null();
        self.validity.append(false);
    }

    fn append_unread(&mut self, _body: &[u8], error: &Error) {
        self.outcome.append(Some("truncated"));
        self.dialect.append(None);
        self.counts([Some(1), Some(0), Some(0)]);
        self.findings.append_error(error);
        self.validity.append(true);
    }

    fn bytes(&self) -> usize {
        self.findings.bytes()
    }

    fn finish(&mut self) -> ArrayRef {
        let columns = vec![
            self.outcome.finish(),
            self.dialect.finish(),
            self.errors.finish(),
            self.warnings.finish(),
            self.notes.finish(),
            self.findings.finish(),
        ];
        self.validity.finish_struct(fields(), columns)
    }
}
