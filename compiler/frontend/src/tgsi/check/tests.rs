//! Tests of the checker alone: the checked program of a syntax tree, and its diagnostics.

use super::{CheckMemory, check};
use crate::diagnostic_sink::DiagnosticSink;
use crate::source::Source;
use crate::tgsi::ast::Ast;
use crate::tgsi::checked::{
    CheckedPlace, CheckedProgram, CheckedResource, CheckedValue, InstDetails, WrittenOutputs,
};
use crate::tgsi::syntax;
use crate::{Code, header};
use glasm_ir::{Id, InputId, OperandBase, RegisterId, Semantic, Swizzle, UnitSet, WriteMask};

/// Parses and checks a program in this memory.
fn check_in(memory: &mut CheckMemory, text: &str) -> DiagnosticSink {
    let start = header::parse_header(&Source::new("test", text)).expect("a known header");
    let ast = syntax::parse(&start, Ast::default());
    check(&ast, start, memory)
}

/// Returns the checked program of a source without errors.
fn check_source(text: &str) -> CheckedProgram {
    let mut memory = CheckMemory::default();
    let reports = check_in(&mut memory, text);
    assert!(!reports.has_errors(), "{text}: {:?}", reports.finish());
    memory.program
}

/// Returns the codes of all errors and warnings, in source order.
fn list_codes(text: &str) -> Vec<Code> {
    let diagnostics = check_in(&mut CheckMemory::default(), text).finish();
    diagnostics.list.iter().map(|it| it.code).collect()
}

/// Returns the opcodes of the reachable instructions of a fragment program.
fn list_reachable(body: &str) -> Vec<&'static str> {
    let text = format!(
        "FRAG\nDCL TEMP[0..1]\nIMM[0] UINT32 {{1, 2, 3, 4}}\n{}\nEND\n",
        body.replace("; ", "\n")
    );
    let program = check_source(&text);
    program
        .insts
        .iter()
        .map(|inst| inst.opcode_row.name)
        .collect()
}

#[test]
fn operands_are_resolved() {
    let program = check_source(
        "VERT\nDCL IN[3]\nDCL OUT[0], POSITION\nDCL TEMP[4..5]\nDCL CONST[1][0..7]\n\
         IMM[0] FLT32 {1, 2, 3, 4}\nMAD TEMP[5].xz, IN[3], CONST[1][2].yyyy, -|IMM[0].wzyx|\n\
         MOV OUT[0], TEMP[5]\nEND\n",
    );
    let [mad, mov] = &program.insts[..] else {
        panic!("{:?}", program.insts);
    };
    // OUT[0], TEMP[4] and TEMP[5], in the order of their declarations.
    assert_eq!(program.registers.len(), 3);
    let dst = mad.dst.expect("a result");
    assert_eq!(dst.mask, WriteMask(0b0101));
    let CheckedPlace::Register(temp) = dst.place else {
        panic!("{dst:?}");
    };
    assert_eq!(temp, RegisterId::new(2));
    let [input, constant, immediate] = program.sources(mad) else {
        panic!("{:?}", program.sources);
    };
    assert!(matches!(
        input.value,
        CheckedValue::Operand(OperandBase::Input(id)) if id == InputId::new(0)
    ));
    assert_eq!(
        program.inputs[InputId::new(0)].semantic,
        Semantic::VertexAttribute(3)
    );
    assert!(matches!(
        constant.value,
        CheckedValue::Constant {
            buffer: 1,
            number: 2
        }
    ));
    assert_eq!(constant.swizzle, Swizzle::splat(1));
    assert!(matches!(immediate.value, CheckedValue::Immediate(0)));
    assert!(immediate.negate && immediate.absolute);
    assert_eq!(program.immediates, [[1.0, 2.0, 3.0, 4.0].map(f32::to_bits)]);
    assert_eq!(mov.written_outputs, WrittenOutputs::Register(0));
}

#[test]
fn resources_are_resolved() {
    let program = check_source(
        "COMP\nDCL SV[0], THREAD_ID\nDCL ADDR[0]\nDCL IMAGE[0..2], 2D, PIPE_FORMAT_R32_UINT, WR\n\
         DCL TEMP[0]\nUARL ADDR[0].x, SV[0].xxxx\nSTORE IMAGE[ADDR[0].x+1], SV[0], TEMP[0], 2D\nEND\n",
    );
    let InstDetails::Access(access) = program.insts[1].details else {
        panic!("{:?}", program.insts[1]);
    };
    let access = &program.accesses[access as usize];
    let CheckedResource::Image(units, _) = access.resource else {
        panic!("{access:?}");
    };
    assert_eq!(units, UnitSet::Array { first: 0, count: 3 });
    assert_eq!(access.index.index.offset, 1);
    assert!(access.index.index.relative.is_some());
}

