//! The `glasm` command. `glasm help` and the module `args` say what it does.

#![forbid(unsafe_code)]

mod args;
mod batch;
mod check;
mod compile;
mod console;
mod emit;
mod explain;
#[cfg(unix)]
mod gl;
mod guard;
mod inputs;
mod programs;
#[cfg(feature = "run")]
mod report;
#[cfg(feature = "run")]
mod run;
mod validate;
use args::{Cli, Command};
use clap::Parser;
use console::{Console, Fatal};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let console = Console::new(cli.console);
    let result = match &cli.command {
        Command::Check(args) => check::check(args, console),
        Command::Compile(args) => compile::compile(args, console),
        #[cfg(feature = "run")]
        Command::Run(args) => run::run(args, console),
        #[cfg(feature = "run")]
        Command::RunWorker(args) => run::worker::work(args),
        #[cfg(feature = "run")]
        Command::RunDevices(args) => run::worker::list_devices(*args),
        #[cfg(feature = "run")]
        Command::Devices(args) => run::devices(*args, console),
        #[cfg(unix)]
        Command::Gl(args) => gl::gl(args),
        Command::Explain(args) => explain::explain(args, console),
    };
    match result {
        Ok(status) => status.into(),
        Err(Fatal(message)) => {
            console.err(&console.format_error(None, &message));
            ExitCode::from(2)
        }
    }
}
