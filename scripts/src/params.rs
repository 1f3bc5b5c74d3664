//! Parameters, and the parameter blocks that programs read. Pure.

use crate::script::pipeline_state::PipelineState;
use crate::script::{
    Convention, CountKind, MatrixTarget, MatrixUpdate, ParamBank, ParamType, Requirements,
};
use glasm::ResourceCounts;
use glasm::ir::resource::STATE_BUFFER_BYTES;
use glasm::ir::{ParamSource, Stage};
use glasm::reflect::{NamedParameter, ParamBlock};
use glasm::state::matrix::{IDENTITY, Matrix, multiply};
use glasm::state::{GlState, MatrixTracking, Multisample};
use std::collections::HashMap;

/// Bits of a parameter, and the type that it was set with; `None` for types that GL does not query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Param {
    words: [u32; 4],
    ty: Option<ParamType>,
}

/// Parameter of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParamKey {
    /// Parameter of a bank of a stage, by its index.
    Indexed(ParamBank, Stage, u32),
    /// Parameter that the program at a line declares, by its name.
    Named(u32, String),
}

/// Values of parameters; the default of each component is 0.0.
#[derive(Default)]
pub struct Params {
    values: HashMap<(ParamBank, Stage, u32), Param>,
    matrix_stacks: HashMap<MatrixTarget, Vec<Matrix>>,
    /// Parameters with names, by the line of the program and the name.
    named: HashMap<(u32, String), Param>,
    /// Bits of v\[0\] of the state program that runs.
    pub state_program_argument: [u32; 4],
    /// GL state, for `state.*` parameters.
    pub state: GlState,
}

impl Params {
    /// Creates the parameters of a script before its first command: all 0, with GL state for the
    /// framebuffer and the convention of the script.
    pub fn from_requirements(requirements: &Requirements) -> Self {
        let mut params = Self::default();
        let height = requirements.framebuffer[1] as f32;
        let state = &mut params.state;
        state.multisample = Multisample::with_standard_locations(requirements.attachments.samples);
        state.window_height = height;
        let is_gl = requirements.convention == Convention::OpenGl;
        state.lower_left_height = is_gl.then_some(height);
        params
    }

    /// Sets the GL state of a draw that programs read: first viewport, else the whole framebuffer,
    /// and depth clamping.
    pub fn set_draw_state(&mut self, requirements: &Requirements, draw: &PipelineState) {
        let [width, height] = requirements.framebuffer;
        let whole = [0.0, 0.0, width as f32, height as f32];
        self.state.viewport = draw.viewports[0].unwrap_or(whole);
        self.state.depth_clamp = draw.depth_clamp;
    }

    /// Declares the named parameters of the program of a stage, which is at `line` of the script,
    /// with their initial values unless they have values already. Returns the key of the one that
    /// is called `name`.
    ///
    /// # Errors
    /// If the program declares no parameter of that name.
    pub fn declare_and_find_named(
        &mut self,
        (stage, line): (Stage, u32),
        declared: &[NamedParameter],
        name: &str,
    ) -> Result<ParamKey, String> {
        self.declare_named(line, declared);
        let key = (line, name.to_owned());
        if self.named.contains_key(&key) {
            return Ok(ParamKey::Named(key.0, key.1));
        }
        Err(format!(
            "the {} program has no parameter `{name}`",
            stage.name()
        ))
    }

    /// Returns the bits of a parameter and the type that it was set with. A parameter that was
    /// never set is a vector of float zeros; an undeclared named one has no type.
    pub fn get_by_key(&self, key: &ParamKey) -> ([u32; 4], Option<ParamType>) {
        match key {
            ParamKey::Indexed(bank, stage, index) => self.get_typed(*bank, *stage, *index),
            ParamKey::Named(line, name) => self.get_named(*line, name).unwrap_or_default(),
        }
    }

    /// Sets the bits and the type of a parameter.
    ///
    /// # Errors
    /// If it tracks a matrix.
    pub fn set_by_key(
        &mut self,
        key: &ParamKey,
        words: [u32; 4],
        ty: Option<ParamType>,
    ) -> Result<(), String> {
        match key {
            ParamKey::Named(line, name) => self.set_named(*line, name, words, ty),
            ParamKey::Indexed(bank, stage, index) if self.is_tracked(*bank, *stage, *index) => {
                return Err(format!("parameter {index} tracks a matrix"));
            }
            ParamKey::Indexed(bank, stage, index) => self.set(*bank, *stage, *index, words, ty),
        }
        Ok(())
    }

