//! Which device of a machine runs scripts.

/// Which device to run on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum DeviceChoice {
    /// The fastest kind of device present: a GPU if there is one, else what runs on the CPU.
    #[default]
    Best,
    /// By number, as the runner counts its devices.
    Index(usize),
    /// The first device whose name contains this text, whatever the case of its letters. Runners may know devices by other names, too:
    /// Vulkan's finds `lavapipe`, OpenGL's the vendor.
    Name(String),
}

impl DeviceChoice {
    /// Reads a number as an index and anything else as part of a name.
    pub fn parse(text: &str) -> Self {
        match text.parse() {
            Ok(index) => Self::Index(index),
            Err(_) => Self::Name(text.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_choose_by_index() {
        assert_eq!(DeviceChoice::parse("1"), DeviceChoice::Index(1));
        assert_eq!(
            DeviceChoice::parse("llvmpipe"),
            DeviceChoice::Name("llvmpipe".into())
        );
    }
}
