//! First statements of compute programs, last statements of all, and the text of the script.

use super::Kind;
use super::access::{LAST, Places, SCRATCH, SHARE, STRIDE};
use super::blocks::Around;
use super::flags::Rule;
use super::instructions::literal;
use super::layout::{FILL, RESULTS, Script, words};
use super::machine::{members, whole};
use super::program::{Access, Action, Index, Inst, Operand, Place, Space, Stmt, Test, VarId};
use super::value::{F32, F64, Lane, Num, S32, U32, U64};
use std::fmt::Write;

const ALL: [bool; 4] = [true; 4];

fn lane(at: usize) -> [bool; 4] {
    std::array::from_fn(|lane| lane == at)
}

fn number(value: usize) -> Operand {
    literal(value.to_string(), Num::I(value as i128))
}

fn vector(values: [usize; 4]) -> Operand {
    let nums = values.map(|value| Num::I(value as i128));
    let texts = values.map(|value| value.to_string());
    Operand {
        place: Place::Literal(format!("{{{}}}", texts.join(", ")), nums),
        ..number(0)
    }
}

impl Script {
    fn attribute(&self, name: &str, lane: usize) -> Operand {
        let mut vars = self.writer.program.vars.iter();
        let var = vars.position(|var| var.name == format!("invocation.{name}"));
        self.writer.lane_of(var.unwrap_or(0), lane)
    }

    /// Where the invocation's parts of memory are, and first values of shared memory.
    pub(super) fn begin_compute(&mut self) {
        self.declare("TEMP own, near, junk;");
        let [own, near, junk] =
            ["own", "near", "junk"].map(|name| self.writer.variable(name, 32, None));
        let group = self.shape.group_size();
        let common = [self.shape.count() * STRIDE, group * SHARE];
        self.writer.compute = Some(Places {
            own,
            near,
            junk,
            common,
            next: 0,
        });
        if self.writer.profile.global {
            self.declare("LONG TEMP base, at;");
            self.push(Stmt::Text("PK64.U base, program.local[15];"));
        }
        let at = |it: &Self, lane| it.writer.lane_of(own, lane);
        let id = |it: &Self, name, lane| it.attribute(name, lane);
        let z = [
            id(self, "groupid", 2),
            id(self, "groupcount", 1),
            id(self, "groupid", 1),
        ];
        self.alu("MAD", U32, own, lane(0), z.to_vec());
        let y = vec![
            at(self, 0),
            id(self, "groupcount", 0),
            id(self, "groupid", 0),
        ];
        self.alu("MAD", U32, own, lane(0), y);
        let x = vec![at(self, 0), number(group), id(self, "localindex", 0)];
        self.alu("MAD", U32, own, lane(0), x);
        self.alu("MUL", U32, own, lane(0), vec![at(self, 0), number(STRIDE)]);
        let share = vec![id(self, "localindex", 0), number(SHARE)];
        self.alu("MUL", U32, own, lane(1), share);
        self.alu("MOV", U32, own, lane(2), vec![id(self, "localindex", 0)]);
        let sixteenth = vec![at(self, 2), number(16)];
        self.alu("MUL", U32, own, lane(3), sixteenth);
        self.alu(
            "ADD",
            U32,
            near,
            ALL,
            vec![at(self, 2), vector([1, 2, 3, 5])],
        );
        let itself = self.whole_operand(near);
        self.alu("MOD", U32, near, ALL, vec![itself.clone(), number(group)]);
        self.alu("MUL", U32, near, ALL, vec![itself, number(SHARE)]);
        self.begin_shared(common[1]);
    }

    /// The first invocation of a group sets the words that all change.
    fn begin_shared(&mut self, start: usize) {
        let own = self.writer.compute.map_or(0, |places| places.own);
        self.alu(
            "MOV",
            U32,
            self.spare,
            ALL,
            vec![vector([7, 300, 5, 0xff00])],
        );
        let store = |it: &Self, count, offset| {
            let access = it.access(Space::Shared, count, None, offset);
            Stmt::Store(access, it.whole_operand(it.spare))
        };
        let then = vec![store(self, 4, start), store(self, 2, start + 16)];
        let mut dest = whole(self.spare);
        dest.lanes = lane(3);
        self.push(Stmt::Inst(Inst {
            action: Action::Op(super::layout::op("SUB"), S32),
            dest,
            operands: vec![self.writer.lane_of(own, 2), number(0)],
            sets: Some(0),
            clamp: None,
            precise: false,
            suffixes: false,
        }));
        let test = Test {
            rule: Rule::Eq,
            name: "EQ",
            register: 0,
            swizzle: [3; 4],
        };
        self.push(Stmt::If(test, then, Vec::new()));
        self.push(Stmt::Barrier);
    }

