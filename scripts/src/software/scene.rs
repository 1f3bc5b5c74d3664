//! The draws and dispatches of a script in order: up to the fragment that is wanted, or for all
//! images that the script saves.

use super::invocation::TracedInvocation;
use super::pixel::PixelColors;
use super::raster_run::{PixelArea, Purpose, RasterRun};
use crate::script::{Command, Convention, Script, ScriptStep};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Selection of a fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FragmentSelection {
    /// X and y of the pixel in the framebuffer.
    pub pixel: [u32; 2],
    /// Line of the draw; `None` selects the last one that covers the pixel.
    pub line: Option<u32>,
    /// Line at which the script ends, whose command does not run; `None` for the whole script.
    pub end_line: Option<u32>,
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
    /// Index of the pixel in the area that was simulated.
    pub(super) pixel_index: usize,
    /// Colors of the pixel after the draw.
    pub colors: PixelColors,
    /// What the simulation leaves out, in words.
    pub limitations: BTreeSet<String>,
}

/// Executes steps in order, and calls `visit` after each, until it breaks.
///
/// # Errors
/// Those of [`RasterRun::run_command`].
fn run_steps(
    run: &mut RasterRun<'_>,
    steps: &[ScriptStep],
    mut visit: impl FnMut(&RasterRun<'_>, &ScriptStep) -> ControlFlow<()>,
) -> Result<(), String> {
    for step in steps {
        run.run_command(&step.command, step.line)?;
        if visit(run, step).is_break() {
            break;
        }
    }
    Ok(())
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
    let area = PixelArea {
        origin: selection.pixel,
        size: [1, 1],
    };
    let mut run = RasterRun::new(script, area, Purpose::Fragment, selection.step_limit);
    run.selected_line = selection.line;
    let end = selection.end_line.unwrap_or(u32::MAX);
    let end = script.steps.partition_point(|step| step.line < end);
    let steps = &script.steps[..end];
    run_steps(&mut run, steps, |_, step| {
        if selection.line == Some(step.line) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    let limitations = run.limitations;
    match run.found {
        Some(found) if selection.line.is_none_or(|line| line == found.line) => {
            Ok(LocatedFragment {
                limitations,
                ..found
            })
        }
        Some(_) | None => {
            let mut commands = steps.iter().map(|step| &step.command);
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

/// Number of pixels of the framebuffer for which images can be rendered at most.
const MAX_IMAGE_PIXELS: u64 = 1 << 20;

/// Images of a script.
#[derive(Clone, PartialEq, Debug)]
pub struct RenderedImages {
    /// Names and pixels of the images that the script saves, in order.
    pub images: Vec<RenderedImage>,
    /// False if draws or dispatches were left out, for reasons among the limitations.
    pub is_complete: bool,
    /// What the simulation leaves out, in words.
    pub limitations: BTreeSet<String>,
}

/// Image of attachment 0.
#[derive(Clone, PartialEq, Debug)]
pub struct RenderedImage {
    /// Name.
    pub name: String,
    /// Colors of the pixels, row 0 of the framebuffer first.
    pub pixels: Vec<[f64; 4]>,
}

impl RenderedImage {
    /// Returns the image with 8 bits for each channel, from the top, for a framebuffer of this width
    /// and convention.
    pub fn to_rgba8(&self, width: u32, convention: Convention) -> Vec<u8> {
        let rows = self.pixels.chunks_exact(width.max(1) as usize);
        let rows: Vec<_> = match convention {
            Convention::OpenGl => rows.rev().collect(),
            Convention::Vulkan => rows.collect(),
        };
        let to_byte = |channel: &f64| (channel.clamp(0.0, 1.0) * 255.0).round() as u8;
        rows.into_iter().flatten().flatten().map(to_byte).collect()
    }
}

/// Executes a script and returns the images that it saves. Draws that cannot be simulated are
/// omitted, and among the limitations.
///
/// # Errors
/// If a command sets a parameter that a program does not declare, or if the framebuffer has more
/// than 2^20 pixels.
pub fn render_images(script: &Script, step_limit: u64) -> Result<RenderedImages, String> {
    let pixels: u64 = script
        .requirements
        .framebuffer
        .iter()
        .copied()
        .map(u64::from)
        .product();
    if pixels > MAX_IMAGE_PIXELS {
        return Err(format!(
            "the image has {pixels} pixels, more than {MAX_IMAGE_PIXELS}"
        ));
    }
    let area = PixelArea {
        origin: [0, 0],
        size: script.requirements.framebuffer,
    };
    let mut run = RasterRun::new(script, area, Purpose::Images, step_limit);
    let mut images = Vec::new();
    run_steps(&mut run, &script.steps, |run, step| {
        if let Command::SaveImage { name, .. } = &step.command {
            images.push(RenderedImage {
                name: name.clone(),
                pixels: run.read_colors(),
            });
        }
        ControlFlow::Continue(())
    })?;
    Ok(RenderedImages {
        images,
        is_complete: run.is_complete,
        limitations: run.limitations,
    })
}
