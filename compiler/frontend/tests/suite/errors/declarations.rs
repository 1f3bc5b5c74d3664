//! Names, declarations and bindings.

use super::{check_fragment_error, check_loads, check_vertex_error, errors};
use glasm_frontend::Code;

#[test]
fn names() {
    check_fragment_error("TEMP «r»;", Code::DuplicateName);
    check_fragment_error("ALIAS «r» = q;", Code::DuplicateName);
    check_fragment_error("ALIAS x = «nothing»;", Code::UndeclaredName);
    check_fragment_error("MOV r, «nothing».x; MOV r, nothing;", Code::UndeclaredName);
    check_fragment_error("TEMP «program»;", Code::ReservedName);
    check_fragment_error("TEMP «fragment»;", Code::ReservedName);
    check_fragment_error("CAL «nowhere»;", Code::UndefinedLabel);
    check_fragment_error("x: RET; «x»: RET;", Code::DuplicateLabel);
    check_loads("!!NVfp5.0 TEMP vertex, MOV, TEMP, CC, EQ, END1; MOV MOV, EQ; MOV TEMP, MOV; END");
    check_loads("!!NVvp5.0 TEMP fragment, primitive; MOV fragment, primitive; END");
}

#[test]
fn bindings_of_memory() {
    // The wrong declaration is the only error, not what uses its name.
    check_fragment_error(
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
    check_loads("!!NVfp5.0 OPTION NV_shader_storage_buffer; PARAM p = program.storagelen[0]; END");
}

#[test]
fn declaration_modifiers() {
    check_fragment_error("INT «FLOAT» TEMP x;", Code::TypeModifierTwice);
    check_fragment_error("SHORT «LONG» TEMP x;", Code::SizeModifierTwice);
    check_fragment_error("«LONG PARAM x = 1;»", Code::LongNotAllowed);
    check_fragment_error("«SHORT PARAM x = 1;»", Code::ShortNotAllowed);
    check_fragment_error("«INT TEXTURE x = texture[0];»", Code::TypeNotAllowed);
    check_fragment_error("«FLAT TEMP x;»", Code::InterpolationNotAllowed);
    check_fragment_error(
        "FLAT «FLAT» ATTRIB x = fragment.attrib[0];",
        Code::InterpolationTwice,
    );
    check_fragment_error(
        "«FLAT CENTROID ATTRIB x = fragment.attrib[0];»",
        Code::InterpolationMix,
    );
    check_fragment_error("«INT ATTRIB x = fragment.attrib[0];»", Code::IntNotFlat);
    check_fragment_error(
        "«FLAT ATTRIB x = fragment.position;»",
        Code::InterpolationNotAllowed,
    );
    check_fragment_error(
        "FLAT ATTRIB x = fragment.attrib[1]; «ATTRIB y = fragment.attrib[1];»",
        Code::InterpolationConflict,
    );
    check_fragment_error(
        "FLAT ATTRIB x = fragment.color; «ATTRIB y = fragment.color.secondary;»",
        Code::InterpolationConflict,
    );
    check_loads(
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
    check_fragment_error("PARAM x[«3»] = { 1, 2 };", Code::ArraySizeMismatch);
    check_fragment_error("TEMP x[«0»];", Code::ArraySizeBad);
    check_fragment_error("TEMP «x»[];", Code::ArraySizeBad);
    check_fragment_error(
        "«ATTRIB x[] = { fragment.texcoord[0], fragment.attrib[1] };»",
        Code::ArrayKinds,
    );
    check_fragment_error(
        "«ATTRIB x[] = { fragment.attrib[0], fragment.attrib[2] };»",
        Code::ArrayOrder,
    );
    check_fragment_error(
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
    check_loads(
        "!!NVvp5.0 TEMP i; PARAM a[] = { program.env[0..3], program.env[1] }; MOV result.position, a[4]; END",
    );
    check_loads("!!NVvp5.0 TEMP i; PARAM a[] = { 1.0, 1.0 }; MOV result.position, a[i.x]; END");
}

#[test]
fn bindings() {
    check_fragment_error("MOV r, program.env[«5000»];", Code::BindingRange);
    check_fragment_error("PARAM x[] = { «program.env[3..2]» };", Code::RangeReversed);
    check_fragment_error("MOV r, «program.env[0..1]»;", Code::RangeAsOperand);
    check_fragment_error("PARAM x = «program.local[0..1]»;", Code::RangeAsOperand);
    check_fragment_error("MOV r, fragment.«colour»;", Code::BindingUnknown);
    check_fragment_error("MOV r, fragment.«attrib».x;", Code::BindingNeedsIndex);
    check_fragment_error("MOV r, fragment.«fogcoord[0]»;", Code::BindingTakesNoIndex);
    check_fragment_error(
        "MOV r, state.matrix.mvp.«row[0][1]»;",
        Code::BindingTakesNoIndex,
    );
    check_fragment_error(
        "MOV r, state.«matrix[1]».mvp.row[0];",
        Code::BindingTakesNoIndex,
    );
    check_fragment_error(
        "MOV r, «state[1]».matrix.mvp.row[0];",
        Code::BindingTakesNoIndex,
    );
    check_fragment_error("TEX r, r, «texture[0][1]», 2D;", Code::BindingTakesNoIndex);
    check_fragment_error("IMAGE x = «image[0][1]»;", Code::BindingTakesNoIndex);
    check_fragment_error("MOV r, «state.matrix.mvp»;", Code::MatrixNeedsRow);
    check_fragment_error("PARAM x = «state.matrix.mvp»;", Code::MatrixNeedsRow);
    check_fragment_error("MOV r, state.matrix.mvp.row[«4»];", Code::BindingRange);
    check_fragment_error(
        "MOV r, state.matrix.«program».row[0];",
        Code::BindingNeedsIndex,
    );
    check_fragment_error("MOV r, state.light[«8»].ambient;", Code::BindingRange);
    check_fragment_error("MOV r, state.«light».ambient;", Code::BindingNeedsIndex);
    check_fragment_error("MOV r, «program.buffer[0][1]»;", Code::BufferOperand);
    check_fragment_error("MOV «result.color[1]», r;", Code::ResultOption);
    check_fragment_error("MOV «result.color.secondary», r;", Code::ResultOption);
    check_loads("!!NVfp5.0 OPTION ARB_draw_buffers; MOV result.color[1], 0; END");
    check_vertex_error(
        "MOV r, vertex.position; MOV r, «vertex.attrib[0]»;",
        Code::AliasPair,
    );
    check_vertex_error(
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
    check_fragment_error(
        "BUFFER x = program.buffer[0][1]; «BUFFER4 y = program.buffer[0][2];»",
        Code::BufferKind,
    );
    check_fragment_error(
        "BUFFER x[] = { program.buffer[0][1], «program.buffer[1][2]» };",
        Code::BufferBindings,
    );
    check_fragment_error(
        "CBUFFER x[] = { program.buffer[0] }; MOV r, «x[0]»;",
        Code::MemoryOperand,
    );
    check_fragment_error(
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
    check_loads("!!NVvp5.0 LONG ATTRIB x = vertex.attrib[1]; LONG TEMP l; MOV.U64 l, x; END");
}
