//! Programs of register combiners, compared with an evaluator that follows the tables and formulas
//! of NV_register_combiners section 3.8.12 and NV_register_combiners2, for random states.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::fixed_function::{
    BaseFormat, COMBINER_CONSTANTS, CombinerInput, CombinerKey, CombinerPortion, CombinerRegister,
    ComponentUsage, FixedFragmentKey, FogMode, GeneralCombiner, InputMapping,
    MAX_GENERAL_COMBINERS, OutputScale, RegisterCombiners, TextureTarget,
    generate_combiner_program,
};
use glasm::ir::interp::{Environment, Interpreter, TexRequest};
use glasm::state::GlState;
use glasm::{Options, ParamSource, Program, Semantic, Source, compile};
use glasm_tests::rng::Rng;
use std::collections::BTreeMap;

type Vector = [f64; 4];

/// Generator of random states and fragments.
struct Random(Rng);

impl Random {
    fn next(&mut self) -> u64 {
        self.0.bits()
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        *self.0.pick(all)
    }

    fn flag(&mut self) -> bool {
        self.next() & 1 == 0
    }

    /// Returns a multiple of 1/64 in [low, high], so that few operations round.
    fn number(&mut self, low: i64, high: i64) -> f64 {
        let steps = (high - low) as u64 * 64 + 1;
        low as f64 + (self.next() % steps) as f64 / 64.0
    }

    fn vector(&mut self, low: i64, high: i64) -> Vector {
        std::array::from_fn(|_| self.number(low, high))
    }
}

/// Values that fragments have.
#[derive(Clone, Debug)]
struct Fragment {
    primary: Vector,
    secondary: Vector,
    /// Filtered texels; `None` for units without texture.
    texels: [Option<Vector>; 8],
    fog_color: Vector,
    fog_coordinate: f64,
    constants: [Vector; COMBINER_CONSTANTS],
}

/// Evaluates register combiners as the specification states. Registers are stored by enumerant.
struct Evaluator<'a> {
    key: &'a CombinerKey,
    fragment: &'a Fragment,
    registers: BTreeMap<u32, Vector>,
}

const FOG: u32 = 0x0B60;
const SPARE0: u32 = 0x852E;

