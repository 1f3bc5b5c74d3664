//! Writes the script of a scene.

use super::attributes::{AttributeKind, Attributes};
use super::compute::{ShownResult, format_dispatch, format_storage};
use super::options::SceneOptions;
use super::parameters::{ParameterValues, check_settings};
use super::program::{InputSetting, Pipeline, SceneInput, SceneProgram};
use super::shape::{Shape, choose_shape};
use super::stages::{VertexStage, build_fragment_section, build_vertex_stage};
use super::state_usage::StateUsage;
use super::textures::TextureUnits;
use super::vectors::MatrixVector;
use super::view::{ViewKind, append_matrix_inputs, evaluate_state, format_matrices, format_state};
use glasm::ProgramType;
use glasm::ir::Stage;
use glasm::state::GlState;
use glasm_scripts::script::Script;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Script of a scene.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scene {
    /// The script.
    pub text: String,
    /// Inputs that the options do not set.
    pub inputs: Vec<SceneInput>,
    /// File names of the images that the script saves, in order.
    pub images: Vec<String>,
}

/// Returns a script that draws programs, one of each type, with values for all inputs.
///
/// # Errors
/// If the options do not suit the programs, or the script with the lines of the options is not
/// valid.
pub fn build_scene_script(
    programs: &[SceneProgram],
    options: &SceneOptions,
) -> Result<String, String> {
    build_scene(programs, options).map(|scene| scene.text)
}

/// Returns a script that draws programs, one of each type, and the inputs that the options do not
/// set.
///
/// # Errors
/// As for [`build_scene_script`].
pub fn build_scene(programs: &[SceneProgram], options: &SceneOptions) -> Result<Scene, String> {
    let pipeline = Pipeline::new(programs)?;
    let mut builder = Builder::new(pipeline, options)?;
    let mut text = builder.format_requirements();
    text += &builder.format_sections();
    text += "\n[test]\n";
    text += &builder.format_resources()?;
    let mut images = Vec::new();
    for frame in 0..options.frames.max(1) {
        let image = options.format_image_name(frame);
        text += &builder.format_frame(frame);
        if pipeline.draws() || builder.shown.is_some() {
            let _ = writeln!(text, "save image {image}");
            images.push(image);
        }
    }
    check_script(&text, options)?;
    Ok(Scene {
        text,
        inputs: builder.inputs,
        images,
    })
}

/// Returns an error if the script is not valid, which names the option with the wrong line.
fn check_script(text: &str, options: &SceneOptions) -> Result<(), String> {
    let Err(errors) = Script::parse_runnable(text.as_bytes()) else {
        return Ok(());
    };
    let Some(error) = errors.first() else {
        return Ok(());
    };
    let line = text.lines().nth((error.line as usize).saturating_sub(1));
    let line = line.unwrap_or_default();
    let message = &error.message;
    let is_given = |lines: &[String]| lines.iter().any(|given| given == line);
    let option = if is_given(&options.state) {
        "--state "
    } else if is_given(&options.lights) {
        "--light: "
    } else if is_given(&options.require) {
        "--require "
    } else if line.starts_with("matrix ") {
        "--matrix: "
    } else {
        "the script of the scene is not valid: "
    };
    Err(format!("{option}`{line}`: {message}"))
}

/// Parts of a scene, from which its script is written.
struct Builder<'a> {
    pipeline: Pipeline<'a>,
    options: &'a SceneOptions,
    vertex: Option<VertexStage>,
    shape: Option<Shape>,
    parameters: Vec<ParameterValues>,
    units: TextureUnits,
    state: StateUsage,
    /// Result of a compute program, if no other program draws.
    shown: Option<ShownResult>,
    inputs: Vec<SceneInput>,
}

