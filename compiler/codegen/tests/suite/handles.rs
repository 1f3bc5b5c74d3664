//! Textures and images by handle: every target and mode gives valid modules, whatever the device can index.

use crate::support::*;
use glasm_codegen::error::ErrorKind;
use glasm_codegen::options::HandleLimits;
use glasm_codegen::options::{BindingLayout, DeviceFeatures};
use glasm_codegen::reflect::{HandleKind, ImageFormat, ScalarType};
use glasm_codegen::{Options, emit};
use glasm_ir::*;

/// A fragment program in text form, with a body that may use the input r0 and the parameter r1.
fn program(declarations: &str, body: &str) -> Program {
    let text = format!(
        "program fragment\nr0: temp32\nr1: temp32\nr2: output32 out0\np0: env[0]\nin0: generic[0] float\n\
         out0: frag_color[0][0] float\n{declarations}\nroutine fn0 {{\n\
         r0.xyzw = mov.u32 in0.xyzw\nr1.xyzw = mov.u32 p0.yzwx\n{body}\n}}\nmain fn0\n"
    );
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    program
}

/// Options for devices that index by any number, by numbers that are the same everywhere, and not at all.
fn devices() -> [Options; 3] {
    [(true, true), (true, false), (false, false)].map(|(dynamic, divergent)| Options {
        device: DeviceFeatures {
            sampled_image_dynamic_indexing: dynamic,
            sampled_image_non_uniform_indexing: divergent,
            uniform_texel_buffer_dynamic_indexing: dynamic,
            uniform_texel_buffer_non_uniform_indexing: divergent,
            storage_image_dynamic_indexing: dynamic,
            storage_image_non_uniform_indexing: divergent,
            storage_texel_buffer_dynamic_indexing: dynamic,
            storage_texel_buffer_non_uniform_indexing: divergent,
            ..DeviceFeatures::default()
        },
        handles: HandleLimits {
            textures: 3,
            images: 2,
        },
        ..Options::default()
    })
}

fn check_all(program: &Program) {
    for (number, options) in devices().iter().enumerate() {
        check_one(program, options, number);
    }
}

#[test]
fn every_target_and_mode() {
    for &(target, word) in TexTarget::ALL {
        let fetched_only = target.is_multisample() || target == TexTarget::Buffer;
        let is_cube = target.is_cube();
        let mut body = String::new();
        let mut add = |texture: u32, mode: &str, sources: &str| {
            for handle in ["r0.x", "r1.x"] {
                body += &format!("r2.xyzw = tex.f32 (tex{texture}[{handle}] {mode}) {sources}\n");
                body += "r0.x = add.f32 r0.xxxx, r2.xxxx\n";
            }
        };
        if !fetched_only {
            add(0, "implicit", "r0.xyzw");
            add(0, "bias", "r0.xyzw, r0.wwww");
            add(0, "lod", "r0.xyzw, r0.wwww");
            add(0, "grad", "r0.xyzw, r1.xyzw, r1.yzwx");
            add(2, "query_lod", "r0.xyzw");
            if target != TexTarget::D3 {
                add(1, "implicit", "r0.xyzw, r0.wwww");
                add(1, "bias", "r0.xyzw, r0.wwww, r1.xxxx");
            }
        }
        if target.is_multisample() {
            add(0, "fetch_sample", "r0.xyzw, r0.wwww");
        } else if !is_cube {
            add(0, "fetch", "r0.xyzw, r0.wwww");
        }
        if !fetched_only && target.dimensions() == 2 {
            add(0, "gather[2]", "r0.xyzw");
            add(0, "gather_offsets[1]", "r0.xyzw, r0.xyzw, r1.xyzw");
        }
        for handle in ["r0.x", "r1.x"] {
            body += &format!("r0.xy = tex.s32 (tex2[{handle}] query_size) r0.xxxx\n");
        }
        let declarations = format!(
            "tex0: handle {word} f32\ntex1: handle {word} shadow f32\ntex2: query_handle {word} f32"
        );
        check_all(&program(&declarations, &body));
    }
}

#[test]
fn images() {
    for word in ["1d", "2d", "2darray", "buffer", "cube"] {
        let declarations = format!(
            "img0: handle {word} raw32\nimg1: handle {word} u32\nimg2: handle {word} unused"
        );
        let body = "r0.x = imgload.u32 (img0[r0.x] x1) r0.xyzw\nimgstore.u32 (img1[r1.x] x4) r0.xyzw, r0.xyzw\n\
                    r0.y = imgatom.u32 (img0[r0.y] x1 add) r0.xyzw, r0.xyzw\nr0.xyz = imgsize.s32 (img2[r1.y] x4)\n\
                    r2.xyzw = mov.u32 r0.xyzw";
        check_all(&program(&declarations, body));
    }
}

