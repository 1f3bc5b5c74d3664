//! Places in buffers: which buffer of an array of them, whether the offset lies inside.
//!
//! A number that may differ between invocations indexes an array of descriptors only where the device can do that; elsewhere a
//! switch has a case for each buffer. Storage and counter buffers have the size that the caller binds: reads beyond it give 0
//! and writes do nothing, which the module sees to itself unless the device does
//! ([`robust_buffer_access2`](crate::options::DeviceFeatures::robust_buffer_access2)). Sizes count in whole words.

use super::Emit;
use super::array::Element;
use super::cx::BufferUse;
use crate::builder::{Home, Lane, Scalar, Val};
use crate::capability::Need;
use crate::error::Failure;
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::inst::IndexTerm;
use glasm_ir::resource::BufferKind;
use glasm_ir::resource::{MemFlags, MemSpace};
use glasm_ir::{Aux, BufferId, MemAccess, Op, Program};
use spirv::Op as Spv;

/// Which buffer of an array of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Member {
    /// Known at compile time; 0 for a buffer that is no array.
    Constant(u32),
    /// The same in all invocations.
    Uniform(ValueWord),
    /// Any.
    Divergent(ValueWord),
}

/// A place in a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferPlace {
    pub(super) buffer: BufferId,
    pub(super) member: Member,
    /// Offset in bytes.
    pub(super) offset: Val,
}

/// What a program does with each of its buffers.
pub(super) fn buffer_uses(program: &Program) -> Vec<BufferUse> {
    let mut uses = vec![BufferUse::empty(); program.buffers.len()];
    for inst in &program.insts {
        let Aux::Mem(id) = inst.aux else { continue };
        let access = program.mem_accesses[id];
        let MemSpace::Buffer(buffer) = access.space else {
            continue;
        };
        let found = &mut uses[buffer.index()];
        found.set(
            BufferUse::WRITTEN,
            found.contains(BufferUse::WRITTEN) || inst.op != Op::Load,
        );
        let wide = inst.op == Op::Atomic && inst.ty.width() == glasm_ir::Width::W64;
        found.set(
            BufferUse::WIDE_ATOMIC,
            found.contains(BufferUse::WIDE_ATOMIC) || wide,
        );
        for (flag, meaning) in [
            (MemFlags::COHERENT, BufferUse::COHERENT),
            (MemFlags::VOLATILE, BufferUse::VOLATILE),
        ] {
            if access.flags.contains(flag) {
                *found |= meaning;
            }
        }
    }
    uses
}

