//! Inputs of a command: files, directories, standard input.

use crate::console::{Fatal, format_count};
use glasm::Dialect;
use glasm::frontend::source::Family;
use glasm_extract::{Form, Scanner};
use glasm_scripts::script::{is_script, program_labels};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{LazyLock, OnceLock};
use walkdir::{DirEntry, WalkDir};

/// Bytes read of an input at most: more than any program may have, so that the front end can say
/// that it is too large.
const MAX_INPUT_BYTES: u64 = 64 << 20;

/// Source of a program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Input {
    /// Returns the name of the input for messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Reads the input; bytes after the first [`MAX_INPUT_BYTES`] are ignored. Standard input is
    /// read once, and every call returns the same bytes. Returns the message of the system if it
    /// cannot be read.
    pub(crate) fn read(&self) -> Result<Vec<u8>, String> {
        /// Contents of standard input.
        static STDIN: OnceLock<Result<Vec<u8>, String>> = OnceLock::new();
        match self {
            Self::Stdin => STDIN
                .get_or_init(|| read_limited(io::stdin().lock()))
                .clone(),
            Self::File(path) => read_limited(File::open(path).map_err(|error| error.to_string())?),
        }
    }

    /// Returns true if the input is a script, by the extension of its file or the start of its
    /// contents.
    pub(crate) fn is_script(&self, text: &[u8]) -> bool {
        match self {
            Self::File(path) if has_script_name(path) => true,
            Self::File(_) | Self::Stdin => is_script(text),
        }
    }

    /// Returns the path below an output directory that corresponds to the input: its path without
    /// root, `.` and `..`; `stdin` for standard input.
    pub(crate) fn get_mirrored_path(&self) -> PathBuf {
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

/// Reads to the end of the input; bytes after the first [`MAX_INPUT_BYTES`] are ignored. Returns
/// the message of the system if reading fails.
fn read_limited(reader: impl Read) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let read = reader.take(MAX_INPUT_BYTES).read_to_end(&mut text);
    read.map(|_| text).map_err(|error| error.to_string())
}

/// Returns true if the name of a file is that of a script.
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
    /// True if the command line names exactly one file.
    pub(crate) is_single_file: bool,
    /// Files of directories that are left out although they contain programs.
    pub(crate) skipped: Vec<SkippedFile>,
}

/// A file that is left out because it does not start with the header of a program, but contains
/// one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SkippedFile {
    /// The file.
    pub(crate) path: PathBuf,
    /// What it contains.
    pub(crate) content: EmbeddedProgram,
}

/// A program in a file that is not a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EmbeddedProgram {
    /// Line of the header.
    pub(crate) line: usize,
    /// The header.
    header: &'static str,
    /// How the program is written.
    form: Form,
}

impl EmbeddedProgram {
    /// Returns the first program in a text that does not start with one; `None` if there is none.
    pub(crate) fn find(text: &[u8]) -> Option<Self> {
        /// The scanner, whose preparation takes longer than the search in a small file.
        static SCANNER: LazyLock<Scanner> = LazyLock::new(Scanner::new);
        let found = SCANNER.scan(text).programs.into_iter().next()?;
        let offset = usize::try_from(found.offset).ok()?;
        let line = text[..offset].iter().filter(|byte| **byte == b'\n').count();
        Some(Self {
            line: line + 1,
            header: found.dialect.header(),
            form: found.decoding.form,
        })
    }

    /// Returns the reason why the file is not a program: `!!ARBvp1.0 in a string literal`.
    pub(crate) fn describe(&self) -> String {
        let location = match self.form {
            Form::Text => "after other text",
            Form::PrefixedLines => "in lines with a prefix",
            Form::NulSeparated => "in strings of a binary",
            Form::Literal => "in a string literal",
            Form::Escaped => "with escapes",
            Form::Xml => "with entities of XML",
        };
        format!("{} {location}", self.header)
    }
}

/// Skipped files that are listed.
const LISTED_FILES: usize = 10;

