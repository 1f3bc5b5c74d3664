//! Geometry programs that send primitives to several viewports or views, on devices without support
//! for it: NV_viewport_array2 and NV_stereo_view_rendering.
//!
//! Such a program runs once for each viewport and view, as additional invocations: with a mask of
//! viewports sixteen times, with a second view twice. Each run emits all vertices. If the mask
//! lacks the viewport of the run, their positions are outside of the clip volume.

use crate::builder::{Lane, Scalar, Val, ValueBuilder, int};
use crate::capability::Requirement;
use crate::emit::context::OutputEmitter;
use crate::emit::stage::layer_viewport::ViewSelection;
use crate::error::{Error, Failure};
use crate::interface::{InvocationCopies, Io, takes_quadrilaterals};
use crate::options::MAX_VIEWPORTS;
use crate::spirv_writer::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::{OpFlags, OutputId, Program, Semantic, Stage};
use spirv::{BuiltIn, Op as Spv, StorageClass};

/// Number of invocations of a geometry program that all devices with geometry programs support
/// (`maxGeometryShaderInvocations`).
const MAX_INVOCATIONS: u32 = 32;

/// Viewport and view of the open run.
struct GeometryRun {
    /// True for the second view.
    is_second: Val,
    viewport: Val,
}

impl OutputEmitter<'_, '_> {
    /// Computes the number of runs of a geometry program for several viewports and views, and
    /// records it. Does nothing in other stages. Returns an error if they cannot be emulated, or if
    /// the program cannot run for quadrilaterals.
    pub(in crate::emit) fn plan_copies(&mut self) -> Result<(), Failure> {
        if self.function.program.stage != Stage::Geometry {
            return Ok(());
        }
        let writes = |semantic| {
            let mut outputs = self.function.program.outputs.iter_enumerated();
            outputs.any(|(id, output)| output.semantic == semantic && self.is_written(id))
        };
        let second_mask = writes(Semantic::SecondaryViewportMask);
        let has_second = second_mask || writes(Semantic::SecondaryPosition);
        let has_mask = writes(Semantic::ViewportMask);
        // The built-in mask would apply to both views, whose runs have separate masks and
        // positions.
        let all = self.function.builder.device.viewport_array2 && !has_second;
        let copies = InvocationCopies {
            views: 1 + u32::from(has_second),
            // A mask may contain any of the viewports, each of which requires a run.
            viewports: if second_mask || has_mask && !all {
                MAX_VIEWPORTS
            } else {
                1
            },
        };
        self.function.interface.outputs.copies = copies;
        if takes_quadrilaterals(self.function.program, self.function.options) {
            check_quadrilaterals(self.function.program, copies)?;
        }
        match copies.count() {
            1 => Ok(()),
            _ => self.check_copies(copies),
        }
    }

    /// Adds the requirement of several viewports. Returns an error if the device or the program
    /// prevents that a geometry program runs once for each viewport and view: writes to memory,
    /// transform feedback, too many invocations.
    fn check_copies(&mut self, copies: InvocationCopies) -> Result<(), Failure> {
        let subject = "geometry programs that choose several viewports or views";
        let required = self.function.builder.require(Requirement::MultiViewport);
        required
            .map_err(|error| error.describing_feature(&format!("multiViewport for {subject}")))?;
        // Memory would be written once for each run, while GL runs the program once.
        let mut insts = self.function.program.insts.iter();
        if insts.any(|inst| inst.op.has(OpFlags::WRITES)) {
            let message = format!("writes to memory of {subject}: they run several times");
            return Err(Error::unsupported(message));
        }
        // Every run emits the vertices, and all of them would be captured.
        if !self.captures.is_empty() {
            let message = format!("transform feedback of {subject}");
            return Err(Error::unsupported(message));
        }
        let invocations = self.function.program.modes.invocations.max(1);
        if invocations.saturating_mul(copies.count()) > MAX_INVOCATIONS {
            let message = format!(
                "{subject} run {} times, which makes more than {MAX_INVOCATIONS} invocations",
                copies.count()
            );
            return Err(Error::limit(message));
        }
        Ok(())
    }
}

/// Returns an error if a geometry program cannot run twice for quadrilaterals, once for each
/// triangle. Passthrough programs cannot, nor those with too many invocations.
fn check_quadrilaterals(program: &Program, copies: InvocationCopies) -> Result<(), Failure> {
    let modes = program.modes;
    if modes.passthrough {
        let message = "quadrilaterals that a geometry program passes on";
        return Err(Error::unsupported(message.to_owned()));
    }
    let runs = modes.invocations.max(1).saturating_mul(copies.count());
    // All of them are repeated for each of the two triangles.
    if runs > MAX_INVOCATIONS / 2 {
        let message = format!(
            "quadrilaterals make more than {MAX_INVOCATIONS} invocations of a geometry program that runs {runs} times"
        );
        return Err(Error::limit(message));
    }
    Ok(())
}

