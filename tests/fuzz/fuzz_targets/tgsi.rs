//! TGSI texts whose instructions mostly parse, so that the fuzzer reaches checks, lowering and code generation.
#![no_main]

use arbitrary::Arbitrary;
use glasm::{Options, TgsiOptions};
use libfuzzer_sys::fuzz_target;

/// A text, and what it leaves open.
#[derive(Arbitrary, Debug)]
struct Input {
    processor: Processor,
    old: bool,
    dual_source: bool,
    block: u8,
    body: Vec<Stmt>,
    subroutine: Option<Vec<Stmt>>,
}

/// Its first word.
#[derive(Arbitrary, Debug)]
enum Processor {
    Vertex,
    Fragment,
    Geometry,
    Control,
    Evaluation,
    Compute,
}

/// What all processors have.
const DECLARATIONS: &str = "\
DCL TEMP[0..3]\nDCL TEMP[4..7], ARRAY(1), LOCAL\nDCL ADDR[0..1]\nDCL CONST[0..7]\nDCL CONST[1][0..3]\nDCL SAMP[0..1]\nDCL SVIEW[0], 2D, FLOAT\n\
DCL SVIEW[1], SHADOW2D, FLOAT\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\nDCL BUFFER[0]\nDCL BUFFER[1], ATOMIC\nDCL HWATOMIC[0][0..1]\n\
IMM[0] FLT32 {0.5, -2.0, 0x7f800000, 1e-40}\nIMM[1] INT32 {0, 1, -2, 2147483647}\nIMM[2] FLT64 {1.5, -3}\n";

impl Processor {
    /// Declarations besides those that all have.
    fn head(&self) -> &'static str {
        match self {
            Self::Vertex => {
                "VERT\nDCL IN[0..1]\nDCL OUT[0], POSITION\nDCL OUT[1..2], ARRAY(2), GENERIC[1]\nDCL OUT[3], CLIPDIST\nDCL SV[0], VERTEXID\n"
            }
            Self::Fragment => {
                "FRAG\nDCL IN[0], GENERIC[1], PERSPECTIVE\nDCL IN[1], FACE, CONSTANT\nDCL OUT[0], COLOR\nDCL OUT[1], POSITION\nDCL OUT[2], COLOR[1]\n\
                 DCL SV[0], SAMPLEID\n"
            }
            Self::Geometry => {
                "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\nPROPERTY GS_MAX_OUTPUT_VERTICES 4\n\
                 DCL IN[][0], POSITION\nDCL IN[][1], GENERIC[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[1]\nDCL OUT[2], LAYER\nDCL SV[0], INVOCATIONID\n"
            }
            Self::Control => {
                "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[1]\nDCL OUT[][0], POSITION\nDCL OUT[1], TESSOUTER\n\
                 DCL OUT[2], PATCH\nDCL SV[0], INVOCATIONID\n"
            }
            Self::Evaluation => {
                "TESS_EVAL\nPROPERTY TES_PRIM_MODE TRIANGLES\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[1]\nDCL IN[2], PATCH\nDCL OUT[0], POSITION\n\
                 DCL OUT[1], GENERIC[1]\nDCL OUT[2], PSIZE\nDCL SV[0], TESSCOORD\n"
            }
            Self::Compute => {
                "COMP\nDCL MEMORY[0], SHARED\nDCL MEMORY[1], PRIVATE\nDCL SV[0], THREAD_ID\n"
            }
        }
    }

    /// Inputs, as they are read.
    fn inputs(&self) -> &'static [&'static str] {
        match self {
            Self::Vertex | Self::Fragment => &["IN[0]", "IN[1]", "IN[ADDR[0].x]"],
            Self::Geometry | Self::Control => {
                &["IN[0][0]", "IN[ADDR[0].x][1]", "IN[1][ADDR[0].y+1]"]
            }
            Self::Evaluation => &["IN[0][0]", "IN[ADDR[0].x][1]", "IN[2]"],
            Self::Compute => &["MEMORY[0]", "SV[0]"],
        }
    }

    /// Outputs, as they are written.
    fn outputs(&self) -> &'static [&'static str] {
        match self {
            Self::Control => &["OUT[ADDR[0].x][0]", "OUT[1]", "OUT[2]", "OUT[0][0]"],
            Self::Compute => &["TEMP[0]"],
            Self::Vertex | Self::Fragment | Self::Geometry | Self::Evaluation => {
                &["OUT[0]", "OUT[1]", "OUT[2]", "OUT[ADDR[0].x+1]"]
            }
        }
    }
}

