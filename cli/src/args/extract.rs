//! Options of `glasm extract`.

use clap::Args;
use std::path::PathBuf;

/// Help after the options.
pub(super) const EXTRACT_HELP: &str = "\
Programs are found by their headers in any file: as text, in string literals of C, C++, Java, C#, Python, Lua, JSON and
others, with the entities of XML, after prefixes of lines (logs, comments), in UTF-16, and in strings of binaries.
Archives are unpacked in memory: zip, tar, gzip, xz, bzip2, zstd, 7z, packages of Debian, traces of apitrace, captures of
RenderDoc, bundles of Unity, nested ones included. Limits: 6 levels, and 64 MiB or 200 times the size of the file.

DIR receives each distinct program once, with its exact bytes from the header to END, as NNNN-LANGUAGE.EXTENSION, and
index.json and index.tsv: source, entry in archives, offset, decoding, options, remarks, whether it loads, first error.
Remarks state why the text may differ from what an application loads: placeholders of printf, unknown macros, no END.

Exit status: 0 programs were found, 1 none, 2 invalid usage.

Examples:
  glasm extract game.exe -o programs
  glasm extract ~/.wine/drive_c/Games data.pk3 -o programs --jobs 4
  glasm extract game.trace                   list without writing
  glasm extract src --json --no-check        one JSON object on each line";

/// `glasm extract`.
#[derive(Args, Debug)]
pub(crate) struct ExtractArgs {
    /// Files and directories to search
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Directory for the programs and the index, created if it does not exist; without it, programs
    /// are only listed
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Write into a directory that is not empty; files of the same name are replaced
    #[arg(long, requires = "output")]
    pub(crate) overwrite: bool,
    /// Print the entries of the index as JSON, one object on each line, and the summary as the last
    /// one
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not compile the programs to see whether they load
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Threads [default: one for each processor core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}
