//! Drawing from arrays in a buffer. Arrays are enabled for the time of a draw only.

use super::bindings::constants::*;
use super::buffer::Buffer;
use super::context::Gl;
use crate::error::Error;
use std::ffi::c_void;
use std::ops::Range;
use std::rc::Rc;

/// Attribute that an array is the source of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArrayAttribute {
    /// Attribute with a name, whose components have type `GL_FLOAT`.
    Conventional(ConventionalAttribute),
    /// Attribute with a number. Number 0 is the position, too.
    Generic(u32, GenericFormat),
}

/// Attribute that OpenGL has a name for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConventionalAttribute {
    /// Three components.
    Normal,
    /// Four components.
    Color,
    /// Three components.
    SecondaryColor,
    /// Fog coordinate: one component.
    FogCoord,
    /// Texture coordinates of a set, four components.
    TexCoord(u32),
}

impl ConventionalAttribute {
    /// Returns the capability that enables its array. Texture coordinates belong to the set that is
    /// active.
    fn client_state(self) -> u32 {
        match self {
            Self::Normal => NORMAL_ARRAY,
            Self::Color => COLOR_ARRAY,
            Self::SecondaryColor => SECONDARY_COLOR_ARRAY,
            Self::FogCoord => FOG_COORD_ARRAY,
            Self::TexCoord(_) => TEXTURE_COORD_ARRAY,
        }
    }
}

/// Memory layout of the values of a generic attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GenericFormat {
    /// Number of components, or `GL_BGRA`.
    pub(crate) size: u32,
    /// Type of a component, or of all.
    pub(crate) ty: u32,
    /// Type of the attribute in programs.
    pub(crate) kind: AttributeKind,
}

/// Type of a generic attribute in programs, which determines the command that sets its array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AttributeKind {
    /// Floats.
    Float,
    /// Floats from -1 or 0 to 1.
    Normalized,
    /// Integers of 32 bits.
    Integer,
    /// Numbers of 64 bits.
    Long,
}

/// Array of values of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VertexArray {
    /// Attribute of the array.
    pub(crate) attribute: ArrayAttribute,
    /// First byte in the buffer.
    pub(crate) offset: usize,
    /// Bytes from an element to the next.
    pub(crate) stride: usize,
    /// Bytes of an element.
    pub(crate) size: usize,
    /// Instances that have the same element; 0 steps with every vertex. Only generic attributes
    /// step otherwise.
    pub(crate) divisor: u32,
}

/// Type of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IndexType {
    /// `GL_UNSIGNED_BYTE`.
    U8,
    /// `GL_UNSIGNED_SHORT`.
    U16,
    /// `GL_UNSIGNED_INT`.
    U32,
}

/// Elements of the arrays that are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Elements<'a> {
    /// Consecutive elements.
    Range {
        /// First element.
        first: u32,
        /// Number of elements.
        count: u32,
    },
    /// Elements by index.
    Indexed {
        /// Indices, whose low bits are in the type.
        indices: &'a [u32],
        /// Index type of OpenGL.
        ty: IndexType,
        /// Added to each.
        base: i32,
        /// Index that denotes no vertex.
        restart: Option<u32>,
    },
}

/// Draw command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawCall<'a> {
    /// Primitives, such as `GL_TRIANGLES`.
    pub(crate) mode: u32,
    /// Arrays; all others are off.
    pub(crate) arrays: &'a [VertexArray],
    /// Elements that are drawn.
    pub(crate) elements: Elements<'a>,
    /// Number of instances.
    pub(crate) instances: u32,
    /// Index of the first instance.
    pub(crate) first_instance: u32,
}

