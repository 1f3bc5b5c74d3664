//! Evaluators while vertex programs are enabled: maps of numbered attributes (NV_vertex_program
//! section 5.1), which drivers do not have, and those of conventional attributes, which alias
//! numbered ones then. GL 2.1 section 5.1.
//!
//! State is read when primitives begin, because GL does not allow queries until they end.

use crate::context::State;
use crate::ffi::{driver, driver_state};
use crate::mixed_pipeline;
use crate::program_commands::{INVALID_ENUM, INVALID_VALUE};
use crate::target::Target;

/// Numbered attributes that have maps.
const ATTRIBUTES: u32 = 16;
/// `MAP1_VERTEX_ATTRIB0_4_NV`
const MAP1_ATTRIBUTE_0: u32 = 0x8660;
/// `MAP1_COLOR_4`; enumerants of two-dimensional maps are [`TWO_DIMENSIONAL_OFFSET`] above those of
/// one-dimensional ones.
const MAP1_COLOR_4: u32 = 0x0D90;
const TWO_DIMENSIONAL_OFFSET: u32 = 0x20;
const AUTO_NORMAL: u32 = 0x0D80;
const COEFF: u32 = 0x0A00;
const ORDER: u32 = 0x0A01;
const DOMAIN: u32 = 0x0A02;

/// Maps of conventional attributes: number of the attribute, offset from `MAP1_COLOR_4`,
/// components. The first enabled one applies.
const CONVENTIONAL_MAPS: [(u32, u32, usize); 8] = [
    (0, 8, 4),
    (0, 7, 3),
    (2, 2, 3),
    (3, 0, 4),
    (8, 6, 4),
    (8, 5, 3),
    (8, 4, 2),
    (8, 3, 1),
];

/// Two-dimensional map; one-dimensional ones have one point in the second dimension.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct EvaluatorMap {
    /// Order in u and in v.
    pub(crate) order: [usize; 2],
    /// Domain: u1, u2, v1, v2.
    pub(crate) domain: [f32; 4],
    /// Points, v after v.
    pub(crate) control_points: Vec<[f32; 4]>,
}

impl Default for EvaluatorMap {
    fn default() -> Self {
        Self {
            order: [1; 2],
            domain: [0.0, 1.0, 0.0, 1.0],
            control_points: vec![[0.0, 0.0, 0.0, 1.0]],
        }
    }
}

/// Returns the Bernstein polynomials of an order, which is at least 1, at `t`, and their
/// derivatives in `t`.
fn bernstein(order: usize, t: f64) -> (Vec<f64>, Vec<f64>) {
    let mut lower_degree = Vec::new();
    let mut polynomials = vec![1.0];
    for count in 1..order {
        let value = |n: usize| polynomials.get(n).copied().unwrap_or(0.0);
        let before = |n: usize| n.checked_sub(1).map_or(0.0, value);
        let next = (0..=count).map(|n| (1.0 - t) * value(n) + t * before(n));
        let next = next.collect();
        lower_degree = std::mem::replace(&mut polynomials, next);
    }
    let degree = (order - 1) as f64;
    let value = |n: usize| lower_degree.get(n).copied().unwrap_or(0.0);
    let before = |n: usize| n.checked_sub(1).map_or(0.0, value);
    let slopes = (0..order).map(|n| degree * (before(n) - value(n)));
    let slopes = slopes.collect();
    (polynomials, slopes)
}

