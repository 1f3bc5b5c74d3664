//! Memory and the instructions that access it. Out-of-bounds reads return 0, out-of-bounds writes
//! have no effect, and neither have writes of helper invocations to memory that other invocations
//! can read.

use std::cmp::Ordering;

use super::alu;
use super::environment::{ProgramMemory, Textures};
use super::machine::Machine;
use super::value::{compare, lane_mask};
use crate::arena::Id;
use crate::inst::{Aux, Inst, source_type};
use crate::resource::{AtomicOp, BufferId, BufferKind, MemAccess, MemSpace};
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

fn get_part(bytes: &mut [u8], offset: u64, len: usize) -> Option<&mut [u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get_mut(start..start.checked_add(len)?)
}

impl ProgramMemory {
    fn get_bytes(&mut self, address: Address, width: Width) -> Option<&mut [u8]> {
        let len = width.bytes() as usize;
        match address {
            Address::Global(address) => self.regions.iter_mut().find_map(|region| {
                let offset = address.checked_sub(region.address)?;
                get_part(&mut region.bytes, offset, len)
            }),
            Address::Buffer {
                buffer,
                element,
                offset,
            } => get_part(
                self.buffers.get_mut(buffer.index())?.get_mut(element)?,
                offset,
                len,
            ),
        }
    }

    /// Returns a little-endian number.
    fn read(&mut self, address: Address, width: Width) -> Option<u64> {
        let bytes = self.get_bytes(address, width)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |value, &byte| value << 8 | u64::from(byte)),
        )
    }

    fn write(&mut self, address: Address, width: Width, value: u64) {
        if let Some(bytes) = self.get_bytes(address, width) {
            bytes.copy_from_slice(&value.to_le_bytes()[..width.bytes() as usize]);
        }
    }
}

impl<T: Textures> Machine<'_, '_, T> {
    fn compute_address(&self, inst: &Inst, access: &MemAccess, source: usize) -> Address {
        let value =
            self.load(inst, source)[0] & lane_mask(source_type(self.program, inst, source).width());
        let offset = i64::from(access.offset);
        match access.space {
            MemSpace::Global => Address::Global(value.wrapping_add_signed(offset)),
            MemSpace::Buffer(buffer) => {
                let len = self.program.buffers[buffer].array.unwrap_or(1);
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

    /// Returns true if an address is within the declared size of a constant buffer.
    fn is_declared(&self, address: Address) -> bool {
        let Address::Buffer { buffer, offset, .. } = address else {
            return true;
        };
        let buffer = &self.program.buffers[buffer];
        let size = buffer.size.filter(|_| buffer.kind == BufferKind::Constant);
        size.is_none_or(|size| offset < u64::from(size))
    }

    /// Returns the memory that contains an address.
    fn get_memory(&mut self, address: Address) -> &mut ProgramMemory {
        if self.is_private(address) {
            &mut self.own.private
        } else {
            &mut self.environment.memory
        }
    }

    fn find_mem_access(&self, inst: &Inst) -> Option<MemAccess> {
        if let Aux::Mem(id) = inst.aux {
            Some(self.program.mem_accesses[id])
        } else {
            None
        }
    }

    pub(super) fn load_memory(&mut self, inst: &Inst) {
        let Some(access) = self.find_mem_access(inst) else {
            return;
        };
        let (address, width) = (self.compute_address(inst, &access, 0), inst.ty.width());
        let mut lanes = [0; 4];
        for (position, lane) in lanes.iter_mut().enumerate().take(access.components.into()) {
            // Each element is checked separately: an access that begins in bounds may end out of
            // bounds.
            let element = address.add_bytes(position as u64 * u64::from(width.bytes()));
            let value = self.get_memory(element).read(element, width);
            *lane = value.filter(|_| self.is_declared(element)).unwrap_or(0);
        }
        self.store(inst, lanes);
    }

    /// Stores the size of a buffer in bytes, rounded down to words.
    pub(super) fn load_buffer_size(&mut self, inst: &Inst) {
        let Some(access) = self.find_mem_access(inst) else {
            return;
        };
        let address = self.compute_address(inst, &access, 0);
        let mut bytes = 0;
        while bytes < u64::from(u32::MAX) {
            let place = address.add_bytes(bytes);
            if self.get_memory(place).read(place, Width::W32).is_none() {
                break;
            }
            bytes += 4;
        }
        self.store(inst, [bytes; 4]);
    }

    pub(super) fn store_memory(&mut self, inst: &Inst) {
        let Some(access) = self.find_mem_access(inst) else {
            return;
        };
        let (address, width) = (self.compute_address(inst, &access, 1), inst.ty.width());
        if self.own.demoted && !self.is_private(address) {
            return;
        }
        let lanes = self.load(inst, 0);
        for (position, &lane) in lanes.iter().enumerate().take(access.components.into()) {
            let element = address.add_bytes(position as u64 * u64::from(width.bytes()));
            self.get_memory(element).write(element, width, lane);
        }
    }

    pub(super) fn execute_atomic(&mut self, inst: &Inst) {
        let Some(access) = self.find_mem_access(inst) else {
            return;
        };
        let (address, width) = (self.compute_address(inst, &access, 1), inst.ty.width());
        let values = self.load(inst, 0);
        let demoted = self.own.demoted && !self.is_private(address);
        let memory = self.get_memory(address);
        // Helper invocations do not modify memory; they receive the result of an out-of-bounds
        // access.
        let mut update = |address, x, y| {
            let old = memory.read(address, width).filter(|_| !demoted)?;
            memory.write(
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
                let place = address.add_bytes(position as u64 * u64::from(width.bytes()));
                *old = update(place, values[position], 0).unwrap_or(0);
            }
            result
        };
        self.store(inst, result);
    }
}

/// Returns the value that an atomic stores.
fn apply_atomic(op: Option<AtomicOp>, ty: Type, old: u64, x: u64, y: u64) -> u64 {
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
