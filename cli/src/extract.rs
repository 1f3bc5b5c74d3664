//! `glasm extract`: finds the programs in files, directories and archives, and writes each once.

use crate::args::ExtractArgs;
use crate::batch::{STACK_SIZE, catch_panic};
use crate::console::{Console, Fatal, Status, format_count, replace_control_characters};
use glasm_extract::{
    Collection, FileScan, InputFile, Limits, Program, Scanner, Verdict, check_program, find_files,
    scan_file,
};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Files whose results are in memory before equal programs are merged.
const FILES_AT_ONCE: usize = 1024;

/// Programs, and problems, that the summary shows as examples.
const SHOWN: usize = 5;

/// Searches the inputs, writes the programs and the index, and prints a list or a summary. Returns
/// `Failed` if none is found.
pub(crate) fn extract(args: &ExtractArgs, console: Console) -> Result<Status, Fatal> {
    let is_json = args.json || console.is_json();
    if let Some(dir) = &args.output {
        prepare_output(dir, args.overwrite)?;
    }
    let threads = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK_SIZE)
        .num_threads(args.jobs.map_or(0, usize::from))
        .build()
        .map_err(|error| Fatal(format!("threads cannot be started: {error}")))?;
    let mut collection = Collection::default();
    let mut problems = Vec::new();
    let excluded = args.output.as_deref().unwrap_or(Path::new(""));
    let files = find_files(&args.inputs, excluded, &mut problems)
        .map_err(|(path, error)| Fatal::from_io(path.display(), &error))?;
    for problem in problems {
        collection.add_problem("", problem);
    }
    threads.install(|| search_files(&files, &mut collection, console, is_json));
    let verdicts = (!args.no_check).then(|| threads.install(|| check_programs(&collection)));
    let verdicts = verdicts.as_deref();
    if let Some(dir) = &args.output {
        write_output(dir, &collection, verdicts)?;
    }
    if is_json {
        console.write_out(format_json(&collection, verdicts))?;
    } else {
        report_problems(&collection, console);
        let mut text = String::new();
        if args.output.is_none() {
            text += &format_list(&collection, verdicts);
        }
        text += &format_summary(&collection, verdicts, args.output.as_deref());
        console.write_out(text)?;
    }
    Ok(Status::from_failures(usize::from(
        collection.programs().is_empty(),
    )))
}

/// Creates the output directory. One that is not empty is an error without `overwrite`: files of an
/// earlier search would be mixed with those of this one.
fn prepare_output(dir: &Path, overwrite: bool) -> Result<(), Fatal> {
    let error = |error: std::io::Error| Fatal::from_io(dir.display(), &error);
    fs::create_dir_all(dir).map_err(error)?;
    let is_empty = fs::read_dir(dir).map_err(error)?.next().is_none();
    if !is_empty && !overwrite {
        return Err(Fatal(format!(
            "{}: the directory is not empty; --overwrite writes into it",
            dir.display()
        )));
    }
    Ok(())
}

/// Searches the files in parallel, with a progress bar, and adds what they contain in the order of
/// the files. Files that cannot be read, and panics of decompressors, are problems.
fn search_files(files: &[InputFile], collection: &mut Collection, console: Console, is_json: bool) {
    let scanner = Scanner::new();
    let limits = Limits::default();
    let bar = if is_json {
        ProgressBar::hidden()
    } else {
        create_progress_bar(files, console)
    };
    let search = |file: &InputFile| {
        let report = |bytes| bar.inc(bytes);
        let done = catch_panic(|| scan_file(&scanner, &file.path, &limits, &report));
        let problem = match done {
            Ok(Ok(scan)) => return scan,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => {
                format!("internal error of glasm on this file, please report it: {panic}")
            }
        };
        FileScan {
            problems: vec![problem],
            ..FileScan::default()
        }
    };
    for group in files.chunks(FILES_AT_ONCE) {
        let files = group.par_iter().with_max_len(1);
        let scans: Vec<FileScan> = files.map(search).collect();
        for (file, scan) in group.iter().zip(scans) {
            collection.add(&file.path.display().to_string(), scan);
        }
    }
    bar.finish_and_clear();
}

/// Creates a progress bar that counts bytes.
fn create_progress_bar(files: &[InputFile], console: Console) -> ProgressBar {
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let bar = console.create_progress_bar(usize::try_from(bytes).unwrap_or(usize::MAX));
    let template = "{bar:40} {bytes}/{total_bytes}, {eta} left";
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style)
}

/// Compiles the programs in parallel.
fn check_programs(collection: &Collection) -> Vec<Verdict> {
    let check = |program: &Program| {
        catch_panic(|| check_program(program)).unwrap_or_else(|panic| Verdict {
            errors: 1,
            first_error: Some(format!("internal error of glasm: {panic}")),
            ..Verdict::default()
        })
    };
    collection.programs().par_iter().map(check).collect()
}

