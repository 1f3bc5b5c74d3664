//! Rules of texture opcodes that name a sampler and a target. TGSI, table of texture operands.

use super::checker::{CheckResult, Reported};
use super::contexts::StatementChecker;
use super::registers::{ResolvedRegister, TgsiInst};
use crate::codes::{Code, LenientRule};
use crate::tgsi::checked::{CheckedLookup, CheckedSource, InstDetails, add};
use crate::tgsi::declaration_tables::RegisterFile;
use crate::tgsi::opcodes::Lookup;
use crate::tgsi::texture_targets::{Reference, TextureTarget};
use glasm_ir::types::Type;
use glasm_ir::{Span, Swizzle, TexTarget, UnitSet};

/// The texture of a sampler operand.
struct SampledTexture {
    units: UnitSet,
    handle: Option<CheckedSource>,
    /// Type of its texels.
    texel: Type,
}

impl StatementChecker<'_> {
    /// Checks an opcode with samplers: a lookup, a fetch or a query. Returns its details and the
    /// type of its result.
    pub(super) fn check_lookup(
        &mut self,
        inst: &TgsiInst,
        lookup: Lookup,
    ) -> CheckResult<(InstDetails, Option<Type>)> {
        let Some((target, span)) = inst.texture_target else {
            return Ok((InstDetails::None, None));
        };
        self.check_target(inst, lookup, (target, span))?;
        // Some programs fetch texels of cubes by their faces, which SPIR-V supports for layers
        // only.
        let fetches = matches!(lookup, Lookup::Fetch | Lookup::FetchBase);
        let target = if fetches && target.target.is_cube() {
            self.layers_for_cube(span)?
        } else {
            target
        };
        if self.lookups.has_views {
            self.report_mixed_lookups(inst);
        }
        self.lookups.has_samplers = true;
        // The sampler is the last source that was read; TG4 may have left its second one out.
        let sampler = inst.source_count - 1;
        let register = inst.resources[sampler];
        let texture = self.resolve_sampler(&register, self.sources(inst)[sampler].swizzle)?;
        let component = if lookup == Lookup::Gather {
            self.check_gather_component(inst, target)?
        } else {
            0
        };
        let ty = lookup_result_type(lookup, target, texture.texel);
        let checked = CheckedLookup {
            target,
            units: texture.units,
            handle: texture.handle,
            texel: texture.texel,
            component,
            index: register.resource_index(),
            offsets: inst.offsets,
        };
        let id = add(&mut self.resolver.program.lookups, checked);
        Ok((InstDetails::Lookup(id), Some(ty)))
    }

    /// Returns the component that TG4 gathers: that of an immediate, or of the swizzle of the
    /// sampler.
    fn check_gather_component(
        &mut self,
        inst: &TgsiInst,
        target: &TextureTarget,
    ) -> CheckResult<u8> {
        // Comparisons have one component.
        if target.is_shadow() {
            return Ok(0);
        }
        let sources = self.sources(inst);
        let sampler_component = sources[inst.source_count - 1].swizzle.lane(0) as u8;
        // Some writers select in both operands; the swizzle is used unless it is x, which is the
        // default.
        if inst.source_count == 2 || sampler_component != 0 {
            return Ok(sampler_component);
        }
        let component = sources[1];
        let Some(words) = self.resolver.program.find_literal(component.value) else {
            let message = "the component that is gathered is an immediate";
            let span = self.source_span(inst, 1);
            return Err(self.report_error(Code::ComponentSelect, span, message));
        };
        Ok(words[component.swizzle.lane(0)] as u8 & 3)
    }

    /// Returns the texture of a sampler operand: a unit, one of several, or a handle.
    fn resolve_sampler(
        &mut self,
        register: &ResolvedRegister,
        swizzle: Swizzle,
    ) -> CheckResult<SampledTexture> {
        if register.file != RegisterFile::Samp {
            return Ok(SampledTexture {
                units: UnitSet::Handle,
                handle: Some(self.resolver.resolve_handle(register, swizzle)?),
                texel: Type::F32,
            });
        }
        let declared = &*self.resolver.declared;
        let Some(number) = register.index.as_constant() else {
            // A dynamic index may select any declared sampler.
            let count = declared.samplers.len().max(1) as u32;
            // All textures of the array have one type in SPIR-V.
            let view = declared.views.first();
            return Ok(SampledTexture {
                units: UnitSet::Array { first: 0, count },
                handle: None,
                texel: view.map_or(Type::F32, |view| view.ty),
            });
        };
        if number < 0 {
            return Err(self.resolver.checker.report_no_register(register));
        }
        // A view of the same number defines the type of a texture whose sampler is named. TGSI,
        // "Declaration Sampler View".
        let view = declared.views.get(number as usize);
        if declared.samplers.get(number as usize) != Some(&true) {
            self.resolver.declare_leniently(register)?;
        }
        Ok(SampledTexture {
            units: UnitSet::Single(number as u32),
            handle: None,
            texel: view.map_or(Type::F32, |view| view.ty),
        })
    }

    /// Reports a program that has both lookups by samplers and lookups by sampler views, which is
    /// accepted leniently.
    pub(super) fn report_mixed_lookups(&mut self, inst: &TgsiInst) {
        let message = "program mixes opcodes with samplers and opcodes with sampler views";
        let checker = &mut self.resolver.checker;
        checker.report_lenient(LenientRule::MixedLookups, inst.span, message);
    }

    /// Checks that a lookup accepts a texture target with this number of operands.
    fn check_target(
        &mut self,
        inst: &TgsiInst,
        lookup: Lookup,
        (target, span): (&TextureTarget, Span),
    ) -> CheckResult<()> {
        use TexTarget::{Buffer, D1, D2, D3, Rect};
        let kind = target.target;
        let is_texels = !matches!(kind, Buffer) && !kind.is_multisample();
        let second = inst.source_count == 3;
        // Opcodes with a 2 in their names are for targets whose coordinate leaves no lane for the
        // additional value.
        let allowed = match lookup {
            Lookup::Sample => is_texels && second == (target.reference == Reference::Operand),
            Lookup::SampleBase => is_texels && target.reference != Reference::Operand,
            // Layers and faces cannot be divided.
            Lookup::Project => matches!(kind, D1 | D2 | D3 | Rect),
            Lookup::Bias | Lookup::Level => is_texels && second == target.uses_all_lanes(),
            Lookup::Gradient => is_texels && target.reference != Reference::Operand,
            Lookup::Fetch | Lookup::FetchBase => !target.is_shadow(),
            Lookup::Gather => is_texels && !matches!(kind, D1 | D3 | TexTarget::D1Array),
            Lookup::QueryLevel => is_texels,
            Lookup::QuerySize | Lookup::QuerySamples => true,
        };
        if allowed {
            return Ok(());
        }
        let name = inst.opcode_row.name;
        let message = format!("`{name}` does not take the target `{}`", target.word);
        Err(self.report_error(Code::TargetNotAllowed, span, message))
    }

    /// Returns the layered 2D target that replaces a cube in fetches of texels, which is reported
    /// leniently at the target's span.
    #[cold]
    fn layers_for_cube(&mut self, target: Span) -> CheckResult<&'static TextureTarget> {
        let message = "texels of cubes have no addresses: these are read from layers";
        let checker = &mut self.resolver.checker;
        if checker.report_lenient(LenientRule::FetchOfFace, target, message) {
            Ok(TextureTarget::layered_2d())
        } else {
            Err(Reported)
        }
    }
}

/// Returns the type of a lookup's result: that of texels, floats of levels, and integers of other
/// queries.
fn lookup_result_type(lookup: Lookup, target: &TextureTarget, texel: Type) -> Type {
    match lookup {
        Lookup::QuerySize | Lookup::QuerySamples => Type::S32,
        Lookup::QueryLevel => Type::F32,
        Lookup::Sample
        | Lookup::SampleBase
        | Lookup::Project
        | Lookup::Bias
        | Lookup::Level
        | Lookup::Gradient
        | Lookup::Fetch
        | Lookup::FetchBase
        | Lookup::Gather => {
            if target.is_shadow() {
                Type::F32
            } else {
                texel
            }
        }
    }
}
