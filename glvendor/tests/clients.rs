//! Applications that use programs as legacy applications did, on EGL and on GLX: each compares
//! pixels and query results with the values that the specifications define.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use support::{Vendor, Window, run, run_without_driver};

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
    /// Limits of arguments of commands.
    command_limits,
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
    /// Fences, occlusion tests and queries, draws that depend on them.
    occlusion,
    /// Register combiners.
    combiners,
    /// Ranges of memory, and its allocator.
    ranges,
    /// The hint about multisample filters.
    hints,
    /// Texture shaders, and formats of textures for them.
    texture_shaders,
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

    clients! { arguments, callbacks, names, occlusion, ranges, texture_shaders }
}

/// Tests parameters in the same buffers if the driver maps nothing persistently.
#[test]
fn names_without_mapped_buffers() {
    let text = [("GLASM_GLSL_VERSION", "1")];
    support::run_with("names", Window::Egl, Vendor::Glasm, &text);
    support::run_with("names", Window::Egl, Vendor::GlasmAlone, &text);
}

/// Tests register combiners if the driver receives GLSL.
#[test]
fn combiners_as_glsl() {
    let text = [("GLASM_GLSL_VERSION", "1")];
    support::run_with("combiners", Window::Egl, Vendor::Glasm, &text);
}

/// Tests texture shaders if the driver receives GLSL.
#[test]
fn texture_shaders_as_glsl() {
    let text = [("GLASM_GLSL_VERSION", "1")];
    support::run_with("texture_shaders", Window::Egl, Vendor::Glasm, &text);
}

