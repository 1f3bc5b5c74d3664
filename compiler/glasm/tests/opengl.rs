//! Modules for OpenGL: differences of `GL_ARB_gl_spirv` from Vulkan, and errors.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::reflect::{BufferKind, DescriptorSlot, ImageFormat};
use glasm::{
    BindingLayout, Code, DeviceFeatures, Options, Shader, Source, StateSource, TgsiOptions,
    compile, opengl,
};
use rspirv::dr::{Module, Operand};
use rspirv::spirv::{BuiltIn, Capability, Decoration, Dim, ExecutionMode, Op, StorageClass};

/// Returns options for 84 uniform buffers and 16 storage buffers.
fn make_options() -> Options {
    opengl::build_options(opengl::find_device_features(450, |_| true), 84, 16)
}

#[track_caller]
fn compile_with(text: &str, options: &Options) -> Shader {
    let source = Source::new("test", text);
    compile(&source, options).unwrap_or_else(|errors| panic!("{}", errors.render(&source)))
}

fn parse_module(shader: &Shader) -> Module {
    let mut loader = rspirv::dr::Loader::new();
    rspirv::binary::parse_words(&shader.words, &mut loader).unwrap();
    loader.module()
}

#[track_caller]
fn compile_module(text: &str) -> Module {
    parse_module(&compile_with(text, &make_options()))
}

fn has_builtin(module: &Module, builtin: BuiltIn) -> bool {
    let operand = Operand::BuiltIn(builtin);
    let mut annotations = module.annotations.iter();
    annotations.any(|it| it.operands.contains(&operand))
}

fn has_decoration(module: &Module, decoration: Decoration) -> bool {
    let operand = Operand::Decoration(decoration);
    let mut annotations = module.annotations.iter();
    annotations.any(|it| it.operands.contains(&operand))
}

fn has_mode(module: &Module, mode: ExecutionMode) -> bool {
    let operand = Operand::ExecutionMode(mode);
    let mut modes = module.execution_modes.iter();
    modes.any(|it| it.operands.contains(&operand))
}

fn has_capability(module: &Module, capability: Capability) -> bool {
    let operand = Operand::Capability(capability);
    let mut capabilities = module.capabilities.iter();
    capabilities.any(|it| it.operands.contains(&operand))
}

fn count_op(module: &Module, op: Op) -> usize {
    let insts = module.all_inst_iter();
    insts.filter(|inst| inst.class.opcode == op).count()
}

/// Returns the message of the only error.
#[track_caller]
fn compile_error(source: &Source<'_>, options: &Options) -> (Code, String) {
    let errors = compile(source, options).unwrap_err();
    assert_eq!(errors.error_count(), 1, "{}", errors.render(source));
    (errors.list[0].code, errors.list[0].message.clone())
}

/// Checks ARB_gl_spirv, appendix "The OpenGL SPIR-V Execution Environment".
#[test]
fn modules_are_spirv_1_0_without_sets() {
    let text = "!!NVfp5.0 OPTION NV_shader_storage_buffer; STORAGE s[] = { program.storage[1] }; \
        STB.F32 program.local[0], s[0]; TEX result.color, fragment.texcoord[0], texture[2], 2D; END";
    let module = compile_module(text);
    assert_eq!(module.header.as_ref().unwrap().version(), (1, 0));
    assert!(!has_decoration(&module, Decoration::DescriptorSet));
    // The extension maps `buffer` to storage blocks.
    assert!(has_decoration(&module, Decoration::BufferBlock));
    let mut globals = module.types_global_values.iter();
    let class = Operand::StorageClass(StorageClass::StorageBuffer);
    assert!(!globals.any(|it| it.operands.contains(&class)));
}

#[test]
fn vertices_and_instances_have_the_built_ins_of_opengl() {
    let text = "!!NVvp4.0\nMOV.S result.attrib[0].x, vertex.id;\nMOV.S result.attrib[0].y, vertex.instance;\n\
        MOV result.position, vertex.position;\nEND";
    let module = compile_module(text);
    assert!(has_builtin(&module, BuiltIn::VertexId) && has_builtin(&module, BuiltIn::InstanceId));
    assert!(!has_builtin(&module, BuiltIn::VertexIndex));
    // Instances count from 0 already.
    assert!(!has_builtin(&module, BuiltIn::BaseInstance));
    let text = "!!NVvp5.0\nMOV.S result.attrib[0].x, vertex.baseInstance;\nMOV result.position, vertex.position;\nEND";
    let shader = compile_with(text, &make_options());
    let extension = "SPV_KHR_shader_draw_parameters";
    assert!(
        shader
            .reflection
            .requirements
            .extensions
            .contains(&extension)
    );
}

