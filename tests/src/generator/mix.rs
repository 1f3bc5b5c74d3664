//! Programs that are not made of float vectors: integers, bit fields, conversions, 64-bit types, textures of many kinds, memory.
//!
//! Each statement is a row of a table with places for operands. There are temporaries of four classes, floats, integers, and the two
//! with 64 bits, so that values keep their types as they do in programs that people and compilers write. What is written is read later.

use super::ALL_LANES;
use super::gp::Lanes;
use crate::rng::Rng;
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Temporaries of each class.
const TEMPS: usize = 6;

/// Classes of temporaries: the letter in the table, and the start of their names.
const CLASSES: [(char, &str); 4] = [('f', "R"), ('i', "I"), ('l', "L"), ('d', "D")];

/// Statements with their weights. `{F} {I} {L} {D}` are destinations of the classes, `{f} {i} {l} {d}` vectors, and `{fs} {is} {ls} {ds}`
/// scalars, `{f+}` a vector without sign; `{p}` is a parameter, `{k}` a small number, `{bits}` counts and offsets of bits, `{o}` a texel offset, `{cc}` an update of
/// the condition code or nothing.
const STATEMENTS: &[(usize, &str)] = &[
    // 32-bit integers.
    (5, "ADD.S{cc} {I}, {i}, {i}"),
    (3, "SUB.U{cc} {I}, {i}, {p}"),
    (3, "MUL.S {I}, {i}, {p}"),
    (1, "MUL.U.HI {I}, {i}, {i}"),
    (5, "MAD.S {I}, {i}, {p}, {i}"),
    (2, "MIN.S {I}, {i}, {p}"),
    (2, "MAX.U {I}, {i}, {i}"),
    (1, "ABS.S {I}, {i}"),
    (2, "AND.U {I}, {i}, {p}"),
    (1, "OR.U {I}, {i}, {i}"),
    (2, "XOR.U {I}, {i}, {i}"),
    (1, "NOT.U {I}, {i}"),
    (2, "SHL.U {I}, {i}, {k}"),
    (2, "SHR.S {I}, {i}, {is}"),
    (1, "DIV.U {I}, {i}, {is}"),
    (1, "MOD.U {I}, {i}, {is}"),
    (1, "SAD.S {I}, {i}, {i}, {p}"),
    (2, "SGT.S{cc} {I}, {i}, {i}"),
    (1, "CMP.S {I}, {i}, {i}, {p}"),
    // Bit fields.
    (2, "BFE.U {I}, {bits}, {i}"),
    (2, "BFI.U {I}, {bits}, {p}, {i}"),
    (1, "BFR.U {I}, {i}"),
    (1, "BTC.U {I}, {i}"),
    (1, "BTFL.U {I}, {i}"),
    (1, "BTFM.S {I}, {i}"),
    // Conversions and packing.
    (2, "CVT.F32.S32 {F}, {i+}"),
    (1, "CVT.S32.F32.FLR {I}, {f+}"),
    (1, "CVT.S16.S32.SAT {I}, {i+}"),
    (1, "CVT.U8.U32 {I}, {i+}"),
    (2, "CVT.S64.S32 {L}, {i+}"),
    (2, "CVT.U32.U64 {I}, {l+}"),
    (1, "CVT.F64.F32 {D}, {f+}"),
    (1, "CVT.F32.F64 {F}, {d+}"),
    (1, "TRUNC.S {I}, {f}"),
    (1, "PK4UB {Fx}, {f}"),
    (1, "UP2H {F}, {fs}"),
    // 64-bit integers.
    (4, "ADD.S64{cc} {L}, {l}, {l}"),
    (2, "SUB.U64 {L}, {l}, {l}"),
    (2, "MUL.S64 {L}, {l}, {l}"),
    (2, "MAD.U64 {L}, {l}, {l}, {l}"),
    (1, "AND.U64 {L}, {l}, {l}"),
    (2, "XOR.S64 {L}, {l}, {l}"),
    (1, "SHL.U64 {L}, {l}, {k}"),
    (1, "SHR.S64 {L}, {l}, {k}"),
    (1, "MIN.S64 {L}, {l}, {l}"),
    (1, "SLT.S64 {I}, {l}, {l}"),
    // Doubles.
    (2, "ADD.F64 {D}, {d}, {d}"),
    (2, "MUL.F64 {D}, {d}, {d}"),
    (3, "MAD.F64 {D}, {d}, {d}, {d}"),
    (1, "MAX.F64 {D}, {d}, {d}"),
    // Textures.
    (3, "TEX {F}, {f}, texture[0], 2D"),
    (2, "TEX {F}, {f}, texture[0], 2D, {o}"),
    (1, "TEX.SAT {F}, {f}, texture[1], CUBE"),
    (1, "TXB {F}, {f}, texture[0], 2D"),
    (2, "TXL {F}, {f}, texture[2], 3D"),
    (1, "TXP {F}, {f}, texture[0], 2D, {o}"),
    (1, "TXD {F}, {f}, {p}, {p}, texture[0], 2D"),
    (1, "TEX {F}, {f}, texture[3], SHADOW2D"),
    (1, "TXG {F}, {f}, texture[0].y, 2D, {o}"),
    (1, "TXF {F}, {i}, texture[4], ARRAY2D, offset({i})"),
    (1, "TXF.S {I}, {i}, texture[5], BUFFER"),
    (1, "TXQ {I}, {i}, texture[0], 2D"),
    // Memory.
    (1, "ADD.U64 at.y, at.x, {ls}"),
    (2, "LOAD.U32X4 {I}, at.x"),
    (1, "LOAD.F32X2 {F}, at.y"),
    (1, "LOAD.S64 {L}, at.y"),
    (2, "STORE.U32X2 {i}, at.x"),
    (1, "ATOM.ADD.U32 {Ix}, {is}, at.x"),
    // Floats.
    (5, "MAD {F}, {f}, {p}, {f}"),
    (3, "MUL{cc} {F}, {f}, {p}"),
    (2, "ADD.SAT {F}, {f}, {f}"),
    (1, "DP4 {F}, {f}, {f}"),
    (1, "RSQ {F}, {fs}"),
];

