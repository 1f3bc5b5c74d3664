//! Programs that look like those of games and of shader compilers: short, with declarations, options, literals, binding paths, masks,
//! swizzles and texture reads as often as shipped programs have them. Only the proportions are theirs.

use super::gp::letter;
use crate::rng::Rng;
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Most temporaries of a program.
const TEMPS: usize = 8;

/// Names of temporaries; programs of compilers have R0, R1 and so on.
const WORDS: [&str; TEMPS] = [
    "tmp", "normal", "lightDir", "eye", "half", "diffuse", "coord", "sum",
];

/// Numbers of instructions: weight in percent, the fewest, and how many more at most. The mean is 43.
pub(super) const SIZES: [(usize, usize, usize); 6] = [
    (20, 5, 6),
    (30, 10, 15),
    (25, 25, 25),
    (17, 50, 50),
    (6, 100, 90),
    (2, 200, 200),
];

/// A program and the number of its instructions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Real {
    /// Its text.
    pub text: String,
    /// Instructions: neither declarations nor options.
    pub instructions: usize,
}

/// What differs between the languages of these programs.
struct Language {
    weight: usize,
    header: &'static str,
    /// Options that some programs have.
    options: &'static [&'static str],
    is_vertex: bool,
    /// Inputs, parameters and results by their paths; `#` stands for a number from 0 to 7.
    inputs: &'static [&'static str],
    results: &'static [&'static str],
    params: &'static [&'static str],
}

const PARAMS: &[&str] = &["program.env[#]", "program.local[#]"];
const VERTEX_PARAMS: &[&str] = &[
    "program.env[#]",
    "program.local[#]",
    "state.matrix.mvp.row[0]",
    "state.light[#].position",
    "state.material.diffuse",
];
const VERTEX_INPUTS: &[&str] = &[
    "vertex.position",
    "vertex.normal",
    "vertex.color",
    "vertex.texcoord[#]",
];
const FRAGMENT_INPUTS: &[&str] = &[
    "fragment.texcoord[#]",
    "fragment.texcoord[#]",
    "fragment.color",
];
const VERTEX_RESULTS: &[&str] = &["result.texcoord[#]", "result.texcoord[#]", "result.color"];
const FRAGMENT_RESULTS: &[&str] = &["result.color"];

const fn vertex(weight: usize, header: &'static str, options: &'static [&'static str]) -> Language {
    Language {
        weight,
        header,
        options,
        is_vertex: true,
        inputs: VERTEX_INPUTS,
        results: VERTEX_RESULTS,
        params: VERTEX_PARAMS,
    }
}

const fn fragment(
    weight: usize,
    header: &'static str,
    options: &'static [&'static str],
) -> Language {
    Language {
        weight,
        header,
        options,
        is_vertex: false,
        inputs: FRAGMENT_INPUTS,
        results: FRAGMENT_RESULTS,
        params: PARAMS,
    }
}

const LANGUAGES: [Language; 6] = [
    vertex(37, "!!ARBvp1.0", &["NV_vertex_program3"]),
    fragment(
        41,
        "!!ARBfp1.0",
        &["ARB_precision_hint_fastest", "NV_fragment_program2"],
    ),
    vertex(6, "!!NVvp4.0", &[]),
    fragment(6, "!!NVfp4.0", &[]),
    vertex(5, "!!NVvp5.0", &[]),
    fragment(5, "!!NVfp5.0", &[]),
];

/// What stands for an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    Vector,
    Scalar,
}

use Operand::{Scalar as S, Vector as V};

/// Opcodes with their weights and operands. Texture reads are apart.
const OPCODES: &[(usize, &str, &[Operand])] = &[
    (17, "MOV", &[V]),
    (17, "MUL", &[V, V]),
    (12, "ADD", &[V, V]),
    (12, "MAD", &[V, V, V]),
    (10, "DP4", &[V, V]),
    (8, "DP3", &[V, V]),
    (4, "SUB", &[V, V]),
    (4, "RCP", &[S]),
    (3, "RSQ", &[S]),
    (3, "MAX", &[V, V]),
    (2, "MIN", &[V, V]),
    (2, "SLT", &[V, V]),
    (1, "SGE", &[V, V]),
    (1, "POW", &[S, S]),
    (1, "FRC", &[V]),
    (1, "LG2", &[S]),
    (1, "EX2", &[S]),
    (1, "ABS", &[V]),
    (1, "XPD", &[V, V]),
];

/// Percent of lines with masks, swizzles or signs.
const MODIFIED: usize = 46;
/// Percent of lines with a binding path, an input, a parameter or a result.
const BOUND: usize = 21;
/// Percent of lines with a literal.
const LITERAL: usize = 9;
/// Percent of lines of fragment programs that read textures: 7.5 of all lines.
const TEXTURED: usize = 14;

