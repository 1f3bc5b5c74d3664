//! Explanations of names: opcodes, error codes, options, declarations, bindings, state, texture
//! targets, words of TGSI and languages, from the tables that the compiler itself reads.

pub(crate) mod bindings;
mod entry;
mod entry_tables;
mod opcodes;
mod options_and_targets;
mod tgsi;

pub use entry::{Category, Entry};

use glasm::Dialect;
use glasm::frontend::find_closest;
use serde_json::{Value, json};

/// Opcodes that are no longer are short.
const MAX_OPCODE_LENGTH: usize = 7;

/// Names that are suggested at most.
const MAX_SUGGESTIONS: usize = 12;

/// Answer about a topic.
#[derive(Clone, Debug)]
pub enum Explanation {
    /// All about a name.
    Entries(Vec<Entry>),
    /// Names with a line about each.
    List(Vec<(Category, Vec<(String, String)>)>),
}

impl Explanation {
    /// Formats the entries or the lists for users, separated by empty lines.
    pub fn format_text(&self) -> String {
        match self {
            Self::Entries(topics) => {
                let texts: Vec<String> = topics.iter().map(Entry::format_text).collect();
                texts.join("\n")
            }
            Self::List(groups) => {
                let texts: Vec<String> = groups.iter().map(format_list).collect();
                texts.join("\n")
            }
        }
    }

    /// Formats each entry or list line as a JSON object on a separate line.
    pub fn format_json(&self) -> String {
        let objects: Vec<Value> = match self {
            Self::Entries(topics) => topics.iter().map(Entry::format_json).collect(),
            Self::List(groups) => {
                let lines = groups.iter().flat_map(|(group, lines)| {
                    let object = |(name, summary): &(String, String)| json!({ "kind": group.noun(), "name": name, "summary": summary });
                    lines.iter().map(object)
                });
                lines.collect()
            }
        };
        objects.iter().map(|object| format!("{object}\n")).collect()
    }
}

/// Formats a group with its heading, and its names in a column.
fn format_list((group, lines): &(Category, Vec<(String, String)>)) -> String {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let width = width.clamp(7, 40);
    let mut text = format!("{}:\n", group.argument_and_heading().1);
    for (name, about) in lines {
        text += &format!("  {name:<width$} {about}\n");
    }
    text
}

/// Returns the answer about a topic: all names without one, the entries of a name, the names of a
/// group, or the bindings that begin with it, in this order.
///
/// # Errors
/// A message with similar names if there are none.
pub fn explain(topic: Option<&str>) -> Result<Explanation, String> {
    let Some(topic) = topic.map(str::trim) else {
        let groups = Category::ALL
            .into_iter()
            .map(|group| (group, group.list_lines()));
        return Ok(Explanation::List(groups.collect()));
    };
    let groups = Category::ALL.into_iter();
    let topics: Vec<Entry> = groups.flat_map(|group| group.find_entries(topic)).collect();
    if !topics.is_empty() {
        return Ok(Explanation::Entries(topics));
    }
    let mut groups = Category::ALL.into_iter();
    if let Some(group) =
        groups.find(|group| group.argument_and_heading().0.eq_ignore_ascii_case(topic))
    {
        return Ok(Explanation::List(vec![(group, group.list_lines())]));
    }
    let below = find_nested_names(topic);
    if below.is_empty() {
        Err(err_unknown_name(topic))
    } else {
        Ok(Explanation::List(below))
    }
}

/// Returns the entries of a name of a group for programs of a language; empty if the language does
/// not have it. Numbers in the brackets of bindings do not matter.
pub fn find_program_entries(category: Category, name: &str, dialect: Dialect) -> Vec<Entry> {
    match category {
        Category::Opcode => opcodes::find_opcode_in(name, dialect).into_iter().collect(),
        Category::Target => options_and_targets::find_target_in(name, dialect)
            .into_iter()
            .collect(),
        Category::Binding => bindings::find_binding_in(name, dialect),
        Category::Error
        | Category::Option
        | Category::Declaration
        | Category::State
        | Category::File
        | Category::Semantic
        | Category::Property
        | Category::Language => category.find_entries(name),
    }
}

/// Returns the bindings whose names continue a beginning such as `fragment` or `state.light[0]`, by
/// group; groups without any are omitted.
fn find_nested_names(topic: &str) -> Vec<(Category, Vec<(String, String)>)> {
    let plain = bindings::remove_indices(topic);
    let is_below = |(name, _): &(String, String)| {
        let name = bindings::remove_indices(name);
        let rest = name.strip_prefix(plain.as_str());
        !plain.is_empty() && rest.is_some_and(|rest| rest.starts_with(['.', '[']))
    };
    let mut found = Vec::new();
    for group in [Category::Binding, Category::State] {
        let lines: Vec<_> = group.list_lines().into_iter().filter(is_below).collect();
        if !lines.is_empty() {
            found.push((group, lines));
        }
    }
    found
}

