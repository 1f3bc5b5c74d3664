//! Matrices, lights, materials and the other state that programs read, and their parameters.
//!
//! Vectors always have four components here, which is the maximum that OpenGL reads or writes.

use super::context::Gl;
use crate::error::Error;

impl Gl {
    /// Replaces the current matrix (`glLoadMatrixf`); `columns` is in column-major order. Errors of
    /// OpenGL are not checked.
    pub(crate) fn load_matrix(&self, columns: &[[f32; 4]; 4]) -> Result<(), Error> {
        // SAFETY: OpenGL reads 16 numbers.
        unsafe { self.LoadMatrixf(columns.as_flattened().as_ptr()) }
    }

    /// Multiplies the current matrix from the right (`glMultMatrixf`); `columns` is in column-major
    /// order. Errors of OpenGL are not checked.
    pub(crate) fn multiply_matrix(&self, columns: &[[f32; 4]; 4]) -> Result<(), Error> {
        // SAFETY: OpenGL reads 16 numbers.
        unsafe { self.MultMatrixf(columns.as_flattened().as_ptr()) }
    }

    /// Sets a parameter of a light (`glLightfv`).
    pub(crate) fn light(&self, light: u32, name: u32, value: [f32; 4]) -> Result<(), Error> {
        // SAFETY: OpenGL reads at most 4 numbers.
        unsafe { self.Lightfv(light, name, value.as_ptr()) }
    }

    /// Sets a material property of one face or both (`glMaterialfv`).
    pub(crate) fn material(&self, face: u32, name: u32, value: [f32; 4]) -> Result<(), Error> {
        // SAFETY: OpenGL reads at most 4 numbers.
        unsafe { self.Materialfv(face, name, value.as_ptr()) }
    }

    /// Sets a parameter of the light model (`glLightModelfv`).
    pub(crate) fn light_model(&self, name: u32, value: [f32; 4]) -> Result<(), Error> {
        // SAFETY: OpenGL reads at most 4 numbers.
        unsafe { self.LightModelfv(name, value.as_ptr()) }
    }

    /// Sets a constant color of register combiners (`glCombinerParameterfvNV`).
    pub(crate) fn set_combiner_color(&self, name: u32, color: [f32; 4]) -> Result<(), Error> {
        // SAFETY: OpenGL reads 4 numbers.
        unsafe { self.CombinerParameterfvNV(name, color.as_ptr()) }
    }

    /// Sets a constant color of a general combiner stage (`glCombinerStageParameterfvNV`).
    pub(crate) fn set_combiner_stage_color(
        &self,
        stage: u32,
        name: u32,
        color: [f32; 4],
    ) -> Result<(), Error> {
        // SAFETY: OpenGL reads 4 numbers.
        unsafe { self.CombinerStageParameterfvNV(stage, name, color.as_ptr()) }
    }

    /// Sets a parameter of fog (`glFogfv`).
    pub(crate) fn fog(&self, name: u32, value: [f32; 4]) -> Result<(), Error> {
        // SAFETY: OpenGL reads at most 4 numbers.
        unsafe { self.Fogfv(name, value.as_ptr()) }
    }

    /// Sets a parameter of points (`glPointParameterfv`).
    pub(crate) fn point_parameter(&self, name: u32, value: [f32; 4]) -> Result<(), Error> {
        // SAFETY: OpenGL reads at most 3 numbers.
        unsafe { self.PointParameterfv(name, value.as_ptr()) }
    }

    /// Sets a texture environment parameter of the active texture unit (`glTexEnvfv`).
    pub(crate) fn texture_environment(
        &self,
        target: u32,
        name: u32,
        value: [f32; 4],
    ) -> Result<(), Error> {
        // SAFETY: OpenGL reads at most 4 numbers.
        unsafe { self.TexEnvfv(target, name, value.as_ptr()) }
    }

    /// Sets a parameter of texture coordinate generation of the active texture unit (`glTexGenfv`).
    pub(crate) fn texture_generation(
        &self,
        coord: u32,
        name: u32,
        value: [f32; 4],
    ) -> Result<(), Error> {
        // SAFETY: OpenGL reads at most 4 numbers.
        unsafe { self.TexGenfv(coord, name, value.as_ptr()) }
    }

