//! Writes the words of small SPIR-V modules: one entry point `main` of one block.

use glasm::TexelFormat;
use glasm::ir::{Stage, TypeBase};
use glasm::reflect::Scalar;
use glasm_scripts::format::Encoding;
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel, Op, StorageClass,
};
use std::collections::{BTreeSet, HashMap};

const VERSION_1_3: u32 = 0x0001_0300;

/// A module in the making.
#[derive(Default)]
pub(crate) struct ModuleWriter {
    last_id: u32,
    capabilities: BTreeSet<u32>,
    modes: Vec<(ExecutionMode, Vec<u32>)>,
    annotations: Vec<u32>,
    globals: Vec<u32>,
    body: Vec<u32>,
    interface: Vec<u32>,
    /// Types and constants by what they are made of.
    known: HashMap<(u32, Vec<u32>), u32>,
}

fn write(words: &mut Vec<u32>, opcode: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | opcode as u32);
    words.extend_from_slice(operands);
}

impl ModuleWriter {
    fn id(&mut self) -> u32 {
        self.last_id += 1;
        self.last_id
    }

    pub(crate) fn needs(&mut self, capability: Capability) {
        self.capabilities.insert(capability as u32);
    }

    pub(crate) fn mode(&mut self, mode: ExecutionMode, operands: &[u32]) {
        self.modes.push((mode, operands.to_vec()));
    }

    fn ty(&mut self, opcode: Op, operands: &[u32]) -> u32 {
        let key = (opcode as u32, operands.to_vec());
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = self.id();
        let mut all = vec![id];
        all.extend_from_slice(operands);
        write(&mut self.globals, opcode, &all);
        self.known.insert(key, id);
        id
    }

    /// A scalar type, or a vector type.
    pub(crate) fn vector(&mut self, scalar: Scalar, components: u32) -> u32 {
        let element = match scalar {
            Scalar::Float => self.ty(Op::TypeFloat, &[32]),
            Scalar::Double => {
                self.needs(Capability::Float64);
                self.ty(Op::TypeFloat, &[64])
            }
            Scalar::Int => self.ty(Op::TypeInt, &[32, 1]),
            Scalar::Uint => self.ty(Op::TypeInt, &[32, 0]),
        };
        match components {
            1 => element,
            _ => self.ty(Op::TypeVector, &[element, components]),
        }
    }

    /// A type whose sampled texels are of a scalar type: two-dimensional, arrayed, of no format.
    pub(crate) fn array_image(&mut self, scalar: u32, multisampled: u32) -> u32 {
        const SAMPLED: u32 = 1;
        let operands = [scalar, Dim::Dim2D as u32, 0, 1, multisampled, SAMPLED, 0];
        self.ty(Op::TypeImage, &operands)
    }

    /// A type of storage images: two-dimensional, arrayed, multisampled.
    pub(crate) fn multisample_storage_image(&mut self, scalar: u32, format: TexelFormat) -> u32 {
        const STORAGE: u32 = 2;
        let format = format.spirv_number();
        let operands = [scalar, Dim::Dim2D as u32, 0, 1, 1, STORAGE, format];
        self.ty(Op::TypeImage, &operands)
    }

    /// A structure with members of these types at these offsets, decorated as a block.
    pub(crate) fn block(&mut self, members: &[(u32, u32)]) -> u32 {
        let types: Vec<u32> = members.iter().map(|(ty, _)| *ty).collect();
        let id = self.ty(Op::TypeStruct, &types);
        self.decorate(id, Decoration::Block, &[]);
        for ((_, offset), member) in members.iter().zip(0..) {
            let operands = [id, member, Decoration::Offset as u32, *offset];
            write(&mut self.annotations, Op::MemberDecorate, &operands);
        }
        id
    }

    /// An array without end.
    pub(crate) fn endless_array(&mut self, element: u32, stride: u32) -> u32 {
        let id = self.ty(Op::TypeRuntimeArray, &[element]);
        self.decorate(id, Decoration::ArrayStride, &[stride]);
        id
    }

