//! What languages lack as SPIRV-Cross writes them, found in the module before it is written, so that errors name it in one way.
//!
//! What shows in the finished GLSL only is in [`glsl_words`](super::glsl_words).

use super::image_types::{accesses, has_type, is_in_essl, reads_and_writes_wide_images};
use crate::Language;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel, ImageOperands, Op,
    StorageClass, Word,
};
use std::collections::HashSet;

/// Something that modules may contain, and the first version of each language that has it.
struct Limit {
    /// The name in messages, a plural.
    what: &'static str,
    /// Decides whether a module contains it.
    is_in: fn(&Module) -> bool,
    /// First version of GLSL; [`VULKAN`] for GLSL for Vulkan only.
    glsl: u32,
    /// First version of GLSL ES.
    essl: u32,
    /// First shader model.
    hlsl: u32,
    /// First version of MSL.
    msl: u32,
}

/// No version.
const NEVER: u32 = u32::MAX;
/// GLSL for Vulkan only.
const VULKAN: u32 = 1000;

/// Numbers within subgroups.
const SUBGROUP: [BuiltIn; 7] = [
    BuiltIn::SubgroupLocalInvocationId,
    BuiltIn::SubgroupSize,
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
];

/// The limits. Versions with 0 have no limit of their own: the writer has it in all of them, or the compiler refuses it first.
static LIMITS: &[Limit] = &[
    Limit {
        what: "geometry programs",
        is_in: |module| is_stage(module, ExecutionModel::Geometry),
        glsl: 330,
        essl: 320,
        hlsl: 50,
        msl: NEVER,
    },
    Limit {
        what: "tessellation programs",
        is_in: |module| {
            is_stage(module, ExecutionModel::TessellationControl)
                || is_stage(module, ExecutionModel::TessellationEvaluation)
        },
        glsl: 400,
        essl: 320,
        hlsl: NEVER,
        msl: 20,
    },
    Limit {
        what: "compute programs",
        is_in: |module| is_stage(module, ExecutionModel::GLCompute),
        glsl: 430,
        essl: 310,
        hlsl: 50,
        msl: 20,
    },
    Limit {
        what: "tessellation of isolines",
        is_in: |module| has_mode(module, ExecutionMode::Isolines),
        glsl: 400,
        essl: 320,
        hlsl: NEVER,
        msl: NEVER,
    },
    Limit {
        what: "vertex streams",
        is_in: |module| has_op(module, &[Op::EmitStreamVertex, Op::EndStreamPrimitive]),
        glsl: 400,
        essl: NEVER,
        hlsl: NEVER,
        msl: NEVER,
    },
    Limit {
        what: "several invocations of geometry programs",
        is_in: |module| invocations(module) > 1 || reads(module, BuiltIn::InvocationId),
        glsl: 400,
        essl: 320,
        hlsl: NEVER,
        msl: 0,
    },
    Limit {
        what: "clip distances as inputs of geometry programs",
        is_in: |module| {
            is_stage(module, ExecutionModel::Geometry) && reads(module, BuiltIn::ClipDistance)
        },
        glsl: 0,
        essl: 0,
        hlsl: NEVER,
        msl: NEVER,
    },
    Limit {
        what: "point sizes as inputs",
        is_in: |module| reads(module, BuiltIn::PointSize),
        glsl: 0,
        essl: 0,
        hlsl: NEVER,
        msl: 0,
    },
    Limit {
        what: "numbers within subgroups in vertex and tessellation programs",
        is_in: |module| {
            let is_it = |stage| is_stage(module, stage);
            let mut able = [ExecutionModel::Fragment, ExecutionModel::GLCompute].into_iter();
            !able.any(is_it) && SUBGROUP.iter().any(|builtin| reads(module, *builtin))
        },
        glsl: 0,
        essl: 0,
        hlsl: 0,
        msl: NEVER,
    },
    Limit {
        what: "viewports as inputs",
        is_in: |module| reads(module, BuiltIn::ViewportIndex),
        glsl: 430,
        essl: NEVER,
        hlsl: NEVER,
        msl: 0,
    },
    Limit {
        what: "positions of samples",
        is_in: |module| reads(module, BuiltIn::SamplePosition),
        glsl: 400,
        essl: 320,
        hlsl: NEVER,
        msl: 0,
    },
    Limit {
        what: "draw numbers",
        is_in: |module| reads(module, BuiltIn::DrawIndex),
        glsl: 0,
        essl: NEVER,
        hlsl: NEVER,
        msl: NEVER,
    },
    Limit {
        what: "helper invocations",
        is_in: |module| {
            reads(module, BuiltIn::HelperInvocation) || has_op(module, &[Op::IsHelperInvocationEXT])
        },
        glsl: 450,
        essl: 310,
        hlsl: 60,
        msl: 21,
    },
    Limit {
        what: "stencil values of fragments",
        is_in: |module| has_capability(module, Capability::StencilExportEXT),
        glsl: 0,
        essl: NEVER,
        hlsl: NEVER,
        msl: 21,
    },
    Limit {
        what: "numbers of levels",
        is_in: |module| has_op(module, &[Op::ImageQueryLevels]),
        glsl: 430,
        essl: NEVER,
        hlsl: 0,
        msl: 0,
    },
    Limit {
        what: "sample counts of textures and images",
        is_in: |module| has_op(module, &[Op::ImageQuerySamples]),
        glsl: 450,
        essl: NEVER,
        hlsl: 0,
        msl: 0,
    },
    Limit {
        what: "gathering texels",
        is_in: |module| has_op(module, &[Op::ImageGather, Op::ImageDrefGather]),
        glsl: 400,
        essl: 310,
        hlsl: 0,
        msl: 0,
    },
    Limit {
        what: "fine and coarse derivatives",
        is_in: |module| has_capability(module, Capability::DerivativeControl),
        glsl: 400,
        essl: NEVER,
        hlsl: 0,
        msl: 0,
    },
    Limit {
        what: "images",
        is_in: |module| has_type(module, |image| image.is_storage),
        glsl: 420,
        essl: 310,
        hlsl: 0,
        msl: 0,
    },
    Limit {
        what: "images without formats",
        is_in: |module| has_type(module, |image| image.is_storage && image.is_unformatted),
        glsl: 0,
        essl: NEVER,
        hlsl: 0,
        msl: 0,
    },
    Limit {
        what: "images of this format",
        is_in: |module| {
            has_type(module, |image| {
                image.is_storage && !image.is_unformatted && !is_in_essl(image.format)
            })
        },
        glsl: 0,
        essl: NEVER,
        hlsl: 0,
        msl: 0,
    },
    Limit {
        what: "images of this format that are read and written",
        is_in: reads_and_writes_wide_images,
        glsl: 0,
        essl: NEVER,
        hlsl: 0,
        msl: 0,
    },
    // SPIRV-Cross makes coordinates of them with a component too many.
    Limit {
        what: "images of one-dimensional arrays",
        is_in: |module| {
            has_type(module, |image| {
                image.is_storage && image.is_arrayed && image.dim == Dim::Dim1D
            })
        },
        glsl: 0,
        essl: NEVER,
        hlsl: 0,
        msl: 0,
    },
    Limit {
        what: "images of cube map arrays",
        is_in: |module| {
            has_type(module, |image| {
                image.is_storage && image.is_arrayed && image.dim == Dim::DimCube
            })
        },
        glsl: 420,
        essl: 320,
        hlsl: NEVER,
        msl: 0,
    },
    Limit {
        what: "images with several samples",
        is_in: |module| has_type(module, |image| image.is_storage && image.is_multisample),
        glsl: 420,
        essl: NEVER,
        hlsl: 67,
        msl: 0,
    },
    Limit {
        what: "images of cube maps",
        is_in: |module| {
            has_type(module, |image| {
                image.is_storage && image.dim == Dim::DimCube
            })
        },
        glsl: 420,
        essl: 310,
        hlsl: NEVER,
        msl: 0,
    },
    Limit {
        what: "filtered integer textures",
        is_in: |module| {
            let samples = [Op::ImageSampleImplicitLod, Op::ImageSampleExplicitLod];
            accesses(module, &samples, |image| {
                let ty = definition(module, image.sampled_type);
                ty.is_some_and(|ty| ty.class.opcode == Op::TypeInt)
            })
        },
        glsl: 0,
        essl: 0,
        hlsl: 67,
        msl: 0,
    },
    Limit {
        what: "arrays of uniform buffers",
        is_in: has_buffer_arrays,
        glsl: 0,
        essl: 0,
        hlsl: 51,
        msl: 0,
    },
    Limit {
        what: "levels of detail of one-dimensional textures",
        is_in: |module| {
            accesses(module, &[Op::ImageQueryLod], |image| {
                image.dim == Dim::Dim1D
            })
        },
        glsl: 0,
        essl: 0,
        hlsl: 0,
        msl: NEVER,
    },
    Limit {
        what: "arrays of images with atomic operations",
        is_in: changes_elements,
        glsl: 0,
        essl: 0,
        hlsl: 0,
        msl: 31,
    },
    Limit {
        what: "invariant positions",
        is_in: |module| {
            let mut decorations = module.annotations.iter().flat_map(|it| &it.operands);
            decorations.any(|it| *it == Operand::Decoration(Decoration::Invariant))
        },
        glsl: 0,
        essl: 0,
        hlsl: 0,
        msl: 21,
    },
    Limit {
        what: "arrays of textures with several samples",
        is_in: |module| has_type(module, |image| image.is_arrayed && image.is_multisample),
        glsl: 0,
        essl: 0,
        hlsl: 0,
        msl: 21,
    },
    Limit {
        what: "sample masks after the depth test",
        is_in: |module| has_mode(module, ExecutionMode::PostDepthCoverage),
        glsl: 0,
        essl: 0,
        hlsl: 0,
        msl: 23,
    },
    Limit {
        what: "queries of levels of detail",
        is_in: |module| has_op(module, &[Op::ImageQueryLod]),
        glsl: 0,
        essl: 0,
        hlsl: 0,
        msl: 22,
    },
    Limit {
        what: "numbers of primitives",
        is_in: |module| {
            is_stage(module, ExecutionModel::Fragment) && reads(module, BuiltIn::PrimitiveId)
        },
        glsl: 0,
        essl: 0,
        hlsl: 0,
        msl: 22,
    },
    Limit {
        what: "interpolation functions",
        is_in: |module| has_capability(module, Capability::InterpolationFunction),
        // Unused ones are not written: in GLSL they show in the text only.
        glsl: 0,
        essl: 0,
        hlsl: 0,
        msl: 23,
    },
    Limit {
        what: "biases and gradients of comparisons",
        is_in: |module| {
            let ops = [
                Op::ImageSampleDrefImplicitLod,
                Op::ImageSampleProjDrefImplicitLod,
                Op::ImageSampleDrefExplicitLod,
                Op::ImageSampleProjDrefExplicitLod,
            ];
            let given = ImageOperands::BIAS | ImageOperands::GRAD;
            let mut compared = module
                .all_inst_iter()
                .filter(|it| ops.contains(&it.class.opcode));
            compared.any(|it| {
                it.operands.iter().any(|operand| match operand {
                    Operand::ImageOperands(operands) => operands.intersects(given),
                    _ => false,
                })
            })
        },
        glsl: 0,
        essl: 0,
        hlsl: 0,
        msl: 23,
    },
    Limit {
        what: "arrays of arrays between programs",
        is_in: passes_nested_arrays,
        glsl: 0,
        essl: 0,
        hlsl: 0,
        msl: NEVER,
    },
    Limit {
        what: "samplers of other textures",
        is_in: |module| has_op(module, &[Op::SampledImage]),
        glsl: VULKAN,
        essl: NEVER,
        hlsl: 0,
        msl: 0,
    },
    Limit {
        what: "gradients and levels of shadow cube map arrays",
        is_in: |module| {
            accesses(module, &[Op::ImageSampleDrefExplicitLod], |image| {
                image.is_depth && image.is_arrayed && image.dim == Dim::DimCube
            })
        },
        glsl: NEVER,
        essl: NEVER,
        hlsl: 0,
        msl: 0,
    },
    Limit {
        what: "clocks",
        is_in: |module| has_op(module, &[Op::ReadClockKHR]),
        // Unused ones are not written: in GLSL they show in the text only.
        glsl: 0,
        essl: 0,
        hlsl: NEVER,
        msl: NEVER,
    },
    Limit {
        what: "shuffles within subgroups",
        is_in: |module| {
            let shuffles = [
                Op::GroupNonUniformShuffle,
                Op::GroupNonUniformQuadSwap,
                Op::GroupNonUniformQuadBroadcast,
            ];
            has_op(module, &shuffles)
        },
        glsl: VULKAN,
        essl: NEVER,
        hlsl: 0,
        msl: 0,
    },
];

