//! How an application of Windows gets glasm's library, or the reason why it cannot: decided from
//! files alone, so that tests run on each system.

use super::program_file::{Code, is_own_library};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Name by which applications load the library.
const LIBRARY_FILE: &str = "opengl32.dll";

/// Directories of the libraries in an archive, next to that of this command.
const LIBRARY_DIRECTORIES: [&str; 2] = ["lib64", "lib32"];

/// The library of an application.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct LaunchPlan {
    /// Path of the library.
    pub(super) library: PathBuf,
    /// Whether it is in the directory of the application, where Windows finds it first.
    pub(super) is_installed: bool,
}

impl LaunchPlan {
    /// Returns the plan for an application, with the first of these libraries that has its word size.
    /// Otherwise the message for the user.
    pub(super) fn create(application: &Path, libraries: &[PathBuf]) -> Result<Self, String> {
        let installed = application.with_file_name(LIBRARY_FILE);
        let code = read_code(application)?;
        if installed.is_file() {
            let is_own =
                is_own_library(&installed).map_err(|error| format_error(&installed, &error))?;
            if !is_own {
                return Err(format!(
                    "{} is another library, which Windows loads instead of glasm's: rename or remove it",
                    installed.display()
                ));
            }
            // The system selects the word size of a program of .NET, which may be that of the library.
            if code == Code::Managed || read_code(&installed)? == code {
                return Ok(Self {
                    library: installed,
                    is_installed: true,
                });
            }
            return Err(format!(
                "{} is not for {}: delete it, so that this command uses the other one",
                installed.display(),
                code.describe()
            ));
        }
        let library = find_library(application, code, libraries)?;
        Ok(Self {
            library,
            is_installed: false,
        })
    }
}

/// Returns the first library with the code of an application; otherwise the message for the user.
fn find_library(application: &Path, code: Code, libraries: &[PathBuf]) -> Result<PathBuf, String> {
    match code {
        Code::X86 | Code::X64 => {}
        Code::Managed => {
            return Err(format!(
                "{} is a program of .NET, whose word size only Windows knows: copy {LIBRARY_FILE} for 64 bits, or \
                 else for 32 bits, to {}",
                application.display(),
                application.parent().unwrap_or(Path::new("")).display()
            ));
        }
        Code::Other(_) => {
            return Err(format!(
                "{}: there is no library for {}",
                application.display(),
                code.describe()
            ));
        }
    }
    let has_code = |path: &&PathBuf| matches!(Code::read(path), Ok(Some(found)) if found == code);
    let Some(library) = libraries.iter().find(has_code) else {
        let searched: Vec<String> = libraries
            .iter()
            .map(|it| it.display().to_string())
            .collect();
        return Err(format!(
            "no library of glasm for {} is among {}: extract the whole archive, or say where it is with --library",
            code.describe(),
            searched.join(", ")
        ));
    };
    let is_named = library
        .file_name()
        .is_some_and(|name| name.eq_ignore_ascii_case(LIBRARY_FILE));
    if !is_named {
        return Err(format!(
            "Windows finds {} by the name {LIBRARY_FILE} only; {}",
            library.display(),
            format_copy_instructions(library, application)
        ));
    }
    Ok(library.clone())
}

/// Formats how to use a library without this command.
pub(super) fn format_copy_instructions(library: &Path, application: &Path) -> String {
    format!(
        "copy {} to {}, and start the program without this command; deleting the copy undoes it",
        library.display(),
        application.with_file_name(LIBRARY_FILE).display()
    )
}

/// Reads the code of a program or library; otherwise returns the message for the user.
fn read_code(path: &Path) -> Result<Code, String> {
    let code = Code::read(path).map_err(|error| format_error(path, &error))?;
    code.ok_or_else(|| {
        format!(
            "{} is not a program of Windows: name the executable that it starts",
            path.display()
        )
    })
}

