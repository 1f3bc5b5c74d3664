//! Instructions and operands.

use super::lex::Token;
use super::{Error, Parse, Parser, split_id};
use crate::arena::Id;
use crate::image::ImageAccess;
use crate::inst::{
    Aux, Base, Cond, CondTest, Dst, Guard, Index, IndexId, IndexTerm, Inst, InstFlags, Saturate,
    Src, Swizzle, WriteMask, source_type,
};
use crate::op::{Op, OpFlags};
use crate::program::{RegisterId, Storage};
use crate::resource::{AtomicOp, MemAccess, MemFlags, MemSpace, TexAccess, TexMode, TexelOffset};
use crate::span::Span;
use crate::text_keywords::Word;
use crate::types::{Base as TypeBase, Type, Width};

/// Limit above the number of sources of any operation.
const MAX_SOURCES: usize = 16;

impl Parser<'_> {
    pub(super) fn parse_inst(&mut self) -> Parse<()> {
        let dst = if self.is_at_register() {
            Some(self.parse_dst()?)
        } else {
            None
        };
        let name = self.parse_word("an operation")?;
        let Some(op) = Op::from_name(name) else {
            return self.error_at_last(format!("`{name}` is not an operation"));
        };
        self.expect('.')?;
        let ty = self.parse_named("a type")?;
        let span = Span::default();
        let flags = InstFlags::empty();
        let mut inst = Inst {
            op,
            ty,
            flags,
            source_count: 0,
            first_source: 0,
            dst,
            aux: Aux::None,
            span,
        };
        while self.eat('.') {
            self.parse_suffix(&mut inst)?;
        }
        inst.aux = self.parse_aux(op)?;
        let mut sources = Vec::new();
        if !matches!(self.token, Token::LineEnd | Token::Span(_) | Token::End) {
            self.parse_sources(&inst, &mut sources)?;
        }
        inst.span = self.parse_line_end()?;
        self.builder.inst(inst, &sources);
        Ok(())
    }

    fn is_at_register(&self) -> bool {
        let Token::Word(word) = self.token else {
            return false;
        };
        split_id(word).is_some_and(|(prefix, _)| matches!(prefix, "r" | "cc"))
    }

    fn parse_suffix(&mut self, inst: &mut Inst) -> Parse<()> {
        let word = self.parse_word("`sat`, `ssat`, `satnan`, `ssatnan`, `precise` or `relaxed`")?;
        match (word, &mut inst.dst) {
            ("sat", Some(dst)) => dst.saturate = Saturate::Unsigned,
            ("ssat", Some(dst)) => dst.saturate = Saturate::Signed,
            ("satnan", Some(dst)) => dst.saturate = Saturate::UnsignedOrNan,
            ("ssatnan", Some(dst)) => dst.saturate = Saturate::SignedOrNan,
            ("precise", _) => inst.flags |= InstFlags::PRECISE,
            ("relaxed", _) => inst.flags |= InstFlags::RELAXED,
            _ => return self.error_at_last(format!("`{word}` is not a suffix here")),
        }
        Ok(())
    }

    fn parse_register(&mut self) -> Parse<RegisterId> {
        let at = self.start;
        let word = self.parse_word("a register")?;
        let error = |message: String| Err(Error { at, message });
        let Some((prefix @ ("r" | "cc"), number)) = split_id(word) else {
            return error(format!("`{word}` is not a register"));
        };
        let id = RegisterId::new(number);
        match self.builder.program.registers.get(id) {
            None => error(format!("{word} is not declared")),
            Some(register) if (register.storage == Storage::Cond) != (prefix == "cc") => {
                error(format!("{word} is declared as another kind of register"))
            }
            Some(_) => Ok(id),
        }
    }

    pub(super) fn parse_lane(&mut self) -> Parse<(RegisterId, u8)> {
        let register = self.parse_register()?;
        self.expect('.')?;
        let word = self.parse_word("a lane")?;
        match (parse_lane_letter(word.as_bytes()[0]), word.len()) {
            (Some(lane), 1) => Ok((register, lane)),
            _ => self.error_at_last(format!("`{word}` is not a lane")),
        }
    }

    /// Parses `.xyzw`.
    pub(super) fn parse_mask(&mut self) -> Parse<WriteMask> {
        self.expect('.')?;
        let word = self.parse_word("a write mask")?;
        match parse_write_mask(word) {
            Some(mask) => Ok(mask),
            None => self.error_at_last(format!("`{word}` is not a write mask")),
        }
    }

    fn parse_dst(&mut self) -> Parse<Dst> {
        let register = self.parse_register()?;
        let index = self.parse_index()?;
        let mask = self.parse_mask()?;
        let guard = if self.eat_word("if") {
            self.expect('(')?;
            Some(self.parse_guard()?)
        } else {
            None
        };
        let cc = if self.eat(',') {
            Some(self.parse_register()?)
        } else {
            None
        };
        self.expect('=')?;
        Ok(Dst {
            index,
            guard,
            cc,
            ..Dst::new(register, mask)
        })
    }

    /// Parses a guard and the closing parenthesis.
    fn parse_guard(&mut self) -> Parse<Guard> {
        let test = self.parse_named::<CondTest>("a condition test")?;
        let cc = self.parse_register()?;
        self.expect('.')?;
        let swizzle = self.parse_swizzle()?;
        self.expect(')')?;
        Ok(Guard { cc, test, swizzle })
    }

    pub(super) fn parse_cond(&mut self) -> Parse<Cond> {
        match self.parse_word("`any` or `nonzero`")? {
            "any" => {
                self.expect('(')?;
                Ok(Cond::Any(self.parse_guard()?))
            }
            "nonzero" => {
                self.expect('.')?;
                let ty = self.parse_named("a type")?;
                let (register, lane) = self.parse_lane()?;
                Ok(Cond::NonZero(register, lane, ty))
            }
            word => self.error_at_last(format!("`{word}` is not a condition")),
        }
    }

    fn parse_swizzle(&mut self) -> Parse<Swizzle> {
        let word = self.parse_word("a swizzle")?;
        let mut lanes = [0; 4];
        for (slot, &letter) in lanes.iter_mut().zip(word.as_bytes().iter().cycle()) {
            let Some(lane) = parse_lane_letter(letter) else {
                return self.error_at_last(format!("`{word}` is not a swizzle"));
            };
            *slot = lane;
        }
        match word.len() {
            1 | 4 => Ok(Swizzle::new(lanes)),
            _ => self.error_at_last("a swizzle has one or four letters"),
        }
    }

    fn parse_sources(&mut self, inst: &Inst, sources: &mut Vec<Src>) -> Parse<()> {
        loop {
            let ty = source_type(&self.builder.program, inst, sources.len());
            let src = self.parse_src(ty)?;
            sources.push(src);
            if !self.eat(',') {
                return Ok(());
            }
            if sources.len() == MAX_SOURCES {
                return self.error(format!("an instruction has at most {MAX_SOURCES} sources"));
            }
        }
    }

    fn parse_src(&mut self, ty: Type) -> Parse<Src> {
        let negate = self.eat('-');
        let abs = self.eat('|');
        let base = self.parse_base(ty)?;
        let index = self.parse_index()?;
        let swizzle = if self.eat('.') {
            self.parse_swizzle()?
        } else {
            Swizzle::XYZW
        };
        if abs {
            self.expect('|')?;
        }
        Ok(Src {
            base,
            index,
            swizzle,
            abs,
            negate,
        })
    }

    fn parse_base(&mut self, ty: Type) -> Parse<Base> {
        if self.token == Token::Mark('{') {
            let lanes = self.parse_literal_lanes(ty)?;
            return Ok(Base::Literal(self.builder.program.literals.push(lanes)));
        }
        let prefix = if let Token::Word(word) = self.token {
            split_id(word).map(|parts| parts.0)
        } else {
            None
        };
        match prefix {
            Some("r" | "cc") => self.parse_register().map(Base::Register),
            Some("p") => self
                .parse_declared_id("p", |program| &program.params)
                .map(Base::Param),
            Some("in") => self
                .parse_declared_id("in", |program| &program.inputs)
                .map(Base::Input),
            Some("out") => self
                .parse_declared_id("out", |program| &program.outputs)
                .map(Base::Output),
            _ => self.error("expected an operand"),
        }
    }

    /// Parses `{x}` or `{x, y, z, w}`.
    pub(super) fn parse_literal_lanes(&mut self, ty: Type) -> Parse<[u64; 4]> {
        self.expect('{')?;
        let mut lanes = [0; 4];
        let mut count = 0;
        loop {
            let Some(lane) = lanes.get_mut(count) else {
                return self.error("a literal has at most four lanes");
            };
            *lane = self.parse_literal_lane(ty)?;
            count += 1;
            if !self.eat(',') {
                break;
            }
        }
        self.expect('}')?;
        match count {
            1 => Ok([lanes[0]; 4]),
            4 => Ok(lanes),
            _ => self.error("a literal has one or four lanes"),
        }
    }

    /// Parses a decimal number of the type, or hexadecimal bits.
    fn parse_literal_lane(&mut self, ty: Type) -> Parse<u64> {
        let negative = self.eat('-');
        let Token::Number(digits) = self.token else {
            return self.error("expected a number");
        };
        let bits = match digits.strip_prefix("0x") {
            Some(hex) if !negative => u64::from_str_radix(hex, 16).ok(),
            Some(_) => None,
            None => parse_decimal_bits(digits, negative, ty),
        };
        let Some(bits) = bits else {
            return self.error(format!("this is not a number of type {}", ty.word()));
        };
        self.advance();
        Ok(bits)
    }

    fn parse_index(&mut self) -> Parse<Option<IndexId>> {
        if !self.eat('[') {
            return Ok(None);
        }
        let element = self.parse_index_term()?;
        self.expect_word("of")?;
        let len = self.parse_number()?;
        let vertex = if self.eat(',') {
            self.expect_word("vertex")?;
            Some(self.parse_index_term()?)
        } else {
            None
        };
        self.expect(']')?;
        Ok(Some(self.builder.program.indices.push(Index {
            element,
            len,
            vertex,
        })))
    }

    fn parse_index_term(&mut self) -> Parse<IndexTerm> {
        if !matches!(self.token, Token::Word(_)) {
            return Ok(IndexTerm::constant(self.parse_signed()?));
        }
        let relative = Some(self.parse_lane()?);
        Ok(IndexTerm {
            relative,
            offset: self.parse_offset()?,
        })
    }

    /// Parses `+n`, `-n` or an empty offset.
    fn parse_offset(&mut self) -> Parse<i32> {
        if self.eat('+') || self.token == Token::Mark('-') {
            self.parse_signed()
        } else {
            Ok(0)
        }
    }

    fn parse_element(&mut self) -> Parse<Option<IndexTerm>> {
        if !self.eat('[') {
            return Ok(None);
        }
        let term = self.parse_index_term()?;
        self.expect(']')?;
        Ok(Some(term))
    }
}

