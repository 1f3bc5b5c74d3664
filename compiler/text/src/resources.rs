//! What the caller of a text binds, and where.

use glasm::reflect::DescriptorSlot;

/// Something that the caller binds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resource {
    /// What it is.
    pub kind: ResourceKind,
    /// Set and binding in the module, by which [`Reflection`](glasm::Reflection) describes it.
    pub slot: DescriptorSlot,
    /// Its name in the text: of the block for buffers, of the variable for textures and images.
    pub name: String,
    /// Its number in the text among resources of its kind: `binding`, `register(b0)`, `[[buffer(0)]]`. `None` where the language
    /// has no place for numbers: the caller finds the resource by its name.
    pub number: Option<u32>,
}

/// What a resource is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ResourceKind {
    /// A uniform buffer: the parameters, or a program parameter buffer.
    Uniform,
    /// A storage buffer.
    Storage,
    /// A texture with its sampler, which has the same number where samplers have numbers.
    Texture,
    /// An image.
    Image,
}
