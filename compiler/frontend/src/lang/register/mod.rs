//! Facts about the languages whose programs name registers: NV_vertex_program,
//! NV_vertex_program1_1, NV_vertex_program2 and NV_fragment_program.

pub mod fp1;
pub mod vp1;
pub mod vp2;

use glasm_ir::Semantic;

/// The registers of a language, and further properties that only such languages have.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// The files whose registers are numbers or words in brackets after the name of the file.
    pub files: &'static [NvRegisterFile],
    /// Parameters that any instruction can read by number, such as `c[0]`; `None` if they are
    /// resolved one by one.
    pub parameters: Option<ParameterRegisters>,
    /// The registers named by a prefix and a number, such as `R0`.
    pub temporary_files: &'static [TemporaryRegisters],
    /// Names that exist only in fragment programs; `None` in the others.
    pub fragment: Option<&'static FragmentNames>,
    /// Address registers: A0 and so on.
    pub address_register_count: u32,
    /// True if all components of an address register exist; else x only.
    pub has_full_addresses: bool,
    /// The minimum and the maximum number that may be added to an address register.
    pub address_offsets: (i64, i64),
    /// True if operands may have a plus sign.
    pub allows_plus: bool,
    /// True if operands may be numbers and vectors of numbers.
    pub allows_literals: bool,
    /// True if OPTION lines exist.
    pub has_options: bool,
    /// True if products of zero and anything are +0. NV_vertex_program section 2.14.1.11.
    pub zero_times_any_is_zero: bool,
    /// True if clip distances clip where the clip planes of their numbers are enabled.
    /// NV_vertex_program2 section 2.11.
    pub enabled_clip_distances: bool,
    /// Instructions of a program.
    pub max_instructions: u32,
    /// Instructions of a program whose position fixed functions compute.
    pub max_invariant_instructions: u32,
}

/// Kind of the registers of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NvRegisterFileKind {
    /// Attributes.
    Attribs,
    /// Results.
    Results,
    /// The argument that a vertex state program is executed with, instead of attributes.
    Argument,
}

/// Registers that are selected in brackets after the name of the file.
#[derive(Clone, Copy, Debug)]
pub struct NvRegisterFile {
    /// One-character name.
    pub name: &'static str,
    /// Kind of the registers.
    pub kind: NvRegisterFileKind,
    /// True if numbers name them, too.
    pub numbered: bool,
    /// The words that name them, in the order of their numbers. All have four characters; those of
    /// registers that only numbers name are zeros.
    pub elements: &'static [([u8; 4], Semantic)],
}

/// Names of fragment programs other than files and temporaries. All further names are defined by
/// DEFINE and DECLARE. NV_fragment_program sections 3.11.1.2, 3.11.2 and 3.11.3.
#[derive(Clone, Copy, Debug)]
pub struct FragmentNames {
    /// Numbered parameters, each of which is resolved when an instruction names it.
    pub locals: ParameterRegisters,
    /// Registers that store only the condition codes of the values written to them.
    pub cc_registers: &'static [CcRegister],
    /// Word before the number of a texture image unit.
    pub unit_prefix: &'static str,
    /// Texture image units.
    pub unit_count: u32,
    /// Maximum number of all temporaries and results together, in units of half-precision
    /// registers. NV_fragment_program section 3.11.3.
    pub max_register_size: u32,
}

/// A register that stores only the condition codes of the values written to it.
#[derive(Clone, Copy, Debug)]
pub struct CcRegister {
    /// Name.
    pub name: &'static str,
    /// True if values have half precision.
    pub is_half: bool,
}

/// Parameters that are one array.
#[derive(Clone, Copy, Debug)]
pub struct ParameterRegisters {
    /// One-character name.
    pub name: &'static str,
    /// Number of parameters.
    pub count: u32,
    /// True if the program writes them, too.
    pub is_writable: bool,
}

/// Registers named by a prefix and a number.
#[derive(Clone, Copy, Debug)]
pub struct TemporaryRegisters {
    /// The prefix, one character.
    pub prefix: u8,
    /// Number of registers.
    pub count: u32,
    /// True if they hold values of half precision, so that they take half as much space.
    pub is_half: bool,
}

impl NvRegisterFile {
    /// Returns the number of the register that a word in the brackets names; `None` if the file has
    /// no such name. Names have four characters.
    pub(crate) fn find_element(&self, word: &[u8]) -> Option<u32> {
        let word: [u8; 4] = word.try_into().ok()?;
        let found = self.elements.iter().position(|&(name, _)| name == word);
        found.map(|number| number as u32)
    }
}

