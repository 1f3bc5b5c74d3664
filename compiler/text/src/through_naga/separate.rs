//! Splits combined image samplers of a module into images and samplers, because naga reads no others.
//!
//! Every variable of a sampled-image type becomes a variable of the image type with the same id, and gets a companion for the sampler, whose
//! binding lies [`SAMPLER_BINDING_OFFSET`] higher. Every load becomes a load of both and an `OpSampledImage` with the id of the old load.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};
use std::collections::{HashMap, HashSet};

/// From the binding of a texture, which is its unit, to that of its sampler.
pub(crate) const SAMPLER_BINDING_OFFSET: u32 = glasm::frontend::lang::limits::TEXTURE_UNITS;

/// Splits all combined image samplers.
pub(super) fn separate_samplers(module: &mut Module) {
    let bound = module.header.as_ref().map_or(0, |header| header.bound);
    let mut separation = Separation {
        next_id: bound,
        ..Separation::default()
    };
    separation.split_globals(module);
    separation.split_loads(module);
    separation.copy_annotations(module);
    if let Some(header) = &mut module.header {
        header.bound = separation.next_id;
    }
}

/// What is known about the split so far.
#[derive(Default)]
struct Separation {
    next_id: Word,
    sampler_type: Word,
    /// Sampled-image types to their image types.
    image_of: HashMap<Word, Word>,
    /// Arrays and pointers of such types to the same of samplers.
    sampler_of: HashMap<Word, Word>,
    /// Variables and pointers into them to the companions.
    companion: HashMap<Word, Word>,
    /// Companions that are variables.
    variables: HashSet<Word>,
}

impl Separation {
    fn new_id(&mut self) -> Word {
        self.next_id += 1;
        self.next_id - 1
    }

    /// Types and variables.
    fn split_globals(&mut self, module: &mut Module) {
        let mut globals = Vec::with_capacity(module.types_global_values.len());
        for mut instruction in module.types_global_values.drain(..) {
            let is = |opcode| instruction.class.opcode == opcode;
            let companion = if is(Op::TypeSampledImage) {
                self.note_sampled_image(&instruction, &mut globals);
                None
            } else if is(Op::TypeArray) || is(Op::TypeRuntimeArray) {
                self.split_type(&mut instruction, 0)
            } else if is(Op::TypePointer)
                && instruction.operands[0] == Operand::StorageClass(StorageClass::UniformConstant)
            {
                self.split_type(&mut instruction, 1)
            } else if is(Op::Variable) {
                self.split_variable(&instruction)
            } else {
                None
            };
            globals.push(instruction);
            globals.extend(companion);
        }
        module.types_global_values = globals;
    }

    fn note_sampled_image(&mut self, instruction: &Instruction, globals: &mut Vec<Instruction>) {
        if self.image_of.is_empty() {
            self.sampler_type = self.new_id();
            globals.push(Instruction::new(
                Op::TypeSampler,
                None,
                Some(self.sampler_type),
                vec![],
            ));
        }
        if let (Some(id), Operand::IdRef(image)) = (instruction.result_id, &instruction.operands[0])
        {
            self.image_of.insert(id, *image);
        }
    }

    /// Turns an array or pointer of sampled images into one of images; gives the same of samplers.
    fn split_type(
        &mut self,
        instruction: &mut Instruction,
        element_operand: usize,
    ) -> Option<Instruction> {
        let Operand::IdRef(element) = instruction.operands[element_operand] else {
            return None;
        };
        let image = self.image_of.get(&element).copied();
        let sampler = match image {
            Some(_) => self.sampler_type,
            // An array of sampled images is an array of images already: its id stays.
            None => *self.sampler_of.get(&element)?,
        };
        let mut companion = instruction.clone();
        companion.operands[element_operand] = Operand::IdRef(sampler);
        companion.result_id = Some(self.new_id());
        instruction.operands[element_operand] = Operand::IdRef(image.unwrap_or(element));
        self.sampler_of
            .extend(instruction.result_id.zip(companion.result_id));
        Some(companion)
    }

    fn split_variable(&mut self, instruction: &Instruction) -> Option<Instruction> {
        let sampler_type = *self.sampler_of.get(&instruction.result_type?)?;
        let id = self.new_id();
        self.companion.insert(instruction.result_id?, id);
        self.variables.insert(id);
        Some(Instruction::new(
            Op::Variable,
            Some(sampler_type),
            Some(id),
            instruction.operands.clone(),
        ))
    }

    /// Loads and the addresses that they load from.
    fn split_loads(&mut self, module: &mut Module) {
        for block in module
            .functions
            .iter_mut()
            .flat_map(|function| &mut function.blocks)
        {
            let mut instructions = Vec::with_capacity(block.instructions.len());
            for instruction in block.instructions.drain(..) {
                let base = instruction
                    .operands
                    .first()
                    .and_then(|operand| self.companion.get(&operand.id_ref_any()?).copied());
                match (instruction.class.opcode, base) {
                    (Op::AccessChain | Op::InBoundsAccessChain, Some(base)) => {
                        instructions.extend(self.split_address(&instruction, base));
                        instructions.push(instruction);
                    }
                    (Op::Load, Some(base)) => {
                        instructions.extend(self.split_load(&instruction, base))
                    }
                    _ => instructions.push(instruction),
                }
            }
            block.instructions = instructions;
        }
    }

