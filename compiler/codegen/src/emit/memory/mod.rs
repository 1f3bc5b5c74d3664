//! Memory accesses: loads, stores and barriers.
//!
//! Global memory is accessed by pointers converted from 64-bit addresses, all other memory by
//! `buffer`, which declares variables; `buffer_address` computes positions in them,
//! `descriptor_index` selects a descriptor. `memory_registers` implements registers in memory.

pub(super) mod atomic;
pub(super) mod buffer;
pub(super) mod buffer_address;
pub(super) mod buffer_load_store;
pub(super) mod descriptor_index;
pub(super) mod memory_registers;
pub(super) mod resource_use;

use crate::builder::{
    Lane, ModuleWriter, Scalar, Val, ValueBuilder, int64_emulation, select_by_sign,
};
use crate::capability::Requirement;
use crate::emit::context::{BufferEmitter, InstContext, OpResult};
use crate::emit::memory::buffer_address::BufferAddress;
use crate::emit::memory::buffer_load_store::apply_word_op;
use crate::error::{Error, Failure};
use crate::spirv_writer::ValueWord;
use glasm_ir::resource::{BufferKind, MemFlags, MemorySpace};
use glasm_ir::{InstData, MemAccess, Src, Stage, Type, Width};
use spirv::{MemoryAccess, MemorySemantics, Op as Spv, Scope, StorageClass};

/// Memory location that one instruction accesses.
#[derive(Clone, Copy, Debug)]
pub(super) enum MemAddress {
    /// 64-bit address.
    Global(ValueWord),
    /// Position in a buffer.
    Buffer(BufferAddress),
}

impl BufferEmitter<'_, '_> {
    /// Returns the access data of a memory instruction; an error if it has none.
    pub(super) fn get_mem_access(&self, cx: InstContext<'_>) -> Result<MemAccess, Failure> {
        match cx.inst.data {
            InstData::Mem(id) => Ok(self.function.program.mem_accesses[id]),
            InstData::None | InstData::Cvt { .. } | InstData::Tex(_) | InstData::Image(_) => Err(
                Error::unsupported("a memory instruction without access data"),
            ),
        }
    }

    /// Loads the byte offset or the 64-bit address in source `number` of a memory instruction, plus
    /// the constant offset of the access. Returns an error if the device lacks addresses or the
    /// access is to a missing buffer.
    pub(super) fn load_address(
        &mut self,
        cx: InstContext<'_>,
        access: &MemAccess,
        number: usize,
    ) -> Result<MemAddress, Failure> {
        let program = self.function.program;
        let src: &Src = &program.srcs[cx.inst.first_source as usize + number];
        match access.space {
            MemorySpace::Global => {
                self.function.builder.require(Requirement::Addresses)?;
                let address = self.function.load_source_as(src, Type::U64, 1)?;
                // Offsets are signed, addresses are not: a negative sum wraps.
                let offset = i64::from(access.offset) as u64;
                Ok(MemAddress::Global(
                    int64_emulation::add_constant(self.function.builder, address, offset).id,
                ))
            }
            MemorySpace::Buffer(buffer) => {
                let start = self.function.load_source_as(src, Type::U32, 1)?;
                let (op, of_known) = (Spv::IAdd, u32::wrapping_add);
                let offset = apply_word_op(
                    self.function.builder,
                    op,
                    start,
                    access.offset as u32,
                    of_known,
                );
                Ok(MemAddress::Buffer(
                    self.choose_buffer_address(buffer, access, offset)?,
                ))
            }
        }
    }

    /// Emits `Load`: reads components from a buffer, shared or private memory, or from a 64-bit
    /// address. Components that the access does not have are 0.
    pub(in crate::emit) fn emit_load(&mut self, cx: InstContext<'_>) -> Result<OpResult, Failure> {
        let access = self.get_mem_access(cx)?;
        let mut lanes = match self.load_address(cx, &access, 0)? {
            MemAddress::Global(address) => {
                load_global(self.function.builder, address, cx.inst.ty, &access)?
            }
            MemAddress::Buffer(address) => {
                self.load_buffer(address, cx.inst.ty, &access, cx.lanes)?
            }
        };
        // NV_gpu_program5 section 2.X.4.5: components that are not loaded are zero.
        let zero = match cx.inst.ty.width() {
            Width::W64 => self.function.builder.wide_int_scalar(),
            Width::W8 | Width::W16 | Width::W32 => Scalar::U32,
        };
        let zero = Lane::scalar(self.function.builder.constant(zero, 0));
        lanes[usize::from(access.components)..].fill(zero);
        Ok(OpResult::Lanes(lanes))
    }

