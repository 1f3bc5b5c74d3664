//! GL's rules for programs and draws: counts, and rejected operations, which are errors without
//! effect. Vulkan leaves such draws undefined, so none of them reaches the device.

use super::execution::Execution;
use crate::error::{Done, Problem};
use crate::programs::Module;
use ash::vk::PrimitiveTopology;
use glasm::ir::Stage;
use glasm::ir::primitive::InputPrimitive;
use glasm::reflect::Primitives;
use glasm_scripts::params::count_of;
use glasm_scripts::script::{CountKind, Draw, GlOutcome, ProgramForm};

/// Returns true if a command is to be executed: `refusal` is the reason why GL rejects it, and the
/// script specifies the expected outcome.
pub(super) fn check_outcome(
    outcome: GlOutcome,
    refusal: Option<String>,
    what: &str,
) -> Result<bool, String> {
    match (outcome, refusal) {
        (GlOutcome::Accepted, None) => Ok(true),
        (GlOutcome::Refused, Some(_)) => Ok(false),
        (GlOutcome::Accepted, Some(reason)) => Err(format!("GL refuses {what}: {reason}")),
        (GlOutcome::Refused, None) => Err(format!("GL does not refuse {what}")),
    }
}

/// State of transform feedback: active or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Capturing {
    No,
    Yes,
}

/// Returns the reason why GL rejects a draw with these programs. NV_geometry_program4,
/// NV_tessellation_program5, NV_geometry_shader_passthrough, "Errors".
pub(super) fn find_draw_refusal(
    draw: &Draw,
    modules: &[&Module],
    capturing: Capturing,
) -> Option<String> {
    let has = |stage: Stage| modules.iter().any(|module| module.stage == stage);
    let mode = draw.mode();
    let is_patches = draw.topology == PrimitiveTopology::PATCH_LIST;
    if !is_patches && (has(Stage::TessControl) || has(Stage::TessEval)) {
        return Some(format!("tessellation programs take PATCHES, not {mode}"));
    }
    let geometry = modules
        .iter()
        .find(|module| module.stage == Stage::Geometry);
    let told = geometry.and_then(|module| module.reflection.as_ref()?.primitives);
    let Some(Primitives::Geometry {
        input, passthrough, ..
    }) = told
    else {
        return None;
    };
    if passthrough && capturing == Capturing::Yes {
        return Some(
            "a geometry program that passes primitives through is not captured".to_owned(),
        );
    }
    let fits = has(Stage::TessEval) || takes(input, draw.topology);
    (!fits).then(|| {
        let all = InputPrimitive::ALL.iter();
        let mut words = all.filter(|(known, _)| *known == input);
        let word = words.next().map_or("", |(_, word)| word).to_uppercase();
        format!("the geometry program takes {word}, not {mode}")
    })
}

/// Returns true if a geometry program accepts the primitives of a draw. Quadrilaterals and polygons
/// are lists of triangles, closed lines are lists of lines. NV_geometry_program4 section 2.14.6.1.
fn takes(input: InputPrimitive, topology: PrimitiveTopology) -> bool {
    let topologies: &[PrimitiveTopology] = match input {
        InputPrimitive::Points => &[PrimitiveTopology::POINT_LIST],
        InputPrimitive::Lines => &[PrimitiveTopology::LINE_LIST, PrimitiveTopology::LINE_STRIP],
        InputPrimitive::LinesAdjacency => &[
            PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
            PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY,
        ],
        InputPrimitive::Triangles => &[
            PrimitiveTopology::TRIANGLE_LIST,
            PrimitiveTopology::TRIANGLE_STRIP,
            PrimitiveTopology::TRIANGLE_FAN,
        ],
        InputPrimitive::TrianglesAdjacency => &[
            PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY,
            PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY,
        ],
        InputPrimitive::Patches => &[PrimitiveTopology::PATCH_LIST],
    };
    topologies.contains(&topology)
}

/// `MAX_PROGRAM_OUTPUT_VERTICES_NV` and `MAX_PROGRAM_TOTAL_OUTPUT_COMPONENTS_NV`, the least that
/// implementations have.
const MAX_OUTPUT: i64 = 1024;

