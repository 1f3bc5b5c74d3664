//! Atomic read-modify-write operations. Those that SPIR-V lacks are compare-exchange loops.

use crate::builder::{
    Extreme, Home, Lane, ModuleWriter, Scalar, Val, ValueBuilder, arith, by_sign, narrow,
};
use crate::capability::Need;
use crate::emit::control::guarded::run_if;
use crate::emit::cx::{BufferEmitter, FunctionEmitter, InstCx, Outcome};
use crate::emit::memory::place::{BufferPlace, run_inside};
use crate::emit::memory::word_access::{compute_word_number, extract_word, shift_up};
use crate::emit::memory::{Address, choose_atomic_scope, compute_global_pointer};
use crate::error::{Error, Failure};
use crate::interface::Io;
use crate::interface::builtin::BuiltinRow;
use crate::words::ValueWord;
use glasm_ir::resource::{AtomicOp, BufferKind, MemFlags, MemSpace};
use glasm_ir::{Inst, MemAccess, Stage, Type, Width};
use spirv::{BuiltIn, GlslStd450Op as GlslOp, LoopControl, Op as Spv};

/// Memory location of an atomic.
#[derive(Clone, Copy)]
struct Cell {
    pointer: ValueWord,
    /// Kind of its buffer; none for texels and global memory.
    kind: Option<BufferKind>,
    /// Type that the pointer points to.
    scalar: Scalar,
    /// Position of a word in a 64-bit element.
    shift: Option<Val>,
    ty: Type,
}

impl Cell {
    /// Returns a cell that is not in a buffer.
    const fn at(pointer: ValueWord, scalar: Scalar, ty: Type) -> Self {
        Self {
            pointer,
            kind: None,
            scalar,
            shift: None,
            ty,
        }
    }
}

/// Operation of an atomic on its cell.
#[derive(Clone, Copy)]
pub(in crate::emit) struct Update {
    pub(super) op: AtomicOp,
    pub(super) ty: Type,
    pub(super) value: Val,
    /// Value that a compare-exchange stores.
    pub(super) second: Option<Val>,
}

impl BufferEmitter<'_, '_> {
    /// Emits `Atomic`.
    pub(in crate::emit) fn emit_atomic(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let access = self.find_mem_access(cx)?;
        let op = access.atomic.unwrap_or(AtomicOp::Exchange);
        if cx.inst.ty == Type::F16 {
            return self.emit_half_atomic(cx, &access, op);
        }
        if cx.inst.ty.width().bits() < 32 {
            return Err(Error::unsupported("atomics of less than 32 bits"));
        }
        let update = load_scalar_update(self.f, cx.inst, op)?;
        // NV_gpu_program5 section 2.X.8.Z, ATOM, leaves lanes y, z and w undefined; the same value
        // in all of them costs nothing.
        let address = self.load_address(cx, &access, 1)?;
        Ok(Outcome::Lanes([self.update_at(address, 0, update)?; 4]))
    }

    /// Emits an atomic on vectors of half floats, which are pairs in words.
    fn emit_half_atomic(
        &mut self,
        cx: InstCx<'_>,
        access: &MemAccess,
        op: AtomicOp,
    ) -> Result<Outcome, Failure> {
        let updates = load_half_updates(self.f, cx.inst, op, access.components)?;
        let address = self.load_address(cx, access, 1)?;
        let mut lanes = [Lane::scalar(self.f.w.uint(0)); 4];
        // NV_shader_atomic_fp16_vector only requires the components to be atomic, so each word is
        // updated separately.
        for (word, update) in (0u32..).zip(updates) {
            let old = self.update_at(address, word, update)?;
            let first = 2 * word as usize;
            lanes[first..first + 2].copy_from_slice(&unpack_halves(self.f.w, old));
        }
        Ok(Outcome::Lanes(lanes))
    }

