//! `glasm gl`: what the application gets, with a library of no content and with the real one, where
//! it is built.

use crate::support::{Folder, decode_output};
use glasm_tests::skip::{has_program, skip};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns `glasm gl`, whose links go to the directory.
fn gl(folder: &Folder) -> Command {
    let mut command = folder.glasm();
    command.env("XDG_RUNTIME_DIR", folder.0.join("run"));
    command.env_remove("GLASM_DRIVER").arg("gl");
    command
}

#[test]
fn the_application_gets_variables_and_arguments() {
    let folder = Folder::new("gl-variables");
    let library = folder.write("built/libglasm_glvendor.so", "");
    let script = "printf '%s\n' \"$__GLX_VENDOR_LIBRARY_NAME\" \"$GLASM_DRIVER\" \"$LD_LIBRARY_PATH\" \
        \"$__EGL_VENDOR_LIBRARY_FILENAMES\" \"$@\"; exit 7";
    let mut command = gl(&folder);
    command.args(["--vendor", "own", "--library", "built"]);
    command.args(["sh", "-c", script, "zero", "--vendor", "-x"]);
    let output = command
        .env("LD_LIBRARY_PATH", "/first:/second")
        .output()
        .unwrap();
    let (status, stdout, stderr) = decode_output(output);
    assert_eq!(status, 7, "{stderr}");
    let lines: Vec<&str> = stdout.lines().collect();
    let links = lines[2].strip_suffix(":/first:/second").unwrap();
    let icd = Path::new(links).join("glasm.json");
    let expected = [
        "glasm",
        "own",
        lines[2],
        icd.to_str().unwrap(),
        "--vendor",
        "-x",
    ];
    assert_eq!(lines, expected);
    assert!(Path::new(links).starts_with(folder.0.join("run")));
    let names = ["libEGL_glasm.so.0", "libGLX_glasm.so.0"];
    let linked = names.map(|name| fs::read_link(Path::new(links).join(name)).unwrap());
    let library = library.canonicalize().unwrap();
    assert_eq!(linked, [library.clone(), library]);
    let text: serde_json::Value = serde_json::from_slice(&fs::read(icd).unwrap()).unwrap();
    let egl = Path::new(links).join(names[0]);
    assert_eq!(text["file_format_version"], "1.0.0");
    assert_eq!(text["ICD"]["library_path"], egl.to_str().unwrap());
}

#[test]
fn applications_of_32_bits_find_their_library() {
    let folder = Folder::new("gl-32-bits");
    let script = r#"printf '%s\n' "$LD_LIBRARY_PATH" "$__EGL_VENDOR_LIBRARY_FILENAMES""#;
    let links_of = |command: &mut Command| {
        let run = command.env("XDG_RUNTIME_DIR", folder.0.join("run"));
        run.env_remove("LD_LIBRARY_PATH");
        let (status, stdout, stderr) =
            decode_output(run.args(["sh", "-c", script]).output().unwrap());
        assert_eq!(status, 0, "{stderr}");
        let lists = stdout
            .lines()
            .map(|line| std::env::split_paths(line).collect::<Vec<_>>());
        let [folders, icds] = <[_; 2]>::try_from(lists.collect::<Vec<_>>()).unwrap();
        let named = folders.iter().map(|folder| folder.join("glasm.json"));
        assert_eq!(icds, named.collect::<Vec<_>>());
        let libraries = folders
            .iter()
            .map(|it| fs::read_link(it.join("libEGL_glasm.so.0")).unwrap());
        libraries.collect::<Vec<_>>()
    };
    let wide = folder.write("wide.so", "").canonicalize().unwrap();
    let narrow = folder.write("narrow.so", "").canonicalize().unwrap();
    let given = ["--library", "wide.so", "--library", "narrow.so"];
    assert_eq!(links_of(gl(&folder).args(given)), [wide, narrow]);
    // As Cargo builds them, and as distributions install them.
    for (command, wide, narrow) in [
        (
            "target/release/glasm",
            "target/release",
            "target/i686-unknown-linux-gnu/release",
        ),
        ("usr/bin/glasm", "usr/lib", "usr/lib/i386-linux-gnu"),
        (
            "debian/bin/glasm",
            &format!("debian/lib/{}-linux-gnu", std::env::consts::ARCH),
            "debian/lib/i386-linux-gnu",
        ),
        ("opt/bin/glasm", "opt/lib", "opt/lib32"),
    ] {
        let wide = folder.write(&format!("{wide}/libglasm_glvendor.so"), "");
        let narrow = folder.write(&format!("{narrow}/libglasm_glvendor.so"), "");
        let command = folder.0.join(command);
        fs::create_dir_all(command.parent().unwrap()).unwrap();
        // A file that is being written cannot be run, and another test may fork meanwhile: use a
        // second name of the same file.
        let program = env!("CARGO_BIN_EXE_glasm");
        fs::hard_link(program, &command)
            .or_else(|_| fs::copy(program, &command).map(drop))
            .unwrap();
        let mut expected = vec![wide.canonicalize().unwrap()];
        if cfg!(target_arch = "x86_64") {
            expected.push(narrow.canonicalize().unwrap());
        }
        assert_eq!(links_of(Command::new(command).arg("gl")), expected);
    }
}

