//! How readable the code is, as far as numbers tell: `cargo xtask clarity`. It measures, and judges nothing.
//!
//! Modules under `#[cfg(test)]` count nowhere. Code that macros make is not seen.

mod circles;
mod functions;
mod modules;

use anyhow::{Context, Result};
use circles::Circle;
use functions::Functions;
use modules::Crate;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Folders of the crates that are measured; those that an older state has elsewhere are looked for there, too.
const CRATES: &[&[&str]] = &[
    &["compiler/ir"],
    &["compiler/frontend"],
    &["compiler/codegen"],
    &["compiler/glasm"],
    &["compiler/text"],
    &["compiler/capi"],
    &["scripts"],
    &["vkrunner"],
    &["glrunner"],
    &["cli", "compiler/cli"],
];

/// Parameters that a function has at most, itself counted.
const MOST_PARAMETERS: usize = 6;

/// Files that a circle has at most.
const MOST_FILES: usize = 4;

/// What was asked for.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The workspace to measure, if it is not this one.
    pub(crate) folder: Option<PathBuf>,
    /// What to print.
    pub(crate) output: Output,
}

/// How much is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Output {
    /// The table.
    #[default]
    Table,
    /// The functions and circles behind the numbers as well.
    Details,
}

/// What is measured of a crate.
struct Measured {
    name: String,
    files: usize,
    lines: Lines,
    functions: Functions,
    /// Circles of more files than there should be, by imports and by calls.
    circles: [Vec<Circle>; 2],
    family_questions: usize,
}

/// Kinds of lines.
#[derive(Clone, Copy, Default)]
struct Lines {
    all: usize,
    /// With code in them.
    code: usize,
    /// Comments other than documentation.
    comments: usize,
}

/// Measures and prints.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let root = options.folder.as_deref().unwrap_or(Path::new("."));
    let crates = CRATES.iter().filter_map(|places| {
        places
            .iter()
            .map(|place| root.join(place))
            .find(|it| it.is_dir())
    });
    let measured = crates
        .map(|folder| measure(&folder).with_context(|| format!("measuring {}", folder.display())))
        .collect::<Result<Vec<Measured>>>()?;
    print_table(&measured);
    if options.output == Output::Details {
        measured.iter().for_each(print_details);
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(folder: &Path) -> Result<Measured> {
    let code = Crate::read(&folder.join("src"))?;
    let mut measured = Measured {
        name: folder
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        files: code.modules.len(),
        lines: Lines::default(),
        functions: Functions::default(),
        circles: [
            large_circles(&code, &circles::imports(&code)),
            large_circles(&code, &circles::calls(&code)),
        ],
        family_questions: 0,
    };
    for module in &code.modules {
        let lines = count_lines(&module.text);
        measured.lines.all += lines.all;
        measured.lines.code += lines.code;
        measured.lines.comments += lines.comments;
        let found = functions::of(module);
        // Tables are kept by family.
        if module.path.first().is_none_or(|first| first != "lang") {
            measured.family_questions += found.family_questions;
        }
        measured.functions.list.extend(found.functions);
    }
    measured
        .functions
        .list
        .sort_by_key(|function| function.lines);
    Ok(measured)
}

fn large_circles(code: &Crate, graph: &circles::Graph) -> Vec<Circle> {
    let mut circles = circles::circles(code, graph);
    circles.retain(|files| files.len() > MOST_FILES);
    circles
}

/// The numbers of files of circles: `19 + 7`.
fn sizes(circles: &[Circle]) -> String {
    match circles {
        [] => "-".to_owned(),
        circles => (circles.iter().map(|files| files.len().to_string()))
            .collect::<Vec<_>>()
            .join(" + "),
    }
}

fn count_lines(text: &str) -> Lines {
    let mut lines = Lines::default();
    for line in text.lines() {
        let line = line.trim_start();
        lines.all += 1;
        if line.starts_with("///") || line.starts_with("//!") || line.is_empty() {
            continue;
        }
        match line.starts_with("//") {
            true => lines.comments += 1,
            false => lines.code += 1,
        }
    }
    lines
}

fn print_table(measured: &[Measured]) {
    println!(
        "| crate | files | lines | code | comments | functions | median | p90 | longest | > {MOST_PARAMETERS} parameters \
         | circles of files > {MOST_FILES}: imports | calls | asks for family |"
    );
    println!("|---|{}", "--:|".repeat(12));
    for it in measured {
        println!(
            "| {} | {} | {} | {} | {:.1} % | {} | {} | {} | {} | {} | {} | {} | {} |",
            it.name,
            it.files,
            it.lines.all,
            it.lines.code,
            100.0 * it.lines.comments as f64 / it.lines.all.max(1) as f64,
            it.functions.list.len(),
            it.functions.quantile(50),
            it.functions.quantile(90),
            it.functions.quantile(100),
            it.functions.with_many_parameters().count(),
            sizes(&it.circles[0]),
            sizes(&it.circles[1]),
            it.family_questions,
        );
    }
}

fn print_details(it: &Measured) {
    println!("\n{}", it.name);
    for function in it.functions.list.iter().rev().take(10) {
        println!("  {} lines: {}", function.lines, function.name);
    }
    for function in it.functions.with_many_parameters() {
        println!("  {} parameters: {}", function.parameters, function.name);
    }
    for (what, circles) in ["imports", "calls"].into_iter().zip(&it.circles) {
        for files in circles {
            println!("  circle by {what}:");
            for (file, needs) in files {
                println!("    {file} needs {}", needs.join(" "));
            }
        }
    }
}

#[cfg(test)]
mod tests;
