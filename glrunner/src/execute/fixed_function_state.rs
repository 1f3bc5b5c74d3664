//! State that only draws without a program see, set by OpenGL's own commands.

use super::gl_enums::texgen_coord;
use super::gl_features::{require_extension, select_texture_unit};
use crate::error::Problem;
use crate::gl::{self, Gl};
use glasm::fixed_function::{
    CombineFunction, CombineOperand, CombineScale, CombineSource, FogMode, FogSource,
    MaterialFaces, MaterialMode, TexGenMode,
};
use glasm_scripts::script::{
    CombinerChannels, EnvironmentMode, FixedCapability, FixedUpdate, Switch, TexEnvUpdate,
};

/// Changes state as the command of OpenGL with the same name does. Skips scripts with units, fog
/// distances or combiners that the driver lacks. Units remain active.
pub(super) fn apply_fixed_update(gl: &Gl, update: FixedUpdate) -> Result<(), Problem> {
    match update {
        FixedUpdate::Enable(capability, switch) => set_capability(gl, capability, switch)?,
        FixedUpdate::LocalViewer(switch) => {
            set_light_model(gl, gl::LIGHT_MODEL_LOCAL_VIEWER, switch)?
        }
        FixedUpdate::TwoSide(switch) => set_light_model(gl, gl::LIGHT_MODEL_TWO_SIDE, switch)?,
        FixedUpdate::SeparateSpecular(switch) => {
            let control = match switch {
                Switch::On => gl::SEPARATE_SPECULAR_COLOR,
                Switch::Off => gl::SINGLE_COLOR,
            };
            gl.LightModeli(gl::LIGHT_MODEL_COLOR_CONTROL, control.cast_signed())?;
        }
        FixedUpdate::ColorMaterial(color) => {
            let faces = match color.faces {
                MaterialFaces::Front => gl::FRONT,
                MaterialFaces::Back => gl::BACK,
                MaterialFaces::Both => gl::FRONT_AND_BACK,
            };
            gl.ColorMaterial(faces, material_mode_enum(color.mode))?;
        }
        FixedUpdate::FogMode(mode) => {
            let mode = match mode {
                FogMode::Linear => gl::LINEAR,
                FogMode::Exp => gl::EXP,
                FogMode::Exp2 => gl::EXP2,
            };
            gl.Fogi(gl::FOG_MODE, mode.cast_signed())?;
        }
        FixedUpdate::FogSource(source) => {
            let (source, distance) = match source {
                FogSource::FragmentDepth => (gl::FRAGMENT_DEPTH, Some(gl::EYE_PLANE_ABSOLUTE_NV)),
                FogSource::EyePlane => (gl::FRAGMENT_DEPTH, Some(gl::EYE_PLANE)),
                FogSource::EyeRadial => (gl::FRAGMENT_DEPTH, Some(gl::EYE_RADIAL_NV)),
                FogSource::FogCoord => (gl::FOG_COORD, None),
            };
            gl.Fogi(gl::FOG_COORD_SRC, source.cast_signed())?;
            // Without the extension drivers choose between the two modes that GL 2.1 allows.
            let has_modes = gl.has_extension("GL_NV_fog_distance");
            match distance {
                Some(mode) if has_modes => gl.Fogi(gl::FOG_DISTANCE_MODE_NV, mode.cast_signed())?,
                Some(gl::EYE_PLANE_ABSOLUTE_NV) | None => {}
                Some(_) => require_extension(gl, "GL_NV_fog_distance")?,
            }
        }
        FixedUpdate::TexGenMode(unit, coord, mode) => {
            select_texture_unit(gl, unit)?;
            let mode = texgen_mode_enum(mode).cast_signed();
            gl.TexGeni(texgen_coord(coord), gl::TEXTURE_GEN_MODE, mode)?;
        }
        FixedUpdate::TexEnv(unit, update) => {
            select_texture_unit(gl, unit)?;
            if let Some(extension) = update_extension(update) {
                require_extension(gl, extension)?;
            }
            let (name, value) = environment_parameter(update);
            gl.TexEnvi(gl::TEXTURE_ENV, name, value.cast_signed())?;
        }
    }
    Ok(gl.check_errors("setting fixed-function state")?)
}

