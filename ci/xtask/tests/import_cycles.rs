//! Import cycles between the files of a crate: a cycle of more than four files is a failure.
//!
//! A file imports the files that define the items it names, not those that re-export them. Modules
//! under `#[cfg(test)]` are ignored, and code that macros generate is not seen.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are foreign and grow"
)]

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};
use walkdir::WalkDir;

/// Crates that are checked. In `glvendor` the context and the objects that it owns import each
/// other.
const CRATES: [&str; 19] = [
    "analysis",
    "ci/mutate",
    "ci/support",
    "ci/xtask",
    "cli",
    "compiler/capi",
    "compiler/codegen",
    "compiler/frontend",
    "compiler/glasm",
    "compiler/ir",
    "compiler/text",
    "extract",
    "glregistry",
    "glrunner",
    "scene",
    "scripts",
    "settings",
    "vkrunner",
    "web",
];

/// Files that a cycle has at most.
const MAX_FILES: usize = 4;

/// Re-exports that a name is followed through at most.
const MAX_REEXPORTS: usize = 8;

#[test]
fn import_cycles_are_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut report = String::new();
    for name in CRATES {
        let code = Crate::read(&root.join(name).join("src"));
        for cycle in code.find_cycles() {
            if cycle.len() > MAX_FILES {
                report += &format!("{name}: {} files import each other:\n", cycle.len());
                for (file, imported) in cycle {
                    report += &format!("  {file} imports {}\n", imported.join(" "));
                }
            }
        }
    }
    assert!(report.is_empty(), "{report}");
}

#[test]
fn imports_lead_to_where_items_are_defined() {
    let code = Crate::parse(&[
        ("lib.rs", "mod a; mod b; mod c;\npub use a::A;\n"),
        ("a.rs", "use crate::b::B;\npub struct A;\n"),
        ("b/mod.rs", "mod d;\npub use d::B;\n"),
        ("b/d.rs", "use super::super::A;\npub struct B;\n"),
        ("c.rs", "use crate::A;\nuse std::fmt::Write;\n"),
    ]);
    let files = [("a.rs", ["b/d.rs"]), ("b/d.rs", ["a.rs"])];
    assert_eq!(
        code.find_cycles(),
        [files.map(|(file, imported)| (file, imported.to_vec()))]
    );
}

#[test]
fn paths_in_expressions_are_imports_and_tests_are_ignored() {
    let a = ("a.rs", "fn a() { crate::b::b(); }");
    let tested = "#[cfg(test)] mod tests { use crate::a::a; }\npub fn b() {}";
    let used = "use super::a::*;\npub fn b() { a() }";
    let count = |b| {
        Crate::parse(&[("lib.rs", "mod a; mod b;"), a, ("b.rs", b)])
            .find_cycles()
            .len()
    };
    assert_eq!(count(tested), 0);
    assert_eq!(count("pub fn b() { crate::a::a() }"), 1);
    assert_eq!(count(used), 1);
}

/// Files of a cycle, each with the files of the cycle that it imports.
type Cycle<'c> = Vec<(&'c str, Vec<&'c str>)>;

/// A crate as its files.
struct Crate {
    modules: Vec<Module>,
    by_path: HashMap<Vec<String>, usize>,
}

/// A file, without tests.
struct Module {
    /// Names of the modules down to this one.
    path: Vec<String>,
    /// Path below `src`.
    file: String,
    items: Vec<Item>,
    /// Names of modules of tests.
    tests: Vec<String>,
    /// Paths that `use` binds, by name.
    bound: HashMap<String, Vec<String>>,
    /// Modules whose items are all imported.
    globs: Vec<Vec<String>>,
    /// Names of its items.
    defined: HashSet<String>,
}

