//! Repairs of modules that the front end of naga reads incompletely or wrongly.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V and naga have many operations and types, few of which count here"
)]

use crate::spirv_edit::ModuleEditor;
use naga::{
    BinaryOperator, Binding, Expression, Function, ImageClass, ImageDimension, ImageQuery, Literal,
    Module, Sampling, ScalarKind, TypeInner,
};
use rspirv::spirv::{Decoration, StorageClass};

/// Restores the sampling positions, sample or centroid, of interpolated inputs, by location: naga
/// samples them at the center.
pub(super) fn restore_input_sampling(prepared: &ModuleEditor, module: &mut Module) {
    for (id, _) in prepared.iter_variables(&[StorageClass::Input]) {
        let wanted = if prepared.is_decorated(id, Decoration::Sample) {
            Sampling::Sample
        } else if prepared.is_decorated(id, Decoration::Centroid) {
            Sampling::Centroid
        } else {
            continue;
        };
        let Some(number) = prepared.find_decoration_literal(id, Decoration::Location) else {
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
                && *location == number
            {
                *sampling = Some(wanted);
            }
        }
    }
}

/// Removes casts of unsigned constants in shifts of all functions but entry points: naga casts the
/// number of bits to shift by.
pub(super) fn remove_shift_casts(module: &mut Module) {
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
        remove_function_shift_casts(function, &constants);
    }
}

/// Replaces the cast of a shift count in a function by its operand, if that is an unsigned literal
/// or one of the constants `unsigned`.
fn remove_function_shift_casts(function: &mut Function, unsigned: &[naga::Handle<naga::Constant>]) {
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

/// Replaces queries of the sample counts of textures with one sample by queries of their layers,
/// for which the preparation of the module wrote them, because the front end of naga does not read
/// those.
pub(super) fn restore_layer_queries(module: &mut Module) {
    let Module {
        types,
        global_variables,
        functions,
        entry_points,
        ..
    } = module;
    let functions = functions.iter_mut().map(|(_, function)| function);
    for function in functions.chain(entry_points.iter_mut().map(|entry| &mut entry.function)) {
        let images: Vec<_> = function
            .expressions
            .iter()
            .filter_map(|(handle, expression)| match expression {
                Expression::GlobalVariable(variable) => {
                    Some((handle, global_variables[*variable].ty))
                }
                _ => None,
            })
            .collect();
        for (_, expression) in function.expressions.iter_mut() {
            if let Expression::ImageQuery { image, query } = expression
                && *query == ImageQuery::NumSamples
                && let Some((_, ty)) = images.iter().find(|(handle, _)| handle == image)
                && !is_multisampled(&types[*ty].inner)
            {
                *query = ImageQuery::NumLayers;
            }
        }
    }
}

/// Returns true if a type is a sampled or depth image with several samples.
fn is_multisampled(ty: &TypeInner) -> bool {
    matches!(
        ty,
        TypeInner::Image {
            class: ImageClass::Sampled { multi: true, .. } | ImageClass::Depth { multi: true },
            ..
        }
    )
}

/// Returns true if a module has images of cube maps that shaders load or store.
pub(super) fn has_cube_images(module: &Module) -> bool {
    module.types.iter().any(|(_, ty)| {
        matches!(
            ty.inner,
            TypeInner::Image {
                dim: ImageDimension::Cube,
                class: ImageClass::Storage { .. },
                ..
            }
        )
    })
}
