//! Information about the adjacent modules that stages which forward their inputs need.
//!
//! | stage | behavior |
//! |---|---|
//! | vertex | position is attribute 0; inputs of the next stage are loaded from attributes |
//! | tessellation control | copies the vertices of the patch; levels are the defaults of the script |
//! | tessellation evaluation | interpolates the vertices of a patch of 2 (lines), 3 (triangles) or 4 (quads) |
//! | geometry | emits the input primitive |
//! | fragment | writes the value at location 0 as the color |
//!
//! They are programs of the compiler's intermediate representation, which [`glasm::stages`]
//! generates; here, their varyings are determined.

use super::interface::Varying;
use glasm::ir::{BaseType, Semantic};
use glasm::reflect::ScalarType;
use glasm::stages::PatchVarying;
use glasm::{Reflection, VaryingLocation};

/// Maximum number of varyings that a stage forwards, each for vertices and for patches.
const MAX_PASSED: u8 = 32;

/// Varying of a module that is adjacent to a stage that forwards it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PassedVarying {
    pub(crate) varying: Varying,
    /// Location of the varying in the stage, with its type.
    pub(crate) location: VaryingLocation,
}

/// Returns the type of the components of a varying in the IR; `None` for doubles, which are not
/// forwarded.
fn vector_base_type(scalar: ScalarType) -> Option<BaseType> {
    match scalar {
        ScalarType::Float32 => Some(BaseType::Float),
        ScalarType::Sint32 => Some(BaseType::SignedInt),
        ScalarType::Uint32 => Some(BaseType::UnsignedInt),
        ScalarType::Float64 => None,
    }
}

/// Returns the varyings of a module, each with its location in the adjacent stage: that of the
/// semantic that `find_semantic` returns, otherwise of the next generic one. Returns an error for
/// doubles, and for more than [`MAX_PASSED`] generic varyings of vertices or of patches.
pub(crate) fn passed_varyings(
    varyings: &[Varying],
    find_semantic: impl Fn(&Varying) -> Option<Semantic>,
) -> Result<Vec<PassedVarying>, String> {
    let (mut vertices, mut patches) = (0..MAX_PASSED, 0..MAX_PASSED);
    let passed = |varying: &Varying| {
        let semantic = match (find_semantic(varying), varying.patch) {
            (Some(semantic), _) => Some(semantic),
            (None, false) => vertices.next().map(Semantic::GenericVarying),
            (None, true) => patches.next().map(Semantic::GenericPatchVarying),
        };
        let semantic =
            semantic.ok_or_else(|| format!("a stage passes on {MAX_PASSED} varyings at most"))?;
        let base = vector_base_type(varying.scalar).ok_or("stages do not pass on doubles")?;
        let location = VaryingLocation {
            semantic,
            location: varying.location,
            first_component: varying.component as u8,
            base_type: base,
            component_count: varying.components.clamp(1, 4) as u8,
        };
        Ok(PassedVarying {
            varying: *varying,
            location,
        })
    };
    varyings.iter().map(passed).collect()
}

/// Returns a function that maps a varying to the semantic of the program's output at its location;
/// to `None` if the program is not compiled here.
pub(crate) fn output_semantic(
    reflection: Option<&Reflection>,
) -> impl Fn(&Varying) -> Option<Semantic> + '_ {
    move |varying| {
        let mut outputs = reflection?.outputs.iter();
        let same = outputs.find(|output| {
            output.location == Some(varying.location)
                && output.semantic.is_per_patch() == varying.patch
        });
        same.map(|output| output.semantic)
    }
}

/// Returns the locations of all varyings.
pub(crate) fn locations(passed: &[PassedVarying]) -> Vec<VaryingLocation> {
    passed.iter().map(|passed| passed.location).collect()
}

/// Returns the semantics of the varyings of each vertex, without those of patches.
pub(crate) fn vertex_semantics(passed: &[PassedVarying]) -> Vec<Semantic> {
    let own = passed.iter().filter(|passed| !passed.varying.patch);
    own.map(|passed| passed.location.semantic).collect()
}

/// Returns the varyings of a control stage that an evaluation stage forwards, and their locations
/// in its outputs. Floats are interpolated, other types and flat varyings are those of the first
/// vertex. Varyings of the patch become generic varyings of its vertices; they and the following
/// ones are dropped if no generic one is free.
pub(crate) fn patch_varyings(
    passed: &[PassedVarying],
) -> (Vec<PatchVarying>, Vec<VaryingLocation>) {
    let is_used = |semantic| passed.iter().any(|it| it.location.semantic == semantic);
    let mut free = (0..MAX_PASSED)
        .map(Semantic::GenericVarying)
        .filter(|semantic| !is_used(*semantic));
    let mut outputs = Vec::new();
    let mut stages = Vec::new();
    for PassedVarying { varying, location } in passed {
        let mut to = *location;
        if varying.patch {
            let Some(semantic) = free.next() else { break };
            to.semantic = semantic;
            stages.push(PatchVarying::Patch(location.semantic, semantic));
        } else if location.base_type == BaseType::Float && !varying.flat {
            stages.push(PatchVarying::Interpolated(location.semantic));
        } else {
            stages.push(PatchVarying::First(location.semantic));
        }
        outputs.push(to);
    }
    (stages, outputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varying(location: u32, scalar: ScalarType) -> Varying {
        Varying {
            location,
            component: 1,
            scalar,
            components: 2,
            patch: location == 3,
            flat: scalar != ScalarType::Float32,
        }
    }

    #[test]
    fn varyings_without_a_semantic_are_numbered() {
        let all = [
            varying(0, ScalarType::Float32),
            varying(3, ScalarType::Float32),
            varying(7, ScalarType::Uint32),
        ];
        let find_semantic =
            |varying: &Varying| (varying.location == 0).then_some(Semantic::Color(0));
        let found = passed_varyings(&all, find_semantic).unwrap();
        assert_eq!(
            vertex_semantics(&found),
            [Semantic::Color(0), Semantic::GenericVarying(0)]
        );
        assert_eq!(locations(&found)[2].base_type, BaseType::UnsignedInt);
        let (patch, outputs) = patch_varyings(&found);
        assert_eq!(
            patch,
            [
                PatchVarying::Interpolated(Semantic::Color(0)),
                PatchVarying::Patch(
                    Semantic::GenericPatchVarying(0),
                    Semantic::GenericVarying(1)
                ),
                PatchVarying::First(Semantic::GenericVarying(0)),
            ]
        );
        assert_eq!((outputs[1].location, outputs[1].first_component), (3, 1));
    }

    #[test]
    fn what_cannot_pass_is_named() {
        let nothing = |_: &Varying| None;
        assert!(passed_varyings(&[varying(0, ScalarType::Float64)], nothing).is_err());
        let many: Vec<_> = (10..60)
            .map(|it| varying(it, ScalarType::Float32))
            .collect();
        assert!(passed_varyings(&many, nothing).is_err());
    }
}
