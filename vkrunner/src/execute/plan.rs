//! What a set of modules wants bound, and where it comes from. Pure.

use super::bindings::{BufferPlace, Presence};
use crate::programs::Module;
use crate::script::{BindTarget, BufferKind};
use crate::vk::{Binding, BindingKind};
use glasm::ir::{BufferKind as IrBufferKind, Stage, TexTarget};
use glasm::reflect::{BufferBinding, DescriptorSlot, ParamBlock, TextureBinding};

/// Set of textures for modules without reflection; the binding is the unit.
const TEXTURE_SET: u32 = 1;

/// Where the resource of a descriptor comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// The parameter block of a stage.
    Params(Stage, ParamBlock),
    /// Consecutive texture image units, from this one.
    Textures(u32),
    /// Buffers of the script, one place for each descriptor.
    Buffers(Vec<BufferPlace>),
}

/// A binding and its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PlannedBinding {
    pub(super) binding: Binding,
    pub(super) source: Source,
}

/// Collects the bindings of modules that run together. `buffers` are the places to which the script binds buffers, `units` the texture
/// image units that it sets.
pub(super) fn plan_bindings<'a>(
    modules: impl IntoIterator<Item = &'a Module>,
    buffers: &[BindTarget],
    units: &[u32],
) -> Result<Vec<PlannedBinding>, String> {
    let mut plan = Vec::new();
    let mut plain = false;
    for module in modules {
        let Some(reflection) = &module.reflection else {
            plain = true;
            continue;
        };
        if let Some(block) = &reflection.params {
            let source = Source::Params(module.stage, block.clone());
            add(&mut plan, block.slot, BindingKind::Uniform, 1, source);
        }
        for texture in &reflection.textures {
            plan_texture(&mut plan, texture)?;
        }
        for buffer in &reflection.buffers {
            plan_buffer(&mut plan, module.stage, buffer);
        }
    }
    // What a reflection asks for counts more than the numbers that buffers have in the script.
    if plain {
        plan_by_convention(&mut plan, buffers, units);
    }
    Ok(plan)
}

/// Adds a binding; stages may share one.
fn add(
    plan: &mut Vec<PlannedBinding>,
    slot: DescriptorSlot,
    kind: BindingKind,
    count: u32,
    source: Source,
) {
    let same = |planned: &&mut PlannedBinding| {
        (planned.binding.set, planned.binding.binding) == (slot.set, slot.binding)
    };
    match plan.iter_mut().find(same) {
        Some(known) if known.binding.count >= count => {}
        Some(known) => (known.binding.count, known.source) = (count, source),
        None => {
            let binding = Binding {
                set: slot.set,
                binding: slot.binding,
                kind,
                count,
            };
            plan.push(PlannedBinding { binding, source });
        }
    }
}

/// Modules without reflection see all buffers of the script where it says, and its textures in set 1.
fn plan_by_convention(plan: &mut Vec<PlannedBinding>, buffers: &[BindTarget], units: &[u32]) {
    for target in buffers {
        let BindTarget::Bound { kind, set, binding } = *target else {
            continue;
        };
        let binding_kind = match kind {
            BufferKind::Uniform => BindingKind::Uniform,
            BufferKind::Storage => BindingKind::Storage,
            BufferKind::Counter | BufferKind::Feedback => continue,
        };
        let source = Source::Buffers(vec![BufferPlace {
            stage: None,
            kind,
            set,
            binding,
            presence: Presence::Offered,
        }]);
        let slot = DescriptorSlot { set, binding };
        add(plan, slot, binding_kind, 1, source);
    }
    for unit in units {
        let slot = DescriptorSlot {
            set: TEXTURE_SET,
            binding: *unit,
        };
        add(plan, slot, BindingKind::Texture, 1, Source::Textures(*unit));
    }
}

fn plan_texture(plan: &mut Vec<PlannedBinding>, texture: &TextureBinding) -> Result<(), String> {
    if texture.target != TexTarget::D2 || texture.shadow {
        return Err(format!(
            "texture image unit {}: only 2D textures are supported so far",
            texture.unit
        ));
    }
    add(
        plan,
        texture.slot,
        BindingKind::Texture,
        texture.count,
        Source::Textures(texture.unit),
    );
    Ok(())
}

