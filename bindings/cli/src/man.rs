//! `deltafold man`: the manual page in roff, made from the table.

use crate::args::Args;
use crate::help::EXAMPLES;
use crate::table::{Command, Files, PLAIN_EXITS};
use crate::{print, Failure, Io, COMMANDS};

pub(crate) const COMMAND: Command = Command {
    name: "man",
    summary: "print the manual page",
    usage: &[""],
    about: "The page is roff; save it as deltafold.1 in a folder man1 of MANPATH, or read it at once.",
    options: &[],
    files: Files::Exactly(0),
    exits: PLAIN_EXITS,
    examples: &["deltafold man | man -l -"],
    run,
};

fn run(_: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    print(io, &page()).map(|()| 0)
}

fn page() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!(".TH DELTAFOLD 1 \"\" \"deltafold {version}\" \"User Commands\"\n");
    text.push_str(".SH NAME\ndeltafold \\- read, check, fold and convert streams of language models\n");
    text.push_str(".SH SYNOPSIS\n.B deltafold\n.I COMMAND\n[\\fIFILE\\fR\\[u2026]|\\-] [\\fIoptions\\fR]\n");
    text.push_str(".SH DESCRIPTION\n");
    line(
        "Reads the streams that language models answer with: Open Responses, and the dialects that can be converted.",
        &mut text,
    );
    line("Without FILE, or with -, input comes from stdin. Files are read in chunks, never as a whole.", &mut text);
    text.push_str(".SH COMMANDS\n");
    for command in COMMANDS {
        text.push_str(&format!(".SS deltafold {}\n", escape(command.name)));
        for usage in command.usage {
            text.push_str(&format!(".B deltafold {}\n{}\n.br\n", escape(command.name), escape(usage)));
        }
        text.push_str(".PP\n");
        let summary = command.summary;
        let (first, rest) = summary.split_at(summary.chars().next().map_or(0, char::len_utf8));
        line(&format!("{}{rest}.", first.to_uppercase()), &mut text);
        for paragraph in command.about.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
            text.push_str(".PP\n");
            line(paragraph, &mut text);
        }
        for option in command.options {
            text.push_str(".TP\n");
            let value = if option.is_flag() { String::new() } else { format!(" \\fI{}\\fR", escape(option.value)) };
            text.push_str(&format!("\\fB{}\\fR{value}\n", escape(option.name)));
            line(option.help, &mut text);
        }
        text.push_str(".PP\nExit codes:\n");
        for (code, meaning) in command.exits {
            text.push_str(&format!(".IP {code} 4\n"));
            line(meaning, &mut text);
        }
    }
    text.push_str(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\n");
    line("If set and not empty, nothing is coloured, unless --color=always asks for it.", &mut text);
    text.push_str(".TP\n.B COLUMNS\n");
    line("The width of a terminal that does not tell its own.", &mut text);
    text.push_str(".SH EXAMPLES\n.nf\n");
    for example in EXAMPLES.iter().chain(COMMANDS.iter().flat_map(|command| command.examples)) {
        text.push_str(&format!("{}\n", escape(example)));
    }
    text.push_str(".fi\n");
    text
}

/// Appends one line of running text.
fn line(words: &str, text: &mut String) {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    text.push_str(&escape(&words));
    text.push('\n');
}

/// Text as roff takes it: dashes are dashes, and no line begins with a request.
fn escape(words: &str) -> String {
    let mut text = String::new();
    for char in words.chars() {
        match char {
            '\\' => text.push_str("\\e"),
            '-' => text.push_str("\\-"),
            ' '..='~' => text.push(char),
            // Formatters differ in the encodings that they read, not in this spelling.
            other => text.push_str(&format!("\\[u{:04X}]", u32::from(other))),
        }
    }
    if text.starts_with(['.', '\'']) {
        format!("\\&{text}")
    } else {
        text
    }
}