/// Writes the programs and the index.
fn write_output(
    dir: &Path,
    collection: &Collection,
    verdicts: Option<&[Verdict]>,
) -> Result<(), Fatal> {
    let write = |name: &str, contents: &[u8]| {
        let path = dir.join(name);
        fs::write(&path, contents).map_err(|error| Fatal::from_io(path.display(), &error))
    };
    for (index, program) in collection.programs().iter().enumerate() {
        write(&program.file_name(index + 1), &program.text)?;
    }
    let json = format!("{:#}\n", collection.to_json(verdicts));
    write("index.json", json.as_bytes())?;
    write("index.tsv", collection.to_tsv(verdicts).as_bytes())
}

/// Formats the entries of the index and the summary, one JSON object on each line.
fn format_json(collection: &Collection, verdicts: Option<&[Verdict]>) -> String {
    let index = collection.to_json(verdicts);
    let lists = ["programs", "problems"].map(|name| index[name].as_array());
    let lines = lists.into_iter().flatten().flatten();
    let mut text: String = lines.map(|line| format!("{line}\n")).collect();
    text += &format!("{}\n", index["summary"]);
    text
}

/// Prints the parts of the input that were not searched, some of them if there are many.
fn report_problems(collection: &Collection, console: Console) {
    let problems = collection.problems();
    for (source, message) in problems.iter().take(SHOWN) {
        let separator = if source.is_empty() { "" } else { ": " };
        let text = replace_control_characters(&format!("{source}{separator}{message}"));
        console.write_err(&console.format_warning(&text));
    }
    if problems.len() > SHOWN {
        let more = problems.len() - SHOWN;
        console.write_err(&console.format_warning(&format!("{more} more; index.json lists all")));
    }
}

/// Formats a line for each program: language, location, form, and whether it loads.
fn format_list(collection: &Collection, verdicts: Option<&[Verdict]>) -> String {
    let mut text = String::new();
    for (index, program) in collection.programs().iter().enumerate() {
        let first = &program.occurrences[0];
        let entry = if first.entry.is_empty() {
            String::new()
        } else {
            format!("!/{}", first.entry)
        };
        let others = match program.occurrences.len() - 1 {
            0 => String::new(),
            count => format!(", {count} more"),
        };
        let verdict = match verdicts.and_then(|all| all.get(index)) {
            None => String::new(),
            Some(verdict) => match &verdict.first_error {
                None => "  loads".to_owned(),
                Some(error) => format!("  {error}"),
            },
        };
        let line = format!(
            "{:<10} {}{entry} at {} ({}{others}){verdict}",
            program.dialect.header(),
            first.source,
            first.offset,
            first.decoding
        );
        text += &replace_control_characters(&line.replace('\n', " "));
        text.push('\n');
    }
    text
}

/// Formats the numbers of files, programs and languages, and examples of programs that do not load.
fn format_summary(
    collection: &Collection,
    verdicts: Option<&[Verdict]>,
    output: Option<&Path>,
) -> String {
    let programs = collection.programs();
    let summary = collection.summary(verdicts);
    let number = |name: &str| usize::try_from(summary[name].as_u64().unwrap_or(0)).unwrap_or(0);
    let mut text = format!(
        "{}, {} searched: {}",
        format_count(number("files"), "file"),
        indicatif::HumanBytes(number("bytes") as u64),
        format_count(programs.len(), "program")
    );
    if number("occurrences") > programs.len() {
        text += &format!(" in {} occurrences", number("occurrences"));
    }
    text.push('\n');
    let mut languages = BTreeMap::new();
    for program in programs {
        *languages.entry(program.dialect.header()).or_insert(0_usize) += 1;
    }
    for (language, count) in languages {
        text += &format!("  {language:<10} {count}\n");
    }
    if programs.len() > number("complete") {
        text += &format!("{} without END\n", programs.len() - number("complete"));
    }
    if let Some(verdicts) = verdicts.filter(|all| !all.is_empty()) {
        let failing = verdicts.iter().enumerate().filter(|(_, it)| !it.loads);
        let failing: Vec<_> = failing.collect();
        text += &format!("{} load, {} fail", number("loading"), failing.len());
        text += if failing.is_empty() {
            "\n"
        } else {
            ", for example\n"
        };
        for (index, verdict) in failing.into_iter().take(SHOWN) {
            let error = verdict.first_error.as_deref().unwrap_or_default();
            let name = programs[index].file_name(index + 1);
            text += &format!("  {name}: {}\n", replace_control_characters(error));
        }
    }
    if number("other_headers") > 0 {
        let count = format_count(number("other_headers"), "header");
        text += &format!(
            "{count} without a program: comparisons, documents, text that is composed at run time\n"
        );
    }
    if let Some(dir) = output {
        text += &format!("{}\n", dir.join("index.tsv").display());
    }
    text
}
