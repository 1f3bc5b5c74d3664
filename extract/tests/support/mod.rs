//! Scans of files that tests write.

use glasm_extract::{FileScan, Limits, Scanner, scan_file};
use std::fs;

/// Program that the tests find.
pub(crate) const PROGRAM: &str = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND";

/// Scans a file with these contents. Tests that run at the same time use different names.
pub(crate) fn scan_with(name: &str, contents: &[u8], limits: &Limits) -> FileScan {
    let path = std::env::temp_dir().join(format!("glasm-extract-{}-{name}", std::process::id()));
    fs::write(&path, contents).unwrap();
    let scan = scan_file(&Scanner::new(), &path, limits, &|_| {}).unwrap();
    fs::remove_file(&path).unwrap();
    scan
}

/// Scans a file with these contents and the default limits.
pub(crate) fn scan(name: &str, contents: &[u8]) -> FileScan {
    scan_with(name, contents, &Limits::default())
}

/// Returns entry, offset and text of the programs.
pub(crate) fn list(scan: &FileScan) -> Vec<(&str, u64, &str)> {
    let programs = scan.programs.iter().map(|program| {
        let text = std::str::from_utf8(&program.found.text).unwrap();
        (program.entry.as_str(), program.found.offset, text)
    });
    programs.collect()
}
