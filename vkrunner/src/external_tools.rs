//! GLSL and SPIR-V text to modules, through the programs `glslangValidator` and `spirv-as`.
//!
//! Starting a program takes longer than most scripts, so results are cached: scripts share
//! sections, and a script may run again. Files and output are in a separate directory, which is
//! removed afterwards. A program that exceeds its time limit is terminated.
//! One process compiles GLSL for the whole run, since starting `glslangValidator` takes longer than
//! compiling dozens of shaders.

use glasm::Target;
use glasm::ir::Stage;
use glasm_scripts::timing::Stopwatch;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fs;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Command as Process, Stdio};
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
    /// Returns the name of the language for messages.
    fn name(self) -> &'static str {
        match self {
            Self::Glsl => "GLSL",
            Self::SpirvAssembly => "SPIR-V text",
        }
    }

    /// Returns the name of the external program that translates the language to SPIR-V.
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
    pub(crate) position: Option<(usize, u32)>,
    pub(crate) text: String,
}

/// Reason why a tool produced no module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ToolError {
    /// The program is not installed.
    Missing(String),
    /// The tool rejects the source, or fails itself.
    Rejected(Vec<ToolMessage>),
}

impl ToolError {
    /// Creates a rejection with one message that has no position.
    fn from_message(text: String) -> Self {
        Self::Rejected(vec![ToolMessage {
            position: None,
            text,
        }])
    }
}

/// Runs external tools, and caches their results.
#[derive(Default)]
pub(crate) struct Tools {
    results: RefCell<HashMap<ToolInput, Result<Vec<u32>, ToolError>>>,
    /// Bytes in `results`.
    cached_bytes: RefCell<usize>,
    /// Compiles GLSL; `None` if the environment names no server.
    server: OnceCell<Option<RefCell<GlslServer>>>,
}

impl Tools {
    /// Translates sources to a SPIR-V module and returns its words. Results, including errors, are
    /// cached; the cache is cleared if it exceeds [`CACHE_LIMIT`], and larger results are not
    /// cached.
    pub(crate) fn translate(&self, input: ToolInput) -> Result<Vec<u32>, ToolError> {
        if let Some(known) = self.results.borrow().get(&input) {
            return known.clone();
        }
        let result = self.run_tool(&input);
        let texts: usize = input.texts.iter().map(Vec::len).sum();
        let size = texts + result.as_ref().map_or(0, |words| words.len() * 4);
        let mut kept = self.cached_bytes.borrow_mut();
        if *kept + size > CACHE_LIMIT {
            self.results.borrow_mut().clear();
            *kept = 0;
        }
        if size <= CACHE_LIMIT {
            *kept += size;
            self.results.borrow_mut().insert(input, result.clone());
        }
        result
    }

    /// Writes the sources to a temporary directory, which is removed afterwards, and translates
    /// them with the server if possible, otherwise with the program for their language. Errors of
    /// files are rejections without a position.
    fn run_tool(&self, input: &ToolInput) -> Result<Vec<u32>, ToolError> {
        let system = |error: std::io::Error| ToolError::from_message(error.to_string());
        let dir = TempDir::new().map_err(system)?;
        let indices = 0..input.texts.len();
        let names: Vec<String> = indices.map(|it| file_name(it, input.stage)).collect();
        for (name, text) in names.iter().zip(&input.texts) {
            fs::write(dir.0.join(name), text).map_err(system)?;
        }
        match self.compile_on_server(input, &dir.0, &names) {
            Some(words) => Ok(words),
            None => run_tool_process(input, &dir.0, &names),
        }
    }

    /// Returns the module that the server compiles from GLSL in `dir`; starts the server on first
    /// use. `None` for other languages, if no server runs, or if it rejects the source.
    fn compile_on_server(
        &self,
        input: &ToolInput,
        dir: &Path,
        names: &[String],
    ) -> Option<Vec<u32>> {
        if input.language != TextLanguage::Glsl {
            return None;
        }
        let server = self
            .server
            .get_or_init(|| GlslServer::start().map(RefCell::new))
            .as_ref()?;
        let sources: Vec<PathBuf> = names.iter().map(|name| dir.join(name)).collect();
        let (stage, output) = (input.stage.file_extension(), dir.join(MODULE_FILE));
        let compiled = server
            .borrow_mut()
            .compile(stage, input.target, &output, &sources);
        compiled
            .then(|| fs::read(output).ok())?
            .as_deref()
            .map(to_words)
    }
}

