//! `glasm gl`: starts an application with the vendor library of glasm between it and the driver of
//! OpenGL. `docs/driver.md` describes it.
//!
//! GLVND finds the library by its names, which a build does not have: links with these names are
//! created in a directory of the user, with the file that names the library for EGL.

use crate::args::GlArgs;
use crate::console::{Fatal, Status};
use glasm_settings::rules::{SHIPPED_VARIABLE, find_shipped_file};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library as Cargo builds it.
const LIBRARY_FILE: &str = "libglasm_glvendor.so";

/// Its names for EGL and GLX.
const VENDOR_FILES: [&str; 2] = ["libEGL_glasm.so.0", "libGLX_glasm.so.0"];

/// Name of the file for EGL.
const EGL_ICD_FILE: &str = "glasm.json";

/// Vendor libraries, and the variables that make GLVND load them.
pub(crate) struct LaunchEnvironment {
    /// Paths of the libraries, that for the word size of this command first.
    pub(crate) libraries: Vec<PathBuf>,
    variables: Vec<(&'static str, OsString)>,
}

impl LaunchEnvironment {
    /// Finds the libraries that the arguments name, or else those that belong to this command, and
    /// creates the links that GLVND finds them by. Errs if there are none, or if the links cannot
    /// be created.
    pub(crate) fn prepare(args: &GlArgs) -> Result<Self, Fatal> {
        let libraries = match args.library.as_slice() {
            [] => find_own_libraries()?,
            paths => paths
                .iter()
                .map(|path| resolve_library(path))
                .collect::<Result<_, _>>()?,
        };
        let mut dirs = Vec::new();
        for library in &libraries {
            let dir = get_link_dir(library)?;
            create_vendor_links(&dir, library)
                .map_err(|error| Fatal::from_io(dir.display(), &error))?;
            dirs.push(dir);
        }
        let icds = dirs.iter().map(|dir| dir.join(EGL_ICD_FILE));
        let mut variables = vec![
            ("__GLX_VENDOR_LIBRARY_NAME", "glasm".into()),
            ("__EGL_VENDOR_LIBRARY_FILENAMES", join_paths(icds)?),
            ("LD_LIBRARY_PATH", extend_library_path(&dirs)?),
        ];
        let shipped = env::current_exe().and_then(|path| path.canonicalize());
        let shipped = shipped.ok().and_then(|path| find_shipped_file(&path));
        if let Some(file) = shipped {
            variables.push((SHIPPED_VARIABLE, file.into_os_string()));
        }
        if let Some(vendor) = &args.vendor {
            variables.push(("GLASM_DRIVER", vendor.clone()));
        }
        Ok(Self {
            libraries,
            variables,
        })
    }