#[test]
fn without_vendor_the_environment_says_which() {
    let folder = Folder::new("gl-vendor");
    folder.write("libGLX_glasm.so.0", "");
    let mut command = gl(&folder);
    command.args(["--library", ".", "--", "printenv", "GLASM_DRIVER"]);
    let (status, stdout, _) = decode_output(command.env("GLASM_DRIVER", "other").output().unwrap());
    assert_eq!((status, stdout.as_str()), (0, "other\n"));
    // The variable is unset: printenv reports that with its status.
    let (status, stdout, _) = decode_output(command.env_remove("GLASM_DRIVER").output().unwrap());
    assert_eq!((status, stdout.as_str()), (1, ""));
}

#[test]
fn what_is_missing_is_told() {
    let folder = Folder::new("gl-missing");
    folder.write("libglasm_glvendor.so", "");
    folder.write("empty/notes.txt", "");
    for (args, message) in [
        (&["--library", "none.so", "true"][..], "none.so"),
        (
            &["--library", "empty", "true"],
            "empty: neither libglasm_glvendor.so nor libEGL_glasm.so.0 and libGLX_glasm.so.0 is there",
        ),
        (&["--library", ".", "./no-such-game"], "./no-such-game"),
        (&["--library", "."], "APPLICATION"),
    ] {
        let (status, stdout, stderr) = decode_output(gl(&folder).args(args).output().unwrap());
        assert_eq!((status, stdout.as_str()), (2, ""), "{args:?}");
        assert!(stderr.contains(message), "{args:?}: {stderr}");
    }
    // A command that is nowhere near a library.
    let lonely = folder.0.join("bin/glasm");
    fs::create_dir_all(lonely.parent().unwrap()).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_glasm"), &lonely).unwrap();
    let (status, _, stderr) =
        decode_output(Command::new(&lonely).args(["gl", "true"]).output().unwrap());
    assert_eq!(status, 2);
    let lib = folder.0.canonicalize().unwrap().join("lib");
    assert!(stderr.contains(lib.to_str().unwrap()), "{stderr}");
    assert!(stderr.contains("--library"), "{stderr}");
    // In the `lib` of its prefix it is found.
    folder.write("lib/libglasm_glvendor.so", "");
    let status = Command::new(&lonely)
        .args(["gl", "true"])
        .env("XDG_RUNTIME_DIR", folder.0.join("run"))
        .status();
    assert_eq!(status.unwrap().code(), Some(0));
}

