//! Programs that read and make vertices. What geometry programs emit is captured by transform feedback; tessellation evaluation programs run
//! for points of a grid, in any order, each of which is a pixel.

use super::{keep_result, parameters, words};
use glasm::ir::interp::{EmittedVertices, Environment, Interpreter, VertexOutputs};
use glasm::ir::primitive::{InputPrimitive, OutputPrimitive, TessMode};
use glasm::ir::testgen::{PATCH_VERTICES, RESULT_COUNT, TESS_SUBDIVISIONS, VERTEX_INPUT_COUNT};
use glasm::ir::{Id, InputId, Program, Semantic};
use std::fmt::Write;

/// Primitives that a geometry program gets.
const DRAWN: u32 = 2;

/// Passes the attributes on that stand for the inputs of vertices.
const VERTEX_PROGRAM: &str = "\
[vertex program ir]
program vertex
r0: output32 out0
r1: output32 out1
in0: attrib[0] unsigned
in1: attrib[1] unsigned
out0: generic[3] unsigned
out1: generic[4] unsigned
routine fn0 {
  r0.xyzw = mov.u32 in0.xyzw
  r1.xyzw = mov.u32 in1.xyzw
}
main fn0
";

/// Shows a result.
const FRAGMENT_PROGRAM: &str = "\
program fragment
r0: output32 out0
in0: generic[0] unsigned flat
out0: frag_color[0][0] unsigned
routine fn0 {
  r0.xyzw = mov.u32 in0.xyzw
}
main fn0
";

fn input(program: &Program, semantic: Semantic) -> InputId {
    let mut inputs = program.inputs.iter_enumerated();
    let found = inputs.find(|(_, input)| input.semantic == semantic);
    found.expect("generated programs have the input").0
}

/// The section of the vertices, as [`VERTEX_PROGRAM`] reads them.
fn vertex_data(program: &Program, vertices: &[VertexOutputs]) -> String {
    let mut text = "[vertex data]\n0/R32G32B32A32_UINT 1/R32G32B32A32_UINT\n".to_owned();
    let inputs: Vec<InputId> = (RESULT_COUNT..RESULT_COUNT + VERTEX_INPUT_COUNT)
        .map(|number| input(program, Semantic::GenericVarying(number as u8)))
        .collect();
    for vertex in vertices {
        for input in &inputs {
            text += &words(&vertex[input.index()].map(|lane| lane as u32));
        }
        text.push('\n');
    }
    text
}

/// The results of vertices in the order in which transform feedback captures them, one primitive after the other; and how many these are.
fn captured<'e>(
    strips: impl Iterator<Item = &'e Vec<VertexOutputs>>,
    primitive: OutputPrimitive,
) -> (usize, Vec<u32>) {
    let size = match primitive {
        OutputPrimitive::Points => 1,
        OutputPrimitive::LineStrip => 2,
        OutputPrimitive::TriangleStrip => 3,
    };
    let mut primitives = 0;
    let mut values = Vec::new();
    for strip in strips {
        for (number, corners) in strip.windows(size).enumerate() {
            let mut corners: Vec<&VertexOutputs> = corners.iter().collect();
            // Every second triangle of a strip is turned: its first corner stays.
            if size == 3 && number % 2 == 1 {
                corners.swap(1, 2);
            }
            primitives += 1;
            let lanes = corners.iter().flat_map(|vertex| &vertex[..RESULT_COUNT]);
            values.extend(lanes.flatten().map(|&lane| lane as u32));
        }
    }
    (primitives, values)
}

/// What is captured of the streams that are used, and what has to be there after the draw.
fn captures(emitted: &[EmittedVertices], primitive: OutputPrimitive) -> (String, String) {
    let (mut before, mut after) = (String::new(), String::new());
    for stream in 0..emitted[0].streams.len() {
        let strips = emitted.iter().flat_map(|run| &run.streams[stream]);
        let (primitives, values) = captured(strips, primitive);
        if primitives == 0 && stream > 0 {
            continue;
        }
        let (size, end) = (4 * (values.len() + 1), 4 * values.len());
        let _ = writeln!(before, "xfb {stream} size {size}");
        let _ = writeln!(before, "xfb {stream} fill uint 0xabcdef");
        let results = (0..RESULT_COUNT).map(|number| format!(" result.attrib[{number}]"));
        let results: String = results.collect();
        let _ = writeln!(before, "xfb capture {stream} stream {stream}{results}");
        let _ = writeln!(
            after,
            "probe xfb primitives stream {stream} == {primitives}"
        );
        if primitives > 0 {
            let _ = writeln!(after, "probe xfb uint {stream} 0 == {}", words(&values));
        }
        let _ = writeln!(after, "probe xfb uint {stream} {end} == 0xabcdef");
    }
    (before, after)
}

