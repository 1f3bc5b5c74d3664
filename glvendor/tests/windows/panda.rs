//! Panda3D for Windows as an application, unmodified, with the interpreter of its package and the
//! library in Python of the installed one.

use super::panda_runs::{PandaRun, REFERENCE, RUNS, compare_images};
use super::picture::ClientImage;
use super::support::Vendor;
use super::{Setup, find_panda3d, find_setup, library_of, windows_folder};
use glasm_tests::cg;
use glasm_tests::skip::skip;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Program with the interpreter of a package of Panda3D.
struct Interpreter {
    program: PathBuf,
    /// Directory of the package.
    package: PathBuf,
    /// Directory of the library in Python.
    library: PathBuf,
}

/// Draws all runs and compares their images with that of the reference. With 32 bits a pixel differs
/// by a step.
pub(super) fn test_runs() {
    let Some(setup) = find_setup() else { return };
    let Some(package) = find_panda3d() else {
        return;
    };
    let Some(library) = find_python_library() else {
        return skip(format!("{} is not installed", cg::PYTHON));
    };
    let directory = setup.create_directory("panda3d");
    let program = directory.join("python.exe");
    let source = windows_folder().join("python.c");
    setup.compile(&program, &[source], &["-municode"], &[]);
    let interpreter = Interpreter {
        program,
        package: link_package(&package, &directory),
        library,
    };
    let reference = draw_window(&setup, &interpreter, &REFERENCE).unwrap();
    let mut failures = String::new();
    for run in &RUNS {
        let image = draw_window(&setup, &interpreter, run);
        if let Err(reason) = image.and_then(|image| compare_images(&reference, &image, 1)) {
            failures += &format!("{}: {reason}\n", run.name);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Links the files of the package in a directory, with the library next to the renderer of Panda3D,
/// and returns the directory of the package. Windows does not search the directory of the program
/// for libraries that the renderer needs, since Panda3D loads it with
/// `LOAD_WITH_ALTERED_SEARCH_PATH`.
fn link_package(package: &Path, directory: &Path) -> PathBuf {
    let linked = directory.join("package");
    let _ = std::fs::remove_dir_all(&linked);
    let renderer = linked.join("panda3d");
    std::fs::create_dir_all(&renderer).unwrap();
    link_entries(&package.join("panda3d"), &renderer);
    link_entries(package, &linked);
    for name in ["opengl32.dll", "bcryptprimitives.dll"] {
        let link = renderer.join(name);
        std::os::unix::fs::symlink(directory.join(name), link).unwrap();
    }
    linked
}

/// Links the entries of a directory in another one, except for those that it has.
fn link_entries(directory: &Path, target: &Path) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let link = target.join(entry.file_name());
        if !link.exists() {
            std::os::unix::fs::symlink(entry.path(), link).unwrap();
        }
    }
}

/// Returns the directory of Python's library; `None` if Python is not installed.
fn find_python_library() -> Option<PathBuf> {
    let mut command = Command::new(cg::PYTHON);
    command.args([
        "-c",
        "import os; print(os.path.dirname(os.__file__), end='')",
    ]);
    let output = command.output().ok()?;
    let is_found = output.status.success();
    is_found.then(|| PathBuf::from(String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Runs it, and reads the image that it has drawn.
fn draw_window(
    setup: &Setup,
    interpreter: &Interpreter,
    run: &PandaRun,
) -> Result<ClientImage, String> {
    let picture = interpreter
        .program
        .with_file_name(format!("{}.pam", run.name));
    let _ = std::fs::remove_file(&picture);
    let mut command = setup.prepare(&interpreter.program, &[], library_of(run.vendor));
    run.add_arguments(&mut command, &picture);
    let libraries = interpreter.package.join("deploy_libs");
    let path = [&interpreter.library, &libraries, &interpreter.package];
    command.env("PYTHONPATH", path.map(|it| name_for_wine(it)).join(";"));
    command.env("PYTHONHOME", name_for_wine(&interpreter.package));
    command.env("PYTHON_LIBRARIES", name_for_wine(&libraries));
    if run.vendor == Vendor::GlasmAlone {
        command.env("GLASM_COMPILE_ARB_PROGRAMS", "1");
    }
    let output = command.output().map_err(|error| error.to_string())?;
    run.read_image(&output, &picture)
}

/// Returns the name that a file has for programs of Windows in Wine.
fn name_for_wine(path: &Path) -> String {
    format!("Z:{}", path.display())
}
