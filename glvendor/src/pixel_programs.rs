//! Fragments at window positions, for pixels and bitmaps: the vertex programs that generate them,
//! and the driver state that is disabled for them.

use crate::context::State;
use crate::draw;
use crate::ffi::{driver, driver_state};
use crate::fixed_function_key;
use crate::log;
use crate::pipeline::{Programs, STAGES};
use crate::share_group::{Program, VectorBits};
use crate::state_snapshot;
use glasm::ir::{Saturate, Stage};
use glasm::{Program as Loaded, Semantic, Source};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Sets of texture coordinates that fragment programs read.
const TEXCOORD_SETS: u32 = 8;

/// Results of all fragments, from local parameters: the last step of the position, secondary color,
/// fog, texture coordinates.
const COMMON_VERTEX_CODE: &str = "MAD result.position.xy, p, program.local[0].xyxy, program.local[0].zwzw;\nMOV result.position.z, program.local[2].x;\n\
     MOV result.position.w, 1;\nMOV result.color.secondary, program.local[5];\nMOV result.fogcoord.x, program.local[6].x;\n";

/// Vertices with the number of the pixel that they are a corner of: two triangles each.
const PIXEL_VERTEX_CODE: &str = "!!NVvp4.0\nTEMP n, p, c;\nDIV.U n.x, vertex.id.x, 6;\nMOD.U n.y, vertex.id.x, 6;\n\
     MOD.U p.x, n.x, program.local[3].x;\nDIV.U p.y, n.x, program.local[3].x;\nMOV.U p.zw, 0;\n\
     SHR.U c.xy, {22, 52, 0, 0}, n.y;\nAND.U c.xy, c, 1;\nADD.U n.xy, p, c;\n";

/// Color of the pixel, and the position of its corner.
const COLOR_CODE: &str = "MAX c, c, program.local[2].y;\nMIN result.color, c, program.local[2].z;\n\
     I2F n.xy, n;\nMAD p.xy, n, program.local[1].zwzw, program.local[1];\n";

/// Vertices at window positions.
const POSITION_VERTEX_CODE: &str =
    "!!NVvp4.0\nTEMP p, c;\nMOV p, vertex.position;\nMOV result.color, program.local[4];\n";

/// Coordinates of the pixel.
const COORDINATE_CODE: &str = "SUB c.xy, p, program.local[1];\n";

/// Attributes that pass from vertex programs to fragment programs.
const ATTRIBUTES: u8 = 16;

/// Source of the colors of pixels in fragment programs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TexelColorSource {
    /// Texture image unit.
    pub(crate) unit: u32,
    /// Number of the attribute that selects the texel: one that the fragment program does not read.
    pub(crate) attribute: u8,
    /// True if colors are clamped.
    clamps_colors: bool,
}

impl TexelColorSource {
    /// Creates the source of colors from a texture image unit for a fragment program, with the
    /// clamping of the current state. `None` if the program reads all attributes or cannot be
    /// transformed.
    pub(crate) fn new(state: &State, unit: u32, fragment: &Program) -> Option<Self> {
        let loaded = fragment.load_translated()?;
        let is_read = |number: u8| {
            loaded
                .inputs()
                .any(|it| it.semantic == Semantic::GenericVarying(number))
        };
        let texels = Self {
            unit,
            attribute: (0..ATTRIBUTES).find(|number| !is_read(*number))?,
            clamps_colors: clamps_fragments(state),
        };
        texels.apply_to_fragment(&loaded).map(|_| texels)
    }

    /// Returns a variant of a fragment program that takes its color from the texels of pixels,
    /// clamped if the state requires it. `None` if the program cannot be transformed.
    pub(crate) fn apply_to_fragment(self, fragment: &Loaded) -> Option<Loaded> {
        let saturate = if self.clamps_colors {
            Saturate::Unsigned
        } else {
            Saturate::None
        };
        fragment.with_texel_colors(
            self.unit,
            Semantic::GenericVarying(self.attribute),
            saturate,
        )
    }
}

/// Vertex programs for window positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum VertexProgramKind {
    /// Corners of the pixels of a texture, which this texture image unit has, with their colors.
    Pixels(u32),
    /// Positions, with the coordinates of the pixel in this attribute.
    Rectangle(u8),
    /// Positions only.
    Positions,
}

