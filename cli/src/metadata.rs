//! Descriptions for users and packages: explanations of names, the version of the command with commit
//! and features, which reports of problems need, and the files for shells and `man`, which are
//! generated from the command line.

use crate::args::{Cli, CompletionsArgs, ExplainArgs, ManPagesArgs};
use crate::console::{Console, Fatal, Status};
use clap::CommandFactory as _;
use glasm_analysis::explain;
use std::sync::LazyLock;

/// Optional features of this build, in alphabetical order.
const FEATURES: &[(&str, bool)] = &[
    ("run", cfg!(feature = "run")),
    ("serve", cfg!(feature = "serve")),
    ("spirv-cross", cfg!(feature = "spirv-cross")),
    ("spirv-tools", cfg!(feature = "spirv-tools")),
    ("translate", cfg!(feature = "translate")),
];

/// Version, commit and features.
pub(crate) static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    format_version(
        env!("CARGO_PKG_VERSION"),
        option_env!("GLASM_COMMIT"),
        FEATURES,
    )
});

/// Formats a version with the commit, if it is known, and the features that are enabled.
fn format_version(version: &str, commit: Option<&str>, features: &[(&str, bool)]) -> String {
    let enabled = features.iter().filter(|(_, is_enabled)| *is_enabled);
    let names: Vec<&str> = enabled.map(|(name, _)| *name).collect();
    let names = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    let commit = commit.unwrap_or("unknown");
    format!("{version}\ncommit: {commit}\nfeatures: {names}")
}

/// Prints the entries of a name, the names of a group or those that begin with a part of a binding;
/// without a topic all names. Returns an error with similar names if it is unknown.
pub(crate) fn print_explanation(args: &ExplainArgs, console: Console) -> Result<Status, Fatal> {
    let answer = explain::explain(args.topic.as_deref()).map_err(Fatal)?;
    console.write_out(if console.is_json() {
        answer.format_json()
    } else {
        answer.format_text()
    })?;
    Ok(Status::Success)
}

/// Prints the completion script of a shell.
pub(crate) fn print_completions(args: CompletionsArgs, console: Console) -> Result<Status, Fatal> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "glasm", &mut script);
    console.write_out(script)?;
    Ok(Status::Success)
}

/// Writes `glasm.1`, and a page such as `glasm-check.1` for each command that is not hidden.
pub(crate) fn write_man_pages(args: &ManPagesArgs) -> Result<Status, Fatal> {
    clap_mangen::generate_to(Cli::command(), &args.directory)
        .map_err(|error| Fatal::from_io(args.directory.display(), &error))?;
    Ok(Status::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_name_commit_and_enabled_features() {
        let features = [("a", true), ("b", false), ("c", true)];
        assert_eq!(
            format_version("1.2.3", Some("0123abcd"), &features),
            "1.2.3\ncommit: 0123abcd\nfeatures: a, c"
        );
        assert_eq!(
            format_version("1.2.3", None, &[("b", false)]),
            "1.2.3\ncommit: unknown\nfeatures: none"
        );
    }
}
