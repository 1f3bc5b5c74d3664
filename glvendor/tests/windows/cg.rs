//! NVIDIA's Cg runtime for Windows as an application, unmodified: the client and the cases of
//! `tests/cg` in each pair of profiles, compared with the runtime's GLSL on the driver alone.

use super::picture::ClientImage;
use super::profiles::{CASES, PAIRS, Pair, REFERENCE};
use super::support::{self, Vendor};
use super::{Setup, find_panda3d, find_setup, library_of};
use glasm_tests::skip::skip;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Edge length of the images.
const SIZE: usize = 128;

/// Maximum number of pixels at edges that may differ by more than a step, as on Linux.
const MAX_EDGE_PIXELS: usize = 8;

/// Cases of the pair that supports the fewest, `fp20`.
const LEAST_CASES: usize = 7;

/// An image with fewer colors is considered empty.
const LEAST_COLORS: usize = 8;

/// Images and messages of the client by cases.
type PairImages = BTreeMap<&'static str, Result<ClientImage, String>>;

/// Compares the images of a pair of profiles with those of the reference, and with those of Linux.
pub(super) fn test_pair(name: &str) {
    let Some(setup) = find_setup() else { return };
    let pair = PAIRS.iter().find(|it| it.name == name).unwrap();
    if pair.needs_text() && support::lacks_text() {
        return;
    }
    let Some(package) = find_panda3d() else {
        return;
    };
    static CLIENT: OnceLock<PathBuf> = OnceLock::new();
    let client = CLIENT.get_or_init(|| build_client(&setup, &package.join("panda3d")));
    static DRAWN: OnceLock<PairImages> = OnceLock::new();
    let reference = DRAWN.get_or_init(|| draw_pair(&setup, client, &REFERENCE));
    let images = draw_pair(&setup, client, pair);
    assert!(images.len() >= LEAST_CASES, "{} cases", images.len());
    let mut failures = String::new();
    for (case, image) in &images {
        if let Err(reason) = compare_images(&reference[case], image) {
            failures += &format!("{case}: {reason}\n");
        }
    }
    let linux = support::test_output_path("cg").join(pair.name);
    failures += &compare_with_linux(&linux, &images);
    assert!(failures.is_empty(), "{name}:\n{failures}");
    if !linux.exists() {
        skip("no images of Linux: run `cargo xtask test --only cg` before");
    }
}

/// Compares images with those in a directory of the test `cg`, with at most a step of rounding.
/// Returns the differences: an empty text without images.
fn compare_with_linux(linux: &Path, images: &PairImages) -> String {
    let mut failures = String::new();
    for (case, image) in images {
        let (Some(reference), Ok(image)) = (ClientImage::read(&image_path(linux, case)), image)
        else {
            continue;
        };
        let distance = reference.distance(image);
        if distance.is_none_or(|distance| distance.max_steps > 1) {
            failures += &format!("{case}: on Linux: {distance:?}\n");
        }
    }
    failures
}

/// Compares an image with its reference; otherwise returns how they differ.
fn compare_images(
    reference: &Result<ClientImage, String>,
    image: &Result<ClientImage, String>,
) -> Result<(), String> {
    let reference = reference
        .as_ref()
        .map_err(|reason| format!("reference: {reason}"))?;
    let image = image.as_ref().map_err(String::clone)?;
    let colors = reference.colors();
    if colors < LEAST_COLORS {
        return Err(format!("the reference has {colors} colors only"));
    }
    let distance = reference.distance(image).ok_or("another size")?;
    if distance.elsewhere > 0 || distance.at_edges > MAX_EDGE_PIXELS {
        return Err(format!("{distance:?}"));
    }
    Ok(())
}

/// Draws all cases of a pair of profiles.
fn draw_pair(setup: &Setup, client: &Path, pair: &'static Pair) -> PairImages {
    let pictures = client.with_file_name(pair.name);
    let _ = std::fs::remove_dir_all(&pictures);
    std::fs::create_dir_all(&pictures).unwrap();
    let programs = cg_folder().join("programs");
    let mut arguments = vec![programs.to_str().unwrap(), pair.name];
    arguments.extend(pair.stages());
    let cases = CASES.iter().filter(|it| pair.has(it));
    let cases: Vec<&str> = cases.map(|it| it.name).collect();
    arguments.extend(&cases);
    let mut command = setup.prepare(client, &arguments, library_of(pair.vendor));
    command.envs(pair.variables.iter().copied());
    if pair.vendor == Vendor::GlasmAlone {
        command.env("GLASM_COMPILE_ARB_PROGRAMS", "1");
    }
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).replace('\r', "");
    let images = cases.into_iter().map(|case| {
        let image = match find_messages(&text, case) {
            messages if messages.is_empty() => ClientImage::read(&image_path(&pictures, case))
                .ok_or_else(|| format!("no image; the client ended with {}", output.status)),
            messages => Err(messages),
        };
        (case, image)
    });
    images.collect()
}

/// Builds the client with the runtime, which another directory has, in its directory.
fn build_client(setup: &Setup, runtime: &Path) -> PathBuf {
    let directory = &setup.create_directory("cg");
    for name in ["cg.dll", "cgGL.dll"] {
        std::fs::copy(runtime.join(name), directory.join(name)).unwrap();
    }
    let clients = ["client.c", "client_windows.c"].map(|it| support::folder().join(it));
    let own = ["run.c", "cases.c", "shapes.c"].map(|it| cg_folder().join(it));
    let sources = [&clients[..], &own[..]].concat();
    support::write_header(directory, &sources);
    let program = directory.join("client.exe");
    let include = format!("-I{}", cg_folder().display());
    let search = format!("-L{}", directory.display());
    let size = format!("-DCLIENT_SIZE={SIZE}");
    // The linker finds functions in libraries of Windows themselves.
    let libraries = [":cgGL.dll", ":cg.dll", "gdi32"];
    setup.compile(&program, &sources, &[&include, &search, &size], &libraries);
    program
}

/// Returns the lines about a case, which follow one with its name in both streams.
fn find_messages(text: &str, case: &str) -> String {
    let mut messages = String::new();
    let mut is_own = false;
    for line in text.lines() {
        match line.strip_prefix("case ") {
            Some(name) => is_own = name == case,
            None if is_own => messages += &format!("{line}\n"),
            None => {}
        }
    }
    messages.trim().to_owned()
}

fn image_path(directory: &Path, case: &str) -> PathBuf {
    directory.join(format!("{case}.pam"))
}

/// Returns the directory of the client and its programs.
fn cg_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cg")
}
