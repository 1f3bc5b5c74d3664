//! Generation of computing statements.

use super::generator::{ARRAY, Generator, PARAMS};
use crate::arena::Id;
use crate::inst::{
    Base, CondTest, Dst, Guard, Index, IndexId, IndexTerm, Saturate, Src, Swizzle, WriteMask,
};
use crate::op::{Op, OpFlags};
use crate::program::RegisterId;
use crate::resource::ParamId;
use crate::types::Type;
use std::iter::repeat_n;

/// Operations of random statements, by type.
#[derive(Debug)]
pub(super) struct Operations {
    /// Operations on integers of both widths. Sums and differences, which have overflow and carry,
    /// are twice as likely.
    int: Vec<Op>,
    /// Operations on 32-bit integers only.
    int32: Vec<Op>,
    /// Operations on floats.
    float: Vec<Op>,
}

impl Operations {
    pub(super) fn new() -> Self {
        let all = || Op::ALL.iter().copied();
        let total = all().filter(|op| op.has(OpFlags::TOTAL));
        let (int, int32): (Vec<Op>, Vec<Op>) =
            total.partition(|op| op.info().types.contains(Type::U64));
        let likely = int.into_iter().flat_map(|op| {
            let is_sum = op.adds() && !op.has(OpFlags::MULTIPLIES);
            repeat_n(op, if is_sum { 2 } else { 1 })
        });
        Self {
            int: likely.collect(),
            int32,
            float: all().filter(|op| op.has(OpFlags::EXACT)).collect(),
        }
    }
}

