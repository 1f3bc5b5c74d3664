//! Consistency of texture shader stages: a stage that is not consistent operates as `NONE`.
//! NV_texture_shader table 3.A and section 3.8.13.1.

use super::operations::OperationKind;
use super::{
    MAX_TEXTURE_UNITS, ShaderOperation, TextureFormatType, TextureShaderKey, TextureShaderStage,
};

/// Returns the mask of the texture shader stages that are consistent: the texture of the operation
/// is complete, and the stages that it depends on are consistent and have results of the right
/// type. Bit n is that of unit n; the stages have their defaults if texture shaders are disabled.
pub fn find_consistent_stages(key: &TextureShaderKey) -> u8 {
    let mut stages = ConsistentStages {
        key,
        stages: key.stages.unwrap_or_default(),
        mask: 0,
    };
    for number in 0..MAX_TEXTURE_UNITS {
        if stages.is_consistent(number) {
            stages.mask |= 1 << number;
        }
    }
    stages.mask
}

/// Consistency of the stages up to one of them.
struct ConsistentStages<'a> {
    key: &'a TextureShaderKey,
    stages: [TextureShaderStage; MAX_TEXTURE_UNITS],
    mask: u8,
}

/// Returns the type of the result of a consistent stage; `None` if it is invalid or a dot product.
/// Table 3.D.
pub(super) fn find_result_type(
    operation: ShaderOperation,
    format_type: TextureFormatType,
) -> Option<TextureFormatType> {
    let (kind, target) = operation.properties();
    match kind {
        OperationKind::PassThrough | OperationKind::DotProductPassThrough => {
            Some(TextureFormatType::UnsignedRgba)
        }
        OperationKind::None
        | OperationKind::CullFragment
        | OperationKind::DotProduct
        | OperationKind::DepthReplace
        | OperationKind::AffineDepthReplace => None,
        OperationKind::Texture
        | OperationKind::Offset(_)
        | OperationKind::DependentAlphaRed
        | OperationKind::DependentGreenBlue
        | OperationKind::DependentHilo
        | OperationKind::DependentRgb
        | OperationKind::DotProductTexture(_)
        | OperationKind::Diffuse
        | OperationKind::Reflect
        | OperationKind::ConstantEyeReflect => target.map(|_| format_type),
    }
}

impl ConsistentStages<'_> {
    /// Returns the computation of a stage; that of `NONE` for stages that do not exist.
    fn kind(&self, number: usize) -> OperationKind {
        let stage = self.stages.get(number).copied().unwrap_or_default();
        stage.operation.properties().0
    }

    /// Returns true if a stage is consistent. Those before must be known.
    fn is_consistent(&self, number: usize) -> bool {
        if !self.has_inputs(number) {
            return false;
        }
        let kind = self.kind(number);
        if kind == OperationKind::Diffuse {
            // The next stage reads the dot product of this one, which reads that of the next one.
            self.kind(number + 1).reflects() && self.has_inputs(number + 1)
        } else {
            !kind.reflects() || self.has(number - 1)
        }
    }

    /// Returns true if a stage before was found consistent.
    fn has(&self, number: usize) -> bool {
        self.mask >> number & 1 != 0
    }

    /// Returns true if a stage before is consistent and computes a dot product only.
    fn has_product(&self, number: Option<usize>) -> bool {
        number.is_some_and(|it| self.has(it) && self.kind(it) == OperationKind::DotProduct)
    }

    /// Returns true if the texture of a stage, the result of its previous texture input and the dot
    /// products of the stages before are suitable. Of an operation `Diffuse` directly before only
    /// the operation is considered.
    fn has_inputs(&self, number: usize) -> bool {
        let stage = self.stages[number];
        let (kind, target) = stage.operation.properties();
        let format_type = self.key.format_types[number];
        let has_target =
            target.is_none() || self.key.fragment.texture_units[number].target == target;
        let is_scaled = matches!(kind, OperationKind::Offset(form) if form.is_scaled);
        let is_scalable = !is_scaled || format_type == TextureFormatType::UnsignedRgba;
        has_target
            && is_scalable
            && self.has_previous_input(number, kind)
            && self.has_previous_products(number, kind)
            && !(kind.replaces_depth()
                && (0..number).any(|it| self.has(it) && self.kind(it).replaces_depth()))
    }

    /// Returns true if the dot products of the stages before that an operation needs exist.
    fn has_previous_products(&self, number: usize, kind: OperationKind) -> bool {
        (1..=kind.count_previous_products()).all(|distance| {
            let other = number.checked_sub(distance);
            let is_diffuse = other.is_some_and(|it| self.kind(it) == OperationKind::Diffuse);
            self.has_product(other) || distance == 1 && kind.reflects() && is_diffuse
        })
    }

    /// Returns true if an operation needs no result of a previous texture input, or if that has the
    /// right type.
    fn has_previous_input(&self, number: usize, kind: OperationKind) -> bool {
        use TextureFormatType as Type;
        let previous = usize::from(self.stages[number].previous_input);
        let find_type = || {
            let stage = self.stages.get(previous)?;
            let format_type = self.key.format_types[previous];
            let result = find_result_type(stage.operation, format_type);
            result.filter(|_| previous < number && self.has(previous))
        };
        let is_one_of = |types: &[Type]| find_type().is_some_and(|it| types.contains(&it));
        match kind {
            OperationKind::None
            | OperationKind::Texture
            | OperationKind::PassThrough
            | OperationKind::CullFragment => true,
            OperationKind::Offset(form) if form.is_hilo => is_one_of(&[Type::SignedHilo]),
            OperationKind::Offset(form) if form.is_scaled => {
                is_one_of(&[Type::DsdtMag, Type::DsdtMagIntensity])
            }
            OperationKind::Offset(_) => {
                is_one_of(&[Type::Dsdt, Type::DsdtMag, Type::DsdtMagIntensity])
            }
            OperationKind::DependentAlphaRed | OperationKind::DependentGreenBlue => {
                is_one_of(&[Type::UnsignedRgba])
            }
            OperationKind::DependentHilo => is_one_of(&[Type::UnsignedHilo]),
            OperationKind::DependentRgb => {
                // Only lookups of cube maps have signed coordinates.
                let target = self.stages[number].operation.texture_target();
                let is_signed = is_one_of(&[Type::SignedRgba, Type::SignedRgbUnsignedAlpha]);
                is_one_of(&[Type::UnsignedRgba])
                    || target == Some(super::TextureTarget::Cube) && is_signed
            }
            OperationKind::Reflect | OperationKind::ConstantEyeReflect
                if previous + 2 >= number =>
            {
                false
            }
            OperationKind::DotProduct
            | OperationKind::DotProductTexture(_)
            | OperationKind::DotProductPassThrough
            | OperationKind::Diffuse
            | OperationKind::Reflect
            | OperationKind::ConstantEyeReflect
            | OperationKind::DepthReplace
            | OperationKind::AffineDepthReplace => is_one_of(&[
                Type::UnsignedRgba,
                Type::SignedRgba,
                Type::UnsignedHilo,
                Type::SignedHilo,
            ]),
        }
    }
}
