//! Declarations. NV_gpu_program4 sections 2.X.3.1 to 2.X.3.8.

use crate::ast::{ArraySize, Decl, DeclItem, DeclKind, VarMods};
use crate::check::context::RuleCx;
use crate::check::declarations::DeclarationRules;
use crate::check::instructions::arb::check_arb_declaration;
use crate::check::names::{NameEntity, make_var};
use crate::check::program::limits::find_reserved;
use crate::codes::Code;
use crate::interner::NameId;
use crate::lang::options::Features;
use crate::lang::{arb as arb_limits, limits};
use crate::source::Version;
use crate::variables::{Var, VarKind};
use glasm_ir::{Span, Stage};

impl DeclarationRules<'_, '_, '_> {
    /// Checks a declaration by its kind, reports violations, and adds what it declares to the
    /// program.
    pub(crate) fn check_declaration(&mut self, decl_index: u32) {
        let decl = self.resolver.cx.ast.decls[decl_index as usize];
        if self.resolver.cx.traits.forms_by_options {
            check_arb_declaration(&mut self.resolver.cx, &decl);
        } else if self.resolver.cx.traits.registers.is_none() {
            check_declaration_modifiers(&mut self.resolver.cx, &decl);
        }
        match decl.kind {
            DeclKind::Temp => self.declare_temps(&decl),
            DeclKind::Address => self.declare_addresses(&decl),
            DeclKind::Alias => self.declare_alias(&decl),
            DeclKind::GroupSize => self.check_group_size(&decl),
            DeclKind::SharedMemory => self.check_shared_memory(&decl),
            DeclKind::SecondaryViewLayerOffset => self.set_secondary_view_layer_offset(&decl),
            DeclKind::Program(declaration) => self.check_program_declaration(&decl, declaration),
            DeclKind::SubroutineType => self.declare_subroutine_type(&decl),
            DeclKind::Declare | DeclKind::Define => self.declare_named_value(&decl),
            DeclKind::Attrib
            | DeclKind::Param
            | DeclKind::Output
            | DeclKind::Buffer
            | DeclKind::Buffer4
            | DeclKind::Cbuffer
            | DeclKind::Texture
            | DeclKind::Image
            | DeclKind::Shared
            | DeclKind::Storage
            | DeclKind::Counter
            | DeclKind::Subroutine => self.declare_bound_variable(&decl),
        }
    }

    /// Declares the names of a TEMP declaration and counts their elements against the limit of
    /// temporaries, less those that options reserve. The name that exceeds it is reported and
    /// marked, and the count restarts at 0.
    fn declare_temps(&mut self, decl: &Decl) {
        for index in 0..decl.item_count {
            // One statement may have a million names; further errors would only be counted.
            if self.resolver.cx.reports.is_full() {
                return;
            }
            let DeclItem::Name(name, size, span) =
                self.resolver.cx.ast.items[(decl.first_item + index) as usize]
            else {
                continue;
            };
            let array = check_temp_array_size(&mut self.resolver.cx, size, span);
            self.state.temporaries += u64::from(array.unwrap_or(1));
            let limit = limits::TEMPORARIES - find_reserved(&self.resolver.cx).temporaries;
            if self.state.temporaries > limit {
                let message = format!("more than {limit} temporaries");
                self.resolver
                    .cx
                    .report_error(Code::TooManyTemporaries, span, message);
                // The count restarts, so that not every further temporary is an error.
                self.state.temporaries = 0;
                self.resolver.symbols.names[name.index()].entity = NameEntity::Poisoned;
                continue;
            }
            self.declare_item(
                (name, span),
                make_var(&self.resolver.cx, decl, VarKind::Temp, array),
            );
        }
    }

    /// Declares the names of ADDRESS; reports the first beyond the limit of address registers and
    /// ignores those after it. ARB_vertex_program section 2.14.3.5.
    fn declare_addresses(&mut self, decl: &Decl) {
        for index in 0..decl.item_count {
            let item = self.resolver.cx.ast.items[(decl.first_item + index) as usize];
            let DeclItem::Name(name, _, span) = item else {
                continue;
            };
            self.state.addresses += 1;
            if self.state.addresses > arb_limits::ADDRESS_REGISTERS {
                let message = format!(
                    "more than {} address registers",
                    arb_limits::ADDRESS_REGISTERS
                );
                self.resolver
                    .cx
                    .report_error(Code::TooManyTemporaries, span, message);
                return;
            }
            self.declare_item(
                (name, span),
                make_var(&self.resolver.cx, decl, VarKind::Address, None),
            );
        }
    }

    /// Declares one of the names of a statement with the properties of `var`, except its name and
    /// span. Reports a name that is declared already.
    fn declare_item(&mut self, (name, span): (NameId, Span), var: Var) {
        let var = Var {
            name: Some(name),
            span,
            ..var
        };
        self.resolver.declare_variable(Some((name, span)), var);
    }

    /// Makes the name of an ALIAS declaration denote the variable of an established name or
    /// binding; reports names that are declared already, and marks the name if the other one does
    /// not denote a variable. NV_gpu_program4 section 2.X.3.8.
    fn declare_alias(&mut self, decl: &Decl) {
        let Some((name, span)) = decl.name else {
            return;
        };
        let (old, old_span) = match *self.resolver.cx.ast.items(decl) {
            [DeclItem::Name(old, _, old_span)] => (old, old_span),
            [DeclItem::Path(path)] => return self.declare_binding_alias(decl, path),
            _ => return,
        };
        // The old name must be established already. NV_gpu_program4 section 2.X.3.8.
        let target = self.resolver.resolve_name(old, old_span);
        // A name that was used before its declaration may become an alias: its uses were reported.
        if matches!(
            self.resolver.symbols.names[name.index()].entity,
            NameEntity::Var(_)
        ) {
            let text = self.resolver.cx.display_name(name);
            let message = format!("`{text}` is declared already");
            self.resolver
                .cx
                .report_error(Code::DuplicateName, span, message);
        } else {
            self.resolver.symbols.names[name.index()].entity =
                target.map_or(NameEntity::Poisoned, NameEntity::Var);
        }
    }

    /// Checks GROUP_SIZE and sets the sizes: reports a wrong stage, the option that excludes it,
    /// repetition, more than three sizes, and sizes beyond the limits. NV_compute_program5 section
    /// 2.X.7.Y.
    fn check_group_size(&mut self, decl: &Decl) {
        if !check_compute_only(&mut self.resolver.cx, decl) {
            return;
        }
        if self.resolver.cx.has_option(Features::VARIABLE_GROUP_SIZE) {
            let message = "OPTION ARB_compute_variable_group_size leaves GROUP_SIZE out";
            self.resolver
                .cx
                .report_error(Code::GroupSize, decl.span, message);
        }
        // Copied, because reports borrow the whole checker; GROUP_SIZE occurs once in a program.
        let items = self.resolver.cx.ast.items(decl).to_vec();
        if std::mem::replace(&mut self.resolver.program_declarations.has_group_size, true) {
            self.resolver.cx.report_error(
                Code::GroupSize,
                decl.span,
                "GROUP_SIZE is declared twice",
            );
        }
        if items.len() > 3 {
            let message = "GROUP_SIZE has at most three sizes";
            self.resolver
                .cx
                .report_error(Code::GroupSize, decl.span, message);
        }
        self.set_group_size(&items);
    }

    /// Sets the workgroup size to the first three items; omitted sizes remain 1. Reports sizes, and
    /// products of sizes, that are 0 or exceed the limits; they are set nevertheless.
    fn set_group_size(&mut self, items: &[DeclItem]) {
        // Omitted sizes are 1, the initial value in the program.
        let mut product = 1u64;
        for (axis, item) in items.iter().take(3).enumerate() {
            let &DeclItem::Number(value, span) = item else {
                continue;
            };
            // A whole group is limited, too: to as many invocations as its x axis alone may have.
            product = product.saturating_mul(u64::from(value));
            if value == 0
                || value > limits::GROUP_SIZE[axis]
                || product > u64::from(limits::GROUP_SIZE[0])
            {
                let message = format!("the size {value} is out of range");
                self.resolver
                    .cx
                    .report_error(Code::GroupSize, span, message);
            }
            self.resolver.program.group_size[axis] = value;
        }
    }

    /// Sets the size of shared memory in bytes that a SHARED_MEMORY declaration gives, and records
    /// that it is declared; reports a second declaration, a size beyond the limit, more than one
    /// size, and programs other than compute programs.
    fn check_shared_memory(&mut self, decl: &Decl) {
        if !check_compute_only(&mut self.resolver.cx, decl) {
            return;
        }
        // Copied for the same reason as in `check_group_size`.
        let items = self.resolver.cx.ast.items(decl).to_vec();
        if self.resolver.program_declarations.shared_memory.is_some() {
            let message = "SHARED_MEMORY is declared twice";
            self.resolver
                .cx
                .report_error(Code::SharedMemory, decl.span, message);
        }
        self.resolver
            .program_declarations
            .shared_memory
            .get_or_insert(decl.span.start);
        match items[..] {
            [DeclItem::Number(size, _)] if size <= limits::SHARED_BYTES => {
                self.resolver.program.shared_bytes = size
            }
            [DeclItem::Number(size, span)] => {
                let message = format!(
                    "{size} bytes of shared memory are more than {}",
                    limits::SHARED_BYTES
                );
                self.resolver
                    .cx
                    .report_error(Code::SharedMemory, span, message);
            }
            _ => self.resolver.cx.report_error(
                Code::SharedMemory,
                decl.span,
                "SHARED_MEMORY has one size",
            ),
        }
    }
}

