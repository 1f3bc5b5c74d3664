//! Quads of fragments. Expected values are differences of the inputs, computed by hand.

use super::*;
use crate::interp::quad::QuadFragment;

/// Values of the fragments' input: the row with the smaller y, then the other one.
const VALUES: [f32; 4] = [1.0, 4.0, 10.0, 20.0];

fn fragments() -> [QuadFragment; 4] {
    std::array::from_fn(|index| QuadFragment {
        inputs: vec![[u64::from(VALUES[index].to_bits()), 0, 0, 0]],
        is_helper: index == 3,
    })
}

/// Returns lane x of output 0 of each fragment.
fn run_quad(body: &str) -> [f32; 4] {
    let program = parse_program(body);
    let interpreter = Interpreter::new(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut environment = Environment::default();
    let results = interpreter.run_quad(&mut environment, &fragments(), &mut NoObserver);
    results
        .unwrap()
        .map(|result| f32::from_bits(result.outputs[0][0] as u32))
}

#[test]
fn derivatives_are_differences_of_neighbors() {
    for (op, expected) in [
        ("ddx", [3.0, 3.0, 10.0, 10.0]),
        ("ddy", [9.0, 16.0, 9.0, 16.0]),
        ("ddxfine", [3.0, 3.0, 10.0, 10.0]),
        ("ddxcoarse", [3.0; 4]),
        ("ddycoarse", [9.0; 4]),
    ] {
        assert_eq!(
            run_quad(&format!("r0.x = {op}.f32 in0.xyzw")),
            expected,
            "{op}"
        );
    }
    let negated = run_quad("r0.x = ddx.f32 -in0.xyzw");
    assert_eq!(negated, [-3.0, -3.0, -10.0, -10.0]);
}

#[test]
fn fragments_read_values_of_others() {
    let added = |op: &str| run_quad(&format!("r0.x = {op}.f32 in0.xyzw, {{0.5}}"));
    assert_eq!(added("quad2"), [10.5; 4]);
    assert_eq!(added("quadx"), [4.5, 1.5, 20.5, 10.5]);
    assert_eq!(added("quady"), [10.5, 20.5, 1.5, 4.5]);
}

/// Checks that values of fragments that take another branch are 0 for the operations of quads, and
/// that derivatives use the values that their registers have.
#[test]
fn branches_part_the_fragments() {
    let branch = |inner: &str| {
        run_quad(&format!(
            "r1.x = setge.f32 in0.xyzw, {{10.0}}\n\
             r2.x = mov.f32 in0.xyzw\n\
             if nonzero.f32 r1.x {{\nr2.x = add.f32 r2.xyzw, {{1.0}}\n{inner}\n}}"
        ))
    };
    assert_eq!(
        branch("r0.x = quadx.f32 r2.xyzw, {0.0}"),
        [0.0, 0.0, 0.0, 0.0]
    );
    assert_eq!(branch("r0.x = ddx.f32 r2.xyzw"), [0.0, 0.0, 10.0, 10.0]);
    // 11 - 1 and 21 - 4
    assert_eq!(branch("r0.x = ddy.f32 r2.xyzw"), [0.0, 0.0, 10.0, 17.0]);
}

#[test]
fn helpers_are_demoted_and_textures_get_derivatives() {
    let program = parse_program(
        "r0.xyzw = tex.f32 (tex0 implicit) in0.xyzw, {0.5}\n\
         r7.x = pack64.u64 {1, 0, 0, 0}",
    );
    let interpreter = Interpreter::new(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut found = Vec::new();
    let textures = |request: &TexRequest| {
        found.push(request.derivatives.map(|lanes| f32::from_bits(lanes[0])));
        [0; 4]
    };
    let mut environment = Environment::default().with_textures(textures);
    let results = interpreter.run_quad(&mut environment, &fragments(), &mut NoObserver);
    let demoted = results.unwrap().map(|result| result.demoted);
    assert_eq!(demoted, [false, false, false, true]);
    drop(environment);
    assert_eq!(found, [[3.0, 9.0], [3.0, 16.0], [10.0, 9.0], [10.0, 16.0]]);
}

#[test]
fn inputs_are_evaluated_at_other_positions() {
    struct Positions;
    impl TextureSource for Positions {
        fn access_texture(&mut self, _: &TexRequest) -> [u32; 4] {
            [0; 4]
        }
        fn interpolate(
            &mut self,
            fragment: usize,
            _: crate::InputId,
            point: InterpolationPoint,
        ) -> Option<[u64; 4]> {
            let InterpolationPoint::Offset([x, y]) = point else {
                return None;
            };
            let value = fragment as f32 * 100.0 + x * 8.0 + y;
            Some([u64::from(value.to_bits()); 4])
        }
    }
    let program =
        parse_program("r0.x = ipao.f32 -in0.xyzw, {0.25, 0.5, 0.0, 0.0}\nr0.y = ipac.f32 in0.xxxx");
    let interpreter = Interpreter::new(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut environment = Environment::default().with_textures(Positions);
    let results = interpreter.run_quad(&mut environment, &fragments(), &mut NoObserver);
    let lanes = results.unwrap().map(|result| {
        let outputs = result.outputs[0];
        [0, 1].map(|lane| f32::from_bits(outputs[lane] as u32))
    });
    assert_eq!(
        lanes,
        [[-2.5, 1.0], [-102.5, 4.0], [-202.5, 10.0], [-302.5, 20.0]]
    );
}
