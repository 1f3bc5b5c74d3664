//! `glasm devices`: lists the Vulkan devices.

use crate::console::{Console, Fatal, Status};

/// Prints a line for each device.
pub(crate) fn devices(console: Console) -> Result<Status, Fatal> {
    let devices = glasm_vkrunner::devices().map_err(|error| Fatal(error.to_string()))?;
    if devices.is_empty() {
        return Err(Fatal("no Vulkan device found".to_owned()));
    }
    for device in &devices {
        let line = format!(
            "{}: {} ({}, Vulkan {}, {})\n",
            device.index, device.name, device.device_type, device.api_version, device.driver
        );
        console.out(line)?;
    }
    Ok(Status::Success)
}
