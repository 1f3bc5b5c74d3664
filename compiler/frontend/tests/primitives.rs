//! Geometry and tessellation programs: load errors with their places.

mod support;

use glasm_frontend::{Code, Source, translate};
use support::errors;

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
fn behind(beginning: &str, statements: &str, codes: &[Code]) {
    errors(&format!("{beginning} {statements} END"), codes);
}

/// Everything in all three kinds of programs.
#[track_caller]
fn everywhere(statements: &str, codes: &[Code]) {
    for beginning in [GEOMETRY, CONTROL, EVALUATION] {
        behind(beginning, statements, codes);
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
        behind(GEOMETRY, &format!("«{declaration}»;"), &twice);
    }
    behind(GEOMETRY, "INVOCATIONS 2; «INVOCATIONS 2» ;", &twice);
    behind(CONTROL, "«VERTICES_OUT 4»;", &twice);
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
        behind(EVALUATION, &format!("{first} «{declaration}»;"), &twice);
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
    behind(EVALUATION, "TESS_POINT_MODE «ON»;", &token);
    behind(EVALUATION, "TESS_SPACING «FRACTIONAL»;", &token);
    behind(EVALUATION, "TESS_VERTEX_ORDER «ccw»;", &token);
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
    behind(GEOMETRY, "INVOCATIONS «0»;", &[Code::Invocations]);
    behind(GEOMETRY, "INVOCATIONS «33»;", &[Code::Invocations]);
    behind(GEOMETRY, "INVOCATIONS 32;", &[]);
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
    behind(CONTROL, "«PRIMITIVE_IN POINTS»;", &not_here);
    behind(EVALUATION, "«VERTICES_OUT 3»;", &not_here);
    behind(GEOMETRY, "«TESS_MODE QUADS»;", &not_here);
    for beginning in ["!!NVvp5.0", CONTROL, EVALUATION] {
        let stage = [Code::FeatureStage; 3];
        behind(beginning, "«EMIT»; «ENDPRIM»; «EMITS» 1;", &stage);
    }
    errors(
        "!!NVgp4.1 PRIMITIVE_IN POINTS; PRIMITIVE_OUT POINTS; VERTICES_OUT 1; EMIT; «EMITS» 0; END",
        &[Code::FeatureNewer],
    );
    behind(GEOMETRY, "«KIL» r;", &[Code::FeatureStage]);
    let text = "!!NVgp4.0 PRIMITIVE_IN POINTS; VERTICES_OUT 1; «INT PRIMITIVE_OUT POINTS;» END";
    errors(text, &[Code::TypeNotAllowed]);
}

