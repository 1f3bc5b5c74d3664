//! Does what the commands of a script say on a device.

mod assembly;
mod bindings;
mod buffers;
mod draws;
mod feedback;
mod handles;
mod images;
mod parameters;
mod plan;
mod programs;
mod queries;
mod refusals;
mod textures;
mod vertices;

use crate::error::Error;
use crate::fragment_outputs::FragmentOutputs;
use crate::options::{RunOptions, Work};
use crate::programs::ModuleSet;
use crate::vk::{Buffer, ComputePipeline, Device, Framebuffer, Reading, SampleCounter, WorkGroups};
use bindings::Bound;
use draws::Draws;
use feedback::Feedback;
use glasm::ir::Stage;
use glasm::state::{Multisample, Tracking};
use glasm_scripts::data::TypedData;
use glasm_scripts::image::Image;
use glasm_scripts::params::{Params, check_parameter};
use glasm_scripts::probe::pixels::Surface;
use glasm_scripts::results::{FileError, Files, Results};
use glasm_scripts::runner::{self, Runner};
use glasm_scripts::script::attachments::MAX_COLORS;
use glasm_scripts::script::{
    BindTarget, BoundImage, BufferAddress, BufferId, BufferRange, CaptureCount, Clear, Command,
    Convention, CountKind, Draw, Execution as Outcome, GlOutcome, Groups, ImageKey, MatrixTarget,
    MatrixUpdate, ParamBank, ParamType, ParamValue, ProgramState, Script, StateUpdate,
};
use glasm_scripts::texture::{PlaneId, Sampling, Update};
use glasm_scripts::timing::Clock;
use glasm_scripts::vertices::{ATTRIBUTES, initial_values};
use images::Images;
use programs::Programs;
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;
use textures::Textures;

/// Why a command did not succeed.
pub(crate) type Problem = runner::Problem<Error>;
type Done = Result<(), Problem>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::System(error)
    }
}

/// What programs read, as the commands so far have set it.
struct Resources {
    buffers: Vec<Buffer>,
    bound: Bound,
    feedback: Feedback,
    /// There if the script asks for numbers of samples.
    sample_counter: Option<SampleCounter>,
    params: Params,
    /// Lines of the programs that are loaded, by stage.
    program_lines: HashMap<Stage, u32>,
    textures: Textures,
    images: Images,
    attributes: [[f32; 4]; ATTRIBUTES],
    push: Vec<u8>,
}

/// Everything of a script on the device.
struct Execution<'a> {
    device: Rc<Device>,
    script: &'a Script,
    sets: &'a [ModuleSet],
    /// What programs depend on, as the commands so far have set it.
    state: ProgramState,
    /// Name of the script, for messages.
    name: &'a str,
    work: Work,
    resources: Resources,
    framebuffer: Option<Framebuffer>,
    /// By set, each made by its first draw.
    draws: Vec<Option<Draws<'a>>>,
    /// By set, each made by its first dispatch.
    dispatches: Vec<Option<Dispatches<'a>>>,
}

/// A compute program with its pipelines.
type Dispatches<'a> = (Programs<'a>, Vec<(ComputeChoice, ComputePipeline)>);

/// The number of the name of an entry point, and the size of groups for programs that leave it open.
type ComputeChoice = (usize, Option<[u32; 3]>);

/// Runs all commands of a script. `Err` is the reason why the device cannot.
pub(crate) fn execute(
    device: &Rc<Device>,
    script: &Script,
    sets: &[ModuleSet],
    files: Files<'_>,
    options: &RunOptions,
) -> Result<Results, String> {
    let mut execution = Execution {
        device: Rc::clone(device),
        script,
        sets,
        state: ProgramState::default(),
        name: files.script,
        work: options.work,
        resources: Resources {
            buffers: Vec::new(),
            bound: Bound::new(&script.buffers, &script.steps),
            feedback: Feedback::new(),
            sample_counter: None,
            params: Params::default(),
            program_lines: HashMap::new(),
            textures: Textures::new(script.requirements.convention),
            images: Images::default(),
            attributes: initial_values(),
            push: vec![0; script.push_size as usize],
        },
        framebuffer: None,
        draws: sets.iter().map(|_| None).collect(),
        dispatches: sets.iter().map(|_| None).collect(),
    };
    let threads = &mut execution.resources.params.state.threads;
    threads.warp_size = device.capabilities.compiler.subgroups.size.min(32);
    let requirements = &script.requirements;
    let samples = requirements.attachments.samples;
    execution.resources.params.state.multisample = Multisample::standard(samples);
    let height = requirements.framebuffer[1] as f32;
    execution.resources.params.state.window_height = height;
    if requirements.convention == Convention::OpenGl {
        execution.resources.params.state.lower_left_height = Some(height);
    }
    runner::run(&mut execution, script, files, options.observe)
}

