//! Interface that a module expects of its caller: [`Reflection`], and all types that it consists
//! of.

pub use glasm_codegen::reflect::{
    AttachmentBinding, BufferBinding, DescriptorSlot, Half, HandleArray, HandleKind, ImageBinding,
    ImageFormat, InterfaceVariable, NamedParameter, ParamBlock, Primitives, Reflection,
    Replication, Requirements, SamplerBinding, Scalar, StateBinding, StateConstant, StateProgram,
    TextureBinding, ViewportChoice,
};
pub use glasm_ir::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessOrder, TessSpacing};
pub use glasm_ir::resource::STATE_BYTES;
pub use glasm_ir::state::StateParam;
pub use glasm_ir::{BufferKind, Interpolation, ParamSource, Semantic, Stage, TexTarget};
