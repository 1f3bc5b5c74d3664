//! Predicates about contents of modules that some languages do not support.

use crate::spirv_edit::{ImageType, InstructionExt, ModuleEditor};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, ImageFormat, ImageOperands, Op,
    StorageClass, Word,
};
use std::collections::HashSet;

/// Something that a module may contain.
pub(crate) enum ModuleFeature {
    /// A program of one of these stages.
    Stages(&'static [ExecutionModel]),
    /// An execution mode.
    Mode(ExecutionMode),
    /// A declared capability.
    Declares(Capability),
    /// One of these operations.
    Ops(&'static [Op]),
    /// A built-in variable that is an input of the program.
    Input(BuiltIn),
    /// A type of images.
    Images(fn(&ImageType) -> bool),
    /// One of these operations on an image of a type.
    Accesses(&'static [Op], fn(&ImageType) -> bool),
    /// Contents that one of the predicates of this file finds.
    Other(fn(&ModuleEditor) -> bool),
}

impl ModuleFeature {
    /// Returns true if a module has this content.
    pub(crate) fn is_in(&self, editor: &ModuleEditor) -> bool {
        match *self {
            Self::Stages(stages) => editor.has_execution_model(stages),
            Self::Mode(mode) => editor.has_execution_mode(mode),
            Self::Declares(capability) => editor.has_capability(capability),
            Self::Ops(ops) => editor.has_op(ops),
            Self::Input(builtin) => reads_builtin(editor, builtin),
            Self::Images(is_wanted) => !editor.find_image_types(is_wanted).is_empty(),
            Self::Accesses(ops, is_wanted) => accesses_images(editor, ops, is_wanted),
            Self::Other(is_in) => is_in(editor),
        }
    }
}

/// The stages of tessellation programs.
pub(super) const TESSELLATION: &[ExecutionModel] = &[
    ExecutionModel::TessellationControl,
    ExecutionModel::TessellationEvaluation,
];

/// Numbers within subgroups.
const SUBGROUP_BUILTINS: [BuiltIn; 7] = [
    BuiltIn::SubgroupLocalInvocationId,
    BuiltIn::SubgroupSize,
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
];

/// Returns true if a geometry program runs more than once for a primitive, or reads the number of
/// the invocation.
pub(super) fn has_multiple_invocations(editor: &ModuleEditor) -> bool {
    let is_repeated = |mode: &Instruction| {
        matches!(
            mode.operands[..],
            [
                _,
                Operand::ExecutionMode(ExecutionMode::Invocations),
                Operand::LiteralBit32(2..),
            ]
        )
    };
    editor.module().execution_modes.iter().any(is_repeated)
        || reads_builtin(editor, BuiltIn::InvocationId)
}

/// Returns true if a geometry program reads clip distances.
pub(super) fn reads_clip_distances(editor: &ModuleEditor) -> bool {
    editor.has_execution_model(&[ExecutionModel::Geometry])
        && reads_builtin(editor, BuiltIn::ClipDistance)
}

/// Returns true if a program other than a fragment or compute program reads a number within
/// subgroups.
pub(super) fn reads_unsupported_subgroups(editor: &ModuleEditor) -> bool {
    let able = [ExecutionModel::Fragment, ExecutionModel::GLCompute];
    !editor.has_execution_model(&able)
        && SUBGROUP_BUILTINS
            .iter()
            .any(|builtin| reads_builtin(editor, *builtin))
}

/// Returns true if a program queries whether it is a helper invocation.
pub(super) fn reads_helper_invocation(editor: &ModuleEditor) -> bool {
    reads_builtin(editor, BuiltIn::HelperInvocation) || editor.has_op(&[Op::IsHelperInvocationEXT])
}

/// Returns true if a fragment program reads the number of its primitive.
pub(super) fn reads_primitive_id(editor: &ModuleEditor) -> bool {
    editor.has_execution_model(&[ExecutionModel::Fragment])
        && reads_builtin(editor, BuiltIn::PrimitiveId)
}

/// Returns true if a built-in variable, or a structure with a built-in member, is an input of the
/// program.
fn reads_builtin(editor: &ModuleEditor, builtin: BuiltIn) -> bool {
    let wanted = [
        Operand::Decoration(Decoration::BuiltIn),
        Operand::BuiltIn(builtin),
    ];
    // The decoration of a member follows its index.
    let is_builtin = |it: &&Instruction| it.operands.ends_with(&wanted);
    let decorated = editor.module().annotations.iter().filter(is_builtin);
    let targets: Vec<Word> = decorated.filter_map(|it| it.id_operand(0)).collect();
    let mut inputs = editor.iter_variables(&[StorageClass::Input]);
    inputs.any(|(id, _)| {
        let ty = editor
            .pointee_type(id)
            .map(|ty| get_innermost_element_type(editor, ty));
        targets
            .iter()
            .any(|target| *target == id || Some(*target) == ty)
    })
}

/// Returns the type of the elements of an array, or of arrays of arrays; other types are returned
/// unchanged.
fn get_innermost_element_type(editor: &ModuleEditor, mut ty: Word) -> Word {
    while let Some(element) = editor.array_element_type(ty) {
        ty = element;
    }
    ty
}

/// Returns true if the module samples textures with integer texels, without comparison or
/// projection.
pub(super) fn samples_integer_textures(editor: &ModuleEditor) -> bool {
    let samples = [Op::ImageSampleImplicitLod, Op::ImageSampleExplicitLod];
    accesses_images(editor, &samples, |image| {
        let ty = editor.find_global(image.sampled_type);
        ty.is_some_and(|ty| ty.op() == Op::TypeInt)
    })
}

/// Returns true if a sampled comparison with texels has a bias or gradients.
pub(super) fn compares_with_bias_or_gradients(editor: &ModuleEditor) -> bool {
    let ops = [
        Op::ImageSampleDrefImplicitLod,
        Op::ImageSampleProjDrefImplicitLod,
        Op::ImageSampleDrefExplicitLod,
        Op::ImageSampleProjDrefExplicitLod,
    ];
    let given = ImageOperands::BIAS | ImageOperands::GRAD;
    let compared = editor.instructions().filter(|it| ops.contains(&it.op()));
    compared
        .flat_map(|it| &it.operands)
        .any(|operand| match operand {
            Operand::ImageOperands(operands) => operands.intersects(given),
            _ => false,
        })
}

/// Returns true if a variable or member of the module has the decoration `Invariant`.
pub(super) fn has_invariant_decoration(editor: &ModuleEditor) -> bool {
    let mut decorations = editor
        .module()
        .annotations
        .iter()
        .flat_map(|it| &it.operands);
    decorations.any(|it| *it == Operand::Decoration(Decoration::Invariant))
}

/// Returns true if a uniform variable is an array of uniform buffers.
pub(super) fn has_buffer_arrays(editor: &ModuleEditor) -> bool {
    let mut buffers = editor.iter_variables(&[StorageClass::Uniform]);
    buffers.any(|(id, _)| {
        let element = editor
            .pointee_type(id)
            .and_then(|ty| editor.array_element_type(ty));
        element.is_some_and(|it| editor.is_decorated(it, Decoration::Block))
    })
}

/// Returns true if there are atomic operations on images that an access chain selects, such as
/// elements of arrays.
pub(super) fn has_element_atomics(editor: &ModuleEditor) -> bool {
    let with_op = |op: Op| editor.instructions().filter(move |it| it.op() == op);
    let chains = with_op(Op::AccessChain);
    let elements: HashSet<Word> = chains.filter_map(|chain| chain.result_id).collect();
    let mut images = with_op(Op::ImageTexelPointer).filter_map(|pointer| pointer.id_operand(0));
    images.any(|image| elements.contains(&image))
}

/// Returns true if an input or output of a vertex is an array of arrays; tessellation programs have
/// an array of vertices around it.
pub(super) fn passes_nested_arrays(editor: &ModuleEditor) -> bool {
    let has_vertices = editor.has_execution_model(TESSELLATION);
    let mut variables = editor.iter_variables(&[StorageClass::Input, StorageClass::Output]);
    variables.any(|(id, _)| {
        let mut ty = editor.pointee_type(id);
        for _ in 0..1 + usize::from(has_vertices) {
            ty = ty.and_then(|ty| editor.array_element_type(ty));
        }
        ty.is_some_and(|ty| editor.array_element_type(ty).is_some())
    })
}

/// Returns true if GLSL ES has a format for images: GLSL ES 3.10, section 4.4.7.
pub(super) fn is_essl_image_format(format: ImageFormat) -> bool {
    is_single_32_bit_component(format)
        || matches!(
            format,
            ImageFormat::Rgba32f
                | ImageFormat::Rgba16f
                | ImageFormat::Rgba8
                | ImageFormat::Rgba8Snorm
                | ImageFormat::Rgba32i
                | ImageFormat::Rgba16i
                | ImageFormat::Rgba8i
                | ImageFormat::Rgba32ui
                | ImageFormat::Rgba16ui
                | ImageFormat::Rgba8ui
        )
}

/// Returns true if a format is one component of 32 bits.
fn is_single_32_bit_component(format: ImageFormat) -> bool {
    matches!(
        format,
        ImageFormat::R32f | ImageFormat::R32i | ImageFormat::R32ui
    )
}

/// Returns true if an image that is neither read-only nor write-only has a format of several
/// components or of fewer than 32 bits, which GLSL ES 3.10 excludes in section 4.9.
pub(super) fn reads_and_writes_wide_images(editor: &ModuleEditor) -> bool {
    let is_wide = |image: &ImageType| {
        image.is_storage
            && image.format != ImageFormat::Unknown
            && !is_single_32_bit_component(image.format)
    };
    let wide = editor.find_image_types(is_wide);
    let is_one_way = |id| {
        editor.is_decorated(id, Decoration::NonReadable)
            || editor.is_decorated(id, Decoration::NonWritable)
    };
    let mut images = editor.iter_variables(&[StorageClass::UniformConstant]);
    images.any(|(id, _)| {
        let ty = editor
            .pointee_type(id)
            .map(|ty| get_innermost_element_type(editor, ty));
        ty.is_some_and(|ty| wide.contains_key(&ty)) && !is_one_way(id)
    })
}

/// Returns true if one of the operations accesses an image whose type satisfies `is_wanted`.
fn accesses_images(
    editor: &ModuleEditor,
    ops: &[Op],
    is_wanted: impl Fn(&ImageType) -> bool,
) -> bool {
    let types = editor.find_image_types(is_wanted);
    let is_image = |id| types.contains_key(&editor.type_of(id));
    !types.is_empty()
        && editor
            .instructions()
            .any(|access| ops.contains(&access.op()) && access.id_operand(0).is_some_and(is_image))
}
