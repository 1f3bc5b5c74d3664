//! Contents of parameter blocks: GL state, and the values that an application has set.

use super::{GlState, StateChanges};
use crate::program::Shader;
use crate::reflect::Reflection;
use glasm_ir::{ParamSource, Stage};

/// Values that an application has set in addition to [`GlState`]. Values past the end of a list are
/// (0, 0, 0, 0), or the initial value of a named parameter.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ParameterValues<'a> {
    /// `program.env` of the program's target.
    pub env: &'a [[f32; 4]],
    /// `program.local` of the program.
    pub local: &'a [[f32; 4]],
    /// Named parameters, in the order of [`Reflection::named_parameters`].
    pub named: &'a [[f32; 4]],
    /// Numbers of subroutines, by `program.subroutine`.
    pub subroutines: &'a [u32],
    /// Argument with which a vertex state program is executed.
    pub argument: [f32; 4],
}

impl ParameterValues<'_> {
    /// Returns the bits of the value of a parameter of a module. Parameters of vertex programs that
    /// track a matrix have its rows instead of their value in [`Self::env`].
    pub fn evaluate_param(
        &self,
        source: ParamSource,
        state: &GlState,
        reflection: &Reflection,
    ) -> [u32; 4] {
        let get = |list: &[[f32; 4]], index: u32| list.get(index as usize).copied();
        let floats = match source {
            ParamSource::Env(index) => get_tracked_row(state, reflection.stage, index)
                .or_else(|| get(self.env, index))
                .unwrap_or_default(),
            ParamSource::Local(index) => get(self.local, index).unwrap_or_default(),
            ParamSource::State(param) => state.evaluate_param(param),
            ParamSource::Argument => self.argument,
            ParamSource::Literal(bits) => return bits,
            ParamSource::Subroutine(index) => {
                let number = self.subroutines.get(index as usize);
                return [number.copied().unwrap_or(0), 0, 0, 0];
            }
            ParamSource::Named(index) => match get(self.named, index) {
                Some(value) => value,
                None => {
                    let named = reflection.named_parameters.get(index as usize);
                    return named.map_or([0; 4], |named| named.initial_bits);
                }
            },
        };
        floats.map(f32::to_bits)
    }
}

/// Returns the row of a matrix that a parameter of vertex programs tracks.
fn get_tracked_row(state: &GlState, stage: Stage, index: u32) -> Option<[f32; 4]> {
    (stage == Stage::Vertex)
        .then(|| state.get_tracked_row(index))
        .flatten()
}

impl Shader {
    /// Writes the contents of the parameter block, four words for each 16 bytes of its buffer, as
    /// far as they fit. Returns the number of vectors that the block has, 0 without a block.
    ///
    /// ```
    /// use glasm::state::{GlState, ParameterValues};
    /// use glasm::{Options, Source, compile};
    ///
    /// let text = "!!ARBfp1.0\nMUL result.color, program.local[0], state.fog.color;\nEND";
    /// let shader = compile(&Source::new("fog.fp", text), &Options::default())?;
    /// let mut state = GlState::default();
    /// state.fog.color = [1.0, 0.0, 0.0, 1.0];
    /// let values = ParameterValues { local: &[[0.5; 4]], ..ParameterValues::default() };
    /// let mut block = [[0; 4]; 16];
    /// assert_eq!(shader.fill_parameter_block(&state, &values, &mut block), 2);
    /// assert_eq!(block[0], [0.5f32; 4].map(f32::to_bits));
    /// # Ok::<(), glasm::Diagnostics>(())
    /// ```
    pub fn fill_parameter_block(
        &self,
        state: &GlState,
        values: &ParameterValues<'_>,
        block: &mut [[u32; 4]],
    ) -> usize {
        let Some(own) = &self.reflection.parameter_block else {
            return 0;
        };
        for (vector, source) in block.iter_mut().zip(&own.parameters) {
            *vector = values.evaluate_param(*source, state, &self.reflection);
        }
        own.parameters.len()
    }

