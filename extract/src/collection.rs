//! Each program once, with all its occurrences, and the index.

use crate::files::{FileProgram, FileScan};
use crate::form::{Decoding, Note};
use glasm::{Dialect, Family, Options, ProgramType, Source, Stage};
use serde::Serialize;
use serde_json::json;
use std::collections::HashMap;
use std::fmt::Write;

/// Where a program was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// Path of the file.
    pub source: String,
    /// Names of the archive entries, separated by `!/`; empty outside of archives.
    pub entry: String,
    /// Offset of the header in the innermost entry, in bytes.
    pub offset: u64,
    /// How it is written there.
    pub decoding: Decoding,
    /// Remarks.
    pub notes: Vec<Note>,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// From its header to `END`.
    pub text: Vec<u8>,
    /// Language of the header.
    pub dialect: Dialect,
    /// Where it was found; at least one.
    pub occurrences: Vec<Occurrence>,
}

/// Whether a program loads.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Verdict {
    /// True if it compiles.
    pub loads: bool,
    /// Number of errors.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
    /// First error with its position.
    pub first_error: Option<String>,
}

/// Compiles a program for a device with all features.
pub fn check_program(program: &Program) -> Verdict {
    let source = Source::new("", &program.text);
    match glasm::compile(&source, &Options::default()) {
        Ok(shader) => Verdict {
            loads: true,
            warnings: shader.warnings.warning_count(),
            ..Verdict::default()
        },
        Err(diagnostics) => Verdict {
            loads: false,
            errors: diagnostics.error_count(),
            warnings: diagnostics.warning_count(),
            first_error: diagnostics.gl_error_string(&source),
        },
    }
}

impl Program {
    /// Returns true if the program ends with `END`.
    pub fn is_complete(&self) -> bool {
        !self.occurrences[0].notes.contains(&Note::NoEnd)
    }

    /// Returns the name of the file for the program, which has this number. It
    /// consists of ASCII characters that are valid in file names, regardless of the program.
    pub fn file_name(&self, number: usize) -> String {
        let language = self.dialect.header().trim_start_matches('!');
        let end = if self.is_complete() {
            ""
        } else {
            ".incomplete"
        };
        format!("{number:04}-{language}{end}.{}", self.extension())
    }

    /// Returns the extension that is common for programs of the language.
    fn extension(&self) -> &'static str {
        if self.dialect.family() == Family::Tgsi {
            return "tgsi";
        }
        match self.dialect.program_type() {
            ProgramType::VertexState => "vsp",
            ProgramType::Stage(Stage::Vertex) => "vp",
            ProgramType::Stage(Stage::TessControl) => "tcp",
            ProgramType::Stage(Stage::TessEval) => "tep",
            ProgramType::Stage(Stage::Geometry) => "gp",
            ProgramType::Stage(Stage::Fragment) => "fp",
            ProgramType::Stage(Stage::Compute) => "cp",
        }
    }

    /// Returns the names of the `OPTION` statements, in order.
    pub fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        for line in self.text.split(|byte| matches!(byte, b'\n' | b'\r')) {
            let code = line.split(|byte| *byte == b'#').next().unwrap_or_default();
            let mut words = code
                .split(|byte| byte.is_ascii_whitespace() || *byte == b';')
                .filter(|word| !word.is_empty());
            while let Some(word) = words.next() {
                if word == b"OPTION"
                    && let Some(name) = words.next()
                {
                    options.push(String::from_utf8_lossy(name).into_owned());
                }
            }
        }
        options
    }

    /// Returns the remarks about all occurrences, each once.
    fn notes(&self) -> Vec<String> {
        let all = self.occurrences.iter().flat_map(|it| &it.notes);
        let mut notes: Vec<&Note> = all.collect();
        notes.sort();
        notes.dedup();
        notes.iter().map(ToString::to_string).collect()
    }
}

/// Programs that were found, each once.
#[derive(Clone, Default, Debug)]
pub struct Collection {
    programs: Vec<Program>,
    numbers: HashMap<Vec<u8>, usize>,
    files: u64,
    bytes: u64,
    other_headers: u64,
    problems: Vec<(String, String)>,
}

impl Collection {
    /// Adds what was found in a file.
    pub fn add(&mut self, source: &str, scan: FileScan) {
        self.files += 1;
        self.bytes += scan.bytes;
        self.other_headers += scan.other_headers;
        let problems = scan.problems.into_iter();
        self.problems
            .extend(problems.map(|problem| (source.to_owned(), problem)));
        for FileProgram { entry, found } in scan.programs {
            let occurrence = Occurrence {
                source: source.to_owned(),
                entry,
                offset: found.offset,
                decoding: found.decoding,
                notes: found.notes,
            };
            let next = self.programs.len();
            // A text that is cut off is another program than the same text with its end.
            let number = *self.numbers.entry(found.text.clone()).or_insert(next);
            if number == next {
                self.programs.push(Program {
                    text: found.text,
                    dialect: found.dialect,
                    occurrences: Vec::new(),
                });
            }
            self.programs[number].occurrences.push(occurrence);
        }
    }

