//! Words that comments and documents avoid, because the field has another term: `vocabulary.tsv`
//! lists them. None may occur more often than the list says.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Directories whose comments are checked.
const CODE: [&str; 12] = [
    "analysis",
    "ci",
    "cli",
    "compiler",
    "glregistry",
    "glrunner",
    "glvendor",
    "scene",
    "scripts",
    "settings",
    "vkrunner",
    "web",
];

/// Documents and directories of documents that are checked.
const DOCUMENTS: [&str; 4] = [
    "CONTRIBUTING.md",
    "README.md",
    "compiler/ARCHITECTURE.md",
    "docs",
];

/// Maximum number of locations that a message lists.
const MAX_LISTED: usize = 30;

/// Entry of the list: phrases that are avoided.
struct Entry {
    /// Phrases as the list spells them, separated by slashes.
    phrases: String,
    instead: String,
    /// Number of occurrences that are accepted.
    accepted: usize,
}

/// Line of a comment or document.
struct Line {
    path: PathBuf,
    number: usize,
    /// Words in lower case, without those in backquotes.
    words: Vec<String>,
}

#[test]
fn words_of_the_list_do_not_spread() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let list = root.join("ci/xtask/tests/vocabulary.tsv");
    let text = std::fs::read_to_string(&list).expect("the list is readable");
    let lines = read_lines(&root);
    let index = index_by_word(&lines);
    let is_blessed = std::env::var_os("BLESS").is_some();
    let mut report = String::new();
    let mut counts = BTreeMap::new();
    for entry in text.lines().filter_map(parse_entry) {
        let found = find(&entry, &index);
        if found.len() > entry.accepted && !is_blessed {
            writeln!(
                report,
                "`{}` occurs {} times, {} are accepted; write: {}",
                entry.phrases,
                found.len(),
                entry.accepted,
                entry.instead
            )
            .expect("strings accept all text");
            for line in found.iter().take(MAX_LISTED) {
                let path = line.path.strip_prefix(&root).unwrap_or(&line.path);
                writeln!(report, "  {}:{}", path.display(), line.number)
                    .expect("strings accept all text");
            }
        }
        counts.insert(entry.phrases, found.len());
    }
    if is_blessed {
        std::fs::write(&list, with_counts(&text, &counts)).expect("the list is writable");
    }
    assert!(report.is_empty(), "{report}");
}

#[test]
fn phrases_are_found_in_words() {
    let entry = parse_entry("goes on/behind\tcontinues\t0").expect("an entry");
    let lines = [
        ("It goes on, behind `behind`.", 2),
        ("It goes, on", 0),
        ("undergoes on", 0),
    ]
    .map(|(text, count)| {
        let words = split_words(text);
        let path = PathBuf::new();
        (
            Line {
                path,
                number: 1,
                words,
            },
            count,
        )
    });
    for (line, count) in lines {
        assert_eq!(find(&entry, &index_by_word(&[line])).len(), count);
    }
    assert!(parse_entry("# a\tb\t0").is_none());
}

/// Parses a line of the list. Returns `None` for comments.
fn parse_entry(line: &str) -> Option<Entry> {
    let mut columns = line.split('\t').map(str::to_owned);
    let phrases = columns.next().filter(|it| !it.starts_with('#'))?;
    Some(Entry {
        phrases,
        instead: columns.next()?,
        accepted: columns.next()?.parse().ok()?,
    })
}

/// Returns the list with other counts.
fn with_counts(list: &str, counts: &BTreeMap<String, usize>) -> String {
    let lines = list.lines().map(|line| match parse_entry(line) {
        Some(entry) => {
            let count = counts[&entry.phrases];
            format!("{}\t{}\t{count}\n", entry.phrases, entry.instead)
        }
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// Lines by the words that they have, each as often as it has the word.
type Index<'l> = HashMap<&'l str, Vec<&'l Line>>;

fn index_by_word(lines: &[Line]) -> Index<'_> {
    let mut index = Index::new();
    for line in lines {
        for word in &line.words {
            index.entry(word).or_default().push(line);
        }
    }
    index
}

/// Returns a line for each occurrence of a phrase of the entry.
fn find<'l>(entry: &Entry, index: &Index<'l>) -> Vec<&'l Line> {
    let mut found = Vec::new();
    for phrase in entry.phrases.split('/') {
        let words: Vec<&str> = phrase.split(' ').collect();
        let mut lines = index.get(words[0]).cloned().unwrap_or_default();
        if words.len() > 1 {
            lines.dedup_by_key(|line| (&line.path, line.number));
            lines.retain(|line| line.words.windows(words.len()).any(|it| it == words));
        }
        found.extend(lines);
    }
    found
}

/// Returns the lines of all comments and documents below the root of the workspace.
fn read_lines(root: &Path) -> Vec<Line> {
    let mut lines = Vec::new();
    for directory in CODE {
        for path in find_files(&root.join(directory), "rs") {
            let in_tests = path.iter().any(|part| part == "tests" || part == "benches");
            if !in_tests {
                append_lines(&path, comment, &mut lines);
            }
        }
    }
    for document in DOCUMENTS {
        for path in find_files(&root.join(document), "md") {
            append_lines(&path, |line| Some(line), &mut lines);
        }
    }
    lines
}

/// Returns the files with an extension at or below a path.
fn find_files(path: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = WalkDir::new(path).sort_by_file_name().into_iter();
    let paths = entries.filter_map(|entry| entry.ok().map(walkdir::DirEntry::into_path));
    paths
        .filter(|path| path.extension().is_some_and(|it| it == extension))
        .collect()
}

/// Appends the lines of a file of which `select` returns a part.
fn append_lines(path: &Path, select: fn(&str) -> Option<&str>, lines: &mut Vec<Line>) {
    let text = std::fs::read_to_string(path).expect("files of the workspace are readable");
    let selected = text.lines().enumerate();
    lines.extend(selected.filter_map(|(index, line)| {
        Some(Line {
            path: path.to_owned(),
            number: index + 1,
            words: split_words(select(line)?),
        })
    }));
}

/// Returns the text of a line that is a comment.
fn comment(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?;
    Some(text.trim_start_matches(['/', '!']))
}

/// Returns the words of a line in lower case. Text in backquotes is one word.
fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('`').enumerate() {
        if index % 2 == 1 {
            words.push(String::from("`"));
            continue;
        }
        // Punctuation separates phrases.
        for word in part.split_inclusive(|it: char| !it.is_alphanumeric()) {
            let letters = word.trim_end_matches(|it: char| !it.is_alphanumeric());
            if !letters.is_empty() {
                words.push(letters.to_lowercase());
            }
            if word[letters.len()..].contains(|it: char| it.is_ascii_punctuation()) {
                words.push(String::from(","));
            }
        }
    }
    words
}
