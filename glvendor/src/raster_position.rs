//! The current raster position with a vertex program instead of the fixed functions:
//! ARB_vertex_program section 2.12, NV_vertex_program section 2.14.2. The program runs once, on the
//! CPU, and its results become state of the driver.

use crate::context::State;
use crate::draw;
use crate::ffi::{driver, driver_state};
use crate::log;
use crate::program_parameters::ParameterSources;
use crate::share_group::Program;
use crate::state_snapshot::{self, RequiredState};
use crate::target::Target;
use glasm::ir::interp::{Environment, Interpreter};
use glasm::ir::{Input, Width};
use glasm::{BaseType, ParamSource, Semantic};
use std::sync::Arc;

/// `CLIP_PLANE0`, which is `CLIP_DISTANCE0`.
const CLIP_PLANE0: u32 = 0x3000;
/// More than a driver has.
const CLIP_PLANES: u8 = 8;

/// Sets of texture coordinates that a raster position has at most.
const TEXCOORD_SETS: u8 = 8;

/// Four components.
type Vector = [f32; 4];

/// Results of a vertex program.
struct RasterResults {
    position: Vector,
    colors: [Option<Vector>; 2],
    fog: f32,
    coordinates: Vec<(u8, Vector)>,
    /// Distances of the enabled clip planes.
    clip_distances: Vec<f32>,
}

/// Executes `RasterPos` with object coordinates: by the selected vertex program, or by the driver's
/// fixed functions if there is none or it fails, which is logged. Does nothing if the programs are
/// an error.
pub(crate) fn set_raster_position(state: &mut State, coordinates: Vector) {
    let Ok(programs) = draw::select_programs(state) else {
        return;
    };
    let vertex = programs.and_then(|[vertex, ..]| vertex);
    let run_result = vertex.map(|program| {
        draw::restore_application_state(state);
        run_vertex_program(state, &program, coordinates).inspect_err(|problem| {
            log::error(format_args!(
                "a raster position is transformed by the fixed functions: {problem}"
            ))
        })
    });
    let suspended = draw::suspend_programs(state);
    match run_result {
        Some(Ok(results)) => apply_results(state, &results),
        Some(Err(_)) | None => {
            let [x, y, z, w] = coordinates;
            driver::RasterPos4f(x, y, z, w);
        }
    }
    draw::resume_programs(suspended);
}

/// Interprets a vertex program with the current attributes and object coordinates. Returns its
/// results, with the distances of enabled clip planes. `Err` is the message for the log: it is not
/// loaded, reads textures, buffers or images, or does not end.
fn run_vertex_program(
    state: &mut State,
    program: &Arc<Program>,
    coordinates: Vector,
) -> Result<RasterResults, String> {
    let loaded = program
        .load_translated()
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
            .map(|input| input_value(input, coordinates))
            .collect(),
        params: parameter_values(state, program, &slots),
        ..Environment::default()
    };
    let interpreter =
        Interpreter::new(ir).map_err(|_| format!("program {} does not run", program.name))?;
    let outcome = interpreter
        .run_main(&mut environment)
        .map_err(|limit| limit.to_string())?;
    let written = |semantic| {
        let output_index = ir.outputs.iter().position(|it| it.semantic == semantic)?;
        let lanes = outcome.outputs.get(output_index)?;
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
    let sets = 0..TEXCOORD_SETS;
    Ok(RasterResults {
        position: written(Semantic::Position).unwrap_or_default(),
        colors: [0, 1].map(|number| written(Semantic::Color(number))),
        fog: written(Semantic::FogCoord).map_or(0.0, |fog| fog[0]),
        coordinates: sets
            .filter_map(|set| Some((set, written(Semantic::TexCoord(set))?)))
            .collect(),
        clip_distances: distances,
    })
}

/// Returns true if the driver has an enabled clip plane with this number.
fn is_plane_enabled(plane: u8) -> bool {
    plane < CLIP_PLANES && driver_state::is_enabled(CLIP_PLANE0 + u32::from(plane))
}

/// Returns the distances of a point in object coordinates from the enabled planes, which are planes
/// of eye space. GL 2.1 section 2.12.
fn plane_distances(coordinates: Vector) -> impl Iterator<Item = f32> {
    let matrix: [f32; 16] = driver_state::floats(0x0BA6);
    let eye: Vector = std::array::from_fn(|row| {
        (0..4)
            .map(|column| matrix[4 * column + row] * coordinates[column])
            .sum()
    });
    (0..CLIP_PLANES)
        .filter(|plane| is_plane_enabled(*plane))
        .map(move |plane| {
            let equation = driver_state::clip_plane::<4>(CLIP_PLANE0 + u32::from(plane));
            let products = equation
                .iter()
                .zip(eye)
                .map(|(factor, it)| *factor as f32 * it);
            products.sum()
        })
}