impl Crate {
    /// Reads all files of a directory.
    fn read(src: &Path) -> Self {
        let entries = WalkDir::new(src).sort_by_file_name().into_iter();
        let mut modules = Vec::new();
        for entry in entries.map(|entry| entry.expect("the directory is readable")) {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(path).expect("the file is readable");
                let file = path.strip_prefix(src).expect("the file is below src");
                modules.push(Module::parse(&file.to_string_lossy(), &text));
            }
        }
        assert!(!modules.is_empty(), "no sources in {}", src.display());
        Self::new(modules)
    }

    /// Parses files that are given as path and source.
    fn parse(files: &[(&str, &str)]) -> Self {
        Self::new(
            files
                .iter()
                .map(|(file, text)| Module::parse(file, text))
                .collect(),
        )
    }

    fn new(mut modules: Vec<Module>) -> Self {
        let tests: Vec<Vec<String>> = modules
            .iter()
            .flat_map(|module| module.tests.iter().map(|name| module.child(name)))
            .collect();
        modules.retain(|module| !tests.iter().any(|tests| module.path.starts_with(tests)));
        let paths = modules.iter().map(|module| module.path.clone());
        Self {
            by_path: paths.zip(0..).collect(),
            modules,
        }
    }

    /// Returns the import cycles, the largest first.
    fn find_cycles(&self) -> Vec<Cycle<'_>> {
        let graph: Vec<_> = (0..self.modules.len())
            .map(|index| self.imports_of(index))
            .collect();
        let reached: Vec<_> = (0..graph.len())
            .map(|index| reachable_from(&graph, index))
            .collect();
        let mut cycles: Vec<Vec<usize>> = Vec::new();
        for index in 0..graph.len() {
            let returns = |other: &usize| reached[*other].contains(&index);
            let mut files: Vec<usize> = reached[index].iter().copied().filter(returns).collect();
            files.sort_unstable();
            // Each cycle is found from every file in it.
            if files.len() > 1 && !cycles.contains(&files) {
                cycles.push(files);
            }
        }
        cycles.sort_by_key(|files| Reverse(files.len()));
        let name = |index: usize| self.modules[index].file.as_str();
        let describe = |files: &Vec<usize>| {
            let imported = |index: usize| {
                files
                    .iter()
                    .filter(|file| graph[index].contains(file))
                    .map(|&file| name(file))
                    .collect()
            };
            files
                .iter()
                .map(|&index| (name(index), imported(index)))
                .collect()
        };
        cycles.iter().map(describe).collect()
    }

    /// Returns the files that a file imports.
    fn imports_of(&self, index: usize) -> HashSet<usize> {
        let mut imports = Imports {
            code: self,
            from: index,
            found: HashSet::new(),
        };
        for item in &self.modules[index].items {
            imports.visit_item(item);
        }
        imports.found.remove(&index);
        imports.found
    }

    /// Returns the file that defines the target of a path in a module; `None` for other crates.
    fn resolve(&self, from: usize, path: &[String], steps: usize) -> Option<usize> {
        let (first, mut rest) = path.split_first()?;
        let mut module = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.modules[from].path.clone(),
            "super" => self.modules[from].path.split_last()?.1.to_vec(),
            _ => return self.resolve_name(from, path, steps),
        };
        while let Some((first, others)) = rest.split_first()
            && first == "super"
        {
            module.pop();
            rest = others;
        }
        let start = *self.by_path.get(&module)?;
        self.resolve_name(start, rest, steps).or(Some(start))
    }

    /// Resolves a path that begins with a name known in a module.
    fn resolve_name(&self, from: usize, path: &[String], steps: usize) -> Option<usize> {
        let module = &self.modules[from];
        let (first, rest) = path.split_first()?;
        if let Some(&child) = self.by_path.get(&module.child(first)) {
            return self.resolve_name(child, rest, steps).or(Some(child));
        }
        if module.defined.contains(first) {
            return Some(from);
        }
        if steps > MAX_REEXPORTS {
            return None;
        }
        if let Some(bound) = module.bound.get(first) {
            // A path that begins with the bound name itself is one of another crate.
            let other_crate = bound.first() == Some(first);
            let whole: Vec<String> = bound.iter().chain(rest).cloned().collect();
            return if other_crate {
                None
            } else {
                self.resolve(from, &whole, steps + 1)
            };
        }
        let globs = module.globs.iter();
        globs
            .filter_map(|glob| self.resolve(from, glob, steps + 1))
            .find(|&glob| self.modules[glob].defined.contains(first))
    }
}