impl<'a> Builder<'a> {
    /// Chooses all parts of the scene. Returns an error if the options do not suit the programs.
    fn new(pipeline: Pipeline<'a>, options: &'a SceneOptions) -> Result<Self, String> {
        let programs = pipeline.programs;
        let mut used_by = Vec::new();
        let mut parameters = Vec::new();
        let mut state = StateUsage::default();
        for program in programs {
            let mut used = BTreeSet::new();
            parameters.push(ParameterValues::new(program, options, &mut used));
            used_by.push(used);
            if let Some(ir) = &program.ir {
                state.add_program(ir);
            }
        }
        check_settings(programs, options, &used_by)?;
        let units = TextureUnits::new(programs);
        let draws = pipeline.draws();
        let compute = pipeline.find(Stage::Compute).filter(|_| !draws);
        let shown = compute.and_then(|program| ShownResult::find(program, &units));
        let mut builder = Self {
            vertex: draws.then(|| build_vertex_stage(pipeline)),
            shape: draws.then(|| choose_shape(pipeline, options)).transpose()?,
            shown,
            pipeline,
            options,
            parameters,
            units,
            state,
            inputs: Vec::new(),
        };
        builder.set_attributes()?;
        if options.frames > 1 && !builder.depends_on_view() {
            return Err(
                "--frames: the view rotates between frames, and no program reads its matrices"
                    .to_owned(),
            );
        }
        if options.model.is_some() && !draws {
            return Err("--model: the programs draw no vertices".to_owned());
        }
        Ok(builder)
    }

    /// Sets the attributes of the options, and appends all others to the inputs. Returns an error
    /// if no program reads one of the options.
    fn set_attributes(&mut self) -> Result<(), String> {
        let has_own_program = self.pipeline.has(Stage::Vertex);
        let mut none = Attributes::default();
        let attributes = self.vertex.as_mut().map(|stage| &mut stage.attributes);
        let attributes = &mut attributes.unwrap_or(&mut none).0;
        for (number, kind) in &self.options.attributes {
            let Some(known) = attributes.get_mut(number) else {
                let known: Vec<String> = attributes.keys().map(ToString::to_string).collect();
                return Err(format!(
                    "--attribute {number}: the vertices have no such attribute; they have {}",
                    known.join(", ")
                ));
            };
            *known = *kind;
        }
        for (number, kind) in attributes {
            let is_given = self.options.attributes.contains_key(number);
            if !is_given && (has_own_program || *kind != AttributeKind::Position) {
                self.inputs.push(SceneInput {
                    name: format!("vertex.attrib[{number}]"),
                    value: kind.describe(),
                    option: format!("--attribute {number}=KIND"),
                    setting: InputSetting::Attribute(*number),
                });
            }
        }
        Ok(())
    }

    /// Returns true if the image depends on the matrices of the view.
    fn depends_on_view(&self) -> bool {
        let mut programs = self.pipeline.programs.iter();
        self.vertex.as_ref().is_some_and(|stage| stage.transforms)
            || programs.any(|program| program.usage.reads_view)
            || self.parameters.iter().any(ParameterValues::depends_on_view)
    }

