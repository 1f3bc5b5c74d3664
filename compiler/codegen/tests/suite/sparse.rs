//! Residency and least levels of detail: the instructions of devices that have them, and what other devices get instead.

use crate::support::*;
use glasm_codegen::Options;
use glasm_codegen::options::{DeviceFeatures, LodBias};
use glasm_ir::*;

/// A program in text form: r0 is a coordinate, r1 the result, r2 a number of the program.
fn program(stage: &str, resources: &str, body: &str) -> Program {
    let modes = if stage == "compute" {
        "workgroup_size 1 1 1\n"
    } else {
        ""
    };
    let output = match stage {
        "fragment" => "out0: frag_color[0][0] float",
        _ => "out0: position float",
    };
    let (output, place) = if stage == "compute" {
        ("buf0: storage 0", "r3: temp32")
    } else {
        (output, "r3: output32 out0")
    };
    let last = if stage == "compute" {
        "store.u32 (buf0 x4) r1.xyzw, {0}"
    } else {
        "r3.xyzw = mov.f32 r1.xyzw"
    };
    let text = format!(
        "program {stage}\n{modes}r0: temp32\nr1: temp32\nr2: temp32\n{place}\ncc4: cond32\np0: env[0]\np1: env[1]\n{output}\n\
         {resources}\nroutine fn0 {{\nr0.xyzw = mov.u32 p0.xyzw\nr2.xyzw = mov.u32 p1.xyzw\n{body}\n{last}\n}}\nmain fn0\n"
    );
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    program
}

