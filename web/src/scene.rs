//! The image of programs, its inputs, and traces of its pixels.

use crate::document::MAX_TEXT_BYTES;
use glasm_scene::trace::json::{format_statement, format_values};
use glasm_scene::trace::{SourceLines, Trace};
use glasm_scene::{
    ATTRIBUTE_KINDS, InputSetting, PATTERNS, ParameterBank, Scene, SceneInput, SceneOptions,
    SceneProgram, TextureContents, TextureImage, TextureKind, build_scene,
};
use glasm_scripts::script::{Convention, Script};
use glasm_scripts::software::{FragmentSelection, find_fragment, render_images};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Cursor;

/// Steps of an invocation at most.
const MAX_STEPS: u64 = 1 << 18;

/// Statements of a trace at most.
const MAX_STATEMENTS: usize = 2000;

/// Width and height of an image at most.
const MAX_SIDE: u32 = 1024;

/// Programs of the page and the values that its controls set.
#[derive(Deserialize, Clone, Debug, Default)]
pub struct SceneRequest {
    /// Sources of the editors.
    pub texts: Vec<String>,
    /// Values of inputs, by their keys.
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// Width and height of the image in pixels.
    pub size: [u32; 2],
}

/// PNG files for textures, by the unit.
pub type TextureFiles = BTreeMap<u32, Vec<u8>>;

/// An image of a scene.
#[derive(Clone, PartialEq, Debug)]
pub struct DrawnImage {
    /// Red, green, blue and alpha of each pixel, the upper left one first.
    pub bytes: Vec<u8>,
    /// What the simulation leaves out, in words.
    pub limitations: Vec<String>,
}

impl SceneRequest {
    /// Returns the programs of all sources.
    ///
    /// # Errors
    /// If there is none, or one has errors.
    fn load_programs(&self) -> Result<Vec<SceneProgram>, String> {
        let texts = self.texts.iter();
        if texts.clone().any(|text| text.len() > MAX_TEXT_BYTES) {
            return Err("a source is too large".to_owned());
        }
        let programs: Vec<_> = texts
            .flat_map(|text| SceneProgram::split(text.as_bytes()))
            .collect();
        if programs.is_empty() {
            return Err("there is no program".to_owned());
        }
        if let Some(program) = programs.iter().find(|it| it.has_errors()) {
            let name = program.program_type.name();
            return Err(format!("the {name} program has errors"));
        }
        Ok(programs)
    }

    /// Returns the scene and all inputs of the programs with their default values.
    ///
    /// # Errors
    /// If the programs do not form a scene, or a value is not valid.
    fn build(&self, files: &TextureFiles) -> Result<(Scene, Vec<SceneInput>), String> {
        if self.size.iter().any(|side| !(1..=MAX_SIDE).contains(side)) {
            return Err(format!("an image has 1 to {MAX_SIDE} pixels on each side"));
        }
        let programs = self.load_programs()?;
        let mut options = SceneOptions {
            size: self.size,
            ..SceneOptions::default()
        };
        let scene = build_scene(&programs, &options)?;
        let mut is_changed = false;
        for input in &scene.inputs {
            let key = format_key(&input.setting);
            let value = key.and_then(|key| self.values.get(&key));
            if let Some(value) = value {
                is_changed = true;
                set_input(&mut options, &input.setting, value, files)
                    .map_err(|error| format!("{}: {error}", input.name))?;
            }
        }
        if !is_changed {
            let inputs = scene.inputs.clone();
            return Ok((scene, inputs));
        }
        Ok((build_scene(&programs, &options)?, scene.inputs))
    }

    /// Returns the inputs of the programs with their controls as JSON.
    ///
    /// # Errors
    /// As for [`Self::build`].
    pub fn describe_inputs(&self, files: &TextureFiles) -> Result<Value, String> {
        let (scene, inputs) = self.build(files)?;
        let list = inputs.iter().map(|input| {
            let key = format_key(&input.setting);
            let given = key.as_ref().and_then(|key| self.values.get(key));
            json!({
                "key": key,
                "name": input.name,
                "initial": input.value,
                "value": given.unwrap_or(&input.value),
                "isSet": given.is_some(),
                "option": input.option,
                "control": describe_control(&input.setting),
            })
        });
        Ok(json!({ "inputs": list.collect::<Vec<_>>(), "hasImage": !scene.images.is_empty() }))
    }

    /// Parses the script of the scene.
    pub(crate) fn build_script(&self, files: &TextureFiles) -> Result<Script, String> {
        let (scene, _) = self.build(files)?;
        if scene.images.is_empty() {
            return Err("the programs draw nothing".to_owned());
        }
        Script::parse_runnable(scene.text.as_bytes()).map_err(|errors| {
            let first = errors.first();
            first.map_or_else(String::new, |error| error.message.clone())
        })
    }