/// An instruction, or a block of them.
#[derive(Arbitrary, Debug)]
enum Stmt {
    Op {
        op: u8,
        suffix: u8,
        to: Dst,
        sources: [Src; 4],
    },
    If {
        head: u8,
        test: Src,
        then: Vec<Stmt>,
        otherwise: Option<Vec<Stmt>>,
    },
    Loop(Vec<Stmt>),
    Switch(Src, Vec<(Option<Src>, Vec<Stmt>)>),
    Plain(u8),
    Texture {
        op: u8,
        to: Dst,
        sources: [Src; 3],
        target: u8,
        offset: bool,
    },
    Memory {
        op: u8,
        place: u8,
        to: Dst,
        sources: [Src; 3],
    },
    Call,
}

/// A destination.
#[derive(Arbitrary, Debug)]
struct Dst {
    name: u8,
    mask: u8,
}

/// An operand.
#[derive(Arbitrary, Debug)]
struct Src {
    name: u8,
    sign: u8,
    swizzle: u8,
}

/// Opcodes with the numbers of their sources.
const OPCODES: &[(&str, usize)] = &[
    ("MOV", 1),
    ("LIT", 1),
    ("RCP", 1),
    ("RSQ", 1),
    ("SQRT", 1),
    ("EXP", 1),
    ("LOG", 1),
    ("FRC", 1),
    ("FLR", 1),
    ("ROUND", 1),
    ("EX2", 1),
    ("LG2", 1),
    ("COS", 1),
    ("SIN", 1),
    ("DDX", 1),
    ("DDY_FINE", 1),
    ("PK2H", 1),
    ("UP2H", 1),
    ("PK4UB", 1),
    ("UP4B", 1),
    ("ARL", 1),
    ("ARR", 1),
    ("UARL", 1),
    ("SSG", 1),
    ("CEIL", 1),
    ("TRUNC", 1),
    ("I2F", 1),
    ("U2F", 1),
    ("F2I", 1),
    ("F2U", 1),
    ("NOT", 1),
    ("ISSG", 1),
    ("INEG", 1),
    ("IABS", 1),
    ("BREV", 1),
    ("POPC", 1),
    ("LSB", 1),
    ("IMSB", 1),
    ("UMSB", 1),
    ("DABS", 1),
    ("DNEG", 1),
    ("DFRAC", 1),
    ("DRCP", 1),
    ("DSQRT", 1),
    ("F2D", 1),
    ("D2F", 1),
    ("I2D", 1),
    ("D2U", 1),
    ("I64NEG", 1),
    ("I64SSG", 1),
    ("U2I64", 1),
    ("F2U64", 1),
    ("I642F", 1),
    ("D2I64", 1),
    ("INTERP_CENTROID", 1),
    ("BALLOT", 1),
    ("VOTE_ANY", 1),
    ("READ_FIRST", 1),
    ("MUL", 2),
    ("ADD", 2),
    ("SUB", 2),
    ("DP2", 2),
    ("DP3", 2),
    ("DP4", 2),
    ("DST", 2),
    ("MIN", 2),
    ("MAX", 2),
    ("SLT", 2),
    ("SGE", 2),
    ("SEQ", 2),
    ("SNE", 2),
    ("POW", 2),
    ("DIV", 2),
    ("LDEXP", 2),
    ("XPD", 2),
    ("UADD", 2),
    ("UMUL", 2),
    ("IMUL_HI", 2),
    ("IDIV", 2),
    ("UDIV", 2),
    ("UMOD", 2),
    ("MOD", 2),
    ("AND", 2),
    ("OR", 2),
    ("XOR", 2),
    ("IMAX", 2),
    ("UMIN", 2),
    ("SHL", 2),
    ("ISHR", 2),
    ("USHR", 2),
    ("FSLT", 2),
    ("FSNE", 2),
    ("ISGE", 2),
    ("USEQ", 2),
    ("DADD", 2),
    ("DMUL", 2),
    ("DSLT", 2),
    ("DSEQ", 2),
    ("DDIV", 2),
    ("DLDEXP", 2),
    ("U64ADD", 2),
    ("U64MUL", 2),
    ("U64SLT", 2),
    ("I64DIV", 2),
    ("U64MOD", 2),
    ("U64SHL", 2),
    ("I64SHR", 2),
    ("INTERP_SAMPLE", 2),
    ("INTERP_OFFSET", 2),
    ("READ_INVOC", 2),
    ("MAD", 3),
    ("LRP", 3),
    ("FMA", 3),
    ("CMP", 3),
    ("UMAD", 3),
    ("UCMP", 3),
    ("IBFE", 3),
    ("UBFE", 3),
    ("DMAD", 3),
    ("DFMA", 3),
    ("BFI", 4),
];

