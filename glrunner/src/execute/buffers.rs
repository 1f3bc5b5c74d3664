//! Buffers of a script: creation, changes, readback, addresses.

use super::gl_features::require_extension;
use crate::error::{Error, Problem};
use crate::gl::{self, Buffer, Gl, Version};
use glasm_scripts::script::{BindTarget, BufferAddress, BufferDecl, BufferId, BufferRange};
use std::collections::HashMap;
use std::rc::Rc;

/// Buffer object and its address in programs.
struct CreatedBuffer {
    buffer: Buffer,
    /// Address, once a command has used it.
    address: Option<u64>,
}

/// Buffers of a script, and where they are bound.
#[derive(Default)]
pub(super) struct Buffers {
    created: Vec<CreatedBuffer>,
    pub(super) bound: HashMap<BindTarget, BufferRange>,
}

impl Buffers {
    /// Returns a buffer that the script has created.
    pub(super) fn get(&self, buffer: BufferId) -> &Buffer {
        &self.created[buffer.0].buffer
    }

    /// Returns the number of buffers that the script has created.
    pub(super) fn buffer_count(&self) -> usize {
        self.created.len()
    }

    /// Creates the declared buffers, filled with zeros.
    pub(super) fn create_buffers(
        &mut self,
        gl: &Rc<Gl>,
        decls: &[BufferDecl],
    ) -> Result<(), Problem> {
        for decl in decls {
            let zeros = vec![0; to_offset(decl.size)];
            let buffer = Buffer::new(gl, &zeros, gl::DYNAMIC_COPY)?;
            let address = None;
            self.created.push(CreatedBuffer { buffer, address });
        }
        Ok(())
    }

    /// Reads the current contents of a buffer.
    pub(super) fn read_contents(&self, buffer: BufferId) -> Result<Vec<u8>, Error> {
        let buffer = self.get(buffer);
        buffer.read(0, buffer.size())
    }

    /// Returns the address of an offset in a buffer, which programs can access from now on. Skips
    /// scripts if the driver has no addresses, or the buffer ends beyond 32 bits and `width` does
    /// not allow that.
    pub(super) fn make_resident_address(
        &mut self,
        gl: &Gl,
        address: BufferAddress,
        width: AddressWidth,
    ) -> Result<u64, Problem> {
        require_extension(gl, "GL_NV_shader_buffer_load")?;
        let created = &mut self.created[address.buffer.0];
        let start = match created.address {
            Some(start) => start,
            None => {
                let access = if gl.has_extension("GL_NV_shader_buffer_store") {
                    gl::READ_WRITE
                } else {
                    gl::READ_ONLY
                };
                *created
                    .address
                    .insert(gl.make_resident(&created.buffer, access)?)
            }
        };
        let end = start.saturating_add(created.buffer.size() as u64);
        if width == AddressWidth::Low32 && end > 1 << 32 {
            let reason = "the driver gives addresses of more than 32 bits";
            return Err(Problem::Unsupported(reason.to_owned()));
        }
        Ok(start.wrapping_add(address.offset))
    }

    /// Changes the first `end` bytes of a buffer: `write` receives the current ones, of which it
    /// may leave some unchanged. Fails if the buffer is shorter.
    pub(super) fn update_contents(
        &self,
        buffer: BufferId,
        end: u64,
        write: &dyn Fn(&mut [u8]),
    ) -> Result<(), Problem> {
        let buffer = self.get(buffer);
        let mut bytes = buffer.read(0, to_offset(end))?;
        write(&mut bytes);
        Ok(buffer.write(0, &bytes)?)
    }
}

/// Width of the addresses that programs use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AddressWidth {
    /// Any.
    Full,
    /// Addresses whose upper half is zero.
    Low32,
}

