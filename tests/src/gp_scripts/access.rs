//! Memory accesses of random programs: constant buffers in all, storage, addresses, shared memory and barriers in compute programs.

use super::blocks::Around;
use super::instructions::literal;
use super::machine::{Mask, whole};
use super::program::{
    Access, Action, Atomic, AtomicKind, Index, Inst, Operand, Place, Space, Stmt, VarId,
};
use super::value::{Base, F32, F64, Num, S32, S64, Type, U32, U64};
use super::values::Class;
use super::writer::{Slot, Writer};

/// Bytes of the buffers that are only read.
pub(super) const GIVEN: usize = 768;
/// Bytes of the written buffer that belong to an invocation.
pub(super) const STRIDE: usize = 1024;
/// The first of them that are for accesses of all kinds; before them stand results in order.
pub(super) const SCRATCH: usize = 896;
/// Where the last values of registers go.
pub(super) const LAST: usize = 512;
/// Bytes of shared memory that belong to an invocation.
pub(super) const SHARE: usize = 64;

/// What compute programs have.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// x: where the invocation's part of the written buffer begins, y: its part of shared memory, z: its number in the group,
    /// w: 16 times that.
    pub(super) own: VarId,
    /// Where the parts of shared memory of four other invocations begin.
    pub(super) near: VarId,
    /// Takes results that are open.
    pub(super) junk: VarId,
    /// Where words begin that all invocations change: in the written buffer, and in shared memory.
    pub(super) common: [usize; 2],
    /// Next place for a result.
    pub(super) next: usize,
}

const STORAGE: &[(Type, usize)] = &[
    (F32, 1),
    (F32, 2),
    (F32, 4),
    (S32, 1),
    (S32, 2),
    (S32, 4),
    (U32, 1),
    (U32, 2),
    (U32, 4),
    (Type::new(Base::S, 8), 1),
    (Type::new(Base::S, 16), 1),
    (Type::new(Base::U, 8), 1),
    (Type::new(Base::U, 16), 1),
    (F64, 1),
    (F64, 2),
    (F64, 4),
    (S64, 1),
    (S64, 2),
    (S64, 4),
    (U64, 1),
    (U64, 2),
    (U64, 4),
];

impl Writer {
    /// An access to memory.
    pub(super) fn memory_statement(&mut self, active: Mask, around: Around) -> Option<Stmt> {
        if self.compute.is_none() {
            return self.first_accepted(active, |it| Some(it.load(Space::Constant)));
        }
        match self.rng.below(20) {
            0..3 => self.first_accepted(active, |it| Some(it.load(Space::Constant))),
            3..6 => self.first_accepted(active, |it| Some(it.load(Space::Input))),
            6..8 => self.first_accepted(active, |it| Some(it.load(Space::Output))),
            8..10 => self.first_accepted(active, |it| Some(it.load(Space::Shared))),
            10..12 => self.first_accepted(active, |it| Some(it.store(Space::Output))),
            12..14 => self.first_accepted(active, |it| Some(it.store(Space::Shared))),
            14..16 => self.first_accepted(active, |it| Some(it.atomic())),
            16..18 => self.report(active),
            _ if around.is_uniform() && active == self.machine.all() => self.exchange(active),
            _ => None,
        }
    }

    fn storage_type(&mut self) -> (Type, usize) {
        loop {
            let (ty, count) = *self.rng.pick(STORAGE);
            if self.has_type(ty) {
                return (ty, count);
            }
        }
    }

    /// Where an access may go.
    fn place(&mut self, space: Space, ty: Type, count: usize) -> Access {
        let bytes = ty.bits as usize / 8 * count;
        let (at, start, len) = match (space, self.compute) {
            (Space::Output, Some(places)) => (Some((places.own, 0)), SCRATCH, STRIDE - SCRATCH),
            (Space::Shared, Some(places)) => {
                let near = self.rng.percent(50);
                let lane = self.rng.below(4);
                let at = if near {
                    (places.near, lane)
                } else {
                    (places.own, 1)
                };
                (Some(at), 0, SHARE)
            }
            _ => {
                let run_time = self.rng.percent(50);
                let at = run_time.then(|| (self.offsets, self.rng.below(4)));
                (at, 0, if run_time { GIVEN - 48 } else { GIVEN })
            }
        };
        let offset = start + self.rng.below(len / bytes) * bytes;
        let global = self.profile.global && matches!(space, Space::Input | Space::Output);
        Access {
            space,
            ty,
            count,
            at,
            offset,
            global,
        }
    }

    fn load(&mut self, space: Space) -> Stmt {
        let (ty, count) = self.storage_type();
        let access = self.place(space, ty, count);
        let dest = self.dest(ty.with_bits(ty.bits.max(32)), None);
        Stmt::Inst(Inst {
            action: Action::Load(access),
            dest,
            operands: Vec::new(),
            sets: self.rng.percent(10).then(|| self.rng.below(2)),
            clamp: None,
            precise: false,
            suffixes: false,
        })
    }

    fn store(&mut self, space: Space) -> Stmt {
        let (ty, count) = self.storage_type();
        let access = self.place(space, ty, count);
        let operand = self.plain_operand(ty.with_bits(ty.bits.max(32)), 5);
        Stmt::Store(access, operand)
    }

