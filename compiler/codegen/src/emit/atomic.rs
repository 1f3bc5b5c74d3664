//! Atomic read-modify-write. What SPIR-V has no operation for is a loop of compare-exchange.

use super::Emit;
use super::cx::{InstCx, Outcome};
use super::memory::Address;
use super::place::BufferPlace;
use crate::builder::{Builder, Home, Lane, Scalar, Val};
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::interface::builtin::BuiltinRow;
use crate::words::ValueWord;
use glasm_ir::resource::{AtomicOp, BufferKind};
use glasm_ir::{Inst, MemAccess, Stage, Type, Width};
use spirv::{BuiltIn, GlslStd450Op as GlslOp, LoopControl, Op as Spv};

/// What an atomic works on.
#[derive(Clone, Copy)]
struct Cell {
    pointer: ValueWord,
    kind: Option<BufferKind>,
    /// The type of the pointer's target.
    scalar: Scalar,
    /// Where a word starts in a target of 64 bits.
    shift: Option<Val>,
    ty: Type,
}

/// What an atomic does to its cell.
#[derive(Clone, Copy)]
pub(super) struct Update {
    pub(super) op: AtomicOp,
    pub(super) ty: Type,
    pub(super) value: Val,
    /// What a compare-exchange stores.
    pub(super) second: Option<Val>,
}

