//! Module without its open function: ids, sections, names, decorations, needs.
//!
//! Types and constants are unique.

mod constant;
mod declared;
mod types;

use super::value::{Derived, NO_VALUE, OfType, SCALARS, ValueInfo, WideInts};
use super::{Home, Scalar, Val};
use crate::capability::{Need, Needs};
use crate::error::Failure;
use crate::kept::refill;
use crate::options::{DeviceFeatures, Options, Target};
use crate::words::{LabelWord, TypeWord, ValueWord, Words};
use declared::Declared;
use glasm_ir::Stage;
use spirv::{BuiltIn, Decoration, Op};

// Zeros, booleans, numbers of elements and shift counts of words are below it: nearly all constants
// that do not come from the program.
/// Constants with bits below this number are found by index, without a hash.
const SMALL: usize = 32;

/// Writer of everything in a module that is outside of the open function. Cannot compute values.
#[derive(Debug, Default)]
pub(crate) struct ModuleWriter {
    /// Capabilities and the declarations that they require.
    pub(crate) needs: Needs,
    /// True if values get names.
    pub(crate) has_names: bool,
    /// Stage of the module.
    stage: Option<Stage>,
    pub(crate) target: Target,
    pub(crate) device: DeviceFeatures,
    pub(crate) wide_ints: WideInts,
    /// `OpString`.
    pub(crate) strings: Words,
    /// `OpName`.
    pub(crate) names: Words,
    /// Decorations.
    pub(crate) annotations: Words,
    /// Types, constants, variables.
    pub(crate) globals: Words,
    /// All functions except the newest; the head of the newest one.
    pub(crate) functions: Words,
    /// Interface variables of the entry point: inputs and outputs, since SPIR-V 1.4 all variables.
    pub(crate) interface: Vec<u32>,
    /// Properties of each id, including those of the open function.
    values: Vec<ValueInfo>,
    derived: Vec<Derived>,
    /// Declarations for each type that has any.
    of_types: Vec<OfType>,
    scalar_types: [[TypeWord; 4]; SCALARS],
    void: TypeWord,
    /// Types other than scalars, vectors and pointers, by the ends of their declarations.
    types: Declared,
    /// Constants less than [`SMALL`], which are requested most often.
    small_constants: [[ValueWord; SMALL]; SCALARS],
    /// Other scalar constants, and vector constants.
    constants: Declared,
    glsl: ValueWord,
}

impl ModuleWriter {
    /// Clears the module and retains the memory.
    pub(super) fn reset(&mut self, stage: Stage, options: &Options) {
        self.stage = Some(stage);
        self.target = options.target;
        self.device = options.device;
        // Pairs in all of the module, because an id has the same type for each instruction that
        // reads it.
        self.wide_ints = if self.device.int64 {
            WideInts::Native
        } else {
            WideInts::Pairs
        };
        self.has_names = options.debug.names;
        self.needs = Needs::default();
        self.needs.insert(Need::Shader);
        self.reset_sections();
        self.reset_ids();
        self.reset_declarations();
    }

    fn reset_sections(&mut self) {
        self.strings.clear();
        self.names.clear();
        self.annotations.clear();
        self.globals.clear();
        self.functions.clear();
        self.interface.clear();
    }

    fn reset_ids(&mut self) {
        // Id 0 does not exist in SPIR-V. Its entry allows ids as indices, and represents lanes
        // without a value.
        refill(&mut self.values, 1, NO_VALUE);
        // Entry 0 is shared by all values without derived values; `derived_mut` never returns it.
        refill(&mut self.derived, 1, Derived::default());
    }

    fn reset_declarations(&mut self) {
        // Entry 0 represents types without declarations.
        refill(&mut self.of_types, 1, OfType::default());
        self.scalar_types = [[TypeWord::default(); 4]; SCALARS];
        self.void = TypeWord::default();
        self.types.clear();
        self.small_constants = [[ValueWord::NONE; SMALL]; SCALARS];
        self.constants.clear();
        self.glsl = ValueWord::NONE;
    }

    /// Records a need. Returns an error if the device lacks it.
    pub(crate) fn require(&mut self, need: Need) -> Result<(), Failure> {
        self.needs.require(&self.device, need)
    }