impl Gl {
    /// Draws from arrays in a buffer. No element may be outside of it. The arrays are disabled
    /// afterwards; the buffer remains bound. Does nothing without instances.
    ///
    /// # Errors
    /// [`Error::Length`] if one is, and errors of OpenGL.
    pub(crate) fn draw(self: &Rc<Self>, buffer: &Buffer, call: &DrawCall<'_>) -> Result<(), Error> {
        if call.instances == 0 {
            return Ok(());
        }
        check_elements(buffer, call)?;
        self.BindBuffer(ARRAY_BUFFER, buffer.name())?;
        for array in call.arrays {
            // SAFETY: a buffer is bound, and all elements that the draw needs are in it.
            unsafe { self.set_array(array) }?;
        }
        let drawn = match call.elements {
            Elements::Range { first, count } => {
                self.draw_range(call, to_gl_int(first), to_gl_int(count))
            }
            Elements::Indexed {
                indices, ty, base, ..
            } => self.draw_indexed(call, indices, ty, base),
        };
        for array in call.arrays {
            self.disable_array(array)?;
        }
        drawn?;
        self.check_errors("drawing")
    }

    /// Sets the number of vertices of a patch, and the levels of tessellation that apply if no
    /// program sets them. Errors of OpenGL are not checked; an `Err` is a missing command.
    pub(crate) fn set_patches(
        &self,
        vertices: u32,
        outer: [f32; 4],
        inner: [f32; 2],
    ) -> Result<(), Error> {
        self.PatchParameteri(PATCH_VERTICES, to_gl_int(vertices))?;
        // SAFETY: OpenGL reads four outer levels.
        unsafe { self.PatchParameterfv(PATCH_DEFAULT_OUTER_LEVEL, outer.as_ptr()) }?;
        // SAFETY: OpenGL reads two inner levels.
        unsafe { self.PatchParameterfv(PATCH_DEFAULT_INNER_LEVEL, inner.as_ptr()) }
    }

    /// Draws `count` consecutive elements of the arrays that are set, from `first` on, with the
    /// instances of the call, by the oldest command that suffices. Errors of OpenGL are not checked
    /// here; an `Err` is a missing command.
    fn draw_range(&self, call: &DrawCall<'_>, first: i32, count: i32) -> Result<(), Error> {
        let (mode, instances) = (call.mode, to_gl_int(call.instances));
        // SAFETY: `draw` has set the arrays and compared their lengths.
        unsafe {
            match (call.instances, call.first_instance) {
                (1, 0) => self.DrawArrays(mode, first, count),
                (_, 0) => self.DrawArraysInstanced(mode, first, count, instances),
                (_, start) => {
                    self.DrawArraysInstancedBaseInstance(mode, first, count, instances, start)
                }
            }
        }
    }

    /// Draws the elements that a list of indices selects, which is uploaded to a temporary buffer,
    /// by the oldest command that suffices. `base` is added to each index. No index buffer is bound
    /// afterwards.
    fn draw_indexed(
        self: &Rc<Self>,
        call: &DrawCall<'_>,
        indices: &[u32],
        ty: IndexType,
        base: i32,
    ) -> Result<(), Error> {
        let buffer = Buffer::new(self, &pack_indices(indices, ty), STREAM_DRAW)?;
        self.BindBuffer(ELEMENT_ARRAY_BUFFER, buffer.name())?;
        let (mode, instances) = (call.mode, to_gl_int(call.instances));
        let count = i32::try_from(indices.len()).unwrap_or(i32::MAX);
        let ty = match ty {
            IndexType::U8 => UNSIGNED_BYTE,
            IndexType::U16 => UNSIGNED_SHORT,
            IndexType::U32 => UNSIGNED_INT,
        };
        let start = std::ptr::null();
        // SAFETY: `draw` has set the arrays and compared their lengths with the indices, which the
        // bound buffer holds from its start.
        let drawn = unsafe {
            match (call.instances, call.first_instance, base) {
                (1, 0, 0) => self.DrawElements(mode, count, ty, start),
                (1, 0, _) => self.DrawElementsBaseVertex(mode, count, ty, start, base),
                (_, 0, 0) => self.DrawElementsInstanced(mode, count, ty, start, instances),
                (_, 0, _) => {
                    self.DrawElementsInstancedBaseVertex(mode, count, ty, start, instances, base)
                }
                (_, first, _) => self.DrawElementsInstancedBaseVertexBaseInstance(
                    mode, count, ty, start, instances, base, first,
                ),
            }
        };
        self.BindBuffer(ELEMENT_ARRAY_BUFFER, 0)?;
        drawn
    }

