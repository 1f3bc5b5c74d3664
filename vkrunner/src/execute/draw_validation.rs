//! GL's rules for programs and draws: counts, and rejected operations, which are errors without
//! effect. Vulkan leaves such draws undefined, so none of them reaches the device.

use super::execution::Execution;
use crate::error::{CommandError, CommandResult};
use crate::programs::Module;
use ash::vk::PrimitiveTopology;
use glasm::ir::Stage;
use glasm::ir::primitive::InputPrimitive;
use glasm::reflect::PrimitiveInfo;
use glasm_scripts::params::resource_count;
use glasm_scripts::script::{CountKind, Draw, GlOutcome, ProgramForm};

/// Compares the outcome that the script specifies for a command with `refusal`, the reason why GL
/// rejects it. Returns true if GL accepts the command, false if it rejects the command as expected,
/// and an error that names the command (`what`) if they differ.
pub(super) fn check_outcome(
    outcome: GlOutcome,
    refusal: Option<String>,
    what: &str,
) -> Result<bool, String> {
    match (outcome, refusal) {
        (GlOutcome::Accepted, None) => Ok(true),
        (GlOutcome::Rejected, Some(_)) => Ok(false),
        (GlOutcome::Accepted, Some(reason)) => Err(format!("GL refuses {what}: {reason}")),
        (GlOutcome::Rejected, None) => Err(format!("GL does not refuse {what}")),
    }
}

/// State of transform feedback: active or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CaptureMode {
    Inactive,
    Active,
}

/// Returns the reason why GL rejects a draw with these programs; `None` if it accepts the draw.
/// Checks the primitives that tessellation and geometry programs accept, and that no pass-through
/// geometry program is captured. NV_geometry_program4, NV_tessellation_program5,
/// NV_geometry_shader_passthrough, "Errors".
pub(super) fn draw_rejection_reason(
    draw: &Draw,
    modules: &[&Module],
    capturing: CaptureMode,
) -> Option<String> {
    let has = |stage: Stage| modules.iter().any(|module| module.stage == stage);
    let mode = draw.gl_mode_name();
    let is_patches = draw.topology == PrimitiveTopology::PATCH_LIST;
    if !is_patches && (has(Stage::TessControl) || has(Stage::TessEval)) {
        return Some(format!("tessellation programs take PATCHES, not {mode}"));
    }
    let geometry = modules
        .iter()
        .find(|module| module.stage == Stage::Geometry);
    let primitives = geometry.and_then(|module| module.reflection.as_ref()?.primitive_info);
    let Some(PrimitiveInfo::Geometry {
        input_primitive: input,
        is_passthrough: passthrough,
        ..
    }) = primitives
    else {
        return None;
    };
    if passthrough && capturing == CaptureMode::Active {
        return Some(
            "a geometry program that passes primitives through is not captured".to_owned(),
        );
    }
    let fits = has(Stage::TessEval) || accepts_topology(input, draw.topology);
    (!fits).then(|| {
        let all = InputPrimitive::ALL.iter();
        let mut words = all.filter(|(known, _)| *known == input);
        let word = words.next().map_or("", |(_, word)| word).to_uppercase();
        format!("the geometry program takes {word}, not {mode}")
    })
}

/// Returns true if a geometry program with an input primitive accepts the primitives of a draw in
/// Vulkan's form, where quadrilaterals and polygons are lists of triangles, and closed lines are
/// lists of lines. NV_geometry_program4 section 2.14.6.1.
fn accepts_topology(input: InputPrimitive, topology: PrimitiveTopology) -> bool {
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
    /// Returns the use count of a resource that GL limits, for the assembly program of a stage that
    /// is current for loaded programs. Returns an error if there is none, or with the diagnostics
    /// of the program if it is invalid.
    pub(super) fn count_resources(
        &self,
        stage: Stage,
        kind: CountKind,
    ) -> Result<u64, CommandError> {
        let script = self.script.with_loaded_programs(&self.program_state.loaded);
        let mut programs = script.programs.iter();
        let program = programs
            .find(|program| (program.stage, program.form) == (stage, ProgramForm::Assembly))
            .ok_or_else(|| format!("there is no {} program", stage.name()))?;
        let requirements = &self.script.requirements;
        let source = requirements.source(self.name, program);
        let counts =
            glasm::count_resources(&source).map_err(|diagnostics| diagnostics.render(&source))?;
        Ok(resource_count(&counts, kind).into())
    }

    /// Checks the outcome of `vertex limit` (`ProgramVertexLimitNV`): returns an error if GL
    /// rejects the limit and the script does not expect that, or the reverse. Does not change the
    /// limit, which is part of the state of programs already.
    pub(super) fn check_vertex_limit(&self, limit: i64, outcome: GlOutcome) -> CommandResult {
        let refusal = self.vertex_limit_rejection(limit)?;
        check_outcome(outcome, refusal, "the vertex limit")?;
        Ok(())
    }

    /// Returns the reason why GL rejects a vertex limit for the current geometry program; `None` if
    /// it is accepted. The errors are those of [`Self::count_resources`]. NV_geometry_program4
    /// section 2.14.6.3, NV_geometry_shader_passthrough.
    fn vertex_limit_rejection(&self, limit: i64) -> Result<Option<String>, CommandError> {
        let script = self.script.with_loaded_programs(&self.program_state.loaded);
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
        let primitives = PrimitiveInfo::Geometry {
            input_primitive: input,
            input_vertex_count: 0,
            output_primitive: OutputPrimitive::Points,
            vertices: 1,
            invocations: 1,
            is_passthrough: passthrough,
        };
        let reflection = Reflection {
            primitive_info: Some(primitives),
            ..reflection(Stage::Geometry)
        };
        module(Stage::Geometry, Some(reflection))
    }

    #[test]
    fn modes_of_draws_are_those_of_programs() {
        let refused = |input, words: &str| {
            draw_rejection_reason(
                &draw(words),
                &[&geometry(input, false)],
                CaptureMode::Active,
            )
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
        assert!(draw_rejection_reason(&quads, &[&passed], CaptureMode::Active).is_some());
        assert_eq!(
            draw_rejection_reason(&quads, &[&passed], CaptureMode::Inactive),
            None
        );
    }

    #[test]
    fn tessellation_takes_patches() {
        let control = module(Stage::TessControl, None);
        let refused =
            |words| draw_rejection_reason(&draw(words), &[&control], CaptureMode::Inactive);
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
        assert_eq!(check_outcome(GlOutcome::Rejected, why(), "it"), Ok(false));
        assert_eq!(
            check_outcome(GlOutcome::Accepted, why(), "it"),
            Err("GL refuses it: no".to_owned())
        );
        assert!(check_outcome(GlOutcome::Rejected, None, "it").is_err());
    }
}
