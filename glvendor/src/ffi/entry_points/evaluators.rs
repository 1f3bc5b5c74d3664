//! Evaluators: NV_vertex_program section 5.1. The driver has those that this library does not
//! implement.

#![allow(
    non_snake_case,
    clippy::too_many_arguments,
    reason = "names and parameters are those of the registry"
)]

use super::super::driver::types::*;
use super::super::{client_memory, current_context, driver};
use super::{Begin, End, numbered_attribute, send_attribute};
use crate::draw::{self, DrawDecision};
use crate::evaluators::{self, EvaluatorMap};
use crate::program_commands::{self, Command, INVALID_ENUM};

/// Dimension of a map: its domain, the stride of points, and their number.
struct MapAxis {
    range: [f32; 2],
    stride: GLint,
    order: GLint,
}

/// Defines a map of a numbered attribute, or compiles that into the list that is being compiled.
/// Records `GL_INVALID_OPERATION` between `Begin` and `End`, `GL_INVALID_VALUE` if a dimension is
/// invalid. Does nothing for a null pointer.
///
/// # Safety
/// The memory has the points that the dimensions specify.
unsafe fn define_map<T: Copy>(
    target: GLenum,
    [u, v]: [MapAxis; 2],
    points: *const T,
    convert: fn(T) -> f32,
) {
    current_context::with(|state| {
        if state.is_inside_begin_end {
            return state.record_error(program_commands::INVALID_OPERATION);
        }
        let orders = [&u, &v].map(|it| state.check_map_order(it.order, it.range, it.stride));
        let [Some(us), Some(vs)] = orders else { return };
        if points.is_null() {
            return;
        }
        let point = |index: usize| {
            let (i, j) = (index / vs, index % vs);
            let first = i * u.stride as usize + j * v.stride as usize;
            // SAFETY: the caller ensures that there is a point of four components.
            std::array::from_fn(|n| convert(unsafe { points.add(first + n).read_unaligned() }))
        };
        let map = EvaluatorMap {
            order: [us, vs],
            domain: [u.range[0], u.range[1], v.range[0], v.range[1]],
            control_points: (0..us * vs).map(point).collect(),
        };
        program_commands::issue(state, Command::DefineMap(target, map));
    });
}

/// Returns true if a map is that of a numbered attribute of a dimension (0 for `Map1`), and this
/// library works in the context. Records in any case that the application has maps, and may
/// evaluate them.
fn is_numbered(target: GLenum, dimension: usize) -> bool {
    let is_numbered = evaluators::numbered_map_target(target).is_some_and(|it| it.0 == dimension);
    current_context::with(|state| {
        state.has_maps = true;
        is_numbered && state.capabilities.works
    })
    .unwrap_or(false)
}

macro_rules! maps {
    ($($one:ident, $two:ident, $ty:ty, $convert:expr;)*) => {$(
        pub(crate) unsafe extern "system" fn $one(
            target: GLenum,
            u1: $ty,
            u2: $ty,
            stride: GLint,
            order: GLint,
            points: *const $ty,
        ) {
            if !is_numbered(target, 0) {
                // SAFETY: the application follows the specification.
                return unsafe { driver::$one(target, u1, u2, stride, order, points) };
            }
            let convert: fn($ty) -> f32 = $convert;
            let u = MapAxis { range: [convert(u1), convert(u2)], stride, order };
            let v = MapAxis { range: [0.0, 1.0], stride: 4, order: 1 };
            // SAFETY: the application has the points.
            unsafe { define_map(target, [u, v], points, convert) };
        }

        pub(crate) unsafe extern "system" fn $two(
            target: GLenum,
            u1: $ty,
            u2: $ty,
            u_stride: GLint,
            u_order: GLint,
            v1: $ty,
            v2: $ty,
            v_stride: GLint,
            v_order: GLint,
            points: *const $ty,
        ) {
            if !is_numbered(target, 1) {
                // SAFETY: the application follows the specification.
                return unsafe {
                    driver::$two(target, u1, u2, u_stride, u_order, v1, v2, v_stride, v_order, points)
                };
            }
            let convert: fn($ty) -> f32 = $convert;
            let u = MapAxis { range: [convert(u1), convert(u2)], stride: u_stride, order: u_order };
            let v = MapAxis { range: [convert(v1), convert(v2)], stride: v_stride, order: v_order };
            // SAFETY: the application has the points.
            unsafe { define_map(target, [u, v], points, convert) };
        }
    )*};
}

