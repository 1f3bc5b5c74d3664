//! Profiles that the runtime compiles for, and the cases that each of them can draw.

use crate::support::Vendor;

/// A pair of profiles, with the ones of the stages between, and how they run.
pub(crate) struct Pair {
    pub(crate) name: &'static str,
    vertex: &'static str,
    fragment: &'static str,
    /// Geometry, tessellation control and tessellation evaluation; `-` where there is none.
    between: [&'static str; 3],
    /// Capabilities of vertex and fragment programs.
    level: [Level; 2],
    /// Cases that only this pair lacks.
    lacks: &'static [&'static str],
    pub(crate) vendor: Vendor,
    /// Environment variables in addition to those that the vendor needs.
    pub(crate) variables: &'static [(&'static str, &'static str)],
}

/// Generations of the languages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    /// NV_register_combiners, without textures.
    Combiners,
    /// ARB_vertex_program and NV_vertex_program1_1, ARB_fragment_program.
    Arb,
    /// NV_vertex_program2 and NV_fragment_program.
    Nv30,
    /// NV_vertex_program3 and NV_fragment_program2.
    Nv40,
    /// NV_gpu_program4.
    Gp4,
    /// NV_gpu_program5.
    Gp5,
}

use Level::{Arb, Combiners, Gp4, Gp5, Nv30, Nv40};

const NONE: [&str; 3] = ["-"; 3];

/// GLSL that the runtime writes of the same programs, on the driver alone.
pub(crate) static REFERENCE: Pair = Pair {
    name: "glsl",
    vertex: "glslv",
    fragment: "glslf",
    between: ["-", "-", "glslg"],
    level: [Gp5, Gp5],
    lacks: &[],
    vendor: Vendor::Mesa,
    variables: &[],
};

/// Pairs of profiles that are compared.
pub(crate) static PAIRS: [Pair; 9] = [
    // The driver's own assembler, through the library.
    Pair {
        name: "arb",
        vertex: "arbvp1",
        fragment: "arbfp1",
        between: NONE,
        level: [Arb, Arb],
        lacks: &[],
        vendor: Vendor::Glasm,
        variables: &[],
    },
    Pair {
        name: "arb_alone",
        vertex: "arbvp1",
        fragment: "arbfp1",
        between: NONE,
        level: [Arb, Arb],
        lacks: &[],
        vendor: Vendor::GlasmAlone,
        variables: &[],
    },
    // Register combiners, which are not programs. Version 3.1 of the runtime does not bind stages
    // of texture shaders if NV_texture_shader and ARB_multitexture exist: its test is inverted.
    Pair {
        name: "fp20",
        vertex: "vp20",
        fragment: "fp20",
        between: NONE,
        level: [Arb, Combiners],
        lacks: &[],
        vendor: Vendor::Glasm,
        variables: &[],
    },
    Pair {
        name: "vp20",
        vertex: "vp20",
        fragment: "arbfp1",
        between: NONE,
        level: [Arb, Arb],
        // Programs of this language and of the next one read no state but matrices that registers
        // track.
        lacks: &["tracked_lights"],
        vendor: Vendor::Glasm,
        variables: &[],
    },
    Pair {
        name: "vp30",
        vertex: "vp30",
        fragment: "fp30",
        between: NONE,
        level: [Nv30, Nv30],
        // NV_fragment_program has one color.
        lacks: &["targets", "tracked_lights"],
        vendor: Vendor::Glasm,
        variables: &[],
    },
    Pair {
        name: "vp40",
        vertex: "vp40",
        fragment: "fp40",
        between: NONE,
        level: [Nv40, Nv40],
        lacks: &[],
        vendor: Vendor::Glasm,
        variables: &[],
    },
    Pair {
        name: "gp4",
        vertex: "gp4vp",
        fragment: "gp4fp",
        between: ["-", "-", "gp4gp"],
        level: [Gp4, Gp4],
        lacks: &[],
        vendor: Vendor::Glasm,
        variables: &[],
    },
    Pair {
        name: "gp5",
        vertex: "gp5vp",
        fragment: "gp5fp",
        between: ["gp5tcp", "gp5tep", "gp5gp"],
        level: [Gp5, Gp5],
        lacks: &[],
        vendor: Vendor::Glasm,
        variables: &[],
    },
    // As on drivers that take no SPIR-V.
    Pair {
        name: "gp5_text",
        vertex: "gp5vp",
        fragment: "gp5fp",
        between: ["gp5tcp", "gp5tep", "gp5gp"],
        level: [Gp5, Gp5],
        lacks: &[],
        vendor: Vendor::Glasm,
        variables: &[("GLASM_GLSL_VERSION", "1")],
    },
];

