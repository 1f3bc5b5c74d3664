//! Draws a textured sphere in the light of `state.light[0]` with two ARB programs, without a window, and writes it as a PNG:
//! `cargo run -p glasm-examples -- sphere.png`. docs/embedding.md goes through it step by step. What has to do
//! with glasm is here; `vulkan.rs` has what any program that draws with Vulkan needs.

// Nearly all calls of Vulkan are unsafe: the functions keep to its rules together, and the process does nothing else.
#![allow(unsafe_op_in_unsafe_fn)]

mod sphere;
mod vulkan;

use ash::vk;
use glasm::layout::{Resource, list_descriptors};
use glasm::state::{GlState, ParameterValues, matrix};
use glasm::vulkan::{DeviceSupport, PipelineInfo, to_descriptor_type};
use glasm::{Conventions, Options, Program, Shader, Stage};
use std::error::Error;
use std::fs::File;
use vulkan::{SIZE, Vulkan};

type Outcome<T> = Result<T, Box<dyn Error>>;

const VERTEX: &str = "!!ARBvp1.0
PARAM mvp[4] = { state.matrix.mvp };
PARAM normals[4] = { state.matrix.modelview.invtrans };
PARAM direction = state.light[0].position;
TEMP normal, color;
DP4 result.position.x, mvp[0], vertex.position;
DP4 result.position.y, mvp[1], vertex.position;
DP4 result.position.z, mvp[2], vertex.position;
DP4 result.position.w, mvp[3], vertex.position;
DP3 normal.x, normals[0], vertex.normal;
DP3 normal.y, normals[1], vertex.normal;
DP3 normal.z, normals[2], vertex.normal;
DP3 normal.w, normal, direction;
MAX normal.w, normal.w, 0;
MOV color, state.lightprod[0].ambient;
MAD color.xyz, normal.w, state.lightprod[0].diffuse, color;
MOV result.color, color;
MOV result.texcoord[0], vertex.texcoord[0];
END";

const FRAGMENT: &str = "!!ARBfp1.0
TEMP texel;
TEX texel, fragment.texcoord[0], texture[0], 2D;
MUL texel, texel, fragment.color;
MUL result.color, texel, program.local[0];
END";

/// What the application has set with `glProgramLocalParameter4fARB` of the fragment program.
const LOCALS: [[f32; 4]; 1] = [[1.0, 0.75, 0.5, 1.0]];

fn main() -> Outcome<()> {
    // 1. Loading checks and translates; it needs no device. Errors are rendered with line and caret.
    let vertex = Program::load_string("sphere.vp", Stage::Vertex, VERTEX)?;
    let fragment = Program::load_string("sphere.fp", Stage::Fragment, FRAGMENT)?;
    // 2. What the device can do goes into the options.
    // SAFETY: see the top.
    let (vulkan, options) = unsafe { open()? };
    // 3. Linking emits modules that fit each other. Row 0 of the picture is its bottom, as in GL.
    let options = Options {
        conventions: Conventions::opengl(),
        ..options
    };
    let programs = [&vertex, &fragment];
    let linked = glasm::link(&programs, &options);
    linked.check()?;
    // 4. What the modules want bound becomes descriptor set layouts.
    let info = PipelineInfo::new(&linked)?;
    // SAFETY: see the top.
    let rows = unsafe {
        let (layout, sets) = make_sets(&vulkan, &info)?;
        // 5. Parameters and textures fill the descriptors.
        let state = gl_state();
        for shader in linked.shaders() {
            fill_sets(&vulkan, &sets, shader, &state)?;
        }
        // 6. The pipeline is Vulkan's affair.
        let pipeline = vulkan.pipeline(&info.stages, layout, &sphere::geometry()?)?;
        vulkan.draw(pipeline, layout, &sets, &sphere::vertices())?
    };
    write_picture(&rows)
}

