//! State programs: a buffer of parameters and an argument; parameters with names; signed HILO textures.

use crate::support::*;
use glasm_codegen::Options;
use glasm_codegen::options::DeviceFeatures;
use glasm_codegen::reflect::{DescriptorSlot, NamedParameter};
use glasm_ir::ParamSource;

/// c[5].xyz = c[A0.x + 7], with A0.x from v[0]; c[95] = c[5].
const STATE: &str = "program compute
r0: temp32
r1: temp32
p0: argument
buf0: state 0
routine fn0 {
  r0.x = cvt.s32 (f32 floor) p0.xyzw
  r0.x = mul.s32 r0.xxxx, {16}
  r1.xyzw = load.f32 (buf0 x4 +112) r0.xxxx
  store.f32 (buf0 x1 +80) r1.xxxx, {0}
  store.f32 (buf0 x1 +84) r1.yyyy, {0}
  store.f32 (buf0 x1) r1.zzzz, {88}
  r1.xyzw = load.f32 (buf0 x4 +80) {0}
  store.f32 (buf0 x4 +1520) r1.xyzw, {0}
}
main fn0
";

#[test]
fn state_programs_say_what_they_write() {
    let program = glasm_ir::parse(STATE).unwrap();
    glasm_ir::verify(&program).unwrap();
    for robust_buffer_access2 in [false, true] {
        let device = DeviceFeatures {
            robust_buffer_access2,
            ..DeviceFeatures::default()
        };
        let options = Options {
            device,
            ..Options::default()
        };
        let module = check_with(&program, &options);
        let told = module.reflection.state_program.unwrap();
        assert_eq!(told.slot, DescriptorSlot { set: 3, binding: 0 });
        assert_eq!(told.written_parameters, [5, 95]);
        let block = module.reflection.parameter_block.unwrap();
        assert_eq!(block.parameters, [ParamSource::Argument]);
        let text = disassemble(&module.words);
        // The size is known, so the module does not ask for it; only the access at a run-time offset is tested.
        assert_eq!(count(&text, "OpArrayLength"), 0);
        assert!(count(&text, "OpULessThan") >= 1, "{text}");
    }
}

#[test]
fn stores_at_offsets_that_are_not_known_may_write_everything() {
    let text = STATE.replace("r1.xyzw, {0}", "r1.xyzw, r0.xxxx");
    let program = glasm_ir::parse(&text).unwrap();
    let told = check_with(&program, &Options::default()).reflection;
    let all: Vec<u32> = (0..96).collect();
    assert_eq!(told.state_program.unwrap().written_parameters, all);
}

#[test]
fn constant_offsets_cost_no_test() {
    let text = STATE.replace("+112) r0.xxxx", "+112) {0}");
    let text =
        disassemble(&check_with(&glasm_ir::parse(&text).unwrap(), &Options::default()).words);
    assert_eq!(count(&text, "OpULessThan"), 0, "{text}");
}

#[test]
fn registers_at_constant_offsets_are_moved_at_once() {
    let text = "program compute
r0: temp32
buf0: state 0
routine fn0 {
  r0.xyzw = load.f32 (buf0 x4 +80) {0}
  store.f32 (buf0 x4 +1520) r0.xyzw, {0}
}
main fn0
";
    let program = glasm_ir::parse(text).unwrap();
    let text = disassemble(&check_with(&program, &Options::default()).words);
    for word in ["OpLoad", "OpStore"] {
        assert_eq!(count(&text, word), 1, "{text}");
    }
}

#[test]
fn named_parameters_are_told_whether_they_are_read_or_not() {
    let text = "program fragment
r0: output32 out0
np0: \"tint\" {0.5, 1.0, 0.0, 1.0}
np1: \"unused\" {0, 0, 0, 0}
p0: named[0]
out0: frag_color[0][0] float
routine fn0 {
  r0.xyzw = mov.f32 p0.xyzw
}
main fn0
";
    let program = glasm_ir::parse(text).unwrap();
    glasm_ir::verify(&program).unwrap();
    let told = check_with(&program, &Options::default()).reflection;
    let named = |name: &str, initial: [f32; 4]| NamedParameter {
        name: name.to_owned(),
        initial_bits: initial.map(f32::to_bits),
    };
    assert_eq!(
        told.named_parameters,
        [
            named("tint", [0.5, 1.0, 0.0, 1.0]),
            named("unused", [0.0; 4])
        ]
    );
    assert_eq!(
        told.parameter_block.unwrap().parameters,
        [ParamSource::Named(0)]
    );
}

#[test]
fn signed_hilo_is_a_property_of_a_unit() {
    let text = "program fragment
r0: output32 out0
in0: tex_coord[0] float
out0: frag_color[0][0] float
tex0: unit 2 2d f32
routine fn0 {
  r0.xyzw = tex.f32 (tex0 implicit) in0.xyzw
}
main fn0
";
    let program = glasm_ir::parse(text).unwrap();
    let roots = |signed_hilo: Vec<bool>| {
        let options = Options {
            signed_hilo_textures: signed_hilo,
            ..Options::default()
        };
        let text = disassemble(&check_with(&program, &options).words);
        count(&text, "Sqrt")
    };
    assert_eq!(roots(vec![]), 0);
    assert_eq!(roots(vec![true, true]), 0);
    assert_eq!(roots(vec![false, false, true]), 1);
}
