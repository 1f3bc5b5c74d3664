//! `docs/support.md`: proved features of each language, and reasons for the others.
//!
//! The page follows from the feature lists, from the claims of scripts and their results on the
//! drivers of the suite, and from two manually maintained tables in `tests/features/support`:
//! titles of languages and areas, and notes on features. It contains nothing that differs from run
//! to run, so that `cargo xtask test` can check that it is up to date.

mod drivers;
mod reasons;
mod texts;

use crate::drivers::record::Record;
use crate::features::{self, Coverage, Features, Row, group};
use crate::suite;
use anyhow::{Context, Result, ensure};
use drivers::{Column, Drivers};
use glasm_ci_support::report::ScriptResult;
use reasons::{Reason, Reasons, shortened};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use texts::{NoteKind, TEXTS, Texts};

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Page.
const PAGE: &str = "docs/support.md";

/// Command that updates the page.
const REFRESH: &str = "cargo xtask coverage --write-support";

/// Lists of more rows than this are folded.
const UNFOLDED: usize = 8;

/// Address of the specifications of OpenGL extensions.
const REGISTRY: &str = "https://registry.khronos.org/OpenGL/extensions";

/// Notes that the page has, with the titles of their sections and of their columns.
const NOTES: &[(NoteKind, [&str; 2])] = &[
    (NoteKind::Emulated, ["Emulated", "method and cost"]),
    (
        NoteKind::Decided,
        [
            "Decided",
            "decision where the specifications leave a choice",
        ],
    ),
    (
        NoteKind::Unseen,
        [
            "Not observable",
            "reason why scripts cannot observe the effect",
        ],
    ),
];

/// Comparison of the page with the results of the scripts.
pub(crate) enum Verdict {
    /// The page is up to date.
    Current,
    /// The page is outdated; the string says how to update it.
    Outdated(String),
    /// Unknown, with the reason.
    Unknown(String),
}

/// Writes the page.
pub(crate) fn write(results: &[ScriptResult]) -> Result<()> {
    let absent = absent_drivers(results);
    ensure!(
        absent.is_empty(),
        "{PAGE} is about the whole suite; no results of {}",
        absent.join(" and ")
    );
    std::fs::write(PAGE, generate(results)?).with_context(|| format!("writing {PAGE}"))?;
    println!("wrote {PAGE}");
    Ok(())
}

/// Compares the page with its expected contents.
pub(crate) fn check(results: &[ScriptResult]) -> Result<Verdict> {
    let absent = absent_drivers(results);
    if !absent.is_empty() {
        let absent = absent.join(" and ");
        return Ok(Verdict::Unknown(format!(
            "{PAGE} cannot be checked without {absent}"
        )));
    }
    let expected = generate(results)?;
    let found = std::fs::read_to_string(PAGE).unwrap_or_default();
    if found == expected {
        return Ok(Verdict::Current);
    }
    let difference = first_difference(&found, &expected);
    Ok(Verdict::Outdated(format!(
        "{PAGE} is not what the scripts prove here:\n{difference}refresh it with `{REFRESH}`, or find out what the drivers here can do that others cannot"
    )))
}

/// Returns the drivers of the suite without a result.
fn absent_drivers(results: &[ScriptResult]) -> Vec<&'static str> {
    let there: BTreeSet<&str> = results.iter().map(|result| &*result.driver).collect();
    let names = suite::drivers().map(|(name, _)| name);
    names
        .into_iter()
        .filter(|name| !there.contains(name))
        .collect()
}

/// Returns the first lines that differ.
fn first_difference(found: &str, expected: &str) -> String {
    let (mut found, mut expected) = (found.lines(), expected.lines());
    loop {
        match (found.next(), expected.next()) {
            (None, None) => return String::new(),
            (old, new) if old == new => {}
            (old, new) => {
                let [old, new] = [old, new].map(Option::unwrap_or_default);
                return format!("  there: {old}\n  here:  {new}\n");
            }
        }
    }
}

fn generate(results: &[ScriptResult]) -> Result<String> {
    let features = Features::load()?;
    let coverage = features::join(&features, results);
    let texts = Texts::load(&features, &coverage)?;
    let records = Record::load_all()?;
    let drivers = Drivers::new(results, &records);
    Ok(page(&features, &coverage, &texts, &drivers))
}

