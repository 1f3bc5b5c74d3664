//! Memory and the instructions that access it. Out-of-bounds reads return 0, out-of-bounds writes
//! have no effect, and neither have writes of helper invocations to memory that other invocations
//! can read.

use std::cmp::Ordering;

use super::alu;
use super::convert::{compare, get_lane_mask};
use super::environment::{ProgramMemory, TextureSource};
use super::machine::Machine;
use super::observer::Observer;
use crate::arena::Id;
use crate::inst::{Inst, InstData, get_source_type};
use crate::op::Op;
use crate::resource::{AtomicOp, BufferId, BufferKind, MemAccess, MemorySpace};
use crate::types::{Type, Width};

/// A location in memory.
#[derive(Clone, Copy)]
enum Address {
    Global(u64),
    Buffer {
        buffer: BufferId,
        element: usize,
        offset: u64,
    },
}

impl Address {
    /// Returns the address that is `bytes` bytes higher in the same memory; the sum wraps.
    const fn add_bytes(self, bytes: u64) -> Self {
        match self {
            Self::Global(address) => Self::Global(address.wrapping_add(bytes)),
            Self::Buffer {
                buffer,
                element,
                offset,
            } => Self::Buffer {
                buffer,
                element,
                offset: offset.wrapping_add(bytes),
            },
        }
    }
}

/// Returns `len` bytes from `offset` on; `None` if they are not all within `bytes`.
fn get_byte_range(bytes: &mut [u8], offset: u64, len: usize) -> Option<&mut [u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get_mut(start..start.checked_add(len)?)
}

impl ProgramMemory {
    /// Returns the bytes of a value in memory; `None` if they are not all within one region or
    /// buffer, or the buffer does not exist.
    fn find_bytes(&mut self, address: Address, width: Width) -> Option<&mut [u8]> {
        let len = width.bytes() as usize;
        match address {
            Address::Global(address) => self.regions.iter_mut().find_map(|region| {
                let offset = address.checked_sub(region.address)?;
                get_byte_range(&mut region.bytes, offset, len)
            }),
            Address::Buffer {
                buffer,
                element,
                offset,
            } => get_byte_range(
                self.buffers.get_mut(buffer.index())?.get_mut(element)?,
                offset,
                len,
            ),
        }
    }

    /// Reads a little-endian number; `None` for an address outside of the memory.
    fn read_value(&mut self, address: Address, width: Width) -> Option<u64> {
        let bytes = self.find_bytes(address, width)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |value, &byte| value << 8 | u64::from(byte)),
        )
    }

    /// Writes the low bytes of a number in little-endian order; ignores addresses outside of the
    /// memory.
    fn write_value(&mut self, address: Address, width: Width, value: u64) {
        if let Some(bytes) = self.find_bytes(address, width) {
            bytes.copy_from_slice(&value.to_le_bytes()[..width.bytes() as usize]);
        }
    }
}

impl<T: TextureSource, O: Observer> Machine<'_, '_, T, O> {
    /// Returns the address of an access: lane x of source `source` plus the constant offset, in
    /// global memory or in the selected buffer.
    fn compute_address(&self, inst: &Inst, access: &MemAccess, source: usize) -> Address {
        let value = self.load_source(inst, source)[0]
            & get_lane_mask(get_source_type(self.program, inst, source).width());
        let offset = i64::from(access.offset);
        match access.space {
            MemorySpace::Global => Address::Global(value.wrapping_add_signed(offset)),
            MemorySpace::Buffer(buffer) => {
                let len = self.program.buffers[buffer].array_len.unwrap_or(1);
                let element = access
                    .element
                    .map_or(0, |element| self.clamp_element(element, len));
                Address::Buffer {
                    buffer,
                    element,
                    offset: value.wrapping_add_signed(offset),
                }
            }
        }
    }

    /// Returns true if an address is in private memory.
    fn is_private(&self, address: Address) -> bool {
        matches!(address, Address::Buffer { buffer, .. }
            if self.program.buffers[buffer].kind == BufferKind::Private)
    }

    /// Returns true if an address is within the declared size of a constant buffer, or has no such
    /// size.
    fn is_in_declared_size(&self, address: Address) -> bool {
        let Address::Buffer { buffer, offset, .. } = address else {
            return true;
        };
        let buffer = &self.program.buffers[buffer];
        let size = buffer
            .size
            .filter(|_| buffer.kind == BufferKind::ProgramParameter);
        size.is_none_or(|size| offset < u64::from(size))
    }

    /// Returns the memory that contains an address: that of the invocation for private buffers,
    /// else that of the environment.
    fn select_memory(&mut self, address: Address) -> &mut ProgramMemory {
        if self.is_private(address) {
            &mut self.current.private_memory
        } else {
            &mut self.environment.memory
        }
    }

    /// Returns the memory access of an instruction; `None` if it has other data.
    fn find_mem_access(&self, inst: &Inst) -> Option<MemAccess> {
        if let InstData::Mem(id) = inst.data {
            Some(self.program.mem_accesses[id])
        } else {
            None
        }
    }

    /// Returns true if an access to memory, which has not been executed yet, is not within its buffer
    /// or region with all components; false for other instructions.
    pub(super) fn is_memory_out_of_bounds(&mut self, inst: &Inst) -> bool {
        let Some(access) = self.find_mem_access(inst) else {
            return false;
        };
        if inst.op == Op::BufferSize {
            return false;
        }
        let source = usize::from(inst.op != Op::Load);
        let (address, width) = (self.compute_address(inst, &access, source), inst.ty.width());
        (0..u64::from(access.components)).any(|component| {
            let element = address.add_bytes(component * u64::from(width.bytes()));
            let value = self.select_memory(element).read_value(element, width);
            value.is_none() || !self.is_in_declared_size(element)
        })
    }

