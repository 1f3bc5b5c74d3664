//! Variables with bindings: ATTRIB, PARAM, OUTPUT, buffers, TEXTURE, SHARED.
//! NV_gpu_program4 sections 2.X.3.2 to 2.X.3.6, NV_gpu_program5 section 2.X.3.8.

use crate::ast::{Decl, DeclKind, Size, VarMods};
use crate::check::bindings::brackets::Bound;
use crate::check::context::RuleCx;
use crate::check::declarations::context::{BOUND, DeclarationRules, Needs};
use crate::check::declarations::elements::{Elements, Units, report_wrong_binding};
use crate::check::names::declare::{
    attrib_binding, check_array_size, check_view_size, io_binding, make_var,
};
use crate::check::names::symbols::Named;
use crate::check::program::limits::find_reserved;
use crate::codes::Code;
use crate::lang::bindings::{BindingInfo, Traits};
use crate::lang::lenient::Rule;
use crate::lang::limits;
use crate::source::Version;
use crate::vars::{Holder, IoBinding, Var, VarKind, VertexOf};
use glasm_ir::{Semantic, Span, Stage};

impl DeclarationRules<'_, '_, '_> {
    /// Declares a variable with bindings.
    pub(crate) fn declare_bound_variable(&mut self, decl: &Decl) {
        if decl.name.is_none() {
            return;
        }
        // Compared below: an error after which the variable exists, such as one of its
        // interpolation, must still poison the name.
        let before = self.resolver.cx.count_errors();
        // Bindings of a declaration that the program cannot have are not checked: each would be a
        // separate error.
        let allowed = check_allowed_here(&mut self.resolver.cx, decl);
        let elements = if allowed {
            self.collect_elements(decl)
        } else {
            None
        };
        let var = elements.and_then(|elements| self.bind(decl, elements));
        match var {
            Some(var) if self.resolver.cx.count_errors() == before => {
                self.resolver.declare(decl.name, var);
            }
            // A declaration with errors still declares its name, so that uses are not reported in
            // addition.
            _ => self.poison_declaration(decl),
        }
    }

    /// Declares the variable of `ALIAS name = binding`.
    #[cold]
    pub(crate) fn declare_binding_alias(&mut self, decl: &Decl, path: u32) {
        let span = self.resolver.cx.ast.paths[path as usize].span;
        let text = self.resolver.cx.source_text(span);
        let message = format!("`{text}` is a binding, not the name of a variable");
        // "The right hand side must be an established variable name": NV_gpu_program4 section
        // 2.X.3.8. Drivers take a binding, too.
        let accepted = self
            .resolver
            .cx
            .lenient(Rule::AliasOfBinding, span, message)
            .then(|| self.resolver.resolve(path))
            .flatten();
        let Some(resolved) = accepted else {
            return self.poison_declaration(decl);
        };
        let kind = resolved.bound.declared_by();
        let size = if resolved.range {
            Size::Open
        } else {
            Size::Single
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
        let is_unit = kind == DeclKind::Texture && !resolved.range && resolved.rest.is_none();
        match is_unit.then(|| self.resolver.get_implicit_var(resolved.bound, span)) {
            Some(Some(var)) => {
                let info = self.resolver.program.vars[var as usize];
                self.resolver.declare(decl.name, info);
            }
            Some(None) => self.poison_declaration(decl),
            None => self.declare_bound_variable(&variable),
        }
    }

    /// Marks the names of a declaration so that their later uses are not reported.
    fn poison_declaration(&mut self, decl: &Decl) {
        let Some((name, span)) = decl.name else {
            return;
        };
        let poisoned = make_var(&self.resolver.cx, decl, VarKind::Poisoned, None);
        // A name that is taken is reported by `declare`; its denotation is unchanged.
        if self.resolver.symbols.entries[name.index()].named == Named::Nothing {
            self.resolver.symbols.entries[name.index()].named = Named::Poisoned;
        } else {
            self.resolver.declare(Some((name, span)), poisoned);
        }
    }

    /// Creates the variable of resolved elements.
    fn bind(&mut self, decl: &Decl, elements: Elements) -> Option<Var> {
        match elements {
            // The list is taken out while the checker binds its elements, and returned afterwards
            // to reuse its memory.
            Elements::Attribs(holder) => {
                let list = std::mem::take(&mut self.state.io_elements);
                let var = self.bind_attribs(decl, &list, holder);
                self.state.io_elements = list;
                var
            }
            Elements::Results => {
                let list = std::mem::take(&mut self.state.io_elements);
                let var = self.bind_results(decl, &list);
                self.state.io_elements = list;
                var
            }
            Elements::Params(first) => self.bind_params(decl, first),
            Elements::Textures(units) => {
                let array = bind_units(&mut self.resolver.cx, decl, units)?;
                Some(make_var(
                    &self.resolver.cx,
                    decl,
                    VarKind::Texture { unit: units.first },
                    array,
                ))
            }
            Elements::Images(units) => {
                let array = bind_units(&mut self.resolver.cx, decl, units)?;
                Some(make_var(
                    &self.resolver.cx,
                    decl,
                    VarKind::Image { unit: units.first },
                    array,
                ))
            }
            Elements::Subroutines(list) => {
                let array = check_array_size(&mut self.resolver.cx, decl.size, list.len())?;
                let kind = self.bind_subroutines(decl, &list)?;
                Some(make_var(&self.resolver.cx, decl, kind, array))
            }
            Elements::Relative(bound, relative) => self.bind_relative(decl, &bound, relative),
            Elements::Buffer(range) => self.bind_buffer(decl, range),
            Elements::Shared(elements) => {
                // If SHARED_MEMORY follows or is missing, only the rule for accesses bounds them.
                let size = match self.resolver.declared.shared_memory {
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

    fn bind_attribs(
        &mut self,
        decl: &Decl,
        list: &[(&'static BindingInfo, u32)],
        holder: Holder,
    ) -> Option<Var> {
        let array = check_array_size(&mut self.resolver.cx, decl.size, list.len())?;
        check_array_kind(&mut self.resolver.cx, decl, list)?;
        let first = self.resolver.program.attribs.len() as u32;
        for &(row, number) in list {
            self.bind_attrib(decl, row, attrib_binding(row, number, holder));
        }
        Some(Var {
            by_vertex: holder.vertex == VertexOf::Each,
            ..make_var(&self.resolver.cx, decl, VarKind::Attrib { first }, array)
        })
    }

    fn bind_results(&mut self, decl: &Decl, list: &[(&'static BindingInfo, u32)]) -> Option<Var> {
        let array = check_array_size(&mut self.resolver.cx, decl.size, list.len())?;
        // "Fragment program result variables may not be declared as arrays": NV_fragment_program4
        // section 2.X.3.5.
        if array.is_some() && self.resolver.cx.stage == Stage::Fragment {
            let message = "fragment programs have no arrays of results";
            self.resolver
                .cx
                .error(Code::OutputArray, decl.span, message);
            return None;
        }
        check_array_kind(&mut self.resolver.cx, decl, list)?;
        let first = self.resolver.program.results.len() as u32;
        let bindings = list.iter().map(|&(row, number)| io_binding(row, number));
        self.resolver.program.results.extend(bindings);
        Some(make_var(
            &self.resolver.cx,
            decl,
            VarKind::Result { first },
            array,
        ))
    }

    fn bind_relative(&mut self, decl: &Decl, bound: &Bound, relative: u32) -> Option<Var> {
        let (kind, count) = self.resolver.bind_relative_row(bound)?;
        self.resolver.check_address_index(relative);
        self.resolver.check_loop_index_use(relative, decl.span);
        Some(Var {
            relative: true,
            element: Some(relative),
            ..make_var(&self.resolver.cx, decl, kind, Some(count))
        })
    }

    /// Binds the parameters from `first` on, which are those of the declaration.
    fn bind_params(&mut self, decl: &Decl, first: u32) -> Option<Var> {
        let count = self.resolver.program.params.len() - first as usize;
        let array = check_array_size(&mut self.resolver.cx, decl.size, count)?;
        let limit = limits::PARAMETERS - find_reserved(&self.resolver.cx).parameters;
        let has_room = self.count_parameters(count as u64, limit, decl.span);
        has_room.then(|| make_var(&self.resolver.cx, decl, VarKind::Param { first }, array))
    }

    /// Counts parameters; reports if there are too many.
    #[inline]
    pub(crate) fn count_parameters(&mut self, count: u64, limit: u64, span: Span) -> bool {
        self.state.parameters += count;
        let has_room = self.state.parameters <= limit;
        if !has_room {
            self.resolver
                .cx
                .error(Code::TooManyParameters, span, "too many parameters");
            // The count restarts, so that not every further one is an error.
            self.state.parameters = 0;
        }
        has_room
    }

    fn bind_attrib(&mut self, decl: &Decl, row: &'static BindingInfo, binding: IoBinding) {
        self.resolver.program.attribs.push(binding);
        self.resolver.use_slot(row, binding.semantic, decl.span);
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
                .error(Code::InterpolationConflict, decl.span, message);
        }
    }
}

/// Returns true if the program type, the language version and the options have this kind of
/// declaration; reports it if not.
fn check_allowed_here(cx: &mut RuleCx<'_>, decl: &Decl) -> bool {
    let (kind, span) = (decl.kind, decl.span);
    let is_compute = cx.stage == Stage::Compute;
    let wrong_stage = match (kind, is_compute) {
        (DeclKind::Output, true) => Some("compute programs have no results"),
        (DeclKind::Shared, false) => Some("shared memory belongs to compute programs"),
        // All other kinds are in all stages; their possible bindings depend on the stage.
        _ => None,
    };
    if let Some(message) = wrong_stage {
        cx.error(Code::DeclarationNotAllowed, span, message);
        return false;
    }
    let row = BOUND.iter().find(|(other, ..)| *other == kind);
    let Some(&(_, word, _, needs)) = row else {
        return true;
    };
    match needs {
        Needs::Nothing => true,
        Needs::Version => cx.need_version(
            Version::V5_0,
            span,
            format_args!("{word} declarations need"),
        ),
        Needs::Option(needs) => cx.need_option(needs, span, format_args!("{word} needs")),
        Needs::VersionOrOption(needs) => {
            cx.version >= Version::V5_0 || cx.need_option(needs, span, format_args!("{word} needs"))
        }
    }
}

/// Returns the array size of texture or image units, which must be consecutive.
fn bind_units(cx: &mut RuleCx<'_>, decl: &Decl, units: Units) -> Option<Option<u32>> {
    let array = check_array_size(cx, decl.size, units.count as usize)?;
    if !units.is_ordered {
        let message = "the units of an array must be consecutive";
        cx.error(Code::TextureUnits, decl.span, message);
    }
    Some(array)
}

/// Checks that attribute and result arrays hold consecutive bindings of one kind. NV_gpu_program4
/// sections 2.X.3.2 and 2.X.3.5.
fn check_array_kind(
    cx: &mut RuleCx<'_>,
    decl: &Decl,
    list: &[(&'static BindingInfo, u32)],
) -> Option<()> {
    if decl.size == Size::Single {
        return Some(());
    }
    // An array has at least one element: the grammar requires one in its braces.
    let (row, _) = list[0];
    if !row.traits.contains(Traits::ARRAY)
        // Paths, not entries: `result.color` and `result.color.primary` are of different kinds
        // though they denote the same result.
        || list.iter().any(|(other, _)| other.path != row.path)
    {
        let message = "an array holds bindings of one kind that exists in arrays";
        cx.error(Code::ArrayKinds, decl.span, message);
        return None;
    }
    if list.windows(2).any(|pair| pair[0].1 + 1 != pair[1].1) {
        let message = "the bindings of an array must have consecutive numbers";
        cx.error(Code::ArrayOrder, decl.span, message);
        return None;
    }
    Some(())
}

#[inline]
fn check_interpolation(
    cx: &mut RuleCx<'_>,
    decl: &Decl,
    row: &BindingInfo,
    binding: IoBinding,
    mods: VarMods,
) {
    let primitive_id = binding.semantic == Semantic::PrimitiveId;
    if !mods.is_empty() && !row.traits.contains(Traits::INTERPOLATED)
        // The number is the same for all vertices of a primitive, so that FLAT and the other
        // modifiers have no effect.
        || primitive_id && mods.intersects(!VarMods::FLAT)
    {
        let message = format!("`{}` takes no interpolation modifier", row.path);
        cx.error(Code::InterpolationNotAllowed, decl.span, message);
    }
}
