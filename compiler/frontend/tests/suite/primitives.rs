//! Geometry and tessellation programs: load errors with their places.

use crate::support::errors;
use glasm_frontend::{Code, Source, translate};

const GEOMETRY: &str =
    "!!NVgp5.0 PRIMITIVE_IN TRIANGLES; PRIMITIVE_OUT POINTS; VERTICES_OUT 3; TEMP r; INT TEMP i;";
const PATCHES: &str =
    "!!NVgp5.0 PRIMITIVE_IN PATCHES; PRIMITIVE_OUT POINTS; VERTICES_OUT 3; TEMP r; INT TEMP i;";
const CONTROL: &str = "!!NVtcp5.0 VERTICES_OUT 4; TEMP r; INT TEMP i;";
const EVALUATION: &str = "!!NVtep5.0 TESS_MODE QUADS; TEMP r; INT TEMP i;";
const PASSTHROUGH: &str =
    "!!NVgp4.0 OPTION NV_geometry_program_passthrough; PRIMITIVE_IN LINES; TEMP r;";

/// Errors in statements behind one of the beginnings above.
#[track_caller]
fn check_after(beginning: &str, statements: &str, codes: &[Code]) {
    errors(&format!("{beginning} {statements} END"), codes);
}

/// Everything in all three kinds of programs.
#[track_caller]
fn check_in_all_stages(statements: &str, codes: &[Code]) {
    for beginning in [GEOMETRY, CONTROL, EVALUATION] {
        check_after(beginning, statements, codes);
    }
}

#[test]
fn declarations_are_there_once() {
    let missing = Code::DeclarationMissing;
    errors(
        "«!!NVgp4.0» PRIMITIVE_OUT POINTS; VERTICES_OUT 1; END",
        &[missing],
    );
    errors(
        "«!!NVgp4.1» PRIMITIVE_IN POINTS; VERTICES_OUT 1; END",
        &[missing],
    );
    errors(
        "«!!NVgp5.0» PRIMITIVE_IN POINTS; PRIMITIVE_OUT POINTS; END",
        &[missing],
    );
    let (_, all) = translate(&Source::new("test", "!!NVgp5.0 INVOCATIONS 1; END"));
    let codes: Vec<Code> = all.list.iter().map(|found| found.code).collect();
    assert_eq!(codes, [missing; 3]);
    errors("«!!NVtcp5.0» END", &[missing]);
    errors("«!!NVtep5.0» TESS_SPACING EQUAL; END", &[missing]);
    let twice = [Code::DeclarationTwice];
    for declaration in [
        "PRIMITIVE_IN TRIANGLES",
        "PRIMITIVE_OUT LINE_STRIP",
        "VERTICES_OUT 3",
    ] {
        check_after(GEOMETRY, &format!("«{declaration}»;"), &twice);
    }
    check_after(GEOMETRY, "INVOCATIONS 2; «INVOCATIONS 2» ;", &twice);
    check_after(CONTROL, "«VERTICES_OUT 4»;", &twice);
    for declaration in [
        "TESS_MODE QUADS",
        "TESS_SPACING EQUAL",
        "TESS_VERTEX_ORDER CW",
        "TESS_POINT_MODE",
    ] {
        let first = if declaration.starts_with("TESS_MODE") {
            String::new()
        } else {
            format!("{declaration};")
        };
        check_after(EVALUATION, &format!("{first} «{declaration}»;"), &twice);
    }
}

#[test]
fn declarations_stand_anywhere() {
    errors(
        "!!NVgp5.0 VERTICES_OUT 1; ATTRIB p = vertex[1].position; TEMP r; MOV r, vertex[0].position; PRIMITIVE_OUT POINTS; \
         MOV r, primitive.tessouter[3]; EMITS 1; INVOCATIONS 32; PRIMITIVE_IN PATCHES; END",
        &[],
    );
    // Of what precedes the declaration, smaller numbers than the one reported are no further errors.
    errors(
        "!!NVgp5.0 VERTICES_OUT 1; TEMP r; ATTRIB p = vertex.position; MOV r, «vertex[2].position»; MOV r, «p[4]»; MOV r, p[3]; \
         MOV r, «primitive.tessouter[3]»; «EMITS» 1; PRIMITIVE_OUT LINE_STRIP; PRIMITIVE_IN LINES; END",
        &[
            Code::VertexNumber,
            Code::VertexNumber,
            Code::PatchBinding,
            Code::EmitsOutput,
        ],
    );
    errors(
        "!!NVtcp5.0 TEMP r; MOV r, «vertex.out[3].position»; VERTICES_OUT 3; END",
        &[Code::VertexNumber],
    );
    // Declarations that are missing are the only error.
    errors(
        "«!!NVgp4.0» PRIMITIVE_OUT POINTS; VERTICES_OUT 1; TEMP r; MOV r, vertex[5].position; END",
        &[Code::DeclarationMissing],
    );
}

