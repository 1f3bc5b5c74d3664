//! GL state and the parameters that programs read from it (`state.*`).
//!
//! A caller updates a [`GlState`] as the application sets state, and calls
//! [`Shader::fill_parameter_block`](crate::Shader::fill_parameter_block) for the parameters that a
//! module reads, with the [`ParameterValues`] of the application. [`StateChanges`] finds out
//! whether a block must be filled again. [`GlState::evaluate_param`] returns a single parameter of
//! a [`ParamBlock`](crate::reflect::ParamBlock). Derived values (inverses, products, half vectors) are
//! computed there. Parameters of vertex programs can track matrices instead, see
//! [`GlState::track_matrix`]. [`ConventionalAttribute`] maps `glNormal` and similar commands to
//! generic attributes. NV_gpu_program4 section 2.X.3.3; ARB_vertex_program section 2.14.3.2;
//! ARB_fragment_program section 3.11.3.2.
//!
//! Setters correspond to GL commands. Their indices must be valid in GL: lists grow up to the given
//! index, so a caller first checks it against its limits. GL transforms some values by the current
//! modelview matrix when they are specified: the setters of these values do the same. All other
//! state is set through the fields; the functions `..._mut` extend the lists.
//!
//! ```
//! use glasm::state::{GlState, ParameterValues, matrix};
//! use glasm::{Options, Source, compile};
//!
//! let source = Source::new("lit.vp", "!!NVvp5.0
//!     PARAM mvp[] = { state.matrix.mvp };
//!     PARAM direction = state.light[0].position;
//!     TEMP lit;
//!     DP4 result.position.x, mvp[0], vertex.position;
//!     DP4 result.position.y, mvp[1], vertex.position;
//!     DP4 result.position.z, mvp[2], vertex.position;
//!     DP4 result.position.w, mvp[3], vertex.position;
//!     DP3 lit, direction, vertex.normal;
//!     MUL result.color, lit, state.lightprod[0].diffuse;
//!     END");
//! let shader = compile(&source, &Options::default()).unwrap_or_else(|errors| panic!("{}", errors.render(&source)));
//!
//! // What the application sets: the camera first, because GL transforms a light's position when it is specified.
//! let mut state = GlState::default();
//! state.projection = matrix::perspective(60.0, 4.0 / 3.0, 0.1, 100.0);
//! *state.modelview_mut(0) = matrix::look_at([0.0, 0.0, 5.0], [0.0; 3], [0.0, 1.0, 0.0]);
//! state.set_light_position(0, [0.0, 0.0, 1.0, 0.0]);
//! state.light_mut(0).diffuse = [1.0, 0.5, 0.25, 1.0];
//!
//! // The contents of the parameter buffer.
//! let values = ParameterValues::default();
//! let mut block = vec![0; shader.parameter_block_size()];
//! shader.fill_parameter_block(&state, &values, &mut block)?;
//!
//! // Light 0 times the initial material, (0.8, 0.8, 0.8, 1), whose alpha counts.
//! let list = shader.list_parameters(&state, &values);
//! let diffuse = list.iter().find(|it| it.source.to_string() == "state.lightprod[0].front.diffuse");
//! assert_eq!(diffuse.map(|it| it.value), Some([0.8, 0.4, 0.2, 1.0]));
//! # Ok::<(), glasm::state::ShortBlock>(())
//! ```

mod bits;
mod evaluate;
mod groups;
pub mod matrix;
mod matrix_commands;
mod matrix_stack;
#[cfg(test)]
mod tests;
mod tracking;
mod values;

pub use glasm_ir::StateParam;
pub use glasm_ir::state::{ColorTerm, Face, MatrixForm, MatrixName, TexGenCoord, TexGenPlane};
pub use groups::{StateChanges, StateGroups};
pub use matrix::Matrix;
pub use matrix_stack::{MAX_MATRIX_STACK_DEPTH, MatrixError, MatrixMode, MatrixStacks};
pub use tracking::{MatrixTracking, TrackedMatrix};
pub use values::{ParameterValue, ParameterValues, ShortBlock};

use glasm_ir::sample_locations::get_standard_locations;
use matrix::IDENTITY;

/// Color of four components.
pub type Color = [f32; 4];

