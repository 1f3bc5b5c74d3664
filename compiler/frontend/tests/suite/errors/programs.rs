//! Options, and rules of the whole program.

use super::{check_loads, errors};
use glasm_frontend::{Code, Source, translate};

#[test]
fn options() {
    errors(
        "!!NVfp5.0 OPTION «ARB_nothing»; END",
        &[Code::OptionUnknown],
    );
    errors(
        "!!NVvp5.0 OPTION «ARB_draw_buffers»; END",
        &[Code::OptionUnknown],
    );
    errors(
        "!!NVfp5.0 TEMP r; «OPTION» ARB_draw_buffers; END",
        &[Code::OptionLate],
    );
    errors(
        "!!NVfp5.0 OPTION ARB_precision_hint_nicest; OPTION «ARB_precision_hint_fastest»; END",
        &[Code::OptionConflict],
    );
    check_loads(
        "!!NVfp5.0 OPTION ARB_draw_buffers; OPTION ARB_draw_buffers; OPTION ARB_precision_hint_nicest; END",
    );
}

#[test]
fn post_depth_coverage_needs_early_tests() {
    for option in ["ARB_post_depth_coverage", "EXT_post_depth_coverage"] {
        errors(
            &format!("!!NVfp5.0 OPTION «{option}»; END"),
            &[Code::OptionNeedsOther],
        );
        check_loads(&format!(
            "!!NVfp5.0 OPTION {option}; OPTION NV_early_fragment_tests; END"
        ));
    }
}

#[test]
fn options_lower_limits() {
    for option in ["ARB_fog_exp", "ARB_fog_exp2", "ARB_fog_linear"] {
        let program = |body: &str| format!("!!NVfp4.0 OPTION {option}; {body} END");
        check_loads(&program("TEMP a[4095]; MOV a[0], 0;"));
        errors(
            &program("TEMP a[4095], «b»; MOV a[0], 0;"),
            &[Code::TooManyTemporaries],
        );
        let rows = |count: usize| format!("PARAM p[] = {{ {} }};", "0, ".repeat(count - 1) + "0");
        check_loads(&program(&rows(16_382)));
        let parts = rows(16_382) + " «PARAM q[1] = { 1 };»";
        errors(&program(&parts), &[Code::TooManyParameters]);
    }
}

#[test]
fn components_of_attributes_and_results() {
    let reads: String = (0..31)
        .map(|n| format!("ADD r, r, fragment.attrib[{n}];"))
        .collect();
    let program = |more: &str| format!("!!NVfp4.0 TEMP r; {reads} {more} MOV result.color, r; END");
    // 31 times 4 components and 4 of one more binding, in two parts.
    check_loads(&program(
        "ADD r, r, fragment.position.xyxy; ADD r, r, fragment.position.zwzw;",
    ));
    let (_, diagnostics) = translate(&Source::new(
        "test",
        &program("ADD r, r, fragment.position; ADD r, r, fragment.fogcoord.x;"),
    ));
    assert_eq!(diagnostics.list[0].code, Code::TooManyAttribComponents);
    // An array with run-time index counts with all its elements, a declaration without use not at all.
    let (_, diagnostics) = translate(&Source::new(
        "test",
        "!!NVfp4.0 ATTRIB a[] = { fragment.attrib[0..31] }; ATTRIB c = fragment.color; INT TEMP i; ADD result.color, a[i.x], c; END",
    ));
    assert_eq!(diagnostics.list[0].code, Code::TooManyAttribComponents);
    check_loads(
        "!!NVfp4.0 ATTRIB a[] = { fragment.attrib[0..31] }; ATTRIB c = fragment.color; MOV result.color, a[1]; END",
    );
    let writes = |mask: &str| -> String {
        let lines = (0..31).map(|n| format!("MOV result.attrib[{n}]{mask}, 1;"));
        let lines: String = lines.collect();
        format!("!!NVvp4.0 {lines} MOV result.position, 1; MOV result.pointsize.x, 1; END")
    };
    let (_, diagnostics) = translate(&Source::new("test", &writes("")));
    assert_eq!(diagnostics.list[0].code, Code::TooManyResultComponents);
    check_loads(&writes(".xyz"));
}

#[test]
fn limits() {
    errors(
        "!!NVfp5.0 TEMP a[4096], «b»; MOV b, 0; END",
        &[Code::TooManyTemporaries],
    );
    check_loads("!!NVfp5.0 TEMP a[4095], b; MOV b, a[0]; END");
    let many: String = (0..150).map(|n| format!("MOV x{n}, 0;")).collect();
    let (_, diagnostics) = translate(&Source::new("test", &format!("!!NVfp5.0 {many} END")));
    assert_eq!(diagnostics.list.len(), 101);
    assert_eq!(
        diagnostics
            .list
            .iter()
            .filter(|d| d.code == Code::TooManyErrors)
            .count(),
        1
    );
}

#[test]
fn whole_program_limits() {
    let codes = |text: &str| -> Vec<Code> {
        let (program, diagnostics) = translate(&Source::new("test", text));
        assert!(program.is_none());
        assert!(
            diagnostics
                .list
                .iter()
                .all(|diagnostic| diagnostic.notes.is_empty())
        );
        diagnostics
            .list
            .iter()
            .map(|diagnostic| diagnostic.code)
            .collect()
    };
    assert_eq!(codes(&" ".repeat(1 << 24)), [Code::ProgramTooLarge]);
    let many = "MOV r,r;".repeat((1 << 20) + 2);
    assert_eq!(
        codes(&format!("!!NVfp5.0 TEMP r;{many} END")),
        [Code::TooManyInstructions]
    );
    // Code that options add is counted.
    for (header, taken) in [
        ("!!NVfp5.0 OPTION ARB_fog_exp;", 3),
        ("!!NVfp5.0 OPTION ARB_fog_exp2;", 4),
        ("!!NVfp5.0 OPTION ARB_fog_linear;", 2),
        ("!!NVvp5.0 OPTION ARB_position_invariant;", 4),
    ] {
        let many = "MOV r,r;".repeat((1 << 20) - taken + 1);
        assert_eq!(
            codes(&format!("{header} TEMP r;{many} END")),
            [Code::TooManyInstructions]
        );
    }
    let params = "program.local[0..4095],".repeat(5);
    assert_eq!(
        codes(&format!("!!NVfp5.0 PARAM p[] = {{ {params} 1 }}; END")),
        [Code::TooManyParameters]
    );
}

#[test]
fn invariant_position() {
    errors(
        "!!NVvp5.0 OPTION ARB_position_invariant; MOV «result.position», 0; END",
        &[Code::PositionInvariant],
    );
    errors(
        "!!NVvp5.0 OPTION ARB_position_invariant; OUTPUT p = «result.position»; END",
        &[Code::PositionInvariant],
    );
    check_loads("!!NVvp5.0 OPTION ARB_position_invariant; MOV result.color, 1; END");
}
