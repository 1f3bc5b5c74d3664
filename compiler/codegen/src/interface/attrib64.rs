//! Vertex attributes of 64-bit components: two variables of four words each, for x and y and for z
//! and w.
//!
//! The first variable has the location of the attribute. The second one, which exists only if the
//! program reads z or w, occupies the first location that no attribute of the program has; the
//! reflection reports it. In OpenGL, where such an attribute has one location, it is one variable
//! of four doubles, on devices that support these (GL 4.6 section 11.1.1).

use super::names::{input_name, snake_case};
use super::{Io, emit_at_start, load_at_start, to_scalar_kind};
use crate::builder::{Lane, Scalar, ValueBuilder, ValueOrigin};
use crate::reflect::{AttributeHalf, InterfaceVariable};
use crate::spirv_writer::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::semantic::Interpolation;
use glasm_ir::{InputId, OperandBase, Program, Semantic, Width, WriteMask};
use spirv::{Decoration, Op, StorageClass};

/// Number of locations that correspond to attribute numbers.
// OpenGL guarantees this number (MAX_VERTEX_ATTRIBS of ARB_vertex_program), and Vulkan, too.
const ATTRIBUTES: u32 = 16;

impl Io<'_> {
    /// Loads the lanes of a 64-bit attribute that the program may read, as integers or pairs of
    /// words. Lanes in a half that it does not read are undefined. Declares the variables on first
    /// use.
    pub(crate) fn load_wide_attribute(&mut self, id: InputId) -> [Lane; 4] {
        let scalar = if self.options.device.int64 {
            Scalar::U64
        } else {
            Scalar::Pair
        };
        let semantic = self.program.inputs[id].semantic;
        let has_doubles = self.options.target.is_opengl() && self.options.device.float64;
        if has_doubles && !reads_as_narrow(self.program, semantic) {
            return self.load_doubles(semantic, scalar);
        }
        let read = find_read_lanes(self.program, id);
        // A half that the program does not read occupies no location.
        let mut lanes = [Lane::UNDEFINED; 4];
        for half in [AttributeHalf::Xy, AttributeHalf::Zw] {
            let first = if half == AttributeHalf::Xy { 0 } else { 2 };
            if read >> first & 3 == 0 {
                continue;
            }
            let words = self.load_half_words(id, half);
            lanes[first] = load_wide_lane(self.builder, words, scalar, [0, 1]);
            lanes[first + 1] = load_wide_lane(self.builder, words, scalar, [2, 3]);
        }
        lanes
    }

    /// Loads an attribute of four doubles in the prologue and returns its lanes as bits of type
    /// `scalar`. Declares the attribute on first use.
    fn load_doubles(&mut self, semantic: Semantic, scalar: Scalar) -> [Lane; 4] {
        let number = attribute_number(semantic);
        let mut known = self.interface.inputs.doubles.iter();
        let variable = match known.find(|entry| entry.0 == number) {
            Some(&(_, variable)) => variable,
            None => self.declare_doubles(semantic),
        };
        let doubles = load_at_start(self.builder, variable, Scalar::F64, 4);
        [0, 1, 2, 3].map(|lane| {
            let double = emit_at_start(
                self.builder,
                Op::CompositeExtract,
                Scalar::F64,
                &[doubles.0, lane],
            );
            Lane::scalar(emit_at_start(
                self.builder,
                Op::Bitcast,
                scalar,
                &[double.0],
            ))
        })
    }

    /// Declares, names, records and reflects an attribute as one vector of four doubles, as OpenGL
    /// needs it.
    fn declare_doubles(&mut self, semantic: Semantic) -> ValueWord {
        let number = attribute_number(semantic);
        let location = u32::from(number);
        // In OpenGL a vertex input of any type has one location, in Vulkan four doubles have two.
        let ty = self.builder.get_type(Scalar::F64, 4);
        let variable = self.declare_in_out_variable(StorageClass::Input, ty);
        self.builder
            .decorate(variable, Decoration::Location, &[location]);
        self.builder
            .name_object(variable, || input_name(self.program.stage, semantic));
        self.interface.inputs.doubles.push((number, variable));
        self.interface.reflected.inputs.push(InterfaceVariable {
            semantic,
            location: Some(location),
            scalar_type: to_scalar_kind(Scalar::F64),
            component_count: 4,
            interpolation: Interpolation::Flat,
            attribute_half: None,
            is_per_vertex: false,
        });
        variable
    }

    /// Returns the four words of a half, loaded at the start of the function.
    pub(crate) fn load_half_words(&mut self, id: InputId, half: AttributeHalf) -> ValueWord {
        let variable = self.get_half_variable(id, half);
        load_at_start(self.builder, variable, Scalar::U32, 4)
    }

    /// Returns the variable with half of a 64-bit attribute, which it declares on first use.
    fn get_half_variable(&mut self, id: InputId, half: AttributeHalf) -> ValueWord {
        let semantic = self.program.inputs[id].semantic;
        let number = attribute_number(semantic);
        let mut halves = self.interface.inputs.halves.iter();
        let known = halves.find(|entry| (entry.0, entry.1) == (number, half));
        let known = known.map(|&(_, _, variable)| variable);
        known.unwrap_or_else(|| self.declare_half(semantic, number, half))
    }

    /// Declares, names and records the variable with the words of x and y or of z and w of a 64-bit
    /// attribute, and reflects its location: that of the attribute for x and y, unless 32-bit
    /// components use it, else a free one.
    fn declare_half(&mut self, semantic: Semantic, number: u8, half: AttributeHalf) -> ValueWord {
        let location = match half {
            // Two variables of an entry point cannot have one location, and the variable of 32-bit
            // components has the number of the attribute.
            AttributeHalf::Xy if !reads_as_narrow(self.program, semantic) => u32::from(number),
            AttributeHalf::Xy | AttributeHalf::Zw => self.find_free_location(number),
        };
        let ty = self.builder.get_type(Scalar::U32, 4);
        let variable = self.declare_in_out_variable(StorageClass::Input, ty);
        // Devices need not support vertex formats of 64 bits; all of them support
        // `R32G32B32A32_UINT`, the format of this variable.
        self.builder
            .decorate(variable, Decoration::Location, &[location]);
        self.builder.name_object(variable, || {
            let half = snake_case(&format!("{half:?}"));
            format!("{}_{half}", input_name(self.program.stage, semantic))
        });
        self.interface.inputs.halves.push((number, half, variable));
        self.interface.reflected.inputs.push(InterfaceVariable {
            interpolation: Interpolation::Flat,
            attribute_half: Some(half),
            ..InterfaceVariable::new(semantic, Some(location), Scalar::U32, 4)
        });
        variable
    }

    /// Returns the lowest location that neither an attribute of the program nor a half has, for a
    /// half of attribute `number`. If all guaranteed locations are in use, it is one beyond these.
    fn find_free_location(&self, number: u8) -> u32 {
        let mut taken = 0u32;
        for input in &self.program.inputs {
            if let Semantic::VertexAttribute(number) = input.semantic {
                taken |= 1 << (u32::from(number) % ATTRIBUTES);
            }
        }
        for input in &self.interface.reflected.inputs {
            let location = input.location.filter(|_| input.attribute_half.is_some());
            // Locations above 31 are not considered.
            taken |= location.map_or(0, |location| 1u32.checked_shl(location).unwrap_or(0));
        }
        // Locations of 32-bit attributes are their numbers, so halves fill the gaps between them.
        let free = taken.trailing_ones();
        if free < ATTRIBUTES {
            free
        } else {
            // Vulkan guarantees 16 locations (`maxVertexInputAttributes`); this location is for
            // devices that have more.
            ATTRIBUTES + u32::from(number)
        }
    }
}

