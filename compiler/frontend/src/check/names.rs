//! Names and the variables that they denote: tables of names and bindings, look-ups, and creation
//! of variables.
//!
//! A variable is declared, or created where its name or binding is used first.

use crate::ast::{ArraySize, Decl, Literal, Suffix, VarMods};
use crate::check::context::RuleCx;
use crate::check::program::CheckedProgram;
use crate::codes::Code;
use crate::diag::line_number_at;
use crate::diagnostic_sink::suggest_spelling;
use crate::interner::NameId;
use crate::lang::bindings::{BindingFlags, BindingInfo};
use crate::lang::options::{DECLARATIONS, Declaration, Features};
use crate::source::Version;
use crate::variables::{AttribOwner, ImplicitKey, IoBinding, Var, VarKind, VarSize};
use glasm_ir::types::BaseType;
use glasm_ir::{Semantic, Span, WriteMask};
use rustc_hash::FxHashMap;

/// Entity that a name denotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum NameEntity {
    #[default]
    Undeclared,
    /// Variable by its index.
    Var(u32),
    SubroutineType,
    /// A mistake was reported already.
    Poisoned,
}

/// Resolution of a name or a binding path at the current statement.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NameResolution {
    pub(crate) entity: NameEntity,
    /// Variable and suffix of a binding path that was an operand before.
    pub(crate) cached_operand: Option<(u32, Suffix)>,
    /// Variable and mask of a binding path that was a result before.
    pub(crate) cached_result: Option<(u32, WriteMask)>,
}

/// Resolved names and bindings of a program.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    /// Resolution of each name.
    pub(crate) names: Vec<NameResolution>,
    /// Names of single numbers, which vectors may hold.
    pub(crate) number_constants: FxHashMap<NameId, Literal>,
    /// Number of literals in `Ast::named_literals` that are resolved.
    pub(crate) named_literals: usize,
    /// Number of names in `Ast::poisoned` that are marked.
    pub(crate) poisoned: usize,
    /// Names that were reported as not declared.
    pub(crate) undeclared: Vec<(NameId, Span)>,
    /// Unnamed variables of bindings.
    pub(crate) implicit: FxHashMap<ImplicitKey, u32>,
    /// Arrays of all bindings of an entry, for each entry of which some binding has a dynamic
    /// index.
    pub(crate) relative_arrays: FxHashMap<&'static str, VarKind>,
    /// Vertex attribute slots: bound by conventional name, by number.
    pub(crate) attrib_slots: [[bool; 2]; 16],
    /// Size of the register temporaries that instructions name, which share one limit with results.
    pub(crate) register_size: u32,
    /// Number of open LOOP blocks, inside of which A0 has a value.
    pub(crate) open_loops: usize,
}

impl Symbols {
    /// Clears the tables for a program with `name_count` names, all of which are undeclared;
    /// retains their memory.
    pub(crate) fn reset(&mut self, name_count: usize) {
        self.names.clear();
        self.names.resize(name_count, NameResolution::default());
        self.number_constants.clear();
        self.undeclared.clear();
        self.implicit.clear();
        self.relative_arrays.clear();
        (self.named_literals, self.poisoned) = (0, 0);
        self.attrib_slots = Default::default();
        (self.register_size, self.open_loops) = (0, 0);
    }
}

/// Declarations about the program as a whole that were checked.
#[derive(Debug, Default)]
pub(crate) struct ProgramDeclarations {
    /// Positions of the first declaration of each kind.
    pub(crate) positions: [Option<u32>; DECLARATIONS.len()],
    /// Errors that depend on a later declaration: the declaration and the largest number that was
    /// reported.
    pub(crate) early_errors: Vec<(Declaration, Code, u32)>,
    /// True if there is a GROUP_SIZE.
    pub(crate) has_group_size: bool,
    /// Position of the first SHARED_MEMORY.
    pub(crate) shared_memory: Option<u32>,
}

impl ProgramDeclarations {
    /// Removes all declarations, and the record of errors about them.
    pub(crate) fn reset(&mut self) {
        self.early_errors.clear();
        self.positions = Default::default();
        (self.has_group_size, self.shared_memory) = (false, None);
    }
}

