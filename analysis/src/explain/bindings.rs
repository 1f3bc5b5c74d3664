//! Bindings of attributes, results and GL state. Numbers are shown as `[n]` and may be asked for as
//! any number.

use super::entry::{Category, Entry, format_program_types, format_required_option};
use glasm::Dialect;
use glasm::frontend::lang::Stages;
use glasm::frontend::lang::bindings::{ATTRIBS, BindingFlags, BindingInfo, IndexRule, RESULTS};
use glasm::frontend::lang::options::Features;
use glasm::frontend::lang::state::{
    MATRICES, MATRIX_FORMS, MatrixInfo, STATE, StateInfo, describe_matrix, describe_matrix_form,
    describe_semantic, describe_state_param,
};
use glasm::frontend::source::{Family, Version};
use glasm::ir::types::BaseType;
use glasm::ir::{Semantic, Stage};

/// Returns a name in lower case, without whitespace and with empty brackets: `vertex.attrib[]` for
/// `vertex.attrib[3]`.
pub(crate) fn remove_indices(name: &str) -> String {
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

/// Returns true if a name matches a path, regardless of case and indices. The index may be missing
/// where the language permits it.
fn matches_path(path: &str, number: IndexRule, name: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let name = remove_indices(name);
    name == path || matches!(number, IndexRule::Optional(_)) && name == path.replace("[]", "")
}

/// Formats the numbers that a binding may have: `[n]` with its range, and the default if it may be
/// omitted. Empty if the binding has no number.
fn describe_index(number: IndexRule) -> String {
    match number {
        IndexRule::None => String::new(),
        IndexRule::Required(limit) => format!("[n] from 0 to {}", limit - 1),
        IndexRule::Optional(limit) => format!("[n] from 0 to {}; without it, 0", limit - 1),
    }
}

/// Returns the entries of all attribute bindings, then those of result bindings.
fn iter_infos() -> impl Iterator<Item = &'static BindingInfo> {
    ATTRIBS.iter().chain(RESULTS)
}

/// Returns the names of all attribute and result bindings with their descriptions, each name once.
pub(super) fn list_binding_lines() -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    for info in iter_infos() {
        let name = format_path(info.path);
        if !lines.iter().any(|(known, _)| *known == name) {
            lines.push((name, describe_binding_semantic(info)));
        }
    }
    lines
}

/// Returns the entries of a binding, one for each type of programs that has it; empty if the name
/// is unknown.
pub(super) fn find_binding(name: &str) -> Vec<Entry> {
    iter_infos()
        .filter(|info| {
            list_paths(info)
                .iter()
                .any(|path| matches_path(path, info.number, name))
        })
        .map(build_binding_entry)
        .collect()
}

/// Returns the entries of a binding in programs of a language.
pub(super) fn find_binding_in(name: &str, dialect: Dialect) -> Vec<Entry> {
    let is_known = |info: &&BindingInfo| {
        info.stages.contains_stage(dialect.stage()) && info.is_known_in(dialect.family())
    };
    let mut paths = iter_infos().filter(is_known).filter(|info| {
        let paths = list_paths(info);
        paths
            .iter()
            .any(|path| matches_path(path, info.number, name))
    });
    // Of several entries with the same spelling the compiler takes the first.
    paths.next().map(build_binding_entry).into_iter().collect()
}

/// Returns the bindings that programs of a language can have with these features, each in all its
/// spellings with empty brackets, and the description of its value.
pub(crate) fn list_available_bindings(
    dialect: Dialect,
    features: Features,
) -> Vec<(String, String)> {
    let infos = iter_infos().filter(|info| {
        info.stages.contains_stage(dialect.stage())
            && info.is_known_in(dialect.family())
            && !info.is_newer_than(dialect)
            && features.contains(info.required_features(dialect.family()))
    });
    infos
        .flat_map(|info| {
            let description = describe_binding_semantic(info);
            let paths = list_paths(info).into_iter();
            paths.map(move |path| (path, description.clone()))
        })
        .collect()
}

/// Returns the bindings of GL state that programs of a language can have with these features, with
/// empty brackets, and their descriptions.
pub(crate) fn list_available_state(dialect: Dialect, features: Features) -> Vec<(String, String)> {
    let state = STATE
        .iter()
        .filter(|info| info.is_known_in(dialect) && features.contains(info.required_features));
    let state = state.map(|info| {
        let path = format!("state.{}", info.path);
        (path, describe_state_param((info.param)(0)))
    });
    let has_matrices = matches!(dialect.family(), Family::Typed | Family::Arb);
    let matrices = MATRICES
        .iter()
        .filter(|info| has_matrices && info.is_known_in(dialect.family()));
    let matrices = matrices.map(|info| {
        let name = format_matrix_name(info).replace("[n]", "[]");
        (name, describe_matrix((info.matrix)(0)).to_owned())
    });
    state.chain(matrices).collect()
}

