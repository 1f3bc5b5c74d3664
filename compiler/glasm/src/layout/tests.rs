//! Layouts of reflections, made by hand and by the compiler.

use super::*;
use crate::{Options, ProgramType, Source, compile};
use glasm_codegen::reflect::{ImageFormat, Requirements, ScalarType};

fn make_slot(set: u32, binding: u32) -> DescriptorSlot {
    DescriptorSlot { set, binding }
}

/// Returns the reflection of a program that uses nothing.
fn make_empty_reflection(stage: Stage) -> Reflection {
    Reflection {
        stage,
        entry_point: "main",
        parameter_block: None,
        state_block: None,
        named_parameters: Vec::new(),
        state_program: None,
        textures: Vec::new(),
        samplers: Vec::new(),
        input_attachments: Vec::new(),
        images: Vec::new(),
        handle_arrays: Vec::new(),
        buffers: Vec::new(),
        image_lock_slot: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        view_replication: None,
        primitive_info: None,
        workgroup_size: None,
        requires_depth_clamp: false,
        missing_textures_have_zero_alpha: false,
        requirements: Requirements::default(),
        text_target: None,
    }
}

fn make_texture_binding(unit: u32, count: u32, target: TexTarget) -> TextureBinding {
    TextureBinding {
        slot: make_slot(1, unit),
        unit,
        descriptor_count: count,
        target,
        is_shadow: false,
        sampled_type: ScalarType::Float32,
    }
}

fn make_image_binding(unit: u32, target: TexTarget) -> ImageBinding {
    ImageBinding {
        slot: make_slot(3, 128 + unit),
        unit,
        descriptor_count: 1,
        target,
        format: ImageFormat::Native(ScalarType::Float32),
        is_written: false,
    }
}

fn make_handle_array(binding: u32, kind: HandleKind, target: TexTarget) -> HandleArray {
    HandleArray {
        slot: make_slot(4, binding),
        descriptor_count: 5,
        kind,
        target,
        is_written: false,
    }
}

fn make_buffer_binding(set: u32, index: u32, kind: BufferKind) -> BufferBinding {
    BufferBinding {
        slot: make_slot(set, index),
        program_binding: index,
        descriptor_count: 2,
        kind,
    }
}

/// Set, binding, kind, count.
type BindingRow = (u32, u32, DescriptorType, u32);

fn list_bindings(sets: &[SetLayout]) -> Vec<BindingRow> {
    let rows = sets.iter().flat_map(|layout| {
        let bindings = layout.bindings.iter();
        bindings.map(|it| {
            (
                layout.set,
                it.binding,
                it.descriptor_type,
                it.descriptor_count,
            )
        })
    });
    rows.collect()
}

/// Returns the reflection of a program that uses all resources.
fn make_full_reflection() -> Reflection {
    Reflection {
        parameter_block: Some(ParamBlock {
            slot: make_slot(0, 4),
            parameters: Vec::new(),
            is_storage_buffer: false,
        }),
        state_program: Some(StateProgram {
            slot: make_slot(3, 0),
            written_parameters: Vec::new(),
        }),
        textures: vec![
            make_texture_binding(0, 3, TexTarget::D2),
            make_texture_binding(7, 1, TexTarget::Buffer),
        ],
        samplers: vec![SamplerBinding {
            slot: make_slot(1, 9),
            unit: 9,
            is_shadow: false,
        }],
        input_attachments: vec![AttachmentBinding {
            slot: make_slot(1, 64),
            attachment_index: 0,
            texel_type: ScalarType::Float32,
        }],
        images: vec![
            make_image_binding(0, TexTarget::D3),
            make_image_binding(1, TexTarget::Buffer),
        ],
        handle_arrays: vec![
            make_handle_array(0, HandleKind::Texture(ScalarType::Float32), TexTarget::D2),
            make_handle_array(1, HandleKind::QueryOnlyTexture, TexTarget::Buffer),
            make_handle_array(2, HandleKind::Image(ImageFormat::AnyUint), TexTarget::D2),
            make_handle_array(
                3,
                HandleKind::Image(ImageFormat::AnyUint),
                TexTarget::Buffer,
            ),
        ],
        buffers: vec![
            make_buffer_binding(2, 1, BufferKind::ProgramParameter),
            make_buffer_binding(3, 0, BufferKind::VertexStateParameters),
            make_buffer_binding(3, 1, BufferKind::Storage),
            make_buffer_binding(3, 64, BufferKind::AtomicCounter),
            make_buffer_binding(3, 77, BufferKind::Shared),
            make_buffer_binding(3, 78, BufferKind::Private),
        ],
        image_lock_slot: Some(make_slot(3, 352)),
        ..make_empty_reflection(Stage::Fragment)
    }
}

#[test]
fn every_member_with_a_slot_has_a_binding() {
    let expected = [
        (0, 4, DescriptorType::UniformBuffer, 1),
        (1, 0, DescriptorType::CombinedImageSampler, 3),
        (1, 7, DescriptorType::UniformTexelBuffer, 1),
        (1, 9, DescriptorType::CombinedImageSampler, 1),
        (1, 64, DescriptorType::InputAttachment, 1),
        (2, 1, DescriptorType::UniformBuffer, 2),
        (3, 0, DescriptorType::StorageBuffer, 1),
        (3, 1, DescriptorType::StorageBuffer, 2),
        (3, 64, DescriptorType::StorageBuffer, 2),
        (3, 128, DescriptorType::StorageImage, 1),
        (3, 129, DescriptorType::StorageTexelBuffer, 1),
        (3, 352, DescriptorType::StorageBuffer, 1),
        (4, 0, DescriptorType::CombinedImageSampler, 5),
        (4, 1, DescriptorType::UniformTexelBuffer, 5),
        (4, 2, DescriptorType::StorageImage, 5),
        (4, 3, DescriptorType::StorageTexelBuffer, 5),
    ];
    assert_eq!(
        list_bindings(&build_set_layouts(&[&make_full_reflection()]).unwrap()),
        expected
    );
}

