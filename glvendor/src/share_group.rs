//! Program objects and other state that contexts share.

use crate::context::State;
use crate::display_lists::CompositeList;
use crate::ffi::async_objects::SyncObject;
use crate::ffi::ring_buffer::{self, ParameterBuffer};
use crate::lock::Mutex;
use crate::mixed_pipeline::IncompleteProgram;
use crate::object_names::LibraryNames;
use crate::target::Target;
use crate::texture_formats::ImageKey;
use glasm::{Program as Loaded, Source};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard};

/// Four components of a parameter, as bits: floats, or integers of NV_gpu_program4.
pub(crate) type VectorBits = [u32; 4];

/// Local parameters of a program: MAX_PROGRAM_LOCAL_PARAMETERS_ARB.
pub(crate) const LOCAL_PARAMETERS: u32 = 1024;
/// Environment parameters of a target: MAX_PROGRAM_ENV_PARAMETERS_ARB.
pub(crate) const ENV_PARAMETERS: u32 = 256;

/// Program object. ARB_vertex_program section 2.14.1.
#[derive(Debug)]
pub(crate) struct Program {
    /// Name; 0 is the initial one of targets.
    pub(crate) name: u32,
    contents: Mutex<ProgramContents>,
    /// Version that is incremented when a parameter changes.
    parameters_version: AtomicU64,
    /// Serial number of the loaded program string, unique in all objects: pipelines are identified
    /// by it. 0 if there is none.
    serial: AtomicU64,
}

/// Contents of a program object.
#[derive(Debug, Default)]
pub(crate) struct ProgramContents {
    /// Target that it was first used with.
    pub(crate) target: Option<Target>,
    /// Program string.
    pub(crate) program_string: Vec<u8>,
    /// Result of loading; `None` if nothing is loaded, and for programs of the driver until a
    /// pipeline needs them.
    pub(crate) translated: Option<Loaded>,
    /// True if the driver has accepted the program string.
    pub(crate) is_driver_program: bool,
    /// Local parameters, up to the last one that was set.
    pub(crate) local_parameters: Vec<VectorBits>,
    /// Named parameters: NV_fragment_program section 5.7.
    pub(crate) named_parameters: Vec<(String, VectorBits)>,
    /// Maximum number of vertices of a geometry program: `ProgramVertexLimitNV`.
    pub(crate) vertex_limit: Option<u32>,
    /// Subroutines that subroutine parameters select: NV_gpu_program5.
    pub(crate) subroutines: Vec<u32>,
}

impl Program {
    /// Creates a program object that has a name but no program string yet.
    pub(crate) fn new(name: u32) -> Self {
        Self {
            name,
            contents: Mutex::default(),
            parameters_version: AtomicU64::new(0),
            serial: AtomicU64::new(0),
        }
    }

    /// Locks the contents of the program and returns them for the lifetime of the guard.
    pub(crate) fn contents(&self) -> MutexGuard<'_, ProgramContents> {
        self.contents.lock()
    }

    /// Returns the serial number of the program string; 0 if the program has none.
    pub(crate) fn string_serial(&self) -> u64 {
        self.serial.load(Ordering::Acquire)
    }

    /// Gives the program a new serial number, because its program string has changed, and
    /// increments the version of its parameters. Returns the old number, 0 if it had none, whose
    /// pipelines the caller purges.
    pub(crate) fn assign_new_serial(&self) -> u64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let serial = 1 + LAST.fetch_add(1, Ordering::Relaxed);
        let old = self.serial.swap(serial, Ordering::AcqRel);
        self.increment_version();
        old
    }

    /// Returns the version that is incremented whenever a parameter changes.
    pub(crate) fn parameters_version(&self) -> u64 {
        self.parameters_version.load(Ordering::Acquire)
    }

    /// Increments the version of the program's local parameters, so that contexts upload them
    /// again.
    pub(crate) fn increment_version(&self) {
        self.parameters_version.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns true if it is a fragment program, which alone have parameters with names.
    pub(crate) fn is_fragment(&self) -> bool {
        matches!(
            self.contents().target,
            Some(Target::FragmentNv | Target::Fragment)
        )
    }

    /// Returns the translated program. Programs of the driver are translated at the first call,
    /// with the result stored. `None` if no string is loaded or the translation fails.
    pub(crate) fn load_translated(&self) -> Option<Loaded> {
        let mut contents = self.contents();
        if contents.translated.is_none() && contents.is_driver_program {
            let loaded = contents.target.map(|target| {
                let name = format!("program {}", self.name);
                Loaded::load(
                    &Source::new(&name, &contents.program_string)
                        .for_stage(target.properties().stage),
                )
            });
            contents.translated = loaded.and_then(Result::ok);
        }
        contents.translated.clone()
    }
}

impl ProgramContents {
    /// Sets consecutive local parameters from `first` on; the list grows as needed.
    pub(crate) fn set_locals(&mut self, first: u32, values: &[VectorBits]) {
        set_elements(&mut self.local_parameters, first, values);
    }
}

