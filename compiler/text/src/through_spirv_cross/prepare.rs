//! Edits modules such that SPIRV-Cross writes them with their intended semantics.

use super::doubles::{self, Conversion};
use super::{barriers, hlsl, limits, names, shadow, signs, wide_integers};
use crate::passes::{compare, multiply};
use crate::spirv_edit::{InstructionExt, ModuleEditor};
use crate::{Language, Nan, Options};
use rspirv::dr::Operand;
use rspirv::spirv::{
    BuiltIn, Decoration, ExecutionMode, GlslStd450Op as GlslOp, LoopControl, Op, Word,
};

/// Rewrites instructions that SPIRV-Cross would write in another way than the language needs.
///
/// # Errors
/// Returns the feature that the language does not have.
pub(super) fn prepare(editor: &mut ModuleEditor, options: &Options) -> Result<(), String> {
    let language = options.language;
    names::make_plain(editor);
    prepare_functions(editor, language);
    names::name_parts(editor);
    if matches!(language, Language::Hlsl(_)) {
        hlsl::exchange_stores(editor);
        hlsl::unname_written_results(editor);
    }
    signs::sign_operations(editor);
    barriers::keep_reads(editor);
    leave_unrolling_open(editor);
    let is_glsl = matches!(
        language,
        Language::Glsl(_) | Language::Essl(_) | Language::VulkanGlsl
    );
    if is_glsl {
        shadow::sample_base_level(editor);
        wide_integers::shift_by_words(editor);
        wide_integers::select_bounds(editor);
        signs::sign_builtins(editor);
    }
    limits::check(editor, language)?;
    if is_glsl && !barriers::are_outside_flow(editor) {
        return Err(format!(
            "{language} has no barriers in flow control; SPIR-V has them"
        ));
    }
    if matches!(language, Language::Glsl(version) if version < 400) {
        leave_out_one_run(editor);
    }
    compare::order_equalities(editor);
    read_group_size(editor);
    let has_exact = matches!(language, Language::Hlsl(_) | Language::Msl(_));
    if options.nan == Nan::Open && !has_exact {
        leave_nan_open(editor);
    }
    Ok(())
}

/// Rewrites operations for which a language has other functions than SPIRV-Cross writes.
fn prepare_functions(editor: &mut ModuleEditor, language: Language) {
    let (splits, conversion) = match language {
        Language::Glsl(version) => (version < 400, Some(Conversion::Extended)),
        Language::Essl(version) => (version < 310, None),
        Language::VulkanGlsl => (false, Some(Conversion::Extended)),
        Language::Hlsl(_) => (true, Some(Conversion::Functions)),
        Language::Msl(_) | Language::Wgsl => (false, None),
    };
    if splits {
        multiply::split_pairs(editor);
    }
    if let Some(conversion) = conversion {
        doubles::convert_by_words(editor, conversion);
    }
}

/// Removes the unrolling hints of loops, which are for drivers that read SPIR-V. HLSL would have
/// `[loop]`, with which compilers refuse derivatives in loops.
fn leave_unrolling_open(editor: &mut ModuleEditor) {
    for merge in editor
        .instructions_mut()
        .filter(|it| it.op() == Op::LoopMerge)
    {
        if let Some(control) = merge.operands.get_mut(2) {
            *control = Operand::LoopControl(LoopControl::NONE);
        }
    }
}

/// Removes that a geometry program runs once for a primitive, which GLSL cannot declare before
/// 4.00.
fn leave_out_one_run(editor: &mut ModuleEditor) {
    let one_run = [
        Operand::ExecutionMode(ExecutionMode::Invocations),
        Operand::LiteralBit32(1),
    ];
    let modes = editor.execution_modes_mut();
    modes.retain(|mode| mode.operands.get(1..) != Some(&one_run[..]));
}

/// Reads components of the group size where the specialization constants are used that it consists
/// of: SPIRV-Cross declares them as the size of the group only.
fn read_group_size(editor: &mut ModuleEditor) {
    let Some((size, components)) = find_group_size(editor) else {
        return;
    };
    editor.rewrite(|code, mut instruction| {
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
        code.keep(instruction);
    });
}

/// Returns the group size and its components if they are specialization constants.
fn find_group_size(editor: &ModuleEditor) -> Option<(Word, Vec<Word>)> {
    let decoration = [
        Operand::Decoration(Decoration::BuiltIn),
        Operand::BuiltIn(BuiltIn::WorkgroupSize),
    ];
    let mut annotations = editor.module().annotations.iter();
    let size = annotations.find(|it| it.operands.get(1..) == Some(&decoration[..]))?;
    let size = size.id(0)?;
    let mut components: Vec<Word> = editor.find_definition(size)?.ids().collect();
    components.retain(|id| {
        let constant = editor.find_definition(*id);
        constant.is_some_and(|it| it.op() == Op::SpecConstant)
    });
    (components.len() == 3).then_some((size, components))
}

/// Replaces minima, maxima and clamps whose results for NaN SPIR-V defines by those with undefined
/// results, as in GLSL.
fn leave_nan_open(editor: &mut ModuleEditor) {
    const LEFT_OPEN: &[(GlslOp, GlslOp)] = &[
        (GlslOp::NMin, GlslOp::FMin),
        (GlslOp::NMax, GlslOp::FMax),
        (GlslOp::NClamp, GlslOp::FClamp),
    ];
    for instruction in editor.instructions_mut() {
        let mut functions = LEFT_OPEN.iter();
        if let Some((_, open)) = functions.find(|(exact, _)| instruction.is_glsl(*exact)) {
            instruction.operands[1] = Operand::LiteralExtInstInteger(*open as u32);
        }
    }
}
