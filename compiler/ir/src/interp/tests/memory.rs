//! Parameters, inputs, memory and textures.

use super::*;
use crate::resource::{TexMode, TexTarget};

fn make_environment() -> Environment {
    let mut environment = Environment::default();
    environment.memory.regions.push(Region {
        address: 0x1_0000_0000,
        bytes: (0x80..0xa0).collect(),
    });
    environment.memory.buffers = vec![vec![vec![0; 16]], vec![vec![1; 8], vec![2; 8]]];
    environment
}

fn run_load(access: &str) -> [u64; 4] {
    run_in(&mut make_environment(), &format!("r0.xyzw = {access}")).outputs[0]
}

/// Checks that sizes are in bytes, rounded down to words.
#[test]
fn sizes_of_buffers() {
    assert_eq!(run_load("bufsize.u32 (buf0 x1) {0}")[0], 16);
    assert_eq!(run_load("bufsize.u32 (buf1[1] x1) {0}")[0], 8);
    let mut environment = make_environment();
    environment.memory.buffers[0][0] = vec![0; 10];
    let outcome = run_in(&mut environment, "r0.x = bufsize.u32 (buf0 x1) {0}");
    assert_eq!(outcome.outputs[0][0], 8);
}

#[test]
fn parameters_and_inputs() {
    let mut environment = Environment {
        params: vec![[1; 4], [2; 4], [3; 4]],
        ..Environment::default()
    };
    environment.inputs = vec![[7, 8, 9, 10]];
    let outcome = run_in(
        &mut environment,
        "r1.x = mov.u32 {1}\nr0.xyzw = add.u32 p0[r1.x+1 of 3].xyzw, in0.wzyx",
    );
    assert_eq!(outcome.outputs[0], [13, 12, 11, 10]);
}

#[test]
fn loads() {
    assert_eq!(
        run_load("load.u32 (global x2) {0x100000000}"),
        [0x8382_8180, 0x8786_8584, 0, 0]
    );
    assert_eq!(
        run_load("load.u8 (global x4 +1) {0x100000000}"),
        [0x81, 0x82, 0x83, 0x84]
    );
    assert_eq!(
        run_load("load.s8 (global x1) {0x100000000}"),
        [0xffff_ff80, 0, 0, 0]
    );
    assert_eq!(
        run_load("load.u16 (global x2 -4) {0x100000005}"),
        [0x8281, 0x8483, 0, 0]
    );
    assert_eq!(
        run_load("load.u32 (buf1[1] x1) {4}"),
        [0x0202_0202, 0, 0, 0]
    );
    let wide = run_in(
        &mut make_environment(),
        "r7.xy = load.u64 (global x1) {0x100000000}",
    )
    .outputs[1];
    assert_eq!(wide, [0x8786_8584_8382_8180, 0, 0, 0]);
}

/// Checks that out-of-bounds scalars are read as 0 and not written.
#[test]
fn accesses_outside() {
    assert_eq!(
        run_load("load.u32 (global x2) {0x10000001c}"),
        [0x9f9e_9d9c, 0, 0, 0]
    );
    assert_eq!(run_load("load.u32 (global x1) {0xfffffffc}"), [0; 4]);
    assert_eq!(run_load("load.u32 (buf0 x1 -4) {0}"), [0; 4]);
    let mut environment = make_environment();
    run_in(&mut environment, "store.u32 (buf0 x4) {1, 2, 3, 4}, {8}");
    assert_eq!(
        environment.memory.buffers[0][0][8..],
        [1, 0, 0, 0, 2, 0, 0, 0]
    );
}

#[test]
fn narrow_stores_keep_neighbors() {
    let mut environment = make_environment();
    run_in(
        &mut environment,
        "store.u8 (buf1[0] x1) {0x1234}, {2}\nstore.s16 (buf1[1] x2) {-1, 3, 0, 0}, {2}",
    );
    assert_eq!(
        environment.memory.buffers[1][0],
        [1, 1, 0x34, 1, 1, 1, 1, 1]
    );
    assert_eq!(
        environment.memory.buffers[1][1],
        [2, 2, 0xff, 0xff, 3, 0, 2, 2]
    );
}

