//! Any vertex program goes with any fragment program, as GL binds them: linked, and compiled apart with a complete interface. Every pair is
//! drawn both ways; what was compiled apart also through pipeline libraries and shader objects, which are made once for each program. The
//! validation layer looks on where there is one.
//!
//! What each way costs: `MESA_SHADER_CACHE_DISABLE=true cargo test --release -p glasm-tests --test pairs -- --ignored --nocapture`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod cost;
mod device;
mod vulkan;

use device::{Extension, Watched, take_messages};
use glasm::{Options, Program, Reflection, Semantic, Source, Target, Varyings, varying_location};
use glasm_tests::skip::skip;
use glasm_vkrunner::{Outcome, RunOptions, Runner};
use std::fmt::Write;
use std::path::Path;
use vulkan::{Drawn, Gpu, Linking, Part};

type Vector = [f32; 4];

/// What passes between the programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Varying {
    Color,
    Secondary,
    Fog,
    Tex0,
    Tex3,
    Generic5,
}

/// What a fragment program reads that nobody wrote.
const UNWRITTEN: Vector = [0.0, 0.0, 0.0, 1.0];

/// A vertex program, and what it writes.
const VERTEX: &[(&str, &[(Varying, Vector)])] = &[
    (
        "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND",
        &[],
    ),
    (
        "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, {1, 2, 3, 4};\nMOV result.fogcoord.x, {9, 0, 0, 0};\n\
         MOV result.texcoord[3], {14, 15, 16, 17};\nEND",
        &[
            (Varying::Color, [1.0, 2.0, 3.0, 4.0]),
            (Varying::Fog, [9.0, 0.0, 0.0, 1.0]),
            (Varying::Tex3, [14.0, 15.0, 16.0, 17.0]),
        ],
    ),
    (
        "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.attrib[5], {20, 21, 22, 23};\n\
         MOV result.color.secondary, {5, 6, 7, 8};\nEND",
        &[
            (Varying::Generic5, [20.0, 21.0, 22.0, 23.0]),
            (Varying::Secondary, [5.0, 6.0, 7.0, 8.0]),
        ],
    ),
    (
        "!!VP2.0\nMOV o[HPOS], v[OPOS];\nSGE o[COL0], v[OPOS].w, v[OPOS].w;\nSGE o[TEX0], v[OPOS].w, v[OPOS].w;\nEND",
        &[(Varying::Color, [1.0; 4]), (Varying::Tex0, [1.0; 4])],
    ),
    (
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[5]\nDCL OUT[2], TEXCOORD[0]\nIMM[0] FLT32 {2.0, 4.0, 6.0, 8.0}\n\
         MOV OUT[0], IN[0]\nMOV OUT[1], IMM[0]\nMOV OUT[2], IMM[0].wzyx\nEND",
        &[
            (Varying::Generic5, [2.0, 4.0, 6.0, 8.0]),
            (Varying::Tex0, [8.0, 6.0, 4.0, 2.0]),
        ],
    ),
];

/// A fragment program, and the varyings whose sum is its color.
const FRAGMENT: &[(&str, &[Varying])] = &[
    (
        "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND",
        &[Varying::Color],
    ),
    (
        "!!ARBfp1.0\nTEMP a;\nMOV a, fragment.fogcoord;\nADD result.color, a, fragment.texcoord[3];\nEND",
        &[Varying::Fog, Varying::Tex3],
    ),
    (
        "!!NVfp4.0\nTEMP a;\nMOV a, fragment.attrib[5];\nADD a, a, fragment.texcoord[0];\nADD result.color, a, fragment.color.secondary;\nEND",
        &[Varying::Generic5, Varying::Tex0, Varying::Secondary],
    ),
    (
        "!!FP1.0\nMOVR R0, f[COL0];\nADDR o[COLR], R0, f[TEX3];\nEND",
        &[Varying::Color, Varying::Tex3],
    ),
    (
        "FRAG\nDCL IN[0], GENERIC[5], LINEAR\nDCL IN[1], COLOR, LINEAR\nDCL OUT[0], COLOR\nADD OUT[0], IN[0], IN[1]\nEND",
        &[Varying::Generic5, Varying::Color],
    ),
    ("!!ARBfp1.0\nMOV result.color, {7, 7, 7, 7};\nEND", &[]),
];

/// The color of a fragment, by the values that the vertex program gives.
fn color(written: &[(Varying, Vector)], read: &[Varying]) -> Vector {
    let value = |varying: &Varying| {
        let found = written.iter().find(|(it, _)| it == varying);
        found.map_or(UNWRITTEN, |(_, value)| *value)
    };
    let values = read.iter().map(value);
    let sum = values.reduce(|a, b| [0, 1, 2, 3].map(|lane| a[lane] + b[lane]));
    sum.unwrap_or([7.0; 4])
}