#[test]
fn vertices_have_numbers() {
    everywhere("MOV r, «vertex.position»;", &[Code::VertexMissing]);
    everywhere("MOV r, «vertex.texcoord[1]».x;", &[Code::VertexMissing]);
    everywhere("MOV r, «vertex[i.x].position».x;", &[Code::VertexDynamic]);
    everywhere(
        "ATTRIB p = «vertex[i.x].attrib[0]»;",
        &[Code::VertexDynamic],
    );
    everywhere("MOV r, «vertex[0..1]».position;", &[Code::RangeAsOperand]);
    everywhere(
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
    behind(
        GEOMETRY,
        "ATTRIB p = «vertex[4294967295].position»;",
        &number,
    );
    behind(
        CONTROL,
        "MOV r, «vertex[32].position»; MOV r, vertex.in[31].position;",
        &number,
    );
    behind(
        CONTROL,
        "MOV r, «vertex.out[4].position»; MOV r, vertex.out[3].position;",
        &number,
    );
    behind(
        CONTROL,
        "ATTRIB a[] = { «vertex.out[4].attrib[0..3]» };",
        &number,
    );
    behind(EVALUATION, "MOV r, «vertex[32].position»;", &number);
    // Variables of patches may name any vertex.
    behind(
        CONTROL,
        "ATTRIB p = vertex.position; ATTRIB q = vertex.out.position; MOV r, p[99]; MOV r, q[4294967295];",
        &[],
    );
}

#[test]
fn variables_of_vertices_have_indices() {
    everywhere(
        "ATTRIB p = vertex.position; MOV r, «p»;",
        &[Code::ArrayNeedsIndex],
    );
    everywhere(
        "ATTRIB p = vertex.position; MOV r, «p[0][1]»;",
        &[Code::IndexOnScalar],
    );
    everywhere(
        "ATTRIB p = vertex[1].position; MOV r, «p[1]»;",
        &[Code::IndexOnScalar],
    );
    let array = "ATTRIB a[2] = { vertex.attrib[1..2] };";
    everywhere(&format!("{array} MOV r, «a»;"), &[Code::ArrayNeedsIndex]);
    everywhere(&format!("{array} MOV r, «a[1]»;"), &[Code::ArrayNeedsIndex]);
    everywhere(
        &format!("{array} MOV r, «a[0][2]»;"),
        &[Code::IndexOutOfBounds],
    );
    everywhere(
        &format!("{array} MOV r, a[0][«i.x + 2»];"),
        &[Code::IndexOffset],
    );
    everywhere(
        &format!("{array} MOV r, a[«i.x + 32»][1];"),
        &[Code::IndexOffset],
    );
    behind(
        GEOMETRY,
        &format!("{array} MOV r, a[«i.x + 3»][1];"),
        &[Code::IndexOffset],
    );
    everywhere(
        &format!("{array} FLOAT TEMP f; MOV r, a[«f.x»][1];"),
        &[Code::IndexVariable],
    );
    // A variable of vertices cannot be an index itself.
    everywhere(
        "ATTRIB p = vertex.id; MOV r, vertex[0].position; MOV r, p[«p»];",
        &[Code::IndexVariable],
    );
    everywhere(
        "ATTRIB p = vertex.position; MOV «p[0]», r;",
        &[Code::WriteReadOnly],
    );
    behind(
        CONTROL,
        "MOV «vertex.out[0].position», r; MOV «primitive.out.patch.attrib[0]», r;",
        &[Code::WriteReadOnly; 2],
    );
}

#[test]
fn prefixes() {
    let unknown = [Code::BindingUnknown];
    behind(EVALUATION, "MOV r, vertex.«out[0]».position;", &unknown);
    behind(
        EVALUATION,
        "MOV r, primitive.«out».patch.attrib[0];",
        &unknown,
    );
    behind(EVALUATION, "MOV.S i, primitive.«invocation»;", &unknown);
    behind(EVALUATION, "MOV.S i, primitive.in.«invocation»;", &unknown);
    behind(CONTROL, "MOV.S i, primitive.out.«vertexcount»;", &unknown);
    behind(CONTROL, "MOV r, vertex.«tesscoord»;", &unknown);
    behind(EVALUATION, "MOV r, vertex[0].«tesscoord»;", &unknown);
    behind(EVALUATION, "MOV r, vertex.in.«tesscoord»;", &unknown);
    behind(GEOMETRY, "MOV r, vertex.«in».position;", &unknown);
    behind(GEOMETRY, "MOV.S i, primitive.«out».id;", &unknown);
    behind(GEOMETRY, "MOV r, vertex[0].«normal»;", &unknown);
    behind(GEOMETRY, "MOV r, vertex[0].«in[1]».position;", &unknown);
    everywhere("MOV.S i, «primitive[0]».id;", &[Code::BindingTakesNoIndex]);
    everywhere("MOV r, vertex[0].«attrib»;", &[Code::BindingNeedsIndex]);
    everywhere(
        "MOV r, vertex[0].«position[1]»;",
        &[Code::BindingTakesNoIndex],
    );
    everywhere("MOV r, vertex[0].attrib[«32»];", &[Code::BindingRange]);
    everywhere(
        "ATTRIB a[] = { «vertex[0].attrib[3..1]» };",
        &[Code::RangeReversed],
    );
    everywhere("MOV r, «vertex[0].attrib[1..3]»;", &[Code::RangeAsOperand]);
    behind(
        CONTROL,
        "MOV.S i, primitive.in.invocation; MOV.S i, primitive.out.invocation; MOV.S i, primitive.out.id;",
        &[],
    );
    behind(
        EVALUATION,
        "MOV.S i, primitive.in.id; MOV.S i, primitive.in.vertexcount; MOV r, primitive.in.tessouter[0];",
        &[],
    );
    let mix = "ATTRIB a[] = { vertex.attrib[0], «vertex[1].attrib[1]» };";
    everywhere(mix, &[Code::VertexPrefixMix]);
    let others = "ATTRIB a[] = { vertex[0].attrib[0], «vertex[1].attrib[1]» };";
    everywhere(others, &[Code::ArrayKinds]);
    behind(
        CONTROL,
        "ATTRIB a[] = { vertex.attrib[0], «vertex.out.attrib[1]» };",
        &[Code::ArrayKinds],
    );
    behind(
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
        behind(
            GEOMETRY,
            &format!("MOV r, «{binding}»;"),
            &[Code::PatchBinding],
        );
        behind(
            CONTROL,
            &format!("MOV r, «{binding}».x;"),
            &[Code::PatchOfInput],
        );
        behind(PATCHES, &format!("MOV r, {binding};"), &[]);
        behind(EVALUATION, &format!("MOV r, {binding};"), &[]);
    }
    behind(
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
        behind(EVALUATION, &format!("MOV r, {binding};"), &range);
        behind(PATCHES, &format!("MOV r, {binding};"), &range);
    }
    behind(CONTROL, "MOV result.patch.tessouter[«4»], r;", &range);
    behind(
        EVALUATION,
        "MOV r, primitive.«tessouter»;",
        &[Code::BindingNeedsIndex],
    );
    behind(
        EVALUATION,
        "MOV result.«patch».attrib[0], r;",
        &[Code::BindingUnknown],
    );
    behind(
        CONTROL,
        "«OUTPUT o[] = { result.patch.tessouter[0..3], result.patch.tessinner[0] };»",
        &[Code::ArrayKinds],
    );
    behind(
        CONTROL,
        "OUTPUT o[] = { result.patch.attrib[0..3] }; «OUTPUT p[] = { result.patch.attrib[2..5] };» MOV o[i.x], r; MOV p[i.x], r;",
        &[Code::RelativeOverlap],
    );
    let newer = "!!NVgp4.1 PRIMITIVE_IN LINES; PRIMITIVE_OUT POINTS; VERTICES_OUT 1; INT TEMP i; MOV.S i, «primitive.vertexcount»; END";
    errors(newer, &[Code::FeatureNewer]);
}

#[test]
fn results() {
    behind(
        GEOMETRY,
        "MOV.S result.layer.x, i; MOV.S result.primid.x, i; MOV.S result.«id».x, i;",
        &[Code::BindingUnknown],
    );
    behind(
        CONTROL,
        "MOV.S result.id.x, i; MOV.S result.«primid».x, i;",
        &[Code::BindingUnknown],
    );
    behind(
        EVALUATION,
        "MOV.S «result.layer».x, i; MOV.S «result.viewport».x, i;",
        &[Code::ResultOption; 2],
    );
    behind(
        GEOMETRY,
        "MOV.S «result.viewport».x, i;",
        &[Code::ResultOption],
    );
    for option in ["ARB_viewport_array", "NV_viewport_array2"] {
        let text = GEOMETRY.replacen(' ', &format!(" OPTION {option}; "), 1);
        behind(&text, "MOV.S result.viewport.x, i;", &[]);
    }
    let both = GEOMETRY.replacen(' ', " OPTION NV_viewport_array2; ", 1);
    behind(
        &both,
        "MOV.S result.viewport.x, i; MOV.S «result.viewportmask.x», i;",
        &[Code::ViewportAndMask],
    );
    let option = CONTROL.replacen(' ', " OPTION «ARB_viewport_array»; ", 1);
    behind(&option, "", &[Code::OptionUnknown]);
    behind(
        GEOMETRY,
        "MOV r, «vertex[0].secondaryposition»;",
        &[Code::ResultOption],
    );
    behind(
        GEOMETRY,
        "«EMITS»;".replace("«EMITS»;", "EMITS«;»").as_str(),
        &[Code::MissingOperand],
    );
    behind(
        GEOMETRY,
        "EMITS «i»; EMITS.S i.y; EMITS r.x; EMITS 3;",
        &[Code::ScalarSuffix],
    );
    let strips = GEOMETRY.replace("POINTS", "TRIANGLE_STRIP");
    behind(&strips, "EMIT; ENDPRIM; «EMITS» i.x;", &[Code::EmitsOutput]);
}

#[test]
fn programs_that_pass_their_primitive_on() {
    let refused = Code::PassthroughNotAllowed;
    behind(
        PASSTHROUGH,
        "«PRIMITIVE_OUT POINTS»; «VERTICES_OUT 2»; «EMIT»; «ENDPRIM»;",
        &[refused; 4],
    );
    let five = PASSTHROUGH.replace("4.0", "5.0");
    behind(&five, "«INVOCATIONS 1»; «EMITS» 0;", &[refused; 2]);
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
    behind(
        GEOMETRY,
        "«PASSTHROUGH result.position»;",
        &[Code::FeatureOption],
    );
    behind(
        PASSTHROUGH,
        "PASSTHROUGH «vertex.position»;",
        &[Code::BindingUnknown],
    );
    for result in ["primid", "layer"] {
        behind(
            PASSTHROUGH,
            &format!("PASSTHROUGH «result.{result}»;"),
            &[Code::PassthroughBinding],
        );
    }
    let both = PASSTHROUGH.replacen("OPTION", "OPTION NV_viewport_array2; OPTION", 1);
    for result in ["viewport", "viewportmask[0]"] {
        behind(
            &both,
            &format!("PASSTHROUGH «result.{result}»;"),
            &[Code::PassthroughBinding],
        );
    }
    behind(
        PASSTHROUGH,
        "PASSTHROUGH «result.attrib[0]».x; MOV result.attrib[0].y, r;",
        &[Code::PassthroughWritten],
    );
    behind(
        PASSTHROUGH,
        "OUTPUT o[] = { result.attrib[1..3] }; PASSTHROUGH «result.attrib[2]»; PASSTHROUGH result.position; INT TEMP i; MOV o[i.x], r;",
        &[Code::PassthroughWritten],
    );
    behind(
        PASSTHROUGH,
        "OUTPUT o[] = { result.attrib[1..3] }; PASSTHROUGH result.attrib[2]; MOV o[0], r;",
        &[],
    );
    behind(
        PASSTHROUGH,
        "PASSTHROUGH result.color.«q»;",
        &[Code::BindingUnknown],
    );
    behind(
        PASSTHROUGH,
        "PASSTHROUGH result.color.«yx»;",
        &[Code::MaskOrder],
    );
}

#[test]
fn components_of_all_vertices() {
    let count = |text: &str| {
        let found = glasm_frontend::count(&Source::new("test", text)).unwrap();
        (found.attrib_components, found.result_components)
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
