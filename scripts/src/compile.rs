//! Compilation of the programs of a script: selects their options, decides which programs are
//! compiled together, and checks that the reported errors are those that the script expects. The
//! caller supplies everything that depends on a device.

mod expected;
mod features;
mod image_formats;

pub use features::{Withheld, wrong_blame};

use crate::format::Format;
use crate::script::{
    Attachments, Convention, ProgramForm, ProgramSection, ProgramState, Script, VertexData,
};
use glasm::frontend::lang::languages::Language;
use glasm::frontend::source::Family;
use glasm::ir::{Stage, TypeBase};
use glasm::{
    Compiler, Diagnostics, LineStipple, PointOrigin, PrimitiveNumbers, Shader, Source, StateForm,
    StateForms, StateWords, Target, TransformFeedback,
};
use image_formats::image_formats;

/// Stage of a linked pipeline with its shader or its diagnostics.
pub type LinkedStage = (Stage, Result<Shader, Diagnostics>);

/// Compiles the programs of a script.
#[derive(Clone, Debug)]
pub struct ScriptCompiler<'a> {
    /// Path of the script, for messages.
    pub name: &'a str,
    /// Script.
    pub script: &'a Script,
    /// State in which the programs are used.
    pub state: &'a ProgramState,
    /// Options that the device or the caller determines: target, features, bindings, and
    /// conventions of clip space for scripts that follow Vulkan.
    pub base: glasm::Options,
    /// Bits of the size of points for modules that write none, if state defines one.
    pub implied_point_size: Option<u32>,
}

