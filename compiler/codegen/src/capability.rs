//! What a module needs of the device: the capabilities of the table of features, as a set.

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

/// One need: what it brings with it.
struct Row {
    capability: Capability,
    name: &'static str,
    /// Extension, and the target from which on it is core.
    extension: Option<(&'static str, Option<Target>)>,
    /// What a device has that meets it.
    feature: Option<Feature>,
}

/// Something that devices have or lack.
struct Feature {
    name: &'static str,
    is_of_vulkan: bool,
    /// Whether a device has it, as far as the compiler is told.
    is_in: fn(&DeviceFeatures) -> bool,
}

/// The extensions of needs that have one.
macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

/// What the options say of the device, by the column of the table; what they do not tell is there.
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
        // Variants and rows come from one list, in one order: a need is the index of its row.
        /// Something that a module needs.
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

// The version of Vulkan whose SPIR-V has an extension in its core: 1.1 has SPIR-V 1.3, 1.2 has 1.5, 1.3 has 1.6.
const V11: Option<Target> = Some(Target::Vulkan1_1);
const V12: Option<Target> = Some(Target::Vulkan1_2);
const V13: Option<Target> = Some(Target::Vulkan1_3);
const NEVER: Option<Target> = None;

device_features! { needs {} }

impl Need {
    /// What an array of distances needs.
    pub(crate) const fn of(distances: Distances) -> Self {
        match distances {
            Distances::Clip => Self::ClipDistance,
            Distances::Cull => Self::CullDistance,
        }
    }

    /// Whether the device meets it, as far as the compiler is told.
    pub(crate) fn is_met(self, device: &DeviceFeatures) -> bool {
        let feature = ROWS[self as usize].feature.as_ref();
        feature.is_none_or(|feature| (feature.is_in)(device))
    }

    /// An error if the device lacks it, as far as the compiler is told.
    pub(crate) fn check(self, device: &DeviceFeatures) -> Result<(), Failure> {
        match &ROWS[self as usize].feature {
            Some(feature) if !(feature.is_in)(device) => Err(Error::missing_feature(feature.name)),
            Some(_) | None => Ok(()),
        }
    }
}

/// An error if a stage has no operations on subgroups.
pub(crate) fn check_subgroups(device: &DeviceFeatures, stage: Stage) -> Result<(), Failure> {
    if device.subgroups.stages[stage as usize] {
        Ok(())
    } else {
        let what = format!("{SUBGROUPS} in {} programs", stage.name());
        Err(Error::missing_feature(SUBGROUPS).calling_it(&what))
    }
}

/// An ordered set of [`Need`]s.
// One bit for each row of the table, which has fewer than 128.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Needs(u128);

impl Needs {
    /// Adds `need`.
    pub(crate) fn insert(&mut self, need: Need) {
        self.0 |= 1 << need as u32;
    }

    /// Adds `need` if the device meets it.
    pub(crate) fn require(&mut self, device: &DeviceFeatures, need: Need) -> Result<(), Failure> {
        need.check(device)?;
        self.insert(need);
        Ok(())
    }

    /// Whether `need` is in the set.
    pub(crate) fn contains(self, need: Need) -> bool {
        self.0 >> need as u32 & 1 != 0
    }

    fn rows(self) -> impl Iterator<Item = &'static Row> + Clone {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            // An empty set has 128 trailing zeros, more than there are rows.
            let row = ROWS.get(rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(row)
        })
    }

    /// Writes the capabilities, then the extensions.
    pub(crate) fn write(self, target: Target, words: &mut Words) {
        // Few rows share a capability or an extension, and each set is small.
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
        // Behind all capabilities: SPIR-V section 2.4, logical layout of a module.
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
            // Versions that have it in their core do not need the declaration. OpenGL comes before all of them.
            Some((name, core)) if core.is_none_or(|core| target < core) => Some(name),
            _ => None,
        })
    }

    /// The set as the reflection shows it.
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

/// The names in order, each once.
fn sorted(names: impl Iterator<Item = &'static str> + Clone) -> Vec<&'static str> {
    // As many as there are, because a list that grows takes memory twice.
    let mut list = Vec::with_capacity(names.clone().count());
    list.extend(names);
    // In an order that does not depend on the table, whose rows may be moved.
    list.sort_unstable();
    list.dedup();
    list
}
