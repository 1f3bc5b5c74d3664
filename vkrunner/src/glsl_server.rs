//! Server process that compiles GLSL for the whole run: starting `glslangValidator` takes longer
//! than compiling dozens of shaders.

use glasm::Target;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Environment variable with the path of the program, which `tests/tools/glslang_server.c` is the
/// source of. Its requests and answers are described there.
const VARIABLE: &str = "GLASM_GLSLANG_SERVER";

/// Running process.
pub(crate) struct GlslServer {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl GlslServer {
    /// Starts the program that the environment names. Returns `None` if it names none, or if the
    /// program does not start.
    pub(crate) fn start() -> Option<Self> {
        Self::start_program(Path::new(&std::env::var_os(VARIABLE)?))
    }

    fn start_program(program: &Path) -> Option<Self> {
        let mut process = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        Some(Self {
            requests: process.stdin.take()?,
            answers: BufReader::new(process.stdout.take()?),
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
            .and_then(|()| self.answers.read_line(&mut answer));
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
    use super::GlslServer;
    use glasm::Target;
    use std::path::Path;

    #[test]
    fn programs_that_do_not_answer_compile_nothing() {
        assert!(GlslServer::start_program(Path::new("no-such-program")).is_none());
        for program in ["true", "cat"] {
            if let Some(mut server) = GlslServer::start_program(Path::new(program)) {
                let output = Path::new("no-such-folder/module.spv");
                assert!(!server.compile("frag", Target::Vulkan1_1, output, &[]));
            }
        }
    }
}