fn plan_buffer(plan: &mut Vec<PlannedBinding>, stage: Stage, wanted: &BufferBinding) {
    let (stage, kind, binding_kind) = match wanted.kind {
        IrBufferKind::Constant => (Some(stage), BufferKind::Uniform, BindingKind::Uniform),
        IrBufferKind::Storage => (None, BufferKind::Storage, BindingKind::Storage),
        IrBufferKind::Counter => (None, BufferKind::Counter, BindingKind::Storage),
        IrBufferKind::Shared => return,
    };
    let places = (wanted.index..wanted.index + wanted.count).map(|binding| BufferPlace {
        stage,
        kind,
        set: 0,
        binding,
        presence: Presence::Needed,
    });
    let source = Source::Buffers(places.collect());
    add(plan, wanted.slot, binding_kind, wanted.count, source);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::test_support::{module, reflection};
    use glasm::reflect::Scalar;

    fn bound(kind: BufferKind, set: u32, binding: u32) -> BindTarget {
        BindTarget::Bound { kind, set, binding }
    }

    fn place(stage: Option<Stage>, kind: BufferKind, binding: u32) -> BufferPlace {
        BufferPlace {
            stage,
            kind,
            set: 0,
            binding,
            presence: Presence::Needed,
        }
    }

    #[test]
    fn modules_without_reflection_see_everything_of_the_script() {
        let buffers = [
            BindTarget::Param {
                stage: Stage::Fragment,
                index: 1,
            },
            bound(BufferKind::Counter, 0, 1),
            bound(BufferKind::Storage, 0, 3),
            bound(BufferKind::Uniform, 2, 0),
        ];
        let plan = plan_bindings(&[module(Stage::Fragment, None)], &buffers, &[5]).unwrap();
        let bindings: Vec<_> = plan.iter().map(|planned| planned.binding).collect();
        assert_eq!(
            bindings,
            [
                Binding {
                    set: 0,
                    binding: 3,
                    kind: BindingKind::Storage,
                    count: 1
                },
                Binding {
                    set: 2,
                    binding: 0,
                    kind: BindingKind::Uniform,
                    count: 1
                },
                Binding {
                    set: 1,
                    binding: 5,
                    kind: BindingKind::Texture,
                    count: 1
                },
            ]
        );
        let storage = BufferPlace {
            presence: Presence::Offered,
            ..place(None, BufferKind::Storage, 3)
        };
        assert_eq!(plan[0].source, Source::Buffers(vec![storage]));
    }

    #[test]
    fn reflection_counts_more_than_the_numbers_of_the_script() {
        let slot = DescriptorSlot { set: 0, binding: 4 };
        let block = ParamBlock {
            slot,
            slots: Vec::new(),
        };
        let fragment = glasm::Reflection {
            params: Some(block),
            ..reflection(Stage::Fragment)
        };
        let modules = [
            module(Stage::Vertex, None),
            module(Stage::Fragment, Some(fragment)),
        ];
        let plan = plan_bindings(&modules, &[bound(BufferKind::Uniform, 0, 4)], &[]).unwrap();
        assert_eq!(plan.len(), 1);
        assert!(matches!(plan[0].source, Source::Params(Stage::Fragment, _)));
    }

    #[test]
    fn stages_share_a_texture() {
        let texture = |count| TextureBinding {
            slot: DescriptorSlot { set: 1, binding: 2 },
            unit: 2,
            count,
            target: TexTarget::D2,
            shadow: false,
            texel: Scalar::Float,
        };
        let with = |stage, count| {
            let mut reflection = reflection(stage);
            reflection.textures = vec![texture(count)];
            module(stage, Some(reflection))
        };
        let modules = [with(Stage::Vertex, 1), with(Stage::Fragment, 3)];
        let plan = plan_bindings(&modules, &[], &[]).unwrap();
        assert_eq!(plan.len(), 1);
        assert_eq!(
            (plan[0].binding.count, &plan[0].source),
            (3, &Source::Textures(2))
        );
    }

    #[test]
    fn buffers_of_programs_are_found_by_kind_and_number() {
        let mut reflection = reflection(Stage::Geometry);
        let wanted = |binding, index, count, kind| BufferBinding {
            slot: DescriptorSlot { set: 2, binding },
            index,
            count,
            kind,
        };
        reflection.buffers = vec![
            wanted(49, 1, 2, IrBufferKind::Constant),
            wanted(5, 5, 1, IrBufferKind::Counter),
            wanted(6, 6, 1, IrBufferKind::Storage),
        ];
        let modules = [module(Stage::Geometry, Some(reflection))];
        let plan = plan_bindings(&modules, &[], &[]).unwrap();
        let sources: Vec<_> = plan.iter().map(|planned| planned.source.clone()).collect();
        let own = |binding| place(Some(Stage::Geometry), BufferKind::Uniform, binding);
        assert_eq!(
            sources,
            [
                Source::Buffers(vec![own(1), own(2)]),
                Source::Buffers(vec![place(None, BufferKind::Counter, 5)]),
                Source::Buffers(vec![place(None, BufferKind::Storage, 6)]),
            ]
        );
    }
}
