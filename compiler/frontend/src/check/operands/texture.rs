//! Texture instructions: targets, units, offsets. NV_gpu_program4 section 2.X.4.4.

use crate::ast::{ExtraPart, Inst, Operand, Suffix, SuffixKind, TexelOffsetArg, TextureAccess};
use crate::check::context::RuleCx;
use crate::check::operands::context::{OperandRules, OperandShape};
use crate::check::operands::unit_operand::UnitKind;
use crate::codes::{Code, LenientRule};
use crate::lang::limits;
use crate::lang::modifiers::ModifierFlags;
use crate::lang::opcodes::{OpcodeInfo, TextureOp};
use crate::lang::texture_targets::{Access, Reference, TARGETS, TargetInfo};
use crate::source::Version;
use crate::variables::VarKind;
use glasm_ir::types::Type;
use glasm_ir::{Span, TexTarget};

impl OperandRules<'_, '_> {
    /// Checks the texture operand of an instruction and reports violations: target, unit or handle,
    /// offset, and the operands that the target and the modifiers require. Resolves the operands
    /// and records the target of the unit.
    pub(crate) fn check_texture(&mut self, inst: &Inst, operands: &mut [Operand], op: TextureOp) {
        let ExtraPart::Texture(number) = inst.extra else {
            return;
        };
        let info = inst.opcode.info();
        let texture = self.resolver.cx.ast.texture_accesses[number as usize];
        let target = &TARGETS[texture.target as usize];
        let clamps = inst.modifiers.mods().contains(ModifierFlags::LODCLAMP);
        // With an operand for bias or level, the target need only allow sampling.
        let access = if has_separate_level(&self.resolver.cx, inst, operands.len(), &texture, op) {
            Access::SAMPLE
        } else {
            op.access()
        };
        check_target(&mut self.resolver.cx, &texture, info, access);
        // The entries RECT and SHADOWRECT of EXT_sparse_texture2 table X.17 have no component for
        // the least level.
        if clamps && target.target == TexTarget::Rect {
            let message = format!("textures of target `{}` have one level", target.name);
            self.resolver
                .cx
                .report_error(Code::TargetNotAllowed, texture.target_span, message);
        }
        check_offset(&mut self.resolver.cx, &texture, op, target);
        // TXD has the least level in an operand of the opcode.
        let has_least_level = clamps && op != TextureOp::Grad;
        self.check_target_operands(operands, info, &texture, has_least_level);
        if let Some(handle) = texture.handle {
            // Handles have no units, so their targets are not compared: NV_bindless_texture section
            // 2.X.4.4.
            check_gather_component(
                &mut self.resolver.cx,
                &texture.texture,
                texture.texture.suffix,
                op,
            );
            return self.check_handle(number, handle);
        }
        if let Some((var, suffix)) = self.check_unit_operand(number, UnitKind::Texture) {
            check_gather_component(&mut self.resolver.cx, &texture.texture, suffix, op);
            self.check_unit_target(var, &texture);
        }
    }

    /// Checks and resolves the operands that a texture instruction has in addition to those of its
    /// opcode: one for the reference of target SHADOWARRAYCUBE or the least level of LODCLAMP, or
    /// for both; one for bias or level if the target uses all components of the coordinates; the
    /// dynamic offset. Reports operands that are missing or redundant.
    fn check_target_operands(
        &mut self,
        operands: &mut [Operand],
        info: &OpcodeInfo,
        part: &TextureAccess,
        has_least_level: bool,
    ) {
        let Some(op) = info.texture_op() else { return };
        let target = &TARGETS[part.target as usize];
        let opcode_operand_count = info.operands.len() - 1;
        let has_reference = target.reference == Reference::Operand && op.takes_reference();
        // One operand holds both: the reference in x, the least level in y. EXT_sparse_texture2
        // table X.17.
        let min_operands = opcode_operand_count + usize::from(has_reference || has_least_level);
        let max_operands = min_operands
            .max(opcode_operand_count + usize::from(op.has_level() && target.uses_all_lanes()));
        let dynamic = usize::from(part.offset == TexelOffsetArg::Dynamic);
        // The parser stores a dynamic offset after all other operands.
        let (fixed_operands, offset) = operands.split_at_mut(operands.len() - dynamic);
        for (number, operand) in fixed_operands
            .iter_mut()
            .enumerate()
            .skip(opcode_operand_count)
        {
            // Operands of the opcode were checked with those of all instructions.
            if number < max_operands {
                self.check_value(operand, OperandShape::Vector, Type::F32, false);
                continue;
            }
            let name = info.name;
            let message = format!("`{name}` has {max_operands} operands before the texture here");
            self.resolver
                .cx
                .report_error(Code::ExtraOperand, operand.span, message);
        }
        if fixed_operands.len() < min_operands {
            let message = if has_least_level {
                "LODCLAMP needs an operand with the least level".to_owned()
            } else {
                format!(
                    "target `{}` needs an operand with the reference",
                    target.name
                )
            };
            self.resolver
                .cx
                .report_error(Code::MissingOperand, part.target_span, message);
        }
        for offset in offset {
            // "<offset> is a 3-component signed integer vector."
            self.check_value(offset, OperandShape::Vector, Type::S32, false);
        }
    }

