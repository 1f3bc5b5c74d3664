//! Keys for caches of compiled programs.

mod sha256;

use glasm_codegen::Options;
use glasm_frontend::Source;
use sha256::Sha256;
use std::fmt::{self, Write};
use std::hash::{Hash, Hasher};

/// The version of this crate, which [`compute_cache_key`] covers.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Hash of all inputs of [`compile`](crate::compile()), 256 bits: the key of a result in a cache.
///
/// Its text form is 64 hexadecimal digits, which can be used as a file name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CacheKey([u8; 32]);

impl CacheKey {
    /// Returns the key with these bits, which [`Self::as_bytes`] has returned: for a file whose
    /// name is its key.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bits.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the key of a result that depends on the inputs of this key and on `more`: on the
    /// program of another stage (the [bytes](Self::as_bytes) of its key), on a revision of the
    /// caller.
    ///
    /// ```
    /// use glasm::{Options, Source, compute_cache_key};
    ///
    /// let options = Options::default();
    /// let vertex = compute_cache_key(&Source::new("v", "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND"), &options);
    /// let fragment = compute_cache_key(&Source::new("f", "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND"), &options);
    /// let pipeline = vertex.combine(fragment.as_bytes());
    /// assert_ne!(pipeline, fragment.combine(vertex.as_bytes()));
    /// println!("{pipeline}.json");
    /// ```
    #[must_use]
    pub fn combine(&self, more: impl AsRef<[u8]>) -> Self {
        let mut digest = KeyHasher::new();
        self.0.hash(&mut digest);
        more.as_ref().hash(&mut digest);
        digest.finish_key()
    }
}

impl fmt::Display for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_hex(&self.0))
    }
}

impl fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CacheKey({self})")
    }
}

/// Returns the key of the result of [`compile`](crate::compile()) for a program: module, reflection
/// and warnings, or the errors.
///
/// It covers the source, all settings of the source, all options and [`VERSION`]. The name of the
/// source is covered only if the module contains it, which is the case with debug line information:
/// a program has one key independent of its location.
///
/// Keys are equal in all processes, on all machines of the same byte order. They are SHA-256
/// digests, so that no one can construct a program that replaces another user's program in a shared
/// cache, and equal keys need no comparison of sources.
///
/// A key does not cover changes of glasm between two versions, which concern users that build it
/// from a checkout, and Rust compilers that lay out [`Hash`] of the options differently, which
/// causes a cache miss. The former add their revision with [`CacheKey::combine`]. The other
/// programs of [`link`](crate::link()) are not covered either: a stage of a pipeline depends on the
/// keys of all of them.
///
/// [`Program::cache_key`](crate::Program::cache_key) is the key of a loaded program, which does not
/// cover options without effect on it. The two kinds of keys differ.
pub fn compute_cache_key(source: &Source<'_>, options: &Options) -> CacheKey {
    let mut digest = KeyHasher::new();
    hash_source(source, &mut digest);
    options.debug.lines.then_some(source.name).hash(&mut digest);
    options.hash(&mut digest);
    digest.finish_key()
}

/// Returns the key of a source with the changes that were made to its program.
pub(crate) fn compute_source_key(source: &Source<'_>, changes: &impl Hash) -> CacheKey {
    let mut digest = KeyHasher::new();
    hash_source(source, &mut digest);
    changes.hash(&mut digest);
    digest.finish_key()
}

/// Returns the key of a program with options, and with its name if modules contain it.
pub(crate) fn combine_options(
    program: &CacheKey,
    name: Option<&str>,
    options: &Options,
) -> CacheKey {
    let mut digest = KeyHasher::new();
    (program, name, options).hash(&mut digest);
    digest.finish_key()
}

/// Hashes a source with its settings and the version of the library, without its name.
fn hash_source(source: &Source<'_>, digest: &mut KeyHasher) {
    // All fields by name, so that a new field cannot be omitted.
    let Source {
        name: _,
        text,
        program_span: _,
        dialect,
        program_type,
        step_limit,
        acceptance,
        tgsi,
    } = source;
    VERSION.hash(digest);
    text.hash(digest);
    source.program_span().hash(digest);
    (dialect, program_type, step_limit, acceptance, tgsi).hash(digest);
}

/// Returns bytes as lower-case hexadecimal digits, two for each.
fn format_hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(digits, "{byte:02x}").expect("strings take any text");
    }
    digits
}

/// Hasher for all types with [`Hash`], with a machine-independent encoding: numbers are little
/// endian, lengths and variants have 64 bits. Only arrays of numbers are hashed as their bytes in
/// memory.
struct KeyHasher(Sha256);

impl KeyHasher {
    /// Returns a hasher of no data.
    const fn new() -> Self {
        Self(Sha256::new())
    }