impl ScriptCompiler<'_> {
    /// Returns the text of a program section, as one of its stage.
    pub fn source<'s>(&'s self, section: &'s ProgramSection) -> Source<'s> {
        self.script.requirements.source(self.name, section)
    }

    /// Compiles an assembly program by itself.
    ///
    /// # Errors
    /// The errors of the program, at positions in the program.
    pub fn compile(&self, section: &ProgramSection) -> Result<Shader, Diagnostics> {
        glasm::compile(&self.source(section), &self.options(section.stage))
    }

    /// Returns the stages of a pipeline that consists of assembly programs only, linked together
    /// unless the script asks for separate programs; otherwise an empty list. Stages that the
    /// pipeline additionally needs come last.
    pub fn link(&self) -> Vec<LinkedStage> {
        let sections = self.script.programs.iter();
        let mut sections: Vec<_> = sections
            .filter(|section| section.stage != Stage::Compute)
            // The added stage forwards the outputs of the vertex program to the evaluation program.
            .filter(|section| {
                (section.stage, section.form) != (Stage::TessControl, ProgramForm::PassThrough)
            })
            .collect();
        let is_separate = self.script.requirements.separate;
        if is_separate || sections.len() < 2 || !sections.iter().all(|it| is_program(it)) {
            return Vec::new();
        }
        sections.sort_by_key(|section| section.stage);
        let mut compiler = Compiler::new();
        let load = |section: &&ProgramSection| compiler.load(&self.source(section));
        let programs = sections.iter().map(load);
        // The errors of a program that does not load are reported when it is compiled by itself.
        let Ok(programs) = programs.collect::<Result<Vec<_>, _>>() else {
            return Vec::new();
        };
        let options: Vec<_> = sections
            .iter()
            .map(|section| self.options(section.stage))
            .collect();
        let stages: Vec<_> = programs.iter().zip(&options).collect();
        let stages = compiler.link_with(&stages);
        let made = stages.made;
        let stages = stages.stages.into_iter();
        let own = sections.iter().map(|section| section.stage).zip(stages);
        own.chain(made).collect()
    }

    /// Returns the options with which programs of a stage are compiled.
    pub fn options(&self, stage: Stage) -> glasm::Options {
        let mut options = self.known_options(stage);
        if stage != Stage::Fragment && stage != self.last_stage() {
            options.forms = options.forms.before_rasterization();
        }
        if !self.is_linked() {
            // The previous stage provides the inputs that these forms need if it is a program, too.
            options.forms.two_sided_color = StateForm::Fixed;
            options.forms.flat_colors = StateForm::Fixed;
            options.forms.line_stipple = StateForm::Fixed;
        }
        leave_open(&mut options);
        options
    }

    /// Returns true if all stages are programs, each of which is compiled together with the others
    /// or has a complete interface.
    fn is_linked(&self) -> bool {
        let mut sections = self.script.programs.iter();
        sections.all(|section| {
            let passes_patches =
                section.stage == Stage::TessControl && section.form == ProgramForm::PassThrough;
            passes_patches || is_program(section)
        })
    }

    /// Returns the state of draws, for modules that read it when they run.
    pub fn state_words(&self) -> StateWords {
        StateWords::new(&self.known_options(self.last_stage()))
    }

    /// Returns [`options`](Self::options) with all state compiled in.
    pub fn fixed_options(&self, stage: Stage) -> glasm::Options {
        glasm::Options {
            forms: StateForms::default(),
            ..self.known_options(stage)
        }
    }

    /// Returns the options with all state known.
    fn known_options(&self, stage: Stage) -> glasm::Options {
        let script = self.script;
        let data = script.vertex_data.as_ref();
        glasm::Options {
            conventions: self.conventions(stage),
            interface: glasm::InterfaceTypes {
                attributes: data
                    .map(|data| attribute_types(data, self.registers()))
                    .unwrap_or_default(),
                colors: color_types(&script.requirements.attachments),
                outputs: if script.requirements.separate {
                    glasm::Varyings::Complete(glasm::Varyings::UNDISPUTED)
                } else {
                    glasm::Varyings::Table
                },
                ..glasm::InterfaceTypes::default()
            },
            fixed: self.fixed_state(stage),
            polygon_stipple: script.requirements.polygon_stipple.clone(),
            handles: script.handle_limits(),
            depth_modes: self.state.depth_modes.clone(),
            texture_wraps: if self.is_for_opengl() {
                Vec::new()
            } else {
                self.state.texture_wraps.clone()
            },
            lod_biases: self.state.lod_biases.clone(),
            signed_hilo: self.state.signed_hilo.clone(),
            image_formats: image_formats(script),
            transform_feedback: if self.last_stage() == stage {
                script.feedback.clone()
            } else {
                TransformFeedback::default()
            },
            legacy_multiply: self.base.legacy_multiply || script.requirements.legacy_multiply,
            ..self.base.clone()
        }
    }

    /// Returns the last stage before rasterization.
    pub fn last_stage(&self) -> Stage {
        self.script.last_stage()
    }

    /// Returns the form of 64-bit attributes in the registers of the vertex program.
    fn registers(&self) -> Registers {
        let mut programs = self.script.programs.iter();
        let is_typeless = |program: &ProgramSection| match program.form {
            ProgramForm::Ir => true,
            ProgramForm::Assembly => {
                let dialect = glasm::programs(&program.text).find_map(|part| part.dialect);
                dialect.is_some_and(|dialect| dialect.family() == Family::Tgsi)
            }
            ProgramForm::Glsl
            | ProgramForm::SpirvText
            | ProgramForm::SpirvWords
            | ProgramForm::PassThrough
            | ProgramForm::FixedFunction => false,
        };
        if programs.any(|program| program.stage == Stage::Vertex && is_typeless(program)) {
            Registers::Narrow
        } else {
            Registers::Any
        }
    }

    /// Returns the conventions of clip space for a stage: the depth range of GL is remapped once,
    /// at the end.
    fn conventions(&self, stage: Stage) -> glasm::Conventions {
        if self.is_for_opengl() {
            return self.base.conventions;
        }
        match self.script.requirements.convention {
            Convention::OpenGl if stage == self.last_stage() || stage == Stage::Fragment => {
                glasm::Conventions::opengl()
            }
            Convention::OpenGl => glasm::Conventions::vulkan(),
            Convention::Vulkan => self.base.conventions,
        }
    }

    /// Returns the part of the GL state that concerns a stage.
    fn fixed_state(&self, stage: Stage) -> glasm::FixedState {
        let requirements = &self.script.requirements;
        let is_last = self.last_stage() == stage;
        let colors = requirements.attachments.colors.iter().enumerate();
        let drawn = colors.filter(|(_, color)| color.is_some());
        let patch = self.state.patch.unwrap_or_default();
        let gl_state = !self.is_for_opengl();
        glasm::FixedState {
            clamp_vertex_colors: requirements.fixed.clamp_vertex_colors && is_last,
            point_size: self
                .state
                .point_size
                .or(requirements.fixed.point_size)
                .filter(|_| is_last && gl_state && !self.has_fixed_sizes()),
            unwritten_point_size: self.unwritten_point_size().filter(|_| is_last && gl_state),
            vertex_limit: self.state.vertex_limit,
            primitive_numbers: self.primitive_numbers(stage),
            patch_vertices: patch.vertices,
            patch_levels: patch.levels,
            single_layer: requirements.attachments.layers == 1,
            two_sided_color: requirements.fixed.two_sided_color
                || self.has_fixed_vertices() && self.state.fixed.is_two_sided(),
            draw_buffers: drawn.fold(0, |bits, (number, _)| bits | 1 << number),
            point_origin: if gl_state {
                self.state.point_origin
            } else {
                PointOrigin::UpperLeft
            },
            line_stipple: requirements.fixed.line_stipple.map(|lines| {
                // The viewport of the script's draws is the framebuffer.
                let [width, height] = requirements.framebuffer.map(|size| size as f32);
                LineStipple::new(lines.factor, lines.pattern, [0.0, 0.0, width, height])
            }),
            ..requirements.fixed
        }
    }
}