/// A device with all that modules may need, and the options that say what it has.
unsafe fn open() -> Outcome<(Vulkan, Options)> {
    let (entry, instance, gpu) = vulkan::find_device()?;
    let known = instance.enumerate_device_extension_properties(gpu)?;
    let mut support = DeviceSupport::query(
        vulkan::VERSION,
        |name| {
            let mut names = known.iter().map(|it| it.extension_name_as_c_str());
            names.any(|it| it == Ok(name))
        },
        |list| instance.get_physical_device_features2(gpu, list),
        |list| instance.get_physical_device_properties2(gpu, list),
    );
    let options = Options {
        target: support.target(),
        device: support.device_features(),
        ..Options::default()
    };
    let extensions = support.extensions().to_vec();
    let vulkan = Vulkan::open(entry, &instance, gpu, &extensions, support.enabled.link())?;
    Ok((vulkan, options))
}

/// The pipeline layout, and a descriptor set of each set layout.
unsafe fn make_sets(
    vulkan: &Vulkan,
    info: &PipelineInfo<'_>,
) -> Outcome<(vk::PipelineLayout, Vec<vk::DescriptorSet>)> {
    let mut set_layouts = Vec::new();
    for bindings in &info.set_bindings {
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(bindings);
        set_layouts.push(vulkan.device.create_descriptor_set_layout(&info, None)?);
    }
    vulkan.sets(&set_layouts, &info.pool_sizes)
}

/// Writes the descriptors of a stage.
unsafe fn fill_sets(
    vulkan: &Vulkan,
    sets: &[vk::DescriptorSet],
    shader: &Shader,
    state: &GlState,
) -> Outcome<()> {
    for descriptor in list_descriptors(&shader.reflection) {
        let write = vk::WriteDescriptorSet::default()
            .dst_set(sets[descriptor.slot.set as usize])
            .dst_binding(descriptor.slot.binding)
            .descriptor_type(to_descriptor_type(descriptor.descriptor_type));
        match descriptor.resource {
            Resource::Params(_) => {
                let values = ParameterValues {
                    local: &LOCALS,
                    ..ParameterValues::default()
                };
                let bytes = shader.compute_parameter_bytes(state, &values);
                let buffer = [vulkan.parameters(&bytes)?];
                let write = write.buffer_info(&buffer);
                vulkan.device.update_descriptor_sets(&[write], &[]);
            }
            Resource::Texture(texture) => {
                assert_eq!(texture.unit, 0, "one texture is bound");
                let image = [vulkan.texture(2, &sphere::CHECKS.concat())?];
                let write = write.image_info(&image);
                vulkan.device.update_descriptor_sets(&[write], &[]);
            }
            Resource::StateBlock(_)
            | Resource::StateProgram(_)
            | Resource::Sampler(_)
            | Resource::Attachment(_)
            | Resource::Image(_)
            | Resource::Handles(_)
            | Resource::Buffer(_)
            | Resource::ImageLock => unreachable!("the programs use no such thing"),
        }
    }
    Ok(())
}

/// What the application has set in GL. A position of a light is transformed when it is set, so the matrix comes first.
fn gl_state() -> GlState {
    let mut state = GlState {
        projection: matrix::perspective(40.0, 1.0, 1.0, 10.0),
        ..GlState::default()
    };
    *state.modelview_mut(0) = matrix::look_at([0.0, 0.0, 4.0], [0.0; 3], [0.0, 1.0, 0.0]);
    state.set_light_position(0, [-0.6, 0.48, 0.64, 0.0]);
    state.light_mut(0).ambient = [0.25, 0.25, 0.25, 1.0];
    state
}

fn write_picture(rows: &[u8]) -> Outcome<()> {
    let path = std::env::args().nth(1);
    let path = path.unwrap_or_else(|| "sphere.png".to_owned());
    let mut encoder = png::Encoder::new(File::create(path)?, SIZE, SIZE);
    encoder.set_color(png::ColorType::Rgba);
    let from_top: Vec<&[u8]> = rows.chunks(4 * SIZE as usize).rev().collect();
    encoder
        .write_header()?
        .write_image_data(&from_top.concat())?;
    Ok(())
}