/// Instructions without a destination.
const PLAIN: &[&str] = &[
    "BRK",
    "CONT",
    "RET",
    "KILL",
    "KILL_IF TEMP[0]",
    "DEMOTE",
    "NOP",
    "BARRIER",
    "MEMBAR IMM[1].yyyy",
    "EMIT IMM[1].xxxx",
    "ENDPRIM IMM[1].xxxx",
    "END",
    "ELSE",
    "ENDIF",
    "READ_HELPER TEMP[0].x",
    "CLOCK TEMP[0].xy",
];

/// Opcodes that sample, with the numbers of their sources before the unit.
const TEXTURES: &[(&str, usize)] = &[
    ("TEX", 1),
    ("TXP", 1),
    ("TXB", 1),
    ("TXL", 1),
    ("TXF", 1),
    ("TXQ", 1),
    ("TEX_LZ", 1),
    ("LODQ", 1),
    ("TXQS", 1),
    ("TEX2", 2),
    ("TXB2", 2),
    ("TXL2", 2),
    ("TG4", 2),
    ("TXD", 3),
];
const TARGETS: &[&str] = &[
    "1D",
    "2D",
    "3D",
    "CUBE",
    "RECT",
    "1D_ARRAY",
    "2D_ARRAY",
    "CUBEARRAY",
    "SHADOW1D",
    "SHADOW2D",
    "SHADOWRECT",
    "SHADOWCUBE",
    "SHADOW2D_ARRAY",
    "SHADOWCUBEARRAY",
    "2D_MSAA",
    "2D_ARRAY_MSAA",
    "BUFFER",
    "UNKNOWN",
];

/// Opcodes of memory, with the numbers of their sources behind the place.
const MEMORY: &[(&str, usize)] = &[
    ("LOAD", 1),
    ("ATOMUADD", 2),
    ("ATOMXCHG", 2),
    ("ATOMAND", 2),
    ("ATOMIMIN", 2),
    ("ATOMFADD", 2),
    ("ATOMINC_WRAP", 2),
    ("ATOMCAS", 3),
    ("RESQ", 0),
    ("STORE", 2),
];
const PLACES: &[(&str, &str)] = &[
    ("BUFFER[0]", ""),
    ("BUFFER[1]", ", VOLATILE"),
    ("IMAGE[0]", ", 2D, PIPE_FORMAT_R32_UINT"),
    ("MEMORY[0]", ""),
    ("MEMORY[1]", ""),
    ("MEMORY", ", COHERENT"),
    ("HWATOMIC[0][1]", ""),
    ("CONST[1]", ""),
];

const WRITABLE: &[&str] = &[
    "TEMP[0]",
    "TEMP[1]",
    "TEMP[3]",
    "TEMP[ADDR[0].x+4](1)",
    "ADDR[0]",
    "TEMP[5](1)",
];
const READABLE: &[&str] = &[
    "TEMP[0]",
    "TEMP[1]",
    "TEMP[3]",
    "TEMP[ADDR[0].x+4](1)",
    "CONST[1]",
    "CONST[0][7]",
    "CONST[ADDR[0].y+2]",
    "CONST[1][ADDR[1].x]",
    "IMM[0]",
    "IMM[1]",
    "IMM[2]",
    "SV[0]",
    "IMM[ADDR[0].x]",
];
const MASKS: &[&str] = &["", ".x", ".xy", ".xyz", ".w", ".yz", ".xw", ".zw"];
const SWIZZLES: &[&str] = &[
    "", ".xxxx", ".yyyy", ".wzyx", ".xxyy", ".xyxy", ".wwww", ".zwzw",
];
const SUFFIXES: &[&str] = &["", "", "_SAT", "_PRECISE", "_SAT_PRECISE"];

