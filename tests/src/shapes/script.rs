//! Shapes of scripts.

use super::{Row, grow};

pub(super) static SHAPES: &[Row] = &[
    ("script words of a line", |size| {
        grow("[test]\nclear color", |_| " 1".to_owned(), "\n", size)
    }),
    ("script continued lines", |size| {
        grow("[test]\nclear", |_| " \\\n".to_owned(), " 1\n", size)
    }),
    ("script parentheses", |size| {
        grow("[test]\nclear color ", |_| "(1)".to_owned(), "\n", size)
    }),
    ("script wide characters of a line", |size| {
        grow("[test]\nclear color", |_| " \u{e9}".to_owned(), "\n", size)
    }),
    ("script lines", |size| {
        grow(
            "[test]\n",
            |number| format!("clear color {number} 0 0 1\n"),
            "",
            size,
        )
    }),
    ("script wrong lines", |size| {
        grow("[test]\n", |number| format!("wrong {number}\n"), "", size)
    }),
    ("script comments", |size| {
        grow("[test]\n", |_| "# x\n".to_owned(), "", size)
    }),
    ("script requirements", |size| {
        grow(
            "[require]\n",
            |_| "shaderInt64\n".to_owned(),
            "[test]\n",
            size,
        )
    }),
];