    /// Returns the bits of a parameter: the value derived from the matrix that it tracks, else the
    /// value that was set last, else zeros.
    pub fn get(&self, bank: ParamBank, stage: Stage, index: u32) -> [u32; 4] {
        self.find_param(bank, stage, index).words
    }

    /// Returns an indexed parameter with its type: the value derived from the matrix that it
    /// tracks, else the value that was set last. A parameter that was never set is a vector of
    /// float zeros.
    fn find_param(&self, bank: ParamBank, stage: Stage, index: u32) -> Param {
        if let Some(row) = self.tracked_row(bank, stage, index) {
            return Param {
                words: row.map(f32::to_bits),
                ty: Some(ParamType::Float),
            };
        }
        let stored = self.values.get(&(bank, stage, index)).copied();
        stored.unwrap_or(Param {
            words: [0; 4],
            ty: Some(ParamType::Float),
        })
    }

    /// Returns the bits of a parameter, as [`Self::get`] does, and the type that it was set with;
    /// `None` for types that GL does not query.
    pub fn get_typed(
        &self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
    ) -> ([u32; 4], Option<ParamType>) {
        let param = self.find_param(bank, stage, index);
        (param.words, param.ty)
    }

    /// Returns the environment parameters of vertex programs as state programs find them in their
    /// buffer: 96 vectors of four 32-bit words.
    pub fn state_program_params(&self) -> Vec<u8> {
        let vectors =
            (0..STATE_BUFFER_BYTES / 16).map(|n| self.get(ParamBank::Env, Stage::Vertex, n));
        vectors.flatten().flat_map(u32::to_le_bytes).collect()
    }

    /// Returns the result of a query of that type; `None` if the parameter was set with another
    /// one. NV_gpu_program4 section 6.1.12.
    pub fn query_value(
        &self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        ty: ParamType,
    ) -> Option<[u32; 4]> {
        let param = self.find_param(bank, stage, index);
        (param.ty == Some(ty)).then_some(param.words)
    }

    /// Sets the bits and the type of a parameter. A parameter that tracks a matrix nevertheless
    /// reads as the matrix.
    pub fn set(
        &mut self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        words: [u32; 4],
        ty: Option<ParamType>,
    ) {
        self.values
            .insert((bank, stage, index), Param { words, ty });
    }

    /// Returns the vector of the matrix that a parameter tracks; `None` if it tracks none. Only
    /// `program.env` of vertex programs can.
    fn tracked_row(&self, bank: ParamBank, stage: Stage, index: u32) -> Option<[f32; 4]> {
        let tracks = (bank, stage) == (ParamBank::Env, Stage::Vertex);
        self.state.get_tracked_row(index).filter(|_| tracks)
    }

    /// Returns true if a parameter cannot be set because it tracks a matrix.
    pub fn is_tracked(&self, bank: ParamBank, stage: Stage, index: u32) -> bool {
        self.tracked_row(bank, stage, index).is_some()
    }

    /// Starts tracking a matrix in the four parameters from `address` on, or ends it with `None`;
    /// then the parameters retain the values that they had last.
    pub fn track_matrix(&mut self, address: u32, tracking: Option<MatrixTracking>) {
        let rows = self.state.track_matrix(address, tracking);
        for (row, index) in rows.into_iter().flatten().zip(address..) {
            let ty = Some(ParamType::Float);
            let words = row.map(f32::to_bits);
            self.set(ParamBank::Env, Stage::Vertex, index, words, ty);
        }
    }

    /// Sets the initial values of the named parameters of the program at a line, unless they have
    /// values already.
    pub fn declare_named(&mut self, program: u32, named: &[NamedParameter]) {
        for parameter in named {
            let key = (program, parameter.name.clone());
            self.named.entry(key).or_insert(Param {
                words: parameter.initial_bits,
                ty: Some(ParamType::Float),
            });
        }
    }

    /// Returns the bits of a named parameter and the type that it was set with; `None` if the
    /// program at the line has none of that name.
    pub fn get_named(&self, program: u32, name: &str) -> Option<([u32; 4], Option<ParamType>)> {
        let param = self.named.get(&(program, name.to_owned()))?;
        Some((param.words, param.ty))
    }

    /// Sets the bits and the type of a named parameter of the program at a line of the script.
    pub fn set_named(&mut self, program: u32, name: &str, words: [u32; 4], ty: Option<ParamType>) {
        let key = (program, name.to_owned());
        self.named.insert(key, Param { words, ty });
    }

