//! Rules of the languages whose programs name registers: their names, and limits of their use by a
//! program and an instruction. NV_vertex_program section 2.14.1, NV_vertex_program2 section 2.14.1,
//! NV_fragment_program section 3.11.1.

use crate::check::names::resolver::Resolver;
use crate::check::names::symbols::Named;
use crate::codes::Code;
use crate::lang::numbered::Numbered;
use crate::lang::register::{
    self, File, FileKind, FragmentNames, Parameters, Registers, Temporaries,
};
use crate::names::NameId;
use crate::source::Version;
use crate::vars::{IoBinding, Var, VarKind, VarSize};
use glasm_ir::{ParamSource, Span};

impl Resolver<'_, '_> {
    /// Declares the variable of a register that no instruction has named before; reports a name
    /// that does not denote a register.
    #[cold]
    pub(crate) fn declare_register(
        &mut self,
        registers: &'static Registers,
        name: NameId,
        span: Span,
    ) -> Option<u32> {
        let text = self.cx.ast.names.text(name);
        let place = Span::new(span.start, span.start + text.len() as u32);
        let var = match find_register(registers, text) {
            FoundRegister::File(file) => self.make_file(file),
            FoundRegister::Parameters(parameters) => self.make_parameter_registers(parameters),
            FoundRegister::Temporary(file) => self.make_temporary(file, place),
            FoundRegister::Codes { half } => Var {
                size: size_of(half),
                ..Var::unnamed(VarKind::Codes, place)
            },
            FoundRegister::Unit(unit) => {
                let usage = &mut self.program.usage;
                usage.add(Numbered::TextureUnits, unit, || Some(place));
                Var::unnamed(VarKind::Texture { unit }, place)
            }
            FoundRegister::Address => Var::unnamed(VarKind::Address, place),
            // Programs of NV_fragment_program define names, so that any other name is undeclared.
            FoundRegister::None(_) if registers.fragment.is_some() => {
                return self.resolve_undeclared_variable(name, span);
            }
            FoundRegister::None(problem) => {
                self.report_no_register(name, place, problem);
                return None;
            }
        };
        let number = self.program.vars.len() as u32;
        self.program.vars.push(Var {
            name: Some(name),
            ..var
        });
        self.symbols.entries[name.index()].named = Named::Var(number);
        Some(number)
    }

    /// Returns the array of all registers of a file.
    fn make_file(&mut self, file: &'static File) -> Var {
        let kind = match file.kind {
            // Each use was reported at its location.
            _ if file.elements.is_empty() => {
                return Var::unnamed(VarKind::Poisoned, Span::default());
            }
            FileKind::Attribs => VarKind::Attrib {
                first: bind_elements(file, &mut self.program.attribs),
            },
            FileKind::Results => VarKind::Result {
                first: bind_elements(file, &mut self.program.results),
            },
            // v[0] of a vertex state program: the argument of ExecuteProgramNV.
            FileKind::Argument => VarKind::Argument,
        };
        // One of the results of fragment programs has half precision: the type of writes to any of
        // them is checked.
        let is_fragment = self.cx.facts.fragment_names().is_some();
        let is_mixed = is_fragment && file.kind == FileKind::Results;
        Var {
            array: Some(file.elements.len() as u32),
            size: size_of(is_mixed),
            ..Var::unnamed(kind, Span::default())
        }
    }

    /// Returns a temporary that was not named before.
    fn make_temporary(&mut self, file: &Temporaries, place: Span) -> Var {
        // NV_fragment_program section 3.11.3: "each fp32 temporary or output register counts as two
        // registers".
        self.symbols.register_room += if file.half { 1 } else { 2 };
        Var {
            size: size_of(file.half),
            ..Var::unnamed(VarKind::Temp, place)
        }
    }

