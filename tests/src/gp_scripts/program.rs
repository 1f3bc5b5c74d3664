//! A program as a tree, and as text.

use super::convert::Rounding;
use super::flags::Rule;
use super::ops::Op;
use super::value::{Num, Type};
use std::fmt::{self, Display, Formatter};

/// A variable, or an array of them.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub(super) name: String,
    /// Bits of a component.
    pub(super) width: u32,
    /// Number of elements of an array.
    pub(super) elements: Option<usize>,
}

/// Place of a variable in the list of all.
pub(super) type VarId = usize;

/// Which element of an array.
#[derive(Clone, Copy, Debug)]
pub(super) enum Index {
    /// The variable is no array.
    None,
    Constant(usize),
    /// A component of another variable, plus a constant.
    Register(VarId, usize, usize),
}

/// Where an operand comes from.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Var(VarId, Index),
    /// A constant; the numbers are those of the operand's type.
    Literal(String, [Num; 4]),
}

/// An operand.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) place: Place,
    /// Component that each component takes.
    pub(super) swizzle: [usize; 4],
    pub(super) scalar: bool,
    /// The sign inside of the bars.
    pub(super) inner_negated: bool,
    pub(super) absolute: bool,
    /// The sign in front.
    pub(super) negated: bool,
}

/// A condition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    pub(super) rule: Rule,
    pub(super) name: &'static str,
    /// CC0 or CC1.
    pub(super) register: usize,
    pub(super) swizzle: [usize; 4],
}

/// What takes a result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dest {
    pub(super) var: VarId,
    pub(super) index: Index,
    /// Components that are written.
    pub(super) lanes: [bool; 4],
    pub(super) test: Option<Test>,
}

/// Clamping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Clamp {
    Sat,
    Ssat,
}

