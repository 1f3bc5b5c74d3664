//! Writes the commands of OpenGL as Rust, from the registry of the Khronos group: those of the
//! driver, and the entry points that precede them.
//!
//! `src/ffi/driver.rs` includes `driver.rs`, a table of all commands, as macro calls.
//! `src/ffi/entry_table.rs` includes `entries.rs`: the commands that this library intercepts, each
//! with its handling, which [`RULES`] defines by name.

mod static_cpp;

use glasm_glregistry::{Binding, Cmd, Commands, has_pointer, signature};
use std::fs;
use std::io;
use std::path::Path;

/// Extensions that applications may use beyond OpenGL 4.6 with the compatibility profile and the
/// extensions for programs, their parameters, attributes, draws and state.
const EXTENSIONS: &[&str] = &[
    "GL_ARB_bindless_texture",
    "GL_ARB_buffer_storage",
    "GL_ARB_color_buffer_float",
    "GL_ARB_compute_variable_group_size",
    "GL_ARB_draw_instanced",
    "GL_ARB_fragment_program",
    "GL_ARB_geometry_shader4",
    "GL_ARB_gl_spirv",
    "GL_ARB_gpu_shader_int64",
    "GL_ARB_indirect_parameters",
    "GL_ARB_multitexture",
    "GL_ARB_occlusion_query",
    "GL_ARB_point_parameters",
    "GL_ARB_robustness",
    "GL_ARB_shader_objects",
    "GL_ARB_sparse_buffer",
    "GL_ARB_texture_buffer_object",
    "GL_ARB_transpose_matrix",
    "GL_ARB_vertex_array_object",
    "GL_ARB_vertex_buffer_object",
    "GL_ARB_vertex_program",
    "GL_ARB_vertex_shader",
    "GL_ARB_window_pos",
    "GL_EXT_blend_func_separate",
    "GL_EXT_debug_label",
    "GL_EXT_direct_state_access",
    "GL_EXT_draw_instanced",
    "GL_EXT_draw_range_elements",
    "GL_EXT_fog_coord",
    "GL_EXT_framebuffer_object",
    "GL_EXT_gpu_program_parameters",
    "GL_EXT_gpu_shader4",
    "GL_EXT_memory_object",
    "GL_EXT_multi_draw_arrays",
    "GL_EXT_point_parameters",
    "GL_EXT_provoking_vertex",
    "GL_EXT_secondary_color",
    "GL_EXT_texture_buffer_object",
    "GL_EXT_texture_object",
    "GL_EXT_transform_feedback",
    "GL_EXT_vertex_array",
    "GL_EXT_vertex_attrib_64bit",
    "GL_NVX_conditional_render",
    "GL_NV_compute_program5",
    "GL_NV_fence",
    "GL_NV_fragment_program",
    "GL_NV_geometry_program4",
    "GL_NV_gpu_program4",
    "GL_NV_gpu_program5",
    "GL_NV_occlusion_query",
    "GL_NV_parameter_buffer_object",
    "GL_NV_pixel_data_range",
    "GL_NV_register_combiners",
    "GL_NV_register_combiners2",
    "GL_NV_tessellation_program5",
    "GL_NV_texture_shader",
    "GL_NV_texture_shader2",
    "GL_NV_texture_shader3",
    "GL_NV_transform_feedback",
    "GL_NV_transform_feedback2",
    "GL_NV_vertex_array_range",
    "GL_NV_vertex_program",
    "GL_NV_vertex_program4",
];

/// Extensions whose commands this library provides if the driver lacks them.
const PROVIDED_EXTENSIONS: &[&str] = &[
    "GL_ARB_compute_variable_group_size",
    "GL_ARB_fragment_program",
    "GL_ARB_vertex_program",
    "GL_EXT_gpu_program_parameters",
    "GL_NVX_conditional_render",
    "GL_NV_fence",
    "GL_NV_fragment_program",
    "GL_NV_geometry_program4",
    "GL_NV_gpu_program4",
    "GL_NV_gpu_program5",
    "GL_NV_occlusion_query",
    "GL_NV_parameter_buffer_object",
    "GL_NV_pixel_data_range",
    "GL_NV_register_combiners",
    "GL_NV_register_combiners2",
    "GL_NV_tessellation_program5",
    "GL_NV_transform_feedback",
    "GL_NV_transform_feedback2",
    "GL_NV_vertex_array_range",
    "GL_NV_vertex_program",
    "GL_NV_vertex_program4",
];

