//! An emitter that is kept allocates what it returns and nothing else.

use crate::support::*;
use allocation_counter::measure;
use glasm_codegen::{Emitter, Options};
use glasm_ir::*;

fn some_program() -> Program {
    let mut m = Make::new(Stage::Fragment);
    let color = m.color();
    let [coordinate, tint] = [0, 1].map(|number| m.input(Semantic::TexCoord(number)));
    let (param, t) = (m.param(), m.temp());
    m.f(Op::Mad, d(t, "xyzw"), &[coordinate, param, tint]);
    for _ in 0..200 {
        m.f(Op::Dp3, d(t, "x"), &[r(t, "yzwx"), tint]);
        m.f(Op::Min, d(t, "yz"), &[r(t, "xxyy"), param]);
        m.f(Op::Mul, d(t, "xyzw"), &[r(t, "wzyx"), coordinate]);
    }
    m.f(Op::Mov, d(color, "xyzw"), &[r(t, "xyzw")]);
    m.finish()
}

#[test]
fn the_second_emission_allocates_its_result_only() {
    let program = some_program();
    let options = Options::default();
    let mut emitter = Emitter::new();
    let mut emit = || {
        let mut words = Vec::new();
        let reflection = emitter.emit_into(&program, &options, None, &mut words);
        (words, reflection.unwrap())
    };
    let first = emit();
    let mut second = None;
    let emission = measure(|| second = Some(emit()));
    let mut third = None;
    let copy = measure(|| third = second.clone());
    assert_eq!(Some(first), second);
    assert_eq!(third, second);
    assert_eq!(emission.count_total, copy.count_total);
}
