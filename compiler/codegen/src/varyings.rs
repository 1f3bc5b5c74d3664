//! Locations of varyings: the values that one stage passes to the next.
//!
//! Every varying is a vector of four floats; integers are passed as bits. Stages that are compiled
//! separately use a fixed table:
//!
//! | semantic | location |
//! |---|---|
//! | `Color(0..=1)` | 0, 1 |
//! | `BackColor(0..=1)` | 2, 3 |
//! | `FogCoord`, `FogCoordVec4` | 4 |
//! | `TexCoord(0..=7)` | 5 to 12 |
//! | `GenericVarying(0..=14)` | 13 to 27 |
//! | `GenericVarying(15..=27)` | 3, 2, 4, 12 down to 5, 1, 0, instead of the conventional ones |
//! | `GenericVarying(28..=31)` | 28 to 31 |
//! | `FlatColor(0..=1)`, `FlatBackColor(0..=1)` | 27, 26, 25, 24, instead of generic ones |
//! | `LineStippleStart` | 23, instead of a generic one |
//! | `ClipVertex` | 12, if the program writes nothing else there |
//! | `GenericVarying(32..)` | 31 down to 0, repeatedly, instead of others |
//! | `VertexId` | 3, if the program writes nothing else there |
//! | `GenericPatchVarying(0..=27)` | 27 down to 0 |
//! | `GenericPatchVarying(28..)` | 28 to 31, then from 0 on, again and again |
//!
//! Devices with the minimum of 128 output components also count position, point size, clip
//! distances, layer and viewport, up to 15 components, against that limit; the varyings of the
//! table below location 28 fit together with all of them. Generic varyings above 27 do not, and
//! number 31 does not even fit together with a position. A program that uses two varyings of one
//! location is rejected.
//!
//! Stages that are compiled together can instead assign locations only to the varyings that are
//! passed between them: [`Varyings::pack`].

use crate::error::{Error, Failure};
use crate::options::{Capture, Options};
use glasm_ir::arena::Id;
use glasm_ir::{BaseType, Program, Semantic, Stage, Storage};
use spirv::BuiltIn;

/// Number of locations of the fixed table.
// The minimum of 128 components (`maxVertexOutputComponents`) is 32 vectors.
pub const VARYING_LOCATIONS: u32 = 32;

/// First location that does not fit together with every built-in output on devices with 128
/// components.
// 28 vectors are 112 components. Of the remaining 16, position requires 4, point size 1, clip and
// cull distances 8, layer and viewport 2.
pub(crate) const GUARANTEED_LOCATIONS: u32 = 28;

/// Locations of the generic varyings that share a location with conventional ones, rarely used
/// locations first.
const SHARED_LOCATIONS: [u32; 13] = [3, 2, 4, 12, 11, 10, 9, 8, 7, 6, 5, 1, 0];

/// Location of the vertex number, which geometry and tessellation programs may read: the location
/// of the least used varying.
const VERTEX_ID_LOCATION: u32 = 3;

