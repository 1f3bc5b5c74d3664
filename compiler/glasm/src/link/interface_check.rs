//! Interface checks of the programs of a pipeline: modes of primitives and texture targets,
//! compared with the previous programs.

use glasm_frontend::lang::stage_name;
use glasm_frontend::{Code, Diagnostic};
use glasm_ir::inst::Aux;
use glasm_ir::primitive::{InputPrimitive, TessMode};
use glasm_ir::{Base, Program, Span, Stage, TexTarget};
use std::collections::HashMap;

/// Returns the errors and warnings of each program in the context of the others.
pub(super) fn check_interfaces(programs: &[&Program]) -> Vec<Vec<Diagnostic>> {
    let mut found: Vec<Vec<Diagnostic>> = programs.iter().map(|_| Vec::new()).collect();
    let targets = check_targets(programs);
    for (list, conflict) in found.iter_mut().zip(targets) {
        list.extend(conflict);
    }
    for (index, program) in programs.iter().enumerate() {
        let before = &programs[..index];
        found[index].extend(check_order(program, before));
        if let Some(before) = before.last() {
            found[index].extend(check_primitives(program, before));
            found[index].extend(check_vertices(program, before));
        }
    }
    found
}

fn err_mismatch(message: String) -> Diagnostic {
    Diagnostic::whole_program(Code::StageMismatch, message)
}

/// Returns an error if the program does not follow the previous ones in the order of a pipeline, or
/// has the same stage.
// `Stage` lists the stages in pipeline order, with compute programs, which are not part of
// pipelines, at the end.
fn check_order(program: &Program, before: &[&Program]) -> Option<Diagnostic> {
    let (own, last) = (program.stage, before.last()?.stage);
    let own_name = stage_name(own);
    if own == last {
        Some(err_mismatch(format!(
            "a pipeline has one {own_name} program"
        )))
    } else if own < last || own == Stage::Compute {
        let last = stage_name(last);
        Some(err_mismatch(format!(
            "no {own_name} program comes behind a {last} program"
        )))
    } else {
        None
    }
}

/// Returns the primitives that a program outputs; `None` if they depend on the draw.
// Quadrilaterals are a domain of subdivision: the resulting primitives are triangles.
fn get_output_primitive(program: &Program) -> Option<InputPrimitive> {
    let modes = &program.modes;
    match program.stage {
        Stage::TessControl => Some(InputPrimitive::Patches),
        Stage::TessEval if modes.point_mode => Some(InputPrimitive::Points),
        Stage::TessEval => Some(match modes.tess_mode {
            TessMode::Triangles | TessMode::Quads => InputPrimitive::Triangles,
            TessMode::Isolines => InputPrimitive::Lines,
        }),
        Stage::Vertex | Stage::Geometry | Stage::Fragment | Stage::Compute => None,
    }
}

/// Returns the keyword of the languages for a primitive, such as `TRIANGLES`.
fn format_primitive(primitive: InputPrimitive) -> String {
    let mut all = InputPrimitive::ALL.iter();
    let found = all.find(|(known, _)| *known == primitive);
    found.map_or(String::new(), |(_, word)| word.to_uppercase())
}

/// Returns an error if a geometry program does not accept the output primitives of the previous
/// program. NV_geometry_program4 section 2.14.6.1, NV_gpu_program5 ("Patches").
fn check_primitives(program: &Program, before: &Program) -> Option<Diagnostic> {
    if program.stage != Stage::Geometry {
        return None;
    }
    let (wanted, made) = (program.modes.primitive_in, get_output_primitive(before)?);
    (wanted != made).then(|| {
        err_mismatch(format!(
            "the geometry program takes {}, but the {} program before it makes {}",
            format_primitive(wanted),
            stage_name(before.stage),
            format_primitive(made)
        ))
    })
}

/// Returns a warning about a vertex that the patches of the previous control program do not have:
/// its inputs are undefined.
fn check_vertices(program: &Program, before: &Program) -> Option<Diagnostic> {
    if before.stage != Stage::TessControl {
        return None;
    }
    let vertices = before.modes.vertices_out;
    let beyond = program.insts.iter().find_map(|inst| {
        let vertex = program.sources(inst).iter().find_map(|src| {
            let Base::Input(input) = src.base else {
                return None;
            };
            let term = program.indices[src.index?].vertex?;
            let known = term.relative.is_none() && program.inputs[input].per_vertex;
            u32::try_from(term.offset).ok().filter(|_| known)
        });
        vertex
            .filter(|vertex| *vertex >= vertices)
            .map(|vertex| (vertex, inst.span))
    });
    beyond.map(|(vertex, span): (u32, Span)| {
        let name = stage_name(program.stage);
        let message = format!(
            "the {name} program reads vertex {vertex} of patches, to which the tessellation control program gives {vertices} vertices"
        );
        Diagnostic::warning(Code::StageMismatch, span, message)
    })
}

