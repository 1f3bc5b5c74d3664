//! Checks that the compiler rejects programs for missing features of the device, and only for
//! those; and the formats of a script's image units, for devices that must find them in the module.
//! Pure.

use crate::format::Format;
use crate::script::{Command, ImageKey, Script};
use glasm::ir::Stage;
use glasm::{Code, DeviceFeatures, Diagnostic, Severity, TexelFormat};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the message of an error that blames the device for lacking a feature that the compiler
/// was informed of, or one that the compiler cannot know. `None` if no error does so.
pub fn find_wrong_feature_error<'d>(
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
pub struct DisabledFeatures {
    names: BTreeSet<String>,
}

impl DisabledFeatures {
    /// Returns the names of all features that can be withheld.
    pub fn available_names() -> BTreeSet<&'static str> {
        DeviceFeatures::names().into_iter().collect()
    }

    /// Creates a selection of the features with these names.
    ///
    /// # Errors
    /// If a feature does not exist; the error lists the valid names.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let available = Self::available_names();
        let mut disabled = Self::default();
        for name in names {
            if !available.contains(name) {
                let known = Vec::from_iter(available).join(", ");
                return Err(format!("no feature `{name}`; there are {known}"));
            }
            disabled.names.insert(name.to_owned());
        }
        Ok(disabled)
    }

    /// Returns true if a feature is withheld.
    pub fn is_disabled(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Returns the features of a device without those that are withheld, for the compiler.
    pub fn reported_features(&self, device: DeviceFeatures) -> DeviceFeatures {
        device.without(|name| self.is_disabled(name))
    }
}

/// Returns the format that each image unit has throughout the script, by unit; `None` if it
/// changes, since a module cannot declare several, if the unit is not used, or if programs have no
/// name for the format.
pub(super) fn image_formats(script: &Script) -> Vec<Option<TexelFormat>> {
    let mut formats_by_key: BTreeMap<ImageKey, Option<TexelFormat>> = BTreeMap::new();
    for step in &script.steps {
        let (binding, format) = if let Command::Image { key, update } = &step.command {
            (*key, texel_format(&update.shape.format))
        } else if let Command::BindImage { binding, bound } = &step.command {
            let image_format = || formats_by_key.get(&bound.image).copied().flatten();
            let given = bound.format.as_ref();
            (*binding, given.map_or_else(image_format, texel_format))
        } else {
            continue;
        };
        let recorded = formats_by_key.entry(binding).or_insert(format);
        if *recorded != format {
            *recorded = None;
        }
    }
    let units = formats_by_key
        .iter()
        .filter_map(|(key, format)| Some((key.unit()? as usize, *format)));
    let mut formats = Vec::new();
    for (unit, format) in units {
        formats.resize(formats.len().max(unit + 1), None);
        formats[unit] = format;
    }
    formats
}

/// Returns the format that programs can declare; `None` if they cannot.
fn texel_format(format: &Format) -> Option<TexelFormat> {
    TexelFormat::from_vulkan_name(&format!("{:?}", format.vk))
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
            let mut parts = glasm::split_programs(program.text.as_bytes());
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
            let message = find_wrong_feature_error(&device, dialect.stage(), &errors.list);
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
            find_wrong_feature_error(&device, Stage::Vertex, [&error]).is_some()
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
        let withheld = DisabledFeatures::new(names.iter().copied()).unwrap();
        withheld.reported_features(DeviceFeatures::default())
    }

    #[test]
    fn every_name_hides_something() {
        let everything = DeviceFeatures {
            signed_zero_inf_nan_preserve_float32: true,
            denorm_flush_to_zero_float32: true,
            ..DeviceFeatures::default().with(|_| true)
        };
        for name in DisabledFeatures::available_names() {
            let less = DisabledFeatures::new([name])
                .unwrap()
                .reported_features(everything);
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
        let error = DisabledFeatures::new(["shaderInt65"]).unwrap_err();
        assert!(
            error.starts_with("no feature `shaderInt65`; there are "),
            "{error}"
        );
        assert!(
            error.contains("shaderInt64, ") && error.contains("subgroupVote"),
            "{error}"
        );
    }

    #[test]
    fn units_with_one_format_have_it() {
        let script = Script::parse(
            b"[test]\nimage 2D 1 R8G8B8A8_UNORM (2, 2)\nimage 2D 2 R32_UINT (1, 1)\nimage 2D 2 R32_SINT (1, 1)\n\
              image 2D 1 level 1 R8G8B8A8_UNORM (1, 1)\nimage 2D 3 R8G8B8A8_SRGB (1, 1)\nimage 2D 0:1 R8_UNORM (1, 1)\n",
        );
        let formats = image_formats(&script.unwrap());
        assert_eq!(formats, [None, Some(TexelFormat::Rgba8), None, None]);
        let script = Script::parse(
            b"[test]\nimage 2D 1 R8_SNORM (2, 2)\nbind image 2 1\nimage 2D 0 R8_UNORM (1, 1)\nbind image 0 1\n\
              bind image 3 1 format R8_UINT\n",
        );
        let formats = image_formats(&script.unwrap());
        let snorm = Some(TexelFormat::R8Snorm);
        assert_eq!(formats, [None, snorm, snorm, Some(TexelFormat::R8ui)]);
        let none = Script::parse(b"[test]\n").unwrap();
        assert!(image_formats(&none).is_empty());
    }
}
