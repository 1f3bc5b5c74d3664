//! Rules of the languages whose programs name registers instead of declaring variables: their
//! names, and limits of their use by a program and an instruction. NV_vertex_program section
//! 2.14.1, NV_vertex_program2 section 2.14.1, NV_fragment_program section 3.11.1.

pub(crate) mod fp1;
pub(crate) mod register_limits;

use crate::check::names::{NameEntity, Resolver};
use crate::codes::Code;
use crate::interner::NameId;
use crate::lang::limits::LimitedItem;
use crate::lang::register::{
    self, FragmentNames, NvRegisterFile, NvRegisterFileKind, ParameterRegisters, Registers,
    TemporaryRegisters,
};
use crate::source::Version;
use crate::variables::{IoBinding, Var, VarKind, VarSize};
use glasm_ir::{ParamSource, Span};

impl Resolver<'_, '_> {
    /// Adds the variable of a register that no instruction has named before and returns it. Reports
    /// a name that does not denote a register, once, and returns `None`. Texture units are recorded
    /// for the check of limits.
    #[cold]
    pub(crate) fn declare_register(
        &mut self,
        registers: &'static Registers,
        name: NameId,
        span: Span,
    ) -> Option<u32> {
        let text = self.cx.ast.names.bytes(name);
        let name_span = Span::new(span.start, span.start + text.len() as u32);
        let var = match find_register(registers, text) {
            RegisterLookup::File(file) => self.make_file_array(file),
            RegisterLookup::Parameters(parameters) => self.make_parameter_registers(parameters),
            RegisterLookup::Temporary(file) => self.make_temporary(file, name_span),
            RegisterLookup::Codes { half } => Var {
                size: size_from_half(half),
                ..Var::unnamed(VarKind::CondCodes, name_span)
            },
            RegisterLookup::Unit(unit) => {
                let usage = &mut self.program.index_usage;
                usage.record(LimitedItem::TextureUnits, unit, || Some(name_span));
                Var::unnamed(VarKind::Texture { unit }, name_span)
            }
            RegisterLookup::Address => Var::unnamed(VarKind::Address, name_span),
            // Programs of NV_fragment_program define names, so that any other name is undeclared.
            RegisterLookup::None(_) if registers.fragment.is_some() => {
                return self.resolve_undeclared_variable(name, span);
            }
            RegisterLookup::None(problem) => {
                self.report_unknown_register(name, name_span, problem);
                return None;
            }
        };
        let var_index = self.program.vars.len() as u32;
        self.program.vars.push(Var {
            name: Some(name),
            ..var
        });
        self.symbols.names[name.index()].entity = NameEntity::Var(var_index);
        Some(var_index)
    }

    /// Returns the variable for all registers of a file, an array whose bindings are added to the
    /// program; a variable that is not reported again for a file without registers.
    fn make_file_array(&mut self, file: &'static NvRegisterFile) -> Var {
        let kind = match file.kind {
            // Each use was reported at its location.
            _ if file.elements.is_empty() => {
                return Var::unnamed(VarKind::Poisoned, Span::default());
            }
            NvRegisterFileKind::Attribs => VarKind::Attrib {
                first: push_file_bindings(file, &mut self.program.attribs),
            },
            NvRegisterFileKind::Results => VarKind::Result {
                first: push_file_bindings(file, &mut self.program.results),
            },
            // v[0] of a vertex state program: the argument of ExecuteProgramNV.
            NvRegisterFileKind::Argument => VarKind::Argument,
        };
        // One of the results of fragment programs has half precision: the type of writes to any of
        // them is checked.
        let is_fragment = self.cx.traits.fragment_names().is_some();
        let is_mixed = is_fragment && file.kind == NvRegisterFileKind::Results;
        Var {
            array_size: Some(file.elements.len() as u32),
            size: size_from_half(is_mixed),
            ..Var::unnamed(kind, Span::default())
        }
    }

    /// Returns the variable of a temporary register that occurs for the first time, and adds its
    /// size, in units of 16-bit components, to that of the program.
    fn make_temporary(&mut self, file: &TemporaryRegisters, span: Span) -> Var {
        // NV_fragment_program section 3.11.3: "each fp32 temporary or output register counts as two
        // registers".
        self.symbols.register_size += if file.is_half { 1 } else { 2 };
        Var {
            size: size_from_half(file.is_half),
            ..Var::unnamed(VarKind::Temp, span)
        }
    }

    /// Returns the variable for the program parameter registers: an array of environment
    /// parameters, which are added to the program, or of writable parameters in vertex state
    /// programs.
    fn make_parameter_registers(&mut self, parameters: ParameterRegisters) -> Var {
        let count = parameters.count;
        let kind = if parameters.is_writable {
            VarKind::WritableParam
        } else {
            let first = self.program.params.len() as u32;
            // All of them at once, because a dynamic index may select any.
            self.program.params.extend((0..count).map(ParamSource::Env));
            VarKind::Param { first }
        };
        Var {
            array_size: Some(count),
            ..Var::unnamed(kind, Span::default())
        }
    }

