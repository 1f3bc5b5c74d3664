//! What the front end of naga loses or garbles, put right in what it makes.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V and naga have many operations and types, few of which count here"
)]

use crate::rewriter::find_decoration;
use naga::{BinaryOperator, Binding, Expression, Function, Literal, Module, Sampling, ScalarKind};
use rspirv::dr::{self, Operand};
use rspirv::spirv::{Decoration, Word};

/// Restores where inputs are taken that are interpolated in perspective, by location: naga takes
/// them in the center.
pub(super) fn restore_sampling(prepared: &dr::Module, module: &mut Module) {
    let find = |id: Word, decoration: Decoration| find_decoration(prepared, id, decoration);
    let globals = prepared
        .types_global_values
        .iter()
        .filter_map(|global| global.result_id);
    for id in globals {
        let wanted = if find(id, Decoration::Sample).is_some() {
            Sampling::Sample
        } else if find(id, Decoration::Centroid).is_some() {
            Sampling::Centroid
        } else {
            continue;
        };
        let Some([Operand::LiteralBit32(number), ..]) = find(id, Decoration::Location) else {
            continue;
        };
        let arguments = module.entry_points.iter_mut();
        for argument in arguments.flat_map(|entry| &mut entry.function.arguments) {
            if let Some(Binding::Location {
                location,
                interpolation: Some(_),
                sampling,
                ..
            }) = &mut argument.binding
                && location == number
            {
                *sampling = Some(wanted);
            }
        }
    }
}

/// Numbers of bits to shift by that are unsigned already need no cast.
pub(super) fn simplify_shifts(module: &mut Module) {
    let constants: Vec<_> = module
        .constants
        .iter()
        .filter(|(_, constant)| {
            matches!(
                module.global_expressions[constant.init],
                Expression::Literal(Literal::U32(_))
            )
        })
        .map(|(handle, _)| handle)
        .collect();
    for (_, function) in module.functions.iter_mut() {
        simplify_shifts_of(function, &constants);
    }
}

fn simplify_shifts_of(function: &mut Function, unsigned: &[naga::Handle<naga::Constant>]) {
    let casts: Vec<_> = function
        .expressions
        .iter()
        .filter_map(|(cast, expression)| match *expression {
            Expression::As {
                expr,
                kind: ScalarKind::Uint,
                convert: None,
            } => {
                let is_unsigned = match function.expressions[expr] {
                    Expression::Constant(constant) => unsigned.contains(&constant),
                    Expression::Literal(Literal::U32(_)) => true,
                    _ => false,
                };
                is_unsigned.then_some((cast, expr))
            }
            _ => None,
        })
        .collect();
    for (_, expression) in function.expressions.iter_mut() {
        if let Expression::Binary {
            op: BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight,
            right,
            ..
        } = expression
            && let Some((_, number)) = casts.iter().find(|(cast, _)| cast == right)
        {
            *right = *number;
        }
    }
}
