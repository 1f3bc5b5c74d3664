//! Accesses whose level of detail is clamped to a minimum (EXT_sparse_texture2,
//! ARB_sparse_texture_clamp).
//!
//! A minimum clamps the level of detail including the bias. With the feature
//! `shaderResourceMinLod` the minimum is an image operand. Without it the level is
//! computed first, which costs a query, or some arithmetic on explicit derivatives. Then the
//! texture is sampled twice, without a minimum and at the minimum level, and one of the results is
//! selected. Limitations: at the minimum level filters are not anisotropic, and levels from
//! explicit derivatives are those of an isotropic filter. Biases of samplers are
//! [options](crate::Options::lod_biases).
//!
//! Outside fragment programs TEX and TXB use the base level, and the larger one of two levels is
//! accessed.

use super::access::{TextureAccess, get_unit_option};
use super::offset::{LodComponent, compute_level_of_detail, query_base_size};
use crate::builder::{Lane, ModuleWriter, Scalar, Val, ValueBuilder};
use crate::emit::context::TextureEmitter;
use crate::error::Failure;
use crate::options::Options;
use glasm_ir::Stage;
use glasm_ir::resource::TexMode;
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

impl TextureEmitter<'_, '_> {
    /// Emits a sample whose level is not below `min_lod`, without a feature of the device. If the
    /// level is not known in advance, it samples twice and selects a texel.
    pub(super) fn emit_min_lod_sample(
        &mut self,
        access: &TextureAccess,
        min_lod: Val,
    ) -> Result<[Lane; 4], Failure> {
        // The sampler adds its bias to explicit levels.
        let unbiased = remove_sampler_bias(
            self.function.builder,
            self.function.options,
            access,
            min_lod,
        );
        let unclamped = without_min_lod(access);
        if !has_computed_level(self.function.builder, access) {
            let level =
                compute_level_of_detail(self.function.builder, &unclamped, LodComponent::Computed);
            let level =
                level.unwrap_or_else(|| self.function.builder.constant_float_like(min_lod, 0.0));
            let level = self
                .function
                .builder
                .emit_ext(GlslOp::NMax, &[level, unbiased]);
            return self.emit_native_sample(&with_explicit_lod(access, level));
        }
        let is_below = if access.data.mode == TexMode::Grad {
            test_gradients_below(self.function.builder, access, unbiased)
        } else {
            match compute_level_of_detail(self.function.builder, &unclamped, LodComponent::Computed)
            {
                Some(level) => self
                    .function
                    .builder
                    .emit_test(Spv::FOrdLessThan, level, min_lod),
                None => self.function.builder.constant_false(),
            }
        };
        self.select_sample(is_below, &with_explicit_lod(access, unbiased), &unclamped)
    }

    /// Emits both samples and selects the texel of the first one if `cond` is true. Selects the
    /// residency in the same way while a test requests it.
    fn select_sample(
        &mut self,
        cond: Val,
        yes: &TextureAccess,
        no: &TextureAccess,
    ) -> Result<[Lane; 4], Failure> {
        // Both unconditionally: in a branch the level of detail would be undefined (Vulkan,
        // "Derivative Operations").
        let no = self.emit_native_sample(no)?;
        let no_residency = self.residency.take_residency();
        let yes = self.emit_native_sample(yes)?;
        let yes_residency = self.residency.take_residency();
        if let (Some(no), Some(yes)) = (no_residency, yes_residency) {
            let resident = self.function.builder.emit_select(cond, yes, no);
            self.residency
                .add_residency(self.function.builder, resident);
        }
        // Both samples are of the same texture.
        let scalar = self.function.builder.value_info(no[0].id()).scalar;
        let [no, yes] = [no, yes].map(|lanes| self.function.builder.gather_vector(&lanes, scalar));
        Ok(self.function.builder.emit_select(cond, yes, no).lanes())
    }
}

/// Computes a level which is `level` after the sampler adds its bias, which the options specify for
/// the unit.
fn remove_sampler_bias(
    builder: &mut ValueBuilder,
    options: &Options,
    access: &TextureAccess,
    level: Val,
) -> Val {
    let unit = access.texture.sampler_unit();
    let levels = get_unit_option(&options.lod_biases, unit).levels();
    if levels == 0.0 {
        return level;
    }
    builder.emit_binary_float(Spv::FSub, level, levels.into())
}

