//! The words that begin declarations.

use crate::ast::{DeclKind, VarMods};
use crate::lang::declarations::DECLARATIONS;
use crate::source::Family;

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
    // word, what it begins, families that have it
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
    // The heading and the text of NV_stereo_view_rendering write it so, its grammar does not.
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

/// The declaration words of a family.
pub(super) fn of(family: Family) -> impl Iterator<Item = (&'static str, DeclWord)> {
    let words = KEYWORDS
        .iter()
        .filter(move |(.., families)| families.contains(&family))
        .map(|&(text, word, _)| (text, word));
    let of_program = DECLARATIONS.iter().filter(move |_| family == Family::Typed);
    words.chain(of_program.map(|row| {
        let kind = DeclKind::Program(row.declaration);
        (row.word, DeclWord::Keyword(kind))
    }))
}
