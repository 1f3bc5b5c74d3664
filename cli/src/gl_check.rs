//! `glasm gl --check`: reports whether applications will run with the vendor library on this
//! system, and what is missing.
//!
//! For the word size of this command a context is opened in a process that gets the same variables
//! as an application. This command cannot start programs of the other word size: their libraries
//! are looked up in the directories of the dynamic linker instead.

use crate::args::GlArgs;
use crate::console::{Console, Fatal, Status};
use crate::gl_launcher::LaunchEnvironment;
use serde::{Deserialize, Serialize};
use std::env;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Extensions that identify a generation of programs, from the newest.
const GENERATIONS: [&str; 6] = [
    "GL_NV_gpu_program5",
    "GL_NV_gpu_program4",
    "GL_NV_fragment_program2",
    "GL_NV_vertex_program2",
    "GL_NV_vertex_program",
    "GL_ARB_vertex_program",
];

/// Directories of 32-bit libraries: of Debian and its relatives, of Arch, and of Fedora, whose
/// 64-bit libraries are in `/usr/lib64`.
const DIRECTORIES_32_BIT: [&str; 3] = ["/usr/lib/i386-linux-gnu", "/usr/lib32", "/usr/lib"];

/// Libraries that 32-bit applications load, with the packages of Debian.
const LIBRARIES_32_BIT: [(&str, &str); 2] = [
    ("libGL.so.1", "libgl1:i386"),
    ("libGLX_mesa.so.0", "libglx-mesa0:i386 libgl1-mesa-dri:i386"),
];

/// Properties of the context that an application gets.
#[derive(Serialize, Deserialize, Debug)]
struct ContextInfo {
    renderer: String,
    version: String,
    driver: String,
    extensions: Vec<String>,
}

/// Word size of the code of a library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WordSize {
    Bits32,
    Bits64,
}

/// Prints the libraries, the display and the OpenGL that applications get. The status is a failure
/// if applications of the word size of this command will not run with the vendor library. Errs if
/// there is no library.
pub(crate) fn check_system(args: &GlArgs, console: Console) -> Result<Status, Fatal> {
    let environment = LaunchEnvironment::prepare(args)?;
    let context = open_context(&environment);
    let library_32_bit = environment
        .libraries
        .iter()
        .find(|path| read_word_size(path) == Some(WordSize::Bits32));
    let mut report = String::new();
    for library in &environment.libraries {
        let size = match read_word_size(library) {
            Some(WordSize::Bits32) => "32 bits",
            Some(WordSize::Bits64) => "64 bits",
            None => "not a library",
        };
        report += &format!("library   {} ({size})\n", library.display());
    }
    report += &format!("display   {}\n", describe_display(|name| env::var_os(name)));
    report += &match &context {
        Ok(context) => describe_context(context),
        Err(reason) => format!("opengl    no context: {reason}\n"),
    };
    if cfg!(target_arch = "x86_64") {
        let directories = DIRECTORIES_32_BIT.map(PathBuf::from);
        report += &format!(
            "32 bits   {}\n",
            describe_32_bit_support(library_32_bit.map(PathBuf::as_path), &directories)
        );
    }
    let (verdict, status) = judge(context.as_ref());
    report += &format!("result    {verdict}\n");
    console.write_out(report)?;
    Ok(status)
}

/// Prints the properties of the context of this process as JSON: the process of [`open_context`].
#[cfg(feature = "run")]
pub(crate) fn print_context(console: Console) -> Result<Status, Fatal> {
    let devices = glasm_glrunner::devices().map_err(|error| Fatal(error.to_string()))?;
    let device = devices.into_iter().next();
    let device = device.ok_or_else(|| Fatal("EGL has no device for OpenGL".to_owned()))?;
    let info = ContextInfo {
        renderer: device.name,
        version: device.version.to_string(),
        driver: device.driver,
        extensions: device.extensions,
    };
    let text = serde_json::to_string(&info).map_err(|error| Fatal(error.to_string()))?;
    console.write_out(text)?;
    Ok(Status::Success)
}