#[test]
fn unreachable_code_is_left_out() {
    assert_eq!(
        list_reachable("MOV TEMP[0], TEMP[1]; RET; NOT TEMP[0], TEMP[1]"),
        ["MOV", "RET"]
    );
    // One part of the condition reaches its end.
    assert_eq!(
        list_reachable("IF TEMP[0].xxxx; RET; ELSE; NOP; ENDIF; MOV TEMP[0], TEMP[1]"),
        ["IF", "RET", "ELSE", "ENDIF", "MOV"]
    );
    assert_eq!(
        list_reachable("IF TEMP[0].xxxx; RET; ELSE; KILL; ENDIF; MOV TEMP[0], TEMP[1]"),
        ["IF", "RET", "ELSE", "KILL", "ENDIF"]
    );
    // Nothing leaves the loop; the second loop has a jump that does.
    assert_eq!(
        list_reachable("BGNLOOP; MOV TEMP[0], TEMP[1]; ENDLOOP; NOT TEMP[0], TEMP[1]"),
        ["BGNLOOP", "MOV", "ENDLOOP"]
    );
    assert_eq!(
        list_reachable("BGNLOOP; IF TEMP[0].xxxx; BRK; ENDIF; ENDLOOP; NOT TEMP[0], TEMP[1]"),
        ["BGNLOOP", "IF", "BRK", "ENDIF", "ENDLOOP", "NOT"]
    );
    // Blocks of unreachable code, and code before the first section of a switch.
    assert_eq!(
        list_reachable("RET; BGNLOOP; IF TEMP[0].xxxx; BRK; ELSE; ENDIF; ENDLOOP"),
        ["RET"]
    );
    assert_eq!(
        list_reachable(
            "SWITCH TEMP[0].xxxx; NOT TEMP[0], TEMP[1]; CASE IMM[0].yyyy; BRK; DEFAULT; ENDSWITCH"
        ),
        ["SWITCH", "CASE", "BRK", "DEFAULT", "ENDSWITCH"]
    );
}

#[test]
fn values_of_cases_are_known() {
    let program = check_source(
        "FRAG\nDCL TEMP[0]\nIMM[0] UINT32 {7, 8, 9, 10}\nSWITCH TEMP[0].xxxx\n\
         CASE IMM[0].yyyy\nCASE -IMM[0].xxxx\nENDSWITCH\nEND\n",
    );
    let values = program.insts.iter().filter_map(|inst| {
        if let InstDetails::Case(value) = inst.details {
            Some(value)
        } else {
            None
        }
    });
    assert_eq!(values.collect::<Vec<_>>(), [8, 7u32.wrapping_neg()]);
}

#[test]
fn unreachable_code_need_not_be_correct() {
    // The operands of unreachable instructions are checked, other rules are not.
    let absolute = "NOT TEMP[0], |TEMP[0]|\n";
    let text = |before: &str| format!("VERT\nDCL TEMP[0]\n{before}{absolute}END\n");
    assert_eq!(list_codes(&text("")), [Code::ModifierUnsupported]);
    assert_eq!(list_codes(&text("RET\n")), []);
    assert_eq!(
        list_codes("VERT\nDCL TEMP[0]\nRET\nMOV TEMP[0], IMM[3]\nEND\n"),
        [Code::UndeclaredRegister]
    );
}

#[test]
fn all_errors_are_reported_in_source_order() {
    let text = "FRAG\nDCL TEMP[0]\nDCL SAMP[0]\nMOV IN[0], IMM[0]\nTEX TEMP[0], TEMP[0], SAMP[0], BUFFER\n\
                MOV TEMP[0] TEMP[0]\nENDIF\n";
    assert_eq!(
        list_codes(text),
        [
            Code::WriteReadOnly,
            Code::TargetNotAllowed,
            Code::UnexpectedToken,
            Code::BlockMismatch,
            Code::MissingEnd,
        ]
    );
}

/// The rule about offsets of cubes is not checked for an offset with a syntax error.
#[test]
fn offsets_with_wrong_swizzles_are_left_out() {
    let text = |offset: &str| {
        format!(
            "FRAG\nDCL SAMP[0]\nDCL TEMP[0]\nIMM[0] INT32 {{1, 2, 3, 4}}\n\
             TEX TEMP[0], TEMP[0], SAMP[0], CUBE, IMM[0]{offset}\nEND\n"
        )
    };
    assert_eq!(list_codes(&text(".xyz")), [Code::OffsetTarget]);
    assert_eq!(list_codes(&text(".xyzw")), [Code::SwizzleLetters]);
}

