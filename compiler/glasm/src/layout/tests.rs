//! Layouts of reflections, made by hand and by the compiler.

use super::*;
use crate::{Options, ProgramType, Source, compile};
use glasm_codegen::reflect::{ImageFormat, Requirements, Scalar};

fn slot(set: u32, binding: u32) -> DescriptorSlot {
    DescriptorSlot { set, binding }
}

/// Returns the reflection of a program that uses nothing.
fn nothing(stage: Stage) -> Reflection {
    Reflection {
        stage,
        entry_point: "main",
        params: None,
        state: None,
        named: Vec::new(),
        state_program: None,
        textures: Vec::new(),
        samplers: Vec::new(),
        attachments: Vec::new(),
        images: Vec::new(),
        handle_arrays: Vec::new(),
        buffers: Vec::new(),
        image_lock: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        replication: None,
        primitives: None,
        workgroup_size: None,
        unclipped_depth: false,
        transparent_missing: false,
        requirements: Requirements::default(),
    }
}

fn texture(unit: u32, count: u32, target: TexTarget) -> TextureBinding {
    TextureBinding {
        slot: slot(1, unit),
        unit,
        count,
        target,
        shadow: false,
        texel: Scalar::Float,
    }
}

fn image(unit: u32, target: TexTarget) -> ImageBinding {
    ImageBinding {
        slot: slot(3, 128 + unit),
        unit,
        count: 1,
        target,
        format: ImageFormat::Own(Scalar::Float),
        written: false,
    }
}

fn handles(binding: u32, kind: HandleKind, target: TexTarget) -> HandleArray {
    HandleArray {
        slot: slot(4, binding),
        count: 5,
        kind,
        target,
        written: false,
    }
}

fn buffer(set: u32, index: u32, kind: BufferKind) -> BufferBinding {
    BufferBinding {
        slot: slot(set, index),
        index,
        count: 2,
        kind,
    }
}

/// Set, binding, kind, count.
type Row = (u32, u32, DescriptorKind, u32);

fn rows(sets: &[SetLayout]) -> Vec<Row> {
    let rows = sets.iter().flat_map(|layout| {
        let bindings = layout.bindings.iter();
        bindings.map(|it| (layout.set, it.binding, it.kind, it.count))
    });
    rows.collect()
}

/// Returns the reflection of a program that uses all resources.
fn everything() -> Reflection {
    Reflection {
        params: Some(ParamBlock {
            slot: slot(0, 4),
            slots: Vec::new(),
            storage: false,
        }),
        state_program: Some(StateProgram {
            slot: slot(3, 0),
            written: Vec::new(),
        }),
        textures: vec![
            texture(0, 3, TexTarget::D2),
            texture(7, 1, TexTarget::Buffer),
        ],
        samplers: vec![SamplerBinding {
            slot: slot(1, 9),
            unit: 9,
            shadow: false,
        }],
        attachments: vec![AttachmentBinding {
            slot: slot(1, 64),
            buffer: 0,
            texel: Scalar::Float,
        }],
        images: vec![image(0, TexTarget::D3), image(1, TexTarget::Buffer)],
        handle_arrays: vec![
            handles(0, HandleKind::Texture(Scalar::Float), TexTarget::D2),
            handles(1, HandleKind::QueriedTexture, TexTarget::Buffer),
            handles(2, HandleKind::Image(ImageFormat::Any), TexTarget::D2),
            handles(3, HandleKind::Image(ImageFormat::Any), TexTarget::Buffer),
        ],
        buffers: vec![
            buffer(2, 1, BufferKind::Constant),
            buffer(3, 0, BufferKind::State),
            buffer(3, 1, BufferKind::Storage),
            buffer(3, 64, BufferKind::Counter),
            buffer(3, 77, BufferKind::Shared),
            buffer(3, 78, BufferKind::Private),
        ],
        image_lock: Some(slot(3, 352)),
        ..nothing(Stage::Fragment)
    }
}

