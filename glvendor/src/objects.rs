//! Program objects and other state that contexts share.

use crate::context::State;
use crate::ffi::ring::{self, Store};
use crate::lists::List;
use crate::lock::Mutex;
use crate::mixed_pipeline::Partial;
use crate::names::Names;
use crate::target::Target;
use glasm::{Program as Loaded, Source};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard};

/// Four components of a parameter, as bits: floats, or integers of NV_gpu_program4.
pub(crate) type Bits = [u32; 4];

/// Local parameters of a program: MAX_PROGRAM_LOCAL_PARAMETERS_ARB.
pub(crate) const LOCAL_PARAMETERS: u32 = 1024;
/// Environment parameters of a target: MAX_PROGRAM_ENV_PARAMETERS_ARB.
pub(crate) const ENV_PARAMETERS: u32 = 256;

/// Program object. ARB_vertex_program section 2.14.1.
#[derive(Debug)]
pub(crate) struct Program {
    /// Name; 0 is the initial one of targets.
    pub(crate) name: u32,
    contents: Mutex<Contents>,
    /// Version that is incremented when a parameter changes.
    parameters_version: AtomicU64,
    /// Serial number of the loaded program string, unique in all objects: pipelines are identified
    /// by it. 0 if there is none.
    serial: AtomicU64,
}

/// Contents of a program object.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// Target that it was first used with.
    pub(crate) target: Option<Target>,
    /// Program string.
    pub(crate) text: Vec<u8>,
    /// Result of loading; `None` if nothing is loaded, and for programs of the driver until a
    /// pipeline needs them.
    pub(crate) loaded: Option<Loaded>,
    /// True if the driver has accepted the program string.
    pub(crate) is_drivers: bool,
    /// Local parameters, up to the last one that was set.
    pub(crate) locals: Vec<Bits>,
    /// Named parameters: NV_fragment_program section 5.7.
    pub(crate) named: Vec<(String, Bits)>,
    /// Maximum number of vertices of a geometry program: `ProgramVertexLimitNV`.
    pub(crate) vertex_limit: Option<u32>,
    /// Subroutines that subroutine parameters select: NV_gpu_program5.
    pub(crate) subroutines: Vec<u32>,
}

impl Program {
    pub(crate) fn new(name: u32) -> Self {
        Self {
            name,
            contents: Mutex::default(),
            parameters_version: AtomicU64::new(0),
            serial: AtomicU64::new(0),
        }
    }

    /// Returns its contents, for the lifetime of the guard.
    pub(crate) fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock()
    }

    /// Returns the number of its program string, 0 if it has none.
    pub(crate) fn serial(&self) -> u64 {
        self.serial.load(Ordering::Acquire)
    }

    /// Records a new program string. Returns the number of the old one.
    pub(crate) fn reloaded(&self) -> u64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let serial = 1 + LAST.fetch_add(1, Ordering::Relaxed);
        let old = self.serial.swap(serial, Ordering::AcqRel);
        self.parameter_changed();
        old
    }

    /// Returns the version that is incremented whenever a parameter changes.
    pub(crate) fn parameters_version(&self) -> u64 {
        self.parameters_version.load(Ordering::Acquire)
    }

    pub(crate) fn parameter_changed(&self) {
        self.parameters_version.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns true if it is a fragment program, which alone have parameters with names.
    pub(crate) fn is_fragment(&self) -> bool {
        matches!(
            self.contents().target,
            Some(Target::FragmentNv | Target::Fragment)
        )
    }

    /// Returns the translated program. Programs of the driver are translated when a pipeline needs
    /// them first.
    pub(crate) fn loaded(&self) -> Option<Loaded> {
        let mut contents = self.contents();
        if contents.loaded.is_none() && contents.is_drivers {
            let loaded = contents.target.map(|target| {
                let name = format!("program {}", self.name);
                Loaded::load(&Source::new(&name, &contents.text).for_stage(target.row().stage))
            });
            contents.loaded = loaded.and_then(Result::ok);
        }
        contents.loaded.clone()
    }
}

impl Contents {
    /// Sets local parameters from `first` on.
    pub(crate) fn set_locals(&mut self, first: u32, values: &[Bits]) {
        set(&mut self.locals, first, values);
    }
}

