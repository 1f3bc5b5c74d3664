//! Implementations of WGSL refuse derivatives where not all fragments of a quad may come along, unless a text says that it knows.

use rspirv::dr::Module;
use rspirv::spirv::Op;

/// What says so.
const DIRECTIVE: &str = "diagnostic(off, derivative_uniformity);\n\n";

/// The directive, if a module has branches and derivatives: the languages of the programs leave it to them where they take derivatives.
pub(super) fn directive(module: &Module) -> &'static str {
    let has = |ops: &[Op]| {
        let mut all = module.all_inst_iter();
        all.any(|instruction| ops.contains(&instruction.class.opcode))
    };
    let branches = has(&[Op::BranchConditional, Op::Switch]);
    if branches && has(DERIVATIVES) {
        DIRECTIVE
    } else {
        ""
    }
}

/// Operations that take derivatives.
const DERIVATIVES: &[Op] = &[
    Op::DPdx,
    Op::DPdy,
    Op::Fwidth,
    Op::DPdxFine,
    Op::DPdyFine,
    Op::FwidthFine,
    Op::DPdxCoarse,
    Op::DPdyCoarse,
    Op::FwidthCoarse,
    Op::ImageSampleImplicitLod,
    Op::ImageSampleDrefImplicitLod,
];