impl Runner for Execution<'_> {
    type Error = Error;

    /// Makes buffers and framebuffer.
    fn prepare(&mut self) -> Result<(), Problem> {
        self.make_buffers()?;
        self.count_samples()?;
        let requirements = &self.script.requirements;
        if self.script.uses_framebuffer() {
            let mut attachments = requirements.attachments.clone();
            // Outputs that go nowhere need a number, though no attachment.
            let outputs = self
                .sets
                .iter()
                .flat_map(|set| &set.modules)
                .map(|module| FragmentOutputs::of(&module.words));
            let count = outputs.map(|outputs| outputs.count()).max().unwrap_or(0);
            let colors = attachments.colors.len().max(count.min(MAX_COLORS));
            attachments.colors.resize(colors, None);
            let mut modules = self.sets.iter().flat_map(|set| &set.modules);
            let reads = modules.any(|module| {
                let reflection = module.reflection.as_ref();
                reflection.is_some_and(|reflection| !reflection.attachments.is_empty())
            });
            let reading = match reads {
                true => Reading::ByPrograms,
                false => Reading::Never,
            };
            let size = requirements.framebuffer;
            let framebuffer = Framebuffer::new(&self.device, size, &attachments, reading)?;
            self.framebuffer = Some(framebuffer);
        }
        Ok(())
    }

    fn take_messages(&mut self) -> Vec<String> {
        let messages = self.device.instance.take_messages().into_iter();
        messages
            .map(|message| format!("validation: {message}"))
            .collect()
    }

    fn begin(&mut self, command: &Command) {
        self.state.apply(command, self.script);
        self.note_programs();
    }

    fn clock(&self) -> Option<Rc<Clock>> {
        Some(Rc::clone(&self.device.clock))
    }

    fn is_readable(&self) -> bool {
        !self.device.is_lost()
    }

    fn unwritten(error: FileError) -> Problem {
        Error::from(error).into()
    }

    fn clear(&mut self, clear: &Clear) -> Done {
        Ok(self.framebuffer()?.clear(clear)?)
    }

    fn draw(&mut self, draw: &Draw) -> Done {
        if self.work == Work::Left {
            return Ok(());
        }
        let set = self.set();
        let draws = match self.draws[set].take() {
            Some(draws) => draws,
            None => Draws::new(&self.device, self.script, &self.sets[set].modules)?,
        };
        let draws = self.draws[set].insert(draws);
        let Some(framebuffer) = &self.framebuffer else {
            return Err(no_framebuffer());
        };
        draws.draw(self.script, framebuffer, &mut self.resources, draw)
    }

    fn dispatch(&mut self, groups: Groups, size: Option<[u32; 3]>, entry: usize) -> Done {
        match self.work {
            Work::Left => Ok(()),
            Work::Done => self.run_groups(groups, (entry, size)),
        }
    }

    fn set_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        value: &ParamValue,
    ) -> Done {
        self.change_parameter((bank, stage, index), value)
    }

    fn probe_parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        ty: ParamType,
        expected: Option<[u32; 4]>,
    ) -> Done {
        let (words, own) = self.parameter_of((bank, stage, index))?;
        let observed = (own == Some(ty)).then_some(words);
        Ok(check_parameter(observed, expected, ty)?)
    }

    fn parameter(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
    ) -> Result<[u32; 4], Problem> {
        Ok(self.parameter_of((bank, stage, index))?.0)
    }

    fn track_matrix(&mut self, address: u32, tracking: Option<Tracking>) -> Done {
        self.resources.params.track_matrix(address, tracking);
        Ok(())
    }

    fn run_state_program(
        &mut self,
        _spare: Option<usize>,
        argument: [u32; 4],
        outcome: Outcome,
    ) -> Done {
        // A spare program has been loaded with the command.
        match self.work {
            Work::Left => Ok(()),
            Work::Done => self.execute_state_program(argument, outcome),
        }
    }

    fn update_matrix(&mut self, target: MatrixTarget, update: MatrixUpdate) -> Done {
        self.resources.params.update_matrix(target, update);
        Ok(())
    }

    fn update_state(&mut self, update: StateUpdate) -> Done {
        glasm_scripts::gl_state::apply(&mut self.resources.params.state, update);
        Ok(())
    }

    fn set_vertex_limit(&mut self, limit: i64, outcome: GlOutcome) -> Done {
        self.limit_vertices(limit, outcome)
    }

    fn set_depth_range(&mut self, range: [f32; 2]) -> Done {
        self.resources.params.state.depth_range = range;
        Ok(())
    }

    fn set_attribute(&mut self, location: u32, value: [f32; 4]) -> Done {
        self.resources.attributes[location as usize] = value;
        Ok(())
    }

    fn push(&mut self, data: &TypedData) -> Done {
        data.write(&mut self.resources.push);
        Ok(())
    }

    fn update_texture(&mut self, unit: u32, update: &Update) -> Done {
        self.resources.textures.update(unit, update);
        Ok(())
    }

    fn set_sampling(&mut self, unit: u32, sampling: Sampling) -> Done {
        self.resources.textures.set_sampling(unit, sampling);
        Ok(())
    }

    fn update_image(&mut self, key: ImageKey, update: &Update) -> Done {
        self.resources.images.update(key, update)
    }

    fn bind_image(&mut self, place: ImageKey, bound: &BoundImage) -> Done {
        self.resources.images.bind(place, bound.clone());
        Ok(())
    }

    fn read_image(&mut self, key: ImageKey, plane: PlaneId) -> Result<Image, Problem> {
        self.resources.images.read(&self.device, key, plane)
    }

    fn used_planes(&self) -> Vec<(ImageKey, PlaneId)> {
        self.resources.images.used_planes()
    }

    fn buffer_count(&self) -> usize {
        self.resources.buffers.len()
    }

    fn contents(&self, buffer: BufferId) -> Result<Cow<'_, [u8]>, Problem> {
        Ok(self.bytes(buffer).into())
    }

    fn update_buffer(&mut self, buffer: BufferId, _end: u64, write: &dyn Fn(&mut [u8])) -> Done {
        let size = self.script.buffers[buffer.0].size as usize;
        write(&mut self.resources.buffers[buffer.0].bytes_mut()[..size]);
        Ok(())
    }

    fn address(&mut self, place: BufferAddress) -> Result<u64, Problem> {
        Ok(self.resources.address(place))
    }

    fn bind_buffer(&mut self, target: BindTarget, range: BufferRange) -> Done {
        self.resources.bound.bind(target, range);
        Ok(())
    }

    fn begin_capture(&mut self) -> Done {
        self.resources.feedback.begin(&self.device, self.script)
    }

    fn end_capture(&mut self) -> Done {
        self.resources.feedback.end();
        Ok(())
    }

    fn captured(&mut self, count: CaptureCount) -> Result<u64, Problem> {
        Ok(self.resources.feedback.count(count)?)
    }

    fn samples(&mut self) -> Result<u64, Problem> {
        match &self.resources.sample_counter {
            Some(counter) => Ok(counter.samples()?),
            None => Ok(0),
        }
    }

    fn count(&mut self, stage: Stage, kind: CountKind) -> Result<u64, Problem> {
        self.counted(stage, kind)
    }

    fn has_framebuffer(&self) -> bool {
        self.framebuffer.is_some()
    }

    fn read_surface(&self, surface: Surface) -> Result<Option<Image>, Problem> {
        Ok(self.framebuffer()?.read(surface)?)
    }
}