/// A start that was killed has left its files; the next process with its number removes them.
/// `exec` does not change the number of the shell.
#[test]
fn what_a_killed_start_has_left_does_no_harm() {
    let folder = Folder::new("gl-left");
    folder.write("libglasm_glvendor.so", "");
    let links = || {
        let glasm = folder.0.join("run/glasm");
        let mut entries = fs::read_dir(glasm).unwrap();
        entries.next().unwrap().unwrap().path()
    };
    let start = |script: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_glasm")]);
        command.current_dir(&folder.0);
        command.env("XDG_RUNTIME_DIR", folder.0.join("run"));
        decode_output(command.output().unwrap())
    };
    let exec = r#"exec "$0" gl --library . true"#;
    let (status, _, stderr) = start(exec);
    assert_eq!(status, 0, "{stderr}");
    let left = "for n in libEGL_glasm.so.0 libGLX_glasm.so.0 glasm.json; do rm $n; ln -s nowhere $n.$$; done; ln -s nowhere owner.$$";
    let script = format!(
        "cd '{}' && {left} && cd ../../.. && {exec}",
        links().display()
    );
    let (status, _, stderr) = start(&script);
    assert_eq!(status, 0, "{stderr}");
    let mut names: Vec<_> = fs::read_dir(links())
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["glasm.json", "libEGL_glasm.so.0", "libGLX_glasm.so.0"]
    );
}

/// Others neither write to the links nor to the file that name libraries, regardless of the user's
/// mask, and a directory of another user is refused.
#[test]
fn links_are_private() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let folder = Folder::new("gl-private");
    folder.write("libglasm_glvendor.so", "");
    let glasm = folder.0.join("run/glasm");
    let start = || {
        let mut command = Command::new("sh");
        command.args(["-c", r#"umask 0; exec "$0" gl --library . true"#]);
        command
            .arg(env!("CARGO_BIN_EXE_glasm"))
            .current_dir(&folder.0);
        decode_output(
            command
                .env("XDG_RUNTIME_DIR", folder.0.join("run"))
                .output()
                .unwrap(),
        )
    };
    for _ in 0..2 {
        let (status, _, stderr) = start();
        assert_eq!(status, 0, "{stderr}");
        let links = fs::read_dir(&glasm)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        for private in [&glasm, &links] {
            assert_eq!(fs::metadata(private).unwrap().mode() & 0o777, 0o700);
        }
        // The second start closes what is open.
        fs::set_permissions(&links, fs::Permissions::from_mode(0o777)).unwrap();
    }
    if chown(&glasm, Some(65534), None).is_err() {
        return skip("directories of other users are made by root");
    }
    let (status, _, stderr) = start();
    assert_eq!(status, 2);
    assert!(stderr.contains("no directory of the user"), "{stderr}");
}

/// XDG Base Directory Specification: relative paths are ignored.
#[test]
fn relative_directories_are_ignored() {
    let folder = Folder::new("gl-relative");
    folder.write("libglasm_glvendor.so", "");
    let mut command = folder.glasm();
    command.args(["gl", "--library", ".", "printenv", "LD_LIBRARY_PATH"]);
    command
        .env("XDG_RUNTIME_DIR", "run")
        .env("XDG_CACHE_HOME", "cache");
    let home = folder.0.canonicalize().unwrap();
    let (status, stdout, stderr) = decode_output(command.env("HOME", &home).output().unwrap());
    assert_eq!(status, 0, "{stderr}");
    assert!(
        stdout.starts_with(home.join(".cache/glasm").to_str().unwrap()),
        "{stdout}"
    );
    assert!(!folder.0.join("run").exists() && !folder.0.join("cache").exists());
}

/// Returns the library that is built next to the command.
fn built_library() -> Option<PathBuf> {
    let library = Path::new(env!("CARGO_BIN_EXE_glasm")).with_file_name("libglasm_glvendor.so");
    let found = library.is_file().then_some(library);
    if found.is_none() {
        skip("the vendor library is not built");
    }
    found
}

/// A file without code is no library for EGL, which then has no device.
#[test]
fn a_check_without_usable_library_fails() {
    let folder = Folder::new("gl-check-fails");
    folder.write("libglasm_glvendor.so", "");
    let mut command = gl(&folder);
    command.args(["--library", ".", "--check"]);
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let (status, stdout, stderr) = decode_output(command.output().unwrap());
    assert_eq!(status, 1, "{stdout}{stderr}");
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(lines[0].ends_with("libglasm_glvendor.so (not a library)"));
    assert!(lines[1].starts_with("display   none"), "{stdout}");
    assert!(lines[2].starts_with("opengl    no context: "), "{stdout}");
    assert!(
        stdout.contains("\nresult    applications will not run"),
        "{stdout}"
    );
    let mut command = gl(&folder);
    command.args(["--library", ".", "--check", "true"]);
    let (status, _, stderr) = decode_output(command.output().unwrap());
    assert_eq!(status, 2, "an application cannot be checked: {stderr}");
}

#[test]
fn a_check_names_driver_and_programs() {
    if built_library().is_none() {
        return;
    }
    let folder = Folder::new("gl-check");
    let devices = folder.glasm().args(["devices", "--api", "gl"]).output();
    let (status, devices, _) = decode_output(devices.unwrap());
    if status != 0 {
        return skip("no device of OpenGL");
    }
    let mut command = gl(&folder);
    let output = command.arg("--check").env("DISPLAY", ":7").output();
    let (status, stdout, stderr) = decode_output(output.unwrap());
    if !stdout.contains("NV_") {
        return skip(format!("the driver takes no SPIR-V: {stdout}{stderr}"));
    }
    assert_eq!(status, 0, "{stdout}{stderr}");
    // `0: llvmpipe (LLVM 15.0.6, 256 bits) (Mesa, OpenGL 4.5, Mesa 22.3.6)`
    let (renderer, _) = devices[3..].split_once(" (").unwrap();
    assert!(stdout.contains(renderer), "{stdout}{devices}");
    assert!(stdout.contains("(64 bits)\n"), "{stdout}");
    assert!(stdout.contains("display   X11 at :7\n"), "{stdout}");
    assert!(
        stdout.ends_with("result    applications will run with programs up to NV_gpu_program5\n"),
        "{stdout}"
    );
}

#[test]
fn applications_of_glx_see_the_extensions() {
    if built_library().is_none() || !has_program("xvfb-run") || !has_program("glxinfo") {
        return;
    }
    let folder = Folder::new("gl-glx");
    let mut command = Command::new("xvfb-run");
    command.args(["-a", env!("CARGO_BIN_EXE_glasm"), "gl", "glxinfo"]);
    command.env("XDG_RUNTIME_DIR", folder.0.join("run"));
    let (status, stdout, stderr) = decode_output(command.output().unwrap());
    if !stdout.contains("GL_ARB_gl_spirv") {
        return skip(format!("the driver takes no SPIR-V: {stderr}"));
    }
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout.contains("GL_NV_gpu_program5"), "{stdout}");
}