/// Directory that is removed at the end.
struct TempDir(PathBuf);

impl TempDir {
    /// Creates an empty directory in the system's directory for temporary files; no other process
    /// or thread uses it.
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

impl Drop for TempDir {
    fn drop(&mut self) {
        // Files that cannot be removed remain in the system's directory for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the name of the file of source `index`; messages of the tools begin with it.
fn file_name(index: usize, stage: Stage) -> String {
    format!("{index}.{}", stage.file_extension())
}

const MODULE_FILE: &str = "module.spv";
const MESSAGES_FILE: &str = "messages";

/// Returns the words of a module from its bytes, in little-endian order. Bytes after the last whole
/// word are ignored.
fn to_words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

/// Runs the tool of a job in `dir`, which contains its sources as files of these names, and returns
/// the words of the module. Its output goes to a file in `dir`; if it fails,
/// [`ToolError::Rejected`] has the messages of that file. [`ToolError::Missing`] if the tool is not
/// installed.
fn run_tool_process(
    input: &ToolInput,
    dir: &Path,
    names: &[String],
) -> Result<Vec<u32>, ToolError> {
    let system = |error: std::io::Error| ToolError::from_message(error.to_string());
    let mut process = Process::new(input.language.program());
    match input.language {
        TextLanguage::Glsl => process.args(["--quiet", "-V", "-S", input.stage.file_extension()]),
        TextLanguage::SpirvAssembly => &mut process,
    };
    process.args(["--target-env", input.target.name(), "-o", MODULE_FILE]);
    process.args(names);
    let messages = dir.join(MESSAGES_FILE);
    let output = File::create(&messages).map_err(system)?;
    let errors = output.try_clone().map_err(system)?;
    process
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors);
    let success = match wait_with_limit(process) {
        Ok(success) => success,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let (name, program) = (input.language.name(), input.language.program());
            return Err(ToolError::Missing(format!(
                "{name} needs the program {program}, which is not installed"
            )));
        }
        Err(error) => return Err(ToolError::from_message(error.to_string())),
    };
    if success {
        let bytes = fs::read(dir.join(MODULE_FILE)).map_err(system)?;
        Ok(to_words(&bytes))
    } else {
        let output = fs::read(&messages).map_err(system)?;
        let output = String::from_utf8_lossy(&output);
        Err(ToolError::Rejected(read_messages(input, &output)))
    }
}

/// Starts a process and waits for its end; returns true if it succeeded. A process that exceeds
/// [`TIME_LIMIT`] is terminated, with an error of the kind `TimedOut`. Other errors are those of
/// starting and waiting.
fn wait_with_limit(mut process: Process) -> std::io::Result<bool> {
    let mut child = process.spawn()?;
    let watch = Stopwatch::for_process(child.id());
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if watch.remaining(TIME_LIMIT).is_none() {
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

/// Parses the output of a program as messages with positions, at most [`MAX_MESSAGES`], followed by
/// one with the number of those that were dropped. Without any message, one reports that.
fn read_messages(input: &ToolInput, output: &str) -> Vec<ToolMessage> {
    let mut messages = Vec::new();
    for line in output.lines().map(str::trim_end) {
        let message = match input.language {
            TextLanguage::Glsl => read_glslang_line(input, line),
            TextLanguage::SpirvAssembly => Some(read_assembler_line(line)),
        };
        messages.extend(message.filter(|message| !message.text.is_empty()));
    }
    let dropped = messages.len().saturating_sub(MAX_MESSAGES);
    messages.truncate(MAX_MESSAGES);
    if dropped > 0 || messages.is_empty() {
        let text = match dropped {
            0 => format!("{} fails without a message", input.language.program()),
            _ => format!("and {dropped} more messages"),
        };
        messages.push(ToolMessage {
            position: None,
            text,
        });
    }
    messages
}

/// Parses a line of glslang's output, `ERROR: 0.frag:12: text`; lines of another form are messages
/// without position. Returns `None` for the redundant lines: name of the file, and summaries at the
/// end.
fn read_glslang_line(input: &ToolInput, line: &str) -> Option<ToolMessage> {
    if line.ends_with("No code generated.")
        || line.starts_with("SPIR-V is not generated")
        || line.ends_with("'' : compilation terminated")
        || line == file_name(0, input.stage)
    {
        return None;
    }
    let text = line.strip_prefix("ERROR: ").unwrap_or(line);
    for index in 0..input.texts.len() {
        let Some(rest) = text.strip_prefix(&file_name(index, input.stage)) else {
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
                position: Some((index, number)),
                text: rest.to_owned(),
            });
        }
    }
    Some(ToolMessage {
        position: None,
        text: text.trim_start().to_owned(),
    })
}

/// Parses a line of the assembler's output, `error: 12: 3: text`, as a message at a line that
/// begins with the column; lines of another form are messages without position.
fn read_assembler_line(line: &str) -> ToolMessage {
    let text = line.strip_prefix("error: ").unwrap_or(line);
    let position = text.split_once(": ").and_then(|(number, rest)| {
        let (column, text) = rest.split_once(": ")?;
        let column: u32 = column.parse().ok()?;
        Some((number.parse().ok()?, format!("column {column}: {text}")))
    });
    match position {
        Some((line, text)) => ToolMessage {
            position: Some((0, line)),
            text,
        },
        None => ToolMessage {
            position: None,
            text: text.to_owned(),
        },
    }
}

/// Environment variable with the path of the program, which `tests/tools/glslang_server.c` is the
/// source of. Its requests and answers are described there.
const SERVER_VARIABLE: &str = "GLASM_GLSLANG_SERVER";

/// Running process.
pub(crate) struct GlslServer {
    process: Child,
    requests: ChildStdin,
    responses: BufReader<ChildStdout>,
}

impl GlslServer {
    /// Starts the program that the environment names. Returns `None` if it names none, or if the
    /// program does not start.
    pub(crate) fn start() -> Option<Self> {
        Self::start_program(Path::new(&std::env::var_os(SERVER_VARIABLE)?))
    }