    /// Executes a load from memory and stores its result. Components that are out of bounds or not
    /// loaded are 0. NV_gpu_program5 section 2.X.8.Z, LOAD.
    pub(super) fn execute_load(&mut self, inst: &Inst) {
        let Some(access) = self.find_mem_access(inst) else {
            return;
        };
        let (address, width) = (self.compute_address(inst, &access, 0), inst.ty.width());
        let mut lanes = [0; 4];
        for (position, lane) in lanes.iter_mut().enumerate().take(access.components.into()) {
            // Each element is checked separately: an access that begins in bounds may end out of
            // bounds.
            let element = address.add_bytes(position as u64 * u64::from(width.bytes()));
            let value = self.select_memory(element).read_value(element, width);
            *lane = value
                .filter(|_| self.is_in_declared_size(element))
                .unwrap_or(0);
        }
        self.store_result(inst, lanes);
    }

    /// Stores the size in bytes of a buffer after the address of the access, rounded down to words,
    /// as the result in all lanes.
    pub(super) fn execute_buffer_size(&mut self, inst: &Inst) {
        let Some(access) = self.find_mem_access(inst) else {
            return;
        };
        let address = self.compute_address(inst, &access, 0);
        let mut bytes = 0;
        while bytes < u64::from(u32::MAX) {
            let word_address = address.add_bytes(bytes);
            if self
                .select_memory(word_address)
                .read_value(word_address, Width::W32)
                .is_none()
            {
                break;
            }
            bytes += 4;
        }
        self.store_result(inst, [bytes; 4]);
    }

    /// Executes a store to memory, which helper invocations omit except in private memory.
    /// Components out of bounds are ignored. NV_gpu_program5 section 2.X.8.Z, STORE.
    pub(super) fn execute_store(&mut self, inst: &Inst) {
        let Some(access) = self.find_mem_access(inst) else {
            return;
        };
        let (address, width) = (self.compute_address(inst, &access, 1), inst.ty.width());
        if self.current.demoted && !self.is_private(address) {
            return;
        }
        let lanes = self.load_source(inst, 0);
        for (position, &lane) in lanes.iter().enumerate().take(access.components.into()) {
            let element = address.add_bytes(position as u64 * u64::from(width.bytes()));
            self.select_memory(element)
                .write_value(element, width, lane);
        }
    }

    /// Executes an atomic operation: replaces the value in memory and stores the old one as the
    /// result. NV_gpu_program5 section 2.X.8.Z, ATOM. The result is 0 out of bounds and for helper
    /// invocations, which do not change memory.
    pub(super) fn execute_atomic(&mut self, inst: &Inst) {
        let Some(access) = self.find_mem_access(inst) else {
            return;
        };
        let (address, width) = (self.compute_address(inst, &access, 1), inst.ty.width());
        let values = self.load_source(inst, 0);
        let demoted = self.current.demoted && !self.is_private(address);
        let memory = self.select_memory(address);
        // Helper invocations do not modify memory; they receive the result of an out-of-bounds
        // access.
        let mut update = |address, x, y| {
            let old = memory.read_value(address, width).filter(|_| !demoted)?;
            memory.write_value(
                address,
                width,
                apply_atomic(access.atomic, inst.ty, old, x, y),
            );
            Some(old)
        };
        let result = if access.components == 1 {
            // NV_gpu_program5 section 2.X.8.Z, ATOM: the old value is in lane x, the other lanes
            // are undefined.
            [update(address, values[0], values[1]).unwrap_or(0); 4]
        } else {
            let mut result = [0; 4];
            for (position, old) in result.iter_mut().enumerate().take(access.components.into()) {
                let element_address = address.add_bytes(position as u64 * u64::from(width.bytes()));
                *old = update(element_address, values[position], 0).unwrap_or(0);
            }
            result
        };
        self.store_result(inst, result);
    }
}

/// Returns the value that an atomic operation stores: `old` is the value in memory, `x` the
/// operand, `y` the second operand of a compare-and-exchange. Without an operation it is `old`.
pub(super) fn apply_atomic(op: Option<AtomicOp>, ty: Type, old: u64, x: u64, y: u64) -> u64 {
    let is_below = |a: u64, b: u64| compare(ty, a, b) == Some(Ordering::Less);
    match op {
        Some(AtomicOp::Add) => alu::eval_add(ty, [old, x]),
        Some(AtomicOp::Min) => alu::eval_min(ty, [old, x]),
        Some(AtomicOp::Max) => alu::eval_max(ty, [old, x]),
        // IWRAP and DWRAP: NV_gpu_program5 section 2.X.8.Z, ATOM.
        Some(AtomicOp::IncWrap) if is_below(old, x) => alu::eval_add(ty, [old, 1]),
        Some(AtomicOp::IncWrap) => 0,
        Some(AtomicOp::DecWrap) if old == 0 || is_below(x, old) => x,
        Some(AtomicOp::DecWrap) => alu::eval_sub(ty, [old, 1]),
        Some(AtomicOp::And) => old & x,
        Some(AtomicOp::Or) => old | x,
        Some(AtomicOp::Xor) => old ^ x,
        Some(AtomicOp::Exchange) => x,
        Some(AtomicOp::CompareExchange) if old == x => y,
        Some(AtomicOp::CompareExchange) | None => old,
    }
}
