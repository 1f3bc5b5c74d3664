//! Inputs and system values as operands; and outputs: registers that are written, and outputs that
//! are read back.

use crate::codes::Code;
use crate::lang::limits;
use crate::tgsi::check::checker::CheckResult;
use crate::tgsi::check::contexts::TgsiResolver;
use crate::tgsi::check::registers::{RegisterIndex, ResolvedRegister};
use crate::tgsi::check::symbols::{InputArray, InputDecl, RegisterArray, get_entry, get_or_grow};
use crate::tgsi::checked::{CheckedIndex, CheckedValue, ComputedInput, ElementIndex, add};
use crate::tgsi::declaration_tables::RegisterFile;
use crate::tgsi::semantics::{InputKind, OptionValue};
use glasm_ir::semantic::Sampling;
use glasm_ir::{
    BaseType, Id, Input, InputId, Interpolation, OperandBase, Semantic, Stage, WriteMask,
};

/// Maximum number of elements of all arrays of inputs: a file of registers that is an array, and
/// the largest arrays of all ids, which have up to 256 elements each.
const MAX_ARRAY_ELEMENTS: u32 = limits::TGSI_REGISTERS + limits::TGSI_ARRAYS * 256;

impl TgsiResolver<'_> {
    /// Returns the value of an input register: an input of the program, or a value that is computed
    /// from it.
    pub(in crate::tgsi::check) fn resolve_input(
        &mut self,
        register: &ResolvedRegister,
    ) -> CheckResult<CheckedValue> {
        let vertex = register.outer.map(|outer| outer.term);
        let Some(number) = register.index.as_constant() else {
            return self.resolve_indexed_input(register, vertex);
        };
        let declared = get_entry(&self.declared.inputs, number as usize);
        let decl = match declared {
            Some(row) => row,
            None => self.declare_missing_input(register, number)?,
        };
        if decl.per_vertex {
            self.checker
                .check_vertex(register, self.properties.max_input_vertices())?;
        }
        if let InputKind::Input(semantic, base) = decl.kind
            // The window position depends on properties, so it is computed into a register.
            && !(semantic == Semantic::Position && self.checker.stage == Stage::Fragment)
        {
            let id = match decl.input {
                Some(id) => id,
                None => self.add_input((semantic, base), decl, RegisterFile::In, number as usize),
            };
            let vertex = vertex.filter(|_| decl.per_vertex);
            return Ok(self.make_vertex_value(OperandBase::Input(id), vertex));
        }
        if decl.per_vertex && matches!(decl.kind, InputKind::Lanes(_)) {
            let lanes = ComputedInput {
                kind: decl.kind,
                interpolation: decl.interpolation,
                sampling: decl.sampling,
                vertex,
            };
            let id = add(&mut self.program.computed_inputs, lanes);
            return Ok(CheckedValue::VertexLanes(id));
        }
        // Values of the caller are the same for all vertices.
        Ok(self.resolve_computed_input(decl, RegisterFile::In, number as usize))
    }

    /// Returns the value of an input, of vertex `vertex` if one is named.
    fn make_vertex_value(
        &mut self,
        base: OperandBase,
        vertex: Option<CheckedIndex>,
    ) -> CheckedValue {
        if vertex.is_none() {
            return CheckedValue::Operand(base);
        }
        let index = ElementIndex {
            element: CheckedIndex::from_constant(0),
            len: 1,
            vertex,
        };
        self.program.add_element(base, index)
    }

    /// Declares, leniently, an attribute of a vertex program that no declaration has; reports other
    /// inputs.
    #[cold]
    fn declare_missing_input(
        &mut self,
        register: &ResolvedRegister,
        number: i32,
    ) -> CheckResult<InputDecl> {
        if self.checker.stage != Stage::Vertex || number < 0 {
            return Err(self.report_undeclared(register));
        }
        self.declare_leniently(register)?;
        let semantic = Semantic::VertexAttribute(number.min(255) as u8);
        let row = InputDecl {
            kind: InputKind::Input(semantic, BaseType::Float),
            interpolation: Interpolation::Smooth,
            sampling: Sampling::Center,
            per_vertex: false,
            input: None,
            computed: None,
        };
        *get_or_grow(&mut self.declared.inputs, number as usize) = Some(row);
        Ok(row)
    }

    /// Creates the input of a declared register. Created on first use: inputs that no instruction
    /// reads are not part of the program.
    fn add_input(
        &mut self,
        (semantic, base): (Semantic, BaseType),
        decl: InputDecl,
        file: RegisterFile,
        number: usize,
    ) -> InputId {
        // Vulkan requires Flat at every integer input of fragment shaders
        // (VUID-StandaloneSpirv-Flat-04744).
        let integer = base != BaseType::Float && self.checker.stage == Stage::Fragment;
        let interpolation = if integer {
            Interpolation::Flat
        } else {
            decl.interpolation
        };
        let id = self.program.inputs.push(Input {
            base,
            interpolation,
            sampling: decl.sampling,
            per_vertex: decl.per_vertex,
            ..Input::new(semantic)
        });
        let input = Some(id);
        self.declared.input_decls_mut(file)[number] = Some(InputDecl { input, ..decl });
        id
    }

    /// Resolves an input with dynamic index: its array is the declared one or the contiguous inputs
    /// around it.
    fn resolve_indexed_input(
        &mut self,
        register: &ResolvedRegister,
        vertex: Option<CheckedIndex>,
    ) -> CheckResult<CheckedValue> {
        let RegisterIndex { term, array: id } = register.index;
        let arrays = &self.declared.input_arrays;
        // Without an id, the number that the index is added to selects the array.
        let known = match id {
            // A negative number is beyond the table.
            0 => arrays.find_by_register(term.offset as usize),
            id => arrays.find_by_id(id),
        };
        let array = match known {
            Some(array) => array,
            None => self.declare_indexed_inputs(register)?,
        };
        let per_vertex = self.program.inputs[array.input].per_vertex;
        if per_vertex {
            self.checker
                .check_vertex(register, self.properties.max_input_vertices())?;
        }
        let index = ElementIndex {
            element: register.index.relative_to(array.first),
            len: array.len,
            vertex: vertex.filter(|_| per_vertex),
        };
        Ok(self
            .program
            .add_element(OperandBase::Input(array.input), index))
    }

    /// Returns the array of the inputs that an operand selects which names no declared array.
    /// Operands that may select the same inputs have the same array, which the first of them
    /// declares.
    #[cold]
    fn declare_indexed_inputs(&mut self, register: &ResolvedRegister) -> CheckResult<InputArray> {
        let RegisterIndex { term, array: id } = register.index;
        let number = usize::try_from(term.offset).ok();
        let number = number.filter(|&it| get_entry(&self.declared.inputs, it).is_some());
        let known = match number {
            Some(number) => self.declared.input_arrays.find_by_register(number),
            None => self.declared.input_arrays.fallback,
        };
        let array = match known {
            Some(array) => array,
            None => {
                // The number may be outside, as in `IN[ADDR[0].x-1]`.
                let first_declared = || self.declared.inputs.iter().position(Option::is_some);
                let Some(start) = number.or_else(first_declared) else {
                    return Err(self.report_undeclared(register));
                };
                match self.declared.input_arrays.find_by_register(start) {
                    Some(array) => array,
                    None => {
                        let (first, last) = self.find_indexable_inputs(start);
                        self.declare_input_array(0, first, last)?
                    }
                }
            }
        };
        let arrays = &mut self.declared.input_arrays;
        if number.is_none() {
            arrays.fallback = Some(array);
        }
        if id != 0 {
            arrays.add(id, array);
        }
        Ok(array)
    }

    /// Returns the first and the last of the inputs that an index without the id of an array may
    /// select: the consecutive inputs around the declared register `start` which are per vertex, or
    /// per primitive, as that one is.
    fn find_indexable_inputs(&self, start: usize) -> (u32, u32) {
        let inputs = &self.declared.inputs;
        let per_vertex = get_entry(inputs, start).is_some_and(|it| it.per_vertex);
        // Inputs of vertices are arrays in SPIR-V, those of the primitive are not, so that no index
        // spans both.
        let differs = |row: &Option<InputDecl>| row.is_some_and(|it| it.per_vertex != per_vertex);
        let first = inputs[..start].iter().rposition(differs);
        let first = first.map_or(0, |it| it + 1);
        // Registers before the first declared one have no inputs.
        let gap = inputs[first..].iter().position(Option::is_some);
        let first = first + gap.unwrap_or(0);
        let last = inputs[start..].iter().position(differs);
        let last = last.map_or(inputs.len(), |offset| start + offset) - 1;
        (first as u32, last as u32)
    }

    /// Returns the value of a system value, computed if the stage has no such input.
    pub(in crate::tgsi::check) fn resolve_system_value(
        &mut self,
        register: &ResolvedRegister,
    ) -> CheckResult<CheckedValue> {
        let number = self
            .checker
            .require_constant_number(register, limits::TGSI_REGISTERS as usize)?;
        let Some(decl) = get_entry(&self.declared.system_values, number) else {
            return Err(self.report_undeclared(register));
        };
        if let InputKind::Input(semantic, base) = decl.kind
            && semantic != Semantic::Position
        {
            let id = match decl.input {
                Some(id) => id,
                None => self.add_input((semantic, base), decl, RegisterFile::Sv, number),
            };
            return Ok(CheckedValue::Operand(OperandBase::Input(id)));
        }
        Ok(self.resolve_computed_input(decl, RegisterFile::Sv, number))
    }

    /// Returns the value of an input register that is computed from other inputs.
    fn resolve_computed_input(
        &mut self,
        decl: InputDecl,
        file: RegisterFile,
        number: usize,
    ) -> CheckedValue {
        match decl.kind {
            InputKind::OptionValue(source) => return self.make_option_value(source),
            InputKind::Helper => return CheckedValue::Helper,
            InputKind::Input(..)
            | InputKind::Lanes(_)
            | InputKind::FaceBits
            | InputKind::VertexIdNoBase => {}
        }
        if let Some(id) = decl.computed {
            return CheckedValue::Computed(id);
        }
        let computed = ComputedInput {
            kind: decl.kind,
            interpolation: decl.interpolation,
            sampling: decl.sampling,
            vertex: None,
        };
        let id = add(&mut self.program.computed_inputs, computed);
        let computed = Some(id);
        self.declared.input_decls_mut(file)[number] = Some(InputDecl { computed, ..decl });
        CheckedValue::Computed(id)
    }

    /// Assigns consecutive locations to inputs that instructions index dynamically. Reports inputs
    /// that have no location, and too many elements of all arrays.
    pub(in crate::tgsi::check) fn declare_input_array(
        &mut self,
        id: u32,
        first: u32,
        last: u32,
    ) -> CheckResult<InputArray> {
        let array = InputArray {
            first,
            len: last - first + 1,
            input: InputId::new(self.program.inputs.len()),
        };
        self.count_array_elements(array.len)?;
        let mut previous = None;
        for number in first..=last {
            // A gap is filled with an input like the one before it, so that locations and numbers
            // correspond.
            let Some(row) = get_entry(&self.declared.inputs, number as usize).or(previous) else {
                continue;
            };
            previous = Some(row);
            let InputKind::Input(semantic, base) = row.kind else {
                let message = format!("`IN[{number}]` cannot be dynamically indexed");
                return Err(self.checker.report_error(
                    Code::IndexVariable,
                    self.current_span,
                    message,
                ));
            };
            let input = Input {
                base,
                interpolation: row.interpolation,
                sampling: row.sampling,
                per_vertex: row.per_vertex,
                ..Input::new(semantic)
            };
            let pushed = self.program.inputs.push(input);
            if let Some(Some(row)) = self.declared.inputs.get_mut(number as usize) {
                row.input = Some(pushed);
            }
        }
        self.declared.input_arrays.add(id, array);
        Ok(array)
    }

    /// Adds `count` to the elements of all arrays of inputs, and reports more of them than any
    /// program needs: without declarations between instructions and with one array for each id,
    /// a program has fewer.
    fn count_array_elements(&mut self, count: u32) -> CheckResult<()> {
        let total = &mut self.declared.input_arrays.element_count;
        *total += count;
        if *total <= MAX_ARRAY_ELEMENTS {
            return Ok(());
        }
        let message = format!("arrays of inputs have more than {MAX_ARRAY_ELEMENTS} elements");
        Err(self
            .checker
            .report_error(Code::OutputTooLarge, self.current_span, message))
    }

    /// Returns a literal of values that the options define, which applications set in drivers.
    fn make_option_value(&mut self, source: OptionValue) -> CheckedValue {
        let options = self.checker.options;
        let [a, b, c, d, e, f] = options.default_tess_levels;
        self.program.add_literal(match source {
            OptionValue::WorkDim => [options.work_dim, 0, 0, 0],
            OptionValue::UserData => options.user_data,
            OptionValue::OuterLevels => [a, b, c, d],
            OptionValue::InnerLevels => [e, f, 0, 0],
        })
    }
}

