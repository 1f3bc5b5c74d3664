//! Handles of textures and images: grammar, rules, and the code that they become.
//! NV_bindless_texture.

use crate::support::errors;
use glasm_frontend::{Code, Source, translate};

/// One error in a statement of a program with the option and some variables.
#[track_caller]
fn check_fragment_error(statement: &str, code: Code) {
    let text = format!(
        "!!NVfp5.0 OPTION NV_bindless_texture; LONG TEMP h, a[2]; TEMP c; INT TEMP i; FLOAT TEMP f; OUTPUT o = result.color; \
         TEXTURE t = texture[0]; {statement} END"
    );
    errors(&text, &[code]);
}

#[test]
fn operands() {
    check_fragment_error("TEX c, c, handle(«h»), 2D;", Code::ScalarSuffix);
    check_fragment_error("TEX c, c, handle(«h.xyxy»), 2D;", Code::ScalarSuffix);
    check_fragment_error("TEX c, c, handle(«-h.x»), 2D;", Code::HandleOperand);
    check_fragment_error("TEX c, c, handle(«a[1].x»), 2D;", Code::HandleOperand);
    check_fragment_error("TEX c, c, handle(«a.x»), 2D;", Code::HandleOperand);
    check_fragment_error("TEX c, c, handle(«f.x»), 2D;", Code::HandleOperand);
    check_fragment_error("TEX c, c, handle(«o.x»), 2D;", Code::HandleOperand);
    check_fragment_error("TEX c, c, handle(«t.x»), 2D;", Code::HandleOperand);
    check_fragment_error("LOADIM.U32 c, c, handle(«1»), 2D;", Code::HandleOperand);
    check_fragment_error(
        "LOADIM.U32 c, c, handle(«gone».x), 2D;",
        Code::UndeclaredName,
    );
    check_fragment_error("TEX c, c, handle(«)», 2D;", Code::UnexpectedToken);
    check_fragment_error("TEX c, c, handle(h.x«,» 2D;", Code::UnexpectedToken);
    check_fragment_error("TEX c, c, handle(h.x)«;»", Code::MissingOperand);
    check_fragment_error("TEX c, c, handle(h.x), «c», 2D;", Code::TargetUnknown);
    check_fragment_error("MOV c, handle«(»h.x);", Code::UnexpectedToken);
}

#[test]
fn components() {
    check_fragment_error("TEX c, c, «handle(h.x).x», 2D;", Code::ComponentSelect);
    check_fragment_error("TXG c, c, «handle(h.x).xyzw», 2D;", Code::ScalarSuffix);
    check_fragment_error(
        "LOADIM.U32 c, c, handle(h.x)«.»x, 2D;",
        Code::UnexpectedToken,
    );
}

#[test]
fn options_and_versions() {
    errors(
        "!!NVfp5.0 LONG TEMP h; TEMP c; TEX c, c, «handle(h.x)», 2D; STOREIM.U32 «handle(h.x)», c, c, 2D; END",
        &[Code::FeatureOption; 2],
    );
    errors(
        "!!NVvp4.0 TEMP c, h; TEX c, c, «handle(h.x)», 2D; END",
        &[Code::FeatureNewer],
    );
}

/// The units of the textures and images of a program, as the text form shows them.
fn list_units(statements: &str) -> Vec<String> {
    let text = format!(
        "!!NVfp5.0 OPTION ARB_bindless_texture; OPTION ARB_shader_image_size; LONG TEMP h; TEMP c, n, handle; {statements}\n\
         MOV result.color, c; END"
    );
    let (program, diagnostics) = translate(&Source::new("test", &text));
    let program = program.unwrap_or_else(|| panic!("{:#?}", diagnostics.list));
    glasm_ir::verify::verify(&program).unwrap_or_else(|errors| panic!("{program}\n{errors:#?}"));
    let printed = program.to_string();
    let lines = printed
        .lines()
        .filter(|line| line.starts_with("tex") || line.starts_with("img"));
    lines.map(str::to_owned).collect()
}

/// Targets and types need not be the same everywhere, and queries say nothing about types.
#[test]
fn resources() {
    let found = list_units(
        "TXQ n, n, handle(h.y), 2D; TEX c, c, handle(h.x), 2D; TEX c, c, handle(n.x), 2D; TXF.S n, n, handle(h.x), 2D;\n\
         TEX c, c, handle(h.z), SHADOWCUBE; LOD c, c, handle(h.w), 3D; TXG c, c, handle(h.x).w, 2D, offset(n);\n\
         TEX c, c, c, handle(h.x), SHADOWARRAYCUBE; IMQ n, handle(h.x), 1D; LOADIM.U32 n, n, handle(h.x), 1D;\n\
         STOREIM.F handle(h.x), c, n, 1D; TEX c, handle, texture[3], 2D; TEX c, handle, handle(handle.x), RECT;",
    );
    assert_eq!(
        found,
        [
            "tex0: query_handle 2d f32",
            "tex1: handle 2d f32",
            "tex2: handle 2d s32",
            "tex3: handle cube shadow f32",
            "tex4: query_handle 3d f32",
            "tex5: handle cubearray shadow f32",
            "tex6: unit 3 2d f32",
            "tex7: handle rect f32",
            "img0: handle 1d unused",
            "img1: handle 1d raw32",
            "img2: handle 1d f32",
        ]
    );
}

#[test]
fn the_low_word_chooses() {
    let text = "!!NVvp5.0 OPTION NV_bindless_texture; LONG ATTRIB a = vertex.attrib[3]; TEMP c; TEX c, c, handle(a.y), 2D; \
                MOV result.position, c; END";
    let (program, _) = translate(&Source::new("test", text));
    let printed = program.expect("a program").to_string();
    let wanted = [
        "r1.xyzw = cvt.u32 (u64 even) in0.xyzw",
        "(tex0[r1.y] implicit)",
    ];
    assert!(
        wanted.iter().all(|part| printed.contains(part)),
        "{printed}"
    );
}
