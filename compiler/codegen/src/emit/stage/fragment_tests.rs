//! Per-fragment tests that GL has and Vulkan lacks: alpha test, stipples. Fragments that fail are
//! terminated; their earlier stores to memory remain.

use crate::builder::{Lane, Scalar, Val, ValueBuilder, int};
use crate::interface::Io;
use crate::interface::builtin::builtin_input;
use crate::state::Word;
use glasm_ir::{Output, Semantic, Stage, TypeBase};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Bits of comparison functions: `ALWAYS` has all bits, `NEVER` none.
// The numbers of `CompareFunction` are combinations of these bits: `LessEqual` is 3, `NotEqual` is
// 5.
const LESS: u32 = 0;
const EQUAL: u32 = 1;
const GREATER: u32 = 2;
const ALWAYS: u32 = 7;

/// Terminates fragments that the pattern of their line or polygon excludes, or whose color for draw
/// buffer 0 fails the alpha test. `color` is that color, if the program writes it.
pub(super) fn test_fragment(io: &mut Io<'_>, color: Option<(&Output, [Lane; 4])>) {
    let alpha = color.and_then(|(output, color)| test_alpha(io, output, color));
    // All tests are combined, so that the fragment is terminated at one point.
    let tests = [alpha, test_line_stipple(io), test_polygon_stipple(io)];
    let tests = tests.into_iter().flatten();
    let passes = tests.reduce(|all, test| io.w.truth_op(Spv::LogicalAnd, all, test));
    if let Some(passes) = passes {
        end_unless(io.w, passes);
    }
}

/// Emits the alpha test, the comparison of alpha with the reference: GL 2.1 section 4.1.4.
fn test_alpha(io: &mut Io<'_>, output: &Output, color: [Lane; 4]) -> Option<Val> {
    // Integers have no alpha test: EXT_texture_integer ("Per-Fragment Operations").
    let attachment = io.options.interface.colors.first();
    if *attachment.unwrap_or(&output.base) != TypeBase::Float {
        return None;
    }
    let function = io.gl_state().load(Word::AlphaFunction);
    if io.w.constant_bits(function) == Some(ALWAYS.into()) {
        return None;
    }
    let alpha = io.w.lane_val(color[3], Scalar::F32);
    let reference = io.gl_state().load(Word::AlphaReference);
    let reference = io.w.val(reference);
    // Every comparison with NaN is false, but `ALWAYS` compares nothing.
    let mut passes = io.gl_state().compare(Spv::IEqual, function, ALWAYS);
    for (bit, op) in [
        (LESS, Spv::FOrdLessThan),
        (EQUAL, Spv::FOrdEqual),
        (GREATER, Spv::FOrdGreaterThan),
    ] {
        let wanted = io.gl_state().extract_bits(function, bit, 1);
        let wanted = io.gl_state().compare(Spv::INotEqual, wanted, 0);
        if io.w.splat_bits(wanted) == Some(0) {
            continue;
        }
        let holds = io.w.test(op, alpha, reference);
        let counts = io.w.truth_op(Spv::LogicalAnd, holds, wanted);
        passes = io.w.truth_op(Spv::LogicalOr, passes, counts);
    }
    Some(passes)
}

/// Returns bit `s / factor mod 16` of the pattern, where `s` counts the pixels of the line along
/// its longer side: GL 2.1 section 3.4.2.
fn test_line_stipple(io: &mut Io<'_>) -> Option<Val> {
    if !io.options.stipples_lines() {
        return None;
    }
    let start = io.line_start()?;
    let place = load_window_position(io)?;
    let pixels = count_pixels_between(io.w, start, place);
    let [along_x, along_y] = [0, 1].map(|axis| io.w.component(pixels, axis));
    // The longer side determines the count, as in the rasterization of lines (GL 2.1 section
    // 3.4.1).
    let along = io.w.ext(GlslOp::NMax, &[along_x, along_y]);
    let count = io.w.unary_to(Spv::ConvertFToU, Scalar::U32, along);
    let word = io.gl_state().load(Word::LineStipple);
    let factor = io.gl_state().extract_bits(word, 16, 8);
    let [word, factor] = [word, factor].map(|id| io.w.val(id));
    // The word contains the factor less one: 256 would not fit in eight bits.
    let factor = io.w.binary_bits(Spv::IAdd, factor, 1);
    let number = io.w.binary(Spv::UDiv, count, factor);
    let number = io.w.binary_bits(Spv::BitwiseAnd, number, 15);
    Some(int::test_bit(io.w, word, number))
}

