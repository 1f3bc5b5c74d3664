//! Rules of memory, images and handles. TGSI, section "Resource Access Opcodes".

use super::checker::CheckResult;
use super::contexts::StatementChecker;
use super::contexts::TgsiResolver;
use super::registers::{RegisterIndex, ResolvedRegister, TgsiInst};
use super::symbols::get_entry;
use crate::codes::Code;
use crate::tgsi::ast::{ImageDecl, MemoryKind};
use crate::tgsi::checked::{
    BufferNumber, CheckedAccess, CheckedResource, CheckedSource, InstDetails, ResourceIndex, add,
};
use crate::tgsi::declaration_tables::{FileAccess, RegisterFile};
use crate::tgsi::opcodes::Memory;
use crate::tgsi::semantics::OutputTarget;
use glasm_ir::resource::AtomicOp;
use glasm_ir::types::Type;
use glasm_ir::{BufferKind, Semantic, Swizzle, TexTarget, UnitSet};

/// The constant buffer that holds `MEMORY` that is `INPUT`.
const INPUT_BUFFER: u32 = 15;

/// Most bytes of shared and private memory.
const MAX_MEMORY_BYTES: u32 = 1 << 20;

/// Numbers of memories are below this.
const MAX_MEMORIES: usize = 64;

impl StatementChecker<'_> {
    /// Checks an instruction that accesses memory, or that returns the size or the handle of a
    /// resource. Returns its details and the type of its result.
    pub(super) fn check_memory_access(
        &mut self,
        inst: &TgsiInst,
        memory: Memory,
    ) -> CheckResult<(InstDetails, Option<Type>)> {
        let register = match memory {
            Memory::Store => inst.result,
            Memory::Load
            | Memory::Size
            | Memory::Atomic(..)
            | Memory::ImageHandle
            | Memory::SamplerHandle
            | Memory::ReadColor => inst.resources[0],
        };
        let (resource, ty) = match memory {
            Memory::Load => (self.resolve_resource(inst, &register)?, Some(Type::F32)),
            Memory::Store => (self.check_store(inst, &register)?, None),
            Memory::Size => self.check_resq(inst, &register)?,
            Memory::Atomic(op, ty) => self.check_atomic(inst, &register, (op, ty))?,
            Memory::ImageHandle => self.check_unit_handle(&register, RegisterFile::Image)?,
            Memory::SamplerHandle => self.check_unit_handle(&register, RegisterFile::Samp)?,
            Memory::ReadColor => self.check_fbfetch(&register)?,
        };
        let access = CheckedAccess {
            resource,
            flags: inst.qualifiers.flags,
            swizzle: self.find_load_swizzle(inst, &register),
            index: register.resource_index(),
        };
        let id = add(&mut self.resolver.program.accesses, access);
        Ok((InstDetails::Access(id), ty))
    }

    /// Returns the components of its resource that an instruction returns.
    fn find_load_swizzle(&self, inst: &TgsiInst, register: &ResolvedRegister) -> Swizzle {
        let is_handle = match register.file.access() {
            FileAccess::Resource => false,
            FileAccess::Read => inst.qualifiers.is_image(),
            // A temporary or an output cannot be memory, so its value is a handle.
            FileAccess::Write => true,
        };
        match self.sources(inst).first() {
            Some(source) if !is_handle => source.swizzle,
            // The swizzle of a handle selects the handle.
            Some(_) | None => Swizzle::XYZW,
        }
    }

    /// Checks that the source of FBFETCH is a color output, and returns its attachment.
    fn check_fbfetch(
        &mut self,
        register: &ResolvedRegister,
    ) -> CheckResult<(CheckedResource, Option<Type>)> {
        let number = register.index.as_constant().unwrap_or(0).max(0) as usize;
        let output = get_entry(&self.resolver.program.output_registers, number)
            .filter(|_| register.file == RegisterFile::Out);
        let sink = output.map(|row| row.target);
        let Some(OutputTarget::Output(semantic @ Semantic::FragColor { .. }, _)) = sink else {
            let message = "the source of `FBFETCH` is an output with the semantic COLOR";
            return Err(self.report_error(Code::OperandNotVariable, register.span, message));
        };
        Ok((CheckedResource::Color(semantic), Some(Type::F32)))
    }

    /// Returns the memory, counter or image that an operand names. Reports registers that are not
    /// resources.
    fn resolve_resource(
        &mut self,
        inst: &TgsiInst,
        register: &ResolvedRegister,
    ) -> CheckResult<CheckedResource> {
        let numbers = [register.outer, Some(register.index)];
        // A resource of a negative number does not exist, unlike a register, which reads 0.
        let mut known = numbers
            .into_iter()
            .flatten()
            .filter_map(RegisterIndex::as_constant);
        if known.any(|number| number < 0) {
            return Err(self.resolver.checker.report_no_register(register));
        }
        match register.file {
            RegisterFile::Buffer => self.resolver.resolve_buffer(register),
            RegisterFile::Memory => self.resolver.resolve_memory(register),
            RegisterFile::ConstBuf => {
                Ok(self
                    .resolver
                    .resolve_constant_buffer(register, register.index, false))
            }
            // A target indicates that a constant holds the handle of an image.
            RegisterFile::Const if inst.qualifiers.is_image() => {
                self.resolve_image_handle(inst, register)
            }
            RegisterFile::Const => {
                // LOAD of CONST[b][0] or CONST[b]: the number of the buffer, the address is an
                // operand.
                let is_outer = register.outer.is_some();
                let buffer = register.outer.unwrap_or(register.index);
                Ok(self
                    .resolver
                    .resolve_constant_buffer(register, buffer, is_outer))
            }
            RegisterFile::HwAtomic => Ok(self.resolver.resolve_counter(register)),
            RegisterFile::Image | RegisterFile::Res => self.resolve_image(inst, register),
            RegisterFile::Null
            | RegisterFile::In
            | RegisterFile::Out
            | RegisterFile::Temp
            | RegisterFile::Samp
            | RegisterFile::Addr
            | RegisterFile::Imm
            | RegisterFile::Pred
            | RegisterFile::Sv
            | RegisterFile::ImmX
            | RegisterFile::TempX
            | RegisterFile::Sview => self.resolve_image_handle(inst, register),
        }
    }

    /// Returns the image that a register of file IMAGE or RES names, as an element of all images if
    /// the index is dynamic.
    fn resolve_image(
        &mut self,
        inst: &TgsiInst,
        register: &ResolvedRegister,
    ) -> CheckResult<CheckedResource> {
        let declared = &*self.resolver.declared;
        let (units, row) = match register.index.as_constant() {
            // Negative numbers were refused before, for all kinds of resources.
            Some(number) => (
                UnitSet::Single(number as u32),
                declared.images.get(number as usize),
            ),
            None => {
                let count = declared.images.len() as u32;
                let row = declared.images.first();
                // One type of images serves all elements.
                let row = row.map(|row| ImageDecl {
                    format: row.format.filter(|_| !declared.has_mixed_formats),
                    ..row
                });
                (UnitSet::Array { first: 0, count }, row)
            }
        };
        match row {
            Some(row) => Ok(CheckedResource::Image(units, with_qualifiers(row, inst))),
            None => Err(self.resolver.report_undeclared(register)),
        }
    }

    /// Returns an image by its handle, whose low word is the first lane of a register.
    fn resolve_image_handle(
        &mut self,
        inst: &TgsiInst,
        register: &ResolvedRegister,
    ) -> CheckResult<CheckedResource> {
        // STORE has the handle as its result, which has a mask instead of a swizzle.
        let swizzle = if inst.opcode_row.has_resource_result() {
            Swizzle::XYZW
        } else {
            self.sources(inst)[0].swizzle
        };
        let handle = self.resolver.resolve_handle(register, swizzle)?;
        // Through a handle any image is possible: the properties of the access decide.
        let row = ImageDecl {
            target: TexTarget::D2,
            ty: None,
            writable: true,
            atomic: true,
            raw: false,
            has_32bit_texels: inst.qualifiers.has_32bit_texels,
            format: None,
        };
        let row = with_qualifiers(row, inst);
        Ok(CheckedResource::ImageHandle(handle, row))
    }

    /// Checks that a store is to a resource that can be written, and returns it.
    fn check_store(
        &mut self,
        inst: &TgsiInst,
        register: &ResolvedRegister,
    ) -> CheckResult<CheckedResource> {
        let resource = self.resolve_resource(inst, register)?;
        let is_read_only = match resource {
            CheckedResource::Counter(_) => true,
            CheckedResource::Image(_, decl) if !decl.writable => {
                return Err(self.resolver.checker.report_read_only_image(register));
            }
            CheckedResource::Global
            | CheckedResource::Buffer { .. }
            | CheckedResource::Image(..)
            | CheckedResource::ImageHandle(..)
            | CheckedResource::Unit
            | CheckedResource::Color(_) => resource.is_constant_buffer(),
        };
        if is_read_only {
            return Err(self.resolver.checker.report_read_only(register));
        }
        Ok(resource)
    }

    /// Checks that RESQ names a resource that has a size. Returns it with the type of the result.
    fn check_resq(
        &mut self,
        inst: &TgsiInst,
        register: &ResolvedRegister,
    ) -> CheckResult<(CheckedResource, Option<Type>)> {
        let resource = self.resolve_resource(inst, register)?;
        match resource {
            CheckedResource::Buffer {
                kind: BufferKind::Storage,
                ..
            }
            | CheckedResource::Counter(_) => Ok((resource, Some(Type::U32))),
            CheckedResource::Image(..) | CheckedResource::ImageHandle(..) => {
                Ok((resource, Some(Type::S32)))
            }
            CheckedResource::Global
            | CheckedResource::Buffer { .. }
            | CheckedResource::Unit
            | CheckedResource::Color(_) => {
                let text = self.resolver.checker.quote_source(register.span);
                let message =
                    format!("`{text}` has no size to query: only buffers and images have one");
                Err(self.report_error(Code::OperandNotVariable, register.span, message))
            }
        }
    }

    /// Checks that an atomic operation is one of its resource. Returns this with the type of the
    /// result.
    fn check_atomic(
        &mut self,
        inst: &TgsiInst,
        register: &ResolvedRegister,
        (op, ty): (AtomicOp, Type),
    ) -> CheckResult<(CheckedResource, Option<Type>)> {
        let resource = self.resolve_resource(inst, register)?;
        if resource.is_constant_buffer() {
            return Err(self.resolver.checker.report_read_only(register));
        }
        let (CheckedResource::Image(_, decl) | CheckedResource::ImageHandle(_, decl)) = resource
        else {
            return Ok((resource, Some(ty)));
        };
        if !decl.writable {
            return Err(self.resolver.checker.report_read_only_image(register));
        }
        if !decl.atomic {
            let message = "atomics are for images of 32-bit integers";
            return Err(self.report_error(Code::ImageAccess, register.span, message));
        }
        // An exchange moves bits and works on any word.
        let takes_floats = ty == Type::F32 || op == AtomicOp::Exchange;
        if decl.ty == Some(Type::F32) && !takes_floats {
            let message = "of atomics, images of floats have ATOMFADD and ATOMXCHG";
            return Err(self.report_error(Code::ImageAccess, register.span, message));
        }
        Ok((resource, inst.dst.map(|_| ty)))
    }

    /// Checks that IMG2HND and SAMP2HND name a unit.
    fn check_unit_handle(
        &mut self,
        register: &ResolvedRegister,
        file: RegisterFile,
    ) -> CheckResult<(CheckedResource, Option<Type>)> {
        let is_expected_file = register.file == file
            || (file == RegisterFile::Image && register.file == RegisterFile::Res);
        if !is_expected_file {
            let message = format!("a register of `{}` is expected here", file.word());
            return Err(self.report_error(Code::HandleOperand, register.span, message));
        }
        Ok((CheckedResource::Unit, Some(Type::U32)))
    }
}

