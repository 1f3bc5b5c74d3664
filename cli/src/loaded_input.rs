//! The programs of an input: a single one, several in one source, or the assembly programs of a
//! script.

use crate::args::SourceOptions;
use crate::console::Console;
use crate::inputs::Input;
use glasm::frontend::ProgramSpan;
use glasm::{Acceptance, DeviceFeatures, Diagnostics, Dialect, Options, ProgramType, Source};
use glasm_scripts::compile::ScriptCompiler;
#[cfg(feature = "translate")]
use glasm_scripts::script::Convention;
use glasm_scripts::script::{ProgramSection, ProgramState, Script, ScriptError, program_labels};

/// An input that was read.
pub(crate) struct LoadedInput<'a> {
    /// Name of the input, for messages.
    name: &'a str,
    text: &'a [u8],
    source_options: SourceOptions,
    script: Option<LoadedScript>,
}

/// A script, and the state in which its first draw finds its programs.
struct LoadedScript {
    script: Script,
    state: ProgramState,
}

/// A program of an input.
pub(crate) struct InputProgram<'a> {
    /// Label that distinguishes it from other programs of its input, as part of a file name; `None`
    /// if the input is one program.
    pub(crate) label: Option<String>,
    /// The program.
    pub(crate) source: Source<'a>,
    /// The options that it is compiled with.
    pub(crate) options: Options,
    /// Its section in a script.
    section: Option<(&'a Script, &'a ProgramSection)>,
}

impl InputProgram<'_> {
    /// Returns true if it belongs to a script that follows GL's conventions.
    #[cfg(feature = "translate")]
    pub(crate) fn follows_gl(&self) -> bool {
        let script = self.section.map(|(script, _)| script);
        script.is_some_and(|script| script.requirements.convention == Convention::OpenGl)
    }

    /// Returns true if its section in the script is this one, by identity.
    pub(crate) fn is_section(&self, section: &ProgramSection) -> bool {
        self.section
            .is_some_and(|(_, own)| std::ptr::eq(own, section))
    }
}

impl<'a> LoadedInput<'a> {
    /// Parses an input if it is a script. `name` is for messages. With strict acceptance its
    /// programs are strict, regardless of the script.
    ///
    /// # Errors
    /// If it is a script that cannot be parsed: all errors.
    pub(crate) fn load(
        input: &Input,
        name: &'a str,
        text: &'a [u8],
        reading: SourceOptions,
    ) -> Result<Self, Vec<ScriptError>> {
        let script = if input.is_script(text) {
            let mut script = Script::parse_runnable(text)?;
            if reading.acceptance == Acceptance::Strict {
                script.requirements.acceptance = reading.acceptance;
            }
            let state = script.program_states().swap_remove(0);
            Some(LoadedScript { script, state })
        } else {
            None
        };
        Ok(Self {
            name,
            text,
            source_options: reading,
            script,
        })
    }

    /// Returns the programs, in the order of the source. Those of other types than `wanted` are
    /// omitted, except if a source that is not a script is a single program, which then must have
    /// the type. The options are `base` and the requirements of a script.
    pub(crate) fn list_programs(
        &self,
        wanted: Option<ProgramType>,
        base: &Options,
    ) -> Vec<InputProgram<'_>> {
        let Some(compiler) = self.script_compiler(base) else {
            return split_source(
                self.source_options.to_source(self.name, self.text),
                wanted,
                base,
            );
        };
        let script = compiler.script;
        let sections = script.assembly_sections().into_iter();
        let sections = sections.filter(|(label, _)| matches_type(label.program_type, wanted));
        let programs = sections.map(|(label, section)| InputProgram {
            label: Some(label.to_string()),
            source: script.requirements.source(self.name, section),
            options: compiler.compile_options(section.stage),
            section: Some((script, section)),
        });
        programs.collect()
    }

    /// Returns all features of devices, without those that a script requires to be absent.
    pub(crate) fn device_features(&self) -> DeviceFeatures {
        match &self.script {
            None => DeviceFeatures::default(),
            Some(own) => {
                let without = &own.script.requirements.excluded_features;
                let has = |name: &str| !without.iter().any(|other| other == name);
                DeviceFeatures::default().with(has)
            }
        }
    }

    /// Returns the compiler for the programs of a script, with these options and the requirements
    /// of the script; `None` if the input is not a script.
    pub(crate) fn script_compiler(&self, base: &Options) -> Option<ScriptCompiler<'_>> {
        self.script.as_ref().map(|own| ScriptCompiler {
            name: self.name,
            script: &own.script,
            state: &own.state,
            base_options: base.clone(),
            implied_point_size: None,
        })
    }

    /// Formats the errors and warnings of a program, with lines of the input, ready to print.
    pub(crate) fn format_diagnostics(
        &self,
        program: &InputProgram<'_>,
        diagnostics: &Diagnostics,
        console: Console,
    ) -> String {
        let whole = Source::new(self.name, self.text);
        match program.section {
            Some((script, section)) => {
                console.format_diagnostics(&script.map_diagnostics(section, diagnostics), &whole)
            }
            None => console.format_diagnostics(diagnostics, &whole),
        }
    }
}

