//! Opcodes and their modifiers.

use super::{errors, fine, fragment, vertex};
use glasm_frontend::Code;

#[test]
fn modifiers() {
    fragment("ADD.F.«S» r, r, r;", Code::ModifierTwice);
    fragment("ADD.CC.«CC1» r, r, r;", Code::ModifierTwice);
    fragment("ADD.SAT.«SSAT» r, r, r;", Code::ModifierTwice);
    fragment("ADDC.«CC» r, r, r;", Code::ModifierTwice);
    fragment("ADDR.«F» r, r, r;", Code::ModifierTwice);
    fragment("ADD.S.«SAT» r, r, r;", Code::ClampOnInteger);
    fragment("AND.«SAT» r, r, r;", Code::ClampOnInteger);
    fragment("DP3.«S» r, r, r;", Code::ModifierUnsupported);
    fragment("AND.«F» r, r, r;", Code::ModifierUnsupported);
    fragment("PK2H.«CC» r, r;", Code::ModifierUnsupported);
    fragment("ADD.«HI» r, r, r;", Code::ModifierUnsupported);
    fragment("MOV.«ADD» r, r;", Code::ModifierUnsupported);
    fragment("TXQ.«F» r, r, texture[0], 2D;", Code::ModifierUnsupported);
    fragment("SIN.«F64» r, r.x;", Code::ModifierUnsupported);
    fragment("ADD.«S24» r, r, r;", Code::ModifierUnsupported);
    fragment("MOV.«XYZ» r, r;", Code::ModifierUnknown);
    fragment("MUL.S24.«S» r, r, r;", Code::MulSpecial);
    fragment("MUL.«HI» r, r, r;", Code::MulSpecial);
    fragment("ADD.F.«F32» r, r, r;", Code::BaseAndSized);
    fragment("«ADD_SATC» r, r, r;", Code::UnknownOpcode);
    fragment("«ADDCR» r, r, r;", Code::UnknownOpcode);
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
    vertex("«DDX» r, r;", Code::FeatureStage);
    vertex("«KIL» r;", Code::FeatureStage);
    fragment("«BAR»;", Code::FeatureStage);
    fragment("«GROUP_SIZE 4;»", Code::DeclarationNotAllowed);
}

#[test]
fn packing() {
    fragment("PK2H «h», r;", Code::PackShort);
    fragment("UP2H r, «h.x»;", Code::PackShort);
    fragment("PK64 «r», r;", Code::PackLong);
    fragment("UP64 r, «r»;", Code::PackLong);
    fine("!!NVfp5.0 LONG TEMP l; TEMP r; PK64 l, r; UP64 r, l; PK2H r, r; END");
}

#[test]
fn conversions() {
    fragment("«CVT».F32 r, r;", Code::CvtModifiers);
    fragment("«CVT».F.S r, r;", Code::CvtModifiers);
    fragment("CVT.F32.S32 r, «-r»;", Code::CvtModifiers);
    fragment("CVT.F32.S32 r, «|r|»;", Code::CvtModifiers);
    fragment("CVT.S32.F32.«SSAT» r, r;", Code::ClampOnInteger);
}
