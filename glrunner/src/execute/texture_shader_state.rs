//! State of texture shader stages, set by the commands of NV_texture_shader and NV_texture_shader3.

use super::gl_features::{require_extension, select_texture_unit};
use crate::error::Problem;
use crate::gl::{self, Gl};
use glasm::fixed_function::ShaderOperation;
use glasm_scripts::script::TextureShaderUpdate;

/// Changes the state of a texture shader stage; its unit remains active. Skips scripts if the
/// driver lacks the extensions.
pub(super) fn apply_texture_shader_update(
    gl: &Gl,
    unit: usize,
    update: TextureShaderUpdate,
) -> Result<(), Problem> {
    require_extension(gl, "GL_NV_texture_shader")?;
    select_texture_unit(gl, unit as u32)?;
    let set_number =
        |name, value: u32| gl.TexEnvi(gl::TEXTURE_SHADER_NV, name, value.cast_signed());
    let set_vector = |name, vector| gl.texture_environment(gl::TEXTURE_SHADER_NV, name, vector);
    match update {
        TextureShaderUpdate::Operation(operation) => {
            require_operation(gl, operation)?;
            set_number(gl::SHADER_OPERATION_NV, operation.enumerant())?;
        }
        TextureShaderUpdate::PreviousInput(previous) => {
            let unit = gl::TEXTURE0 + u32::from(previous);
            set_number(gl::PREVIOUS_TEXTURE_INPUT_NV, unit)?;
        }
        TextureShaderUpdate::Mapping(mapping) => {
            let name = gl::RGBA_UNSIGNED_DOT_PRODUCT_MAPPING_NV;
            set_number(name, mapping.enumerant())?;
        }
        TextureShaderUpdate::CullModes(modes) => {
            let modes = modes.map(|mode| mode.enumerant() as f32);
            set_vector(gl::CULL_MODES_NV, modes)?;
        }
        TextureShaderUpdate::OffsetMatrix(matrix) => {
            set_vector(gl::OFFSET_TEXTURE_MATRIX_NV, matrix)?;
        }
        TextureShaderUpdate::OffsetScale(scale) => {
            set_vector(gl::OFFSET_TEXTURE_SCALE_NV, [scale, 0.0, 0.0, 0.0])?;
        }
        TextureShaderUpdate::OffsetBias(bias) => {
            set_vector(gl::OFFSET_TEXTURE_BIAS_NV, [bias, 0.0, 0.0, 0.0])?;
        }
        TextureShaderUpdate::ConstantEye([x, y, z]) => {
            set_vector(gl::CONST_EYE_NV, [x, y, z, 0.0])?;
        }
    }
    Ok(gl.check_errors("setting texture shaders")?)
}

/// Skips scripts with an operation of an extension that the driver lacks: the numbers from
/// `GL_OFFSET_PROJECTIVE_TEXTURE_2D_NV` on are those of NV_texture_shader3.
fn require_operation(gl: &Gl, operation: ShaderOperation) -> Result<(), Problem> {
    let number = operation.enumerant();
    let third = gl::OFFSET_PROJECTIVE_TEXTURE_2D_NV..=gl::DOT_PRODUCT_AFFINE_DEPTH_REPLACE_NV;
    if third.contains(&number) {
        require_extension(gl, "GL_NV_texture_shader3")
    } else if matches!(number, gl::TEXTURE_3D | gl::DOT_PRODUCT_TEXTURE_3D_NV) {
        require_extension(gl, "GL_NV_texture_shader2")
    } else {
        Ok(())
    }
}
