//! Commands for fixed-function state of GL: the capabilities that `enable` switches,
//! `colormaterial`, and properties of `lightmodel`, `fog`, `texenv` and `texgen` that are not
//! parameters of programs.

use crate::script::command::{
    CombinerChannels, EnvironmentMode, FixedCapability, FixedUpdate, Switch, TexEnvUpdate,
};
use crate::script::tokenizer::{LineError, WordCursor};
use glasm::fixed_function::{
    ColorMaterial, CombineFunction, CombineOperand, CombineScale, CombineSource, FogMode,
    FogSource, MaterialFaces, MaterialMode, TexGenMode,
};
use glasm::state::TexGenCoord;

/// Lights.
const LIGHTS: u32 = 8;

/// Texture units that draws without programs have.
const FIXED_UNITS: u32 = glasm::fixed_function::MAX_TEXTURE_UNITS as u32;

/// Name of a property and parser of its value.
type Property<T> = (
    &'static str,
    fn(&mut WordCursor<'_>) -> Result<T, LineError>,
);

/// Consumes a word and returns the value that the table has for it. Returns an error that expects
/// `what` if the table lacks the word.
fn parse_choice<T: Copy>(
    words: &mut WordCursor<'_>,
    what: &str,
    table: &[(&str, T)],
) -> Result<T, LineError> {
    words.parse_with(what, |word| {
        let found = table.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| *value)
    })
}

/// Consumes `on` or `off`.
fn parse_switch(words: &mut WordCursor<'_>) -> Result<Switch, LineError> {
    let table = [("on", Switch::On), ("off", Switch::Off)];
    parse_choice(words, "on or off", &table)
}

/// Returns the capability of GL's name that only draws without programs see; `None` for other
/// names. `unit` is the active texture unit, to which texture coordinate generation applies.
pub(super) fn find_capability(name: &str, unit: u32) -> Option<FixedCapability> {
    let table = [
        ("GL_COLOR_MATERIAL", FixedCapability::ColorMaterial),
        ("GL_COLOR_SUM", FixedCapability::ColorSum),
        ("GL_FOG", FixedCapability::Fog),
        ("GL_LIGHTING", FixedCapability::Lighting),
        ("GL_NORMALIZE", FixedCapability::Normalize),
        (
            "GL_PER_STAGE_CONSTANTS_NV",
            FixedCapability::PerStageConstants,
        ),
        (
            "GL_REGISTER_COMBINERS_NV",
            FixedCapability::RegisterCombiners,
        ),
        ("GL_RESCALE_NORMAL", FixedCapability::RescaleNormal),
        ("GL_TEXTURE_SHADER_NV", FixedCapability::TextureShader),
    ];
    if let Some((_, found)) = table.iter().find(|(known, _)| *known == name) {
        return Some(*found);
    }
    if let Some(number) = name.strip_prefix("GL_LIGHT") {
        let number = number.parse().ok().filter(|number| *number < LIGHTS);
        return number.map(FixedCapability::Light);
    }
    let letter = name.strip_prefix("GL_TEXTURE_GEN_")?;
    let coord = match letter {
        "S" => TexGenCoord::S,
        "T" => TexGenCoord::T,
        "R" => TexGenCoord::R,
        "Q" => TexGenCoord::Q,
        _ => return None,
    };
    (unit < FIXED_UNITS).then_some(FixedCapability::TexGen(unit, coord))
}

/// Properties of the light model other than its color.
pub(crate) const LIGHT_MODEL: &[Property<FixedUpdate>] = &[
    ("local_viewer", |words| {
        parse_switch(words).map(FixedUpdate::LocalViewer)
    }),
    ("two_side", |words| {
        parse_switch(words).map(FixedUpdate::TwoSide)
    }),
    ("color_control", |words| {
        let table = [
            ("single_color", Switch::Off),
            ("separate_specular_color", Switch::On),
        ];
        let switch = parse_choice(words, "single_color or separate_specular_color", &table)?;
        Ok(FixedUpdate::SeparateSpecular(switch))
    }),
];

/// Properties of fog that programs do not read.
pub(crate) const FOG: &[Property<FixedUpdate>] = &[
    ("mode", |words| {
        let table = [
            ("linear", FogMode::Linear),
            ("exp", FogMode::Exp),
            ("exp2", FogMode::Exp2),
        ];
        parse_choice(words, "linear, exp or exp2", &table).map(FixedUpdate::FogMode)
    }),
    ("coord_src", |words| {
        let table = [
            ("fragment_depth", FogSource::FragmentDepth),
            ("eye_plane", FogSource::EyePlane),
            ("eye_radial", FogSource::EyeRadial),
            ("fog_coord", FogSource::FogCoord),
        ];
        let expected = "fragment_depth, eye_plane, eye_radial or fog_coord";
        let source = parse_choice(words, expected, &table)?;
        Ok(FixedUpdate::FogSource(source))
    }),
];

