//! Operands, their types and their indices.

use super::{fine, fragment, vertex};
use glasm_frontend::{Code, Source, translate};

#[test]
fn indices() {
    fragment("MOV r, «a»;", Code::ArrayNeedsIndex);
    fragment("MOV r, «q[0]»;", Code::IndexOnScalar);
    fragment("MOV r, «a[4]»;", Code::IndexOutOfBounds);
    fragment("MOV r, a[«i.x+4»];", Code::IndexOffset);
    fragment("MOV r, a[«i.x-1»];", Code::IndexOffset);
    fragment("MOV r, a[«f.x»];", Code::IndexVariable);
    fragment("MOV r, a[«a»];", Code::IndexVariable);
    fragment("MOV «a», r;", Code::ArrayNeedsIndex);
    fragment("MOV «a[9]», r;", Code::IndexOutOfBounds);
    fine("!!NVfp5.0 TEMP i, a[4]; MOV a[i], a[i.y+3]; MOV a[3], a[i.x]; END");
}

#[test]
fn operands() {
    fragment("MOV r, r.«xyz»;", Code::SwizzleLength);
    fragment("MOV r, r.«xyba»;", Code::SwizzleMixed);
    fragment("MOV r.«xg», r;", Code::SwizzleMixed);
    fragment("RCP r, «r»;", Code::ScalarSuffix);
    fragment("RCP r, «r.xyzw»;", Code::ScalarSuffix);
    fragment("SWZ r, «-r», x, y, z, w;", Code::SwzOperand);
    fragment("SWZ r, «r.x», x, y, z, w;", Code::SwzOperand);
    fragment("MOV r, «result.color»;", Code::ReadResult);
    fragment("OUTPUT o = result.depth; MOV r, «o»;", Code::ReadResult);
    fragment("MOV «p», r;", Code::WriteReadOnly);
    fragment("MOV «fragment.color», r;", Code::WriteReadOnly);
    fragment("MOV «1», r;", Code::WriteReadOnly);
    fragment("ADD.S r, r, «1.5»;", Code::FloatAsInteger);
    fragment("INT PARAM x = «0.5»;", Code::FloatAsInteger);
    fragment("ADD.U r, r, { 1, -«1» };", Code::NegativeUnsigned);
    fragment("UINT PARAM x = -«1»;", Code::NegativeUnsigned);
    fragment("UINT PARAM x = { 1, -«1» };", Code::NegativeUnsigned);
    fragment("ADD.U r, r, «4294967296»;", Code::LiteralTooLarge);
    fragment(
        "ADD.S64 l, l, «18446744073709551616»;",
        Code::LiteralTooLarge,
    );
    fragment("MOV r, { 1, 2, 3, 4, «5» };", Code::ComponentCount);
    fragment("MOV r (NE.«xy»), r;", Code::SwizzleLength);
    fine(
        "!!NVfp5.0 TEMP r; ADD.U r, r, 0xFFFFFFFF; ADD.S r, r, 0xFFFFFFFF; ADD.S r, r, -2147483648; ADD.U r, r, -1; END",
    );
}

#[test]
fn variable_types() {
    fragment("ADD «i», r, r;", Code::TypeMismatch);
    fragment("ADD.S r, «u», r;", Code::TypeMismatch);
    fragment("ADD.S r, «f», r;", Code::TypeMismatch);
    fragment("FLR.S r, «i»;", Code::TypeMismatch);
    fine(
        "!!NVfp5.0 INT TEMP i; FLOAT TEMP f; ADD.NTC i, f, 1; FLR.S i, f; I2F f, i; ADD.S i, i, 1; END",
    );
}

#[test]
fn derivatives_and_interpolation() {
    fragment("DDX.«FINE» r, r;", Code::FeatureOption);
    fine("!!NVfp5.0 OPTION ARB_derivative_control; TEMP r; DDY.COARSE r, r; END");
    fragment("IPAC r, «r»;", Code::InterpolationOperand);
    fragment("IPAC r, «-|p|»;", Code::InterpolationOperand);
    fragment("IPAO r, «fragment.facing», r;", Code::InterpolationOperand);
    fragment("IPAS r, «primitive.id.x», 0;", Code::InterpolationOperand);
    fragment("IPAC.«S» r, fragment.color;", Code::ModifierUnsupported);
    fragment("IPAS r, fragment.color, «r»;", Code::ScalarSuffix);
    vertex("«IPAC» r, vertex.position;", Code::FeatureStage);
    fine("!!NVfp5.0 ATTRIB a[] = { fragment.attrib[0..1] }; TEMP r; IPAO r, a[r.x], r; END");
}

/// A comma in the place of a decimal point makes two numbers of one: the error says how to write it.
#[test]
fn too_many_components_name_the_decimal_point() {
    let text = "!!ARBfp1.0 MOV result.color, {0,5, 0,5, 1}; END";
    let (_, diagnostics) = translate(&Source::new("test", text));
    let notes = diagnostics.list.iter().flat_map(|found| &found.notes);
    let notes: Vec<&String> = notes.collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("`{0.5, 0.5}`"), "{notes:?}");
}
