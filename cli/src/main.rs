//! The `glasm` command. `glasm help` and the module `args` describe it.

#![cfg_attr(not(windows), forbid(unsafe_code))]
#![cfg_attr(windows, deny(unsafe_code))]

mod args;
mod batch;
mod check;
mod compile;
mod console;
#[cfg(feature = "run")]
mod devices;
#[cfg(feature = "run")]
mod draw;
mod extract;
#[cfg(unix)]
mod gl_check;
#[cfg(unix)]
mod gl_launcher;
#[cfg(any(unix, windows))]
mod gl_settings;
#[cfg(any(windows, test))]
mod gl_windows;
mod inputs;
mod loaded_input;
mod lsp;
mod metadata;
mod output_formats;
#[cfg(feature = "run")]
mod progress;
#[cfg(feature = "run")]
mod report;
#[cfg(feature = "run")]
mod run;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "run")]
mod trace;

use args::{Cli, Command};
use clap::Parser;
use console::{Console, Fatal};
use std::process::ExitCode;

/// Parses the command line and runs the command. An error that ends the command is printed, and the
/// exit status is 2.
fn main() -> ExitCode {
    // Shells of Windows leave `*` to programs; on other systems this returns the words unchanged.
    let cli = Cli::parse_from(wild::args_os());
    let console = Console::new(cli.console);
    let result = match &cli.command {
        Command::Check(args) => check::check(args, console),
        Command::Compile(args) => compile::compile(args, console),
        Command::Extract(args) => extract::extract(args, console),
        #[cfg(feature = "run")]
        Command::Draw(args) => draw::draw(args, console),
        #[cfg(feature = "run")]
        Command::Run(args) => run::run(args, console),
        #[cfg(feature = "run")]
        Command::Trace(args) => trace::trace(args, console),
        #[cfg(feature = "run")]
        Command::RunWorker(args) => run::worker::run_worker(args),
        #[cfg(feature = "run")]
        Command::RunDevices(args) => run::worker::reply_with_devices(*args),
        #[cfg(feature = "run")]
        Command::Devices(args) => devices::print_devices(*args, console),
        #[cfg(unix)]
        Command::Gl(args) if args.check => gl_check::check_system(args, console),
        #[cfg(any(unix, windows))]
        Command::Gl(args) if args.list => gl_settings::list_rules(console),
        #[cfg(any(unix, windows))]
        Command::Gl(args) if args.explain => gl_settings::explain_application(args, console),
        #[cfg(unix)]
        Command::Gl(args) => gl_launcher::run_application(args),
        #[cfg(windows)]
        Command::Gl(args) => gl_windows::run_application(args),
        #[cfg(all(unix, feature = "run"))]
        Command::GlProbe => gl_check::print_context(console),
        Command::Explain(args) => metadata::print_explanation(args, console),
        Command::Lsp => lsp::serve(),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::serve(args, console),
        Command::Completions(args) => metadata::print_completions(*args, console),
        Command::ManPages(args) => metadata::write_man_pages(args),
    };
    match result {
        Ok(status) => status.into(),
        Err(Fatal(message)) => {
            console.write_err(&console.format_error(None, &message));
            ExitCode::from(2)
        }
    }
}
