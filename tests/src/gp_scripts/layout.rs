//! What stands around the instructions: declarations, first and last statements, and the script with its expected values.

use super::Kind;
use super::access::{GIVEN, SHARE, STRIDE};
use super::instructions::literal;
use super::machine::{Machine, Memory, whole};
use super::memory::Region;
use super::ops::{OPS, Op};
use super::program::{Action, Dest, Index, Inst, Operand, Place, Program, Stmt, VarId};
use super::state::State;
use super::value::{F32, Lane, Num, S32, Type, U32, U64};
use super::values::{self, Class};
use super::writer::{Profile, Slot, Writer};
use crate::rng::Rng;
use std::fmt::Write;

// Writing into a String cannot fail, so the results of `write!` are dropped in this file.

/// The operation of this name.
pub(super) fn op(name: &str) -> &'static Op {
    let mut ops = OPS.iter();
    ops.find(|op| op.name == name)
        .unwrap_or_else(|| unreachable!("{name} is in the table"))
}

/// Results that a vertex or fragment program writes.
pub(super) const RESULTS: usize = 8;
/// What the written buffer holds before.
pub(super) const FILL: u32 = 0x80c0_a001;

/// Sizes of a dispatch, or the points of a draw.
pub(super) struct Shape {
    pub(super) group: [usize; 3],
    pub(super) groups: [usize; 3],
}

impl Shape {
    fn new(rng: &mut Rng, kind: Kind) -> Self {
        if kind != Kind::Compute {
            return Self {
                group: [4 + rng.below(5), 1, 1],
                groups: [1; 3],
            };
        }
        // Drivers for CPUs run 4 or 8 invocations in step: only in larger groups do barriers matter.
        let group = *rng.pick(&[
            [1, 1, 1],
            [4, 1, 1],
            [8, 1, 1],
            [3, 2, 1],
            [2, 2, 2],
            [12, 1, 1],
            [5, 2, 2],
            [16, 1, 1],
        ]);
        let groups = *rng.pick(&[[1, 1, 1], [2, 1, 1], [1, 2, 1], [1, 1, 2], [3, 1, 1]]);
        Self { group, groups }
    }

    pub(super) fn group_size(&self) -> usize {
        self.group.iter().product()
    }

    pub(super) fn count(&self) -> usize {
        self.group_size() * self.groups.iter().product::<usize>()
    }

    /// The place of invocation `who` in its group, and that of its group.
    fn ids(&self, who: usize) -> ([usize; 3], [usize; 3]) {
        let place = |at: usize, size: [usize; 3]| {
            [at % size[0], at / size[0] % size[1], at / size[0] / size[1]]
        };
        let (group, local) = (who / self.group_size(), who % self.group_size());
        (place(local, self.group), place(group, self.groups))
    }
}

/// A script while it is written.
pub(super) struct Script {
    pub(super) writer: Writer,
    pub(super) kind: Kind,
    pub(super) shape: Shape,
    pub(super) seed: u64,
    /// Lines that declare variables.
    pub(super) declarations: String,
    /// Lines that set what programs read.
    pub(super) commands: String,
    /// Columns of the vertex data: header, and the words of each vertex.
    pub(super) columns: Vec<(&'static str, Vec<[u32; 4]>)>,
    /// A temporary that instructions do not choose.
    pub(super) spare: VarId,
    pub(super) main: Vec<Stmt>,
}

/// Random bytes that words and longs of all kinds are read from.
fn bytes(rng: &mut Rng, profile: Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < GIVEN {
        let mut classes = vec![Class::Float, Class::Int];
        classes.extend(profile.double.then_some(Class::Double));
        classes.extend(profile.long.then_some(Class::Long));
        let class = *rng.pick(&classes);
        for _ in 0..16 / (class.width() / 8) {
            let word = values::bits(rng, class).to_le_bytes();
            bytes.extend(&word[..class.width() as usize / 8]);
        }
    }
    bytes
}

/// Words in hexadecimal.
pub(super) fn words(bytes: &[u8]) -> String {
    let words = bytes.chunks_exact(4).map(|word| {
        let word = word
            .iter()
            .rev()
            .fold(0u32, |value, byte| value << 8 | u32::from(*byte));
        format!("0x{word:x}")
    });
    words.collect::<Vec<_>>().join(" ")
}

impl Script {
    pub(super) fn new(seed: u64, kind: Kind, profile: Profile) -> Self {
        // Kinds of one seed have programs of their own.
        let mut rng = Rng::new(seed.wrapping_mul(3).wrapping_add(kind as u64));
        let shape = Shape::new(&mut rng, kind);
        let common = shape.count() * STRIDE;
        let out: Vec<u8> = FILL.to_le_bytes().repeat((common + 32) / 4);
        let memory = Memory {
            constants: bytes(&mut rng, profile),
            given: bytes(&mut rng, profile),
            out: Region::known(&out),
            shared: vec![
                Region::unknown(shape.group_size() * SHARE + 32);
                shape.groups.iter().product()
            ],
        };
        let states = vec![State::new(Vec::new()); shape.count()];
        let program = Program {
            vars: Vec::new(),
            main: Vec::new(),
            routines: Vec::new(),
        };
        let writer = Writer {
            rng,
            profile,
            program,
            machine: Machine::new(states, memory, shape.group_size()),
            slots: Vec::new(),
            indices: 0,
            offsets: 0,
            counters: Vec::new(),
            results: Vec::new(),
            compute: None,
            open_routines: 0,
            budget: 0,
        };
        Self {
            writer,
            kind,
            shape,
            seed,
            declarations: String::new(),
            commands: String::new(),
            columns: Vec::new(),
            spare: 0,
            main: Vec::new(),
        }
    }

