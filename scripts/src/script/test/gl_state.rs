//! Commands that set GL state: `light`, `material`, `lightmodel`, `colormaterial`, `fog`, `point`,
//! `texenv`, `texgen`, `clipplane`.
//!
//! Words are GL's in lower case, ranges of values are GL's: a value for which GL generates
//! `GL_INVALID_VALUE` is an error of the line.

use super::fixed_state;
use super::parser::TestParser;
use crate::script::command::{
    Command, Faces, FixedUpdate, FogUpdate, LightUpdate, MaterialUpdate, PointUpdate, StateUpdate,
    Switch, state_properties,
};
use crate::script::tokenizer::{LineError, WordCursor};
use glasm::PointOrigin;
use glasm::ir::Keyword;
use glasm::state::{Color, Face, TexGenCoord, TexGenPlane};

/// Number of lights; programs use the same numbers.
const LIGHTS: u32 = 8;

/// Clip planes.
const CLIP_PLANES: u32 = 8;

/// Texture units and coordinate sets.
const TEXTURE_UNITS: u32 = 32;

/// Appends the command of a change of GL state at the end of its line. Returns an error if words
/// remain.
fn push_state_update(
    parser: &mut TestParser,
    words: &WordCursor<'_>,
    update: StateUpdate,
) -> Result<(), LineError> {
    parser.push_command(words, Command::GlState(update))
}

/// Consumes four components of a color.
fn parse_color(words: &mut WordCursor<'_>) -> Result<Color, LineError> {
    words.parse_floats("a color component")
}

/// Consumes a number for which `holds` returns true. Returns an error that expects `what` for
/// others.
fn parse_number(
    words: &mut WordCursor<'_>,
    what: &str,
    holds: impl Fn(f32) -> bool,
) -> Result<f32, LineError> {
    words.parse_with(what, |word| word.parse().ok().filter(|x| holds(*x)))
}

/// Consumes a number that is not negative.
fn parse_not_negative(words: &mut WordCursor<'_>) -> Result<f32, LineError> {
    parse_number(words, "a number that is not negative", |x| x >= 0.0)
}