#[test]
fn words_and_numbers_of_declarations() {
    let token = [Code::UnexpectedToken];
    errors(
        "!!NVgp4.0 PRIMITIVE_IN «QUADS»; PRIMITIVE_OUT POINTS; VERTICES_OUT 1; END",
        &token,
    );
    errors(
        "!!NVgp4.0 PRIMITIVE_IN POINTS; PRIMITIVE_OUT «TRIANGLES»; VERTICES_OUT 1; END",
        &token,
    );
    errors(
        "!!NVgp4.0 PRIMITIVE_IN POINTS; PRIMITIVE_OUT POINTS; VERTICES_OUT «many»; END",
        &token,
    );
    errors(
        "!!NVgp4.0 PRIMITIVE_IN POINTS; PRIMITIVE_OUT «3»; VERTICES_OUT 2; END",
        &token,
    );
    errors("!!NVtep5.0 TESS_MODE «POINTS»; END", &token);
    check_after(EVALUATION, "TESS_POINT_MODE «ON»;", &token);
    check_after(EVALUATION, "TESS_SPACING «FRACTIONAL»;", &token);
    check_after(EVALUATION, "TESS_VERTEX_ORDER «ccw»;", &token);
    let newer = [Code::FeatureNewer];
    errors(
        "!!NVgp4.1 PRIMITIVE_IN «PATCHES»; PRIMITIVE_OUT POINTS; VERTICES_OUT 1; END",
        &newer,
    );
    errors(
        "!!NVgp4.1 PRIMITIVE_IN LINES; «INVOCATIONS 1»; PRIMITIVE_OUT POINTS; VERTICES_OUT 1; END",
        &newer,
    );
    let of_geometry = |count: &str| {
        format!("!!NVgp5.0 PRIMITIVE_IN POINTS; PRIMITIVE_OUT POINTS; VERTICES_OUT {count}; END")
    };
    errors(&of_geometry("1024"), &[]);
    errors(&of_geometry("«0»"), &[Code::VerticesOut]);
    errors(&of_geometry("«1025»"), &[Code::VerticesOut]);
    errors("!!NVtcp5.0 VERTICES_OUT 32; END", &[]);
    errors("!!NVtcp5.0 VERTICES_OUT «33»; END", &[Code::VerticesOut]);
    errors("!!NVtcp5.0 VERTICES_OUT «0»; END", &[Code::VerticesOut]);
    check_after(GEOMETRY, "INVOCATIONS «0»;", &[Code::Invocations]);
    check_after(GEOMETRY, "INVOCATIONS «33»;", &[Code::Invocations]);
    check_after(GEOMETRY, "INVOCATIONS 32;", &[]);
}

#[test]
fn other_programs_have_no_such_declarations() {
    let not_here = [Code::DeclarationNotAllowed];
    for declaration in [
        "PRIMITIVE_IN POINTS",
        "PRIMITIVE_OUT POINTS",
        "VERTICES_OUT 1",
        "INVOCATIONS 2",
        "PASSTHROUGH result.position",
        "TESS_MODE QUADS",
        "TESS_POINT_MODE",
    ] {
        errors(&format!("!!NVvp4.0 «{declaration}»; END"), &not_here);
    }
    check_after(CONTROL, "«PRIMITIVE_IN POINTS»;", &not_here);
    check_after(EVALUATION, "«VERTICES_OUT 3»;", &not_here);
    check_after(GEOMETRY, "«TESS_MODE QUADS»;", &not_here);
    for beginning in ["!!NVvp5.0", CONTROL, EVALUATION] {
        let stage = [Code::FeatureStage; 3];
        check_after(beginning, "«EMIT»; «ENDPRIM»; «EMITS» 1;", &stage);
    }
    errors(
        "!!NVgp4.1 PRIMITIVE_IN POINTS; PRIMITIVE_OUT POINTS; VERTICES_OUT 1; EMIT; «EMITS» 0; END",
        &[Code::FeatureNewer],
    );
    check_after(GEOMETRY, "«KIL» r;", &[Code::FeatureStage]);
    let text = "!!NVgp4.0 PRIMITIVE_IN POINTS; VERTICES_OUT 1; «INT PRIMITIVE_OUT POINTS;» END";
    errors(text, &[Code::TypeNotAllowed]);
}