impl Execution<'_> {
    /// Returns the use count of a resource that GL limits, for the current program of a stage.
    pub(super) fn count_resources(&self, stage: Stage, kind: CountKind) -> Result<u64, Problem> {
        let script = self.script.with_loaded(&self.state.loaded);
        let mut programs = script.programs.iter();
        let program = programs
            .find(|program| (program.stage, program.form) == (stage, ProgramForm::Assembly))
            .ok_or_else(|| format!("there is no {} program", stage.name()))?;
        let requirements = &self.script.requirements;
        let source = requirements.source(self.name, program);
        let counts = glasm::count(&source).map_err(|diagnostics| diagnostics.render(&source))?;
        Ok(count_of(&counts, kind).into())
    }

    /// Executes `vertex limit`, `ProgramVertexLimitNV`. The state has the limit already.
    pub(super) fn limit_vertices(&self, limit: i64, outcome: GlOutcome) -> Done {
        let refusal = self.find_limit_refusal(limit)?;
        check_outcome(outcome, refusal, "the vertex limit")?;
        Ok(())
    }

    /// Returns the reason why GL rejects a vertex limit. NV_geometry_program4 section 2.14.6.3,
    /// NV_geometry_shader_passthrough.
    fn find_limit_refusal(&self, limit: i64) -> Result<Option<String>, Problem> {
        let script = self.script.with_loaded(&self.state.loaded);
        let mut programs = script.programs.iter();
        let program = programs.find(|program| {
            (program.stage, program.form) == (Stage::Geometry, ProgramForm::Assembly)
        });
        let Some(program) = program else {
            return Ok(Some("there is no geometry program".to_owned()));
        };
        let source = self.script.requirements.source(self.name, program);
        let (program, _) = glasm::translate(&source);
        if program.is_some_and(|program| program.modes.passthrough) {
            let reason = "the geometry program passes primitives through";
            return Ok(Some(reason.to_owned()));
        }
        if !(1..=MAX_OUTPUT).contains(&limit) {
            return Ok(Some(format!("it is not between 1 and {MAX_OUTPUT}")));
        }
        let components = self.count_resources(Stage::Geometry, CountKind::ResultComponents)?;
        let total = limit * i64::try_from(components).unwrap_or(MAX_OUTPUT);
        Ok((total > MAX_OUTPUT)
            .then(|| format!("vertices have {total} components together, more than {MAX_OUTPUT}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{module, reflection};
    use glasm::Reflection;
    use glasm::ir::primitive::OutputPrimitive;
    use glasm_scripts::script::{Command, Script};

    fn draw(words: &str) -> Draw {
        let text = format!(
            "[vertex shader passthrough]\n[fragment shader passthrough]\n[test]\ndraw {words} fails\n"
        );
        let script = Script::parse(text.as_bytes()).unwrap();
        let Command::Draw(draw) = &script.steps[0].command else {
            panic!("{text}");
        };
        **draw
    }

    fn geometry(input: InputPrimitive, passthrough: bool) -> Module {
        let primitives = Primitives::Geometry {
            input,
            input_vertices: 0,
            output: OutputPrimitive::Points,
            vertices: 1,
            invocations: 1,
            passthrough,
        };
        let reflection = Reflection {
            primitives: Some(primitives),
            ..reflection(Stage::Geometry)
        };
        module(Stage::Geometry, Some(reflection))
    }

    #[test]
    fn modes_of_draws_are_those_of_programs() {
        let refused = |input, words: &str| {
            find_draw_refusal(&draw(words), &[&geometry(input, false)], Capturing::Yes)
        };
        let triangles = InputPrimitive::Triangles;
        for words in [
            "TRIANGLES",
            "TRIANGLE_FAN",
            "QUADS",
            "QUAD_STRIP",
            "POLYGON",
        ] {
            assert_eq!(refused(triangles, &format!("arrays {words} 0 4")), None);
        }
        assert_eq!(refused(InputPrimitive::Lines, "arrays LINE_LOOP 0 4"), None);
        assert_eq!(
            refused(triangles, "arrays LINES_ADJACENCY 0 4").as_deref(),
            Some("the geometry program takes TRIANGLES, not LINES_ADJACENCY")
        );
        assert_eq!(
            refused(InputPrimitive::Patches, "arrays QUADS 0 4").as_deref(),
            Some("the geometry program takes PATCHES, not QUADS")
        );
        let passed = geometry(triangles, true);
        let quads = draw("arrays QUADS 0 4");
        assert!(find_draw_refusal(&quads, &[&passed], Capturing::Yes).is_some());
        assert_eq!(find_draw_refusal(&quads, &[&passed], Capturing::No), None);
    }

    #[test]
    fn tessellation_takes_patches() {
        let control = module(Stage::TessControl, None);
        let refused = |words| find_draw_refusal(&draw(words), &[&control], Capturing::No);
        assert_eq!(refused("arrays PATCHES 0 3"), None);
        assert_eq!(
            refused("arrays TRIANGLES 0 3").as_deref(),
            Some("tessellation programs take PATCHES, not TRIANGLES")
        );
    }

    #[test]
    fn scripts_say_what_is_refused() {
        let why = || Some("no".to_owned());
        assert_eq!(check_outcome(GlOutcome::Accepted, None, "it"), Ok(true));
        assert_eq!(check_outcome(GlOutcome::Refused, why(), "it"), Ok(false));
        assert_eq!(
            check_outcome(GlOutcome::Accepted, why(), "it"),
            Err("GL refuses it: no".to_owned())
        );
        assert!(check_outcome(GlOutcome::Refused, None, "it").is_err());
    }
}