    fn access(
        &self,
        space: Space,
        count: usize,
        at: Option<(VarId, usize)>,
        offset: usize,
    ) -> Access {
        Access {
            space,
            ty: U32,
            count,
            at,
            offset,
            global: self.writer.profile.global && space == Space::Output,
        }
    }

    /// The statements of the program's own.
    pub(super) fn body(&mut self) {
        let all = self.writer.machine.all();
        self.writer.budget = 12 + self.writer.rng.below(40);
        while self.writer.budget > 0 {
            let (stmts, _) = self.writer.block(all, Around::MAIN, 4);
            self.main.extend(stmts);
        }
    }

    /// Makes components numbers whose bits nobody can tell.
    fn settle(&mut self, var: VarId, element: usize, index: Index) {
        let all = self.writer.machine.all();
        let held = |it: &Self, lane: usize| -> Vec<Lane> {
            let states = &it.writer.machine.states;
            members(all)
                .map(|who| states[who].vars[var][element][lane])
                .collect()
        };
        let wide = self.writer.program.vars[var].width == 64;
        // A NaN differs from itself. Where other invocations have a denormal number, nothing is compared.
        for (wanted, name) in [(Lane::Open, "MOV"), (Lane::Nan, "SEQ"), (Lane::Nan, "MOV")] {
            let lanes: [bool; 4] = std::array::from_fn(|lane| held(self, lane).contains(&wanted));
            if lanes == [false; 4] {
                continue;
            }
            let mut dest = whole(var);
            dest.index = index;
            dest.lanes = lanes;
            let itself = Operand {
                place: Place::Var(var, index),
                ..number(0)
            };
            let (ty, operands) = match (name, wide) {
                ("MOV", true) => (U64, vec![number(0)]),
                ("MOV", false) => (U32, vec![number(0)]),
                (_, true) => (F64, vec![itself.clone(), itself]),
                (_, false) => (F32, vec![itself.clone(), itself]),
            };
            self.try_push(Stmt::Inst(Inst {
                action: Action::Op(super::layout::op(name), ty),
                dest,
                operands,
                sets: None,
                clamp: None,
                precise: false,
                suffixes: false,
            }));
        }
    }

    /// Everything that instructions have written, element by element.
    fn last_values(&mut self) -> Vec<(VarId, Index, u32)> {
        let mut values = Vec::new();
        for slot in self.writer.slots.clone() {
            if !slot.writes || !slot.reads {
                continue;
            }
            let var = &self.writer.program.vars[slot.var];
            let (width, elements) = (var.width, var.elements);
            for element in 0..elements.unwrap_or(1) {
                let index = elements.map_or(Index::None, |_| Index::Constant(element));
                self.settle(slot.var, element, index);
                values.push((slot.var, index, width));
            }
        }
        values
    }

    /// The last statements.
    pub(super) fn end(&mut self) {
        let values = self.last_values();
        match self.kind {
            Kind::Compute => self.end_compute(&values),
            Kind::Vertex | Kind::Fragment => self.end_draw(values),
        }
        self.writer.program.main = std::mem::take(&mut self.main);
    }

    fn end_compute(&mut self, values: &[(VarId, Index, u32)]) {
        let Some(places) = self.writer.compute else {
            return;
        };
        let own = Some((places.own, 0));
        let mut next = LAST;
        for &(var, index, width) in values {
            let mut access = self.access(Space::Output, 4, own, next);
            access.ty = if width == 64 { U64 } else { U32 };
            let operand = Operand {
                place: Place::Var(var, index),
                ..number(0)
            };
            self.push(Stmt::Store(access, operand));
            next += access.bytes();
        }
        self.push(Stmt::Barrier);
        for (count, offset) in [(4, 0), (2, 16)] {
            let load = self.access(Space::Shared, count, None, places.common[1] + offset);
            self.push(Stmt::Inst(Inst {
                action: Action::Load(load),
                dest: whole(self.spare),
                operands: Vec::new(),
                sets: None,
                clamp: None,
                precise: false,
                suffixes: false,
            }));
            let store = self.access(Space::Output, 4, own, next);
            self.push(Stmt::Store(store, self.whole_operand(self.spare)));
            next += 16;
        }
        debug_assert!(next <= SCRATCH, "last values reach into the scratch area");
    }