    /// Emits `BufferSize`: the size in bytes of the buffer that the access selects. It is returned
    /// in x. Returns an error for memory at addresses.
    pub(in crate::emit) fn emit_buffer_size(
        &mut self,
        cx: InstContext<'_>,
    ) -> Result<OpResult, Failure> {
        let access = self.get_mem_access(cx)?;
        let MemAddress::Buffer(address) = self.load_address(cx, &access, 0)? else {
            return Err(Error::unsupported("global memory has no size"));
        };
        Ok(OpResult::Lanes(
            self.compute_byte_size(address)?.first_lane_only(),
        ))
    }

    /// Emits `Store`: writes components to a buffer, shared or private memory, or to a 64-bit
    /// address. Returns an error for constant buffers and missing features.
    pub(in crate::emit) fn emit_store(&mut self, cx: InstContext<'_>) -> Result<OpResult, Failure> {
        let access = self.get_mem_access(cx)?;
        let program = self.function.program;
        let src = &program.srcs[cx.inst.first_source as usize];
        // Narrow values are in the low bits; a store accepts them unchanged.
        let ty = if cx.inst.ty.width().bits() < 32 {
            Type::U32
        } else {
            cx.inst.ty
        };
        let values = if is_word_pair(self.function.builder, ty) {
            let mut lanes = [Lane::UNDEFINED; 4];
            for (index, lane) in lanes[..usize::from(access.components)]
                .iter_mut()
                .enumerate()
            {
                *lane = self.function.load_source_as(src, ty, 1 << index)?.lane(0);
            }
            lanes
        } else {
            let val = self
                .function
                .load_source_as(src, ty, access.element_lanes())?;
            std::array::from_fn(|lane| val.lane(lane))
        };
        match self.load_address(cx, &access, 1)? {
            MemAddress::Global(address) => {
                store_global(self.function.builder, address, cx.inst.ty, &access, values)?
            }
            MemAddress::Buffer(address) => {
                self.store_buffer(address, cx.inst.ty, &access, values)?
            }
        }
        Ok(OpResult::None)
    }
}

/// Emits a barrier that orders all memory accesses of the invocation: EXT_shader_image_load_store
/// section 2.X.8.Z, MEMBAR. It includes shared memory in compute programs.
pub(in crate::emit) fn emit_memory_barrier(
    builder: &mut ValueBuilder,
) -> Result<OpResult, Failure> {
    // Without bits for kinds of memory a barrier orders none of it (SPIR-V, Memory Semantics).
    // MEMBAR orders all transactions; with CTA (NV_compute_program5) only the group needs to
    // observe the order, for which this is stronger than required.
    let mut semantics = MemorySemantics::ACQUIRE_RELEASE
        | MemorySemantics::UNIFORM_MEMORY
        | MemorySemantics::IMAGE_MEMORY;
    // Only compute stages have shared memory.
    if builder.stage() == Stage::Compute {
        semantics |= MemorySemantics::WORKGROUP_MEMORY;
    }
    // Other draws and stages may read the memory, too.
    let scope = builder.constant_u32(Scope::Device as u32);
    let semantics = builder.constant_u32(semantics.bits());
    builder
        .body
        .push_inst(Spv::MemoryBarrier, &[scope.0, semantics.0]);
    Ok(OpResult::None)
}

