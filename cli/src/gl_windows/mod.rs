//! `glasm gl` on Windows: starts an application that loads glasm's `opengl32.dll` instead of the
//! system's. `docs/driver.md` describes it.
//!
//! Windows searches a library in the directory of the executable, then in the one that
//! `SetDllDirectory` names, which child processes inherit, then in the system directory. Nothing is
//! written to the directory of the application.

#[cfg(windows)]
#[allow(
    unsafe_code,
    reason = "the only function of Windows that this command calls"
)]
mod dll_directory;
mod launch_plan;
mod program_file;

#[cfg(windows)]
pub(crate) use start::run_application;

#[cfg(windows)]
mod start {
    use super::dll_directory::add_dll_directory;
    use super::launch_plan::{
        LaunchPlan, find_application, format_copy_instructions, list_own_libraries,
    };
    use crate::args::GlArgs;
    use crate::console::{Fatal, Status};
    use glasm_settings::rules::{SHIPPED_VARIABLE, find_shipped_file};
    use std::env;
    use std::ffi::{OsStr, OsString};
    use std::process::Command;

    /// Error of programs that require the privileges of an administrator: `ERROR_ELEVATION_REQUIRED`.
    const ELEVATION_REQUIRED: i32 = 740;

    /// Runs the application to its end, with glasm's library for its word size. This process ends
    /// with the exit status of the application.
    pub(crate) fn run_application(args: &GlArgs) -> Result<Status, Fatal> {
        let mut words = args.application.iter();
        let word = words.next().map_or(OsStr::new(""), OsString::as_os_str);
        let path = env::var_os("PATH").unwrap_or_default();
        let application = find_application(word, env::split_paths(&path))
            .ok_or_else(|| Fatal(format!("{}: there is no such program", word.display())))?;
        let own = env::current_exe();
        let own = own.map_err(|error| Fatal::from_io("the path of this command", &error))?;
        let libraries = list_own_libraries(&args.library, &own);
        let plan = LaunchPlan::create(&application, &libraries).map_err(Fatal)?;
        if let Some(directory) = plan.library.parent().filter(|_| !plan.is_installed) {
            add_dll_directory(directory)
                .map_err(|error| Fatal::from_io(directory.display(), &error))?;
        }
        let mut command = Command::new(&application);
        command.args(words);
        if let Some(file) = find_shipped_file(&own) {
            command.env(SHIPPED_VARIABLE, file);
        }
        match command.status() {
            Ok(status) => std::process::exit(status.code().unwrap_or(1)),
            Err(error) if error.raw_os_error() == Some(ELEVATION_REQUIRED) => Err(Fatal(format!(
                "{}: Windows starts it with other privileges, and the library would not be found; {}",
                application.display(),
                format_copy_instructions(&plan.library, &application)
            ))),
            Err(error) => Err(Fatal::from_io(application.display(), &error)),
        }
    }
}
