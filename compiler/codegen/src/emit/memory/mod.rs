//! Memory accesses: loads, stores and barriers.
//!
//! Global memory is accessed by pointers converted from 64-bit addresses, all other memory by
//! `buffer`, which declares variables; `place` computes positions in them, `member` selects a
//! descriptor. `array` and `zeroed` implement registers in memory, `element` the elements that
//! indices select.

pub(super) mod array;
pub(super) mod atomic;
pub(super) mod buffer;
pub(super) mod element;
pub(super) mod member;
pub(super) mod place;
pub(super) mod resource_use;
pub(super) mod word_access;
pub(super) mod zeroed;

use crate::builder::{Lane, ModuleWriter, Scalar, Val, ValueBuilder, by_sign, wide};
use crate::capability::Need;
use crate::emit::cx::{BufferEmitter, InstCx, Outcome};
use crate::emit::memory::place::BufferPlace;
use crate::emit::memory::word_access::apply_word_op;
use crate::error::{Error, Failure};
use crate::words::ValueWord;
use glasm_ir::resource::{BufferKind, MemFlags, MemSpace};
use glasm_ir::{Aux, MemAccess, Src, Stage, Type, Width};
use spirv::{MemoryAccess, MemorySemantics, Op as Spv, Scope, StorageClass};

/// Memory location that one instruction accesses.
#[derive(Clone, Copy, Debug)]
pub(super) enum Address {
    /// 64-bit address.
    Global(ValueWord),
    /// Position in a buffer.
    Buffer(BufferPlace),
}

impl BufferEmitter<'_, '_> {
    /// Returns the access data of a memory instruction.
    pub(super) fn find_mem_access(&self, cx: InstCx<'_>) -> Result<MemAccess, Failure> {
        match cx.inst.aux {
            Aux::Mem(id) => Ok(self.f.program.mem_accesses[id]),
            Aux::None | Aux::Cvt { .. } | Aux::Tex(_) | Aux::Image(_) => Err(Error::unsupported(
                "a memory instruction without access data",
            )),
        }
    }

    /// Loads the address in source `number`.
    pub(super) fn load_address(
        &mut self,
        cx: InstCx<'_>,
        access: &MemAccess,
        number: usize,
    ) -> Result<Address, Failure> {
        let program = self.f.program;
        let src: &Src = &program.srcs[cx.inst.first_source as usize + number];
        match access.space {
            MemSpace::Global => {
                self.f.w.require(Need::Addresses)?;
                let address = self.f.load_source_as(src, Type::U64, 1)?;
                // Offsets are signed, addresses are not: a negative sum wraps.
                let offset = i64::from(access.offset) as u64;
                Ok(Address::Global(
                    wide::add_constant(self.f.w, address, offset).id,
                ))
            }
            MemSpace::Buffer(buffer) => {
                let start = self.f.load_source_as(src, Type::U32, 1)?;
                let (op, of_known) = (Spv::IAdd, u32::wrapping_add);
                let offset = apply_word_op(self.f.w, op, start, access.offset as u32, of_known);
                Ok(Address::Buffer(self.choose_place(buffer, access, offset)?))
            }
        }
    }

    /// Emits `Load`.
    pub(in crate::emit) fn emit_load(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let access = self.find_mem_access(cx)?;
        let mut lanes = match self.load_address(cx, &access, 0)? {
            Address::Global(address) => load_global(self.f.w, address, cx.inst.ty, &access)?,
            Address::Buffer(place) => self.load_buffer(place, cx.inst.ty, &access, cx.lanes)?,
        };
        // NV_gpu_program5 section 2.X.4.5: components that are not loaded are zero.
        let zero = match cx.inst.ty.width() {
            Width::W64 => self.f.w.wide_int(),
            Width::W8 | Width::W16 | Width::W32 => Scalar::U32,
        };
        let zero = Lane::scalar(self.f.w.constant(zero, 0));
        lanes[usize::from(access.components)..].fill(zero);
        Ok(Outcome::Lanes(lanes))
    }

    /// Emits `BufferSize`.
    pub(in crate::emit) fn emit_buffer_size(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let access = self.find_mem_access(cx)?;
        let Address::Buffer(place) = self.load_address(cx, &access, 0)? else {
            return Err(Error::unsupported("global memory has no size"));
        };
        Ok(Outcome::Lanes(self.compute_byte_size(place)?.alone()))
    }