/// Stores the viewport and layer of the current run of a replicated geometry program, and selects
/// the position of its view. Vertices that the run does not select are moved out of the clip
/// volume.
pub(super) fn store_run_views(io: &mut Io<'_>, views: &ViewSelection) -> Result<(), Failure> {
    let [layer, viewport, mask, second_x, second_mask] = views
        .lanes()
        .map(|lane| lane.map(|lane| read_lane_word(io.builder, lane)));
    let copies = io.interface.outputs.copies;
    let run = compute_run(io, copies);
    let one = io.builder.constant_u32_val(1);
    let chosen = match (mask, viewport) {
        (Some(mask), _) => mask,
        (None, Some(viewport)) => io.builder.emit_binary(Spv::ShiftLeftLogical, one, viewport),
        // Without a selected viewport it is viewport 0, which is the lowest bit.
        (None, None) => one,
    };
    let mut number = viewport.unwrap_or_else(|| io.builder.constant_u32_val(0));
    let mut is_visible = None;
    if copies.viewports > 1 {
        let mask = match second_mask {
            Some(second) => io.builder.emit_select(run.is_second, second, chosen),
            None => chosen,
        };
        is_visible = Some(int::test_bit(io.builder, mask, run.viewport));
        number = run.viewport;
    }
    store_run_layer(io, layer, number, run.is_second);
    store_builtin(io, BuiltIn::ViewportIndex, number);
    adjust_position(io, second_x, run.is_second, is_visible);
    Ok(())
}

/// Emits the viewport of the run and the test that it is for the second view, from the number of
/// the invocation: both factors are powers of two.
// Invocations are numbered ((triangle * own + invocation) * views + view) * viewports + viewport,
// where `own` is the number of invocations that the program declares. `compute_invocation_number`
// extracts its own number, this function the last two.
fn compute_run(io: &mut Io<'_>, copies: InvocationCopies) -> GeometryRun {
    let invocation = io.load_invocation_id();
    let invocation = io.builder.val(invocation);
    let last = u64::from(copies.viewports - 1);
    let viewport = io
        .builder
        .emit_binary_bits(Spv::BitwiseAnd, invocation, last);
    let (shift, last) = (copies.viewports.trailing_zeros(), copies.views - 1);
    let view = io
        .builder
        .emit_binary_bits(Spv::ShiftRightLogical, invocation, shift.into());
    let view = io
        .builder
        .emit_binary_bits(Spv::BitwiseAnd, view, last.into());
    GeometryRun {
        is_second: io.builder.emit_compare_bits(Spv::INotEqual, view, 0),
        viewport,
    }
}

/// Stores the layer of the primitives of a run, with the offsets of viewport and second view.
/// Stores nothing if the program selects no layer and no offset, or the framebuffer has no layers.
fn store_run_layer(io: &mut Io<'_>, layer: Option<Val>, viewport: Val, is_second: Val) {
    let modes = io.program.modes;
    let offset = modes.secondary_view_layer_offset;
    let is_fixed = layer.is_none() && !modes.layer_viewport_relative && offset == 0;
    if is_fixed || io.options.pipeline_state.is_framebuffer_unlayered {
        return;
    }
    let mut layer = layer.unwrap_or_else(|| io.builder.constant_u32_val(0));
    if modes.layer_viewport_relative {
        layer = io.builder.emit_binary(Spv::IAdd, layer, viewport);
    }
    if offset != 0 {
        let moved = io
            .builder
            .emit_binary_bits(Spv::IAdd, layer, u64::from(offset as u32));
        layer = io.builder.emit_select(is_second, moved, layer);
    }
    store_builtin(io, BuiltIn::Layer, layer);
}

/// Stores a word to the output built-in for the layer or the viewport index, which is declared on
/// first use and not reflected.
fn store_builtin(io: &mut Io<'_>, builtin: BuiltIn, value: Val) {
    let index = usize::from(builtin == BuiltIn::Layer);
    let mut variable = io.interface.outputs.copy_builtins[index];
    if !variable.is_some() {
        let ty = io.builder.get_type(Scalar::U32, 1);
        variable = io.declare_builtin(StorageClass::Output, ty, builtin);
        io.interface.outputs.copy_builtins[index] = variable;
    }
    io.builder.emit_store(variable, value.id);
}

/// Replaces x of the stored position of the vertex by `second_x` in runs for the second view, and
/// moves the position out of the clip volume where `is_visible` is false. Does nothing if the
/// program has no position.
fn adjust_position(
    io: &mut Io<'_>,
    second_x: Option<Val>,
    is_second: Val,
    is_visible: Option<Val>,
) {
    let Some(variable) = find_position_variable(io) else {
        return;
    };
    let stored = io.builder.emit_op(Spv::Load, Scalar::F32, 4, &[variable.0]);
    let mut lanes = (stored.lanes()).map(|lane| io.builder.read_lane_val(lane, Scalar::F32));
    if let Some(x) = second_x {
        let x = io.builder.cast_val(x, Scalar::F32);
        lanes[0] = io.builder.emit_select(is_second, x, lanes[0]);
    }
    if let Some(is_visible) = is_visible {
        // Beyond w along all axes: outside for any depth range, and all vertices of the primitive
        // on one side.
        for (lane, outside) in lanes.iter_mut().zip([2.0, 2.0, 2.0, 1.0]) {
            let outside = io.builder.constant_float_like(*lane, outside);
            *lane = io.builder.emit_select(is_visible, *lane, outside);
        }
    }
    let lanes = lanes.map(|lane| lane.lane(0));
    let position = io.builder.gather_vector(&lanes, Scalar::F32);
    io.builder.emit_store(variable, position.id);
}

/// Returns the variable of the position output if it is declared.
fn find_position_variable(io: &Io<'_>) -> Option<ValueWord> {
    let mut outputs = io.program.outputs.iter_enumerated();
    let position = outputs.find(|(_, output)| output.semantic == Semantic::Position);
    let (id, _): (OutputId, _) = position?;
    let variable = io.interface.outputs.variables[id.index()];
    variable.is_some().then_some(variable)
}

/// Reads a lane as a 32-bit unsigned integer.
fn read_lane_word(builder: &mut ValueBuilder, lane: Lane) -> Val {
    builder.read_lane_val(lane, Scalar::U32)
}
