//! Rules of texture opcodes that name a view, and separately a sampler. TGSI, section "Resource
//! Sampling Opcodes".

use super::checker::CheckResult;
use super::contexts::StatementChecker;
use super::registers::TgsiInst;
use crate::codes::Code;
use crate::tgsi::ast::ViewDecl;
use crate::tgsi::checked::{CheckedView, InstDetails, add};
use crate::tgsi::declaration_tables::RegisterFile;
use crate::tgsi::opcodes::ViewLookup;
use glasm_ir::TexTarget;
use glasm_ir::types::Type;

/// Numbers of views and their samplers are below this.
const MAX_VIEWS: usize = 128;

impl ViewLookup {
    /// Returns true if a sampler operand follows the view.
    const fn takes_sampler(self) -> bool {
        self.is_filtered() || matches!(self, Self::Gather | Self::QueryLevel)
    }

    /// Returns true if the lookup filters texels.
    const fn is_filtered(self) -> bool {
        use ViewLookup::{Bias, Compare, CompareBase, Gradient, Level, Sample};
        matches!(
            self,
            Sample | Bias | Compare | CompareBase | Gradient | Level
        )
    }

    /// Returns true if the lookup accepts views of this target.
    const fn accepts_target(self, target: TexTarget) -> bool {
        match self {
            // "The source data may come from any resource type other than CUBE." TGSI, SAMPLE_I.
            Self::Fetch => !target.is_cube() && !target.is_multisample(),
            Self::FetchSample => target.is_multisample(),
            Self::Info | Self::SampleInfo | Self::SamplePosition => true,
            Self::Sample
            | Self::Bias
            | Self::Compare
            | Self::CompareBase
            | Self::Gradient
            | Self::Level
            | Self::Gather
            | Self::QueryLevel => !matches!(target, TexTarget::Buffer) && !target.is_multisample(),
        }
    }

    /// Returns the type of the result of a lookup by a view.
    const fn result_type(self, view: ViewDecl) -> Type {
        match self {
            Self::Info | Self::SampleInfo => Type::U32,
            Self::Compare | Self::CompareBase => Type::F32,
            Self::Sample
            | Self::Bias
            | Self::Gradient
            | Self::Level
            | Self::Fetch
            | Self::FetchSample
            | Self::Gather
            | Self::SamplePosition
            | Self::QueryLevel => view.ty,
        }
    }
}

impl StatementChecker<'_> {
    /// Checks an opcode with sampler views: a lookup, a fetch or a query. Returns its details and
    /// the type of its result.
    pub(super) fn check_view_lookup(
        &mut self,
        inst: &TgsiInst,
        lookup: ViewLookup,
    ) -> CheckResult<(InstDetails, Option<Type>)> {
        let view_source = lookup.view_source();
        if self.lookups.has_samplers {
            self.report_mixed_lookups(inst);
        }
        self.lookups.has_views = true;
        let register = inst.resources[view_source];
        if !matches!(register.file, RegisterFile::Sview | RegisterFile::Res) {
            // A temporary instead of the view denotes the render target. TGSI, SAMPLE_POS.
            if view_source == 0 {
                let is_position = lookup == ViewLookup::SamplePosition;
                let ty = if is_position { Type::F32 } else { Type::U32 };
                return Ok((self.add_view(inst, None), Some(ty)));
            }
            let message = "a view is expected here";
            return Err(self.report_error(Code::TextureExpected, register.span, message));
        }
        let number = self
            .resolver
            .checker
            .require_constant_number(&register, MAX_VIEWS)?;
        let Some(view) = self.resolver.declared.views.get(number) else {
            return Err(self.resolver.report_undeclared(&register));
        };
        if !lookup.accepts_target(view.target) {
            let message = format!("`{}` does not take this view", inst.opcode_row.name);
            return Err(self.report_error(Code::TargetNotAllowed, register.span, message));
        }
        let sampler = if lookup.takes_sampler() {
            self.check_view_sampler(inst)?
        } else {
            // Without a separate sampler an access uses the unit of the view.
            number
        };
        let texture = Some((view, [number as u32, sampler as u32]));
        let details = self.add_view(inst, texture);
        Ok((details, Some(lookup.result_type(view))))
    }

    /// Adds a lookup by a view to the checked program, and returns the details of its instruction.
    fn add_view(&mut self, inst: &TgsiInst, texture: Option<(ViewDecl, [u32; 2])>) -> InstDetails {
        let view = CheckedView {
            texture,
            offsets: inst.offsets,
        };
        InstDetails::View(add(&mut self.resolver.program.views, view))
    }

    /// Returns the number of the sampler operand, which must be a constant.
    fn check_view_sampler(&mut self, inst: &TgsiInst) -> CheckResult<usize> {
        let register = inst.resources[2];
        if register.file != RegisterFile::Samp {
            let message = "a sampler is expected here";
            return Err(self.report_error(Code::TextureExpected, register.span, message));
        }
        let unit = self
            .resolver
            .checker
            .require_constant_number(&register, MAX_VIEWS)?;
        if self.resolver.declared.samplers.get(unit) != Some(&true) {
            self.resolver.declare_leniently(&register)?;
        }
        Ok(unit)
    }
}
