//! The script that is traced, and the invocation of one of its programs.

use super::comparison::Comparison;
use crate::args::TraceArgs;
use crate::console::{Console, Fatal};
use crate::run::wrap_program::wrap_program;
use glasm_scene::trace::{SourceLines, Trace};
use glasm_scripts::observation::Observation;
use glasm_scripts::results::{Failure, read_script};
use glasm_scripts::script::{Command, Script, is_script};
use glasm_scripts::software::{
    CaptureScript, ComputeSelection, FragmentSelection, LocatedVertices, PixelColors, StageProgram,
    TracedInvocation, find_fragment, find_invocation, find_primitive, find_vertex,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A script, or a script around a program.
pub(super) struct Scene {
    /// File.
    pub(super) path: PathBuf,
    /// The script.
    pub(super) script: Script,
    /// Contents of the file if it is a program.
    program_text: Option<Vec<u8>>,
}

/// What a device must have after the traced draw or dispatch.
pub(super) enum Expected {
    /// Nothing, for this reason.
    Nothing(String),
    /// Colors of a pixel.
    Pixel([u32; 2], PixelColors),
    /// Contents of the buffers.
    Buffers(Vec<Observation>),
    /// Vertices that a script captures.
    Vertices(Box<CaptureScript>),
}

/// An invocation and what is known about it.
pub(super) struct Located {
    /// The invocation.
    pub(super) invocation: TracedInvocation,
    /// Line of the draw or dispatch in the script.
    pub(super) line: u32,
    /// The invocation in words.
    pub(super) description: String,
    /// What a device must have after the draw or dispatch.
    pub(super) expected: Expected,
    /// True for fragments that were discarded or failed a test.
    pub(super) is_rejected: bool,
    /// What is not simulated.
    pub(super) limitations: BTreeSet<String>,
}

impl Scene {
    /// Reads a script, or a program, in the scene that `glasm draw` draws.
    pub(super) fn read(path: &Path, console: Console) -> Result<Self, Fatal> {
        let text = read_script(path).map_err(|error| Fatal(error.to_string()))?;
        if is_script(&text) {
            return Self::parse(path, &text, None, console);
        }
        let name = path.display();
        let wrapped = wrap_program(path, &text)
            .ok_or_else(|| Fatal(format!("{name} is neither a script nor a program")))?;
        let script = wrapped.script.ok_or(Fatal(wrapped.description))?;
        Self::parse(path, script.as_bytes(), Some(text), console)
    }

    /// Returns the scene of a script in a file.
    pub(super) fn from_script(path: &Path, script: Script) -> Self {
        Self {
            path: path.to_owned(),
            script,
            program_text: None,
        }
    }

    /// Parses a script. Prints its errors and returns an error that names the file if it has some.
    fn parse(
        path: &Path,
        text: &[u8],
        program_text: Option<Vec<u8>>,
        console: Console,
    ) -> Result<Self, Fatal> {
        let script = Script::parse_runnable(text).map_err(|errors| {
            let name = path.display().to_string();
            for error in &errors {
                let failure = Failure {
                    line: Some(error.line),
                    column: Some(error.column),
                    message: error.message.clone(),
                };
                console.write_err(&console.format_failure(&name, &failure));
            }
            Fatal(format!("{name}: the script has errors"))
        })?;
        Ok(Self {
            path: path.to_owned(),
            script,
            program_text,
        })
    }

    /// Returns the scene of `other` with which this one is compared: a script, or this script with
    /// the program of `other` instead of the one of the same stage.
    pub(super) fn replace_program(&self, other: &Path, console: Console) -> Result<Self, Fatal> {
        let text = read_script(other).map_err(|error| Fatal(error.to_string()))?;
        if is_script(&text) {
            return Self::parse(other, &text, None, console);
        }
        let name = other.display();
        let parts = glasm::split_programs(&text);
        let mut script = self.script.clone();
        let mut is_replaced = false;
        for part in parts {
            let Some(dialect) = part.dialect else {
                continue;
            };
            let program = &text[part.header as usize..part.span.end as usize];
            let stage = dialect.program_type().stage();
            let sections = script.programs.iter_mut();
            for section in sections.filter(|section| section.stage == stage) {
                section.text = program.trim_ascii_end().to_vec();
                is_replaced = true;
            }
        }
        if !is_replaced {
            return Err(Fatal(format!(
                "{name} has no program for a stage of {}",
                self.path.display()
            )));
        }
        Ok(Self {
            path: other.to_owned(),
            script,
            program_text: Some(text),
        })
    }

    /// Returns the invocation that the options select: without a selection the fragment of pixel
    /// (0, 0), or the first invocation of a script that only dispatches.
    pub(super) fn locate(&self, args: &TraceArgs) -> Result<Located, Fatal> {
        let located = self.try_locate(args);
        located.map_err(|message| Fatal(format!("{}: {message}", self.path.display())))
    }

    /// Returns the invocation that the options select.
    fn try_locate(&self, args: &TraceArgs) -> Result<Located, String> {
        let script = &self.script;
        if let Some(vertex) = args.vertex {
            let found = find_vertex(script, args.draw, i64::from(vertex), args.max_steps)?;
            return Ok(Located::from_vertices(found, format!("vertex {vertex}")));
        }
        if let Some(primitive) = args.primitive {
            let found = find_primitive(script, args.draw, primitive, args.max_steps)?;
            return Ok(Located::from_vertices(
                found,
                format!("primitive {primitive}"),
            ));
        }
        let has = |is_kind: fn(&Command) -> bool| {
            let mut steps = script.steps.iter();
            steps.any(|step| is_kind(&step.command))
        };
        let draws = has(|command| matches!(command, Command::Draw(_)));
        let dispatches = has(|command| matches!(command, Command::Compute { .. }));
        let is_compute = args.at.is_none() && !draws && dispatches;
        if args.invocation.is_some() || is_compute {
            let invocation = args.invocation.unwrap_or_default();
            let selection = ComputeSelection {
                invocation,
                line: args.draw,
                step_limit: args.max_steps,
            };
            let found = find_invocation(script, &selection)?;
            let [x, y, z] = invocation;
            let description = format!("invocation ({x}, {y}, {z})");
            let expected = found
                .buffers
                .map_or_else(Expected::Nothing, Expected::Buffers);
            return Ok(Located {
                invocation: found.invocation,
                line: found.line,
                description,
                expected,
                is_rejected: false,
                limitations: found.limitations,
            });
        }
        self.locate_pixel(&FragmentSelection {
            pixel: args.at.unwrap_or_default(),
            line: args.draw,
            end_line: None,
            step_limit: args.max_steps,
        })
    }

    /// Returns the selected fragment.
    ///
    /// # Errors
    /// Those of [`find_fragment`].
    pub(super) fn locate_pixel(&self, selection: &FragmentSelection) -> Result<Located, String> {
        let found = find_fragment(&self.script, selection)?;
        let [x, y] = selection.pixel;
        let instance = match found.instance {
            0 => String::new(),
            instance => format!(" of instance {instance}"),
        };
        Ok(Located {
            description: format!("pixel ({x}, {y}), primitive {}{instance}", found.primitive),
            invocation: found.invocation,
            line: found.line,
            expected: Expected::Pixel(selection.pixel, found.colors),
            is_rejected: !found.is_drawn,
            limitations: found.limitations,
        })
    }

    /// Returns the source of a program as the user knows it, with the position of its first byte.
    pub(super) fn find_source<'s>(&'s self, program: &'s StageProgram) -> SourceLines<'s> {
        SourceLines::new(&self.script, self.program_text.as_deref(), program)
    }
}

impl Located {
    /// Returns the invocation for a vertex or a primitive.
    fn from_vertices(found: LocatedVertices, description: String) -> Self {
        let notes = found.invocation.program.list_notes();
        Self {
            limitations: notes.map(str::to_owned).collect(),
            invocation: found.invocation,
            line: found.line,
            description,
            expected: found
                .capture
                .map_or_else(Expected::Nothing, Expected::Vertices),
            is_rejected: false,
        }
    }
}

/// Scene, invocation and trace that are printed.
pub(super) struct Report<'a> {
    /// The scene.
    pub(super) scene: &'a Scene,
    /// The invocation.
    pub(super) located: &'a Located,
    /// Its trace.
    pub(super) trace: &'a Trace,
    /// Indices of the statements that are shown.
    pub(super) shown: Vec<usize>,
    /// Number of selected statements that are not shown.
    pub(super) omitted: usize,
    /// Comparison with the device.
    pub(super) comparison: Comparison,
}
