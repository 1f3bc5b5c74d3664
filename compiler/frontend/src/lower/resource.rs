//! Inputs and buffers, created on first use, and properties of the program as a whole.

use super::ir_map::{BufferKey, IrMap};
use crate::ast::{Ast, VarMods};
use crate::check::{CheckedProgram, Var, VarKind, default_constant, encode_literal};
use crate::lang::options::Features;
use crate::resolved_inst::OperandValue;
use crate::variables::{AttribOwner, IoBinding};
use glasm_ir::inst::{InstData, LiteralId};
use glasm_ir::program::Modes;
use glasm_ir::resource::MemAccess;
use glasm_ir::semantic::Sampling;
use glasm_ir::types::{BaseType, Type, Width};
use glasm_ir::{
    Buffer, BufferId, BufferKind, Builder, Input, InputId, Interpolation, NamedParam, OperandBase,
    Output, ParamId, ParamSource, Register, RegisterId, Semantic, Stage, StateParam, Storage,
};

/// Declarations in the IR program for variables, bindings and literals of the checked program. It
/// appends no instructions.
pub(crate) struct Resources<'c> {
    pub(crate) ast: &'c Ast<'c>,
    pub(crate) checked: &'c CheckedProgram,
    pub(crate) builder: &'c mut Builder,
    pub(super) ir_map: &'c mut IrMap,
}

