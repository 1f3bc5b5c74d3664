//! Programs in a shading language, with the resources that the caller binds.

use glasm::reflect::DescriptorSlot;
use glasm::{Diagnostics, Reflection};

/// A program in a shading language.
#[derive(Clone, PartialEq, Debug)]
pub struct ShaderText {
    /// The source.
    pub source: String,
    /// Requirements of the module that it was written from.
    pub reflection: Reflection,
    /// The resources with their names and numbers in the source. Empty for WGSL, which has the slots
    /// of the module, and without the feature `spirv-cross` for all languages except GLSL.
    pub resources: Vec<Resource>,
    /// Warnings about the program.
    pub warnings: Diagnostics,
}

/// A resource that the caller binds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resource {
    /// Its kind.
    pub kind: ResourceKind,
    /// Set and binding in the module, by which [`ShaderText::reflection`] describes it.
    pub slot: DescriptorSlot,
    /// Its name in the source: of the block for buffers, of the variable for textures and images.
    pub name: String,
    /// Its number in the source among resources of its kind: `binding`, `register(b0)`,
    /// `[[buffer(0)]]`. `None` where the language cannot express numbers: the caller finds the
    /// resource by its name.
    pub binding_number: Option<u32>,
}

/// The kind of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ResourceKind {
    /// A uniform buffer: the parameters, or a program parameter buffer.
    UniformBuffer,
    /// A storage buffer.
    StorageBuffer,
    /// A texture with its sampler, which has the same number where samplers have numbers.
    Texture,
    /// An image.
    Image,
}
