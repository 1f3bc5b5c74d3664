//! Conditions and labels of random programs with branches.

/// The condition of a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cond {
    Always,
    Less,
    Greater,
    Equal,
    Never,
}

impl Cond {
    /// What stands behind the opcode and its label.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Always => "",
            Self::Less => " (LT.x)",
            Self::Greater => " (GT.x)",
            Self::Equal => " (EQ.x)",
            Self::Never => " (FL)",
        }
    }

    /// Whether the jump is taken if this number has set the condition code.
    pub(crate) fn holds(self, code: f32) -> bool {
        match self {
            Self::Always => true,
            Self::Less => code < 0.0,
            Self::Greater => code > 0.0,
            Self::Equal => code == 0.0,
            Self::Never => false,
        }
    }
}

/// A label; label 0 is sometimes `main`.
pub(crate) fn label(number: usize, main: bool) -> String {
    if number == 0 && main {
        "main".to_owned()
    } else {
        format!("L{number}")
    }
}

#[test]
fn a_number_is_less_greater_or_equal() {
    let conds = [
        Cond::Always,
        Cond::Less,
        Cond::Greater,
        Cond::Equal,
        Cond::Never,
    ];
    for code in [-0.5, 0.0, 0.5] {
        // Always, and one of the three that compare.
        assert_eq!(conds.iter().filter(|cond| cond.holds(code)).count(), 2);
    }
}
