//! Tests of `glasm::vulkan` with simulated devices.

#![cfg(feature = "ash")]

use ash::vk;
use glasm::vulkan::{self, DeviceSupport, PipelineInfo};
use glasm::{
    AlphaTest, BaseType, CompareFunction, Linked, Options, Program, Source, Stage, StateBlock,
    StateSource, Target,
};
use std::ffi::CStr;

/// Content of a structure of a list for which the device reports some members.
type FillFn = fn(&mut vk::BaseOutStructure<'_>);

/// Returns the structure as `T`, if its type tag is that of `T`.
fn find_structure<'a, T>(found: &'a mut vk::BaseOutStructure<'_>) -> Option<&'a mut T>
where
    T: vk::TaggedStructure,
{
    // SAFETY: structures with this tag are of this type.
    (found.s_type == T::STRUCTURE_TYPE)
        .then(|| unsafe { &mut *std::ptr::from_mut(found).cast::<T>() })
}

/// Calls `fill` for each structure of a list.
fn fill_list<T>(list: &mut T, fill: FillFn) {
    let mut next = std::ptr::from_mut(list).cast::<vk::BaseOutStructure<'_>>();
    // SAFETY: a Vulkan list, whose structures live as long as the call; one reference at a time.
    while let Some(found) = unsafe { next.as_mut() } {
        fill(found);
        next = found.p_next;
    }
}

fn set_core_features(
    list: &mut vk::BaseOutStructure<'_>,
    set: fn(&mut vk::PhysicalDeviceFeatures),
) {
    if let Some(all) = find_structure::<vk::PhysicalDeviceFeatures2<'_>>(list) {
        set(&mut all.features);
    }
}

/// Returns a device of a version with extensions, whose features `features` writes.
fn query_device(version: u32, extensions: &[&CStr], features: FillFn) -> DeviceSupport {
    DeviceSupport::query(
        version,
        |name| extensions.contains(&name),
        |list| fill_list(list, features),
        |list| fill_list(list, fill_properties),
    )
}

fn fill_properties(found: &mut vk::BaseOutStructure<'_>) {
    if let Some(all) = find_structure::<vk::PhysicalDeviceProperties2<'_>>(found) {
        let limits = &mut all.properties.limits;
        limits.max_geometry_total_output_components = 2048;
    }
    if let Some(subgroups) = find_structure::<vk::PhysicalDeviceSubgroupProperties<'_>>(found) {
        subgroups.subgroup_size = 8;
        subgroups.supported_stages = vk::ShaderStageFlags::COMPUTE;
        subgroups.supported_operations = vk::SubgroupFeatureFlags::VOTE;
    }
    if let Some(floats) = find_structure::<vk::PhysicalDeviceFloatControlsProperties<'_>>(found) {
        floats.shader_denorm_flush_to_zero_float32 = vk::TRUE;
    }
    let coverage =
        find_structure::<vk::PhysicalDeviceConservativeRasterizationPropertiesEXT<'_>>(found);
    if let Some(coverage) = coverage {
        coverage.fully_covered_fragment_shader_input_variable = vk::TRUE;
    }
}

#[test]
fn fields_follow_from_members_of_structures() {
    let narrow = |found: &mut vk::BaseOutStructure<'_>| {
        set_core_features(found, |core| core.shader_int16 = vk::TRUE);
    };
    let support = query_device(vk::API_VERSION_1_1, &[], narrow);
    let features = support.device_features();
    // Arithmetic without storage is not enough.
    assert!(!features.int16 && !features.int64 && !features.float64);
    let wide = |found: &mut vk::BaseOutStructure<'_>| {
        set_core_features(found, |core| {
            core.shader_int16 = vk::TRUE;
            core.shader_float64 = vk::TRUE;
        });
        if let Some(storage) = find_structure::<vk::PhysicalDevice16BitStorageFeatures<'_>>(found) {
            storage.storage_buffer16_bit_access = vk::TRUE;
        }
    };
    let support = query_device(vk::API_VERSION_1_1, &[], wide);
    let features = support.device_features();
    assert!(features.int16 && features.float64 && !features.int64);
    assert_eq!(support.target(), Target::Vulkan1_1);
}

