//! Programs of texture shaders, compared with an evaluator that follows the tables and formulas of
//! NV_texture_shader section 3.8.13, NV_texture_shader2 and NV_texture_shader3, for random states.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::fixed_function::{
    BaseFormat, COMBINER_CONSTANTS, CombinerInput, CombinerRegister, ComponentUsage, CullMode,
    DotProductMapping, FixedFragmentKey, GeneralCombiner, InputMapping, OutputScale,
    RegisterCombiners, ShaderOperation, TEXTURE_SHADER_CONSTANTS, TextureEnvironment,
    TextureFormatType, TextureShaderKey, TextureShaderStage, TextureTarget, TextureUnit,
    find_consistent_stages, generate_texture_shader_program,
};
use glasm::ir::interp::{Environment, Interpreter, TexRequest};
use glasm::ir::{Program as Ir, TexTarget};
use glasm::state::GlState;
use glasm::{Options, ParamSource, Program, Semantic, Source, compile};
use glasm_tests::rng::Rng;
use std::collections::BTreeMap;

type Vector = [f64; 4];

/// Tokens of operations: "New Tokens" of the specifications.
const NONE: u32 = 0;
const TEXTURE_1D: u32 = 0x0DE0;
const TEXTURE_2D: u32 = 0x0DE1;
const TEXTURE_3D: u32 = 0x806F;
const TEXTURE_RECTANGLE: u32 = 0x84F5;
const TEXTURE_CUBE_MAP: u32 = 0x8513;
const PASS_THROUGH: u32 = 0x86E6;
const CULL_FRAGMENT: u32 = 0x86E7;
const OFFSET_2D: u32 = 0x86E8;
const OFFSET_2D_SCALE: u32 = 0x86E2;
const OFFSET_RECTANGLE: u32 = 0x864C;
const OFFSET_RECTANGLE_SCALE: u32 = 0x864D;
const DEPENDENT_AR: u32 = 0x86E9;
const DEPENDENT_GB: u32 = 0x86EA;
const DOT: u32 = 0x86EC;
const DOT_DEPTH: u32 = 0x86ED;
const DOT_2D: u32 = 0x86EE;
const DOT_3D: u32 = 0x86EF;
const DOT_RECTANGLE: u32 = 0x864E;
const DOT_CUBE: u32 = 0x86F0;
const DOT_DIFFUSE: u32 = 0x86F1;
const DOT_REFLECT: u32 = 0x86F2;
const DOT_CONST_EYE: u32 = 0x86F3;
const OFFSET_PROJECTIVE_2D: u32 = 0x8850;
const OFFSET_PROJECTIVE_2D_SCALE: u32 = 0x8851;
const OFFSET_PROJECTIVE_RECTANGLE: u32 = 0x8852;
const OFFSET_PROJECTIVE_RECTANGLE_SCALE: u32 = 0x8853;
const OFFSET_HILO_2D: u32 = 0x8854;
const OFFSET_HILO_RECTANGLE: u32 = 0x8855;
const OFFSET_HILO_PROJECTIVE_2D: u32 = 0x8856;
const OFFSET_HILO_PROJECTIVE_RECTANGLE: u32 = 0x8857;
const DEPENDENT_HILO: u32 = 0x8858;
const DEPENDENT_RGB_3D: u32 = 0x8859;
const DEPENDENT_RGB_CUBE: u32 = 0x885A;
const DOT_PASS_THROUGH: u32 = 0x885B;
const DOT_1D: u32 = 0x885C;
const DOT_AFFINE_DEPTH: u32 = 0x885D;

