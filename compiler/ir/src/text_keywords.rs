//! Keywords of the text form that printer and parser share.

/// An enum whose variants are single keywords of the text form.
pub trait Keyword: Sized {
    /// Returns the keyword of a variant.
    fn keyword(self) -> &'static str;
    /// Returns the variant of a keyword; `None` if there is none.
    fn from_keyword(word: &str) -> Option<Self>;
}

/// Implements [`Keyword`] with a keyword for each variant.
macro_rules! words {
    ($($ty:ident { $($variant:ident = $text:literal),* $(,)? })*) => {$(
        impl $crate::text_keywords::Keyword for $ty {
            fn keyword(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
            fn from_keyword(word: &str) -> Option<Self> {
                match word { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    )*};
}

pub(crate) use words;

/// Implements [`Keyword`] with the keywords of the table `ALL`.
macro_rules! words_of_tables {
    ($($ty:ident)*) => {$(
        impl $crate::text_keywords::Keyword for $ty {
            fn keyword(self) -> &'static str {
                Self::ALL.iter().find(|entry| entry.0 == self).map_or("?", |entry| entry.1)
            }
            fn from_keyword(word: &str) -> Option<Self> {
                Self::ALL.iter().find(|entry| entry.1 == word).map(|entry| entry.0)
            }
        }
    )*};
}
pub(crate) use words_of_tables;