/// State of a context for window positions.
#[derive(Debug, Default)]
pub(crate) struct PixelPrograms {
    programs: FxHashMap<VertexProgramKind, Arc<Program>>,
    /// Source of the colors of drawn pixels; `None` for colors of vertices.
    pub(crate) texel_colors: Option<TexelColorSource>,
}

/// Location of drawn pixels: the edge of the first one, and their sizes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PixelGrid {
    /// Pixels in a row.
    pub(crate) width: u32,
    pub(crate) first_edge: [f32; 2],
    pub(crate) zoom: [f32; 2],
}

impl Default for PixelGrid {
    fn default() -> Self {
        Self {
            width: 1,
            first_edge: [0.0; 2],
            zoom: [1.0; 2],
        }
    }
}

/// Translates a vertex program of this library; logs its errors and returns `None` if it has any.
fn load_vertex_program(text: &str) -> Option<Arc<Program>> {
    let source = Source::new("pixels", text).for_stage(Stage::Vertex);
    let loaded = Loaded::load(&source).inspect_err(|errors| log::error(errors.render(&source)));
    let program = Program::new(0);
    program.contents().translated = Some(loaded.ok()?);
    program.assign_new_serial();
    Some(Arc::new(program))
}

impl VertexProgramKind {
    /// Generates the program string of the vertex program, whose local parameters
    /// [`vertex_parameters`] returns.
    fn source(self) -> String {
        let begin = match self {
            Self::Pixels(unit) => {
                format!("{PIXEL_VERTEX_CODE}TXF c, p, texture[{unit}], 2D;\n{COLOR_CODE}")
            }
            Self::Rectangle(attribute) => format!(
                "{POSITION_VERTEX_CODE}{COORDINATE_CODE}MUL result.attrib[{attribute}].xy, c, program.local[7];\n"
            ),
            Self::Positions => POSITION_VERTEX_CODE.to_owned(),
        };
        let sets = (0..TEXCOORD_SETS)
            .map(|set| format!("MOV result.texcoord[{set}], program.local[{}];\n", 8 + set));
        begin + COMMON_VERTEX_CODE + &sets.collect::<String>() + "END"
    }
}

impl PixelPrograms {
    /// Returns a vertex program from the cache, or compiles it and adds it. `None` if it does not
    /// load; the errors are logged.
    pub(crate) fn vertex_program(&mut self, vertices: VertexProgramKind) -> Option<Arc<Program>> {
        if let Some(known) = self.programs.get(&vertices) {
            return Some(Arc::clone(known));
        }
        let program = load_vertex_program(&vertices.source())?;
        self.programs.insert(vertices, Arc::clone(&program));
        Some(program)
    }
}

/// Sets the parameters of a vertex program of this file and calls `work`, which draws, while it and
/// a fragment program of the application are current, and the state of polygons does not affect
/// them. Does not call it if the programs form no pipeline. The application's state is restored
/// afterwards.
pub(crate) fn draw_with_programs(
    state: &mut State,
    [vertex, fragment]: [Arc<Program>; 2],
    grid: &PixelGrid,
    work: impl FnOnce(&mut State),
) {
    let edge = viewport_edge();
    vertex
        .contents()
        .set_locals(0, &vertex_parameters(state, grid, edge));
    vertex.increment_version();
    let mut programs = Programs::default();
    programs[0] = Some(vertex);
    programs[STAGES - 1] = Some(fragment);
    if draw::prepare_pixels(state, programs) {
        let has_viewports = state
            .capabilities
            .has_extension_or_version("GL_ARB_viewport_array", 41);
        let saved = SavedRasterState::disable_for_pixels(
            edge,
            has_viewports,
            grid.zoom[0] * grid.zoom[1] > 0.0,
        );
        work(state);
        saved.restore(has_viewports);
    }
    draw::restore_application_state(state);
}

/// Returns the edge length of a square viewport, at most the driver's maximum; a power of two, so
/// that positions in it are exact.
fn viewport_edge() -> u32 {
    let [width, height] = driver_state::integers::<2>(driver::constants::MAX_VIEWPORT_DIMS);
    let most = u32::try_from(width.min(height)).unwrap_or(0).max(1);
    1 << most.ilog2()
}