/// The program of this number; equal numbers give equal programs.
pub fn real(number: usize) -> Real {
    let mut rng = Rng::new(0x5EA1 ^ ((number as u64) << 16));
    let language = weighted(&mut rng, &LANGUAGES, |language| language.weight);
    let &(_, least, more) = weighted(&mut rng, &SIZES, |size| size.0);
    let size = least + rng.below(more + 1);
    let mut printer = Printer {
        uses_words: rng.percent(50),
        rng,
        language,
        temps: (2 + size / 8).min(TEMPS),
        written: Vec::new(),
        unread: Vec::new(),
        lines: 0,
        text: String::new(),
    };
    printer.declarations();
    printer.body(size);
    Real {
        text: printer.text,
        instructions: printer.lines,
    }
}

/// One of the rows, as often as its weight says.
pub(super) fn weighted<'a, T>(rng: &mut Rng, rows: &'a [T], weight: impl Fn(&T) -> usize) -> &'a T {
    let mut ticket = rng.below(rows.iter().map(&weight).sum());
    for row in rows {
        match ticket.checked_sub(weight(row)) {
            Some(rest) => ticket = rest,
            None => return row,
        }
    }
    &rows[0]
}

struct Printer {
    rng: Rng,
    language: &'static Language,
    uses_words: bool,
    temps: usize,
    /// Temporaries that have a value, and those whose last value nobody has read yet, oldest first.
    written: Vec<usize>,
    unread: Vec<usize>,
    lines: usize,
    text: String,
}

impl Printer {
    fn declarations(&mut self) {
        let _ = writeln!(self.text, "{}", self.language.header);
        if !self.language.options.is_empty() && self.rng.percent(40) {
            let option = self.rng.pick(self.language.options);
            let _ = writeln!(self.text, "OPTION {option};");
        }
        if self.rng.percent(33) {
            for line in 0..10 {
                let _ = writeln!(self.text, "# {line}: what this line of the source is for");
            }
        }
        self.text.push_str("PARAM c[8] = { program.env[0..7] };\n");
        if self.rng.percent(16) {
            self.text
                .push_str("PARAM half2 = { 0.5, 0.25, 1.0, 2.0 };\n");
        }
        if self.rng.percent(16) {
            self.text.push_str("PARAM scale = program.local[1];\n");
        }
        let input = self.language.inputs[0].replace('#', "0");
        let _ = writeln!(self.text, "ATTRIB first = {input};");
        if self.rng.percent(35) {
            let result = self.language.results[0].replace('#', "1");
            let _ = writeln!(self.text, "OUTPUT last = {result};");
        }
        // Some declare all in one line, some one by one.
        let names: Vec<String> = (0..self.temps).map(|temp| self.name(temp)).collect();
        let joined = match self.rng.percent(80) {
            true => names.join(", "),
            false => names.join(";\nTEMP "),
        };
        let _ = writeln!(self.text, "TEMP {joined};");
    }

    fn body(&mut self, size: usize) {
        self.line("MOV", &[0], "first");
        while self.lines + 1 < size {
            match self.rng.percent(TEXTURED) && !self.language.is_vertex {
                true => self.texture(),
                false => self.instruction(),
            }
        }
        let last = self.read();
        let result = match self.language.is_vertex {
            true => "result.position",
            false => "result.color",
        };
        let _ = writeln!(self.text, "MOV {result}, {last};\nEND");
        self.lines += 1;
    }

    /// A plain line whose result goes to a temporary.
    fn line(&mut self, opcode: &str, to: &[usize], operands: &str) {
        let name = self.name(to[0]);
        let _ = writeln!(self.text, "{opcode} {name}, {operands};");
        self.wrote(to[0]);
        self.lines += 1;
    }

    fn texture(&mut self) {
        let unit = self.rng.below(4);
        let coordinate = match self.rng.percent(50) {
            true => format!("fragment.texcoord[{unit}]"),
            false => self.read(),
        };
        let to = self.rng.below(self.temps);
        self.line("TEX", &[to], &format!("{coordinate}, texture[{unit}], 2D"));
    }

    fn instruction(&mut self) {
        let &(_, opcode, operands) = weighted(&mut self.rng, OPCODES, |row| row.0);
        let modified = self.rng.percent(MODIFIED);
        // One path in a line: vertex programs read one input and one parameter in an instruction.
        let mut bound = self.rng.percent(BOUND);
        let to_result = bound && self.rng.percent(35);
        let literal = (!bound && self.rng.percent(LITERAL)).then(|| operands.len() - 1);
        let sources: Vec<String> = operands
            .iter()
            .enumerate()
            .map(|(number, &operand)| {
                let path = std::mem::take(&mut bound) && !to_result;
                let source = match (path, literal) {
                    (true, _) => self.path(),
                    (false, Some(at)) if at == number => self.literal(operand),
                    (false, _) => self.source(number),
                };
                match source.starts_with(|first: char| first.is_ascii_digit() || first == '{') {
                    true => source,
                    false => self.modify(source, operand, modified),
                }
            })
            .collect();
        let (mut to, temp) = self.destination(to_result);
        if modified && self.rng.percent(70) && temp.is_none_or(|temp| self.written.contains(&temp))
        {
            to.push_str(self.rng.pick::<&str>(&[".x", ".xyz", ".w", ".xy", ".y"]));
        }
        let _ = writeln!(self.text, "{opcode} {to}, {};", sources.join(", "));
        temp.into_iter().for_each(|temp| self.wrote(temp));
        self.lines += 1;
    }

