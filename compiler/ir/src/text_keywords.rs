//! Keywords of the text form that printer and parser share.

/// An enum whose variants are single keywords of the text form.
pub trait Word: Sized {
    /// Returns the keyword of a variant.
    fn word(self) -> &'static str;
    /// Returns the variant of a keyword; `None` if there is none.
    fn from_word(word: &str) -> Option<Self>;
}

/// Implements [`Word`] with a keyword for each variant.
macro_rules! words {
    ($($ty:ident { $($variant:ident = $text:literal),* $(,)? })*) => {$(
        impl $crate::text_keywords::Word for $ty {
            fn word(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
            fn from_word(word: &str) -> Option<Self> {
                match word { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    )*};
}

pub(crate) use words;

/// Implements [`Word`] with the keywords of the table `ALL`.
macro_rules! words_of_tables {
    ($($ty:ident)*) => {$(
        impl $crate::text_keywords::Word for $ty {
            fn word(self) -> &'static str {
                Self::ALL.iter().find(|row| row.0 == self).map_or("?", |row| row.1)
            }
            fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().find(|row| row.1 == word).map(|row| row.0)
            }
        }
    )*};
}
pub(crate) use words_of_tables;
