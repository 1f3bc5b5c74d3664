//! Built-in variables that WGSL does not have, and those that it demands.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V and naga have many operations and types, few of which count here"
)]

use crate::Language;
use crate::rewriter::Rewriter;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass, Word};
use std::collections::{HashMap, HashSet};

/// What an input without counterpart always is.
#[derive(Clone, Copy)]
enum Always {
    /// 0, or false.
    Zero,
    /// The middle: 0.5 in all components.
    Half,
}

const ONE_PIXEL: &str = "points have a size of one pixel: sizes that are written are dropped, coordinates of points are (0.5, 0.5)";
const FIRST_LAYER: &str = "there is one layer and one viewport: their numbers are dropped where they are written, and read as 0";
const NO_BASES: &str = "base vertex, base instance and the number of the draw are read as 0: instances count from the base instance on";
const HELPERS: &str = "helper invocations are read as not being some";
const SAMPLES: &str = "positions of samples are read as the center";
const COVERAGE: &str = "no fragment is known to be fully covered";

/// Languages, by their names without versions.
type Families = &'static [&'static str];

const DESKTOP: Families = &["glsl"];
const DESKTOP_METAL: Families = &["glsl", "msl"];
const GLSL_MSL: Families = &["glsl", "essl", "msl"];

/// Inputs that not all languages have: what they are in the others, and the languages that naga writes them in.
const INPUTS: &[(BuiltIn, Always, &str, Families)] = &[
    (BuiltIn::PointCoord, Always::Half, ONE_PIXEL, GLSL_MSL),
    (BuiltIn::Layer, Always::Zero, FIRST_LAYER, &[]),
    (BuiltIn::ViewportIndex, Always::Zero, FIRST_LAYER, &[]),
    (BuiltIn::BaseVertex, Always::Zero, NO_BASES, DESKTOP_METAL),
    (BuiltIn::BaseInstance, Always::Zero, NO_BASES, DESKTOP_METAL),
    (BuiltIn::DrawIndex, Always::Zero, NO_BASES, DESKTOP),
    (BuiltIn::HelperInvocation, Always::Zero, HELPERS, &[]),
    (BuiltIn::SamplePosition, Always::Half, SAMPLES, &[]),
    (BuiltIn::FullyCoveredEXT, Always::Zero, COVERAGE, &[]),
];

/// Outputs that not all languages have, and the languages that naga writes them in.
const OUTPUTS: &[(BuiltIn, &str, Families)] = &[
    (BuiltIn::PointSize, ONE_PIXEL, GLSL_MSL),
    (BuiltIn::Layer, FIRST_LAYER, &[]),
    (BuiltIn::ViewportIndex, FIRST_LAYER, &[]),
    (BuiltIn::ViewportMaskNV, FIRST_LAYER, &[]),
];

/// Takes inputs and outputs out that the language does not have: inputs are constants, outputs are not written.
pub(super) fn drop_builtins(rewriter: &mut Rewriter, language: Language) -> Result<(), String> {
    let mut constants = HashMap::new();
    let mut dropped = HashSet::new();
    for (variable, builtin, class) in rewriter.builtins() {
        if class == StorageClass::Input {
            let row = INPUTS
                .iter()
                .find(|(row, _, _, has)| *row == builtin && !has.contains(&language.family()));
            if let Some((_, always, warning, _)) = row {
                constants.insert(variable, constant(rewriter, variable, *always));
                rewriter.warn(*warning);
            }
        } else if let Some((_, warning, _)) = OUTPUTS
            .iter()
            .find(|(row, _, has)| *row == builtin && !has.contains(&language.family()))
        {
            dropped.insert(variable);
            rewriter.warn(*warning);
        }
    }
    if constants.is_empty() && dropped.is_empty() {
        return Ok(());
    }
    rewriter.rewrite(|code, instruction| {
        let pointer = instruction.operands.first().and_then(Operand::id_ref_any);
        match (instruction.class.opcode, pointer) {
            (Op::Load, Some(pointer)) if constants.contains_key(&pointer) => {
                code.define(&instruction, constants[&pointer]);
            }
            (Op::Store, Some(pointer)) if dropped.contains(&pointer) => {}
            _ => code.keep(instruction),
        }
        Ok(())
    })?;
    dropped.extend(constants.keys());
    rewriter.remove(&dropped);
    Ok(())
}

fn constant(rewriter: &mut Rewriter, variable: Word, always: Always) -> Word {
    let ty = pointee(rewriter, variable);
    match always {
        Always::Zero => rewriter.global(Op::ConstantNull, Some(ty), vec![]),
        Always::Half => rewriter.constant(ty, 0.5f32.to_bits()),
    }
}

