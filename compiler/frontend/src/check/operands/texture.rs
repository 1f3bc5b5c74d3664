//! Texture instructions: targets, units, offsets. NV_gpu_program4 section 2.X.4.4.

use crate::ast::{Extra, Inst, Offset, Operand, Suffix, SuffixKind, TexPart};
use crate::check::context::RuleCx;
use crate::check::operands::context::{OperandRules, Shape};
use crate::check::operands::units::UnitKind;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::limits;
use crate::lang::modifiers::Mods;
use crate::lang::opcodes::{OpcodeInfo, TextureOp};
use crate::lang::targets::{Access, Reference, TARGETS, TargetInfo};
use crate::source::Version;
use crate::vars::VarKind;
use glasm_ir::types::Type;
use glasm_ir::{Span, TexTarget};

impl OperandRules<'_, '_> {
    pub(crate) fn check_texture(&mut self, inst: &Inst, operands: &mut [Operand], op: TextureOp) {
        let Extra::Texture(number) = inst.extra else {
            return;
        };
        let info = inst.opcode.info();
        let part = self.resolver.cx.ast.textures[number as usize];
        let target = &TARGETS[part.target as usize];
        let clamps = inst.modifiers.mods().contains(Mods::LODCLAMP);
        // With an operand for bias or level, the target need only allow sampling.
        let access = if has_room_for_level(&self.resolver.cx, inst, operands.len(), &part, op) {
            Access::SAMPLE
        } else {
            op.access()
        };
        check_target(&mut self.resolver.cx, &part, info, access);
        // The entries RECT and SHADOWRECT of EXT_sparse_texture2 table X.17 have no component for
        // the least level.
        if clamps && target.target == TexTarget::Rect {
            let message = format!("textures of target `{}` have one level", target.name);
            self.resolver
                .cx
                .error(Code::TargetNotAllowed, part.target_span, message);
        }
        check_offset(&mut self.resolver.cx, &part, op, target);
        // TXD has the least level in an operand of the opcode.
        let has_least_level = clamps && op != TextureOp::Grad;
        self.check_further_operands(operands, info, &part, has_least_level);
        if let Some(handle) = part.handle {
            // Handles have no units, so their targets are not compared: NV_bindless_texture section
            // 2.X.4.4.
            check_component(
                &mut self.resolver.cx,
                &part.texture,
                part.texture.suffix,
                op,
            );
            return self.check_handle(number, handle);
        }
        if let Some((var, suffix)) = self.check_unit(number, UnitKind::Texture) {
            check_component(&mut self.resolver.cx, &part.texture, suffix, op);
            self.check_target_of_units(var, &part);
        }
    }

    /// Checks operands beyond those of the opcode: the reference of SHADOWARRAYCUBE and the least
    /// level, the dynamic offset.
    fn check_further_operands(
        &mut self,
        operands: &mut [Operand],
        info: &OpcodeInfo,
        part: &TexPart,
        has_least_level: bool,
    ) {
        let Some(op) = info.texture() else { return };
        let target = &TARGETS[part.target as usize];
        let own = info.operands.len() - 1;
        let has_reference = target.reference == Reference::Operand && op.takes_reference();
        // One operand holds both: the reference in x, the least level in y. EXT_sparse_texture2
        // table X.17.
        let least = own + usize::from(has_reference || has_least_level);
        let most = least.max(own + usize::from(op.has_level() && target.is_full()));
        let dynamic = usize::from(part.offset == Offset::Dynamic);
        // The parser stores a dynamic offset after all other operands.
        let (before, offset) = operands.split_at_mut(operands.len() - dynamic);
        for (number, operand) in before.iter_mut().enumerate().skip(own) {
            // Operands of the opcode were checked with those of all instructions.
            if number < most {
                self.check_value(operand, Shape::Vector, Type::F32, false);
                continue;
            }
            let name = info.name;
            let message = format!("`{name}` has {most} operands before the texture here");
            self.resolver
                .cx
                .error(Code::ExtraOperand, operand.span, message);
        }
        if before.len() < least {
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
                .error(Code::MissingOperand, part.target_span, message);
        }
        for offset in offset {
            // "<offset> is a 3-component signed integer vector."
            self.check_value(offset, Shape::Vector, Type::S32, false);
        }
    }

    /// Checks that a unit is used with one target; an array counts with all its units.
    fn check_target_of_units(&mut self, var: u32, part: &TexPart) {
        let info = self.resolver.program.vars[var as usize];
        let VarKind::Texture { unit } = info.kind else {
            return;
        };
        // Only a unit that was not used before can be one too many.
        let known = self.state.unit_targets.len();
        // SHADOW targets are separate targets; an array is treated as if all its units were
        // accessed. NV_gpu_program5 section 2.X.4.4.
        for unit in unit..unit + info.array.unwrap_or(1) {
            let used = *self.state.unit_targets.entry(unit).or_insert(part.target);
            if used != part.target {
                let message = format!(
                    "texture image unit {unit} is used with target `{}` already",
                    TARGETS[used as usize].name
                );
                self.resolver
                    .cx
                    .error(Code::TargetConflict, part.target_span, message);
                return;
            }
        }
        // Only ARB vertex programs have this limit: it limits the number of units, regardless of
        // their indices.
        if self.resolver.cx.facts.texture_units == Some(known)
            && self.state.unit_targets.len() > known
        {
            let message = format!("more than {known} texture image units");
            let span = part.texture.span;
            self.resolver
                .cx
                .error(Code::TooManyTextureUnits, span, message);
        }
    }
}