    /// Updates the memory `words` words after an address and returns its old bits.
    fn update_at(&mut self, address: Address, words: u32, update: Update) -> Result<Lane, Failure> {
        match address {
            Address::Global(address) => {
                let view = choose_atomic_view(self.f.w, update, None)?;
                let pointer = compute_global_pointer(self.f.w, address, 4 * words, view, 1);
                let cell = Cell::at(pointer, view, update.ty);
                Ok(update_cell(&mut self.f.io(), cell, update)?.lane(0))
            }
            Address::Buffer(place) => {
                let kind = self.f.program.buffers[place.buffer].kind;
                if kind == BufferKind::Constant {
                    return Err(Error::unsupported("constant buffers cannot be written"));
                }
                if kind == BufferKind::Private {
                    return self.update_private(place, words, update);
                }
                let view = choose_atomic_view(self.f.w, update, Some(kind))?;
                self.update_in_buffer(place, words, view, update)
            }
        }
    }

    /// Updates an element of a buffer with type `view`, `words` words after a position.
    fn update_in_buffer(
        &mut self,
        place: BufferPlace,
        words: u32,
        view: Scalar,
        update: Update,
    ) -> Result<Lane, Failure> {
        let lanes = self.run_at_place(place, |emit, place| {
            let bound = emit.compute_bound(place, view)?;
            // Elements of eight bytes, aligned (NV_gpu_program5 section 2.X.4.5); `words` is then
            // 0, because only half floats have several words.
            let number = if view.is_wide() {
                emit.f
                    .w
                    .binary_bits(Spv::ShiftRightLogical, place.offset, 3)
            } else {
                compute_word_number(emit.f.w, place.offset, words)
            };
            run_inside(emit, bound, number, |emit| {
                let cell = emit.find_cell(place, number, view, update.ty);
                Ok(update_cell(&mut emit.f.io(), cell, update)?.alone())
            })
        })?;
        Ok(lanes[0])
    }

    /// Updates memory that no other invocation accesses, `words` words after a position: SPIR-V has
    /// no atomics for it, and none are needed.
    fn update_private(
        &mut self,
        place: BufferPlace,
        words: u32,
        update: Update,
    ) -> Result<Lane, Failure> {
        // As unsigned integers, so that the bits of floats remain unchanged.
        let (ty, scalar) = if update.ty.width() == Width::W64 {
            (Type::U64, Scalar::U64)
        } else {
            (Type::U32, Scalar::U32)
        };
        if scalar == Scalar::U64 {
            Need::Int64.check(&self.f.w.device)?;
        }
        let access = MemAccess {
            space: MemSpace::Buffer(place.buffer),
            element: None,
            components: 1,
            offset: 0,
            atomic: None,
            // Memory that no other invocation accesses need not be volatile.
            flags: MemFlags::empty(),
        };
        let behind = u64::from(4 * words);
        let offset = self.f.w.binary_bits(Spv::IAdd, place.offset, behind);
        let place = BufferPlace { offset, ..place };
        let [old, ..] = self.load_buffer(place, ty, &access, 1)?;
        let old = self.f.w.lane_val(old, scalar);
        let cell = Cell::at(ValueWord::NONE, scalar, update.ty);
        let update = read_as_bits(self.f.w, update, scalar);
        let new = compute_updated(self.f.w, cell, old, update);
        self.store_buffer(place, ty, &access, [new.lane(0); 4])?;
        Ok(old.lane(0))
    }

    /// Returns element `number` of a buffer with type `view`.
    fn find_cell(&mut self, place: BufferPlace, number: Val, view: Scalar, ty: Type) -> Cell {
        let (scalar, number, shift) = if view.is_wide() || view.is_float() {
            (view, number, None)
        } else {
            self.find_word(place, number)
        };
        Cell {
            kind: Some(self.f.program.buffers[place.buffer].kind),
            shift,
            ..Cell::at(self.compute_cell_pointer(place, scalar, number), scalar, ty)
        }
    }
}

/// Loads the operands of an atomic on one value.
pub(in crate::emit) fn load_scalar_update(
    f: &mut FunctionEmitter<'_>,
    inst: &Inst,
    op: AtomicOp,
) -> Result<Update, Failure> {
    let value = f.load_source(inst, 0, 0b01)?;
    // CSWAP compares memory with x and stores y: NV_gpu_program5 section 2.X.8.Z, ATOM.
    let second = if op == AtomicOp::CompareExchange {
        Some(f.load_source(inst, 0, 0b10)?)
    } else {
        None
    };
    let ty = inst.ty;
    Ok(Update {
        op,
        ty,
        value,
        second,
    })
}