impl Resources<'_> {
    /// Adds an unnamed temporary register of this width to the program, for intermediate values,
    /// and returns it.
    pub(crate) fn add_register(&mut self, width: Width) -> RegisterId {
        self.builder.program.registers.push(Register {
            storage: Storage::Temp,
            width,
            array_len: None,
            name: None,
        })
    }

    /// Returns condition-code register `number`, which is added to the program at its first use.
    /// Numbers beyond the last register return the last one, that of sparse textures.
    pub(crate) fn get_condition_code(&mut self, number: u8) -> RegisterId {
        // Tests name no other registers than CC0, CC1 and the sparse one; the bound only prevents a
        // panic.
        let register_index = usize::from(number).min(self.ir_map.condition_codes.len() - 1);
        if let Some(register) = self.ir_map.condition_codes[register_index] {
            return register;
        }
        let register = self.add_condition_code();
        self.ir_map.condition_codes[register_index] = Some(register);
        register
    }

    /// Adds a further unnamed condition-code register to the program and returns it.
    pub(super) fn add_condition_code(&mut self) -> RegisterId {
        let register = Register {
            storage: Storage::Cond,
            width: Width::W32,
            array_len: None,
            name: None,
        };
        self.builder.program.registers.push(register)
    }

    /// Returns the parameter that has this source, which is added to the program at its first use.
    pub(super) fn get_param(&mut self, source: ParamSource) -> ParamId {
        let program = &mut self.builder.program;
        *self
            .ir_map
            .params
            .entry(source)
            .or_insert_with(|| program.params.push(glasm_ir::Param { source }))
    }

    /// Adds the register of a temporary variable, or an array of `array` registers.
    pub(super) fn add_temp_var_register(&mut self, info: &Var, array: Option<u32>) -> RegisterId {
        self.add_variable_register(info, (Storage::Temp, info.width()), array)
    }

    /// Adds a register for a variable, whose name is retained for debugging, and returns it;
    /// `array` is the number of elements of an array.
    pub(super) fn add_variable_register(
        &mut self,
        info: &Var,
        (storage, width): (Storage, Width),
        array: Option<u32>,
    ) -> RegisterId {
        let name = info.name.map(|name| {
            let text = self.ast.names.as_str(name);
            self.builder.program.names.push(text)
        });
        self.builder.program.registers.push(Register {
            storage,
            width,
            array_len: array,
            name,
        })
    }

    /// Returns the id of the literal vector with these bits, which is added to the program at its
    /// first use.
    pub(crate) fn intern_literal(&mut self, bits: [u64; 4]) -> LiteralId {
        let program = &mut self.builder.program;
        *self
            .ir_map
            .literals
            .entry(bits)
            .or_insert_with(|| program.literals.push(bits))
    }

    /// Adds the data of a memory access to the program and returns the reference for its
    /// instruction.
    pub(super) fn add_mem_access(&mut self, access: MemAccess) -> InstData {
        InstData::Mem(self.builder.program.mem_accesses.push(access))
    }

    /// Returns true for a vertex program of the languages with numbered registers in which no
    /// reachable instruction writes the position. Then it has its initial value, which only those
    /// languages define: the checker ensures that the program contains a write. False if fixed
    /// functions compute the position. NV_vertex_program2 section 2.14.1.5.
    pub(super) fn has_unwritten_position(&self) -> bool {
        let (dialect, checked) = (self.ast.dialect, self.checked);
        dialect.stage() == Stage::Vertex
            && dialect.traits().registers.is_some()
            && !checked.features.contains(Features::POSITION_INVARIANT)
            && !self
                .ir_map
                .result_registers
                .contains_key(&Semantic::Position)
    }

    /// Adds the register of a position that no variable of the program names, with its output, and
    /// returns it. It is not recorded as the register of a result variable.
    pub(super) fn add_position_register(&mut self, output: Output) -> RegisterId {
        let program = &mut self.builder.program;
        program.registers.push(Register {
            storage: Storage::Output(program.outputs.push(output)),
            width: Width::W32,
            array_len: None,
            name: None,
        })
    }

    /// Returns the entry that maps the address register of LOOP to the register of the innermost
    /// loop, for reading and replacing; `None` if the program does not use the address register.
    pub(super) fn find_loop_address_location(&mut self) -> Option<&mut Option<OperandBase>> {
        let var = self.checked.loop_index?;
        Some(self.ir_map.location_mut(var, 0))
    }

    /// Returns true if cycles of calls and branches, or chains of calls, can run more than `max`
    /// instructions. NV_vertex_program2 section 2.14.2.3.
    pub(super) fn may_exceed_by_branches(&self, max: u32) -> bool {
        let call_graph = &self.checked.call_graph;
        let max_steps = call_graph
            .max_function_runs()
            .saturating_mul(self.checked.insts.insts.len() as u64);
        call_graph.has_cycles() || max_steps > u64::from(max)
    }

    /// Returns the literal operand of a constant, which is added to the program; components that a
    /// vector lacks are 0, 0, 1 in the type of the operand. Numbers that do not fit the type, and
    /// operands that are not constants, become 0.
    pub(super) fn make_literal(&mut self, base: OperandValue, ty: Type) -> OperandBase {
        let ast = self.ast;
        let bits = |literal: u32| {
            encode_literal(ast.text, ast.literals[literal as usize], ty).unwrap_or(0)
        };
        let vector = match base {
            OperandValue::Vector { first, count } => {
                let mut vector = default_constant(ty);
                for lane in 0..count {
                    vector[lane as usize] = bits(first + u32::from(lane));
                }
                vector
            }
            OperandValue::Scalar(literal) => [bits(literal); 4],
            OperandValue::Var(_) => [0; 4],
        };
        OperandBase::Literal(self.intern_literal(vector))
    }

    /// Returns true if a variable is a parameter array of the languages with numbered registers. It
    /// then has a slot of zeros before its first element and one after its last: dynamic indices
    /// are limited to the slots that there are, so that missing parameters are (0, 0, 0, 0).
    /// NV_vertex_program section 2.14.1.2.
    pub(super) fn has_zero_padding(&self, info: &Var) -> bool {
        let is_param = matches!(info.kind, VarKind::Param { .. });
        is_param && self.ast.dialect.traits().registers.is_some()
    }

    /// Returns the input of a binding, which is added to the program at its first use, once for
    /// each width. The base type is that of the first use. An input for the position also adds the
    /// parameter by which it is flipped, if the origin is the upper left corner.
    pub(super) fn get_input(
        &mut self,
        binding: IoBinding,
        base: BaseType,
        width: Width,
    ) -> InputId {
        let semantic = binding.semantic;
        // An attribute that is read with 32 and with 64 bits is two inputs.
        if let Some(&input) = self.ir_map.inputs.get(&(semantic, width)) {
            return input;
        }
        // Emission flips the position by this parameter, which no instruction of the program names.
        if semantic == Semantic::Position && self.checked.modes.origin_upper_left {
            self.get_param(ParamSource::State(StateParam::WindowOrigin));
        }
        let input = self.make_input(binding, base, width);
        let id = self.builder.program.inputs.push(input);
        self.ir_map.inputs.insert((semantic, width), id);
        id
    }

    /// Returns the input of a binding with its base type, interpolation and sampling, which the
    /// modifiers of all declarations with this semantic determine. Integer inputs of fragment
    /// programs are always flat. The input is not added to the program.
    fn make_input(&self, binding: IoBinding, base: BaseType, width: Width) -> Input {
        let semantic = binding.semantic;
        // By semantic: the modifiers of one declaration apply to all variables that are bound to
        // the same attribute.
        let mods = self.checked.interpolation.get(&semantic);
        let mods = mods.copied().unwrap_or_default();
        let is_fragment = self.ast.dialect.stage() == Stage::Fragment;
        let interpolation = match mods.intersection(VarMods::FLAT | VarMods::NOPERSPECTIVE) {
            // Vulkan requires Flat at every integer input of fragment shaders
            // (VUID-StandaloneSpirv-Flat-04744).
            _ if is_fragment && binding.base != BaseType::Float => Interpolation::Flat,
            VarMods::FLAT => Interpolation::Flat,
            VarMods::NOPERSPECTIVE => Interpolation::NoPerspective,
            _ => Interpolation::Smooth,
        };
        let sampling = match mods.intersection(VarMods::CENTROID | VarMods::SAMPLE) {
            VarMods::CENTROID => Sampling::Centroid,
            VarMods::SAMPLE => Sampling::Sample,
            _ => Sampling::Center,
        };
        Input {
            base: input_base_type(semantic, interpolation, base),
            width,
            interpolation,
            sampling,
            ..Input::new(semantic)
        }
    }

    /// Adds the parameters that callers set by their names to the program, even if no instruction
    /// reads them.
    pub(super) fn add_named_params(&mut self) {
        let program = &mut self.builder.program;
        for &(name, initial) in &self.checked.named_params {
            let name = program.names.push(self.ast.names.as_str(name));
            program.named_params.push(NamedParam { name, initial });
        }
    }

    /// Sets the modes of the program that its options and declarations select. The workgroup size
    /// is 0 if it is only known when work is dispatched.
    pub(super) fn set_modes(&mut self) {
        let checked = self.checked;
        self.builder.program.modes = Modes {
            // Zeros mean that the size is only known when work is dispatched.
            // ARB_compute_variable_group_size.
            workgroup_size: if checked.features.contains(Features::VARIABLE_GROUP_SIZE) {
                [0; 3]
            } else {
                checked.group_size
            },
            secondary_view_layer_offset: checked.secondary_view_layer_offset.unwrap_or(0),
            ..checked.modes
        };
    }

    /// Returns the buffer of a key, which is added to the program at its first use.
    pub(super) fn get_buffer(&mut self, key: BufferKey) -> BufferId {
        let program = &mut self.builder.program;
        let (kind, binding, array, size) = match key {
            BufferKey::Bound(kind, binding, array) => (kind, binding, array, None),
            BufferKey::Shared => (BufferKind::Shared, 0, None, Some(self.checked.shared_bytes)),
        };
        let buffer = Buffer {
            kind,
            binding,
            array_len: array,
            size,
        };
        let entry = self.ir_map.buffers.entry(key);
        *entry.or_insert_with(|| program.buffers.push(buffer))
    }
}

