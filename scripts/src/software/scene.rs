//! The draws and dispatches of a script in order, up to the invocation that is wanted.

use super::draw::{DrawRun, count_steps};
use super::fragment::{FragmentInputs, RasterPrimitive, Varyings};
use super::invocation::{RunKind, TracedInvocation};
use super::pixel::{PixelColors, PixelState};
use super::programs::StageProgram;
use super::raster::Weights;
use super::state::SceneState;
use crate::script::{Command, Convention, Draw, GlOutcome, Script};
use ash::vk;
use glasm::ir::interp::NoObserver;
use glasm::ir::{Semantic, Stage};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Note about images.
const NO_IMAGES: &str = "images are not simulated: they read as 0";

/// Steps that the programs of all draws can have together at most.
const MAX_STEPS: u64 = 1 << 28;

/// Instances that a simulated draw can have at most.
const MAX_INSTANCES: u32 = 1 << 16;

/// Distance to the near and far planes up to which depths are treated as on the plane.
const EPSILON: f64 = 1e-9;

/// Selection of a fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FragmentSelection {
    /// X and y of the pixel; y = 0 is row 0 of the framebuffer.
    pub pixel: [u32; 2],
    /// Line of the draw; `None` selects the last one that covers the pixel.
    pub line: Option<u32>,
    /// Maximum number of steps of each invocation.
    pub step_limit: u64,
}

/// A fragment of a pixel.
#[derive(Clone, Debug)]
pub struct LocatedFragment {
    /// The fragment.
    pub invocation: TracedInvocation,
    /// Line of the draw.
    pub line: u32,
    /// Number of the primitive in the draw.
    pub primitive: u32,
    /// Number of the instance.
    pub instance: u32,
    /// False if the fragment was discarded or failed a test.
    pub is_drawn: bool,
    /// Colors of the pixel after the draw.
    pub colors: PixelColors,
    /// What the simulation leaves out, in words.
    pub limitations: BTreeSet<String>,
}

/// Returns the last fragment that determines the color of a pixel; if none passes all tests, the
/// last one that covers it.
///
/// # Errors
/// If no draw covers the pixel, or its draw cannot be simulated.
pub fn find_fragment(
    script: &Script,
    selection: &FragmentSelection,
) -> Result<LocatedFragment, String> {
    let [x, y] = selection.pixel;
    let [width, height] = script.requirements.framebuffer;
    if x >= width || y >= height {
        return Err(format!(
            "pixel ({x}, {y}) is outside of the framebuffer of {width} x {height} pixels"
        ));
    }
    let mut run = PixelRun {
        state: SceneState::new(script),
        pixel: PixelState::new(&script.requirements),
        selection,
        found: None,
        steps_left: MAX_STEPS,
        limitations: list_limitations(script),
    };
    for step in &script.steps {
        run.state
            .apply(&step.command)
            .map_err(|error| format!("line {}: {error}", step.line))?;
        if let Command::Clear(clear) = &step.command {
            run.pixel.clear(clear);
        } else if let Command::Draw(draw) = &step.command {
            run.run_draw(draw, step.line)?;
        } else {
            let result = run.state.run_compute(&step.command, selection.step_limit);
            if let Err(error) = result {
                let line = step.line;
                run.limitations
                    .insert(format!("the command at line {line} is left out: {error}"));
            }
        }
        if selection.line == Some(step.line) {
            break;
        }
    }
    let limitations = run.limitations;
    match run.found {
        Some(found) if selection.line.is_none_or(|line| line == found.line) => {
            Ok(LocatedFragment {
                limitations,
                ..found
            })
        }
        Some(_) | None => {
            let mut commands = script.steps.iter().map(|step| &step.command);
            if !commands.any(|command| matches!(command, Command::Draw(_))) {
                return Err("the script draws nothing".to_owned());
            }
            let reasons: Vec<String> = limitations.into_iter().collect();
            let reasons = if reasons.is_empty() {
                String::new()
            } else {
                format!(" ({})", reasons.join("; "))
            };
            Err(format!("no draw covers pixel ({x}, {y}){reasons}"))
        }
    }
}

