//! Loads and stores of elements of buffers, which are arrays of words.
//!
//! Narrow elements are extracted from words, so that no narrow storage is needed.

use crate::builder::{Lane, Scalar, Val, ValueBuilder, int, wide};
use crate::emit::cx::BufferEmitter;
use crate::emit::memory::buffer::View;
use crate::emit::memory::place::{BufferPlace, run_inside};
use crate::emit::memory::{choose_atomic_scope, volatile};
use crate::error::{Error, Failure};
use crate::words::ValueWord;
use glasm_ir::resource::BufferKind;
use glasm_ir::{MemAccess, Type, Width};
use spirv::Op as Spv;

/// Words of a load.
struct WordsRead {
    /// Number of the first word.
    first: Val,
    /// Number of words of the buffer and number of its last word, if words must be compared with
    /// them.
    bound: Option<(Val, Val)>,
}

impl BufferEmitter<'_, '_> {
    /// Loads the lanes `lanes` of an access.
    pub(super) fn load_buffer(
        &mut self,
        place: BufferPlace,
        ty: Type,
        access: &MemAccess,
        lanes: u8,
    ) -> Result<[Lane; 4], Failure> {
        let lanes = lanes & access.element_lanes();
        self.run_at_place(place, |emit, place| {
            let bound = emit.compute_bound(place, Scalar::U32)?;
            if let Some(view) = emit.find_whole_view(place, ty, access)
                && lanes.count_ones() > 1
            {
                let load = |emit: &mut Self| {
                    let vector = emit.load_vector(place, view, access);
                    Ok(Lane::all_of(vector))
                };
                return match bound {
                    Some(bound) => {
                        let first = compute_word_number(emit.f.w, place.offset, 0);
                        run_inside(emit, Some(bound), first, load)
                    }
                    None => load(emit),
                };
            }
            let first = compute_word_number(emit.f.w, place.offset, 0);
            // If the first word is out of range, all words are, and the whole access is skipped.
            // Later words are tested individually.
            run_inside(emit, bound, first, |emit| {
                // The first word is known to be in range.
                let bound = bound.filter(|_| lanes > 1 || ty.width() == Width::W64);
                let bound = bound.map(|bound| with_last(emit.f.w, bound));
                let words = WordsRead { first, bound };
                let mut values = [Lane::UNDEFINED; 4];
                for lane in glasm_ir::WriteMask(lanes).lanes() {
                    values[lane] = emit.load_element(place, lane as u32, ty, access, &words);
                }
                Ok(values)
            })
        })
    }

    /// Stores the components of `values`.
    pub(super) fn store_buffer(
        &mut self,
        place: BufferPlace,
        ty: Type,
        access: &MemAccess,
        values: [Lane; 4],
    ) -> Result<(), Failure> {
        if self.f.program.buffers[place.buffer].kind == BufferKind::Constant {
            return Err(Error::unsupported("constant buffers cannot be written"));
        }
        let count = usize::from(access.components);
        self.run_at_place(place, |emit, place| {
            let bound = emit.compute_bound(place, Scalar::U32)?;
            if let Some(view) = emit.find_whole_view(place, ty, access) {
                emit.store_vector(place, view, access, &values[..count]);
                return Ok([Lane::UNDEFINED; 4]);
            }
            for (index, value) in (0u32..).zip(&values[..count]) {
                // An element that is only partly in range is not written.
                let last = find_last_word(emit.f.w, place, index, ty);
                run_inside(emit, bound, last, |emit| {
                    emit.store_element(place, index, ty, access, *value);
                    Ok([Lane::UNDEFINED; 4])
                })?;
            }
            Ok([Lane::UNDEFINED; 4])
        })?;
        Ok(())
    }

    /// Returns the view that has all components of an access in one element, which drivers move at
    /// once. Offsets are aligned to the size of the access (NV_gpu_program5 section 2.X.4.5), but
    /// buffers may end within an element: only a device that checks bounds itself returns the words
    /// in range.
    fn find_whole_view(&self, place: BufferPlace, ty: Type, access: &MemAccess) -> Option<View> {
        let possible = match self.f.program.buffers[place.buffer].kind {
            // The size that the program declares may end within a vector.
            BufferKind::Constant => {
                let size = self.f.program.buffers[place.buffer].size.unwrap_or(0);
                access.components == 4 && size.is_multiple_of(16)
            }
            BufferKind::Storage | BufferKind::Counter => {
                access.components > 1 && self.f.w.device.robust_buffer_access2
            }
            BufferKind::State => access.components == 4 && self.is_in_state(place),
            BufferKind::Shared | BufferKind::Private => false,
        };
        (possible && ty.width() == Width::W32).then(|| View::of_vectors(access.components))
    }

