//! GLSL and SPIR-V text to modules, through the programs `glslangValidator` and `spirv-as`.
//!
//! Starting a program takes longer than most scripts, so results are cached: scripts share
//! sections, and a script may run again. Files and output are in a separate directory, which is
//! removed afterwards. A program that exceeds its time limit is terminated.

use crate::glsl_server::GlslServer;
use glasm::Target;
use glasm::ir::Stage;
use glasm_scripts::stopwatch::Stopwatch;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Time limit of a tool for one module.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// Messages and words that are retained at most, in bytes.
const CACHE_LIMIT: usize = 16 << 20;
/// Messages that are retained of one run.
const MAX_MESSAGES: usize = 20;

/// Language that a program translates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum TextLanguage {
    /// GLSL sources, which are linked together.
    Glsl,
    /// SPIR-V assembly: one text.
    SpirvAssembly,
}

impl TextLanguage {
    fn name(self) -> &'static str {
        match self {
            Self::Glsl => "GLSL",
            Self::SpirvAssembly => "SPIR-V text",
        }
    }

    fn program(self) -> &'static str {
        match self {
            Self::Glsl => "glslangValidator",
            Self::SpirvAssembly => "spirv-as",
        }
    }
}

/// Input of a translation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ToolInput {
    pub(crate) language: TextLanguage,
    pub(crate) stage: Stage,
    pub(crate) target: Target,
    pub(crate) texts: Vec<Vec<u8>>,
}

/// Message of a tool about a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ToolMessage {
    /// Index of the source and line in it, from 1; `None` if the message is about the whole source.
    pub(crate) place: Option<(usize, u32)>,
    pub(crate) text: String,
}

/// Reason why a tool produced no module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ToolError {
    /// The program is not installed.
    Missing(String),
    /// The tool rejects the source, or fails itself.
    Refused(Vec<ToolMessage>),
}

impl ToolError {
    fn general(text: String) -> Self {
        Self::Refused(vec![ToolMessage { place: None, text }])
    }
}

/// Runs external tools, and caches their results.
#[derive(Default)]
pub(crate) struct Tools {
    results: RefCell<HashMap<ToolInput, Result<Vec<u32>, ToolError>>>,
    /// Bytes in `results`.
    kept: RefCell<usize>,
    /// Compiles GLSL; `None` if the environment names no server.
    server: OnceCell<Option<RefCell<GlslServer>>>,
}

impl Tools {
    /// Returns the words of the module of a job.
    pub(crate) fn translate(&self, job: ToolInput) -> Result<Vec<u32>, ToolError> {
        if let Some(known) = self.results.borrow().get(&job) {
            return known.clone();
        }
        let result = self.run(&job);
        let texts: usize = job.texts.iter().map(Vec::len).sum();
        let size = texts + result.as_ref().map_or(0, |words| words.len() * 4);
        let mut kept = self.kept.borrow_mut();
        if *kept + size > CACHE_LIMIT {
            self.results.borrow_mut().clear();
            *kept = 0;
        }
        if size <= CACHE_LIMIT {
            *kept += size;
            self.results.borrow_mut().insert(job, result.clone());
        }
        result
    }

    /// Runs the server or the program of a job.
    fn run(&self, job: &ToolInput) -> Result<Vec<u32>, ToolError> {
        let system = |error: std::io::Error| ToolError::general(error.to_string());
        let folder = Folder::new().map_err(system)?;
        let indices = 0..job.texts.len();
        let names: Vec<String> = indices.map(|it| file_name(it, job.stage)).collect();
        for (name, text) in names.iter().zip(&job.texts) {
            fs::write(folder.0.join(name), text).map_err(system)?;
        }
        match self.compile_on_server(job, &folder.0, &names) {
            Some(words) => Ok(words),
            None => run_program(job, &folder.0, &names),
        }
    }

    /// Returns the module that the server compiles from GLSL; `None` if there is no server, or if
    /// it rejects the source.
    fn compile_on_server(
        &self,
        job: &ToolInput,
        folder: &Path,
        names: &[String],
    ) -> Option<Vec<u32>> {
        if job.language != TextLanguage::Glsl {
            return None;
        }
        let server = self
            .server
            .get_or_init(|| GlslServer::start().map(RefCell::new))
            .as_ref()?;
        let sources: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        let (stage, output) = (glsl_extension(job.stage), folder.join(OUTPUT));
        let compiled = server
            .borrow_mut()
            .compile(stage, job.target, &output, &sources);
        compiled
            .then(|| fs::read(output).ok())?
            .as_deref()
            .map(words_of)
    }
}

