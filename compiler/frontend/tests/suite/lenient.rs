//! What shipped programs do although a rule forbids it: a warning with the rule's code, an error for strict callers.

use crate::support::{accepted, errors};
use glasm_frontend::codes::LenientRule;
use glasm_frontend::{Code, Severity, Source, translate};

/// Both: loads with the warning, and the strict error is at the same place.
#[track_caller]
fn check_lenient_rule(text: &str, code: Code) {
    accepted(text, &[code]);
    errors(text, &[code]);
}

#[test]
fn aliases_of_bindings() {
    let code = Code::AliasOfBinding;
    check_lenient_rule("!!ARBfp1.0 ALIAS c = «result.color»; MOV c, 1.x; END", code);
    check_lenient_rule(
        "!!ARBvp1.0 ALIAS p = «vertex.attrib[3]»; MOV result.position, p; END",
        code,
    );
    check_lenient_rule(
        "!!NVfp5.0 ALIAS p = «state.material.diffuse»; MOV result.color, p; END",
        code,
    );
    check_lenient_rule(
        "!!NVvp4.0 ALIAS m = «state.matrix.mvp»; DP4 result.position, m[1], vertex.position; END",
        code,
    );
    check_lenient_rule(
        "!!NVfp4.0 TEMP r; ALIAS t = «texture[3]»; TEX result.color, fragment.color, t, 2D; END",
        code,
    );
    check_lenient_rule(
        "!!NVfp4.0 ALIAS b = «program.buffer[1][2]»; MOV result.color, b; END",
        code,
    );
    // An alias is a name as all others.
    check_always_error(
        "!!ARBfp1.0 TEMP c; ALIAS «c» = result.color; END",
        Code::DuplicateName,
    );
    check_always_error(
        "!!ARBfp1.0 ALIAS c = result.«nothing»; MOV c, 1.x; END",
        Code::BindingUnknown,
    );
    check_always_error(
        "!!NVfp5.0 ALIAS c = result.color.«x»; END",
        Code::UnexpectedToken,
    );
    check_always_error(
        "!!ARBfp1.0 ALIAS c = fragment.color; MOV «c», 1.x; END",
        Code::WriteReadOnly,
    );
    check_always_error(
        "!!NVcp5.0 GROUP_SIZE 1; SHARED_MEMORY 16; TEMP r; ALIAS c = program.sharedmem[3]; MOV r, «c»; END",
        Code::MemoryOperand,
    );
}

/// An error although the caller is not strict, at the marked place.
#[track_caller]
fn check_always_error(text: &str, code: Code) {
    let start = text.find('«').expect("a mark") as u32;
    let plain = text.replace(['«', '»'], "");
    let (program, diagnostics) = translate(&Source::new("test", &plain));
    assert!(program.is_none());
    let mut errors = diagnostics
        .list
        .iter()
        .filter(|found| found.severity == Severity::Error);
    let found = errors.next().expect("an error");
    assert_eq!(found.code, code, "{found:?}");
    assert!(
        matches!(found.location, glasm_frontend::Location::Span(span) if span.start == start),
        "{found:?}"
    );
}

#[test]
fn results_are_read() {
    let code = Code::ReadResult;
    check_lenient_rule(
        "!!NVfp4.0 MUL result.color, «result.color», fragment.color; END",
        code,
    );
    check_lenient_rule(
        "!!NVfp5.0 OUTPUT o = result.depth; MOV o.z, 1; ADD o.z, «o», 1; END",
        code,
    );
    check_lenient_rule(
        "!!ARBfp1.0 OPTION NV_fragment_program2; OUTPUT o = result.color; MUL o, «o», 2.x; END",
        code,
    );
    check_lenient_rule(
        "!!NVvp4.0 MUL result.position, «result.position», 2; END",
        code,
    );
    check_always_error(
        "!!ARBvp1.0 OPTION NV_vertex_program3; MOV result.position, «result.position»; END",
        code,
    );
    check_always_error("!!ARBfp1.0 MOV result.color, «result.color»; END", code);
    check_always_error(
        "!!ARBfp1.0 OPTION NV_fragment_program; MOV result.color, «result.color»; END",
        code,
    );
    // The other rules of operands hold.
    check_always_error(
        "!!NVfp4.0 INT OUTPUT o = result.color; ADD.F result.depth.z, «o», 1; END",
        Code::TypeMismatch,
    );
    check_always_error(
        "!!NVfp4.0 OUTPUT o = result.color; RCP o.x, «o»; END",
        Code::ScalarSuffix,
    );
}

