//! Image accesses: every target, texel and operation gives valid modules; what a device lacks.

use crate::support::*;
use glasm_codegen::options::{
    DeviceFeatures, FIRST_IMAGE_BINDING, IMAGE_LOCK_BINDING, IMAGE_UNITS, TexelFormat,
};
use glasm_codegen::reflect::{ImageFormat, ScalarType};
use glasm_codegen::{ErrorKind, Options, emit};
use glasm_ir::*;

/// A program in text form, with a body that may use r0 (coordinates, samples) and r1 (values).
fn program(stage: &str, declarations: &str, body: &str) -> Program {
    let modes = if stage == "compute" {
        "workgroup_size 4 1 1\n"
    } else {
        ""
    };
    let text = format!(
        "program {stage}\n{modes}r0: temp32\nr1: temp32\nr2: temp32\np0: env[0]\n{declarations}\nroutine fn0 {{\n\
         r0.xyzw = mov.u32 p0.xyzw\nr1.xyzw = mov.u32 p0.yzwx\n{body}\n}}\nmain fn0\n"
    );
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    program
}

#[test]
fn every_target_and_texel() {
    let elements = [
        ("raw8", "u8 x1"),
        ("raw16", "s16 x1"),
        ("raw16", "f16 x1"),
        ("raw16", "s8 x2"),
        ("raw32", "f32 x1"),
        ("raw32", "u16 x2"),
        ("raw32", "u8 x4"),
        ("raw64", "s32 x2"),
        ("raw64", "f16 x4"),
        ("raw128", "f32 x4"),
        ("f32", "f32 x4"),
        ("s32", "s32 x4"),
        ("u32", "u32 x4"),
    ];
    for (number, &(target, word)) in TexTarget::ALL.iter().enumerate() {
        let sample = if target.is_multisample() {
            ", r0.wwww"
        } else {
            ""
        };
        for (texels, element) in elements {
            let (ty, components) = element.split_once(' ').unwrap();
            let image = format!("img0: unit 5 {word} {texels}");
            let store =
                format!("imgstore.{ty} (img0 {components} coherent) r1.wzyx, r0.xyzw{sample}");
            let load = format!("r2.yw = imgload.{ty} (img0 {components}) r0.zyxw{sample}\n{store}");
            let body = format!("{load}\nr2.xyz = imgsize.s32 (img0 {components})\n{store}");
            let body = body.replace("r1.wzyx", "r2.xyzw");
            check_one(
                &program("compute", &image, &body),
                &Options::default(),
                number,
            );
            check_one(
                &program("fragment", &image, &store),
                &Options::default(),
                number,
            );
        }
    }
}

/// A program that asks an image for its samples and does nothing else with it says that it asks.
#[test]
fn numbers_of_samples_are_queries() {
    let declarations =
        "img0: unit 5 2dms raw32\nout0: frag_color[0][0] unsigned\nr3: output32 out0";
    let body = "r3.x = imgsamples.s32 (img0 x1)";
    let options = Options::default();
    let module = check_with(&program("fragment", declarations, body), &options);
    let capabilities = module.reflection.requirements.capabilities;
    assert!(capabilities.contains(&"ImageQuery"), "{capabilities:?}");
}

#[test]
fn every_atomic() {
    for (number, &(_, op)) in resource::AtomicOp::ALL.iter().enumerate() {
        for ty in ["u32", "s32"] {
            let body = format!(
                "r2.x = imgatom.{ty} (img0[r1.x] x1 {op} volatile) r1.xyzw, r0.xyzw\n\
                 imgstore.{ty} (img0[2] x1) r2.xxxx, r0.xyzw"
            );
            let program = program("compute", "img0: unit 0[3] 2darray raw32", &body);
            check_one(&program, &Options::default(), number);
        }
    }
    for (ty, op) in [
        ("f32 x1", "add"),
        ("f32 x1", "exchange"),
        ("f16 x2", "min"),
        ("f16 x2", "exchange"),
    ] {
        let (ty, components) = ty.split_once(' ').unwrap();
        let body = format!(
            "r2.xyzw = imgatom.{ty} (img0 {components} {op}) r1.xyzw, r0.xyzw\n\
             imgstore.{ty} (img0 {components}) r2.xyzw, r0.xyzw"
        );
        check_one(
            &program("fragment", "img0: unit 0 1d raw32", &body),
            &Options::default(),
            0,
        );
    }
}

