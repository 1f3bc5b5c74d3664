//! Tests that need a driver. Without EGL or WGL, or without a device, they print the reason and do nothing.

use super::*;
use crate::error::Error;
use glasm_scripts::runner::DeviceChoice;
use glasm_tests::skip::skip;
use std::rc::Rc;

const COLOR_PROGRAM: &[u8] = b"!!ARBfp1.0\nMOV result.color, program.local[0];\nEND\n";
const POSITION_PROGRAM: &[u8] =
    b"!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color;\nEND\n";
const RGBA8_BYTES: ClientFormat = ClientFormat::new(RGBA, UNSIGNED_BYTE);

/// Opens the device that `GLASM_GL_DEVICE` names, or the best one.
pub(crate) fn open() -> Option<Rc<Gl>> {
    let choice = match std::env::var("GLASM_GL_DEVICE") {
        Ok(name) => DeviceChoice::Name(name),
        Err(_) => DeviceChoice::Best,
    };
    match Gl::open(&choice) {
        Ok(gl) => Some(gl),
        Err(error @ (Error::Library { .. } | Error::NoDevice { .. })) => {
            skip(error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn load(gl: &Rc<Gl>, target: ProgramTarget, text: &[u8]) -> Program {
    match Program::load(gl, target, text).expect("the driver has programs") {
        Ok(program) => program,
        Err(refusal) => panic!("{refusal:?}"),
    }
}

pub(crate) fn framebuffer(gl: &Rc<Gl>, layers: Option<u32>, samples: u32) -> Framebuffer {
    let color = ColorAttachmentDesc {
        internal_format: RGBA8,
        client_format: RGBA8_BYTES,
        attached_image: None,
    };
    let desc = FramebufferDesc {
        size: [4, 4],
        layers,
        samples,
        colors: vec![Some(color.clone()), None, Some(color)],
        depth_stencil: Some((
            DEPTH24_STENCIL8,
            ClientFormat::new(DEPTH_STENCIL, UNSIGNED_INT_24_8),
        )),
    };
    Framebuffer::new(gl, &desc).expect("the formats can be drawn to")
}

/// Draws two triangles over all of the left half.
fn draw_left_half(gl: &Gl) -> Result<(), Error> {
    gl.Viewport(0, 0, 4, 4)?;
    gl.Begin(TRIANGLE_STRIP)?;
    for (x, y) in [(-1.0, -1.0), (0.0, -1.0), (-1.0, 1.0), (0.0, 1.0)] {
        gl.Vertex4f(x, y, 0.0, 1.0)?;
    }
    gl.End()?;
    gl.check_errors("drawing")
}

fn texel(texels: &[u8], x: usize, y: usize) -> [u8; 4] {
    let start = (y * 4 + x) * 4;
    std::array::from_fn(|index| texels[start + index])
}

#[test]
fn a_context_has_version_extensions_and_limits() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    let info = gl.info();
    eprintln!("{info:?}");
    assert!(gl.version() >= Version(2, 1));
    assert!(!info.name.is_empty() && !info.vendor.is_empty() && !info.driver.is_empty());
    assert!(gl.has_extension("GL_ARB_vertex_program") && !gl.has_extension("GL_ARB_vertex_progra"));
    assert!(
        gl.extensions()
            .any(|name| name == "GL_ARB_fragment_program")
    );
    assert!(gl.integer(MAX_TEXTURE_SIZE)? >= 1024);
    gl.Viewport(1, 2, 3, 4)?;
    assert_eq!(gl.integers(VIEWPORT)?, [1, 2, 3, 4]);
    gl.ClearColor(0.0, 0.25, 0.5, 1.0)?;
    assert_eq!(gl.floats(COLOR_CLEAR_VALUE)?, [0.0, 0.25, 0.5, 1.0]);
    assert_eq!(
        Gl::open(&DeviceChoice::Best).err(),
        Some(Error::ContextInUse)
    );
    drop(gl);
    let again = open();
    assert!(again.is_some(), "a context can follow another");
    Ok(())
}

#[test]
fn devices_are_listed_while_a_context_is_open() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    let all = devices()?;
    eprintln!("{all:#?}");
    assert_eq!(all.get(gl.info().index), Some(gl.info()));
    let missing = Gl::open(&DeviceChoice::Name("no such device".to_owned()));
    assert!(matches!(missing.err(), Some(Error::NoDevice { .. })));
    Ok(())
}

#[test]
fn programs_draw_and_are_read_back() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    let target = framebuffer(&gl, None, 1);
    target.clear_color(0, [0.0, 0.0, 1.0, 0.0])?;
    let vertex = load(&gl, ProgramTarget::Vertex, POSITION_PROGRAM);
    let fragment = load(&gl, ProgramTarget::Fragment, COLOR_PROGRAM);
    assert_eq!(fragment.property(PROGRAM_UNDER_NATIVE_LIMITS_ARB)?, Some(1));
    gl.Enable(vertex.target())?;
    gl.Enable(fragment.target())?;
    gl.ProgramLocalParameter4fARB(FRAGMENT_PROGRAM_ARB, 0, 1.0, 0.0, 0.0, 1.0)?;
    let ((), samples) = Query::count_during(&gl, SAMPLES_PASSED, || draw_left_half(&gl))?;
    assert_eq!(samples, 8);
    let texels = target.read_color(0, SampleSelection::Resolved, RGBA8_BYTES)?;
    assert_eq!(texels.len(), 64);
    for y in 0..4 {
        assert_eq!(texel(&texels, 1, y), [255, 0, 0, 255], "row {y}");
        assert_eq!(texel(&texels, 2, y), [0, 0, 255, 0], "row {y}");
    }
    let missing = target.read_color(1, SampleSelection::Resolved, RGBA8_BYTES);
    assert_eq!(missing, Err(Error::NoAttachment("color")));
    Ok(())
}

#[test]
fn refused_programs_have_position_and_message() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    let text = b"!!ARBfp1.0\nMOV result.color, nowhere;\nEND\n";
    let refused = Program::load(&gl, ProgramTarget::Fragment, text)?;
    let refusal = refused.err().expect("the name is not declared");
    eprintln!("{refusal:?}");
    assert_eq!(refusal.error, INVALID_OPERATION);
    assert!((0..=text.len() as i32).contains(&refusal.position));
    assert!(!refusal.message.is_empty());
    // The error does not affect the next program.
    load(&gl, ProgramTarget::Fragment, COLOR_PROGRAM);
    gl.check_errors("after all")
}

