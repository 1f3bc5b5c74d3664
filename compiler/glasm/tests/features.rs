//! Every feature of devices: a program that requires it on a device that has all of them, and what
//! becomes of the program on a device that lacks it.

use glasm::{
    Capture, Code, DeviceFeatures, Diagnostics, Location, Options, PipelineState, Semantic, Shader,
    Source, TransformFeedback, compile, is_feature,
};
use std::collections::BTreeSet;

/// Result of a program on a device without a feature.
#[derive(Clone, Copy)]
enum Without {
    /// The module consists of other instructions.
    Replaced,
    /// An error that names a feature, at the start of the first occurrence of this statement; an
    /// empty text denotes the whole program.
    Error {
        feature: &'static str,
        place: &'static str,
    },
}

/// A program that requires a feature.
struct Case {
    /// The feature, then others that the device lacks, too: those by which the compiler replaces
    /// the feature.
    lacking: &'static [&'static str],
    program: &'static str,
    without: Without,
    /// Stream of position in transform feedback buffer 0, if it is captured.
    stream: Option<u32>,
    /// The enabled clip planes, as a mask.
    clip_plane_mask: u8,
}

/// Returns a case in which the compiler emits other instructions.
const fn replaced(lacking: &'static [&'static str], program: &'static str) -> Case {
    Case {
        lacking,
        program,
        without: Without::Replaced,
        stream: None,
        clip_plane_mask: 0,
    }
}

/// Returns a case in which the program has an error at `place`, which names the first feature.
const fn error(
    lacking: &'static [&'static str],
    program: &'static str,
    place: &'static str,
) -> Case {
    let feature = lacking[0];
    Case {
        without: Without::Error { feature, place },
        ..replaced(lacking, program)
    }
}

/// Returns a case in which the position is captured in `stream` and the whole program has an error.
const fn captured(feature: &'static [&'static str], program: &'static str, stream: u32) -> Case {
    Case {
        stream: Some(stream),
        ..error(feature, program, "")
    }
}

/// Returns a case in which clip planes are enabled and the whole program has an error.
const fn clipped(lacking: &'static [&'static str], program: &'static str) -> Case {
    Case {
        clip_plane_mask: 0b100,
        ..error(lacking, program, "")
    }
}

const STREAMS: &str = "!!NVgp5.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\n\
    MOV result.position, vertex[0].position;\nEMITS 1;\nEND";
const STENCIL: &str = "FRAG\nDCL OUT[0], STENCIL\nDCL CONST[0]\n0: MOV OUT[0].y, CONST[0]\n1: END";