impl Emit<'_> {
    /// The place of an access at `offset` bytes.
    pub(super) fn place(
        &mut self,
        buffer: BufferId,
        access: &MemAccess,
        offset: Val,
    ) -> Result<BufferPlace, Failure> {
        let len = self.program.buffers[buffer].array.unwrap_or(1);
        let member = match access.element {
            Some(term) => self.member(term, len)?,
            None => Member::Constant(0),
        };
        Ok(BufferPlace {
            buffer,
            member,
            offset,
        })
    }

    pub(super) fn member(&mut self, term: IndexTerm, len: u32) -> Result<Member, Failure> {
        let uniform = match term.relative {
            Some((register, lane)) => {
                let number = self.index_register(register, lane)?;
                self.is_uniform(number)
            }
            None => true,
        };
        Ok(match self.element_of(term, len)? {
            Element::Constant(number) => Member::Constant(number),
            Element::Dynamic(number) if uniform => Member::Uniform(number),
            Element::Dynamic(number) => Member::Divergent(number),
        })
    }

    /// Whether a value certainly is the same in all invocations: a component of a parameter.
    fn is_uniform(&mut self, id: ValueWord) -> bool {
        let home = self.w.info(id).home;
        if home != Home::Prologue {
            return home == Home::Constant;
        }
        if let Some(&known) = self.tables.uniform.get(&id) {
            return known;
        }
        // Values of the prologue that are known to be uniform are a parameter, a component of it, and casts of either.
        let is_from = |emit: &Self, from: ValueWord| {
            let info = emit.w.derived(from);
            let near = |value: ValueWord| {
                value.is_some() && (value == id || emit.w.derived(value).casts.contains(&id))
            };
            let casts = info.casts.into_iter().filter(|cast| cast.is_some());
            let parts = |value: ValueWord| emit.w.derived(value).parts;
            near(from)
                || info.parts.into_iter().any(near)
                || casts.into_iter().any(|cast| parts(cast).contains(&id))
        };
        let params = self.interface.params.loaded.iter();
        let mut loaded = params.copied().filter(|param| param.is_some());
        let found = loaded.any(|param| is_from(self, param));
        self.tables.uniform.insert(id, found);
        found
    }

    /// Runs `access` with a place that the device can index: several times if there must be a case for each buffer.
    pub(super) fn at_place(
        &mut self,
        place: BufferPlace,
        mut access: impl FnMut(&mut Self, BufferPlace) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let device = self.w.device;
        let constant = self.program.buffers[place.buffer].kind == BufferKind::Constant;
        let (dynamic, divergent) = if constant {
            (
                device.uniform_buffer_dynamic_indexing,
                device.uniform_buffer_non_uniform_indexing,
            )
        } else {
            (
                device.storage_buffer_dynamic_indexing,
                device.storage_buffer_non_uniform_indexing,
            )
        };
        let number = match place.member {
            Member::Constant(_) => return access(self, place),
            Member::Uniform(_) if dynamic => {
                self.w.needs.insert(if constant {
                    Need::UniformIndexing
                } else {
                    Need::StorageIndexing
                });
                return access(self, place);
            }
            Member::Divergent(_) if divergent => {
                self.w.needs.insert(if constant {
                    Need::UniformDivergence
                } else {
                    Need::StorageDivergence
                });
                self.w.needs.insert(Need::NonUniform);
                return access(self, place);
            }
            Member::Uniform(number) | Member::Divergent(number) => self.w.val(number),
        };
        let len = self.program.buffers[place.buffer].array.unwrap_or(1);
        self.lanes_by_case(number, len, |emit, case| {
            let member = Member::Constant(case);
            access(emit, BufferPlace { member, ..place })
        })
    }

    /// The number of words of the buffer at a place, unless all accesses are inside or the device looks itself.
    pub(super) fn bound(
        &mut self,
        place: BufferPlace,
        view: Scalar,
    ) -> Result<Option<Val>, Failure> {
        let kind = self.program.buffers[place.buffer].kind;
        if !matches!(kind, BufferKind::Storage | BufferKind::Counter) {
            return Ok(None);
        }
        if self.w.device.robust_buffer_access2 {
            self.w.needs.insert(Need::RobustAccess);
            return Ok(None);
        }
        let Member::Divergent(number) = place.member else {
            return Ok(Some(self.length(place, view)));
        };
        // Devices need not be able to ask different buffers for their lengths at once.
        let (number, len) = (self.w.val(number), self.program.buffers[place.buffer].array);
        let lanes = self.lanes_by_case(number, len.unwrap_or(1), |emit, case| {
            let member = Member::Constant(case);
            let length = emit.length(BufferPlace { member, ..place }, view);
            Ok([
                length.lane(0),
                Lane::UNDEFINED,
                Lane::UNDEFINED,
                Lane::UNDEFINED,
            ])
        })?;
        Ok(Some(self.w.val(lanes[0].id())))
    }

    fn length(&mut self, place: BufferPlace, view: Scalar) -> Val {
        let block = self.block_pointer(place, view.into());
        self.w.op(Spv::ArrayLength, Scalar::U32, 1, &[block.0, 0])
    }

    /// Runs `access` if word `word` lies inside; its lanes are 0 else.
    pub(super) fn lanes_inside(
        &mut self,
        bound: Option<Val>,
        word: Val,
        access: impl FnOnce(&mut Self) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        match bound {
            Some(bound) => {
                let inside = self.w.compare(Spv::ULessThan, Scalar::BoolInt, word, bound);
                self.lanes_if(inside, access)
            }
            None => access(self),
        }
    }
}
