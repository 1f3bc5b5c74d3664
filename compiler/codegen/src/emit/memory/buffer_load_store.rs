//! Loads and stores of elements of buffers, which are arrays of words.
//!
//! Narrow elements are extracted from words, so that no narrow storage is needed.

use crate::builder::{Lane, Scalar, Val, ValueBuilder, int, int64_emulation};
use crate::emit::context::BufferEmitter;
use crate::emit::memory::buffer::BufferView;
use crate::emit::memory::buffer_address::{BufferAddress, emit_if_in_bounds};
use crate::emit::memory::{choose_atomic_scope, volatile_operand};
use crate::error::{Error, Failure};
use crate::spirv_writer::ValueWord;
use glasm_ir::resource::BufferKind;
use glasm_ir::{MemAccess, Type, Width};
use spirv::Op as Spv;

/// Words of a load.
struct LoadWindow {
    /// Number of the first word.
    first: Val,
    /// Number of words of the buffer and number of its last word, if words must be compared with
    /// them.
    bound: Option<(Val, Val)>,
}

impl BufferEmitter<'_, '_> {
    /// Loads the lanes `lanes` of an access from a buffer; those out of range are 0, and lanes that
    /// are not loaded are undefined. Loads a whole vector at once if a view allows it. Returns an
    /// error if the device lacks a feature.
    pub(super) fn load_buffer(
        &mut self,
        address: BufferAddress,
        ty: Type,
        access: &MemAccess,
        lanes: u8,
    ) -> Result<[Lane; 4], Failure> {
        let lanes = lanes & access.element_lanes();
        self.emit_for_buffer(address, |emit, address| {
            let bound = emit.compute_bound(address, Scalar::U32)?;
            if let Some(view) = emit.find_vector_view(address, ty, access)
                && lanes.count_ones() > 1
            {
                let load = |emit: &mut Self| {
                    let vector = emit.load_vector(address, view, access);
                    Ok(Lane::all_components(vector))
                };
                return match bound {
                    Some(bound) => {
                        let first = compute_word_number(emit.function.builder, address.offset, 0);
                        emit_if_in_bounds(emit, Some(bound), first, load)
                    }
                    None => load(emit),
                };
            }
            let first = compute_word_number(emit.function.builder, address.offset, 0);
            // If the first word is out of range, all words are, and the whole access is skipped.
            // Later words are tested individually.
            emit_if_in_bounds(emit, bound, first, |emit| {
                // The first word is known to be in range.
                let bound = bound.filter(|_| lanes > 1 || ty.width() == Width::W64);
                let bound = bound.map(|bound| with_last_word(emit.function.builder, bound));
                let words = LoadWindow { first, bound };
                let mut values = [Lane::UNDEFINED; 4];
                for lane in glasm_ir::WriteMask(lanes).lanes() {
                    values[lane] = emit.load_element(address, lane as u32, ty, access, &words);
                }
                Ok(values)
            })
        })
    }

    /// Stores the components of `values` to a buffer; those that are partly or completely out of
    /// range are not written. Returns an error for constant buffers, and if the device lacks a
    /// feature.
    pub(super) fn store_buffer(
        &mut self,
        address: BufferAddress,
        ty: Type,
        access: &MemAccess,
        values: [Lane; 4],
    ) -> Result<(), Failure> {
        if self.function.program.buffers[address.buffer].kind == BufferKind::ProgramParameter {
            return Err(Error::unsupported("constant buffers cannot be written"));
        }
        let count = usize::from(access.components);
        self.emit_for_buffer(address, |emit, address| {
            let bound = emit.compute_bound(address, Scalar::U32)?;
            if let Some(view) = emit.find_vector_view(address, ty, access) {
                emit.store_vector(address, view, access, &values[..count]);
                return Ok([Lane::UNDEFINED; 4]);
            }
            for (index, value) in (0u32..).zip(&values[..count]) {
                // An element that is only partly in range is not written.
                let last = compute_last_word(emit.function.builder, address, index, ty);
                emit_if_in_bounds(emit, bound, last, |emit| {
                    emit.store_element(address, index, ty, access, *value);
                    Ok([Lane::UNDEFINED; 4])
                })?;
            }
            Ok([Lane::UNDEFINED; 4])
        })?;
        Ok(())
    }

