//! Which programs a command works on: files, directories, standard input.

use crate::console::{Fatal, plural};
use glasm::Dialect;
use glasm::frontend::source::Family;
use glasm_scripts::script::{is_script, program_labels};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use walkdir::{DirEntry, WalkDir};

/// Bytes read of an input at most: more than any program may have, so that the front end can say that it is too large.
const MAX_BYTES: u64 = 64 << 20;

/// Where a program comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Input {
    /// Name for messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Reads the bytes of the input. Standard input gives the same every time.
    pub(crate) fn read(&self) -> Result<Vec<u8>, String> {
        /// What standard input had to give.
        static STDIN: OnceLock<Result<Vec<u8>, String>> = OnceLock::new();
        match self {
            Self::Stdin => STDIN.get_or_init(|| read_all(io::stdin().lock())).clone(),
            Self::File(path) => read_all(File::open(path).map_err(|error| error.to_string())?),
        }
    }

    /// Returns whether it is a script, by its name or by how its text starts.
    pub(crate) fn is_script(&self, text: &[u8]) -> bool {
        match self {
            Self::File(path) if has_script_name(path) => true,
            Self::File(_) | Self::Stdin => is_script(text),
        }
    }

    /// Returns the path below an output directory that corresponds to the input: its path without
    /// root and `..`.
    pub(crate) fn mirrored(&self) -> PathBuf {
        match self {
            Self::Stdin => PathBuf::from("stdin"),
            Self::File(path) => path
                .components()
                .filter_map(|component| match component {
                    Component::Normal(name) => Some(name),
                    Component::Prefix(_)
                    | Component::RootDir
                    | Component::CurDir
                    | Component::ParentDir => None,
                })
                .collect(),
        }
    }
}

fn read_all(reader: impl Read) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let read = reader.take(MAX_BYTES).read_to_end(&mut text);
    read.map(|_| text).map_err(|error| error.to_string())
}

/// Returns whether the name of a file is that of a script.
fn has_script_name(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "shader_test")
}

/// The programs of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Inputs {
    /// The programs, in the order of the command line, those of a directory sorted by path. Each
    /// once.
    pub(crate) list: Vec<Input>,
    /// Whether the command line names one file and nothing else.
    pub(crate) single: bool,
    /// Files of directories that are left out although a line of theirs is the header of a program.
    pub(crate) left_out: Vec<LeftOut>,
}

/// A file that is left out because something precedes its header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LeftOut {
    /// The file.
    path: PathBuf,
    /// Line of the header.
    line: usize,
}

/// Returns how many files are left out and why, with the first of them; nothing if none is.
pub(crate) fn describe_left_out(files: &[LeftOut]) -> Option<String> {
    let first = files.first()?;
    let count = plural(files.len(), "file");
    Some(format!(
        "{count} left out: lines before the header, as in {}:{}",
        first.path.display(),
        first.line
    ))
}

/// Finds the programs that a command line names. Directories are searched for files that start as
/// programs do.
pub(crate) fn find_inputs(arguments: &[PathBuf]) -> Result<Inputs, Fatal> {
    let mut list = Vec::new();
    let mut left_out = Vec::new();
    let mut folders = 0_usize;
    for argument in arguments {
        if argument.as_os_str() == "-" {
            list.push(Input::Stdin);
            continue;
        }
        let metadata =
            std::fs::metadata(argument).map_err(|error| Fatal::io(argument.display(), &error))?;
        if metadata.is_dir() {
            folders += 1;
            let programs = walk(argument, &mut left_out)?;
            list.extend(programs.into_iter().map(Input::File));
        } else {
            list.push(Input::File(argument.clone()));
        }
    }
    if list.is_empty() {
        let reason = describe_left_out(&left_out).map_or_else(String::new, |it| format!("; {it}"));
        return Err(Fatal(format!(
            "no programs found: none of the files starts with !! or the word of a TGSI processor, or is a script (.shader_test) with an assembly program{reason}"
        )));
    }
    let mut seen = HashSet::new();
    // Directories may overlap, and files may be named next to them.
    list.retain(|input| seen.insert(input.clone()));
    let single = folders == 0 && list.len() == 1;
    Ok(Inputs {
        list,
        single,
        left_out,
    })
}

