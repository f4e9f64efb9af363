//! Allocations of the target adapters: for a delta, only the growth of the text and of the output.

use deltafold::adapter::{outbound, ConverterOptions};
use deltafold::event::{Origin, Parser};
use deltafold::json::Value as Json;
use deltafold_tests::adapter::TARGETS;
use deltafold_tests::memory::watch;
use serde_json::json;

#[test]
fn a_delta_allocates_nothing_but_the_growth_of_text_and_output() {
    for (kind, item) in [
        ("response.output_text.delta", "message"),
        ("response.refusal.delta", "message"),
        ("response.reasoning.delta", "reasoning"),
        ("response.reasoning_summary_text.delta", "reasoning"),
        ("response.function_call_arguments.delta", "function_call"),
    ] {
        for to in TARGETS {
            let options = Json::parse(r#"{"thread_id":"t"}"#, 8).unwrap();
            let dialect = to.parse().unwrap();
            let mut target = outbound(dialect, &ConverterOptions::from_value(&options).unwrap()).unwrap();
            let mut parser = Parser::new(128);
            let added = json!({ "type": "response.output_item.added", "output_index": 0,
                "item": { "type": item, "id": "a", "call_id": "c", "name": "go" } });
            target.apply(&parser.parse(&added.to_string(), Origin::default())).unwrap();
            let delta = json!({ "type": kind, "item_id": "a", "output_index": 0, "content_index": 0,
                "summary_index": 0, "delta": "a few words, \"é\"\n" });
            let delta = delta.to_string();
            let mut out = Vec::with_capacity(1 << 20);
            let mut tell = |times: usize| {
                for _ in 0..times {
                    target.apply(&parser.parse(&delta, Origin::default())).unwrap();
                    target.write_into(&mut out);
                }
                out.clear();
            };
            tell(100);
            let used = watch(|| tell(1_000));
            // The text grows by doubling, from about 2 KB to about 20 KB.
            assert!(used.calls <= 5, "{kind} → {to}: {used:?}");
        }
    }
}
