//! `docs/support.md`: proved features of each language, and reasons for the others.
//!
//! The page follows from the feature lists, from the claims of scripts and their results on the
//! drivers of the suite, and from two manually maintained tables in `tests/features/support`:
//! titles of languages and areas, and notes on features. It contains nothing that differs from run
//! to run, so that `cargo xtask test` can check that it is up to date.

mod drivers;
mod notes;

use crate::drivers::record::DriverRecord;
use crate::features::{self, Coverage, FeatureRow, Features, group_by};
use crate::suite;
use anyhow::{Context, Result, ensure};
use drivers::{DriverColumn, Drivers};
use glasm_ci_support::report::ScriptResult;
use notes::{GapReason, Reasons, shorten_reason};
use notes::{NoteKind, SupportTables, TABLES_DIR};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Page.
const PAGE: &str = "docs/support.md";

/// Command that updates the page.
const REFRESH: &str = "cargo xtask coverage --write-support";

/// Lists of more entries than this are folded.
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
pub(crate) enum PageStatus {
    /// The page is up to date.
    Current,
    /// The page is outdated; the string says how to update it.
    Outdated(String),
    /// Unknown, with the reason.
    Unknown(String),
}

/// Writes the support page. Fails without results of all drivers of the suite.
pub(crate) fn write_page(results: &[ScriptResult]) -> Result<()> {
    let absent = find_absent_drivers(results);
    ensure!(
        absent.is_empty(),
        "{PAGE} is about the whole suite; no results of {}",
        absent.join(" and ")
    );
    std::fs::write(PAGE, generate_page(results)?).with_context(|| format!("writing {PAGE}"))?;
    println!("wrote {PAGE}");
    Ok(())
}

/// Compares the support page with the one generated from results. The status is unknown without
/// results of all drivers.
pub(crate) fn check_page(results: &[ScriptResult]) -> Result<PageStatus> {
    let absent = find_absent_drivers(results);
    if !absent.is_empty() {
        let absent = absent.join(" and ");
        return Ok(PageStatus::Unknown(format!(
            "{PAGE} cannot be checked without {absent}"
        )));
    }
    let expected = generate_page(results)?;
    let found = std::fs::read_to_string(PAGE).unwrap_or_default();
    if found == expected {
        return Ok(PageStatus::Current);
    }
    let difference = format_first_difference(&found, &expected);
    Ok(PageStatus::Outdated(format!(
        "{PAGE} is not what the scripts prove here:\n{difference}refresh it with `{REFRESH}`, or find out what the drivers here can do that others cannot"
    )))
}

/// Returns the drivers of the suite that have no result.
fn find_absent_drivers(results: &[ScriptResult]) -> Vec<&'static str> {
    let there: BTreeSet<&str> = results.iter().map(|result| &*result.driver).collect();
    let names = suite::find_cpu_drivers().map(|(name, _)| name);
    names
        .into_iter()
        .filter(|name| !there.contains(name))
        .collect()
}

