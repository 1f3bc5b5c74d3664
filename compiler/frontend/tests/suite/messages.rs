//! What errors say: each message names what stands in the program, and what should.

use glasm_frontend::lang::state::describe_semantic;
use glasm_frontend::{Source, translate};
use glasm_ir::{Semantic, Stage};

/// Checks the first message of programs: the text between header and `END`, and the message.
#[track_caller]
fn check_messages(header: &str, cases: &[(&str, &str)]) {
    let found: Vec<(&str, String)> = cases
        .iter()
        .map(|(body, _)| {
            let text = format!("{header} {body} END");
            let (_, diagnostics) = translate(&Source::new("test", &text).strict());
            let first = diagnostics.list.first();
            (
                *body,
                first.map(|it| it.message.clone()).unwrap_or_default(),
            )
        })
        .collect();
    let expected = cases
        .iter()
        .map(|(body, message)| (*body, (*message).to_owned()));
    assert_eq!(found, expected.collect::<Vec<_>>());
}

#[test]
fn characters_and_words() {
    check_messages(
        "!!NVfp5.0",
        &[
            ("TEMP a@;", "`@` is not a character of the language"),
            ("TEMP a b;", "expected `;` or `,`, found `b`"),
            (
                "MOV result.color, 1.0f;",
                "`1.0f` is neither a number nor a name",
            ),
            ("MOC result.color, 1;", "unknown opcode `MOC`"),
            ("MOV.Q result.color, 1;", "unknown modifier `Q`"),
            (
                "TEX result.color, 1, texture[0], 2X;",
                "unknown texture target `2X`",
            ),
            ("TEMP result;", "`result` is a reserved word"),
        ],
    );
}

#[test]
fn what_is_expected() {
    check_messages(
        "!!NVfp5.0",
        &[
            ("TEMP a, ;", "expected a name, found `;`"),
            ("MOV result.color;", "expected `,`, found `;`"),
            ("MOV result.color, ;", "expected an operand, found `;`"),
            ("MOV , 1;", "expected a result variable, found `,`"),
            ("MOV result.color, state.;", "expected a name, found `;`"),
            ("MOV.; ", "expected a modifier, found `;`"),
            ("MOV result.color, {1, 2;", "expected `}`, found `;`"),
            ("PARAM a[ = {1};", "expected `]`, found `=`"),
            ("f SUBROUTINENUM 1): END", "expected `(`, found `1`"),
            ("f SUBROUTINENUM(1: END", "expected `)`, found `:`"),
            ("f SUBROUTINENUM(1) END", "expected `:`, found `END`"),
            ("MOV result.color, |1;", "expected `|`, found `;`"),
            (
                "IF; ENDIF;",
                "expected a condition such as `GT.x`, found `;`",
            ),
            ("CAL ;", "expected a label, found `;`"),
            (
                "TEX result.color, 1, texture[0], ;",
                "expected a texture target such as `2D`, found `;`",
            ),
            (
                "ATTRIB a = ;",
                "expected a binding or a constant, found `;`",
            ),
        ],
    );
    check_messages(
        "!!ARBfp1.0",
        &[(
            "TEMP a; SWZ a, a, 2, x, y, z;",
            "expected `x`, `y`, `z`, `w`, `0` or `1`, found `2`",
        )],
    );
    check_messages(
        "!!VP1.0",
        &[(
            "MOV R0, R1.xy;",
            "expected a component such as `.x`, or four, found `xy`",
        )],
    );
}

#[test]
fn declarations_name_their_bindings() {
    check_messages(
        "!!NVfp4.0",
        &[
            (
                "ATTRIB a = 1;",
                "this declaration needs an attribute as binding",
            ),
            (
                "OUTPUT o = fragment.color;",
                "this declaration needs a result as binding",
            ),
            (
                "PARAM p = result.color;",
                "this declaration needs a parameter or a constant as binding",
            ),
        ],
    );
}

/// The built-in inputs of compute programs: NV_compute_program5, table X.2.
#[test]
fn inputs_of_compute_programs_have_their_meanings() {
    for (semantic, meaning) in [
        (Semantic::WorkgroupId, "number of the work group: "),
        (Semantic::WorkgroupCount, "number of work groups: "),
        (Semantic::WorkgroupSize, "size of the work group: "),
        (
            Semantic::LocalInvocationId,
            "number of the invocation in its work group: ",
        ),
        (
            Semantic::GlobalInvocationId,
            "number of the invocation in the dispatch: ",
        ),
    ] {
        let text = describe_semantic(semantic, Stage::Compute);
        assert!(text.starts_with(meaning), "{semantic:?}: {text}");
    }
}

/// Values of patches (NV_tessellation_program5, tables X.2 and X.3) and of samples (NV_gpu_program5 section 2.X.3.2).
#[test]
fn inputs_of_patches_and_samples_have_their_meanings() {
    for (semantic, stage, meaning) in [
        (
            Semantic::TessCoord,
            Stage::TessEval,
            "location in the subdivided patch: (u, v, w)",
        ),
        (
            Semantic::TessLevelOuter(0),
            Stage::TessEval,
            "outer tessellation level, in x",
        ),
        (
            Semantic::TessLevelInner(0),
            Stage::TessEval,
            "inner tessellation level, in x",
        ),
        (
            Semantic::SampleId,
            Stage::Fragment,
            "number of the sample: an integer in x",
        ),
        (
            Semantic::SamplePosition,
            Stage::Fragment,
            "location of the sample in its pixel: (x, y)",
        ),
        (
            Semantic::SampleMask,
            Stage::Fragment,
            "mask of covered samples, in x",
        ),
    ] {
        assert_eq!(describe_semantic(semantic, stage), meaning, "{semantic:?}");
    }
}

/// NV_gpu_program5, section 2.X.8.Z, ATOM: each operation by its modifier.
#[test]
fn suffixes_of_registers() {
    check_messages(
        "!!VP1.1",
        &[(
            "MOV o[HPOS], v[0].xy;",
            "expected a component such as `.x`, or four, found `xy`",
        )],
    );
}

#[test]
fn atomic_operations_have_their_names() {
    let header =
        "!!NVfp5.0 OPTION NV_shader_storage_buffer; TEMP t; STORAGE b[] = { program.storage[0] };";
    for operation in ["MIN", "MAX", "IWRAP", "DWRAP", "AND", "OR", "XOR"] {
        let body = format!("ATOMB.{operation}.F32 t, t, b[0];");
        let message = format!("the atomic operation {operation} is not defined for F32");
        check_messages(header, &[(&body, &message)]);
    }
}
