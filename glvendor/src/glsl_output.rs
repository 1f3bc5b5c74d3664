//! Modules as GLSL, for drivers without SPIR-V.
//!
//! Shaders that are linked into separable program objects: from GLSL 1.50 on they must redeclare
//! the built-in varyings that they use (GLSL 4.60 section 7.1.1), which shaders of whole program
//! objects need not. The declarations are written into copies of the application's.

use crate::ffi::{driver, driver_state};
use glasm::{Options, Shader, Stage};

#[cfg(feature = "text")]
use glasm::DeviceFeatures;
#[cfg(feature = "text")]
use glasm::reflect::DescriptorSlot;
#[cfg(feature = "text")]
use glasm_text::{Language, ResourceKind};

/// Module as text.
#[derive(Debug)]
pub(crate) struct GlslText {
    /// Text.
    pub(crate) text: String,
    /// Resources whose bindings are not in the source.
    pub(crate) named: Vec<NamedResource>,
}

/// Adds the interpolation qualifiers of the fragment stage to the outputs of the previous stage:
/// before GLSL 4.40 both must have them. Outputs that have qualifiers are unchanged. Does nothing
/// if one of the stages is missing.
pub(crate) fn match_interpolation(sources: &mut [(Stage, GlslText)]) {
    let Some(fragment) = sources.iter().find(|(stage, _)| *stage == Stage::Fragment) else {
        return;
    };
    let qualified: Vec<(String, String)> = fragment
        .1
        .text
        .lines()
        .filter_map(|line| {
            let (prefix, variable) = line.split_once(" in ")?;
            // `layout(location = 0) flat`, or without the first.
            let qualifiers = prefix
                .rsplit_once(") ")
                .map_or(prefix, |(_, qualifiers)| qualifiers);
            let is_plain = qualifiers.split(' ').all(|it| QUALIFIERS.contains(&it));
            is_plain.then(|| (qualifiers.to_owned(), variable.to_owned()))
        })
        .collect();
    let outputs = |stage: &Stage| match stage {
        Stage::Geometry => 3,
        Stage::TessEval => 2,
        Stage::Vertex => 1,
        Stage::TessControl | Stage::Fragment | Stage::Compute => 0,
    };
    let output_stage = sources.iter_mut().max_by_key(|(stage, _)| outputs(stage));
    let Some((_, written)) = output_stage.filter(|(stage, _)| outputs(stage) != 0) else {
        return;
    };
    for (qualifiers, variable) in qualified {
        let unqualified = format!("out {variable}");
        let lines = written.text.lines().map(|line| {
            let head = line.strip_suffix(&unqualified);
            // Only if no qualifier is specified yet.
            match head.filter(|head| head.is_empty() || head.ends_with(") ")) {
                Some(head) => format!("{head}{qualifiers} {unqualified}\n"),
                None => format!("{line}\n"),
            }
        });
        written.text = lines.collect();
    }
}

/// Interpolation qualifiers of fragment inputs.
const QUALIFIERS: [&str; 4] = ["flat", "centroid", "sample", "noperspective"];

/// Returns a text in which the first specialization constants have these values: macros after the
/// line of the version, which SPIRV-Cross's output reads.
pub(crate) fn set_spec_constants(text: &str, constants: &[u32]) -> String {
    let Some((version, code)) = text.split_once('\n').filter(|_| !constants.is_empty()) else {
        return text.to_owned();
    };
    let mut text = version.to_owned();
    for (number, value) in constants.iter().enumerate() {
        text.push_str(&format!(
            "\n#define SPIRV_CROSS_CONSTANT_ID_{number} {value}u"
        ));
    }
    text + "\n" + code
}

/// Resource whose binding is set when the program is linked.
#[derive(Debug)]
pub(crate) struct NamedResource {
    /// Name in the source.
    pub(crate) name: String,
    /// True for a texture, false for a uniform block.
    pub(crate) is_texture: bool,
    /// Binding of the resource.
    pub(crate) binding: u32,
}

