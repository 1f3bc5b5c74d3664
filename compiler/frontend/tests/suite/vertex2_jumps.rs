//! Branches, calls and the limit of instructions of NV_vertex_program2: random programs run by the IR's interpreter leave what a direct
//! walk over the instructions leaves, which follows the text of section 2.14.2.3.

use crate::support::jumps::{self, Cond, label};
use glasm_ir::ParamSource;
use glasm_tests::rng::Rng;
use std::fmt::Write;

/// Calls that can be open.
const STACK: usize = 4;

/// A line of a program: a label or an instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Item {
    Label(usize),
    /// Adds a parameter to the trace.
    Add(u32),
    /// Makes the trace the result.
    Show,
    /// The three instructions that make the next random number, which is in [0, 1).
    Scale,
    Shift,
    Wrap,
    /// Sets the condition code to the random number minus so many eighths.
    Test(u32),
    Branch(usize, Cond),
    Call(usize, Cond),
    Return(Cond),
}

/// What c[n] is.
fn parameter(n: u32) -> [f32; 4] {
    match n {
        0 => [5.3125, 0.71875, 0.0, 0.0],
        1..=8 => [n as f32 / 8.0, 0.0, 0.0, 0.0],
        _ => [n as f32, 0.0, 0.0, 0.0],
    }
}

fn format_program(items: &[Item], main: bool) -> String {
    let mut text = "!!VP2.0 OPTION NV_position_invariant;\n".to_owned();
    for item in items {
        // Writing to a string cannot fail.
        let _ = match *item {
            Item::Label(number) => writeln!(text, "{}:", label(number, main)),
            Item::Add(number) => writeln!(text, "ADD R0.x, R0, c[{number}];"),
            Item::Show => writeln!(text, "MOV o[TEX0].x, R0;"),
            Item::Scale => writeln!(text, "MUL R1.x, R1, c[0];"),
            Item::Shift => writeln!(text, "ADD R1.x, R1, c[0].y;"),
            Item::Wrap => writeln!(text, "FRC R1.x, R1;"),
            Item::Test(eighths) => writeln!(text, "SUBC CC.x, R1, c[{eighths}];"),
            Item::Branch(to, cond) => writeln!(text, "BRA {}{};", label(to, main), cond.text()),
            Item::Call(to, cond) => writeln!(text, "CAL {}{};", label(to, main), cond.text()),
            Item::Return(cond) => writeln!(text, "RET{};", cond.text()),
        };
    }
    text + "END\n"
}

/// The walk over a program.
struct ProgramWalk<'i> {
    items: &'i [Item],
    next: usize,
    stack: Vec<usize>,
    trace: f32,
    random: f32,
    code: f32,
    shown: f32,
}

impl ProgramWalk<'_> {
    fn jump_to(&mut self, to: usize) {
        let found = self.items.iter().position(|item| *item == Item::Label(to));
        self.next = found.expect("the label is there");
    }

    /// Runs an instruction; whether the program goes on.
    fn step(&mut self, item: Item) -> bool {
        match item {
            Item::Add(number) => self.trace += number as f32,
            Item::Show => self.shown = self.trace,
            Item::Scale => self.random *= 5.3125,
            Item::Shift => self.random += 0.71875,
            Item::Wrap => self.random -= self.random.floor(),
            Item::Test(eighths) => self.code = self.random - eighths as f32 / 8.0,
            Item::Branch(to, cond) if cond.holds(self.code) => self.jump_to(to),
            Item::Call(_, cond) if cond.holds(self.code) && self.stack.len() == STACK => {
                return false;
            }
            Item::Call(to, cond) if cond.holds(self.code) => {
                self.stack.push(self.next);
                self.jump_to(to);
            }
            Item::Return(cond) if cond.holds(self.code) => match self.stack.pop() {
                Some(place) => self.next = place,
                None => return false,
            },
            Item::Label(_) | Item::Branch(..) | Item::Call(..) | Item::Return(_) => {}
        }
        true
    }
}

/// What is shown after no instruction, after one and so on, up to `limit` of them; whether the program has ended by then.
fn interpret_items(items: &[Item], main: bool, limit: usize) -> (Vec<f32>, bool) {
    let mut machine = ProgramWalk {
        items,
        next: 0,
        stack: Vec::new(),
        trace: 0.0,
        random: 0.0,
        code: 0.0,
        shown: 0.0,
    };
    if main {
        machine.jump_to(0);
    }
    let mut shown = vec![0.0];
    loop {
        let Some(&item) = items.get(machine.next) else {
            return (shown, true);
        };
        machine.next += 1;
        if matches!(item, Item::Label(_)) {
            continue;
        }
        if shown.len() > limit {
            return (shown, false);
        }
        let goes_on = machine.step(item);
        shown.push(machine.shown);
        if !goes_on {
            return (shown, true);
        }
    }
}