/// Returns the bit of the pattern at the window position modulo 32: GL 2.1 section 3.5.2.
fn test_polygon_stipple(io: &mut Io<'_>) -> Option<Val> {
    if !io.options.stipples_polygons() {
        return None;
    }
    let place = load_window_position(io)?;
    // Window positions are centers of pixels, which the conversion truncates to whole numbers.
    let place = io.w.unary_to(Spv::ConvertFToU, Scalar::U32, place);
    let [x, y] = [0, 1].map(|axis| io.w.component(place, axis));
    let height = io.gl_state().load(Word::WindowHeight);
    // 0 means that y = 0 is at the bottom: `PolygonStipple::window_height`.
    let is_upright = io.gl_state().compare(Spv::IEqual, height, 0);
    let height = io.w.val(height);
    let last = io.w.binary_bits(Spv::ISub, height, 1);
    let from_top = io.w.binary(Spv::ISub, last, y);
    let row = io.w.select(is_upright, y, from_top);
    let row = io.w.binary_bits(Spv::BitwiseAnd, row, 31);
    let bits = io.gl_state().load_element(Word::PolygonRows, 32, row);
    // Bit 31 is the first pixel: 31 - x modulo 32.
    let bit = io.w.binary_bits(Spv::BitwiseXor, x, 31);
    let bit = io.w.binary_bits(Spv::BitwiseAnd, bit, 31);
    let drawn = int::test_bit(io.w, bits, bit);
    let is_stippled = io.gl_state().test_flag(Word::PolygonStipple);
    let is_whole = io.w.not(is_stippled);
    Some(io.w.truth_op(Spv::LogicalOr, is_whole, drawn))
}

/// Loads the window position of the fragment in Vulkan's coordinates.
fn load_window_position(io: &mut Io<'_>) -> Option<Val> {
    let row = builtin_input(Stage::Fragment, Semantic::Position)?;
    let (_, place) = io.load_builtin_value(row);
    let place = io.w.val(place);
    Some(io.w.take_components(place, 2))
}

fn end_unless(w: &mut ValueBuilder, passes: Val) {
    if w.splat_bits(passes).is_some_and(|bits| bits != 0) {
        return;
    }
    let [end, merge] = w.labels();
    w.merge_selection(merge);
    w.jump_if(passes.id, merge, end);
    w.begin_block(end);
    w.body.op(Spv::Kill, &[]);
    w.begin_block(merge);
}

/// Counts whole pixels from the start of a line to a position on it, along each axis.
fn count_pixels_between(w: &mut ValueBuilder, start: Val, place: Val) -> Val {
    let [floor, pixel] = [start, place].map(|at| w.ext(GlslOp::Floor, &[at]));
    let forward = w.binary(Spv::FSub, pixel, floor);
    // A line that starts between two pixels and runs in the negative direction has its first pixel
    // before that position.
    let ceiling = w.ext(GlslOp::Ceil, &[start]);
    let one = w.float_like(start, 1.0);
    let last = w.binary(Spv::FSub, ceiling, one);
    let back = w.binary(Spv::FSub, last, pixel);
    let goes_back = w.test(Spv::FOrdLessThan, place, start);
    let count = w.select(goes_back, back, forward);
    let zero = w.float_like(start, 0.0);
    w.ext(GlslOp::NMax, &[count, zero])
}