    /// Fills the parameter block as [`Self::fill_parameter_block`] does if it was never filled or
    /// values that it reads have changed since. Returns true if it was filled, so that the caller
    /// uploads it again.
    ///
    /// `revision` is that of the block, 0 before the first call. `changes` records the changes of
    /// `state`; the caller records changes of `values` with [`StateChanges::mark`].
    ///
    /// ```
    /// use glasm::state::{GlState, ParameterValues, StateChanges, StateGroups};
    /// use glasm::{Options, Source, compile};
    ///
    /// let text = "!!ARBfp1.0\nMUL result.color, program.local[0], state.fog.color;\nEND";
    /// let shader = compile(&Source::new("fog.fp", text), &Options::default())?;
    /// let (mut state, mut changes) = (GlState::default(), StateChanges::default());
    /// let (mut revision, mut block) = (0, [[0; 4]; 16]);
    /// let mut draw = |state: &GlState, changes: &mut StateChanges, color: [f32; 4]| {
    ///     let values = ParameterValues { local: &[color], ..ParameterValues::default() };
    ///     shader.update_parameter_block(state, changes, &values, &mut revision, &mut block)
    /// };
    /// assert!(draw(&state, &mut changes, [1.0; 4]));
    /// assert!(!draw(&state, &mut changes, [1.0; 4]));
    /// state.fog.color = [0.5; 4];
    /// assert!(draw(&state, &mut changes, [1.0; 4]));
    /// changes.mark(StateGroups::LOCAL); // glProgramLocalParameter4fARB
    /// assert!(draw(&state, &mut changes, [0.25; 4]));
    /// # Ok::<(), glasm::Diagnostics>(())
    /// ```
    pub fn update_parameter_block(
        &self,
        state: &GlState,
        changes: &mut StateChanges,
        values: &ParameterValues<'_>,
        revision: &mut u64,
        block: &mut [[u32; 4]],
    ) -> bool {
        // A block of literals reads no groups, but has to be filled once.
        let is_first = *revision == 0 && self.reflection.parameter_block.is_some();
        let changed = changes.take(state, revision);
        let is_stale = is_first || self.state_groups().intersects(changed);
        if is_stale {
            self.fill_parameter_block(state, values, block);
        }
        is_stale
    }

    /// Returns the sources of the parameter block with their values as floats, for logs and
    /// debuggers. Empty without a block.
    ///
    /// ```
    /// use glasm::state::{GlState, ParameterValues};
    /// use glasm::{Options, Source, compile};
    ///
    /// let text = "!!ARBfp1.0\nMUL result.color, fragment.color, state.fog.params;\nEND";
    /// let shader = compile(&Source::new("fog.fp", text), &Options::default())?;
    /// let list = shader.list_parameters(&GlState::default(), &ParameterValues::default());
    /// // Density, start, end, 1 / (end - start).
    /// assert_eq!((list[0].0.to_string(), list[0].1), ("state.fog.params".to_owned(), [1.0, 0.0, 1.0, 1.0]));
    /// # Ok::<(), glasm::Diagnostics>(())
    /// ```
    pub fn list_parameters(
        &self,
        state: &GlState,
        values: &ParameterValues<'_>,
    ) -> Vec<(ParamSource, [f32; 4])> {
        let block = self.reflection.parameter_block.iter();
        let sources = block.flat_map(|block| &block.parameters);
        let evaluate = |source: &ParamSource| {
            let bits = values.evaluate_param(*source, state, &self.reflection);
            (*source, bits.map(f32::from_bits))
        };
        sources.map(evaluate).collect()
    }