const BLACK: Color = [0.0, 0.0, 0.0, 1.0];

/// The GL state that `state.*` parameters read. The default is GL's initial state (the tables of GL
/// 2.1 section 6.2). Lists end after the last element that was set; elements past the end have
/// their initial values. Values are used unchanged: the caller enforces the ranges that GL requires
/// when they are set.
#[derive(Clone, PartialEq, Debug)]
pub struct GlState {
    /// Modelview matrices: 0 is GL's, others are those of ARB_vertex_blend.
    pub modelview: Vec<Matrix>,
    /// Projection matrix. GL 2.1 section 2.11.2.
    pub projection: Matrix,
    /// Texture matrices by coordinate set. GL 2.1 section 2.11.2.
    pub texture: Vec<Matrix>,
    /// Matrix palette of ARB_matrix_palette.
    pub palette: Vec<Matrix>,
    /// Program matrices. ARB_vertex_program section 2.10.2.
    pub program: Vec<Matrix>,
    /// Color matrix (ARB_imaging), which no `state.*` parameter reads but parameters can track.
    pub color: Matrix,
    /// Matrices that [`GlState::push_matrix`] has saved.
    pub matrix_stacks: MatrixStacks,
    /// Matrices that vertex program parameters track, by sets of four. NV_vertex_program section
    /// 2.14.5.
    pub tracked: Vec<Option<MatrixTracking>>,
    /// Materials, front and back: index [`Face`].
    pub materials: [Material; 2],
    /// Lights.
    pub lights: Vec<Light>,
    /// Ambient color of the light model. GL 2.1 section 2.14.1.
    pub light_model_ambient: Color,
    /// Texture coordinate generation by coordinate set. GL 2.1 section 2.11.4.
    pub texgen: Vec<TexGen>,
    /// Texture environment colors by unit. GL 2.1 section 3.8.13.
    pub texenv_color: Vec<Color>,
    /// Fog.
    pub fog: Fog,
    /// Clip planes in eye space, as [`GlState::set_clip_plane`] stores them.
    pub clip_planes: Vec<[f32; 4]>,
    /// Points.
    pub point: Point,
    /// Near and far end of the depth range. GL 2.1 section 2.11.1.
    pub depth_range: [f32; 2],
    /// DEPTH_CLAMP: depths of fragments are clamped to the range. NV_depth_clamp.
    pub depth_clamp: bool,
    /// The viewport: x, y, width, height. GL 2.1 section 2.11.1.
    pub viewport: [f32; 4],
    /// Height of the window, if row 0 of the render target is the lowest one, as in GL; `None` if
    /// it is the top one.
    pub lower_left_height: Option<f32>,
    /// Height of the window, for programs that count its rows from the bottom regardless of the
    /// order of rows.
    pub window_height: f32,
    /// Thread groups of the device.
    pub threads: ThreadGroupLimits,
    /// Samples of the framebuffer.
    pub multisample: Multisample,
}

/// Properties of the device that `state.thread.*` returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadGroupLimits {
    /// Invocations of a thread group, at most 32.
    pub warp_size: u32,
    /// Thread groups that a processor runs concurrently.
    pub warps_per_sm: u32,
    /// Number of processors.
    pub sm_count: u32,
}

impl Default for ThreadGroupLimits {
    fn default() -> Self {
        Self {
            warp_size: 32,
            warps_per_sm: 1,
            sm_count: 1,
        }
    }
}

/// Material of one face. GL 2.1 section 2.14.1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Material {
    /// Ambient color.
    pub ambient: Color,
    /// Diffuse color.
    pub diffuse: Color,
    /// Specular color.
    pub specular: Color,
    /// Emissive color.
    pub emission: Color,
    /// Specular exponent.
    pub shininess: f32,
}

/// A light. Position and spot direction are in eye space, as [`GlState::set_light_position`] and
/// [`GlState::set_light_spot_direction`] leave them. GL 2.1 section 2.14.1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Light {
    /// Ambient color.
    pub ambient: Color,
    /// Diffuse color.
    pub diffuse: Color,
    /// Specular color.
    pub specular: Color,
    /// Position; w 0 for infinite lights.
    pub position: [f32; 4],
    /// Constant, linear and quadratic attenuation.
    pub attenuation: [f32; 3],
    /// Spot direction.
    pub spot_direction: [f32; 3],
    /// Spot exponent, 0 to 128.
    pub spot_exponent: f32,
    /// Spot cutoff in degrees; 180 for lights that are not spots.
    pub spot_cutoff: f32,
}

