//! The table of diagnostic codes: number, title, explanation; and the rules that shipped programs
//! break, with the semantics of such programs. `glasm explain` prints both.
//!
//! Numbers are never reused for another error. The hundreds group them: 01 tokens and grammar, 02
//! names, 03 declarations, 04 operands, 05 modifiers, 06 flow control, 07 textures, 08 memory, 09
//! header and options, 10 limits, 99 glasm itself.
//!
//! Drivers accepted programs that break a rule of [`LenientRule`], so they load with a warning
//! unless the caller is strict ([`Acceptance`](crate::Acceptance)). The warning has the code of the
//! error that strict callers get.

macro_rules! codes {
    ($($name:ident $id:literal $title:literal $explanation:literal;)*) => {
        /// Codes of all diagnostics.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
        #[non_exhaustive]
        pub enum Code { $(
            #[cfg_attr(feature = "serde", serde(rename = $id))]
            #[doc = concat!($id, ": ", $title)]
            $name,
        )* }

        impl Code {
            /// All codes in numeric order.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the code as printed, such as `E0204`.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// Returns a short title in lower case.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// Returns the explanation: the rule, the reason why a program breaks it, and a
            /// correction.
            pub const fn explanation(self) -> &'static str {
                match self { $(Self::$name => $explanation,)* }
            }
        }
    };
}