/// All of them.
const OPERATIONS: [u32; 37] = [
    NONE,
    TEXTURE_1D,
    TEXTURE_2D,
    TEXTURE_3D,
    TEXTURE_RECTANGLE,
    TEXTURE_CUBE_MAP,
    PASS_THROUGH,
    CULL_FRAGMENT,
    OFFSET_2D,
    OFFSET_2D_SCALE,
    OFFSET_RECTANGLE,
    OFFSET_RECTANGLE_SCALE,
    DEPENDENT_AR,
    DEPENDENT_GB,
    DOT,
    DOT_DEPTH,
    DOT_2D,
    DOT_3D,
    DOT_RECTANGLE,
    DOT_CUBE,
    DOT_DIFFUSE,
    DOT_REFLECT,
    DOT_CONST_EYE,
    OFFSET_PROJECTIVE_2D,
    OFFSET_PROJECTIVE_2D_SCALE,
    OFFSET_PROJECTIVE_RECTANGLE,
    OFFSET_PROJECTIVE_RECTANGLE_SCALE,
    OFFSET_HILO_2D,
    OFFSET_HILO_RECTANGLE,
    OFFSET_HILO_PROJECTIVE_2D,
    OFFSET_HILO_PROJECTIVE_RECTANGLE,
    DEPENDENT_HILO,
    DEPENDENT_RGB_3D,
    DEPENDENT_RGB_CUBE,
    DOT_PASS_THROUGH,
    DOT_1D,
    DOT_AFFINE_DEPTH,
];

/// Generator of random states and fragments.
struct Random(Rng);

impl Random {
    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        *self.0.pick(all)
    }

    /// Returns true in one of `count` cases.
    fn one_in(&mut self, count: u64) -> bool {
        self.0.bits().is_multiple_of(count)
    }

    /// Returns a multiple of 1/64 in [low, high].
    fn number(&mut self, low: i64, high: i64) -> f64 {
        let steps = (high - low) as u64 * 64 + 1;
        low as f64 + (self.0.bits() % steps) as f64 / 64.0
    }

    fn vector(&mut self, low: i64, high: i64) -> Vector {
        std::array::from_fn(|_| self.number(low, high))
    }
}

/// Values that fragments and stages have.
#[derive(Clone, Debug)]
struct Fragment {
    primary: Vector,
    coordinates: [Vector; 8],
    matrices: [Vector; 8],
    /// Scale and bias.
    scales: [[f64; 2]; 8],
    eyes: [Vector; 8],
    environment_colors: [Vector; 8],
    depth_range: [f64; 2],
}

/// Returns the filtered texel of a unit: a continuous function of the coordinates, in the range of
/// the components. Components that the format lacks are those of GL 2.1 table 3.23.
fn sample(unit: usize, key: &TextureShaderKey, coordinates: [f64; 3]) -> Vector {
    let [s, t, r] = coordinates;
    let wave = |component: usize| {
        let n = (4 * unit + component) as f64;
        (n + 0.7 * s + (0.3 + 0.1 * n) * t - 0.5 * r).sin()
    };
    let signed: Vector = std::array::from_fn(wave);
    let unsigned = signed.map(|it| 0.5 + 0.5 * it);
    let [x, y, ..] = signed;
    let [ux, uy, uz, uw] = unsigned;
    let color = match key.format_types[unit] {
        TextureFormatType::UnsignedRgba => unsigned,
        TextureFormatType::SignedRgba => signed,
        TextureFormatType::SignedRgbUnsignedAlpha => [x, y, signed[2], uw],
        TextureFormatType::UnsignedHilo => return [ux, uy, 0.0, 1.0],
        TextureFormatType::SignedHilo | TextureFormatType::Dsdt => return [x, y, 0.0, 1.0],
        TextureFormatType::DsdtMag => return [x, y, uz, 1.0],
        TextureFormatType::DsdtMagIntensity => return [x, y, uz, uw],
    };
    let [r, g, b, a] = color;
    match key.fragment.texture_units[unit].base_format {
        BaseFormat::Alpha => [0.0, 0.0, 0.0, a],
        BaseFormat::Luminance => [r, r, r, 1.0],
        BaseFormat::LuminanceAlpha => [r, r, r, a],
        BaseFormat::Intensity => [r; 4],
        BaseFormat::Rgb => [r, g, b, 1.0],
        BaseFormat::Rgba => color,
    }
}

/// Type of a result: table 3.D.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ResultType {
    Invalid,
    Float,
    Texture(TextureFormatType),
}

