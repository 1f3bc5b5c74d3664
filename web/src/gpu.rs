//! Scenes for WebGPU: the draw of a script with its shaders in WGSL and the contents of all
//! resources, which the page passes to the device.
//!
//! Only vertex and fragment programs with one draw are described; for others, and for state that
//! WebGPU lacks, the result is a reason, and the page draws with the interpreter. Clip space is
//! that of Vulkan, so that the first row of the image is the lowest one.

use crate::scene::{SceneRequest, TextureFiles};
use ash::vk;
use glasm::ir::{BaseType, BufferKind, Semantic, Stage, TexTarget};
use glasm::limits::TEXTURE_UNITS;
use glasm::reflect::{BufferBinding, DescriptorSlot, TextureBinding};
use glasm::{Reflection, Shader};
use glasm_scripts::compile::ScriptCompiler;
use glasm_scripts::script::{
    Command, Draw, DrawSource, PrimitiveAssembly, ProgramForm, ProgramSection, Script,
};
use glasm_scripts::software::SceneState;
use glasm_scripts::texture::{PlaneId, Sampling, Swizzle, TextureData, Wrap};
use glasm_text::{ClipConventions, Language};
use serde_json::{Value, json};

/// Bytes of a uniform buffer at most, and of those whose size is not declared.
const UNIFORM_BYTES: usize = 1 << 16;

/// Bytes of vertex data, textures and buffers together at most.
const MAX_BYTES: usize = 1 << 28;

/// Size of the image that the interpreter draws before the device.
const TRIAL_SIZE: [u32; 2] = [16, 16];

/// A draw for WebGPU.
#[derive(Clone, PartialEq, Debug)]
pub struct GpuScene {
    /// Shaders, state and resources; contents are offsets and lengths in `bytes`.
    pub description: Value,
    /// Contents of the resources.
    pub bytes: Vec<u8>,
}

impl SceneRequest {
    /// Describes the scene for WebGPU.
    ///
    /// # Errors
    /// If the programs do not form a scene that draws something, or WebGPU cannot draw it.
    pub fn describe_for_gpu(&self, files: &TextureFiles) -> Result<GpuScene, String> {
        // A program that does not end would block the device. The interpreter has a step limit.
        let trial = Self {
            size: TRIAL_SIZE,
            ..self.clone()
        };
        trial.draw(files)?;
        let mut script = self.build_script(files)?;
        replace_passthrough(&mut script)?;
        let mut state = SceneState::new(&script);
        let mut found = None;
        for step in &script.steps {
            state.apply(&step.command)?;
            if let Command::Clear(clear) = &step.command {
                found = Some((clear.colors[0], None));
            } else if let Command::Draw(draw) = &step.command {
                let Some((color, None)) = found else {
                    return Err("the scene has several draws".to_owned());
                };
                state.begin_draw(draw);
                let mut writer = SceneWriter {
                    script: &script,
                    state: &state,
                    bytes: Vec::new(),
                };
                found = Some((color, Some(writer.describe(draw, color)?)));
            } else if matches!(step.command, Command::Compute { .. }) {
                return Err("compute programs are drawn by the interpreter".to_owned());
            }
        }
        match found {
            Some((_, Some(scene))) => Ok(scene),
            Some((_, None)) | None => Err("the programs draw nothing".to_owned()),
        }
    }
}

/// Replaces a vertex stage that forwards attributes by a program that does the same.
///
/// # Errors
/// If the script has stages other than vertex and fragment programs.
fn replace_passthrough(script: &mut Script) -> Result<(), String> {
    let find = |stage| {
        let mut sections = script.programs.iter();
        sections.position(|section| section.stage == stage)
    };
    let (Some(vertex), Some(fragment)) = (find(Stage::Vertex), find(Stage::Fragment)) else {
        return Err("WebGPU draws vertex and fragment programs".to_owned());
    };
    if script.programs.len() != 2 {
        return Err("WebGPU has no geometry and tessellation programs".to_owned());
    }
    if script.programs[vertex].form == ProgramForm::PassThrough {
        let text = write_passthrough(script, &script.programs[fragment])?;
        let section = &mut script.programs[vertex];
        section.form = ProgramForm::Assembly;
        section.text = text.into_bytes();
    }
    Ok(())
}