/// Planes of texture coordinate generation, for s, t, r, q. GL 2.1 section 2.11.4.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TexGen {
    /// Eye planes in eye space, as [`GlState::set_texgen_eye_plane`] leaves them.
    pub eye: [[f32; 4]; 4],
    /// Object planes.
    pub object: [[f32; 4]; 4],
}

/// Fog. GL 2.1 section 3.10.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fog {
    /// Color.
    pub color: Color,
    /// Density.
    pub density: f32,
    /// Start of linear fog.
    pub start: f32,
    /// End of linear fog. If it is the start, the fourth component of `state.fog.params` is
    /// infinite.
    pub end: f32,
}

/// Point parameters. GL 2.1 section 3.3.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// Size.
    pub size: f32,
    /// Smallest size.
    pub min: f32,
    /// Largest size; GL leaves its initial value to the implementation.
    pub max: f32,
    /// Fade threshold.
    pub fade_threshold: f32,
    /// Constant, linear and quadratic attenuation.
    pub attenuation: [f32; 3],
}

impl Default for GlState {
    fn default() -> Self {
        Self {
            modelview: Vec::new(),
            projection: IDENTITY,
            texture: Vec::new(),
            palette: Vec::new(),
            program: Vec::new(),
            color: IDENTITY,
            matrix_stacks: MatrixStacks::default(),
            tracked: Vec::new(),
            materials: [Material::default(); 2],
            lights: Vec::new(),
            // The values of the summary of lighting parameters in GL 2.1 section 2.14.1, like the
            // materials and lights below.
            light_model_ambient: [0.2, 0.2, 0.2, 1.0],
            texgen: Vec::new(),
            texenv_color: Vec::new(),
            fog: Fog {
                color: [0.0; 4],
                density: 1.0,
                start: 0.0,
                end: 1.0,
            },
            clip_planes: Vec::new(),
            point: Point {
                size: 1.0,
                min: 0.0,
                max: 1024.0,
                fade_threshold: 1.0,
                attenuation: [1.0, 0.0, 0.0],
            },
            depth_range: [0.0, 1.0],
            viewport: [0.0; 4],
            depth_clamp: false,
            lower_left_height: None,
            window_height: 0.0,
            threads: ThreadGroupLimits::default(),
            multisample: Multisample::default(),
        }
    }
}

impl Default for Material {
    fn default() -> Self {
        Self {
            ambient: [0.2, 0.2, 0.2, 1.0],
            diffuse: [0.8, 0.8, 0.8, 1.0],
            specular: BLACK,
            emission: BLACK,
            shininess: 0.0,
        }
    }
}

impl Default for Light {
    /// Returns a light other than light 0.
    fn default() -> Self {
        Self {
            ambient: BLACK,
            diffuse: BLACK,
            specular: BLACK,
            position: [0.0, 0.0, 1.0, 0.0],
            attenuation: [1.0, 0.0, 0.0],
            spot_direction: [0.0, 0.0, -1.0],
            spot_exponent: 0.0,
            spot_cutoff: 180.0,
        }
    }
}

// GL 2.1 section 2.11.4: the planes of s and t are those of x and y, those of r and q are zero.
impl Default for TexGen {
    fn default() -> Self {
        let planes = [
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0; 4],
            [0.0; 4],
        ];
        Self {
            eye: planes,
            object: planes,
        }
    }
}

impl GlState {
    /// Returns the light `n`; its initial state if it was never set. GL 2.1 section 2.14.1.
    pub fn light(&self, n: u32) -> Light {
        self.lights
            .get(n as usize)
            .copied()
            .unwrap_or_else(|| Self::make_initial_light(n))
    }

    /// Returns the light `n` for changing; adds initial lights up to it. GL 2.1 section 2.14.1.
    pub fn light_mut(&mut self, n: u32) -> &mut Light {
        while self.lights.len() <= n as usize {
            self.lights
                .push(Self::make_initial_light(self.lights.len() as u32));
        }
        &mut self.lights[n as usize]
    }