    pub(super) fn declare(&mut self, line: &str) {
        self.declarations.push_str(line);
        self.declarations.push('\n');
    }

    /// Sets an element of a variable that all invocations read alike.
    fn fill(&mut self, var: VarId, element: usize, bits: [u64; 4]) {
        for state in &mut self.writer.machine.states {
            state.vars[var][element] = bits.map(Lane::Bits);
        }
    }

    /// Variables that programs read: parameters and buffers.
    pub(super) fn parameters(&mut self) {
        let stage = ["vp", "fp", "cp"][self.kind as usize];
        let count = 4;
        for (name, bank, class) in [("pf", "local", Class::Float), ("pi", "env", Class::Int)] {
            self.declare(&format!(
                "PARAM {name}[] = {{ program.{bank}[0..{}] }};",
                count - 1
            ));
            let var = self.writer.variable(name, 32, Some(count));
            for element in 0..count {
                let bits = std::array::from_fn(|_| values::bits(&mut self.writer.rng, class));
                self.fill(var, element, bits);
                let _ = writeln!(
                    self.commands,
                    "parameter {bank}_{stage} {element} uint ({})",
                    bits.map(|word| format!("0x{word:x}")).join(", ")
                );
            }
            self.readable(var, class);
        }
        self.declare("BUFFER4 pb[] = { program.buffer[2][0..5] };");
        let var = self.writer.variable("pb", 32, Some(6));
        let contents = bytes(
            &mut self.writer.rng,
            Profile {
                long: false,
                double: false,
                ..self.writer.profile
            },
        );
        for (element, vector) in contents.chunks_exact(16).take(6).enumerate() {
            let word = |lane: usize| {
                let bytes: [u8; 4] = std::array::from_fn(|byte| vector[4 * lane + byte]);
                u64::from(u32::from_le_bytes(bytes))
            };
            self.fill(var, element, std::array::from_fn(word));
        }
        let _ = writeln!(
            self.commands,
            "ubo layout std430\nubo 2 data uint 0 {}",
            words(&contents)
        );
        self.readable(var, Class::Float);
        if self.writer.profile.version == 50 {
            self.declare("CBUFFER constants[] = { program.buffer[3] };");
            let _ = writeln!(
                self.commands,
                "ubo 3 data uint 0 {}",
                words(&self.writer.machine.memory.constants)
            );
        }
    }

    fn readable(&mut self, var: VarId, class: Class) {
        self.writer.slots.push(Slot {
            var,
            class,
            reads: true,
            writes: false,
        });
    }