    fn compute_vector_pointer(&mut self, place: BufferPlace, view: View) -> ValueWord {
        let shift = view.stride().trailing_zeros();
        let (op, of_known) = (Spv::ShiftRightLogical, u32::wrapping_shr);
        let number = apply_word_op(self.f.w, op, place.offset, shift, of_known);
        self.compute_cell_pointer(place, view, number)
    }

    fn load_vector(&mut self, place: BufferPlace, view: View, access: &MemAccess) -> ValueWord {
        let scalar = self.choose_constant_scalar(place.buffer);
        let view = View {
            scalar: scalar.unwrap_or(view.scalar),
            ..view
        };
        let pointer = self.compute_vector_pointer(place, view);
        load_viewed(self.f.w, pointer, view, access).id
    }

    fn store_vector(
        &mut self,
        place: BufferPlace,
        view: View,
        access: &MemAccess,
        values: &[Lane],
    ) {
        let value = self.f.w.gather_vector(values, Scalar::U32);
        let pointer = self.compute_vector_pointer(place, view);
        store_words(self.f.w, pointer, value.id, access);
    }

    /// Loads word `word`; returns 0 unless it and word `last` are in range.
    fn load_word(
        &mut self,
        place: BufferPlace,
        word: Val,
        access: &MemAccess,
        inside: Option<(Val, Val)>,
    ) -> Val {
        let Some((inside, end)) = inside else {
            return self.load_word_inside(place, word, access);
        };
        // Clamped before the read: the access must not leave the buffer even for a value that is
        // dropped.
        let word = int::select_min(self.f.w, word, end);
        let value = self.load_word_inside(place, word, access);
        let zero = self.f.w.constant_like(value, 0);
        self.f.w.select(inside, value, zero)
    }

    fn load_word_inside(&mut self, place: BufferPlace, word: Val, access: &MemAccess) -> Val {
        let (view, number, shift) = self.find_word(place, word);
        let pointer = self.compute_cell_pointer(place, view, number);
        let value = load_viewed(self.f.w, pointer, view.into(), access);
        match shift {
            Some(shift) => extract_word(self.f.w, value, shift),
            None => value,
        }
    }

    /// Returns the view, the element, and the shift within a 64-bit element for a word.
    pub(super) fn find_word(
        &mut self,
        place: BufferPlace,
        word: Val,
    ) -> (Scalar, Val, Option<Val>) {
        if let Some(scalar) = self.choose_constant_scalar(place.buffer) {
            return (scalar, word, None);
        }
        if !self.is_wide_shared(place.buffer) {
            return (Scalar::U32, word, None);
        }
        // Shared memory is an array of 64-bit integers: two words in each, the odd one in bits 32
        // to 63.
        let (one, five) = (
            self.f.w.constant_like(word, 1),
            self.f.w.constant_like(word, 5),
        );
        let number = self.f.w.binary(Spv::ShiftRightLogical, word, one);
        let odd = self.f.w.binary(Spv::BitwiseAnd, word, one);
        let shift = self.f.w.binary(Spv::ShiftLeftLogical, odd, five);
        (Scalar::U64, number, Some(shift))
    }

    /// Loads one element of a load. The first word of element 0 is in range.
    fn load_element(
        &mut self,
        place: BufferPlace,
        index: u32,
        ty: Type,
        access: &MemAccess,
        words: &WordsRead,
    ) -> Lane {
        match ty.width() {
            Width::W32 => {
                let word = advance_word(self.f.w, words.first, index);
                self.load_word_of(place, index, word, access, words).lane(0)
            }
            Width::W64 => {
                let [low, high] =
                    [0, 1].map(|half| advance_word(self.f.w, words.first, 2 * index + half));
                // By its high word: a number that is partly out of range reads as 0.
                let inside = words.bound.map(|bound| is_inside(self.f.w, high, bound));
                let pair =
                    [low, high].map(|word| self.load_word(place, word, access, inside).lane(0));
                let pair = self.f.w.gather_vector(&pair, Scalar::U32);
                wide::pack_words(self.f.w, pair)
            }
            width @ (Width::W8 | Width::W16) => {
                let (word, shift) = find_narrow_word(self.f.w, place.offset, index, width);
                let word = self.load_word_of(place, index, word, access, words);
                // A constant buffer may have floats as elements.
                let word = self.f.w.reread(word, Scalar::U32);
                let value = self.f.w.binary(Spv::ShiftRightLogical, word, shift);
                int::extend(self.f.w, value, width.bits(), ty.is_signed_int()).lane(0)
            }
        }
    }