    /// Returns the view that has all components of an access in one element, which drivers move at
    /// once, or `None` if the components have to be accessed separately. Offsets are aligned to the
    /// size of the access (NV_gpu_program5 section 2.X.4.5), but buffers may end within an element:
    /// only a device that checks bounds itself returns the words in range.
    fn find_vector_view(
        &self,
        address: BufferAddress,
        ty: Type,
        access: &MemAccess,
    ) -> Option<BufferView> {
        let possible = match self.function.program.buffers[address.buffer].kind {
            // The size that the program declares may end within a vector.
            BufferKind::ProgramParameter => {
                let size = self.function.program.buffers[address.buffer]
                    .size
                    .unwrap_or(0);
                access.components == 4 && size.is_multiple_of(16)
            }
            BufferKind::Storage | BufferKind::AtomicCounter => {
                access.components > 1 && self.function.builder.device.robust_buffer_access2
            }
            BufferKind::VertexStateParameters => {
                access.components == 4 && self.is_within_state_params(address)
            }
            BufferKind::Shared | BufferKind::Private => false,
        };
        (possible && ty.width() == Width::W32)
            .then(|| BufferView::from_vector_size(access.components))
    }

    /// Returns the pointer to the vector at the byte offset of `address` in a view of vectors.
    fn compute_vector_pointer(&mut self, address: BufferAddress, view: BufferView) -> ValueWord {
        let shift = view.stride().trailing_zeros();
        let (op, of_known) = (Spv::ShiftRightLogical, u32::wrapping_shr);
        let number = apply_word_op(self.function.builder, op, address.offset, shift, of_known);
        self.compute_element_pointer(address, view, number)
    }

    /// Emits one load of a whole vector from a buffer, without a bounds check. The vector has the
    /// component type of the buffer if that is constant.
    fn load_vector(
        &mut self,
        address: BufferAddress,
        view: BufferView,
        access: &MemAccess,
    ) -> ValueWord {
        let scalar = self.choose_constant_scalar(address.buffer);
        let view = BufferView {
            scalar: scalar.unwrap_or(view.scalar),
            ..view
        };
        let pointer = self.compute_vector_pointer(address, view);
        emit_view_load(self.function.builder, pointer, view, access).id
    }

    /// Emits one store of `values` as a whole vector of words to a buffer, without a bounds check.
    fn store_vector(
        &mut self,
        address: BufferAddress,
        view: BufferView,
        access: &MemAccess,
        values: &[Lane],
    ) {
        let value = self.function.builder.gather_vector(values, Scalar::U32);
        let pointer = self.compute_vector_pointer(address, view);
        emit_view_store(self.function.builder, pointer, value.id, access);
    }

    /// Loads word `word` of a buffer. `inside` is the result of the bounds check and the last word
    /// of the buffer: a word out of range reads as 0. `None` skips the check.
    fn load_word(
        &mut self,
        address: BufferAddress,
        word: Val,
        access: &MemAccess,
        inside: Option<(Val, Val)>,
    ) -> Val {
        let Some((inside, end)) = inside else {
            return self.load_word_inside(address, word, access);
        };
        // Clamped before the read: the access must not leave the buffer even for a value that is
        // dropped.
        let word = int::select_min(self.function.builder, word, end);
        let value = self.load_word_inside(address, word, access);
        let zero = self.function.builder.constant_like(value, 0);
        self.function.builder.emit_select(inside, value, zero)
    }

    /// Loads a word whose number is known to be in range; a word of an array of 64-bit elements is
    /// extracted.
    fn load_word_inside(&mut self, address: BufferAddress, word: Val, access: &MemAccess) -> Val {
        let (view, number, shift) = self.compute_word_location(address, word);
        let pointer = self.compute_element_pointer(address, view, number);
        let value = emit_view_load(self.function.builder, pointer, view.into(), access);
        match shift {
            Some(shift) => extract_word(self.function.builder, value, shift),
            None => value,
        }
    }