impl Emit<'_> {
    /// `Atomic`
    pub(super) fn atomic(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let access = self.mem_access(cx)?;
        let op = access.atomic.unwrap_or(AtomicOp::Exchange);
        let ty = cx.inst.ty;
        if ty == Type::F16 {
            return self.half_atomic(cx, &access, op);
        }
        if ty.width().bits() < 32 {
            return Err(Error::unsupported("atomics of less than 32 bits"));
        }
        let update = self.scalar_update(cx.inst, op)?;
        let lanes = match self.address(cx, &access, 1)? {
            Address::Global(address) => {
                let view = self.w.atomic_view(update, None)?;
                let cell = Cell {
                    pointer: self.w.global_pointer(address, view, 1),
                    kind: None,
                    scalar: view,
                    shift: None,
                    ty,
                };
                [self.update(cell, update)?.lane(0); 4]
            }
            Address::Buffer(place) => {
                let kind = self.written_kind(place)?;
                let view = self.w.atomic_view(update, Some(kind))?;
                [self.update_in_buffer(place, 0, view, update)?; 4]
            }
        };
        Ok(Outcome::Lanes(lanes))
    }

    /// Vectors of half floats: pairs of them in words.
    fn half_atomic(
        &mut self,
        cx: InstCx<'_>,
        access: &MemAccess,
        op: AtomicOp,
    ) -> Result<Outcome, Failure> {
        let updates = self.half_updates(cx.inst, op, access.components)?;
        let address = self.address(cx, access, 1)?;
        let mut lanes = [Lane::scalar(self.w.uint(0)); 4];
        // NV_shader_atomic_fp16_vector asks for atomic components only, so each word is updated by itself.
        for (word, update) in (0u32..).zip(updates) {
            let old = match address {
                Address::Global(address) => {
                    let address = self.w.val(address);
                    let address = self.w.wide_plus(address, u64::from(4 * word)).id;
                    let cell = Cell {
                        pointer: self.w.global_pointer(address, Scalar::U32, 1),
                        kind: None,
                        scalar: Scalar::U32,
                        shift: None,
                        ty: Type::F16,
                    };
                    self.update(cell, update)?.lane(0)
                }
                Address::Buffer(place) => {
                    self.written_kind(place)?;
                    self.update_in_buffer(place, word, Scalar::U32, update)?
                }
            };
            let place = 2 * word as usize;
            lanes[place..place + 2].copy_from_slice(&self.w.halves(old));
        }
        Ok(Outcome::Lanes(lanes))
    }

    /// What an atomic on one value does.
    pub(super) fn scalar_update(&mut self, inst: &Inst, op: AtomicOp) -> Result<Update, Failure> {
        let value = self.source(inst, 0, 0b01)?;
        let second = match op == AtomicOp::CompareExchange {
            true => Some(self.source(inst, 0, 0b10)?),
            false => None,
        };
        Ok(Update {
            op,
            ty: inst.ty,
            value,
            second,
        })
    }

    /// What an atomic on half floats does to each pair of them.
    pub(super) fn half_updates(
        &mut self,
        inst: &Inst,
        op: AtomicOp,
        components: u8,
    ) -> Result<Vec<Update>, Failure> {
        let update = |word: u8| {
            let value = self.source(inst, 0, 0b11 << (2 * word))?;
            Ok(Update {
                op,
                ty: Type::F16,
                value: self.w.widen(value, 2),
                second: None,
            })
        };
        (0..components / 2).map(update).collect()
    }

    /// Updates an element of a buffer seen as `view`, `words` words behind the place.
    fn update_in_buffer(
        &mut self,
        place: BufferPlace,
        words: u32,
        view: Scalar,
        update: Update,
    ) -> Result<Lane, Failure> {
        let kind = self.program.buffers[place.buffer].kind;
        let lanes = self.at_place(place, |emit, place| {
            let bound = emit.bound(place, view)?;
            let number = if view.is_wide() {
                let three = emit.w.constant_like(place.offset, 3);
                emit.w.binary(Spv::ShiftRightLogical, place.offset, three)
            } else {
                emit.w.word_number(place.offset, words)
            };
            emit.lanes_inside(bound, number, |emit| {
                let (scalar, number, shift) = if view.is_wide() || view.is_float() {
                    (view, number, None)
                } else {
                    emit.word_place(place, number)
                };
                let cell = Cell {
                    pointer: emit.cell_pointer(place, scalar, number),
                    kind: Some(kind),
                    scalar,
                    shift,
                    ty: update.ty,
                };
                let old = emit.update(cell, update)?.lane(0);
                let none = Lane::UNDEFINED;
                Ok([old, none, none, none])
            })
        })?;
        Ok(lanes[0])
    }

    /// The kind of a buffer that an atomic writes.
    fn written_kind(&self, place: BufferPlace) -> Result<BufferKind, Failure> {
        match self.program.buffers[place.buffer].kind {
            BufferKind::Constant => Err(Error::unsupported("constant buffers cannot be written")),
            kind @ (BufferKind::Storage | BufferKind::Counter | BufferKind::Shared) => Ok(kind),
        }
    }

    /// Updates a 32-bit texel and gives its old bits.
    pub(super) fn update_texel(
        &mut self,
        pointer: ValueWord,
        update: Update,
    ) -> Result<Val, Failure> {
        let cell = Cell {
            pointer,
            kind: None,
            scalar: Scalar::U32,
            shift: None,
            ty: update.ty,
        };
        self.update(cell, update)
    }

    /// Updates a cell and gives its old bits.
    fn update(&mut self, cell: Cell, update: Update) -> Result<Val, Failure> {
        if update.ty == Type::F16 {
            return if update.op == AtomicOp::Exchange {
                // An exchange computes nothing from the old halves, so the word is exchanged as it is.
                let value = self.w.halves_in_word(update.value);
                let ty = Type::U32;
                let cell = Cell { ty, ..cell };
                self.atomic_op(
                    cell,
                    Update {
                        value,
                        ty,
                        ..update
                    },
                )
            } else {
                self.loop_if_alive(cell, update)
            };
        }
        let as_bits = if cell.shift.is_some() {
            Scalar::U32
        } else {
            cell.scalar
        };
        let update = Update {
            value: self.w.reread(update.value, as_bits),
            second: update.second.map(|second| self.w.reread(second, as_bits)),
            ..update
        };
        self.atomic_op(cell, update)
    }

    fn atomic_op(&mut self, cell: Cell, update: Update) -> Result<Val, Failure> {
        if cell.shift.is_some() {
            return self.loop_if_alive(cell, update);
        }
        let float = cell.ty.is_float();
        let signed = cell.ty.is_signed_int();
        let compares = matches!(update.op, AtomicOp::Min | AtomicOp::Max);
        if compares && signed && !self.w.device.signed_atomics {
            return self.loop_if_alive(cell, update);
        }
        let native = match update.op {
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
                let new = update.second.unwrap_or(update.value);
                return Ok(self.w.compare_exchange(cell, update.value, new));
            }
            AtomicOp::Add
            | AtomicOp::Min
            | AtomicOp::Max
            | AtomicOp::IncWrap
            | AtomicOp::DecWrap => {
                return self.loop_if_alive(cell, update);
            }
        };
        let (scope, relaxed) = self.w.atomic_scope(cell.kind);
        let operands = [cell.pointer.0, scope.0, relaxed.0, update.value.id.0];
        Ok(self.w.op(native, cell.scalar, 1, &operands))
    }

    /// An update by compare-exchange.
    fn loop_if_alive(&mut self, cell: Cell, update: Update) -> Result<Val, Failure> {
        let lanes = self.lanes_if_alive(|emit| {
            let none = Lane::UNDEFINED;
            Ok([emit.exchange_loop(cell, update).lane(0), none, none, none])
        })?;
        Ok(self.w.val(lanes[0].id()))
    }

    /// The lanes that `body` gives. Helper invocations do not run it: they get undefined values from atomics
    /// (EXT_shader_image_load_store, issue 22), so a loop that waits for one might never end.
    pub(super) fn lanes_if_alive(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        if self.program.stage != Stage::Fragment {
            return body(self);
        }
        let helps = self.helps();
        let alive = self.w.not(helps);
        self.lanes_if(alive, body)
    }

    /// Whether the invocation only helps others to derivatives.
    fn helps(&mut self) -> Val {
        if self.w.device.demote_to_helper_invocation {
            self.w.needs.insert(Need::Demote);
            return self
                .w
                .op(Spv::IsHelperInvocationEXT, Scalar::BoolInt, 1, &[]);
        }
        let row = BuiltinRow {
            builtin: BuiltIn::HelperInvocation,
            scalar: Scalar::BoolInt,
            size: 1,
            need: None,
        };
        let (_, value) = self.io().load_builtin_value(row);
        self.w.val(value)
    }

    /// Computes the new value from the old one until nobody interferes.
    fn exchange_loop(&mut self, cell: Cell, update: Update) -> Val {
        let (scope, relaxed) = self.w.atomic_scope(cell.kind);
        let operands = [cell.pointer.0, scope.0, relaxed.0];
        let first = self.w.op(Spv::AtomicLoad, cell.scalar, 1, &operands);
        let [header, body, next, merge] = std::array::from_fn(|_| self.w.label());
        let entry = self.w.block;
        self.w.body.op(Spv::Branch, &[header.0]);
        self.w.begin_block(header);
        let ty = self.w.ty(cell.scalar, 1);
        let old = self.w.value(cell.scalar, 1, Home::Body);
        // Word 5 of the phi is the value of the next round, which is known only below.
        let phi = self.w.body.len();
        self.w
            .body
            .result(Spv::Phi, ty, old, &[first.id.0, entry.0, 0, next.0]);
        let none = LoopControl::NONE.bits();
        self.w.body.op(Spv::LoopMerge, &[merge.0, next.0, none]);
        self.w.body.op(Spv::Branch, &[body.0]);
        self.w.begin_block(body);
        let old = self.w.val(old);
        let new = self.w.updated_cell(cell, old, update);
        let seen = self.w.compare_exchange(cell, old, new);
        self.w.body.0[phi + 5] = seen.id.0;
        // The bits are compared: a NaN never equals itself.
        let done = self.w.compare(Spv::IEqual, Scalar::BoolInt, seen, old);
        self.w
            .body
            .op(Spv::BranchConditional, &[done.id.0, merge.0, next.0]);
        self.w.begin_block(next);
        self.w.body.op(Spv::Branch, &[header.0]);
        self.w.begin_block(merge);
        match cell.shift {
            Some(shift) => self.w.word_of(seen, shift),
            None => seen,
        }
    }
}