#[test]
fn large_parameter_blocks_are_storage_buffers() {
    let large = Reflection {
        parameter_block: Some(ParamBlock {
            slot: make_slot(0, 0),
            parameters: Vec::new(),
            is_storage_buffer: true,
        }),
        ..make_empty_reflection(Stage::Vertex)
    };
    let sets = build_set_layouts(&[&large]).unwrap();
    assert_eq!(
        list_bindings(&sets),
        [(0, 0, DescriptorType::StorageBuffer, 1)]
    );
}

#[test]
fn stages_share_bindings() {
    let with = |stage, count| Reflection {
        textures: vec![make_texture_binding(2, count, TexTarget::D2)],
        ..make_empty_reflection(stage)
    };
    let (vertex, fragment) = (with(Stage::Vertex, 3), with(Stage::Fragment, 1));
    let shared = SetLayoutBinding {
        binding: 2,
        descriptor_type: DescriptorType::CombinedImageSampler,
        descriptor_count: 3,
        stage_flags: 0x11,
    };
    // Set 0 is empty but present.
    let expected = |shared| {
        let empty = SetLayout {
            set: 0,
            bindings: Vec::new(),
        };
        vec![
            empty,
            SetLayout {
                set: 1,
                bindings: vec![shared],
            },
        ]
    };
    assert_eq!(
        build_set_layouts(&[&vertex, &fragment]),
        Ok(expected(shared))
    );
    assert_eq!(
        build_set_layouts(&[&fragment, &vertex]),
        Ok(expected(shared))
    );
    assert_eq!(build_set_layouts(&[]), Ok(Vec::new()));
}

#[test]
fn kinds_that_differ_are_a_conflict() {
    let with = |stage, target| Reflection {
        textures: vec![make_texture_binding(2, 1, target)],
        ..make_empty_reflection(stage)
    };
    let vertex = with(Stage::Vertex, TexTarget::Buffer);
    let fragment = with(Stage::Fragment, TexTarget::D2);
    let conflict = build_set_layouts(&[&vertex, &fragment]).unwrap_err();
    assert_eq!(
        conflict.to_string(),
        "set 1, binding 2: uniform texel buffer for stage vertex, combined image sampler for stage fragment"
    );
}

#[test]
fn two_resources_at_a_slot_are_a_conflict() {
    let text = "!!NVfp5.0\nBUFFER4 c[] = { program.buffer[0] };\nADD result.color, c[0], program.local[0];\nEND";
    let mut options = Options::default();
    options.bindings.parameter_block_set = 2;
    options.bindings.parameter_block_binding = Some(64);
    let source = Source::new("blocks", text);
    let fragment = compile(&source, &options).unwrap().reflection;
    let conflict = build_set_layouts(&[&fragment]).unwrap_err();
    assert_eq!(
        conflict.to_string(),
        "set 2, binding 64: a uniform buffer for stage fragment, another for stage fragment"
    );
    options.bindings.parameter_block_binding = Some(63);
    let apart = compile(&source, &options).unwrap().reflection;
    assert!(build_set_layouts(&[&apart]).is_ok());
    // The blocks of two stages, as `parameter_block_binding` requests.
    options.bindings.parameter_block_binding = Some(0);
    let fragment = compile(&source, &options).unwrap().reflection;
    let source = Source::new(
        "vertex",
        "!!ARBvp1.0\nMOV result.position, program.local[0];\nEND",
    );
    let vertex = compile(&source, &options).unwrap().reflection;
    assert!(build_set_layouts(&[&vertex, &fragment]).is_ok());
}

#[test]
fn compiled_programs_have_the_slots_of_their_options() {
    let source = Source::new(
        "all",
        "!!NVfp5.0
        BUFFER4 c[] = { program.buffer[1] };
        TEMP t;
        TEX t, fragment.texcoord[0], texture[3], 2D;
        MUL t, t, program.local[0];
        MUL result.color, t, c[0];
        END",
    );
    let reflection = compile(&source, &Options::default()).unwrap().reflection;
    let expected = [
        (0, 4, DescriptorType::UniformBuffer, 1),
        (1, 3, DescriptorType::CombinedImageSampler, 1),
        (2, 65, DescriptorType::UniformBuffer, 1),
    ];
    assert_eq!(
        list_bindings(&build_set_layouts(&[&reflection]).unwrap()),
        expected
    );
}

#[test]
fn state_programs_have_their_buffer_once() {
    let source = Source::new("state", "!!VSP1.0 MOV c[4], v[0]; END");
    let source = source.for_type(ProgramType::VertexState);
    let reflection = compile(&source, &Options::default()).unwrap().reflection;
    let expected = [
        (0, 0, DescriptorType::UniformBuffer, 1),
        (3, 0, DescriptorType::StorageBuffer, 1),
    ];
    assert_eq!(
        list_bindings(&build_set_layouts(&[&reflection]).unwrap()),
        expected
    );
    let resources = list_descriptors(&reflection);
    let is_state = |it: &&Descriptor<'_>| matches!(it.resource, Resource::StateProgram(_));
    assert_eq!(resources.iter().filter(is_state).count(), 1);
}
