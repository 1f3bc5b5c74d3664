//! What a register is to an instruction that reads or writes it: temporaries, addresses, predicates and immediates here, the other files in
//! rooms of their own.

use super::{Number, Register, Target};
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lower::formula::Formulas;
use crate::tgsi::files::{Access, File};
use crate::tgsi::flow::Rows;
use crate::tgsi::state::{Array, Parsed, Place, Reported, Translation, row, slot};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Base, Dst, Op, RegisterId, Src, WriteMask};

/// Numbers of addresses and predicates are below this.
pub(in crate::tgsi) const ADDRESSES: usize = 64;

impl Translation<'_> {
    /// Where a result goes. `None` if it goes nowhere.
    #[inline]
    pub(in crate::tgsi) fn destination(&mut self, target: &Target) -> Parsed<Option<Dst>> {
        match self.own_register(&target.register) {
            Some(found) => Ok(Some(Dst::new(found, target.mask))),
            None => self.unusual_destination(target),
        }
    }

    /// The register of a temporary that is in no array.
    #[inline]
    fn own_register(&self, register: &Register) -> Option<RegisterId> {
        if let (File::Temp, Some(number)) = (register.file, register.number.known())
            && let Some(&Some(Place::Own(found))) = self.declared.temps.get(number as usize)
        {
            return Some(found);
        }
        None
    }

    fn unusual_destination(&mut self, target: &Target) -> Parsed<Option<Dst>> {
        let register = &target.register;
        let mut mask = target.mask;
        let source = match register.file {
            File::Null => return Ok(None),
            File::Temp | File::TempX | File::Addr | File::Pred => self.source_register(register)?,
            File::Out => {
                let Some((source, usage)) = self.written_output(register)? else {
                    return Ok(None);
                };
                mask = WriteMask(mask.0 & usage.0);
                source
            }
            File::Const
            | File::In
            | File::Samp
            | File::Imm
            | File::Sv
            | File::ImmX
            | File::Image
            | File::Res
            | File::Sview
            | File::Buffer
            | File::Memory
            | File::ConstBuf
            | File::HwAtomic => return Err(self.not_writable(register)),
        };
        let Base::Register(found) = source.base else {
            return Ok(None);
        };
        if mask.is_empty() {
            return Ok(None);
        }
        Ok(Some(Dst {
            index: source.index,
            ..Dst::new(found, mask)
        }))
    }

    #[cold]
    fn not_writable(&mut self, register: &Register) -> Reported {
        let file = register.file.word();
        let message = match register.file.access() {
            Access::Read => format!("registers of `{file}` are read only"),
            Access::Resource | Access::Write => format!("registers of `{file}` take no results"),
        };
        self.error(Code::WriteReadOnly, register.span, message)
    }

    /// What a register is to an instruction that reads it.
    #[inline]
    pub(in crate::tgsi) fn source_register(&mut self, register: &Register) -> Parsed<Src> {
        match self.own_register(register) {
            Some(found) => Ok(Src::register(found)),
            None => self.unusual_source(register),
        }
    }

    fn unusual_source(&mut self, register: &Register) -> Parsed<Src> {
        match register.file {
            File::Imm => self.immediate_source(register),
            File::Const => self.constant(register),
            File::In => self.input(register),
            File::Temp => self.temp(register),
            File::Out => self.read_output(register),
            File::Sv => self.system_value(register),
            File::Addr => {
                let number = self.known_number(register, ADDRESSES)?;
                if row(&self.declared.addresses, number).is_none() {
                    self.undeclared(register)?;
                }
                Ok(Src::register(self.address(number)))
            }
            File::Pred => {
                let number = self.known_number(register, ADDRESSES)?;
                Ok(Src::register(self.predicate(number)))
            }
            File::Null => Ok(self.word(0)),
            File::ImmX => self.old_immediate(register),
            File::TempX => self.old_temp(register),
            File::Samp
            | File::Image
            | File::Res
            | File::Sview
            | File::Buffer
            | File::Memory
            | File::ConstBuf
            | File::HwAtomic => {
                let file = register.file.word();
                let message = format!("registers of `{file}` have no value");
                Err(self.error(Code::OperandNotVariable, register.span, message))
            }
        }
    }

    /// The number of a register whose file has no run-time indices.
    pub(in crate::tgsi) fn known_number(
        &mut self,
        register: &Register,
        count: usize,
    ) -> Parsed<usize> {
        match register.number.known() {
            Some(number) if (number as usize) < count => Ok(number as usize),
            Some(_) => Err(self.no_register(register)),
            None => {
                let file = register.file.word();
                let message = format!("registers of `{file}` have no run-time index");
                Err(self.error(Code::IndexVariable, register.span, message))
            }
        }
    }

    /// An error that no program can have a register.
    #[cold]
    pub(in crate::tgsi) fn no_register(&mut self, register: &Register) -> Reported {
        let text = self.text_of(register.span);
        let message = format!("there is no `{text}`");
        self.error(Code::IndexOutOfBounds, register.span, message)
    }

    /// A register that no declaration has: an error for strict callers, else it is declared now.
    #[cold]
    pub(in crate::tgsi) fn undeclared(&mut self, register: &Register) -> Parsed<()> {
        if self.reports.has_errors() && !self.declared.broken.is_empty() {
            return Err(self.missing_declaration(register));
        }
        let text = self.text_of(register.span);
        let message = format!("`{text}` is not declared");
        match self.lenient(Rule::UndeclaredRegister, register.span, message) {
            true => Ok(()),
            false => Err(Reported),
        }
    }

    /// An error that no declaration covers a register.
    #[cold]
    pub(in crate::tgsi) fn missing_declaration(&mut self, register: &Register) -> Reported {
        let number = register.number.known().map(|number| number.max(0) as u32);
        let mut broken = self.declared.broken.iter();
        // What is wrong with the declaration was reported.
        let is_it = |&(file, first, last): &(File, u32, u32)| {
            file == register.file && number.is_none_or(|number| (first..=last).contains(&number))
        };
        if broken.any(is_it) {
            return Reported;
        }
        let text = self.text_of(register.span);
        let message = format!("`{text}` is not declared");
        self.error(Code::UndeclaredRegister, register.span, message)
    }

    #[inline]
    fn immediate_source(&mut self, register: &Register) -> Parsed<Src> {
        match register.number.known() {
            Some(number) => match self.immediate(number as usize) {
                Some(source) => Ok(source),
                None => Err(self.missing_declaration(register)),
            },
            None if self.declared.immediates.is_empty() => Err(self.missing_declaration(register)),
            None => Ok(self.indexed_immediate(register)),
        }
    }

    #[cold]
    fn indexed_immediate(&mut self, register: &Register) -> Src {
        let (array, len) = self.filled_array(Rows::Immediates);
        self.element(array, register.number.term, len)
    }

    #[cold]
    fn old_immediate(&mut self, register: &Register) -> Parsed<Src> {
        let Some(number) = register.number.known() else {
            let (array, len) = self.filled_array(Rows::Old);
            return Ok(self.element(array, register.number.term, len));
        };
        match self.declared.rows.get(number as usize) {
            Some(&row) => Ok(self.words(row)),
            None => Err(self.missing_declaration(register)),
        }
    }

    #[cold]
    fn old_temp(&mut self, register: &Register) -> Parsed<Src> {
        let outer = register.outer.and_then(Number::known).unwrap_or(0);
        let Some(array) = row(&self.declared.old_arrays, outer as usize) else {
            return Err(self.missing_declaration(register));
        };
        let known = register.number.known();
        if known.is_some_and(|number| number as u32 >= array.len) {
            let message = format!("the array has {} registers", array.len);
            return Err(self.error(Code::IndexOutOfBounds, register.span, message));
        }
        Ok(self.element(array.register, register.number.term, array.len))
    }

    fn temp(&mut self, register: &Register) -> Parsed<Src> {
        let Some(number) = register.number.known() else {
            return self.indexed_temp(register);
        };
        if number < 0 {
            return Ok(self.out_of_bounds(register));
        }
        if let Some(place) = row(&self.declared.temps, number as usize) {
            return Ok(self.place(place));
        }
        self.undeclared(register)?;
        let place = match self.scan.indexes_file(File::Temp) {
            true => {
                let array = self.whole_temps(number as u32 + 1);
                Place::Element(array.register, number as u32)
            }
            false => Place::Own(self.register(Width::W32)),
        };
        *slot(&mut self.declared.temps, number as usize) = Some(place);
        Ok(self.place(place))
    }

    /// A register with a negative number: it reads 0, and what is written to it is lost.
    #[cold]
    pub(super) fn out_of_bounds(&mut self, register: &Register) -> Src {
        let text = self.text_of(register.span);
        let message = format!("`{text}` does not exist: it reads 0");
        self.lenient(Rule::NegativeRegister, register.span, message);
        let lost = self.hidden(Width::W32);
        let zero = self.word(0);
        self.put(lost, WriteMask::XYZW, Op::Mov, Type::U32, &[zero]);
        Src::register(lost)
    }

    fn indexed_temp(&mut self, register: &Register) -> Parsed<Src> {
        let arrays = &self.declared.temp_arrays;
        let named = row(arrays, register.number.array as usize);
        match named.or_else(|| row(arrays, 0)) {
            Some(array) => Ok(self.array_element(&array, register)),
            None => Err(self.missing_declaration(register)),
        }
    }

    /// The element of an array that a register names by its number in the file.
    pub(super) fn array_element(&mut self, array: &Array, register: &Register) -> Src {
        let term = register.number.from(array.first);
        self.element(array.register, term, array.len)
    }

    /// An address register.
    pub(in crate::tgsi) fn address(&mut self, number: usize) -> RegisterId {
        if let Some(register) = row(&self.declared.addresses, number) {
            return register;
        }
        let register = self.register(Width::W32);
        *slot(&mut self.declared.addresses, number) = Some(register);
        register
    }

    /// A predicate.
    pub(in crate::tgsi) fn predicate(&mut self, number: usize) -> RegisterId {
        if let Some(register) = row(&self.declared.predicates, number) {
            return register;
        }
        let register = self.register(Width::W32);
        *slot(&mut self.declared.predicates, number) = Some(register);
        register
    }
}
