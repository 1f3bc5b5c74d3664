//! Variables of textures: combined image samplers, images of buffer textures, arrays of them.

use super::Emit;
use super::place::Member;
use crate::builder::{Builder, Scalar};
use crate::capability::Need;
use crate::handles::texel;
use crate::interface::{TextureVariable, base_scalar, bind};
use crate::reflect::{DescriptorSlot, TextureBinding};
use crate::reflect::{HandleArray, HandleKind};
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::{TexTarget, Texture, TextureId, Type, Units};
use spirv::{Decoration, Dim, Op as Spv, StorageClass};

impl Emit<'_> {
    pub(super) fn texture_variable(&mut self, id: TextureId) -> TextureVariable {
        let known = self.interface.resources.textures[id.index()];
        if known.variable.is_some() {
            return known;
        }
        let texture = self.program.textures[id];
        let scalar = texel_scalar(texture.texel);
        let component = self.w.ty(scalar, 1);
        let operands = [
            component.0,
            dim(texture.target) as u32,
            u32::from(texture.shadow),
            u32::from(texture.target.is_array()),
            u32::from(texture.target.is_multisample()),
            1,
            spirv::ImageFormat::Unknown as u32,
        ];
        let image = self.w.declare_type(Spv::TypeImage, &operands);
        self.w.need_target(texture.target);
        let object = if texture.target == TexTarget::Buffer {
            image
        } else {
            self.w.declare_type(Spv::TypeSampledImage, &[image.0])
        };
        let count = self.texture_count(texture.units);
        let ty = match count {
            Some(count) => {
                let count = self.w.uint(count);
                self.w.declare_type(Spv::TypeArray, &[object.0, count.0])
            }
            None => object,
        };
        let variable = self.w.variable(StorageClass::UniformConstant, ty);
        self.bind_texture(variable, &texture, count);
        let result = TextureVariable {
            variable,
            image,
            object,
            loaded: ValueWord::NONE,
        };
        self.interface.resources.textures[id.index()] = result;
        result
    }

    /// Binds the variable of a texture and says so in the reflection.
    fn bind_texture(&mut self, variable: ValueWord, texture: &Texture, count: Option<u32>) {
        let count = count.unwrap_or(1);
        if let Some(kind) = HandleKind::of_texture(texture) {
            return self.bind_handle_array(variable, kind, texture.target, count);
        }
        let unit = texture.units.first().unwrap_or(0);
        let slot = DescriptorSlot {
            set: self.options.bindings.texture_set,
            binding: unit,
        };
        bind(self.w, variable, slot);
        self.w.name(variable, || match texture.shadow {
            true => format!("texture{unit}_shadow"),
            false => format!("texture{unit}"),
        });
        self.interface.reflected.textures.push(TextureBinding {
            slot,
            unit,
            count,
            target: texture.target,
            shadow: texture.shadow,
            texel: texel(texture.texel),
        });
    }

    /// Binds a variable that handles index. Several variables may be the same array.
    pub(super) fn bind_handle_array(
        &mut self,
        variable: ValueWord,
        kind: HandleKind,
        target: TexTarget,
        count: u32,
    ) {
        let slot = kind.slot(target, &self.options.bindings);
        bind(self.w, variable, slot);
        self.w.name(variable, || format!("handles{}", slot.binding));
        let arrays = &mut self.interface.reflected.handles;
        if !arrays.iter().any(|array| array.slot == slot) {
            arrays.push(HandleArray {
                slot,
                count,
                kind,
                target,
                written: false,
            });
        }
    }

    pub(super) fn loaded_texture(&mut self, id: TextureId, variable: TextureVariable) -> ValueWord {
        if variable.loaded.is_some() {
            return variable.loaded;
        }
        // In the prologue, from where one load serves all accesses of the function.
        let loaded = self.w.object();
        self.w
            .prologue
            .result(Spv::Load, variable.object, loaded, &[variable.variable.0]);
        self.interface.resources.textures[id.index()].loaded = loaded;
        loaded
    }

    /// Number of textures that an access chooses from; `None` if there is no choice.
    pub(super) fn texture_count(&self, units: Units) -> Option<u32> {
        match units {
            Units::One(_) => None,
            Units::Array { count, .. } => Some(count.max(1)),
            Units::Handle | Units::QueriedHandle => Some(self.options.handles.textures.max(1)),
        }
    }
}

impl Builder {
    fn need_target(&mut self, target: TexTarget) {
        let need = match target {
            TexTarget::D1 | TexTarget::D1Array => Need::Sampled1D,
            TexTarget::CubeArray => Need::CubeArray,
            TexTarget::Buffer => Need::SampledBuffer,
            TexTarget::D2
            | TexTarget::D3
            | TexTarget::Cube
            | TexTarget::Rect
            | TexTarget::D2Array
            | TexTarget::D2Ms
            | TexTarget::D2MsArray => return,
        };
        self.needs.insert(need);
    }

    pub(super) fn texture_element(
        &mut self,
        variable: TextureVariable,
        member: Member,
    ) -> ValueWord {
        let is_buffer = variable.image == variable.object;
        let index = match member {
            Member::Constant(element) => self.uint(element),
            Member::Uniform(id) => {
                self.needs.insert(match is_buffer {
                    true => Need::TexelBufferIndexing,
                    false => Need::TextureIndexing,
                });
                id
            }
            Member::Divergent(id) => {
                self.needs.insert(match is_buffer {
                    true => Need::TexelBufferDivergence,
                    false => Need::TextureDivergence,
                });
                self.needs.insert(Need::NonUniform);
                id
            }
        };
        let pointer_ty = self.pointer(StorageClass::UniformConstant, variable.object);
        let pointer = self.object();
        let operands = [variable.variable.0, index.0];
        self.body
            .result(Spv::AccessChain, pointer_ty, pointer, &operands);
        let loaded = self.object();
        self.body
            .result(Spv::Load, variable.object, loaded, &[pointer.0]);
        if matches!(member, Member::Divergent(_)) {
            for id in [pointer, loaded] {
                self.decorate(id, Decoration::NonUniform, &[]);
            }
        }
        loaded
    }
}

/// The scalar of texels as images declare it.
pub(super) fn texel_scalar(ty: Type) -> Scalar {
    base_scalar(ty.base())
}

pub(super) fn dim(target: TexTarget) -> Dim {
    match target {
        TexTarget::D1 | TexTarget::D1Array => Dim::Dim1D,
        // Rectangles are plain images whose coordinates are scaled here.
        TexTarget::D2
        | TexTarget::Rect
        | TexTarget::D2Array
        | TexTarget::D2Ms
        | TexTarget::D2MsArray => Dim::Dim2D,
        TexTarget::D3 => Dim::Dim3D,
        TexTarget::Cube | TexTarget::CubeArray => Dim::DimCube,
        TexTarget::Buffer => Dim::DimBuffer,
    }
}