/// Refuses a module that contains what the language lacks; the message names it and the languages of GLSL that have it.
pub(super) fn check(module: &Module, language: Language) -> Result<(), String> {
    let lacks = |limit: &&Limit| first_version(limit, language) > version(language);
    match LIMITS
        .iter()
        .filter(lacks)
        .find(|limit| (limit.is_in)(module))
    {
        Some(limit) => Err(refuse(limit, language)),
        None => Ok(()),
    }
}

fn version(language: Language) -> u32 {
    match language {
        Language::VulkanGlsl | Language::Wgsl => VULKAN,
        Language::Glsl(version)
        | Language::Essl(version)
        | Language::Hlsl(version)
        | Language::Msl(version) => version,
    }
}

fn first_version(limit: &Limit, language: Language) -> u32 {
    match language {
        Language::Glsl(_) | Language::VulkanGlsl => limit.glsl,
        Language::Essl(_) => limit.essl,
        Language::Hlsl(_) => limit.hlsl,
        Language::Msl(_) => limit.msl,
        Language::Wgsl => 0,
    }
}

/// Returns the message: what is missing, and the first version of the same language that has it, else those of GLSL.
fn refuse(limit: &Limit, language: Language) -> String {
    let least = |of: Language| {
        let mut all = Language::ALL.iter().copied();
        all.find(|it| it.family() == of.family() && version(*it) >= first_version(limit, *it))
    };
    let able: Vec<String> = match least(language) {
        Some(newer) => vec![newer.to_string()],
        None => [Language::Glsl(0), Language::Essl(0), Language::VulkanGlsl]
            .into_iter()
            .filter(|other| other.family() != language.family())
            .filter_map(least)
            .take(1)
            .map(|it| it.to_string())
            .collect(),
    };
    let what = limit.what;
    match able.as_slice() {
        [] => format!("{language} has no {what}; SPIR-V has them"),
        able => format!("{language} has no {what}; {} has them", able.join(" or ")),
    }
}

