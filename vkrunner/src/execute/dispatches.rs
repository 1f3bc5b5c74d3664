//! Dispatches: a compute program and its pipelines.

use super::programs::Programs;
use super::resources::Resources;
use crate::error::{CommandError, CommandResult};
use crate::programs::Module;
use crate::vk::{ComputePipeline, Device, WorkGroups};
use glasm::ir::Stage;
use glasm_scripts::script::{GroupCount, Script};
use std::rc::Rc;

/// Index of the name of an entry point, and the size of groups for programs that leave it open.
pub(super) type ComputeVariant = (usize, Option<[u32; 3]>);

/// State that dispatches of a script share.
pub(super) struct Dispatches<'a> {
    device: Rc<Device>,
    programs: Programs<'a>,
    pipelines: Vec<(ComputeVariant, ComputePipeline)>,
}

impl<'a> Dispatches<'a> {
    /// Prepares the compute module: plans its bindings, and creates its layout and the runner's
    /// buffers. Pipelines are created with the first dispatch of an entry point.
    pub(super) fn new(
        device: &Rc<Device>,
        script: &Script,
        modules: &'a [Module],
    ) -> Result<Self, CommandError> {
        Ok(Self {
            device: Rc::clone(device),
            programs: Programs::new(device, script, modules, |stage| stage == Stage::Compute)?,
            pipelines: Vec::new(),
        })
    }

    /// Dispatches work groups of a compute program with the resources that are currently bound, and
    /// waits for their end. Creates the pipeline if it does not exist yet, and all resources that
    /// do not exist. Does not check the number of groups against the limits of the device.
    pub(super) fn dispatch(
        &mut self,
        script: &Script,
        resources: &mut Resources,
        groups: GroupCount,
        choice: ComputeVariant,
    ) -> CommandResult {
        let pipeline = self.get_or_create_pipeline(script, choice)?;
        self.programs.bind_resources(resources, None)?;
        let groups = match groups {
            GroupCount::Direct(counts) => WorkGroups::Direct(counts),
            GroupCount::Indirect(range) => {
                WorkGroups::Indirect(&resources.buffers[range.buffer.0], range.offset)
            }
        };
        let pipeline = &self.pipelines[pipeline].1;
        let layout = self.programs.layout();
        Ok(self
            .device
            .dispatch(pipeline, layout, &resources.push, groups)?)
    }

    /// Returns the index of the pipeline of an entry point with a group size, which is created if
    /// it is new. Errors are those of [`Programs::create_compute_pipeline`].
    fn get_or_create_pipeline(
        &mut self,
        script: &Script,
        choice: ComputeVariant,
    ) -> Result<usize, CommandError> {
        let cached = self
            .pipelines
            .iter()
            .position(|(known, _)| *known == choice);
        if let Some(index) = cached {
            return Ok(index);
        }
        let (entry, size) = choice;
        let name = &script.entry_names[entry];
        let pipeline = self.programs.create_compute_pipeline(name, size)?;
        self.pipelines.push((choice, pipeline));
        Ok(self.pipelines.len() - 1)
    }

    /// Returns the contents of the buffer of program parameters after a vertex state program has
    /// run; `None` for other compute programs.
    pub(super) fn state_bytes(&self) -> Option<&[u8]> {
        self.programs.state_bytes()
    }
}

/// Returns the number of work groups in each dimension; those of an indirect dispatch are read from
/// three 32-bit words of its buffer, which the caller has checked to be within the buffer.
pub(super) fn group_counts(groups: GroupCount, resources: &Resources) -> [u32; 3] {
    match groups {
        GroupCount::Direct(counts) => counts,
        GroupCount::Indirect(range) => {
            let bytes = resources.buffers[range.buffer.0].bytes();
            let words = &bytes[range.offset as usize..][..12];
            std::array::from_fn(|axis| {
                let word = std::array::from_fn(|byte| words[4 * axis + byte]);
                u32::from_le_bytes(word)
            })
        }
    }
}