/// Returns the location of a varying in the fixed table. Generic varyings beyond the table wrap
/// around, so that several varyings may share a location. Returns `None` if the semantic is not a
/// varying or its number is too large.
#[expect(
    clippy::too_many_lines,
    reason = "a table with an arm for each semantic"
)]
pub fn varying_location(semantic: Semantic) -> Option<u32> {
    let (first, number, count) = match semantic {
        Semantic::Color(n) => (0, n, 2),
        Semantic::BackColor(n) => (2, n, 2),
        // From 27 down, because generic varyings are numbered from 13 up: the two ranges meet last.
        Semantic::FlatColor(n) if n < 2 => (27 - u32::from(n), 0, 1),
        Semantic::FlatBackColor(n) if n < 2 => (25 - u32::from(n), 0, 1),
        Semantic::LineStippleStart => (23, 0, 1),
        Semantic::ClipVertex => (12, 0, 1),
        Semantic::FogCoord | Semantic::FogCoordVec4 => (4, 0, 1),
        Semantic::TexCoord(n) => (5, n, 8),
        Semantic::GenericVarying(n @ 15..=27) => (SHARED_LOCATIONS[usize::from(n) - 15], 0, 1),
        Semantic::GenericVarying(n @ 28..=31) => (u32::from(n), 0, 1),
        // Numbers beyond the table wrap around, starting at the end that few programs use.
        Semantic::GenericVarying(n @ 32..) => (31 - u32::from(n) % 32, 0, 1),
        Semantic::GenericVarying(n) => (13, n, 15),
        Semantic::VertexId => (VERTEX_ID_LOCATION, 0, 1),
        // Varyings of patches and of vertices must not share a location within a module; the first
        // patch varyings use the locations that vertices rarely use.
        Semantic::GenericPatchVarying(n @ 0..=27) => (27 - u32::from(n), 0, 1),
        Semantic::GenericPatchVarying(n) => (u32::from(n) % 32, 0, 1),
        Semantic::VertexAttribute(_)
        | Semantic::FlatColor(_)
        | Semantic::FlatBackColor(_)
        | Semantic::Position
        | Semantic::PointSize
        | Semantic::ClipDistance(_)
        | Semantic::CullDistance(_)
        | Semantic::Layer
        | Semantic::ViewportIndex
        | Semantic::ViewportMask
        | Semantic::SecondaryPosition
        | Semantic::SecondaryViewportMask
        | Semantic::FullyCovered
        | Semantic::PrimitiveId
        | Semantic::InstanceId
        | Semantic::BaseVertex
        | Semantic::BaseInstance
        | Semantic::DrawId
        | Semantic::InvocationId
        | Semantic::InputVertexCount
        | Semantic::TessCoord
        | Semantic::TessLevelOuter(_)
        | Semantic::TessLevelInner(_)
        | Semantic::FaceSign
        | Semantic::PointCoord
        | Semantic::SampleId
        | Semantic::SamplePosition
        | Semantic::SampleMask
        | Semantic::HelperInvocation
        | Semantic::FragColor { .. }
        | Semantic::FragDepth
        | Semantic::FragStencil
        | Semantic::WorkgroupId
        | Semantic::WorkgroupCount
        | Semantic::WorkgroupSize
        | Semantic::LocalInvocationId
        | Semantic::GlobalInvocationId
        | Semantic::LocalInvocationIndex
        | Semantic::ThreadId
        | Semantic::ThreadEqMask
        | Semantic::ThreadLtMask
        | Semantic::ThreadLeMask
        | Semantic::ThreadGtMask
        | Semantic::ThreadGeMask
        | Semantic::SubgroupSize
        | Semantic::SubgroupInvocation
        | Semantic::SubgroupEqMask
        | Semantic::SubgroupGeMask
        | Semantic::SubgroupGtMask
        | Semantic::SubgroupLeMask
        | Semantic::SubgroupLtMask
        | Semantic::WarpId
        | Semantic::SmId => return None,
    };
    (number < count).then(|| first + u32::from(number))
}

/// Returns the varying at a location of the fixed table; the first one if several share it. `None`
/// beyond the table.
pub(crate) fn semantic_at_location(location: u32) -> Option<Semantic> {
    let number = u8::try_from(location).ok()?;
    Some(match number {
        0..=1 => Semantic::Color(number),
        2..=3 => Semantic::BackColor(number - 2),
        // `FogCoord` is the first component of the same location.
        4 => Semantic::FogCoordVec4,
        5..=12 => Semantic::TexCoord(number - 5),
        13..=27 => Semantic::GenericVarying(number - 13),
        28..=31 => Semantic::GenericVarying(number),
        _ => return None,
    })
}

/// Returns true if a stage may pass an output to a linked stage that reads it. The second position
/// of a vertex has no location in the fixed table, because the last stage before rasterization has
/// another use for it.
fn is_passed(semantic: Semantic) -> bool {
    let is_generic = matches!(
        semantic,
        Semantic::GenericVarying(_) | Semantic::GenericPatchVarying(_)
    );
    is_generic || varying_location(semantic).is_some() || semantic == Semantic::SecondaryPosition
}

/// Location, type and semantic of a varying between a program and a module of another compiler.
/// Without such modules every varying is a vector of four floats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct VaryingLocation {
    /// Semantic in the program.
    pub semantic: Semantic,
    /// Location.
    pub location: u32,
    /// First component at the location.
    pub first_component: u8,
    /// Type of the components.
    pub base_type: BaseType,
    /// Number of components.
    pub component_count: u8,
}

impl VaryingLocation {
    /// Returns a varying that occupies all four components of a location.
    pub const fn vector(semantic: Semantic, location: u32, base: BaseType) -> Self {
        Self {
            semantic,
            location,
            first_component: 0,
            base_type: base,
            component_count: 4,
        }
    }

