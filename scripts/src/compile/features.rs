//! The compiler's features by the names that scripts and Vulkan have for them.

use glasm::ir::Stage;
use glasm::{Code, DeviceFeatures, Diagnostic, Severity, lacking};

macro_rules! features {
    ($($member:ident: $($name:literal)+,)*) => {
        /// The features that the compiler asks about, for a device that has those of which `has` says so. What has no name is as in a usual
        /// device.
        pub fn device_features(has: impl Fn(&str) -> bool) -> DeviceFeatures {
            DeviceFeatures {
                $($member: $(has($name))&&+,)*
                ..DeviceFeatures::default()
            }
        }

        /// Whether the compiler was told that the device has the feature of this name; `None` if it does not ask about it.
        pub fn has_feature(device: &DeviceFeatures, name: &str) -> Option<bool> {
            match name {
                $($($name)|+ => Some(device.$member),)*
                _ => None,
            }
        }
    };
}

// A member with several names stands for all of them together.
features! {
    float64: "shaderFloat64",
    int64: "shaderInt64",
    int16: "shaderInt16" "storageBuffer16BitAccess",
    int8: "shaderInt8" "storageBuffer8BitAccess",
    buffer_device_address: "bufferDeviceAddress",
    demote_to_helper_invocation: "shaderDemoteToHelperInvocation",
    int64_atomics: "shaderBufferInt64Atomics",
    draw_parameters: "shaderDrawParameters",
    shared_int64_atomics: "shaderSharedInt64Atomics",
    buffer_float32_atomic_add: "shaderBufferFloat32AtomicAdd",
    buffer_float64_atomic_add: "shaderBufferFloat64AtomicAdd",
    uniform_buffer_dynamic_indexing: "shaderUniformBufferArrayDynamicIndexing",
    storage_buffer_dynamic_indexing: "shaderStorageBufferArrayDynamicIndexing",
    uniform_buffer_non_uniform_indexing: "shaderUniformBufferArrayNonUniformIndexing",
    storage_buffer_non_uniform_indexing: "shaderStorageBufferArrayNonUniformIndexing",
    image_gather_extended: "shaderImageGatherExtended",
    sampled_image_dynamic_indexing: "shaderSampledImageArrayDynamicIndexing",
    sampled_image_non_uniform_indexing: "shaderSampledImageArrayNonUniformIndexing",
    storage_image_dynamic_indexing: "shaderStorageImageArrayDynamicIndexing",
    storage_image_non_uniform_indexing: "shaderStorageImageArrayNonUniformIndexing",
    storage_image_read_without_format: "shaderStorageImageReadWithoutFormat",
    storage_image_write_without_format: "shaderStorageImageWriteWithoutFormat",
    resource_residency: "shaderResourceResidency",
    resource_min_lod: "shaderResourceMinLod",
    uniform_texel_buffer_dynamic_indexing: "shaderUniformTexelBufferArrayDynamicIndexing",
    uniform_texel_buffer_non_uniform_indexing: "shaderUniformTexelBufferArrayNonUniformIndexing",
    storage_texel_buffer_dynamic_indexing: "shaderStorageTexelBufferArrayDynamicIndexing",
    storage_texel_buffer_non_uniform_indexing: "shaderStorageTexelBufferArrayNonUniformIndexing",
    sm_builtins: "shaderSMBuiltins",
    geometry_shader: "geometryShader",
    multi_viewport: "multiViewport",
    viewport_array2: "VK_NV_viewport_array2",
    fully_covered: "fullyCoveredFragmentShaderInputVariable",
    sample_rate_shading: "sampleRateShading",
}

/// The message of an error that blames the device for lacking something that the compiler was told it has, or something that it cannot
/// know. `None` if there is no such error.
pub fn wrong_blame<'d>(
    device: &DeviceFeatures,
    stage: Stage,
    errors: impl IntoIterator<Item = &'d Diagnostic>,
) -> Option<&'d str> {
    let blamed = errors
        .into_iter()
        .filter(|error| error.severity != Severity::Warning && error.code == Code::FeatureMissing);
    let mut messages = blamed.map(|error| error.message.as_str());
    messages.find(|message| {
        let missing = lacking(message);
        !missing.is_some_and(|what| is_lacking(device, stage, what))
    })
}

/// Whether a device lacks what the compiler names: a feature, perhaps with words behind it, or operations of subgroups.
fn is_lacking(device: &DeviceFeatures, stage: Stage, what: &str) -> bool {
    let name = what.split([' ', ',']).next().unwrap_or_default();
    // The emulation of masks of viewports and of second views needs both.
    let replicates = device.geometry_shader && device.multi_viewport;
    if what.starts_with("geometryShader with multiViewport") {
        return !replicates;
    }
    if let Some(has) = has_feature(device, name) {
        return !has;
    }
    let subgroups = &device.subgroups;
    let Some(what) = what.strip_suffix(&format!(" in {} programs", stage.name())) else {
        return false;
    };
    let operations = match what {
        "subgroups" => true,
        "subgroup votes" => subgroups.vote,
        "subgroup ballots" => subgroups.ballot,
        "subgroup shuffles" => subgroups.shuffle,
        "subgroup quad operations" => subgroups.quad,
        _ => return false,
    };
    !(operations && subgroups.stages[stage as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::{Options, Source, Subgroups};
    use glasm_tests::scripts::{Expected, all_programs};

    /// How many errors of all programs of the scripts blame the device, and what goes wrong: errors that blame it wrongly, and modules that
    /// use what it lacks.
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
                    let mut lacking =
                        needed.filter(|name| has_feature(&device, name) == Some(false));
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
        let subgroups = Subgroups {
            stages: [false; 6],
            ..Subgroups::default()
        };
        let (count, wrong) = blames(DeviceFeatures {
            subgroups,
            ..device_features(|_| false)
        });
        assert_eq!(wrong, Vec::<String>::new());
        assert!(count > 50, "{count}");
    }

    #[test]
    fn the_compiler_must_not_blame_what_it_was_told_is_there() {
        let device = device_features(|name| name != "shaderInt64");
        let wrong = |code: Code, what: &str| {
            let error =
                Diagnostic::whole_program(code, &*format!("the device lacks the feature {what}"));
            wrong_blame(&device, Stage::Vertex, [&error]).is_some()
        };
        for (what, expected) in [
            ("shaderInt64", false),
            ("shaderInt64, and DIV.S64 is not emulated", false),
            ("shaderFloat64", true),
            ("shaderInt16", true),
            ("subgroups in vertex programs", true),
            ("subgroup votes in vertex programs", true),
            ("geometryShader with multiViewport for second views", true),
            ("shaderNothing", true),
        ] {
            assert_eq!(wrong(Code::FeatureMissing, what), expected, "{what}");
            assert!(!wrong(Code::Unsupported, what));
        }
        let unknown = Diagnostic::whole_program(Code::FeatureMissing, "no room");
        assert!(wrong_blame(&device, Stage::Vertex, [&unknown]).is_some());
    }
}
