//! Rules that shipped programs break, and the semantics of such programs. `glasm explain` prints
//! these entries.
//!
//! Drivers accepted these programs, so they load with a warning unless the caller is strict
//! ([`Acceptance`](crate::Acceptance)). The warning has the code of the error that strict callers
//! get.

use crate::codes::Code;

/// A rule that shipped programs break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LenientRule {
    /// The code of the error, and of the warning that replaces it.
    pub code: Code,
    /// Description of the accepted programs and their semantics; part of a sentence.
    pub accepted: &'static str,
    /// The shortest program that breaks the rule.
    pub example: &'static str,
}

macro_rules! rules {
    ($($name:ident $code:ident $example:literal $accepted:literal;)*) => {
        /// The rules that programs may break.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Rule { $(
            #[doc = $accepted]
            $name,
        )* }

        impl Rule {
            /// All rules, by code.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the table entry of the rule.
            pub const fn info(self) -> LenientRule {
                match self { $(
                    Self::$name => LenientRule { code: Code::$code, accepted: $accepted, example: $example },
                )* }
            }
        }
    };
}

rules! {
    // Columns: name, code, example, description of the accepted programs and their semantics.
    //
    // In the order of the codes of the errors, as in `docs/shipped.md`.
    BiasedLookup UnknownOpcode "!!FP1.0 TXB R0, f[TEX0], TEX0, 2D;"
        "TXB in programs of NV_fragment_program adds w of the coordinate to the level of detail, as with OPTION NV_fragment_program";
    TextBehindNul TextAfterEnd "END\\0\\0\\0"
        "a NUL behind END closes the text, as in strings of C and in buffers of fixed size";
    OtherPrograms TextAfterEnd "!!ARBvp1.0 ... END !!ARBfp1.0 ... END"
        "of several programs in one text, the one of the type asked for is taken";
    TextBehindEnd SecondEnd "END NOP"
        "what stands behind END of a TGSI program and is no subroutine is never run";
    UndeclaredRegister UndeclaredRegister "MOV TEMP[7], IN[0]"
        "temporaries, constants, samplers, buffers and vertex inputs of TGSI programs that no DCL covers are declared by their first use";
    RepeatedDeclaration RegisterTwice "DCL OUT[1], GENERIC[0] DCL OUT[1], GENERIC[0]"
        "inputs and outputs of TGSI programs may be declared again with the semantic that they have";
    DriversState BindingUnknown "PARAM p[32] = { state.multisample.positions[0..31] };"
        "state.matrix.normalscale, state.multisample.samples and state.multisample.positions are what GLSL calls gl_NormalScale, gl_NumSamples and gl_SamplePosition";
    OwnPosition PositionInvariant "OPTION ARB_position_invariant; MOV result.position, a;"
        "a position written by a position-invariant program with types is left out: fixed functions compute it";
    KillOnly NoResult "!!FP1.0 MOVXC RC.x, f[TEX0].x; KIL LT.x;"
        "a program of NV_fragment_program that only discards fragments writes no result";
    MissingOutputCount DeclarationMissing "GEOM PROPERTY GS_INPUT_PRIMITIVE POINTS PROPERTY GS_OUTPUT_PRIMITIVE POINTS"
        "a geometry program of TGSI without GS_MAX_OUTPUT_VERTICES emits 32 vertices at most, as in Mesa";
    AliasOfBinding AliasOfBinding "ALIAS pos = result.position;"
        "an alias of a binding is a variable of that binding";
    AttributeSemantic Declaration "VERT DCL IN[0], NORMAL"
        "semantics of the inputs of TGSI vertex programs have no effect: the number of the register is that of the attribute";
    InputWithoutSemantic Declaration "FRAG DCL IN[0]"
        "an input of a TGSI fragment program without a semantic is GENERIC with the number of the register";
    UnknownProperty PropertyUnknown "PROPERTY GS_COLOR 1"
        "lines with properties of TGSI that do not exist are skipped";
    PropertyOfStage PropertyValue "VERT PROPERTY FS_COORD_ORIGIN LOWER_LEFT"
        "properties of other stages have no effect in a TGSI program";
    ZeroCount PropertyValue "PROPERTY GS_MAX_OUTPUT_VERTICES 0"
        "GS_MAX_OUTPUT_VERTICES 0 stands for 32 vertices, as in Mesa, and GS_INVOCATIONS 0 for one invocation";
    LatePrimitive DeclarationLate "DCL IN[][0], POSITION PROPERTY GS_INPUT_PRIMITIVE TRIANGLES"
        "GS_INPUT_PRIMITIVE may stand behind the inputs whose size it gives";
    LateDeclaration DeclarationLate "MOV TEMP[0], IN[0] DCL TEMP[1]"
        "declarations and immediates of TGSI programs may stand behind instructions";
    EdgeFlags NotOnDevice "DCL OUT[1], EDGEFLAG"
        "flags of edges are dropped, because Vulkan has none";
    WrappedInterpolation NotOnDevice "DCL IN[0], GENERIC[0], PERSPECTIVE, CYLWRAP_X"
        "inputs are interpolated without wrapping around, because Vulkan cannot";
    LargeOffset IndexOffset "MOV r, c[a0.x + 96];"
        "offsets of run-time indices in ARB programs may be of any size";
    BareNumber ScalarSuffix "POW r.x, 2.0, a.x;"
        "a number as scalar operand of an ARB program is that number";
    ReadResult ReadResult "MUL result.color, result.color, a;"
        "a result read in a program of NV_gpu_program4 or 5 or of NV_fragment_program2 is what was written to it last, (0, 0, 0, 1) before";
    GuardedPop AddressRegister "POPA a0 (EQ.x);"
        "POPA under a condition takes an entry off the stack and writes the components whose test passes";
    ReflectionMask ReflectionMask "RFL r, axis, direction;"
        "component w of RFL is computed like the others, with components w of both operands";
    InvariantIndex RelativeInvariant "!!VP1.1 OPTION NV_position_invariant; MOV R0, c[A0.x + 1];"
        "position-invariant programs of NV_vertex_program1_1 have parameters with a run-time index";
    HalfPair PairSplit "U64ADD TEMP[0].xyz, TEMP[1], TEMP[2]"
        "of a mask that has one half of a 64-bit value that value is not written; a swizzle may put a value together from halves";
    NegativeRegister NegativeRegister "MOV TEMP[0], CONST[-1]"
        "registers of TGSI programs with negative numbers read 0, and writes to them are lost";
    ClampOnInteger ClampOnInteger "AND.U.SAT r, a, b;"
        "a clamp on an integer result clamps the float that has the same bits";
    CubeArrayEarly FeatureNewer "TEX r, c, texture[0], ARRAYCUBE;"
        "targets ARRAYCUBE and SHADOWARRAYCUBE exist from language version 4.0 on";
    PatchBarrier FeatureStage "!!NVtcp5.0 ... BAR;"
        "BAR in tessellation control programs is a barrier of the invocations of a patch";
    HalfLoad FeatureOption "LDC.F16X2 r, buffer[0];"
        "LDC loads half floats without OPTION NV_gpu_program5_mem_extended";
    SignlessShift OldLanguage "SHR TEMP[0], TEMP[1], TEMP[2]"
        "SHR, which the text of 2010 describes without a sign and no program has, is USHR";
    FetchOfFace TargetNotAllowed "TXF TEMP[0], TEMP[0], SAMP[0], CUBE"
        "TXF of a cube in a TGSI program reads face z, as a layer of a two-dimensional array: the texture of the reflection is such an array";
    MixedLookups MixedLookups "TEX TEMP[0], IN[0], SAMP[0], 2D SAMPLE TEMP[1], IN[0], SVIEW[0], SAMP[0]"
        "both kinds of texture opcodes work in one TGSI program";
    LeadingText HeaderUnknown "# lights\\n!!ARBvp1.0 ... END"
        "a byte order mark, blanks and comments before the header are left out";
    DualSourceEarly OptionUnknown "!!NVfp4.0 OPTION ARB_blend_func_extended;"
        "ARB_blend_func_extended and its results exist from language version 4.0 on";
    RegisterRoom TooManyTemporaries "!!FP1.0 ... MOV R30, H0; MOV o[COLR], R0;"
        "all registers of NV_fragment_program exist at the same time";
}