/// Opens a context as an application does, in a separate process: a driver may crash. Errs with
/// the reason.
fn open_context(environment: &LaunchEnvironment) -> Result<ContextInfo, String> {
    if cfg!(not(feature = "run")) {
        return Err("this build of glasm cannot open one: it lacks the feature `run`".to_owned());
    }
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    environment.apply_to(command.arg("gl-probe"));
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        return Err(find_reason(&messages, output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

/// Returns the reason why the process of [`open_context`] has failed: its own message, after those
/// of libraries; otherwise the signal that has ended it.
fn find_reason(messages: &str, status: ExitStatus) -> String {
    let own = messages.lines().rev();
    let own = own.filter_map(|line| line.strip_prefix("error: ")).next();
    match (own, status.signal()) {
        (Some(message), _) => message.to_owned(),
        (None, Some(signal)) => format!("the driver crashed with signal {signal}"),
        (None, None) => messages.lines().last().unwrap_or("no reason").to_owned(),
    }
}

/// Describes the context, and the newest programs that it accepts.
fn describe_context(context: &ContextInfo) -> String {
    let count = count_program_extensions(&context.extensions);
    let newest = find_newest_generation(&context.extensions).unwrap_or("none");
    format!(
        "opengl    {} on {}, {}\nprograms  up to {newest}, {count} extensions\n",
        context.version, context.renderer, context.driver
    )
}

/// Returns the extension of the newest programs among `extensions`, without the prefix `GL_`.
fn find_newest_generation(extensions: &[String]) -> Option<&'static str> {
    let found = GENERATIONS
        .iter()
        .find(|name| extensions.iter().any(|extension| extension == *name));
    found.map(|name| name.trim_start_matches("GL_"))
}

/// Counts the extensions that define programs in assembly.
fn count_program_extensions(extensions: &[String]) -> usize {
    let prefixes = ["GL_NV_", "GL_ARB_vertex_program", "GL_ARB_fragment_program"];
    let is_counted = |name: &&String| {
        prefixes.iter().any(|prefix| name.starts_with(prefix)) && name.contains("_program")
    };
    extensions.iter().filter(is_counted).count()
}

/// Returns the last line of the report and the exit status.
fn judge(context: Result<&ContextInfo, &String>) -> (String, Status) {
    let failure = |message: &str| (message.to_owned(), Status::Failed);
    let Ok(context) = context else {
        return failure(
            "applications will not run: install a driver of OpenGL (Debian: libgl1 libegl1 libgl1-mesa-dri)",
        );
    };
    match find_newest_generation(&context.extensions) {
        Some("ARB_vertex_program") | None => failure(
            "applications get no programs of NVIDIA's extensions: the driver needs OpenGL 3.1 and \
             GL_ARB_gl_spirv or GLSL 3.30, see docs/driver.md",
        ),
        Some(newest) => (
            format!("applications will run with programs up to {newest}"),
            Status::Success,
        ),
    }
}

/// Describes the window system that the environment names. `variable` returns variables.
fn describe_display(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> String {
    let value = |name| {
        let value = variable(name).filter(|value| !value.is_empty());
        value.map(|value| value.to_string_lossy().into_owned())
    };
    match (value("DISPLAY"), value("WAYLAND_DISPLAY")) {
        (Some(display), _) => format!("X11 at {display}"),
        (None, Some(display)) => format!(
            "Wayland at {display}; applications that use GLX need X11: start Xwayland and set DISPLAY"
        ),
        (None, None) => {
            "none: applications with windows need DISPLAY or WAYLAND_DISPLAY".to_owned()
        }
    }
}

/// Describes whether 32-bit applications have their libraries: the vendor library `vendor_library`,
/// and those of the system in `directories`. Otherwise names what to install.
fn describe_32_bit_support(vendor_library: Option<&Path>, directories: &[PathBuf]) -> String {
    let mut missing = Vec::new();
    if vendor_library.is_none() {
        missing.push("the vendor library for 32 bits (docs/driver.md)".to_owned());
    }
    let packages: Vec<&str> = LIBRARIES_32_BIT
        .into_iter()
        .filter(|(name, _)| !has_32_bit_library(directories, name))
        .map(|(_, packages)| packages)
        .collect();
    if !packages.is_empty() {
        missing.push(format!("{} (Debian's names)", packages.join(" ")));
    }
    if missing.is_empty() {
        "applications find their libraries".to_owned()
    } else {
        format!("not ready; install {}", missing.join(", and "))
    }
}

/// Returns true if one of the directories has a 32-bit library with this name.
fn has_32_bit_library(directories: &[PathBuf], name: &str) -> bool {
    let mut paths = directories.iter().map(|directory| directory.join(name));
    paths.any(|path| read_word_size(&path) == Some(WordSize::Bits32))
}

/// Reads the word size of a library from its header: the ELF specification, "ELF Identification".
/// `None` if the file cannot be read or is no ELF file.
fn read_word_size(path: &Path) -> Option<WordSize> {
    let mut header = [0; 5];
    File::open(path).ok()?.read_exact(&mut header).ok()?;
    match header {
        [0x7f, b'E', b'L', b'F', 1] => Some(WordSize::Bits32),
        [0x7f, b'E', b'L', b'F', 2] => Some(WordSize::Bits64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(extensions: &[&str]) -> ContextInfo {
        ContextInfo {
            renderer: "llvmpipe".to_owned(),
            version: "4.5".to_owned(),
            driver: "Mesa 22.3.6".to_owned(),
            extensions: extensions.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn newest_programs_decide() {
        let new = context(&[
            "GL_ARB_vertex_program",
            "GL_EXT_gpu_shader4",
            "GL_NV_gpu_program4",
            "GL_NV_vertex_program",
        ]);
        assert!(describe_context(&new).ends_with("up to NV_gpu_program4, 3 extensions\n"));
        assert_eq!(judge(Ok(&new)).1, Status::Success);
        for old in [
            context(&["GL_ARB_vertex_program"]),
            context(&["GL_NV_fence"]),
        ] {
            assert_eq!(judge(Ok(&old)).1, Status::Failed);
        }
        let error = "no device".to_owned();
        let (verdict, status) = judge(Err(&error));
        assert_eq!(status, Status::Failed);
        assert!(verdict.contains("libgl1-mesa-dri"), "{verdict}");
    }

    #[test]
    fn reasons_follow_warnings_of_libraries() {
        let failed = ExitStatus::from_raw(2 << 8);
        let messages = "libEGL warning: no DRI\nerror: no device\nMESA: late\n";
        assert_eq!(find_reason(messages, failed), "no device");
        let crashed = ExitStatus::from_raw(11);
        assert_eq!(
            find_reason("libEGL warning: no DRI\n", crashed),
            "the driver crashed with signal 11"
        );
        assert_eq!(find_reason("first\nlast\n", failed), "last");
        assert_eq!(find_reason("", failed), "no reason");
    }

    #[test]
    fn displays_come_from_the_environment() {
        let with = |pairs: &'static [(&str, &str)]| {
            describe_display(|name| {
                let pair = pairs.iter().find(|(known, _)| *known == name);
                pair.map(|(_, value)| (*value).into())
            })
        };
        assert_eq!(with(&[("DISPLAY", ":1")]), "X11 at :1");
        assert_eq!(
            with(&[("DISPLAY", ":1"), ("WAYLAND_DISPLAY", "wayland-0")]),
            "X11 at :1"
        );
        assert!(with(&[("DISPLAY", ""), ("WAYLAND_DISPLAY", "wayland-0")]).contains("Xwayland"));
        assert!(with(&[]).starts_with("none"));
    }

    #[test]
    fn libraries_of_the_other_word_size_are_missing() {
        let directory = env::temp_dir().join(format!("glasm-word-size-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let write = |name: &str, header: &[u8]| {
            std::fs::write(directory.join(name), header).unwrap();
        };
        write("vendor.so", b"\x7fELF\x01rest");
        write("libGL.so.1", b"\x7fELF\x02rest");
        write("libGLX_mesa.so.0", b"\x7fELF\x01rest");
        let directories = [directory.clone()];
        let vendor = directory.join("vendor.so");
        assert_eq!(
            describe_32_bit_support(Some(&vendor), &directories),
            "not ready; install libgl1:i386 (Debian's names)"
        );
        write("libGL.so.1", b"\x7fELF\x01rest");
        assert_eq!(
            describe_32_bit_support(Some(&vendor), &directories),
            "applications find their libraries"
        );
        assert!(describe_32_bit_support(None, &directories).contains("vendor library"));
        write("libGL.so.1", b"\x7fEL");
        assert_eq!(read_word_size(&directory.join("libGL.so.1")), None);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
