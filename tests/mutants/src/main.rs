//! Every mutant of the core in one program; see tests/mutants.sh, which calls this.
//!
//!   mutants build LIST TREE OUT              puts the mutants of the list into the tree and says which do not fit
//!   mutants run TREE OUT [WORD]…             builds the tests once and asks them about each mutant
//!   mutants report OUT REASONS               counts, and names the survivors that have no reason

mod build;
mod list;
mod run;
mod suite;
mod switch;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["build", list, tree, out] => build::build(Path::new(list), Path::new(tree), Path::new(out)),
        ["run", tree, out, rest @ ..] => {
            let mut choice = run::Choice::default();
            for word in rest {
                match word.split_once('/').map(|(which, of)| (which.parse(), of.parse())) {
                    Some((Ok(which), Ok(of))) => choice.shard = (which, of),
                    _ if word.starts_with("file=") => choice.file = word.trim_start_matches("file=").to_owned(),
                    None if word.starts_with("suite=") => {
                        choice.suites.extend(word.trim_start_matches("suite=").split(',').map(str::to_owned));
                    }
                    None if word.starts_with("only=") => choice.only = word.trim_start_matches("only=").to_owned(),
                    None if *word == "again" => choice.again = true,
                    None if word.parse::<f64>().is_ok() => choice.budget = word.parse().unwrap_or(f64::INFINITY),
                    None => choice.layer = Some((*word).to_owned()),
                    Some(_) => return usage(),
                }
            }
            run::run(Path::new(tree), Path::new(out), &choice);
        }
        ["report", out, reasons] => {
            if !run::report(Path::new(out), Path::new(reasons)) {
                return ExitCode::FAILURE;
            }
        }
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!(
        "mutants build LIST TREE OUT | run TREE OUT [LAYER] [file=PATH] [K/N] [SECONDS] [suite=NAME,NAME] [only=TEST] [again] | report OUT REASONS"
    );
    ExitCode::FAILURE
}
