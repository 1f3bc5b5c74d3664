//! Draws at the pixels of an area of the framebuffer: one pixel for a trace, all for images.

use super::draw::{DrawRun, count_steps};
use super::environment::ProgramEnvironment;
use super::fragment::{FragmentInputs, RasterPrimitive, Varyings};
use super::invocation::{InvocationResult, RunKind, TracedInvocation};
use super::pixel::PixelState;
use super::programs::StageProgram;
use super::raster::Weights;
use super::scene::LocatedFragment;
use super::state::SceneState;
use crate::script::{Clear, Command, Convention, Draw, GlOutcome, Script};
use ash::vk;
use glasm::ir::interp::{Interpreter, NoObserver};
use glasm::ir::{Semantic, Stage};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Instances that a simulated draw can have at most.
const MAX_INSTANCES: u32 = 1 << 16;

/// Distance to the near and far planes up to which depths are treated as on the plane.
const EPSILON: f64 = 1e-9;

/// Purpose of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// Trace of a fragment, of a program that does not end too.
    Fragment,
    /// Images.
    Images,
}

impl Purpose {
    /// Returns the number of steps that the programs of all draws can have together at most.
    const fn max_steps(self) -> u64 {
        match self {
            Self::Fragment => 1 << 28,
            Self::Images => 1 << 33,
        }
    }
}

/// Rectangle of pixels of the framebuffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PixelArea {
    pub(super) origin: [u32; 2],
    pub(super) size: [u32; 2],
}

impl PixelArea {
    /// Returns the number of pixels.
    fn pixel_count(self) -> usize {
        let [width, height] = self.size.map(|side| side as usize);
        width.saturating_mul(height)
    }

    /// Returns the index of a pixel of the area, in the order of [`Self::iter_between`].
    fn find_index(self, [x, y]: [u32; 2]) -> usize {
        let [left, top] = self.origin;
        (y - top) as usize * self.size[0] as usize + (x - left) as usize
    }

    /// Returns the pixels of the area whose centers may be between two positions, row by row.
    fn iter_between(self, [least, largest]: [[f64; 2]; 2]) -> impl Iterator<Item = [u32; 2]> {
        let [columns, rows] = [0, 1].map(|axis| {
            let (first, end) = (self.origin[axis], self.origin[axis] + self.size[axis]);
            let clamp = |place: f64| (place.max(0.0) as u32).clamp(first, end);
            // Casts saturate, also of infinities; a pixel more does not matter.
            clamp(least[axis].floor())..clamp(largest[axis].floor() + 1.0)
        });
        rows.flat_map(move |y| columns.clone().map(move |x| [x, y]))
    }
}

/// Draws at the pixels of an area.
pub(super) struct RasterRun<'s> {
    state: SceneState<'s>,
    area: PixelArea,
    /// Pixels of the area, by [`PixelArea::find_index`].
    pixels: Vec<PixelState>,
    purpose: Purpose,
    /// Maximum number of steps of each invocation.
    step_limit: u64,
    /// Line of the draw whose fragment is wanted; `None` for the last one that covers a pixel.
    pub(super) selected_line: Option<u32>,
    /// Last fragment of the area that was drawn; if there is none, that covers a pixel.
    pub(super) found: Option<LocatedFragment>,
    /// Steps that the programs of draws may still execute.
    steps_left: u64,
    /// What the simulation leaves out, in words.
    pub(super) limitations: BTreeSet<String>,
    /// False if draws or dispatches were left out.
    pub(super) is_complete: bool,
}

impl<'s> RasterRun<'s> {
    /// Returns the run before the first command of a script. `step_limit` is the maximum number of
    /// steps of an invocation.
    pub(super) fn new(
        script: &'s Script,
        area: PixelArea,
        purpose: Purpose,
        step_limit: u64,
    ) -> Self {
        Self {
            state: SceneState::new(script),
            area,
            pixels: vec![PixelState::new(&script.requirements); area.pixel_count()],
            purpose,
            step_limit,
            selected_line: None,
            found: None,
            steps_left: purpose.max_steps(),
            limitations: list_limitations(script),
            is_complete: true,
        }
    }

    /// Executes a command of a line.
    ///
    /// # Errors
    /// If the command sets a parameter that a program does not declare, or if it is the selected
    /// draw and cannot be simulated.
    pub(super) fn run_command(&mut self, command: &Command, line: u32) -> Result<(), String> {
        self.state
            .apply(command)
            .map_err(|error| format!("line {line}: {error}"))?;
        if let Command::Clear(clear) = command {
            self.clear(clear);
        } else if let Command::Draw(draw) = command {
            self.run_draw(draw, line)?;
        } else if let Err(error) = self.state.run_compute(command, self.step_limit) {
            self.is_complete = false;
            self.limitations
                .insert(format!("the command at line {line} is left out: {error}"));
        }
        Ok(())
    }

