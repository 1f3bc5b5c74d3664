//! Words of a language that start statements: opcodes, declarations, END and OPTION.
//!
//! The table of a language is built when the first program of it is read. Almost every word may
//! also be a name, so that the grammar decides by position.

use crate::ast::{DeclKind, VarMods};
use crate::keyword_table::{self, KeywordTable};
use crate::lang::modifiers::ModifierFlags;
use crate::lang::opcodes::{self, Opcode};
use crate::lang::options::DECLARATIONS;
use crate::source::{Dialect, Family};
use std::sync::OnceLock;

/// A word that starts a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeclWord {
    /// The keyword of a statement.
    Keyword(DeclKind),
    /// A modifier before the keyword.
    Modifier(VarMods),
}

/// Families that have a declaration word.
const BOTH: &[Family] = &[Family::Typed, Family::Arb];
const TYPED: &[Family] = &[Family::Typed];
const ARB: &[Family] = &[Family::Arb];
const FRAGMENT_1: &[Family] = &[Family::Fragment1];

static KEYWORDS: &[(&str, DeclWord, &[Family])] = &[
    // Columns: word, the statement that it begins, families that have it.
    ("ADDRESS", DeclWord::Keyword(DeclKind::Address), ARB),
    ("DECLARE", DeclWord::Keyword(DeclKind::Declare), FRAGMENT_1),
    ("DEFINE", DeclWord::Keyword(DeclKind::Define), FRAGMENT_1),
    ("TEMP", DeclWord::Keyword(DeclKind::Temp), BOTH),
    ("ATTRIB", DeclWord::Keyword(DeclKind::Attrib), BOTH),
    ("PARAM", DeclWord::Keyword(DeclKind::Param), BOTH),
    ("OUTPUT", DeclWord::Keyword(DeclKind::Output), BOTH),
    ("ALIAS", DeclWord::Keyword(DeclKind::Alias), BOTH),
    ("BUFFER", DeclWord::Keyword(DeclKind::Buffer), TYPED),
    ("BUFFER4", DeclWord::Keyword(DeclKind::Buffer4), TYPED),
    ("CBUFFER", DeclWord::Keyword(DeclKind::Cbuffer), TYPED),
    ("TEXTURE", DeclWord::Keyword(DeclKind::Texture), TYPED),
    ("IMAGE", DeclWord::Keyword(DeclKind::Image), TYPED),
    ("SHARED", DeclWord::Keyword(DeclKind::Shared), TYPED),
    ("STORAGE", DeclWord::Keyword(DeclKind::Storage), TYPED),
    ("COUNTER", DeclWord::Keyword(DeclKind::Counter), TYPED),
    ("GROUP_SIZE", DeclWord::Keyword(DeclKind::GroupSize), TYPED),
    (
        "SHARED_MEMORY",
        DeclWord::Keyword(DeclKind::SharedMemory),
        TYPED,
    ),
    (
        "SECONDARY_VIEW_LAYER_OFFSET",
        DeclWord::Keyword(DeclKind::SecondaryViewLayerOffset),
        TYPED,
    ),
    // The heading and the body of NV_stereo_view_rendering write it so, its grammar does not.
    (
        "NV_SECONDARY_VIEW_LAYER_OFFSET",
        DeclWord::Keyword(DeclKind::SecondaryViewLayerOffset),
        TYPED,
    ),
    (
        "SUBROUTINETYPE",
        DeclWord::Keyword(DeclKind::SubroutineType),
        TYPED,
    ),
    ("SUBROUTINE", DeclWord::Keyword(DeclKind::Subroutine), TYPED),
    ("SHORT", DeclWord::Modifier(VarMods::SHORT), BOTH),
    ("LONG", DeclWord::Modifier(VarMods::LONG), BOTH),
    ("INT", DeclWord::Modifier(VarMods::INT), TYPED),
    ("UINT", DeclWord::Modifier(VarMods::UINT), TYPED),
    ("FLOAT", DeclWord::Modifier(VarMods::FLOAT), TYPED),
    ("FLAT", DeclWord::Modifier(VarMods::FLAT), TYPED),
    ("CENTROID", DeclWord::Modifier(VarMods::CENTROID), TYPED),
    (
        "NOPERSPECTIVE",
        DeclWord::Modifier(VarMods::NOPERSPECTIVE),
        TYPED,
    ),
    ("SAMPLE", DeclWord::Modifier(VarMods::SAMPLE), TYPED),
];

