//! Where the vertices of draws come from.

use ash::vk;

/// A vertex attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VertexAttribute {
    pub(crate) location: u32,
    pub(crate) binding: u32,
    pub(crate) format: vk::Format,
    pub(crate) offset: u32,
}

/// A vertex buffer binding; stride 0 gives all vertices the same values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VertexBinding {
    pub(crate) binding: u32,
    pub(crate) stride: u32,
    /// Instances that take the same value; 0 steps with every vertex instead.
    pub(crate) divisor: u32,
}

/// The structures of a pipeline that its state points into.
pub(super) struct VertexInput {
    bindings: Vec<vk::VertexInputBindingDescription>,
    attributes: Vec<vk::VertexInputAttributeDescription>,
    /// Of bindings that step more slowly than with every instance.
    divisors: Vec<vk::VertexInputBindingDivisorDescriptionEXT>,
}

impl VertexInput {
    /// Attributes, and the bindings that they are in.
    pub(super) fn new(attributes: &[VertexAttribute], bindings: &[VertexBinding]) -> Self {
        let attribute = |attribute: &VertexAttribute| vk::VertexInputAttributeDescription {
            location: attribute.location,
            binding: attribute.binding,
            format: attribute.format,
            offset: attribute.offset,
        };
        let slow = bindings.iter().filter(|binding| binding.divisor > 1);
        let divisor = |binding: &VertexBinding| vk::VertexInputBindingDivisorDescriptionEXT {
            binding: binding.binding,
            divisor: binding.divisor,
        };
        Self {
            bindings: bindings.iter().map(description).collect(),
            attributes: attributes.iter().map(attribute).collect(),
            divisors: slow.map(divisor).collect(),
        }
    }

    /// The state of divisors, for [`Self::state`].
    pub(super) fn divisor_state(&self) -> vk::PipelineVertexInputDivisorStateCreateInfoEXT<'_> {
        vk::PipelineVertexInputDivisorStateCreateInfoEXT::default()
            .vertex_binding_divisors(&self.divisors)
    }

    /// The state, with that of divisors where there are any: devices without the extension do not know the structure.
    pub(super) fn state<'a>(
        &'a self,
        divisors: &'a mut vk::PipelineVertexInputDivisorStateCreateInfoEXT<'a>,
    ) -> vk::PipelineVertexInputStateCreateInfo<'a> {
        let state = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&self.bindings)
            .vertex_attribute_descriptions(&self.attributes);
        match self.divisors.is_empty() {
            true => state,
            false => state.push_next(divisors),
        }
    }
}

fn description(binding: &VertexBinding) -> vk::VertexInputBindingDescription {
    vk::VertexInputBindingDescription::default()
        .binding(binding.binding)
        .stride(binding.stride)
        .input_rate(match binding.divisor {
            0 => vk::VertexInputRate::VERTEX,
            _ => vk::VertexInputRate::INSTANCE,
        })
}