    /// Returns true if two varyings have a component of a location in common.
    fn overlaps(&self, other: &Self) -> bool {
        // The values come from the caller: component and count may be arbitrary.
        let end = |varying: &Self| {
            varying
                .first_component
                .saturating_add(varying.component_count)
        };
        self.location == other.location
            && self.first_component < end(other)
            && other.first_component < end(self)
    }
}

/// Assignment of locations to the varyings between two stages.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Varyings {
    /// Fixed table.
    #[default]
    FixedTable,
    /// Fixed table, with the outputs at each location whose bit is set and that the program does
    /// not write set to (0, 0, 0, 1): any program that reads no other varyings may follow, as GL
    /// combines any vertex program with any fragment program. In Vulkan an input without a matching
    /// output is an error, also between pipeline libraries and shader objects. For inputs the same
    /// as [`FixedTable`](Self::FixedTable).
    ///
    /// Each such location costs a store. [`Varyings::CONVENTIONAL`] and [`Varyings::GUARANTEED`]
    /// are sets of locations.
    AllLocations(u32),
    /// Index in this list. Varyings that are not in the list are not passed: outputs are not
    /// stored, inputs are (0, 0, 0, 1).
    Packed(Vec<Semantic>),
    /// Locations of the other stage, which is a module of another compiler. Varyings that are not
    /// in the list are not passed.
    Explicit(Vec<VaryingLocation>),
}

impl Varyings {
    /// Locations of colors, back colors, fog and texture coordinates.
    // Four colors, the fog coordinate and eight texture coordinates are locations 0 to 12.
    pub const CONVENTIONAL: u32 = (1 << 13) - 1;

    /// Locations that fit together with all built-in outputs on every device.
    pub const GUARANTEED: u32 = (1 << GUARANTEED_LOCATIONS) - 1;

    /// Returns the location of a varying, or `None` if the semantic is not a varying or is not
    /// passed.
    pub fn location(&self, semantic: Semantic) -> Option<u32> {
        self.find_varying(semantic).map(|varying| varying.location)
    }

    /// Returns location, components and type of a varying, or `None` if it is not passed between
    /// the stages. Only explicit lists specify components and types; other varyings are vectors of
    /// four floats.
    pub(crate) fn find_varying(&self, semantic: Semantic) -> Option<VaryingLocation> {
        let location = match self {
            Self::FixedTable | Self::AllLocations(_) => varying_location(semantic)?,
            Self::Packed(list) => {
                let position = list.iter().position(|listed| *listed == semantic);
                position? as u32
            }
            Self::Explicit(list) => {
                let mut list = list.iter();
                return list.find(|varying| varying.semantic == semantic).copied();
            }
        };
        Some(VaryingLocation::vector(semantic, location, BaseType::Float))
    }

    /// Returns an error if a varying needs components of a location that one of `others` occupies.
    pub(crate) fn check_no_overlap(
        &self,
        semantic: Semantic,
        mut others: impl Iterator<Item = Semantic>,
    ) -> Result<(), Failure> {
        match others.find(|other| self.are_overlapping(*other, semantic)) {
            Some(other) => Err(Error::unsupported(format!(
                "{other:?} and {semantic:?} need the same location unless their programs are linked"
            ))),
            None => Ok(()),
        }
    }

    /// Returns true if two varyings need the same components of a location, false if one of them is
    /// not passed.
    fn are_overlapping(&self, one: Semantic, other: Semantic) -> bool {
        match (self.find_varying(one), self.find_varying(other)) {
            (Some(one), Some(other)) => one.overlaps(&other),
            (None, _) | (_, None) => false,
        }
    }

    /// Returns the number of locations that varyings may occupy, from 0 on.
    pub(crate) fn location_count(&self) -> u32 {
        match self {
            Self::FixedTable | Self::AllLocations(_) => VARYING_LOCATIONS,
            Self::Packed(list) => list.len() as u32,
            Self::Explicit(list) => {
                let last = list.iter().map(|varying| varying.location).max();
                last.map_or(0, |last| last.saturating_add(1))
            }
        }
    }

    /// Returns the locations of the outputs of a program and of the outputs that state adds,
    /// unsorted and possibly with duplicates. Outputs without a location are omitted.
    pub(crate) fn used_locations(&self, program: &Program, options: &Options) -> Vec<u32> {
        let outputs = program.outputs.iter();
        let mut semantics: Vec<_> = outputs.map(|output| output.semantic).collect();
        add_state_varyings(&mut semantics, program, options);
        let locations = semantics.into_iter();
        locations
            .filter_map(|semantic| self.location(semantic))
            .collect()
    }

