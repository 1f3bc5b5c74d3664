//! Applications that use programs as legacy applications did, on EGL and on GLX: each compares
//! pixels and query results with the values that the specifications define.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use support::{Vendor, Window, run, without_driver};

macro_rules! clients {
    ($($(#[$about:meta])* $name:ident),* $(,)?) => {
        mod egl {
            $($(#[$about])* #[test] fn $name() { super::run(stringify!($name), super::Window::Egl, super::Vendor::Glasm); })*
        }
        mod glx {
            $($(#[$about])* #[test] fn $name() { super::run(stringify!($name), super::Window::Glx, super::Vendor::Glasm); })*
        }
        mod alone {
            $($(#[$about])* #[test] fn $name() { super::run(stringify!($name), super::Window::Egl, super::Vendor::GlasmAlone); })*
        }
    };
}

clients! {
    /// Programs that contexts of two threads share; contexts that end while they are current.
    threads,
    /// Objects that contexts of two threads change at once.
    races,
    /// Commands of exit handlers, and contexts that end in them.
    exits,
    /// Programs, matrices and attributes in display lists.
    lists,
    /// Conventional attributes read by number, and the other way round, between Begin and End.
    attributes,
    /// The same from arrays in memory and in buffers.
    arrays,
    /// All kinds of draws, and their visible results.
    draws,
    /// Clamping of colors.
    clamps,
    /// Quadrilaterals and polygons before geometry programs.
    quads,
    /// Raster positions.
    raster,
    /// Pixels, copies and bitmaps.
    pixels,
    /// Fog distances and sizes of points that the fixed functions compute for fragment programs.
    fixed,
    /// Materials between Begin and End.
    materials,
    /// Selection and feedback.
    modes,
    /// Attribute stacks.
    stacks,
    /// Results of queries.
    queries,
    /// Errors of the commands of ARB_vertex_program, ARB_fragment_program and NV_gpu_program4.
    errors,
    /// Errors of the commands of NV_vertex_program and NV_fragment_program.
    errors_nv,
    /// Parameters by number and by name, of buffers, and tracked matrices.
    parameters,
    /// Depth modes and biases of textures.
    textures,
    /// Vertex shaders with fragment programs; programs of the stages before with fragment shaders.
    beside,
    /// Evaluators of numbered attributes.
    evaluators,
    /// Compute programs with groups of any size and with counters.
    compute,
    /// Contexts, threads, processes and libraries that come and go.
    lifetimes,
    /// Limits that queries answer, and programs that reach and exceed them.
    limits,
    /// GLSL programs of the application instead of programs of this library.
    shaders,
    /// Names that applications choose, and those of objects of the library.
    names,
    /// Counts, sizes and pointers that are errors.
    arguments,
    /// A context that is current on two threads.
    owners,
    /// Callbacks of the driver within commands of the library.
    callbacks,
    /// Commands of GLX under their first names.
    legacy,
}

/// Reports of valgrind about memory in clients with erroneous commands, or whose contexts are
/// created and destroyed. Reports whose innermost frame belongs to the driver are ignored, since
/// they occur with any application.
mod valgrind {
    macro_rules! clients {
        ($($name:ident),*) => {
            $(#[test] fn $name() { super::support::run_in_valgrind(stringify!($name)); })*
        };
    }

    clients! { arguments, callbacks, names }
}

/// Tests parameters in the same buffers if the driver maps nothing persistently.
#[test]
fn names_without_mapped_buffers() {
    let text = [("GLASM_TEXT", "1")];
    support::run_with("names", Window::Egl, Vendor::Glasm, &text);
    support::run_with("names", Window::Egl, Vendor::GlasmAlone, &text);
}

/// Tests that programs with more privileges than the user who starts them load no vendor and write
/// no file that the user names.
#[test]
fn privileged_programs_ignore_variables() {
    let written = support::made("privileged-dump");
    let _ = std::fs::remove_dir_all(&written);
    let variables = [
        ("GLASM_VENDOR", "nobody"),
        ("GLASM_DUMP", written.to_str().unwrap()),
    ];
    if let Some(errors) = support::run_privileged("legacy", &variables) {
        assert!(!errors.contains("libGLX_nobody"), "{errors}");
        assert!(!written.exists());
    }
}

/// Checks that an application without programs draws the same as without the library.
fn draws_as_ever(window: Window) {
    let ours = run("plain", window, Vendor::Glasm);
    let alone = run("plain", window, Vendor::Mesa);
    if let (Some(ours), Some(alone)) = (ours, alone) {
        assert_eq!(ours, alone);
    }
}

#[test]
fn nothing_changes_without_programs_on_egl() {
    draws_as_ever(Window::Egl);
}

#[test]
fn nothing_changes_without_programs_on_glx() {
    draws_as_ever(Window::Glx);
}

/// Tests that `GLASM_VENDOR` with a missing library, or this one, is reported in a line, and that
/// the system continues without.
#[test]
fn a_vendor_that_is_no_driver_is_told() {
    for (window, system) in [(Window::Egl, "libEGL"), (Window::Glx, "libGLX")] {
        let problems = [
            ("nobody", "is not there"),
            ("glasm", "is glasm's own"),
            ("nowhere/mesa", "is a path and no name"),
        ];
        for (driver, problem) in problems {
            if let Some(errors) = without_driver("plain", window, driver) {
                let line = format!("glasm: {system}_{driver}.so.0 {problem}");
                assert!(errors.contains(&line), "{errors}");
            }
        }
    }
}