fn is_stage(module: &Module, stage: ExecutionModel) -> bool {
    let mut entries = module.entry_points.iter();
    entries.any(|entry| entry.operands.first() == Some(&Operand::ExecutionModel(stage)))
}

fn has_mode(module: &Module, mode: ExecutionMode) -> bool {
    let mut modes = module.execution_modes.iter();
    modes.any(|it| it.operands.get(1) == Some(&Operand::ExecutionMode(mode)))
}

fn has_capability(module: &Module, capability: Capability) -> bool {
    let mut declared = module.capabilities.iter();
    declared.any(|it| it.operands.first() == Some(&Operand::Capability(capability)))
}

pub(super) fn has_op(module: &Module, ops: &[Op]) -> bool {
    module
        .all_inst_iter()
        .any(|instruction| ops.contains(&instruction.class.opcode))
}

/// Returns how often a geometry program runs for a primitive, 0 for other programs.
fn invocations(module: &Module) -> u32 {
    let mut modes = module.execution_modes.iter();
    let number = modes.find_map(|mode| match mode.operands[..] {
        [
            _,
            Operand::ExecutionMode(ExecutionMode::Invocations),
            Operand::LiteralBit32(number),
        ] => Some(number),
        _ => None,
    });
    number.unwrap_or(0)
}