impl TgsiResolver<'_> {
    /// Returns the register of an output that is written, and its components that exist.
    pub(in crate::tgsi::check) fn resolve_written_output(
        &mut self,
        register: &ResolvedRegister,
    ) -> CheckResult<(CheckedValue, WriteMask)> {
        let Some(number) = register.index.as_constant() else {
            let array = self.require_output_array(register)?;
            let value = self.select_array_element(&array, register);
            return Ok((value, WriteMask::XYZW));
        };
        // Outputs have no semantic without a declaration, unlike temporaries, so this is an error
        // also where programs are read leniently.
        let Some(output) = get_entry(&self.program.output_registers, number as usize) else {
            return Err(self.report_undeclared(register));
        };
        // A dropped output is written nevertheless, because the program may read it back.
        Ok((self.make_storage_value(output.storage), output.write_mask))
    }

    /// Returns the array of outputs that a dynamically indexed register names. Reports registers
    /// that no declaration covers.
    fn require_output_array(&mut self, register: &ResolvedRegister) -> CheckResult<RegisterArray> {
        match self.declared.find_output_array(register.index) {
            Some(array) => Ok(array),
            None => Err(self.report_undeclared(register)),
        }
    }

    /// Returns the value of an output that is read back.
    pub(in crate::tgsi::check) fn resolve_read_output(
        &mut self,
        register: &ResolvedRegister,
    ) -> CheckResult<CheckedValue> {
        if self.checker.stage == Stage::TessControl {
            return self.resolve_shared_output(register);
        }
        Ok(self.resolve_written_output(register)?.0)
    }

    /// Returns an output of any vertex of the patch, or of the patch: values that other invocations
    /// have written are visible, too.
    fn resolve_shared_output(&mut self, register: &ResolvedRegister) -> CheckResult<CheckedValue> {
        let vertex = register.outer.map(|outer| outer.term);
        let (first, len, element) = match register.index.as_constant() {
            Some(number) => (number as u32, 1, CheckedIndex::from_constant(0)),
            None => {
                let array = self.require_output_array(register)?;
                (
                    array.first,
                    array.len,
                    register.index.relative_to(array.first),
                )
            }
        };
        let Some(output) = get_entry(&self.program.output_registers, first as usize) else {
            return Err(self.report_undeclared(register));
        };
        // Levels and distances are in registers, which no other invocation reads.
        let Some(id) = output.output else {
            return Ok(self.make_storage_value(output.storage));
        };
        if output.per_vertex {
            self.checker
                .check_vertex(register, self.properties.output_patch_vertices())?;
        }
        let index = ElementIndex {
            element,
            len,
            vertex: vertex.filter(|_| output.per_vertex),
        };
        Ok(self.program.add_element(OperandBase::Output(id), index))
    }
}