/// Writer of modules as GLSL.
#[cfg(feature = "text")]
#[derive(Clone, Debug)]
pub(crate) struct GlslWriter {
    options: glasm_text::Options,
}

#[cfg(feature = "text")]
impl GlslWriter {
    /// Creates a writer of the newest GLSL that a driver of this version (450) reads, with options
    /// for modules. `None` if the version is older than the oldest GLSL that can be written.
    pub(crate) fn new(version: u32, compiler: Options) -> Option<Self> {
        let known = Language::ALL.iter().copied();
        let language = known
            .filter(|it| it.family() == "glsl" && it.version().is_some_and(|it| it <= version))
            .max()?;
        Some(Self {
            options: glasm_text::Options {
                compiler,
                // Programs of the NV languages clamp their results, and preserve NaN.
                nan_mode: glasm_text::NanMode::Exact,
                ..glasm_text::Options::new(language)
            },
        })
    }

    /// Returns the GLSL version of the output as its number, such as 450.
    pub(crate) fn version(&self) -> u32 {
        self.options.language.version().unwrap_or(0)
    }

    /// Returns the options that modules are compiled with: the features that language and driver
    /// have.
    pub(crate) fn options(&self) -> Options {
        let driver = &self.options.compiler.device;
        let compiler = glasm_text::compiler_options(&self.options);
        let lacks = |name: &str| driver.lacks(name, Stage::Fragment).unwrap_or(false);
        let device = DeviceFeatures {
            subgroups: driver.subgroups,
            ..compiler.device.without(lacks)
        };
        Options { device, ..compiler }
    }

    /// Writes a module as GLSL, with the resources whose bindings the source does not specify.
    /// `Err` names the feature that the language lacks.
    pub(crate) fn write(&self, module: &Shader) -> Result<GlslText, String> {
        let written = glasm_text::write_shader(module, &self.options);
        let written = written.map_err(|error| error.to_string())?;
        let named = written
            .resources
            .into_iter()
            .filter(|resource| resource.binding_number.is_none())
            .flat_map(|resource| {
                let is_texture = resource.kind == ResourceKind::Texture;
                let count = resource_count(module, resource.slot, is_texture);
                (0..count).map(move |n| NamedResource {
                    is_texture,
                    name: match count {
                        1 => resource.name.clone(),
                        _ => format!("{}[{n}]", resource.name),
                    },
                    binding: resource.slot.binding + n,
                })
            });
        Ok(GlslText {
            named: named.collect(),
            text: written.source,
        })
    }
}

/// Returns the number of elements of an array of resources; 1 for resources that are not arrays.
#[cfg(feature = "text")]
fn resource_count(module: &Shader, slot: DescriptorSlot, is_texture: bool) -> u32 {
    let reflection = &module.reflection;
    let (mut textures, mut buffers) = (reflection.textures.iter(), reflection.buffers.iter());
    let found = if is_texture {
        textures
            .find(|it| it.slot == slot)
            .map(|it| it.descriptor_count)
    } else {
        buffers
            .find(|it| it.slot == slot)
            .map(|it| it.descriptor_count)
    };
    found.unwrap_or(1)
}

/// Writer in builds without the feature `text`; it does not exist.
#[cfg(not(feature = "text"))]
#[derive(Clone, Debug)]
pub(crate) enum GlslWriter {}

#[cfg(not(feature = "text"))]
impl GlslWriter {
    /// Returns `None`: without the feature `text` there is no writer.
    pub(crate) fn new(_: u32, _: Options) -> Option<Self> {
        None
    }

    /// Returns the version; unreachable without a writer.
    pub(crate) fn version(&self) -> u32 {
        match *self {}
    }

    /// Returns the options; unreachable without a writer.
    pub(crate) fn options(&self) -> Options {
        match *self {}
    }

    /// Writes a module; unreachable without a writer.
    pub(crate) fn write(&self, _: &Shader) -> Result<GlslText, String> {
        match *self {}
    }
}

