//! The examples build, and draw what they say on lavapipe without an error of the validation layer.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use glasm_tests::skip::skip;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Linkage, build, build_object, check_compiles, crate_dir, output_path, run};

/// Pixels of a row of the pictures, and their rows.
const SIZE: usize = 256;

/// A picture, with row 0 at its top.
struct Image(Vec<u8>);

impl Image {
    fn read(path: &Path) -> Self {
        let file = std::fs::read(path).unwrap();
        let header = format!("P6 {SIZE} {SIZE} 255\n");
        let pixels = file.strip_prefix(header.as_bytes()).unwrap();
        assert_eq!(pixels.len(), 3 * SIZE * SIZE);
        Self(pixels.to_vec())
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let first = 3 * (y * SIZE + x);
        std::array::from_fn(|component| self.0[first + component])
    }

    fn count_pixels(&self, is_wanted: impl Fn([u8; 3]) -> bool) -> usize {
        let all = (0..SIZE * SIZE).map(|pixel| self.pixel(pixel % SIZE, pixel / SIZE));
        all.filter(|&pixel| is_wanted(pixel)).count()
    }
}

/// Returns the manifest of Mesa's Vulkan driver for the CPU.
fn find_lavapipe() -> Option<PathBuf> {
    let folders = [
        "/usr/share/vulkan/icd.d",
        "/usr/local/share/vulkan/icd.d",
        "/etc/vulkan/icd.d",
    ];
    let files = folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok());
    let mut paths = files.flatten().flatten().map(|file| file.path());
    paths.find(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("lvp_icd"))
    })
}

/// A program that needs the headers of Vulkan, and its loader if it is linked.
const VULKAN: &str = "#include <vulkan/vulkan.h>\nint main(void) { return vkEnumerateInstanceVersion(0) == VK_ERROR_UNKNOWN && VK_API_VERSION_1_3; }\n";

/// Builds an example and lets it draw; nothing if the machine lacks something for it.
fn draw_example(source: &str) -> Option<Image> {
    if !check_compiles(VULKAN, &["-fsyntax-only"], "the Vulkan headers")
        || !check_compiles(VULKAN, &["-lvulkan"], "the Vulkan loader for development")
    {
        return None;
    }
    let Some(driver) = find_lavapipe() else {
        skip("lavapipe is not installed");
        return None;
    };
    let object = build_object("examples/draw.c")?;
    let flags = [object.to_str()?, "-lvulkan"];
    let program = build(source, Linkage::Shared, &flags)?;
    let picture = output_path(&format!("{source}.ppm"));
    let mut command = Command::new(program);
    command
        .arg(&picture)
        .env("VK_DRIVER_FILES", &driver)
        .env("VK_ICD_FILENAMES", &driver)
        .env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation");
    let said = run(&mut command);
    assert!(!said.contains("VUID"), "{said}");
    Some(Image::read(&picture))
}

/// The values are those that the test of the same example in Rust derives (examples/tests/layer.rs).
#[test]
fn the_layer_in_c_prints_what_a_pair_of_programs_needs() {
    if !check_compiles(VULKAN, &["-fsyntax-only"], "the Vulkan headers") {
        return;
    }
    let Some(program) = build("examples/layer.c", Linkage::Shared, &[]) else {
        return;
    };
    let results = output_path("layer");
    std::fs::create_dir_all(&results).unwrap();
    let programs = crate_dir().join("../../examples/layer");
    let said = run(Command::new(program).arg(programs).arg(&results));
    for expected in [
        "position 32: \"line 2, column 22: `tint` is not declared\"",
        "position 0: \"line 1, column 1: ",
        "position -1: \"\"",
        // VkDescriptorType 6 and 1, VkFormat 109.
        "set 0, binding 0: type 6, stages 0x1\n",
        "set 0, binding 4: type 6, stages 0x10\n",
        "set 1, binding 3: type 1, stages 0x10\n",
        "attribute at location 8: format 109\n",
        "0 inputs are not written\n",
        "offset 32: state.matrix.mvp.row[2] = 1.0202 0 0 8.18182\n",
        "state.matrix.modelview[0].invtrans.row[2] = -1 0 0 0\n",
        "state.light[0].position = 3 2 -11 1\n",
        "state.fog.params = 0.25 0 1 1\n",
        "program.env[7] = 0.5 0.5 1 1\n",
        "program.local[2] = 1 0.75 0.5 1\n",
        "draw 0: upload 1\ndraw 1: upload 0\n",
        // VK_SHADER_STAGE_FRAGMENT_BIT
        "variant 0: new modules: 0x10\n",
        "variant 1: new modules: 0x10\n",
        "variant 2: new modules: 0\n",
        "variant 3: new modules: 0\n",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    for (file, part) in [
        ("glsl330.vert", "gl_Position"),
        ("msl24.frag", "metal_stdlib"),
    ] {
        let text = std::fs::read_to_string(results.join(file)).unwrap();
        assert!(text.contains(part), "{file}: {text}");
    }
    let module = std::fs::read(results.join("frag.spv")).unwrap();
    assert_eq!(module[..4], 0x0723_0203_u32.to_ne_bytes());
}

/// Checks that the page about embedding has the example as its listing in C.
#[test]
fn the_page_has_the_layer_in_c() {
    let read = |path: &str| std::fs::read_to_string(crate_dir().join(path)).unwrap();
    let page = read("../../docs/embedding.md");
    let example = read("examples/layer.c");
    let (_, code) = example.split_once("\n#include").unwrap();
    assert!(
        page.contains(&format!("```C\n#include{code}```\n")),
        "docs/embedding.md does not have examples/layer.c from its first `#include` on"
    );
}

/// An octahedron in two colors, lit from above: its upper faces are bright, and nothing is around
/// it.
#[test]
fn the_example_in_c_draws() {
    let Some(picture) = draw_example("examples/triangle.c") else {
        return;
    };
    for corner in [(0, 0), (SIZE - 1, 0), (0, SIZE - 1), (SIZE - 1, SIZE - 1)] {
        assert_eq!(picture.pixel(corner.0, corner.1), [0; 3]);
    }
    let orange = picture.count_pixels(|[red, _, blue]| red > 100 && red > 2 * blue);
    let blue = picture.count_pixels(|[red, _, blue]| blue > 60 && blue > 2 * red);
    assert!(orange > 2000 && blue > 2000, "{orange} {blue}");
    let bright = |y: usize| {
        (0..SIZE)
            .filter(|&x| picture.pixel(x, y).iter().any(|&it| it > 60))
            .count()
    };
    assert!(bright(90) > 20 && bright(190) == 0);
}

/// A striped sphere with a highlight above the middle and to the right, where the light is.
#[test]
fn the_example_in_cpp_draws() {
    let Some(picture) = draw_example("examples/sphere.cpp") else {
        return;
    };
    assert_eq!(picture.pixel(0, 0), [0; 3]);
    let white = |[red, green, blue]: [u8; 3]| red == 255 && green == 255 && blue == 255;
    let covered = picture.count_pixels(|pixel| pixel != [0; 3]);
    assert!((20_000..30_000).contains(&covered), "{covered}");
    assert!(picture.count_pixels(white) > 20);
    assert!(white(picture.pixel(155, 85)) && !white(picture.pixel(100, 170)));
}