/// Returns, for each stage, the error that it accesses a texture image unit with a different target
/// than a previous stage. GL refuses to draw with such programs: NV_vertex_program3 section 2.14.4,
/// NV_gpu_program4 section 2.X.4.4.
fn check_targets(programs: &[&Program]) -> Vec<Option<Diagnostic>> {
    let mut targets: HashMap<u32, TexTarget> = HashMap::new();
    let mut conflicts = Vec::with_capacity(programs.len());
    for program in programs {
        let mut conflict = None;
        for (id, texture) in program.textures.iter_enumerated() {
            for unit in texture.units.numbers() {
                let target = *targets.entry(unit).or_insert(texture.target);
                if target != texture.target && conflict.is_none() {
                    conflict = Some((id, unit));
                }
            }
        }
        conflicts.push(conflict.map(|(id, unit)| {
            let accesses =
                |aux| matches!(aux, Aux::Tex(access) if program.tex_accesses[access].texture == id);
            let first = program.insts.iter().find(|inst| accesses(inst.aux));
            let message =
                format!("texture image unit {unit} is used with another target by a stage before");
            match first {
                Some(inst) => Diagnostic::error(Code::TargetConflict, inst.span, message),
                None => Diagnostic::whole_program(Code::TargetConflict, message),
            }
        }));
    }
    conflicts
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use glasm_frontend::Severity;

    fn program(text: &str) -> Program {
        let text = format!("program {text}\nroutine fn0 {{\n}}\nmain fn0\n");
        glasm_ir::parse(&text).unwrap()
    }

    /// Returns the messages about the last of several programs, without their code.
    fn messages(texts: &[&str]) -> Vec<String> {
        let programs: Vec<_> = texts.iter().map(|text| program(text)).collect();
        let programs: Vec<_> = programs.iter().collect();
        let found = check_interfaces(&programs).pop().unwrap();
        found.into_iter().map(|it| it.message).collect()
    }

    const CONTROL: &str = "tess_control\nvertices_out 3";

    #[test]
    fn geometry_programs_take_what_is_made_before_them() {
        let geometry = |input: &str| {
            format!("geometry\nprimitive_in {input}\nprimitive_out points\nvertices_out 1")
        };
        let evaluation = |mode: &str| format!("tess_eval\ntess_mode {mode}");
        for (mode, input) in [
            ("triangles", "triangles"),
            ("quads", "triangles"),
            ("isolines", "lines"),
            ("isolines\npoint_mode", "points"),
        ] {
            let before = evaluation(mode);
            let fits = messages(&["vertex", CONTROL, &before, &geometry(input)]);
            assert_eq!(fits, Vec::<String>::new());
            let wrong = messages(&["vertex", &before, &geometry("triangles_adjacency")]);
            let expected = format!(
                "the geometry program takes TRIANGLES_ADJACENCY, but the tessellation evaluation program before it makes {}",
                input.to_uppercase()
            );
            assert_eq!(wrong, [expected]);
        }
        assert!(messages(&["vertex", CONTROL, &geometry("patches")]).is_empty());
        assert!(messages(&["vertex", &geometry("patches")]).is_empty());
        let wrong = messages(&["vertex", CONTROL, &geometry("lines")]);
        let expected = "the geometry program takes LINES, but the tessellation control program before it makes PATCHES";
        assert_eq!(wrong, [expected]);
    }

    #[test]
    fn stages_come_in_order_and_once() {
        assert_eq!(
            messages(&["fragment", "vertex"]),
            ["no vertex program comes behind a fragment program"]
        );
        assert_eq!(
            messages(&["vertex", "vertex"]),
            ["a pipeline has one vertex program"]
        );
        assert_eq!(
            messages(&["vertex", "compute"]),
            ["no compute program comes behind a vertex program"]
        );
    }

    #[test]
    fn vertices_that_patches_do_not_have_are_warned_of() {
        let text = "program tess_eval\nr0: temp32\nin0: position float per_vertex\nroutine fn0 {\n\
                    r0.xyzw = mov.f32 in0[0 of 1, vertex 2].xyzw\n\
                    r0.xyzw = mov.f32 in0[0 of 1, vertex 3].xyzw\n}\nmain fn0\n";
        let (control, evaluation) = (program(CONTROL), glasm_ir::parse(text).unwrap());
        let found = check_interfaces(&[&control, &evaluation]);
        assert_eq!(found[1].len(), 1);
        assert_eq!(found[1][0].severity, Severity::Warning);
        assert!(
            found[1][0].message.contains("reads vertex 3"),
            "{:?}",
            found[1][0]
        );
    }
}
