//! Runs the command in folders of its own.

#[cfg(feature = "run")]
pub(crate) mod drawing;
pub(crate) mod editor;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder that disappears with the test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("glasm-{}-{test}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn glasm(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_glasm"));
        command.current_dir(&self.0).stdin(Stdio::null());
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Exit status, standard output, and standard error of the command.
pub(crate) fn run(folder: &Folder, args: &[&str]) -> (i32, String, String) {
    decode_output(folder.glasm().args(args).output().unwrap())
}

/// The same with a text on standard input.
pub(crate) fn run_with_input(folder: &Folder, args: &[&str], input: &str) -> (i32, String, String) {
    let mut child = folder
        .glasm()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    decode_output(child.wait_with_output().unwrap())
}

/// The same of a command that has ended.
pub(crate) fn decode_output(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}