/// Directory that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("glasm-run-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                // An earlier process with the same id has left it.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Files that cannot be removed remain in the system's directory for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn glsl_extension(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vert",
        Stage::TessControl => "tesc",
        Stage::TessEval => "tese",
        Stage::Geometry => "geom",
        Stage::Fragment => "frag",
        Stage::Compute => "comp",
    }
}

/// Returns the name of the file of source `index`; messages of the tools begin with it.
fn file_name(index: usize, stage: Stage) -> String {
    format!("{index}.{}", glsl_extension(stage))
}

const OUTPUT: &str = "module.spv";
const MESSAGES: &str = "messages";

/// Returns the words of a module in bytes.
fn words_of(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

/// Runs the program of a job in a directory with its sources as files of these names.
fn run_program(job: &ToolInput, folder: &Path, names: &[String]) -> Result<Vec<u32>, ToolError> {
    let system = |error: std::io::Error| ToolError::general(error.to_string());
    let mut process = Process::new(job.language.program());
    match job.language {
        TextLanguage::Glsl => process.args(["--quiet", "-V", "-S", glsl_extension(job.stage)]),
        TextLanguage::SpirvAssembly => &mut process,
    };
    process.args(["--target-env", job.target.name(), "-o", OUTPUT]);
    process.args(names);
    let messages = folder.join(MESSAGES);
    let output = File::create(&messages).map_err(system)?;
    let errors = output.try_clone().map_err(system)?;
    process
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors);
    let success = match wait(process) {
        Ok(success) => success,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let (name, program) = (job.language.name(), job.language.program());
            return Err(ToolError::Missing(format!(
                "{name} needs the program {program}, which is not installed"
            )));
        }
        Err(error) => return Err(ToolError::general(error.to_string())),
    };
    if success {
        let bytes = fs::read(folder.join(OUTPUT)).map_err(system)?;
        Ok(words_of(&bytes))
    } else {
        let text = fs::read(&messages).map_err(system)?;
        let text = String::from_utf8_lossy(&text);
        Err(ToolError::Refused(read_messages(job, &text)))
    }
}

/// Waits for a process; returns true if it succeeded.
fn wait(mut process: Process) -> std::io::Result<bool> {
    let mut child = process.spawn()?;
    let watch = Stopwatch::of_process(child.id());
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if watch.left(TIME_LIMIT).is_none() {
            child.kill()?;
            child.wait()?;
            let seconds = TIME_LIMIT.as_secs();
            return Err(std::io::Error::new(
                ErrorKind::TimedOut,
                format!("not done after {seconds} s"),
            ));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(8));
    }
}

/// Parses the output of a program as messages with positions.
fn read_messages(job: &ToolInput, output: &str) -> Vec<ToolMessage> {
    let mut messages = Vec::new();
    for line in output.lines().map(str::trim_end) {
        let message = match job.language {
            TextLanguage::Glsl => read_glslang_line(job, line),
            TextLanguage::SpirvAssembly => Some(read_assembler_line(line)),
        };
        messages.extend(message.filter(|message| !message.text.is_empty()));
    }
    let dropped = messages.len().saturating_sub(MAX_MESSAGES);
    messages.truncate(MAX_MESSAGES);
    if dropped > 0 || messages.is_empty() {
        let text = match dropped {
            0 => format!("{} fails without a message", job.language.program()),
            _ => format!("and {dropped} more messages"),
        };
        messages.push(ToolMessage { place: None, text });
    }
    messages
}

/// Parses `ERROR: 0.frag:12: text`; the summaries at the end are redundant.
fn read_glslang_line(job: &ToolInput, line: &str) -> Option<ToolMessage> {
    if line.ends_with("No code generated.")
        || line.starts_with("SPIR-V is not generated")
        || line.ends_with("'' : compilation terminated")
        || line == file_name(0, job.stage)
    {
        return None;
    }
    let text = line.strip_prefix("ERROR: ").unwrap_or(line);
    for index in 0..job.texts.len() {
        let Some(rest) = text.strip_prefix(&file_name(index, job.stage)) else {
            continue;
        };
        let Some((number, rest)) = rest
            .strip_prefix(':')
            .and_then(|rest| rest.split_once(": "))
        else {
            continue;
        };
        if let Ok(number) = number.parse() {
            return Some(ToolMessage {
                place: Some((index, number)),
                text: rest.to_owned(),
            });
        }
    }
    Some(ToolMessage {
        place: None,
        text: text.trim_start().to_owned(),
    })
}