/// Decides whether a built-in variable is an input of the program.
fn reads(module: &Module, builtin: BuiltIn) -> bool {
    let is_builtin = |it: &&Instruction| {
        it.operands.get(1) == Some(&Operand::Decoration(Decoration::BuiltIn))
            && it.operands.get(2) == Some(&Operand::BuiltIn(builtin))
            || it.operands.get(2) == Some(&Operand::Decoration(Decoration::BuiltIn))
                && it.operands.get(3) == Some(&Operand::BuiltIn(builtin))
    };
    let mut decorated = module.annotations.iter().filter(is_builtin);
    decorated.any(|it| {
        let target = it.operands.first().and_then(Operand::id_ref_any);
        target.is_some_and(|target| is_input(module, target))
    })
}

/// Decides whether a variable, or a variable of a structure, is an input.
fn is_input(module: &Module, target: Word) -> bool {
    let inputs = module.types_global_values.iter().filter(|it| {
        it.class.opcode == Op::Variable
            && it.operands.first() == Some(&Operand::StorageClass(StorageClass::Input))
    });
    inputs.into_iter().any(|variable| {
        variable.result_id == Some(target)
            || variable
                .result_type
                .and_then(|pointer| pointee(module, pointer))
                .is_some_and(|ty| innermost(module, ty) == target)
    })
}

fn definition(module: &Module, id: Word) -> Option<&Instruction> {
    let mut globals = module.types_global_values.iter();
    globals.find(|it| it.result_id == Some(id))
}

/// Returns the type that a type of pointers points at.
fn pointee(module: &Module, pointer: Word) -> Option<Word> {
    definition(module, pointer)?.operands.get(1)?.id_ref_any()
}

