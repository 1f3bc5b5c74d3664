//! Pixels and bitmaps that go through a fragment program: GL 2.1 sections 3.6 and 3.7,
//! ARB_fragment_program sections 3.6.4 and 3.7.
//!
//! A driver draws pixels with its own fragment programs. Those of this library draw a rectangle,
//! and use texels of a texture instead of their primary color. The driver has created the texture
//! from the image, including its pixel transfer operations. For bitmaps a rectangle is drawn for
//! each run of bits. Other fragment attributes are those of the raster position.

use crate::context::State;
use crate::draw;
use crate::ffi::{driver, query};
use crate::log;
use crate::names::Texture;
use crate::objects::Program;
use crate::window::{self, Grid, Texels, Vertices};
use std::sync::Arc;

/// Texture image units that programs name.
const UNITS: u32 = 32;
const TEXTURE_2D: u32 = 0x0DE1;

/// Image of pixels in a list.
#[derive(Debug)]
pub(crate) struct Image {
    /// Texture of its colors, if it is for fragment programs.
    pub(crate) texture: Option<Arc<Texture>>,
    /// Driver's list that draws it.
    pub(crate) list: u32,
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
pub(crate) enum Way {
    /// Fragment program of this library.
    Ours(Arc<Program>),
    /// Driver.
    Driver,
    /// No executor: the command is an error.
    Refused,
}

/// Returns the executor of pixel commands in the current state.
pub(crate) fn way(state: &mut State) -> Way {
    const RENDER_MODE: u32 = 0x0C40;
    const RENDER: i32 = 0x1C00;
    let Ok(programs) = draw::select_programs(state) else {
        return Way::Refused;
    };
    let fragment = programs.and_then(|programs| programs.into_iter().next_back().flatten());
    match fragment {
        Some(fragment)
            if !fragment.contents().is_drivers
                && !query::is_set(driver::constants::TRANSFORM_FEEDBACK_ACTIVE)
                && query::integer(RENDER_MODE) == RENDER =>
        {
            Way::Ours(fragment)
        }
        Some(_) | None => Way::Driver,
    }
}

/// Calls `work` with the driver's state that applies without programs of this library.
pub(crate) fn beside(state: &mut State, work: impl FnOnce()) {
    let left = draw::suspend_programs(state);
    work();
    draw::resume_programs(left);
}

/// Returns true if pixels of a format are colors that textures can store: not depths, stencil
/// indices, or integers.
pub(crate) fn is_color(format: u32) -> bool {
    matches!(
        format,
        0x1900 | 0x1903..=0x190A | 0x80E0 | 0x80E1 | 0x8000 | 0x8227
    )
}

/// Returns a texture of an image, which `fill` uploads to the bound texture. `None` if the driver
/// rejects it.
pub(crate) fn texture(state: &mut State, size: [i32; 2], fill: impl FnOnce()) -> Option<u32> {
    let most = query::integer(driver::constants::MAX_TEXTURE_SIZE);
    if size.iter().any(|edge| !(1..=most).contains(edge)) {
        return None;
    }
    state.keep_error();
    let bound = query::integer(0x8069) as u32;
    let texture = query::new_texture();
    driver::BindTexture(TEXTURE_2D, texture);
    driver::TexParameteri(TEXTURE_2D, 0x2801, 0x2600);
    fill();
    driver::BindTexture(TEXTURE_2D, bound);
    if driver::GetError() == 0 {
        return Some(texture);
    }
    query::delete_texture(texture);
    None
}

/// Executes `DrawPixels` of colors: `fill` creates a texture of them, `native` is the driver's
/// command.
pub(crate) fn draw_pixels(
    state: &mut State,
    size: [i32; 2],
    fill: impl FnOnce(),
    native: impl FnOnce(),
) {
    match way(state) {
        Way::Refused => {}
        Way::Driver => beside(state, native),
        Way::Ours(fragment) => {
            let Some(texture) = texture(state, size, fill) else {
                return beside(state, native);
            };
            let bind = || driver::BindTexture(TEXTURE_2D, texture);
            draw_texture(state, fragment, bind, size);
            query::delete_texture(texture);
        }
    }
}

/// Executes `CopyPixels`: position, size, type.
pub(crate) fn copy(state: &mut State, [x, y]: [i32; 2], size: [i32; 2], kind: u32) {
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

/// Draws pixels that are not colors: `native` is the command of the driver. Draws nothing if the
/// current program is rejected.
pub(crate) fn draw_depth_or_stencil(state: &mut State, native: impl FnOnce()) {
    match way(state) {
        Way::Refused => {}
        Way::Ours(_) | Way::Driver => beside(state, native),
    }
}

/// Draws an image of a list.
pub(crate) fn draw_image(state: &mut State, image: &Image) {
    let texture = image.texture.as_ref().filter(|it| !it.is_lost());
    match (way(state), texture) {
        (Way::Refused, _) => {}
        (Way::Ours(fragment), Some(texture)) => {
            draw_texture(state, fragment, || texture.bind(), image.size);
        }
        (Way::Ours(_) | Way::Driver, _) => beside(state, || driver::CallList(image.list)),
    }
}

/// Returns the raster position, if it is valid.
fn raster_position() -> Option<[f32; 2]> {
    const CURRENT_RASTER_POSITION: u32 = 0x0B07;
    const CURRENT_RASTER_POSITION_VALID: u32 = 0x0B08;
    query::is_set(CURRENT_RASTER_POSITION_VALID).then(|| query::floats(CURRENT_RASTER_POSITION))
}

/// Draws the pixels of a texture, which `bind` binds to `TEXTURE_2D` of the active unit.
fn draw_texture(
    state: &mut State,
    fragment: Arc<Program>,
    bind: impl FnOnce(),
    [width, height]: [i32; 2],
) {
    let zoom = [0x0D16, 0x0D17].map(|name| query::floats::<1>(name)[0]);
    let Some(place) = raster_position().filter(|_| !zoom.contains(&0.0)) else {
        return;
    };
    let Some(unit) = free_unit(&fragment) else {
        return log::error(
            "pixels are not drawn: the fragment program reads all texture image units",
        );
    };
    let grid = Grid {
        width: width as u32,
        first: std::array::from_fn(|axis| first_edge(place[axis], zoom[axis])),
        zoom,
    };
    let texels = Texels::new(state, unit, &fragment);
    let vertices = match texels {
        Some(texels) => Vertices::Rectangle(texels.attribute),
        None => Vertices::Pixels(unit),
    };
    let window = &mut state.drawing.window;
    window.texels = texels;
    let Some(vertex) = window.program(vertices) else {
        return;
    };
    let sides: [[f32; 2]; 2] = std::array::from_fn(|axis| {
        let size = [width, height][axis] as f32;
        [grid.first[axis], grid.first[axis] + zoom[axis] * size]
    });
    let corners = 6_i32.saturating_mul(width).saturating_mul(height);
    window::draw(state, [vertex, fragment], &grid, |_| {
        with_texture(unit, bind, || match texels {
            Some(_) => {
                driver::Begin(driver::constants::QUADS);
                draw_rectangle(sides);
                driver::End();
            }
            // The program reads its color in a way that texels cannot be read in: each pixel is a
            // rectangle.
            None => {
                query::draw_without_arrays(driver::constants::TRIANGLES, corners);
            }
        });
    });
    state.drawing.window.texels = None;
}

/// Draws a rectangle from the positions of its sides.
fn draw_rectangle([[left, right], [bottom, top]]: [[f32; 2]; 2]) {
    driver::Vertex2f(left, bottom);
    driver::Vertex2f(right, bottom);
    driver::Vertex2f(right, top);
    driver::Vertex2f(left, top);
}

/// Returns the edge of the first pixel. A fragment belongs to the rectangle that its center is in,
/// or on the left or lower edge of (GL 2.1 section 3.6.5). Drivers differ in the treatment of edges
/// that go through centers, so such edges are moved.
fn first_edge(place: f32, zoom: f32) -> f32 {
    match zoom.abs() {
        1.0 => (place - 0.5).ceil(),
        _ => place - 1.0 / 256.0,
    }
}

/// Returns a texture image unit that a fragment program does not read.
fn free_unit(fragment: &Program) -> Option<u32> {
    let loaded = fragment.loaded()?;
    let units = query::integer(driver::constants::MAX_COMBINED_TEXTURE_IMAGE_UNITS);
    let units = u32::try_from(units).unwrap_or(0).min(UNITS);
    let is_read = |unit: &u32| {
        loaded
            .ir()
            .textures
            .iter()
            .any(|it| it.units.numbers().contains(unit))
    };
    (0..units).rev().find(|unit| !is_read(unit))
}

/// Calls `work` with a texture that `bind` binds to a unit, without a sampler.
fn with_texture(unit: u32, bind: impl FnOnce(), work: impl FnOnce()) {
    const SAMPLER_BINDING: u32 = 0x8919;
    let active = query::integer(0x84E0) as u32;
    driver::ActiveTexture(driver::constants::TEXTURE0 + unit);
    let (bound, sampler) = (query::integer(0x8069), query::integer(SAMPLER_BINDING));
    bind();
    driver::BindSampler(unit, 0);
    work();
    driver::BindTexture(TEXTURE_2D, bound as u32);
    driver::BindSampler(unit, sampler as u32);
    driver::ActiveTexture(active);
}

/// Executes `Bitmap`: `bitmap` is its decoded argument, or `None` after an error; `native` is the
/// driver's command.
pub(crate) fn draw_bitmap(
    state: &mut State,
    bitmap: impl FnOnce(&mut State) -> Option<Arc<Bitmap>>,
    native: impl FnOnce(),
) {
    match way(state) {
        Way::Refused => {}
        Way::Driver => beside(state, native),
        Way::Ours(fragment) => {
            if let Some(place) = raster_position() {
                let Some(bitmap) = bitmap(state) else { return };
                draw_runs(state, fragment, place, &bitmap);
                let [x, y] = bitmap.step;
                beside(state, || query::move_raster_position(x, y));
            }
        }
    }
}

/// Draws the fragments of a bitmap.
fn draw_runs(state: &mut State, fragment: Arc<Program>, place: [f32; 2], bitmap: &Bitmap) {
    let Some(vertex) = state.drawing.window.program(Vertices::Places) else {
        return;
    };
    let corner: [f32; 2] = std::array::from_fn(|axis| (place[axis] - bitmap.origin[axis]).floor());
    window::draw(state, [vertex, fragment], &Grid::default(), |_| {
        driver::Begin(driver::constants::QUADS);
        for &[column, row, length] in &bitmap.runs {
            let (left, bottom) = (corner[0] + column as f32, corner[1] + row as f32);
            draw_rectangle([[left, left + length as f32], [bottom, bottom + 1.0]]);
        }
        driver::End();
    });
}

/// Returns the runs of bits of a bitmap, row by row.
pub(crate) fn runs(width: i32, height: i32, is_set: impl Fn(i32, i32) -> bool) -> Vec<[i32; 3]> {
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
        assert_eq!(runs(5, 4, is_set), expected);
        assert!(runs(0, 4, |_, _| true).is_empty());
    }

    /// Tests GL 2.1 section 3.6.5: centers are at halves, and belong to the pixel to the right of
    /// them.
    #[test]
    fn pixels_begin_where_fragments_belong_to_them() {
        assert_eq!(
            [2.0, 2.5, 2.75, 2.25].map(|place| first_edge(place, 1.0)),
            [2.0, 2.0, 3.0, 2.0]
        );
        assert!(first_edge(2.5, 2.0) < 2.5);
    }
}
