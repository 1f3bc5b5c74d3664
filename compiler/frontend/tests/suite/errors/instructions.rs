//! Opcodes and their modifiers.

use super::{check_fragment_error, check_loads, check_vertex_error, errors};
use glasm_frontend::Code;

#[test]
fn modifiers() {
    check_fragment_error("ADD.F.«S» r, r, r;", Code::ModifierTwice);
    check_fragment_error("ADD.CC.«CC1» r, r, r;", Code::ModifierTwice);
    check_fragment_error("ADD.SAT.«SSAT» r, r, r;", Code::ModifierTwice);
    check_fragment_error("ADDC.«CC» r, r, r;", Code::ModifierTwice);
    check_fragment_error("ADDR.«F» r, r, r;", Code::ModifierTwice);
    check_fragment_error("ADD.S.«SAT» r, r, r;", Code::ClampOnInteger);
    check_fragment_error("AND.«SAT» r, r, r;", Code::ClampOnInteger);
    check_fragment_error("DP3.«S» r, r, r;", Code::ModifierUnsupported);
    check_fragment_error("AND.«F» r, r, r;", Code::ModifierUnsupported);
    check_fragment_error("PK2H.«CC» r, r;", Code::ModifierUnsupported);
    check_fragment_error("ADD.«HI» r, r, r;", Code::ModifierUnsupported);
    check_fragment_error("MOV.«ADD» r, r;", Code::ModifierUnsupported);
    check_fragment_error("TXQ.«F» r, r, texture[0], 2D;", Code::ModifierUnsupported);
    check_fragment_error("SIN.«F64» r, r.x;", Code::ModifierUnsupported);
    check_fragment_error("ADD.«S24» r, r, r;", Code::ModifierUnsupported);
    check_fragment_error("MOV.«XYZ» r, r;", Code::ModifierUnknown);
    check_fragment_error("MUL.S24.«S» r, r, r;", Code::MulSpecial);
    check_fragment_error("MUL.«HI» r, r, r;", Code::MulSpecial);
    check_fragment_error("ADD.F.«F32» r, r, r;", Code::BaseAndSized);
    check_fragment_error("«ADD_SATC» r, r, r;", Code::UnknownOpcode);
    check_fragment_error("«ADDCR» r, r, r;", Code::UnknownOpcode);
    errors(
        "!!NVfp4.0 TEMP r; ADD.«S32» r, r, r; END",
        &[Code::FeatureNewer],
    );
    errors(
        "!!NVfp4.0 TEMP r; ADD.«PREC» r, r, r; END",
        &[Code::FeatureNewer],
    );
}

#[test]
fn opcodes_of_other_programs() {
    errors(
        "!!NVfp4.0 TEMP r; «CVT».F32.S32 r, r; END",
        &[Code::FeatureNewer],
    );
    errors(
        "!!NVfp4.1 TEMP r; TEX r, r, texture[0], 2D, «offset(r)»; END",
        &[Code::FeatureNewer],
    );
    errors(
        "!!NVfp4.1 TEMP r; TXG r, r, «texture[0].y», 2D; TXG r, r, texture[1], «SHADOW2D»; END",
        &[Code::FeatureNewer, Code::FeatureNewer],
    );
    errors(
        "!!NVfp4.0 TEMP r; «LOAD».F32 r, r.x; END",
        &[Code::FeatureOption],
    );
    check_vertex_error("«DDX» r, r;", Code::FeatureStage);
    check_vertex_error("«KIL» r;", Code::FeatureStage);
    check_fragment_error("«BAR»;", Code::FeatureStage);
    check_fragment_error("«GROUP_SIZE 4;»", Code::DeclarationNotAllowed);
}

#[test]
fn packing() {
    check_fragment_error("PK2H «h», r;", Code::PackShort);
    check_fragment_error("UP2H r, «h.x»;", Code::PackShort);
    check_fragment_error("PK64 «r», r;", Code::PackLong);
    check_fragment_error("UP64 r, «r»;", Code::PackLong);
    check_loads("!!NVfp5.0 LONG TEMP l; TEMP r; PK64 l, r; UP64 r, l; PK2H r, r; END");
}

#[test]
fn conversions() {
    check_fragment_error("«CVT».F32 r, r;", Code::CvtModifiers);
    check_fragment_error("«CVT».F.S r, r;", Code::CvtModifiers);
    check_fragment_error("CVT.F32.S32 r, «-r»;", Code::CvtModifiers);
    check_fragment_error("CVT.F32.S32 r, «|r|»;", Code::CvtModifiers);
    check_fragment_error("CVT.S32.F32.«SSAT» r, r;", Code::ClampOnInteger);
}
