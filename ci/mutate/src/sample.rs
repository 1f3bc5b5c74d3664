//! All mutations of the compiler, and a sample of them that only changes with the code.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are foreign and grow"
)]

use crate::mutation_sites::{MutationSite, find_sites, is_hidden};
use crate::replacements::EnumVariants;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syn::Item;

/// Crates with mutations: directory, and the path of the switch in their code.
pub(crate) const CRATES: [(&str, &str); 3] = [
    ("ir", "crate::mutation_switch::is_active"),
    ("frontend", "glasm_ir::mutation_switch::is_active"),
    ("codegen", "glasm_ir::mutation_switch::is_active"),
];

/// Mutation that can be inserted.
pub(crate) struct Mutation {
    /// Hash of the change and its location, without the line.
    pub(crate) id: String,
    /// File, from the root of the repository.
    pub(crate) file: String,
    /// Site that is changed.
    pub(crate) site: MutationSite,
}

/// Mutations to select from.
#[derive(clap::Args, Default)]
pub(crate) struct Selection {
    /// Seed of the selection; equal seeds select equal mutations where the code is the same
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) seed: u64,
    /// Only this mutation (may be repeated)
    #[arg(long = "mutant", value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Only in files whose path contains this (may be repeated)
    #[arg(long = "file", value_name = "TEXT")]
    pub(crate) files: Vec<String>,
    /// Only in the crate ir, frontend or codegen
    #[arg(long = "crate", value_name = "NAME")]
    pub(crate) crates: Vec<String>,
}

impl Selection {
    /// Returns true if a mutation is in one of the crates or files, and has one of the ids, where
    /// there are any.
    fn includes(&self, mutation: &Mutation) -> bool {
        let directories = self.crates.iter().map(|name| format!("compiler/{name}/"));
        let mut parts = directories.chain(self.files.iter().cloned()).peekable();
        let is_anywhere = parts.peek().is_none();
        (is_anywhere || parts.any(|part| mutation.file.contains(&part)))
            && (self.ids.is_empty() || self.ids.contains(&mutation.id))
    }
}

/// Returns the files of the crates with mutations, with their source and tree.
fn read_files() -> Result<Vec<(String, String, syn::File)>> {
    let mut files = Vec::new();
    for (name, _) in CRATES {
        let mut open = vec![PathBuf::from(format!("compiler/{name}/src/lib.rs"))];
        while let Some(path) = open.pop() {
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("reading {}", path.display()))?;
            let tree =
                syn::parse_file(&text).with_context(|| format!("parsing {}", path.display()))?;
            open.extend(find_declared_modules(&path, &tree));
            files.push((path.display().to_string(), text, tree));
        }
    }
    Ok(files)
}

/// Returns the files of the modules that a file declares, but for tests.
fn find_declared_modules(path: &Path, tree: &syn::File) -> Vec<PathBuf> {
    let stem = path.file_stem().unwrap_or_default();
    let folder = if stem == "lib" || stem == "mod" {
        path.with_file_name("")
    } else {
        path.with_extension("")
    };
    let declared = tree.items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() && !is_hidden(&module.attrs) => {
            let name = module.ident.to_string();
            let file = folder.join(format!("{name}.rs"));
            Some(if file.is_file() {
                file
            } else {
                folder.join(name).join("mod.rs")
            })
        }
        _ => None,
    });
    declared.collect()
}

/// Returns all mutations of the crates, in the order of files. Their ids depend on file, function
/// and change, not on the line.
pub(crate) fn find_mutations() -> Result<Vec<Mutation>> {
    let files = read_files()?;
    let mut enums = EnumVariants::default();
    for (_, _, tree) in &files {
        enums.add_enums(tree);
    }
    let mut mutations = Vec::new();
    for (file, text, tree) in &files {
        let mut same: BTreeMap<u64, u64> = BTreeMap::new();
        for site in find_sites(text, tree, &enums) {
            let hash = hash(0, &[file, &site.function, &site.change]);
            let number = same.entry(hash).or_default();
            let id = format!("{:010x}", mix(hash.wrapping_add(*number)) >> 24);
            *number += 1;
            mutations.push(Mutation {
                id,
                file: file.clone(),
                site,
            });
        }
    }
    Ok(mutations)
}

/// Returns the requested mutations, in the order of selection.
pub(crate) fn select_mutations(mutations: Vec<Mutation>, selection: &Selection) -> Vec<Mutation> {
    let wanted = |mutation: &Mutation| selection.includes(mutation);
    let mut selected: Vec<Mutation> = mutations.into_iter().filter(wanted).collect();
    // The rank of a mutation depends on its id only, so that changes of other code do not affect
    // the selection.
    selected.sort_by_cached_key(|mutation| hash(selection.seed, &[&mutation.id]));
    selected
}

/// Returns the FNV-1a hash of the words and the ends between them, mixed.
fn hash(seed: u64, words: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ mix(seed);
    for byte in words.iter().flat_map(|word| word.bytes().chain([0])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    mix(hash)
}

/// Mixes bits with the last steps of SplitMix64: every bit depends on all.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Mutation, MutationSite, Selection, select_mutations};

    fn mutations(ids: &[&str]) -> Vec<Mutation> {
        let mutation = |id: &&str| Mutation {
            id: (*id).to_owned(),
            file: "compiler/ir/src/op.rs".to_owned(),
            site: MutationSite {
                line: 1,
                function: String::new(),
                change: String::new(),
                edits: Vec::new(),
            },
        };
        ids.iter().map(mutation).collect()
    }

    fn select(ids: &[&str], selection: &Selection) -> Vec<String> {
        select_mutations(mutations(ids), selection)
            .into_iter()
            .map(|mutation| mutation.id)
            .collect()
    }

    #[test]
    fn new_code_does_not_change_the_order_of_old_mutations() {
        let any = Selection::default();
        let all = select(&["a", "b", "c", "d", "e", "f"], &any);
        let mut some = all.clone();
        some.retain(|id| id != "c");
        assert_eq!(select(&["f", "e", "d", "b", "a"], &any), some);
        let other = Selection {
            seed: 1,
            ..Selection::default()
        };
        assert_ne!(select(&["a", "b", "c", "d", "e", "f"], &other), all);
    }

    #[test]
    fn files_and_ids_are_chosen() {
        let of_file = |file: &str| Selection {
            files: vec![file.to_owned()],
            ..Selection::default()
        };
        assert_eq!(select(&["a"], &of_file("ir/src")), ["a"]);
        assert!(select(&["a"], &of_file("codegen")).is_empty());
        let one = Selection {
            ids: vec!["b".to_owned()],
            ..Selection::default()
        };
        assert_eq!(select(&["a", "b"], &one), ["b"]);
    }
}
