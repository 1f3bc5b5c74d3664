//! Loads, stores and barriers.
//!
//! Global memory is reached by pointers made of 64-bit addresses. Buffers are arrays of words: constant buffers of vectors
//! of four words in a uniform block, storage buffers and atomic counters of single words in a storage block, shared memory
//! of single words. Narrow elements of buffers are cut out of words, so that no narrow storage is needed there.

use super::Emit;
use super::inst::Job;
use super::operand::Element;
use super::result::Outcome;
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::gather::Lane;
use crate::interface::{bind, stage_number};
use crate::reflect::{BufferBinding, DescriptorSlot};
use crate::words::ValueWord;
use crate::writer::{Scalar, Val};
use glasm_ir::arena::Id;
use glasm_ir::resource::{BufferKind, MemFlags, MemSpace};
use glasm_ir::{Aux, BufferId, MemAccess, Src, Stage, Type, Width};
use spirv::{Decoration, MemoryAccess, MemorySemantics, Op as Spv, Scope, StorageClass};

/// First binding of atomic counters in the set that they share with storage buffers.
pub(super) const FIRST_COUNTER_BINDING: u32 = 64;
/// Vectors in a constant buffer: 64 KiB, the most that GL guarantees nothing beyond.
const CONSTANT_VECTORS: u32 = 4096;
/// Words of shared memory if the program does not say how much it uses.
const SHARED_WORDS: u32 = 4096;

/// The place that one instruction accesses.
#[derive(Clone, Copy, Debug)]
pub(super) enum Address {
    /// A 64-bit address.
    Global(ValueWord),
    /// A byte offset into a buffer.
    Buffer {
        buffer: BufferId,
        element: Element,
        offset: Val,
    },
}