/// Writes a vertex program that copies the conventional attributes of the inputs of a fragment
/// program.
fn write_passthrough(script: &Script, fragment: &ProgramSection) -> Result<String, String> {
    let source = script.requirements.source("", fragment);
    let program = glasm::Program::load(&source).map_err(|errors| errors.render(&source))?;
    let mut text = "!!NVvp4.0\nMOV result.position, vertex.attrib[0];\n".to_owned();
    for input in &program.ir().inputs {
        if input.base != BaseType::Float {
            return Err("the inputs of the fragment program are integers".to_owned());
        }
        let copy = if let Semantic::Color(number) = input.semantic {
            let secondary = if number == 0 { "" } else { ".secondary" };
            Some((format!("result.color{secondary}"), 3 + number))
        } else if input.semantic == Semantic::FogCoord {
            Some(("result.fogcoord".to_owned(), 5))
        } else if let Semantic::TexCoord(set) = input.semantic {
            Some((format!("result.texcoord[{set}]"), 8 + set))
        } else if let Semantic::GenericVarying(number) = input.semantic {
            Some((format!("result.attrib[{number}]"), number))
        } else {
            None
        };
        let copy = copy.filter(|(_, attribute)| *attribute < 16);
        if let Some((result, attribute)) = copy {
            text += &format!("MOV {result}, vertex.attrib[{attribute}];\n");
        }
    }
    Ok(text + "END\n")
}

/// Writes the description of a draw.
struct SceneWriter<'s> {
    script: &'s Script,
    state: &'s SceneState<'s>,
    bytes: Vec<u8>,
}

