//! What it costs to bring all pairs to the device, each way: a measurement, on which nothing depends.
#![expect(clippy::print_stdout, reason = "prints its figures")]

use crate::device::{Extension, Watched};
use crate::vulkan::{Drawn, Gpu, Linking, Part};
use crate::{FRAGMENT, VERTEX, apart, load, modules};
use ash::vk;
use glasm::{Compiler, Options, Program, Target};
use glasm_tests::skip::skip;
use std::time::{Duration, Instant};

/// Times that everything is done; the shortest time of each counts.
const ROUNDS: usize = 15;

/// The way that the others are compared with.
const UNIT: &str = "pipelines of linked modules";

/// The shortest time of each step, in the order in which steps were met.
#[derive(Default)]
struct Times(Vec<(String, Duration)>);

impl Times {
    fn run<T>(&mut self, step: impl Into<String>, body: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let made = body();
        let (step, time) = (step.into(), start.elapsed());
        match self.0.iter_mut().find(|row| row.0 == step) {
            Some(row) => row.1 = row.1.min(time),
            None => self.0.push((step, time)),
        }
        made
    }

    /// Makes pipelines, and draws with each of them for the first time.
    fn make(&mut self, gpu: &Gpu, way: &str, body: impl FnOnce() -> Vec<vk::Pipeline>) {
        let pipelines = self.run(way, body);
        self.run(format!("{way}, first draws"), || {
            for pipeline in pipelines {
                gpu.draw(Drawn::Pipeline(pipeline)).unwrap();
            }
        });
    }

    fn print(&self) {
        let unit = self.0.iter().find(|row| row.0 == UNIT).unwrap().1;
        for (step, time) in &self.0 {
            let (time, unit) = (time.as_secs_f64(), unit.as_secs_f64());
            println!("{:9.3}  {:10.1} us  {step}", time / unit, time * 1e6);
        }
    }
}

/// All pairs.
fn pairs<'a, T>(vertex: &'a [T], fragment: &'a [T]) -> Vec<(&'a T, &'a T)> {
    let with = |first| fragment.iter().map(move |second| (first, second));
    vertex.iter().flat_map(with).collect()
}

/// The modules of all pairs, compiled together; that of all programs, compiled apart, only takes its time.
fn emit(times: &mut Times, vertex: &[Program], fragment: &[Program]) -> Vec<Vec<Vec<u32>>> {
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
            compiler.compile_program(program, &apart()).unwrap();
        }
    });
    linked
}

/// Makes pipelines of modules that were compiled apart, whole and of libraries, and draws with them.
fn draw_apart(times: &mut Times, gpu: &Gpu) {
    let (vertex, fragment) = (modules(VERTEX), modules(FRAGMENT));
    times.make(gpu, "pipelines of complete modules", || {
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
    times.make(gpu, "pipelines of libraries", || link(Linking::Fast));
    times.make(gpu, "pipelines of libraries, optimized", || {
        link(Linking::Optimized)
    });
}

#[test]
#[ignore = "a measurement"]
fn what_each_way_costs() {
    let gpu = match Gpu::open(Extension::Libraries, Watched::No) {
        Ok(gpu) => gpu,
        Err(error) => return skip(error),
    };
    let (vertex, fragment) = (load(VERTEX), load(FRAGMENT));
    let mut times = Times::default();
    for _ in 0..ROUNDS {
        let linked = emit(&mut times, &vertex, &fragment);
        times.make(&gpu, UNIT, || {
            let make = |stages: &Vec<Vec<u32>>| gpu.whole(&stages[0], &stages[1]).unwrap();
            linked.iter().map(make).collect()
        });
        draw_apart(&mut times, &gpu);
    }
    let (count, programs) = (vertex.len() * fragment.len(), vertex.len() + fragment.len());
    println!("{}: {count} pairs of {programs} programs", gpu.name);
    times.print();
}
