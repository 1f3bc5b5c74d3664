//! Generated programs for measurements and tests: one random program, printed as assembly and as GLSL.
//!
//! A program is a list of vector operations on a few temporaries, like the shaders that games wrote by hand: mostly MAD, MUL,
//! ADD and DP4, some normalizations and texture reads. Each value that is written is read again later, so a compiler that
//! drops dead code has nothing to gain, and equal seeds give equal programs.

mod build;
mod glsl;
mod gp;
mod like_real;
mod mix;
mod real;
mod register;
mod shapes;
mod tgsi;
mod tgsi_real;

pub use build::program;
pub use mix::mix;
pub use real::{PrimitiveStage, Real, primitive_real, real};
pub use register::{RegisterLanguage, Spelling, register_real};
pub use shapes::Shape;

/// Program parameters that generated programs read.
pub const PARAMS: usize = 8;

/// Times that each loop runs.
pub const ITERATIONS: u32 = 4;

/// Literal vectors.
pub const IMMEDIATES: [[f32; 4]; 2] = [[0.25, 0.5, 1.0, 2.0], [-1.0, -0.5, 0.125, 1.5]];

/// The shape of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Variant {
    /// No control flow.
    Straight,
    /// Loops of about 40 operations.
    Loop,
    /// Branches of a few operations, nested at most twice.
    If,
}

impl Variant {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Straight, Self::Loop, Self::If];

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Straight => "straight",
            Self::Loop => "loop",
            Self::If => "if",
        }
    }
}

/// A vector that an operation reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// A temporary.
    Temp(usize),
    /// A temporary that only a few neighboring operations use.
    Scratch(usize),
    /// A fragment attribute, 0 or 1.
    Attrib(usize),
    /// A program parameter.
    Param(usize),
    /// A row of [`IMMEDIATES`].
    Immediate(usize),
    /// The result color; only written.
    Result,
}

/// Sign of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// As it is.
    Plain,
    /// Negated.
    Negated,
}

/// An operand: a value with swizzle and sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// What is read.
    pub value: Value,
    /// Component that each lane reads.
    pub swizzle: [usize; 4],
    /// Sign.
    pub sign: Sign,
}

/// What an operation does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// a * b + c
    Mad,
    /// a * b
    Mul,
    /// a + b
    Add,
    /// a - b
    Sub,
    /// Dot product of four components, to all lanes.
    Dp4,
    /// Smaller of two.
    Min,
    /// Larger of two.
    Max,
    /// One over the square root of the first component, to all lanes.
    Rsq,
    /// A copy.
    Mov,
    /// Two-dimensional texture read from this unit.
    Tex(usize),
}

/// Lanes that an operation writes.
pub type Mask = [bool; 4];

/// All lanes.
pub const ALL_LANES: Mask = [true; 4];

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// One operation.
    Op {
        /// What it does.
        op: Op,
        /// Where its result goes.
        to: Value,
        /// Lanes that it writes.
        mask: Mask,
        /// What it reads.
        from: Vec<Operand>,
    },
    /// Repeats its body [`ITERATIONS`] times.
    Loop(Vec<Self>),
    /// Compares the first components and runs one side.
    If {
        /// Left side of `>`.
        left: Operand,
        /// Right side of `>`.
        right: Operand,
        /// If it is greater.
        then: Vec<Self>,
        /// Else.
        otherwise: Vec<Self>,
    },
}

/// A generated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// Its shape.
    pub variant: Variant,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// Operations in the source text: a loop body once, both sides of a branch, one for each condition.
    pub operations: usize,
    /// Temporaries that it uses.
    pub temps: usize,
    /// Scratch temporaries that it uses.
    pub scratch: usize,
}

impl Generated {
    /// As `!!NVfp5.0` assembly.
    pub fn assembly(&self) -> String {
        gp::print(self)
    }

    /// The same as TGSI.
    pub fn tgsi(&self) -> String {
        tgsi::print(self)
    }

    /// As GLSL 4.50 for Vulkan, with separate textures and samplers.
    pub fn glsl(&self) -> String {
        glsl::print(self)
    }
}

#[cfg(test)]
mod tests {
    use super::{Op, Stmt, Value, Variant, program};
    use std::collections::BTreeSet;

    #[test]
    fn equal_seeds_give_equal_programs() {
        for variant in Variant::ALL {
            assert_eq!(program(variant, 100, 1), program(variant, 100, 1));
            assert_ne!(program(variant, 100, 1), program(variant, 100, 2));
        }
    }

    #[test]
    fn sizes_are_close_to_what_was_asked_for() {
        for variant in Variant::ALL {
            for size in [10, 100, 1000, 10_000] {
                let made = program(variant, size, 1).operations;
                let slack = 8 + size / 20;
                assert!(made.abs_diff(size) <= slack, "{variant:?} {size}: {made}");
            }
        }
    }

    /// Operations of all nested statements.
    fn count(body: &[Stmt]) -> usize {
        body.iter()
            .map(|stmt| match stmt {
                Stmt::Op { .. } => 1,
                Stmt::Loop(body) => count(body),
                Stmt::If {
                    then, otherwise, ..
                } => 1 + count(then) + count(otherwise),
            })
            .sum()
    }

    #[test]
    fn operations_are_counted_as_documented() {
        for variant in Variant::ALL {
            let made = program(variant, 1000, 3);
            assert_eq!(made.operations, count(&made.body));
        }
    }

    #[test]
    fn every_temporary_is_written_before_it_is_read() {
        fn walk(body: &[Stmt], written: &mut BTreeSet<String>) {
            for stmt in body {
                match stmt {
                    Stmt::Op { op, to, from, mask } => {
                        for operand in from {
                            if matches!(operand.value, Value::Temp(_) | Value::Scratch(_)) {
                                assert!(
                                    written.contains(&format!("{:?}", operand.value)),
                                    "{stmt:?}"
                                );
                            }
                        }
                        if *mask == super::ALL_LANES
                            || *op == Op::Rsq
                            || matches!(to, Value::Scratch(_))
                        {
                            written.insert(format!("{to:?}"));
                        } else {
                            assert!(
                                written.contains(&format!("{to:?}")),
                                "first write is partial: {stmt:?}"
                            );
                        }
                    }
                    Stmt::Loop(body) => walk(body, written),
                    Stmt::If {
                        then, otherwise, ..
                    } => {
                        let mut other = written.clone();
                        walk(then, written);
                        walk(otherwise, &mut other);
                        written.retain(|value| other.contains(value));
                    }
                }
            }
        }
        for variant in Variant::ALL {
            for seed in 0..20 {
                walk(&program(variant, 200, seed).body, &mut BTreeSet::new());
            }
        }
    }
}