/// Loads the operands of an atomic on half floats, one update for each pair of them.
pub(in crate::emit) fn load_half_updates(
    f: &mut FunctionEmitter<'_>,
    inst: &Inst,
    op: AtomicOp,
    components: u8,
) -> Result<Vec<Update>, Failure> {
    let update = |word: u8| {
        let value = f.load_source(inst, 0, 0b11 << (2 * word))?;
        Ok(Update {
            op,
            ty: Type::F16,
            // Two equal halves are one scalar.
            value: f.w.widen(value, 2),
            second: None,
        })
    };
    // NV_shader_atomic_fp16_vector has only vectors of two and four.
    (0..components / 2).map(update).collect()
}

/// Updates a 32-bit texel and returns its old bits.
pub(in crate::emit) fn update_texel(
    io: &mut Io<'_>,
    pointer: ValueWord,
    update: Update,
) -> Result<Val, Failure> {
    update_cell(io, Cell::at(pointer, Scalar::U32, update.ty), update)
}

/// Updates a cell and returns its old bits.
fn update_cell(io: &mut Io<'_>, cell: Cell, update: Update) -> Result<Val, Failure> {
    if update.ty == Type::F16 {
        return update_half_pair(io, cell, update);
    }
    let scalar = match cell.shift {
        Some(_) => Scalar::U32,
        None => cell.scalar,
    };
    let update = read_as_bits(io.w, update, scalar);
    emit_atomic_op(io, cell, update)
}

// Sums and extremes of two halves as one atomic exist only in an extension of one vendor,
// `VK_NV_shader_atomic_float16_vector`.
fn update_half_pair(io: &mut Io<'_>, cell: Cell, update: Update) -> Result<Val, Failure> {
    if update.op != AtomicOp::Exchange {
        return update_if_alive(io, cell, update);
    }
    // An exchange does not depend on the old halves, so the word is exchanged unchanged.
    let (value, ty) = (narrow::pack_two_halves(io.w, update.value), Type::U32);
    let update = Update {
        value,
        ty,
        ..update
    };
    emit_atomic_op(io, Cell { ty, ..cell }, update)
}

fn emit_atomic_op(io: &mut Io<'_>, cell: Cell, update: Update) -> Result<Val, Failure> {
    // Not if two words share an element: the exchange would compare the other word as well.
    if update.op == AtomicOp::CompareExchange && cell.shift.is_none() {
        let new = update.second.unwrap_or(update.value);
        return Ok(compare_exchange(io.w, cell, update.value, new));
    }
    let Some(native) = find_native_atomic(io.w, cell, update.op) else {
        return update_if_alive(io, cell, update);
    };
    let (scope, relaxed) = choose_atomic_scope(io.w, cell.kind);
    let operands = [cell.pointer.0, scope.0, relaxed.0, update.value.id.0];
    Ok(io.w.op(native, cell.scalar, 1, &operands))
}

/// Updates a cell by a compare-exchange loop, except in helper invocations.
fn update_if_alive(io: &mut Io<'_>, cell: Cell, update: Update) -> Result<Val, Failure> {
    let helps = load_helps(io);
    let lanes = run_if_alive(io, helps, |io| {
        Ok(emit_exchange_loop(io.w, cell, update).alone())
    })?;
    Ok(io.w.val(lanes[0].id()))
}

/// Loads a boolean that is true in helper invocations.
pub(in crate::emit) fn load_is_helper(io: &mut Io<'_>) -> Val {
    if io.w.device.demote_to_helper_invocation {
        io.w.needs.insert(Need::Demote);
        let op = Spv::IsHelperInvocationEXT;
        return io.w.op(op, Scalar::BoolInt, 1, &[]);
    }
    // The value at the start of a fragment is sufficient: without demotion it does not change
    // before the invocation ends.
    let row = BuiltinRow {
        builtin: BuiltIn::HelperInvocation,
        scalar: Scalar::BoolInt,
        size: 1,
        need: None,
    };
    let (_, value) = io.load_builtin_value(row);
    io.w.val(value)
}

/// Loads a boolean that is true in helper invocations, if the stage has such invocations.
pub(in crate::emit) fn load_helps(io: &mut Io<'_>) -> Option<Val> {
    (io.program.stage == Stage::Fragment).then(|| load_is_helper(io))
}

