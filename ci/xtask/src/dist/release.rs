//! Version, time and compression of the files of a release.

use anyhow::{Context as _, Result};
use glasm_ci_support::shell;
use std::process::Command;

/// Version and time of a release.
pub(super) struct Release {
    /// Version of all packages.
    pub(super) version: String,
    /// Timestamp of all files in seconds.
    pub(super) epoch: u64,
    /// Level of compression, 0 to 9.
    pub(super) compression: u8,
}

impl Release {
    /// Returns the release of the current commit.
    pub(super) fn read(compression: u8) -> Result<Self> {
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            epoch: read_epoch()?,
            compression,
        })
    }
}

/// Returns the timestamp of all files: `SOURCE_DATE_EPOCH`, otherwise that of the commit.
fn read_epoch() -> Result<u64> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => {
            let mut git = Command::new("git");
            let output = shell::read_checked_output(git.args(["log", "-1", "--format=%ct"]))?;
            String::from_utf8_lossy(&output).into_owned()
        }
    };
    let text = text.trim();
    text.parse()
        .with_context(|| format!("SOURCE_DATE_EPOCH is not a number of seconds: {text:?}"))
}
