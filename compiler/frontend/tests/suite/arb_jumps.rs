//! Branches, calls and the stack of NV_vertex_program2_option and NV_vertex_program3: random programs run by the IR's interpreter
//! leave the same trace as a direct walk over the instructions that follows the text of the specifications.

use crate::support::jumps::{Cond, interpret_ir, label, run_translation};
use glasm_frontend::{Source, translate};
use glasm_ir::ParamSource;
use glasm_tests::rng::Rng;
use std::fmt::Write;

/// Entries of the stack.
const STACK: usize = 32;
/// Instructions after which a walk is given up. Traces take up to two instructions a step.
const STEPS: usize = 1_000;
/// Instructions that the programs may run.
const STEP_LIMIT: u32 = 2_000;
/// The array that address registers index: `program.local[1..4]`.
const TABLE: [f32; 4] = [11.0, 23.0, 37.0, 53.0];

/// Programs can end anywhere, so the trace goes to a result whenever it changes.
const SHOW: &str = "MOV result.texcoord[0].x, t.x;";

/// An instruction. `t.x` is the trace, `s.x` a random number in [0, 1).
#[derive(Clone, Copy, Debug)]
enum Instr {
    Label(usize),
    Mul,
    Add(u32),
    /// The three instructions that make the next random number.
    Scale,
    Shift,
    Wrap,
    /// Sets the condition code from `s.x - n / 8`.
    Test(u32),
    /// `q.y = 4 s.x`, `A.x = floor(q.y)`.
    Quadruple,
    Address,
    /// Adds what the address register points at.
    Look,
    Push,
    Pop,
    Branch(usize, Cond),
    Call(usize, Cond),
    Return(Cond),
}

fn format_program(items: &[Instr], main: bool) -> String {
    let mut text = "!!ARBvp1.0 OPTION NV_vertex_program3; PARAM c[] = { program.local[1..4] };\nTEMP t, s, q; ADDRESS A;\n".to_owned();
    for item in items {
        // Writing to a string cannot fail.
        let _ = match *item {
            Instr::Label(number) => writeln!(text, "{}:", label(number, main)),
            Instr::Mul => writeln!(text, "MUL t.x, t.x, 0.75; {SHOW}"),
            Instr::Add(value) => writeln!(text, "ADD t.x, t.x, {value}; {SHOW}"),
            Instr::Scale => writeln!(text, "MUL s.x, s.x, 5.3125;"),
            Instr::Shift => writeln!(text, "ADD s.x, s.x, 0.71875;"),
            Instr::Wrap => writeln!(text, "FRC s.x, s.x;"),
            Instr::Test(eighths) => writeln!(text, "SUBC q.x, s.x, {};", eighths as f32 / 8.0),
            Instr::Quadruple => writeln!(text, "MUL q.y, s.x, 4;"),
            Instr::Address => writeln!(text, "ARL A.x, q.y;"),
            Instr::Look => writeln!(text, "ADD t.x, t.x, c[A.x].x; {SHOW}"),
            Instr::Push => writeln!(text, "PUSHA A;"),
            Instr::Pop => writeln!(text, "POPA A;"),
            Instr::Branch(to, cond) => writeln!(text, "BRA {}{};", label(to, main), cond.text()),
            Instr::Call(to, cond) => writeln!(text, "CAL {}{};", label(to, main), cond.text()),
            Instr::Return(cond) => writeln!(text, "RET{};", cond.text()),
        };
    }
    text + "MOV result.position, 0; END\n"
}

/// What the walk finds: the trace at the end, or nothing if the end is not a normal one.
#[expect(clippy::too_many_lines, reason = "an arm for each kind of instruction")]
fn interpret_items(items: &[Instr], main: bool) -> Option<f32> {
    enum Entry {
        Place(usize),
        Address(usize),
    }
    let place = |number: usize| {
        items
            .iter()
            .position(|item| matches!(item, Instr::Label(found) if *found == number))
    };
    let mut next = if main { place(0)? } else { 0 };
    let (mut trace, mut random, mut product, mut code, mut address) =
        (0.0f32, 0.0f32, 0.0f32, 0.0f32, 0usize);
    let mut stack: Vec<Entry> = Vec::new();
    for _ in 0..STEPS {
        let Some(item) = items.get(next) else {
            return Some(trace);
        };
        next += 1;
        match *item {
            Instr::Label(_) => {}
            Instr::Mul => trace *= 0.75,
            Instr::Add(value) => trace += value as f32,
            Instr::Scale => random *= 5.3125,
            Instr::Shift => random += 0.71875,
            Instr::Wrap => random -= random.floor(),
            Instr::Test(eighths) => code = random - eighths as f32 / 8.0,
            Instr::Quadruple => product = random * 4.0,
            Instr::Address => address = product.floor() as usize,
            Instr::Look => trace += TABLE[address],
            Instr::Push if stack.len() == STACK => return None,
            Instr::Push => stack.push(Entry::Address(address)),
            Instr::Pop => match stack.pop() {
                Some(Entry::Address(popped)) => address = popped,
                Some(Entry::Place(_)) | None => return None,
            },
            Instr::Branch(to, cond) => {
                if cond.holds(code) {
                    next = place(to)?;
                }
            }
            Instr::Call(to, cond) => {
                if cond.holds(code) {
                    if stack.len() == STACK {
                        return None;
                    }
                    stack.push(Entry::Place(next));
                    next = place(to)?;
                }
            }
            Instr::Return(cond) => {
                if cond.holds(code) {
                    match stack.pop() {
                        Some(Entry::Place(place)) => next = place,
                        None => return Some(trace),
                        Some(Entry::Address(_)) => return None,
                    }
                }
            }
        }
    }
    None
}

