//! Setters that correspond to GL commands.
//!
//! Indices must be valid in GL: lists grow up to the given index, so a caller first checks it
//! against its limits. GL transforms some values by the current modelview matrix when they are
//! specified: the setters of these values do the same. All other state is set through the fields;
//! the functions `..._mut` extend the lists.

use super::matrix::{self, IDENTITY, Matrix};
use super::{Color, GlState, Material, TexGen};
use glasm_ir::state::{Face, TexGenCoord};

impl GlState {
    /// Sets a light position as `glLight(GL_LIGHTn, GL_POSITION)`: an object space position, stored
    /// in eye space. GL 2.1 section 2.14.1.
    pub fn set_light_position(&mut self, n: u32, position: [f32; 4]) {
        self.light_mut(n).position = matrix::transform(&self.get_current_modelview(), position);
    }

    /// Sets a spot direction as `glLight(GL_LIGHTn, GL_SPOT_DIRECTION)`: an object space direction,
    /// transformed by the upper left 3x3 part of the modelview matrix and not normalized. GL 2.1
    /// section 2.14.1.
    pub fn set_light_spot_direction(&mut self, n: u32, [x, y, z]: [f32; 3]) {
        // A direction is not translated: w 0 omits the translation of the matrix.
        let [x, y, z, _] = matrix::transform(&self.get_current_modelview(), [x, y, z, 0.0]);
        self.light_mut(n).spot_direction = [x, y, z];
    }

    /// Sets a clip plane as `glClipPlane(GL_CLIP_PLANEn)`: an object space plane, stored in eye
    /// space. GL 2.1 section 2.12.
    pub fn set_clip_plane(&mut self, n: u32, plane: [f32; 4]) {
        let plane = matrix::transform_plane(&self.get_current_modelview(), plane);
        *get_or_grow(&mut self.clip_planes, n, [0.0; 4]) = plane;
    }

    /// Sets an eye plane as `glTexGen(COORD, GL_EYE_PLANE)`: an object space plane, stored in eye
    /// space. GL 2.1 section 2.11.4.
    pub fn set_texgen_eye_plane(&mut self, set: u32, coord: TexGenCoord, plane: [f32; 4]) {
        let plane = matrix::transform_plane(&self.get_current_modelview(), plane);
        self.texgen_mut(set).eye[coord as usize] = plane;
    }

    /// Returns a mutable reference to modelview matrix `n`.
    pub fn modelview_mut(&mut self, n: u32) -> &mut Matrix {
        get_or_grow(&mut self.modelview, n, IDENTITY)
    }

    /// Returns a mutable reference to the texture matrix of coordinate set `n`.
    pub fn texture_mut(&mut self, n: u32) -> &mut Matrix {
        get_or_grow(&mut self.texture, n, IDENTITY)
    }

    /// Returns a mutable reference to entry `n` of the matrix palette.
    pub fn palette_mut(&mut self, n: u32) -> &mut Matrix {
        get_or_grow(&mut self.palette, n, IDENTITY)
    }

    /// Returns a mutable reference to program matrix `n`.
    pub fn program_mut(&mut self, n: u32) -> &mut Matrix {
        get_or_grow(&mut self.program, n, IDENTITY)
    }

    /// Returns a mutable reference to the material of a face.
    pub fn material_mut(&mut self, face: Face) -> &mut Material {
        &mut self.materials[face as usize]
    }

    /// Returns a mutable reference to the texture coordinate generation of coordinate set `n`.
    pub fn texgen_mut(&mut self, n: u32) -> &mut TexGen {
        get_or_grow(&mut self.texgen, n, TexGen::default())
    }

    /// Returns a mutable reference to the texture environment color of unit `n`.
    pub fn texenv_color_mut(&mut self, n: u32) -> &mut Color {
        get_or_grow(&mut self.texenv_color, n, [0.0; 4])
    }

    /// Returns modelview matrix 0, by which GL transforms specified values.
    fn get_current_modelview(&self) -> Matrix {
        self.modelview.first().copied().unwrap_or(IDENTITY)
    }
}

/// Returns a mutable reference to element `n`; extends the list with initial values.
pub(super) fn get_or_grow<T: Copy>(list: &mut Vec<T>, n: u32, initial: T) -> &mut T {
    let n = n as usize;
    if list.len() <= n {
        list.resize(n + 1, initial);
    }
    &mut list[n]
}