    /// Loads, multiplies, pushes or pops a matrix of GL state. Each matrix has its own stack; a pop
    /// without a push loads the identity.
    pub fn update_matrix(&mut self, target: MatrixTarget, update: MatrixUpdate) {
        let matrix = match target {
            MatrixTarget::Modelview(number) => self.state.modelview_mut(number),
            MatrixTarget::Projection => &mut self.state.projection,
            MatrixTarget::Texture(number) => self.state.texture_mut(number),
            MatrixTarget::Palette(number) => self.state.palette_mut(number),
            MatrixTarget::Program(number) => self.state.program_mut(number),
            MatrixTarget::Color => &mut self.state.color,
        };
        let stack = self.matrix_stacks.entry(target).or_default();
        match update {
            MatrixUpdate::Load(value) => *matrix = value,
            MatrixUpdate::Multiply(factor) => *matrix = multiply(matrix, &factor),
            MatrixUpdate::Push => stack.push(*matrix),
            // The parser has seen a push for each pop.
            MatrixUpdate::Pop => *matrix = stack.pop().unwrap_or(IDENTITY),
        }
    }

    /// Returns the current bytes of the parameter block of a stage, 16 for each parameter.
    /// `program` is the line of the stage's program in the script, and `named` its declared
    /// parameters, which have their initial values if they were not set.
    pub fn block_contents(
        &self,
        stage: Stage,
        block: &ParamBlock,
        (program, named): (u32, &[NamedParameter]),
    ) -> Vec<u8> {
        let of_name = |number: u32| {
            let parameter = named.get(number as usize);
            parameter.map_or([0; 4], |parameter| {
                let known = self.get_named(program, &parameter.name);
                known.map_or(parameter.initial_bits, |(words, _)| words)
            })
        };
        let slots = block.parameters.iter().map(|source| match source {
            ParamSource::Env(index) => self.get(ParamBank::Env, stage, *index),
            ParamSource::Local(index) => self.get(ParamBank::Local, stage, *index),
            ParamSource::Subroutine(index) => self.get(ParamBank::Subroutine, stage, *index),
            ParamSource::State(param) => self.state.evaluate_param(*param).map(f32::to_bits),
            ParamSource::Literal(words) => *words,
            ParamSource::Named(number) => of_name(*number),
            ParamSource::Argument => self.state_program_argument,
        });
        slots.flatten().flat_map(u32::to_le_bytes).collect()
    }
}

/// Returns `words` with the components (x, y), and with two pairs also (z, w), replaced by 64-bit
/// numbers such as addresses and handles, low word first.
pub fn replace_component_pairs(mut words: [u32; 4], pairs: &[u64]) -> [u32; 4] {
    for (components, pair) in words.chunks_exact_mut(2).zip(pairs) {
        components.copy_from_slice(&[*pair as u32, (*pair >> 32) as u32]);
    }
    words
}

/// Returns the use count of a resource that GL limits.
pub fn resource_count(counts: &ResourceCounts, kind: CountKind) -> u32 {
    match kind {
        CountKind::AttribComponents => counts.attribute_components,
        CountKind::ResultComponents => counts.result_components,
        CountKind::Instructions => counts.instructions,
        CountKind::AluInstructions => counts.alu_instructions,
        CountKind::TextureInstructions => counts.texture_instructions,
        CountKind::TextureIndirections => counts.texture_indirections,
        CountKind::Temporaries => counts.temporaries,
        CountKind::Parameters => counts.parameters,
        CountKind::Attribs => counts.attributes,
        CountKind::AddressRegisters => counts.address_registers,
    }
}

