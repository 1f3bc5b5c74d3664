//! The instructions of ARB programs, and what is known of their results.

use super::knowledge::Knowledge;

/// What is known of the result of an instruction.
pub(super) type ResultOf = fn(&[Knowledge]) -> Knowledge;

/// How operands of an instruction are chosen.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// Vectors of any kind.
    Any(ResultOf),
    /// The first operand must be exact, or all of them: the result jumps where it changes.
    Jumps(Deciding, ResultOf),
    /// One component from 0.5 up to a limit.
    Function(Function),
    Pow,
    Lit,
    Swz,
}

/// Operands on which jumps depend.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Deciding {
    First,
    All,
}

/// A function of one number from 0.5 on.
#[derive(Clone, Copy)]
pub(super) struct Function {
    /// Largest argument, as it stands in programs.
    pub(super) up_to: Option<&'static str>,
    /// Largest magnitude of results and of the slope.
    pub(super) limit: f64,
    pub(super) slope: f64,
}

/// An instruction.
pub(super) struct Op {
    pub(super) name: &'static str,
    pub(super) operands: usize,
    pub(super) languages: Availability,
    /// The components that it leaves undefined are not written.
    pub(super) mask: Option<&'static str>,
    pub(super) rule: Rule,
}

pub(super) const fn op(name: &'static str, operands: usize, rule: Rule) -> Op {
    Op {
        name,
        operands,
        languages: Availability::Both,
        mask: None,
        rule,
    }
}

pub(super) const fn fragment(op: Op) -> Op {
    Op {
        languages: Availability::Fragment,
        ..op
    }
}

pub(super) const fn function(up_to: Option<&'static str>, limit: f64, slope: f64) -> Rule {
    Rule::Function(Function {
        up_to,
        limit,
        slope,
    })
}

pub(super) fn same(known: &[Knowledge]) -> Knowledge {
    known[0]
}

pub(super) fn sum(known: &[Knowledge]) -> Knowledge {
    known[0].plus(known[1])
}

pub(super) fn product(known: &[Knowledge]) -> Knowledge {
    known[0].times(known[1])
}

pub(super) fn either(known: &[Knowledge]) -> Knowledge {
    known[0].or(known[1])
}

pub(super) fn dot(known: &[Knowledge]) -> Knowledge {
    let product = product(known);
    product.plus(product).plus(product).plus(product)
}

pub(super) fn bit(_: &[Knowledge]) -> Knowledge {
    Knowledge::exact(1.0, 0)
}

/// All instructions but those of textures.
pub(super) const OPS: &[Op] = &[
    op("ABS", 1, Rule::Any(same)),
    op("ADD", 2, Rule::Any(sum)),
    fragment(op(
        "CMP",
        3,
        Rule::Jumps(Deciding::First, |known| known[1].or(known[2])),
    )),
    op("DP3", 2, Rule::Any(dot)),
    op("DP4", 2, Rule::Any(dot)),
    op("DPH", 2, Rule::Any(|known| dot(known).plus(known[1]))),
    op(
        "DST",
        2,
        Rule::Any(|known| product(known).or(either(known)).or(bit(known))),
    ),
    op(
        "FLR",
        1,
        Rule::Jumps(Deciding::All, |known| {
            Knowledge::exact(known[0].limit + 1.0, 0)
        }),
    ),
    op(
        "FRC",
        1,
        Rule::Jumps(Deciding::All, |known| {
            Knowledge::result(1.0, known[0].fraction, 0.0)
        }),
    ),
    // a * b + (1 - a) * c may be computed as a * (b - c) + c.
    fragment(op(
        "LRP",
        3,
        Rule::Any(|known| {
            let sum = known[0].times(known[1].plus(known[2])).plus(known[2]);
            Knowledge::rounded(sum.limit).with_error(sum.error)
        }),
    )),
    op("MAD", 3, Rule::Any(|known| product(known).plus(known[2]))),
    op("MAX", 2, Rule::Any(either)),
    op("MIN", 2, Rule::Any(either)),
    op("MOV", 1, Rule::Any(same)),
    op("MUL", 2, Rule::Any(product)),
    op("SGE", 2, Rule::Jumps(Deciding::All, bit)),
    op("SLT", 2, Rule::Jumps(Deciding::All, bit)),
    op("SUB", 2, Rule::Any(sum)),
    op("SWZ", 1, Rule::Swz),
    Op {
        mask: Some(".xyz"),
        ..op("XPD", 2, Rule::Any(dot))
    },
    fragment(op("COS", 1, function(None, 1.0, 1.0))),
    op("EX2", 1, function(Some("3.0"), 8.0, 8.0)),
    op("LG2", 1, function(None, 4.0, 3.0)),
    op("POW", 2, Rule::Pow),
    op("RCP", 1, function(None, 2.0, 4.0)),
    op("RSQ", 1, function(None, 2.0, 2.0)),
    fragment(op("SIN", 1, function(None, 1.0, 1.0))),
    op("LIT", 1, Rule::Lit),
];

/// Which languages have an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Availability {
    Both,
    Fragment,
}
