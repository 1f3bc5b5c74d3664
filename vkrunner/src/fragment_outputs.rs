//! Color attachments that a fragment module writes. Pure.

use std::collections::HashMap;

const HEADER_WORDS: usize = 5;
const OP_ENTRY_POINT: u32 = 15;
const OP_TYPE_ARRAY: u32 = 28;
const OP_TYPE_POINTER: u32 = 32;
const OP_CONSTANT: u32 = 43;
const OP_VARIABLE: u32 = 59;
const OP_DECORATE: u32 = 71;
const EXECUTION_MODEL_FRAGMENT: u32 = 4;
const STORAGE_OUTPUT: u32 = 3;
const DECORATION_LOCATION: u32 = 30;

/// Color attachments that the fragment entry points of a module write.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct FragmentOutputs {
    /// Names of entry points, each with bits for locations.
    entry_points: Vec<(Vec<u8>, u32)>,
}

impl FragmentOutputs {
    /// Reads the outputs of a module; none if it has no fragment entry point, or is not a module.
    pub(crate) fn from_module(words: &[u32]) -> Self {
        let facts = collect_declarations(words);
        let entry_points = facts.entry_points.iter().map(|(name, interface)| {
            let outputs = facts.outputs.iter();
            let used = outputs.filter(|(variable, _)| interface.contains(variable));
            let written = used.fold(0, |all, (variable, pointer)| {
                all | facts.variable_locations(*variable, *pointer)
            });
            (name.clone(), written)
        });
        Self {
            entry_points: entry_points.collect(),
        }
    }

    /// Returns one more than the highest location that any fragment entry point writes; 0 if none
    /// writes any.
    pub(crate) fn count(&self) -> usize {
        let all = self.entry_points.iter().fold(0, |all, (_, it)| all | it);
        (u32::BITS - all.leading_zeros()) as usize
    }

    /// Returns the locations that a fragment entry point writes, bit N for location N; 0 if the
    /// module has no entry point of this name.
    pub(crate) fn written_by(&self, entry_point: &[u8]) -> u32 {
        let mut found = self.entry_points.iter();
        found
            .find(|(name, _)| name == entry_point)
            .map_or(0, |(_, written)| *written)
    }
}

/// Declarations of a module that determine its fragment outputs.
#[derive(Default)]
struct OutputDeclarations {
    /// Names of fragment entry points with the variables that they use.
    entry_points: Vec<(Vec<u8>, Vec<u32>)>,
    /// Ids of output variables with the ids of their pointer types.
    outputs: Vec<(u32, u32)>,
    locations: HashMap<u32, u32>,
    /// Pointee types of pointer types.
    pointers: HashMap<u32, u32>,
    /// Lengths of array types, as ids of constants.
    arrays: HashMap<u32, u32>,
    constants: HashMap<u32, u32>,
}

impl OutputDeclarations {
    /// Returns the locations of an output variable as a mask, bit N for location N: one for each
    /// element of an array. Empty if the variable has no location, as built-ins do. `pointer` is
    /// the id of its pointer type.
    fn variable_locations(&self, variable: u32, pointer: u32) -> u32 {
        let Some(location) = self.locations.get(&variable) else {
            return 0;
        };
        let length = self
            .pointers
            .get(&pointer)
            .and_then(|target| self.arrays.get(target))
            .and_then(|length| self.constants.get(length))
            .map_or(1, |length| *length);
        (0..length.min(u32::BITS)).fold(0, |all, element| {
            let location = location.saturating_add(element);
            all | 1u32.checked_shl(location).unwrap_or(0)
        })
    }
}

/// Returns a string of SPIR-V without its terminating zero byte, and the words after it.
fn split_string(words: &[u32]) -> (Vec<u8>, &[u32]) {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let name: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
    let rest = words.get(name.len() / 4 + 1..).unwrap_or_default();
    (name, rest)
}

/// Collects the declarations that determine the fragment outputs of a module. Stops at the first
/// malformed instruction.
fn collect_declarations(words: &[u32]) -> OutputDeclarations {
    let mut facts = OutputDeclarations::default();
    let mut rest = words.get(HEADER_WORDS..).unwrap_or_default();
    while let Some(first) = rest.first() {
        let length = (first >> 16) as usize;
        let Some(operands) = rest.get(1..length) else {
            break;
        };
        facts.add_instruction(first & 0xffff, operands);
        rest = &rest[length..];
    }
    facts
}

