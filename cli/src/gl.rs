//! `glasm gl`: starts an application with the vendor library of glasm between it and the driver of
//! OpenGL. `docs/driver.md` describes it.
//!
//! GLVND finds the library by its names, which a build does not have: links with these names are
//! created in a directory of the user, with the file that names the library for EGL.

use crate::args::GlArgs;
use crate::console::{Fatal, Status};
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
const BUILT: &str = "libglasm_glvendor.so";

/// Its names for EGL and GLX.
const NAMES: [&str; 2] = ["libEGL_glasm.so.0", "libGLX_glasm.so.0"];

/// Name of the file for EGL.
const ICD: &str = "glasm.json";

/// Becomes the application, so that its exit status is the application's.
pub(crate) fn run_application(args: &GlArgs) -> Result<Status, Fatal> {
    let libraries = match args.library.as_slice() {
        [] => find_own_libraries()?,
        paths => paths
            .iter()
            .map(|path| resolve_library(path))
            .collect::<Result<_, _>>()?,
    };
    let mut folders = Vec::new();
    for library in &libraries {
        let folder = link_folder(library)?;
        prepare(&folder, library).map_err(|error| Fatal::from_io(folder.display(), &error))?;
        folders.push(folder);
    }
    let icds = folders.iter().map(|folder| folder.join(ICD));
    let icds = join_paths(icds)?;
    let mut words = args.application.iter();
    let application = words.next().map_or(OsStr::new(""), OsString::as_os_str);
    let mut command = Command::new(application);
    command.args(words);
    command.env("__GLX_VENDOR_LIBRARY_NAME", "glasm");
    command.env("__EGL_VENDOR_LIBRARY_FILENAMES", icds);
    command.env("LD_LIBRARY_PATH", with_folders(&folders)?);
    if let Some(vendor) = &args.vendor {
        command.env("GLASM_VENDOR", vendor);
    }
    Err(Fatal::from_io(application.display(), &command.exec()))
}

/// Finds the library in a directory.
fn find_library(folder: &Path) -> Option<PathBuf> {
    let names = std::iter::once(BUILT).chain(NAMES);
    let mut paths = names.map(|name| folder.join(name));
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
        let names = NAMES.join(" and ");
        let message = format!("{}: neither {BUILT} nor {names} is there", path.display());
        return Err(Fatal(message));
    };
    found
        .canonicalize()
        .map_err(|error| Fatal::from_io(found.display(), &error))
}

/// Finds the library that belongs to this command: in the same directory, as in builds, or in the
/// `lib` of its prefix; and the one for 32-bit applications, if there is one. Loaders skip
/// libraries of other machines, so an application finds the matching one.
fn find_own_libraries() -> Result<Vec<PathBuf>, Fatal> {
    let command = env::current_exe().and_then(|path| path.canonicalize());
    let command = command.map_err(|error| Fatal::from_io("the path of this command", &error))?;
    let beside = command.parent().unwrap_or(Path::new("/"));
    let prefix = beside.parent().unwrap_or(Path::new("/"));
    let folders = [beside.to_owned(), prefix.join("lib")];
    if let Some(found) = folders.iter().find_map(|folder| find_library(folder)) {
        let narrow = list_32_bit_folders(beside, prefix);
        let narrow = narrow.iter().find_map(|folder| find_library(folder));
        return std::iter::once(found)
            .chain(narrow)
            .map(|path| resolve_library(&path))
            .collect();
    }
    let [beside, lib] = folders.map(|folder| folder.display().to_string());
    Err(Fatal(format!(
        "the vendor library {BUILT} is neither in {beside} nor in {lib}: build it with `cargo build -p glasm-glvendor`, \
         or say where it is with --library"
    )))
}

/// Returns the directories of the library for 32-bit applications: the one in which Cargo builds
/// it, and those that distributions have for i386.
fn list_32_bit_folders(beside: &Path, prefix: &Path) -> Vec<PathBuf> {
    if cfg!(not(target_arch = "x86_64")) {
        return Vec::new();
    }
    let profile = beside.file_name().unwrap_or_default();
    vec![
        prefix.join("i686-unknown-linux-gnu").join(profile),
        prefix.join("lib/i386-linux-gnu"),
        prefix.join("lib32"),
    ]
}

/// Returns the directory of the links to a library. Relative paths in the variables are ignored, as
/// the XDG Base Directory Specification demands.
fn link_folder(library: &Path) -> Result<PathBuf, Fatal> {
    let of = |name: &str| {
        let path = env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let base = of("XDG_RUNTIME_DIR")
        .or_else(|| of("XDG_CACHE_HOME"))
        .or_else(|| Some(of("HOME")?.join(".cache")));
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
fn make_private(folder: &Path) -> io::Result<()> {
    let made = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder);
    made?;
    let found = fs::symlink_metadata(folder)?;
    // A file that a process creates belongs to its user, whom the standard library does not name
    // otherwise.
    let probe = folder.join(format!("owner.{}", std::process::id()));
    remove_left_over(&probe)?;
    let owner = fs::File::create_new(&probe)?.metadata()?.uid();
    fs::remove_file(&probe)?;
    if !found.is_dir() || found.uid() != owner {
        let message = "it is no directory of the user who runs this command";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Removes the file of an earlier process with the same number: it has ended.
fn remove_left_over(own: &Path) -> io::Result<()> {
    match fs::remove_file(own) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Creates a file or link under a temporary name and renames it when it is complete.
fn place_file(own: &Path, name: &Path, make: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    remove_left_over(own)?;
    make(own)?;
    fs::rename(own, name)
}

/// Creates the links and the file for EGL, unless they exist. Other processes may do so at the same
/// time.
fn prepare(folder: &Path, library: &Path) -> io::Result<()> {
    if let Some(parent) = folder.parent() {
        make_private(parent)?;
    }
    make_private(folder)?;
    // A link or file that another process reads is never incomplete: it gets its name when it is
    // complete.
    let own = |name: &str| folder.join(format!("{name}.{}", std::process::id()));
    for name in NAMES {
        let link = folder.join(name);
        if fs::read_link(&link).is_ok_and(|old| old == library) {
            continue;
        }
        place_file(&own(name), &link, |own| symlink(library, own))?;
    }
    let text = format_icd(&folder.join(NAMES[0]));
    let file = folder.join(ICD);
    if fs::read(&file).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    place_file(&own(ICD), &file, |own| fs::write(own, &text))
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
fn with_folders(folders: &[PathBuf]) -> Result<OsString, Fatal> {
    let others = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    // An empty entry would be the current directory.
    let others = env::split_paths(&others).filter(|path| !path.as_os_str().is_empty());
    join_paths(folders.iter().cloned().chain(others))
}

/// Joins paths for a variable. A path with a colon is an error: it would be two.
fn join_paths(paths: impl Iterator<Item = PathBuf>) -> Result<OsString, Fatal> {
    env::join_paths(paths)
        .map_err(|error| Fatal(format!("the paths of the vendor library: {error}")))
}
