//! Sizes of the structures, on machines with pointers of 64 and of 32 bits. They are checked where
//! the crate is compiled; the test `layout` reads these entries, too, and checks that C has the
//! same sizes.

macro_rules! layouts {
    ($($module:ident::$name:ident $of_64:literal $of_32:literal;)*) => { $(
        const _: () = assert!(
            size_of::<crate::$module::$name>() == if cfg!(target_pointer_width = "64") { $of_64 } else { $of_32 }
        );
    )* };
}

layouts! {
    descriptors::glasm_descriptor 24 24;
    diagnostics::glasm_diagnostic 88 56;
    layouts::glasm_layout_binding 16 16;
    layouts::glasm_layout_conflict 32 28;
    layouts::glasm_set_layout 24 12;
    limits::glasm_counts 48 44;
    limits::glasm_limits 144 136;
    link::glasm_pipeline_stage 32 20;
    link::glasm_stage_options 16 8;
    link::glasm_unwritten_input 16 16;
    options::glasm_capture 32 32;
    options::glasm_options 576 448;
    options::glasm_texture_wrap 24 24;
    parameter_block::glasm_parameter_values 88 52;
    parameters::glasm_parameter 64 64;
    reflection::glasm_attachment_binding 16 16;
    reflection::glasm_buffer_binding 20 20;
    reflection::glasm_handle_array 36 36;
    reflection::glasm_image_binding 36 36;
    reflection::glasm_interface_variable 36 36;
    reflection::glasm_named_parameter 24 20;
    reflection::glasm_primitives 44 44;
    reflection::glasm_reflection 448 292;
    reflection::glasm_replication 28 28;
    reflection::glasm_sampler_binding 16 16;
    reflection::glasm_slot 8 8;
    reflection::glasm_texture_binding 28 28;
    semantic::glasm_meaning 12 12;
    source::glasm_part 24 16;
    source::glasm_source 144 124;
    state_parameter::glasm_state_parameter 40 40;
    state_forms::glasm_state_constant 8 8;
    state_forms::glasm_state_forms 48 48;
    text::glasm_resource 32 20;
    text::glasm_text_options 32 20;
    variables::glasm_program_input 32 32;
    variables::glasm_program_output 24 24;
    variables::glasm_tgsi_output 16 16;
    varyings::glasm_place 28 28;
    varyings::glasm_varyings 24 16;
}