#[test]
fn applications_of_egl_draw_with_these_programs() {
    if built_library().is_none() {
        return;
    }
    let folder = Folder::new("gl-egl");
    folder.write(
        "red.shader_test",
        "[require]\nfbsize 1 1\n[vertex program passthrough]\n[fragment program]\n!!NVfp4.0\nMOV result.color, {1, 0, 0, 1};\nEND\n\
         [test]\ndraw rect -1 -1 2 2\nprobe all rgba 1 0 0 1\n",
    );
    let run = ["run", "--api", "gl", "red.shader_test"];
    let (plain, stdout, _) = decode_output(folder.glasm().args(run).output().unwrap());
    if plain != 0 || !stdout.contains("SKIP") {
        return skip("no device, or one that has these programs itself");
    }
    let mut command = gl(&folder);
    command.arg(env!("CARGO_BIN_EXE_glasm")).args(run);
    let (status, stdout, stderr) = decode_output(command.output().unwrap());
    if stdout.contains("the driver lacks") {
        return skip(format!("the driver takes no SPIR-V: {stdout}"));
    }
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert!(stdout.contains("1 passed"), "{stdout}");
}

/// Returns `glasm gl` with rules of the user in `config`, of packages in `data`, and no settings.
fn gl_with_rules(folder: &Folder) -> Command {
    let mut command = gl(folder);
    for row in glasm_settings::SETTINGS {
        command.env_remove(row.variable);
    }
    command.env_remove(glasm_settings::rules::SHIPPED_VARIABLE);
    let path = folder.0.canonicalize().expect("the directory exists");
    command.env("XDG_CONFIG_HOME", path.join("config"));
    command.env("XDG_DATA_DIRS", path.join("data"));
    command
}