    /// Records the target that a unit, or each unit of an array, is used with. Reports a second
    /// target of a unit, and more units than ARB vertex programs may use.
    fn check_unit_target(&mut self, var: u32, part: &TextureAccess) {
        let info = self.resolver.program.vars[var as usize];
        let VarKind::Texture { unit } = info.kind else {
            return;
        };
        // Only a unit that was not used before can be one too many.
        let used_unit_count = self.state.unit_targets.len();
        // SHADOW targets are separate targets; an array is treated as if all its units were
        // accessed. NV_gpu_program5 section 2.X.4.4.
        for unit in unit..unit + info.array_size.unwrap_or(1) {
            let first_target = *self.state.unit_targets.entry(unit).or_insert(part.target);
            if first_target != part.target {
                let message = format!(
                    "texture image unit {unit} is used with target `{}` already",
                    TARGETS[first_target as usize].name
                );
                self.resolver
                    .cx
                    .report_error(Code::TargetConflict, part.target_span, message);
                return;
            }
        }
        // Only ARB vertex programs have this limit: it limits the number of units, regardless of
        // their indices.
        if self.resolver.cx.traits.max_texture_units == Some(used_unit_count)
            && self.state.unit_targets.len() > used_unit_count
        {
            let message = format!("more than {used_unit_count} texture image units");
            let span = part.texture.span;
            self.resolver
                .cx
                .report_error(Code::TooManyTextureUnits, span, message);
        }
    }
}

/// Returns true if bias or level are in a second operand, because the coordinate takes all
/// components: NV_gpu_program4 section 2.X.8.Z refuses TXB and TXL of such targets, but version 5.0
/// allows that. EXT_sparse_texture2 table X.17.
fn has_separate_level(
    cx: &RuleCx<'_>,
    inst: &Inst,
    count: usize,
    part: &TextureAccess,
    op: TextureOp,
) -> bool {
    let target = &TARGETS[part.target as usize];
    // The texture is the last of the operands of an entry.
    let opcode_operand_count = inst.opcode.info().operands.len() - 1;
    let has_second =
        count > opcode_operand_count + usize::from(part.offset == TexelOffsetArg::Dynamic);
    // If the least level has the lane of the bias, the instruction has no bias.
    let clamps = inst.modifiers.mods().contains(ModifierFlags::LODCLAMP);
    has_second
        && cx.version >= Version::V5_0
        && op.has_level()
        && target.uses_all_lanes()
        && (!clamps || target.has_level_with_clamp())
}