#[test]
fn properties_are_mapped() {
    let extension = ash::khr::shader_float_controls::NAME;
    let support = query_device(vk::make_api_version(0, 1, 1, 70), &[extension], |_| ());
    let features = support.device_features();
    assert_eq!(features.max_geometry_total_output_components, 2048);
    assert_eq!(features.subgroups.size, 8);
    assert_eq!(
        features.subgroups.stages,
        [false, false, false, false, false, true]
    );
    assert!(features.subgroups.vote && !features.subgroups.ballot);
    assert!(features.denorm_flush_to_zero_float32);
    assert_eq!(support.extensions(), [extension]);
    // Modules for Vulkan 1.1 name the extension on later devices, too.
    let support = query_device(vk::API_VERSION_1_3, &[extension], |_| ());
    assert_eq!(support.extensions(), [extension]);
    // Without the extension the structure is not asked for.
    let features = query_device(vk::API_VERSION_1_1, &[], |_| ()).device_features();
    assert!(!features.denorm_flush_to_zero_float32);
}

#[test]
fn structures_of_extensions_end_where_vulkan_took_them_over() {
    let address = ash::khr::buffer_device_address::NAME;
    let fill = |found: &mut vk::BaseOutStructure<'_>| {
        let old = find_structure::<vk::PhysicalDeviceBufferDeviceAddressFeatures<'_>>(found);
        if let Some(old) = old {
            old.buffer_device_address = vk::TRUE;
        }
        if let Some(new) = find_structure::<vk::PhysicalDeviceVulkan12Features<'_>>(found) {
            new.buffer_device_address = vk::TRUE;
            // No module needs it.
            new.imageless_framebuffer = vk::TRUE;
        }
    };
    let old = query_device(vk::API_VERSION_1_1, &[address], fill);
    assert!(old.enabled.address.is_some() && old.enabled.vulkan12.is_none());
    assert_eq!(old.extensions(), [address]);
    assert!(old.device_features().buffer_device_address);

    let new = query_device(vk::API_VERSION_1_2, &[address], fill);
    assert!(new.enabled.address.is_none());
    assert!(new.extensions().is_empty());
    assert!(new.device_features().buffer_device_address);
    let (available, enabled) = (
        new.available.vulkan12.unwrap(),
        new.enabled.vulkan12.unwrap(),
    );
    assert_eq!(enabled.buffer_device_address, vk::TRUE);
    assert_eq!(available.imageless_framebuffer, vk::TRUE);
    assert_eq!(enabled.imageless_framebuffer, vk::FALSE);
    assert_eq!(new.target(), Target::Vulkan1_2);

    let none = query_device(vk::API_VERSION_1_1, &[], fill);
    assert!(!none.device_features().buffer_device_address);
}

#[test]
fn extensions_stand_for_features() {
    let extensions = [
        ash::ext::shader_viewport_index_layer::NAME,
        ash::ext::conservative_rasterization::NAME,
        ash::nv::viewport_array2::NAME,
        ash::khr::swapchain::NAME,
    ];
    let support = query_device(vk::API_VERSION_1_1, &extensions, |_| ());
    let wanted = [
        "VK_NV_viewport_array2",
        "fullyCoveredFragmentShaderInputVariable",
        "shaderOutputLayer",
        "shaderOutputViewportIndex",
    ];
    assert!(support.feature_names().iter().copied().eq(wanted));
    let mut enabled = support.extensions().to_vec();
    enabled.sort_unstable();
    let mut expected = extensions[..3].to_vec();
    expected.sort_unstable();
    assert_eq!(enabled, expected);
    let features = support.device_features();
    assert!(features.viewport_array2 && features.fully_covered);
    assert!(features.output_layer && features.output_viewport_index);
    // Their extensions are not there, nor the members of structures.
    assert!(!features.stencil_export && !features.sample_mask_override_coverage);
    assert!(!features.clip_distance && !features.image_cube_array && !features.transform_feedback);
    let old = query_device(vk::API_VERSION_1_1, &[], |_| ()).device_features();
    assert!(!old.output_layer && !old.output_viewport_index);
}

