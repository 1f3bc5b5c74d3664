//! Uses of buffers and images in a program, which determine their decorations.

use glasm_ir::arena::Id;
use glasm_ir::resource::{MemFlags, MemorySpace};
use glasm_ir::{ImageId, ImageTexels, InstData, Op, OpFlags, Program, Width};
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
    /// Returns the uses of one access: read, written, coherent, volatile.
    fn from_access(op: Op, flags: MemFlags) -> Self {
        let facts = [
            (op.has(OpFlags::READS), Self::READ),
            (op.has(OpFlags::WRITES), Self::WRITTEN),
            (flags.contains(MemFlags::COHERENT), Self::COHERENT),
            (flags.contains(MemFlags::VOLATILE), Self::VOLATILE),
        ];
        let facts = facts.into_iter().filter(|(holds, _)| *holds);
        facts.map(|(_, usage)| usage).collect()
    }

    /// Returns the memory decorations of a variable that is used like this: not writable, coherent
    /// and volatile.
    pub(in crate::emit) fn decorations(self) -> impl Iterator<Item = Decoration> {
        let choices = [
            // Without it Vulkan requires the feature for stores of the stage, even if nothing is
            // stored.
            (!self.contains(Self::WRITTEN), Decoration::NonWritable),
            (self.contains(Self::COHERENT), Decoration::Coherent),
            (self.contains(Self::VOLATILE), Decoration::Volatile),
        ];
        let choices = choices.into_iter().filter(|(holds, _)| *holds);
        choices.map(|(_, decoration)| decoration)
    }
}

/// Returns the union of the uses of an image by the instructions of a program. Images with atomics
/// under a lock are coherent.
pub(in crate::emit) fn find_image_use(program: &Program, image: ImageId) -> ResourceUse {
    let mut found = ResourceUse::empty();
    for inst in &program.insts {
        let InstData::Image(id) = inst.data else {
            continue;
        };
        let access = program.image_accesses[id];
        if access.image == image {
            found |= ResourceUse::from_access(inst.op, access.flags);
            // Writes by the holder of a lock must be visible to the next holder.
            let locked = program.images[image].texels != ImageTexels::Raw(32);
            if inst.op == Op::ImageAtomic && locked {
                found |= ResourceUse::COHERENT;
            }
        }
    }
    found
}

/// Returns, for each buffer, the union of its uses by the instructions of a program, and whether it
/// has 64-bit atomics.
pub(super) fn find_buffer_uses(program: &Program) -> Vec<ResourceUse> {
    let mut uses = vec![ResourceUse::empty(); program.buffers.len()];
    for inst in &program.insts {
        let InstData::Mem(id) = inst.data else {
            continue;
        };
        let access = program.mem_accesses[id];
        let MemorySpace::Buffer(buffer) = access.space else {
            continue;
        };
        let found = &mut uses[buffer.index()];
        *found |= ResourceUse::from_access(inst.op, access.flags);
        // The layout of shared memory depends on this: `is_wide_shared`.
        if inst.op == Op::Atomic && inst.ty.width() == Width::W64 {
            *found |= ResourceUse::WIDE_ATOMIC;
        }
    }
    uses
}
