//! Contents of parameter blocks: GL state, and the values that an application has set.

use super::{GlState, StateChanges};
use crate::program::Shader;
use crate::reflect::Reflection;
use glasm_ir::{ParamSource, Stage};
use std::fmt;

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

/// Number of bytes of a vector of a parameter block.
const VECTOR_SIZE: usize = 16;

/// Error: memory of the caller is shorter than the parameter block of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShortBlock {
    /// Number of bytes that the block has.
    pub needed: usize,
    /// Number of bytes of the memory.
    pub given: usize,
}

impl fmt::Display for ShortBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { needed, given } = self;
        write!(
            f,
            "the parameter block has {needed} bytes, but its memory has {given}"
        )
    }
}

impl std::error::Error for ShortBlock {}

/// A vector of a parameter block with its source and its value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ParameterValue {
    /// The source of the value, which is printed as in programs.
    pub source: ParamSource,
    /// The value. Integers, such as numbers of subroutines, have their bits.
    pub value: [f32; 4],
    /// Offset in the block in bytes.
    pub offset: usize,
}

impl Shader {
    /// Returns the sources of the vectors of the parameter block; none without a block.
    pub(super) fn parameter_sources(&self) -> &[ParamSource] {
        let block = self.reflection.parameter_block.as_ref();
        block.map_or(&[][..], |block| &block.parameters)
    }

    /// Returns the number of bytes of the parameter block: 16 for each vector, 0 without a block.
    pub fn parameter_block_size(&self) -> usize {
        VECTOR_SIZE * self.parameter_sources().len()
    }

    /// Returns the bytes of a vector of the parameter block, in the byte order of the machine.
    fn evaluate_vector(
        &self,
        source: ParamSource,
        state: &GlState,
        values: &ParameterValues<'_>,
    ) -> [u8; VECTOR_SIZE] {
        let bits = values.evaluate_param(source, state, &self.reflection);
        let words = bits.map(u32::to_ne_bytes);
        std::array::from_fn(|byte| words[byte / 4][byte % 4])
    }