/// Consumes `FACES MODE` after `colormaterial`, and returns the change of state. GL 2.1 section
/// 2.14.3.
pub(super) fn parse_color_material(words: &mut WordCursor<'_>) -> Result<FixedUpdate, LineError> {
    let faces = [
        ("front", MaterialFaces::Front),
        ("back", MaterialFaces::Back),
        ("both", MaterialFaces::Both),
    ];
    let faces = parse_choice(words, "front, back or both", &faces)?;
    let modes = [
        ("ambient", MaterialMode::Ambient),
        ("diffuse", MaterialMode::Diffuse),
        ("specular", MaterialMode::Specular),
        ("emission", MaterialMode::Emission),
        ("ambient_and_diffuse", MaterialMode::AmbientAndDiffuse),
    ];
    let mode = parse_choice(words, "a color of materials", &modes)?;
    Ok(FixedUpdate::ColorMaterial(ColorMaterial { faces, mode }))
}

/// Consumes `MODE` after `texgen UNIT COORD mode`. GL 2.1 section 2.11.4.
pub(super) fn parse_texgen_mode(words: &mut WordCursor<'_>) -> Result<TexGenMode, LineError> {
    let modes = [
        ("object_linear", TexGenMode::ObjectLinear),
        ("eye_linear", TexGenMode::EyeLinear),
        ("sphere_map", TexGenMode::SphereMap),
        ("reflection_map", TexGenMode::ReflectionMap),
        ("normal_map", TexGenMode::NormalMap),
    ];
    parse_choice(words, "a mode of texture coordinate generation", &modes)
}

const MODES: &[(&str, EnvironmentMode)] = &[
    ("modulate", EnvironmentMode::Modulate),
    ("replace", EnvironmentMode::Replace),
    ("decal", EnvironmentMode::Decal),
    ("blend", EnvironmentMode::Blend),
    ("add", EnvironmentMode::Add),
    ("combine", EnvironmentMode::Combine),
    ("combine4", EnvironmentMode::Combine4),
    ("none", EnvironmentMode::None),
];

const FUNCTIONS: &[(&str, CombineFunction)] = &[
    ("replace", CombineFunction::Replace),
    ("modulate", CombineFunction::Modulate),
    ("add", CombineFunction::Add),
    ("add_signed", CombineFunction::AddSigned),
    ("interpolate", CombineFunction::Interpolate),
    ("subtract", CombineFunction::Subtract),
    ("dot3_rgb", CombineFunction::Dot3Rgb),
    ("dot3_rgba", CombineFunction::Dot3Rgba),
    ("modulate_add", CombineFunction::ModulateAdd),
    ("modulate_signed_add", CombineFunction::ModulateSignedAdd),
    ("modulate_subtract", CombineFunction::ModulateSubtract),
];

/// Functions of colors alone.
const COLOR_FUNCTIONS: [&str; 2] = ["dot3_rgb", "dot3_rgba"];

/// Operands of colors, after those of alpha.
const OPERANDS: &[(&str, CombineOperand)] = &[
    ("src_alpha", CombineOperand::Alpha),
    ("one_minus_src_alpha", CombineOperand::OneMinusAlpha),
    ("src_color", CombineOperand::Color),
    ("one_minus_src_color", CombineOperand::OneMinusColor),
];

/// Consumes a combiner function, and returns the change for colors or alpha: `combine_rgb` and
/// `combine_alpha` of `texenv`. GL 2.1 section 3.8.13.
fn parse_function(
    words: &mut WordCursor<'_>,
    lanes: CombinerChannels,
) -> Result<TexEnvUpdate, LineError> {
    let function = parse_choice(words, "a function of combiners", FUNCTIONS)?;
    Ok(TexEnvUpdate::Function(lanes, function))
}

/// Returns an error if the next word is a combiner function that alpha does not have; the word is
/// consumed then only.
fn check_alpha_function(words: &mut WordCursor<'_>) -> Result<(), LineError> {
    let is_for_colors = |word| COLOR_FUNCTIONS.contains(&word);
    if words.peek().is_some_and(is_for_colors) {
        words.next_word("a function of combiners")?;
        return Err(words.error_at_last("alpha has no such function"));
    }
    Ok(())
}