fn no_framebuffer() -> Problem {
    "there is no framebuffer".to_owned().into()
}

impl Execution<'_> {
    fn framebuffer(&self) -> Result<&Framebuffer, Problem> {
        self.framebuffer.as_ref().ok_or_else(no_framebuffer)
    }

    /// The number of the modules for the state as it is.
    fn set(&self) -> usize {
        let found = self.sets.iter().position(|set| set.state == self.state);
        found.expect("there are modules for every state that draws and dispatches meet")
    }

    fn run_groups(&mut self, groups: Groups, choice: ComputeChoice) -> Done {
        let limits = self.device.capabilities.max_work_groups;
        let counts = match groups {
            Groups::Given(counts) => counts,
            Groups::Indirect(range) => {
                let words = &self.bytes(range.buffer)[range.offset as usize..][..12];
                std::array::from_fn(|axis| {
                    let word = std::array::from_fn(|byte| words[4 * axis + byte]);
                    u32::from_le_bytes(word)
                })
            }
        };
        if counts
            .iter()
            .zip(limits)
            .any(|(count, limit)| *count > limit)
        {
            return Err(format!("the device runs at most {limits:?} work groups").into());
        }
        let set = self.set();
        let dispatches = match self.dispatches[set].take() {
            Some(dispatches) => dispatches,
            None => {
                let is_compute = |stage| stage == Stage::Compute;
                let modules = &self.sets[set].modules;
                let programs = Programs::new(&self.device, self.script, modules, is_compute)?;
                (programs, Vec::new())
            }
        };
        let (programs, pipelines) = self.dispatches[set].insert(dispatches);
        let known = pipelines.iter().position(|(known, _)| *known == choice);
        let index = known.unwrap_or(pipelines.len());
        if known.is_none() {
            let name = &self.script.entry_names[choice.0];
            pipelines.push((choice, programs.compute_pipeline(name, choice.1)?));
        }
        let pipeline = &pipelines[index].1;
        programs.bind(&mut self.resources, None)?;
        let groups = match groups {
            Groups::Given(counts) => WorkGroups::Given(counts),
            Groups::Indirect(range) => {
                WorkGroups::Indirect(&self.resources.buffers[range.buffer.0], range.offset)
            }
        };
        Ok(self
            .device
            .dispatch(pipeline, programs.layout(), &self.resources.push, groups)?)
    }
}

#[cfg(test)]
pub(crate) mod test_support;