/// Emits the control barrier of a work group, which also orders shared memory, or of a patch in
/// tessellation control programs. Returns an error in other stages.
pub(in crate::emit) fn emit_barrier(builder: &mut ValueBuilder) -> Result<OpResult, Failure> {
    match builder.stage() {
        Stage::Compute => {}
        // It orders outputs implicitly (Vulkan, `TessellationControl`).
        Stage::TessControl => {
            let [group, own] = [Scope::Workgroup, Scope::Invocation];
            let [group, own, none] =
                [group as u32, own as u32, 0].map(|word| builder.constant_u32(word).0);
            builder
                .body
                .push_inst(Spv::ControlBarrier, &[group, own, none]);
            return Ok(OpResult::None);
        }
        stage @ (Stage::Vertex | Stage::TessEval | Stage::Geometry | Stage::Fragment) => {
            let message = format!("{} programs have no barriers", stage.name());
            return Err(Error::unsupported(message));
        }
    }
    // NV_compute_program5 section 2.X.8.Z specifies that BAR waits, but nothing about memory.
    // Shared memory is ordered, as with `barrier()` of GLSL; programs order all other memory with
    // MEMBAR.
    let semantics = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::WORKGROUP_MEMORY;
    let scope = builder.constant_u32(Scope::Workgroup as u32);
    let semantics = builder.constant_u32(semantics.bits());
    builder
        .body
        .push_inst(Spv::ControlBarrier, &[scope.0, scope.0, semantics.0]);
    Ok(OpResult::None)
}

/// Returns true if lanes of the type are pairs of words, because the device lacks 64-bit integers.
fn is_word_pair(module: &ModuleWriter, ty: Type) -> bool {
    module.lane_scalar(ty) == Scalar::Pair
}

/// Returns the component type by which memory represents a type, and adds the requirement of 8-bit
/// and 16-bit memory. Returns an error if the device lacks integers of these sizes. 64-bit integers
/// are pairs of words if the device lacks them.
fn choose_memory_scalar(module: &mut ModuleWriter, ty: Type) -> Result<Scalar, Failure> {
    let device = &module.device;
    Ok(match ty {
        Type::U8 | Type::S8 => {
            Requirement::Int8.check(device)?;
            module.requirements.insert(Requirement::Storage8);
            Scalar::U8
        }
        Type::U16 | Type::S16 | Type::F16 => {
            Requirement::Int16.check(device)?;
            module.requirements.insert(Requirement::Storage16);
            Scalar::U16
        }
        Type::U32 | Type::S32 => Scalar::U32,
        Type::F32 => Scalar::F32,
        Type::U64 | Type::S64 => module.wide_int_scalar(),
        Type::F64 => Scalar::F64,
    })
}

/// Computes a pointer to a vector of `size` components of type `scalar` at a byte offset from an
/// address.
pub(super) fn compute_global_pointer(
    builder: &mut ValueBuilder,
    address: ValueWord,
    bytes: u32,
    scalar: Scalar,
    size: u8,
) -> ValueWord {
    let address = builder.val(address);
    let address = int64_emulation::add_constant(builder, address, bytes.into());
    let pointee = builder.get_type(scalar, size);
    let ty = builder.pointer_type(StorageClass::PhysicalStorageBuffer, pointee);
    // Without 64-bit integers an address is a vector of two words, which only a bitcast converts to
    // a pointer.
    let op = if address.scalar == Scalar::Pair {
        Spv::Bitcast
    } else {
        Spv::ConvertUToPtr
    };
    let pointer = builder.new_object();
    builder
        .body
        .push_result_inst(op, ty, pointer, &[address.id.0]);
    pointer
}

/// Returns the memory operands: the alignment, which accesses through addresses must state and
/// which is the size of the fetch (NV_gpu_program5 section 2.X.4.5), and volatile for memory that
/// other invocations may access.
fn choose_global_operands(access: &MemAccess, alignment: u32) -> [u32; 2] {
    [
        MemoryAccess::ALIGNED.bits() | volatile_operand(access),
        alignment,
    ]
}

/// Splits an access into vectors that move its components: returns their number and the components
/// of each. Only pairs of words are moved one by one.
fn split_global_access(scalar: Scalar, components: u8) -> (u8, u8) {
    // A pair is already a vector.
    if scalar == Scalar::Pair {
        (components, 1)
    } else {
        (1, components)
    }
}