maps! {
    Map1f, Map2f, GLfloat, |it| it;
    Map1d, Map2d, GLdouble, |it| it as f32;
}

macro_rules! get {
    ($($name:ident, $ty:ty, $convert:expr;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(target: GLenum, name: GLenum, values: *mut $ty) {
            let is_ours = evaluators::numbered_map_target(target).is_some();
            let answer = current_context::with(|state| if state.capabilities.works && is_ours {
                Some(state.query_map_values(target, name))
            } else {
                None
            });
            match answer.flatten() {
                Some(answer) => {
                    let answer: Vec<$ty> = answer.into_iter().flatten().map($convert).collect();
                    // SAFETY: the application has queried the order.
                    unsafe { client_memory::write(values, &answer) };
                }
                // SAFETY: the application follows the specification.
                None => unsafe { driver::$name(target, name, values) },
            }
        }
    )*};
}

get! {
    GetMapfv, GLfloat, |it: f32| it;
    GetMapdv, GLdouble, f64::from;
    GetMapiv, GLint, |it: f32| it.round() as i32;
}

/// Sends the attributes of a vertex at domain coordinates to the driver, if this library evaluates;
/// without a map of positions there is no vertex. Returns `false` if the driver must evaluate.
fn send_evaluated_vertex(dimension: usize, position: [f32; 2]) -> bool {
    let values = current_context::with(|state| state.evaluate(dimension, position)).flatten();
    let Some(values) = values else { return false };
    for (number, value) in values {
        send_attribute(number, value);
    }
    true
}

/// Sends the attributes that the enabled one-dimensional maps have at a coordinate; the driver does
/// so if this library does not evaluate.
pub(crate) unsafe extern "system" fn EvalCoord1f(u: GLfloat) {
    if !send_evaluated_vertex(0, [u, 0.0]) {
        driver::EvalCoord1f(u);
    }
}

/// Sends the attributes that the enabled two-dimensional maps have at coordinates; the driver does
/// so if this library does not evaluate.
pub(crate) unsafe extern "system" fn EvalCoord2f(u: GLfloat, v: GLfloat) {
    if !send_evaluated_vertex(1, [u, v]) {
        driver::EvalCoord2f(u, v);
    }
}

/// Evaluates as `EvalCoord1f` does, in single precision.
pub(crate) unsafe extern "system" fn EvalCoord1d(u: GLdouble) {
    // SAFETY: it has no pointers.
    unsafe { EvalCoord1f(u as f32) };
}

/// Evaluates as `EvalCoord2f` does, in single precision.
pub(crate) unsafe extern "system" fn EvalCoord2d(u: GLdouble, v: GLdouble) {
    // SAFETY: it has no pointers.
    unsafe { EvalCoord2f(u as f32, v as f32) };
}

macro_rules! lists {
    ($($name:ident, $ty:ty, $to:ident($($n:literal),*);)*) => {$(
        pub(crate) unsafe extern "system" fn $name(coordinates: *const $ty) {
            // SAFETY: the list has a component for each dimension.
            unsafe { $to($(coordinates.add($n).read_unaligned()),*) };
        }
    )*};
}

lists! {
    EvalCoord1fv, GLfloat, EvalCoord1f(0);
    EvalCoord1dv, GLdouble, EvalCoord1d(0);
    EvalCoord2fv, GLfloat, EvalCoord2f(0, 1);
    EvalCoord2dv, GLdouble, EvalCoord2d(0, 1);
}

/// Evaluates the one-dimensional maps at a point of the grid (GL 2.1 section 5.1); the driver does
/// so if this library does not evaluate.
pub(crate) unsafe extern "system" fn EvalPoint1(i: GLint) {
    match current_context::with(|state| state.active_grid()).flatten() {
        Some(grid) => {
            send_evaluated_vertex(0, [grid.position_1d(i), 0.0]);
        }
        None => driver::EvalPoint1(i),
    }
}

/// Evaluates the two-dimensional maps at a point of the grid (GL 2.1 section 5.1); the driver does
/// so if this library does not evaluate.
pub(crate) unsafe extern "system" fn EvalPoint2(i: GLint, j: GLint) {
    match current_context::with(|state| state.active_grid()).flatten() {
        Some(grid) => {
            send_evaluated_vertex(1, grid.position_2d([i, j]));
        }
        None => driver::EvalPoint2(i, j),
    }
}

