//! Instructions, operands and access data.

use std::fmt::{self, Write};

use super::Printer;
use crate::arena::Id;
use crate::image::{Image, ImageAccess};
use crate::inst::{
    Aux, Base, Dst, Guard, ImageAccessId, Index, IndexId, IndexTerm, Inst, InstFlags, LiteralId,
    Src, Swizzle, result_type, source_type,
};
use crate::program::{Register, RegisterId, Storage};
use crate::resource::{AtomicOp, MemAccess, MemFlags, MemSpace, TexAccess, TexMode, TexelOffset};
use crate::text_keywords::Word;
use crate::types::{Base as TypeBase, Type};

impl Printer<'_, '_, '_> {
    pub(super) fn print_inst(&mut self, inst: &Inst) -> fmt::Result {
        if let Some(dst) = inst.dst {
            self.print_dst(&dst)?;
        }
        write!(self.f, "{}.{}", inst.op.name(), inst.ty.word())?;
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
        self.print_aux(inst.aux)?;
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

    /// Returns the type that determines the form of literals.
    pub(super) fn find_source_type(&self, inst: &Inst, number: usize) -> Type {
        let known = match inst.aux {
            Aux::None | Aux::Cvt { .. } => true,
            Aux::Tex(id) => self.program.tex_accesses.get(id).is_some(),
            Aux::Mem(id) => self.program.mem_accesses.get(id).is_some(),
            Aux::Image(id) => self.find_image(id).is_some(),
        };
        if known {
            source_type(self.program, inst, number)
        } else {
            result_type(inst)
        }
    }

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

    /// Prints `cc` and the id for condition codes, otherwise `r` and the id.
    pub(super) fn print_register(&mut self, id: RegisterId) -> fmt::Result {
        match self.program.registers.get(id) {
            Some(Register {
                storage: Storage::Cond,
                ..
            }) => write!(self.f, "cc{}", id.index()),
            _ => write!(self.f, "{id}"),
        }
    }

    pub(super) fn print_lane(&mut self, (register, lane): (RegisterId, u8)) -> fmt::Result {
        self.print_register(register)?;
        write!(
            self.f,
            ".{}",
            ["x", "y", "z", "w"].get(usize::from(lane)).unwrap_or(&"?")
        )
    }

    pub(super) fn print_guard(&mut self, guard: Guard) -> fmt::Result {
        write!(self.f, "{} ", guard.test.word())?;
        self.print_register(guard.cc)?;
        write!(self.f, ".{:?}", guard.swizzle)
    }

    pub(super) fn print_src(&mut self, src: &Src, ty: Type) -> fmt::Result {
        self.f.write_str(if src.negate { "-" } else { "" })?;
        self.f.write_str(if src.abs { "|" } else { "" })?;
        match src.base {
            Base::Register(id) => self.print_register(id)?,
            Base::Param(id) => write!(self.f, "{id}")?,
            Base::Input(id) => write!(self.f, "{id}")?,
            Base::Output(id) => write!(self.f, "{id}")?,
            Base::Literal(id) => self.print_literal(id, ty)?,
        }
        self.print_index(src.index)?;
        if !matches!(src.base, Base::Literal(_)) || src.swizzle != Swizzle::XYZW {
            write!(self.f, ".{:?}", src.swizzle)?;
        }
        self.f.write_str(if src.abs { "|" } else { "" })
    }

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
    pub(super) fn print_aux(&mut self, aux: Aux) -> fmt::Result {
        let program = self.program;
        match aux {
            Aux::None => Ok(()),
            Aux::Cvt {
                from,
                rounding,
                saturate,
            } => {
                let clamp = if saturate { " clamp" } else { "" };
                write!(self.f, " ({} {}{clamp})", from.word(), rounding.word())
            }
            Aux::Tex(id) => match program.tex_accesses.get(id) {
                Some(access) => self.print_tex_access(access),
                None => write!(self.f, " ({id})"),
            },
            Aux::Mem(id) => match program.mem_accesses.get(id) {
                Some(access) => self.print_mem_access(access),
                None => write!(self.f, " ({id})"),
            },
            Aux::Image(id) => match program.image_accesses.get(id) {
                Some(access) => self.print_image_access(access),
                None => write!(self.f, " ({id})"),
            },
        }
    }

    pub(super) fn print_tex_access(&mut self, access: &TexAccess) -> fmt::Result {
        write!(self.f, " ({}", access.texture)?;
        self.print_element(access.element)?;
        self.f.write_char(' ')?;
        self.print_tex_mode(access.mode)?;
        if access.min_lod {
            self.f.write_str(" min_lod")?;
        }
        match access.offset {
            TexelOffset::None => {}
            TexelOffset::Constant([x, y, z]) => write!(self.f, " offset {x} {y} {z}")?,
            TexelOffset::Dynamic => self.f.write_str(" offset dynamic")?,
        }
        let usual = self
            .program
            .textures
            .get(access.texture)
            .map(|t| TexAccess::new(access.texture, t, access.mode));
        if usual.is_none_or(|usual| usual.coordinate_lanes != access.coordinate_lanes) {
            write!(self.f, " lanes {}", access.coordinate_lanes)?;
        }
        if usual.is_none_or(|usual| usual.reference != access.reference) {
            self.f.write_str(if access.reference {
                " reference"
            } else {
                " no_reference"
            })?;
        }
        self.f.write_char(')')
    }

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

    pub(super) fn print_mem_access(&mut self, access: &MemAccess) -> fmt::Result {
        match access.space {
            MemSpace::Global => self.f.write_str(" (global")?,
            MemSpace::Buffer(id) => write!(self.f, " ({id}")?,
        }
        self.print_element(access.element)?;
        write!(self.f, " x{}", access.components)?;
        if access.offset != 0 {
            write!(self.f, " {:+}", access.offset)?;
        }
        self.print_access_end(access.atomic, access.flags)
    }

    fn print_access_end(&mut self, atomic: Option<AtomicOp>, flags: MemFlags) -> fmt::Result {
        if let Some(atomic) = atomic {
            write!(self.f, " {}", atomic.word())?;
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

    pub(super) fn print_image_access(&mut self, access: &ImageAccess) -> fmt::Result {
        write!(self.f, " ({}", access.image)?;
        self.print_element(access.element)?;
        write!(self.f, " x{}", access.components)?;
        self.print_access_end(access.atomic, access.flags)
    }

    /// Returns the image of an access, if both are in their tables.
    fn find_image(&self, id: ImageAccessId) -> Option<&Image> {
        let access = self.program.image_accesses.get(id)?;
        self.program.images.get(access.image)
    }
}

/// Returns a text that is parsed as the same bits: a decimal number if that is exact and short,
/// otherwise hexadecimal bits.
fn format_literal_lane(bits: u64, ty: Type) -> String {
    let low = bits as u32;
    let width = ty.width().bits().max(32);
    let exact = width == 64 || bits >> 32 == 0;
    match (ty, ty.base()) {
        (Type::F32, _) if exact && f32::from_bits(low).is_finite() => {
            format!("{:?}", f32::from_bits(low))
        }
        (Type::F64, _) if f64::from_bits(bits).is_finite() => format!("{:?}", f64::from_bits(bits)),
        (_, TypeBase::Float) => format!("{bits:#x}"),
        (_, TypeBase::Unsigned) if bits < 1 << 16 => bits.to_string(),
        (_, TypeBase::Signed) => {
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
        (_, TypeBase::Unsigned) => format!("{bits:#x}"),
    }
}
