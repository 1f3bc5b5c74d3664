//! Requirements of a module on the device: the capabilities of the table of features, as a set.

#[cfg(feature = "serde")]
pub(crate) mod known;

use crate::error::{Error, Failure};
use crate::features::{SUBGROUPS, device_features, is_of_vulkan};
use crate::options::{DeviceFeatures, Target};
use crate::reflect::Requirements;
use crate::varyings::Distances;
use crate::words::Words;
use glasm_ir::Stage;
use spirv::{Capability, Op};

/// Description of a need: the declarations that it adds and the feature that it requires.
struct Row {
    capability: Capability,
    name: &'static str,
    /// Extension, and the first target whose core includes it.
    extension: Option<(&'static str, Option<Target>)>,
    /// Feature of the device that satisfies the need.
    feature: Option<Feature>,
}

/// Property that devices have or lack.
struct Feature {
    name: &'static str,
    is_of_vulkan: bool,
    /// Returns true if a device has it, according to the options.
    is_in: fn(&DeviceFeatures) -> bool,
}

/// Converts the extension of a need to an `Option`.
macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

/// Reads a feature from the options, by the column of the table; features without an option are
/// available.
macro_rules! field {
    ($device:ident ()) => {{
        let _ = $device;
        true
    }};
    ($device:ident ($field:ident = $($rest:tt)*)) => {
        $device.$field
    };
    ($device:ident (& $($part:ident).+)) => {
        $device.$($part).+
    };
}

macro_rules! needs {
    ($(
        $(feature $name:literal $place:tt $opengl:tt $field:tt
            [$($need:ident $capability:ident $($extension:literal $core:ident)?),*])?
        $(plain $plain:ident $plain_capability:ident $($plain_extension:literal $plain_core:ident)?)?;
    )*) => {
        // Variants and table entries come from one list, in one order: a need is the index of its
        // entry.
        /// Requirement of a module.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub(crate) enum Need { $($($($need,)*)? $($plain,)?)* }

        static ROWS: &[Row] = &[$(
            $($(Row {
                capability: Capability::$capability,
                name: stringify!($capability),
                extension: optional!($(($extension, $core))?),
                feature: Some(Feature {
                    name: $name,
                    is_of_vulkan: is_of_vulkan!($place),
                    is_in: |device| field!(device $field),
                }),
            },)*)?
            $(Row {
                capability: Capability::$plain_capability,
                name: stringify!($plain_capability),
                extension: optional!($(($plain_extension, $plain_core))?),
                feature: None,
            },)?
        )*];
    };
}

// Vulkan version whose SPIR-V includes an extension in its core: 1.1 has SPIR-V 1.3, 1.2 has 1.5,
// 1.3 has 1.6.
const V11: Option<Target> = Some(Target::Vulkan1_1);
const V12: Option<Target> = Some(Target::Vulkan1_2);
const V13: Option<Target> = Some(Target::Vulkan1_3);
const NEVER: Option<Target> = None;

device_features! { needs {} }

impl Need {
    /// Returns the need of an array of distances.
    pub(crate) const fn of(distances: Distances) -> Self {
        match distances {
            Distances::Clip => Self::ClipDistance,
            Distances::Cull => Self::CullDistance,
        }
    }

    /// Returns true if the device satisfies the need, according to the options.
    pub(crate) fn is_met(self, device: &DeviceFeatures) -> bool {
        let feature = ROWS[self as usize].feature.as_ref();
        feature.is_none_or(|feature| (feature.is_in)(device))
    }

    /// Returns an error if the device does not satisfy the need, according to the options.
    pub(crate) fn check(self, device: &DeviceFeatures) -> Result<(), Failure> {
        match &ROWS[self as usize].feature {
            Some(feature) if !(feature.is_in)(device) => Err(Error::missing_feature(feature.name)),
            Some(_) | None => Ok(()),
        }
    }
}

/// Returns an error if a stage has no subgroup operations.
pub(crate) fn check_subgroups(device: &DeviceFeatures, stage: Stage) -> Result<(), Failure> {
    if device.subgroups.stages[stage as usize] {
        Ok(())
    } else {
        let what = format!("{SUBGROUPS} in {} programs", stage.name());
        Err(Error::missing_feature(SUBGROUPS).calling_it(&what))
    }
}

/// Ordered set of [`Need`]s.
// One bit for each entry of the table, which has fewer than 128.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Needs(u128);

impl Needs {
    /// Adds `need`.
    pub(crate) fn insert(&mut self, need: Need) {
        self.0 |= 1 << need as u32;
    }

    /// Adds `need`. Returns an error if the device does not satisfy it.
    pub(crate) fn require(&mut self, device: &DeviceFeatures, need: Need) -> Result<(), Failure> {
        need.check(device)?;
        self.insert(need);
        Ok(())
    }

    /// Returns true if `need` is in the set.
    pub(crate) fn contains(self, need: Need) -> bool {
        self.0 >> need as u32 & 1 != 0
    }

    fn rows(self) -> impl Iterator<Item = &'static Row> + Clone {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            // An empty set has 128 trailing zeros, more than there are entries.
            let row = ROWS.get(rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(row)
        })
    }

    /// Writes the capabilities, then the extensions.
    pub(crate) fn write(self, target: Target, words: &mut Words) {
        // Few entries share a capability or an extension, and each set is small.
        let first = words.len();
        for row in self.rows() {
            let capability = row.capability as u32;
            if !words.0[first..]
                // Each `OpCapability` has two words.
                .chunks_exact(2)
                .any(|it| it[1] == capability)
            {
                words.op(Op::Capability, &[capability]);
            }
        }
        // After all capabilities: SPIR-V section 2.4, logical layout of a module.
        for (index, extension) in self.extensions(target).enumerate() {
            if !self
                .extensions(target)
                .take(index)
                .any(|it| it == extension)
            {
                words.op_string(Op::Extension, &[], extension, &[]);
            }
        }
    }

    fn extensions(self, target: Target) -> impl Iterator<Item = &'static str> + Clone {
        self.rows().filter_map(move |row| match row.extension {
            // Versions whose core includes it do not need the declaration. OpenGL precedes all of
            // them in the order.
            Some((name, core)) if core.is_none_or(|core| target < core) => Some(name),
            _ => None,
        })
    }

    /// Returns the names in the set for the reflection.
    pub(crate) fn requirements(self, target: Target) -> Requirements {
        let features = self.rows().filter_map(|row| row.feature.as_ref());
        let features = features.filter(|feature| feature.is_of_vulkan);
        Requirements {
            capabilities: sorted(self.rows().map(|row| row.name)),
            extensions: sorted(self.extensions(target)),
            features: sorted(features.map(|feature| feature.name)),
        }
    }
}

/// Returns the names in order and without duplicates.
fn sorted(names: impl Iterator<Item = &'static str> + Clone) -> Vec<&'static str> {
    // With capacity for all of them, because growing a list allocates twice.
    let mut list = Vec::with_capacity(names.clone().count());
    list.extend(names);
    // In an order that is independent of the order of the table, which may change.
    list.sort_unstable();
    list.dedup();
    list
}