#[test]
fn every_member_with_a_slot_has_a_binding() {
    let expected = [
        (0, 4, DescriptorKind::UniformBuffer, 1),
        (1, 0, DescriptorKind::CombinedImageSampler, 3),
        (1, 7, DescriptorKind::UniformTexelBuffer, 1),
        (1, 9, DescriptorKind::CombinedImageSampler, 1),
        (1, 64, DescriptorKind::InputAttachment, 1),
        (2, 1, DescriptorKind::UniformBuffer, 2),
        (3, 0, DescriptorKind::StorageBuffer, 1),
        (3, 1, DescriptorKind::StorageBuffer, 2),
        (3, 64, DescriptorKind::StorageBuffer, 2),
        (3, 128, DescriptorKind::StorageImage, 1),
        (3, 129, DescriptorKind::StorageTexelBuffer, 1),
        (3, 352, DescriptorKind::StorageBuffer, 1),
        (4, 0, DescriptorKind::CombinedImageSampler, 5),
        (4, 1, DescriptorKind::UniformTexelBuffer, 5),
        (4, 2, DescriptorKind::StorageImage, 5),
        (4, 3, DescriptorKind::StorageTexelBuffer, 5),
    ];
    assert_eq!(rows(&set_layouts(&[&everything()]).unwrap()), expected);
}

#[test]
fn large_parameter_blocks_are_storage_buffers() {
    let large = Reflection {
        params: Some(ParamBlock {
            slot: slot(0, 0),
            slots: Vec::new(),
            storage: true,
        }),
        ..nothing(Stage::Vertex)
    };
    let sets = set_layouts(&[&large]).unwrap();
    assert_eq!(rows(&sets), [(0, 0, DescriptorKind::StorageBuffer, 1)]);
}

#[test]
fn stages_share_bindings() {
    let with = |stage, count| Reflection {
        textures: vec![texture(2, count, TexTarget::D2)],
        ..nothing(stage)
    };
    let (vertex, fragment) = (with(Stage::Vertex, 3), with(Stage::Fragment, 1));
    let shared = LayoutBinding {
        binding: 2,
        kind: DescriptorKind::CombinedImageSampler,
        count: 3,
        stages: 0x11,
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
    assert_eq!(set_layouts(&[&vertex, &fragment]), Ok(expected(shared)));
    assert_eq!(set_layouts(&[&fragment, &vertex]), Ok(expected(shared)));
    assert_eq!(set_layouts(&[]), Ok(Vec::new()));
}

#[test]
fn kinds_that_differ_are_a_conflict() {
    let with = |stage, target| Reflection {
        textures: vec![texture(2, 1, target)],
        ..nothing(stage)
    };
    let vertex = with(Stage::Vertex, TexTarget::Buffer);
    let fragment = with(Stage::Fragment, TexTarget::D2);
    let conflict = set_layouts(&[&vertex, &fragment]).unwrap_err();
    assert_eq!(
        conflict.to_string(),
        "set 1, binding 2: uniform texel buffer for stage vertex, combined image sampler for stage fragment"
    );
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
        (0, 4, DescriptorKind::UniformBuffer, 1),
        (1, 3, DescriptorKind::CombinedImageSampler, 1),
        (2, 65, DescriptorKind::UniformBuffer, 1),
    ];
    assert_eq!(rows(&set_layouts(&[&reflection]).unwrap()), expected);
}

#[test]
fn state_programs_have_their_buffer_once() {
    let source = Source::new("state", "!!VSP1.0 MOV c[4], v[0]; END");
    let source = source.for_type(ProgramType::VertexState);
    let reflection = compile(&source, &Options::default()).unwrap().reflection;
    let expected = [
        (0, 0, DescriptorKind::UniformBuffer, 1),
        (3, 0, DescriptorKind::StorageBuffer, 1),
    ];
    assert_eq!(rows(&set_layouts(&[&reflection]).unwrap()), expected);
    let resources = descriptors(&reflection);
    let is_state = |it: &&Descriptor<'_>| matches!(it.resource, Resource::State(_));
    assert_eq!(resources.iter().filter(is_state).count(), 1);
}
