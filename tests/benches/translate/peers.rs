//! naga on the same shader in GLSL.

use naga::back::spv;
use naga::front::glsl;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// GLSL to SPIR-V, without debug names and without the checks that naga can inject.
pub(crate) fn naga(text: &str) -> Result<Vec<u32>, String> {
    let options = glsl::Options::from(naga::ShaderStage::Fragment);
    let module = glsl::Frontend::default()
        .parse(&options, text)
        .map_err(|error| format!("{error:?}"))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| format!("{error:?}"))?;
    let options = spv::Options {
        flags: spv::WriterFlags::empty(),
        force_loop_bounding: false,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..spv::Options::default()
    };
    spv::write_vec(&module, &info, &options, None).map_err(|error| format!("{error:?}"))
}
