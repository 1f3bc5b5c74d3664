//! The settings of this process: those that apply before a window is known, and those that apply
//! since the class of the first window is known.

use crate::ffi::is_privileged;
use crate::log;
#[cfg(unix)]
use glasm_settings::RuleMatch;
use glasm_settings::rules::Trust;
use glasm_settings::{Application, Resolution, RuleSet};
use std::sync::{LazyLock, Once, OnceLock};

/// Rules of all files, and the application that they are compared with.
static RULES: LazyLock<(RuleSet, Application)> =
    LazyLock::new(|| (RuleSet::read(trust()), Application::current()));

static WITHOUT_WINDOW: LazyLock<Resolution> = LazyLock::new(|| resolve(None));
static WITH_WINDOW: OnceLock<Resolution> = OnceLock::new();

/// Returns whether this process trusts its user.
fn trust() -> Trust {
    if is_privileged() {
        Trust::System
    } else {
        Trust::User
    }
}

/// Determines all settings for a class of the window, if it is known.
fn resolve(window_class: Option<&str>) -> Resolution {
    let (rules, application) = &*RULES;
    let variable = |name: &str| std::env::var_os(name);
    Resolution::new(rules, application, window_class, trust(), variable)
}

/// Returns the settings that do not depend on windows. They are determined at the first call.
pub(crate) fn initial() -> &'static Resolution {
    &WITHOUT_WINDOW
}

/// Returns the settings that apply now.
#[inline]
pub(crate) fn current() -> &'static Resolution {
    WITH_WINDOW.get().unwrap_or_else(|| &WITHOUT_WINDOW)
}

/// Logs the errors of files of rules and of variables, once.
pub(crate) fn report_problems() {
    static REPORTED: Once = Once::new();
    REPORTED.call_once(|| {
        RULES.0.problems().for_each(log::error);
        initial().problems.iter().for_each(log::error);
    });
}

/// Returns true if a rule of this application has a window class, and the class is not known.
#[cfg(unix)]
pub(crate) fn needs_window_class() -> bool {
    static HAS_RULES: LazyLock<bool> = LazyLock::new(|| {
        let (rules, application) = &*RULES;
        let mut rules = rules.rules_by_precedence();
        rules.any(|rule| rule.compare(application, None) == RuleMatch::NeedsWindow)
    });
    WITH_WINDOW.get().is_none() && *HAS_RULES
}

/// Sets the class of the window, which changes the settings that are read from now on. Does nothing
/// if a class was set.
#[cfg(unix)]
pub(crate) fn set_window_class(class: &str) {
    WITH_WINDOW.get_or_init(|| resolve(Some(class)));
}
