//! Enumerations whose values have enumerants of OpenGL and words in scripts.

/// Defines an enumeration of GL with the columns: variant, word, enumerant.
macro_rules! enumerants {
    ($(#[$doc:meta])* $name:ident { $($(#[$row:meta])* $variant:ident $word:literal $number:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Deserialize, serde::Serialize),
            serde(rename_all = "snake_case")
        )]
        pub enum $name { $($(#[$row])* $variant,)* }

        impl $name {
            /// All values, in the order of the specification's table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the value that an enumerant of OpenGL denotes; `None` for other enumerants.
            pub const fn from_enumerant(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Returns the enumerant of OpenGL.
            pub const fn enumerant(self) -> u32 {
                match self {
                    $(Self::$variant => $number,)*
                }
            }

            /// Returns the name of the value in scripts.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    };
}

pub(super) use enumerants;
