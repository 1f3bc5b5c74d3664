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
    set_layouts::glasm_set_layout_binding 24 20;
    set_layouts::glasm_descriptor_conflict 32 28;
    set_layouts::glasm_set_layout 24 12;
    limits::glasm_resource_counts 48 44;
    limits::glasm_program_limits 144 136;
    fixed_function::glasm_combine_argument 12 12;
    fixed_function::glasm_combiner 56 56;
    fixed_function::glasm_fixed_fragment_key 1080 1076;
    fixed_function::glasm_fixed_vertex_key 376 372;
    fixed_function::glasm_light_key 16 16;
    fixed_function::glasm_tex_coord_set_key 24 24;
    fixed_function::glasm_texture_unit_key 132 132;
    link::glasm_pipeline_stage 32 20;
    link::glasm_pipeline_program 16 8;
    link::glasm_unwritten_input 16 16;
    options::glasm_xfb_capture 32 32;
    options::glasm_options 576 448;
    options::glasm_texture_wrap 24 24;
    parameter_block::glasm_parameter_value 84 84;
    parameter_block::glasm_parameter_values 88 52;
    parameters::glasm_block_parameter 64 64;
    reflection::glasm_attachment_binding 16 16;
    reflection::glasm_buffer_binding 20 20;
    reflection::glasm_handle_array 36 36;
    reflection::glasm_image_binding 36 36;
    reflection::glasm_interface_variable 36 36;
    reflection::glasm_named_parameter 24 20;
    reflection::glasm_primitive_info 44 44;
    reflection::glasm_reflection 448 292;
    reflection::glasm_view_replication 28 28;
    reflection::glasm_sampler_binding 16 16;
    reflection::glasm_descriptor_slot 8 8;
    reflection::glasm_texture_binding 28 28;
    semantic::glasm_semantic_info 12 12;
    source::glasm_program_span 24 16;
    source::glasm_source 144 124;
    state_parameter::glasm_state_parameter 40 40;
    state_forms::glasm_state_spec_constant 8 8;
    state_forms::glasm_state_sources 48 48;
    state::glasm_state_setting 24 24;
    text_output::glasm_text_resource 32 20;
    text::glasm_text_options 32 20;
    variables::glasm_program_input 32 32;
    variables::glasm_program_output 24 24;
    variables::glasm_tgsi_output 16 16;
    varyings::glasm_varying_location 28 28;
    varyings::glasm_varyings 24 16;
}
