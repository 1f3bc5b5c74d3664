//! Atomic read-modify-write operations. Those that SPIR-V lacks are compare-exchange loops.

use crate::builder::{
    Extreme, Lane, ModuleWriter, Scalar, Val, ValueBuilder, ValueOrigin, arith, float_narrowing,
    select_by_sign,
};
use crate::capability::Requirement;
use crate::emit::context::{BufferEmitter, FunctionEmitter, InstContext, OpResult};
use crate::emit::control::cond::emit_guarded;
use crate::emit::memory::buffer_address::{BufferAddress, emit_if_in_bounds};
use crate::emit::memory::buffer_load_store::{compute_word_number, extract_word, shift_to_element};
use crate::emit::memory::{MemAddress, choose_atomic_scope, compute_global_pointer};
use crate::error::{Error, Failure};
use crate::interface::Io;
use crate::interface::builtin::BuiltinInput;
use crate::spirv_writer::ValueWord;
use glasm_ir::resource::{AtomicOp, BufferKind, MemFlags, MemorySpace};
use glasm_ir::{Inst, MemAccess, Stage, Type, Width};
use spirv::{BuiltIn, GlslStd450Op as GlslOp, LoopControl, Op as Spv};

/// Memory location of an atomic.
#[derive(Clone, Copy)]
struct AtomicTarget {
    pointer: ValueWord,
    /// Kind of its buffer; none for texels and global memory.
    kind: Option<BufferKind>,
    /// Type that the pointer points to.
    scalar: Scalar,
    /// Position of a word in a 64-bit element.
    shift: Option<Val>,
    ty: Type,
}

