//! Random states of texture shaders, and random fragments.

use crate::evaluator::{Fragment, Vector};
use crate::tokens::*;
use glasm::fixed_function::{
    BaseFormat, CombinerInput, CombinerRegister, ComponentUsage, CullMode, DotProductMapping,
    FixedFragmentKey, GeneralCombiner, InputMapping, OutputScale, RegisterCombiners,
    ShaderOperation, TextureEnvironment, TextureFormatType, TextureShaderKey, TextureShaderStage,
    TextureTarget, TextureUnit,
};
use glasm_tests::rng::Rng;

/// Generator of random states and fragments.
pub(crate) struct Random(pub(crate) Rng);

impl Random {
    pub(crate) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        *self.0.pick(all)
    }

    /// Returns true in one of `count` cases.
    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.0.bits().is_multiple_of(count)
    }

    /// Returns a multiple of 1/64 in [low, high].
    pub(crate) fn number(&mut self, low: i64, high: i64) -> f64 {
        let steps = (high - low) as u64 * 64 + 1;
        low as f64 + (self.0.bits() % steps) as f64 / 64.0
    }

    pub(crate) fn vector(&mut self, low: i64, high: i64) -> Vector {
        std::array::from_fn(|_| self.number(low, high))
    }
}

/// Returns register combiners whose result is half of a texture register plus 1/2.
pub(crate) fn combiners(unit: usize) -> RegisterCombiners {
    let input = |register, mapping, usage| CombinerInput {
        register,
        mapping,
        usage,
    };
    let register = CombinerRegister::from_enumerant(0x84C0 + unit as u32).unwrap();
    let mut combiners = RegisterCombiners::default();
    let mut stage = GeneralCombiner::default();
    let portions = [
        (&mut stage.rgb, ComponentUsage::Rgb),
        (&mut stage.alpha, ComponentUsage::Alpha),
    ];
    for (portion, usage) in portions {
        let one = input(CombinerRegister::Zero, InputMapping::UnsignedInvert, usage);
        let texel = input(register, InputMapping::SignedIdentity, usage);
        portion.inputs = [texel, one, one, one];
        portion.scale = OutputScale::Half;
    }
    combiners.general[0] = stage;
    let spare = |usage| {
        input(
            CombinerRegister::Spare0,
            InputMapping::UnsignedIdentity,
            usage,
        )
    };
    let zero = input(
        CombinerRegister::Zero,
        InputMapping::UnsignedIdentity,
        ComponentUsage::Rgb,
    );
    combiners.final_inputs = [
        zero,
        zero,
        zero,
        spare(ComponentUsage::Rgb),
        zero,
        zero,
        spare(ComponentUsage::Alpha),
    ];
    combiners
}

/// Returns stages that depend on each other, or a single one.
pub(crate) fn random_chain(random: &mut Random) -> Vec<u32> {
    let chains: [&[u32]; 10] = [
        &[DOT, DOT_2D],
        &[DOT, DOT_RECTANGLE],
        &[DOT, DOT, DOT_CUBE],
        &[DOT, DOT, DOT_3D],
        &[DOT, DOT, DOT_REFLECT],
        &[DOT, DOT, DOT_CONST_EYE],
        &[DOT, DOT_DIFFUSE, DOT_REFLECT],
        &[DOT, DOT_DIFFUSE, DOT_CONST_EYE],
        &[DOT, DOT_DEPTH],
        &[DOT, DOT],
    ];
    if random.one_in(3) {
        random.pick(&chains).to_vec()
    } else {
        vec![random.pick(&OPERATIONS)]
    }
}

/// Returns format types of previous texture inputs that an operation accepts; all for others.
pub(crate) fn find_accepted_types(operation: u32) -> &'static [TextureFormatType] {
    use TextureFormatType as Type;
    match operation {
        OFFSET_2D | OFFSET_RECTANGLE | OFFSET_PROJECTIVE_2D | OFFSET_PROJECTIVE_RECTANGLE => {
            &[Type::Dsdt, Type::DsdtMag, Type::DsdtMagIntensity]
        }
        OFFSET_2D_SCALE
        | OFFSET_RECTANGLE_SCALE
        | OFFSET_PROJECTIVE_2D_SCALE
        | OFFSET_PROJECTIVE_RECTANGLE_SCALE => &[Type::DsdtMag, Type::DsdtMagIntensity],
        OFFSET_HILO_2D
        | OFFSET_HILO_RECTANGLE
        | OFFSET_HILO_PROJECTIVE_2D
        | OFFSET_HILO_PROJECTIVE_RECTANGLE => &[Type::SignedHilo],
        DEPENDENT_HILO => &[Type::UnsignedHilo],
        _ => &[
            Type::UnsignedRgba,
            Type::SignedRgba,
            Type::UnsignedHilo,
            Type::SignedHilo,
        ],
    }
}