#[test]
fn wrong_calls_are_reported() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    gl.Enable(0xFFFF)?;
    let Err(Error::Gl { messages, .. }) = gl.check_errors("enabling nothing") else {
        panic!("the error was lost");
    };
    eprintln!("{messages:?}");
    assert_eq!(messages[0], "GL_INVALID_ENUM");
    gl.check_errors("the error is taken")?;
    assert!(gl.has_command("glBegin") && !gl.has_command("glNothing"));
    Ok(())
}

#[test]
fn missing_commands_are_errors() {
    let nothing = bindings::Commands::without_driver();
    assert_eq!(
        nothing.Begin(TRIANGLES),
        Err(Error::MissingCommand("glBegin"))
    );
    assert!(!nothing.has_command("glBegin"));
}

#[test]
fn layers_and_samples_are_cleared_and_read() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    if gl.version() < Version(3, 2) {
        skip("no layered framebuffers");
        return Ok(());
    }
    let depth = ClientFormat::new(DEPTH_STENCIL, UNSIGNED_INT_24_8);
    let samples = if gl.integer(MAX_SAMPLES)? >= 4 { 4 } else { 1 };
    for (layers, samples) in [(Some(3), 1), (None, samples), (Some(2), samples)] {
        let target = framebuffer(&gl, layers, samples);
        target.clear_color(2, [1.0, 0.0, 0.0, 1.0])?;
        target.clear_depth(1.0)?;
        target.clear_stencil(5)?;
        let pixels = 16 * layers.unwrap_or(1) as usize;
        let texels = target.read_color(2, SampleSelection::Resolved, RGBA8_BYTES)?;
        assert_eq!(texels, [255, 0, 0, 255].repeat(pixels));
        let texels = target.read_depth_stencil(SampleSelection::Resolved, depth)?;
        assert_eq!(texels, [5, 255, 255, 255].repeat(pixels));
    }
    Ok(())
}

#[test]
fn textures_and_buffers_keep_what_they_are_given() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    let buffer = Buffer::new(&gl, &[1, 2, 3, 4], STATIC_DRAW)?;
    buffer.write(1, &[7, 8])?;
    assert_eq!(buffer.read(0, 4)?, [1, 7, 8, 4]);
    assert!(buffer.write(3, &[0, 0]).is_err());
    let texture = Texture::new(&gl, TEXTURE_2D)?;
    let image = Image {
        target: TEXTURE_2D,
        level: 0,
        size: [3, 1, 1],
    };
    let format = ClientFormat::new(RGB, UNSIGNED_BYTE);
    let texels = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    texture.define_image(image, RGB8, format, Some(&texels))?;
    assert_eq!(texture.read_image(TEXTURE_2D, 0, format)?, texels);
    let short = texture.define_image(image, RGB8, format, Some(&texels[1..]));
    assert!(matches!(short, Err(Error::Length { needed: 9, .. })));
    Ok(())
}