#[test]
fn state_of_drivers() {
    let code = Code::BindingUnknown;
    check_lenient_rule(
        "!!ARBvp1.0 MOV result.position, «state.matrix.normalscale»; END",
        code,
    );
    check_lenient_rule(
        "!!NVvp4.0 PARAM p[2] = { state.point.size, «state.matrix.normalscale» }; MOV result.position, p[1]; END",
        code,
    );
    check_lenient_rule(
        "!!NVfp5.0 I2F.S result.color, «state.multisample.samples».x; END",
        code,
    );
    check_lenient_rule(
        "!!NVfp5.0 TEMP r; PARAM p[32] = { «state.multisample.positions[0..31]» }; MOV.U r.x, fragment.sampleid; MOV result.color, p[r.x]; END",
        code,
    );
    check_always_error(
        "!!NVfp5.0 MOV result.color, state.multisample.positions[«32»]; END",
        Code::BindingRange,
    );
    check_always_error(
        "!!NVfp5.0 MOV result.color, state.multisample.«positions»; END",
        Code::BindingNeedsIndex,
    );
    check_always_error(
        "!!NVfp5.0 MOV result.color, «state.multisample.positions[0..1]»; END",
        Code::RangeAsOperand,
    );
    check_always_error(
        "!!ARBfp1.0 MOV result.color, state.«multisample».samples; END",
        code,
    );
    // They are no suggestions.
    let (_, diagnostics) = translate(&Source::new(
        "test",
        "!!NVfp5.0 MOV result.color, state.multisampl.samples; END",
    ));
    assert!(
        diagnostics.list[0].notes.is_empty(),
        "{:?}",
        diagnostics.list[0].notes
    );
}

#[test]
fn earlier_versions() {
    let color =
        "OUTPUT a = result.color; OUTPUT b = result.color.secondary; MOV a, 1; MOV b, 1; END";
    accepted(
        &format!("!!NVfp4.0 OPTION «ARB_blend_func_extended»; {color}"),
        &[Code::OptionUnknown],
    );
    errors(
        &format!(
            "!!NVfp4.0 OPTION «ARB_blend_func_extended»; {}",
            color.replace("result.color.secondary", "«result.color.secondary»")
        ),
        &[Code::OptionUnknown, Code::FeatureNewer],
    );
    check_always_error(
        "!!NVfp4.0 MOV «result.color.secondary», 1; END",
        Code::FeatureNewer,
    );
    check_always_error(
        "!!NVvp4.0 OPTION «ARB_blend_func_extended»; END",
        Code::OptionUnknown,
    );
    check_always_error(
        "!!NVfp4.0 OPTION «NV_early_fragment_tests»; END",
        Code::OptionUnknown,
    );
    let code = Code::FeatureNewer;
    check_lenient_rule(
        "!!NVfp4.0 TEMP r; TEX r, fragment.color, texture[0], «ARRAYCUBE»; END",
        code,
    );
    check_lenient_rule(
        "!!NVfp4.1 TEMP r; TEX r, fragment.color, r.x, texture[0], «SHADOWARRAYCUBE»; END",
        code,
    );
    check_always_error(
        "!!NVfp4.0 TEMP r; TXF r, fragment.color, texture[0], «ARRAYCUBE»; END",
        Code::TargetNotAllowed,
    );
    let code = Code::FeatureOption;
    check_lenient_rule(
        "!!NVfp5.0 CBUFFER b[] = { program.buffer[0] }; TEMP r; LDC.«F16X4» r, b[8]; END",
        code,
    );
    check_lenient_rule(
        "!!NVfp5.0 CBUFFER b[] = { program.buffer[0] }; TEMP r; LDC.«F16» r.x, b[8]; END",
        code,
    );
    check_always_error(
        "!!NVfp5.0 CBUFFER b[] = { program.buffer[0] }; TEMP r; LDC.«S8X4» r, b[8]; END",
        code,
    );
    check_always_error(
        "!!NVfp5.0 TEMP r; LONG TEMP l; LOAD.«F16X4» r, l.x; END",
        code,
    );
}

#[test]
fn clamps_on_integers() {
    let code = Code::ClampOnInteger;
    check_lenient_rule("!!NVfp4.0 TEMP r; AND.U.«SAT» r, r, 1; END", code);
    check_lenient_rule("!!NVfp5.0 TEMP r; MOV.S.«SSAT» r, r; END", code);
    check_always_error("!!NVfp5.0 TEMP r; CVT.S32.F32.«SSAT» r, r; END", code);
    check_always_error(
        "!!NVfp5.0 TEMP r; AND.U.«SPARSE».SAT r, r, 1; END",
        Code::ModifierUnsupported,
    );
    let code = Code::ModifierUnsupported;
    check_always_error("!!NVfp5.0 TEMP r; I2F.«SAT» r, r; END", code);
    check_always_error("!!NVfp5.0 TEMP r; KIL.«SAT» r; END", code);
}

