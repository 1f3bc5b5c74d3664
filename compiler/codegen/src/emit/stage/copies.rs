//! Geometry programs that send primitives to several viewports or views, on devices without support
//! for it: NV_viewport_array2 and NV_stereo_view_rendering.
//!
//! Such a program runs once for each viewport and view, as additional invocations: with a mask of
//! viewports sixteen times, with a second view twice. Each run emits all vertices. If the mask
//! lacks the viewport of the run, their positions are outside of the clip volume.

use crate::builder::{Lane, Scalar, Val, ValueBuilder, int};
use crate::capability::Need;
use crate::emit::cx::OutputEmitter;
use crate::emit::stage::views::Views;
use crate::error::{Error, Failure};
use crate::interface::{Copies, Io, takes_quadrilaterals};
use crate::options::MAX_VIEWPORTS;
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::{OpFlags, OutputId, Program, Semantic, Stage};
use spirv::{BuiltIn, Op as Spv, StorageClass};

/// Number of invocations of a geometry program that all devices with geometry programs support
/// (`maxGeometryShaderInvocations`).
const MAX_INVOCATIONS: u32 = 32;

/// Viewport and view of the open run.
struct Run {
    /// True for the second view.
    is_second: Val,
    viewport: Val,
}

impl OutputEmitter<'_, '_> {
    /// Computes the number of runs of a geometry program. Returns an error if they cannot be
    /// emulated.
    pub(in crate::emit) fn plan_copies(&mut self) -> Result<(), Failure> {
        if self.f.program.stage != Stage::Geometry {
            return Ok(());
        }
        let writes = |semantic| {
            let mut outputs = self.f.program.outputs.iter_enumerated();
            outputs.any(|(id, output)| output.semantic == semantic && self.is_written(id))
        };
        let second_mask = writes(Semantic::SecondaryViewportMask);
        let has_second = second_mask || writes(Semantic::SecondaryPosition);
        let has_mask = writes(Semantic::ViewportMask);
        // The built-in mask would apply to both views, whose runs have separate masks and
        // positions.
        let all = self.f.w.device.viewport_array2 && !has_second;
        let copies = Copies {
            views: 1 + u32::from(has_second),
            // A mask may contain any of the viewports, each of which requires a run.
            viewports: if second_mask || has_mask && !all {
                MAX_VIEWPORTS
            } else {
                1
            },
        };
        self.f.interface.outputs.copies = copies;
        if takes_quadrilaterals(self.f.program, self.f.options) {
            check_quadrilaterals(self.f.program, copies)?;
        }
        match copies.count() {
            1 => Ok(()),
            _ => self.check_copies(copies),
        }
    }

    fn check_copies(&mut self, copies: Copies) -> Result<(), Failure> {
        let what = "geometry programs that choose several viewports or views";
        let required = self.f.w.require(Need::MultiViewport);
        required.map_err(|error| error.calling_it(&format!("multiViewport for {what}")))?;
        // Memory would be written once for each run, while GL runs the program once.
        let mut insts = self.f.program.insts.iter();
        if insts.any(|inst| inst.op.has(OpFlags::WRITES)) {
            let message = format!("writes to memory of {what}: they run several times");
            return Err(Error::unsupported(message));
        }
        // Every run emits the vertices, and all of them would be captured.
        if !self.captures.is_empty() {
            let message = format!("transform feedback of {what}");
            return Err(Error::unsupported(message));
        }
        let invocations = self.f.program.modes.invocations.max(1);
        if invocations.saturating_mul(copies.count()) > MAX_INVOCATIONS {
            let message = format!(
                "{what} run {} times, which makes more than {MAX_INVOCATIONS} invocations",
                copies.count()
            );
            return Err(Error::limit(message));
        }
        Ok(())
    }
}