#[test]
fn vertices_have_numbers() {
    check_in_all_stages("MOV r, «vertex.position»;", &[Code::VertexMissing]);
    check_in_all_stages("MOV r, «vertex.texcoord[1]».x;", &[Code::VertexMissing]);
    check_in_all_stages("MOV r, «vertex[i.x].position».x;", &[Code::VertexDynamic]);
    check_in_all_stages(
        "ATTRIB p = «vertex[i.x].attrib[0]»;",
        &[Code::VertexDynamic],
    );
    check_in_all_stages("MOV r, «vertex[0..1]».position;", &[Code::RangeAsOperand]);
    check_in_all_stages(
        "MOV r, «vertex[0][1]».position;",
        &[Code::BindingTakesNoIndex],
    );
    let number = [Code::VertexNumber];
    for (primitive, count) in [
        ("POINTS", 1),
        ("LINES", 2),
        ("LINES_ADJACENCY", 4),
        ("TRIANGLES", 3),
        ("TRIANGLES_ADJACENCY", 6),
        ("PATCHES", 32),
    ] {
        let text = format!(
            "!!NVgp5.0 PRIMITIVE_IN {primitive}; PRIMITIVE_OUT POINTS; VERTICES_OUT 1; TEMP r; ATTRIB p = vertex.position; \
             MOV r, vertex[{}].position; MOV r, p[{}]; MOV r, «vertex[{count}].position».x; MOV r, «p[{count}]»; END",
            count - 1,
            count - 1,
        );
        errors(&text, &[Code::VertexNumber; 2]);
    }
    check_after(
        GEOMETRY,
        "ATTRIB p = «vertex[4294967295].position»;",
        &number,
    );
    check_after(
        CONTROL,
        "MOV r, «vertex[32].position»; MOV r, vertex.in[31].position;",
        &number,
    );
    check_after(
        CONTROL,
        "MOV r, «vertex.out[4].position»; MOV r, vertex.out[3].position;",
        &number,
    );
    check_after(
        CONTROL,
        "ATTRIB a[] = { «vertex.out[4].attrib[0..3]» };",
        &number,
    );
    check_after(EVALUATION, "MOV r, «vertex[32].position»;", &number);
    // Variables of patches may name any vertex.
    check_after(
        CONTROL,
        "ATTRIB p = vertex.position; ATTRIB q = vertex.out.position; MOV r, p[99]; MOV r, q[4294967295];",
        &[],
    );
}

#[test]
fn variables_of_vertices_have_indices() {
    check_in_all_stages(
        "ATTRIB p = vertex.position; MOV r, «p»;",
        &[Code::ArrayNeedsIndex],
    );
    check_in_all_stages(
        "ATTRIB p = vertex.position; MOV r, «p[0][1]»;",
        &[Code::IndexOnScalar],
    );
    check_in_all_stages(
        "ATTRIB p = vertex[1].position; MOV r, «p[1]»;",
        &[Code::IndexOnScalar],
    );
    let array = "ATTRIB a[2] = { vertex.attrib[1..2] };";
    check_in_all_stages(&format!("{array} MOV r, «a»;"), &[Code::ArrayNeedsIndex]);
    check_in_all_stages(&format!("{array} MOV r, «a[1]»;"), &[Code::ArrayNeedsIndex]);
    check_in_all_stages(
        &format!("{array} MOV r, «a[0][2]»;"),
        &[Code::IndexOutOfBounds],
    );
    check_in_all_stages(
        &format!("{array} MOV r, a[0][«i.x + 2»];"),
        &[Code::IndexOffset],
    );
    check_in_all_stages(
        &format!("{array} MOV r, a[«i.x + 32»][1];"),
        &[Code::IndexOffset],
    );
    check_after(
        GEOMETRY,
        &format!("{array} MOV r, a[«i.x + 3»][1];"),
        &[Code::IndexOffset],
    );
    check_in_all_stages(
        &format!("{array} FLOAT TEMP f; MOV r, a[«f.x»][1];"),
        &[Code::IndexVariable],
    );
    // A variable of vertices cannot be an index itself.
    check_in_all_stages(
        "ATTRIB p = vertex.id; MOV r, vertex[0].position; MOV r, p[«p»];",
        &[Code::IndexVariable],
    );
    check_in_all_stages(
        "ATTRIB p = vertex.position; MOV «p[0]», r;",
        &[Code::WriteReadOnly],
    );
    check_after(
        CONTROL,
        "MOV «vertex.out[0].position», r; MOV «primitive.out.patch.attrib[0]», r;",
        &[Code::WriteReadOnly; 2],
    );
}

