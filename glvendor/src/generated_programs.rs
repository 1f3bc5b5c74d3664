//! Fragment programs that this library generates for state of extensions. They are selected like
//! those of the application.

use crate::context::State;
use crate::draw;
use crate::log;
use crate::share_group::Program;
use crate::target::Target;
use glasm::{Program as Loaded, Source};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Programs that are retained. An application has few combinations of the state.
const MAX_PROGRAMS: usize = 64;

/// Programs of a kind that a context has generated, by the state that they are for.
#[derive(Debug)]
pub(crate) struct GeneratedPrograms<K> {
    programs: FxHashMap<K, Arc<Program>>,
    /// Program that was selected last.
    current: Option<Arc<Program>>,
}

impl<K> Default for GeneratedPrograms<K> {
    fn default() -> Self {
        Self {
            programs: FxHashMap::default(),
            current: None,
        }
    }
}

impl<K> GeneratedPrograms<K> {
    /// Sets all local parameters of the program that was selected last, if there is one.
    pub(crate) fn set_locals<const N: usize>(&self, values: impl FnOnce() -> [[f32; 4]; N]) {
        let Some(program) = &self.current else { return };
        let values = values().map(|vector| vector.map(f32::to_bits));
        let mut contents = program.contents();
        if contents.local_parameters == values {
            return;
        }
        contents.set_locals(0, &values);
        drop(contents);
        program.increment_version();
    }
}

/// Selects the program of a key, and returns it. If it is new, `generate` returns its text, of which
/// `origin` is a description, and all others are dropped if they are too many. `None` if the text
/// does not load, which is an error of the generator and is logged.
pub(crate) fn select<K: Eq + Hash>(
    state: &mut State,
    programs: fn(&mut State) -> &mut GeneratedPrograms<K>,
    key: K,
    origin: &str,
    generate: fn(&K) -> String,
) -> Option<Arc<Program>> {
    let known = programs(state).programs.get(&key).cloned();
    let program = match known {
        Some(program) => program,
        None => {
            let program = load_text(origin, generate(&key))?;
            if programs(state).programs.len() >= MAX_PROGRAMS {
                let dropped = std::mem::take(&mut programs(state).programs);
                for program in dropped.into_values() {
                    draw::purge_program(state, program.string_serial());
                }
            }
            programs(state).programs.insert(key, Arc::clone(&program));
            program
        }
    };
    programs(state).current = Some(Arc::clone(&program));
    Some(program)
}

/// Returns a fragment program of a text without name; `None` if it does not load, which is logged.
fn load_text(origin: &str, text: String) -> Option<Arc<Program>> {
    let source = Source::new(origin, &text);
    let loaded = Loaded::load(&source)
        .inspect_err(|errors| log::error(errors.render(&source)))
        .ok()?;
    let program = Arc::new(Program::new(0));
    let mut contents = program.contents();
    contents.target = Some(Target::Fragment);
    contents.program_string = text.into_bytes();
    contents.translated = Some(loaded);
    drop(contents);
    program.assign_new_serial();
    Some(program)
}
