//! The programs of an input: a single one, several in one source, or the assembly programs of a
//! script.

use crate::args::Reading;
use crate::console::Console;
use crate::inputs::Input;
use glasm::frontend::Part;
use glasm::{Acceptance, DeviceFeatures, Diagnostics, Dialect, Options, ProgramType, Source};
use glasm_scripts::compile::ScriptCompiler;
#[cfg(feature = "translate")]
use glasm_scripts::script::Convention;
use glasm_scripts::script::{ProgramSection, ProgramState, Script, ScriptError, program_labels};

/// An input that was read.
pub(crate) struct Content<'a> {
    /// Name of the input, for messages.
    name: &'a str,
    text: &'a [u8],
    reading: Reading,
    script: Option<OwnScript>,
}

/// A script, and the state in which its first draw finds its programs.
struct OwnScript {
    script: Script,
    state: ProgramState,
}

/// A program of an input.
pub(crate) struct Program<'a> {
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

impl Program<'_> {
    /// Returns true if it belongs to a script that follows GL's conventions.
    #[cfg(feature = "translate")]
    pub(crate) fn follows_gl(&self) -> bool {
        let script = self.section.map(|(script, _)| script);
        script.is_some_and(|script| script.requirements.convention == Convention::OpenGl)
    }

    /// Returns true if it is the program of a section of its script.
    pub(crate) fn is(&self, section: &ProgramSection) -> bool {
        self.section
            .is_some_and(|(_, own)| std::ptr::eq(own, section))
    }
}

impl<'a> Content<'a> {
    /// Reads an input. `name` is for messages. With strict acceptance its programs are strict,
    /// regardless of the script.
    ///
    /// # Errors
    /// If it is a script that cannot be read.
    pub(crate) fn read(
        input: &Input,
        name: &'a str,
        text: &'a [u8],
        reading: Reading,
    ) -> Result<Self, Vec<ScriptError>> {
        let script = if input.is_script(text) {
            let mut script = Script::read(text)?;
            if reading.acceptance == Acceptance::Strict {
                script.requirements.acceptance = reading.acceptance;
            }
            let state = script.program_states().swap_remove(0);
            Some(OwnScript { script, state })
        } else {
            None
        };
        Ok(Self {
            name,
            text,
            reading,
            script,
        })
    }

    /// Returns the programs, in the order of the source. If there may be several, those of other
    /// types than the wanted one are omitted. The options are the given ones and the requirements
    /// of a script.
    pub(crate) fn list_programs(
        &self,
        wanted: Option<ProgramType>,
        base: &Options,
    ) -> Vec<Program<'_>> {
        let Some(compiler) = self.compiler(base) else {
            return split_source(self.reading.source(self.name, self.text), wanted, base);
        };
        let script = compiler.script;
        let sections = script.assembly_sections().into_iter();
        let sections = sections.filter(|(label, _)| is_wanted(label.program_type, wanted));
        let programs = sections.map(|(label, section)| Program {
            label: Some(label.to_string()),
            source: script.requirements.source(self.name, section),
            options: compiler.options(section.stage),
            section: Some((script, section)),
        });
        programs.collect()
    }

    /// Returns a device that has everything except features that a script disables.
    pub(crate) fn device(&self) -> DeviceFeatures {
        match &self.script {
            None => DeviceFeatures::default(),
            Some(own) => {
                let without = &own.script.requirements.without;
                let has = |name: &str| !without.iter().any(|other| other == name);
                DeviceFeatures::default().with(has)
            }
        }
    }

    /// Returns the compiler for the programs of a script, with these options and the requirements
    /// of the script.
    pub(crate) fn compiler(&self, base: &Options) -> Option<ScriptCompiler<'_>> {
        self.script.as_ref().map(|own| ScriptCompiler {
            name: self.name,
            script: &own.script,
            state: &own.state,
            base: base.clone(),
            implied_point_size: None,
        })
    }

    /// Messages about a program, at lines of the input, ready to print.
    pub(crate) fn format(
        &self,
        program: &Program<'_>,
        diagnostics: &Diagnostics,
        console: Console,
    ) -> String {
        let whole = Source::new(self.name, self.text);
        match program.section {
            Some((script, section)) => {
                console.format_diagnostics(&script.localize(section, diagnostics), &whole)
            }
            None => console.format_diagnostics(diagnostics, &whole),
        }
    }
}

/// Returns the labels of the programs of an input, in their order, without reading more of a script
/// than its headers.
pub(crate) fn labels(
    input: &Input,
    text: &[u8],
    wanted: Option<ProgramType>,
    reading: Reading,
) -> Vec<Option<String>> {
    if input.is_script(text) {
        let labels = program_labels(text).into_iter();
        let labels = labels.filter(|label| is_wanted(label.program_type, wanted));
        return labels.map(|label| Some(label.to_string())).collect();
    }
    let programs = split_source(reading.source("", text), wanted, &Options::default());
    programs.into_iter().map(|program| program.label).collect()
}

fn is_wanted(program_type: ProgramType, wanted: Option<ProgramType>) -> bool {
    wanted.is_none_or(|wanted| wanted == program_type)
}

/// Splits the programs of a source that is not a script. One that starts without a known header is
/// a program, too, which fails.
fn split_source<'a>(
    source: Source<'a>,
    wanted: Option<ProgramType>,
    options: &Options,
) -> Vec<Program<'a>> {
    let program = |label, source| Program {
        label,
        source,
        options: options.clone(),
        section: None,
    };
    let mut parts: Vec<(Part, Source<'a>)> = source.programs().collect();
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
    let type_of = |part: &Part| part.dialect.map(Dialect::program_type);
    parts.retain(|(part, _)| type_of(part).is_none_or(|it| is_wanted(it, wanted)));
    let mut taken: Vec<&str> = Vec::new();
    let label = |part: &Part| {
        let word = type_of(part).map_or("program", ProgramType::word);
        taken.push(word);
        match taken.iter().filter(|other| **other == word).count() {
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
        let reading = Reading::default();
        let found = labels(&input, text.as_bytes(), wanted, reading);
        let found: Vec<String> = found.into_iter().map(Option::unwrap_or_default).collect();
        let content = Content::read(&input, path, text.as_bytes(), reading).unwrap();
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
