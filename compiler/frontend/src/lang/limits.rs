//! Limits of the translation, high enough for every real program, low enough that no input costs
//! much time or memory; and the items that programs name by number and whose number GL limits.

/// Bytes of a program string.
// Lengths of tokens have 24 bits, see `lex::Token`.
pub const PROGRAM_BYTES: usize = (1 << 24) - 1;
/// Maximum number of reported errors.
pub const ERRORS: usize = 100;
/// Instructions (`MAX_PROGRAM_INSTRUCTIONS_ARB`).
pub const INSTRUCTIONS: usize = 1 << 20;
/// Temporaries, array elements counted (`MAX_PROGRAM_TEMPORARIES_ARB`).
pub const TEMPORARIES: u64 = 4096;
/// Elements of parameter arrays (`MAX_PROGRAM_PARAMETERS_ARB`).
pub const PARAMETERS: u64 = 16_384;
/// Components of attributes that a program uses (`MAX_PROGRAM_ATTRIB_COMPONENTS_NV`).
pub const ATTRIB_COMPONENTS: u32 = 128;
/// Components of results that a program writes (`MAX_PROGRAM_RESULT_COMPONENTS_NV`).
pub const RESULT_COMPONENTS: u32 = 128;
/// `program.env[n]` (`MAX_PROGRAM_ENV_PARAMETERS_ARB`).
pub const ENV_PARAMETERS: u32 = 4096;
/// `program.local[n]` (`MAX_PROGRAM_LOCAL_PARAMETERS_ARB`).
pub const LOCAL_PARAMETERS: u32 = 4096;
/// Open IF blocks of a subroutine (`MAX_PROGRAM_IF_DEPTH_NV`).
pub const IF_DEPTH: usize = 64;
/// Open LOOP and REP blocks of a subroutine (`MAX_PROGRAM_LOOP_DEPTH_NV`).
pub const LOOP_DEPTH: usize = 64;
/// Subroutines in a chain of calls, and address registers that ARB programs save among them
/// (`MAX_PROGRAM_CALL_DEPTH_NV`).
pub const CALL_DEPTH: usize = 32;
/// `program.subroutine[n]` (`MAX_PROGRAM_SUBROUTINE_PARAMETERS_NV`).
pub const SUBROUTINE_PARAMETERS: u32 = 1024;
/// Subroutines that can call themselves; those that call each other are one group.
pub const RECURSIVE_GROUPS: u32 = 4096;
/// Targets of all CALI together.
pub const INDIRECT_BRANCHES: usize = 1 << 18;
/// SUBROUTINENUM (`MAX_PROGRAM_SUBROUTINE_NUM_NV`).
pub const SUBROUTINE_NUMBERS: u32 = 4096;
/// Texture image units (`MAX_TEXTURE_IMAGE_UNITS`).
pub const TEXTURE_UNITS: u32 = 128;
/// Image units (`MAX_IMAGE_UNITS_EXT`).
pub const IMAGE_UNITS: u32 = 32;
/// Constant texel offsets (`MIN_PROGRAM_TEXEL_OFFSET_EXT`, `MAX_PROGRAM_TEXEL_OFFSET_EXT`).
pub const TEXEL_OFFSET: std::ops::RangeInclusive<i64> = -8..=7;
/// Binding points of program parameter buffers (`MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV`).
pub const PARAMETER_BUFFERS: u32 = 16;
/// Words of a program parameter buffer (`MAX_PROGRAM_PARAMETER_BUFFER_SIZE_NV`).
pub const PARAMETER_BUFFER_WORDS: u32 = 16_384;
/// Binding points of storage buffers (`MAX_SHADER_STORAGE_BUFFER_BINDINGS`).
pub const STORAGE_BUFFERS: u32 = 64;
/// Bytes of a storage buffer (`MAX_SHADER_STORAGE_BLOCK_SIZE`).
pub const STORAGE_BUFFER_BYTES: u32 = 1 << 30;
/// Binding points of atomic counter buffers (`MAX_ATOMIC_COUNTER_BUFFER_BINDINGS`).
pub const COUNTER_BUFFERS: u32 = 8;
/// Counters of an atomic counter buffer (`MAX_ATOMIC_COUNTER_BUFFER_SIZE` in words).
pub const COUNTER_BUFFER_WORDS: u32 = 16_384;
/// Work-group sizes (`MAX_COMPUTE_LOCAL_WORK_SIZE`).
pub const GROUP_SIZE: [u32; 3] = [1024, 1024, 64];
/// Bytes of shared memory (`MAX_COMPUTE_SHARED_VARIABLE_SIZE`).
pub const SHARED_BYTES: u32 = 48 * 1024;
/// `VERTICES_OUT` of geometry programs (`MAX_PROGRAM_OUTPUT_VERTICES_NV`).
pub const OUTPUT_VERTICES: u32 = 1024;
/// Components of all vertices of an invocation of a geometry program
/// (`MAX_PROGRAM_TOTAL_OUTPUT_COMPONENTS_NV`).
pub const TOTAL_OUTPUT_COMPONENTS: u32 = 1024;
/// Runs of a geometry program for a primitive (`MAX_GEOMETRY_PROGRAM_INVOCATIONS_NV`).
pub const GEOMETRY_INVOCATIONS: u32 = 32;
/// `VERTICES_OUT` of tessellation control programs (`MAX_PATCH_VERTICES_NV`).
pub const PATCH_VERTICES: u32 = glasm_ir::primitive::MAX_PATCH_VERTICES;