codes! {
    // Scripts, documents and callers contain the numbers: a code that is no longer reported leaves
    // a gap.
    UnexpectedCharacter "E0101" "character outside the language"
        "Programs consist of printable ASCII characters, whitespace and line ends. Comments start with # and run to the end of the line.";
    UnexpectedToken "E0102" "unexpected token"
        "The grammar allows something else here. A statement ends with a semicolon; operands are separated by commas. After such an \
         error reading resumes after the next semicolon.";
    UnknownOpcode "E0103" "unknown opcode"
        "The first word of a statement is neither a declaration keyword nor an opcode of any language version. Opcodes are written in upper case.";
    MissingOperand "E0104" "too few operands"
        "The instruction has fewer operands than its opcode takes. `glasm explain OPCODE` prints the operands of an opcode.";
    ExtraOperand "E0105" "too many operands"
        "The instruction has more operands than its opcode takes. `glasm explain OPCODE` prints the operands of an opcode.";
    MissingEnd "E0106" "END missing"
        "A program closes with the word END, without a semicolon.";
    BadNumber "E0107" "malformed number"
        "A number is a decimal integer, a hexadecimal integer such as 0x1F, or a decimal fraction with an optional exponent.";
    TextAfterEnd "E0108" "tokens after END"
        "Only whitespace and comments may follow the keyword END.";
    SecondEnd "E0109" "second END"
        "A TGSI program has exactly one END; only subroutines may follow it.";

    UndeclaredName "E0201" "undeclared name"
        "A variable must be declared by a statement before the first instruction that uses it.";
    DuplicateName "E0202" "name declared twice"
        "Every variable, alias and texture name of a program is declared once. Names are not scoped by blocks or subroutines.";
    ReservedName "E0203" "reserved word as name"
        "The words `program`, `result`, `state`, `texture` and the stage words such as `vertex` and `fragment` cannot be names.";
    UndefinedLabel "E0204" "undefined label"
        "BRA or CAL names a label that the program does not define.";
    DuplicateLabel "E0205" "label defined twice"
        "A label may be defined only once.";
    OperandNotVariable "E0206" "name of another kind"
        "The name denotes something that cannot be used here, for instance a texture variable as arithmetic operand.";
    // Codes of TGSI are in the groups of their subjects, not in a separate group.
    UndeclaredRegister "E0207" "undeclared register"
        "Registers of TGSI are declared by DCL, immediates by IMM, before the first instruction that uses them. Temporaries, samplers, \
         constants and vertex inputs that no declaration covers are accepted with a warning unless loading is strict.";
    RegisterTwice "E0208" "register declared twice"
        "Every register of a TGSI program is declared once.";

    TypeModifierTwice "E0301" "two data types in a declaration"
        "A declaration has at most one of INT, UINT and FLOAT.";
    SizeModifierTwice "E0302" "two sizes in a declaration"
        "A declaration has at most one of SHORT and LONG.";
    LongNotAllowed "E0303" "LONG not allowed here"
        "LONG applies to temporaries, and to attributes of 5.0 vertex programs. Parameters, results and buffers have 32-bit components.";
    ShortNotAllowed "E0304" "SHORT not allowed here"
        "SHORT applies to temporaries and results only.";
    ArraySizeMismatch "E0305" "array size differs from the number of bindings"
        "The size in brackets must be equal to the number of bindings in the list, where a range counts with all its elements.";
    ArraySizeBad "E0306" "bad array size"
        "An array has at least one element. Arrays of temporaries need an explicit size.";
    ArrayKinds "E0307" "array of bindings of different kinds"
        "All bindings of an attribute or result array must be of one kind, such as generic attributes only.";
    ArrayOrder "E0308" "array bindings not consecutive"
        "The bindings of an attribute or result array must have increasing numbers without gaps.";
    RelativeOverlap "E0309" "binding in two arrays with run-time index"
        "A binding may occur once only among the arrays that are accessed with a run-time index.";
    RangeReversed "E0310" "range runs backwards"
        "In a range [a..b] the first number must not be larger than the second.";
    BindingRange "E0311" "binding number out of range"
        "The number in brackets is beyond the limit of that binding.";
    BindingUnknown "E0312" "unknown binding"
        "The name after the point is not a binding of this program type.";
    BindingNeedsIndex "E0313" "binding needs a number"
        "This binding exists several times; give the number in brackets.";
    BindingTakesNoIndex "E0314" "binding takes no number"
        "This binding exists once and has no number in brackets.";
    MatrixNeedsRow "E0315" "matrix without row"
        "A whole matrix initializes a parameter array of four elements. Single parameters and operands take one row: state.matrix.mvp.row[0].";
    RangeAsOperand "E0316" "range outside an array"
        "A range [a..b] initializes arrays. Single variables and operands take one element.";
    AliasPair "E0317" "attribute bound under two names"
        "Conventional vertex attributes share storage with generic ones (position 0, normal 2, color 3 and 4, fogcoord 5, texcoord n with \
         8 + n). A program may use one name of each pair only.";
    InterpolationNotAllowed "E0318" "interpolation modifier not allowed here"
        "FLAT, CENTROID, NOPERSPECTIVE and SAMPLE apply to the interpolated attributes of fragment programs; not to position, facing, fogcoord or clip distances.";
    InterpolationTwice "E0319" "interpolation modifier repeated"
        "Every interpolation modifier may be given once.";
    InterpolationMix "E0320" "interpolation modifiers exclude each other"
        "FLAT attributes are not interpolated, so FLAT goes with none of CENTROID, NOPERSPECTIVE and SAMPLE; and CENTROID not with SAMPLE.";
    InterpolationConflict "E0321" "attribute with two interpolations"
        "All variables bound to one attribute must have the same interpolation modifiers. Primary and secondary color count as one attribute.";
    IntNotFlat "E0322" "integer attribute without FLAT"
        "Integer attributes of fragment programs cannot be interpolated; declare them FLAT.";
    ResultOption "E0323" "binding needs an option"
        "This binding exists only under an option, which the message names.";
    PositionInvariant "E0324" "position written under ARB_position_invariant"
        "With the option the GL computes result.position; the program must not bind it.";
    GroupSize "E0325" "bad GROUP_SIZE"
        "A compute program has exactly one GROUP_SIZE declaration with one to three sizes of at least 1; with OPTION \
         ARB_compute_variable_group_size it has none.";
    SharedMemory "E0326" "bad SHARED_MEMORY"
        "A compute program has at most one SHARED_MEMORY declaration, of a size within the limit.";
    BufferKind "E0327" "buffer bound as two kinds"
        "A binding point of program parameter buffers can be used by BUFFER, BUFFER4 or CBUFFER variables, not by a mixture.";
    BufferBindings "E0328" "buffer array over several buffers"
        "The elements of a buffer variable must be consecutive and come from one binding point.";
    OutputArray "E0329" "array of fragment results"
        "Fragment programs cannot declare arrays of results.";
    TextureUnits "E0330" "units not consecutive"
        "The units of a texture or image array must have increasing numbers without gaps.";
    TypeNotAllowed "E0331" "declaration modifier not allowed here"
        "This modifier does not belong to that kind of declaration.";
    DeclarationNotAllowed "E0332" "declaration not allowed in this program type"
        "The statement belongs to programs of another type or language version.";
    ResultSizes "E0333" "result written under two sizes"
        "All variables through which a program writes one result have the same size, SHORT or LONG.";
    PositionMissing "E0334" "position never written"
        "A vertex program of registers writes at least one component of o[HPOS], unless its position is computed for it.";
    NoParameterWritten "E0335" "state program that writes no parameter"
        "A vertex state program writes at least one parameter.";
    NoResult "E0336" "program writes no result"
        "A fragment program of registers writes at least one result.";
    DeclarationMissing "E0337" "declaration missing"
        "A geometry program declares PRIMITIVE_IN, PRIMITIVE_OUT and VERTICES_OUT; with OPTION NV_geometry_program_passthrough PRIMITIVE_IN only. \
         A tessellation control program declares VERTICES_OUT, a tessellation evaluation program TESS_MODE.";
    DeclarationTwice "E0338" "declaration repeated"
        "PRIMITIVE_IN, PRIMITIVE_OUT, VERTICES_OUT, INVOCATIONS, TESS_MODE, TESS_SPACING, TESS_VERTEX_ORDER and TESS_POINT_MODE are declared once \
         at most, even if both say the same.";
    VerticesOut "E0339" "bad VERTICES_OUT"
        "A geometry program emits at least 1 vertex and at most 1024, a tessellation control program outputs a patch of 1 to 32 vertices.";
    Invocations "E0340" "bad INVOCATIONS"
        "A geometry program runs at least once and at most 32 times for a primitive.";
    PatchBinding "E0341" "binding of patches"
        "primitive.tessouter, primitive.tessinner and primitive.patch.attrib exist in geometry programs with PRIMITIVE_IN PATCHES only.";
    PassthroughNotAllowed "E0342" "not allowed in a passthrough program"
        "A program with OPTION NV_geometry_program_passthrough has POINTS, LINES or TRIANGLES as PRIMITIVE_IN, neither PRIMITIVE_OUT, VERTICES_OUT \
         nor INVOCATIONS, and no EMIT, EMITS or ENDPRIM.";
    PassthroughBinding "E0343" "result that cannot be passed through"
        "PASSTHROUGH copies attributes of vertices; result.primid, result.layer, result.viewport and the masks of viewports have no such attribute.";
    PassthroughWritten "E0344" "result passed through and written"
        "A result in a PASSTHROUGH declaration is written by no instruction, not even in other components.";
    EmitsOutput "E0345" "streams without points as output"
        "Only programs with PRIMITIVE_OUT POINTS emit vertices to streams by EMITS, and only those with GS_OUTPUT_PRIMITIVE POINTS name a stream \
         other than 0 in TGSI.";
    ViewportAndMask "E0350" "viewport and mask of viewports written"
        "A program chooses viewports by result.viewport or by result.viewportmask, not by both.";
    SecondLayerOffset "E0351" "two offsets of the second view"
        "SECONDARY_VIEW_LAYER_OFFSET gives one offset for the whole program.";
    AliasOfBinding "E0352" "alias of a binding"
        "ALIAS gives a variable a second name. A binding gets a name by ATTRIB, PARAM, OUTPUT, TEXTURE or IMAGE.";
    PatchOfInput "E0353" "attribute of the input patch"
        "A tessellation control program reads levels and patch attributes of the patch that it makes: primitive.out.tessouter, primitive.out.tessinner \
         and primitive.out.patch.attrib. The patch that comes in has none.";
    VertexPrefixMix "E0354" "bindings with and without vertex number in one array"
        "Either every binding in the list of an attribute array names its vertex, such as vertex[1].attrib[0], or none does.";
    Declaration "E0355" "malformed declaration"
        "A TGSI declaration is DCL, a register or a range, and parts in this order, each of which may be missing: ARRAY(n), LOCAL, a semantic, \
         STREAM(a, b, c, d), an interpolation, a location of interpolation, INVARIANT. Which of them a register has depends on its file.";
    Semantic "E0356" "semantic that the stage does not have"
        "Semantics say what inputs, outputs and system values mean. Each exists in some stages only, and some have few numbers.";
    Immediate "E0357" "malformed immediate"
        "A TGSI immediate is IMM[n], one of FLT32, UINT32, INT32, FLT64, UINT64, INT64, and numbers in braces: four, or two of 64 bits.";
    ImmediateOrder "E0358" "immediate out of order"
        "Immediates are numbered from 0 in source order.";
    PropertyUnknown "E0359" "unknown property"
        "The name is that of no TGSI property. Such lines are skipped with a warning unless loading is strict.";
    PropertyValue "E0360" "bad value of a property"
        "A property has one value: a number in its range, or one of its words.";
    DeclarationLate "E0361" "declaration after instructions"
        "Declarations and immediates of TGSI programs come before the first instruction.";
    NotOnDevice "E0362" "declaration without effect"
        "What is declared exists in no Vulkan device: flags of edges, and interpolation that wraps around.";

    ArrayNeedsIndex "E0401" "array without index"
        "An array is used one element at a time; write an index in brackets.";
    IndexOnScalar "E0402" "index on a variable that is not an array"
        "Only array variables take an index in brackets.";
    IndexOutOfBounds "E0403" "index out of bounds"
        "A constant index must be below the number of elements of the array.";
    IndexOffset "E0404" "offset of a run-time index out of range"
        "The constant part of a run-time index must be at least 0 and below the number of elements.";
    IndexVariable "E0405" "variable cannot be an index"
        "A dynamic index is one component of a temporary, attribute or parameter that is not an array, such as a[r.x + 2].";
    SwizzleMixed "E0406" "xyzw and rgba mixed"
        "One swizzle or write mask uses components of one set only: xyzw or rgba.";
    SwizzleLength "E0407" "swizzle with two or three components"
        "A swizzle has one or four components.";
    ScalarSuffix "E0408" "scalar operand without component"
        "This operand is a scalar: one component must be selected, such as r.x.";
    MaskOrder "E0409" "malformed write mask"
        "A write mask lists one to four different components in the order xyzw.";
    SwzOperand "E0410" "SWZ operand with modifiers"
        "The operand of SWZ has no separate swizzle, sign or absolute value; the extended swizzle does that.";
    ReadResult "E0411" "result variable read"
        "Result variables are write-only. Compute in a temporary and move it to the result.";
    WriteReadOnly "E0412" "write to a read-only variable"
        "Only temporaries and result variables can be written.";
    FloatAsInteger "E0413" "fraction where an integer is needed"
        "The instruction or declaration is of integer type; its literals must be integers.";
    NegativeUnsigned "E0414" "negative literal for an unsigned type"
        "Unsigned instructions and declarations take literals from 0 up.";
    LiteralTooLarge "E0415" "literal does not fit its type"
        "The value of the literal cannot be stored in the type of the instruction or declaration.";
    TypeMismatch "E0416" "variable of another type"
        "A variable declared FLOAT, INT or UINT is used by an instruction that reads or writes another type. Declare the variable without a type, \
         or give the instruction the modifier of the variable's type.";
    BufferOperand "E0418" "buffer element as operand"
        "Elements of program.buffer are reached through BUFFER variables.";
    ComponentCount "E0419" "too many components"
        "A constant in braces has one to four numbers, with commas between them. Decimals have points: `{0,5, 0,5}` is four numbers, and \
         `{0.5, 0.5}` is two.";
    CondTest "E0420" "malformed condition"
        "A condition is a test such as EQ, NE, LT, LE, GT, GE, TR or FL, optionally with 0 or 1 for the condition-code register and a swizzle.";
    InterpolationOperand "E0421" "operand cannot be interpolated"
        "The first operand of IPAC, IPAO and IPAS is an attribute of the fragment program, and neither fragment.facing nor primitive.id.";

    AddressRegister "E0422" "address register misused"
        "Address registers are written by ARL and its like, component x in plain programs, and read as index of an array; nothing else \
         reads or writes them, and these instructions write nothing else.";
    ReflectionMask "E0423" "component w of a reflection"
        "The result of RFL in ARB programs has the components x, y and z; a mask without w must be given.";

    TwoParameters "E0424" "two parameters in one instruction"
        "An instruction of a program of registers reads one parameter; several operands may read it.";
    TwoAttributes "E0425" "two attributes in one instruction"
        "An instruction of a program of registers reads one attribute; several operands may read it.";
    UnknownRegister "E0426" "no such register"
        "The language has no register of this name.";
    RelativeInvariant "E0427" "relative parameter in a position-invariant program"
        "Programs of NV_vertex_program1_1 with OPTION NV_position_invariant have no parameters with a run-time index.";
    VertexNumber "E0428" "vertex number out of range"
        "The primitive has fewer vertices: POINTS 1, LINES 2, LINES_ADJACENCY 4, TRIANGLES 3, TRIANGLES_ADJACENCY 6, patches 32 at most, the patch \
         that a tessellation control program makes VERTICES_OUT. Numbers begin with 0.";
    VertexDynamic "E0429" "run-time vertex number in a binding"
        "The vertex number of a binding is a constant. Declare a variable without vertex number, such as ATTRIB p = vertex.position, and index it: p[r.x].";
    VertexMissing "E0430" "vertex number missing"
        "A binding of vertices that is used directly in an instruction gives the number of the vertex: vertex[0].position.";
    RegisterFile "E0431" "unknown register file"
        "Registers of TGSI are numbers in files such as TEMP, IN, OUT, CONST and IMM. `glasm explain TEMP` prints what a file is for.";
    RegisterIndex "E0432" "malformed register number"
        "A register is a file and a number in brackets: TEMP[3], CONST[1][2], TEMP[ADDR[0].x+4](1).";
    PairSplit "E0433" "half of a 64-bit value"
        "Values of 64 bits take the components x and y or z and w. Swizzles and masks of 64-bit opcodes take whole pairs.";
    Bars "E0434" "absolute value not closed"
        "An absolute value is written between two bars: |TEMP[0].xyzw|.";
    SwizzleLetters "E0435" "malformed swizzle"
        "A swizzle is a point and four of the letters x, y, z, w. One to three letters, of which the last is repeated, and r, g, b, a are \
         accepted unless loading is strict.";
    NegativeRegister "E0436" "register with a negative number"
        "A register with a negative number does not exist: it reads 0, and what is written to it is lost.";

    ModifierTwice "E0501" "two modifiers of one kind"
        "An instruction has at most one data type, one precision, one clamp and one condition-code modifier; suffixes count too.";
    ClampOnInteger "E0502" "clamp on an integer instruction"
        "SAT and SSAT clamp float results. Only CVT accepts SAT with integer results.";
    ModifierUnsupported "E0503" "modifier not supported by the opcode"
        "The opcode does not take this modifier. `glasm explain OPCODE` prints what it takes.";
    ModifierUnknown "E0504" "unknown modifier"
        "The word after the point is not an instruction modifier.";
    MulSpecial "E0505" "bad combination of MUL modifiers"
        "S24 and U24 are data types of their own. HI goes with S, U or a sized integer type only.";
    BaseAndSized "E0506" "base and sized type together"
        "F, S and U cannot be combined with sized types such as F32.";
    StorageModifier "E0507" "bad storage modifier"
        "Memory instructions take exactly one storage modifier such as U32, F32X4 or U64.";
    CvtModifiers "E0508" "bad CVT modifiers"
        "CVT takes two sized types, first that of the result, then that of the operand; the operand has neither minus nor absolute value.";
    AtomCombination "E0509" "atomic operation not defined for the type"
        "Atomics work on U32 and S32; ADD, EXCH and CSWAP also on U64. IWRAP and DWRAP need U32. Further types need options.";
    AtomModifiers "E0510" "atomic without operation or type"
        "Atomic instructions take one operation (ADD, MIN, MAX, IWRAP, DWRAP, AND, OR, XOR, EXCH, CSWAP) and one storage modifier.";
    FeatureNewer "E0511" "feature of a newer language version"
        "The opcode, modifier, target or binding exists only under a newer program header.";
    FeatureStage "E0512" "feature of another program type"
        "The opcode exists only in programs of another stage.";
    FeatureOption "E0513" "feature needs an option"
        "The opcode or modifier exists only under an OPTION, which the message names.";
    PackShort "E0514" "pack or unpack of a SHORT variable"
        "Packed words need 32 bits; PK2H, PK2US, PK4B and PK4UB cannot write SHORT variables, and UP2H, UP2US, UP4B and UP4UB cannot read them.";
    PackLong "E0515" "64-bit pack or unpack without LONG variable"
        "PK64 writes and UP64 reads a variable declared LONG.";
    OldLanguage "E0516" "opcode or declaration of an older language"
        "ADDRESS, ARL, ARR, ARA, BRA, LOOP, EXP and LOG belong to older languages. Use integer temporaries as indices, IF and REP for flow control, EX2 and LG2.";

    BlockMismatch "E0601" "block closed by the wrong word"
        "IF is closed by ENDIF, REP by ENDREP; ELSE may occur once between IF and ENDIF.";
    BlockOpen "E0602" "block not closed"
        "Every IF and REP must be closed before the next label and before END.";
    LabelInBlock "E0603" "label inside a block"
        "Labels must be outside of all IF and REP blocks.";
    BreakOutsideLoop "E0604" "BRK or CONT outside a loop"
        "BRK and CONT belong inside a REP block.";
    InfiniteLoop "E0605" "loop without an end"
        "A REP without count needs a BRK that leaves it or a RET inside.";
    Recursion "E0606" "recursion through indirect calls"
        "A subroutine that CALI can reach may call itself without bound. ARB_shader_subroutine does not allow that; with CAL alone, subroutines may call themselves.";
    IfDepth "E0607" "IF nested too deeply"
        "glasm accepts 64 open IF blocks.";
    LoopDepth "E0608" "REP nested too deeply"
        "glasm accepts 64 open REP blocks.";
    CallDepth "E0609" "subroutine calls nested too deeply"
        "glasm accepts chains of 32 subroutines that call each other, and 4096 subroutines that can call themselves.";

    SubroutineNumber "E0610" "bad subroutine number"
        "Labels in a SUBROUTINETYPE need a SUBROUTINENUM of their own, below 4096.";
    SubroutineType "E0611" "wrong subroutine type"
        "A SUBROUTINE variable has a declared SUBROUTINETYPE, and all variables of one program.subroutine[n] have the same. CALI takes such a variable.";
    Interlock "E0612" "wrong critical section"
        "With an interlock option a fragment program has one FSIB and one FSIE after it, outside of IF and REP and of subroutines.";
    LoopCount "E0613" "loop count is not a parameter"
        "In ARB fragment programs the operand of LOOP and REP is a program parameter or a constant.";
    RecursiveCall "E0614" "recursive call"
        "Subroutines of TGSI programs must not call themselves, directly or through others.";

    OffsetTarget "E0701" "texel offset not allowed for the target"
        "Offsets exist for the dimensions that the target has; cube maps and buffers take none.";
    OffsetRange "E0702" "texel offset out of range"
        "Constant texel offsets run from -8 to 7; those of gathers from -32 to 31.";
    TargetConflict "E0703" "texture unit used with two targets"
        "A program may use a texture image unit with one target only. SHADOW targets count as different. The programs of a \
         pipeline use a unit with the same target, too; there SHADOW targets count as the same.";
    TargetNotAllowed "E0704" "target not allowed for the opcode"
        "The opcode cannot access textures of this target.";
    TargetUnknown "E0705" "unknown texture target"
        "Targets are 1D, 2D, 3D, CUBE, RECT, their SHADOW and ARRAY forms, BUFFER, and the multisample targets under their options.";
    TextureRange "E0706" "texture unit out of range"
        "The number of the texture image unit is beyond the limit, or a range runs backwards.";
    ComponentSelect "E0707" "component on a texture"
        "Only TXG and TXGO select a component of the texture.";
    TextureExpected "E0708" "texture expected"
        "This operand is a texture: texture[n] or a TEXTURE variable.";
    OffsetDynamic "E0709" "run-time texel offset not allowed"
        "offset(v) is not available for TXD, TXGO and cube map targets.";
    MixedLookups "E0710" "two kinds of texture opcodes"
        "A TGSI program has either opcodes that name a sampler and a target (TEX), or opcodes that name a view and a sampler (SAMPLE).";
    ImageExpected "E0720" "image expected"
        "This operand is an image: image[n] or an IMAGE variable.";
    ImageAccess "E0721" "access that the image does not allow"
        "Stores and atomics need an image that is declared with WR; atomics need a format of 32-bit integers, or R32_FLOAT.";
    HandleOperand "E0730" "handle expected"
        "handle(v.c) takes one component of a variable that is not an array and is not declared FLOAT; LONG variables contain handles of 64 bits.";

    SharedMissing "E0801" "shared memory without declaration"
        "LDS, STS and ATOMS need a SHARED_MEMORY declaration.";
    SharedBounds "E0802" "access past the shared memory"
        "The constant address is beyond the declared size.";
    MemoryOperand "E0803" "wrong variable for a memory instruction"
        "LDC reads CBUFFER variables; LDS, STS and ATOMS access SHARED variables; and these variables are not allowed in other instructions.";

    HeaderUnknown "E0901" "unknown program header"
        "A program starts with its header, such as !!NVvp5.0, in the very first byte. The message says if the program is of a language that \
         glasm knows by its header and does not have; `glasm explain languages` lists all headers.";
    OptionUnknown "E0902" "unknown option"
        "The OPTION name is none of this program type.";
    OptionLate "E0903" "OPTION after other statements"
        "OPTION lines come directly after the header.";
    OptionConflict "E0904" "options exclude each other"
        "At most one option of this group may be given.";
    Unsupported "E0905" "not supported yet"
        "The program is valid, but glasm cannot translate this part yet.";
    FeatureMissing "E0906" "feature missing in the device"
        "The program needs a feature that the device, as described by the options, does not have, and that cannot be emulated. The message names it.";
    HeaderStage "E0907" "header of another program type"
        "A program is loaded as a program of one type, such as a vertex program, and its header must be one of that type.";
    OptionNeedsOther "E0908" "OPTION without another that it needs"
        "ARB_post_depth_coverage and EXT_post_depth_coverage need NV_early_fragment_tests. In vertex programs \
         ARB_fragment_program_shadow needs NV_vertex_program3.";
    TextDiffers "E0911" "the output text does not do all that the program does"
        "The language that the program is written in lacks something that the program uses, such as sizes of points in WGSL. The text has \
         what comes closest to it; the message says what that is.";
    StageMismatch "E0912" "programs that do not fit each other"
        "The programs of a pipeline come in the order vertex, tessellation control, tessellation evaluation, geometry, fragment, one of each \
         at most. A geometry program takes what is made before it: PATCHES after a control program, and after an evaluation program \
         POINTS with TESS_POINT_MODE, else LINES for ISOLINES, else TRIANGLES.";

    ProgramTooLarge "E1001" "program too large"
        "glasm accepts programs of up to 16 MiB.";
    TooManyInstructions "E1002" "too many instructions"
        "glasm accepts up to 1,048,576 instructions in a program.";
    TooManyTemporaries "E1003" "too many temporaries"
        "glasm accepts up to 4096 temporaries; an array counts with all its elements.";
    TooManyParameters "E1004" "too many parameters"
        "glasm accepts up to 16,384 elements of parameter arrays.";
    TooManyAttribComponents "E1005" "too many components of attributes"
        "A program uses up to 128 components of attributes, counted by the swizzles of its operands.";
    TooManyResultComponents "E1006" "too many components of results"
        "A program writes up to 128 components of results, counted by its write masks.";
    TooManyErrors "E1007" "too many errors"
        "Reporting stops after 100 errors. Fix the first ones; the rest may be consequences.";
    OutputTooLarge "E1008" "translation too large"
        "The program fits the limits of its language, but its translation would be too large or nested too deeply for a SPIR-V module.";

    TooManyAttribs "E1009" "too many attributes"
        "An ARB vertex program binds up to 16 attributes, a fragment program all 12 that there are; fog options take one of them.";

    TooManyTextureUnits "E1010" "too many texture image units"
        "An ARB vertex program accesses textures through up to 16 image units; their numbers may be any.";
    TooManyOutputComponents "E1011" "too many components in all vertices"
        "VERTICES_OUT times the components of results that a geometry program writes is 1024 at most.";

    // Numbered far after all others: it is not an error of a program.
    Internal "E9901" "internal error of glasm"
        "glasm contradicted itself. Please report it with the program.";
}