/// As in Mesa's `tgsi_scan`, the last value of a property is that of the whole program.
#[test]
fn properties_apply_to_the_whole_program() {
    let program = check_source(
        "FRAG\nDCL IN[0], POSITION\nDCL TEMP[0]\nPROPERTY FS_COORD_ORIGIN LOWER_LEFT\n\
         MOV TEMP[0], IN[0]\nPROPERTY FS_COORD_PIXEL_CENTER INTEGER\n\
         PROPERTY FS_COORD_ORIGIN UPPER_LEFT\nMOV TEMP[0], IN[0]\nEND\n",
    );
    assert!(!program.properties.origin_lower_left);
    assert!(program.properties.pixel_center_integer);
}

#[test]
fn errors_of_properties_are_in_source_order() {
    let text = "GEOM\nDCL IN[][0], POSITION\nPROPERTY GS_INPUT_PRIMITIVE POINTS\n\
                PROPERTY GS_OUTPUT_PRIMITIVE POINTS\nMOV TEMP[0], IMM[0]\n\
                PROPERTY GS_MAX_OUTPUT_VERTICES 0\nEND\n";
    let diagnostics = check_in(&mut CheckMemory::default(), text).finish();
    let rules = diagnostics.list.iter().map(|it| &it.message[..24]);
    assert_eq!(
        rules.collect::<Vec<_>>(),
        [
            "`GS_INPUT_PRIMITIVE` mus",
            "`TEMP[0]` is not declare",
            "`IMM[0]` is not declared",
            "`GS_MAX_OUTPUT_VERTICES`",
        ]
    );
}

#[test]
fn nothing_of_the_program_before_remains() {
    let first = "FRAG\nPROPERTY FS_COORD_ORIGIN LOWER_LEFT\nDCL IN[0], GENERIC[0], PERSPECTIVE\n\
                 DCL OUT[0], COLOR\nDCL SAMP[0]\nDCL TEMP[0]\nDCL CONST[0..3]\nDCL ADDR[0]\n\
                 IMM[0] FLT32 {1, 2, 3, 4}\nTEX TEMP[0], IN[0], SAMP[0], 2D\nBGNLOOP\nCAL :9\nBRK\nENDLOOP\n\
                 MOV OUT[0], CONST[ADDR[0].x]\nEND\nBGNSUB\nIF TEMP[0].xxxx\n";
    let second = "VERT\nDCL TEMP[0]\nMOV TEMP[0], TEMP[0]\nEND\n";
    let mut memory = CheckMemory::default();
    assert!(check_in(&mut memory, first).has_errors());
    assert!(!check_in(&mut memory, second).has_errors());
    assert_eq!(
        format!("{:?}", memory.program),
        format!("{:?}", check_source(second))
    );
}

/// Returns a fragment program with inputs of these declarations and these statements.
fn make_indexed_inputs(inputs: &str, statements: &str) -> String {
    format!("FRAG\n{inputs}DCL TEMP[0]\nDCL ADDR[0]\n{statements}END\n")
}

/// Returns the first input of the array of each instruction's source, its length, and the number
/// that is added to the index.
fn list_input_arrays(program: &CheckedProgram) -> Vec<(usize, u32, i32)> {
    let values = program.sources.iter().map(|source| source.value);
    let arrays = values.filter_map(|value| {
        let CheckedValue::Element(OperandBase::Input(input), element) = value else {
            return None;
        };
        let index = &program.elements[element as usize];
        Some((input.index(), index.len, index.element.offset))
    });
    arrays.collect()
}

/// Operands that may select the same inputs have the same array, so that the inputs of a program do
/// not multiply.
#[test]
fn indexed_inputs_are_declared_once() {
    let inputs = "DCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[99], GENERIC[1], PERSPECTIVE\n";
    for operand in ["IN[ADDR[0].x-1]", "IN[ADDR[0].x+200]", "IN[ADDR[0].x](7)"] {
        let statement = format!("MOV TEMP[0], {operand}\n");
        let program = check_source(&make_indexed_inputs(inputs, &statement.repeat(50)));
        assert_eq!(program.inputs.len(), 100, "{operand}");
        assert_eq!(list_input_arrays(&program).len(), 50);
    }
    let ids = (1..50).map(|id| format!("MOV TEMP[0], IN[ADDR[0].x]({id})\n"));
    let program = check_source(&make_indexed_inputs(inputs, &ids.collect::<String>()));
    assert_eq!(program.inputs.len(), 100);
    // Unreachable operands are resolved, too.
    let dead = format!("RET\n{}", "MOV TEMP[0], IN[ADDR[0].x-1]\n".repeat(50));
    let program = check_source(&make_indexed_inputs(inputs, &dead));
    assert_eq!(program.inputs.len(), 100);
}