/// Enables or disables a capability of the fixed functions; those of texture units for the unit,
/// which remains active. Skips scripts with units that the driver lacks.
fn set_capability(gl: &Gl, capability: FixedCapability, switch: Switch) -> Result<(), Problem> {
    let name = match capability {
        FixedCapability::ColorMaterial => gl::COLOR_MATERIAL,
        FixedCapability::ColorSum => gl::COLOR_SUM,
        FixedCapability::Fog => gl::FOG,
        FixedCapability::Light(number) => gl::LIGHT0 + number,
        FixedCapability::Lighting => gl::LIGHTING,
        FixedCapability::Normalize => gl::NORMALIZE,
        FixedCapability::PerStageConstants => {
            require_extension(gl, "GL_NV_register_combiners2")?;
            gl::PER_STAGE_CONSTANTS_NV
        }
        FixedCapability::RegisterCombiners => {
            require_extension(gl, "GL_NV_register_combiners")?;
            gl::REGISTER_COMBINERS_NV
        }
        FixedCapability::RescaleNormal => gl::RESCALE_NORMAL,
        FixedCapability::TextureShader => {
            require_extension(gl, "GL_NV_texture_shader")?;
            gl::TEXTURE_SHADER_NV
        }
        FixedCapability::TexGen(unit, coord) => {
            select_texture_unit(gl, unit)?;
            // The constants follow each other as the coordinates do.
            gl::TEXTURE_GEN_S + coord as u32
        }
    };
    match switch {
        Switch::On => gl.Enable(name)?,
        Switch::Off => gl.Disable(name)?,
    }
    Ok(())
}

/// Turns a boolean parameter of the light model on or off.
fn set_light_model(gl: &Gl, name: u32, switch: Switch) -> Result<(), Problem> {
    Ok(gl.LightModeli(name, i32::from(switch == Switch::On))?)
}

/// Returns the enumerant of the material properties that track the color (`glColorMaterial`).
fn material_mode_enum(mode: MaterialMode) -> u32 {
    match mode {
        MaterialMode::Ambient => gl::AMBIENT,
        MaterialMode::Diffuse => gl::DIFFUSE,
        MaterialMode::Specular => gl::SPECULAR,
        MaterialMode::Emission => gl::EMISSION,
        MaterialMode::AmbientAndDiffuse => gl::AMBIENT_AND_DIFFUSE,
    }
}

/// Returns the constant of a mode of texture coordinate generation. No generation becomes the
/// initial mode, which scripts cannot set.
fn texgen_mode_enum(mode: TexGenMode) -> u32 {
    match mode {
        TexGenMode::ObjectLinear => gl::OBJECT_LINEAR,
        TexGenMode::EyeLinear | TexGenMode::None => gl::EYE_LINEAR,
        TexGenMode::SphereMap => gl::SPHERE_MAP,
        TexGenMode::ReflectionMap => gl::REFLECTION_MAP,
        TexGenMode::NormalMap => gl::NORMAL_MAP,
    }
}

/// Returns the extension that adds a property of a texture environment; `None` if GL 2.1 has it.
fn update_extension(update: TexEnvUpdate) -> Option<&'static str> {
    const COMBINE3: Option<&str> = Some("GL_ATI_texture_env_combine3");
    const COMBINE4: Option<&str> = Some("GL_NV_texture_env_combine4");
    match update {
        TexEnvUpdate::Mode(EnvironmentMode::None) => Some("GL_NV_texture_shader"),
        TexEnvUpdate::Mode(EnvironmentMode::Combine4)
        | TexEnvUpdate::Source(_, 3, _)
        | TexEnvUpdate::Operand(_, 3, _) => COMBINE4,
        TexEnvUpdate::Function(
            _,
            CombineFunction::ModulateAdd
            | CombineFunction::ModulateSignedAdd
            | CombineFunction::ModulateSubtract,
        )
        | TexEnvUpdate::Source(_, _, CombineSource::Zero | CombineSource::One) => COMBINE3,
        TexEnvUpdate::Mode(_)
        | TexEnvUpdate::Function(..)
        | TexEnvUpdate::Source(..)
        | TexEnvUpdate::Operand(..)
        | TexEnvUpdate::Scale(..) => None,
    }
}

