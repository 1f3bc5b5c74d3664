//! Explanation of a name, its group, and its formatting.

use glasm::frontend::lang::options::Features;
use glasm::frontend::lang::{Stages, stage_name};
use glasm::ir::Stage;
use serde_json::{Map, Value, json};

/// Characters of a line of running text.
const LINE_WIDTH: usize = 80;

/// Kinds of names that can be explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Category {
    /// Opcodes of all languages.
    Opcode,
    /// Error codes.
    Error,
    /// Program options.
    Option,
    /// Declarations about a program as a whole.
    Declaration,
    /// Bindings of attributes and results.
    Binding,
    /// Bindings of GL state.
    State,
    /// Texture targets.
    Target,
    /// Register files of TGSI.
    File,
    /// Semantics of TGSI.
    Semantic,
    /// Properties of TGSI.
    Property,
    /// Languages, by their headers.
    Language,
}

impl Category {
    /// All groups, in the order of the list.
    pub const ALL: [Self; 11] = [
        Self::Opcode,
        Self::Error,
        Self::Option,
        Self::Declaration,
        Self::Binding,
        Self::State,
        Self::Target,
        Self::File,
        Self::Semantic,
        Self::Property,
        Self::Language,
    ];

    /// Returns the noun for one member of the category.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Opcode => "opcode",
            Self::Error => "error",
            Self::Option => "option",
            Self::Declaration => "declaration",
            Self::Binding => "binding",
            Self::State => "state",
            Self::Target => "target",
            Self::File => "file",
            Self::Semantic => "semantic",
            Self::Property => "property",
            Self::Language => "language",
        }
    }

    /// Returns the name of the group on the command line, and its heading in lists.
    pub const fn argument_and_heading(self) -> (&'static str, &'static str) {
        match self {
            Self::Opcode => ("opcodes", "Opcodes"),
            Self::Error => ("errors", "Error codes"),
            Self::Option => ("options", "Options"),
            Self::Declaration => (
                "declarations",
                "Declarations of geometry and tessellation programs",
            ),
            Self::Binding => ("bindings", "Bindings of attributes and results"),
            Self::State => ("state", "Bindings of GL state"),
            Self::Target => ("targets", "Texture targets"),
            Self::File => ("files", "Register files of TGSI"),
            Self::Semantic => ("semantics", "Semantics of TGSI"),
            Self::Property => ("properties", "Properties of TGSI"),
            Self::Language => ("languages", "Languages, by the headers of programs"),
        }
    }
}

/// Explanation of a name.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Group of the name.
    pub category: Category,
    /// The name, with `[n]` for numbers.
    pub name: String,
    /// One line.
    pub summary: String,
    /// Its syntax.
    pub syntax: Option<String>,
    /// Properties with their names, in the order in which they are printed.
    pub fields: Vec<(&'static str, String)>,
    /// Running text, a paragraph on each line; may be empty.
    pub description: String,
}

impl Entry {
    /// Creates an entry with a summary, and no syntax, fields or description.
    pub(super) fn new(group: Category, name: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            category: group,
            name: name.into(),
            summary: about.into(),
            syntax: None,
            fields: Vec::new(),
            description: String::new(),
        }
    }

    /// Formats the entry for users: name and summary, syntax, fields, and the description in
    /// wrapped lines.
    pub fn format_text(&self) -> String {
        let mut text = format!("{}: {}\n", self.name, self.summary);
        if let Some(syntax) = &self.syntax {
            text += &format!("\n  {syntax}\n");
        }
        if !self.fields.is_empty() {
            text.push('\n');
        }
        for (name, value) in &self.fields {
            text += &format!("  {name:<10} {value}\n");
        }
        for paragraph in self.description.lines() {
            text += &format!("\n{}", wrap_text(paragraph));
        }
        text
    }

    /// Returns the entry as an object for tools, with `kind`, `name`, `summary`, `syntax`, `fields`
    /// and `description`.
    pub fn format_json(&self) -> Value {
        let fields = self.fields.iter();
        let fields: Map<String, Value> = fields
            .map(|(name, value)| ((*name).to_owned(), value.as_str().into()))
            .collect();
        json!({
            "kind": self.category.noun(), "name": self.name, "summary": self.summary, "syntax": self.syntax,
            "fields": fields, "description": self.description,
        })
    }
}

/// Formats the option that an entry requires, to be appended to its version; empty if it requires
/// none.
pub(super) fn format_required_option(required_features: Features) -> String {
    if required_features.is_empty() {
        String::new()
    } else {
        format!(", with OPTION {}", required_features.first_option())
    }
}

/// Formats program types, separated by commas; `all` for all of them.
pub(super) fn format_program_types(stages: Stages) -> String {
    if stages == Stages::ALL {
        return "all".to_owned();
    }
    Stage::ALL
        .iter()
        .filter(|(stage, _)| stages.contains_stage(*stage))
        .map(|(stage, _)| stage_name(*stage))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Wraps words in lines of at most [`LINE_WIDTH`] characters, each with its line end. Longer words
/// are not divided.
fn wrap_text(text: &str) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        if column > 0 && column + 1 + word.chars().count() > LINE_WIDTH {
            wrapped.push('\n');
            column = 0;
        } else if column > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += word.chars().count();
    }
    wrapped + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_text_is_wrapped() {
        assert_eq!(wrap_text("one two"), "one two\n");
        let long = wrap_text(&"word ".repeat(40));
        assert!(long.lines().count() > 1 && long.lines().all(|line| line.len() <= LINE_WIDTH));
    }
}