    /// The type of conditions.
    pub(crate) fn bool(&mut self) -> u32 {
        self.ty(Op::TypeBool, &[])
    }

    pub(crate) fn array(&mut self, element: u32, length: u32) -> u32 {
        let length = self.uint(length);
        self.ty(Op::TypeArray, &[element, length])
    }

    fn constant(&mut self, ty: u32, word: u32) -> u32 {
        let key = (Op::Constant as u32, vec![ty, word]);
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = self.id();
        write(&mut self.globals, Op::Constant, &[ty, id, word]);
        self.known.insert(key, id);
        id
    }

    pub(crate) fn uint(&mut self, value: u32) -> u32 {
        let ty = self.vector(Scalar::Uint, 1);
        self.constant(ty, value)
    }

    pub(crate) fn float(&mut self, value: f32) -> u32 {
        let ty = self.vector(Scalar::Float, 1);
        self.constant(ty, value.to_bits())
    }

    /// A 32-bit number of that type.
    pub(crate) fn number(&mut self, scalar: Scalar, value: u8) -> u32 {
        let ty = self.vector(scalar, 1);
        match scalar {
            Scalar::Float => self.float(f32::from(value)),
            Scalar::Int | Scalar::Uint => self.constant(ty, u32::from(value)),
            Scalar::Double => {
                let single = self.float(f32::from(value));
                self.result(Op::FConvert, ty, &[single])
            }
        }
    }

    fn variable(&mut self, class: StorageClass, ty: u32) -> u32 {
        let pointer = self.ty(Op::TypePointer, &[class as u32, ty]);
        let id = self.id();
        write(
            &mut self.globals,
            Op::Variable,
            &[pointer, id, class as u32],
        );
        if matches!(class, StorageClass::Input | StorageClass::Output) {
            self.interface.push(id);
        }
        id
    }

    /// A variable that a descriptor of set 0 stands behind.
    pub(crate) fn descriptor(&mut self, class: StorageClass, ty: u32, binding: u32) -> u32 {
        let id = self.variable(class, ty);
        self.decorate(id, Decoration::DescriptorSet, &[0]);
        self.decorate(id, Decoration::Binding, &[binding]);
        id
    }

    /// Push constants: words of a type, one after the other.
    pub(crate) fn push_constants(&mut self, word: u32, count: u32) -> u32 {
        let members: Vec<(u32, u32)> = (0..count).map(|index| (word, 4 * index)).collect();
        let block = self.block(&members);
        self.variable(StorageClass::PushConstant, block)
    }

    /// The value of a push constant.
    pub(crate) fn push_constant(&mut self, word: u32, block: u32, index: u32) -> u32 {
        let index = self.uint(index);
        let place = self.place(StorageClass::PushConstant, word, block, &[index]);
        self.load(word, place)
    }

    pub(crate) fn decorate(&mut self, id: u32, decoration: Decoration, operands: &[u32]) {
        let mut all = vec![id, decoration as u32];
        all.extend_from_slice(operands);
        write(&mut self.annotations, Op::Decorate, &all);
    }

    /// An input or output with a location.
    pub(crate) fn located(&mut self, class: StorageClass, ty: u32, location: u32) -> u32 {
        let id = self.variable(class, ty);
        self.decorate(id, Decoration::Location, &[location]);
        id
    }

    /// An input or output that Vulkan knows.
    pub(crate) fn built_in(&mut self, class: StorageClass, ty: u32, built_in: BuiltIn) -> u32 {
        let id = self.variable(class, ty);
        self.decorate(id, Decoration::BuiltIn, &[built_in as u32]);
        id
    }

    /// An instruction with a result.
    pub(crate) fn result(&mut self, opcode: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        let mut all = vec![ty, id];
        all.extend_from_slice(operands);
        write(&mut self.body, opcode, &all);
        id
    }

