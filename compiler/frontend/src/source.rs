//! The program string and its language.

/// A language: what the header names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Dialect {
    /// `!!NVvp5.0`
    NvVp5_0,
    /// `!!NVfp5.0`
    NvFp5_0,
    /// `!!NVcp5.0`
    NvCp5_0,
}

/// A program string.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name for messages, usually a path.
    pub name: &'a str,
    /// The text. Any bytes are allowed; what is not a program gives diagnostics.
    pub text: &'a [u8],
    /// Language, or `None` to read it off the header.
    pub dialect: Option<Dialect>,
}

impl<'a> Source<'a> {
    /// A program string whose language is read off its header.
    pub fn new(name: &'a str, text: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self { name, text: text.as_ref(), dialect: None }
    }
}
