//! The files of a crate as modules, and what names in them mean.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are foreign and grow"
)]

use anyhow::{Context, Result};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use syn::spanned::Spanned;
use syn::{Attribute, Item, UseTree};

/// A crate as its files.
pub(super) struct Crate {
    pub(super) modules: Vec<Module>,
    by_path: HashMap<Vec<String>, usize>,
}

/// A file, without tests.
pub(super) struct Module {
    /// Names of the modules down to this one.
    pub(super) path: Vec<String>,
    /// The file below `src`.
    pub(super) file: String,
    pub(super) text: String,
    pub(super) items: Vec<Item>,
    /// Modules of tests.
    tests: Vec<String>,
    /// What `use` binds: the name here, and the path.
    bound: HashMap<String, Vec<String>>,
    /// Modules of which everything is taken.
    globs: Vec<Vec<String>>,
    /// Names of its items.
    defined: HashSet<String>,
}

/// How many `use` may lie behind each other.
const MOST_STEPS: usize = 8;

impl Crate {
    /// Reads all files of a folder.
    pub(super) fn read(src: &Path) -> Result<Self> {
        let mut modules = Vec::new();
        for path in crate::shell::files_below(src, "rs")? {
            let file = path.strip_prefix(src).unwrap_or(&path).to_owned();
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("reading {}", path.display()))?;
            let module = Module::read(&file, &text)
                .with_context(|| format!("parsing {}", path.display()))?;
            modules.push(module);
        }
        Ok(Self::new(modules))
    }

    pub(super) fn new(mut modules: Vec<Module>) -> Self {
        let tests: Vec<Vec<String>> = (modules.iter())
            .flat_map(|module| module.tests.iter().map(|name| module.child(name)))
            .collect();
        modules.retain(|module| !tests.iter().any(|tests| module.path.starts_with(tests)));
        let paths = modules.iter().map(|module| module.path.clone());
        Self {
            by_path: paths.zip(0..).collect(),
            modules,
        }
    }

    /// The file that a path in a module leads to; nothing for names of other crates and of the language.
    pub(super) fn file_of(&self, from: usize, path: &[String]) -> Option<usize> {
        self.resolve(from, path, 0)
    }

    fn resolve(&self, from: usize, path: &[String], steps: usize) -> Option<usize> {
        let module = &self.modules[from];
        let (first, rest) = path.split_first()?;
        let mut here = match first.as_str() {
            "crate" => Vec::new(),
            "self" => module.path.clone(),
            "super" => module.path.split_last()?.1.to_vec(),
            _ => return self.name(from, path, steps),
        };
        let mut rest = rest;
        while let Some(("super", behind)) = rest.split_first().map(|(it, rest)| (it.as_str(), rest))
        {
            here.pop();
            rest = behind;
        }
        let start = *self.by_path.get(&here)?;
        match rest.is_empty() {
            true => Some(start),
            false => self.name(start, rest, steps).or(Some(start)),
        }
    }

    /// The file of a path that begins with a name known in a module.
    fn name(&self, from: usize, path: &[String], steps: usize) -> Option<usize> {
        let module = &self.modules[from];
        let (first, rest) = path.split_first()?;
        if let Some(&child) = self.by_path.get(&module.child(first)) {
            return match rest.is_empty() {
                true => Some(child),
                false => self.name(child, rest, steps).or(Some(child)),
            };
        }
        if module.defined.contains(first) {
            return Some(from);
        }
        if steps > MOST_STEPS {
            return None;
        }
        if let Some(bound) = module.bound.get(first) {
            let whole: Vec<String> = bound.iter().chain(rest).cloned().collect();
            // What a `use` names alone is of another crate.
            return match bound.first() == Some(first) {
                true => None,
                false => self.resolve(from, &whole, steps + 1),
            };
        }
        let taken = module.globs.iter();
        taken
            .filter_map(|glob| self.resolve(from, glob, steps + 1))
            .find(|&glob| self.modules[glob].defined.contains(first))
    }
}

impl Module {
    /// Parses a file.
    pub(super) fn read(file: &Path, text: &str) -> syn::Result<Self> {
        let parsed = syn::parse_file(text)?;
        let (tests, items): (Vec<Item>, Vec<Item>) = parsed.items.into_iter().partition(is_test);
        let hidden: Vec<_> = tests.iter().map(lines_of).collect();
        let kept = (text.lines().zip(1usize..))
            .filter(|(_, number)| !hidden.iter().any(|lines| lines.contains(number)))
            .map(|(line, _)| line);
        let mut module = Self {
            path: path_of(file),
            file: file.to_string_lossy().into_owned(),
            text: kept.collect::<Vec<_>>().join("\n"),
            items,
            tests: tests.iter().filter_map(name_of).collect(),
            bound: HashMap::new(),
            globs: Vec::new(),
            defined: HashSet::new(),
        };
        module.names();
        Ok(module)
    }

    fn child(&self, name: &str) -> Vec<String> {
        let names = self.path.iter().map(String::as_str).chain([name]);
        names.map(str::to_owned).collect()
    }

    fn names(&mut self) {
        for item in &self.items {
            match item {
                Item::Use(item) => {
                    for (name, path) in leaves(&item.tree) {
                        match name.as_str() {
                            "*" => self.globs.push(path),
                            _ => drop(self.bound.insert(name, path)),
                        }
                    }
                }
                _ => self.defined.extend(name_of(item)),
            }
        }
    }
}

/// The names that a `use` binds, with their paths; `*` for everything of a module.
pub(super) fn leaves(tree: &UseTree) -> Vec<(String, Vec<String>)> {
    match tree {
        UseTree::Path(path) => leaves(&path.tree)
            .into_iter()
            .map(|(name, mut rest)| {
                let first = path.ident.to_string();
                let name = match rest.is_empty() {
                    true if name == "self" => first.clone(),
                    _ => name,
                };
                rest.insert(0, first);
                (name, rest)
            })
            .collect(),
        UseTree::Name(name) if name.ident == "self" => vec![("self".to_owned(), Vec::new())],
        UseTree::Name(name) => vec![(name.ident.to_string(), vec![name.ident.to_string()])],
        UseTree::Rename(rename) => {
            vec![(rename.rename.to_string(), vec![rename.ident.to_string()])]
        }
        UseTree::Glob(_) => vec![("*".to_owned(), Vec::new())],
        UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
    }
}

fn path_of(file: &Path) -> Vec<String> {
    let mut path: Vec<String> = (file.with_extension("").iter())
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let root = path.len() == 1 && matches!(path[0].as_str(), "lib" | "main");
    if root || path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    path
}

fn lines_of(item: &Item) -> std::ops::RangeInclusive<usize> {
    let span = item.span();
    span.start().line..=span.end().line
}

fn is_test(item: &Item) -> bool {
    let attributes: &[Attribute] = match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        _ => &[],
    };
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        list.is_ok_and(|list| list.path.is_ident("cfg") && list.tokens.to_string() == "test")
    })
}

fn name_of(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(item) => item.ident.to_string(),
        Item::Enum(item) => item.ident.to_string(),
        Item::Fn(item) => item.sig.ident.to_string(),
        Item::Macro(item) => item.ident.as_ref()?.to_string(),
        Item::Mod(item) => item.ident.to_string(),
        Item::Static(item) => item.ident.to_string(),
        Item::Struct(item) => item.ident.to_string(),
        Item::Trait(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        Item::Union(item) => item.ident.to_string(),
        _ => return None,
    })
}
