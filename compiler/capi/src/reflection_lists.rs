//! The lists of a reflection as C reads them, which belong to a shader.

use crate::descriptors::glasm_descriptor;
use crate::parameters::{convert_parameter, glasm_block_parameter};
use crate::reflection::{
    NO_PRIMITIVES, NO_REPLICATION, glasm_attachment_binding, glasm_buffer_binding,
    glasm_descriptor_slot, glasm_handle_array, glasm_image_binding, glasm_interface_variable,
    glasm_named_parameter, glasm_reflection, glasm_sampler_binding, glasm_texture_binding,
};
use crate::state_forms::glasm_state_spec_constant;
use crate::strings::{CStringList, to_c_string};
use glasm::Reflection;
use glasm::layout::list_descriptors;
use glasm::reflect::DescriptorSlot;
use std::ffi::CString;

/// The lists of a reflection as C reads them.
#[derive(Debug)]
pub(crate) struct ReflectionLists {
    entry_point: CString,
    parameters: Vec<glasm_block_parameter>,
    named: Vec<glasm_named_parameter>,
    /// The strings that the names in `named` point to.
    _names: Vec<CString>,
    textures: Vec<glasm_texture_binding>,
    samplers: Vec<glasm_sampler_binding>,
    attachments: Vec<glasm_attachment_binding>,
    images: Vec<glasm_image_binding>,
    handle_arrays: Vec<glasm_handle_array>,
    buffers: Vec<glasm_buffer_binding>,
    inputs: Vec<glasm_interface_variable>,
    outputs: Vec<glasm_interface_variable>,
    descriptors: Vec<glasm_descriptor>,
    state_constants: Vec<glasm_state_spec_constant>,
    capabilities: CStringList,
    extensions: CStringList,
    features: CStringList,
}

// SAFETY: the pointers in it are to strings on the heap that it owns and never modifies.
unsafe impl Send for ReflectionLists {}

// SAFETY: as above.
unsafe impl Sync for ReflectionLists {}

/// Converts each element of a list to its structure for C.
fn convert_all<'a, T: 'a, C: From<&'a T>>(list: &'a [T]) -> Vec<C> {
    list.iter().map(C::from).collect()
}

impl ReflectionLists {
    /// Converts all lists and strings of a reflection to arrays that C can read.
    pub(crate) fn new(reflection: &Reflection) -> Self {
        let slots = reflection
            .parameter_block
            .iter()
            .flat_map(|block| &block.parameters);
        let names = reflection
            .named_parameters
            .iter()
            .map(|named| to_c_string(&named.name));
        let names: Vec<CString> = names.collect();
        let named = reflection.named_parameters.iter().zip(&names);
        let named = named.map(|(named, name)| glasm_named_parameter {
            name: name.as_ptr(),
            initial_value: named.initial_bits.map(f32::from_bits),
        });
        let requirements = &reflection.requirements;
        Self {
            entry_point: to_c_string(reflection.entry_point),
            parameters: slots.map(|slot| convert_parameter(*slot)).collect(),
            named: named.collect(),
            _names: names,
            textures: convert_all(&reflection.textures),
            samplers: convert_all(&reflection.samplers),
            attachments: convert_all(&reflection.input_attachments),
            images: convert_all(&reflection.images),
            handle_arrays: convert_all(&reflection.handle_arrays),
            buffers: convert_all(&reflection.buffers),
            inputs: convert_all(&reflection.inputs),
            outputs: convert_all(&reflection.outputs),
            state_constants: match &reflection.state_block {
                Some(state) => convert_all(&state.spec_constants),
                None => Vec::new(),
            },
            descriptors: list_descriptors(reflection)
                .iter()
                .map(|descriptor| glasm_descriptor::new(descriptor, reflection))
                .collect(),
            capabilities: CStringList::new(requirements.capabilities.iter().copied()),
            extensions: CStringList::new(requirements.extensions.iter().copied()),
            features: CStringList::new(requirements.features.iter().copied()),
        }
    }

