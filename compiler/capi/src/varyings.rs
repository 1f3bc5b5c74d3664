//! Locations of the varyings of programs that are compiled separately.

use crate::enums::read_number;
use crate::ffi_args::{self, require};
use crate::ffi_guard::{Failure, catch_or};
use crate::reflection::GLASM_LOCATION_BUILT_IN;
use crate::semantic::{glasm_semantic_info, read_semantic};
use glasm::{VaryingLocation, Varyings, varying_location};
use glasm_capi_macros::c_enum;

/// The locations of colors, back colors, fog and texture coordinates in the fixed table: for
/// `location_mask` of glasm_varyings.
pub const GLASM_VARYING_LOCATIONS_CONVENTIONAL: u32 = 0x1fff;
/// The locations of the fixed table that go with all built-in outputs on every device.
pub const GLASM_VARYING_LOCATIONS_GUARANTEED: u32 = 0x0fff_ffff;

/// Assignment of locations to varyings.
#[c_enum]
#[repr(u32)]
pub enum glasm_varying_layout {
    /// They are in the fixed table; `glasm_semantic_fixed_location` reads it.
    FixedTable = 0,
    /// Locations are those of the fixed table, and outputs are (0, 0, 0, 1) at each location of
    /// `location_mask` that the program does not write: any program may follow that reads no others, as
    /// GL binds any vertex program with any fragment program. In Vulkan an input without an output
    /// is an error, also between pipeline libraries and shader objects. For inputs the same as
    /// GLASM_VARYING_LAYOUT_FIXED_TABLE.
    AllLocations = 1,
    /// Each is at its index in the list, of which only the semantics are used. Varyings that are
    /// not in the list are dropped: outputs are not stored, inputs are (0, 0, 0, 1).
    Packed = 2,
    /// Locations are those of the other stage, which is a module of another compiler. Varyings that
    /// are not in the list are dropped.
    Explicit = 3,
}

/// Location of a varying, and its semantic there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_varying_location {
    /// Its semantic in the program.
    pub semantic: glasm_semantic_info,
    /// Its location.
    pub location: u32,
    /// Its first component there, below 4.
    pub first_component: u32,
    /// Its type: a glasm_base_type.
    pub base_type: u32,
    /// Number of components, 1 to 4.
    pub component_count: u32,
}

/// Locations of the varyings between two stages.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct glasm_varyings {
    /// A glasm_varying_layout, which selects the other members that are used.
    pub layout: u32,
    /// Bit n: location n, for GLASM_VARYING_LAYOUT_ALL_LOCATIONS; see GLASM_VARYING_LOCATIONS_CONVENTIONAL.
    pub location_mask: u32,
    /// Varyings, for GLASM_VARYING_LAYOUT_PACKED and GLASM_VARYING_LAYOUT_EXPLICIT.
    pub varying_locations: *const glasm_varying_location,
    /// Number of them.
    pub varying_location_count: usize,
}

/// Varyings of the caller; `name` is the member that has them.
///
/// # Safety
/// The list must be there during the call, if the kind is one that has a list.
pub(crate) unsafe fn read_varyings(
    given: &glasm_varyings,
    name: &str,
) -> Result<Varyings, Failure> {
    use glasm_varying_layout as Kind;
    let list_name = format!("{name}.varying_locations");
    // SAFETY: the caller of this function guarantees it.
    let places = || unsafe {
        ffi_args::read_list(
            given.varying_locations,
            given.varying_location_count,
            &list_name,
        )
    };
    Ok(
        match read_number(given.layout, &format!("{name}.layout"))? {
            Kind::FixedTable => Varyings::FixedTable,
            Kind::AllLocations => Varyings::AllLocations(given.location_mask),
            Kind::Packed => {
                let meanings = places()?.iter().map(|place| read_semantic(place.semantic));
                Varyings::Packed(meanings.collect::<Result<_, _>>()?)
            }
            Kind::Explicit => Varyings::Explicit(
                places()?
                    .iter()
                    .map(read_varying_location)
                    .collect::<Result<_, _>>()?,
            ),
        },
    )
}

