//! Requirements of a module on the device: the capabilities of the table of features, as a set.

#[cfg(feature = "serde")]
pub(crate) mod known;

use crate::error::{Error, Failure};
use crate::features::{SUBGROUPS, device_features, is_of_vulkan};
use crate::options::{DeviceFeatures, Target};
use crate::reflect::Requirements;
use crate::spirv_writer::SpirvWriter;
use crate::varyings::DistanceKind;
use glasm_ir::Stage;
use spirv::{Capability, Op};

/// Description of a requirement: the declarations that it adds and the feature that it requires.
struct RequirementInfo {
    capability: Capability,
    name: &'static str,
    /// Extension, and the first target whose core includes it.
    extension: Option<(&'static str, Option<Target>)>,
    /// Feature of the device that satisfies the requirement.
    feature: Option<FeatureInfo>,
}

/// Property that devices have or lack.
struct FeatureInfo {
    name: &'static str,
    is_of_vulkan: bool,
    /// Returns true if a device has it, according to the options.
    is_in: fn(&DeviceFeatures) -> bool,
}

/// Converts the extension of a requirement to an `Option`.
macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

/// Reads a feature from the options, by the column of the table.
macro_rules! field {
    ($device:ident ($field:ident = $($rest:tt)*)) => {
        $device.$field
    };
    ($device:ident (& $($part:ident).+)) => {
        $device.$($part).+
    };
}

macro_rules! requirements {
    ($(
        $(feature $name:literal $location:tt $opengl:tt $field:tt
            [$($requirement:ident $capability:ident $($extension:literal $core:ident)?),*])?
        $(plain $plain:ident $plain_capability:ident $($plain_extension:literal $plain_core:ident)?)?;
    )*) => {
        // Variants and table entries come from one list, in one order: a requirement is the index
        // of its entry.
        /// Requirement of a module.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub(crate) enum Requirement { $($($($requirement,)*)? $($plain,)?)* }

        static REQUIREMENTS: &[RequirementInfo] = &[$(
            $($(RequirementInfo {
                capability: Capability::$capability,
                name: stringify!($capability),
                extension: optional!($(($extension, $core))?),
                feature: Some(FeatureInfo {
                    name: $name,
                    is_of_vulkan: is_of_vulkan!($location),
                    is_in: |device| field!(device $field),
                }),
            },)*)?
            $(RequirementInfo {
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

device_features! { requirements {} }

impl Requirement {
    /// Returns the requirement of clip or cull distances.
    pub(crate) const fn for_distances(distances: DistanceKind) -> Self {
        match distances {
            DistanceKind::Clip => Self::ClipDistance,
            DistanceKind::Cull => Self::CullDistance,
        }
    }

    /// Returns true if the device satisfies the requirement, according to the options.
    pub(crate) fn is_met(self, device: &DeviceFeatures) -> bool {
        let feature = REQUIREMENTS[self as usize].feature.as_ref();
        feature.is_none_or(|feature| (feature.is_in)(device))
    }

    /// Returns an error that names the missing feature if the device does not satisfy the
    /// requirement. Requirements without a feature are always met.
    pub(crate) fn check(self, device: &DeviceFeatures) -> Result<(), Failure> {
        match &REQUIREMENTS[self as usize].feature {
            Some(feature) if !(feature.is_in)(device) => Err(Error::missing_feature(feature.name)),
            Some(_) | None => Ok(()),
        }
    }
}

/// Returns the error of a missing feature if the device has no subgroup operations in a stage.
pub(crate) fn check_subgroups(device: &DeviceFeatures, stage: Stage) -> Result<(), Failure> {
    if device.subgroups.stages[stage as usize] {
        Ok(())
    } else {
        let description = format!("{SUBGROUPS} in {} programs", stage.name());
        Err(Error::missing_feature(SUBGROUPS).describing_feature(&description))
    }
}

/// Ordered set of [`Requirement`]s.
// One bit for each entry of the table, which has fewer than 128.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct RequirementSet(u128);

impl RequirementSet {
    /// Adds `requirement` to the set, which the module then declares. Whether the device satisfies
    /// it is checked later, by [`Self::check_since`].
    pub(crate) fn insert(&mut self, requirement: Requirement) {
        self.0 |= 1 << requirement as u32;
    }

    /// Adds `requirement`. Returns an error if the device does not satisfy it.
    pub(crate) fn require(
        &mut self,
        device: &DeviceFeatures,
        requirement: Requirement,
    ) -> Result<(), Failure> {
        requirement.check(device)?;
        self.insert(requirement);
        Ok(())
    }

    /// Returns true if `requirement` is in the set.
    pub(crate) fn contains(self, requirement: Requirement) -> bool {
        self.0 >> requirement as u32 & 1 != 0
    }

    /// Returns an error that names the first feature of the set that the device lacks. The
    /// requirements in `checked` are skipped.
    pub(crate) fn check_since(self, checked: Self, device: &DeviceFeatures) -> Result<(), Failure> {
        let added = Self(self.0 & !checked.0);
        let mut features = added.entries().filter_map(|entry| entry.feature.as_ref());
        match features.find(|feature| !(feature.is_in)(device)) {
            Some(missing) => Err(Error::missing_feature(missing.name)),
            None => Ok(()),
        }
    }

    /// Iterates over the table entries of the requirements in the set, in the order of the table.
    fn entries(self) -> impl Iterator<Item = &'static RequirementInfo> + Clone {
        let mut remaining = self.0;
        std::iter::from_fn(move || {
            // An empty set has 128 trailing zeros, more than there are entries.
            let entry = REQUIREMENTS.get(remaining.trailing_zeros() as usize)?;
            remaining &= remaining - 1;
            Some(entry)
        })
    }

    /// Writes an `OpCapability` for each capability of the set, then an `OpExtension` for each
    /// extension, without duplicates.
    pub(crate) fn write(self, target: Target, words: &mut SpirvWriter) {
        // Few entries share a capability or an extension, and each set is small.
        let first = words.len();
        for entry in self.entries() {
            let capability = entry.capability as u32;
            if !words.0[first..]
                // Each `OpCapability` has two words.
                .chunks_exact(2)
                .any(|inst| inst[1] == capability)
            {
                words.push_inst(Op::Capability, &[capability]);
            }
        }
        // After all capabilities: SPIR-V section 2.4, logical layout of a module.
        for (index, extension) in self.extensions(target).enumerate() {
            if !self
                .extensions(target)
                .take(index)
                .any(|other| other == extension)
            {
                words.push_string_inst(Op::Extension, &[], extension, &[]);
            }
        }
    }

    /// Iterates over the extensions that a module for `target` must declare; may repeat some.
    fn extensions(self, target: Target) -> impl Iterator<Item = &'static str> + Clone {
        self.entries()
            .filter_map(move |entry| match entry.extension {
                // Versions whose core includes it do not need the declaration. OpenGL precedes all
                // of them in the order.
                Some((name, core)) if core.is_none_or(|core| target < core) => Some(name),
                _ => None,
            })
    }

    /// Returns capabilities, extensions and Vulkan features of the set as sorted names for the
    /// reflection. Features that only OpenGL has are omitted.
    pub(crate) fn requirements(self, target: Target) -> Requirements {
        let features = self.entries().filter_map(|entry| entry.feature.as_ref());
        let features = features.filter(|feature| feature.is_of_vulkan);
        Requirements {
            capabilities: sort_unique(self.entries().map(|entry| entry.name)),
            extensions: sort_unique(self.extensions(target)),
            features: sort_unique(features.map(|feature| feature.name)),
        }
    }
}

/// Returns the names sorted and without duplicates, as modules declare capabilities and extensions.
fn sort_unique(names: impl Iterator<Item = &'static str> + Clone) -> Vec<&'static str> {
    // With capacity for all of them, because growing a list allocates twice.
    let mut list = Vec::with_capacity(names.clone().count());
    list.extend(names);
    // In an order that is independent of the order of the table, which may change.
    list.sort_unstable();
    list.dedup();
    list
}