#[test]
fn prefixes() {
    let unknown = [Code::BindingUnknown];
    check_after(EVALUATION, "MOV r, vertex.«out[0]».position;", &unknown);
    check_after(
        EVALUATION,
        "MOV r, primitive.«out».patch.attrib[0];",
        &unknown,
    );
    check_after(EVALUATION, "MOV.S i, primitive.«invocation»;", &unknown);
    check_after(EVALUATION, "MOV.S i, primitive.in.«invocation»;", &unknown);
    check_after(CONTROL, "MOV.S i, primitive.out.«vertexcount»;", &unknown);
    check_after(CONTROL, "MOV r, vertex.«tesscoord»;", &unknown);
    check_after(EVALUATION, "MOV r, vertex[0].«tesscoord»;", &unknown);
    check_after(EVALUATION, "MOV r, vertex.in.«tesscoord»;", &unknown);
    check_after(GEOMETRY, "MOV r, vertex.«in».position;", &unknown);
    check_after(GEOMETRY, "MOV.S i, primitive.«out».id;", &unknown);
    check_after(GEOMETRY, "MOV r, vertex[0].«normal»;", &unknown);
    check_after(GEOMETRY, "MOV r, vertex[0].«in[1]».position;", &unknown);
    check_in_all_stages("MOV.S i, «primitive[0]».id;", &[Code::BindingTakesNoIndex]);
    check_in_all_stages("MOV r, vertex[0].«attrib»;", &[Code::BindingNeedsIndex]);
    check_in_all_stages(
        "MOV r, vertex[0].«position[1]»;",
        &[Code::BindingTakesNoIndex],
    );
    check_in_all_stages("MOV r, vertex[0].attrib[«32»];", &[Code::BindingRange]);
    check_in_all_stages(
        "ATTRIB a[] = { «vertex[0].attrib[3..1]» };",
        &[Code::RangeReversed],
    );
    check_in_all_stages("MOV r, «vertex[0].attrib[1..3]»;", &[Code::RangeAsOperand]);
    check_after(
        CONTROL,
        "MOV.S i, primitive.in.invocation; MOV.S i, primitive.out.invocation; MOV.S i, primitive.out.id;",
        &[],
    );
    check_after(
        EVALUATION,
        "MOV.S i, primitive.in.id; MOV.S i, primitive.in.vertexcount; MOV r, primitive.in.tessouter[0];",
        &[],
    );
    let mix = "ATTRIB a[] = { vertex.attrib[0], «vertex[1].attrib[1]» };";
    check_in_all_stages(mix, &[Code::VertexPrefixMix]);
    let others = "ATTRIB a[] = { vertex[0].attrib[0], «vertex[1].attrib[1]» };";
    check_in_all_stages(others, &[Code::ArrayKinds]);
    check_after(
        CONTROL,
        "ATTRIB a[] = { vertex.attrib[0], «vertex.out.attrib[1]» };",
        &[Code::ArrayKinds],
    );
    check_after(
        CONTROL,
        "ATTRIB a[] = { vertex.attrib[0], vertex.in.attrib[1] };",
        &[],
    );
}