fn to_bits(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// Operands.
impl Generator {
    pub(super) fn add_constant_index(&mut self, element: u32) -> IndexId {
        let element = IndexTerm::constant(element as i32);
        self.builder.program.indices.push(Index {
            element,
            len: ARRAY,
            vertex: None,
        })
    }

    /// Returns a dynamic index below 8, so that it sometimes is clamped to `len`.
    fn emit_dynamic_index(&mut self, len: u32) -> IndexId {
        let register = self.random.pick(&self.pools.int);
        let swizzle = self.pick_swizzle();
        let seven = self.add_literal(7);
        let index = self.pools.index;
        let source = Src {
            swizzle,
            ..Src::register(register)
        };
        self.emit(
            Op::And,
            Type::U32,
            Dst::new(index, WriteMask::X),
            &[source, seven],
        );
        let offset = self.random.draw_below(2) as i32;
        let element = IndexTerm {
            relative: Some((index, 0)),
            offset,
        };
        self.builder.program.indices.push(Index {
            element,
            len,
            vertex: None,
        })
    }

    fn add_modifiers(&mut self, src: Src) -> Src {
        let swizzle = self.pick_swizzle();
        let (abs, negate) = (self.random.draw_percent(15), self.random.draw_percent(15));
        Src {
            swizzle,
            abs,
            negate,
            ..src
        }
    }

    pub(super) fn pick_int_source(&mut self) -> Src {
        let register = self.random.pick(&self.pools.int);
        match self.random.draw_below(10) {
            0..=5 => self.add_modifiers(Src::register(register)),
            6 | 7 => {
                let param = self.pick_param();
                self.add_modifiers(param)
            }
            8 => {
                let literal = std::array::from_fn(|_| u64::from(self.random.draw_bits32()));
                let literal = Src::new(Base::Literal(self.builder.program.literals.push(literal)));
                self.add_modifiers(literal)
            }
            _ => Src::register(register),
        }
    }

    fn pick_float_source(&mut self) -> Src {
        if self.random.draw_percent(20) {
            let literal =
                std::array::from_fn(|_| to_bits(self.random.draw_below(257) as f32 / 16.0 - 8.0));
            let literal = Src::new(Base::Literal(self.builder.program.literals.push(literal)));
            return self.add_modifiers(literal);
        }
        let register = self.random.pick(&self.pools.float);
        self.add_modifiers(Src::register(register))
    }

    fn pick_long_source(&mut self) -> Src {
        if self.random.draw_percent(20) {
            let literal = std::array::from_fn(|_| {
                u64::from(self.random.draw_bits32()) << self.random.draw_below(33)
            });
            let literal = Src::new(Base::Literal(self.builder.program.literals.push(literal)));
            return self.add_modifiers(literal);
        }
        let register = self.random.pick(&self.pools.long);
        self.add_modifiers(Src::register(register))
    }

    fn pick_mask(&mut self) -> WriteMask {
        if self.random.draw_percent(50) {
            WriteMask::XYZW
        } else {
            WriteMask(1 + self.random.draw_below(15) as u8)
        }
    }

    pub(super) fn pick_guard(&mut self) -> Guard {
        let cc = self.random.pick(&self.pools.codes);
        let test = self.random.pick(CondTest::ALL).0;
        Guard {
            cc,
            test,
            swizzle: self.pick_swizzle(),
        }
    }

    /// Returns a result register with a random mask, guard and condition-code update.
    pub(super) fn pick_dst(&mut self, register: RegisterId) -> Dst {
        let mut dst = Dst::new(register, self.pick_mask());
        if self.options.conditions {
            dst.guard = self.random.draw_percent(20).then(|| self.pick_guard());
            dst.cc = if self.random.draw_percent(25) {
                Some(self.random.pick(&self.pools.codes))
            } else {
                None
            };
        }
        dst
    }
}

/// Statements.
impl Generator {
    /// Generates a statement of a kind that the options allow.
    pub(super) fn generate_computation(&mut self) {
        let options = self.options;
        match self.random.draw_below(10) {
            0..=2 if options.float => self.generate_float_statement(),
            3 if options.float => self.generate_conversion(),
            4 | 5 if options.int64 => self.generate_long_statement(),
            6 if options.arrays => self.generate_array_statement(),
            _ if options.int => self.generate_int_statement(),
            _ => {
                let register = self.random.pick(&self.pools.int);
                let (dst, source) = (self.pick_dst(register), self.pick_int_source());
                self.emit(Op::Mov, Type::U32, dst, &[source]);
            }
        }
    }

    fn generate_int_statement(&mut self) {
        let ty = self.random.pick(&[Type::U32, Type::S32]);
        let register = self.random.pick(&self.pools.int);
        match self.random.draw_below(10) {
            0 => self.generate_bit_field(ty, register),
            1 => self.generate_division(ty, register),
            2 => {
                let op = self.random.pick(&self.operations.int32);
                self.generate_int_op(op, ty, register, Self::pick_int_source);
            }
            _ => {
                let op = self.random.pick(&self.operations.int);
                self.generate_int_op(op, ty, register, Self::pick_int_source);
            }
        }
    }

    fn generate_long_statement(&mut self) {
        let ty = self.random.pick(&[Type::U64, Type::S64]);
        let register = self.random.pick(&self.pools.long);
        match self.random.draw_below(4) {
            0 => {
                let source = self.pick_int_source();
                let narrow = self.random.pick(&[Type::U32, Type::S32]);
                let dst = self.pick_dst(register);
                self.emit_cvt(
                    ty,
                    narrow,
                    dst,
                    Src {
                        abs: false,
                        negate: false,
                        ..source
                    },
                );
            }
            1 => {
                let source = self.pick_long_source();
                let target = self.random.pick(&self.pools.int);
                let dst = self.pick_dst(target);
                self.emit_cvt(
                    Type::U32,
                    ty,
                    dst,
                    Src {
                        abs: false,
                        negate: false,
                        ..source
                    },
                );
            }
            _ => {
                let op = self.random.pick(&self.operations.int);
                self.generate_int_op(op, ty, register, Self::pick_long_source);
            }
        }
    }

    fn generate_int_op(
        &mut self,
        op: Op,
        ty: Type,
        register: RegisterId,
        source: fn(&mut Self) -> Src,
    ) {
        let dst = self.pick_dst(register);
        let count = usize::from(op.info().sources.unwrap_or(1));
        let mut sources: Vec<Src> = (0..count).map(|_| source(self)).collect();
        // With two negated addends overflow and carry are undefined; the effect of a negated
        // product on them is not specified.
        if dst.cc.is_some() && op.adds() {
            let last = count - 1;
            sources[..last]
                .iter_mut()
                .for_each(|source| source.negate = false);
        }
        self.emit(op, ty, dst, &sources);
    }

    fn generate_bit_field(&mut self, ty: Type, register: RegisterId) {
        let dst = self.pick_dst(register);
        let (count, offset) = (
            self.random.draw_below(33) as u64,
            self.random.draw_below(32) as u64,
        );
        let (a, b) = (self.pick_int_source(), self.pick_int_source());
        let (count, offset) = (self.add_literal(count), self.add_literal(offset));
        if self.random.draw_percent(50) {
            self.emit(Op::BitExtract, ty, dst, &[a, count, offset]);
        } else {
            self.emit(Op::BitInsert, ty, dst, &[a, b, count, offset]);
        }
    }

    /// Generates a division by a positive number.
    fn generate_division(&mut self, ty: Type, register: RegisterId) {
        let (dst, scratch) = (self.pick_dst(register), self.pools.scratch);
        let divisor = self.pick_int_source();
        let (most, one) = (self.add_literal(0xffff), self.add_literal(1));
        self.emit(
            Op::And,
            Type::U32,
            Self::make_full_dst(scratch),
            &[divisor, most],
        );
        self.emit(
            Op::Or,
            Type::U32,
            Self::make_full_dst(scratch),
            &[Src::register(scratch), one],
        );
        let dividend = self.pick_int_source();
        let op = self.random.pick(&[Op::Div, Op::Mod]);
        self.emit(op, ty, dst, &[dividend, Src::register(scratch)]);
    }

    fn generate_array_statement(&mut self) {
        if self.random.draw_percent(30) {
            // Parameter 0 has a different use in compute programs.
            let len = PARAMS as u32 - 1;
            let index = Some(self.emit_dynamic_index(len));
            let source = Src {
                index,
                ..Src::new(Base::Param(ParamId::new(1)))
            };
            let register = self.random.pick(&self.pools.int);
            self.emit(
                Op::Xor,
                Type::U32,
                Self::make_full_dst(register),
                &[Src::register(register), source],
            );
            return;
        }
        let array = self.pools.array;
        let index = Some(self.emit_dynamic_index(ARRAY));
        let register = self.random.pick(&self.pools.int);
        if self.random.draw_percent(50) {
            let source = self.add_modifiers(Src {
                index,
                ..Src::register(array)
            });
            let dst = self.pick_dst(register);
            self.emit(
                Op::Add,
                Type::S32,
                Dst { cc: None, ..dst },
                &[Src::register(register), source],
            );
        } else {
            let dst = Dst {
                index,
                ..self.pick_dst(array)
            };
            self.emit(Op::Mov, Type::S32, dst, &[Src::register(register)]);
        }
    }

    /// Generates a conversion between the pools of integers and floats.
    fn generate_conversion(&mut self) {
        let source = self.pick_int_source();
        let register = self.random.pick(&self.pools.float);
        if self.random.draw_percent(50) {
            return self.emit_float_from_int(register, source);
        }
        let target = self.random.pick(&self.pools.int);
        let dst = self.pick_dst(target);
        self.emit_cvt(Type::S32, Type::F32, dst, Src::register(register));
    }

    /// Emits `register = ((source & 1023) - 512) / 16`.
    pub(super) fn emit_float_from_int(&mut self, register: RegisterId, source: Src) {
        let scratch = self.pools.scratch;
        let (most, half, sixteenth) = (
            self.add_literal(1023),
            self.add_literal(512),
            self.add_literal(to_bits(0.0625)),
        );
        self.emit(
            Op::And,
            Type::U32,
            Self::make_full_dst(scratch),
            &[source, most],
        );
        self.emit(
            Op::Sub,
            Type::S32,
            Self::make_full_dst(scratch),
            &[Src::register(scratch), half],
        );
        self.emit_cvt(
            Type::F32,
            Type::S32,
            Self::make_full_dst(scratch),
            Src::register(scratch),
        );
        self.emit(
            Op::Mul,
            Type::F32,
            Self::make_full_dst(register),
            &[Src::register(scratch), sixteenth],
        );
    }

    fn generate_float_statement(&mut self) {
        let op = self.random.pick(&self.operations.float);
        let scratch = self.pools.scratch;
        let count = usize::from(op.info().sources.unwrap_or(1));
        let sources: Vec<Src> = (0..count).map(|_| self.pick_float_source()).collect();
        self.emit(op, Type::F32, Self::make_full_dst(scratch), &sources);
        if op.has(OpFlags::MULTIPLIES) {
            self.round_to_sixteenths(scratch);
        }
        self.clamp_to_limits(scratch);
        let register = self.random.pick(&self.pools.float);
        let mut dst = self.pick_dst(register);
        dst.saturate = self.random.pick(&[
            Saturate::None,
            Saturate::None,
            Saturate::Unsigned,
            Saturate::Signed,
            Saturate::UnsignedOrNan,
            Saturate::SignedOrNan,
        ]);
        let swizzle = self.pick_swizzle();
        self.emit(
            Op::Mov,
            Type::F32,
            dst,
            &[Src {
                swizzle,
                ..Src::register(scratch)
            }],
        );
    }

    fn round_to_sixteenths(&mut self, register: RegisterId) {
        let (sixteen, sixteenth) = (
            self.add_literal(to_bits(16.0)),
            self.add_literal(to_bits(0.0625)),
        );
        self.emit(
            Op::Mul,
            Type::F32,
            Self::make_full_dst(register),
            &[Src::register(register), sixteen],
        );
        self.emit(
            Op::Round,
            Type::F32,
            Self::make_full_dst(register),
            &[Src::register(register)],
        );
        self.emit(
            Op::Mul,
            Type::F32,
            Self::make_full_dst(register),
            &[Src::register(register), sixteenth],
        );
    }

    fn clamp_to_limits(&mut self, register: RegisterId) {
        let (least, most) = (
            self.add_literal(to_bits(-64.0)),
            self.add_literal(to_bits(64.0)),
        );
        self.emit(
            Op::Max,
            Type::F32,
            Self::make_full_dst(register),
            &[Src::register(register), least],
        );
        self.emit(
            Op::Min,
            Type::F32,
            Self::make_full_dst(register),
            &[Src::register(register), most],
        );
    }

    /// Emits code that sets lane x of `register` to a random lane of an integer register, modulo
    /// `modulus`, a power of two.
    pub(super) fn emit_small_number(&mut self, register: RegisterId, modulus: u64) {
        let source = self.random.pick(&self.pools.int);
        let lane = self.random.draw_below(4) as u8;
        let mask = self.add_literal(modulus - 1);
        let source = Src {
            swizzle: Swizzle::splat(lane),
            ..Src::register(source)
        };
        self.emit(
            Op::And,
            Type::U32,
            Dst::new(register, WriteMask::X),
            &[source, mask],
        );
    }
}