/// Returns the labels of the programs of an input that have the type `wanted`, in their order;
/// `None` is the label of a single program. Of a script only the section headers are parsed.
pub(crate) fn list_program_labels(
    input: &Input,
    text: &[u8],
    wanted: Option<ProgramType>,
    reading: SourceOptions,
) -> Vec<Option<String>> {
    if input.is_script(text) {
        let labels = program_labels(text).into_iter();
        let labels = labels.filter(|label| matches_type(label.program_type, wanted));
        return labels.map(|label| Some(label.to_string())).collect();
    }
    let programs = split_source(reading.to_source("", text), wanted, &Options::default());
    programs.into_iter().map(|program| program.label).collect()
}

/// Returns true if a program type is the wanted one, or if any is wanted (`None`).
fn matches_type(program_type: ProgramType, wanted: Option<ProgramType>) -> bool {
    wanted.is_none_or(|wanted| wanted == program_type)
}

/// Returns the programs of a source that is not a script. A single one, also without a known
/// header, has no label and must have the type `wanted`; of several, those of other types are
/// omitted, and the labels are their types, with a number from the second of a type on.
fn split_source<'a>(
    source: Source<'a>,
    wanted: Option<ProgramType>,
    options: &Options,
) -> Vec<InputProgram<'a>> {
    let program = |label, source| InputProgram {
        label,
        source,
        options: options.clone(),
        section: None,
    };
    let mut parts: Vec<(ProgramSpan, Source<'a>)> = source.programs().collect();
    if parts.len() < 2 {
        let program_type = wanted;
        return vec![program(
            None,
            Source {
                program_type,
                ..source
            },
        )];
    }
    let part_type = |part: &ProgramSpan| part.dialect.map(Dialect::program_type);
    parts.retain(|(part, _)| part_type(part).is_none_or(|it| matches_type(it, wanted)));
    let mut used_labels: Vec<&str> = Vec::new();
    let label = |part: &ProgramSpan| {
        let word = part_type(part).map_or("program", ProgramType::identifier);
        used_labels.push(word);
        match used_labels.iter().filter(|other| **other == word).count() {
            1 => word.to_owned(),
            number => format!("{word}.{number}"),
        }
    };
    let labels: Vec<String> = parts.iter().map(|(part, _)| part).map(label).collect();
    let sources = parts.into_iter().map(|(_, source)| source);
    let programs = labels.into_iter().zip(sources);
    programs
        .map(|(label, source)| program(Some(label), source))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::ir::Stage;

    fn labels_of(path: &str, text: &str, wanted: Option<ProgramType>) -> Vec<String> {
        let input = Input::File(path.into());
        let reading = SourceOptions::default();
        let found = list_program_labels(&input, text.as_bytes(), wanted, reading);
        let found: Vec<String> = found.into_iter().map(Option::unwrap_or_default).collect();
        let content = LoadedInput::load(&input, path, text.as_bytes(), reading).unwrap();
        let programs = content.list_programs(wanted, &Options::default());
        let read = programs.into_iter().map(|program| program.label);
        assert_eq!(
            found,
            read.map(Option::unwrap_or_default).collect::<Vec<_>>()
        );
        found
    }

    #[test]
    fn texts_hold_one_program_or_several() {
        let (vertex, fragment) = ("!!ARBvp1.0\nEND\n", "!!ARBfp1.0\nEND\n");
        assert_eq!(labels_of("a.vp", vertex, None), [""]);
        assert_eq!(
            labels_of("a.vp", vertex, Some(ProgramType::Stage(Stage::Fragment))),
            [""]
        );
        assert_eq!(labels_of("a.vp", "nonsense", None), [""]);
        let both = format!("# two\n{vertex}{fragment}{vertex}");
        assert_eq!(
            labels_of("a.vfp", &both, None),
            ["vertex", "fragment", "vertex.2"]
        );
        assert_eq!(
            labels_of("a.vfp", &both, Some(ProgramType::Stage(Stage::Fragment))),
            ["fragment"]
        );
        let compute = Some(ProgramType::Stage(Stage::Compute));
        assert!(labels_of("a.vfp", &both, compute).is_empty());
        let state = format!("{vertex}!!VSP1.0\nEND\n");
        assert_eq!(labels_of("a.vp", &state, None), ["vertex", "vertex_state"]);
        let wanted = Some(ProgramType::VertexState);
        assert_eq!(labels_of("a.vp", &state, wanted), ["vertex_state"]);
        assert!(labels_of("a.vp", &state, compute).is_empty());
    }

    #[test]
    fn scripts_hold_what_their_sections_hold() {
        let text = "# c\n[fragment program]\n!!NVfp5.0\nEND\n[vertex program passthrough]\n[fragment program b]\n!!NVfp5.0\nEND\n\
                    [test]\nload fragment b\n";
        for path in ["a.shader_test", "a.txt"] {
            assert_eq!(labels_of(path, text, None), ["fragment", "fragment.b"]);
            assert!(labels_of(path, text, Some(ProgramType::Stage(Stage::Vertex))).is_empty());
        }
        assert!(labels_of("a.shader_test", "[test]\n", None).is_empty());
    }
}
