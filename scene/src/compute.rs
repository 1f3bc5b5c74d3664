//! Scenes of compute programs: a dispatch, and a rectangle that shows an image or a storage buffer
//! that the program has written.

use super::program::SceneProgram;
use super::textures::TextureUnits;
use glasm::ir::{BufferKind, Program};

/// Words of a storage buffer that are printed.
const PRINTED_WORDS: u32 = 8;

/// Bytes of a storage buffer that programs which draw read or write.
const STORAGE_BYTES: u32 = 65_536;

/// Formats of TGSI for formats of images in scripts, and the type of the texels.
const FORMATS: &[(&str, &str, &str)] = &[
    ("R8G8B8A8_UNORM", "PIPE_FORMAT_R8G8B8A8_UNORM", ""),
    ("R16G16B16A16_UNORM", "PIPE_FORMAT_R16G16B16A16_UNORM", ""),
    ("R16G16B16A16_SFLOAT", "PIPE_FORMAT_R16G16B16A16_FLOAT", ""),
    ("R32G32B32A32_SFLOAT", "PIPE_FORMAT_R32G32B32A32_FLOAT", ""),
    ("R32G32B32A32_SINT", "PIPE_FORMAT_R32G32B32A32_SINT", "I2F"),
    ("R32G32B32A32_UINT", "PIPE_FORMAT_R32G32B32A32_UINT", "U2F"),
    ("R32_SFLOAT", "PIPE_FORMAT_R32_FLOAT", ""),
    ("R32_SINT", "PIPE_FORMAT_R32_SINT", "I2F"),
    ("R32_UINT", "PIPE_FORMAT_R32_UINT", "U2F"),
];

/// Result of a compute program that the scene shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShownResult {
    /// Image of a unit, with its format in the script.
    Image(u32, &'static str),
    /// Storage buffer.
    Storage(u32),
}

impl ShownResult {
    /// Returns the result of a compute program that the scene shows: the first image of two
    /// dimensions whose texels can be read, else the first storage buffer; `None` if the program
    /// has neither.
    pub(super) fn find(program: &SceneProgram, units: &TextureUnits) -> Option<Self> {
        let is_known = |format: &str| FORMATS.iter().any(|(known, ..)| *known == format);
        if let Some((unit, format)) = units.find_output_image().filter(|it| is_known(it.1)) {
            return Some(Self::Image(unit, format));
        }
        let storage = list_storage(program.ir.as_ref()?).next();
        storage.map(Self::Storage)
    }

    /// Returns the sections with the programs that show the result.
    pub(super) fn format_sections(self, [width, height]: [u32; 2]) -> String {
        let program = match self {
            Self::Image(unit, format) => {
                let known = FORMATS.iter().find(|(known, ..)| *known == format);
                let (format, conversion) = known.map_or(("", ""), |(_, tgsi, op)| (*tgsi, *op));
                let convert = if conversion.is_empty() {
                    String::new()
                } else {
                    // Integers from 0 to 255.
                    format!("{conversion} TEMP[1], TEMP[1]\nMUL TEMP[1], TEMP[1], IMM[0].xxxx\n")
                };
                format!(
                    "FRAG\nDCL SV[0], POSITION\nDCL OUT[0], COLOR\nDCL IMAGE[{unit}], 2D, {format}\n\
                     DCL TEMP[0..1]\nIMM[0] FLT32 {{0.003921569, 0.0, 0.0, 0.0}}\n\
                     F2I TEMP[0], SV[0]\nLOAD TEMP[1], IMAGE[{unit}], TEMP[0], 2D, {format}\n\
                     {convert}MOV OUT[0], TEMP[1]\nEND"
                )
            }
            // Each word is a pixel; its lowest three bytes are red, green and blue.
            Self::Storage(binding) => format!(
                "FRAG\nDCL SV[0], POSITION\nDCL OUT[0], COLOR\nDCL BUFFER[{binding}]\n\
                 DCL TEMP[0..2]\nIMM[0] UINT32 {{{width}, 4, 255, 8}}\n\
                 IMM[1] UINT32 {{16, {}, 0, 0}}\nIMM[2] FLT32 {{0.003921569, 1.0, 0.0, 0.0}}\n\
                 F2U TEMP[0], SV[0]\nUMAD TEMP[0].x, TEMP[0].yyyy, IMM[0].xxxx, TEMP[0].xxxx\n\
                 UMIN TEMP[0].x, TEMP[0].xxxx, IMM[1].yyyy\n\
                 UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n\
                 LOAD TEMP[1].x, BUFFER[{binding}], TEMP[0].xxxx\n\
                 MOV TEMP[2].x, TEMP[1].xxxx\nUSHR TEMP[2].y, TEMP[1].xxxx, IMM[0].wwww\n\
                 USHR TEMP[2].z, TEMP[1].xxxx, IMM[1].xxxx\nAND TEMP[2].xyz, TEMP[2], IMM[0].zzzz\n\
                 U2F TEMP[2].xyz, TEMP[2]\nMUL OUT[0].xyz, TEMP[2], IMM[2].xxxx\nEND",
                width.saturating_mul(height).saturating_sub(1)
            ),
        };
        format!("\n[vertex program passthrough]\n\n[fragment program]\n{program}\n")
    }