impl EvaluatorMap {
    /// Evaluates the polynomial at domain coordinates, which may be outside of the domain: the
    /// value and its derivatives in u and v.
    fn evaluate(&self, [u, v]: [f32; 2]) -> [[f64; 4]; 3] {
        let [u1, u2, v1, v2] = self.domain.map(f64::from);
        let (across, along) = (u2 - u1, v2 - v1);
        let (us, du) = bernstein(self.order[0], (f64::from(u) - u1) / across);
        let (vs, dv) = bernstein(self.order[1], (f64::from(v) - v1) / along);
        let sum = |us: &[f64], vs: &[f64], scale: f64| {
            let mut sum = [0.0; 4];
            for (row, weight_u) in self.control_points.chunks_exact(self.order[1]).zip(us) {
                for (point, weight_v) in row.iter().zip(vs) {
                    for (sum, component) in sum.iter_mut().zip(point) {
                        *sum += scale * weight_u * weight_v * f64::from(*component);
                    }
                }
            }
            sum
        };
        [
            sum(&us, &vs, 1.0),
            sum(&du, &vs, 1.0 / across),
            sum(&us, &dv, 1.0 / along),
        ]
    }

    /// Returns the normal of the surface at domain coordinates, not normalized: the cross product
    /// of the derivatives of the point after division by w. The last component is 1.
    fn normal(&self, position: [f32; 2]) -> [f32; 4] {
        let [point, du, dv] = self.evaluate(position);
        let w = point[3];
        // Derivative of a point divided by w: (p/w)' = (p' - p w'/w) / w.
        let slope = |derivative: [f64; 4]| -> [f64; 3] {
            std::array::from_fn(|n| (derivative[n] - point[n] * derivative[3] / w) / w)
        };
        let (a, b) = (slope(du), slope(dv));
        let cross = |x: usize, y: usize| (a[x] * b[y] - a[y] * b[x]) as f32;
        [cross(1, 2), cross(2, 0), cross(0, 1), 1.0]
    }
}

/// Maps of numbered attributes of a dimension.
#[derive(Debug, Default)]
pub(crate) struct AttributeMaps {
    maps: [EvaluatorMap; ATTRIBUTES as usize],
    /// Enabled maps.
    pub(crate) enabled_mask: u32,
}

/// State of evaluators between `Begin` and `End`.
#[derive(Debug, Default)]
pub(crate) struct EvaluationState {
    /// Enabled maps, by dimension, with their attributes; attribute 0 is last.
    maps: [Vec<(u32, EvaluatorMap)>; 2],
    is_auto_normal: bool,
    grid: MapGrid,
    /// Previous values of the attributes, since evaluators do not change them.
    saved_attributes: Vec<(u32, [f32; 4])>,
}

/// `MapGrid`
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MapGrid {
    /// One-dimensional grid: domain u1, u2, and the number of segments.
    axis_1d: ([f32; 2], i32),
    /// Two-dimensional grid: the same for u and v.
    axes_2d: [([f32; 2], i32); 2],
}

/// Returns the domain coordinate of grid point `number` on an axis, given by its range and number
/// of segments. The end points are exact (GL 2.1 section 5.1).
fn grid_coordinate(([first, last], segments): ([f32; 2], i32), number: i32) -> f32 {
    match number {
        0 => first,
        number if number == segments => last,
        number => number as f32 * ((last - first) / segments as f32) + first,
    }
}

impl MapGrid {
    /// Queries the grids of `MapGrid1` and `MapGrid2` from the driver: domains and numbers of
    /// segments.
    fn query() -> Self {
        let one = driver_state::floats::<2>(0x0DD0);
        let [u1, u2, v1, v2] = driver_state::floats::<4>(0x0DD2);
        let [u_segments, v_segments] = driver_state::integers::<2>(0x0DD3);
        Self {
            axis_1d: (one, driver_state::integer(0x0DD1)),
            axes_2d: [([u1, u2], u_segments), ([v1, v2], v_segments)],
        }
    }

    /// Returns the domain coordinate of point `number` of the one-dimensional grid.
    pub(crate) fn position_1d(&self, number: i32) -> f32 {
        grid_coordinate(self.axis_1d, number)
    }

    /// Returns the domain coordinates of a point of the two-dimensional grid.
    pub(crate) fn position_2d(&self, [i, j]: [i32; 2]) -> [f32; 2] {
        [
            grid_coordinate(self.axes_2d[0], i),
            grid_coordinate(self.axes_2d[1], j),
        ]
    }
}

