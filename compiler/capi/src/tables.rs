//! The lists of a reflection as C reads them, which belong to a shader.

use crate::descriptors::glasm_descriptor;
use crate::parameters::{convert_parameter, glasm_parameter};
use crate::reflection::{
    NO_PRIMITIVES, NO_REPLICATION, glasm_attachment_binding, glasm_buffer_binding,
    glasm_handle_array, glasm_image_binding, glasm_interface_variable, glasm_named_parameter,
    glasm_reflection, glasm_sampler_binding, glasm_slot, glasm_texture_binding,
};
use crate::state_forms::glasm_state_constant;
use crate::strings::{StringList, to_c_string};
use glasm::Reflection;
use glasm::layout::descriptors;
use glasm::reflect::DescriptorSlot;
use std::ffi::CString;

/// The lists of a reflection as C reads them.
#[derive(Debug)]
pub(crate) struct Tables {
    entry_point: CString,
    parameters: Vec<glasm_parameter>,
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
    state_constants: Vec<glasm_state_constant>,
    capabilities: StringList,
    extensions: StringList,
    features: StringList,
}

// SAFETY: the pointers in it are to strings on the heap that it owns and never modifies.
unsafe impl Send for Tables {}

// SAFETY: as above.
unsafe impl Sync for Tables {}

fn convert_all<'a, T: 'a, C: From<&'a T>>(list: &'a [T]) -> Vec<C> {
    list.iter().map(C::from).collect()
}

impl Tables {
    pub(crate) fn new(reflection: &Reflection) -> Self {
        let slots = reflection.params.iter().flat_map(|block| &block.slots);
        let names = reflection
            .named
            .iter()
            .map(|named| to_c_string(&named.name));
        let names: Vec<CString> = names.collect();
        let named = reflection.named.iter().zip(&names);
        let named = named.map(|(named, name)| glasm_named_parameter {
            name: name.as_ptr(),
            initial: named.initial.map(f32::from_bits),
        });
        let requirements = &reflection.requirements;
        Self {
            entry_point: to_c_string(reflection.entry_point),
            parameters: slots.map(|slot| convert_parameter(*slot)).collect(),
            named: named.collect(),
            _names: names,
            textures: convert_all(&reflection.textures),
            samplers: convert_all(&reflection.samplers),
            attachments: convert_all(&reflection.attachments),
            images: convert_all(&reflection.images),
            handle_arrays: convert_all(&reflection.handle_arrays),
            buffers: convert_all(&reflection.buffers),
            inputs: convert_all(&reflection.inputs),
            outputs: convert_all(&reflection.outputs),
            state_constants: match &reflection.state {
                Some(state) => convert_all(&state.constants),
                None => Vec::new(),
            },
            descriptors: descriptors(reflection)
                .iter()
                .map(|descriptor| glasm_descriptor::new(descriptor, reflection))
                .collect(),
            capabilities: StringList::new(requirements.capabilities.iter().copied()),
            extensions: StringList::new(requirements.extensions.iter().copied()),
            features: StringList::new(requirements.features.iter().copied()),
        }
    }

    pub(crate) fn descriptors(&self) -> &[glasm_descriptor] {
        &self.descriptors
    }
}

impl glasm_reflection {
    #[expect(clippy::too_many_lines, reason = "a table: one line for each member")]
    pub(crate) fn new(reflection: &Reflection, tables: &Tables) -> Self {
        let block = reflection.params.as_ref();
        let program = reflection.state_program.as_ref();
        let written = program.map_or(&[][..], |program| &program.written);
        let state = reflection.state.as_ref();
        let block_slot = state.and_then(|state| state.slot);
        let read = state.map_or(&[][..], |state| &state.words);
        let slot = |slot: Option<DescriptorSlot>| slot.map(glasm_slot::from).unwrap_or_default();
        Self {
            size: size_of::<Self>(),
            stage: reflection.stage.into(),
            entry_point: tables.entry_point.as_ptr(),
            has_parameters: block.is_some().into(),
            parameters_in_storage_buffer: block.is_some_and(|block| block.storage).into(),
            parameter_slot: slot(block.map(|block| block.slot)),
            parameters: tables.parameters.as_ptr(),
            parameter_count: tables.parameters.len(),
            named_parameters: tables.named.as_ptr(),
            named_parameter_count: tables.named.len(),
            is_state_program: program.is_some().into(),
            state_program_slot: slot(program.map(|program| program.slot)),
            state_program_written: written.as_ptr(),
            state_program_written_count: written.len(),
            has_image_lock: reflection.image_lock.is_some().into(),
            image_lock: slot(reflection.image_lock),
            has_replication: reflection.replication.is_some().into(),
            replication: reflection
                .replication
                .as_ref()
                .map_or(NO_REPLICATION, From::from),
            primitives: reflection
                .primitives
                .as_ref()
                .map_or(NO_PRIMITIVES, From::from),
            has_workgroup_size: reflection.workgroup_size.is_some().into(),
            workgroup_size: reflection.workgroup_size.unwrap_or_default(),
            unclipped_depth: reflection.unclipped_depth.into(),
            transparent_missing: reflection.transparent_missing.into(),
            has_state_block: block_slot.is_some().into(),
            state_slot: slot(block_slot),
            state_words: read.as_ptr(),
            state_word_count: read.len(),
            state_constants: tables.state_constants.as_ptr(),
            state_constant_count: tables.state_constants.len(),
            textures: tables.textures.as_ptr(),
            texture_count: tables.textures.len(),
            samplers: tables.samplers.as_ptr(),
            sampler_count: tables.samplers.len(),
            attachments: tables.attachments.as_ptr(),
            attachment_count: tables.attachments.len(),
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