    /// Returns the commands that print the first values of the result, as integers and as floats.
    pub(super) fn format_prints(self) -> String {
        match self {
            Self::Image(..) => String::new(),
            Self::Storage(binding) => format!(
                "print ssbo uint {binding} 0 {PRINTED_WORDS}\n\
                 print ssbo float {binding} 0 {PRINTED_WORDS}\n"
            ),
        }
    }
}

/// Returns the command that dispatches a program with an invocation for each pixel.
pub(super) fn format_dispatch(program: &SceneProgram, size: [u32; 2]) -> String {
    let declared = program.ir.as_ref().map(|ir| ir.modes.workgroup_size);
    let group = declared.filter(|group| group.iter().all(|side| *side > 0));
    let [x, y, _] = group.unwrap_or([8, 8, 1]);
    let groups = [size[0].div_ceil(x), size[1].div_ceil(y)];
    let local = if group.is_none() && declared.is_some() {
        " local_size 8 8 1"
    } else {
        ""
    };
    format!("compute {} {} 1{local}\n", groups[0], groups[1])
}

/// Returns the commands that create the storage buffers of programs, with a word for each pixel if
/// a compute program writes them.
pub(super) fn format_storage(programs: &[SceneProgram], size: Option<[u32; 2]>) -> String {
    let bytes = size.map_or(STORAGE_BYTES, |[width, height]| {
        width.saturating_mul(height).saturating_mul(4)
    });
    let irs = programs.iter().filter_map(|program| program.ir.as_ref());
    let mut bindings: Vec<u32> = irs.flat_map(list_storage).collect();
    bindings.sort_unstable();
    bindings.dedup();
    let mut text = String::new();
    for binding in bindings {
        text += &format!("ssbo {binding} {bytes}\n");
    }
    text
}

/// Returns the bindings of the storage buffers of a program.
fn list_storage(program: &Program) -> impl Iterator<Item = u32> {
    let buffers = program.buffers.iter();
    let storage = buffers.filter(|buffer| buffer.kind == BufferKind::Storage);
    storage.map(|buffer| buffer.binding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_scripts::script::Script;

    fn find(text: &str) -> Option<ShownResult> {
        let programs = SceneProgram::split(text.as_bytes());
        ShownResult::find(&programs[0], &TextureUnits::new(&programs))
    }

    #[test]
    fn images_precede_buffers() {
        let image = "COMP\nDCL IMAGE[2], 2D, PIPE_FORMAT_R32_UINT, WR\nDCL BUFFER[1]\n\
                     IMM[0] UINT32 {0, 0, 0, 0}\nSTORE BUFFER[1].x, IMM[0].xxxx, IMM[0].xxxx\n\
                     STORE IMAGE[2], IMM[0], IMM[0], 2D, PIPE_FORMAT_R32_UINT\nEND";
        assert_eq!(find(image), Some(ShownResult::Image(2, "R32_UINT")));
        let buffer = "COMP\nDCL BUFFER[1]\nIMM[0] UINT32 {0, 0, 0, 0}\n\
                      STORE BUFFER[1].x, IMM[0].xxxx, IMM[0].xxxx\nEND";
        assert_eq!(find(buffer), Some(ShownResult::Storage(1)));
        assert_eq!(find("COMP\nEND"), None);
    }

    #[test]
    fn programs_that_show_results_load() {
        let images = FORMATS
            .iter()
            .map(|(format, ..)| ShownResult::Image(3, format));
        for shown in images.chain([ShownResult::Storage(5)]) {
            let text = shown.format_sections([16, 8]) + "\n[test]\n";
            let script = Script::parse_runnable(text.as_bytes()).unwrap();
            let program = script.programs.iter().map(|section| &section.text);
            for source in program.filter(|source| source.starts_with(b"FRAG")) {
                let source = glasm::Source::new("", source);
                let result = glasm::compile(&source, &glasm::Options::default());
                assert!(result.is_ok(), "{shown:?}: {:?}", result.err());
            }
        }
    }

    #[test]
    fn dispatches_cover_the_image() {
        let dispatch = |text: &str| {
            let programs = SceneProgram::split(text.as_bytes());
            format_dispatch(&programs[0], [100, 60])
        };
        assert_eq!(
            dispatch("!!NVcp5.0\nGROUP_SIZE 16 8;\nEND"),
            "compute 7 8 1\n"
        );
        assert_eq!(
            dispatch("!!NVcp5.0\nOPTION ARB_compute_variable_group_size;\nEND"),
            "compute 13 8 1 local_size 8 8 1\n"
        );
    }
}
