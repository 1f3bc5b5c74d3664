//! Limits of programs of each target: queries and the loading of programs use the same table.

use crate::capabilities::Capabilities;
use crate::ffi::{driver, driver_state};
use crate::program_commands::is_strict_mode;
use crate::program_parameters;
use crate::share_group::{ENV_PARAMETERS, LOCAL_PARAMETERS};
use crate::target::{TARGETS, Target};
use glasm::frontend::lang::bindings::count_distinct_attributes;
use glasm::frontend::{Code, Diagnostic, Diagnostics};
use glasm::reflect::BufferKind;
use glasm::{Limits, Program, ResourceCounts, Stage, limits};
use glasm_settings::Limit;

/// Different parameters and constants of a program (`MAX_PROGRAM_PARAMETERS_ARB`).
const PARAMETERS: u32 = 4096;
/// `MAX_PROGRAM_MATRICES_ARB`, which is `MAX_TRACK_MATRICES_NV`.
const MATRICES: u32 = 8;
/// Numbers of the compiler's tables of bindings, which have the same limits in all languages.
const LIGHTS: u32 = 8;
pub(crate) const CLIP_PLANES: u32 = 8;
pub(crate) const TEXTURE_COORDINATES: u32 = 8;
const VERTEX_ATTRIBUTES: u32 = 16;
pub(crate) const GENERICS: u32 = 32;
const DRAW_BUFFERS: u32 = 8;
const PATCH_ATTRIBUTES: u32 = 30;
const ADDRESS_REGISTERS: u32 = 64;
/// Texture image units that vertex programs of the ARB languages may access.
const VERTEX_TEXTURES: u32 = 16;

/// Limits of GL, of programs or not, that are lower than those of the driver: number of the query,
/// and the maximum of programs.
static LOWERED_LIMITS: &[(u32, u32)] = &[
    (driver::constants::MAX_IMAGE_UNITS, limits::IMAGE_UNITS),
    (
        driver::constants::MAX_SHADER_STORAGE_BUFFER_BINDINGS,
        limits::STORAGE_BUFFERS,
    ),
    (
        driver::constants::MAX_ATOMIC_COUNTER_BUFFER_BINDINGS,
        limits::COUNTER_BUFFERS,
    ),
    (
        driver::constants::MAX_TEXTURE_IMAGE_UNITS,
        limits::TEXTURE_UNITS,
    ),
    (
        driver::constants::MAX_VERTEX_TEXTURE_IMAGE_UNITS,
        VERTEX_TEXTURES,
    ),
    // MAX_TEXTURE_COORDS_ARB
    (0x8871, TEXTURE_COORDINATES),
    (
        driver::constants::MAX_PROGRAM_TEXEL_OFFSET,
        *limits::TEXEL_OFFSET.end() as u32,
    ),
    // MAX_GEOMETRY_PROGRAM_INVOCATIONS_NV
    (
        driver::constants::MAX_GEOMETRY_SHADER_INVOCATIONS,
        limits::GEOMETRY_INVOCATIONS,
    ),
    (
        driver::constants::MAX_COMPUTE_SHARED_MEMORY_SIZE,
        limits::SHARED_BYTES,
    ),
    (
        driver::constants::MAX_COMPUTE_WORK_GROUP_INVOCATIONS,
        limits::GROUP_SIZE[0],
    ),
];

/// Returns the result of a query of a limit that this library lowers: the minimum of the driver's,
/// its own, and that of the settings. `None` for other queries, and if the driver does not have the
/// limit.
pub(crate) fn lowered_limit(capabilities: &Capabilities, name: u32) -> Option<i32> {
    let &(_, most) = LOWERED_LIMITS.iter().find(|(other, _)| *other == name)?;
    let lowered = capabilities.lowered_limits.iter();
    let lowered = lowered.filter(|(limit, _)| gl_query(*limit) == Some(name));
    let most = lowered.fold(most, |most, (_, value)| most.min(*value));
    let value = driver_state::integer(name);
    (value > 0).then(|| value.min(i32::try_from(most).unwrap_or(i32::MAX)))
}

/// Returns `MIN_PROGRAM_TEXEL_OFFSET_EXT`: the maximum of the driver's limit and that of programs.
pub(crate) fn query_min_texel_offset() -> i32 {
    let driver_limit = driver_state::integer(driver::constants::MIN_PROGRAM_TEXEL_OFFSET);
    driver_limit.max(*limits::TEXEL_OFFSET.start() as i32)
}