#[test]
fn parts_of_an_input_array_are_one_array() {
    let part = |mask: &str| format!("DCL IN[0..9].{mask}, ARRAY(1), GENERIC[0], PERSPECTIVE\n");
    let inputs = ["x", "y", "zw"].map(part).concat();
    let statements = "MOV TEMP[0], IN[ADDR[0].x+2](1)\nMOV TEMP[0], IN[3]\n";
    let program = check_source(&make_indexed_inputs(&inputs, statements));
    assert_eq!(program.inputs.len(), 10);
    assert_eq!(list_input_arrays(&program), [(0, 10, 2)]);
    assert!(matches!(
        program.sources[1].value,
        CheckedValue::Operand(OperandBase::Input(id)) if id == InputId::new(3)
    ));
}

/// Each declaration between instructions changes the inputs that an index may select.
#[test]
fn arrays_of_inputs_are_limited() {
    let statements = (0..5_000).map(|number| {
        let number = 60_000 + number;
        format!("DCL IN[{number}], GENERIC[0]\nMOV TEMP[0], IN[ADDR[0].x+{number}]\n")
    });
    let text = make_indexed_inputs("DCL IN[0], GENERIC[0]\n", &statements.collect::<String>());
    let mut memory = CheckMemory::default();
    let reports = check_in(&mut memory, &text).finish();
    let mut codes = reports.list.iter().map(|it| it.code);
    assert!(codes.any(|code| code == Code::OutputTooLarge));
    let count = memory.program.inputs.len();
    assert!(count <= 400_000, "{count}");
}

#[test]
fn too_many_immediates_are_reported_once() {
    let one = |number| format!("IMM[{number}] UINT32 {{1, 2, 3, 4}}\n");
    let list: String = (0..65_540).map(one).collect();
    let text = format!("VERT\n{list}END\n");
    assert_eq!(list_codes(&text), [Code::TooManyParameters]);
}

/// Registers before the first declared one have no inputs, so that they are not elements.
#[test]
fn arrays_of_inputs_begin_with_a_declared_one() {
    let inputs = "DCL IN[2..5], GENERIC[0], PERSPECTIVE\n";
    let statements = "MOV TEMP[0], IN[ADDR[0].x+2]\nMOV TEMP[0], IN[ADDR[0].x]\n";
    let program = check_source(&make_indexed_inputs(inputs, statements));
    assert_eq!(program.inputs.len(), 4);
    assert_eq!(list_input_arrays(&program), [(0, 4, 0), (0, 4, -2)]);
}

/// A dynamic index selects any image: the format is that of all of them, if there is one.
#[test]
fn formats_of_all_images_are_compared() {
    let find_format = |formats: [(u32, &str); 3]| {
        let images = formats.map(|(number, format)| {
            format!("DCL IMAGE[{number}], 2D, PIPE_FORMAT_R32_{format}, WR\n")
        });
        let program = check_source(&format!(
            "COMP\nDCL SV[0], THREAD_ID\nDCL ADDR[0]\nDCL TEMP[0]\n{}\
             STORE IMAGE[ADDR[0].x], SV[0], TEMP[0], 2D\nEND\n",
            images.concat()
        ));
        let CheckedResource::Image(UnitSet::Array { first: 0, count }, image) =
            program.accesses[0].resource
        else {
            panic!("{:?}", program.accesses[0]);
        };
        (count, image.format)
    };
    let (count, same) = find_format([(4, "UINT"), (2, "UINT"), (3, "UINT")]);
    assert!(count == 5 && same.is_some());
    assert_eq!(
        find_format([(4, "UINT"), (2, "UINT"), (3, "SINT")]),
        (5, None)
    );
    assert_eq!(
        find_format([(4, "SINT"), (2, "UINT"), (3, "UINT")]),
        (5, None)
    );
}

#[test]
fn semantics_of_outputs_are_unique() {
    let list = |outputs: &str| list_codes(&format!("VERT\n{outputs}END\n"));
    let parts = "DCL OUT[9].x, GENERIC[0]\nDCL OUT[9].y, GENERIC[0]\n";
    assert_eq!(list(parts), []);
    assert_eq!(list(&format!("{parts}DCL OUT[3], GENERIC[1]\n")), []);
    let repeated = format!("{parts}DCL OUT[3], GENERIC[0]\n");
    assert_eq!(list(&repeated), [Code::Semantic]);
    // The semantic of a declaration that another replaced is free.
    let replaced = format!("{parts}DCL OUT[9], GENERIC[5]\nDCL OUT[1], GENERIC[0]\n");
    assert_eq!(list(&replaced), [Code::RegisterTwice]);
}

#[test]
fn only_memory_is_found_by_another_number() {
    let text = |memories: &str| {
        format!("COMP\n{memories}DCL TEMP[0]\nLOAD TEMP[0].x, MEMORY[0], TEMP[0].xxxx\nEND\n")
    };
    assert_eq!(list_codes(&text("DCL MEMORY[3], SHARED\n")), []);
    let two = text("DCL MEMORY[3], SHARED\nDCL MEMORY[2], PRIVATE\n");
    assert_eq!(list_codes(&two), [Code::UndeclaredRegister]);
}