    /// Reports a name that is not a register, with the reason, and marks it so that its other uses
    /// are not reported.
    fn report_unknown_register(&mut self, name: NameId, span: Span, problem: RegisterProblem) {
        self.symbols.names[name.index()].entity = NameEntity::Poisoned;
        let text = self.cx.display_name(name);
        // The name of version 2.0, so that the header may be the mistake.
        if text == "CC" && self.cx.is_vp1() {
            self.cx.require_version(Version::V2_0, span, "`CC` needs");
            return;
        }
        let (code, message) = match problem {
            // CC can be written, see `resolve_result_name`; this is an operand.
            RegisterProblem::Unknown if self.cx.is_cc_only_result(name) => (
                Code::ReadResult,
                format!("`{text}` holds condition codes, which only conditions read"),
            ),
            RegisterProblem::OutOfRange(count) => {
                let message = format!("`{text}`: there are {count} registers, from 0 on");
                (Code::BindingRange, message)
            }
            RegisterProblem::Address => (
                Code::AddressRegister,
                format!("`{text}` is not an address register"),
            ),
            RegisterProblem::Unknown => {
                (Code::UnknownRegister, format!("`{text}` is not a register"))
            }
        };
        self.cx.report_error(code, span, message);
    }
}

/// Returns what a name denotes among the registers of a language: files, parameters, names of
/// fragment programs, address registers and numbered temporaries, or why it is not a register.
pub(crate) fn find_register(registers: &'static Registers, text: &[u8]) -> RegisterLookup {
    if let Some(file) = registers.find_file(text) {
        return RegisterLookup::File(file);
    }
    if let Some(parameters) = registers.parameters
        && parameters.name.as_bytes() == text
    {
        return RegisterLookup::Parameters(parameters);
    }
    if let Some(found) = registers
        .fragment
        .and_then(|names| find_fragment_register(names, text))
    {
        return found;
    }
    let number = text.get(1..).and_then(register::parse_register_number);
    let (Some(&letter), Some(number)) = (text.first(), number) else {
        return RegisterLookup::None(RegisterProblem::Unknown);
    };
    // VP1 has A0 only, VP2 A1, too.
    if letter == b'A' {
        return if number < registers.address_register_count {
            RegisterLookup::Address
        } else {
            RegisterLookup::None(RegisterProblem::Address)
        };
    }
    match registers
        .temporary_files
        .iter()
        .find(|it| it.prefix == letter)
    {
        Some(file) if number < file.count => RegisterLookup::Temporary(file),
        Some(file) => RegisterLookup::None(RegisterProblem::OutOfRange(file.count)),
        None => RegisterLookup::None(RegisterProblem::Unknown),
    }
}

/// Returns the size of a register: short for half precision, else normal.
fn size_from_half(half: bool) -> VarSize {
    if half {
        VarSize::Short
    } else {
        VarSize::Normal
    }
}

/// Returns the register of condition codes or the texture image unit of this name; `None` for other
/// names and for units out of range.
fn find_fragment_register(names: &FragmentNames, text: &[u8]) -> Option<RegisterLookup> {
    let codes = names
        .cc_registers
        .iter()
        .find(|it| it.name.as_bytes() == text);
    if let Some(register) = codes {
        let half = register.is_half;
        return Some(RegisterLookup::Codes { half });
    }
    let number = text.strip_prefix(names.unit_prefix.as_bytes());
    let unit = number.and_then(register::parse_register_number)?;
    (unit < names.unit_count).then_some(RegisterLookup::Unit(unit))
}

/// Appends bindings for the registers of a file to `table`; returns the index of the first one.
fn push_file_bindings(file: &NvRegisterFile, table: &mut Vec<IoBinding>) -> u32 {
    let first = table.len() as u32;
    let semantics = file.elements.iter().map(|&(_, semantic)| semantic);
    table.extend(semantics.map(IoBinding::new_float));
    first
}

/// Result of the look-up of a register name.
pub(crate) enum RegisterLookup {
    File(&'static NvRegisterFile),
    Parameters(ParameterRegisters),
    Temporary(&'static TemporaryRegisters),
    /// A register of condition codes, of half precision or not.
    Codes {
        half: bool,
    },
    /// A texture image unit.
    Unit(u32),
    Address,
    None(RegisterProblem),
}

/// Reason why a name is not a register.
#[derive(Clone, Copy)]
pub(crate) enum RegisterProblem {
    /// Number of registers of the file, which the name exceeds.
    OutOfRange(u32),
    Address,
    Unknown,
}