#[test]
fn what_is_bound_stays_while_textures_are_read() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    let bound = Texture::new(&gl, TEXTURE_2D)?;
    bound.bind()?;
    let target = framebuffer(&gl, None, 1);
    target.read_color(0, SampleSelection::Resolved, RGBA8_BYTES)?;
    assert_eq!(gl.integer(ACTIVE_TEXTURE)?, TEXTURE0 as i32);
    assert_eq!(gl.integer(TEXTURE_BINDING_2D)?, bound.name() as i32);
    Ok(())
}

#[test]
fn a_texture_is_drawn_to() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    let texture = Texture::new(&gl, TEXTURE_3D)?;
    let image = Image {
        target: TEXTURE_3D,
        level: 0,
        size: [4, 4, 2],
    };
    texture.define_image(image, RGBA8, RGBA8_BYTES, Some(&[9; 128]))?;
    texture.set_parameter(TEXTURE_MAX_LEVEL, 0)?;
    let desc = FramebufferDesc {
        size: [4, 4],
        layers: None,
        samples: 1,
        colors: vec![Some(ColorAttachmentDesc {
            internal_format: RGBA8,
            client_format: RGBA8_BYTES,
            attached_image: Some(AttachedImage {
                texture: Rc::new(texture),
                image,
                layer: Some(1),
            }),
        })],
        depth_stencil: None,
    };
    let target = Framebuffer::new(&gl, &desc)?;
    target.clear_color(0, [1.0; 4])?;
    let texels = target.read_color(0, SampleSelection::Resolved, RGBA8_BYTES)?;
    assert_eq!(texels[..64], [9; 64]);
    assert_eq!(texels[64..], [255; 64]);
    Ok(())
}

fn reads_samples(gl: &Gl) -> Result<bool, Error> {
    let can = gl.version() >= Version(4, 3) && gl.integer(MAX_SAMPLES)? >= 4;
    if !can {
        skip("no compute shaders or no four samples");
    }
    Ok(can)
}

fn multisampled(internal_format: u32, client_format: ClientFormat) -> FramebufferDesc {
    FramebufferDesc {
        size: [4, 4],
        layers: None,
        samples: 4,
        colors: vec![Some(ColorAttachmentDesc {
            internal_format,
            client_format,
            attached_image: None,
        })],
        depth_stencil: None,
    }
}

/// Creates a framebuffer of four samples, of which only the second one is drawn to.
fn one_sample(gl: &Rc<Gl>, layers: Option<u32>) -> Result<Framebuffer, Error> {
    let desc = FramebufferDesc {
        layers,
        depth_stencil: Some((
            DEPTH32F_STENCIL8,
            ClientFormat::new(DEPTH_STENCIL, FLOAT_32_UNSIGNED_INT_24_8_REV),
        )),
        ..multisampled(RGBA8, RGBA8_BYTES)
    };
    let target = Framebuffer::new(gl, &desc)?;
    target.clear_depth(1.0)?;
    target.clear_stencil(1)?;
    gl.Enable(SAMPLE_MASK)?;
    gl.SampleMaski(0, 0b0010)?;
    gl.Enable(DEPTH_TEST)?;
    gl.Enable(STENCIL_TEST)?;
    gl.StencilFunc(ALWAYS, 77, 0xFF)?;
    gl.StencilOp(REPLACE, REPLACE, REPLACE)?;
    draw_left_half(gl)?;
    Ok(target)
}

#[test]
fn single_samples_are_read() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    if !reads_samples(&gl)? {
        return Ok(());
    }
    gl.Color4f(1.0, 0.5, 0.25, 1.0)?;
    for layers in [None, Some(2)] {
        let target = one_sample(&gl, layers)?;
        let drawn = target.read_color(0, SampleSelection::Index(1), RGBA8_BYTES)?;
        assert_eq!(drawn.len(), 64 * layers.unwrap_or(1) as usize);
        assert_eq!(texel(&drawn, 1, 2), [255, 128, 64, 255]);
        assert_eq!(texel(&drawn, 2, 2), [0; 4]);
        let other = target.read_color(0, SampleSelection::Index(0), RGBA8_BYTES)?;
        assert_eq!(texel(&other, 1, 2), [0; 4]);
        let depth = ClientFormat::new(DEPTH_COMPONENT, FLOAT);
        let depths = target.read_depth_stencil(SampleSelection::Index(1), depth)?;
        assert_eq!(texel(&depths, 1, 2), 0.5_f32.to_le_bytes());
        assert_eq!(texel(&depths, 2, 2), 1.0_f32.to_le_bytes());
        let stencil = ClientFormat::new(STENCIL_INDEX, UNSIGNED_BYTE);
        let stencils = target.read_depth_stencil(SampleSelection::Index(1), stencil)?;
        assert_eq!(stencils[8..12], [77, 77, 1, 1]);
    }
    Ok(())
}

