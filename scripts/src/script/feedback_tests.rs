//! Commands about transform feedback that are right and that are wrong.

use super::*;
use crate::probe::Comparison;
use glasm::Capture;
use glasm::ir::Semantic;

fn parse(test: &str) -> Script {
    Script::parse(format!("[test]\n{test}").as_bytes())
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Line and message of the only error.
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
        first,
        count,
        buffer,
        offset,
        stream,
    };
    assert_eq!(
        script.feedback.captures,
        [
            capture(Semantic::Position, 0, 4, 0, 0, 0),
            capture(Semantic::Generic(3), 1, 2, 0, 16, 0),
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
    let discards = |step: &Step| {
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
            (CaptureCount::Primitives { stream: 0 }, Comparison::Equal, 3),
            (
                CaptureCount::Needed { stream: 2 },
                Comparison::GreaterEqual,
                4
            ),
            (CaptureCount::Bytes { buffer: 1 }, Comparison::Less, 48),
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
    assert_eq!((expected.offset, *comparison), (24, Comparison::Near));
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
