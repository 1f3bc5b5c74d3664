//! Features that the compiler is not told about although the device has them, so that what it does on lesser devices can be tried on this one.

use super::device_features;
use glasm::{DeviceFeatures, Subgroups};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Changes what the compiler is told.
type Limit = fn(&mut DeviceFeatures);

/// What has no name among the features that a device is asked for.
const OTHERS: &[(&str, Limit)] = &[
    ("signedAtomics", |device| device.signed_atomics = false),
    ("shaderSignedZeroInfNanPreserveFloat32", |device| {
        device.signed_zero_inf_nan_preserve_float32 = false;
    }),
    ("subgroups", |device| {
        device.subgroups = Subgroups {
            stages: [false; 6],
            vote: false,
            ballot: false,
            shuffle: false,
            quad: false,
            ..device.subgroups
        }
    }),
    ("subgroupVote", |device| device.subgroups.vote = false),
    ("subgroupBallot", |device| device.subgroups.ballot = false),
    ("subgroupShuffle", |device| device.subgroups.shuffle = false),
    ("subgroupQuad", |device| device.subgroups.quad = false),
];

/// The features that are withheld.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Withheld {
    names: BTreeSet<String>,
}

impl Withheld {
    /// Names of all features that can be withheld.
    pub fn known() -> Vec<String> {
        let asked = RefCell::new(BTreeSet::new());
        device_features(|name| {
            asked.borrow_mut().insert(name.to_owned());
            true
        });
        let others = OTHERS.iter().map(|(name, _)| (*name).to_owned());
        asked.into_inner().into_iter().chain(others).collect()
    }

    /// The features of these names.
    ///
    /// # Errors
    /// If there is none of a name, with the names that there are.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let known = Self::known();
        let mut withheld = Self::default();
        for name in names {
            if !known.iter().any(|one| one == name) {
                let known = known.join(", ");
                return Err(format!("no feature `{name}`; there are {known}"));
            }
            withheld.names.insert(name.to_owned());
        }
        Ok(withheld)
    }

    /// Whether a feature is withheld.
    pub fn hides(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// What the compiler is told of a device that has those features of which `has` says so, and `rest` of what has no such name.
    pub fn told(&self, rest: DeviceFeatures, has: impl Fn(&str) -> bool) -> DeviceFeatures {
        let mut device = DeviceFeatures {
            robust_buffer_access2: rest.robust_buffer_access2,
            signed_atomics: rest.signed_atomics,
            subgroups: rest.subgroups,
            signed_zero_inf_nan_preserve_float32: rest.signed_zero_inf_nan_preserve_float32,
            ..device_features(|name| has(name) && !self.hides(name))
        };
        for (_, limit) in OTHERS.iter().filter(|(name, _)| self.hides(name)) {
            limit(&mut device);
        }
        device
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(names: &[&str]) -> DeviceFeatures {
        let withheld = Withheld::new(names.iter().copied()).unwrap();
        withheld.told(DeviceFeatures::default(), |_| true)
    }

    #[test]
    fn every_name_hides_something() {
        let all = Withheld {
            names: BTreeSet::new(),
        };
        let rest = DeviceFeatures {
            signed_zero_inf_nan_preserve_float32: true,
            ..DeviceFeatures::default()
        };
        let everything = all.told(rest, |_| true);
        for name in Withheld::known() {
            let less = Withheld::new([name.as_str()]).unwrap().told(rest, |_| true);
            assert_ne!(less, everything, "{name}");
        }
    }

    #[test]
    fn the_compiler_is_told_less() {
        assert!(told(&[]).int64);
        let device = told(&["shaderInt64", "storageBuffer16BitAccess", "subgroupVote"]);
        assert!(!device.int64 && !device.int16 && device.int8 && device.float64);
        assert!(!device.subgroups.vote && device.subgroups.ballot);
    }

    #[test]
    fn unknown_names_are_told_with_those_that_are_known() {
        let error = Withheld::new(["shaderInt65"]).unwrap_err();
        assert!(
            error.starts_with("no feature `shaderInt65`; there are "),
            "{error}"
        );
        assert!(
            error.contains("shaderInt64, ") && error.contains("subgroupVote"),
            "{error}"
        );
    }
}
