//! Built-in inputs: one table entry per stage and semantic.

use super::names::snake_case;
use super::{Io, find_by_key, load_at_start, load_element_at_start};
use crate::builder::{Scalar, ValueBuilder, ValueOrigin};
use crate::capability::Requirement;
use crate::options::Options;
use crate::spirv_writer::{TypeWord, ValueWord};
use glasm_ir::{Semantic, Stage};
use spirv::{BuiltIn, Decoration, Op, StorageClass};

/// Built-in input.
#[derive(Clone, Copy)]
pub(crate) struct BuiltinInput {
    pub(crate) builtin: BuiltIn,
    pub(crate) scalar: Scalar,
    pub(crate) size: u8,
    pub(crate) requirement: Option<Requirement>,
}

/// Returns the built-in of an input semantic in a stage, or `None` if it is not a built-in there.
#[expect(clippy::too_many_lines, reason = "a table of built-ins")]
pub(crate) fn find_builtin_input(stage: Stage, semantic: Semantic) -> Option<BuiltinInput> {
    let row = |builtin, scalar, size, requirement| {
        Some(BuiltinInput {
            builtin,
            scalar,
            size,
            requirement,
        })
    };
    let draw = Some(Requirement::DrawParameters);
    if semantic.is_thread_index() {
        return Some(thread_id_builtin());
    }
    let sm = Some(Requirement::SmBuiltins);
    let (group, ballot) = (Some(Requirement::Group), Some(Requirement::GroupBallot));
    match (stage, semantic) {
        (_, Semantic::SubgroupSize) => row(BuiltIn::SubgroupSize, Scalar::U32, 1, group),
        (_, Semantic::SubgroupInvocation) => Some(thread_id_builtin()),
        // Masks have 128 bits, and belong to the capability of ballots.
        (_, Semantic::SubgroupEqMask) => row(BuiltIn::SubgroupEqMask, Scalar::U32, 4, ballot),
        (_, Semantic::SubgroupGeMask) => row(BuiltIn::SubgroupGeMask, Scalar::U32, 4, ballot),
        (_, Semantic::SubgroupGtMask) => row(BuiltIn::SubgroupGtMask, Scalar::U32, 4, ballot),
        (_, Semantic::SubgroupLeMask) => row(BuiltIn::SubgroupLeMask, Scalar::U32, 4, ballot),
        (_, Semantic::SubgroupLtMask) => row(BuiltIn::SubgroupLtMask, Scalar::U32, 4, ballot),
        (_, Semantic::WarpId) => row(BuiltIn::WarpIDNV, Scalar::U32, 1, sm),
        (_, Semantic::SmId) => row(BuiltIn::SMIDNV, Scalar::U32, 1, sm),
        (Stage::Vertex, Semantic::VertexId) => row(BuiltIn::VertexIndex, Scalar::U32, 1, None),
        (Stage::Vertex, Semantic::InstanceId) => row(BuiltIn::InstanceIndex, Scalar::U32, 1, None),
        (Stage::Vertex, Semantic::BaseVertex) => row(BuiltIn::BaseVertex, Scalar::U32, 1, draw),
        (Stage::Vertex, Semantic::BaseInstance) => row(BuiltIn::BaseInstance, Scalar::U32, 1, draw),
        (Stage::Vertex, Semantic::DrawId) => row(BuiltIn::DrawIndex, Scalar::U32, 1, draw),
        (Stage::TessControl | Stage::TessEval | Stage::Geometry, Semantic::PrimitiveId) => {
            row(BuiltIn::PrimitiveId, Scalar::U32, 1, None)
        }
        (Stage::TessControl | Stage::Geometry, Semantic::InvocationId) => {
            row(BuiltIn::InvocationId, Scalar::U32, 1, None)
        }
        (Stage::TessControl | Stage::TessEval, Semantic::InputVertexCount) => {
            row(BuiltIn::PatchVertices, Scalar::U32, 1, None)
        }
        (Stage::TessEval, Semantic::TessCoord) => row(BuiltIn::TessCoord, Scalar::F32, 3, None),
        (Stage::Fragment, Semantic::Position) => row(BuiltIn::FragCoord, Scalar::F32, 4, None),
        (Stage::Fragment, Semantic::FaceSign) => {
            row(BuiltIn::FrontFacing, Scalar::BoolInt, 1, None)
        }
        (Stage::Fragment, Semantic::HelperInvocation) => {
            row(BuiltIn::HelperInvocation, Scalar::BoolInt, 1, None)
        }
        (Stage::Fragment, Semantic::FullyCovered) => row(
            BuiltIn::FullyCoveredEXT,
            Scalar::BoolInt,
            1,
            Some(Requirement::FullyCovered),
        ),
        (Stage::Fragment, Semantic::PointCoord) => row(BuiltIn::PointCoord, Scalar::F32, 2, None),
        // These two require `SampleRateShading`.
        (Stage::Fragment, Semantic::SampleId) => row(
            BuiltIn::SampleId,
            Scalar::U32,
            1,
            Some(Requirement::SampleRate),
        ),
        (Stage::Fragment, Semantic::SamplePosition) => row(
            BuiltIn::SamplePosition,
            Scalar::F32,
            2,
            Some(Requirement::SampleRate),
        ),
        (Stage::Fragment, Semantic::SampleMask) => row(BuiltIn::SampleMask, Scalar::U32, 1, None),
        // SPIR-V enables these built-ins with the capabilities of the stages that write them, in
        // fragment programs, too.
        (Stage::Fragment, Semantic::PrimitiveId) => row(
            BuiltIn::PrimitiveId,
            Scalar::U32,
            1,
            Some(Requirement::Geometry),
        ),
        (Stage::Fragment, Semantic::Layer) => {
            row(BuiltIn::Layer, Scalar::U32, 1, Some(Requirement::Geometry))
        }
        (Stage::Fragment, Semantic::ViewportIndex) => row(
            BuiltIn::ViewportIndex,
            Scalar::U32,
            1,
            Some(Requirement::MultiViewport),
        ),
        (Stage::Compute, Semantic::WorkgroupId) => row(BuiltIn::WorkgroupId, Scalar::U32, 3, None),
        (Stage::Compute, Semantic::WorkgroupCount) => {
            row(BuiltIn::NumWorkgroups, Scalar::U32, 3, None)
        }
        (Stage::Compute, Semantic::LocalInvocationId) => {
            row(BuiltIn::LocalInvocationId, Scalar::U32, 3, None)
        }
        (Stage::Compute, Semantic::GlobalInvocationId) => {
            row(BuiltIn::GlobalInvocationId, Scalar::U32, 3, None)
        }
        (Stage::Compute, Semantic::LocalInvocationIndex) => {
            row(BuiltIn::LocalInvocationIndex, Scalar::U32, 1, None)
        }
        _ => None,
    }
}

