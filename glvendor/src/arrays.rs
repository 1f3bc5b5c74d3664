//! Arrays of conventional attributes, which programs read as numbered ones: NV_vertex_program
//! section 2.8. The driver stores them separately, so numbered arrays refer to the same memory
//! during a draw, and are disabled again before the application could see them.

use crate::context::{Groups, State};
use crate::ffi::{driver, query};

/// Array of a conventional attribute: number of the attribute, enumerant that enables it, and the
/// names of its size, type, stride, buffer, pointer.
struct Array {
    number: u32,
    enable: u32,
    size: u32,
    kind: u32,
    stride: u32,
    buffer: u32,
    pointer: u32,
}

const fn array(
    number: u32,
    enable: u32,
    size: u32,
    kind: u32,
    stride: u32,
    buffer: u32,
    pointer: u32,
) -> Array {
    Array {
        number,
        enable,
        size,
        kind,
        stride,
        buffer,
        pointer,
    }
}

static ARRAYS: [Array; 5] = [
    array(2, 0x8075, 0, 0x807E, 0x807F, 0x8897, 0x808F),
    array(3, 0x8076, 0x8081, 0x8082, 0x8083, 0x8898, 0x8090),
    array(4, 0x845E, 0x845A, 0x845B, 0x845C, 0x889C, 0x845D),
    array(5, 0x8457, 0, 0x8454, 0x8455, 0x889D, 0x8456),
    array(8, 0x8078, 0x8088, 0x8089, 0x808A, 0x889A, 0x8092),
];

impl State {
    /// Restores the arrays of the application, before a command that changes or queries them.
    pub(crate) fn arrays_change(&mut self) {
        self.restore_arrays();
        self.changed(Groups::ARRAYS);
    }

    /// Sets the arrays of conventional attributes to those of the numbered attributes that the
    /// vertex program reads.
    pub(crate) fn apply_arrays(&mut self, attributes: u32) {
        if !self.dirty.contains(Groups::ARRAYS) {
            return;
        }
        self.restore_arrays();
        self.dirty -= Groups::ARRAYS;
        for row in &ARRAYS {
            if row.number != 8 {
                self.apply_array(row, row.number, attributes);
                continue;
            }
            let units = attributes >> 8 & 0xFF;
            if units == 0 {
                continue;
            }
            let active = query::integer(0x84E1);
            for unit in (0..8).filter(|n| units & 1 << n != 0) {
                driver::ClientActiveTexture(0x84C0 + unit);
                self.apply_array(row, 8 + unit, attributes);
            }
            driver::ClientActiveTexture(active as u32);
        }
    }

    fn apply_array(&mut self, row: &Array, number: u32, attributes: u32) {
        let is_read = attributes & 1 << number != 0;
        if !is_read
            || !query::is_enabled(row.enable)
            || query::attribute_array::<1>(number, 0x8622) != [0]
        {
            return;
        }
        let size = match (row.size, number) {
            (0, 2) => 3,
            (0, _) => 1,
            (name, _) => query::integer(name),
        };
        // Texture coordinates are not normalized, all other integers are.
        let is_fraction = number < 8;
        let bound = query::integer(0x8894);
        driver::BindBuffer(0x8892, query::integer(row.buffer) as u32);
        let (kind, stride) = (query::integer(row.kind) as u32, query::integer(row.stride));
        query::set_attribute_array(
            number,
            size,
            kind,
            is_fraction,
            stride,
            query::array_pointer(row.pointer),
        );
        driver::BindBuffer(0x8892, bound as u32);
        driver::EnableVertexAttribArray(number);
        self.drawing.arrays |= 1 << number;
    }

    pub(crate) fn restore_arrays(&mut self) {
        let arrays = std::mem::take(&mut self.drawing.arrays);
        if arrays != 0 {
            for number in (0..16).filter(|n| arrays & 1 << n != 0) {
                driver::DisableVertexAttribArray(number);
            }
            self.touch(Groups::ARRAYS);
        }
    }
}
