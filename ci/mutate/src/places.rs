//! Mutation sites of the code, and their mutations: everything that a switch at run time can
//! change.
//!
//! Excluded: patterns, types, attributes, macros by example, `const fn`, code for tests, and output
//! for debugging only. Tables (constants and statics of modules) are included if functions of the
//! same file read them by name.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are foreign and grow"
)]

use crate::operators::{binary_swap, literal_changes, unary_drop};
use crate::siblings::{Enums, PathsOfFile};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, Item, Signature, Stmt};

/// Syntactic form of a change in the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Selection of one value or the other.
    Value,
    /// Selection of one block or the other; also for statements.
    Block,
    /// One constant or the other, as a place expression.
    Constant,
    /// Source that is inserted unconditionally.
    Addition,
}

/// Edit of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edit {
    /// Bytes that are changed.
    pub(crate) range: Range<usize>,
    /// Replacement of the code.
    pub(crate) changed: String,
    /// Form in which both are inserted into the code.
    pub(crate) form: Form,
}

/// Site with a possible fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// Line of the change, from 1.
    pub(crate) line: usize,
    /// Names of modules, types and functions around it.
    pub(crate) function: String,
    /// Description of the change for users: `old -> new`.
    pub(crate) change: String,
    /// Edits of the source.
    pub(crate) edits: Vec<Edit>,
}

/// Code that no program reaches.
const HIDDEN: [&str; 2] = ["test", "generate"];

/// Traits whose code only prints for users.
const PRINTING: [&str; 2] = ["Debug", "Display"];

/// Longest text of a change.
const CHANGE_LENGTH: usize = 100;

/// Returns true if an item is compiled for tests only.
pub(crate) fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return false;
        };
        let tokens = list.tokens.to_string();
        list.path.is_ident("cfg") && HIDDEN.iter().any(|word| tokens.contains(word))
    })
}

/// Returns all mutation sites of a file.
pub(crate) fn find_places(text: &str, file: &syn::File, enums: &Enums) -> Vec<Place> {
    let mut finder = Finder {
        text,
        enums,
        paths: PathsOfFile::read(file),
        places: Vec::new(),
        around: Vec::new(),
        own_type: String::new(),
        table: None,
        in_table: Vec::new(),
        uses: Vec::new(),
    };
    finder.visit_file(file);
    finder.finish()
}

/// Constant of the module whose value is used.
#[derive(Clone)]
struct Table {
    name: String,
    /// Whole item.
    item: Range<usize>,
    /// Range of its type.
    of: Range<usize>,
    /// Range of its value.
    value: Range<usize>,
}

struct Finder<'a> {
    text: &'a str,
    enums: &'a Enums,
    paths: PathsOfFile,
    places: Vec<Place>,
    /// Names of types and functions around the current code.
    around: Vec<String>,
    own_type: String,
    table: Option<Table>,
    /// Faults of tables, which need all uses of the table.
    in_table: Vec<(Table, Place)>,
    /// Names of constants that functions read, with their ranges.
    uses: Vec<(String, Range<usize>)>,
}

