//! Settings of the vendor library: from environment variables, and from rules for applications in
//! files.
//!
//! - [`table`] is the table of all settings; [`value`] are their types.
//! - [`file`](mod@file) parses a file of rules, [`rules`] finds and reads all files.
//! - [`application`] identifies an application, [`pattern`] matches its names.
//! - [`resolve`] determines which value of each setting applies, and why.
//!
//! `docs/applications.md` is the manual. A test compares its table with the one of this crate.

#![forbid(unsafe_code)]

pub mod application;
pub mod file;
pub mod pattern;
pub mod resolve;
pub mod rules;
pub mod table;
pub mod value;

pub use application::Application;
pub use file::{Problem, Rule};
pub use resolve::{Effective, Origin, Resolution, RuleMatch};
pub use rules::{RuleFile, RuleSet};
pub use table::{SETTINGS, Setting, SettingInfo};
pub use value::{Limit, LogLevel, Profile, Value};