#[rustfmt::skip]
static CASES: &[Case] = &[
    error(&["subgroups"], "!!NVfp5.0\nOPTION NV_shader_thread_group;\nTEMP r;\nTGALL.S r, fragment.texcoord[0];\nMOV result.color, r;\nEND",
        "TGALL.S r, fragment.texcoord[0];"),
    error(&["shaderFloat64"], "!!NVvp5.0\nLONG TEMP a;\nMOV.F64 a.x, {1.5};\nADD.F64 a.x, vertex.position.x, a.x;\n\
        CVT.F32.F64 result.position, a.x;\nEND", "ADD.F64 a.x, vertex.position.x, a.x;"),
    replaced(&["shaderInt64"], "!!NVfp5.0\nLONG TEMP a;\nTEMP r;\nPK64.U a.x, program.local[0];\nMUL.U64 a.x, a.x, a.x;\n\
        UP64.U r.xy, a.x;\nMOV result.color, r.xyxy;\nEND"),
    Case {
        without: Without::Error { feature: "shaderInt16", place: "STORE.U16 r, a.x;" },
        ..replaced(&["storageBuffer16BitAccess"], STORE_16)
    },
    error(&["shaderInt16"], STORE_16, "STORE.U16 r, a.x;"),
    Case {
        without: Without::Error { feature: "shaderInt8", place: "STORE.U8 r, a.x;" },
        ..replaced(&["storageBuffer8BitAccess"], STORE_8)
    },
    error(&["shaderInt8"], STORE_8, "STORE.U8 r, a.x;"),
    error(&["bufferDeviceAddress"], STORE_8, "STORE.U8 r, a.x;"),
    error(&["shaderBufferInt64Atomics"], "!!NVcp5.0\nGROUP_SIZE 1;\nLONG TEMP a, l;\nPK64.U a.x, program.local[0];\n\
        ATOM.ADD.U64 l.x, a.x, a.x;\nEND", "ATOM.ADD.U64 l.x, a.x, a.x;"),
    error(&["shaderSharedInt64Atomics"], "!!NVcp5.0\nOPTION NV_shader_atomic_int64;\nGROUP_SIZE 1;\nSHARED_MEMORY 8;\n\
        SHARED m[] = { program.sharedmem };\nLONG TEMP a, l;\nPK64.U a.x, program.local[0];\nATOMS.ADD.U64 l.x, a.x, m[0];\nEND",
        "ATOMS.ADD.U64 l.x, a.x, m[0];"),
    replaced(&["signedAtomics"], "!!NVcp5.0\nOPTION NV_shader_storage_buffer;\nGROUP_SIZE 1;\nSTORAGE s[] = { program.storage[0] };\nTEMP r;\n\
        ATOMB.MIN.S32 r.x, program.local[0].x, s[0];\nEND"),
    replaced(&["shaderBufferFloat32AtomicAdd"], "!!NVcp5.0\nOPTION NV_shader_atomic_float;\nGROUP_SIZE 1;\nLONG TEMP a;\nTEMP r;\n\
        PK64.U a.x, program.local[0];\nATOM.ADD.F32 r.x, program.local[1].x, a.x;\nEND"),
    replaced(&["shaderBufferFloat64AtomicAdd"], "!!NVcp5.0\nOPTION NV_shader_atomic_float64;\nGROUP_SIZE 1;\nLONG TEMP a, l;\n\
        PK64.U a.x, program.local[0];\nATOM.ADD.F64 l.x, a.x, a.x;\nEND"),
    replaced(&["shaderDrawParameters"], "!!NVvp4.0\nTEMP r;\nI2F r, vertex.instance;\nMOV result.position, r;\nEND"),
    replaced(&["shaderDemoteToHelperInvocation"], "!!ARBfp1.0\nKIL fragment.texcoord[0];\nMOV result.color, fragment.color;\nEND"),
    error(&["imageCubeArray"], "!!NVfp5.0\nTEX result.color, fragment.texcoord[0], texture[0], ARRAYCUBE;\nEND",
        "TEX result.color, fragment.texcoord[0], texture[0], ARRAYCUBE;"),
    error(&["imageCubeArray"], "!!NVcp5.0\nGROUP_SIZE 1;\nTEMP r;\nMOV.U r, program.local[0];\nSTOREIM.U32 image[0], r, r, ARRAYCUBE;\nEND",
        "STOREIM.U32 image[0], r, r, ARRAYCUBE;"),
    error(&["shaderImageGatherExtended"], "!!NVfp5.0\nTEMP o, r;\nMOV.S o, fragment.texcoord[1];\n\
        TXGO r, fragment.texcoord[0], o, o, texture[0].x, 2D;\nMOV result.color, r;\nEND",
        "TXGO r, fragment.texcoord[0], o, o, texture[0].x, 2D;"),
    replaced(&["shaderSampledImageArrayDynamicIndexing"], "!!NVfp5.0\nTEXTURE t[] = { texture[2..5] };\nTEMP i;\nMOV.S i, program.local[0];\n\
        TXF result.color, {2, 0, 0, 0}, t[i.x], 2D;\nEND"),
    replaced(&["shaderSampledImageArrayNonUniformIndexing"], "!!NVfp5.0\nOPTION NV_bindless_texture;\nLONG TEMP h;\n\
        PK64.U h.x, fragment.texcoord[1];\nTEX result.color, fragment.texcoord[0], handle(h.x), 2D;\nEND"),
    replaced(&["shaderUniformTexelBufferArrayDynamicIndexing"], "!!NVfp5.0\nTEXTURE t[] = { texture[2..5] };\nTEMP i;\nMOV.S i, program.local[0];\n\
        TXF result.color, {2, 0, 0, 0}, t[i.x], BUFFER;\nEND"),
    replaced(&["shaderUniformTexelBufferArrayNonUniformIndexing"], "!!NVfp5.0\nOPTION NV_bindless_texture;\nLONG TEMP h;\nTEMP r;\n\
        PK64.U h.x, fragment.texcoord[1];\nTXF r, {2, 0, 0, 0}, handle(h.x), BUFFER;\nMOV result.color, r;\nEND"),
    replaced(&["shaderUniformBufferArrayDynamicIndexing"], "!!NVfp5.0\nBUFFER b[] = { program.buffer[1..4][2] };\nTEMP i;\n\
        MOV.S i, program.local[0];\nMOV.U result.color, b[i.y];\nEND"),
    replaced(&["shaderUniformBufferArrayNonUniformIndexing"], "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL CONST[0][0]\nDCL CONST[1][0]\n\
        DCL OUT[0], COLOR\nDCL ADDR[0]\n0: UARL ADDR[0].x, IN[0].xxxx\n1: MOV OUT[0], CONST[ADDR[0].x][0]\n2: END"),
    replaced(&["shaderStorageBufferArrayDynamicIndexing"], "!!NVfp5.0\nOPTION NV_shader_storage_buffer;\nSTORAGE s[][] = { program.storage[1..3] };\n\
        TEMP i;\nMOV.S i, program.local[0];\nLDB.U32 i, s[i.x][4];\nMOV.U result.color, i;\nEND"),
    replaced(&["shaderStorageBufferArrayNonUniformIndexing"], "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL BUFFER[0..2]\nDCL OUT[0], COLOR\n\
        DCL TEMP[0]\nDCL ADDR[0]\nIMM[0] UINT32 {4, 0, 0, 0}\n0: UARL ADDR[0].x, IN[0].xxxx\n1: LOAD TEMP[0], BUFFER[ADDR[0].x], IMM[0].xxxx\n\
        2: MOV OUT[0], TEMP[0]\n3: END"),
    replaced(&["robustBufferAccess2"], "!!NVfp5.0\nOPTION NV_shader_storage_buffer;\nSTORAGE s[] = { program.storage[0] };\nTEMP r;\n\
        LDB.F32X4 r, s[16];\nMOV result.color, r;\nEND"),
    error(&["vertexPipelineStoresAndAtomics"], "!!NVvp5.0\nOPTION NV_shader_storage_buffer;\nSTORAGE s[] = { program.storage[0] };\n\
        MOV result.position, vertex.position;\nSTB.F32X4 vertex.position, s[16];\nEND", "STB.F32X4 vertex.position, s[16];"),
    error(&["fragmentStoresAndAtomics"], "!!NVfp5.0\nOPTION NV_shader_storage_buffer;\nSTORAGE s[] = { program.storage[0] };\n\
        MOV result.color, fragment.color;\nSTB.F32X4 fragment.color, s[16];\nEND", "STB.F32X4 fragment.color, s[16];"),
    error(&["shaderClipDistance"], "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.clip[0].x, vertex.position.y;\nEND",
        "MOV result.clip[0].x, vertex.position.y;"),
    error(&["shaderCullDistance"], "VERT\nPROPERTY NUM_CULLDIST_ENABLED 1\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1].x, CLIPDIST\n\
        0: MOV OUT[0], IN[0]\n1: MOV OUT[1].x, IN[0]\n2: END", "MOV OUT[1].x, IN[0]"),
    error(&["VK_EXT_shader_stencil_export"], STENCIL, "MOV OUT[0].y, CONST[0]"),
    error(&["tessellationShader"], "!!NVtep5.0\nTESS_MODE TRIANGLES;\nMOV result.position, vertex.tesscoord;\nEND", ""),
    error(&["geometryShader"], "!!NVgp4.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\nMOV result.position, vertex[0].position;\n\
        EMIT;\nEND", ""),
    error(&["shaderTessellationAndGeometryPointSize"], "!!NVgp4.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\n\
        MOV result.position, vertex[0].position;\nMOV result.pointsize.x, 2;\nEMIT;\nEND", "MOV result.pointsize.x, 2;"),
    error(&["shaderOutputLayer"], "!!NVvp5.0\nOPTION NV_viewport_array2;\nMOV result.position, vertex.position;\n\
        MOV.S result.layer.x, vertex.attrib[1].x;\nEND", "MOV.S result.layer.x, vertex.attrib[1].x;"),
    error(&["shaderOutputViewportIndex"], "!!NVvp5.0\nOPTION NV_viewport_array2;\nMOV result.position, vertex.position;\n\
        MOV.S result.viewport.x, vertex.attrib[1].x;\nEND", "MOV.S result.viewport.x, vertex.attrib[1].x;"),
    error(&["multiViewport"], "!!NVgp5.0\nOPTION NV_viewport_array2;\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\n\
        MOV result.position, vertex[0].position;\nMOV.S result.viewport.x, 1;\nEMIT;\nEND", "MOV.S result.viewport.x, 1;"),
    error(&["sampleRateShading"], "!!NVfp5.0\nMOV.S result.color, fragment.sampleid.x;\nEND", "MOV.S result.color, fragment.sampleid.x;"),
    clipped(&["shaderClipDistance"], "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\nEND"),
    captured(&["transformFeedback"], "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND", 0),
    error(&["geometryStreams"], STREAMS, "EMITS 1;"),
    captured(&["geometryStreams"], "!!NVgp5.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\n\
        MOV result.position, vertex[0].position;\nEMIT;\nEND", 1),
    error(&["subgroupVote"], "!!NVfp5.0\nOPTION NV_shader_thread_group;\nTEMP r;\nTGALL.S r, fragment.texcoord[0];\nMOV result.color, r;\nEND",
        "TGALL.S r, fragment.texcoord[0];"),
    error(&["subgroupBallot"], "!!NVfp5.0\nOPTION NV_shader_thread_group;\nTEMP r;\nTGBALLOT.U r, fragment.texcoord[0];\nMOV result.color, r;\nEND",
        "TGBALLOT.U r, fragment.texcoord[0];"),
    error(&["subgroupShuffle"], "!!NVfp5.0\nOPTION NV_shader_thread_shuffle;\nTEMP r;\nSHFIDX.U r, fragment.texcoord[0].x, 3, 31;\n\
        MOV result.color, r;\nEND", "SHFIDX.U r, fragment.texcoord[0].x, 3, 31;"),
    error(&["subgroupQuad"], "!!NVfp5.0\nOPTION NV_shader_thread_group;\nTEMP r;\nQSWZ0 r, fragment.texcoord[0], 0;\nMOV result.color, r;\nEND",
        "QSWZ0 r, fragment.texcoord[0], 0;"),
    error(&["shaderSubgroupClock"], "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\n0: CLOCK TEMP[0].xy\n1: MOV OUT[0], TEMP[0].xyxy\n2: END",
        "CLOCK TEMP[0].xy"),
    replaced(&["shaderSMBuiltins"], "!!NVfp5.0\nOPTION NV_shader_thread_group;\nMOV.U result.color, fragment.smid.x;\nEND"),
    error(&["shaderStorageImageMultisample"], "!!NVcp5.0\nGROUP_SIZE 1;\nTEMP r;\nMOV.U r, program.local[0];\nSTOREIM.U32 image[0], r, r, 2DMS;\nEND",
        "STOREIM.U32 image[0], r, r, 2DMS;"),
    replaced(&["shaderStorageImageExtendedFormats"], STORE_IMAGE_8),
    error(&["shaderStorageImageExtendedFormats", "shaderStorageImageWriteWithoutFormat"], STORE_IMAGE_8, "STOREIM.U8 image[0], r, r, 2D;"),
    error(&["shaderStorageImageReadWithoutFormat"], "!!NVfp5.0\nOPTION EXT_shader_image_load_formatted;\nTEMP r;\n\
        LOADIM.F r, {1, 0, 0, 0}, image[0], 2D;\nMOV result.color, r;\nEND", "LOADIM.F r, {1, 0, 0, 0}, image[0], 2D;"),
    error(&["shaderStorageImageWriteWithoutFormat"], "!!NVcp5.0\nOPTION EXT_shader_image_load_formatted;\nGROUP_SIZE 1;\nTEMP r;\n\
        MOV.U r, program.local[0];\nSTOREIM.F image[0], r, r, 2D;\nEND", "STOREIM.F image[0], r, r, 2D;"),
    replaced(&["shaderStorageImageArrayDynamicIndexing"], "!!NVcp5.0\nGROUP_SIZE 1;\nIMAGE t[] = { image[0..3] };\nTEMP i;\n\
        MOV.S i, program.local[0];\nSTOREIM.U32 t[i.x], i, i, 2D;\nEND"),
    replaced(&["shaderStorageImageArrayNonUniformIndexing"], "!!NVcp5.0\nOPTION NV_bindless_texture;\nGROUP_SIZE 8;\nLONG TEMP h;\nTEMP r;\n\
        MOV.U r, invocation.localid;\nPK64.U h.x, r;\nSTOREIM.U32 handle(h.x), r, r, 2D;\nEND"),
    replaced(&["shaderStorageTexelBufferArrayDynamicIndexing"], "!!NVcp5.0\nGROUP_SIZE 1;\nIMAGE t[] = { image[0..3] };\nTEMP i;\n\
        MOV.S i, program.local[0];\nSTOREIM.U32 t[i.x], i, i, BUFFER;\nEND"),
    replaced(&["shaderStorageTexelBufferArrayNonUniformIndexing"], "!!NVcp5.0\nOPTION NV_bindless_texture;\nGROUP_SIZE 8;\nLONG TEMP h;\nTEMP r;\n\
        MOV.U r, invocation.localid;\nPK64.U h.x, r;\nSTOREIM.U32 handle(h.x), r, r, BUFFER;\nEND"),
    error(&["VK_EXT_post_depth_coverage"], "!!NVfp5.0\nOPTION NV_early_fragment_tests;\nOPTION EXT_post_depth_coverage;\n\
        MOV.U result.color, fragment.samplemask[0].x;\nEND", "MOV.U result.color, fragment.samplemask[0].x;"),
    replaced(&["VK_EXT_post_depth_coverage"], "!!NVfp5.0\nOPTION NV_early_fragment_tests;\nOPTION EXT_post_depth_coverage;\n\
        MOV result.color, fragment.color;\nEND"),
    replaced(&["VK_NV_viewport_array2"], "!!NVvp5.0\nOPTION NV_viewport_array2;\nMOV result.position, vertex.position;\n\
        MOV.S result.viewportmask[0].x, 5;\nEND"),
    replaced(&["fullyCoveredFragmentShaderInputVariable"], "!!NVfp5.0\nOPTION NV_conservative_raster_underestimation;\n\
        MOV.S result.color, fragment.fullycovered.x;\nEND"),
    error(&["VK_NV_sample_mask_override_coverage"], "!!NVfp5.0\nOPTION NV_sample_mask_override_coverage;\nMOV result.color, fragment.color;\n\
        MOV.S result.samplemask[0].x, 5;\nEND", "MOV.S result.samplemask[0].x, 5;"),
    error(&["fragmentShaderPixelInterlock"], "!!NVfp5.0\nOPTION NV_pixel_interlock_ordered;\nFSIB;\nFSIE;\nMOV result.color, fragment.color;\nEND",
        "FSIB;"),
    error(&["fragmentShaderSampleInterlock"], "!!NVfp5.0\nOPTION NV_sample_interlock_unordered;\nFSIB;\nFSIE;\nMOV result.color, fragment.color;\nEND",
        "FSIB;"),
    replaced(&["shaderResourceResidency"], "!!NVfp5.0\nOPTION EXT_sparse_texture2;\nTEMP r;\n\
        TEX.F.SPARSE r, fragment.texcoord[0], texture[0], 2D;\nMOV r (NONRESIDENT), 0;\nMOV result.color, r;\nEND"),
    replaced(&["shaderResourceMinLod"], "!!NVfp5.0\nOPTION EXT_sparse_texture2;\nTEMP r;\n\
        TEX.F.LODCLAMP r, fragment.texcoord[0], fragment.texcoord[1].x, texture[0], 2D;\nMOV result.color, r;\nEND"),
    replaced(&["shaderSignedZeroInfNanPreserveFloat32"], "!!NVfp5.0\nADD result.color, fragment.color, program.local[0];\nEND"),
    replaced(&["shaderDenormFlushToZeroFloat32"], "!!VP1.0\nADD o[HPOS], v[OPOS], c[0];\nEND"),
];

