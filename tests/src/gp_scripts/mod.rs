//! Random scripts of programs of NV_gpu_program4 and 5, with the values that they must give.
//!
//! A writer tries statements on a machine of its own, which computes what all invocations hold, and keeps those of which the specifications
//! decide everything: no result of a program depends on rounding that is left open, on the order of invocations, or on bits of a NaN.
//! The machine shares nothing with the interpreter of the intermediate representation and with code generation. Equal seeds give equal scripts.

mod access;
mod arith;
mod blocks;
mod convert;
mod finish;
mod flags;
mod instructions;
mod layout;
mod machine;
mod memory;
mod ops;
mod program;
mod state;
mod traffic;
mod value;
mod values;
mod writer;

use layout::Script;
use writer::Profile;

/// Which program of a script is a random one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A vertex program; its results reach eight attachments through a fragment program.
    Vertex,
    /// A fragment program with inputs that are not interpolated.
    Fragment,
    /// A compute program of several groups.
    Compute,
}

impl Kind {
    /// All kinds, with names for files.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::Vertex, "vertex"),
        (Self::Fragment, "fragment"),
        (Self::Compute, "compute"),
    ];
}

/// A script whose program is decided by `seed`.
pub fn script(seed: u64, kind: Kind) -> String {
    // What is needed of a device goes round, so that any few seeds in a row have all of it.
    let profile = Profile {
        version: if kind != Kind::Compute && seed.is_multiple_of(4) {
            40
        } else {
            50
        },
        long: matches!(seed % 8, 3 | 5 | 7),
        emulated: seed % 8 == 5,
        double: matches!(seed % 8, 1 | 3),
        global: kind == Kind::Compute && seed % 16 > 8,
    };
    let mut script = Script::new(seed, kind, profile);
    script.parameters();
    script.attributes();
    script.temporaries();
    script.results();
    script.begin();
    script.body();
    script.end();
    script.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The random program of a script.
    fn program(script: &str, name: &str) -> String {
        let (_, rest) = script.split_once(&format!("[{name} program]\n")).unwrap();
        rest.split("\n[").next().unwrap().to_owned()
    }

    #[test]
    fn the_programs_load() {
        for seed in 0..16 {
            for (kind, name) in Kind::ALL {
                let text = program(&script(seed, kind), name);
                crate::assert_loads(&text);
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
}