/// Checks ARB_fragment_coord_conventions: the origin is the lower left corner unless the program
/// specifies another.
#[test]
fn window_positions_have_the_origin_of_the_program() {
    let lower = compile_module("!!ARBfp1.0\nMOV result.color, fragment.position;\nEND");
    assert!(has_mode(&lower, ExecutionMode::OriginLowerLeft));
    assert!(!has_mode(&lower, ExecutionMode::OriginUpperLeft));
    let upper = compile_module(
        "!!ARBfp1.0\nOPTION ARB_fragment_coord_origin_upper_left;\nMOV result.color, fragment.position;\nEND",
    );
    assert!(has_mode(&upper, ExecutionMode::OriginUpperLeft));
    // The mode does it; no parameter turns the position.
    assert_eq!(count_op(&upper, Op::FMul) + count_op(&upper, Op::FAdd), 0);
}

#[test]
fn rectangles_are_rectangles() {
    let access = |opcode: &str| {
        compile_module(&format!(
            "!!NVvp5.0\nTEMP r;\n{opcode} r, vertex.attrib[1], texture[0], RECT;\nMOV result.attrib[0], r;\n\
             MOV result.position, vertex.position;\nEND"
        ))
    };
    let sampled = access("TXL");
    let rectangle = Operand::Dim(Dim::DimRect);
    let mut globals = sampled.types_global_values.iter();
    assert!(globals.any(|it| it.operands.contains(&rectangle)));
    assert!(has_capability(&sampled, Capability::SampledRect));
    // Coordinates count texels: nothing is divided by a size.
    assert_eq!(count_op(&sampled, Op::ImageQuerySizeLod), 0);
    assert_eq!(count_op(&sampled, Op::FDiv), 0);
    // They have no level operand.
    let mut insts = sampled.all_inst_iter();
    let sample = insts
        .find(|it| it.class.opcode == Op::ImageSampleExplicitLod)
        .unwrap();
    let operands = rspirv::spirv::ImageOperands::GRAD;
    assert_eq!(sample.operands[2], Operand::ImageOperands(operands));
    let fetched = access("TXF");
    let mut insts = fetched.all_inst_iter();
    let fetch = insts.find(|it| it.class.opcode == Op::ImageFetch).unwrap();
    assert_eq!(fetch.operands.len(), 2);
    let queried = access("TXQ");
    assert_eq!(count_op(&queried, Op::ImageQuerySize), 1);
    assert_eq!(count_op(&queried, Op::ImageQueryLevels), 0);
}

/// Checks that OpenGL's uniforms are images with samplers, including buffer textures.
#[test]
fn buffer_textures_have_samplers() {
    let text = "!!NVfp4.0\nTXF result.color, fragment.texcoord[0], texture[0], BUFFER;\nEND";
    let for_opengl = compile_module(text);
    assert_eq!(count_op(&for_opengl, Op::TypeSampledImage), 1);
    assert_eq!(count_op(&for_opengl, Op::Image), 1);
    let for_vulkan = parse_module(&compile_with(text, &Options::default()));
    assert_eq!(count_op(&for_vulkan, Op::TypeSampledImage), 0);
}

/// Returns the values that a module stores in varyings: variables of the class `Output` with a
/// location, and parts of them.
fn list_stored_varyings(module: &Module) -> Vec<u32> {
    let location = Operand::Decoration(Decoration::Location);
    let varyings = module.annotations.iter();
    let varyings = varyings.filter(|it| it.operands.contains(&location));
    let mut pointers: Vec<u32> = varyings.map(|it| it.operands[0].unwrap_id_ref()).collect();
    let mut values = Vec::new();
    for inst in module.all_inst_iter() {
        let opcode = inst.class.opcode;
        if !matches!(opcode, Op::AccessChain | Op::Store)
            || !pointers.contains(&inst.operands[0].unwrap_id_ref())
        {
            continue;
        }
        if opcode == Op::Store {
            values.push(inst.operands[1].unwrap_id_ref());
        } else {
            pointers.extend(inst.result_id);
        }
    }
    values
}

