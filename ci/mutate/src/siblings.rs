//! Replacement values: the variants of an enum, or the values that a file uses of one foreign type.

use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{ExprPath, Fields, Item};

/// Variants of the enums of the compiler, by the enum's name.
#[derive(Default)]
pub(crate) struct Enums(BTreeMap<String, Vec<Vec<Variant>>>);

/// Name and number of fields.
type Variant = (String, usize);

impl Enums {
    /// Adds the enums of a file.
    pub(crate) fn read(&mut self, file: &syn::File) {
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
    pub(crate) fn sibling(&self, path: &ExprPath, own: &str, file: &PathsOfFile) -> Option<String> {
        let (prefix, name) = split(path)?;
        let of = prefix.rsplit("::").next().unwrap_or_default();
        let of = if of == "Self" { own } else { of };
        for variants in self.0.get(of).into_iter().flatten() {
            let Some(place) = variants.iter().position(|(known, _)| *known == name) else {
                continue;
            };
            let count = variants[place].1;
            let others = variants[place + 1..].iter().chain(&variants[..place]);
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
    /// Collects the paths of a file.
    pub(crate) fn read(file: &syn::File) -> Self {
        let mut paths = Self::default();
        paths.visit_file(file);
        paths
    }
}

impl<'ast> Visit<'ast> for PathsOfFile {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if let Some((prefix, name)) = split(path) {
            self.0.entry(prefix).or_default().insert(name);
        }
        visit::visit_expr_path(self, path);
    }
}

/// Splits a path into type and name: `spirv::Op` and `FAdd`. Only names that begin with an
/// uppercase letter are variants or constants.
fn split(path: &ExprPath) -> Option<(String, String)> {
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