/// Returns all spellings of a binding, one for each alternative of its first word, with empty
/// brackets.
fn list_paths(info: &BindingInfo) -> Vec<String> {
    let (_, words) = info.path.split_once('.').unwrap_or_default();
    let beginnings = info.list_first_words();
    let beginnings = beginnings.iter();
    beginnings.map(|first| format!("{first}.{words}")).collect()
}

/// Returns the description of the value of a binding, such as a vertex attribute with the slot that
/// it shares with generic attributes. Bindings of several stages are described for fragment
/// programs, if they are among them, else for vertex programs.
fn describe_binding_semantic(info: &BindingInfo) -> String {
    let semantic = (info.semantic)(0);
    if let Semantic::VertexAttribute(slot) = semantic
        && info.is_conventional()
        && !info.flags.contains(BindingFlags::QUADS)
    {
        return match info.number {
            IndexRule::None => {
                format!("vertex attribute; shares the slot of vertex.attrib[{slot}]")
            }
            IndexRule::Required(_) | IndexRule::Optional(_) => {
                format!("vertex attribute; shares the slot of vertex.attrib[{slot} + n]")
            }
        };
    }
    let stage = if info.stages.contains_stage(Stage::Fragment) {
        Stage::Fragment
    } else {
        Stage::Vertex
    };
    describe_semantic(semantic, stage).to_owned()
}

/// Builds the entry of an attribute or result binding: its type, traits, stages and grammar.
fn build_binding_entry(info: &BindingInfo) -> Entry {
    let kind = if info.path.starts_with("result") {
        "result"
    } else {
        "attribute"
    };
    let base = match info.base {
        BaseType::Float => "float",
        BaseType::SignedInt => "signed integer",
        BaseType::UnsignedInt => "unsigned integer",
    };
    let base = if info.flags.contains(BindingFlags::TYPELESS) {
        format!("{base}, or as the program uses it")
    } else {
        base.to_owned()
    };
    let traits = [
        (BindingFlags::ARRAY, "arrays and ranges"),
        (BindingFlags::INTERPOLATED, "interpolation modifiers"),
        (
            BindingFlags::QUADS,
            "four values from n on, a multiple of four",
        ),
        (
            BindingFlags::RELATIVE,
            "relative index (NV_vertex_program3, NV_fragment_program2)",
        ),
    ];
    let traits = traits.iter().filter(|(flag, _)| info.flags.contains(*flag));
    let traits: Vec<&str> = traits.map(|(_, text)| *text).collect();
    let mut fields = vec![
        ("kind", kind.to_owned()),
        ("number", describe_index(info.number)),
        ("prefixes", describe_prefix(info)),
        ("type", base),
        ("usage", traits.join("; ")),
        ("programs", format_program_types(info.stages)),
        ("since", describe_versions(info)),
        ("ARB", describe_arb(info.arb)),
    ];
    fields.retain(|(_, value)| !value.is_empty());
    Entry {
        fields,
        ..Entry::new(
            Category::Binding,
            format_path(info.path),
            describe_binding_semantic(info),
        )
    }
}

