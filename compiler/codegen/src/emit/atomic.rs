//! Atomic read-modify-write. What SPIR-V has no operation for is a loop of compare-exchange.

use super::Emit;
use super::inst::Job;
use super::memory::Address;
use super::place::Place;
use super::result::Outcome;
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::gather::Lane;
use crate::words::ValueWord;
use crate::writer::{Home, Scalar, Val};
use glasm_ir::resource::{AtomicOp, BufferKind};
use glasm_ir::{MemAccess, Type, Width};
use spirv::{GlslStd450Op as GlslOp, LoopControl, Op as Spv};

/// What an atomic works on.
#[derive(Clone, Copy)]
struct Cell {
    pointer: ValueWord,
    kind: Option<BufferKind>,
    /// The type of the pointer's target.
    scalar: Scalar,
    ty: Type,
}

/// What an atomic does to its cell.
#[derive(Clone, Copy)]
struct Update {
    op: AtomicOp,
    ty: Type,
    value: Val,
    /// What a compare-exchange stores.
    second: Option<Val>,
}

impl Emit<'_> {
    /// `Atomic`
    pub(super) fn atomic(&mut self, job: Job<'_>) -> Result<Outcome, Failure> {
        let access = self.mem_access(job)?;
        let op = access.atomic.unwrap_or(AtomicOp::Exchange);
        let ty = job.inst.ty;
        if ty == Type::F16 {
            return self.half_atomic(job, &access, op);
        }
        if ty.width().bits() < 32 {
            return Err(Error::unsupported("atomics of less than 32 bits"));
        }
        let value = self.source(job.inst, 0, 0b01)?;
        let second = if op == AtomicOp::CompareExchange {
            Some(self.source(job.inst, 0, 0b10)?)
        } else {
            None
        };
        let update = Update {
            op,
            ty,
            value,
            second,
        };
        let lanes = match self.address(job, &access, 1)? {
            Address::Global(address) => {
                let view = self.atomic_view(update, None)?;
                let pointer = self.global_pointer(address, view, 1);
                [self.update(pointer, None, view, update).lane(0); 4]
            }
            Address::Buffer(place) => {
                let kind = self.written_kind(place)?;
                let view = self.atomic_view(update, Some(kind))?;
                self.at_place(place, |emit, place| {
                    let bound = emit.bound(place, view)?;
                    let shift =
                        emit.constant_like(place.offset, if view.is_wide() { 3 } else { 2 });
                    let number = emit.binary(Spv::ShiftRightLogical, place.offset, shift);
                    emit.lanes_inside(bound, number, |emit| {
                        let pointer = emit.cell_pointer(place, view, number);
                        let old = emit.update(pointer, Some(kind), view, update);
                        Ok([
                            old.lane(0),
                            Lane::UNDEFINED,
                            Lane::UNDEFINED,
                            Lane::UNDEFINED,
                        ])
                    })
                })
                .map(|lanes| [lanes[0]; 4])?
            }
        };
        Ok(Outcome::Lanes(lanes))
    }

    /// Vectors of half floats: pairs of them in words.
    fn half_atomic(
        &mut self,
        job: Job<'_>,
        access: &MemAccess,
        op: AtomicOp,
    ) -> Result<Outcome, Failure> {
        let mut pairs = Vec::with_capacity(2);
        for word in 0..u32::from(access.components / 2) {
            let halves = self.source(job.inst, 0, 0b11 << (2 * word))?;
            pairs.push(self.w.widen(halves, 2));
        }
        let address = self.address(job, access, 1)?;
        let mut lanes = [Lane::UNDEFINED; 4];
        for (word, value) in (0u32..).zip(pairs) {
            let update = Update {
                op,
                ty: Type::F16,
                value,
                second: None,
            };
            let old = match address {
                Address::Global(address) => {
                    let address = self.w.val(address);
                    let address = self.wide_plus(address, u64::from(4 * word)).id;
                    let pointer = self.global_pointer(address, Scalar::U32, 1);
                    self.update(pointer, None, Scalar::U32, update).lane(0)
                }
                Address::Buffer(place) => self.half_pair_in_buffer(place, word, update)?,
            };
            let old = self.w.scalar(old, Scalar::U32);
            let old = self.w.val(old);
            let sixteen = self.constant_like(old, 16);
            let high = self.binary(Spv::ShiftRightLogical, old, sixteen);
            let low = self.constant_like(old, 0xffff);
            let low = self.binary(Spv::BitwiseAnd, old, low);
            lanes[2 * word as usize] = low.lane(0);
            lanes[2 * word as usize + 1] = high.lane(0);
        }
        let zero = Lane::scalar(self.w.uint(0));
        lanes[usize::from(access.components)..].fill(zero);
        Ok(Outcome::Lanes(lanes))
    }

    fn half_pair_in_buffer(
        &mut self,
        place: Place,
        word: u32,
        update: Update,
    ) -> Result<Lane, Failure> {
        let kind = self.written_kind(place)?;
        let lanes = self.at_place(place, |emit, place| {
            let bound = emit.bound(place, Scalar::U32)?;
            let number = emit.word_number(place.offset, word);
            emit.lanes_inside(bound, number, |emit| {
                let pointer = emit.cell_pointer(place, Scalar::U32, number);
                let old = emit.update(pointer, Some(kind), Scalar::U32, update);
                Ok([
                    old.lane(0),
                    Lane::UNDEFINED,
                    Lane::UNDEFINED,
                    Lane::UNDEFINED,
                ])
            })
        })?;
        Ok(lanes[0])
    }

    /// The kind of a buffer that an atomic writes.
    fn written_kind(&self, place: Place) -> Result<BufferKind, Failure> {
        match self.program.buffers[place.buffer].kind {
            BufferKind::Constant => Err(Error::unsupported("constant buffers cannot be written")),
            kind @ (BufferKind::Storage | BufferKind::Counter | BufferKind::Shared) => Ok(kind),
        }
    }

    /// The type as which an atomic sees its cell; inserts what that needs.
    fn atomic_view(&mut self, update: Update, kind: Option<BufferKind>) -> Result<Scalar, Failure> {
        let device = self.options.device;
        let shared = kind == Some(BufferKind::Shared);
        let adds = update.op == AtomicOp::Add && !shared;
        if update.ty == Type::F32 && adds && device.buffer_float32_atomic_add {
            self.w.needs.insert(Need::Float32AtomicAdd);
            return Ok(Scalar::F32);
        }
        if update.ty == Type::F64 && adds && device.buffer_float64_atomic_add {
            self.w.needs.insert(Need::Float64AtomicAdd);
            return Ok(Scalar::F64);
        }
        if update.ty.width() != Width::W64 {
            return Ok(Scalar::U32);
        }
        if !device.int64 {
            return Err(Error::missing_feature("shaderInt64"));
        }
        if shared {
            return Err(Error::unsupported("64-bit atomics on shared memory"));
        }
        if !device.int64_atomics {
            return Err(Error::missing_feature("shaderBufferInt64Atomics"));
        }
        self.w.needs.insert(Need::Int64Atomics);
        Ok(Scalar::U64)
    }

    /// Updates the cell that `pointer` names and gives its old bits.
    fn update(
        &mut self,
        pointer: ValueWord,
        kind: Option<BufferKind>,
        view: Scalar,
        update: Update,
    ) -> Val {
        let cell = Cell {
            pointer,
            kind,
            scalar: view,
            ty: update.ty,
        };
        if update.ty == Type::F16 {
            return if update.op == AtomicOp::Exchange {
                let bits = self.halves_in_word(update.value);
                self.atomic_op(update.op, cell, bits, None)
            } else {
                self.exchange_loop(update.op, cell, update.value)
            };
        }
        let value = self.reread(update.value, view);
        let second = update.second.map(|second| self.reread(second, view));
        self.atomic_op(update.op, cell, value, second)
    }

    /// Two floats as half floats in one word.
    fn halves_in_word(&mut self, pair: Val) -> Val {
        self.ext_to(GlslOp::PackHalf2x16, Scalar::U32, 1, pair.id)
    }

    fn atomic_op(&mut self, op: AtomicOp, cell: Cell, value: Val, second: Option<Val>) -> Val {
        let float = cell.ty.is_float();
        let signed = cell.ty.is_signed_int();
        let native = match op {
            AtomicOp::Add if cell.scalar.is_float() => Spv::AtomicFAddEXT,
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
        if cell.ty == Type::F16 {
            let old = self.ext_to(GlslOp::UnpackHalf2x16, Scalar::F32, 2, old.id);
            let new = self.float_update(op, old, value);
            return self.halves_in_word(new);
        }
        let float = if cell.scalar == Scalar::U64 {
            Scalar::F64
        } else {
            Scalar::F32
        };
        let (x, y) = (self.reread(old, float), self.reread(value, float));
        let new = self.float_update(op, x, y);
        let bits = self.w.scalar(Lane::scalar(new.id), cell.scalar);
        self.w.val(bits)
    }

    fn float_update(&mut self, op: AtomicOp, old: Val, value: Val) -> Val {
        if op == AtomicOp::Add {
            return self.binary(Spv::FAdd, old, value);
        }
        let greater = self.compare(Spv::FOrdGreaterThan, Scalar::BoolInt, old, value);
        if op == AtomicOp::Min {
            self.select(greater, value, old)
        } else {
            self.select(greater, old, value)
        }
    }
}
