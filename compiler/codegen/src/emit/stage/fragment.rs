//! Instructions of fragment programs: derivatives, interpolation at other positions, demotion.
//!
//! The module also emits the per-fragment tests that GL has and Vulkan lacks: alpha test, stipples.
//! Fragments that fail are
//! terminated; their earlier stores to memory remain.

use crate::builder::{Lane, LaneSelection, Scalar, Val, ValueBuilder, arith, int};
use crate::capability::Requirement;
use crate::dynamic_state::{CompareFunction, StateField};
use crate::emit::context::{FunctionEmitter, InstContext, OpResult};
use crate::emit::memory::atomic::load_is_helper;
use crate::emit::memory::memory_registers::Element;
use crate::error::{Error, Failure};
use crate::interface::Io;
use crate::interface::builtin::find_builtin_input;
use crate::spirv_writer::{OperandList, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{BaseType, InputId, Op, OperandBase, Output, Semantic, Src, Stage, Type};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Position at which an input is evaluated.
#[derive(Clone, Copy)]
enum InterpolationPoint {
    Centroid,
    /// Offset from the center in pixels.
    Offset(Val),
    Sample(Val),
}

/// Emits the difference between neighbors of a quad, negated in y if the caller flips the viewport.
/// It is 0 outside fragment programs and for constants. Adds the requirement of fine and coarse
/// derivatives.
pub(in crate::emit) fn emit_derivative(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
    op: Spv,
) -> Result<Val, Failure> {
    let a = function.load_source(cx.inst, 0, cx.lanes)?;
    if function.program.stage != Stage::Fragment || function.builder.splat_bits(a).is_some() {
        // The derivative of a constant is 0; other stages have no neighbors and no such instruction
        // in SPIR-V.
        return Ok(function.builder.constant_like(a, 0));
    }
    // The precision of the plain instructions depends on the device; they require no capability.
    if !matches!(op, Spv::DPdx | Spv::DPdy) {
        function
            .builder
            .requirements
            .insert(Requirement::DerivativeControl);
    }
    let val = function.builder.emit_unary(op, a);
    // A flipped viewport reverses neighbors in y.
    let in_y = matches!(op, Spv::DPdy | Spv::DPdyFine | Spv::DPdyCoarse);
    Ok(if in_y && function.options.conventions.negate_ddy {
        function.builder.emit_unary(Spv::FNegate, val)
    } else {
        val
    })
}

/// Emits an input evaluated at another position than its declaration specifies: NV_gpu_program5
/// section 2.X.8.Z, IPAC, IPAO and IPAS. Returns an error if the source is not an input or the
/// device lacks the operation.
pub(in crate::emit) fn emit_interpolation(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<Val, Failure> {
    // Not loaded like other sources: the instruction requires the variable.
    let src = function.program.source(cx.inst, 0);
    let OperandBase::Input(first) = src.base else {
        return Err(Error::unsupported("only inputs are interpolated"));
    };
    let at = if cx.inst.op == Op::InterpOffset {
        InterpolationPoint::Offset(load_interpolation_offset(function, cx)?)
    } else if cx.inst.op == Op::InterpSample {
        // IPAS leaves samples that do not exist undefined, so the number is passed to the device
        // unchanged.
        let sample = function.load_source_as(function.program.source(cx.inst, 1), Type::U32, 1)?;
        // The operand is a signed integer.
        InterpolationPoint::Sample(function.builder.cast_val(sample, Scalar::S32))
    } else {
        InterpolationPoint::Centroid
    };
    let lanes = load_interpolated_lanes(function, first, src, at)?;
    let selection = LaneSelection::new(src.swizzle, cx.lanes);
    let val = function
        .builder
        .gather_selected(&lanes, selection, Scalar::F32);
    Ok(if src.has_modifier() {
        arith::apply_modifiers(function.builder, val, src, Type::F32)
    } else {
        val
    })
}

/// Loads the offset of IPAO from the second source, with y negated if the caller flips the
/// viewport.
fn load_interpolation_offset(
    function: &mut FunctionEmitter<'_>,
    cx: InstContext<'_>,
) -> Result<Val, Failure> {
    // IPAO ignores z and w, and leaves offsets out of range undefined: NV_gpu_program5 section
    // 2.X.8.Z.
    let offset = function.load_source_as(function.program.source(cx.inst, 1), Type::F32, 0b11)?;
    let offset = function.builder.widen(offset, 2);
    if !function.options.conventions.negate_ddy {
        return Ok(offset);
    }
    // The viewport is flipped, so the y axis of the device has the opposite direction.
    let y = function.builder.extract_component(offset, 1);
    let y = function.builder.emit_unary(Spv::FNegate, y);
    let lanes = [offset.lane(0), y.lane(0)];
    Ok(function.builder.gather_vector(&lanes, Scalar::F32))
}

/// Returns the lanes of an input interpolated at `at`, or of the element of an input array that the
/// index selects. With a dynamic index all elements are interpolated.
fn load_interpolated_lanes(
    function: &mut FunctionEmitter<'_>,
    first: InputId,
    src: &Src,
    at: InterpolationPoint,
) -> Result<[Lane; 4], Failure> {
    let Some(index) = src.index else {
        return load_interpolated_input(&mut function.io(), first, at);
    };
    let available = (function.program.inputs.len() - first.index()) as u32;
    let len = function.program.indices[index].len.min(available);
    let input = |element: u32| InputId::new(first.index() + element as usize);
    let number = match function.find_element(Some(index), len)? {
        Element::Constant(element) => {
            return load_interpolated_input(&mut function.io(), input(element), at);
        }
        Element::Dynamic(number) => function.builder.val(number),
    };
    // Each element is a separate variable, and GLSL.std.450 requires the variable itself, which no
    // dynamic index can select: every element is evaluated.
    let mut chosen = load_interpolated_vector(&mut function.io(), input(0), at)?;
    for element in 1..len {
        let value = load_interpolated_vector(&mut function.io(), input(element), at)?;
        let is_selected =
            function
                .builder
                .emit_compare_bits(Spv::IEqual, number, u64::from(element));
        chosen = function.builder.emit_select(is_selected, value, chosen);
    }
    Ok(chosen.lanes())
}

/// Emits the start or the end of a critical section, or nothing if the modes of the program do not
/// specify the order of invocations.
pub(in crate::emit) fn emit_interlock(function: &mut FunctionEmitter<'_>, op: Spv) -> OpResult {
    if function.program.modes.interlock.is_some() {
        function.builder.body.push_inst(op, &[]);
    }
    OpResult::None
}

/// Emits `IsHelper`: a boolean that is true in helper invocations. Returns an error outside
/// fragment programs.
pub(in crate::emit) fn emit_is_helper(function: &mut FunctionEmitter<'_>) -> Result<Val, Failure> {
    if function.program.stage != Stage::Fragment {
        return Err(Error::unsupported("only fragments are helper invocations"));
    }
    // If the device cannot demote, demoted invocations are terminated.
    Ok(load_is_helper(&mut function.io()))
}

/// Loads an input that is interpolated at another position as one vector of floats.
fn load_interpolated_vector(
    io: &mut Io<'_>,
    input: InputId,
    at: InterpolationPoint,
) -> Result<Val, Failure> {
    let lanes = load_interpolated_input(io, input, at)?;
    Ok(io.builder.gather_vector(&lanes, Scalar::F32))
}

/// Loads the lanes of an input interpolated at another position; flat inputs and inputs that are
/// not varyings are unchanged. Applies color state and point sprites. Returns an error if the
/// device lacks the operation.
fn load_interpolated_input(
    io: &mut Io<'_>,
    input: InputId,
    at: InterpolationPoint,
) -> Result<[Lane; 4], Failure> {
    let lanes = io.get_input(input)?;
    // Flat inputs are unchanged (NV_gpu_program5 section 2.X.8.Z, IPAC, IPAO, IPAS), and so are
    // inputs other than varyings.
    let Some(variable) = io.find_interpolant(input) else {
        return Ok(lanes);
    };
    io.builder.require(Requirement::Interpolation)?;
    let val = interpolate_at(io.builder, variable, at);
    let semantic = io.program.inputs[input].semantic;
    if matches!(semantic, Semantic::Color(_) | Semantic::TexCoord(_)) {
        // The back side and the flat copy of colors are evaluated at the same position.
        let color = io.apply_color_state(input, val.lanes(), |io, variable| {
            interpolate_at(io.builder, variable, at).id
        })?;
        return Ok(io.select_point_sprite(input, color));
    }
    // Lanes that are not in the variable are constants.
    Ok(std::array::from_fn(|lane| {
        if io.builder.value_info(lanes[lane].id()).size == 4 {
            val.lane(lane)
        } else {
            lanes[lane]
        }
    }))
}

/// Demotes the invocation to a helper, which has no further effect on any result. Without the
/// feature for this, terminates it by `OpKill` and opens an unreachable block for the code that
/// follows. Fails in programs that are not fragment programs.
pub(in crate::emit) fn emit_demote(builder: &mut ValueBuilder) -> Result<OpResult, Failure> {
    if builder.stage() != Stage::Fragment {
        return Err(Error::unsupported("only fragments can be discarded"));
    }
    if builder.device.demote_to_helper_invocation {
        builder.requirements.insert(Requirement::Demote);
        // The invocation continues as a helper, so that derivatives of its neighbors remain
        // defined.
        builder.body.push_inst(Spv::DemoteToHelperInvocation, &[]);
    } else {
        // `OpKill` ends its block; the following code is an unreachable block.
        builder.body.push_inst(Spv::Kill, &[]);
        let label = builder.new_label();
        builder.begin_block(label);
    }
    Ok(OpResult::None)
}

/// Emits the GLSL.std.450 instruction that interpolates a variable at a centroid, offset or sample.
/// The result has four components.
fn interpolate_at(builder: &mut ValueBuilder, variable: ValueWord, at: InterpolationPoint) -> Val {
    let (op, operand) = match at {
        InterpolationPoint::Centroid => (GlslOp::InterpolateAtCentroid, None),
        InterpolationPoint::Offset(offset) => (GlslOp::InterpolateAtOffset, Some(offset.id)),
        InterpolationPoint::Sample(sample) => (GlslOp::InterpolateAtSample, Some(sample.id)),
    };
    let mut operands = OperandList::default();
    operands.extend([builder.get_glsl_import().0, op as u32, variable.0]);
    operands.extend(operand);
    builder.emit_variadic_op(Spv::ExtInst, Scalar::F32, 4, &operands)
}

/// Bits of comparison functions: `ALWAYS` has all bits, `NEVER` none.
// The numbers of `CompareFunction` are combinations of these bits: `LessEqual` is 3, `NotEqual` is
// 5.
const LESS_BIT: u32 = 0;
const EQUAL_BIT: u32 = 1;
const GREATER_BIT: u32 = 2;
const ALWAYS_BITS: u32 = 7;

/// Terminates fragments that the pattern of their line or polygon excludes, or whose color for draw
/// buffer 0 fails the alpha test. `color` is that color, if the program writes it. Emits nothing if
/// all tests always pass.
pub(super) fn emit_fragment_tests(io: &mut Io<'_>, color: Option<(&Output, [Lane; 4])>) {
    let alpha = color.and_then(|(output, color)| emit_alpha_test(io, output, color));
    // All tests are combined, so that the fragment is terminated at one point.
    let tests = [
        alpha,
        emit_line_stipple_test(io),
        emit_polygon_stipple_test(io),
    ];
    let tests = tests.into_iter().flatten();
    let passes = tests.reduce(|all, test| io.builder.emit_logical(Spv::LogicalAnd, all, test));
    if let Some(passes) = passes {
        kill_unless(io.builder, passes);
    }
}

/// Emits the alpha test, the comparison of alpha with the reference: GL 2.1 section 4.1.4. The
/// result is true if the fragment passes. Returns `None` for integer colors and if the test is
/// known to pass always.
fn emit_alpha_test(io: &mut Io<'_>, output: &Output, color: [Lane; 4]) -> Option<Val> {
    // Integers have no alpha test: EXT_texture_integer ("Per-Fragment Operations").
    let attachment = io.options.interface.colors.first();
    if *attachment.unwrap_or(&output.base) != BaseType::Float {
        return None;
    }
    let is_fixed = io.options.state_sources.alpha_test.is_fixed();
    let known = io.options.pipeline_state.alpha_test.function;
    if is_fixed && known == CompareFunction::Always {
        return None;
    }
    let function = io.gl_state().load(StateField::AlphaFunction);
    if is_fixed && known == CompareFunction::Never {
        // False, without the reference, which then does not change the module.
        return Some(io.gl_state().compare(Spv::IEqual, function, ALWAYS_BITS));
    }
    let alpha = io.builder.read_lane_val(color[3], Scalar::F32);
    let reference = io.gl_state().load(StateField::AlphaReference);
    let reference = io.builder.val(reference);
    // Every comparison with NaN is false, but `ALWAYS` compares nothing.
    let mut passes = io.gl_state().compare(Spv::IEqual, function, ALWAYS_BITS);
    for (bit, op) in [
        (LESS_BIT, Spv::FOrdLessThan),
        (EQUAL_BIT, Spv::FOrdEqual),
        (GREATER_BIT, Spv::FOrdGreaterThan),
    ] {
        let is_enabled = io.gl_state().extract_bits(function, bit, 1);
        let wanted = io.gl_state().compare(Spv::INotEqual, is_enabled, 0);
        if io.builder.splat_bits(wanted) == Some(0) {
            continue;
        }
        let holds = io.builder.emit_test(op, alpha, reference);
        let counts = io.builder.emit_logical(Spv::LogicalAnd, holds, wanted);
        passes = io.builder.emit_logical(Spv::LogicalOr, passes, counts);
    }
    Some(passes)
}

/// Emits the test that the line's pattern has the fragment: bit `s / factor mod 16`, where `s`
/// counts the pixels of the line along its longer side (GL 2.1 section 3.4.2). Returns `None` if
/// lines have no stipple.
fn emit_line_stipple_test(io: &mut Io<'_>) -> Option<Val> {
    if !io.options.stipples_lines() {
        return None;
    }
    let start = io.load_line_start()?;
    let position = load_window_position(io)?;
    let pixels = emit_pixel_count(io.builder, start, position);
    let [along_x, along_y] = [0, 1].map(|axis| io.builder.extract_component(pixels, axis));
    // The longer side determines the count, as in the rasterization of lines (GL 2.1 section
    // 3.4.1).
    let along = io.builder.emit_ext(GlslOp::NMax, &[along_x, along_y]);
    let count = io
        .builder
        .emit_unary_to(Spv::ConvertFToU, Scalar::U32, along);
    let word = io.gl_state().load(StateField::LineStipple);
    let factor = io.gl_state().extract_bits(word, 16, 8);
    let [word, factor] = [word, factor].map(|id| io.builder.val(id));
    // The word contains the factor less one: 256 would not fit in eight bits.
    let factor = io.builder.emit_binary_bits(Spv::IAdd, factor, 1);
    let number = io.builder.emit_binary(Spv::UDiv, count, factor);
    let number = io.builder.emit_binary_bits(Spv::BitwiseAnd, number, 15);
    Some(int::test_bit(io.builder, word, number))
}

/// Emits the test that the polygon's pattern has the fragment: its bit at the window position
/// modulo 32 (GL 2.1 section 3.5.2), or true if state disables the stipple. Returns `None` if no
/// state can enable it.
fn emit_polygon_stipple_test(io: &mut Io<'_>) -> Option<Val> {
    if !io.options.stipples_polygons() {
        return None;
    }
    let position = load_window_position(io)?;
    // Window positions are centers of pixels, which the conversion truncates to whole numbers.
    let pixel = io
        .builder
        .emit_unary_to(Spv::ConvertFToU, Scalar::U32, position);
    let [x, y] = [0, 1].map(|axis| io.builder.extract_component(pixel, axis));
    let height = io.gl_state().load(StateField::WindowHeight);
    // 0 means that y = 0 is at the bottom: `PolygonStipple::window_height`.
    let is_upright = io.gl_state().compare(Spv::IEqual, height, 0);
    let height = io.builder.val(height);
    let last = io.builder.emit_binary_bits(Spv::ISub, height, 1);
    let from_top = io.builder.emit_binary(Spv::ISub, last, y);
    let row = io.builder.emit_select(is_upright, y, from_top);
    let row = io.builder.emit_binary_bits(Spv::BitwiseAnd, row, 31);
    let bits = io.gl_state().load_element(StateField::PolygonRows, 32, row);
    // Bit 31 is the first pixel: 31 - x modulo 32.
    let bit = io.builder.emit_binary_bits(Spv::BitwiseXor, x, 31);
    let bit = io.builder.emit_binary_bits(Spv::BitwiseAnd, bit, 31);
    let drawn = int::test_bit(io.builder, bits, bit);
    let is_stippled = io.gl_state().test_flag(StateField::PolygonStipple);
    let is_whole = io.builder.emit_not(is_stippled);
    Some(io.builder.emit_logical(Spv::LogicalOr, is_whole, drawn))
}

/// Loads x and y of the window position of the fragment in Vulkan's coordinates.
fn load_window_position(io: &mut Io<'_>) -> Option<Val> {
    let input = find_builtin_input(Stage::Fragment, Semantic::Position)?;
    let (_, position) = io.load_builtin_value(input);
    let position = io.builder.val(position);
    Some(io.builder.take_components(position, 2))
}

/// Emits a selection that terminates the fragment if `passes` is false; emits nothing for constant
/// true.
fn kill_unless(builder: &mut ValueBuilder, passes: Val) {
    if builder.splat_bits(passes).is_some_and(|bits| bits != 0) {
        return;
    }
    let [end, merge] = builder.new_labels();
    builder.emit_selection_merge(merge);
    builder.emit_branch_conditional(passes.id, merge, end);
    builder.begin_block(end);
    builder.body.push_inst(Spv::Kill, &[]);
    builder.begin_block(merge);
}

/// Emits the number of whole pixels from the start of a line to a position on it, along each axis,
/// as floats that are not negative.
fn emit_pixel_count(builder: &mut ValueBuilder, start: Val, position: Val) -> Val {
    let [floor, pixel] = [start, position].map(|at| builder.emit_ext(GlslOp::Floor, &[at]));
    let forward = builder.emit_binary(Spv::FSub, pixel, floor);
    // A line that starts between two pixels and runs in the negative direction has its first pixel
    // before that position.
    let ceiling = builder.emit_ext(GlslOp::Ceil, &[start]);
    let one = builder.constant_float_like(start, 1.0);
    let last = builder.emit_binary(Spv::FSub, ceiling, one);
    let back = builder.emit_binary(Spv::FSub, last, pixel);
    let goes_back = builder.emit_test(Spv::FOrdLessThan, position, start);
    let count = builder.emit_select(goes_back, back, forward);
    let zero = builder.constant_float_like(start, 0.0);
    builder.emit_ext(GlslOp::NMax, &[count, zero])
}