    /// Loads the word of element `index`, or 0 if it is out of range.
    fn load_word_of(
        &mut self,
        place: BufferPlace,
        index: u32,
        word: Val,
        access: &MemAccess,
        words: &WordsRead,
    ) -> Val {
        let bound = words.bound.filter(|_| index > 0);
        let inside = bound.map(|bound| is_inside(self.f.w, word, bound));
        self.load_word(place, word, access, inside)
    }

    fn store_element(
        &mut self,
        place: BufferPlace,
        index: u32,
        ty: Type,
        access: &MemAccess,
        value: Lane,
    ) {
        match ty.width() {
            Width::W32 => {
                let value = self.f.w.scalar(value, Scalar::U32);
                self.store_word(place, index, access, value);
            }
            Width::W64 => {
                // Little-endian, as all memory in Vulkan: the low word first.
                let words = wide::unpack_words(self.f.w, value);
                for half in 0..2 {
                    let word = self.f.w.component(words, half as usize).id;
                    self.store_word(place, 2 * index + half, access, word);
                }
            }
            width @ (Width::W8 | Width::W16) => {
                let value = self.f.w.lane_val(value, Scalar::U32);
                self.store_narrow(place, index, width, value);
            }
        }
    }

    fn store_word(&mut self, place: BufferPlace, words: u32, access: &MemAccess, value: ValueWord) {
        let word = compute_word_number(self.f.w, place.offset, words);
        if self.is_wide_shared(place.buffer) {
            let (value, all) = (self.f.w.val(value), self.f.w.uint_val(u32::MAX));
            return self.store_bits(place, word, all, value);
        }
        let pointer = self.compute_cell_pointer(place, Scalar::U32, word);
        store_words(self.f.w, pointer, value, access);
    }

    fn store_narrow(&mut self, place: BufferPlace, index: u32, width: Width, value: Val) {
        let (word, shift) = find_narrow_word(self.f.w, place.offset, index, width);
        let mask = self.f.w.constant_like(value, (1 << width.bits()) - 1);
        let value = self.f.w.binary(Spv::BitwiseAnd, value, mask);
        let value = self.f.w.binary(Spv::ShiftLeftLogical, value, shift);
        let hole = self.f.w.binary(Spv::ShiftLeftLogical, mask, shift);
        if self.f.program.buffers[place.buffer].kind == BufferKind::Private {
            return self.store_own_bits(place, word, hole, value);
        }
        self.store_bits(place, word, hole, value);
    }

    /// Stores the bits `hole` of a word that no other invocation accesses.
    fn store_own_bits(&mut self, place: BufferPlace, word: Val, hole: Val, value: Val) {
        let pointer = self.compute_cell_pointer(place, Scalar::U32, word);
        let old = self.f.w.op(Spv::Load, Scalar::U32, 1, &[pointer.0]);
        let keep = self.f.w.unary(Spv::Not, hole);
        let rest = self.f.w.binary(Spv::BitwiseAnd, old, keep);
        let new = self.f.w.binary(Spv::BitwiseOr, rest, value);
        self.f.w.store(pointer, new.id);
    }

    /// Stores the bits `hole` of a word by two atomics, so that its other bits survive the stores
    /// of other invocations.
    fn store_bits(&mut self, place: BufferPlace, word: Val, hole: Val, value: Val) {
        let (view, number, shift) = self.find_word(place, word);
        let pointer = self.compute_cell_pointer(place, view, number);
        let hole = shift_up(self.f.w, view, hole, shift);
        let value = shift_up(self.f.w, view, value, shift);
        // Two atomics: between them others may read the bits as zeros, but no store to adjacent
        // bits is lost.
        let keep = self.f.w.unary(Spv::Not, hole);
        let kind = self.f.program.buffers[place.buffer].kind;
        for (op, operand) in [(Spv::AtomicAnd, keep), (Spv::AtomicOr, value)] {
            let (scope, relaxed) = choose_atomic_scope(self.f.w, Some(kind));
            let operands = [pointer.0, scope.0, relaxed.0, operand.id.0];
            self.f.w.op(op, view, 1, &operands);
        }
    }
}