/// Version of OpenGL whose commands the system's library of Windows exports.
const EXPORTED_VERSION: (u8, u8) = (1, 1);

/// Handling of commands, by the name or the start of the name (`*`), without `gl`. The first
/// matching entry applies; commands that match none go to the driver directly.
///
/// - `own`: a function of this library answers it.
/// - `draw`: programs are prepared before the driver draws primitives of a mode, its first
///   parameter.
/// - `attribute`: a conventional attribute of a vertex, which is a numbered one, too; `numbered`:
///   the other way round.
/// - `rectangle`: it draws one.
/// - `raster`: it sets the raster position.
/// - `arrays`: before the command, arrays are restored to the state of the application; `textures`:
///   textures are.
/// - any other class is the group of state that the command may change.
const RULES: &[(&str, &[&str])] = &[
    (
        "unseen",
        &[
            "DrawBuffer",
            "FogCoordPointer*",
            "FogCoordFormat*",
            "LightEnv*",
            "ClipControl",
            "PointAlongPath*",
            "ColorMask*",
            "ColorTable*",
            "ColorSub*",
            "ColorP*",
            "SecondaryColorP*",
            "NormalP*",
            "TexCoordP*",
            "MultiTexCoordP*",
            "ColorFormat*",
            "ColorFragment*",
            "NormalFormat*",
            "NormalStream*",
            "TexCoordFormat*",
            "VertexAttribP1*",
            "VertexAttribP2*",
            "VertexAttribP3*",
            "VertexAttribP4*",
            "MultiTexCoordPointerEXT",
            "FogFunc*",
            "MultiModeDraw*",
            "DrawTexture*",
            "DrawMesh*",
            "DrawVk*",
            "DrawCommands*",
            "DrawElementArray*",
            "DrawRangeElementArray*",
            "MultiDrawMesh*",
            "MultiDrawElementArray*",
            "MultiDrawRangeElementArray*",
            "EvalMapsNV",
        ],
    ),
    (
        "own",
        &[
            // Program objects: ARB_vertex_program, NV_vertex_program.
            "GenProgramsARB",
            "GenProgramsNV",
            "DeleteProgramsARB",
            "DeleteProgramsNV",
            "BindProgramARB",
            "BindProgramNV",
            "IsProgramARB",
            "IsProgramNV",
            "ProgramStringARB",
            "LoadProgramNV",
            "GetProgramivARB",
            "GetProgramivNV",
            "GetProgramStringARB",
            "GetProgramStringNV",
            "ExecuteProgramNV",
            "AreProgramsResidentNV",
            "RequestResidentProgramsNV",
            "TrackMatrixNV",
            "GetTrackMatrixivNV",
            "ProgramVertexLimitNV",
            // Parameters.
            "ProgramEnvParameter*",
            "ProgramLocalParameter*",
            "GetProgramEnvParameter*",
            "GetProgramLocalParameter*",
            "ProgramParameter4*",
            "ProgramParameters4*",
            "GetProgramParameterdvNV",
            "GetProgramParameterfvNV",
            "ProgramNamedParameter4*",
            "GetProgramNamedParameter*",
            "NamedProgramStringEXT",
            "NamedProgramLocalParameter*",
            "GetNamedProgramLocalParameter*",
            "GetNamedProgramivEXT",
            "GetNamedProgramStringEXT",
            "ProgramBufferParameters*",
            "ProgramSubroutineParametersuivNV",
            "GetProgramSubroutineParameteruivNV",
            "BindBufferBase",
            "BindBufferBaseNV",
            "BindBufferBaseEXT",
            "BindBufferRange",
            "BindBufferRangeNV",
            "BindBufferRangeEXT",
            "BindBuffer",
            "BufferData",
            "BufferSubData",
            "GetBufferSubData",
            "GetBufferParameteriv",
            "MapBuffer",
            "MapBufferRange",
            "UnmapBuffer",
            "GetIntegeri_v",
            "GetIntegerIndexedvEXT",
            "BindBufferOffsetNV",
            // Attributes by number.
            "VertexAttribPointerNV",
            "GetVertexAttribdvNV",
            "GetVertexAttribfvNV",
            "GetVertexAttribivNV",
            "GetVertexAttribPointervNV",
            "VertexAttribs*",
            // State that the application queries.
            "Enable",
            "Disable",
            "IsEnabled",
            "EnableClientState",
            "DisableClientState",
            "GetIntegerv",
            "GetFloatv",
            "GetDoublev",
            "GetBooleanv",
            "GetString",
            "GetStringi",
            "GetError",
            "MatrixMode",
            // Transform feedback.
            "TransformFeedbackAttribsNV",
            "TransformFeedbackStreamAttribsNV",
            "BeginTransformFeedback",
            "BeginTransformFeedbackNV",
            "BeginTransformFeedbackEXT",
            "EndTransformFeedback",
            "EndTransformFeedbackNV",
            "EndTransformFeedbackEXT",
            "PauseTransformFeedbackNV",
            "ResumeTransformFeedbackNV",
            "BindTransformFeedbackNV",
            "DeleteTransformFeedbacksNV",
            "GenTransformFeedbacksNV",
            "IsTransformFeedbackNV",
            "DrawTransformFeedbackNV",
            // Commands that must not see the programs of this library, or that select between them
            // and the application's own.
            "UseProgram",
            "UseProgramObjectARB",
            "GetHandleARB",
            "BindProgramPipeline",
            "LinkProgram",
            "LinkProgramARB",
            "GetProgramiv",
            "DispatchCompute",
            "DispatchComputeIndirect",
            "DispatchComputeGroupSizeARB",
            "MemoryBarrier",
            "MemoryBarrierByRegion",
            "PushAttrib",
            "PopAttrib",
            "BindImageTexture",
            "BindImageTextures",
            // Display lists, immediate mode.
            "Materialf",
            "Materialfv",
            "Materiali",
            "Materialiv",
            // Pixels.
            "DrawPixels",
            "CopyPixels",
            "Bitmap",
            "GenLists",
            "NewList",
            "EndList",
            "CallList",
            "CallLists",
            "DeleteLists",
            "IsList",
            "Begin",
            "End",
            // Evaluators.
            "Map1d",
            "Map1f",
            "Map2d",
            "Map2f",
            "GetMapdv",
            "GetMapfv",
            "GetMapiv",
            "EvalCoord*",
            "EvalPoint*",
            "EvalMesh*",
            // Extensions that do not concern programs: fences, occlusion queries, hints.
            "GenFencesNV",
            "DeleteFencesNV",
            "IsFenceNV",
            "SetFenceNV",
            "TestFenceNV",
            "FinishFenceNV",
            "GetFenceivNV",
            "GenOcclusionQueriesNV",
            "DeleteOcclusionQueriesNV",
            "IsOcclusionQueryNV",
            "BeginOcclusionQueryNV",
            "EndOcclusionQueryNV",
            "GetOcclusionQueryivNV",
            "GetOcclusionQueryuivNV",
            "BeginConditionalRenderNVX",
            "EndConditionalRenderNVX",
            "Hint",
            // Ranges of memory, and client state with them.
            "VertexArrayRangeNV",
            "FlushVertexArrayRangeNV",
            "PixelDataRangeNV",
            "FlushPixelDataRangeNV",
            "GetPointerv",
            "GetPointervEXT",
            "PushClientAttrib",
            "PopClientAttrib",
            "PushClientAttribDefaultEXT",
            "ClientAttribDefaultEXT",
            // Register combiners.
            "CombinerParameter*",
            "CombinerStageParameter*",
            "CombinerInputNV",
            "CombinerOutputNV",
            "FinalCombinerInputNV",
            "GetCombiner*",
            "GetFinalCombiner*",
            // Texture shaders: stages, environments, formats and images of textures.
            "TexEnvf",
            "TexEnvfv",
            "TexEnvi",
            "TexEnviv",
            "GetTexEnvfv",
            "GetTexEnviv",
            "MultiTexEnvfEXT",
            "MultiTexEnvfvEXT",
            "MultiTexEnviEXT",
            "MultiTexEnvivEXT",
            "GetMultiTexEnvfvEXT",
            "GetMultiTexEnvivEXT",
            "PixelTransferf",
            "PixelTransferi",
            "TexParameterfv",
            "TexParameteriv",
            "GetTexParameterfv",
            "GetTexParameteriv",
            "TexImage1D",
            "TexImage2D",
            "TexImage3D",
            "TexSubImage1D",
            "TexSubImage2D",
            "TexSubImage3D",
            "CopyTexImage1D",
            "CopyTexImage2D",
            "CopyTexSubImage1D",
            "CopyTexSubImage2D",
            "CopyTexSubImage3D",
            "GetTexImage",
            "ReadPixels",
            "GetTexLevelParameterfv",
            "GetTexLevelParameteriv",
            "BeginQuery",
            "BeginQueryARB",
            "EndQuery",
            "EndQueryARB",
            "BeginQueryIndexed",
            "EndQueryIndexed",
        ],
    ),
    (
        "numbered",
        &[
            "VertexAttrib1*NV",
            "VertexAttrib2*NV",
            "VertexAttrib3*NV",
            "VertexAttrib4*NV",
        ],
    ),
    (
        "attribute",
        &[
            "Color3*",
            "Color4*",
            "SecondaryColor3*",
            "Normal3*",
            "TexCoord1*",
            "TexCoord2*",
            "TexCoord3*",
            "TexCoord4*",
            "MultiTexCoord1*",
            "MultiTexCoord2*",
            "MultiTexCoord3*",
            "MultiTexCoord4*",
            "FogCoordd*",
            "FogCoordf*",
        ],
    ),
    ("rectangle", &["Rect*"]),
    ("raster", &["RasterPos2*", "RasterPos3*", "RasterPos4*"]),
    (
        "draw",
        &[
            "DrawArrays*",
            "DrawElements*",
            "DrawRangeElements*",
            "DrawTransformFeedback*",
            "MultiDraw*",
        ],
    ),
    (
        "MATRIX",
        &[
            "LoadMatrix*",
            "LoadTransposeMatrix*",
            "MultMatrix*",
            "MultTransposeMatrix*",
            "LoadIdentity*",
            "Rotate*",
            "Scaled",
            "Scalef",
            "Translate*",
            "PushMatrix",
            "PopMatrix",
            "Ortho",
            "Frustum",
            "MatrixLoad*",
            "MatrixMult*",
            "MatrixRotate*",
            "MatrixScale*",
            "MatrixTranslate*",
            "MatrixPush*",
            "MatrixPop*",
            "MatrixOrtho*",
            "MatrixFrustum*",
        ],
    ),
    ("LIGHT", &["Light*"]),
    ("MATERIAL", &["ColorMaterial"]),
    ("TEXGEN", &["TexGen*", "MultiTexGen*"]),
    ("TEXENV", &["TexEnv*", "MultiTexEnv*"]),
    ("FOG", &["Fogf", "Fogfv", "Fogi", "Fogiv", "FogCoord*"]),
    ("CLIP", &["ClipPlane*"]),
    ("POINT", &["PointSize", "PointParameter*"]),
    ("PATCH", &["PatchParameter*"]),
    ("VIEWPORT", &["Viewport*", "DepthRange*"]),
    ("RASTER", &["ShadeModel", "ClampColor*", "ProvokingVertex*"]),
    (
        "arrays",
        &[
            "BindVertexArray*",
            "GetVertexAttrib*",
            "GetVertexArray*",
            "VertexPointer*",
            "ColorPointer*",
            "NormalPointer*",
            "SecondaryColorPointer*",
            "TexCoordPointer*",
            "EdgeFlagPointer*",
            "InterleavedArrays",
            "VertexAttribPointer*",
            "VertexAttribIPointer*",
            "VertexAttribLPointer*",
            "EnableVertexAttribArray*",
            "DisableVertexAttribArray*",
            "VertexArray*",
            "EnableVertexArray*",
            "DisableVertexArray*",
            "VertexAttribFormat",
            "VertexAttribIFormat",
            "VertexAttribLFormat",
            "VertexAttribBinding",
            "VertexBindingDivisor",
            "VertexAttribDivisor*",
            "BindVertexBuffer*",
            "EnableClientStateiEXT",
            "EnableClientStateIndexedEXT",
            "DisableClientStateiEXT",
            "DisableClientStateIndexedEXT",
            "DeleteBuffers*",
            "DeleteVertexArrays*",
        ],
    ),
    (
        "textures",
        &[
            "TexParameter*",
            "TextureParameter*",
            "MultiTexParameter*",
            "GetTexParameter*",
            "GetTextureParameter*",
            "GetMultiTexParameter*",
            "DeleteTextures*",
            "TexImage*",
            "TextureImage*",
            "MultiTexImage*",
            "TexStorage*",
            "TextureStorage*",
            "CopyTexImage*",
            "CopyTextureImage*",
            "CompressedTexImage*",
            "CompressedTextureImage*",
            "TexBuffer*",
            "GenerateMipmap*",
            "GenerateTextureMipmap*",
        ],
    ),
    (
        "TEXTURE",
        &[
            "BindTexture*",
            "BindMultiTextureEXT",
            "BindSampler*",
            "SamplerParameter*",
            "DeleteSamplers",
        ],
    ),
    (
        "FRAMEBUFFER",
        &[
            "DrawBuffer",
            "DrawBuffers*",
            "BindFramebuffer*",
            "FramebufferDrawBuffer*",
            "NamedFramebufferDrawBuffer*",
            "FramebufferTexture*",
            "FramebufferRenderbuffer*",
        ],
    ),
    (
        "ENABLES",
        &["EnableIndexed*", "DisableIndexed*", "Enablei", "Disablei"],
    ),
];