impl Evaluator<'_> {
    /// Returns the initial registers: table NV_register_combiners.1, with undefined values as 0.
    fn initial_registers(&mut self) {
        let fragment = self.fragment;
        let zero = [0.0; 4];
        self.registers.insert(0x0000, zero);
        let [r, g, b, _] = fragment.fog_color;
        let factor = match self.key.fragment.fog_mode {
            None => 1.0,
            // The initial state has start 0, end 1, density 1.
            Some(FogMode::Linear) => 1.0 - fragment.fog_coordinate,
            Some(FogMode::Exp) => (-fragment.fog_coordinate).exp(),
            Some(FogMode::Exp2) => (-fragment.fog_coordinate.powi(2)).exp(),
        };
        self.registers
            .insert(FOG, [r, g, b, factor.clamp(0.0, 1.0)]);
        self.registers.insert(0x852C, fragment.primary);
        self.registers.insert(0x852D, fragment.secondary);
        let alpha = fragment.texels[0].map_or(0.0, |_| self.texture(0)[3]);
        self.registers.insert(SPARE0, [0.0, 0.0, 0.0, alpha]);
        self.registers.insert(0x852F, zero);
        for unit in 0..8 {
            let value = self.texture(unit);
            self.registers.insert(0x84C0 + unit as u32, value);
        }
    }

    /// Returns the value of a texture register: table NV_register_combiners.2 for depths.
    fn texture(&self, unit: usize) -> Vector {
        let Some(texel) = self.fragment.texels[unit] else {
            return [0.0; 4];
        };
        let texel = self.signed_clamp(texel);
        if self.key.depth_texture_mask >> unit & 1 == 0 {
            return texel;
        }
        // The component that DEPTH_TEXTURE_MODE selects has the depth.
        let state = &self.key.fragment.texture_units[unit];
        let depth = texel[if state.base_format == BaseFormat::Luminance {
            0
        } else {
            3
        }];
        if state.compares_depth {
            [depth; 4]
        } else {
            [0.0, 0.0, 0.0, depth]
        }
    }

    fn signed_clamp(&self, value: Vector) -> Vector {
        if self.key.fragment.unclamped_colors {
            value
        } else {
            value.map(|it| it.clamp(-1.0, 1.0))
        }
    }

    /// Returns the mapped value: table NV_register_combiners.4.
    fn map(&self, mapping: u32, e: f64) -> f64 {
        let (positive, unit) = if self.key.fragment.unclamped_colors {
            (e, e)
        } else {
            (e.max(0.0), e.clamp(0.0, 1.0))
        };
        match mapping {
            0x8536 => positive,
            0x8537 => 1.0 - unit,
            0x8538 => 2.0 * positive - 1.0,
            0x8539 => -2.0 * positive + 1.0,
            0x853A => positive - 0.5,
            0x853B => -positive + 0.5,
            0x853C => e,
            0x853D => -e,
            _ => panic!("{mapping:#x}"),
        }
    }

    /// Returns an input variable of a stage, `None` for the final combiner: four times the same
    /// value for alpha.
    fn variable(&self, input: &CombinerInput, is_alpha: bool, stage: Option<usize>) -> Vector {
        let value = match input.register.enumerant() {
            constant @ (0x852A | 0x852B) => {
                let number = (constant - 0x852A) as usize;
                match stage {
                    Some(stage) if self.key.combiners.per_stage_constants => {
                        self.fragment.constants[2 + 2 * stage + number]
                    }
                    _ => self.fragment.constants[number],
                }
            }
            0x8531 | 0x8532 if stage.is_some() => [0.0; 4],
            0x8531 => {
                let [e, f] =
                    [4, 5].map(|n| self.variable(&self.key.combiners.final_inputs[n], false, None));
                std::array::from_fn(|n| if n < 3 { e[n] * f[n] } else { 0.0 })
            }
            0x8532 => {
                let sum: Vector = std::array::from_fn(|n| {
                    let [spare, secondary] =
                        [SPARE0, 0x852D].map(|it| self.map(0x8536, self.registers[&it][n]));
                    if n < 3 { spare + secondary } else { 0.0 }
                });
                let combiners = &self.key.combiners;
                if combiners.clamps_color_sum || self.key.fragment.unclamped_colors {
                    sum.map(|it| it.clamp(0.0, 1.0))
                } else {
                    sum
                }
            }
            register => self.registers[&register],
        };
        let [r, g, b, a] = value;
        let value = match (is_alpha, input.usage) {
            (false, ComponentUsage::Alpha) => [a; 4],
            (false, _) => [r, g, b, b],
            (true, ComponentUsage::Blue) => [b; 4],
            (true, _) => [a; 4],
        };
        value.map(|e| self.map(input.mapping.enumerant(), e))
    }

    /// Returns the outputs AB, CD and sum of a portion: section 3.8.12.2.
    fn outputs(&self, number: usize, portion: &CombinerPortion, is_alpha: bool) -> [Vector; 3] {
        let [a, b, c, d] = portion
            .inputs
            .map(|input| self.variable(&input, is_alpha, Some(number)));
        let product = |x: Vector, y: Vector, dot: bool| -> Vector {
            let products: Vector = std::array::from_fn(|n| x[n] * y[n]);
            if dot && !is_alpha {
                [products[0] + products[1] + products[2]; 4]
            } else {
                products
            }
        };
        let ab = product(a, b, portion.dot_products[0]);
        let cd = product(c, d, portion.dot_products[1]);
        let sum = if portion.selects {
            if self.registers[&SPARE0][3] < 0.5 {
                ab
            } else {
                cd
            }
        } else {
            std::array::from_fn(|n| ab[n] + cd[n])
        };
        let scale = match portion.scale {
            OutputScale::One => 1.0,
            OutputScale::Two => 2.0,
            OutputScale::Four => 4.0,
            OutputScale::Half => 0.5,
        };
        let bias = if portion.has_bias { -0.5 } else { 0.0 };
        [ab, cd, sum].map(|output| self.signed_clamp(output.map(|it| (it + bias) * scale)))
    }

    fn run_stage(&mut self, number: usize, stage: &GeneralCombiner) {
        let colors = self.outputs(number, &stage.rgb, false);
        let alphas = self.outputs(number, &stage.alpha, true);
        for (output, value) in stage.rgb.outputs.iter().zip(colors) {
            if let Some(register) = output {
                let old = self.registers[&register.enumerant()];
                let new = [value[0], value[1], value[2], old[3]];
                self.registers.insert(register.enumerant(), new);
            }
        }
        for (output, value) in stage.alpha.outputs.iter().zip(alphas) {
            if let Some(register) = output {
                let [r, g, b, _] = self.registers[&register.enumerant()];
                self.registers
                    .insert(register.enumerant(), [r, g, b, value[0]]);
            }
        }
    }

    /// Returns the final color: section 3.8.12.3.
    fn run(mut self) -> Vector {
        self.initial_registers();
        let combiners = &self.key.combiners;
        for number in 0..usize::from(combiners.count) {
            self.run_stage(number, &combiners.general[number]);
        }
        let inputs = combiners.final_inputs;
        let [a, b, c, d] = [0, 1, 2, 3].map(|n| self.variable(&inputs[n], false, None));
        let mut color: Vector = std::array::from_fn(|n| a[n] * b[n] + (1.0 - a[n]) * c[n] + d[n]);
        if !self.key.fragment.unclamped_colors {
            color = color.map(|it| it.min(1.0));
        }
        color[3] = self.variable(&inputs[6], true, None)[0];
        color
    }
}

