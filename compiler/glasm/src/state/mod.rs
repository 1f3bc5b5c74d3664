//! GL state and the parameters that programs read from it (`state.*`).
//!
//! A caller updates a [`GlState`] as the application sets state, and calls [`GlState::evaluate`]
//! for each parameter of the [`ParamBlock`](crate::reflect::ParamBlock) that a program's reflection
//! describes. Derived values (inverses, products, half vectors) are computed there. Parameters of
//! vertex programs can track matrices instead, see [`GlState::track_matrix`].
//! [`ConventionalAttribute`] maps `glNormal` and similar commands to generic attributes.
//! NV_gpu_program4 section 2.X.3.3; ARB_vertex_program section 2.14.3.2; ARB_fragment_program
//! section 3.11.3.2.
//!
//! ```
//! use glasm::ParamSource;
//! use glasm::state::{GlState, matrix};
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
//! // The bytes for the parameter buffer, 16 for each slot.
//! let block = shader.reflection.params.expect("the program reads parameters");
//! let mut bytes = Vec::new();
//! for slot in &block.slots {
//!     let words = match slot {
//!         ParamSource::State(param) => state.evaluate(*param).map(f32::to_bits),
//!         ParamSource::Literal(words) => *words,
//!         ParamSource::Env(_)
//!         | ParamSource::Local(_)
//!         | ParamSource::Subroutine(_)
//!         | ParamSource::Named(_)
//!         | ParamSource::Argument => unreachable!("the program has none"),
//!     };
//!     bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
//! }
//! assert_eq!(bytes.len(), 16 * block.slots.len());
//!
//! // Light 0 times the initial material, (0.8, 0.8, 0.8, 1), whose alpha counts.
//! let diffuse = block.slots.iter().find_map(|slot| match slot {
//!     ParamSource::State(param @ glasm::state::StateParam::LightProduct(..)) => Some(state.evaluate(*param)),
//!     _ => None,
//! });
//! assert_eq!(diffuse, Some([0.8, 0.4, 0.2, 1.0]));
//! ```

mod conventional_attributes;
mod evaluate;
pub mod matrix;
mod multisample;
mod setters;
mod tracking;

pub use conventional_attributes::ConventionalAttribute;
pub use glasm_ir::StateParam;
pub use glasm_ir::state::{ColorTerm, Face, MatrixForm, MatrixName, TexGenCoord, TexGenPlane};
pub use matrix::Matrix;
pub use multisample::Multisample;
pub use tracking::{TrackedMatrix, Tracking};

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
    /// Matrices that vertex program parameters track, by sets of four. NV_vertex_program section
    /// 2.14.5.
    pub tracked: Vec<Option<Tracking>>,
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
    pub threads: Threads,
    /// Samples of the framebuffer.
    pub multisample: Multisample,
}

/// Properties of the device that `state.thread.*` returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threads {
    /// Invocations of a thread group, at most 32.
    pub warp_size: u32,
    /// Thread groups that a processor runs concurrently.
    pub warps_per_sm: u32,
    /// Number of processors.
    pub sm_count: u32,
}

impl Default for Threads {
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
    /// Spot cutoff in degrees; 180 for lights that are no spots.
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
            projection: matrix::IDENTITY,
            texture: Vec::new(),
            palette: Vec::new(),
            program: Vec::new(),
            color: matrix::IDENTITY,
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
            threads: Threads::default(),
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
    /// Returns the light `n`: GL 2.1 section 2.14.1.
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

    /// Returns the initial state of a light: light 0 is white, the others are black.
    fn make_initial_light(n: u32) -> Light {
        let color = if n == 0 { [1.0; 4] } else { BLACK };
        Light {
            diffuse: color,
            specular: color,
            ..Light::default()
        }
    }
}

#[cfg(test)]
mod tests;