    /// Returns true if an output is omitted because no stage reads it.
    pub(crate) fn omits(&self, semantic: Semantic) -> bool {
        varying_location(semantic).is_some() && self.location(semantic).is_none()
    }

    /// Assigns locations to the varyings that `from` writes and `to` reads, and to the outputs of
    /// `from` that transform feedback captures in their own variables, according to the options of
    /// `from`. Single components that are captured have separate variables.
    ///
    /// With two-sided colors (`GL_VERTEX_PROGRAM_TWO_SIDE`) a program that reads a color may read
    /// the back color. Varyings that the forms of state add are for fragment programs.
    pub fn pack(from: &Program, to: &Program, options: &Options) -> Self {
        let captured = &options.transform_feedback;
        let reads = |semantic| {
            // A fragment program names the color; the face selects the front or the back color.
            let front = if let Semantic::BackColor(number) = semantic {
                Semantic::Color(number)
            } else {
                semantic
            };
            let mut inputs = to.inputs.iter();
            inputs.any(|input| input.semantic == semantic || input.semantic == front)
        };
        let captures = |semantic| {
            let mut captures = captured.captures.iter();
            captures.any(|capture| capture.semantic == semantic && captures_vector(capture))
        };
        let all = from.outputs.iter().map(|output| output.semantic);
        let mut list: Vec<Semantic> = all
            .filter(|semantic| is_passed(*semantic))
            .filter(|semantic| reads(*semantic) || captures(*semantic))
            .collect();
        // Locations must not depend on the order in which either program declares its varyings.
        if to.stage == Stage::Fragment {
            add_state_varyings(&mut list, from, options);
        }
        list.sort_unstable();
        list.dedup();
        if from.stage != Stage::Geometry {
            return Self::Packed(list);
        }
        // The components of all vertices count against the limit, and the size of the outputs
        // limits how many vertices a program can declare.
        let make_varying = |(location, semantic)| VaryingLocation {
            component_count: if captures(semantic) {
                // A capture of the variable itself takes the whole vector: `captures_vector`.
                4
            } else {
                count_written_components(from, semantic)
            },
            ..VaryingLocation::vector(semantic, location, BaseType::Float)
        };
        Self::Explicit((0..).zip(list).map(make_varying).collect())
    }
}

/// Appends the varyings that modules need in addition to choose state at run time: flat copies of
/// the colors in `list`, and the start of a line for stipples if `from` writes a position.
pub(crate) fn add_state_varyings(list: &mut Vec<Semantic>, from: &Program, options: &Options) {
    if !options.state_sources.flat_colors.is_fixed() {
        list.extend(list.clone().into_iter().filter_map(flat_color_copy));
    }
    let mut outputs = from.outputs.iter();
    let has_position = outputs.any(|output| output.semantic == Semantic::Position);
    if has_position && options.stipples_lines() {
        list.push(Semantic::LineStippleStart);
    }
}

/// Returns the semantic of the second, not interpolated output of a color, or `None` if the
/// semantic is not a color.
pub(crate) const fn flat_color_copy(semantic: Semantic) -> Option<Semantic> {
    if let Semantic::Color(number) = semantic {
        Some(Semantic::FlatColor(number))
    } else if let Semantic::BackColor(number) = semantic {
        Some(Semantic::FlatBackColor(number))
    } else {
        None
    }
}

/// Returns the number of components of an output that a program writes or passes through, up to the
/// last written one, at least 1. A flat copy has the components of its color, and the start of a
/// line has two.
fn count_written_components(program: &Program, semantic: Semantic) -> u8 {
    // A window position: x and y.
    if semantic == Semantic::LineStippleStart {
        return 2;
    }
    let semantic = if let Semantic::FlatColor(number) = semantic {
        Semantic::Color(number)
    } else if let Semantic::FlatBackColor(number) = semantic {
        Semantic::BackColor(number)
    } else {
        semantic
    };
    let mut lanes = 0;
    for output in &program.outputs {
        if output.semantic == semantic {
            // Outputs that are passed through per vertex are written, too, but by no instruction.
            lanes |= output.passthrough.0;
        }
    }
    for inst in &program.insts {
        let Some(dst) = inst.dst else { continue };
        let register = program.registers[dst.register];
        let Storage::Output(first) = register.storage else {
            continue;
        };
        let len = register.element_count() as usize;
        let mut outputs = program.outputs.iter().skip(first.index()).take(len);
        if outputs.any(|output| output.semantic == semantic) {
            lanes |= dst.mask.0;
        }
    }
    // A variable includes its first components, also unwritten ones below the last written one. 8
    // less the leading zeros of a byte is the number of its highest bit, counted from 1; masks have
    // four bits. A variable has at least one component.
    (8 - lanes.leading_zeros() as u8).max(1)
}

