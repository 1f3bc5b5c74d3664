//! `glasm draw`: images of programs of all stages and languages, on a device and with the
//! interpreter.

use crate::support::drawing::{PROGRAMS, draw, find_device, pixels};
use crate::support::{Folder, run};
use std::fs;

#[test]
fn every_stage_and_language_draws() {
    let folder = Folder::new("draw-all");
    let Some(()) = find_device(&folder) else {
        return;
    };
    for (name, text, expected, share) in PROGRAMS {
        folder.write(name, text);
        let inputs = draw(&folder, &[name, "--write-script", "s.shader_test"]);
        for input in *expected {
            assert!(
                inputs.iter().any(|it| it == input),
                "{name}: {input}\n{inputs:#?}"
            );
        }
        let image = pixels(&folder);
        assert_eq!((image.width, image.height), (256, 256));
        let bright = 100 * image.count_bright() / (256 * 256);
        assert!(
            bright >= *share,
            "{name}: {bright}% of {} drawn",
            image.count_drawn()
        );
        assert!(image.colors.iter().all(|color| color[3] == 255), "{name}");
        // The script draws the same image.
        let (status, _, stderr) = run(&folder, &["run", "s.shader_test", "--save-images", "again"]);
        assert_eq!(status, 0, "{name}: {stderr}");
        let again = fs::read(folder.0.join("again/out.png")).unwrap();
        assert_eq!(again, fs::read(folder.0.join("out.png")).unwrap(), "{name}");
    }
}

#[test]
fn models_and_frames() {
    let folder = Folder::new("draw-model");
    let Some(()) = find_device(&folder) else {
        return;
    };
    let program =
        "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.normal;\nEND";
    folder.write("a.vp", program);
    folder.write(
        "square.obj",
        "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3 4\n",
    );
    let identity = "modelview=translate 0 0 -5";
    draw(
        &folder,
        &["a.vp", "--model", "square.obj", "--matrix", identity],
    );
    let image = pixels(&folder);
    // The normal (0, 0, 1), within half the side: 1.42 / sqrt(2) / 5 / tan(17.5 degrees) = 0.637 of the half image.
    assert_eq!(image.at(128, 128), [0, 0, 255, 255]);
    assert_eq!(image.at(128 + 79, 128), [0, 0, 255, 255]);
    assert_eq!(image.at(128 + 84, 128), [18, 20, 28, 255]);

    draw(
        &folder,
        &[
            "a.vp",
            "--frames",
            "4",
            "--size",
            "32x32",
            "--write-script",
            "s.shader_test",
        ],
    );
    let bytes = fs::read(folder.0.join("out.png")).unwrap();
    let frames = bytes.windows(4).filter(|it| it == b"fcTL").count();
    assert_eq!(
        (bytes.windows(4).any(|it| it == b"acTL"), frames),
        (true, 4)
    );
    assert_eq!(
        run(&folder, &["run", "s.shader_test", "--save-images", "i"]).0,
        0
    );
    let frame = |number: u32| fs::read(folder.0.join(format!("i/out-{number:03}.png"))).unwrap();
    assert_ne!(frame(0), frame(1));
    folder.write("flat.fp", "!!ARBfp1.0\nMOV result.color, 1;\nEND");
    let (status, _, stderr) = run(
        &folder,
        &["draw", "flat.fp", "-o", "x.png", "--frames", "2"],
    );
    assert_eq!(status, 2);
    assert!(stderr.contains("--frames"), "{stderr}");
}

#[test]
fn several_files_are_one_pipeline() {
    let folder = Folder::new("draw-several");
    let Some(()) = find_device(&folder) else {
        return;
    };
    folder.write("a.vp", "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.texcoord[5], program.env[0];\nEND");
    folder.write(
        "a.fp",
        "!!ARBfp1.0\nMUL result.color, fragment.texcoord[5], program.env[0];\nEND",
    );
    let (status, _, stderr) = run(
        &folder,
        &["draw", "a.vp", "a.fp", "-o", "x.png", "--env", "0=1"],
    );
    assert_eq!(status, 2);
    assert!(stderr.contains("--env vertex:0="), "{stderr}");
    draw(
        &folder,
        &[
            "a.vp",
            "a.fp",
            "--env",
            "vertex:0=0.5,1,1,1",
            "--env",
            "fragment:0=0.8,0.4,0.2,1",
        ],
    );
    assert_eq!(pixels(&folder).at(30, 30), [102, 102, 51, 255]);
    // Registers of TGSI and assembly results are matched by their semantics.
    folder.write(
        "g.tgsi",
        "FRAG\nDCL IN[0], TEXCOORD[5], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND",
    );
    draw(&folder, &["a.vp", "g.tgsi", "--env", "0=0.2,0.4,0.6,1"]);
    assert_eq!(pixels(&folder).at(30, 30), [51, 102, 153, 255]);
}

