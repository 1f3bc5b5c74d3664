//! Declarations of the inputs and outputs of a program as a whole. NV_geometry_program4,
//! NV_tessellation_program5 and NV_gpu_program5 section 2.X.7.Y, NV_geometry_shader_passthrough
//! section 2.X.7.Y.

use crate::lang::Stages;
use crate::lang::options::Features;
use crate::source::Version;
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessOrder, TessSpacing};
use glasm_ir::program::Modes;

/// A word that a declaration takes.
#[derive(Clone, Copy, Debug)]
pub struct DeclarationWord {
    /// The word.
    pub word: &'static str,
    /// First version.
    pub since: Version,
    /// Sets the modes that it selects.
    pub set: fn(&mut Modes),
}

/// Argument after the keyword.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// No argument.
    None,
    /// One of these words.
    Word(&'static [DeclarationWord]),
    /// A number.
    Number,
    /// A result with an optional mask.
    Result,
}

/// Number of times that a program has a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occurrence {
    /// Exactly once.
    Required,
    /// At most once.
    Optional,
    /// Any number of times.
    Repeated,
}

/// A declaration.
#[derive(Clone, Copy, Debug)]
pub struct DeclarationInfo {
    /// The declaration of the entry.
    pub declaration: Declaration,
    /// Its keyword.
    pub word: &'static str,
    /// Program types.
    pub stages: Stages,
    /// First version.
    pub since: Version,
    /// Argument after the keyword.
    pub argument: Argument,
    /// Number of times that it occurs in a program.
    pub occurrence: Occurrence,
    /// Features that options must have enabled.
    pub needs: Features,
    /// Human-readable description of one line.
    pub text: &'static str,
}

macro_rules! declarations {
    ($($name:ident $word:literal $stages:ident $since:ident $argument:expr, $occurrence:ident $text:literal $(needs $needs:ident)?;)*) => {
        /// A declaration about the program as a whole.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Declaration { $(
            #[doc = concat!("`", $word, "`: ", $text)]
            $name,
        )* }

        /// All of them.
        pub static DECLARATIONS: &[DeclarationInfo] = &[$(DeclarationInfo {
            declaration: Declaration::$name,
            word: $word,
            stages: Stages::$stages,
            since: Version::$since,
            argument: $argument,
            occurrence: Occurrence::$occurrence,
            needs: Features::empty()$(.union(Features::$needs))?,
            text: $text,
        },)*];
    };
}
macro_rules! words {
    ($($table:ident $field:ident $type:ident: $($word:literal $name:ident $since:ident),*;)*) => {$(
        static $table: &[DeclarationWord] = &[$(DeclarationWord {
            word: $word,
            since: Version::$since,
            set: |modes| modes.$field = $type::$name,
        },)*];
    )*};
}

declarations! {
    // Columns: name, keyword, program types, version, argument, occurrence, description, the option
    // that it needs.
    PrimitiveIn "PRIMITIVE_IN" GEOMETRY V4_0 Argument::Word(INPUTS), Required "the primitives that come in";
    PrimitiveOut "PRIMITIVE_OUT" GEOMETRY V4_0 Argument::Word(OUTPUTS), Required "the primitives that the program makes";
    // The word has different subjects in both stages: a limit in geometry programs, the size of a
    // patch in control programs.
    VerticesOut "VERTICES_OUT" INVOKED V4_0 Argument::Number, Required
        "vertices: the most that a geometry program emits, all of a control program's patch";
    Invocations "INVOCATIONS" GEOMETRY V5_0 Argument::Number, Optional "how often the program runs for a primitive";
    Passthrough "PASSTHROUGH" GEOMETRY V4_0 Argument::Result, Repeated "a result that each vertex takes from the one that came in" needs PASSTHROUGH;
    TessMode "TESS_MODE" TESS_EVAL V5_0 Argument::Word(TESS_MODES), Required "what patches are subdivided as";
    // A missing declaration has a default: NV_tessellation_program5 section 2.X.7.Y.
    TessSpacing "TESS_SPACING" TESS_EVAL V5_0 Argument::Word(TESS_SPACINGS), Optional "how edges are divided; EQUAL if missing";
    TessVertexOrder "TESS_VERTEX_ORDER" TESS_EVAL V5_0 Argument::Word(TESS_ORDERS), Optional "the orientation of triangles; CCW if missing";
    TessPointMode "TESS_POINT_MODE" TESS_EVAL V5_0 Argument::None, Optional "patches become points";
}

words! {
    // Columns: table, mode of the program and its type: words, with version.
    //
    // PATCHES was added by NV_gpu_program5, where geometry programs may follow control programs.
    INPUTS primitive_in InputPrimitive: "POINTS" Points V4_0, "LINES" Lines V4_0, "LINES_ADJACENCY" LinesAdjacency V4_0,
        "TRIANGLES" Triangles V4_0, "TRIANGLES_ADJACENCY" TrianglesAdjacency V4_0, "PATCHES" Patches V5_0;
    OUTPUTS primitive_out OutputPrimitive: "POINTS" Points V4_0, "LINE_STRIP" LineStrip V4_0, "TRIANGLE_STRIP" TriangleStrip V4_0;
    TESS_MODES tess_mode TessMode: "TRIANGLES" Triangles V5_0, "QUADS" Quads V5_0, "ISOLINES" Isolines V5_0;
    TESS_SPACINGS tess_spacing TessSpacing: "EQUAL" Equal V5_0, "FRACTIONAL_ODD" FractionalOdd V5_0, "FRACTIONAL_EVEN" FractionalEven V5_0;
    TESS_ORDERS tess_order TessOrder: "CW" Cw V5_0, "CCW" Ccw V5_0;
}

impl Declaration {
    /// Returns its bit in a set of them.
    pub(crate) const fn bit(self) -> u16 {
        1 << self as u16
    }

    /// Returns its table entry.
    pub fn info(self) -> &'static DeclarationInfo {
        // One macro generates the entries and the names, in the same order.
        &DECLARATIONS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_their_names() {
        for row in DECLARATIONS {
            assert_eq!(row.declaration.info().word, row.word);
        }
    }
}