    /// Sets and enables an array in the bound buffer, with its instance divisor unless that is 0.
    /// The set of a texture coordinate array becomes active. Returns also errors of OpenGL.
    ///
    /// # Safety
    ///
    /// A buffer is bound to `GL_ARRAY_BUFFER`. Until the array is disabled, draws use elements
    /// within it only.
    unsafe fn set_array(&self, array: &VertexArray) -> Result<(), Error> {
        let pointer = std::ptr::without_provenance::<c_void>(array.offset);
        let stride = to_gl_int(u32::try_from(array.stride).unwrap_or(u32::MAX));
        match array.attribute {
            // SAFETY: with a buffer bound the pointer is an offset, and the caller promises the
            // rest.
            ArrayAttribute::Conventional(slot) => unsafe {
                match slot {
                    ConventionalAttribute::Normal => self.NormalPointer(FLOAT, stride, pointer),
                    ConventionalAttribute::Color => self.ColorPointer(4, FLOAT, stride, pointer),
                    ConventionalAttribute::SecondaryColor => {
                        self.SecondaryColorPointer(3, FLOAT, stride, pointer)
                    }
                    ConventionalAttribute::FogCoord => self.FogCoordPointer(FLOAT, stride, pointer),
                    ConventionalAttribute::TexCoord(set) => {
                        self.ClientActiveTexture(TEXTURE0 + set)?;
                        self.TexCoordPointer(4, FLOAT, stride, pointer)
                    }
                }?;
                self.EnableClientState(slot.client_state())
            },
            // SAFETY: similarly.
            ArrayAttribute::Generic(index, format) => unsafe {
                self.set_generic_array(index, format, stride, pointer)?;
                if array.divisor > 0 {
                    self.VertexAttribDivisor(index, array.divisor)?;
                }
                self.EnableVertexAttribArray(index)
            },
        }?;
        self.check_errors("setting a vertex array")
    }

    /// Sets format, stride and offset of the array of a generic attribute, in the buffer that is
    /// bound to `GL_ARRAY_BUFFER`, by the command for the kind of the attribute. Does not enable
    /// the array. Errors of OpenGL are not checked here; an `Err` is a missing command.
    ///
    /// # Safety
    ///
    /// A buffer is bound to `GL_ARRAY_BUFFER`, and the pointer is an offset in it.
    unsafe fn set_generic_array(
        &self,
        index: u32,
        format: GenericFormat,
        stride: i32,
        pointer: *const c_void,
    ) -> Result<(), Error> {
        let (size, ty) = (to_gl_int(format.size), format.ty);
        // SAFETY: OpenGL stores the offset, and nothing is read before the array is enabled.
        unsafe {
            match format.kind {
                AttributeKind::Float => {
                    self.VertexAttribPointer(index, size, ty, FALSE, stride, pointer)
                }
                AttributeKind::Normalized => {
                    self.VertexAttribPointer(index, size, ty, TRUE, stride, pointer)
                }
                AttributeKind::Integer => {
                    self.VertexAttribIPointer(index, size, ty, stride, pointer)
                }
                AttributeKind::Long => self.VertexAttribLPointer(index, size, ty, stride, pointer),
            }
        }
    }

    /// Disables a vertex array and resets its instance divisor to 0. The set of a texture
    /// coordinate array remains active. Errors of OpenGL are not checked here; an `Err` is a
    /// missing command.
    fn disable_array(&self, array: &VertexArray) -> Result<(), Error> {
        match array.attribute {
            ArrayAttribute::Generic(index, _) => {
                if array.divisor > 0 {
                    self.VertexAttribDivisor(index, 0)?;
                }
                self.DisableVertexAttribArray(index)
            }
            ArrayAttribute::Conventional(slot) => {
                if let ConventionalAttribute::TexCoord(set) = slot {
                    self.ClientActiveTexture(TEXTURE0 + set)?;
                }
                self.DisableClientState(slot.client_state())
            }
        }
    }
}