/// Program with the tables of its names and bindings: context of rules that look up names.
pub(crate) struct Resolver<'a, 's> {
    pub(crate) cx: RuleCx<'s>,
    pub(crate) program: &'a mut CheckedProgram,
    pub(crate) symbols: &'a mut Symbols,
    pub(crate) program_declarations: &'a mut ProgramDeclarations,
}

impl Resolver<'_, '_> {
    /// Returns the name of a variable for messages.
    pub(crate) fn display_var(&self, var: u32) -> String {
        self.program.display_var(&self.cx.ast.names, var)
    }

    /// Returns true if a name is `A0`, the address register of loops, in a program that has it, and
    /// it was not used before: its first use declares it. NV_fragment_program2 section 3.11.3.Y.
    pub(crate) fn is_loop_index_name(&self, name: NameId) -> bool {
        self.program.loop_index.is_none()
            && self.cx.has_option(Features::NV_FRAGMENT_2)
            && self.cx.ast.names.bytes(name) == b"A0"
    }

    /// Declares the name of the address register that counts loops, adds its variable to the
    /// program and returns it.
    pub(crate) fn declare_loop_index(&mut self, name: NameId) -> u32 {
        let var = Var {
            name: Some(name),
            // It has no declaration in the source.
            ..Var::unnamed(VarKind::Address, Span::default())
        };
        let var_index = self.program.vars.len() as u32;
        self.program.vars.push(var);
        self.symbols.names[name.index()].entity = NameEntity::Var(var_index);
        self.program.loop_index = Some(var_index);
        var_index
    }
}

impl Resolver<'_, '_> {
    /// Returns the variable of a name. A name that is not declared is a register or `A0`, which its
    /// first use declares, or reported, once; a name of another kind is reported. `None` after an
    /// error.
    pub(crate) fn resolve_name(&mut self, name: NameId, span: Span) -> Option<u32> {
        match self.symbols.names[name.index()].entity {
            NameEntity::Var(var) => Some(var),
            // Its declaration was reported, or its first use.
            NameEntity::Poisoned => None,
            NameEntity::SubroutineType => {
                let text = self.cx.display_name(name);
                let message = format!("`{text}` is a SUBROUTINETYPE");
                self.cx
                    .report_error(Code::OperandNotVariable, span, message);
                None
            }
            NameEntity::Undeclared => self.resolve_undeclared_name(name, span),
        }
    }

    /// Returns the variable of a name without declaration: a register, declared by its first use,
    /// where the language has numbered registers; otherwise as
    /// [`Self::resolve_undeclared_variable`].
    #[cold]
    pub(crate) fn resolve_undeclared_name(&mut self, name: NameId, span: Span) -> Option<u32> {
        if let Some(registers) = self.cx.traits.registers {
            // Registers are declared by their first use.
            return self.declare_register(registers, name, span);
        }
        self.resolve_undeclared_variable(name, span)
    }

    /// Returns the variable of an undeclared name if it is `A0`, the address register of loops,
    /// which is declared. Reports any other, once, with a similar name as hint, and returns `None`;
    /// the report is retracted if a failed declaration of the name follows.
    #[cold]
    pub(crate) fn resolve_undeclared_variable(&mut self, name: NameId, span: Span) -> Option<u32> {
        if self.is_loop_index_name(name) {
            return Some(self.declare_loop_index(name));
        }
        let span = self.cx.base_span(span);
        // One report for each name. `poison_names` retracts it if a declaration of the name follows
        // that could not be parsed.
        self.symbols.names[name.index()].entity = NameEntity::Poisoned;
        let text = self.cx.display_name(name);
        let declared: Vec<String> = (self.cx.ast.names.iter())
            .filter(|(other, _)| {
                matches!(self.symbols.names[other.index()].entity, NameEntity::Var(_))
            })
            .map(|(_, text)| String::from_utf8_lossy(text).into_owned())
            .collect();
        let close = suggest_spelling(&text, declared.iter().map(String::as_str));
        // The name alone: the operand continues with an index or a suffix.
        let span = Span::new(span.start, span.start + text.len() as u32);
        let message = format!("`{text}` is not declared");
        let notes = close.into_iter().collect();
        self.cx
            .report_error_with_notes(Code::UndeclaredName, span, message, notes);
        self.symbols.undeclared.push((name, span));
        None
    }