fn check_quadrilaterals(program: &Program, copies: Copies) -> Result<(), Failure> {
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

/// Sends a vertex to the viewport and view of its run.
pub(super) fn store_run_views(io: &mut Io<'_>, views: &Views) -> Result<(), Failure> {
    let [layer, viewport, mask, second_x, second_mask] = views
        .lanes()
        .map(|lane| lane.map(|lane| read_word(io.w, lane)));
    let copies = io.vars.outputs.copies;
    let run = open_run(io, copies);
    let one = io.w.uint_val(1);
    let chosen = match (mask, viewport) {
        (Some(mask), _) => mask,
        (None, Some(viewport)) => io.w.binary(Spv::ShiftLeftLogical, one, viewport),
        // Without a selected viewport it is viewport 0, which is the lowest bit.
        (None, None) => one,
    };
    let mut number = viewport.unwrap_or_else(|| io.w.uint_val(0));
    let mut is_visible = None;
    if copies.viewports > 1 {
        let mask = match second_mask {
            Some(second) => io.w.select(run.is_second, second, chosen),
            None => chosen,
        };
        is_visible = Some(int::test_bit(io.w, mask, run.viewport));
        number = run.viewport;
    }
    store_run_layer(io, layer, number, run.is_second);
    store_builtin(io, BuiltIn::ViewportIndex, number);
    move_position(io, second_x, run.is_second, is_visible);
    Ok(())
}

/// Computes viewport and view of the run: both factors are powers of two.
// Invocations are numbered ((triangle * own + invocation) * views + view) * viewports + viewport,
// where `own` is the number of invocations that the program declares. `invocation_number` extracts
// its own number, this function the last two.
fn open_run(io: &mut Io<'_>, copies: Copies) -> Run {
    let invocation = io.own_vertex();
    let invocation = io.w.val(invocation);
    let last = u64::from(copies.viewports - 1);
    let viewport = io.w.binary_bits(Spv::BitwiseAnd, invocation, last);
    let (shift, last) = (copies.viewports.trailing_zeros(), copies.views - 1);
    let view =
        io.w.binary_bits(Spv::ShiftRightLogical, invocation, shift.into());
    let view = io.w.binary_bits(Spv::BitwiseAnd, view, last.into());
    Run {
        is_second: io.w.compare_bits(Spv::INotEqual, view, 0),
        viewport,
    }
}

fn store_run_layer(io: &mut Io<'_>, layer: Option<Val>, viewport: Val, is_second: Val) {
    let modes = io.program.modes;
    let offset = modes.secondary_view_layer_offset;
    let is_fixed = layer.is_none() && !modes.layer_viewport_relative && offset == 0;
    if is_fixed || io.options.fixed.single_layer {
        return;
    }
    let mut layer = layer.unwrap_or_else(|| io.w.uint_val(0));
    if modes.layer_viewport_relative {
        layer = io.w.binary(Spv::IAdd, layer, viewport);
    }
    if offset != 0 {
        let moved = io.w.binary_bits(Spv::IAdd, layer, u64::from(offset as u32));
        layer = io.w.select(is_second, moved, layer);
    }
    store_builtin(io, BuiltIn::Layer, layer);
}

/// Stores a built-in that may not be an output of the program.
fn store_builtin(io: &mut Io<'_>, builtin: BuiltIn, value: Val) {
    let place = usize::from(builtin == BuiltIn::Layer);
    let mut variable = io.vars.outputs.copy_numbers[place];
    if !variable.is_some() {
        let ty = io.w.ty(Scalar::U32, 1);
        variable = io.declare_builtin(StorageClass::Output, ty, builtin);
        io.vars.outputs.copy_numbers[place] = variable;
    }
    io.w.store(variable, value.id);
}

/// Replaces x of the stored position of the vertex by x of the second view, or moves the position
/// out of the clip volume.
fn move_position(io: &mut Io<'_>, second_x: Option<Val>, is_second: Val, is_visible: Option<Val>) {
    let Some(variable) = find_position_variable(io) else {
        return;
    };
    let stored = io.w.op(Spv::Load, Scalar::F32, 4, &[variable.0]);
    let mut lanes = (stored.lanes()).map(|lane| io.w.lane_val(lane, Scalar::F32));
    if let Some(x) = second_x {
        let x = io.w.reread(x, Scalar::F32);
        lanes[0] = io.w.select(is_second, x, lanes[0]);
    }
    if let Some(is_visible) = is_visible {
        // Beyond w along all axes: outside for any depth range, and all vertices of the primitive
        // on one side.
        for (lane, outside) in lanes.iter_mut().zip([2.0, 2.0, 2.0, 1.0]) {
            let outside = io.w.float_like(*lane, outside);
            *lane = io.w.select(is_visible, *lane, outside);
        }
    }
    let lanes = lanes.map(|lane| lane.lane(0));
    let position = io.w.gather_vector(&lanes, Scalar::F32);
    io.w.store(variable, position.id);
}

fn find_position_variable(io: &Io<'_>) -> Option<ValueWord> {
    let mut outputs = io.program.outputs.iter_enumerated();
    let position = outputs.find(|(_, output)| output.semantic == Semantic::Position);
    let (id, _): (OutputId, _) = position?;
    let variable = io.vars.outputs.variables[id.index()];
    variable.is_some().then_some(variable)
}

fn read_word(w: &mut ValueBuilder, lane: Lane) -> Val {
    w.lane_val(lane, Scalar::U32)
}
