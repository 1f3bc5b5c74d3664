//! Tests of recordings: written recordings can be read again, and malformed input is rejected.

use super::super::tests::run;
use super::*;
use crate::data::Scalar;
use crate::observation::{ObservedLayout, Rejection};
use glasm::ir::Stage;
use proptest::prelude::*;

fn texels(line: Option<u32>, format: &str, width: u32, bytes: Vec<u8>) -> Observation {
    Observation {
        line,
        subject: "attachment 0, layer 1".into(),
        layout: ObservedLayout::Texels {
            format: Format::parse_color_or_depth(format).unwrap(),
            width,
            origin: [3, 5],
            probed_components: 2,
        },
        bytes,
    }
}

fn seen(observations: Vec<Observation>) -> Recording {
    Recording {
        observations,
        ..run("gl")
    }
}

fn body(observation: Observation) -> String {
    let text = seen(vec![observation]).to_text();
    let lines = text.lines().skip(7);
    lines.collect::<Vec<_>>().join("\n")
}

fn floats(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one of everything")]
fn recordings_are_read_as_they_were_written() {
    let recording = Recording {
        outcome: Outcome::Fail,
        failures: vec![
            Failure::new(Some(3), "pixel (1, 2) differs"),
            Failure::new(None, String::new()),
        ],
        verdicts: vec![
            Verdict {
                stage: Stage::TessControl,
                index: 0,
                rejected: None,
            },
            Verdict {
                stage: Stage::Fragment,
                index: 2,
                rejected: Some(Rejection {
                    position: Some(17),
                    message: "undeclared name".into(),
                }),
            },
            Verdict {
                stage: Stage::Vertex,
                index: 0,
                rejected: Some(Rejection {
                    position: None,
                    message: "no".into(),
                }),
            },
        ],
        observations: vec![
            texels(
                Some(4),
                "R32G32_SFLOAT",
                2,
                floats(&[0.1, -0.0, 1e-40, f32::INFINITY]),
            ),
            texels(
                None,
                "R32G32_SFLOAT",
                2,
                floats(&[0.1, -0.0, 1e-40, f32::INFINITY]),
            ),
            texels(
                Some(5),
                "R8G8B8A8_SNORM",
                1,
                vec![0x80, 0xff, 1, 0, 3, 4, 5, 6],
            ),
            texels(Some(6), "E5B9G9R9_UFLOAT_PACK32", 1, vec![1, 2, 3, 4]),
            texels(Some(7), "A2B10G10R10_UNORM_PACK32", 1, vec![1, 2, 3, 4]),
            texels(Some(8), "X8_D24_UNORM_PACK32", 1, vec![1, 2, 3, 0]),
            Observation::from_count(9, "samples drawn".into(), u64::MAX),
            Observation {
                line: Some(10),
                subject: "ssbo 0:3".into(),
                layout: ObservedLayout::Values {
                    scalar: Scalar::F16,
                    offset: 6,
                },
                bytes: vec![0, 0x3c, 0, 0x3c, 1, 0],
            },
            Observation {
                line: None,
                subject: "buffer `of b`".into(),
                layout: ObservedLayout::Words,
                bytes: (0..80).collect(),
            },
        ],
        ..run("gl")
    };
    assert_eq!(Recording::parse(&recording.to_text()), Ok(recording));
    let skipped = Recording {
        outcome: Outcome::Skip("no extension".into()),
        ..run("gl")
    };
    assert_eq!(Recording::parse(&skipped.to_text()), Ok(skipped));
}

#[test]
fn large_pictures_of_one_color_are_one_line() {
    let picture = texels(
        None,
        "R8G8B8A8_UNORM",
        1000,
        [255, 0, 0, 255].repeat(1_000_000),
    );
    assert_eq!(
        body(picture),
        "end texels R8G8B8A8_UNORM 1000x1000 at 3,5 probed 2 of attachment 0, layer 1\n  0-999: 255,0,0,255*1000"
    );
}

#[test]
fn rows_that_are_alike_are_one_line() {
    let picture = texels(
        Some(9),
        "R32_SFLOAT",
        2,
        floats(&[0.5, 0.5, 1.0, -2.5, 1.0, -2.5, 0.1, 0.0]),
    );
    assert_eq!(
        body(picture),
        "line 9 texels R32_SFLOAT 2x4 at 3,5 probed 2 of attachment 0, layer 1\n  \
         0: 0.5*2\n  1-2: 1 -2.5\n  3: 0.1 0"
    );
}

#[test]
fn equal_observations_are_written_once() {
    let picture = |line| texels(line, "R8_UINT", 2, vec![1, 2]);
    let text = seen(vec![picture(Some(9)), picture(None)]).to_text();
    assert!(text.ends_with("  0: 1 2\nend texels R8_UINT 2x1 at 3,5 probed 2 of attachment 0, layer 1\n  same as line 9\n"), "{text}");
}

#[test]
fn every_nan_is_written_alike() {
    let picture = texels(
        None,
        "R32_SFLOAT",
        2,
        floats(&[f32::NAN, f32::from_bits(0xffc0_0001)]),
    );
    assert!(body(picture).ends_with("  0: nan*2"));
}

#[test]
fn texts_of_several_lines_become_one() {
    let mut recording = run("gl");
    recording.driver.device = "card\u{7}\nof two lines".into();
    recording.outcome = Outcome::Skip("why\nnot".into());
    let read = Recording::parse(&recording.to_text()).unwrap();
    assert_eq!(read.driver.device, "card");
    assert_eq!(read.outcome, Outcome::Skip("why".into()));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of mistakes")]
fn mistakes_have_lines() {
    let head = "glasm recording 1\nscript a\ntext 0\napi gl\ndevice d\ndriver v\noutcome pass\n";
    for (text, line, message) in [
        ("", 1, "expected `glasm recording 1`"),
        ("glasm recording 2\n", 1, "expected `glasm recording 1`"),
        ("glasm recording 1\napi gl\n", 2, "expected `script`"),
        (
            "glasm recording 1\nscript a\ntext x\n",
            3,
            "expected the digest of a script",
        ),
    ] {
        let error = Recording::parse(text).unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (line, message));
    }
    for (body, line, message) in [
        ("nonsense", 8, "expected `failure`"),
        ("verdict pixel 0 accepted", 8, "expected a stage"),
        ("verdict vertex 0 liked", 8, "expected `accepted`"),
        ("failure x y", 8, "expected a line or `-`, found `x`"),
        ("end words 1 of b", 8, "expected 4 bytes, found 0"),
        (
            "end words 1 of b\n  0: 3f80000",
            9,
            "`3f80000` is no such value",
        ),
        ("end words 1 of b\n  0: 3f80000g", 9, "is no such value"),
        (
            "end words 2 of b\n  0: 00000000\n  8: 00000000",
            10,
            "expected the next byte",
        ),
        ("end words 1 of b\n  0: 00000000*2", 9, "too many values"),
        ("end words 1 of b\n  0: 00000000*0", 9, "too many values"),
        (
            "end words 1 of b\n  same as line 3",
            9,
            "nothing to be the same as",
        ),
        ("end words 99999999999999999999 of b", 8, "expected a count"),
        ("end words 9999999999999999999 of b", 8, "too large"),
        (
            "end texels R8_UINT 4294967295x4294967295 at 0,0 probed 0 of b",
            8,
            "too large",
        ),
        (
            "end texels R8_UINT 1x1 at 4294967295,0 probed 0 of b",
            8,
            "no such picture",
        ),
        (
            "end texels R8_UINT 0x1 at 0,0 probed 0 of b",
            8,
            "no such picture",
        ),
        (
            "end texels R9 1x1 at 0,0 probed 0 of b",
            8,
            "expected a format",
        ),
        (
            "end texels R8_UINT 2x2 at 0,0 probed 0 of b\n  0-2: 1*2",
            9,
            "expected the next rows",
        ),
        (
            "end texels R8_UINT 2x2 at 0,0 probed 0 of b\n  0-1: 1*4",
            9,
            "too short or too long",
        ),
        (
            "end texels R8_UINT 2x2 at 0,0 probed 0 of b\n  0: 256 1",
            9,
            "no such value",
        ),
        (
            "end texels R8_UINT 2x2 at 0,0 probed 0 of b\n  0: 1,2 1",
            9,
            "no such value",
        ),
        ("line 3 values vec2 1 at 0 of b", 8, "expected a type"),
        (
            "line 3 values float 1 at 0 of b\n  0: one",
            9,
            "no such value",
        ),
        ("line 3 count x of b", 8, "expected a count"),
        ("line 3 count 1 in b", 8, "expected `of`"),
    ] {
        let error = Recording::parse(&format!("{head}{body}\n")).unwrap_err();
        assert_eq!(error.line, line, "{body}: {error}");
        assert!(error.message.contains(message), "{body}: {error}");
    }
}

#[test]
fn digests_are_those_of_fnv() {
    // http://www.isthe.com/chongo/tech/comp/fnv: "a\n" continues "a", whose hash is
    // af63dc4c8601ec8c.
    let a: u64 = 0xaf63_dc4c_8601_ec8c;
    assert_eq!(digest(b"a"), (a ^ 10).wrapping_mul(0x0100_0000_01b3));
    assert_eq!(digest(b"# covers: x\na"), digest(b"# covers: y z\na"));
    assert_ne!(digest(b"# covers: x\na"), digest(b"a"));
    assert_ne!(digest(b"# x\na"), digest(b"# y\na"));
}

#[test]
fn recordings_are_found_from_other_directories() {
    let dir = std::env::temp_dir().join(format!("glasm-recordings-{}", std::process::id()));
    let mut recording = run("gl");
    recording.script = "./op/../arb/add.shader_test".into();
    let path = recording.save(&dir).unwrap();
    assert_eq!(path, dir.join("op/arb/add.recording"));
    let find = |script: &str| Recording::find(&dir, Path::new(script));
    assert!(find("op/arb/add.shader_test").is_ok());
    assert!(find("tests/cases/op/arb/add.shader_test").is_ok());
    for other in [
        "arb/add.shader_test",
        "add.shader_test",
        "op/arb/sub.shader_test",
    ] {
        assert!(
            matches!(find(other), Err(RecordingError::Missing(_))),
            "{other}"
        );
    }
    std::fs::write(dir.join("bad.recording"), "x").unwrap();
    let error = find("bad.shader_test").unwrap_err().to_string();
    assert!(error.contains("bad.recording: line 1: expected"), "{error}");
    std::fs::remove_dir_all(dir).unwrap();
}

const FORMATS: &[&str] = &[
    "R8_UNORM",
    "R8G8B8A8_SNORM",
    "B8G8R8A8_SRGB",
    "A2B10G10R10_UINT_PACK32",
    "R16G16_SINT",
    "R16G16B16A16_SFLOAT",
    "R32G32B32_SFLOAT",
    "R64_SFLOAT",
    "R64G64_SINT",
    "B10G11R11_UFLOAT_PACK32",
    "E5B9G9R9_UFLOAT_PACK32",
    "D16_UNORM",
    "D32_SFLOAT",
];

proptest! {
    #[test]
    fn all_texels_survive(
        name in prop::sample::select(FORMATS),
        width in 1u32..5,
        height in 1u32..4,
        bytes in prop::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 16 * 12),
    ) {
        let size = Format::parse_color_or_depth(name).unwrap().texel_size();
        let bytes = bytes[..(width * height) as usize * size].to_vec();
        let recording = seen(vec![texels(None, name, width, bytes)]);
        let once = Recording::parse(&recording.to_text()).unwrap();
        // NaN may have lost its bits, and does not lose more.
        prop_assert_eq!(&Recording::parse(&once.to_text()).unwrap(), &once);
        let comparison = super::super::compare_runs(&recording, &once);
        prop_assert_eq!(comparison.agreement, super::super::Agreement::Exact);
        prop_assert_eq!((comparison.differing_values, comparison.zero_sign_differences), (0, 0));
    }

    #[test]
    fn all_values_survive(
        scalar in prop::sample::select(&[Scalar::I8, Scalar::U16, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64][..]),
        offset in 0u64..1000,
        mut bytes in prop::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 0..200),
    ) {
        bytes.truncate(bytes.len() / 8 * 8);
        let layout = ObservedLayout::Values { scalar, offset };
        let subject = "b".to_owned();
        let recording = seen(vec![Observation { line: Some(1), subject, layout, bytes }]);
        let once = Recording::parse(&recording.to_text()).unwrap();
        let comparison = super::super::compare_runs(&recording, &once);
        prop_assert_eq!(comparison.agreement, super::super::Agreement::Exact);
        prop_assert_eq!((comparison.differing_values, comparison.zero_sign_differences), (0, 0));
    }

    #[test]
    fn nothing_that_is_read_does_harm(lines in prop::collection::vec("(line 3 |end |  |  0: |  0-9: )?(texels R8_UINT [0-9]{1,6}x[0-9]{1,4} at 0,0 probed 1|words [0-9]{1,9}|count 3|same as line 3|[0-9a-f]{8}\\*[0-9]{1,9})( of b)?", 0..6)) {
        let head = "glasm recording 1\nscript a\ntext 0\napi gl\ndevice d\ndriver v\noutcome pass\n";
        let _ = Recording::parse(&format!("{head}{}\n", lines.join("\n")));
    }
}
