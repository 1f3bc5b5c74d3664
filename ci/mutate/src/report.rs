//! Results of a run of mutants, for users and for programs, and the table of mutants that are known
//! to have no relevant effect.

use crate::build::OUT;
use crate::evaluate::{Survivor, Verdict};
use crate::sample::Mutation;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fmt::Write;

/// Id, file, function, change, and the reason why no test can detect it. The id distinguishes equal
/// changes in a function.
const KNOWN: &str = "tests/acceptance/mutants.tsv";

/// Mutant and its result.
pub(crate) struct EvaluatedMutant {
    /// Mutation.
    pub(crate) mutation: Mutation,
    /// Result for the mutant.
    pub(crate) verdict: Verdict,
    /// Reason why it may survive.
    pub(crate) known: Option<String>,
}

/// Mutants that may survive.
pub(crate) struct KnownSurvivors(Vec<[String; 5]>);

impl KnownSurvivors {
    /// Reads the table of mutants that are known to survive, with reasons.
    pub(crate) fn read() -> Result<Self> {
        let text = std::fs::read_to_string(KNOWN).with_context(|| format!("reading {KNOWN}"))?;
        Self::parse(&text)
    }

    /// Parses the table, whose first line has titles; an error for lines without five columns.
    fn parse(text: &str) -> Result<Self> {
        let row = |line: &str| {
            let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
            let count = columns.len();
            let row = <[String; 5]>::try_from(columns).ok();
            row.with_context(|| format!("{count} columns instead of 5 in {KNOWN}: {line}"))
        };
        Ok(Self(text.lines().skip(1).map(row).collect::<Result<_>>()?))
    }

    /// Returns the reason why a mutant may survive, if it is in the table.
    pub(crate) fn find_explanation(&self, mutation: &Mutation) -> Option<String> {
        let site = &mutation.site;
        let found = self.0.iter().find(|[id, file, function, change, _]| {
            *id == mutation.id
                && *file == mutation.file
                && *function == site.function
                && *change == site.change
        });
        found.map(|row| row[4].clone())
    }
}

/// Describes a mutation: `compiler/ir/src/op.rs:12 in Op::info: a -> b`.
pub(crate) fn describe(mutation: &Mutation) -> String {
    let site = &mutation.site;
    format!(
        "{} {}:{} in {}: {}",
        mutation.id, mutation.file, site.line, site.function, site.change
    )
}

/// Formats the verdict on a mutant as one line.
pub(crate) fn format_verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::KilledByScript(script, how) => format!("killed by {script}: {how}"),
        Verdict::KilledByTest(program, test) => format!("killed by the tests {program}: {test}"),
        Verdict::Survived(_) => "survived".to_owned(),
    }
}

/// Formats a survivor with the scripts and tests that execute its code, for the report.
pub(crate) fn describe_survivor(evaluated: &EvaluatedMutant, survivor: &Survivor) -> String {
    let mut text = format!("SURVIVED {}\n", describe(&evaluated.mutation));
    let (count, scripts) = &survivor.scripts;
    let mut line = |what: &str, value: &str| {
        let _ = writeln!(text, "    {what}: {value}");
    };
    if let Some(why) = &evaluated.known {
        line("known", why);
    }
    line(
        "scripts that run the code",
        &format!("{count}; {}", scripts.join(" ")),
    );
    line("tests that run the code", &survivor.tests.join(", "));
    match (&survivor.differing[..], &survivor.difference) {
        ([], _) => line("changes no output", "equivalent, or nothing tests it"),
        ([first, ..], difference) => {
            let count = survivor.differing.len();
            line("changes the output for", &format!("{count}; {first}"));
            line(
                "first difference",
                difference.as_deref().unwrap_or("in its length"),
            );
        }
    }
    text
}

/// Writes the evaluated mutants as a table, `results.tsv`, and as `results.json`.
pub(crate) fn write_results(evaluated: &[EvaluatedMutant]) -> Result<()> {
    let mut table = "id\tfile\tline\tfunction\tchange\tverdict\tby\thow\tknown\n".to_owned();
    let mut list = Vec::new();
    for it in evaluated {
        let (Mutation { id, file, site }, known) = (&it.mutation, it.known.as_deref());
        let (verdict, by, how) = match &it.verdict {
            Verdict::KilledByScript(script, how) => ("script", script.as_str(), how.as_str()),
            Verdict::KilledByTest(program, test) => ("test", program.as_str(), test.as_str()),
            Verdict::Survived(survivor) => {
                let changes = if survivor.differing.is_empty() {
                    "changes no output"
                } else {
                    "changes output"
                };
                ("survived", "", changes)
            }
        };
        let columns = [
            id,
            file,
            &site.line.to_string(),
            &site.function,
            &site.change,
            verdict,
            by,
            how,
            known.unwrap_or_default(),
        ];
        let columns = columns.map(|column| column.replace(['\t', '\n'], " "));
        table += &(columns.join("\t") + "\n");
        list.push(json!({
            "id": id, "file": file, "line": site.line, "function": site.function,
            "change": site.change, "verdict": verdict, "by": by, "how": how, "known": known,
            "survivor": convert_survivor_to_json(&it.verdict),
        }));
    }
    let out = &*OUT;
    std::fs::write(out.join("results.tsv"), table)?;
    let text = serde_json::to_string_pretty(&Value::Array(list))?;
    std::fs::write(out.join("results.json"), text)?;
    Ok(())
}

/// Returns all that is known of a survivor as JSON; null for killed mutants.
fn convert_survivor_to_json(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Survived(survivor) => json!({
            "scripts": survivor.scripts.0, "nearest": survivor.scripts.1,
            "tests": survivor.tests, "differing": survivor.differing,
            "difference": survivor.difference,
        }),
        Verdict::KilledByScript(..) | Verdict::KilledByTest(..) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::{KnownSurvivors, Mutation};
    use crate::mutation_sites::MutationSite;

    #[test]
    fn known_survivors_are_found_by_file_function_and_change() {
        let known = KnownSurvivors::parse(
            "id\tfile\tfunction\tchange\twhy\n7\ta.rs\tf\t1 -> 2\tnobody asks\n",
        );
        let known = known.unwrap();
        let mutation = |file: &str, change: &str| Mutation {
            id: "7".to_owned(),
            file: file.to_owned(),
            site: MutationSite {
                line: 3,
                function: "f".to_owned(),
                change: change.to_owned(),
                edits: Vec::new(),
            },
        };
        let why = known.find_explanation(&mutation("a.rs", "1 -> 2"));
        assert_eq!(why.as_deref(), Some("nobody asks"));
        assert_eq!(known.find_explanation(&mutation("b.rs", "1 -> 2")), None);
        assert_eq!(known.find_explanation(&mutation("a.rs", "1 -> 0")), None);
        assert!(KnownSurvivors::parse("file\nonly two\tcolumns").is_err());
    }
}