/// Sets elements of a list, whose length is extended to the last set element.
pub(crate) fn set(list: &mut Vec<Bits>, first: u32, values: &[Bits]) {
    let end = first as usize + values.len();
    if list.len() < end {
        list.resize(end, [0; 4]);
    }
    list[first as usize..end].copy_from_slice(values);
}

/// Shared objects of the driver, of a deleted context.
#[derive(Debug, Default)]
pub(crate) struct Orphans {
    /// Program objects.
    pub(crate) programs: Vec<u32>,
    /// Buffer of parameters.
    pub(crate) buffer: Option<Arc<Store>>,
}

impl Orphans {
    /// Deletes them: a context that shares them is current.
    pub(crate) fn delete(&self, state: &State) {
        for &program in &self.programs {
            state.delete_program(program);
        }
        if let Some(buffer) = &self.buffer {
            ring::release(buffer, &state.share);
        }
    }
}

/// Deleted program strings, the most recent of them, for contexts that have pipelines of them.
#[derive(Debug, Default)]
pub(crate) struct Gone {
    /// Their serial numbers, the newest one last.
    serials: VecDeque<u64>,
    /// Total number of objects that were ever created.
    pub(crate) count: u64,
}

impl Gone {
    /// Maximum number of retained entries, which suffices for all contexts in practice.
    const MOST: usize = 1024;

    /// Adds an entry.
    pub(crate) fn add(&mut self, serial: u64) {
        if self.serials.len() == Self::MOST {
            self.serials.pop_front();
        }
        self.serials.push_back(serial);
        self.count += 1;
    }

    /// Returns the entries since there were `count`. `None` if some of them are not retained any
    /// more.
    pub(crate) fn since(&self, count: u64) -> Option<impl Iterator<Item = u64>> {
        let new = usize::try_from(self.count - count).ok()?;
        let first = self.serials.len().checked_sub(new)?;
        Some(self.serials.range(first..).copied())
    }
}

/// State that contexts share.
#[derive(Debug, Default)]
pub(crate) struct Share {
    /// Deleted program strings.
    pub(crate) gone: Gone,
    /// Names of objects of this library.
    pub(crate) names: Names,
    /// Objects of deleted contexts.
    pub(crate) orphans: Vec<Orphans>,
    /// Programs by name; `None` for names that are reserved.
    pub(crate) programs: FxHashMap<u32, Option<Arc<Program>>>,
    /// Display lists with commands of this library.
    pub(crate) lists: FxHashMap<u32, Arc<List>>,
    /// Total number of parts that were created for such lists.
    pub(crate) parts: u32,
    /// Driver's names of existing parts, and of images: lists of the application may have the same
    /// names from its point of view only.
    pub(crate) part_names: BTreeSet<u32>,
    /// Last name of a list of the application.
    pub(crate) last_list: u32,
    /// Application's program objects of GLSL that lack a stage which programs of this library can
    /// provide.
    pub(crate) partial: FxHashMap<u32, Partial>,
}

impl Share {
    /// Returns the program of a name, which becomes one when it is used first.
    pub(crate) fn program(&mut self, name: u32) -> Arc<Program> {
        let entry = self.programs.entry(name).or_default();
        Arc::clone(entry.get_or_insert_with(|| Arc::new(Program::new(name))))
    }

    /// Finds the program of a name, if there is one.
    pub(crate) fn find(&self, name: u32) -> Option<Arc<Program>> {
        self.programs.get(&name).cloned().flatten()
    }

    /// Returns the first of `count` consecutive unused names.
    pub(crate) fn free_names(&self, count: u32) -> u32 {
        let mut first = 1;
        // Names are dense: the loop ends after the last of them.
        while (first..first + count).any(|name| self.programs.contains_key(&name)) {
            first += 1;
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_hear_of_strings_that_are_gone_once() {
        let mut gone = Gone::default();
        let since = |gone: &Gone, count| gone.since(count).map(Iterator::collect::<Vec<_>>);
        assert_eq!(since(&gone, 0), Some(vec![]));
        (10..13).for_each(|serial| gone.add(serial));
        assert_eq!(since(&gone, 1), Some(vec![11, 12]));
        assert_eq!(since(&gone, 3), Some(vec![]));
        (0..Gone::MOST as u64).for_each(|serial| gone.add(serial));
        assert_eq!(since(&gone, 2), None);
        assert_eq!(since(&gone, 3).map(|it| it.len()), Some(Gone::MOST));
    }
}
