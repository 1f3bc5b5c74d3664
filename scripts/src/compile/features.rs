//! Checks that the compiler rejects programs for missing features of the device, and only for
//! those.

use glasm::ir::Stage;
use glasm::{Code, DeviceFeatures, Diagnostic, Severity};
use std::collections::BTreeSet;

/// Returns the message of an error that blames the device for lacking a feature that the compiler
/// was informed of, or one that the compiler cannot know. `None` if there is no such error.
pub fn wrong_blame<'d>(
    device: &DeviceFeatures,
    stage: Stage,
    errors: impl IntoIterator<Item = &'d Diagnostic>,
) -> Option<&'d str> {
    let mut blamed = errors
        .into_iter()
        .filter(|error| error.severity != Severity::Warning && error.code == Code::FeatureMissing);
    let lacks = |name| device.lacks(name, stage) == Some(true);
    let wrong = blamed.find(|error| !error.feature.as_deref().is_some_and(lacks));
    wrong.map(|error| error.message.as_str())
}

/// Features that are withheld.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Withheld {
    names: BTreeSet<String>,
}

impl Withheld {
    /// Returns the names of all features that can be withheld.
    pub fn known() -> BTreeSet<&'static str> {
        DeviceFeatures::names().into_iter().collect()
    }

    /// Creates a selection of the features with these names.
    ///
    /// # Errors
    /// If a feature does not exist; the error lists the valid names.
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

    /// Returns true if a feature is withheld.
    pub fn hides(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Returns the features that the compiler may use of a device.
    pub fn told(&self, device: DeviceFeatures) -> DeviceFeatures {
        device.without(|name| self.hides(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::{Options, Source, Subgroups};
    use glasm_tests::scripts::{Expected, all_programs};

    /// Returns the number of errors of all programs of the scripts that blame the device, and the
    /// failures: errors that blame it wrongly, and modules that use features that it lacks.
    fn blames(device: DeviceFeatures) -> (usize, Vec<String>) {
        let options = Options {
            device,
            ..Options::default()
        };
        let (mut count, mut wrong) = (0, Vec::new());
        for program in all_programs() {
            let mut parts = glasm::programs(program.text.as_bytes());
            let dialect = parts.next().and_then(|part| part.dialect);
            let (Some(dialect), Expected::Loads) = (dialect, program.expected) else {
                continue;
            };
            let errors = match glasm::compile(&Source::new("a", &program.text), &options) {
                Ok(shader) => {
                    let needed = shader.reflection.requirements.features.iter();
                    let lacks = |name: &&&str| device.lacks(name, dialect.stage()) == Some(true);
                    let mut lacking = needed.filter(lacks);
                    let name = lacking.next();
                    wrong.extend(name.map(|name| format!("{} uses {name}", program.name)));
                    continue;
                }
                Err(errors) => errors,
            };
            let blames = |error: &&Diagnostic| error.code == Code::FeatureMissing;
            count += errors.list.iter().filter(blames).count();
            let message = wrong_blame(&device, dialect.stage(), &errors.list);
            wrong.extend(message.map(|message| format!("{}: {message}", program.name)));
        }
        (count, wrong)
    }

    #[test]
    fn no_program_lacks_a_feature_that_is_there() {
        assert_eq!(blames(DeviceFeatures::default()), (0, Vec::new()));
    }

    #[test]
    fn what_programs_lack_is_understood() {
        let (count, wrong) = blames(DeviceFeatures {
            subgroups: Subgroups::NONE,
            ..DeviceFeatures::default().with(|_| false)
        });
        assert_eq!(wrong, Vec::<String>::new());
        assert!(count > 50, "{count}");
    }

    #[test]
    fn the_compiler_must_not_blame_what_it_was_told_is_there() {
        let device = DeviceFeatures::default().with(|name| name != "shaderInt64");
        let wrong = |code: Code, feature: Option<&'static str>| {
            let error = Diagnostic {
                feature: feature.map(Into::into),
                ..Diagnostic::whole_program(code, "lacking")
            };
            wrong_blame(&device, Stage::Vertex, [&error]).is_some()
        };
        for (feature, expected) in [
            (Some("shaderInt64"), false),
            (Some("shaderFloat64"), true),
            (Some("storageBuffer16BitAccess"), true),
            (Some("subgroups"), true),
            (Some("subgroupVote"), true),
            (Some("geometryShader"), true),
            (Some("shaderNothing"), true),
            (None, true),
        ] {
            let blamed = wrong(Code::FeatureMissing, feature);
            assert_eq!(blamed, expected, "{feature:?}");
            assert!(!wrong(Code::Unsupported, feature));
        }
        let none = DeviceFeatures {
            subgroups: Subgroups::NONE,
            ..device
        };
        assert_eq!(none.lacks("subgroups", Stage::Vertex), Some(true));
    }

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