/// Numbers of TGSI registers are below this.
pub const TGSI_REGISTERS: u32 = 65_536;
/// Numbers of TGSI arrays are below this.
pub const TGSI_ARRAYS: u32 = 1024;
/// Maximum number of immediates of a TGSI program.
pub const IMMEDIATES: usize = 65_536;

/// Defines the kinds with their names in the plural for messages.
macro_rules! limited_items {
    ($($(#[doc = $doc:literal])* $name:ident $plural:literal;)*) => {
        /// Kind of the items that a number of a program selects.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum LimitedItem { $($(#[doc = $doc])* $name),* }

        impl LimitedItem {
            /// All kinds, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the name in the plural, for messages.
            pub const fn plural_name(self) -> &'static str {
                match self {
                    $(Self::$name => $plural,)*
                }
            }
        }
    };
}

limited_items! {
    /// `program.env[n]`: `MAX_PROGRAM_ENV_PARAMETERS_ARB`
    EnvParameters "environment parameters";
    /// `program.local[n]`: `MAX_PROGRAM_LOCAL_PARAMETERS_ARB`
    LocalParameters "local parameters";
    /// `texture[n]`, `SAMP[n]` and `SVIEW[n]` of TGSI: `MAX_TEXTURE_IMAGE_UNITS_ARB`, or the limit
    /// of the program type
    TextureUnits "texture image units";
    /// `fragment.texcoord[n]`, `result.texcoord[n]`, `state.texgen[n]`, `state.matrix.texture[n]`:
    /// `MAX_TEXTURE_COORDS_ARB`
    TextureCoordinates "texture coordinate sets";
    /// `state.texenv[n]`: `MAX_TEXTURE_UNITS`
    TextureEnvironments "texture units with an environment";
    /// `state.matrix.program[n]`: `MAX_PROGRAM_MATRICES_ARB`
    ProgramMatrices "program matrices";
    /// `state.matrix.modelview[n]`, `vertex.weight[n]`, `vertex.matrixindex[n]`:
    /// `MAX_VERTEX_UNITS_ARB`
    VertexUnits "vertex units";
    /// `state.matrix.palette[n]`: `MAX_PALETTE_MATRICES_ARB`
    PaletteMatrices "palette matrices";
    /// `state.light[n]`, `state.lightprod[n]`: `MAX_LIGHTS`
    Lights "lights";
    /// `state.clip[n]`, `result.clip[n]`: `MAX_CLIP_PLANES`
    ClipPlanes "clip planes";
    /// `vertex.attrib[n]`, `fragment.attrib[n]`: `MAX_PROGRAM_GENERIC_ATTRIBS_NV`, for vertices
    /// `MAX_VERTEX_ATTRIBS_ARB`, too
    GenericAttributes "generic attributes";
    /// `result.attrib[n]`: `MAX_PROGRAM_GENERIC_RESULTS_NV`
    GenericResults "generic results";
    /// `primitive.patch.attrib[n]`, `result.patch.attrib[n]`: `MAX_PROGRAM_PATCH_ATTRIBS_NV`
    PatchAttributes "attributes of patches";
    /// `result.color[n]`: `MAX_DRAW_BUFFERS`
    DrawBuffers "draw buffers";
    /// `image[n]`, `IMAGE[n]` of TGSI: `MAX_IMAGE_UNITS`
    ImageUnits "image units";
    /// `program.buffer[n]`, `CONST[n][m]` and `CONSTBUF[n]` of TGSI:
    /// `MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV`
    ParameterBuffers "program parameter buffers";
    /// `program.storage[n]`, `BUFFER[n]` of TGSI: `MAX_SHADER_STORAGE_BUFFER_BINDINGS`
    StorageBuffers "storage buffers";
    /// `program.counter[n]`, `HWATOMIC[n][m]` of TGSI: `MAX_ATOMIC_COUNTER_BUFFER_BINDINGS`
    CounterBuffers "atomic counter buffers";
    /// `program.subroutine[n]`: `MAX_PROGRAM_SUBROUTINE_PARAMETERS_NV`
    SubroutineParameters "subroutine parameters";
    /// `SUBROUTINENUM(n)`: `MAX_PROGRAM_SUBROUTINE_NUM_NV`
    SubroutineNumbers "subroutine numbers";
    /// IF inside of n IF blocks: `MAX_PROGRAM_IF_DEPTH_NV`
    IfBlocks "IF blocks inside each other";
    /// LOOP or REP inside of n such blocks: `MAX_PROGRAM_LOOP_DEPTH_NV`
    LoopBlocks "loops inside each other";
    /// CAL in the nth subroutine of a chain of calls: `MAX_PROGRAM_CALL_DEPTH_NV`
    Calls "calls inside each other";
    /// The attribute that a program binds after n others: `MAX_PROGRAM_ATTRIBS_ARB`; `IN[n]` of
    /// TGSI
    Attributes "attributes";
    /// `TEMP[n]` of TGSI: `MAX_PROGRAM_TEMPORARIES_ARB`
    Temporaries "temporaries";
    /// `CONST[n]` of TGSI: `MAX_PROGRAM_PARAMETERS_ARB`
    Parameters "parameters";
    /// `ADDR[n]` of TGSI: `MAX_PROGRAM_ADDRESS_REGISTERS_ARB`
    AddressRegisters "address registers";
}
