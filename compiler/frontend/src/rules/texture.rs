//! Texture instructions: targets, units, offsets. NV_gpu_program4 section 2.X.4.4.

use super::operand::Shape;
use super::{Checker, VarKind};
use crate::ast::{Base, Extra, Inst, Offset, Operand, Suffix, SuffixKind, TexPart};
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::limits;
use crate::lang::modifiers::Mods;
use crate::lang::opcodes::{OpcodeInfo, TextureOp};
use crate::lang::targets::{Access, Reference, TARGETS, TargetInfo};
use crate::source::{Acceptance, Family, Version};
use glasm_ir::types::Type;
use glasm_ir::{Span, TexTarget};

impl Checker<'_> {
    pub(super) fn texture(&mut self, inst: &Inst, operands: &mut [Operand], op: TextureOp) {
        let info = inst.opcode.info();
        let Extra::Texture(number) = inst.extra else {
            return;
        };
        let part = self.syntax.ast.textures[number as usize];
        let target = &TARGETS[part.target as usize];
        let access = op.access();
        let before = info.operands.len() - 1 + usize::from(part.offset == Offset::Dynamic);
        let second = operands.len() > before && self.version >= Version::V5_0;
        let clamps = inst.modifiers.mods().contains(Mods::LODCLAMP);
        // Where the least level has the place of the bias, there is no bias.
        let has_room = !clamps || target.has_level_beside_clamp();
        // NV_gpu_program4 section 2.X.8.Z refuses TXB and TXL of targets whose coordinate is full. With a second operand there is
        // room for bias or level: EXT_sparse_texture2 table X.17.
        if !(second && op.has_level() && target.is_full() && has_room) {
            self.target(&part, info, target, access);
        }
        if clamps && target.target == TexTarget::Rect {
            let message = format!("textures of target `{}` have one level", target.name);
            let span = part.target_span;
            self.error(Code::TargetNotAllowed, span, message);
        }
        self.offset(&part, op, target);
        let clamp = clamps && access != Access::GRAD;
        self.extra_operands(operands, info, &part, clamp);
        if let Some(handle) = part.handle {
            self.component(&part.texture, part.texture.suffix, op);
            return self.handle(number, handle);
        }
        let Some(var) = self.texture_variable(number, op) else {
            return;
        };
        self.target_of_units(var, &part);
    }

    fn target(&mut self, part: &TexPart, info: &OpcodeInfo, target: &TargetInfo, access: Access) {
        let span = part.target_span;
        if self.family == Family::Arb {
            return self.arb_target(part, info, target, access);
        }
        if target.since == Version::V1_0 {
            let message = format!("texture target `{}` is one of ARB programs", target.name);
            self.error(Code::TargetUnknown, span, message);
        } else if target.since > self.version && !self.early_target(target, span) {
            let message = format!(
                "target `{}` needs language version {}",
                target.name,
                target.since.name()
            );
            self.error(Code::FeatureNewer, span, message);
        } else if !self.has_option(target.needs) {
            let option = target.needs.option();
            let message = format!("target `{}` needs OPTION {option}", target.name);
            self.error(Code::FeatureOption, span, message);
        } else if !target.access.contains(access) {
            let message = format!(
                "`{}` cannot access textures of target `{}`",
                info.name, target.name
            );
            self.error(Code::TargetNotAllowed, span, message);
        } else if access == Access::GATHER
            && target.reference != Reference::None
            && self.version < Version::V5_0
        {
            let message = "gathers that compare need language version 5.0";
            self.error(Code::FeatureNewer, span, message);
        }
    }

    /// Arrays of cube maps before version 5.0.
    fn early_target(&mut self, target: &TargetInfo, span: Span) -> bool {
        if target.target != TexTarget::CubeArray
            || self.syntax.reports.acceptance() == Acceptance::Strict
        {
            return false;
        }
        let message = format!(
            "target `{}` needs language version {}",
            target.name,
            target.since.name()
        );
        self.lenient(Rule::CubeArrayEarly, span, message)
    }

    /// Targets of ARB programs, which come by options for the most part.
    fn arb_target(
        &mut self,
        part: &TexPart,
        info: &OpcodeInfo,
        target: &TargetInfo,
        access: Access,
    ) {
        let (span, name) = (part.target_span, target.name);
        let Some(needs) = target.arb else {
            let message = format!("ARB programs have no texture target `{name}`");
            return self.error(Code::TargetUnknown, span, message);
        };
        let missing = needs.difference(self.program.features);
        if !missing.is_empty() {
            let message = format!("target `{name}` needs OPTION {}", missing.option());
            self.error(Code::FeatureOption, span, message);
        } else if !target.access.contains(access) {
            let message = format!("`{}` cannot access textures of target `{name}`", info.name);
            self.error(Code::TargetNotAllowed, span, message);
        }
    }

    fn offset(&mut self, part: &TexPart, op: TextureOp, target: &TargetInfo) {
        match part.offset {
            Offset::None => {}
            Offset::Dynamic => {
                if self.version < Version::V5_0 {
                    let message = "a run-time offset needs language version 5.0";
                    self.error(Code::FeatureNewer, part.offset_span, message);
                } else if target.is_cube() || !op.takes_run_time_offset() {
                    let message = "a run-time offset is not available here";
                    self.error(Code::OffsetDynamic, part.offset_span, message);
                }
            }
            Offset::Constant(offset) => {
                let allowed = match op.has_own_offsets() {
                    // The offsets of TXGO are operands; a constant one beside them could only be zero.
                    true => 0,
                    false => usize::from(target.offsets),
                };
                if offset[allowed..].iter().any(|&component| component != 0) {
                    let message = format!(
                        "target `{}` takes {allowed} offset components here",
                        target.name
                    );
                    self.error(Code::OffsetTarget, part.offset_span, message);
                } else if offset
                    .iter()
                    .any(|component| !limits::TEXEL_OFFSET.contains(component))
                {
                    let (low, high) = (limits::TEXEL_OFFSET.start(), limits::TEXEL_OFFSET.end());
                    let message = format!("offsets run from {low} to {high}");
                    self.error(Code::OffsetRange, part.offset_span, message);
                }
            }
        }
    }

    /// Operands beyond those of the opcode: the reference of SHADOWARRAYCUBE and the least level, the run-time offset.
    fn extra_operands(
        &mut self,
        operands: &mut [Operand],
        info: &OpcodeInfo,
        part: &TexPart,
        has_least_level: bool,
    ) {
        let Some(op) = info.texture() else { return };
        let target = &TARGETS[part.target as usize];
        let own = info.operands.len() - 1;
        let dynamic = usize::from(part.offset == Offset::Dynamic);
        let reference = target.reference == Reference::Operand && op.takes_reference();
        let needed = usize::from(reference || has_least_level);
        let further = needed.max(usize::from(op.has_level() && target.is_full()));
        let count = operands.len();
        for (number, operand) in operands
            .iter_mut()
            .enumerate()
            .take(count - dynamic)
            .skip(own)
        {
            if number < own + further {
                self.value(operand, Shape::Vector, Type::F32, false);
            } else {
                self.error(
                    Code::ExtraOperand,
                    operand.span,
                    format!(
                        "`{}` has {} operands before the texture here",
                        info.name,
                        own + further
                    ),
                );
            }
        }
        if count - dynamic < own + needed {
            let message = if has_least_level {
                "LODCLAMP needs an operand with the least level".to_owned()
            } else {
                format!(
                    "target `{}` needs an operand with the reference",
                    target.name
                )
            };
            self.error(Code::MissingOperand, part.target_span, message);
        }
        if let (1, Some(offset)) = (dynamic, operands.last_mut()) {
            self.value(offset, Shape::Vector, Type::S32, false);
        }
    }

    /// The texture variable; sets it in the tree.
    fn texture_variable(&mut self, number: u32, op: TextureOp) -> Option<u32> {
        let operand = self.syntax.ast.textures[number as usize].texture;
        let (var, suffix) = match operand.base {
            Base::Name(name) => (self.var_of(name, operand.span)?, operand.suffix),
            Base::Path(path) => self.path_operand(path)?,
            Base::Var(var) => (var, operand.suffix),
            Base::Scalar(_) | Base::Vector { .. } => {
                self.error(
                    Code::TextureExpected,
                    operand.span,
                    "a texture such as `texture[0]` is expected",
                );
                return None;
            }
        };
        let info = self.program.vars[var as usize];
        if !matches!(info.kind, VarKind::Texture { .. }) || !operand.signs.is_empty() {
            if info.kind != VarKind::Poisoned {
                self.error(
                    Code::TextureExpected,
                    operand.span,
                    "a texture such as `texture[0]` is expected",
                );
            }
            return None;
        }
        self.index(var, operand.index, operand.span);
        self.component(&operand, suffix, op);
        let part = &mut self.syntax.ast.textures[number as usize].texture;
        part.base = Base::Var(var);
        part.suffix = suffix;
        Some(var)
    }

    /// The component that gathers select.
    fn component(&mut self, operand: &Operand, suffix: Suffix, op: TextureOp) {
        if !suffix.is_none() && !op.selects_component() {
            self.error(
                Code::ComponentSelect,
                operand.span,
                "only TXG and TXGO select a component",
            );
        } else if !suffix.is_none() && self.version < Version::V5_0 {
            let message = "a component of the texture needs language version 5.0";
            self.error(Code::FeatureNewer, operand.span, message);
        }
        if suffix.kind() == SuffixKind::Four {
            self.error(
                Code::ScalarSuffix,
                operand.span,
                "one component of the texture is selected",
            );
        }
    }

    /// A unit goes with one target; an array counts with all its units.
    fn target_of_units(&mut self, var: u32, part: &TexPart) {
        let info = self.program.vars[var as usize];
        let VarKind::Texture { unit } = info.kind else {
            return;
        };
        let known = self.unit_targets.len();
        // SHADOW targets count as targets of their own; an array counts as if all its units were accessed. NV_gpu_program5 section 2.X.4.4.
        for unit in unit..unit + info.array.unwrap_or(1) {
            let used = *self.unit_targets.entry(unit).or_insert(part.target);
            if used != part.target {
                let message = format!(
                    "texture image unit {unit} is used with target `{}` already",
                    TARGETS[used as usize].name
                );
                self.error(Code::TargetConflict, part.target_span, message);
                return;
            }
        }
        if self.facts.texture_units == Some(known) && self.unit_targets.len() > known {
            let message = format!("more than {known} texture image units");
            let span = part.texture.span;
            self.error(Code::TooManyTextureUnits, span, message);
        }
    }
}
