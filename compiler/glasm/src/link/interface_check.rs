//! Checks of the programs of a pipeline against each other: order of stages, primitives, vertices
//! of patches and texture targets.

use glasm_frontend::lang::stage_name;
use glasm_frontend::{Code, Diagnostic};
use glasm_ir::inst::InstData;
use glasm_ir::primitive::{InputPrimitive, TessMode};
use glasm_ir::{OperandBase, Program, Span, Stage, TexTarget};
use std::collections::HashMap;

/// Returns the diagnostics of each program, in the order of `programs`: about their order, about
/// primitives and vertices that the previous program does not output, and about different targets
/// of the same texture image unit. Varyings are compared when locations are assigned.
pub(super) fn check_pipeline(programs: &[&Program]) -> Vec<Vec<Diagnostic>> {
    let mut diagnostics: Vec<Vec<Diagnostic>> = programs.iter().map(|_| Vec::new()).collect();
    let targets = check_targets(programs);
    for (list, conflict) in diagnostics.iter_mut().zip(targets) {
        list.extend(conflict);
    }
    for (index, program) in programs.iter().enumerate() {
        let before = &programs[..index];
        diagnostics[index].extend(check_order(program, before));
        if let Some(before) = before.last() {
            diagnostics[index].extend(check_primitives(program, before));
            diagnostics[index].extend(check_vertices(program, before));
        }
    }
    diagnostics
}

/// Returns the error of programs that do not form a pipeline.
fn err_stage_mismatch(message: String) -> Diagnostic {
    Diagnostic::whole_program(Code::StageMismatch, message)
}

/// Returns an error if the pipeline already has a program of the same or a later stage, or if a
/// compute program follows another program; `before` are the programs before it.
fn check_order(program: &Program, before: &[&Program]) -> Option<Diagnostic> {
    // `Stage` lists the stages in pipeline order, with compute programs, which are not part of
    // pipelines, at the end.
    let (own, last) = (program.stage, before.last()?.stage);
    let own_name = stage_name(own);
    if own == last {
        Some(err_stage_mismatch(format!(
            "a pipeline cannot contain two {own_name} programs"
        )))
    } else if own < last || own == Stage::Compute {
        let last = stage_name(last);
        Some(err_stage_mismatch(format!(
            "a {own_name} program cannot follow a {last} program"
        )))
    } else {
        None
    }
}

