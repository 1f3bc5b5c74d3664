//! Differences between the languages: a table entry for each language, which parser, checker and
//! lowering read instead of testing the family; and languages that glasm recognizes by the start of
//! their programs, and does not translate.
//!
//! Differences that need a separate function are in that function; the tables of opcodes, bindings,
//! options and targets name the languages that have them.

use crate::lang::options::Features;
use crate::lang::register::{FragmentNames, Registers, fp1, vp1, vp2};
use crate::lang::{arb, limits};
use crate::source::{Dialect, Family, ProgramType, Version};
use glasm_ir::Stage;
use glasm_ir::program::Modes;
use glasm_ir::structurize::StepTest;

/// Facts that hold for the programs of a language.
#[derive(Clone, Copy, Debug)]
pub struct DialectTraits {
    /// Features of programs without options.
    pub features: Features,
    /// The registers that instructions name instead of variables; `None` in the languages with
    /// declarations.
    pub registers: Option<&'static Registers>,

    /// Words that begin bindings, and that cannot be names. NV_gpu_program4 section 2.X.2,
    /// ARB_vertex_program section 2.14.2. In the languages with registers, the names of
    /// [`Registers::files`] and of parameters that are resolved one by one.
    pub reserved_words: &'static [&'static str],
    /// Opcodes and declarations of older languages, which get a separate message. NV_gpu_program4
    /// issue 2.
    pub removed_words: &'static [&'static str],
    /// Bindings that begin with `program`.
    pub program_bindings: &'static [&'static str],

    /// True if `rgba` select components as `xyzw` do.
    pub rgba_components: bool,
    /// True if one extended swizzle can have components of both sets.
    pub mixed_extended_swizzle: bool,
    /// True if integers can be written as `0x1F`.
    pub hexadecimal: bool,
    /// True if a number can have a suffix: `2.x`. ARB_vertex_program section 2.14.2.
    pub suffixed_numbers: bool,
    /// True if modifiers follow the opcode after points. Languages without them have suffixes only.
    pub dotted_modifiers: bool,
    /// True if every condition of an instruction is written with or without parentheses; else those
    /// of IF and KIL have none, all others do.
    pub optional_parentheses: bool,
    /// Features that must be enabled for a word to be a condition where a variable of its name is
    /// allowed, too. `None` if conditions are always enabled, but a declared variable takes
    /// precedence. NV_fragment_program_option section 3.11.5.
    pub condition_words: Option<Features>,
    /// Features that must be enabled for conditions that name their register, such as `GT1`. `None`
    /// if there are none.
    pub numbered_conditions: Option<Features>,
    /// True if every variable can be an array, with two sizes if it is in memory; else PARAM only.
    pub all_arrays: bool,
    /// True if an array can be bound to a range without braces.
    pub bare_ranges: bool,
    /// True if textures have names and handles; else they are `texture[n]`, whose word need not be
    /// reserved.
    pub texture_names: bool,
    /// True if texture instructions take texel offsets.
    pub texel_offsets: bool,
    /// True if labels can have a SUBROUTINENUM. ARB_shader_subroutine section 2.X.2.
    pub numbered_labels: bool,
    /// True if dynamic indices are components of address registers, which must be named; else those
    /// of any variable or binding of integers, x if none is named.
    pub address_registers: bool,

    /// True if instructions have the forms that the opcode table lists for ARB programs, which
    /// options extend. The other languages with declarations have data types, and versions add
    /// their opcodes and modifiers.
    pub forms_by_options: bool,
    /// True if results have the precision that an instruction requests; else it is a hint.
    /// NV_fragment_program section 3.11.4.2.
    pub exact_precision: bool,
    /// The instruction sets that options enable; empty if instructions do not depend on options.
    pub instruction_sets: Features,
    /// Features that must be enabled for conditions and absolute values; empty if none.
    pub conditions: Features,
    /// Features that must be enabled for labels; empty if none.
    pub labels: Features,
    /// Features that must be enabled for bindings with a dynamic index; `None` if there are none.
    pub relative_bindings: Option<Features>,
    /// Features that must be enabled for shipped programs to read their results.
    pub readable_results: Features,
    /// True if shipped programs with OPTION ARB_position_invariant write a position.
    pub position_may_be_written: bool,

    /// Maximum number of attributes that a program binds; `None` if their components are counted
    /// instead.
    pub max_attributes: Option<usize>,
    /// Maximum number of texture image units that a program accesses, if it is below the number of
    /// units.
    pub max_texture_units: Option<usize>,
    /// Open IF blocks.
    pub max_if_depth: usize,
    /// Open loops.
    pub max_loop_depth: usize,
    /// Calls that can be open.
    pub max_call_depth: u32,
    /// Maximum number of iterations of a loop. NV_fragment_program2 section 3.11.4.X.
    pub max_loop_iterations: Option<u32>,
    /// Instructions that are counted at run time, so that no program runs forever.
    /// NV_vertex_program2_option section 2.14.4.X, NV_vertex_program2 section 2.14.2.3.
    pub step_test: Option<StepTest>,

    /// True if routines that do not end with RET fall through to the next one. NV_fragment_program2
    /// section 3.11.4.X.
    pub falls_through: bool,
    /// True if a call on a full stack ends the program; else it is ignored.
    pub stack_overflow_ends: bool,
    /// True if NaN passes a clamp, which is two comparisons. ARB_fragment_program section 3.11.4.3.
    pub clamp_keeps_nan: bool,
}