    /// Returns the array of all parameters.
    fn make_parameter_registers(&mut self, parameters: Parameters) -> Var {
        let count = parameters.count;
        let kind = if parameters.writable {
            VarKind::WritableParam
        } else {
            let first = self.program.params.len() as u32;
            // All of them at once, because a dynamic index may select any.
            self.program.params.extend((0..count).map(ParamSource::Env));
            VarKind::Param { first }
        };
        Var {
            array: Some(count),
            ..Var::unnamed(kind, Span::default())
        }
    }

    #[cold]
    fn report_no_register(&mut self, name: NameId, span: Span, problem: RegisterProblem) {
        self.symbols.entries[name.index()].named = Named::Poisoned;
        let text = self.cx.name_text(name);
        // The name of version 2.0, so that the header may be the mistake.
        if text == "CC" && self.cx.is_old_vertex() {
            self.cx.need_version(Version::V2_0, span, "`CC` needs");
            return;
        }
        let (code, message) = match problem {
            // CC can be written, see `find_result_var`; this is an operand.
            RegisterProblem::Unknown if self.cx.is_codes_target(name) => (
                Code::ReadResult,
                format!("`{text}` keeps condition codes, which only conditions read"),
            ),
            RegisterProblem::Number(count) => {
                let message = format!("`{text}`: there are {count} registers, from 0 on");
                (Code::BindingRange, message)
            }
            RegisterProblem::Address => (
                Code::AddressRegister,
                format!("`{text}` is no address register"),
            ),
            RegisterProblem::Unknown => (Code::UnknownRegister, format!("`{text}` is no register")),
        };
        self.cx.error(code, span, message);
    }
}

pub(crate) fn find_register(registers: &'static Registers, text: &[u8]) -> FoundRegister {
    if let Some(file) = registers.file(text) {
        return FoundRegister::File(file);
    }
    if let Some(parameters) = registers.parameters
        && parameters.name.as_bytes() == text
    {
        return FoundRegister::Parameters(parameters);
    }
    if let Some(found) = registers.fragment.and_then(|names| find_named(names, text)) {
        return found;
    }
    let number = text.get(1..).and_then(register::number);
    let (Some(&letter), Some(number)) = (text.first(), number) else {
        return FoundRegister::None(RegisterProblem::Unknown);
    };
    // VP1 has A0 only, VP2 A1, too.
    if letter == b'A' {
        return if number < registers.addresses {
            FoundRegister::Address
        } else {
            FoundRegister::None(RegisterProblem::Address)
        };
    }
    match registers.temporaries.iter().find(|it| it.letter == letter) {
        Some(file) if number < file.count => FoundRegister::Temporary(file),
        Some(file) => FoundRegister::None(RegisterProblem::Number(file.count)),
        None => FoundRegister::None(RegisterProblem::Unknown),
    }
}

fn size_of(half: bool) -> VarSize {
    if half {
        VarSize::Short
    } else {
        VarSize::Normal
    }
}

/// Returns the register of condition codes or the texture image unit of this name.
fn find_named(names: &FragmentNames, text: &[u8]) -> Option<FoundRegister> {
    let codes = names.codes.iter().find(|it| it.name.as_bytes() == text);
    if let Some(register) = codes {
        let half = register.half;
        return Some(FoundRegister::Codes { half });
    }
    let number = text.strip_prefix(names.unit.as_bytes());
    let unit = number.and_then(register::number)?;
    (unit < names.units).then_some(FoundRegister::Unit(unit))
}

/// Adds the registers of a file to a table of bindings; returns the number of the first one.
fn bind_elements(file: &File, table: &mut Vec<IoBinding>) -> u32 {
    let first = table.len() as u32;
    let semantics = file.elements.iter().map(|&(_, semantic)| semantic);
    table.extend(semantics.map(IoBinding::float));
    first
}

/// Result of the look-up of a register name.
pub(crate) enum FoundRegister {
    File(&'static File),
    Parameters(Parameters),
    Temporary(&'static Temporaries),
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
    Number(u32),
    Address,
    Unknown,
}
