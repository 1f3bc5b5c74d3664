//! Builds the random program.

use super::{ALL_LANES, Generated, Mask, Op, Operand, PARAMS, Sign, Stmt, Value, Variant};
use crate::rng::Rng;

/// Operations in a loop body.
const LOOP_BODY: usize = 40;

/// Makes a program of about `size` operations.
pub fn program(variant: Variant, size: usize, seed: u64) -> Generated {
    let mut builder = Builder::new(variant, size, seed);
    let body = builder.body();
    Generated {
        variant,
        body,
        operations: builder.operations,
        temps: builder.written.len(),
        scratch: if variant == Variant::If { 4 } else { 1 },
    }
}

/// What to choose for one operation; a normalization is four.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    One(Op),
    Normalize,
}

/// Weights in percent.
const CHOICES: &[(Choice, usize)] = &[
    (Choice::One(Op::Mad), 34),
    (Choice::One(Op::Mul), 12),
    (Choice::One(Op::Add), 8),
    (Choice::One(Op::Sub), 8),
    (Choice::One(Op::Dp4), 12),
    (Choice::One(Op::Min), 10),
    (Choice::One(Op::Max), 10),
    (Choice::Normalize, 6),
];

struct Builder {
    rng: Rng,
    variant: Variant,
    size: usize,
    operations: usize,
    max_temps: usize,
    textures: usize,
    /// Whether each temporary has been written.
    written: Vec<bool>,
    /// Temporaries whose last value nobody has read yet, oldest first.
    unread: Vec<usize>,
}

impl Builder {
    fn new(variant: Variant, size: usize, seed: u64) -> Self {
        let max_temps = if size < 40 { 4 } else { 8 };
        // Shape and size are part of the seed: programs of one seed are not prefixes of each other.
        let seed = seed ^ ((size as u64) << 8) ^ ((variant as u64) << 56);
        Self {
            rng: Rng::new(seed),
            variant,
            size,
            operations: 0,
            max_temps,
            textures: 0,
            written: Vec::new(),
            unread: Vec::new(),
        }
    }

    fn body(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        self.first_values(&mut body);
        let textures = [(40, 2), (500, 4), (5000, 8), (usize::MAX, 16)];
        let wanted = textures
            .iter()
            .find(|(limit, _)| self.size < *limit)
            .map_or(16, |(_, count)| *count);
        while self.operations + self.closing() < self.size {
            if self.textures < wanted && self.operations * wanted >= self.textures * self.size {
                self.texture(&mut body);
                continue;
            }
            match self.variant {
                Variant::Straight => self.operation(&mut body, None),
                Variant::Loop => self.repeat(&mut body),
                Variant::If => {
                    self.branch(&mut body);
                    self.operation(&mut body, None);
                }
            }
        }
        self.result(&mut body);
        body
    }

    /// Gives the first temporaries their values.
    fn first_values(&mut self, body: &mut Vec<Stmt>) {
        let from = vec![
            self.operand(Value::Attrib(0)),
            self.operand(Value::Param(0)),
            self.operand(Value::Attrib(1)),
        ];
        let to = self.destination();
        self.push(body, Op::Mad, Value::Temp(to), ALL_LANES, from);
        self.wrote(to);
    }

    /// Operations that [`Self::result`] will add.
    fn closing(&self) -> usize {
        self.unread.len() + 1
    }

    /// Adds up what nobody has read, clamps it, and writes the result.
    fn result(&mut self, body: &mut Vec<Stmt>) {
        let rest = std::mem::take(&mut self.unread);
        let sum = Value::Temp(rest[0]);
        for other in &rest[1..] {
            self.push(
                body,
                Op::Add,
                sum,
                ALL_LANES,
                vec![plain(sum), plain(Value::Temp(*other))],
            );
        }
        self.push(
            body,
            Op::Min,
            sum,
            ALL_LANES,
            vec![plain(sum), plain(Value::Param(6))],
        );
        self.push(body, Op::Mov, Value::Result, ALL_LANES, vec![plain(sum)]);
    }

