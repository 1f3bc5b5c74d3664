//! Errors of pipelines that are written in a shading language.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::{Code, Program, Stage};
use glasm_text::{Language, Options, compiler_options, link, write_linked};

/// Returns a vertex, a geometry and a fragment program. WGSL has neither geometry programs nor
/// addresses of memory, which the fragment program reads.
fn load_programs() -> [Program; 3] {
    let load = |name, stage, text: &str| Program::load_string(name, stage, text).unwrap();
    let geometry = "!!NVgp4.0\nPRIMITIVE_IN TRIANGLES;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\n\
                    MOV result.position, vertex[0].position;\nEMIT;\nEND";
    let fragment = "!!NVfp5.0\nTEMP r;\nLOAD.F32 r, program.local[0].x;\nMOV result.color, r;\nEND";
    [
        load(
            "a.vp",
            Stage::Vertex,
            "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND",
        ),
        load("b.gp", Stage::Geometry, geometry),
        load("c.fp", Stage::Fragment, fragment),
    ]
}

/// Checks that errors of the compiler and of the writer have the name of their program.
#[test]
fn errors_name_all_stages_that_are_not_written() {
    let programs = load_programs();
    let errors = link(&programs.each_ref(), &Options::new(Language::Wgsl)).unwrap_err();
    let names = errors.stages.iter().map(|(stage, it)| (*stage, it.name()));
    let expected = [(Stage::Geometry, "b.gp"), (Stage::Fragment, "c.fp")];
    assert_eq!(names.collect::<Vec<_>>(), expected);
    let geometry = &errors.stages[0].1.diagnostics.list[0];
    assert_eq!(geometry.code, Code::Unsupported);
    assert!(geometry.message.contains("geometry programs"), "{errors}");
    let text = errors.to_string();
    assert!(text.contains("b.gp") && text.contains("c.fp"), "{text}");
}

/// Checks that the other stages are written.
#[test]
fn each_stage_has_its_result() {
    let programs = load_programs();
    let options = Options::new(Language::Wgsl);
    let mut linked = glasm::link(&programs.each_ref(), &compiler_options(&options));
    let texts = write_linked(&mut linked, &options);
    let [Some(vertex), None, None] = &texts[..] else {
        panic!("{texts:?}");
    };
    assert!(vertex.source.contains("@vertex"));
    assert_eq!(linked.stages[0].as_ref().unwrap().warnings, vertex.warnings);
    assert!(linked.stages[1].is_err() && linked.stages[2].is_err());

    // Shaders for SPIR-V are not written in another language.
    let mut linked = glasm::link(&[&programs[0]], &glasm::Options::default());
    assert_eq!(write_linked(&mut linked, &options), [None]);
    let errors = linked.check().unwrap_err().to_string();
    assert!(
        errors.contains("SPIR-V") && errors.contains("wgsl"),
        "{errors}"
    );
}