    /// What is left of results shows registers.
    fn end_draw(&mut self, mut values: Vec<(VarId, Index, u32)>) {
        let direct = self.writer.results.len();
        for number in direct..RESULTS {
            let name = self.result_name(number);
            let result = self.writer.variable(&name, 32, None);
            self.writer.results.push(result);
            let at = self.writer.rng.below(values.len().max(1));
            if values.is_empty() {
                self.alu("MOV", U32, result, ALL, vec![vector([number; 4])]);
                continue;
            }
            let (var, index, width) = values.swap_remove(at);
            let operand = Operand {
                place: Place::Var(var, index),
                ..literal(String::new(), Num::I(0))
            };
            if width == 64 {
                let swizzle = *self
                    .writer
                    .rng
                    .pick(&[[0, 1, 0, 1], [2, 3, 2, 3], [3, 0, 0, 0]]);
                self.alu(
                    "UP64",
                    U32,
                    result,
                    ALL,
                    vec![Operand { swizzle, ..operand }],
                );
            } else {
                self.alu("MOV", U32, result, ALL, vec![operand]);
            }
        }
    }

    /// Results that instructions write, and the statements that a vertex program needs.
    pub(super) fn results(&mut self) {
        if self.kind == Kind::Vertex {
            self.push(Stmt::Text("MOV result.position, vertex.attrib[0];"));
            self.push(Stmt::Text("MOV result.pointsize.x, 1;"));
        }
        if self.kind == Kind::Compute {
            return;
        }
        for number in 0..self.writer.rng.below(3) {
            let name = self.result_name(number);
            let var = self.writer.variable(&name, 32, None);
            self.writer.results.push(var);
            let class = *self
                .writer
                .rng
                .pick(&[super::values::Class::Float, super::values::Class::Int]);
            self.writer.slots.push(super::writer::Slot {
                var,
                class,
                reads: false,
                writes: true,
            });
        }
    }

    fn result_name(&self, number: usize) -> String {
        match self.kind {
            Kind::Fragment => format!("result.color[{number}]"),
            Kind::Vertex | Kind::Compute => format!("result.attrib[{number}]"),
        }
    }

