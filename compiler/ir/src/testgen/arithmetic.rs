//! Generation of computing statements.

use super::generator::{ARRAY_LEN, Generator, PARAM_COUNT};
use crate::arena::Id;
use crate::inst::{
    CondTest, Dst, Guard, Index, IndexId, IndexTerm, OperandBase, Saturate, Src, Swizzle, WriteMask,
};
use crate::op::{Op, OpFlags};
use crate::program::RegisterId;
use crate::resource::ParamId;
use crate::types::Type;
use std::iter::repeat_n;

/// Operations of random statements, by type.
#[derive(Debug)]
pub(super) struct OperationPools {
    /// Operations on integers of both widths. Sums and differences, which have overflow and carry,
    /// are twice as likely.
    int: Vec<Op>,
    /// Operations on 32-bit integers only.
    int32: Vec<Op>,
    /// Operations on floats.
    float: Vec<Op>,
}

impl OperationPools {
    /// Collects the integer operations that are defined for all operands, separately those of 32
    /// bits only, and the float operations that are exact. Sums and differences are listed twice,
    /// so that they are picked more often.
    pub(super) fn new() -> Self {
        let all = || Op::ALL.iter().copied();
        let total = all().filter(|op| op.has(OpFlags::TOTAL));
        let (int, int32): (Vec<Op>, Vec<Op>) =
            total.partition(|op| op.info().types.contains(Type::U64));
        let likely = int.into_iter().flat_map(|op| {
            let is_sum = op.has_carry() && !op.has(OpFlags::MULTIPLIES);
            repeat_n(op, if is_sum { 2 } else { 1 })
        });
        Self {
            int: likely.collect(),
            int32,
            float: all().filter(|op| op.has(OpFlags::EXACT)).collect(),
        }
    }
}