pub(crate) fn random_stages(random: &mut Random) -> [TextureShaderStage; 8] {
    let mut operations = vec![random.pick(&[TEXTURE_2D, TEXTURE_3D, TEXTURE_1D, PASS_THROUGH])];
    while operations.len() < 8 {
        operations.extend(random_chain(random));
    }
    let mut number = 0;
    std::array::from_fn(|unit| {
        number += 1;
        TextureShaderStage {
            operation: ShaderOperation::from_enumerant(operations[unit]).unwrap(),
            previous_input: if random.one_in(3) {
                random.pick(&[0, 1, 2, 3, 4, 5, 6, 7])
            } else {
                0
            },
            mapping: random.pick(DotProductMapping::ALL),
            cull_modes: std::array::from_fn(|_| random.pick(CullMode::ALL)),
        }
    })
}

/// Returns the target of an operation by the end of its word.
pub(crate) fn find_target(operation: ShaderOperation) -> Option<TextureTarget> {
    let targets = [
        ("_1d", TextureTarget::D1),
        ("_2d", TextureTarget::D2),
        ("_3d", TextureTarget::D3),
        ("rectangle", TextureTarget::Rectangle),
        ("cube_map", TextureTarget::Cube),
    ];
    let word = operation.word().trim_end_matches("_scale");
    let found = targets.iter().find(|(end, _)| word.ends_with(end));
    found.map(|(_, target)| *target)
}

pub(crate) fn random_format_types(
    stages: &[TextureShaderStage; 8],
    random: &mut Random,
) -> [TextureFormatType; 8] {
    let mut format_types = [TextureFormatType::default(); 8];
    let later = random.pick(stages).operation.enumerant();
    for (number, format_type) in format_types.iter_mut().enumerate() {
        *format_type = match number {
            0 => random.pick(find_accepted_types(later)),
            _ if random.one_in(2) => TextureFormatType::UnsignedRgba,
            _ => random.pick(&[
                TextureFormatType::SignedRgba,
                TextureFormatType::SignedRgbUnsignedAlpha,
                TextureFormatType::UnsignedHilo,
                TextureFormatType::SignedHilo,
                TextureFormatType::Dsdt,
                TextureFormatType::DsdtMag,
                TextureFormatType::DsdtMagIntensity,
            ]),
        };
    }
    format_types
}

pub(crate) fn random_key(random: &mut Random) -> TextureShaderKey {
    let stages = random_stages(random);
    let format_types = random_format_types(&stages, random);
    let texture_units = std::array::from_fn(|number| TextureUnit {
        target: match find_target(stages[number].operation) {
            Some(_) if random.one_in(10) => None,
            target => target,
        },
        base_format: match format_types[number] {
            TextureFormatType::UnsignedRgba | TextureFormatType::SignedRgba => random.pick(&[
                BaseFormat::Alpha,
                BaseFormat::Luminance,
                BaseFormat::LuminanceAlpha,
                BaseFormat::Intensity,
                BaseFormat::Rgb,
                BaseFormat::Rgba,
            ]),
            TextureFormatType::SignedRgbUnsignedAlpha
            | TextureFormatType::UnsignedHilo
            | TextureFormatType::SignedHilo
            | TextureFormatType::Dsdt
            | TextureFormatType::DsdtMag
            | TextureFormatType::DsdtMagIntensity => BaseFormat::Rgba,
        },
        compares_depth: false,
        environment: random.pick(&[
            TextureEnvironment::Modulate,
            TextureEnvironment::Replace,
            TextureEnvironment::Decal,
            TextureEnvironment::Blend,
            TextureEnvironment::Add,
        ]),
    });
    TextureShaderKey {
        fragment: FixedFragmentKey {
            texture_units,
            ..FixedFragmentKey::default()
        },
        depth_texture_mask: 0,
        combiners: None,
        format_types,
        passing_units: if random.one_in(4) {
            random.0.bits() as u8
        } else {
            0
        },
        stages: Some(stages),
    }
}

pub(crate) fn random_fragment(random: &mut Random) -> Fragment {
    Fragment {
        primary: random.vector(0, 1),
        coordinates: std::array::from_fn(|_| {
            // Zeros, which comparisons distinguish, are frequent.
            let sign = if random.one_in(2) { 0 } else { -1 };
            random
                .vector(sign, 1)
                .map(|it| if random.one_in(16) { 0.0 } else { it })
        }),
        matrices: std::array::from_fn(|_| random.vector(-1, 1)),
        scales: std::array::from_fn(|_| [random.number(-1, 2), random.number(-1, 1)]),
        eyes: std::array::from_fn(|_| random.vector(-1, 1)),
        environment_colors: std::array::from_fn(|_| random.vector(0, 1)),
        depth_range: random.pick(&[[0.0, 1.0], [0.25, 0.75], [1.0, 0.0]]),
    }
}
