//! Parameters, and the parameter blocks that programs read. Pure.

use crate::script::{MatrixTarget, MatrixUpdate, ParamBank};
use glasm::ir::{ParamSource, Stage};
use glasm::reflect::ParamBlock;
use glasm::state::GlState;
use glasm::state::matrix::{IDENTITY, Matrix, multiply};
use std::collections::HashMap;

/// Values of parameters; what is not set is zero.
#[derive(Default)]
pub(super) struct Params {
    values: HashMap<(ParamBank, Stage, u32), [u32; 4]>,
    pushed: HashMap<MatrixTarget, Vec<Matrix>>,
    pub(super) state: GlState,
}

impl Params {
    /// Bits of a parameter.
    pub(super) fn get(&self, bank: ParamBank, stage: Stage, index: u32) -> [u32; 4] {
        self.values
            .get(&(bank, stage, index))
            .copied()
            .unwrap_or_default()
    }

    /// Sets the bits of a parameter.
    pub(super) fn set(&mut self, bank: ParamBank, stage: Stage, index: u32, value: [u32; 4]) {
        self.values.insert((bank, stage, index), value);
    }

    /// Changes a matrix.
    pub(super) fn update_matrix(&mut self, target: MatrixTarget, update: MatrixUpdate) {
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
    pub(super) fn block(&self, stage: Stage, block: &ParamBlock) -> Vec<u8> {
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
        params.set(ParamBank::Env, Stage::Fragment, 3, [1, 2, 3, 4]);
        params.set(ParamBank::Env, Stage::Vertex, 3, [9; 4]);
        params.set(ParamBank::Local, Stage::Fragment, 3, [5, 6, 7, 8]);
        let slots = vec![
            ParamSource::Local(3),
            ParamSource::Literal([7; 4]),
            ParamSource::Env(3),
            ParamSource::Env(0),
            ParamSource::Subroutine(3),
        ];
        params.set(ParamBank::Subroutine, Stage::Fragment, 3, [6, 0, 0, 0]);
        assert_eq!(
            words(&params, slots),
            [5, 6, 7, 8, 7, 7, 7, 7, 1, 2, 3, 4, 0, 0, 0, 0, 6, 0, 0, 0]
        );
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
}