    /// Returns the type of the elements of a buffer and the number of the element that contains a
    /// word. If the elements have 64 bits, emits the computation of the number and of the third
    /// result, the shift of the word in bits; otherwise that is `None`.
    pub(super) fn compute_word_location(
        &mut self,
        address: BufferAddress,
        word: Val,
    ) -> (Scalar, Val, Option<Val>) {
        if let Some(scalar) = self.choose_constant_scalar(address.buffer) {
            return (scalar, word, None);
        }
        if !self.is_wide_shared(address.buffer) {
            return (Scalar::U32, word, None);
        }
        // Shared memory is an array of 64-bit integers: two words in each, the odd one in bits 32
        // to 63.
        let (one, five) = (
            self.function.builder.constant_like(word, 1),
            self.function.builder.constant_like(word, 5),
        );
        let number = self
            .function
            .builder
            .emit_binary(Spv::ShiftRightLogical, word, one);
        let odd = self
            .function
            .builder
            .emit_binary(Spv::BitwiseAnd, word, one);
        let shift = self
            .function
            .builder
            .emit_binary(Spv::ShiftLeftLogical, odd, five);
        (Scalar::U64, number, Some(shift))
    }

    /// Loads element `index` of an access to the components of type `ty`, or 0 if it is out of
    /// range. Requires that the first word of element 0 is in range. Elements of 8 and 16 bits are
    /// extended to 32 bits.
    fn load_element(
        &mut self,
        address: BufferAddress,
        index: u32,
        ty: Type,
        access: &MemAccess,
        words: &LoadWindow,
    ) -> Lane {
        match ty.width() {
            Width::W32 => {
                let word = advance_word(self.function.builder, words.first, index);
                self.load_element_word(address, index, word, access, words)
                    .lane(0)
            }
            Width::W64 => {
                let [low, high] = [0, 1]
                    .map(|half| advance_word(self.function.builder, words.first, 2 * index + half));
                // By its high word: a number that is partly out of range reads as 0.
                let inside = words
                    .bound
                    .map(|bound| test_in_bounds(self.function.builder, high, bound));
                let pair =
                    [low, high].map(|word| self.load_word(address, word, access, inside).lane(0));
                let pair = self.function.builder.gather_vector(&pair, Scalar::U32);
                int64_emulation::pack_words(self.function.builder, pair)
            }
            width @ (Width::W8 | Width::W16) => {
                let (word, shift) =
                    compute_narrow_location(self.function.builder, address.offset, index, width);
                let word = self.load_element_word(address, index, word, access, words);
                // A constant buffer may have floats as elements.
                let word = self.function.builder.cast_val(word, Scalar::U32);
                let value = self
                    .function
                    .builder
                    .emit_binary(Spv::ShiftRightLogical, word, shift);
                int::extend_low_bits(
                    self.function.builder,
                    value,
                    width.bits(),
                    ty.is_signed_int(),
                )
                .lane(0)
            }
        }
    }

    /// Loads the word of element `index`, or 0 if it is out of range. Element 0 is not checked.
    fn load_element_word(
        &mut self,
        address: BufferAddress,
        index: u32,
        word: Val,
        access: &MemAccess,
        words: &LoadWindow,
    ) -> Val {
        let bound = words.bound.filter(|_| index > 0);
        let inside = bound.map(|bound| test_in_bounds(self.function.builder, word, bound));
        self.load_word(address, word, access, inside)
    }

    /// Stores one component of type `ty`, the `index`-th after the address, without a bounds check.
    fn store_element(
        &mut self,
        address: BufferAddress,
        index: u32,
        ty: Type,
        access: &MemAccess,
        value: Lane,
    ) {
        match ty.width() {
            Width::W32 => {
                let value = self.function.builder.read_lane(value, Scalar::U32);
                self.store_word(address, index, access, value);
            }
            Width::W64 => {
                // Little-endian, as all memory in Vulkan: the low word first.
                let words = int64_emulation::unpack_words(self.function.builder, value);
                for half in 0..2 {
                    let word = self
                        .function
                        .builder
                        .extract_component(words, half as usize)
                        .id;
                    self.store_word(address, 2 * index + half, access, word);
                }
            }
            width @ (Width::W8 | Width::W16) => {
                let value = self.function.builder.read_lane_val(value, Scalar::U32);
                self.store_narrow(address, index, width, value);
            }
        }
    }