#[test]
fn the_interpreter_needs_no_device() {
    let folder = Folder::new("draw-interpreter");
    let draw = |args: &[&str]| {
        let inputs = draw(&folder, &[args, &["--interpreter"]].concat());
        (inputs, pixels(&folder))
    };
    folder.write(
        "a.fp",
        "!!ARBfp1.0\nADD result.color, program.env[2], program.local[0];\nEND",
    );
    let given = ["--env", "2=0.2,0.4", "--local", "0=0.4,0,0.6,0"];
    let (_, image) = draw(&[&["a.fp", "--size", "5x3"], &given[..]].concat());
    assert_eq!((image.width, image.height), (5, 3));
    // 0.2 + 0.4, 0.4 + 0, 0 + 0.6
    assert_eq!(image.at(4, 2), [153, 102, 153, 255]);

    // 64 pixels for 64 texels of the grid: the field at the origin is white, that right of it dark.
    folder.write(
        "t.fp",
        "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[1], 2D;\nEND",
    );
    let (_, image) = draw(&["t.fp", "--size", "64x64"]);
    assert_eq!(image.at(7, 7), [255; 4]);
    // s = 8.5 / 64 and t = 0.5 / 64: 0.55 (0.15 + 0.85 s), 0.55 (0.15 + 0.85 t), 0.55 (0.9 - 0.45 (s + t))
    for (value, expected) in image.at(8, 0).into_iter().zip([37, 22, 117]) {
        assert!(value.abs_diff(expected) <= 1, "{:?}", image.at(8, 0));
    }

    // A constant buffer of TGSI, and the depth test: of the torus only the front is visible.
    let (name, text, ..) = PROGRAMS.iter().find(|it| it.0 == "columns.tgsi").unwrap();
    folder.write(name, text);
    folder.write("side.fp", "!!NVfp4.0\nMOV result.color, {0, 0, 1, 1};\nSGT result.color.x, fragment.facing.x, 0;\nEND");
    let (inputs, image) = draw(&[name, "side.fp"]);
    let matrix = "CONST[0..3] of the vertex program = columns of the modelview-projection matrix";
    assert!(inputs.iter().any(|it| it == matrix), "{inputs:?}");
    assert!(100 * image.count_bright() / (256 * 256) > 25);
    let is_back = |color: &&[u8; 4]| color[..3] == [0, 0, 255];
    assert_eq!(image.colors.iter().filter(is_back).count(), 0);

    // Patches of triangles, whose vertices are interpolated.
    folder.write(
        "t.tep",
        "!!NVtep5.0\nTESS_MODE TRIANGLES;\nTEMP p;\nMUL p, vertex[0].position, vertex.tesscoord.x;\n\
         MAD p, vertex[1].position, vertex.tesscoord.y, p;\n\
         MAD result.position, vertex[2].position, vertex.tesscoord.z, p;\nEND",
    );
    let (_, image) = draw(&["t.tep", "--size", "32x32"]);
    assert!(image.count_drawn() > 100, "{}", image.count_drawn());
    folder.write("a.fp", "!!ARBfp1.0\nMOV result.color, 1;\nEND");
    let line = [
        "draw",
        "a.fp",
        "-o",
        "g.png",
        "--interpreter",
        "--size",
        "1025x1024",
    ];
    let (status, _, stderr) = run(&folder, &line);
    assert_eq!(status, 2);
    assert!(stderr.contains("1049600 pixels"), "{stderr}");
    let endless = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nBGNLOOP\nADD TEMP[0], TEMP[0], TEMP[0]\nENDLOOP\nMOV OUT[0], TEMP[0]\nEND";
    folder.write("loop.fp", endless);
    let line = ["draw", "loop.fp", "-o", "g.png", "--interpreter"];
    let (status, _, stderr) = run(&folder, &line);
    assert_eq!(status, 1);
    assert!(stderr.contains("steps"), "{stderr}");
}

#[test]
fn the_interpreter_and_a_device_draw_the_same() {
    let folder = Folder::new("draw-both");
    let Some(()) = find_device(&folder) else {
        return;
    };
    for (name, text, ..) in PROGRAMS {
        // Cube maps are not filtered across their edges.
        if name.ends_with("cube.fp") {
            continue;
        }
        folder.write(name, text);
        draw(&folder, &[name]);
        let device = pixels(&folder);
        draw(&folder, &[name, "--interpreter"]);
        let interpreted = pixels(&folder);
        let pairs = device.colors.iter().zip(&interpreted.colors);
        let differs = |(a, b): &(&[u8; 4], &[u8; 4])| {
            let mut channels = a.iter().zip(b.iter());
            channels.any(|(a, b)| a.abs_diff(*b) > 4)
        };
        // Centers of pixels may be exactly on edges.
        let count = pairs.filter(differs).count();
        assert!(count < 200, "{name}: {count} pixels differ");
    }
}

/// Draws a program whose addresses have 32 bits, and one that computes a wrong address: that may
/// crash the device, but never without advice.
#[test]
fn programs_with_addresses_draw_or_say_why() {
    let folder = Folder::new("draw-addresses");
    let Some(()) = find_device(&folder) else {
        return;
    };
    let load = |address: &str| {
        format!(
            "!!NVfp4.0\nOPTION NV_shader_buffer_load;\nTEMP a, r;\nMOV.U a.x, {address};\n\
             LOAD.F32X4 r, a.x;\nADD result.color, r, {{1, 0.5, 0, 1}};\nEND"
        )
    };
    folder.write("low.fp", load("program.local[0].x"));
    draw(&folder, &["low.fp"]);
    assert_eq!(pixels(&folder).at(7, 7), [255, 128, 0, 255]);
    folder.write("wrong.fp", load("16"));
    let size = ["--size", "16x16"];
    let line = [&["draw", "wrong.fp", "-o", "out.png"], &size[..]].concat();
    let (status, _, stderr) = run(&folder, &line);
    let advice = stderr.contains("glasm draw --interpreter");
    assert_eq!(advice, stderr.contains("crashed"), "{status}: {stderr}");
    draw(&folder, &["wrong.fp", "--interpreter", "--size", "16x16"]);
    assert_eq!(pixels(&folder).at(7, 7), [255, 128, 0, 255]);
}