/// Returns the lanes of an output that the end of the program reads, as a mask: z for depth, y for
/// the stencil reference, x for other scalars, else all.
pub(crate) fn written_lanes(semantic: Semantic) -> u8 {
    let is_scalar = matches!(
        semantic,
        Semantic::PointSize
            | Semantic::ClipDistance(_)
            | Semantic::CullDistance(_)
            | Semantic::Layer
            | Semantic::ViewportIndex
            | Semantic::ViewportMask
            | Semantic::SecondaryPosition
            | Semantic::SecondaryViewportMask
            | Semantic::PrimitiveId
            | Semantic::VertexId
            | Semantic::TessLevelOuter(_)
            | Semantic::TessLevelInner(_)
            | Semantic::SampleMask
    );
    // The depth is the z component of its result: ARB_fragment_program section 3.11.3.4. The
    // stencil reference of TGSI is y.
    if semantic == Semantic::FragDepth {
        0b0100
    } else if semantic == Semantic::FragStencil {
        0b0010
    } else if is_scalar {
        0b0001
    } else {
        0b1111
    }
}

/// Built-in arrays of distances per vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DistanceKind {
    /// Distances from clip planes.
    Clip,
    /// Distances from cull planes: a primitive is dropped if all its vertices have a negative
    /// distance.
    Cull,
}

impl DistanceKind {
    /// Returns the array that contains a semantic and the index in that array, or `None` for other
    /// semantics.
    pub(crate) const fn from_semantic(semantic: Semantic) -> Option<(Self, u32)> {
        if let Semantic::ClipDistance(plane) = semantic {
            Some((Self::Clip, plane as u32))
        } else if let Semantic::CullDistance(plane) = semantic {
            Some((Self::Cull, plane as u32))
        } else {
            None
        }
    }

    /// Returns the array for a built-in, or `None` for other built-ins.
    pub(crate) fn from_builtin(builtin: BuiltIn) -> Option<Self> {
        let mut all = [Self::Clip, Self::Cull].into_iter();
        all.find(|distances| distances.builtin() == builtin)
    }

    /// Returns the SPIR-V built-in that holds the distances.
    pub(crate) const fn builtin(self) -> BuiltIn {
        match self {
            Self::Clip => BuiltIn::ClipDistance,
            Self::Cull => BuiltIn::CullDistance,
        }
    }

    /// Returns the number of elements of the array for these semantics, at least 1.
    pub(crate) fn len(self, semantics: impl Iterator<Item = Semantic>) -> u32 {
        let planes = semantics.filter_map(|semantic| match Self::from_semantic(semantic) {
            // An array extends to its last plane, including unused planes before it.
            Some((distances, plane)) if distances == self => Some(plane + 1),
            Some(_) | None => None,
        });
        planes.max().unwrap_or(1)
    }
}

/// Returns true if a capture has all four components of a vector.
pub(crate) const fn captures_vector(capture: &Capture) -> bool {
    capture.first_component == 0 && capture.component_count == 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_varyings_have_locations_of_their_own() {
        let mut locations: Vec<_> = (0..32)
            .filter_map(|n| varying_location(Semantic::GenericVarying(n)))
            .collect();
        locations.sort_unstable();
        assert_eq!(locations, (0..VARYING_LOCATIONS).collect::<Vec<_>>());
        let beyond: Vec<_> = (32..=u8::MAX)
            .filter_map(|n| varying_location(Semantic::GenericVarying(n)))
            .collect();
        assert_eq!(
            beyond[..33],
            [&(0..32).rev().collect::<Vec<_>>()[..], &[31]].concat()
        );
        assert_eq!(beyond.len(), 224);
    }

    #[test]
    fn conventional_varyings_and_many_generic_ones_do_not_meet() {
        let generic = (0..15).map(Semantic::GenericVarying);
        let colors = (0..2).flat_map(|n| [Semantic::Color(n), Semantic::BackColor(n)]);
        let all = generic
            .chain(colors)
            .chain((0..8).map(Semantic::TexCoord))
            .chain([Semantic::FogCoord]);
        let mut locations: Vec<_> = all.filter_map(varying_location).collect();
        locations.sort_unstable();
        assert_eq!(locations, (0..GUARANTEED_LOCATIONS).collect::<Vec<_>>());
    }
}
