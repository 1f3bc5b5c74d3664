//! Textures and storage images of a scene: for each unit that the programs read, a pattern that
//! shows orientation, of the target that they use.

use super::attributes::RECTANGLE_SIDE;
use super::program::{InputSetting, SceneInput, SceneProgram};
use super::texture_files::TextureImage;
use glasm::ir::{Image, ImageTexels, TexTarget, Texture, Type};
use glasm_scripts::script::target_name;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Contents of a texture on the command line.
#[derive(Clone, PartialEq, Debug)]
pub struct TextureContents {
    /// True if the texture must be a cube map.
    pub is_cube: bool,
    /// Contents.
    pub kind: TextureKind,
}

/// Kind of the contents of a texture.
#[derive(Clone, PartialEq, Debug)]
pub enum TextureKind {
    /// Pattern of scripts, which follows the format and the size.
    Pattern(&'static str),
    /// Image of a file.
    Image(TextureImage),
}

/// Patterns by their names on the command line.
pub const PATTERNS: &[(&str, &str)] = &[
    ("grid", "grid"),
    (
        "checker",
        "quads (8, 8) (0.9, 0.9, 0.9, 1) (0.2, 0.2, 0.25, 1) (0.2, 0.2, 0.25, 1) (0.9, 0.9, 0.9, 1)",
    ),
    ("normal", "bumps"),
    ("noise", "noise"),
    ("white", "solid 1 1 1 1"),
];

/// Texture image units of scripts.
const UNITS: u32 = 32;

/// Units of an array of textures that get contents.
const MAX_ARRAY_UNITS: u32 = 8;

/// Textures and images that programs read.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct TextureUnits {
    textures: BTreeMap<u32, (Texture, String)>,
    /// Units whose texels are normals.
    normal_maps: BTreeSet<u32>,
    images: BTreeMap<u32, (Image, String)>,
}

impl TextureUnits {
    /// Returns the textures and images that programs read, each with the program that reads it
    /// first.
    pub(super) fn new(programs: &[SceneProgram]) -> Self {
        let mut units = Self::default();
        for program in programs {
            let Some(ir) = &program.ir else { continue };
            units.normal_maps.extend(&program.usage.normal_maps);
            for texture in ir.textures.iter() {
                for unit in list_units(texture.units) {
                    let entry = units.textures.entry(unit);
                    entry.or_insert_with(|| (*texture, program.describe()));
                }
            }
            for image in ir.images.iter() {
                for unit in list_units(image.units) {
                    let entry = units.images.entry(unit);
                    entry.or_insert_with(|| (*image, program.describe()));
                }
            }
        }
        units
    }

    /// Returns the first two-dimensional image, its unit and the format that it has in the script.
    pub(super) fn find_output_image(&self) -> Option<(u32, &'static str)> {
        let mut images = self.images.iter();
        let found = images.find(|(_, (image, _))| image.target == TexTarget::D2);
        found.map(|(unit, (image, _))| (*unit, get_image_format(image)))
    }

