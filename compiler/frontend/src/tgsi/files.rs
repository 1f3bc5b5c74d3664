//! Register files. TGSI, section "Declaration".

use super::cursor::is_same;
use super::opcodes::Era;

macro_rules! files {
    ($($(#[$doc:meta])* $name:ident $word:literal $access:ident $era:ident $text:literal;)*) => {
        /// A register file.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(super) enum File { $($(#[$doc])* $name,)* }

        impl File {
            /// All files.
            pub(super) const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The word of the text.
            pub(super) const fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// What instructions do with its registers.
            pub(super) const fn access(self) -> Access {
                match self { $(Self::$name => Access::$access,)* }
            }

            /// Whether the word is still in use.
            pub(super) const fn era(self) -> Era {
                match self { $(Self::$name => Era::$era,)* }
            }

            /// What it holds, for people.
            pub(super) const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

/// What instructions do with the registers of a file.
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
    // name, word, access, era, text
    Null "NULL" Write Current "nothing: reads give 0, writes are lost";
    Const "CONST" Read Current "constants: CONST[n] is vector n of constant buffer 0, CONST[b][n] that of buffer b; 0 behind the end";
    In "IN" Read Current "inputs; with two brackets, vertex and register";
    Out "OUT" Write Current "outputs, which may be read; with two brackets, vertex and register";
    Temp "TEMP" Write Current "temporaries, four words each";
    Samp "SAMP" Resource Current "samplers, of TEX and its like also the textures";
    Addr "ADDR" Write Current "integers that index registers";
    Imm "IMM" Read Current "immediates, in the order of the text";
    /// Predicates of the text of 2010.
    Pred "PRED" Write Removed "predicates, which guard instructions";
    Sv "SV" Read Current "system values";
    /// Immediate arrays of the text of 2010.
    ImmX "IMMX" Read Removed "arrays of immediates";
    /// Temporary arrays of the text of 2010.
    TempX "TEMPX" Write Removed "arrays of temporaries";
    Image "IMAGE" Resource Current "images, for LOAD, STORE and atomics";
    /// What images were called from 2011 to 2014.
    Res "RES" Resource Removed "images, as they were called from 2011 to 2014; with a type, views, as those were called before";
    Sview "SVIEW" Resource Current "views of textures, for SAMPLE and its like; they also give the types of textures";
    Buffer "BUFFER" Resource Current "storage buffers, counted in bytes";
    Memory "MEMORY" Resource Current "memory: SHARED by a block, PRIVATE, INPUT of a kernel, or GLOBAL";
    ConstBuf "CONSTBUF" Resource Current "constant buffers that LOAD reads, counted in bytes";
    HwAtomic "HWATOMIC" Resource Current "counters: HWATOMIC[b][c] is word c of counter buffer b";
}

/// A text of up to eight bytes at the upper end of a number.
const fn last_bytes(text: &[u8]) -> u64 {
    let mut bytes = 0;
    let mut at = 0;
    while at < text.len() {
        bytes = bytes >> 8 | (text[at] as u64) << 56;
        at += 1;
    }
    bytes
}

impl File {
    /// The file whose word and a bracket stand first, and the length of the word: one of those that instructions name most.
    #[inline(always)]
    pub(super) fn usual(first: [u8; 8]) -> Option<(Self, usize)> {
        let bytes = u64::from_le_bytes(first);
        // Shifted up, so that only the bytes to compare with are left: one comparison
        // for each word. In capitals only, as printers write them.
        let begins = |with: &[u8]| bytes << (64 - 8 * with.len()) == last_bytes(with);
        if begins(b"TEMP[") {
            Some((Self::Temp, 4))
        } else if begins(b"CONST[") {
            Some((Self::Const, 5))
        } else if begins(b"IMM[") {
            Some((Self::Imm, 3))
        } else if begins(b"IN[") {
            Some((Self::In, 2))
        } else if begins(b"OUT[") {
            Some((Self::Out, 3))
        } else {
            None
        }
    }

    /// The file of a word.
    pub(super) fn of(word: &[u8]) -> Option<Self> {
        let mut files = Self::ALL.iter().copied();
        files.find(|file| is_same(word, file.word()))
    }
}
