//! Transform feedback: decorations, copies, and what is refused.

use crate::support::*;
use glasm_codegen::options::{Capture, ClipDepth, InterfaceTypes, TransformFeedback, Varyings};
use glasm_codegen::{ErrorKind, Options, emit};
use glasm_ir::*;

/// A program that writes these results.
fn vertex(semantics: &[Semantic]) -> Program {
    let mut m = Make::new(Stage::Vertex);
    let input = m.input(Semantic::VertexAttribute(0));
    for semantic in semantics {
        let output = m.output(*semantic);
        m.f(Op::Mov, d(output, "xyzw"), &[input]);
    }
    m.finish()
}

fn capture(semantic: Semantic, components: std::ops::Range<u8>, offset: u32) -> Capture {
    Capture {
        semantic,
        first_component: components.start,
        component_count: components.end - components.start,
        buffer: 0,
        offset,
        stream: 0,
    }
}

fn options(captures: Vec<Capture>, strides: &[u32]) -> Options {
    Options {
        transform_feedback: TransformFeedback {
            captures,
            strides: strides.to_vec(),
        },
        ..Options::default()
    }
}

#[test]
fn buffers_without_captures_have_no_stride() {
    assert_eq!(TransformFeedback::default().stride(0), 0);
    let feedback = TransformFeedback {
        captures: Vec::new(),
        strides: vec![0, 12],
    };
    assert_eq!([0, 1, 2].map(|buffer| feedback.stride(buffer)), [0, 12, 0]);
}

/// `Location`, `XfbBuffer`, `XfbStride` and `Offset` of all captured variables, in order of offsets; built-ins have no location.
fn captured(text: &str) -> Vec<(Option<u32>, u32, u32, u32)> {
    let decorations: Vec<(&str, &str, u32)> = text
        .lines()
        .filter_map(|line| {
            let mut words = line.strip_prefix("OpDecorate ")?.split_whitespace();
            Some((words.next()?, words.next()?, words.next()?.parse().ok()?))
        })
        .collect();
    let find = |id, name| {
        let mut found = decorations
            .iter()
            .filter(|row| row.0 == id && row.1 == name);
        let value = found.next().map(|row| row.2);
        assert!(found.next().is_none(), "{id} has two {name}");
        value
    };
    let mut rows: Vec<_> = decorations
        .iter()
        .filter(|row| row.1 == "XfbBuffer")
        .map(|row| {
            let stride = find(row.0, "XfbStride").unwrap();
            let offset = find(row.0, "Offset").unwrap();
            (find(row.0, "Location"), row.2, stride, offset)
        })
        .collect();
    rows.sort_by_key(|row| (row.1, row.3));
    rows
}

fn text(program: &Program, options: &Options) -> String {
    disassemble(&check_with(program, options).words)
}

fn refusal(program: &Program, captures: Vec<Capture>, strides: &[u32]) -> (ErrorKind, String) {
    let error = emit(program, &options(captures, strides)).unwrap_err();
    (error.kind, error.message)
}

#[test]
fn whole_results_are_captured_in_place() {
    let program = vertex(&[
        Semantic::Position,
        Semantic::PointSize,
        Semantic::TexCoord(1),
    ]);
    let captures = vec![
        capture(Semantic::Position, 0..4, 0),
        capture(Semantic::PointSize, 0..1, 16),
        capture(Semantic::TexCoord(1), 0..4, 24),
    ];
    let text = text(&program, &options(captures, &[]));
    // Texture coordinate set 1 is varying location 6; 4 bytes are skipped before it.
    assert_eq!(
        captured(&text),
        [(None, 0, 40, 0), (None, 0, 40, 16), (Some(6), 0, 40, 24)]
    );
    assert_eq!(count(&text, "Xfb"), 1);
    assert!(text.contains("OpCapability TransformFeedback"));
    assert_eq!(count(&text, "OpStore"), 3);
}

#[test]
fn parts_are_copied_to_free_locations() {
    let program = vertex(&[
        Semantic::Position,
        Semantic::GenericVarying(17),
        Semantic::ClipDistance(2),
    ]);
    let captures = vec![
        capture(Semantic::GenericVarying(17), 1..3, 0),
        capture(Semantic::ClipDistance(2), 0..1, 8),
        capture(Semantic::GenericVarying(17), 0..4, 12),
        capture(Semantic::GenericVarying(17), 0..4, 28),
    ];
    let text = text(&program, &options(captures, &[64]));
    // Generic varying 17 has location 4.
    assert_eq!(
        captured(&text),
        [
            (Some(27), 0, 64, 0),
            (Some(26), 0, 64, 8),
            (Some(4), 0, 64, 12),
            (Some(25), 0, 64, 28)
        ]
    );
}