    /// Returns the bytes of the parameter block, as the buffer at its slot contains them: 16 for
    /// each vector, words of the byte order of the machine. Empty without a block.
    /// [`Self::fill_parameter_block`] writes the same values without allocating memory.
    ///
    /// ```
    /// use glasm::state::{GlState, ParameterValues};
    /// use glasm::{Options, Source, compile};
    ///
    /// let text = "!!ARBfp1.0\nMUL result.color, fragment.color, program.local[0];\nEND";
    /// let shader = compile(&Source::new("tint.fp", text), &Options::default())?;
    /// let values = ParameterValues { local: &[[1.0, 0.5, 0.25, 1.0]], ..ParameterValues::default() };
    /// let bytes = shader.compute_parameter_bytes(&GlState::default(), &values);
    /// assert_eq!(bytes[4..8], 0.5f32.to_ne_bytes());
    /// # Ok::<(), glasm::Diagnostics>(())
    /// ```
    pub fn compute_parameter_bytes(
        &self,
        state: &GlState,
        values: &ParameterValues<'_>,
    ) -> Vec<u8> {
        let block = self.reflection.parameter_block.iter();
        let sources = block.flat_map(|block| &block.parameters);
        sources
            .flat_map(|source| values.evaluate_param(*source, state, &self.reflection))
            .flat_map(u32::to_ne_bytes)
            .collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::state::{MatrixForm, MatrixTracking, TrackedMatrix};
    use crate::{Options, Source, compile};

    fn fill(text: &str, state: &GlState, values: &ParameterValues<'_>) -> Vec<[f32; 4]> {
        let shader = compile(&Source::new("test", text), &Options::default()).unwrap();
        let mut block = [[7; 4]; 8];
        let count = shader.fill_parameter_block(state, values, &mut block);
        // Nothing is written past the block.
        assert!(block[count..].iter().all(|vector| *vector == [7; 4]));
        let vectors = block[..count].iter();
        vectors.map(|vector| vector.map(f32::from_bits)).collect()
    }

    #[test]
    fn values_of_all_sources() {
        let text = "!!ARBfp1.0\nTEMP r;\nADD r, program.env[1], program.local[2];\n\
                    ADD result.color, r, state.fog.color;\nEND";
        let mut state = GlState::default();
        state.fog.color = [0.25; 4];
        // Fragment programs do not track matrices.
        let matrix = TrackedMatrix::Projection;
        let form = MatrixForm::Plain;
        state.track_matrix(0, Some(MatrixTracking { matrix, form }));
        let values = ParameterValues {
            env: &[[1.0; 4], [2.0; 4]],
            local: &[[3.0; 4]],
            ..ParameterValues::default()
        };
        let mut found = fill(text, &state, &values);
        found.sort_by(|a, b| a[0].total_cmp(&b[0]));
        assert_eq!(found, [[0.0; 4], [0.25; 4], [2.0; 4]]);
    }

    #[test]
    fn tracked_matrices_replace_parameters() {
        let text = "!!VP1.0\nMOV o[HPOS], c[5];\nEND";
        let mut state = GlState::default();
        let values = ParameterValues {
            env: &[[9.0; 4]; 6],
            ..ParameterValues::default()
        };
        assert_eq!(fill(text, &state, &values), [[9.0; 4]]);
        let matrix = TrackedMatrix::Projection;
        let form = MatrixForm::Plain;
        state.track_matrix(4, Some(MatrixTracking { matrix, form }));
        // The second row of the identity.
        assert_eq!(fill(text, &state, &values), [[0.0, 1.0, 0.0, 0.0]]);
    }

    /// Checks that a block is filled once even if it reads nothing that changes, and that a shader
    /// without a block never has one to upload.
    #[test]
    fn blocks_of_literals_are_filled_once() {
        let indexed = "!!NVvp4.0\nPARAM list[] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };\nTEMP n;\n\
                       MOV.S n.x, vertex.id.x;\nMOV result.position, list[n.x];\nEND";
        let plain = "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND";
        let (state, values) = (GlState::default(), ParameterValues::default());
        for (text, filled) in [(indexed, [1.0, 2.0, 3.0, 4.0]), (plain, [0.0; 4])] {
            let shader = compile(&Source::new("test", text), &Options::default()).unwrap();
            assert_eq!(shader.state_groups(), crate::state::StateGroups::NONE);
            let (mut changes, mut revision) = (StateChanges::default(), 0);
            let mut block = [[0; 4]; 2];
            let mut update = || {
                shader.update_parameter_block(
                    &state,
                    &mut changes,
                    &values,
                    &mut revision,
                    &mut block,
                )
            };
            assert_eq!([update(), update()], [filled != [0.0; 4], false], "{text}");
            assert_eq!(block[0].map(f32::from_bits), filled);
        }
    }

    #[test]
    fn short_blocks_are_filled_as_far_as_they_go() {
        let text = "!!ARBfp1.0\nADD result.color, program.local[0], program.local[1];\nEND";
        let shader = compile(&Source::new("test", text), &Options::default()).unwrap();
        let values = ParameterValues {
            local: &[[1.0; 4], [2.0; 4]],
            ..ParameterValues::default()
        };
        let mut block = [[0; 4]; 1];
        let count = shader.fill_parameter_block(&GlState::default(), &values, &mut block);
        assert_eq!((count, block), (2, [[1f32.to_bits(); 4]]));
    }
}