    /// Adds a part of the input that was not searched.
    pub fn add_problem(&mut self, source: &str, problem: String) {
        self.problems.push((source.to_owned(), problem));
    }

    /// Returns the programs, in the order in which they were found.
    pub fn programs(&self) -> &[Program] {
        &self.programs
    }

    /// Returns the parts of the input that were not searched: the file and the reason.
    pub fn problems(&self) -> &[(String, String)] {
        &self.problems
    }

    /// Returns the numbers about the search as a JSON object.
    pub fn summary(&self, verdicts: Option<&[Verdict]>) -> serde_json::Value {
        let occurrences: usize = self.programs.iter().map(|it| it.occurrences.len()).sum();
        let complete = self.programs.iter().filter(|it| it.is_complete()).count();
        let loading = verdicts.map(|all| all.iter().filter(|it| it.loads).count());
        json!({
            "files": self.files,
            "bytes": self.bytes,
            "programs": self.programs.len(),
            "complete": complete,
            "loading": loading,
            "occurrences": occurrences,
            "other_headers": self.other_headers,
            "problems": self.problems.len(),
        })
    }

    /// Returns the index as JSON. Without verdicts the fields about loading are null.
    pub fn to_json(&self, verdicts: Option<&[Verdict]>) -> serde_json::Value {
        let programs = self.programs.iter().enumerate().map(|(index, program)| {
            let verdict = verdicts.and_then(|all| all.get(index));
            let occurrences = program.occurrences.iter().map(|it| {
                json!({
                    "source": it.source, "entry": it.entry, "offset": it.offset,
                    "decoding": it.decoding.to_string(),
                })
            });
            json!({
                "file": program.file_name(index + 1),
                "language": program.dialect.header(),
                "type": program.dialect.program_type().identifier(),
                "bytes": program.text.len(),
                "options": program.options(),
                "complete": program.is_complete(),
                "notes": program.notes(),
                "loads": verdict.map(|it| it.loads),
                "errors": verdict.map(|it| it.errors),
                "warnings": verdict.map(|it| it.warnings),
                "first_error": verdict.and_then(|it| it.first_error.as_deref()),
                "occurrences": occurrences.collect::<Vec<_>>(),
            })
        });
        let problems = self.problems.iter();
        let problems = problems.map(|(source, it)| json!({ "source": source, "message": it }));
        json!({
            "summary": self.summary(verdicts),
            "programs": programs.collect::<Vec<_>>(),
            "problems": problems.collect::<Vec<_>>(),
        })
    }

    /// Returns the index as a table: one line for each program, with its first occurrence and the
    /// number of the others. Columns are separated by tabs; control characters in names are
    /// replaced.
    pub fn to_tsv(&self, verdicts: Option<&[Verdict]>) -> String {
        let mut table = TSV_HEADER.to_owned();
        for (index, program) in self.programs.iter().enumerate() {
            let first = &program.occurrences[0];
            let verdict = verdicts.and_then(|all| all.get(index));
            let number = |of: fn(&Verdict) -> usize| {
                verdict.map_or_else(String::new, |it| of(it).to_string())
            };
            let columns = [
                program.file_name(index + 1),
                first.source.clone(),
                first.entry.clone(),
                first.offset.to_string(),
                first.decoding.to_string(),
                program.dialect.header().to_owned(),
                program.options().join(","),
                program.notes().join(","),
                verdict
                    .map_or("", |it| if it.loads { "yes" } else { "no" })
                    .to_owned(),
                number(|it| it.errors),
                number(|it| it.warnings),
                verdict
                    .and_then(|it| it.first_error.clone())
                    .unwrap_or_default(),
                (program.occurrences.len() - 1).to_string(),
            ];
            let columns = columns.map(|column| replace_control_characters(&column));
            // Writing to a string does not fail.
            let _ = writeln!(table, "{}", columns.join("\t"));
        }
        table
    }
}

const TSV_HEADER: &str = "file\tsource\tentry\toffset\tdecoding\tlanguage\toptions\tnotes\tloads\terrors\twarnings\tfirst_error\tduplicates\n";

/// Replaces control characters, which would end a column or a line.
fn replace_control_characters(text: &str) -> String {
    let shown = |it: char| {
        if it.is_control() {
            char::REPLACEMENT_CHARACTER
        } else {
            it
        }
    };
    text.chars().map(shown).collect()
}
