//! Barriers of tessellation control programs, whose invocations wait there for what the others write.
//!
//! - SPIRV-Cross puts a read of an output where its value is used, also behind a barrier: the value goes to a variable first.
//! - GLSL has `barrier()` outside of flow control only, in `main` and in front of any `return` (GLSL 4.60 section 8.16).

use rspirv::dr::{Block, Function, Instruction, Module, Operand};
use rspirv::spirv::{ExecutionModel, Op, StorageClass, Word};
use std::collections::{HashMap, HashSet};

/// Keeps reads of outputs in front of the barriers that they stand before.
pub(super) fn keep_reads(module: &mut Module) {
    if control_entry(module).is_none() || !module.all_inst_iter().any(is_barrier) {
        return;
    }
    let mut copies = Copies::new(module);
    for function in &mut module.functions {
        copies.rewrite(function);
    }
    module.types_global_values.append(&mut copies.types);
    if let Some(header) = &mut module.header {
        header.bound = copies.next_id;
    }
}

/// Whether all barriers of a control program stand where GLSL allows them.
pub(super) fn are_outside_flow(module: &Module) -> bool {
    let Some(main) = control_entry(module) else {
        return true;
    };
    module.functions.iter().all(|function| {
        let has_barrier = |block: &Block| block.instructions.iter().any(is_barrier);
        if !function.blocks.iter().any(has_barrier) {
            return true;
        }
        let outside = outside_blocks(function);
        let leaves = |block: &Block| {
            let last = block.instructions.last();
            last.is_some_and(|it| it.class.opcode == Op::Return)
        };
        let is_main = function.def_id() == Some(main);
        is_main
            && function.blocks.iter().all(|block| {
                let is_outside = label(block).is_some_and(|id| outside.contains(&id));
                is_outside || !has_barrier(block) && !leaves(block)
            })
    })
}

/// The function that a tessellation control module begins with.
fn control_entry(module: &Module) -> Option<Word> {
    let entry = module.entry_points.first()?;
    match entry.operands[..] {
        [
            Operand::ExecutionModel(ExecutionModel::TessellationControl),
            Operand::IdRef(main),
            ..,
        ] => Some(main),
        _ => None,
    }
}

fn is_barrier(instruction: &Instruction) -> bool {
    instruction.class.opcode == Op::ControlBarrier
}

fn label(block: &Block) -> Option<Word> {
    block.label.as_ref()?.result_id
}

/// The blocks in no construct: from the first one on behind branches and merges. The first block of a loop is in it.
fn outside_blocks(function: &Function) -> HashSet<Word> {
    let blocks: HashMap<Word, &Block> = function
        .blocks
        .iter()
        .filter_map(|block| Some((label(block)?, block)))
        .collect();
    let mut outside = HashSet::new();
    let mut next = function.blocks.first().and_then(label);
    while let Some(id) = next {
        let Some(block) = blocks.get(&id) else { break };
        let target = |opcode: Op| {
            let mut instructions = block.instructions.iter();
            let found = instructions.find(|it| it.class.opcode == opcode)?;
            found.operands.first()?.id_ref_any()
        };
        let behind_loop = target(Op::LoopMerge);
        if behind_loop.is_none() && !outside.insert(id) {
            break;
        }
        next = behind_loop
            .or_else(|| target(Op::SelectionMerge))
            .or_else(|| target(Op::Branch));
    }
    outside
}

/// Reads of outputs that become reads of variables.
struct Copies {
    next_id: Word,
    /// Outputs, and pointers to parts of them.
    outputs: HashSet<Word>,
    /// Types of pointers to variables of functions, by what these hold.
    pointers: HashMap<Word, Word>,
    /// Types that are declared behind the others.
    types: Vec<Instruction>,
}

impl Copies {
    fn new(module: &Module) -> Self {
        let mut outputs = HashSet::new();
        let mut pointers = HashMap::new();
        for global in &module.types_global_values {
            let Some(id) = global.result_id else { continue };
            match (global.class.opcode, &global.operands[..]) {
                (Op::Variable, [Operand::StorageClass(StorageClass::Output), ..]) => {
                    outputs.insert(id);
                }
                (
                    Op::TypePointer,
                    [
                        Operand::StorageClass(StorageClass::Function),
                        Operand::IdRef(of),
                    ],
                ) => {
                    pointers.insert(*of, id);
                }
                _ => {}
            }
        }
        Self {
            next_id: module.header.as_ref().map_or(0, |header| header.bound),
            outputs,
            pointers,
            types: Vec::new(),
        }
    }

    fn new_id(&mut self) -> Word {
        self.next_id += 1;
        self.next_id - 1
    }

    fn rewrite(&mut self, function: &mut Function) {
        let mut variables = Vec::new();
        for block in &mut function.blocks {
            let old = std::mem::take(&mut block.instructions);
            let mut new = Vec::with_capacity(old.len());
            for instruction in old {
                self.copy(instruction, &mut new, &mut variables);
            }
            block.instructions = new;
        }
        if let Some(first) = function.blocks.first_mut() {
            first.instructions.splice(0..0, variables);
        }
    }

    /// Adds an instruction, and for a read of an output the way through a variable.
    fn copy(
        &mut self,
        instruction: Instruction,
        new: &mut Vec<Instruction>,
        variables: &mut Vec<Instruction>,
    ) {
        let base = instruction.operands.first().and_then(Operand::id_ref_any);
        let is_output = base.is_some_and(|base| self.outputs.contains(&base));
        match (instruction.class.opcode, instruction.result_type) {
            (Op::AccessChain, _) if is_output => {
                self.outputs.extend(instruction.result_id);
                new.push(instruction);
            }
            (Op::Load, Some(ty)) if is_output => {
                let pointer = self.pointer_to(ty);
                let variable = self.new_id();
                let class = vec![Operand::StorageClass(StorageClass::Function)];
                let made = Instruction::new(Op::Variable, Some(pointer), Some(variable), class);
                variables.push(made);
                let value = self.new_id();
                let result = instruction.result_id;
                new.push(Instruction {
                    result_id: Some(value),
                    ..instruction
                });
                let stored = vec![Operand::IdRef(variable), Operand::IdRef(value)];
                new.push(Instruction::new(Op::Store, None, None, stored));
                let read = vec![Operand::IdRef(variable)];
                new.push(Instruction::new(Op::Load, Some(ty), result, read));
            }
            _ => new.push(instruction),
        }
    }

    fn pointer_to(&mut self, ty: Word) -> Word {
        if let Some(&known) = self.pointers.get(&ty) {
            return known;
        }
        let id = self.new_id();
        let operands = vec![
            Operand::StorageClass(StorageClass::Function),
            Operand::IdRef(ty),
        ];
        let pointer = Instruction::new(Op::TypePointer, None, Some(id), operands);
        self.types.push(pointer);
        self.pointers.insert(ty, id);
        id
    }
}