/// Reads the location of a varying. Fails if its components are not 1 to 4 consecutive ones of x,
/// y, z and w, or if a number is unknown.
fn read_varying_location(given: &glasm_varying_location) -> Result<VaryingLocation, Failure> {
    if given.component_count == 0
        || given.first_component >= 4
        || given.component_count > 4 - given.first_component
    {
        return Err(Failure::invalid_argument(
            "a location has components beyond four",
        ));
    }
    Ok(VaryingLocation {
        semantic: read_semantic(given.semantic)?,
        location: given.location,
        first_component: given.first_component as u8,
        base_type: read_number(given.base_type, "base_type")?,
        component_count: given.component_count as u8,
    })
}

/// Returns the location of a varying in the fixed table; GLASM_LOCATION_BUILT_IN for a semantic that is not
/// a varying, for invalid numbers, and for NULL.
///
/// `varying` stays the caller's.
#[unsafe(no_mangle)]
pub extern "C" fn glasm_semantic_fixed_location(varying: Option<&glasm_semantic_info>) -> u32 {
    catch_or(GLASM_LOCATION_BUILT_IN, || {
        let varying = read_semantic(*require(varying, "varying")?)?;
        Ok(varying_location(varying).unwrap_or(GLASM_LOCATION_BUILT_IN))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantic::glasm_semantic;
    use glasm::{BaseType, Semantic};

    fn read(given: &glasm_varyings) -> Result<Varyings, Failure> {
        // SAFETY: the lists of the tests are there.
        unsafe { read_varyings(given, "varyings") }
    }

    #[test]
    fn sets_of_locations_are_those_of_the_library() {
        assert_eq!(GLASM_VARYING_LOCATIONS_CONVENTIONAL, Varyings::CONVENTIONAL);
        assert_eq!(GLASM_VARYING_LOCATIONS_GUARANTEED, Varyings::GUARANTEED);
    }

    #[test]
    fn every_kind_is_read() {
        let place = glasm_varying_location {
            semantic: glasm_semantic_info {
                name: glasm_semantic::TexCoord as u32,
                index: 3,
                blend_source: 0,
            },
            location: 9,
            first_component: 1,
            base_type: 2,
            component_count: 3,
        };
        let of = |kind: glasm_varying_layout| glasm_varyings {
            layout: kind as u32,
            location_mask: 5,
            varying_locations: &raw const place,
            varying_location_count: 1,
        };
        let read_kind = |kind| read(&of(kind)).unwrap();
        assert_eq!(
            read_kind(glasm_varying_layout::FixedTable),
            Varyings::FixedTable
        );
        let complete = read_kind(glasm_varying_layout::AllLocations);
        assert_eq!(complete, Varyings::AllLocations(5));
        let packed = read_kind(glasm_varying_layout::Packed);
        assert_eq!(packed, Varyings::Packed(vec![Semantic::TexCoord(3)]));
        let placed = VaryingLocation {
            semantic: Semantic::TexCoord(3),
            location: 9,
            first_component: 1,
            base_type: BaseType::UnsignedInt,
            component_count: 3,
        };
        let found = read_kind(glasm_varying_layout::Explicit);
        assert_eq!(found, Varyings::Explicit(vec![placed]));
        assert!(
            read(&glasm_varyings {
                layout: 4,
                ..of(glasm_varying_layout::Explicit)
            })
            .is_err()
        );
        for (component, components) in [(0, 0), (4, 1), (2, 3), (0, u32::MAX)] {
            let place = glasm_varying_location {
                first_component: component,
                component_count: components,
                ..place
            };
            let given = glasm_varyings {
                varying_locations: &raw const place,
                ..of(glasm_varying_layout::Explicit)
            };
            assert!(read(&given).is_err());
        }
    }
}
