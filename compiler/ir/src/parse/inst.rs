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
use crate::text::Word;
use crate::types::{Base as TypeBase, Type, Width};

/// Limit above the number of sources of any operation.
const MAX_SOURCES: usize = 16;

impl Parser<'_> {
    pub(super) fn inst(&mut self) -> Parse<()> {
        let dst = if self.at_register() {
            Some(self.dst()?)
        } else {
            None
        };
        let name = self.word("an operation")?;
        let Some(op) = Op::from_name(name) else {
            return self.wrong(format!("`{name}` is not an operation"));
        };
        self.expect('.')?;
        let ty = self.named("a type")?;
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
        while self.accept('.') {
            self.suffix(&mut inst)?;
        }
        inst.aux = self.aux(op)?;
        let mut sources = Vec::new();
        if !matches!(self.token, Token::LineEnd | Token::Span(_) | Token::End) {
            self.sources(&inst, &mut sources)?;
        }
        inst.span = self.line_end()?;
        self.builder.inst(inst, &sources);
        Ok(())
    }

    fn at_register(&self) -> bool {
        let Token::Word(word) = self.token else {
            return false;
        };
        split_id(word).is_some_and(|(prefix, _)| matches!(prefix, "r" | "cc"))
    }

    fn suffix(&mut self, inst: &mut Inst) -> Parse<()> {
        let word = self.word("`sat`, `ssat`, `satnan`, `ssatnan`, `precise` or `relaxed`")?;
        match (word, &mut inst.dst) {
            ("sat", Some(dst)) => dst.saturate = Saturate::Unsigned,
            ("ssat", Some(dst)) => dst.saturate = Saturate::Signed,
            ("satnan", Some(dst)) => dst.saturate = Saturate::UnsignedOrNan,
            ("ssatnan", Some(dst)) => dst.saturate = Saturate::SignedOrNan,
            ("precise", _) => inst.flags |= InstFlags::PRECISE,
            ("relaxed", _) => inst.flags |= InstFlags::RELAXED,
            _ => return self.wrong(format!("`{word}` is not a suffix here")),
        }
        Ok(())
    }

    fn register(&mut self) -> Parse<RegisterId> {
        let at = self.start;
        let word = self.word("a register")?;
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

    pub(super) fn lane(&mut self) -> Parse<(RegisterId, u8)> {
        let register = self.register()?;
        self.expect('.')?;
        let word = self.word("a lane")?;
        match (lane_number(word.as_bytes()[0]), word.len()) {
            (Some(lane), 1) => Ok((register, lane)),
            _ => self.wrong(format!("`{word}` is not a lane")),
        }
    }

    /// Parses `.xyzw`.
    pub(super) fn mask(&mut self) -> Parse<WriteMask> {
        self.expect('.')?;
        let word = self.word("a write mask")?;
        match write_mask(word) {
            Some(mask) => Ok(mask),
            None => self.wrong(format!("`{word}` is not a write mask")),
        }
    }

    fn dst(&mut self) -> Parse<Dst> {
        let register = self.register()?;
        let index = self.index()?;
        let mask = self.mask()?;
        let guard = if self.accept_word("if") {
            self.expect('(')?;
            Some(self.guard()?)
        } else {
            None
        };
        let cc = if self.accept(',') {
            Some(self.register()?)
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
    fn guard(&mut self) -> Parse<Guard> {
        let test = self.named::<CondTest>("a condition test")?;
        let cc = self.register()?;
        self.expect('.')?;
        let swizzle = self.swizzle()?;
        self.expect(')')?;
        Ok(Guard { cc, test, swizzle })
    }

    pub(super) fn cond(&mut self) -> Parse<Cond> {
        match self.word("`any` or `nonzero`")? {
            "any" => {
                self.expect('(')?;
                Ok(Cond::Any(self.guard()?))
            }
            "nonzero" => {
                self.expect('.')?;
                let ty = self.named("a type")?;
                let (register, lane) = self.lane()?;
                Ok(Cond::NonZero(register, lane, ty))
            }
            word => self.wrong(format!("`{word}` is not a condition")),
        }
    }

    fn swizzle(&mut self) -> Parse<Swizzle> {
        let word = self.word("a swizzle")?;
        let mut lanes = [0; 4];
        for (slot, &letter) in lanes.iter_mut().zip(word.as_bytes().iter().cycle()) {
            let Some(lane) = lane_number(letter) else {
                return self.wrong(format!("`{word}` is not a swizzle"));
            };
            *slot = lane;
        }
        match word.len() {
            1 | 4 => Ok(Swizzle::new(lanes)),
            _ => self.wrong("a swizzle has one or four letters"),
        }
    }

    fn sources(&mut self, inst: &Inst, sources: &mut Vec<Src>) -> Parse<()> {
        loop {
            let ty = source_type(&self.builder.program, inst, sources.len());
            let src = self.src(ty)?;
            sources.push(src);
            if !self.accept(',') {
                return Ok(());
            }
            if sources.len() == MAX_SOURCES {
                return self.error(format!("an instruction has at most {MAX_SOURCES} sources"));
            }
        }
    }

    fn src(&mut self, ty: Type) -> Parse<Src> {
        let negate = self.accept('-');
        let abs = self.accept('|');
        let base = self.base(ty)?;
        let index = self.index()?;
        let swizzle = if self.accept('.') {
            self.swizzle()?
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

    fn base(&mut self, ty: Type) -> Parse<Base> {
        if self.token == Token::Mark('{') {
            let lanes = self.literal_lanes(ty)?;
            return Ok(Base::Literal(self.builder.program.literals.push(lanes)));
        }
        let prefix = if let Token::Word(word) = self.token {
            split_id(word).map(|parts| parts.0)
        } else {
            None
        };
        match prefix {
            Some("r" | "cc") => self.register().map(Base::Register),
            Some("p") => self
                .declared("p", |program| &program.params)
                .map(Base::Param),
            Some("in") => self
                .declared("in", |program| &program.inputs)
                .map(Base::Input),
            Some("out") => self
                .declared("out", |program| &program.outputs)
                .map(Base::Output),
            _ => self.error("expected an operand"),
        }
    }

    /// Parses `{x}` or `{x, y, z, w}`.
    pub(super) fn literal_lanes(&mut self, ty: Type) -> Parse<[u64; 4]> {
        self.expect('{')?;
        let mut lanes = [0; 4];
        let mut count = 0;
        loop {
            let Some(lane) = lanes.get_mut(count) else {
                return self.error("a literal has at most four lanes");
            };
            *lane = self.literal_lane(ty)?;
            count += 1;
            if !self.accept(',') {
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
    fn literal_lane(&mut self, ty: Type) -> Parse<u64> {
        let negative = self.accept('-');
        let Token::Number(digits) = self.token else {
            return self.error("expected a number");
        };
        let bits = match digits.strip_prefix("0x") {
            Some(hex) if !negative => u64::from_str_radix(hex, 16).ok(),
            Some(_) => None,
            None => decimal_bits(digits, negative, ty),
        };
        let Some(bits) = bits else {
            return self.error(format!("this is not a number of type {}", ty.word()));
        };
        self.advance();
        Ok(bits)
    }

    fn index(&mut self) -> Parse<Option<IndexId>> {
        if !self.accept('[') {
            return Ok(None);
        }
        let element = self.index_term()?;
        self.expect_word("of")?;
        let len = self.number()?;
        let vertex = if self.accept(',') {
            self.expect_word("vertex")?;
            Some(self.index_term()?)
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

    fn index_term(&mut self) -> Parse<IndexTerm> {
        if !matches!(self.token, Token::Word(_)) {
            return Ok(IndexTerm::constant(self.signed()?));
        }
        let relative = Some(self.lane()?);
        Ok(IndexTerm {
            relative,
            offset: self.offset()?,
        })
    }

    /// Parses `+n`, `-n` or an empty offset.
    fn offset(&mut self) -> Parse<i32> {
        if self.accept('+') || self.token == Token::Mark('-') {
            self.signed()
        } else {
            Ok(0)
        }
    }

    fn element(&mut self) -> Parse<Option<IndexTerm>> {
        if !self.accept('[') {
            return Ok(None);
        }
        let term = self.index_term()?;
        self.expect(']')?;
        Ok(Some(term))
    }
}

/// Access data.
impl Parser<'_> {
    fn aux(&mut self, op: Op) -> Parse<Aux> {
        if !self.accept('(') {
            return Ok(Aux::None);
        }
        let aux = if op == Op::Cvt {
            self.cvt()?
        } else if op == Op::Tex || op == Op::Resident && self.is_texture_ahead() {
            self.tex_access()?
        } else if op.has(OpFlags::MEM) {
            self.mem_access()?
        } else if op.has(OpFlags::IMAGE) {
            self.image_access()?
        } else {
            return self.wrong(format!("`{}` has no access data", op.name()));
        };
        self.expect(')')?;
        Ok(aux)
    }

    fn cvt(&mut self) -> Parse<Aux> {
        let from = self.named("a type")?;
        let rounding = self.named("a rounding")?;
        Ok(Aux::Cvt {
            from,
            rounding,
            saturate: self.accept_word("clamp"),
        })
    }

    fn is_texture_ahead(&self) -> bool {
        matches!(self.token, Token::Word(word) if word.starts_with("tex"))
    }

    fn tex_access(&mut self) -> Parse<Aux> {
        let id = self.declared("tex", |program| &program.textures)?;
        let element = self.element()?;
        let mode = self.tex_mode()?;
        let mut access = TexAccess {
            element,
            ..TexAccess::new(id, &self.builder.program.textures[id], mode)
        };
        access.min_lod = self.accept_word("min_lod");
        if self.accept_word("offset") {
            access.offset = if self.accept_word("dynamic") {
                TexelOffset::Dynamic
            } else {
                TexelOffset::Constant([self.signed()?, self.signed()?, self.signed()?])
            };
        }
        if self.accept_word("lanes") {
            access.coordinate_lanes = self.number()?;
        }
        if self.accept_word("reference") {
            access.reference = true;
        } else if self.accept_word("no_reference") {
            access.reference = false;
        }
        Ok(Aux::Tex(self.builder.program.tex_accesses.push(access)))
    }

    fn tex_mode(&mut self) -> Parse<TexMode> {
        match self.word("a texture access mode")? {
            "implicit" => Ok(TexMode::Implicit),
            "bias" => Ok(TexMode::Bias),
            "lod" => Ok(TexMode::Lod),
            "grad" => Ok(TexMode::Grad),
            "fetch" => Ok(TexMode::Fetch),
            "fetch_sample" => Ok(TexMode::FetchSample),
            "gather" => Ok(TexMode::Gather(self.bracketed()?)),
            "gather_offsets" => Ok(TexMode::GatherOffsets(self.bracketed()?)),
            "query_size" => Ok(TexMode::QuerySize),
            "query_lod" => Ok(TexMode::QueryLod),
            "query_samples" => Ok(TexMode::QuerySamples),
            word => self.wrong(format!("`{word}` is not a texture access mode")),
        }
    }

    fn mem_access(&mut self) -> Parse<Aux> {
        let space = if self.accept_word("global") {
            MemSpace::Global
        } else {
            MemSpace::Buffer(self.declared("buf", |program| &program.buffers)?)
        };
        let element = self.element()?;
        let components = self.components()?;
        let offset = self.offset()?;
        let (atomic, flags) = self.access_end()?;
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

    fn components(&mut self) -> Parse<u8> {
        let components = self.word("the number of components")?;
        let components = components
            .strip_prefix('x')
            .and_then(|count| count.parse().ok());
        match components {
            Some(components) => Ok(components),
            None => self.wrong("expected a number of components such as `x4`"),
        }
    }

    /// Parses the operation of an atomic, and qualifiers.
    fn access_end(&mut self) -> Parse<(Option<AtomicOp>, MemFlags)> {
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

    fn image_access(&mut self) -> Parse<Aux> {
        let image = self.declared("img", |program| &program.images)?;
        let element = self.element()?;
        let components = self.components()?;
        let (atomic, flags) = self.access_end()?;
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

fn lane_number(letter: u8) -> Option<u8> {
    b"xyzw"
        .iter()
        .position(|&name| name == letter)
        .map(|lane| lane as u8)
}

/// Returns the lanes of a mask such as `xzw`, whose components must be in order.
fn write_mask(word: &str) -> Option<WriteMask> {
    let mut mask = 0;
    for &letter in word.as_bytes() {
        let lane = 1 << lane_number(letter)?;
        if mask >= lane {
            return None;
        }
        mask |= lane;
    }
    Some(WriteMask(mask))
}

/// Returns the bits of a decimal number; `None` for 16-bit floats, which have only the hexadecimal
/// form.
fn decimal_bits(digits: &str, negative: bool, ty: Type) -> Option<u64> {
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
            integer_bits(digits, negative, u64::MAX)
        }
        (TypeBase::Signed | TypeBase::Unsigned, Width::W8 | Width::W16 | Width::W32) => {
            integer_bits(digits, negative, u64::from(u32::MAX))
        }
    }
}

/// Returns the bits of an integer between half of `-mask` and `mask`.
fn integer_bits(digits: &str, negative: bool, mask: u64) -> Option<u64> {
    let magnitude: u64 = digits.parse().ok()?;
    if negative {
        (magnitude <= mask / 2 + 1).then_some(magnitude.wrapping_neg() & mask)
    } else {
        (magnitude <= mask).then_some(magnitude)
    }
}