/// Returns `MAX_COMPUTE_WORK_GROUP_SIZE` of an axis, at most that of programs. `None` for other
/// axes, and if the driver does not have the limit.
pub(crate) fn query_group_size_limit(axis: u32) -> Option<i32> {
    let most = *limits::GROUP_SIZE.get(axis as usize)?;
    let name = driver::constants::MAX_COMPUTE_WORK_GROUP_SIZE;
    let [value] = driver_state::indexed_integers(name, axis);
    (value > 0).then(|| value.min(most as i32))
}

/// Returns `MAX_PROGRAM_OUTPUT_VERTICES_NV`.
pub(crate) fn query_output_vertex_limit() -> u32 {
    query_limit(
        driver::constants::MAX_GEOMETRY_OUTPUT_VERTICES,
        limits::OUTPUT_VERTICES,
    )
}

/// Returns `MAX_PROGRAM_TOTAL_OUTPUT_COMPONENTS_NV`.
pub(crate) fn query_output_component_limit() -> u32 {
    query_limit(
        driver::constants::MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS,
        limits::TOTAL_OUTPUT_COMPONENTS,
    )
}

/// Size that programs of a stage declare: its value, its limit, what it counts, and the error of a
/// greater value.
struct DeclaredSize {
    stage: Stage,
    value: fn(&Program) -> u32,
    limit: fn() -> u32,
    name: &'static str,
    code: Code,
}

/// Returns the maximum size of a work group along an axis; `u32::MAX` if the driver has no limit.
fn get_group_limit(axis: u32) -> u32 {
    query_group_size_limit(axis).map_or(u32::MAX, |size| size as u32)
}

static DECLARED_SIZES: &[DeclaredSize] = &[
    DeclaredSize {
        stage: Stage::Geometry,
        value: |it| it.ir().modes.vertices_out,
        limit: query_output_vertex_limit,
        name: "output vertices",
        code: Code::VerticesOut,
    },
    DeclaredSize {
        stage: Stage::Geometry,
        value: |it| count_output_components(it, it.ir().modes.vertices_out),
        limit: query_output_component_limit,
        name: "components in all vertices",
        code: Code::TooManyOutputComponents,
    },
    DeclaredSize {
        stage: Stage::Geometry,
        value: |it| it.ir().modes.invocations,
        limit: || {
            query_limit(
                driver::constants::MAX_GEOMETRY_SHADER_INVOCATIONS,
                limits::GEOMETRY_INVOCATIONS,
            )
        },
        name: "invocations",
        code: Code::Invocations,
    },
    DeclaredSize {
        stage: Stage::Compute,
        value: |it| it.ir().modes.workgroup_size[0],
        limit: || get_group_limit(0),
        name: "invocations in x",
        code: Code::GroupSize,
    },
    DeclaredSize {
        stage: Stage::Compute,
        value: |it| it.ir().modes.workgroup_size[1],
        limit: || get_group_limit(1),
        name: "invocations in y",
        code: Code::GroupSize,
    },
    DeclaredSize {
        stage: Stage::Compute,
        value: |it| it.ir().modes.workgroup_size[2],
        limit: || get_group_limit(2),
        name: "invocations in z",
        code: Code::GroupSize,
    },
    DeclaredSize {
        stage: Stage::Compute,
        value: |it| it.ir().modes.workgroup_size.iter().product(),
        limit: || {
            query_limit(
                driver::constants::MAX_COMPUTE_WORK_GROUP_INVOCATIONS,
                limits::GROUP_SIZE[0],
            )
        },
        name: "invocations in a group",
        code: Code::GroupSize,
    },
    DeclaredSize {
        stage: Stage::Compute,
        value: count_shared_bytes,
        limit: || {
            query_limit(
                driver::constants::MAX_COMPUTE_SHARED_MEMORY_SIZE,
                limits::SHARED_BYTES,
            )
        },
        name: "bytes of shared memory",
        code: Code::SharedMemory,
    },
];

/// Returns the components of the results of a geometry program in as many vertices:
/// NV_geometry_program4 section 2.14.6.4.
pub(crate) fn count_output_components(program: &Program, vertices: u32) -> u32 {
    vertices.saturating_mul(program.counts().result_components)
}

