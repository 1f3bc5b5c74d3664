//! Runs the example and looks at its picture.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use glasm_tests::skip::skip;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LAYER: &str = "VK_LAYER_KHRONOS_validation";
const SIZE: usize = 256;

/// A file that disappears with the test.
struct Picture(PathBuf);

impl Drop for Picture {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn draw(path: &Path, layers: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_draw"));
    if let Some(layers) = layers {
        command.env("VK_INSTANCE_LAYERS", layers);
    }
    command.arg(path).output().unwrap()
}

/// All that it printed.
fn text(output: &Output) -> String {
    let parts = [&output.stdout, &output.stderr];
    parts.map(|part| String::from_utf8_lossy(part)).concat()
}

fn read(path: &Path) -> Vec<u8> {
    let file = BufReader::new(File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    assert_eq!(bytes.len(), 4 * SIZE * SIZE);
    bytes
}

#[test]
fn the_sphere_is_lit_and_textured() {
    let name = format!("glasm-sphere-{}.png", std::process::id());
    let picture = Picture(std::env::temp_dir().join(name));
    let mut output = draw(&picture.0, Some(LAYER));
    if text(&output).contains("ERROR_LAYER_NOT_PRESENT") {
        skip("the validation layer is not installed: its messages are not looked at");
        output = draw(&picture.0, None);
    }
    let said = text(&output);
    if said.contains("no Vulkan 1.3 device") {
        return skip(said);
    }
    assert!(output.status.success(), "{said}");
    assert_eq!(said, "", "the validation layer says nothing");

    let bytes = read(&picture.0);
    let pixel = |x: usize, y: usize| &bytes[4 * (SIZE * y + x)..][..4];
    // Nothing is drawn in the corners.
    for corner in [(0, 0), (255, 0), (0, 255), (255, 255)] {
        assert_eq!(pixel(corner.0, corner.1), [0; 4]);
    }
    // In the middle the normal is (0, 0, 1): ambient light times material, 0.25 * 0.2, and diffuse, 1 * 0.8 * 0.64; then the parameter,
    // (1, 0.75, 0.5). Four checks meet there. The one at the upper right has the first texel, which is white; the dark ones have 96 / 255.
    let (light, dark) = ([143, 107, 72], [54, 40, 27]);
    for (x, y, expected) in [
        (130, 125, light),
        (125, 125, dark),
        (125, 130, light),
        (130, 130, dark),
    ] {
        let found = &pixel(x, y)[..3];
        let near = |(found, expected): (&u8, u8)| found.abs_diff(expected) <= 6;
        assert!(found.iter().zip(expected).all(near), "{x}, {y}: {found:?}");
    }
    // The light comes from the upper left. These two are opposite of each other, and white: the rays through them meet the sphere at
    // (-0.396, 0.280, 0.875) and (0.396, -0.280, 0.875), which the light direction, (-0.6, 0.48, 0.64), makes 0.931 and 0.188 of it.
    let red = |x, y| pixel(x, y)[0];
    for (x, y, expected) in [(83, 96, 203u8), (172, 159, 51)] {
        assert!(red(x, y).abs_diff(expected) <= 4, "{x}, {y}: {}", red(x, y));
    }
    // Where light does not come, 0.05 of the texel is left.
    assert!((3..=14).contains(&red(195, 170)), "{}", red(195, 170));
}
