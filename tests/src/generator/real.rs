//! Programs that look like those of games and of shader compilers: short, with declarations, options, literals, binding paths, masks,
//! swizzles and texture reads as often as shipped programs have them. Only the proportions are theirs.

use super::like_real::{
    BOUND, LITERAL, MODIFIED, Operand, SIZES, TEMPS, TEXTURED, Temps, component_of,
    modified_source, weighted,
};
use crate::rng::Rng;
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// Names of temporaries; programs of compilers have R0, R1 and so on.
const WORDS: [&str; TEMPS] = [
    "tmp", "normal", "lightDir", "eye", "half", "diffuse", "coord", "sum",
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
    /// Statements that stand behind the header.
    declarations: &'static [&'static str],
    /// The result that the last line of a round writes.
    last: &'static str,
    textures: Textures,
    /// The instructions come in so many rounds, each with this one at its end.
    rounds: usize,
    round_end: Option<&'static str>,
    /// The last instruction.
    end: Option<&'static str>,
    /// Inputs, parameters and results by their paths; `#` stands for a number from 0 to 7, `@` for a vertex.
    inputs: &'static [&'static str],
    results: &'static [&'static str],
    params: &'static [&'static str],
}

/// Whether programs read textures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Textures {
    Read,
    NotRead,
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

/// What most languages have.
const PLAIN: Language = Language {
    weight: 1,
    header: "",
    options: &[],
    declarations: &[],
    last: "result.position",
    textures: Textures::NotRead,
    rounds: 1,
    round_end: None,
    end: None,
    inputs: &[],
    results: VERTEX_RESULTS,
    params: PARAMS,
};

const fn vertex(weight: usize, header: &'static str, options: &'static [&'static str]) -> Language {
    Language {
        weight,
        header,
        options,
        last: "result.position",
        inputs: VERTEX_INPUTS,
        results: VERTEX_RESULTS,
        params: VERTEX_PARAMS,
        ..PLAIN
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
        last: "result.color",
        textures: Textures::Read,
        inputs: FRAGMENT_INPUTS,
        results: FRAGMENT_RESULTS,
        ..PLAIN
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

/// A stage between vertices and fragments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PrimitiveStage {
    /// Tessellation control programs.
    TessControl,
    /// Tessellation evaluation programs.
    TessEval,
    /// Geometry programs.
    Geometry,
}

impl PrimitiveStage {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::TessControl, Self::TessEval, Self::Geometry];

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::TessControl => "tessellation control",
            Self::TessEval => "tessellation evaluation",
            Self::Geometry => "geometry",
        }
    }

    fn language(self) -> &'static Language {
        &PRIMITIVES[self as usize]
    }
}

/// By [`PrimitiveStage`].
const PRIMITIVES: [Language; 3] = [
    Language {
        header: "!!NVtcp5.0",
        declarations: &["VERTICES_OUT 3;"],
        inputs: &[
            "vertex[@].position",
            "vertex[@].texcoord[#]",
            "primitive.invocation",
        ],
        results: &["result.texcoord[#]", "result.patch.attrib[#]"],
        end: Some("MOV result.patch.tessouter[0].x, program.local[0].x;"),
        ..PLAIN
    },
    Language {
        header: "!!NVtep5.0",
        declarations: &["TESS_MODE TRIANGLES;"],
        inputs: &[
            "vertex[@].position",
            "vertex[@].texcoord[#]",
            "vertex.tesscoord",
        ],
        ..PLAIN
    },
    Language {
        header: "!!NVgp4.0",
        declarations: &[
            "PRIMITIVE_IN TRIANGLES;",
            "PRIMITIVE_OUT TRIANGLE_STRIP;",
            "VERTICES_OUT 3;",
        ],
        inputs: &[
            "vertex[@].position",
            "vertex[@].texcoord[#]",
            "vertex[@].color",
        ],
        rounds: 3,
        round_end: Some("EMIT;"),
        end: Some("ENDPRIM;"),
        ..PLAIN
    },
];

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

/// The program of this number; equal numbers give equal programs.
pub fn real(number: usize) -> Real {
    let mut rng = Rng::new(0x5EA1 ^ ((number as u64) << 16));
    let language = weighted(&mut rng, &LANGUAGES, |language| language.weight);
    of_language(rng, language)
}

/// The program of a stage of this number.
pub fn primitive_real(stage: PrimitiveStage, number: usize) -> Real {
    let seed = 0x6E0 ^ stage as u64 ^ ((number as u64) << 16);
    of_language(Rng::new(seed), stage.language())
}

