//! Compiling the stages of a pipeline together: only what passes between them takes locations.

use crate::compiler::{Compiler, Shader, verify};
use glasm_codegen::options::Varyings;
use glasm_codegen::varyings::varying_location;
use glasm_codegen::{Options, SourceText};
use glasm_frontend::{Code, Diagnostic, Diagnostics, Source};
use glasm_ir::inst::Aux;
use glasm_ir::{Program, Semantic, Stage, TexTarget};
use std::collections::HashMap;

/// What [`link`] gives.
#[derive(Clone, PartialEq, Debug)]
pub struct Linked {
    /// What became of each stage, in the order of the arguments.
    pub stages: Vec<Result<Shader, Diagnostics>>,
    /// Inputs that the stage before does not write, with the stage that reads them. GL links such programs: fragment programs read
    /// (0, 0, 0, 1), other stages something undefined, which Vulkan does not run.
    pub unwritten: Vec<(Stage, Semantic)>,
}

/// Compiles the stages of one pipeline, given in its order, so that they fit each other.
///
/// Outputs that the next stage does not read, and that transform feedback does not capture, are dropped; the others are numbered
/// from 0 on. Any two results of a program go together, which the fixed table of separate stages does not allow for all. The options
/// `interface.inputs` and `interface.outputs` count at the ends of the pipeline only, and beside stages that do not load.
///
/// A stage that accesses a texture image unit with another target than a stage before it has the error E0703, as GL draws nothing
/// with such programs.
pub fn link(stages: &[(&Source<'_>, &Options)]) -> Linked {
    let translated: Vec<_> = stages
        .iter()
        .map(|(source, _)| glasm_frontend::translate(source))
        .collect();
    let mut all: Vec<Options> = stages
        .iter()
        .map(|(_, options)| (*options).clone())
        .collect();
    let mut unwritten = Vec::new();
    for (index, pair) in translated.windows(2).enumerate() {
        let [(Some(from), _), (Some(to), _)] = pair else {
            continue;
        };
        let packed = Varyings::pack(from, to, &all[index].transform_feedback);
        all[index].interface.outputs = packed.clone();
        all[index + 1].interface.inputs = packed;
        unwritten.extend(missing(from, to).map(|semantic| (to.stage, semantic)));
    }
    let mut compiler = Compiler::new();
    let sources = stages.iter().map(|(source, _)| source);
    let conflicts = target_conflicts(&translated);
    let stages = sources.zip(translated).zip(&all).zip(conflicts);
    let stages = stages.map(|(((source, (program, mut warnings)), options), conflict)| {
        let Some(program) = program else {
            return Err(warnings);
        };
        if let Some(conflict) = conflict {
            warnings.push(conflict);
            return Err(warnings);
        }
        if cfg!(debug_assertions) {
            verify(&program)?;
        }
        let text = SourceText {
            name: source.name,
            text: source.text,
        };
        compiler.emit(&program, options, Some(text), warnings)
    });
    Linked {
        stages: stages.collect(),
        unwritten,
    }
}

/// For each stage, the error that it accesses a texture image unit with another target than a stage before it. GL refuses to draw
/// with such programs: NV_vertex_program3 section 2.14.4, NV_gpu_program4 section 2.X.4.4.
fn target_conflicts(stages: &[(Option<Program>, Diagnostics)]) -> Vec<Option<Diagnostic>> {
    let mut targets: HashMap<u32, TexTarget> = HashMap::new();
    let mut conflicts = Vec::with_capacity(stages.len());
    for (program, _) in stages {
        let mut conflict = None;
        for (id, texture) in program.iter().flat_map(|it| it.textures.iter_enumerated()) {
            for unit in texture.units.numbers() {
                let target = *targets.entry(unit).or_insert(texture.target);
                if target != texture.target && conflict.is_none() {
                    conflict = Some((id, unit));
                }
            }
        }
        let found = program.as_ref().zip(conflict);
        conflicts.push(found.map(|(program, (id, unit))| {
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

/// Varyings that `to` reads and `from` does not write.
fn missing<'a>(from: &'a Program, to: &'a Program) -> impl Iterator<Item = Semantic> + 'a {
    let is_written = |semantic: Semantic| {
        let mut outputs = from.outputs.iter();
        outputs.any(|output| output.semantic == semantic)
    };
    let inputs = to.inputs.iter().map(|input| input.semantic);
    inputs.filter(move |semantic| varying_location(*semantic).is_some() && !is_written(*semantic))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use glasm_codegen::reflect::InterfaceVariable;

    fn locations(list: &[InterfaceVariable]) -> Vec<(Semantic, Option<u32>)> {
        let mut found: Vec<_> = list.iter().map(|it| (it.semantic, it.location)).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn what_passes_is_numbered_and_the_rest_is_dropped() {
        let vertex = Source::new(
            "v",
            "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.color, 1;\nMOV result.attrib[27], 2;\n\
             MOV result.texcoord[3], 3;\nMOV result.attrib[30], 4;\nEND",
        );
        let fragment = Source::new(
            "f",
            "!!NVfp4.0\nTEMP r;\nMOV r, fragment.color;\nADD r, r, fragment.attrib[27];\n\
             ADD result.color, r, fragment.texcoord[5];\nEND",
        );
        // Separately compiled, color and attribute 27 meet at location 0.
        assert!(crate::compile(&vertex, &Options::default()).is_err());
        let options = Options::default();
        let linked = link(&[(&vertex, &options), (&fragment, &options)]);
        assert_eq!(linked.unwritten, [(Stage::Fragment, Semantic::TexCoord(5))]);
        let [vertex, fragment] = [0, 1].map(|stage| linked.stages[stage].as_ref().unwrap());
        assert_eq!(
            locations(&vertex.reflection.outputs),
            [
                (Semantic::Position, None),
                (Semantic::Color(0), Some(0)),
                (Semantic::Generic(27), Some(1)),
            ]
        );
        assert_eq!(
            locations(&fragment.reflection.inputs),
            [
                (Semantic::Color(0), Some(0)),
                (Semantic::Generic(27), Some(1)),
            ]
        );
    }

    #[test]
    fn stages_agree_on_targets() {
        let vertex = |target| {
            format!(
                "!!ARBvp1.0\nOPTION NV_vertex_program3;\nOPTION ARB_fragment_program_shadow;\n\
                 TEX result.position, 0, texture[3], {target};\nEND"
            )
        };
        let fragment = "!!ARBfp1.0\nTEX result.color, 0, texture[1], 3D;\nTEX result.color, 0, texture[3], 2D;\nEND";
        let options = Options::default();
        let fragment = Source::new("f", fragment);
        for (target, agrees) in [("2D", true), ("SHADOW2D", true), ("CUBE", false)] {
            let text = vertex(target);
            let vertex = Source::new("v", &text);
            let linked = link(&[(&vertex, &options), (&fragment, &options)]);
            assert!(linked.stages[0].is_ok());
            assert_eq!(linked.stages[1].is_ok(), agrees, "{target}");
            if let Err(found) = &linked.stages[1] {
                assert_eq!(found.list[0].code, Code::TargetConflict);
            }
        }
    }

    #[test]
    fn every_stage_has_its_own_errors() {
        let broken = Source::new("v", "!!NVvp4.0\nMOV result.position, nothing;\nEND");
        let fragment = Source::new("f", "!!NVfp4.0\nMOV result.color, fragment.color;\nEND");
        let options = Options::default();
        let linked = link(&[(&broken, &options), (&fragment, &options)]);
        assert!(linked.stages[0].is_err());
        let fragment = linked.stages[1].as_ref().unwrap();
        assert_eq!(fragment.reflection.inputs[0].location, Some(0));
    }
}