    /// Returns the colors of attachment 0 of all pixels; zeros without it.
    pub(super) fn read_colors(&self) -> Vec<[f64; 4]> {
        let first = |pixel: &PixelState| pixel.content.colors.first().copied().flatten();
        let colors = self
            .pixels
            .iter()
            .map(|pixel| first(pixel).unwrap_or_default());
        colors.collect()
    }

    /// Applies a clear to all pixels.
    fn clear(&mut self, clear: &Clear) {
        for pixel in &mut self.pixels {
            pixel.clear(clear);
        }
    }

    /// Executes a draw at the pixels. A draw that cannot be simulated is a limitation, unless it is
    /// the selected one.
    fn run_draw(&mut self, draw: &Draw, line: u32) -> Result<(), String> {
        if draw.outcome == GlOutcome::Rejected || draw.state.rasterizer_discard {
            return Ok(());
        }
        self.state.begin_draw(draw);
        let result = self.try_draw(draw, line);
        if let Some(found) = self.found.as_mut().filter(|found| found.line == line) {
            found.colors = self.pixels[found.pixel_index].content.clone();
        }
        match result {
            Err(error) if self.selected_line == Some(line) => Err(format!("line {line}: {error}")),
            Err(error) => {
                self.is_complete = false;
                self.limitations
                    .insert(format!("the draw at line {line} is left out: {error}"));
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Executes a draw at the pixels.
    fn try_draw(&mut self, draw: &Draw, line: u32) -> Result<(), String> {
        let Some(fragment) = self.state.find_program(Stage::Fragment)? else {
            return Err("there is no fragment program".to_owned());
        };
        self.note_limitations(draw, &fragment);
        self.note_views()?;
        if draw.instances > MAX_INSTANCES {
            return Err(format!("the draw has more than {MAX_INSTANCES} instances"));
        }
        let mut interpreter = Interpreter::new(&fragment.ir).map_err(|_| "invalid program")?;
        interpreter.step_limit = self.step_limit;
        for instance in 0..draw.instances {
            let limit = self.step_limit;
            let mut run = DrawRun::new(&mut self.state, draw, limit)?;
            run.steps_left = self.steps_left;
            let primitives = run.process_instance(instance)?;
            self.steps_left = run.steps_left;
            let (program, environment) = run.into_results();
            self.state.store_results(&program, &environment);
            let run = FragmentRun {
                draw,
                line,
                instance,
                program: &fragment,
                interpreter: &interpreter,
            };
            let mut environment = self.state.build_environment(&fragment);
            let result = self.run_fragments(&run, primitives, &mut environment);
            self.state.store_results(&fragment, &environment);
            result?;
        }
        Ok(())
    }

    /// Runs the fragment program for primitives at all pixels that they cover.
    fn run_fragments(
        &mut self,
        run: &FragmentRun<'_>,
        primitives: Vec<RasterPrimitive>,
        environment: &mut ProgramEnvironment,
    ) -> Result<(), String> {
        for primitive in primitives {
            let primitive = Rc::new(primitive);
            let pixels = self.area.iter_between(primitive.shape.find_bounds());
            for pixel in pixels.filter(|pixel| is_in_scissor(run.draw, *pixel)) {
                let center = pixel.map(|place| f64::from(place) + 0.5);
                if primitive.shape.covers(center) {
                    self.run_fragment(run, pixel, &primitive, environment)?;
                }
            }
        }
        Ok(())
    }

    /// Runs the fragment program for a primitive that covers a pixel.
    fn run_fragment(
        &mut self,
        run: &FragmentRun<'_>,
        pixel: [u32; 2],
        primitive: &Rc<RasterPrimitive>,
        environment: &mut ProgramEnvironment,
    ) -> Result<(), String> {
        let FragmentRun { draw, program, .. } = *run;
        let pixel_index = self.area.find_index(pixel);
        let center = pixel.map(|place| f64::from(place) + 0.5);
        let weights = primitive.shape.find_weights(center);
        let depth_range = self.find_depth_range(draw);
        if self.is_clipped(draw, program, primitive, &weights) {
            return Ok(());
        }
        let varyings = Rc::new(Varyings::new(&self.state, program, primitive, pixel));
        let inputs = FragmentInputs {
            state: &self.state,
            program,
            environment,
            varyings: &varyings,
            depth_range,
            colors: &self.pixels[pixel_index].content.colors,
        };
        let quad = inputs.build_quad();
        environment.textures.interpolant = Some(varyings);
        let index = find_quad_index(pixel);
        // A trace begins with the memory before the fragment.
        let invocation = (self.purpose == Purpose::Fragment).then(|| TracedInvocation {
            program: Rc::clone(program),
            index,
            environment: environment.clone(),
            kind: RunKind::Quad(Box::new(quad.clone())),
        });
        let results = run
            .interpreter
            .run_quad(environment, &quad, &mut NoObserver);
        // A program that does not end is traced, too: up to the limit.
        let is_drawn = match results {
            Ok(results) => {
                let result = InvocationResult::new(program, results.into_iter().nth(index));
                // The quad has four fragments.
                self.steps_left = count_steps(self.steps_left, 4 * result.steps)?;
                let depth = depth_range[0] + (depth_range[1] - depth_range[0]) * weights.depth;
                let face = (&draw.state, primitive.is_front);
                self.pixels[pixel_index].apply_fragment(program, &result, face, depth)
            }
            Err(error) if self.purpose == Purpose::Images => {
                return Err(format!("the fragment program: {error}"));
            }
            Err(error) => {
                self.limitations
                    .insert(format!("line {}: {error}", run.line));
                false
            }
        };
        if let Some(invocation) = invocation {
            let fragment = LocatedFragment {
                invocation,
                line: run.line,
                primitive: primitive.number,
                instance: run.instance,
                is_drawn,
                pixel_index,
                colors: self.pixels[pixel_index].content.clone(),
                limitations: BTreeSet::new(),
            };
            self.record_fragment(fragment);
        }
        Ok(())
    }

    /// Records a fragment as the one that is wanted, unless it is not drawn and another one is.
    fn record_fragment(&mut self, fragment: LocatedFragment) {
        let has_drawn = self.found.as_ref().is_some_and(|found| found.is_drawn);
        if fragment.is_drawn || !has_drawn || self.selected_line == Some(fragment.line) {
            self.found = Some(fragment);
        }
    }

    /// Returns the depths in the window of the depths 0 and 1 in normalized device coordinates.
    fn find_depth_range(&self, draw: &Draw) -> [f64; 2] {
        let [near, far] = draw.state.depth_range.map(f64::from);
        // The depth range applies to depths from 0 to 1; GL's are from -1 to 1.
        if self.is_gl() {
            [(near + far) / 2.0, far]
        } else {
            [near, far]
        }
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
        for stage in [
            Stage::Vertex,
            Stage::TessControl,
            Stage::TessEval,
            Stage::Geometry,
        ] {
            let program = if stage == Stage::TessControl {
                self.state.find_control_program()?
            } else {
                self.state.find_program(stage)?
            };
            let Some(program) = program else { continue };
            if views.iter().any(|view| program.writes(*view)) {
                let note = "several viewports and views of a primitive are not simulated";
                self.limitations.insert(note.to_owned());
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
        let notes = [
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
        ];
        let notes = notes.into_iter().filter(|(applies, _)| *applies);
        let notes = notes.map(|(_, note)| note).chain(program.list_notes());
        self.limitations.extend(notes.map(str::to_owned));
    }
}

/// Fragments of an instance of a draw.
#[derive(Clone, Copy)]
struct FragmentRun<'a> {
    draw: &'a Draw,
    /// Line of the draw.
    line: u32,
    instance: u32,
    program: &'a Rc<StageProgram>,
    interpreter: &'a Interpreter<'a>,
}

/// Returns the index of a pixel in its quad.
fn find_quad_index([x, y]: [u32; 2]) -> usize {
    (x % 2 + 2 * (y % 2)) as usize
}

/// Returns true if the scissor of a draw contains a pixel, or if there is none.
fn is_in_scissor(draw: &Draw, [px, py]: [u32; 2]) -> bool {
    draw.state.scissor.is_none_or(|[x, y, width, height]| {
        (x..x.saturating_add(width)).contains(&px) && (y..y.saturating_add(height)).contains(&py)
    })
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
    if script.requirements.fixed.line_stipple.is_some() {
        limitations.insert("the line stipple is not simulated".to_owned());
    }
    if script.requirements.polygon_stipple.is_some() {
        limitations.insert("the polygon stipple is not simulated".to_owned());
    }
    limitations
}
