//! Operations of texture shader stages: NV_texture_shader section 3.8.13.1 with its tables 3.A to
//! 3.D, and those of NV_texture_shader2 and NV_texture_shader3.

use super::TextureTarget;
use super::enumerants;

enumerants! {
    /// Operations of texture shader stages: `SHADER_OPERATION_NV`.
    ShaderOperation {
        /// `NONE`
        None "none" 0x0000;
        /// `TEXTURE_1D`
        Texture1d "texture_1d" 0x0DE0;
        /// `TEXTURE_2D`
        Texture2d "texture_2d" 0x0DE1;
        /// `TEXTURE_RECTANGLE_NV`
        TextureRectangle "texture_rectangle" 0x84F5;
        /// `TEXTURE_CUBE_MAP_ARB`
        TextureCubeMap "texture_cube_map" 0x8513;
        /// `PASS_THROUGH_NV`
        PassThrough "pass_through" 0x86E6;
        /// `CULL_FRAGMENT_NV`
        CullFragment "cull_fragment" 0x86E7;
        /// `OFFSET_TEXTURE_2D_NV`
        OffsetTexture2d "offset_texture_2d" 0x86E8;
        /// `OFFSET_TEXTURE_2D_SCALE_NV`
        OffsetTexture2dScale "offset_texture_2d_scale" 0x86E2;
        /// `OFFSET_TEXTURE_RECTANGLE_NV`
        OffsetTextureRectangle "offset_texture_rectangle" 0x864C;
        /// `OFFSET_TEXTURE_RECTANGLE_SCALE_NV`
        OffsetTextureRectangleScale "offset_texture_rectangle_scale" 0x864D;
        /// `DEPENDENT_AR_TEXTURE_2D_NV`
        DependentArTexture2d "dependent_ar_texture_2d" 0x86E9;
        /// `DEPENDENT_GB_TEXTURE_2D_NV`
        DependentGbTexture2d "dependent_gb_texture_2d" 0x86EA;
        /// `DOT_PRODUCT_NV`
        DotProduct "dot_product" 0x86EC;
        /// `DOT_PRODUCT_DEPTH_REPLACE_NV`
        DotProductDepthReplace "dot_product_depth_replace" 0x86ED;
        /// `DOT_PRODUCT_TEXTURE_2D_NV`
        DotProductTexture2d "dot_product_texture_2d" 0x86EE;
        /// `DOT_PRODUCT_TEXTURE_RECTANGLE_NV`
        DotProductTextureRectangle "dot_product_texture_rectangle" 0x864E;
        /// `DOT_PRODUCT_TEXTURE_CUBE_MAP_NV`
        DotProductTextureCubeMap "dot_product_texture_cube_map" 0x86F0;
        /// `DOT_PRODUCT_DIFFUSE_CUBE_MAP_NV`
        DotProductDiffuseCubeMap "dot_product_diffuse_cube_map" 0x86F1;
        /// `DOT_PRODUCT_REFLECT_CUBE_MAP_NV`
        DotProductReflectCubeMap "dot_product_reflect_cube_map" 0x86F2;
        /// `DOT_PRODUCT_CONST_EYE_REFLECT_CUBE_MAP_NV`
        DotProductConstEyeReflectCubeMap "dot_product_const_eye_reflect_cube_map" 0x86F3;
        /// `TEXTURE_3D`: NV_texture_shader2.
        Texture3d "texture_3d" 0x806F;
        /// `DOT_PRODUCT_TEXTURE_3D_NV`: NV_texture_shader2.
        DotProductTexture3d "dot_product_texture_3d" 0x86EF;
        /// `OFFSET_PROJECTIVE_TEXTURE_2D_NV`: NV_texture_shader3, as the following ones.
        OffsetProjectiveTexture2d "offset_projective_texture_2d" 0x8850;
        /// `OFFSET_PROJECTIVE_TEXTURE_2D_SCALE_NV`
        OffsetProjectiveTexture2dScale "offset_projective_texture_2d_scale" 0x8851;
        /// `OFFSET_PROJECTIVE_TEXTURE_RECTANGLE_NV`
        OffsetProjectiveTextureRectangle "offset_projective_texture_rectangle" 0x8852;
        /// `OFFSET_PROJECTIVE_TEXTURE_RECTANGLE_SCALE_NV`
        OffsetProjectiveTextureRectangleScale "offset_projective_texture_rectangle_scale" 0x8853;
        /// `OFFSET_HILO_TEXTURE_2D_NV`
        OffsetHiloTexture2d "offset_hilo_texture_2d" 0x8854;
        /// `OFFSET_HILO_TEXTURE_RECTANGLE_NV`
        OffsetHiloTextureRectangle "offset_hilo_texture_rectangle" 0x8855;
        /// `OFFSET_HILO_PROJECTIVE_TEXTURE_2D_NV`
        OffsetHiloProjectiveTexture2d "offset_hilo_projective_texture_2d" 0x8856;
        /// `OFFSET_HILO_PROJECTIVE_TEXTURE_RECTANGLE_NV`
        OffsetHiloProjectiveTextureRectangle "offset_hilo_projective_texture_rectangle" 0x8857;
        /// `DEPENDENT_HILO_TEXTURE_2D_NV`
        DependentHiloTexture2d "dependent_hilo_texture_2d" 0x8858;
        /// `DEPENDENT_RGB_TEXTURE_3D_NV`
        DependentRgbTexture3d "dependent_rgb_texture_3d" 0x8859;
        /// `DEPENDENT_RGB_TEXTURE_CUBE_MAP_NV`
        DependentRgbTextureCubeMap "dependent_rgb_texture_cube_map" 0x885A;
        /// `DOT_PRODUCT_PASS_THROUGH_NV`
        DotProductPassThrough "dot_product_pass_through" 0x885B;
        /// `DOT_PRODUCT_TEXTURE_1D_NV`
        DotProductTexture1d "dot_product_texture_1d" 0x885C;
        /// `DOT_PRODUCT_AFFINE_DEPTH_REPLACE_NV`
        DotProductAffineDepthReplace "dot_product_affine_depth_replace" 0x885D;
    }
}