    /// Returns the stage that the module is for.
    pub(crate) fn stage(&self) -> Stage {
        self.stage.expect("the module was started")
    }

    /// Returns one more than the largest id.
    pub(crate) fn bound(&self) -> u32 {
        self.values.len() as u32
    }

    #[inline]
    fn make_id(&mut self) -> u32 {
        let id = self.bound();
        self.values.push(NO_VALUE);
        id
    }

    /// Creates a label.
    pub(crate) fn label(&mut self) -> LabelWord {
        LabelWord(self.make_id())
    }

    /// Creates several labels.
    pub(crate) fn labels<const N: usize>(&mut self) -> [LabelWord; N] {
        std::array::from_fn(|_| self.label())
    }

    /// Creates an id for an object other than a computed value: a variable, a function, a pointer.
    pub(crate) fn object(&mut self) -> ValueWord {
        ValueWord(self.make_id())
    }

    /// Creates an id for a value.
    #[inline]
    pub(crate) fn value(&mut self, scalar: Scalar, size: u8, home: Home) -> ValueWord {
        let id = ValueWord(self.bound());
        self.values.push(ValueInfo {
            scalar,
            size,
            home,
            ..NO_VALUE
        });
        id
    }

    /// Returns the properties of `id`.
    #[inline]
    pub(crate) fn info(&self, id: ValueWord) -> ValueInfo {
        self.values[id.0 as usize]
    }

    /// Returns the values derived from `id`.
    #[inline]
    pub(crate) fn derived(&self, id: ValueWord) -> &Derived {
        &self.derived[self.values[id.0 as usize].derived as usize]
    }

    /// Returns the values derived from `id` for modification.
    pub(super) fn derived_mut(&mut self, id: ValueWord) -> &mut Derived {
        let place = &mut self.values[id.0 as usize].derived;
        if *place == 0 {
            *place = self.derived.len() as u32;
            self.derived.push(Derived::default());
        }
        &mut self.derived[*place as usize]
    }

    /// Returns `id` with its type.
    pub(crate) fn val(&self, id: ValueWord) -> Val {
        let ValueInfo { scalar, size, .. } = self.info(id);
        Val::new(id, scalar, size)
    }

    /// Returns the id of the GLSL.std.450 instructions.
    pub(crate) fn glsl(&mut self) -> ValueWord {
        if !self.glsl.is_some() {
            self.glsl = self.object();
        }
        self.glsl
    }

    /// Returns the id of the GLSL.std.450 instructions if any was used.
    pub(crate) fn glsl_if_used(&self) -> Option<ValueWord> {
        self.glsl.is_some().then_some(self.glsl)
    }

    /// Names an object, if the module has names.
    pub(crate) fn name(&mut self, id: ValueWord, name: impl FnOnce() -> String) {
        if self.has_names {
            self.names.op_string(Op::Name, &[id.0], &name(), &[]);
        }
    }

    /// Names a type, if the module has names.
    pub(crate) fn name_type(&mut self, ty: TypeWord, name: &str) {
        if self.has_names {
            self.names.op_string(Op::Name, &[ty.0], name, &[]);
        }
    }

    /// Names a member of a structure, if the module has names.
    pub(crate) fn name_member(&mut self, ty: TypeWord, member: u32, name: &str) {
        if self.has_names {
            self.names
                .op_string(Op::MemberName, &[ty.0, member], name, &[]);
        }
    }

    /// Decorates `id`.
    pub(crate) fn decorate<const N: usize>(
        &mut self,
        id: impl Into<u32>,
        decoration: Decoration,
        operands: &[u32; N],
    ) {
        let leading = [id.into(), decoration as u32];
        self.annotations.about(Op::Decorate, leading, operands);
    }

    /// Decorates a variable as a built-in.
    pub(crate) fn decorate_builtin(&mut self, id: ValueWord, builtin: BuiltIn) {
        self.decorate(id, Decoration::BuiltIn, &[builtin as u32]);
    }

    /// Decorates a value that may differ between the invocations that use it together.
    pub(crate) fn decorate_divergent(&mut self, id: ValueWord) {
        self.decorate(id, Decoration::NonUniform, &[]);
    }
}
