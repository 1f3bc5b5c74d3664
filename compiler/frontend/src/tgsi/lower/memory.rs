//! Memory, images and handles. TGSI, section "Resource Access Opcodes".

use super::emitter::Emitter;
use super::image::{ImageRef, collect_image_sources, texel_interpretation};
use super::inst::{LoweredInst, splat};
use super::operand::OperandLowerer;
use crate::lower::op_builder::OpBuilder;
use crate::tgsi::checked::{BufferNumber, CheckedResource};
use crate::tgsi::opcodes::Memory;
use glasm_ir::inst::InstData;
use glasm_ir::resource::{AtomicOp, MemAccess, MemFlags, MemorySpace};
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    BufferId, BufferKind, Dst, IndexTerm, Input, Op, OperandBase, Semantic, Src, UnitSet, WriteMask,
};

/// Resource that an operand denotes.
pub(super) enum Resource {
    /// Memory, and the dynamic element of an array of buffers.
    Memory(MemorySpace, Option<IndexTerm>),
    /// A counter: its buffer, and its address instead of that of the operand.
    Counter(BufferId, Option<IndexTerm>, Src),
    Image(ImageRef),
    /// A texture or image unit.
    Unit,
    /// An attachment.
    Color(Semantic),
}

/// Lowers accesses to memory and images.
pub(super) struct MemoryLowerer<'r, 'a> {
    pub(super) operands: &'r mut OperandLowerer<'a>,
}

impl<'r, 'a> MemoryLowerer<'r, 'a> {
    /// Returns the context that lowers memory and image instructions.
    pub(super) fn new(operands: &'r mut OperandLowerer<'a>) -> Self {
        Self { operands }
    }
}

impl MemoryLowerer<'_, '_> {
    /// Lowers an instruction that accesses memory, or that returns the size or the handle of a
    /// resource.
    pub(super) fn lower_memory_access(&mut self, inst: &LoweredInst, memory: Memory) {
        match memory {
            Memory::Load => self.lower_load(inst),
            Memory::Store => self.lower_store(inst),
            Memory::Size => self.lower_resq(inst),
            Memory::Atomic(op, ty) => self.lower_atomic(inst, op, ty),
            Memory::ImageHandle | Memory::SamplerHandle => self.lower_unit_handle(inst),
            Memory::ReadColor => self.lower_fbfetch(inst),
        }
    }

    /// Lowers FBFETCH: reads the attachment at the position of the fragment.
    fn lower_fbfetch(&mut self, inst: &LoweredInst) {
        let Some(Resource::Color(semantic)) = self.load_resource(inst) else {
            return;
        };
        // As an input, the semantic of an output is the contents of the attachment.
        let id = self
            .operands
            .emitter
            .find_or_add_input(Input::new(semantic));
        let color = Src::new(OperandBase::Input(id)).swizzled(inst.sources[0].swizzle);
        self.operands
            .emitter
            .emit_result(inst, Op::Mov, Type::F32, &[color]);
    }

    /// Returns the flags of the access of an instruction.
    pub(super) fn find_flags(&self, inst: &LoweredInst) -> MemFlags {
        let access = self.operands.find_access(inst);
        access.map_or(MemFlags::empty(), |access| access.flags)
    }

    /// Returns the resource of an instruction, `None` if it has none. A handle is copied to a
    /// register.
    fn load_resource(&mut self, inst: &LoweredInst) -> Option<Resource> {
        let resource = self.operands.find_access(inst)?.resource;
        let index = inst.resource.index;
        Some(match resource {
            CheckedResource::Global => Resource::Memory(MemorySpace::Global, None),
            CheckedResource::Buffer { kind, number, size } => {
                let (id, element) = self.get_buffer(inst, (kind, size), number);
                Resource::Memory(MemorySpace::Buffer(id), element)
            }
            CheckedResource::Counter(number) => {
                let (id, element) =
                    self.get_buffer(inst, (BufferKind::AtomicCounter, None), number);
                // The register selects the counter: the operand of an address repeats it, in bytes.
                let address = self.compute_counter_address(index);
                Resource::Counter(id, element, address)
            }
            CheckedResource::Image(units, decl) => Resource::Image(ImageRef {
                units,
                element: Some(index).filter(|index| index.relative.is_some()),
                decl,
            }),
            CheckedResource::ImageHandle(handle, decl) => Resource::Image(ImageRef {
                units: UnitSet::Handle,
                element: Some(self.operands.load_handle(&handle)),
                decl,
            }),
            CheckedResource::Unit => Resource::Unit,
            CheckedResource::Color(semantic) => Resource::Color(semantic),
        })
    }

    /// Returns the buffer of a kind and size with a number, or an array of buffers and the element
    /// of it that a dynamic number selects.
    fn get_buffer(
        &mut self,
        inst: &LoweredInst,
        (kind, size): (BufferKind, Option<u32>),
        number: BufferNumber,
    ) -> (BufferId, Option<IndexTerm>) {
        let (index, count) = match number {
            BufferNumber::Constant(number) => {
                return (self.operands.emitter.get_buffer(kind, number, size), None);
            }
            BufferNumber::Outer { count } => (inst.resource.outer, count),
            BufferNumber::Index { count } => (Some(inst.resource.index), count),
        };
        (self.operands.emitter.get_buffer_array(kind, count), index)
    }