/// Reports a target that the language, its version or the options of the program do not have, and
/// one that does not allow this access by the instruction.
fn check_target(cx: &mut RuleCx<'_>, part: &TextureAccess, info: &OpcodeInfo, access: Access) {
    let target = &TARGETS[part.target as usize];
    let (span, name) = (part.target_span, target.name);
    // The families have separate targets, such as 1D_STACK and BUFFER.
    let Some(needs) = target.required_features(cx.family) else {
        let message = match target.arb {
            Some(_) => format!("texture target `{name}` is one of ARB programs"),
            None => format!("ARB programs have no texture target `{name}`"),
        };
        return cx.report_error(Code::TargetUnknown, span, message);
    };
    if target.is_newer_than(cx.ast.dialect) && !check_early_target(cx, target, span) {
        return;
    }
    if !cx.require_option(needs, span, format_args!("target `{name}` needs")) {
        return;
    }
    if !target.access.contains(access) {
        let message = format!("`{}` cannot access textures of target `{name}`", info.name);
        cx.report_error(Code::TargetNotAllowed, span, message);
    // NV_gpu_program5 section 2.X.8.Z adds comparisons to TXG, which is of version 4.1.
    } else if access == Access::GATHER && target.is_shadow() {
        cx.require_version(Version::V5_0, span, "gathers that compare need");
    }
}

/// Returns true if a target of a later version is accepted: arrays of cube maps, by a lenient rule,
/// because drivers knew them before. Reports it in any case.
fn check_early_target(cx: &mut RuleCx<'_>, target: &TargetInfo, span: Span) -> bool {
    let feature = format!("target `{}` needs", target.name);
    if target.target != TexTarget::CubeArray {
        return cx.require_version(target.since, span, feature);
    }
    let message = format!("{feature} language version {}", target.since.name());
    cx.report_lenient(LenientRule::CubeArrayEarly, span, message)
}

/// Reports a texel offset that the opcode, the target or the language version does not allow, and
/// constants out of range, in texels. NV_gpu_program5 section 2.X.4.4.
fn check_offset(cx: &mut RuleCx<'_>, part: &TextureAccess, op: TextureOp, target: &TargetInfo) {
    let span = part.offset_span;
    match part.offset {
        TexelOffsetArg::None => {}
        TexelOffsetArg::Dynamic => {
            if cx.require_version(Version::V5_0, span, "a run-time offset needs")
                // TXD and TXGO take none, and neither does any instruction on a cube: section
                // 2.X.4.4.
                && (target.is_cube() || !op.takes_run_time_offset())
            {
                let message = "a run-time offset is not available here";
                cx.report_error(Code::OffsetDynamic, span, message);
            }
        }
        TexelOffsetArg::Constant(offset) => {
            let allowed = if op.has_own_offsets() {
                // The offsets of TXGO are operands; a constant one next to them could only be zero.
                0
            } else {
                usize::from(target.offsets)
            };
            check_constant_offset(cx, &offset, span, (target, allowed));
        }
    }
}

/// Reports a constant texel offset of which more than the first `allowed` components are not 0, or
/// that is out of range.
fn check_constant_offset(
    cx: &mut RuleCx<'_>,
    offset: &[i64],
    span: Span,
    (target, allowed): (&TargetInfo, usize),
) {
    let range = limits::TEXEL_OFFSET;
    // Components that the target does not have may be written as zeros.
    if offset[allowed..].iter().any(|&component| component != 0) {
        let name = target.name;
        let message = format!("target `{name}` takes {allowed} offset components here");
        cx.report_error(Code::OffsetTarget, span, message);
    } else if offset.iter().any(|component| !range.contains(component)) {
        let message = format!("offsets run from {} to {}", range.start(), range.end());
        cx.report_error(Code::OffsetRange, span, message);
    }
}

/// Reports the suffix of a texture, the component that a gather selects, if the opcode selects
/// none, the version does not have it, or it is more than one component. NV_gpu_program5 section
/// 2.X.8.Z, TXG.
fn check_gather_component(cx: &mut RuleCx<'_>, operand: &Operand, suffix: Suffix, op: TextureOp) {
    let span = operand.span;
    if !suffix.is_none() && !op.selects_component() {
        let message = "only TXG and TXGO select a component";
        cx.report_error(Code::ComponentSelect, span, message);
    } else if !suffix.is_none() {
        // TXG of version 4.1 always gathers the first component.
        cx.require_version(Version::V5_0, span, "a component of the texture needs");
    }
    if suffix.kind() == SuffixKind::Swizzle {
        let message = "one component of the texture is selected";
        cx.report_error(Code::ScalarSuffix, span, message);
    }
}