    /// Returns the material of a face.
    pub fn material(&self, face: Face) -> &Material {
        &self.materials[face as usize]
    }

    /// Returns the initial state of a light: diffuse and specular color of light 0 are white, those
    /// of the others black.
    fn make_initial_light(n: u32) -> Light {
        let color = if n == 0 { [1.0; 4] } else { BLACK };
        Light {
            diffuse: color,
            specular: color,
            ..Light::default()
        }
    }
}

impl GlState {
    /// Sets a light position as `glLight(GL_LIGHTn, GL_POSITION)`: an object space position, stored
    /// in eye space. Adds initial lights up to `n`. GL 2.1 section 2.14.1.
    pub fn set_light_position(&mut self, n: u32, position: [f32; 4]) {
        self.light_mut(n).position = matrix::transform(&self.get_current_modelview(), position);
    }

    /// Sets a spot direction as `glLight(GL_LIGHTn, GL_SPOT_DIRECTION)`: an object space direction,
    /// transformed by the upper left 3x3 part of the current modelview matrix and not normalized.
    /// Adds initial lights up to `n`. GL 2.1 section 2.14.1.
    pub fn set_light_spot_direction(&mut self, n: u32, [x, y, z]: [f32; 3]) {
        // A direction is not translated: w 0 omits the translation of the matrix.
        let [x, y, z, _] = matrix::transform(&self.get_current_modelview(), [x, y, z, 0.0]);
        self.light_mut(n).spot_direction = [x, y, z];
    }

    /// Sets a clip plane as `glClipPlane(GL_CLIP_PLANEn)`: an object space plane, stored in eye
    /// space by the current modelview matrix. Planes before `n` that do not exist yet are added as
    /// zeros. GL 2.1 section 2.12.
    pub fn set_clip_plane(&mut self, n: u32, plane: [f32; 4]) {
        let plane = matrix::transform_plane(&self.get_current_modelview(), plane);
        *get_or_grow(&mut self.clip_planes, n, [0.0; 4]) = plane;
    }

    /// Sets an eye plane as `glTexGen(COORD, GL_EYE_PLANE)`: an object space plane, stored in eye
    /// space by the current modelview matrix. Coordinate sets up to `set` that do not exist yet are
    /// added in their initial state. GL 2.1 section 2.11.4.
    pub fn set_texgen_eye_plane(&mut self, set: u32, coord: TexGenCoord, plane: [f32; 4]) {
        let plane = matrix::transform_plane(&self.get_current_modelview(), plane);
        self.texgen_mut(set).eye[coord as usize] = plane;
    }

    /// Returns a mutable reference to modelview matrix `n`. Matrices up to `n` that do not exist
    /// yet are added as identity matrices.
    pub fn modelview_mut(&mut self, n: u32) -> &mut Matrix {
        get_or_grow(&mut self.modelview, n, IDENTITY)
    }

    /// Returns a mutable reference to the texture matrix of coordinate set `n`. Matrices up to `n`
    /// that do not exist yet are added as identity matrices.
    pub fn texture_mut(&mut self, n: u32) -> &mut Matrix {
        get_or_grow(&mut self.texture, n, IDENTITY)
    }

    /// Returns a mutable reference to entry `n` of the matrix palette. Entries up to `n` that do
    /// not exist yet are added as identity matrices.
    pub fn palette_mut(&mut self, n: u32) -> &mut Matrix {
        get_or_grow(&mut self.palette, n, IDENTITY)
    }

    /// Returns a mutable reference to program matrix `n`. Matrices up to `n` that do not exist yet
    /// are added as identity matrices.
    pub fn program_mut(&mut self, n: u32) -> &mut Matrix {
        get_or_grow(&mut self.program, n, IDENTITY)
    }

    /// Returns a mutable reference to the material of a face.
    pub fn material_mut(&mut self, face: Face) -> &mut Material {
        &mut self.materials[face as usize]
    }

    /// Returns a mutable reference to the texture coordinate generation of coordinate set `n`. Sets
    /// up to `n` that do not exist yet are added in their initial state.
    pub fn texgen_mut(&mut self, n: u32) -> &mut TexGen {
        get_or_grow(&mut self.texgen, n, TexGen::default())
    }

