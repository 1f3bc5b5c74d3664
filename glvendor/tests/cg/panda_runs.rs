//! Runs of Panda3D with a shader of Cg, on any system: the profiles, and what they draw.

use crate::picture::ClientImage;
use crate::support::Vendor;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Edge of its window.
const SIZE: usize = 192;

/// An image with fewer colors is considered empty.
const LEAST_COLORS: usize = 1000;

/// Profiles that it selects from the supported ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Profiles {
    /// The newest ones: gp5vp and gp5fp, or glslv and glslf on the driver alone.
    Newest,
    /// arbvp1 and arbfp1.
    Basic,
}

/// One run of it.
pub(crate) struct PandaRun {
    pub(crate) name: &'static str,
    pub(crate) vendor: Vendor,
    profiles: Profiles,
    /// Messages of the library about the programs, if it executes them.
    loads: Option<[&'static str; 2]>,
}

/// The run that others are compared with.
pub(crate) static REFERENCE: PandaRun = PandaRun {
    name: "glsl",
    vendor: Vendor::Mesa,
    profiles: Profiles::Newest,
    loads: None,
};

/// Runs that are compared with it.
pub(crate) static RUNS: [PandaRun; 4] = [
    PandaRun {
        name: "arb_driver",
        vendor: Vendor::Mesa,
        profiles: Profiles::Basic,
        loads: None,
    },
    PandaRun {
        name: "arb",
        vendor: Vendor::Glasm,
        profiles: Profiles::Basic,
        loads: None,
    },
    PandaRun {
        name: "arb_alone",
        vendor: Vendor::GlasmAlone,
        profiles: Profiles::Basic,
        loads: Some(["ArbVp1_0", "ArbFp1_0"]),
    },
    PandaRun {
        name: "gp5",
        vendor: Vendor::Glasm,
        profiles: Profiles::Newest,
        loads: Some(["NvVp5_0", "NvFp5_0"]),
    },
];

impl PandaRun {
    /// Adds the script and its arguments to the command of Python.
    pub(crate) fn add_arguments(&self, command: &mut Command, picture: &Path) {
        command.arg("-B").arg(script()).arg(match self.profiles {
            Profiles::Newest => "newest",
            Profiles::Basic => "basic",
        });
        command.arg(picture).arg(SIZE.to_string());
        command.env("GLASM_LOG", "info");
    }

    /// Returns the image that it has drawn; otherwise its output.
    pub(crate) fn read_image(
        &self,
        output: &Output,
        picture: &Path,
    ) -> Result<ClientImage, String> {
        let told = String::from_utf8_lossy(&output.stderr);
        let has = |word: &str| {
            told.lines()
                .any(|it| it.starts_with("glasm: program ") && it.contains(word))
        };
        let is_loaded = match self.loads {
            Some(words) => words.into_iter().all(has),
            None => !told.contains("glasm: pipeline "),
        };
        let read = ClientImage::read(picture).filter(|_| output.status.success() && is_loaded);
        read.ok_or_else(|| format!("{}: {}\n{told}", self.name, output.status))
    }
}

/// Compares an image with that of the reference, from which its channels may differ by `max_steps`
/// of 255; otherwise returns how they differ.
pub(crate) fn compare_images(
    reference: &ClientImage,
    image: &ClientImage,
    max_steps: u8,
) -> Result<(), String> {
    let colors = reference.colors();
    if colors < LEAST_COLORS {
        return Err(format!("the reference has {colors} colors only"));
    }
    match reference.distance(image) {
        Some(distance) if distance.max_steps <= max_steps => Ok(()),
        distance => Err(format!("{distance:?}")),
    }
}

/// Returns the path of the script.
fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cg/scene.py")
}