/// Returns true if an access accepts its minimum level as an image operand.
pub(super) fn can_take_min_lod(module: &ModuleWriter, access: &TextureAccess) -> bool {
    module.device.resource_min_lod && has_computed_level(module, access)
}

/// Returns true if the device computes the level of an access from derivatives.
fn has_computed_level(module: &ModuleWriter, access: &TextureAccess) -> bool {
    access.data.mode == TexMode::Grad
        || access.data.mode.uses_derivatives() && module.stage() == Stage::Fragment
}

/// Tests whether the level of explicit derivatives is below `min_lod`: no derivative is as long as
/// `2^min_lod` texels of the base level. It is false without derivatives.
fn test_gradients_below(builder: &mut ValueBuilder, access: &TextureAccess, min_lod: Val) -> Val {
    let ([Some(dx), Some(dy)], Some(coordinate)) = (access.mode_operands, access.coordinate) else {
        return builder.constant_false();
    };
    let mut size = query_base_size(builder, access);
    let mut derivatives = [dx, dy];
    if access.texture.target.is_cube() {
        size = builder.extract_component(size, 0);
        // Coordinates on a face range from -1 to 1, twice the range of texture coordinates.
        size = builder.emit_binary_float(Spv::FMul, size, 0.5);
        derivatives = compute_face_derivatives(builder, coordinate, derivatives);
    }
    let [x, y] = derivatives.map(|derivative| {
        let texels = builder.emit_binary(Spv::FMul, derivative, size);
        compute_length_squared(builder, texels)
    });
    let length = builder.emit_ext(GlslOp::NMax, &[x, y]);
    // Both sides are squared, which saves a square root and a logarithm.
    let twice = builder.emit_binary(Spv::FAdd, min_lod, min_lod);
    let bound = builder.emit_ext(GlslOp::Exp2, &[twice]);
    builder.emit_test(Spv::FOrdLessThan, length, bound)
}

/// Computes the derivatives of `p / m`, where `m` is the magnitude of the largest component of the
/// direction `p`: the derivative of that component is 0, the others are coordinates on the face,
/// from -1 to 1.
fn compute_face_derivatives(
    builder: &mut ValueBuilder,
    coordinate: Val,
    derivatives: [Val; 2],
) -> [Val; 2] {
    let direction = builder.take_components(coordinate, 3);
    let sizes = builder.emit_ext(GlslOp::FAbs, &[direction]);
    let [x, y, z] = [0, 1, 2].map(|axis| builder.extract_component(sizes, axis));
    let xy = builder.emit_ext(GlslOp::NMax, &[x, y]);
    let largest = builder.emit_ext(GlslOp::NMax, &[xy, z]);
    let is_z = builder.emit_test(Spv::FOrdGreaterThanEqual, z, xy);
    let is_y = builder.emit_test(Spv::FOrdGreaterThanEqual, y, x);
    derivatives.map(|derivative| {
        let mut major = |vector: Val| {
            let [x, y, z] = [0, 1, 2].map(|axis| builder.extract_component(vector, axis));
            let xy = builder.emit_select(is_y, y, x);
            builder.emit_select(is_z, z, xy)
        };
        let (along, own) = (major(derivative), major(direction));
        // The quotient rule with p and m as above: (p/m)' = (p' - p m'/m) / m.
        let growth = builder.emit_binary(Spv::FDiv, along, own);
        let moved = builder.emit_binary(Spv::FMul, direction, growth);
        let moved = builder.emit_binary(Spv::FSub, derivative, moved);
        builder.emit_binary(Spv::FDiv, moved, largest)
    })
}

/// Emits the squared length of a vector.
fn compute_length_squared(builder: &mut ValueBuilder, vector: Val) -> Val {
    if vector.size == 1 {
        return builder.emit_binary(Spv::FMul, vector, vector);
    }
    builder.emit_op(Spv::Dot, Scalar::F32, 1, &[vector.id.0, vector.id.0])
}

/// Returns a copy of the access without its minimum level of detail.
fn without_min_lod(access: &TextureAccess) -> TextureAccess {
    let mut unclamped = *access;
    unclamped.min_lod = None;
    unclamped
}

/// Returns the access at an explicit level of detail, without its minimum.
fn with_explicit_lod(access: &TextureAccess, level: Val) -> TextureAccess {
    let mut raised = without_min_lod(access);
    raised.data.mode = TexMode::Lod;
    raised.mode_operands = [Some(level), None];
    raised
}