fn page(
    features: &Features,
    coverage: &Coverage<'_>,
    texts: &Texts,
    drivers: &Drivers<'_>,
) -> String {
    let mut text = String::new();
    let columns = drivers.columns(features);
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let _ = write!(
        text,
        "# Support\n\n\
         This page lists which features of each language work, and the reasons why the others do not. A feature *works* (is *proved*) if a script runs a\n\
         program that uses it and finds the values that the specification requires, on at least one of two Vulkan drivers for CPUs, lavapipe and\n\
         SwiftShader, and fails on neither.\n\n\
         - A *feature* is an entry of the lists in [tests/features](../tests/features), which define it and name the section that specifies it.\n\
         - A *variant* is one case of a feature, such as a data type or a texture target.\n\n\
         Each driver has a column with the number of variants that it proves on its own. Versions of Mesa newer than that of lavapipe are counted from\n\
         records in [tests/drivers](../tests/drivers/README.md). Other terms are defined in the [glossary](glossary.md).\n\n\
         <!-- Written by `{REFRESH}`; do not edit. Titles and notes: {TEXTS}. -->\n\n\
         | language | features | variants | | {} |\n|---|--:|--:|--:{}|\n",
        names.join(" | "),
        "|--:".repeat(names.len())
    );
    let languages = features.languages();
    let mut languages: Vec<(&str, &[&Row])> = languages
        .iter()
        .map(|(id, rows)| (*id, rows.as_slice()))
        .collect();
    // Languages with the largest share first; ties are ordered by name.
    languages.sort_by_key(|(_, rows)| std::cmp::Reverse(coverage.share(rows).rows[0]));
    for (id, rows) in &languages {
        let share = coverage.share(rows);
        let done = match share.claims[0] {
            0 => "not supported yet".to_owned(),
            _ => format!("{:.1} %", share.percent()),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {done} | {} |",
            texts.title(id),
            counts(coverage, rows),
            proved(&columns, rows)
        );
    }
    let mut specs = BTreeSet::new();
    for (id, rows) in languages
        .iter()
        .filter(|(_, rows)| coverage.share(rows).claims[0] > 0)
    {
        let _ = write!(text, "\n## {}\n", texts.title(id));
        areas(&mut text, rows, coverage, texts, &mut specs);
        not_proved(&mut text, rows, &Reasons::new(features, coverage, texts));
        needs(&mut text, rows, coverage);
        for (kind, headings) in NOTES {
            notes(&mut text, id, texts, *kind, *headings);
        }
    }
    drivers.write_differences(&mut text);
    text.push('\n');
    for name in specs {
        let vendor = name.split('_').next().unwrap_or_default();
        let _ = writeln!(text, "[{name}]: {REGISTRY}/{vendor}/{name}.txt");
    }
    text
}

/// Formats `871 of 1041 | 2310 of 2652`.
fn counts(coverage: &Coverage<'_>, rows: &[&Row]) -> String {
    let share = coverage.share(rows);
    let [rows, claims] = [share.rows, share.claims].map(|[some, all]| format!("{some} of {all}"));
    format!("{rows} | {claims}")
}

/// Returns the numbers of variants that each driver proves: `2310 | 2204`.
fn proved(columns: &[Column<'_>], rows: &[&Row]) -> String {
    let counts = columns.iter().map(|column| column.count(rows).to_string());
    counts.collect::<Vec<_>>().join(" | ")
}

/// Writes the table of the areas of a language.
fn areas<'a>(
    text: &mut String,
    rows: &[&'a Row],
    coverage: &Coverage<'_>,
    texts: &Texts,
    specs: &mut BTreeSet<&'a str>,
) {
    text.push_str(
        "\n| area | ids | features | variants | specifications |\n|---|---|--:|--:|---|\n",
    );
    for (id, rows) in group(rows.iter().copied(), Row::area) {
        let named = specifications(&rows);
        let links: Vec<String> = named.iter().map(|name| format!("[{name}]")).collect();
        specs.extend(named);
        let _ = writeln!(
            text,
            "| {} | `{id}` | {} | {} |",
            texts.title(id),
            counts(coverage, &rows),
            links.join(", ")
        );
    }
}

/// Returns the extensions that specify most of these rows: those that more than a tenth of them
/// name.
fn specifications<'a>(rows: &[&'a Row]) -> Vec<&'a str> {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        let words = row.spec.split([' ', ',', ';', '(', ')']);
        let files: BTreeSet<&str> = words.filter_map(|word| word.strip_suffix(".txt")).collect();
        for name in files {
            *names.entry(name).or_default() += 1;
        }
    }
    let mut names: Vec<(&str, usize)> = names.into_iter().collect();
    names.retain(|(_, count)| count * 10 > rows.len());
    names.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    names.into_iter().map(|(name, _)| name).collect()
}