/// Vertex programs of the family with types. The others differ in their reserved words.
static TYPED: DialectTraits = DialectTraits {
    features: Features::empty(),
    registers: None,
    // Each stage reserves only the words that its bindings begin with: NV_gpu_program4 section
    // 2.X.2.
    reserved_words: &["program", "result", "state", "texture", "vertex"],
    removed_words: &[
        // "Functionality removed": free branches, address registers, approximations of powers and
        // logarithms.
        "ADDRESS", "ARA", "ARL", "ARR", "BRA", "ENDLOOP", "EXP", "LOG", "LOOP", "PUSHA", "POPA",
    ],
    program_bindings: &[
        "program.env",
        "program.local",
        "program.buffer",
        "program.storage",
        // NVIDIA's compiler writes this for arrays of storage buffers without a size; no
        // specification has it.
        "program.storagelen",
        "program.counter",
        "program.sharedmem",
        "program.subroutine",
    ],
    rgba_components: true,
    // In the grammar of NV_gpu_program4 each component is of either set; in that of
    // ARB_fragment_program all four are of one.
    mixed_extended_swizzle: true,
    hexadecimal: true,
    suffixed_numbers: false,
    dotted_modifiers: true,
    // The grammar has none after IF and some after BRK; programs have both.
    optional_parentheses: true,
    condition_words: None,
    numbered_conditions: Some(Features::empty()),
    all_arrays: true,
    bare_ranges: true,
    texture_names: true,
    texel_offsets: true,
    numbered_labels: true,
    address_registers: false,
    forms_by_options: false,
    exact_precision: false,
    instruction_sets: Features::empty(),
    conditions: Features::empty(),
    labels: Features::empty(),
    relative_bindings: None,
    readable_results: Features::empty(),
    position_may_be_written: true,
    max_attributes: None,
    max_texture_units: None,
    max_if_depth: limits::IF_DEPTH,
    max_loop_depth: limits::LOOP_DEPTH,
    // Routines that call themselves deeper than this skip the call: NV_gpu_program4 leaves it
    // undefined, and the program must end.
    max_call_depth: limits::CALL_DEPTH as u32,
    max_loop_iterations: None,
    step_test: None,
    // "As though an unconditional RET instruction were inserted immediately before the instruction
    // label."
    falls_through: false,
    stack_overflow_ends: false,
    clamp_keeps_nan: false,
};

static TYPED_FRAGMENT: DialectTraits = DialectTraits {
    reserved_words: &[
        "program",
        "result",
        "state",
        "texture",
        "fragment",
        "primitive",
    ],
    ..TYPED
};

// NV_compute_program5 section 2.X.2: attributes begin with `invocation`.
static TYPED_COMPUTE: DialectTraits = DialectTraits {
    reserved_words: &["program", "result", "state", "texture", "invocation"],
    ..TYPED
};

/// Programs whose inputs are the vertices of a primitive.
static TYPED_PRIMITIVE: DialectTraits = DialectTraits {
    reserved_words: &[
        "program",
        "result",
        "state",
        "texture",
        "vertex",
        "primitive",
    ],
    ..TYPED
};

static ARB_VERTEX: DialectTraits = DialectTraits {
    reserved_words: &["program", "result", "state", "vertex"],
    // Color components are for fragments: the grammar of ARB_vertex_program has xyzw only.
    rgba_components: false,
    condition_words: Some(Features::NV_FRAGMENT),
    numbered_conditions: Some(Features::NV_VERTEX_3),
    conditions: Features::NV_VERTEX_2,
    // Both instruction sets add labels, but those of vertex programs are targets of free branches,
    // too.
    labels: Features::NV_VERTEX_2,
    relative_bindings: Some(Features::NV_VERTEX_3),
    max_attributes: Some(arb::VERTEX_ATTRIBS),
    max_texture_units: Some(arb::VERTEX_TEXTURES),
    ..ARB_FRAGMENT
};

