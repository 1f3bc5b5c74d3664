//! Uses of buffers and images in a program, which determine their decorations.

use glasm_ir::arena::Id;
use glasm_ir::resource::{MemFlags, MemSpace};
use glasm_ir::{Aux, ImageId, ImageTexels, Op, OpFlags, Program, Width};
use spirv::Decoration;

bitflags::bitflags! {
    /// Uses of a buffer or an image.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(in crate::emit) struct ResourceUse: u8 {
        /// Loads or atomics.
        const READ = 1;
        /// Stores or atomics.
        const WRITTEN = 2;
        /// Accesses that other invocations observe.
        const COHERENT = 4;
        /// Accesses that must not be removed.
        const VOLATILE = 8;
        /// Atomics of 64 bits.
        const WIDE_ATOMIC = 16;
    }
}

impl ResourceUse {
    /// Returns the uses of one access.
    fn of_access(op: Op, flags: MemFlags) -> Self {
        let facts = [
            (op.has(OpFlags::READS), Self::READ),
            (op.has(OpFlags::WRITES), Self::WRITTEN),
            (flags.contains(MemFlags::COHERENT), Self::COHERENT),
            (flags.contains(MemFlags::VOLATILE), Self::VOLATILE),
        ];
        let facts = facts.into_iter().filter(|(holds, _)| *holds);
        facts.map(|(_, usage)| usage).collect()
    }

    /// Returns the decorations for these uses.
    pub(in crate::emit) fn decorations(self) -> impl Iterator<Item = Decoration> {
        let rows = [
            // Without it Vulkan requires the feature for stores of the stage, even if nothing is
            // stored.
            (!self.contains(Self::WRITTEN), Decoration::NonWritable),
            (self.contains(Self::COHERENT), Decoration::Coherent),
            (self.contains(Self::VOLATILE), Decoration::Volatile),
        ];
        let rows = rows.into_iter().filter(|(holds, _)| *holds);
        rows.map(|(_, decoration)| decoration)
    }
}

/// Returns the uses of an image in a program.
pub(in crate::emit) fn image_use(program: &Program, image: ImageId) -> ResourceUse {
    let mut found = ResourceUse::empty();
    for inst in &program.insts {
        let Aux::Image(id) = inst.aux else { continue };
        let access = program.image_accesses[id];
        if access.image == image {
            found |= ResourceUse::of_access(inst.op, access.flags);
            // Writes by the holder of a lock must be visible to the next holder.
            let locked = program.images[image].texels != ImageTexels::Raw(32);
            if inst.op == Op::ImageAtomic && locked {
                found |= ResourceUse::COHERENT;
            }
        }
    }
    found
}

/// Returns the uses of each buffer in a program.
pub(super) fn buffer_uses(program: &Program) -> Vec<ResourceUse> {
    let mut uses = vec![ResourceUse::empty(); program.buffers.len()];
    for inst in &program.insts {
        let Aux::Mem(id) = inst.aux else { continue };
        let access = program.mem_accesses[id];
        let MemSpace::Buffer(buffer) = access.space else {
            continue;
        };
        let found = &mut uses[buffer.index()];
        *found |= ResourceUse::of_access(inst.op, access.flags);
        // The layout of shared memory depends on this: `is_wide_shared`.
        if inst.op == Op::Atomic && inst.ty.width() == Width::W64 {
            *found |= ResourceUse::WIDE_ATOMIC;
        }
    }
    uses
}