/// Returns OpenGL's equivalent of a Vulkan built-in: `VertexId` for `VertexIndex`, `InstanceId` for
/// `InstanceIndex`, otherwise the same built-in. Unlike `InstanceIndex`, `InstanceId` does not
/// include the first instance of the draw; both vertex numbers include the first vertex.
fn opengl_builtin(builtin: BuiltIn) -> BuiltIn {
    if builtin == BuiltIn::VertexIndex {
        BuiltIn::VertexId
    } else if builtin == BuiltIn::InstanceIndex {
        BuiltIn::InstanceId
    } else {
        builtin
    }
}

/// Returns true if an input is 0 because the device has no built-in for it.
pub(crate) fn is_unsupported_builtin(options: &Options, semantic: Semantic) -> bool {
    if matches!(semantic, Semantic::WarpId | Semantic::SmId) {
        !options.device.sm_builtins
    } else {
        // Conservative rasterization cannot be enabled if the device lacks it.
        semantic == Semantic::FullyCovered && !options.device.fully_covered
    }
}

/// Returns the built-in for the number of an invocation in its subgroup.
pub(crate) fn thread_id_builtin() -> BuiltinInput {
    BuiltinInput {
        builtin: BuiltIn::SubgroupLocalInvocationId,
        scalar: Scalar::U32,
        size: 1,
        requirement: Some(Requirement::Group),
    }
}