/// What an instruction does.
#[derive(Clone)]
pub(super) enum Action {
    Op(&'static Op, Type),
    /// Result type, operand type, rounding and its modifier.
    Convert(Type, Type, Rounding, &'static str),
    /// Constants and components of one operand, with signs.
    Swizzle([(bool, &'static str); 4]),
    Load(Access),
    Atomic(Access, Atomic),
}

/// An instruction with a result.
#[derive(Clone)]
pub(super) struct Inst {
    pub(super) action: Action,
    pub(super) dest: Dest,
    pub(super) operands: Vec<Operand>,
    /// The condition code that is set.
    pub(super) sets: Option<usize>,
    pub(super) clamp: Option<Clamp>,
    pub(super) precise: bool,
    /// Type modifiers as suffixes, where there are such.
    pub(super) suffixes: bool,
}

/// Memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Space {
    /// LDC
    Constant,
    /// LDB, STB, ATOMB of the buffer that is only read.
    Input,
    /// The same of the buffer that is written.
    Output,
    /// LDS, STS, ATOMS
    Shared,
}

/// Bytes of memory: a constant, or a component of a variable plus a constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) space: Space,
    /// Type of each component.
    pub(super) ty: Type,
    pub(super) count: usize,
    pub(super) at: Option<(VarId, usize)>,
    pub(super) offset: usize,
    /// How a buffer is reached: by its number, or by its address in a component of `base`.
    pub(super) global: bool,
}

/// Operations of ATOM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Atomic {
    pub(super) kind: AtomicKind,
    /// Other invocations do the same to the same word, so that the result is open.
    pub(super) common: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AtomicKind {
    Add,
    Min,
    Max,
    Iwrap,
    Dwrap,
    And,
    Or,
    Xor,
    Exch,
    Cswap,
}

/// A statement.
#[derive(Clone)]
pub(super) enum Stmt {
    Inst(Inst),
    Store(Access, Operand),
    If(Test, Vec<Stmt>, Vec<Stmt>),
    /// Count with its type, if there is one.
    Rep(Option<(Type, Operand)>, Vec<Stmt>),
    Break(Option<Test>),
    Continue(Option<Test>),
    Return(Option<Test>),
    Call(usize, Option<Test>),
    Barrier,
    Sequence(Vec<Stmt>),
    /// A line that changes nothing that the machine knows.
    Text(&'static str),
}

/// A program without its declarations.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) vars: Vec<Var>,
    pub(super) main: Vec<Stmt>,
    pub(super) routines: Vec<Vec<Stmt>>,
}

const LANES: [&str; 4] = ["x", "y", "z", "w"];

/// A swizzle as text.
fn swizzle_text(swizzle: [usize; 4]) -> String {
    let [first, ..] = swizzle;
    if swizzle == [0, 1, 2, 3] {
        String::new()
    } else if swizzle == [first; 4] {
        format!(".{}", LANES[first])
    } else {
        format!(".{}", swizzle.map(|lane| LANES[lane]).concat())
    }
}

impl Program {
    fn var(&self, var: VarId, index: Index) -> String {
        let name = &self.vars[var].name;
        match index {
            Index::None => name.clone(),
            Index::Constant(element) => format!("{name}[{element}]"),
            Index::Register(by, lane, 0) => {
                format!("{name}[{}.{}]", self.vars[by].name, LANES[lane])
            }
            Index::Register(by, lane, offset) => {
                format!("{name}[{}.{} + {offset}]", self.vars[by].name, LANES[lane])
            }
        }
    }

    fn operand(&self, operand: &Operand) -> String {
        let suffix = if operand.scalar {
            format!(".{}", LANES[operand.swizzle[0]])
        } else {
            swizzle_text(operand.swizzle)
        };
        let name = match &operand.place {
            Place::Var(var, index) => format!("{}{suffix}", self.var(*var, *index)),
            Place::Literal(text, _) if text.starts_with('{') => format!("{text}{suffix}"),
            Place::Literal(text, _) => text.clone(),
        };
        let sign = |negated| if negated { "-" } else { "" };
        if operand.absolute {
            format!(
                "{}|{}{name}|",
                sign(operand.negated),
                sign(operand.inner_negated)
            )
        } else {
            format!("{}{name}", sign(operand.negated))
        }
    }

    fn dest(&self, dest: &Dest) -> String {
        let lanes: String = (0..4)
            .filter(|lane| dest.lanes[*lane])
            .map(|lane| LANES[lane])
            .collect();
        let mask = if lanes.len() == 4 {
            String::new()
        } else {
            format!(".{lanes}")
        };
        let test = dest.test.map_or(String::new(), |test| format!(" ({test})"));
        format!("{}{mask}{test}", self.var(dest.var, dest.index))
    }

    fn inst(&self, inst: &Inst) -> String {
        let operands: Vec<String> = inst.operands.iter().map(|it| self.operand(it)).collect();
        let operands = operands.join(", ");
        let dest = self.dest(&inst.dest);
        let (name, operands, before) = match &inst.action {
            Action::Op(op, ty) => (op_name(op, *ty, inst), operands, String::new()),
            Action::Convert(to, from, _, rounding) => {
                let name = format!("CVT.{}.{}{rounding}", to.name(), from.name());
                (name, operands, String::new())
            }
            Action::Swizzle(lanes) => {
                let lane = |(negated, name): &(bool, &str)| {
                    format!("{}{name}", if *negated { "-" } else { "" })
                };
                let lanes: Vec<String> = lanes.iter().map(lane).collect();
                let operands = format!("{operands}, {}", lanes.join(", "));
                ("SWZ".to_owned(), operands, String::new())
            }
            Action::Load(access) => {
                let (before, place) = self.access(access);
                (
                    format!("{}.{}", access.verb("LD"), access.modifier()),
                    place,
                    before,
                )
            }
            Action::Atomic(access, atomic) => {
                let (before, place) = self.access(access);
                let name = format!(
                    "{}.{}.{}",
                    access.verb("ATOM"),
                    atomic.kind.name(),
                    access.modifier()
                );
                (name, format!("{operands}, {place}"), before)
            }
        };
        format!("{before}{name}{} {dest}, {operands};", modifiers(inst))
    }

    /// Instructions that compute an address, and the operand.
    fn access(&self, access: &Access) -> (String, String) {
        let at = access
            .at
            .map(|(var, lane)| format!("{}.{}", self.vars[var].name, LANES[lane]));
        let element = match (at, access.offset) {
            (None, offset) => offset.to_string(),
            (Some(at), 0) => at,
            (Some(at), offset) => format!("{at} + {offset}"),
        };
        if !access.global {
            return (
                String::new(),
                format!("{}[{element}]", access.space.array()),
            );
        }
        let base = if access.space == Space::Input {
            "base.x"
        } else {
            "base.y"
        };
        let mut lines: Vec<String> = Vec::new();
        let mut from = base.to_owned();
        for part in element.split(" + ") {
            lines.push(format!("ADD.U64 at.x, {from}, {part};\n"));
            "at.x".clone_into(&mut from);
        }
        (lines.concat(), "at.x".to_owned())
    }

    fn block(&self, stmts: &[Stmt], indent: usize, out: &mut String) {
        for stmt in stmts {
            self.stmt(stmt, indent, out);
        }
    }

    fn stmt(&self, stmt: &Stmt, indent: usize, out: &mut String) {
        let pad = "  ".repeat(indent);
        let mut line = |text: String| {
            for part in text.lines() {
                out.push_str(&format!("{pad}{part}\n"));
            }
        };
        let when = |test: &Option<Test>| test.map_or(String::new(), |test| format!(" ({test})"));
        match stmt {
            Stmt::Inst(inst) => line(self.inst(inst)),
            Stmt::Store(access, operand) => {
                let (before, place) = self.access(access);
                let name = format!("{}.{}", access.verb("ST"), access.modifier());
                line(format!(
                    "{before}{name} {}, {place};",
                    self.operand(operand)
                ));
            }
            Stmt::If(test, then, otherwise) => {
                line(format!("IF {test};"));
                self.block(then, indent + 1, out);
                if !otherwise.is_empty() {
                    out.push_str(&format!("{pad}ELSE;\n"));
                    self.block(otherwise, indent + 1, out);
                }
                out.push_str(&format!("{pad}ENDIF;\n"));
            }
            Stmt::Rep(count, body) => {
                line(match count {
                    Some((ty, count)) => format!("REP.{:?} {};", ty.base, self.operand(count)),
                    None => "REP;".to_owned(),
                });
                self.block(body, indent + 1, out);
                out.push_str(&format!("{pad}ENDREP;\n"));
            }
            Stmt::Break(test) => line(format!("BRK{};", when(test))),
            Stmt::Continue(test) => line(format!("CONT{};", when(test))),
            Stmt::Return(test) => line(format!("RET{};", when(test))),
            Stmt::Call(routine, test) => line(format!("CAL routine{routine}{};", when(test))),
            Stmt::Barrier => line("BAR;".to_owned()),
            Stmt::Sequence(stmts) => self.block(stmts, indent, out),
            Stmt::Text(text) => line((*text).to_owned()),
        }
    }
}

impl Display for Program {
    /// The instructions of all routines.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if !self.routines.is_empty() {
            text.push_str("main:\n");
        }
        self.block(&self.main, 0, &mut text);
        if !self.routines.is_empty() {
            text.push_str("RET;\n");
        }
        for (number, routine) in self.routines.iter().enumerate() {
            text.push_str(&format!("routine{number}:\n"));
            self.block(routine, 0, &mut text);
        }
        f.write_str(&text)
    }
}

impl Display for Test {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let register = if self.register == 1 { "1" } else { "" };
        write!(f, "{}{register}{}", self.name, swizzle_text(self.swizzle))
    }
}

