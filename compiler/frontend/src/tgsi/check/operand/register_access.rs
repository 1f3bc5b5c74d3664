//! Operands of instructions that read or write registers: temporaries, addresses, predicates and
//! immediates here, the other files in separate modules.
//!
//! Declared temporaries, immediates and constants with constant indices have a fast path, which
//! saves 70 of 4,500 retired instructions per instruction of a straight program.

use crate::codes::{Code, LenientRule};
use crate::tgsi::ast::Register;
use crate::tgsi::check::checker::{CheckResult, Reported};
use crate::tgsi::check::contexts::TgsiResolver;
use crate::tgsi::check::registers::{MAX_ADDRESS_REGISTERS, RegisterIndex, ResolvedRegister};
use crate::tgsi::check::symbols::{RegisterArray, get_entry, get_or_grow};
use crate::tgsi::checked::{
    ArrayInit, CheckedDst, CheckedIndex, CheckedPlace, CheckedValue, ElementIndex, TempStorage, add,
};
use crate::tgsi::declaration_tables::RegisterFile;
use glasm_ir::{OperandBase, RegisterId, Storage, WriteMask};

impl TgsiResolver<'_> {
    /// Returns the value of a temporary, an immediate or a constant that is declared and has a
    /// constant index; `None` for all others, which the general version resolves.
    pub(in crate::tgsi::check) fn find_value_fast(
        &mut self,
        register: &Register,
    ) -> Option<CheckedValue> {
        if register.index.relative.is_some() {
            return None;
        }
        if register.file == RegisterFile::Const {
            return self.find_constant_fast(register);
        }
        if register.file == RegisterFile::Imm {
            let number = register.index.offset as u32;
            let is_declared = (number as usize) < self.program.immediates.len();
            let is_plain = is_declared && register.outer.is_none();
            return is_plain.then_some(CheckedValue::Immediate(number));
        }
        match self.find_temp_fast(register)? {
            CheckedPlace::Register(found) => Some(make_register_value(found)),
            CheckedPlace::Element(..) | CheckedPlace::OutOfBounds => None,
        }
    }

    /// Returns the register of a temporary with constant index that is in no array; `None` for
    /// other registers.
    pub(in crate::tgsi::check) fn find_temp_fast(
        &self,
        register: &Register,
    ) -> Option<CheckedPlace> {
        let is_plain = register.file == RegisterFile::Temp
            && register.outer.is_none()
            && register.index.relative.is_none();
        let number = register.index.offset as usize;
        match self.declared.temps.get(number).filter(|_| is_plain) {
            Some(&Some(TempStorage::Register(found))) => Some(CheckedPlace::Register(found)),
            _ => None,
        }
    }

    /// Resolves a result register of any file to a destination, None for NULL and for results that
    /// are dropped. Components that the declaration of an output omits are masked out; reports files
    /// that cannot be written.
    pub(in crate::tgsi::check) fn resolve_destination(
        &mut self,
        register: &ResolvedRegister,
        mut mask: WriteMask,
    ) -> CheckResult<Option<CheckedDst>> {
        let value = match register.file {
            // Instructions without a result are dropped by their last step.
            RegisterFile::Null => return Ok(None),
            RegisterFile::Temp | RegisterFile::TempX | RegisterFile::Addr | RegisterFile::Pred => {
                self.resolve_source(register)?
            }
            RegisterFile::Out => {
                let (value, usage) = self.resolve_written_output(register)?;
                // Components that the declaration leaves out do not exist on the device.
                mask = WriteMask(mask.0 & usage.0);
                value
            }
            RegisterFile::Const
            | RegisterFile::In
            | RegisterFile::Samp
            | RegisterFile::Imm
            | RegisterFile::Sv
            | RegisterFile::ImmX
            | RegisterFile::Image
            | RegisterFile::Res
            | RegisterFile::Sview
            | RegisterFile::Buffer
            | RegisterFile::Memory
            | RegisterFile::ConstBuf
            | RegisterFile::HwAtomic => {
                return Err(self.checker.report_read_only_register(register));
            }
        };
        let place = match value {
            CheckedValue::Operand(OperandBase::Register(found)) => CheckedPlace::Register(found),
            CheckedValue::Element(OperandBase::Register(array), index) => {
                CheckedPlace::Element(array, index)
            }
            CheckedValue::OutOfBounds => CheckedPlace::OutOfBounds,
            CheckedValue::Operand(_)
            | CheckedValue::Element(..)
            | CheckedValue::Immediate(_)
            | CheckedValue::Literal(_)
            | CheckedValue::Zero
            | CheckedValue::Constant { .. }
            | CheckedValue::IndexedConstant(_)
            | CheckedValue::TableElement(..)
            | CheckedValue::Computed(_)
            | CheckedValue::VertexLanes(_)
            | CheckedValue::Helper
            | CheckedValue::Resource => return Ok(None),
        };
        Ok((!mask.is_empty()).then_some(CheckedDst { place, mask }))
    }

    /// Returns the value of an address register. Undeclared ones are reported leniently.
    fn resolve_address(&mut self, register: &ResolvedRegister) -> CheckResult<CheckedValue> {
        let number = self
            .checker
            .require_constant_number(register, MAX_ADDRESS_REGISTERS)?;
        if get_entry(&self.declared.addresses, number).is_none() {
            self.declare_leniently(register)?;
        }
        Ok(make_register_value(self.get_address_register(number)))
    }

    /// Resolves a source register of any file to its value. Reports files that instructions cannot
    /// read.
    pub(in crate::tgsi::check) fn resolve_source(
        &mut self,
        register: &ResolvedRegister,
    ) -> CheckResult<CheckedValue> {
        match register.file {
            RegisterFile::Imm => self.resolve_immediate(register),
            RegisterFile::Const => self.resolve_constant(register),
            RegisterFile::In => self.resolve_input(register),
            RegisterFile::Temp => self.resolve_temp(register),
            RegisterFile::Out => self.resolve_read_output(register),
            RegisterFile::Sv => self.resolve_system_value(register),
            RegisterFile::Addr => self.resolve_address(register),
            RegisterFile::Pred => {
                let number = self
                    .checker
                    .require_constant_number(register, MAX_ADDRESS_REGISTERS)?;
                Ok(make_register_value(self.get_predicate_register(number)))
            }
            // Reads of NULL return 0.
            RegisterFile::Null => Ok(CheckedValue::Zero),
            RegisterFile::ImmX => self.resolve_immx(register),
            RegisterFile::TempX => self.resolve_tempx(register),
            RegisterFile::Samp
            | RegisterFile::Image
            | RegisterFile::Res
            | RegisterFile::Sview
            | RegisterFile::Buffer
            | RegisterFile::Memory
            | RegisterFile::ConstBuf
            | RegisterFile::HwAtomic => {
                let file = register.file.word();
                let message = format!("registers of `{file}` have no value");
                Err(self
                    .checker
                    .report_error(Code::OperandNotVariable, register.span, message))
            }
        }
    }

    /// Returns the value of an immediate, or of an element of the array of all immediates if the
    /// index is dynamic.
    fn resolve_immediate(&mut self, register: &ResolvedRegister) -> CheckResult<CheckedValue> {
        let immediates = &self.program.immediates;
        match register.index.as_constant() {
            Some(number) if (number as usize) < immediates.len() => {
                Ok(CheckedValue::Immediate(number as u32))
            }
            // An array of no elements cannot be read.
            None if !immediates.is_empty() => {
                let len = immediates.len();
                Ok(self.make_table_element(ArrayInit::Immediates, register, len))
            }
            Some(_) | None => Err(self.report_undeclared(register)),
        }
    }

    /// Returns the element of an array of constants that a dynamic index selects.
    fn make_table_element(
        &mut self,
        table: ArrayInit,
        register: &ResolvedRegister,
        len: usize,
    ) -> CheckedValue {
        let index = ElementIndex {
            element: register.index.term,
            // An array of the IR has at least one element.
            len: len.max(1) as u32,
            vertex: None,
        };
        CheckedValue::TableElement(table, add(&mut self.program.elements, index))
    }

    /// Returns the value of a vector of IMMX: a literal, or an element of an array if the index is
    /// dynamic.
    #[cold]
    fn resolve_immx(&mut self, register: &ResolvedRegister) -> CheckResult<CheckedValue> {
        let Some(number) = register.index.as_constant() else {
            let len = self.program.immx_vectors.len();
            return Ok(self.make_table_element(ArrayInit::Immx, register, len));
        };
        match self.program.immx_vectors.get(number as usize) {
            Some(&row) => Ok(self.program.add_literal(row)),
            None => Err(self.report_undeclared(register)),
        }
    }

    /// Returns an element of an array of TEMPX. Reports undeclared arrays and constant indices that
    /// are out of bounds.
    #[cold]
    fn resolve_tempx(&mut self, register: &ResolvedRegister) -> CheckResult<CheckedValue> {
        let outer = register
            .outer
            .and_then(RegisterIndex::as_constant)
            .unwrap_or(0);
        let Some(array) = get_entry(&self.declared.tempx_arrays, outer as usize) else {
            return Err(self.report_undeclared(register));
        };
        let known = register.index.as_constant();
        if known.is_some_and(|number| number as u32 >= array.len) {
            let message = format!("the array has {} registers", array.len);
            return Err(self
                .checker
                .report_error(Code::IndexOutOfBounds, register.span, message));
        }
        let term = register.index.term;
        Ok(self
            .program
            .add_array_element(array.register, term, array.len))
    }

    /// Returns the value of a temporary. Undeclared ones are reported leniently and
    /// declared.
    fn resolve_temp(&mut self, register: &ResolvedRegister) -> CheckResult<CheckedValue> {
        let Some(number) = register.index.as_constant() else {
            return self.resolve_indexed_temp(register);
        };
        if number < 0 {
            return Ok(self.resolve_out_of_bounds(register));
        }
        if let Some(place) = get_entry(&self.declared.temps, number as usize) {
            return Ok(self.make_storage_value(place));
        }
        self.declare_leniently(register)?;
        let place = if self.checker.ast.is_file_indexed(RegisterFile::Temp) {
            // Arrays of all temporaries grow by uses without a declaration.
            let array = self.get_temp_file_array(number as u32 + 1);
            TempStorage::ArrayElement(array.register, number as u32)
        } else {
            TempStorage::Register(self.program.add_register(Storage::Temp, None))
        };
        *get_or_grow(&mut self.declared.temps, number as usize) = Some(place);
        Ok(self.make_storage_value(place))
    }

    /// Returns the element of an array of temporaries that a dynamic index selects.
    fn resolve_indexed_temp(&mut self, register: &ResolvedRegister) -> CheckResult<CheckedValue> {
        let arrays = &self.declared.temp_arrays;
        let named = get_entry(arrays, register.index.array as usize);
        // An undeclared id falls back to the array of the whole file.
        match named.or_else(|| get_entry(arrays, 0)) {
            Some(array) => Ok(self.select_array_element(&array, register)),
            None => Err(self.report_undeclared(register)),
        }
    }
}