#[test]
fn run_time_elements_need_what_the_device_has() {
    let body =
        "r2.x = imgload.u32 (img0[r1.x] x1) r0.xyzw\nr2.y = imgload.u32 (img0[r0.x] x1) r0.xyzw\n\
                imgstore.u32 (img0[p] x1) r2.xyzw, r0.xyzw"
            .replace("[p]", "[1]");
    let program = program("compute", "img0: unit 2[4] 2d raw32", &body);
    for (dynamic, divergent) in [(true, true), (true, false), (false, false)] {
        let options = Options {
            device: DeviceFeatures {
                storage_image_dynamic_indexing: dynamic,
                storage_image_non_uniform_indexing: divergent,
                ..DeviceFeatures::default()
            },
            ..Options::default()
        };
        check_one(&program, &options, 1);
        let features = emit(&program, &options)
            .unwrap()
            .reflection
            .requirements
            .features;
        let needs = features.contains(&"shaderStorageImageArrayDynamicIndexing");
        assert!(!needs || dynamic);
    }
}

/// Raw texels of 8, 16 and 64 bits have extended formats. The bound view has the format also if the
/// module does not name it.
#[test]
fn raw_texels_need_no_extended_formats() {
    for (bits, access) in [(8, "u8 x1"), (16, "u16 x1"), (64, "u32 x2")] {
        let (ty, components) = access.split_once(' ').unwrap();
        let body = format!("imgstore.{ty} (img0 {components}) r1.xyzw, r0.xyzw");
        let program = program("compute", &format!("img0: unit 0 2d raw{bits}"), &body);
        let mut options = Options::default();
        let features = |options: &Options| emit(&program, options).unwrap().reflection.requirements;
        let extended = "shaderStorageImageExtendedFormats";
        assert!(features(&options).features.contains(&extended));
        options.device.storage_image_extended_formats = false;
        check_one(&program, &options, 0);
        let needed = features(&options).features;
        assert!(!needed.contains(&extended));
        assert!(needed.contains(&"shaderStorageImageWriteWithoutFormat"));
        options.device.storage_image_write_without_format = false;
        let error = emit(&program, &options).unwrap_err();
        assert_eq!(error.kind, ErrorKind::MissingFeature(extended));
    }
}

#[test]
fn reflection_tells_views_apart() {
    let declarations = "img0: unit 3 2d raw32\nimg1: unit 3 2d f32\nimg2: unit 1[2] buffer raw128\nimg3: unit 9 cube unused";
    let body = "imgstore.u32 (img0 x1) r1.xyzw, r0.xyzw\nr2.x = imgload.f32 (img1 x4) r0.xyzw\n\
                r2.y = imgload.u32 (img2[r2.x] x4) r0.xyzw\nimgstore.u32 (img0 x1) r2.yyyy, r0.xyzw\n\
                r2.xy = imgsize.s32 (img3 x4)\nimgstore.u32 (img0 x1) r2.xxxx, r0.xyzw";
    let module = emit(
        &program("fragment", declarations, body),
        &Options::default(),
    )
    .unwrap();
    let found: Vec<_> = (module.reflection.images.iter())
        .map(|image| {
            (
                image.unit,
                image.slot.binding,
                image.descriptor_count,
                image.format,
                image.is_written,
            )
        })
        .collect();
    let place = |view: u32, unit: u32| FIRST_IMAGE_BINDING + view * IMAGE_UNITS + unit;
    assert_eq!(
        found,
        [
            (3, place(3, 3), 1, ImageFormat::RawUint(32), true),
            (
                3,
                place(0, 3),
                1,
                ImageFormat::Native(ScalarType::Float32),
                false
            ),
            (1, place(5, 1), 2, ImageFormat::RawUint(128), false),
            (9, place(6, 9), 1, ImageFormat::AnyUint, false),
        ]
    );
    let features = module.reflection.requirements.features;
    assert!(features.contains(&"fragmentStoresAndAtomics"));
    assert!(features.contains(&"shaderStorageImageReadWithoutFormat"));
    assert!(!features.contains(&"shaderStorageImageWriteWithoutFormat"));
}

