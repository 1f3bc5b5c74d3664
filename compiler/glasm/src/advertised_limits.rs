//! Limits that a caller advertises, below those of the translation.

use crate::program::Program;
use glasm_frontend::{Code, Diagnostic, Diagnostics, LimitedItem, Location, ResourceCounts};

/// Defines the limits of indices: member, kind of the index, and the error of an index that is too
/// large.
macro_rules! limits {
    ($($(#[doc = $doc:literal])* $member:ident $numbered:ident $code:ident;)*) => {
        /// Limits that a GL implementation on top of glasm advertises: its answers to queries of
        /// `MAX_PROGRAM_INSTRUCTIONS_ARB` and others. Without limits of the caller only those of
        /// the translation apply, [`limits`](crate::limits).
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Limits {
            /// The maximum of each count.
            pub counts: ResourceCounts,
            $($(#[doc = $doc])* pub $member: u32,)*
        }

        impl Default for Limits {
            /// Returns the absence of limits.
            fn default() -> Self {
                Self {
                    counts: NO_COUNTS,
                    $($member: u32::MAX,)*
                }
            }
        }

        static NUMBERS: &[NumberRow] = &[$((LimitedItem::$numbered, |it| it.$member, Code::$code)),*];
    };
}

limits! {
    /// Parameters of the environment, `program.env[n]` (`MAX_PROGRAM_ENV_PARAMETERS_ARB`).
    env_parameters EnvParameters BindingRange;
    /// Local parameters, `program.local[n]` (`MAX_PROGRAM_LOCAL_PARAMETERS_ARB`).
    local_parameters LocalParameters BindingRange;
    /// Texture image units, `texture[n]` (`MAX_TEXTURE_IMAGE_UNITS_ARB`, or the limit of the
    /// program type).
    texture_units TextureUnits TextureRange;
    /// Texture coordinate sets, also those of texture matrices and texture coordinate generation
    /// (`MAX_TEXTURE_COORDS_ARB`).
    texture_coordinate_sets TextureCoordinates BindingRange;
    /// Texture units with an environment, `state.texenv[n]` (`MAX_TEXTURE_UNITS`).
    texture_environments TextureEnvironments BindingRange;
    /// Program matrices, `state.matrix.program[n]` (`MAX_PROGRAM_MATRICES_ARB`).
    program_matrices ProgramMatrices BindingRange;
    /// Vertex units, `state.matrix.modelview[n]`, `vertex.weight[n]` and `vertex.matrixindex[n]`
    /// (`MAX_VERTEX_UNITS_ARB`).
    vertex_units VertexUnits BindingRange;
    /// Palette matrices, `state.matrix.palette[n]` (`MAX_PALETTE_MATRICES_ARB`).
    palette_matrices PaletteMatrices BindingRange;
    /// Lights, `state.light[n]` and `state.lightprod[n]` (`MAX_LIGHTS`).
    lights Lights BindingRange;
    /// Clip planes and clip distances, `state.clip[n]` and `result.clip[n]` (`MAX_CLIP_PLANES`).
    clip_planes ClipPlanes BindingRange;
    /// Generic attributes of the program type, `vertex.attrib[n]` and `fragment.attrib[n]`
    /// (`MAX_PROGRAM_GENERIC_ATTRIBS_NV`, for vertex programs `MAX_VERTEX_ATTRIBS_ARB`).
    generic_attributes GenericAttributes BindingRange;
    /// Generic results, `result.attrib[n]` (`MAX_PROGRAM_GENERIC_RESULTS_NV`).
    generic_results GenericResults BindingRange;
    /// Generic attributes of patches (`MAX_PROGRAM_PATCH_ATTRIBS_NV`).
    patch_attributes PatchAttributes BindingRange;
    /// Draw buffers, `result.color[n]` (`MAX_DRAW_BUFFERS`).
    draw_buffers DrawBuffers BindingRange;
    /// Image units, `image[n]` (`MAX_IMAGE_UNITS`).
    image_units ImageUnits BindingRange;
    /// Program parameter buffers, `program.buffer[n]` (`MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV`).
    parameter_buffer_bindings ParameterBuffers BindingRange;
    /// Storage buffers, `program.storage[n]` (`MAX_SHADER_STORAGE_BUFFER_BINDINGS`).
    storage_buffer_bindings StorageBuffers BindingRange;
    /// Atomic counter buffers, `program.counter[n]` (`MAX_ATOMIC_COUNTER_BUFFER_BINDINGS`).
    atomic_counter_buffer_bindings CounterBuffers BindingRange;
    /// Subroutine parameters, `program.subroutine[n]` (`MAX_PROGRAM_SUBROUTINE_PARAMETERS_NV`).
    subroutine_parameters SubroutineParameters BindingRange;
    /// Subroutine indices, `SUBROUTINENUM(n)` (`MAX_PROGRAM_SUBROUTINE_NUM_NV`).
    subroutines SubroutineNumbers SubroutineNumber;
    /// Nesting depth of IF blocks (`MAX_PROGRAM_IF_DEPTH_NV`).
    if_depth IfBlocks IfDepth;
    /// Nesting depth of LOOP and REP blocks (`MAX_PROGRAM_LOOP_DEPTH_NV`).
    loop_depth LoopBlocks LoopDepth;
    /// Calls in the longest chain of subroutines without recursion (`MAX_PROGRAM_CALL_DEPTH_NV`).
    call_depth Calls CallDepth;
}

/// Entities of a program that have both indices and a count. Indices of TGSI must be below the
/// limit of the count; attributes of other languages have the indices to which the source binds
/// them.
static INDEXED_COUNTS: &[NumberRow] = &[
    (
        LimitedItem::Attributes,
        |it| it.counts.attributes,
        Code::TooManyAttribs,
    ),
    (
        LimitedItem::Temporaries,
        |it| it.counts.temporaries,
        Code::TooManyTemporaries,
    ),
    (
        LimitedItem::Parameters,
        |it| it.counts.parameters,
        Code::TooManyParameters,
    ),
    (
        LimitedItem::AddressRegisters,
        |it| it.counts.address_registers,
        Code::TooManyTemporaries,
    ),
];

const NO_COUNTS: ResourceCounts = ResourceCounts {
    instructions: u32::MAX,
    alu_instructions: u32::MAX,
    texture_instructions: u32::MAX,
    texture_indirections: u32::MAX,
    temporaries: u32::MAX,
    parameters: u32::MAX,
    attributes: u32::MAX,
    address_registers: u32::MAX,
    attribute_components: u32::MAX,
    result_components: u32::MAX,
};

/// Kind of an index, its limit, and the error of an index that is too large.
type NumberRow = (LimitedItem, fn(&Limits) -> u32, Code);

/// A limited count, its name, and the error of an excess.
type CountLimit = (fn(&ResourceCounts) -> u32, &'static str, Code);

static COUNT_LIMITS: &[CountLimit] = &[
    (
        |it| it.instructions,
        "instructions",
        Code::TooManyInstructions,
    ),
    (
        |it| it.alu_instructions,
        "ALU instructions",
        Code::TooManyInstructions,
    ),
    (
        |it| it.texture_instructions,
        "texture instructions",
        Code::TooManyInstructions,
    ),
    (
        |it| it.texture_indirections,
        "texture indirections",
        Code::TooManyInstructions,
    ),
    (|it| it.temporaries, "temporaries", Code::TooManyTemporaries),
    (|it| it.parameters, "parameters", Code::TooManyParameters),
    (
        |it| it.address_registers,
        "address registers",
        Code::TooManyTemporaries,
    ),
    (
        |it| it.attribute_components,
        "components of attributes",
        Code::TooManyAttribComponents,
    ),
    (
        |it| it.result_components,
        "components of results",
        Code::TooManyResultComponents,
    ),
];

impl Limits {
    /// Returns the limits on a program whose options reserve some of the resources.
    fn without_reserved(&self, reserved: &ResourceCounts) -> Self {
        let mut remaining = *self;
        let counts = &mut remaining.counts;
        for (limit, reserved) in [
            (&mut counts.instructions, reserved.instructions),
            (&mut counts.alu_instructions, reserved.alu_instructions),
            (&mut counts.temporaries, reserved.temporaries),
            (&mut counts.parameters, reserved.parameters),
            (&mut counts.attributes, reserved.attributes),
        ] {
            *limit = limit.saturating_sub(reserved);
        }
        remaining
    }
}

impl Program {
    /// Checks the program against limits of the caller. `glProgramStringARB` fails for programs
    /// that exceed them: at the first index that is too large, at the first attribute beyond the
    /// allowed ones, at the end of the source for other counts.
    ///
    /// Fog options and position invariance reserve some of the resources, so that less is allowed
    /// (ARB_fragment_program section 3.11.4.5.1, ARB_vertex_program section 2.14.4.5.1); messages
    /// contain the limits that remain.
    ///
    /// For TGSI the indices of registers and semantics are checked, which Gallium limits in this
    /// way: `IN` against [`ResourceCounts::attributes`], `TEMP`, `CONST` and `ADDR` against the
    /// counts of temporaries, parameters and address registers, `SAMP` and `SVIEW` against
    /// [`Limits::texture_units`], images, buffers, `GENERIC`, `TEXCOORD`, `PATCH` and colors of
    /// fragments against the members of their names, and the nesting of blocks. TGSI has no other
    /// counts.
    ///
    /// # Errors
    /// An error for each limit that the program exceeds, indices in source order before counts.
    pub fn check_limits(&self, limits: &Limits) -> Result<(), Diagnostics> {
        let usage = self.resource_usage();
        let limits = &limits.without_reserved(&usage.reserved);
        let numbers = NUMBERS
            .iter()
            .chain(INDEXED_COUNTS)
            .filter_map(|&(kind, limit, code)| {
                let limit = limit(limits);
                let (index, location) = usage.indices.find_first_out_of_range(kind, limit)?;
                let description = kind.plural_name();
                Some(match location {
                    Some(span) => {
                        let message = format!(
                            "number {index} is out of range; the limit is {limit} {description}"
                        );
                        Diagnostic::error(code, span, message)
                    }
                    None => {
                        Diagnostic::whole_program(code, format!("more than {limit} {description}"))
                    }
                })
            });
        let counts = &usage.counts;
        let exceeded = COUNT_LIMITS.iter().filter_map(|&(count, name, code)| {
            let (count, limit) = (count(counts), count(&limits.counts));
            (count > limit).then(|| {
                Diagnostic::whole_program(code, format!("{count} {name}; the limit is {limit}"))
            })
        });
        let mut list: Vec<Diagnostic> = numbers.chain(exceeded).collect();
        // The sort is stable: errors without a span retain the order of the tables.
        list.sort_by_key(|it| match it.location {
            Location::Span(span) => span.start,
            Location::WholeProgram => u32::MAX,
        });
        if list.is_empty() {
            Ok(())
        } else {
            Err(Diagnostics { list })
        }
    }
}