/// Returns dimension (0 for `Map1`, 1 for `Map2`) and attribute of the map of a numbered attribute
/// such as `MAP1_VERTEX_ATTRIB0_4_NV`; `None` for other enumerants.
pub(crate) fn numbered_map_target(target: u32) -> Option<(usize, u32)> {
    let offset = target.checked_sub(MAP1_ATTRIBUTE_0)?;
    (offset < 2 * ATTRIBUTES).then_some(((offset / ATTRIBUTES) as usize, offset % ATTRIBUTES))
}

/// Reads order, domain and control points of a conventional map from the driver; missing components
/// of points are 0, w is 1. A `dimension` of 0 is that of `Map1`, 1 that of `Map2`.
fn query_conventional_map(target: u32, dimension: usize, components: usize) -> EvaluatorMap {
    let [u, v] = match dimension {
        0 => [driver_state::map_integers::<1>(target, ORDER)[0], 1],
        _ => driver_state::map_integers::<2>(target, ORDER),
    };
    let order = [u, v].map(|it| it.max(1) as usize);
    let domain = match dimension {
        0 => {
            let [u1, u2] = driver_state::map_floats(target, DOMAIN);
            [u1, u2, 0.0, 1.0]
        }
        _ => driver_state::map_floats(target, DOMAIN),
    };
    let values = driver_state::map_points(target, order[0] * order[1] * components);
    let points = values.chunks_exact(components).map(|values| {
        let mut point = [0.0, 0.0, 0.0, 1.0];
        point[..components].copy_from_slice(values);
        point
    });
    EvaluatorMap {
        order,
        domain,
        control_points: points.collect(),
    }
}

impl State {
    /// Sets the map of a numbered attribute, such as `MAP1_VERTEX_ATTRIB0_4_NV` (`Map1`, `Map2`),
    /// without checks; other targets are ignored.
    pub(crate) fn define_map(&mut self, target: u32, map: EvaluatorMap) {
        if let Some((dimension, attribute)) = numbered_map_target(target) {
            self.maps[dimension].maps[attribute as usize] = map;
        }
    }

    /// Enables or disables the map of a numbered attribute; other targets are ignored.
    pub(crate) fn enable_map(&mut self, target: u32, enabled: bool) {
        if let Some((dimension, attribute)) = numbered_map_target(target) {
            let mask = &mut self.maps[dimension].enabled_mask;
            if enabled {
                *mask |= 1 << attribute
            } else {
                *mask &= !(1 << attribute)
            }
        }
    }

    /// Executes `GetMap` of a numbered attribute: coefficients, order or domain. Returns `None`
    /// without an error for other maps, which are the driver's; `None` after recording
    /// `GL_INVALID_ENUM` for another name.
    pub(crate) fn query_map_values(&mut self, target: u32, name: u32) -> Option<Vec<f32>> {
        let (dimension, attribute) = numbered_map_target(target)?;
        let map = &self.maps[dimension].maps[attribute as usize];
        let dimensions = dimension + 1;
        Some(match name {
            COEFF => map.control_points.as_flattened().to_vec(),
            ORDER => map.order[..dimensions]
                .iter()
                .map(|&it| it as f32)
                .collect(),
            DOMAIN => map.domain[..2 * dimensions].to_vec(),
            _ => {
                self.record_error(INVALID_ENUM);
                return None;
            }
        })
    }

    /// Checks one dimension of a map: its order, its domain from `first` to `last`, which must
    /// differ, and the stride of its points in components, at least 4. Returns the order; `None`
    /// after recording `GL_INVALID_VALUE`. GL 2.1 section 5.1.
    pub(crate) fn check_map_order(
        &mut self,
        order: i32,
        [first, last]: [f32; 2],
        stride: i32,
    ) -> Option<usize> {
        const MOST: i32 = 64;
        let most = driver_state::integer(driver::constants::MAX_EVAL_ORDER).min(MOST);
        if first == last || stride < 4 || !(1..=most).contains(&order) {
            self.record_error(INVALID_VALUE);
            return None;
        }
        usize::try_from(order).ok()
    }

