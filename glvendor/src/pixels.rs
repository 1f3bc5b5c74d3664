//! Pixels and bitmaps that go through a fragment program: GL 2.1 sections 3.6 and 3.7,
//! ARB_fragment_program sections 3.6.4 and 3.7.
//!
//! A driver draws pixels with its own fragment programs. Those of this library draw a rectangle,
//! and use texels of a texture instead of their primary color. The driver has created the texture
//! from the image, including its pixel transfer operations. For bitmaps a rectangle is drawn for
//! each run of bits. Other fragment attributes are those of the raster position.

use crate::context::State;
use crate::draw;
use crate::ffi::{driver, driver_state};
use crate::log;
use crate::object_names::ListTexture;
use crate::pixel_programs::{self, PixelGrid, TexelColorSource, VertexProgramKind};
use crate::share_group::Program;
use std::sync::Arc;

/// Texture image units that programs name.
const UNITS: u32 = 32;
const TEXTURE_2D: u32 = 0x0DE1;

/// Image of pixels in a list.
#[derive(Debug)]
pub(crate) struct PixelImage {
    /// Texture of its colors, if it is for fragment programs.
    pub(crate) texture: Option<Arc<ListTexture>>,
    /// Driver's list that draws it.
    pub(crate) driver_list: u32,
    /// Width and height.
    pub(crate) size: [i32; 2],
}

/// Bitmap. GL 2.1 section 3.7.
#[derive(Debug)]
pub(crate) struct Bitmap {
    /// Position of the raster position in it.
    pub(crate) origin: [f32; 2],
    /// Distance by which the raster position moves.
    pub(crate) step: [f32; 2],
    /// Runs of set bits: column, row, length.
    pub(crate) runs: Vec<[i32; 3]>,
}

/// Executor of pixel commands.
pub(crate) enum PixelPath {
    /// Fragment program of this library.
    Emulated(Arc<Program>),
    /// Driver.
    Driver,
    /// No executor: the command is an error.
    Rejected,
}

/// Returns who executes pixel commands in the current state: this library with a fragment program;
/// the driver, also during transform feedback, selection and feedback modes; or none, after an
/// error of GL was recorded.
pub(crate) fn select_pixel_path(state: &mut State) -> PixelPath {
    const RENDER_MODE: u32 = 0x0C40;
    const RENDER: i32 = 0x1C00;
    let Ok(programs) = draw::select_programs(state) else {
        return PixelPath::Rejected;
    };
    let fragment = programs.and_then(|programs| programs.into_iter().next_back().flatten());
    match fragment {
        Some(fragment)
            if !fragment.contents().is_driver_program
                && !driver_state::is_true(driver::constants::TRANSFORM_FEEDBACK_ACTIVE)
                && driver_state::integer(RENDER_MODE) == RENDER =>
        {
            PixelPath::Emulated(fragment)
        }
        Some(_) | None => PixelPath::Driver,
    }
}

/// Calls `work` with the driver's state that applies without programs of this library, which are
/// enabled again afterwards.
pub(crate) fn with_native_pipeline(state: &mut State, work: impl FnOnce()) {
    let suspended = draw::suspend_programs(state);
    work();
    draw::resume_programs(suspended);
}

/// Returns true if pixels of a format are colors that textures can store: not depths, stencil
/// indices, or integers.
pub(crate) fn is_color(format: u32) -> bool {
    matches!(
        format,
        0x1900 | 0x1903..=0x190A | 0x80E0 | 0x80E1 | 0x8000 | 0x8227
    )
}