impl Builder {
    /// The bits of the two half floats of a word.
    pub(super) fn halves(&mut self, word: Lane) -> [Lane; 2] {
        let word = self.scalar(word, Scalar::U32);
        let word = self.val(word);
        let sixteen = self.constant_like(word, 16);
        let high = self.binary(Spv::ShiftRightLogical, word, sixteen);
        let low = self.constant_like(word, 0xffff);
        let low = self.binary(Spv::BitwiseAnd, word, low);
        [low.lane(0), high.lane(0)]
    }

    /// The type as which an atomic sees its cell; inserts what that needs.
    fn atomic_view(&mut self, update: Update, kind: Option<BufferKind>) -> Result<Scalar, Failure> {
        let device = self.device;
        let shared = kind == Some(BufferKind::Shared);
        // The features for float sums that are known here are those of buffers; shared memory has others in Vulkan.
        let adds = update.op == AtomicOp::Add && !shared;
        if update.ty == Type::F32 && adds && device.buffer_float32_atomic_add {
            self.needs.insert(Need::Float32AtomicAdd);
            return Ok(Scalar::F32);
        }
        if update.ty == Type::F64 && adds && device.buffer_float64_atomic_add {
            self.needs.insert(Need::Float64AtomicAdd);
            return Ok(Scalar::F64);
        }
        if update.ty.width() != Width::W64 {
            return Ok(Scalar::U32);
        }
        Need::Int64.check(&device)?;
        let need = match shared {
            true => Need::SharedInt64Atomics,
            false => Need::Int64Atomics,
        };
        self.needs.require(&device, need)?;
        Ok(Scalar::U64)
    }

