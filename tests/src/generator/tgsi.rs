//! Prints a generated program as TGSI, as Mesa prints it for virtual GPUs.

use super::gp::{Lanes, letter};
use super::{
    Generated, IMMEDIATES, ITERATIONS, Mask, Op, Operand, PARAMS, Sign, Stmt, Value, Variant,
};
use std::fmt::{Display, Formatter, Result, Write};

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// The program text.
pub(super) fn print(program: &Generated) -> String {
    let mut printer = Printer {
        temps: program.temps,
        own: program.temps + program.scratch,
        lines: 0,
        text: String::from("FRAG\n"),
    };
    printer.declarations(program);
    printer.statements(&program.body);
    printer.line(format_args!("END"));
    printer.text
}

struct Printer {
    /// The register of the first scratch temporary.
    temps: usize,
    /// The register of counters and conditions.
    own: usize,
    lines: usize,
    text: String,
}

impl Printer {
    fn declarations(&mut self, program: &Generated) {
        let text = &mut self.text;
        for index in 0..2 {
            let _ = writeln!(text, "DCL IN[{index}], GENERIC[{index}], PERSPECTIVE");
        }
        text.push_str("DCL OUT[0], COLOR\n");
        for unit in 0..2 {
            let _ = writeln!(text, "DCL SAMP[{unit}]\nDCL SVIEW[{unit}], 2D, FLOAT");
        }
        let _ = writeln!(text, "DCL CONST[0][0..{}]", PARAMS - 1);
        let _ = writeln!(text, "DCL TEMP[0..{}], LOCAL", self.own);
        for (index, row) in IMMEDIATES.iter().enumerate() {
            let [x, y, z, w] = row.map(f32::to_bits);
            let _ = writeln!(
                text,
                "IMM[{index}] FLT32 {{0x{x:08x}, 0x{y:08x}, 0x{z:08x}, 0x{w:08x}}}"
            );
        }
        if program.variant == Variant::Loop {
            let index = IMMEDIATES.len();
            let _ = writeln!(text, "IMM[{index}] UINT32 {{0, {ITERATIONS}, 1, 0}}");
        }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.text, "{:3}: {line}", self.lines);
        self.lines += 1;
    }

    fn statements(&mut self, body: &[Stmt]) {
        let own = self.own;
        for stmt in body {
            match stmt {
                Stmt::Op { op, to, mask, from } => self.operation(*op, *to, *mask, from),
                Stmt::Loop(body) => {
                    let numbers = IMMEDIATES.len();
                    self.line(format_args!("MOV TEMP[{own}].x, IMM[{numbers}].xxxx"));
                    self.line(format_args!("BGNLOOP :0"));
                    self.line(format_args!(
                        "USGE TEMP[{own}].y, TEMP[{own}].xxxx, IMM[{numbers}].yyyy"
                    ));
                    self.line(format_args!("UIF TEMP[{own}].yyyy :0"));
                    self.line(format_args!("BRK"));
                    self.line(format_args!("ENDIF"));
                    self.statements(body);
                    self.line(format_args!(
                        "UADD TEMP[{own}].x, TEMP[{own}].xxxx, IMM[{numbers}].zzzz"
                    ));
                    self.line(format_args!("ENDLOOP :0"));
                }
                Stmt::If {
                    left,
                    right,
                    then,
                    otherwise,
                } => {
                    let [left, right] = [left, right].map(|it| self.operand(it));
                    self.line(format_args!("FSLT TEMP[{own}].x, {right}, {left}"));
                    self.line(format_args!("UIF TEMP[{own}].xxxx :0"));
                    self.statements(then);
                    self.line(format_args!("ELSE :0"));
                    self.statements(otherwise);
                    self.line(format_args!("ENDIF"));
                }
            }
        }
    }

    fn operation(&mut self, op: Op, to: Value, mask: Mask, from: &[Operand]) {
        let mut operands = String::new();
        for (number, operand) in from.iter().enumerate() {
            let negates = op == Op::Sub && number == 1;
            let sign = match (operand.sign, negates) {
                (Sign::Plain, true) => Sign::Negated,
                (Sign::Negated, true) => Sign::Plain,
                (sign, false) => sign,
            };
            let swizzle = if op == Op::Rsq {
                [operand.swizzle[0]; 4]
            } else {
                operand.swizzle
            };
            let operand = Operand {
                sign,
                swizzle,
                ..*operand
            };
            let _ = write!(operands, ", {}", self.operand(&operand));
        }
        if let Op::Tex(unit) = op {
            let _ = write!(operands, ", SAMP[{unit}], 2D");
        }
        let to = self.name(to);
        self.line(format_args!(
            "{} {to}{}{operands}",
            mnemonic(op),
            Lanes(mask)
        ));
    }

    fn operand(&self, operand: &Operand) -> Vector {
        Vector {
            name: self.name(operand.value),
            operand: *operand,
        }
    }

    fn name(&self, value: Value) -> String {
        match value {
            Value::Temp(index) => format!("TEMP[{index}]"),
            Value::Scratch(index) => format!("TEMP[{}]", self.temps + index),
            Value::Attrib(index) => format!("IN[{index}]"),
            Value::Param(index) => format!("CONST[0][{index}]"),
            Value::Immediate(index) => format!("IMM[{index}]"),
            Value::Result => "OUT[0]".to_owned(),
        }
    }
}

fn mnemonic(op: Op) -> &'static str {
    match op {
        Op::Mad => "MAD",
        Op::Mul => "MUL",
        Op::Add | Op::Sub => "ADD",
        Op::Dp4 => "DP4",
        Op::Min => "MIN",
        Op::Max => "MAX",
        Op::Rsq => "RSQ",
        Op::Mov => "MOV",
        Op::Tex(_) => "TEX",
    }
}

struct Vector {
    name: String,
    operand: Operand,
}

impl Display for Vector {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if self.operand.sign == Sign::Negated {
            f.write_char('-')?;
        }
        f.write_str(&self.name)?;
        if self.operand.swizzle == [0, 1, 2, 3] {
            return Ok(());
        }
        f.write_char('.')?;
        let mut letters = self.operand.swizzle.into_iter().map(letter);
        letters.try_for_each(|letter| f.write_char(letter))
    }
}

#[cfg(test)]
mod tests {
    use crate::generator::{Variant, program};

    #[test]
    fn all_programs_load() {
        for variant in Variant::ALL {
            for seed in 0..10 {
                crate::assert_loads(&program(variant, 100, seed).tgsi());
            }
        }
    }
}
