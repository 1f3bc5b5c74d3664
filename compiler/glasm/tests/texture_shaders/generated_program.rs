//! Execution of generated programs with the interpreter of the compiler.

use crate::evaluator::{Fragment, Vector, sample};
use glasm::fixed_function::{
    COMBINER_CONSTANTS, TEXTURE_SHADER_CONSTANTS, TextureShaderKey, generate_texture_shader_program,
};
use glasm::ir::interp::{Environment, Interpreter, TexRequest};
use glasm::ir::{Program as Ir, TexTarget};
use glasm::state::GlState;
use glasm::{ParamSource, Program, Semantic, Source};

/// the fragment.
pub(crate) fn parameter(source: &ParamSource, fragment: &Fragment, state: &GlState) -> [u32; 4] {
    let bits = |value: Vector| value.map(|it| (it as f32).to_bits());
    match source {
        ParamSource::Local(index) => {
            let index = *index as usize - COMBINER_CONSTANTS;
            assert!(index < TEXTURE_SHADER_CONSTANTS);
            let unit = index / 3;
            let [scale, bias] = fragment.scales[unit];
            bits(match index % 3 {
                0 => fragment.matrices[unit],
                1 => [scale, bias, 0.0, 0.0],
                _ => fragment.eyes[unit],
            })
        }
        ParamSource::State(param) => state.evaluate_param(*param).map(f32::to_bits),
        ParamSource::Env(_)
        | ParamSource::Subroutine(_)
        | ParamSource::Literal(_)
        | ParamSource::Named(_)
        | ParamSource::Argument => panic!("{source}"),
    }
}

/// Result of a program.
pub(crate) struct Drawn {
    pub(crate) color: Vector,
    pub(crate) depth: Option<f64>,
    pub(crate) is_discarded: bool,
}

/// Returns the value of an output.
pub(crate) fn output(ir: &Ir, outputs: &[[u64; 4]], semantic: Semantic) -> Option<Vector> {
    let number = ir.outputs.iter().position(|it| it.semantic == semantic)?;
    Some(outputs[number].map(|lane| f64::from(f32::from_bits(lane as u32))))
}

/// Returns the number of coordinates of a target.
pub(crate) fn count_coordinates(target: TexTarget) -> usize {
    let is_flat = matches!(target, TexTarget::D2 | TexTarget::Rect);
    if is_flat {
        2
    } else if target == TexTarget::D1 {
        1
    } else {
        3
    }
}

/// Executes the generated program with the interpreter of the compiler.
pub(crate) fn run_program(key: &TextureShaderKey, fragment: &Fragment) -> Drawn {
    let text = generate_texture_shader_program(key);
    let source = Source::new("texture shaders", &text);
    let program = Program::load(&source).unwrap_or_else(|errors| {
        panic!("{}\n{text}", errors.render(&source));
    });
    let ir = program.ir();
    let wide = |value: Vector| value.map(|it| u64::from((it as f32).to_bits()));
    let mut state = GlState {
        depth_range: fragment.depth_range.map(|it| it as f32),
        ..GlState::default()
    };
    for (unit, color) in (0..).zip(fragment.environment_colors) {
        *state.texenv_color_mut(unit) = color.map(|it| it as f32);
    }
    let inputs = ir.inputs.iter().map(|input| {
        if let Semantic::TexCoord(set) = input.semantic {
            return wide(fragment.coordinates[usize::from(set)]);
        }
        assert_eq!(input.semantic, Semantic::Color(0));
        wide(fragment.primary)
    });
    let params = ir.params.iter();
    let environment = Environment {
        inputs: inputs.collect(),
        params: params
            .map(|it| parameter(&it.source, fragment, &state))
            .collect(),
        ..Environment::default()
    };
    let lookup = |request: &TexRequest| {
        let unit = request.texture.units.first().unwrap() as usize;
        let target = request.texture.target;
        let mut at = [0.0; 3];
        for (to, bits) in at
            .iter_mut()
            .zip(request.coordinate)
            .take(count_coordinates(target))
        {
            *to = f64::from(f32::from_bits(bits));
        }
        sample(unit, key, at).map(|it| (it as f32).to_bits())
    };
    let mut environment = environment.with_textures(lookup);
    let interpreter = Interpreter::new(ir).unwrap();
    let result = interpreter.run_main(&mut environment).unwrap();
    let depth = output(ir, &result.outputs, Semantic::FragDepth);
    Drawn {
        color: output(
            ir,
            &result.outputs,
            Semantic::FragColor {
                buffer: 0,
                index: 0,
            },
        )
        .unwrap(),
        depth: depth.map(|it| it[2]),
        is_discarded: result.demoted,
    }
}
