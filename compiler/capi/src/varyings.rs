//! Locations of the varyings of programs that are compiled separately.

use crate::call::{Failure, run_or};
use crate::enums::read_number;
use crate::memory::{self, require};
use crate::reflection::GLASM_BUILT_IN;
use crate::semantic::{glasm_meaning, read_semantic};
use glasm::{Place, Varyings, varying_location};
use glasm_capi_macros::c_enum;

/// The locations of colors, back colors, fog and texture coordinates in the fixed table: for
/// `locations` of glasm_varyings.
pub const GLASM_LOCATIONS_CONVENTIONAL: u32 = 0x1fff;
/// The locations of the fixed table that go with all built-in outputs on every device.
pub const GLASM_LOCATIONS_UNDISPUTED: u32 = 0x0fff_ffff;

/// Assignment of locations to varyings.
#[c_enum]
#[repr(u32)]
pub enum glasm_varyings_kind {
    /// They are in the fixed table; `glasm_varying_location` reads it.
    Table = 0,
    /// Locations are those of the fixed table, and outputs are (0, 0, 0, 1) at each location of
    /// `locations` that the program does not write: any program may follow that reads no others, as
    /// GL binds any vertex program with any fragment program. In Vulkan an input without an output
    /// is an error, also between pipeline libraries and shader objects. For inputs the same as
    /// GLASM_VARYINGS_KIND_TABLE.
    Complete = 1,
    /// Each is at its index in the list, of which only the semantics are used. Varyings that are
    /// not in the list are dropped: outputs are not stored, inputs are (0, 0, 0, 1).
    Packed = 2,
    /// Locations are those of the other stage, which is a module of another compiler. Varyings that
    /// are not in the list are dropped.
    Placed = 3,
}

/// Location of a varying, and its semantic there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_place {
    /// Its semantic in the program.
    pub meaning: glasm_meaning,
    /// Its location.
    pub location: u32,
    /// Its first component there, below 4.
    pub component: u32,
    /// Its type: a glasm_type_base.
    pub base: u32,
    /// Number of components, 1 to 4.
    pub components: u32,
}

/// Locations of the varyings between two stages.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_varyings {
    /// A glasm_varyings_kind, which selects the other members that are used.
    pub kind: u32,
    /// Bit n: location n, for GLASM_VARYINGS_KIND_COMPLETE; see GLASM_LOCATIONS_CONVENTIONAL.
    pub locations: u32,
    /// Varyings, for GLASM_VARYINGS_KIND_PACKED and GLASM_VARYINGS_KIND_PLACED.
    pub places: *const glasm_place,
    /// Number of them.
    pub place_count: usize,
}

/// Varyings of the caller; `name` is the member that has them.
///
/// # Safety
/// The list must be there during the call, if the kind is one that has a list.
pub(crate) unsafe fn read_varyings(
    given: &glasm_varyings,
    name: &str,
) -> Result<Varyings, Failure> {
    use glasm_varyings_kind as Kind;
    // SAFETY: the caller of this function guarantees it.
    let places = || unsafe { memory::read_list(given.places, given.place_count, name) };
    Ok(match read_number(given.kind, &format!("{name}.kind"))? {
        Kind::Table => Varyings::Table,
        Kind::Complete => Varyings::Complete(given.locations),
        Kind::Packed => {
            let meanings = places()?.iter().map(|place| read_semantic(place.meaning));
            Varyings::Packed(meanings.collect::<Result<_, _>>()?)
        }
        Kind::Placed => {
            Varyings::Placed(places()?.iter().map(read_place).collect::<Result<_, _>>()?)
        }
    })
}

fn read_place(given: &glasm_place) -> Result<Place, Failure> {
    if given.components == 0 || given.component >= 4 || given.components > 4 - given.component {
        return Err(Failure::argument("a place has components beyond four"));
    }
    Ok(Place {
        semantic: read_semantic(given.meaning)?,
        location: given.location,
        component: given.component as u8,
        base: read_number(given.base, "base")?,
        components: given.components as u8,
    })
}

/// Returns the location of a varying in the fixed table; GLASM_BUILT_IN for a semantic that is not
/// a varying, for invalid numbers, and for NULL.
///
/// `varying` stays the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_varying_location(varying: Option<&glasm_meaning>) -> u32 {
    run_or(GLASM_BUILT_IN, || {
        let varying = read_semantic(*require(varying, "varying")?)?;
        Ok(varying_location(varying).unwrap_or(GLASM_BUILT_IN))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantic::glasm_semantic;
    use glasm::{Semantic, TypeBase};

    fn read(given: &glasm_varyings) -> Result<Varyings, Failure> {
        // SAFETY: the lists of the tests are there.
        unsafe { read_varyings(given, "varyings") }
    }

    #[test]
    fn sets_of_locations_are_those_of_the_library() {
        assert_eq!(GLASM_LOCATIONS_CONVENTIONAL, Varyings::CONVENTIONAL);
        assert_eq!(GLASM_LOCATIONS_UNDISPUTED, Varyings::UNDISPUTED);
    }

    #[test]
    fn every_kind_is_read() {
        let place = glasm_place {
            meaning: glasm_meaning {
                semantic: glasm_semantic::TexCoord as u32,
                index: 3,
                source: 0,
            },
            location: 9,
            component: 1,
            base: 2,
            components: 3,
        };
        let of = |kind: glasm_varyings_kind| glasm_varyings {
            kind: kind as u32,
            locations: 5,
            places: &raw const place,
            place_count: 1,
        };
        let read_kind = |kind| read(&of(kind)).unwrap();
        assert_eq!(read_kind(glasm_varyings_kind::Table), Varyings::Table);
        let complete = read_kind(glasm_varyings_kind::Complete);
        assert_eq!(complete, Varyings::Complete(5));
        let packed = read_kind(glasm_varyings_kind::Packed);
        assert_eq!(packed, Varyings::Packed(vec![Semantic::TexCoord(3)]));
        let placed = Place {
            semantic: Semantic::TexCoord(3),
            location: 9,
            component: 1,
            base: TypeBase::Unsigned,
            components: 3,
        };
        let found = read_kind(glasm_varyings_kind::Placed);
        assert_eq!(found, Varyings::Placed(vec![placed]));
        assert!(
            read(&glasm_varyings {
                kind: 4,
                ..of(glasm_varyings_kind::Placed)
            })
            .is_err()
        );
        for (component, components) in [(0, 0), (4, 1), (2, 3), (0, u32::MAX)] {
            let place = glasm_place {
                component,
                components,
                ..place
            };
            let given = glasm_varyings {
                places: &raw const place,
                ..of(glasm_varyings_kind::Placed)
            };
            assert!(read(&given).is_err());
        }
    }
}
