//! Commands about transform feedback that are right and that are wrong.

use super::*;
use crate::probe::ComparisonOp;
use glasm::Capture;
use glasm::ir::Semantic;

fn parse(test: &str) -> Script {
    Script::parse(format!("[test]\n{test}").as_bytes())
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Returns line and message of the only error.
fn error(test: &str) -> (u32, String) {
    let script = format!("[test]\n{test}");
    let mut errors = Script::parse(script.as_bytes()).expect_err("the script is wrong");
    assert_eq!(errors.len(), 1, "{errors:?}");
    let error = errors.remove(0);
    (error.line - 1, error.message)
}

#[test]
fn captures_follow_each_other_in_a_buffer() {
    let script = parse(
        "xfb capture 0 result.position result.attrib[3].yz\nxfb capture 0 skip 2 result.pointsize\n\
         xfb capture 2 stream 1 result.color.back.secondary.w result.clip[4]\nxfb stride 2 64",
    );
    let capture = |semantic, first, count, buffer, offset, stream| Capture {
        semantic,
        first_component: first,
        component_count: count,
        buffer,
        offset,
        stream,
    };
    assert_eq!(
        script.feedback.captures,
        [
            capture(Semantic::Position, 0, 4, 0, 0, 0),
            capture(Semantic::GenericVarying(3), 1, 2, 0, 16, 0),
            capture(Semantic::PointSize, 0, 1, 0, 32, 0),
            capture(Semantic::BackColor(1), 3, 1, 2, 0, 1),
            capture(Semantic::ClipDistance(4), 0, 1, 2, 4, 1),
        ]
    );
    assert_eq!(script.feedback.strides, [0, 0, 64]);
    assert_eq!(script.feedback.stride(0), 36);
}

#[test]
fn one_draw_is_captured_without_rasterizing() {
    let script = parse("xfb 1 size 64\nxfb draw arrays GL_POINTS 0 3\ndraw rect -1 -1 2 2");
    let [begin, captured, end, plain] = &script.steps[..] else {
        panic!("four commands: {:?}", script.steps)
    };
    assert_eq!(begin.command, Command::BeginCapture);
    assert_eq!(end.command, Command::EndCapture);
    let discards = |step: &ScriptStep| {
        let Command::Draw(draw) = &step.command else {
            panic!("a draw")
        };
        draw.state.rasterizer_discard
    };
    assert!(discards(captured));
    assert!(!discards(plain));
    assert_eq!(script.captured_buffers(), [BufferId(0)].into());
}

#[test]
fn named_buffers_are_captured_into_while_bound() {
    let script =
        parse("buffer a size 64\nbuffer b size 64\nbind xfb 0 b 16 32\nxfb begin\nxfb end");
    assert_eq!(script.captured_buffers(), [BufferId(1)].into());
    let Command::BindBuffer { target, range } = &script.steps[0].command else {
        panic!("a binding")
    };
    assert_eq!(target.to_string(), "xfb 0:0");
    assert_eq!((range.offset, range.size), (16, Some(32)));
}

#[test]
fn counts_are_probed() {
    let script = parse(
        "xfb 0 size 64\nprobe xfb primitives == 3\nprobe xfb needed stream 2 >= 4\nprobe xfb bytes 1 < 48\n\
         probe xfb float 0 8 == 1 2\nprobe xfb buffer double 0 3 1.5\nxfb buffer object 2 128",
    );
    let counts: Vec<_> = script
        .steps
        .iter()
        .filter_map(|step| {
            if let Command::ProbeCapture {
                count,
                comparison,
                expected,
            } = &step.command
            {
                Some((*count, *comparison, *expected))
            } else {
                None
            }
        })
        .collect();
    assert_eq!(
        counts,
        [
            (
                CaptureCount::Primitives { stream: 0 },
                ComparisonOp::Equal,
                3
            ),
            (
                CaptureCount::Needed { stream: 2 },
                ComparisonOp::GreaterEqual,
                4
            ),
            (CaptureCount::Bytes { buffer: 1 }, ComparisonOp::Less, 48),
        ]
    );
    let Some(Command::ProbeBuffer {
        expected,
        comparison,
        ..
    }) = script.steps.last().map(|step| &step.command)
    else {
        panic!("a probe")
    };
    assert_eq!((expected.offset, *comparison), (24, ComparisonOp::Near));
    assert_eq!(script.buffers[1].size, 128);
}

const BAD_LINES: &[(&str, &str)] = &[
    (
        "xfb 16 size 4",
        "`16` is not the number of a transform feedback buffer, below 16",
    ),
    (
        "xfb capture 0",
        "a result, such as result.texcoord[0].xy, or `skip` is missing",
    ),
    (
        "xfb capture 0 result.nothing",
        "`result.nothing` is not a result, such as result.texcoord[0].xy, or `skip`",
    ),
    (
        "xfb capture 0 result.position.yx",
        "`result.position.yx` is not a result, such as result.texcoord[0].xy, or `skip`",
    ),
    (
        "xfb capture 0 result.fogcoord.y",
        "`result.fogcoord.y` is not a result, such as result.texcoord[0].xy, or `skip`",
    ),
    (
        "xfb capture 0 result.attrib[300]",
        "`result.attrib[300]` is not a result, such as result.texcoord[0].xy, or `skip`",
    ),
    (
        "xfb capture 0 skip 0 result.position",
        "`0` is not a number of components to skip",
    ),
    (
        "xfb capture 0 skip 16384 result.position",
        "vertices have at most 65536 bytes",
    ),
    (
        "xfb capture 0 stream 16 result.position",
        "`16` is not a stream, below 16",
    ),
    (
        "xfb stride 0 6",
        "`6` is not a number of bytes, a multiple of 4",
    ),
    ("xfb end", "there was no `xfb begin`"),
    ("xfb begin", "there is no `xfb end`"),
    ("xfb draw circle", "expected `rect` or `arrays`"),
    (
        "probe xfb primitives ~= 3",
        "`~=` is not a comparison other than ~=",
    ),
    (
        "probe xfb buffer int 0 0 1",
        "`int` is not `float` or `double`",
    ),
];

#[test]
fn bad_lines() {
    for (line, message) in BAD_LINES {
        assert_eq!(error(line).1, *message, "{line}");
    }
    assert_eq!(error("xfb begin\nxfb begin\nxfb end").0, 2);
    assert_eq!(
        error("xfb begin\nxfb draw rect 0 0 1 1\nxfb end").1,
        "draws after `xfb begin` are captured without `xfb`"
    );
    assert_eq!(
        error("buffer b size 8\nbind xfb 0 b 2").1,
        "transform feedback buffers start at multiples of 4 bytes"
    );
}

/// Parses a script with these lines in `[require]` and a vertex program.
fn with_streams(lines: &str, program: &str) -> Result<Script, Vec<ScriptError>> {
    Script::parse(format!("[require]\n{lines}\n{program}\n[test]\n").as_bytes())
}

const TGSI: &str = "[vertex program]\nVERT\nDCL OUT[0], POSITION\nDCL OUT[2..3], GENERIC[7]\nDCL OUT[4], CLIPDIST[1]\nEND";

#[test]
fn stream_outputs_name_registers() {
    let script = with_streams(
        "stream_output 3 1 2 0 1\nstream_output 4 1 3 1 0\nstream_output 0 0 4 2 2 3\nstream_stride 1 8",
        TGSI,
    )
    .unwrap();
    let capture = |semantic, first, count, buffer, offset, stream| Capture {
        semantic,
        first_component: first,
        component_count: count,
        buffer,
        offset,
        stream,
    };
    assert_eq!(
        script.feedback.captures,
        [
            capture(Semantic::GenericVarying(8), 1, 2, 0, 4, 0),
            capture(Semantic::ClipDistance(5), 0, 1, 1, 0, 0),
            capture(Semantic::ClipDistance(6), 0, 1, 1, 4, 0),
            capture(Semantic::ClipDistance(7), 0, 1, 1, 8, 0),
            capture(Semantic::Position, 0, 4, 2, 8, 3),
        ]
    );
    let strides = [0, 1, 2].map(|buffer| script.feedback.stride(buffer));
    assert_eq!(strides, [12, 32, 24]);
}

#[test]
fn stream_outputs_are_those_of_the_loaded_program() {
    let other = "[vertex program other]\nVERT\nDCL OUT[2], FOG\nEND\n[test]\nload vertex other";
    let text = format!("[require]\nstream_output 2 0 1 0 0\n{TGSI}\n{other}\n");
    let script = Script::parse(text.as_bytes()).unwrap();
    let semantic = |script: &Script| script.feedback.captures[0].semantic;
    assert_eq!(semantic(&script), Semantic::GenericVarying(7));
    assert_eq!(
        semantic(&script.with_loaded_programs(&[0])),
        Semantic::FogCoordVec4
    );
}

#[test]
fn wrong_stream_outputs_are_reported() {
    let error = |lines: &str, program: &str| {
        let mut errors = with_streams(lines, program).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        let error = errors.remove(0);
        (error.line, error.message)
    };
    let nowhere = "stream outputs are registers of a TGSI or IR program, and the last stage before rasterization has none";
    let output = "stream_output 2 0 1 0 0";
    assert_eq!(error(output, ""), (2, nowhere.to_owned()));
    let passed = format!("{TGSI}\n[geometry program passthrough]");
    assert_eq!(error(output, &passed), (2, nowhere.to_owned()));
    let missing = "the program has no output 9 that can be captured";
    assert_eq!(
        error(&format!("{output}\nstream_output 9 0 1 0 1"), TGSI),
        (3, missing.to_owned())
    );
    let both = format!("[require]\n{output}\n{TGSI}\n[test]\nxfb capture 0 result.position\n");
    let errors = Script::parse(both.as_bytes()).unwrap_err();
    assert_eq!(
        errors[0].message,
        "a script has either `stream_output` or `xfb capture`"
    );
    for line in [
        "stream_output 0 4 1 0 0",
        "stream_output 0 2 3 0 0",
        "stream_output 0 0 0 0 0",
        "stream_output 0 0 1 4 0",
        "stream_output 0 0 1 0 16384",
        "stream_output 0 0 1 0 0 4",
        "stream_output 0 0 1 0",
        "stream_stride 0 0",
        "stream_stride 4 1",
    ] {
        assert_eq!(error(line, TGSI).0, 2, "{line}");
    }
}