/// Name of a property and parser of its value.
type Property<T> = (
    &'static str,
    fn(&mut WordCursor<'_>) -> Result<T, LineError>,
);

/// Consumes `PROPERTY VALUE...` with the parser that `table` has for the property. Returns an error
/// that lists all properties for an unknown one.
fn parse_property<T>(words: &mut WordCursor<'_>, table: &[Property<T>]) -> Result<T, LineError> {
    let word = words.next_word("a property")?;
    match table.iter().find(|(name, _)| *name == word) {
        Some((_, parse)) => parse(words),
        None => {
            let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
            Err(words.error_at_last(format!("`{word}` is not one of {}", names.join(", "))))
        }
    }
}

/// Consumes an exponent of specular light or of a spot, from 0 to 128.
fn parse_exponent(words: &mut WordCursor<'_>) -> Result<f32, LineError> {
    let what = "an exponent from 0 to 128";
    parse_number(words, what, |x| (0.0..=128.0).contains(&x))
}

/// Consumes the cutoff angle of a spot in degrees: from 0 to 90, or 180.
fn parse_cutoff(words: &mut WordCursor<'_>) -> Result<f32, LineError> {
    let what = "an angle from 0 to 90 degrees, or 180";
    parse_number(words, what, |x| (0.0..=90.0).contains(&x) || x == 180.0)
}

/// Consumes a number greater than 0.
fn parse_positive(words: &mut WordCursor<'_>) -> Result<f32, LineError> {
    parse_number(words, "a number greater than 0", |x| x > 0.0)
}

/// Consumes a distance, any number.
fn parse_distance(words: &mut WordCursor<'_>) -> Result<f32, LineError> {
    words.parse_number("a distance")
}

/// Consumes `N` coordinates.
fn parse_coordinates<const N: usize>(words: &mut WordCursor<'_>) -> Result<[f32; N], LineError> {
    words.parse_floats("a coordinate")
}

/// Consumes three factors.
fn parse_factors(words: &mut WordCursor<'_>) -> Result<[f32; 3], LineError> {
    words.parse_floats("a factor")
}

/// Consumes the origin of point sprite coordinates: `upper_left` or `lower_left`. GL 2.1 section
/// 3.3.
fn parse_origin(words: &mut WordCursor<'_>) -> Result<PointOrigin, LineError> {
    words.parse_with("upper_left or lower_left", |word| match word {
        "upper_left" => Some(PointOrigin::UpperLeft),
        "lower_left" => Some(PointOrigin::LowerLeft),
        _ => None,
    })
}

macro_rules! tables {
    ($($(#[$doc:meta])* $update:ident $table:ident [$named:ty] {
        $($(#[$property:meta])* $variant:ident($value:ty) $word:literal $parse:ident $set:expr;)*
    })*) => { $(
        $(#[$doc])*
        pub(crate) const $table: &[Property<$update>] =
            &[$(($word, |words| $parse(words).map($update::$variant)),)*];
    )* };
}

state_properties! { tables }

/// Parses the arguments of `light N PROPERTY VALUE...`, and appends the command. GL 2.1 section
/// 2.14.1.
pub(super) fn parse_light(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let number = words.parse_below("a light from 0 to 7", LIGHTS)?;
    let update = parse_property(words, LIGHT)?;
    push_state_update(parser, words, StateUpdate::Light(number, update))
}

/// Parses the arguments of `material FACES PROPERTY VALUE...`, and appends the command. GL 2.1
/// section 2.14.1.
pub(super) fn parse_material(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let faces = words.parse_with("front, back or both", |word| match word {
        "front" => Some(Faces::One(Face::Front)),
        "back" => Some(Faces::One(Face::Back)),
        "both" | "front_and_back" => Some(Faces::Both),
        _ => None,
    })?;
    let update = parse_property(words, MATERIAL)?;
    push_state_update(parser, words, StateUpdate::Material(faces, update))
}

/// Properties of the light model.
pub(crate) const LIGHT_MODEL: &[Property<Color>] = &[("ambient", parse_color)];

/// Parses the arguments of `lightmodel PROPERTY VALUE...`, and appends the command. GL 2.1 section
/// 2.14.1.
pub(super) fn parse_light_model(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let read = StateUpdate::LightModelAmbient;
    let update =
        parse_program_or_fixed_property(words, LIGHT_MODEL, read, fixed_state::LIGHT_MODEL)?;
    push_state_update(parser, words, update)
}

/// Parses the arguments of `colormaterial FACES MODE`, and appends the command. GL 2.1 section
/// 2.14.3.
pub(super) fn parse_color_material(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let update = fixed_state::parse_color_material(words)?;
    push_state_update(parser, words, StateUpdate::Fixed(update))
}

/// Consumes `PROPERTY VALUE...`: a property in `read`, which programs read and `update` converts,
/// or one in `fixed`, which only draws without a program see. Returns an error that lists all
/// properties for an unknown one.
fn parse_program_or_fixed_property<T>(
    words: &mut WordCursor<'_>,
    read: &[Property<T>],
    update: fn(T) -> StateUpdate,
    fixed: &[Property<FixedUpdate>],
) -> Result<StateUpdate, LineError> {
    let word = words.next_word("a property")?;
    if let Some((_, parse)) = read.iter().find(|(name, _)| *name == word) {
        return parse(words).map(update);
    }
    match fixed.iter().find(|(name, _)| *name == word) {
        Some((_, parse)) => parse(words).map(StateUpdate::Fixed),
        None => {
            let names = read.iter().map(|(name, _)| *name);
            let names = names.chain(fixed.iter().map(|(name, _)| *name));
            let names: Vec<&str> = names.collect();
            Err(words.error_at_last(format!("`{word}` is not one of {}", names.join(", "))))
        }
    }
}

/// Parses the arguments of `fog PROPERTY VALUE...`, and appends the command. GL 2.1 section 3.10.
pub(super) fn parse_fog(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let update = parse_program_or_fixed_property(words, FOG, StateUpdate::Fog, fixed_state::FOG)?;
    push_state_update(parser, words, update)
}

/// Parses the arguments of `point PROPERTY VALUE...`, and appends the command. The size is also
/// stored, and set by a second command if programs do not write it. GL 2.1 section 3.3.
pub(super) fn parse_point(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let update = parse_property(words, POINT)?;
    push_state_update(parser, words, StateUpdate::Point(update))?;
    if let PointUpdate::Size(size) = update {
        parser.points.size = size;
        // Programs do not write the size, so this is the size of all points from here on.
        if parser.points.source == Switch::Off {
            parser.push_command(words, Command::FixedPointSize(Some(size)))?;
        }
    }
    Ok(())
}

/// Appends the command for `enable GL_PROGRAM_POINT_SIZE` or `disable GL_PROGRAM_POINT_SIZE`, at
/// the end of the line: with `disable` all points have the size that was set last.
pub(super) fn parse_program_point_size(
    parser: &mut TestParser,
    switch: Switch,
    words: &WordCursor<'_>,
) -> Result<(), LineError> {
    parser.points.source = switch;
    let size = match switch {
        Switch::On => None,
        Switch::Off => Some(parser.points.size),
    };
    parser.push_command(words, Command::FixedPointSize(size))
}

/// Parses the arguments of `texenv UNIT PROPERTY VALUE...`, and appends the command. Units that
/// only programs have accept only `color`. GL 2.1 section 3.8.13.
pub(super) fn parse_texenv(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let unit = words.parse_below("a texture unit from 0 to 31", TEXTURE_UNITS)?;
    let name = words.next_word("a property")?;
    if name == "color" {
        let color = parse_color(words)?;
        return push_state_update(parser, words, StateUpdate::TexEnvColor(unit, color));
    }
    check_fixed_unit(words, "texture unit", unit)?;
    let update = fixed_state::parse_environment(words, name)?;
    push_state_update(
        parser,
        words,
        StateUpdate::Fixed(FixedUpdate::TexEnv(unit, update)),
    )
}

/// Returns an error, which begins with `what`, for texture units and coordinate sets that only
/// programs have.
fn check_fixed_unit(words: &WordCursor<'_>, what: &str, unit: u32) -> Result<(), LineError> {
    if (unit as usize) < glasm::fixed_function::MAX_TEXTURE_UNITS {
        Ok(())
    } else {
        Err(words.error_at_last(format!("{what} {unit} is for programs only")))
    }
}

/// Parses the arguments of `texgen SET COORD PLANE VALUE...` or `texgen SET COORD mode MODE`, and
/// appends the command. Sets that only programs have accept only planes. GL 2.1 section 2.11.4.
pub(super) fn parse_texgen(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let set = words.parse_below("a coordinate set from 0 to 31", TEXTURE_UNITS)?;
    let coord = words.parse_with("s, t, r or q", TexGenCoord::from_keyword)?;
    if words.take_if("mode").is_some() {
        check_fixed_unit(words, "coordinate set", set)?;
        let mode = fixed_state::parse_texgen_mode(words)?;
        let update = FixedUpdate::TexGenMode(set, coord, mode);
        return push_state_update(parser, words, StateUpdate::Fixed(update));
    }
    let plane = words.parse_with("eye, object or mode", TexGenPlane::from_keyword)?;
    let value = words.parse_floats("a coefficient")?;
    let update = StateUpdate::TexGen(set, coord, plane, value);
    push_state_update(parser, words, update)
}

/// Parses the arguments of `clipplane N A B C D`, and appends the command. GL 2.1 section 2.12.
pub(super) fn parse_clip_plane(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let number = words.parse_below("a clip plane from 0 to 7", CLIP_PLANES)?;
    let plane = words.parse_floats("a coefficient")?;
    push_state_update(parser, words, StateUpdate::ClipPlane(number, plane))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn updates(lines: &str) -> Vec<StateUpdate> {
        let script = Script::parse(format!("[test]\n{lines}").as_bytes()).unwrap();
        let updates = script.steps.iter().map(|step| {
            if let Command::GlState(update) = step.command {
                update
            } else {
                panic!("{step:?}")
            }
        });
        updates.collect()
    }

    /// Returns column and message of the only error of a line.
    fn error(line: &str) -> (u32, String) {
        let errors = Script::parse(format!("[test]\n{line}\n").as_bytes()).unwrap_err();
        assert_eq!((errors.len(), errors[0].line), (1, 2), "{errors:?}");
        (errors[0].column, errors[0].message.clone())
    }

    #[test]
    fn lights() {
        let found = updates(
            "light 0 ambient 1 2 3 4\nlight 1 diffuse (1, 2, 3, 4)\nlight 2 specular 1 2 3 4\nlight 3 position 1 2 3 4\n\
             light 4 spot_direction 1 2 3\nlight 5 spot_exponent 128\nlight 6 spot_cutoff 180\nlight 7 spot_cutoff 90\n\
             light 0 constant_attenuation 5\nlight 1 linear_attenuation 6\nlight 2 quadratic_attenuation 0\n",
        );
        let color = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(
            found,
            [
                (0, LightUpdate::Ambient(color)),
                (1, LightUpdate::Diffuse(color)),
                (2, LightUpdate::Specular(color)),
                (3, LightUpdate::Position(color)),
                (4, LightUpdate::SpotDirection([1.0, 2.0, 3.0])),
                (5, LightUpdate::SpotExponent(128.0)),
                (6, LightUpdate::SpotCutoff(180.0)),
                (7, LightUpdate::SpotCutoff(90.0)),
                (0, LightUpdate::ConstantAttenuation(5.0)),
                (1, LightUpdate::LinearAttenuation(6.0)),
                (2, LightUpdate::QuadraticAttenuation(0.0)),
            ]
            .map(|(number, update)| StateUpdate::Light(number, update))
        );
    }

    #[test]
    fn materials_and_light_model() {
        let color = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(
            updates(
                "material front ambient 1 2 3 4\nmaterial back diffuse 1 2 3 4\nmaterial both specular 1 2 3 4\n\
                 material front emission 1 2 3 4\nmaterial front_and_back ambient_and_diffuse 1 2 3 4\nmaterial back shininess 64\n\
                 lightmodel ambient 1 2 3 4\n"
            ),
            [
                StateUpdate::Material(Faces::One(Face::Front), MaterialUpdate::Ambient(color)),
                StateUpdate::Material(Faces::One(Face::Back), MaterialUpdate::Diffuse(color)),
                StateUpdate::Material(Faces::Both, MaterialUpdate::Specular(color)),
                StateUpdate::Material(Faces::One(Face::Front), MaterialUpdate::Emission(color)),
                StateUpdate::Material(Faces::Both, MaterialUpdate::AmbientAndDiffuse(color)),
                StateUpdate::Material(Faces::One(Face::Back), MaterialUpdate::Shininess(64.0)),
                StateUpdate::LightModelAmbient(color),
            ]
        );
    }

    #[test]
    fn fog_points_textures_and_planes() {
        let v = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(
            updates(
                "fog color 1 2 3 4\nfog density 0.5\nfog start -1\nfog end 7\npoint size 3\npoint min 0\npoint max 9\npoint fade 2\n\
                 point attenuation 1 2 3\npoint sprite_origin lower_left\ntexenv 31 color 1 2 3 4\ntexgen 1 q eye 1 2 3 4\ntexgen 31 s object 1 2 3 4\n\
                 clipplane 7 1 2 3 4\n"
            ),
            [
                StateUpdate::Fog(FogUpdate::Color(v)),
                StateUpdate::Fog(FogUpdate::Density(0.5)),
                StateUpdate::Fog(FogUpdate::Start(-1.0)),
                StateUpdate::Fog(FogUpdate::End(7.0)),
                StateUpdate::Point(PointUpdate::Size(3.0)),
                StateUpdate::Point(PointUpdate::Min(0.0)),
                StateUpdate::Point(PointUpdate::Max(9.0)),
                StateUpdate::Point(PointUpdate::Fade(2.0)),
                StateUpdate::Point(PointUpdate::Attenuation([1.0, 2.0, 3.0])),
                StateUpdate::Point(PointUpdate::SpriteOrigin(PointOrigin::LowerLeft)),
                StateUpdate::TexEnvColor(31, v),
                StateUpdate::TexGen(1, TexGenCoord::Q, TexGenPlane::Eye, v),
                StateUpdate::TexGen(31, TexGenCoord::S, TexGenPlane::Object, v),
                StateUpdate::ClipPlane(7, v),
            ]
        );
    }

    /// Bad lines with column and message.
    const BAD: &[(&str, u32, &str)] = &[
        ("light", 6, "a light from 0 to 7 is missing"),
        (
            "light 8 ambient 1 1 1 1",
            7,
            "`8` is not a light from 0 to 7",
        ),
        ("light 0", 8, "a property is missing"),
        (
            "light 0 diffuse 1 x 1 1",
            19,
            "`x` is not a color component",
        ),
        ("light 0 diffuse 1 1 1", 22, "a color component is missing"),
        ("light 0 diffuse 1 1 1 1 1", 25, "`1` is one word too many"),
        ("light 0 position 1 1 1", 23, "a coordinate is missing"),
        (
            "light 0 spot_cutoff 91",
            21,
            "`91` is not an angle from 0 to 90 degrees, or 180",
        ),
        (
            "light 0 spot_exponent nan",
            23,
            "`nan` is not an exponent from 0 to 128",
        ),
        (
            "light 0 linear_attenuation -1",
            28,
            "`-1` is not a number that is not negative",
        ),
        (
            "light 0 attenuation 1",
            9,
            "`attenuation` is not one of ambient, diffuse, specular, position, spot_direction, spot_exponent, spot_cutoff, \
                 constant_attenuation, linear_attenuation, quadratic_attenuation",
        ),
        (
            "material side diffuse 1 1 1 1",
            10,
            "`side` is not front, back or both",
        ),
        (
            "material front position 1 1 1 1",
            16,
            "`position` is not one of ambient, diffuse, specular, emission, ambient_and_diffuse, shininess",
        ),
        (
            "material front shininess 129",
            26,
            "`129` is not an exponent from 0 to 128",
        ),
        (
            "lightmodel diffuse 1",
            12,
            "`diffuse` is not one of ambient, local_viewer, two_side, color_control",
        ),
        (
            "fog depth 1",
            5,
            "`depth` is not one of color, density, start, end, mode, coord_src",
        ),
        (
            "fog density -0.5",
            13,
            "`-0.5` is not a number that is not negative",
        ),
        ("fog start", 10, "a distance is missing"),
        ("point size 0", 12, "`0` is not a number greater than 0"),
        (
            "point sprite 1",
            7,
            "`sprite` is not one of size, min, max, fade, attenuation, sprite_origin",
        ),
        ("point attenuation 1 2", 22, "a factor is missing"),
        (
            "texenv 32 color 1 1 1 1",
            8,
            "`32` is not a texture unit from 0 to 31",
        ),
        (
            "texenv 0 mode 1",
            15,
            "`1` is not a mode of texture environments",
        ),
        ("texgen 0 w eye 1 1 1 1", 10, "`w` is not s, t, r or q"),
        (
            "texgen 0 s map 1 1 1 1",
            12,
            "`map` is not eye, object or mode",
        ),
        ("texgen 0 s eye 1 1 1", 21, "a coefficient is missing"),
        (
            "clipplane 8 1 1 1 1",
            11,
            "`8` is not a clip plane from 0 to 7",
        ),
        ("clipplane 0 1 1 1", 18, "a coefficient is missing"),
    ];

    #[test]
    fn bad_lines_say_what_is_wrong_and_where() {
        for (line, column, message) in BAD {
            assert_eq!(error(line), (*column, (*message).to_owned()), "{line}");
        }
    }
}