/// Parses `error: 12: 3: text`.
fn read_assembler_line(line: &str) -> ToolMessage {
    let text = line.strip_prefix("error: ").unwrap_or(line);
    let place = text.split_once(": ").and_then(|(number, rest)| {
        let (column, text) = rest.split_once(": ")?;
        let column: u32 = column.parse().ok()?;
        Some((number.parse().ok()?, format!("column {column}: {text}")))
    });
    match place {
        Some((line, text)) => ToolMessage {
            place: Some((0, line)),
            text,
        },
        None => ToolMessage {
            place: None,
            text: text.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_tests::skip::skip;

    fn job(language: TextLanguage, texts: &[&str]) -> ToolInput {
        ToolInput {
            language,
            stage: Stage::Vertex,
            target: Target::Vulkan1_1,
            texts: texts.iter().map(|text| text.as_bytes().to_vec()).collect(),
        }
    }

    /// Returns the result, unless the tool is missing.
    fn translate(job: ToolInput) -> Option<Result<Vec<u32>, Vec<ToolMessage>>> {
        match Tools::default().translate(job) {
            Ok(words) => Some(Ok(words)),
            Err(ToolError::Refused(messages)) => Some(Err(messages)),
            Err(ToolError::Missing(reason)) => {
                skip(reason);
                None
            }
        }
    }

    #[test]
    fn messages_of_glslang_name_text_and_line() {
        let job = job(TextLanguage::Glsl, &["", ""]);
        let output = "ERROR: 1.vert:12: 'x' : undeclared: identifier \nERROR: 1 compilation errors.  No code generated.\n\n\n\
                      ERROR: Linking vertex stage: no body: \n    f(\nSPIR-V is not generated for failed compile or link\n";
        let found: Vec<_> = read_messages(&job, output)
            .into_iter()
            .map(|message| (message.place, message.text))
            .collect();
        assert_eq!(
            found,
            [
                (Some((1, 12)), "'x' : undeclared: identifier".to_owned()),
                (None, "Linking vertex stage: no body:".to_owned()),
                (None, "f(".to_owned()),
            ]
        );
    }

    #[test]
    fn messages_of_the_assembler_name_line_and_column() {
        let message = read_assembler_line("error: 2: 7: Invalid Opcode name 'OpFoo'");
        assert_eq!(message.place, Some((0, 2)));
        assert_eq!(message.text, "column 7: Invalid Opcode name 'OpFoo'");
        assert_eq!(read_assembler_line("error: no text").place, None);
    }

    #[test]
    fn texts_of_a_stage_are_linked() {
        let main = "#version 450\nvec4 f();\nvoid main() { gl_Position = f(); }\n";
        let other = "#version 450\nvec4 f() { return vec4(1.0); }\n";
        if let Some(result) = translate(job(TextLanguage::Glsl, &[main, other])) {
            assert_eq!(result.unwrap()[0], 0x0723_0203);
        }
        if let Some(result) = translate(job(TextLanguage::Glsl, &[main])) {
            let messages = result.unwrap_err();
            assert!(
                messages[0].text.contains("No function definition"),
                "{messages:?}"
            );
        }
    }

    #[test]
    fn refused_texts_give_their_lines() {
        let bad = "#version 450\nvoid main()\n{ nothing = 1; }\n";
        if let Some(result) = translate(job(TextLanguage::Glsl, &["#version 450\n", bad])) {
            assert_eq!(result.unwrap_err()[0].place, Some((1, 3)));
        }
        if let Some(result) = translate(job(
            TextLanguage::SpirvAssembly,
            &["OpCapability Shader\nOpNothing\n"],
        )) {
            assert_eq!(result.unwrap_err()[0].place, Some((0, 2)));
        }
    }

    #[test]
    fn results_are_kept() {
        let tools = Tools::default();
        let job = job(TextLanguage::SpirvAssembly, &["OpCapability Shader\n"]);
        let marker = Err(ToolError::Missing("kept".to_owned()));
        tools
            .results
            .borrow_mut()
            .insert(job.clone(), marker.clone());
        assert_eq!(tools.translate(job), marker);
    }
}
