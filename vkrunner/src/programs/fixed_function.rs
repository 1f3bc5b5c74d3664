//! GL's fixed-function processing as programs: those of the library, for the state of the script.
//! Pure.

use glasm::fixed_function::{FixedFragment, UNITS, fragment_program, vertex_program};
use glasm::reflect::InterfaceVariable;
use glasm::{FixedState, Semantic};
use glasm_scripts::script::{FixedReads, ProgramState, VertexProcessing};

/// Returns GL's fragment processing as a program. Colors are only clamped between units if the
/// script specifies it.
pub(super) fn fragment_text(
    state: &ProgramState,
    vertices: VertexProcessing,
    fixed: &FixedState,
) -> String {
    fragment_program(&FixedFragment {
        unclamped: !fixed.clamp_fragment_colors,
        ..state.fixed.fragment(&state.texture_enables, vertices)
    })
}

/// Returns GL's vertex processing as a program, for a following stage that reads these inputs;
/// `None` for the fragment stage of [`fragment_text`].
pub(super) fn vertex_text(state: &ProgramState, inputs: Option<&[InterfaceVariable]>) -> String {
    let mut reads = FixedReads::default();
    match inputs {
        Some(inputs) => {
            for input in inputs {
                if let Semantic::TexCoord(set) = input.semantic
                    && usize::from(set) < UNITS
                {
                    reads.texcoords |= 1 << set;
                } else if input.semantic == Semantic::FogCoord {
                    reads.fog_coordinate = true;
                }
            }
        }
        None => {
            let vertices = VertexProcessing::Fixed;
            let key = state.fixed.fragment(&state.texture_enables, vertices);
            for (set, unit) in key.units.iter().enumerate() {
                reads.texcoords |= u8::from(unit.target.is_some()) << set;
            }
            reads.fog_coordinate = key.fog.is_some();
        }
    }
    vertex_program(&state.fixed.vertex(reads))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::{Options, Source, compile};
    use glasm_scripts::script::Script;

    /// Returns the state of the draw of a script.
    fn state(commands: &str) -> ProgramState {
        let text = format!("[require]\nGL >= 1.3\n[test]\n{commands}\ndraw rect -1 -1 2 2\n");
        let mut script = Script::parse(text.as_bytes()).unwrap();
        script.complete_stages().unwrap();
        script.program_states().remove(0)
    }

    fn text(state: &ProgramState, clamp_fragment_colors: bool) -> String {
        let fixed = FixedState {
            clamp_fragment_colors,
            ..FixedState::default()
        };
        fragment_text(state, VertexProcessing::Fixed, &fixed)
    }

    /// Returns the inputs of a program that loads.
    fn inputs(text: &str) -> Vec<InterfaceVariable> {
        let source = Source::new("fixed function", text.as_bytes());
        let shader = compile(&source, &Options::default());
        let shader = shader.unwrap_or_else(|errors| panic!("{text}{}", errors.render(&source)));
        shader.reflection.inputs
    }

    #[test]
    fn the_vertex_stage_writes_what_the_fragment_stage_reads() {
        let state = state(
            "active_texture 5\nenable GL_TEXTURE_CUBE_MAP\nactive_texture 2\nenable GL_TEXTURE_1D\nenable GL_FOG",
        );
        let fragment = inputs(&text(&state, true));
        for vertex in [
            vertex_text(&state, None),
            vertex_text(&state, Some(&fragment)),
        ] {
            for result in [
                "result.texcoord[5]",
                "result.texcoord[2]",
                "result.fogcoord",
            ] {
                assert!(vertex.contains(result), "{vertex}");
            }
            assert!(!vertex.contains("result.texcoord[0]"), "{vertex}");
            inputs(&vertex);
        }
    }

    #[test]
    fn colors_are_clamped_where_the_script_says_so() {
        let state = state("enable GL_COLOR_SUM");
        assert!(text(&state, true).contains("ADD_SAT"));
        assert!(!text(&state, false).contains("_SAT"));
    }
}