/// Prints a program of about `size` instructions and gives their number.
pub fn mix(size: usize, seed: u64) -> (String, usize) {
    let mut printer = Printer::new(size, seed);
    printer.first_values();
    while printer.instructions + printer.closing() < size {
        let statement = printer.choose();
        printer.statement(statement);
    }
    printer.result();
    (printer.text, printer.instructions)
}

/// The temporaries of a class.
#[derive(Clone, Default)]
struct Class {
    written: usize,
    /// Those whose last value nobody has read yet, oldest first.
    unread: Vec<usize>,
}

struct Printer {
    rng: Rng,
    text: String,
    instructions: usize,
    classes: [Class; CLASSES.len()],
}

impl Printer {
    fn new(size: usize, seed: u64) -> Self {
        let mut text = String::from("!!NVfp5.0\nOPTION NV_shader_buffer_load;\n");
        text.push_str("PARAM c[8] = { program.local[0..7] };\n");
        for (class, width) in CLASSES.iter().zip(["", "", "LONG ", "LONG "]) {
            let names: Vec<String> = (0..TEMPS)
                .map(|temp| format!("{}{temp}", class.1))
                .collect();
            let _ = writeln!(text, "{width}TEMP {};", names.join(", "));
        }
        text.push_str("LONG TEMP at;\n");
        Self {
            // The size is part of the seed: programs of one seed are not prefixes of each other.
            rng: Rng::new(seed ^ ((size as u64) << 8)),
            text,
            instructions: 0,
            classes: Default::default(),
        }
    }

    /// Gives the address, the condition code and some temporaries their values.
    fn first_values(&mut self) {
        for statement in [
            "PK64.U at.xy, c[7]",
            "MOV.F {F}, fragment.attrib[0]",
            "MUL.F {F}, fragment.attrib[1], c[0]",
            "MOV.S.CC {I}, c[1]",
            "ADD.S {I}, c[2], c[3]",
            "CVT.S64.S32 {L}, c[4]",
            "PK64.U {L}, c[5]",
            "CVT.F64.F32 {D}, c[5]",
            "CVT.F64.F32 {D}, c[6]",
        ] {
            self.statement(statement);
        }
    }

    /// Instructions that [`Self::result`] will add.
    fn closing(&self) -> usize {
        let unread: usize = self.classes.iter().map(|class| class.unread.len()).sum();
        unread + 3
    }

    /// Adds up what nobody has read and writes the result.
    fn result(&mut self) {
        const SUMS: [(&str, &str); 4] = [
            ("ADD.F", ""),
            ("ADD.S", "CVT.F32.S32 {F}, {i+}"),
            ("ADD.S64", "CVT.S32.S64 {I}, {l+}"),
            ("ADD.F64", "CVT.F32.F64 {F}, {d+}"),
        ];
        for class in [3, 2, 1, 0] {
            let (add, convert) = SUMS[class];
            let letter = CLASSES[class].1;
            let unread = std::mem::take(&mut self.classes[class].unread);
            let sum = unread.first().copied().unwrap_or(0);
            for other in unread.iter().skip(1) {
                self.line(&format!(
                    "{add} {letter}{sum}, {letter}{sum}, {letter}{other}"
                ));
            }
            self.classes[class].unread.push(sum);
            if convert.is_empty() {
                self.line(&format!("MOV.F result.color, {letter}{sum}"));
            } else {
                self.statement(convert);
            }
        }
        self.text.push_str("END\n");
    }

    fn line(&mut self, statement: &str) {
        self.instructions += 1;
        self.text.push_str(statement);
        self.text.push_str(";\n");
    }

