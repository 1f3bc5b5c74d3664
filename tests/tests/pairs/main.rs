//! Tests that any vertex program can be drawn with any fragment program, as GL binds them: linked, and
//! compiled separately with a complete interface. Every pair is drawn both ways; separate modules also
//! through pipeline libraries and shader objects, which are created once for each program. The
//! validation layer is enabled if one is installed.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[allow(dead_code, reason = "the benchmark `pair_pipelines` uses the rest")]
mod device;
mod programs;
#[allow(dead_code, reason = "the benchmark `pair_pipelines` uses the rest")]
mod vulkan;

use device::{Extension, Validation, take_messages};
use glasm_tests::skip::skip;
use glasm_vkrunner::{Outcome, RunOptions, Runner};
use programs::{FRAGMENT, VERTEX, Varying, Vector, modules};
use std::fmt::Write;
use std::path::Path;
use vulkan::{Drawn, Gpu, Linking, Part};

/// Value of varyings that the vertex program does not write.
const UNWRITTEN: Vector = [0.0, 0.0, 0.0, 1.0];

/// Returns the color of a fragment, from the values that the vertex program writes.
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

/// Draws every pair; `prepare` returns the pipeline or the shaders for vertex program N and fragment
/// program M.
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
    match Gpu::open(extension, Validation::Enabled) {
        Ok(gpu) => {
            if !gpu.has_validation {
                skip(
                    "no validation layer that supports the extension is installed: its messages are not checked",
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