/// Access data.
impl Parser<'_> {
    fn parse_aux(&mut self, op: Op) -> Parse<Aux> {
        if !self.eat('(') {
            return Ok(Aux::None);
        }
        let aux = if op == Op::Cvt {
            self.parse_cvt()?
        } else if op == Op::Tex || op == Op::Resident && self.is_texture_next() {
            self.parse_tex_access()?
        } else if op.has(OpFlags::MEM) {
            self.parse_mem_access()?
        } else if op.has(OpFlags::IMAGE) {
            self.parse_image_access()?
        } else {
            return self.error_at_last(format!("`{}` has no access data", op.name()));
        };
        self.expect(')')?;
        Ok(aux)
    }

    fn parse_cvt(&mut self) -> Parse<Aux> {
        let from = self.parse_named("a type")?;
        let rounding = self.parse_named("a rounding")?;
        Ok(Aux::Cvt {
            from,
            rounding,
            saturate: self.eat_word("clamp"),
        })
    }

    fn is_texture_next(&self) -> bool {
        matches!(self.token, Token::Word(word) if word.starts_with("tex"))
    }

    fn parse_tex_access(&mut self) -> Parse<Aux> {
        let id = self.parse_declared_id("tex", |program| &program.textures)?;
        let element = self.parse_element()?;
        let mode = self.parse_tex_mode()?;
        let mut access = TexAccess {
            element,
            ..TexAccess::new(id, &self.builder.program.textures[id], mode)
        };
        access.min_lod = self.eat_word("min_lod");
        if self.eat_word("offset") {
            access.offset = if self.eat_word("dynamic") {
                TexelOffset::Dynamic
            } else {
                TexelOffset::Constant([
                    self.parse_signed()?,
                    self.parse_signed()?,
                    self.parse_signed()?,
                ])
            };
        }
        if self.eat_word("lanes") {
            access.coordinate_lanes = self.parse_number()?;
        }
        if self.eat_word("reference") {
            access.reference = true;
        } else if self.eat_word("no_reference") {
            access.reference = false;
        }
        Ok(Aux::Tex(self.builder.program.tex_accesses.push(access)))
    }

    fn parse_tex_mode(&mut self) -> Parse<TexMode> {
        match self.parse_word("a texture access mode")? {
            "implicit" => Ok(TexMode::Implicit),
            "bias" => Ok(TexMode::Bias),
            "lod" => Ok(TexMode::Lod),
            "grad" => Ok(TexMode::Grad),
            "fetch" => Ok(TexMode::Fetch),
            "fetch_sample" => Ok(TexMode::FetchSample),
            "gather" => Ok(TexMode::Gather(self.parse_bracketed()?)),
            "gather_offsets" => Ok(TexMode::GatherOffsets(self.parse_bracketed()?)),
            "query_size" => Ok(TexMode::QuerySize),
            "query_lod" => Ok(TexMode::QueryLod),
            "query_samples" => Ok(TexMode::QuerySamples),
            word => self.error_at_last(format!("`{word}` is not a texture access mode")),
        }
    }

    fn parse_mem_access(&mut self) -> Parse<Aux> {
        let space = if self.eat_word("global") {
            MemSpace::Global
        } else {
            MemSpace::Buffer(self.parse_declared_id("buf", |program| &program.buffers)?)
        };
        let element = self.parse_element()?;
        let components = self.parse_components()?;
        let offset = self.parse_offset()?;
        let (atomic, flags) = self.parse_access_end()?;
        let access = MemAccess {
            space,
            element,
            components,
            offset,
            atomic,
            flags,
        };
        Ok(Aux::Mem(self.builder.program.mem_accesses.push(access)))
    }

    fn parse_components(&mut self) -> Parse<u8> {
        let components = self.parse_word("the number of components")?;
        let components = components
            .strip_prefix('x')
            .and_then(|count| count.parse().ok());
        match components {
            Some(components) => Ok(components),
            None => self.error_at_last("expected a number of components such as `x4`"),
        }
    }

    /// Parses the operation of an atomic, and qualifiers.
    fn parse_access_end(&mut self) -> Parse<(Option<AtomicOp>, MemFlags)> {
        let (mut atomic, mut flags) = (None, MemFlags::empty());
        while let Token::Word(word) = self.token {
            match (word, AtomicOp::from_word(word)) {
                ("coherent", _) => flags |= MemFlags::COHERENT,
                ("volatile", _) => flags |= MemFlags::VOLATILE,
                (_, Some(op)) if atomic.is_none() => atomic = Some(op),
                _ => return self.error(format!("`{word}` is no property of an access")),
            }
            self.advance();
        }
        Ok((atomic, flags))
    }

    fn parse_image_access(&mut self) -> Parse<Aux> {
        let image = self.parse_declared_id("img", |program| &program.images)?;
        let element = self.parse_element()?;
        let components = self.parse_components()?;
        let (atomic, flags) = self.parse_access_end()?;
        let access = ImageAccess {
            image,
            element,
            components,
            atomic,
            flags,
        };
        Ok(Aux::Image(self.builder.program.image_accesses.push(access)))
    }
}

