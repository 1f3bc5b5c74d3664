//! The command line of `glasm draw`.

use clap::Args;
use glasm_scene::{AttributeKind, MatrixSetting, ParameterSetting};
use std::path::PathBuf;

pub(super) const DRAW_HELP: &str = "\
Draws programs without a script: each file has one or several programs, one of each type, in any language. Stages that
are missing are added: a rectangle for a fragment program, a torus for a vertex program, points, lines, triangles or
patches where a geometry or tessellation program requires them. A compute program is dispatched with an invocation for
each pixel, and the image or the storage buffer that it writes is shown.
Inputs that no option sets get values that show something, and are listed with their values and the options that set
them. Parameters of a vertex program that are used as matrices get those of the view.

Values:
  --texture UNIT=FILE.png|PATTERN       patterns: grid, checker, normal, noise, white; cube: before it requires a cube map
  --env, --local [STAGE:]N=X,Y,Z,W      stages: vertex, tess_control, tess_eval, geometry, fragment, compute; one number
                                        stands for four. --local also sets parameters with names: --local tint=1,0,0
  --constant [STAGE:][BUFFER.]N=X,Y,Z,W CONST[N] of TGSI and vectors of program.buffer
  --attribute N=KIND|X,Y,Z,W            position, normal, tangent, binormal, color, texcoord, direction
  --matrix NAME=NUMBERS|OPERATIONS      modelview, projection, texture N, program N; 16 numbers, or operations of scripts
  --light N=X,Y,Z[,W]|\"N PROPERTY ...\"  position in eye space, or a property as in the command `light` of scripts

Exit status: 0 the image was drawn, 1 a program has errors or cannot be drawn, 2 invalid usage or no device.

Examples:
  glasm draw bump.fp -o bump.png
  glasm draw lit.vp lit.fp -o lit.png --size 512x512 --texture 0=wood.png --open
  glasm draw skin.vp -o skin.png --model head.obj --env 8=0.5,0.5,1 --light 0=1,2,3
  glasm draw lit.vp -o turn.png --frames 24
  glasm draw blur.tgsi -o blur.png --constant 0=0.01,0.02,0,0 --state \"texparameter 2D mag nearest\"
  glasm draw bump.fp -o bump.png --write-script bump.shader_test; glasm run bump.shader_test --save-images .";

/// `glasm draw`.
#[derive(Args, Debug)]
pub(crate) struct DrawArgs {
    /// Programs, or - for standard input
    #[arg(required = true, value_name = "PROGRAM|-")]
    pub(crate) programs: Vec<PathBuf>,
    /// Image, a PNG file; with --frames an animated one
    #[arg(short, long, value_name = "IMAGE.png", value_parser = parse_image_path)]
    pub(crate) output: PathBuf,
    /// Width and height of the image in pixels
    #[arg(long, value_name = "WxH", default_value = "256x256", value_parser = parse_size)]
    pub(crate) size: [u32; 2],
    /// Number of images of an animation in which the view rotates
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=360))]
    pub(crate) frames: u32,
    /// Model to draw, a file of Wavefront OBJ, scaled to the size of the view
    #[arg(long, value_name = "FILE.obj")]
    pub(crate) model: Option<PathBuf>,
    /// Contents of a texture image unit; may be repeated, as the following options
    #[arg(long, value_name = "UNIT=FILE.png|PATTERN", value_parser = parse_texture)]
    pub(crate) texture: Vec<TextureArg>,
    /// Value of `program.env[N]`
    #[arg(long, value_name = "[STAGE:]N=X,Y,Z,W", allow_hyphen_values = true)]
    pub(crate) env: Vec<ParameterSetting>,
    /// Value of `program.local[N]`, or of a parameter with a name
    #[arg(long, value_name = "[STAGE:]N=X,Y,Z,W", allow_hyphen_values = true)]
    pub(crate) local: Vec<ParameterSetting>,
    /// Value of a vector of a constant buffer
    #[arg(
        long,
        value_name = "[STAGE:][BUFFER.]N=X,Y,Z,W",
        allow_hyphen_values = true
    )]
    pub(crate) constant: Vec<ParameterSetting>,
    /// Contents of a vertex attribute
    #[arg(long, value_name = "N=KIND|X,Y,Z,W", value_parser = parse_attribute)]
    pub(crate) attribute: Vec<(u32, AttributeKind)>,
    /// Matrix of GL state
    #[arg(long, value_name = "NAME=NUMBERS|OPERATIONS")]
    pub(crate) matrix: Vec<MatrixSetting>,
    /// Position of a light, or another property
    #[arg(long, value_name = "N=X,Y,Z[,W]|N PROPERTY VALUES", value_parser = parse_light)]
    pub(crate) light: Vec<String>,
    /// Line of a script before the draw
    #[arg(long, value_name = "LINE", value_parser = parse_line)]
    pub(crate) state: Vec<String>,
    /// Line of [require] of a script, such as `tgsi old` or `fixed two_sided_color`
    #[arg(long, value_name = "LINE", value_parser = parse_line)]
    pub(crate) require: Vec<String>,
    /// Write the script that draws the image
    #[arg(long, value_name = "FILE.shader_test")]
    pub(crate) write_script: Option<PathBuf>,
    /// Open the image with the viewer of the system
    #[arg(long)]
    pub(crate) open: bool,
    /// Number of the device, or a part of its name; see `glasm devices`
    #[arg(long, value_name = "N|NAME")]
    pub(crate) device: Option<String>,
    /// Draw with the interpreter instead of a device: vertex, geometry and fragment programs
    #[arg(long, conflicts_with = "device")]
    pub(crate) interpreter: bool,
}