/// A geometry program with what it emits for some primitives.
pub(super) fn geometry_script(program: &Program, mut environment: Environment) -> String {
    let modes = program.modes;
    let interpreter = Interpreter::new(program).expect("generated programs verify");
    let number = input(program, Semantic::PrimitiveId).index();
    environment.inputs.resize(number + 1, [0; 4]);
    let (mut vertices, mut emitted) = (Vec::new(), Vec::new());
    for primitive in 0..DRAWN {
        environment.inputs[number][0] = u64::from(primitive);
        vertices.extend_from_slice(&environment.vertices);
        let run = interpreter.run_primitive(&mut environment);
        emitted.push(run.expect("generated programs end"));
        // The next primitive has its vertices in another order, and none of them as it was.
        environment.vertices.reverse();
        let lanes = environment.vertices.iter_mut().flatten().flatten();
        lanes.for_each(|lane| *lane ^= 0x55);
    }
    let topology = match modes.primitive_in {
        InputPrimitive::Points => "GL_POINTS",
        InputPrimitive::Lines => "GL_LINES",
        InputPrimitive::LinesAdjacency => "GL_LINES_ADJACENCY",
        InputPrimitive::Triangles => "GL_TRIANGLES",
        InputPrimitive::TrianglesAdjacency => "GL_TRIANGLES_ADJACENCY",
        InputPrimitive::Patches => unreachable!("no such program is generated"),
    };
    let (before, after) = captures(&emitted, modes.primitive_out);
    format!(
        "{VERTEX_PROGRAM}[geometry program ir]\n{program}\n{}[test]\n{}{before}xfb draw arrays {topology} 0 {}\n{after}",
        vertex_data(program, &vertices),
        parameters("gp", &environment, 0),
        vertices.len(),
    )
}

/// Coordinates of the points at which a program runs, in parts. Triangles have corners only: others are no parts of a binary fraction.
fn points(mode: TessMode) -> Vec<[u32; 3]> {
    let grid = |columns: u32, rows: u32| {
        let rows = (0..rows).flat_map(|v| (0..columns).map(move |u| [u, v, 0]));
        rows.collect()
    };
    match mode {
        TessMode::Triangles => (0..3)
            .map(|corner| std::array::from_fn(|lane| TESS_SUBDIVISIONS * u32::from(lane == corner)))
            .collect(),
        TessMode::Quads => grid(TESS_SUBDIVISIONS + 1, TESS_SUBDIVISIONS + 1),
        // The edge of the last coordinate has no line.
        TessMode::Isolines => grid(TESS_SUBDIVISIONS + 1, TESS_SUBDIVISIONS),
    }
}

/// A tessellation evaluation program with one of its results at each point of the subdivision.
pub(super) fn eval_script(seed: u64, mut program: Program, mut environment: Environment) -> String {
    let kept = seed as usize % RESULT_COUNT;
    keep_result(&mut program, kept);
    let interpreter = Interpreter::new(&program).expect("generated programs verify");
    let coordinate = input(&program, Semantic::TessCoord).index();
    let mode = program.modes.tess_mode;
    let mut probes = String::new();
    for point in points(mode) {
        let lanes = point.map(|part| u64::from((part as f32 / TESS_SUBDIVISIONS as f32).to_bits()));
        environment.inputs[coordinate][..3].copy_from_slice(&lanes);
        let run = interpreter.run_main(&mut environment);
        let outcome = run.expect("generated programs end");
        let result = outcome.outputs[kept].map(|lane| lane as u32);
        let [x, y, _] = point;
        let _ = writeln!(probes, "probe rgba {} {} {}", x + 1, y + 1, words(&result));
    }
    let level = match mode {
        TessMode::Triangles => 1,
        TessMode::Quads | TessMode::Isolines => TESS_SUBDIVISIONS,
    };
    format!(
        "[require]\nfbsize 8 8\nframebuffer R32G32B32A32_UINT\n{VERTEX_PROGRAM}[tess eval program ir]\n{program}\n\
         [fragment program ir]\n{FRAGMENT_PROGRAM}\n{}[test]\n{}tolerance 0\nclear\npatch parameter vertices {PATCH_VERTICES}\n\
         patch parameter default level outer {level} {level} {level} {level}\n\
         patch parameter default level inner {level} {level}\ndraw arrays PATCHES 0 {PATCH_VERTICES}\n{probes}",
        vertex_data(&program, &environment.vertices),
        parameters("tep", &environment, 0),
    )
}
