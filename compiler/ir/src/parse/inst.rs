//! Instructions and operands.

use super::lexer::Token;
use super::{OffsetError, ParseResult, Parser, split_id};
use crate::arena::Id;
use crate::image::ImageAccess;
use crate::inst::{
    Cond, CondTest, Dst, Guard, Index, IndexId, IndexTerm, Inst, InstData, InstFlags, OperandBase,
    Saturate, Src, Swizzle, WriteMask, get_source_type,
};
use crate::op::{Op, OpFlags};
use crate::program::{RegisterId, Storage};
use crate::resource::{
    AtomicOp, MemAccess, MemFlags, MemorySpace, TexAccess, TexMode, TexelOffset,
};
use crate::span::Span;
use crate::text_keywords::Keyword;
use crate::types::{BaseType, Type, Width};

/// Limit above the number of sources of any operation.
const MAX_SOURCES: usize = 16;

impl Parser<'_> {
    /// Parses an instruction up to the end of its line: destination, operation, type, suffixes,
    /// access data, sources and span. Appends it to the open block.
    pub(super) fn parse_inst(&mut self) -> ParseResult<()> {
        let dst = if self.is_at_register() {
            Some(self.parse_dst()?)
        } else {
            None
        };
        let name = self.parse_identifier("an operation")?;
        let Some(op) = Op::from_name(name) else {
            return self.err_at_previous(format!("`{name}` is not an operation"));
        };
        self.expect_punctuation('.')?;
        let ty = self.parse_keyword("a type")?;
        let span = Span::default();
        let flags = InstFlags::empty();
        let mut inst = Inst {
            op,
            ty,
            flags,
            source_count: 0,
            first_source: 0,
            dst,
            data: InstData::None,
            span,
        };
        while self.eat_punctuation('.') {
            self.parse_inst_suffix(&mut inst)?;
        }
        inst.data = self.parse_inst_data(op)?;
        let mut sources = Vec::new();
        if !matches!(self.token, Token::LineEnd | Token::Span(_) | Token::End) {
            self.parse_sources(&inst, &mut sources)?;
        }
        inst.span = self.parse_line_end()?;
        self.builder.push_inst(inst, &sources);
        Ok(())
    }

    /// Returns true if the next token is the id of a register, such as `r0` or `cc0`.
    fn is_at_register(&self) -> bool {
        let Token::Identifier(word) = self.token else {
            return false;
        };
        split_id(word).is_some_and(|(prefix, _)| matches!(prefix, "r" | "cc"))
    }

    /// Parses a suffix of an instruction, a clamp or a precision, and applies it. A clamp requires
    /// a destination.
    fn parse_inst_suffix(&mut self, inst: &mut Inst) -> ParseResult<()> {
        let word =
            self.parse_identifier("`sat`, `ssat`, `satnan`, `ssatnan`, `precise` or `relaxed`")?;
        match (word, &mut inst.dst) {
            ("sat", Some(dst)) => dst.saturate = Saturate::Unsigned,
            ("ssat", Some(dst)) => dst.saturate = Saturate::Signed,
            ("satnan", Some(dst)) => dst.saturate = Saturate::UnsignedOrNan,
            ("ssatnan", Some(dst)) => dst.saturate = Saturate::SignedOrNan,
            ("precise", _) => inst.flags |= InstFlags::PRECISE,
            ("relaxed", _) => inst.flags |= InstFlags::RELAXED,
            _ => return self.err_at_previous(format!("`{word}` is not a suffix here")),
        }
        Ok(())
    }

    /// Parses the name of a declared register, `rN` or `ccN`. Returns an error if it is not
    /// declared or has the other prefix.
    fn parse_register(&mut self) -> ParseResult<RegisterId> {
        let at = self.token_start;
        let word = self.parse_identifier("a register")?;
        let error = |message: String| {
            Err(OffsetError {
                offset: at,
                message,
            })
        };
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

    /// Parses one lane of a register, such as `r0.x`, and returns the lane as 0 to 3.
    pub(super) fn parse_lane(&mut self) -> ParseResult<(RegisterId, u8)> {
        let register = self.parse_register()?;
        self.expect_punctuation('.')?;
        let word = self.parse_identifier("a lane")?;
        match (parse_lane_letter(word.as_bytes()[0]), word.len()) {
            (Some(lane), 1) => Ok((register, lane)),
            _ => self.err_at_previous(format!("`{word}` is not a lane")),
        }
    }

    /// Parses a write mask such as `.xz`.
    pub(super) fn parse_mask(&mut self) -> ParseResult<WriteMask> {
        self.expect_punctuation('.')?;
        let word = self.parse_identifier("a write mask")?;
        match parse_write_mask(word) {
            Some(mask) => Ok(mask),
            None => self.err_at_previous(format!("`{word}` is not a write mask")),
        }
    }

    /// Parses a destination with its index, write mask, guard and condition code, up to `=`.
    fn parse_dst(&mut self) -> ParseResult<Dst> {
        let register = self.parse_register()?;
        let index = self.parse_index()?;
        let mask = self.parse_mask()?;
        let guard = if self.eat_keyword("if") {
            self.expect_punctuation('(')?;
            Some(self.parse_guard()?)
        } else {
            None
        };
        let cc = if self.eat_punctuation(',') {
            Some(self.parse_register()?)
        } else {
            None
        };
        self.expect_punctuation('=')?;
        Ok(Dst {
            index,
            guard,
            cc,
            ..Dst::new(register, mask)
        })
    }

    /// Parses a guard, which is test, condition-code register and swizzle, and the closing
    /// parenthesis. The opening parenthesis has been parsed.
    fn parse_guard(&mut self) -> ParseResult<Guard> {
        let test = self.parse_keyword::<CondTest>("a condition test")?;
        let cc = self.parse_register()?;
        self.expect_punctuation('.')?;
        let swizzle = self.parse_swizzle()?;
        self.expect_punctuation(')')?;
        Ok(Guard { cc, test, swizzle })
    }

    /// Parses the condition of a branch: `any` of a guard, or `nonzero` for a lane of a type.
    pub(super) fn parse_cond(&mut self) -> ParseResult<Cond> {
        match self.parse_identifier("`any` or `nonzero`")? {
            "any" => {
                self.expect_punctuation('(')?;
                Ok(Cond::Any(self.parse_guard()?))
            }
            "nonzero" => {
                self.expect_punctuation('.')?;
                let ty = self.parse_keyword("a type")?;
                let (register, lane) = self.parse_lane()?;
                Ok(Cond::NonZero(register, lane, ty))
            }
            word => self.err_at_previous(format!("`{word}` is not a condition")),
        }
    }

    /// Parses a swizzle of one component, which is repeated, or of four components. Returns an
    /// error for other lengths and characters.
    fn parse_swizzle(&mut self) -> ParseResult<Swizzle> {
        let word = self.parse_identifier("a swizzle")?;
        let mut lanes = [0; 4];
        for (slot, &letter) in lanes.iter_mut().zip(word.as_bytes().iter().cycle()) {
            let Some(lane) = parse_lane_letter(letter) else {
                return self.err_at_previous(format!("`{word}` is not a swizzle"));
            };
            *slot = lane;
        }
        match word.len() {
            1 | 4 => Ok(Swizzle::new(lanes)),
            _ => self.err_at_previous("a swizzle has one or four letters"),
        }
    }

    /// Parses one or more sources, separated by commas, each with its type, and appends them to
    /// `sources`. Returns an error for more than `MAX_SOURCES`.
    fn parse_sources(&mut self, inst: &Inst, sources: &mut Vec<Src>) -> ParseResult<()> {
        loop {
            let ty = get_source_type(&self.builder.program, inst, sources.len());
            let src = self.parse_src(ty)?;
            sources.push(src);
            if !self.eat_punctuation(',') {
                return Ok(());
            }
            if sources.len() == MAX_SOURCES {
                return self
                    .err_at_next(format!("an instruction has at most {MAX_SOURCES} sources"));
            }
        }
    }

    /// Parses a source with its modifiers, index and swizzle, which is the identity if it is
    /// omitted. `ty` is the type of literals.
    fn parse_src(&mut self, ty: Type) -> ParseResult<Src> {
        let negate = self.eat_punctuation('-');
        let abs = self.eat_punctuation('|');
        let base = self.parse_base(ty)?;
        let index = self.parse_index()?;
        let swizzle = if self.eat_punctuation('.') {
            self.parse_swizzle()?
        } else {
            Swizzle::XYZW
        };
        if abs {
            self.expect_punctuation('|')?;
        }
        Ok(Src {
            base,
            index,
            swizzle,
            abs,
            negate,
        })
    }

    /// Parses the base of a source: a literal vector of type `ty`, which is added to the program,
    /// or a declared register, parameter, input or output.
    fn parse_base(&mut self, ty: Type) -> ParseResult<OperandBase> {
        if self.token == Token::Punctuation('{') {
            let lanes = self.parse_literal_lanes(ty)?;
            return Ok(OperandBase::Literal(
                self.builder.program.literals.push(lanes),
            ));
        }
        let prefix = if let Token::Identifier(word) = self.token {
            split_id(word).map(|parts| parts.0)
        } else {
            None
        };
        match prefix {
            Some("r" | "cc") => self.parse_register().map(OperandBase::Register),
            Some("p") => self
                .parse_declared_id("p", |program| &program.params)
                .map(OperandBase::Param),
            Some("in") => self
                .parse_declared_id("in", |program| &program.inputs)
                .map(OperandBase::Input),
            Some("out") => self
                .parse_declared_id("out", |program| &program.outputs)
                .map(OperandBase::Output),
            _ => self.err_at_next("expected an operand"),
        }
    }

    /// Parses the lanes of a literal of type `ty`: `{x}`, which applies to all lanes, or
    /// `{x, y, z, w}`.
    pub(super) fn parse_literal_lanes(&mut self, ty: Type) -> ParseResult<[u64; 4]> {
        self.expect_punctuation('{')?;
        let mut lanes = [0; 4];
        let mut count = 0;
        loop {
            let Some(lane) = lanes.get_mut(count) else {
                return self.err_at_next("a literal has at most four lanes");
            };
            *lane = self.parse_literal_lane(ty)?;
            count += 1;
            if !self.eat_punctuation(',') {
                break;
            }
        }
        self.expect_punctuation('}')?;
        match count {
            1 => Ok([lanes[0]; 4]),
            4 => Ok(lanes),
            _ => self.err_at_next("a literal has one or four lanes"),
        }
    }

    /// Parses a decimal number of the type, optionally negative, or hexadecimal bits after `0x`.
    fn parse_literal_lane(&mut self, ty: Type) -> ParseResult<u64> {
        let negative = self.eat_punctuation('-');
        let Token::Number(digits) = self.token else {
            return self.err_at_next("expected a number");
        };
        let bits = match digits.strip_prefix("0x") {
            Some(hex) if !negative => u64::from_str_radix(hex, 16).ok(),
            Some(_) => None,
            None => parse_decimal_bits(digits, negative, ty),
        };
        let Some(bits) = bits else {
            return self.err_at_next(format!("this is not a number of type {}", ty.keyword()));
        };
        self.advance();
        Ok(bits)
    }

    /// Parses an optional index in brackets and adds it to the program: the element, the length of
    /// the range it can select from, and optionally the vertex. Returns `None` if no bracket
    /// follows.
    fn parse_index(&mut self) -> ParseResult<Option<IndexId>> {
        if !self.eat_punctuation('[') {
            return Ok(None);
        }
        let element = self.parse_index_term()?;
        self.expect_keyword("of")?;
        let len = self.parse_number()?;
        let vertex = if self.eat_punctuation(',') {
            self.expect_keyword("vertex")?;
            Some(self.parse_index_term()?)
        } else {
            None
        };
        self.expect_punctuation(']')?;
        Ok(Some(self.builder.program.indices.push(Index {
            element,
            len,
            vertex,
        })))
    }

    /// Parses a constant, or a register lane with an optional offset such as `r0.x+1`.
    fn parse_index_term(&mut self) -> ParseResult<IndexTerm> {
        if !matches!(self.token, Token::Identifier(_)) {
            return Ok(IndexTerm::from_constant(self.parse_signed_number()?));
        }
        let relative = Some(self.parse_lane()?);
        Ok(IndexTerm {
            relative,
            offset: self.parse_offset()?,
        })
    }

    /// Parses `+n` or `-n`; returns 0 if neither sign follows.
    fn parse_offset(&mut self) -> ParseResult<i32> {
        if self.eat_punctuation('+') || self.token == Token::Punctuation('-') {
            self.parse_signed_number()
        } else {
            Ok(0)
        }
    }

    /// Parses an optional element in brackets; `None` if no bracket follows.
    fn parse_element(&mut self) -> ParseResult<Option<IndexTerm>> {
        if !self.eat_punctuation('[') {
            return Ok(None);
        }
        let term = self.parse_index_term()?;
        self.expect_punctuation(']')?;
        Ok(Some(term))
    }
}

