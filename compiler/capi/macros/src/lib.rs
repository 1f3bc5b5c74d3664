//! Attributes that write the conversions between types of the C interface and the types of the
//! library that they mirror.
//!
//! The types remain ordinary items below the attributes: the header is generated from the sources
//! unchanged.

use proc_macro::{Delimiter, Group, Ident, TokenStream, TokenTree};

/// Derives the basic traits of an enumeration with a number for each variant, and `CNumber`. With
/// the name of an enumeration of the library that has the same variants, also converts from that
/// and implements `CNumber` for it.
#[proc_macro_attribute]
pub fn c_enum(library: TokenStream, item: TokenStream) -> TokenStream {
    let item = Item::parse(item);
    let name = &item.name;
    let mut code = item.format_number_impl(&name.to_string());
    if !library.is_empty() {
        let arms = item.format_each(|it| format!("<{library}>::{it} => Self::{it},", it = it.name));
        code += &item.format_number_impl(&library.to_string());
        code += &format!(
            "impl From<{library}> for {name} {{
                fn from(value: {library}) -> Self {{ match value {{ {arms} }} }}
            }}"
        );
    }
    let mut tokens = parse_code("#[derive(Clone, Copy, PartialEq, Eq, Debug)]");
    tokens.extend(item.tokens);
    tokens.extend(parse_code(&code));
    tokens
}

/// Converts from a structure of the library that has the same members, each by `From`; the compiler
/// reports members that are missing here. `#[from(...)]` at a member is the expression, beginning
/// with a member, that the structure of the library has instead of the name. The member `size` is
/// the size of the structure.
#[proc_macro_attribute]
pub fn c_struct(library: TokenStream, item: TokenStream) -> TokenStream {
    let item = Item::parse(item);
    let name = &item.name;
    let (mut all, mut members) = (String::new(), String::new());
    for Entry { name, from } in &item.entries {
        let name = name.to_string();
        if name == "size" {
            members += "size: size_of::<Self>(),";
            continue;
        }
        let first = from.iter().flat_map(|from| from.clone()).next();
        all += &first.map_or(name.clone(), |first| first.to_string());
        all += ": _,";
        let from = from.as_ref().map_or(name.clone(), TokenStream::to_string);
        members += &format!("{name}: value.{from}.into(),");
    }
    let code = format!(
        "impl From<&{library}> for {name} {{
            fn from(value: &{library}) -> Self {{
                let {library} {{ {all} }} = value;
                Self {{ {members} }}
            }}
        }}
        impl From<{library}> for {name} {{
            fn from(value: {library}) -> Self {{ Self::from(&value) }}
        }}"
    );
    let mut tokens = item.tokens;
    tokens.extend(parse_code(&code));
    tokens
}

fn parse_code(code: &str) -> TokenStream {
    code.parse().expect("the code is well-formed")
}

/// An enumeration or a structure.
struct Item {
    name: Ident,
    entries: Vec<Entry>,
    /// All of it, without the attributes of this crate.
    tokens: TokenStream,
}

/// A variant or a member.
struct Entry {
    name: Ident,
    /// The tokens of `#[from(...)]`.
    from: Option<TokenStream>,
}

impl Item {
    /// Parses an item that ends with its variants or members in braces.
    fn parse(item: TokenStream) -> Self {
        let mut tokens: Vec<TokenTree> = item.into_iter().collect();
        let Some(TokenTree::Group(body)) = tokens.pop() else {
            panic!("the item has no variants or members");
        };
        let mut words = tokens.iter().rev();
        let Some(TokenTree::Ident(name)) = words.next().cloned() else {
            panic!("the item has no name before its variants or members");
        };
        let (body, entries) = parse_body(body.stream());
        tokens.push(Group::new(Delimiter::Brace, body).into());
        Self {
            name,
            entries,
            tokens: tokens.into_iter().collect(),
        }
    }

    /// Returns the code of all variants or members.
    fn format_each(&self, code: impl FnMut(&Entry) -> String) -> String {
        self.entries.iter().map(code).collect()
    }

    /// Returns the implementation of `CNumber` for an enumeration with the same variants as this
    /// one.
    fn format_number_impl(&self, enumeration: &str) -> String {
        let c = &self.name;
        let read = self
            .format_each(|it| format!("({c}::{it} as u32, <{enumeration}>::{it}),", it = it.name));
        let write = self
            .format_each(|it| format!("<{enumeration}>::{it} => {c}::{it} as u32,", it = it.name));
        format!(
            "impl crate::enums::CNumber for {enumeration} {{
                fn read(number: u32) -> Option<Self> {{
                    [{read}].into_iter().find(|row| row.0 == number).map(|row| row.1)
                }}
                fn to_number(self) -> u32 {{ match self {{ {write} }} }}
            }}"
        )
    }
}

/// Splits the body of a type: returns its tokens without `#[from(...)]`, and its variants or
/// members.
fn parse_body(body: TokenStream) -> (TokenStream, Vec<Entry>) {
    let (mut rest, mut entries) = (Vec::new(), Vec::new());
    let (mut is_name, mut from) = (true, None);
    for token in body {
        match &token {
            TokenTree::Group(attribute) if is_name && from_tokens(attribute).is_some() => {
                from = from_tokens(attribute);
                // The mark of the attribute.
                rest.pop();
                continue;
            }
            TokenTree::Ident(word) if is_name && word.to_string() != "pub" => {
                let name = word.clone();
                entries.push(Entry {
                    name,
                    from: from.take(),
                });
                is_name = false;
            }
            TokenTree::Punct(mark) if mark.as_char() == ',' => is_name = true,
            TokenTree::Ident(_)
            | TokenTree::Punct(_)
            | TokenTree::Group(_)
            | TokenTree::Literal(_) => {}
        }
        rest.push(token);
    }
    (rest.into_iter().collect(), entries)
}

/// Returns the tokens in the brackets of `#[from(...)]`, if an attribute is that.
fn from_tokens(attribute: &Group) -> Option<TokenStream> {
    let mut tokens = attribute.stream().into_iter();
    match (tokens.next()?, tokens.next()?) {
        (TokenTree::Ident(word), TokenTree::Group(from)) if word.to_string() == "from" => {
            Some(from.stream())
        }
        _ => None,
    }
}
