//! Limits that only ARB programs have. Limits of "native" resources are not enforced: programs
//! beyond them are legal.

/// Attributes of vertex programs (`MAX_PROGRAM_ATTRIBS_ARB`).
pub const VERTEX_ATTRIBS: usize = 16;
/// Attributes of fragment programs without OPTION NV_fragment_program2: two colors, eight sets of
/// texture coordinates, fog coordinate and position.
pub const FRAGMENT_ATTRIBS: usize = 12;
/// Address registers (`MAX_PROGRAM_ADDRESS_REGISTERS_ARB`).
pub const ADDRESS_REGISTERS: u64 = 64;
/// Offsets that may be added to an address register in plain programs.
pub const ADDRESS_OFFSETS: std::ops::RangeInclusive<i64> = -64..=63;
/// Offsets that may be added to the index of a LOOP.
pub const LOOP_INDEX_OFFSETS: std::ops::RangeInclusive<i64> = 0..=9;
/// Texture image units that a vertex program accesses (`MAX_VERTEX_TEXTURE_IMAGE_UNITS_ARB`): the
/// number that every Vulkan device supports for a stage.
pub const VERTEX_TEXTURES: usize = 16;
/// Entries of the call stack of `!!VP2.0` programs, as fixed by NV_vertex_program2.
pub const VERTEX_2_CALL_DEPTH: u32 = 4;
/// Instructions that a vertex program may run: NV_vertex_program2_option section 2.14.4.X.
pub const EXECUTED_INSTRUCTIONS: u32 = 65_536;
/// Iterations of a loop of a fragment program (`MAX_PROGRAM_LOOP_COUNT_NV`).
pub const LOOP_COUNT: u32 = 255;
