//! Locations of varyings: the values that one stage passes to the next.
//!
//! Every varying is a vector of four floats; integers are passed as bits. Stages that are compiled
//! separately use a fixed table:
//!
//! | semantic | location |
//! |---|---|
//! | `Color(0..=1)` | 0, 1 |
//! | `BackColor(0..=1)` | 2, 3 |
//! | `FogCoord`, `FogVector` | 4 |
//! | `TexCoord(0..=7)` | 5 to 12 |
//! | `Generic(0..=14)` | 13 to 27 |
//! | `Generic(15..=27)` | 3, 2, 4, 12 down to 5, 1, 0, instead of the conventional ones |
//! | `Generic(28..=31)` | 28 to 31 |
//! | `FlatColor(0..=1)`, `FlatBackColor(0..=1)` | 27, 26, 25, 24, instead of generic ones |
//! | `LineStart` | 23, instead of a generic one |
//! | `ClipVertex` | 12, if the program writes nothing else there |
//! | `Generic(32..)` | 31 down to 0, repeatedly, instead of others |
//! | `VertexId` | 3, if the program writes nothing else there |
//! | `PatchGeneric(0..=27)` | 27 down to 0 |
//! | `PatchGeneric(28..)` | 28 to 31, then from 0 on, again and again |
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
use glasm_ir::{Program, Semantic, Stage, Storage, TypeBase};
use spirv::BuiltIn;

/// Number of locations of the fixed table.
// The minimum of 128 components (`maxVertexOutputComponents`) is 32 vectors.
pub const VARYING_LOCATIONS: u32 = 32;

/// First location that does not fit together with every built-in output on devices with 128
/// components.
// 28 vectors are 112 components. Of the remaining 16, position requires 4, point size 1, clip and
// cull distances 8, layer and viewport 2.
pub(crate) const UNDISPUTED_LOCATIONS: u32 = 28;

/// Locations of the generic varyings that share a location with conventional ones, rarely used
/// locations first.
const SHARED: [u32; 13] = [3, 2, 4, 12, 11, 10, 9, 8, 7, 6, 5, 1, 0];

/// Location of the vertex number, which geometry and tessellation programs may read: the location
/// of the least used varying.
const NUMBER_LOCATION: u32 = 3;