    fn split_address(&mut self, instruction: &Instruction, base: Word) -> Option<Instruction> {
        let mut companion = instruction.clone();
        companion.operands[0] = Operand::IdRef(base);
        companion.result_type = Some(*self.sampler_of.get(&instruction.result_type?)?);
        let id = self.new_id();
        companion.result_id = Some(id);
        self.companion.insert(instruction.result_id?, id);
        Some(companion)
    }

    /// Image, sampler, and both together under the id of the load.
    fn split_load(&mut self, load: &Instruction, sampler_address: Word) -> Vec<Instruction> {
        let image_type = load
            .result_type
            .and_then(|sampled| self.image_of.get(&sampled).copied());
        let (image, sampler) = (self.new_id(), self.new_id());
        let load_image = Instruction::new(
            Op::Load,
            image_type,
            Some(image),
            vec![load.operands[0].clone()],
        );
        let address = Operand::IdRef(sampler_address);
        let load_sampler = Instruction::new(
            Op::Load,
            Some(self.sampler_type),
            Some(sampler),
            vec![address],
        );
        let both = vec![Operand::IdRef(image), Operand::IdRef(sampler)];
        vec![
            load_image,
            load_sampler,
            Instruction::new(Op::SampledImage, load.result_type, load.result_id, both),
        ]
    }

    /// Samplers have the names of their textures.
    fn name_samplers(&self, module: &mut Module) {
        let names = module.debug_names.iter();
        let names = names.filter_map(|name| match &name.operands[..] {
            [Operand::IdRef(id), Operand::LiteralString(text)] => {
                let companion = *self.companion.get(id)?;
                let text = Operand::LiteralString(format!("{text}_sampler"));
                let operands = vec![Operand::IdRef(companion), text];
                Some(Instruction::new(Op::Name, None, None, operands))
            }
            _ => None,
        });
        let names: Vec<_> = names.collect();
        module.debug_names.extend(names);
    }

    /// Decorations and interface entries of the companions. The binding moves up.
    fn copy_annotations(&self, module: &mut Module) {
        let mut copies = Vec::new();
        for annotation in &module.annotations {
            let target = annotation.operands.first().and_then(Operand::id_ref_any);
            if let Some(companion) = target.and_then(|target| self.companion.get(&target)) {
                let mut copy = annotation.clone();
                copy.operands[0] = Operand::IdRef(*companion);
                if let [
                    _,
                    Operand::Decoration(Decoration::Binding),
                    Operand::LiteralBit32(binding),
                ] = &mut copy.operands[..]
                {
                    *binding += SAMPLER_BINDING_OFFSET;
                }
                copies.push(copy);
            }
        }
        module.annotations.extend(copies);
        self.name_samplers(module);
        for entry in &mut module.entry_points {
            let interface = entry.operands.iter().filter_map(Operand::id_ref_any);
            let companions: Vec<Operand> = interface
                .filter_map(|id| self.companion.get(&id))
                .filter(|companion| self.variables.contains(companion))
                .map(|companion| Operand::IdRef(*companion))
                .collect();
            entry.operands.extend(companions);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::{Options, Source};
    use rspirv::binary::Assemble;
    use rspirv::dr::load_words;

    #[test]
    fn modules_without_textures_stay_as_they_are() {
        let program = "!!NVfp5.0\nMOV result.color, fragment.position;\nEND";
        let words = glasm::compile(&Source::new("a", program), &Options::default())
            .unwrap()
            .words;
        let mut module = load_words(&words).unwrap();
        separate_samplers(&mut module);
        // The third word names the tool that wrote the module.
        assert_eq!(module.assemble()[3..], words[3..]);
    }

    #[test]
    fn separated_modules_are_valid() {
        let program = "!!NVfp5.0\nTEMP r;\nTEX r, fragment.texcoord[0], texture[1], 2D;\n\
                       TXF result.color, r, texture[2], 3D;\nEND";
        for target in [glasm::Target::Vulkan1_1, glasm::Target::Vulkan1_3] {
            let options = Options {
                target,
                ..Options::default()
            };
            let words = glasm::compile(&Source::new("a", program), &options)
                .unwrap()
                .words;
            let mut module = load_words(&words).unwrap();
            separate_samplers(&mut module);
            let separated = module.assemble();
            let samplers = module
                .types_global_values
                .iter()
                .filter(|global| global.class.opcode == Op::TypeSampler);
            assert_eq!(samplers.count(), 1);
            let bindings =
                module
                    .annotations
                    .iter()
                    .filter_map(|annotation| match annotation.operands[..] {
                        [
                            _,
                            Operand::Decoration(Decoration::Binding),
                            Operand::LiteralBit32(binding),
                        ] => Some(binding),
                        _ => None,
                    });
            let mut bindings: Vec<u32> = bindings.collect();
            bindings.sort_unstable();
            assert_eq!(bindings, [1, 2, 129, 130]);
            crate::spirv_val::assert_valid(&separated, target);
        }
    }
}