/// Writes the features that are not proved, by reason.
fn not_proved(text: &mut String, rows: &[&Row], reasons: &Reasons<'_>) {
    let mut groups: BTreeMap<Reason, Vec<String>> = BTreeMap::new();
    for row in rows {
        let mut open: BTreeMap<Reason, Vec<&str>> = BTreeMap::new();
        for claim in row
            .claims
            .iter()
            .filter(|claim| !reasons.coverage.covers(claim))
        {
            let variant = claim.split_once('/').map_or("", |(_, variant)| variant);
            open.entry(reasons.of(row, claim))
                .or_default()
                .push(variant);
        }
        for (reason, variants) in open {
            let entry = if variants.len() == row.claims.len() {
                format!("`{}`", row.id)
            } else {
                format!("`{}`: {}", row.id, variants.join(", "))
            };
            groups.entry(reason).or_default().push(entry);
        }
    }
    if groups.is_empty() {
        return;
    }
    text.push_str("\n### Not proved\n");
    for (reason, entries) in groups {
        let heading = reasons.heading(&reason);
        let _ = writeln!(text, "\n**{heading}**\n");
        let folded = entries.len() > UNFOLDED;
        if folded {
            let _ = writeln!(text, "<details><summary>{} rows</summary>\n", entries.len());
        }
        for entry in entries {
            let _ = writeln!(text, "- {entry}");
        }
        if folded {
            text.push_str("\n</details>\n");
        }
    }
}

/// Writes the features that only one driver proves, by the requirements that the other does not
/// meet.
fn needs(text: &mut String, rows: &[&Row], coverage: &Coverage<'_>) {
    let mut needs: BTreeMap<(String, &str), BTreeMap<&str, usize>> = BTreeMap::new();
    for row in rows {
        for standing in row
            .claims
            .iter()
            .filter_map(|claim| coverage.standings.get(&**claim))
        {
            if standing.passed.is_empty() {
                continue;
            }
            let elsewhere = |driver: &&str| !standing.passed.contains(driver);
            for driver in standing.skipped.keys().filter(|driver| elsewhere(driver)) {
                let reasons = standing.skipped[driver]
                    .iter()
                    .map(|reason| shortened(reason));
                let things: BTreeSet<String> = reasons
                    .filter_map(|reason| Some(reason.strip_prefix("lacks ")?.to_owned()))
                    .collect();
                for thing in things {
                    *needs
                        .entry((thing, *driver))
                        .or_default()
                        .entry(row.area())
                        .or_default() += 1;
                }
            }
        }
    }
    if needs.is_empty() {
        return;
    }
    text.push_str(
        "\n### Proved on one driver\n\n\
         The other driver lacks a feature that the programs, or the scripts that contain them, require.\n\n\
         | need | lacking in | variants |\n|---|---|---|\n",
    );
    for ((thing, driver), areas) in needs {
        let areas: Vec<String> = areas
            .iter()
            .map(|(area, count)| format!("`{area}` {count}"))
            .collect();
        let _ = writeln!(text, "| {thing} | {driver} | {} |", areas.join(", "));
    }
}

/// Writes the notes of one kind on a language.
fn notes(
    text: &mut String,
    language: &str,
    texts: &Texts,
    kind: NoteKind,
    [title, column]: [&str; 2],
) {
    let of_language = |pattern: &String| pattern.split('.').next() == Some(language);
    let mut notes = texts
        .notes
        .iter()
        .filter(|note| note.kind == kind && note.patterns.iter().any(of_language))
        .peekable();
    if notes.peek().is_none() {
        return;
    }
    let _ = write!(text, "\n### {title}\n\n| ids | {column} |\n|---|---|\n");
    for note in notes {
        let ids: Vec<String> = note
            .patterns
            .iter()
            .map(|pattern| format!("`{pattern}`"))
            .collect();
        let _ = writeln!(text, "| {} | {} |", ids.join(" "), note.text);
    }
}

#[cfg(test)]
mod tests {
    use super::drivers::Drivers;
    use super::texts::{Texts, parse_note};
    use super::{first_difference, page};
    use crate::features::{Features, join, parse_table};
    use glasm_ci_support::report::{Outcome, ScriptResult};
    use std::collections::BTreeMap;

    const LIST: &str = "id\theaders\tvariants\tsummary\tspec\n\
                        gp.header.NVfp5.0\tfp5.0\t-\tloads\tNV_gpu_program5.txt 2.X.2\n\
                        gp.header.NVgp5.0\tgp5.0\t-\tloads\tNV_gpu_program5.txt 2.X.2\n\
                        gp.op.ADD\tall5\tF,S64\tadds\tNV_gpu_program5.txt 2.X.8\n\
                        gp.op.EMIT\tgp5.0\t-\temits\tx\n\
                        gp.op.KIL\tfp5.0\t-\tkills\tx\n\
                        arb.op.MUL\tall\t-\tmultiplies\tx\n";