/// Returns the declared size of the shared memory of a compute program; 0 if it accesses none.
fn count_shared_bytes(program: &Program) -> u32 {
    let buffers = program.ir().buffers.iter();
    let shared = buffers.filter(|it| it.kind == BufferKind::Shared);
    shared.filter_map(|it| it.size).sum()
}

/// Checks the sizes that a program declares against the limits of the driver whose context is
/// current. `Err` has an error for each size that exceeds its limit.
pub(crate) fn check_declared_sizes(program: &Program) -> Result<(), Diagnostics> {
    let sizes = DECLARED_SIZES.iter();
    let sizes = sizes.filter(|size| size.stage == program.stage());
    let exceeded = sizes.filter_map(|size| {
        let (value, limit) = ((size.value)(program), (size.limit)());
        let message = || format!("{value} {}; the limit is {limit}", size.name);
        (value > limit).then(|| Diagnostic::whole_program(size.code, message()))
    });
    let list: Vec<_> = exceeded.collect();
    if list.is_empty() {
        Ok(())
    } else {
        Err(Diagnostics { list })
    }
}

/// Returns the query of a limit of GL that is not one of programs alone.
fn gl_query(limit: Limit) -> Option<u32> {
    match limit {
        Limit::TextureImageUnits => Some(driver::constants::MAX_TEXTURE_IMAGE_UNITS),
        // MAX_TEXTURE_COORDS_ARB
        Limit::TextureCoords => Some(0x8871),
        Limit::Instructions
        | Limit::AluInstructions
        | Limit::TexInstructions
        | Limit::TexIndirections
        | Limit::Temporaries
        | Limit::Parameters
        | Limit::Attribs
        | Limit::AddressRegisters
        | Limit::IfDepth
        | Limit::LoopDepth => None,
    }
}

/// Returns limits of a program type, lowered to those of the settings.
fn apply_settings(mut limits: Limits, settings: &[(Limit, u32)], stage: Stage) -> Limits {
    for (limit, value) in settings {
        let counts = &mut limits.counts;
        let lowered = match limit {
            Limit::Instructions => &mut counts.instructions,
            Limit::AluInstructions => &mut counts.alu_instructions,
            Limit::TexInstructions => &mut counts.texture_instructions,
            Limit::TexIndirections => &mut counts.texture_indirections,
            Limit::Temporaries => &mut counts.temporaries,
            Limit::Parameters => &mut counts.parameters,
            Limit::Attribs => &mut counts.attributes,
            Limit::AddressRegisters => &mut counts.address_registers,
            Limit::IfDepth => &mut limits.if_depth,
            Limit::LoopDepth => &mut limits.loop_depth,
            // Vertex programs have another limit unless rules are strict.
            Limit::TextureImageUnits if stage == Stage::Vertex && !is_strict_mode() => continue,
            Limit::TextureImageUnits => &mut limits.texture_units,
            Limit::TextureCoords => &mut limits.texture_coordinate_sets,
        };
        *lowered = (*lowered).min(*value);
    }
    limits
}

/// Returns the limits of all targets, in their order, of the driver whose context is current.
pub(crate) fn read_limits(capabilities: &Capabilities) -> Vec<Limits> {
    let lowered = |name| lowered_limit(capabilities, name).map_or(u32::MAX, |value| value as u32);
    let with = |extension: &str, name, other| {
        if capabilities.has_extension(extension) {
            query_limit(name, u32::MAX)
        } else {
            other
        }
    };
    let shared_limits = Limits {
        counts: stage_counts(Stage::Vertex),
        env_parameters: ENV_PARAMETERS,
        local_parameters: LOCAL_PARAMETERS,
        // Units have one space of numbers for all targets: NV_vertex_program3 section 2.14.2.
        texture_units: query_limit(
            driver::constants::MAX_TEXTURE_IMAGE_UNITS,
            limits::TEXTURE_UNITS,
        ),
        texture_coordinate_sets: query_limit(0x8871, TEXTURE_COORDINATES),
        // MAX_TEXTURE_UNITS
        texture_environments: query_limit(0x84E2, u32::MAX),
        program_matrices: MATRICES,
        // MAX_VERTEX_UNITS_ARB and MAX_PALETTE_MATRICES_ARB; without the extensions there is one
        // modelview matrix and no palette.
        vertex_units: with("GL_ARB_vertex_blend", 0x86A4, 1),
        palette_matrices: with("GL_ARB_matrix_palette", 0x8842, 0),
        // MAX_LIGHTS, MAX_CLIP_PLANES
        lights: query_limit(0x0D31, LIGHTS),
        clip_planes: query_limit(0x0D32, CLIP_PLANES),
        generic_attributes: GENERICS,
        generic_results: GENERICS,
        patch_attributes: PATCH_ATTRIBUTES,
        draw_buffers: query_limit(driver::constants::MAX_DRAW_BUFFERS, DRAW_BUFFERS),
        image_units: lowered(driver::constants::MAX_IMAGE_UNITS),
        parameter_buffer_bindings: program_parameters::MAX_BUFFER_BINDINGS,
        storage_buffer_bindings: lowered(driver::constants::MAX_SHADER_STORAGE_BUFFER_BINDINGS),
        atomic_counter_buffer_bindings: lowered(
            driver::constants::MAX_ATOMIC_COUNTER_BUFFER_BINDINGS,
        ),
        subroutine_parameters: limits::SUBROUTINE_PARAMETERS,
        subroutines: limits::SUBROUTINE_NUMBERS,
        if_depth: limits::IF_DEPTH as u32,
        loop_depth: limits::LOOP_DEPTH as u32,
        call_depth: limits::CALL_DEPTH as u32,
    };
    let limits_of = |target: Target| {
        let stage = target.properties().stage;
        let limits = stage_limits(shared_limits, stage);
        apply_settings(limits, &capabilities.lowered_limits, stage)
    };
    TARGETS.iter().map(|row| limits_of(row.target)).collect()
}