/// Returns the value of a decimal number without leading zeros, the number of a register; `None`
/// for any other text. Values beyond 32 bits become the largest.
pub(crate) fn parse_register_number(digits: &[u8]) -> Option<u32> {
    // `R01` is not a register: the grammars list the names of all of them.
    let padded = digits.len() > 1 && digits[0] == b'0';
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    if !is_number || padded {
        return None;
    }
    // A number of more digits is beyond every limit.
    let value = std::str::from_utf8(digits).ok()?.parse();
    Some(value.unwrap_or(u32::MAX))
}

impl Registers {
    /// Returns true if `name` is that of the numbered parameters of fragment programs, `p`, each of
    /// which is resolved separately.
    pub(crate) fn has_locals(&self, name: &[u8]) -> bool {
        let named = |fragment: &FragmentNames| fragment.locals.name.as_bytes() == name;
        self.fragment.is_some_and(named)
    }

    /// Returns the register file with exactly this name; `None` if the language has none.
    pub(crate) fn find_file(&self, name: &[u8]) -> Option<&'static NvRegisterFile> {
        let files: &'static [NvRegisterFile] = self.files;
        files.iter().find(|file| file.name.as_bytes() == name)
    }
}

/// v: the attributes of vertices. NV_vertex_program section 2.14.1.6, table X.2.
pub(crate) const VERTEX_ATTRIBS: NvRegisterFile = NvRegisterFile {
    name: "v",
    kind: NvRegisterFileKind::Attribs,
    numbered: true,
    elements: &[
        (*b"OPOS", Semantic::VertexAttribute(0)),
        (*b"WGHT", Semantic::VertexAttribute(1)),
        (*b"NRML", Semantic::VertexAttribute(2)),
        (*b"COL0", Semantic::VertexAttribute(3)),
        (*b"COL1", Semantic::VertexAttribute(4)),
        (*b"FOGC", Semantic::VertexAttribute(5)),
        // No conventional attribute has this number; no word contains NUL, so that only the number
        // names it.
        ([0; 4], Semantic::VertexAttribute(6)),
        ([0; 4], Semantic::VertexAttribute(7)),
        (*b"TEX0", Semantic::VertexAttribute(8)),
        (*b"TEX1", Semantic::VertexAttribute(9)),
        (*b"TEX2", Semantic::VertexAttribute(10)),
        (*b"TEX3", Semantic::VertexAttribute(11)),
        (*b"TEX4", Semantic::VertexAttribute(12)),
        (*b"TEX5", Semantic::VertexAttribute(13)),
        (*b"TEX6", Semantic::VertexAttribute(14)),
        (*b"TEX7", Semantic::VertexAttribute(15)),
    ],
};

/// v of vertex state programs: the vector that they are executed with. NV_vertex_program section
/// 2.14.4.
pub(crate) const STATE_ARGUMENT: NvRegisterFile = NvRegisterFile {
    name: "v",
    kind: NvRegisterFileKind::Argument,
    numbered: true,
    elements: &[([0; 4], Semantic::VertexAttribute(0))],
};

/// o of vertex state programs, which have no results: the name is known, so that an error names the
/// whole register.
pub(crate) const NO_RESULTS: NvRegisterFile = NvRegisterFile {
    name: "o",
    kind: NvRegisterFileKind::Results,
    numbered: false,
    elements: &[],
};

/// All results of vertex programs; the clip distances, which are last, are newer.
const VERTEX_RESULTS: &[([u8; 4], Semantic)] = &[
    // First: `check_register_program` tests its bit.
    (*b"HPOS", Semantic::Position),
    (*b"COL0", Semantic::Color(0)),
    (*b"COL1", Semantic::Color(1)),
    (*b"BFC0", Semantic::BackColor(0)),
    (*b"BFC1", Semantic::BackColor(1)),
    (*b"FOGC", Semantic::FogCoord),
    (*b"PSIZ", Semantic::PointSize),
    (*b"TEX0", Semantic::TexCoord(0)),
    (*b"TEX1", Semantic::TexCoord(1)),
    (*b"TEX2", Semantic::TexCoord(2)),
    (*b"TEX3", Semantic::TexCoord(3)),
    (*b"TEX4", Semantic::TexCoord(4)),
    (*b"TEX5", Semantic::TexCoord(5)),
    (*b"TEX6", Semantic::TexCoord(6)),
    (*b"TEX7", Semantic::TexCoord(7)),
    (*b"CLP0", Semantic::ClipDistance(0)),
    (*b"CLP1", Semantic::ClipDistance(1)),
    (*b"CLP2", Semantic::ClipDistance(2)),
    (*b"CLP3", Semantic::ClipDistance(3)),
    (*b"CLP4", Semantic::ClipDistance(4)),
    (*b"CLP5", Semantic::ClipDistance(5)),
];

