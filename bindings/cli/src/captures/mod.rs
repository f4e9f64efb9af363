//! Captured bodies for `table` and `stats`: files, folders of files, logs with a body per line, and HAR files.

mod har;
mod log;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::StructArray;
use clap::ValueHint;
use deltafold::adapter::Dialect;
use deltafold_arrow::{Batch, FoldColumn};

use crate::args::{positive, source_dialect, SourceDialect, When};
use crate::input::{shown, Input, Stdin};
use crate::progress::Progress;
use crate::Failure;

/// Bytes of bodies that are folded at once: enough work for all cores, and a bound on memory.
const MAX_BATCH_BYTES: usize = 32 << 20;
/// Rows that are folded at once.
const MAX_BATCH_ROWS: usize = 8192;

/// Where captures come from.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CaptureArgs {
    /// Captures, logs, HAR files and folders; `-` is stdin
    #[arg(value_name = "FILES", default_value = "-", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,
    /// Dialect of all captures; auto detects that of each
    #[arg(long, value_name = "DIALECT", default_value = "auto", value_parser = source_dialect())]
    from: SourceDialect,
    /// Read each line as a JSON object with the body in this field, a name or a JSON pointer (default: such lines are
    /// recognized by a field body or response_body)
    #[arg(long, value_name = "FIELD")]
    body: Option<String>,
    /// Fold on N threads (default: one per core); the output does not depend on it
    #[arg(long, value_name = "N", value_parser = positive)]
    jobs: Option<usize>,
    /// When to show progress on stderr; auto: a bar on a terminal, otherwise a line every 10 seconds; always: without a
    /// terminal, a line per file
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    progress: When,
}

/// One captured body.
struct Capture {
    file: Arc<str>,
    /// The line of a log, or the entry of a HAR file, from 1; `None` if the file is the body.
    entry: Option<u64>,
    /// `None` if the line or entry has no body.
    body: Option<Vec<u8>>,
}

/// The folded rows of some captures, in their order.
pub(crate) struct Rows {
    pub(crate) files: Vec<Arc<str>>,
    pub(crate) entries: Vec<Option<u64>>,
    pub(crate) folded: StructArray,
}

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) captures: u64,
    pub(crate) bytes: u64,
    /// Files that were not read completely, and entries without a body.
    pub(crate) problems: Vec<String>,
}

/// Folds all captures and calls `each` with the rows of some at a time. A file that cannot be read is a problem of the summary.
pub(crate) fn fold(
    args: &CaptureArgs,
    columns: &[FoldColumn],
    stdin: &Stdin<'_>,
    errors: (&mut (dyn std::io::Write + Send), bool),
    mut each: impl FnMut(Rows) -> Result<(), Failure>,
) -> Result<Summary, Failure> {
    let files = expand(&args.files)?;
    let dialect = match args.from {
        SourceDialect::Auto => None,
        SourceDialect::Named(dialect) => Some(dialect),
    };
    let progress = Progress::new(args.progress, files.len(), errors.0, errors.1);
    let mut queue = Queue::new(args, dialect, columns);
    let mut problems = Vec::new();
    for file in &files {
        let mut push = |capture| queue.push(capture, &mut |rows| progress.suspend(|| each(rows)));
        match read(file, args.body.as_deref(), stdin, &progress, &mut push) {
            Ok(found) => problems.extend(found),
            Err(Failure::Closed) => return Err(Failure::Closed),
            Err(Failure::Usage(message) | Failure::Work(message)) if !queue.failed => problems.push(message),
            Err(failure) => return Err(failure),
        }
        progress.file(&shown(file));
    }
    queue.flush(&mut |rows| progress.suspend(|| each(rows)))?;
    progress.finish();
    Ok(Summary { captures: queue.captures, bytes: queue.bytes, problems })
}

/// Bodies that wait to be folded.
struct Queue {
    batch: Batch,
    files: Vec<Arc<str>>,
    entries: Vec<Option<u64>>,
    bodies: LargeBinaryBuilder,
    waiting: usize,
    captures: u64,
    bytes: u64,
    /// The result cannot be used or written: reading on would be pointless.
    failed: bool,
}

impl Queue {
    fn new(args: &CaptureArgs, dialect: Option<Dialect>, columns: &[FoldColumn]) -> Self {
        let threads = args.jobs.and_then(std::num::NonZeroUsize::new);
        Self {
            batch: Batch::fold(columns).dialect(dialect).threads(threads),
            files: Vec::new(),
            entries: Vec::new(),
            bodies: LargeBinaryBuilder::new(),
            waiting: 0,
            captures: 0,
            bytes: 0,
            failed: false,
        }
    }