/// Returns true if bias or level are given though the coordinate takes all components:
/// NV_gpu_program4 section 2.X.8.Z refuses TXB and TXL of such targets, but a second operand can
/// hold them. EXT_sparse_texture2 table X.17.
fn has_room_for_level(
    cx: &RuleCx<'_>,
    inst: &Inst,
    count: usize,
    part: &TexPart,
    op: TextureOp,
) -> bool {
    let target = &TARGETS[part.target as usize];
    // The texture is the last of the operands of an entry.
    let before = inst.opcode.info().operands.len() - 1;
    let has_second = count > before + usize::from(part.offset == Offset::Dynamic);
    // If the least level has the lane of the bias, the instruction has no bias.
    let clamps = inst.modifiers.mods().contains(Mods::LODCLAMP);
    has_second
        && cx.version >= Version::V5_0
        && op.has_level()
        && target.is_full()
        && (!clamps || target.has_level_beside_clamp())
}

/// Checks that the program has the target, and that it allows this access by the instruction.
fn check_target(cx: &mut RuleCx<'_>, part: &TexPart, info: &OpcodeInfo, access: Access) {
    let target = &TARGETS[part.target as usize];
    let (span, name) = (part.target_span, target.name);
    // The families have separate targets, such as 1D_STACK and BUFFER.
    let Some(needs) = target.needs_in(cx.family) else {
        let message = match target.arb {
            Some(_) => format!("texture target `{name}` is one of ARB programs"),
            None => format!("ARB programs have no texture target `{name}`"),
        };
        return cx.error(Code::TargetUnknown, span, message);
    };
    if target.is_newer_than(cx.ast.dialect) && !check_early_target(cx, target, span) {
        return;
    }
    if !cx.need_option(needs, span, format_args!("target `{name}` needs")) {
        return;
    }
    if !target.access.contains(access) {
        let message = format!("`{}` cannot access textures of target `{name}`", info.name);
        cx.error(Code::TargetNotAllowed, span, message);
    // NV_gpu_program5 section 2.X.8.Z adds comparisons to TXG, which is of version 4.1.
    } else if access == Access::GATHER && target.is_shadow() {
        cx.need_version(Version::V5_0, span, "gathers that compare need");
    }
}

/// Checks a target of later versions: drivers knew arrays of cube maps before.
fn check_early_target(cx: &mut RuleCx<'_>, target: &TargetInfo, span: Span) -> bool {
    let feature = format!("target `{}` needs", target.name);
    if target.target != TexTarget::CubeArray {
        return cx.need_version(target.since, span, feature);
    }
    let message = format!("{feature} language version {}", target.since.name());
    cx.lenient(Rule::CubeArrayEarly, span, message)
}

fn check_offset(cx: &mut RuleCx<'_>, part: &TexPart, op: TextureOp, target: &TargetInfo) {
    let span = part.offset_span;
    match part.offset {
        Offset::None => {}
        Offset::Dynamic => {
            if cx.need_version(Version::V5_0, span, "a run-time offset needs")
                // TXD and TXGO take none, and neither does any instruction on a cube: section
                // 2.X.4.4.
                && (target.is_cube() || !op.takes_run_time_offset())
            {
                let message = "a run-time offset is not available here";
                cx.error(Code::OffsetDynamic, span, message);
            }
        }
        Offset::Constant(offset) => {
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

/// Checks a constant offset of `allowed` components.
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
        cx.error(Code::OffsetTarget, span, message);
    } else if offset.iter().any(|component| !range.contains(component)) {
        let message = format!("offsets run from {} to {}", range.start(), range.end());
        cx.error(Code::OffsetRange, span, message);
    }
}

/// Checks the component that gathers select. NV_gpu_program5 section 2.X.8.Z, TXG.
fn check_component(cx: &mut RuleCx<'_>, operand: &Operand, suffix: Suffix, op: TextureOp) {
    let span = operand.span;
    if !suffix.is_none() && !op.selects_component() {
        let message = "only TXG and TXGO select a component";
        cx.error(Code::ComponentSelect, span, message);
    } else if !suffix.is_none() {
        // TXG of version 4.1 always gathers the first component.
        cx.need_version(Version::V5_0, span, "a component of the texture needs");
    }
    if suffix.kind() == SuffixKind::Four {
        let message = "one component of the texture is selected";
        cx.error(Code::ScalarSuffix, span, message);
    }
}
