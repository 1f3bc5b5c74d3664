//! Replacements of operators, literals, variants of enums and values of foreign types, and their
//! insertion into a source, each controlled by a switch.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are foreign and grow"
)]

use crate::mutation_sites::{Edit, EditForm};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use syn::visit::{self, Visit};
use syn::{BinOp, ExprPath, Fields, Item, Lit, UnOp};

/// Variants of the enums of the compiler, by the enum's name.
#[derive(Default)]
pub(crate) struct EnumVariants(BTreeMap<String, Vec<Vec<Variant>>>);

/// Name and number of fields.
type Variant = (String, usize);

impl EnumVariants {
    /// Adds the variants of the enums of a file that have no named fields, with their numbers of
    /// fields.
    pub(crate) fn add_enums(&mut self, file: &syn::File) {
        for item in &file.items {
            let Item::Enum(found) = item else { continue };
            let plain = found
                .variants
                .iter()
                .filter_map(|variant| match &variant.fields {
                    Fields::Unit => Some((variant.ident.to_string(), 0)),
                    Fields::Unnamed(fields) => {
                        Some((variant.ident.to_string(), fields.unnamed.len()))
                    }
                    Fields::Named(_) => None,
                });
            let list = self.0.entry(found.ident.to_string()).or_default();
            list.push(plain.collect());
        }
    }

    /// Returns the value next to the one that `path` names, with the same number of fields. `own`
    /// is the type that `Self` denotes.
    pub(crate) fn find_sibling(
        &self,
        path: &ExprPath,
        own: &str,
        file: &PathsOfFile,
    ) -> Option<String> {
        let (prefix, name) = split_path(path)?;
        let of = prefix.rsplit("::").next().unwrap_or_default();
        let of = if of == "Self" { own } else { of };
        for variants in self.0.get(of).into_iter().flatten() {
            let Some(site) = variants.iter().position(|(known, _)| *known == name) else {
                continue;
            };
            let count = variants[site].1;
            let others = variants[site + 1..].iter().chain(&variants[..site]);
            return others
                .filter(|it| it.1 == count)
                .map(|it| it.0.clone())
                .next();
        }
        let names = file.0.get(&prefix)?;
        let after = names.range(name.clone()..).nth(1);
        after.or(names.first()).filter(|it| **it != name).cloned()
    }
}

/// Paths that a file uses of each type or module, in values.
#[derive(Default)]
pub(crate) struct PathsOfFile(BTreeMap<String, BTreeSet<String>>);

impl PathsOfFile {
    /// Collects the paths of enum variants and constants that a file uses.
    pub(crate) fn read(file: &syn::File) -> Self {
        let mut paths = Self::default();
        paths.visit_file(file);
        paths
    }
}

impl<'ast> Visit<'ast> for PathsOfFile {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if let Some((prefix, name)) = split_path(path) {
            self.0.entry(prefix).or_default().insert(name);
        }
        visit::visit_expr_path(self, path);
    }
}

/// Splits a path into type and name: `spirv::Op` and `FAdd`. Only names that begin with an
/// uppercase character are variants or constants.
fn split_path(path: &ExprPath) -> Option<(String, String)> {
    let mut names: Vec<String> = Vec::new();
    for segment in &path.path.segments {
        if !segment.arguments.is_empty() || path.qself.is_some() {
            return None;
        }
        names.push(segment.ident.to_string());
    }
    let last = names.pop()?;
    let of = names.last()?;
    let is_capital = |name: &str| name.starts_with(char::is_uppercase);
    (is_capital(of) && is_capital(&last)).then(|| (names.join("::"), last))
}

