//! Components of attributes and results that programs use.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm_frontend::{Code, Components, Source, count_components};

fn count(text: &str) -> (u32, u32) {
    let Components { attribs, results } = count_components(&Source::new("test", text)).unwrap();
    (attribs, results)
}

#[test]
fn swizzles_and_masks_count() {
    let program = |body: &str| count(&format!("!!NVvp4.0\n{body}\nEND\n"));
    assert_eq!(program(""), (0, 0));
    assert_eq!(program("MOV result.position, vertex.position;"), (4, 4));
    assert_eq!(
        program("MOV result.position.xw, vertex.position.xxyy;"),
        (2, 2)
    );
    // The same component counts once.
    assert_eq!(
        program(
            "MOV result.position.x, vertex.position.y;\nADD result.position.xy, vertex.position.y, vertex.position.z;"
        ),
        (2, 2)
    );
    // Scalars have one component, whatever the swizzle says.
    assert_eq!(program("MOV result.pointsize, vertex.position.w;"), (1, 1));
    let fog = "!!NVfp4.0\nMOV result.color.xy, fragment.fogcoord;\nEND\n";
    assert_eq!(count(fog), (1, 2));
}

#[test]
fn declarations_alone_do_not_count() {
    let text = "!!NVvp4.0\nATTRIB a = vertex.attrib[3];\nATTRIB b[] = { vertex.attrib[4..7] };\nOUTPUT o = result.attrib[1];\n\
                OUTPUT p[] = { result.attrib[2..4] };\nTEMP i;\nMOV.S i, 0;\nMOV p[2].x, b[1];\nEND\n";
    assert_eq!(count(text), (4, 1));
    // With a run-time index every element may be meant.
    let text = text.replace("MOV p[2].x, b[1];", "MOV p[i.x].x, b[i.x].y;");
    assert_eq!(count(&text), (4, 3));
}

#[test]
fn programs_that_do_not_load_have_no_count() {
    let errors = count_components(&Source::new(
        "test",
        "!!NVvp4.0\nMOV result.position, nothing;\nEND\n",
    ));
    assert_eq!(errors.unwrap_err().list[0].code, Code::UndeclaredName);
    assert!(count_components(&Source::new("test", "")).is_err());
}