    /// Returns a mutable reference to the texture environment color of unit `n`. Colors up to `n`
    /// that do not exist yet are added as (0, 0, 0, 0).
    pub fn texenv_color_mut(&mut self, n: u32) -> &mut Color {
        get_or_grow(&mut self.texenv_color, n, [0.0; 4])
    }

    /// Returns modelview matrix 0, by which GL transforms specified values.
    fn get_current_modelview(&self) -> Matrix {
        self.modelview.first().copied().unwrap_or(IDENTITY)
    }
}

/// Returns a mutable reference to element `n`; extends the list with copies of `initial` up to it.
pub(super) fn get_or_grow<T: Copy>(list: &mut Vec<T>, n: u32, initial: T) -> &mut T {
    let n = n as usize;
    if list.len() <= n {
        list.resize(n + 1, initial);
    }
    &mut list[n]
}

/// The samples of a pixel.
#[derive(Clone, PartialEq, Debug)]
pub struct Multisample {
    /// Number of samples; 1 without multisampling.
    pub samples: u32,
    /// Locations in the pixel, x and y from 0 to 1, y in the direction of the y of window
    /// positions. Samples past the end of the list are in the middle.
    pub locations: Vec<[f32; 2]>,
}

impl Default for Multisample {
    fn default() -> Self {
        Self::with_standard_locations(1)
    }
}

impl Multisample {
    /// Returns the standard sample locations of Vulkan (section 25.5); other counts than 1, 2, 4, 8
    /// and 16 have all samples in the middle.
    pub fn with_standard_locations(samples: u32) -> Self {
        // A single sample is in the middle without a list, too.
        let locations = match samples {
            1 => &[],
            _ => get_standard_locations(samples),
        };
        let positions = locations
            .iter()
            .map(|place| place.map(|sixteenths| f32::from(sixteenths) / 16.0));
        Self {
            samples,
            locations: positions.collect(),
        }
    }

    /// Returns the location of sample `n` in its pixel, from 0 to 1; the middle if it has none.
    pub fn get_location(&self, n: u32) -> [f32; 2] {
        let found = self.locations.get(n as usize);
        found.copied().unwrap_or([0.5; 2])
    }
}

/// An attribute that conventional commands set. GL stores each in one of the 16 generic attributes
/// of vertex programs: `glNormal` and `glVertexAttribNV(2, ...)` set the same value, in calls, in
/// arrays and in display lists. NV_vertex_program section 2.14.1.6, table X.2. Components that a
/// command does not set have the defaults of `glVertexAttrib`: 0, 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConventionalAttribute {
    /// `glVertex`, which also ends the vertex.
    Position,
    /// `glVertexWeightEXT`, and the first weight of `glWeightARB`.
    Weight,
    /// `glNormal`
    Normal,
    /// `glColor`
    Color,
    /// `glSecondaryColor`
    SecondaryColor,
    /// `glFogCoord`
    FogCoord,
    /// `glMultiTexCoord` of texture unit 0 to 7; `glTexCoord` sets unit 0.
    TexCoord(u8),
}

impl ConventionalAttribute {
    /// Returns the index of the attribute, which is its location in modules. `None` for texture
    /// units without an attribute.
    pub const fn index(self) -> Option<u32> {
        Some(match self {
            Self::Position => 0,
            Self::Weight => 1,
            Self::Normal => 2,
            Self::Color => 3,
            Self::SecondaryColor => 4,
            Self::FogCoord => 5,
            Self::TexCoord(unit) if unit < 8 => 8 + unit as u32,
            Self::TexCoord(_) => return None,
        })
    }

    /// Returns the conventional attribute with an index; `None` for 6, 7 and those past 15, which
    /// only generic commands set.
    pub const fn from_index(index: u32) -> Option<Self> {
        Some(match index {
            0 => Self::Position,
            1 => Self::Weight,
            2 => Self::Normal,
            3 => Self::Color,
            4 => Self::SecondaryColor,
            5 => Self::FogCoord,
            8..=15 => Self::TexCoord(index as u8 - 8),
            _ => return None,
        })
    }
}