    /// Reads the enabled maps, the grid and the values of the attributes that they replace, before
    /// primitives begin, so that this library evaluates until `End`. Does nothing if the driver
    /// executes all evaluators: no numbered map is enabled and no vertex program of this library,
    /// the vertex target is disabled, or no map is enabled; nor between `Begin` and `End`.
    pub(crate) fn begin_evaluation(&mut self) {
        let vertex = self.target_state(Target::Vertex);
        let has_numbered = self.maps.iter().any(|it| it.enabled_mask != 0);
        let evaluates_here =
            vertex.program.string_serial() != 0 && !vertex.program.contents().is_driver_program;
        if !self.has_maps
            || self.is_inside_begin_end
            || !vertex.enabled
            || !mixed_pipeline::processes_vertices(self)
            || !(has_numbered || evaluates_here)
        {
            return;
        }
        let maps = [0, 1].map(|dimension| self.enabled_maps(dimension));
        if maps.iter().all(Vec::is_empty) {
            return;
        }
        let mut changed: Vec<u32> = maps.iter().flatten().map(|(number, _)| *number).collect();
        changed.push(2);
        changed.sort_unstable();
        changed.dedup();
        let saved = changed.into_iter().filter(|&number| number != 0);
        self.evaluation = Some(Box::new(EvaluationState {
            maps,
            is_auto_normal: driver_state::is_enabled(AUTO_NORMAL),
            grid: MapGrid::query(),
            saved_attributes: saved
                .map(|number| (number, driver_state::current_attribute(number, 0x8626)))
                .collect(),
        }));
    }

    /// Returns the enabled maps of a dimension (0 for `Map1`) by number of attribute, in descending
    /// order. Maps of conventional attributes, which are queried from the driver, are included only
    /// where the numbered attribute has none.
    fn enabled_maps(&self, dimension: usize) -> Vec<(u32, EvaluatorMap)> {
        let numbered = &self.maps[dimension];
        let mut maps: Vec<(u32, EvaluatorMap)> = (0..ATTRIBUTES)
            .filter(|n| numbered.enabled_mask & 1 << n != 0)
            .map(|n| (n, numbered.maps[n as usize].clone()))
            .collect();
        let first = MAP1_COLOR_4 + TWO_DIMENSIONAL_OFFSET * dimension as u32;
        for (number, offset, components) in CONVENTIONAL_MAPS {
            let target = first + offset;
            let is_new = maps.iter().all(|(known, _)| *known != number);
            if is_new && driver_state::is_enabled(target) {
                maps.push((
                    number,
                    query_conventional_map(target, dimension, components),
                ));
            }
        }
        maps.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        maps
    }

    /// Returns the attributes of a vertex at domain coordinates, in the order in which they are
    /// sent, position last; an empty list if no map of positions is enabled, so that there is no
    /// vertex. `None` if the driver evaluates. With `AUTO_NORMAL`, the normal of a two-dimensional
    /// map replaces the map of normals.
    pub(crate) fn evaluate(
        &self,
        dimension: usize,
        position: [f32; 2],
    ) -> Option<Vec<(u32, [f32; 4])>> {
        let evaluation = self.evaluation.as_ref()?;
        let maps = &evaluation.maps[dimension];
        let Some((_, surface)) = maps.last().filter(|(number, _)| *number == 0) else {
            return Some(Vec::new());
        };
        let is_auto_normal = dimension == 1 && evaluation.is_auto_normal;
        let normal = is_auto_normal.then(|| (2, surface.normal(position)));
        let sent = maps
            .iter()
            .filter(|(number, _)| *number != 2 || !is_auto_normal);
        let values =
            sent.map(|(number, map)| (*number, map.evaluate(position)[0].map(|it| it as f32)));
        Some(normal.into_iter().chain(values).collect())
    }

