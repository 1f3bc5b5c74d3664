//! Vertex attributes of 64-bit components: two variables of four words each, for x and y and for z
//! and w.
//!
//! The first variable has the location of the attribute. The second one, which exists only if the
//! program reads z or w, occupies the first location that no attribute of the program has; the
//! reflection reports it. In OpenGL, where such an attribute has one location, it is one variable
//! of four doubles, on devices that support these (GL 4.6 section 11.1.1).

use super::names::{input_name, snake_case};
use super::vars::{Io, derive_at_start, load_at_start, reflected};
use crate::builder::{Home, Lane, Scalar, ValueBuilder};
use crate::reflect::{Half, InterfaceVariable};
use crate::words::ValueWord;
use glasm_ir::arena::Id;
use glasm_ir::semantic::Interpolation;
use glasm_ir::{Base, InputId, Program, Semantic, Width, WriteMask};
use spirv::{Decoration, Op, StorageClass};

/// Number of locations that correspond to attribute numbers.
// OpenGL guarantees this number (MAX_VERTEX_ATTRIBS of ARB_vertex_program), and Vulkan, too.
const ATTRIBUTES: u32 = 16;

impl Io<'_> {
    /// Loads the lanes of a 64-bit attribute that the program may read.
    pub(crate) fn load_wide(&mut self, id: InputId) -> [Lane; 4] {
        let scalar = if self.options.device.int64 {
            Scalar::U64
        } else {
            Scalar::Pair
        };
        let semantic = self.program.inputs[id].semantic;
        let has_doubles = self.options.target.is_opengl() && self.options.device.float64;
        if has_doubles && !read_narrow(self.program, semantic) {
            return self.load_doubles(semantic, scalar);
        }
        let read = lanes_read(self.program, id);
        // A half that the program does not read occupies no location.
        let mut lanes = [Lane::UNDEFINED; 4];
        for half in [Half::Low, Half::High] {
            let first = if half == Half::Low { 0 } else { 2 };
            if read >> first & 3 == 0 {
                continue;
            }
            let words = self.half_words(id, half);
            lanes[first] = load_wide_lane(self.w, words, scalar, [0, 1]);
            lanes[first + 1] = load_wide_lane(self.w, words, scalar, [2, 3]);
        }
        lanes
    }

    /// Loads the bits of four doubles.
    fn load_doubles(&mut self, semantic: Semantic, scalar: Scalar) -> [Lane; 4] {
        let number = attribute_number(semantic);
        let mut known = self.vars.inputs.doubles.iter();
        let variable = match known.find(|row| row.0 == number) {
            Some(&(_, variable)) => variable,
            None => self.declare_doubles(semantic),
        };
        let doubles = load_at_start(self.w, variable, Scalar::F64, 4);
        [0, 1, 2, 3].map(|lane| {
            let double = derive_at_start(
                self.w,
                Op::CompositeExtract,
                Scalar::F64,
                &[doubles.0, lane],
            );
            Lane::scalar(derive_at_start(self.w, Op::Bitcast, scalar, &[double.0]))
        })
    }

    fn declare_doubles(&mut self, semantic: Semantic) -> ValueWord {
        let number = attribute_number(semantic);
        let location = u32::from(number);
        // In OpenGL a vertex input of any type has one location, in Vulkan four doubles have two.
        let ty = self.w.ty(Scalar::F64, 4);
        let variable = self.variable(StorageClass::Input, ty);
        self.w.decorate(variable, Decoration::Location, &[location]);
        self.w
            .name(variable, || input_name(self.program.stage, semantic));
        self.vars.inputs.doubles.push((number, variable));
        self.vars.reflected.inputs.push(InterfaceVariable {
            semantic,
            location: Some(location),
            scalar: reflected(Scalar::F64),
            components: 4,
            interpolation: Interpolation::Flat,
            half: None,
            per_vertex: false,
        });
        variable
    }

    /// Returns the four words of a half, loaded at the start of the function.
    pub(crate) fn half_words(&mut self, id: InputId, half: Half) -> ValueWord {
        let variable = self.half_variable(id, half);
        load_at_start(self.w, variable, Scalar::U32, 4)
    }

    fn half_variable(&mut self, id: InputId, half: Half) -> ValueWord {
        let semantic = self.program.inputs[id].semantic;
        let number = attribute_number(semantic);
        let mut halves = self.vars.inputs.halves.iter();
        let known = halves.find(|row| (row.0, row.1) == (number, half));
        let known = known.map(|&(_, _, variable)| variable);
        known.unwrap_or_else(|| self.declare_half(semantic, number, half))
    }

    fn declare_half(&mut self, semantic: Semantic, number: u8, half: Half) -> ValueWord {
        let location = match half {
            // Two variables of an entry point cannot have one location, and the variable of 32-bit
            // components has the number of the attribute.
            Half::Low if !read_narrow(self.program, semantic) => u32::from(number),
            Half::Low | Half::High => self.free_location(number),
        };
        let ty = self.w.ty(Scalar::U32, 4);
        let variable = self.variable(StorageClass::Input, ty);
        // Devices need not support vertex formats of 64 bits; all of them support
        // `R32G32B32A32_UINT`, the format of this variable.
        self.w.decorate(variable, Decoration::Location, &[location]);
        self.w.name(variable, || {
            let half = snake_case(&format!("{half:?}"));
            format!("{}_{half}", input_name(self.program.stage, semantic))
        });
        self.vars.inputs.halves.push((number, half, variable));
        self.vars.reflected.inputs.push(InterfaceVariable {
            interpolation: Interpolation::Flat,
            half: Some(half),
            ..InterfaceVariable::new(semantic, Some(location), Scalar::U32, 4)
        });
        variable
    }

    /// Returns a location that no attribute of the program has, for a half of attribute `number`.
    fn free_location(&self, number: u8) -> u32 {
        let mut taken = 0u32;
        for input in &self.program.inputs {
            if let Semantic::Attrib(number) = input.semantic {
                taken |= 1 << (u32::from(number) % ATTRIBUTES);
            }
        }
        for input in &self.vars.reflected.inputs {
            let location = input.location.filter(|_| input.half.is_some());
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

/// Packs two of the words of a half into a lane of 64 bits.
fn load_wide_lane(
    w: &mut ValueBuilder,
    words: ValueWord,
    scalar: Scalar,
    [low, high]: [u32; 2],
) -> Lane {
    let operands = [words.0, words.0, low, high];
    Lane::scalar(if scalar == Scalar::Pair {
        derive_at_start(w, Op::VectorShuffle, scalar, &operands)
    } else {
        let (home, op) = (Home::Prologue, Op::VectorShuffle);
        let pair = w.derive(home, op, Scalar::U32, 2, &operands);
        derive_at_start(w, Op::Bitcast, scalar, &[pair.0])
    })
}

fn attribute_number(semantic: Semantic) -> u8 {
    if let Semantic::Attrib(number) = semantic {
        number
    } else {
        0
    }
}

/// Returns true if the program also reads an attribute with 32-bit components, which yields
/// undefined values for one of the types.
fn read_narrow(program: &Program, semantic: Semantic) -> bool {
    let mut inputs = program.inputs.iter();
    inputs.any(|input| input.semantic == semantic && input.width == Width::W32)
}

/// Returns the lanes of an input that instructions read.
fn lanes_read(program: &Program, id: InputId) -> u8 {
    let mut lanes = 0;
    for src in &program.srcs {
        let Base::Input(input) = src.base else {
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
