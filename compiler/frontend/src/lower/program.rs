//! Lowering of a whole program.

use super::flow::ControlFlow;
use super::ir_map::IrMap;
use super::resource::Resources;
use super::{Lowerer, PrecisionConversions};
use crate::ProgramPool;
use crate::ast::Ast;
use crate::check::CheckedProgram;
use glasm_ir::{Builder, InstFlags, Program, Span};

/// Returns the IR of a program without errors, of which `ast` has names and literals. `step_limit`
/// is that of [`Source`](crate::Source). Clears `tables` first, and takes the memory of the program
/// from the pool.
pub(crate) fn lower(
    (ast, checked): (&Ast<'_>, &CheckedProgram),
    step_limit: Option<u32>,
    (tables, memory): LowerMemory<'_>,
) -> Program {
    let mut builder = memory.take_builder(ast.dialect.stage());
    tables.clear();
    tables.reserve_locations(&checked.vars);
    let mut lowerer = Lowerer::new((ast, checked), &mut builder, tables);
    lowerer.resources.set_modes();
    lowerer.resources.add_named_params();
    // Arrays with relative indices need consecutive slots, so theirs are assigned before those of
    // single bindings.
    lowerer.resources.add_indexed_arrays();
    let mut flow = ControlFlow::new(lowerer.resources.builder, checked, step_limit);
    flow.lower_blocks(&mut lowerer);
    flow.build_routines(&mut lowerer);
    lowerer.resources.add_passthrough_outputs();
    memory.finish_program(builder)
}

/// Memory of earlier translations.
pub(crate) type LowerMemory<'m> = (&'m mut IrMap, &'m mut ProgramPool);

impl<'c> Lowerer<'c> {
    /// Returns the state before the first instruction and reserves memory for all instructions of
    /// the program.
    fn new(
        (ast, checked): (&'c Ast<'c>, &'c CheckedProgram),
        builder: &'c mut Builder,
        tables: &'c mut IrMap,
    ) -> Self {
        let count = checked.insts.insts.len();
        builder.program.insts.reserve(count);
        // Instructions have two sources on average.
        builder.program.srcs.reserve(2 * count);
        Self {
            resources: Resources {
                ast,
                checked,
                builder,
                ir_map: tables,
            },
            flags: InstFlags::empty(),
            precision: PrecisionConversions::default(),
            span: Span::default(),
        }
    }
}