/// Modules for a device with both features, and for one with neither; as text, with the features that they need.
fn both(program: &Program) -> [(String, Vec<&'static str>); 2] {
    [true, false].map(|has| {
        let options = Options {
            device: DeviceFeatures {
                resource_residency: has,
                resource_min_lod: has,
                ..DeviceFeatures::default()
            },
            ..Options::default()
        };
        let module = check_with(program, &options);
        let text = disassemble(&module.words);
        (text, module.reflection.requirements.features)
    })
}

/// An access of `mode` with residency, the texel of which is read where all of it is populated.
fn sparse(access: &str, ty: &str, sources: &str) -> String {
    format!(
        "r1.x, cc4 = resident.s32 ({access}) {sources}\nr1.xyzw = tex.{ty} ({access}) {sources}\n\
         r1.w if(ne cc4.xxxx) = mov.f32 {{1.0}}"
    )
}

/// Sources behind the coordinate r0, written as `r2` or `r2.x`.
fn written_out(own: &str) -> String {
    let mut sources = "r0.xyzw".to_owned();
    for source in own.split(", ").filter(|source| !source.is_empty()) {
        let (register, letters) = source.split_once('.').unwrap_or((source, "xyzw"));
        let letters = letters.repeat(4 / letters.len());
        sources += &format!(", {register}.{letters}");
    }
    sources
}

#[test]
fn every_access_tells_of_residency() {
    let cases = [
        ("2d f32", "implicit", "", "OpImageSparseSampleImplicitLod"),
        (
            "cube f32",
            "bias",
            ", r0.w",
            "OpImageSparseSampleImplicitLod",
        ),
        ("3d s32", "lod", ", r0.w", "OpImageSparseSampleExplicitLod"),
        (
            "2darray f32",
            "grad",
            ", r2, r2",
            "OpImageSparseSampleExplicitLod",
        ),
        (
            "2d shadow f32",
            "implicit",
            ", r2.x",
            "OpImageSparseSampleDrefImplicitLod",
        ),
        (
            "cubearray shadow f32",
            "lod",
            ", r2.x, r2.y",
            "OpImageSparseSampleDrefExplicitLod",
        ),
        ("rect u32", "fetch", ", r2.x", "OpImageSparseFetch"),
        ("2dms f32", "fetch_sample", ", r2.x", "OpImageSparseFetch"),
        ("2d f32", "gather[2]", "", "OpImageSparseGather"),
        (
            "cube shadow f32",
            "gather[0]",
            ", r2.x",
            "OpImageSparseDrefGather",
        ),
    ];
    for (texture, mode, own, expected) in cases {
        let ty = texture.rsplit(' ').next().unwrap();
        let sources = written_out(own);
        let resources = format!("tex0: unit 1 {texture}");
        let body = sparse(&format!("tex0 {mode}"), ty, &sources);
        let [(native, features), (other, others)] = both(&program("fragment", &resources, &body));
        assert_eq!(count(&native, expected), 1, "{mode}\n{native}");
        assert_eq!(count(&native, "OpImageSparseTexelsResident"), 1, "{native}");
        assert!(
            features.contains(&"shaderResourceResidency"),
            "{features:?}"
        );
        // The texel comes from the same access.
        let plain = expected.replace("Sparse", "");
        assert_eq!(count(&native, &plain), 0, "{native}");
        assert_eq!(count(&other, &plain), 1, "{other}");
        assert!(!other.contains("Sparse"), "{other}");
        assert!(!others.contains(&"shaderResourceResidency"), "{others:?}");
    }
}

/// Every offset of a gather with offsets is an access, and all of them have to be populated.
#[test]
fn gathers_with_offsets_tell_of_all() {
    let body = sparse(
        "tex0 gather_offsets[1]",
        "f32",
        "r0.xyzw, {1, 2, 3, 4}, {5, 6, 7, 0}",
    );
    let [(native, _), (other, _)] = both(&program("fragment", "tex0: unit 1 2d f32", &body));
    assert_eq!(count(&native, "OpImageSparseGather"), 4, "{native}");
    assert_eq!(count(&native, "OpLogicalAnd"), 3, "{native}");
    assert!(!other.contains("Sparse"), "{other}");
}

/// Nobody asks for the residency: the access is a plain one. Nobody asks for the texel: it is read for the residency only.
#[test]
fn what_is_not_read_costs_nothing() {
    let texture = "tex0: unit 1 2d f32";
    let unused = "r2.x, cc4 = resident.s32 (tex0 implicit) r0.xyzw\nr1.xyzw = tex.f32 (tex0 implicit) r0.xyzw";
    let [(native, features), _] = both(&program("fragment", texture, unused));
    assert!(!native.contains("Sparse"), "{native}");
    assert!(features.is_empty(), "{features:?}");
    let only = "r1.xyzw = resident.s32 (tex0 implicit) r0.xyzw";
    let [(native, _), (other, _)] = both(&program("fragment", texture, only));
    assert_eq!(count(&native, "OpImageSparseSampleImplicitLod"), 1);
    assert!(!other.contains("OpImageSample"), "{other}");
}

/// One-dimensional and buffer textures are sparse on no device.
#[test]
fn some_targets_are_never_sparse() {
    for (texture, access, sources) in [
        ("1darray f32", "tex0 implicit", "r0.xyzw"),
        ("buffer f32", "tex0 fetch", "r0.xyzw, r0.wwww"),
    ] {
        let body = sparse(access, "f32", sources);
        let resources = format!("tex0: unit 1 {texture}");
        let [(native, _), _] = both(&program("fragment", &resources, &body));
        assert!(!native.contains("Sparse"), "{native}");
    }
}

/// An access in between, another block, another copy of a routine: the texel is read again.
#[test]
fn texels_are_kept_for_the_next_instruction_only() {
    let texture = "tex0: unit 1 2d f32";
    let apart = "r1.x, cc4 = resident.s32 (tex0 implicit) r0.xyzw\nr0.xyzw = mul.f32 r0.xyzw, r2.xyzw\n\
                 r1.xyzw = tex.f32 (tex0 implicit) r0.xyzw\nr1.w if(ne cc4.xxxx) = mov.f32 {1.0}";
    let [(native, _), _] = both(&program("fragment", texture, apart));
    assert_eq!(count(&native, "OpImageSparseSampleImplicitLod"), 1);
    assert_eq!(count(&native, "OpImageSampleImplicitLod"), 1, "{native}");
    let own = "r0.x, cc4 = resident.s32 (tex0 implicit) r0.xyzw\nr1.xyzw = tex.f32 (tex0 implicit) r0.xyzw\n\
               r1.w if(ne cc4.xxxx) = mov.f32 {1.0}";
    let [(native, _), _] = both(&program("fragment", texture, own));
    assert_eq!(count(&native, "OpImageSampleImplicitLod"), 1, "{native}");
    let nested = "r1.x, cc4 = resident.s32 (tex0 lod) r0.xyzw, r0.wwww\nif any(ne cc4.xxxx) {\n\
                  r1.xyzw = tex.f32 (tex0 lod) r0.xyzw, r0.wwww\n}";
    let [(native, _), _] = both(&program("fragment", texture, nested));
    assert_eq!(count(&native, "OpImageSparseSampleExplicitLod"), 1);
    assert_eq!(count(&native, "OpImageSampleExplicitLod"), 1, "{native}");
}

/// Without indexing by different numbers there is a case for each texture, for residency as for texels.
#[test]
fn arrays_of_textures() {
    let access = "tex0[r2.x] lod";
    let body = sparse(access, "f32", "r0.xyzw, r0.wwww");
    let program = program("fragment", "tex0: unit 1[3] 2d f32", &body);
    let [(native, _), _] = both(&program);
    assert_eq!(
        count(&native, "OpImageSparseSampleExplicitLod"),
        1,
        "{native}"
    );
    let options = Options {
        device: DeviceFeatures {
            sampled_image_dynamic_indexing: false,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    };
    let cases = disassemble(&check_with(&program, &options).words);
    assert_eq!(
        count(&cases, "OpImageSparseSampleExplicitLod"),
        3,
        "{cases}"
    );
    assert_eq!(count(&cases, "OpImageSampleExplicitLod"), 3, "{cases}");
}

#[test]
fn images_tell_of_residency() {
    for (image, access, sources) in [
        ("2d raw32", "img0 x1", "r0.xyzw"),
        ("cubearray u32", "img0 x4", "r0.xyzw"),
        ("2dmsarray raw64", "img0 x2", "r0.xyzw, r0.wwww"),
    ] {
        let resources = format!("img0: unit 2 {image}");
        let body = format!(
            "r1.x, cc4 = resident.s32 ({access}) {sources}\nr1.xyzw = imgload.u32 ({access}) {sources}\n\
             r1.w if(ne cc4.xxxx) = mov.u32 {{1}}"
        );
        let [(native, features), (other, _)] = both(&program("compute", &resources, &body));
        assert_eq!(count(&native, "OpImageSparseRead"), 1, "{native}");
        assert!(
            features.contains(&"shaderResourceResidency"),
            "{features:?}"
        );
        assert!(!other.contains("Sparse"), "{other}");
    }
}

#[test]
fn least_levels_are_an_image_operand() {
    let cases = [
        (
            "2d f32",
            "implicit min_lod",
            "r0.xyzw, r2.xxxx",
            "ImplicitLod",
        ),
        (
            "2darray s32",
            "bias min_lod offset 1 0 0",
            "r0.xyzw, r2.yyyy, r2.xxxx",
            "ImplicitLod",
        ),
        (
            "cube shadow f32",
            "implicit min_lod",
            "r0.xyzw, r2.yyyy, r2.xxxx",
            "DrefImplicitLod",
        ),
        (
            "3d u32",
            "grad min_lod",
            "r0.xyzw, r2.xyzw, r2.yzwx, r2.xxxx",
            "ExplicitLod",
        ),
        (
            "cubearray f32",
            "grad min_lod",
            "r0.xyzw, r2.xyzw, r2.yzwx, r2.xxxx",
            "ExplicitLod",
        ),
        (
            "2d f32",
            "implicit min_lod offset dynamic",
            "r0.xyzw, r2.xxxx, r2.xyzw",
            "ImplicitLod",
        ),
    ];
    for (texture, mode, sources, expected) in cases {
        let ty = texture.rsplit(' ').next().unwrap();
        let resources = format!("tex0: unit 1 {texture}");
        for residency in [true, false] {
            let access = format!("tex0 {mode}");
            let body = if residency {
                sparse(&access, ty, sources)
            } else {
                format!("r1.xyzw = tex.{ty} ({access}) {sources}")
            };
            let program = program("fragment", &resources, &body);
            let [(native, features), (other, others)] = both(&program);
            let kind = if residency { "Sparse" } else { "" };
            let op = format!("OpImage{kind}Sample{expected}");
            assert_eq!(count(&native, &op), 1, "{mode}\n{native}");
            assert!(native.contains("MinLod"), "{native}");
            assert!(features.contains(&"shaderResourceMinLod"), "{features:?}");
            assert!(!other.contains("MinLod") && !others.contains(&"shaderResourceMinLod"));
            assert!(other.contains("ExplicitLod"), "{other}");
        }
    }
}

/// Residency without least levels: that of the sample which counts.
#[test]
fn residency_of_accesses_that_sample_twice() {
    let body = sparse("tex0 implicit min_lod", "f32", "r0.xyzw, r2.xxxx");
    let program = program("fragment", "tex0: unit 1 2d f32", &body);
    let options = Options {
        device: DeviceFeatures {
            resource_min_lod: false,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    };
    let text = disassemble(&check_with(&program, &options).words);
    assert_eq!(count(&text, "OpImageSparseTexelsResident"), 2, "{text}");
    assert_eq!(count(&text, "OpImageQueryLod"), 1, "{text}");
    assert!(!text.contains("OpLogicalAnd"), "{text}");
}

/// Levels that the device does not compute are compared in the program, whatever the device can do.
#[test]
fn least_levels_outside_fragment_programs() {
    for (mode, sources) in [
        ("implicit min_lod", "r0.xyzw, r2.xxxx"),
        ("bias min_lod", "r0.xyzw, r2.yyyy, r2.xxxx"),
    ] {
        let body = format!("r1.xyzw = tex.f32 (tex0 {mode}) {sources}");
        let program = program("vertex", "tex0: unit 1 2d f32", &body);
        for (text, features) in both(&program) {
            assert_eq!(count(&text, "OpImageSampleExplicitLod"), 1, "{text}");
            assert!(text.contains("NMax") && features.is_empty(), "{text}");
        }
    }
    let body = "r1.xyzw = tex.f32 (tex0 grad min_lod) r0.xyzw, r2.xyzw, r2.yzwx, r2.xxxx";
    let [(native, _), (other, _)] = both(&program("vertex", "tex0: unit 1 2d f32", body));
    assert_eq!(count(&native, "OpImageSampleExplicitLod"), 1, "{native}");
    assert_eq!(count(&other, "OpImageSampleExplicitLod"), 2, "{other}");
}

/// Where the program gives levels, it leaves room for the bias of the sampler; where the device has the operand, it need not know.
#[test]
fn biases_of_samplers() {
    let texture = "tex0: unit 1 2d f32";
    let accesses = [
        ("vertex", "implicit", "r0.xyzw, r2.xxxx"),
        ("fragment", "implicit", "r0.xyzw, r2.xxxx"),
        ("fragment", "grad", "r0.xyzw, r2.xyzw, r2.yzwx, r2.xxxx"),
    ];
    for (stage, mode, sources) in accesses {
        let body = format!("r1.xyzw = tex.f32 (tex0 {mode} min_lod) {sources}");
        let program = program(stage, texture, &body);
        for (min_lod, units) in [(false, 0), (false, 2), (true, 2)] {
            let options = Options {
                device: DeviceFeatures {
                    resource_min_lod: min_lod,
                    ..DeviceFeatures::default()
                },
                lod_biases: vec![LodBias::from(0.5); units],
                ..Options::default()
            };
            let text = disassemble(&check_with(&program, &options).words);
            let expected = units == 2 && (stage == "vertex" || !min_lod);
            assert_eq!(count(&text, "OpFSub"), usize::from(expected), "{text}");
        }
    }
}
