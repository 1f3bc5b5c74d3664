//! The options of `glasm draw`, its messages, and what it prints and opens.

use crate::support::drawing::{draw, find_device, pixels};
use crate::support::{Folder, run, run_with_input};
use std::fs;

#[test]
fn options_set_what_programs_read() {
    let folder = Folder::new("draw-options");
    let Some(()) = find_device(&folder) else {
        return;
    };
    folder.write(
        "a.fp",
        "!!ARBfp1.0\nADD result.color, program.env[2], program.local[0];\nEND",
    );
    let inputs = draw(
        &folder,
        &[
            "a.fp",
            "--size",
            "5x3",
            "--env",
            "2=0.2,0.4",
            "--local",
            "fragment:0=0.4,0,0.6,0",
        ],
    );
    assert_eq!(inputs, Vec::<String>::new());
    let image = pixels(&folder);
    assert_eq!((image.width, image.height), (5, 3));
    // 0.2 + 0.4, 0.4 + 0, 0 + 0.6
    assert_eq!(image.at(0, 0), [153, 102, 153, 255]);

    folder.write(
        "b.tgsi",
        "FRAG\nDCL OUT[0], COLOR\nDCL CONST[1][0..2]\nMOV OUT[0], CONST[1][2]\nEND",
    );
    draw(&folder, &["b.tgsi", "--constant", "1.2=1,0,1"]);
    assert_eq!(pixels(&folder).at(9, 9), [255, 0, 255, 255]);

    folder.write(
        "c.vp",
        "!!ARBvp1.0\nMOV result.position, vertex.position;\nMUL result.color, state.light[1].diffuse, state.matrix.program[3].row[0].w;\nEND",
    );
    let line = [
        "c.vp",
        "--light",
        "1 diffuse 0.5 1 0.25 1",
        "--matrix",
        "program 3=translate 0.8 0 0",
    ];
    draw(&folder, &line);
    // 0.5, 1 and 0.25 times 0.8
    assert_eq!(pixels(&folder).at(100, 100), [102, 204, 51, 255]);

    folder.write(
        "d.vp",
        "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.normal;\nEND",
    );
    draw(
        &folder,
        &[
            "d.vp",
            "--attribute",
            "2=0.2,0.4,0.6,1",
            "--state",
            "scissor 0 0 128 256",
        ],
    );
    let image = pixels(&folder);
    assert_eq!(image.at(10, 10), [51, 102, 153, 255]);
    assert_eq!(image.at(200, 10), [18, 20, 28, 255]);
}

#[test]
fn textures_are_files_and_patterns() {
    let folder = Folder::new("draw-textures");
    let Some(()) = find_device(&folder) else {
        return;
    };
    let file = fs::File::create(folder.0.join("four.png")).unwrap();
    let mut encoder = png::Encoder::new(file, 2, 2);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    // Above red and green, below blue and white.
    writer
        .write_image_data(&[255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255])
        .unwrap();
    writer.finish().unwrap();
    folder.write(
        "t.fp",
        "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[1], 2D;\nEND",
    );
    let nearest = [
        "--state",
        "active_texture 1",
        "--state",
        "texparameter 2D mag nearest",
    ];
    draw(
        &folder,
        &[&["t.fp", "--texture", "1=four.png"], &nearest[..]].concat(),
    );
    let image = pixels(&folder);
    assert_eq!(image.at(10, 200), [255, 0, 0, 255]);
    assert_eq!(image.at(200, 200), [0, 255, 0, 255]);
    assert_eq!(image.at(10, 10), [0, 0, 255, 255]);
    assert_eq!(image.at(200, 10), [255, 255, 255, 255]);
    draw(
        &folder,
        &[&["t.fp", "--texture", "1=checker"], &nearest[..]].concat(),
    );
    let image = pixels(&folder);
    // Fields of 8 of 64 texels: 32 of 256 pixels. 0.9 and 0.2 of 255.
    assert_eq!((image.at(3, 3)[0], image.at(40, 3)[0]), (230, 51));
    let grid = draw(&folder, &["t.fp"]);
    assert_eq!(grid[0], "vertex.attrib[8] = texcoord");
    let image = pixels(&folder);
    assert_eq!(image.at(3, 3), [255; 4]);
    // A bright field with s = 240.5 / 256 and t = 48.5 / 256: 0.15 + 0.85 s, 0.15 + 0.85 t and 0.9 - 0.45 (s + t).
    let color = image.at(240, 48);
    for (value, expected) in color.into_iter().zip([242, 79, 100]) {
        assert!((i32::from(value) - expected).abs() <= 3, "{color:?}");
    }
}

