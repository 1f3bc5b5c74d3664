//! Items that programs name by number and whose number GL limits.

/// Defines the kinds with the words that messages have for several of them.
macro_rules! numbered {
    ($($(#[doc = $doc:literal])* $name:ident $words:literal;)*) => {
        /// Kind of the items that a number of a program selects.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Numbered { $($(#[doc = $doc])* $name),* }

        impl Numbered {
            /// All kinds, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the words for several of them.
            pub const fn words(self) -> &'static str {
                match self {
                    $(Self::$name => $words,)*
                }
            }
        }
    };
}

numbered! {
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
