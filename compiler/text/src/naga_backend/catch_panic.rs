//! Protection from panics of naga, and from the growth of its stack with the nesting of modules.

use rspirv::dr::{Module, Operand};
use rspirv::spirv::{Op, Word};
#[cfg(not(target_family = "wasm"))]
use std::any::Any;
#[cfg(not(target_family = "wasm"))]
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The nesting of blocks that the stack is large enough for.
const MAX_BLOCK_NESTING: usize = 1000;
/// Bytes of stack. Only the used part takes memory; unoptimized builds need 60 KiB for each block
/// inside another.
#[cfg(not(target_family = "wasm"))]
const STACK_SIZE: usize = 128 << 20;

/// Runs `work` in a thread with a large stack and returns its result; panics, and a thread that
/// cannot be started, become errors.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn catch_panic<T: Send>(
    work: impl FnOnce() -> Result<T, String> + Send,
) -> Result<T, String> {
    let work = move || {
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
            Err(format!(
                "naga failed on the module: {}",
                get_panic_message(panic.as_ref())
            ))
        })
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
        match thread.spawn_scoped(scope, work) {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| Err(get_panic_message(panic.as_ref()).to_owned())),
            Err(error) => Err(format!("cannot start a thread for naga: {error}")),
        }
    })
}

/// Runs `work` and returns its result. WebAssembly has neither threads nor panics that can be caught:
/// the caller replaces an instance that has trapped.
#[cfg(target_family = "wasm")]
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    work()
}

/// Returns the message of a panic; `panic` if it is not a string.
#[cfg(not(target_family = "wasm"))]
fn get_panic_message(panic: &dyn Any) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("panic")
}

/// Fails for modules whose constructs are nested more than [`MAX_BLOCK_NESTING`] deep, which would
/// overflow the stack of naga.
pub(super) fn check_block_nesting(module: &Module) -> Result<(), String> {
    let blocks = module
        .functions
        .iter()
        .flat_map(|function| &function.blocks);
    let mut open: Vec<Word> = Vec::new();
    for block in blocks {
        while open.last().copied() == block.label_id() && open.pop().is_some() {}
        let merges = block.instructions.iter().filter_map(|instruction| {
            let is_merge = matches!(instruction.class.opcode, Op::SelectionMerge | Op::LoopMerge);
            let merge = instruction.operands.first().and_then(Operand::id_ref_any);
            merge.filter(|_| is_merge)
        });
        open.extend(merges);
        if open.len() > MAX_BLOCK_NESTING {
            return Err(format!(
                "more than {MAX_BLOCK_NESTING} blocks inside each other"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_errors() {
        let error = catch_panic::<()>(|| panic!("number {}", 7)).unwrap_err();
        assert_eq!(error, "naga failed on the module: number 7");
        assert_eq!(catch_panic(|| Ok(7)), Ok(7));
    }

    #[test]
    fn deep_modules_are_refused() {
        let nested = |depth: u32| {
            let mut function = rspirv::dr::Function::new();
            for level in 0..depth {
                let mut block = rspirv::dr::Block::new();
                let merge = vec![Operand::IdRef(1000 + level)];
                let merge = rspirv::dr::Instruction::new(Op::SelectionMerge, None, None, merge);
                block.instructions.push(merge);
                function.blocks.push(block);
            }
            let mut module = Module::default();
            module.functions.push(function);
            check_block_nesting(&module)
        };
        assert_eq!(nested(1000), Ok(()));
        assert_eq!(
            nested(1001),
            Err("more than 1000 blocks inside each other".to_owned())
        );
    }
}