fn parse_lane_letter(letter: u8) -> Option<u8> {
    b"xyzw"
        .iter()
        .position(|&name| name == letter)
        .map(|lane| lane as u8)
}

/// Returns the lanes of a mask such as `xzw`, whose components must be in order.
fn parse_write_mask(word: &str) -> Option<WriteMask> {
    let mut mask = 0;
    for &letter in word.as_bytes() {
        let lane = 1 << parse_lane_letter(letter)?;
        if mask >= lane {
            return None;
        }
        mask |= lane;
    }
    Some(WriteMask(mask))
}

/// Returns the bits of a decimal number; `None` for 16-bit floats, which have only the hexadecimal
/// form.
fn parse_decimal_bits(digits: &str, negative: bool, ty: Type) -> Option<u64> {
    if digits
        .bytes()
        .any(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
    {
        return None;
    }
    let sign = u64::from(negative);
    match (ty.base(), ty.width()) {
        (TypeBase::Float, Width::W64) => Some(digits.parse::<f64>().ok()?.to_bits() | sign << 63),
        (TypeBase::Float, Width::W32) => {
            Some(u64::from(digits.parse::<f32>().ok()?.to_bits()) | sign << 31)
        }
        (TypeBase::Float, Width::W8 | Width::W16) => None,
        (TypeBase::Signed | TypeBase::Unsigned, Width::W64) => {
            parse_integer_bits(digits, negative, u64::MAX)
        }
        (TypeBase::Signed | TypeBase::Unsigned, Width::W8 | Width::W16 | Width::W32) => {
            parse_integer_bits(digits, negative, u64::from(u32::MAX))
        }
    }
}

/// Returns the bits of an integer between half of `-mask` and `mask`.
fn parse_integer_bits(digits: &str, negative: bool, mask: u64) -> Option<u64> {
    let magnitude: u64 = digits.parse().ok()?;
    if negative {
        (magnitude <= mask / 2 + 1).then_some(magnitude.wrapping_neg() & mask)
    } else {
        (magnitude <= mask).then_some(magnitude)
    }
}