/// Tests that samples, which are converted through floats, are not changed by the transfer function
/// of sRGB.
#[test]
fn srgb_samples_keep_their_bits() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    if !reads_samples(&gl)? {
        return Ok(());
    }
    let desc = multisampled(SRGB8_ALPHA8, RGBA8_BYTES);
    let target = Framebuffer::new(&gl, &desc)?;
    for value in 0..=255_u8 {
        // Without the encoding a byte is stored unchanged.
        let color = f32::from(value) / 255.0;
        target.clear_color(0, [color; 4])?;
        let texels = target.read_color(0, SampleSelection::Index(2), RGBA8_BYTES)?;
        assert_eq!(texel(&texels, 0, 0), [value; 4]);
    }
    Ok(())
}

#[test]
fn integer_samples_are_read() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    if !reads_samples(&gl)? {
        return Ok(());
    }
    let client = ClientFormat::new(RGBA_INTEGER, SHORT);
    let target = Framebuffer::new(&gl, &multisampled(RGBA16I, client))?;
    target.clear_color_int(0, [-3, 5, 0, 7])?;
    let texels = target.read_color(0, SampleSelection::Index(3), client)?;
    let expected: Vec<u8> = [-3_i16, 5, 0, 7]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    assert_eq!(texels, expected.repeat(16));
    Ok(())
}

#[test]
fn draws_stay_within_their_buffer() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    let framebuffer = framebuffer(&gl, None, 1);
    gl.Viewport(0, 0, 4, 4)?;
    gl.Color4f(0.0, 1.0, 0.0, 1.0)?;
    let corners: [f32; 8] = [-1.0, -1.0, 0.0, -1.0, -1.0, 1.0, 0.0, 1.0];
    let bytes: Vec<u8> = corners.iter().flat_map(|it| it.to_ne_bytes()).collect();
    let buffer = Buffer::new(&gl, &bytes, STATIC_DRAW)?;
    let array = VertexArray {
        attribute: ArrayAttribute::Generic(
            0,
            GenericFormat {
                size: 2,
                ty: FLOAT,
                kind: AttributeKind::Float,
            },
        ),
        offset: 0,
        stride: 8,
        size: 8,
        divisor: 0,
    };
    let draw = |indices: &[u32], base| {
        let call = DrawCall {
            mode: TRIANGLE_STRIP,
            arrays: &[array],
            elements: Elements::Indexed {
                indices,
                ty: IndexType::U16,
                base,
                restart: None,
            },
            instances: 1,
            first_instance: 0,
        };
        gl.draw(&buffer, &call)
    };
    let red = || -> Result<[u8; 2], Error> {
        let texels = framebuffer.read_color(0, SampleSelection::Resolved, RGBA8_BYTES)?;
        Ok([0, 3].map(|x| texel(&texels, x, 2)[1]))
    };
    framebuffer.clear_color(0, [0.0; 4])?;
    assert!(matches!(
        draw(&[1, 2, 3, 4], 0),
        Err(Error::Length { needed: 40, .. })
    ));
    assert!(draw(&[0, 1, 2, 3], -1).is_err());
    assert_eq!(red()?, [0, 0]);
    draw(&[2, 3, 4, 5], -2)?;
    assert_eq!(red()?, [255, 0]);
    Ok(())
}

#[test]
fn framebuffers_without_attachments_have_a_size() -> Result<(), Error> {
    let Some(gl) = open() else { return Ok(()) };
    if gl.version() < Version(4, 3) {
        skip(format_args!("OpenGL {}", gl.version()));
        return Ok(());
    }
    let desc = FramebufferDesc {
        size: [4, 2],
        layers: None,
        samples: 1,
        colors: vec![None],
        depth_stencil: None,
    };
    let framebuffer = Framebuffer::new(&gl, &desc)?;
    framebuffer.bind()?;
    gl.check_errors("binding")
}