    /// Marks the next `count` names of a declaration with a syntax error at byte `error`: neither
    /// their later nor their earlier uses are reported in addition. Before that it resolves the
    /// named literals of earlier statements.
    #[cold]
    pub(crate) fn poison_names(&mut self, count: u32, error: u32) {
        self.resolve_named_literals(error);
        let first = self.symbols.poisoned;
        self.symbols.poisoned += count as usize;
        for index in first..self.symbols.poisoned {
            self.poison_name(self.cx.ast.poisoned[index]);
        }
    }

    /// Marks an undeclared name as reported, and retracts the errors about its earlier uses. A name
    /// that denotes something is unchanged.
    fn poison_name(&mut self, name: NameId) {
        // A name that already denotes something is unchanged: only the declaration that failed is
        // void.
        let named = &mut self.symbols.names[name.index()].entity;
        if *named == NameEntity::Undeclared {
            *named = NameEntity::Poisoned;
        }
        let undeclared = self.symbols.undeclared.iter();
        for &(_, span) in undeclared.filter(|(other, _)| *other == name) {
            self.cx.reports.retract(Code::UndeclaredName, span);
        }
    }

    /// Returns the variable that instructions with result `CC` write. The name remains undeclared,
    /// so that it cannot be read.
    pub(crate) fn get_or_create_cc_only_result(&mut self, span: Span) -> u32 {
        self.get_or_create_implicit(ImplicitKey::CcOnlyResult, span, |_| VarKind::Temp)
    }
}

impl Resolver<'_, '_> {
    /// Adds a variable, under a name if one is given, and returns its index. Reports a name that
    /// denotes a variable already, and leaves it at the earlier one; the new variable is added
    /// nevertheless.
    pub(crate) fn declare_variable(&mut self, name: Option<(NameId, Span)>, var: Var) -> u32 {
        // The language declares A0 itself, so that a declaration of it is a redeclaration.
        if let Some((name, _)) = name.filter(|(name, _)| self.is_loop_index_name(*name)) {
            self.declare_loop_index(name);
        }
        let var_index = self.program.vars.len() as u32;
        self.program.vars.push(var);
        if let Some((name, span)) = name {
            // The first declaration is retained: operands before and after the second one denote
            // the same variable.
            if let NameEntity::Var(earlier_var) = self.symbols.names[name.index()].entity {
                let text = self.cx.display_name(name);
                let first_span = self.program.vars[earlier_var as usize].span;
                let line = line_number_at(self.cx.ast.text, first_span.start);
                let notes = vec![format!("the first declaration is in line {line}")];
                self.cx.report_error_with_notes(
                    Code::DuplicateName,
                    span,
                    format!("`{text}` is declared already"),
                    notes,
                );
            } else {
                self.symbols.names[name.index()].entity = NameEntity::Var(var_index);
            }
        }
        var_index
    }

    /// Returns the unnamed variable that `key` identifies, such as a binding that is used as an
    /// operand. At the first use it is added at `span`, with the kind that `make` returns.
    pub(crate) fn get_or_create_implicit(
        &mut self,
        key: ImplicitKey,
        span: Span,
        make: impl FnOnce(&mut Self) -> VarKind,
    ) -> u32 {
        if let Some(&var) = self.symbols.implicit.get(&key) {
            return var;
        }
        let kind = make(self);
        let var = Var::unnamed(kind, span);
        let number = self.declare_variable(None, var);
        self.symbols.implicit.insert(key, number);
        number
    }

    /// Marks the slot of a vertex attribute as used, under its conventional name or its number.
    /// Reports, once for each, the second of these names that a program uses for one slot. Does
    /// nothing for other semantics, and for attributes of ARB programs without a generic number.
    /// NV_vertex_program4 section 2.X.3.2.
    pub(crate) fn mark_attrib_slot(&mut self, row: &BindingInfo, semantic: Semantic, span: Span) {
        let Semantic::VertexAttribute(slot) = semantic else {
            return;
        };
        // Each slot has two marks: bound by its conventional name, bound by its number.
        let binding_kind = usize::from(!row.is_conventional());
        // Attributes of ARB programs beyond the 16 slots, such as further weights, have no generic
        // number.
        let Some(pair) = self.symbols.attrib_slots.get_mut(slot as usize) else {
            return;
        };
        let is_first_use = !pair[binding_kind];
        pair[binding_kind] = true;
        // Reported once for each slot and way to bind it, however often the binding occurs in the
        // source.
        if is_first_use && pair[1 - binding_kind] {
            let message = format!(
                "vertex attribute {slot} is bound by its conventional name and by its number"
            );
            self.cx.report_error(Code::AliasPair, span, message);
        }
    }
}