fn format_error(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Returns the libraries that `--library` names, or else those that belong to this command: in the
/// directories of an archive, or next to the command.
pub(super) fn list_own_libraries(named: &[PathBuf], command: &Path) -> Vec<PathBuf> {
    if !named.is_empty() {
        let in_directory = |path: &PathBuf| {
            if path.is_dir() {
                path.join(LIBRARY_FILE)
            } else {
                path.clone()
            }
        };
        return named.iter().map(in_directory).collect();
    }
    let directory = command.parent().unwrap_or(Path::new(""));
    let root = directory.parent().unwrap_or(Path::new(""));
    let in_archive = LIBRARY_DIRECTORIES.iter().map(|it| root.join(it));
    let directories = in_archive.chain([directory.to_owned()]);
    directories.map(|it| it.join(LIBRARY_FILE)).collect()
}

/// Returns the executable that a word of a command line names: a path, or a file of the working
/// directory or of the directories of `PATH`. The extension `.exe` may be missing.
pub(super) fn find_application(
    word: &OsStr,
    path: impl Iterator<Item = PathBuf>,
) -> Option<PathBuf> {
    let word = Path::new(word);
    let has_directory = word.parent().is_some_and(|it| !it.as_os_str().is_empty());
    let directories = std::iter::once(PathBuf::new()).chain(path.filter(|_| !has_directory));
    let mut candidates = directories.flat_map(|directory| {
        let exact = directory.join(word);
        let mut with_extension = exact.clone().into_os_string();
        with_extension.push(".exe");
        [exact, with_extension.into()]
    });
    let found = candidates.find(|it| it.is_file())?;
    // The directory of the executable is needed, not only its name.
    std::path::absolute(found).ok()
}

#[cfg(test)]
mod tests {
    use super::super::program_file::tests::build_headers;
    use super::*;
    use std::fs;

    const X86: u16 = 0x014c;
    const X64: u16 = 0x8664;

    /// Directory with a game and an archive, which is removed at the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let name = format!("glasm-launch-{name}-{}", std::process::id());
            Self(std::env::temp_dir().join(name))
        }

        fn write(&self, path: &str, content: &[u8]) -> PathBuf {
            let path = self.0.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
            path
        }

        fn write_program(&self, path: &str, machine: u16) -> PathBuf {
            self.write(path, &build_headers(machine, 0))
        }

        fn write_own_library(&self, path: &str, machine: u16) -> PathBuf {
            let mut content = build_headers(machine, 0);
            content.extend(b"...GLASM_COMPILE_ARB_PROGRAMS...");
            self.write(path, &content)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_library_has_the_word_size_of_the_application() {
        let scratch = Scratch::new("word-size");
        let wide = scratch.write_own_library("glasm/lib64/opengl32.dll", X64);
        let narrow = scratch.write_own_library("glasm/lib32/opengl32.dll", X86);
        let libraries = list_own_libraries(&[], &scratch.0.join("glasm/bin64/glasm.exe"));
        for (machine, library) in [(X64, wide), (X86, narrow)] {
            let game = scratch.write_program("game/game.exe", machine);
            let expected = LaunchPlan {
                library,
                is_installed: false,
            };
            assert_eq!(LaunchPlan::create(&game, &libraries), Ok(expected));
        }
    }

    #[test]
    fn messages_say_what_to_do() {
        let scratch = Scratch::new("messages");
        let renamed = scratch.write_own_library("a/glasm_glvendor.dll", X64);
        let game = scratch.write_program("game/game.exe", X64);
        let message =
            |game: &Path, libraries: &[PathBuf]| LaunchPlan::create(game, libraries).unwrap_err();
        let copy = format!(
            "copy {} to {}",
            renamed.display(),
            scratch.0.join("game/opengl32.dll").display()
        );
        assert!(message(&game, std::slice::from_ref(&renamed)).contains(&copy));
        assert!(message(&game, &[]).contains("for 64-bit programs"));
        let arm = scratch.write_program("game/arm.exe", 0xaa64);
        assert!(message(&arm, &[]).contains("machine 0xaa64"));
        let managed = scratch.write("game/net.exe", &build_headers(X86, 72));
        assert!(message(&managed, &[]).contains("copy opengl32.dll for 64 bits"));
        let script = scratch.write("game/start.bat", b"game.exe\r\n");
        assert!(message(&script, &[]).contains("name the executable that it starts"));
        let absent = scratch.0.join("game/absent.exe");
        assert!(message(&absent, &[]).contains("absent.exe: "));
    }

    #[test]
    fn a_library_next_to_the_application_takes_precedence() {
        let scratch = Scratch::new("precedence");
        let own = scratch.write_own_library("lib/opengl32.dll", X86);
        let libraries = [own];
        let game = scratch.write_program("game/game.exe", X86);
        scratch.write_program("game/opengl32.dll", X86);
        let message = LaunchPlan::create(&game, &libraries).unwrap_err();
        assert!(message.contains("rename or remove it"), "{message}");
        let library = scratch.write_own_library("game/opengl32.dll", X86);
        let expected = LaunchPlan {
            library,
            is_installed: true,
        };
        assert_eq!(LaunchPlan::create(&game, &libraries), Ok(expected));
        scratch.write_own_library("game/opengl32.dll", X64);
        let message = LaunchPlan::create(&game, &libraries).unwrap_err();
        assert!(message.contains("is not for 32-bit programs"), "{message}");
        let managed = scratch.write("game/net.exe", &build_headers(X86, 72));
        let plan = LaunchPlan::create(&managed, &libraries).unwrap();
        assert!(plan.is_installed);
    }

    #[test]
    fn applications_are_searched_as_the_command_prompt_does() {
        let scratch = Scratch::new("search");
        let game = scratch.write_program("first/game.exe", X86);
        let tool = scratch.write_program("second/tool.exe", X86);
        scratch.write_program("second/game.exe", X86);
        let path = || ["first", "second"].map(|it| scratch.0.join(it)).into_iter();
        let find = |word: &str| find_application(OsStr::new(word), path());
        assert_eq!(find("game"), Some(game.clone()));
        assert_eq!(find("game.exe"), Some(game.clone()));
        assert_eq!(find("tool"), Some(tool));
        assert_eq!(find("absent"), None);
        let without_extension = game.with_extension("");
        assert_eq!(find(without_extension.to_str().unwrap()), Some(game));
        // A word with a directory is not searched in PATH.
        assert_eq!(find("./game.exe"), None);
    }

    #[test]
    fn named_libraries_replace_those_of_the_command() {
        let scratch = Scratch::new("named");
        let file = scratch.write_own_library("a/opengl32.dll", X86);
        let directory = scratch.0.join("a");
        let command = scratch.0.join("bin64/glasm.exe");
        let named = [directory, PathBuf::from("b.dll")];
        assert_eq!(
            list_own_libraries(&named, &command),
            [file, PathBuf::from("b.dll")]
        );
        let own = list_own_libraries(&[], &command);
        let expected = ["lib64", "lib32", "bin64"].map(|it| scratch.0.join(it).join(LIBRARY_FILE));
        assert_eq!(own, expected);
    }
}
