//! Panda3D with a shader of Cg: its window must show the same image as on the driver alone.

use crate::picture::ClientImage;
use crate::support::{self, Vendor, Window};
use glasm_tests::cg;
use libtest_mimic::{Completion, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Edge of its window.
const SIZE: usize = 192;

/// An image with fewer colors is considered empty.
const LEAST_COLORS: usize = 1000;

/// Profiles that it selects from the supported ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Profiles {
    /// The newest ones: gp5vp and gp5fp, or glslv and glslf on the driver alone.
    Newest,
    /// arbvp1 and arbfp1.
    Basic,
}

/// One run of it.
struct PandaRun {
    name: &'static str,
    vendor: Vendor,
    profiles: Profiles,
    /// Messages of the library about the programs, if it executes them.
    loads: Option<[&'static str; 2]>,
}

/// The reference comes first.
const RUNS: [PandaRun; 5] = [
    PandaRun {
        name: "glsl",
        vendor: Vendor::Mesa,
        profiles: Profiles::Newest,
        loads: None,
    },
    PandaRun {
        name: "arb_driver",
        vendor: Vendor::Mesa,
        profiles: Profiles::Basic,
        loads: None,
    },
    PandaRun {
        name: "arb",
        vendor: Vendor::Glasm,
        profiles: Profiles::Basic,
        loads: None,
    },
    PandaRun {
        name: "arb_alone",
        vendor: Vendor::GlasmAlone,
        profiles: Profiles::Basic,
        loads: Some(["ArbVp1_0", "ArbFp1_0"]),
    },
    PandaRun {
        name: "gp5",
        vendor: Vendor::Glasm,
        profiles: Profiles::Newest,
        loads: Some(["NvVp5_0", "NvFp5_0"]),
    },
];

/// Returns one test for each run except for the reference.
pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    RUNS[1..].iter().map(|run| {
        let name = format!("panda3d::{}", run.name);
        Trial::ignorable_test(name, move || compare(run))
    })
}

/// Returns the Python that the modules of the package are for.
fn python() -> String {
    format!("python{}", cg::PYTHON)
}

fn compare(run: &PandaRun) -> Result<Completion, Failed> {
    if Command::new(python()).arg("--version").output().is_err() {
        let reason = format!("{} is not installed", python());
        return Ok(Completion::ignored_with(reason));
    }
    let [reference, picture] = [
        draw_window(&RUNS[0], run.name)?,
        draw_window(run, run.name)?,
    ];
    let colors = reference.colors();
    if colors < LEAST_COLORS {
        return Err(format!("the reference has {colors} colors only").into());
    }
    match reference.distance(&picture) {
        Some(distance) if distance.different == 0 => Ok(Completion::Completed),
        distance => Err(format!("{distance:?}").into()),
    }
}

/// Runs it for a test, and reads the image that it has drawn.
fn draw_window(run: &PandaRun, test: &str) -> Result<ClientImage, Failed> {
    let picture: PathBuf = support::test_output_path(&format!("panda3d-{test}-{}.pam", run.name));
    let _ = std::fs::remove_file(&picture);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cg/scene.py");
    let mut command = Command::new(python());
    command.arg("-B").arg(script).arg(match run.profiles {
        Profiles::Newest => "newest",
        Profiles::Basic => "basic",
    });
    command.arg(&picture).arg(SIZE.to_string());
    support::set_vendor(&mut command, Window::Glx, run.vendor);
    command
        .env("PYTHONPATH", cg::folder())
        .env("GLASM_LOG", "info");
    let output = command.output().map_err(|error| error.to_string())?;
    let told = String::from_utf8_lossy(&output.stderr);
    let has = |word: &str| {
        told.lines()
            .any(|it| it.starts_with("glasm: program ") && it.contains(word))
    };
    let is_loaded = match run.loads {
        Some(words) => words.into_iter().all(has),
        None => !told.contains("glasm: pipeline "),
    };
    let read = ClientImage::read(&picture).filter(|_| output.status.success() && is_loaded);
    read.ok_or_else(|| format!("{}: {}\n{told}", run.name, output.status).into())
}