    /// Returns the descriptors of the module as structures for C.
    pub(crate) fn descriptors(&self) -> &[glasm_descriptor] {
        &self.descriptors
    }
}

impl glasm_reflection {
    /// Returns the structure that C reads; it points into `tables` and `reflection`, which must
    /// outlive it.
    #[expect(clippy::too_many_lines, reason = "a table: one line for each member")]
    pub(crate) fn new(reflection: &Reflection, tables: &ReflectionLists) -> Self {
        let parameter_block = reflection.parameter_block.as_ref();
        let program = reflection.state_program.as_ref();
        let written_parameters = program.map_or(&[][..], |program| &program.written_parameters);
        let state = reflection.state_block.as_ref();
        let block_slot = state.and_then(|state| state.slot);
        let words_read = state.map_or(&[][..], |state| &state.words_read);
        let slot = |slot: Option<DescriptorSlot>| {
            slot.map(glasm_descriptor_slot::from).unwrap_or_default()
        };
        Self {
            size: size_of::<Self>(),
            stage: reflection.stage.into(),
            entry_point: tables.entry_point.as_ptr(),
            has_parameter_block: parameter_block.is_some().into(),
            is_parameter_block_storage_buffer: parameter_block
                .is_some_and(|block| block.is_storage_buffer)
                .into(),
            parameter_block_slot: slot(parameter_block.map(|block| block.slot)),
            parameters: tables.parameters.as_ptr(),
            parameter_count: tables.parameters.len(),
            named_parameters: tables.named.as_ptr(),
            named_parameter_count: tables.named.len(),
            is_state_program: program.is_some().into(),
            state_program_slot: slot(program.map(|program| program.slot)),
            state_program_written_parameters: written_parameters.as_ptr(),
            state_program_written_parameter_count: written_parameters.len(),
            has_image_lock: reflection.image_lock_slot.is_some().into(),
            image_lock_slot: slot(reflection.image_lock_slot),
            has_view_replication: reflection.view_replication.is_some().into(),
            view_replication: reflection
                .view_replication
                .as_ref()
                .map_or(NO_REPLICATION, From::from),
            primitive_info: reflection
                .primitive_info
                .as_ref()
                .map_or(NO_PRIMITIVES, From::from),
            has_workgroup_size: reflection.workgroup_size.is_some().into(),
            workgroup_size: reflection.workgroup_size.unwrap_or_default(),
            requires_depth_clamp: reflection.requires_depth_clamp.into(),
            missing_textures_have_zero_alpha: reflection.missing_textures_have_zero_alpha.into(),
            has_state_block: block_slot.is_some().into(),
            state_block_slot: slot(block_slot),
            state_words_read: words_read.as_ptr(),
            state_word_read_count: words_read.len(),
            state_spec_constants: tables.state_constants.as_ptr(),
            state_spec_constant_count: tables.state_constants.len(),
            textures: tables.textures.as_ptr(),
            texture_count: tables.textures.len(),
            samplers: tables.samplers.as_ptr(),
            sampler_count: tables.samplers.len(),
            input_attachments: tables.attachments.as_ptr(),
            input_attachment_count: tables.attachments.len(),
            images: tables.images.as_ptr(),
            image_count: tables.images.len(),
            handle_arrays: tables.handle_arrays.as_ptr(),
            handle_array_count: tables.handle_arrays.len(),
            buffers: tables.buffers.as_ptr(),
            buffer_count: tables.buffers.len(),
            inputs: tables.inputs.as_ptr(),
            input_count: tables.inputs.len(),
            outputs: tables.outputs.as_ptr(),
            output_count: tables.outputs.len(),
            capabilities: tables.capabilities.as_ptr(),
            capability_count: tables.capabilities.len(),
            extensions: tables.extensions.as_ptr(),
            extension_count: tables.extensions.len(),
            features: tables.features.as_ptr(),
            feature_count: tables.features.len(),
        }
    }
}