/// Properties of an operation `OFFSET_*`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OffsetForm {
    /// s and t are divided by q.
    pub(super) is_projective: bool,
    /// The texel is multiplied by the magnitude.
    pub(super) is_scaled: bool,
    /// The offsets are HI and LO of a signed HILO result.
    pub(super) is_hilo: bool,
}

/// Computation of an operation, regardless of the target of its texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OperationKind {
    /// No texel.
    None,
    /// Conventional texturing.
    Texture,
    /// Texture coordinates as a color.
    PassThrough,
    /// Comparison of texture coordinates.
    CullFragment,
    /// Offsets of texture coordinates.
    Offset(OffsetForm),
    /// Alpha and red as texture coordinates.
    DependentAlphaRed,
    /// Green and blue as texture coordinates.
    DependentGreenBlue,
    /// HI and LO as texture coordinates.
    DependentHilo,
    /// Red, green and blue as texture coordinates.
    DependentRgb,
    /// A dot product for the stages that follow.
    DotProduct,
    /// As many dot products as texture coordinates.
    DotProductTexture(u8),
    /// A dot product as a color.
    DotProductPassThrough,
    /// The normal of three dot products, the last one of the next stage, as texture coordinates.
    Diffuse,
    /// The reflection of an eye vector from coordinates q.
    Reflect,
    /// The reflection of the constant eye vector.
    ConstantEyeReflect,
    /// A quotient of dot products as depth.
    DepthReplace,
    /// A dot product as depth.
    AffineDepthReplace,
}

const fn offset(is_projective: bool, is_scaled: bool, is_hilo: bool) -> OperationKind {
    OperationKind::Offset(OffsetForm {
        is_projective,
        is_scaled,
        is_hilo,
    })
}

impl OperationKind {
    /// Returns the number of dot products of stages before, in the order of the stages, that the
    /// operation needs.
    pub(super) const fn count_previous_products(self) -> usize {
        match self {
            Self::Diffuse | Self::DepthReplace => 1,
            Self::Reflect | Self::ConstantEyeReflect => 2,
            Self::DotProductTexture(count) => count as usize - 1,
            Self::None
            | Self::Texture
            | Self::PassThrough
            | Self::CullFragment
            | Self::Offset(_)
            | Self::DependentAlphaRed
            | Self::DependentGreenBlue
            | Self::DependentHilo
            | Self::DependentRgb
            | Self::DotProduct
            | Self::DotProductPassThrough
            | Self::AffineDepthReplace => 0,
        }
    }

    /// Returns true for operations that replace the depth of the fragment.
    pub(super) const fn replaces_depth(self) -> bool {
        matches!(self, Self::DepthReplace | Self::AffineDepthReplace)
    }

    /// Returns true for operations with the normal of three dot products, of which an operation
    /// `Diffuse` may be the second.
    pub(super) const fn reflects(self) -> bool {
        matches!(self, Self::Reflect | Self::ConstantEyeReflect)
    }

    /// Returns true for operations that compute a dot product.
    pub(super) const fn has_product(self) -> bool {
        match self {
            Self::DotProduct
            | Self::DotProductTexture(_)
            | Self::DotProductPassThrough
            | Self::Diffuse
            | Self::Reflect
            | Self::ConstantEyeReflect
            | Self::DepthReplace
            | Self::AffineDepthReplace => true,
            Self::None
            | Self::Texture
            | Self::PassThrough
            | Self::CullFragment
            | Self::Offset(_)
            | Self::DependentAlphaRed
            | Self::DependentGreenBlue
            | Self::DependentHilo
            | Self::DependentRgb => false,
        }
    }
}