/// Returns the color of the generated program, which the interpreter of the compiler executes.
fn run_program(key: &CombinerKey, fragment: &Fragment) -> Vector {
    let text = generate_combiner_program(key);
    let source = Source::new("combiners", &text);
    let program = Program::load(&source).unwrap_or_else(|errors| {
        panic!("{}\n{text}", errors.render(&source));
    });
    let ir = program.ir();
    let bits = |value: Vector| value.map(|it| (it as f32).to_bits());
    let wide = |value: Vector| bits(value).map(u64::from);
    let mut state = GlState::default();
    state.fog.color = fragment.fog_color.map(|it| it as f32);
    let inputs = ir.inputs.iter().map(|input| {
        let values = [
            (Semantic::Color(0), fragment.primary),
            (Semantic::Color(1), fragment.secondary),
            (Semantic::FogCoord, [fragment.fog_coordinate; 4]),
            (Semantic::FogCoordVec4, [fragment.fog_coordinate; 4]),
        ];
        let known = values.iter().find(|(name, _)| *name == input.semantic);
        let is_coordinate = matches!(input.semantic, Semantic::TexCoord(_));
        assert!(known.is_some() || is_coordinate, "{:?}", input.semantic);
        wide(known.map_or([0.5, 0.25, 0.0, 1.0], |(_, value)| *value))
    });
    let params = ir.params.iter().map(|param| match param.source {
        ParamSource::Local(index) => bits(fragment.constants[index as usize]),
        ParamSource::State(param) => state.evaluate_param(param).map(f32::to_bits),
        ParamSource::Env(_)
        | ParamSource::Subroutine(_)
        | ParamSource::Literal(_)
        | ParamSource::Named(_)
        | ParamSource::Argument => panic!("{}", param.source),
    });
    let environment = Environment {
        inputs: inputs.collect(),
        params: params.collect(),
        ..Environment::default()
    };
    let texels = fragment.texels;
    let lookup = move |request: &TexRequest| {
        bits(texels[request.texture.units.first().unwrap() as usize].unwrap())
    };
    let mut environment = environment.with_textures(lookup);
    let interpreter = Interpreter::new(ir).unwrap();
    let result = interpreter.run_main(&mut environment).unwrap();
    result.outputs[0].map(|lane| f64::from(f32::from_bits(lane as u32)))
}

fn random_input(random: &mut Random, is_alpha: bool, pseudo: &[CombinerRegister]) -> CombinerInput {
    let registers: Vec<CombinerRegister> = CombinerRegister::ALL
        .iter()
        .copied()
        .filter(|register| register.enumerant() & !1 != 0x8530 && register.enumerant() != 0x8532)
        .chain(pseudo.iter().copied())
        .collect();
    let register = random.pick(&registers);
    let is_fog = register == CombinerRegister::Fog;
    let usages: &[ComponentUsage] = match (is_alpha, is_fog) {
        (true, true) => &[ComponentUsage::Blue],
        (true, false) => &[ComponentUsage::Alpha, ComponentUsage::Blue],
        (false, true) => &[ComponentUsage::Rgb],
        (false, false) => &[ComponentUsage::Rgb, ComponentUsage::Alpha],
    };
    CombinerInput {
        register,
        mapping: random.pick(InputMapping::ALL),
        usage: random.pick(usages),
    }
}