/// Members of `gl_PerVertex` in the compatibility profile, with their types.
const PER_VERTEX_MEMBERS: [(&str, &str); 11] = [
    ("vec4 gl_Position", ""),
    ("float gl_PointSize", ""),
    ("vec4 gl_ClipVertex", ""),
    ("float gl_ClipDistance", "[]"),
    ("float gl_CullDistance", "[]"),
    ("vec4 gl_FrontColor", ""),
    ("vec4 gl_BackColor", ""),
    ("vec4 gl_FrontSecondaryColor", ""),
    ("vec4 gl_BackSecondaryColor", ""),
    ("vec4 gl_TexCoord", "[]"),
    ("float gl_FogFragCoord", ""),
];

/// Returns the declarations that precede and follow the members, by kind of shader: inputs and
/// outputs.
fn per_vertex_blocks(kind: u32) -> &'static [(&'static str, &'static str)] {
    const ONE_OUT: (&str, &str) = ("out", "");
    const ALL_IN: (&str, &str) = ("in", " gl_in[]");
    match kind {
        0x8B31 => &[ONE_OUT],
        0x8E88 => &[ALL_IN, ("out", " gl_out[]")],
        0x8E87 | 0x8DD9 => &[ALL_IN, ONE_OUT],
        _ => &[],
    }
}

/// Returns the byte offset where declarations may be inserted: after the version and the extensions
/// of a source, and after conditionals around these. 0 if it has neither.
fn insertion_offset(text: &str) -> usize {
    let (mut offset, mut at, mut depth, mut is_pending) = (0, 0, 0_u32, false);
    for line in text.split_inclusive('\n') {
        at += line.len();
        let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else {
            continue;
        };
        if directive.starts_with("if") {
            depth += 1;
        } else if directive.starts_with("endif") {
            depth = depth.saturating_sub(1);
            if depth == 0 && std::mem::take(&mut is_pending) {
                offset = at;
            }
        } else if directive.starts_with("version") || directive.starts_with("extension") {
            match depth {
                0 => offset = at,
                _ => is_pending = true,
            }
        }
    }
    offset
}

/// Returns the sources, each with its kind of shader (`GL_VERTEX_SHADER`), with declarations of
/// `gl_PerVertex` that have those members that any of them names. `None` if one of them has such a
/// declaration.
pub(crate) fn redeclare_builtins(sources: &[(u32, String)]) -> Option<Vec<(u32, String)>> {
    let names = |word: &str| sources.iter().any(|(_, text)| text.contains(word));
    if names("gl_PerVertex") {
        return None;
    }
    let used_members = PER_VERTEX_MEMBERS.iter().filter(|(member, _)| {
        let name = member.split(' ').next_back();
        name.is_some_and(|name| name == "gl_Position" || names(name))
    });
    let members: String = used_members
        .map(|(member, array)| format!(" {member}{array};"))
        .collect();
    let declare = |(kind, text): &(u32, String)| {
        let (code_before, code_after) = text.split_at(insertion_offset(text));
        let mut text = code_before.to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        for (direction, array) in per_vertex_blocks(*kind) {
            text.push_str(&format!(
                "{direction} gl_PerVertex {{{members} }}{array};\n"
            ));
        }
        (*kind, text + code_after)
    };
    Some(sources.iter().map(declare).collect())
}