impl SceneWriter<'_> {
    /// Describes a draw after a clear with a color.
    fn describe(&mut self, draw: &Draw, clear: [f64; 4]) -> Result<GpuScene, String> {
        let pipeline = describe_pipeline(draw)?;
        let mut shaders = Vec::new();
        let mut resources = Vec::new();
        let mut inputs = Vec::new();
        for shader in self.link()? {
            let stage = shader.reflection.stage;
            if stage == Stage::Vertex {
                inputs.extend(shader.reflection.inputs.iter().filter_map(|it| it.location));
            }
            self.describe_resources(&shader.reflection, &mut resources)?;
            let text = glasm_text::write_shader(&shader, &text_options());
            let text = text.map_err(|error| error.to_string())?;
            shaders.push(json!({ "stage": stage.name(), "source": text.source }));
        }
        let vertices = self.describe_vertices(draw, &inputs)?;
        let [width, height] = self.script.requirements.framebuffer;
        let description = json!({
            "width": width,
            "height": height,
            "clear": clear,
            "shaders": shaders,
            "resources": resources,
            "pipeline": pipeline,
            "vertices": vertices,
        });
        let bytes = std::mem::take(&mut self.bytes);
        Ok(GpuScene { description, bytes })
    }

    /// Compiles and links the programs with the options for WGSL.
    fn link(&self) -> Result<Vec<Shader>, String> {
        let compiler = ScriptCompiler {
            name: "scene",
            script: self.script,
            state: self.state.program_state(),
            base_options: glasm_text::compiler_options(&text_options()),
            implied_point_size: None,
        };
        let stages = compiler.link();
        if stages.len() != 2 {
            return Err("the programs cannot be linked".to_owned());
        }
        let stages = stages.into_iter().map(|(stage, shader)| {
            shader.map_err(|errors| {
                let first = errors.list.first().map(|it| it.message.clone());
                let name = stage.name();
                format!("the {name} program: {}", first.unwrap_or_default())
            })
        });
        stages.collect()
    }

    /// Appends contents of a resource, and returns their offset and length.
    fn push(&mut self, contents: &[u8]) -> Result<Value, String> {
        let start = self.bytes.len().next_multiple_of(8);
        if start + contents.len() > MAX_BYTES {
            return Err("the scene is too large".to_owned());
        }
        self.bytes.resize(start, 0);
        self.bytes.extend(contents);
        Ok(json!([start, contents.len()]))
    }

    /// Appends the resources of a shader.
    fn describe_resources(
        &mut self,
        reflection: &Reflection,
        resources: &mut Vec<Value>,
    ) -> Result<(), String> {
        let has_others = reflection.state_block.is_some()
            || !reflection.images.is_empty()
            || !reflection.input_attachments.is_empty()
            || !reflection.handle_arrays.is_empty()
            || !reflection.samplers.is_empty();
        if has_others {
            return Err("a program has resources that the page does not provide".to_owned());
        }
        if let Some(block) = &reflection.parameter_block {
            if block.is_storage_buffer {
                return Err("a program has too many parameters".to_owned());
            }
            let mut sections = self.script.programs.iter();
            let section = sections.find(|section| section.stage == reflection.stage);
            let named = (
                section.map_or(0, |it| it.line),
                &reflection.named_parameters[..],
            );
            let params = self.state.params();
            let contents = params.block_contents(reflection.stage, block, named);
            resources.push(self.describe_uniform(block.slot, &contents)?);
        }
        for buffer in &reflection.buffers {
            resources.push(self.describe_buffer(reflection.stage, buffer)?);
        }
        for texture in &reflection.textures {
            resources.extend(self.describe_texture(texture)?);
        }
        Ok(())
    }

    /// Describes a uniform buffer.
    fn describe_uniform(&mut self, slot: DescriptorSlot, contents: &[u8]) -> Result<Value, String> {
        let contents = self.push(contents)?;
        Ok(json!({
            "kind": "uniform", "group": slot.set, "binding": slot.binding, "contents": contents,
        }))
    }

    /// Describes a program parameter buffer.
    fn describe_buffer(&mut self, stage: Stage, buffer: &BufferBinding) -> Result<Value, String> {
        if buffer.kind != BufferKind::ProgramParameter || buffer.descriptor_count != 1 {
            return Err("a program accesses storage buffers".to_owned());
        }
        let bound = self
            .state
            .find_parameter_buffer(stage, buffer.program_binding);
        let mut contents = bound.unwrap_or_default().to_vec();
        contents.resize(UNIFORM_BYTES, 0);
        self.describe_uniform(buffer.slot, &contents)
    }

    /// Describes a texture and its sampler.
    fn describe_texture(&mut self, binding: &TextureBinding) -> Result<[Value; 2], String> {
        if binding.descriptor_count != 1 || binding.is_shadow {
            return Err(
                "arrays of textures and depth textures are drawn by the interpreter".into(),
            );
        }
        let found = self.state.find_texture(binding.unit);
        let (data, sampling) =
            found.ok_or_else(|| format!("texture image unit {} has no texture", binding.unit))?;
        let (dimension, layers) = match binding.target {
            TexTarget::D1 | TexTarget::D2 | TexTarget::Rect => ("2d", 1),
            TexTarget::D3 => ("3d", 1),
            TexTarget::Cube => ("cube", 6),
            TexTarget::D2Array => ("2d-array", data.shape.layers),
            TexTarget::D1Array
            | TexTarget::CubeArray
            | TexTarget::Buffer
            | TexTarget::D2Multisample
            | TexTarget::D2MultisampleArray => {
                return Err("a texture has a target that WebGPU lacks".to_owned());
            }
        };
        let (format, sampled) = name_texture_format(data, sampling)?;
        let mut levels = Vec::new();
        for level in 0..data.shape.levels {
            let mut contents = Vec::new();
            for slice in 0..data.shape.slices(level) {
                contents.extend(data.plane(PlaneId {
                    level,
                    slice,
                    sample: 0,
                }));
            }
            let [width, height, depth] = data.shape.level_extent(level);
            levels.push(json!({
                "size": [width, height, depth.max(layers)],
                "contents": self.push(&contents)?,
            }));
        }
        let DescriptorSlot { set, binding } = binding.slot;
        let texture = json!({
            "kind": "texture",
            "group": set,
            "binding": binding,
            "format": format,
            "texelBytes": data.shape.format.texel_size(),
            "dimension": dimension,
            "sampled": sampled,
            "levels": levels,
        });
        let sampler = json!({
            "kind": "sampler",
            "group": set,
            // The text output splits combined samplers: docs/text-output.md.
            "binding": binding + TEXTURE_UNITS,
            "sampler": describe_sampler(sampling, data.shape.levels, sampled)?,
        });
        Ok([texture, sampler])
    }

    /// Describes the vertices of a draw for a program that reads attributes at some locations.
    fn describe_vertices(&mut self, draw: &Draw, inputs: &[u32]) -> Result<Value, String> {
        let mut attributes = Vec::new();
        let mut constants = Vec::new();
        let (count, indices, buffer) = match draw.source {
            DrawSource::Rect { .. } => return Err("rectangles have no vertex data".to_owned()),
            DrawSource::Arrays { first: 0, count } => (count, Value::Null, Value::Null),
            DrawSource::Indexed {
                first: 0,
                count,
                vertex_offset: 0,
                ..
            } => {
                let words = self.script.indices.iter().take(count as usize);
                let bytes: Vec<u8> = words.flat_map(|index| index.to_le_bytes()).collect();
                (count, self.push(&bytes)?, Value::Null)
            }
            DrawSource::Arrays { .. } | DrawSource::Indexed { .. } => {
                return Err("the draw does not begin with the first vertex".to_owned());
            }
        };
        let data = self.script.vertex_data.as_ref();
        let columns = data.map_or(&[][..], |data| &data.columns);
        for location in inputs {
            let column = columns.iter().find(|column| column.location == *location);
            let Some(column) = column else {
                let value = self.state.get_attribute(*location).unwrap_or_default();
                let bytes: Vec<u8> = value.iter().flat_map(|it| it.to_le_bytes()).collect();
                constants.push(json!({ "location": location, "contents": self.push(&bytes)? }));
                continue;
            };
            attributes.push(json!({
                "shaderLocation": column.location,
                "offset": column.offset,
                "format": name_vertex_format(column.format.vk)?,
            }));
        }
        let buffer = match data {
            Some(data) if !attributes.is_empty() => json!({
                "stride": data.stride,
                "attributes": attributes,
                "contents": self.push(&data.bytes)?,
            }),
            Some(_) | None => buffer,
        };
        Ok(json!({ "count": count, "indices": indices, "buffer": buffer, "constants": constants }))
    }
}

