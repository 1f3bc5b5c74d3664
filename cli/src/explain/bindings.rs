//! Bindings of attributes, results and GL state. Numbers are shown as `[n]` and may be asked for as
//! any number.

use super::topic::{Group, Topic, format_programs, with_option};
use glasm::frontend::lang::Stages;
use glasm::frontend::lang::bindings::{ATTRIBS, BindingInfo, Number, RESULTS, Traits};
use glasm::frontend::lang::meanings::{form_text, matrix_text, semantic_text, state_text};
use glasm::frontend::lang::options::Features;
use glasm::frontend::lang::state::{FORMS, MATRICES, MatrixInfo, STATE, StateInfo};
use glasm::frontend::source::{Family, Version};
use glasm::ir::types::Base;
use glasm::ir::{Semantic, Stage};

/// Returns a name in lower case with empty brackets: `vertex.attrib[]` for `vertex.attrib[3]`.
pub(super) fn remove_indices(name: &str) -> String {
    let mut plain = String::new();
    let mut inside = false;
    for character in name.chars() {
        inside &= character != ']';
        if !inside && !character.is_whitespace() {
            plain.push(character.to_ascii_lowercase());
        }
        inside |= character == '[';
    }
    plain
}

/// Returns the displayed form of a path: `vertex.attrib[n]` for `vertex.attrib[]`.
fn format_path(path: &str) -> String {
    path.replace("[]", "[n]")
}

/// Returns true if a name matches a path. A number may be missing where the language permits it.
fn is_asked_for(path: &str, number: Number, name: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let name = remove_indices(name);
    name == path || matches!(number, Number::Optional(_)) && name == path.replace("[]", "")
}

fn describe_index(number: Number) -> String {
    match number {
        Number::None => String::new(),
        Number::Required(limit) => format!("[n] from 0 to {}", limit - 1),
        Number::Optional(limit) => format!("[n] from 0 to {}; without it, 0", limit - 1),
    }
}

fn iter_infos() -> impl Iterator<Item = &'static BindingInfo> {
    ATTRIBS.iter().chain(RESULTS)
}

/// Lists all bindings of attributes and results, each once.
pub(super) fn list_lines() -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    for info in iter_infos() {
        let name = format_path(info.path);
        if !lines.iter().any(|(known, _)| *known == name) {
            lines.push((name, describe_semantic(info)));
        }
    }
    lines
}

/// Finds the entries of a binding, one for each kind of programs.
pub(super) fn find(name: &str) -> Vec<Topic> {
    iter_infos()
        .filter(|info| {
            list_paths(info)
                .iter()
                .any(|path| is_asked_for(path, info.number, name))
        })
        .map(build_topic)
        .collect()
}

/// Returns all spellings of a binding.
fn list_paths(info: &BindingInfo) -> Vec<String> {
    let (_, words) = info.path.split_once('.').unwrap_or_default();
    let beginnings = info.beginnings();
    let beginnings = beginnings.iter();
    beginnings.map(|first| format!("{first}.{words}")).collect()
}

fn describe_semantic(info: &BindingInfo) -> String {
    let semantic = (info.semantic)(0);
    if let Semantic::Attrib(slot) = semantic
        && info.is_conventional()
        && !info.traits.contains(Traits::QUADS)
    {
        return match info.number {
            Number::None => format!("vertex attribute; shares the slot of vertex.attrib[{slot}]"),
            Number::Required(_) | Number::Optional(_) => {
                format!("vertex attribute; shares the slot of vertex.attrib[{slot} + n]")
            }
        };
    }
    let stage = if info.stages.has(Stage::Fragment) {
        Stage::Fragment
    } else {
        Stage::Vertex
    };
    semantic_text(semantic, stage).to_owned()
}