    fn push(&mut self, body: &mut Vec<Stmt>, op: Op, to: Value, mask: Mask, from: Vec<Operand>) {
        self.operations += 1;
        body.push(Stmt::Op { op, to, mask, from });
    }

    fn repeat(&mut self, body: &mut Vec<Stmt>) {
        let end = (self.operations + LOOP_BODY).min(self.size.saturating_sub(self.closing()));
        let mut inner = Vec::new();
        while self.operations < end {
            self.operation(&mut inner, None);
        }
        body.push(Stmt::Loop(inner));
    }

    /// A branch whose sides compute the same temporary in different ways.
    fn branch(&mut self, body: &mut Vec<Stmt>) {
        let first = self.unread_or_any();
        let to = self.destination();
        let stmt = self.sides(plain(Value::Temp(first)), Value::Temp(to), 0);
        body.push(stmt);
        self.wrote(to);
    }

    fn sides(&mut self, first: Operand, to: Value, level: usize) -> Stmt {
        self.operations += 1;
        let right = Operand {
            swizzle: [1; 4],
            ..plain(Value::Param(self.rng.below(6)))
        };
        // What a side reads, the other may need too: neither counts as having read it.
        let unread = self.unread.clone();
        let then = self.side(first, to, level);
        self.unread.clone_from(&unread);
        let otherwise = self.side(first, to, level);
        self.unread = unread;
        Stmt::If {
            left: Operand {
                swizzle: [0; 4],
                ..first
            },
            right,
            then,
            otherwise,
        }
    }

    /// A chain through a scratch temporary whose last operation writes `to`.
    fn side(&mut self, first: Operand, to: Value, level: usize) -> Vec<Stmt> {
        let mut body = Vec::new();
        let scratch = Value::Scratch(level + 1);
        if self.size < 40 {
            self.operation(&mut body, Some((first, to)));
            return body;
        }
        self.operation(&mut body, Some((first, scratch)));
        let again = self.operand(scratch);
        self.operation(&mut body, Some((again, scratch)));
        let again = self.operand(scratch);
        if level < 1 && self.rng.percent(25) {
            let nested = self.sides(again, to, level + 1);
            body.push(nested);
        } else {
            self.operation(&mut body, Some((again, to)));
        }
        body
    }

    fn texture(&mut self, body: &mut Vec<Stmt>) {
        let coordinate = if self.textures < 2 {
            Value::Attrib(0)
        } else {
            Value::Temp(self.unread_or_any())
        };
        let to = self.destination();
        let unit = self.textures % 2;
        self.push(
            body,
            Op::Tex(unit),
            Value::Temp(to),
            ALL_LANES,
            vec![plain(coordinate)],
        );
        self.textures += 1;
        self.wrote(to);
    }

    /// One operation. `fixed` gives its first operand and its destination; else both are temporaries.
    fn operation(&mut self, body: &mut Vec<Stmt>, fixed: Option<(Operand, Value)>) {
        let first = fixed.map_or_else(
            || {
                let temp = self.unread_or_any();
                self.operand(Value::Temp(temp))
            },
            |(first, _)| first,
        );
        let choice = self.choice();
        let (choice, op) = match (choice, fixed) {
            (Choice::One(op), _) => (choice, op),
            (Choice::Normalize, None) => (choice, Op::Mul),
            (Choice::Normalize, Some(_)) => (Choice::One(Op::Mad), Op::Mad),
        };
        let from = if choice == Choice::Normalize {
            self.length(body, first)
        } else {
            self.operands(op, first)
        };
        match fixed {
            Some((_, to)) => self.push(body, op, to, ALL_LANES, from),
            None => {
                let to = self.destination();
                let mask = self.mask(to);
                self.push(body, op, Value::Temp(to), mask, from);
                self.wrote(to);
            }
        }
    }

    /// Computes one over the length of `vector` and returns the operands of the multiplication that is left.
    fn length(&mut self, body: &mut Vec<Stmt>, vector: Operand) -> Vec<Operand> {
        let scratch = Value::Scratch(0);
        let x = [true, false, false, false];
        let first = |value| Operand {
            swizzle: [0; 4],
            ..plain(value)
        };
        let whole = plain(vector.value);
        self.push(body, Op::Dp4, scratch, x, vec![whole, whole]);
        self.push(
            body,
            Op::Max,
            scratch,
            x,
            vec![first(scratch), first(Value::Immediate(0))],
        );
        self.push(body, Op::Rsq, scratch, x, vec![first(scratch)]);
        vec![vector, first(scratch)]
    }