/// Returns a limit of the driver, at most `max_limit`, which is also the result if the driver does
/// not have the limit: then its programs cannot use the limited resource, which the compiler
/// reports.
fn query_limit(name: u32, max_limit: u32) -> u32 {
    match u32::try_from(driver_state::integer(name)) {
        Ok(value) if value > 0 => value.min(max_limit),
        _ => max_limit,
    }
}

/// Returns the number of texture image units that vertex programs can name, if others can name
/// `units`: the same number in strict mode.
///
/// NV_vertex_program3 has the same limit for both, but Wine numbers the textures of vertex programs
/// after those of fragment programs, as the commands of GL that bind textures allow: up to
/// `MAX_COMBINED_TEXTURE_IMAGE_UNITS`.
fn vertex_texture_units(units: u32) -> u32 {
    if is_strict_mode() {
        return units;
    }
    query_limit(
        driver::constants::MAX_COMBINED_TEXTURE_IMAGE_UNITS,
        limits::TEXTURE_UNITS,
    )
}

/// Returns the limits of a program type: `all`, those that all types have in common, with the
/// counts, generic attributes and results, and texture units of the type.
fn stage_limits(all: Limits, stage: Stage) -> Limits {
    let all = Limits {
        counts: stage_counts(stage),
        ..all
    };
    match stage {
        Stage::Vertex => Limits {
            texture_units: vertex_texture_units(all.texture_units),
            generic_attributes: query_limit(
                driver::constants::MAX_VERTEX_ATTRIBS,
                VERTEX_ATTRIBUTES,
            ),
            ..all
        },
        Stage::Geometry | Stage::TessControl | Stage::TessEval => all,
        Stage::Fragment => Limits {
            generic_results: 0,
            ..all
        },
        Stage::Compute => Limits {
            generic_attributes: 0,
            generic_results: 0,
            ..all
        },
    }
}

/// Returns the numbers of resources that programs of a stage may use.
fn stage_counts(stage: Stage) -> ResourceCounts {
    let instructions = limits::INSTRUCTIONS as u32;
    ResourceCounts {
        instructions,
        alu_instructions: instructions,
        texture_instructions: instructions,
        texture_indirections: instructions,
        temporaries: limits::TEMPORARIES as u32,
        parameters: PARAMETERS,
        attributes: attribute_limit(stage),
        address_registers: ADDRESS_REGISTERS,
        attribute_components: limits::ATTRIB_COMPONENTS,
        result_components: u32::MAX,
    }
}

/// Returns `MAX_PROGRAM_ATTRIBS_ARB` of a program type. The number of attributes of vertex programs
/// is that of their slots; `vertex.id` and `vertex.instance` have none and are not counted. All
/// others may use every attribute of their languages.
fn attribute_limit(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => VERTEX_ATTRIBUTES,
        Stage::TessControl
        | Stage::TessEval
        | Stage::Geometry
        | Stage::Fragment
        | Stage::Compute => count_distinct_attributes(stage),
    }
}

