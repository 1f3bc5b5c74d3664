//! Accesses to memory, for the machine.

use super::arith;
use super::machine::{Machine, Mask, Outcome, is_plain, members};
use super::memory::Region;
use super::program::{Access, Atomic, AtomicKind, Inst, Operand, Program, Space};
use super::value::{Lane, Open, Type, raw, read, write};

impl Machine {
    pub(super) fn load(
        &mut self,
        program: &Program,
        inst: &Inst,
        access: &Access,
        who: usize,
    ) -> Result<Outcome, Open> {
        let at = self.states[who].address(program, access)?;
        let len = access.ty.bits as usize / 8;
        if !at.is_multiple_of(access.bytes()) {
            return Err(Open);
        }
        let mut words = [0; 4];
        for (lane, word) in words.iter_mut().take(access.count).enumerate() {
            *word = self.fetch(access.space, at + lane * len, len, who)?;
        }
        let ty = access.ty;
        let values = words.map(|word| arith::exactly(read(Lane::Bits(word), ty.bits, ty)?));
        let width = program.vars[inst.dest.var].width;
        let raw = (width == ty.bits).then(|| words.map(Lane::Bits));
        Ok(Outcome { values, raw, ty })
    }

    fn region(&mut self, space: Space, who: usize) -> &mut Region {
        match space {
            Space::Shared => &mut self.memory.shared[who / self.group],
            Space::Constant | Space::Input | Space::Output => &mut self.memory.out,
        }
    }

    fn fetch(&mut self, space: Space, at: usize, len: usize, who: usize) -> Result<u64, Open> {
        let fixed = match space {
            Space::Constant => &self.memory.constants,
            Space::Input => &self.memory.given,
            Space::Output | Space::Shared => return self.region(space, who).read(at, len, who),
        };
        let bytes = fixed.get(at..at + len).ok_or(Open)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    pub(super) fn store(
        &mut self,
        program: &Program,
        access: &Access,
        operand: &Operand,
        active: Mask,
    ) -> Result<(), Open> {
        let len = access.ty.bits as usize / 8;
        for who in members(active) {
            let at = self.states[who].address(program, access)?;
            if !at.is_multiple_of(access.bytes()) {
                return Err(Open);
            }
            for lane in 0..access.count {
                let bits = self.stored(program, access.ty, operand, lane, who)?;
                self.region(access.space, who)
                    .write(at + lane * len, len, bits, who)?;
            }
        }
        Ok(())
    }

    /// The bits that a store makes of a component.
    fn stored(
        &self,
        program: &Program,
        ty: Type,
        operand: &Operand,
        lane: usize,
        who: usize,
    ) -> Result<u64, Open> {
        let state = &self.states[who];
        if let Some((held, width)) = state.source(program, operand, lane)?
            && width == ty.bits
            && is_plain(operand)
        {
            return raw(held);
        }
        let wide = ty.with_bits(ty.bits.max(32));
        let num = state.operand(program, operand, wide, lane)?;
        raw(write(num, wide, wide.bits)?)
    }

    pub(super) fn atomic(
        &mut self,
        program: &Program,
        inst: &Inst,
        access: &Access,
        atomic: Atomic,
        who: usize,
    ) -> Result<Outcome, Open> {
        let ty = access.ty;
        let len = ty.bits as usize / 8;
        let at = self.states[who].address(program, access)?;
        let x = self.states[who]
            .operand(program, &inst.operands[0], ty, 0)?
            .int();
        let y = self.states[who].operand(program, &inst.operands[0], ty, 1);
        let change = |old: u64, y| {
            let old = ty.wrap(i128::from(old));
            (atomic.kind.apply(ty, x, y, old) & ((1 << ty.bits) - 1)) as u64
        };
        let mut values = [Err(Open); 4];
        let mut lanes = [Lane::Open; 4];
        let region = self.region(access.space, who);
        if atomic.common {
            region.join(at, len, atomic.kind, |old| change(old, 0))?;
            return Ok(Outcome {
                values,
                raw: Some(lanes),
                ty,
            });
        }
        let old = region.read(at, len, who)?;
        let swaps = atomic.kind == AtomicKind::Cswap;
        let y = if swaps { y?.int() } else { 0 };
        region.write(at, len, change(old, y), who)?;
        values[0] = arith::int(ty.wrap(i128::from(old)));
        lanes[0] = Lane::Bits(old);
        let width = program.vars[inst.dest.var].width;
        Ok(Outcome {
            values,
            raw: (width == ty.bits).then_some(lanes),
            ty,
        })
    }
}