/// Command lines that are not valid, with the exit status and a part of the message.
const WRONG: &[(&[&str], i32, &str)] = &[
    (&["missing.fp"], 2, "missing.fp"),
    (&["notes.txt"], 2, "no program found"),
    (&["t.shader_test"], 2, "is a script"),
    (&["b.fp"], 1, "--> b.fp:2:19"),
    (&["a.fp", "a.fp"], 2, "several fragment programs"),
    (&["s.vsp"], 2, "draw nothing"),
    (&["a.fp", "--env", "0=x"], 2, "`x` is not a number"),
    (
        &["a.fp", "--env", "0=1"],
        2,
        "no program reads that parameter",
    ),
    (&["a.fp", "--texture", "0=plaid"], 2, "checker"),
    (&["a.fp", "--texture", "1=grid"], 2, "they read 0"),
    (&["a.fp", "--texture", "0=cube:grid"], 2, "a 2D texture"),
    (&["a.fp", "--texture", "0=gone.png"], 2, "gone.png"),
    (&["a.fp", "--texture", "0=bad.png"], 2, "not a PNG image"),
    (&["a.fp", "--model", "gone.obj"], 2, "gone.obj"),
    (&["a.fp", "--model", "bad.obj"], 2, "not a valid model"),
    (&["a.fp", "--model", "huge.obj"], 2, "300000 vertices"),
    (&["a.fp", "--size", "0x5"], 2, "from 1 to 4096"),
    (&["a.fp", "--size", "100000x100000"], 2, "from 1 to 4096"),
    (&["a.fp", "--size", "nanxnan"], 2, "from 1 to 4096"),
    (&["a.fp", "--frames", "0"], 2, "--frames"),
    (
        &["a.fp", "--state", "clear colour"],
        2,
        "--state `clear colour`",
    ),
    (
        &["a.fp", "--matrix", "modelview=turn 5"],
        2,
        "matrix modelview turn 5",
    ),
    (
        &["a.fp", "--light", "0 colour 1 1 1 1"],
        2,
        "light 0 colour",
    ),
    (&["a.fp", "--attribute", "7=normal"], 2, "no such attribute"),
    (&["a.fp", "--require", "fixed nonsense"], 2, "--require"),
];

#[test]
fn wrong_input_is_reported() {
    let folder = Folder::new("draw-wrong");
    folder.write(
        "a.fp",
        "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[0], 2D;\nEND",
    );
    folder.write("b.fp", "!!ARBfp1.0\nMOV result.color, q;\nEND");
    folder.write("s.vsp", "!!VSP1.0\nMOV c[0], v[0];\nEND");
    folder.write("notes.txt", "nothing");
    folder.write("t.shader_test", "[test]\n");
    folder.write("bad.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n");
    folder.write("huge.obj", "v 0 0 0\n".repeat(300_000));
    folder.write("bad.png", "no image");
    for (args, status, part) in WRONG {
        let line = [&["draw", "-o", "x.png"], *args].concat();
        let (found, stdout, stderr) = run(&folder, &line);
        assert_eq!(found, *status, "{args:?}: {stdout}{stderr}");
        assert!(stderr.contains(part), "{args:?}: {stderr}");
        assert!(!folder.0.join("x.png").exists(), "{args:?}");
    }
    // An error of the pipeline is reported at a line of the script.
    let vertex =
        "!!ARBvp1.0\nOPTION NV_vertex_program3;\nTEX result.position, 0, texture[0], CUBE;\nEND";
    folder.write("cube.vp", vertex);
    if find_device(&folder).is_some() {
        let (status, _, stderr) = run(&folder, &["draw", "a.fp", "cube.vp", "-o", "x.png"]);
        assert_eq!(status, 1, "{stderr}");
        let line = stderr.contains("error[E0703]") && stderr.contains("scene.shader_test:");
        assert!(line && stderr.contains("--write-script"), "{stderr}");
    }
    let (status, _, stderr) = run(&folder, &["draw", "a.fp", "-o", "x.jpg"]);
    assert_eq!(status, 2, "{stderr}");
}

/// The viewer of the system, here a script in `PATH`, receives the path of the image.
#[cfg(target_os = "linux")]
#[test]
fn images_are_opened() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("draw-open");
    let Some(()) = find_device(&folder) else {
        return;
    };
    folder.write("a.fp", "!!ARBfp1.0\nMOV result.color, 1;\nEND");
    let viewer = folder.write("bin/xdg-open", "#!/bin/sh\nprintf %s \"$1\" > opened\n");
    fs::set_permissions(&viewer, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.0.join("bin").display());
    let mut command = folder.glasm();
    let line = ["draw", "a.fp", "-o", "out/a.png", "--open"];
    let output = command.env("PATH", path).args(line).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    // The viewer is not waited for.
    let opened = folder.0.join("opened");
    let read = || fs::read_to_string(&opened).unwrap_or_default();
    for _ in 0..100 {
        if !read().is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(read(), "out/a.png");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("all pixels have the same color"),
        "{stderr}"
    );
}

#[test]
fn programs_come_from_standard_input() {
    let folder = Folder::new("draw-stdin");
    let Some(()) = find_device(&folder) else {
        return;
    };
    let program = "!!ARBfp1.0\nMOV result.color, {1, 0, 1, 0};\nEND";
    let (status, stdout, stderr) =
        run_with_input(&folder, &["draw", "-", "-o", "out.png"], program);
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout.starts_with("out.png: 256 x 256, "), "{stdout}");
    assert_eq!(pixels(&folder).at(0, 0), [255, 0, 255, 255]);
}

#[test]
fn runs_of_programs_refer_to_draw() {
    let folder = Folder::new("draw-refer");
    folder.write("a.fp", "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND");
    let (status, script, stderr) = run(&folder, &["run", "a.fp"]);
    assert_eq!(status, 2);
    assert!(
        stderr.contains("`glasm draw a.fp -o a.png` draws it"),
        "{stderr}"
    );
    assert!(script.contains("save image a.png"), "{script}");
}