    /// What differs between invocations.
    pub(super) fn attributes(&mut self) {
        if self.kind == Kind::Compute {
            return self.invocation_attributes();
        }
        let formats = [
            ("R32G32B32A32_SFLOAT", Class::Float),
            ("R32G32B32A32_SFLOAT", Class::Float),
            ("R32G32B32A32_UINT", Class::Int),
            ("R32G32B32A32_UINT", Class::Int),
        ];
        for (number, (format, class)) in formats.into_iter().enumerate() {
            let name = match self.kind {
                Kind::Fragment => {
                    self.declare(&format!(
                        "FLAT ATTRIB a{number} = fragment.attrib[{number}];"
                    ));
                    format!("a{number}")
                }
                Kind::Vertex | Kind::Compute => format!("vertex.attrib[{}]", number + 1),
            };
            let var = self.writer.variable(&name, 32, None);
            let mut rows = Vec::new();
            for who in 0..self.shape.count() {
                let bits: [u64; 4] =
                    std::array::from_fn(|_| values::bits(&mut self.writer.rng, class));
                self.writer.machine.states[who].vars[var][0] = bits.map(Lane::Bits);
                rows.push(bits.map(|word| word as u32));
            }
            self.columns.push((format, rows));
            self.readable(var, class);
        }
    }

    fn invocation_attributes(&mut self) {
        let (group, groups) = (self.shape.group, self.shape.groups);
        let names = [
            "localid",
            "globalid",
            "groupid",
            "groupcount",
            "groupsize",
            "localindex",
        ];
        for name in names {
            let var = self
                .writer
                .variable(&format!("invocation.{name}"), 32, None);
            for who in 0..self.shape.count() {
                let (local, at) = self.shape.ids(who);
                let vector = match name {
                    "localid" => local,
                    "globalid" => std::array::from_fn(|lane| at[lane] * group[lane] + local[lane]),
                    "groupid" => at,
                    "groupcount" => groups,
                    "groupsize" => group,
                    _ => [who % self.shape.group_size(), 0, 0],
                };
                let held = &mut self.writer.machine.states[who].vars[var][0];
                let known = if name == "localindex" { 1 } else { 3 };
                for lane in 0..known {
                    held[lane] = Lane::Bits(vector[lane] as u64);
                }
            }
            self.readable(var, Class::Int);
        }
    }

    /// Temporaries.
    pub(super) fn temporaries(&mut self) {
        let profile = self.writer.profile;
        let mut names = vec![("f", Class::Float, 3), ("i", Class::Int, 3)];
        names.extend(profile.double.then_some(("d", Class::Double, 2)));
        names.extend(profile.long.then_some(("l", Class::Long, 2)));
        for (name, class, count) in names {
            for number in 0..count {
                self.temporary(&format!("{name}{number}"), class, None);
            }
        }
        self.temporary("fa", Class::Float, Some(4));
        self.temporary("ia", Class::Int, Some(4));
        self.declare("TEMP index, offset, count0, count1, count2, t;");
        self.spare = self.writer.variable("t", 32, None);
        self.writer.indices = self.writer.variable("index", 32, None);
        self.writer.offsets = self.writer.variable("offset", 32, None);
        self.writer.counters = (0..3)
            .map(|number| self.writer.variable(&format!("count{number}"), 32, None))
            .collect();
    }

    fn temporary(&mut self, name: &str, class: Class, elements: Option<usize>) {
        let wide = if class.width() == 64 { "LONG " } else { "" };
        let array = elements.map_or(String::new(), |count| format!("[{count}]"));
        self.declare(&format!("{wide}TEMP {name}{array};"));
        let var = self.writer.variable(name, class.width(), elements);
        self.writer.slots.push(Slot {
            var,
            class,
            reads: true,
            writes: true,
        });
    }

    /// A statement that must work.
    pub(super) fn push(&mut self, stmt: Stmt) {
        let done = self.try_push(stmt);
        debug_assert!(done, "a first or last statement is open");
    }

    /// Whether a statement works; then it stands in the program.
    pub(super) fn try_push(&mut self, stmt: Stmt) -> bool {
        self.writer.machine.rest();
        let done = self.writer.accepts(&stmt, self.writer.machine.all());
        if done {
            self.main.push(stmt);
        }
        done
    }

    pub(super) fn alu(
        &mut self,
        name: &str,
        ty: Type,
        var: VarId,
        lanes: [bool; 4],
        operands: Vec<Operand>,
    ) {
        let dest = Dest {
            lanes,
            ..whole(var)
        };
        self.alu_to(name, ty, dest, operands);
    }