/// Returns the number of skipped files, the first of them with the reasons, and the command that
/// finds their programs; `None` if there are none.
pub(crate) fn describe_skipped_files(files: &[SkippedFile]) -> Option<String> {
    if files.is_empty() {
        return None;
    }
    let count = format_count(files.len(), "file");
    let mut text = format!(
        "skipped {count} that do not start with a program but contain one; `glasm extract` finds them:"
    );
    for SkippedFile { path, content } in files.iter().take(LISTED_FILES) {
        let (line, reason) = (content.line, content.describe());
        text += &format!("\n  {}:{line}: {reason}", path.display());
    }
    if files.len() > LISTED_FILES {
        text += &format!("\n  {} more", files.len() - LISTED_FILES);
    }
    Some(text)
}

/// Returns the inputs that a command line names, each once; `-` is standard input, and directories
/// are searched for programs and scripts. Returns an error if a path does not exist or there are no
/// inputs at all.
pub(crate) fn find_inputs(arguments: &[PathBuf]) -> Result<Inputs, Fatal> {
    let mut list = Vec::new();
    let mut left_out = Vec::new();
    let mut dirs = 0_usize;
    for argument in arguments {
        if argument.as_os_str() == "-" {
            list.push(Input::Stdin);
            continue;
        }
        let metadata = std::fs::metadata(argument)
            .map_err(|error| Fatal::from_io(argument.display(), &error))?;
        if metadata.is_dir() {
            dirs += 1;
            let programs = find_dir_programs(argument, &mut left_out)?;
            list.extend(programs.into_iter().map(Input::File));
        } else {
            list.push(Input::File(argument.clone()));
        }
    }
    if list.is_empty() {
        let reason =
            describe_skipped_files(&left_out).map_or_else(String::new, |it| format!("; {it}"));
        return Err(Fatal(format!(
            "no programs found: none of the files starts with !! or the word of a TGSI processor, or is a script (.shader_test) with an assembly program{reason}"
        )));
    }
    let mut seen = HashSet::new();
    // Directories may overlap, and files may be named in addition to them.
    list.retain(|input| seen.insert(input.clone()));
    let single = dirs == 0 && list.len() == 1;
    Ok(Inputs {
        list,
        is_single_file: single,
        skipped: left_out,
    })
}