    /// Emits the byte offset of an atomic counter: four times its number.
    fn compute_counter_address(&mut self, number: IndexTerm) -> Src {
        let offset = self
            .operands
            .emitter
            .splat_word((number.offset.max(0) as u32).wrapping_mul(4));
        let Some((register, lane)) = number.relative else {
            return offset;
        };
        let index = splat(Src::from_register(register), lane);
        let two = self.operands.emitter.splat_word(2);
        let bytes = self
            .operands
            .emitter
            .compute(Op::Shl, Type::U32, &[index, two]);
        self.operands
            .emitter
            .compute(Op::Add, Type::U32, &[bytes, offset])
    }

    /// Lowers LOAD from memory, a counter or an image. Only the words that reach the result are
    /// loaded.
    fn lower_load(&mut self, inst: &LoweredInst) {
        let Some(access) = self.operands.find_access(inst) else {
            return;
        };
        let swizzle = access.swizzle;
        // Only words that reach the result are loaded, so that words past the end of a buffer do
        // not matter.
        let needed = swizzle.find_source_lanes(inst.write_mask().0);
        let value = match self.load_resource(inst) {
            Some(Resource::Memory(space, element)) => {
                let address = self
                    .operands
                    .emitter
                    .adapt_memory_address(space, inst.sources[1]);
                self.load_words(inst, (space, element), address, needed)
            }
            Some(Resource::Counter(id, element, address)) => self.load_words(
                inst,
                (MemorySpace::Buffer(id), element),
                address,
                needed & 1,
            ),
            Some(Resource::Image(image)) if image.decl.raw => {
                self.load_raw_texels(inst, image, needed)
            }
            Some(Resource::Image(image)) => {
                let ty = image.decl.ty.unwrap_or(Type::F32);
                let aux = self.make_image_aux(inst, image, texel_interpretation(&image), None);
                let (sources, count) = collect_image_sources(&image, None, inst.sources[1]);
                self.operands
                    .emitter
                    .compute_with_aux(Op::ImageLoad, ty, aux, &sources[..count])
            }
            // No resources of LOAD.
            Some(Resource::Unit | Resource::Color(_)) | None => return,
        };
        self.operands
            .emitter
            .emit_result(inst, Op::Mov, Type::F32, &[value.swizzled(swizzle)]);
    }

    /// Loads consecutive words of memory from an address on, those in `lanes`.
    fn load_words(
        &mut self,
        inst: &LoweredInst,
        memory: (MemorySpace, Option<IndexTerm>),
        address: Src,
        lanes: u8,
    ) -> Src {
        let register = self.operands.emitter.alloc_hidden(Width::W32);
        for (lane, components) in
            split_access(lanes, self.operands.emitter.is_vector_aligned(address))
        {
            let aux = self.make_mem_aux(inst, memory, |access| MemAccess {
                components,
                offset: 4 * i32::from(lane),
                ..access
            });
            if lane == 0 {
                let mask = WriteMask((1 << components) - 1);
                let dst = Some(Dst::new(register, mask));
                self.operands
                    .emitter
                    .emit_inst(Op::Load, Type::U32, dst, aux, &[address]);
            } else {
                let word =
                    self.operands
                        .emitter
                        .compute_with_aux(Op::Load, Type::U32, aux, &[address]);
                let mask = WriteMask(1 << lane);
                self.operands.emitter.emit_to_register(
                    register,
                    mask,
                    Op::Mov,
                    Type::U32,
                    &[splat(word, 0)],
                );
            }
        }
        Src::from_register(register)
    }

    /// Returns the data of an access to one word of memory, modified by `change`.
    fn make_mem_aux(
        &mut self,
        inst: &LoweredInst,
        (space, element): (MemorySpace, Option<IndexTerm>),
        change: impl FnOnce(MemAccess) -> MemAccess,
    ) -> InstData {
        let access = change(MemAccess {
            space,
            element,
            components: 1,
            offset: 0,
            atomic: None,
            flags: self.find_flags(inst),
        });
        InstData::Mem(
            self.operands
                .emitter
                .builder
                .program
                .mem_accesses
                .push(access),
        )
    }

    /// Lowers STORE to memory or to an image.
    fn lower_store(&mut self, inst: &LoweredInst) {
        let (place, value) = (inst.sources[0], inst.sources[1]);
        match self.load_resource(inst) {
            Some(Resource::Memory(space, element)) => {
                let address = self.operands.emitter.adapt_memory_address(space, place);
                self.store_words(inst, (space, element), address, value, inst.mask.0);
            }
            Some(Resource::Image(image)) if image.decl.raw => {
                self.store_raw_texels(inst, image, value, inst.mask.0);
            }
            Some(Resource::Image(image)) => {
                let ty = image.decl.ty.unwrap_or(Type::F32);
                let aux = self.make_image_aux(inst, image, texel_interpretation(&image), None);
                let (sources, count) = collect_image_sources(&image, Some(value), place);
                self.operands
                    .emitter
                    .emit_inst(Op::ImageStore, ty, None, aux, &sources[..count]);
            }
            // No resources of STORE.
            Some(Resource::Counter(..) | Resource::Unit | Resource::Color(_)) | None => {}
        }
    }

