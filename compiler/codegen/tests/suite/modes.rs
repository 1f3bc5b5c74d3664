//! What properties of fragment programs become: execution modes and capabilities.

use crate::support::*;
use glasm_codegen::Options;
use glasm_ir::program::Interlock;
use glasm_ir::resource::*;
use glasm_ir::*;

#[test]
fn critical_sections() {
    for (interlock, feature) in [
        (Interlock::PixelOrdered, "fragmentShaderPixelInterlock"),
        (Interlock::PixelUnordered, "fragmentShaderPixelInterlock"),
        (Interlock::SampleOrdered, "fragmentShaderSampleInterlock"),
        (Interlock::SampleUnordered, "fragmentShaderSampleInterlock"),
    ] {
        let mut m = Make::new(Stage::Fragment);
        m.inst(Op::InterlockBegin, Type::U32, None, InstData::None, &[]);
        m.inst(Op::InterlockEnd, Type::U32, None, InstData::None, &[]);
        let mut program = m.finish();
        program.modes.interlock = Some(interlock);
        let module = check_with(&program, &Options::default());
        let text = disassemble(&module.words);
        assert_eq!(count(&text, "OpBeginInvocationInterlockEXT"), 1);
        assert_eq!(count(&text, "OpEndInvocationInterlockEXT"), 1);
        assert!(module.reflection.requirements.features.contains(&feature));
    }
}

#[test]
fn post_depth_coverage_implies_early_tests() {
    let mut m = Make::new(Stage::Fragment);
    let mask = m.input(Semantic::SampleMask);
    let color = m.color();
    m.f(Op::Mov, d(color, "xyzw"), &[mask]);
    let mut program = m.finish();
    program.modes.post_depth_coverage = true;
    let module = check_with(&program, &Options::default());
    let text = disassemble(&module.words);
    assert_eq!(count(&text, "PostDepthCoverage"), 1);
    assert_eq!(count(&text, "EarlyFragmentTests"), 1);
}

/// EXT_post_depth_coverage: the option changes the input coverage and nothing else.
#[test]
fn coverage_that_is_not_read_needs_no_feature() {
    let mut m = Make::new(Stage::Fragment);
    let (color, input) = (m.color(), m.input(Semantic::Color(0)));
    m.f(Op::Mov, d(color, "xyzw"), &[input]);
    let mut program = m.finish();
    program.modes.post_depth_coverage = true;
    let mut options = Options::default();
    options.device.post_depth_coverage = false;
    let text = disassemble(&check_with(&program, &options).words);
    assert_eq!(count(&text, "PostDepthCoverage"), 0);
    assert_eq!(count(&text, "EarlyFragmentTests"), 1);
}

/// `Shader` is what every module needs, and the capability for stores of fragment programs as well.
#[test]
fn capabilities_of_several_needs_are_declared_once() {
    let mut m = Make::new(Stage::Fragment);
    let buffer = m.b.program.buffers.push(Buffer {
        kind: BufferKind::Storage,
        binding: 0,
        array_len: None,
        size: None,
    });
    let access = MemAccess {
        space: MemorySpace::Buffer(buffer),
        element: None,
        components: 1,
        offset: 0,
        atomic: None,
        flags: MemFlags::empty(),
    };
    let (value, address) = (m.int(1), m.int(0));
    m.mem(Op::Store, Type::U32, access, None, &[value, address]);
    let module = check_with(&m.finish(), &Options::default());
    let features = &module.reflection.requirements.features;
    assert!(features.contains(&"fragmentStoresAndAtomics"));
    let text = disassemble(&module.words);
    let shaders = text.lines().filter(|line| *line == "OpCapability Shader");
    assert_eq!(shaders.count(), 1, "{text}");
}