/// Returns the type of the elements of an array, or of arrays of arrays; other types are returned unchanged.
fn innermost(module: &Module, mut ty: Word) -> Word {
    while let Some(element) = element_of(module, ty) {
        ty = element;
    }
    ty
}

fn element_of(module: &Module, ty: Word) -> Option<Word> {
    let array = definition(module, ty)?;
    match array.class.opcode {
        Op::TypeArray | Op::TypeRuntimeArray => array.operands.first()?.id_ref_any(),
        _ => None,
    }
}

/// Decides whether a descriptor is an array of uniform buffers.
fn has_buffer_arrays(module: &Module) -> bool {
    let mut globals = module.types_global_values.iter();
    globals.any(|variable| {
        let class = Operand::StorageClass(StorageClass::Uniform);
        let is_uniform =
            variable.class.opcode == Op::Variable && variable.operands.first() == Some(&class);
        let ty = variable.result_type.and_then(|it| pointee(module, it));
        let element = ty.and_then(|ty| element_of(module, ty));
        is_uniform
            && element.is_some_and(|element| {
                let block = [
                    Operand::IdRef(element),
                    Operand::Decoration(Decoration::Block),
                ];
                module.annotations.iter().any(|it| it.operands == block)
            })
    })
}

/// Decides whether there are atomic operations on elements of arrays of images.
fn changes_elements(module: &Module) -> bool {
    let of_opcode = |opcode: Op| {
        let all = module.all_inst_iter();
        all.filter(move |it| it.class.opcode == opcode)
    };
    let elements: HashSet<Word> = of_opcode(Op::AccessChain)
        .filter_map(|chain| chain.result_id)
        .collect();
    of_opcode(Op::ImageTexelPointer)
        .any(|pointer| operand(pointer, 0).is_some_and(|image| elements.contains(&image)))
}

pub(super) fn operand(instruction: &Instruction, place: usize) -> Option<Word> {
    instruction.operands.get(place)?.id_ref_any()
}

/// Decides whether an input or output of a vertex is an array of arrays; tessellation programs have an array of vertices around it.
fn passes_nested_arrays(module: &Module) -> bool {
    let has_vertices = is_stage(module, ExecutionModel::TessellationControl)
        || is_stage(module, ExecutionModel::TessellationEvaluation);
    let of_vertex = |ty: Option<Word>| {
        if has_vertices {
            ty.and_then(|ty| element_of(module, ty))
        } else {
            ty
        }
    };
    module.types_global_values.iter().any(|variable| {
        let passes = matches!(
            variable.operands.first(),
            Some(Operand::StorageClass(
                StorageClass::Input | StorageClass::Output
            ))
        );
        let ty = variable.result_type.and_then(|it| pointee(module, it));
        let element = of_vertex(ty).and_then(|ty| element_of(module, ty));
        passes
            && variable.class.opcode == Op::Variable
            && element.is_some_and(|it| element_of(module, it).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::dr::Builder;

    fn geometry_module(streams: bool) -> Module {
        let mut builder = Builder::new();
        let void = builder.type_void();
        let kind = builder.type_function(void, []);
        let main = builder
            .begin_function(void, None, rspirv::spirv::FunctionControl::NONE, kind)
            .unwrap();
        builder.begin_block(None).unwrap();
        if streams {
            let uint = builder.type_int(32, 0);
            let stream = builder.constant_bit32(uint, 1);
            builder.emit_stream_vertex(stream).unwrap();
        }
        builder.ret().unwrap();
        builder.end_function().unwrap();
        builder.entry_point(ExecutionModel::Geometry, main, "main", []);
        builder.module()
    }

    #[test]
    fn languages_are_named_that_have_it() {
        let check = |language| check(&geometry_module(true), language);
        assert_eq!(
            check(Language::Msl(24)).unwrap_err(),
            "msl24 has no geometry programs; glsl330 has them"
        );
        assert_eq!(
            check(Language::Glsl(330)).unwrap_err(),
            "glsl330 has no vertex streams; glsl400 has them"
        );
        assert_eq!(
            check(Language::Essl(320)).unwrap_err(),
            "essl320 has no vertex streams; glsl400 has them"
        );
        assert_eq!(
            check(Language::Hlsl(60)).unwrap_err(),
            "hlsl60 has no vertex streams; glsl400 has them"
        );
        assert_eq!(check(Language::Glsl(400)), Ok(()));
    }

    #[test]
    fn programs_within_the_limits_pass() {
        for language in [Language::Glsl(330), Language::Essl(320), Language::Hlsl(60)] {
            assert_eq!(check(&geometry_module(false), language), Ok(()));
        }
    }
}