/// o: the results of vertex programs. NV_vertex_program section 2.14.1.5, table X.1.
pub(crate) const VERTEX_1_RESULTS: NvRegisterFile = NvRegisterFile {
    name: "o",
    kind: NvRegisterFileKind::Results,
    numbered: false,
    // Without the six clip distances.
    elements: VERTEX_RESULTS.split_at(15).0,
};

/// Results of vertex programs with clip distances. NV_vertex_program2 section 2.14.1.5.
pub(crate) const VERTEX_2_RESULTS: NvRegisterFile = NvRegisterFile {
    elements: VERTEX_RESULTS,
    ..VERTEX_1_RESULTS
};

/// Returns true for the results of NV_vertex_program2, for programs of older versions that name
/// them.
pub(crate) fn is_vp2_result(word: &[u8]) -> bool {
    VERTEX_2_RESULTS.find_element(word).is_some()
}

/// f: the attributes of fragments. NV_fragment_program section 3.11.1.1, table X.1.
pub(crate) const FRAGMENT_ATTRIBS: NvRegisterFile = NvRegisterFile {
    name: "f",
    kind: NvRegisterFileKind::Attribs,
    numbered: false,
    elements: &[
        (*b"WPOS", Semantic::Position),
        (*b"COL0", Semantic::Color(0)),
        (*b"COL1", Semantic::Color(1)),
        (*b"FOGC", Semantic::FogCoord),
        (*b"TEX0", Semantic::TexCoord(0)),
        (*b"TEX1", Semantic::TexCoord(1)),
        (*b"TEX2", Semantic::TexCoord(2)),
        (*b"TEX3", Semantic::TexCoord(3)),
        (*b"TEX4", Semantic::TexCoord(4)),
        (*b"TEX5", Semantic::TexCoord(5)),
        (*b"TEX6", Semantic::TexCoord(6)),
        (*b"TEX7", Semantic::TexCoord(7)),
    ],
};

/// o: the results of fragment programs. NV_fragment_program section 3.11.1.3, table X.3. COLR and
/// COLH are one color of two precisions.
pub(crate) const FRAGMENT_RESULTS: NvRegisterFile = NvRegisterFile {
    name: "o",
    kind: NvRegisterFileKind::Results,
    numbered: false,
    elements: &[
        (
            // COLR, COLH and DEPR in this order: `check::registers::fp1` uses their numbers.
            *b"COLR",
            Semantic::FragColor {
                buffer: 0,
                index: 0,
            },
        ),
        (
            *b"COLH",
            Semantic::FragColor {
                buffer: 0,
                index: 0,
            },
        ),
        (*b"DEPR", Semantic::FragDepth),
    ],
};

macro_rules! suffixes {
    () => {
        $crate::lang::modifiers::ModifierFlags::empty()
    };
    ($($suffix:ident)+) => {
        $crate::lang::modifiers::ModifierFlags::empty()$(.union($crate::lang::register::suffix!($suffix)))+
    };
}
macro_rules! suffix {
    (C) => {
        $crate::lang::modifiers::ModifierFlags::CC0
    };
    (S) => {
        $crate::lang::modifiers::ModifierFlags::SAT
    };
    (H) => {
        $crate::lang::modifiers::ModifierFlags::FULL
            .union($crate::lang::modifiers::ModifierFlags::HALF)
    };
    (X) => {
        $crate::lang::modifiers::ModifierFlags::FULL
            .union($crate::lang::modifiers::ModifierFlags::HALF)
            .union($crate::lang::modifiers::ModifierFlags::FIXED)
    };
}
/// A table of opcodes of programs of some type.
macro_rules! opcodes {
    ($stages:expr; $($name:literal $since:ident [$($suffix:ident)*] $out:tt ($($in:ident)*) $lower:expr, $description:literal
       $(rule $operand_rule:expr)?;)*) => {
        /// All opcodes, in alphabetical order.
        pub(crate) const ROWS: &[$crate::lang::opcode_info::OpcodeInfo] = &[$($crate::lang::opcode_info::OpcodeInfo {
            name: $name,
            since: $crate::source::Version::$since,
            stages: $stages,
            early: $crate::lang::options::Features::empty(),
            required_features: $crate::lang::options::Features::empty(),
            arb: $crate::lang::arb::ArbAvailability::NONE,
            float: $crate::lang::opcode_info::Support::Narrow,
            int: $crate::lang::opcode_info::Support::Unsupported,
            mods: $crate::lang::register::suffixes!($($suffix)*),
            default: glasm_ir::types::BaseType::Float,
            rule: $crate::lang::opcode_info::TypeRule::Arithmetic,
            result: $crate::lang::opcodes::result!($out),
            operands: &[$($crate::lang::opcodes::operand!($in)),*],
            lower: $lower,
            description: $description,
            operand_rule: $crate::lang::opcodes::operand_rule!($($operand_rule)?),
        },)*];
    };
}
pub(crate) use {opcodes, suffix, suffixes};
