//! Operands: values of the checked program to sources and destinations, with the instructions that
//! compute them.

use super::emitter::Emitter;
use super::inst::{LoweredInst, ResourceTerms, splat};
use crate::lower::op_builder::OpBuilder;
use crate::source::TgsiOptions;
use crate::tgsi::checked::{
    CheckedAccess, CheckedDst, CheckedIndex, CheckedInst, CheckedPlace, CheckedProgram,
    CheckedSource, CheckedValue, InstDetails, ResourceIndex, TexelOffsets,
};
use crate::tgsi::properties::Properties;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Dst, Index, IndexTerm, Op, OperandBase, RegisterId, Src, Stage, WriteMask};

/// Lowers operands.
pub(super) struct OperandLowerer<'a> {
    pub(super) program: &'a CheckedProgram,
    pub(super) stage: Stage,
    pub(super) options: &'a TgsiOptions,
    /// Properties that apply to the current instruction.
    pub(super) properties: Properties,
    pub(super) emitter: Emitter,
    /// Type that the current instruction reads constants as.
    pub(super) constant_type: Type,
}

impl OperandLowerer<'_> {
    /// Lowers the operands of an instruction in source order: results, sources, texel offsets.
    pub(super) fn lower_operands(&mut self, inst: &mut LoweredInst, checked: &CheckedInst) {
        inst.dst = checked.dst.map(|dst| self.lower_dst(dst));
        match checked.details {
            InstDetails::None => {}
            InstDetails::SecondResult(second) => {
                let second = self.program.second_results[second as usize];
                inst.second_dst = Some(self.lower_dst(second));
            }
            // The resource of STORE precedes its sources.
            InstDetails::Access(access) if checked.opcode_row.has_resource_result() => {
                let index = self.program.accesses[access as usize].index;
                inst.resource = self.lower_resource_index(index);
            }
            InstDetails::Lookup(_)
            | InstDetails::View(_)
            | InstDetails::Access(_)
            | InstDetails::Case(_)
            | InstDetails::Call(_)
            | InstDetails::Subroutine(_) => {}
        }
        let program = self.program;
        for (number, source) in program.sources(checked).iter().enumerate() {
            if matches!(source.value, CheckedValue::Resource) {
                self.lower_resource_source(inst, number, checked.details);
                inst.sources[number].swizzle = source.swizzle;
            } else {
                inst.sources[number] = self.lower_source(source);
            }
        }
        inst.source_count = usize::from(checked.source_count);
        match checked.details {
            InstDetails::Lookup(lookup) => {
                self.lower_offsets(inst, program.lookups[lookup as usize].offsets);
            }
            InstDetails::View(view) => {
                self.lower_offsets(inst, program.views[view as usize].offsets);
            }
            InstDetails::None
            | InstDetails::SecondResult(_)
            | InstDetails::Access(_)
            | InstDetails::Case(_)
            | InstDetails::Call(_)
            | InstDetails::Subroutine(_) => {}
        }
    }

    /// Lowers texel offsets.
    fn lower_offsets(&mut self, inst: &mut LoweredInst, offsets: TexelOffsets) {
        let sources = &self.program.sources[offsets.first as usize..];
        let sources = sources.iter().take(offsets.count.into());
        for (offset, source) in inst.offsets.iter_mut().zip(sources) {
            *offset = Some(self.lower_source(source));
        }
    }

    /// Lowers the indices of a source that is a resource. Does nothing for views, whose numbers are
    /// constant, and for sources of an access other than the first one.
    fn lower_resource_source(
        &mut self,
        inst: &mut LoweredInst,
        number: usize,
        details: InstDetails,
    ) {
        let index = match details {
            // The sampler is the last source.
            InstDetails::Lookup(lookup) => self.program.lookups[lookup as usize].index,
            InstDetails::Access(access) if number == 0 => {
                self.program.accesses[access as usize].index
            }
            // Views have constant numbers.
            InstDetails::View(_)
            | InstDetails::Access(_)
            | InstDetails::None
            | InstDetails::SecondResult(_)
            | InstDetails::Case(_)
            | InstDetails::Call(_)
            | InstDetails::Subroutine(_) => return,
        };
        inst.resource = self.lower_resource_index(index);
    }

    /// Lowers the indices of a resource.
    fn lower_resource_index(&mut self, index: ResourceIndex) -> ResourceTerms {
        ResourceTerms {
            outer: index.outer.map(|outer| self.lower_index(outer)),
            index: self.lower_index(index.index),
        }
    }

    /// Lowers a source with sign, absolute value and swizzle.
    pub(super) fn lower_source(&mut self, source: &CheckedSource) -> Src {
        Src {
            swizzle: source.swizzle,
            negate: source.negate,
            abs: source.absolute,
            ..self.load_value(source.value)
        }
    }

    /// Returns the register of a result; a hidden register for one that does not exist.
    fn lower_dst(&mut self, dst: CheckedDst) -> Dst {
        match dst.place {
            CheckedPlace::Register(register) => Dst::new(register, dst.mask),
            CheckedPlace::Element(array, index) => {
                let element = self.load_element(OperandBase::Register(array), index);
                Dst {
                    index: element.index,
                    ..Dst::new(array, dst.mask)
                }
            }
            CheckedPlace::OutOfBounds => Dst::new(self.add_lost_register(), dst.mask),
        }
    }

    /// Returns the source that reads a value; registers and immediates are the fast path.
    pub(super) fn load_value(&mut self, value: CheckedValue) -> Src {
        match value {
            CheckedValue::Operand(base) => Src::new(base),
            CheckedValue::Immediate(number) => self.load_immediate(number),
            CheckedValue::Constant { buffer, number } => self.load_constant_at(buffer, number),
            CheckedValue::Element(base, index) => self.load_element(base, index),
            CheckedValue::Literal(id) => {
                let words = self.program.literals[id as usize];
                self.emitter.make_vector(words)
            }
            // The value of a resource is not read.
            CheckedValue::Zero | CheckedValue::Resource => self.emitter.splat_word(0),
            CheckedValue::OutOfBounds => Src::from_register(self.add_lost_register()),
            CheckedValue::IndexedConstant(id) => self.load_indexed_constant(id),
            CheckedValue::TableElement(table, index) => self.load_table_element(table, index),
            CheckedValue::Computed(id) => self.compute_input(id),
            CheckedValue::VertexLanes(id) => self.load_vertex_lanes(id),
            CheckedValue::Helper => Src::from_register(self.emitter.get_helper_register()),
        }
    }

    /// Returns the source that reads an immediate, which becomes a literal at its first use.
    fn load_immediate(&mut self, number: u32) -> Src {
        let known = self.emitter.ir_cache.immediate_literals[number as usize];
        let literal = match known {
            Some(literal) => literal,
            None => {
                let words = self.program.immediates[number as usize];
                let literal = self.emitter.intern_literal(words.map(u64::from));
                self.emitter.ir_cache.immediate_literals[number as usize] = Some(literal);
                literal
            }
        };
        Src::new(OperandBase::Literal(literal))
    }

    /// Returns the source that reads an element of an array or a value of a vertex.
    fn load_element(&mut self, base: OperandBase, index: u32) -> Src {
        let index = self.program.elements[index as usize];
        let vertex = index.vertex.map(|vertex| self.lower_index(vertex));
        let element = self.lower_index(index.element);
        let len = index.len;
        let index = Index {
            element,
            len,
            vertex,
        };
        self.emitter.make_indexed(base, index)
    }

    /// Lowers an index to a constant, or to a lane of a register and an offset.
    pub(super) fn lower_index(&mut self, index: CheckedIndex) -> IndexTerm {
        IndexTerm {
            relative: index.relative.map(|relative| self.lower_relative(relative)),
            offset: index.offset,
        }
    }

    /// Returns the register and lane that an index reads. An index that is not a register of the
    /// program is copied to one.
    fn lower_relative(&mut self, relative: u32) -> (RegisterId, u8) {
        let relative = self.program.relatives[relative as usize];
        let source = self.load_value(relative.value);
        // An index of the IR names a register and a lane: immediates, constants and elements of
        // arrays are not allowed.
        if let (OperandBase::Register(id), None) = (source.base, source.index) {
            return (id, relative.lane);
        }
        let copy = self.emitter.alloc_hidden(Width::W32);
        self.emitter
            .emit_to_register(copy, WriteMask::XYZW, Op::Mov, Type::U32, &[source]);
        (copy, relative.lane)
    }

    /// Returns a hidden register of zeros instead of a register that does not exist: it reads 0, and
    /// writes to it are lost.
    fn add_lost_register(&mut self) -> RegisterId {
        let lost = self.emitter.alloc_hidden(Width::W32);
        let zero = self.emitter.splat_word(0);
        // Zeroed each time: a hidden register holds the value that earlier instructions have left
        // there.
        self.emitter
            .emit_to_register(lost, WriteMask::XYZW, Op::Mov, Type::U32, &[zero]);
        lost
    }

    /// Returns a register and lane that hold the handle in the first lane of a source: those of the
    /// source if it is a plain register, otherwise of a copy, which is emitted.
    pub(super) fn load_handle(&mut self, handle: &CheckedSource) -> IndexTerm {
        let source = self.lower_source(handle);
        IndexTerm {
            relative: Some(self.emitter.copy_to_index(source)),
            offset: 0,
        }
    }

    /// Returns the access of an instruction to memory or to another resource, `None` if it has
    /// none.
    pub(super) fn find_access(&self, inst: &LoweredInst) -> Option<&CheckedAccess> {
        let InstDetails::Access(access) = inst.details else {
            return None;
        };
        self.program.accesses.get(access as usize)
    }
}

impl Emitter {
    /// Returns a register and a lane that hold the first lane of a source: those of the source if
    /// it is a plain register, otherwise of a copy, which is emitted.
    pub(super) fn copy_to_index(&mut self, source: Src) -> (RegisterId, u8) {
        if let (OperandBase::Register(register), None, false) =
            (source.base, source.index, source.has_modifier())
        {
            return (register, source.swizzle.lane(0) as u8);
        }
        let copy = self.alloc_hidden(Width::W32);
        let first = [splat(source, 0)];
        self.emit_to_register(copy, WriteMask::X, Op::Mov, Type::U32, &first);
        (copy, 0)
    }
}