impl AtomicTarget {
    /// Returns an atomic target that is accessed by `pointer` with the type `scalar`, outside of
    /// buffers, as a whole element. `ty` is the type of the operation.
    const fn without_buffer(pointer: ValueWord, scalar: Scalar, ty: Type) -> Self {
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
pub(in crate::emit) struct AtomicUpdate {
    pub(super) op: AtomicOp,
    pub(super) ty: Type,
    pub(super) value: Val,
    /// Value that a compare-exchange stores.
    pub(super) new_value: Option<Val>,
}

impl BufferEmitter<'_, '_> {
    /// Emits `Atomic`: updates a value in memory atomically and returns the old one in all four
    /// lanes, of half floats in as many lanes as are accessed. Returns an error for other types of
    /// less than 32 bits, for constant buffers, and if the device lacks a feature.
    pub(in crate::emit) fn emit_atomic(
        &mut self,
        cx: InstContext<'_>,
    ) -> Result<OpResult, Failure> {
        let access = self.get_mem_access(cx)?;
        let op = access.atomic.unwrap_or(AtomicOp::Exchange);
        if cx.inst.ty == Type::F16 {
            return self.emit_half_atomic(cx, &access, op);
        }
        if cx.inst.ty.width().bits() < 32 {
            return Err(Error::unsupported("atomics of less than 32 bits"));
        }
        let update = load_scalar_update(self.function, cx.inst, op)?;
        // NV_gpu_program5 section 2.X.8.Z, ATOM, leaves lanes y, z and w undefined; the same value
        // in all of them costs nothing.
        let address = self.load_address(cx, &access, 1)?;
        Ok(OpResult::Lanes(
            [self.update_address(address, 0, update)?; 4],
        ))
    }

    /// Emits an atomic on vectors of half floats, which are pairs in words; each word is updated
    /// separately. Returns the bits of the old halves, and 0 in lanes that are not accessed.
    fn emit_half_atomic(
        &mut self,
        cx: InstContext<'_>,
        access: &MemAccess,
        op: AtomicOp,
    ) -> Result<OpResult, Failure> {
        let updates = load_half_updates(self.function, cx.inst, op, access.components)?;
        let address = self.load_address(cx, access, 1)?;
        let mut lanes = [Lane::scalar(self.function.builder.constant_u32(0)); 4];
        // NV_shader_atomic_fp16_vector only requires the components to be atomic, so each word is
        // updated separately.
        for (word, update) in (0u32..).zip(updates) {
            let old = self.update_address(address, word, update)?;
            let first = 2 * word as usize;
            lanes[first..first + 2].copy_from_slice(&unpack_halves(self.function.builder, old));
        }
        Ok(OpResult::Lanes(lanes))
    }

    /// Updates the memory `words` words after an address and returns its old bits. Returns an error
    /// for constant buffers and missing features.
    fn update_address(
        &mut self,
        address: MemAddress,
        words: u32,
        update: AtomicUpdate,
    ) -> Result<Lane, Failure> {
        match address {
            MemAddress::Global(address) => {
                let view = choose_atomic_view(self.function.builder, update, None)?;
                let pointer =
                    compute_global_pointer(self.function.builder, address, 4 * words, view, 1);
                let cell = AtomicTarget::without_buffer(pointer, view, update.ty);
                Ok(emit_atomic_update(&mut self.function.io(), cell, update)?.lane(0))
            }
            MemAddress::Buffer(address) => {
                let kind = self.function.program.buffers[address.buffer].kind;
                if kind == BufferKind::ProgramParameter {
                    return Err(Error::unsupported("constant buffers cannot be written"));
                }
                if kind == BufferKind::Private {
                    return self.update_private(address, words, update);
                }
                let view = choose_atomic_view(self.function.builder, update, Some(kind))?;
                self.update_in_buffer(address, words, view, update)
            }
        }
    }

    /// Updates an element of a buffer with type `view`, `words` words after a position, and returns
    /// its old bits. An element out of bounds is not updated.
    fn update_in_buffer(
        &mut self,
        address: BufferAddress,
        words: u32,
        view: Scalar,
        update: AtomicUpdate,
    ) -> Result<Lane, Failure> {
        let lanes = self.emit_for_buffer(address, |emit, address| {
            let bound = emit.compute_bound(address, view)?;
            // Elements of eight bytes, aligned (NV_gpu_program5 section 2.X.4.5); `words` is then
            // 0, because only half floats have several words.
            let number = if view.is_wide() {
                emit.function
                    .builder
                    .emit_binary_bits(Spv::ShiftRightLogical, address.offset, 3)
            } else {
                compute_word_number(emit.function.builder, address.offset, words)
            };
            emit_if_in_bounds(emit, bound, number, |emit| {
                let cell = emit.find_atomic_target(address, number, view, update.ty);
                Ok(emit_atomic_update(&mut emit.function.io(), cell, update)?.first_lane_only())
            })
        })?;
        Ok(lanes[0])
    }

    /// Updates memory that no other invocation accesses, `words` words after a position, by a load
    /// and a store, and returns its old bits: SPIR-V has no atomics for it, and none are needed.
    /// Returns an error if the value has 64 bits and the device lacks integers of this size.
    fn update_private(
        &mut self,
        address: BufferAddress,
        words: u32,
        update: AtomicUpdate,
    ) -> Result<Lane, Failure> {
        // As unsigned integers, so that the bits of floats remain unchanged.
        let (ty, scalar) = if update.ty.width() == Width::W64 {
            (Type::U64, Scalar::U64)
        } else {
            (Type::U32, Scalar::U32)
        };
        if scalar == Scalar::U64 {
            Requirement::Int64.check(&self.function.builder.device)?;
        }
        let access = MemAccess {
            space: MemorySpace::Buffer(address.buffer),
            element: None,
            components: 1,
            offset: 0,
            atomic: None,
            // Memory that no other invocation accesses need not be volatile.
            flags: MemFlags::empty(),
        };
        let distance = u64::from(4 * words);
        let offset = self
            .function
            .builder
            .emit_binary_bits(Spv::IAdd, address.offset, distance);
        let word_address = BufferAddress { offset, ..address };
        let [old, ..] = self.load_buffer(word_address, ty, &access, 1)?;
        let old = self.function.builder.read_lane_val(old, scalar);
        let cell = AtomicTarget::without_buffer(ValueWord::NONE, scalar, update.ty);
        let update = cast_update(self.function.builder, update, scalar);
        let new = compute_updated(self.function.builder, cell, old, update);
        self.store_buffer(word_address, ty, &access, [new.lane(0); 4])?;
        Ok(old.lane(0))
    }

    /// Emits the pointer to element `number` of a buffer as an atomic target. The element may be
    /// half of a 64-bit integer.
    fn find_atomic_target(
        &mut self,
        address: BufferAddress,
        number: Val,
        view: Scalar,
        ty: Type,
    ) -> AtomicTarget {
        let (scalar, number, shift) = if view.is_wide() || view.is_float() {
            (view, number, None)
        } else {
            self.compute_word_location(address, number)
        };
        AtomicTarget {
            kind: Some(self.function.program.buffers[address.buffer].kind),
            shift,
            ..AtomicTarget::without_buffer(
                self.compute_element_pointer(address, scalar, number),
                scalar,
                ty,
            )
        }
    }
}

/// Loads the sources of an atomic on one value: the operand from lane x and, for a
/// compare-exchange, the new value from lane y of the first source.
pub(in crate::emit) fn load_scalar_update(
    function: &mut FunctionEmitter<'_>,
    inst: &Inst,
    op: AtomicOp,
) -> Result<AtomicUpdate, Failure> {
    let value = function.load_source(inst, 0, 0b01)?;
    // CSWAP compares memory with x and stores y: NV_gpu_program5 section 2.X.8.Z, ATOM.
    let second = if op == AtomicOp::CompareExchange {
        Some(function.load_source(inst, 0, 0b10)?)
    } else {
        None
    };
    let ty = inst.ty;
    Ok(AtomicUpdate {
        op,
        ty,
        value,
        new_value: second,
    })
}

/// Loads the operands of an atomic on half floats, one update for each pair of them. For two
/// components it returns one update, for four it returns two.
pub(in crate::emit) fn load_half_updates(
    function: &mut FunctionEmitter<'_>,
    inst: &Inst,
    op: AtomicOp,
    components: u8,
) -> Result<Vec<AtomicUpdate>, Failure> {
    let update = |word: u8| {
        let value = function.load_source(inst, 0, 0b11 << (2 * word))?;
        Ok(AtomicUpdate {
            op,
            ty: Type::F16,
            // Two equal halves are one scalar.
            value: function.builder.widen(value, 2),
            new_value: None,
        })
    };
    // NV_shader_atomic_fp16_vector has only vectors of two and four.
    (0..components / 2).map(update).collect()
}

/// Emits the atomic update of a 32-bit texel and returns its old bits. Updates of half floats
/// change two of them.
pub(in crate::emit) fn update_texel(
    io: &mut Io<'_>,
    pointer: ValueWord,
    update: AtomicUpdate,
) -> Result<Val, Failure> {
    emit_atomic_update(
        io,
        AtomicTarget::without_buffer(pointer, Scalar::U32, update.ty),
        update,
    )
}

/// Updates a memory cell or texel atomically and returns its old bits. Converts the operands of the
/// update to the type of the cell, except for half floats.
fn emit_atomic_update(
    io: &mut Io<'_>,
    cell: AtomicTarget,
    update: AtomicUpdate,
) -> Result<Val, Failure> {
    if update.ty == Type::F16 {
        return update_half_pair(io, cell, update);
    }
    let scalar = match cell.shift {
        Some(_) => Scalar::U32,
        None => cell.scalar,
    };
    let update = cast_update(io.builder, update, scalar);
    emit_atomic_op(io, cell, update)
}

/// Updates a word of two half floats atomically and returns its old bits: exchanges the word, or
/// computes both halves in a compare-exchange loop.
// Sums and extremes of two halves as one atomic exist only in an extension of one vendor,
// `VK_NV_shader_atomic_float16_vector`.
fn update_half_pair(
    io: &mut Io<'_>,
    cell: AtomicTarget,
    update: AtomicUpdate,
) -> Result<Val, Failure> {
    if update.op != AtomicOp::Exchange {
        return update_unless_helper(io, cell, update);
    }
    // An exchange does not depend on the old halves, so the word is exchanged unchanged.
    let (value, ty) = (
        float_narrowing::pack_two_halves(io.builder, update.value),
        Type::U32,
    );
    let update = AtomicUpdate {
        value,
        ty,
        ..update
    };
    emit_atomic_op(io, AtomicTarget { ty, ..cell }, update)
}

/// Emits an atomic update, whose operands have the type of the cell, as one SPIR-V instruction if
/// one exists, else as a compare-exchange loop; returns the old value.
fn emit_atomic_op(
    io: &mut Io<'_>,
    cell: AtomicTarget,
    update: AtomicUpdate,
) -> Result<Val, Failure> {
    // Not if two words share an element: the exchange would compare the other word as well.
    if update.op == AtomicOp::CompareExchange && cell.shift.is_none() {
        let new = update.new_value.unwrap_or(update.value);
        return Ok(emit_compare_exchange(io.builder, cell, update.value, new));
    }
    let Some(native) = find_native_atomic(io.builder, cell, update.op) else {
        return update_unless_helper(io, cell, update);
    };
    let (scope, relaxed) = choose_atomic_scope(io.builder, cell.kind);
    let operands = [cell.pointer.0, scope.0, relaxed.0, update.value.id.0];
    Ok(io.builder.emit_op(native, cell.scalar, 1, &operands))
}

/// Updates a cell by a compare-exchange loop and returns its old bits. Helper invocations of
/// fragment programs do not update it, and their result is undefined.
fn update_unless_helper(
    io: &mut Io<'_>,
    cell: AtomicTarget,
    update: AtomicUpdate,
) -> Result<Val, Failure> {
    let helps = load_is_helper_if_fragment(io);
    let lanes = emit_unless_helper(io, helps, |io| {
        Ok(emit_exchange_loop(io.builder, cell, update).first_lane_only())
    })?;
    Ok(io.builder.val(lanes[0].id()))
}

/// Emits the test that the fragment is a helper invocation: by the instruction that demotion adds,
/// and requires, if the device has demotion, else by the built-in.
pub(in crate::emit) fn load_is_helper(io: &mut Io<'_>) -> Val {
    if io.builder.device.demote_to_helper_invocation {
        io.builder.requirements.insert(Requirement::Demote);
        let op = Spv::IsHelperInvocationEXT;
        return io.builder.emit_op(op, Scalar::BoolInt, 1, &[]);
    }
    // The value at the start of a fragment is sufficient: without demotion it does not change
    // before the invocation ends.
    let input = BuiltinInput {
        builtin: BuiltIn::HelperInvocation,
        scalar: Scalar::BoolInt,
        size: 1,
        requirement: None,
    };
    let (_, value) = io.load_builtin_value(input);
    io.builder.val(value)
}

/// Loads a boolean that is true in helper invocations, if the stage has such invocations.
pub(in crate::emit) fn load_is_helper_if_fragment(io: &mut Io<'_>) -> Option<Val> {
    (io.program.stage == Stage::Fragment).then(|| load_is_helper(io))
}

/// Emits `body` and returns its lanes. Helper invocations, for which `is_helper` is true, do not
/// run it: atomics return undefined values in them (EXT_shader_image_load_store, issue 22), so a
/// loop that waits for one might never end. Without `is_helper` all invocations run it.
pub(in crate::emit) fn emit_unless_helper<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    is_helper: Option<Val>,
    body: impl FnOnce(&mut C) -> Result<[Lane; 4], Failure>,
) -> Result<[Lane; 4], Failure> {
    let Some(helps) = is_helper else {
        return body(cx);
    };
    let alive = cx.as_mut().emit_not(helps);
    emit_guarded(cx, alive, body)
}

/// Emits a loop that computes the new value of a cell from the old one and stores it with a
/// compare-exchange, until no other invocation interferes. Returns the old word, or the old element
/// of 64 bits; the current block is then the one after the loop.
fn emit_exchange_loop(builder: &mut ValueBuilder, cell: AtomicTarget, update: AtomicUpdate) -> Val {
    let (scope, relaxed) = choose_atomic_scope(builder, cell.kind);
    let operands = [cell.pointer.0, scope.0, relaxed.0];
    // Only a guess, for which a plain load would suffice; but Vulkan has no plain loads of texels
    // by pointer.
    let first = builder.emit_op(Spv::AtomicLoad, cell.scalar, 1, &operands);
    let [header, body, next, merge] = builder.new_labels();
    let entry = builder.block;
    builder.emit_branch(header);
    builder.begin_block(header);
    let ty = builder.get_type(cell.scalar, 1);
    let old = builder.new_value(cell.scalar, 1, ValueOrigin::Body);
    // Word 5 of the phi is the value of the next iteration, which is set below.
    let phi = builder.body.len();
    let edges = [first.id.0, entry.0, 0, next.0];
    builder.body.push_result_inst(Spv::Phi, ty, old, &edges);
    builder.emit_loop_merge(merge, next, LoopControl::NONE);
    builder.emit_branch(body);
    builder.begin_block(body);
    let old = builder.val(old);
    let seen = emit_update_attempt(builder, cell, old, update);
    builder.body.0[phi + 5] = seen.id.0;
    // Compares the bits: a NaN never equals itself.
    let done = builder.emit_test(Spv::IEqual, seen, old);
    builder.emit_branch_conditional(done.id, merge, next);
    builder.begin_block(next);
    builder.emit_branch(header);
    builder.begin_block(merge);
    // Both values are equal now. Invocations leave in different iterations, and the phi is the
    // value that every device preserves for each of them.
    extract_updated_word(builder, cell, old)
}

/// Returns the feature that an atomic sum of floats requires, and the type of its cell. Only the
/// features for buffers are used; those for shared memory differ in Vulkan. Returns `None` for
/// other updates.
fn find_float_atomic_add(update: AtomicUpdate) -> Option<(Requirement, Scalar)> {
    let entries = [
        (Type::F32, Requirement::Float32AtomicAdd, Scalar::F32),
        (Type::F64, Requirement::Float64AtomicAdd, Scalar::F64),
    ];
    let mut entries = entries.into_iter().filter(|_| update.op == AtomicOp::Add);
    entries
        .find(|entry| entry.0 == update.ty)
        .map(|(_, requirement, view)| (requirement, view))
}

/// Emits the bits of the low and the high half of a word, each in the low bits of a lane.
pub(in crate::emit) fn unpack_halves(builder: &mut ValueBuilder, word: Lane) -> [Lane; 2] {
    let word = builder.read_lane_val(word, Scalar::U32);
    let high = builder.emit_binary_bits(Spv::ShiftRightLogical, word, 16);
    let low = builder.emit_binary_bits(Spv::BitwiseAnd, word, 0xffff);
    [low.lane(0), high.lane(0)]
}

/// Converts the values of an update to the type of their cell; half floats are unchanged. The type
/// of the operation does not change.
fn cast_update(builder: &mut ValueBuilder, update: AtomicUpdate, scalar: Scalar) -> AtomicUpdate {
    if update.ty == Type::F16 {
        return update;
    }
    AtomicUpdate {
        value: builder.cast_val(update.value, scalar),
        new_value: update
            .new_value
            .map(|second| builder.cast_val(second, scalar)),
        ..update
    }
}

/// Chooses the type of the cell of an atomic and adds the capabilities that it requires: a float
/// for sums that the device supports, else an unsigned integer of 32 or 64 bits. Returns an error
/// if the device lacks 64-bit integers or their atomics.
fn choose_atomic_view(
    module: &mut ModuleWriter,
    update: AtomicUpdate,
    kind: Option<BufferKind>,
) -> Result<Scalar, Failure> {
    let device = module.device;
    let shared = kind == Some(BufferKind::Shared);
    if let Some((requirement, view)) = find_float_atomic_add(update).filter(|_| !shared)
        && requirement.is_met(&device)
    {
        module.requirements.insert(requirement);
        return Ok(view);
    }
    // All other updates use words: floats are compared and added in a loop, as bits.
    if update.ty.width() != Width::W64 {
        return Ok(Scalar::U32);
    }
    // In SPIR-V the capability `Int64Atomics` implies `Int64`: pairs of words cannot use 64-bit
    // atomics.
    Requirement::Int64.check(&device)?;
    let requirement = if shared {
        Requirement::SharedInt64Atomics
    } else {
        Requirement::Int64Atomics
    };
    module.require(requirement)?;
    Ok(Scalar::U64)
}

/// Returns the SPIR-V instruction that performs an update on the type of its cell; `None` if a loop
/// is required. Returns `None` for a compare-exchange, too, which has different operands.
fn find_native_atomic(module: &ModuleWriter, cell: AtomicTarget, op: AtomicOp) -> Option<Spv> {
    let (is_float, signed) = (cell.ty.is_float(), cell.ty.is_signed_int());
    let compares = matches!(op, AtomicOp::Min | AtomicOp::Max);
    // No atomic updates one word of a 64-bit element.
    if cell.shift.is_some() || compares && signed && !module.device.signed_atomics {
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

/// Emits the word of two half-precision floats after an update of both. `old` is a word; the
/// operand of the update is a vector of two floats.
pub(in crate::emit) fn compute_updated_halves(
    builder: &mut ValueBuilder,
    old: Val,
    update: AtomicUpdate,
) -> Val {
    if update.op == AtomicOp::Exchange {
        return float_narrowing::pack_two_halves(builder, update.value);
    }
    let old = builder.emit_ext_to(GlslOp::UnpackHalf2x16, Scalar::F32, 2, old.id);
    let new = apply_float_update(builder, update.op, old, update.value);
    float_narrowing::pack_two_halves(builder, new)
}

/// Emits `OpAtomicCompareExchange`, which stores `new` if the cell contains `comparator`, and
/// returns the old value.
fn emit_compare_exchange(
    builder: &mut ValueBuilder,
    cell: AtomicTarget,
    comparator: Val,
    new: Val,
) -> Val {
    let (scope, relaxed) = choose_atomic_scope(builder, cell.kind);
    // In SPIR-V the new value precedes the comparator. The second semantics operand applies if
    // nothing is stored; it may not be stronger than the first.
    let ids = [cell.pointer, scope, relaxed, relaxed, new.id, comparator.id];
    let operands = ids.map(|id| id.0);
    builder.emit_op(Spv::AtomicCompareExchange, cell.scalar, 1, &operands)
}

/// Computes the new bits of the whole cell, of which an update may change only one word.
fn compute_updated_element(
    builder: &mut ValueBuilder,
    cell: AtomicTarget,
    old: Val,
    update: AtomicUpdate,
) -> Val {
    let Some(shift) = cell.shift else {
        return compute_updated(builder, cell, old, update);
    };
    let word = extract_word(builder, old, shift);
    let word = compute_updated(builder, cell, word, update);
    let word = shift_to_element(builder, cell.scalar, word, Some(shift));
    // The other word retains the value that was read; if it has changed meanwhile, the exchange
    // fails and is repeated.
    let hole = builder.constant_like(old, u64::from(u32::MAX));
    let hole = builder.emit_binary(Spv::ShiftLeftLogical, hole, shift);
    let keep = builder.emit_unary(Spv::Not, hole);
    let other_bits = builder.emit_binary(Spv::BitwiseAnd, old, keep);
    builder.emit_binary(Spv::BitwiseOr, other_bits, word)
}

/// Updates a cell if it still contains the old value; returns the value that it contained.
fn emit_update_attempt(
    builder: &mut ValueBuilder,
    cell: AtomicTarget,
    old: Val,
    update: AtomicUpdate,
) -> Val {
    let new = compute_updated_element(builder, cell, old, update);
    emit_compare_exchange(builder, cell, old, new)
}

/// Returns the updated word from the old value of the whole target: the word itself, or a half of a
/// 64-bit integer.
fn extract_updated_word(builder: &mut ValueBuilder, cell: AtomicTarget, whole: Val) -> Val {
    match cell.shift {
        Some(shift) => extract_word(builder, whole, shift),
        None => whole,
    }
}

/// Computes the new value of a word or a 64-bit integer, or of two half floats in a word, from the
/// old one and the operand of the update.
fn compute_updated(
    builder: &mut ValueBuilder,
    cell: AtomicTarget,
    old: Val,
    update: AtomicUpdate,
) -> Val {
    let (value, ty) = (update.value, cell.ty);
    match update.op {
        _ if ty == Type::F16 => compute_updated_halves(builder, old, update),
        op @ (AtomicOp::Add | AtomicOp::Min | AtomicOp::Max) if ty.is_float() => {
            compute_updated_float(builder, op, old, value)
        }
        AtomicOp::Add => builder.emit_binary(Spv::IAdd, old, value),
        AtomicOp::And => builder.emit_binary(Spv::BitwiseAnd, old, value),
        AtomicOp::Or => builder.emit_binary(Spv::BitwiseOr, old, value),
        AtomicOp::Xor => builder.emit_binary(Spv::BitwiseXor, old, value),
        AtomicOp::Exchange => value,
        AtomicOp::CompareExchange => {
            let equal = builder.emit_test(Spv::IEqual, old, value);
            builder.emit_select(equal, update.new_value.unwrap_or(value), old)
        }
        AtomicOp::Min => select_lesser(builder, ty, [value, old], [value, old]),
        AtomicOp::Max => select_lesser(builder, ty, [old, value], [value, old]),
        AtomicOp::IncWrap => compute_incremented(builder, ty, old, value),
        AtomicOp::DecWrap => compute_decremented(builder, ty, old, value),
    }
}

/// Emits `a < b` of integers, signed or unsigned according to `ty`.
fn emit_less_than(builder: &mut ValueBuilder, ty: Type, a: Val, b: Val) -> Val {
    builder.emit_test(select_by_sign(ty, [Spv::SLessThan, Spv::ULessThan]), a, b)
}

/// Emits `a < b ? yes : no`, with a signed comparison if `ty` is signed.
fn select_lesser(
    builder: &mut ValueBuilder,
    ty: Type,
    [a, b]: [Val; 2],
    [yes, no]: [Val; 2],
) -> Val {
    let is_less = emit_less_than(builder, ty, a, b);
    builder.emit_select(is_less, yes, no)
}

/// Computes `old + 1`, or 0 if `old` is not less than `value`: IWRAP in NV_gpu_program5 section
/// 2.X.8.Z, ATOM.
fn compute_incremented(builder: &mut ValueBuilder, ty: Type, old: Val, value: Val) -> Val {
    let one = builder.constant_like(old, 1);
    let below = emit_less_than(builder, ty, old, value);
    let more = builder.emit_binary(Spv::IAdd, old, one);
    let zero = builder.constant_like(old, 0);
    builder.emit_select(below, more, zero)
}

/// Computes `old - 1`, or `value` if `old` is 0 or greater than `value`: DWRAP in the same section.
fn compute_decremented(builder: &mut ValueBuilder, ty: Type, old: Val, value: Val) -> Val {
    let one = builder.constant_like(old, 1);
    let zero = builder.emit_compare_bits(Spv::IEqual, old, 0);
    let above = emit_less_than(builder, ty, value, old);
    let wraps = builder.emit_logical(Spv::LogicalOr, zero, above);
    let fewer = builder.emit_binary(Spv::ISub, old, one);
    builder.emit_select(wraps, value, fewer)
}

/// Computes the bits that a float atomic stores, from the bits of the old value and of the operand.
fn compute_updated_float(builder: &mut ValueBuilder, op: AtomicOp, old: Val, value: Val) -> Val {
    let float = if old.scalar == Scalar::U64 {
        Scalar::F64
    } else {
        Scalar::F32
    };
    let (x, y) = (builder.cast_val(old, float), builder.cast_val(value, float));
    let new = apply_float_update(builder, op, x, y);
    builder.read_lane_val(Lane::scalar(new.id), old.scalar)
}

/// Computes the sum, minimum or maximum of two floats; every operation other than `Add` and `Min`
/// is a maximum.
fn apply_float_update(builder: &mut ValueBuilder, op: AtomicOp, old: Val, value: Val) -> Val {
    if op == AtomicOp::Add {
        return builder.emit_binary(Spv::FAdd, old, value);
    }
    let greater = builder.emit_test(Spv::FOrdGreaterThan, old, value);
    let is_min = op == AtomicOp::Min;
    let which = if is_min { Extreme::Min } else { Extreme::Max };
    arith::select_extreme(builder, which, greater, old, value)
}