/// Checks constant vertex indices: Mesa 25.0 reads wrong bytes if the vertex index is only known at
/// run time.
#[test]
fn numbers_of_vertices_are_constants_in_geometry_programs() {
    let text = "!!NVgp4.0\nPRIMITIVE_IN LINES;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\nINT TEMP i;\nATTRIB t[] = { vertex.texcoord[0..1] };\nATTRIB p = vertex.position;\n\
        MOV.S i, program.local[0];\nMOV result.position, p[i.x];\nMOV result.attrib[0], t[i.x][i.y];\nEMIT;\nEND";
    let module = compile_module(text);
    let inputs = module.types_global_values.iter();
    let inputs = inputs.filter(|it| {
        it.operands
            .contains(&Operand::StorageClass(StorageClass::Input))
    });
    let inputs: Vec<u32> = inputs.filter_map(|it| it.result_id).collect();
    let constants = module.types_global_values.iter();
    let constants: Vec<u32> = constants
        .filter(|it| it.class.opcode == Op::Constant)
        .filter_map(|it| it.result_id)
        .collect();
    let mut accesses = 0;
    for inst in module.all_inst_iter() {
        if inst.class.opcode == Op::AccessChain
            && inputs.contains(&inst.operands[0].unwrap_id_ref())
        {
            assert!(constants.contains(&inst.operands[1].unwrap_id_ref()));
            accesses += 1;
        }
    }
    // The position and two texture coordinates of two vertices.
    assert_eq!(accesses, 6);
}

/// Checks outputs of control programs: Mesa 25.0 merges two outputs that have the same value under
/// different conditions.
#[test]
fn outputs_of_control_programs_do_not_share_values() {
    let text = "!!NVtcp5.0\nVERTICES_OUT 2;\nTEMP r;\nI2F.U r, primitive.invocation.x;\nMOV.U.CC r.y, primitive.invocation.x;\n\
        IF EQ.y;\nMOV result.patch.attrib[0].x, r.x;\nELSE;\nMOV result.patch.attrib[1].x, r.x;\nENDIF;\nEND";
    let values = list_stored_varyings(&compile_module(text));
    assert_eq!(values.len(), 2);
    assert_ne!(values[0], values[1]);
    // Vulkan's drivers need no such form.
    let values = list_stored_varyings(&parse_module(&compile_with(text, &Options::default())));
    assert_eq!(values[0], values[1]);
}

/// Checks loops of geometry programs: Mesa does not interpolate values that a loop stores if all
/// invocations share it, so values depend on the invocation index.
#[test]
fn outputs_in_loops_of_geometry_programs_differ_between_invocations() {
    let program = |body: &str| {
        format!(
            "!!NVgp4.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT TRIANGLE_STRIP;\nVERTICES_OUT 4;\n{body}\nEND"
        )
    };
    let stores =
        "MOV result.position, program.local[0];\nMOV result.attrib[0], program.local[1];\nEMIT;";
    let once = compile_module(&program(stores));
    assert!(!has_builtin(&once, BuiltIn::InvocationId));
    let repeated = program(&format!("REP program.local[2].x;\n{stores}\nENDREP;"));
    let for_opengl = compile_module(&repeated);
    assert!(has_builtin(&for_opengl, BuiltIn::InvocationId));
    // Vulkan's drivers need no such form.
    let for_vulkan = parse_module(&compile_with(&repeated, &Options::default()));
    assert!(!has_builtin(&for_vulkan, BuiltIn::InvocationId));
    let selects = [&for_opengl, &for_vulkan].map(|module| count_op(module, Op::Select));
    assert_eq!(selects[0] - selects[1], 4);
}

