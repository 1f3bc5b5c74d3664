//! Load errors of image instructions: code and exact place. EXT_shader_image_load_store.

use crate::support::errors;
use glasm_frontend::Code;

/// One error in a statement of a compute program with some variables and options.
#[track_caller]
fn check_compute_error(statement: &str, code: Code) {
    let text = format!(
        "!!NVcp5.0 OPTION NV_shader_atomic_float; GROUP_SIZE 8; TEMP r, c; IMAGE i = image[3]; IMAGE a[] = {{ image[4..6] }}; \
         TEXTURE t = texture[0]; {statement} END"
    );
    errors(&text, &[code]);
}

#[test]
fn storage_modifiers() {
    check_compute_error("«LOADIM» r, c, i, 2D;", Code::StorageModifier);
    check_compute_error("LOADIM.U32.«F32» r, c, i, 2D;", Code::StorageModifier);
    check_compute_error("LOADIM.«F» r, c, i, 2D;", Code::FeatureOption);
    check_compute_error("LOADIM.«U64» r, c, i, 2D;", Code::StorageModifier);
    check_compute_error("STOREIM.«F64X4» i, r, c, 2D;", Code::StorageModifier);
    check_compute_error("LOADIM.«F16X2» r, c, i, 2D;", Code::FeatureOption);
    check_compute_error("LOADIM.U32.«PREC» r, c, i, 2D;", Code::ModifierUnsupported);
}

#[test]
fn atomics() {
    check_compute_error("«ATOMIM».ADD r.x, r, c, i, 2D;", Code::AtomModifiers);
    check_compute_error("«ATOMIM».U32 r.x, r, c, i, 2D;", Code::AtomModifiers);
    check_compute_error("ATOMIM.ADD.«U64» r.x, r, c, i, 2D;", Code::AtomCombination);
    check_compute_error(
        "ATOMIM.IWRAP.«S32» r.x, r, c, i, 2D;",
        Code::AtomCombination,
    );
    check_compute_error("ATOMIM.MIN.«F32» r.x, r, c, i, 2D;", Code::AtomCombination);
    check_compute_error("ATOMIM.ADD.«F16X2» r, r, c, i, 2D;", Code::AtomCombination);
    check_compute_error("LOADIM.U32.«ADD» r, c, i, 2D;", Code::ModifierUnsupported);
}

#[test]
fn images_and_targets() {
    check_compute_error("LOADIM.U32 r, c, i, «SHADOW2D»;", Code::TargetNotAllowed);
    check_compute_error(
        "LOADIM.U32 r, c, i, «RENDERBUFFER»;",
        Code::TargetNotAllowed,
    );
    check_compute_error("LOADIM.U32 r, c, i, «2D_STACK»;", Code::TargetNotAllowed);
    check_compute_error("LOADIM.U32 r, c, i, «r»;", Code::TargetUnknown);
    check_compute_error("LOADIM.U32 r, c, «c», 2D;", Code::ImageExpected);
    check_compute_error("LOADIM.U32 r, c, «t», 2D;", Code::ImageExpected);
    check_compute_error("LOADIM.U32 r, c, «texture[0]», 2D;", Code::ImageExpected);
    check_compute_error("LOADIM.U32 r, c, «i.x», 2D;", Code::ImageExpected);
    check_compute_error("LOADIM.U32 r, c, «a», 2D;", Code::ArrayNeedsIndex);
    check_compute_error("LOADIM.U32 r, c, «a[3]», 2D;", Code::IndexOutOfBounds);
    check_compute_error("STOREIM.U32 «r», c, c, 2D;", Code::ImageExpected);
    check_compute_error("MOV.U r, «i»;", Code::OperandNotVariable);
    check_compute_error("TEX r, c, «i», 2D;", Code::TextureExpected);
    check_compute_error("MOV.U «i», r;", Code::WriteReadOnly);
}

#[test]
fn declarations() {
    check_compute_error("IMAGE x = image[«32»];", Code::BindingRange);
    check_compute_error("IMAGE x[] = { «image[3..2]» };", Code::RangeReversed);
    check_compute_error("IMAGE x = «image»;", Code::BindingNeedsIndex);
    check_compute_error("«IMAGE x[] = { image[0], image[2] };»", Code::TextureUnits);
    check_compute_error("IMAGE x = «image[0..1]»;", Code::RangeAsOperand);
    check_compute_error("IMAGE x = «texture[0]»;", Code::BindingUnknown);
    check_compute_error("PARAM x = «image[0]»;", Code::BindingUnknown);
    errors("!!NVfp4.1 «IMAGE i = image[0];» END", &[Code::FeatureNewer]);
    errors(
        "!!NVfp4.1 TEMP r; «LOADIM».U32 r, r, image[0], 2D; END",
        &[Code::FeatureNewer],
    );
}

#[test]
fn queries() {
    check_compute_error("«IMQ» r, i, 2D;", Code::FeatureOption);
    check_compute_error("«IMQS» r, i, 2DMS;", Code::FeatureOption);
    let samples =
        "!!NVfp5.0 OPTION ARB_shader_texture_image_samples; OPTION NV_texture_multisample; TEMP r;";
    errors(
        &format!("{samples} IMQS r, image[0], «2D»; END"),
        &[Code::TargetNotAllowed],
    );
    // No reference is missed beside it: the question has no operands.
    for target in ["2D", "SHADOWARRAYCUBE"] {
        errors(
            &format!("{samples} TXQS r, texture[0], «{target}»; END"),
            &[Code::TargetNotAllowed],
        );
    }
    errors(
        "!!NVfp5.0 OPTION NV_texture_multisample; TEMP r; «TXQS» r, texture[0], 2DMS; END",
        &[Code::FeatureOption],
    );
    check_loads(&format!(
        "{samples} IMQS r, image[0], ARRAY2DMS; TXQS r, texture[0], ARRAY2DMS; END"
    ));
}

#[test]
fn image_is_no_reserved_word() {
    check_loads("!!NVfp5.0 TEMP image, r; ADD image, image, r; END");
    check_loads(
        "!!NVfp5.0 IMAGE image[] = { image[0..1], image[2] }; TEMP r; LOADIM.U32 r, r, image[r.x], 2D; END",
    );
    check_loads(
        "!!NVfp5.0 TEMP r; STOREIM image[0], r, r, CUBE; STOREIM.U image[0], r, r, 1D; END",
    );
}

/// The program must load.
#[track_caller]
fn check_loads(text: &str) {
    errors(text, &[]);
}
