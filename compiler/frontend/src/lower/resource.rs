//! Inputs and buffers, created on first use, and properties of the program as a whole.

use super::tables::{BufferKey, Tables};
use crate::ast::{Ast, VarMods};
use crate::check::{Checked, Var, VarKind, default_constant, literal_bits};
use crate::lang::options::Features;
use crate::line::Value;
use crate::vars::IoBinding;
use glasm_ir::inst::{Aux, LiteralId};
use glasm_ir::program::Modes;
use glasm_ir::resource::MemAccess;
use glasm_ir::semantic::Sampling;
use glasm_ir::types::{Base as TypeBase, Type, Width};
use glasm_ir::{
    Base, Buffer, BufferId, BufferKind, Builder, Input, InputId, Interpolation, NamedParam, Output,
    ParamId, ParamSource, Register, RegisterId, Semantic, Stage, StateParam, Storage,
};

/// Declarations in the IR program for variables, bindings and literals of the checked program. It
/// appends no instructions.
pub(crate) struct Resources<'c> {
    pub(crate) ast: &'c Ast<'c>,
    pub(crate) checked: &'c Checked,
    pub(crate) builder: &'c mut Builder,
    pub(super) tables: &'c mut Tables,
}

impl Resources<'_> {
    /// Adds a separate register.
    pub(crate) fn add_register(&mut self, width: Width) -> RegisterId {
        self.builder.program.registers.push(Register {
            storage: Storage::Temp,
            width,
            array: None,
            name: None,
        })
    }

    /// Returns the condition-code register `number`.
    pub(crate) fn get_condition_code(&mut self, number: u8) -> RegisterId {
        // Tests name no other registers than CC0, CC1 and the sparse one; the bound only prevents a
        // panic.
        let slot = usize::from(number).min(self.tables.condition_codes.len() - 1);
        if let Some(register) = self.tables.condition_codes[slot] {
            return register;
        }
        let register = self.add_condition_code();
        self.tables.condition_codes[slot] = Some(register);
        register
    }

    pub(super) fn add_condition_code(&mut self) -> RegisterId {
        let register = Register {
            storage: Storage::Cond,
            width: Width::W32,
            array: None,
            name: None,
        };
        self.builder.program.registers.push(register)
    }

    /// Returns the slot of a parameter that is not in an array.
    pub(super) fn get_param(&mut self, source: ParamSource) -> ParamId {
        let program = &mut self.builder.program;
        *self
            .tables
            .params
            .entry(source)
            .or_insert_with(|| program.params.push(glasm_ir::Param { source }))
    }

    pub(super) fn add_named_register(&mut self, info: &Var, array: Option<u32>) -> RegisterId {
        self.add_register_of(info, (Storage::Temp, info.width()), array)
    }

    /// Adds a register with the name of a variable.
    #[inline]
    pub(super) fn add_register_of(
        &mut self,
        info: &Var,
        (storage, width): (Storage, Width),
        array: Option<u32>,
    ) -> RegisterId {
        let name = info.name.map(|name| {
            let text = self.ast.names.word(name);
            self.builder.program.names.push(text)
        });
        self.builder.program.registers.push(Register {
            storage,
            width,
            array,
            name,
        })
    }

    /// Returns the literal vector with these bits.
    pub(crate) fn literal_id(&mut self, bits: [u64; 4]) -> LiteralId {
        let program = &mut self.builder.program;
        *self
            .tables
            .literals
            .entry(bits)
            .or_insert_with(|| program.literals.push(bits))
    }

    /// Adds the data of an access, as instructions refer to them.
    pub(super) fn add_mem_access(&mut self, access: MemAccess) -> Aux {
        Aux::Mem(self.builder.program.mem_accesses.push(access))
    }

    /// Returns true if all writes of the position are unreachable. Then it has its initial value,
    /// which only the languages with registers define: the checker ensures that their vertex
    /// programs have a write. NV_vertex_program2 section 2.14.1.5.
    pub(super) fn has_unreached_position(&self) -> bool {
        let (dialect, checked) = (self.ast.dialect, self.checked);
        dialect.stage() == Stage::Vertex
            && dialect.facts().registers.is_some()
            && !checked.features.contains(Features::POSITION_INVARIANT)
            && !self.tables.results.contains_key(&Semantic::Position)
    }

    /// Adds the register of a position that no variable of the program names.
    pub(super) fn add_position_register(&mut self, output: Output) -> RegisterId {
        let program = &mut self.builder.program;
        program.registers.push(Register {
            storage: Storage::Output(program.outputs.push(output)),
            width: Width::W32,
            array: None,
            name: None,
        })
    }

    /// Returns the address register of the innermost LOOP, if the program uses one.
    pub(super) fn find_loop_index_place(&mut self) -> Option<&mut Option<Base>> {
        let var = self.checked.loop_index?;
        Some(self.tables.place(var, 0))
    }

    /// Returns true if branches back or chains of calls can run more instructions than a program of
    /// NV_vertex_program2 may. NV_vertex_program2 section 2.14.2.3.
    pub(super) fn may_run_beyond(&self, max: u32) -> bool {
        let call_graph = &self.checked.call_graph;
        let most = call_graph
            .most_runs()
            .saturating_mul(self.checked.lines.list.len() as u64);
        call_graph.repeats() || most > u64::from(max)
    }

    /// Returns a constant as operand; missing components are 0, 0, 1 in the type of the operand.
    pub(super) fn get_literal(&mut self, base: Value, ty: Type) -> Base {
        let ast = self.ast;
        let bits =
            |literal: u32| literal_bits(ast.text, ast.literals[literal as usize], ty).unwrap_or(0);
        let vector = match base {
            Value::Vector { first, count } => {
                let mut vector = default_constant(ty);
                for lane in 0..count {
                    vector[lane as usize] = bits(first + u32::from(lane));
                }
                vector
            }
            Value::Scalar(literal) => [bits(literal); 4],
            Value::Var(_) => [0; 4],
        };
        Base::Literal(self.literal_id(vector))
    }

    /// Returns true if a parameter array has a slot of zeros before its first element and one after
    /// its last: dynamic indices are limited to the slots that there are, so that missing
    /// parameters are (0, 0, 0, 0). NV_vertex_program section 2.14.1.2.
    pub(super) fn has_zero_ends(&self, info: &Var) -> bool {
        let is_param = matches!(info.kind, VarKind::Param { .. });
        is_param && self.ast.dialect.facts().registers.is_some()
    }

    /// Returns the input of a binding.
    pub(super) fn get_input(
        &mut self,
        binding: IoBinding,
        base: TypeBase,
        width: Width,
    ) -> InputId {
        let semantic = binding.semantic;
        // An attribute that is read with 32 and with 64 bits is two inputs.
        if let Some(&input) = self.tables.inputs.get(&(semantic, width)) {
            return input;
        }
        // Emission flips the position by this parameter, which no instruction of the program names.
        if semantic == Semantic::Position && self.checked.modes.origin_upper_left {
            self.get_param(ParamSource::State(StateParam::WindowOrigin));
        }
        let input = self.make_input(binding, base, width);
        let id = self.builder.program.inputs.push(input);
        self.tables.inputs.insert((semantic, width), id);
        id
    }

    fn make_input(&self, binding: IoBinding, base: TypeBase, width: Width) -> Input {
        let semantic = binding.semantic;
        // By semantic: the modifiers of one declaration apply to all variables that are bound to
        // the same attribute.
        let mods = self.checked.interpolation.get(&semantic);
        let mods = mods.copied().unwrap_or_default();
        let is_fragment = self.ast.dialect.stage() == Stage::Fragment;
        let interpolation = match mods.intersection(VarMods::FLAT | VarMods::NOPERSPECTIVE) {
            // Vulkan requires Flat at every integer input of fragment shaders
            // (VUID-StandaloneSpirv-Flat-04744).
            _ if is_fragment && binding.base != TypeBase::Float => Interpolation::Flat,
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
            base: input_base(semantic, interpolation, base),
            width,
            interpolation,
            sampling,
            ..Input::new(semantic)
        }
    }

    /// Adds the parameters that callers set by their names, even if no instruction reads them.
    pub(super) fn add_named_params(&mut self) {
        let program = &mut self.builder.program;
        for &(name, initial) in &self.checked.named_params {
            let name = program.names.push(self.ast.names.word(name));
            program.named_params.push(NamedParam { name, initial });
        }
    }

    /// Sets the modes that the program declares for itself as a whole.
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
            secondary_view_layer_offset: checked.second_layer_offset.unwrap_or(0),
            ..checked.modes
        };
    }

    /// Returns the buffer of a key.
    pub(super) fn get_buffer(&mut self, key: BufferKey) -> BufferId {
        let program = &mut self.builder.program;
        let (kind, binding, array, size) = match key {
            BufferKey::Bound(kind, binding, array) => (kind, binding, array, None),
            BufferKey::Shared => (BufferKind::Shared, 0, None, Some(self.checked.shared_bytes)),
        };
        let buffer = Buffer {
            kind,
            binding,
            array,
            size,
        };
        let known = self.tables.buffers.entry(key);
        *known.or_insert_with(|| program.buffers.push(buffer))
    }
}

/// Returns the type of an input that the program reads as `base`. Varyings are floats between
/// stages, regardless of how instructions interpret the bits, unless the program declares a type.
pub(super) fn input_base(
    semantic: Semantic,
    interpolation: Interpolation,
    base: TypeBase,
) -> TypeBase {
    let is_varying = matches!(semantic, Semantic::Generic(_) | Semantic::PatchGeneric(_));
    if is_varying && interpolation != Interpolation::Flat {
        TypeBase::Float
    } else {
        base
    }
}