/// Consumes a source of combiners such as `previous` or `texture3`.
fn parse_source(words: &mut WordCursor<'_>) -> Result<CombineSource, LineError> {
    words.parse_with("a source of combiners", |word| match word {
        "texture" => Some(CombineSource::Texture),
        "constant" => Some(CombineSource::Constant),
        "primary_color" => Some(CombineSource::PrimaryColor),
        "previous" => Some(CombineSource::Previous),
        "zero" => Some(CombineSource::Zero),
        "one" => Some(CombineSource::One),
        _ => {
            let number = word.strip_prefix("texture")?.parse().ok();
            let number = number.filter(|number: &u8| u32::from(*number) < FIXED_UNITS);
            number.map(CombineSource::TextureUnit)
        }
    })
}

/// Consumes the scale of a combiner, and returns the change for colors or alpha: `rgb_scale` and
/// `alpha_scale` of `texenv`. GL 2.1 section 3.8.13.
fn parse_scale(
    words: &mut WordCursor<'_>,
    lanes: CombinerChannels,
) -> Result<TexEnvUpdate, LineError> {
    let table = [
        ("1", CombineScale::One),
        ("2", CombineScale::Two),
        ("4", CombineScale::Four),
    ];
    let scale = parse_choice(words, "1, 2 or 4", &table)?;
    Ok(TexEnvUpdate::Scale(lanes, scale))
}