    /// Emits `Store`.
    pub(in crate::emit) fn emit_store(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let access = self.find_mem_access(cx)?;
        let program = self.f.program;
        let src = &program.srcs[cx.inst.first_source as usize];
        // Narrow values are in the low bits; a store accepts them unchanged.
        let ty = if cx.inst.ty.width().bits() < 32 {
            Type::U32
        } else {
            cx.inst.ty
        };
        let values = if is_pair(self.f.w, ty) {
            let mut lanes = [Lane::UNDEFINED; 4];
            for (index, lane) in lanes[..usize::from(access.components)]
                .iter_mut()
                .enumerate()
            {
                *lane = self.f.load_source_as(src, ty, 1 << index)?.lane(0);
            }
            lanes
        } else {
            let val = self.f.load_source_as(src, ty, access.element_lanes())?;
            std::array::from_fn(|lane| val.lane(lane))
        };
        match self.load_address(cx, &access, 1)? {
            Address::Global(address) => {
                store_global(self.f.w, address, cx.inst.ty, &access, values)?
            }
            Address::Buffer(place) => self.store_buffer(place, cx.inst.ty, &access, values)?,
        }
        Ok(Outcome::None)
    }
}

/// Emits a barrier that orders all memory accesses of the invocation: EXT_shader_image_load_store
/// section 2.X.8.Z, MEMBAR.
pub(in crate::emit) fn emit_memory_barrier(w: &mut ValueBuilder) -> Result<Outcome, Failure> {
    // Without bits for kinds of memory a barrier orders none of it (SPIR-V, Memory Semantics).
    // MEMBAR orders all transactions; with CTA (NV_compute_program5) only the group needs to
    // observe the order, for which this is stronger than required.
    let mut semantics = MemorySemantics::ACQUIRE_RELEASE
        | MemorySemantics::UNIFORM_MEMORY
        | MemorySemantics::IMAGE_MEMORY;
    // Only compute stages have shared memory.
    if w.stage() == Stage::Compute {
        semantics |= MemorySemantics::WORKGROUP_MEMORY;
    }
    // Other draws and stages may read the memory, too.
    let scope = w.uint(Scope::Device as u32);
    let semantics = w.uint(semantics.bits());
    w.body.op(Spv::MemoryBarrier, &[scope.0, semantics.0]);
    Ok(Outcome::None)
}