    /// Returns the vectors of the parameter block in memory of the caller.
    fn split_block<'a>(
        &self,
        block: &'a mut [u8],
    ) -> Result<&'a mut [[u8; VECTOR_SIZE]], ShortBlock> {
        let (needed, given) = (self.parameter_block_size(), block.len());
        let block = block.get_mut(..needed);
        let (vectors, _) = block.ok_or(ShortBlock { needed, given })?.as_chunks_mut();
        Ok(vectors)
    }

    /// Writes the contents of the parameter block as the buffer at its slot has them:
    /// [`Self::parameter_block_size`] bytes, words of the byte order of the machine. The memory may
    /// be that of the buffer; bytes past the block are unchanged.
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
    /// let mut block = [0; 32];
    /// shader.fill_parameter_block(&state, &values, &mut block)?;
    /// assert_eq!(block[..4], 0.5f32.to_ne_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the block is longer than the memory, which is then unchanged.
    pub fn fill_parameter_block(
        &self,
        state: &GlState,
        values: &ParameterValues<'_>,
        block: &mut [u8],
    ) -> Result<(), ShortBlock> {
        let vectors = self.split_block(block)?.iter_mut();
        for (vector, source) in vectors.zip(self.parameter_sources()) {
            *vector = self.evaluate_vector(*source, state, values);
        }
        Ok(())
    }

    /// Updates the parameter block: fills it if it was never filled, otherwise computes
    /// the vectors again whose state has changed, and compares those of `values` with the block.
    /// Returns true if the contents have changed, so that the caller uploads them.
    ///
    /// `changes` is the record of `state`. `revision` is that of the block, 0 before the first
    /// call. `block` has the contents that the last call left in it. Calls for blocks of other
    /// programs and targets with other `values` have no influence on this block.
    ///
    /// ```
    /// use glasm::state::{GlState, ParameterValues, StateChanges};
    /// use glasm::{Options, Source, compile};
    ///
    /// let text = "!!ARBfp1.0\nMUL result.color, program.local[0], state.fog.color;\nEND";
    /// let shader = compile(&Source::new("fog.fp", text), &Options::default())?;
    /// let (mut state, mut changes) = (GlState::default(), StateChanges::default());
    /// let (mut revision, mut block) = (0, vec![0; shader.parameter_block_size()]);
    /// let mut draw = |state: &GlState, color: [f32; 4]| {
    ///     let values = ParameterValues { local: &[color], ..ParameterValues::default() };
    ///     shader.update_parameter_block(state, &mut changes, &values, &mut revision, &mut block)
    /// };
    /// assert!(draw(&state, [1.0; 4])?);
    /// assert!(!draw(&state, [1.0; 4])?);
    /// state.fog.color = [0.5; 4];
    /// assert!(draw(&state, [1.0; 4])?);
    /// assert!(draw(&state, [0.25; 4])?); // glProgramLocalParameter4fARB
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the block is longer than the memory, which is then unchanged, with its revision.
    pub fn update_parameter_block(
        &self,
        state: &GlState,
        changes: &mut StateChanges,
        values: &ParameterValues<'_>,
        revision: &mut u64,
        block: &mut [u8],
    ) -> Result<bool, ShortBlock> {
        let vectors = self.split_block(block)?.iter_mut();
        let is_first = *revision == 0;
        let changed = changes.take(state, revision);
        let mut is_changed = false;
        for (vector, source) in vectors.zip(self.parameter_sources()) {
            if !is_first && !changed.may_change(*source, self.reflection.stage) {
                continue;
            }
            let bytes = self.evaluate_vector(*source, state, values);
            if is_first || *vector != bytes {
                *vector = bytes;
                is_changed = true;
            }
        }
        Ok(is_changed)
    }

    /// Returns the vectors of the parameter block with their sources, values and offsets, for logs
    /// and debuggers. Empty without a block.
    ///
    /// ```
    /// use glasm::state::{GlState, ParameterValues};
    /// use glasm::{Options, Source, compile};
    ///
    /// let text = "!!ARBfp1.0\nMUL result.color, fragment.color, state.fog.params;\nEND";
    /// let shader = compile(&Source::new("fog.fp", text), &Options::default())?;
    /// let list = shader.list_parameters(&GlState::default(), &ParameterValues::default());
    /// // Density, start, end, 1 / (end - start).
    /// assert_eq!((list[0].source.to_string(), list[0].value), ("state.fog.params".to_owned(), [1.0, 0.0, 1.0, 1.0]));
    /// assert_eq!(list[0].offset, 0);
    /// # Ok::<(), glasm::Diagnostics>(())
    /// ```
    pub fn list_parameters(
        &self,
        state: &GlState,
        values: &ParameterValues<'_>,
    ) -> Vec<ParameterValue> {
        let sources = self.parameter_sources().iter().enumerate();
        let evaluate = |(number, source): (usize, &ParamSource)| {
            let bits = values.evaluate_param(*source, state, &self.reflection);
            ParameterValue {
                source: *source,
                value: bits.map(f32::from_bits),
                offset: VECTOR_SIZE * number,
            }
        };
        sources.map(evaluate).collect()
    }

    /// Returns the contents of the parameter block as [`Self::fill_parameter_block`] writes them.
    /// Empty without a block.
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
        let sources = self.parameter_sources().iter();
        let vectors = sources.map(|source| self.evaluate_vector(*source, state, values));
        vectors.flatten().collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::state::{MatrixForm, MatrixTracking, StateGroups, TrackedMatrix};
    use crate::{Options, Source, compile};

    /// A parameter block of a shader with its memory.
    struct Block {
        shader: Shader,
        revision: u64,
        bytes: Vec<u8>,
    }

    impl Block {
        fn new(shader: Shader) -> Self {
            Self {
                revision: 0,
                bytes: vec![0; shader.parameter_block_size()],
                shader,
            }
        }

        fn update(
            &mut self,
            state: &GlState,
            changes: &mut StateChanges,
            values: &ParameterValues<'_>,
        ) -> bool {
            let (revision, block) = (&mut self.revision, &mut self.bytes);
            let shader = &self.shader;
            shader
                .update_parameter_block(state, changes, values, revision, block)
                .unwrap()
        }
    }

    fn read_vectors(bytes: &[u8]) -> Vec<[f32; 4]> {
        let (vectors, _) = bytes.as_chunks::<16>();
        let read = |vector: &[u8; 16], lane: usize| {
            f32::from_ne_bytes(std::array::from_fn(|byte| vector[4 * lane + byte]))
        };
        let vectors = vectors.iter();
        vectors
            .map(|vector| std::array::from_fn(|lane| read(vector, lane)))
            .collect()
    }

    fn fill(text: &str, state: &GlState, values: &ParameterValues<'_>) -> Vec<[f32; 4]> {
        let shader = compile(&Source::new("test", text), &Options::default()).unwrap();
        let mut block = [7; 128];
        shader
            .fill_parameter_block(state, values, &mut block)
            .unwrap();
        let (block, rest) = block.split_at(shader.parameter_block_size());
        assert!(rest.iter().all(|byte| *byte == 7));
        read_vectors(block)
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
        for (text, filled) in [(indexed, true), (plain, false)] {
            let shader = compile(&Source::new("test", text), &Options::default()).unwrap();
            assert_eq!(shader.state_groups(), StateGroups::NONE);
            let mut block = Block::new(shader);
            let mut changes = StateChanges::default();
            let mut update = || block.update(&state, &mut changes, &values);
            assert_eq!([update(), update()], [filled, false], "{text}");
            let vectors = read_vectors(&block.bytes);
            assert_eq!(vectors.first(), filled.then_some(&[1.0, 2.0, 3.0, 4.0]));
        }
    }

    /// Environment parameters belong to a target, local ones to a program: with the same record,
    /// changes of those of one program change no block of another one.
    #[test]
    fn values_of_other_programs_and_targets_change_no_block() {
        let sources = [
            "!!ARBvp1.0\nADD result.position, program.env[0], program.local[0];\nEND",
            "!!ARBvp1.0\nMUL result.position, program.env[0], program.local[0];\nEND",
            "!!ARBfp1.0\nADD result.color, program.env[0], program.local[0];\nEND",
        ];
        let (state, mut changes) = (GlState::default(), StateChanges::default());
        let mut blocks = sources.map(|text| {
            Block::new(compile(&Source::new("test", text), &Options::default()).unwrap())
        });
        let (mut env, mut local) = ([[0.0; 4]; 2], [[0.0; 4]; 3]);
        let mut draw = |env: &[[f32; 4]; 2], local: &[[f32; 4]; 3]| {
            let mut program = 0;
            blocks.each_mut().map(|block| {
                let values = ParameterValues {
                    env: &[env[program / 2]],
                    local: &[local[program]],
                    ..ParameterValues::default()
                };
                program += 1;
                block.update(&state, &mut changes, &values)
            })
        };
        assert_eq!(draw(&env, &local), [true; 3]);
        assert_eq!(draw(&env, &local), [false; 3]);
        local[1] = [2.0; 4];
        assert_eq!(draw(&env, &local), [false, true, false]);
        env[1] = [3.0; 4];
        assert_eq!(draw(&env, &local), [false, false, true]);
        env[0] = [4.0; 4];
        assert_eq!(draw(&env, &local), [true, true, false]);
        // Values are compared by bits.
        local[2] = [-0.0; 4];
        assert_eq!(draw(&env, &local), [false, false, true]);
        local[2] = [f32::NAN; 4];
        assert_eq!(draw(&env, &local), [false, false, true]);
        assert_eq!(draw(&env, &local), [false; 3]);
    }

    /// A block has the contents that it would have if it were filled after each change.
    #[test]
    fn updated_blocks_have_the_contents_of_filled_ones() {
        let text = "!!ARBvp1.0\nPARAM m[4] = { state.matrix.mvp };\nTEMP r;\n\
                    DP4 r.x, m[0], vertex.position;\nDP4 r.y, m[3], vertex.position;\n\
                    ADD r, r, program.env[4];\nADD r, r, state.fog.color;\n\
                    ADD result.position, r, program.local[1];\nEND";
        let shader = compile(&Source::new("test", text), &Options::default()).unwrap();
        let (mut state, mut changes) = (GlState::default(), StateChanges::default());
        let mut block = Block::new(shader.clone());
        let locals = [[0.0; 4], [5.0; 4]];
        let mut check = |state: &GlState, local: &[[f32; 4]], expected: bool| {
            let values = ParameterValues {
                local,
                ..ParameterValues::default()
            };
            assert_eq!(block.update(state, &mut changes, &values), expected);
            assert_eq!(block.bytes, shader.compute_parameter_bytes(state, &values));
        };
        check(&state, &[], true);
        check(&state, &locals, true);
        state.projection[0][0] = 3.0;
        check(&state, &locals, true);
        // The block reads neither of these.
        state.point.size = 3.0;
        state.fog.density = 0.5;
        check(&state, &locals, false);
        let matrix = TrackedMatrix::Projection;
        let form = MatrixForm::Plain;
        state.track_matrix(4, Some(MatrixTracking { matrix, form }));
        check(&state, &locals, true);
        state.projection[1][0] = 4.0;
        check(&state, &locals, true);
        check(&state, &locals, false);
        check(&state, &[], true);
    }

    #[test]
    fn short_memory_is_an_error() {
        let text = "!!ARBfp1.0\nADD result.color, program.local[0], program.local[1];\nEND";
        let shader = compile(&Source::new("test", text), &Options::default()).unwrap();
        let (state, mut changes) = (GlState::default(), StateChanges::default());
        let values = ParameterValues {
            local: &[[1.0; 4], [2.0; 4]],
            ..ParameterValues::default()
        };
        let (mut block, mut revision) = ([9; 31], 0);
        let expected = ShortBlock {
            needed: 32,
            given: 31,
        };
        let filled = shader.fill_parameter_block(&state, &values, &mut block);
        assert_eq!(filled, Err(expected));
        let updated =
            shader.update_parameter_block(&state, &mut changes, &values, &mut revision, &mut block);
        assert_eq!((updated, revision), (Err(expected), 0));
        assert_eq!(block, [9; 31]);
        assert_eq!(
            expected.to_string(),
            "the parameter block has 32 bytes, but its memory has 31"
        );
    }

    #[test]
    fn offsets_are_those_of_the_bytes() {
        let text = "!!ARBfp1.0\nTEMP r;\nADD r, program.env[1], program.local[2];\n\
                    ADD result.color, r, state.fog.color;\nEND";
        let shader = compile(&Source::new("test", text), &Options::default()).unwrap();
        let mut state = GlState::default();
        state.fog.color = [1.0, 2.0, 3.0, 4.0];
        let values = ParameterValues {
            env: &[[0.0; 4], [5.0; 4]],
            ..ParameterValues::default()
        };
        let bytes = shader.compute_parameter_bytes(&state, &values);
        let list = shader.list_parameters(&state, &values);
        assert_eq!(list.len(), 3);
        for parameter in list {
            let vector = &bytes[parameter.offset..parameter.offset + 16];
            assert_eq!(read_vectors(vector), [parameter.value]);
        }
    }
}