/// The name with its type, and the suffixes that stand beside it.
fn op_name(op: &Op, ty: Type, inst: &Inst) -> String {
    if op.name == "MUL.24" {
        return format!("MUL.{:?}24", ty.base);
    }
    if inst.suffixes {
        let sets = inst.sets.map_or("", |register| ["C", "C1"][register]);
        let clamp = match inst.clamp {
            None => "",
            Some(Clamp::Sat) => "_SAT",
            Some(Clamp::Ssat) => "_SSAT",
        };
        return format!("{}R{sets}{clamp}", op.name);
    }
    match (ty.bits, op.since) {
        // Programs of version 4 have no sized types.
        (32, _) => format!("{}.{:?}", op.name, ty.base),
        _ => format!("{}.{}", op.name, ty.name()),
    }
}

/// Modifiers after the name and its types.
fn modifiers(inst: &Inst) -> String {
    let mut text = String::new();
    if !inst.suffixes {
        text.push_str(inst.sets.map_or("", |register| [".CC", ".CC1"][register]));
        text.push_str(match inst.clamp {
            None => "",
            Some(Clamp::Sat) => ".SAT",
            Some(Clamp::Ssat) => ".SSAT",
        });
    }
    if inst.precise {
        text.push_str(".PREC");
    }
    text
}