/// Contents of a texture image unit, before files are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TextureArg {
    /// Unit.
    pub(crate) unit: u32,
    /// True with the prefix `cube:`.
    pub(crate) is_cube: bool,
    /// Name of a pattern, or path of a file.
    pub(crate) contents: String,
}

/// Largest width and height.
const MAX_SIDE: u32 = 4096;

/// Parses the path of the image, whose name ends in `.png`.
fn parse_image_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let extension = path.extension().and_then(|it| it.to_str());
    if extension.is_some_and(|it| it.eq_ignore_ascii_case("png")) {
        Ok(path)
    } else {
        Err("expected the name of a file that ends in .png".to_owned())
    }
}

/// Parses width and height, each from 1 to [`MAX_SIDE`].
fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let err_size = || format!("expected WIDTHxHEIGHT, each from 1 to {MAX_SIDE}, such as 256x256");
    let (width, height) = text.split_once('x').ok_or_else(err_size)?;
    let side = |word: &str| {
        let side = word.parse().ok();
        side.filter(|side| (1..=MAX_SIDE).contains(side))
            .ok_or_else(err_size)
    };
    Ok([side(width)?, side(height)?])
}

/// Parses `UNIT=[cube:]CONTENTS`.
fn parse_texture(text: &str) -> Result<TextureArg, String> {
    let usage = "expected UNIT=FILE.png or UNIT=PATTERN, such as 0=checker";
    let (unit, contents) = text.split_once('=').ok_or(usage)?;
    let unit = unit.parse().ok().filter(|unit| *unit < 32);
    let unit = unit.ok_or("expected a texture image unit from 0 to 31 before =")?;
    let (is_cube, contents) = match contents.strip_prefix("cube:") {
        Some(contents) => (true, contents),
        None => (false, contents),
    };
    if contents.is_empty() {
        return Err(usage.to_owned());
    }
    Ok(TextureArg {
        unit,
        is_cube,
        contents: contents.to_owned(),
    })
}

/// Parses `N=KIND` or `N=X,Y,Z,W`.
fn parse_attribute(text: &str) -> Result<(u32, AttributeKind), String> {
    let (number, kind) = text
        .split_once('=')
        .ok_or("expected N=KIND, such as 2=normal")?;
    let number = number.parse().ok().filter(|number| *number < 32);
    let number = number.ok_or("expected an attribute from 0 to 31 before =")?;
    Ok((number, kind.parse()?))
}

/// Parses `N=X,Y,Z[,W]` or `N PROPERTY VALUES`, and returns the line of a script.
fn parse_light(text: &str) -> Result<String, String> {
    let usage = "expected N=X,Y,Z or \"N PROPERTY VALUES\", such as \"0 diffuse 1 0.5 0.25 1\"";
    let Some((number, position)) = text.split_once('=') else {
        let line = parse_line(text)?;
        let is_numbered = line.starts_with(|c: char| c.is_ascii_digit());
        let line = is_numbered.then(|| format!("light {line}"));
        return line.ok_or_else(|| usage.to_owned());
    };
    let number: u32 = number.parse().map_err(|_| usage)?;
    let words: Vec<&str> = position.split(',').map(str::trim).collect();
    let are_numbers = words.iter().all(|word| word.parse::<f32>().is_ok());
    match words.len() {
        // Like a direction, three numbers are a light at infinity.
        3 if are_numbers => Ok(format!("light {number} position {} 0", words.join(" "))),
        4 if are_numbers => Ok(format!("light {number} position {}", words.join(" "))),
        _ => Err(usage.to_owned()),
    }
}

/// Parses one line of a script, which must not begin a section.
fn parse_line(text: &str) -> Result<String, String> {
    let line = text.trim();
    if line.is_empty() || line.contains(['\n', '\r', '\0']) {
        return Err("expected one line of a script".to_owned());
    }
    if line.starts_with('[') || line.ends_with('\\') {
        return Err("a line must not begin a section or continue".to_owned());
    }
    Ok(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_positive_and_limited() {
        assert_eq!(parse_size("640x480"), Ok([640, 480]));
        for wrong in [
            "",
            "0x1",
            "1x0",
            "nanxnan",
            "100000x100000",
            "4097x1",
            "-1x5",
            "5",
            "1x2x3",
            "1.5x2",
        ] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn textures_have_a_unit_and_contents() {
        let texture = parse_texture("3=cube:sky=1.png").unwrap();
        assert_eq!(
            (texture.unit, texture.is_cube, texture.contents.as_str()),
            (3, true, "sky=1.png")
        );
        for wrong in ["", "0", "0=", "0=cube:", "32=grid", "x=grid", "-1=grid"] {
            assert!(parse_texture(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lights_are_lines_of_scripts() {
        assert_eq!(parse_light("0=1,2,3").unwrap(), "light 0 position 1 2 3 0");
        assert_eq!(
            parse_light("1=1, 2,3,1").unwrap(),
            "light 1 position 1 2 3 1"
        );
        assert_eq!(
            parse_light("0 diffuse 1 0 0 1").unwrap(),
            "light 0 diffuse 1 0 0 1"
        );
        for wrong in ["", "0=1,2", "0=a,b,c", "x=1,2,3", "diffuse 1 0 0 1"] {
            assert!(parse_light(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lines_of_scripts_are_single_lines() {
        assert_eq!(
            parse_line(" blendEnable true ").unwrap(),
            "blendEnable true"
        );
        for wrong in ["", "a\nb", "[test]", "a \\"] {
            assert!(parse_line(wrong).is_err(), "{wrong}");
        }
        assert!(parse_image_path("a/b.PNG").is_ok() && parse_image_path("a.jpg").is_err());
        assert_eq!(parse_attribute("2=normal"), Ok((2, AttributeKind::Normal)));
        assert!(parse_attribute("99=normal").is_err() && parse_attribute("2").is_err());
    }
}
