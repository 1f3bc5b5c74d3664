//! Evaluator of texture shaders that follows the tables and formulas of NV_texture_shader section
//! 3.8.13, NV_texture_shader2 and NV_texture_shader3.

use crate::tokens::*;
use glasm::fixed_function::{
    BaseFormat, CullMode, TextureEnvironment, TextureFormatType, TextureShaderKey,
    TextureShaderStage, TextureTarget,
};

pub(crate) type Vector = [f64; 4];

#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    pub(crate) primary: Vector,
    pub(crate) coordinates: [Vector; 8],
    pub(crate) matrices: [Vector; 8],
    /// Scale and bias.
    pub(crate) scales: [[f64; 2]; 8],
    pub(crate) eyes: [Vector; 8],
    pub(crate) environment_colors: [Vector; 8],
    pub(crate) depth_range: [f64; 2],
}

/// Returns the filtered texel of a unit: a continuous function of the coordinates, in the range of
/// the components. Components that the format lacks are those of GL 2.1 table 3.23.
pub(crate) fn sample(unit: usize, key: &TextureShaderKey, coordinates: [f64; 3]) -> Vector {
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
pub(crate) enum ResultType {
    Invalid,
    Float,
    Texture(TextureFormatType),
}

/// Result of a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StageResult {
    pub(crate) is_consistent: bool,
    pub(crate) result_type: ResultType,
    pub(crate) value: Vector,
    pub(crate) product: f64,
    pub(crate) texel: Vector,
    /// Base format of the texel; `None` if the texture function is `NONE`.
    pub(crate) format: Option<BaseFormat>,
}

pub(crate) const NOTHING: StageResult = StageResult {
    is_consistent: false,
    result_type: ResultType::Invalid,
    value: [0.0; 4],
    product: 0.0,
    texel: [0.0; 4],
    format: None,
};

/// Evaluates the stages as the specification states.
pub(crate) struct Evaluator<'a> {
    pub(crate) key: &'a TextureShaderKey,
    pub(crate) stages: [TextureShaderStage; 8],
    pub(crate) fragment: &'a Fragment,
    pub(crate) results: Vec<StageResult>,
    pub(crate) is_discarded: bool,
    pub(crate) depth: Option<f64>,
    /// False if a value decides within the precision of floats, or is large.
    pub(crate) is_reliable: bool,
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
    pub(crate) fn environments(&self) -> Vector {
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
pub(crate) fn apply_function(
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

pub(crate) fn evaluate<'a>(key: &'a TextureShaderKey, fragment: &'a Fragment) -> Evaluator<'a> {
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