const USER_RULES: &str = r#"# Two rules.
[[application]]
name = "Game"
executable = "game*"
[application.settings]
newest_profile = "fp40"
limits = { MAX_PROGRAM_INSTRUCTIONS_ARB = 64 }

[[application]]
name = "Window"
executable = "game"
window_class = "Game"
settings = { strict = true, newest_profile = "gp4" }
"#;

const SHIPPED_RULES: &str = r#"[[application]]
name = "All games"
executable = "*.x86_64"
settings = { log = "info" }

[[application]]
name = "Shipped"
executable = "game"
settings = { newest_profile = "vp20", glsl_version = 330, dump_dir = "/tmp/dump" }
"#;

#[test]
fn lists_name_all_rules_with_their_files() {
    let folder = Folder::new("gl-list");
    let user = folder.write("config/glasm/applications.toml", USER_RULES);
    let user = user.canonicalize().unwrap();
    let data = folder.0.canonicalize().unwrap();
    let data = data.join("data/glasm/applications.toml");
    let list = || decode_output(gl_with_rules(&folder).arg("--list").output().unwrap());
    let (status, stdout, stderr) = list();
    assert_eq!((status, &*stderr), (0, ""));
    let rules = format!(
        "{}: 2 rules\n  line 9: \"Window\", executable \"game\", window_class \"Game\"\n    newest_profile = gp4\n    strict = 1\n  \
         line 2: \"Game\", executable \"game*\"\n    limits = MAX_PROGRAM_INSTRUCTIONS_ARB=64\n    newest_profile = vp40\n",
        user.display()
    );
    let expected = format!("{rules}{}: no such file\n", data.display());
    assert_eq!(stdout, expected);
    // An invalid file does not hide the others.
    folder.write("data/glasm/applications.toml", "[[application]]\nnome = 1");
    let (status, stdout, stderr) = list();
    assert_eq!(status, 1);
    assert_eq!(
        stdout,
        format!("{rules}{}: invalid, ignored\n", data.display())
    );
    let expected = format!(
        "error: {}:2:1: unknown key `nome`; a rule has name, executable, sha256, window_class and settings\n",
        data.display()
    );
    assert_eq!(stderr, expected);
    for args in [
        &["--list", "true"][..],
        &["--list", "--check"],
        &["--list", "--explain"],
    ] {
        let output = gl_with_rules(&folder).args(args).output().unwrap();
        assert_eq!(decode_output(output).0, 2, "{args:?}");
    }
}

