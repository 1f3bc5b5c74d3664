//! Locations of varyings: what travels from one stage to the next.
//!
//! Every varying is a vector of four floats; integers travel as bits. Stages that are compiled one by one meet in a fixed table:
//!
//! | semantic | location |
//! |---|---|
//! | `Color(0..=1)` | 0, 1 |
//! | `BackColor(0..=1)` | 2, 3 |
//! | `FogCoord` | 4 |
//! | `TexCoord(0..=7)` | 5 to 12 |
//! | `Generic(0..=14)` | 13 to 27 |
//! | `Generic(15..=27)` | 3, 2, 4, 12 down to 5, 1, 0, in place of the conventional ones |
//! | `Generic(28..=31)` | 28 to 31 |
//!
//! Devices with the usual 128 components of outputs count position, point size, clip distances, layer and viewport too, up to
//! 15 components; what the table has below location 28 goes with all of them. Generic varyings above 27 do not, and number 31
//! does not even go with a position. A program that uses two varyings of one location is refused.
//!
//! Stages that are compiled together can number just what passes between them instead: [`Varyings::pack`].

use crate::options::TransformFeedback;
use glasm_ir::{Program, Semantic, Stage};

/// Number of locations of the fixed table.
pub const VARYING_LOCATIONS: u32 = 32;

/// First location that does not go with every built-in output on devices with 128 components.
pub(crate) const UNDISPUTED_LOCATIONS: u32 = 28;

/// Locations of the generic varyings that share them with conventional ones: rarely used ones first.
const SHARED: [u32; 13] = [3, 2, 4, 12, 11, 10, 9, 8, 7, 6, 5, 1, 0];

/// The location of a varying in the fixed table, or `None` for what is no varying.
pub fn varying_location(semantic: Semantic) -> Option<u32> {
    let (first, number, count) = match semantic {
        Semantic::Color(n) => (0, n, 2),
        Semantic::BackColor(n) => (2, n, 2),
        Semantic::FogCoord => (4, 0, 1),
        Semantic::TexCoord(n) => (5, n, 8),
        Semantic::Generic(n @ 15..=27) => (SHARED[usize::from(n) - 15], 0, 1),
        Semantic::Generic(n @ 28..=31) => (u32::from(n), 0, 1),
        Semantic::Generic(n) => (13, n, 15),
        Semantic::Attrib(_)
        | Semantic::Position
        | Semantic::PointSize
        | Semantic::ClipDistance(_)
        | Semantic::Layer
        | Semantic::ViewportIndex
        | Semantic::ViewportMask
        | Semantic::SecondaryPosition
        | Semantic::SecondaryViewportMask
        | Semantic::FullyCovered
        | Semantic::PrimitiveId
        | Semantic::VertexId
        | Semantic::InstanceId
        | Semantic::BaseVertex
        | Semantic::BaseInstance
        | Semantic::DrawId
        | Semantic::Facing
        | Semantic::PointCoord
        | Semantic::SampleId
        | Semantic::SampleMask
        | Semantic::HelperInvocation
        | Semantic::FragColor { .. }
        | Semantic::FragDepth
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
        | Semantic::WarpId
        | Semantic::SmId => return None,
    };
    (number < count).then(|| first + u32::from(number))
}

/// Where the varyings between two stages are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Varyings {
    /// In the fixed table.
    #[default]
    Table,
    /// At the place in this list. What it does not have is not passed on: outputs are not stored, inputs of fragment programs are
    /// (0, 0, 0, 1).
    Packed(Vec<Semantic>),
}

impl Varyings {
    /// The location of a varying; `None` for what is no varying or is not passed on.
    pub fn location(&self, semantic: Semantic) -> Option<u32> {
        let fixed = varying_location(semantic)?;
        let Self::Packed(list) = self else {
            return Some(fixed);
        };
        let place = list.iter().position(|listed| *listed == semantic);
        place.map(|place| place as u32)
    }

    /// The locations of the outputs of a program.
    pub(crate) fn locations_of(&self, program: &Program) -> Vec<u32> {
        let outputs = program.outputs.iter();
        let locations = outputs.filter_map(|output| self.location(output.semantic));
        locations.collect()
    }

    /// Whether an output is left out because nothing reads it.
    pub(crate) fn drops(&self, semantic: Semantic) -> bool {
        varying_location(semantic).is_some() && self.location(semantic).is_none()
    }

    /// Numbers what `to` reads and `from` writes, and what transform feedback captures of the outputs of `from`.
    ///
    /// With two-sided colors (`GL_VERTEX_PROGRAM_TWO_SIDE`) a program that reads a color may read the back color.
    pub fn pack(from: &Program, to: &Program, captured: &TransformFeedback) -> Self {
        let reads = |semantic| {
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
            captures.any(|capture| capture.semantic == semantic)
        };
        // What is read and not written has a place in per-vertex arrays only; fragments have a constant instead.
        let all = from.outputs.iter().map(|output| output.semantic);
        let unwritten = to.inputs.iter().filter(|_| to.stage != Stage::Fragment);
        let all = all.chain(unwritten.map(|input| input.semantic));
        let mut list: Vec<Semantic> = all
            .filter(|semantic| varying_location(*semantic).is_some())
            .filter(|semantic| reads(*semantic) || captures(*semantic))
            .collect();
        // Locations must not depend on the order in which either program declares its varyings.
        list.sort_unstable();
        list.dedup();
        Self::Packed(list)
    }
}

/// Lanes of an output that the end of the program reads.
pub(crate) fn written_lanes(semantic: Semantic) -> u8 {
    let is_scalar = matches!(
        semantic,
        Semantic::PointSize
            | Semantic::ClipDistance(_)
            | Semantic::Layer
            | Semantic::ViewportIndex
            | Semantic::ViewportMask
            | Semantic::SecondaryPosition
            | Semantic::SecondaryViewportMask
            | Semantic::PrimitiveId
            | Semantic::VertexId
            | Semantic::SampleMask
    );
    // The depth is the z component of its result: ARB_fragment_program section 3.11.3.4.
    if semantic == Semantic::FragDepth {
        0b0100
    } else if is_scalar {
        0b0001
    } else {
        0b1111
    }
}

/// Number of elements of a variable of clip distances, which has at least one.
pub(crate) fn clip_planes(semantics: impl Iterator<Item = Semantic>) -> u32 {
    named_clip_planes(semantics).unwrap_or(1)
}

/// Number of clip planes that these semantics name, if there are any.
pub(crate) fn named_clip_planes(semantics: impl Iterator<Item = Semantic>) -> Option<u32> {
    let planes = semantics.filter_map(|semantic| {
        let Semantic::ClipDistance(plane) = semantic else {
            return None;
        };
        Some(u32::from(plane) + 1)
    });
    planes.max()
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
        assert_eq!(varying_location(Semantic::Generic(32)), None);
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
