//! What random programs consist of, and their text.

use super::Kind;
use super::exact::Precision;
use super::ops::{Op, snap};

/// Rules of conditions.
pub(super) const RULES: [&str; 8] = ["EQ", "NE", "LT", "GE", "LE", "GT", "TR", "FL"];

/// A rule and the components of the condition code that it looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    /// Its place in [`RULES`].
    pub(super) rule: usize,
    pub(super) swizzle: [usize; 4],
}

/// A register that is read or written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Place {
    /// R.
    Full(usize),
    /// H.
    Half(usize),
    /// c or p.
    Parameter(usize),
    /// c with an address register, its component and an offset.
    Relative(usize, usize, i32),
    /// A parameter or constant that a name stands for.
    Named(usize),
    Literal([f64; 4]),
    Attribute(usize),
    Result(usize),
    /// CC or RC: nothing but the condition code is written.
    Codes,
    Address(usize),
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) place: Place,
    pub(super) swizzle: [usize; 4],
    pub(super) scalar: bool,
    pub(super) negated: bool,
    pub(super) absolute: bool,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    Op(&'static Op),
    /// ARL, or ARR where that is true.
    Address(bool),
    /// ARA.
    AddAddresses,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct Inst {
    pub(super) action: Action,
    pub(super) precision: Option<Precision>,
    pub(super) sets: bool,
    pub(super) saturates: bool,
    pub(super) to: Place,
    pub(super) mask: [bool; 4],
    pub(super) test: Option<Test>,
    pub(super) from: Vec<Source>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) enum Stmt {
    Inst(Inst),
    /// A branch over statements to a label behind them.
    Skip(Test, usize, Vec<Stmt>),
    /// Statements that are repeated while the counter in this register is above zero: label, how the counter begins, statements, its end.
    Loop(usize, Inst, Vec<Stmt>, Inst),
    /// A call of a subroutine under a condition.
    Call(Option<Test>, usize),
    Kill(Test),
}

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Words of vertex attributes with their numbers, and of results.
const ATTRIBUTES: [&str; 6] = ["v[OPOS]", "v[WGHT]", "v[2]", "v[COL0]", "v[4]", "v[FOGC]"];
const FRAGMENT_ATTRIBUTES: [&str; 4] = ["f[WPOS]", "f[TEX0]", "f[TEX3]", "f[TEX7]"];
const NAMES: [&str; 3] = ["light", "scale", "two"];

/// Prints programs of a kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Printer(pub(super) Kind);

impl Printer {
    fn place(self, place: Place) -> String {
        let parameters = match self.0 {
            Kind::Fragment => 'p',
            _ => 'c',
        };
        match place {
            Place::Full(number) => format!("R{number}"),
            Place::Half(number) => format!("H{number}"),
            Place::Parameter(number) => format!("{parameters}[{number}]"),
            Place::Relative(address, lane, offset) => {
                let letter = LETTERS[lane];
                match offset {
                    0 => format!("c[A{address}.{letter}]"),
                    _ => format!("c[A{address}.{letter}{offset:+}]"),
                }
            }
            Place::Named(number) => NAMES[number].to_owned(),
            Place::Literal(numbers) => {
                format!("{{{}}}", numbers.map(|it| it.to_string()).join(", "))
            }
            Place::Attribute(number) if self.0 == Kind::Fragment => {
                FRAGMENT_ATTRIBUTES[number].to_owned()
            }
            Place::Attribute(_) if self.0 == Kind::State => "v[0]".to_owned(),
            Place::Attribute(number) => ATTRIBUTES[number].to_owned(),
            Place::Result(number) => format!("o[TEX{number}]"),
            Place::Codes if self.0 == Kind::Fragment => "RC".to_owned(),
            Place::Codes => "CC".to_owned(),
            Place::Address(number) => format!("A{number}"),
        }
    }

    fn source(self, source: &Source) -> String {
        let sign = if source.negated { "-" } else { "" };
        let bar = if source.absolute { "|" } else { "" };
        let place = self.place(source.place);
        let swizzle = swizzle(source.swizzle, source.scalar);
        format!("{sign}{bar}{place}{swizzle}{bar}")
    }

    fn name(inst: &Inst) -> String {
        let name = match inst.action {
            Action::Op(op) => op.name,
            Action::Address(false) => "ARL",
            Action::Address(true) => "ARR",
            Action::AddAddresses => "ARA",
        };
        let precision = match inst.precision {
            None => "",
            Some(Precision::Full) => "R",
            Some(Precision::Half) => "H",
            Some(Precision::Fixed) => "X",
        };
        let sets = if inst.sets { "C" } else { "" };
        let clamp = if inst.saturates { "_SAT" } else { "" };
        format!("{name}{precision}{sets}{clamp}")
    }

    /// The lines of an instruction.
    pub(super) fn inst(self, inst: &Inst) -> String {
        let mask: String = (0..4)
            .filter(|&lane| inst.mask[lane] && inst.mask != [true; 4])
            .map(|lane| LETTERS[lane])
            .collect();
        let point = if mask.is_empty() { "" } else { "." };
        let test = inst.test.map_or_else(String::new, |test| {
            format!(" ({}{})", RULES[test.rule], swizzle(test.swizzle, false))
        });
        let to = format!("{}{point}{mask}{test}", self.place(inst.to));
        let from: Vec<String> = inst.from.iter().map(|source| self.source(source)).collect();
        if let Action::Op(op) = inst.action
            && !op.lines.is_empty()
        {
            let end = if op.lines.contains("{to}") {
                ""
            } else {
                snap(self.0)
            };
            let lines = format!("{}{end}", op.lines);
            return lines.replace("{to}", &to).replace("{0}", &from[0]);
        }
        format!("{} {to}, {};\n", Self::name(inst), from.join(", "))
    }

    /// The lines of statements.
    pub(super) fn block(self, block: &[Stmt]) -> String {
        let mut text = String::new();
        for stmt in block {
            text.push_str(&match stmt {
                Stmt::Inst(inst) => self.inst(inst),
                Stmt::Skip(test, label, body) => {
                    format!(
                        "BRA L{label}{};\n{}L{label}:\n",
                        condition(*test),
                        self.block(body)
                    )
                }
                Stmt::Loop(label, begin, body, end) => format!(
                    "{}L{label}:\n{}{}BRA L{label} (GT.x);\n",
                    self.inst(begin),
                    self.block(body),
                    self.inst(end)
                ),
                Stmt::Call(test, routine) => {
                    format!(
                        "CAL S{routine}{};\n",
                        test.map_or_else(String::new, condition)
                    )
                }
                Stmt::Kill(test) => {
                    format!(
                        "KIL {}{};\n",
                        RULES[test.rule],
                        swizzle(test.swizzle, false)
                    )
                }
            });
        }
        text
    }
}

fn condition(test: Test) -> String {
    format!(" ({}{})", RULES[test.rule], swizzle(test.swizzle, false))
}

fn swizzle(lanes: [usize; 4], scalar: bool) -> String {
    match lanes {
        [0, 1, 2, 3] if !scalar => String::new(),
        [x, y, z, w] if scalar || (x == y && x == z && x == w) => format!(".{}", LETTERS[x]),
        all => format!(
            ".{}",
            all.map(|lane| LETTERS[lane]).iter().collect::<String>()
        ),
    }
}
