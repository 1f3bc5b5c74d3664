//! Programs of a scene, with what their analysis shows, and the stages that they form together.

use super::options::ParameterBank;
use super::usage::ProgramUsage;
use glasm::frontend::source::Family;
use glasm::ir::{Program, Stage};
use glasm::{Dialect, ProgramType, Source};

/// Notation of a program, on which the numbers of attributes depend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    /// Language with conventional attributes.
    Assembly,
    /// TGSI.
    Tgsi,
}

/// Input of a program that the options do not set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SceneInput {
    /// Name, with the program that reads it.
    pub name: String,
    /// Value in the scene.
    pub value: String,
    /// Option that sets it.
    pub option: String,
    /// Setting of [`SceneOptions`] that replaces it.
    ///
    /// [`SceneOptions`]: crate::SceneOptions
    pub setting: InputSetting,
}

/// Setting of [`SceneOptions`] that replaces an input.
///
/// [`SceneOptions`]: crate::SceneOptions
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputSetting {
    /// Parameter: the text before `=` of a [`ParameterSetting`], `STAGE:N`, and the number of
    /// vectors from that number that have the same value.
    ///
    /// [`ParameterSetting`]: crate::ParameterSetting
    Parameter(ParameterBank, String, u32),
    /// Texture of a unit, which has texels that patterns can replace.
    Texture(u32),
    /// Vertex attribute.
    Attribute(u32),
    /// Line of a script: its words before the numbers, with the space after them.
    Line(String),
    /// None that has a single value.
    None,
}

/// A program of a scene.
#[derive(Clone, PartialEq, Debug)]
pub struct SceneProgram {
    /// Type.
    pub program_type: ProgramType,
    /// Source, without whitespace and zero bytes at its end.
    pub text: String,
    /// Notation.
    pub(super) language: Language,
    /// The program in the intermediate representation; `None` if it has errors.
    pub(super) ir: Option<Program>,
    /// Use of inputs and resources; nothing if it has errors.
    pub(super) usage: ProgramUsage,
}

impl SceneProgram {
    /// Returns the programs of a source, in its order; programs with unknown headers are omitted.
    pub fn split(text: &[u8]) -> Vec<Self> {
        let parts = glasm::frontend::split_programs(text);
        let program = |part: glasm::ProgramSpan| {
            let own = text.get(part.header as usize..part.span.end as usize)?;
            Some(Self::new(part.dialect?, own))
        };
        parts.filter_map(program).collect()
    }

    /// Loads and analyzes a program.
    fn new(dialect: Dialect, text: &[u8]) -> Self {
        let ir = glasm::frontend::translate(&Source::new("", text)).0;
        let text = String::from_utf8_lossy(text);
        let text = text.trim_end_matches(|c: char| c == '\0' || c.is_whitespace());
        Self {
            program_type: dialect.program_type(),
            text: text.to_owned(),
            language: if dialect.family() == Family::Tgsi {
                Language::Tgsi
            } else {
                Language::Assembly
            },
            usage: ir.as_ref().map(ProgramUsage::new).unwrap_or_default(),
            ir,
        }
    }

    /// Returns true if the program has errors, and thus cannot be drawn.
    pub fn has_errors(&self) -> bool {
        self.ir.is_none()
    }

    /// Returns true if the program accesses memory through addresses.
    pub fn reads_memory(&self) -> bool {
        self.usage.reads_memory
    }

    /// Returns the stage; `None` for vertex state programs.
    pub(super) fn stage(&self) -> Option<Stage> {
        match self.program_type {
            ProgramType::Stage(stage) => Some(stage),
            ProgramType::VertexState => None,
        }
    }

    /// Returns the words that name the program: `the vertex program`.
    pub(super) fn describe(&self) -> String {
        format!("the {} program", self.program_type.name())
    }

    /// Returns the suffix of the parameter banks of its type in scripts.
    pub(super) fn bank_suffix(&self) -> &'static str {
        match self.program_type {
            ProgramType::Stage(Stage::Vertex) | ProgramType::VertexState => "vp",
            ProgramType::Stage(Stage::Fragment) => "fp",
            ProgramType::Stage(Stage::Geometry) => "gp",
            ProgramType::Stage(Stage::TessControl) => "tcp",
            ProgramType::Stage(Stage::TessEval) => "tep",
            ProgramType::Stage(Stage::Compute) => "cp",
        }
    }
}

/// Programs by stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pipeline<'a> {
    /// Programs, one of each type.
    pub(super) programs: &'a [SceneProgram],
}

impl<'a> Pipeline<'a> {
    /// Returns the pipeline of some programs.
    ///
    /// # Errors
    /// Without programs, or if two have the same type.
    pub(super) fn new(programs: &'a [SceneProgram]) -> Result<Self, String> {
        if programs.is_empty() {
            return Err("there is no program".to_owned());
        }
        for (index, program) in programs.iter().enumerate() {
            let mut others = programs.iter().skip(index + 1);
            if others.any(|other| other.program_type == program.program_type) {
                return Err(format!(
                    "there are several {} programs, and a scene has one of each type",
                    program.program_type.name()
                ));
            }
        }
        Ok(Self { programs })
    }

    /// Returns the program of a stage.
    pub(super) fn find(self, stage: Stage) -> Option<&'a SceneProgram> {
        let mut programs = self.programs.iter();
        programs.find(|program| program.stage() == Some(stage))
    }

    /// Returns true if there is a program of a stage.
    pub(super) fn has(self, stage: Stage) -> bool {
        self.find(stage).is_some()
    }

    /// Returns true if the programs draw.
    pub(super) fn draws(self) -> bool {
        let draws = |stage| stage != Stage::Compute;
        let mut stages = self.programs.iter().filter_map(SceneProgram::stage);
        stages.any(draws)
    }

    /// Returns the last program before rasterization; `None` if there is none.
    pub(super) fn find_last_before_rasterization(self) -> Option<&'a SceneProgram> {
        let stages = [
            Stage::Geometry,
            Stage::TessEval,
            Stage::TessControl,
            Stage::Vertex,
        ];
        stages.into_iter().find_map(|stage| self.find(stage))
    }

    /// Returns the program of the first stage after the vertex stage.
    pub(super) fn find_first_after_vertex(self) -> Option<&'a SceneProgram> {
        let stages = [
            Stage::TessControl,
            Stage::TessEval,
            Stage::Geometry,
            Stage::Fragment,
        ];
        stages.into_iter().find_map(|stage| self.find(stage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_split() {
        let text = b"# both\n!!ARBvp1.0\nEND\n!!ARBfp1.0\nEND\0 \n";
        let programs = SceneProgram::split(text);
        let types: Vec<&str> = programs.iter().map(|it| it.program_type.name()).collect();
        assert_eq!(types, ["vertex", "fragment"]);
        assert_eq!(programs[1].text, "!!ARBfp1.0\nEND");
        assert!(Pipeline::new(&programs).is_ok());
        let twice = [programs.clone(), programs].concat();
        let error = Pipeline::new(&twice).unwrap_err();
        assert!(error.contains("several vertex programs"), "{error}");
        assert!(Pipeline::new(&[]).is_err());
        assert!(SceneProgram::split(b"!!nonsense\nEND").is_empty());
    }
}