    /// Draws the scene with the interpreter.
    ///
    /// # Errors
    /// If the programs do not form a scene that draws something, or it cannot be simulated.
    pub fn draw(&self, files: &TextureFiles) -> Result<DrawnImage, String> {
        let script = self.build_script(files)?;
        let rendered = render_images(&script, MAX_STEPS)?;
        let limitations: Vec<String> = rendered.limitations.into_iter().collect();
        let image = rendered.images.first().filter(|_| rendered.is_complete);
        let Some(image) = image else {
            return Err(limitations.join("; "));
        };
        Ok(DrawnImage {
            bytes: image.to_rgba8(self.size[0], script.requirements.convention),
            limitations,
        })
    }

    /// Traces the fragment that determines the color of a pixel, counted from the upper left one,
    /// and returns its statements and results as JSON.
    ///
    /// # Errors
    /// If no draw covers the pixel, or it cannot be simulated.
    pub fn trace(&self, [x, y]: [u32; 2], files: &TextureFiles) -> Result<Value, String> {
        let script = self.build_script(files)?;
        let [_, height] = self.size;
        let row = match script.requirements.convention {
            Convention::OpenGl => height.saturating_sub(1).saturating_sub(y),
            Convention::Vulkan => y,
        };
        let found = find_fragment(
            &script,
            &FragmentSelection {
                pixel: [x, row],
                line: None,
                end_line: None,
                step_limit: MAX_STEPS,
            },
        )?;
        let program = &found.invocation.program;
        let is_generated = program.is_generated();
        let own = program.section.text.trim_ascii();
        let pane = self.texts.iter().position(|text| {
            let text = text.as_bytes();
            !own.is_empty() && text.windows(own.len()).any(|window| window == own)
        });
        let pane = pane.filter(|_| !is_generated);
        let file = pane.map(|pane| self.texts[pane].as_bytes());
        let source = SourceLines::new(&script, file, program);
        let trace = Trace::run(&found.invocation, MAX_STEPS, false);
        let statements = trace.statements.iter().take(MAX_STATEMENTS).enumerate();
        let statements = statements.map(|(number, statement)| {
            format_statement(&program.ir, &source, statement, number, false)
        });
        let results = trace.list_results(program.ir.stage);
        let results = results.iter().map(|(name, ty, lanes)| {
            json!({ "name": name, "type": ty.name(), "values": format_values(*ty, lanes) })
        });
        let findings = trace.list_first_findings();
        let findings = findings
            .iter()
            .map(|first| json!({ "kind": first.finding.word(), "statement": first.statement }));
        let is_discarded = trace.result.as_ref().is_some_and(|it| it.is_discarded);
        Ok(json!({
            "pixel": [x, y],
            "pane": pane,
            "stage": program.ir.stage.name(),
            "primitive": found.primitive,
            "drawn": found.is_drawn,
            "discarded": is_discarded,
            "statements": statements.collect::<Vec<_>>(),
            "omitted": trace.statements.len().saturating_sub(MAX_STATEMENTS),
            "end": trace.end,
            "findings": findings.collect::<Vec<_>>(),
            "results": results.collect::<Vec<_>>(),
            "limitations": found.limitations,
        }))
    }
}

/// Names of the banks of parameters in keys.
const BANKS: [(ParameterBank, &str); 3] = [
    (ParameterBank::Env, "env"),
    (ParameterBank::Local, "local"),
    (ParameterBank::Constant, "constant"),
];

/// Returns the key of an input in [`SceneRequest::values`]; `None` for one that has no control.
fn format_key(setting: &InputSetting) -> Option<String> {
    match setting {
        InputSetting::Parameter(bank, target, _) => {
            let name = BANKS.iter().find(|(known, _)| known == bank);
            name.map(|(_, name)| format!("{name} {target}"))
        }
        InputSetting::Texture(unit) => Some(format!("texture {unit}")),
        InputSetting::Attribute(number) => Some(format!("attribute {number}")),
        InputSetting::Line(words) => Some(format!("line {words}")),
        InputSetting::None => None,
    }
}

/// Returns the control for a setting as JSON.
fn describe_control(setting: &InputSetting) -> Value {
    match setting {
        InputSetting::Parameter(_, _, count) => json!({ "kind": "vector", "count": count }),
        InputSetting::Texture(unit) => {
            let names: Vec<&str> = PATTERNS.iter().map(|(name, _)| *name).collect();
            json!({ "kind": "texture", "unit": unit, "names": names })
        }
        InputSetting::Attribute(_) => {
            let names: Vec<&str> = ATTRIBUTE_KINDS.iter().map(|(name, _)| *name).collect();
            json!({ "kind": "attribute", "names": names })
        }
        InputSetting::Line(_) => json!({ "kind": "numbers" }),
        InputSetting::None => json!({ "kind": "none" }),
    }
}

/// Value of a texture that denotes the file of its unit.
const FILE_VALUE: &str = "file";

