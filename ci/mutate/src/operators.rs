//! Mutations of operators and literals.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are foreign and grow"
)]

use syn::{BinOp, Lit, UnOp};

/// Returns the operator that is most likely written instead by mistake.
pub(crate) fn binary_swap(operator: &BinOp) -> Option<&'static str> {
    Some(match operator {
        BinOp::Lt(_) => "<=",
        BinOp::Le(_) => "<",
        BinOp::Gt(_) => ">=",
        BinOp::Ge(_) => ">",
        BinOp::Eq(_) => "!=",
        BinOp::Ne(_) => "==",
        BinOp::And(_) => "||",
        BinOp::Or(_) => "&&",
        BinOp::Add(_) => "-",
        BinOp::Div(_) | BinOp::Rem(_) => "*",
        BinOp::Sub(_) => "+",
        BinOp::Mul(_) => "/",
        BinOp::BitAnd(_) | BinOp::BitXor(_) => "|",
        BinOp::BitOr(_) => "&",
        BinOp::Shl(_) => ">>",
        BinOp::Shr(_) => "<<",
        BinOp::AddAssign(_) => "-=",
        BinOp::SubAssign(_) => "+=",
        BinOp::MulAssign(_) => "/=",
        BinOp::DivAssign(_) | BinOp::RemAssign(_) => "*=",
        BinOp::BitAndAssign(_) | BinOp::BitXorAssign(_) => "|=",
        BinOp::BitOrAssign(_) => "&=",
        BinOp::ShlAssign(_) => ">>=",
        BinOp::ShrAssign(_) => "<<=",
        _ => return None,
    })
}

/// Returns true if an operator can be removed.
pub(crate) fn unary_drop(operator: &UnOp) -> bool {
    matches!(operator, UnOp::Not(_) | UnOp::Neg(_))
}

/// Returns replacement values for a literal.
pub(crate) fn literal_changes(literal: &Lit) -> Vec<String> {
    match literal {
        Lit::Bool(it) => vec![(!it.value).to_string()],
        Lit::Int(it) => {
            let Ok(value) = it.base10_parse::<u128>() else {
                return Vec::new();
            };
            let written = |value: u128| format!("{value}{}", it.suffix());
            let mut changes = vec![written(value.wrapping_add(1))];
            if value != 0 {
                changes.push(written(0));
            }
            changes
        }
        _ => Vec::new(),
    }
}
