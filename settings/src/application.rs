//! The application whose rules are looked up.

use crate::pattern::ends_with_exe;
use sha2::{Digest, Sha256};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Size of the largest executable whose hash is computed, in bytes.
const MAX_HASHED_SIZE: u64 = 1 << 30;

/// Application: the names and the files of its executable.
///
/// An application in an interpreter has two of each, those of the interpreter and of the program
/// that the command line names; this is how Windows programs in Wine are found.
#[derive(Debug, Default)]
pub struct Application {
    names: Vec<String>,
    files: Vec<HashedFile>,
}

/// File with its hash, which is computed when a rule needs it.
#[derive(Debug)]
struct HashedFile {
    path: PathBuf,
    hash: OnceLock<Option<[u8; 32]>>,
}

impl HashedFile {
    fn new(path: PathBuf) -> Self {
        Self {
            path,
            hash: OnceLock::new(),
        }
    }
}

impl Application {
    /// Returns the application of this process: the executable of `/proc/self/exe` and the first
    /// word of `/proc/self/cmdline`.
    pub fn current() -> Self {
        let own = Path::new("/proc/self/exe");
        let executable = fs::read_link(own).or_else(|_| env::current_exe()).ok();
        let mut this = Self::default();
        if let Some(path) = executable {
            let name = path.to_string_lossy();
            // The system says so of an executable that an update has replaced.
            this.add_name(name.strip_suffix(" (deleted)").unwrap_or(&name));
            let file = if own.exists() { own.to_owned() } else { path };
            this.files.push(HashedFile::new(file));
        }
        let line = read_bounded(Path::new("/proc/self/cmdline")).unwrap_or_default();
        let word = line.split(|byte| *byte == 0).next().unwrap_or_default();
        this.add_program(&String::from_utf8_lossy(word));
        this
    }

    /// Returns the application that a command would start: a program of `PATH` and its arguments.
    /// If the program is Wine, the first argument that names a Windows program is treated as its first
    /// word.
    pub fn from_command(words: &[OsString]) -> Self {
        let mut this = Self::default();
        let program = words.first().map_or(OsStr::new(""), OsString::as_os_str);
        if let Some(path) = find_program(program) {
            this.add_name(&path.to_string_lossy());
            this.files.push(HashedFile::new(path));
        }
        let texts: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let is_wine = this.names.iter().any(|name| name.starts_with("wine"))
            || texts
                .first()
                .is_some_and(|word| file_name(word).starts_with("wine"));
        let windows_program = texts.iter().skip(1).find(|word| ends_with_exe(word));
        match windows_program {
            Some(word) if is_wine => this.add_program(word),
            Some(_) | None => this.add_program(texts.first().map_or("", |word| word)),
        }
        this
    }

    /// Returns the names of the executable, without directories; there may be none.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the files whose hashes are compared.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| &*file.path)
    }

    /// Returns true if a file of the application has a hash. Reads each file at most once; those
    /// that cannot be read have no hash.
    pub(crate) fn has_hash(&self, hash: &[u8; 32]) -> bool {
        self.files.iter().any(|file| {
            let known = file.hash.get_or_init(|| hash_file(&file.path).ok());
            known.as_ref() == Some(hash)
        })
    }

    /// Adds the file name of a path, unless it is known.
    fn add_name(&mut self, path: &str) {
        let name = file_name(path);
        if !name.is_empty() && !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
    }

    /// Adds the program that a command line names: its name, and its file if that of the process is
    /// an interpreter.
    fn add_program(&mut self, word: &str) {
        self.add_name(word);
        if ends_with_exe(word) {
            let path = find_windows_file(word, |name| env::var_os(name));
            self.files.extend(path.map(HashedFile::new));
        }
    }
}

/// Returns the name after the last separator of a path of Unix or Windows.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the file of a program that the system would start; `None` if there is none.
fn find_program(program: &OsStr) -> Option<PathBuf> {
    let is_path = program.to_string_lossy().contains('/');
    let found = if is_path {
        Some(PathBuf::from(program))
    } else {
        let path = env::var_os("PATH").unwrap_or_default();
        let mut candidates = env::split_paths(&path).map(|dir| dir.join(program));
        candidates.find(|path| path.is_file())
    };
    found?.canonicalize().ok().filter(|path| path.is_file())
}

/// Returns the file of a Windows program that Wine runs. Drives are links in the directory
/// `dosdevices` of the prefix, `WINEPREFIX` or `~/.wine`; other names are paths of this system.
fn find_windows_file(word: &str, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let mut letters = word.chars();
    let drive = (letters.next(), letters.next());
    let path = match drive {
        (Some(drive), Some(':')) if drive.is_ascii_alphabetic() => {
            let default = || Some(PathBuf::from(variable("HOME")?).join(".wine"));
            let prefix = variable("WINEPREFIX").map(PathBuf::from).or_else(default)?;
            let rest = letters.as_str().replace('\\', "/");
            let device = format!("{}:", drive.to_ascii_lowercase());
            let devices = prefix.join("dosdevices").join(device);
            devices.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(word),
    };
    path.is_file().then_some(path)
}

/// Computes the hash of a file.
fn hash_file(path: &Path) -> io::Result<[u8; 32]> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > MAX_HASHED_SIZE {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finalize().into()),
            count => hasher.update(&buffer[..count]),
        }
    }
}

/// Reads the beginning of a file, at most 64 KiB.
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(1 << 16).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Vec<OsString> {
        list.iter().map(OsString::from).collect()
    }

    #[test]
    fn this_process_has_its_name() {
        let current = Application::current();
        let path = env::current_exe().unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(current.names().iter().any(|it| it == name), "{current:?}");
        let hash = hash_file(&path).unwrap();
        assert!(current.has_hash(&hash));
        assert!(!current.has_hash(&[0; 32]));
    }

    #[test]
    fn names_have_no_directories() {
        assert_eq!(file_name("/usr/bin/game"), "game");
        assert_eq!(file_name("C:\\Games\\a/Game.exe"), "Game.exe");
        assert_eq!(file_name("game"), "game");
    }

    #[test]
    fn commands_name_programs() {
        let found = Application::from_command(&words(&["/nowhere/game", "x.exe"]));
        assert_eq!(found.names(), ["game"]);
        assert_eq!(found.files().count(), 0);
        let found = Application::from_command(&words(&["wine", "-x", "C:\\a\\Game.EXE", "b.exe"]));
        assert!(found.names().iter().any(|it| it == "Game.EXE"), "{found:?}");
        assert!(!found.names().iter().any(|it| it == "b.exe"), "{found:?}");
        assert!(Application::from_command(&[]).names().is_empty());
    }

    /// FIPS 180-4: the digest of "abc" is that of the example in NIST's collection.
    #[test]
    fn hashes_are_those_of_the_standard() {
        let directory = env::temp_dir().join(format!("glasm-hash-{}", std::process::id()));
        let drive = directory.join("dosdevices/c:/Games");
        fs::create_dir_all(&drive).unwrap();
        fs::write(drive.join("abc.exe"), "abc").unwrap();
        let variable = |name: &str| (name == "WINEPREFIX").then(|| directory.clone().into());
        let path = find_windows_file("C:\\Games\\abc.exe", variable).unwrap();
        let hash = hash_file(&path).unwrap();
        assert_eq!(
            crate::file::format_hash(&hash),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(find_windows_file("C:\\Games\\b.exe", variable), None);
        assert!(hash_file(&directory).is_err());
        fs::remove_dir_all(&directory).unwrap();
    }
}
