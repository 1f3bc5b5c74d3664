//! Settings of a scene, as the command line contains them.

use super::attributes::AttributeKind;
use super::mesh::Mesh;
use super::textures::TextureContents;
use glasm::ProgramType;
use std::collections::BTreeMap;
use std::str::FromStr;

/// Settings of a scene. The default has no model and one frame, and sets nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct SceneOptions {
    /// File name of the image, which ends in `.png`.
    pub image_name: String,
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Number of images, between which the view rotates by one turn.
    pub frames: u32,
    /// Mesh instead of the default one.
    pub model: Option<Mesh>,
    /// Contents of textures, by unit.
    pub textures: BTreeMap<u32, TextureContents>,
    /// Values of parameters.
    pub parameters: Vec<(ParameterBank, ParameterSetting)>,
    /// Contents of vertex attributes, by number.
    pub attributes: BTreeMap<u32, AttributeKind>,
    /// Matrices.
    pub matrices: Vec<MatrixSetting>,
    /// Lines of a script that set lights, before the matrices of the view.
    pub lights: Vec<String>,
    /// Lines of a script before each draw.
    pub state: Vec<String>,
    /// Lines of `[require]`.
    pub require: Vec<String>,
}

impl Default for SceneOptions {
    fn default() -> Self {
        Self {
            image_name: "image.png".to_owned(),
            size: [256, 256],
            frames: 1,
            model: None,
            textures: BTreeMap::new(),
            parameters: Vec::new(),
            attributes: BTreeMap::new(),
            matrices: Vec::new(),
            lights: Vec::new(),
            state: Vec::new(),
            require: Vec::new(),
        }
    }
}

impl SceneOptions {
    /// Returns the file name of the image of a frame, in characters that scripts accept, with a
    /// number if there are several frames.
    pub(super) fn format_image_name(&self, frame: u32) -> String {
        let stem = self.image_name.trim_end_matches(".png");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let plain = stem.chars().map(|c| if is_plain(c) { c } else { '_' });
        let mut name: String = plain.collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, '_');
        }
        if self.frames > 1 {
            name += &format!("-{frame:03}");
        }
        name + ".png"
    }
}

/// Parameters that have numbers or names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ParameterBank {
    /// `program.env[n]`.
    Env,
    /// `program.local[n]`, and parameters with names.
    Local,
    /// Vectors of constant buffers.
    Constant,
}

impl ParameterBank {
    /// Returns the option that sets parameters of the bank.
    pub(super) fn option(self) -> &'static str {
        match self {
            Self::Env => "--env",
            Self::Local => "--local",
            Self::Constant => "--constant",
        }
    }
}

/// Identity of a parameter in its bank.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ParameterKey {
    /// Number in a bank, or in a constant buffer with a binding (0 in banks).
    Number {
        /// Binding of the constant buffer.
        buffer: u32,
        /// Number of the vector.
        number: u32,
    },
    /// Name that the program declares.
    Name(String),
}

/// Value of a parameter: `[STAGE:]N=X,Y,Z,W`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParameterSetting {
    /// Type of the program; `None` if only one program has the parameter.
    pub program_type: Option<ProgramType>,
    /// The parameter.
    pub key: ParameterKey,
    /// Four words of a script.
    pub value: [String; 4],
}

impl FromStr for ParameterSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (target, value) = text
            .split_once('=')
            .ok_or("expected [STAGE:]N=X,Y,Z,W, such as fragment:0=1,0.5,0,1")?;
        let (program_type, key) = match target.split_once(':') {
            None => (None, target),
            Some((stage, key)) => (Some(parse_program_type(stage)?), key),
        };
        Ok(Self {
            program_type,
            key: parse_key(key)?,
            value: parse_value(value)?,
        })
    }
}

/// Parses the identifier of a program type: `vertex`, `tess_control`.
fn parse_program_type(word: &str) -> Result<ProgramType, String> {
    let found = ProgramType::all().find(|it| it.identifier() == word);
    found.ok_or_else(|| {
        let names: Vec<&str> = ProgramType::all().map(ProgramType::identifier).collect();
        format!("`{word}` is not one of {}", names.join(", "))
    })
}

/// Parses the number of a parameter, the numbers of a buffer and of a vector with a point between
/// them, or a name.
fn parse_key(word: &str) -> Result<ParameterKey, String> {
    let err_key = || format!("`{word}` is not the number or the name of a parameter");
    let begins_name = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$');
    if word.starts_with(begins_name) {
        let is_name = word.chars().all(|c| begins_name(c) || c.is_ascii_digit());
        let name = is_name.then(|| ParameterKey::Name(word.to_owned()));
        return name.ok_or_else(err_key);
    }
    let (buffer, number) = word.split_once('.').unwrap_or(("0", word));
    match (buffer.parse(), number.parse()) {
        (Ok(buffer), Ok(number)) => Ok(ParameterKey::Number { buffer, number }),
        _ => Err(err_key()),
    }
}

