//! Bindings with run-time index, image units and conditions of vertex programs under their NV options.
//! NV_vertex_program3 sections 2.14.2, 2.14.3.1, 2.14.3.4 and 2.14.3.7.

use glasm_frontend::{Code, Source, translate};

/// The codes of the errors of a program.
fn collect_errors(option: &str, body: &str) -> Vec<Code> {
    let text = format!("!!ARBvp1.0\nOPTION {option};\nADDRESS a;\nTEMP t;\n{body}\nEND");
    let (program, diagnostics) = translate(&Source::new("test", &text));
    assert_eq!(program.is_some(), diagnostics.list.is_empty(), "{body}");
    diagnostics.list.iter().map(|found| found.code).collect()
}

const TWO: &str = "NV_vertex_program2";
const THREE: &str = "NV_vertex_program3";

#[test]
fn bindings_share_the_array_of_their_row() {
    let body = "MOV t, vertex.attrib[a.x];\nADD t, t, vertex.attrib[a.w + 3];\nADD t, t, vertex.attrib[2];\n\
                ATTRIB v = vertex.attrib[a.y - 1];\nOUTPUT o = result.texcoord[a.z];\nADD o.xy, t, v;\n\
                MOV result.texcoord[a.x + 1], t;\nMOV result.texcoord[7], t;";
    let text = format!("!!ARBvp1.0\nOPTION {THREE};\nADDRESS a;\nTEMP t;\n{body}\nEND");
    let (program, diagnostics) = translate(&Source::new("test", &text));
    let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
    assert!(glasm_ir::verify(&program).is_ok());
    assert_eq!((program.inputs.len(), program.outputs.len()), (16, 8));
}

#[test]
fn bindings_have_the_index_already() {
    assert_eq!(
        collect_errors(THREE, "ATTRIB v = vertex.attrib[a.x];\nMOV t, v[0];"),
        [Code::IndexOnScalar]
    );
    assert_eq!(
        collect_errors(THREE, "OUTPUT o = result.texcoord[a.x];\nMOV o[a.x], t;"),
        [Code::IndexOnScalar]
    );
    assert_eq!(
        collect_errors(THREE, "MOV t, vertex.texcoord[t.x];"),
        [Code::IndexVariable]
    );
    assert_eq!(
        collect_errors(THREE, "MOV t, vertex.normal[a.x];"),
        [Code::BindingTakesNoIndex]
    );
    assert_eq!(
        collect_errors(TWO, "MOV t, vertex.attrib[a.x];"),
        [Code::ResultOption]
    );
    // Two names of the same attributes.
    assert_eq!(
        collect_errors(
            THREE,
            "MOV t, vertex.attrib[a.x];\nMOV t, vertex.texcoord[a.x];"
        ),
        [Code::RelativeOverlap]
    );
}

#[test]
fn sixteen_units_of_any_number() {
    let lookups = |count: u32| -> String {
        (0..count)
            .map(|n| format!("TEX t, t, texture[{}], 2D;\n", 3 * n))
            .collect()
    };
    assert_eq!(collect_errors(THREE, &lookups(16)), []);
    assert_eq!(
        collect_errors(THREE, &lookups(18)),
        [Code::TooManyTextureUnits]
    );
}

#[test]
fn conditions_belong_to_options() {
    let cond = |rule: &str| format!("MOV t ({rule}), 1;");
    assert_eq!(collect_errors(TWO, &cond("GE.zyxw")), []);
    assert_eq!(collect_errors(TWO, &cond("GE0")), [Code::FeatureOption]);
    assert_eq!(collect_errors(THREE, &cond("GE1.x")), []);
    for rule in ["NAN", "CF", "RESIDENT", "GE2", "ge"] {
        assert_eq!(
            collect_errors(THREE, &cond(rule)),
            [Code::CondTest],
            "{rule}"
        );
    }
    assert_eq!(collect_errors(TWO, "l: BRA l GT;"), [Code::UnexpectedToken]);
    assert_eq!(
        collect_errors(TWO, "MOVC CC, 1;\nMOV t, CC;"),
        [Code::UndeclaredName]
    );
}