/// Returns the value of an input of the vertex program: the coordinates for attribute 0, the
/// current value of another attribute, 0 for all others. Inputs of 64 bits are converted to
/// doubles.
fn input_value(input: &Input, coordinates: Vector) -> [u64; 4] {
    let bits = match (input.semantic, input.base) {
        (Semantic::VertexAttribute(0), _) => coordinates.map(f32::to_bits),
        (Semantic::VertexAttribute(number), BaseType::Float) => {
            driver_state::current_attribute_value(number.into()).map(f32::to_bits)
        }
        (Semantic::VertexAttribute(number), _) => {
            driver_state::current_attribute_bits(number.into())
        }
        // Numbers of vertices and instances are 0.
        _ => [0; 4],
    };
    match input.width {
        Width::W64 => bits.map(|it| f64::from(f32::from_bits(it)).to_bits()),
        Width::W8 | Width::W16 | Width::W32 => bits.map(u64::from),
    }
}

/// Returns the parameters of a vertex program. The state that they are derived from, and all
/// tracked matrices, are read from the driver into the context's GL state.
fn parameter_values(
    state: &mut State,
    program: &Arc<Program>,
    slots: &[ParamSource],
) -> Vec<[u32; 4]> {
    let mut needs = RequiredState::default();
    needs.add_sources(slots);
    for address in (0..crate::program_parameters::TRACKING_PARAMETERS).step_by(4) {
        needs.add_tracking(&state.gl, address);
    }
    state_snapshot::read_changed_state(&mut state.gl, &needs, needs.state_groups());
    let contents = program.contents();
    let sources = ParameterSources {
        may_track_matrices: true,
        contents: Some(&contents),
        named_parameters: &[],
        target_state: Some(state.target_state(Target::Vertex)),
        gl: &state.gl,
    };
    slots
        .iter()
        .map(|slot| sources.source_value(*slot))
        .collect()
}

/// Returns true if the position is inside of the clip volume, whose near and far planes do not clip
/// with `DEPTH_CLAMP`, and no distance of a clip plane is negative. GL 2.1 section 2.12.
fn is_visible(results: &RasterResults) -> bool {
    const DEPTH_CLAMP: u32 = 0x864F;
    let [x, y, z, w] = results.position;
    let is_inside = |it: f32| -w <= it && it <= w;
    w > 0.0
        && is_inside(x)
        && is_inside(y)
        && (is_inside(z) || driver_state::is_enabled(DEPTH_CLAMP))
        && results
            .clip_distances
            .iter()
            .all(|distance| *distance >= 0.0)
}

/// Makes the results of a vertex program the raster position of the driver and its attributes, by
/// `WindowPos` with current values that are restored afterwards; an invisible position makes the
/// raster position invalid. Materials that track the color are restored with it.
fn apply_results(state: &State, results: &RasterResults) {
    const FOG_COORD_SRC: u32 = 0x8450;
    const FOG_COORD: u32 = 0x8451;
    if !is_visible(results) {
        return invalidate_raster_position();
    }
    let source = driver_state::integer(FOG_COORD_SRC);
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
    let [color, secondary] = [0x0B00, 0x8459].map(driver_state::floats::<4>);
    let [fog] = driver_state::floats(0x8453);
    set_current_attributes(
        [
            results.colors[0].unwrap_or(color),
            results.colors[1].unwrap_or(secondary),
        ],
        results.fog,
        sets(),
    );
    let [x, y, z, w] = results.position;
    let [left, bottom, width, height] = driver_state::floats(0x0BA2);
    driver::WindowPos3f(
        left + (x / w + 1.0) * width / 2.0,
        bottom + (y / w + 1.0) * height / 2.0,
        (z / w + 1.0) / 2.0,
    );
    set_current_attributes([color, secondary], fog, coordinates.iter());
    driver::Fogi(FOG_COORD_SRC, source);
}

/// Returns the driver's current texture coordinates of a set: `GL_CURRENT_TEXTURE_COORDS` of the
/// unit with that number.
fn current_coordinates(set: u8) -> Vector {
    let mut coordinates = [0.0; 4];
    state_snapshot::for_each_unit(1 << set, |_| coordinates = driver_state::floats(0x0B03));
    coordinates
}

/// Sets the driver's current colors, fog coordinate and texture coordinates, which are numbered by
/// unit.
fn set_current_attributes<'a>(
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

/// Makes the driver's raster position invalid, by a position outside of the clip volume. Matrices
/// and matrix mode are restored.
fn invalidate_raster_position() {
    const MODES: [(u32, u32); 2] = [(0x1700, 0x0BA6), (0x1701, 0x0BA7)];
    let mode = driver_state::integer(0x0BA0);
    let matrices = MODES.map(|(mode, name)| {
        let matrix: [f32; 16] = driver_state::floats(name);
        driver::MatrixMode(mode);
        driver::LoadIdentity();
        (mode, matrix)
    });
    driver::RasterPos4f(2.0, 0.0, 0.0, 1.0);
    for (mode, matrix) in matrices {
        driver::MatrixMode(mode);
        driver_state::load_matrix(&matrix);
    }
    driver::MatrixMode(mode as u32);
}