/// Sets an input to a value.
///
/// # Errors
/// If the value is not valid.
fn set_input(
    options: &mut SceneOptions,
    setting: &InputSetting,
    value: &str,
    files: &TextureFiles,
) -> Result<(), String> {
    match setting {
        InputSetting::Parameter(bank, target, count) => {
            let (start, first) = split_number(target);
            for index in 0..*count {
                let target = match first {
                    Some(first) => format!("{start}{}", first + index),
                    None => target.clone(),
                };
                let setting = format!("{target}={value}").parse()?;
                options.parameters.push((*bank, setting));
            }
        }
        InputSetting::Texture(unit) => {
            let kind = if value == FILE_VALUE {
                let file = files.get(unit).ok_or("the image is missing")?;
                TextureKind::Image(TextureImage::decode("image", Cursor::new(file))?)
            } else {
                let mut patterns = PATTERNS.iter();
                let found = patterns.find(|(name, _)| *name == value);
                let (_, pattern) = found.ok_or_else(|| format!("`{value}` is not a pattern"))?;
                TextureKind::Pattern(pattern)
            };
            let contents = TextureContents {
                is_cube: false,
                kind,
            };
            options.textures.insert(*unit, contents);
        }
        InputSetting::Attribute(number) => {
            options.attributes.insert(*number, value.parse()?);
        }
        InputSetting::Line(words) => {
            let numbers = parse_numbers(value)?;
            let line = format!("{words}{numbers}");
            if words.starts_with("light ") {
                options.lights.push(line);
            } else {
                options.state.push(line);
            }
        }
        InputSetting::None => {}
    }
    Ok(())
}

/// Splits the number at the end of a target from the words before it; targets of parameters with
/// names have no number.
fn split_number(target: &str) -> (&str, Option<u32>) {
    let start = target.rfind([':', '.']).map_or(0, |at| at + 1);
    let (words, number) = target.split_at(start);
    (words, number.parse().ok())
}

/// Returns numbers with commas between them as words of a script.
fn parse_numbers(text: &str) -> Result<String, String> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    match words.iter().find(|word| word.parse::<f32>().is_err()) {
        Some(word) => Err(format!("`{word}` is not a number")),
        None => Ok(words.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str, values: &[(&str, &str)]) -> SceneRequest {
        let values = values.iter();
        let values = values.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        SceneRequest {
            texts: vec![String::new(), text.to_owned()],
            values: values.collect(),
            size: [4, 2],
        }
    }

    const PARAMETER: &str = "!!ARBfp1.0\n# c\nMOV result.color, program.local[0];\nEND\n";

    #[test]
    fn values_replace_inputs() {
        let files = TextureFiles::new();
        let key = "local fragment:0";
        let given = request(PARAMETER, &[(key, "1, 0.2, 0, 1"), ("env vertex:7", "1")]);
        let image = given.draw(&files).unwrap();
        assert_eq!(image.bytes, [255, 51, 0, 255].repeat(8));
        let inputs = given.describe_inputs(&files).unwrap();
        let input = &inputs["inputs"][0];
        assert_eq!(
            (&input["key"], &input["isSet"]),
            (&json!(key), &json!(true))
        );
        assert_eq!(input["value"], "1, 0.2, 0, 1");
        for wrong in ["red", "1,2,3,4,5", ""] {
            let error = request(PARAMETER, &[(key, wrong)]).draw(&files);
            assert!(error.unwrap_err().contains("program.local[0]"));
        }
    }

    #[test]
    fn textures_are_patterns_or_files() {
        let text = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[3], 2D;\nEND";
        let mut files = TextureFiles::new();
        let white = request(text, &[("texture 3", "white")]).draw(&files);
        assert_eq!(white.unwrap().bytes, [255; 32]);
        let file = request(text, &[("texture 3", "file")]);
        assert!(file.draw(&files).is_err());
        files.insert(3, b"not an image".to_vec());
        assert!(file.draw(&files).unwrap_err().contains("PNG"));
    }

    #[test]
    fn traces_have_the_lines_of_the_editor() {
        let request = request(PARAMETER, &[("local fragment:0", "0.5")]);
        let trace = request.trace([3, 1], &TextureFiles::new()).unwrap();
        assert_eq!(
            (&trace["pane"], &trace["stage"]),
            (&json!(1), &json!("fragment"))
        );
        assert_eq!(trace["statements"][0]["line"], 3);
        assert_eq!(trace["results"][0]["values"], json!([0.5, 0.5, 0.5, 0.5]));
        assert!(request.trace([4, 0], &TextureFiles::new()).is_err());
    }

    #[test]
    fn requests_that_draw_nothing_are_errors() {
        let files = TextureFiles::new();
        for text in [
            "",
            "!!ARBfp1.0\nMOV result.color, x;\nEND",
            "!!VSP1.0\nMOV c[0], v[0];\nEND",
        ] {
            assert!(request(text, &[]).draw(&files).is_err(), "{text}");
        }
        let large = SceneRequest {
            size: [MAX_SIDE + 1, 1],
            ..request(PARAMETER, &[])
        };
        assert!(large.draw(&files).is_err());
        let endless = "!!NVfp4.0\nTEMP a;\nMOV a, 0;\nREP.S 8000;\nREP.S 8000;\nADD a, a, 1;\n\
                       ENDREP;\nENDREP;\nMOV result.color, a;\nEND";
        assert!(request(endless, &[]).draw(&files).is_err());
    }
}
