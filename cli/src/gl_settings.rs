//! `glasm gl --list` and `glasm gl --explain`: rules for applications, and the settings that apply
//! to one. `docs/applications.md` describes them.

use crate::args::GlArgs;
use crate::console::{Console, Fatal, Status, format_count};
#[cfg(unix)]
use glasm_settings::Setting;
use glasm_settings::rules::{Contents, SHIPPED_VARIABLE, Trust, find_shipped_file, list_files};
use glasm_settings::{Application, Effective, Resolution, Rule, RuleMatch, RuleSet, SETTINGS};
use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;

/// Prints the rules of all files, those that take precedence first. The status is a failure if a
/// file is invalid.
pub(crate) fn list_rules(console: Console) -> Result<Status, Fatal> {
    let rules = read_rules();
    let mut report = String::new();
    for file in &rules.files {
        let path = file.path.display();
        let _ = match &file.contents {
            Contents::Missing => writeln!(report, "{path}: no such file"),
            Contents::Invalid(_) => writeln!(report, "{path}: invalid, ignored"),
            Contents::Rules(list) => {
                writeln!(report, "{path}: {}", format_count(list.len(), "rule"))
            }
        };
        if let Contents::Rules(list) = &file.contents {
            list.iter()
                .rev()
                .for_each(|rule| report += &format_rule(rule));
        }
    }
    console.write_out(report)?;
    Ok(report_problems(&rules, console))
}

/// Prints which rules match an application, and the value of each setting with its source. The
/// status is a failure if a file is invalid.
pub(crate) fn explain_application(args: &GlArgs, console: Console) -> Result<Status, Fatal> {
    let rules = read_rules();
    let application = Application::from_command(&args.application);
    let variable = |name: &str| get_variable(args, name);
    let resolution = Resolution::new(&rules, &application, None, Trust::User, variable);
    let mut report = format!("application  {}\n", application.names().join(", "));
    for path in application.files() {
        let _ = writeln!(report, "file         {}", path.display());
    }
    report += "rules\n";
    report += &format_matches(&rules, &application);
    report += "settings\n";
    for effective in &resolution.settings {
        report += &format_setting(effective);
    }
    console.write_out(report)?;
    for problem in &resolution.problems {
        console.write_err(&console.format_error(None, problem));
    }
    Ok(report_problems(&rules, console))
}

/// Reads the files that the library reads in an application which this command starts.
fn read_rules() -> RuleSet {
    let own = env::current_exe().and_then(|path| path.canonicalize());
    let shipped = own.ok().and_then(|path| find_shipped_file(&path));
    let paths = list_files(Trust::User, |name| match &shipped {
        Some(file) if name == SHIPPED_VARIABLE => Some(file.clone().into_os_string()),
        Some(_) | None => env::var_os(name),
    });
    RuleSet::read_files(paths)
}

/// Returns a variable as the application gets it.
#[cfg(windows)]
fn get_variable(_: &GlArgs, name: &str) -> Option<OsString> {
    env::var_os(name)
}

/// Returns a variable as the application gets it.
#[cfg(unix)]
fn get_variable(args: &GlArgs, name: &str) -> Option<OsString> {
    match &args.vendor {
        Some(vendor) if name == Setting::Driver.info().variable => Some(vendor.clone()),
        Some(_) | None => env::var_os(name),
    }
}

/// Prints the errors of files. Returns a failure if there are any.
fn report_problems(rules: &RuleSet, console: Console) -> Status {
    let mut count = 0;
    for problem in rules.problems() {
        console.write_err(&console.format_error(None, &problem.to_string()));
        count += 1;
    }
    Status::from_failures(count)
}

/// Formats a rule: its line, its name, its criteria, and a line for each setting.
fn format_rule(rule: &Rule) -> String {
    let mut text = format!(
        "  line {}: \"{}\", {}\n",
        rule.line,
        rule.name,
        rule.describe_criteria()
    );
    for it in &rule.settings {
        let _ = writeln!(text, "    {} = {}", it.setting.info().name, it.value);
    }
    text
}

/// Formats the rules that match an application, or that match it if the class of its window does.
fn format_matches(rules: &RuleSet, application: &Application) -> String {
    let mut text = String::new();
    let mut others = 0;
    for rule in rules.rules_by_precedence() {
        let condition = match rule.compare(application, None) {
            RuleMatch::Fails => {
                others += 1;
                continue;
            }
            RuleMatch::Matches => "matches",
            RuleMatch::NeedsWindow => "matches if the window has this class",
        };
        let _ = writeln!(
            text,
            "  {}:{}: \"{}\", {}: {condition}",
            rule.file.display(),
            rule.line,
            rule.name,
            rule.describe_criteria()
        );
    }
    if text.is_empty() {
        text += "  none matches\n";
    }
    if others > 0 {
        let count = format_count(others, "other rule");
        let _ = writeln!(text, "  {count} without match");
    }
    text
}

/// Formats a setting: its name, its value, the source of the value, and the values that a window
/// may select instead.
fn format_setting(effective: &Effective) -> String {
    let width = SETTINGS.iter().map(|row| row.name.len()).max();
    let width = width.unwrap_or_default();
    let name = effective.setting.info().name;
    let mut text = format!(
        "  {name:width$}  {}  ({})\n",
        effective.format_value(),
        effective.origin
    );
    for (class, value, origin) in &effective.by_window {
        let _ = writeln!(
            text,
            "  {:width$}  {value}  if the class of the window is {class}  ({origin})",
            ""
        );
    }
    text
}
