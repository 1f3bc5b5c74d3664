//! Operands, their types and their indices.

use super::{check_fragment_error, check_loads, check_vertex_error};
use glasm_frontend::{Code, Source, translate};

#[test]
fn indices() {
    check_fragment_error("MOV r, «a»;", Code::ArrayNeedsIndex);
    check_fragment_error("MOV r, «q[0]»;", Code::IndexOnScalar);
    check_fragment_error("MOV r, «a[4]»;", Code::IndexOutOfBounds);
    check_fragment_error("MOV r, a[«i.x+4»];", Code::IndexOffset);
    check_fragment_error("MOV r, a[«i.x-1»];", Code::IndexOffset);
    check_fragment_error("MOV r, a[«f.x»];", Code::IndexVariable);
    check_fragment_error("MOV r, a[«a»];", Code::IndexVariable);
    check_fragment_error("MOV «a», r;", Code::ArrayNeedsIndex);
    check_fragment_error("MOV «a[9]», r;", Code::IndexOutOfBounds);
    check_loads("!!NVfp5.0 TEMP i, a[4]; MOV a[i], a[i.y+3]; MOV a[3], a[i.x]; END");
}

#[test]
fn operands() {
    check_fragment_error("MOV r, r.«xyz»;", Code::SwizzleLength);
    check_fragment_error("MOV r, r.«xyba»;", Code::SwizzleMixed);
    check_fragment_error("MOV r.«xg», r;", Code::SwizzleMixed);
    check_fragment_error("RCP r, «r»;", Code::ScalarSuffix);
    check_fragment_error("RCP r, «r.xyzw»;", Code::ScalarSuffix);
    check_fragment_error("SWZ r, «-r», x, y, z, w;", Code::SwzOperand);
    check_fragment_error("SWZ r, «r.x», x, y, z, w;", Code::SwzOperand);
    check_fragment_error("MOV r, «result.color»;", Code::ReadResult);
    check_fragment_error("OUTPUT o = result.depth; MOV r, «o»;", Code::ReadResult);
    check_fragment_error("MOV «p», r;", Code::WriteReadOnly);
    check_fragment_error("MOV «fragment.color», r;", Code::WriteReadOnly);
    check_fragment_error("MOV «1», r;", Code::WriteReadOnly);
    check_fragment_error("ADD.S r, r, «1.5»;", Code::FloatAsInteger);
    check_fragment_error("INT PARAM x = «0.5»;", Code::FloatAsInteger);
    check_fragment_error("ADD.U r, r, { 1, -«1» };", Code::NegativeUnsigned);
    check_fragment_error("UINT PARAM x = -«1»;", Code::NegativeUnsigned);
    check_fragment_error("UINT PARAM x = { 1, -«1» };", Code::NegativeUnsigned);
    check_fragment_error("ADD.U r, r, «4294967296»;", Code::LiteralTooLarge);
    check_fragment_error(
        "ADD.S64 l, l, «18446744073709551616»;",
        Code::LiteralTooLarge,
    );
    check_fragment_error("MOV r, { 1, 2, 3, 4, «5» };", Code::ComponentCount);
    check_fragment_error("MOV r (NE.«xy»), r;", Code::SwizzleLength);
    check_loads(
        "!!NVfp5.0 TEMP r; ADD.U r, r, 0xFFFFFFFF; ADD.S r, r, 0xFFFFFFFF; ADD.S r, r, -2147483648; ADD.U r, r, -1; END",
    );
}

#[test]
fn variable_types() {
    check_fragment_error("ADD «i», r, r;", Code::TypeMismatch);
    check_fragment_error("ADD.S r, «u», r;", Code::TypeMismatch);
    check_fragment_error("ADD.S r, «f», r;", Code::TypeMismatch);
    check_fragment_error("FLR.S r, «i»;", Code::TypeMismatch);
    check_loads(
        "!!NVfp5.0 INT TEMP i; FLOAT TEMP f; ADD.NTC i, f, 1; FLR.S i, f; I2F f, i; ADD.S i, i, 1; END",
    );
}

#[test]
fn derivatives_and_interpolation() {
    check_fragment_error("DDX.«FINE» r, r;", Code::FeatureOption);
    check_loads("!!NVfp5.0 OPTION ARB_derivative_control; TEMP r; DDY.COARSE r, r; END");
    check_fragment_error("IPAC r, «r»;", Code::InterpolationOperand);
    check_fragment_error("IPAC r, «-|p|»;", Code::InterpolationOperand);
    check_fragment_error("IPAO r, «fragment.facing», r;", Code::InterpolationOperand);
    check_fragment_error("IPAS r, «primitive.id.x», 0;", Code::InterpolationOperand);
    check_fragment_error("IPAC.«S» r, fragment.color;", Code::ModifierUnsupported);
    check_fragment_error("IPAS r, fragment.color, «r»;", Code::ScalarSuffix);
    check_vertex_error("«IPAC» r, vertex.position;", Code::FeatureStage);
    check_loads("!!NVfp5.0 ATTRIB a[] = { fragment.attrib[0..1] }; TEMP r; IPAO r, a[r.x], r; END");
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