fn load_viewed(w: &mut ValueBuilder, pointer: ValueWord, view: View, access: &MemAccess) -> Val {
    match volatile(access) {
        0 => w.op(Spv::Load, view.scalar, view.size, &[pointer.0]),
        operands => w.op(Spv::Load, view.scalar, view.size, &[pointer.0, operands]),
    }
}

fn store_words(w: &mut ValueBuilder, pointer: ValueWord, value: ValueWord, access: &MemAccess) {
    match volatile(access) {
        0 => w.store(pointer, value),
        operands => w.body.op(Spv::Store, &[pointer.0, value.0, operands]),
    }
}

/// Emits `a op bits` of words. A constant is computed by `of_known`: constant folding would add
/// `bits` to the constants of the module.
pub(super) fn apply_word_op(
    w: &mut ValueBuilder,
    op: Spv,
    a: Val,
    bits: u32,
    of_known: fn(u32, u32) -> u32,
) -> Val {
    match w.constant_bits(a.id) {
        Some(known) => w.uint_val(of_known(known as u32, bits)),
        None => w.binary_bits(op, a, bits.into()),
    }
}

/// Tests whether a word is within a buffer; also returns the number of the buffer's last word.
fn is_inside(w: &mut ValueBuilder, word: Val, (bound, end): (Val, Val)) -> (Val, Val) {
    let inside = w.test(Spv::ULessThan, word, bound);
    (inside, end)
}

/// Returns a number of words, which is not 0, and the number of the last word.
fn with_last(w: &mut ValueBuilder, bound: Val) -> (Val, Val) {
    (bound, w.binary_bits(Spv::ISub, bound, 1))
}

fn advance_word(w: &mut ValueBuilder, first: Val, words: u32) -> Val {
    w.binary_bits(Spv::IAdd, first, u64::from(words))
}

/// Computes the number of the word that is `words` words after the word at a byte offset.
pub(super) fn compute_word_number(w: &mut ValueBuilder, offset: Val, words: u32) -> Val {
    let first = w.binary_bits(Spv::ShiftRightLogical, offset, 2);
    advance_word(w, first, words)
}

/// Returns the last word that element `index` of an access touches.
fn find_last_word(w: &mut ValueBuilder, place: BufferPlace, index: u32, ty: Type) -> Val {
    match ty.width() {
        Width::W64 => compute_word_number(w, place.offset, 2 * index + 1),
        Width::W32 => compute_word_number(w, place.offset, index),
        width @ (Width::W8 | Width::W16) => find_narrow_word(w, place.offset, index, width).0,
    }
}

/// Extracts the word of a 64-bit integer from bit `shift` up.
pub(super) fn extract_word(w: &mut ValueBuilder, wide: Val, shift: Val) -> Val {
    let low = w.binary(Spv::ShiftRightLogical, wide, shift);
    w.unary_to(Spv::UConvert, Scalar::U32, low)
}

/// Extends a word to an element of type `view`, shifted to its position if two words share an
/// element.
pub(super) fn shift_up(w: &mut ValueBuilder, view: Scalar, word: Val, shift: Option<Val>) -> Val {
    let Some(shift) = shift else { return word };
    let wide = w.unary_to(Spv::UConvert, view, word);
    w.binary(Spv::ShiftLeftLogical, wide, shift)
}

/// Returns the word that contains a narrow element, and the shift of the element in bits.
fn find_narrow_word(w: &mut ValueBuilder, offset: Val, index: u32, width: Width) -> (Val, Val) {
    let offset = w.binary_bits(Spv::IAdd, offset, u64::from(index * width.bytes()));
    let word = compute_word_number(w, offset, 0);
    // Elements are aligned to their size (NV_gpu_program5 section 2.X.4.5); the low bit of a
    // halfword's offset is ignored.
    let byte = w.binary_bits(Spv::BitwiseAnd, offset, u64::from(4 - width.bytes()));
    (word, w.binary_bits(Spv::ShiftLeftLogical, byte, 3))
}