    /// Returns the `[require]` section.
    fn format_requirements(&self) -> String {
        let [width, height] = self.options.size;
        let mut text = format!(
            "[require]\n# GL's rules for clip space and the first row of images.\nGL >= 1.3\n\
             fbsize {width} {height}\n"
        );
        if self.shape.as_ref().is_some_and(|shape| !shape.is_flat) {
            text += "depthbuffer\n";
        }
        let mut programs = self.pipeline.programs.iter();
        if programs.any(|program| program.usage.has_low_addresses) {
            text += "address32\n";
        }
        for line in &self.options.require {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// Returns the sections of the programs, of the stages that the scene adds, and of the mesh.
    fn format_sections(&self) -> String {
        let mut text = String::new();
        for program in self.pipeline.programs {
            let section = program.program_type.identifier().replace('_', " ");
            let _ = write!(text, "\n[{section} program]\n{}\n", program.text);
        }
        if let Some(shown) = self.shown {
            text += &shown.format_sections(self.options.size);
        }
        let (Some(stage), Some(shape)) = (&self.vertex, &self.shape) else {
            return text;
        };
        text += &stage.section;
        text += &build_fragment_section(self.pipeline);
        let data = stage.attributes.format_vertex_data(&shape.mesh);
        if !data.is_empty() {
            let _ = write!(text, "\n[vertex data]\n{data}");
        }
        if !shape.mesh.indices.is_empty() {
            text += "\n[indices]\n";
            for line in shape.mesh.indices.chunks(24) {
                let words: Vec<String> = line.iter().map(ToString::to_string).collect();
                let _ = writeln!(text, "{}", words.join(" "));
            }
        }
        text
    }

    /// Returns the commands that set everything that is equal in all frames. Appends what the
    /// options do not set to the inputs.
    fn format_resources(&mut self) -> Result<String, String> {
        let options = self.options;
        let output_size = self.pipeline.has(Stage::Compute).then_some(options.size);
        let mut text = format_state(&self.state, options, &mut self.inputs);
        text += &self
            .units
            .format_textures(&options.textures, &mut self.inputs)?;
        text += &self.units.format_images(output_size, &mut self.inputs);
        text += &format_storage(self.pipeline.programs, output_size);
        for (program, values) in self.pipeline.programs.iter().zip(&self.parameters) {
            values.append_inputs(program, &mut self.inputs);
        }
        let program_matrices = self.find_program_matrices();
        append_matrix_inputs(
            &self.state,
            options,
            |name| program_matrices.contains_key(name),
            &mut self.inputs,
        );
        let Some(shape) = &self.shape else {
            return Ok(text);
        };
        if let Some(vertices) = shape.patch_vertices {
            let _ = writeln!(text, "patch parameter vertices {vertices}");
            if !self.pipeline.has(Stage::TessControl) {
                text += "patch parameter default level outer 8 8 8 8\n\
                         patch parameter default level inner 8 8\n";
            }
        }
        if shape.has_points_without_size {
            text += "disable GL_PROGRAM_POINT_SIZE\npoint size 3\n";
        }
        if !shape.is_flat {
            text += "enable GL_DEPTH_TEST\n";
        }
        Ok(text)
    }

    /// Returns the program matrices whose use shows which matrix they are, by their names in
    /// scripts.
    fn find_program_matrices(&self) -> BTreeMap<String, MatrixVector> {
        let mut found = BTreeMap::new();
        for program in self.pipeline.programs {
            for (vector, value) in &program.usage.matrices {
                if let Some(number) = vector.bank.program_matrix() {
                    found.entry(format!("program {number}")).or_insert(*value);
                }
            }
        }
        let given = &self.options.matrices;
        found.retain(|name, _| given.iter().all(|setting| setting.name != *name));
        found
    }

    /// Returns the commands of a frame, without the one that saves the image.
    fn format_frame(&self, frame: u32) -> String {
        let options = self.options;
        let view = self.shape.as_ref().map_or(ViewKind::Torus, |it| it.view);
        let mut text = String::new();
        if self.depends_on_view() || !options.matrices.is_empty() {
            text += &format_matrices(options, view, frame);
        }
        let given: String = options
            .state
            .iter()
            .map(|line| format!("{line}\n"))
            .collect();
        let state = evaluate_state(&format!("{text}{given}"));
        text += &self.format_program_matrices(&state);
        for (program, values) in self.pipeline.programs.iter().zip(&self.parameters) {
            text += &values.format_commands(program, &state);
        }
        text += &given;
        let programs = self.pipeline.programs;
        let has_state_program = programs
            .iter()
            .any(|program| program.program_type == ProgramType::VertexState);
        if has_state_program {
            text += "execute program (0, 0, 0, 1)\n";
        }
        if let Some(compute) = self.pipeline.find(Stage::Compute) {
            text += &format_dispatch(compute, options.size);
        }
        if let Some(shown) = self.shown {
            text += &shown.format_prints();
        }
        text += &self.format_draw();
        text
    }

    /// Returns the commands that set program matrices for a state of the matrices.
    fn format_program_matrices(&self, state: &GlState) -> String {
        let mut text = String::new();
        for (name, vector) in self.find_program_matrices() {
            let matrix = vector.role.compute(state);
            let numbers = (0..4).flat_map(|row| (0..4).map(move |column| (row, column)));
            let words = numbers.map(|(row, column)| {
                let number: f32 = if vector.is_column {
                    matrix[row][column]
                } else {
                    matrix[column][row]
                };
                format!(" {number}")
            });
            let _ = writeln!(text, "matrix {name} load{}", words.collect::<String>());
        }
        text
    }

    /// Returns the commands that clear and draw; empty if the scene has no image.
    fn format_draw(&self) -> String {
        let draw = match (&self.shape, self.shown) {
            (None, None) => return String::new(),
            (None, Some(_)) => "draw rect -1 -1 2 2".to_owned(),
            (Some(shape), _) => {
                let mesh = &shape.mesh;
                let topology = mesh.topology;
                let reads_data = self
                    .vertex
                    .as_ref()
                    .is_some_and(|stage| !stage.attributes.0.is_empty());
                if !mesh.indices.is_empty() {
                    format!("draw arrays indexed {topology} 0 {}", mesh.indices.len())
                } else if reads_data || topology != "TRIANGLES" {
                    format!("draw arrays {topology} 0 {}", mesh.vertices.len())
                } else {
                    format!("draw arrays TRIANGLES 0 {NUMBERED_VERTICES}")
                }
            }
        };
        format!(
            "clear color 0.07 0.08 0.11 1\nclear\n\
             # The image is opaque: alpha is that of the clear color.\n\
             colorWriteMask VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT\n\
             {draw}\n"
        )
    }
}

/// Vertices of a draw for programs that compute them from their numbers.
const NUMBERED_VERTICES: u32 = 27_648;

#[cfg(test)]
mod tests {
    use super::*;

    fn build(text: &str, options: &SceneOptions) -> Result<Scene, String> {
        build_scene(&SceneProgram::split(text.as_bytes()), options)
    }

    #[test]
    fn each_frame_has_its_matrices() {
        let program = "!!VP1.0\nDP4 o[HPOS].x, c[0], v[OPOS];\nDP4 o[HPOS].y, c[1], v[OPOS];\n\
                       DP4 o[HPOS].z, c[2], v[OPOS];\nDP4 o[HPOS].w, c[3], v[OPOS];\nEND";
        let options = SceneOptions {
            frames: 2,
            ..SceneOptions::default()
        };
        let scene = build(program, &options).unwrap();
        assert_eq!(scene.images, ["image-000.png", "image-001.png"]);
        let lines = scene.text.lines();
        let values: Vec<&str> = lines
            .filter(|line| line.starts_with("parameter env_vp 0 "))
            .collect();
        assert_eq!(values.len(), 2);
        assert_ne!(values[0], values[1]);
    }

    #[test]
    fn programs_with_addresses_of_32_bits_require_low_buffers() {
        let options = SceneOptions::default();
        let requires = |text: &str| {
            let scene = build(text, &options).unwrap();
            scene.text.contains("\naddress32\n")
        };
        let low = "!!NVfp4.0\nOPTION NV_shader_buffer_load;\nTEMP r;\n\
                   LOAD.F32X4 r, program.local[0].x;\nMOV result.color, r;\nEND";
        assert!(requires(low));
        let high = "!!NVfp5.0\nOPTION NV_gpu_program5_mem_extended;\nLONG TEMP a;\nTEMP r;\n\
                    PK64.U a.x, program.local[0];\nLOAD.F32X4 r, a.x;\n\
                    MOV result.color, r;\nEND";
        assert!(!requires(high));
    }

    #[test]
    fn errors_name_the_option() {
        let options = SceneOptions {
            state: vec!["blendEnable perhaps".to_owned()],
            ..SceneOptions::default()
        };
        let error = build("!!ARBfp1.0\nEND", &options).unwrap_err();
        assert!(
            error.starts_with("--state `blendEnable perhaps`: "),
            "{error}"
        );
    }
}