    /// Returns the pattern of a texture that nothing sets.
    fn get_default_pattern(&self, unit: u32, texture: &Texture) -> &'static str {
        if texture.shadow {
            "ramp"
        } else if texture.texel_type != Type::F32 {
            "coordinates"
        } else if self.normal_maps.contains(&unit) && !texture.target.is_cube() {
            "bumps"
        } else {
            "grid"
        }
    }

    /// Returns the commands that set the textures, and appends those that the options do not set to
    /// the inputs.
    ///
    /// # Errors
    /// If the options set a unit that no program reads, or contents that its target cannot have.
    pub(super) fn format_textures(
        &self,
        given: &BTreeMap<u32, TextureContents>,
        inputs: &mut Vec<SceneInput>,
    ) -> Result<String, String> {
        let mut text = String::new();
        for unit in given.keys() {
            if !self.textures.contains_key(unit) {
                let known: BTreeSet<&u32> = self.textures.keys().collect();
                return Err(format!(
                    "--texture {unit}: no program reads this texture image unit{}",
                    format_known_units(&known)
                ));
            }
        }
        for (unit, (texture, program)) in &self.textures {
            let contents = given.get(unit);
            let default = self.get_default_pattern(*unit, texture);
            text += &format_texture(*unit, texture, contents, default)?;
            if contents.is_none() {
                let shadow = if texture.shadow { "depths of " } else { "" };
                inputs.push(SceneInput {
                    name: format!("texture[{unit}] of {program}"),
                    value: format!(
                        "{shadow}{} texture, {}",
                        target_name(texture.target),
                        PATTERNS
                            .iter()
                            .find(|(_, pattern)| *pattern == default)
                            .map_or(default, |(name, _)| *name)
                    ),
                    option: format!("--texture {unit}=FILE.png"),
                    setting: if texture.shadow || texture.texel_type != Type::F32 {
                        InputSetting::None
                    } else {
                        InputSetting::Texture(*unit)
                    },
                });
            }
        }
        Ok(text)
    }

    /// Returns the commands that create the images; two-dimensional ones have the size of the
    /// framebuffer if `size` is specified. Appends them to the inputs.
    pub(super) fn format_images(
        &self,
        size: Option<[u32; 2]>,
        inputs: &mut Vec<SceneInput>,
    ) -> String {
        let mut text = String::new();
        for (unit, (image, program)) in &self.images {
            let format = get_image_format(image);
            let target = target_name(image.target);
            let side = match (size, image.target) {
                (Some([width, height]), TexTarget::D2) => format!("({width}, {height})"),
                _ => format_size(image.target).to_owned(),
            };
            let contents = if size.is_some() { "" } else { " rgbw" };
            let line = format!("image {target} {unit} {format} {side}{contents}");
            let _ = writeln!(text, "{line}");
            inputs.push(SceneInput {
                name: format!("image[{unit}] of {program}"),
                value: format!("{target} image, {format}"),
                option: format!("--state \"{line}\""),
                setting: InputSetting::None,
            });
        }
        text
    }
}

/// Returns the units of a set that scripts have.
fn list_units(units: glasm::ir::UnitSet) -> impl Iterator<Item = u32> {
    let (first, count) = match units {
        glasm::ir::UnitSet::Single(unit) => (unit, 1),
        glasm::ir::UnitSet::Array { first, count } => (first, count.min(MAX_ARRAY_UNITS)),
        // Handles select resident textures, for which unit 0 is used.
        glasm::ir::UnitSet::Handle | glasm::ir::UnitSet::QueryHandle => (0, 1),
    };
    (first..first.saturating_add(count)).filter(|unit| *unit < UNITS)
}

/// Formats the units that programs read, for an error.
fn format_known_units(units: &BTreeSet<&u32>) -> String {
    if units.is_empty() {
        return "; the programs read no textures".to_owned();
    }
    let words: Vec<String> = units.iter().map(ToString::to_string).collect();
    format!("; they read {}", words.join(", "))
}

/// Returns the commands for one texture; `default` is its pattern if nothing sets it.
fn format_texture(
    unit: u32,
    texture: &Texture,
    contents: Option<&TextureContents>,
    default: &str,
) -> Result<String, String> {
    let target = target_name(texture.target);
    let is_integer = texture.texel_type != Type::F32;
    if let Some(contents) = contents {
        let reads = |what: &str| format!("--texture {unit}: the programs read {what} there");
        if contents.is_cube && !texture.target.is_cube() {
            return Err(reads(&format!("a {target} texture")));
        }
        if texture.shadow {
            return Err(reads("depths"));
        }
        if is_integer {
            return Err(reads("integers"));
        }
    }
    let mut text = match contents.map(|contents| &contents.kind) {
        Some(TextureKind::Image(image)) => image.format_command(unit, texture.target)?,
        Some(TextureKind::Pattern(pattern)) => format_pattern(unit, texture, pattern),
        None => format_pattern(unit, texture, default),
    };
    // Some devices have no linear filters for depths.
    if has_filter(texture.target) && !is_integer && !texture.shadow {
        let levels = if text.contains(" levels all ") {
            "linear_mipmap_linear"
        } else {
            "linear"
        };
        let _ = writeln!(text, "texparameter {target} min {levels}");
        let _ = writeln!(text, "texparameter {target} mag linear");
    }
    Ok(text)
}

