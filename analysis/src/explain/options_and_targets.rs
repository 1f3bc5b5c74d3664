//! Options, declarations, texture targets and languages.

use super::bindings::describe_arb;
use super::entry::{Category, Entry, format_program_types, format_required_option};
use super::tgsi;
use glasm::frontend::lang::Stages;
use glasm::frontend::lang::dialect_traits::{
    LANGUAGES, SupportStatus, UnsupportedLanguage, describe_dialect,
};
use glasm::frontend::lang::options::{
    self, Argument, DECLARATIONS, DeclarationInfo, DeclarationWord, OPTIONS, Occurrence, OptionInfo,
};
use glasm::frontend::lang::state::describe_target;
use glasm::frontend::lang::texture_targets::{Access, Reference, TARGETS, TargetInfo};
use glasm::frontend::source::{Family, Version};
use glasm::{Dialect, ProgramType};

/// Returns the names of all options with their descriptions.
pub(super) fn list_option_lines() -> Vec<(String, String)> {
    let lines = OPTIONS
        .iter()
        .map(|info| (info.name.to_owned(), info.description.to_owned()));
    lines.collect()
}

/// Returns the entry of an option, regardless of case; empty if the name is unknown.
pub(super) fn find_option(name: &str) -> Vec<Entry> {
    let mut rows = OPTIONS.iter();
    let row = rows.find(|info| info.name.eq_ignore_ascii_case(name));
    row.map(build_option_entry).into_iter().collect()
}

/// Builds the entry of a program option: the programs that accept it, the options that it excludes,
/// and its specification.
fn build_option_entry(info: &OptionInfo) -> Entry {
    let of_group = |other: &&OptionInfo| {
        info.group != options::OptionGroup::None
            && other.group == info.group
            && other.name != info.name
    };
    let others = OPTIONS.iter().filter(of_group).map(|other| other.name);
    let typed = match info.stages {
        Stages::NONE => "no".to_owned(),
        stages => format!(
            "{}, from version {} on",
            format_program_types(stages),
            info.since.name()
        ),
    };
    let arb = match info.arb {
        Stages::NONE => "no".to_owned(),
        stages => format_program_types(stages),
    };
    let mut fields = vec![
        ("typed", typed),
        ("ARB", arb),
        ("excludes", others.collect::<Vec<_>>().join(", ")),
    ];
    fields.retain(|(_, value)| !value.is_empty());
    Entry {
        syntax: Some(format!("OPTION {};", info.name)),
        fields,
        ..Entry::new(Category::Option, info.name, info.description)
    }
}

/// Returns the keywords of the declarations about a program as a whole, with their descriptions.
pub(super) fn list_declaration_lines() -> Vec<(String, String)> {
    let rows = DECLARATIONS.iter();
    rows.map(|row| (row.keyword.to_owned(), row.description.to_owned()))
        .collect()
}

/// Returns the entry of a declaration, regardless of case; empty if the name is unknown.
pub(super) fn find_declaration(name: &str) -> Vec<Entry> {
    let mut rows = DECLARATIONS.iter();
    let row = rows.find(|row| row.keyword.eq_ignore_ascii_case(name));
    row.map(build_declaration_entry).into_iter().collect()
}

/// Builds the entry of a declaration: its argument, how often it may occur, and the programs that
/// accept it.
fn build_declaration_entry(row: &DeclarationInfo) -> Entry {
    let (argument, takes) = match row.argument {
        Argument::None => ("", String::new()),
        Argument::Number => (" n", "a number".to_owned()),
        Argument::Result => (
            " result.mask",
            "a result, perhaps a range or with a mask".to_owned(),
        ),
        Argument::Word(words) => (" WORD", format_argument_words(words, row.since)),
    };
    let often = match row.occurrence {
        Occurrence::Required => "exactly once",
        Occurrence::Optional => "at most once",
        Occurrence::Repeated => "any number of times",
    };
    let mut fields = vec![
        ("argument", takes),
        ("occurrence", often.to_owned()),
        ("programs", format_program_types(row.stages)),
        (
            "since",
            format!(
                "version {}{}",
                row.since.name(),
                format_required_option(row.required_features)
            ),
        ),
    ];
    fields.retain(|(_, value)| !value.is_empty());
    Entry {
        syntax: Some(format!("{}{argument};", row.keyword)),
        fields,
        ..Entry::new(Category::Declaration, row.keyword, row.description)
    }
}