/// Returns the variable of a declaration with the type and size that its modifiers give; `array` is
/// its number of elements, `None` for single variables. LONG has no effect before version 5.0.
pub(crate) fn make_var(cx: &RuleCx<'_>, decl: &Decl, kind: VarKind, array: Option<u32>) -> Var {
    // LONG has 64 bits since NV_gpu_program5 section 2.X.3.1; in NV_gpu_program4 it requests no
    // more than 32.
    let size = if decl.mods.contains(VarMods::SHORT) {
        VarSize::Short
    } else if decl.mods.contains(VarMods::LONG) && cx.version >= Version::V5_0 {
        VarSize::Long
    } else {
        VarSize::Normal
    };
    Var {
        name: decl.name.map(|(name, _)| name),
        base: declared_base_type(decl.mods),
        size,
        array_size: array,
        ..Var::unnamed(kind, decl.span)
    }
}

/// Returns the number of elements of an array declaration with `count` bindings; `Some(None)` for
/// single variables, `None` after reporting that the declared size is another.
pub(crate) fn check_array_size(
    cx: &mut RuleCx<'_>,
    size: ArraySize,
    count: usize,
) -> Option<Option<u32>> {
    match size {
        ArraySize::NotArray => Some(None),
        ArraySize::Unsized => Some(Some(count as u32)),
        ArraySize::Sized(size, _) if size as usize == count => Some(Some(size)),
        ArraySize::Sized(size, span) => {
            let message = format!("the size is {size}, but there are {count} bindings");
            cx.report_error(Code::ArraySizeMismatch, span, message);
            None
        }
    }
}

/// Returns the number of elements of a view of a buffer as [`check_array_size`] does, but a whole
/// buffer, which is not `bounded`, takes any declared size except 0.
pub(crate) fn check_view_size(
    cx: &mut RuleCx<'_>,
    size: ArraySize,
    bounded: bool,
    count: u32,
) -> Option<Option<u32>> {
    match size {
        // `program.buffer[a]` has as many elements as the array, if that has a size.
        // NV_gpu_program4 section 2.X.3.6.
        ArraySize::Sized(size, _) if !bounded && size > 0 => Some(Some(size)),
        ArraySize::Sized(..) | ArraySize::NotArray | ArraySize::Unsized => {
            check_array_size(cx, size, count as usize)
        }
    }
}

/// Returns the base type that the modifiers of a declaration give; `None` without a type.
pub(crate) fn declared_base_type(mods: VarMods) -> Option<BaseType> {
    // The parser refuses a second data type, so the order does not matter.
    if mods.contains(VarMods::INT) {
        Some(BaseType::SignedInt)
    } else if mods.contains(VarMods::UINT) {
        Some(BaseType::UnsignedInt)
    } else if mods.contains(VarMods::FLOAT) {
        Some(BaseType::Float)
    } else {
        None
    }
}

/// Returns the attribute binding that a table entry defines for a number within its limit, owned by
/// `holder`: a vertex or a patch.
pub(crate) fn make_attrib_binding(
    row: &BindingInfo,
    number: u32,
    holder: AttribOwner,
) -> IoBinding {
    IoBinding {
        holder,
        ..make_io_binding(row, number)
    }
}

/// Returns the attribute or result binding that a table entry defines for a number within its
/// limit, with its semantic and base type, owned by the current vertex.
pub(crate) fn make_io_binding(row: &BindingInfo, number: u32) -> IoBinding {
    IoBinding {
        // Numbers were checked against the limit of the entry, which fits into a byte.
        semantic: (row.semantic)(number as u8),
        base: row.base,
        typeless: row.flags.contains(BindingFlags::TYPELESS),
        holder: AttribOwner::default(),
    }
}