    /// Returns the key of the data that was hashed.
    fn finish_key(self) -> CacheKey {
        CacheKey(self.0.finish())
    }
}

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn write_u16(&mut self, number: u16) {
        self.write(&number.to_le_bytes());
    }

    fn write_u32(&mut self, number: u32) {
        self.write(&number.to_le_bytes());
    }

    fn write_u64(&mut self, number: u64) {
        self.write(&number.to_le_bytes());
    }

    fn write_u128(&mut self, number: u128) {
        self.write(&number.to_le_bytes());
    }

    // As on 64-bit machines, so that keys of 32-bit processes are equal.
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as i64 as u64);
    }

    /// Returns 0: no caller reads it, because keys have all bits.
    fn finish(&self) -> u64 {
        let digest = self.0.clone().finish();
        digest[..8]
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::{Dialect, Program, ProgramType, TgsiOptions};
    use glasm_ir::{Span, Stage};
    use std::collections::HashSet;

    const TEXT: &str = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n";

    /// Checks the digest of bytes that were derived by hand: the digest on other machines.
    #[test]
    fn the_encoding_does_not_depend_on_the_machine() {
        let mut digest = KeyHasher::new();
        1u16.hash(&mut digest);
        2usize.hash(&mut digest);
        "ab".hash(&mut digest);
        Some(3u32).hash(&mut digest);
        (-1isize).hash(&mut digest);
        assert_eq!(
            digest.finish_key().to_string(),
            "1e6fc0453f1c15fe97c5f273a230d2463525fddaddbecae8b36f57c4650ecb8b"
        );
    }

    #[test]
    fn all_settings_of_the_source_count() {
        let plain = Source::new("a", TEXT);
        let part = |start, end| Source {
            program_span: Some(Span::new(start, end)),
            ..plain
        };
        let tgsi = |change: fn(&mut TgsiOptions)| {
            let mut source = plain;
            change(&mut source.tgsi);
            source
        };
        let sources = [
            plain,
            Source::new("a", &TEXT[..TEXT.len() - 1]),
            part(0, 40),
            part(1, TEXT.len() as u32),
            Source {
                dialect: Some(Dialect::ArbFp1_0),
                ..plain
            },
            plain.for_stage(Stage::Fragment),
            plain.for_type(ProgramType::VertexState),
            Source {
                step_limit: None,
                ..plain
            },
            plain.strict(),
            tgsi(|tgsi| tgsi.legacy_semantics = true),
            tgsi(|tgsi| tgsi.block_size[2] = 2),
        ];
        let options = Options::default();
        let keys: HashSet<_> = sources
            .iter()
            .map(|source| compute_cache_key(source, &options))
            .collect();
        assert_eq!(keys.len(), sources.len());
        // The same program, and the same part in other words.
        assert_eq!(
            compute_cache_key(&part(0, TEXT.len() as u32), &options),
            compute_cache_key(&plain, &options)
        );
    }

    #[test]
    fn names_count_where_modules_have_them() {
        let [mut options, mut lines] = [Options::default(), Options::default()];
        options.debug.names = true;
        lines.debug.lines = true;
        for (options, counts) in [(options, false), (lines, true)] {
            let [a, b] = ["a", "b"].map(|name| Source::new(name, TEXT));
            let keys = [a, b].map(|source| Program::load(&source).unwrap().cache_key(&options));
            assert_eq!(keys[0] != keys[1], counts);
            let differ = compute_cache_key(&a, &options) != compute_cache_key(&b, &options);
            assert_eq!(differ, counts);
            let [a, b] = [a, b].map(|source| crate::compile(&source, &options).unwrap());
            assert_eq!(a != b, counts);
        }
    }

    #[test]
    fn keys_of_programs_cover_what_changes_them() {
        let lookup = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[1], 2D;\nEND\n";
        let load = |text: &str| Program::load(&Source::new("a", text)).unwrap();
        let [plain, program] = [TEXT, lookup].map(load);
        let missing = program.with_missing_textures(2);
        let twice = missing.with_non_comparison_lookups(2);
        let reversed = program
            .with_non_comparison_lookups(2)
            .with_missing_textures(2);
        let programs = [&plain, &program, &missing, &twice, &reversed];
        let other = [
            program.with_missing_textures(1),
            program.with_comparison_lookups(2),
            program.with_enabled_clip_distances(),
        ];
        let all = programs.into_iter().chain(&other);
        let keys: Vec<_> = all
            .map(|program| program.cache_key(&Options::default()))
            .collect();
        assert_eq!(
            HashSet::<CacheKey>::from_iter(keys.clone()).len(),
            keys.len()
        );
        // The same program again, and an option without effect.
        let mut options = Options::default();
        options.pipeline_state.clip_plane_mask = 1;
        assert_eq!(load(lookup).cache_key(&options), keys[1]);
        options.pipeline_state.clamp_fragment_colors = true;
        assert_ne!(program.cache_key(&options), keys[1]);
    }

    #[test]
    fn what_is_added_does_not_run_together() {
        let key = compute_cache_key(&Source::new("a", TEXT), &Options::default());
        let keys = [
            key,
            key.combine(""),
            key.combine("ab"),
            key.combine("a").combine("b"),
            key.combine("b").combine("a"),
        ];
        assert_eq!(HashSet::from(keys).len(), keys.len());
        assert_eq!(key.to_string().len(), 64);
        assert!(format!("{key:?}").contains(&key.to_string()));
    }
}