/// Returns the local parameters of the generated vertex programs, from the raster position of the
/// driver and its attributes, the grid of pixels, and the edge length of the viewport.
fn vertex_parameters(state: &State, grid: &PixelGrid, edge: u32) -> [VectorBits; 16] {
    let [_, _, depth, _] = driver_state::floats::<4>(0x0B07);
    let [distance] = driver_state::floats(0x0B09);
    let [lowest, highest] = if clamps_fragments(state) {
        [0.0, 1.0]
    } else {
        [f32::MIN, f32::MAX]
    };
    let scale = 2.0 / edge as f32;
    let bits = |values: [f32; 4]| values.map(f32::to_bits);
    let mut parameters = [[0; 4]; 16];
    parameters[0] = bits([scale, scale, -1.0, -1.0]);
    parameters[1] = bits([
        grid.first_edge[0],
        grid.first_edge[1],
        grid.zoom[0],
        grid.zoom[1],
    ]);
    parameters[2] = bits([2.0 * depth - 1.0, lowest, highest, 0.0]);
    parameters[3] = [grid.width, 0, 0, 0];
    parameters[4] = bits(driver_state::floats(0x0B04));
    parameters[5] = bits(driver_state::floats(0x845F));
    parameters[6] = bits([distance, 0.0, 0.0, 0.0]);
    parameters[7] = bits([1.0 / grid.zoom[0], 1.0 / grid.zoom[1], 0.0, 0.0]);
    let sets = state.capabilities.texture_coordinates.min(TEXCOORD_SETS);
    state_snapshot::for_each_unit((1 << sets) - 1, |set| {
        parameters[8 + set as usize] = bits(driver_state::floats(0x0B06));
    });
    parameters
}

/// Returns true if colors of fragments are clamped: ARB_color_buffer_float section 3.6.4.
fn clamps_fragments(state: &State) -> bool {
    fixed_function_key::is_clamped(&state.capabilities, driver::constants::CLAMP_FRAGMENT_COLOR)
}

/// Driver state for polygons and positions, which does not affect fragments.
struct SavedRasterState {
    viewport: [f32; 4],
    depths: [f64; 2],
    modes: [i32; 2],
    front: i32,
    enabled: Vec<u32>,
}

/// `CULL_FACE`, `POLYGON_SMOOTH`, `POLYGON_STIPPLE`, `POLYGON_OFFSET_FILL`.
const POLYGON_CAPABILITIES: [u32; 4] = [0x0B44, 0x0B41, 0x0B42, 0x8037];
const FRONT_AND_BACK: u32 = 0x0408;
const CCW: u32 = 0x0901;
const FILL: u32 = 0x1B02;

impl SavedRasterState {
    /// Saves the rasterization state and sets it so that all polygons are filled and face the
    /// front, in a square viewport with this edge length. `has_viewports` is true if the driver has
    /// several viewports, `is_ccw` if the vertices are counterclockwise in the window.
    fn disable_for_pixels(edge: u32, has_viewports: bool, is_ccw: bool) -> Self {
        let saved = Self {
            viewport: driver_state::floats(0x0BA2),
            depths: driver_state::doubles(0x0B70),
            modes: driver_state::integers(0x0B40),
            front: driver_state::integer(0x0B46),
            enabled: POLYGON_CAPABILITIES
                .into_iter()
                .filter(|it| driver_state::is_enabled(*it))
                .collect(),
        };
        saved.enabled.iter().for_each(|it| driver::Disable(*it));
        driver::PolygonMode(FRONT_AND_BACK, FILL);
        driver::FrontFace(CCW - u32::from(!is_ccw));
        set_viewport(
            [0.0, 0.0, edge as f32, edge as f32],
            [0.0, 1.0],
            has_viewports,
        );
        saved
    }

    /// Restores the rasterization state that [`Self::disable_for_pixels`] has changed.
    /// `has_viewports` is true if the driver has several viewports.
    fn restore(&self, has_viewports: bool) {
        self.enabled.iter().for_each(|it| driver::Enable(*it));
        driver::PolygonMode(0x0404, self.modes[0] as u32);
        driver::PolygonMode(0x0405, self.modes[1] as u32);
        driver::FrontFace(self.front as u32);
        set_viewport(self.viewport, self.depths, has_viewports);
    }
}

/// Sets viewport and depth range; only the first ones, without rounding, if `has_viewports`, which
/// the driver must support.
fn set_viewport([x, y, width, height]: [f32; 4], [near, far]: [f64; 2], has_viewports: bool) {
    if has_viewports {
        driver::ViewportIndexedf(0, x, y, width, height);
        driver::DepthRangeIndexed(0, near, far);
    } else {
        driver::Viewport(x as i32, y as i32, width as i32, height as i32);
        driver::DepthRange(near, far);
    }
}
