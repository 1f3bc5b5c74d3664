//! What the compiler makes of the programs of a script: with which options they are compiled, which of them together, and whether they have
//! the errors that the script expects. What depends on a device is given by the caller.

mod expected;
mod features;
mod image_formats;
mod withheld;

pub use features::wrong_blame;
pub use withheld::Withheld;

use crate::format::Format;
use crate::script::{
    Attachments, Convention, ProgramForm, ProgramSection, ProgramState, Script, VertexData,
};
use glasm::frontend::lang::languages::Language;
use glasm::ir::{Stage, TypeBase};
use glasm::{Diagnostics, Shader, Source, TransformFeedback};
use image_formats::image_formats;

/// What became of a program that was compiled together with others.
pub type LinkedStage = (Stage, Result<Shader, Diagnostics>);

/// Compiles the programs of a script.
#[derive(Clone, Debug)]
pub struct ScriptCompiler<'a> {
    /// Path of the script, for messages.
    pub name: &'a str,
    /// The script.
    pub script: &'a Script,
    /// The state in which the programs are used.
    pub state: &'a ProgramState,
    /// What the device or the caller decides: target, features, bindings, conventions of clip space for scripts that follow Vulkan.
    pub base: glasm::Options,
}

impl ScriptCompiler<'_> {
    /// The text of a program section, as one of its stage.
    pub fn source<'s>(&'s self, section: &'s ProgramSection) -> Source<'s> {
        self.script.requirements.source(self.name, section)
    }

    /// Compiles an assembly program by itself.
    ///
    /// # Errors
    /// Its errors, at places in the program.
    pub fn compile(&self, section: &ProgramSection) -> Result<Shader, Diagnostics> {
        glasm::compile(&self.source(section), &self.options(section.stage))
    }

    /// The stages of a pipeline that has nothing but assembly programs, compiled together; else nothing.
    pub fn link(&self) -> Vec<LinkedStage> {
        let sections = self.script.programs.iter();
        let mut sections: Vec<_> = sections
            .filter(|section| section.stage != Stage::Compute)
            .collect();
        let is_program = |section: &&ProgramSection| {
            section.form == ProgramForm::Assembly && Language::missing(&section.text).is_none()
        };
        if sections.len() < 2 || !sections.iter().all(is_program) {
            return Vec::new();
        }
        sections.sort_by_key(|section| section.stage);
        let sources: Vec<_> = sections
            .iter()
            .map(|section| self.source(section))
            .collect();
        let options: Vec<_> = sections
            .iter()
            .map(|section| self.options(section.stage))
            .collect();
        let stages: Vec<_> = sources.iter().zip(&options).collect();
        let stages = glasm::link(&stages).stages.into_iter();
        sections
            .iter()
            .map(|section| section.stage)
            .zip(stages)
            .collect()
    }

    /// The options with which programs of a stage are compiled.
    pub fn options(&self, stage: Stage) -> glasm::Options {
        let script = self.script;
        let data = script.vertex_data.as_ref();
        glasm::Options {
            conventions: self.conventions(stage),
            interface: glasm::InterfaceTypes {
                attributes: data.map(attribute_types).unwrap_or_default(),
                colors: color_types(&script.requirements.attachments),
                ..glasm::InterfaceTypes::default()
            },
            fixed: self.fixed_state(stage),
            handles: script.handle_limits(),
            depth_modes: self.state.depth_modes.clone(),
            texture_wraps: self.state.texture_wraps.clone(),
            lod_biases: self.state.lod_biases.clone(),
            signed_hilo: self.state.signed_hilo.clone(),
            image_formats: image_formats(script),
            transform_feedback: match self.last_stage() == stage {
                true => script.feedback.clone(),
                false => TransformFeedback::default(),
            },
            legacy_multiply: self.base.legacy_multiply || script.requirements.legacy_multiply,
            ..self.base.clone()
        }
    }

    /// The last stage before rasterization.
    pub fn last_stage(&self) -> Stage {
        let has = |stage: &Stage| {
            let mut programs = self.script.programs.iter();
            programs.any(|program| program.stage == *stage)
        };
        [Stage::Geometry, Stage::TessEval]
            .into_iter()
            .find(has)
            .unwrap_or(Stage::Vertex)
    }

    /// What clip space needs in a stage: GL's depth range is remapped once, at the end.
    fn conventions(&self, stage: Stage) -> glasm::Conventions {
        match self.script.requirements.convention {
            Convention::OpenGl if stage == self.last_stage() || stage == Stage::Fragment => {
                glasm::Conventions::opengl()
            }
            Convention::OpenGl => glasm::Conventions::vulkan(),
            Convention::Vulkan => self.base.conventions,
        }
    }

    /// GL state as far as a stage has to do with it.
    fn fixed_state(&self, stage: Stage) -> glasm::FixedState {
        let requirements = &self.script.requirements;
        let is_last = self.last_stage() == stage;
        let colors = requirements.attachments.colors.iter().enumerate();
        let drawn = colors.filter(|(_, color)| color.is_some());
        glasm::FixedState {
            clamp_vertex_colors: requirements.fixed.clamp_vertex_colors && is_last,
            point_size: self
                .state
                .point_size
                .or(requirements.fixed.point_size)
                .filter(|_| is_last),
            draw_buffers: drawn.fold(0, |bits, (number, _)| bits | 1 << number),
            point_origin: self.state.point_origin,
            ..requirements.fixed
        }
    }
}

/// Types by attachment; numbers without attachment are float.
fn color_types(attachments: &Attachments) -> Vec<TypeBase> {
    let base = |format: &Option<Format>| match format {
        Some(format) => format.encoding.base(),
        None => TypeBase::Float,
    };
    attachments.colors.iter().map(base).collect()
}

/// Types by location; what lies between columns is float, as current values are.
fn attribute_types(data: &VertexData) -> Vec<TypeBase> {
    let count = data
        .columns
        .iter()
        .map(|column| column.location as usize + 1)
        .max()
        .unwrap_or(0);
    let mut types = vec![TypeBase::Float; count];
    for column in &data.columns {
        types[column.location as usize] = column.format.encoding.base();
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
    fn only_pipelines_of_assembly_are_linked() {
        let link = |text: &str| {
            let script = Script::parse(text.as_bytes()).unwrap();
            let compiler = ScriptCompiler {
                name: "a",
                script: &script,
                state: &ProgramState::default(),
                base: glasm::Options::default(),
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
        assert!(link(&format!("{fragment}[vertex program]\n!!NVgp4.0\nEND\n")).is_empty());
    }
}