/// Returns parameter name and value of `glTexEnvi` for an update of the texture environment.
fn environment_parameter(update: TexEnvUpdate) -> (u32, u32) {
    let by_lanes = |lanes, rgb, alpha| match lanes {
        CombinerChannels::Rgb => rgb,
        CombinerChannels::Alpha => alpha,
    };
    // The enumerants of arguments are consecutive.
    let argument = |lanes, rgb, alpha, number: usize| by_lanes(lanes, rgb, alpha) + number as u32;
    match update {
        TexEnvUpdate::Mode(mode) => (gl::TEXTURE_ENV_MODE, environment_mode_enum(mode)),
        TexEnvUpdate::Function(lanes, function) => (
            by_lanes(lanes, gl::COMBINE_RGB, gl::COMBINE_ALPHA),
            combine_function_enum(function),
        ),
        TexEnvUpdate::Source(lanes, number, source) => (
            argument(lanes, gl::SRC0_RGB, gl::SRC0_ALPHA, number),
            combine_source_enum(source),
        ),
        TexEnvUpdate::Operand(lanes, number, operand) => (
            argument(lanes, gl::OPERAND0_RGB, gl::OPERAND0_ALPHA, number),
            combine_operand_enum(operand),
        ),
        TexEnvUpdate::Scale(lanes, scale) => (
            by_lanes(lanes, gl::RGB_SCALE, gl::ALPHA_SCALE),
            match scale {
                CombineScale::One => 1,
                CombineScale::Two => 2,
                CombineScale::Four => 4,
            },
        ),
    }
}

/// Returns the enumerant of a texture environment mode; `GL_COMBINE4_NV` is that of
/// NV_texture_env_combine4.
fn environment_mode_enum(mode: EnvironmentMode) -> u32 {
    match mode {
        EnvironmentMode::Modulate => gl::MODULATE,
        EnvironmentMode::Replace => gl::REPLACE,
        EnvironmentMode::Decal => gl::DECAL,
        EnvironmentMode::Blend => gl::BLEND,
        EnvironmentMode::Add => gl::ADD,
        EnvironmentMode::Combine => gl::COMBINE,
        EnvironmentMode::Combine4 => gl::COMBINE4_NV,
        EnvironmentMode::None => gl::NONE,
    }
}

/// Returns the enumerant of a combiner function. The sums of two products are `GL_ADD` and
/// `GL_ADD_SIGNED` in the mode `GL_COMBINE4_NV`.
fn combine_function_enum(function: CombineFunction) -> u32 {
    match function {
        CombineFunction::Replace => gl::REPLACE,
        CombineFunction::Modulate => gl::MODULATE,
        CombineFunction::Add => gl::ADD,
        CombineFunction::AddSigned => gl::ADD_SIGNED,
        CombineFunction::Interpolate => gl::INTERPOLATE,
        CombineFunction::Subtract => gl::SUBTRACT,
        CombineFunction::Dot3Rgb => gl::DOT3_RGB,
        CombineFunction::Dot3Rgba => gl::DOT3_RGBA,
        CombineFunction::ModulateAdd => gl::MODULATE_ADD_ATI,
        CombineFunction::ModulateSignedAdd => gl::MODULATE_SIGNED_ADD_ATI,
        CombineFunction::ModulateSubtract => gl::MODULATE_SUBTRACT_ATI,
        CombineFunction::AddProducts => gl::ADD,
        CombineFunction::AddProductsSigned => gl::ADD_SIGNED,
    }
}

/// Returns the enumerant of a combiner source; a texture unit is `GL_TEXTURE0` plus its number
/// (ARB_texture_env_crossbar).
fn combine_source_enum(source: CombineSource) -> u32 {
    match source {
        CombineSource::Texture => gl::TEXTURE,
        CombineSource::TextureUnit(number) => gl::TEXTURE0 + u32::from(number),
        CombineSource::Constant => gl::CONSTANT,
        CombineSource::PrimaryColor => gl::PRIMARY_COLOR,
        CombineSource::Previous => gl::PREVIOUS,
        CombineSource::Zero => gl::ZERO,
        CombineSource::One => gl::ONE,
    }
}