/// Consumes the value of the property `name` of `texenv UNIT`, for all properties but `color`, and
/// returns the change. Returns an error for unknown properties. GL 2.1 section 3.8.13.
pub(super) fn parse_environment(
    words: &mut WordCursor<'_>,
    name: &str,
) -> Result<TexEnvUpdate, LineError> {
    match name {
        "mode" => {
            let mode = parse_choice(words, "a mode of texture environments", MODES)?;
            return Ok(TexEnvUpdate::Mode(mode));
        }
        "combine_rgb" => return parse_function(words, CombinerChannels::Rgb),
        "combine_alpha" => {
            check_alpha_function(words)?;
            return parse_function(words, CombinerChannels::Alpha);
        }
        "rgb_scale" => return parse_scale(words, CombinerChannels::Rgb),
        "alpha_scale" => return parse_scale(words, CombinerChannels::Alpha),
        _ => {}
    }
    let unknown = |words: &WordCursor<'_>| {
        words.error_at_last(format!(
            "`{name}` is not one of color, mode, combine_rgb, combine_alpha, src0_rgb, operand0_rgb and their like, rgb_scale, alpha_scale"
        ))
    };
    let lanes = match name.rsplit_once('_') {
        Some((_, "rgb")) => CombinerChannels::Rgb,
        Some((_, "alpha")) => CombinerChannels::Alpha,
        _ => return Err(unknown(words)),
    };
    let parse_argument_index = |prefix: &str| {
        let rest = name.strip_prefix(prefix)?;
        let (number, _) = rest.split_once('_')?;
        ["0", "1", "2", "3"]
            .iter()
            .position(|known| *known == number)
    };
    if let Some(place) = parse_argument_index("src") {
        return parse_source(words).map(|source| TexEnvUpdate::Source(lanes, place, source));
    }
    let Some(place) = parse_argument_index("operand") else {
        return Err(unknown(words));
    };
    let allowed = match lanes {
        CombinerChannels::Rgb => OPERANDS,
        CombinerChannels::Alpha => &OPERANDS[..2],
    };
    let operand = parse_choice(words, "an operand of combiners", allowed)?;
    Ok(TexEnvUpdate::Operand(lanes, place, operand))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{Command, Script, StateUpdate};

    fn updates(lines: &str) -> Vec<FixedUpdate> {
        let script = Script::parse(format!("[test]\n{lines}").as_bytes()).unwrap();
        let updates = script.steps.iter().map(|step| {
            if let Command::GlState(StateUpdate::Fixed(update)) = step.command {
                update
            } else {
                panic!("{step:?}")
            }
        });
        updates.collect()
    }

    fn error(line: &str) -> String {
        let errors = Script::parse(format!("[test]\n{line}\n").as_bytes()).unwrap_err();
        errors[0].message.clone()
    }

    #[test]
    fn capabilities() {
        let on = |capability| FixedUpdate::Enable(capability, Switch::On);
        assert_eq!(
            updates(
                "enable GL_COLOR_MATERIAL\nenable GL_COLOR_SUM\nenable GL_FOG\nenable GL_LIGHT7\nenable GL_LIGHTING\nenable GL_NORMALIZE\n\
                 enable GL_PER_STAGE_CONSTANTS_NV\nenable GL_REGISTER_COMBINERS_NV\n\
                 enable GL_RESCALE_NORMAL\nenable GL_TEXTURE_SHADER_NV\nactive_texture 3\n\
                 enable GL_TEXTURE_GEN_Q\ndisable GL_FOG"
            ),
            [
                on(FixedCapability::ColorMaterial),
                on(FixedCapability::ColorSum),
                on(FixedCapability::Fog),
                on(FixedCapability::Light(7)),
                on(FixedCapability::Lighting),
                on(FixedCapability::Normalize),
                on(FixedCapability::PerStageConstants),
                on(FixedCapability::RegisterCombiners),
                on(FixedCapability::RescaleNormal),
                on(FixedCapability::TextureShader),
                on(FixedCapability::TexGen(3, TexGenCoord::Q)),
                FixedUpdate::Enable(FixedCapability::Fog, Switch::Off),
            ]
        );
        assert_eq!(error("enable GL_LIGHT8"), "`GL_LIGHT8` is not supported");
        assert_eq!(
            error("active_texture 8\nenable GL_TEXTURE_GEN_S"),
            "`GL_TEXTURE_GEN_S` is not supported"
        );
    }

    #[test]
    fn lighting_fog_and_coordinates() {
        let material = |faces, mode| FixedUpdate::ColorMaterial(ColorMaterial { faces, mode });
        assert_eq!(
            updates(
                "lightmodel local_viewer on\nlightmodel two_side off\nlightmodel color_control separate_specular_color\n\
                 colormaterial front emission\ncolormaterial both ambient_and_diffuse\nfog mode exp2\nfog coord_src fragment_depth\n\
                 texgen 7 r mode normal_map"
            ),
            [
                FixedUpdate::LocalViewer(Switch::On),
                FixedUpdate::TwoSide(Switch::Off),
                FixedUpdate::SeparateSpecular(Switch::On),
                material(MaterialFaces::Front, MaterialMode::Emission),
                material(MaterialFaces::Both, MaterialMode::AmbientAndDiffuse),
                FixedUpdate::FogMode(FogMode::Exp2),
                FixedUpdate::FogSource(FogSource::FragmentDepth),
                FixedUpdate::TexGenMode(7, TexGenCoord::R, TexGenMode::NormalMap),
            ]
        );
        assert_eq!(
            error("colormaterial front shininess"),
            "`shininess` is not a color of materials"
        );
        assert_eq!(
            error("texgen 8 s mode eye_linear"),
            "coordinate set 8 is for programs only"
        );
    }

    #[test]
    fn environments() {
        let (rgb, alpha) = (CombinerChannels::Rgb, CombinerChannels::Alpha);
        assert_eq!(
            updates(
                "texenv 0 mode combine\ntexenv 1 combine_rgb dot3_rgba\ntexenv 1 combine_alpha subtract\ntexenv 2 src2_rgb texture7\n\
                 texenv 2 src0_alpha previous\ntexenv 3 operand1_rgb one_minus_src_color\ntexenv 3 operand2_alpha one_minus_src_alpha\n\
                 texenv 7 rgb_scale 2\ntexenv 7 alpha_scale 4"
            ),
            [
                (0, TexEnvUpdate::Mode(EnvironmentMode::Combine)),
                (1, TexEnvUpdate::Function(rgb, CombineFunction::Dot3Rgba)),
                (1, TexEnvUpdate::Function(alpha, CombineFunction::Subtract)),
                (
                    2,
                    TexEnvUpdate::Source(rgb, 2, CombineSource::TextureUnit(7))
                ),
                (2, TexEnvUpdate::Source(alpha, 0, CombineSource::Previous)),
                (
                    3,
                    TexEnvUpdate::Operand(rgb, 1, CombineOperand::OneMinusColor)
                ),
                (
                    3,
                    TexEnvUpdate::Operand(alpha, 2, CombineOperand::OneMinusAlpha)
                ),
                (7, TexEnvUpdate::Scale(rgb, CombineScale::Two)),
                (7, TexEnvUpdate::Scale(alpha, CombineScale::Four)),
            ]
            .map(|(unit, update)| FixedUpdate::TexEnv(unit, update))
        );
        for (line, message) in [
            (
                "texenv 0 combine_alpha dot3_rgb",
                "alpha has no such function",
            ),
            (
                "texenv 0 operand0_alpha src_color",
                "`src_color` is not an operand of combiners",
            ),
            (
                "texenv 0 src0_rgb texture8",
                "`texture8` is not a source of combiners",
            ),
            ("texenv 0 rgb_scale 3", "`3` is not 1, 2 or 4"),
            ("texenv 8 mode add", "texture unit 8 is for programs only"),
        ] {
            assert_eq!(error(line), message, "{line}");
        }
        assert!(
            error("texenv 0 src4_rgb texture").starts_with("`src4_rgb` is not one of color, mode")
        );
    }
}
