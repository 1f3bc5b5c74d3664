//! Options, declarations, texture targets and languages.

use super::bindings::describe_arb;
use super::tgsi;
use super::topic::{Group, Topic, format_programs, with_option};
use glasm::frontend::lang::Stages;
use glasm::frontend::lang::declarations::{
    Argument, DECLARATIONS, DeclarationInfo, DeclarationWord, Occurrence,
};
use glasm::frontend::lang::languages::{LANGUAGES, Language, Standing, dialect_name};
use glasm::frontend::lang::meanings::target_text;
use glasm::frontend::lang::options::{self, OPTIONS, OptionInfo};
use glasm::frontend::lang::targets::{Access, Reference, TARGETS, TargetInfo};
use glasm::frontend::source::{Family, Version};
use glasm::{Dialect, ProgramType};

/// Lists all options.
pub(super) fn list_option_lines() -> Vec<(String, String)> {
    let lines = OPTIONS
        .iter()
        .map(|info| (info.name.to_owned(), info.text.to_owned()));
    lines.collect()
}

/// Finds the entry of an option.
pub(super) fn find_option(name: &str) -> Vec<Topic> {
    let mut rows = OPTIONS.iter();
    let row = rows.find(|info| info.name.eq_ignore_ascii_case(name));
    row.map(build_option_topic).into_iter().collect()
}

fn build_option_topic(info: &OptionInfo) -> Topic {
    let of_group = |other: &&OptionInfo| {
        info.group != options::Group::None && other.group == info.group && other.name != info.name
    };
    let others = OPTIONS.iter().filter(of_group).map(|other| other.name);
    let typed = match info.stages {
        Stages::NONE => "no".to_owned(),
        stages => format!(
            "{}, from version {} on",
            format_programs(stages),
            info.since.name()
        ),
    };
    let arb = match info.arb {
        Stages::NONE => "no".to_owned(),
        stages => format_programs(stages),
    };
    let mut fields = vec![
        ("typed", typed),
        ("ARB", arb),
        ("excludes", others.collect::<Vec<_>>().join(", ")),
    ];
    fields.retain(|(_, value)| !value.is_empty());
    Topic {
        syntax: Some(format!("OPTION {};", info.name)),
        fields,
        ..Topic::new(Group::Option, info.name, info.text)
    }
}

/// Lists the declarations about a program as a whole that define its inputs and outputs.
pub(super) fn list_declaration_lines() -> Vec<(String, String)> {
    let rows = DECLARATIONS.iter();
    rows.map(|row| (row.word.to_owned(), row.text.to_owned()))
        .collect()
}

/// Finds the entry of a declaration.
pub(super) fn find_declaration(name: &str) -> Vec<Topic> {
    let mut rows = DECLARATIONS.iter();
    let row = rows.find(|row| row.word.eq_ignore_ascii_case(name));
    row.map(build_declaration_topic).into_iter().collect()
}

fn build_declaration_topic(row: &DeclarationInfo) -> Topic {
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
        ("how often", often.to_owned()),
        ("programs", format_programs(row.stages)),
        (
            "since",
            format!("version {}{}", row.since.name(), with_option(row.needs)),
        ),
    ];
    fields.retain(|(_, value)| !value.is_empty());
    Topic {
        syntax: Some(format!("{}{argument};", row.word)),
        fields,
        ..Topic::new(Group::Declaration, row.word, row.text)
    }
}

/// Lists the keywords that a declaration accepts; of later ones with the version.
fn format_argument_words(words: &[DeclarationWord], since: Version) -> String {
    let words = words.iter().map(|word| {
        if word.since > since {
            format!("{} (version {})", word.word, word.since.name())
        } else {
            word.word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Lists all targets.
pub(super) fn list_target_lines() -> Vec<(String, String)> {
    let lines = TARGETS
        .iter()
        .map(|info| (info.name.to_owned(), describe_target(info)));
    let mut lines: Vec<(String, String)> = lines.collect();
    for line in tgsi::list_target_lines() {
        if !lines.iter().any(|(name, _)| *name == line.0) {
            lines.push(line);
        }
    }
    lines
}

/// Finds the entry of a target.
pub(super) fn find_target(name: &str) -> Vec<Topic> {
    let mut rows = TARGETS.iter();
    let row = rows.find(|info| info.name.eq_ignore_ascii_case(name));
    let row = row.map(build_target_topic).into_iter();
    row.chain(tgsi::find_target(name)).collect()
}

fn describe_target(info: &TargetInfo) -> String {
    if info.is_shadow() {
        format!("{}, whose depths are compared", target_text(info.target))
    } else {
        target_text(info.target).to_owned()
    }
}

fn build_target_topic(info: &TargetInfo) -> Topic {
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
    let option = with_option(info.needs);
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
    Topic {
        syntax: Some(format!(
            "TEX result, coordinate, texture[n], {};",
            info.name
        ))
        .filter(|_| info.access.contains(Access::SAMPLE)),
        fields,
        ..Topic::new(Group::Target, info.name, describe_target(info))
    }
}

/// Lists all languages, supported ones first.
pub(super) fn list_language_lines() -> Vec<(String, String)> {
    let dialects = Dialect::ALL.iter();
    let dialects = dialects.map(|dialect| (dialect.header().to_owned(), dialect_name(*dialect)));
    let others = LANGUAGES
        .iter()
        .map(|row| (row.start.to_owned(), describe_language(row)));
    dialects.chain(others).collect()
}

fn describe_language(row: &Language) -> String {
    match row.standing {
        Standing::Missing(_) => format!("{}; not there yet", row.name),
        Standing::Foreign(_) => format!("{}; not an assembly language of OpenGL", row.name),
        Standing::Never(_) => row.name.to_owned(),
    }
}

/// Returns the description of a language in addition to its name.
fn describe_dialect(dialect: Dialect) -> &'static str {
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

/// Finds a language by its header.
pub(super) fn find_language(name: &str) -> Vec<Topic> {
    let same = |header: &str| header.eq_ignore_ascii_case(name);
    let mut dialects = Dialect::ALL.iter();
    if let Some(dialect) = dialects.find(|dialect| same(dialect.header())) {
        return vec![Topic {
            fields: match dialect.extension() {
                "" => Vec::new(),
                name => vec![("extension", format!("GL_{name}"))],
            },
            text: describe_dialect(*dialect).to_owned(),
            ..Topic::new(Group::Language, dialect.header(), dialect_name(*dialect))
        }];
    }
    let mut others = LANGUAGES.iter();
    let topic = others.find(|row| same(row.start)).map(|row| {
        let (fields, text) = match row.standing {
            Standing::Missing(extension) => (
                vec![("extension", format!("GL_{extension}"))],
                "glasm does not have this language yet.".to_owned(),
            ),
            Standing::Foreign(advice) | Standing::Never(advice) => {
                (Vec::new(), format!("{advice}."))
            }
        };
        Topic {
            fields,
            text,
            ..Topic::new(Group::Language, row.start, describe_language(row))
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
                .any(|info| info.text.is_empty() || info.text.ends_with('.'))
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
