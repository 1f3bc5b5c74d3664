//! Modules as GLSL, for drivers without SPIR-V.

#[cfg(feature = "text")]
use glasm::DeviceFeatures;
#[cfg(feature = "text")]
use glasm::reflect::DescriptorSlot;
use glasm::{Options, Shader, Stage};
#[cfg(feature = "text")]
use glasm_text::{Language, ResourceKind};

/// Module as text.
#[derive(Debug)]
pub(crate) struct Written {
    /// Text.
    pub(crate) text: String,
    /// Resources whose bindings are not in the source.
    pub(crate) named: Vec<Named>,
}

/// Adds the interpolation qualifiers of the fragment stage to the outputs of the previous stage:
/// before GLSL 4.40 both must have them.
pub(crate) fn agree(texts: &mut [(Stage, Written)]) {
    let Some(fragment) = texts.iter().find(|(stage, _)| *stage == Stage::Fragment) else {
        return;
    };
    let qualified: Vec<(String, String)> = fragment
        .1
        .text
        .lines()
        .filter_map(|line| {
            let (head, variable) = line.split_once(" in ")?;
            // `layout(location = 0) flat`, or without the first.
            let qualifiers = head.rsplit_once(") ").map_or(head, |(_, behind)| behind);
            let is_plain = qualifiers.split(' ').all(|it| QUALIFIERS.contains(&it));
            is_plain.then(|| (qualifiers.to_owned(), variable.to_owned()))
        })
        .collect();
    let before = |stage: &Stage| match stage {
        Stage::Geometry => 3,
        Stage::TessEval => 2,
        Stage::Vertex => 1,
        Stage::TessControl | Stage::Fragment | Stage::Compute => 0,
    };
    let last = texts.iter_mut().max_by_key(|(stage, _)| before(stage));
    let Some((_, written)) = last.filter(|(stage, _)| before(stage) != 0) else {
        return;
    };
    for (qualifiers, variable) in qualified {
        let plain = format!("out {variable}");
        let lines = written.text.lines().map(|line| {
            let head = line.strip_suffix(&plain);
            // Only if no qualifier is specified yet.
            match head.filter(|head| head.is_empty() || head.ends_with(") ")) {
                Some(head) => format!("{head}{qualifiers} {plain}\n"),
                None => format!("{line}\n"),
            }
        });
        written.text = lines.collect();
    }
}

/// Interpolation qualifiers of fragment inputs.
const QUALIFIERS: [&str; 4] = ["flat", "centroid", "sample", "noperspective"];

/// Returns a text in which the first specialization constants have these values.
pub(crate) fn with_constants(text: &str, constants: &[u32]) -> String {
    let Some((version, rest)) = text.split_once('\n').filter(|_| !constants.is_empty()) else {
        return text.to_owned();
    };
    let mut text = version.to_owned();
    for (number, value) in constants.iter().enumerate() {
        text.push_str(&format!(
            "\n#define SPIRV_CROSS_CONSTANT_ID_{number} {value}u"
        ));
    }
    text + "\n" + rest
}

/// Resource whose binding is set when the program is linked.
#[derive(Debug)]
pub(crate) struct Named {
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
pub(crate) struct Writer {
    options: glasm_text::Options,
}

#[cfg(feature = "text")]
impl Writer {
    /// Creates a writer for a driver that reads this version, with options for modules. `None` if
    /// it is older than the written GLSL.
    pub(crate) fn new(version: u32, compiler: Options) -> Option<Self> {
        let known = Language::ALL.iter().copied();
        let language = known
            .filter(|it| it.family() == "glsl" && it.version().is_some_and(|it| it <= version))
            .max()?;
        Some(Self {
            options: glasm_text::Options {
                compiler,
                // Programs of the NV languages clamp their results, and preserve NaN.
                nan: glasm_text::Nan::Exact,
                ..glasm_text::Options::new(language)
            },
        })
    }

    /// Returns the version that is written, as 450.
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

    /// Writes a module. `Err` names the feature that the language lacks.
    pub(crate) fn write(&self, module: &Shader) -> Result<Written, String> {
        let written = glasm_text::write_shader(module, &self.options);
        let written = written.map_err(|error| error.to_string())?;
        let named = written
            .resources
            .into_iter()
            .filter(|resource| resource.number.is_none())
            .flat_map(|resource| {
                let is_texture = resource.kind == ResourceKind::Texture;
                let count = count(module, resource.slot, is_texture);
                (0..count).map(move |n| Named {
                    is_texture,
                    name: match count {
                        1 => resource.name.clone(),
                        _ => format!("{}[{n}]", resource.name),
                    },
                    binding: resource.slot.binding + n,
                })
            });
        Ok(Written {
            named: named.collect(),
            text: written.text,
        })
    }
}

/// Returns the number of elements of an array of resources; 1 for resources that are not arrays.
#[cfg(feature = "text")]
fn count(module: &Shader, slot: DescriptorSlot, is_texture: bool) -> u32 {
    let reflection = &module.reflection;
    let (mut textures, mut buffers) = (reflection.textures.iter(), reflection.buffers.iter());
    let found = if is_texture {
        textures.find(|it| it.slot == slot).map(|it| it.count)
    } else {
        buffers.find(|it| it.slot == slot).map(|it| it.count)
    };
    found.unwrap_or(1)
}

/// Writer in builds without the feature `text`; it does not exist.
#[cfg(not(feature = "text"))]
#[derive(Clone, Debug)]
pub(crate) enum Writer {}

#[cfg(not(feature = "text"))]
impl Writer {
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
    pub(crate) fn write(&self, _: &Shader) -> Result<Written, String> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(vertex: &str, fragment: &str) -> [(Stage, Written); 2] {
        [(Stage::Vertex, vertex), (Stage::Fragment, fragment)].map(|(stage, text)| {
            let (text, named) = (text.to_owned(), Vec::new());
            (stage, Written { text, named })
        })
    }

    #[test]
    fn results_are_interpolated_as_fragments_say() {
        let mut stages = texts(
            "layout(location = 1) out vec4 a;\nout vec4 b;\nout vec4 ab;\n",
            "layout(location = 1) flat in vec4 a;\nsample noperspective in vec4 b;\nin vec4 ab;\n",
        );
        agree(&mut stages);
        let wanted = "layout(location = 1) flat out vec4 a;\nsample noperspective out vec4 b;\nout vec4 ab;\n";
        assert_eq!(stages[0].1.text, wanted);
        agree(&mut stages);
        assert_eq!(stages[0].1.text, wanted);
    }

    #[test]
    fn constants_stand_behind_the_version() {
        assert_eq!(
            with_constants("#version 430\nx\n", &[7, 8]),
            "#version 430\n#define SPIRV_CROSS_CONSTANT_ID_0 7u\n#define SPIRV_CROSS_CONSTANT_ID_1 8u\nx\n"
        );
        assert_eq!(with_constants("#version 430\n", &[]), "#version 430\n");
    }
}