/// Returns the lanes of `body`. Helper invocations, for which `helps` is true, do not run it:
/// atomics return undefined values in them (EXT_shader_image_load_store, issue 22), so a loop that
/// waits for one might never end.
pub(in crate::emit) fn run_if_alive<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    helps: Option<Val>,
    body: impl FnOnce(&mut C) -> Result<[Lane; 4], Failure>,
) -> Result<[Lane; 4], Failure> {
    let Some(helps) = helps else {
        return body(cx);
    };
    let alive = cx.as_mut().not(helps);
    run_if(cx, alive, body)
}

/// Computes the new value from the old one until no other invocation interferes.
fn emit_exchange_loop(w: &mut ValueBuilder, cell: Cell, update: Update) -> Val {
    let (scope, relaxed) = choose_atomic_scope(w, cell.kind);
    let operands = [cell.pointer.0, scope.0, relaxed.0];
    // Only a guess, for which a plain load would suffice; but Vulkan has no plain loads of texels
    // by pointer.
    let first = w.op(Spv::AtomicLoad, cell.scalar, 1, &operands);
    let [header, body, next, merge] = w.labels();
    let entry = w.block;
    w.jump(header);
    w.begin_block(header);
    let ty = w.ty(cell.scalar, 1);
    let old = w.value(cell.scalar, 1, Home::Body);
    // Word 5 of the phi is the value of the next iteration, which is set below.
    let phi = w.body.len();
    let edges = [first.id.0, entry.0, 0, next.0];
    w.body.result(Spv::Phi, ty, old, &edges);
    w.merge_loop(merge, next, LoopControl::NONE);
    w.jump(body);
    w.begin_block(body);
    let old = w.val(old);
    let seen = try_update(w, cell, old, update);
    w.body.0[phi + 5] = seen.id.0;
    // Compares the bits: a NaN never equals itself.
    let done = w.test(Spv::IEqual, seen, old);
    w.jump_if(done.id, merge, next);
    w.begin_block(next);
    w.jump(header);
    w.begin_block(merge);
    // Both values are equal now. Invocations leave in different iterations, and the phi is the
    // value that every device preserves for each of them.
    extract_cell_word(w, cell, old)
}

/// Returns the feature that an atomic sum of floats requires, and the type of its cell. Only the
/// features for buffers are used; those for shared memory differ in Vulkan.
fn float_sum(update: Update) -> Option<(Need, Scalar)> {
    let rows = [
        (Type::F32, Need::Float32AtomicAdd, Scalar::F32),
        (Type::F64, Need::Float64AtomicAdd, Scalar::F64),
    ];
    let mut rows = rows.into_iter().filter(|_| update.op == AtomicOp::Add);
    rows.find(|row| row.0 == update.ty)
        .map(|(_, need, view)| (need, view))
}

/// Unpacks the bits of the two half floats of a word.
pub(in crate::emit) fn unpack_halves(w: &mut ValueBuilder, word: Lane) -> [Lane; 2] {
    let word = w.lane_val(word, Scalar::U32);
    let high = w.binary_bits(Spv::ShiftRightLogical, word, 16);
    let low = w.binary_bits(Spv::BitwiseAnd, word, 0xffff);
    [low.lane(0), high.lane(0)]
}

/// Converts the values of an update to the type of their cell; half floats are unchanged.
fn read_as_bits(w: &mut ValueBuilder, update: Update, scalar: Scalar) -> Update {
    if update.ty == Type::F16 {
        return update;
    }
    Update {
        value: w.reread(update.value, scalar),
        second: update.second.map(|second| w.reread(second, scalar)),
        ..update
    }
}

/// Chooses the type of the cell of an atomic and adds the capabilities that it requires.
fn choose_atomic_view(
    w: &mut ModuleWriter,
    update: Update,
    kind: Option<BufferKind>,
) -> Result<Scalar, Failure> {
    let device = w.device;
    let shared = kind == Some(BufferKind::Shared);
    if let Some((need, view)) = float_sum(update).filter(|_| !shared)
        && need.is_met(&device)
    {
        w.needs.insert(need);
        return Ok(view);
    }
    // All other updates use words: floats are compared and added in a loop, as bits.
    if update.ty.width() != Width::W64 {
        return Ok(Scalar::U32);
    }
    // In SPIR-V the capability `Int64Atomics` implies `Int64`: pairs of words cannot use 64-bit
    // atomics.
    Need::Int64.check(&device)?;
    let need = if shared {
        Need::SharedInt64Atomics
    } else {
        Need::Int64Atomics
    };
    w.require(need)?;
    Ok(Scalar::U64)
}

