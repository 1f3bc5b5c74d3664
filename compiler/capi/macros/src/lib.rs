//! Attributes that write the conversions between types of the C interface and the types of the library that they mirror.
//!
//! The types remain ordinary items below the attributes: the header is generated from the sources as they are.

use proc_macro::{Ident, TokenStream, TokenTree};

/// Derives the basic traits of an enumeration with a number for each variant, and `CNumber`. With the name of an enumeration of the library that
/// has the same variants, also converts from that and implements `CNumber` for it.
#[proc_macro_attribute]
pub fn c_enum(library: TokenStream, item: TokenStream) -> TokenStream {
    let (name, variants) = parse_item(&item);
    let mut code = number_impl(&name.to_string(), &name, &variants);
    if !library.is_empty() {
        let arms = variants.iter();
        let arms: String = arms
            .map(|variant| format!("<{library}>::{variant} => Self::{variant},"))
            .collect();
        code += &number_impl(&library.to_string(), &name, &variants);
        code += &format!(
            "impl From<{library}> for {name} {{
                fn from(value: {library}) -> Self {{ match value {{ {arms} }} }}
            }}"
        );
    }
    let mut tokens = parse_code("#[derive(Clone, Copy, PartialEq, Eq, Debug)]");
    tokens.extend(item);
    tokens.extend(parse_code(&code));
    tokens
}

/// Converts from a structure of the library that has the same members, each converted by `From`.
#[proc_macro_attribute]
pub fn c_struct(library: TokenStream, item: TokenStream) -> TokenStream {
    let (name, members) = parse_item(&item);
    let members = members.iter();
    let members: String = members
        .map(|member| format!("{member}: value.{member}.into(),"))
        .collect();
    let mut tokens = item;
    tokens.extend(parse_code(&format!(
        "impl From<&{library}> for {name} {{
            fn from(value: &{library}) -> Self {{ Self {{ {members} }} }}
        }}
        impl From<{library}> for {name} {{
            fn from(value: {library}) -> Self {{ Self::from(&value) }}
        }}"
    )));
    tokens
}

/// Returns `CNumber` for an enumeration whose variants have the numbers that those of the C enumeration have.
fn number_impl(enumeration: &str, c: &Ident, variants: &[Ident]) -> String {
    let read = variants.iter();
    let read: String = read
        .map(|variant| format!("({c}::{variant} as u32, <{enumeration}>::{variant}),"))
        .collect();
    let write = variants.iter();
    let write: String = write
        .map(|variant| format!("<{enumeration}>::{variant} => {c}::{variant} as u32,"))
        .collect();
    format!(
        "impl crate::enums::CNumber for {enumeration} {{
            fn read(number: u32) -> Option<Self> {{
                [{read}].into_iter().find(|row| row.0 == number).map(|row| row.1)
            }}
            fn number(self) -> u32 {{ match self {{ {write} }} }}
        }}"
    )
}

fn parse_code(code: &str) -> TokenStream {
    code.parse().expect("the code is well-formed")
}

/// Returns the name of an enumeration or a structure and the names of its variants or members.
fn parse_item(item: &TokenStream) -> (Ident, Vec<Ident>) {
    let mut tokens = item.clone().into_iter().peekable();
    let mut name = None;
    while let Some(token) = tokens.next() {
        let is_keyword = |word: &Ident| ["enum", "struct"].contains(&word.to_string().as_str());
        match (token, tokens.peek()) {
            (TokenTree::Ident(word), Some(TokenTree::Ident(next))) if is_keyword(&word) => {
                name = Some(next.clone());
            }
            (TokenTree::Group(body), None) => {
                let name = name.expect("the attribute is that of an enumeration or a structure");
                return (name, parse_names(body.stream()));
            }
            _ => {}
        }
    }
    panic!("the attribute is that of an enumeration or a structure with members")
}

/// Returns the names before `=` or `:`, up to the next comma, or the only words between commas.
fn parse_names(body: TokenStream) -> Vec<Ident> {
    let mut names = Vec::new();
    let mut is_before = true;
    for token in body {
        match token {
            TokenTree::Punct(mark) => match mark.as_char() {
                ',' => is_before = true,
                '#' => {}
                _ => is_before = false,
            },
            TokenTree::Ident(word) if is_before && word.to_string() != "pub" => names.push(word),
            TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Literal(_) => {}
        }
    }
    names
}
