//! Each opcode of TGSI is read and translated, in the form that the catalog shows.

use glasm_frontend::lang::Stages;
use glasm_frontend::tgsi::reference::{OpcodeEntry, SyntaxGeneration, opcodes};
use glasm_frontend::{Source, translate};
use glasm_ir::verify::verify;

/// Stages with what their programs need.
const STAGES: [(Stages, &str); 6] = [
    (Stages::VERTEX, "VERT DCL IN[0] DCL OUT[0], POSITION"),
    (
        Stages::FRAGMENT,
        "FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR",
    ),
    (
        Stages::GEOMETRY,
        "GEOM PROPERTY GS_INPUT_PRIMITIVE POINTS PROPERTY GS_OUTPUT_PRIMITIVE POINTS PROPERTY GS_MAX_OUTPUT_VERTICES 4 DCL OUT[0], POSITION",
    ),
    (
        Stages::TESS_CONTROL,
        "TESS_CTRL PROPERTY TCS_VERTICES_OUT 3 DCL OUT[0], PATCH",
    ),
    (
        Stages::TESS_EVAL,
        "TESS_EVAL PROPERTY TES_PRIM_MODE 4 DCL OUT[0], POSITION",
    ),
    (Stages::COMPUTE, "COMP"),
];

/// What operands name.
const DECLARATIONS: &str = "DCL TEMP[0..3] DCL SAMP[0] DCL BUFFER[0] DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR IMM[0] UINT32 {0, 1, 2, 3}";

/// Targets, of which each lookup takes one.
const TARGETS: [&str; 3] = ["2D", "SHADOWCUBEARRAY", "2D_MSAA"];

/// What stands before and behind instructions that do not stand alone.
fn required_context(name: &str) -> (&'static str, &'static str) {
    match name {
        "IF" | "UIF" | "IFC" => ("", "ENDIF END"),
        "ELSE" => ("UIF TEMP[1].xxxx", "ENDIF END"),
        "ENDIF" => ("UIF TEMP[1].xxxx", "END"),
        "BGNLOOP" => ("", "BRK ENDLOOP END"),
        "ENDLOOP" => ("BGNLOOP BRK", "END"),
        "BRK" | "CONT" | "BREAKC" => ("BGNLOOP", "ENDLOOP END"),
        "SWITCH" => ("", "ENDSWITCH END"),
        "CASE" | "DEFAULT" => ("SWITCH TEMP[1].xxxx", "ENDSWITCH END"),
        "ENDSWITCH" => ("SWITCH TEMP[1].xxxx", "END"),
        "CAL" => ("", "END BGNSUB ENDSUB"),
        "BGNSUB" => ("END", "ENDSUB"),
        "ENDSUB" => ("END BGNSUB", ""),
        "END" => ("", ""),
        _ => ("", "END"),
    }
}

/// The instruction of an opcode, with a target of textures and the register of its first source.
fn format_instruction(word: &OpcodeEntry, target: &str, first: &str, label: &str) -> String {
    let (name, operands) = word.syntax.split_once(' ').unwrap_or((&word.syntax, ""));
    let operands = operands.replace(":label", label);
    let places = operands.split(", ").map(|place| match place {
        "result" => "TEMP[0]",
        "resource" => "BUFFER[0]",
        "SAMP[n]" => "SAMP[0]",
        "SVIEW[n]" => "SVIEW[0]",
        "IMAGE[n]" => "IMAGE[0]",
        "OUT[n]" => "OUT[0]",
        "target" => target,
        "a" => first,
        "b" | "c" | "d" | "e" => "TEMP[2]",
        other => other,
    });
    format!("{name} {}", places.collect::<Vec<_>>().join(", "))
}

/// Whether a program loads whose only instruction is this, perhaps with what it has to stand in.
fn loads(word: &OpcodeEntry, head: &str, target: &str, first: &str) -> bool {
    let (before, behind) = required_context(word.name);
    // Instructions are counted from 0 on: CAL, END, BGNSUB.
    let instruction = format_instruction(word, target, first, ":2");
    let view = match target {
        "SHADOWCUBEARRAY" => "CUBEARRAY",
        other => other,
    };
    let text = format!(
        "{head} {DECLARATIONS} DCL SVIEW[0], {view}, FLOAT {before} {instruction} {behind}"
    );
    let (program, _) = translate(&Source::new("test", &text));
    if let Some(program) = &program {
        assert!(verify(program).is_ok(), "{text}\n{program}");
    }
    program.is_some()
}

#[test]
fn every_opcode_has_a_translation() {
    // Opcodes of the text of 2010 that no program can have meant.
    let without = [
        "PUSHA", "POPA", "BRA", "CALLNZ", "BGNFOR", "ENDFOR", "REP", "ENDREP",
    ];
    for word in opcodes() {
        for (stage, head) in STAGES {
            let in_some = TARGETS.iter().any(|target| {
                let firsts = ["TEMP[1]", "IMM[0]", "IN[0]"];
                firsts.iter().any(|first| loads(&word, head, target, first))
            });
            let expected = word.stages.contains(stage) && !without.contains(&word.name);
            assert_eq!(in_some, expected, "{} in {head}", word.name);
        }
    }
    assert!(
        opcodes()
            .all(|word| !without.contains(&word.name) || word.era == SyntaxGeneration::Removed)
    );
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = opcodes().map(|word| word.name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}