impl TgsiResolver<'_> {
    /// Reports a register that no declaration has: an error in strict mode, else Ok, and the caller
    /// declares it.
    #[cold]
    pub(in crate::tgsi::check) fn declare_leniently(
        &mut self,
        register: &ResolvedRegister,
    ) -> CheckResult<()> {
        // A declaration that could not be parsed may be the missing one.
        if self.checker.reports.has_errors() && !self.declared.failed_declarations.is_empty() {
            return Err(self.report_undeclared(register));
        }
        let text = self.checker.quote_source(register.span);
        let message = format!("`{text}` is not declared");
        if self
            .checker
            .report_lenient(LenientRule::UndeclaredRegister, register.span, message)
        {
            self.record_register(register);
            Ok(())
        } else {
            Err(Reported)
        }
    }

    /// Reports that no declaration covers a register, unless its declaration has failed.
    pub(in crate::tgsi::check) fn report_undeclared(
        &mut self,
        register: &ResolvedRegister,
    ) -> Reported {
        // A dynamic index may select any register of the file.
        let number = register
            .index
            .as_constant()
            .map(|number| number.max(0) as u32);
        // Many declarations are not searched if no further error is reported.
        if self.checker.reports.is_full() {
            return Reported;
        }
        let mut broken = self.declared.failed_declarations.iter();
        // Errors of the declaration were reported.
        let is_it = |&(file, first, last): &(RegisterFile, u32, u32)| {
            file == register.file && number.is_none_or(|number| (first..=last).contains(&number))
        };
        if broken.any(is_it) {
            return Reported;
        }
        let text = self.checker.quote_source(register.span);
        let message = format!("`{text}` is not declared");
        self.checker
            .report_error(Code::UndeclaredRegister, register.span, message)
    }

    /// Returns the value of a register with a negative number, which is reported leniently: it reads
    /// 0, and writes to it are lost.
    #[cold]
    pub(in crate::tgsi::check) fn resolve_out_of_bounds(
        &mut self,
        register: &ResolvedRegister,
    ) -> CheckedValue {
        let text = self.checker.quote_source(register.span);
        let message = format!("`{text}` does not exist: it reads 0");
        self.checker
            .report_lenient(LenientRule::NegativeRegister, register.span, message);
        CheckedValue::OutOfBounds
    }

    /// Returns the value of a temporary or output: a register or an array element.
    pub(in crate::tgsi::check) fn make_storage_value(
        &mut self,
        place: TempStorage,
    ) -> CheckedValue {
        match place {
            TempStorage::Register(register) => make_register_value(register),
            TempStorage::ArrayElement(register, element) => {
                let len = self.program.registers[register].array_len.unwrap_or(1);
                let element = CheckedIndex::from_constant(element as i32);
                self.program.add_array_element(register, element, len)
            }
        }
    }

    /// Returns the element of an array that a register names by its number in the file.
    pub(in crate::tgsi::check) fn select_array_element(
        &mut self,
        array: &RegisterArray,
        register: &ResolvedRegister,
    ) -> CheckedValue {
        let term = register.index.relative_to(array.first);
        self.program
            .add_array_element(array.register, term, array.len)
    }

    /// Returns the register of ADDR[`number`], which is added at its first use.
    pub(in crate::tgsi::check) fn get_address_register(&mut self, number: usize) -> RegisterId {
        if let Some(register) = get_entry(&self.declared.addresses, number) {
            return register;
        }
        let register = self.program.add_register(Storage::Temp, None);
        *get_or_grow(&mut self.declared.addresses, number) = Some(register);
        register
    }

    /// Returns the register of PRED[`number`], which is added at its first use.
    pub(in crate::tgsi::check) fn get_predicate_register(&mut self, number: usize) -> RegisterId {
        if let Some(register) = get_entry(&self.declared.predicates, number) {
            return register;
        }
        let register = self.program.add_register(Storage::Temp, None);
        *get_or_grow(&mut self.declared.predicates, number) = Some(register);
        register
    }

    /// Returns the array of all temporaries, which is extended to at least `len` registers.
    pub(in crate::tgsi::check) fn get_temp_file_array(&mut self, len: u32) -> RegisterArray {
        let array = match get_entry(&self.declared.temp_arrays, 0) {
            Some(array) => array,
            None => RegisterArray {
                first: 0,
                len,
                register: self.program.add_register(Storage::Temp, Some(len)),
            },
        };
        let len = array.len.max(len);
        // It grows with each declaration; elements that were named before do not move.
        self.program.registers[array.register].array_len = Some(len);
        let array = RegisterArray { len, ..array };
        *get_or_grow(&mut self.declared.temp_arrays, 0) = Some(array);
        array
    }
}

/// Returns the value of a register.
fn make_register_value(register: RegisterId) -> CheckedValue {
    CheckedValue::Operand(OperandBase::Register(register))
}