/// Emits a barrier of the work group.
pub(in crate::emit) fn emit_barrier(w: &mut ValueBuilder) -> Result<Outcome, Failure> {
    match w.stage() {
        Stage::Compute => {}
        // It orders outputs implicitly (Vulkan, `TessellationControl`).
        Stage::TessControl => {
            let [group, own] = [Scope::Workgroup, Scope::Invocation];
            let [group, own, none] = [group as u32, own as u32, 0].map(|word| w.uint(word).0);
            w.body.op(Spv::ControlBarrier, &[group, own, none]);
            return Ok(Outcome::None);
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
    let scope = w.uint(Scope::Workgroup as u32);
    let semantics = w.uint(semantics.bits());
    w.body
        .op(Spv::ControlBarrier, &[scope.0, scope.0, semantics.0]);
    Ok(Outcome::None)
}

fn is_pair(w: &ModuleWriter, ty: Type) -> bool {
    w.read_scalar(ty) == Scalar::Pair
}

/// Chooses the scalar that represents a type in memory.
fn choose_memory_scalar(w: &mut ModuleWriter, ty: Type) -> Result<Scalar, Failure> {
    let device = &w.device;
    Ok(match ty {
        Type::U8 | Type::S8 => {
            Need::Int8.check(device)?;
            w.needs.insert(Need::Storage8);
            Scalar::U8
        }
        Type::U16 | Type::S16 | Type::F16 => {
            Need::Int16.check(device)?;
            w.needs.insert(Need::Storage16);
            Scalar::U16
        }
        Type::U32 | Type::S32 => Scalar::U32,
        Type::F32 => Scalar::F32,
        Type::U64 | Type::S64 => w.wide_int(),
        Type::F64 => Scalar::F64,
    })
}

/// Computes a pointer to a vector of `size` components at a byte offset from an address.
pub(super) fn compute_global_pointer(
    w: &mut ValueBuilder,
    address: ValueWord,
    bytes: u32,
    scalar: Scalar,
    size: u8,
) -> ValueWord {
    let address = w.val(address);
    let address = wide::add_constant(w, address, bytes.into());
    let pointee = w.ty(scalar, size);
    let ty = w.pointer(StorageClass::PhysicalStorageBuffer, pointee);
    // Without 64-bit integers an address is a vector of two words, which only a bitcast converts to
    // a pointer.
    let op = if address.scalar == Scalar::Pair {
        Spv::Bitcast
    } else {
        Spv::ConvertUToPtr
    };
    let pointer = w.object();
    w.body.result(op, ty, pointer, &[address.id.0]);
    pointer
}

/// Returns the memory operands: the alignment, which accesses through addresses must state and
/// which is the size of the fetch (NV_gpu_program5 section 2.X.4.5), and volatile for memory that
/// other invocations may access.
fn choose_global_operands(access: &MemAccess, alignment: u32) -> [u32; 2] {
    [MemoryAccess::ALIGNED.bits() | volatile(access), alignment]
}

/// Splits an access into vectors that move its components: returns their number and the components
/// of each.
fn split_global_access(scalar: Scalar, components: u8) -> (u8, u8) {
    // A pair is already a vector.
    if scalar == Scalar::Pair {
        (components, 1)
    } else {
        (1, components)
    }
}

fn load_global(
    w: &mut ValueBuilder,
    address: ValueWord,
    ty: Type,
    access: &MemAccess,
) -> Result<[Lane; 4], Failure> {
    let scalar = choose_memory_scalar(w, ty)?;
    let mut lanes = [Lane::UNDEFINED; 4];
    let bytes = ty.width().bytes();
    let (parts, size) = split_global_access(scalar, access.components);
    for part in 0..parts {
        let pointer = compute_global_pointer(w, address, u32::from(part) * bytes, scalar, size);
        let [operands, alignment] = choose_global_operands(access, bytes * u32::from(size));
        let val = w.op(Spv::Load, scalar, size, &[pointer.0, operands, alignment]);
        let val = widen_narrow(w, val, ty);
        for index in 0..size {
            lanes[usize::from(part + index)] = val.lane(usize::from(index));
        }
    }
    Ok(lanes)
}

/// Extends narrow integers in memory to words.
fn widen_narrow(w: &mut ValueBuilder, val: Val, ty: Type) -> Val {
    if !matches!(val.scalar, Scalar::U8 | Scalar::U16) {
        return val;
    }
    let op = by_sign(ty, [Spv::SConvert, Spv::UConvert]);
    w.unary_to(op, Scalar::U32, val)
}

fn store_global(
    w: &mut ValueBuilder,
    address: ValueWord,
    ty: Type,
    access: &MemAccess,
    values: [Lane; 4],
) -> Result<(), Failure> {
    let scalar = choose_memory_scalar(w, ty)?;
    let bytes = ty.width().bytes();
    let (parts, size) = split_global_access(scalar, access.components);
    for part in 0..parts {
        // Either one part of all lanes, or parts of one lane each.
        let lanes = &values[usize::from(part)..usize::from(part + size)];
        let value = if matches!(scalar, Scalar::U8 | Scalar::U16) {
            let words = w.gather_vector(lanes, Scalar::U32);
            w.unary_to(Spv::UConvert, scalar, words).id
        } else if scalar == Scalar::Pair {
            w.scalar(lanes[0], scalar)
        } else {
            w.gather_vector(lanes, scalar).id
        };
        let pointer = compute_global_pointer(w, address, u32::from(part) * bytes, scalar, size);
        let [operands, alignment] = choose_global_operands(access, bytes * u32::from(size));
        w.body
            .op(Spv::Store, &[pointer.0, value.0, operands, alignment]);
    }
    Ok(())
}

/// Returns scope and semantics of atomics on a kind of memory. They are relaxed: accesses are
/// weakly ordered (NV_gpu_program5 section 2.X.4.5), and programs order them with MEMBAR.
pub(in crate::emit) fn choose_atomic_scope(
    w: &mut ModuleWriter,
    kind: Option<BufferKind>,
) -> (ValueWord, ValueWord) {
    let scope = if kind == Some(BufferKind::Shared) {
        Scope::Workgroup
    } else {
        Scope::Device
    };
    (w.uint(scope as u32), w.uint(0))
}

/// Returns the memory operand of accesses that are coherent or volatile.
pub(super) fn volatile(access: &MemAccess) -> u32 {
    let kept = MemFlags::COHERENT | MemFlags::VOLATILE;
    if access.flags.intersects(kept) {
        MemoryAccess::VOLATILE.bits()
    } else {
        0
    }
}