#[test]
fn atomics() {
    let cases = [
        ("u32", "add", 5, "{7}", 12),
        ("s32", "min", 5, "{-1}", 0xffff_ffff),
        ("u32", "min", 5, "{0xffffffff}", 5),
        ("u32", "max", 5, "{0xffffffff}", 0xffff_ffff),
        ("u32", "inc_wrap", 5, "{6}", 6),
        ("u32", "inc_wrap", 6, "{6}", 0),
        ("u32", "dec_wrap", 0, "{6}", 6),
        ("u32", "dec_wrap", 9, "{6}", 6),
        ("u32", "dec_wrap", 6, "{6}", 5),
        ("u32", "and", 12, "{10}", 8),
        ("u32", "or", 12, "{10}", 14),
        ("u32", "xor", 12, "{10}", 6),
        ("u32", "exchange", 12, "{10}", 10),
        ("u32", "compare_exchange", 12, "{12, 99, 0, 0}", 99),
        ("u32", "compare_exchange", 12, "{13, 99, 0, 0}", 12),
        ("f32", "add", 0x3f80_0000, "{2.0}", 0x4040_0000),
    ];
    for (ty, op, old, value, new) in cases {
        let mut environment = make_environment();
        environment.memory.buffers[0][0][4..8].copy_from_slice(&u32::to_le_bytes(old));
        let body = format!("r0.xyzw = atom.{ty} (buf0 x1 +4 {op}) {value}, {{0}}");
        let outcome = run_in(&mut environment, &body);
        assert_eq!(outcome.outputs[0], [u64::from(old); 4], "{op} {ty}");
        assert_eq!(
            environment.memory.buffers[0][0][4..8],
            u32::to_le_bytes(new),
            "{op} {ty}"
        );
    }
}

#[test]
fn textures() {
    let textures = |request: &TexRequest| {
        assert_eq!(
            (request.texture.units, request.texture.target),
            (crate::UnitSet::Single(3), TexTarget::D2)
        );
        assert_eq!(
            (request.access.mode, request.offset),
            (TexMode::Bias, [1, -2, 0])
        );
        [
            request.coordinate[0],
            request.coordinate[1],
            request.reference,
            request.mode_sources[0][0],
        ]
    };
    let mut environment = Environment::default().with_textures(textures);
    let sources = "{0.25, 0.5, 0.0, 0.0}, {0.75}, {2.0}";
    let outcome = run_in(
        &mut environment,
        &format!("r0.xyzw = tex.f32 (tex0 bias offset 1 -2 0) {sources}"),
    );
    assert_eq!(
        outcome.outputs[0].map(|lane| f32::from_bits(lane as u32)),
        [0.25, 0.5, 0.75, 2.0]
    );
}

/// Textures whose left half is not populated.
struct HalfPopulated;

impl TextureSource for HalfPopulated {
    fn access_texture(&mut self, request: &TexRequest) -> [u32; 4] {
        [request.min_lod; 4]
    }

    fn is_resident(&mut self, request: &TexRequest) -> bool {
        f32::from_bits(request.coordinate[0]) >= 0.5
    }
}

#[test]
fn residency() {
    for (s, expected) in [("0.25", 0), ("0.75", u64::from(u32::MAX))] {
        let mut environment = Environment::default().with_textures(HalfPopulated);
        let sources = format!("{{{s}}}, {{0.75}}, {{2.0}}");
        let body = format!(
            "r1.x, cc3 = resident.s32 (tex0 implicit min_lod) {sources}\n\
             r0.w = tex.f32 (tex0 implicit min_lod) {sources}\nr0.xy = mov.u32 r1.xxxx\n\
             r0.z if(eq cc3.xxxx) = mov.u32 {{7}}"
        );
        let outcome = run_in(&mut environment, &body);
        let missing = if expected == 0 { 7 } else { 0 };
        let level = u64::from(2.0f32.to_bits());
        assert_eq!(outcome.outputs[0], [expected, expected, missing, level]);
    }
}