    fn choose(&mut self) -> &'static str {
        let total = STATEMENTS.iter().map(|(weight, _)| weight).sum();
        let mut ticket = self.rng.below(total);
        let chosen = STATEMENTS.iter().find(|(weight, _)| {
            let found = ticket < *weight;
            ticket = ticket.saturating_sub(*weight);
            found
        });
        chosen.map_or("MOV {F}, {f}", |(_, statement)| statement)
    }

    /// Fills the places of a statement. What it writes can be read by the next.
    fn statement(&mut self, statement: &str) {
        let mut text = String::new();
        let mut wrote = None;
        let mut rest = statement;
        while let Some((before, place, behind)) = split_place(rest) {
            text.push_str(before);
            if place.starts_with(|letter: char| letter.is_ascii_uppercase()) {
                let (class, temp) = self.destination(&mut text, place);
                wrote = Some((class, temp));
            } else {
                self.source(&mut text, place);
            }
            rest = behind;
        }
        text.push_str(rest);
        self.line(&text);
        if let Some((class, temp)) = wrote {
            let class = &mut self.classes[class];
            class.written = class.written.max(temp + 1);
            class.unread.retain(|other| *other != temp);
            class.unread.push(temp);
        }
    }

    /// A new temporary while there are few; else one whose value has been read, often a part of it or under a condition.
    fn destination(&mut self, text: &mut String, place: &str) -> (usize, usize) {
        let number = class_of(place);
        let class = &self.classes[number];
        let free: Vec<usize> = (0..TEMPS)
            .filter(|temp| !class.unread.contains(temp))
            .collect();
        let fresh = class.written < TEMPS;
        let temp = match fresh {
            true => class.written,
            false if free.is_empty() => class.unread[0],
            false => *self.rng.pick(&free),
        };
        let _ = write!(text, "{}{temp}", CLASSES[number].1);
        if place.ends_with('x') {
            text.push_str(".x");
        } else if !fresh && self.rng.percent(20) {
            let masks = [
                [true, true, true, false],
                [true, false, false, false],
                [false, true, true, false],
            ];
            let _ = write!(text, "{}", Lanes(*self.rng.pick(&masks)));
        } else if !fresh && self.rng.percent(10) {
            text.push_str(self.rng.pick::<&str>(&["(GT.x)", "(NE)", "(LE.y)"]));
        }
        (number, temp)
    }

    fn source(&mut self, text: &mut String, place: &str) {
        match place {
            "p" => {
                let _ = write!(text, "c[{}]", self.rng.below(7));
                self.swizzle(text);
            }
            "k" => {
                let _ = write!(text, "{}", 1 + self.rng.below(15));
            }
            "bits" => {
                let _ = write!(
                    text,
                    "{{{}, {}}}.xyxy",
                    1 + self.rng.below(8),
                    self.rng.below(24)
                );
            }
            "o" => {
                let [s, t] = [(); 2].map(|()| self.rng.below(16));
                let _ = write!(text, "({}, {})", s as i32 - 8, t as i32 - 8);
            }
            "cc" => text.push_str(if self.rng.percent(15) { ".CC" } else { "" }),
            temp => self.temp(text, temp),
        }
    }

    /// What waits longest in its class, else any.
    fn temp(&mut self, text: &mut String, place: &str) {
        let number = class_of(place);
        if !place.ends_with('+') && self.rng.percent(10) {
            text.push('-');
        }
        let class = &mut self.classes[number];
        let temp = if class.unread.is_empty() {
            self.rng.below(class.written)
        } else {
            class.unread.remove(0)
        };
        let _ = write!(text, "{}{temp}", CLASSES[number].1);
        if place.ends_with('s') {
            let _ = write!(text, ".{}", super::gp::letter(self.rng.below(4)));
        } else {
            self.swizzle(text);
        }
    }

    fn swizzle(&mut self, text: &mut String) {
        let swizzle = match self.rng.below(100) {
            0..65 => return,
            65..85 => vec![self.rng.below(4)],
            _ => (0..ALL_LANES.len()).map(|_| self.rng.below(4)).collect(),
        };
        text.push('.');
        text.extend(swizzle.into_iter().map(super::gp::letter));
    }
}

/// The text before the first place, the place, and the text behind it.
fn split_place(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (place, behind) = rest.split_once('}')?;
    Some((before, place, behind))
}

/// The class that the first letter of a place names.
fn class_of(place: &str) -> usize {
    let letter = place.chars().next().unwrap_or('f').to_ascii_lowercase();
    let class = CLASSES.iter().position(|(known, _)| *known == letter);
    class.expect("the table names classes by their letters")
}

#[cfg(test)]
mod tests {
    use super::{STATEMENTS, mix};

    #[test]
    fn equal_seeds_give_equal_programs() {
        assert_eq!(mix(100, 1), mix(100, 1));
        assert_ne!(mix(100, 1), mix(100, 2));
    }

    #[test]
    fn sizes_are_those_that_were_asked_for() {
        for size in [100, 1000, 10_000] {
            let (text, made) = mix(size, 1);
            assert!(made.abs_diff(size) <= 8, "{size}: {made}");
            let first = text.find("PK64.U at").unwrap();
            assert_eq!(text[first..].matches(';').count(), made);
        }
    }

    #[test]
    fn large_programs_have_every_statement() {
        let (text, _) = mix(10_000, 1);
        for (_, statement) in STATEMENTS {
            let opcode = statement.split([' ', '{']).next().unwrap_or_default();
            assert!(text.contains(opcode), "no {statement}");
        }
    }
}
