//! Results of a run of faults, for users and for programs, and the table of faults that are known
//! to have no relevant effect.

use crate::build::OUT;
use crate::judge::{Survivor, Verdict};
use crate::sample::Fault;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fmt::Write;

/// Id, file, function, change, and the reason why no test can detect it. The id distinguishes equal
/// changes in a function.
const KNOWN: &str = "tests/acceptance/mutants.tsv";

/// Fault and its result.
pub(crate) struct Judged {
    /// Fault.
    pub(crate) fault: Fault,
    /// Result for the fault.
    pub(crate) verdict: Verdict,
    /// Reason why it may remain undetected.
    pub(crate) known: Option<String>,
}

/// Faults that may survive.
pub(crate) struct Known(Vec<[String; 5]>);

impl Known {
    /// Reads the table.
    pub(crate) fn read() -> Result<Self> {
        let text = std::fs::read_to_string(KNOWN).with_context(|| format!("reading {KNOWN}"))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let row = |line: &str| {
            let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
            let count = columns.len();
            let row = <[String; 5]>::try_from(columns).ok();
            row.with_context(|| format!("{count} columns instead of 5 in {KNOWN}: {line}"))
        };
        Ok(Self(text.lines().skip(1).map(row).collect::<Result<_>>()?))
    }

    /// Returns the reason why a fault may remain undetected, if it is in the table.
    pub(crate) fn explanation(&self, fault: &Fault) -> Option<String> {
        let place = &fault.place;
        let found = self.0.iter().find(|[id, file, function, change, _]| {
            *id == fault.id
                && *file == fault.file
                && *function == place.function
                && *change == place.change
        });
        found.map(|row| row[4].clone())
    }
}

/// Describes a fault: `compiler/ir/src/op.rs:12 in Op::info: a -> b`.
pub(crate) fn describe(fault: &Fault) -> String {
    let place = &fault.place;
    format!(
        "{} {}:{} in {}: {}",
        fault.id, fault.file, place.line, place.function, place.change
    )
}

/// Returns a line that describes a verdict.
pub(crate) fn verdict_line(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Script(script, how) => format!("caught by {script}: {how}"),
        Verdict::Test(program, test) => format!("caught by the tests {program}: {test}"),
        Verdict::Survived(_) => "survived".to_owned(),
    }
}

/// Returns all that is known of a survivor.
pub(crate) fn survivor_text(judged: &Judged, survivor: &Survivor) -> String {
    let mut text = format!("SURVIVED {}\n", describe(&judged.fault));
    let (count, scripts) = &survivor.scripts;
    let mut line = |what: &str, value: &str| {
        let _ = writeln!(text, "    {what}: {value}");
    };
    if let Some(why) = &judged.known {
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

/// Writes `results.tsv` and `results.json`.
pub(crate) fn write(judged: &[Judged]) -> Result<()> {
    let mut table = "id\tfile\tline\tfunction\tchange\tverdict\tby\thow\tknown\n".to_owned();
    let mut list = Vec::new();
    for it in judged {
        let (Fault { id, file, place }, known) = (&it.fault, it.known.as_deref());
        let (verdict, by, how) = match &it.verdict {
            Verdict::Script(script, how) => ("script", script.as_str(), how.as_str()),
            Verdict::Test(program, test) => ("test", program.as_str(), test.as_str()),
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
            &place.line.to_string(),
            &place.function,
            &place.change,
            verdict,
            by,
            how,
            known.unwrap_or_default(),
        ];
        let columns = columns.map(|column| column.replace(['\t', '\n'], " "));
        table += &(columns.join("\t") + "\n");
        list.push(json!({
            "id": id, "file": file, "line": place.line, "function": place.function,
            "change": place.change, "verdict": verdict, "by": by, "how": how, "known": known,
            "survivor": survivor_json(&it.verdict),
        }));
    }
    let out = &*OUT;
    std::fs::write(out.join("results.tsv"), table)?;
    let text = serde_json::to_string_pretty(&Value::Array(list))?;
    std::fs::write(out.join("results.json"), text)?;
    Ok(())
}

fn survivor_json(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Survived(survivor) => json!({
            "scripts": survivor.scripts.0, "nearest": survivor.scripts.1,
            "tests": survivor.tests, "differing": survivor.differing,
            "difference": survivor.difference,
        }),
        Verdict::Script(..) | Verdict::Test(..) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, Known};
    use crate::places::Place;

    #[test]
    fn known_faults_are_found_by_file_function_and_change() {
        let known =
            Known::parse("id\tfile\tfunction\tchange\twhy\n7\ta.rs\tf\t1 -> 2\tnobody asks\n");
        let known = known.unwrap();
        let fault = |file: &str, change: &str| Fault {
            id: "7".to_owned(),
            file: file.to_owned(),
            place: Place {
                line: 3,
                function: "f".to_owned(),
                change: change.to_owned(),
                edits: Vec::new(),
            },
        };
        let why = known.explanation(&fault("a.rs", "1 -> 2"));
        assert_eq!(why.as_deref(), Some("nobody asks"));
        assert_eq!(known.explanation(&fault("b.rs", "1 -> 2")), None);
        assert_eq!(known.explanation(&fault("a.rs", "1 -> 0")), None);
        assert!(Known::parse("file\nonly two\tcolumns").is_err());
    }
}