/// Result of a stage.
#[derive(Clone, Copy, Debug)]
struct StageResult {
    is_consistent: bool,
    result_type: ResultType,
    value: Vector,
    product: f64,
    texel: Vector,
    /// Base format of the texel; `None` if the texture function is `NONE`.
    format: Option<BaseFormat>,
}

const NOTHING: StageResult = StageResult {
    is_consistent: false,
    result_type: ResultType::Invalid,
    value: [0.0; 4],
    product: 0.0,
    texel: [0.0; 4],
    format: None,
};

/// Evaluates the stages as the specification states.
struct Evaluator<'a> {
    key: &'a TextureShaderKey,
    stages: [TextureShaderStage; 8],
    fragment: &'a Fragment,
    results: Vec<StageResult>,
    is_discarded: bool,
    depth: Option<f64>,
    /// False if a value decides within the precision of floats, or is large.
    is_reliable: bool,
}

impl Evaluator<'_> {
    fn operation(&self, number: usize) -> u32 {
        self.stages
            .get(number)
            .map_or(NONE, |it| it.operation.enumerant())
    }

    /// Returns the result of the previous texture input, if it is consistent and a texture's.
    fn previous(&self, number: usize) -> Option<(TextureFormatType, Vector)> {
        let result = self
            .results
            .get(usize::from(self.stages[number].previous_input))?;
        if let ResultType::Texture(kind) = result.result_type
            && result.is_consistent
        {
            return Some((kind, result.value));
        }
        None
    }

    /// Returns the dot product of a stage: section 3.8.13.1.14; `None` if the previous texture
    /// input has another type.
    fn product(&self, number: usize) -> Option<f64> {
        let (kind, [x, y, z, _]) = self.previous(number)?;
        let [s, t, r, _] = self.fragment.coordinates[number];
        Some(match kind {
            TextureFormatType::UnsignedHilo => s * x + t * y + r,
            TextureFormatType::SignedHilo => {
                s * x + t * y + r * f64::max(0.0, 1.0 - x * x - y * y).sqrt()
            }
            TextureFormatType::SignedRgba => s * x + t * y + r * z,
            TextureFormatType::UnsignedRgba => match self.stages[number].mapping.enumerant() {
                0x8536 => s * x + t * y + r * z,
                0x8538 => s * (2.0 * x - 1.0) + t * (2.0 * y - 1.0) + r * (2.0 * z - 1.0),
                0x8860 => s * x + t * y + r,
                other => panic!("{other:#x}"),
            },
            TextureFormatType::SignedRgbUnsignedAlpha
            | TextureFormatType::Dsdt
            | TextureFormatType::DsdtMag
            | TextureFormatType::DsdtMagIntensity => return None,
        })
    }

    /// Returns the product of a consistent stage `DOT_PRODUCT_NV` at a distance before `number`.
    fn product_before(&self, number: usize, distance: usize) -> Option<f64> {
        let number = number.checked_sub(distance)?;
        let result = &self.results[number];
        (result.is_consistent && result.result_type == ResultType::Float).then_some(result.product)
    }

    /// Returns true if the texture of the operation's target is complete.
    fn has_target(&self, number: usize, target: TextureTarget) -> bool {
        self.key.fragment.texture_units[number].target == Some(target)
    }

    /// Returns the result of an access of a texture: table 3.D, 3.E.
    fn access(
        &mut self,
        number: usize,
        target: TextureTarget,
        at: [f64; 3],
    ) -> Option<StageResult> {
        if !self.has_target(number, target) {
            return None;
        }
        self.is_reliable &= at.iter().all(|it| it.abs() < 16.0);
        let at = match target {
            TextureTarget::D1 => [at[0], 0.0, 0.0],
            TextureTarget::D2 | TextureTarget::Rectangle => [at[0], at[1], 0.0],
            TextureTarget::D3 | TextureTarget::Cube => at,
        };
        let mut value = sample(number, self.key, at);
        let kind = self.key.format_types[number];
        let mut format = Some(self.key.fragment.texture_units[number].base_format);
        let texel = match kind {
            TextureFormatType::UnsignedHilo
            | TextureFormatType::SignedHilo
            | TextureFormatType::Dsdt
            | TextureFormatType::DsdtMag => {
                format = None;
                [0.0; 4]
            }
            TextureFormatType::DsdtMagIntensity => {
                format = Some(BaseFormat::Intensity);
                [value[3]; 4]
            }
            TextureFormatType::UnsignedRgba
            | TextureFormatType::SignedRgba
            | TextureFormatType::SignedRgbUnsignedAlpha => {
                if format == Some(BaseFormat::Alpha) {
                    value = [1.0, 1.0, 1.0, value[3]];
                }
                value
            }
        };
        Some(StageResult {
            is_consistent: true,
            result_type: ResultType::Texture(kind),
            value,
            texel,
            format,
            ..NOTHING
        })
    }

    /// Returns the result of a color that no texture has.
    fn color(value: Vector) -> StageResult {
        StageResult {
            is_consistent: true,
            result_type: ResultType::Texture(TextureFormatType::UnsignedRgba),
            value,
            texel: value,
            format: Some(BaseFormat::Rgba),
            ..NOTHING
        }
    }

    /// Returns the offset coordinates: sections 3.8.13.1.8 to 11 and 24 to 31.
    fn offset(
        &mut self,
        number: usize,
        (target, is_projective, is_scaled, is_hilo): (TextureTarget, bool, bool, bool),
    ) -> Option<StageResult> {
        let (kind, value) = self.previous(number)?;
        let accepted: &[TextureFormatType] = match (is_hilo, is_scaled) {
            (true, _) => &[TextureFormatType::SignedHilo],
            (false, true) => &[
                TextureFormatType::DsdtMag,
                TextureFormatType::DsdtMagIntensity,
            ],
            (false, false) => &[
                TextureFormatType::Dsdt,
                TextureFormatType::DsdtMag,
                TextureFormatType::DsdtMagIntensity,
            ],
        };
        let own = self.key.format_types[number];
        if !accepted.contains(&kind) || is_scaled && own != TextureFormatType::UnsignedRgba {
            return None;
        }
        let [mut s, mut t, _, q] = self.fragment.coordinates[number];
        if is_projective {
            self.is_reliable &= q.abs() > 0.05;
            (s, t) = (s / q, t / q);
        }
        let [a1, a2, a3, a4] = self.fragment.matrices[number];
        let at = [
            s + a1 * value[0] + a3 * value[1],
            t + a2 * value[0] + a4 * value[1],
            0.0,
        ];
        let mut result = self.access(number, target, at)?;
        if is_scaled {
            let [scale, bias] = self.fragment.scales[number];
            let factor = (bias + scale * value[2]).clamp(0.0, 1.0);
            result.texel[..3].iter_mut().for_each(|it| *it *= factor);
        }
        Some(result)
    }

    /// Returns the reflection of an eye vector: section 3.8.13.1.18.
    fn reflect(&mut self, number: usize) -> Option<StageResult> {
        let previous = usize::from(self.stages[number].previous_input);
        if previous + 1 == number || previous + 2 == number {
            return None;
        }
        let first = self.product_before(number, 2)?;
        let before = &self.results[number - 1];
        let second = match self.operation(number - 1) {
            DOT | DOT_DIFFUSE if before.is_consistent => before.product,
            _ => return None,
        };
        let normal = [first, second, self.product(number)?];
        let eye = match self.operation(number) {
            DOT_REFLECT => [2, 1, 0].map(|it| self.fragment.coordinates[number - it][3]),
            _ => {
                let [x, y, z, _] = self.fragment.eyes[number];
                [x, y, z]
            }
        };
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let length = dot(normal, normal);
        self.is_reliable &= length > 0.05;
        let factor = 2.0 * dot(normal, eye) / length;
        let at: [f64; 3] = std::array::from_fn(|n| factor * normal[n] - eye[n]);
        self.access(number, TextureTarget::Cube, at)
    }

    /// Returns the diffuse lookup: section 3.8.13.1.20. Both stages of the pair are consistent, or
    /// none is.
    fn diffuse(&mut self, number: usize) -> Option<StageResult> {
        let next = number + 1;
        if !matches!(self.operation(next), DOT_REFLECT | DOT_CONST_EYE) {
            return None;
        }
        let first = self.product_before(number, 1)?;
        let second = self.product(number)?;
        let previous = usize::from(self.stages[next].previous_input);
        if previous + 2 >= next || !self.has_target(next, TextureTarget::Cube) {
            return None;
        }
        let third = self.product(next)?;
        let result = self.access(number, TextureTarget::Cube, [first, second, third])?;
        Some(StageResult {
            product: second,
            ..result
        })
    }

    /// Replaces the depth: sections 3.8.13.1.21 and 3.8.13.1.37.
    fn replace_depth(&mut self, depth: f64) -> Option<StageResult> {
        if self.depth.is_some() {
            return None;
        }
        let [near, far] = self.fragment.depth_range;
        let (low, high) = (near.min(far), near.max(far));
        self.is_reliable &= (depth - low).abs() > 1e-3 && (depth - high).abs() > 1e-3;
        self.is_discarded |= depth < low || depth > high;
        self.depth = Some(depth);
        Some(StageResult {
            is_consistent: true,
            ..NOTHING
        })
    }

    /// Returns the result of an operation; `None` if it is not consistent.
    fn stage(&mut self, number: usize) -> Option<StageResult> {
        use TextureTarget::{Cube, D1, D2, D3, Rectangle};
        let [s, t, r, q] = self.fragment.coordinates[number];
        let operation = self.operation(number);
        let projected = [s / q, t / q, r / q];
        if matches!(
            operation,
            TEXTURE_1D | TEXTURE_2D | TEXTURE_3D | TEXTURE_RECTANGLE
        ) {
            self.is_reliable &= q.abs() > 0.05;
        }
        match operation {
            NONE => Some(StageResult {
                is_consistent: true,
                ..NOTHING
            }),
            TEXTURE_1D => self.access(number, D1, projected),
            TEXTURE_2D => self.access(number, D2, projected),
            TEXTURE_3D => self.access(number, D3, projected),
            TEXTURE_RECTANGLE => self.access(number, Rectangle, projected),
            TEXTURE_CUBE_MAP => self.access(number, Cube, [s, t, r]),
            PASS_THROUGH => Some(Self::color([s, t, r, q].map(|it| it.clamp(0.0, 1.0)))),
            CULL_FRAGMENT => {
                for (value, mode) in [s, t, r, q].iter().zip(self.stages[number].cull_modes) {
                    self.is_discarded |= match mode {
                        CullMode::Less => *value >= 0.0,
                        CullMode::GreaterEqual => *value < 0.0,
                    };
                }
                Some(StageResult {
                    is_consistent: true,
                    ..NOTHING
                })
            }
            OFFSET_2D => self.offset(number, (D2, false, false, false)),
            OFFSET_2D_SCALE => self.offset(number, (D2, false, true, false)),
            OFFSET_RECTANGLE => self.offset(number, (Rectangle, false, false, false)),
            OFFSET_RECTANGLE_SCALE => self.offset(number, (Rectangle, false, true, false)),
            OFFSET_PROJECTIVE_2D => self.offset(number, (D2, true, false, false)),
            OFFSET_PROJECTIVE_2D_SCALE => self.offset(number, (D2, true, true, false)),
            OFFSET_PROJECTIVE_RECTANGLE => self.offset(number, (Rectangle, true, false, false)),
            OFFSET_PROJECTIVE_RECTANGLE_SCALE => {
                self.offset(number, (Rectangle, true, true, false))
            }
            OFFSET_HILO_2D => self.offset(number, (D2, false, false, true)),
            OFFSET_HILO_RECTANGLE => self.offset(number, (Rectangle, false, false, true)),
            OFFSET_HILO_PROJECTIVE_2D => self.offset(number, (D2, true, false, true)),
            OFFSET_HILO_PROJECTIVE_RECTANGLE => self.offset(number, (Rectangle, true, false, true)),
            DEPENDENT_AR | DEPENDENT_GB | DEPENDENT_HILO | DEPENDENT_RGB_3D
            | DEPENDENT_RGB_CUBE => self.dependent(number),
            DOT_REFLECT | DOT_CONST_EYE => self.reflect(number),
            DOT_DIFFUSE => self.diffuse(number),
            _ => self.products(number),
        }
    }

    /// Returns the result of an operation `DEPENDENT_*`.
    fn dependent(&mut self, number: usize) -> Option<StageResult> {
        use TextureFormatType as Type;
        let (kind, [r, g, b, a]) = self.previous(number)?;
        let (target, at) = match (self.operation(number), kind) {
            (DEPENDENT_AR, Type::UnsignedRgba) => (TextureTarget::D2, [a, r, 0.0]),
            (DEPENDENT_GB, Type::UnsignedRgba) => (TextureTarget::D2, [g, b, 0.0]),
            (DEPENDENT_HILO, Type::UnsignedHilo) => (TextureTarget::D2, [r, g, 0.0]),
            (DEPENDENT_RGB_3D, Type::UnsignedRgba) => (TextureTarget::D3, [r, g, b]),
            (DEPENDENT_RGB_CUBE, Type::UnsignedRgba) => {
                (TextureTarget::Cube, [r, g, b].map(|it| 2.0 * (it - 0.5)))
            }
            (DEPENDENT_RGB_CUBE, Type::SignedRgba | Type::SignedRgbUnsignedAlpha) => {
                (TextureTarget::Cube, [r, g, b])
            }
            _ => return None,
        };
        self.access(number, target, at)
    }

    /// Returns the result of other operations with dot products.
    fn products(&mut self, number: usize) -> Option<StageResult> {
        let product = self.product(number)?;
        self.is_reliable &= product.abs() < 16.0;
        let before = |distance| self.product_before(number, distance);
        match self.operation(number) {
            DOT => Some(StageResult {
                is_consistent: true,
                result_type: ResultType::Float,
                product,
                ..NOTHING
            }),
            DOT_PASS_THROUGH => Some(Self::color([product.clamp(0.0, 1.0); 4])),
            DOT_1D => self.access(number, TextureTarget::D1, [product, 0.0, 0.0]),
            DOT_2D => {
                let at = [before(1)?, product, 0.0];
                self.access(number, TextureTarget::D2, at)
            }
            DOT_RECTANGLE => {
                let at = [before(1)?, product, 0.0];
                self.access(number, TextureTarget::Rectangle, at)
            }
            DOT_3D => {
                let at = [before(2)?, before(1)?, product];
                self.access(number, TextureTarget::D3, at)
            }
            DOT_CUBE => {
                let at = [before(2)?, before(1)?, product];
                self.access(number, TextureTarget::Cube, at)
            }
            DOT_DEPTH => {
                let depth = before(1)? / product;
                self.is_reliable &= product.abs() > 0.05;
                self.replace_depth(depth)
            }
            DOT_AFFINE_DEPTH => self.replace_depth(product),
            other => panic!("{other:#x}"),
        }
    }

    /// Evaluates all stages.
    fn run(&mut self) {
        for number in 0..8 {
            let result = self.stage(number).unwrap_or(NOTHING);
            self.results.push(result);
        }
    }

    /// Returns the color after the texture environments: tables 3.18 and 3.19 as amended, color sum
    /// without a secondary color.
    fn environments(&self) -> Vector {
        let mut color = self.fragment.primary;
        for (number, result) in self.results.iter().enumerate() {
            let is_none = self.key.passing_units >> number & 1 != 0;
            let Some(format) = result.format.filter(|_| !is_none) else {
                continue;
            };
            let function = self.key.fragment.texture_units[number].environment;
            color = apply_function(
                (function, format),
                color,
                result.texel,
                self.fragment.environment_colors[number],
            );
        }
        color.map(|it| it.clamp(0.0, 1.0))
    }
}