/// The type of what a variable holds.
pub(super) fn pointee(rewriter: &Rewriter, variable: Word) -> Word {
    let pointer = rewriter.definition(rewriter.type_of(variable));
    match pointer.map(|pointer| &pointer.operands[..]) {
        Some([_, Operand::IdRef(pointee)]) => *pointee,
        _ => 0,
    }
}

/// Makes sample masks, which are arrays of one word in SPIR-V, words.
pub(super) fn flatten_sample_masks(rewriter: &mut Rewriter) -> Result<(), String> {
    let masks: Vec<_> = rewriter
        .builtins()
        .into_iter()
        .filter(|(_, builtin, _)| *builtin == BuiltIn::SampleMask)
        .collect();
    if masks.is_empty() {
        return Ok(());
    }
    let uint = rewriter.uint();
    for &(variable, _, class) in &masks {
        let pointer = rewriter.pointer(class, uint);
        rewriter.move_variable(variable, pointer);
    }
    let mut elements: HashMap<Word, Word> = HashMap::new();
    rewriter.rewrite(|code, mut instruction| {
        let pointer = instruction.operands.first().and_then(Operand::id_ref_any);
        let is_mask = |id| masks.iter().any(|(mask, ..)| *mask == id);
        match (instruction.class.opcode, pointer, instruction.result_id) {
            (Op::AccessChain | Op::InBoundsAccessChain, Some(mask), Some(element))
                if is_mask(mask) =>
            {
                elements.insert(element, mask);
                return Ok(());
            }
            (Op::Load | Op::Store, Some(pointer), _) => {
                if let Some(mask) = elements.get(&pointer) {
                    instruction.operands[0] = Operand::IdRef(*mask);
                }
            }
            _ => {}
        }
        code.keep(instruction);
        Ok(())
    })
}

/// Gives vertex programs that write no position one: WGSL demands it.
pub(super) fn add_position(rewriter: &mut Rewriter) {
    let is_position = |&(_, builtin, class): &(Word, BuiltIn, StorageClass)| {
        (builtin, class) == (BuiltIn::Position, StorageClass::Output)
    };
    if !is_stage(rewriter, ExecutionModel::Vertex) || rewriter.builtins().iter().any(is_position) {
        return;
    }
    let float = rewriter.float();
    let vector = rewriter.vector(float, 4);
    let variable = output(rewriter, vector, "position");
    rewriter.decorate(
        variable,
        Decoration::BuiltIn,
        Some(Operand::BuiltIn(BuiltIn::Position)),
    );
    let zero = rewriter.float_constant(1, 0.0);
    let one = rewriter.float_constant(1, 1.0);
    let start = rewriter.composite(vector, &[zero, zero, zero, one]);
    store_first(rewriter, variable, start);
}

/// Gives programs that write the second color of an attachment alone the first one, too.
pub(super) fn add_first_source(rewriter: &mut Rewriter) {
    let variables: Vec<Word> = rewriter
        .module
        .types_global_values
        .iter()
        .filter(|global| {
            global.class.opcode == Op::Variable
                && global.operands.first() == Some(&Operand::StorageClass(StorageClass::Output))
        })
        .filter_map(|global| global.result_id)
        .collect();
    let place = |rewriter: &Rewriter, id| {
        let location = rewriter.decoration(id, Decoration::Location)?;
        let index = rewriter.decoration(id, Decoration::Index);
        Some((location, index == Some(Operand::LiteralBit32(1))))
    };
    for &second in &variables {
        let Some((location, true)) = place(rewriter, second) else {
            continue;
        };
        let first = variables
            .iter()
            .find(|id| place(rewriter, **id) == Some((location.clone(), false)));
        if let Some(&first) = first {
            if rewriter.decoration(first, Decoration::Index).is_none() {
                rewriter.decorate(first, Decoration::Index, Some(Operand::LiteralBit32(0)));
            }
            continue;
        }
        let ty = pointee(rewriter, second);
        let variable = output(rewriter, ty, "first_color");
        rewriter.decorate(variable, Decoration::Location, Some(location));
        rewriter.decorate(variable, Decoration::Index, Some(Operand::LiteralBit32(0)));
        let start = rewriter.global(Op::ConstantNull, Some(ty), vec![]);
        store_first(rewriter, variable, start);
    }
}

/// Whether the entry point is of that stage.
pub(super) fn is_stage(rewriter: &Rewriter, model: ExecutionModel) -> bool {
    let entry = rewriter.module.entry_points.first();
    entry.is_some_and(|entry| entry.operands.first() == Some(&Operand::ExecutionModel(model)))
}

/// A new output variable.
fn output(rewriter: &mut Rewriter, ty: Word, name: &str) -> Word {
    interface_variable(rewriter, StorageClass::Output, ty, name)
}