/// Returns the programs of a directory, sorted. Hidden files and directories are left out; files
/// with lines before their headers are added to `left_out`.
fn walk(folder: &Path, left_out: &mut Vec<LeftOut>) -> Result<Vec<PathBuf>, Fatal> {
    let visible = |entry: &DirEntry| {
        entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    let mut programs = Vec::new();
    for entry in WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(visible)
    {
        let entry = entry.map_err(|error| Fatal(error.to_string()))?;
        if !entry.file_type().is_file() {
            continue;
        }
        match find_program(entry.path()) {
            Found::Program => programs.push(entry.into_path()),
            Found::Behind(line) => left_out.push(LeftOut {
                path: entry.into_path(),
                line,
            }),
            Found::Nothing => {}
        }
    }
    Ok(programs)
}

/// Bytes of a file of a directory that are looked at for a header after comments.
const LOOKED_AT: u64 = 64 << 10;

/// Contents of a file of a directory.
enum Found {
    /// A program, or a script with one.
    Program,
    /// A text with the header of a program in this line, after other lines.
    Behind(usize),
    /// Something else.
    Nothing,
}

/// Classifies a file of a directory. It is a program if it starts with a header, after nothing but
/// a byte order mark, whitespace and comments, or is a script with an assembly program. Files that
/// cannot be read are taken along, so that the reason is reported.
fn find_program(path: &Path) -> Found {
    let is_script = has_script_name(path);
    let limit = if is_script { MAX_BYTES } else { LOOKED_AT };
    let mut text = Vec::new();
    match File::open(path).and_then(|file| file.take(limit).read_to_end(&mut text)) {
        Ok(_) if is_script && program_labels(&text).is_empty() => Found::Nothing,
        Ok(_) if !is_script && !starts_with_header(&text) => {
            header_line(&text).map_or(Found::Nothing, Found::Behind)
        }
        Ok(_) | Err(_) => Found::Program,
    }
}

/// Returns the first line that is a header alone, or one followed by a comment.
fn header_line(text: &[u8]) -> Option<usize> {
    let mut lines = text.split(|byte| *byte == b'\n');
    let is_header = |line: &[u8]| {
        let word = line.trim_ascii();
        Dialect::of(word).is_some_and(|it| {
            let rest = word.get(it.header().len()..).unwrap_or_default();
            let rest = rest.trim_ascii();
            rest.is_empty() || rest.starts_with(b"#")
        })
    };
    lines.position(is_header).map(|line| line + 1)
}

/// Returns whether a text starts as programs do.
pub(crate) fn starts_with_header(text: &[u8]) -> bool {
    // Editors write a byte order mark, which is no part of the program.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut lines = text.split(|byte| matches!(byte, b'\n' | b'\r'));
    let says_something = |line: &&[u8]| {
        let line = line.trim_ascii_start();
        !line.is_empty() && !line.starts_with(b"#")
    };
    let first = lines.find(says_something).unwrap_or_default();
    let first = first.trim_ascii();
    first.starts_with(b"!!") || is_processor(first)
}

/// Returns whether a line is the first one of a TGSI text: the word of a processor alone, because
/// other texts may begin with such a word.
fn is_processor(line: &[u8]) -> bool {
    let dialect = Dialect::of(line).filter(|dialect| dialect.family() == Family::Tgsi);
    dialect.is_some_and(|dialect| dialect.header().len() == line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_stay_below_their_folder() {
        let mirrored = |path: &str| Input::File(PathBuf::from(path)).mirrored();
        assert_eq!(mirrored("a/b.txt"), Path::new("a/b.txt"));
        assert_eq!(mirrored("./a/../../b.txt"), Path::new("a/b.txt"));
        assert_eq!(mirrored("/tmp/b.txt"), Path::new("tmp/b.txt"));
    }

    #[test]
    fn programs_start_with_their_headers() {
        for text in [
            "!!ARBvp1.0",
            "\u{feff}!!ARBvp1.0",
            "# lights\r\n\r\n  !!ARBvp1.0\nEND",
            "FRAG\nEND",
            "# old\n tess_ctrl \r\nEND",
        ] {
            assert!(starts_with_header(text.as_bytes()), "{text:?}");
        }
        for text in [
            "",
            "!",
            "#!/bin/sh\necho !!",
            "text\n!!ARBvp1.0",
            "COMP sci",
            "FRAGMENT",
        ] {
            assert!(!starts_with_header(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn headers_behind_other_lines_are_found() {
        let line = |text: &str| header_line(text.as_bytes());
        assert_eq!(line("vs: 1 TGSI:\nVERT\nDCL IN[0]\n"), Some(2));
        assert_eq!(line("Cg 3.1\r\n\r\n!!ARBfp1.0 # cgc\r\nEND"), Some(3));
        assert_eq!(line("#include <a.h>\nVERTEX\n"), None);
        assert_eq!(line("see !!ARBfp1.0\nin VERT programs"), None);
        let file = |line| LeftOut {
            path: PathBuf::from("a.log"),
            line,
        };
        assert_eq!(
            describe_left_out(&[file(2), file(9)]).unwrap(),
            "2 files left out: lines before the header, as in a.log:2"
        );
        assert_eq!(describe_left_out(&[]), None);
    }

    #[test]
    fn missing_files_are_wrong_usage() {
        let Err(Fatal(message)) = find_inputs(&[PathBuf::from("/nonexistent/a.vp")]) else {
            panic!("found")
        };
        assert!(message.starts_with("/nonexistent/a.vp: "), "{message}");
    }
}
