//! Built-in variables that WGSL does not have, and built-in variables that it requires.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V and naga have many operations and types, few of which count here"
)]

use crate::Language;
use crate::spirv_edit::{InstructionExt, ModuleEditor, insert_at_start, to_id_operands};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass, Word};
use std::collections::{HashMap, HashSet};

/// The value that an input without counterpart always has.
#[derive(Clone, Copy)]
enum ReplacementValue {
    /// 0, or false.
    Zero,
    /// The middle: 0.5 in all components.
    Half,
}

const POINT_SIZE_WARNING: &str = "points have a size of one pixel: sizes that are written are dropped, coordinates of points are (0.5, 0.5)";
const LAYER_WARNING: &str = "there is one layer and one viewport: their numbers are dropped where they are written, and read as 0";
const DRAW_PARAMETER_WARNING: &str = "base vertex, base instance and the number of the draw are read as 0: instances count from the base instance on";
const HELPER_INVOCATION_WARNING: &str = "the helper-invocation flag is always false";
const SAMPLE_POSITION_WARNING: &str = "positions of samples are read as the center";
const COVERAGE_WARNING: &str = "no fragment is known to be fully covered";

/// Languages, by their names without versions.
type LanguageFamilies = &'static [&'static str];

const GLSL_ONLY: LanguageFamilies = &["glsl"];
const GLSL_AND_MSL: LanguageFamilies = &["glsl", "msl"];
const GLSL_ESSL_AND_MSL: LanguageFamilies = &["glsl", "essl", "msl"];

/// Inputs that not all languages have: their values in the others, and the languages that naga
/// writes them in.
const REPLACED_INPUTS: &[(BuiltIn, ReplacementValue, &str, LanguageFamilies)] = &[
    (
        BuiltIn::PointCoord,
        ReplacementValue::Half,
        POINT_SIZE_WARNING,
        GLSL_ESSL_AND_MSL,
    ),
    (BuiltIn::Layer, ReplacementValue::Zero, LAYER_WARNING, &[]),
    (
        BuiltIn::ViewportIndex,
        ReplacementValue::Zero,
        LAYER_WARNING,
        &[],
    ),
    (
        BuiltIn::BaseVertex,
        ReplacementValue::Zero,
        DRAW_PARAMETER_WARNING,
        GLSL_AND_MSL,
    ),
    (
        BuiltIn::BaseInstance,
        ReplacementValue::Zero,
        DRAW_PARAMETER_WARNING,
        GLSL_AND_MSL,
    ),
    (
        BuiltIn::DrawIndex,
        ReplacementValue::Zero,
        DRAW_PARAMETER_WARNING,
        GLSL_ONLY,
    ),
    (
        BuiltIn::HelperInvocation,
        ReplacementValue::Zero,
        HELPER_INVOCATION_WARNING,
        &[],
    ),
    (
        BuiltIn::SamplePosition,
        ReplacementValue::Half,
        SAMPLE_POSITION_WARNING,
        &[],
    ),
    (
        BuiltIn::FullyCoveredEXT,
        ReplacementValue::Zero,
        COVERAGE_WARNING,
        &[],
    ),
];

/// Outputs that not all languages have, and the languages that naga writes them in.
const DROPPED_OUTPUTS: &[(BuiltIn, &str, LanguageFamilies)] = &[
    (BuiltIn::PointSize, POINT_SIZE_WARNING, GLSL_ESSL_AND_MSL),
    (BuiltIn::Layer, LAYER_WARNING, &[]),
    (BuiltIn::ViewportIndex, LAYER_WARNING, &[]),
    (BuiltIn::ViewportMaskNV, LAYER_WARNING, &[]),
];

