//! Instructions retired: what a translation costs whatever else the machine does. valgrind counts them; one run of it measures everything.
//!
//! This program runs itself below valgrind with the word [`WORD`]. Every call of [`measured_work`] then makes a profile of its own,
//! numbered in the order of [`subjects`]. What is counted is the steady state: the compiler has seen the program before.

use super::{SEED, instructions, peers};
use glasm::{Compiler, Options, Source};
use glasm_tests::generator::{
    PrimitiveStage, Real, RegisterLanguage, Shape, Spelling, Variant, primitive_real, program,
    real, register_real,
};
use serde_json::{Value, json};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The word on the command line of the run below valgrind; `QUICK` follows for fewer programs.
pub(crate) const WORD: &str = "--retired";
/// Asks for fewer programs.
pub(crate) const QUICK: &str = "--quick";

/// Programs like real ones.
const REAL: usize = 300;
const QUICK_REAL: usize = 60;
/// Programs of each language that names registers.
const REGISTER: usize = 100;
const QUICK_REGISTER: usize = 30;
/// Sizes of each shape.
const SIZES: &[usize] = &[100, 1000, 10_000, 100_000];
const QUICK_SIZES: &[usize] = &[100, 1000];
/// naga takes time that grows with the square of the size, and valgrind makes it fifty times as long.
const NAGA_SIZES: [usize; 2] = [100, 1000];

/// Who translates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Who {
    /// This compiler, from assembly.
    Glasm,
    /// This compiler, from TGSI.
    Tgsi,
    /// naga, from GLSL.
    Naga,
}

/// Which family of programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    /// Programs like real ones.
    Real,
    /// A shape of any size.
    Shape(Shape),
    /// What naga takes, too.
    Peer(Variant),
    /// Programs that name registers, and the same ones that declare variables.
    Register(RegisterLanguage, Spelling),
    /// Programs like real ones of a stage between vertices and fragments.
    Primitive(PrimitiveStage),
}

/// What is measured.
pub(crate) struct Subject {
    pub(crate) family: Family,
    pub(crate) who: Who,
    /// Size that was asked for, or the number of the program.
    pub(crate) size: usize,
    pub(crate) operations: usize,
    text: String,
}

/// A subject with its cost.
pub(crate) struct Count {
    pub(crate) subject: Subject,
    pub(crate) retired: f64,
    /// SPIR-V instructions of the module.
    pub(crate) spirv: usize,
}

impl Count {
    /// For each instruction of the source.
    pub(crate) fn each(&self) -> f64 {
        self.retired / self.subject.operations as f64
    }
}

/// What a program costs: a part that all have, and a part for each instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Fit {
    pub(crate) fixed: f64,
    pub(crate) each: f64,
}

/// Least squares over the programs of a family.
pub(crate) fn fit(counts: &[Count], family: Family) -> Option<Fit> {
    let points: Vec<[f64; 2]> = counts
        .iter()
        .filter(|count| count.subject.family == family)
        .map(|count| [count.subject.operations as f64, count.retired])
        .collect();
    let number = points.len() as f64;
    let mean = [0, 1].map(|axis| points.iter().map(|point| point[axis]).sum::<f64>() / number);
    let spread = |axis: usize| {
        let product = |point: &[f64; 2]| (point[0] - mean[0]) * (point[axis] - mean[axis]);
        points.iter().map(product).sum::<f64>()
    };
    let each = spread(1) / spread(0);
    (points.len() > 1).then_some(Fit {
        fixed: mean[1] - each * mean[0],
        each,
    })
}

/// Everything that is measured, in order.
fn subjects(quick: bool) -> Vec<Subject> {
    let (reals, registers, sizes) = if quick {
        (QUICK_REAL, QUICK_REGISTER, QUICK_SIZES)
    } else {
        (REAL, REGISTER, SIZES)
    };
    let mut all: Vec<Subject> = (0..reals)
        .map(|number| real_subject(Family::Real, number, real(number)))
        .collect();
    for shape in Shape::ALL {
        all.extend(sizes.iter().map(|&size| {
            let (text, operations) = shape.program(size);
            Subject {
                family: Family::Shape(shape),
                who: Who::Glasm,
                size,
                operations,
                text,
            }
        }));
    }
    for variant in Variant::ALL {
        all.extend(NAGA_SIZES.iter().flat_map(|&size| peer(variant, size)));
    }
    for language in RegisterLanguage::ALL {
        for spelling in [Spelling::Registers, Spelling::Declared] {
            all.extend((0..registers).map(|number| register_subject(language, spelling, number)));
        }
    }
    for stage in PrimitiveStage::ALL {
        all.extend((0..registers).map(|number| {
            let real = primitive_real(stage, number);
            real_subject(Family::Primitive(stage), number, real)
        }));
    }
    all
}

