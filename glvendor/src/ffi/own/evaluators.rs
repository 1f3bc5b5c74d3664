//! Evaluators: NV_vertex_program section 5.1. The driver has those that this library does not
//! implement.

#![allow(
    non_snake_case,
    clippy::too_many_arguments,
    reason = "names and parameters are those of the registry"
)]

use super::super::driver::types::*;
use super::super::{current, driver, memory};
use super::{Begin, End, numbered_attribute, send_attribute};
use crate::commands::{self, Command, INVALID_ENUM};
use crate::draw::{self, Draw};
use crate::evaluators::{self, Map};

/// Dimension of a map: its domain, the stride of points, and their number.
struct Axis {
    range: [f32; 2],
    stride: GLint,
    order: GLint,
}

/// Defines a map of a numbered attribute, if its dimensions are valid.
///
/// # Safety
/// The memory has the points that the dimensions specify.
unsafe fn set_map<T: Copy>(
    target: GLenum,
    [u, v]: [Axis; 2],
    points: *const T,
    convert: fn(T) -> f32,
) {
    current::with(|state| {
        if state.is_inside {
            return state.fail(commands::INVALID_OPERATION);
        }
        let orders = [&u, &v].map(|it| state.checks_map(it.order, it.range, it.stride));
        let [Some(us), Some(vs)] = orders else { return };
        if points.is_null() {
            return;
        }
        let point = |place: usize| {
            let (i, j) = (place / vs, place % vs);
            let first = i * u.stride as usize + j * v.stride as usize;
            // SAFETY: the caller ensures that there is a point of four components.
            std::array::from_fn(|n| convert(unsafe { points.add(first + n).read_unaligned() }))
        };
        let map = Map {
            order: [us, vs],
            domain: [u.range[0], u.range[1], v.range[0], v.range[1]],
            points: (0..us * vs).map(point).collect(),
        };
        commands::issue(state, Command::Map(target, map));
    });
}

/// Returns true if a map is that of a numbered attribute of a dimension. Applications that have
/// maps may evaluate them.
fn is_numbered(target: GLenum, dimension: usize) -> bool {
    let is_numbered = evaluators::numbered(target).is_some_and(|it| it.0 == dimension);
    current::with(|state| {
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
            let u = Axis { range: [convert(u1), convert(u2)], stride, order };
            let v = Axis { range: [0.0, 1.0], stride: 4, order: 1 };
            // SAFETY: the application has the points.
            unsafe { set_map(target, [u, v], points, convert) };
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
            let u = Axis { range: [convert(u1), convert(u2)], stride: u_stride, order: u_order };
            let v = Axis { range: [convert(v1), convert(v2)], stride: v_stride, order: v_order };
            // SAFETY: the application has the points.
            unsafe { set_map(target, [u, v], points, convert) };
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
            let is_ours = evaluators::numbered(target).is_some();
            let answer = current::with(|state| if state.capabilities.works && is_ours {
                Some(state.map_values(target, name))
            } else {
                None
            });
            match answer.flatten() {
                Some(answer) => {
                    let answer: Vec<$ty> = answer.into_iter().flatten().map($convert).collect();
                    // SAFETY: the application has queried the order.
                    unsafe { memory::write(values, &answer) };
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

/// Sends the vertex of a position. Returns `false` if the driver evaluates.
fn send(dimension: usize, place: [f32; 2]) -> bool {
    let values = current::with(|state| state.evaluate(dimension, place)).flatten();
    let Some(values) = values else { return false };
    for (number, value) in values {
        send_attribute(number, value);
    }
    true
}

pub(crate) unsafe extern "system" fn EvalCoord1f(u: GLfloat) {
    if !send(0, [u, 0.0]) {
        driver::EvalCoord1f(u);
    }
}

pub(crate) unsafe extern "system" fn EvalCoord2f(u: GLfloat, v: GLfloat) {
    if !send(1, [u, v]) {
        driver::EvalCoord2f(u, v);
    }
}

pub(crate) unsafe extern "system" fn EvalCoord1d(u: GLdouble) {
    // SAFETY: it has no pointers.
    unsafe { EvalCoord1f(u as f32) };
}

pub(crate) unsafe extern "system" fn EvalCoord2d(u: GLdouble, v: GLdouble) {
    // SAFETY: it has no pointers.
    unsafe { EvalCoord2f(u as f32, v as f32) };
}

macro_rules! lists {
    ($($name:ident, $ty:ty, $to:ident($($n:literal),*);)*) => {$(
        pub(crate) unsafe extern "system" fn $name(place: *const $ty) {
            // SAFETY: the list has a component for each dimension.
            unsafe { $to($(place.add($n).read_unaligned()),*) };
        }
    )*};
}

lists! {
    EvalCoord1fv, GLfloat, EvalCoord1f(0);
    EvalCoord1dv, GLdouble, EvalCoord1d(0);
    EvalCoord2fv, GLfloat, EvalCoord2f(0, 1);
    EvalCoord2dv, GLdouble, EvalCoord2d(0, 1);
}

pub(crate) unsafe extern "system" fn EvalPoint1(i: GLint) {
    match current::with(|state| state.grid()).flatten() {
        Some(grid) => {
            send(0, [grid.one(i), 0.0]);
        }
        None => driver::EvalPoint1(i),
    }
}

pub(crate) unsafe extern "system" fn EvalPoint2(i: GLint, j: GLint) {
    match current::with(|state| state.grid()).flatten() {
        Some(grid) => {
            send(1, grid.two([i, j]));
        }
        None => driver::EvalPoint2(i, j),
    }
}

/// Returns true if this library evaluates a mesh.
fn evaluates() -> bool {
    current::with(|state| state.evaluates()).unwrap_or(false)
}

/// Prepares programs for a mesh; returns true if the driver may draw it.
fn is_ready() -> bool {
    current::with(|state| draw::prepare_draw(state, None)) != Some(Draw::Nothing)
}

/// Draws the points of a mesh, as primitives.
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

pub(crate) unsafe extern "system" fn EvalMesh1(mode: GLenum, i1: GLint, i2: GLint) {
    let primitives = match mode {
        POINT => Some(POINTS),
        LINE => Some(LINE_STRIP),
        _ => None,
    };
    match primitives {
        Some(primitives) if evaluates() => {
            // SAFETY: none of them has pointers.
            unsafe {
                Begin(primitives);
                (i1..=i2).for_each(|i| EvalPoint1(i));
                End();
            }
        }
        Some(_) if is_ready() => driver::EvalMesh1(mode, i1, i2),
        Some(_) => {}
        None => fail(),
    }
}

/// Generates the error of an invalid mode.
fn fail() {
    current::with(|state| state.fail(INVALID_ENUM));
}

pub(crate) unsafe extern "system" fn EvalMesh2(
    mode: GLenum,
    i1: GLint,
    i2: GLint,
    j1: GLint,
    j2: GLint,
) {
    if !matches!(mode, POINT | LINE | FILL) {
        return fail();
    }
    if !evaluates() {
        if is_ready() {
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

/// Restores the attributes that evaluators have set.
pub(super) fn restore_attributes() {
    let saved = current::with(|state| state.end_evaluation());
    for (number, value) in saved.unwrap_or_default() {
        numbered_attribute(number, value);
    }
}
