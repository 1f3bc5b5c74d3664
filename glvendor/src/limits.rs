//! Limits of programs of each target: queries and the loading of programs use the same table.

use crate::buffers;
use crate::commands::is_strict;
use crate::extensions::Capabilities;
use crate::ffi::{driver, query};
use crate::objects::{ENV_PARAMETERS, LOCAL_PARAMETERS};
use crate::target::{TARGETS, Target};
use glasm::frontend::lang::bindings::count_attributes;
use glasm::{Counts, Limits, Stage, limits};

/// Different parameters and constants of a program (`MAX_PROGRAM_PARAMETERS_ARB`).
const PARAMETERS: u32 = 4096;
/// `MAX_PROGRAM_MATRICES_ARB`, which is `MAX_TRACK_MATRICES_NV`.
const MATRICES: u32 = 8;
/// Numbers of the compiler's tables of bindings, which have the same limits in all languages.
const LIGHTS: u32 = 8;
const CLIP_PLANES: u32 = 8;
const TEXTURE_COORDINATES: u32 = 8;
const VERTEX_ATTRIBUTES: u32 = 16;
const GENERICS: u32 = 32;
const DRAW_BUFFERS: u32 = 8;
const PATCH_ATTRIBUTES: u32 = 30;
const ADDRESS_REGISTERS: u32 = 64;
/// Texture image units that vertex programs of the ARB languages may access.
const VERTEX_TEXTURES: u32 = 16;

/// Limits of GL, of programs or not, that are lower than those of the driver: number of the query,
/// and the maximum of programs.
static LOWERED: &[(u32, u32)] = &[
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
];

/// Returns the result of a query of a limit that this library lowers; `None` for other queries, and
/// if the driver does not have the limit.
pub(crate) fn lowered(name: u32) -> Option<i32> {
    let &(_, most) = LOWERED.iter().find(|(other, _)| *other == name)?;
    let value = query::integer(name);
    (value > 0).then(|| value.min(most as i32))
}

/// Returns the limits of all targets, in their order, of the driver whose context is current.
pub(crate) fn read(capabilities: &Capabilities) -> Vec<Limits> {
    let lowered = |name| lowered(name).map_or(u32::MAX, |value| value as u32);
    let with = |extension: &str, name, other| {
        if capabilities.has_extension(extension) {
            known(name, u32::MAX)
        } else {
            other
        }
    };
    let all = Limits {
        counts: counts(Stage::Vertex),
        env_parameters: ENV_PARAMETERS,
        local_parameters: LOCAL_PARAMETERS,
        // Units have one space of numbers for all targets: NV_vertex_program3 section 2.14.2.
        texture_units: known(
            driver::constants::MAX_TEXTURE_IMAGE_UNITS,
            limits::TEXTURE_UNITS,
        ),
        texture_coordinates: known(0x8871, TEXTURE_COORDINATES),
        // MAX_TEXTURE_UNITS
        texture_environments: known(0x84E2, u32::MAX),
        program_matrices: MATRICES,
        // MAX_VERTEX_UNITS_ARB and MAX_PALETTE_MATRICES_ARB; without the extensions there is one
        // modelview matrix and no palette.
        vertex_units: with("GL_ARB_vertex_blend", 0x86A4, 1),
        palette_matrices: with("GL_ARB_matrix_palette", 0x8842, 0),
        // MAX_LIGHTS, MAX_CLIP_PLANES
        lights: known(0x0D31, LIGHTS),
        clip_planes: known(0x0D32, CLIP_PLANES),
        generic_attributes: GENERICS,
        generic_results: GENERICS,
        patch_attributes: PATCH_ATTRIBUTES,
        draw_buffers: known(driver::constants::MAX_DRAW_BUFFERS, DRAW_BUFFERS),
        image_units: lowered(driver::constants::MAX_IMAGE_UNITS),
        parameter_buffers: buffers::BINDINGS,
        storage_buffers: lowered(driver::constants::MAX_SHADER_STORAGE_BUFFER_BINDINGS),
        counter_buffers: lowered(driver::constants::MAX_ATOMIC_COUNTER_BUFFER_BINDINGS),
        subroutine_parameters: limits::SUBROUTINE_PARAMETERS,
        subroutine_numbers: limits::SUBROUTINE_NUMBERS,
        if_depth: limits::IF_DEPTH as u32,
        loop_depth: limits::LOOP_DEPTH as u32,
        call_depth: limits::CALL_DEPTH as u32,
    };
    let of = |target: Target| of_stage(all, target.row().stage);
    TARGETS.iter().map(|row| of(row.target)).collect()
}