#[test]
fn arb_programs() {
    let code = Code::IndexOffset;
    let arrays = "ADDRESS a; PARAM c[96] = { program.env[0..95] };";
    check_lenient_rule(
        &format!("!!ARBvp1.0 {arrays} MOV result.position, c[«a.x + 64»]; END"),
        code,
    );
    check_lenient_rule(
        &format!("!!ARBvp1.0 {arrays} MOV result.position, c[«a.x - 65»]; END"),
        code,
    );
    check_lenient_rule(
        &format!("!!ARBvp1.0 {arrays} MOV result.position, c[«a.x + 4294967295»]; END"),
        code,
    );
    let code = Code::ScalarSuffix;
    check_lenient_rule("!!ARBfp1.0 TEMP r; POW r.x, «2.0», r.y; END", code);
    check_lenient_rule("!!ARBvp1.0 TEMP r; RCP r.x, «-3»; END", code);
    check_always_error("!!ARBvp1.0 TEMP r; RCP r.x, «r»; END", code);
    check_always_error("!!ARBvp1.0 TEMP r; RCP r.x, «{2}»; END", code);
    check_always_error("!!ARBvp1.0 TEMP r; RCP r.x, «2.xyzw»; END", code);
    let code = Code::AddressRegister;
    let option = "OPTION NV_vertex_program3; ADDRESS a; TEMP r;";
    check_lenient_rule(
        &format!("!!ARBvp1.0 {option} PUSHA a; POPA «a» (EQ.x); END"),
        code,
    );
    check_always_error(&format!("!!ARBvp1.0 {option} POPA «a.xy»; END"), code);
    check_always_error(
        &format!("!!ARBvp1.0 {option} POPA «a.xy» (EQ.x); END"),
        code,
    );
    let code = Code::ReflectionMask;
    check_lenient_rule(
        "!!ARBfp1.0 OPTION NV_fragment_program; TEMP r; RFL «r», r, r; END",
        code,
    );
    check_lenient_rule(
        "!!ARBfp1.0 OPTION NV_fragment_program; TEMP r; RFL «r.xw», r, r; END",
        code,
    );
    check_lenient_rule(
        "!!VP1.1 OPTION NV_position_invariant; MOV R0, «c[A0.x + 1]»; END",
        Code::RelativeInvariant,
    );
    check_lenient_rule(
        "!!FP1.0 «TXB» o[COLR], f[TEX0], TEX0, 2D; END",
        Code::UnknownOpcode,
    );
    let temporaries: String = (0..32)
        .map(|number| format!("MOV R{number}, 1; "))
        .collect();
    check_lenient_rule(
        &format!("!!FP1.0 {temporaries} MOV o[COLR], 1; END"),
        Code::TooManyTemporaries,
    );
}

#[test]
fn each_rule_warns_once_and_counts() {
    let text = "!!ARBfp1.0 ALIAS a = result.color; ALIAS b = fragment.color; ALIAS c = state.fog.color; TEMP r; RCP r.x, 2; MOV a, r; END";
    let (_, diagnostics) = translate(&Source::new("test", text));
    let notes: Vec<_> = diagnostics
        .list
        .iter()
        .map(|found| &found.notes[0])
        .collect();
    assert_eq!(notes.len(), 2);
    assert!(
        notes[0].starts_with("note: accepted here and at 2 more places: an alias of a binding"),
        "{notes:?}"
    );
    assert!(
        notes[1].starts_with("note: accepted: a number as scalar operand"),
        "{notes:?}"
    );
}

#[test]
fn warnings_do_not_count_as_errors() {
    // More places than errors that are reported: the program loads.
    let text = format!("!!ARBvp1.0 TEMP r; {} END", "RCP r.x, 2;".repeat(300));
    let (program, diagnostics) = translate(&Source::new("test", &text));
    assert!(program.is_some());
    assert_eq!(diagnostics.list.len(), 1);
    let (_, diagnostics) = translate(&Source::new("test", &text).strict());
    assert_eq!(diagnostics.error_count(), 101);
}

#[test]
fn the_table_is_in_order() {
    let codes: Vec<_> = LenientRule::ALL
        .iter()
        .map(|rule| rule.info().code.id())
        .collect();
    assert!(codes.is_sorted(), "{codes:?}");
    for rule in LenientRule::ALL {
        let info = rule.info();
        assert!(!info.accepted.ends_with('.') && !info.example.is_empty());
    }
}

/// The page about these rules has a row for each, in the same words, with a script that expects its warning.
#[test]
fn the_page_has_every_rule() {
    let page = include_str!("../../../../docs/shipped.md");
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| E"))
        .collect();
    assert_eq!(rows.len(), LenientRule::ALL.len());
    for (row, rule) in rows.iter().zip(LenientRule::ALL) {
        let info = rule.info();
        let (code, example, accepted) = (info.code.id(), info.example, info.accepted);
        let start = format!("| {code} | `{example}` | {accepted} | ");
        let script = row
            .strip_prefix(start.as_str())
            .and_then(|rest| rest.strip_suffix('|'));
        let script = script
            .unwrap_or_else(|| panic!("{row}\nis not\n{start}"))
            .trim();
        if *rule == LenientRule::TextBehindNul {
            assert!(script.is_empty());
            continue;
        }
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/run/shipped");
        let text = std::fs::read_to_string(format!("{folder}/{script}.shader_test"));
        let text = text.unwrap_or_else(|error| panic!("{script}: {error}"));
        assert!(text.contains(&format!("expect warning {code}")), "{script}");
    }
}

#[test]
fn barriers_of_patches() {
    let code = Code::FeatureStage;
    check_lenient_rule("!!NVtcp5.0 VERTICES_OUT 3; «BAR»; END", code);
    // Other programs have nothing to wait for.
    for text in ["!!NVvp5.0 «BAR»; END", "!!NVfp5.0 «BAR»; END"] {
        errors(text, &[code]);
    }
}
