//! Properties of every sequence of intents: the stream is valid, folds to the writer's own response, and gives the same result for
//! any split; a refused intent changes nothing.

use deltafold::json::Value;
use deltafold::write::{ReasoningNames, Writer, WriterOptions};
use deltafold::Edition;
use deltafold_tests::intents::LegalIntents;
use deltafold_tests::properties::{any_intents_leave_a_valid_stream, check_stream, item_types};
use deltafold_tests::Random;

/// The number of seeds, or a multiple of it with `DELTAFOLD_SEEDS`.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let times = std::env::var("DELTAFOLD_SEEDS").ok().map_or(1, |times| times.parse().expect("a number"));
    0..count * times
}

fn writer(edition: Edition) -> Writer {
    Writer::new(WriterOptions::new("resp_p1", "m-1", 7).edition(edition))
}

#[test]
fn valid_intents_are_accepted_and_make_a_valid_stream() {
    for edition in [Edition::V2026_04_24, Edition::V2026_01_15, Edition::Split, Edition::Split2026_01] {
        for seed in seeds(60) {
            let mut writer = writer(edition);
            let mut intents = Vec::new();
            for intent in LegalIntents::new(seed, 4 + seed as usize % 60, &item_types(edition)) {
                intents.push(intent.to_string());
                let done = writer.apply_json(&intent.to_string());
                assert!(done.is_ok(), "edition {edition}, seed {seed}: {done:?}\n{}", intents.join("\n"));
            }
            assert!(writer.is_ended());
            let bytes = writer.take();
            check_stream(&writer, &bytes, edition, seed);
        }
    }
}

#[test]
fn valid_intents_are_accepted_with_openai_names() {
    for seed in seeds(60) {
        let options = WriterOptions::new("resp_p1", "m-1", 7);
        let mut writer = Writer::new(options.edition(Edition::OpenAi).reasoning_names(ReasoningNames::OpenAi));
        for intent in LegalIntents::new(seed, 40, &item_types(Edition::OpenAi)) {
            writer.apply_json(&intent.to_string()).unwrap();
        }
        let bytes = writer.take();
        check_stream(&writer, &bytes, Edition::OpenAi, seed);
    }
}

#[test]
fn any_intents_make_a_valid_stream_and_refused_ones_change_nothing() {
    let (mut accepted, mut refused) = (0, 0);
    for edition in [Edition::V2026_04_24, Edition::Split] {
        for seed in seeds(120) {
            let counts = any_intents_leave_a_valid_stream(edition, Random::new(seed), 60);
            (accepted, refused) = (accepted + counts.0, refused + counts.1);
        }
    }
    assert!(accepted > 2_000 && refused > 2_000, "{accepted} accepted, {refused} refused");
}

#[test]
fn polling_taking_and_appending_give_the_same_stream_in_any_mix() {
    for seed in seeds(25) {
        let mut random = Random::new(seed);
        let (mut whole, mut parts) = (writer(Edition::Split), writer(Edition::Split));
        let (mut bytes, mut polled) = (Vec::new(), Vec::new());
        for intent in LegalIntents::new(seed, 40, &item_types(Edition::Split)) {
            whole.apply_json(&intent.to_string()).unwrap();
            parts.apply_json(&intent.to_string()).unwrap();
            match random.below(3) {
                0 => bytes.extend(parts.take()),
                1 => parts.write_into(&mut bytes),
                _ => {}
            }
        }
        parts.write_into(&mut bytes);
        assert!(parts.is_drained());
        assert_eq!(bytes, whole.clone().take(), "seed {seed}");

        let mut pollings = writer(Edition::Split);
        for intent in LegalIntents::new(seed, 40, &item_types(Edition::Split)) {
            pollings.apply_json(&intent.to_string()).unwrap();
            for _ in 0..random.below(4) {
                polled.extend(pollings.poll_event().map(str::to_owned));
            }
        }
        while let Some(event) = pollings.poll_event() {
            polled.push(event.to_owned());
        }
        let mut expected = Vec::new();
        while let Some(event) = whole.poll_event() {
            expected.push(event.to_owned());
        }
        assert_eq!(polled, expected, "seed {seed}");
        assert!(expected.iter().all(|event| Value::parse(event, 64).is_ok()));
    }
}