    /// Starts a program as the server that compiles GLSL, connected through pipes. `None` if it
    /// does not start.
    fn start_program(program: &Path) -> Option<Self> {
        let mut process = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        Some(Self {
            requests: process.stdin.take()?,
            responses: BufReader::new(process.stdout.take()?),
            process,
        })
    }

    /// Compiles the source files of a stage, identified by glslang's name, into a module in the
    /// file `output`. Returns false if a file has an error, or if the process fails;
    /// `glslangValidator` then reports the reason.
    pub(crate) fn compile(
        &mut self,
        stage: &str,
        target: Target,
        output: &Path,
        sources: &[PathBuf],
    ) -> bool {
        let paths = std::iter::once(output).chain(sources.iter().map(PathBuf::as_path));
        let mut request = format!("{stage}\t{}", target.name());
        for path in paths {
            match path.to_str() {
                Some(path) if !path.contains(['\t', '\n']) => {
                    request.push('\t');
                    request.push_str(path);
                }
                _ => return false,
            }
        }
        request.push('\n');
        let mut answer = String::new();
        let answered = self
            .requests
            .write_all(request.as_bytes())
            .and_then(|()| self.responses.read_line(&mut answer));
        answered.is_ok() && answer == "ok\n"
    }
}

impl Drop for GlslServer {
    fn drop(&mut self) {
        // The process may have ended already, which is not an error.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::Target;
    use glasm_tests::skip::skip;
    use std::path::Path;

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
            Err(ToolError::Rejected(messages)) => Some(Err(messages)),
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
            .map(|message| (message.position, message.text))
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
        assert_eq!(message.position, Some((0, 2)));
        assert_eq!(message.text, "column 7: Invalid Opcode name 'OpFoo'");
        assert_eq!(read_assembler_line("error: no text").position, None);
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
            assert_eq!(result.unwrap_err()[0].position, Some((1, 3)));
        }
        if let Some(result) = translate(job(
            TextLanguage::SpirvAssembly,
            &["OpCapability Shader\nOpNothing\n"],
        )) {
            assert_eq!(result.unwrap_err()[0].position, Some((0, 2)));
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

    #[test]
    fn programs_that_do_not_answer_compile_nothing() {
        assert!(GlslServer::start_program(Path::new("no-such-program")).is_none());
        for program in ["true", "cat"] {
            if let Some(mut server) = GlslServer::start_program(Path::new(program)) {
                let output = Path::new("no-such-directory/module.spv");
                assert!(!server.compile("frag", Target::Vulkan1_1, output, &[]));
            }
        }
    }
}
