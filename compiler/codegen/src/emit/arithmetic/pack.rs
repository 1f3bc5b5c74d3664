//! Packing of small numbers into words, half precision, and 64-bit lanes from and to words.

use crate::builder::{Builder, Lane, Scalar, Val};
use glasm_ir::WriteMask;
use spirv::GlslStd450Op as GlslOp;

/// PK2H: two half-precision numbers in one word.
pub(in crate::emit) fn pack_halves(w: &mut Builder, numbers: Val) -> Val {
    let numbers = w.widen(numbers, 2);
    w.halves_in_word(numbers)
}

/// Numbers of the lanes `lanes` in one word.
// PK2US and PK4UB clamp to [0, 1], multiply by 65535 or 255 and round (NV_gpu_program4 section 2.X.8.Z), and so do
// `PackUnorm2x16` and `PackUnorm4x8`. PK4B is another formula, which front ends write out: its bytes have a bias of
// 128.
pub(in crate::emit) fn pack_numbers(w: &mut Builder, op: GlslOp, lanes: u8, numbers: Val) -> Val {
    let numbers = w.widen(numbers, WriteMask(lanes).count() as u8);
    w.ext_to(op, Scalar::U32, 1, numbers.id)
}

/// The `size` numbers of a word; further lanes repeat them (NV_gpu_program4 section 2.X.8.Z, UP2H).
pub(in crate::emit) fn unpack_numbers(
    w: &mut Builder,
    op: GlslOp,
    size: u8,
    word: Val,
) -> [Lane; 4] {
    let numbers = w.ext_to(op, Scalar::F32, size, word.id);
    std::array::from_fn(|lane| numbers.lane(lane % size as usize))
}

/// A 64-bit lane of two words.
pub(in crate::emit) fn pack_wide(w: &mut Builder, words: Val) -> Lane {
    let words = w.widen(words, 2);
    w.wide_from_words(words)
}

/// The two words of a 64-bit lane.
pub(in crate::emit) fn unpack_wide(w: &mut Builder, wide: Val) -> [Lane; 2] {
    let words = w.words_of_wide(wide.lane(0));
    [words.lane(0), words.lane(1)]
}