/// Returns the SPIR-V instruction of an update, if there is one.
fn find_native_atomic(w: &ModuleWriter, cell: Cell, op: AtomicOp) -> Option<Spv> {
    let (is_float, signed) = (cell.ty.is_float(), cell.ty.is_signed_int());
    let compares = matches!(op, AtomicOp::Min | AtomicOp::Max);
    // No atomic updates one word of a 64-bit element.
    if cell.shift.is_some() || compares && signed && !w.device.signed_atomics {
        return None;
    }
    match op {
        // The cell is a float only if the device supports adding floats.
        AtomicOp::Add if cell.scalar.is_float() => Some(Spv::AtomicFAddEXT),
        AtomicOp::Add if !is_float => Some(Spv::AtomicIAdd),
        AtomicOp::Min if signed => Some(Spv::AtomicSMin),
        AtomicOp::Min if !is_float => Some(Spv::AtomicUMin),
        AtomicOp::Max if signed => Some(Spv::AtomicSMax),
        AtomicOp::Max if !is_float => Some(Spv::AtomicUMax),
        AtomicOp::And => Some(Spv::AtomicAnd),
        AtomicOp::Or => Some(Spv::AtomicOr),
        AtomicOp::Xor => Some(Spv::AtomicXor),
        // Floats are exchanged as words, which requires no feature of atomic floats.
        AtomicOp::Exchange => Some(Spv::AtomicExchange),
        // `OpAtomicIIncrement` and `OpAtomicIDecrement` wrap at 2^32 only, IWRAP and DWRAP at a
        // bound. The results of SPIR-V's float extremes (`OpAtomicFMinEXT`) for NaN are undefined.
        AtomicOp::Add
        | AtomicOp::Min
        | AtomicOp::Max
        | AtomicOp::IncWrap
        | AtomicOp::DecWrap
        | AtomicOp::CompareExchange => None,
    }
}

/// Computes the half floats of a word after an update.
pub(in crate::emit) fn compute_halves(w: &mut ValueBuilder, old: Val, update: Update) -> Val {
    if update.op == AtomicOp::Exchange {
        return narrow::pack_two_halves(w, update.value);
    }
    let old = w.ext_to(GlslOp::UnpackHalf2x16, Scalar::F32, 2, old.id);
    let new = apply_float_update(w, update.op, old, update.value);
    narrow::pack_two_halves(w, new)
}

fn compare_exchange(w: &mut ValueBuilder, cell: Cell, comparator: Val, new: Val) -> Val {
    let (scope, relaxed) = choose_atomic_scope(w, cell.kind);
    // In SPIR-V the new value precedes the comparator. The second semantics operand applies if
    // nothing is stored; it may not be stronger than the first.
    let ids = [cell.pointer, scope, relaxed, relaxed, new.id, comparator.id];
    let operands = ids.map(|id| id.0);
    w.op(Spv::AtomicCompareExchange, cell.scalar, 1, &operands)
}

/// Computes the whole cell after an update.
fn compute_updated_cell(w: &mut ValueBuilder, cell: Cell, old: Val, update: Update) -> Val {
    let Some(shift) = cell.shift else {
        return compute_updated(w, cell, old, update);
    };
    let word = extract_word(w, old, shift);
    let word = compute_updated(w, cell, word, update);
    let word = shift_up(w, cell.scalar, word, Some(shift));
    // The other word retains the value that was read; if it has changed meanwhile, the exchange
    // fails and is repeated.
    let hole = w.constant_like(old, u64::from(u32::MAX));
    let hole = w.binary(Spv::ShiftLeftLogical, hole, shift);
    let keep = w.unary(Spv::Not, hole);
    let rest = w.binary(Spv::BitwiseAnd, old, keep);
    w.binary(Spv::BitwiseOr, rest, word)
}