/// Removes built-in inputs and outputs that the language does not have, and records the
/// differences: reads of the inputs become constants, writes of the outputs are removed.
pub(super) fn replace_missing_builtins(editor: &mut ModuleEditor, language: Language) {
    let mut constants = HashMap::new();
    let mut dropped = HashSet::new();
    let lacks = |families: LanguageFamilies| !families.contains(&language.family());
    for (variable, builtin, class) in editor.collect_builtins() {
        if class == StorageClass::Input {
            let mut inputs = REPLACED_INPUTS.iter();
            let input = inputs.find(|input| input.0 == builtin && lacks(input.3));
            if let Some((_, always, warning, _)) = input {
                constants.insert(variable, declare_input_value(editor, variable, *always));
                editor.record_difference(*warning);
            }
        } else {
            let mut outputs = DROPPED_OUTPUTS.iter();
            let output = outputs.find(|output| output.0 == builtin && lacks(output.2));
            if let Some((_, warning, _)) = output {
                dropped.insert(variable);
                editor.record_difference(*warning);
            }
        }
    }
    if constants.is_empty() && dropped.is_empty() {
        return;
    }
    editor.rewrite_instructions(|code, instruction| {
        match (instruction.op(), instruction.id_operand(0)) {
            (Op::Load, Some(pointer)) if constants.contains_key(&pointer) => {
                code.replace_with_value(&instruction, constants[&pointer]);
            }
            (Op::Store, Some(pointer)) if dropped.contains(&pointer) => {}
            _ => code.emit_unchanged(instruction),
        }
    });
    dropped.extend(constants.keys());
    editor.remove_globals(&dropped);
}

/// Declares the constant that replaces an input variable, with the type of the variable, and
/// returns its id.
fn declare_input_value(
    editor: &mut ModuleEditor,
    variable: Word,
    replacement: ReplacementValue,
) -> Word {
    let ty = editor.pointee_type(variable).unwrap_or_default();
    match replacement {
        ReplacementValue::Zero => editor.intern_global(Op::ConstantNull, Some(ty), vec![]),
        ReplacementValue::Half => editor.intern_constant(ty, 0.5f32.to_bits()),
    }
}

/// Replaces sample masks, which are arrays of one word in SPIR-V, by variables that are words, and
/// the accesses to their element by accesses to these.
pub(super) fn flatten_sample_masks(editor: &mut ModuleEditor) {
    let builtins = editor.collect_builtins().into_iter();
    let masks = builtins.filter(|(_, builtin, _)| *builtin == BuiltIn::SampleMask);
    let masks: HashMap<Word, StorageClass> = masks.map(|(id, _, class)| (id, class)).collect();
    if masks.is_empty() {
        return;
    }
    let uint = editor.intern_uint();
    editor.retype_variables(&masks, uint);
    let mut elements: HashMap<Word, Word> = HashMap::new();
    editor.rewrite_instructions(|code, mut instruction| {
        let pointer = instruction.id_operand(0);
        match (instruction.op(), pointer, instruction.result_id) {
            (Op::AccessChain | Op::InBoundsAccessChain, Some(mask), Some(element))
                if masks.contains_key(&mask) =>
            {
                elements.insert(element, mask);
                return;
            }
            (Op::Load | Op::Store, Some(pointer), _) => {
                if let Some(mask) = elements.get(&pointer) {
                    instruction.operands[0] = Operand::IdRef(*mask);
                }
            }
            _ => {}
        }
        code.emit_unchanged(instruction);
    });
}

/// Adds a position, (0, 0, 0, 1), to vertex programs that write none: WGSL requires it.
pub(super) fn declare_missing_position(editor: &mut ModuleEditor) {
    let is_position = |&(_, builtin, class): &(Word, BuiltIn, StorageClass)| {
        (builtin, class) == (BuiltIn::Position, StorageClass::Output)
    };
    if !editor.has_execution_model(&[ExecutionModel::Vertex])
        || editor.collect_builtins().iter().any(is_position)
    {
        return;
    }
    let float = editor.intern_float();
    let vector = editor.intern_vector(float, 4);
    let variable = editor.declare_interface_variable(StorageClass::Output, vector, "position");
    let builtin = Operand::BuiltIn(BuiltIn::Position);
    editor.decorate(variable, Decoration::BuiltIn, Some(builtin));
    let [zero, one] = [0.0, 1.0].map(|value| editor.intern_float_constant(value));
    let value = editor.intern_composite(vector, &[zero, zero, zero, one]);
    store_at_start(editor, variable, value);
}