const STORE_16: &str = "!!NVcp5.0\nGROUP_SIZE 1;\nLONG TEMP a;\nTEMP r;\nPK64.U a.x, program.local[0];\n\
    MOV.U r, program.local[1];\nSTORE.U16 r, a.x;\nEND";
const STORE_8: &str = "!!NVcp5.0\nGROUP_SIZE 1;\nLONG TEMP a;\nTEMP r;\nPK64.U a.x, program.local[0];\n\
    MOV.U r, program.local[1];\nSTORE.U8 r, a.x;\nEND";
const STORE_IMAGE_8: &str = "!!NVcp5.0\nGROUP_SIZE 1;\nTEMP r;\nMOV.U r, program.local[0];\n\
    STOREIM.U8 image[0], r, r, 2D;\nEND";

/// Returns all features that devices may have.
fn all_features() -> DeviceFeatures {
    DeviceFeatures {
        signed_zero_inf_nan_preserve_float32: true,
        denorm_flush_to_zero_float32: true,
        ..DeviceFeatures::default().with(|_| true)
    }
}

/// Compiles the program of a case for a device.
fn compile_case(case: &Case, device: DeviceFeatures) -> Result<Shader, Diagnostics> {
    let captures = case.stream.map(|stream| Capture {
        semantic: Semantic::Position,
        first_component: 0,
        component_count: 4,
        buffer: 0,
        offset: 0,
        stream,
    });
    let pipeline_state = PipelineState {
        clip_plane_mask: case.clip_plane_mask,
        ..PipelineState::default()
    };
    let options = Options {
        device,
        pipeline_state,
        transform_feedback: TransformFeedback {
            captures: captures.into_iter().collect(),
            strides: Vec::new(),
        },
        ..Options::default()
    };
    compile(&Source::new("test", case.program), &options)
}