/// Returns the bits of a float as a lane.
fn to_bits(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// Operands.
impl Generator {
    /// Adds a constant index of an element of the array.
    pub(super) fn push_constant_index(&mut self, element: u32) -> IndexId {
        let element = IndexTerm::from_constant(element as i32);
        self.builder.program.indices.push(Index {
            element,
            len: ARRAY_LEN,
            vertex: None,
        })
    }

    /// Emits the computation of a dynamic index from 0 to 8 and adds the index to the program; it
    /// exceeds the `len` elements sometimes, so that it is clamped.
    fn emit_dynamic_index(&mut self, len: u32) -> IndexId {
        let register = self.random.pick(&self.pools.int);
        let swizzle = self.pick_swizzle();
        let seven = self.push_literal(7);
        let index = self.pools.index;
        let source = Src {
            swizzle,
            ..Src::from_register(register)
        };
        self.emit_op(
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

    /// Returns the source with a random swizzle and, each with 15% probability, absolute value and
    /// negation.
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

    /// Picks a random 32-bit source: with 70% probability a register, 20% a parameter, else a
    /// literal. All but a seventh of the registers have random modifiers.
    pub(super) fn pick_int_source(&mut self) -> Src {
        let register = self.random.pick(&self.pools.int);
        match self.random.draw_below(10) {
            0..=5 => self.add_modifiers(Src::from_register(register)),
            6 | 7 => {
                let param = self.pick_param();
                self.add_modifiers(param)
            }
            8 => {
                let literal = std::array::from_fn(|_| u64::from(self.random.draw_bits32()));
                let literal = Src::new(OperandBase::Literal(
                    self.builder.program.literals.push(literal),
                ));
                self.add_modifiers(literal)
            }
            _ => Src::from_register(register),
        }
    }

    /// Picks a float source with random modifiers: a register, or with 20% probability a literal
    /// from -8 to 8 in steps of 1/16.
    fn pick_float_source(&mut self) -> Src {
        if self.random.draw_percent(20) {
            let literal =
                std::array::from_fn(|_| to_bits(self.random.draw_below(257) as f32 / 16.0 - 8.0));
            let literal = Src::new(OperandBase::Literal(
                self.builder.program.literals.push(literal),
            ));
            return self.add_modifiers(literal);
        }
        let register = self.random.pick(&self.pools.float);
        self.add_modifiers(Src::from_register(register))
    }

    /// Picks a 64-bit source with random modifiers: a register, or with 20% probability a literal.
    fn pick_long_source(&mut self) -> Src {
        if self.random.draw_percent(20) {
            let literal = std::array::from_fn(|_| {
                u64::from(self.random.draw_bits32()) << self.random.draw_below(33)
            });
            let literal = Src::new(OperandBase::Literal(
                self.builder.program.literals.push(literal),
            ));
            return self.add_modifiers(literal);
        }
        let register = self.random.pick(&self.pools.long);
        self.add_modifiers(Src::from_register(register))
    }

    /// Picks a write mask: all lanes with 50% probability, else a random one that is not empty.
    fn pick_mask(&mut self) -> WriteMask {
        if self.random.draw_percent(50) {
            WriteMask::XYZW
        } else {
            WriteMask(1 + self.random.draw_below(15) as u8)
        }
    }

    /// Picks a condition-code register with a random test and swizzle.
    pub(super) fn pick_guard(&mut self) -> Guard {
        let cc = self.random.pick(&self.pools.condition_codes);
        let test = self.random.pick(CondTest::ALL).0;
        Guard {
            cc,
            test,
            swizzle: self.pick_swizzle(),
        }
    }

    /// Returns `register` as a destination with a random mask and, if the options allow conditions,
    /// a guard with 20% and a condition-code update with 25% probability.
    pub(super) fn pick_dst(&mut self, register: RegisterId) -> Dst {
        let mut dst = Dst::new(register, self.pick_mask());
        if self.options.conditions {
            dst.guard = self.random.draw_percent(20).then(|| self.pick_guard());
            dst.cc = if self.random.draw_percent(25) {
                Some(self.random.pick(&self.pools.condition_codes))
            } else {
                None
            };
        }
        dst
    }
}

/// Statements.
impl Generator {
    /// Generates a statement of a random kind that the options allow, else a move.
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
                self.emit_op(Op::Mov, Type::U32, dst, &[source]);
            }
        }
    }

    /// Generates a 32-bit integer operation, bit-field operation or division with a random result
    /// register.
    fn generate_int_statement(&mut self) {
        let ty = self.random.pick(&[Type::U32, Type::S32]);
        let register = self.random.pick(&self.pools.int);
        match self.random.draw_below(10) {
            0 => self.generate_bit_field(ty, register),
            1 => self.generate_division(ty, register),
            2 => {
                let op = self.random.pick(&self.operations.int32);
                self.generate_int_operation(op, ty, register, Self::pick_int_source);
            }
            _ => {
                let op = self.random.pick(&self.operations.int);
                self.generate_int_operation(op, ty, register, Self::pick_int_source);
            }
        }
    }

    /// Generates a 64-bit operation, or a conversion from or to 64 bits.
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
                self.generate_int_operation(op, ty, register, Self::pick_long_source);
            }
        }
    }

    /// Generates operation `op` of type `ty` with random sources, which `pick_source` returns, and
    /// a random mask and guard of `register`. Sums with a condition-code update have no negated
    /// sources before the last one.
    fn generate_int_operation(
        &mut self,
        op: Op,
        ty: Type,
        register: RegisterId,
        pick_source: fn(&mut Self) -> Src,
    ) {
        let dst = self.pick_dst(register);
        let count = usize::from(op.info().sources.unwrap_or(1));
        let mut sources: Vec<Src> = (0..count).map(|_| pick_source(self)).collect();
        // With two negated addends overflow and carry are undefined; the effect of a negated
        // product on them is not specified.
        if dst.cc.is_some() && op.has_carry() {
            let last = count - 1;
            sources[..last]
                .iter_mut()
                .for_each(|source| source.negate = false);
        }
        self.emit_op(op, ty, dst, &sources);
    }

    /// Generates the extraction or insertion of a bit field of random offset and of 0 to 32 bits,
    /// which may exceed the word.
    fn generate_bit_field(&mut self, ty: Type, register: RegisterId) {
        let dst = self.pick_dst(register);
        let (count, offset) = (
            self.random.draw_below(33) as u64,
            self.random.draw_below(32) as u64,
        );
        let (a, b) = (self.pick_int_source(), self.pick_int_source());
        let (count, offset) = (self.push_literal(count), self.push_literal(offset));
        if self.random.draw_percent(50) {
            self.emit_op(Op::BitExtract, ty, dst, &[a, count, offset]);
        } else {
            self.emit_op(Op::BitInsert, ty, dst, &[a, b, count, offset]);
        }
    }

    /// Generates a quotient or remainder by a random divisor from 1 to 65535. Overwrites the
    /// scratch register.
    fn generate_division(&mut self, ty: Type, register: RegisterId) {
        let (dst, scratch) = (self.pick_dst(register), self.pools.scratch);
        let divisor = self.pick_int_source();
        let (most, one) = (self.push_literal(0xffff), self.push_literal(1));
        self.emit_op(
            Op::And,
            Type::U32,
            Self::make_full_dst(scratch),
            &[divisor, most],
        );
        self.emit_op(
            Op::Or,
            Type::U32,
            Self::make_full_dst(scratch),
            &[Src::from_register(scratch), one],
        );
        let dividend = self.pick_int_source();
        let op = self.random.pick(&[Op::Div, Op::Mod]);
        self.emit_op(op, ty, dst, &[dividend, Src::from_register(scratch)]);
    }

    /// Generates a read of the parameters, or a read or write of the register array, with a dynamic
    /// index that may be clamped.
    fn generate_array_statement(&mut self) {
        if self.random.draw_percent(30) {
            // Parameter 0 has a different use in compute programs.
            let len = PARAM_COUNT as u32 - 1;
            let index = Some(self.emit_dynamic_index(len));
            let source = Src {
                index,
                ..Src::new(OperandBase::Param(ParamId::new(1)))
            };
            let register = self.random.pick(&self.pools.int);
            self.emit_op(
                Op::Xor,
                Type::U32,
                Self::make_full_dst(register),
                &[Src::from_register(register), source],
            );
            return;
        }
        let array = self.pools.array;
        let index = Some(self.emit_dynamic_index(ARRAY_LEN));
        let register = self.random.pick(&self.pools.int);
        if self.random.draw_percent(50) {
            let source = self.add_modifiers(Src {
                index,
                ..Src::from_register(array)
            });
            let dst = self.pick_dst(register);
            self.emit_op(
                Op::Add,
                Type::S32,
                Dst { cc: None, ..dst },
                &[Src::from_register(register), source],
            );
        } else {
            let dst = Dst {
                index,
                ..self.pick_dst(array)
            };
            self.emit_op(Op::Mov, Type::S32, dst, &[Src::from_register(register)]);
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
        self.emit_cvt(Type::S32, Type::F32, dst, Src::from_register(register));
    }

    /// Emits `register = ((source & 1023) - 512) / 16`. Overwrites the scratch register.
    pub(super) fn emit_float_from_int(&mut self, register: RegisterId, source: Src) {
        let scratch = self.pools.scratch;
        let (most, half, sixteenth) = (
            self.push_literal(1023),
            self.push_literal(512),
            self.push_literal(to_bits(0.0625)),
        );
        self.emit_op(
            Op::And,
            Type::U32,
            Self::make_full_dst(scratch),
            &[source, most],
        );
        self.emit_op(
            Op::Sub,
            Type::S32,
            Self::make_full_dst(scratch),
            &[Src::from_register(scratch), half],
        );
        self.emit_cvt(
            Type::F32,
            Type::S32,
            Self::make_full_dst(scratch),
            Src::from_register(scratch),
        );
        self.emit_op(
            Op::Mul,
            Type::F32,
            Self::make_full_dst(register),
            &[Src::from_register(scratch), sixteenth],
        );
    }

    /// Generates a float operation whose result is limited to a range and precision in which all
    /// implementations agree, with a random clamp. Overwrites the scratch register.
    fn generate_float_statement(&mut self) {
        let op = self.random.pick(&self.operations.float);
        let scratch = self.pools.scratch;
        let count = usize::from(op.info().sources.unwrap_or(1));
        let sources: Vec<Src> = (0..count).map(|_| self.pick_float_source()).collect();
        self.emit_op(op, Type::F32, Self::make_full_dst(scratch), &sources);
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
        self.emit_op(
            Op::Mov,
            Type::F32,
            dst,
            &[Src {
                swizzle,
                ..Src::from_register(scratch)
            }],
        );
    }

    /// Emits instructions that round a float register to multiples of 1/16, so that products stay
    /// exact.
    fn round_to_sixteenths(&mut self, register: RegisterId) {
        let (sixteen, sixteenth) = (
            self.push_literal(to_bits(16.0)),
            self.push_literal(to_bits(0.0625)),
        );
        self.emit_op(
            Op::Mul,
            Type::F32,
            Self::make_full_dst(register),
            &[Src::from_register(register), sixteen],
        );
        self.emit_op(
            Op::Round,
            Type::F32,
            Self::make_full_dst(register),
            &[Src::from_register(register)],
        );
        self.emit_op(
            Op::Mul,
            Type::F32,
            Self::make_full_dst(register),
            &[Src::from_register(register), sixteenth],
        );
    }

    /// Emits instructions that clamp a float register to -64 to 64, the range of exact results.
    fn clamp_to_limits(&mut self, register: RegisterId) {
        let (least, most) = (
            self.push_literal(to_bits(-64.0)),
            self.push_literal(to_bits(64.0)),
        );
        self.emit_op(
            Op::Max,
            Type::F32,
            Self::make_full_dst(register),
            &[Src::from_register(register), least],
        );
        self.emit_op(
            Op::Min,
            Type::F32,
            Self::make_full_dst(register),
            &[Src::from_register(register), most],
        );
    }

    /// Emits code that sets lane x of `register` to a random lane of an integer register, modulo
    /// `modulus`, a power of two.
    pub(super) fn emit_random_index(&mut self, register: RegisterId, modulus: u64) {
        let source = self.random.pick(&self.pools.int);
        let lane = self.random.draw_below(4) as u8;
        let mask = self.push_literal(modulus - 1);
        let source = Src {
            swizzle: Swizzle::splat(lane),
            ..Src::from_register(source)
        };
        self.emit_op(
            Op::And,
            Type::U32,
            Dst::new(register, WriteMask::X),
            &[source, mask],
        );
    }
}