/// Returns the type of an input that the program reads as `base`. Generic varyings are floats
/// between stages, regardless of how instructions interpret the bits, unless they are flat.
pub(super) fn input_base_type(
    semantic: Semantic,
    interpolation: Interpolation,
    base: BaseType,
) -> BaseType {
    let is_varying = matches!(
        semantic,
        Semantic::GenericVarying(_) | Semantic::GenericPatchVarying(_)
    );
    if is_varying && interpolation != Interpolation::Flat {
        BaseType::Float
    } else {
        base
    }
}

impl Resources<'_> {
    /// Assigns consecutive slots to the attribute, parameter and result arrays that are dynamically
    /// indexed, and adds these to the program. Must run before other bindings are added, which
    /// would take some of the slots.
    pub(super) fn add_indexed_arrays(&mut self) {
        // Before all others: slots that several arrays share must be in an order that suits each of
        // them.
        self.add_shared_array_slots();
        for (var, info) in self.checked.vars.iter().enumerate() {
            let Some(count) = info.array_size.filter(|_| info.has_relative_access) else {
                continue;
            };
            match info.kind {
                VarKind::Attrib { first } => {
                    *self.ir_map.location_mut(var as u32, 0) =
                        self.add_attrib_array(info, first, count);
                }
                VarKind::Param { first } | VarKind::Subroutine { first, .. } => {
                    let start = self.add_param_array(info, first, count);
                    *self.ir_map.location_mut(var as u32, 0) = Some(start);
                }
                VarKind::Result { first } => self.add_result_array(info, first, count),
                // Temporaries get their register where they are named first; resources have no
                // slots.
                VarKind::Temp
                | VarKind::CondCodes
                | VarKind::Address
                | VarKind::WritableParam
                | VarKind::Argument
                | VarKind::Buffer(_)
                | VarKind::Texture { .. }
                | VarKind::Image { .. }
                | VarKind::Shared { .. }
                | VarKind::Poisoned => {}
            }
        }
    }

    /// Adds consecutive inputs for an attribute array with dynamic index and returns the first;
    /// `None` without elements. Attributes of other vertices or patches get the slots of those.
    fn add_attrib_array(&mut self, info: &Var, first: u32, count: u32) -> Option<OperandBase> {
        let checked = self.checked;
        let mut start = None;
        for binding in &checked.attribs[first as usize..][..count as usize] {
            let base = info.base.unwrap_or(binding.base);
            let slot = if binding.holder == AttribOwner::default() {
                OperandBase::Input(self.get_input(*binding, base, info.width()))
            } else {
                self.get_vertex_slot(*binding, base)
            };
            // The first slot represents the array: element n is that of n slots further on. The
            // checker ensures that no two arrays of a vertex or a fragment program share bindings,
            // so that none of these slots was there before.
            start.get_or_insert(slot);
        }
        start
    }

    /// Adds the consecutive parameters of a dynamically indexed array and returns the first; with
    /// padding, that is the slot of zeros before the elements. Later operands that name one of the
    /// parameters use its slot in the array.
    fn add_param_array(&mut self, info: &Var, first: u32, count: u32) -> OperandBase {
        let zero = glasm_ir::Param {
            source: ParamSource::Literal([0; 4]),
        };
        let has_ends = self.has_zero_padding(info);
        let params = &mut self.builder.program.params;
        let start = params.next_id();
        if has_ends {
            params.push(zero);
        }
        for number in first..first + count {
            let source = self.checked.params[number as usize];
            // Constants become parameters here, because elements must be contiguous.
            let id = params.push(glasm_ir::Param { source });
            // Operands that name one of these parameters outside of the array read the slot that it
            // has in it.
            self.ir_map.params.insert(source, id);
        }
        if has_ends {
            params.push(zero);
        }
        OperandBase::Param(start)
    }
}
