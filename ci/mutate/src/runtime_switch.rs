//! Written by `cargo xtask mutate`: which mutation is on, and which code was reached.

use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Mutations that were reached since the last script ended.
static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
/// Number of the active mutation; before it is known, and if there is none, larger than all
/// numbers.
static CHOSEN: AtomicUsize = AtomicUsize::new(UNKNOWN);
const UNKNOWN: usize = usize::MAX;
const NONE: usize = usize::MAX - 1;
/// Hash of the compiler output for the current script.
static SEEN: Mutex<Option<DefaultHasher>> = Mutex::new(None);

/// Returns true if mutation `number` is enabled in this process, by `GLASM_MUTANT`. Records that
/// its code was reached.
pub fn is_active(number: usize) -> bool {
    if !REACHED[number].load(Ordering::Relaxed) {
        REACHED[number].store(true, Ordering::Relaxed);
        if let Some(file) = read_variable("GLASM_MUTANT_COVERAGE") {
            append(file, &format!("{number}\n"));
        }
    }
    let mut chosen = CHOSEN.load(Ordering::Relaxed);
    if chosen == UNKNOWN {
        let word = std::env::var("GLASM_MUTANT");
        chosen = word.ok().and_then(|word| word.parse().ok()).unwrap_or(NONE);
        CHOSEN.store(chosen, Ordering::Relaxed);
    }
    chosen == number
}

/// Adds an output of the compiler to the hash of the current script, if hashes are requested.
pub fn note(seen: &dyn Debug) {
    if read_variable("GLASM_MUTANT_SCRIPTS").is_none() {
        return;
    }
    let text = format!("{seen:#?}");
    if let Some(file) = read_variable("GLASM_MUTANT_OUTPUT") {
        append(file, &text);
    }
    let mut hasher = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    text.hash(hasher.get_or_insert_default());
}

/// Appends a script, the hash of the compiler output for it and the mutations that it reached to
/// the file that `GLASM_MUTANT_SCRIPTS` names, and resets both. No-op without the variable.
pub fn end_script(path: &dyn Debug) {
    let Some(file) = read_variable("GLASM_MUTANT_SCRIPTS") else {
        return;
    };
    let hasher = SEEN.lock().unwrap_or_else(PoisonError::into_inner).take();
    let hash = hasher.unwrap_or_default().finish();
    let reached = REACHED.iter().enumerate();
    let reached = reached.filter(|(_, it)| it.swap(false, Ordering::Relaxed));
    let reached: Vec<String> = reached.map(|(number, _)| number.to_string()).collect();
    append(file, &format!("{path:?}\t{hash:016x}\t{}\n", reached.join(" ")));
}

/// Returns the value of one of the three environment variables of the instrumentation, which is
/// read once per process. `None` if it is unset.
fn read_variable(name: &'static str) -> Option<&'static str> {
    static FOUND: [OnceLock<Option<String>>; 3] = [const { OnceLock::new() }; 3];
    let site = ["GLASM_MUTANT_COVERAGE", "GLASM_MUTANT_SCRIPTS", "GLASM_MUTANT_OUTPUT"]
        .iter()
        .position(|known| *known == name)?;
    let value = FOUND[site].get_or_init(|| std::env::var(name).ok());
    value.as_deref()
}

/// Appends a line with one write, so that lines of several processes do not mix.
fn append(file: &str, text: &str) {
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(file);
    if let Ok(mut opened) = opened {
        let _ = opened.write_all(text.as_bytes());
    }
}