impl Pair {
    /// Returns true if its profiles can compile a case.
    pub(crate) fn has(&self, case: &Case) -> bool {
        let is_enough = std::iter::zip(self.level, case.level).all(|(own, its)| own >= its);
        is_enough && !self.lacks.contains(&case.name)
    }

    /// Returns true if the library gives the driver GLSL.
    #[allow(dead_code, reason = "not all tests build the library without GLSL")]
    pub(crate) fn needs_text(&self) -> bool {
        let mut names = self.variables.iter().map(|(name, _)| *name);
        names.any(|name| name == "GLASM_GLSL_VERSION")
    }

    /// Returns the profiles by stages, in the form of the client.
    pub(crate) fn stages(&self) -> [&'static str; 5] {
        let [control, evaluation, geometry] = self.between;
        [self.vertex, control, evaluation, geometry, self.fragment]
    }
}

/// A case that the client draws.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Minimum capabilities of vertex and fragment programs.
    level: [Level; 2],
}

const fn case(name: &'static str, vertex: Level, fragment: Level) -> Case {
    Case {
        name,
        level: [vertex, fragment],
    }
}

/// All of them.
pub(crate) const CASES: &[Case] = &[
    case("explicit_matrix", Arb, Combiners),
    case("tracked_matrices", Arb, Arb),
    case("tracked_lights", Arb, Arb),
    case("matrices", Arb, Combiners),
    case("arrays", Arb, Combiners),
    case("lights", Arb, Arb),
    case("math_vertex", Arb, Arb),
    case("math_fragment", Arb, Arb),
    case("comparisons", Arb, Arb),
    case("discards", Arb, Arb),
    case("texture_1d", Arb, Arb),
    case("texture_2d", Arb, Arb),
    case("texture_projected", Arb, Arb),
    case("texture_cube", Arb, Arb),
    case("texture_3d", Arb, Arb),
    case("texture_rectangle", Arb, Arb),
    case("texture_shadow", Arb, Arb),
    case("texture_bias", Arb, Arb),
    case("texture_derivatives", Arb, Nv30),
    case("texture_level", Arb, Nv40),
    case("texture_vertex", Nv40, Arb),
    case("texture_layers", Arb, Gp4),
    case("texture_texels", Arb, Gp4),
    case("texture_buffer", Arb, Gp4),
    case("branches", Arb, Nv40),
    case("branches_vertex", Nv30, Arb),
    case("two_colors", Arb, Arb),
    case("back_colors", Arb, Combiners),
    case("depth", Arb, Arb),
    case("window_position", Arb, Arb),
    case("face", Arb, Nv40),
    case("derivatives", Arb, Nv30),
    case("clipping", Nv30, Arb),
    case("low_precision", Arb, Nv30),
    case("packing", Arb, Nv30),
    case("integers", Arb, Gp4),
    case("numbers_of_vertices", Gp4, Arb),
    case("interpolation", Gp4, Gp4),
    case("targets", Arb, Arb),
    case("buffers", Gp4, Gp4),
    case("connected", Arb, Combiners),
    case("attributes", Arb, Combiners),
    case("fixed_vertices", Arb, Arb),
    case("fixed_fragments", Arb, Arb),
    case("lists", Arb, Combiners),
    case("geometry_triangles", Gp4, Gp4),
    case("geometry_points", Gp4, Gp4),
    case("geometry_adjacency", Gp4, Gp4),
    case("geometry_flat", Gp4, Gp4),
    case("tessellation_quads", Gp5, Gp5),
    case("tessellation_triangles", Gp5, Gp5),
    case("tessellation_lines", Gp5, Gp5),
];