/// Updates a cell if it still contains the old value; returns the value that it contained.
fn try_update(w: &mut ValueBuilder, cell: Cell, old: Val, update: Update) -> Val {
    let new = compute_updated_cell(w, cell, old, update);
    compare_exchange(w, cell, old, new)
}

/// Extracts the updated word of a value of the whole cell.
fn extract_cell_word(w: &mut ValueBuilder, cell: Cell, whole: Val) -> Val {
    match cell.shift {
        Some(shift) => extract_word(w, whole, shift),
        None => whole,
    }
}

/// Computes the value in memory after an update.
fn compute_updated(w: &mut ValueBuilder, cell: Cell, old: Val, update: Update) -> Val {
    let (value, ty) = (update.value, cell.ty);
    match update.op {
        _ if ty == Type::F16 => compute_halves(w, old, update),
        op @ (AtomicOp::Add | AtomicOp::Min | AtomicOp::Max) if ty.is_float() => {
            compute_updated_float(w, op, old, value)
        }
        AtomicOp::Add => w.binary(Spv::IAdd, old, value),
        AtomicOp::And => w.binary(Spv::BitwiseAnd, old, value),
        AtomicOp::Or => w.binary(Spv::BitwiseOr, old, value),
        AtomicOp::Xor => w.binary(Spv::BitwiseXor, old, value),
        AtomicOp::Exchange => value,
        AtomicOp::CompareExchange => {
            let equal = w.test(Spv::IEqual, old, value);
            w.select(equal, update.second.unwrap_or(value), old)
        }
        AtomicOp::Min => select_lesser(w, ty, [value, old], [value, old]),
        AtomicOp::Max => select_lesser(w, ty, [old, value], [value, old]),
        AtomicOp::IncWrap => compute_incremented(w, ty, old, value),
        AtomicOp::DecWrap => compute_decremented(w, ty, old, value),
    }
}

fn is_less(w: &mut ValueBuilder, ty: Type, a: Val, b: Val) -> Val {
    w.test(by_sign(ty, [Spv::SLessThan, Spv::ULessThan]), a, b)
}

/// Emits `a < b ? yes : no`.
fn select_lesser(w: &mut ValueBuilder, ty: Type, [a, b]: [Val; 2], [yes, no]: [Val; 2]) -> Val {
    let is_less = is_less(w, ty, a, b);
    w.select(is_less, yes, no)
}

/// Computes the incremented number, or 0 from `value` on: NV_gpu_program5 section 2.X.8.Z, ATOM.
fn compute_incremented(w: &mut ValueBuilder, ty: Type, old: Val, value: Val) -> Val {
    let one = w.constant_like(old, 1);
    let below = is_less(w, ty, old, value);
    let more = w.binary(Spv::IAdd, old, one);
    let zero = w.constant_like(old, 0);
    w.select(below, more, zero)
}

/// Computes the decremented number, or `value` from 0 and from numbers above `value`.
fn compute_decremented(w: &mut ValueBuilder, ty: Type, old: Val, value: Val) -> Val {
    let one = w.constant_like(old, 1);
    let zero = w.compare_bits(Spv::IEqual, old, 0);
    let above = is_less(w, ty, value, old);
    let wraps = w.truth_op(Spv::LogicalOr, zero, above);
    let fewer = w.binary(Spv::ISub, old, one);
    w.select(wraps, value, fewer)
}

fn compute_updated_float(w: &mut ValueBuilder, op: AtomicOp, old: Val, value: Val) -> Val {
    let float = if old.scalar == Scalar::U64 {
        Scalar::F64
    } else {
        Scalar::F32
    };
    let (x, y) = (w.reread(old, float), w.reread(value, float));
    let new = apply_float_update(w, op, x, y);
    w.lane_val(Lane::scalar(new.id), old.scalar)
}

fn apply_float_update(w: &mut ValueBuilder, op: AtomicOp, old: Val, value: Val) -> Val {
    if op == AtomicOp::Add {
        return w.binary(Spv::FAdd, old, value);
    }
    let greater = w.test(Spv::FOrdGreaterThan, old, value);
    let is_min = op == AtomicOp::Min;
    let which = if is_min { Extreme::Min } else { Extreme::Max };
    arith::select_extreme(w, which, greater, old, value)
}