/// Returns the error about an unknown name, with the closest name, or with similar opcodes and
/// error codes, because these are so short that many are close.
fn err_unknown_name(topic: &str) -> String {
    let upper = topic.to_ascii_uppercase();
    let names: Vec<String> = Category::ALL
        .into_iter()
        .flat_map(|group| group.list_lines().into_iter().map(|(name, _)| name))
        .collect();
    let plain = bindings::remove_indices(topic);
    let near = find_closest(topic, names.iter().map(String::as_str));
    let near = near.or_else(|| find_closest(&plain, names.iter().map(String::as_str)));
    let groups = [Category::Opcode, Category::Error].into_iter();
    let similar_short_names: Vec<String> = groups
        .flat_map(|group| group.list_lines().into_iter().map(|(name, _)| name))
        .filter(|name| upper.len() > 1 && is_similar(name, &upper))
        .take(MAX_SUGGESTIONS)
        .collect();
    // Opcodes and codes are so short that many are similar.
    let is_short = |name: &str| {
        let mut groups = [Category::Opcode, Category::Error].into_iter();
        name.len() <= MAX_OPCODE_LENGTH && groups.any(|group| !group.find_entries(name).is_empty())
    };
    let hint = match near {
        Some(near) if similar_short_names.is_empty() || !is_short(near) => {
            format!("; did you mean `{near}`?")
        }
        None if similar_short_names.is_empty() || topic.len() > MAX_OPCODE_LENGTH => String::new(),
        Some(_) | None => format!("; there are {}", similar_short_names.join(", ")),
    };
    let groups: Vec<&str> = Category::ALL
        .iter()
        .map(|group| group.argument_and_heading().0)
        .collect();
    format!(
        "unknown name `{topic}`{hint}; `glasm explain` lists all, `glasm explain GROUP` one of {}",
        groups.join(", ")
    )
}

/// Returns true if two names share their start: the first two characters, or the first four of an
/// error code.
fn is_similar(name: &str, wanted: &str) -> bool {
    let length = if name.starts_with('E') && name.len() == 5 {
        4
    } else {
        2
    };
    matches!((name.get(..length), wanted.get(..length)), (Some(name), Some(wanted)) if name == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(topic: &str) -> String {
        explain(Some(topic)).map_or_else(|message| panic!("{message}"), |it| it.format_text())
    }

    fn error(topic: &str) -> String {
        match explain(Some(topic)) {
            Ok(answer) => panic!("explained: {}", answer.format_text()),
            Err(message) => message,
        }
    }

    #[test]
    fn every_topic_of_the_list_is_explained() {
        for group in Category::ALL {
            for (name, _) in group.list_lines() {
                for typed in [name.clone(), name.to_lowercase(), name.replace("[]", "[2]")] {
                    let found = group.find_entries(&typed);
                    assert!(!found.is_empty(), "{typed}");
                    let text = text(&typed);
                    assert!(text.contains(&format!("{name}: ")), "{typed}:\n{text}");
                    let long = text.lines().find(|line| line.chars().count() > 120);
                    assert_eq!(long, None);
                }
            }
        }
    }

    #[test]
    fn groups_and_beginnings_are_listed() {
        assert!(text("options").starts_with("Options:\n"));
        assert!(text("targets").contains("SHADOW2D"));
        let fragment = text("fragment");
        assert!(
            fragment.contains("fragment.color ") && !fragment.contains("vertex."),
            "{fragment}"
        );
        let light = text("state.light[3]");
        assert!(
            light.contains("state.light[n].half") && !light.contains("lightmodel"),
            "{light}"
        );
        let all = explain(None).map_or_else(|it| it, |it| it.format_text());
        for group in Category::ALL {
            assert!(
                all.contains(&format!("{}:\n", group.argument_and_heading().1)),
                "{all}"
            );
        }
    }

    #[test]
    fn opcodes_show_their_shape() {
        let mad = text("mad");
        assert!(
            mad.contains("  MAD result, a, b, c;\n") && mad.contains("(F if none is given)"),
            "{mad}"
        );
        assert!(text("TEX").contains("TEX result, a, texture[n], target;"));
        assert!(text("DDX").contains("programs   fragment\n"));
        assert!(text("ENDIF").contains("\n  ENDIF;\n"));
        // Each family has its own.
        assert!(mad.contains("language   TGSI\n") && mad.contains("  MAD result, a, b, c\n"));
    }

    #[test]
    fn unknown_topics_get_suggestions() {
        assert!(error("MADD").contains("MAD, MAX"), "{}", error("MADD"));
        for (topic, near) in [
            ("NV_fragment_progam2", "NV_fragment_program2"),
            ("fragment.colour", "fragment.color"),
            ("vertex.atrib[3]", "vertex.attrib[n]"),
            ("state.matrix.mpv", "state.matrix.mvp"),
            ("SHADWO2D", "SHADOW2D"),
            ("!!ARBvp1.1", "!!ARBvp1.0"),
            ("SAMPEL_B", "SAMPLE_B"),
            ("ATOMINC_WARP", "ATOMINC_WRAP"),
            ("HWATOMICS", "HWATOMIC"),
            ("TEMPP", "TEMP"),
            ("VIEWPORT_INDX", "VIEWPORT_INDEX"),
            ("FS_COORD_ORIGEN", "FS_COORD_ORIGIN"),
            ("2D_ARAY_MSAA", "2D_ARRAY_MSAA"),
        ] {
            let message = error(topic);
            assert!(
                message.contains(&format!("did you mean `{near}`?")),
                "{topic}: {message}"
            );
        }
        let message = error("\u{e9}\u{e9}");
        assert!(
            message.starts_with("unknown name `\u{e9}\u{e9}`; `glasm explain` lists all"),
            "{message}"
        );
    }

    #[test]
    fn errors_tell_what_is_accepted_with_a_warning() {
        let text = text("E0108");
        let rules = text.matches("is a warning without --strict: `").count();
        assert_eq!(rules, 2, "{text}");
        assert!(text.contains("`END\\0\\0\\0`: a\nNUL after END"), "{text}");
    }
}