/// Tests that programs with more privileges than the user who starts them load no vendor and write
/// no file that the user names, by variables or rules.
#[test]
fn privileged_programs_ignore_variables() {
    let written = support::test_output_path("privileged-dump");
    let _ = std::fs::remove_dir_all(&written);
    let rules = format!(
        "[[application]]\nname = \"all\"\nexecutable = \"*\"\nsettings = {{ driver = \"nobody\", dump_dir = {written:?} }}"
    );
    let rules = support::write_rules("privileged", &rules);
    let variables = [
        ("GLASM_DRIVER", "nobody"),
        ("GLASM_DUMP_DIR", written.to_str().unwrap()),
        ("XDG_CONFIG_HOME", rules.to_str().unwrap()),
        ("XDG_DATA_DIRS", rules.to_str().unwrap()),
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

/// Vendors and windows that rules are tested with.
const KINDS: [(Window, Vendor); 3] = [
    (Window::Egl, Vendor::Glasm),
    (Window::Egl, Vendor::GlasmAlone),
    (Window::Glx, Vendor::Glasm),
];

/// Returns a rule for the clients.
fn client_rule(criteria: &str, settings: &str) -> String {
    format!("[[application]]\nname = \"test\"\n{criteria}\n[application.settings]\n{settings}\n")
}

/// Tests a rule for the executable of the clients, with windows and vendors of all kinds.
fn test_rule(case: &str, settings: &str) {
    let rule = client_rule("executable = \"cli?nt\"", settings);
    for (window, vendor) in KINDS {
        support::run_with_rules(window, vendor, case, &rule, &[]);
    }
}

#[test]
fn without_rules_settings_have_defaults() {
    test_rule("default", "");
    let other = client_rule("executable = \"other\"", "newest_profile = \"vp40\"");
    support::run_with_rules(Window::Egl, Vendor::Glasm, "default", &other, &[]);
}

#[test]
fn hidden_extensions_are_not_advertised_and_their_programs_do_not_load() {
    let hidden = "hide_extensions = [\"GL_NV_vertex_program2_option\", \"ARB_draw_buffers\"]";
    test_rule("hidden", hidden);
}

#[test]
fn programs_newer_than_the_newest_profile_do_not_load() {
    test_rule("vp40", "newest_profile = \"vp40\"");
}

#[test]
fn limits_are_lowered_for_queries_and_programs() {
    let limits = "MAX_PROGRAM_INSTRUCTIONS_ARB = 20, MAX_TEXTURE_COORDS = 2, MAX_PROGRAM_TEMPORARIES_ARB = 100000";
    test_rule("limits", &format!("limits = {{ {limits} }}"));
}

/// Tests that an invalid file is reported once with the position, and that the application starts.
#[test]
fn an_invalid_file_is_reported_with_its_position() {
    // The valid rule before the error does not apply either.
    let valid = client_rule("executable = \"client\"", "newest_profile = \"vp40\"");
    let rules = format!(
        "{valid}{}",
        client_rule("executable = \"client\"", "strict = 1")
    );
    for (window, vendor) in KINDS {
        let Some(errors) = support::run_with_rules(window, vendor, "default", &rules, &[]) else {
            continue;
        };
        let messages: Vec<&str> = errors
            .lines()
            .filter(|it| it.starts_with("glasm:"))
            .collect();
        let [message] = &*messages else {
            panic!("{errors}")
        };
        let position =
            "/glasm/applications.toml:10:10: `strict` is of type integer; expected: boolean";
        assert!(message.ends_with(position), "{message}");
    }
    let off = [("GLASM_LOG", "off")];
    let errors = support::run_with_rules(Window::Egl, Vendor::Glasm, "default", &rules, &off);
    assert!(errors.is_none_or(|errors| !errors.contains("glasm:")));
}

#[test]
fn variables_take_precedence_over_rules() {
    let rule = client_rule("executable = \"client\"", "newest_profile = \"vp40\"");
    for value in ["gp5", ""] {
        let variables = [("GLASM_NEWEST_PROFILE", value)];
        support::run_with_rules(Window::Egl, Vendor::Glasm, "default", &rule, &variables);
    }
    let variables = [("GLASM_NEWEST_PROFILE", "gp6")];
    let errors = support::run_with_rules(Window::Egl, Vendor::Glasm, "vp40", &rule, &variables);
    let message = "glasm: GLASM_NEWEST_PROFILE: `gp6` is none of arbvp1, arbfp1, vp20,";
    assert!(errors.is_none_or(|errors| errors.contains(message)));
    // Without rules.
    let all = [
        (
            "hidden",
            "GLASM_HIDE_EXTENSIONS",
            "NV_vertex_program2_option,GL_ARB_draw_buffers",
        ),
        ("vp40", "GLASM_NEWEST_PROFILE", "fp40"),
        (
            "limits",
            "GLASM_LIMITS",
            "MAX_PROGRAM_INSTRUCTIONS_ARB=20,MAX_TEXTURE_COORDS=2",
        ),
    ];
    for (case, variable, value) in all {
        support::run_with_rules(Window::Egl, Vendor::Glasm, case, "", &[(variable, value)]);
    }
}

#[test]
fn rules_of_packages_apply_unless_the_user_has_others() {
    let shipped = client_rule("executable = \"client\"", "newest_profile = \"vp40\"");
    let shipped = support::write_rules("shipped", &shipped);
    let variables = [("XDG_DATA_DIRS", shipped.to_str().unwrap())];
    let file = shipped.join("glasm/applications.toml");
    let of_command = [(
        glasm_settings::rules::SHIPPED_VARIABLE,
        file.to_str().unwrap(),
    )];
    let user = client_rule("executable = \"client\"", "newest_profile = \"gp5\"");
    for variables in [variables, of_command] {
        for (case, rules) in [("vp40", ""), ("default", &*user)] {
            support::run_with_rules(Window::Egl, Vendor::Glasm, case, rules, &variables);
        }
    }
}

/// Tests rules for the class of a window, which a window above the drawn one has.
#[test]
fn the_class_of_the_window_selects_rules() {
    let rule = client_rule("window_class = \"Glasm*\"", "newest_profile = \"vp40\"");
    for case in ["window", "glx window"] {
        support::run_with_rules(Window::Glx, Vendor::Glasm, case, &rule, &[]);
    }
}

/// Tests that `GLASM_DRIVER` with a missing library, or this one, is reported in a line, and that
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
            if let Some(errors) = run_without_driver("plain", window, driver) {
                let line = format!("glasm: {system}_{driver}.so.0 {problem}");
                assert!(errors.contains(&line), "{errors}");
            }
        }
    }
}