/// Formats the first pair of lines that differ; empty if there is no difference.
fn format_first_difference(found: &str, expected: &str) -> String {
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

/// Returns the support page for results of scripts, with the tables and records of the repository.
fn generate_page(results: &[ScriptResult]) -> Result<String> {
    let features = Features::load()?;
    let coverage = features::join_claims(&features, results);
    let texts = SupportTables::load(&features, &coverage)?;
    let records = DriverRecord::load_all()?;
    let drivers = Drivers::new(results, &records);
    Ok(format_page(&features, &coverage, &texts, &drivers))
}

/// First paragraphs of the page.
const INTRODUCTION: &str = "# Support

This page lists which features of each language work, and the reasons why the others do not. A feature *works* (is *proved*) if a script runs a
program that uses it and finds the values that the specification requires, on at least one of two Vulkan drivers for CPUs, lavapipe and
SwiftShader, and fails on neither.

- A *feature* is an entry of the lists in [tests/features](../tests/features), which define it and name the section that specifies it.
- A *variant* is one case of a feature, such as a data type or a texture target.

Each driver has a column with the number of variants that it proves on its own. Versions of Mesa newer than that of lavapipe are counted from
records in [tests/drivers](../tests/drivers/README.md). Other terms are defined in the [glossary](glossary.md).
";

/// Formats the support page as Markdown: totals, areas of each language, gaps and notes.
fn format_page(
    features: &Features,
    coverage: &Coverage<'_>,
    texts: &SupportTables,
    drivers: &Drivers<'_>,
) -> String {
    let mut text = String::from(INTRODUCTION);
    let _ = writeln!(
        text,
        "\n<!-- Written by `{REFRESH}`; do not edit. Titles and notes: {TABLES_DIR}. -->"
    );
    let languages = features.languages();
    let mut languages: Vec<(&str, &[&FeatureRow])> = languages
        .iter()
        .map(|(id, rows)| (*id, rows.as_slice()))
        .collect();
    // Languages with the largest share first; ties are ordered by name.
    languages.sort_by_key(|(_, rows)| std::cmp::Reverse(coverage.proved_share(rows).rows[0]));
    write_totals(
        &mut text,
        &languages,
        coverage,
        texts,
        &drivers.columns(features),
    );
    languages.retain(|(_, rows)| coverage.proved_share(rows).claims[0] > 0);
    let mut specs = BTreeSet::new();
    for (id, rows) in &languages {
        let _ = write!(text, "\n## {}\n", texts.find_title(id));
        write_areas(&mut text, rows, coverage, texts, &mut specs);
        write_unproved(&mut text, rows, &Reasons::new(features, coverage, texts));
        write_needs(&mut text, rows, coverage);
        for (kind, headings) in NOTES {
            write_notes(&mut text, id, texts, *kind, *headings);
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

/// Writes the table of languages with their proved shares, in total and on each driver.
fn write_totals(
    text: &mut String,
    languages: &[(&str, &[&FeatureRow])],
    coverage: &Coverage<'_>,
    texts: &SupportTables,
    columns: &[DriverColumn<'_>],
) {
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let _ = write!(
        text,
        "\n| language | features | variants | | {} |\n|---|--:|--:|--:{}|\n",
        names.join(" | "),
        "|--:".repeat(names.len())
    );
    for (id, rows) in languages {
        let share = coverage.proved_share(rows);
        let done = match share.claims[0] {
            0 => "not supported yet".to_owned(),
            _ => format!("{:.1} %", share.percent()),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {done} | {} |",
            texts.find_title(id),
            format_counts(coverage, rows),
            format_proved(columns, rows)
        );
    }
}

/// Formats proved and total entries and variants as two table cells: `871 of 1041 | 2310 of 2652`.
fn format_counts(coverage: &Coverage<'_>, rows: &[&FeatureRow]) -> String {
    let share = coverage.proved_share(rows);
    let [rows, claims] = [share.rows, share.claims].map(|[some, all]| format!("{some} of {all}"));
    format!("{rows} | {claims}")
}

/// Returns the numbers of variants that each driver proves: `2310 | 2204`.
fn format_proved(columns: &[DriverColumn<'_>], rows: &[&FeatureRow]) -> String {
    let counts = columns
        .iter()
        .map(|column| column.count_proved(rows).to_string());
    counts.collect::<Vec<_>>().join(" | ")
}

/// Writes the table of the areas of a language with their proved shares, and collects the
/// specifications that it links to.
fn write_areas<'a>(
    text: &mut String,
    rows: &[&'a FeatureRow],
    coverage: &Coverage<'_>,
    texts: &SupportTables,
    specs: &mut BTreeSet<&'a str>,
) {
    text.push_str(
        "\n| area | ids | features | variants | specifications |\n|---|---|--:|--:|---|\n",
    );
    for (id, rows) in group_by(rows.iter().copied(), FeatureRow::area) {
        let named = find_specifications(&rows);
        let links: Vec<String> = named.iter().map(|name| format!("[{name}]")).collect();
        specs.extend(named);
        let _ = writeln!(
            text,
            "| {} | `{id}` | {} | {} |",
            texts.find_title(id),
            format_counts(coverage, &rows),
            links.join(", ")
        );
    }
}

/// Returns the extensions that specify most of these entries: those that more than a tenth of them
/// name.
fn find_specifications<'a>(rows: &[&'a FeatureRow]) -> Vec<&'a str> {
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

/// Returns the entries with variants that are not proved, by reason.
fn group_unproved(rows: &[&FeatureRow], reasons: &Reasons<'_>) -> BTreeMap<GapReason, Vec<String>> {
    let mut groups: BTreeMap<GapReason, Vec<String>> = BTreeMap::new();
    for row in rows {
        let mut open: BTreeMap<GapReason, Vec<&str>> = BTreeMap::new();
        let claims = row.claims.iter();
        for claim in claims.filter(|claim| !reasons.coverage.covers(claim)) {
            let variant = claim.split_once('/').map_or("", |(_, variant)| variant);
            let reason = reasons.find_reason(row, claim);
            open.entry(reason).or_default().push(variant);
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
    groups
}

/// Writes the variants that are not proved, grouped by reason.
fn write_unproved(text: &mut String, rows: &[&FeatureRow], reasons: &Reasons<'_>) {
    let groups = group_unproved(rows, reasons);
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

/// Returns the numbers of variants in each area that only other drivers prove, by what a driver
/// lacks, and the driver.
fn count_needs<'a>(
    rows: &[&'a FeatureRow],
    coverage: &'a Coverage<'_>,
) -> BTreeMap<(String, &'a str), BTreeMap<&'a str, usize>> {
    let mut needs: BTreeMap<(String, &str), BTreeMap<&str, usize>> = BTreeMap::new();
    for row in rows {
        let claims = row.claims.iter();
        let results = claims.filter_map(|claim| coverage.claim_results.get(&**claim));
        for result in results.filter(|result| !result.passed.is_empty()) {
            let skipped = result.skipped.iter();
            for (driver, reasons) in skipped.filter(|(it, _)| !result.passed.contains(*it)) {
                let reasons = reasons.iter().map(|reason| shorten_reason(reason));
                let things: BTreeSet<String> = reasons
                    .filter_map(|reason| Some(reason.strip_prefix("lacks ")?.to_owned()))
                    .collect();
                for thing in things {
                    let areas = needs.entry((thing, *driver)).or_default();
                    *areas.entry(row.area()).or_default() += 1;
                }
            }
        }
    }
    needs
}

/// Writes the features that only one driver proves, by the requirements that the other does not
/// meet.
fn write_needs(text: &mut String, rows: &[&FeatureRow], coverage: &Coverage<'_>) {
    let needs = count_needs(rows, coverage);
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

/// Writes the table of the notes of one kind that apply to a language; nothing if there are none.
fn write_notes(
    text: &mut String,
    language: &str,
    texts: &SupportTables,
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
    use super::notes::{SupportTables, parse_note};
    use super::{format_first_difference, format_page};
    use crate::features::{Features, join_claims, parse_table};
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
        features.add_rows(&parse_table(LIST).unwrap());
        features
    }

    fn texts(notes: &[[&str; 3]]) -> SupportTables {
        let titles =
            ["gp", "gp.header", "gp.op", "arb", "arb.op"].map(|id| (id, format!("<{id}>")));
        let note = |note: &[&str; 3]| parse_note(note.map(str::to_owned)).unwrap();
        SupportTables {
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
        format_page(
            &features,
            &join_claims(&features, results),
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
        let coverage = join_claims(&features, &results);
        let check = |note| texts(&[note]).check_tables(&features, &coverage);
        assert!(check(["gp.op.ADD", "open", "x"]).is_ok());
        assert!(check(["gp.op.ADD/F", "open", "x"]).is_err());
        assert!(check(["gp.op.SUB", "emulated", "x"]).is_err());
        assert!(parse_note(["gp.op.ADD", "maybe", "x"].map(str::to_owned)).is_err());
    }

    #[test]
    fn a_difference_shows_both_lines() {
        assert_eq!(
            format_first_difference("a\nb", "a\nc"),
            "  there: b\n  here:  c\n"
        );
        assert_eq!(
            format_first_difference("a", "a\nb"),
            "  there: \n  here:  b\n"
        );
    }
}