    fn features() -> Features {
        let mut features = Features::default();
        features.add(&parse_table(LIST).unwrap());
        features
    }

    fn texts(notes: &[[&str; 3]]) -> Texts {
        let titles =
            ["gp", "gp.header", "gp.op", "arb", "arb.op"].map(|id| (id, format!("<{id}>")));
        let note = |note: &[&str; 3]| parse_note(note.map(str::to_owned)).unwrap();
        Texts {
            titles: titles
                .map(|(id, title)| (id.to_owned(), title))
                .into_iter()
                .collect::<BTreeMap<_, _>>(),
            notes: notes.iter().map(note).collect(),
        }
    }

    /// Returns a script that passes on A. On B it passes, too, or is skipped for a reason.
    fn script(covers: &str, reasons: [&str; 2]) -> [ScriptResult; 2] {
        ["A", "B"].map(|driver| {
            let reason = reasons[usize::from(driver == "B")];
            ScriptResult {
                script: covers.to_owned(),
                driver: driver.to_owned(),
                outcome: match reason {
                    "" => Outcome::Pass,
                    _ => Outcome::Skip,
                },
                covers: vec![covers.to_owned()],
                reason: reason.to_owned(),
                ..ScriptResult::default()
            }
        })
    }

    fn written(results: &[ScriptResult], notes: &[[&str; 3]]) -> String {
        let features = features();
        let drivers = Drivers::new(results, &[]);
        page(
            &features,
            &join(&features, results),
            &texts(notes),
            &drivers,
        )
    }

    #[test]
    fn the_page_tells_why_something_is_not_proved() {
        let lacks = "the device lacks shaderInt64";
        let results = [
            script("gp.header.NVfp5.0", ["", ""]),
            script("gp.op.ADD/F", ["", lacks]),
            script(
                "gp.op.ADD/S64",
                [
                    lacks,
                    "the compute program: the device lacks the feature shaderInt64",
                ],
            ),
        ]
        .concat();
        let text = written(&results, &[]);
        for expected in [
            "| <gp> | 1 of 5 | 2 of 6 | 20.0 % | 2 | 1 |\n",
            "| <arb> | 0 of 1 | 0 of 1 | not supported yet | 0 | 0 |\n",
            "| <gp.op> | `gp.op` | 0 of 3 | 1 of 4 | [NV_gpu_program5] |\n",
            "**No driver of the suite has `shaderInt64`**\n\n- `gp.op.ADD`: S64\n",
            "**No script proves it yet**\n\n- `gp.op.KIL`\n",
            "**Programs that do not load yet: `!!NVgp5.0`**\n\n- `gp.header.NVgp5.0`\n- `gp.op.EMIT`\n",
            "| `shaderInt64` | B | `gp.op` 1 |\n",
            "extensions/NV/NV_gpu_program5.txt\n",
        ] {
            assert!(text.contains(expected), "{expected} is not in\n{text}");
        }
        assert!(!text.contains("## <arb>"));
    }

    #[test]
    fn notes_stand_where_they_belong() {
        let results = script("gp.op.ADD/F", ["", ""]);
        let notes = [
            ["gp.op.ADD/S64", "open", "It takes too long"],
            ["gp.op.K*", "emulated", "slowly"],
        ];
        let text = written(&results, &notes);
        for expected in [
            "**It takes too long**\n\n- `gp.op.ADD`: S64\n",
            "### Emulated\n\n| ids | method and cost |\n|---|---|\n| `gp.op.K*` | slowly |\n",
        ] {
            assert!(text.contains(expected), "{expected} is not in\n{text}");
        }
    }

    #[test]
    fn notes_that_are_out_of_date_are_errors() {
        let features = features();
        let results = script("gp.op.ADD/F", ["", ""]);
        let coverage = join(&features, &results);
        let check = |note| texts(&[note]).check(&features, &coverage);
        assert!(check(["gp.op.ADD", "open", "x"]).is_ok());
        assert!(check(["gp.op.ADD/F", "open", "x"]).is_err());
        assert!(check(["gp.op.SUB", "emulated", "x"]).is_err());
        assert!(parse_note(["gp.op.ADD", "maybe", "x"].map(str::to_owned)).is_err());
    }

    #[test]
    fn a_difference_shows_both_lines() {
        assert_eq!(first_difference("a\nb", "a\nc"), "  there: b\n  here:  c\n");
        assert_eq!(first_difference("a", "a\nb"), "  there: \n  here:  b\n");
    }
}
