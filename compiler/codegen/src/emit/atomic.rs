//! Atomic read-modify-write. What SPIR-V has no operation for is a loop of compare-exchange.

use super::Emit;
use super::inst::Job;
use super::memory::Address;
use super::result::Outcome;
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::gather::Lane;
use crate::words::ValueWord;
use crate::writer::{Home, Scalar, Val};
use glasm_ir::resource::{AtomicOp, BufferKind};
use glasm_ir::{Type, Width};
use spirv::{LoopControl, Op as Spv};

/// What an atomic works on.
#[derive(Clone, Copy)]
struct Cell {
    pointer: ValueWord,
    kind: Option<BufferKind>,
    /// The integer in memory.
    scalar: Scalar,
    ty: Type,
}

impl Emit<'_> {
    /// `Atomic`
    pub(super) fn atomic(&mut self, job: Job<'_>) -> Result<Outcome, Failure> {
        let access = self.mem_access(job)?;
        let op = access.atomic.unwrap_or(AtomicOp::Exchange);
        let ty = job.inst.ty;
        if ty.width().bits() < 32 {
            return Err(Error::unsupported("atomics of less than 32 bits"));
        }
        let value = self.source(job.inst, 0, 0b01)?;
        let second = if op == AtomicOp::CompareExchange {
            Some(self.source(job.inst, 0, 0b10)?)
        } else {
            None
        };
        let cell = self.atomic_cell(job)?;
        let value = self.reread(value, cell.scalar);
        let second = second.map(|second| self.reread(second, cell.scalar));
        let old = self.atomic_op(op, cell, value, second);
        Ok(Outcome::Lanes([old.lane(0); 4]))
    }

    fn atomic_cell(&mut self, job: Job<'_>) -> Result<Cell, Failure> {
        let access = self.mem_access(job)?;
        let ty = job.inst.ty;
        let wide = ty.width() == Width::W64;
        if wide && !self.options.device.int64 {
            return Err(Error::missing_feature("shaderInt64"));
        }
        if wide && !self.options.device.int64_atomics {
            return Err(Error::missing_feature("shaderBufferInt64Atomics"));
        }
        let scalar = if wide { Scalar::U64 } else { Scalar::U32 };
        let (pointer, kind) = match self.address(job, &access, 1)? {
            Address::Global(address) => {
                if wide {
                    self.w.needs.insert(Need::Int64Atomics);
                }
                (self.global_pointer(address, scalar, 1), None)
            }
            Address::Buffer {
                buffer,
                element,
                offset,
            } => {
                let kind = self.program.buffers[buffer].kind;
                if kind == BufferKind::Constant {
                    return Err(Error::unsupported("constant buffers cannot be written"));
                }
                if wide {
                    return Err(Error::unsupported(
                        "64-bit atomics on buffers and shared memory",
                    ));
                }
                let two = self.constant_like(offset, 2);
                let word = self.binary(Spv::ShiftRightLogical, offset, two);
                (self.word_pointer(buffer, element, word), Some(kind))
            }
        };
        Ok(Cell {
            pointer,
            kind,
            scalar,
            ty,
        })
    }

    fn atomic_op(&mut self, op: AtomicOp, cell: Cell, value: Val, second: Option<Val>) -> Val {
        let float = cell.ty.is_float();
        let signed = cell.ty.is_signed_int();
        let native = match op {
            AtomicOp::Add if !float => Spv::AtomicIAdd,
            AtomicOp::Min if signed => Spv::AtomicSMin,
            AtomicOp::Min if !float => Spv::AtomicUMin,
            AtomicOp::Max if signed => Spv::AtomicSMax,
            AtomicOp::Max if !float => Spv::AtomicUMax,
            AtomicOp::And => Spv::AtomicAnd,
            AtomicOp::Or => Spv::AtomicOr,
            AtomicOp::Xor => Spv::AtomicXor,
            AtomicOp::Exchange => Spv::AtomicExchange,
            AtomicOp::CompareExchange => {
                let new = second.unwrap_or(value);
                return self.compare_exchange(cell, value, new);
            }
            AtomicOp::Add
            | AtomicOp::Min
            | AtomicOp::Max
            | AtomicOp::IncWrap
            | AtomicOp::DecWrap => {
                return self.exchange_loop(op, cell, value);
            }
        };
        let (scope, relaxed) = self.atomic_scope(cell.kind);
        let operands = [cell.pointer.0, scope.0, relaxed.0, value.id.0];
        self.w.op(native, cell.scalar, 1, &operands)
    }

    fn compare_exchange(&mut self, cell: Cell, comparator: Val, new: Val) -> Val {
        let (scope, relaxed) = self.atomic_scope(cell.kind);
        // SPIR-V puts the new value before the one compared.
        let operands = [
            cell.pointer.0,
            scope.0,
            relaxed.0,
            relaxed.0,
            new.id.0,
            comparator.id.0,
        ];
        self.w
            .op(Spv::AtomicCompareExchange, cell.scalar, 1, &operands)
    }

    /// Computes the new value from the old one until nobody interferes.
    fn exchange_loop(&mut self, op: AtomicOp, cell: Cell, value: Val) -> Val {
        let (scope, relaxed) = self.atomic_scope(cell.kind);
        let operands = [cell.pointer.0, scope.0, relaxed.0];
        let first = self.w.op(Spv::AtomicLoad, cell.scalar, 1, &operands);
        let [header, body, next, merge] = std::array::from_fn(|_| self.w.label());
        let entry = self.block;
        self.w.body.op(Spv::Branch, &[header.0]);
        self.begin_block(header);
        let ty = self.w.ty(cell.scalar, 1);
        let old = self.w.value(cell.scalar, 1, Home::Body);
        let phi = self.w.body.len();
        self.w
            .body
            .result(Spv::Phi, ty, old, &[first.id.0, entry.0, 0, next.0]);
        let none = LoopControl::NONE.bits();
        self.w.body.op(Spv::LoopMerge, &[merge.0, next.0, none]);
        self.w.body.op(Spv::Branch, &[body.0]);
        self.begin_block(body);
        let old = self.w.val(old);
        let new = self.updated(op, cell, old, value);
        let seen = self.compare_exchange(cell, old, new);
        self.w.body.0[phi + 5] = seen.id.0;
        let done = self.compare(Spv::IEqual, Scalar::BoolInt, seen, old);
        self.w
            .body
            .op(Spv::BranchConditional, &[done.id.0, merge.0, next.0]);
        self.begin_block(next);
        self.w.body.op(Spv::Branch, &[header.0]);
        self.begin_block(merge);
        seen
    }

    /// What an atomic that SPIR-V lacks leaves in memory.
    fn updated(&mut self, op: AtomicOp, cell: Cell, old: Val, value: Val) -> Val {
        let signed = cell.ty.is_signed_int();
        let less = if signed {
            Spv::SLessThan
        } else {
            Spv::ULessThan
        };
        let one = self.constant_like(old, 1);
        match op {
            AtomicOp::IncWrap => {
                let below = self.compare(less, Scalar::BoolInt, old, value);
                let more = self.binary(Spv::IAdd, old, one);
                let zero = self.constant_like(old, 0);
                self.select(below, more, zero)
            }
            AtomicOp::DecWrap => {
                let zero = self.compare_bits(Spv::IEqual, old, 0);
                let above = self.compare(less, Scalar::BoolInt, value, old);
                let wraps = self.truth_op(Spv::LogicalOr, zero, above);
                let fewer = self.binary(Spv::ISub, old, one);
                self.select(wraps, value, fewer)
            }
            AtomicOp::Add
            | AtomicOp::Min
            | AtomicOp::Max
            | AtomicOp::And
            | AtomicOp::Or
            | AtomicOp::Xor
            | AtomicOp::Exchange
            | AtomicOp::CompareExchange => self.updated_float(op, cell, old, value),
        }
    }

    fn updated_float(&mut self, op: AtomicOp, cell: Cell, old: Val, value: Val) -> Val {
        let float = if cell.scalar == Scalar::U64 {
            Scalar::F64
        } else {
            Scalar::F32
        };
        let (x, y) = (self.reread(old, float), self.reread(value, float));
        let new = if op == AtomicOp::Add {
            self.binary(Spv::FAdd, x, y)
        } else {
            let greater = self.compare(Spv::FOrdGreaterThan, Scalar::BoolInt, x, y);
            if op == AtomicOp::Min {
                self.select(greater, y, x)
            } else {
                self.select(greater, x, y)
            }
        };
        let bits = self.w.scalar(Lane::scalar(new.id), cell.scalar);
        self.w.val(bits)
    }
}
