//! Names, declarations and bindings.

use super::{errors, fine, fragment, vertex};
use glasm_frontend::Code;

#[test]
fn names() {
    fragment("TEMP «r»;", Code::DuplicateName);
    fragment("ALIAS «r» = q;", Code::DuplicateName);
    fragment("ALIAS x = «nothing»;", Code::UndeclaredName);
    fragment("MOV r, «nothing».x; MOV r, nothing;", Code::UndeclaredName);
    fragment("TEMP «program»;", Code::ReservedName);
    fragment("TEMP «fragment»;", Code::ReservedName);
    fragment("CAL «nowhere»;", Code::UndefinedLabel);
    fragment("x: RET; «x»: RET;", Code::DuplicateLabel);
    fine("!!NVfp5.0 TEMP vertex, MOV, TEMP, CC, EQ, END1; MOV MOV, EQ; MOV TEMP, MOV; END");
    fine("!!NVvp5.0 TEMP fragment, primitive; MOV fragment, primitive; END");
}

#[test]
fn bindings_of_memory() {
    // The wrong declaration is the only error, not what uses its name.
    fragment(
        "CBUFFER b[] = { program.buffer[«99»] }; LDC.F32 r, b[0];",
        Code::BindingRange,
    );
    errors(
        "!!NVfp5.0 TEMP r; CBUFFER b[] = { program.buffer[«99»] }; CBUFFER b[] = { program.buffer[«98»] }; LDC.F32 r, b[0]; END",
        &[Code::BindingRange, Code::BindingRange],
    );
    for version in ["4.0", "4.1"] {
        errors(
            &format!("!!NVfp{version} PARAM p = program.«storagelen[0]»; END"),
            &[Code::BindingUnknown],
        );
    }
    fine("!!NVfp5.0 OPTION NV_shader_storage_buffer; PARAM p = program.storagelen[0]; END");
}

#[test]
fn declaration_modifiers() {
    fragment("INT «FLOAT» TEMP x;", Code::TypeModifierTwice);
    fragment("SHORT «LONG» TEMP x;", Code::SizeModifierTwice);
    fragment("«LONG PARAM x = 1;»", Code::LongNotAllowed);
    fragment("«SHORT PARAM x = 1;»", Code::ShortNotAllowed);
    fragment("«INT TEXTURE x = texture[0];»", Code::TypeNotAllowed);
    fragment("«FLAT TEMP x;»", Code::InterpolationNotAllowed);
    fragment(
        "FLAT «FLAT» ATTRIB x = fragment.attrib[0];",
        Code::InterpolationTwice,
    );
    fragment(
        "«FLAT CENTROID ATTRIB x = fragment.attrib[0];»",
        Code::InterpolationMix,
    );
    fragment("«INT ATTRIB x = fragment.attrib[0];»", Code::IntNotFlat);
    fragment(
        "«FLAT ATTRIB x = fragment.position;»",
        Code::InterpolationNotAllowed,
    );
    fragment(
        "FLAT ATTRIB x = fragment.attrib[1]; «ATTRIB y = fragment.attrib[1];»",
        Code::InterpolationConflict,
    );
    fragment(
        "FLAT ATTRIB x = fragment.color; «ATTRIB y = fragment.color.secondary;»",
        Code::InterpolationConflict,
    );
    fine(
        "!!NVfp5.0 CENTROID NOPERSPECTIVE FLOAT ATTRIB x = fragment.attrib[0]; FLAT INT ATTRIB y = primitive.id; END",
    );
    errors(
        "!!NVfp4.0 «SAMPLE ATTRIB x = fragment.attrib[0];» END",
        &[Code::FeatureNewer],
    );
    errors(
        "!!NVvp4.0 «LONG ATTRIB x = vertex.attrib[0];» END",
        &[Code::LongNotAllowed],
    );
}

#[test]
fn arrays() {
    fragment("PARAM x[«3»] = { 1, 2 };", Code::ArraySizeMismatch);
    fragment("TEMP x[«0»];", Code::ArraySizeBad);
    fragment("TEMP «x»[];", Code::ArraySizeBad);
    fragment(
        "«ATTRIB x[] = { fragment.texcoord[0], fragment.attrib[1] };»",
        Code::ArrayKinds,
    );
    fragment(
        "«ATTRIB x[] = { fragment.attrib[0], fragment.attrib[2] };»",
        Code::ArrayOrder,
    );
    fragment(
        "«ATTRIB x[] = { fragment.attrib[1], fragment.attrib[0] };»",
        Code::ArrayOrder,
    );
    errors(
        "!!NVfp5.0 OPTION ARB_draw_buffers; «OUTPUT x[] = { result.color[0] };» END",
        &[Code::OutputArray],
    );
}

