//! Initial values of results: (0, 0, 0, 1), as the compiler defines them for components that a
//! program does not write. The registers of the interpreter are initially 0.

use glasm::ir::arena::LiteralId;
use glasm::ir::operand::{Index, IndexTerm};
use glasm::ir::{
    BaseType, Block, Dst, Id, Inst, InstData, InstFlags, Node, Op, OperandBase, Program,
    RegisterId, Span, Src, Stage, Type, Width, WriteMask,
};

/// Adds instructions to the start of a program that set its results to (0, 0, 0, 1). Results of
/// tessellation control programs, which several invocations write, remain unchanged.
pub(super) fn add_initial_results(program: &mut Program) {
    if program.stage == Stage::TessControl {
        return;
    }
    let registers: Vec<(RegisterId, usize)> = program
        .output_registers()
        .filter(|(id, _)| program.registers[*id].width == Width::W32)
        .flat_map(|(id, outputs)| outputs.enumerate().map(move |(element, _)| (id, element)))
        .collect();
    let first = program.insts.len() as u32;
    for (register, element) in registers {
        append_initial_value(program, register, element);
    }
    let len = program.insts.len() as u32 - first;
    if len == 0 {
        return;
    }
    // The nodes of the main routine are copied after the new instructions.
    let body = program.routines[program.main].body;
    let nodes = program.block_nodes(body).to_vec();
    let first_node = program.nodes.len() as u32;
    program.nodes.push(Node::Run { first, len });
    program.nodes.extend(&nodes);
    program.blocks[body] = Block {
        first: first_node,
        len: nodes.len() as u32 + 1,
    };
}

/// Appends the instruction that sets an element of a register of results.
fn append_initial_value(program: &mut Program, register: RegisterId, element: usize) {
    let base = find_base(program, register, element);
    let one = match base {
        BaseType::Float => u64::from(1.0f32.to_bits()),
        BaseType::SignedInt | BaseType::UnsignedInt => 1,
    };
    let literal: LiteralId = program.literals.push([0, 0, 0, one]);
    let index = program.registers[register].array_len.map(|len| {
        program.indices.push(Index {
            element: IndexTerm::from_constant(element as i32),
            len,
            vertex: None,
        })
    });
    let first_source = program.srcs.len() as u32;
    program.srcs.push(Src::new(OperandBase::Literal(literal)));
    program.insts.push(Inst {
        op: Op::Mov,
        ty: Type::from_base(base, Width::W32),
        flags: InstFlags::empty(),
        source_count: 1,
        first_source,
        dst: Some(Dst {
            index,
            ..Dst::new(register, WriteMask::XYZW)
        }),
        data: InstData::None,
        span: Span::default(),
    });
}

/// Returns the type of the result that an element of a register holds.
fn find_base(program: &Program, register: RegisterId, element: usize) -> BaseType {
    let mut registers = program.output_registers();
    let outputs = registers.find(|(id, _)| id.index() == register.index());
    let output = outputs.and_then(|(_, outputs)| outputs.into_iter().nth(element));
    let output = output.and_then(|output| program.outputs.as_slice().get(output));
    output.map_or(BaseType::Float, |output| output.base)
}