/// Returns the location of a varying in the fixed table, or `None` if the semantic is not a
/// varying.
#[expect(clippy::too_many_lines, reason = "a table of all semantics")]
pub fn varying_location(semantic: Semantic) -> Option<u32> {
    let (first, number, count) = match semantic {
        Semantic::Color(n) => (0, n, 2),
        Semantic::BackColor(n) => (2, n, 2),
        // From 27 down, because generic varyings are numbered from 13 up: the two ranges meet last.
        Semantic::FlatColor(n) if n < 2 => (27 - u32::from(n), 0, 1),
        Semantic::FlatBackColor(n) if n < 2 => (25 - u32::from(n), 0, 1),
        Semantic::LineStart => (23, 0, 1),
        Semantic::ClipVertex => (12, 0, 1),
        Semantic::FogCoord | Semantic::FogVector => (4, 0, 1),
        Semantic::TexCoord(n) => (5, n, 8),
        Semantic::Generic(n @ 15..=27) => (SHARED[usize::from(n) - 15], 0, 1),
        Semantic::Generic(n @ 28..=31) => (u32::from(n), 0, 1),
        // Numbers beyond the table wrap around, starting at the end that few programs use.
        Semantic::Generic(n @ 32..) => (31 - u32::from(n) % 32, 0, 1),
        Semantic::Generic(n) => (13, n, 15),
        Semantic::VertexId => (NUMBER_LOCATION, 0, 1),
        // Varyings of patches and of vertices must not share a location within a module; the first
        // patch varyings use the locations that vertices rarely use.
        Semantic::PatchGeneric(n @ 0..=27) => (27 - u32::from(n), 0, 1),
        Semantic::PatchGeneric(n) => (u32::from(n) % 32, 0, 1),
        Semantic::Attrib(_)
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
        | Semantic::VertexCount
        | Semantic::TessCoord
        | Semantic::TessOuter(_)
        | Semantic::TessInner(_)
        | Semantic::Facing
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

/// Returns the first varying at a location of the fixed table.
pub(crate) fn semantic_at(location: u32) -> Option<Semantic> {
    let number = u8::try_from(location).ok()?;
    Some(match number {
        0..=1 => Semantic::Color(number),
        2..=3 => Semantic::BackColor(number - 2),
        // `FogCoord` is the first component of the same location.
        4 => Semantic::FogVector,
        5..=12 => Semantic::TexCoord(number - 5),
        13..=27 => Semantic::Generic(number - 13),
        28..=31 => Semantic::Generic(number),
        _ => return None,
    })
}

/// Returns true if a stage may pass an output to a linked stage that reads it. The second position
/// of a vertex has no location in the fixed table, because the last stage before rasterization has
/// another use for it.
fn is_passed(semantic: Semantic) -> bool {
    let is_generic = matches!(semantic, Semantic::Generic(_) | Semantic::PatchGeneric(_));
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
pub struct Place {
    /// Semantic in the program.
    pub semantic: Semantic,
    /// Location.
    pub location: u32,
    /// First component at the location.
    pub component: u8,
    /// Type of the components.
    pub base: TypeBase,
    /// Number of components.
    pub components: u8,
}

impl Place {
    /// Returns a varying that occupies all four components of a location.
    pub const fn vector(semantic: Semantic, location: u32, base: TypeBase) -> Self {
        Self {
            semantic,
            location,
            component: 0,
            base,
            components: 4,
        }
    }

    /// Returns true if the two varyings have a component in common.
    fn meets(&self, other: &Self) -> bool {
        // The values come from the caller: component and count may be arbitrary.
        let end = |place: &Self| place.component.saturating_add(place.components);
        self.location == other.location
            && self.component < end(other)
            && other.component < end(self)
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
    Table,
    /// Fixed table, with the outputs at each location whose bit is set and that the program does
    /// not write set to (0, 0, 0, 1): any program that reads no other varyings may follow, as GL
    /// combines any vertex program with any fragment program. In Vulkan an input without a matching
    /// output is an error, also between pipeline libraries and shader objects. For inputs the same
    /// as [`Table`](Self::Table).
    ///
    /// Each such location costs a store. [`Varyings::CONVENTIONAL`] and [`Varyings::UNDISPUTED`]
    /// are sets of locations.
    Complete(u32),
    /// Index in this list. Varyings that are not in the list are not passed: outputs are not
    /// stored, inputs are (0, 0, 0, 1).
    Packed(Vec<Semantic>),
    /// Locations of the other stage, which is a module of another compiler. Varyings that are not
    /// in the list are not passed.
    Placed(Vec<Place>),
}

impl Varyings {
    /// Locations of colors, back colors, fog and texture coordinates.
    // Four colors, the fog coordinate and eight texture coordinates are locations 0 to 12.
    pub const CONVENTIONAL: u32 = (1 << 13) - 1;

    /// Locations that fit together with all built-in outputs on every device.
    pub const UNDISPUTED: u32 = (1 << UNDISPUTED_LOCATIONS) - 1;

    /// Returns the location of a varying, or `None` if the semantic is not a varying or is not
    /// passed.
    pub fn location(&self, semantic: Semantic) -> Option<u32> {
        self.place(semantic).map(|place| place.location)
    }

    /// Returns location, components and type of a varying, or `None` if it is not passed.
    pub(crate) fn place(&self, semantic: Semantic) -> Option<Place> {
        let location = match self {
            Self::Table | Self::Complete(_) => varying_location(semantic)?,
            Self::Packed(list) => {
                let place = list.iter().position(|listed| *listed == semantic);
                place? as u32
            }
            Self::Placed(list) => {
                let mut list = list.iter();
                return list.find(|place| place.semantic == semantic).copied();
            }
        };
        Some(Place::vector(semantic, location, TypeBase::Float))
    }

    /// Returns an error if a varying needs components of a location that another varying occupies.
    pub(crate) fn check_apart(
        &self,
        semantic: Semantic,
        mut others: impl Iterator<Item = Semantic>,
    ) -> Result<(), Failure> {
        match others.find(|other| self.meet(*other, semantic)) {
            Some(other) => Err(Error::unsupported(format!(
                "{other:?} and {semantic:?} need the same location unless their programs are linked"
            ))),
            None => Ok(()),
        }
    }

    /// Returns true if two varyings need the same components of a location.
    fn meet(&self, one: Semantic, other: Semantic) -> bool {
        match (self.place(one), self.place(other)) {
            (Some(one), Some(other)) => one.meets(&other),
            (None, _) | (_, None) => false,
        }
    }

    /// Returns the number of locations that varyings may occupy.
    pub(crate) fn len(&self) -> u32 {
        match self {
            Self::Table | Self::Complete(_) => VARYING_LOCATIONS,
            Self::Packed(list) => list.len() as u32,
            Self::Placed(list) => {
                let last = list.iter().map(|place| place.location).max();
                last.map_or(0, |last| last.saturating_add(1))
            }
        }
    }

    /// Returns the locations of the outputs of a program and of the outputs that state adds.
    pub(crate) fn locations_of(&self, program: &Program, options: &Options) -> Vec<u32> {
        let outputs = program.outputs.iter();
        let mut semantics: Vec<_> = outputs.map(|output| output.semantic).collect();
        add_state(&mut semantics, program, options);
        let locations = semantics.into_iter();
        locations.filter_map(|it| self.location(it)).collect()
    }

    /// Returns true if an output is omitted because no stage reads it.
    pub(crate) fn drops(&self, semantic: Semantic) -> bool {
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
            captures.any(|capture| capture.semantic == semantic && is_vector(capture))
        };
        let all = from.outputs.iter().map(|output| output.semantic);
        let mut list: Vec<Semantic> = all
            .filter(|semantic| is_passed(*semantic))
            .filter(|semantic| reads(*semantic) || captures(*semantic))
            .collect();
        // Locations must not depend on the order in which either program declares its varyings.
        if to.stage == Stage::Fragment {
            add_state(&mut list, from, options);
        }
        list.sort_unstable();
        list.dedup();
        if from.stage != Stage::Geometry {
            return Self::Packed(list);
        }
        // The components of all vertices count against the limit, and the size of the outputs
        // limits how many vertices a program can declare.
        let place = |(location, semantic)| Place {
            components: if captures(semantic) {
                // A capture of the variable itself takes the whole vector: `is_vector`.
                4
            } else {
                components(from, semantic)
            },
            ..Place::vector(semantic, location, TypeBase::Float)
        };
        Self::Placed((0..).zip(list).map(place).collect())
    }
}

/// Adds the varyings that modules need in addition to choose state at run time.
pub(crate) fn add_state(list: &mut Vec<Semantic>, from: &Program, options: &Options) {
    if !options.forms.flat_colors.is_fixed() {
        list.extend(list.clone().into_iter().filter_map(flat_copy));
    }
    let mut outputs = from.outputs.iter();
    let has_position = outputs.any(|output| output.semantic == Semantic::Position);
    if has_position && options.stipples_lines() {
        list.push(Semantic::LineStart);
    }
}

/// Returns the semantic of the second, not interpolated output of a color, or `None` if the
/// semantic is not a color.
pub(crate) const fn flat_copy(semantic: Semantic) -> Option<Semantic> {
    if let Semantic::Color(number) = semantic {
        Some(Semantic::FlatColor(number))
    } else if let Semantic::BackColor(number) = semantic {
        Some(Semantic::FlatBackColor(number))
    } else {
        None
    }
}

/// Returns the number of components of an output that a program writes, up to the last written one.
fn components(program: &Program, semantic: Semantic) -> u8 {
    // A window position: x and y.
    if semantic == Semantic::LineStart {
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
        let len = register.elements() as usize;
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

/// Returns the lanes of an output that the end of the program reads.
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
            | Semantic::TessOuter(_)
            | Semantic::TessInner(_)
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
pub(crate) enum Distances {
    /// Distances from clip planes.
    Clip,
    /// Distances from cull planes: a primitive is dropped if all its vertices have a negative
    /// distance.
    Cull,
}

impl Distances {
    /// Returns the array that contains a semantic and the index in that array, or `None` for other
    /// semantics.
    pub(crate) const fn of(semantic: Semantic) -> Option<(Self, u32)> {
        if let Semantic::ClipDistance(plane) = semantic {
            Some((Self::Clip, plane as u32))
        } else if let Semantic::CullDistance(plane) = semantic {
            Some((Self::Cull, plane as u32))
        } else {
            None
        }
    }

    /// Returns the array for a built-in, or `None` for other built-ins.
    pub(crate) fn of_builtin(builtin: BuiltIn) -> Option<Self> {
        let mut all = [Self::Clip, Self::Cull].into_iter();
        all.find(|distances| distances.builtin() == builtin)
    }

    pub(crate) const fn builtin(self) -> BuiltIn {
        match self {
            Self::Clip => BuiltIn::ClipDistance,
            Self::Cull => BuiltIn::CullDistance,
        }
    }

    /// Returns the number of elements of the array for these semantics, at least 1.
    pub(crate) fn len(self, semantics: impl Iterator<Item = Semantic>) -> u32 {
        let planes = semantics.filter_map(|semantic| match Self::of(semantic) {
            // An array extends to its last plane, including unused planes before it.
            Some((distances, plane)) if distances == self => Some(plane + 1),
            Some(_) | None => None,
        });
        planes.max().unwrap_or(1)
    }
}

/// Returns true if a capture takes all components of a vector.
pub(crate) const fn is_vector(capture: &Capture) -> bool {
    capture.first == 0 && capture.count == 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_varyings_have_locations_of_their_own() {
        let mut locations: Vec<_> = (0..32)
            .filter_map(|n| varying_location(Semantic::Generic(n)))
            .collect();
        locations.sort_unstable();
        assert_eq!(locations, (0..VARYING_LOCATIONS).collect::<Vec<_>>());
        let beyond: Vec<_> = (32..=u8::MAX)
            .filter_map(|n| varying_location(Semantic::Generic(n)))
            .collect();
        assert_eq!(
            beyond[..33],
            [&(0..32).rev().collect::<Vec<_>>()[..], &[31]].concat()
        );
        assert_eq!(beyond.len(), 224);
    }

    #[test]
    fn conventional_varyings_and_many_generic_ones_do_not_meet() {
        let generic = (0..15).map(Semantic::Generic);
        let colors = (0..2).flat_map(|n| [Semantic::Color(n), Semantic::BackColor(n)]);
        let all = generic
            .chain(colors)
            .chain((0..8).map(Semantic::TexCoord))
            .chain([Semantic::FogCoord]);
        let mut locations: Vec<_> = all.filter_map(varying_location).collect();
        locations.sort_unstable();
        assert_eq!(locations, (0..UNDISPUTED_LOCATIONS).collect::<Vec<_>>());
    }
}