/// Returns a new texture of an image of this width and height, which `upload` defines for the
/// texture bound to `TEXTURE_2D` of the active unit; the binding is restored. `None` if the size is
/// not positive or exceeds the driver's limit, or the driver rejects the image. A pending error of
/// the driver is recorded before.
pub(crate) fn upload_texture(
    state: &mut State,
    size: [i32; 2],
    upload: impl FnOnce(),
) -> Option<u32> {
    let most = driver_state::integer(driver::constants::MAX_TEXTURE_SIZE);
    if size.iter().any(|edge| !(1..=most).contains(edge)) {
        return None;
    }
    state.save_driver_error();
    let bound = driver_state::integer(0x8069) as u32;
    let texture = driver_state::create_texture();
    driver::BindTexture(TEXTURE_2D, texture);
    driver::TexParameteri(TEXTURE_2D, 0x2801, 0x2600);
    upload();
    driver::BindTexture(TEXTURE_2D, bound);
    if driver::GetError() == 0 {
        return Some(texture);
    }
    driver_state::delete_texture(texture);
    None
}

/// Executes `DrawPixels` of colors: `fill` uploads them to the bound texture, `native` is the
/// driver's command, which is used if no fragment program of this library applies or the texture
/// cannot be created. Draws nothing if the programs are an error.
pub(crate) fn draw_pixels(
    state: &mut State,
    size: [i32; 2],
    fill: impl FnOnce(),
    native: impl FnOnce(),
) {
    match select_pixel_path(state) {
        PixelPath::Rejected => {}
        PixelPath::Driver => with_native_pipeline(state, native),
        PixelPath::Emulated(fragment) => {
            let Some(texture) = upload_texture(state, size, fill) else {
                return with_native_pipeline(state, native);
            };
            let bind = || driver::BindTexture(TEXTURE_2D, texture);
            draw_texture(state, fragment, bind, size);
            driver_state::delete_texture(texture);
        }
    }
}

/// Executes `CopyPixels` of a rectangle of the framebuffer whose lower left corner is `(x, y)`;
/// `kind` is the type of values that are copied, of which colors go through the fragment program.
pub(crate) fn copy_pixels(state: &mut State, [x, y]: [i32; 2], size: [i32; 2], kind: u32) {
    const COLOR: u32 = 0x1800;
    let [width, height] = size;
    let native = || driver::CopyPixels(x, y, width, height, kind);
    let fill = || {
        driver::CopyTexImage2D(
            TEXTURE_2D,
            0,
            driver::constants::RGBA32F,
            x,
            y,
            width,
            height,
            0,
        );
    };
    match kind {
        COLOR => draw_pixels(state, size, fill, native),
        _ => draw_depth_or_stencil(state, native),
    }
}

/// Draws pixels that are not colors, by `native`, the command of the driver, with its own pipeline.
/// Draws nothing if the programs are an error.
pub(crate) fn draw_depth_or_stencil(state: &mut State, native: impl FnOnce()) {
    match select_pixel_path(state) {
        PixelPath::Rejected => {}
        PixelPath::Emulated(_) | PixelPath::Driver => with_native_pipeline(state, native),
    }
}

/// Draws an image of a list: with the fragment program of this library if its texture is not lost,
/// otherwise by the driver's list. Draws nothing if the programs are an error.
pub(crate) fn draw_image(state: &mut State, image: &PixelImage) {
    let texture = image.texture.as_ref().filter(|it| !it.is_lost());
    match (select_pixel_path(state), texture) {
        (PixelPath::Rejected, _) => {}
        (PixelPath::Emulated(fragment), Some(texture)) => {
            draw_texture(state, fragment, || texture.bind(), image.size);
        }
        (PixelPath::Emulated(_) | PixelPath::Driver, _) => {
            with_native_pipeline(state, || driver::CallList(image.driver_list))
        }
    }
}

/// Returns the window coordinates of the current raster position; `None` if it is invalid.
fn raster_position() -> Option<[f32; 2]> {
    const CURRENT_RASTER_POSITION: u32 = 0x0B07;
    const CURRENT_RASTER_POSITION_VALID: u32 = 0x0B08;
    driver_state::is_true(CURRENT_RASTER_POSITION_VALID)
        .then(|| driver_state::floats(CURRENT_RASTER_POSITION))
}