impl Access {
    /// Bytes in all.
    pub(super) fn bytes(&self) -> usize {
        self.ty.bits as usize / 8 * self.count
    }

    /// `U32X4`
    fn modifier(&self) -> String {
        match self.count {
            1 => self.ty.name(),
            count => format!("{}X{count}", self.ty.name()),
        }
    }

    /// The instruction's name: `LDB`, or `LOAD` by address.
    fn verb(&self, stem: &str) -> String {
        let global = match stem {
            "LD" => "LOAD",
            "ST" => "STORE",
            _ => "ATOM",
        };
        match (self.global, self.space) {
            (true, _) => global.to_owned(),
            (false, Space::Constant) => format!("{stem}C"),
            (false, Space::Input | Space::Output) => format!("{stem}B"),
            (false, Space::Shared) => format!("{stem}S"),
        }
    }
}

impl Space {
    /// The variable that programs declare for it.
    fn array(self) -> &'static str {
        match self {
            Self::Constant => "constants",
            Self::Input => "given",
            Self::Output => "out",
            Self::Shared => "shared",
        }
    }
}

impl AtomicKind {
    /// Those whose order does not matter.
    pub(super) const COMMON: [Self; 6] = [
        Self::Add,
        Self::Min,
        Self::Max,
        Self::And,
        Self::Or,
        Self::Xor,
    ];

    pub(super) const ALL: [Self; 10] = [
        Self::Add,
        Self::Min,
        Self::Max,
        Self::Iwrap,
        Self::Dwrap,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Exch,
        Self::Cswap,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Add => "ADD",
            Self::Min => "MIN",
            Self::Max => "MAX",
            Self::Iwrap => "IWRAP",
            Self::Dwrap => "DWRAP",
            Self::And => "AND",
            Self::Or => "OR",
            Self::Xor => "XOR",
            Self::Exch => "EXCH",
            Self::Cswap => "CSWAP",
        }
    }

    /// What an atomic operation stores, of the operand's x and y and the word that was there.
    pub(super) fn apply(self, ty: Type, x: i128, y: i128, old: i128) -> i128 {
        match self {
            Self::Add => ty.wrap(x + old),
            Self::Min => x.min(old),
            Self::Max => x.max(old),
            Self::Iwrap => {
                if old >= x {
                    0
                } else {
                    old + 1
                }
            }
            Self::Dwrap => {
                if old == 0 || old > x {
                    x
                } else {
                    old - 1
                }
            }
            Self::And => x & old,
            Self::Or => x | old,
            Self::Xor => ty.wrap(x ^ old),
            Self::Exch => x,
            Self::Cswap => {
                if old == x {
                    y
                } else {
                    old
                }
            }
        }
    }
}
