//! Images of `glasm draw`: their pixels, and programs of each language and stage.

use super::{Folder, run};
use glasm_tests::skip::skip;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Pixels of an image, the top first.
pub(crate) struct Pixels {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) colors: Vec<[u8; 4]>,
}

impl Pixels {
    pub(crate) fn read(path: &Path) -> Self {
        let file = std::io::BufReader::new(fs::File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        Self {
            width: info.width as usize,
            height: info.height as usize,
            colors: bytes
                .chunks_exact(4)
                .map(|it| it.try_into().unwrap())
                .collect(),
        }
    }

    /// Color at a pixel, with y from the bottom.
    pub(crate) fn at(&self, x: usize, y: usize) -> [u8; 4] {
        self.colors[(self.height - 1 - y) * self.width + x]
    }

    /// Number of pixels that differ from the background.
    pub(crate) fn count_drawn(&self) -> usize {
        let background = [0.07, 0.08, 0.11].map(|it: f64| (it * 255.0).round() as i32);
        let differs = |color: &&[u8; 4]| {
            let mut channels = color.iter().zip(background);
            channels.any(|(value, known)| (i32::from(*value) - known).abs() > 2)
        };
        self.colors.iter().filter(differs).count()
    }

    /// Number of bright pixels: those with a channel of at least a quarter.
    pub(crate) fn count_bright(&self) -> usize {
        let is_bright = |color: &&[u8; 4]| color[..3].iter().any(|value| *value >= 64);
        self.colors.iter().filter(is_bright).count()
    }
}

/// Returns the name of a Vulkan device; `None` without one, after the skip was reported.
pub(crate) fn find_device(folder: &Folder) -> Option<()> {
    let (status, _, stderr) = run(folder, &["devices"]);
    if status != 0 {
        skip(format!("no Vulkan device: {stderr}"));
        return None;
    }
    Some(())
}

/// Draws programs to `out.png`, and returns the inputs of the report as `NAME = VALUE`.
pub(crate) fn draw(folder: &Folder, args: &[&str]) -> Vec<String> {
    let mut line = vec!["draw", "-o", "out.png", "--message-format", "json"];
    line.extend(args);
    let (status, stdout, stderr) = run(folder, &line);
    assert_eq!(status, 0, "{args:?}: {stdout}{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let inputs = report["inputs"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    inputs
        .map(|input| format!("{} = {}", text(&input["name"]), text(&input["value"])))
        .collect()
}

pub(crate) fn pixels(folder: &Folder) -> Pixels {
    Pixels::read(&folder.0.join("out.png"))
}

/// Programs of each language and stage, with inputs that the report must contain and the least
/// share of bright pixels in percent.
pub(crate) const PROGRAMS: &[(&str, &str, &[&str], usize)] = &[
    (
        "a.fp",
        "!!ARBfp1.0\nTEMP r;\nTEX r, fragment.texcoord[0], texture[3], 2D;\nMUL result.color, r, program.local[1];\nEND",
        &[
            "texture[3] of the fragment program = 2D texture, grid",
            "program.local[1] of the fragment program = 0.5 0.7 0.9 1",
            "vertex.attrib[8] = texcoord",
        ],
        90,
    ),
    (
        "cube.fp",
        "!!FP1.0\nDECLARE tint;\nTEX R0, f[TEX1], TEX2, CUBE;\nMUL R0, R0, tint;\nMUL o[COLR], R0, p[3];\nEND",
        &[
            "texture[2] of the fragment program = cube texture, grid",
            "`tint` of the fragment program = 0.9 0.7 0.5 1",
            "program.local[3] of the fragment program = 0.9 0.6 0.8 1",
        ],
        40,
    ),
    (
        "shadow.fp",
        "!!NVfp4.0\nTEX result.color, {0.5, 0.5, 0.25, 0}, texture[0], SHADOW2D;\nEND",
        &["texture[0] of the fragment program = depths of 2D texture, ramp"],
        90,
    ),
    (
        "constants.tgsi",
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0..1]\nDCL TEMP[0]\n\
         MAD TEMP[0], IN[0], CONST[0], CONST[1]\nMOV OUT[0], TEMP[0]\nEND",
        &[
            "CONST[0] of the fragment program = 0.9 0.7 0.5 1",
            "CONST[1] of the fragment program = 0.15 0.2 0.25 0",
        ],
        90,
    ),
    (
        "mvp.vp",
        "!!ARBvp1.0\nPARAM mvp[4] = { state.matrix.mvp };\nDP4 result.position.x, mvp[0], vertex.position;\n\
         DP4 result.position.y, mvp[1], vertex.position;\nDP4 result.position.z, mvp[2], vertex.position;\n\
         DP4 result.position.w, mvp[3], vertex.position;\nMOV result.color, vertex.color;\nEND",
        &["vertex.attrib[0] = position", "vertex.attrib[3] = color"],
        25,
    ),
    (
        "env.vp",
        "!!VP1.0\nDP4 o[HPOS].x, c[4], v[OPOS];\nDP4 o[HPOS].y, c[5], v[OPOS];\nDP4 o[HPOS].z, c[6], v[OPOS];\n\
         DP4 o[HPOS].w, c[7], v[OPOS];\nMUL o[COL0], v[COL0], c[20];\nEND",
        &[
            "program.env[4..7] of the vertex program = rows of the modelview-projection matrix",
            "program.env[20] of the vertex program = 0.8 0.8 0.4 1",
        ],
        25,
    ),
    (
        "lit.vp",
        "!!VP2.0\nDP4 o[HPOS].x, c[0], v[OPOS];\nDP4 o[HPOS].y, c[1], v[OPOS];\nDP4 o[HPOS].z, c[2], v[OPOS];\n\
         DP4 o[HPOS].w, c[3], v[OPOS];\nDP3 R0.x, c[4], v[NRML];\nDP3 R0.y, c[5], v[NRML];\nDP3 R0.z, c[6], v[NRML];\n\
         DP3 R1.x, R0, c[8];\nMAX R1.x, R1.x, c[9].y;\nMOV o[COL0], R1.x;\nEND",
        &[
            "program.env[0..3] of the vertex program = rows of the modelview-projection matrix",
            "program.env[4..6] of the vertex program = rows of the modelview matrix",
            "program.env[8] of the vertex program = 0.36 0.48 0.8 1",
        ],
        25,
    ),
    (
        "columns.tgsi",
        "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL CONST[0..3]\nDCL TEMP[0]\n\
         MUL TEMP[0], IN[0].xxxx, CONST[0]\nMAD TEMP[0], IN[0].yyyy, CONST[1], TEMP[0]\n\
         MAD TEMP[0], IN[0].zzzz, CONST[2], TEMP[0]\nMAD OUT[0], IN[0].wwww, CONST[3], TEMP[0]\nMOV OUT[1], IN[1]\nEND",
        &[
            "vertex.attrib[1] = color",
            "CONST[0..3] of the vertex program = columns of the modelview-projection matrix",
        ],
        25,
    ),
    (
        "points.gp",
        "!!NVgp4.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT TRIANGLE_STRIP;\nVERTICES_OUT 3;\nTEMP p;\n\
         MOV p, vertex[0].position;\nMOV result.color, {1, 0.5, 0, 1};\n\
         MOV result.position, p;\nEMIT;\nADD result.position, p, {0.1, 0, 0, 0};\nEMIT;\n\
         ADD result.position, p, {0, 0.1, 0, 0};\nEMIT;\nEND",
        &[],
        2,
    ),
    (
        "quads.tep",
        "!!NVtep5.0\nTESS_MODE QUADS;\nTEMP a, b;\nATTRIB t = vertex.tesscoord;\n\
         LRP a, t.x, vertex[1].position, vertex[0].position;\nLRP b, t.x, vertex[3].position, vertex[2].position;\n\
         LRP result.position, t.y, b, a;\nMOV result.color, t;\nMOV result.color.z, 1;\nEND",
        &[],
        25,
    ),
    (
        "image.cp",
        "!!NVcp5.0\nGROUP_SIZE 8 8;\nTEMP c, v;\nMOV.U c, invocation.globalid;\nI2F.U v, c;\nMUL v, v, 0.00390625;\n\
         MOV v.zw, 1;\nSTOREIM.F32X4 image[0], v, c, 2D;\nEND",
        &["image[0] of the compute program = 2D image, R32G32B32A32_SFLOAT"],
        90,
    ),
];