/// Returns the options for the text of the shaders.
fn text_options() -> glasm_text::Options {
    glasm_text::Options {
        clip_conventions: ClipConventions::Vulkan,
        ..glasm_text::Options::new(Language::Wgsl)
    }
}

/// Describes the pipeline state of a draw.
///
/// # Errors
/// If WebGPU lacks it.
fn describe_pipeline(draw: &Draw) -> Result<Value, String> {
    let state = &draw.state;
    let [attachment, ..] = &state.attachments;
    let is_plain = !attachment.blend
        && !state.logic_op_enable
        && !state.stencil_test
        && !state.depth_bias
        && !state.depth_clamp
        && state.scissor.is_none()
        && state.cull_mode.is_empty()
        && state.polygon_mode == vk::PolygonMode::FILL
        && draw.instances == 1
        && draw.assembly == PrimitiveAssembly::Direct;
    if !is_plain {
        return Err("the draw has state that the page does not set".to_owned());
    }
    let topology = match draw.topology {
        vk::PrimitiveTopology::TRIANGLE_LIST => "triangle-list",
        vk::PrimitiveTopology::TRIANGLE_STRIP => "triangle-strip",
        vk::PrimitiveTopology::LINE_LIST => "line-list",
        vk::PrimitiveTopology::LINE_STRIP => "line-strip",
        _ => return Err("WebGPU lacks the topology of the draw".to_owned()),
    };
    let front_face = if state.front_face == vk::FrontFace::CLOCKWISE {
        "cw"
    } else {
        "ccw"
    };
    Ok(json!({
        "topology": topology,
        "frontFace": front_face,
        "depthTest": state.depth_test,
        "depthWrite": state.depth_write,
        "depthCompare": name_comparison(state.depth_compare_op)?,
        // The bits of components are those of WebGPU.
        "writeMask": attachment.color_write_mask.as_raw(),
    }))
}

/// Returns WebGPU's name of a comparison.
fn name_comparison(operation: vk::CompareOp) -> Result<&'static str, String> {
    Ok(match operation {
        vk::CompareOp::NEVER => "never",
        vk::CompareOp::LESS => "less",
        vk::CompareOp::EQUAL => "equal",
        vk::CompareOp::LESS_OR_EQUAL => "less-equal",
        vk::CompareOp::GREATER => "greater",
        vk::CompareOp::NOT_EQUAL => "not-equal",
        vk::CompareOp::GREATER_OR_EQUAL => "greater-equal",
        vk::CompareOp::ALWAYS => "always",
        _ => return Err("unknown comparison".to_owned()),
    })
}

/// Returns WebGPU's name of the format of an attribute.
fn name_vertex_format(format: vk::Format) -> Result<&'static str, String> {
    Ok(match format {
        vk::Format::R32_SFLOAT => "float32",
        vk::Format::R32G32_SFLOAT => "float32x2",
        vk::Format::R32G32B32_SFLOAT => "float32x3",
        vk::Format::R32G32B32A32_SFLOAT => "float32x4",
        vk::Format::R32G32B32A32_SINT => "sint32x4",
        vk::Format::R32G32B32A32_UINT => "uint32x4",
        _ => return Err("an attribute has a format that the page does not have".to_owned()),
    })
}