    /// Returns true if this library evaluates for primitives that begin now; false between `Begin`
    /// and `End`. No evaluation is in progress afterwards.
    pub(crate) fn will_evaluate(&mut self) -> bool {
        if self.is_inside_begin_end {
            return false;
        }
        self.begin_evaluation();
        self.evaluation.take().is_some()
    }

    /// Returns the grid of the current evaluation; `None` if the driver evaluates.
    pub(crate) fn active_grid(&self) -> Option<MapGrid> {
        self.evaluation.as_ref().map(|it| it.grid)
    }

    /// Updates the saved value of an attribute that the application sets between `Begin` and `End`,
    /// so that [`end_evaluation`](Self::end_evaluation) returns the new one. Does nothing if no
    /// evaluation in progress replaces the attribute.
    pub(crate) fn update_saved_attribute(&mut self, number: u32, value: [f32; 4]) {
        let evaluation = self.evaluation.as_mut();
        let saved =
            evaluation.and_then(|it| it.saved_attributes.iter_mut().find(|it| it.0 == number));
        if let Some((_, saved)) = saved {
            *saved = value;
        }
    }

    /// Ends evaluation after primitives. Returns the attributes with their previous values, which
    /// the caller sets; none while a list is compiled, which does not restore attributes, or if the
    /// driver evaluates.
    pub(crate) fn end_evaluation(&mut self) -> Vec<(u32, [f32; 4])> {
        let ended = self.evaluation.take();
        let ended = ended.filter(|_| self.recording.is_none());
        ended.map_or(Vec::new(), |it| it.saved_attributes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(order: [usize; 2], points: &[[f32; 4]]) -> EvaluatorMap {
        EvaluatorMap {
            order,
            domain: [0.0, 2.0, 0.0, 1.0],
            control_points: points.to_vec(),
        }
    }

    /// Tests points at 1 and 3: a line, at 0 to 2 from end to end. A third one bends it:
    /// `1/4 + 2/4 + 4/4`.
    #[test]
    fn curves_start_and_end_in_their_points() {
        let line = map([2, 1], &[[1.0, 0.0, 0.0, 1.0], [3.0, 0.0, 0.0, 1.0]]);
        let at = |u: f32| line.evaluate([u, 0.0])[0][0];
        assert_eq!([at(0.0), at(0.5), at(2.0)], [1.0, 1.5, 3.0]);
        assert_eq!(line.evaluate([0.5, 0.0])[1][0], 1.0);
        let curve = map([3, 1], &[[1.0; 4], [1.0; 4], [4.0; 4]]);
        assert_eq!(curve.evaluate([1.0, 0.0])[0], [1.75; 4]);
    }

    /// Tests the plane (u, v, 0): a domain twice as long in u makes the first derivative half as
    /// long.
    #[test]
    fn normals_stand_on_surfaces() {
        let points = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
        let plane = map([2, 2], &points.map(|[x, y]| [x, y, 0.0, 1.0]));
        assert_eq!(plane.evaluate([0.5, 0.5])[0], [0.25, 0.5, 0.0, 1.0]);
        assert_eq!(plane.normal([0.5, 0.5]), [0.0, 0.0, 0.5, 1.0]);
        let nearer = map([2, 2], &points.map(|[x, y]| [x, y, 0.0, 2.0]));
        assert_eq!(nearer.normal([0.5, 0.5]), [0.0, 0.0, 0.125, 1.0]);
    }

    #[test]
    fn grids_end_where_their_domain_ends() {
        let axis = ([0.25, 1.25], 4);
        assert_eq!(
            [0, 1, 4, 8].map(|number| grid_coordinate(axis, number)),
            [0.25, 0.5, 1.25, 2.25]
        );
    }

    #[test]
    fn maps_have_a_dimension_and_an_attribute() {
        assert_eq!(
            [0x865F, 0x8660, 0x866F, 0x8670, 0x867F, 0x8680].map(numbered_map_target),
            [
                None,
                Some((0, 0)),
                Some((0, 15)),
                Some((1, 0)),
                Some((1, 15)),
                None
            ]
        );
    }
}
