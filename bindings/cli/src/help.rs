//! Help pages, made from the table.

use crate::table::Command;
use crate::COMMANDS;

/// How wide a help page is.
const WIDTH: usize = 100;

/// The page of the whole program.
pub(crate) fn page() -> String {
    let mut text = String::from(
        "deltafold reads, checks, folds and converts the streams that language models answer with.\n\n\
         Usage: deltafold COMMAND [FILE…|-] [options]\n\nCommands:\n",
    );
    for command in COMMANDS {
        text.push_str(&format!("  {:<12} {}\n", command.name, command.summary));
    }
    text.push_str("\nWithout FILE, or with -, input comes from stdin. `deltafold COMMAND --help` says more.\n");
    text.push_str("\nExamples:\n");
    for line in EXAMPLES {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

/// What the first page suggests to try.
pub(crate) const EXAMPLES: &[&str] = &[
    "deltafold show examples/streams/tour.sse",
    "deltafold replay --rate 50 examples/streams/tour.sse | deltafold show",
    "deltafold check examples/streams/*.sse",
];

/// The page of one command.
pub(crate) fn of(command: &Command) -> String {
    let mut text = format!("deltafold {}: {}\n\n", command.name, command.summary);
    for (at, usage) in command.usage.iter().enumerate() {
        let lead = if at == 0 { "Usage:" } else { "      " };
        text.push_str(&format!("{lead} deltafold {} {usage}\n", command.name));
    }
    if !command.about.is_empty() {
        for paragraph in command.about.split("\n\n") {
            text.push('\n');
            wrap(paragraph, 0, &mut text);
        }
    }
    if !command.options.is_empty() {
        text.push_str("\nOptions:\n");
        let heads: Vec<String> = command
            .options
            .iter()
            .map(|option| format!("{} {}", option.name, option.value).trim_end().into())
            .collect();
        let column = heads.iter().map(|head| head.chars().count()).max().unwrap_or(0) + 5;
        for (head, option) in heads.iter().zip(command.options) {
            text.push_str(&format!("  {head}"));
            text.extend(std::iter::repeat_n(' ', column - 2 - head.chars().count()));
            wrap(option.help, column, &mut text);
        }
    }
    text.push_str("\nExit codes:\n");
    for (code, meaning) in command.exits {
        text.push_str(&format!("  {code}  {meaning}\n"));
    }
    text.push_str("\nExamples:\n");
    for line in command.examples {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

/// Appends words, in lines that begin at a column; the first line is there already.
fn wrap(words: &str, column: usize, text: &mut String) {
    let mut at = column;
    for word in words.split_whitespace() {
        let length = word.chars().count();
        if at > column && at + 1 + length > WIDTH {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', column));
            at = column;
        } else if at > column {
            text.push(' ');
            at += 1;
        }
        text.push_str(word);
        at += length;
    }
    text.push('\n');
}
