//! Time that all pairs of the programs of the test `pairs` take: modules, pipelines and first draws,
//! for linked pairs, for separate modules, and for pipeline libraries. docs/embedding.md has a table of
//! the results.
#![allow(clippy::unwrap_used, reason = "a measurement may panic")]
#![expect(clippy::print_stdout, reason = "prints its figures")]

#[path = "../tests/pairs/device.rs"]
#[expect(dead_code, reason = "the test uses all of it")]
mod device;
#[path = "../tests/pairs/programs.rs"]
mod programs;
#[path = "../tests/pairs/vulkan.rs"]
#[expect(dead_code, reason = "the test uses all of it")]
mod vulkan;

use crate::device::{Extension, Validation};
use crate::programs::{FRAGMENT, VERTEX, load, modules, separate_options};
use crate::vulkan::{Drawn, Gpu, Linking, Part};
use ash::vk;
use glasm::{Compiler, Options, Program, Target};
use glasm_tests::skip::skip;
use std::time::{Duration, Instant};

/// Number of measurements; the shortest time of each step is printed.
const ROUNDS: usize = 15;

/// Step to which the others are compared.
const UNIT: &str = "pipelines of linked modules";

/// Shortest time of each step, in the order in which they were first executed.
#[derive(Default)]
struct Times(Vec<(String, Duration)>);

impl Times {
    /// Executes and measures a step.
    fn run<T>(&mut self, step: impl Into<String>, body: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = body();
        let (step, time) = (step.into(), start.elapsed());
        match self.0.iter_mut().find(|row| row.0 == step) {
            Some(row) => row.1 = row.1.min(time),
            None => self.0.push((step, time)),
        }
        result
    }

    /// Creates pipelines, and draws with each of them for the first time.
    fn create_and_draw(&mut self, gpu: &Gpu, step: &str, body: impl FnOnce() -> Vec<vk::Pipeline>) {
        let pipelines = self.run(step, body);
        self.run(format!("{step}, first draws"), || {
            for pipeline in pipelines {
                gpu.draw(Drawn::Pipeline(pipeline)).unwrap();
            }
        });
    }

    /// Prints the times, and their ratios to that of [`UNIT`].
    fn print(&self) {
        let unit = self.0.iter().find(|row| row.0 == UNIT).unwrap().1;
        for (step, time) in &self.0 {
            let (time, unit) = (time.as_secs_f64(), unit.as_secs_f64());
            println!("{:9.3}  {:10.1} us  {step}", time / unit, time * 1e6);
        }
    }
}

/// Returns all pairs.
fn pairs<'a, T>(vertex: &'a [T], fragment: &'a [T]) -> Vec<(&'a T, &'a T)> {
    let with = |first| fragment.iter().map(move |second| (first, second));
    vertex.iter().flat_map(with).collect()
}

/// Compiles all programs separately, and all pairs together, and returns the modules of the pairs.
fn compile_all(times: &mut Times, vertex: &[Program], fragment: &[Program]) -> Vec<Vec<Vec<u32>>> {
    let mut compiler = Compiler::new();
    let options = Options {
        target: Target::Vulkan1_3,
        ..Options::default()
    };
    let linked = times.run("modules of all pairs, linked", || {
        let mut link = |(vertex, fragment)| {
            let linked = compiler.link(&[vertex, fragment], &options);
            let shaders = linked.stages.into_iter().map(|shader| shader.unwrap());
            shaders.map(|shader| shader.words).collect()
        };
        let all = pairs(vertex, fragment).into_iter();
        all.map(&mut link).collect()
    });
    times.run("modules of all programs, complete", || {
        for program in vertex.iter().chain(fragment) {
            compiler
                .compile_program(program, &separate_options())
                .unwrap();
        }
    });
    linked
}

/// Creates pipelines of separate modules, complete and from libraries, and draws with them.
fn draw_separate(times: &mut Times, gpu: &Gpu) {
    let (vertex, fragment) = (modules(VERTEX), modules(FRAGMENT));
    times.create_and_draw(gpu, "pipelines of complete modules", || {
        let all = pairs(&vertex, &fragment).into_iter();
        all.map(|(vertex, fragment)| gpu.whole(vertex, fragment).unwrap())
            .collect()
    });
    let library = |part| gpu.library(part).unwrap();
    let (vertex, fragment, [first, last]) = times.run("libraries of all programs", || {
        let vertex = vertex.iter().map(|words| library(Part::Vertex(words)));
        let fragment = fragment.iter().map(|words| library(Part::Fragment(words)));
        let ends = [Part::Input, Part::Output].map(library);
        (
            vertex.collect::<Vec<_>>(),
            fragment.collect::<Vec<_>>(),
            ends,
        )
    });
    let link = |linking| {
        let all = pairs(&vertex, &fragment).into_iter();
        all.map(|(vertex, fragment)| {
            let parts = [first, *vertex, *fragment, last];
            gpu.link(parts, linking).unwrap()
        })
        .collect()
    };
    times.create_and_draw(gpu, "pipelines of libraries", || link(Linking::Fast));
    times.create_and_draw(gpu, "pipelines of libraries, optimized", || {
        link(Linking::Optimized)
    });
}

fn main() {
    let gpu = match Gpu::open(Extension::Libraries, Validation::Disabled) {
        Ok(gpu) => gpu,
        Err(error) => return skip(error),
    };
    let (vertex, fragment) = (load(VERTEX), load(FRAGMENT));
    let mut times = Times::default();
    for _ in 0..ROUNDS {
        let linked = compile_all(&mut times, &vertex, &fragment);
        times.create_and_draw(&gpu, UNIT, || {
            let create = |stages: &Vec<Vec<u32>>| gpu.whole(&stages[0], &stages[1]).unwrap();
            linked.iter().map(create).collect()
        });
        draw_separate(&mut times, &gpu);
    }
    let (count, programs) = (vertex.len() * fragment.len(), vertex.len() + fragment.len());
    println!("{}: {count} pairs of {programs} programs", gpu.name);
    times.print();
}