/// Returns the class of a command in [`RULES`]; `None` for those that go to the driver directly.
fn handling_class(name: &str) -> Option<&'static str> {
    let fits = |pattern: &&str| match pattern.split_once('*') {
        Some((start, end)) => name.starts_with(start) && name.ends_with(end),
        None => name == *pattern,
    };
    let row = RULES
        .iter()
        .find(|(_, patterns)| patterns.iter().any(fits))?;
    Some(row.0).filter(|class| *class != "unseen")
}

/// Returns an invocation of the macro `entries` with the commands that this library intercepts,
/// each with its class and the values that the class takes, if any.
fn format_entries(commands: &Commands) -> String {
    let rows = commands.iter().filter_map(|command| {
        let class = handling_class(&command.proto.ident)?;
        let value = match class {
            "attribute" | "numbered" | "raster" => format_attribute(command),
            "rectangle" => format_rectangle_corners(command),
            "draw" => " = mode_, ()".to_owned(),
            _ => String::new(),
        };
        Some(format!("{class} {}{value};\n", signature(command)))
    });
    let rows: String = rows.collect();
    format!("entries! {{\n{rows}}}\n")
}

/// Returns Rust statements for the start of a command whose parameter is the name of an object that
/// this library may have created, or a list of such names: they delete or rename the library's
/// object, or replace the name by one that no object has (`crate::object_names` explains both).
/// Returns `None` for other parameters, including programs of ARB_vertex_program, whose names are
/// separate.
fn format_name_guard(command: &Cmd, parameter: &Binding) -> Option<String> {
    let (name, parameter_name) = (command.proto.ident.as_str(), parameter.ident.as_str());
    let of_programs = [
        "NamedProgram",
        "BindProgramARB",
        "BindProgramNV",
        "IsProgramARB",
        "IsProgramNV",
    ];
    let of_programs = of_programs.iter().any(|it| name.contains(it));
    let ty = parameter.ty.trim_start_matches("types::");
    let count = || {
        command
            .params
            .iter()
            .find(|it| ["n", "count"].contains(&it.ident.as_str()))
    };
    Some(match (ty, parameter_name) {
        ("GLuint", "buffer") if name.starts_with("IsBuffer") => {
            "let buffer_ = entry_points::hide_buffer_name(buffer_);".to_owned()
        }
        ("GLuint", "buffer" | "readBuffer" | "writeBuffer") => {
            format!("entry_points::claim_buffer({parameter_name}_);")
        }
        ("GLuint", "texture" | "origtexture" | "srcName" | "dstName") => {
            format!("entry_points::claim_texture({parameter_name}_);")
        }
        ("GLuint", "program") if !of_programs => {
            "let program_ = entry_points::hide_program_name(program_);".to_owned()
        }
        ("GLhandleARB", "programObj" | "containerObj" | "obj") => {
            format!("let {parameter_name}_ = entry_points::hide_program_name({parameter_name}_);")
        }
        ("GLuint", "pipeline") => {
            "let pipeline_ = entry_points::hide_pipeline_name(pipeline_);".to_owned()
        }
        ("GLuint", "name" | "object") if name.contains("Object") && name.contains("Label") => {
            let kind = &command.params[0].ident;
            format!(
                "let {parameter_name}_ = entry_points::hide_object_name({kind}_, {parameter_name}_);"
            )
        }
        (_, "pipelines") if name == "DeleteProgramPipelines" => {
            "if entry_points::delete_pipelines(n_, pipelines_) { return; }".to_owned()
        }
        (ty, "buffers" | "textures") if ty.starts_with("*const") => {
            let (count, one) = (&count()?.ident, parameter_name.trim_end_matches('s'));
            format!("entry_points::claim_{one}s({count}_, {parameter_name}_);")
        }
        _ => return None,
    })
}