/// Returns all files that a file imports directly or indirectly.
fn reachable_from(graph: &[HashSet<usize>], start: usize) -> HashSet<usize> {
    let mut reached = HashSet::new();
    let mut open: Vec<usize> = graph[start].iter().copied().collect();
    while let Some(file) = open.pop() {
        if reached.insert(file) {
            open.extend(&graph[file]);
        }
    }
    reached
}

impl Module {
    /// Parses a file.
    fn parse(file: &str, text: &str) -> Self {
        let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let (tests, items): (Vec<Item>, Vec<Item>) = parsed.items.into_iter().partition(is_test);
        let mut module = Self {
            path: module_path(Path::new(file)),
            file: file.to_owned(),
            tests: tests.iter().filter_map(item_name).collect(),
            bound: HashMap::new(),
            globs: Vec::new(),
            defined: items.iter().filter_map(item_name).collect(),
            items,
        };
        for item in &module.items {
            if let Item::Use(item) = item {
                for (name, path) in use_leaves(&item.tree) {
                    if name == "*" {
                        module.globs.push(path);
                    } else {
                        module.bound.insert(name, path);
                    }
                }
            }
        }
        module
    }

    fn child(&self, name: &str) -> Vec<String> {
        let names = self.path.iter().map(String::as_str).chain([name]);
        names.map(str::to_owned).collect()
    }
}

/// Returns the names of the modules down to the one that a file below `src` defines.
fn module_path(file: &Path) -> Vec<String> {
    let stem = file.with_extension("");
    let mut path: Vec<String> = stem
        .iter()
        .map(|it| it.to_string_lossy().into_owned())
        .collect();
    let is_root = path.len() == 1 && matches!(path[0].as_str(), "lib" | "main");
    if is_root || path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    path
}

/// Returns the names that a `use` binds, with their paths; `*` for everything of a module.
fn use_leaves(tree: &UseTree) -> Vec<(String, Vec<String>)> {
    match tree {
        UseTree::Path(path) => {
            let first = path.ident.to_string();
            let prefixed = |(name, mut rest): (String, Vec<String>)| {
                let is_self = rest.is_empty() && name == "self";
                rest.insert(0, first.clone());
                (if is_self { first.clone() } else { name }, rest)
            };
            use_leaves(&path.tree).into_iter().map(prefixed).collect()
        }
        UseTree::Name(name) if name.ident == "self" => vec![("self".to_owned(), Vec::new())],
        UseTree::Name(name) => vec![(name.ident.to_string(), vec![name.ident.to_string()])],
        UseTree::Rename(name) => vec![(name.rename.to_string(), vec![name.ident.to_string()])],
        UseTree::Glob(_) => vec![("*".to_owned(), Vec::new())],
        UseTree::Group(group) => group.items.iter().flat_map(use_leaves).collect(),
    }
}

/// Returns true if an item has the attribute `#[cfg(test)]`.
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

fn item_name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Mod(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Collector of the files that one file imports.
struct Imports<'c> {
    code: &'c Crate,
    from: usize,
    found: HashSet<usize>,
}

impl<'ast> Visit<'ast> for Imports<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        for (_, path) in use_leaves(&item.tree) {
            self.found.extend(self.code.resolve(self.from, &path, 0));
        }
    }

    // The path of `pub(in path)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            let names: Vec<String> = path
                .segments
                .iter()
                .map(|it| it.ident.to_string())
                .collect();
            self.found.extend(self.code.resolve(self.from, &names, 0));
        }
        visit::visit_path(self, path);
    }
}
