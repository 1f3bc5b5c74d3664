//! The current raster position with a vertex program instead of the fixed functions:
//! ARB_vertex_program section 2.12, NV_vertex_program section 2.14.2. The program runs once, on the
//! CPU, and its results become state of the driver.

use crate::context::State;
use crate::draw;
use crate::ffi::{driver, query};
use crate::log;
use crate::objects::Program;
use crate::params::Sources;
use crate::reader::{self, Needs};
use crate::target::Target;
use glasm::ir::interp::{Environment, Interpreter};
use glasm::ir::{Input, Width};
use glasm::{ParamSource, Semantic, TypeBase};
use std::sync::Arc;

/// `CLIP_PLANE0`, which is `CLIP_DISTANCE0`.
const CLIP_PLANE0: u32 = 0x3000;
/// More than a driver has.
const CLIP_PLANES: u8 = 8;

/// Sets of texture coordinates that a raster position has at most.
const SETS: u8 = 8;

/// Four components.
type Vector = [f32; 4];

/// Results of a vertex program.
struct Results {
    position: Vector,
    colors: [Option<Vector>; 2],
    fog: f32,
    coordinates: Vec<(u8, Vector)>,
    /// Distances of the enabled clip planes.
    distances: Vec<f32>,
}

/// Executes `RasterPos` with object coordinates.
pub(crate) fn set(state: &mut State, coordinates: Vector) {
    let Ok(programs) = draw::select_programs(state) else {
        return;
    };
    let vertex = programs.and_then(|[vertex, ..]| vertex);
    let found = vertex.map(|program| {
        draw::release(state);
        run(state, &program, coordinates).inspect_err(|problem| {
            log::error(format_args!(
                "a raster position is transformed by the fixed functions: {problem}"
            ))
        })
    });
    let left = draw::suspend_programs(state);
    match found {
        Some(Ok(results)) => apply(state, &results),
        Some(Err(_)) | None => {
            let [x, y, z, w] = coordinates;
            driver::RasterPos4f(x, y, z, w);
        }
    }
    draw::resume_programs(left);
}

/// Runs a vertex program. `Err` names an unsupported feature that it needs.
fn run(state: &mut State, program: &Arc<Program>, coordinates: Vector) -> Result<Results, String> {
    let loaded = program
        .loaded()
        .ok_or_else(|| format!("program {} is not loaded", program.name))?;
    let ir = loaded.ir();
    if !(ir.textures.is_empty() && ir.buffers.is_empty() && ir.images.is_empty()) {
        return Err(format!(
            "program {} reads textures or buffers",
            program.name
        ));
    }
    let slots: Vec<ParamSource> = ir.params.iter().map(|param| param.source).collect();
    let mut environment = Environment {
        inputs: ir
            .inputs
            .iter()
            .map(|input| attribute(input, coordinates))
            .collect(),
        params: parameters(state, program, &slots),
        ..Environment::default()
    };
    let interpreter =
        Interpreter::new(ir).map_err(|_| format!("program {} does not run", program.name))?;
    let outcome = interpreter
        .run(&mut environment)
        .map_err(|limit| limit.to_string())?;
    let written = |semantic| {
        let place = ir.outputs.iter().position(|it| it.semantic == semantic)?;
        let lanes = outcome.outputs.get(place)?;
        Some(lanes.map(|lane| f32::from_bits(lane as u32)))
    };
    let planes = (0..CLIP_PLANES).filter(|plane| is_plane_enabled(*plane));
    let mut distances: Vec<f32> = planes
        .filter_map(|plane| written(Semantic::ClipDistance(plane)))
        .map(|distance| distance[0])
        .collect();
    // Only positions as of the fixed functions are clipped by planes: ARB_vertex_program section
    // 2.11.
    if ir.outputs.iter().any(|it| it.invariant) {
        distances.extend(plane_distances(coordinates));
    }
    let sets = 0..SETS;
    Ok(Results {
        position: written(Semantic::Position).unwrap_or_default(),
        colors: [0, 1].map(|number| written(Semantic::Color(number))),
        fog: written(Semantic::FogCoord).map_or(0.0, |fog| fog[0]),
        coordinates: sets
            .filter_map(|set| Some((set, written(Semantic::TexCoord(set))?)))
            .collect(),
        distances,
    })
}

fn is_plane_enabled(plane: u8) -> bool {
    plane < CLIP_PLANES && query::is_enabled(CLIP_PLANE0 + u32::from(plane))
}

/// Returns the distances of the enabled planes, which are planes of eye space. GL 2.1 section 2.12.
fn plane_distances(coordinates: Vector) -> impl Iterator<Item = f32> {
    let matrix: [f32; 16] = query::floats(0x0BA6);
    let eye: Vector = std::array::from_fn(|row| {
        (0..4)
            .map(|column| matrix[4 * column + row] * coordinates[column])
            .sum()
    });
    (0..CLIP_PLANES)
        .filter(|plane| is_plane_enabled(*plane))
        .map(move |plane| {
            let equation = query::clip_plane::<4>(CLIP_PLANE0 + u32::from(plane));
            let products = equation
                .iter()
                .zip(eye)
                .map(|(factor, it)| *factor as f32 * it);
            products.sum()
        })
}