/// Loads components of type `ty` from a 64-bit address, as one vector or component by component;
/// further lanes are undefined. Integers of less than 32 bits are extended. Returns an error if the
/// device lacks the type.
fn load_global(
    builder: &mut ValueBuilder,
    address: ValueWord,
    ty: Type,
    access: &MemAccess,
) -> Result<[Lane; 4], Failure> {
    let scalar = choose_memory_scalar(builder, ty)?;
    let mut lanes = [Lane::UNDEFINED; 4];
    let bytes = ty.width().bytes();
    let (parts, size) = split_global_access(scalar, access.components);
    for part in 0..parts {
        let pointer =
            compute_global_pointer(builder, address, u32::from(part) * bytes, scalar, size);
        let [operands, alignment] = choose_global_operands(access, bytes * u32::from(size));
        let val = builder.emit_op(Spv::Load, scalar, size, &[pointer.0, operands, alignment]);
        let val = extend_loaded(builder, val, ty);
        for index in 0..size {
            lanes[usize::from(part + index)] = val.lane(usize::from(index));
        }
    }
    Ok(lanes)
}

/// Extends loaded integers of 8 or 16 bits to words by their signedness. Other values are
/// unchanged.
fn extend_loaded(builder: &mut ValueBuilder, val: Val, ty: Type) -> Val {
    if !matches!(val.scalar, Scalar::U8 | Scalar::U16) {
        return val;
    }
    let op = select_by_sign(ty, [Spv::SConvert, Spv::UConvert]);
    builder.emit_unary_to(op, Scalar::U32, val)
}

/// Stores components of type `ty` to a 64-bit address, as one vector or component by component.
/// Returns an error if the device lacks the type. Integers of less than 32 bits are truncated.
fn store_global(
    builder: &mut ValueBuilder,
    address: ValueWord,
    ty: Type,
    access: &MemAccess,
    values: [Lane; 4],
) -> Result<(), Failure> {
    let scalar = choose_memory_scalar(builder, ty)?;
    let bytes = ty.width().bytes();
    let (parts, size) = split_global_access(scalar, access.components);
    for part in 0..parts {
        // Either one part of all lanes, or parts of one lane each.
        let lanes = &values[usize::from(part)..usize::from(part + size)];
        let value = if matches!(scalar, Scalar::U8 | Scalar::U16) {
            let words = builder.gather_vector(lanes, Scalar::U32);
            builder.emit_unary_to(Spv::UConvert, scalar, words).id
        } else if scalar == Scalar::Pair {
            builder.read_lane(lanes[0], scalar)
        } else {
            builder.gather_vector(lanes, scalar).id
        };
        let pointer =
            compute_global_pointer(builder, address, u32::from(part) * bytes, scalar, size);
        let [operands, alignment] = choose_global_operands(access, bytes * u32::from(size));
        builder
            .body
            .push_inst(Spv::Store, &[pointer.0, value.0, operands, alignment]);
    }
    Ok(())
}

/// Returns scope and semantics of atomics on a kind of memory. They are relaxed: accesses are
/// weakly ordered (NV_gpu_program5 section 2.X.4.5), and programs order them with MEMBAR. The scope
/// is the work group for shared memory, else the device; `None` is memory outside of buffers.
pub(in crate::emit) fn choose_atomic_scope(
    module: &mut ModuleWriter,
    kind: Option<BufferKind>,
) -> (ValueWord, ValueWord) {
    let scope = if kind == Some(BufferKind::Shared) {
        Scope::Workgroup
    } else {
        Scope::Device
    };
    (module.constant_u32(scope as u32), module.constant_u32(0))
}

/// Returns the memory operand of accesses that are coherent or volatile, 0 for other accesses.
pub(super) fn volatile_operand(access: &MemAccess) -> u32 {
    let volatile_flags = MemFlags::COHERENT | MemFlags::VOLATILE;
    if access.flags.intersects(volatile_flags) {
        MemoryAccess::VOLATILE.bits()
    } else {
        0
    }
}