#[test]
fn robust_accesses_come_with_the_feature_they_need() {
    let fill = |found: &mut vk::BaseOutStructure<'_>| {
        set_core_features(found, |core| core.robust_buffer_access = vk::TRUE);
        let robustness = find_structure::<vk::PhysicalDeviceRobustness2FeaturesEXT<'_>>(found);
        if let Some(robustness) = robustness {
            robustness.robust_buffer_access2 = vk::TRUE;
        }
    };
    let extensions = [ash::ext::robustness2::NAME];
    let support = query_device(vk::API_VERSION_1_3, &extensions, fill);
    assert_eq!(support.enabled.core.robust_buffer_access, vk::TRUE);
    assert!(support.device_features().robust_buffer_access2);
    let without = query_device(vk::API_VERSION_1_3, &[], fill);
    assert_eq!(without.enabled.core.robust_buffer_access, vk::FALSE);
}

/// Checks that only features with given names are enabled, with those that they require, and that a
/// name that the device lacks is returned.
#[test]
fn features_are_selected_by_name() {
    let fill = |found: &mut vk::BaseOutStructure<'_>| {
        set_core_features(found, |core| {
            core.shader_clip_distance = vk::TRUE;
            core.shader_float64 = vk::TRUE;
            core.robust_buffer_access = vk::TRUE;
        });
        let robustness = find_structure::<vk::PhysicalDeviceRobustness2FeaturesEXT<'_>>(found);
        if let Some(robustness) = robustness {
            robustness.robust_buffer_access2 = vk::TRUE;
        }
    };
    let extensions = [
        ash::ext::robustness2::NAME,
        ash::ext::shader_stencil_export::NAME,
    ];
    let support = query_device(vk::API_VERSION_1_2, &extensions, fill);
    let select = |names: &[&'static str]| {
        let chain = support.select_features(names.iter().copied())?;
        let robustness = chain.robustness.as_ref().unwrap();
        Ok::<_, &str>([
            chain.core.shader_clip_distance,
            chain.core.shader_float64,
            chain.core.robust_buffer_access,
            robustness.robust_buffer_access2,
        ])
    };
    assert_eq!(select(&[]), Ok([0, 0, 0, 0]));
    let names = ["shaderClipDistance", "VK_EXT_shader_stencil_export"];
    assert_eq!(select(&names), Ok([1, 0, 0, 0]));
    assert_eq!(select(&["robustBufferAccess2"]), Ok([0, 0, 1, 1]));
    assert_eq!(
        select(&["shaderFloat64", "shaderInt64"]),
        Err("shaderInt64")
    );
}

/// Links a vertex program with an integer attribute, and a fragment program with a texture and state
/// in specialization constants; returns the pipeline with its options.
fn link_pair() -> (Linked, Options) {
    let texts = [
        "!!NVvp4.0\nINT ATTRIB a = vertex.attrib[3];\nTEMP t;\nI2F t, a;\n\
            ADD result.position, t, vertex.position;\nMOV result.color, program.local[0];\nEND",
        "!!ARBfp1.0\nTEMP t;\nTEX t, fragment.texcoord[0], texture[5], CUBE;\n\
            MUL result.color, fragment.color, t;\nEND",
    ];
    let programs =
        texts.map(|text| Program::load(&Source::new("test", text)).expect("a valid program"));
    let mut options = Options::default();
    options.interface.attributes = vec![BaseType::Float; 3];
    options.interface.attributes.push(BaseType::SignedInt);
    options.state_sources.alpha_test = StateSource::SpecConstant;
    options.pipeline_state.alpha_test = AlphaTest::new(CompareFunction::Greater, 0.5);
    let linked = glasm::link(&[&programs[0], &programs[1]], &options);
    (linked, options)
}