/// Access data.
impl Parser<'_> {
    /// Parses the access or conversion data of an operation, in parentheses, and adds accesses to
    /// the program. Returns `InstData::None` without parentheses, and an error for operations that
    /// have no data.
    fn parse_inst_data(&mut self, op: Op) -> ParseResult<InstData> {
        if !self.eat_punctuation('(') {
            return Ok(InstData::None);
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
            return self.err_at_previous(format!("`{}` has no access data", op.name()));
        };
        self.expect_punctuation(')')?;
        Ok(aux)
    }

    /// Parses the data of a conversion: source type, rounding and optional `clamp`.
    fn parse_cvt(&mut self) -> ParseResult<InstData> {
        let from = self.parse_keyword("a type")?;
        let rounding = self.parse_keyword("a rounding")?;
        Ok(InstData::Cvt {
            from,
            rounding,
            saturate: self.eat_keyword("clamp"),
        })
    }

    /// Returns true if the next token is the id of a texture, such as `tex0`.
    fn is_texture_next(&self) -> bool {
        matches!(self.token, Token::Identifier(word) if word.starts_with("tex"))
    }

    /// Parses the data of a texture access: texture, element, mode, minimum level, offset, and
    /// lanes that target and mode do not determine. Adds the access to the program.
    fn parse_tex_access(&mut self) -> ParseResult<InstData> {
        let id = self.parse_declared_id("tex", |program| &program.textures)?;
        let element = self.parse_element()?;
        let mode = self.parse_tex_mode()?;
        let mut access = TexAccess {
            element,
            ..TexAccess::new(id, &self.builder.program.textures[id], mode)
        };
        access.has_min_lod = self.eat_keyword("min_lod");
        if self.eat_keyword("offset") {
            access.offset = if self.eat_keyword("dynamic") {
                TexelOffset::Dynamic
            } else {
                TexelOffset::Constant([
                    self.parse_signed_number()?,
                    self.parse_signed_number()?,
                    self.parse_signed_number()?,
                ])
            };
        }
        if self.eat_keyword("lanes") {
            access.coordinate_lanes = self.parse_number()?;
        }
        if self.eat_keyword("reference") {
            access.has_reference = true;
        } else if self.eat_keyword("no_reference") {
            access.has_reference = false;
        }
        Ok(InstData::Tex(
            self.builder.program.tex_accesses.push(access),
        ))
    }

    /// Parses the mode of a texture access: a keyword, with the component in brackets for gathers.
    fn parse_tex_mode(&mut self) -> ParseResult<TexMode> {
        match self.parse_identifier("a texture access mode")? {
            "implicit" => Ok(TexMode::Implicit),
            "bias" => Ok(TexMode::Bias),
            "lod" => Ok(TexMode::Lod),
            "grad" => Ok(TexMode::Grad),
            "fetch" => Ok(TexMode::Fetch),
            "fetch_sample" => Ok(TexMode::FetchSample),
            "gather" => Ok(TexMode::Gather(self.parse_bracketed_number()?)),
            "gather_offsets" => Ok(TexMode::GatherOffsets(self.parse_bracketed_number()?)),
            "query_size" => Ok(TexMode::QuerySize),
            "query_lod" => Ok(TexMode::QueryLod),
            "query_samples" => Ok(TexMode::QuerySamples),
            word => self.err_at_previous(format!("`{word}` is not a texture access mode")),
        }
    }

    /// Parses the data of a memory access: global memory or a buffer, element, number of
    /// components, offset, atomic operation and flags. Adds the access to the program.
    fn parse_mem_access(&mut self) -> ParseResult<InstData> {
        let space = if self.eat_keyword("global") {
            MemorySpace::Global
        } else {
            MemorySpace::Buffer(self.parse_declared_id("buf", |program| &program.buffers)?)
        };
        let element = self.parse_element()?;
        let components = self.parse_components()?;
        let offset = self.parse_offset()?;
        let (atomic, flags) = self.parse_access_flags()?;
        let access = MemAccess {
            space,
            element,
            components,
            offset,
            atomic,
            flags,
        };
        Ok(InstData::Mem(
            self.builder.program.mem_accesses.push(access),
        ))
    }

    /// Parses a number of components such as `x4`.
    fn parse_components(&mut self) -> ParseResult<u8> {
        let components = self.parse_identifier("the number of components")?;
        let components = components
            .strip_prefix('x')
            .and_then(|count| count.parse().ok());
        match components {
            Some(components) => Ok(components),
            None => self.err_at_previous("expected a number of components such as `x4`"),
        }
    }

    /// Parses any number of qualifiers and at most one operation of an atomic, in any order.
    /// Returns an error for other words.
    fn parse_access_flags(&mut self) -> ParseResult<(Option<AtomicOp>, MemFlags)> {
        let (mut atomic, mut flags) = (None, MemFlags::empty());
        while let Token::Identifier(word) = self.token {
            match (word, AtomicOp::from_keyword(word)) {
                ("coherent", _) => flags |= MemFlags::COHERENT,
                ("volatile", _) => flags |= MemFlags::VOLATILE,
                (_, Some(op)) if atomic.is_none() => atomic = Some(op),
                _ => return self.err_at_next(format!("`{word}` is no property of an access")),
            }
            self.advance();
        }
        Ok((atomic, flags))
    }

    /// Parses the data of an image access: image, element, number of components, atomic operation
    /// and flags. Adds the access to the program.
    fn parse_image_access(&mut self) -> ParseResult<InstData> {
        let image = self.parse_declared_id("img", |program| &program.images)?;
        let element = self.parse_element()?;
        let components = self.parse_components()?;
        let (atomic, flags) = self.parse_access_flags()?;
        let access = ImageAccess {
            image,
            element,
            components,
            atomic,
            flags,
        };
        Ok(InstData::Image(
            self.builder.program.image_accesses.push(access),
        ))
    }
}