static ARB_FRAGMENT: DialectTraits = DialectTraits {
    features: Features::empty(),
    registers: None,
    reserved_words: &["program", "result", "state", "texture", "fragment"],
    removed_words: &[],
    // Buffers came with NV_gpu_program4.
    program_bindings: &["program.env", "program.local"],
    rgba_components: true,
    mixed_extended_swizzle: false,
    hexadecimal: false,
    suffixed_numbers: true,
    dotted_modifiers: false,
    optional_parentheses: false,
    condition_words: Some(Features::NV_FRAGMENT),
    numbered_conditions: None,
    // ARB_fragment_program section 3.11.2: only <PARAM_statement> has an array form.
    all_arrays: false,
    bare_ranges: false,
    texture_names: false,
    texel_offsets: false,
    numbered_labels: false,
    address_registers: true,
    forms_by_options: true,
    exact_precision: false,
    instruction_sets: Features::NV_OPTIONS,
    conditions: Features::NV_FRAGMENT,
    labels: Features::NV_FRAGMENT_2,
    relative_bindings: Some(Features::NV_FRAGMENT_2),
    readable_results: Features::NV_FRAGMENT_2,
    position_may_be_written: false,
    max_attributes: Some(arb::FRAGMENT_ATTRIBS),
    max_texture_units: None,
    max_if_depth: limits::IF_DEPTH,
    max_loop_depth: limits::LOOP_DEPTH,
    max_call_depth: limits::CALL_DEPTH as u32,
    // "The number of loop iterations is limited to the value MAX_PROGRAM_LOOP_COUNT_NV":
    // NV_fragment_program2 section 3.11.4.X.
    max_loop_iterations: Some(arb::LOOP_COUNT),
    step_test: Some(StepTest::Loops),
    // "Instructions will be executed sequentially in the order specified in the program."
    falls_through: true,
    // "A vertex program will terminate abnormally if a subroutine call instruction produces a call
    // stack overflow."
    stack_overflow_ends: true,
    clamp_keeps_nan: true,
};

/// NV_vertex_program.
static VERTEX_1_0: DialectTraits = DialectTraits {
    registers: Some(&vp1::REGISTERS_1_0),
    // Versions add opcodes here, as in the languages with types; all else below is as in ARB
    // programs.
    forms_by_options: false,
    reserved_words: &["v", "o"],
    program_bindings: &[],
    rgba_components: false,
    suffixed_numbers: false,
    condition_words: None,
    numbered_conditions: None,
    relative_bindings: None,
    readable_results: Features::NV_FRAGMENT_2,
    max_attributes: None,
    max_texture_units: None,
    ..ARB_FRAGMENT
};

/// Vertex state programs of NV_vertex_program.
static VERTEX_STATE: DialectTraits = DialectTraits {
    registers: Some(&vp1::STATE_REGISTERS),
    ..VERTEX_1_0
};

/// NV_vertex_program1_1.
static VERTEX_1_1: DialectTraits = DialectTraits {
    registers: Some(&vp1::REGISTERS_1_1),
    ..VERTEX_1_0
};

/// NV_vertex_program2: the features that OPTION NV_vertex_program2 adds to ARB programs.
static VERTEX_2: DialectTraits = DialectTraits {
    features: Features::NV_VERTEX_2,
    registers: Some(&vp2::REGISTERS),
    // "If a CAL instruction is executed with four entries already in the call stack": section
    // 2.14.2.3.
    max_call_depth: arb::VERTEX_2_CALL_DEPTH,
    // Its branches are free, so that any of them may branch back.
    step_test: Some(StepTest::Blocks),
    ..VERTEX_1_0
};

/// NV_fragment_program: the features that OPTION NV_fragment_program adds to ARB programs.
static FRAGMENT_1: DialectTraits = DialectTraits {
    features: Features::NV_FRAGMENT,
    registers: Some(&fp1::REGISTERS),
    reserved_words: &["f", "o", "p"],
    exact_precision: true,
    // No option adds one: the language itself has all of it, see `features`.
    instruction_sets: Features::empty(),
    // KIL takes a condition only, so the word is one in every program.
    condition_words: Some(Features::empty()),
    ..VERTEX_1_0
};

