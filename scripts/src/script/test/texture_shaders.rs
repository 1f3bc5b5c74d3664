//! The command `texture_shader`: state of texture shader stages. NV_texture_shader section 3.8.13,
//! NV_texture_shader3.

use super::TestParser;
use crate::script::command::{Command, StateUpdate, TextureShaderUpdate};
use crate::script::tokenizer::{LineError, WordCursor};
use glasm::fixed_function::{CullMode, DotProductMapping, MAX_TEXTURE_UNITS, ShaderOperation};

/// Parses the arguments of `texture_shader UNIT NAME VALUE`, and appends the command.
pub(super) fn parse_texture_shader(
    parser: &mut TestParser,
    words: &mut WordCursor<'_>,
) -> Result<(), LineError> {
    let unit = parse_unit(words, MAX_TEXTURE_UNITS)?;
    let update = match words.next_word("a property of texture shaders")? {
        "operation" => parse_operation(words, unit)?,
        "previous" => {
            let expected = "the number of a previous texture unit";
            TextureShaderUpdate::PreviousInput(words.parse_with(expected, |word| {
                let number: Option<u8> = word.parse().ok();
                number.filter(|number| usize::from(*number) < unit)
            })?)
        }
        "mapping" => TextureShaderUpdate::Mapping(words.parse_with("a mapping", |word| {
            let mut all = DotProductMapping::ALL.iter().copied();
            all.find(|mapping| mapping.word() == word)
        })?),
        "cull_modes" => {
            let mut modes = [CullMode::GreaterEqual; 4];
            for mode in &mut modes {
                *mode = words.parse_with("less or gequal", |word| {
                    let mut all = CullMode::ALL.iter().copied();
                    all.find(|mode| mode.word() == word)
                })?;
            }
            TextureShaderUpdate::CullModes(modes)
        }
        "offset_matrix" => {
            TextureShaderUpdate::OffsetMatrix(words.parse_floats("an element of a matrix")?)
        }
        "offset_scale" => {
            let [scale] = words.parse_floats("a scale")?;
            TextureShaderUpdate::OffsetScale(scale)
        }
        "offset_bias" => {
            let [bias] = words.parse_floats("a bias")?;
            TextureShaderUpdate::OffsetBias(bias)
        }
        "const_eye" => {
            TextureShaderUpdate::ConstantEye(words.parse_floats("a component of a vector")?)
        }
        name => {
            let message = format!("`{name}` is not a property of texture shaders");
            return Err(words.error_at_last(message));
        }
    };
    let update = StateUpdate::TextureShader(unit, update);
    parser.push_command(words, Command::GlState(update))
}

/// Consumes the number of a texture unit less than `count`.
fn parse_unit(words: &mut WordCursor<'_>, count: usize) -> Result<usize, LineError> {
    words.parse_with("a texture unit from 0 to 7", |word| {
        word.parse().ok().filter(|unit| *unit < count)
    })
}

/// Consumes the name of an operation. Returns an error if the unit cannot have it.
fn parse_operation(
    words: &mut WordCursor<'_>,
    unit: usize,
) -> Result<TextureShaderUpdate, LineError> {
    let operation = words.parse_with("an operation of texture shaders", |word| {
        let mut all = ShaderOperation::ALL.iter().copied();
        all.find(|operation| operation.word() == word)
    })?;
    if operation.is_allowed(unit, MAX_TEXTURE_UNITS) {
        Ok(TextureShaderUpdate::Operation(operation))
    } else {
        Err(words.error_at_last(format!("texture unit {unit} has no such operation")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn update(line: &str) -> Result<(usize, TextureShaderUpdate), String> {
        let script = Script::parse(format!("[test]\ntexture_shader {line}\n").as_bytes());
        let script = script.map_err(|errors| errors[0].message.clone())?;
        let Command::GlState(StateUpdate::TextureShader(unit, update)) = script.steps[0].command
        else {
            panic!("{line}");
        };
        Ok((unit, update))
    }

    #[test]
    fn properties() {
        let less = CullMode::Less;
        let gequal = CullMode::GreaterEqual;
        for (line, unit, expected) in [
            (
                "7 operation dot_product_texture_cube_map",
                7,
                TextureShaderUpdate::Operation(ShaderOperation::DotProductTextureCubeMap),
            ),
            ("3 previous 2", 3, TextureShaderUpdate::PreviousInput(2)),
            (
                "1 mapping force_blue_to_one",
                1,
                TextureShaderUpdate::Mapping(DotProductMapping::ForceBlueToOne),
            ),
            (
                "0 cull_modes less gequal gequal less",
                0,
                TextureShaderUpdate::CullModes([less, gequal, gequal, less]),
            ),
            (
                "2 offset_matrix 1 2 3 4",
                2,
                TextureShaderUpdate::OffsetMatrix([1.0, 2.0, 3.0, 4.0]),
            ),
            ("2 offset_scale 2", 2, TextureShaderUpdate::OffsetScale(2.0)),
            ("2 offset_bias -1", 2, TextureShaderUpdate::OffsetBias(-1.0)),
            (
                "4 const_eye 0 0.5 1",
                4,
                TextureShaderUpdate::ConstantEye([0.0, 0.5, 1.0]),
            ),
        ] {
            assert_eq!(update(line), Ok((unit, expected)), "{line}");
        }
    }

    #[test]
    fn invalid_properties() {
        for (line, message) in [
            ("8 operation none", "`8` is not a texture unit from 0 to 7"),
            (
                "0 operation dot_product",
                "texture unit 0 has no such operation",
            ),
            (
                "7 operation dot_product",
                "texture unit 7 has no such operation",
            ),
            (
                "2 operation dot_product_texture_3d",
                "texture unit 2 has no such operation",
            ),
            (
                "2 previous 2",
                "`2` is not the number of a previous texture unit",
            ),
            ("1 scale 2", "`scale` is not a property of texture shaders"),
        ] {
            assert_eq!(update(line), Err(message.to_owned()), "{line}");
        }
    }
}