fn random_portion(random: &mut Random, is_alpha: bool) -> CombinerPortion {
    let writable: Vec<CombinerRegister> = CombinerRegister::ALL
        .iter()
        .copied()
        .filter(|register| register.is_writable())
        .collect();
    let mut outputs = [None; 3];
    for n in 0..3 {
        let register = random.pick(&writable);
        // Registers of outputs differ.
        let is_taken = outputs.contains(&Some(register));
        outputs[n] = (!is_taken && !random.next().is_multiple_of(4)).then_some(register);
    }
    let scale = random.pick(OutputScale::ALL);
    let may_have_bias = matches!(scale, OutputScale::One | OutputScale::Two);
    CombinerPortion {
        inputs: std::array::from_fn(|_| random_input(random, is_alpha, &[])),
        outputs,
        scale,
        has_bias: may_have_bias && random.flag(),
        dot_products: std::array::from_fn(|_| !is_alpha && random.flag()),
        selects: random.flag(),
    }
}

fn random_final_input(random: &mut Random, variable: usize) -> CombinerInput {
    let pseudo: &[CombinerRegister] = match variable {
        0 => &[CombinerRegister::ETimesF; 4],
        1..=3 => &[
            CombinerRegister::ETimesF,
            CombinerRegister::Spare0PlusSecondary,
            CombinerRegister::ETimesF,
            CombinerRegister::Spare0PlusSecondary,
        ],
        _ => &[],
    };
    let mut input = random_input(random, variable == 6, pseudo);
    input.mapping = random.pick(&[InputMapping::UnsignedIdentity, InputMapping::UnsignedInvert]);
    if pseudo.contains(&input.register) {
        input.usage = ComponentUsage::Rgb;
    } else if input.register == CombinerRegister::Fog && random.flag() {
        input.usage = ComponentUsage::Alpha;
    }
    input
}

fn random_key(random: &mut Random) -> CombinerKey {
    let mut fragment = FixedFragmentKey {
        fog_mode: random.pick(&[
            None,
            Some(FogMode::Linear),
            Some(FogMode::Exp),
            Some(FogMode::Exp2),
        ]),
        unclamped_colors: random.next().is_multiple_of(4),
        ..FixedFragmentKey::default()
    };
    let mut depths = 0;
    for (number, unit) in fragment.texture_units.iter_mut().enumerate() {
        unit.target = random.pick(&[
            None,
            Some(TextureTarget::D1),
            Some(TextureTarget::D2),
            Some(TextureTarget::Rectangle),
            Some(TextureTarget::D3),
            Some(TextureTarget::Cube),
        ]);
        let may_have_depths = matches!(
            unit.target,
            Some(TextureTarget::D1 | TextureTarget::D2 | TextureTarget::Rectangle)
        );
        if may_have_depths && random.flag() {
            depths |= 1 << number;
            unit.base_format = random.pick(&[
                BaseFormat::Alpha,
                BaseFormat::Luminance,
                BaseFormat::Intensity,
            ]);
            unit.compares_depth = random.flag();
        }
    }
    CombinerKey {
        fragment,
        depth_texture_mask: depths,
        combiners: RegisterCombiners {
            general: std::array::from_fn(|_| GeneralCombiner {
                rgb: random_portion(random, false),
                alpha: random_portion(random, true),
            }),
            count: 1 + (random.next() % MAX_GENERAL_COMBINERS as u64) as u8,
            final_inputs: std::array::from_fn(|n| random_final_input(random, n)),
            clamps_color_sum: random.flag(),
            per_stage_constants: random.flag(),
        },
    }
}

fn random_fragment(random: &mut Random, key: &CombinerKey) -> Fragment {
    Fragment {
        primary: random.vector(0, 1),
        secondary: random.vector(0, 1),
        texels: key
            .fragment
            .texture_units
            .map(|unit| unit.target.map(|_| random.vector(-2, 2))),
        fog_color: random.vector(0, 1),
        fog_coordinate: random.number(0, 2),
        constants: std::array::from_fn(|_| random.vector(0, 1)),
    }
}

fn check(key: &CombinerKey, fragment: &Fragment) {
    let evaluator = Evaluator {
        key,
        fragment,
        registers: BTreeMap::new(),
    };
    let (expected, found) = (evaluator.run(), run_program(key, fragment));
    for (expected, found) in expected.iter().zip(found) {
        let tolerance = 1e-4 * expected.abs().max(1.0);
        assert!(
            (expected - found).abs() <= tolerance,
            "{found}, not {expected}\n{key:?}\n{fragment:?}\n{}",
            generate_combiner_program(key)
        );
    }
}