    /// Stores the word `words` words after the address, without a bounds check; atomically if the
    /// memory is an array of 64-bit elements.
    fn store_word(
        &mut self,
        address: BufferAddress,
        words: u32,
        access: &MemAccess,
        value: ValueWord,
    ) {
        let word = compute_word_number(self.function.builder, address.offset, words);
        if self.is_wide_shared(address.buffer) {
            let (value, all) = (
                self.function.builder.val(value),
                self.function.builder.constant_u32_val(u32::MAX),
            );
            return self.store_bits_atomically(address, word, all, value);
        }
        let pointer = self.compute_element_pointer(address, Scalar::U32, word);
        emit_view_store(self.function.builder, pointer, value, access);
    }

    /// Stores the low 8 or 16 bits of `value` as element `index` into their word: by load and store
    /// in Private memory, atomically in all other memory. Other bits of the word are unchanged.
    fn store_narrow(&mut self, address: BufferAddress, index: u32, width: Width, value: Val) {
        let (word, shift) =
            compute_narrow_location(self.function.builder, address.offset, index, width);
        let mask = self
            .function
            .builder
            .constant_like(value, (1 << width.bits()) - 1);
        let value = self
            .function
            .builder
            .emit_binary(Spv::BitwiseAnd, value, mask);
        let value = self
            .function
            .builder
            .emit_binary(Spv::ShiftLeftLogical, value, shift);
        let placed_mask = self
            .function
            .builder
            .emit_binary(Spv::ShiftLeftLogical, mask, shift);
        if self.function.program.buffers[address.buffer].kind == BufferKind::Private {
            return self.store_private_bits(address, word, placed_mask, value);
        }
        self.store_bits_atomically(address, word, placed_mask, value);
    }

    /// Replaces the bits `mask` of a word that no other invocation accesses by those of `value`,
    /// which has no other bits.
    fn store_private_bits(&mut self, address: BufferAddress, word: Val, mask: Val, value: Val) {
        let pointer = self.compute_element_pointer(address, Scalar::U32, word);
        let old = self
            .function
            .builder
            .emit_op(Spv::Load, Scalar::U32, 1, &[pointer.0]);
        let keep = self.function.builder.emit_unary(Spv::Not, mask);
        let other_bits = self
            .function
            .builder
            .emit_binary(Spv::BitwiseAnd, old, keep);
        let new = self
            .function
            .builder
            .emit_binary(Spv::BitwiseOr, other_bits, value);
        self.function.builder.emit_store(pointer, new.id);
    }

    /// Replaces the bits `mask` of a word by those of `value`, which has no other bits, with two
    /// atomics, so that its other bits survive the stores of other invocations.
    fn store_bits_atomically(&mut self, address: BufferAddress, word: Val, mask: Val, value: Val) {
        let (view, number, shift) = self.compute_word_location(address, word);
        let pointer = self.compute_element_pointer(address, view, number);
        let hole = shift_to_element(self.function.builder, view, mask, shift);
        let value = shift_to_element(self.function.builder, view, value, shift);
        // Two atomics: between them others may read the bits as zeros, but no store to adjacent
        // bits is lost.
        let keep = self.function.builder.emit_unary(Spv::Not, hole);
        let kind = self.function.program.buffers[address.buffer].kind;
        for (op, operand) in [(Spv::AtomicAnd, keep), (Spv::AtomicOr, value)] {
            let (scope, relaxed) = choose_atomic_scope(self.function.builder, Some(kind));
            let operands = [pointer.0, scope.0, relaxed.0, operand.id.0];
            self.function.builder.emit_op(op, view, 1, &operands);
        }
    }
}

/// Loads through a pointer with the type of a view; volatile if the access is.
fn emit_view_load(
    builder: &mut ValueBuilder,
    pointer: ValueWord,
    view: BufferView,
    access: &MemAccess,
) -> Val {
    match volatile_operand(access) {
        0 => builder.emit_op(Spv::Load, view.scalar, view.size, &[pointer.0]),
        operands => builder.emit_op(Spv::Load, view.scalar, view.size, &[pointer.0, operands]),
    }
}

