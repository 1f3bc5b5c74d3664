//! How programs are written in the data that contains them, and remarks about them.

use std::fmt;

/// How the text of a program is written where it was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Form {
    /// Verbatim.
    Text,
    /// Verbatim, each line after the same prefix, as in logs and comments.
    PrefixedLines,
    /// In consecutive strings that end with a NUL byte.
    NulSeparated,
    /// In string literals of a programming language or of JSON, with escapes.
    Literal,
    /// With escapes, without quotation marks.
    Escaped,
    /// With the entities of XML.
    Xml,
}

impl Form {
    /// Returns the name of the form, as in the index.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::PrefixedLines => "prefixed-lines",
            Self::NulSeparated => "nul-separated",
            Self::Literal => "literal",
            Self::Escaped => "escaped",
            Self::Xml => "xml",
        }
    }
}

/// Encoding of the characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Encoding {
    /// One byte each, or UTF-8.
    Bytes,
    /// UTF-16 with the low byte first.
    Utf16Le,
    /// UTF-16 with the high byte first.
    Utf16Be,
}

/// Encoding and form of a program; its text is `utf-16le literal`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Decoding {
    /// Encoding of the characters.
    pub encoding: Encoding,
    /// Form of the text.
    pub form: Form,
}

impl fmt::Display for Decoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.encoding {
            Encoding::Bytes => {}
            Encoding::Utf16Le => f.write_str("utf-16le ")?,
            Encoding::Utf16Be => f.write_str("utf-16be ")?,
        }
        f.write_str(self.form.name())
    }
}

/// A remark about a program: a reason why its text may differ from what an application loads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Note {
    /// There is no `END`: the text ends before it.
    NoEnd,
    /// The text has placeholders such as `%d`, which the application replaces.
    Placeholders,
    /// A name between literals, which represents unknown text; it is in the program.
    Macro(String),
    /// Only the first branch of `#if` is in the text.
    Conditional,
    /// The text is joined of several strings.
    Joined,
    /// A Unity shader contains the program.
    Unity,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEnd => f.write_str("no END"),
            Self::Placeholders => f.write_str("placeholders"),
            Self::Macro(name) => write!(f, "macro {name}"),
            Self::Conditional => f.write_str("first branch of #if"),
            Self::Joined => f.write_str("joined strings"),
            Self::Unity => f.write_str("Unity shader"),
        }
    }
}

/// Returns true if a text has a percent sign outside of comments: no language has one in its
/// programs.
pub(crate) fn has_placeholders(text: &[u8]) -> bool {
    let mut is_comment = false;
    text.iter().any(|byte| {
        match byte {
            b'#' => is_comment = true,
            b'\n' | b'\r' => is_comment = false,
            _ => {}
        }
        *byte == b'%' && !is_comment
    })
}