/// Returns the value of a parameter.
fn parameter(source: ParamSource) -> [u32; 4] {
    match source {
        ParamSource::Local(n) => [TABLE[n as usize - 1].to_bits(); 4],
        ParamSource::Literal(bits) => bits,
        ParamSource::Env(_)
        | ParamSource::State(_)
        | ParamSource::Subroutine(_)
        | ParamSource::Named(_)
        | ParamSource::Argument => [0; 4],
    }
}

/// A random program. With `stack`, address registers are pushed and popped too.
fn random_items(rng: &mut Rng, stack: bool) -> Vec<Instr> {
    let labels = 1 + rng.below(5);
    let conds = [
        Cond::Less,
        Cond::Greater,
        Cond::Greater,
        Cond::Less,
        Cond::Equal,
        Cond::Always,
        Cond::Never,
    ];
    let mut items = Vec::new();
    let mut missing: Vec<usize> = (0..labels).collect();
    for _ in 0..4 + rng.below(24) {
        match rng.below(if stack { 14 } else { 12 }) {
            0 | 1 => items.push(Instr::Add(1 + rng.below(50) as u32)),
            2 => items.push(Instr::Mul),
            3 | 4 => items.extend([
                Instr::Scale,
                Instr::Shift,
                Instr::Wrap,
                Instr::Test(1 + rng.below(7) as u32),
            ]),
            5 | 6 if !missing.is_empty() => items.push(Instr::Label(missing.remove(0))),
            5..=7 => items.push(Instr::Branch(rng.below(labels), *rng.pick(&conds))),
            8 | 9 => items.push(Instr::Call(rng.below(labels), *rng.pick(&conds))),
            10 => items.push(Instr::Return(*rng.pick(&conds))),
            11 => items.extend([Instr::Quadruple, Instr::Address, Instr::Look]),
            12 => items.push(Instr::Push),
            _ => items.extend([Instr::Pop, Instr::Look]),
        }
    }
    items.extend(missing.into_iter().map(Instr::Label));
    items
}

#[test]
fn random_programs_follow_the_walk() {
    let mut rng = Rng::new(2);
    let mut compared = 0;
    for round in 0..3000 {
        let stack = round % 3 == 0;
        let main = rng.percent(20);
        let items = random_items(&mut rng, stack);
        let text = format_program(&items, main);
        let found = run_translation(&text, STEP_LIMIT, parameter);
        if let Some(expected) = interpret_items(&items, main) {
            compared += 1;
            assert_eq!(found, expected, "{text}");
        }
    }
    assert!(compared > 1500, "only {compared} programs end normally");
}

/// The trace of a program that sets `result.texcoord[0]`, with the limit of the specification.
fn run_statements(statements: &str) -> f32 {
    let text = format!("!!ARBvp1.0 OPTION NV_vertex_program2; TEMP t; MOV t, 0; {statements}");
    let (program, _) = translate(&Source::new("test", &text));
    interpret_ir(&program.expect("a program"), &text, parameter)
}

#[test]
fn endless_programs_end() {
    // Two instructions a round: some 65,536 / 2 rounds run.
    let rounds = run_statements("again: ADD t, t, 1; MOV result.texcoord[0], t; BRA again; END");
    assert!((65_536.0 / 3.0..=65_536.0).contains(&rounds), "{rounds}");
    // Nothing counts the instructions of programs that only go forward.
    assert_eq!(
        run_statements("BRA on; ADD t, t, 1; on: ADD t, t, 2; MOV result.texcoord[0], t; END"),
        2.0
    );
}

#[test]
fn programs_within_the_limit_run_to_their_end() {
    let text = "ADDC t, t, 1; SUBC t.y, t.x, 13000; BRA again (LT.y);";
    let rounds = run_statements(&format!("again: {text} MOV result.texcoord[0], t; END"));
    assert_eq!(rounds, 13_000.0);
}

#[test]
fn address_arithmetic() {
    let text = "!!ARBvp1.0 OPTION NV_vertex_program2; ADDRESS A, B; PARAM c[] = { program.local[1..4] };\n\
        ARR A, { 0.5, 1.5, -0.5, 0.7 }; ARA B, A; MOV result.position, 0;";
    let at = |component: &str| {
        let text = format!("{text} MOV result.texcoord[0], c[{component}].x; END");
        run_translation(&text, STEP_LIMIT, parameter)
    };
    // A is (0, 2, 0, 1), B is (0, 3, 0, 3).
    let found = ["A.x", "A.y", "A.z", "A.w", "B.x", "B.y", "B.z", "B.w"].map(at);
    assert_eq!(
        found,
        [0, 2, 0, 1, 0, 3, 0, 3].map(|index: usize| TABLE[index])
    );
}

#[test]
fn subroutines_that_share_code_are_not_copied() {
    // Each of the subroutines runs into all that follow it.
    let count = 1000;
    let calls: String = (0..count)
        .map(|number| format!("CAL f{number}; "))
        .collect();
    let bodies: String = (0..count)
        .map(|number| format!("f{number}: ADD t, t, 1; "))
        .collect();
    let text =
        format!("!!ARBvp1.0 OPTION NV_vertex_program2; TEMP t; {calls} RET; {bodies} RET; END");
    let (program, _) = translate(&Source::new("test", &text));
    let insts = program.expect("a program").insts.len();
    assert!(insts < 20 * count, "{insts}");
}