/// Returns the result of a texture function.
fn apply_function(
    (function, format): (TextureEnvironment, BaseFormat),
    f: Vector,
    t: Vector,
    c: Vector,
) -> Vector {
    let has_color = format != BaseFormat::Alpha;
    let has_alpha = !matches!(format, BaseFormat::Luminance | BaseFormat::Rgb);
    let is_intensity = format == BaseFormat::Intensity;
    let select = |color: [f64; 4], alpha: f64| {
        let [r, g, b, _] = if has_color { color } else { f };
        [r, g, b, if has_alpha { alpha } else { f[3] }]
    };
    let mix = |w: f64, a: f64, b: f64| w.max(0.0) * a + (1.0 - w.max(0.0)) * b;
    let add = |a: f64, b: f64| (a + b).clamp(-1.0, 1.0);
    let each = |function: &dyn Fn(usize) -> f64| std::array::from_fn(function);
    match function {
        TextureEnvironment::Replace => select(t, t[3]),
        TextureEnvironment::Modulate => select(each(&|n| f[n] * t[n]), f[3] * t[3]),
        TextureEnvironment::Blend => select(
            each(&|n| mix(t[n], c[n], f[n])),
            if is_intensity {
                mix(t[3], c[3], f[3])
            } else {
                f[3] * t[3]
            },
        ),
        TextureEnvironment::Add => select(
            each(&|n| add(f[n], t[n])),
            if is_intensity {
                add(f[3], t[3])
            } else {
                f[3] * t[3]
            },
        ),
        TextureEnvironment::Decal => match format {
            BaseFormat::Rgb => [t[0], t[1], t[2], f[3]],
            BaseFormat::Rgba => {
                let [r, g, b, _] = each(&|n| mix(t[3], t[n], f[n]));
                [r, g, b, f[3]]
            }
            BaseFormat::Alpha
            | BaseFormat::Luminance
            | BaseFormat::LuminanceAlpha
            | BaseFormat::Intensity => f,
        },
        TextureEnvironment::Combine(_) => panic!("not generated"),
    }
}