/// Sets elements of a list from `first` on, whose length is extended to the last set element with
/// zeros.
pub(crate) fn set_elements(list: &mut Vec<VectorBits>, first: u32, values: &[VectorBits]) {
    let end = first as usize + values.len();
    if list.len() < end {
        list.resize(end, [0; 4]);
    }
    list[first as usize..end].copy_from_slice(values);
}

/// Shared objects of the driver, of a deleted context.
#[derive(Debug, Default)]
pub(crate) struct OrphanedObjects {
    /// Program objects.
    pub(crate) programs: Vec<u32>,
    /// Buffer of parameters.
    pub(crate) buffer: Option<Arc<ParameterBuffer>>,
    /// Sync objects of fences.
    pub(crate) sync_objects: Vec<SyncObject>,
}

impl OrphanedObjects {
    /// Deletes the orphaned objects in the driver. A context that shares them must be current.
    pub(crate) fn delete_objects(&self, state: &State) {
        for &program in &self.programs {
            state.delete_program(program);
        }
        self.sync_objects.iter().for_each(SyncObject::delete);
        if let Some(buffer) = &self.buffer {
            ring_buffer::delete_buffer(buffer, &state.share_group);
        }
    }
}

/// Deleted program strings, the most recent of them, for contexts that have pipelines of them.
#[derive(Debug, Default)]
pub(crate) struct DeletedPrograms {
    /// Their serial numbers, the newest one last.
    serials: VecDeque<u64>,
    /// Total number of objects that were ever created.
    pub(crate) total_count: u64,
}

impl DeletedPrograms {
    /// Maximum number of retained entries, which suffices for all contexts in practice.
    const MAX_ENTRIES: usize = 1024;

    /// Records the serial number of a deleted program string and counts it; drops the oldest one if
    /// the list is full.
    pub(crate) fn push_serial(&mut self, serial: u64) {
        if self.serials.len() == Self::MAX_ENTRIES {
            self.serials.pop_front();
        }
        self.serials.push_back(serial);
        self.total_count += 1;
    }

    /// Returns the serial numbers that were recorded after the first `count` ones. `None` if some
    /// of them are not retained any more.
    pub(crate) fn serials_since(&self, count: u64) -> Option<impl Iterator<Item = u64>> {
        let new = usize::try_from(self.total_count - count).ok()?;
        let first = self.serials.len().checked_sub(new)?;
        Some(self.serials.range(first..).copied())
    }
}

/// State that contexts share.
#[derive(Debug, Default)]
pub(crate) struct ShareGroup {
    /// Deleted program strings.
    pub(crate) deleted_programs: DeletedPrograms,
    /// Names of objects of this library.
    pub(crate) names: LibraryNames,
    /// Objects of deleted contexts.
    pub(crate) orphaned_objects: Vec<OrphanedObjects>,
    /// Programs by name; `None` for names that are reserved.
    pub(crate) programs: FxHashMap<u32, Option<Arc<Program>>>,
    /// Display lists with commands of this library.
    pub(crate) lists: FxHashMap<u32, Arc<CompositeList>>,
    /// Total number of parts that were created for such lists.
    pub(crate) part_count: u32,
    /// Driver's names of existing parts, and of images: lists of the application may have the same
    /// names from its point of view only.
    pub(crate) part_names: BTreeSet<u32>,
    /// Last name of a list of the application.
    pub(crate) last_list_name: u32,
    /// Application's program objects of GLSL that lack a stage which programs of this library can
    /// provide.
    pub(crate) incomplete_programs: FxHashMap<u32, IncompleteProgram>,
    /// Internal formats of NV_texture_shader that the application has specified.
    pub(crate) texture_formats: FxHashMap<ImageKey, u32>,
}

impl ShareGroup {
    /// Returns the program of a name; creates one without target and string for unknown names and
    /// for generated names that were never bound.
    pub(crate) fn get_or_create_program(&mut self, name: u32) -> Arc<Program> {
        let entry = self.programs.entry(name).or_default();
        Arc::clone(entry.get_or_insert_with(|| Arc::new(Program::new(name))))
    }

    /// Returns the program of a name; `None` for unknown names and for generated names that were
    /// never bound.
    pub(crate) fn find_program(&self, name: u32) -> Option<Arc<Program>> {
        self.programs.get(&name).cloned().flatten()
    }

    /// Returns the first of `count` consecutive program names, from 1 on, that are neither reserved
    /// nor those of programs. They are not reserved.
    pub(crate) fn find_free_names(&self, count: u32) -> u32 {
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
        let mut deleted = DeletedPrograms::default();
        let since = |deleted: &DeletedPrograms, count| {
            deleted
                .serials_since(count)
                .map(Iterator::collect::<Vec<_>>)
        };
        assert_eq!(since(&deleted, 0), Some(vec![]));
        (10..13).for_each(|serial| deleted.push_serial(serial));
        assert_eq!(since(&deleted, 1), Some(vec![11, 12]));
        assert_eq!(since(&deleted, 3), Some(vec![]));
        (0..DeletedPrograms::MAX_ENTRIES as u64).for_each(|serial| deleted.push_serial(serial));
        assert_eq!(since(&deleted, 2), None);
        assert_eq!(
            since(&deleted, 3).map(|it| it.len()),
            Some(DeletedPrograms::MAX_ENTRIES)
        );
    }
}
