//! Finds scripts.

use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Returns the path itself if it is not a directory, otherwise all `.shader_test` files below it,
/// sorted. Directories that cannot be read are included: they fail when they are run, and are thus
/// reported.
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
        .filter_map(|entry| match entry {
            Ok(entry) if entry.file_type().is_dir() => None,
            Ok(entry) => Some(entry.into_path()).filter(is_script),
            Err(error) => error.path().map(Path::to_owned),
        });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn directories_are_walked_in_order() {
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
        #[cfg(unix)]
        {
            // A link to nowhere is a script that fails.
            std::os::unix::fs::symlink("nowhere", root.join("c.shader_test")).unwrap();
            assert_eq!(find_scripts(&root)[3..], [root.join("c.shader_test")]);
        }
        assert_eq!(
            find_scripts(&root.join("note.txt")),
            [root.join("note.txt")]
        );
        fs::remove_dir_all(root).unwrap();
    }
}
