//! Accesses whose level of detail, including the bias, is clamped to a minimum: EXT_sparse_texture2
//! and ARB_sparse_texture_clamp.
//!
//! With the feature `shaderResourceMinLod` the minimum is an image operand. Without it the level is
//! computed first, which costs a query, or some arithmetic on explicit derivatives. Then the
//! texture is sampled twice, without a minimum and at the minimum level, and one of the results is
//! selected. Limitations: at the minimum level filters are not anisotropic, and levels from
//! explicit derivatives are those of an isotropic filter. Biases of samplers are
//! [options](crate::Options::lod_biases).
//!
//! Outside fragment programs TEX and TXB use the base level, and the larger one of two levels is
//! accessed.

use crate::builder::{Lane, ModuleWriter, Scalar, Val, ValueBuilder};
use crate::emit::cx::TextureEmitter;
use crate::emit::texture::access::{Access, of_unit};
use crate::emit::texture::offset::{Detail, compute_level_of_detail, query_base_size};
use crate::error::Failure;
use crate::options::Options;
use glasm_ir::Stage;
use glasm_ir::resource::TexMode;
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

impl TextureEmitter<'_, '_> {
    /// Emits a sample whose level is not below `least`, without a feature of the device.
    pub(super) fn sample_from_least_level(
        &mut self,
        access: &Access,
        least: Val,
    ) -> Result<[Lane; 4], Failure> {
        // The sampler adds its bias to explicit levels.
        let unbiased = remove_sampler_bias(self.f.w, self.f.options, access, least);
        let usual = without_least_level(access);
        if !has_computed_level(self.f.w, access) {
            let level = compute_level_of_detail(self.f.w, &usual, Detail::Computed);
            let level = level.unwrap_or_else(|| self.f.w.float_like(least, 0.0));
            let level = self.f.w.ext(GlslOp::NMax, &[level, unbiased]);
            return self.emit_plain_sample(&at_level(access, level));
        }
        let is_below = if access.data.mode == TexMode::Grad {
            compare_gradients(self.f.w, access, unbiased)
        } else {
            match compute_level_of_detail(self.f.w, &usual, Detail::Computed) {
                Some(level) => self.f.w.test(Spv::FOrdLessThan, level, least),
                None => self.f.w.never(),
            }
        };
        self.select_sample(is_below, &at_level(access, unbiased), &usual)
    }

    /// Samples twice and selects the first texel if a condition is true.
    fn select_sample(
        &mut self,
        cond: Val,
        yes: &Access,
        no: &Access,
    ) -> Result<[Lane; 4], Failure> {
        // Both unconditionally: in a branch the level of detail would be undefined (Vulkan,
        // "Derivative Operations").
        let no = self.emit_plain_sample(no)?;
        let no_residency = self.sparse.take_residency();
        let yes = self.emit_plain_sample(yes)?;
        let yes_residency = self.sparse.take_residency();
        if let (Some(no), Some(yes)) = (no_residency, yes_residency) {
            let resident = self.f.w.select(cond, yes, no);
            self.sparse.add_residency(self.f.w, resident);
        }
        // Both samples are of the same texture.
        let scalar = self.f.w.info(no[0].id()).scalar;
        let [no, yes] = [no, yes].map(|lanes| self.f.w.gather_vector(&lanes, scalar));
        Ok(self.f.w.select(cond, yes, no).lanes())
    }
}

/// Computes a level which is `level` after the sampler adds its bias.
fn remove_sampler_bias(
    w: &mut ValueBuilder,
    options: &Options,
    access: &Access,
    level: Val,
) -> Val {
    let unit = access.texture.sampler_unit();
    let levels = of_unit(&options.lod_biases, unit).levels();
    if levels == 0.0 {
        return level;
    }
    w.binary_float(Spv::FSub, level, levels.into())
}

/// Returns true if an access accepts its minimum level as an image operand.
pub(super) fn can_take_min_lod(w: &ModuleWriter, access: &Access) -> bool {
    w.device.resource_min_lod && has_computed_level(w, access)
}

/// Returns true if the device computes the level of an access from derivatives.
fn has_computed_level(w: &ModuleWriter, access: &Access) -> bool {
    access.data.mode == TexMode::Grad
        || access.data.mode.computes_level() && w.stage() == Stage::Fragment
}

/// Tests whether the level of explicit derivatives is below `least`: no derivative is as long as
/// `2^least` texels of the base level.
fn compare_gradients(w: &mut ValueBuilder, access: &Access, least: Val) -> Val {
    let ([Some(dx), Some(dy)], Some(coordinate)) = (access.own, access.coordinate) else {
        return w.never();
    };
    let mut size = query_base_size(w, access);
    let mut derivatives = [dx, dy];
    if access.texture.target.is_cube() {
        size = w.component(size, 0);
        // Coordinates on a face range from -1 to 1, twice the range of texture coordinates.
        size = w.binary_float(Spv::FMul, size, 0.5);
        derivatives = compute_face_derivatives(w, coordinate, derivatives);
    }
    let [x, y] = derivatives.map(|derivative| {
        let texels = w.binary(Spv::FMul, derivative, size);
        compute_length_squared(w, texels)
    });
    let length = w.ext(GlslOp::NMax, &[x, y]);
    // Both sides are squared, which saves a square root and a logarithm.
    let twice = w.binary(Spv::FAdd, least, least);
    let bound = w.ext(GlslOp::Exp2, &[twice]);
    w.test(Spv::FOrdLessThan, length, bound)
}

/// Computes the derivatives of `p / m`, where `m` is the largest component of the direction `p`:
/// the derivative of that component is 0, the others are coordinates on the face, from -1 to 1.
fn compute_face_derivatives(
    w: &mut ValueBuilder,
    coordinate: Val,
    derivatives: [Val; 2],
) -> [Val; 2] {
    let direction = w.take_components(coordinate, 3);
    let sizes = w.ext(GlslOp::FAbs, &[direction]);
    let [x, y, z] = [0, 1, 2].map(|axis| w.component(sizes, axis));
    let xy = w.ext(GlslOp::NMax, &[x, y]);
    let largest = w.ext(GlslOp::NMax, &[xy, z]);
    let is_z = w.test(Spv::FOrdGreaterThanEqual, z, xy);
    let is_y = w.test(Spv::FOrdGreaterThanEqual, y, x);
    derivatives.map(|derivative| {
        let mut major = |vector: Val| {
            let [x, y, z] = [0, 1, 2].map(|axis| w.component(vector, axis));
            let xy = w.select(is_y, y, x);
            w.select(is_z, z, xy)
        };
        let (along, own) = (major(derivative), major(direction));
        // The quotient rule with p and m as above: (p/m)' = (p' - p m'/m) / m.
        let growth = w.binary(Spv::FDiv, along, own);
        let moved = w.binary(Spv::FMul, direction, growth);
        let moved = w.binary(Spv::FSub, derivative, moved);
        w.binary(Spv::FDiv, moved, largest)
    })
}

fn compute_length_squared(w: &mut ValueBuilder, vector: Val) -> Val {
    if vector.size == 1 {
        return w.binary(Spv::FMul, vector, vector);
    }
    w.op(Spv::Dot, Scalar::F32, 1, &[vector.id.0, vector.id.0])
}

fn without_least_level(access: &Access) -> Access {
    let mut usual = *access;
    usual.min_lod = None;
    usual
}

fn at_level(access: &Access, level: Val) -> Access {
    let mut raised = without_least_level(access);
    raised.data.mode = TexMode::Lod;
    raised.own = [Some(level), None];
    raised
}