impl DialectTraits {
    /// Returns the names that only exist in fragment programs whose instructions name registers;
    /// `None` in all other languages.
    pub fn fragment_names(&self) -> Option<&'static FragmentNames> {
        self.registers.and_then(|registers| registers.fragment)
    }

    /// Returns the modes of a program before its options are read. The languages with numbered
    /// registers flush denormal numbers to zero, and fragment programs among them read missing
    /// textures as transparent black. NV_vertex_program section 2.14.1.11, NV_fragment_program
    /// section 3.11.4.1.
    pub(crate) fn default_modes(&self) -> Modes {
        match self.registers {
            None => Modes::default(),
            Some(registers) => Modes {
                zero_times_inf_is_zero: registers.zero_times_any_is_zero,
                flush_denormals: true,
                enabled_clip_distances: registers.enabled_clip_distances,
                // NV_fragment_program returns (0, 0, 0, 0) for textures that are not complete.
                transparent_missing_textures: registers.fragment.is_some(),
                ..Modes::default()
            },
        }
    }
}

impl Dialect {
    /// Returns the properties of the language that the parser and checks depend on.
    pub fn traits(self) -> &'static DialectTraits {
        match (self.family(), self.stage()) {
            (Family::Typed, Stage::Vertex) => &TYPED,
            (Family::Typed, Stage::Fragment) => &TYPED_FRAGMENT,
            (Family::Typed, Stage::Compute) => &TYPED_COMPUTE,
            (Family::Typed, Stage::Geometry | Stage::TessControl | Stage::TessEval) => {
                &TYPED_PRIMITIVE
            }
            (Family::Arb, Stage::Vertex) => &ARB_VERTEX,
            // The family has no other stages.
            (Family::Arb, _) => &ARB_FRAGMENT,
            (Family::Vertex1, Stage::Compute) => &VERTEX_STATE,
            (Family::Vertex1, _) if self.version() == Version::V1_0 => &VERTEX_1_0,
            (Family::Vertex1, _) => &VERTEX_1_1,
            (Family::Vertex2, _) => &VERTEX_2,
            (Family::Fragment1, _) => &FRAGMENT_1,
            // TGSI has a separate front end: facts that only other languages have are not read.
            (Family::Tgsi, _) => &TYPED,
        }
    }
}

/// Status of a language in glasm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SupportStatus {
    /// A language of assembly programs that is not supported yet, with the extension of OpenGL that
    /// defines it.
    Unsupported(&'static str),
    /// A language other than OpenGL's assembly programs; the string is advice for such a program.
    Foreign(&'static str),
    /// No such language was ever published; the string names the language of such programs.
    NonExistent(&'static str),
}

/// A language that is not translated.
#[derive(Clone, Copy, Debug)]
pub struct UnsupportedLanguage {
    /// Start of its programs.
    pub start: &'static str,
    /// Name of the language.
    pub name: &'static str,
    /// Status in glasm.
    pub status: SupportStatus,
}

macro_rules! languages {
    ($($start:literal $name:literal $status:ident $text:literal;)*) => {
        /// All languages that are known and not translated.
        pub static LANGUAGES: &[UnsupportedLanguage] = &[$(UnsupportedLanguage {
            start: $start,
            name: $name,
            status: SupportStatus::$status($text),
        },)*];
    };
}

languages! {
    // Columns: start, name, status, extension or advice.
    //
    // A header of drafts: the published extension has !!FP1.0 only.
    "!!FCP1.0" "fragment programs with register combiners, of early drafts of NV_fragment_program" Unsupported "NV_fragment_program";
    "!!VP3.0" "no language" NonExistent "NV_vertex_program3 extends programs that start with !!ARBvp1.0: write OPTION NV_vertex_program3; after that header";
    "!!FP2.0" "no language" NonExistent "NV_fragment_program2 extends programs that start with !!ARBfp1.0: write OPTION NV_fragment_program2; after that header";
    // Input of nvparse, a library of NVIDIA's SDK; no driver reads it.
    "!!RC1.0" "register combiners of NV_register_combiners" Foreign "register combiners are not programs for OpenGL: the application's library nvparse \
        reads such a source and calls glCombinerInputNV and similar functions";
    "!!TS1.0" "texture shaders of NV_texture_shader" Foreign "texture shaders are not programs for OpenGL: the application's library nvparse reads such a \
        text and calls glTexEnviv with GL_TEXTURE_SHADER_NV";
    // Words of other assemblies, so that such a file gets advice instead of a list of headers.
    "vs_1_1" "vertex shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "vs_2_0" "vertex shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "vs_2_x" "vertex shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "vs_3_0" "vertex shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "ps_1_1" "pixel shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "ps_1_4" "pixel shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "ps_2_0" "pixel shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "ps_2_x" "pixel shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "ps_3_0" "pixel shaders of Direct3D's assembly" Foreign "glasm does not read the assembly of Direct3D";
    "#version" "GLSL" Foreign "glslangValidator and shaderc compile GLSL";
    "; SPIR-V" "SPIR-V assembly" Foreign "spirv-as assembles it to a module";
}

impl UnsupportedLanguage {
    /// Returns the language of a source that begins with the header of a known language that glasm
    /// does not translate; `None` for any other source. The header must end at a word boundary.
    pub fn detect(text: &[u8]) -> Option<&'static Self> {
        let starts = |row: &&Self| {
            let rest = text.strip_prefix(row.start.as_bytes());
            // A longer word does not match.
            rest.is_some_and(|rest| {
                !rest
                    .first()
                    .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            })
        };
        LANGUAGES.iter().find(starts)
    }

    /// Returns the language like [`Self::detect`], but only an assembly language of OpenGL that
    /// glasm does not support yet.
    pub fn detect_missing(text: &[u8]) -> Option<&'static Self> {
        Self::detect(text).filter(|row| matches!(row.status, SupportStatus::Unsupported(_)))
    }

    /// Returns the extension of OpenGL that defines the language of a program, translated or not;
    /// `None` if the header is unknown or the language is not defined by an extension of OpenGL.
    pub fn find_extension(text: &[u8]) -> Option<&'static str> {
        match (
            Dialect::detect(text),
            Self::detect(text).map(|row| row.status),
        ) {
            (Some(dialect), _) => Some(dialect.extension()).filter(|name| !name.is_empty()),
            (None, Some(SupportStatus::Unsupported(extension))) => Some(extension),
            (None, Some(SupportStatus::Foreign(_) | SupportStatus::NonExistent(_)) | None) => None,
        }
    }
}

