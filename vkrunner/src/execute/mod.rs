//! Runs the commands of a script on a device.
//!
//! Commands run one after the other, each to its end, so probes see everything before them. All failures of probes are collected; an
//! error of Vulkan ends the script.

mod assembly;
mod bindings;
mod buffers;
mod draws;
mod feedback;
mod handles;
mod images;
mod observe;
mod pictures;
mod plan;
mod programs;
mod queries;
mod textures;
mod vertices;

use crate::error::Error;
use crate::fragment_outputs::FragmentOutputs;
use crate::options::{RunOptions, Work};
use crate::programs::ModuleSet;
use crate::vk::{Buffer, ComputePipeline, Device, Framebuffer, SampleCounter, WorkGroups};
use bindings::Bound;
use buffers::contents;
use draws::Draws;
use feedback::Feedback;
use glasm::ir::Stage;
use glasm::state::Multisample;
use glasm_scripts::outcome::Failure;
use glasm_scripts::params::{Params, check_parameter};
use glasm_scripts::results::{Files, Results};
use glasm_scripts::script::attachments::MAX_COLORS;
use glasm_scripts::script::{
    Command, Convention, Groups, ParamType, ParamValue, ProgramState, Script, Step,
};
use glasm_scripts::timing::Phase;
use glasm_scripts::vertices::{ATTRIBUTES, initial_values};
use images::Images;
use programs::Programs;
use std::rc::Rc;
use textures::Textures;

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The script or a probe is at fault; the next commands run all the same.
    Script(String),
    /// The device or the system is at fault.
    System(Error),
}

impl From<String> for Problem {
    fn from(message: String) -> Self {
        Self::Script(message)
    }
}

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
    files: Files<'a>,
    work: Work,
    resources: Resources,
    framebuffer: Option<Framebuffer>,
    /// By set, each made by its first draw.
    draws: Vec<Option<Draws<'a>>>,
    /// By set, each made by its first dispatch.
    dispatches: Vec<Option<Dispatches<'a>>>,
    results: Results,
}

/// A compute program with its pipelines.
type Dispatches<'a> = (Programs<'a>, Vec<(ComputeChoice, ComputePipeline)>);

/// The number of the name of an entry point, and the size of groups for programs that leave it open.
type ComputeChoice = (usize, Option<[u32; 3]>);

/// Runs all commands of a script.
pub(crate) fn execute(
    device: &Rc<Device>,
    script: &Script,
    sets: &[ModuleSet],
    files: &Files<'_>,
    options: &RunOptions,
) -> Results {
    let mut execution = Execution {
        device: Rc::clone(device),
        script,
        sets,
        state: ProgramState::default(),
        files: *files,
        work: options.work,
        resources: Resources {
            buffers: Vec::new(),
            bound: Bound::new(&script.buffers, &script.steps),
            feedback: Feedback::new(),
            sample_counter: None,
            params: Params::default(),
            textures: Textures::new(script.requirements.convention),
            images: Images::default(),
            attributes: initial_values(),
            push: vec![0; script.push_size as usize],
        },
        framebuffer: None,
        draws: sets.iter().map(|_| None).collect(),
        dispatches: sets.iter().map(|_| None).collect(),
        results: Results::observing(options.observe),
    };
    let threads = &mut execution.resources.params.state.threads;
    threads.warp_size = device.capabilities.subgroups.size.min(32);
    let requirements = &script.requirements;
    let samples = requirements.attachments.samples;
    execution.resources.params.state.multisample = Multisample::standard(samples);
    if requirements.convention == Convention::OpenGl {
        let height = requirements.framebuffer[1] as f32;
        execution.resources.params.state.lower_left_height = Some(height);
    }
    let prepared = execution.prepare();
    if execution.note(None, prepared) {
        for step in &script.steps {
            let probing = is_probe(&step.command).then(|| device.clock.enter(Phase::Probes));
            let result = execution.step(step);
            drop(probing);
            if !execution.note(Some(step.line), result) {
                break;
            }
        }
    }
    execution.picture_attachments();
    let observed = execution.observe_end();
    execution.note(None, observed);
    execution.results
}

