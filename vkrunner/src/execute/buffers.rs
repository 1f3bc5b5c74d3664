//! Buffers of a script: making, filling, comparing, printing.

use super::{Execution, Problem, Resources};
use crate::error::Error;
use crate::vk::{Addressing, Buffer, BufferUse, Roles};
use glasm_scripts::data::DataRange;
use glasm_scripts::script::{BufferAddress, BufferId, BufferKey, ParamValue, Script};

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
    pub(super) fn contents(&self, buffer: BufferId) -> &[u8] {
        contents(self.script, &self.resources.buffers, buffer)
    }

    /// The contents of a buffer, to be changed.
    pub(super) fn contents_mut(&mut self, buffer: BufferId) -> &mut [u8] {
        let size = self.script.buffers[buffer.0].size as usize;
        &mut self.resources.buffers[buffer.0].bytes_mut()[..size]
    }

    /// Writes addresses of buffers into a buffer.
    pub(super) fn write_addresses(
        &mut self,
        buffer: BufferId,
        offset: u64,
        addresses: &[BufferAddress],
    ) {
        let words: Vec<u8> = addresses
            .iter()
            .flat_map(|address| self.resources.address(*address).to_le_bytes())
            .collect();
        let offset = offset as usize;
        self.contents_mut(buffer)[offset..offset + words.len()].copy_from_slice(&words);
    }

    /// `print`
    pub(super) fn print_buffer(
        &mut self,
        buffer: BufferId,
        range: &DataRange,
    ) -> Result<(), Problem> {
        let values = range.print(self.contents(buffer))?;
        let name = match &self.script.buffers[buffer.0].key {
            BufferKey::Named(name) => name.clone(),
            key @ BufferKey::Bound { .. } => key.to_string(),
        };
        self.results.printed.push(format!("{name}: {values}"));
        Ok(())
    }
}

/// The contents of a buffer, as long as the script made it.
pub(super) fn contents<'a>(script: &Script, buffers: &'a [Buffer], buffer: BufferId) -> &'a [u8] {
    let size = script.buffers[buffer.0].size as usize;
    &buffers[buffer.0].bytes()[..size]
}

impl Resources {
    fn address(&self, address: BufferAddress) -> u64 {
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