/// Returns the lane of the component `x`, `y`, `z` or `w`; `None` for other characters.
fn parse_lane_letter(letter: u8) -> Option<u8> {
    b"xyzw"
        .iter()
        .position(|&name| name == letter)
        .map(|lane| lane as u8)
}

/// Returns the lanes of a mask such as `xzw`. Returns `None` if its components are not in order or
/// other characters occur.
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

/// Returns the bits of a decimal number; `None` for other characters, numbers out of range, and
/// 16-bit floats, which have only the hexadecimal form.
fn parse_decimal_bits(digits: &str, negative: bool, ty: Type) -> Option<u64> {
    if digits
        .bytes()
        .any(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
    {
        return None;
    }
    let sign = u64::from(negative);
    match (ty.base(), ty.width()) {
        (BaseType::Float, Width::W64) => Some(digits.parse::<f64>().ok()?.to_bits() | sign << 63),
        (BaseType::Float, Width::W32) => {
            Some(u64::from(digits.parse::<f32>().ok()?.to_bits()) | sign << 31)
        }
        (BaseType::Float, Width::W8 | Width::W16) => None,
        (BaseType::SignedInt | BaseType::UnsignedInt, Width::W64) => {
            parse_integer_bits(digits, negative, u64::MAX)
        }
        (BaseType::SignedInt | BaseType::UnsignedInt, Width::W8 | Width::W16 | Width::W32) => {
            parse_integer_bits(digits, negative, u64::from(u32::MAX))
        }
    }
}

/// Returns the bits of an integer between half of `-mask` and `mask`, which has all bits of the
/// type. Returns `None` for other numbers.
fn parse_integer_bits(digits: &str, negative: bool, mask: u64) -> Option<u64> {
    let magnitude: u64 = digits.parse().ok()?;
    if negative {
        (magnitude <= mask / 2 + 1).then_some(magnitude.wrapping_neg() & mask)
    } else {
        (magnitude <= mask).then_some(magnitude)
    }
}
