//! Parameters, and the parameter blocks that programs read. Pure.

use crate::script::{MatrixTarget, MatrixUpdate, ParamBank, ParamType};
use glasm::ir::{ParamSource, Stage};
use glasm::reflect::ParamBlock;
use glasm::state::GlState;
use glasm::state::matrix::{IDENTITY, Matrix, multiply};
use std::collections::HashMap;

/// The bits of a parameter, and the type that it was set with; `None` for types that GL does not query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Param {
    words: [u32; 4],
    ty: Option<ParamType>,
}

/// Values of parameters; what is not set is the float zero.
#[derive(Default)]
pub struct Params {
    values: HashMap<(ParamBank, Stage, u32), Param>,
    pushed: HashMap<MatrixTarget, Vec<Matrix>>,
    /// GL state, for `state.*` parameters.
    pub state: GlState,
}

impl Params {
    /// Bits of a parameter.
    pub fn get(&self, bank: ParamBank, stage: Stage, index: u32) -> [u32; 4] {
        self.param(bank, stage, index).words
    }

    fn param(&self, bank: ParamBank, stage: Stage, index: u32) -> Param {
        let found = self.values.get(&(bank, stage, index)).copied();
        found.unwrap_or(Param {
            words: [0; 4],
            ty: Some(ParamType::Float),
        })
    }

    /// What a query of that type gives; `None` if the parameter was set with another one. NV_gpu_program4 section 6.1.12.
    pub fn query(
        &self,
        bank: ParamBank,
        stage: Stage,
        index: u32,
        ty: ParamType,
    ) -> Option<[u32; 4]> {
        let param = self.param(bank, stage, index);
        (param.ty == Some(ty)).then_some(param.words)
    }

    /// Sets the bits of a parameter.
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

    /// Changes a matrix.
    pub fn update_matrix(&mut self, target: MatrixTarget, update: MatrixUpdate) {
        let matrix = match target {
            MatrixTarget::Modelview(number) => self.state.modelview_mut(number),
            MatrixTarget::Projection => &mut self.state.projection,
            MatrixTarget::Texture(number) => self.state.texture_mut(number),
            MatrixTarget::Palette(number) => self.state.palette_mut(number),
            MatrixTarget::Program(number) => self.state.program_mut(number),
        };
        let stack = self.pushed.entry(target).or_default();
        match update {
            MatrixUpdate::Load(value) => *matrix = value,
            MatrixUpdate::Multiply(factor) => *matrix = multiply(matrix, &factor),
            MatrixUpdate::Push => stack.push(*matrix),
            MatrixUpdate::Pop => *matrix = stack.pop().unwrap_or(IDENTITY),
        }
    }

    /// The contents of the parameter block of a stage.
    pub fn block(&self, stage: Stage, block: &ParamBlock) -> Vec<u8> {
        let slots = block.slots.iter().map(|source| match source {
            ParamSource::Env(index) => self.get(ParamBank::Env, stage, *index),
            ParamSource::Local(index) => self.get(ParamBank::Local, stage, *index),
            ParamSource::Subroutine(index) => self.get(ParamBank::Subroutine, stage, *index),
            ParamSource::State(param) => self.state.evaluate(*param).map(f32::to_bits),
            ParamSource::Literal(words) => *words,
        });
        slots.flatten().flat_map(u32::to_le_bytes).collect()
    }
}

/// Compares what a query gives with what it should; `None` for a parameter of another type.
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
            slots,
            storage: false,
        };
        let bytes = params.block(Stage::Fragment, &block);
        bytes
            .chunks(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
            .collect()
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
        let query = |params: &Params, ty| params.query(ParamBank::Env, Stage::Vertex, 7, ty);
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
