//! Device features that modules of other compilers need, by their SPIR-V capabilities. Pure.

use crate::features::all_features;
use rspirv::spirv::Capability;

/// Tests that a feature is requested from a device, by its column in the table.
macro_rules! is_asked {
    (()) => {
        false
    };
    ((other)) => {
        false
    };
    (($($place:tt)+)) => {
        true
    };
}

macro_rules! rows {
    ($(
        $(feature $name:literal $place:tt $opengl:tt $field:tt
            [$($need:ident $capability:ident $($extension:literal $core:ident)?),*])?
        $(plain $plain:ident $plain_capability:ident $($plain_extension:literal $plain_core:ident)?)?;
    )*) => {
        /// Capabilities, true if devices are asked for the feature that allows each (Vulkan
        /// specification, "Capabilities"), and its name.
        const FEATURES: &[(Capability, bool, &str)] =
            &[$($($((Capability::$capability, is_asked!($place), $name),)*)?)*];
    };
}

all_features! { rows }

/// Words before the first instruction.
const HEADER: usize = 5;
/// `OpCapability`
const OP_CAPABILITY: u32 = 17;

/// Returns the device features that a module needs according to its capabilities; those that the
/// table of features does not contain are omitted, and the validation layer checks them. Returns
/// nothing for words that are no module.
pub(super) fn required_features(words: &[u32]) -> impl Iterator<Item = &'static str> + '_ {
    // Capabilities are at the start of a module, each an instruction of two words.
    let instructions = words.get(HEADER..).unwrap_or_default().chunks_exact(2);
    instructions
        .take_while(|pair| pair[0] == 2 << 16 | OP_CAPABILITY)
        .filter_map(|pair| capability_feature(pair[1]))
}

/// Returns the feature that allows a capability, given by its number; `None` if the table has none,
/// and for `Shader`, which all modules have.
fn capability_feature(number: u32) -> Option<&'static str> {
    let mut rows = FEATURES.iter();
    let row = rows.find(|(capability, is_asked, _)| {
        *is_asked && *capability != Capability::Shader && *capability as u32 == number
    });
    row.map(|(_, _, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_follow_from_capabilities() {
        let capability = |capability: Capability| [2 << 16 | 17, capability as u32];
        let mut words = vec![0x0723_0203, 0x0001_0300, 0, 9, 0];
        words.extend(capability(Capability::Shader));
        words.extend(capability(Capability::GeometryStreams));
        words.extend(capability(Capability::Int64));
        // OpMemoryModel ends the list.
        words.extend([3 << 16 | 14, 0, 1]);
        words.extend(capability(Capability::Float64));
        let found: Vec<_> = required_features(&words).collect();
        assert_eq!(found, ["geometryStreams", "shaderInt64"]);
        assert_eq!(required_features(&[1, 2, 3]).count(), 0);
    }
}
