//! Tokens of operations: "New Tokens" of the specifications.

pub(crate) const NONE: u32 = 0;
pub(crate) const TEXTURE_1D: u32 = 0x0DE0;
pub(crate) const TEXTURE_2D: u32 = 0x0DE1;
pub(crate) const TEXTURE_3D: u32 = 0x806F;
pub(crate) const TEXTURE_RECTANGLE: u32 = 0x84F5;
pub(crate) const TEXTURE_CUBE_MAP: u32 = 0x8513;
pub(crate) const PASS_THROUGH: u32 = 0x86E6;
pub(crate) const CULL_FRAGMENT: u32 = 0x86E7;
pub(crate) const OFFSET_2D: u32 = 0x86E8;
pub(crate) const OFFSET_2D_SCALE: u32 = 0x86E2;
pub(crate) const OFFSET_RECTANGLE: u32 = 0x864C;
pub(crate) const OFFSET_RECTANGLE_SCALE: u32 = 0x864D;
pub(crate) const DEPENDENT_AR: u32 = 0x86E9;
pub(crate) const DEPENDENT_GB: u32 = 0x86EA;
pub(crate) const DOT: u32 = 0x86EC;
pub(crate) const DOT_DEPTH: u32 = 0x86ED;
pub(crate) const DOT_2D: u32 = 0x86EE;
pub(crate) const DOT_3D: u32 = 0x86EF;
pub(crate) const DOT_RECTANGLE: u32 = 0x864E;
pub(crate) const DOT_CUBE: u32 = 0x86F0;
pub(crate) const DOT_DIFFUSE: u32 = 0x86F1;
pub(crate) const DOT_REFLECT: u32 = 0x86F2;
pub(crate) const DOT_CONST_EYE: u32 = 0x86F3;
pub(crate) const OFFSET_PROJECTIVE_2D: u32 = 0x8850;
pub(crate) const OFFSET_PROJECTIVE_2D_SCALE: u32 = 0x8851;
pub(crate) const OFFSET_PROJECTIVE_RECTANGLE: u32 = 0x8852;
pub(crate) const OFFSET_PROJECTIVE_RECTANGLE_SCALE: u32 = 0x8853;
pub(crate) const OFFSET_HILO_2D: u32 = 0x8854;
pub(crate) const OFFSET_HILO_RECTANGLE: u32 = 0x8855;
pub(crate) const OFFSET_HILO_PROJECTIVE_2D: u32 = 0x8856;
pub(crate) const OFFSET_HILO_PROJECTIVE_RECTANGLE: u32 = 0x8857;
pub(crate) const DEPENDENT_HILO: u32 = 0x8858;
pub(crate) const DEPENDENT_RGB_3D: u32 = 0x8859;
pub(crate) const DEPENDENT_RGB_CUBE: u32 = 0x885A;
pub(crate) const DOT_PASS_THROUGH: u32 = 0x885B;
pub(crate) const DOT_1D: u32 = 0x885C;
pub(crate) const DOT_AFFINE_DEPTH: u32 = 0x885D;

/// All of them.
pub(crate) const OPERATIONS: [u32; 37] = [
    NONE,
    TEXTURE_1D,
    TEXTURE_2D,
    TEXTURE_3D,
    TEXTURE_RECTANGLE,
    TEXTURE_CUBE_MAP,
    PASS_THROUGH,
    CULL_FRAGMENT,
    OFFSET_2D,
    OFFSET_2D_SCALE,
    OFFSET_RECTANGLE,
    OFFSET_RECTANGLE_SCALE,
    DEPENDENT_AR,
    DEPENDENT_GB,
    DOT,
    DOT_DEPTH,
    DOT_2D,
    DOT_3D,
    DOT_RECTANGLE,
    DOT_CUBE,
    DOT_DIFFUSE,
    DOT_REFLECT,
    DOT_CONST_EYE,
    OFFSET_PROJECTIVE_2D,
    OFFSET_PROJECTIVE_2D_SCALE,
    OFFSET_PROJECTIVE_RECTANGLE,
    OFFSET_PROJECTIVE_RECTANGLE_SCALE,
    OFFSET_HILO_2D,
    OFFSET_HILO_RECTANGLE,
    OFFSET_HILO_PROJECTIVE_2D,
    OFFSET_HILO_PROJECTIVE_RECTANGLE,
    DEPENDENT_HILO,
    DEPENDENT_RGB_3D,
    DEPENDENT_RGB_CUBE,
    DOT_PASS_THROUGH,
    DOT_1D,
    DOT_AFFINE_DEPTH,
];
