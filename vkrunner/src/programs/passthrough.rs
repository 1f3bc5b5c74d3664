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
use glasm::ir::{Semantic, TypeBase};
use glasm::reflect::Scalar;
use glasm::stages::PassedPatch;
use glasm::{Place, Reflection};

/// Maximum number of varyings that a stage forwards, each for vertices and for patches.
const MAX_PASSED: u8 = 32;

/// Varying of a module that is adjacent to a stage that forwards it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Passed {
    pub(crate) varying: Varying,
    /// Location of the varying in the stage, with its type.
    pub(crate) place: Place,
}

/// Returns the type of a vector with a number of components.
fn base(scalar: Scalar) -> Option<TypeBase> {
    match scalar {
        Scalar::Float => Some(TypeBase::Float),
        Scalar::Int => Some(TypeBase::Signed),
        Scalar::Uint => Some(TypeBase::Unsigned),
        Scalar::Double => None,
    }
}

/// Returns the varyings of a module, each with its location in the adjacent stage: the semantic
/// that the program specifies, otherwise a number.
pub(crate) fn passed(
    varyings: &[Varying],
    meaning: impl Fn(&Varying) -> Option<Semantic>,
) -> Result<Vec<Passed>, String> {
    let (mut vertices, mut patches) = (0..MAX_PASSED, 0..MAX_PASSED);
    let passed = |varying: &Varying| {
        let semantic = match (meaning(varying), varying.patch) {
            (Some(semantic), _) => Some(semantic),
            (None, false) => vertices.next().map(Semantic::Generic),
            (None, true) => patches.next().map(Semantic::PatchGeneric),
        };
        let semantic =
            semantic.ok_or_else(|| format!("a stage passes on {MAX_PASSED} varyings at most"))?;
        let base = base(varying.scalar).ok_or("stages do not pass on doubles")?;
        let place = Place {
            semantic,
            location: varying.location,
            component: varying.component as u8,
            base,
            components: varying.components.clamp(1, 4) as u8,
        };
        Ok(Passed {
            varying: *varying,
            place,
        })
    };
    varyings.iter().map(passed).collect()
}

/// Returns the semantic of an output of a program.
pub(crate) fn output_meaning(
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
pub(crate) fn places(passed: &[Passed]) -> Vec<Place> {
    passed.iter().map(|passed| passed.place).collect()
}

/// Returns the varyings of each vertex.
pub(crate) fn of_vertices(passed: &[Passed]) -> Vec<Semantic> {
    let own = passed.iter().filter(|passed| !passed.varying.patch);
    own.map(|passed| passed.place.semantic).collect()
}

/// Returns the varyings of a control stage that an evaluation stage forwards, and their locations.
/// Varyings of the patch become varyings of its vertices.
pub(crate) fn of_patches(passed: &[Passed]) -> (Vec<PassedPatch>, Vec<Place>) {
    let is_used = |semantic| passed.iter().any(|it| it.place.semantic == semantic);
    let mut free = (0..MAX_PASSED)
        .map(Semantic::Generic)
        .filter(|semantic| !is_used(*semantic));
    let mut outputs = Vec::new();
    let mut stages = Vec::new();
    for Passed { varying, place } in passed {
        let mut to = *place;
        if varying.patch {
            let Some(semantic) = free.next() else { break };
            to.semantic = semantic;
            stages.push(PassedPatch::Patch(place.semantic, semantic));
        } else if place.base == TypeBase::Float && !varying.flat {
            stages.push(PassedPatch::Interpolated(place.semantic));
        } else {
            stages.push(PassedPatch::First(place.semantic));
        }
        outputs.push(to);
    }
    (stages, outputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varying(location: u32, scalar: Scalar) -> Varying {
        Varying {
            location,
            component: 1,
            scalar,
            components: 2,
            patch: location == 3,
            flat: scalar != Scalar::Float,
        }
    }

    #[test]
    fn varyings_without_a_meaning_are_numbered() {
        let all = [
            varying(0, Scalar::Float),
            varying(3, Scalar::Float),
            varying(7, Scalar::Uint),
        ];
        let meaning = |varying: &Varying| (varying.location == 0).then_some(Semantic::Color(0));
        let found = passed(&all, meaning).unwrap();
        assert_eq!(
            of_vertices(&found),
            [Semantic::Color(0), Semantic::Generic(0)]
        );
        assert_eq!(places(&found)[2].base, TypeBase::Unsigned);
        let (patch, outputs) = of_patches(&found);
        assert_eq!(
            patch,
            [
                PassedPatch::Interpolated(Semantic::Color(0)),
                PassedPatch::Patch(Semantic::PatchGeneric(0), Semantic::Generic(1)),
                PassedPatch::First(Semantic::Generic(0)),
            ]
        );
        assert_eq!((outputs[1].location, outputs[1].component), (3, 1));
    }

    #[test]
    fn what_cannot_pass_is_named() {
        let nothing = |_: &Varying| None;
        assert!(passed(&[varying(0, Scalar::Double)], nothing).is_err());
        let many: Vec<_> = (10..60).map(|it| varying(it, Scalar::Float)).collect();
        assert!(passed(&many, nothing).is_err());
    }
}