/// Formats the alternatives of the first word of a binding, with `[m]` for the index of the vertex;
/// empty if there is only one.
fn describe_prefix(info: &BindingInfo) -> String {
    let is_of_vertex = info.flags.contains(BindingFlags::PER_VERTEX);
    let beginnings = info.list_first_words();
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

/// Formats the first version of the typed languages that has a binding, and the option that it
/// needs; `ARB programs only` if none has it.
fn describe_versions(info: &BindingInfo) -> String {
    let option = format_required_option(info.required_features);
    if info.is_known_in(Family::Typed) {
        format!("version {}{option}", info.since.name())
    } else {
        "ARB programs only".to_owned()
    }
}

/// Formats whether ARB programs have an item: `yes`, `no`, or the option that they need.
pub(super) fn describe_arb(required_features: Option<Features>) -> String {
    match required_features {
        None => "no".to_owned(),
        Some(features) if features.is_empty() => "yes".to_owned(),
        Some(features) => format!("with OPTION {}", features.first_option()),
    }
}

/// Returns the names of all bindings of GL state with their descriptions, those of matrices first.
pub(super) fn list_state_lines() -> Vec<(String, String)> {
    let matrices = MATRICES.iter();
    let matrices = matrices.map(|info| {
        (
            format_matrix_name(info),
            describe_matrix((info.matrix)(0)).to_owned(),
        )
    });
    let others = STATE.iter();
    let others = others.map(|info| {
        (
            format_state_name(info),
            describe_state_param((info.param)(0)),
        )
    });
    matrices.chain(others).collect()
}

/// Formats the name of a matrix binding, such as `state.matrix.texture[n]`.
fn format_matrix_name(info: &MatrixInfo) -> String {
    let number = match info.number {
        IndexRule::None => "",
        IndexRule::Required(_) | IndexRule::Optional(_) => "[n]",
    };
    format!("state.matrix.{}{number}", info.name)
}

/// Formats the name of a state binding, such as `state.light[n].ambient`.
fn format_state_name(info: &StateInfo) -> String {
    format_path(&format!("state.{}", info.path))
}

/// Returns the entries of a binding of GL state; empty if the name is unknown.
pub(super) fn find_state(name: &str) -> Vec<Entry> {
    let state_entries = STATE.iter().filter(|info| {
        let path = format!("state.{}", info.path);
        matches_path(&path, info.number, name)
    });
    let of_state = state_entries.map(build_state_entry);
    let matrix_entries = MATRICES.iter().filter(|info| is_matrix(info, name));
    of_state
        .chain(matrix_entries.map(build_matrix_entry))
        .collect()
}

/// Returns true if a name denotes the matrix, optionally with a form such as `inverse`, followed by
/// `.row` with or without index.
fn is_matrix(info: &MatrixInfo, name: &str) -> bool {
    let plain = remove_indices(name);
    let plain = match plain.split_once(".row") {
        Some((before, "" | "[]")) => before,
        Some(_) => return false,
        None => &plain,
    };
    let ends = MATRIX_FORMS
        .iter()
        .find_map(|(form, _)| plain.strip_suffix(&format!(".{form}")));
    let path = format_matrix_name(info).replace("[n]", "[]");
    matches_path(&path, info.number, ends.unwrap_or(plain))
}

/// Builds the entry of a state binding: its index, and the programs that accept it.
fn build_state_entry(info: &StateInfo) -> Entry {
    let arb = match info.arb {
        Stages::NONE => "no".to_owned(),
        stages => format_program_types(stages),
    };
    let mut fields = vec![
        ("number", describe_index(info.number)),
        ("typed", "all programs, from version 4.0 on".to_owned()),
        ("ARB", arb),
    ];
    fields.retain(|(_, value)| !value.is_empty());
    Entry {
        fields,
        ..Entry::new(
            Category::State,
            format_state_name(info),
            describe_state_param((info.param)(0)),
        )
    }
}

/// Builds the entry of a matrix in state bindings: its forms, index, and the programs that accept
/// it.
fn build_matrix_entry(info: &MatrixInfo) -> Entry {
    let name = format_matrix_name(info);
    let forms = MATRIX_FORMS.iter().map(|(word, form)| {
        let text = describe_matrix_form(*form);
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
    Entry {
        syntax: Some(format!("{name}.row[0..3]")),
        fields,
        description: format!(
            "A matrix stands for its four rows, .row[a] for one of them and .row[a..b] for some. {}.",
            forms.join("; ")
        ),
        ..Entry::new(Category::State, name, describe_matrix((info.matrix)(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_matter() {
        for name in ["vertex.attrib[3]", "vertex.attrib[n]", "Vertex . attrib[ ]"] {
            let found = find_binding(name);
            // Vertex programs have their own.
            assert_eq!(found.len(), 2, "{name}");
            assert_eq!(found[0].name, "vertex.attrib[n]");
        }
        for name in [
            "vertex[2].attrib[3]",
            "vertex.in[1].attrib[0]",
            "VERTEX.out.attrib[n]",
        ] {
            assert_eq!(find_binding(name).len(), 1, "{name}");
        }
        let text = find_binding("vertex[0].position")[0].format_text();
        assert!(
            text.contains("vertex[m], vertex.in[m], vertex.out[m];"),
            "{text}"
        );
        assert!(find_binding("vertex.attrib").is_empty());
        assert_eq!(
            find_binding("vertex.texcoord")[0].name,
            "vertex.texcoord[n]"
        );
        // Vertex and fragment programs have one each.
        assert_eq!(find_binding("result.color").len(), 2);
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
        let fields = |topics: Vec<Entry>| topics[0].format_text();
        assert!(fields(find_binding("vertex.weight[0]")).contains("ARB programs only"));
        assert!(fields(find_binding("result.depth")).contains("ARB        yes"));
        assert!(
            fields(find_binding("fragment.facing"))
                .contains("ARB        with OPTION NV_fragment_program2")
        );
        assert!(fields(find_state("state.depth.range")).contains("ARB        fragment\n"));
    }
}