/// Checks that there is one error, about `feature`, at the first statement `place`. Returns the
/// difference.
fn check_errors(
    errors: &Diagnostics,
    program: &str,
    feature: &str,
    place: &str,
) -> Result<(), String> {
    let [error] = errors.list.as_slice() else {
        return Err(format!("several errors: {errors:?}"));
    };
    if (error.code, error.feature.as_deref()) != (Code::FeatureMissing, Some(feature)) {
        return Err(format!("another error: {error:?}"));
    }
    // Vulkan has no features for the operations of subgroups.
    if !error.message.contains(feature) && is_feature(feature) {
        return Err(format!("the message is {:?}", error.message));
    }
    let is_there = match error.location {
        Location::Span(span) => {
            let found = &program[span.range()];
            let start = program.find(place).filter(|_| !place.is_empty());
            !found.is_empty() && place.starts_with(found) && start == Some(span.range().start)
        }
        Location::WholeProgram => place.is_empty(),
    };
    if is_there {
        Ok(())
    } else {
        Err(format!("the error is at {:?}", error.location))
    }
}

/// Checks that the message of an error names the part of the options that requires the feature, and
/// none if the program does. Returns the message if it does not.
fn check_cause(message: &str, case: &Case) -> Result<(), String> {
    let cause = if case.stream.is_some() {
        Some("transform feedback of the options")
    } else if case.clip_plane_mask != 0 {
        Some("`clip_plane_mask` of the options")
    } else {
        None
    };
    let is_named = match cause {
        Some(cause) => message.ends_with(&format!("which {cause} requires")),
        None => !message.contains("options"),
    };
    if is_named {
        Ok(())
    } else {
        Err(format!("the message is {message:?}"))
    }
}