    fn push(&mut self, capture: Capture, each: &mut dyn FnMut(Rows) -> Result<(), Failure>) -> Result<(), Failure> {
        let size = capture.body.as_ref().map_or(0, Vec::len);
        // The batch must not grow by a large body that can be a batch of its own.
        if self.waiting > 0 && self.waiting + size > MAX_BATCH_BYTES {
            self.flush(each)?;
        }
        self.bodies.append_option(capture.body);
        self.files.push(capture.file);
        self.entries.push(capture.entry);
        self.waiting += size;
        self.captures += 1;
        self.bytes += size as u64;
        if self.waiting >= MAX_BATCH_BYTES || self.files.len() >= MAX_BATCH_ROWS {
            self.flush(each)?;
        }
        Ok(())
    }

    fn flush(&mut self, each: &mut dyn FnMut(Rows) -> Result<(), Failure>) -> Result<(), Failure> {
        if self.files.is_empty() {
            return Ok(());
        }
        let bodies = self.bodies.finish();
        self.waiting = 0;
        let result = self.batch.run(&bodies).map_err(|error| Failure::Work(error.to_string()));
        drop(bodies);
        let (mut files, mut entries) =
            (std::mem::take(&mut self.files).into_iter(), std::mem::take(&mut self.entries).into_iter());
        let result = result.and_then(|chunks| {
            chunks.into_iter().try_for_each(|chunk| {
                let folded = arrow_array::cast::AsArray::as_struct(&chunk).clone();
                let rows = arrow_array::Array::len(&folded);
                each(Rows {
                    files: files.by_ref().take(rows).collect(),
                    entries: entries.by_ref().take(rows).collect(),
                    folded,
                })
            })
        });
        self.failed = result.is_err();
        result
    }
}

/// The files of the arguments. A folder is replaced by all files below it in the order of their names, without hidden ones.
fn expand(arguments: &[OsString]) -> Result<Vec<OsString>, Failure> {
    let mut files = Vec::new();
    for argument in arguments {
        if argument != "-" && Path::new(argument).is_dir() {
            let before = files.len();
            add_folder(Path::new(argument), &mut files)?;
            if files.len() == before {
                return Err(Failure::Usage(format!("{} has no files", shown(argument))));
            }
        } else {
            files.push(argument.clone());
        }
    }
    Ok(files)
}

fn add_folder(folder: &Path, files: &mut Vec<OsString>) -> Result<(), Failure> {
    let failure =
        |error: std::io::Error| Failure::Usage(format!("cannot read the folder {}: {error}", folder.display()));
    let mut entries = std::fs::read_dir(folder).map_err(failure)?.collect::<Result<Vec<_>, _>>().map_err(failure)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        // A link to a folder is not followed: it could lead back here.
        let kind = entry.file_type().map_err(failure)?;
        if kind.is_dir() {
            add_folder(&entry.path(), files)?;
        } else if kind.is_file() || entry.path().is_file() {
            files.push(entry.path().into_os_string());
        }
    }
    Ok(())
}

/// Reads the captures of a file. Returns what it could not use.
fn read(
    file: &OsStr,
    field: Option<&str>,
    stdin: &Stdin<'_>,
    progress: &Progress<'_>,
    push: &mut dyn FnMut(Capture) -> Result<(), Failure>,
) -> Result<Option<String>, Failure> {
    let mut input = Input::open(file, None, stdin)?;
    progress.size(input.size());
    let name: Arc<str> = shown(file).into();
    let mut start = Vec::new();
    // A log is recognized by its first line, a HAR file by its name or its first key.
    while start.len() < log::MAX_LINE {
        let Some(chunk) = input.chunk()? else { break };
        progress.bytes(chunk.len());
        start.extend_from_slice(chunk);
        if chunk.contains(&b'\n') {
            break;
        }
    }
    if field.is_none() && (name.to_ascii_lowercase().ends_with(".har") || har::is_start(&start)) {
        let text = read_rest(&mut input, start, progress)?;
        return har::read(&name, &text, push);
    }
    if field.is_some() || log::is_start(&start) {
        return log::read(&name, field, start, &mut input, progress, push);
    }
    let body = read_rest(&mut input, start, progress)?;
    push(Capture { file: name, entry: None, body: Some(body) })?;
    Ok(None)
}

fn read_rest(input: &mut Input<'_>, mut bytes: Vec<u8>, progress: &Progress<'_>) -> Result<Vec<u8>, Failure> {
    while let Some(chunk) = input.chunk()? {
        progress.bytes(chunk.len());
        bytes.extend_from_slice(chunk);
    }
    Ok(bytes)
}
