//! Instructions, operands and access data.

use std::fmt::{self, Write};

use super::Printer;
use crate::arena::Id;
use crate::image::{Image, ImageAccess};
use crate::inst::{
    Dst, Guard, ImageAccessId, Index, IndexId, IndexTerm, Inst, InstData, InstFlags, LiteralId,
    OperandBase, Src, Swizzle, get_result_type, get_source_type,
};
use crate::program::{Register, RegisterId, Storage};
use crate::resource::{
    AtomicOp, MemAccess, MemFlags, MemorySpace, TexAccess, TexMode, TexelOffset,
};
use crate::text_keywords::Keyword;
use crate::types::{BaseType, Type};

impl Printer<'_, '_, '_> {
    /// Prints an instruction without its span and the end of the line.
    pub(super) fn print_inst(&mut self, inst: &Inst) -> fmt::Result {
        if let Some(dst) = inst.dst {
            self.print_dst(&dst)?;
        }
        write!(self.f, "{}.{}", inst.op.name(), inst.ty.keyword())?;
        if let Some(dst) = inst.dst {
            self.f.write_str(dst.saturate.suffix())?;
        }
        for (flag, word) in [
            (InstFlags::PRECISE, ".precise"),
            (InstFlags::RELAXED, ".relaxed"),
        ] {
            if inst.flags.contains(flag) {
                self.f.write_str(word)?;
            }
        }
        self.print_inst_data(inst.data)?;
        let program = self.program;
        for (number, src) in program
            .srcs
            .iter()
            .skip(inst.first_source as usize)
            .take(inst.source_count.into())
            .enumerate()
        {
            self.f.write_str(if number == 0 { " " } else { ", " })?;
            self.print_src(src, self.find_source_type(inst, number))?;
        }
        Ok(())
    }

    /// Returns the type of source `number`, as which its literals are printed; the result type if
    /// the access data is not in its table.
    pub(super) fn find_source_type(&self, inst: &Inst, number: usize) -> Type {
        let known = match inst.data {
            InstData::None | InstData::Cvt { .. } => true,
            InstData::Tex(id) => self.program.tex_accesses.get(id).is_some(),
            InstData::Mem(id) => self.program.mem_accesses.get(id).is_some(),
            InstData::Image(id) => self.find_image(id).is_some(),
        };
        if known {
            get_source_type(self.program, inst, number)
        } else {
            get_result_type(inst)
        }
    }

    /// Prints a destination with index, write mask, guard and condition-code register, up to `=`.
    pub(super) fn print_dst(&mut self, dst: &Dst) -> fmt::Result {
        self.print_register(dst.register)?;
        self.print_index(dst.index)?;
        write!(self.f, ".{:?}", dst.mask)?;
        if let Some(guard) = dst.guard {
            self.f.write_str(" if(")?;
            self.print_guard(guard)?;
            self.f.write_char(')')?;
        }
        if let Some(cc) = dst.cc {
            self.f.write_str(", ")?;
            self.print_register(cc)?;
        }
        self.f.write_str(" = ")
    }

    /// Prints `cc` and the id for condition codes, otherwise `r` and the id, also for registers
    /// that are not in the table.
    pub(super) fn print_register(&mut self, id: RegisterId) -> fmt::Result {
        match self.program.registers.get(id) {
            Some(Register {
                storage: Storage::Cond,
                ..
            }) => write!(self.f, "cc{}", id.index()),
            _ => write!(self.f, "{id}"),
        }
    }

    /// Prints one lane of a register, such as `r0.x`; `?` denotes a lane above 3.
    pub(super) fn print_lane(&mut self, (register, lane): (RegisterId, u8)) -> fmt::Result {
        self.print_register(register)?;
        write!(
            self.f,
            ".{}",
            ["x", "y", "z", "w"].get(usize::from(lane)).unwrap_or(&"?")
        )
    }

    /// Prints the test, register and swizzle of a guard, without parentheses.
    pub(super) fn print_guard(&mut self, guard: Guard) -> fmt::Result {
        write!(self.f, "{} ", guard.test.keyword())?;
        self.print_register(guard.cc)?;
        write!(self.f, ".{:?}", guard.swizzle)
    }

    /// Prints a source with its modifiers, index and swizzle, which literals omit if it selects all
    /// lanes in order. `ty` is the type of literals.
    pub(super) fn print_src(&mut self, src: &Src, ty: Type) -> fmt::Result {
        self.f.write_str(if src.negate { "-" } else { "" })?;
        self.f.write_str(if src.abs { "|" } else { "" })?;
        match src.base {
            OperandBase::Register(id) => self.print_register(id)?,
            OperandBase::Param(id) => write!(self.f, "{id}")?,
            OperandBase::Input(id) => write!(self.f, "{id}")?,
            OperandBase::Output(id) => write!(self.f, "{id}")?,
            OperandBase::Literal(id) => self.print_literal(id, ty)?,
        }
        self.print_index(src.index)?;
        if !matches!(src.base, OperandBase::Literal(_)) || src.swizzle != Swizzle::XYZW {
            write!(self.f, ".{:?}", src.swizzle)?;
        }
        self.f.write_str(if src.abs { "|" } else { "" })
    }

    /// Prints the lanes of a literal as numbers of type `ty`; an unknown literal by its id.
    pub(super) fn print_literal(&mut self, id: LiteralId, ty: Type) -> fmt::Result {
        match self.program.literals.get(id) {
            Some(&lanes) => self.print_literal_lanes(lanes, ty),
            None => write!(self.f, "{id}"),
        }
    }

    /// Prints `{x, y, z, w}`, or `{x}` if all lanes are equal.
    pub(super) fn print_literal_lanes(&mut self, lanes: [u64; 4], ty: Type) -> fmt::Result {
        let count = if lanes.iter().all(|&lane| lane == lanes[0]) {
            1
        } else {
            4
        };
        for (position, &lane) in lanes[..count].iter().enumerate() {
            self.f.write_str(if position == 0 { "{" } else { ", " })?;
            self.f.write_str(&format_literal_lane(lane, ty))?;
        }
        self.f.write_char('}')
    }

    /// Prints an index in brackets; nothing without an index, and only the id if the index is not
    /// in the table.
    pub(super) fn print_index(&mut self, id: Option<IndexId>) -> fmt::Result {
        let Some(id) = id else { return Ok(()) };
        let Some(&Index {
            element,
            len,
            vertex,
        }) = self.program.indices.get(id)
        else {
            return write!(self.f, "[{id}]");
        };
        self.f.write_char('[')?;
        self.print_index_term(element)?;
        write!(self.f, " of {len}")?;
        if let Some(vertex) = vertex {
            self.f.write_str(", vertex ")?;
            self.print_index_term(vertex)?;
        }
        self.f.write_char(']')
    }

    /// Prints an index term: a constant, or a register lane with an offset such as `r0.x+1`.
    pub(super) fn print_index_term(&mut self, term: IndexTerm) -> fmt::Result {
        let Some(relative) = term.relative else {
            return write!(self.f, "{}", term.offset);
        };
        self.print_lane(relative)?;
        if term.offset == 0 {
            Ok(())
        } else {
            write!(self.f, "{:+}", term.offset)
        }
    }

    /// Prints an element in brackets; nothing for `None`.
    pub(super) fn print_element(&mut self, element: Option<IndexTerm>) -> fmt::Result {
        let Some(element) = element else {
            return Ok(());
        };
        self.f.write_char('[')?;
        self.print_index_term(element)?;
        self.f.write_char(']')
    }
}