    /// Sets the variables of a command that will run.
    pub(crate) fn apply_to(&self, command: &mut Command) {
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }
}

/// Becomes the application, so that its exit status is the application's.
pub(crate) fn run_application(args: &GlArgs) -> Result<Status, Fatal> {
    let environment = LaunchEnvironment::prepare(args)?;
    let mut words = args.application.iter();
    let application = words.next().map_or(OsStr::new(""), OsString::as_os_str);
    let mut command = Command::new(application);
    environment.apply_to(command.args(words));
    Err(Fatal::from_io(application.display(), &command.exec()))
}

/// Finds the vendor library in a directory: as Cargo builds it, or else by its name for EGL or GLX.
/// `None` if it has neither.
fn find_library(dir: &Path) -> Option<PathBuf> {
    let names = std::iter::once(LIBRARY_FILE).chain(VENDOR_FILES);
    let mut paths = names.map(|name| dir.join(name));
    paths.find(|path| path.is_file())
}

/// Finds the library that `--library` names, or that is in the directory.
fn resolve_library(path: &Path) -> Result<PathBuf, Fatal> {
    let found = if path.is_dir() {
        find_library(path)
    } else {
        Some(path.to_owned())
    };
    let Some(found) = found else {
        let names = VENDOR_FILES.join(" and ");
        let message = format!(
            "{}: neither {LIBRARY_FILE} nor {names} is there",
            path.display()
        );
        return Err(Fatal(message));
    };
    found
        .canonicalize()
        .map_err(|error| Fatal::from_io(found.display(), &error))
}

/// Finds the library that belongs to this command: in the same directory, as in builds, or in a
/// directory for libraries of its prefix; and the one for 32-bit applications, if there is one. Loaders skip
/// libraries of other machines, so an application finds the matching one.
fn find_own_libraries() -> Result<Vec<PathBuf>, Fatal> {
    let command = env::current_exe().and_then(|path| path.canonicalize());
    let command = command.map_err(|error| Fatal::from_io("the path of this command", &error))?;
    let command_dir = command.parent().unwrap_or(Path::new("/"));
    let prefix = command_dir.parent().unwrap_or(Path::new("/"));
    let dirs = [
        command_dir.to_owned(),
        prefix.join(format!("lib/{}-linux-gnu", env::consts::ARCH)),
        prefix.join("lib64"),
        prefix.join("lib"),
    ];
    if let Some(found) = dirs.iter().find_map(|dir| find_library(dir)) {
        let library_32_bit = list_32_bit_library_dirs(command_dir, prefix);
        let narrow = library_32_bit.iter().find_map(|dir| find_library(dir));
        return std::iter::once(found)
            .chain(narrow)
            .map(|path| resolve_library(&path))
            .collect();
    }
    let searched = dirs.map(|dir| dir.display().to_string()).join(", ");
    Err(Fatal(format!(
        "the vendor library {LIBRARY_FILE} is in none of {searched}: build it with `cargo build -p glasm-glvendor`, \
         install the package libglx-glasm, or say where it is with --library"
    )))
}

/// Returns the directories of the library for 32-bit applications: the one in which Cargo builds
/// it, and those that distributions have for i386.
fn list_32_bit_library_dirs(command_dir: &Path, prefix: &Path) -> Vec<PathBuf> {
    if cfg!(not(target_arch = "x86_64")) {
        return Vec::new();
    }
    let profile = command_dir.file_name().unwrap_or_default();
    vec![
        prefix.join("i686-unknown-linux-gnu").join(profile),
        prefix.join("lib/i386-linux-gnu"),
        prefix.join("lib32"),
    ]
}

/// Returns the directory of the links to a library. Relative paths in the variables are ignored, as
/// the XDG Base Directory Specification demands.
fn get_link_dir(library: &Path) -> Result<PathBuf, Fatal> {
    let absolute_dir = |name: &str| {
        let path = env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let base = absolute_dir("XDG_RUNTIME_DIR")
        .or_else(|| absolute_dir("XDG_CACHE_HOME"))
        .or_else(|| Some(absolute_dir("HOME")?.join(".cache")));
    let Some(base) = base else {
        let message =
            "HOME is no absolute path: there is no directory for links to the vendor library";
        return Err(Fatal(message.to_owned()));
    };
    // Several builds may be in use at the same time: each library has a separate directory.
    let mut hasher = DefaultHasher::new();
    library.hash(&mut hasher);
    Ok(base
        .join("glasm")
        .join(format!("gl-{:016x}", hasher.finish())))
}

/// Creates a directory that only the user can write to. An existing one must belong to the user,
/// and is closed to others.
fn create_private_dir(dir: &Path) -> io::Result<()> {
    let made = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir);
    made?;
    let found = fs::symlink_metadata(dir)?;
    // A file that a process creates belongs to its user, whom the standard library does not name
    // otherwise.
    let probe = dir.join(format!("owner.{}", std::process::id()));
    remove_stale_file(&probe)?;
    let owner = fs::File::create_new(&probe)?.metadata()?.uid();
    fs::remove_file(&probe)?;
    if !found.is_dir() || found.uid() != owner {
        let message = "it is no directory of the user who runs this command";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Removes the file of an earlier process with the same number: it has ended.
fn remove_stale_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Creates a file or link under a temporary name and renames it when it is complete.
fn create_atomically(
    temporary: &Path,
    target: &Path,
    make: impl Fn(&Path) -> io::Result<()>,
) -> io::Result<()> {
    remove_stale_file(temporary)?;
    make(temporary)?;
    fs::rename(temporary, target)
}

/// Creates the links and the file for EGL, unless they exist. Other processes may do so at the same
/// time.
fn create_vendor_links(dir: &Path, library: &Path) -> io::Result<()> {
    if let Some(parent) = dir.parent() {
        create_private_dir(parent)?;
    }
    create_private_dir(dir)?;
    // A link or file that another process reads is never incomplete: it gets its name when it is
    // complete.
    let temporary_path = |name: &str| dir.join(format!("{name}.{}", std::process::id()));
    for name in VENDOR_FILES {
        let link = dir.join(name);
        if fs::read_link(&link).is_ok_and(|old| old == library) {
            continue;
        }
        create_atomically(&temporary_path(name), &link, |own| symlink(library, own))?;
    }
    let text = format_icd(&dir.join(VENDOR_FILES[0]));
    let file = dir.join(EGL_ICD_FILE);
    if fs::read(&file).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    create_atomically(&temporary_path(EGL_ICD_FILE), &file, |own| {
        fs::write(own, &text)
    })
}

/// Formats the file that libEGL reads of a vendor: `file_format_version` 1.0.0 of GLVND.
fn format_icd(library: &Path) -> String {
    let path = library.display().to_string();
    let icd = serde_json::json!({
        "file_format_version": "1.0.0",
        "ICD": { "library_path": path },
    });
    format!("{icd}\n")
}

/// Returns the search path of the dynamic linker: first the directories.
fn extend_library_path(dirs: &[PathBuf]) -> Result<OsString, Fatal> {
    let others = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    // An empty entry would be the current directory.
    let others = env::split_paths(&others).filter(|path| !path.as_os_str().is_empty());
    join_paths(dirs.iter().cloned().chain(others))
}

/// Joins paths for a variable. A path with a colon is an error: it would be two.
fn join_paths(paths: impl Iterator<Item = PathBuf>) -> Result<OsString, Fatal> {
    env::join_paths(paths)
        .map_err(|error| Fatal(format!("the paths of the vendor library: {error}")))
}