impl Emit<'_> {
    /// The access data of a memory instruction.
    pub(super) fn mem_access(&self, job: Job<'_>) -> Result<MemAccess, Failure> {
        match job.inst.aux {
            Aux::Mem(id) => Ok(self.program.mem_accesses[id]),
            Aux::None | Aux::Cvt { .. } | Aux::Tex(_) => Err(Error::unsupported(
                "a memory instruction without access data",
            )),
        }
    }

    /// The address that source `number` gives.
    pub(super) fn address(
        &mut self,
        job: Job<'_>,
        access: &MemAccess,
        number: usize,
    ) -> Result<Address, Failure> {
        let program = self.program;
        let src: &Src = &program.srcs[job.inst.first_source as usize + number];
        match access.space {
            MemSpace::Global => {
                if !self.options.device.buffer_device_address {
                    return Err(Error::missing_feature("bufferDeviceAddress"));
                }
                self.w.needs.insert(Need::Addresses);
                let address = self.source_as(src, Type::U64, 1)?;
                let offset = i64::from(access.offset) as u64;
                Ok(Address::Global(self.wide_plus(address, offset).id))
            }
            MemSpace::Buffer(buffer) => {
                let offset = self.source_as(src, Type::U32, 1)?;
                let constant = self.constant_like(offset, access.offset as u32 as u64);
                let offset = self.binary(Spv::IAdd, offset, constant);
                let len = program.buffers[buffer].array.unwrap_or(1);
                let element = match access.element {
                    Some(term) => self.element_of(term, len)?,
                    None => Element::Constant(0),
                };
                Ok(Address::Buffer {
                    buffer,
                    element,
                    offset,
                })
            }
        }
    }

    /// `Load`
    pub(super) fn load(&mut self, job: Job<'_>) -> Result<Outcome, Failure> {
        let access = self.mem_access(job)?;
        let mut lanes = match self.address(job, &access, 0)? {
            Address::Global(address) => self.load_global(address, job.inst.ty, &access)?,
            Address::Buffer {
                buffer,
                element,
                offset,
            } => {
                let mut lanes = [Lane::UNDEFINED; 4];
                for (index, lane) in lanes[..usize::from(access.components)]
                    .iter_mut()
                    .enumerate()
                {
                    if job.lanes >> index & 1 != 0 {
                        *lane = self.load_element(
                            buffer,
                            element,
                            offset,
                            index as u32,
                            job.inst.ty,
                            &access,
                        )?;
                    }
                }
                lanes
            }
        };
        let zero = match job.inst.ty.width() {
            Width::W64 => self.wide_int(),
            Width::W8 | Width::W16 | Width::W32 => Scalar::U32,
        };
        let zero = Lane::scalar(self.w.constant(zero, 0));
        lanes[usize::from(access.components)..].fill(zero);
        Ok(Outcome::Lanes(lanes))
    }

    /// `Store`
    pub(super) fn store(&mut self, job: Job<'_>) -> Result<Outcome, Failure> {
        let access = self.mem_access(job)?;
        let program = self.program;
        let src = &program.srcs[job.inst.first_source as usize];
        // Narrow values are in the low bits; a store takes them as they are.
        let ty = if job.inst.ty.width().bits() < 32 {
            Type::U32
        } else {
            job.inst.ty
        };
        let values = if self.is_pair(ty) {
            let mut lanes = [Lane::UNDEFINED; 4];
            for (index, lane) in lanes[..usize::from(access.components)]
                .iter_mut()
                .enumerate()
            {
                *lane = self.source_as(src, ty, 1 << index)?.lane(0);
            }
            lanes
        } else {
            let val = self.source_as(src, ty, access.element_lanes())?;
            std::array::from_fn(|lane| val.lane(lane))
        };
        match self.address(job, &access, 1)? {
            Address::Global(address) => self.store_global(address, job.inst.ty, &access, values)?,
            Address::Buffer {
                buffer,
                element,
                offset,
            } => {
                for (index, value) in values[..usize::from(access.components)].iter().enumerate() {
                    self.store_element(
                        buffer,
                        element,
                        offset,
                        index as u32,
                        job.inst.ty,
                        &access,
                        *value,
                    )?;
                }
            }
        }
        Ok(Outcome::None)
    }

    fn is_pair(&self, ty: Type) -> bool {
        self.read_scalar(ty) == Scalar::Pair
    }

    // Global memory.

    /// The scalar in which a type lies in memory.
    fn memory_scalar(&mut self, ty: Type) -> Result<Scalar, Failure> {
        let device = self.options.device;
        Ok(match ty {
            Type::U8 | Type::S8 if !device.int8 => {
                return Err(Error::missing_feature("shaderInt8"));
            }
            Type::U16 | Type::S16 | Type::F16 if !device.int16 => {
                return Err(Error::missing_feature("shaderInt16"));
            }
            Type::U8 | Type::S8 => {
                self.w.needs.insert(Need::Storage8);
                Scalar::U8
            }
            Type::U16 | Type::S16 | Type::F16 => {
                self.w.needs.insert(Need::Storage16);
                Scalar::U16
            }
            Type::U32 | Type::S32 => Scalar::U32,
            Type::F32 => Scalar::F32,
            Type::U64 | Type::S64 => self.wide_int(),
            Type::F64 => Scalar::F64,
        })
    }

    /// A pointer to a vector of `size` components at an address.
    pub(super) fn global_pointer(
        &mut self,
        address: ValueWord,
        scalar: Scalar,
        size: u8,
    ) -> ValueWord {
        let pointee = self.w.ty(scalar, size);
        let ty = self.w.pointer(StorageClass::PhysicalStorageBuffer, pointee);
        let op = if self.w.info(address).scalar == Scalar::Pair {
            Spv::Bitcast
        } else {
            Spv::ConvertUToPtr
        };
        let pointer = self.w.object();
        self.w.body.result(op, ty, pointer, &[address.0]);
        pointer
    }

    /// Memory operands: alignment, and volatile for whatever others may see.
    fn global_operands(access: &MemAccess, alignment: u32) -> [u32; 2] {
        [MemoryAccess::ALIGNED.bits() | volatile(access), alignment]
    }

    /// Vectors in which the components of an access are moved: number of them and components of each.
    fn global_parts(scalar: Scalar, components: u8) -> (u8, u8) {
        // A pair is a vector already.
        if scalar == Scalar::Pair {
            (components, 1)
        } else {
            (1, components)
        }
    }

    fn load_global(
        &mut self,
        address: ValueWord,
        ty: Type,
        access: &MemAccess,
    ) -> Result<[Lane; 4], Failure> {
        let scalar = self.memory_scalar(ty)?;
        let mut lanes = [Lane::UNDEFINED; 4];
        let bytes = ty.width().bytes();
        let (parts, size) = Self::global_parts(scalar, access.components);
        for part in 0..parts {
            let address = self.w.val(address);
            let address = self
                .wide_plus(address, u64::from(part) * u64::from(bytes))
                .id;
            let pointer = self.global_pointer(address, scalar, size);
            let [operands, alignment] = Self::global_operands(access, bytes * u32::from(size));
            let val = self
                .w
                .op(Spv::Load, scalar, size, &[pointer.0, operands, alignment]);
            let val = self.widen_narrow(val, ty);
            for index in 0..size {
                lanes[usize::from(part + index)] = val.lane(usize::from(index));
            }
        }
        Ok(lanes)
    }

    /// Narrow integers of memory as words.
    fn widen_narrow(&mut self, val: Val, ty: Type) -> Val {
        if !matches!(val.scalar, Scalar::U8 | Scalar::U16) {
            return val;
        }
        let op = if ty.is_signed_int() {
            Spv::SConvert
        } else {
            Spv::UConvert
        };
        self.unary_to(op, Scalar::U32, val)
    }

    fn store_global(
        &mut self,
        address: ValueWord,
        ty: Type,
        access: &MemAccess,
        values: [Lane; 4],
    ) -> Result<(), Failure> {
        let scalar = self.memory_scalar(ty)?;
        let bytes = ty.width().bytes();
        let (parts, size) = Self::global_parts(scalar, access.components);
        for part in 0..parts {
            let lanes = &values[usize::from(part)..usize::from(part + size)];
            let value = if matches!(scalar, Scalar::U8 | Scalar::U16) {
                let words = self.w.gather_vector(lanes, Scalar::U32);
                self.unary_to(Spv::UConvert, scalar, words).id
            } else if scalar == Scalar::Pair {
                self.w.scalar(lanes[0], scalar)
            } else {
                self.w.gather_vector(lanes, scalar).id
            };
            let address = self.w.val(address);
            let address = self
                .wide_plus(address, u64::from(part) * u64::from(bytes))
                .id;
            let pointer = self.global_pointer(address, scalar, size);
            let [operands, alignment] = Self::global_operands(access, bytes * u32::from(size));
            self.w
                .body
                .op(Spv::Store, &[pointer.0, value.0, operands, alignment]);
        }
        Ok(())
    }

    // Buffers.

    fn buffer_variable(&mut self, id: BufferId) -> ValueWord {
        let known = self.interface.buffers[id.index()];
        if known.is_some() {
            return known;
        }
        let buffer = self.program.buffers[id];
        let variable = match buffer.kind {
            BufferKind::Shared => {
                let word = self.w.ty(Scalar::U32, 1);
                let len = self.w.uint(self.shared_words(id));
                let ty = self.w.declare_type(Spv::TypeArray, &[word.0, len.0]);
                self.w.variable(StorageClass::Workgroup, ty)
            }
            BufferKind::Constant => {
                let vectors = buffer
                    .size
                    .map_or(CONSTANT_VECTORS, |bytes| bytes.div_ceil(16).max(1));
                let vector = self.w.ty(Scalar::U32, 4);
                let len = self.w.uint(vectors);
                let array = self
                    .w
                    .declare_distinct_type(Spv::TypeArray, &[vector.0, len.0]);
                self.w.decorate(array, Decoration::ArrayStride, &[16]);
                self.block_variable(id, array, StorageClass::Uniform)
            }
            BufferKind::Storage | BufferKind::Counter => {
                let word = self.w.ty(Scalar::U32, 1);
                let array = self
                    .w
                    .declare_distinct_type(Spv::TypeRuntimeArray, &[word.0]);
                self.w.decorate(array, Decoration::ArrayStride, &[4]);
                self.block_variable(id, array, StorageClass::StorageBuffer)
            }
        };
        self.interface.buffers[id.index()] = variable;
        variable
    }

    fn shared_words(&self, id: BufferId) -> u32 {
        let size = self.program.buffers[id].size;
        size.map_or(SHARED_WORDS, |bytes| bytes.div_ceil(4).max(1))
    }

    fn block_variable(
        &mut self,
        id: BufferId,
        array: crate::words::TypeWord,
        class: StorageClass,
    ) -> ValueWord {
        let buffer = self.program.buffers[id];
        let block = self.w.declare_distinct_type(Spv::TypeStruct, &[array.0]);
        self.w.decorate(block, Decoration::Block, &[]);
        let offset = Decoration::Offset as u32;
        self.w
            .annotations
            .op(Spv::MemberDecorate, &[block.0, 0, offset, 0]);
        let ty = match buffer.array {
            Some(len) => {
                let len = self.w.uint(len.max(1));
                self.w.declare_type(Spv::TypeArray, &[block.0, len.0])
            }
            None => block,
        };
        let variable = self.w.variable(class, ty);
        let bindings = self.options.bindings;
        let slot = match buffer.kind {
            BufferKind::Constant => DescriptorSlot {
                set: bindings.buffer_set,
                binding: 16 * stage_number(self.program.stage) + buffer.binding,
            },
            BufferKind::Counter => DescriptorSlot {
                set: bindings.storage_set,
                binding: FIRST_COUNTER_BINDING + buffer.binding,
            },
            BufferKind::Storage | BufferKind::Shared => DescriptorSlot {
                set: bindings.storage_set,
                binding: buffer.binding,
            },
        };
        bind(&mut self.w, variable, slot);
        self.name_object(variable, || format!("buffer{}", buffer.binding));
        self.interface.reflected_buffers.push(BufferBinding {
            slot,
            index: buffer.binding,
            count: buffer.array.unwrap_or(1).max(1),
            kind: buffer.kind,
        });
        variable
    }

    /// A pointer to the word with number `word` of a buffer.
    pub(super) fn word_pointer(&mut self, id: BufferId, element: Element, word: Val) -> ValueWord {
        let buffer = self.program.buffers[id];
        let variable = self.buffer_variable(id);
        let mut operands = [variable.0, 0, 0, 0, 0];
        let mut count = 1;
        let mut push = |id: ValueWord| {
            operands[count] = id.0;
            count += 1;
        };
        if buffer.array.is_some() {
            push(self.buffer_element(buffer.kind, element));
        }
        let class = match buffer.kind {
            BufferKind::Shared => {
                let last = self.constant_like(word, u64::from(self.shared_words(id) - 1));
                push(self.int_min(word, last).id);
                StorageClass::Workgroup
            }
            BufferKind::Constant => {
                let (two, three) = (self.constant_like(word, 2), self.constant_like(word, 3));
                push(self.w.uint(0));
                push(self.binary(Spv::ShiftRightLogical, word, two).id);
                push(self.binary(Spv::BitwiseAnd, word, three).id);
                StorageClass::Uniform
            }
            BufferKind::Storage | BufferKind::Counter => {
                push(self.w.uint(0));
                push(word.id);
                StorageClass::StorageBuffer
            }
        };
        let ty = self.w.ty(Scalar::U32, 1);
        let ty = self.w.pointer(class, ty);
        let pointer = self.w.object();
        self.w
            .body
            .result(Spv::AccessChain, ty, pointer, &operands[..count]);
        pointer
    }

    fn buffer_element(&mut self, kind: BufferKind, element: Element) -> ValueWord {
        match element {
            Element::Constant(element) => self.w.uint(element),
            Element::Dynamic(id) => {
                self.w.needs.insert(match kind {
                    BufferKind::Constant => Need::UniformIndexing,
                    BufferKind::Storage | BufferKind::Counter | BufferKind::Shared => {
                        Need::StorageIndexing
                    }
                });
                id
            }
        }
    }

    /// The number of the word `words` after that of a byte offset.
    fn word_number(&mut self, offset: Val, words: u32) -> Val {
        let two = self.constant_like(offset, 2);
        let first = self.binary(Spv::ShiftRightLogical, offset, two);
        let more = self.constant_like(first, u64::from(words));
        self.binary(Spv::IAdd, first, more)
    }

    fn load_word(&mut self, id: BufferId, element: Element, word: Val, access: &MemAccess) -> Val {
        let pointer = self.word_pointer(id, element, word);
        match volatile(access) {
            0 => self.w.op(Spv::Load, Scalar::U32, 1, &[pointer.0]),
            operands => self.w.op(Spv::Load, Scalar::U32, 1, &[pointer.0, operands]),
        }
    }

    fn load_element(
        &mut self,
        id: BufferId,
        element: Element,
        offset: Val,
        index: u32,
        ty: Type,
        access: &MemAccess,
    ) -> Result<Lane, Failure> {
        match ty.width() {
            Width::W32 => {
                let word = self.word_number(offset, index);
                Ok(self.load_word(id, element, word, access).lane(0))
            }
            Width::W64 => {
                let pair = [0, 1].map(|half| {
                    let word = self.word_number(offset, 2 * index + half);
                    self.load_word(id, element, word, access).lane(0)
                });
                let pair = self.w.gather_vector(&pair, Scalar::U32);
                Ok(self.wide_from_words(pair))
            }
            width @ (Width::W8 | Width::W16) => {
                let (word, shift) = self.narrow_place(offset, index, width);
                let word = self.load_word(id, element, word, access);
                let value = self.binary(Spv::ShiftRightLogical, word, shift);
                Ok(self.extend(value, width.bits(), ty.is_signed_int()).lane(0))
            }
        }
    }

    /// The word that holds a narrow element, and by how many bits it is shifted there.
    fn narrow_place(&mut self, offset: Val, index: u32, width: Width) -> (Val, Val) {
        let more = self.constant_like(offset, u64::from(index * width.bytes()));
        let offset = self.binary(Spv::IAdd, offset, more);
        let word = self.word_number(offset, 0);
        // Elements are aligned to their size; the low bit of a halfword's offset does not count.
        let mask = self.constant_like(offset, u64::from(4 - width.bytes()));
        let byte = self.binary(Spv::BitwiseAnd, offset, mask);
        let three = self.constant_like(byte, 3);
        (word, self.binary(Spv::ShiftLeftLogical, byte, three))
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the place takes three, the element two"
    )]
    fn store_element(
        &mut self,
        id: BufferId,
        element: Element,
        offset: Val,
        index: u32,
        ty: Type,
        access: &MemAccess,
        value: Lane,
    ) -> Result<(), Failure> {
        if self.program.buffers[id].kind == BufferKind::Constant {
            return Err(Error::unsupported("constant buffers cannot be written"));
        }
        match ty.width() {
            Width::W32 => {
                let value = self.w.scalar(value, Scalar::U32);
                self.store_word(id, element, offset, index, access, value);
            }
            Width::W64 => {
                let words = self.words_of_wide(value);
                for half in 0..2 {
                    let word = self.component(words, half as usize).id;
                    self.store_word(id, element, offset, 2 * index + half, access, word);
                }
            }
            width @ (Width::W8 | Width::W16) => {
                let value = self.w.scalar(value, Scalar::U32);
                let value = self.w.val(value);
                self.store_narrow(id, element, offset, index, width, value);
            }
        }
        Ok(())
    }

    fn store_word(
        &mut self,
        id: BufferId,
        element: Element,
        offset: Val,
        words: u32,
        access: &MemAccess,
        value: ValueWord,
    ) {
        let word = self.word_number(offset, words);
        let pointer = self.word_pointer(id, element, word);
        match volatile(access) {
            0 => self.w.body.op(Spv::Store, &[pointer.0, value.0]),
            operands => self.w.body.op(Spv::Store, &[pointer.0, value.0, operands]),
        }
    }

    /// A narrow store by two atomics, so that neighbors in the word survive those of other invocations.
    fn store_narrow(
        &mut self,
        id: BufferId,
        element: Element,
        offset: Val,
        index: u32,
        width: Width,
        value: Val,
    ) {
        let (word, shift) = self.narrow_place(offset, index, width);
        let pointer = self.word_pointer(id, element, word);
        let mask = self.constant_like(value, (1 << width.bits()) - 1);
        let value = self.binary(Spv::BitwiseAnd, value, mask);
        let value = self.binary(Spv::ShiftLeftLogical, value, shift);
        let hole = self.binary(Spv::ShiftLeftLogical, mask, shift);
        let keep = self.unary(Spv::Not, hole);
        let kind = self.program.buffers[id].kind;
        for (op, operand) in [(Spv::AtomicAnd, keep), (Spv::AtomicOr, value)] {
            let (scope, relaxed) = self.atomic_scope(Some(kind));
            let operands = [pointer.0, scope.0, relaxed.0, operand.id.0];
            self.w.op(op, Scalar::U32, 1, &operands);
        }
    }

    // Barriers.

    /// Scope and (relaxed) semantics of atomics on a kind of memory.
    pub(super) fn atomic_scope(&mut self, kind: Option<BufferKind>) -> (ValueWord, ValueWord) {
        let scope = if kind == Some(BufferKind::Shared) {
            Scope::Workgroup
        } else {
            Scope::Device
        };
        (self.w.uint(scope as u32), self.w.uint(0))
    }

    /// Orders all memory accesses of the invocation.
    pub(super) fn memory_barrier(&mut self) -> Result<Outcome, Failure> {
        let mut semantics = MemorySemantics::ACQUIRE_RELEASE
            | MemorySemantics::UNIFORM_MEMORY
            | MemorySemantics::IMAGE_MEMORY;
        if self.program.stage == Stage::Compute {
            semantics |= MemorySemantics::WORKGROUP_MEMORY;
        }
        let scope = self.w.uint(Scope::Device as u32);
        let semantics = self.w.uint(semantics.bits());
        self.w.body.op(Spv::MemoryBarrier, &[scope.0, semantics.0]);
        Ok(Outcome::None)
    }

    /// Waits for the work group.
    pub(super) fn barrier(&mut self) -> Result<Outcome, Failure> {
        if self.program.stage != Stage::Compute {
            return Err(Error::unsupported(
                "barriers exist in compute programs only",
            ));
        }
        let semantics = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::WORKGROUP_MEMORY;
        let scope = self.w.uint(Scope::Workgroup as u32);
        let semantics = self.w.uint(semantics.bits());
        self.w
            .body
            .op(Spv::ControlBarrier, &[scope.0, scope.0, semantics.0]);
        Ok(Outcome::None)
    }
}

/// The memory operand of accesses that other invocations see or that must stay.
fn volatile(access: &MemAccess) -> u32 {
    if access
        .flags
        .intersects(MemFlags::COHERENT | MemFlags::VOLATILE)
    {
        MemoryAccess::VOLATILE.bits()
    } else {
        0
    }
}