/// Returns what the simulation leaves out for the framebuffer of a script.
fn list_limitations(script: &Script) -> BTreeSet<String> {
    let mut limitations = BTreeSet::new();
    if script.requirements.attachments.samples > 1 {
        limitations.insert("samples are not simulated: one at the center of the pixel".to_owned());
    }
    if script.requirements.attachments.layers > 1 {
        limitations.insert("layers are not simulated".to_owned());
    }
    if script.requirements.polygon_stipple.is_some() {
        limitations.insert("the polygon stipple is not simulated".to_owned());
    }
    limitations
}

/// Draws at one pixel.
struct PixelRun<'s> {
    state: SceneState<'s>,
    pixel: PixelState,
    selection: &'s FragmentSelection,
    found: Option<LocatedFragment>,
    /// Steps that the programs of draws may still execute.
    steps_left: u64,
    limitations: BTreeSet<String>,
}

impl PixelRun<'_> {
    /// Executes a draw at the pixel. A draw that cannot be simulated is a limitation, unless it is
    /// the selected one.
    fn run_draw(&mut self, draw: &Draw, line: u32) -> Result<(), String> {
        if draw.outcome == GlOutcome::Rejected || draw.state.rasterizer_discard {
            return Ok(());
        }
        self.state.begin_draw(draw);
        let result = self.try_draw(draw, line);
        if let Some(found) = self.found.as_mut().filter(|found| found.line == line) {
            found.colors = self.pixel.content.clone();
        }
        match result {
            Err(error) if self.selection.line == Some(line) => Err(format!("line {line}: {error}")),
            Err(error) => {
                self.limitations
                    .insert(format!("the draw at line {line} is left out: {error}"));
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Executes a draw at the pixel.
    fn try_draw(&mut self, draw: &Draw, line: u32) -> Result<(), String> {
        let Some(fragment) = self.state.find_program(Stage::Fragment)? else {
            return Err("there is no fragment program".to_owned());
        };
        self.note_limitations(draw, &fragment);
        self.note_views()?;
        let center = self.selection.pixel.map(|place| f64::from(place) + 0.5);
        if let Some([x, y, width, height]) = draw.state.scissor {
            let [px, py] = self.selection.pixel;
            let is_inside = (x..x.saturating_add(width)).contains(&px)
                && (y..y.saturating_add(height)).contains(&py);
            if !is_inside {
                return Ok(());
            }
        }
        if draw.instances > MAX_INSTANCES {
            return Err(format!("the draw has more than {MAX_INSTANCES} instances"));
        }
        for instance in 0..draw.instances {
            let limit = self.selection.step_limit;
            let mut run = DrawRun::new(&mut self.state, draw, limit)?;
            run.steps_left = self.steps_left;
            let primitives = run.process_instance(instance)?;
            self.steps_left = run.steps_left;
            for primitive in primitives {
                if primitive.shape.covers(center) {
                    let primitive = Rc::new(primitive);
                    self.run_fragment(draw, (line, instance), &fragment, &primitive)?;
                }
            }
        }
        Ok(())
    }

    /// Runs the fragment program for a primitive that covers the pixel.
    fn run_fragment(
        &mut self,
        draw: &Draw,
        (line, instance): (u32, u32),
        program: &Rc<StageProgram>,
        primitive: &Rc<RasterPrimitive>,
    ) -> Result<(), String> {
        let center = self.selection.pixel.map(|place| f64::from(place) + 0.5);
        let weights = primitive.shape.find_weights(center);
        let [near, far] = draw.state.depth_range.map(f64::from);
        // The depth range applies to depths from 0 to 1; GL's are from -1 to 1.
        let depth_range = if self.is_gl() {
            [(near + far) / 2.0, far]
        } else {
            [near, far]
        };
        if self.is_clipped(draw, program, primitive, &weights) {
            return Ok(());
        }
        let mut environment = self.state.build_environment(program);
        let pixel = self.selection.pixel;
        let varyings = Rc::new(Varyings::new(&self.state, program, primitive, pixel));
        let inputs = FragmentInputs {
            state: &self.state,
            program,
            environment: &environment,
            varyings: &varyings,
            depth_range,
            colors: &self.pixel.content.colors,
        };
        let quad = inputs.build_quad();
        environment.textures.interpolant = Some(varyings);
        let [x, y] = pixel;
        let invocation = TracedInvocation {
            program: Rc::clone(program),
            index: (x % 2 + 2 * (y % 2)) as usize,
            environment,
            kind: RunKind::Quad(Box::new(quad)),
        };
        // A program that does not end is traced, too: up to the limit.
        let is_drawn = match invocation.run(self.selection.step_limit, &mut NoObserver) {
            Ok(result) => {
                // The quad has four fragments.
                self.steps_left = count_steps(self.steps_left, 4 * result.steps)?;
                self.state.store_memory(program, &result.memory);
                let depth = depth_range[0] + (depth_range[1] - depth_range[0]) * weights.depth;
                self.pixel
                    .apply_fragment(program, &result, &draw.state, depth)
            }
            Err(error) => {
                self.limitations.insert(format!("line {line}: {error}"));
                false
            }
        };
        let is_better = is_drawn || self.found.as_ref().is_none_or(|found| !found.is_drawn);
        if is_better || self.selection.line == Some(line) {
            self.found = Some(LocatedFragment {
                invocation,
                line,
                primitive: primitive.number,
                instance,
                is_drawn,
                colors: self.pixel.content.clone(),
                limitations: BTreeSet::new(),
            });
        }
        Ok(())
    }

    /// Returns true if the script follows the rules of GL.
    fn is_gl(&self) -> bool {
        self.state.script.requirements.convention == Convention::OpenGl
    }

    /// Returns true if a primitive is clipped at the center of the pixel: by the near and the far
    /// plane, or by its clip distances.
    fn is_clipped(
        &self,
        draw: &Draw,
        program: &StageProgram,
        primitive: &RasterPrimitive,
        weights: &Weights,
    ) -> bool {
        let nearest = if self.is_gl() { -1.0 } else { 0.0 };
        let depths = nearest - EPSILON..=1.0 + EPSILON;
        let clamps = draw.state.depth_clamp || program.ir.modes.unclipped_depth;
        weights.reciprocal_w <= 0.0
            || !clamps && !depths.contains(&weights.depth)
            || primitive.is_clipped(weights)
    }

    /// Adds what the simulation leaves out for the programs before rasterization.
    fn note_views(&mut self) -> Result<(), String> {
        let views = [
            Semantic::ViewportMask,
            Semantic::SecondaryPosition,
            Semantic::SecondaryViewportMask,
        ];
        for stage in [Stage::Vertex, Stage::Geometry] {
            let program = self.state.find_program(stage)?;
            let Some(program) = program else { continue };
            if views.iter().any(|view| program.writes(*view)) {
                let note = "several viewports and views of a primitive are not simulated";
                self.limitations.insert(note.to_owned());
            }
            if !program.ir.images.is_empty() {
                self.limitations.insert(NO_IMAGES.to_owned());
            }
            let is_invariant = program.ir.outputs.iter().any(|output| output.invariant);
            let planes = self.state.script.requirements.fixed.clip_plane_mask;
            if is_invariant && planes != 0 {
                let note = "user clip planes are not simulated";
                self.limitations.insert(note.to_owned());
            }
        }
        Ok(())
    }

    /// Adds what the simulation leaves out for a draw.
    fn note_limitations(&mut self, draw: &Draw, program: &StageProgram) {
        let state = &draw.state;
        let has_stencil = self.state.script.requirements.attachments.has_stencil();
        let notes = [
            (
                state.stencil_test && has_stencil,
                "stencil tests are not simulated",
            ),
            (
                state.logic_op_enable,
                "logical operations on colors are not simulated",
            ),
            (
                state.polygon_mode != vk::PolygonMode::FILL,
                "polygons are filled",
            ),
            (state.depth_bias, "depth bias is not simulated"),
            (state.sample_shading, "sample shading is not simulated"),
            (
                state.sample_mask != u64::MAX || state.alpha_to_coverage,
                "coverage masks are not simulated",
            ),
            (
                self.state.textures.has_anisotropy(),
                "anisotropic filters are not simulated",
            ),
            (!program.ir.images.is_empty(), NO_IMAGES),
        ];
        let notes = notes.into_iter().filter(|(applies, _)| *applies);
        let notes = notes.map(|(_, note)| note).chain(program.list_notes());
        self.limitations.extend(notes.map(str::to_owned));
    }
}
