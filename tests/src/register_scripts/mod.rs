//! Random scripts of programs that name registers, with the values that they must give.
//!
//! A writer tries statements on a machine of its own, which computes what all invocations hold, and keeps those whose results are exact
//! in the precision of the instruction, whatever the order of sums and whether products are fused: small integers and dyadic fractions.
//! The machine shares nothing with the compiler. Equal seeds give equal scripts.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "most matches tell one kind of programs or places from all others"
)]

mod exact;
mod layout;
mod machine;
mod ops;
mod program;
mod writer;

use layout::Script;

/// Which program of a script is a random one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// NV_vertex_program.
    Vertex10,
    /// NV_vertex_program1_1.
    Vertex11,
    /// NV_vertex_program2: conditions, branches, calls and loops.
    Vertex20,
    /// Vertex state programs of NV_vertex_program: one invocation, which writes parameters.
    State,
    /// NV_fragment_program: three precisions, conditions, KIL, names of constants and parameters.
    Fragment,
}

impl Kind {
    /// All kinds, with names for files.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Vertex10, "vp10"),
        (Self::Vertex11, "vp11"),
        (Self::Vertex20, "vp20"),
        (Self::State, "vsp10"),
        (Self::Fragment, "fp10"),
    ];
}

/// A script whose program is decided by `seed`.
pub fn script(seed: u64, kind: Kind) -> String {
    let mut script = Script::new(seed, kind);
    script.begin();
    script.body();
    script.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The random program of a script.
    fn program(script: &str, kind: Kind) -> String {
        let stage = match kind {
            Kind::Fragment => "fragment",
            Kind::State => "vertex state",
            _ => "vertex",
        };
        let (_, rest) = script.split_once(&format!("[{stage} program]\n")).unwrap();
        rest.split("\n[").next().unwrap().to_owned()
    }

    #[test]
    fn the_programs_load() {
        for seed in 0..32 {
            for (kind, _) in Kind::ALL {
                crate::assert_loads(&program(&script(seed, kind), kind));
            }
        }
    }

    #[test]
    fn equal_seeds_give_equal_scripts() {
        for (kind, _) in Kind::ALL {
            assert_eq!(script(5, kind), script(5, kind));
            assert_ne!(script(5, kind), script(6, kind));
        }
    }

    /// Else the scripts would test less than they say.
    #[test]
    fn all_constructs_occur() {
        let all = |kind| -> String { (0..64).map(|seed| script(seed, kind)).collect() };
        for (kind, words) in [
            (Kind::Vertex10, &["c[A0.x", "DP4", "LOG ", "-R"][..]),
            (Kind::State, &["c[A0.x", "DP4", "v[0]", "MAD c["]),
            (Kind::Vertex11, &["c[A0.x", "DPH", "ABS ", "SUB "]),
            (
                Kind::Vertex20,
                &["BRA ", "CAL ", "(GT", "|R", "ARRC ", "RCP ", "CC.", "ARA "],
            ),
            (
                Kind::Fragment,
                &["KIL ", "ADDH", "MULX", "C_SAT", "PK2H", "RC.", "X2D", "(LE"],
            ),
        ] {
            let text = all(kind);
            for word in words {
                assert!(text.contains(word), "{kind:?} has no `{word}`");
            }
        }
    }
}