/// Computes an input from the invocation number `id` in the subgroup, in the prologue: the number
/// in the thread group of 32, or a mask of its threads. Semantics other than these are treated as
/// the mask of equal threads.
pub(crate) fn compute_thread_value(
    builder: &mut ValueBuilder,
    semantic: Semantic,
    id: ValueWord,
) -> ValueWord {
    let [one, last] = [1, 31].map(|value| builder.constant_u32(value).0);
    let mut op = |op, a: ValueWord, b: u32| {
        builder.emit_op_at(ValueOrigin::Prologue, op, Scalar::U32, 1, &[a.0, b])
    };
    // A thread group has 32 invocations: in larger subgroups the numbers restart at 0 after each
    // 32.
    let id = op(Op::BitwiseAnd, id, last);
    if semantic == Semantic::ThreadId {
        return id;
    }
    // Computes the masks of NV_shader_thread_group from the number alone: those of subgroups would
    // require `GroupNonUniformBallot`, and describe other groups if subgroups are larger.
    let own = op(Op::ShiftLeftLogical, ValueWord(one), id.0);
    // A power of two less 1 has all bits below it.
    let lower = op(Op::ISub, own, one);
    let up_to = op(Op::BitwiseOr, own, lower.0);
    let not = |builder: &mut ValueBuilder, value: ValueWord| {
        builder.emit_op_at(ValueOrigin::Prologue, Op::Not, Scalar::U32, 1, &[value.0])
    };
    if semantic == Semantic::ThreadLtMask {
        lower
    } else if semantic == Semantic::ThreadLeMask {
        up_to
    } else if semantic == Semantic::ThreadGtMask {
        not(builder, up_to)
    } else if semantic == Semantic::ThreadGeMask {
        not(builder, lower)
    } else {
        own
    }
}

impl Io<'_> {
    /// Loads a built-in in the prologue; returns its variable, which it declares on first use, and
    /// its value. Of the sample mask only the first word is loaded.
    pub(crate) fn load_builtin_value(&mut self, input: BuiltinInput) -> (ValueWord, ValueWord) {
        let BuiltinInput { scalar, size, .. } = input;
        let builtin = if self.options.target.is_opengl() {
            opengl_builtin(input.builtin)
        } else {
            input.builtin
        };
        let ty = self.builder.get_type(scalar, size);
        // The sample mask is an array of words.
        if builtin == BuiltIn::SampleMask {
            let array = self.builder.declare_array(ty, 1);
            let variable = self.get_builtin_variable(array, builtin, false);
            return (
                variable,
                load_element_at_start(self.builder, variable, 0, scalar),
            );
        }
        // Integer inputs of fragment stages must be `Flat`, built-ins included
        // (VUID-StandaloneSpirv-Flat-04744).
        let is_flat = self.program.stage == Stage::Fragment && scalar == Scalar::U32;
        let variable = self.get_builtin_variable(ty, builtin, is_flat);
        (
            variable,
            load_at_start(self.builder, variable, scalar, size),
        )
    }

    /// Returns the input variable of a built-in, which it declares on first use, then as `Flat` if
    /// `is_flat` is true.
    fn get_builtin_variable(&mut self, ty: TypeWord, builtin: BuiltIn, is_flat: bool) -> ValueWord {
        if let Some(variable) = self.find_builtin_variable(builtin) {
            return variable;
        }
        let variable = self.declare_builtin(StorageClass::Input, ty, builtin);
        if is_flat {
            self.builder.decorate(variable, Decoration::Flat, &[]);
        }
        variable
    }

    /// Returns the input variable of a built-in if it has been declared.
    pub(crate) fn find_builtin_variable(&self, builtin: BuiltIn) -> Option<ValueWord> {
        find_by_key(&self.interface.inputs.builtins, builtin)
    }

    /// Declares a variable of type `ty`, decorates it as a built-in and names it. Records inputs,
    /// so that they are found again.
    pub(crate) fn declare_builtin(
        &mut self,
        class: StorageClass,
        ty: TypeWord,
        builtin: BuiltIn,
    ) -> ValueWord {
        let variable = self.declare_in_out_variable(class, ty);
        self.builder.decorate_builtin(variable, builtin);
        self.builder
            .name_object(variable, || snake_case(&format!("{builtin:?}")));
        if class == StorageClass::Input {
            self.interface.inputs.builtins.push((builtin, variable));
        }
        variable
    }
}
