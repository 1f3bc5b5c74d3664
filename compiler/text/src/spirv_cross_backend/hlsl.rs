//! HLSL that SPIRV-Cross writes in a way that does not compile.

use crate::spirv_edit::{InstructionExt, ModuleEditor};
use rspirv::spirv::{Op, Word};
use std::collections::HashSet;

/// Removes the names of results that HLSL functions write to variables: SPIRV-Cross declares these
/// without comparing them with the names of other variables.
pub(super) fn remove_out_parameter_names(editor: &mut ModuleEditor) {
    let is_written = |op: Op| {
        matches!(
            op,
            Op::AtomicLoad
                | Op::AtomicExchange
                | Op::AtomicCompareExchange
                | Op::AtomicIIncrement
                | Op::AtomicIDecrement
                | Op::AtomicIAdd
                | Op::AtomicISub
                | Op::AtomicSMin
                | Op::AtomicUMin
                | Op::AtomicSMax
                | Op::AtomicUMax
                | Op::AtomicAnd
                | Op::AtomicOr
                | Op::AtomicXor
                | Op::ImageQueryLevels
                | Op::ImageQuerySamples
                | Op::ImageQuerySize
                | Op::ImageQuerySizeLod
                | Op::ArrayLength
        )
    };
    let written = editor.instructions().filter(|it| is_written(it.op()));
    let results: HashSet<Word> = written.filter_map(|it| it.result_id).collect();
    let names = editor.names_mut();
    names.retain(|name| name.id_operand(0).is_none_or(|id| !results.contains(&id)));
}

/// Replaces atomic stores by exchanges: SPIRV-Cross writes them as exchanges with a variable that
/// it does not declare.
pub(super) fn replace_atomic_stores(editor: &mut ModuleEditor) {
    if !editor.has_op(&[Op::AtomicStore]) {
        return;
    }
    editor.rewrite_instructions(|code, instruction| match instruction.id_operand(3) {
        Some(value) if instruction.op() == Op::AtomicStore => {
            let ty = code.editor.type_of(value);
            code.emit_op_with(Op::AtomicExchange, ty, instruction.operands);
        }
        _ => code.emit_unchanged(instruction),
    });
}

/// Adds the structure of inputs to the HLSL source of a geometry program that reads none, whose
/// entry point refers to it nevertheless; other sources are unchanged.
pub(super) fn declare_missing_input(text: String) -> String {
    const INPUT: &str = "struct SPIRV_Cross_Input";
    const OUTPUT: &str = "struct SPIRV_Cross_Output\n";
    match text.find(OUTPUT) {
        Some(position)
            if text.contains(" SPIRV_Cross_Input stage_input[") && !text.contains(INPUT) =>
        {
            let (before, after) = text.split_at(position);
            format!("{before}{INPUT}\n{{\n    float4 position : SV_Position;\n}};\n\n{after}")
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_inputs_are_declared() {
        let text = "struct SPIRV_Cross_Output\n{\n};\n\nvoid main(point SPIRV_Cross_Input stage_input[1])\n";
        let declared = declare_missing_input(text.to_owned());
        assert!(declared.starts_with("struct SPIRV_Cross_Input\n{\n    float4 position"));
        assert!(declared.ends_with(text));
        assert_eq!(declare_missing_input(declared.clone()), declared);
    }
}