impl Execution<'_> {
    /// Keeps failures and validation messages of a command; says whether to go on.
    fn note(&mut self, line: Option<u32>, result: Result<(), Problem>) -> bool {
        let (message, go_on) = match result {
            Ok(()) => (None, true),
            Err(Problem::Script(message)) => (Some(message), true),
            Err(Problem::System(error)) => (Some(error.to_string()), false),
        };
        let failures = &mut self.results.failures;
        failures.extend(message.map(|message| Failure::new(line, message)));
        for message in self.device.instance.take_messages() {
            failures.push(Failure::new(line, format!("validation: {message}")));
        }
        go_on
    }

    /// Makes buffers and framebuffer.
    fn prepare(&mut self) -> Result<(), Problem> {
        self.make_buffers()?;
        self.count_samples()?;
        let requirements = &self.script.requirements;
        if self
            .script
            .steps
            .iter()
            .any(|step| uses_framebuffer(&step.command))
        {
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
            let framebuffer =
                Framebuffer::new(&self.device, requirements.framebuffer, &attachments)?;
            self.framebuffer = Some(framebuffer);
        }
        Ok(())
    }

    #[expect(
        clippy::too_many_lines,
        reason = "a dispatcher with an arm for each command"
    )]
    fn step(&mut self, step: &Step) -> Result<(), Problem> {
        let resources = &mut self.resources;
        self.state.apply(&step.command, self.script);
        match &step.command {
            Command::Clear(clear) => self.framebuffer()?.clear(clear)?,
            Command::Draw(draw) => self.draw(draw)?,
            Command::Compute {
                groups,
                size,
                entry_point,
            } => self.dispatch(*groups, (*entry_point, *size))?,
            Command::Parameter {
                bank,
                stage,
                index,
                value,
            } => {
                let words =
                    resources.param_words(value, resources.params.get(*bank, *stage, *index));
                let ty = match value {
                    ParamValue::Words(ty, _) => *ty,
                    ParamValue::Addresses(_) | ParamValue::Handles(_) => Some(ParamType::Uint),
                };
                resources.params.set(*bank, *stage, *index, words, ty);
            }
            Command::Matrix { target, update } => resources.params.update_matrix(*target, *update),
            Command::GlState(update) => {
                glasm_scripts::gl_state::apply(&mut resources.params.state, *update)
            }
            Command::Attribute { location, value } => {
                resources.attributes[*location as usize] = *value
            }
            Command::Texture { unit, update } => resources.textures.update(*unit, update),
            Command::Sampling { unit, sampling } => {
                resources.textures.set_sampling(*unit, *sampling)
            }
            Command::Image { key, update } => resources.images.update(*key, update)?,
            Command::BindImage { place, bound } => resources.images.bind(*place, bound.clone()),
            Command::ProbeImage { key, plane, probe } => {
                let picture = resources.images.read(&self.device, *key, *plane)?;
                self.results
                    .probe_image(step.line, (*key, *plane), probe, &picture)?;
            }
            Command::PrintImage { key, plane } => {
                let texels = resources.images.print(&self.device, *key, *plane)?;
                self.results.printed.push(texels);
            }
            Command::BufferData { buffer, data } => data.write(self.contents_mut(*buffer)),
            Command::BufferFill { buffer, data } => {
                let bytes = self.contents_mut(*buffer);
                data.filling(bytes.len() as u64).write(bytes);
            }
            Command::BufferSequence { buffer, sequence } => {
                sequence.write(self.contents_mut(*buffer))
            }
            Command::BufferAddresses {
                buffer,
                offset,
                addresses,
            } => self.write_addresses(*buffer, *offset, addresses),
            Command::BindBuffer { target, range } => resources.bound.bind(*target, *range),
            Command::BeginCapture => resources.feedback.begin(&self.device, self.script)?,
            Command::EndCapture => resources.feedback.end(),
            Command::ProbeCapture {
                count,
                comparison,
                expected,
            } => self.probe_capture(step.line, *count, (*comparison, *expected))?,
            Command::ProbeSamples {
                comparison,
                expected,
            } => self.probe_samples(step.line, (*comparison, *expected))?,
            Command::PushData(data) => data.write(&mut resources.push),
            Command::ProbePixels(probe) => self.probe_pixels(step.line, probe)?,
            Command::ProbeBuffer {
                buffer,
                expected,
                comparison,
                tolerances,
            } => {
                let key = &self.script.buffers[buffer.0].key;
                let contents = contents(self.script, &resources.buffers, *buffer);
                let name = key.to_string();
                let how = (*comparison, tolerances);
                self.results
                    .probe_values(step.line, &name, contents, expected, how)?;
            }
            Command::ProbeComponents {
                stage,
                kind,
                comparison,
                expected,
            } => {
                self.probe_components(step.line, *stage, *kind, (*comparison, (*expected).into()))?
            }
            Command::ProbeParameter {
                bank,
                stage,
                index,
                ty,
                expected,
            } => {
                let observed = resources.params.query(*bank, *stage, *index, *ty);
                check_parameter(observed, *expected, *ty)?;
            }
            Command::PrintBuffer { buffer, range } => self.print_buffer(*buffer, range)?,
            Command::DepthRange(range) => resources.params.state.depth_range = *range,
            Command::SaveImage { name, surface } => self.save_image(name, *surface)?,
            // Programs are made before anything runs, and errors compared.
            Command::ExpectError(_)
            | Command::ExpectWarning(_)
            | Command::Load { .. }
            | Command::FixedPointSize(_)
            | Command::TextureEnables { .. } => {}
        }
        Ok(())
    }

    fn framebuffer(&self) -> Result<&Framebuffer, Problem> {
        self.framebuffer
            .as_ref()
            .ok_or_else(|| "there is no framebuffer".to_owned().into())
    }

    /// The number of the modules for the state as it is.
    fn set(&self) -> usize {
        let found = self.sets.iter().position(|set| set.state == self.state);
        found.expect("there are modules for every state that draws and dispatches meet")
    }

    fn draw(&mut self, draw: &glasm_scripts::script::Draw) -> Result<(), Problem> {
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
            return Err("there is no framebuffer".to_owned().into());
        };
        draws.draw(self.script, framebuffer, &mut self.resources, draw)
    }

    fn dispatch(&mut self, groups: Groups, choice: ComputeChoice) -> Result<(), Problem> {
        if self.work == Work::Left {
            return Ok(());
        }
        let limits = self.device.capabilities.max_work_groups;
        let counts = match groups {
            Groups::Given(counts) => counts,
            Groups::Indirect(range) => {
                let words = &self.contents(range.buffer)[range.offset as usize..][..12];
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
        programs.bind(&mut self.resources)?;
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

fn is_probe(command: &Command) -> bool {
    matches!(
        command,
        Command::ProbePixels(_)
            | Command::ProbeBuffer { .. }
            | Command::ProbeComponents { .. }
            | Command::ProbeParameter { .. }
    )
}

fn uses_framebuffer(command: &Command) -> bool {
    matches!(
        command,
        Command::Clear(_) | Command::Draw(_) | Command::ProbePixels(_) | Command::SaveImage { .. }
    )
}

#[cfg(test)]
pub(crate) mod test_support;