    fn alu_to(&mut self, name: &str, ty: Type, dest: Dest, operands: Vec<Operand>) {
        self.push(Stmt::Inst(Inst {
            action: Action::Op(op(name), ty),
            dest,
            operands,
            sets: None,
            clamp: None,
            precise: false,
            suffixes: false,
        }));
    }

    /// First values of all variables.
    pub(super) fn begin(&mut self) {
        if self.kind == Kind::Compute {
            self.begin_compute();
        }
        for slot in self.writer.slots.clone() {
            if !slot.writes {
                continue;
            }
            let elements = self.writer.program.vars[slot.var].elements;
            for element in 0..elements.unwrap_or(1) {
                self.first_value(slot, elements.map(|_| element));
            }
        }
        for (var, name) in [(self.writer.indices, "AND"), (self.writer.offsets, "SHL")] {
            let (from, by) = match name {
                "AND" => (self.any_of(Class::Int), 3),
                _ => (self.whole_operand(self.writer.indices), 4),
            };
            let by = literal(by.to_string(), Num::I(by));
            self.alu(name, U32, var, [true; 4], vec![from, by]);
        }
        for register in 0..2 {
            let stmt = self.writer.first_accepted(self.writer.machine.all(), |it| {
                let Some(Stmt::Inst(inst)) = it.instruction() else { return None };
                let sums = matches!(inst.action, Action::Op(op, S32 | U32) if op.sums != super::ops::Sums::No);
                let mut dest = whole(inst.dest.var);
                dest.index = inst.dest.index;
                sums.then_some(Stmt::Inst(Inst { sets: Some(register), dest, ..inst }))
            });
            self.main.extend(stmt);
        }
    }

    pub(super) fn whole_operand(&self, var: VarId) -> Operand {
        Operand {
            place: Place::Var(var, Index::None),
            ..literal(String::new(), Num::I(0))
        }
    }

    /// A variable that is only read, of this class, or a constant.
    fn any_of(&mut self, class: Class) -> Operand {
        let fits = |slot: &&Slot| slot.class == class && !slot.writes;
        let slots: Vec<Slot> = self.writer.slots.iter().filter(fits).copied().collect();
        let slot = *self.writer.rng.pick(&slots);
        let elements = self.writer.program.vars[slot.var].elements;
        let element = self.writer.rng.below(elements.unwrap_or(1));
        let index = elements.map_or(Index::None, |_| Index::Constant(element));
        // Not all components of attributes are known.
        let held = self.writer.machine.states[0].vars[slot.var][element];
        let swizzle = std::array::from_fn(|lane| if held[lane] == Lane::Open { 0 } else { lane });
        Operand {
            place: Place::Var(slot.var, index),
            swizzle,
            ..literal(String::new(), Num::I(0))
        }
    }

    fn first_value(&mut self, slot: Slot, element: Option<usize>) {
        let index = element.map_or(Index::None, Index::Constant);
        let all = self.writer.machine.all();
        let stmt = self.writer.first_accepted(all, |it| {
            if let Some(stmt) = it.first_load(slot, index) {
                return Some(stmt);
            }
            let (name, ty) = match slot.class {
                Class::Float => ("MOV", F32),
                Class::Int => ("MOV", S32),
                Class::Double => ("PK64", F32),
                Class::Long => ("PK64", U32),
            };
            let from = if name == "MOV" { ty } else { U32 };
            let source = it.slot(from, |slot| !slot.writes);
            let index_of = it.program.vars[source.var]
                .elements
                .map_or(Index::None, |count| Index::Constant(it.rng.below(count)));
            let mut dest = whole(slot.var);
            dest.index = index;
            Some(Stmt::Inst(Inst {
                action: Action::Op(op(name), ty),
                dest,
                operands: vec![Operand {
                    place: Place::Var(source.var, index_of),
                    ..literal(String::new(), Num::I(0))
                }],
                sets: None,
                clamp: None,
                precise: false,
                suffixes: false,
            }))
        });
        let Some(stmt) = stmt else {
            let ty = if slot.class.width() == 64 { U64 } else { U32 };
            let mut dest = whole(slot.var);
            dest.index = index;
            return self.alu_to("MOV", ty, dest, vec![literal("0".to_owned(), Num::I(0))]);
        };
        self.main.push(stmt);
    }
}