fn build_topic(info: &BindingInfo) -> Topic {
    let kind = if info.path.starts_with("result") {
        "result"
    } else {
        "attribute"
    };
    let base = match info.base {
        Base::Float => "float",
        Base::Signed => "signed integer",
        Base::Unsigned => "unsigned integer",
    };
    let base = if info.traits.contains(Traits::TYPELESS) {
        format!("{base}, or as the program uses it")
    } else {
        base.to_owned()
    };
    let traits = [
        (Traits::ARRAY, "arrays and ranges"),
        (Traits::INTERPOLATED, "interpolation modifiers"),
        (Traits::QUADS, "four values from n on, a multiple of four"),
        (
            Traits::RELATIVE,
            "relative index (NV_vertex_program3, NV_fragment_program2)",
        ),
    ];
    let traits = traits
        .iter()
        .filter(|(flag, _)| info.traits.contains(*flag));
    let traits: Vec<&str> = traits.map(|(_, text)| *text).collect();
    let mut fields = vec![
        ("kind", kind.to_owned()),
        ("number", describe_index(info.number)),
        ("prefixes", describe_prefix(info)),
        ("type", base),
        ("use", traits.join("; ")),
        ("programs", format_programs(info.stages)),
        ("since", describe_versions(info)),
        ("ARB", describe_arb(info.arb)),
    ];
    fields.retain(|(_, value)| !value.is_empty());
    Topic {
        fields,
        ..Topic::new(
            Group::Binding,
            format_path(info.path),
            describe_semantic(info),
        )
    }
}

/// Formats the alternatives to the first word.
fn describe_prefix(info: &BindingInfo) -> String {
    let is_of_vertex = info.traits.contains(Traits::PER_VERTEX);
    let beginnings = info.beginnings();
    let shown = beginnings
        .iter()
        .filter(|first| first.ends_with(']') == is_of_vertex)
        .map(|first| first.replace("[]", "[m]"));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match (beginnings.len(), is_of_vertex) {
        (1, _) => String::new(),
        (_, false) => shown,
        (_, true) => format!("{shown}; declarations also without [m]"),
    }
}

/// Formats the versions of the typed languages that have it.
fn describe_versions(info: &BindingInfo) -> String {
    let option = with_option(info.needs);
    if info.known_in(Family::Typed) {
        format!("version {}{option}", info.since.name())
    } else {
        "ARB programs only".to_owned()
    }
}

/// Formats the availability in ARB programs.
pub(super) fn describe_arb(needs: Option<Features>) -> String {
    match needs {
        None => "no".to_owned(),
        Some(needs) if needs.is_empty() => "yes".to_owned(),
        Some(needs) => format!("with OPTION {}", needs.option()),
    }
}

/// Lists all bindings of state.
pub(super) fn list_state_lines() -> Vec<(String, String)> {
    let matrices = MATRICES.iter();
    let matrices = matrices.map(|info| {
        (
            format_matrix_name(info),
            matrix_text((info.matrix)(0)).to_owned(),
        )
    });
    let others = STATE.iter();
    let others = others.map(|info| (format_state_name(info), state_text((info.param)(0))));
    matrices.chain(others).collect()
}

fn format_matrix_name(info: &MatrixInfo) -> String {
    let number = match info.number {
        Number::None => "",
        Number::Required(_) | Number::Optional(_) => "[n]",
    };
    format!("state.matrix.{}{number}", info.name)
}

fn format_state_name(info: &StateInfo) -> String {
    format_path(&format!("state.{}", info.path))
}

/// Finds the entry of a binding of state.
pub(super) fn find_state(name: &str) -> Vec<Topic> {
    let of_state = STATE.iter().filter(|info| {
        let path = format!("state.{}", info.path);
        is_asked_for(&path, info.number, name)
    });
    let of_state = of_state.map(build_state_topic);
    let of_matrix = MATRICES.iter().filter(|info| is_matrix(info, name));
    of_state.chain(of_matrix.map(build_matrix_topic)).collect()
}

/// Returns true if a name is a matrix with or without form and rows.
fn is_matrix(info: &MatrixInfo, name: &str) -> bool {
    let plain = remove_indices(name);
    let plain = match plain.split_once(".row") {
        Some((before, "" | "[]")) => before,
        Some(_) => return false,
        None => &plain,
    };
    let ends = FORMS
        .iter()
        .find_map(|(form, _)| plain.strip_suffix(&format!(".{form}")));
    let path = format_matrix_name(info).replace("[n]", "[]");
    is_asked_for(&path, info.number, ends.unwrap_or(plain))
}