/// Describes the programs of a language for users, such as `vertex programs of NV_gpu_program4`.
pub fn describe_dialect(dialect: Dialect) -> String {
    let name = dialect.program_type().name();
    match dialect.family() {
        Family::Tgsi => format!("{name} shaders of TGSI (Mesa's Gallium)"),
        Family::Typed | Family::Arb | Family::Vertex1 | Family::Vertex2 | Family::Fragment1 => {
            format!("{name} programs of {}", dialect.extension())
        }
    }
}

/// Returns the headers of all dialects, those of the program type `wanted` first.
pub fn list_headers(wanted: Option<ProgramType>) -> Vec<&'static str> {
    let of_type = |dialect: &&Dialect| wanted == Some(dialect.program_type());
    let (first, others): (Vec<&Dialect>, Vec<&Dialect>) = Dialect::ALL.iter().partition(of_type);
    let all = first.into_iter().chain(others);
    all.map(|dialect| dialect.header()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_of_a_dialect_and_of_another_language() {
        for row in LANGUAGES {
            assert_eq!(Dialect::detect(row.start.as_bytes()), None, "{}", row.start);
            assert_eq!(
                UnsupportedLanguage::detect(row.start.as_bytes())
                    .unwrap()
                    .start,
                row.start
            );
        }
        for dialect in Dialect::ALL {
            assert!(UnsupportedLanguage::detect(dialect.header().as_bytes()).is_none());
        }
    }

    #[test]
    fn languages_end_where_their_words_end() {
        assert_eq!(
            UnsupportedLanguage::detect(b"!!FCP1.0#").unwrap().start,
            "!!FCP1.0"
        );
        assert!(UnsupportedLanguage::detect(b"!!FCP1.00").is_none());
        assert!(UnsupportedLanguage::detect(b"").is_none());
    }

    #[test]
    fn assembly_programs_have_extensions() {
        let of = |text: &str| UnsupportedLanguage::find_extension(text.as_bytes());
        assert_eq!(of("!!NVfp4.1 END"), Some("NV_gpu_program4_1"));
        assert_eq!(of("!!FCP1.0"), Some("NV_fragment_program"));
        assert_eq!(of("ps_2_0"), None);
        assert_eq!(of("!!RC1.0"), None);
        assert_eq!(of("FRAG\nEND"), None);
        assert!(UnsupportedLanguage::detect_missing(b"!!FCP1.0").is_some());
        assert!(UnsupportedLanguage::detect_missing(b"!!VP3.0").is_none());
    }
}