/// Returns an offset in a buffer, which is at most as large as the memory.
fn to_offset(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Makes all stores of programs visible to subsequent commands; draws and dispatches end with this.
pub(super) fn make_stores_visible(gl: &Gl) -> Result<(), Problem> {
    if gl.version() >= Version(4, 2) || gl.has_extension("GL_ARB_shader_image_load_store") {
        gl.MemoryBarrier(gl::ALL_BARRIER_BITS)?;
    } else if gl.has_extension("GL_EXT_shader_image_load_store") {
        gl.MemoryBarrierEXT(gl::ALL_BARRIER_BITS_EXT)?;
    }
    // Programs of drivers without either command cannot store.
    Ok(gl.check_errors("glMemoryBarrier")?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::test_support::{
        expect_skip_reason, run_steps, with_execution, with_mock_nv,
    };
    use crate::gl::mock_nv_driver::{mock_buffer_address, take_calls};

    #[test]
    fn buffers_hold_what_commands_write() {
        let text = "[test]\nbuffer a size 24\nbuffer a data uint 4 1 2\nbuffer a sequence uint16_t 12 4 7 2\n\
             ssbo layout std140\nbuffer b size 6\nbuffer b fill uint16_t 0x0102\n\
             probe buffer a uint 0 == 0 1 2\nprobe buffer a uint16_t 12 == 7 9 11 13 0 0\n\
             probe buffer b uint8_t 0 == 2 1 2 1 2 1\nprint buffer a uint 4 2";
        with_execution(text, |_, execution| {
            execution.create_buffers().unwrap();
            assert_eq!(run_steps(execution), ["a: 1 2"]);
            let contents = execution.buffers.read_contents(BufferId(1)).unwrap();
            assert_eq!(contents, [2, 1, 2, 1, 2, 1]);
        });
    }

    #[test]
    fn probes_tell_what_differs() {
        let text = "[test]\nbuffer a data uint 0 1 2\nprobe buffer a uint 0 == 1 3";
        with_execution(text, |_, execution| {
            execution.create_buffers().unwrap();
            let steps = &execution.script.steps;
            execution.run_step(&steps[0]).unwrap();
            let Err(Problem::Script(message)) = execution.run_step(&steps[1]) else {
                panic!("the values differ");
            };
            assert!(
                message.starts_with("1 of 2 values of buffer `a` differ"),
                "{message}"
            );
        });
    }

    #[test]
    fn addresses_need_their_extension() {
        for command in ["parameter local_cp 0 address a", "buffer b address 0 a +4"] {
            with_execution(
                &format!("[test]\nbuffer a size 4\n{command}"),
                |gl, execution| {
                    if gl.has_extension("GL_NV_shader_buffer_load") {
                        return;
                    }
                    execution.create_buffers().unwrap();
                    let step = &execution.script.steps[0];
                    let reason = expect_skip_reason(execution.run_step(step));
                    assert_eq!(reason, "the driver lacks GL_NV_shader_buffer_load");
                },
            );
        }
    }

    #[test]
    fn addresses_are_taken_of_resident_buffers() {
        let text = "[test]\nbuffer a size 4\nbuffer b size 32\nparameter local_cp 3 uint (1, 2, 3, 4)\n\
             parameter local_cp 3 address a +2\nparameter local_cp 3 address b a\nbuffer b address 8 a b +4";
        with_mock_nv(text, |_, execution| {
            execution.create_buffers().unwrap();
            run_steps(execution);
            let name = |index| execution.buffers.get(BufferId(index)).name();
            let [a, b] = [name(0), name(1)];
            let [low_a, low_b] = [a, b].map(|name| mock_buffer_address(name) as u32);
            let expected = [
                "local 0x90fb 3 0x1 0x2 0x3 0x4".to_owned(),
                // GL_READ_WRITE, once each.
                format!("resident {a} 0x88ba"),
                format!("local 0x90fb 3 {:#x} 0x7 0x3 0x4", low_a + 2),
                format!("resident {b} 0x88ba"),
                format!("local 0x90fb 3 {low_b:#x} 0x7 {low_a:#x} 0x7"),
            ];
            assert_eq!(take_calls(), expected);
            let contents = execution.buffers.read_contents(BufferId(1)).unwrap();
            let mut written = vec![0; 8];
            written.extend(mock_buffer_address(a).to_le_bytes());
            written.extend((mock_buffer_address(b) + 4).to_le_bytes());
            written.extend([0; 8]);
            assert_eq!(contents, written);
        });
    }

    #[test]
    fn addresses_of_32_bits_are_asked_for() {
        let text = "[require]\naddress32\n[test]\nbuffer a size 4\nparameter local_fp 0 address a";
        with_mock_nv(text, |_, execution| {
            execution.create_buffers().unwrap();
            let step = &execution.script.steps[0];
            let reason = expect_skip_reason(execution.run_step(step));
            assert_eq!(reason, "the driver gives addresses of more than 32 bits");
        });
    }
}
