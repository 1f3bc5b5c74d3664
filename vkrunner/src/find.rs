//! Finds scripts.

use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The file itself, or all `.shader_test` files below a folder, sorted. What cannot be read is left out.
pub fn find_scripts(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let is_script = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| extension == "shader_test")
    };
    let entries = WalkDir::new(path)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok);
    entries
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(is_script)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folders_are_walked_in_order() {
        let root = std::env::temp_dir().join(format!("glasm-find-{}", std::process::id()));
        fs::create_dir_all(root.join("b")).unwrap();
        for name in [
            "b/2.shader_test",
            "b/1.shader_test",
            "a.shader_test",
            "note.txt",
        ] {
            fs::write(root.join(name), "").unwrap();
        }
        let names = ["a.shader_test", "b/1.shader_test", "b/2.shader_test"];
        assert_eq!(find_scripts(&root), names.map(|name| root.join(name)));
        assert_eq!(
            find_scripts(&root.join("note.txt")),
            [root.join("note.txt")]
        );
        fs::remove_dir_all(root).unwrap();
    }
}
