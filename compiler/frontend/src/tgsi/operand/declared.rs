//! Look-up of declared registers, and errors about undeclared ones.

use super::named::Register;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lower::formula::Formulas;
use crate::tgsi::check::{Parsed, Reported};
use crate::tgsi::files::File;
use crate::tgsi::operand::TgsiResolver;
use crate::tgsi::symbols::{Array, row, slot};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Op, RegisterId, Src, Storage, WriteMask};

impl TgsiResolver<'_> {
    /// Handles a register that no declaration has: an error for strict callers, else it is declared
    /// now.
    #[cold]
    pub(in crate::tgsi) fn declare_leniently(&mut self, register: &Register) -> Parsed<()> {
        // A declaration that could not be parsed may be the missing one.
        if self.check.reports.has_errors() && !self.declared.broken.is_empty() {
            return Err(self.report_undeclared(register));
        }
        let text = self.check.text_of(register.span);
        let message = format!("`{text}` is not declared");
        if self
            .check
            .lenient(Rule::UndeclaredRegister, register.span, message)
        {
            self.add_register(register);
            Ok(())
        } else {
            Err(Reported)
        }
    }

    /// Reports that no declaration covers a register.
    #[cold]
    pub(in crate::tgsi) fn report_undeclared(&mut self, register: &Register) -> Reported {
        // A dynamic index may select any register of the file.
        let number = register.number.known().map(|number| number.max(0) as u32);
        // Many declarations are not searched if no further error is reported.
        if self.check.reports.is_full() {
            return Reported;
        }
        let mut broken = self.declared.broken.iter();
        // Errors of the declaration were reported.
        let is_it = |&(file, first, last): &(File, u32, u32)| {
            file == register.file && number.is_none_or(|number| (first..=last).contains(&number))
        };
        if broken.any(is_it) {
            return Reported;
        }
        let text = self.check.text_of(register.span);
        let message = format!("`{text}` is not declared");
        self.check
            .error(Code::UndeclaredRegister, register.span, message)
    }

    /// Returns a register with a negative number: it reads 0, and writes to it are lost.
    #[cold]
    pub(in crate::tgsi) fn out_of_bounds(&mut self, register: &Register) -> Src {
        let text = self.check.text_of(register.span);
        let message = format!("`{text}` does not exist: it reads 0");
        self.check
            .lenient(Rule::NegativeRegister, register.span, message);
        let lost = self.emit.hidden(Width::W32);
        let zero = self.emit.word(0);
        // Zeroed each time: a hidden register holds the value that earlier instructions have left
        // there.
        self.emit
            .put(lost, WriteMask::XYZW, Op::Mov, Type::U32, &[zero]);
        Src::register(lost)
    }

    /// Returns an address register.
    pub(in crate::tgsi) fn address(&mut self, number: usize) -> RegisterId {
        if let Some(register) = row(&self.declared.addresses, number) {
            return register;
        }
        let register = self.emit.register(Width::W32);
        *slot(&mut self.declared.addresses, number) = Some(register);
        register
    }

    /// Returns a predicate.
    pub(in crate::tgsi) fn predicate(&mut self, number: usize) -> RegisterId {
        if let Some(register) = row(&self.declared.predicates, number) {
            return register;
        }
        let register = self.emit.register(Width::W32);
        *slot(&mut self.declared.predicates, number) = Some(register);
        register
    }

    /// Returns the array of all temporaries, of at least `len`.
    pub(in crate::tgsi) fn whole_temps(&mut self, len: u32) -> Array {
        let array = match row(&self.declared.temp_arrays, 0) {
            Some(array) => array,
            None => Array {
                first: 0,
                len,
                register: self
                    .emit
                    .storage_register(Storage::Temp, Width::W32, Some(len)),
            },
        };
        let len = array.len.max(len);
        // It grows with each declaration; elements that were named before do not move.
        self.emit.builder.program.registers[array.register].array = Some(len);
        let array = Array { len, ..array };
        *slot(&mut self.declared.temp_arrays, 0) = Some(array);
        array
    }
}