/// Returns the programs and scripts below a directory, sorted by path, without hidden files and
/// directories. Other files that contain programs are added to `skipped`. Returns an error if a
/// directory cannot be read.
fn find_dir_programs(dir: &Path, skipped: &mut Vec<SkippedFile>) -> Result<Vec<PathBuf>, Fatal> {
    let visible = |entry: &DirEntry| {
        entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    let mut programs = Vec::new();
    for entry in WalkDir::new(dir)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(visible)
    {
        let entry = entry.map_err(|error| Fatal(error.to_string()))?;
        if !entry.file_type().is_file() {
            continue;
        }
        match classify_file(entry.path()) {
            FileKind::Program => programs.push(entry.into_path()),
            FileKind::Container(content) => skipped.push(SkippedFile {
                path: entry.into_path(),
                content,
            }),
            FileKind::Other => {}
        }
    }
    Ok(programs)
}

/// Bytes of a file in a directory that are searched for a header after comments.
const MAX_HEADER_OFFSET: u64 = 64 << 10;

/// Contents of a file of a directory.
enum FileKind {
    /// A program, or a script with one.
    Program,
    /// A file that contains a program in another form, or after other lines.
    Container(EmbeddedProgram),
    /// Something else.
    Other,
}

/// Classifies a file of a directory by its contents. It is a program if it starts with a header,
/// after nothing but a byte order mark, whitespace and comments, or is a script with an assembly
/// program. Files that cannot be read are treated as programs, so that the reason is reported.
fn classify_file(path: &Path) -> FileKind {
    let is_script = has_script_name(path);
    let limit = if is_script {
        MAX_INPUT_BYTES
    } else {
        MAX_HEADER_OFFSET
    };
    let mut text = Vec::new();
    match File::open(path).and_then(|file| file.take(limit).read_to_end(&mut text)) {
        Ok(_) if is_script && program_labels(&text).is_empty() => FileKind::Other,
        Ok(_) if !is_script && !starts_with_header(&text) => {
            EmbeddedProgram::find(&text).map_or(FileKind::Other, FileKind::Container)
        }
        Ok(_) | Err(_) => FileKind::Program,
    }
}

/// Returns true if the first line that is neither empty nor a comment begins with `!!` or is the
/// header of a TGSI program. A byte order mark is ignored.
pub(crate) fn starts_with_header(text: &[u8]) -> bool {
    // Editors write a byte order mark, which does not belong to the program.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut lines = text.split(|byte| matches!(byte, b'\n' | b'\r'));
    let is_significant = |line: &&[u8]| {
        let line = line.trim_ascii_start();
        !line.is_empty() && !line.starts_with(b"#")
    };
    let first = lines.find(is_significant).unwrap_or_default();
    let first = first.trim_ascii();
    first.starts_with(b"!!") || is_tgsi_header(first)
}

/// Returns true if a line is the name of a TGSI processor and nothing else, because other sources
/// may begin with such a word.
fn is_tgsi_header(line: &[u8]) -> bool {
    let dialect = Dialect::detect(line).filter(|dialect| dialect.family() == Family::Tgsi);
    dialect.is_some_and(|dialect| dialect.header().len() == line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_stay_below_their_directory() {
        let get_mirrored_path = |path: &str| Input::File(PathBuf::from(path)).get_mirrored_path();
        assert_eq!(get_mirrored_path("a/b.txt"), Path::new("a/b.txt"));
        assert_eq!(get_mirrored_path("./a/../../b.txt"), Path::new("a/b.txt"));
        assert_eq!(get_mirrored_path("/tmp/b.txt"), Path::new("tmp/b.txt"));
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
    fn programs_in_other_files_are_described() {
        let describe = |text: &str| {
            let found = EmbeddedProgram::find(text.as_bytes());
            found.map(|it| (it.line, it.describe()))
        };
        let reason = |line, text: &str| Some((line, text.to_owned()));
        assert_eq!(
            describe("vs: 1 TGSI:\nVERT\nDCL IN[0]\nEND\n"),
            reason(2, "VERT after other text")
        );
        assert_eq!(
            describe("Cg 3.1\r\n\r\n!!ARBfp1.0 # cgc\r\nEND"),
            reason(3, "!!ARBfp1.0 after other text")
        );
        assert_eq!(
            describe("int i;\nchar *p = \"!!VP1.0\\nMOV o[HPOS], v[0];\\nEND\";"),
            reason(2, "!!VP1.0 in a string literal")
        );
        assert_eq!(describe("#include <a.h>\nVERTEX\n"), None);
        assert_eq!(describe("see !!ARBfp1.0\nin VERT programs"), None);
    }

    #[test]
    fn skipped_files_are_listed() {
        let content = EmbeddedProgram::find(b"1\n!!FP1.0\nEND").unwrap();
        let file = |number: usize| SkippedFile {
            path: PathBuf::from(format!("{number}.log")),
            content,
        };
        assert_eq!(describe_skipped_files(&[]), None);
        let two = describe_skipped_files(&[file(1), file(2)]).unwrap();
        let lines: Vec<&str> = two.lines().collect();
        assert!(lines[0].starts_with("skipped 2 files ") && lines[0].contains("glasm extract"));
        assert_eq!(
            lines[1..],
            [
                "  1.log:2: !!FP1.0 after other text",
                "  2.log:2: !!FP1.0 after other text"
            ]
        );
        let many: Vec<SkippedFile> = (0..LISTED_FILES + 3).map(file).collect();
        assert!(
            describe_skipped_files(&many)
                .unwrap()
                .ends_with("\n  3 more")
        );
    }

    #[test]
    fn missing_files_are_wrong_usage() {
        let Err(Fatal(message)) = find_inputs(&[PathBuf::from("/nonexistent/a.vp")]) else {
            panic!("found")
        };
        assert!(message.starts_with("/nonexistent/a.vp: "), "{message}");
    }
}