/// A new variable of the interface.
pub(super) fn interface_variable(
    rewriter: &mut Rewriter,
    class: StorageClass,
    ty: Word,
    name: &str,
) -> Word {
    let pointer = rewriter.pointer(class, ty);
    let operands = vec![Operand::StorageClass(class)];
    let variable = rewriter.declare(Op::Variable, Some(pointer), operands);
    rewriter.name(variable, name);
    for entry in &mut rewriter.module.entry_points {
        entry.operands.push(Operand::IdRef(variable));
    }
    variable
}

/// Stores a constant at the start of the entry point.
fn store_first(rewriter: &mut Rewriter, variable: Word, value: Word) {
    let entry = rewriter
        .module
        .entry_points
        .first()
        .and_then(|entry| entry.operands.get(1)?.id_ref_any());
    let function = rewriter
        .module
        .functions
        .iter_mut()
        .find(|function| function.def_id() == entry);
    let Some(block) = function.and_then(|function| function.blocks.first_mut()) else {
        return;
    };
    let operands = vec![Operand::IdRef(variable), Operand::IdRef(value)];
    let store = Instruction::new(Op::Store, None, None, operands);
    let place = first_place(&block.instructions);
    block.instructions.insert(place, store);
}

/// Where a block's own instructions start.
pub(super) fn first_place(instructions: &[Instruction]) -> usize {
    let is_declaration = |instruction: &Instruction| {
        matches!(
            instruction.class.opcode,
            Op::Variable | Op::Phi | Op::Line | Op::NoLine
        )
    };
    instructions
        .iter()
        .position(|instruction| !is_declaration(instruction))
        .unwrap_or(instructions.len())
}

/// Gives constants that pipelines choose the values that they have if nobody chooses.
pub(super) fn freeze_specialization(rewriter: &mut Rewriter) {
    let mut frozen = false;
    for global in &mut rewriter.module.types_global_values {
        let op = match global.class.opcode {
            Op::SpecConstant => Op::Constant,
            Op::SpecConstantComposite => Op::ConstantComposite,
            Op::SpecConstantTrue => Op::ConstantTrue,
            Op::SpecConstantFalse => Op::ConstantFalse,
            _ => continue,
        };
        *global = Instruction::new(
            op,
            global.result_type,
            global.result_id,
            global.operands.clone(),
        );
        frozen = true;
    }
    if frozen {
        let is_choice = |annotation: &Instruction| {
            annotation
                .operands
                .contains(&Operand::Decoration(Decoration::SpecId))
        };
        rewriter
            .module
            .annotations
            .retain(|annotation| !is_choice(annotation));
        rewriter.warn("the size of thread groups is fixed: pipelines cannot choose it");
    }
}

/// Integers between the stages are not interpolated, which WGSL wants to read at both ends.
pub(super) fn mark_integers(rewriter: &mut Rewriter) {
    let class = if is_stage(rewriter, ExecutionModel::Fragment) {
        StorageClass::Input
    } else if is_stage(rewriter, ExecutionModel::Vertex) {
        StorageClass::Output
    } else {
        return;
    };
    let globals = rewriter.module.types_global_values.iter();
    let variables = globals.filter(|global| {
        global.class.opcode == Op::Variable
            && global.operands.first() == Some(&Operand::StorageClass(class))
    });
    let variables: Vec<Word> = variables.filter_map(|global| global.result_id).collect();
    for variable in variables {
        let scalar = rewriter.shape(pointee(rewriter, variable)).scalar;
        let is_integer = rewriter
            .definition(scalar)
            .is_some_and(|ty| ty.class.opcode == Op::TypeInt);
        let has = |decoration| rewriter.decoration(variable, decoration).is_some();
        if is_integer && has(Decoration::Location) && !has(Decoration::Flat) {
            rewriter.decorate(variable, Decoration::Flat, None);
        }
    }
}

/// Drops what naga does not read, and what means nothing to WGSL: who else sees accesses to images, and when fragments are counted.
pub(super) fn drop_decorations(rewriter: &mut Rewriter) {
    let images: HashSet<Word> = rewriter
        .module
        .types_global_values
        .iter()
        .filter(|global| {
            global.operands.first() == Some(&Operand::StorageClass(StorageClass::UniformConstant))
        })
        .filter_map(|global| global.result_id)
        .collect();
    rewriter.module.annotations.retain(|annotation| {
        !matches!(&annotation.operands[..], [Operand::IdRef(id), Operand::Decoration(Decoration::Coherent | Decoration::Volatile)] if images.contains(id))
    });
    rewriter.module.execution_modes.retain(|mode| {
        mode.operands.get(1) != Some(&Operand::ExecutionMode(ExecutionMode::PostDepthCoverage))
    });
}