/// Draws the pixels of a texture, which `bind` binds to `TEXTURE_2D` of the active unit, at the
/// raster position with the pixel zoom. Draws nothing if the raster position is invalid or a zoom
/// is 0; logs an error and draws nothing if the fragment program reads all texture image units.
fn draw_texture(
    state: &mut State,
    fragment: Arc<Program>,
    bind: impl FnOnce(),
    [width, height]: [i32; 2],
) {
    let zoom = [0x0D16, 0x0D17].map(|name| driver_state::floats::<1>(name)[0]);
    let Some(position) = raster_position().filter(|_| !zoom.contains(&0.0)) else {
        return;
    };
    let Some(unit) = find_free_unit(&fragment) else {
        return log::error(
            "pixels are not drawn: the fragment program reads all texture image units",
        );
    };
    let grid = PixelGrid {
        width: width as u32,
        first_edge: std::array::from_fn(|axis| first_pixel_edge(position[axis], zoom[axis])),
        zoom,
    };
    let texels = TexelColorSource::new(state, unit, &fragment);
    let vertices = match texels {
        Some(texels) => VertexProgramKind::Rectangle(texels.attribute),
        None => VertexProgramKind::Pixels(unit),
    };
    let window = &mut state.draw_state.pixel_programs;
    window.texel_colors = texels;
    let Some(vertex) = window.vertex_program(vertices) else {
        return;
    };
    let sides: [[f32; 2]; 2] = std::array::from_fn(|axis| {
        let size = [width, height][axis] as f32;
        [
            grid.first_edge[axis],
            grid.first_edge[axis] + zoom[axis] * size,
        ]
    });
    let corners = 6_i32.saturating_mul(width).saturating_mul(height);
    pixel_programs::draw_with_programs(state, [vertex, fragment], &grid, |_| {
        with_bound_texture(unit, bind, || match texels {
            Some(_) => {
                driver::Begin(driver::constants::QUADS);
                draw_rectangle(sides);
                driver::End();
            }
            // The program reads its color in a way that texels cannot be read in: each pixel is a
            // rectangle.
            None => {
                driver_state::draw_without_arrays(driver::constants::TRIANGLES, corners);
            }
        });
    });
    state.draw_state.pixel_programs.texel_colors = None;
}

/// Emits the four vertices of a rectangle, counterclockwise, within `Begin` and `End`.
fn draw_rectangle([[left, right], [bottom, top]]: [[f32; 2]; 2]) {
    driver::Vertex2f(left, bottom);
    driver::Vertex2f(right, bottom);
    driver::Vertex2f(right, top);
    driver::Vertex2f(left, top);
}

/// Returns the edge of the first pixel on an axis, in window coordinates. A fragment belongs to the
/// rectangle that its center is in, or on the left or lower edge of (GL 2.1 section 3.6.5). Drivers
/// differ in the treatment of edges that go through centers, so such edges are moved.
fn first_pixel_edge(position: f32, zoom: f32) -> f32 {
    match zoom.abs() {
        1.0 => (position - 0.5).ceil(),
        _ => position - 1.0 / 256.0,
    }
}

/// Returns the last texture image unit, of those that programs can name, that a fragment program
/// does not read; `None` if it reads all.
fn find_free_unit(fragment: &Program) -> Option<u32> {
    let loaded = fragment.load_translated()?;
    let units = driver_state::integer(driver::constants::MAX_COMBINED_TEXTURE_IMAGE_UNITS);
    let units = u32::try_from(units).unwrap_or(0).min(UNITS);
    let is_read = |unit: &u32| {
        loaded
            .ir()
            .textures
            .iter()
            .any(|it| it.units.indices().contains(unit))
    };
    (0..units).rev().find(|unit| !is_read(unit))
}