/// Links a program object of copies of its shaders, which declare their built-in varyings. Its
/// shaders remain attached to it. Does not link if they declare them already or a copy does not
/// compile; callers query the link status.
pub(crate) fn link_redeclared(program: u32) {
    let shaders = driver_state::attached_shaders(program);
    let sources: Vec<(u32, String)> = shaders
        .iter()
        .map(|&shader| {
            let [kind] = driver_state::shader(shader, driver::constants::SHADER_TYPE);
            (kind as u32, driver_state::shader_source(shader))
        })
        .collect();
    let Some(sources) = redeclare_builtins(&sources) else {
        return;
    };
    let copies = sources
        .iter()
        .map(|(kind, text)| driver_state::create_glsl_shader(*kind, text));
    let copies: Vec<_> = copies.filter_map(Result::ok).collect();
    if copies.len() == shaders.len() {
        // Shaders that the application has deleted exist while they are attached.
        let shader_holder = driver::CreateProgram();
        replace_shaders(program, &shaders, &copies, shader_holder);
        driver::LinkProgram(program);
        replace_shaders(program, &copies, &shaders, 0);
        driver::DeleteProgram(shader_holder);
    }
    copies.into_iter().for_each(driver::DeleteShader);
}

/// Detaches the shaders `old` from a program object, after attaching them to the program object
/// `holder` unless that is 0, and attaches the shaders `new`.
fn replace_shaders(program: u32, old: &[u32], new: &[u32], holder: u32) {
    for &shader in old {
        if holder != 0 {
            driver::AttachShader(holder, shader);
        }
        driver::DetachShader(program, shader);
    }
    for &shader in new {
        driver::AttachShader(program, shader);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(vertex: &str, fragment: &str) -> [(Stage, GlslText); 2] {
        [(Stage::Vertex, vertex), (Stage::Fragment, fragment)].map(|(stage, text)| {
            let (text, named) = (text.to_owned(), Vec::new());
            (stage, GlslText { text, named })
        })
    }

    #[test]
    fn results_are_interpolated_as_fragments_say() {
        let mut stages = texts(
            "layout(location = 1) out vec4 a;\nout vec4 b;\nout vec4 ab;\n",
            "layout(location = 1) flat in vec4 a;\nsample noperspective in vec4 b;\nin vec4 ab;\n",
        );
        match_interpolation(&mut stages);
        let wanted = "layout(location = 1) flat out vec4 a;\nsample noperspective out vec4 b;\nout vec4 ab;\n";
        assert_eq!(stages[0].1.text, wanted);
        match_interpolation(&mut stages);
        assert_eq!(stages[0].1.text, wanted);
    }

    #[test]
    fn constants_stand_behind_the_version() {
        assert_eq!(
            set_spec_constants("#version 430\nx\n", &[7, 8]),
            "#version 430\n#define SPIRV_CROSS_CONSTANT_ID_0 7u\n#define SPIRV_CROSS_CONSTANT_ID_1 8u\nx\n"
        );
        assert_eq!(set_spec_constants("#version 430\n", &[]), "#version 430\n");
    }

    #[test]
    fn declarations_stand_behind_version_and_extensions() {
        let text = "// a\n#version 150\n#ifdef X\n #extension Y : enable\n#endif\nvoid main() {}\n#if 1\n#endif\n";
        assert_eq!(
            &text[insertion_offset(text)..],
            "void main() {}\n#if 1\n#endif\n"
        );
        assert_eq!(insertion_offset("void main() {}"), 0);
        assert_eq!(insertion_offset("#version 150"), 12);
    }

    #[test]
    fn what_one_shader_names_all_declare() {
        let vertex = (0x8B31, "#version 150\ngl_FrontColor".to_owned());
        let geometry = (0x8DD9, "#version 150\ngl_TexCoord[1]".to_owned());
        let texts = redeclare_builtins(&[vertex, geometry]).unwrap();
        let members = "{ vec4 gl_Position; vec4 gl_FrontColor; vec4 gl_TexCoord[]; }";
        assert_eq!(
            texts[0].1,
            format!("#version 150\nout gl_PerVertex {members};\ngl_FrontColor")
        );
        assert_eq!(
            texts[1].1,
            format!(
                "#version 150\nin gl_PerVertex {members} gl_in[];\nout gl_PerVertex {members};\ngl_TexCoord[1]"
            )
        );
        assert_eq!(
            redeclare_builtins(&[(0x8B31, "gl_PerVertex".to_owned())]),
            None
        );
    }
}
