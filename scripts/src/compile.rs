//! Compilation of the programs of a script: selects their options, decides which programs are
//! compiled together, and checks that the reported errors are those that the script expects. The
//! caller supplies everything that depends on a device.

mod disabled_features;
mod expected;

pub use disabled_features::{DisabledFeatures, find_wrong_feature_error};

use crate::format::Format;
use crate::script::{
    Attachments, Convention, ProgramForm, ProgramSection, ProgramState, Script, VertexData,
};
use disabled_features::image_formats;
use glasm::frontend::lang::dialect_traits::UnsupportedLanguage;
use glasm::frontend::source::Family;
use glasm::ir::{BaseType, Stage};
use glasm::{
    Compiler, Diagnostics, LineStipple, PointOrigin, PrimitiveIdMode, Shader, Source, StateBlock,
    StateSource, StateSources, Target, TransformFeedback,
};

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
    pub base_options: glasm::Options,
    /// Bits of the size of points for modules that write none, if state defines one.
    pub implied_point_size: Option<u32>,
}

impl ScriptCompiler<'_> {
    /// Returns the source of a program section for the compiler, named after the script and of the
    /// section's stage.
    pub fn source<'s>(&'s self, section: &'s ProgramSection) -> Source<'s> {
        self.script.requirements.source(self.name, section)
    }

    /// Compiles an assembly program by itself, with the options of its stage.
    ///
    /// # Errors
    /// The errors of the program, at positions in the program.
    pub fn compile(&self, section: &ProgramSection) -> Result<Shader, Diagnostics> {
        glasm::compile(&self.source(section), &self.compile_options(section.stage))
    }

    /// Compiles and links the stages of a pipeline that consists of at least two assembly programs
    /// and nothing else, and returns the result of each. Empty if the script requests separate
    /// programs, has other forms, or if a program does not load. Stages that the pipeline
    /// additionally needs come last.
    pub fn link(&self) -> Vec<LinkedStage> {
        let sections = self.script.programs.iter();
        let mut sections: Vec<_> = sections
            .filter(|section| section.stage != Stage::Compute)
            // The added stage forwards the outputs of the vertex program to the evaluation program.
            .filter(|section| {
                (section.stage, section.form) != (Stage::TessControl, ProgramForm::PassThrough)
            })
            .collect();
        let is_separate = self.script.requirements.separate_programs;
        if is_separate || sections.len() < 2 || !sections.iter().all(|it| is_assembly_program(it)) {
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
            .map(|section| self.compile_options(section.stage))
            .collect();
        let stages: Vec<_> = programs.iter().zip(&options).collect();
        let stages = compiler.link_with(&stages);
        let generated = stages.generated;
        let stages = stages.stages.into_iter();
        let linked = sections.iter().map(|section| section.stage).zip(stages);
        linked.chain(generated).collect()
    }

    /// Returns the options with which programs of a stage are compiled: those for the current state
    /// of the script, except that state which modules read at run time has values that permit every
    /// state. Two groups of state are always compiled in: vertex state in stages before the last
    /// one before rasterization, and two-sided colors, flat colors and line stipple unless all
    /// stages of the script are linked.
    pub fn compile_options(&self, stage: Stage) -> glasm::Options {
        let mut options = self.options_for_known_state(stage);
        if stage != Stage::Fragment && stage != self.last_stage() {
            options.state_sources = options.state_sources.without_vertex_state();
        }
        if !self.is_linked() {
            // The previous stage provides the inputs that these forms need if it is a program, too.
            options.state_sources.two_sided_color = StateSource::CompileTime;
            options.state_sources.flat_colors = StateSource::CompileTime;
            options.state_sources.line_stipple = StateSource::CompileTime;
        }
        make_state_dynamic(&mut options);
        options
    }

    /// Returns true if all sections are assembly programs, except for a pass-through tessellation
    /// control stage, which linking adds.
    fn is_linked(&self) -> bool {
        let mut sections = self.script.programs.iter();
        sections.all(|section| {
            let passes_patches =
                section.stage == Stage::TessControl && section.form == ProgramForm::PassThrough;
            passes_patches || is_assembly_program(section)
        })
    }

    /// Returns the state block of the current state, for modules that read state when they run.
    pub fn state_words(&self) -> StateBlock {
        StateBlock::new(&self.options_for_known_state(self.last_stage()))
    }

    /// Returns the options for programs of a stage with all state compiled in, for stages that the
    /// caller generates.
    pub fn fixed_options(&self, stage: Stage) -> glasm::Options {
        glasm::Options {
            state_sources: StateSources::default(),
            ..self.options_for_known_state(stage)
        }
    }

    /// Returns the options for programs of a stage, with the current state of the script as
    /// pipeline state; state sources are those of the base options. Parts that OpenGL implements
    /// itself are omitted if it runs the modules.
    fn options_for_known_state(&self, stage: Stage) -> glasm::Options {
        let script = self.script;
        let data = script.vertex_data.as_ref();
        glasm::Options {
            conventions: self.conventions(stage),
            interface: glasm::InterfaceTypes {
                attributes: data
                    .map(|data| attribute_types(data, self.attribute_registers()))
                    .unwrap_or_default(),
                colors: color_attachment_types(&script.requirements.attachments),
                outputs: if script.requirements.separate_programs {
                    glasm::Varyings::AllLocations(glasm::Varyings::GUARANTEED)
                } else {
                    glasm::Varyings::FixedTable
                },
                ..glasm::InterfaceTypes::default()
            },
            pipeline_state: self.fixed_state(stage),
            polygon_stipple: script.requirements.polygon_stipple.clone(),
            handles: script.handle_limits(),
            depth_modes: self.state.depth_modes.clone(),
            texture_wraps: if self.is_for_opengl() {
                Vec::new()
            } else {
                self.state.texture_wraps.clone()
            },
            lod_biases: self.state.lod_biases.clone(),
            signed_hilo_textures: self.state.signed_hilo.clone(),
            image_formats: image_formats(script),
            transform_feedback: if self.last_stage() == stage {
                script.feedback.clone()
            } else {
                TransformFeedback::default()
            },
            zero_wins_multiply: self.base_options.zero_wins_multiply
                || script.requirements.legacy_multiply,
            ..self.base_options.clone()
        }
    }

    /// Returns the last stage before rasterization that the script's programs have.
    pub fn last_stage(&self) -> Stage {
        self.script.last_stage()
    }

    /// Returns the form of 64-bit attributes in the registers of the vertex program: narrow for IR
    /// and TGSI, whose registers have no types.
    fn attribute_registers(&self) -> AttributeRegisters {
        let mut programs = self.script.programs.iter();
        let is_typeless = |program: &ProgramSection| match program.form {
            ProgramForm::Ir => true,
            ProgramForm::Assembly => {
                let dialect = glasm::split_programs(&program.text).find_map(|part| part.dialect);
                dialect.is_some_and(|dialect| dialect.family() == Family::Tgsi)
            }
            ProgramForm::Glsl
            | ProgramForm::SpirvText
            | ProgramForm::SpirvWords
            | ProgramForm::PassThrough
            | ProgramForm::FixedFunction => false,
        };
        if programs.any(|program| program.stage == Stage::Vertex && is_typeless(program)) {
            AttributeRegisters::Narrow
        } else {
            AttributeRegisters::Any
        }
    }

    /// Returns the conventions of clip space for a stage. In scripts with GL's conventions the last
    /// stage before rasterization and the fragment stage convert them, once; other stages have
    /// Vulkan's. Otherwise, and if OpenGL runs the modules, they are those of the base options.
    fn conventions(&self, stage: Stage) -> glasm::Conventions {
        if self.is_for_opengl() {
            return self.base_options.conventions;
        }
        match self.script.requirements.convention {
            Convention::OpenGl if stage == self.last_stage() || stage == Stage::Fragment => {
                glasm::Conventions::opengl()
            }
            Convention::OpenGl => glasm::Conventions::vulkan(),
            Convention::Vulkan => self.base_options.conventions,
        }
    }

    /// Returns the pipeline state that concerns programs of a stage, from the requirements of the
    /// script and its current state. State of the end of vertex processing is only set for the last
    /// stage before rasterization.
    fn fixed_state(&self, stage: Stage) -> glasm::PipelineState {
        let requirements = &self.script.requirements;
        let is_last = self.last_stage() == stage;
        let colors = requirements.attachments.colors.iter().enumerate();
        let drawn = colors.filter(|(_, color)| color.is_some());
        let patch = self.state.patch.unwrap_or_default();
        let gl_state = !self.is_for_opengl();
        glasm::PipelineState {
            clamp_vertex_colors: requirements.fixed.clamp_vertex_colors && is_last,
            forced_point_size: self
                .state
                .point_size
                .map(|bits| f32::from_bits(bits).into())
                .or(requirements.fixed.forced_point_size)
                .filter(|_| is_last && gl_state && !self.computes_point_size()),
            default_point_size: self
                .unwritten_point_size()
                .map(|bits| f32::from_bits(bits).into())
                .filter(|_| is_last && gl_state),
            max_output_vertices: self.state.vertex_limit,
            primitive_id_mode: self.primitive_numbers(stage),
            patch_vertices: patch.vertices,
            default_tess_levels: patch.levels,
            is_framebuffer_unlayered: requirements.attachments.layers == 1,
            two_sided_color: requirements.fixed.two_sided_color
                || self.has_fixed_function_vertices() && self.state.fixed.is_two_sided(),
            draw_buffer_mask: drawn.fold(0, |bits, (number, _)| bits | 1 << number),
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
        self.base_options.target == Target::OpenGl4_5
    }

    /// Returns the primitive numbering of a stage: per primitive for fragment programs after a
    /// geometry program and if OpenGL runs the modules, otherwise that of the current state.
    fn primitive_numbers(&self, stage: Stage) -> PrimitiveIdMode {
        let mut programs = self.script.programs.iter();
        let has_geometry = programs.any(|program| program.stage == Stage::Geometry);
        match stage == Stage::Fragment && has_geometry {
            true => PrimitiveIdMode::PerPrimitive,
            // OpenGL draws quadrilaterals and polygons without decomposition, and counts them.
            false if self.is_for_opengl() => PrimitiveIdMode::PerPrimitive,
            false => self.state.primitive_numbers,
        }
    }

    /// Returns true if fixed-function vertex processing is the last stage before rasterization and
    /// computes the size of points in the current state.
    fn computes_point_size(&self) -> bool {
        self.last_stage() == Stage::Vertex
            && self.has_fixed_function_vertices()
            && self.state.fixed.computes_point_size()
    }

    /// Returns true if the script has a fixed-function vertex section.
    fn has_fixed_function_vertices(&self) -> bool {
        let mut programs = self.script.programs.iter();
        programs.any(|program| {
            (program.stage, program.form) == (Stage::Vertex, ProgramForm::FixedFunction)
        })
    }

    /// Returns the bits of the size of points for programs that write none, which Vulkan requires
    /// for draws of points: that of the current state, or 1. `None` if the script draws no points
    /// or modules have this size anyway.
    fn unwritten_point_size(&self) -> Option<u32> {
        let size = self.state.unwritten_point_size;
        let size = size.unwrap_or(1.0f32.to_bits());
        let is_wanted = self.script.draws_points() && self.implied_point_size != Some(size);
        is_wanted.then_some(size)
    }
}

/// Returns true if a section is an assembly program of a supported language.
fn is_assembly_program(section: &ProgramSection) -> bool {
    section.form == ProgramForm::Assembly
        && UnsupportedLanguage::detect_missing(&section.text).is_none()
}

/// Resets the options for state that modules read at run time to values that permit every state:
/// modes to their defaults, masks to all bits, sizes and lists to none.
fn make_state_dynamic(options: &mut glasm::Options) {
    let initial = glasm::Options::default();
    let (forms, fixed) = (options.state_sources, &mut options.pipeline_state);
    let is_open = |form: StateSource| !form.is_fixed();
    if is_open(forms.two_sided_color) {
        fixed.two_sided_color = initial.pipeline_state.two_sided_color;
    }
    if is_open(forms.flat_colors) {
        fixed.flat_colors = initial.pipeline_state.flat_colors;
    }
    if is_open(forms.clamp_vertex_colors) {
        fixed.clamp_vertex_colors = initial.pipeline_state.clamp_vertex_colors;
    }
    if is_open(forms.clamp_fragment_colors) {
        fixed.clamp_fragment_colors = initial.pipeline_state.clamp_fragment_colors;
    }
    if is_open(forms.point_sprites) {
        (fixed.coord_replace_mask, fixed.point_origin) =
            (u8::MAX, initial.pipeline_state.point_origin);
    }
    if is_open(forms.point_size) {
        (fixed.forced_point_size, fixed.default_point_size) = (None, None);
    }
    if is_open(forms.clip_planes) {
        fixed.clip_plane_mask = u8::MAX;
    }
    if is_open(forms.alpha_test) {
        fixed.alpha_test = initial.pipeline_state.alpha_test;
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

/// Returns the types of color attachments by number; those of numbers without attachment are float.
fn color_attachment_types(attachments: &Attachments) -> Vec<BaseType> {
    let base = |format: &Option<Format>| match format {
        Some(format) => format.encoding.base(),
        None => BaseType::Float,
    };
    attachments.colors.iter().map(base).collect()
}

/// Width of the registers that vertex attributes are loaded into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AttributeRegisters {
    /// The program has attributes with 64 bits.
    Any,
    /// Registers of four words: the third and fourth component of a 64-bit attribute are in the
    /// next register.
    Narrow,
}

/// Returns the attribute types by location. Locations without a column are float, as current values
/// are. 64-bit components are unsigned words, in narrow registers also those of the following
/// location.
fn attribute_types(data: &VertexData, registers: AttributeRegisters) -> Vec<BaseType> {
    let mut types = Vec::new();
    let mut set = |location: u32, base| {
        let location = location as usize;
        types.resize(types.len().max(location + 1), BaseType::Float);
        types[location] = base;
    };
    if registers == AttributeRegisters::Narrow {
        for column in data
            .columns
            .iter()
            .filter(|column| column.format.has_64_bit_channels())
        {
            if column.format.channels.len() > 2 {
                set(column.location + 1, BaseType::UnsignedInt);
            }
        }
    }
    for column in &data.columns {
        let base = if column.format.has_64_bit_channels() {
            BaseType::UnsignedInt
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
            base_options: glasm::Options::default(),
            implied_point_size: None,
        };
        compiler.compile_options(stage)
    }

    #[test]
    fn requirements_become_options() {
        let own = options("[require]\nlegacy_multiply\n[test]\n", Stage::Vertex);
        assert!(own.zero_wins_multiply);
        assert_eq!(own.conventions, glasm::Conventions::vulkan());
        let gl = "[require]\nGL >= 1.3\nframebuffer R32_UINT\n[vertex program]\n!!NVvp4.0\nEND\n[test]\n";
        let vertex = options(gl, Stage::Vertex);
        assert_eq!(vertex.conventions, glasm::Conventions::opengl());
        assert_eq!(vertex.interface.colors, [BaseType::UnsignedInt]);
        assert!(!vertex.zero_wins_multiply);
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
        let (float, word) = (BaseType::Float, BaseType::UnsignedInt);
        let expected = [word, word, BaseType::SignedInt, word];
        assert_eq!(types("VERT"), expected);
        let expected = [word, float, BaseType::SignedInt, word];
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
                base_options: glasm::Options::default(),
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