#[test]
fn attributes_of_patches() {
    for binding in [
        "primitive.tessouter[0]",
        "primitive.tessinner[1]",
        "primitive.patch.attrib[29]",
    ] {
        check_after(
            GEOMETRY,
            &format!("MOV r, «{binding}»;"),
            &[Code::PatchBinding],
        );
        check_after(
            CONTROL,
            &format!("MOV r, «{binding}».x;"),
            &[Code::PatchOfInput],
        );
        check_after(PATCHES, &format!("MOV r, {binding};"), &[]);
        check_after(EVALUATION, &format!("MOV r, {binding};"), &[]);
    }
    check_after(
        CONTROL,
        "ATTRIB a[] = { «primitive.in.tessouter[0..3]» };",
        &[Code::PatchOfInput],
    );
    let range = [Code::BindingRange];
    for binding in [
        "primitive.tessouter[«4»]",
        "primitive.tessinner[«2»]",
        "primitive.patch.attrib[«30»]",
    ] {
        check_after(EVALUATION, &format!("MOV r, {binding};"), &range);
        check_after(PATCHES, &format!("MOV r, {binding};"), &range);
    }
    check_after(CONTROL, "MOV result.patch.tessouter[«4»], r;", &range);
    check_after(
        EVALUATION,
        "MOV r, primitive.«tessouter»;",
        &[Code::BindingNeedsIndex],
    );
    check_after(
        EVALUATION,
        "MOV result.«patch».attrib[0], r;",
        &[Code::BindingUnknown],
    );
    check_after(
        CONTROL,
        "«OUTPUT o[] = { result.patch.tessouter[0..3], result.patch.tessinner[0] };»",
        &[Code::ArrayKinds],
    );
    check_after(
        CONTROL,
        "OUTPUT o[] = { result.patch.attrib[0..3] }; «OUTPUT p[] = { result.patch.attrib[2..5] };» MOV o[i.x], r; MOV p[i.x], r;",
        &[Code::RelativeOverlap],
    );
    let newer = "!!NVgp4.1 PRIMITIVE_IN LINES; PRIMITIVE_OUT POINTS; VERTICES_OUT 1; INT TEMP i; MOV.S i, «primitive.vertexcount»; END";
    errors(newer, &[Code::FeatureNewer]);
}

#[test]
fn results() {
    check_after(
        GEOMETRY,
        "MOV.S result.layer.x, i; MOV.S result.primid.x, i; MOV.S result.«id».x, i;",
        &[Code::BindingUnknown],
    );
    check_after(
        CONTROL,
        "MOV.S result.id.x, i; MOV.S result.«primid».x, i;",
        &[Code::BindingUnknown],
    );
    check_after(
        EVALUATION,
        "MOV.S «result.layer».x, i; MOV.S «result.viewport».x, i;",
        &[Code::ResultOption; 2],
    );
    check_after(
        GEOMETRY,
        "MOV.S «result.viewport».x, i;",
        &[Code::ResultOption],
    );
    for option in ["ARB_viewport_array", "NV_viewport_array2"] {
        let text = GEOMETRY.replacen(' ', &format!(" OPTION {option}; "), 1);
        check_after(&text, "MOV.S result.viewport.x, i;", &[]);
    }
    let both = GEOMETRY.replacen(' ', " OPTION NV_viewport_array2; ", 1);
    check_after(
        &both,
        "MOV.S result.viewport.x, i; MOV.S «result.viewportmask.x», i;",
        &[Code::ViewportAndMask],
    );
    let option = CONTROL.replacen(' ', " OPTION «ARB_viewport_array»; ", 1);
    check_after(&option, "", &[Code::OptionUnknown]);
    check_after(
        GEOMETRY,
        "MOV r, «vertex[0].secondaryposition»;",
        &[Code::ResultOption],
    );
    check_after(
        GEOMETRY,
        "«EMITS»;".replace("«EMITS»;", "EMITS«;»").as_str(),
        &[Code::MissingOperand],
    );
    check_after(
        GEOMETRY,
        "EMITS «i»; EMITS.S i.y; EMITS r.x; EMITS 3;",
        &[Code::ScalarSuffix],
    );
    let strips = GEOMETRY.replace("POINTS", "TRIANGLE_STRIP");
    check_after(&strips, "EMIT; ENDPRIM; «EMITS» i.x;", &[Code::EmitsOutput]);
}

#[test]
fn programs_that_pass_their_primitive_on() {
    let refused = Code::PassthroughNotAllowed;
    check_after(
        PASSTHROUGH,
        "«PRIMITIVE_OUT POINTS»; «VERTICES_OUT 2»; «EMIT»; «ENDPRIM»;",
        &[refused; 4],
    );
    let five = PASSTHROUGH.replace("4.0", "5.0");
    check_after(&five, "«INVOCATIONS 1»; «EMITS» 0;", &[refused; 2]);
    for primitive in ["LINES_ADJACENCY", "TRIANGLES_ADJACENCY", "PATCHES"] {
        let text = format!(
            "!!NVgp5.0 OPTION NV_geometry_shader_passthrough; PRIMITIVE_IN «{primitive}»; END"
        );
        errors(&text, &[refused]);
    }
    errors(
        "«!!NVgp5.0» OPTION NV_geometry_program_passthrough; END",
        &[Code::DeclarationMissing],
    );
}

