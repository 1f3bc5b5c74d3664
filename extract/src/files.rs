//! Files and directories.

use crate::container::{Format, MAX_PROGRAMS, TOO_MANY_PROGRAMS, Walk};
use crate::limits::Limits;
use crate::map::FileData;
use crate::scan::{Found, Scanner, remove_overlaps};
use rayon::prelude::*;
use std::io;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Bytes of a file that one thread scans at a time.
const PART: usize = 16 << 20;

/// Bytes at the end of a file in which the directory of a zip archive is searched.
const MAX_ZIP_END: usize = 66 << 10;

/// A file to search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputFile {
    /// Its path.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A program in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileProgram {
    /// Names of the archive entries that contain it, separated by `!/`; empty outside of archives.
    pub entry: String,
    /// The program; its offset is that in the innermost entry.
    pub found: Found,
}

/// Result of the search in a file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FileScan {
    /// The programs, by entry and offset.
    pub programs: Vec<FileProgram>,
    /// Number of headers without a program.
    pub other_headers: u64,
    /// Parts that were not searched, with the reasons.
    pub problems: Vec<String>,
    /// Bytes that were searched, unpacked ones included.
    pub bytes: u64,
}

/// Returns the files below the paths, those of directories sorted by path, hidden ones included.
/// Symbolic links in directories are not followed. Files below `excluded` are left out. Directories
/// that cannot be read are added to `problems`.
///
/// # Errors
/// If a path does not exist, with the path.
pub fn find_files(
    paths: &[PathBuf],
    excluded: &Path,
    problems: &mut Vec<String>,
) -> Result<Vec<InputFile>, (PathBuf, io::Error)> {
    let excluded = std::fs::canonicalize(excluded).ok();
    let is_excluded =
        |path: &Path| excluded.is_some() && std::fs::canonicalize(path).ok() == excluded;
    let mut files = Vec::new();
    for path in paths {
        let metadata = std::fs::metadata(path).map_err(|error| (path.clone(), error))?;
        if !metadata.is_dir() {
            files.push(InputFile {
                path: path.clone(),
                bytes: metadata.len(),
            });
            continue;
        }
        let entries = WalkDir::new(path).sort_by_file_name().into_iter();
        let is_searched =
            |entry: &walkdir::DirEntry| !entry.file_type().is_dir() || !is_excluded(entry.path());
        for entry in entries.filter_entry(is_searched) {
            match entry.and_then(|entry| entry.metadata().map(|metadata| (entry, metadata))) {
                Ok((entry, metadata)) if metadata.is_file() => files.push(InputFile {
                    path: entry.into_path(),
                    bytes: metadata.len(),
                }),
                Ok(_) => {}
                Err(error) => problems.push(error.to_string()),
            }
        }
    }
    Ok(files)
}

/// Searches a file, and the archives in it. Parts of large files are searched in parallel, on the
/// threads of the current pool of rayon. `report_bytes` is called with the number of bytes of the
/// file that are done.
///
/// # Errors
/// If the file cannot be opened or read.
pub fn scan_file(
    scanner: &Scanner,
    path: &Path,
    limits: &Limits,
    report_bytes: &(dyn Fn(u64) + Sync),
) -> io::Result<FileScan> {
    let data = FileData::open(path)?;
    let format = Format::detect(&data);
    let mut result = FileScan::default();
    let mut is_unpacked = false;
    if format != Format::Data || has_zip_directory(&data) {
        is_unpacked = walk_archive(scanner, &data, format, limits, &mut result);
    }
    // A file that merely looks like an archive, or has one at its end, is searched itself.
    if format == Format::Data || !is_unpacked && result.programs.is_empty() {
        scan_data(scanner, &data, report_bytes, &mut result);
    } else {
        report_bytes(data.len() as u64);
    }
    Ok(result)
}

/// Searches an archive, and returns true if it is one.
fn walk_archive(
    scanner: &Scanner,
    data: &[u8],
    format: Format,
    limits: &Limits,
    result: &mut FileScan,
) -> bool {
    let mut walk = Walk::new(scanner, limits, data.len() as u64);
    let walked = match format {
        Format::SevenZip | Format::Zip | Format::UnityFs | Format::Data => {
            walk.walk_random_access(format, data)
        }
        Format::Gzip
        | Format::Xz
        | Format::Bzip2
        | Format::Zstd
        | Format::Tar
        | Format::Debian
        | Format::RenderDoc
        | Format::Apitrace => walk.walk(&mut &*data),
    };
    let is_whole = walked.is_ok();
    if let Err(error) = walked {
        // A program with bytes of an archive's directory in it is not an archive.
        if format != Format::Data && walk.findings.problems.is_empty() {
            walk.report(error);
        }
    }
    let findings = walk.findings;
    let programs = findings.programs.into_iter();
    result
        .programs
        .extend(programs.map(|(entry, found)| FileProgram { entry, found }));
    result.other_headers += findings.other_headers;
    result.problems.extend(findings.problems);
    result.bytes += findings.bytes;
    is_whole
}

/// Returns true if the directory of a zip archive seems to be at the end of the data, as in
/// installers that unpack themselves.
fn has_zip_directory(data: &[u8]) -> bool {
    let end = &data[data.len().saturating_sub(MAX_ZIP_END)..];
    memchr::memmem::rfind(end, b"PK\x05\x06").is_some()
}

/// Searches data that is not an archive, in parts.
fn scan_data(
    scanner: &Scanner,
    data: &[u8],
    report_bytes: &(dyn Fn(u64) + Sync),
    result: &mut FileScan,
) {
    let parts = (0..data.len().div_ceil(PART)).into_par_iter();
    let scans: Vec<_> = parts
        .map(|part| {
            let range = part * PART..data.len().min((part + 1) * PART);
            let length = range.len() as u64;
            let scan = scanner.scan_range(data, range);
            report_bytes(length);
            scan
        })
        .collect();
    let mut programs = Vec::new();
    let mut is_cut = false;
    for scan in scans {
        result.other_headers += scan.other_headers;
        is_cut |= scan.is_cut;
        programs.extend(scan.programs);
    }
    if is_cut || programs.len() > MAX_PROGRAMS {
        result.problems.push(TOO_MANY_PROGRAMS.to_owned());
        programs.truncate(MAX_PROGRAMS);
    }
    remove_overlaps(&mut programs);
    let programs = programs.into_iter().map(|found| FileProgram {
        entry: String::new(),
        found,
    });
    result.programs.extend(programs);
    result.bytes += data.len() as u64;
}