impl OutputDeclarations {
    /// Records the fragment entry point, output variable, location, pointer type, array type or
    /// 32-bit constant that an instruction of the module declares; ignores all other instructions.
    fn add_instruction(&mut self, opcode: u32, operands: &[u32]) {
        match (opcode, operands) {
            (OP_ENTRY_POINT, [EXECUTION_MODEL_FRAGMENT, _, rest @ ..]) => {
                let (name, interface) = split_string(rest);
                self.entry_points.push((name, interface.to_vec()));
            }
            (OP_VARIABLE, [pointer, id, STORAGE_OUTPUT, ..]) => self.outputs.push((*id, *pointer)),
            (OP_DECORATE, [id, DECORATION_LOCATION, location]) => {
                self.locations.insert(*id, *location);
            }
            (OP_TYPE_POINTER, [id, _, target]) => {
                self.pointers.insert(*id, *target);
            }
            (OP_TYPE_ARRAY, [id, _, length]) => {
                self.arrays.insert(*id, *length);
            }
            (OP_CONSTANT, [_, id, value]) => {
                self.constants.insert(*id, *value);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a module of instructions, each an opcode with its operands.
    fn module(instructions: &[(u32, &[u32])]) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0300, 0, 100, 0];
        for (opcode, operands) in instructions {
            words.push((operands.len() as u32 + 1) << 16 | opcode);
            words.extend_from_slice(operands);
        }
        words
    }

    const ENTRY: (u32, &[u32]) = (OP_ENTRY_POINT, &[4, 1, 0x6e69_616d, 0, 10, 11, 12, 13]);

    #[test]
    fn outputs_have_locations() {
        let words = module(&[
            ENTRY,
            (OP_DECORATE, &[10, DECORATION_LOCATION, 0]),
            (OP_DECORATE, &[11, DECORATION_LOCATION, 3]),
            (OP_DECORATE, &[12, DECORATION_LOCATION, 5]),
            (OP_TYPE_POINTER, &[20, 3, 30]),
            (OP_VARIABLE, &[20, 10, STORAGE_OUTPUT]),
            (OP_VARIABLE, &[20, 11, STORAGE_OUTPUT]),
            // An input, and an output that is a built-in.
            (OP_VARIABLE, &[21, 12, 1]),
            (OP_VARIABLE, &[20, 13, STORAGE_OUTPUT]),
        ]);
        assert_eq!(
            FragmentOutputs::from_module(&words).written_by(b"main"),
            0b1001
        );
        assert_eq!(FragmentOutputs::from_module(&words).written_by(b"other"), 0);
    }

    #[test]
    fn entry_points_write_what_they_use() {
        let words = module(&[
            (OP_ENTRY_POINT, &[4, 1, 0x61, 10]),
            (OP_ENTRY_POINT, &[4, 2, 0x6463_6261, 0x65, 11]),
            (OP_DECORATE, &[10, DECORATION_LOCATION, 0]),
            (OP_DECORATE, &[11, DECORATION_LOCATION, 1]),
            (OP_VARIABLE, &[20, 10, STORAGE_OUTPUT]),
            (OP_VARIABLE, &[20, 11, STORAGE_OUTPUT]),
        ]);
        let outputs = FragmentOutputs::from_module(&words);
        assert_eq!(outputs.written_by(b"a"), 0b01);
        assert_eq!(outputs.written_by(b"abcde"), 0b10);
        assert_eq!(outputs.count(), 2);
        assert_eq!(FragmentOutputs::default().count(), 0);
    }

    #[test]
    fn arrays_take_a_location_for_each_element() {
        let words = module(&[
            ENTRY,
            (OP_DECORATE, &[10, DECORATION_LOCATION, 1]),
            (OP_CONSTANT, &[40, 41, 3]),
            (OP_TYPE_ARRAY, &[31, 30, 41]),
            (OP_TYPE_POINTER, &[20, 3, 31]),
            (OP_VARIABLE, &[20, 10, STORAGE_OUTPUT]),
        ]);
        assert_eq!(
            FragmentOutputs::from_module(&words).written_by(b"main"),
            0b1110
        );
    }

    #[test]
    fn other_modules_and_broken_ones_write_nothing() {
        let vertex = module(&[
            (OP_ENTRY_POINT, &[0, 1, 0x6e69_616d, 0]),
            (OP_DECORATE, &[10, DECORATION_LOCATION, 0]),
            (OP_VARIABLE, &[20, 10, STORAGE_OUTPUT]),
        ]);
        assert_eq!(FragmentOutputs::from_module(&vertex).written_by(b"main"), 0);
        let far = module(&[
            ENTRY,
            (OP_DECORATE, &[10, DECORATION_LOCATION, u32::MAX]),
            (OP_VARIABLE, &[20, 10, STORAGE_OUTPUT]),
        ]);
        for words in [
            &far[..],
            &far[..9],
            &[],
            &[1, 2, 3],
            &[0; 9],
            &[u32::MAX; 9],
        ] {
            assert_eq!(FragmentOutputs::from_module(words).written_by(b"main"), 0);
        }
    }
}