#[test]
fn results_that_are_passed_on() {
    check_after(
        GEOMETRY,
        "«PASSTHROUGH result.position»;",
        &[Code::FeatureOption],
    );
    check_after(
        PASSTHROUGH,
        "PASSTHROUGH «vertex.position»;",
        &[Code::BindingUnknown],
    );
    for result in ["primid", "layer"] {
        check_after(
            PASSTHROUGH,
            &format!("PASSTHROUGH «result.{result}»;"),
            &[Code::PassthroughBinding],
        );
    }
    let both = PASSTHROUGH.replacen("OPTION", "OPTION NV_viewport_array2; OPTION", 1);
    for result in ["viewport", "viewportmask[0]"] {
        check_after(
            &both,
            &format!("PASSTHROUGH «result.{result}»;"),
            &[Code::PassthroughBinding],
        );
    }
    check_after(
        PASSTHROUGH,
        "PASSTHROUGH «result.attrib[0]».x; MOV result.attrib[0].y, r;",
        &[Code::PassthroughWritten],
    );
    check_after(
        PASSTHROUGH,
        "OUTPUT o[] = { result.attrib[1..3] }; PASSTHROUGH «result.attrib[2]»; PASSTHROUGH result.position; INT TEMP i; MOV o[i.x], r;",
        &[Code::PassthroughWritten],
    );
    check_after(
        PASSTHROUGH,
        "OUTPUT o[] = { result.attrib[1..3] }; PASSTHROUGH result.attrib[2]; MOV o[0], r;",
        &[],
    );
    check_after(
        PASSTHROUGH,
        "PASSTHROUGH result.color.«q»;",
        &[Code::BindingUnknown],
    );
    check_after(
        PASSTHROUGH,
        "PASSTHROUGH result.color.«yx»;",
        &[Code::MaskOrder],
    );
}

#[test]
fn components_of_all_vertices() {
    let count = |text: &str| {
        let found = glasm_frontend::count_resources(&Source::new("test", text)).unwrap();
        (found.attribute_components, found.result_components)
    };
    let geometry = |body: &str| format!("{GEOMETRY} {body} END");
    // One attribute of several vertices counts once.
    let text = geometry(
        "ADD r, vertex[0].position, vertex[1].position; ATTRIB p = vertex.position; MOV result.position.xy, p[2];",
    );
    assert_eq!(count(&text), (4, 2));
    let text = geometry("ATTRIB a[] = { vertex.attrib[0..2] }; MOV r, a[1][2].x;");
    assert_eq!(count(&text), (3, 0));
    // Tessellation levels are not counted: ARB_tessellation_shader section 2.X.1.2.
    assert_eq!(
        count(&format!(
            "{CONTROL} ADD r, vertex.out[0].attrib[1].x, vertex[0].attrib[1].x; MOV result.patch.tessinner[0], r; END"
        )),
        (2, 0)
    );
    let text = |vertices: u32, mask: &str| {
        format!(
            "!!NVgp4.0 PRIMITIVE_IN POINTS; PRIMITIVE_OUT POINTS; VERTICES_OUT {vertices}; MOV result.position, 0; MOV result.color{mask}, 0; EMIT; END"
        )
    };
    errors(&text(128, ""), &[]);
    errors(&text(129, ""), &[Code::TooManyOutputComponents]);
    errors(&text(146, ".xyz"), &[]);
    errors(&text(147, ".xyz"), &[Code::TooManyOutputComponents]);
}

#[test]
fn many_vertices_of_few_attributes_load() {
    // 36 bindings have more than 128 components, 6 attributes have not.
    let attributes = (0..6).flat_map(|vertex| {
        (0..6).map(move |number| format!("ADD r, r, vertex[{vertex}].attrib[{number}];"))
    });
    let text: String = attributes.collect();
    errors(
        &format!(
            "!!NVgp4.0 PRIMITIVE_IN TRIANGLES_ADJACENCY; PRIMITIVE_OUT POINTS; VERTICES_OUT 1; TEMP r; {text} END"
        ),
        &[],
    );
}