#[test]
fn positions_are_captured_before_their_depth_is_remapped() {
    let program = vertex(&[Semantic::Position]);
    let mut options = options(vec![capture(Semantic::Position, 0..4, 0)], &[]);
    assert_eq!(captured(&text(&program, &options)), [(None, 0, 16, 0)]);
    options.conventions.clip_depth = ClipDepth::NegativeOneToOne;
    assert_eq!(captured(&text(&program, &options)), [(Some(27), 0, 16, 0)]);
}

#[test]
fn separate_buffers_have_their_own_strides() {
    let program = vertex(&[Semantic::Position, Semantic::Color(0), Semantic::Layer]);
    let mut captures = vec![
        capture(Semantic::Position, 0..3, 0),
        capture(Semantic::Color(0), 0..4, 0),
        capture(Semantic::Layer, 0..1, 4),
    ];
    for (capture, buffer) in captures.iter_mut().zip([0, 3, 1]) {
        capture.buffer = buffer;
    }
    let module = check_with(&program, &options(captures, &[20, 0, 0, 0]));
    let text = disassemble(&module.words);
    assert_eq!(
        captured(&text),
        [
            (Some(27), 0, 20, 0),
            (Some(26), 1, 8, 4),
            (Some(0), 3, 16, 0)
        ]
    );
    let features = &module.reflection.requirements.features;
    assert!(features.contains(&"transformFeedback"), "{features:?}");
    assert!(!features.contains(&"geometryStreams"), "{features:?}");
}

#[test]
fn nothing_captured_needs_nothing() {
    let text = text(&vertex(&[Semantic::Position]), &options(vec![], &[16]));
    assert_eq!(count(&text, "Xfb"), 0);
    assert!(!text.contains("TransformFeedback"));
}

/// The refusal of captures by a program that writes a position, a point size and a fog coordinate.
fn refused(captures: Vec<Capture>, strides: &[u32]) -> String {
    let program = vertex(&[Semantic::Position, Semantic::PointSize, Semantic::FogCoord]);
    let (kind, message) = refusal(&program, captures, strides);
    assert_eq!(kind, ErrorKind::Unsupported);
    message
}

/// NV_transform_feedback: the values of such results are undefined; the layout is that of the list.
#[test]
fn results_that_the_program_does_not_write_keep_their_places() {
    let captures = vec![
        capture(Semantic::Color(0), 0..4, 0),
        capture(Semantic::Position, 0..4, 16),
        capture(Semantic::FogCoord, 0..1, 32),
    ];
    let text = text(&vertex(&[Semantic::Position]), &options(captures, &[]));
    assert_eq!(captured(&text), [(None, 0, 36, 16)]);
}

#[test]
fn vertex_ids_are_captured_as_integers_and_passed_on_where_there_is_room() {
    let program = vertex(&[Semantic::Position, Semantic::VertexId]);
    let captures = vec![capture(Semantic::VertexId, 0..1, 0)];
    let text = text(&program, &options(captures, &[]));
    assert_eq!(captured(&text), [(Some(27), 0, 4, 0)]);
    let outputs = |program| {
        let plain = self::text(program, &options(vec![], &[]));
        let variables = plain.lines().filter(|line| line.contains("OpVariable"));
        variables.filter(|line| line.ends_with("Output")).count()
    };
    assert_eq!(outputs(&program), 2);
    // Both have location 3 of the fixed table.
    let with_color = [
        Semantic::Position,
        Semantic::VertexId,
        Semantic::BackColor(1),
    ];
    assert_eq!(outputs(&vertex(&with_color)), 2);
}

#[test]
fn components_that_do_not_exist_are_refused() {
    for (semantic, components, message) in [
        (
            Semantic::Position,
            2..5,
            "Position has 4 components to capture",
        ),
        (
            Semantic::Position,
            0..0,
            "Position has 4 components to capture",
        ),
        (
            Semantic::PointSize,
            0..2,
            "PointSize has 1 components to capture",
        ),
        (
            Semantic::FogCoord,
            1..2,
            "FogCoord has 1 components to capture",
        ),
    ] {
        assert_eq!(
            refused(vec![capture(semantic, components, 0)], &[]),
            message
        );
    }
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let one = m.float(1.0);
    m.f(Op::Mov, d(color, "xyzw"), &[one]);
    assert_eq!(
        refusal(&m.finish(), vec![capture(Semantic::Position, 0..4, 0)], &[]).1,
        "results of fragment programs cannot be captured"
    );
}

