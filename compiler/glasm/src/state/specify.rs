//! Setting state as GL's commands do.
//!
//! Numbers are those that GL allows: lists grow up to the number that is asked for, so a caller checks it against its limits first.
//! GL transforms some values by the modelview matrix of the moment at which they are specified: these have functions that do the
//! same. All other state is set through the fields, for which the functions `..._mut` make room.

use super::matrix::{self, IDENTITY, Matrix};
use super::{Color, GlState, Material, TexGen};
use glasm_ir::state::{Face, TexGenCoord};

impl GlState {
    /// `glLight(GL_LIGHTn, GL_POSITION)`: an object space position, kept in eye space. GL 2.1 section 2.14.1.
    pub fn set_light_position(&mut self, n: u32, position: [f32; 4]) {
        self.light_mut(n).position = matrix::transform(&self.current_modelview(), position);
    }

    /// `glLight(GL_LIGHTn, GL_SPOT_DIRECTION)`: an object space direction, turned by the upper left 3x3 part of the modelview matrix;
    /// its length stays what it becomes. GL 2.1 section 2.14.1.
    pub fn set_light_spot_direction(&mut self, n: u32, [x, y, z]: [f32; 3]) {
        // A direction is not moved: with w 0 the translation of the matrix is left out.
        let [x, y, z, _] = matrix::transform(&self.current_modelview(), [x, y, z, 0.0]);
        self.light_mut(n).spot_direction = [x, y, z];
    }

    /// `glClipPlane(GL_CLIP_PLANEn)`: an object space plane, kept in eye space. GL 2.1 section 2.12.
    pub fn set_clip_plane(&mut self, n: u32, plane: [f32; 4]) {
        let plane = matrix::transform_plane(&self.current_modelview(), plane);
        *element(&mut self.clip_planes, n, [0.0; 4]) = plane;
    }

    /// `glTexGen(COORD, GL_EYE_PLANE)`: an object space plane, kept in eye space. GL 2.1 section 2.11.4.
    pub fn set_texgen_eye_plane(&mut self, set: u32, coord: TexGenCoord, plane: [f32; 4]) {
        let plane = matrix::transform_plane(&self.current_modelview(), plane);
        self.texgen_mut(set).eye[coord as usize] = plane;
    }

    /// The modelview matrix `n` for changing.
    pub fn modelview_mut(&mut self, n: u32) -> &mut Matrix {
        element(&mut self.modelview, n, IDENTITY)
    }

    /// The texture matrix of coordinate set `n` for changing.
    pub fn texture_mut(&mut self, n: u32) -> &mut Matrix {
        element(&mut self.texture, n, IDENTITY)
    }

    /// The entry `n` of the matrix palette for changing.
    pub fn palette_mut(&mut self, n: u32) -> &mut Matrix {
        element(&mut self.palette, n, IDENTITY)
    }

    /// The program matrix `n` for changing.
    pub fn program_mut(&mut self, n: u32) -> &mut Matrix {
        element(&mut self.program, n, IDENTITY)
    }

    /// The material of a face for changing.
    pub fn material_mut(&mut self, face: Face) -> &mut Material {
        &mut self.materials[face as usize]
    }

    /// Texture coordinate generation of coordinate set `n` for changing.
    pub fn texgen_mut(&mut self, n: u32) -> &mut TexGen {
        element(&mut self.texgen, n, TexGen::default())
    }

    /// The texture environment color of unit `n` for changing.
    pub fn texenv_color_mut(&mut self, n: u32) -> &mut Color {
        element(&mut self.texenv_color, n, [0.0; 4])
    }

    /// Modelview matrix 0, by which GL transforms what is specified.
    fn current_modelview(&self) -> Matrix {
        self.modelview.first().copied().unwrap_or(IDENTITY)
    }
}

/// Element `n`; the list grows with initial values.
pub(super) fn element<T: Copy>(list: &mut Vec<T>, n: u32, initial: T) -> &mut T {
    let n = n as usize;
    if list.len() <= n {
        list.resize(n + 1, initial);
    }
    &mut list[n]
}