/// Returns an invocation of the macro `guards` with the commands for which [`format_name_guard`]
/// returns statements, each with these; `seen` if [`format_entries`] lists the command, too.
fn format_name_guards(commands: &Commands) -> String {
    let rows = commands.iter().filter_map(|command| {
        let statements = command
            .params
            .iter()
            .filter_map(|it| format_name_guard(command, it));
        let statements: Vec<String> = statements.collect();
        let intercepted = match handling_class(&command.proto.ident) {
            Some(_) => "seen",
            None => "unseen",
        };
        let statements = statements.join(" ");
        (!statements.is_empty()).then(|| {
            format!(
                "{intercepted} {} = {{ {statements} }};\n",
                signature(command)
            )
        })
    });
    let rows: String = rows.collect();
    format!("guards! {{\n{rows}}}\n")
}

/// Returns the functions that the library of Windows exports, each with the function of this library
/// that it calls: an entry point, or the driver's command.
fn format_exports(commands: &Commands) -> String {
    let guards = format_name_guards(commands);
    let rows = Commands::of_version(EXPORTED_VERSION, &[]);
    let rows = rows.iter().map(|command| {
        let name = command.proto.ident.as_str();
        let is_guarded = guards
            .lines()
            .any(|row| row.split(['(', ' ']).nth(1) == Some(name));
        let module = match handling_class(name) {
            _ if is_guarded => "guards",
            Some(_) => "points",
            None => "driver",
        };
        format!("gl{name} = {module} {};\n", signature(command))
    });
    let rows: String = rows.collect();
    format!("exports! {{\n{rows}}}\n")
}

