//! `deltafold man`: the manual page.

use clap_mangen::roff::{bold, roman, Roff};
use clap_mangen::Man;

use crate::{command, print, Failure, Io};

/// Print the manual page
#[derive(Debug, clap::Args)]
#[command(
    before_help = "The page is roff; save it as deltafold.1 in a folder man1 of MANPATH, or pipe it to man.",
    after_help = "\
Exit codes:
  0  success
  2  the arguments are invalid

Examples:
  deltafold man | man -l -"
)]
pub(crate) struct ManArgs {}

pub(crate) fn run(_: &ManArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    let page = page().map_err(|error| Failure::Work(format!("cannot make the manual page: {error}")))?;
    print(io, &String::from_utf8_lossy(&page)).map(|()| 0)
}

/// One page for the program and all its commands.
fn page() -> std::io::Result<Vec<u8>> {
    let mut command = command().disable_help_subcommand(true);
    command.build();
    let mut page = Vec::new();
    let man = Man::new(command.clone()).title("DELTAFOLD").manual("User Commands");
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    for subcommand in command.get_subcommands() {
        section(subcommand, &mut page)?;
    }
    let mut environment = Roff::new();
    environment.control("SH", ["ENVIRONMENT"]);
    for (name, meaning) in [
        ("NO_COLOR", "If set and not empty, disables color unless --color=always is given."),
        ("TERM", "If `dumb`, the terminal gets no escape sequences: no color, no live view, no progress bar."),
        ("COLUMNS", "The width of a terminal that does not report its own."),
    ] {
        environment.control("TP", []);
        environment.text([bold(name)]);
        environment.text([roman(meaning)]);
    }
    environment.to_writer(&mut page)?;
    man.render_extra_section(&mut page)?;
    Ok(page)
}

/// One command as a section; the sections of its own page become subsections.
fn section(command: &clap::Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    let mut heading = Roff::new();
    heading.control("SH", [&*format!("DELTAFOLD {}", command.get_name().to_uppercase())]);
    heading.to_writer(page)?;
    let mut description = command.get_about().map(|about| format!("{about}.")).unwrap_or_default();
    if let Some(more) = command.get_before_help() {
        description = format!("{description}\n\n{more}");
    }
    let man = Man::new(command.clone().long_about(description));
    let mut body = Vec::new();
    man.render_synopsis_section(&mut body)?;
    man.render_description_section(&mut body)?;
    man.render_options_section(&mut body)?;
    man.render_extra_section(&mut body)?;
    page.extend_from_slice(String::from_utf8_lossy(&body).replace("\n.SH ", "\n.SS ").as_bytes());
    Ok(())
}