fn script(vertex: &str, fragment: &str, separate: &str, expected: Vector) -> String {
    let [r, g, b, a] = expected;
    let mut text =
        format!("[require]\nSSO {separate}\nfbsize 2 2\nframebuffer R32G32B32A32_SFLOAT\n");
    writeln!(
        text,
        "[vertex program]\n{vertex}\n[fragment program]\n{fragment}\n[test]"
    )
    .unwrap();
    writeln!(text, "draw rect -1 -1 2 2\nprobe all rgba {r} {g} {b} {a}").unwrap();
    text
}

#[test]
fn every_pair_draws_linked_and_apart() {
    let runner = match Runner::new(&RunOptions::default()) {
        Ok(runner) => runner,
        Err(error) => return skip(error),
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pair.shader_test");
    let mut failed = String::new();
    for (number, (vertex, written)) in VERTEX.iter().enumerate() {
        for (other, (fragment, read)) in FRAGMENT.iter().enumerate() {
            for separate in ["ENABLED", "DISABLED"] {
                let text = script(vertex, fragment, separate, color(written, read));
                let name = format!("pair {number} {other}, apart {separate}");
                std::fs::write(&path, &text).unwrap();
                let report = runner.run_file(&path);
                if !matches!(report.outcome, Outcome::Pass) {
                    writeln!(failed, "{name}: {:?}\n{text}", report.outcome).unwrap();
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

/// Options of programs that are compiled apart: all locations that the programs know.
fn apart() -> Options {
    let generic = varying_location(Semantic::GenericVarying(5)).unwrap();
    let mut options = Options {
        target: Target::Vulkan1_3,
        ..Options::default()
    };
    options.interface.outputs = Varyings::AllLocations(Varyings::CONVENTIONAL | 1 << generic);
    options
}

fn load<T>(programs: &[(&str, T)]) -> Vec<Program> {
    let load = |(text, _): &(&str, T)| Program::load(&Source::new("pair", text)).unwrap();
    programs.iter().map(load).collect()
}

/// The modules of programs that are compiled apart. They need neither descriptors nor features: all go into one layout.
fn modules<T>(programs: &[(&str, T)]) -> Vec<Vec<u32>> {
    let compile = |program: &Program| {
        let shader = program.compile(&apart()).unwrap();
        let Reflection { requirements, .. } = &shader.reflection;
        assert!(glasm::layout::list_descriptors(&shader.reflection).is_empty());
        assert!(requirements.features.is_empty(), "{requirements:?}");
        shader.words
    };
    load(programs).iter().map(compile).collect()
}

/// Draws every pair; `prepare` gives what draws vertex program N with fragment program M.
fn draw_all(gpu: &Gpu, prepare: impl Fn(usize, usize) -> Drawn) {
    let mut failed = String::new();
    for (number, (_, written)) in VERTEX.iter().enumerate() {
        for (other, (_, read)) in FRAGMENT.iter().enumerate() {
            let found = gpu.draw(prepare(number, other)).unwrap();
            let expected = color(written, read);
            let is_near = |(found, expected): (&f32, &f32)| (found - expected).abs() < 1e-4;
            let is_right = |pixel: &Vector| pixel.iter().zip(&expected).all(is_near);
            if !found.iter().all(is_right) {
                writeln!(failed, "pair {number} {other}: {found:?}, not {expected:?}").unwrap();
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
    let messages = take_messages();
    assert!(messages.is_empty(), "{messages:#?}");
}

fn open(extension: Extension) -> Option<Gpu> {
    match Gpu::open(extension, Watched::Yes) {
        Ok(gpu) => {
            if !gpu.is_watched {
                skip(
                    "no validation layer is installed that knows the extension: its messages are not looked at",
                );
            }
            Some(gpu)
        }
        Err(error) => {
            skip(error);
            None
        }
    }
}

#[test]
fn every_pair_draws_through_pipeline_libraries() {
    let Some(gpu) = open(Extension::Libraries) else {
        return;
    };
    let library = |part| gpu.library(part).unwrap();
    let [vertex, fragment] = [modules(VERTEX), modules(FRAGMENT)];
    let vertex = vertex.iter().map(|words| library(Part::Vertex(words)));
    let fragment = fragment.iter().map(|words| library(Part::Fragment(words)));
    let (vertex, fragment): (Vec<_>, Vec<_>) = (vertex.collect(), fragment.collect());
    let (input, output) = (library(Part::Input), library(Part::Output));
    for linking in [Linking::Fast, Linking::Optimized] {
        draw_all(&gpu, |number, other| {
            let parts = [input, vertex[number], fragment[other], output];
            Drawn::Pipeline(gpu.link(parts, linking).unwrap())
        });
    }
}

#[test]
fn every_pair_draws_through_shader_objects() {
    let Some(gpu) = open(Extension::Objects) else {
        return;
    };
    let shader = |part| gpu.shader(part).unwrap();
    let [vertex, fragment] = [modules(VERTEX), modules(FRAGMENT)];
    let vertex = vertex.iter().map(|words| shader(Part::Vertex(words)));
    let fragment = fragment.iter().map(|words| shader(Part::Fragment(words)));
    let (vertex, fragment): (Vec<_>, Vec<_>) = (vertex.collect(), fragment.collect());
    draw_all(&gpu, |number, other| {
        Drawn::Shaders([vertex[number], fragment[other]])
    });
}
