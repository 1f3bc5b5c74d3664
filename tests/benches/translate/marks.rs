//! The marks: what translation should cost, beside what it does cost. `docs/performance.md` says where they come from.

use super::tables::{bytes_each, instructions_each};
use super::{MIX, Row};
use glasm_tests::generator::Variant;
use serde_json::Value;

/// The programs that others are compared with.
const STRAIGHT: &str = "straight";

/// Something measured with a goal. Smaller is better.
pub(crate) struct Mark {
    /// What is measured.
    pub(crate) what: String,
    /// Its unit.
    pub(crate) unit: &'static str,
    /// Where it should be.
    pub(crate) goal: f64,
    /// What must be reached.
    pub(crate) least: f64,
    /// Where it is; `None` if it was not measured.
    pub(crate) measured: Option<f64>,
}

impl Mark {
    fn new(
        what: impl Into<String>,
        unit: &'static str,
        [goal, least]: [f64; 2],
        measured: Option<f64>,
    ) -> Self {
        Self {
            what: what.into(),
            unit,
            goal,
            least,
            measured,
        }
    }
}

/// All marks.
pub(crate) fn all(rows: &[Row], heap: &Value) -> Vec<Mark> {
    let straight = find(rows, STRAIGHT, 1000);
    let beside_naga = straight.and_then(|row| Some(row.total / row.naga?.time));
    let instructions = straight.map(instructions_each);
    let bytes = straight.map(bytes_each);
    let mut marks: Vec<Mark> = [100, 1000, 10_000].map(|size| time(rows, size)).into();
    marks.push(Mark::new(
        "time beside naga, 1000 instructions",
        "of naga's",
        [1.0 / 65.0, 413.0 / 13_239.0],
        beside_naga,
    ));
    marks.push(Mark::new(
        "growth from 100 to 10,000 instructions (linear is 100)",
        "x",
        [105.0, 130.0],
        growth(rows),
    ));
    let loops =
        [Variant::Loop, Variant::If].map(|variant| beside(rows, variant.name(), [1.3, 2.0]));
    marks.extend(loops);
    marks.push(beside(rows, MIX, [1.5, 1.5]));
    marks.push(Mark::new(
        "SPIR-V instructions per instruction",
        "",
        [3.1, 4.0],
        instructions,
    ));
    marks.push(Mark::new(
        "bytes of SPIR-V per instruction",
        "",
        [78.0, 101.0],
        bytes,
    ));
    marks.push(Mark::new(
        "peak heap per source byte",
        "bytes",
        [40.0, 100.0],
        worst_heap(heap),
    ));
    marks
}

fn find<'a>(rows: &'a [Row], name: &str, size: usize) -> Option<&'a Row> {
    rows.iter().find(|row| row.name == name && row.size == size)
}

/// 3 us and 0.2 us for each instruction; at the least 0.42 us for each.
fn time(rows: &[Row], size: usize) -> Mark {
    let row = find(rows, STRAIGHT, size);
    let operations = row.map_or(size as f64, |row| row.operations as f64);
    let limits = [3.0 + 0.2 * operations, 0.42 * operations];
    Mark::new(
        format!("text to SPIR-V, {size} instructions"),
        "us",
        limits,
        row.map(|row| row.total / 1e3),
    )
}

fn growth(rows: &[Row]) -> Option<f64> {
    let (small, large) = find(rows, STRAIGHT, 100).zip(find(rows, STRAIGHT, 10_000))?;
    Some(100.0 * large.per_operation(large.total) / small.per_operation(small.total))
}

/// What an instruction of these programs costs beside one of straight float code.
fn beside(rows: &[Row], name: &str, limits: [f64; 2]) -> Mark {
    let pair = find(rows, name, 1000).zip(find(rows, STRAIGHT, 1000));
    let ratio = pair.map(|(row, straight)| {
        row.per_operation(row.total) / straight.per_operation(straight.total)
    });
    Mark::new(
        format!("cost per instruction, {name} beside straight"),
        "x",
        limits,
        ratio,
    )
}

fn worst_heap(heap: &Value) -> Option<f64> {
    let rows = heap.as_array()?;
    let ratio = |row: &Value| Some(row["peak"].as_f64()? / row["source"].as_f64()?);
    rows.iter().filter_map(ratio).reduce(f64::max)
}