/// What each array is for, where it is, and how long.
#[test]
fn reflection_lists_arrays() {
    let declarations = "tex0: handle 2d f32\ntex1: handle 2d shadow f32\ntex2: handle buffer u32\ntex3: query_handle 2d f32\n\
                        tex4: query_handle 2d shadow f32\ntex5: unit 1 2d f32\nimg0: handle 2d raw32\nimg1: handle 3d s32";
    let body = "r2.xyzw = tex.f32 (tex0[r0.x] implicit) r0.xyzw\nr2.y = tex.f32 (tex1[3] implicit) r0.xyzw, r0.zzzz\n\
                r0.z = tex.u32 (tex2[r1.x] fetch) r0.xyzw, {0}\nr0.w = tex.s32 (tex3[r1.x] query_size) {0}\n\
                r0.x = tex.s32 (tex4[r1.x] query_size) {0}\nr2.z = tex.f32 (tex5 implicit) r0.zwzw\n\
                r0.x = imgatom.u32 (img0[r0.x] x1 add) r0.xyzw, r0.xyzw\nr0.y = imgload.s32 (img1[r0.x] x4) r0.xyzw\n\
                r2.w = mov.u32 r0.yyyy";
    let options = Options {
        bindings: BindingLayout {
            handle_set: 1,
            first_handle_binding: 1000,
            ..BindingLayout::default()
        },
        ..Options::default()
    };
    let module = emit(&program(declarations, body), &options).unwrap();
    let found: Vec<_> = (module.reflection.handle_arrays.iter())
        .map(|array| {
            let slot = (array.slot.set, array.slot.binding);
            (
                slot,
                array.descriptor_count,
                array.kind,
                array.target,
                array.is_written,
            )
        })
        .collect();
    use HandleKind::{Image, QueryOnlyTexture, ShadowTexture, Texture};
    use TexTarget::{Buffer, D2, D3};
    let raw = Image(ImageFormat::RawUint(32));
    let signed = Image(ImageFormat::Native(ScalarType::Sint32));
    assert_eq!(
        found,
        [
            ((1, 1001), 64, Texture(ScalarType::Float32), D2, false),
            ((1, 1049), 64, ShadowTexture, D2, false),
            ((1, 1040), 64, Texture(ScalarType::Uint32), Buffer, false),
            ((1, 1065), 64, QueryOnlyTexture, D2, false),
            ((1, 1161), 16, raw, D2, true),
            ((1, 1098), 16, signed, D3, false),
        ]
    );
    assert_eq!(module.reflection.textures.len(), 1);
    let features = module.reflection.requirements.features;
    assert!(features.contains(&"shaderSampledImageArrayNonUniformIndexing"));
    assert!(features.contains(&"shaderUniformTexelBufferArrayDynamicIndexing"));
    assert!(features.contains(&"shaderStorageImageArrayNonUniformIndexing"));
}

/// SPIR-V has room for 16,383 values in a switch, beside its default.
#[test]
fn cases_have_a_limit() {
    let body = "r2.xyzw = tex.f32 (tex0[r0.x] implicit) r0.xyzw";
    let program = program("tex0: handle 2d f32", body);
    let [indexes, _, cases] = devices().map(|mut options| {
        options.handles.textures = 16_384;
        options
    });
    assert!(emit(&program, &cases).is_ok());
    let one_more = |mut options: Options| {
        options.handles.textures += 1;
        emit(&program, &options)
    };
    assert_eq!(one_more(cases).unwrap_err().kind, ErrorKind::Limit);
    assert!(one_more(indexes).is_ok());
}

/// Derivatives are taken before the cases, whose accesses have explicit ones.
#[test]
fn derivatives_are_those_of_the_access() {
    let body = "r2.xyzw = tex.f32 (tex0[r0.x] bias) r0.xyzw, {1.0}";
    let program = program("tex0: handle 2d f32", body);
    let text = |options: &Options| disassemble(&emit(&program, options).unwrap().words);
    let [indexes, _, cases] = devices().map(|options| text(&options));
    assert_eq!(count(&indexes, "OpDPdx"), 0);
    assert_eq!(count(&indexes, "OpImageSampleImplicitLod"), 1);
    assert_eq!((count(&cases, "OpDPdx"), count(&cases, "OpDPdy")), (1, 1));
    assert_eq!(count(&cases, "OpImageSampleImplicitLod"), 0);
    assert_eq!(count(&cases, "OpImageSampleExplicitLod"), 3);
}
