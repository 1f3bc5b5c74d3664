//! `glasm gl`: what the application gets, with a library of no content and with the real one, where
//! it is built.

#![cfg(unix)]

mod support;

use glasm_tests::skip::{has_program, skip};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Folder, read};

/// Returns `glasm gl`, whose links go to the directory.
fn gl(folder: &Folder) -> Command {
    let mut command = folder.glasm();
    command.env("XDG_RUNTIME_DIR", folder.0.join("run"));
    command.env_remove("GLASM_VENDOR").arg("gl");
    command
}

#[test]
fn the_application_gets_variables_and_arguments() {
    let folder = Folder::new("gl-variables");
    let library = folder.write("built/libglasm_glvendor.so", "");
    let script = "printf '%s\n' \"$__GLX_VENDOR_LIBRARY_NAME\" \"$GLASM_VENDOR\" \"$LD_LIBRARY_PATH\" \
        \"$__EGL_VENDOR_LIBRARY_FILENAMES\" \"$@\"; exit 7";
    let mut command = gl(&folder);
    command.args(["--vendor", "own", "--library", "built"]);
    command.args(["sh", "-c", script, "zero", "--vendor", "-x"]);
    let output = command
        .env("LD_LIBRARY_PATH", "/first:/second")
        .output()
        .unwrap();
    let (status, stdout, stderr) = read(output);
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
        let (status, stdout, stderr) = read(run.args(["sh", "-c", script]).output().unwrap());
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
    command.args(["--library", ".", "--", "printenv", "GLASM_VENDOR"]);
    let (status, stdout, _) = read(command.env("GLASM_VENDOR", "other").output().unwrap());
    assert_eq!((status, stdout.as_str()), (0, "other\n"));
    // The variable is unset: printenv reports that with its status.
    let (status, stdout, _) = read(command.env_remove("GLASM_VENDOR").output().unwrap());
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
        let (status, stdout, stderr) = read(gl(&folder).args(args).output().unwrap());
        assert_eq!((status, stdout.as_str()), (2, ""), "{args:?}");
        assert!(stderr.contains(message), "{args:?}: {stderr}");
    }
    // A command that is nowhere near a library.
    let lonely = folder.0.join("bin/glasm");
    fs::create_dir_all(lonely.parent().unwrap()).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_glasm"), &lonely).unwrap();
    let (status, _, stderr) = read(Command::new(&lonely).args(["gl", "true"]).output().unwrap());
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
        read(command.output().unwrap())
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
        read(
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
    let (status, stdout, stderr) = read(command.env("HOME", &home).output().unwrap());
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

#[test]
fn applications_of_glx_see_the_extensions() {
    if built_library().is_none() || !has_program("xvfb-run") || !has_program("glxinfo") {
        return;
    }
    let folder = Folder::new("gl-glx");
    let mut command = Command::new("xvfb-run");
    command.args(["-a", env!("CARGO_BIN_EXE_glasm"), "gl", "glxinfo"]);
    command.env("XDG_RUNTIME_DIR", folder.0.join("run"));
    let (status, stdout, stderr) = read(command.output().unwrap());
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
    let (plain, stdout, _) = read(folder.glasm().args(run).output().unwrap());
    if plain != 0 || !stdout.contains("SKIP") {
        return skip("no device, or one that has these programs itself");
    }
    let mut command = gl(&folder);
    command.arg(env!("CARGO_BIN_EXE_glasm")).args(run);
    let (status, stdout, stderr) = read(command.output().unwrap());
    if stdout.contains("the driver lacks") {
        return skip(format!("the driver takes no SPIR-V: {stdout}"));
    }
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert!(stdout.contains("1 passed"), "{stdout}");
}
