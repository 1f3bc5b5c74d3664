//! Numbers of invocations and of vertices of patches: words without sign in the module, `int` in GLSL, which converts only in some versions.
//! SPIRV-Cross takes their types as they are, so they are read as what GLSL has and made words then.

use super::signs::int_type;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass, Word};
use std::collections::HashMap;

/// Rewrites these variables and their reads.
pub(super) fn read_as_int(module: &mut Module) {
    let variables: Vec<Word> = module.annotations.iter().filter_map(int_builtin).collect();
    if variables.is_empty() {
        return;
    }
    let mut next_id = module.header.as_ref().map_or(0, |header| header.bound);
    let mut new_id = || {
        next_id += 1;
        next_id - 1
    };
    let int = int_type(module, &mut new_id);
    let pointer = new_id();
    let (moved, mut globals): (Vec<_>, Vec<_>) = std::mem::take(&mut module.types_global_values)
        .into_iter()
        .partition(|it| it.result_id.is_some_and(|id| variables.contains(&id)));
    let operands = vec![
        Operand::StorageClass(StorageClass::Input),
        Operand::IdRef(int),
    ];
    let made = Instruction::new(Op::TypePointer, None, Some(pointer), operands);
    globals.push(made);
    globals.extend(moved.into_iter().map(|variable| Instruction {
        result_type: Some(pointer),
        ..variable
    }));
    module.types_global_values = globals;
    let mut ints = HashMap::new();
    for function in &mut module.functions {
        for block in &mut function.blocks {
            let old = std::mem::take(&mut block.instructions);
            let mut new = Vec::with_capacity(old.len());
            for mut instruction in old {
                let base = instruction.operands.first().and_then(Operand::id_ref_any);
                let is_read = instruction.class.opcode == Op::Load
                    && base.is_some_and(|base| variables.contains(&base));
                if is_read {
                    let signed = new_id();
                    ints.extend(instruction.result_id.map(|word| (word, signed)));
                    read(instruction, int, signed, &mut new);
                    continue;
                }
                if instruction.class.opcode == Op::AccessChain {
                    index_by_ints(&mut instruction, &ints);
                }
                new.push(instruction);
            }
            block.instructions = new;
        }
    }
    if let Some(header) = &mut module.header {
        header.bound = next_id;
    }
}

/// Adds a read of an `int`, called `signed`, and makes a word of it.
fn read(instruction: Instruction, int: Word, signed: Word, new: &mut Vec<Instruction>) {
    let (word, result) = (instruction.result_type, instruction.result_id);
    new.push(Instruction {
        result_type: Some(int),
        result_id: Some(signed),
        ..instruction
    });
    let operands = vec![Operand::IdRef(signed)];
    new.push(Instruction::new(Op::Bitcast, word, result, operands));
}

/// Outputs of a vertex are written by `gl_InvocationID` itself as index, not by a word made of it.
fn index_by_ints(access: &mut Instruction, ints: &HashMap<Word, Word>) {
    for operand in &mut access.operands {
        if let Operand::IdRef(word) = operand
            && let Some(&signed) = ints.get(word)
        {
            *operand = Operand::IdRef(signed);
        }
    }
}

/// The variable of a decoration with one of these numbers.
fn int_builtin(decoration: &Instruction) -> Option<Word> {
    match decoration.operands[..] {
        [
            Operand::IdRef(variable),
            Operand::Decoration(Decoration::BuiltIn),
            Operand::BuiltIn(BuiltIn::InvocationId | BuiltIn::PatchVertices),
        ] => Some(variable),
        _ => None,
    }
}