/// Reports modifiers that are not allowed for the kind of declaration, the stage or the version, or
/// not together. NV_gpu_program4 section 2.X.3.1.
fn check_declaration_modifiers(cx: &mut RuleCx<'_>, decl: &Decl) {
    let (kind, mods, span) = (decl.kind, decl.mods, decl.span);
    let five = cx.version >= Version::V5_0;
    // LONG ATTRIB was added by NV_gpu_program5 section 2.X.3.1, for vertex programs only.
    let long =
        kind == DeclKind::Temp || kind == DeclKind::Attrib && cx.stage == Stage::Vertex && five;
    if mods.contains(VarMods::LONG) && !long {
        cx.report_error(Code::LongNotAllowed, span, "LONG is not allowed here");
    }
    if mods.contains(VarMods::SHORT) && !matches!(kind, DeclKind::Temp | DeclKind::Output) {
        cx.report_error(Code::ShortNotAllowed, span, "SHORT is not allowed here");
    }
    let typed = matches!(
        kind,
        DeclKind::Temp
            | DeclKind::Attrib
            | DeclKind::Param
            | DeclKind::Output
            | DeclKind::Buffer
            | DeclKind::Buffer4
    );
    if mods.intersects(VarMods::ANY_TYPE) && !typed {
        let message = "a data type is not allowed here";
        cx.report_error(Code::TypeNotAllowed, span, message);
    }
    let interpolation = mods.intersection(VarMods::ANY_INTERPOLATION);
    if !interpolation.is_empty() && (kind != DeclKind::Attrib || cx.stage != Stage::Fragment) {
        let message = "interpolation modifiers apply to attributes of fragment programs";
        cx.report_error(Code::InterpolationNotAllowed, span, message);
    }
    // CENTROID can be combined with NOPERSPECTIVE. NV_fragment_program4 section 2.X.3.1.
    let flat_mix = mods.contains(VarMods::FLAT) && interpolation != VarMods::FLAT;
    if flat_mix || mods.contains(VarMods::CENTROID | VarMods::SAMPLE) {
        let message = "these interpolation modifiers exclude each other";
        cx.report_error(Code::InterpolationMix, span, message);
    }
    if mods.contains(VarMods::SAMPLE) && cx.version < Version::V4_1 {
        let message = "SAMPLE needs language version 4.1";
        cx.report_error(Code::FeatureNewer, span, message);
    }
    // "Implementations are not required to support arithmetic interpolation of integer values."
    let integer = mods.intersects(VarMods::INT | VarMods::UINT) && kind == DeclKind::Attrib;
    if integer && cx.stage == Stage::Fragment && !mods.contains(VarMods::FLAT) {
        let message = "integer attributes of fragment programs must be FLAT";
        cx.report_error(Code::IntNotFlat, span, message);
    }
}

/// Returns the number of elements of an array of temporaries; `None` for single variables. Reports
/// a size of 0 and a missing one; such an array gets one element, so that uses of its name are not
/// reported as well.
fn check_temp_array_size(cx: &mut RuleCx<'_>, size: ArraySize, span: Span) -> Option<u32> {
    let (error_span, message) = match size {
        ArraySize::NotArray => return None,
        ArraySize::Sized(0, error_span) => (error_span, "an array has at least one element"),
        ArraySize::Sized(count, _) => return Some(count),
        ArraySize::Unsized => (span, "an array of temporaries needs a size"),
    };
    cx.report_error(Code::ArraySizeBad, error_span, message);
    Some(1)
}

/// Returns true in compute programs; otherwise reports that the declaration is not allowed.
fn check_compute_only(cx: &mut RuleCx<'_>, decl: &Decl) -> bool {
    let compute = cx.stage == Stage::Compute;
    if !compute {
        let message = "this declaration belongs to compute programs";
        cx.report_error(Code::DeclarationNotAllowed, decl.span, message);
    }
    compute
}