    /// Stores the components in `mask` of a value at `address`, in as few accesses as the alignment
    /// allows.
    fn store_words(
        &mut self,
        inst: &LoweredInst,
        memory: (MemorySpace, Option<IndexTerm>),
        address: Src,
        value: Src,
        mask: u8,
    ) {
        for (lane, components) in
            split_access(mask, self.operands.emitter.is_vector_aligned(address))
        {
            let aux = self.make_mem_aux(inst, memory, |access| MemAccess {
                components,
                offset: 4 * i32::from(lane),
                ..access
            });
            // The store takes its words from x on.
            let value = match lane {
                0 => value,
                lane => splat(value, lane),
            };
            self.operands
                .emitter
                .emit_inst(Op::Store, Type::U32, None, aux, &[value, address]);
        }
    }

    /// Lowers RESQ: bytes of a buffer; width, height, layers and samples of an image.
    fn lower_resq(&mut self, inst: &LoweredInst) {
        let memory = match self.load_resource(inst) {
            Some(Resource::Memory(space, element)) => (space, element),
            Some(Resource::Counter(id, element, _)) => (MemorySpace::Buffer(id), element),
            Some(Resource::Image(image)) => return self.lower_image_size(inst, image),
            // No resources of RESQ.
            Some(Resource::Unit | Resource::Color(_)) | None => return,
        };
        let aux = self.make_mem_aux(inst, memory, |access| access);
        let start = self.operands.emitter.splat_word(0);
        self.operands
            .emitter
            .emit_result_with_aux(inst, Op::BufferSize, Type::U32, aux, &[start]);
    }

    /// Lowers an atomic operation on memory, a counter or an image: the result is the previous
    /// value.
    fn lower_atomic(&mut self, inst: &LoweredInst, op: AtomicOp, ty: Type) {
        let value = if op == AtomicOp::CompareExchange {
            self.operands.emitter.compute_parts(&[
                (0b0001, Op::Mov, Type::U32, &[inst.scalar_source(2)]),
                // x is compared, y is stored.
                (0b0010, Op::Mov, Type::U32, &[inst.scalar_source(3)]),
            ])
        } else {
            inst.scalar_source(2)
        };
        let (memory, address) = match self.load_resource(inst) {
            Some(Resource::Memory(space, element)) => (
                (space, element),
                self.operands
                    .emitter
                    .adapt_memory_address(space, inst.sources[1]),
            ),
            Some(Resource::Counter(id, element, address)) => {
                ((MemorySpace::Buffer(id), element), address)
            }
            Some(Resource::Image(image)) => {
                return self.lower_image_atomic(inst, image, (op, ty), value);
            }
            // No resources of atomics.
            Some(Resource::Unit | Resource::Color(_)) | None => return,
        };
        let aux = self.make_mem_aux(inst, memory, |access| MemAccess {
            atomic: Some(op),
            ..access
        });
        self.operands
            .emitter
            .emit_result_with_aux(inst, Op::Atomic, ty, aux, &[value, address]);
    }
}

impl Emitter {
    /// Returns the first lane of a source if it is a literal; `None` for other sources.
    fn immediate_word(&self, source: Src) -> Option<u64> {
        let OperandBase::Literal(literal) = source.base else {
            return None;
        };
        let words = self.builder.program.literals[literal];
        Some(words[source.swizzle.lane(0)])
    }

    /// Returns the address operand in the form that the memory space takes: 64 bits for global
    /// memory, else 32.
    fn adapt_memory_address(&mut self, space: MemorySpace, source: Src) -> Src {
        match space {
            // 64 bits, the low word in x.
            MemorySpace::Global => self.compute(Op::Pack64, Type::U64, &[source]),
            MemorySpace::Buffer(_) => splat(source, 0),
        }
    }

    /// Returns true if an address is known to be a multiple of 16 bytes.
    fn is_vector_aligned(&self, address: Src) -> bool {
        let known = self.immediate_word(address);
        known.is_some_and(|address| address.is_multiple_of(16))
    }
}

/// Splits an access into first lane and number of words. All four and the first two words are
/// accessed together at the address of a vector, the others separately, so that each of them is in
/// or out of bounds by itself.
fn split_access(lanes: u8, aligned: bool) -> impl Iterator<Item = (u8, u8)> {
    let together = match lanes {
        0b1111 if aligned => Some((0, 4)),
        0b0011 if aligned => Some((0, 2)),
        _ => None,
    };
    let single = (0..4).filter(move |lane| together.is_none() && lanes >> lane & 1 != 0);
    together.into_iter().chain(single.map(|lane| (lane, 1)))
}