impl CheckedResource {
    /// Returns true for memory that instructions only read: constant buffers, and the input of a
    /// kernel, which is one.
    const fn is_constant_buffer(&self) -> bool {
        matches!(
            self,
            Self::Buffer {
                kind: BufferKind::ProgramParameter,
                ..
            }
        )
    }
}

impl TgsiResolver<'_> {
    /// Returns the value of a register that holds a handle.
    pub(super) fn resolve_handle(
        &mut self,
        register: &ResolvedRegister,
        swizzle: Swizzle,
    ) -> CheckResult<CheckedSource> {
        Ok(CheckedSource {
            value: self.resolve_source(register)?,
            swizzle,
            negate: false,
            absolute: false,
        })
    }

    /// Returns the storage buffer that a register names. Undeclared ones are reported leniently.
    fn resolve_buffer(&mut self, register: &ResolvedRegister) -> CheckResult<CheckedResource> {
        if let Some(number) = register.index.as_constant()
            && self.declared.buffers.get(number.max(0) as usize) != Some(&true)
        {
            self.declare_leniently(register)?;
        }
        let count = self.declared.buffers.len().max(1) as u32;
        Ok(CheckedResource::Buffer {
            kind: BufferKind::Storage,
            number: make_buffer_number(register.index, BufferNumber::Index { count }),
            size: None,
        })
    }

    /// Returns the memory that a MEMORY register names: that of its declaration, or the only
    /// declared one.
    fn resolve_memory(&mut self, register: &ResolvedRegister) -> CheckResult<CheckedResource> {
        let number = self
            .checker
            .require_constant_number(register, MAX_MEMORIES)?;
        let memories = &self.declared.memories;
        // Some writers number memories by their kind in declarations, and by 0 in uses.
        match memories.get(number).or(memories.only()) {
            Some(kind) => Ok(self.make_memory(kind)),
            None => Err(self.report_undeclared(register)),
        }
    }

    /// Returns the memory of a kind. Sizes of shared and private memory are those of the options,
    /// in bytes.
    fn make_memory(&self, kind: MemoryKind) -> CheckedResource {
        let options = self.checker.options;
        let (kind, number, size) = match kind {
            MemoryKind::Global => return CheckedResource::Global,
            MemoryKind::Input => (BufferKind::ProgramParameter, INPUT_BUFFER, None),
            MemoryKind::Shared => (BufferKind::Shared, 0, Some(options.shared_memory)),
            MemoryKind::Private => (BufferKind::Private, 0, Some(options.private_memory)),
        };
        CheckedResource::Buffer {
            kind,
            number: BufferNumber::Constant(number),
            // The caller specifies the number of bytes; memory of size 0 could not be declared.
            size: size.map(|size| size.clamp(4, MAX_MEMORY_BYTES)),
        }
    }

    /// Returns the constant buffer with index `buffer`, which is recorded as used by `register`.
    /// `is_outer`: true if that is the first one of two indices.
    fn resolve_constant_buffer(
        &mut self,
        register: &ResolvedRegister,
        buffer: RegisterIndex,
        is_outer: bool,
    ) -> CheckedResource {
        // Constant buffers need no declaration.
        self.record_register(&ResolvedRegister {
            file: RegisterFile::ConstBuf,
            outer: None,
            index: buffer,
            span: register.span,
        });
        let count = self.count_constant_buffers();
        let dynamic = if is_outer {
            BufferNumber::Outer { count }
        } else {
            BufferNumber::Index { count }
        };
        CheckedResource::Buffer {
            kind: BufferKind::ProgramParameter,
            number: make_buffer_number(buffer, dynamic),
            size: None,
        }
    }

    /// Returns the atomic counter that a HWATOMIC register names.
    fn resolve_counter(&mut self, register: &ResolvedRegister) -> CheckedResource {
        // Counters need no declaration.
        self.record_register(register);
        let count = self.declared.counter_buffers.max(1);
        CheckedResource::Counter(match register.outer {
            None => BufferNumber::Constant(0),
            Some(outer) => make_buffer_number(outer, BufferNumber::Outer { count }),
        })
    }
}

impl ResolvedRegister {
    /// Returns the indices of a resource.
    pub(super) fn resource_index(&self) -> ResourceIndex {
        ResourceIndex {
            outer: self.outer.map(|outer| outer.term),
            index: self.index.term,
        }
    }
}

/// Returns the number of a buffer, which is `dynamic` unless the index is a constant.
fn make_buffer_number(index: RegisterIndex, dynamic: BufferNumber) -> BufferNumber {
    match index.as_constant() {
        Some(number) => BufferNumber::Constant(number.max(0) as u32),
        None => dynamic,
    }
}

/// Returns the image with the properties of an access, which take precedence over its declaration.
fn with_qualifiers(row: ImageDecl, inst: &TgsiInst) -> ImageDecl {
    let target = inst.qualifiers.target;
    ImageDecl {
        target: target.map_or(row.target, |target| target.target),
        ty: inst.qualifiers.ty.or(row.ty),
        ..row
    }
}