/// Returns the keywords and modifiers that begin declarations in a language family.
pub(crate) fn declaration_words(family: Family) -> impl Iterator<Item = (&'static str, DeclWord)> {
    let words = KEYWORDS
        .iter()
        .filter(move |(.., families)| families.contains(&family))
        .map(|&(text, word, _)| (text, word));
    let of_program = DECLARATIONS.iter().filter(move |_| family == Family::Typed);
    words.chain(of_program.map(|row| {
        let kind = DeclKind::Program(row.declaration);
        (row.keyword, DeclWord::Keyword(kind))
    }))
}

/// Role of a word at the start of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StatementStart {
    /// An opcode, with the suffixes that are part of the word.
    Opcode(Opcode, ModifierFlags),
    Decl(DeclWord),
    Option,
    End,
    /// An opcode of older languages.
    RemovedWord,
    /// A word in no table: perhaps an opcode with suffixes, which is tested when the word begins a
    /// statement.
    Unknown,
    OtherWord,
}

/// Returns the role of a word at the start of a statement in a language: that of its table, an
/// opcode with suffixes, or `OtherWord`.
pub(crate) fn find_statement_start(dialect: Dialect, word: &[u8]) -> StatementStart {
    let listed =
        StatementKeywords::for_dialect(dialect).find_start(keyword_table::word_key(word), word);
    listed.unwrap_or_else(|| {
        let found = opcodes::split_suffixes(dialect.family(), word);
        found.map_or(StatementStart::OtherWord, |(opcode, mods)| {
            StatementStart::Opcode(opcode, mods)
        })
    })
}

/// Properties of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameInfo {
    pub(crate) statement_start: StatementStart,
    /// True if an earlier declaration has this name.
    pub(super) is_declared: bool,
}

/// The words of a language.
#[derive(Debug)]
pub(super) struct StatementKeywords {
    statement_starts: KeywordTable<StatementStart>,
}

impl NameInfo {
    /// Returns the properties of a name that is not declared and has this role at the start of a
    /// statement.
    pub(super) const fn new(leader: StatementStart) -> Self {
        Self {
            statement_start: leader,
            is_declared: false,
        }
    }
}

impl StatementKeywords {
    /// Returns the table of words that begin statements in a language, which is built on the first
    /// call.
    pub(super) fn for_dialect(dialect: Dialect) -> &'static Self {
        static TABLES: [OnceLock<StatementKeywords>; Dialect::ALL.len()] =
            [const { OnceLock::new() }; Dialect::ALL.len()];
        TABLES[dialect as usize].get_or_init(|| Self::new(dialect))
    }

    /// Builds the table of the words that may begin a statement in a language: opcodes without
    /// suffixes, keywords of declarations, and reserved or removed words. Of a word in several
    /// lists the opcode precedes declarations and removed words.
    fn new(dialect: Dialect) -> Self {
        let (family, facts) = (dialect.family(), dialect.traits());
        let old = facts
            .removed_words
            .iter()
            .map(|&text| (text, StatementStart::RemovedWord));
        let words =
            declaration_words(family).map(|(text, word)| (text, StatementStart::Decl(word)));
        let opcodes = opcodes::named_opcodes(family)
            .map(|(text, opcode)| (text, StatementStart::Opcode(opcode, ModifierFlags::empty())));
        let others = [
            ("END", StatementStart::End),
            ("OPTION", StatementStart::Option),
        ];
        // Listed, so that they are known to begin no statement without parsing of suffixes.
        let reserved = facts.reserved_words.iter();
        let bindings = reserved.map(|&text| (text, StatementStart::OtherWord));
        // The order matters where a word is in several lists: the last one wins.
        let leaders = old.chain(words).chain(opcodes).chain(others);
        Self {
            statement_starts: leaders.chain(bindings).collect(),
        }
    }

    /// Returns the role of `text`, whose key is `key`, at the start of a statement.
    pub(super) fn find_start(&self, key: u64, text: &[u8]) -> Option<StatementStart> {
        self.statement_starts.find_by_key(key, text).copied()
    }
}