/// Emits the store of a value through a pointer, which is volatile if the access is.
fn emit_view_store(
    builder: &mut ValueBuilder,
    pointer: ValueWord,
    value: ValueWord,
    access: &MemAccess,
) {
    match volatile_operand(access) {
        0 => builder.emit_store(pointer, value),
        operands => builder
            .body
            .push_inst(Spv::Store, &[pointer.0, value.0, operands]),
    }
}

/// Emits `a op bits` of words. A constant is computed by `fold_constant`: constant folding would
/// add `bits` to the constants of the module.
pub(super) fn apply_word_op(
    builder: &mut ValueBuilder,
    op: Spv,
    a: Val,
    bits: u32,
    fold_constant: fn(u32, u32) -> u32,
) -> Val {
    match builder.constant_bits(a.id) {
        Some(known) => builder.constant_u32_val(fold_constant(known as u32, bits)),
        None => builder.emit_binary_bits(op, a, bits.into()),
    }
}

/// Tests whether a word is within a buffer; also returns the number of the buffer's last word.
fn test_in_bounds(builder: &mut ValueBuilder, word: Val, (bound, end): (Val, Val)) -> (Val, Val) {
    let inside = builder.emit_test(Spv::ULessThan, word, bound);
    (inside, end)
}

/// Returns a number of words, which is not 0, and the number of the last word.
fn with_last_word(builder: &mut ValueBuilder, bound: Val) -> (Val, Val) {
    (bound, builder.emit_binary_bits(Spv::ISub, bound, 1))
}

/// Emits the number of the word that is `words` words after `first`.
fn advance_word(builder: &mut ValueBuilder, first: Val, words: u32) -> Val {
    builder.emit_binary_bits(Spv::IAdd, first, u64::from(words))
}

/// Computes the number of the word that is `words` words after the word at a byte offset.
pub(super) fn compute_word_number(builder: &mut ValueBuilder, offset: Val, words: u32) -> Val {
    let first = builder.emit_binary_bits(Spv::ShiftRightLogical, offset, 2);
    advance_word(builder, first, words)
}

/// Emits the computation of the number of the last word that element `index` of an access touches.
/// `index` counts elements of type `ty`.
fn compute_last_word(
    builder: &mut ValueBuilder,
    address: BufferAddress,
    index: u32,
    ty: Type,
) -> Val {
    match ty.width() {
        Width::W64 => compute_word_number(builder, address.offset, 2 * index + 1),
        Width::W32 => compute_word_number(builder, address.offset, index),
        width @ (Width::W8 | Width::W16) => {
            compute_narrow_location(builder, address.offset, index, width).0
        }
    }
}

/// Emits the 32-bit word of a 64-bit integer that begins at bit `shift`.
pub(super) fn extract_word(builder: &mut ValueBuilder, wide: Val, shift: Val) -> Val {
    let low = builder.emit_binary(Spv::ShiftRightLogical, wide, shift);
    builder.emit_unary_to(Spv::UConvert, Scalar::U32, low)
}

/// Extends a word to an element of type `view` and shifts it to its position. Returns the word
/// unchanged without `shift`: it is then the whole element.
pub(super) fn shift_to_element(
    builder: &mut ValueBuilder,
    view: Scalar,
    word: Val,
    shift: Option<Val>,
) -> Val {
    let Some(shift) = shift else { return word };
    let wide = builder.emit_unary_to(Spv::UConvert, view, word);
    builder.emit_binary(Spv::ShiftLeftLogical, wide, shift)
}

/// Emits the computation of the number of the word that contains element `index` of 8 or 16 bits
/// after the byte offset `offset`, and of the shift of the element in bits.
fn compute_narrow_location(
    builder: &mut ValueBuilder,
    offset: Val,
    index: u32,
    width: Width,
) -> (Val, Val) {
    let offset = builder.emit_binary_bits(Spv::IAdd, offset, u64::from(index * width.bytes()));
    let word = compute_word_number(builder, offset, 0);
    // Elements are aligned to their size (NV_gpu_program5 section 2.X.4.5); the low bit of a
    // halfword's offset is ignored.
    let byte = builder.emit_binary_bits(Spv::BitwiseAnd, offset, u64::from(4 - width.bytes()));
    (
        word,
        builder.emit_binary_bits(Spv::ShiftLeftLogical, byte, 3),
    )
}
