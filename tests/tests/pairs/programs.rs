//! Programs of which all pairs are drawn.

use glasm::{Options, Program, Reflection, Semantic, Source, Target, Varyings, varying_location};

pub(crate) type Vector = [f32; 4];

/// Varying of the programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Varying {
    Color,
    Secondary,
    Fog,
    Tex0,
    Tex3,
    Generic5,
}

/// Vertex programs with the varyings that they write.
pub(crate) const VERTEX: &[(&str, &[(Varying, Vector)])] = &[
    (
        "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND",
        &[],
    ),
    (
        "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, {1, 2, 3, 4};\nMOV result.fogcoord.x, {9, 0, 0, 0};\n\
         MOV result.texcoord[3], {14, 15, 16, 17};\nEND",
        &[
            (Varying::Color, [1.0, 2.0, 3.0, 4.0]),
            (Varying::Fog, [9.0, 0.0, 0.0, 1.0]),
            (Varying::Tex3, [14.0, 15.0, 16.0, 17.0]),
        ],
    ),
    (
        "!!NVvp4.0\nMOV result.position, vertex.position;\nMOV result.attrib[5], {20, 21, 22, 23};\n\
         MOV result.color.secondary, {5, 6, 7, 8};\nEND",
        &[
            (Varying::Generic5, [20.0, 21.0, 22.0, 23.0]),
            (Varying::Secondary, [5.0, 6.0, 7.0, 8.0]),
        ],
    ),
    (
        "!!VP2.0\nMOV o[HPOS], v[OPOS];\nSGE o[COL0], v[OPOS].w, v[OPOS].w;\nSGE o[TEX0], v[OPOS].w, v[OPOS].w;\nEND",
        &[(Varying::Color, [1.0; 4]), (Varying::Tex0, [1.0; 4])],
    ),
    (
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[5]\nDCL OUT[2], TEXCOORD[0]\nIMM[0] FLT32 {2.0, 4.0, 6.0, 8.0}\n\
         MOV OUT[0], IN[0]\nMOV OUT[1], IMM[0]\nMOV OUT[2], IMM[0].wzyx\nEND",
        &[
            (Varying::Generic5, [2.0, 4.0, 6.0, 8.0]),
            (Varying::Tex0, [8.0, 6.0, 4.0, 2.0]),
        ],
    ),
];

/// Fragment programs with the varyings whose sum is their color.
pub(crate) const FRAGMENT: &[(&str, &[Varying])] = &[
    (
        "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND",
        &[Varying::Color],
    ),
    (
        "!!ARBfp1.0\nTEMP a;\nMOV a, fragment.fogcoord;\nADD result.color, a, fragment.texcoord[3];\nEND",
        &[Varying::Fog, Varying::Tex3],
    ),
    (
        "!!NVfp4.0\nTEMP a;\nMOV a, fragment.attrib[5];\nADD a, a, fragment.texcoord[0];\nADD result.color, a, fragment.color.secondary;\nEND",
        &[Varying::Generic5, Varying::Tex0, Varying::Secondary],
    ),
    (
        "!!FP1.0\nMOVR R0, f[COL0];\nADDR o[COLR], R0, f[TEX3];\nEND",
        &[Varying::Color, Varying::Tex3],
    ),
    (
        "FRAG\nDCL IN[0], GENERIC[5], LINEAR\nDCL IN[1], COLOR, LINEAR\nDCL OUT[0], COLOR\nADD OUT[0], IN[0], IN[1]\nEND",
        &[Varying::Generic5, Varying::Color],
    ),
    ("!!ARBfp1.0\nMOV result.color, {7, 7, 7, 7};\nEND", &[]),
];

/// Returns options of programs that are compiled separately: all locations that the programs use.
pub(crate) fn separate_options() -> Options {
    let generic = varying_location(Semantic::GenericVarying(5)).unwrap();
    let mut options = Options {
        target: Target::Vulkan1_3,
        ..Options::default()
    };
    options.interface.outputs = Varyings::AllLocations(Varyings::CONVENTIONAL | 1 << generic);
    options
}

/// Loads programs.
pub(crate) fn load<T>(programs: &[(&str, T)]) -> Vec<Program> {
    let load = |(text, _): &(&str, T)| Program::load(&Source::new("pair", text)).unwrap();
    programs.iter().map(load).collect()
}

/// Returns modules of programs that are compiled separately. They need neither descriptors nor
/// features: all have the same pipeline layout.
pub(crate) fn modules<T>(programs: &[(&str, T)]) -> Vec<Vec<u32>> {
    let compile = |program: &Program| {
        let shader = program.compile(&separate_options()).unwrap();
        let Reflection { requirements, .. } = &shader.reflection;
        assert!(glasm::layout::list_descriptors(&shader.reflection).is_empty());
        assert!(requirements.features.is_empty(), "{requirements:?}");
        shader.words
    };
    load(programs).iter().map(compile).collect()
}
