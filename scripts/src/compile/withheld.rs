//! Features that the compiler is not told about although the device has them, so that what it does on lesser devices can be tried on this one.

use glasm::DeviceFeatures;
use std::collections::BTreeSet;

/// The features that are withheld.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Withheld {
    names: BTreeSet<String>,
}

impl Withheld {
    /// Names of all features that can be withheld.
    pub fn known() -> BTreeSet<&'static str> {
        DeviceFeatures::names().into_iter().collect()
    }

    /// The features of these names.
    ///
    /// # Errors
    /// If there is none of a name, with the names that there are.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let known = Self::known();
        let mut withheld = Self::default();
        for name in names {
            if !known.contains(name) {
                let known = Vec::from_iter(known).join(", ");
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

    /// What the compiler is told of a device.
    pub fn told(&self, device: DeviceFeatures) -> DeviceFeatures {
        device.without(|name| self.hides(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(names: &[&str]) -> DeviceFeatures {
        let withheld = Withheld::new(names.iter().copied()).unwrap();
        withheld.told(DeviceFeatures::default())
    }

    #[test]
    fn every_name_hides_something() {
        let everything = DeviceFeatures {
            signed_zero_inf_nan_preserve_float32: true,
            denorm_flush_to_zero_float32: true,
            ..DeviceFeatures::default().with(|_| true)
        };
        for name in Withheld::known() {
            let less = Withheld::new([name]).unwrap().told(everything);
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