/// Compares the result of a query with the expected value; `None` denotes a parameter of another
/// type.
///
/// # Errors
/// If they differ: the message for it.
pub fn check_parameter(
    observed: Option<[u32; 4]>,
    expected: Option<[u32; 4]>,
    ty: ParamType,
) -> Result<(), String> {
    // NaN is equal to itself here, and zeros have signs.
    if observed == expected {
        return Ok(());
    }
    let text = |words: Option<[u32; 4]>| match (words, ty) {
        (None, _) => "a value of another type".to_owned(),
        (Some(words), ParamType::Float) => format!("{:?}", words.map(f32::from_bits)),
        (Some(words), ParamType::Int) => format!("{:?}", words.map(|word| word as i32)),
        (Some(words), ParamType::Uint) => format!("{words:?}"),
    };
    Err(format!(
        "expected {}, observed {}",
        text(expected),
        text(observed)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::ir::StateParam;
    use glasm::ir::state::{MatrixForm, MatrixName};
    use glasm::reflect::DescriptorSlot;
    use glasm::state::matrix::{scaling, translation};

    fn words(params: &Params, slots: Vec<ParamSource>) -> Vec<u32> {
        let block = ParamBlock {
            slot: DescriptorSlot { set: 0, binding: 0 },
            parameters: slots,
            is_storage_buffer: false,
        };
        let bytes = params.block_contents(Stage::Fragment, &block, (1, &[]));
        bytes
            .chunks(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
            .collect()
    }

    #[test]
    fn pairs_replace_the_first_components() {
        let before = [1, 2, 3, 4];
        assert_eq!(replace_component_pairs(before, &[]), before);
        assert_eq!(
            replace_component_pairs(before, &[0x5_0000_0006]),
            [6, 5, 3, 4]
        );
        let both = replace_component_pairs(before, &[u64::MAX, 7 << 32]);
        assert_eq!(both, [u32::MAX, u32::MAX, 0, 7]);
    }

    #[test]
    fn blocks_hold_their_slots_in_order() {
        let mut params = Params::default();
        params.set(
            ParamBank::Env,
            Stage::Fragment,
            3,
            [1, 2, 3, 4],
            Some(ParamType::Uint),
        );
        params.set(
            ParamBank::Env,
            Stage::Vertex,
            3,
            [9; 4],
            Some(ParamType::Uint),
        );
        params.set(
            ParamBank::Local,
            Stage::Fragment,
            3,
            [5, 6, 7, 8],
            Some(ParamType::Uint),
        );
        let slots = vec![
            ParamSource::Local(3),
            ParamSource::Literal([7; 4]),
            ParamSource::Env(3),
            ParamSource::Env(0),
            ParamSource::Subroutine(3),
        ];
        params.set(
            ParamBank::Subroutine,
            Stage::Fragment,
            3,
            [6, 0, 0, 0],
            Some(ParamType::Uint),
        );
        assert_eq!(
            words(&params, slots),
            [5, 6, 7, 8, 7, 7, 7, 7, 1, 2, 3, 4, 0, 0, 0, 0, 6, 0, 0, 0]
        );
    }

    #[test]
    fn queries_have_the_type_of_the_value() {
        use ParamType::{Float, Int, Uint};
        let mut params = Params::default();
        let query = |params: &Params, ty| params.query_value(ParamBank::Env, Stage::Vertex, 7, ty);
        assert_eq!(query(&params, Float), Some([0; 4]));
        assert_eq!(query(&params, Int), None);
        let set = |params: &mut Params, ty| {
            params.set(ParamBank::Env, Stage::Vertex, 7, [1, 2, 3, 4], ty);
        };
        set(&mut params, Some(Int));
        assert_eq!(query(&params, Int), Some([1, 2, 3, 4]));
        assert_eq!(query(&params, Uint), None);
        assert_eq!(query(&params, Float), None);
        set(&mut params, None);
        assert_eq!(query(&params, Int), None);
    }

    #[test]
    fn matrix_commands_multiply_from_the_right() {
        let mut params = Params::default();
        params.update_matrix(
            MatrixTarget::Modelview(0),
            MatrixUpdate::Multiply(translation([1.0, 2.0, 3.0])),
        );
        params.update_matrix(
            MatrixTarget::Modelview(0),
            MatrixUpdate::Multiply(scaling([2.0, 2.0, 2.0])),
        );
        let row = StateParam::MatrixRow {
            matrix: MatrixName::Modelview(0),
            form: MatrixForm::Plain,
            row: 0,
        };
        // x' = 2 x + 1: scaled first, then moved.
        let expected = [2.0f32, 0.0, 0.0, 1.0].map(f32::to_bits);
        assert_eq!(words(&params, vec![ParamSource::State(row)]), expected);
    }

    #[test]
    fn tracked_parameters_are_rows_until_tracking_ends() {
        use glasm::state::TrackedMatrix;
        let mut params = Params::default();
        let get = |params: &Params, stage, index| {
            params.get(ParamBank::Env, stage, index).map(f32::from_bits)
        };
        let set = |params: &mut Params, index| {
            let ty = Some(ParamType::Uint);
            params.set(ParamBank::Env, Stage::Vertex, index, [9; 4], ty);
        };
        set(&mut params, 5);
        let tracking = MatrixTracking {
            matrix: TrackedMatrix::Projection,
            form: MatrixForm::Transpose,
        };
        params.track_matrix(4, Some(tracking));
        let scale = MatrixUpdate::Load(scaling([2.0, 3.0, 4.0]));
        params.update_matrix(MatrixTarget::Projection, scale);
        assert!(params.is_tracked(ParamBank::Env, Stage::Vertex, 5));
        assert!(!params.is_tracked(ParamBank::Env, Stage::Vertex, 8));
        assert!(!params.is_tracked(ParamBank::Local, Stage::Vertex, 5));
        assert_eq!(get(&params, Stage::Vertex, 5), [0.0, 3.0, 0.0, 0.0]);
        assert_eq!(get(&params, Stage::Fragment, 5), [0.0; 4]);
        params.track_matrix(4, None);
        let other = MatrixUpdate::Load(scaling([7.0; 3]));
        params.update_matrix(MatrixTarget::Projection, other);
        assert_eq!(get(&params, Stage::Vertex, 5), [0.0, 3.0, 0.0, 0.0]);
        let query = params.query_value(ParamBank::Env, Stage::Vertex, 5, ParamType::Float);
        assert!(query.is_some(), "rows are floats");
        set(&mut params, 5);
        assert_eq!(params.get(ParamBank::Env, Stage::Vertex, 5), [9; 4]);
    }

    #[test]
    fn named_parameters_belong_to_their_program() {
        let mut params = Params::default();
        let named = ["a", "b"].map(|name| NamedParameter {
            name: name.to_owned(),
            initial_bits: [name.len() as u32, 2, 3, 4],
        });
        params.declare_named(10, &named);
        params.set_named(10, "b", [7; 4], Some(ParamType::Int));
        // Declared again, it retains its value.
        params.declare_named(10, &named);
        assert_eq!(
            params.get_named(10, "a"),
            Some(([1, 2, 3, 4], Some(ParamType::Float)))
        );
        assert_eq!(
            params.get_named(10, "b"),
            Some(([7; 4], Some(ParamType::Int)))
        );
        assert_eq!(
            (params.get_named(10, "c"), params.get_named(20, "a")),
            (None, None)
        );
        let block = ParamBlock {
            slot: DescriptorSlot { set: 0, binding: 0 },
            parameters: vec![
                ParamSource::Named(1),
                ParamSource::Named(0),
                ParamSource::Argument,
            ],
            is_storage_buffer: false,
        };
        params.state_program_argument = [5; 4];
        let bytes = |program| {
            let bytes = params.block_contents(Stage::Fragment, &block, (program, &named));
            let first = |vector: &[u8]| u32::from_le_bytes(vector[..4].try_into().unwrap());
            bytes.chunks(16).map(first).collect::<Vec<_>>()
        };
        assert_eq!(bytes(10), [7, 1, 5]);
        assert_eq!(bytes(20), [1, 1, 5]);
    }

    #[test]
    fn stacks_of_matrices_are_apart() {
        let mut params = Params::default();
        let scale = |factor| MatrixUpdate::Load(scaling([factor; 3]));
        for (target, update) in [
            (MatrixTarget::Projection, scale(2.0)),
            (MatrixTarget::Projection, MatrixUpdate::Push),
            (MatrixTarget::Palette(7), scale(3.0)),
            (MatrixTarget::Palette(7), MatrixUpdate::Push),
            (MatrixTarget::Projection, scale(5.0)),
            (MatrixTarget::Palette(7), scale(7.0)),
        ] {
            params.update_matrix(target, update);
        }
        assert_eq!(params.state.projection[0][0], 5.0);
        params.update_matrix(MatrixTarget::Projection, MatrixUpdate::Pop);
        assert_eq!(params.state.projection[0][0], 2.0);
        assert_eq!(params.state.palette[7][0][0], 7.0);
        params.update_matrix(MatrixTarget::Palette(7), MatrixUpdate::Pop);
        assert_eq!(params.state.palette[7][0][0], 3.0);
    }

    #[test]
    fn parameters_are_compared_by_bits() {
        let one = Some([1f32.to_bits(); 4]);
        let check = |observed, expected| check_parameter(observed, expected, ParamType::Float);
        assert_eq!(check(one, one), Ok(()));
        assert_eq!(check(None, None), Ok(()));
        assert_eq!(
            check(None, one).unwrap_err(),
            "expected [1.0, 1.0, 1.0, 1.0], observed a value of another type"
        );
        let minus = check_parameter(Some([u32::MAX; 4]), None, ParamType::Int);
        assert_eq!(
            minus.unwrap_err(),
            "expected a value of another type, observed [-1, -1, -1, -1]"
        );
    }
}
