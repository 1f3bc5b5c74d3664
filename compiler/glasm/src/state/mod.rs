//! GL state and the parameters that programs read from it (`state.*`).
//!
//! A caller fills [`GlState`] as the application set it and asks [`GlState::evaluate`] for each parameter of the reflection.
//! ARB_vertex_program section 2.14.3.3, ARB_fragment_program section 3.11.3.3.

mod evaluate;
pub mod matrix;

use glasm_ir::state::Face;
pub use matrix::Matrix;

/// Color of four components.
pub type Color = [f32; 4];

const BLACK: Color = [0.0, 0.0, 0.0, 1.0];

/// The GL state that `state.*` parameters read. The default is GL's initial state; vectors are as long as what was set, and
/// what lies past their end has its initial value.
#[derive(Clone, PartialEq, Debug)]
pub struct GlState {
    /// Modelview matrices.
    pub modelview: Vec<Matrix>,
    /// Projection matrix.
    pub projection: Matrix,
    /// Texture matrices by coordinate set.
    pub texture: Vec<Matrix>,
    /// Matrix palette.
    pub palette: Vec<Matrix>,
    /// Program matrices.
    pub program: Vec<Matrix>,
    /// Materials, front and back.
    pub materials: [Material; 2],
    /// Lights.
    pub lights: Vec<Light>,
    /// Ambient color of the light model.
    pub light_model_ambient: Color,
    /// Texture coordinate generation by coordinate set.
    pub texgen: Vec<TexGen>,
    /// Texture environment colors by unit.
    pub texenv_color: Vec<Color>,
    /// Fog.
    pub fog: Fog,
    /// Clip planes in eye space.
    pub clip_planes: Vec<[f32; 4]>,
    /// Points.
    pub point: Point,
    /// Near and far end of the depth range.
    pub depth_range: [f32; 2],
}

/// Material of one face.
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

/// A light. Position and spot direction are in eye space, as GL keeps them.
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
    /// Spot exponent.
    pub spot_exponent: f32,
    /// Spot cutoff in degrees; 180 for lights that are no spots.
    pub spot_cutoff: f32,
}

/// Planes of texture coordinate generation, for s, t, r, q.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TexGen {
    /// Eye planes, transformed as GL keeps them.
    pub eye: [[f32; 4]; 4],
    /// Object planes.
    pub object: [[f32; 4]; 4],
}

/// Fog.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fog {
    /// Color.
    pub color: Color,
    /// Density.
    pub density: f32,
    /// Start of linear fog.
    pub start: f32,
    /// End of linear fog.
    pub end: f32,
}

/// Point parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// Size.
    pub size: f32,
    /// Smallest size.
    pub min: f32,
    /// Largest size.
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
            materials: [Material::default(); 2],
            lights: Vec::new(),
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
    /// Lights other than light 0.
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
    /// The light `n`.
    pub fn light(&self, n: u32) -> Light {
        self.lights
            .get(n as usize)
            .copied()
            .unwrap_or_else(|| Self::initial_light(n))
    }

    /// The light `n` for changing; adds initial lights up to it.
    pub fn light_mut(&mut self, n: u32) -> &mut Light {
        while self.lights.len() <= n as usize {
            self.lights
                .push(Self::initial_light(self.lights.len() as u32));
        }
        &mut self.lights[n as usize]
    }

    /// The material of a face.
    pub fn material(&self, face: Face) -> &Material {
        &self.materials[face as usize]
    }

    /// Light 0 is white at first, the others black.
    fn initial_light(n: u32) -> Light {
        let color = if n == 0 { [1.0; 4] } else { BLACK };
        Light {
            diffuse: color,
            specular: color,
            ..Light::default()
        }
    }
}