/// Returns register combiners whose result is half of a texture register plus 1/2.
fn combiners(unit: usize) -> RegisterCombiners {
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
fn random_chain(random: &mut Random) -> Vec<u32> {
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
fn find_accepted_types(operation: u32) -> &'static [TextureFormatType] {
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

fn random_stages(random: &mut Random) -> [TextureShaderStage; 8] {
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
fn find_target(operation: ShaderOperation) -> Option<TextureTarget> {
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

fn random_format_types(
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

fn random_key(random: &mut Random) -> TextureShaderKey {
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

fn random_fragment(random: &mut Random) -> Fragment {
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

/// Returns the value of a parameter of the program: locals as the documentation states, state of
/// the fragment.
fn parameter(source: &ParamSource, fragment: &Fragment, state: &GlState) -> [u32; 4] {
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
struct Drawn {
    color: Vector,
    depth: Option<f64>,
    is_discarded: bool,
}

/// Returns the value of an output.
fn output(ir: &Ir, outputs: &[[u64; 4]], semantic: Semantic) -> Option<Vector> {
    let number = ir.outputs.iter().position(|it| it.semantic == semantic)?;
    Some(outputs[number].map(|lane| f64::from(f32::from_bits(lane as u32))))
}

/// Returns the number of coordinates of a target.
fn count_coordinates(target: TexTarget) -> usize {
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
fn run_program(key: &TextureShaderKey, fragment: &Fragment) -> Drawn {
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

fn evaluate<'a>(key: &'a TextureShaderKey, fragment: &'a Fragment) -> Evaluator<'a> {
    let mut evaluator = Evaluator {
        key,
        stages: key.stages.unwrap(),
        fragment,
        results: Vec::new(),
        is_discarded: false,
        depth: None,
        is_reliable: true,
    };
    evaluator.run();
    evaluator
}

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