/// Returns the enumerant of the operand that selects color or alpha of a combiner source, or one
/// minus it.
fn combine_operand_enum(operand: CombineOperand) -> u32 {
    match operand {
        CombineOperand::Color => gl::SRC_COLOR,
        CombineOperand::OneMinusColor => gl::ONE_MINUS_SRC_COLOR,
        CombineOperand::Alpha => gl::SRC_ALPHA,
        CombineOperand::OneMinusAlpha => gl::ONE_MINUS_SRC_ALPHA,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gl::tests::open;
    use glasm_scripts::script::{Command, Script, StateUpdate};

    fn run(gl: &Gl, lines: &str) {
        let text = format!("[require]\nGL >= 2.0\n[test]\n{lines}\n");
        let script = Script::parse(text.as_bytes()).unwrap();
        for step in &script.steps {
            if let Command::GlState(StateUpdate::Fixed(update)) = step.command {
                apply_fixed_update(gl, update).unwrap();
            } else {
                assert!(matches!(step.command, Command::Sampling { .. }), "{step:?}");
            }
        }
    }

    #[test]
    fn each_update_sets_what_it_names() {
        let Some(gl) = open() else { return };
        run(
            &gl,
            "enable GL_LIGHTING\nenable GL_LIGHT3\nenable GL_COLOR_MATERIAL\ncolormaterial back specular\nfog mode exp2\n\
             fog coord_src fragment_depth\nlightmodel local_viewer on\nlightmodel two_side on\n\
             lightmodel color_control separate_specular_color",
        );
        for capability in [gl::LIGHTING, gl::LIGHT3, gl::COLOR_MATERIAL] {
            assert_eq!(gl.IsEnabled(capability).unwrap(), gl::TRUE);
        }
        assert_eq!(gl.IsEnabled(gl::LIGHT2).unwrap(), gl::FALSE);
        for (name, value) in [
            (gl::COLOR_MATERIAL_FACE, gl::BACK),
            (gl::COLOR_MATERIAL_PARAMETER, gl::SPECULAR),
            (gl::FOG_MODE, gl::EXP2),
            (gl::FOG_COORD_SRC, gl::FRAGMENT_DEPTH),
            (gl::LIGHT_MODEL_LOCAL_VIEWER, 1),
            (gl::LIGHT_MODEL_TWO_SIDE, 1),
            (gl::LIGHT_MODEL_COLOR_CONTROL, gl::SEPARATE_SPECULAR_COLOR),
        ] {
            assert_eq!(gl.integer(name).unwrap().unsigned_abs(), value, "{name:#x}");
        }
    }

    #[test]
    fn environments_of_units() {
        let Some(gl) = open() else { return };
        run(
            &gl,
            "texenv 1 mode combine\ntexenv 1 combine_alpha interpolate\ntexenv 1 src2_alpha texture3\n\
             texenv 1 operand1_rgb one_minus_src_color\ntexenv 1 alpha_scale 4\nactive_texture 1\nenable GL_TEXTURE_GEN_R\n\
             texgen 1 r mode normal_map",
        );
        gl.ActiveTexture(gl::TEXTURE1).unwrap();
        for (name, value) in [
            (gl::TEXTURE_ENV_MODE, gl::COMBINE),
            (gl::COMBINE_ALPHA, gl::INTERPOLATE),
            (gl::SRC2_ALPHA, gl::TEXTURE3),
            (gl::OPERAND1_RGB, gl::ONE_MINUS_SRC_COLOR),
            (gl::ALPHA_SCALE, 4),
        ] {
            let found = gl.get_texture_environment(gl::TEXTURE_ENV, name);
            assert_eq!(found.unwrap()[0] as u32, value, "{name:#x}");
        }
        assert_eq!(gl.IsEnabled(gl::TEXTURE_GEN_R).unwrap(), gl::TRUE);
        let mode = gl.get_texture_generation(gl::R, gl::TEXTURE_GEN_MODE);
        assert_eq!(mode.unwrap()[0] as u32, gl::NORMAL_MAP);
        gl.ActiveTexture(gl::TEXTURE0).unwrap();
        assert_eq!(gl.IsEnabled(gl::TEXTURE_GEN_R).unwrap(), gl::FALSE);
    }
}