/// Returns WebGPU's name of the format of a texture, and the type of its samples.
fn name_texture_format(
    data: &TextureData,
    sampling: &Sampling,
) -> Result<(&'static str, &'static str), String> {
    if sampling.color_swizzle() != Swizzle::IDENTITY {
        return Err("WebGPU has no swizzles of textures".to_owned());
    }
    Ok(match data.shape.format.vk {
        vk::Format::R8G8B8A8_UNORM | vk::Format::A8B8G8R8_UNORM_PACK32 => ("rgba8unorm", "float"),
        vk::Format::R32G32B32A32_SINT => ("rgba32sint", "sint"),
        vk::Format::R32G32B32A32_UINT => ("rgba32uint", "uint"),
        _ => return Err("a texture has a format that the page does not have".to_owned()),
    })
}

/// Describes a sampler for a texture with some levels.
fn describe_sampler(sampling: &Sampling, levels: u32, sampled: &str) -> Result<Value, String> {
    let name_filter = |filter: vk::Filter| {
        let is_linear = filter == vk::Filter::LINEAR && sampled == "float";
        if is_linear { "linear" } else { "nearest" }
    };
    let name_wrap = |wrap: Wrap| match wrap {
        Wrap::Repeat => Ok("repeat"),
        Wrap::MirroredRepeat => Ok("mirror-repeat"),
        Wrap::ClampToEdge => Ok("clamp-to-edge"),
        Wrap::ClampToBorder
        | Wrap::MirrorClampToEdge
        | Wrap::Clamp
        | Wrap::MirrorClamp
        | Wrap::MirrorClampToBorder => Err("WebGPU lacks a wrap mode of a texture".to_owned()),
    };
    if sampling.lod_bias != 0.0 || sampling.base_level != 0 || sampling.anisotropy > 1.0 {
        return Err("WebGPU lacks state of a sampler".to_owned());
    }
    let is_linear = sampling.mipmap_mode == Some(vk::SamplerMipmapMode::LINEAR);
    let last = levels.saturating_sub(1).min(sampling.max_level) as f32;
    // Without a filter between levels, the base level is minified, too.
    let max_lod = match sampling.mipmap_mode {
        Some(_) => sampling.max_lod.clamp(0.0, last),
        None => 0.25,
    };
    let [s, t, r] = sampling.wrap;
    Ok(json!({
        "magFilter": name_filter(sampling.mag_filter),
        "minFilter": name_filter(sampling.min_filter),
        "mipmapFilter": if is_linear && sampled == "float" { "linear" } else { "nearest" },
        "addressModeU": name_wrap(s)?,
        "addressModeV": name_wrap(t)?,
        "addressModeW": name_wrap(r)?,
        "lodMinClamp": sampling.min_lod.clamp(0.0, max_lod),
        "lodMaxClamp": max_lod,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(texts: &[&str]) -> Result<GpuScene, String> {
        let request = SceneRequest {
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
            size: [64, 32],
            ..SceneRequest::default()
        };
        request.describe_for_gpu(&TextureFiles::new())
    }

    #[test]
    fn fragment_programs_get_a_vertex_program() {
        let text = "!!ARBfp1.0\nTEMP a;\nTEX a, fragment.texcoord[0], texture[1], 2D;\n\
                    MUL result.color, a, program.local[2];\nEND";
        let scene = describe(&[text]).unwrap();
        let description = &scene.description;
        assert_eq!(description["width"], 64);
        assert_eq!(description["shaders"][0]["stage"], "vertex");
        let resources = description["resources"].as_array().unwrap();
        let kinds: Vec<&str> = resources
            .iter()
            .map(|it| it["kind"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["uniform", "texture", "sampler"]);
        // One parameter of four floats: the third color of the scene.
        let contents = &resources[0]["contents"];
        let start = contents[0].as_u64().unwrap() as usize;
        assert_eq!(contents[1], 16);
        let red = scene.bytes[start..start + 4].try_into().unwrap();
        assert_eq!(f32::from_le_bytes(red), 0.6);
        // 64 texels halve to 1 in seven levels.
        assert_eq!(resources[1]["levels"].as_array().unwrap().len(), 7);
        assert_eq!(resources[1]["levels"][0]["contents"][1], 64 * 64 * 4);
        assert_eq!(resources[2]["sampler"]["mipmapFilter"], "linear");
    }

    #[test]
    fn other_stages_are_left_to_the_interpreter() {
        let error = describe(&["!!NVcp5.0\nGROUP_SIZE 1;\nSTB.F32 0, storage[0][0];\nEND"]);
        assert!(error.is_err());
        let shadow = "!!ARBfp1.0\nOPTION ARB_fragment_program_shadow;\n\
                      TEX result.color, fragment.texcoord[0], texture[0], SHADOW2D;\nEND";
        let error = describe(&[shadow]).unwrap_err();
        assert!(error.contains("depth textures"), "{error}");
    }
}