/// Calls `work` while a unit is active and has the texture that `bind` binds to `TEXTURE_2D`,
/// without a sampler. Active unit, texture and sampler are restored.
fn with_bound_texture(unit: u32, bind: impl FnOnce(), work: impl FnOnce()) {
    const SAMPLER_BINDING: u32 = 0x8919;
    let active = driver_state::integer(0x84E0) as u32;
    driver::ActiveTexture(driver::constants::TEXTURE0 + unit);
    let (bound, sampler) = (
        driver_state::integer(0x8069),
        driver_state::integer(SAMPLER_BINDING),
    );
    bind();
    driver::BindSampler(unit, 0);
    work();
    driver::BindTexture(TEXTURE_2D, bound as u32);
    driver::BindSampler(unit, sampler as u32);
    driver::ActiveTexture(active);
}

/// Executes `Bitmap`: `bitmap` returns its decoded argument, or `None` after an error; `native` is
/// the driver's command. With a fragment program of this library, draws the runs and moves the
/// raster position, unless that is invalid. Draws nothing if the programs are an error.
pub(crate) fn draw_bitmap(
    state: &mut State,
    bitmap: impl FnOnce(&mut State) -> Option<Arc<Bitmap>>,
    native: impl FnOnce(),
) {
    match select_pixel_path(state) {
        PixelPath::Rejected => {}
        PixelPath::Driver => with_native_pipeline(state, native),
        PixelPath::Emulated(fragment) => {
            if let Some(position) = raster_position() {
                let Some(bitmap) = bitmap(state) else { return };
                draw_runs(state, fragment, position, &bitmap);
                let [x, y] = bitmap.step;
                with_native_pipeline(state, || driver_state::move_raster_position(x, y));
            }
        }
    }
}

/// Draws a bitmap with a fragment program: a rectangle for each run of set bits. `position` is the
/// raster position in window coordinates.
fn draw_runs(state: &mut State, fragment: Arc<Program>, position: [f32; 2], bitmap: &Bitmap) {
    let Some(vertex) = state
        .draw_state
        .pixel_programs
        .vertex_program(VertexProgramKind::Positions)
    else {
        return;
    };
    let corner: [f32; 2] =
        std::array::from_fn(|axis| (position[axis] - bitmap.origin[axis]).floor());
    pixel_programs::draw_with_programs(state, [vertex, fragment], &PixelGrid::default(), |_| {
        driver::Begin(driver::constants::QUADS);
        for &[column, row, length] in &bitmap.runs {
            let (left, bottom) = (corner[0] + column as f32, corner[1] + row as f32);
            draw_rectangle([[left, left + length as f32], [bottom, bottom + 1.0]]);
        }
        driver::End();
    });
}

/// Returns the horizontal runs of set bits of a bitmap as column, row and length, from the bottom
/// upwards. `is_set` receives the vertical, then the horizontal position.
pub(crate) fn find_bit_runs(
    width: i32,
    height: i32,
    is_set: impl Fn(i32, i32) -> bool,
) -> Vec<[i32; 3]> {
    let mut runs: Vec<[i32; 3]> = Vec::new();
    for row in 0..height {
        for column in (0..width).filter(|column| is_set(row, *column)) {
            match runs.last_mut() {
                Some([first, of_row, length]) if *of_row == row && *first + *length == column => {
                    *length += 1
                }
                _ => runs.push([column, row, 1]),
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_beside_each_other_are_a_run() {
        let rows = ["x..xx", "xxxxx", ".....", "....x"];
        let is_set = |row: i32, column: i32| rows[row as usize].as_bytes()[column as usize] == b'x';
        let expected = [[0, 0, 1], [3, 0, 2], [0, 1, 5], [4, 3, 1]];
        assert_eq!(find_bit_runs(5, 4, is_set), expected);
        assert!(find_bit_runs(0, 4, |_, _| true).is_empty());
    }

    /// Tests GL 2.1 section 3.6.5: centers are at halves, and belong to the pixel to the right of
    /// them.
    #[test]
    fn pixels_begin_where_fragments_belong_to_them() {
        assert_eq!(
            [2.0, 2.5, 2.75, 2.25].map(|place| first_pixel_edge(place, 1.0)),
            [2.0, 2.0, 3.0, 2.0]
        );
        assert!(first_pixel_edge(2.5, 2.0) < 2.5);
    }
}