/// Access data.
impl Printer<'_, '_, '_> {
    /// Prints the access or conversion data of an instruction in parentheses; nothing without data,
    /// and only the id of data that is not in the table.
    pub(super) fn print_inst_data(&mut self, aux: InstData) -> fmt::Result {
        let program = self.program;
        match aux {
            InstData::None => Ok(()),
            InstData::Cvt {
                from,
                rounding,
                saturate,
            } => {
                let clamp = if saturate { " clamp" } else { "" };
                write!(
                    self.f,
                    " ({} {}{clamp})",
                    from.keyword(),
                    rounding.keyword()
                )
            }
            InstData::Tex(id) => match program.tex_accesses.get(id) {
                Some(access) => self.print_tex_access(access),
                None => write!(self.f, " ({id})"),
            },
            InstData::Mem(id) => match program.mem_accesses.get(id) {
                Some(access) => self.print_mem_access(access),
                None => write!(self.f, " ({id})"),
            },
            InstData::Image(id) => match program.image_accesses.get(id) {
                Some(access) => self.print_image_access(access),
                None => write!(self.f, " ({id})"),
            },
        }
    }

    /// Prints the data of a texture access. Lanes and reference are omitted if target and mode
    /// determine them, which requires that the texture is in the table.
    pub(super) fn print_tex_access(&mut self, access: &TexAccess) -> fmt::Result {
        write!(self.f, " ({}", access.texture)?;
        self.print_element(access.element)?;
        self.f.write_char(' ')?;
        self.print_tex_mode(access.mode)?;
        if access.has_min_lod {
            self.f.write_str(" min_lod")?;
        }
        match access.offset {
            TexelOffset::None => {}
            TexelOffset::Constant([x, y, z]) => write!(self.f, " offset {x} {y} {z}")?,
            TexelOffset::Dynamic => self.f.write_str(" offset dynamic")?,
        }
        let default_access = self
            .program
            .textures
            .get(access.texture)
            .map(|t| TexAccess::new(access.texture, t, access.mode));
        if default_access.is_none_or(|default| default.coordinate_lanes != access.coordinate_lanes)
        {
            write!(self.f, " lanes {}", access.coordinate_lanes)?;
        }
        if default_access.is_none_or(|default| default.has_reference != access.has_reference) {
            self.f.write_str(if access.has_reference {
                " reference"
            } else {
                " no_reference"
            })?;
        }
        self.f.write_char(')')
    }

    /// Prints the keyword of a texture access mode with its parameters.
    pub(super) fn print_tex_mode(&mut self, mode: TexMode) -> fmt::Result {
        match mode {
            TexMode::Implicit => self.f.write_str("implicit"),
            TexMode::Bias => self.f.write_str("bias"),
            TexMode::Lod => self.f.write_str("lod"),
            TexMode::Grad => self.f.write_str("grad"),
            TexMode::Fetch => self.f.write_str("fetch"),
            TexMode::FetchSample => self.f.write_str("fetch_sample"),
            TexMode::Gather(component) => write!(self.f, "gather[{component}]"),
            TexMode::GatherOffsets(component) => write!(self.f, "gather_offsets[{component}]"),
            TexMode::QuerySize => self.f.write_str("query_size"),
            TexMode::QueryLod => self.f.write_str("query_lod"),
            TexMode::QuerySamples => self.f.write_str("query_samples"),
        }
    }

    /// Prints the data of a memory access: space, element, number of components, offset unless it
    /// is 0, atomic operation and flags.
    pub(super) fn print_mem_access(&mut self, access: &MemAccess) -> fmt::Result {
        match access.space {
            MemorySpace::Global => self.f.write_str(" (global")?,
            MemorySpace::Buffer(id) => write!(self.f, " ({id}")?,
        }
        self.print_element(access.element)?;
        write!(self.f, " x{}", access.components)?;
        if access.offset != 0 {
            write!(self.f, " {:+}", access.offset)?;
        }
        self.print_access_flags(access.atomic, access.flags)
    }

    /// Prints atomic operation, flags and the closing parenthesis of a memory or image access.
    fn print_access_flags(&mut self, atomic: Option<AtomicOp>, flags: MemFlags) -> fmt::Result {
        if let Some(atomic) = atomic {
            write!(self.f, " {}", atomic.keyword())?;
        }
        for (flag, word) in [
            (MemFlags::COHERENT, " coherent"),
            (MemFlags::VOLATILE, " volatile"),
        ] {
            if flags.contains(flag) {
                self.f.write_str(word)?;
            }
        }
        self.f.write_char(')')
    }

    /// Prints the data of an image access: image, element, number of components, atomic operation
    /// and flags.
    pub(super) fn print_image_access(&mut self, access: &ImageAccess) -> fmt::Result {
        write!(self.f, " ({}", access.image)?;
        self.print_element(access.element)?;
        write!(self.f, " x{}", access.components)?;
        self.print_access_flags(access.atomic, access.flags)
    }

    /// Returns the image of an access, if both are in their tables.
    fn find_image(&self, id: ImageAccessId) -> Option<&Image> {
        let access = self.program.image_accesses.get(id)?;
        self.program.images.get(access.image)
    }
}

/// Returns a text that is parsed as the same bits: a decimal number for finite floats and small
/// integers, otherwise hexadecimal bits.
fn format_literal_lane(bits: u64, ty: Type) -> String {
    let low = bits as u32;
    let width = ty.width().bits().max(32);
    let exact = width == 64 || bits >> 32 == 0;
    match (ty, ty.base()) {
        (Type::F32, _) if exact && f32::from_bits(low).is_finite() => {
            format!("{:?}", f32::from_bits(low))
        }
        (Type::F64, _) if f64::from_bits(bits).is_finite() => format!("{:?}", f64::from_bits(bits)),
        (_, BaseType::Float) => format!("{bits:#x}"),
        (_, BaseType::UnsignedInt) if bits < 1 << 16 => bits.to_string(),
        (_, BaseType::SignedInt) => {
            let value = if width == 64 {
                bits as i64
            } else {
                i64::from(low as i32)
            };
            if exact && value.unsigned_abs() < 1 << 16 {
                value.to_string()
            } else {
                format!("{bits:#x}")
            }
        }
        (_, BaseType::UnsignedInt) => format!("{bits:#x}"),
    }
}