/// Converts a number to OpenGL's type. Too large ones become larger than any limit, so that OpenGL
/// rejects them.
fn to_gl_int(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// Returns the bytes of indices of a type, in the byte order of the machine; only the low bits of
/// each index are used.
fn pack_indices(indices: &[u32], ty: IndexType) -> Vec<u8> {
    let indices = indices.iter().copied();
    match ty {
        IndexType::U8 => indices.map(|index| index as u8).collect(),
        IndexType::U16 => indices
            .flat_map(|index| (index as u16).to_ne_bytes())
            .collect(),
        IndexType::U32 => indices.flat_map(u32::to_ne_bytes).collect(),
    }
}

/// Returns the range of the vertices of a draw, from the smallest to the largest index plus the
/// base; indices that restart primitives are ignored. Empty if it has none.
fn vertex_range(vertices: &Elements<'_>) -> Range<i64> {
    match *vertices {
        Elements::Range { first, count } => i64::from(first)..i64::from(first) + i64::from(count),
        Elements::Indexed {
            indices,
            ty,
            base,
            restart,
        } => {
            let low_bits = match ty {
                IndexType::U8 => 0xff,
                IndexType::U16 => 0xffff,
                IndexType::U32 => u32::MAX,
            };
            let indices = indices.iter().map(|index| index & low_bits);
            let used = indices.filter(|index| Some(*index) != restart);
            let vertices = used.map(|index| i64::from(index) + i64::from(base));
            vertices.fold(0..0, |all, vertex| {
                if all.is_empty() {
                    vertex..vertex + 1
                } else {
                    all.start.min(vertex)..all.end.max(vertex + 1)
                }
            })
        }
    }
}

/// Checks that the vertices and instances of a draw are within the buffer of the arrays, so that
/// the driver reads no other memory. Returns [`Error::Length`] otherwise; a draw without vertices
/// is always valid. The call must have an instance.
fn check_elements(buffer: &Buffer, call: &DrawCall<'_>) -> Result<(), Error> {
    let vertices = vertex_range(&call.elements);
    if vertices.is_empty() {
        return Ok(());
    }
    for array in call.arrays {
        let end = match array.divisor {
            0 => vertices.end,
            divisor => {
                i64::from(call.first_instance) + i64::from((call.instances - 1) / divisor) + 1
            }
        };
        let last = usize::try_from(end - 1).unwrap_or(usize::MAX);
        let needed = last
            .saturating_mul(array.stride)
            .saturating_add(array.offset)
            .saturating_add(array.size);
        if vertices.start < 0 || needed > buffer.size() {
            return Err(Error::Length {
                what: "vertex array",
                length: buffer.size(),
                needed,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vertices_of_a_draw_are_counted() {
        assert_eq!(vertex_range(&Elements::Range { first: 3, count: 4 }), 3..7);
        let indexed = |indices, base, restart| {
            vertex_range(&Elements::Indexed {
                indices,
                ty: IndexType::U8,
                base,
                restart,
            })
        };
        assert_eq!(indexed(&[4, 255, 2], 10, Some(255)), 12..15);
        assert_eq!(indexed(&[4, 255, 2], -3, None), -1..253);
        // Only low bits arrive.
        assert_eq!(indexed(&[0x104], 0, None), 4..5);
        assert!(indexed(&[255], 7, Some(255)).is_empty());
    }

    #[test]
    fn indices_have_the_width_of_their_type() {
        assert_eq!(pack_indices(&[1, 0x1ff], IndexType::U8), [1, 0xff]);
        let words: Vec<u8> = [1_u16, 0x1ff]
            .iter()
            .flat_map(|it| it.to_ne_bytes())
            .collect();
        assert_eq!(pack_indices(&[1, 0x1ff], IndexType::U16), words);
    }
}