#[test]
fn modules_and_layouts_become_structures_of_vulkan() {
    let (linked, _) = link_pair();
    let vertex = linked.shader(Stage::Vertex).unwrap();
    let fragment = linked.shader(Stage::Fragment).unwrap();
    assert!(linked.shader(Stage::Geometry).is_none());
    let module = vulkan::build_module_info(vertex);
    assert_eq!(module.code_size, 4 * vertex.words.len());
    assert_eq!(module.p_code, vertex.words.as_ptr());
    let stage = vulkan::build_stage_info(fragment, vk::ShaderModule::null());
    assert_eq!(stage.stage.as_raw(), 0x10);

    let layouts = linked.build_set_layouts().unwrap();
    // As numbers, because this build of ash has no names of them.
    let sets = layouts.iter().map(vulkan::build_layout_bindings);
    let bindings = sets.map(|set| {
        let binding = |it: &vk::DescriptorSetLayoutBinding<'_>| {
            let (ty, count) = (it.descriptor_type.as_raw(), it.descriptor_count);
            (it.binding, ty, count, it.stage_flags.as_raw())
        };
        set.iter().map(binding).collect::<Vec<_>>()
    });
    let block = vk::DescriptorType::UNIFORM_BUFFER.as_raw();
    let texture = vk::DescriptorType::COMBINED_IMAGE_SAMPLER.as_raw();
    let expected = [vec![(0, block, 1, 1)], vec![(5, texture, 1, 0x10)]];
    assert_eq!(bindings.collect::<Vec<_>>(), expected);
    let sizes = vulkan::build_pool_sizes(&layouts);
    let sizes = sizes.iter().map(|it| (it.ty.as_raw(), it.descriptor_count));
    assert_eq!(sizes.collect::<Vec<_>>(), [(block, 1), (texture, 1)]);

    let mut attributes = vulkan::build_attributes(&vertex.reflection);
    attributes.sort_by_key(|it| it.location);
    let attributes = attributes
        .iter()
        .map(|it| (it.location, it.binding, it.format.as_raw(), it.offset));
    let float = vk::Format::R32G32B32A32_SFLOAT.as_raw();
    let integer = vk::Format::R32G32B32A32_SINT.as_raw();
    assert_eq!(
        attributes.collect::<Vec<_>>(),
        [(0, 0, float, 0), (3, 3, integer, 0)]
    );
}

/// Checks that the structures of a pipeline are those of its shaders, and that a conflict between
/// their descriptors is an error.
#[test]
fn pipelines_have_the_structures_of_all_stages() {
    let (linked, _) = link_pair();
    let info = PipelineInfo::new(&linked).unwrap();
    let stages = info.stages.iter().map(|stage| {
        let words = stage.module.code_size / 4;
        (stage.flag.as_raw(), words, stage.spec_constants.len())
    });
    let words: Vec<usize> = linked.shaders().map(|shader| shader.words.len()).collect();
    let expected = [(0x01, words[0], 0), (0x10, words[1], 2)];
    assert_eq!(stages.collect::<Vec<_>>(), expected);
    let sets = info.set_bindings.iter();
    let sets: Vec<Vec<u32>> = sets
        .map(|set| set.iter().map(|it| it.binding).collect())
        .collect();
    assert_eq!(sets, [vec![0], vec![5]]);
    assert_eq!(info.pool_sizes.len(), 2);
    let mut locations: Vec<u32> = info.attributes.iter().map(|it| it.location).collect();
    locations.sort_unstable();
    assert_eq!(locations, [0, 3]);

    let mut options = Options::default();
    let bindings = &mut options.bindings;
    (
        bindings.parameter_block_set,
        bindings.parameter_block_binding,
    ) = (1, Some(5));
    let programs: Vec<&Program> = linked.programs.iter().collect();
    let conflicting = glasm::link(&programs, &options);
    assert!(PipelineInfo::new(&conflicting).is_err());
}

#[test]
fn state_and_targets_become_structures_of_vulkan() {
    let (linked, options) = link_pair();
    let vertex = linked.shader(Stage::Vertex).unwrap();
    let fragment = linked.shader(Stage::Fragment).unwrap();
    let bytes = StateBlock::new(&options).bytes();
    let word = |it: &vk::SpecializationMapEntry| {
        let bytes = &bytes[it.offset as usize..][..it.size];
        u32::from_ne_bytes(bytes.try_into().unwrap())
    };
    let constants = vulkan::list_spec_constants(&fragment.reflection);
    let mut values: Vec<u32> = constants.iter().map(word).collect();
    values.sort_unstable();
    // VK_COMPARE_OP_GREATER, and the reference.
    assert_eq!(values, [4, 0.5f32.to_bits()]);
    assert!(vulkan::list_spec_constants(&vertex.reflection).is_empty());

    let view = vulkan::get_view_type(fragment.reflection.textures[0].target);
    assert!(view == Some(vk::ImageViewType::CUBE));
    assert!(vulkan::get_view_type(glasm::TexTarget::Buffer).is_none());
}