#[test]
fn run_time_arrays_share_no_binding() {
    let overlap = "!!NVvp5.0 TEMP i; «PARAM a[] = { program.env[0..3], program.env[1] };» MOV result.position, a[i.x]; END";
    errors(overlap, &[Code::RelativeOverlap]);
    let two = "!!NVvp5.0 TEMP i; ATTRIB a[] = { vertex.attrib[0..2] }; «ATTRIB b[] = { vertex.attrib[2..3] };» \
               ADD result.position, a[i.x], b[i.x]; END";
    errors(two, &[Code::RelativeOverlap]);
    fine(
        "!!NVvp5.0 TEMP i; PARAM a[] = { program.env[0..3], program.env[1] }; MOV result.position, a[4]; END",
    );
    fine("!!NVvp5.0 TEMP i; PARAM a[] = { 1.0, 1.0 }; MOV result.position, a[i.x]; END");
}

#[test]
fn bindings() {
    fragment("MOV r, program.env[«5000»];", Code::BindingRange);
    fragment("PARAM x[] = { «program.env[3..2]» };", Code::RangeReversed);
    fragment("MOV r, «program.env[0..1]»;", Code::RangeAsOperand);
    fragment("PARAM x = «program.local[0..1]»;", Code::RangeAsOperand);
    fragment("MOV r, fragment.«colour»;", Code::BindingUnknown);
    fragment("MOV r, fragment.«attrib».x;", Code::BindingNeedsIndex);
    fragment("MOV r, fragment.«fogcoord[0]»;", Code::BindingTakesNoIndex);
    fragment(
        "MOV r, state.matrix.mvp.«row[0][1]»;",
        Code::BindingTakesNoIndex,
    );
    fragment(
        "MOV r, state.«matrix[1]».mvp.row[0];",
        Code::BindingTakesNoIndex,
    );
    fragment(
        "MOV r, «state[1]».matrix.mvp.row[0];",
        Code::BindingTakesNoIndex,
    );
    fragment("TEX r, r, «texture[0][1]», 2D;", Code::BindingTakesNoIndex);
    fragment("IMAGE x = «image[0][1]»;", Code::BindingTakesNoIndex);
    fragment("MOV r, «state.matrix.mvp»;", Code::MatrixNeedsRow);
    fragment("PARAM x = «state.matrix.mvp»;", Code::MatrixNeedsRow);
    fragment("MOV r, state.matrix.mvp.row[«4»];", Code::BindingRange);
    fragment(
        "MOV r, state.matrix.«program».row[0];",
        Code::BindingNeedsIndex,
    );
    fragment("MOV r, state.light[«8»].ambient;", Code::BindingRange);
    fragment("MOV r, state.«light».ambient;", Code::BindingNeedsIndex);
    fragment("MOV r, «program.buffer[0][1]»;", Code::BufferOperand);
    fragment("MOV «result.color[1]», r;", Code::ResultOption);
    fragment("MOV «result.color.secondary», r;", Code::ResultOption);
    fine("!!NVfp5.0 OPTION ARB_draw_buffers; MOV result.color[1], 0; END");
    vertex(
        "MOV r, vertex.position; MOV r, «vertex.attrib[0]»;",
        Code::AliasPair,
    );
    vertex(
        "ATTRIB x = vertex.attrib[9]; «ATTRIB y = vertex.texcoord[1];»",
        Code::AliasPair,
    );
    errors(
        "!!NVvp4.0 MOV result.position, «vertex.baseVertex».x; END",
        &[Code::FeatureNewer],
    );
}

#[test]
fn buffers() {
    fragment(
        "BUFFER x = program.buffer[0][1]; «BUFFER4 y = program.buffer[0][2];»",
        Code::BufferKind,
    );
    fragment(
        "BUFFER x[] = { program.buffer[0][1], «program.buffer[1][2]» };",
        Code::BufferBindings,
    );
    fragment(
        "CBUFFER x[] = { program.buffer[0] }; MOV r, «x[0]»;",
        Code::MemoryOperand,
    );
    fragment(
        "BUFFER x[] = { program.buffer[0] }; LDC.F32 r, «x[0]»;",
        Code::MemoryOperand,
    );
    errors(
        "!!NVfp4.0 «CBUFFER x[] = { program.buffer[0] };» END",
        &[Code::FeatureOption],
    );
}

#[test]
fn wide_attributes() {
    fine("!!NVvp5.0 LONG ATTRIB x = vertex.attrib[1]; LONG TEMP l; MOV.U64 l, x; END");
}
