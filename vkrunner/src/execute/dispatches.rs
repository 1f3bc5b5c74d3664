//! Dispatches: a compute program and its pipelines.

use super::programs::Programs;
use super::resources::Resources;
use crate::error::{Done, Problem};
use crate::programs::Module;
use crate::vk::{ComputePipeline, Device, WorkGroups};
use glasm::ir::Stage;
use glasm_scripts::script::{Groups, Script};
use std::rc::Rc;

/// Index of the name of an entry point, and the size of groups for programs that leave it open.
pub(super) type ComputeChoice = (usize, Option<[u32; 3]>);

/// State that dispatches of a script share.
pub(super) struct Dispatches<'a> {
    device: Rc<Device>,
    programs: Programs<'a>,
    pipelines: Vec<(ComputeChoice, ComputePipeline)>,
}

impl<'a> Dispatches<'a> {
    /// Uploads the program.
    pub(super) fn new(
        device: &Rc<Device>,
        script: &Script,
        modules: &'a [Module],
    ) -> Result<Self, Problem> {
        Ok(Self {
            device: Rc::clone(device),
            programs: Programs::new(device, script, modules, |stage| stage == Stage::Compute)?,
            pipelines: Vec::new(),
        })
    }

    /// Dispatches work groups.
    pub(super) fn dispatch(
        &mut self,
        script: &Script,
        resources: &mut Resources,
        groups: Groups,
        choice: ComputeChoice,
    ) -> Done {
        let pipeline = self.pipeline(script, choice)?;
        self.programs.bind(resources, None)?;
        let groups = match groups {
            Groups::Given(counts) => WorkGroups::Given(counts),
            Groups::Indirect(range) => {
                WorkGroups::Indirect(&resources.buffers[range.buffer.0], range.offset)
            }
        };
        let pipeline = &self.pipelines[pipeline].1;
        let layout = self.programs.layout();
        Ok(self
            .device
            .dispatch(pipeline, layout, &resources.push, groups)?)
    }

    /// Returns the index of a pipeline, which is created if it is new.
    fn pipeline(&mut self, script: &Script, choice: ComputeChoice) -> Result<usize, Problem> {
        let known = self
            .pipelines
            .iter()
            .position(|(known, _)| *known == choice);
        if let Some(index) = known {
            return Ok(index);
        }
        let (entry, size) = choice;
        let name = &script.entry_names[entry];
        let pipeline = self.programs.compute_pipeline(name, size)?;
        self.pipelines.push((choice, pipeline));
        Ok(self.pipelines.len() - 1)
    }

    /// Returns the parameters after a state program has run.
    pub(super) fn state_bytes(&self) -> Option<&[u8]> {
        self.programs.state_bytes()
    }
}

/// Returns the number of groups in each dimension.
pub(super) fn group_counts(groups: Groups, resources: &Resources) -> [u32; 3] {
    match groups {
        Groups::Given(counts) => counts,
        Groups::Indirect(range) => {
            let bytes = resources.buffers[range.buffer.0].bytes();
            let words = &bytes[range.offset as usize..][..12];
            std::array::from_fn(|axis| {
                let word = std::array::from_fn(|byte| words[4 * axis + byte]);
                u32::from_le_bytes(word)
            })
        }
    }
}