/// Returns the operator that is most likely written instead by mistake.
pub(crate) fn find_binary_swap(operator: &BinOp) -> Option<&'static str> {
    Some(match operator {
        BinOp::Lt(_) => "<=",
        BinOp::Le(_) => "<",
        BinOp::Gt(_) => ">=",
        BinOp::Ge(_) => ">",
        BinOp::Eq(_) => "!=",
        BinOp::Ne(_) => "==",
        BinOp::And(_) => "||",
        BinOp::Or(_) => "&&",
        BinOp::Add(_) => "-",
        BinOp::Div(_) | BinOp::Rem(_) => "*",
        BinOp::Sub(_) => "+",
        BinOp::Mul(_) => "/",
        BinOp::BitAnd(_) | BinOp::BitXor(_) => "|",
        BinOp::BitOr(_) => "&",
        BinOp::Shl(_) => ">>",
        BinOp::Shr(_) => "<<",
        BinOp::AddAssign(_) => "-=",
        BinOp::SubAssign(_) => "+=",
        BinOp::MulAssign(_) => "/=",
        BinOp::DivAssign(_) | BinOp::RemAssign(_) => "*=",
        BinOp::BitAndAssign(_) | BinOp::BitXorAssign(_) => "|=",
        BinOp::BitOrAssign(_) => "&=",
        BinOp::ShlAssign(_) => ">>=",
        BinOp::ShrAssign(_) => "<<=",
        _ => return None,
    })
}

/// Returns true if a unary operator can be removed without a change of type: `!` and `-`.
pub(crate) fn can_drop_unary(operator: &UnOp) -> bool {
    matches!(operator, UnOp::Not(_) | UnOp::Neg(_))
}

/// Returns the replacement values for a literal as source code; none for kinds of literals that are
/// not mutated.
pub(crate) fn find_literal_changes(literal: &Lit) -> Vec<String> {
    match literal {
        Lit::Bool(it) => vec![(!it.value).to_string()],
        Lit::Int(it) => {
            let Ok(value) = it.base10_parse::<u128>() else {
                return Vec::new();
            };
            let written = |value: u128| format!("{value}{}", it.suffix());
            let mut changes = vec![written(value.wrapping_add(1))];
            if value != 0 {
                changes.push(written(0));
            }
            changes
        }
        _ => Vec::new(),
    }
}

/// Text with switches.
#[derive(Default)]
pub(crate) struct Rewritten {
    /// Text.
    pub(crate) text: String,
    /// Byte ranges of the source that belong to each mutation.
    pub(crate) mutation_ranges: Vec<(usize, Range<usize>)>,
}

/// Applies the edits of numbered mutations to `text`. `switch` is the path of the function that
/// returns true if a mutation is on. A mutation within what another one changes is only in the
/// branch without the other.
pub(crate) fn rewrite(text: &str, edits: &[(usize, &Edit)], switch: &str) -> Rewritten {
    let mut sorted = edits.to_vec();
    sorted.sort_by_key(|(_, edit)| (edit.range.start, Reverse(edit.range.end)));
    let mut writer = Writer {
        text,
        switch,
        out: Rewritten::default(),
    };
    writer.write(0..text.len(), &sorted);
    writer.out
}

struct Writer<'a> {
    text: &'a str,
    switch: &'a str,
    out: Rewritten,
}

impl Writer<'_> {
    /// Writes a range of the source with its edits; those within another one are written inside of
    /// it.
    fn write(&mut self, range: Range<usize>, mut edits: &[(usize, &Edit)]) {
        let mut at = range.start;
        while let Some(((number, edit), rest)) = edits.split_first() {
            let within = rest
                .iter()
                .take_while(|(_, other)| {
                    other.range.end <= edit.range.end && other.form != EditForm::Addition
                })
                .count();
            let (inner, after) = rest.split_at(within);
            self.out.text += &self.text[at..edit.range.start];
            self.write_edit(*number, edit, inner);
            at = edit.range.end;
            edits = after;
        }
        self.out.text += &self.text[at..range.end];
    }

    /// Writes an edit as a conditional: the changed code if its mutation is on, else the original
    /// with the inner edits.
    fn write_edit(&mut self, number: usize, edit: &Edit, inner: &[(usize, &Edit)]) {
        let start = self.out.text.len();
        let (switch, changed) = (self.switch, &edit.changed);
        let (before, after) = match edit.form {
            EditForm::Value => (
                format!("(if {switch}({number}) {{ {changed} }} else {{ "),
                " })",
            ),
            EditForm::Block => (
                format!("{{ if {switch}({number}) {{ {changed} }} else {{ "),
                " } }",
            ),
            EditForm::Constant => (
                format!("(*(if {switch}({number}) {{ &{changed} }} else {{ &"),
                " }))",
            ),
            EditForm::Addition => (changed.clone(), ""),
        };
        self.out.text += &before;
        self.write(edit.range.clone(), inner);
        self.out.text += after;
        let end = self.out.text.len();
        self.out.mutation_ranges.push((number, start..end));
    }
}