#[test]
fn a_unit_has_one_target() {
    let declarations = "img0: unit 3 2d raw32\nimg1: unit 3 1d raw32";
    let body = "imgstore.u32 (img0 x1) r1.xyzw, r0.xyzw\nimgstore.u32 (img1 x1) r1.xyzw, r0.xyzw";
    let error = emit(
        &program("fragment", declarations, body),
        &Options::default(),
    )
    .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
}

/// A device that must find formats in the module.
fn needs_formats(image_formats: Vec<Option<TexelFormat>>) -> Options {
    Options {
        device: DeviceFeatures {
            storage_image_read_without_format: false,
            storage_image_write_without_format: false,
            ..DeviceFeatures::default()
        },
        image_formats,
        ..Options::default()
    }
}

#[test]
fn formats_of_units_are_named_where_the_device_needs_them() {
    let body =
        "r2.xyzw = imgload.f32 (img0[r0.x] x4) r0.xyzw\nimgstore.f32 (img0[1] x4) r2.xyzw, r0.xyzw";
    let program = program("fragment", "img0: unit 1[2] 2d f32", body);
    for (number, (format, _)) in TexelFormat::ALL.iter().enumerate() {
        let options = needs_formats(vec![None, Some(*format), Some(*format)]);
        if format.base() == BaseType::Float {
            check_one(&program, &options, number);
            let features = emit(&program, &options)
                .unwrap()
                .reflection
                .requirements
                .features;
            assert!(!features.iter().any(|name| name.contains("WithoutFormat")));
        } else {
            assert_eq!(
                emit(&program, &options).unwrap_err().kind,
                ErrorKind::Unsupported
            );
        }
    }
    let (one, other) = (Some(TexelFormat::Rgba8), Some(TexelFormat::R32f));
    for formats in [
        vec![],
        vec![None, one],
        vec![None, one, other],
        vec![one, None, None],
    ] {
        let error = emit(&program, &needs_formats(formats)).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("shaderStorageImageReadWithoutFormat"),
            "{error}"
        );
    }
}

#[test]
fn four_half_floats_are_updated_under_a_lock() {
    for (number, &(target, word)) in TexTarget::ALL.iter().enumerate() {
        let sample = if target.is_multisample() {
            ", r0.wwww"
        } else {
            ""
        };
        for op in ["add", "min", "max", "exchange"] {
            let body = format!(
                "r2.xyzw = imgatom.f16 (img0[r1.x] x4 {op}) r1.xyzw, r0.xyzw{sample}\n\
                 r2.xyzw = imgatom.f16 (img0[1] x4 {op}) r2.xyzw, r0.xyzw{sample}\n\
                 imgstore.f16 (img0[1] x4) r2.xyzw, r0.xyzw{sample}"
            );
            let image = format!("img0: unit 0[2] {word} raw64");
            for stage in ["compute", "fragment", "vertex"] {
                let program = program(stage, &image, &body);
                check_one(&program, &Options::default(), number);
                let reflection = emit(&program, &Options::default()).unwrap().reflection;
                let slot = reflection.image_lock_slot.unwrap();
                assert_eq!((slot.set, slot.binding), (3, IMAGE_LOCK_BINDING));
            }
        }
    }
}