/// Returns the value of an input: the position, or the current value of an attribute.
fn attribute(input: &Input, coordinates: Vector) -> [u64; 4] {
    let bits = match (input.semantic, input.base) {
        (Semantic::Attrib(0), _) => coordinates.map(f32::to_bits),
        (Semantic::Attrib(number), TypeBase::Float) => {
            query::attribute(number.into()).map(f32::to_bits)
        }
        (Semantic::Attrib(number), _) => query::integer_attribute(number.into()),
        // Numbers of vertices and instances are 0.
        _ => [0; 4],
    };
    match input.width {
        Width::W64 => bits.map(|it| f64::from(f32::from_bits(it)).to_bits()),
        Width::W8 | Width::W16 | Width::W32 => bits.map(u64::from),
    }
}

/// Returns the parameters of a vertex program, with the state that they are derived from.
fn parameters(state: &mut State, program: &Arc<Program>, slots: &[ParamSource]) -> Vec<[u32; 4]> {
    let mut needs = Needs::default();
    needs.add(slots);
    for address in (0..crate::params::TRACKING).step_by(4) {
        needs.add_tracking(&state.gl, address);
    }
    reader::refresh(&mut state.gl, &needs, needs.groups());
    let contents = program.contents();
    let sources = Sources {
        tracks: true,
        contents: Some(&contents),
        named: &[],
        bound: Some(state.bound(Target::Vertex)),
        gl: &state.gl,
    };
    slots.iter().map(|slot| sources.value(*slot)).collect()
}

/// Returns true if a point is inside of the clip volume. GL 2.1 section 2.12.
fn is_visible(results: &Results) -> bool {
    const DEPTH_CLAMP: u32 = 0x864F;
    let [x, y, z, w] = results.position;
    let is_inside = |it: f32| -w <= it && it <= w;
    w > 0.0
        && is_inside(x)
        && is_inside(y)
        && (is_inside(z) || query::is_enabled(DEPTH_CLAMP))
        && results.distances.iter().all(|distance| *distance >= 0.0)
}

/// Sets the results of a vertex program in the driver, as current values that its `WindowPos` uses.
/// Materials that track the color are restored with it.
fn apply(state: &State, results: &Results) {
    const FOG_COORD_SRC: u32 = 0x8450;
    const FOG_COORD: u32 = 0x8451;
    if !is_visible(results) {
        return invalidate();
    }
    let source = query::integer(FOG_COORD_SRC);
    driver::Fogi(FOG_COORD_SRC, FOG_COORD as i32);
    let sets = || {
        results
            .coordinates
            .iter()
            .filter(|(set, _)| u32::from(*set) < state.capabilities.texture_coordinates)
    };
    let coordinates: Vec<_> = sets()
        .map(|(set, _)| (*set, current_coordinates(*set)))
        .collect();
    let [color, secondary] = [0x0B00, 0x8459].map(query::floats::<4>);
    let [fog] = query::floats(0x8453);
    set_current(
        [
            results.colors[0].unwrap_or(color),
            results.colors[1].unwrap_or(secondary),
        ],
        results.fog,
        sets(),
    );
    let [x, y, z, w] = results.position;
    let [left, bottom, width, height] = query::floats(0x0BA2);
    driver::WindowPos3f(
        left + (x / w + 1.0) * width / 2.0,
        bottom + (y / w + 1.0) * height / 2.0,
        (z / w + 1.0) / 2.0,
    );
    set_current([color, secondary], fog, coordinates.iter());
    driver::Fogi(FOG_COORD_SRC, source);
}

fn current_coordinates(set: u8) -> Vector {
    let mut coordinates = [0.0; 4];
    reader::with_units(1 << set, |_| coordinates = query::floats(0x0B03));
    coordinates
}

fn set_current<'a>(
    [color, secondary]: [Vector; 2],
    fog: f32,
    coordinates: impl Iterator<Item = &'a (u8, Vector)>,
) {
    let [r, g, b, a] = color;
    driver::Color4f(r, g, b, a);
    let [r, g, b, _] = secondary;
    driver::SecondaryColor3f(r, g, b);
    driver::FogCoordf(fog);
    for (set, [s, t, r, q]) in coordinates {
        driver::MultiTexCoord4f(
            driver::constants::TEXTURE0 + u32::from(*set),
            *s,
            *t,
            *r,
            *q,
        );
    }
}

/// Sets a position in the driver that is outside of the clip volume, regardless of its matrices.
fn invalidate() {
    const MODES: [(u32, u32); 2] = [(0x1700, 0x0BA6), (0x1701, 0x0BA7)];
    let mode = query::integer(0x0BA0);
    let matrices = MODES.map(|(mode, name)| {
        let matrix: [f32; 16] = query::floats(name);
        driver::MatrixMode(mode);
        driver::LoadIdentity();
        (mode, matrix)
    });
    driver::RasterPos4f(2.0, 0.0, 0.0, 1.0);
    for (mode, matrix) in matrices {
        driver::MatrixMode(mode);
        query::load_matrix(&matrix);
    }
    driver::MatrixMode(mode as u32);
}
