//! Attributes that write the conversions between types of the C interface and the types of the
//! library that they mirror.
//!
//! The types remain ordinary items below the attributes: the header is generated from the sources
//! unchanged.

use proc_macro::{Delimiter, Group, Ident, TokenStream, TokenTree};

/// Derives the basic traits of an enumeration with a number for each variant, and `CNumber`. With
/// the name of an enumeration of the library that has the same variants, also converts from that
/// and implements `CNumber` for it. `#[from(...)]` at a variant is the name that the variant has in
/// the library instead; it may differ in spelling only, see [`normalize_name`].
#[proc_macro_attribute]
pub fn c_enum(library: TokenStream, item: TokenStream) -> TokenStream {
    let item = ParsedItem::parse(item);
    let name = &item.name;
    let mut code = item.format_number_impl(&name.to_string());
    if !library.is_empty() {
        item.check_library_names();
        let arms = item
            .format_each(|it| format!("<{library}>::{} => Self::{},", it.library_name(), it.name));
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
    let item = ParsedItem::parse(item);
    let name = &item.name;
    let (mut library_fields, mut members) = (String::new(), String::new());
    for Member { name, from } in &item.entries {
        let name = name.to_string();
        if name == "size" {
            members += "size: size_of::<Self>(),";
            continue;
        }
        let first = from.iter().flat_map(|from| from.clone()).next();
        library_fields += &first.map_or(name.clone(), |first| first.to_string());
        library_fields += ": _,";
        let from = from.as_ref().map_or(name.clone(), TokenStream::to_string);
        members += &format!("{name}: value.{from}.into(),");
    }
    let code = format!(
        "impl From<&{library}> for {name} {{
            fn from(value: &{library}) -> Self {{
                let {library} {{ {library_fields} }} = value;
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

/// Parses generated Rust code; panics if it is malformed.
fn parse_code(code: &str) -> TokenStream {
    code.parse().expect("the code is well-formed")
}

/// An enumeration or a structure.
struct ParsedItem {
    name: Ident,
    entries: Vec<Member>,
    /// All of it, without the attributes of this crate.
    tokens: TokenStream,
}

/// A variant or a member.
struct Member {
    name: Ident,
    /// The tokens of `#[from(...)]`.
    from: Option<TokenStream>,
}

impl Member {
    /// Returns the name of the variant of the library: that of `#[from(...)]`, or the same name.
    fn library_name(&self) -> String {
        match &self.from {
            Some(from) => from.to_string(),
            None => self.name.to_string(),
        }
    }
}

impl ParsedItem {
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
        let (body, entries) = split_body(body.stream());
        tokens.push(Group::new(Delimiter::Brace, body).into());
        Self {
            name,
            entries,
            tokens: tokens.into_iter().collect(),
        }
    }

    /// Panics, which is an error of the compiler, if a variant is called differently in the library:
    /// then C, Rust and JSON would have different words for one value.
    fn check_library_names(&self) {
        for entry in &self.entries {
            let (name, library_name) = (entry.name.to_string(), entry.library_name());
            assert_eq!(
                normalize_name(&name),
                normalize_name(&library_name),
                "the names `{name}` and `{library_name}` of one variant differ in more than spelling"
            );
        }
    }

    /// Returns the code of all variants or members.
    fn format_each(&self, code: impl FnMut(&Member) -> String) -> String {
        self.entries.iter().map(code).collect()
    }

    /// Returns the implementation of `CNumber` for an enumeration with the same variants as this
    /// one.
    fn format_number_impl(&self, enumeration: &str) -> String {
        let c = &self.name;
        let is_own = enumeration == c.to_string();
        let variant_name = |it: &Member| {
            if is_own {
                it.name.to_string()
            } else {
                it.library_name()
            }
        };
        let read = self.format_each(|it| {
            format!(
                "({c}::{} as u32, <{enumeration}>::{}),",
                it.name,
                variant_name(it)
            )
        });
        let write = self.format_each(|it| {
            format!(
                "<{enumeration}>::{} => {c}::{} as u32,",
                variant_name(it),
                it.name
            )
        });
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

/// Returns a name without the differences that the spelling of names in Rust and C requires: case,
/// underscores, and numbers of dimensions, which are `D2` in Rust and `_2d` in C.
fn normalize_name(name: &str) -> String {
    let name = name.replace('_', "").to_lowercase();
    let mut characters = name.chars();
    match (characters.next(), characters.next()) {
        (Some('d'), Some(number)) if number.is_ascii_digit() => {
            format!("{number}d{}", characters.as_str())
        }
        _ => name,
    }
}

/// Splits the body of a type: returns its tokens without `#[from(...)]`, and its variants or
/// members.
fn split_body(body: TokenStream) -> (TokenStream, Vec<Member>) {
    let (mut kept_tokens, mut entries) = (Vec::new(), Vec::new());
    let (mut expects_name, mut from) = (true, None);
    for token in body {
        match &token {
            TokenTree::Group(attribute)
                if expects_name && parse_from_attribute(attribute).is_some() =>
            {
                from = parse_from_attribute(attribute);
                // The mark of the attribute.
                kept_tokens.pop();
                continue;
            }
            TokenTree::Ident(word) if expects_name && word.to_string() != "pub" => {
                let name = word.clone();
                entries.push(Member {
                    name,
                    from: from.take(),
                });
                expects_name = false;
            }
            TokenTree::Punct(mark) if mark.as_char() == ',' => expects_name = true,
            TokenTree::Ident(_)
            | TokenTree::Punct(_)
            | TokenTree::Group(_)
            | TokenTree::Literal(_) => {}
        }
        kept_tokens.push(token);
    }
    (kept_tokens.into_iter().collect(), entries)
}

/// Returns the tokens in the brackets of `#[from(...)]`, if an attribute is that.
fn parse_from_attribute(attribute: &Group) -> Option<TokenStream> {
    let mut tokens = attribute.stream().into_iter();
    match (tokens.next()?, tokens.next()?) {
        (TokenTree::Ident(word), TokenTree::Group(from)) if word.to_string() == "from" => {
            Some(from.stream())
        }
        _ => None,
    }
}