    /// The operands of `op`, of which the first is given.
    fn operands(&mut self, op: Op, first: Operand) -> Vec<Operand> {
        match op {
            Op::Mad => vec![first, self.param(), self.other()],
            Op::Mul if self.rng.percent(50) => vec![first, self.operand(Value::Attrib(1))],
            Op::Mul | Op::Dp4 => vec![first, self.param()],
            Op::Add | Op::Sub => vec![first, self.other()],
            Op::Min => vec![first, self.operand(Value::Param(6))],
            Op::Max => vec![first, self.operand(Value::Param(7))],
            Op::Rsq | Op::Mov | Op::Tex(_) => vec![first],
        }
    }

    fn choice(&mut self) -> Choice {
        let mut ticket = self
            .rng
            .below(CHOICES.iter().map(|(_, weight)| weight).sum());
        for (choice, weight) in CHOICES {
            match ticket.checked_sub(*weight) {
                Some(rest) => ticket = rest,
                None => return *choice,
            }
        }
        Choice::One(Op::Mad)
    }

    fn operand(&mut self, value: Value) -> Operand {
        let swizzle = match self.rng.below(100) {
            0..65 => [0, 1, 2, 3],
            65..85 => [self.rng.below(4); 4],
            _ => [(); 4].map(|()| self.rng.below(4)),
        };
        Operand {
            value,
            swizzle,
            sign: if self.rng.percent(10) {
                Sign::Negated
            } else {
                Sign::Plain
            },
        }
    }

    fn param(&mut self) -> Operand {
        let index = self.rng.below(PARAMS - 2);
        self.operand(Value::Param(index))
    }

    /// A second operand: what waits longest, else an attribute or any temporary.
    fn other(&mut self) -> Operand {
        if self.unread.len() > 2 || !self.rng.percent(12) {
            let temp = if self.unread.len() > 2 {
                self.unread.remove(0)
            } else {
                self.any_written()
            };
            return self.operand(Value::Temp(temp));
        }
        let attrib = self.rng.below(2);
        self.operand(Value::Attrib(attrib))
    }

    fn unread_or_any(&mut self) -> usize {
        if self.unread.is_empty() {
            self.any_written()
        } else {
            self.unread.remove(0)
        }
    }

    fn any_written(&mut self) -> usize {
        let written: Vec<usize> = (0..self.written.len())
            .filter(|temp| self.written[*temp])
            .collect();
        *self.rng.pick(&written)
    }

    /// A temporary whose value has been read: a new one while there are few.
    fn destination(&mut self) -> usize {
        if self.written.len() < self.max_temps {
            self.written.push(false);
            return self.written.len() - 1;
        }
        let free: Vec<usize> = (0..self.max_temps)
            .filter(|temp| !self.unread.contains(temp))
            .collect();
        // All wait to be read only if the program is tiny; then the first may go.
        if free.is_empty() {
            self.unread.remove(0)
        } else {
            *self.rng.pick(&free)
        }
    }

    /// The first write of a temporary writes all lanes.
    fn mask(&mut self, temp: usize) -> Mask {
        const PARTIAL: &[Mask] = &[
            [true, true, true, false],
            [true, false, false, false],
            [false, false, false, true],
            [true, true, false, false],
            [false, true, true, true],
            [true, false, true, false],
        ];
        if !self.written[temp] || self.rng.percent(80) {
            ALL_LANES
        } else {
            *self.rng.pick(PARTIAL)
        }
    }

    fn wrote(&mut self, temp: usize) {
        self.written[temp] = true;
        if !self.unread.contains(&temp) {
            self.unread.push(temp);
        }
    }
}

/// An operand without swizzle and sign.
fn plain(value: Value) -> Operand {
    Operand {
        value,
        swizzle: [0, 1, 2, 3],
        sign: Sign::Plain,
    }
}
