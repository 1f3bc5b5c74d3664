//! Words of the languages by their position in a statement, for editors and other tools: the roles
//! of first words, condition tests, and which opcodes a program has.
//!
//! All of it is a view of the tables that parser and checker read. TGSI has its own:
//! [`tgsi::reference`](crate::tgsi::reference).

use crate::ast::DeclKind;
use crate::lang::arb::ArbAvailability;
use crate::lang::opcodes::OpcodeInfo;
use crate::lang::options::{self, Features};
use crate::source::{Acceptance, Dialect, Family};
use crate::syntax::{self, DeclWord, StatementStart};
use glasm_ir::Stage;

pub use crate::diagnostic_sink::parse_spelling_hint;
pub use crate::lang::modifiers::test_words;
pub use crate::lang::opcode_info::BlockEdge;

/// Role of a word at the start of a statement.
#[derive(Clone, Copy, Debug)]
pub enum FirstWord {
    /// An opcode, perhaps with suffixes.
    Opcode(&'static OpcodeInfo),
    /// The keyword of a declaration.
    Declaration(DeclKind),
    /// A modifier before the keyword of a declaration.
    Modifier,
    /// `OPTION`.
    Option,
    /// `END`.
    End,
    /// Any other word, such as a label.
    Other,
}

impl From<StatementStart> for FirstWord {
    fn from(start: StatementStart) -> Self {
        match start {
            StatementStart::Opcode(opcode, _) => Self::Opcode(opcode.info()),
            StatementStart::Decl(DeclWord::Keyword(kind)) => Self::Declaration(kind),
            StatementStart::Decl(DeclWord::Modifier(_)) => Self::Modifier,
            StatementStart::Option => Self::Option,
            StatementStart::End => Self::End,
            StatementStart::RemovedWord | StatementStart::Unknown | StatementStart::OtherWord => {
                Self::Other
            }
        }
    }
}

/// Returns the role of a word at the start of a statement, in a language other than TGSI.
pub fn find_first_word(dialect: Dialect, word: &[u8]) -> FirstWord {
    syntax::find_statement_start(dialect, word).into()
}

/// Returns the keywords that begin statements other than instructions in a language, with their
/// roles; empty for TGSI.
pub fn list_keywords(dialect: Dialect) -> Vec<(&'static str, FirstWord)> {
    let family = dialect.family();
    if family == Family::Tgsi {
        return Vec::new();
    }
    let has_options = (dialect.traits().registers).is_none_or(|registers| registers.has_options);
    let option = has_options.then_some(("OPTION", FirstWord::Option));
    let declarations = syntax::declaration_words(family)
        .filter(|(_, word)| match word {
            DeclWord::Keyword(DeclKind::Program(declaration)) => {
                let info = declaration.info();
                info.stages.contains_stage(dialect.stage()) && info.since <= dialect.version()
            }
            DeclWord::Keyword(_) | DeclWord::Modifier(_) => true,
        })
        .map(|(text, word)| (text, StatementStart::Decl(word).into()));
    let end = ("END", FirstWord::End);
    declarations.chain(option).chain([end]).collect()
}

/// Returns the features of a program with these options; names that are not options of the
/// language are ignored.
pub fn find_features<'a>(dialect: Dialect, names: impl Iterator<Item = &'a [u8]>) -> Features {
    let rows = names.filter_map(|name| options::find_option(name, dialect, Acceptance::Shipped));
    rows.fold(dialect.traits().features, |features, row| {
        features | row.enables
    })
}

/// Returns true if programs of a language with these features have an opcode of its family.
pub fn is_opcode_available(info: &OpcodeInfo, dialect: Dialect, features: Features) -> bool {
    if info.arb != ArbAvailability::NONE {
        let form = info.arb.for_stage(dialect.stage());
        return form.is_some_and(|form| features.contains(form.required_features));
    }
    let has_stage = info.stages.contains_stage(dialect.stage())
        // Vertex state programs have the opcodes of vertex programs.
        || info.names_registers() && dialect.stage() == Stage::Compute;
    let has_version =
        info.since <= dialect.version() || !info.early.is_empty() && features.contains(info.early);
    has_stage && has_version && features.contains(info.required_features)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::opcodes::family_opcodes;

    fn has(dialect: Dialect, options: &[&str], name: &str) -> bool {
        let features = find_features(dialect, options.iter().map(|name| name.as_bytes()));
        let rows = family_opcodes(dialect.family()).iter();
        rows.filter(|info| info.name == name)
            .any(|info| is_opcode_available(info, dialect, features))
    }

    #[test]
    fn options_and_versions_add_opcodes() {
        // ARB_fragment_program has no DDX; NV_fragment_program_option adds it.
        assert!(!has(Dialect::ArbFp1_0, &[], "DDX"));
        assert!(has(Dialect::ArbFp1_0, &["NV_fragment_program"], "DDX"));
        // NV_gpu_program5 adds TXGO, and STORE only for options or versions above.
        assert!(!has(Dialect::NvFp4_0, &[], "TXGO"));
        assert!(has(Dialect::NvFp5_0, &[], "TXGO"));
        // KIL is an opcode of fragment programs.
        assert!(!has(Dialect::NvVp5_0, &[], "KIL"));
        assert!(has(Dialect::NvVsp1_0, &[], "MOV"));
    }

    #[test]
    fn first_words_have_roles() {
        let role = |word: &str| find_first_word(Dialect::NvFp5_0, word.as_bytes());
        assert!(matches!(role("MAD_SAT"), FirstWord::Opcode(info) if info.name == "MAD"));
        assert!(matches!(
            role("TEMP"),
            FirstWord::Declaration(DeclKind::Temp)
        ));
        assert!(matches!(role("FLAT"), FirstWord::Modifier));
        assert!(matches!(role("END"), FirstWord::End));
        assert!(matches!(role("main"), FirstWord::Other));
    }

    #[test]
    fn keywords_are_those_of_the_stage() {
        let has = |dialect, wanted: &str| {
            let keywords = list_keywords(dialect);
            keywords.iter().any(|(word, _)| *word == wanted)
        };
        assert!(has(Dialect::NvGp4_0, "PRIMITIVE_IN"));
        assert!(!has(Dialect::NvFp4_0, "PRIMITIVE_IN"));
        assert!(!has(Dialect::NvVp1_0, "OPTION"));
        assert!(has(Dialect::NvFp1_0, "DEFINE"));
    }
}