    /// An atomic operation on a word of the invocation's own, or on one that all change in one way.
    fn atomic(&mut self) -> Stmt {
        let space = *self.rng.pick(&[Space::Output, Space::Shared]);
        let places = self
            .compute
            .unwrap_or_else(|| unreachable!("only compute programs"));
        let common = self.rng.percent(40);
        let mut access = self.place(space, U32, 1);
        let mut dest = whole(places.junk);
        let kind;
        if common {
            let number = self.rng.below(AtomicKind::COMMON.len());
            kind = AtomicKind::COMMON[number];
            let start = places.common[usize::from(space == Space::Shared)];
            access.at = None;
            access.offset = start + 4 * number;
        } else {
            kind = *self.rng.pick(&AtomicKind::ALL);
            dest = self.dest(U32, Some(32));
            dest.test = None;
        }
        dest.lanes = [true, false, false, false];
        let bounded = matches!(kind, AtomicKind::Iwrap | AtomicKind::Dwrap);
        // All must compare in one way.
        let compared = common && matches!(kind, AtomicKind::Min | AtomicKind::Max);
        let unsigned = bounded || compared || self.rng.percent(50);
        access.ty = if unsigned { U32 } else { S32 };
        let mut operand = self.plain_operand(access.ty, 25);
        // Lavapipe compares clamped floats wrongly in ATOM.MAX.U32 by address.
        while self.holds_floats(&operand) {
            operand = self.plain_operand(access.ty, 25);
        }
        Stmt::Inst(Inst {
            action: Action::Atomic(access, Atomic { kind, common }),
            dest,
            operands: vec![operand],
            sets: None,
            clamp: None,
            precise: false,
            suffixes: false,
        })
    }

    fn holds_floats(&self, operand: &Operand) -> bool {
        let of_floats = |slot: &Slot| matches!(slot.class, Class::Float | Class::Double);
        match operand.place {
            Place::Var(var, _) => self
                .slots
                .iter()
                .any(|slot| slot.var == var && of_floats(slot)),
            Place::Literal(..) => false,
        }
    }

    /// Stores a register where nothing else is stored.
    fn report(&mut self, active: Mask) -> Option<Stmt> {
        let mut places = self.compute?;
        if places.next + 16 > LAST {
            return None;
        }
        let stmt = self.first_accepted(active, |it| {
            let slot = it.slot(U32, |slot| slot.reads);
            let index = it.index(slot.var);
            let wide = it.program.vars[slot.var].width == 64;
            let access = Access {
                space: Space::Output,
                ty: if wide { U64 } else { U32 },
                count: if wide { 2 } else { 4 },
                at: Some((places.own, 0)),
                offset: places.next,
                global: it.profile.global,
            };
            let operand = Operand {
                place: Place::Var(slot.var, index),
                ..literal(String::new(), Num::I(0))
            };
            (!wide || it.profile.long).then_some(Stmt::Store(access, operand))
        });
        places.next += 16;
        self.compute = Some(places);
        stmt
    }

    /// Invocations store what others load behind a barrier.
    fn exchange(&mut self, active: Mask) -> Option<Stmt> {
        let mut stmts = vec![Stmt::Barrier];
        self.machine
            .stmt(&self.program, &Stmt::Barrier, active)
            .ok()?;
        for _ in 0..1 + self.rng.below(2) {
            stmts.extend(self.first_accepted(active, |it| Some(it.store(Space::Shared))));
        }
        stmts.push(Stmt::Barrier);
        self.machine
            .stmt(&self.program, &Stmt::Barrier, active)
            .ok()?;
        for _ in 0..1 + self.rng.below(3) {
            stmts.extend(self.first_accepted(active, |it| Some(it.load(Space::Shared))));
        }
        Some(Stmt::Sequence(stmts))
    }

    /// Mostly, the first value of a variable of a compute program: what the buffer holds for the invocation's number in its group.
    pub(super) fn first_load(&mut self, slot: Slot, index: Index) -> Option<Stmt> {
        let places = self.compute?;
        let ty = match slot.class {
            Class::Float => F32,
            Class::Int => S32,
            Class::Double => F64,
            Class::Long => U64,
        };
        let count = if ty.bits == 64 { 2 } else { 4 };
        let mut dest = whole(slot.var);
        dest.index = index;
        let access = Access {
            space: Space::Input,
            ty,
            count,
            at: Some((places.own, 3)),
            // Groups have at most 20 invocations.
            offset: 16 * self.rng.below(GIVEN / 16 - 20),
            global: self.profile.global,
        };
        self.rng.percent(75).then_some(Stmt::Inst(Inst {
            action: Action::Load(access),
            dest,
            operands: Vec::new(),
            sets: None,
            clamp: None,
            precise: false,
            suffixes: false,
        }))
    }

    /// A component of a variable.
    pub(super) fn lane_of(&self, var: VarId, lane: usize) -> Operand {
        Operand {
            place: Place::Var(var, Index::None),
            swizzle: [lane; 4],
            ..literal(String::new(), Num::I(0))
        }
    }
}
