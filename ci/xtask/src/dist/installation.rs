//! Tests of packages where users install them: root file systems of Debian with Mesa, without Rust.
//!
//! They are created once by mmdebstrap. Commands run in them with a separate view of the file
//! system, so that nothing of the machine changes.

use crate::installed;
use anyhow::{Context as _, Result, bail, ensure};
use glasm_ci_support::counts::{Counts, Skip};
use glasm_ci_support::shell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Suites of Debian: versions 12 and 13.
const SUITES: [&str; 2] = ["bookworm", "trixie"];

/// Exit status of the script that creates root file systems, if packages cannot be downloaded.
const UNAVAILABLE: i32 = 75;

/// Programs that the tests need. None of them is part of the root file systems.
const PROGRAMS: [&str; 4] = ["chroot", "mmdebstrap", "mount", "unshare"];

/// Application of the vendor library, and its image as documents show it.
const APPLICATION: &str = "glvendor/examples/knot.c";
const APPLICATION_IMAGE: &str = "docs/images/knot.png";

/// Script of a program that `glasm run` draws.
const SAMPLE: &str = "shaders/torus.shader_test";

/// Steps of 255 by which a channel of a pixel may differ from the image of the documents. Versions
/// of Mesa compute positions and powers with different last bits.
const TOLERANCE: u8 = 8;

/// Part of all pixels that may differ by more, at edges of shapes: one in this number.
const PIXELS_PER_OUTLIER: usize = 200;

/// Fails with [`Skip`] if a program is missing or if this process cannot create root file systems.
pub(super) fn check_tools() -> Result<()> {
    for name in PROGRAMS {
        installed::require_program(name)?;
    }
    let mut unshare = Command::new("unshare");
    let mounts = shell::capture_output(unshare.args(["--mount", "true"]))?;
    ensure!(
        mounts.status.success(),
        Skip::with_reason("root file systems need the privilege to mount directories")
    );
    Ok(())
}

/// Installs the packages of a directory in each suite of Debian, tests and removes them. Returns the
/// counts of the checks; [`check_tools`] must have succeeded. A suite that cannot be downloaded is
/// skipped.
pub(super) fn test_packages(packages: &Path) -> Result<Counts> {
    let expected = Image::read_png(Path::new(APPLICATION_IMAGE))?;
    let packages = std::path::absolute(packages)?;
    let mut counts = Counts::default();
    for suite in SUITES {
        println!("Debian {suite}");
        counts += Counts::from_step(test_in_suite(suite, &packages, &expected))?;
    }
    Ok(counts)
}