/// Returns lane x of `o[TEX0]` of a translation.
fn run_translation(text: &str, step_limit: u32) -> f32 {
    jumps::run_translation(text, step_limit, |source| match source {
        ParamSource::Env(n) => parameter(n).map(f32::to_bits),
        ParamSource::Literal(bits) => bits,
        ParamSource::Local(_)
        | ParamSource::Subroutine(_)
        | ParamSource::State(_)
        | ParamSource::Named(_)
        | ParamSource::Argument => [0; 4],
    })
}

fn random_items(rng: &mut Rng) -> Vec<Item> {
    let labels = 1 + rng.below(5);
    let conds = [Cond::Less, Cond::Greater, Cond::Always, Cond::Never];
    let mut items = Vec::new();
    let mut missing: Vec<usize> = (0..labels).collect();
    for _ in 0..4 + rng.below(24) {
        match rng.below(11) {
            0..=2 => items.extend([Item::Add(9 + rng.below(40) as u32), Item::Show]),
            3 | 4 => items.extend([
                Item::Scale,
                Item::Shift,
                Item::Wrap,
                Item::Test(1 + rng.below(7) as u32),
            ]),
            5 | 6 if !missing.is_empty() => items.push(Item::Label(missing.remove(0))),
            5..=7 => items.push(Item::Branch(rng.below(labels), *rng.pick(&conds))),
            8 | 9 => items.push(Item::Call(rng.below(labels), *rng.pick(&conds))),
            _ => items.push(Item::Return(*rng.pick(&conds))),
        }
    }
    items.extend(missing.into_iter().map(Item::Label));
    items
}

#[test]
fn random_programs_follow_the_walk_up_to_the_limit() {
    let mut rng = Rng::new(3);
    let (mut ended, mut cut) = (0, 0);
    for _ in 0..3000 {
        let main = rng.percent(20);
        let items = random_items(&mut rng);
        let text = format_program(&items, main);
        let limit = 40 + rng.below(200);
        let found = run_translation(&text, limit as u32);
        let (shown, has_ended) = interpret_items(&items, main, limit);
        if has_ended {
            ended += 1;
            assert_eq!(Some(&found), shown.last(), "limit {limit}\n{text}");
        } else {
            cut += 1;
            // The block in which the limit is reached does not run.
            let last = &shown[shown.len().saturating_sub(items.len())..];
            assert!(
                last.contains(&found),
                "limit {limit}: {found} of {last:?}\n{text}"
            );
        }
    }
    assert!(
        ended > 1000 && cut > 400,
        "{ended} programs end, {cut} are cut"
    );
}

#[test]
fn exactly_so_many_instructions_run() {
    // The second instruction of each round shows how many have begun, and the limit falls on the last one of a round.
    let text =
        "!!VP2.0 MOV o[HPOS], v[0]; again: ADD R0.x, R0, c[9]; MOV o[TEX0].x, R0; BRA again; END";
    let rounds = |limit: u32| run_translation(text, limit) / 9.0;
    assert_eq!(
        [1 + 3, 1 + 3 * 20, 1 + 3 * 20 + 2, 1 + 3 * 21].map(rounds),
        [1.0, 20.0, 20.0, 21.0]
    );
    // What stands behind a loop counts, too, and so does what was called.
    let text = "!!VP2.0 main: CAL sub; MOV o[TEX0].x, c[20]; on: MOV o[TEX0].x, c[21]; BRA on (FL); MOV o[HPOS], v[0]; RET; \
        sub: ADD R0.x, R0, c[9]; SUBC CC.x, R0, c[90]; BRA sub (LT); RET; END";
    // CAL, three instructions ten times, RET.
    let inside = 1 + 3 * 10 + 1;
    let found = [0, 1, 2, 3].map(|more| run_translation(text, inside + more));
    assert_eq!(found, [0.0, 20.0, 20.0, 21.0]);
}

#[test]
fn chains_of_calls_are_counted() {
    // Four levels of ten calls each call the last subroutine 10,000 times.
    let calls = |name: &str| format!("CAL {name}; ").repeat(10);
    let text = format!(
        "!!VP2.0 MOV o[HPOS], v[0]; {} RET; a: {} RET; b: {} RET; c: {} RET; \
         d: ADD R0.x, R0, c[9]; MOV o[TEX0].x, R0; RET; END",
        calls("a"),
        calls("b"),
        calls("c"),
        calls("d")
    );
    // 30,000 instructions in the last subroutine, 11,000 in the one before it, 1,100, 110, and 12.
    assert_eq!(run_translation(&text, 42_222), 90_000.0);
    // 41 instructions for ten of its runs.
    let runs = run_translation(&text, 2_000) / 9.0;
    assert!(
        (2_000.0 / 43.0..2_000.0 / 41.0).contains(&(runs / 10.0)),
        "{runs}"
    );
}