    /// An instruction without result.
    pub(crate) fn op(&mut self, opcode: Op, operands: &[u32]) {
        write(&mut self.body, opcode, operands);
    }

    /// The element of an array variable.
    pub(crate) fn element(
        &mut self,
        class: StorageClass,
        ty: u32,
        variable: u32,
        index: u32,
    ) -> u32 {
        self.place(class, ty, variable, &[index])
    }

    /// A part of a variable.
    pub(crate) fn place(
        &mut self,
        class: StorageClass,
        ty: u32,
        variable: u32,
        indices: &[u32],
    ) -> u32 {
        let pointer = self.ty(Op::TypePointer, &[class as u32, ty]);
        let operands: Vec<u32> = [&[variable], indices].concat();
        self.result(Op::AccessChain, pointer, &operands)
    }

    /// A component of a vector.
    pub(crate) fn component(&mut self, ty: u32, vector: u32, number: u32) -> u32 {
        self.result(Op::CompositeExtract, ty, &[vector, number])
    }

    pub(crate) fn load(&mut self, ty: u32, pointer: u32) -> u32 {
        self.result(Op::Load, ty, &[pointer])
    }

    pub(crate) fn store(&mut self, pointer: u32, value: u32) {
        self.op(Op::Store, &[pointer, value]);
    }

    /// The words of the module.
    pub(crate) fn finish(mut self, stage: Stage) -> Vec<u32> {
        let (model, capability) = match stage {
            Stage::Vertex => (ExecutionModel::Vertex, Capability::Shader),
            Stage::TessControl => (
                ExecutionModel::TessellationControl,
                Capability::Tessellation,
            ),
            Stage::TessEval => (
                ExecutionModel::TessellationEvaluation,
                Capability::Tessellation,
            ),
            Stage::Geometry => (ExecutionModel::Geometry, Capability::Geometry),
            Stage::Fragment => (ExecutionModel::Fragment, Capability::Shader),
            Stage::Compute => (ExecutionModel::GLCompute, Capability::Shader),
        };
        self.needs(Capability::Shader);
        self.needs(capability);
        let void = self.ty(Op::TypeVoid, &[]);
        let function = self.ty(Op::TypeFunction, &[void]);
        let (main, label) = (self.id(), self.id());
        let mut words = vec![0x0723_0203, VERSION_1_3, 0, self.last_id + 1, 0];
        for capability in &self.capabilities {
            write(&mut words, Op::Capability, &[*capability]);
        }
        write(&mut words, Op::MemoryModel, &[0, 1]);
        let mut entry = vec![model as u32, main, u32::from_le_bytes(*b"main"), 0];
        entry.extend(&self.interface);
        write(&mut words, Op::EntryPoint, &entry);
        for (mode, operands) in &self.modes {
            let mut all = vec![main, *mode as u32];
            all.extend(operands);
            write(&mut words, Op::ExecutionMode, &all);
        }
        words.extend(&self.annotations);
        words.extend(&self.globals);
        write(&mut words, Op::Function, &[void, main, 0, function]);
        write(&mut words, Op::Label, &[label]);
        words.extend(&self.body);
        write(&mut words, Op::Return, &[]);
        write(&mut words, Op::FunctionEnd, &[]);
        words
    }
}

/// What texels of a format are read as.
pub(crate) fn texel_scalar(encoding: Encoding) -> Scalar {
    match encoding.base() {
        TypeBase::Signed => Scalar::Int,
        TypeBase::Unsigned => Scalar::Uint,
        TypeBase::Float => Scalar::Float,
    }
}

/// Checks modules with `spirv-val`, where it is installed.
#[cfg(test)]
pub(crate) fn assert_valid(words: &[u32]) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut at = 5;
    while at < words.len() {
        at += (words[at] >> 16) as usize;
    }
    assert_eq!(at, words.len());
    let process = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut process) = process else { return };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    process.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = process.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
}