impl ShaderOperation {
    /// Returns the computation of the operation and the target of the texture that it accesses:
    /// tables 3.B and 3.C.
    pub(super) const fn properties(self) -> (OperationKind, Option<TextureTarget>) {
        use OperationKind as Kind;
        use TextureTarget::{Cube, D1, D2, D3, Rectangle};
        match self {
            Self::None => (Kind::None, None),
            Self::Texture1d => (Kind::Texture, Some(D1)),
            Self::Texture2d => (Kind::Texture, Some(D2)),
            Self::Texture3d => (Kind::Texture, Some(D3)),
            Self::TextureRectangle => (Kind::Texture, Some(Rectangle)),
            Self::TextureCubeMap => (Kind::Texture, Some(Cube)),
            Self::PassThrough => (Kind::PassThrough, None),
            Self::CullFragment => (Kind::CullFragment, None),
            Self::OffsetTexture2d => (offset(false, false, false), Some(D2)),
            Self::OffsetTexture2dScale => (offset(false, true, false), Some(D2)),
            Self::OffsetTextureRectangle => (offset(false, false, false), Some(Rectangle)),
            Self::OffsetTextureRectangleScale => (offset(false, true, false), Some(Rectangle)),
            Self::OffsetProjectiveTexture2d => (offset(true, false, false), Some(D2)),
            Self::OffsetProjectiveTexture2dScale => (offset(true, true, false), Some(D2)),
            Self::OffsetProjectiveTextureRectangle => (offset(true, false, false), Some(Rectangle)),
            Self::OffsetProjectiveTextureRectangleScale => {
                (offset(true, true, false), Some(Rectangle))
            }
            Self::OffsetHiloTexture2d => (offset(false, false, true), Some(D2)),
            Self::OffsetHiloTextureRectangle => (offset(false, false, true), Some(Rectangle)),
            Self::OffsetHiloProjectiveTexture2d => (offset(true, false, true), Some(D2)),
            Self::OffsetHiloProjectiveTextureRectangle => {
                (offset(true, false, true), Some(Rectangle))
            }
            Self::DependentArTexture2d => (Kind::DependentAlphaRed, Some(D2)),
            Self::DependentGbTexture2d => (Kind::DependentGreenBlue, Some(D2)),
            Self::DependentHiloTexture2d => (Kind::DependentHilo, Some(D2)),
            Self::DependentRgbTexture3d => (Kind::DependentRgb, Some(D3)),
            Self::DependentRgbTextureCubeMap => (Kind::DependentRgb, Some(Cube)),
            Self::DotProduct => (Kind::DotProduct, None),
            Self::DotProductTexture1d => (Kind::DotProductTexture(1), Some(D1)),
            Self::DotProductTexture2d => (Kind::DotProductTexture(2), Some(D2)),
            Self::DotProductTextureRectangle => (Kind::DotProductTexture(2), Some(Rectangle)),
            Self::DotProductTexture3d => (Kind::DotProductTexture(3), Some(D3)),
            Self::DotProductTextureCubeMap => (Kind::DotProductTexture(3), Some(Cube)),
            Self::DotProductPassThrough => (Kind::DotProductPassThrough, None),
            Self::DotProductDiffuseCubeMap => (Kind::Diffuse, Some(Cube)),
            Self::DotProductReflectCubeMap => (Kind::Reflect, Some(Cube)),
            Self::DotProductConstEyeReflectCubeMap => (Kind::ConstantEyeReflect, Some(Cube)),
            Self::DotProductDepthReplace => (Kind::DepthReplace, None),
            Self::DotProductAffineDepthReplace => (Kind::AffineDepthReplace, None),
        }
    }

    /// Returns the target of the texture that the operation accesses; `None` if it accesses none.
    pub const fn texture_target(self) -> Option<TextureTarget> {
        self.properties().1
    }

    /// Returns true if the stage of a unit, of `units` ones, can have the operation: stages before
    /// and after provide what it needs. Section 3.8.13.2.
    pub const fn is_allowed(self, unit: usize, units: usize) -> bool {
        let kind = self.properties().0;
        let needs_next = matches!(kind, OperationKind::DotProduct | OperationKind::Diffuse);
        let least = match kind {
            OperationKind::None
            | OperationKind::Texture
            | OperationKind::PassThrough
            | OperationKind::CullFragment => 0,
            OperationKind::Offset(_)
            | OperationKind::DependentAlphaRed
            | OperationKind::DependentGreenBlue
            | OperationKind::DependentHilo
            | OperationKind::DependentRgb
            | OperationKind::DotProduct
            | OperationKind::DotProductTexture(_)
            | OperationKind::DotProductPassThrough
            | OperationKind::Diffuse
            | OperationKind::Reflect
            | OperationKind::ConstantEyeReflect
            | OperationKind::DepthReplace
            | OperationKind::AffineDepthReplace => 1 + kind.count_previous_products(),
        };
        least <= unit && (unit + 1 < units || !needs_next)
    }
}