fn range(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

impl Finder<'_> {
    fn text_of(&self, node: &impl Spanned) -> &str {
        &self.text[range(node)]
    }

    /// Adds a mutation of a value to another one.
    fn replace(&mut self, node: &impl Spanned, changed: &str) {
        let change = format!("{} -> {changed}", self.text_of(node));
        self.add(node, change, &[(range(node), changed)], Form::Value);
    }

    fn add(
        &mut self,
        at: &impl Spanned,
        change: String,
        edits: &[(Range<usize>, &str)],
        form: Form,
    ) {
        let edit = |(range, changed): &(Range<usize>, &str)| Edit {
            range: range.clone(),
            changed: (*changed).to_owned(),
            form,
        };
        let place = Place {
            line: at.span().start().line,
            function: self.around.join("::"),
            change: shorten(&change),
            edits: edits.iter().map(edit).collect(),
        };
        match &self.table {
            // Statements and blocks cannot occur in a table.
            Some(table) if form == Form::Value => self.in_table.push((table.clone(), place)),
            Some(_) => {}
            None if self.places.contains(&place) => {}
            None => self.places.push(place),
        }
    }

    /// Returns the sites, including those in tables: a table with a fault is a second constant, and
    /// an expression that names the table reads one or the other.
    fn finish(mut self) -> Vec<Place> {
        for (number, (table, place)) in std::mem::take(&mut self.in_table).into_iter().enumerate() {
            let mut edits: Vec<Edit> = Vec::new();
            let name = format!("{}_FAULT_{number}", table.name);
            for (_, range) in self.uses.iter().filter(|(used, _)| *used == table.name) {
                edits.push(Edit {
                    range: range.clone(),
                    changed: name.clone(),
                    form: Form::Constant,
                });
            }
            if edits.is_empty() {
                continue;
            }
            let mut value = self.text[table.value.clone()].to_owned();
            let mut inner = place.edits.clone();
            inner.sort_by_key(|edit| std::cmp::Reverse(edit.range.start));
            for edit in inner {
                let start = edit.range.start - table.value.start;
                let end = edit.range.end - table.value.start;
                value.replace_range(start..end, &edit.changed);
            }
            let of = &self.text[table.of.clone()];
            edits.push(Edit {
                range: table.item.end..table.item.end,
                changed: format!("\n#[allow(dead_code)] const {name}: {of} = {value};"),
                form: Form::Addition,
            });
            self.places.push(Place { edits, ..place });
        }
        self.places
    }

    fn within(&mut self, name: String, look: impl FnOnce(&mut Self)) {
        self.around.push(name);
        look(self);
        self.around.pop();
    }

    fn function(&mut self, attributes: &[Attribute], signature: &Signature, body: &Block) {
        if is_hidden(attributes) || signature.constness.is_some() {
            return;
        }
        let table = self.table.take();
        self.within(signature.ident.to_string(), |this| this.visit_block(body));
        self.table = table;
    }

    fn module_table(
        &mut self,
        name: &syn::Ident,
        item: Range<usize>,
        of: &syn::Type,
        value: &Expr,
    ) {
        // Constants in functions are not visible to the inserted code.
        if self.table.is_some() || !self.around.is_empty() {
            return;
        }
        self.table = Some(Table {
            name: name.to_string(),
            item,
            of: range(of),
            value: range(value),
        });
        self.within(name.to_string(), |this| this.visit_expr(value));
        self.table = None;
    }

    /// Adds a condition that always or never holds. Conditions that bind names are excluded.
    fn condition(&mut self, condition: &Expr) {
        match condition {
            Expr::Let(_) => {}
            Expr::Binary(both) if has_let(condition) => {
                self.condition(&both.left);
                self.condition(&both.right);
            }
            _ => self.truths(condition),
        }
    }

    fn truths(&mut self, node: &impl Spanned) {
        for changed in ["true", "false"] {
            if self.text_of(node) != changed {
                self.replace(node, changed);
            }
        }
    }

    /// Adds mutations that swap two consecutive arguments.
    fn swapped_arguments<'b>(&mut self, arguments: impl Iterator<Item = &'b Expr>) {
        let arguments: Vec<&Expr> = arguments.collect();
        for pair in arguments.windows(2) {
            self.exchange("arguments", pair[0], pair[1], Form::Value);
        }
    }

    fn exchange(&mut self, what: &str, first: &Expr, second: &Expr, form: Form) {
        let a = self.text_of(first).to_owned();
        let b = self.text_of(second).to_owned();
        if a != b {
            let edits = [(range(first), b.as_str()), (range(second), a.as_str())];
            let change = format!("{what} {} <-> {}", half(&a), half(&b));
            self.add(first, change, &edits, form);
        }
    }

    fn path(&mut self, path: &syn::ExprPath) {
        if let Some(name) = path.path.get_ident() {
            if self.table.is_none() {
                self.uses.push((name.to_string(), range(path)));
            }
        } else if let Some(sibling) = self.enums.sibling(path, &self.own_type, &self.paths) {
            let text = self.text_of(path);
            let prefix = text.rsplit_once("::").map_or("", |(prefix, _)| prefix);
            let changed = format!("{prefix}::{sibling}");
            self.replace(path, &changed);
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(it) => self.function(&it.attrs, &it.sig, &it.block),
            Item::Mod(it) if is_hidden(&it.attrs) => {}
            Item::Mod(it) => {
                self.within(it.ident.to_string(), |this| visit::visit_item_mod(this, it))
            }
            Item::Const(it) => self.module_table(&it.ident, range(it), &it.ty, &it.expr),
            Item::Static(it) => self.module_table(&it.ident, range(it), &it.ty, &it.expr),
            Item::Impl(it) => {
                let of = it
                    .trait_
                    .as_ref()
                    .and_then(|(_, path, _)| path.segments.last());
                let prints = of.is_some_and(|last| PRINTING.iter().any(|name| last.ident == name));
                if !prints && !is_hidden(&it.attrs) {
                    let name = self.text_of(&*it.self_ty);
                    let name = name.split('<').next().unwrap_or(name).to_owned();
                    let outer = std::mem::replace(&mut self.own_type, name.clone());
                    self.within(name, |this| visit::visit_item_impl(this, it));
                    self.own_type = outer;
                }
            }
            Item::Trait(it) => self.within(it.ident.to_string(), |this| {
                visit::visit_item_trait(this, it)
            }),
            _ => {}
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        if let syn::ImplItem::Fn(it) = item {
            self.function(&it.attrs, &it.sig, &it.block);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        if let syn::TraitItem::Fn(it) = item
            && let Some(body) = &it.default
        {
            self.function(&it.attrs, &it.sig, body);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(value, Some(_)) = statement
            && is_deletable(value)
        {
            let change = format!("{} -> nothing", self.text_of(statement));
            self.add(statement, change, &[(range(statement), "")], Form::Block);
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.condition(guard);
            self.visit_expr(guard);
        }
        self.visit_expr(&arm.body);
    }

    fn visit_expr(&mut self, value: &'ast Expr) {
        match value {
            Expr::Binary(it) if !has_let(value) => {
                if let Some(other) = binary_swap(&it.op) {
                    let changed = format!(
                        "{} {other} {}",
                        self.text_of(&it.left),
                        self.text_of(&it.right)
                    );
                    self.replace(it, &changed);
                }
            }
            Expr::Unary(it) if unary_drop(&it.op) => {
                let changed = self.text_of(&it.expr).to_owned();
                self.replace(it, &changed);
            }
            Expr::If(it) => self.condition(&it.cond),
            Expr::While(it) => self.condition(&it.cond),
            Expr::Macro(it) if it.mac.path.is_ident("matches") => self.truths(it),
            Expr::Lit(it) => {
                for changed in literal_changes(&it.lit) {
                    self.replace(it, &changed);
                }
            }
            Expr::Call(it) => {
                if matches!(&*it.func, Expr::Path(path) if path.path.is_ident("Some")) {
                    self.replace(it, "None");
                }
                self.swapped_arguments(it.args.iter());
            }
            Expr::MethodCall(it) => self.swapped_arguments(it.args.iter()),
            Expr::Match(it) => {
                for pair in it.arms.windows(2) {
                    self.exchange("arms", &pair[0].body, &pair[1].body, Form::Block);
                }
            }
            Expr::Path(it) => self.path(it),
            Expr::Repeat(it) => return self.visit_expr(&it.expr),
            Expr::Const(_) => return,
            _ => {}
        }
        visit::visit_expr(self, value);
    }

    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_macro(&mut self, _: &'ast syn::Macro) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
}

/// Returns true if a condition binds names with `let`.
fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(it) => has_let(&it.left) || has_let(&it.right),
        _ => false,
    }
}

/// Returns true for statements that can be removed: calls whose value is unused, assignments,
/// jumps.
fn is_deletable(value: &Expr) -> bool {
    use syn::BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign,
        ShlAssign, ShrAssign, SubAssign,
    };
    match value {
        Expr::Call(_) | Expr::MethodCall(_) | Expr::Assign(_) => true,
        Expr::Return(_) | Expr::Continue(_) | Expr::Break(_) => true,
        Expr::Try(it) => is_deletable(&it.expr),
        Expr::Binary(it) => matches!(
            it.op,
            AddAssign(_)
                | SubAssign(_)
                | MulAssign(_)
                | DivAssign(_)
                | RemAssign(_)
                | BitXorAssign(_)
                | BitAndAssign(_)
                | BitOrAssign(_)
                | ShlAssign(_)
                | ShrAssign(_)
        ),
        _ => false,
    }
}

/// Returns one line of limited length.
fn shorten(change: &str) -> String {
    let words: Vec<&str> = change.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= CHANGE_LENGTH {
        return line;
    }
    // Both ends are informative: the original and the replacement.
    let letters: Vec<char> = line.chars().collect();
    let start: String = letters[..CHANGE_LENGTH / 2].iter().collect();
    let end: String = letters[letters.len() - CHANGE_LENGTH / 2..]
        .iter()
        .collect();
    format!("{start} ... {end}")
}

/// Returns the first line, or a part of it.
fn half(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(CHANGE_LENGTH / 3).collect();
    if short.len() < line.len() {
        short + ".."
    } else {
        short
    }
}