/// Compares random states. Values near the decision of a selection are the same in both, because
/// random values are multiples of 1/64 unless many stages multiply them.
#[test]
fn random_states_have_the_colors_of_the_specification() {
    let mut random = Random(Rng::new(7));
    let mut checked = 0;
    while checked < 4000 {
        let key = random_key(&mut random);
        let fragment = random_fragment(&mut random, &key);
        if selects_reliably(&key, &fragment) {
            check(&key, &fragment);
            checked += 1;
        }
    }
}

/// Returns false if the decision of an active selection is within the error of single precision,
/// or values without clamping grow beyond what it distinguishes.
fn selects_reliably(key: &CombinerKey, fragment: &Fragment) -> bool {
    let mut evaluator = Evaluator {
        key,
        fragment,
        registers: BTreeMap::new(),
    };
    evaluator.initial_registers();
    for number in 0..usize::from(key.combiners.count) {
        let stage = key.combiners.general[number];
        let alpha = evaluator.registers[&SPARE0][3];
        if (stage.rgb.selects || stage.alpha.selects) && (alpha - 0.5).abs() < 1e-4 {
            return false;
        }
        evaluator.run_stage(number, &stage);
        if evaluator
            .registers
            .values()
            .flatten()
            .any(|it| it.abs() > 16.0)
        {
            return false;
        }
    }
    true
}

/// Checks that random states compile to valid modules, for the languages' limits, too.
#[test]
fn random_states_compile() {
    let mut random = Random(Rng::new(11));
    for _ in 0..200 {
        let text = generate_combiner_program(&random_key(&mut random));
        let source = Source::new("combiners", &text);
        if let Err(errors) = compile(&source, &Options::default()) {
            panic!("{}\n{text}", errors.render(&source));
        }
    }
}

/// Tests the initial state: tables NV_register_combiners.5 and 6. The stage passes the primary
/// color to `SPARE0_NV`; the final combiner adds the secondary color, clamps the sum and blends it
/// with the fog color.
#[test]
fn the_initial_state_is_color_sum_and_fog() {
    let mut key = CombinerKey::default();
    let fragment = Fragment {
        primary: [0.25, 0.5, 0.75, 0.125],
        secondary: [0.5, 0.25, 0.5, 0.0],
        texels: [None; 8],
        fog_color: [1.0, 0.0, 0.5, 0.0],
        fog_coordinate: 0.75,
        constants: [[0.0; 4]; COMBINER_CONSTANTS],
    };
    assert_eq!(run_program(&key, &fragment), [0.75, 0.75, 1.0, 0.125]);
    key.fragment.fog_mode = Some(FogMode::Linear);
    // 1/4 of the sum, 3/4 of the fog color.
    assert_eq!(run_program(&key, &fragment), [0.9375, 0.1875, 0.625, 0.125]);
    key.combiners.clamps_color_sum = false;
    // The blue of the sum is 1.25.
    assert_eq!(
        run_program(&key, &fragment),
        [0.9375, 0.1875, 0.6875, 0.125]
    );
}

/// Tests the numbers of the tokens: NV_register_combiners, "New Tokens".
#[test]
fn tokens_have_the_numbers_of_the_specification() {
    let numbers = |list: Vec<u32>| list;
    assert_eq!(
        numbers(InputMapping::ALL.iter().map(|it| it.enumerant()).collect()),
        (0x8536..=0x853D).collect::<Vec<u32>>()
    );
    let registers: Vec<u32> = CombinerRegister::ALL
        .iter()
        .map(|it| it.enumerant())
        .collect();
    let textures = 0x84C0..0x84C8;
    let expected: Vec<u32> = [0, 0x852A, 0x852B, 0x0B60, 0x852C, 0x852D, 0x852E, 0x852F]
        .into_iter()
        .chain(textures)
        .chain([0x8531, 0x8532])
        .collect();
    assert_eq!(registers, expected);
    for register in CombinerRegister::ALL {
        assert_eq!(
            CombinerRegister::from_enumerant(register.enumerant()),
            Some(*register)
        );
    }
    assert_eq!(CombinerRegister::from_enumerant(0x8530), None);
    let usages = [0x1907, 0x1906, 0x1905].map(ComponentUsage::from_enumerant);
    let all = [
        ComponentUsage::Rgb,
        ComponentUsage::Alpha,
        ComponentUsage::Blue,
    ];
    assert_eq!(usages, all.map(Some));
}