fn build_state_topic(info: &StateInfo) -> Topic {
    let arb = match info.arb {
        Stages::NONE => "no".to_owned(),
        stages => format_programs(stages),
    };
    let mut fields = vec![
        ("number", describe_index(info.number)),
        ("typed", "all programs, from version 4.0 on".to_owned()),
        ("ARB", arb),
    ];
    fields.retain(|(_, value)| !value.is_empty());
    Topic {
        fields,
        ..Topic::new(
            Group::State,
            format_state_name(info),
            state_text((info.param)(0)),
        )
    }
}

fn build_matrix_topic(info: &MatrixInfo) -> Topic {
    let name = format_matrix_name(info);
    let forms = FORMS.iter().map(|(word, form)| {
        let text = form_text(*form);
        format!("{name}.{word} is {}matrix", text)
    });
    let forms: Vec<String> = forms.collect();
    let mut fields = vec![
        ("number", describe_index(info.number)),
        (
            "typed",
            match info.since {
                Version::V1_0 | Version::V1_1 | Version::V2_0 => "no".to_owned(),
                since @ (Version::V4_0 | Version::V4_1 | Version::V5_0) => {
                    format!("all programs, from version {} on", since.name())
                }
            },
        ),
        ("ARB", "vertex, fragment".to_owned()),
    ];
    fields.retain(|(_, value)| !value.is_empty());
    Topic {
        syntax: Some(format!("{name}.row[0..3]")),
        fields,
        text: format!(
            "A matrix stands for its four rows, .row[a] for one of them and .row[a..b] for some. {}.",
            forms.join("; ")
        ),
        ..Topic::new(Group::State, name, matrix_text((info.matrix)(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_matter() {
        for name in ["vertex.attrib[3]", "vertex.attrib[n]", "Vertex . attrib[ ]"] {
            let found = find(name);
            // Vertex programs have their own.
            assert_eq!(found.len(), 2, "{name}");
            assert_eq!(found[0].name, "vertex.attrib[n]");
        }
        for name in [
            "vertex[2].attrib[3]",
            "vertex.in[1].attrib[0]",
            "VERTEX.out.attrib[n]",
        ] {
            assert_eq!(find(name).len(), 1, "{name}");
        }
        let text = find("vertex[0].position")[0].format_text();
        assert!(
            text.contains("vertex[m], vertex.in[m], vertex.out[m];"),
            "{text}"
        );
        assert!(find("vertex.attrib").is_empty());
        assert_eq!(find("vertex.texcoord")[0].name, "vertex.texcoord[n]");
        // Vertex and fragment programs have one each.
        assert_eq!(find("result.color").len(), 2);
    }

    #[test]
    fn matrices_have_forms_and_rows() {
        for name in [
            "state.matrix.mvp",
            "state.matrix.mvp.row[2]",
            "state.matrix.mvp.inverse",
            "state.matrix.mvp.invtrans.row[0..2]",
        ] {
            assert_eq!(find_state(name)[0].name, "state.matrix.mvp", "{name}");
        }
        for name in [
            "state.matrix.modelview",
            "state.matrix.modelview[1].transpose",
        ] {
            assert_eq!(
                find_state(name)[0].name,
                "state.matrix.modelview[n]",
                "{name}"
            );
        }
        for name in [
            "state.matrix.program",
            "state.matrix.mvp.rows",
            "state.matrix.mvp[1]",
        ] {
            assert!(find_state(name).is_empty(), "{name}");
        }
        assert_eq!(
            find_state("state.light[7].half")[0].name,
            "state.light[n].half"
        );
    }

    #[test]
    fn languages_are_told_apart() {
        let fields = |topics: Vec<Topic>| topics[0].format_text();
        assert!(fields(find("vertex.weight[0]")).contains("ARB programs only"));
        assert!(fields(find("result.depth")).contains("ARB        yes"));
        assert!(
            fields(find("fragment.facing")).contains("ARB        with OPTION NV_fragment_program2")
        );
        assert!(fields(find_state("state.depth.range")).contains("ARB        fragment\n"));
    }
}
