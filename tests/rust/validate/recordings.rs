//! Real recordings with the profile of their provider: no error, or an entry in the reviewed list with its reason.

use deltafold::validate::{validate_compact_response, validate_response, Layers};
use deltafold::{Limits, Profile, Reader, Severity};
use deltafold_tests::{recordings, Exceptions, Recording, Split};

/// The profile of the server of a recording.
fn profile(recording: &Recording) -> Profile {
    let name = match recording.facts["provider"].as_str().expect("a recording names its provider") {
        "github-copilot" => "copilot",
        "openai-codex-backend" => "codex",
        "opencode-zen" => "zen",
        other => other,
    };
    Profile::builtin(name).unwrap_or_else(|error| panic!("{}: {error}", recording.file))
}

/// A finding in the form of the reviewed list: indexes are `*`, so that one entry covers a list.
fn line(file: &str, rule: &str, path: &str) -> String {
    let steps = path.split('/').map(|step| if step.parse::<u64>().is_ok() { "*" } else { step });
    format!("{file} {rule} {}", steps.collect::<Vec<_>>().join("/"))
}

fn check(recording: &Recording, profile: &Profile, split: Split) -> Reader {
    let bytes = recording.bytes();
    let rebuilt = recording.facts["rebuilt_framing"] == true;
    let layers = if rebuilt { Layers::ALL - Layers::FRAMING } else { Layers::ALL };
    let limits = Limits::default().findings(100_000);
    let mut reader = Reader::builder().profile(profile.clone()).validate(layers).limits(limits).build();
    for chunk in split.chunks(&bytes) {
        reader.feed(chunk).unwrap();
        while reader.poll_event().unwrap().is_some() {}
    }
    reader.finish().unwrap();
    reader
}

#[test]
fn recordings_have_no_error_under_the_profile_of_their_provider() {
    let mut exceptions = Exceptions::load("validate_errors");
    let mut missing = std::collections::BTreeSet::new();
    let all = recordings("check_corpus: streams", "responses");
    for recording in &all {
        let reader = check(recording, &profile(recording), Split::Whole);
        for finding in reader.findings().iter().filter(|finding| finding.severity == Severity::Error) {
            let line = line(&recording.file, finding.rule.id(), &finding.path);
            if !exceptions.covers(&line) {
                missing.insert(format!("{line}: {}", finding.message));
            }
        }
    }
    assert!(missing.is_empty(), "errors without a line:\n{}", missing.into_iter().collect::<Vec<_>>().join("\n"));
    if !all.is_empty() {
        exceptions.finish();
    }
}

#[test]
fn findings_of_recordings_do_not_depend_on_the_split() {
    for recording in recordings("check_corpus: splits", "responses").iter().step_by(9) {
        let strict = Profile::builtin("open-responses").unwrap();
        let whole = check(recording, &strict, Split::Whole);
        for split in [Split::Bytes, Split::Random(1), Split::Random(2)] {
            let cut = check(recording, &strict, split);
            assert_eq!(whole.findings(), cut.findings(), "{}, {split:?}", recording.file);
        }
    }
}

#[test]
fn response_bodies_have_no_error_under_the_profile_of_their_provider() {
    let mut exceptions = Exceptions::load("validate_body_errors");
    let mut missing = std::collections::BTreeSet::new();
    let all = recordings("check_corpus: bodies", "responses-json");
    for recording in &all {
        let body = String::from_utf8(recording.bytes()).unwrap();
        let profile = profile(recording);
        let severities = profile.severity_map();
        let compaction = serde_json::from_str::<serde_json::Value>(&body).unwrap()["object"] == "response.compaction";
        let validate = if compaction { validate_compact_response } else { validate_response };
        for finding in validate(&body, profile.edition()).unwrap() {
            if severities.at(finding.rule, &finding.path) != Some(Severity::Error) {
                continue;
            }
            let line = line(&recording.file, finding.rule.id(), &finding.path);
            if !exceptions.covers(&line) {
                missing.insert(format!("{line}: {}", finding.message));
            }
        }
    }
    assert!(missing.is_empty(), "errors without a line:\n{}", missing.into_iter().collect::<Vec<_>>().join("\n"));
    if !all.is_empty() {
        exceptions.finish();
    }
}