/// Checks the last bindings of each kind, computed by hand: state 83, parameters of fragments 78 +
/// 4, fifteen buffers for each previous stage.
#[test]
fn bindings_are_at_the_end() {
    let mut options = make_options();
    options.state_sources.alpha_test = StateSource::UniformBlock;
    let text = "!!NVfp5.0 OPTION NV_shader_storage_buffer; OPTION NV_shader_atomic_counters; \
        STORAGE s[] = { program.storage[1] }; COUNTER c[] = { program.counter[2] }; \
        BUFFER4 b[] = { program.buffer[3] }; TEMP r, i; \
        LDB.F32X4 r, s[0]; ATOMCTR.INCR i.x, c[0]; ADD r, r, b[5]; ADD result.color, r, program.local[0]; END";
    let reflection = compile_with(text, &options).reflection;
    let slot = |binding| DescriptorSlot { set: 0, binding };
    assert_eq!(reflection.parameter_block.unwrap().slot, slot(82));
    assert_eq!(reflection.state_block.unwrap().slot, Some(slot(83)));
    let buffer = |kind| {
        let mut buffers = reflection.buffers.iter();
        buffers.find(|buffer| buffer.kind == kind).unwrap().slot
    };
    assert_eq!(buffer(BufferKind::ProgramParameter), slot(3 + 4 * 15 + 3));
    assert_eq!(buffer(BufferKind::Storage), slot(1));
    // A quarter of 16 before the lock.
    assert_eq!(buffer(BufferKind::AtomicCounter), slot(11 + 2));
}

#[test]
fn layouts_fit_small_implementations() {
    // OpenGL 3.1 has 36 uniform buffers at least: the state, five blocks, and six buffers for each
    // stage from 0 on.
    let small = BindingLayout::opengl(36, 8);
    assert_eq!(
        (
            small.state_block_binding,
            small.first_parameter_block_binding
        ),
        (35, 30)
    );
    assert_eq!(
        (
            small.first_parameter_buffer_binding,
            small.parameter_buffers_per_stage
        ),
        (0, 6)
    );
    assert_eq!(
        (small.image_lock_binding, small.first_atomic_counter_binding),
        (7, 5)
    );
    // No more than the languages have.
    let large = BindingLayout::opengl(1000, 96);
    assert_eq!(large.parameter_buffers_per_stage, 16);
    assert_eq!(
        large.first_parameter_buffer_binding + 5 * 16,
        large.first_parameter_block_binding
    );
    let none = BindingLayout::opengl(0, 0);
    assert_eq!(
        (none.state_block_binding, none.first_parameter_block_binding),
        (0, 0)
    );
}

#[test]
fn images_are_numbered_one_after_the_other() {
    let mut options = make_options();
    options.bindings.first_image_binding = 3;
    let text = "!!NVfp5.0\nIMAGE a = image[5];\nIMAGE b = image[1];\nTEMP r, i;\nMOV i, {0, 0, 0, 0};\n\
        LOADIM.U32 r, i, a, 2D;\nSTOREIM.F32X4 b, r, i, 2D;\nMOV result.color, r;\nEND";
    let images = compile_with(text, &options).reflection.images;
    let found: Vec<_> = images.iter().map(|it| (it.unit, it.slot.binding)).collect();
    assert_eq!(found, [(5, 3), (1, 4)]);
    assert!(images.iter().all(|it| it.format != ImageFormat::AnyUint));
}

#[test]
fn what_opengl_lacks_is_named() {
    let options = make_options();
    let refused = |text: &str| compile_error(&Source::new("test", text), &options);
    let (code, message) = refused(
        "!!NVfp5.0\nLONG TEMP a;\nTEMP r;\nPK64.U a.x, program.local[0];\nLOAD.F32X4 r, a.x;\nMOV result.color, r;\nEND",
    );
    assert_eq!(code, Code::FeatureMissing);
    assert!(message.contains("bufferDeviceAddress"), "{message}");
    let (code, message) = refused(
        "!!NVfp5.0\nOPTION NV_bindless_texture;\nLONG TEMP h;\nPK64.U h.x, program.local[0];\n\
         TEX result.color, fragment.texcoord[0], handle(h.x), 2D;\nEND",
    );
    assert_eq!(code, Code::Unsupported);
    assert!(message.contains("GL_ARB_bindless_texture"), "{message}");
    let (_, message) = refused(
        "!!NVfp5.0\nPARAM a[] = { program.env[0..4095] };\nPARAM b[] = { program.local[0..4095] };\nTEMP i;\n\
        MOV.S i, fragment.texcoord[0];\nADD result.color, a[i.x], b[i.x];\nEND",
    );
    assert!(
        message.starts_with("8192 vectors of parameters"),
        "{message}"
    );
    let (_, message) =
        refused("!!NVfp5.0\nBUFFER b[] = { program.buffer[15] };\nMOV result.color, b[0].x;\nEND");
    assert!(
        message.starts_with("program parameter buffer 15"),
        "{message}"
    );
    let text = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL SAMP[0..1]\nDCL SVIEW[0], 2D, FLOAT\nDCL OUT[0], COLOR\n\
        0: SAMPLE OUT[0], IN[0], SVIEW[0], SAMP[1]\n1: END";
    let source = Source {
        tgsi: TgsiOptions::default(),
        ..Source::new("test", text)
    };
    let (_, message) = compile_error(&source, &options);
    assert!(
        message.contains("no samplers apart from textures"),
        "{message}"
    );
}