/// Returns a limit of the driver, at most `most`, which is also the result if the driver does not
/// have the limit: then its programs cannot use the limited resource, which the compiler reports.
fn known(name: u32, most: u32) -> u32 {
    match u32::try_from(query::integer(name)) {
        Ok(value) if value > 0 => value.min(most),
        _ => most,
    }
}

/// Returns the number of texture image units that vertex programs can name, if others can name
/// `units`.
///
/// NV_vertex_program3 has the same limit for both, but Wine numbers the textures of vertex programs
/// after those of fragment programs, as the commands of GL that bind textures allow: up to
/// `MAX_COMBINED_TEXTURE_IMAGE_UNITS`.
fn vertex_texture_units(units: u32) -> u32 {
    if is_strict() {
        return units;
    }
    known(
        driver::constants::MAX_COMBINED_TEXTURE_IMAGE_UNITS,
        limits::TEXTURE_UNITS,
    )
}

/// Returns the limits of a program type: those of all with its own counts, attributes and results.
fn of_stage(all: Limits, stage: Stage) -> Limits {
    let all = Limits {
        counts: counts(stage),
        ..all
    };
    match stage {
        Stage::Vertex => Limits {
            texture_units: vertex_texture_units(all.texture_units),
            generic_attributes: known(driver::constants::MAX_VERTEX_ATTRIBS, VERTEX_ATTRIBUTES),
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

fn counts(stage: Stage) -> Counts {
    let instructions = limits::INSTRUCTIONS as u32;
    Counts {
        instructions,
        alu_instructions: instructions,
        texture_instructions: instructions,
        texture_indirections: instructions,
        temporaries: limits::TEMPORARIES as u32,
        parameters: PARAMETERS,
        attribs: attributes(stage),
        address_registers: ADDRESS_REGISTERS,
        attrib_components: limits::ATTRIB_COMPONENTS,
        result_components: u32::MAX,
    }
}

/// Returns `MAX_PROGRAM_ATTRIBS_ARB` of a program type. The number of attributes of vertex programs
/// is that of their slots; `vertex.id` and `vertex.instance` have none and are not counted. All
/// others may use every attribute of their languages.
fn attributes(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => VERTEX_ATTRIBUTES,
        Stage::TessControl
        | Stage::TessEval
        | Stage::Geometry
        | Stage::Fragment
        | Stage::Compute => count_attributes(stage),
    }
}

#[cfg(test)]
mod tests {
    use super::{GENERICS, VERTEX_ATTRIBUTES, counts};
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
        assert_ne!(counts(Stage::Vertex), Limits::default().counts);
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
        assert_eq!(counts(Stage::Fragment).attribs, varyings + 10 + threads);
        // invocation.localid, globalid, groupid, groupcount, groupsize, localindex
        assert_eq!(counts(Stage::Compute).attribs, 6 + threads);
        assert_eq!(counts(Stage::Vertex).attribs, 16);
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
        assert_eq!(program.counts().attribs, varyings + 2);
        let limits = Limits {
            counts: counts(Stage::Fragment),
            ..Limits::default()
        };
        assert!(program.check_limits(&limits).is_ok());
    }
}