#[cfg(test)]
mod tests {
    use super::{GENERICS, VERTEX_ATTRIBUTES, stage_counts};
    use glasm::{Limits, Program, Source, Stage};

    /// Checks the numbers above against the compiler's tables: the largest one of each loads, the
    /// next one does not.
    #[test]
    fn limits_are_those_of_the_compiler() {
        let loads = |text: String| Program::load(&Source::new("limit", &text)).is_ok();
        type Row = (u32, fn(u32) -> String);
        let rows: &[Row] = &[
            (GENERICS, |n| {
                format!("!!NVfp4.0 MOV result.color, fragment.attrib[{n}]; END")
            }),
            (VERTEX_ATTRIBUTES, |n| {
                format!("!!ARBvp1.0 MOV result.position, vertex.attrib[{n}]; END")
            }),
            (super::LIGHTS, |n| {
                format!("!!ARBvp1.0 MOV result.position, state.light[{n}].ambient; END")
            }),
            (super::CLIP_PLANES, |n| {
                format!("!!ARBvp1.0 MOV result.position, state.clip[{n}].plane; END")
            }),
            (super::TEXTURE_COORDINATES, |n| {
                format!("!!ARBfp1.0 MOV result.color, fragment.texcoord[{n}]; END")
            }),
            (super::DRAW_BUFFERS, |n| {
                format!("!!ARBfp1.0 OPTION ARB_draw_buffers; MOV result.color[{n}], 1; END")
            }),
            (super::PATCH_ATTRIBUTES, |n| {
                format!("!!NVtcp5.0 VERTICES_OUT 1; MOV.F result.patch.attrib[{n}], 1; END")
            }),
        ];
        for &(limit, text) in rows {
            assert!(loads(text(limit - 1)), "{}", text(limit - 1));
            assert!(!loads(text(limit)), "{}", text(limit));
        }
        let registers: String = (0..super::ADDRESS_REGISTERS)
            .map(|n| format!("ADDRESS a{n}; "))
            .collect();
        let rest = "MOV result.position, vertex.position; END";
        let head = "!!ARBvp1.0 OPTION NV_vertex_program3;";
        assert!(loads(format!("{head}{registers}{rest}")));
        assert!(!loads(format!("{head}{registers}ADDRESS b; {rest}")));
        assert_ne!(stage_counts(Stage::Vertex), Limits::default().counts);
    }

    /// Checks that the results are the attributes that the specifications define, and that a
    /// program loads that binds all varyings.
    #[test]
    fn no_program_has_more_attributes_than_the_query_says() {
        // Colors, texture coordinates, generic attributes, clip distances, fog coordinate.
        let varyings = 2 + 8 + 32 + 8 + 1;
        // NV_shader_thread_group: threadid, five masks, warpid, smid.
        let threads = 8;
        // position, facing, pointcoord, sampleid, samplemask, helperthread, layer, viewport,
        // fullycovered, primitive.id
        assert_eq!(
            stage_counts(Stage::Fragment).attributes,
            varyings + 10 + threads
        );
        // invocation.localid, globalid, groupid, groupcount, groupsize, localindex
        assert_eq!(stage_counts(Stage::Compute).attributes, 6 + threads);
        assert_eq!(stage_counts(Stage::Vertex).attributes, 16);
        let bindings = [
            ("fragment.texcoord", 8),
            ("fragment.attrib", 32),
            ("fragment.clip", 8),
        ];
        let numbered = bindings.map(|(path, count)| {
            let declare = |n: u32| format!("ATTRIB {}{n} = {path}[{n}];\n", &path[9..]);
            (0..count).map(declare).collect::<String>()
        });
        let others = "ATTRIB a = fragment.position; ATTRIB b = fragment.fogcoord; ATTRIB c = fragment.facing; ATTRIB d = fragment.color; \
                      ATTRIB e = fragment.color.secondary;";
        let numbered = numbered.concat();
        let text = format!("!!NVfp4.0\n{numbered}{others}\nMOV result.color, a;\nEND");
        let program = Program::load(&Source::new("all", &text)).unwrap();
        // The position and the facing in addition to the varyings.
        assert_eq!(program.counts().attributes, varyings + 2);
        let limits = Limits {
            counts: stage_counts(Stage::Fragment),
            ..Limits::default()
        };
        assert!(program.check_limits(&limits).is_ok());
    }
}