/// Returns the names of the commands that this library provides if the driver lacks them, sorted.
fn format_provided() -> String {
    let base = Commands::of_version(EXPORTED_VERSION, &[]);
    let extended = Commands::of_version(EXPORTED_VERSION, PROVIDED_EXTENSIONS);
    let known: Vec<&str> = base.iter().map(|it| it.proto.ident.as_str()).collect();
    let added = extended.iter().map(|it| it.proto.ident.as_str());
    let mut names: Vec<String> = added
        .filter(|name| !known.contains(name))
        .filter(|name| matches!(handling_class(name), Some("own" | "numbered")))
        .map(|name| format!("gl{name}"))
        .collect();
    names.sort();
    format!("&{names:?}")
}

/// Returns the corners of a rectangle: ` = (), [x1, y1, x2, y2]`.
fn format_rectangle_corners(command: &Cmd) -> String {
    let corners: Vec<String> = match &command.params[..] {
        [first, second] => [first, second]
            .into_iter()
            .flat_map(|it| [0, 1].map(|n| format!("component({}_, {n})", it.ident)))
            .collect(),
        numbers => numbers.iter().map(|it| format!("{}_", it.ident)).collect(),
    };
    let corners: Vec<String> = corners
        .iter()
        .map(|it| format!("Component::number({it})"))
        .collect();
    format!(" = (), [{}]", corners.join(", "))
}

