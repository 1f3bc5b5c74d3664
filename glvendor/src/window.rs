//! Fragments at window positions, for pixels and bitmaps: the vertex programs that generate them,
//! and the driver state that is disabled for them.

use crate::context::State;
use crate::draw;
use crate::ffi::{driver, query};
use crate::fixed;
use crate::log;
use crate::objects::{Bits, Program};
use crate::pipeline::{Programs, STAGES};
use crate::reader;
use glasm::ir::{Saturate, Stage};
use glasm::{Program as Loaded, Semantic, Source};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Sets of texture coordinates that fragment programs read.
const SETS: u32 = 8;

/// Results of all fragments, from local parameters: the last step of the position, secondary color,
/// fog, texture coordinates.
const SHARED: &str = "MAD result.position.xy, p, program.local[0].xyxy, program.local[0].zwzw;\nMOV result.position.z, program.local[2].x;\n\
     MOV result.position.w, 1;\nMOV result.color.secondary, program.local[5];\nMOV result.fogcoord.x, program.local[6].x;\n";

/// Vertices with the number of the pixel that they are a corner of: two triangles each.
const PIXELS: &str = "!!NVvp4.0\nTEMP n, p, c;\nDIV.U n.x, vertex.id.x, 6;\nMOD.U n.y, vertex.id.x, 6;\n\
     MOD.U p.x, n.x, program.local[3].x;\nDIV.U p.y, n.x, program.local[3].x;\nMOV.U p.zw, 0;\n\
     SHR.U c.xy, {22, 52, 0, 0}, n.y;\nAND.U c.xy, c, 1;\nADD.U n.xy, p, c;\n";

/// Color of the pixel, and the position of its corner.
const COLORED: &str = "MAX c, c, program.local[2].y;\nMIN result.color, c, program.local[2].z;\n\
     I2F n.xy, n;\nMAD p.xy, n, program.local[1].zwzw, program.local[1];\n";

/// Vertices at window positions.
const PLACES: &str =
    "!!NVvp4.0\nTEMP p, c;\nMOV p, vertex.position;\nMOV result.color, program.local[4];\n";

/// Coordinates of the pixel.
const NUMBERED: &str = "SUB c.xy, p, program.local[1];\n";

/// Attributes that pass from vertex programs to fragment programs.
const ATTRIBUTES: u8 = 16;

/// Source of the colors of pixels in fragment programs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Texels {
    /// Texture image unit.
    pub(crate) unit: u32,
    /// Number of the attribute that selects the texel: one that the fragment program does not read.
    pub(crate) attribute: u8,
    /// True if colors are clamped.
    clamps: bool,
}

impl Texels {
    /// Creates the source of colors from a unit for a fragment program, if it supports that.
    pub(crate) fn new(state: &State, unit: u32, fragment: &Program) -> Option<Self> {
        let loaded = fragment.loaded()?;
        let is_read = |number: u8| {
            loaded
                .inputs()
                .any(|it| it.semantic == Semantic::Generic(number))
        };
        let texels = Self {
            unit,
            attribute: (0..ATTRIBUTES).find(|number| !is_read(*number))?,
            clamps: clamps_fragments(state),
        };
        texels.colors_of(&loaded).map(|_| texels)
    }

    /// Returns a fragment program with these colors.
    pub(crate) fn colors_of(self, fragment: &Loaded) -> Option<Loaded> {
        let saturate = if self.clamps {
            Saturate::Unsigned
        } else {
            Saturate::None
        };
        fragment.with_texel_colors(self.unit, Semantic::Generic(self.attribute), saturate)
    }
}

/// Vertex programs for window positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Vertices {
    /// Corners of the pixels of a texture, which this texture image unit has, with their colors.
    Pixels(u32),
    /// Positions, with the coordinates of the pixel in this attribute.
    Rectangle(u8),
    /// Positions only.
    Places,
}

/// State of a context for window positions.
#[derive(Debug, Default)]
pub(crate) struct Window {
    programs: FxHashMap<Vertices, Arc<Program>>,
    /// Source of the colors of drawn pixels; `None` for colors of vertices.
    pub(crate) texels: Option<Texels>,
}

/// Location of drawn pixels: the edge of the first one, and their sizes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Grid {
    /// Pixels in a row.
    pub(crate) width: u32,
    pub(crate) first: [f32; 2],
    pub(crate) zoom: [f32; 2],
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            width: 1,
            first: [0.0; 2],
            zoom: [1.0; 2],
        }
    }
}

fn loaded(text: &str) -> Option<Arc<Program>> {
    let source = Source::new("pixels", text).for_stage(Stage::Vertex);
    let loaded = Loaded::load(&source).inspect_err(|errors| log::error(errors.render(&source)));
    let program = Program::new(0);
    program.contents().loaded = Some(loaded.ok()?);
    program.reloaded();
    Some(Arc::new(program))
}

impl Vertices {
    /// Returns the text of the program.
    fn text(self) -> String {
        let begin = match self {
            Self::Pixels(unit) => format!("{PIXELS}TXF c, p, texture[{unit}], 2D;\n{COLORED}"),
            Self::Rectangle(attribute) => format!(
                "{PLACES}{NUMBERED}MUL result.attrib[{attribute}].xy, c, program.local[7];\n"
            ),
            Self::Places => PLACES.to_owned(),
        };
        let sets = (0..SETS)
            .map(|set| format!("MOV result.texcoord[{set}], program.local[{}];\n", 8 + set));
        begin + SHARED + &sets.collect::<String>() + "END"
    }
}

