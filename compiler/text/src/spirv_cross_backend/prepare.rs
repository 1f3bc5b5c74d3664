//! Edits modules such that SPIRV-Cross writes them with their intended semantics.

use super::doubles::{self, DoubleConversion};
use super::{barriers, glsl_text_fixups, hlsl, integers, sanitize_names, signs};
use crate::limits::check_limits;
use crate::passes::{compare, extended_mul};
use crate::spirv_edit::{InstructionExt, ModuleEditor};
use crate::{Language, NanMode, Options};
use rspirv::dr::Operand;
use rspirv::spirv::{
    BuiltIn, Decoration, ExecutionMode, GlslStd450Op as GlslOp, LoopControl, Op, Word,
};

/// Rewrites names and instructions that SPIRV-Cross would write in another way than the language
/// needs.
///
/// # Errors
/// Returns the feature that the language does not have.
pub(super) fn prepare_module(editor: &mut ModuleEditor, options: &Options) -> Result<(), String> {
    let language = options.language;
    sanitize_names::sanitize_names(editor);
    lower_missing_functions(editor, language);
    sanitize_names::name_components(editor);
    if matches!(language, Language::Hlsl(_)) {
        hlsl::replace_atomic_stores(editor);
        hlsl::remove_out_parameter_names(editor);
    }
    signs::cast_signed_operations(editor);
    barriers::store_output_reads(editor);
    remove_unroll_hints(editor);
    let is_glsl = matches!(
        language,
        Language::Glsl(_) | Language::Essl(_) | Language::VulkanGlsl
    );
    if is_glsl {
        glsl_text_fixups::lower_base_level_comparisons(editor);
        integers::lower_int64_shift_counts(editor);
        integers::lower_int64_minmax(editor);
        signs::cast_signed_builtins(editor);
    }
    check_limits(editor, language)?;
    if is_glsl && !barriers::are_barriers_allowed(editor) {
        return Err(format!(
            "{language} has no barriers in flow control; SPIR-V has them"
        ));
    }
    if matches!(language, Language::Glsl(version) if version < 400) {
        remove_single_invocation_mode(editor);
    }
    compare::lower_ordered_not_equal(editor);
    read_workgroup_size_builtin(editor);
    let has_exact = matches!(language, Language::Hlsl(_) | Language::Msl(_));
    if options.nan_mode == NanMode::Unspecified && !has_exact {
        relax_nan_functions(editor);
    }
    Ok(())
}

/// Rewrites extended arithmetic and conversions of doubles, for which a language has other
/// functions than SPIRV-Cross writes.
fn lower_missing_functions(editor: &mut ModuleEditor, language: Language) {
    let (splits, conversion) = match language {
        Language::Glsl(version) => (version < 400, Some(DoubleConversion::GlslBuiltins)),
        Language::Essl(version) => (version < 310, None),
        Language::VulkanGlsl => (false, Some(DoubleConversion::GlslBuiltins)),
        Language::Hlsl(_) => (true, Some(DoubleConversion::HelperFunctions)),
        Language::Msl(_) | Language::Wgsl => (false, None),
    };
    if splits {
        extended_mul::lower_extended_arithmetic(editor);
    }
    if let Some(conversion) = conversion {
        doubles::convert_doubles(editor, conversion);
    }
}

/// Removes the unrolling hints of loops, which are for drivers that read SPIR-V. HLSL would have
/// `[loop]`, with which compilers refuse derivatives in loops.
fn remove_unroll_hints(editor: &mut ModuleEditor) {
    for merge in editor
        .instructions_mut()
        .filter(|it| it.op() == Op::LoopMerge)
    {
        if let Some(control) = merge.operands.get_mut(2) {
            *control = Operand::LoopControl(LoopControl::NONE);
        }
    }
}

/// Removes the mode that a geometry program runs once for a primitive, which GLSL cannot declare
/// before 4.00 and which is the default.
fn remove_single_invocation_mode(editor: &mut ModuleEditor) {
    let one_run = [
        Operand::ExecutionMode(ExecutionMode::Invocations),
        Operand::LiteralBit32(1),
    ];
    let modes = editor.execution_modes_mut();
    modes.retain(|mode| mode.operands.get(1..) != Some(&one_run[..]));
}

/// Replaces uses of the specialization constants that the workgroup size consists of by reads of
/// its components: SPIRV-Cross declares them as the size of the group only.
fn read_workgroup_size_builtin(editor: &mut ModuleEditor) {
    let Some((size, components)) = find_workgroup_size(editor) else {
        return;
    };
    editor.rewrite_instructions(|code, mut instruction| {
        for operand in &mut instruction.operands {
            if let Operand::IdRef(id) = operand
                && let Some(index) = components.iter().position(|component| component == id)
            {
                *id = code.emit_at_start(*id, |code| {
                    let ty = code.editor.type_of(*id);
                    let part = vec![Operand::IdRef(size), Operand::LiteralBit32(index as u32)];
                    code.emit_op_with(Op::CompositeExtract, ty, part)
                });
            }
        }
        code.emit_unchanged(instruction);
    });
}

/// Returns the id of the workgroup size and of its three components if they are specialization
/// constants, else `None`.
fn find_workgroup_size(editor: &ModuleEditor) -> Option<(Word, Vec<Word>)> {
    let decoration = [
        Operand::Decoration(Decoration::BuiltIn),
        Operand::BuiltIn(BuiltIn::WorkgroupSize),
    ];
    let mut annotations = editor.module().annotations.iter();
    let size = annotations.find(|it| it.operands.get(1..) == Some(&decoration[..]))?;
    let size = size.id_operand(0)?;
    let mut components: Vec<Word> = editor.find_global(size)?.id_operands().collect();
    components.retain(|id| {
        let constant = editor.find_global(*id);
        constant.is_some_and(|it| it.op() == Op::SpecConstant)
    });
    (components.len() == 3).then_some((size, components))
}

/// Replaces minima, maxima and clamps whose results for NaN SPIR-V defines by those with undefined
/// results, as in GLSL.
fn relax_nan_functions(editor: &mut ModuleEditor) {
    const LEFT_OPEN: &[(GlslOp, GlslOp)] = &[
        (GlslOp::NMin, GlslOp::FMin),
        (GlslOp::NMax, GlslOp::FMax),
        (GlslOp::NClamp, GlslOp::FClamp),
    ];
    for instruction in editor.instructions_mut() {
        let mut functions = LEFT_OPEN.iter();
        if let Some((_, open)) = functions.find(|(exact, _)| instruction.is_glsl_inst(*exact)) {
            instruction.operands[1] = Operand::LiteralExtInstInteger(*open as u32);
        }
    }
}
