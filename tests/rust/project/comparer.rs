//! The comparer itself: it must report wrong answers.

use deltafold_tests::comparer::{cases, judge, Case, Deviations, Runner, Session, WORDS};
use serde_json::json;

/// A runner that answers nothing and continues.
const MUTE: &str = r#"sed -un 's/^end$/{"end":true}/p'"#;

/// Returns a case of every command.
fn some() -> Vec<Case> {
    let mut all = cases();
    WORDS
        .map(|word| all.remove(all.iter().position(|case| case.word == word && case.vector.name.len() > 3).unwrap()))
        .into()
}

fn wrong(command: &str, deviations: serde_json::Value) -> usize {
    let mut runners = [Runner::new("judged", command, Deviations::from_value(&deviations))];
    some().iter().for_each(|case| judge(case, &mut runners));
    let [runner] = runners;
    runner.finish(true)
}

#[test]
fn a_runner_that_prints_nothing_fails_every_command() {
    assert_eq!(wrong(MUTE, json!({})), WORDS.len());
}

#[test]
fn a_runner_that_exits_fails_every_command_and_is_restarted() {
    assert_eq!(wrong("sh -c 'exit 2'", json!({})), WORDS.len());
}

#[test]
fn commands_in_the_deviations_are_not_sent_and_a_stale_entry_fails() {
    let lines: serde_json::Map<_, _> = WORDS.iter().map(|word| (format!("word {word}"), json!("not yet"))).collect();
    assert_eq!(wrong("sh -c 'exit 2'", lines.clone().into()), 0);
    // It prints nothing, but it accepts every command.
    assert_eq!(wrong(MUTE, lines.into()), WORDS.len());
}

#[test]
fn a_deviation_covers_its_case_or_file_and_must_be_needed() {
    let case = some().remove(0);
    let (name, file) = (case.vector.to_string(), case.vector.file.clone());
    let count = |command: &str, line: &str| {
        let mut runners = [Runner::new("judged", command, Deviations::from_value(&json!({ line: "a reason" })))];
        judge(&case, &mut runners);
        let [runner] = runners;
        runner.finish(true)
    };
    assert_eq!((count(MUTE, &name), count(MUTE, &file)), (0, 0));
    assert_eq!(count(MUTE, "another"), 2, "the case and the stale line");
}

#[test]
fn an_unknown_line_is_refused() {
    for lines in [&["bogus"][..], &["feeed 00"], &["sse", "do 7b7d"], &["reader", "cancel"]] {
        let mut session = Session::default();
        let mut out = Vec::new();
        let (last, first) = lines.split_last().unwrap();
        assert!(first.iter().all(|line| session.take(line, &mut out)), "{lines:?}");
        assert!(!session.take(last, &mut out), "{lines:?}");
    }
}