    /// What an update leaves of the half floats of a word.
    pub(super) fn updated_halves(&mut self, old: Val, update: Update) -> Val {
        if update.op == AtomicOp::Exchange {
            return self.halves_in_word(update.value);
        }
        let old = self.ext_to(GlslOp::UnpackHalf2x16, Scalar::F32, 2, old.id);
        let new = self.float_update(update.op, old, update.value);
        self.halves_in_word(new)
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
        self.op(Spv::AtomicCompareExchange, cell.scalar, 1, &operands)
    }

    /// What an update leaves in the whole cell.
    fn updated_cell(&mut self, cell: Cell, old: Val, update: Update) -> Val {
        let Some(shift) = cell.shift else {
            return self.updated(cell, old, update);
        };
        let word = self.word_of(old, shift);
        let words = Cell {
            scalar: Scalar::U32,
            shift: None,
            ..cell
        };
        let word = self.updated(words, word, update);
        let word = self.moved_up(cell.scalar, word, Some(shift));
        // The other word keeps the value that was seen; if it changed meanwhile, the exchange fails and is tried again.
        let hole = self.constant_like(old, u64::from(u32::MAX));
        let hole = self.binary(Spv::ShiftLeftLogical, hole, shift);
        let keep = self.unary(Spv::Not, hole);
        let rest = self.binary(Spv::BitwiseAnd, old, keep);
        self.binary(Spv::BitwiseOr, rest, word)
    }

    /// What an update leaves in memory.
    fn updated(&mut self, cell: Cell, old: Val, update: Update) -> Val {
        let (signed, float) = (cell.ty.is_signed_int(), cell.ty.is_float());
        let value = update.value;
        let less = if signed {
            Spv::SLessThan
        } else {
            Spv::ULessThan
        };
        if cell.ty == Type::F16 {
            return self.updated_halves(old, update);
        }
        match update.op {
            // NV_gpu_program5 section 2.X.8.Z, ATOM.
            AtomicOp::IncWrap => {
                let one = self.constant_like(old, 1);
                let below = self.compare(less, Scalar::BoolInt, old, value);
                let more = self.binary(Spv::IAdd, old, one);
                let zero = self.constant_like(old, 0);
                self.select(below, more, zero)
            }
            AtomicOp::DecWrap => {
                let one = self.constant_like(old, 1);
                let zero = self.compare_bits(Spv::IEqual, old, 0);
                let above = self.compare(less, Scalar::BoolInt, value, old);
                let wraps = self.truth_op(Spv::LogicalOr, zero, above);
                let fewer = self.binary(Spv::ISub, old, one);
                self.select(wraps, value, fewer)
            }
            AtomicOp::Exchange => value,
            AtomicOp::CompareExchange => {
                let equal = self.compare(Spv::IEqual, Scalar::BoolInt, old, value);
                self.select(equal, update.second.unwrap_or(value), old)
            }
            AtomicOp::And => self.binary(Spv::BitwiseAnd, old, value),
            AtomicOp::Or => self.binary(Spv::BitwiseOr, old, value),
            AtomicOp::Xor => self.binary(Spv::BitwiseXor, old, value),
            op @ (AtomicOp::Add | AtomicOp::Min | AtomicOp::Max) if float => {
                self.updated_float(op, cell, old, value)
            }
            AtomicOp::Add => self.binary(Spv::IAdd, old, value),
            AtomicOp::Min => {
                let below = self.compare(less, Scalar::BoolInt, value, old);
                self.select(below, value, old)
            }
            AtomicOp::Max => {
                let above = self.compare(less, Scalar::BoolInt, old, value);
                self.select(above, value, old)
            }
        }
    }

    fn updated_float(&mut self, op: AtomicOp, cell: Cell, old: Val, value: Val) -> Val {
        let float = if cell.scalar == Scalar::U64 {
            Scalar::F64
        } else {
            Scalar::F32
        };
        let (x, y) = (self.reread(old, float), self.reread(value, float));
        let new = self.float_update(op, x, y);
        let bits = self.scalar(Lane::scalar(new.id), cell.scalar);
        self.val(bits)
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