#[test]
fn explanations_name_the_source_of_each_setting() {
    let folder = Folder::new("gl-explain");
    let user = folder.write("config/glasm/applications.toml", USER_RULES);
    let user = user.canonicalize().unwrap().display().to_string();
    let shipped = folder.write("data/glasm/applications.toml", SHIPPED_RULES);
    let shipped = shipped.canonicalize().unwrap().display().to_string();
    let game = folder.write("bin/game", "").canonicalize().unwrap();
    let mut command = gl_with_rules(&folder);
    command.args(["--vendor", "own", "--explain", "./bin/game", "--list"]);
    command.env("GLASM_GLSL_VERSION", "410");
    command.env("GLASM_COMPILE_ARB_PROGRAMS", "yes");
    let (status, stdout, stderr) = decode_output(command.output().unwrap());
    let message = "error: GLASM_COMPILE_ARB_PROGRAMS: `yes` is neither 0 nor 1; it is ignored\n";
    assert_eq!((status, &*stderr), (0, message));
    let expected = format!(
        "application  game\n\
         file         {}\n\
         rules\n  \
         {user}:9: \"Window\", executable \"game\", window_class \"Game\": matches if the window has this class\n  \
         {user}:2: \"Game\", executable \"game*\": matches\n  \
         {shipped}:6: \"Shipped\", executable \"game\": matches\n  \
         1 other rule without match\n\
         settings\n  \
         driver                own  (variable GLASM_DRIVER)\n  \
         compile_arb_programs  0  (default)\n  \
         glsl_version          410  (variable GLASM_GLSL_VERSION)\n  \
         strict                0  (default)\n                        \
         1  if the class of the window is Game  ({user}:13 \"Window\")\n  \
         log                   error  (default)\n  \
         dump_dir              /tmp/dump  ({shipped}:9 \"Shipped\")\n  \
         newest_profile        vp40  ({user}:6 \"Game\")\n                        \
         gp4  if the class of the window is Game  ({user}:13 \"Window\")\n  \
         hide_extensions       none  (default)\n  \
         limits                MAX_PROGRAM_INSTRUCTIONS_ARB=64  ({user}:7 \"Game\")\n",
        game.display()
    );
    assert_eq!(stdout, expected);
    // A Windows program in Wine, which need not exist.
    folder.write(
        "data/glasm/applications.toml",
        SHIPPED_RULES.replace("\"game\"", "\"Game.EXE\""),
    );
    let mut command = gl_with_rules(&folder);
    command.args(["--explain", "wine", "C:\\Games\\game.exe", "-fullscreen"]);
    let (status, stdout, stderr) = decode_output(command.output().unwrap());
    assert_eq!((status, &*stderr), (0, ""));
    assert!(
        stdout.contains("executable \"Game.EXE\": matches\n"),
        "{stdout}"
    );
    assert!(stdout.contains("glsl_version          330  ("), "{stdout}");
    let mut command = gl_with_rules(&folder);
    let output = command.args(["--explain", "other"]).output().unwrap();
    let (status, stdout, _) = decode_output(output);
    assert_eq!(status, 0);
    let expected =
        "application  other\nrules\n  none matches\n  4 other rules without match\nsettings\n";
    assert!(stdout.starts_with(expected), "{stdout}");
    let output = gl_with_rules(&folder).arg("--explain").output().unwrap();
    assert_eq!(decode_output(output).0, 2, "an application is required");
}

/// Packages have rules in `share` of their prefix, which the library does not know.
#[test]
fn applications_get_the_rules_of_the_package() {
    let folder = Folder::new("gl-shipped");
    folder.write("lib/libglasm_glvendor.so", "");
    fs::create_dir_all(folder.0.join("bin")).unwrap();
    let program = folder.0.join("bin/glasm");
    fs::hard_link(env!("CARGO_BIN_EXE_glasm"), &program)
        .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_glasm"), &program).map(drop))
        .unwrap();
    let variable = glasm_settings::rules::SHIPPED_VARIABLE;
    let start = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.current_dir(&folder.0).env_remove(variable);
        command.env("XDG_RUNTIME_DIR", folder.0.join("run"));
        command.env("XDG_CONFIG_HOME", folder.0.join("config"));
        command.env("XDG_DATA_DIRS", folder.0.join("data"));
        decode_output(command.arg("gl").args(arguments).output().unwrap())
    };
    assert_eq!(start(&["printenv", variable]).0, 1);
    let shipped = folder.write("share/glasm/applications.toml", SHIPPED_RULES);
    let shipped = shipped.canonicalize().unwrap().display().to_string();
    let (status, stdout, _) = start(&["printenv", variable]);
    assert_eq!((status, stdout), (0, format!("{shipped}\n")));
    let (status, stdout, _) = start(&["--list"]);
    assert_eq!(status, 0);
    assert!(
        stdout.contains(&format!("{shipped}: 2 rules\n")),
        "{stdout}"
    );
    let (_, stdout, _) = start(&["--explain", "game"]);
    assert!(
        stdout.contains(&format!("330  ({shipped}:9 \"Shipped\")")),
        "{stdout}"
    );
}
