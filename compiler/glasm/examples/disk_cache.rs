//! Compiles the programs of a directory with a cache on disk:
//!
//! ```sh
//! cargo run -p glasm --features serde --example disk_cache -- PROGRAMS CACHE
//! ```
//!
//! Results of earlier runs, in any process, are read from the cache. Programs that do not load are
//! cached, too, with their errors.

#![expect(clippy::print_stdout, reason = "it says what it did")]

use glasm::{CacheKey, Compiler, Diagnostics, Options, Shader, Source, compute_cache_key};
use std::io;
use std::path::{Path, PathBuf};

/// Compiles the programs of the first argument with the cache of the second, and prints the number
/// of hits and misses.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [programs, cache] = arguments.as_slice() else {
        return Err("arguments: a directory of programs, a directory for the cache".into());
    };
    let mut cache = Cache::open(cache)?;
    compile_dir(Path::new(programs), &mut cache, &Options::default())?;
    println!("{} hits, {} misses", cache.hits, cache.misses);
    Ok(())
}

/// Compiles all programs of the files in a directory, and prints the errors of those that do not
/// load.
fn compile_dir(dir: &Path, cache: &mut Cache, options: &Options) -> io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if !path.is_file() {
            continue;
        }
        let text = std::fs::read(&path)?;
        let name = path.to_string_lossy();
        for (part, source) in Source::new(&name, &text).programs() {
            // A file without a header is not a program.
            if part.dialect.is_some()
                && let Err(errors) = cache.compile(&source, options)?
            {
                println!("{}", errors.render(&source));
            }
        }
    }
    Ok(())
}

/// A directory with a file for each compiled program.
struct Cache {
    dir: PathBuf,
    compiler: Compiler,
    hits: usize,
    misses: usize,
}

impl Cache {
    /// Opens the cache in a directory, which is created if it does not exist.
    fn open(dir: impl Into<PathBuf>) -> io::Result<Self> {
        let dir = dir.into();
        std::fs::create_dir_all(&dir)?;
        Ok(Self {
            dir,
            compiler: Compiler::new(),
            hits: 0,
            misses: 0,
        })
    }

    /// Returns the result of [`glasm::compile`], read from the cache or compiled.
    fn compile(
        &mut self,
        source: &Source<'_>,
        options: &Options,
    ) -> io::Result<Result<Shader, Diagnostics>> {
        let key = compute_cache_key(source, options);
        if let Some(found) = self.read(key) {
            self.hits += 1;
            return Ok(found);
        }
        self.misses += 1;
        let made = self.compiler.compile(source, options);
        self.write(key, &made)?;
        Ok(made)
    }

    /// Returns the path of the file that stores the result for a key.
    fn path(&self, key: CacheKey) -> PathBuf {
        self.dir.join(format!("{key}.json"))
    }

    /// Reads the result of a key; `None` for a missing or unreadable file: the program is compiled
    /// again.
    fn read(&self, key: CacheKey) -> Option<Result<Shader, Diagnostics>> {
        let file = std::fs::read(self.path(key)).ok()?;
        serde_json::from_slice(&file).ok()
    }

    /// Writes to a temporary file and renames it, so that other processes never read a partial
    /// file.
    fn write(&self, key: CacheKey, made: &Result<Shader, Diagnostics>) -> io::Result<()> {
        let beside = self.dir.join(format!("{key}.{}", std::process::id()));
        std::fs::write(&beside, serde_json::to_vec(made)?)?;
        std::fs::rename(beside, self.path(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compiles the directory with a newly opened cache; returns hits and misses.
    fn run(dir: &Path, options: &Options) -> (usize, usize) {
        let mut cache = Cache::open(dir.join("cache")).unwrap();
        compile_dir(dir, &mut cache, options).unwrap();
        (cache.hits, cache.misses)
    }

    #[test]
    fn what_was_compiled_is_found_until_it_changes() {
        let dir = std::env::temp_dir().join(format!("glasm-disk-cache-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let write = |name, text: &str| std::fs::write(dir.join(name), text).unwrap();
        write(
            "two",
            "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n!!ARBfp1.0\nMOV result.color, 1;\nEND\n",
        );
        write("wrong", "!!ARBfp1.0\nMOV result.color, nothing;\nEND\n");
        write("other", "no program");
        let mut options = Options::default();
        assert_eq!(run(&dir, &options), (0, 3));
        assert_eq!(run(&dir, &options), (3, 0));

        // The result that is read equals the compiled one.
        let text = std::fs::read(dir.join("wrong")).unwrap();
        let source = Source::new("wrong", &text);
        let mut cache = Cache::open(dir.join("cache")).unwrap();
        let read = cache.compile(&source, &options).unwrap();
        assert_eq!((cache.hits, read), (1, glasm::compile(&source, &options)));

        options.pipeline_state.flat_colors = true;
        assert_eq!(run(&dir, &options), (0, 3));
        write("wrong", "!!ARBfp1.0\nMOV result.color, 0;\nEND\n");
        assert_eq!(run(&dir, &options), (2, 1));

        for entry in std::fs::read_dir(dir.join("cache")).unwrap() {
            std::fs::write(entry.unwrap().path(), "{").unwrap();
        }
        assert_eq!(run(&dir, &options), (0, 3));
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
