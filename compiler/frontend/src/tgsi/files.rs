//! Register files. TGSI, section "Declaration".

use super::lex::is_same;
use super::opcodes::Era;

macro_rules! files {
    ($($(#[$doc:meta])* $name:ident $word:literal $access:ident $era:ident $text:literal;)*) => {
        /// A register file.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(super) enum File { $($(#[$doc])* $name,)* }

        impl File {
            /// All files.
            pub(super) const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the word of the file in programs.
            pub(super) const fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Returns the use of its registers by instructions.
            pub(super) const fn access(self) -> Access {
                match self { $(Self::$name => Access::$access,)* }
            }

            /// Returns the period in which the word was in use.
            pub(super) const fn era(self) -> Era {
                match self { $(Self::$name => Era::$era,)* }
            }

            /// Returns a human-readable description of its contents.
            pub(super) const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

/// Use of the registers of a file by instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// Read and write them.
    Write,
    /// Read them.
    Read,
    /// Name them as resources.
    Resource,
}

files! {
    // Columns: name, word, access, era, description.
    Null "NULL" Write Current "nothing: reads give 0, writes are lost";
    Const "CONST" Read Current "constants: CONST[n] is vector n of constant buffer 0, CONST[b][n] that of buffer b; 0 behind the end";
    In "IN" Read Current "inputs; with two brackets, vertex and register";
    Out "OUT" Write Current "outputs, which may be read; with two brackets, vertex and register";
    Temp "TEMP" Write Current "temporaries, four words each";
    Samp "SAMP" Resource Current "samplers, of TEX and its like also the textures";
    Addr "ADDR" Write Current "integers that index registers";
    Imm "IMM" Read Current "immediates, in the order of the text";
    /// Predicates of TGSI of 2010.
    Pred "PRED" Write Removed "predicates, which guard instructions";
    Sv "SV" Read Current "system values";
    /// Immediate arrays of TGSI of 2010.
    ImmX "IMMX" Read Removed "arrays of immediates";
    /// Temporary arrays of TGSI of 2010.
    TempX "TEMPX" Write Removed "arrays of temporaries";
    Image "IMAGE" Resource Current "images, for LOAD, STORE and atomics";
    /// Name of images from 2011 to 2014.
    Res "RES" Resource Removed "images, as they were called from 2011 to 2014; with a type, views, as those were called before";
    Sview "SVIEW" Resource Current "views of textures, for SAMPLE and its like; they also give the types of textures";
    Buffer "BUFFER" Resource Current "storage buffers, counted in bytes";
    Memory "MEMORY" Resource Current "memory: SHARED by a block, PRIVATE, INPUT of a kernel, or GLOBAL";
    ConstBuf "CONSTBUF" Resource Current "constant buffers that LOAD reads, counted in bytes";
    HwAtomic "HWATOMIC" Resource Current "counters: HWATOMIC[b][c] is word c of counter buffer b";
}

impl File {
    /// Returns the file of a word.
    #[inline]
    pub(super) fn of(word: &[u8]) -> Option<Self> {
        // Those that instructions name most, in capitals, as printers write them.
        match word {
            b"TEMP" => Some(Self::Temp),
            b"CONST" => Some(Self::Const),
            b"IMM" => Some(Self::Imm),
            b"IN" => Some(Self::In),
            b"OUT" => Some(Self::Out),
            _ => Self::find(word),
        }
    }

    #[inline(never)]
    fn find(word: &[u8]) -> Option<Self> {
        let mut files = Self::ALL.iter().copied();
        files.find(|file| is_same(word, file.word()))
    }
}