fn pick<T: Copy>(list: &[T], index: u8) -> T {
    list[index as usize % list.len()]
}

struct Printer<'a> {
    text: String,
    processor: &'a Processor,
}

impl Printer<'_> {
    fn put(&mut self, words: &[&str]) {
        self.text.extend(words.iter().copied());
    }

    fn dst(&mut self, to: &Dst) {
        let outputs = self.processor.outputs();
        // Half of all destinations are outputs.
        let name = match to.name % 2 {
            0 => pick(outputs, to.name / 2),
            _ => pick(WRITABLE, to.name / 2),
        };
        self.put(&[" ", name, pick(MASKS, to.mask)]);
    }

    fn src(&mut self, from: &Src) {
        let inputs = self.processor.inputs();
        let name = match from.name % 4 {
            0 => pick(inputs, from.name / 4),
            _ => pick(READABLE, from.name / 4),
        };
        let (before, behind) = pick(&[("", ""), ("-", ""), ("|", "|"), ("-|", "|")], from.sign);
        self.put(&[before, name, pick(SWIZZLES, from.swizzle), behind]);
    }

    fn sources(&mut self, sources: &[Src]) {
        for source in sources {
            self.put(&[", "]);
            self.src(source);
        }
    }

    fn body(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Op {
                op,
                suffix,
                to,
                sources,
            } => {
                let (name, count) = pick(OPCODES, *op);
                self.put(&[name, pick(SUFFIXES, *suffix)]);
                self.dst(to);
                self.sources(&sources[..count]);
            }
            Stmt::If {
                head,
                test,
                then,
                otherwise,
            } => {
                self.put(&[pick(&["IF ", "UIF "], *head)]);
                self.src(test);
                self.put(&["\n"]);
                self.body(then);
                if let Some(otherwise) = otherwise {
                    self.put(&["ELSE\n"]);
                    self.body(otherwise);
                }
                self.put(&["ENDIF"]);
            }
            Stmt::Loop(body) => {
                self.put(&["BGNLOOP\n"]);
                self.body(body);
                self.put(&["ENDLOOP"]);
            }
            Stmt::Switch(value, cases) => {
                self.put(&["SWITCH "]);
                self.src(value);
                self.put(&["\n"]);
                for (value, body) in cases {
                    match value {
                        Some(value) => {
                            self.put(&["CASE "]);
                            self.src(value);
                        }
                        None => self.put(&["DEFAULT"]),
                    }
                    self.put(&["\n"]);
                    self.body(body);
                }
                self.put(&["ENDSWITCH"]);
            }
            Stmt::Plain(which) => self.put(&[pick(PLAIN, *which)]),
            Stmt::Texture {
                op,
                to,
                sources,
                target,
                offset,
            } => {
                let (name, count) = pick(TEXTURES, *op);
                self.put(&[name]);
                self.dst(to);
                self.sources(&sources[..count]);
                let offset = if *offset { ", IMM[1].xyz" } else { "" };
                self.put(&[", SAMP[0], ", pick(TARGETS, *target), offset]);
            }
            Stmt::Memory {
                op,
                place,
                to,
                sources,
            } => {
                let (name, count) = pick(MEMORY, *op);
                let (place, behind) = pick(PLACES, *place);
                self.put(&[name]);
                match name {
                    "STORE" => self.put(&[" ", place, pick(MASKS, to.mask)]),
                    _ => {
                        self.dst(to);
                        self.put(&[", ", place]);
                    }
                }
                self.sources(&sources[..count]);
                self.put(&[behind]);
            }
            Stmt::Call => self.put(&["CAL :999"]),
        }
        self.put(&["\n"]);
    }
}

fuzz_target!(|input: Input| {
    let mut printer = Printer {
        text: format!("{}{DECLARATIONS}", input.processor.head()),
        processor: &input.processor,
    };
    printer.body(&input.body);
    if let Some(subroutine) = &input.subroutine {
        printer.put(&["RET\n999: BGNSUB\n"]);
        printer.body(subroutine);
        printer.put(&["ENDSUB\n"]);
    }
    printer.put(&["END\n"]);
    let tgsi = TgsiOptions {
        legacy_semantics: input.old,
        dual_source: input.dual_source,
        block_size: [u32::from(input.block), 1, 1],
        ..TgsiOptions::default()
    };
    glasm_fuzz::check_repaired(printer.text, tgsi, &Options::default());
});