    /// Sets the equation of a clip plane, which the modelview matrix transforms to eye space
    /// (`glClipPlane`).
    pub(crate) fn clip_plane(&self, plane: u32, equation: [f32; 4]) -> Result<(), Error> {
        let equation = equation.map(f64::from);
        // SAFETY: OpenGL reads 4 numbers.
        unsafe { self.ClipPlane(plane, equation.as_ptr()) }
    }

    /// Calls `glPolygonStipple` with 32 rows, the lowest first, whose first pixel is bit 31.
    pub(crate) fn polygon_stipple(&self, rows: &[u32; 32]) -> Result<(), Error> {
        let bytes: Vec<u8> = rows.iter().flat_map(|row| row.to_be_bytes()).collect();
        // SAFETY: OpenGL reads 128 bytes: rows are packed.
        unsafe { self.PolygonStipple(bytes.as_ptr()) }
    }

    /// Queries `glGetProgramivARB`: a limit of a program target, or a property of the program that
    /// is bound to it, other than its string.
    pub(crate) fn program_integer(&self, target: u32, name: u32) -> Result<i32, Error> {
        let mut value = 0;
        // SAFETY: OpenGL writes one number.
        unsafe { self.GetProgramivARB(target, name, &mut value) }?;
        self.check_errors("glGetProgramivARB")?;
        Ok(value)
    }

    /// Queries an environment parameter as floats (`glGetProgramEnvParameterfvARB`).
    pub(crate) fn env_parameter(&self, target: u32, index: u32) -> Result<[f32; 4], Error> {
        let mut value = [0.0; 4];
        // SAFETY: OpenGL writes 4 numbers.
        unsafe { self.GetProgramEnvParameterfvARB(target, index, value.as_mut_ptr()) }?;
        self.check_errors("glGetProgramEnvParameterfvARB")
            .map(|()| value)
    }

    /// Queries an environment parameter as signed integers (`glGetProgramEnvParameterIivNV`).
    pub(crate) fn env_parameter_int(&self, target: u32, index: u32) -> Result<[i32; 4], Error> {
        let mut value = [0; 4];
        // SAFETY: OpenGL writes 4 numbers.
        unsafe { self.GetProgramEnvParameterIivNV(target, index, value.as_mut_ptr()) }?;
        self.check_errors("glGetProgramEnvParameterIivNV")
            .map(|()| value)
    }

    /// Queries an environment parameter as unsigned integers (`glGetProgramEnvParameterIuivNV`).
    pub(crate) fn env_parameter_uint(&self, target: u32, index: u32) -> Result<[u32; 4], Error> {
        let mut value = [0; 4];
        // SAFETY: OpenGL writes 4 numbers.
        unsafe { self.GetProgramEnvParameterIuivNV(target, index, value.as_mut_ptr()) }?;
        self.check_errors("glGetProgramEnvParameterIuivNV")
            .map(|()| value)
    }

    /// Queries `glGetProgramLocalParameterfvARB` of the bound program.
    pub(crate) fn local_parameter(&self, target: u32, index: u32) -> Result<[f32; 4], Error> {
        let mut value = [0.0; 4];
        // SAFETY: OpenGL writes 4 numbers.
        unsafe { self.GetProgramLocalParameterfvARB(target, index, value.as_mut_ptr()) }?;
        self.check_errors("glGetProgramLocalParameterfvARB")
            .map(|()| value)
    }

    /// Queries `glGetProgramLocalParameterIivNV` of the bound program.
    pub(crate) fn local_parameter_int(&self, target: u32, index: u32) -> Result<[i32; 4], Error> {
        let mut value = [0; 4];
        // SAFETY: OpenGL writes 4 numbers.
        unsafe { self.GetProgramLocalParameterIivNV(target, index, value.as_mut_ptr()) }?;
        self.check_errors("glGetProgramLocalParameterIivNV")
            .map(|()| value)
    }