/// Tests packages in one suite.
fn test_in_suite(suite: &str, packages: &Path, expected: &Image) -> Result<Counts> {
    let root = create_root(suite)?;
    let shared = std::path::absolute(shell::below_target("packages/shared"))?;
    write_shared_files(&shared)?;
    let output = shared.join("output");
    shell::create_empty_dir(&output)?;
    let mut run = Command::new("unshare");
    run.args(["--mount", "--pid", "--fork", "--kill-child", "sh", "-euc"]);
    run.arg(
        "mkdir -p \"$ROOT/glasm\"
        mount --bind \"$SHARED\" \"$ROOT/glasm\"
        mount --bind \"$PACKAGES\" \"$ROOT/glasm/packages\"
        mount -t proc proc \"$ROOT/proc\"
        mount --rbind /dev \"$ROOT/dev\"
        mount -t tmpfs tmpfs \"$ROOT/tmp\"
        exec chroot \"$ROOT\" /usr/bin/env -i PATH=\"$PATH\" bash /glasm/test.sh",
    );
    run.env("ROOT", &root).env("SHARED", &shared);
    run.env("PACKAGES", packages);
    run.env(
        "PATH",
        "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    );
    let transcript = shell::run_and_capture(&mut run)?;
    let mut counts = count_checks(&transcript.text);
    ensure!(
        transcript.success,
        "the tests in {} ended early",
        root.display()
    );
    for image in shell::find_files_below(&output, "ppm")? {
        let is_equal = Image::read_ppm(&image)?.is_similar(expected);
        if !is_equal {
            let text = format!("FAIL {} differs from {APPLICATION_IMAGE}", image.display());
            shell::report_failure(&text);
        }
        counts += Counts::from_check(is_equal);
    }
    Ok(counts)
}

/// Creates the root file system of a suite unless it exists, and returns its path. Fails with
/// [`Skip`] if packages cannot be downloaded.
fn create_root(suite: &str) -> Result<PathBuf> {
    let root = std::path::absolute(shell::below_target("packages/roots"))?.join(suite);
    if root.exists() {
        return Ok(root);
    }
    shell::create_dir(root.parent().unwrap_or(Path::new(".")))?;
    println!("creating {}", root.display());
    let mut script = Command::new("bash");
    script.args([
        "-c",
        include_str!("installation/create_root.sh"),
        "bash",
        suite,
    ]);
    match script.arg(&root).status()?.code() {
        Some(0) => Ok(root),
        Some(UNAVAILABLE) => {
            let reason = format!("packages of Debian {suite} cannot be downloaded");
            Err(Skip::with_reason(reason).into())
        }
        _ => bail!("the root file system of Debian {suite} cannot be created"),
    }
}

/// Writes the files that the tests in a root file system read.
fn write_shared_files(directory: &Path) -> Result<()> {
    shell::create_empty_dir(directory)?;
    shell::create_dir(&directory.join("packages"))?;
    for (name, text) in [
        ("test.sh", include_str!("installation/test.sh")),
        ("client.c", include_str!("installation/client.c")),
        (
            "CMakeLists.txt",
            include_str!("installation/CMakeLists.txt"),
        ),
    ] {
        fs::write(directory.join(name), text)?;
    }
    for (name, source) in [("knot.c", APPLICATION), ("sample.shader_test", SAMPLE)] {
        fs::copy(source, directory.join(name)).context(source)?;
    }
    Ok(())
}

/// Counts the lines of a test's output that report checks.
fn count_checks(output: &str) -> Counts {
    let mut counts = Counts::default();
    for line in output.lines() {
        if line.starts_with("ok ") || line.starts_with("FAIL ") {
            counts += Counts::from_check(line.starts_with("ok "));
        }
    }
    counts
}

/// Image with three channels of eight bits per pixel, from the top.
#[derive(PartialEq, Eq, Debug)]
struct Image {
    width: u32,
    height: u32,
    channels: Vec<u8>,
}

impl Image {
    /// Reads an image in the format PNG, which has to have three channels of eight bits.
    fn read_png(path: &Path) -> Result<Self> {
        let name = || path.display().to_string();
        let file = std::io::BufReader::new(fs::File::open(path).with_context(name)?);
        let mut reader = png::Decoder::new(file).read_info().with_context(name)?;
        let size = reader.output_buffer_size().with_context(name)?;
        let mut channels = vec![0; size];
        let info = reader.next_frame(&mut channels).with_context(name)?;
        let is_rgb = info.color_type == png::ColorType::Rgb;
        ensure!(
            is_rgb && info.bit_depth == png::BitDepth::Eight,
            "{} has another format",
            path.display()
        );
        Ok(Self {
            width: info.width,
            height: info.height,
            channels,
        })
    }

    /// Reads an image in the binary format of PPM with one line for each entry of its header.
    fn read_ppm(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        Self::parse_ppm(&bytes).with_context(|| format!("{} is incomplete", path.display()))
    }

    /// Parses an image in the binary format of PPM; `None` if it has another format.
    fn parse_ppm(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut words = Vec::new();
        while words.len() < 4 {
            let end = rest.iter().position(u8::is_ascii_whitespace)?;
            words.push(std::str::from_utf8(&rest[..end]).ok()?);
            rest = &rest[end + 1..];
        }
        let [width, height] = [words[1].parse().ok()?, words[2].parse().ok()?];
        let is_complete = (rest.len() as u64) == u64::from(width) * u64::from(height) * 3;
        (words[0] == "P6" && words[3] == "255" && is_complete).then(|| Self {
            width,
            height,
            channels: rest.to_vec(),
        })
    }

    /// Returns true if two images have the same size and nearly the same pixels.
    fn is_similar(&self, other: &Self) -> bool {
        let pixels = self.channels.chunks_exact(3);
        let outliers = pixels.zip(other.channels.chunks_exact(3)).filter(|(a, b)| {
            let mut channels = a.iter().zip(*b);
            channels.any(|(a, b)| a.abs_diff(*b) > TOLERANCE)
        });
        let size = (self.width, self.height);
        size == (other.width, other.height)
            && outliers.count() * PIXELS_PER_OUTLIER <= self.channels.len() / 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_counted() {
        let counts = count_checks("$ command\nok a\nFAIL b: exit status 1\nokay\nok c\n");
        assert_eq!((counts.passed, counts.failed), (2, 1));
    }

    #[test]
    fn images_are_compared_by_pixels() {
        let image = |first: u8| {
            let mut bytes = b"P6\n20 20\n255\n".to_vec();
            bytes.resize(bytes.len() + 20 * 20 * 3, 100);
            let start = bytes.len() - 20 * 20 * 3;
            // Three pixels.
            bytes[start..start + 9].fill(first);
            Image::parse_ppm(&bytes).expect("an image")
        };
        assert!(image(100).is_similar(&image(108)));
        // 3 of 400 pixels are more than 1 of 200.
        assert!(!image(100).is_similar(&image(109)));
        assert_eq!(Image::parse_ppm(b"P6\n2 2\n255\n123"), None);
        assert_eq!(Image::parse_ppm(b"P6\n2"), None);
    }
}
