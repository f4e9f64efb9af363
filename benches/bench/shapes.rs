//! The expected result of each shape is checked by a second, simple reading of the bytes.

use deltafold_benches::shapes::{data_lines, hash, huge_line, many_items, reasoning, Expected, Folded, Shape, NAMES};
use deltafold_benches::{Chunking, Mode};

fn read_simply(stream: &[u8]) -> Expected {
    let text = std::str::from_utf8(stream).unwrap();
    let mut folded = Folded::default();
    for frame in text.split_terminator("\n\n") {
        let data: Vec<&str> = frame.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
        let value = folded.read_simply(&data.join("\n")).unwrap();
        assert_eq!(frame.lines().next().and_then(|line| line.strip_prefix("event: ")), value["type"].as_str());
    }
    folded.result()
}

#[test]
fn a_plain_reading_gives_the_expected_result_of_every_shape() {
    for name in NAMES {
        let shape = Shape::named(name, Mode::Quick).unwrap();
        assert_eq!(read_simply(&shape.stream), shape.expected, "{name}");
    }
}

#[test]
fn a_name_always_makes_the_same_bytes() {
    // Results of two days are comparable only if these stay the same. A deliberate change of a shape changes its line here.
    let known: [(&str, u64); NAMES.len()] = [
        ("W1", 0xab66_0597_459b_9f80),
        ("W1alpha", 0x415c_7fee_92a7_2366),
        ("W1pyd", 0xb21f_54f7_4f30_fab0),
        ("W2", 0x5e53_ba3e_80a1_99c4),
        ("W3", 0xf904_0305_1f5c_d718),
        ("W4", 0xbd55_a0fe_2521_7df4),
        ("W5", 0x5e41_ba91_3bcd_2775),
        ("W6", 0x33bf_1474_f67d_e9f7),
        ("huge-line", 0x20a6_a938_eb3a_6285),
        ("data-lines", 0x5438_5c4d_b100_93b9),
        ("deep", 0xc68e_4f49_bef4_cf47),
        ("many-items", 0x873c_0dca_01ec_5e4d),
        ("many-findings", 0x3521_2f6a_c586_8fb4),
    ];
    let made: Vec<(&str, u64)> =
        NAMES.into_iter().map(|name| (name, hash(Shape::named(name, Mode::Quick).unwrap().stream))).collect();
    assert_eq!(made, known);
}

#[test]
fn every_cut_keeps_every_byte_and_has_a_name() {
    let shape = Shape::named("W1", Mode::Quick).unwrap();
    for chunking in
        [Chunking::Whole, Chunking::Event, Chunking::Bytes(1), Chunking::Bytes(7), Chunking::Bytes(16 * 1024)]
    {
        assert_eq!(chunking.chunks(&shape.stream).concat(), shape.stream);
        assert_eq!(Chunking::named(&chunking.name()), Some(chunking));
    }
    assert_eq!(Chunking::Event.chunks(&shape.stream).len(), shape.expected.events);
}

#[test]
fn shapes_have_the_size_that_they_claim() {
    let expected = |name| Shape::named(name, Mode::Full).unwrap().expected;
    assert_eq!(expected("W1").events, 2_000 + 8);
    assert_eq!(expected("W2").events, 3 + 20 * 3 + 20 * ((4_000 - 63) / 20));
    assert_eq!(reasoning(3, 600, 10).expected.events, 3 + 2 + 3 * (200 + 3) + 5 + 10);
    assert_eq!(many_items(14, 500).expected.parts, 500);
    assert_eq!(huge_line(11, 100_000).expected.text_bytes, 100_000);
    assert!(data_lines(12, 1_000).stream.split(|byte| *byte == b'\n').count() > 1_000);
}