/// Adds the first color of an attachment, which is 0, to programs that write its second color only,
/// and the index 0 to first colors without one.
pub(super) fn declare_first_color_source(editor: &mut ModuleEditor) {
    let outputs: Vec<_> = editor.iter_variables(&[StorageClass::Output]).collect();
    let source = |editor: &ModuleEditor, id| {
        let location = editor.find_decoration_literal(id, Decoration::Location)?;
        let index = editor.find_decoration_literal(id, Decoration::Index);
        Some((location, index == Some(1)))
    };
    let decorate = |editor: &mut ModuleEditor, id, decoration, value| {
        editor.decorate(id, decoration, Some(Operand::LiteralBit32(value)));
    };
    for &(second, _) in &outputs {
        let Some((location, true)) = source(editor, second) else {
            continue;
        };
        let mut others = outputs.iter().map(|(id, _)| *id);
        if let Some(first) = others.find(|id| source(editor, *id) == Some((location, false))) {
            if !editor.is_decorated(first, Decoration::Index) {
                decorate(editor, first, Decoration::Index, 0);
            }
            continue;
        }
        let ty = editor.pointee_type(second).unwrap_or_default();
        let variable = editor.declare_interface_variable(StorageClass::Output, ty, "first_color");
        decorate(editor, variable, Decoration::Location, location);
        decorate(editor, variable, Decoration::Index, 0);
        let zero = editor.intern_global(Op::ConstantNull, Some(ty), vec![]);
        store_at_start(editor, variable, zero);
    }
}

/// Inserts a store of `value` to `variable` at the start of the entry point, after its variables.
fn store_at_start(editor: &mut ModuleEditor, variable: Word, value: Word) {
    let entry = editor.find_entry_function();
    editor.rewrite_functions(|_, function| {
        if function.def_id() == entry {
            let store = Instruction::new(Op::Store, None, None, to_id_operands(&[variable, value]));
            insert_at_start(function, vec![store]);
        }
    });
}

/// Replaces specialization constants by constants with their default values, and records the
/// difference.
pub(super) fn freeze_spec_constants(editor: &mut ModuleEditor) {
    let mut is_frozen = false;
    editor.rewrite_globals(|editor, global| {
        let op = match global.op() {
            Op::SpecConstant => Op::Constant,
            Op::SpecConstantComposite => Op::ConstantComposite,
            Op::SpecConstantTrue => Op::ConstantTrue,
            Op::SpecConstantFalse => Op::ConstantFalse,
            _ => return editor.add_global(global),
        };
        is_frozen = true;
        let (ty, id) = (global.result_type, global.result_id);
        editor.add_global(Instruction::new(op, ty, id, global.operands));
    });
    if is_frozen {
        let spec_id = Operand::Decoration(Decoration::SpecId);
        let annotations = editor.annotations_mut();
        annotations.retain(|annotation| !annotation.operands.contains(&spec_id));
        editor.record_difference("the size of thread groups is fixed: pipelines cannot choose it");
    }
}

/// Marks integers between vertex and fragment stage as not interpolated (`Flat`), which WGSL
/// requires at both ends.
pub(super) fn decorate_integers_flat(editor: &mut ModuleEditor) {
    let class = if editor.has_execution_model(&[ExecutionModel::Fragment]) {
        StorageClass::Input
    } else if editor.has_execution_model(&[ExecutionModel::Vertex]) {
        StorageClass::Output
    } else {
        return;
    };
    let is_unmarked = |&(id, _): &(Word, StorageClass)| {
        let scalar = editor
            .type_shape(editor.pointee_type(id).unwrap_or_default())
            .scalar;
        let scalar = editor.find_global(scalar);
        scalar.is_some_and(|ty| ty.op() == Op::TypeInt)
            && editor.is_decorated(id, Decoration::Location)
            && !editor.is_decorated(id, Decoration::Flat)
    };
    let unmarked: Vec<_> = editor
        .iter_variables(&[class])
        .filter(is_unmarked)
        .collect();
    for (id, _) in unmarked {
        editor.decorate(id, Decoration::Flat, None);
    }
}

/// Removes decorations and modes that naga does not read and WGSL does not have: `Coherent` and
/// `Volatile` of images, and the mode that determines when fragments are counted.
pub(super) fn drop_unread_decorations(editor: &mut ModuleEditor) {
    let resources = editor.iter_variables(&[StorageClass::UniformConstant]);
    let images: HashSet<Word> = resources.map(|(id, _)| id).collect();
    editor.annotations_mut().retain(|annotation| {
        let [
            Operand::IdRef(id),
            Operand::Decoration(Decoration::Coherent | Decoration::Volatile),
        ] = &annotation.operands[..]
        else {
            return true;
        };
        !images.contains(id)
    });
    let counting = Operand::ExecutionMode(ExecutionMode::PostDepthCoverage);
    let modes = editor.execution_modes_mut();
    modes.retain(|mode| mode.operands.get(1) != Some(&counting));
}
