//! Test of the former spellings of options and values, which older command lines use.

use super::Cli;
use clap::{CommandFactory, Parser};
use std::collections::BTreeSet;

/// Command lines with a former spelling, and the same ones with the present one.
const FORMER_LINES: &[(&str, &str)] = &[
    (
        "compile a --conventions opengl",
        "compile a --clip-conventions opengl",
    ),
    (
        "compile a --state fixed",
        "compile a --state-source compile-time",
    ),
    (
        "compile a --state specialized",
        "compile a --state-source spec-constant",
    ),
    (
        "compile a --state uniform",
        "compile a --state-source uniform-block",
    ),
    (
        "compile a --fast-precision",
        "compile a --skip-precision-rounding",
    ),
    (
        "compile a --exact-denormals",
        "compile a --emulate-denormal-flush",
    ),
    ("compile a --debug", "compile a --debug-info"),
    ("compile a --emit reflect", "compile a --emit reflection"),
    #[cfg(feature = "run")]
    (
        "run a --compare gl,vulkan --known k",
        "run a --compare gl,vulkan --known-differences k",
    ),
    #[cfg(feature = "run")]
    (
        "run a --compare gl,vulkan --report r",
        "run a --compare gl,vulkan --comparison-report r",
    ),
    #[cfg(feature = "run")]
    ("run a --module-dir d", "run a --dump-modules d"),
    #[cfg(feature = "run")]
    ("run a --known-modules d", "run a --skip-known-modules d"),
    #[cfg(feature = "run")]
    ("run a --through glsl", "run a --round-trip glsl"),
    #[cfg(feature = "run")]
    (
        "run a --state specialized",
        "run a --state-source spec-constant",
    ),
    #[cfg(feature = "run")]
    (
        "run a --without shaderInt64",
        "run a --disable-feature shaderInt64",
    ),
];

#[test]
fn former_options_are_synonyms() {
    let parse = |line: &str| {
        let words = std::iter::once("glasm").chain(line.split(' '));
        Cli::try_parse_from(words).map_or_else(|error| panic!("{error}"), |cli| format!("{cli:?}"))
    };
    for (former, present) in FORMER_LINES {
        assert_eq!(parse(former), parse(present), "{former}");
    }
}

/// Checks that every alias of an option or of a value is in the table, and that help shows none.
#[test]
fn every_alias_is_in_the_table() {
    let mut aliases = BTreeSet::new();
    for command in Cli::command().get_subcommands() {
        // A worker process has the options of `run`.
        let is_hidden = command.is_hide_set();
        for option in command.get_arguments().filter(|_| !is_hidden) {
            assert_eq!(option.get_visible_aliases().unwrap_or_default(), [""; 0]);
            for alias in option.get_all_aliases().unwrap_or_default() {
                aliases.insert(format!("{} a --{alias}", command.get_name()));
            }
            for value in option.get_possible_values() {
                let names = value.get_name_and_aliases().skip(1);
                aliases.extend(names.map(str::to_owned));
            }
        }
    }
    let is_listed = |alias: &String| {
        FORMER_LINES.iter().any(|(former, _)| {
            let former = former.replace(" --compare gl,vulkan", "");
            let after = former.strip_prefix(alias.as_str());
            after.is_some_and(|after| after.is_empty() || after.starts_with(' '))
                || former.ends_with(&format!(" {alias}"))
        })
    };
    let missing: Vec<_> = aliases.iter().filter(|alias| !is_listed(alias)).collect();
    assert!(missing.is_empty() && aliases.len() >= 6, "{missing:?}");
}