/// Formats the keywords that a declaration accepts, separated by commas; those that are newer than
/// `since`, the version of the declaration, with their version.
fn format_argument_words(words: &[DeclarationWord], since: Version) -> String {
    let words = words.iter().map(|word| {
        if word.since > since {
            format!("{} (version {})", word.keyword, word.since.name())
        } else {
            word.keyword.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Returns the names of all texture targets with their descriptions, followed by those that only
/// TGSI has.
pub(super) fn list_target_lines() -> Vec<(String, String)> {
    let lines = TARGETS
        .iter()
        .map(|info| (info.name.to_owned(), describe_target_info(info)));
    let mut lines: Vec<(String, String)> = lines.collect();
    for line in tgsi::list_target_lines() {
        if !lines.iter().any(|(name, _)| *name == line.0) {
            lines.push(line);
        }
    }
    lines
}

/// Returns the entries of a texture target, regardless of case, for programs and for TGSI; empty if
/// the name is unknown.
pub(super) fn find_target(name: &str) -> Vec<Entry> {
    let mut rows = TARGETS.iter();
    let row = rows.find(|info| info.name.eq_ignore_ascii_case(name));
    let row = row.map(build_target_entry).into_iter();
    row.chain(tgsi::find_target(name)).collect()
}

/// Returns the entry of a texture target in a language; `None` if the name is unknown.
pub(super) fn find_target_in(name: &str, dialect: Dialect) -> Option<Entry> {
    if dialect.family() == Family::Tgsi {
        return tgsi::find_target(name);
    }
    let mut rows = TARGETS.iter();
    rows.find(|info| info.name == name).map(build_target_entry)
}

/// Returns the description of a texture target, and whether its depths are compared.
fn describe_target_info(info: &TargetInfo) -> String {
    if info.is_shadow() {
        format!(
            "{}, whose depths are compared",
            describe_target(info.target)
        )
    } else {
        describe_target(info.target).to_owned()
    }
}

/// Builds the entry of a texture target: its coordinates, shadow reference, and the opcodes that
/// accept it.
fn build_target_entry(info: &TargetInfo) -> Entry {
    let opcodes = [
        (Access::SAMPLE, "TEX"),
        (Access::BIAS, "TXB"),
        (Access::LOD, "TXL"),
        (Access::PROJECT, "TXP"),
        (Access::GRAD, "TXD"),
        (Access::FETCH, "TXF"),
        (Access::FETCH_SAMPLE, "TXFMS"),
        (Access::GATHER, "TXG"),
        (Access::GATHER_OFFSETS, "TXGO"),
        (Access::QUERY_SIZE, "TXQ"),
        (Access::QUERY_LOD, "LOD"),
        (Access::QUERY_SAMPLES, "TXQS"),
    ];
    let opcodes = opcodes
        .iter()
        .filter(|(access, _)| info.access.contains(*access));
    let opcodes: Vec<&str> = opcodes.map(|(_, opcode)| *opcode).collect();
    let reference = match info.reference {
        Reference::None => String::new(),
        Reference::Lane(lane) => {
            let lane = ["x", "y", "z", "w"].get(usize::from(lane)).unwrap_or(&"w");
            format!("{lane} of the coordinate is compared with")
        }
        Reference::Operand => "x of an operand of its own is compared with".to_owned(),
    };
    let option = format_required_option(info.required_features);
    let typed = match info.since {
        Version::V1_0 | Version::V1_1 | Version::V2_0 => "no".to_owned(),
        since @ (Version::V4_0 | Version::V4_1 | Version::V5_0) => {
            format!("from version {} on{option}", since.name())
        }
    };
    let mut fields = vec![
        ("opcodes", opcodes.join(" ")),
        ("reference", reference),
        (
            "offsets",
            match info.offsets {
                0 => "none".to_owned(),
                1 => "1 component".to_owned(),
                count => format!("{count} components"),
            },
        ),
        ("typed", typed),
        ("ARB", describe_arb(info.arb)),
    ];
    fields.retain(|(_, value)| !value.is_empty());
    Entry {
        syntax: Some(format!(
            "TEX result, coordinate, texture[n], {};",
            info.name
        ))
        .filter(|_| info.access.contains(Access::SAMPLE)),
        fields,
        ..Entry::new(Category::Target, info.name, describe_target_info(info))
    }
}

/// Returns the headers of all languages with their descriptions, supported ones first.
pub(super) fn list_language_lines() -> Vec<(String, String)> {
    let dialects = Dialect::ALL.iter();
    let dialects =
        dialects.map(|dialect| (dialect.header().to_owned(), describe_dialect(*dialect)));
    let others = LANGUAGES
        .iter()
        .map(|row| (row.start.to_owned(), describe_language(row)));
    dialects.chain(others).collect()
}

/// Formats the name of a language that the compiler does not support, and the reason.
fn describe_language(row: &UnsupportedLanguage) -> String {
    match row.status {
        SupportStatus::Unsupported(_) => format!("{}; not there yet", row.name),
        SupportStatus::Foreign(_) => format!("{}; not an assembly language of OpenGL", row.name),
        SupportStatus::NonExistent(_) => row.name.to_owned(),
    }
}

/// Returns the description of a language in addition to its name; empty for most languages.
fn describe_dialect_details(dialect: Dialect) -> &'static str {
    match dialect.program_type() {
        ProgramType::Stage(_) if dialect.family() == Family::Tgsi => {
            "A driver or a virtual GPU prints such texts. `glasm explain files`, `semantics`, `properties` and `targets` list their words, and \
             `docs/tgsi.md` tells how they run. What the text leaves open is said by options of `glasm compile` or by a script."
        }
        ProgramType::Stage(_) => "",
        ProgramType::VertexState => {
            "GL runs such a program once, outside of drawing, to compute parameters of vertex programs. It reads v[0], the vector that it is \
             executed with, reads and writes c[0] to c[95], and has the opcodes of !!VP1.0. It becomes a compute shader of one invocation; \
             the reflection tells which parameters it writes."
        }
    }
}

/// Returns the entry of a language by its header, regardless of case, also of languages that are
/// not supported; empty if the header is unknown.
pub(super) fn find_language(name: &str) -> Vec<Entry> {
    let same = |header: &str| header.eq_ignore_ascii_case(name);
    let mut dialects = Dialect::ALL.iter();
    if let Some(dialect) = dialects.find(|dialect| same(dialect.header())) {
        return vec![Entry {
            fields: match dialect.extension() {
                "" => Vec::new(),
                name => vec![("extension", format!("GL_{name}"))],
            },
            description: describe_dialect_details(*dialect).to_owned(),
            ..Entry::new(
                Category::Language,
                dialect.header(),
                describe_dialect(*dialect),
            )
        }];
    }
    let mut others = LANGUAGES.iter();
    let topic = others.find(|row| same(row.start)).map(|row| {
        let (fields, text) = match row.status {
            SupportStatus::Unsupported(extension) => (
                vec![("extension", format!("GL_{extension}"))],
                "glasm does not have this language yet.".to_owned(),
            ),
            SupportStatus::Foreign(advice) | SupportStatus::NonExistent(advice) => {
                (Vec::new(), format!("{advice}."))
            }
        };
        Entry {
            fields,
            description: text,
            ..Entry::new(Category::Language, row.start, describe_language(row))
        }
    });
    topic.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_name_their_programs() {
        let text = find_option("nv_fragment_program2")[0].format_text();
        assert!(text.contains("  OPTION NV_fragment_program2;\n"), "{text}");
        assert!(
            text.contains("typed      no\n") && text.contains("ARB        fragment\n"),
            "{text}"
        );
        let fog = find_option("ARB_fog_linear")[0].format_text();
        assert!(
            fog.contains("excludes   ARB_fog_exp, ARB_fog_exp2\n"),
            "{fog}"
        );
        assert!(
            !OPTIONS
                .iter()
                .any(|info| info.description.is_empty() || info.description.ends_with('.'))
        );
    }

    #[test]
    fn declarations_name_their_words() {
        let text = find_declaration("primitive_in")[0].format_text();
        assert!(
            text.contains("PATCHES (version 5.0)") && text.contains("exactly once"),
            "{text}"
        );
        let text = find_declaration("TESS_POINT_MODE")[0].format_text();
        assert!(text.contains("  TESS_POINT_MODE;\n"), "{text}");
        assert_eq!(list_declaration_lines().len(), DECLARATIONS.len());
    }

    #[test]
    fn targets_name_their_opcodes() {
        let text = find_target("shadow2d")[0].format_text();
        assert!(
            text.contains("opcodes    TEX TXB TXL TXP TXD TXG TXGO TXQ LOD\n")
                && text.contains("reference  z of the coordinate"),
            "{text}"
        );
        assert!(
            find_target("ARRAYCUBE")[0]
                .format_text()
                .contains("from version 5.0 on")
        );
        assert!(
            find_target("1D_STACK")[0]
                .format_text()
                .contains("with OPTION MESAX_texture_stack")
        );
    }

    #[test]
    fn languages_are_there_or_not() {
        assert!(
            find_language("!!NVcp5.0")[0]
                .format_text()
                .contains("GL_NV_compute_program5")
        );
        let missing = find_language("!!fcp1.0")[0].format_text();
        assert!(
            missing.contains("not there yet") && missing.contains("GL_NV_fragment_program"),
            "{missing}"
        );
        let tgsi = find_language("FRAG")[0].format_text();
        assert!(
            tgsi.contains("docs/tgsi.md") && tgsi.contains("TGSI"),
            "{tgsi}"
        );
    }
}