    /// The script.
    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "# A random {:?} program, seed {}.\n# What it must give was computed by arithmetic of the tests.\n\n[require]\n",
            self.kind, self.seed
        );
        let profile = self.writer.profile;
        // Integers of 64 bits are emulated for many programs; the compiler tells for which they are not.
        for (needed, feature) in [
            (profile.double, "shaderFloat64"),
            (profile.global, "bufferDeviceAddress"),
        ] {
            if needed {
                let _ = writeln!(text, "{feature}");
            }
        }
        match self.kind {
            Kind::Compute => self.compute_text(&mut text),
            Kind::Vertex | Kind::Fragment => self.draw_text(&mut text),
        }
        text
    }

    fn program_text(&self) -> String {
        let header = match (self.kind, self.writer.profile.version) {
            (Kind::Vertex, 40) => "!!NVvp4.0",
            (Kind::Vertex, _) => "!!NVvp5.0",
            (Kind::Fragment, 40) => "!!NVfp4.0",
            (Kind::Fragment, _) => "!!NVfp5.0",
            (Kind::Compute, _) => "!!NVcp5.0",
        };
        let mut options = String::new();
        match self.kind {
            Kind::Vertex => {}
            Kind::Fragment => options.push_str("OPTION ARB_draw_buffers;\n"),
            Kind::Compute => {
                let [x, y, z] = self.shape.group;
                let shared = self.shape.group_size() * SHARE + 32;
                let _ = write!(
                    options,
                    "OPTION NV_shader_storage_buffer;\nGROUP_SIZE {x} {y} {z};\nSHARED_MEMORY {shared};\n\
                     SHARED shared[] = {{ program.sharedmem }};\nSTORAGE given[] = {{ program.storage[0] }};\n\
                     STORAGE out[] = {{ program.storage[1] }};\n"
                );
            }
        }
        format!(
            "{header}\n{options}{}{}END\n",
            self.declarations, self.writer.program
        )
    }

    fn compute_text(&self, text: &mut String) {
        let [x, y, z] = self.shape.groups;
        let memory = &self.writer.machine.memory;
        let contents = memory.out.contents();
        let _ = write!(
            text,
            "\n[compute program]\n{}\n[test]\n{}buffer given data uint 0 {}\nbuffer out size {}\nbuffer out fill uint 0x{FILL:x}\n\
             bind ssbo 0 given\nbind ssbo 1 out\n",
            self.program_text(),
            self.commands,
            words(&memory.given),
            contents.len()
        );
        if self.writer.profile.global {
            text.push_str("parameter local_cp 15 address given out\n");
        }
        let _ = writeln!(text, "compute {x} {y} {z}");
        text.push_str(&buffer_probes(&contents));
    }

    fn draw_text(&self, text: &mut String) {
        let _ = writeln!(text, "fbsize {} 1", self.shape.count());
        for number in 0..RESULTS {
            let _ = writeln!(text, "framebuffer {number} R32G32B32A32_UINT");
        }
        let program = self.program_text();
        let (vertex, fragment) = match self.kind {
            Kind::Fragment => (self.passing_vertex(), program),
            Kind::Vertex | Kind::Compute => (program, showing_fragment()),
        };
        let _ = write!(
            text,
            "\n[vertex program]\n{vertex}\n[fragment program]\n{fragment}\n"
        );
        self.vertex_data(text);
        let _ = write!(
            text,
            "\n[test]\n{}draw arrays POINTS 0 {}\n",
            self.commands,
            self.shape.count()
        );
        for (who, state) in self.writer.machine.states.iter().enumerate() {
            for (number, var) in self.writer.results.iter().enumerate() {
                let bits = state.vars[*var][0].map(|lane| match lane {
                    Lane::Bits(bits) => format!("0x{bits:x}"),
                    Lane::Nan | Lane::Open => "open".to_owned(),
                });
                let _ = writeln!(
                    text,
                    "probe attachment {number} rgba {who} 0 {}",
                    bits.join(" ")
                );
            }
        }
    }

    fn passing_vertex(&self) -> String {
        let mut text =
            "!!NVvp4.0\nMOV result.position, vertex.attrib[0];\nMOV result.pointsize.x, 1;\n"
                .to_owned();
        for number in 0..self.columns.len() {
            let _ = writeln!(
                text,
                "MOV.U result.attrib[{number}], vertex.attrib[{}];",
                number + 1
            );
        }
        text.push_str("END\n");
        text
    }

    fn vertex_data(&self, text: &mut String) {
        text.push_str("[vertex data]\n0/R32G32_SFLOAT");
        for (number, (format, _)) in self.columns.iter().enumerate() {
            let _ = write!(text, " {}/{format}", number + 1);
        }
        text.push('\n');
        let count = self.shape.count();
        for who in 0..count {
            let x = (2 * who + 1) as f64 / count as f64 - 1.0;
            let _ = write!(text, "{x:?} 0");
            for (_, rows) in &self.columns {
                let words = rows[who].map(|word| format!("0x{word:x}"));
                let _ = write!(text, "  {}", words.join(" "));
            }
            text.push('\n');
        }
    }
}

/// The fragment program of scripts for vertex programs.
fn showing_fragment() -> String {
    let mut text = "!!NVfp4.0\nOPTION ARB_draw_buffers;\n".to_owned();
    for number in 0..RESULTS {
        let _ = writeln!(text, "FLAT ATTRIB a{number} = fragment.attrib[{number}];");
    }
    for number in 0..RESULTS {
        let _ = writeln!(text, "MOV.U result.color[{number}], a{number};");
    }
    text.push_str("END\n");
    text
}

/// Probes of the whole buffer: what nobody has written, in lines of any length, and words.
fn buffer_probes(contents: &[u8]) -> String {
    const LINE: usize = 64;
    let mut text = String::new();
    let untouched = |line: &[u8]| line.chunks(4).all(|word| word == FILL.to_le_bytes());
    let mut filled = 0;
    for (number, line) in contents.chunks(LINE).enumerate() {
        let last = LINE * (number + 1) >= contents.len();
        if untouched(line) {
            filled += line.len();
        }
        let start = LINE * number + if untouched(line) { line.len() } else { 0 } - filled;
        if filled > 0 && (!untouched(line) || last) {
            let count = filled / 4;
            let _ = writeln!(
                text,
                "probe buffer out uint {start} == 0x{FILL:x} x {count}"
            );
            filled = 0;
        }
        if !untouched(line) {
            let _ = writeln!(
                text,
                "probe buffer out uint {} == {}",
                LINE * number,
                words(line)
            );
        }
    }
    text
}