impl ScriptCompiler<'_> {
    /// Returns true if OpenGL runs the modules, which itself implements sizes and origins of
    /// points, wrap modes and clip space.
    fn is_for_opengl(&self) -> bool {
        self.base.target == Target::OpenGl4_5
    }

    /// Returns the primitive numbering of a stage: fragment programs get numbers from a geometry
    /// program, if there is one.
    fn primitive_numbers(&self, stage: Stage) -> PrimitiveNumbers {
        let mut programs = self.script.programs.iter();
        let has_geometry = programs.any(|program| program.stage == Stage::Geometry);
        match stage == Stage::Fragment && has_geometry {
            true => PrimitiveNumbers::Own,
            // OpenGL draws quadrilaterals and polygons without decomposition, and counts them.
            false if self.is_for_opengl() => PrimitiveNumbers::Own,
            false => self.state.primitive_numbers,
        }
    }

    /// Returns true if the fixed functions compute the size of points.
    fn has_fixed_sizes(&self) -> bool {
        self.last_stage() == Stage::Vertex
            && self.has_fixed_vertices()
            && self.state.fixed.sizes_points()
    }

    /// Returns true if the fixed functions process the vertices.
    fn has_fixed_vertices(&self) -> bool {
        let mut programs = self.script.programs.iter();
        programs.any(|program| {
            (program.stage, program.form) == (Stage::Vertex, ProgramForm::FixedFunction)
        })
    }

    /// Returns the bits of the size of points for programs that write none, which Vulkan requires
    /// for draws of points.
    fn unwritten_point_size(&self) -> Option<u32> {
        let size = self.state.unwritten_point_size;
        let size = size.unwrap_or(1.0f32.to_bits());
        let is_wanted = self.script.draws_points() && self.implied_point_size != Some(size);
        is_wanted.then_some(size)
    }
}

/// Returns true if a section is an assembly program of a supported language.
fn is_program(section: &ProgramSection) -> bool {
    section.form == ProgramForm::Assembly && Language::missing(&section.text).is_none()
}

/// Resets the options for state that modules read at run time: the compiler only learns which
/// values are possible.
fn leave_open(options: &mut glasm::Options) {
    let initial = glasm::Options::default();
    let (forms, fixed) = (options.forms, &mut options.fixed);
    let is_open = |form: StateForm| !form.is_fixed();
    if is_open(forms.two_sided_color) {
        fixed.two_sided_color = initial.fixed.two_sided_color;
    }
    if is_open(forms.flat_colors) {
        fixed.flat_colors = initial.fixed.flat_colors;
    }
    if is_open(forms.clamp_vertex_colors) {
        fixed.clamp_vertex_colors = initial.fixed.clamp_vertex_colors;
    }
    if is_open(forms.clamp_fragment_colors) {
        fixed.clamp_fragment_colors = initial.fixed.clamp_fragment_colors;
    }
    if is_open(forms.point_sprites) {
        (fixed.point_sprites, fixed.point_origin) = (u8::MAX, initial.fixed.point_origin);
    }
    if is_open(forms.point_size) {
        (fixed.point_size, fixed.unwritten_point_size) = (None, None);
    }
    if is_open(forms.clip_planes) {
        fixed.clip_planes = u8::MAX;
    }
    if is_open(forms.alpha_test) {
        fixed.alpha_test = initial.fixed.alpha_test;
    }
    if is_open(forms.line_stipple) {
        fixed.line_stipple = None;
    }
    if is_open(forms.polygon_stipple) {
        options.polygon_stipple = None;
    }
    if is_open(forms.depth_modes) {
        options.depth_modes.clear();
    }
    if is_open(forms.texture_wraps) {
        options.texture_wraps.clear();
    }
}