fn of_language(mut rng: Rng, language: &'static Language) -> Real {
    let &(_, least, more) = weighted(&mut rng, &SIZES, |size| size.0);
    let size = least + rng.below(more + 1);
    let mut printer = Printer {
        uses_words: rng.percent(50),
        rng,
        language,
        temps: Temps::for_size(size),
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

struct Printer {
    rng: Rng,
    language: &'static Language,
    uses_words: bool,
    temps: Temps,
    lines: usize,
    text: String,
}

impl Printer {
    fn declarations(&mut self) {
        let _ = writeln!(self.text, "{}", self.language.header);
        for declaration in self.language.declarations {
            let _ = writeln!(self.text, "{declaration}");
        }
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
        let input = self.language.inputs[0].replace(['#', '@'], "0");
        let _ = writeln!(self.text, "ATTRIB first = {input};");
        if self.rng.percent(35) {
            let result = self.language.results[0].replace('#', "1");
            let _ = writeln!(self.text, "OUTPUT last = {result};");
        }
        // Some declare all in one line, some one by one.
        let names: Vec<String> = (0..self.temps.count).map(|temp| self.name(temp)).collect();
        let joined = if self.rng.percent(80) {
            names.join(", ")
        } else {
            names.join(";\nTEMP ")
        };
        let _ = writeln!(self.text, "TEMP {joined};");
    }

    fn body(&mut self, size: usize) {
        self.line("MOV", &[0], "first");
        let Language {
            last,
            rounds,
            round_end,
            end,
            textures,
            ..
        } = *self.language;
        for round in 1..=rounds {
            let own = usize::from(round_end.is_some()) + 1;
            while self.lines + own < size * round / rounds {
                if self.rng.percent(TEXTURED) && textures == Textures::Read {
                    self.texture()
                } else {
                    self.instruction()
                }
            }
            let value = self.read();
            self.text_line(&format!("MOV {last}, {value};"));
            round_end.into_iter().for_each(|line| self.text_line(line));
        }
        end.into_iter().for_each(|line| self.text_line(line));
        self.text.push_str("END\n");
    }

    /// A line as it is.
    fn text_line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
        self.lines += 1;
    }

    /// A plain line whose result goes to a temporary.
    fn line(&mut self, opcode: &str, to: &[usize], operands: &str) {
        let name = self.name(to[0]);
        let _ = writeln!(self.text, "{opcode} {name}, {operands};");
        self.temps.wrote(to[0]);
        self.lines += 1;
    }

    fn texture(&mut self) {
        let unit = self.rng.below(4);
        let coordinate = if self.rng.percent(50) {
            format!("fragment.texcoord[{unit}]")
        } else {
            self.read()
        };
        let to = self.rng.below(self.temps.count);
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
                let is_literal =
                    source.starts_with(|first: char| first.is_ascii_digit() || first == '{');
                match operand {
                    _ if is_literal => source,
                    S => component_of(&mut self.rng, &source),
                    V if modified => modified_source(&mut self.rng, &source),
                    V => source,
                }
            })
            .collect();
        let (mut to, temp) = self.destination(to_result);
        if modified && self.rng.percent(70) && temp.is_none_or(|temp| self.temps.has_value(temp)) {
            to.push_str(self.rng.pick::<&str>(&[".x", ".xyz", ".w", ".xy", ".y"]));
        }
        let _ = writeln!(self.text, "{opcode} {to}, {};", sources.join(", "));
        temp.into_iter().for_each(|temp| self.temps.wrote(temp));
        self.lines += 1;
    }

    fn destination(&mut self, to_result: bool) -> (String, Option<usize>) {
        if to_result {
            let result = self.rng.pick(self.language.results);
            return (self.numbered(result), None);
        }
        let temp = self.temps.next(&mut self.rng);
        (self.name(temp), Some(temp))
    }

    fn path(&mut self) -> String {
        let paths = if self.rng.percent(60) {
            self.language.inputs
        } else {
            self.language.params
        };
        let path = self.rng.pick(paths);
        self.numbered(path)
    }

    fn numbered(&mut self, path: &str) -> String {
        let path = if path.contains('@') {
            path.replace('@', &self.rng.below(3).to_string())
        } else {
            path.to_owned()
        };
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
        if number == 1 && self.rng.percent(40) {
            format!("c[{}]", self.rng.below(8))
        } else {
            self.read()
        }
    }

    fn read(&mut self) -> String {
        let temp = self.temps.read(&mut self.rng);
        self.name(temp)
    }

    fn name(&self, temp: usize) -> String {
        if self.uses_words {
            WORDS[temp].to_owned()
        } else {
            format!("R{temp}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PrimitiveStage, primitive_real, real};

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
        let others = PrimitiveStage::ALL
            .into_iter()
            .flat_map(|stage| (0..100).map(move |number| primitive_real(stage, number)));
        for (number, program) in (0..300).map(real).chain(others).enumerate() {
            let text = program.text;
            let source = glasm::Source::new("real", &text);
            if let Err(errors) = glasm::compile(&source, &glasm::Options::default()) {
                panic!("{number}: {}\n{text}", errors.render(&source));
            }
        }
    }
}
