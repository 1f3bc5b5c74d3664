//! Buffers of a script: making, reading, addresses.

use super::{Execution, Problem, Resources};
use crate::error::Error;
use crate::vk::{Addressing, Buffer, BufferUse, Roles};
use glasm_scripts::script::{BufferAddress, BufferId, ParamValue};

impl Execution<'_> {
    /// Makes all buffers of the script.
    pub(super) fn make_buffers(&mut self) -> Result<(), Problem> {
        let addressed = self.script.addressed_buffers();
        let captured = self.script.captured_buffers();
        for (decl, index) in self.script.buffers.iter().zip(0..) {
            let roles = Roles {
                address: match addressed.contains(&BufferId(index)) {
                    true if self.script.requirements.low_addresses => Addressing::Low,
                    true => Addressing::Any,
                    false => Addressing::None,
                },
                capture: captured.contains(&BufferId(index)),
            };
            let usage = BufferUse::Script(roles);
            let buffer = Buffer::new(&self.device, usage, decl.size);
            let buffer = buffer.map_err(|error| Error::Buffer {
                name: decl.key.to_string(),
                size: decl.size,
                source: Box::new(error),
            })?;
            self.resources.buffers.push(buffer);
        }
        Ok(())
    }

    /// The contents of a buffer, as long as the script made it.
    pub(super) fn bytes(&self, buffer: BufferId) -> &[u8] {
        let size = self.script.buffers[buffer.0].size as usize;
        &self.resources.buffers[buffer.0].bytes()[..size]
    }
}

impl Resources {
    pub(super) fn address(&self, address: BufferAddress) -> u64 {
        let start = self.buffers[address.buffer.0].address();
        start.wrapping_add(address.offset)
    }

    /// The bits of a parameter; addresses and handles go over what it was before.
    pub(super) fn param_words(&self, value: &ParamValue, before: [u32; 4]) -> [u32; 4] {
        match value {
            ParamValue::Words(_, words) => *words,
            ParamValue::Addresses(addresses) => {
                let mut words = before;
                for (pair, address) in words.chunks_exact_mut(2).zip(addresses) {
                    let address = self.address(*address);
                    (pair[0], pair[1]) = (address as u32, (address >> 32) as u32);
                }
                words
            }
            ParamValue::Handles(handles) => {
                let mut words = before;
                for (pair, handle) in words.chunks_exact_mut(2).zip(handles) {
                    (pair[0], pair[1]) = (handle.unit(), 0);
                }
                words
            }
        }
    }
}