/// Returns the types by attachment; numbers without attachment are float.
fn color_types(attachments: &Attachments) -> Vec<TypeBase> {
    let base = |format: &Option<Format>| match format {
        Some(format) => format.encoding.base(),
        None => TypeBase::Float,
    };
    attachments.colors.iter().map(base).collect()
}

/// Width of the registers that vertex attributes are loaded into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Registers {
    /// The program has attributes with 64 bits.
    Any,
    /// Registers of four words: the third and fourth component of a 64-bit attribute are in the
    /// next register.
    Narrow,
}

/// Returns the attribute types by location. Locations between columns are float, as current values
/// are. In 32-bit registers, 64-bit components are 32-bit words.
fn attribute_types(data: &VertexData, registers: Registers) -> Vec<TypeBase> {
    let mut types = Vec::new();
    let mut set = |location: u32, base| {
        let location = location as usize;
        types.resize(types.len().max(location + 1), TypeBase::Float);
        types[location] = base;
    };
    if registers == Registers::Narrow {
        for column in data.columns.iter().filter(|column| column.format.is_wide()) {
            if column.format.channels.len() > 2 {
                set(column.location + 1, TypeBase::Unsigned);
            }
        }
    }
    for column in &data.columns {
        let base = if column.format.is_wide() {
            TypeBase::Unsigned
        } else {
            column.format.encoding.base()
        };
        set(column.location, base);
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str, stage: Stage) -> glasm::Options {
        let script = Script::parse(text.as_bytes()).unwrap();
        let compiler = ScriptCompiler {
            name: "a",
            script: &script,
            state: &ProgramState::default(),
            base: glasm::Options::default(),
            implied_point_size: None,
        };
        compiler.options(stage)
    }

    #[test]
    fn requirements_become_options() {
        let own = options("[require]\nlegacy_multiply\n[test]\n", Stage::Vertex);
        assert!(own.legacy_multiply);
        assert_eq!(own.conventions, glasm::Conventions::vulkan());
        let gl = "[require]\nGL >= 1.3\nframebuffer R32_UINT\n[vertex program]\n!!NVvp4.0\nEND\n[test]\n";
        let vertex = options(gl, Stage::Vertex);
        assert_eq!(vertex.conventions, glasm::Conventions::opengl());
        assert_eq!(vertex.interface.colors, [TypeBase::Unsigned]);
        assert!(!vertex.legacy_multiply);
    }

    #[test]
    fn registers_of_words_have_doubles_in_two() {
        let types = |program: &str| {
            let data =
                "[vertex data]\n0/R64G64B64_SFLOAT 2/R32_SINT 3/R64_SINT\n0 0 0 0 0\n[test]\n";
            options(
                &format!("[vertex program]\n{program}\nEND\n{data}"),
                Stage::Vertex,
            )
            .interface
            .attributes
        };
        let (float, word) = (TypeBase::Float, TypeBase::Unsigned);
        let expected = [word, word, TypeBase::Signed, word];
        assert_eq!(types("VERT"), expected);
        let expected = [word, float, TypeBase::Signed, word];
        assert_eq!(types("!!NVvp5.0"), expected);
    }

    #[test]
    fn only_pipelines_of_assembly_are_linked() {
        let link = |text: &str| {
            let script = Script::parse(text.as_bytes()).unwrap();
            let compiler = ScriptCompiler {
                name: "a",
                script: &script,
                state: &ProgramState::default(),
                base: glasm::Options::default(),
                implied_point_size: None,
            };
            let linked = compiler.link().into_iter();
            linked.map(|(stage, _)| stage).collect::<Vec<_>>()
        };
        let fragment = "[fragment program]\n!!NVfp4.0\nMOV result.color, fragment.color;\nEND\n";
        let vertex = "[vertex program]\n!!NVvp4.0\nMOV result.position, 0;\nEND\n";
        assert_eq!(
            link(&format!("{fragment}{vertex}")),
            [Stage::Vertex, Stage::Fragment]
        );
        assert!(link(fragment).is_empty());
        assert!(link(&format!("{fragment}[vertex program passthrough]\n")).is_empty());
        assert!(link(&format!("{fragment}[vertex program]\n!!FCP1.0\nEND\n")).is_empty());
    }
}