    /// Queries `glGetProgramLocalParameterIuivNV` of the bound program.
    pub(crate) fn local_parameter_uint(&self, target: u32, index: u32) -> Result<[u32; 4], Error> {
        let mut value = [0; 4];
        // SAFETY: OpenGL writes 4 numbers.
        unsafe { self.GetProgramLocalParameterIuivNV(target, index, value.as_mut_ptr()) }?;
        self.check_errors("glGetProgramLocalParameterIuivNV")
            .map(|()| value)
    }

    /// Calls `glProgramSubroutineParametersuivNV`: sets all subroutine parameters of the program
    /// that is bound to a target.
    pub(crate) fn set_subroutine_parameters(
        &self,
        target: u32,
        numbers: &[u32],
    ) -> Result<(), Error> {
        let count = i32::try_from(numbers.len()).map_err(|_| Error::Length {
            what: "subroutine parameters",
            length: numbers.len(),
            needed: i32::MAX as usize,
        })?;
        // SAFETY: OpenGL reads as many numbers as the slice has.
        unsafe { self.ProgramSubroutineParametersuivNV(target, count, numbers.as_ptr()) }?;
        self.check_errors("glProgramSubroutineParametersuivNV")
    }

    /// Queries `glGetProgramSubroutineParameteruivNV`.
    pub(crate) fn subroutine_parameter(&self, target: u32, index: u32) -> Result<u32, Error> {
        let mut number = 0;
        // SAFETY: OpenGL writes one number.
        unsafe { self.GetProgramSubroutineParameteruivNV(target, index, &mut number) }?;
        self.check_errors("glGetProgramSubroutineParameteruivNV")
            .map(|()| number)
    }
}

/// Queries of state for tests.
#[cfg(test)]
impl Gl {
    /// Queries `glGetLightfv`.
    pub(crate) fn get_light(&self, light: u32, name: u32) -> Result<[f32; 4], Error> {
        let mut value = [0.0; 4];
        // SAFETY: OpenGL writes at most 4 numbers.
        unsafe { self.GetLightfv(light, name, value.as_mut_ptr()) }?;
        self.check_errors("glGetLightfv").map(|()| value)
    }

    /// Queries `glGetMaterialfv`.
    pub(crate) fn get_material(&self, face: u32, name: u32) -> Result<[f32; 4], Error> {
        let mut value = [0.0; 4];
        // SAFETY: OpenGL writes at most 4 numbers.
        unsafe { self.GetMaterialfv(face, name, value.as_mut_ptr()) }?;
        self.check_errors("glGetMaterialfv").map(|()| value)
    }

    /// Queries `glGetTexEnvfv` for the active texture unit.
    pub(crate) fn get_texture_environment(
        &self,
        target: u32,
        name: u32,
    ) -> Result<[f32; 4], Error> {
        let mut value = [0.0; 4];
        // SAFETY: OpenGL writes at most 4 numbers.
        unsafe { self.GetTexEnvfv(target, name, value.as_mut_ptr()) }?;
        self.check_errors("glGetTexEnvfv").map(|()| value)
    }

    /// Queries `glGetTexGenfv` for the active texture unit.
    pub(crate) fn get_texture_generation(&self, coord: u32, name: u32) -> Result<[f32; 4], Error> {
        let mut value = [0.0; 4];
        // SAFETY: OpenGL writes at most 4 numbers.
        unsafe { self.GetTexGenfv(coord, name, value.as_mut_ptr()) }?;
        self.check_errors("glGetTexGenfv").map(|()| value)
    }

    /// Queries `glGetClipPlane`.
    pub(crate) fn get_clip_plane(&self, plane: u32) -> Result<[f64; 4], Error> {
        let mut equation = [0.0; 4];
        // SAFETY: OpenGL writes 4 numbers.
        unsafe { self.GetClipPlane(plane, equation.as_mut_ptr()) }?;
        self.check_errors("glGetClipPlane").map(|()| equation)
    }

    /// Queries `glIsEnabled`.
    pub(crate) fn is_enabled(&self, capability: u32) -> Result<bool, Error> {
        let enabled = self.IsEnabled(capability)? == super::TRUE;
        self.check_errors("glIsEnabled").map(|()| enabled)
    }
}