/// Returns the primitives that a tessellation program outputs; `None` for other programs, whose
/// output depends on the draw or is not compared.
fn find_output_primitive(program: &Program) -> Option<InputPrimitive> {
    // Quadrilaterals are a domain of subdivision: the resulting primitives are triangles.
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

/// Returns the keyword of the languages for a primitive, such as `TRIANGLES`; empty if it has none.
fn format_primitive(primitive: InputPrimitive) -> String {
    let mut all = InputPrimitive::ALL.iter();
    let found = all.find(|(known, _)| *known == primitive);
    found.map_or(String::new(), |(_, word)| word.to_uppercase())
}

/// Returns an error if a geometry program does not accept the output primitives of the previous
/// tessellation program; `None` for other programs. NV_geometry_program4 section 2.14.6.1,
/// NV_gpu_program5 ("Patches").
fn check_primitives(program: &Program, before: &Program) -> Option<Diagnostic> {
    if program.stage != Stage::Geometry {
        return None;
    }
    let (expected, actual) = (program.modes.primitive_in, find_output_primitive(before)?);
    (expected != actual).then(|| {
        err_stage_mismatch(format!(
            "the geometry program expects {}, but the preceding {} program outputs {}",
            format_primitive(expected),
            stage_name(before.stage),
            format_primitive(actual)
        ))
    })
}

/// Returns a warning about the first read of a constant vertex that the patches of the previous
/// control program do not have: its inputs are undefined.
fn check_vertices(program: &Program, before: &Program) -> Option<Diagnostic> {
    if before.stage != Stage::TessControl {
        return None;
    }
    let vertices = before.modes.vertices_out;
    let out_of_range = program.insts.iter().find_map(|inst| {
        let vertex = program.sources(inst).iter().find_map(|src| {
            let OperandBase::Input(input) = src.base else {
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
    out_of_range.map(|(vertex, span): (u32, Span)| {
        let name = stage_name(program.stage);
        let message = format!(
            "the {name} program reads vertex {vertex}, but patches of the tessellation control program have {vertices} vertices"
        );
        Diagnostic::warning(Code::StageMismatch, span, message)
    })
}

/// Returns, for each program, the error that it accesses a texture image unit with a different
/// target than a previous program, at the first such access. GL refuses to draw with such programs:
/// NV_vertex_program3 section 2.14.4, NV_gpu_program4 section 2.X.4.4.
fn check_targets(programs: &[&Program]) -> Vec<Option<Diagnostic>> {
    let mut targets: HashMap<u32, TexTarget> = HashMap::new();
    let mut conflicts = Vec::with_capacity(programs.len());
    for program in programs {
        let mut conflict = None;
        for (id, texture) in program.textures.iter_enumerated() {
            for unit in texture.units.indices() {
                let target = *targets.entry(unit).or_insert(texture.target);
                if target != texture.target && conflict.is_none() {
                    conflict = Some((id, unit));
                }
            }
        }
        conflicts.push(conflict.map(|(id, unit)| {
            let accesses =
                |aux| matches!(aux, InstData::Tex(access) if program.tex_accesses[access].texture == id);
            let first = program.insts.iter().find(|inst| accesses(inst.data));
            let message =
                format!("texture image unit {unit} is used with a different target by a previous stage");
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

    /// Returns a program without code, with the stage and the modes of `text`.
    fn program(text: &str) -> Program {
        let text = format!("program {text}\nroutine fn0 {{\n}}\nmain fn0\n");
        glasm_ir::parse(&text).unwrap()
    }

    /// Returns the messages about the last of several programs, without their code.
    fn messages(texts: &[&str]) -> Vec<String> {
        let programs: Vec<_> = texts.iter().map(|text| program(text)).collect();
        let programs: Vec<_> = programs.iter().collect();
        let found = check_pipeline(&programs).pop().unwrap();
        found.into_iter().map(|it| it.message).collect()
    }

    const CONTROL: &str = "tess_control\nvertices_out 3";

    /// Checks that a geometry program whose input primitive differs from the output primitive of
    /// the preceding program is an error.
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
                "the geometry program expects TRIANGLES_ADJACENCY, but the preceding tessellation evaluation program outputs {}",
                input.to_uppercase()
            );
            assert_eq!(wrong, [expected]);
        }
        assert!(messages(&["vertex", CONTROL, &geometry("patches")]).is_empty());
        assert!(messages(&["vertex", &geometry("patches")]).is_empty());
        let wrong = messages(&["vertex", CONTROL, &geometry("lines")]);
        let expected = "the geometry program expects LINES, but the preceding tessellation control program outputs PATCHES";
        assert_eq!(wrong, [expected]);
    }

    /// Checks that stages out of order and repeated stages are errors.
    #[test]
    fn stages_come_in_order_and_once() {
        assert_eq!(
            messages(&["fragment", "vertex"]),
            ["a vertex program cannot follow a fragment program"]
        );
        assert_eq!(
            messages(&["vertex", "vertex"]),
            ["a pipeline cannot contain two vertex programs"]
        );
        assert_eq!(
            messages(&["vertex", "compute"]),
            ["a compute program cannot follow a vertex program"]
        );
    }

    /// Checks that reading a vertex past the last one of the patch is a warning.
    #[test]
    fn vertices_that_patches_do_not_have_are_warned_of() {
        let text = "program tess_eval\nr0: temp32\nin0: position float per_vertex\nroutine fn0 {\n\
                    r0.xyzw = mov.f32 in0[0 of 1, vertex 2].xyzw\n\
                    r0.xyzw = mov.f32 in0[0 of 1, vertex 3].xyzw\n}\nmain fn0\n";
        let (control, evaluation) = (program(CONTROL), glasm_ir::parse(text).unwrap());
        let found = check_pipeline(&[&control, &evaluation]);
        assert_eq!(found[1].len(), 1);
        assert_eq!(found[1][0].severity, Severity::Warning);
        assert!(
            found[1][0].message.contains("reads vertex 3"),
            "{:?}",
            found[1][0]
        );
    }
}
