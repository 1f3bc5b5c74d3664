//! Programs of one shape each, as large as one likes: what a compiler does with them must grow as they do.

use crate::rng::Rng;
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// IF blocks in each other.
const IF_DEPTH: usize = 12;
/// Instructions between labels that jumps go to.
const PIECE: usize = 5;

/// The shape of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One instruction after the other.
    Straight,
    /// Loops that are left by a BRK, one after the other.
    Repeat,
    /// IF blocks in each other.
    Nested,
    /// Conditional jumps to random labels, forward and backward.
    Jump,
    /// Subroutines, each called twice.
    Call,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Straight,
        Self::Repeat,
        Self::Nested,
        Self::Jump,
        Self::Call,
    ];

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Straight => "straight",
            Self::Repeat => "REP and BRK",
            Self::Nested => "nested IF",
            Self::Jump => "BRA",
            Self::Call => "CAL",
        }
    }

    /// A program of about `size` instructions, and their number.
    pub fn program(self, size: usize) -> (String, usize) {
        let mut lines = Lines::default();
        match self {
            Self::Straight => {
                lines.begin("!!NVfp4.0\n");
                while lines.count + 1 < size {
                    lines.work();
                }
            }
            Self::Repeat => repeat(&mut lines, size),
            Self::Nested => nested(&mut lines, size),
            Self::Jump => jump(&mut lines, size),
            Self::Call => return call(size),
        }
        lines.end()
    }
}

/// Instructions that change one of four temporaries.
#[derive(Default)]
struct Lines {
    text: String,
    count: usize,
}

impl Lines {
    fn begin(&mut self, header: &str) {
        self.text.push_str(header);
        self.text
            .push_str("PARAM c[8] = { program.local[0..7] };\nTEMP R0, R1, R2, R3;\n");
        for temp in 0..4 {
            self.line(&format!("MUL R{temp}, c[{temp}], c[7]"));
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push_str(";\n");
        self.count += 1;
    }

    fn work(&mut self) {
        let n = self.count;
        let (to, from, param) = (n % 4, (n + 1) % 4, n % 8);
        self.line(&format!("MAD R{to}, R{from}, c[{param}], R{to}"));
    }

    fn end(mut self) -> (String, usize) {
        let result = if self.text.starts_with("!!ARBvp") {
            "position"
        } else {
            "color"
        };
        self.line(&format!("ADD result.{result}, R0, R1"));
        self.text.push_str("END\n");
        (self.text, self.count)
    }
}

fn repeat(lines: &mut Lines, size: usize) {
    lines.begin("!!NVfp4.0\n");
    while lines.count + 9 < size {
        lines.line("REP 8");
        for _ in 0..4 {
            lines.work();
        }
        lines.line("SUB.CC R2.x, R0, c[5]");
        lines.line("BRK (GT.x)");
        lines.line("ENDREP");
    }
}

fn nested(lines: &mut Lines, size: usize) {
    lines.begin("!!NVfp4.0\n");
    while lines.count + 4 * IF_DEPTH < size {
        for _ in 0..IF_DEPTH {
            lines.line("SUB.CC R2.x, R0, c[5]");
            lines.line("IF GT.x");
            lines.work();
        }
        for _ in 0..IF_DEPTH {
            lines.line("ENDIF");
        }
    }
}

fn jump(lines: &mut Lines, size: usize) {
    lines.begin("!!ARBvp1.0\nOPTION NV_vertex_program2;\n");
    let labels = (size.saturating_sub(lines.count + 1) / PIECE).max(1);
    let mut rng = Rng::new(size as u64);
    for label in 0..labels {
        let _ = writeln!(lines.text, "L{label}:");
        for _ in 0..PIECE - 2 {
            lines.work();
        }
        lines.line("SUBC R2.x, R0, c[5]");
        lines.line(&format!("BRA L{} (GT.x)", rng.below(labels)));
    }
}

fn call(size: usize) -> (String, usize) {
    const BODY: usize = 4;
    let mut lines = Lines::default();
    let routines = (size.saturating_sub(6) / (BODY + 3)).max(1);
    lines.begin("!!NVfp4.0\n");
    let (begin, first) = (lines.text, lines.count);
    let mut all = Lines {
        text: begin.replace("TEMP R0, R1, R2, R3;\n", "TEMP R0, R1, R2, R3;\nmain:\n"),
        count: first,
    };
    let mut rng = Rng::new(size as u64);
    for _ in 0..2 * routines {
        all.line(&format!("CAL S{}", rng.below(routines)));
    }
    all.line("ADD result.color, R0, R1");
    all.line("RET");
    for routine in 0..routines {
        let _ = writeln!(all.text, "S{routine}:");
        for _ in 0..BODY {
            all.work();
        }
        all.line("RET");
    }
    all.text.push_str("END\n");
    (all.text, all.count)
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn all_shapes_load_and_have_their_size() {
        for shape in Shape::ALL {
            for size in [100, 1000] {
                let (text, count) = shape.program(size);
                assert!(count.abs_diff(size) <= 50, "{shape:?} {size}: {count}");
                let source = glasm::Source::new("shape", &text);
                if let Err(errors) = glasm::compile(&source, &glasm::Options::default()) {
                    panic!("{shape:?}: {}", errors.render(&source));
                }
            }
        }
    }
}
