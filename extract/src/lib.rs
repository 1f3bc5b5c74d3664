//! Finds the programs of all languages of glasm in executables, archives, caches, logs and sources.
//!
//! [`Scanner`] finds the programs in data: a header begins a program, `END` ends it, and the text
//! around the header shows how it is written. [`scan_file`] unpacks archives in addition, with
//! [`Limits`]. [`Collection`] contains each program once, and writes the index.
//!
//! No function panics or hangs regardless of the data, except that a decompressor of another crate
//! may panic; callers who scan hostile files catch that.

#![deny(unsafe_op_in_unsafe_fn)]

mod bundle;
mod capture;
mod collection;
mod container;
mod files;
mod form;
mod limits;
mod literal;
mod map;
mod recognizer;
mod scan;
mod search;
mod utf16;
mod verbatim;

pub use collection::{Collection, Occurrence, Program, Verdict, check_program};
pub use files::{FileProgram, FileScan, InputFile, find_files, scan_file};
pub use form::{Decoding, Encoding, Form, Note};
pub use limits::Limits;
pub use recognizer::SourceRun;
pub use scan::{Found, Scan, Scanner, remove_overlaps};
