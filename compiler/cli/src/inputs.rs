//! Which programs a command works on: files, folders, standard input.

use crate::console::Fatal;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
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

    /// The bytes of the program.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        match self {
            Self::Stdin => io::stdin().lock().take(MAX_BYTES).read_to_end(&mut text)?,
            Self::File(path) => File::open(path)?.take(MAX_BYTES).read_to_end(&mut text)?,
        };
        Ok(text)
    }

    /// The place below an output folder that corresponds to the input: its path without root and `..`.
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

/// The programs of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Inputs {
    /// The programs, in the order of the command line, those of a folder sorted by path. Each once.
    pub(crate) list: Vec<Input>,
    /// Whether the command line names one file and nothing else.
    pub(crate) single: bool,
}

/// Finds the programs that a command line names. Folders are searched for files that start as programs do.
pub(crate) fn find_inputs(arguments: &[PathBuf]) -> Result<Inputs, Fatal> {
    let mut list = Vec::new();
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
            list.extend(walk(argument)?.into_iter().map(Input::File));
        } else {
            list.push(Input::File(argument.clone()));
        }
    }
    if list.is_empty() {
        return Err(Fatal(
            "no programs found: none of the files starts with !!".to_owned(),
        ));
    }
    let mut seen = HashSet::new();
    list.retain(|input| seen.insert(input.clone()));
    let single = folders == 0 && list.len() == 1;
    Ok(Inputs { list, single })
}

/// The programs of a folder, sorted. Hidden files and folders are left out.
fn walk(folder: &Path) -> Result<Vec<PathBuf>, Fatal> {
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
        if entry.file_type().is_file() && is_program(entry.path()) {
            programs.push(entry.into_path());
        }
    }
    Ok(programs)
}

/// Whether a file starts with a program header. Files that cannot be read are taken along, so that the reason is reported.
fn is_program(path: &Path) -> bool {
    let mut start = [0; 2];
    match File::open(path).and_then(|mut file| file.read_exact(&mut start)) {
        Ok(()) => start == *b"!!",
        Err(error) => error.kind() != io::ErrorKind::UnexpectedEof,
    }
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
    fn missing_files_are_wrong_usage() {
        let Err(Fatal(message)) = find_inputs(&[PathBuf::from("/nonexistent/a.vp")]) else {
            panic!("found")
        };
        assert!(message.starts_with("/nonexistent/a.vp: "), "{message}");
    }
}