#[test]
fn places_that_do_not_fit_are_refused() {
    let position = |components, offset| capture(Semantic::Position, components, offset);
    assert_eq!(
        refused(vec![position(0..4, 2)], &[]),
        "the offset 2 of a capture is not a multiple of 4"
    );
    assert_eq!(
        refused(vec![position(0..1, 0)], &[6]),
        "the stride of transform feedback buffer 0 is not a multiple of 4"
    );
    assert_eq!(
        refused(vec![position(0..4, 4)], &[16]),
        "the capture of Position reaches to byte 20 of a vertex, which has 16 bytes in transform feedback buffer 0"
    );
    assert_eq!(
        refused(vec![position(0..4, 0), position(1..2, 12)], &[]),
        "two captures overlap at byte 12 of transform feedback buffer 0"
    );
    let stream = Capture {
        stream: 1,
        ..position(0..4, 0)
    };
    assert_eq!(
        refused(vec![stream], &[]),
        "vertex programs have only stream 0"
    );
}

#[test]
fn copies_need_free_locations() {
    let all: Vec<Semantic> = [Semantic::Position]
        .into_iter()
        .chain((0..=30).map(Semantic::GenericVarying))
        .collect();
    let program = vertex(&all);
    let whole = (0..31).map(|n| capture(Semantic::GenericVarying(n), 0..4, 16 * u32::from(n)));
    check_with(&program, &options(whole.collect(), &[]));
    let (kind, message) = refusal(
        &program,
        vec![capture(Semantic::GenericVarying(4), 0..3, 0)],
        &[],
    );
    assert_eq!(kind, ErrorKind::Limit);
    assert_eq!(
        message,
        "there are not enough free varying locations for what is captured"
    );
}

/// What the program writes is captured, though points have another size.
#[test]
fn sizes_that_are_not_drawn_are_captured() {
    let program = vertex(&[Semantic::PointSize]);
    let mut options = options(vec![capture(Semantic::PointSize, 0..1, 0)], &[]);
    let in_place = text(&program, &options);
    assert_eq!(captured(&in_place), [(None, 0, 4, 0)]);
    options.pipeline_state.forced_point_size = Some(3.0.into());
    let copied = text(&program, &options);
    assert!(matches!(captured(&copied)[..], [(Some(_), 0, 4, 0)]));
}

#[test]
fn every_result_can_be_captured() {
    let scalars = [
        Semantic::PointSize,
        Semantic::ClipDistance(5),
        Semantic::Layer,
        Semantic::ViewportIndex,
        Semantic::FogCoord,
    ];
    let vectors = [
        Semantic::Position,
        Semantic::Color(1),
        Semantic::BackColor(0),
        Semantic::TexCoord(7),
        Semantic::GenericVarying(3),
    ];
    let all: Vec<Semantic> = scalars.into_iter().chain(vectors).collect();
    let program = vertex(&all);
    for semantic in all {
        let components = if scalars.contains(&semantic) { 1 } else { 4 };
        for end in 1..=components {
            let whole = options(vec![capture(semantic, 0..end, 0)], &[]);
            let text = text(&program, &whole);
            assert_eq!(captured(&text).len(), 1, "{semantic:?} {end}");
        }
    }
}

/// A result that no stage reads costs only the components that are captured.
#[test]
fn what_is_neither_read_nor_captured_is_not_computed() {
    let mut m = Make::new(Stage::Vertex);
    let input = m.input(Semantic::VertexAttribute(0));
    let result = m.output(Semantic::GenericVarying(17));
    m.f(Op::Sqrt, d(result, "xyzw"), &[input.swizzled(swizzle("x"))]);
    let program = m.finish();
    for (captures, roots) in [
        (vec![], 0),
        (vec![capture(Semantic::GenericVarying(17), 1..2, 0)], 1),
    ] {
        let options = Options {
            interface: InterfaceTypes {
                outputs: Varyings::Packed(vec![]),
                ..InterfaceTypes::default()
            },
            ..options(captures, &[])
        };
        assert_eq!(count(&text(&program, &options), "Sqrt"), roots);
    }
}