/// Checks ARB_gl_spirv, tables of capabilities: the version or the extension that adds each.
#[test]
fn features_come_with_versions_and_extensions() {
    let old = opengl::find_device_features(330, |_| false);
    assert!(!old.tessellation_shader && !old.float64 && !old.multi_viewport && old.geometry_shader);
    let brought = opengl::find_device_features(330, |name| name == "GL_ARB_tessellation_shader");
    assert!(brought.tessellation_shader && !brought.float64);
    let new = opengl::find_device_features(450, |_| false);
    assert!(new.tessellation_shader && new.float64 && new.multi_viewport);
    assert!(!new.int64 && !new.resource_residency && !new.storage_image_read_without_format);
    assert!(!old.image_cube_array && new.image_cube_array && !old.fragment_stores_and_atomics);
    assert!(old.clip_distance && !old.cull_distance && !new.stencil_export);
    let all = opengl::find_device_features(460, |_| true);
    assert!(all.int64 && all.resource_residency && all.storage_image_read_without_format);
    // No version or extension adds these.
    assert!(!all.buffer_device_address && !all.int16 && !all.int8);
    assert!(!all.subgroups.ballot && all.subgroups.stages == [false; 6]);
    assert_eq!(all, DeviceFeatures::of_opengl(460, |_| true));
}

/// Checks ARB_shader_stencil_export for a module that was compiled for another implementation.
#[test]
fn modules_tell_what_an_implementation_lacks() {
    let text = "FRAG\nDCL OUT[0], STENCIL\nDCL CONST[0]\n0: MOV OUT[0].y, CONST[0]\n1: END";
    let reflection = compile_with(text, &make_options()).reflection;
    let lacking = |names: &[&str]| {
        opengl::find_missing_features(&reflection, 450, |name| names.contains(&name))
    };
    assert_eq!(lacking(&[]), ["VK_EXT_shader_stencil_export"]);
    assert!(lacking(&["GL_ARB_shader_stencil_export"]).is_empty());
}

/// Checks image units, which all stages share: those of the fragment program follow those of the
/// vertex program.
#[test]
fn linked_stages_have_image_units_of_their_own() {
    let vertex = "!!NVvp5.0\nTEMP r;\nLOADIM.U32 r, {0, 0, 0, 0}, image[1], 1D;\n\
        MOV.U result.attrib[0], r;\nMOV result.position, vertex.position;\nEND";
    let fragment = "!!NVfp5.0\nFLAT ATTRIB a = fragment.attrib[0];\nSTOREIM.S32 image[0], {1, 0, 0, 0}, {0, 0, 0, 0}, 2D;\n\
        STOREIM.S32 image[2], {1, 0, 0, 0}, {0, 0, 0, 0}, 2D;\nMOV.U result.color, a;\nEND";
    let load = |text| glasm::Program::load(&Source::new("program", text)).unwrap();
    let linked = glasm::link(
        &[&load(vertex), &load(fragment)],
        &opengl::build_default_options(),
    );
    let units: Vec<Vec<_>> = linked
        .stages
        .iter()
        .map(|shader| {
            let images = shader.as_ref().unwrap().reflection.images.iter();
            images.map(|it| (it.unit, it.slot.binding)).collect()
        })
        .collect();
    assert_eq!(units, [vec![(1, 0)], vec![(0, 1), (2, 2)]]);
}
