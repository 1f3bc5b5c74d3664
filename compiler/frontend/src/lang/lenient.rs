//! What shipped programs do although a rule forbids it, and what it then means. `glasm explain` prints these rows.
//!
//! Drivers accepted these programs, so they load with a warning unless the caller is strict
//! ([`Acceptance`](crate::Acceptance)). The warning has the code of the error that strict callers get.

use crate::codes::Code;

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LenientRule {
    /// The code of the error, and of the warning that stands for it.
    pub code: Code,
    /// What is accepted, with what it means; part of a sentence.
    pub accepted: &'static str,
    /// The shortest program text that shows it.
    pub example: &'static str,
}

macro_rules! rules {
    ($($name:ident $code:ident $example:literal $accepted:literal;)*) => {
        /// The rules that programs may break.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Rule { $(
            #[doc = $accepted]
            $name,
        )* }

        impl Rule {
            /// All rules, by code.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The row of the rule.
            pub const fn info(self) -> LenientRule {
                match self { $(
                    Self::$name => LenientRule { code: Code::$code, accepted: $accepted, example: $example },
                )* }
            }
        }
    };
}

rules! {
    TextBehindNul TextAfterEnd "END\\0\\0\\0"
        "a NUL behind END closes the text, as in strings of C and in buffers of fixed size";
    OtherPrograms TextAfterEnd "!!ARBvp1.0 ... END !!ARBfp1.0 ... END"
        "of several programs in one text, the one of the type asked for is taken";
    LeadingText HeaderUnknown "# lights\\n!!ARBvp1.0 ... END"
        "a byte order mark, blanks and comments before the header are left out";
}