    fn destination(&mut self, to_result: bool) -> (String, Option<usize>) {
        if to_result {
            let result = self.rng.pick(self.language.results);
            return (self.numbered(result), None);
        }
        let temp = match self.written.len() < self.temps {
            true => self.written.len(),
            false => self.rng.below(self.temps),
        };
        (self.name(temp), Some(temp))
    }

    fn path(&mut self) -> String {
        let paths = match self.rng.percent(60) {
            true => self.language.inputs,
            false => self.language.params,
        };
        let path = self.rng.pick(paths);
        self.numbered(path)
    }

    fn numbered(&mut self, path: &str) -> String {
        path.replace('#', &self.rng.below(8).to_string())
    }

    fn literal(&mut self, operand: Operand) -> String {
        let number = self.rng.below(1000) as f64 / 250.0;
        match operand {
            S => format!("{{{number:?}}}.x"),
            V if self.rng.percent(50) => format!("{number:?}"),
            V => format!("{{ {number:?}, 0.5, 1.0, 0.0 }}"),
        }
    }

    /// The first operand is a temporary; others may be parameters.
    fn source(&mut self, number: usize) -> String {
        match number == 1 && self.rng.percent(40) {
            true => format!("c[{}]", self.rng.below(8)),
            false => self.read(),
        }
    }

    fn modify(&mut self, source: String, operand: Operand, modified: bool) -> String {
        if operand == S {
            return format!("{source}.{}", letter(self.rng.below(4)));
        }
        if !modified {
            return source;
        }
        let sign = if self.rng.percent(20) { "-" } else { "" };
        match self.rng.below(100) {
            0..30 => format!("{sign}{source}.{}", letter(self.rng.below(4))),
            30..50 => format!("{sign}{source}.xyzz"),
            50..60 => {
                let picks: String = (0..4).map(|_| letter(self.rng.below(4))).collect();
                format!("{sign}{source}.{picks}")
            }
            _ => format!("{sign}{source}"),
        }
    }

    fn read(&mut self) -> String {
        let temp = match self.unread.is_empty() {
            true => *self.rng.pick(&self.written),
            false => self.unread.remove(0),
        };
        self.name(temp)
    }

    fn wrote(&mut self, temp: usize) {
        if !self.written.contains(&temp) {
            self.written.push(temp);
        }
        if !self.unread.contains(&temp) {
            self.unread.push(temp);
        }
    }

    fn name(&self, temp: usize) -> String {
        match self.uses_words {
            true => WORDS[temp].to_owned(),
            false => format!("R{temp}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::real;

    #[test]
    fn proportions_are_those_of_shipped_programs() {
        let programs: Vec<_> = (0..1000).map(real).collect();
        let total: usize = programs.iter().map(|program| program.instructions).sum();
        assert!((38_000..48_000).contains(&total), "{total}");
        let sizes = programs.iter().map(|program| program.instructions);
        assert!(sizes.clone().min() >= Some(5) && sizes.max() <= Some(400));
        let declares = [
            "!!", "#", "PARAM", "TEMP", "ATTRIB", "OUTPUT", "OPTION", "END",
        ];
        let lines: Vec<&str> = programs
            .iter()
            .flat_map(|program| program.text.lines())
            .filter(|line| !declares.iter().any(|word| line.starts_with(word)))
            .collect();
        assert_eq!(lines.len(), total);
        let share = |wanted: &dyn Fn(&&&str) -> bool| {
            lines.iter().filter(wanted).count() as f64 * 100.0 / total as f64
        };
        let words = ["vertex.", "fragment.", "result.", "program.", "state."];
        let bound = share(&|line| words.iter().any(|word| line.contains(word)));
        let textures = share(&|line| line.starts_with("TEX"));
        assert!((20.0..32.0).contains(&bound), "{bound}");
        assert!((5.0..9.0).contains(&textures), "{textures}");
    }

    #[test]
    fn all_programs_load() {
        for number in 0..300 {
            let text = real(number).text;
            let source = glasm::Source::new("real", &text);
            if let Err(errors) = glasm::compile(&source, &glasm::Options::default()) {
                panic!("{number}: {}\n{text}", errors.render(&source));
            }
        }
    }
}
