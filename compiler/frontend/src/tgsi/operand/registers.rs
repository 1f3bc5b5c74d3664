//! Operands of instructions that read or write registers: temporaries, addresses, predicates and
//! immediates here, the other files in separate modules.

use super::{ADDRESSES, Number, Register, Target};
use crate::codes::Code;
use crate::tgsi::check::Parsed;
use crate::tgsi::files::File;
use crate::tgsi::operand::TgsiResolver;
use crate::tgsi::symbols::Immediate;
use crate::tgsi::symbols::Rows;
use crate::tgsi::symbols::{TempPlace, row, slot};
use glasm_ir::types::Width;
use glasm_ir::{Base, Dst, RegisterId, Src, WriteMask};

impl TgsiResolver<'_> {
    /// Returns an immediate as an operand.
    #[inline]
    pub(in crate::tgsi) fn immediate(&mut self, number: usize) -> Option<Src> {
        let Immediate { words, literal } = *self.declared.immediates.get(number)?;
        if let Some(literal) = literal {
            return Some(Src::new(Base::Literal(literal)));
        }
        let literal = self.emit.literal(words.map(u64::from));
        self.declared.immediates[number].literal = Some(literal);
        Some(Src::new(Base::Literal(literal)))
    }

    /// Returns the register of a result. `None` if the result is dropped.
    #[inline]
    pub(in crate::tgsi) fn destination(&mut self, target: &Target) -> Parsed<Option<Dst>> {
        match self.own_register(&target.register) {
            Some(found) => Ok(Some(Dst::new(found, target.mask))),
            None => self.resolve_other_destination(target),
        }
    }

    /// Returns the register of a temporary that is in no array.
    #[inline]
    fn own_register(&self, register: &Register) -> Option<RegisterId> {
        if let (File::Temp, Some(number)) = (register.file, register.number.known())
            && let Some(&Some(TempPlace::Own(found))) = self.declared.temps.get(number as usize)
        {
            return Some(found);
        }
        None
    }

    fn resolve_other_destination(&mut self, target: &Target) -> Parsed<Option<Dst>> {
        let register = &target.register;
        let mut mask = target.mask;
        let source = match register.file {
            // Instructions without a result are dropped by their last step.
            File::Null => return Ok(None),
            File::Temp | File::TempX | File::Addr | File::Pred => self.resolve_source(register)?,
            File::Out => {
                let (source, usage) = self.resolve_written_output(register)?;
                // Components that the declaration leaves out do not exist on the device.
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
            | File::HwAtomic => return Err(self.check.report_read_only_register(register)),
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

    /// Resolves a register that an instruction reads.
    #[inline]
    pub(in crate::tgsi) fn resolve_source(&mut self, register: &Register) -> Parsed<Src> {
        match self.own_register(register) {
            Some(found) => Ok(Src::register(found)),
            None => self.resolve_other_source(register),
        }
    }

    fn resolve_address(&mut self, register: &Register) -> Parsed<Src> {
        let number = self.check.known_number(register, ADDRESSES)?;
        if row(&self.declared.addresses, number).is_none() {
            self.declare_leniently(register)?;
        }
        Ok(Src::register(self.address(number)))
    }

    fn resolve_other_source(&mut self, register: &Register) -> Parsed<Src> {
        match register.file {
            File::Imm => self.resolve_immediate(register),
            File::Const => self.constant(register),
            File::In => self.input(register),
            File::Temp => self.temp(register),
            File::Out => self.resolve_read_output(register),
            File::Sv => self.system_value(register),
            File::Addr => self.resolve_address(register),
            File::Pred => {
                let number = self.check.known_number(register, ADDRESSES)?;
                Ok(Src::register(self.predicate(number)))
            }
            // Reads of NULL return 0.
            File::Null => Ok(self.emit.word(0)),
            File::ImmX => self.resolve_old_immediate(register),
            File::TempX => self.resolve_old_temp(register),
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
                Err(self
                    .check
                    .error(Code::OperandNotVariable, register.span, message))
            }
        }
    }

    #[inline]
    fn resolve_immediate(&mut self, register: &Register) -> Parsed<Src> {
        match register.number.known() {
            Some(number) => match self.immediate(number as usize) {
                Some(source) => Ok(source),
                None => Err(self.report_undeclared(register)),
            },
            // An array of no elements cannot be read.
            None if self.declared.immediates.is_empty() => Err(self.report_undeclared(register)),
            None => Ok(self.resolve_indexed_immediate(register)),
        }
    }

    #[cold]
    fn resolve_indexed_immediate(&mut self, register: &Register) -> Src {
        let (array, len) = self.find_filled_array(Rows::Immediates);
        self.emit.element(array, register.number.term, len)
    }

    #[cold]
    fn resolve_old_immediate(&mut self, register: &Register) -> Parsed<Src> {
        let Some(number) = register.number.known() else {
            let (array, len) = self.find_filled_array(Rows::Old);
            return Ok(self.emit.element(array, register.number.term, len));
        };
        match self.declared.rows.get(number as usize) {
            Some(&row) => Ok(self.emit.words(row)),
            None => Err(self.report_undeclared(register)),
        }
    }

    #[cold]
    fn resolve_old_temp(&mut self, register: &Register) -> Parsed<Src> {
        let outer = register.outer.and_then(Number::known).unwrap_or(0);
        let Some(array) = row(&self.declared.old_arrays, outer as usize) else {
            return Err(self.report_undeclared(register));
        };
        let known = register.number.known();
        if known.is_some_and(|number| number as u32 >= array.len) {
            let message = format!("the array has {} registers", array.len);
            return Err(self
                .check
                .error(Code::IndexOutOfBounds, register.span, message));
        }
        Ok(self
            .emit
            .element(array.register, register.number.term, array.len))
    }

    fn temp(&mut self, register: &Register) -> Parsed<Src> {
        let Some(number) = register.number.known() else {
            return self.resolve_indexed_temp(register);
        };
        if number < 0 {
            return Ok(self.out_of_bounds(register));
        }
        if let Some(place) = row(&self.declared.temps, number as usize) {
            return Ok(self.emit.place(place));
        }
        self.declare_leniently(register)?;
        let place = if self.check.ast.indexes_file(File::Temp) {
            // Arrays of all temporaries grow by uses without a declaration.
            let array = self.whole_temps(number as u32 + 1);
            TempPlace::Element(array.register, number as u32)
        } else {
            TempPlace::Own(self.emit.register(Width::W32))
        };
        *slot(&mut self.declared.temps, number as usize) = Some(place);
        Ok(self.emit.place(place))
    }

    fn resolve_indexed_temp(&mut self, register: &Register) -> Parsed<Src> {
        let arrays = &self.declared.temp_arrays;
        let named = row(arrays, register.number.array as usize);
        // An undeclared id falls back to the array of the whole file.
        match named.or_else(|| row(arrays, 0)) {
            Some(array) => Ok(self.emit.array_element(&array, register)),
            None => Err(self.report_undeclared(register)),
        }
    }
}
