//! Variables with bindings: ATTRIB, PARAM, OUTPUT, buffers, TEXTURE, SHARED.
//! NV_gpu_program4 sections 2.X.3.2 to 2.X.3.6, NV_gpu_program5 section 2.X.3.8.

use crate::ast::{ArraySize, Decl, DeclKind, VarMods};
use crate::check::bindings::binding_target::BindingTarget;
use crate::check::context::RuleCx;
use crate::check::declarations::elements::{DeclElements, UnitRange, report_wrong_binding};
use crate::check::declarations::{BINDING_DECLARATIONS, DeclRequirement, DeclarationRules};
use crate::check::names::{
    NameEntity, check_array_size, check_view_size, make_attrib_binding, make_io_binding, make_var,
};
use crate::check::program::limits::find_reserved;
use crate::codes::{Code, LenientRule};
use crate::lang::bindings::{BindingFlags, BindingInfo};
use crate::lang::limits;
use crate::source::Version;
use crate::variables::{AttribOwner, IoBinding, Var, VarKind, VertexSelector};
use glasm_ir::{Semantic, Span, Stage};

impl DeclarationRules<'_, '_, '_> {
    /// Checks a declaration with bindings, such as ATTRIB, PARAM or OUTPUT, declares its variable,
    /// and adds its bindings to the program. After an error, which is reported, the name is marked,
    /// so that its uses are not reported in addition. Does nothing without a name.
    pub(crate) fn declare_bound_variable(&mut self, decl: &Decl) {
        if decl.name.is_none() {
            return;
        }
        // Compared below: an error after which the variable exists, such as one of its
        // interpolation, must still poison the name.
        let error_count_before = self.resolver.cx.count_errors();
        // Bindings of a declaration that the program cannot have are not checked: each would be a
        // separate error.
        let allowed = check_declaration_available(&mut self.resolver.cx, decl);
        let elements = if allowed {
            self.collect_elements(decl)
        } else {
            None
        };
        let var = elements.and_then(|elements| self.create_bound_var(decl, elements));
        match var {
            Some(var) if self.resolver.cx.count_errors() == error_count_before => {
                self.resolver.declare_variable(decl.name, var);
            }
            // A declaration with errors still declares its name, so that uses are not reported in
            // addition.
            _ => self.poison_declaration(decl),
        }
    }

    /// Declares the variable of `ALIAS name = binding`, which a lenient rule accepts because
    /// shipped programs have it. Reports, and marks the name, if the rule is strict, the binding is
    /// invalid, or it would be a SUBROUTINE variable.
    #[cold]
    pub(crate) fn declare_binding_alias(&mut self, decl: &Decl, path: u32) {
        let span = self.resolver.cx.ast.paths[path as usize].span;
        let text = self.resolver.cx.source_string(span);
        let message = format!("`{text}` is a binding, not the name of a variable");
        // "The right hand side must be an established variable name": NV_gpu_program4 section
        // 2.X.3.8. Drivers take a binding, too.
        let accepted = self
            .resolver
            .cx
            .report_lenient(LenientRule::AliasOfBinding, span, message)
            .then(|| self.resolver.resolve_binding_path(path))
            .flatten();
        let Some(resolved) = accepted else {
            return self.poison_declaration(decl);
        };
        let kind = resolved.target.declaring_kind();
        let size = if resolved.is_range {
            ArraySize::Unsized
        } else {
            ArraySize::NotArray
        };
        let variable = Decl {
            kind,
            size,
            ..*decl
        };
        // A SUBROUTINE variable needs a type, which cannot be written in such a line.
        if kind == DeclKind::Subroutine {
            report_wrong_binding(&mut self.resolver.cx, decl, span);
            return self.poison_declaration(decl);
        }
        // Units have no names before version 5.0, except as aliases.
        let is_unit =
            kind == DeclKind::Texture && !resolved.is_range && resolved.suffix_span.is_none();
        match is_unit.then(|| {
            self.resolver
                .get_or_create_binding_var(resolved.target, span)
        }) {
            Some(Some(var)) => {
                let info = self.resolver.program.vars[var as usize];
                self.resolver.declare_variable(decl.name, info);
            }
            Some(None) => self.poison_declaration(decl),
            None => self.declare_bound_variable(&variable),
        }
    }

    /// Marks the name of a declaration so that its later uses are not reported. Reports a name that
    /// is declared already, and leaves it unchanged.
    fn poison_declaration(&mut self, decl: &Decl) {
        let Some((name, span)) = decl.name else {
            return;
        };
        let poisoned = make_var(&self.resolver.cx, decl, VarKind::Poisoned, None);
        // A name that is taken is reported by `declare`; its denotation is unchanged.
        if self.resolver.symbols.names[name.index()].entity == NameEntity::Undeclared {
            self.resolver.symbols.names[name.index()].entity = NameEntity::Poisoned;
        } else {
            self.resolver.declare_variable(Some((name, span)), poisoned);
        }
    }

    /// Returns the variable of a declaration with the resolved elements, whose bindings it adds to
    /// the program; `None` after a reported error.
    fn create_bound_var(&mut self, decl: &Decl, elements: DeclElements) -> Option<Var> {
        match elements {
            // The list is taken out while the checker binds its elements, and returned afterwards
            // to reuse its memory.
            DeclElements::Attribs(holder) => {
                let list = std::mem::take(&mut self.state.io_elements);
                let var = self.create_attrib_var(decl, &list, holder);
                self.state.io_elements = list;
                var
            }
            DeclElements::Results => {
                let list = std::mem::take(&mut self.state.io_elements);
                let var = self.create_result_var(decl, &list);
                self.state.io_elements = list;
                var
            }
            DeclElements::Params(first) => self.create_param_var(decl, first),
            DeclElements::Textures(units) => {
                let array = check_unit_array(&mut self.resolver.cx, decl, units)?;
                Some(make_var(
                    &self.resolver.cx,
                    decl,
                    VarKind::Texture { unit: units.first },
                    array,
                ))
            }
            DeclElements::Images(units) => {
                let array = check_unit_array(&mut self.resolver.cx, decl, units)?;
                Some(make_var(
                    &self.resolver.cx,
                    decl,
                    VarKind::Image { unit: units.first },
                    array,
                ))
            }
            DeclElements::Subroutines(list) => {
                let array = check_array_size(&mut self.resolver.cx, decl.size, list.len())?;
                let kind = self.create_subroutine_kind(decl, &list)?;
                Some(make_var(&self.resolver.cx, decl, kind, array))
            }
            DeclElements::Relative(bound, relative) => {
                self.create_relative_var(decl, &bound, relative)
            }
            DeclElements::Buffer(range) => self.create_buffer_var(decl, range),
            DeclElements::Shared(elements) => {
                // If SHARED_MEMORY follows or is missing, only the rule for accesses bounds them.
                let size = match self.resolver.program_declarations.shared_memory {
                    Some(start) if start < decl.span.start => {
                        self.resolver.program.shared_bytes.max(1)
                    }
                    Some(_) | None => limits::SHARED_BYTES,
                };
                let (start, count) = elements.unwrap_or((0, size));
                let array =
                    check_view_size(&mut self.resolver.cx, decl.size, elements.is_some(), count)?;
                Some(make_var(
                    &self.resolver.cx,
                    decl,
                    VarKind::Shared { start },
                    array,
                ))
            }
        }
    }

    /// Returns the variable of an ATTRIB declaration and adds its bindings, owned by `holder`, to
    /// the program. Returns `None` after reporting an error about the array size or the elements.
    fn create_attrib_var(
        &mut self,
        decl: &Decl,
        elements: &[(&'static BindingInfo, u32)],
        holder: AttribOwner,
    ) -> Option<Var> {
        let array = check_array_size(&mut self.resolver.cx, decl.size, elements.len())?;
        check_array_kind(&mut self.resolver.cx, decl, elements)?;
        let first = self.resolver.program.attribs.len() as u32;
        for &(row, number) in elements {
            self.add_attrib_binding(decl, row, make_attrib_binding(row, number, holder));
        }
        Some(Var {
            is_indexed_by_vertex: holder.vertex == VertexSelector::Indexed,
            ..make_var(&self.resolver.cx, decl, VarKind::Attrib { first }, array)
        })
    }

    /// Returns the variable of an OUTPUT declaration and adds its bindings to the program. Returns
    /// `None` after reporting an array in a fragment program (NV_fragment_program4 section
    /// 2.X.3.5), or an error about the array size or the elements.
    fn create_result_var(
        &mut self,
        decl: &Decl,
        elements: &[(&'static BindingInfo, u32)],
    ) -> Option<Var> {
        let array = check_array_size(&mut self.resolver.cx, decl.size, elements.len())?;
        // "Fragment program result variables may not be declared as arrays": NV_fragment_program4
        // section 2.X.3.5.
        if array.is_some() && self.resolver.cx.stage == Stage::Fragment {
            let message = "fragment programs have no arrays of results";
            self.resolver
                .cx
                .report_error(Code::OutputArray, decl.span, message);
            return None;
        }
        check_array_kind(&mut self.resolver.cx, decl, elements)?;
        let first = self.resolver.program.results.len() as u32;
        let bindings = elements
            .iter()
            .map(|&(row, number)| make_io_binding(row, number));
        self.resolver.program.results.extend(bindings);
        Some(make_var(
            &self.resolver.cx,
            decl,
            VarKind::Result { first },
            array,
        ))
    }

    /// Returns the variable of a binding with a dynamic index: an array of all bindings of the
    /// table entry, which it adds to the program, indexed by the dynamic index `relative`. Checks
    /// that index; returns `None` after a reported error of the binding.
    fn create_relative_var(
        &mut self,
        decl: &Decl,
        bound: &BindingTarget,
        relative: u32,
    ) -> Option<Var> {
        let (kind, count) = self.resolver.bind_all_indices(bound)?;
        self.resolver.check_address_index(relative);
        self.resolver.check_loop_index_use(relative, decl.span);
        Some(Var {
            has_relative_access: true,
            relative_element: Some(relative),
            ..make_var(&self.resolver.cx, decl, kind, Some(count))
        })
    }

    /// Returns the variable of a PARAM declaration, whose parameters are those of the program from
    /// `first` on, and adds them to the count of parameters. Returns `None` after reporting a wrong
    /// array size or too many parameters.
    fn create_param_var(&mut self, decl: &Decl, first: u32) -> Option<Var> {
        let count = self.resolver.program.params.len() - first as usize;
        let array = check_array_size(&mut self.resolver.cx, decl.size, count)?;
        let limit = limits::PARAMETERS - find_reserved(&self.resolver.cx).parameters;
        let has_room = self.count_parameters(count as u64, limit, decl.span);
        has_room.then(|| make_var(&self.resolver.cx, decl, VarKind::Param { first }, array))
    }

    /// Adds to the number of parameters. Returns false after reporting, at `span`, that it exceeds
    /// `limit`; counting then restarts at 0.
    pub(crate) fn count_parameters(&mut self, count: u64, limit: u64, span: Span) -> bool {
        self.state.parameters += count;
        let has_room = self.state.parameters <= limit;
        if !has_room {
            self.resolver
                .cx
                .report_error(Code::TooManyParameters, span, "too many parameters");
            // The count restarts, so that not every further one is an error.
            self.state.parameters = 0;
        }
        has_room
    }

    /// Adds an attribute binding to the program and marks its slot. In fragment programs, also
    /// records the interpolation modifiers, and reports modifiers that the attribute does not take
    /// or that differ from those of other variables of the attribute; primary and secondary color
    /// must agree (NV_fragment_program4 section 2.X.3.1).
    fn add_attrib_binding(&mut self, decl: &Decl, row: &'static BindingInfo, binding: IoBinding) {
        self.resolver.program.attribs.push(binding);
        self.resolver
            .mark_attrib_slot(row, binding.semantic, decl.span);
        // Only fragments interpolate. NV_fragment_program4 section 2.X.3.1.
        if self.resolver.cx.stage != Stage::Fragment {
            return;
        }
        let mods = decl.mods.intersection(VarMods::ANY_INTERPOLATION);
        check_interpolation(&mut self.resolver.cx, decl, row, binding, mods);
        // "If multiple attribute variables with different interpolation modifiers are bound to the
        // same fragment attribute."
        let interpolation = &mut self.resolver.program.interpolation;
        let previous = interpolation.insert(binding.semantic, mods);
        // Primary and secondary color must agree; they are stored under one key in addition to
        // their own keys.
        let partner = if let Semantic::Color(index) = binding.semantic {
            interpolation.get(&Semantic::Color(1 - index)).copied()
        } else {
            None
        };
        let differs = |other: Option<VarMods>| other.is_some_and(|other| other != mods);
        if differs(previous) || differs(partner) {
            let path = row.path;
            let message = format!("`{path}` is declared with different interpolation modifiers");
            self.resolver
                .cx
                .report_error(Code::InterpolationConflict, decl.span, message);
        }
    }
}

/// Returns true if the program type, the language version and the options have this kind of
/// declaration; reports it if not.
fn check_declaration_available(cx: &mut RuleCx<'_>, decl: &Decl) -> bool {
    let (kind, span) = (decl.kind, decl.span);
    let is_compute = cx.stage == Stage::Compute;
    let wrong_stage = match (kind, is_compute) {
        (DeclKind::Output, true) => Some("compute programs have no results"),
        (DeclKind::Shared, false) => Some("shared memory belongs to compute programs"),
        // All other kinds are in all stages; their possible bindings depend on the stage.
        _ => None,
    };
    if let Some(message) = wrong_stage {
        cx.report_error(Code::DeclarationNotAllowed, span, message);
        return false;
    }
    let row = BINDING_DECLARATIONS
        .iter()
        .find(|(other, ..)| *other == kind);
    let Some(&(_, word, _, needs)) = row else {
        return true;
    };
    match needs {
        DeclRequirement::None => true,
        DeclRequirement::Version5 => cx.require_version(
            Version::V5_0,
            span,
            format_args!("{word} declarations need"),
        ),
        DeclRequirement::Option(needs) => {
            cx.require_option(needs, span, format_args!("{word} needs"))
        }
        DeclRequirement::VersionOrOption(needs) => {
            cx.version >= Version::V5_0
                || cx.require_option(needs, span, format_args!("{word} needs"))
        }
    }
}

/// Returns the number of elements of an array of texture or image units as [`check_array_size`]
/// does. Reports units that are not consecutive, and returns the number nevertheless.
fn check_unit_array(cx: &mut RuleCx<'_>, decl: &Decl, units: UnitRange) -> Option<Option<u32>> {
    let array = check_array_size(cx, decl.size, units.count as usize)?;
    if !units.is_ordered {
        let message = "the units of an array must be consecutive";
        cx.report_error(Code::TextureUnits, decl.span, message);
    }
    Some(array)
}

/// Checks that attribute and result arrays hold consecutive bindings of one kind; single variables
/// pass. Returns `None` after reporting an error. `elements` of arrays must not be empty.
/// NV_gpu_program4 sections 2.X.3.2 and 2.X.3.5.
fn check_array_kind(
    cx: &mut RuleCx<'_>,
    decl: &Decl,
    elements: &[(&'static BindingInfo, u32)],
) -> Option<()> {
    if decl.size == ArraySize::NotArray {
        return Some(());
    }
    // An array has at least one element: the grammar requires one in its braces.
    let (row, _) = elements[0];
    if !row.flags.contains(BindingFlags::ARRAY)
        // Paths, not entries: `result.color` and `result.color.primary` are of different kinds
        // though they denote the same result.
        || elements.iter().any(|(other, _)| other.path != row.path)
    {
        let message = "an array holds bindings of one kind that exists in arrays";
        cx.report_error(Code::ArrayKinds, decl.span, message);
        return None;
    }
    if elements.windows(2).any(|pair| pair[0].1 + 1 != pair[1].1) {
        let message = "the bindings of an array must have consecutive numbers";
        cx.report_error(Code::ArrayOrder, decl.span, message);
        return None;
    }
    Some(())
}

/// Reports the interpolation modifiers `mods` on attributes that are not interpolated, and any but
/// FLAT on the primitive number.
fn check_interpolation(
    cx: &mut RuleCx<'_>,
    decl: &Decl,
    row: &BindingInfo,
    binding: IoBinding,
    mods: VarMods,
) {
    let primitive_id = binding.semantic == Semantic::PrimitiveId;
    if !mods.is_empty() && !row.flags.contains(BindingFlags::INTERPOLATED)
        // The number is the same for all vertices of a primitive, so that FLAT and the other
        // modifiers have no effect.
        || primitive_id && mods.intersects(!VarMods::FLAT)
    {
        let message = format!("`{}` takes no interpolation modifier", row.path);
        cx.report_error(Code::InterpolationNotAllowed, decl.span, message);
    }
}
