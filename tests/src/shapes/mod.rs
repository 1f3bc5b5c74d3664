//! Programs and scripts of any size in which one construct is repeated or nested, whether they load or not. The time that reading them takes
//! has to grow in proportion to their size.

mod older;
mod script;
mod tgsi;
mod typed;

/// What reads a shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// The compiler: the shape is a program.
    Compiler,
    /// The reader of scripts.
    Script,
}

/// A construct, repeated until a size is reached.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The language and the construct.
    pub name: &'static str,
    /// What reads it.
    pub reader: Reader,
    generate: fn(usize) -> String,
}

impl Shape {
    /// Returns the text with about `size` bytes, at the most a fifth more or less.
    #[must_use]
    pub fn text(&self, size: usize) -> String {
        (self.generate)(size)
    }
}

/// Returns all shapes.
pub fn all() -> impl Iterator<Item = Shape> {
    let programs = typed::SHAPES
        .iter()
        .chain(older::SHAPES)
        .chain(tgsi::SHAPES);
    let of = |reader| {
        move |&(name, generate): &(&'static str, fn(usize) -> String)| Shape {
            name,
            reader,
            generate,
        }
    };
    programs
        .map(of(Reader::Compiler))
        .chain(script::SHAPES.iter().map(of(Reader::Script)))
}

/// A name and the function that writes a text of a size.
type Row = (&'static str, fn(usize) -> String);

/// Returns `head`, units with the numbers 0, 1, 2, ... until the text has `size` bytes, and `tail`.
fn grow(head: &str, unit: impl Fn(usize) -> String, tail: &str, size: usize) -> String {
    let mut text = String::from(head);
    for number in 0.. {
        if text.len() + tail.len() >= size {
            break;
        }
        text += &unit(number);
    }
    text + tail
}

/// Returns the units with the numbers below `count`.
fn list(count: usize, unit: impl Fn(usize) -> String) -> String {
    (0..count).map(unit).collect()
}

/// Returns how many units of `bytes` bytes a text of `size` bytes has, at least two.
fn count(size: usize, bytes: usize) -> usize {
    (size / bytes).max(2)
}

/// Returns `head`, then `open` and `close` nested as deep as `size` bytes allow, `middle` inside, then `tail`.
fn nest([head, open, middle, close, tail]: [&str; 5], size: usize) -> String {
    let depth = count(size, open.len() + close.len());
    [
        head,
        &open.repeat(depth),
        middle,
        &close.repeat(depth),
        tail,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::all;
    use std::collections::HashSet;

    #[test]
    fn sizes_are_those_asked_for() {
        for shape in all() {
            for size in [1 << 14, 1 << 16] {
                let length = shape.text(size).len();
                let range = size * 4 / 5..=size * 6 / 5;
                assert!(range.contains(&length), "{}: {length}", shape.name);
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names = HashSet::new();
        assert!(all().all(|shape| names.insert(shape.name)));
    }
}