/// Checks one case. Returns the difference.
fn check_case(case: &Case) -> Result<(), String> {
    let all = all_features();
    let with = compile_case(case, all).map_err(|errors| format!("with all: {errors:?}"))?;
    let feature = case.lacking[0];
    let lists = |shader: &Shader| shader.reflection.requirements.features.contains(&feature);
    if is_feature(feature) && !lists(&with) {
        return Err("the program does not require it".to_owned());
    }
    let without = compile_case(case, all.without(|name| case.lacking.contains(&name)));
    match (case.without, without) {
        (Without::Replaced, Ok(shader)) if lists(&shader) => Err("required again".to_owned()),
        (Without::Replaced, Ok(shader)) if shader.words == with.words => {
            Err("the module is the same".to_owned())
        }
        (Without::Replaced, Ok(_)) => Ok(()),
        (Without::Replaced, Err(errors)) => Err(format!("not replaced: {errors:?}")),
        (Without::Error { .. }, Ok(_)) => Err("no error".to_owned()),
        (Without::Error { feature, place }, Err(errors)) => {
            check_errors(&errors, case.program, feature, place)?;
            check_cause(&errors.list[0].message, case)
        }
    }
}

/// Features are replaced or reported, each at the instruction that requires it.
#[test]
fn programs_do_without_each_feature_or_name_it() {
    let failures = CASES.iter().filter_map(|case| {
        let difference = check_case(case).err()?;
        Some(format!("{:?}: {difference}", case.lacking))
    });
    let failures: Vec<_> = failures.collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_feature_has_a_program() {
    let names: BTreeSet<_> = CASES.iter().map(|case| case.lacking[0]).collect();
    let known: BTreeSet<_> = DeviceFeatures::names().into_iter().collect();
    assert_eq!(names, known);
    let vulkan = glasm::vulkan_feature_names();
    assert!(vulkan.iter().all(|name| names.contains(name)));
}