fn register_subject(language: RegisterLanguage, spelling: Spelling, number: usize) -> Subject {
    let real = register_real(language, spelling, number);
    real_subject(Family::Register(language, spelling), number, real)
}

fn real_subject(family: Family, number: usize, real: Real) -> Subject {
    Subject {
        family,
        who: Who::Glasm,
        size: number,
        operations: real.instructions,
        text: real.text,
    }
}

fn peer(variant: Variant, size: usize) -> [Subject; 3] {
    let made = program(variant, size, SEED);
    let texts = [
        (Who::Glasm, made.assembly()),
        (Who::Tgsi, made.tgsi()),
        (Who::Naga, made.glsl()),
    ];
    texts.map(|(who, text)| Subject {
        family: Family::Peer(variant),
        who,
        size,
        operations: made.operations,
        text,
    })
}

/// The run below valgrind.
pub(crate) fn run_below_valgrind(quick: bool) {
    let mut compiler = Compiler::new();
    for subject in subjects(quick) {
        // Twice: the second time, growing is over.
        work(&mut compiler, &subject);
        if subject.size <= 10_000 {
            work(&mut compiler, &subject);
        }
        measured_work(&mut compiler, &subject);
    }
}

/// The function that valgrind watches: counts while it is open, and writes a profile when it ends.
#[inline(never)]
fn measured_work(compiler: &mut Compiler, subject: &Subject) {
    work(compiler, subject);
}

#[inline(never)]
fn work(compiler: &mut Compiler, subject: &Subject) {
    match subject.who {
        Who::Glasm | Who::Tgsi => {
            let source = Source::new("generated", &subject.text);
            drop(black_box(compiler.compile(&source, &Options::default())));
        }
        Who::Naga => drop(black_box(peers::naga(&subject.text))),
    }
}

/// Measures everything; without valgrind says so and gives nothing.
pub(crate) fn measure(quick: bool) -> Result<Vec<Count>, Box<dyn std::error::Error>> {
    let installed = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if !installed.is_ok_and(|status| status.success()) {
        skip();
        return Ok(Vec::new());
    }
    let folder = std::env::temp_dir().join(format!("glasm-retired-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let retired = profile(&folder, quick);
    std::fs::remove_dir_all(&folder)?;
    let retired = retired?;
    let subjects = subjects(quick);
    if retired.len() != subjects.len() {
        return Err(format!("{} of {} profiles", retired.len(), subjects.len()).into());
    }
    let counts = subjects.into_iter().zip(retired);
    Ok(counts
        .filter_map(|(subject, retired)| count(subject, retired))
        .collect())
}

#[expect(clippy::print_stdout, reason = "says why figures are missing")]
fn skip() {
    println!(
        "skipped: valgrind is not installed, so no instructions are counted (cargo xtask setup names its package)"
    );
}

/// What a program cost; `None` for one that is refused, because it is beyond a limit: to refuse it costs less than to translate it.
fn count(subject: Subject, retired: f64) -> Option<Count> {
    let source = Source::new("generated", &subject.text);
    let spirv = match subject.who {
        Who::Glasm | Who::Tgsi => glasm::compile(&source, &Options::default()).ok()?.words,
        Who::Naga => peers::naga(&subject.text).unwrap_or_default(),
    };
    Some(Count {
        spirv: instructions(&spirv),
        subject,
        retired,
    })
}

/// Runs this program below valgrind and reads what each profile adds up to.
fn profile(folder: &Path, quick: bool) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let out = folder.join("profile");
    let status = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--dump-line=no"])
        .args([
            "--toggle-collect=*measured_work",
            "--dump-after=*measured_work",
        ])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe()?)
        .arg(WORD)
        .args(quick.then_some(QUICK))
        .stderr(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!("valgrind: {status}").into());
    }
    let mut all = Vec::new();
    for number in 1.. {
        let path = PathBuf::from(format!("{}.{number}", out.display()));
        let Ok(text) = std::fs::read_to_string(&path) else {
            break;
        };
        all.extend(total(&text));
    }
    Ok(all)
}

/// What a profile adds up to; `None` for the empty one that ends the run.
fn total(profile: &str) -> Option<f64> {
    let line = profile.lines().rev().find_map(|line| {
        line.strip_prefix("totals: ")
            .or_else(|| line.strip_prefix("summary: "))
    })?;
    let total: f64 = line.trim().parse().ok()?;
    (total > 0.0).then_some(total)
}

/// All counts for other tools.
pub(crate) fn json(counts: &[Count]) -> Value {
    let row = |count: &Count| {
        json!({
            "family": format!("{:?}", count.subject.family),
            "who": format!("{:?}", count.subject.who),
            "size": count.subject.size,
            "operations": count.subject.operations,
            "retired": count.retired,
            "spirv_instructions": count.spirv,
        })
    };
    counts.iter().map(row).collect()
}