impl Code {
    /// Returns the code of a number such as `E0204`, in upper or lower case; `None` if there is
    /// none of that number.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|code| code.id().eq_ignore_ascii_case(id))
    }
}

/// A rule that shipped programs break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LenientRuleInfo {
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
        pub enum LenientRule { $(
            #[doc = $accepted]
            $name,
        )* }

        impl LenientRule {
            /// All rules, by code.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the table entry of the rule: its code, what is accepted, and an example.
            pub const fn info(self) -> LenientRuleInfo {
                match self { $(
                    Self::$name => LenientRuleInfo { code: Code::$code, accepted: $accepted, example: $example },
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
        "a NUL after END ends the program, as in strings of C and in buffers of fixed size";
    OtherPrograms TextAfterEnd "!!ARBvp1.0 ... END !!ARBfp1.0 ... END"
        "of several programs in one source, the one of the requested type is used";
    TextBehindEnd SecondEnd "END NOP"
        "statements after END of a TGSI program that are not in a subroutine are never executed";
    UndeclaredRegister UndeclaredRegister "MOV TEMP[7], IN[0]"
        "temporaries, constants, samplers, buffers and vertex inputs of TGSI programs that no DCL covers are declared by their first use";
    RepeatedDeclaration RegisterTwice "DCL OUT[1], GENERIC[0] DCL OUT[1], GENERIC[0]"
        "inputs and outputs of TGSI programs may be declared again with the semantic that they have";
    DriversState BindingUnknown "PARAM p[32] = { state.multisample.positions[0..31] };"
        "state.matrix.normalscale, state.multisample.samples and state.multisample.positions are what GLSL calls gl_NormalScale, gl_NumSamples and gl_SamplePosition";
    OwnPosition PositionInvariant "OPTION ARB_position_invariant; MOV result.position, a;"
        "a position written by a position-invariant program with types is ignored: fixed functions compute it";
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
        "GS_MAX_OUTPUT_VERTICES 0 denotes 32 vertices, as in Mesa, and GS_INVOCATIONS 0 for one invocation";
    LatePrimitive DeclarationLate "DCL IN[][0], POSITION PROPERTY GS_INPUT_PRIMITIVE TRIANGLES"
        "GS_INPUT_PRIMITIVE may follow the inputs whose size it defines";
    LateDeclaration DeclarationLate "MOV TEMP[0], IN[0] DCL TEMP[1]"
        "declarations and immediates of TGSI programs may follow instructions";
    EdgeFlags NotOnDevice "DCL OUT[1], EDGEFLAG"
        "flags of edges are dropped, because Vulkan has none";
    WrappedInterpolation NotOnDevice "DCL IN[0], GENERIC[0], PERSPECTIVE, CYLWRAP_X"
        "inputs are interpolated without wrapping around, because Vulkan cannot";
    LargeOffset IndexOffset "MOV r, c[a0.x + 96];"
        "offsets of dynamic indices in ARB programs may be of any size";
    BareNumber ScalarSuffix "POW r.x, 2.0, a.x;"
        "a number as scalar operand of an ARB program is that number";
    ReadResult ReadResult "MUL result.color, result.color, a;"
        "a result read in a program of NV_gpu_program4 or 5 or of NV_fragment_program2 is what was written to it last, (0, 0, 0, 1) before";
    GuardedPop AddressRegister "POPA a0 (EQ.x);"
        "POPA under a condition takes an entry off the stack and writes the components whose test passes";
    ReflectionMask ReflectionMask "RFL r, axis, direction;"
        "component w of RFL is computed like the others, with components w of both operands";
    InvariantIndex RelativeInvariant "!!VP1.1 OPTION NV_position_invariant; MOV R0, c[A0.x + 1];"
        "position-invariant programs of NV_vertex_program1_1 have parameters with a dynamic index";
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
        "SHR, which the document of 2010 describes without a sign and no program has, is USHR";
    FetchOfFace TargetNotAllowed "TXF TEMP[0], TEMP[0], SAMP[0], CUBE"
        "TXF of a cube in a TGSI program reads face z, as a layer of a two-dimensional array: the texture of the reflection is such an array";
    MixedLookups MixedLookups "TEX TEMP[0], IN[0], SAMP[0], 2D SAMPLE TEMP[1], IN[0], SVIEW[0], SAMP[0]"
        "both kinds of texture opcodes work in one TGSI program";
    LeadingText HeaderUnknown "# lights\\n!!ARBvp1.0 ... END"
        "a byte order mark, whitespace and comments before the header are skipped";
    DualSourceEarly OptionUnknown "!!NVfp4.0 OPTION ARB_blend_func_extended;"
        "ARB_blend_func_extended and its results exist from language version 4.0 on";
    RegisterRoom TooManyTemporaries "!!FP1.0 ... MOV R30, H0; MOV o[COLR], R0;"
        "all registers of NV_fragment_program exist at the same time";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unique_and_ascend() {
        for pair in Code::ALL.windows(2) {
            assert!(
                pair[0].id() < pair[1].id(),
                "{} before {}",
                pair[0].id(),
                pair[1].id()
            );
        }
    }

    #[test]
    fn codes_are_found_by_number() {
        assert_eq!(Code::from_id("e0204"), Some(Code::UndefinedLabel));
        assert_eq!(Code::from_id("E0000"), None);
    }

    #[test]
    fn titles_and_explanations_are_complete() {
        for code in Code::ALL {
            assert!(
                !code.title().is_empty() && code.explanation().ends_with('.'),
                "{}",
                code.id()
            );
        }
    }
}
