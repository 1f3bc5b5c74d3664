//! Registers for intermediate values of an instruction, which the next instruction uses again.

use glasm_ir::types::Width;
use glasm_ir::{Program, Register, RegisterId, Storage};

/// Hidden registers of a program: those of 32 and those of 64 bits.
#[derive(Debug, Default)]
pub(crate) struct HiddenRegisters {
    pools: [Vec<RegisterId>; 2],
    /// Registers of each pool that the current instruction uses.
    used: [usize; 2],
}

impl HiddenRegisters {
    /// Returns a register that the current instruction does not use yet. Adds one to the program if
    /// all are in use.
    pub(crate) fn alloc(&mut self, program: &mut Program, width: Width) -> RegisterId {
        // Values of 8 and 16 bits are in lanes of 32 bits, so that two pools serve all widths.
        let (pool, width) = match width {
            Width::W64 => (1, Width::W64),
            Width::W8 | Width::W16 | Width::W32 => (0, Width::W32),
        };
        let used = self.used[pool];
        self.used[pool] += 1;
        if let Some(&register) = self.pools[pool].get(used) {
            return register;
        }
        let register = program.registers.push(Register {
            storage: Storage::Temp,
            width,
            array_len: None,
            name: None,
        });
        self.pools[pool].push(register);
        register
    }

    /// Frees all registers: the next instruction begins, and hidden registers hold no values beyond
    /// an instruction.
    pub(crate) fn free_all(&mut self) {
        self.used = [0; 2];
    }

    /// Removes all registers and retains the memory, for another program.
    pub(crate) fn clear(&mut self) {
        self.pools.iter_mut().for_each(Vec::clear);
        self.free_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_ir::Stage;
    use glasm_ir::arena::Id;

    #[test]
    fn instructions_reuse_registers() {
        let mut program = Program::new(Stage::Vertex);
        let mut registers = HiddenRegisters::default();
        let widths = [Width::W16, Width::W64, Width::W32];
        let first = widths.map(|width| registers.alloc(&mut program, width));
        assert_eq!(first, [0, 1, 2].map(RegisterId::new));
        registers.free_all();
        assert_eq!(
            widths.map(|width| registers.alloc(&mut program, width)),
            first
        );
        registers.clear();
        assert_eq!(registers.alloc(&mut program, Width::W8), RegisterId::new(3));
        let widths: Vec<Width> = program.registers.iter().map(|it| it.width).collect();
        assert_eq!(widths, [Width::W32, Width::W64, Width::W32, Width::W32]);
    }
}
