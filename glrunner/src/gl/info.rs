//! What is known of a device before scripts run on it.

/// A version of OpenGL, major and minor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version(pub u32, pub u32);

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// A device that can run scripts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceInfo {
    /// Its number for [`DeviceChoice::Index`](glasm_scripts::device::DeviceChoice::Index).
    pub index: usize,
    /// What OpenGL calls the renderer.
    pub name: String,
    /// Who made the driver or the device.
    pub vendor: String,
    /// The version of OpenGL.
    pub version: Version,
    /// Name and version of the driver.
    pub driver: String,
}

impl DeviceInfo {
    /// Whether name or vendor contain the text, whatever the case of its letters.
    pub(super) fn is_called(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        [&self.name, &self.vendor]
            .iter()
            .any(|name| name.to_lowercase().contains(&text))
    }
}