impl Window {
    /// Returns a vertex program, loaded if it is new.
    pub(crate) fn program(&mut self, vertices: Vertices) -> Option<Arc<Program>> {
        if let Some(known) = self.programs.get(&vertices) {
            return Some(Arc::clone(known));
        }
        let program = loaded(&vertices.text())?;
        self.programs.insert(vertices, Arc::clone(&program));
        Some(program)
    }
}

/// Draws with a vertex program of this file and a fragment program of the application, if they go
/// together.
pub(crate) fn draw(
    state: &mut State,
    [vertex, fragment]: [Arc<Program>; 2],
    grid: &Grid,
    work: impl FnOnce(&mut State),
) {
    let edge = edge();
    vertex
        .contents()
        .set_locals(0, &parameters(state, grid, edge));
    vertex.parameter_changed();
    let mut programs = Programs::default();
    programs[0] = Some(vertex);
    programs[STAGES - 1] = Some(fragment);
    if draw::prepare_pixels(state, programs) {
        let has_viewports = state.capabilities.has("GL_ARB_viewport_array", 41);
        let saved = Saved::set(edge, has_viewports, grid.zoom[0] * grid.zoom[1] > 0.0);
        work(state);
        saved.restore(has_viewports);
    }
    draw::release(state);
}

/// Returns the edge of a viewport that contains any window; a power of two, so that positions in it
/// are exact.
fn edge() -> u32 {
    let [width, height] = query::integers::<2>(driver::constants::MAX_VIEWPORT_DIMS);
    let most = u32::try_from(width.min(height)).unwrap_or(0).max(1);
    1 << most.ilog2()
}

/// Returns the local parameters of the vertex programs.
fn parameters(state: &State, grid: &Grid, edge: u32) -> [Bits; 16] {
    let [_, _, depth, _] = query::floats::<4>(0x0B07);
    let [distance] = query::floats(0x0B09);
    let [lowest, highest] = if clamps_fragments(state) {
        [0.0, 1.0]
    } else {
        [f32::MIN, f32::MAX]
    };
    let scale = 2.0 / edge as f32;
    let bits = |values: [f32; 4]| values.map(f32::to_bits);
    let mut parameters = [[0; 4]; 16];
    parameters[0] = bits([scale, scale, -1.0, -1.0]);
    parameters[1] = bits([grid.first[0], grid.first[1], grid.zoom[0], grid.zoom[1]]);
    parameters[2] = bits([2.0 * depth - 1.0, lowest, highest, 0.0]);
    parameters[3] = [grid.width, 0, 0, 0];
    parameters[4] = bits(query::floats(0x0B04));
    parameters[5] = bits(query::floats(0x845F));
    parameters[6] = bits([distance, 0.0, 0.0, 0.0]);
    parameters[7] = bits([1.0 / grid.zoom[0], 1.0 / grid.zoom[1], 0.0, 0.0]);
    let sets = state.capabilities.texture_coordinates.min(SETS);
    reader::with_units((1 << sets) - 1, |set| {
        parameters[8 + set as usize] = bits(query::floats(0x0B06));
    });
    parameters
}

/// Returns true if colors of fragments are clamped: ARB_color_buffer_float section 3.6.4.
fn clamps_fragments(state: &State) -> bool {
    fixed::clamps(&state.capabilities, driver::constants::CLAMP_FRAGMENT_COLOR)
}

/// Driver state for polygons and positions, which does not affect fragments.
struct Saved {
    viewport: [f32; 4],
    depths: [f64; 2],
    modes: [i32; 2],
    front: i32,
    enabled: Vec<u32>,
}

/// `CULL_FACE`, `POLYGON_SMOOTH`, `POLYGON_STIPPLE`, `POLYGON_OFFSET_FILL`.
const OF_POLYGONS: [u32; 4] = [0x0B44, 0x0B41, 0x0B42, 0x8037];
const FRONT_AND_BACK: u32 = 0x0408;
const CCW: u32 = 0x0901;
const FILL: u32 = 0x1B02;

impl Saved {
    /// Sets state so that polygons are filled, and seen from the front.
    fn set(edge: u32, has_viewports: bool, is_ccw: bool) -> Self {
        let saved = Self {
            viewport: query::floats(0x0BA2),
            depths: query::doubles(0x0B70),
            modes: query::integers(0x0B40),
            front: query::integer(0x0B46),
            enabled: OF_POLYGONS
                .into_iter()
                .filter(|it| query::is_enabled(*it))
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

    fn restore(&self, has_viewports: bool) {
        self.enabled.iter().for_each(|it| driver::Enable(*it));
        driver::PolygonMode(0x0404, self.modes[0] as u32);
        driver::PolygonMode(0x0405, self.modes[1] as u32);
        driver::FrontFace(self.front as u32);
        set_viewport(self.viewport, self.depths, has_viewports);
    }
}

/// Sets the viewport; of several viewports the first one.
fn set_viewport([x, y, width, height]: [f32; 4], [near, far]: [f64; 2], has_viewports: bool) {
    if has_viewports {
        driver::ViewportIndexedf(0, x, y, width, height);
        driver::DepthRangeIndexed(0, near, far);
    } else {
        driver::Viewport(x as i32, y as i32, width as i32, height as i32);
        driver::DepthRange(near, far);
    }
}