/// Emits a 64-bit lane of type `scalar` from two words of half an attribute, which `low` and `high`
/// select, in the prologue.
fn load_wide_lane(
    builder: &mut ValueBuilder,
    words: ValueWord,
    scalar: Scalar,
    [low, high]: [u32; 2],
) -> Lane {
    let operands = [words.0, words.0, low, high];
    Lane::scalar(if scalar == Scalar::Pair {
        emit_at_start(builder, Op::VectorShuffle, scalar, &operands)
    } else {
        let (origin, op) = (ValueOrigin::Prologue, Op::VectorShuffle);
        let pair = builder.emit_op_at(origin, op, Scalar::U32, 2, &operands);
        emit_at_start(builder, Op::Bitcast, scalar, &[pair.0])
    })
}

/// Returns the number of a vertex attribute, 0 for other semantics.
fn attribute_number(semantic: Semantic) -> u8 {
    if let Semantic::VertexAttribute(number) = semantic {
        number
    } else {
        0
    }
}

/// Returns true if the program also reads an attribute with 32-bit components, which yields
/// undefined values for one of the types.
fn reads_as_narrow(program: &Program, semantic: Semantic) -> bool {
    let mut inputs = program.inputs.iter();
    inputs.any(|input| input.semantic == semantic && input.width == Width::W32)
}

/// Returns the mask of an input's lanes that instructions read; all lanes if a dynamic index may
/// select it.
fn find_read_lanes(program: &Program, id: InputId) -> u8 {
    let mut lanes = 0;
    for src in &program.srcs {
        let OperandBase::Input(input) = src.base else {
            continue;
        };
        // An index can select any attribute after the first one of its array.
        if src.index.is_some() && input.index() <= id.index() {
            return 15;
        }
        if input == id {
            let named = WriteMask(15)
                .lanes()
                .map(|lane| 1 << src.swizzle.lane(lane));
            lanes |= named.fold(0, |all, lane: u8| all | lane);
        }
    }
    lanes
}
