//! The marks: what translation should cost, beside what it does cost. `docs/performance.md` says where they come from.

use super::pairs::Times;
use super::retired::{Count, Family, Who, fit};
use super::tables::{Total, bytes_each, instructions_each};
use super::{MIX, Row};
use glasm_tests::generator::{RegisterLanguage, Shape, Spelling, Variant};
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
pub(crate) fn all(rows: &[Row], heap: &Value, counts: &[Count], pairs: &Times) -> Vec<Mark> {
    let straight = find(rows, STRAIGHT, 1000);
    let beside_naga = straight.and_then(|row| Some(row.total / row.naga?.time));
    let instructions = straight.map(instructions_each);
    let bytes = straight.map(bytes_each);
    let mut marks = retired(counts);
    marks.extend([100, 1000, 10_000].map(|size| time(rows, size)));
    marks.push(Mark::new(
        "a pair of programs like real ones, loaded and linked again",
        "us",
        [25.0, 25.0],
        Some(pairs.again / 1e3),
    ));
    marks.push(Mark::new(
        "time compared with naga, 1000 instructions",
        "of naga's",
        [1.0 / 65.0, 413.0 / 13_239.0],
        beside_naga,
    ));
    marks.push(Mark::new(
        "time from TGSI compared with naga, 1000 instructions",
        "of naga's",
        [1_068.0 / 5.0 / 13_239.0, 1_068.0 / 13_239.0],
        straight.and_then(|row| Some(row.naga?.tgsi / row.naga?.time)),
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
    marks.push(Mark::new(
        "allocations of a reused compiler, in addition to those of the result",
        "",
        [0.0, 0.0],
        worst_allocations(heap),
    ));
    marks
}

/// Marks in instructions retired.
fn retired(counts: &[Count]) -> Vec<Mark> {
    let fit = fit(counts, Family::Real);
    let straight = counts.iter().find(|count| {
        count.subject.family == Family::Peer(Variant::Straight)
            && count.subject.who == Who::Glasm
            && count.subject.size == 1000
    });
    let mut marks = vec![
        Mark::new(
            "retired, fixed, programs like real ones",
            "",
            [36_000.0, 48_000.0],
            fit.map(|fit| fit.fixed),
        ),
        Mark::new(
            "retired per instruction, programs like real ones",
            "",
            [2900.0, 3900.0],
            fit.map(|fit| fit.each),
        ),
        Mark::new(
            "retired per instruction, straight, 1000 instructions",
            "",
            [2300.0, 3700.0],
            straight.map(Count::each),
        ),
        Mark::new(
            "retired per instruction, BRA to random labels",
            "",
            [6000.0, 6000.0],
            of_shape(counts, Shape::Jump)
                .map(Count::each)
                .reduce(f64::max),
        ),
    ];
    marks.extend(Shape::ALL.map(|shape| {
        Mark::new(
            format!("growth of the cost per instruction, {}", shape.name()),
            "x",
            [1.05, 1.3],
            growth_of(counts, shape, Count::each),
        )
    }));
    marks.extend(RegisterLanguage::ALL.map(|language| register(counts, language)));
    let spirv = |count: &Count| count.spirv as f64 / count.subject.operations as f64;
    marks.push(Mark::new(
        "growth of SPIR-V per instruction, CAL",
        "x",
        [1.05, 1.3],
        growth_of(counts, Shape::Call, spirv),
    ));
    marks
}

/// The cost of programs of the register family, compared with the same programs with declared variables.
fn register(counts: &[Count], language: RegisterLanguage) -> Mark {
    let [own, arb] = [Spelling::Registers, Spelling::Declared]
        .map(|spelling| Total::of(counts, Family::Register(language, spelling)).retired);
    Mark::new(
        format!("retired, {} compared with ARB programs", language.name()),
        "x",
        [1.0, 1.1],
        (arb > 0.0).then(|| own / arb),
    )
}

fn of_shape(counts: &[Count], shape: Shape) -> impl Iterator<Item = &Count> {
    let wanted = move |count: &&Count| count.subject.family == Family::Shape(shape);
    counts.iter().filter(wanted)
}

/// The largest size beside that of 1000 instructions.
fn growth_of(counts: &[Count], shape: Shape, cost: impl Fn(&Count) -> f64) -> Option<f64> {
    let small = of_shape(counts, shape).find(|count| count.subject.size == 1000)?;
    let large = of_shape(counts, shape).last()?;
    Some(cost(large) / cost(small))
}

/// Most allocations of a translation that are not those of its result.
fn worst_allocations(heap: &Value) -> Option<f64> {
    let beyond = |row: &Value| Some(row["allocations"].as_f64()? - row["of_result"].as_f64()?);
    heap.as_array()?.iter().filter_map(beyond).reduce(f64::max)
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
        format!("cost per instruction, {name} compared with straight"),
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