/// Returns the command that sets a texture to a pattern of scripts.
fn format_pattern(unit: u32, texture: &Texture, pattern: &str) -> String {
    let target = target_name(texture.target);
    let format = if texture.shadow {
        "D32_SFLOAT"
    } else if texture.texel_type == Type::S32 {
        "R32G32B32A32_SINT"
    } else if texture.texel_type == Type::U32 {
        "R32G32B32A32_UINT"
    } else {
        "R8G8B8A8_UNORM"
    };
    let size = format_size(texture.target);
    // Fields of a fixed number of texels would have other sizes at other levels.
    let has_levels = has_filter(texture.target)
        && texture.target != TexTarget::Rect
        && !pattern.starts_with("quads");
    let levels = if has_levels { "levels all " } else { "" };
    format!("texture {target} {unit} {levels}{format} {size} {pattern}\n")
}

/// Returns the size of the textures of a target, in the words of scripts.
fn format_size(target: TexTarget) -> &'static str {
    debug_assert_eq!(RECTANGLE_SIDE, 64.0);
    match target {
        TexTarget::D1 | TexTarget::Buffer => "(64)",
        TexTarget::D2 | TexTarget::Cube | TexTarget::Rect | TexTarget::D2Multisample => "(64, 64)",
        TexTarget::D1Array => "(64, 4)",
        TexTarget::D3 => "(32, 32, 32)",
        TexTarget::D2Array | TexTarget::D2MultisampleArray => "(64, 64, 4)",
        TexTarget::CubeArray => "(64, 64, 12)",
    }
}

/// Returns true if textures of a target have filters.
fn has_filter(target: TexTarget) -> bool {
    target != TexTarget::Buffer && !target.is_multisample()
}

/// Returns the format of an image in the script: the declared one, or one that suits the type and
/// the size of the texels.
fn get_image_format(image: &Image) -> &'static str {
    if let Some(format) = image.format {
        return format;
    }
    match image.texels {
        ImageTexels::Formatted(Type::S32) => "R32G32B32A32_SINT",
        ImageTexels::Formatted(Type::U32) => "R32G32B32A32_UINT",
        ImageTexels::Raw(8) => "R8_UNORM",
        ImageTexels::Raw(16) => "R8G8_UNORM",
        ImageTexels::Raw(64) => "R16G16B16A16_UNORM",
        ImageTexels::Raw(128) => "R32G32B32A32_SFLOAT",
        ImageTexels::Formatted(_) | ImageTexels::Raw(_) | ImageTexels::Unused => "R8G8B8A8_UNORM",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_scripts::script::Script;

    fn textures(program: &str, given: &[(u32, TextureContents)]) -> Result<String, String> {
        let programs = SceneProgram::split(program.as_bytes());
        let given = given.iter().cloned().collect();
        TextureUnits::new(&programs).format_textures(&given, &mut Vec::new())
    }

    #[test]
    fn every_target_has_a_texture() {
        for target in [
            "1D",
            "2D",
            "3D",
            "CUBE",
            "RECT",
            "ARRAY1D",
            "ARRAY2D",
            "ARRAYCUBE",
            "SHADOW1D",
            "SHADOW2D",
            "SHADOWRECT",
            "SHADOWCUBE",
        ] {
            let program = format!(
                "!!NVfp5.0\nTEX result.color, fragment.texcoord[0], texture[1], {target};\nEND"
            );
            let commands = textures(&program, &[]).unwrap();
            let script = format!(
                "[vertex program passthrough]\n[fragment program]\n{program}\n[test]\n{commands}\n"
            );
            let parsed = Script::parse_runnable(script.as_bytes());
            assert!(parsed.is_ok(), "{commands}: {:?}", parsed.err());
        }
    }

    #[test]
    fn contents_must_suit_the_program() {
        let program = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[1], 2D;\nEND";
        let contents = |is_cube| TextureContents {
            is_cube,
            kind: TextureKind::Pattern("noise"),
        };
        let commands = textures(program, &[(1, contents(false))]).unwrap();
        assert!(commands.starts_with("texture 2D 1 levels all R8G8B8A8_UNORM (64, 64) noise\n"));
        let error = textures(program, &[(0, contents(false))]).unwrap_err();
        assert!(error.ends_with("they read 1"), "{error}");
        let error = textures(program, &[(1, contents(true))]).unwrap_err();
        assert!(error.ends_with("read a 2D texture there"), "{error}");
    }
}