/// Returns the vertex attribute that a command sets: ` = number of the attribute, four components`.
/// Components that it omits are 0, 0, 0, 1; integers are fractions of the largest one if GL
/// specifies it (GL 2.1 section 2.7; NV_vertex_program, "VertexAttrib4ubNV").
fn format_attribute(command: &Cmd) -> String {
    let name = command.proto.ident.as_str();
    let digit = name.find(|it: char| it.is_ascii_digit());
    let (base, count) = match digit {
        Some(place) => (&name[..place], usize::from(name.as_bytes()[place] - b'0')),
        None => ("FogCoord", 1),
    };
    let first_parameter = format!("{}_", command.params[0].ident);
    let (number, values) = match base {
        "Color" => ("3".to_owned(), &command.params[..]),
        "SecondaryColor" => ("4".to_owned(), &command.params[..]),
        "RasterPos" => ("0".to_owned(), &command.params[..]),
        "Normal" => ("2".to_owned(), &command.params[..]),
        "TexCoord" => ("8".to_owned(), &command.params[..]),
        "FogCoord" => ("5".to_owned(), &command.params[..]),
        "MultiTexCoord" => (
            format!("texture_coordinates({first_parameter})"),
            &command.params[1..],
        ),
        "VertexAttrib" => (first_parameter, &command.params[1..]),
        _ => panic!("{name} sets no attribute that is known"),
    };
    let fractions = match base {
        "Color" | "SecondaryColor" | "Normal" => true,
        _ => name.contains("ub"),
    };
    let convert = if fractions {
        "Component::fraction"
    } else {
        "Component::number"
    };
    let is_list = values[0].ty.contains('*');
    let components: Vec<String> = (0..4)
        .map(|n| match (n < count, is_list) {
            (true, true) => format!("{convert}(component({}_, {n}))", values[0].ident),
            (true, false) => format!("{convert}({}_)", values[n].ident),
            (false, _) => if n == 3 { "1.0" } else { "0.0" }.to_owned(),
        })
        .collect();
    format!(" = {number}, [{}]", components.join(", "))
}

/// Writes the sources that are generated from the OpenGL registry: `driver.rs` with the driver's
/// commands, `entries.rs` with the entry points and their guards, and for Windows `exports.rs` and
/// `provided.rs`.
fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=static_cpp.rs");
    // GLVND loads the library by this name, which the dynamic linker then finds again.
    if std::env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|name| name == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libGLX_glasm.so.0");
    }
    let folder = std::env::var("OUT_DIR").map_err(io::Error::other)?;
    let folder = Path::new(&folder);
    static_cpp::link_static_cpp(folder, "CARGO_FEATURE_TEXT", "cdylib")?;
    let commands = Commands::with_extensions(EXTENSIONS);
    let driver = commands.types_and_constants() + &commands.commands_macro(has_pointer);
    fs::write(folder.join("driver.rs"), driver)?;
    fs::write(
        folder.join("entries.rs"),
        format_entries(&commands) + &format_name_guards(&commands),
    )?;
    fs::write(folder.join("exports.rs"), format_exports(&commands))?;
    fs::write(folder.join("provided.rs"), format_provided())
}