/// Parses one to four numbers as a vector, as in programs: one number is repeated, others are
/// followed by those of (0, 0, 0, 1). Hexadecimal numbers are bits.
fn parse_value(text: &str) -> Result<[String; 4], String> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    for word in &words {
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        let is_number = match digits {
            Some(digits) => u32::from_str_radix(digits, 16).is_ok(),
            None => word.parse::<f32>().is_ok(),
        };
        if !is_number {
            return Err(format!("`{word}` is not a number"));
        }
    }
    if let [one] = words[..] {
        return Ok([one; 4].map(str::to_owned));
    }
    if words.len() > 4 {
        return Err(format!("expected at most 4 numbers, got {}", words.len()));
    }
    let defaults = ["0", "0", "0", "1"];
    Ok(std::array::from_fn(|index| {
        (*words.get(index).unwrap_or(&defaults[index])).to_owned()
    }))
}

/// Matrix: `NAME=16 NUMBERS` or `NAME=OPERATION; OPERATION`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatrixSetting {
    /// Name in the words of scripts: `modelview`, `program 3`.
    pub name: String,
    /// Operations in the words of scripts, such as `rotate 30 0 1 0`.
    pub operations: Vec<String>,
}

impl FromStr for MatrixSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or(
            "expected NAME=16 NUMBERS or NAME=OPERATIONS, such as \"modelview=translate 0 0 -4\"",
        )?;
        let name = normalize_matrix_name(name)?;
        let numbers = value.split([',', ' ']).filter(|word| !word.is_empty());
        let numbers: Vec<&str> = numbers.collect();
        let is_number = |word: &&str| word.parse::<f32>().is_ok();
        let operations = if numbers.iter().all(is_number) {
            if numbers.len() != 16 {
                return Err(format!("expected 16 numbers, got {}", numbers.len()));
            }
            vec![format!("load {}", numbers.join(" "))]
        } else {
            let operations = value.split(';').map(str::trim);
            operations.map(str::to_owned).collect()
        };
        Ok(Self { name, operations })
    }
}

/// Returns the name of a matrix in the words of scripts, with its number if it has one.
fn normalize_matrix_name(name: &str) -> Result<String, String> {
    const NUMBERED: [&str; 4] = ["modelview", "texture", "palette", "program"];
    let name = name.trim();
    if matches!(name, "modelview" | "projection") {
        return Ok(name.to_owned());
    }
    let word = name.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    let number = name[word.len()..].trim_matches(|c: char| !c.is_ascii_digit());
    let is_known = NUMBERED.contains(&word) && number.parse::<u32>().is_ok();
    let is_modelview = word == "modelview" && number == "0";
    if is_known && !is_modelview {
        return Ok(format!("{word} {number}"));
    }
    if is_modelview {
        return Ok(word.to_owned());
    }
    Err(format!(
        "`{name}` is not modelview, projection, or texture, palette or program with a number"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::ir::Stage;

    #[test]
    fn images_have_names_that_scripts_accept() {
        let name = |image: &str, frames: u32| {
            let options = SceneOptions {
                image_name: image.to_owned(),
                frames,
                ..SceneOptions::default()
            };
            options.format_image_name(2)
        };
        assert_eq!(name("a b(1).png", 1), "a_b_1_.png");
        assert_eq!(name("1.png", 1), "_1.png");
        assert_eq!(name("turn.png", 3), "turn-002.png");
    }

    #[test]
    fn parameters_are_vectors_as_in_programs() {
        let value = |text: &str| {
            text.parse::<ParameterSetting>()
                .map(|it| it.value.join(" "))
        };
        assert_eq!(value("0=2").unwrap(), "2 2 2 2");
        assert_eq!(value("0=2,-3").unwrap(), "2 -3 0 1");
        assert_eq!(value("0=1,2,3,0x3f800000").unwrap(), "1 2 3 0x3f800000");
        for wrong in [
            "0=",
            "0=1,2,3,4,5",
            "0=a",
            "0=1,,2",
            "0=0x1ffffffff",
            "=1",
            "0",
            "-1=2",
        ] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
        let setting: ParameterSetting = "fragment:1.7=0".parse().unwrap();
        assert_eq!(
            setting.program_type,
            Some(ProgramType::Stage(Stage::Fragment))
        );
        let key = ParameterKey::Number {
            buffer: 1,
            number: 7,
        };
        assert_eq!(setting.key, key);
        let named: ParameterSetting = "tint=1".parse().unwrap();
        assert_eq!(named.key, ParameterKey::Name("tint".to_owned()));
        let wrong = "pixel:0=1".parse::<ParameterSetting>().unwrap_err();
        assert!(wrong.contains("fragment"), "{wrong}");
    }

    #[test]
    fn matrices_are_numbers_or_operations() {
        let parse = |text: &str| text.parse::<MatrixSetting>();
        let identity = "1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1";
        let loaded = parse(&format!("program[3]={identity}")).unwrap();
        assert_eq!(loaded.name, "program 3");
        assert_eq!(loaded.operations, ["load 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"]);
        let moved = parse("modelview0=translate 0 0 -4; rotate 30 0 1 0").unwrap();
        assert_eq!(moved.name, "modelview");
        assert_eq!(moved.operations, ["translate 0 0 -4", "rotate 30 0 1 0"]);
        for wrong in [
            "modelview=1,2",
            "model=identity",
            "texture=identity",
            "identity",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