/// Returns true if this library evaluates the maps of a mesh that begins now; false leaves it to
/// the driver, also between `Begin` and `End`.
fn evaluates_mesh() -> bool {
    current_context::with(|state| state.will_evaluate()).unwrap_or(false)
}

/// Prepares programs for a mesh that the driver evaluates; returns false if the draw is rejected.
fn prepare_mesh() -> bool {
    current_context::with(|state| draw::prepare_draw(state, None)) != Some(DrawDecision::Skip)
}

/// Draws primitives of a mode between `Begin` and `End`, whose vertices are evaluated at points of
/// the two-dimensional grid.
///
/// # Safety
/// As for [`EvalPoint2`], which has no pointers.
unsafe fn draw_points(mode: GLenum, points: impl Iterator<Item = [GLint; 2]>) {
    // SAFETY: none of them has pointers.
    unsafe {
        Begin(mode);
        points.for_each(|[i, j]| EvalPoint2(i, j));
        End();
    }
}

/// Modes of meshes: `GL_POINT` and the following.
const POINT: GLenum = 0x1B00;
const LINE: GLenum = 0x1B01;
const FILL: GLenum = 0x1B02;

/// Primitives of a mesh: GL 2.1 section 5.1, "EvalMesh".
const POINTS: GLenum = 0;
const LINE_STRIP: GLenum = 3;
const QUAD_STRIP: GLenum = 8;

/// Draws points or a line strip through consecutive points of the one-dimensional grid. The driver
/// does so if this library evaluates nothing, unless the draw is rejected. Records
/// `GL_INVALID_ENUM` for other modes.
pub(crate) unsafe extern "system" fn EvalMesh1(mode: GLenum, i1: GLint, i2: GLint) {
    let primitives = match mode {
        POINT => Some(POINTS),
        LINE => Some(LINE_STRIP),
        _ => None,
    };
    match primitives {
        Some(primitives) if evaluates_mesh() => {
            // SAFETY: none of them has pointers.
            unsafe {
                Begin(primitives);
                (i1..=i2).for_each(|i| EvalPoint1(i));
                End();
            }
        }
        Some(_) if prepare_mesh() => driver::EvalMesh1(mode, i1, i2),
        Some(_) => {}
        None => report_invalid_mode(),
    }
}

/// Records `GL_INVALID_ENUM` for a mesh mode that does not exist.
fn report_invalid_mode() {
    current_context::with(|state| state.record_error(INVALID_ENUM));
}

/// Draws points, lines or quadrilaterals through a part of the two-dimensional grid. The driver
/// does so if this library evaluates nothing, unless the draw is rejected. Records
/// `GL_INVALID_ENUM` for other modes.
pub(crate) unsafe extern "system" fn EvalMesh2(
    mode: GLenum,
    i1: GLint,
    i2: GLint,
    j1: GLint,
    j2: GLint,
) {
    if !matches!(mode, POINT | LINE | FILL) {
        return report_invalid_mode();
    }
    if !evaluates_mesh() {
        if prepare_mesh() {
            driver::EvalMesh2(mode, i1, i2, j1, j2);
        }
        return;
    }
    let (us, vs) = (i1..=i2, j1..=j2);
    // SAFETY: none of these has pointers.
    unsafe {
        match mode {
            POINT => {
                let points = us.flat_map(|i| vs.clone().map(move |j| [i, j]));
                draw_points(POINTS, points);
            }
            LINE => {
                for j in vs.clone() {
                    draw_points(LINE_STRIP, us.clone().map(|i| [i, j]));
                }
                for i in us {
                    draw_points(LINE_STRIP, vs.clone().map(|j| [i, j]));
                }
            }
            _ => {
                for j in j1..j2 {
                    let pairs = us.clone().flat_map(|i| [[i, j], [i, j + 1]]);
                    draw_points(QUAD_STRIP, pairs);
                }
            }
        }
    }
}

/// Ends the evaluation and sends the attributes that it has changed to the driver with their
/// previous values; does nothing if the driver evaluates, or while a list is compiled.
pub(super) fn restore_attributes() {
    let saved = current_context::with(|state| state.end_evaluation());
    for (number, value) in saved.unwrap_or_default() {
        numbered_attribute(number, value);
    }
}
