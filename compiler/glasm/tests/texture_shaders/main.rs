//! Programs of texture shaders, compared with an evaluator that follows the tables and formulas of
//! NV_texture_shader section 3.8.13, NV_texture_shader2 and NV_texture_shader3, for random states.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod evaluator;
mod generated_program;
mod random_states;
mod tokens;

use evaluator::{Fragment, evaluate};
use generated_program::run_program;
use glasm::fixed_function::{
    ShaderOperation, TextureShaderKey, find_consistent_stages, generate_texture_shader_program,
};
use glasm::{Options, Source, compile};
use glasm_tests::rng::Rng;
use random_states::{Random, combiners, find_target, random_fragment, random_key};
use std::collections::BTreeMap;
use tokens::*;

fn assert_near(found: &[f64], expected: &[f64], key: &TextureShaderKey, fragment: &Fragment) {
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (expected - found).abs() <= 1e-3,
            "{found}, not {expected}\n{key:?}\n{fragment:?}\n{}",
            generate_texture_shader_program(key)
        );
    }
}

/// Compares the program of a state with the evaluator: consistency, discarded fragments, depth, and
/// the color after texture environments and after register combiners.
fn check(random: &mut Random, key: &mut TextureShaderKey, fragment: &Fragment) -> Option<u8> {
    let evaluator = evaluate(key, fragment);
    let consistent = evaluator.results.iter().enumerate();
    let consistent = consistent.filter(|(_, it)| it.is_consistent);
    let mask = consistent.fold(0, |mask, (number, _)| mask | 1 << number);
    assert_eq!(find_consistent_stages(key), mask, "{key:?}");
    if !evaluator.is_reliable {
        return None;
    }
    let drawn = run_program(key, fragment);
    assert_eq!(
        drawn.is_discarded, evaluator.is_discarded,
        "{key:?}\n{fragment:?}"
    );
    assert_near(&drawn.color, &evaluator.environments(), key, fragment);
    if let Some(depth) = evaluator.depth.filter(|_| !evaluator.is_discarded) {
        assert_near(&[drawn.depth.unwrap()], &[depth], key, fragment);
    }
    let unit = random.pick(&[0, 1, 2, 3, 4, 5, 6, 7]);
    let halves = evaluator.results[unit].texel.map(|it| 0.5 * it + 0.5);
    key.combiners = Some(combiners(unit));
    assert_near(&run_program(key, fragment).color, &halves, key, fragment);
    Some(mask)
}

/// Compares random states, in which each operation is consistent and, if it can be, not consistent.
#[test]
fn random_states_have_the_results_of_the_specification() {
    let mut random = Random(Rng::new(17));
    let mut counts: BTreeMap<u32, [u32; 2]> = BTreeMap::new();
    let mut checked = 0;
    while checked < 4000 {
        let mut key = random_key(&mut random);
        let fragment = random_fragment(&mut random);
        let Some(mask) = check(&mut random, &mut key, &fragment) else {
            continue;
        };
        checked += 1;
        for (number, stage) in key.stages.unwrap().iter().enumerate() {
            let is_consistent = usize::from(mask >> number & 1);
            counts.entry(stage.operation.enumerant()).or_default()[is_consistent] += 1;
        }
    }
    for operation in OPERATIONS {
        let [inconsistent, consistent] = counts[&operation];
        assert!(consistent >= 10, "{operation:#x}: {consistent} consistent");
        let is_always = matches!(operation, NONE | PASS_THROUGH | CULL_FRAGMENT);
        assert_eq!(
            inconsistent == 0,
            is_always,
            "{operation:#x}: {inconsistent}"
        );
    }
}

/// Checks that random states compile to valid modules.
#[test]
fn random_states_compile() {
    let mut random = Random(Rng::new(19));
    for number in 0..200 {
        let mut key = random_key(&mut random);
        key.combiners = (number % 2 == 0).then(|| combiners(number / 2 % 8));
        key.fragment.unclamped_colors = number % 8 == 1;
        if number % 5 == 0 {
            key.stages = None;
        }
        let text = generate_texture_shader_program(&key);
        let source = Source::new("texture shaders", &text);
        if let Err(errors) = compile(&source, &Options::default()) {
            panic!("{}\n{text}", errors.render(&source));
        }
    }
}

/// Tests that tokens denote the operations of the specifications, and which units can have them.
#[test]
fn tokens_have_the_numbers_of_the_specifications() {
    assert_eq!(ShaderOperation::ALL.len(), OPERATIONS.len());
    let find = |token| ShaderOperation::from_enumerant(token).unwrap();
    for token in OPERATIONS {
        assert_eq!(find(token).enumerant(), token);
        assert_eq!(find(token).texture_target(), find_target(find(token)));
    }
    let least = |token| {
        (0..8)
            .find(|unit| find(token).is_allowed(*unit, 8))
            .unwrap()
    };
    for token in [NONE, TEXTURE_1D, TEXTURE_3D, PASS_THROUGH, CULL_FRAGMENT] {
        assert_eq!(least(token), 0, "{token:#x}");
    }
    for token in [
        OFFSET_2D,
        DEPENDENT_AR,
        DOT,
        DEPENDENT_HILO,
        DOT_PASS_THROUGH,
        DOT_1D,
        DOT_AFFINE_DEPTH,
    ] {
        assert_eq!(least(token), 1, "{token:#x}");
    }
    for token in [DOT_DEPTH, DOT_2D, DOT_RECTANGLE, DOT_DIFFUSE] {
        assert_eq!(least(token), 2, "{token:#x}");
    }
    for token in [DOT_3D, DOT_CUBE, DOT_REFLECT, DOT_CONST_EYE] {
        assert_eq!(least(token), 3, "{token:#x}");
    }
    for token in OPERATIONS {
        let is_last = find(token).is_allowed(7, 8);
        assert_eq!(is_last, !matches!(token, DOT | DOT_DIFFUSE), "{token:#x}");
    }
}
