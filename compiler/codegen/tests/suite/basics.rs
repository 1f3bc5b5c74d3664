//! Straight code and structured control flow: modules are valid and have the expected form.

use crate::support::*;
use glasm_codegen::options::{BindingLayout, DeviceFeatures, Target};
use glasm_codegen::{Options, emit};
use glasm_ir::semantic::Input;
use glasm_ir::*;

#[test]
fn vertex_program_with_params_and_attributes() {
    let mut m = Make::new(Stage::Vertex);
    let position = m.output(Semantic::Position);
    let color = m.output(Semantic::Color(0));
    let attribute = m.input(Semantic::VertexAttribute(0));
    let rows = [m.param(), m.param(), m.param(), m.param()];
    for (row, letter) in rows.iter().zip(["x", "y", "z", "w"]) {
        m.f(Op::Dp4, d(position, letter), &[*row, attribute]);
    }
    let tint = m.input(Semantic::VertexAttribute(3));
    m.f(Op::Mov, d(color, "xyzw"), &[tint]);
    let text = check(&m.finish());
    assert_eq!(count(&text, "OpDot"), 4);
    // One load per parameter and attribute, nothing else in memory.
    assert_eq!(count(&text, "OpLoad"), 6);
    assert_eq!(count(&text, "OpVariable"), 5);
}

#[test]
fn fragment_program_with_texture() {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let coordinate = m.input(Semantic::TexCoord(0));
    let tint = m.param();
    let texture = Texture {
        units: UnitSet::Single(2),
        target: TexTarget::D2,
        shadow: false,
        texel_type: Type::F32,
        sampler: None,
    };
    let id = m.b.program.textures.push(texture);
    let t = m.temp();
    m.tex(
        TexAccess::new(id, &texture, resource::TexMode::Implicit),
        d(t, "xyzw"),
        &[coordinate],
    );
    m.f(
        Op::Mul,
        Dst {
            saturate: Saturate::Unsigned,
            ..d(color, "xyzw")
        },
        &[r(t, "xyzw"), tint],
    );
    let text = check(&m.finish());
    assert_eq!(count(&text, "OpImageSampleImplicitLod"), 1);
    assert_eq!(count(&text, "OpCompositeExtract"), 0);
}

#[test]
fn branch_gives_a_phi() {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::Color(0));
    let cc = m.cc();
    let t = m.temp();
    let scratch = m.temp();
    let half = m.float(0.5);
    m.f(Op::Mov, d(t, "xyzw"), &[input]);
    m.f(
        Op::Sub,
        Dst {
            cc: Some(cc),
            ..d(scratch, "x")
        },
        &[input, half],
    );
    m.if_else(
        any(cc, CondTest::Lt, "x"),
        |m| {
            m.f(Op::Add, d(t, "xyz"), &[r(t, "xyzw"), half]);
            m.f(Op::Mul, d(scratch, "xyzw"), &[r(t, "xyzw"), half]);
        },
        |m| m.f(Op::Mul, d(t, "xyzw"), &[r(t, "xyzw"), r(t, "wzyx")]),
    );
    m.f(Op::Mov, d(color, "xyzw"), &[r(t, "xyzw")]);
    let text = check(&m.finish());
    assert_eq!(count(&text, "OpPhi"), 1, "{text}");
    assert_eq!(count(&text, "OpVariable"), 2);
}

#[test]
fn counted_loop() {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let input = m.input(Semantic::Color(0));
    let (counter, sum, flag) = (m.temp(), m.temp(), m.temp());
    let (zero, one, ten) = (m.int(0), m.int(1), m.int(10));
    let zero_float = m.float(0.0);
    m.op(Op::Mov, Type::S32, d(counter, "x"), &[zero]);
    m.f(Op::Mov, d(sum, "xyzw"), &[zero_float]);
    m.loop_(
        |m| {
            m.op(Op::SetGe, Type::S32, d(flag, "x"), &[r(counter, "x"), ten]);
            m.if_(Cond::NonZero(flag, 0, Type::S32), |m| m.node(Node::Break));
            m.f(Op::Add, d(sum, "xyzw"), &[r(sum, "xyzw"), input]);
        },
        |m| m.op(Op::Add, Type::S32, d(counter, "x"), &[r(counter, "x"), one]),
    );
    m.f(Op::Mov, d(color, "xyzw"), &[r(sum, "xyzw")]);
    let text = check(&m.finish());
    // The counter and the lanes of the sum, nothing at the merge, which has one edge.
    assert_eq!(count(&text, "OpPhi"), 5, "{text}");
    assert_eq!(count(&text, "OpSelectionMerge"), 0, "{text}");
    // Only the counter changes in the continue block.
    let add = text.find("OpIAdd").unwrap_or_default();
    assert!(!text[add..].contains("OpCompositeExtract"), "{text}");
    assert_eq!(
        count(&text, "OpSelect"),
        0,
        "the comparison feeds the branch: {text}"
    );
}

/// Unsigned fields that begin past the top bit are 0: the number of bits becomes 0 there. Signed ones have the top bit, which a shift
/// by 31 leaves.
#[test]
fn bit_fields_past_the_word_have_no_bits() {
    for (ty, selections) in [(Type::U32, 1), (Type::S32, 0)] {
        let mut m = Make::new(Stage::Fragment);
        let color = m.color();
        let [value, bits, first] = [0, 1, 2].map(|_| m.param());
        m.op(Op::BitExtract, ty, d(color, "x"), &[value, bits, first]);
        let text = check(&m.finish());
        assert_eq!(count(&text, "OpUGreaterThan"), selections, "{text}");
        assert_eq!(count(&text, "OpSelect"), selections, "{text}");
    }
}

/// In OpenGL a vertex input of doubles has one location, and each component of the attribute is one of its components.
#[test]
fn components_of_double_attributes_are_those_of_one_input() {
    let mut m = Make::new(Stage::Vertex);
    let (position, color) = (m.output(Semantic::Position), m.output(Semantic::Color(0)));
    let attribute = m.b.program.inputs.push(Input {
        width: Width::W64,
        ..Input::new(Semantic::VertexAttribute(2))
    });
    let attribute = Src::new(OperandBase::Input(attribute));
    for (result, lanes) in [(position, "xyxy"), (color, "zwzw")] {
        let pair = attribute.swizzled(swizzle(lanes));
        m.op(Op::Unpack64, Type::U64, d(result, "xyzw"), &[pair]);
    }
    let options = Options {
        target: Target::OpenGl4_5,
        device: DeviceFeatures::of_opengl(450, |_| true),
        bindings: BindingLayout::opengl(84, 8),
        ..Options::default()
    };
    let text = disassemble(&emit(&m.finish(), &options).unwrap().words);
    let double = text.lines().find(|line| line.contains("OpTypeFloat 64"));
    let double = double.unwrap().split_whitespace().next().unwrap();
    let mut components: Vec<_> = text
        .lines()
        .filter_map(|line| line.split_once("OpCompositeExtract"))
        .filter_map(|(_, rest)| rest.trim().strip_prefix(double))
        .filter_map(|rest| rest.split_whitespace().last())
        .collect();
    components.sort_unstable();
    assert_eq!(components, ["0", "1", "2", "3"], "{text}");
}
