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

use crate::replacements::{EnumVariants, PathsOfFile};
use crate::replacements::{can_drop_unary, find_binary_swap, find_literal_changes};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, Item, Signature, Stmt};

/// Syntactic form of a change in the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EditForm {
    /// Selection of one value or the other.
    Value,
    /// Selection of one block or the other; also for statements.
    Block,
    /// One constant or the other, as an lvalue.
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
    pub(crate) form: EditForm,
}

/// Site with a possible mutation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MutationSite {
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
const HIDDEN_CFGS: [&str; 2] = ["test", "generate"];

/// Traits whose code only prints for users.
const PRINTING_TRAITS: [&str; 2] = ["Debug", "Display"];

/// Longest text of a change.
const CHANGE_LENGTH: usize = 100;

/// Returns true if a `cfg` attribute excludes an item from the instrumented build, such as tests.
pub(crate) fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return false;
        };
        let tokens = list.tokens.to_string();
        list.path.is_ident("cfg") && HIDDEN_CFGS.iter().any(|word| tokens.contains(word))
    })
}

/// Returns all mutation sites of a parsed file; `enums` has the variants that may replace each
/// other.
pub(crate) fn find_sites(text: &str, file: &syn::File, enums: &EnumVariants) -> Vec<MutationSite> {
    let mut finder = SiteVisitor {
        text,
        enums,
        paths: PathsOfFile::read(file),
        sites: Vec::new(),
        around: Vec::new(),
        own_type: String::new(),
        table: None,
        in_table: Vec::new(),
        uses: Vec::new(),
    };
    finder.visit_file(file);
    finder.into_sites()
}

/// Constant of the module whose value is used.
#[derive(Clone)]
struct ModuleTable {
    name: String,
    /// Whole item.
    item: Range<usize>,
    /// Range of its type.
    of: Range<usize>,
    /// Range of its value.
    value: Range<usize>,
}

struct SiteVisitor<'a> {
    text: &'a str,
    enums: &'a EnumVariants,
    paths: PathsOfFile,
    sites: Vec<MutationSite>,
    /// Names of types and functions around the current code.
    around: Vec<String>,
    own_type: String,
    table: Option<ModuleTable>,
    /// Mutations of tables, which need all uses of the table.
    in_table: Vec<(ModuleTable, MutationSite)>,
    /// Names of constants that functions read, with their ranges.
    uses: Vec<(String, Range<usize>)>,
}

/// Returns the byte range of a syntax node in its file.
fn range(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

impl SiteVisitor<'_> {
    /// Returns the source code of a syntax node.
    fn text_of(&self, node: &impl Spanned) -> &str {
        &self.text[range(node)]
    }

    /// Adds the replacement of an expression by other source code.
    fn add_replacement(&mut self, node: &impl Spanned, changed: &str) {
        let change = format!("{} -> {changed}", self.text_of(node));
        self.add_site(node, change, &[(range(node), changed)], EditForm::Value);
    }

    /// Adds a change of the code at a position, unless it is known. In tables only values can be
    /// changed.
    fn add_site(
        &mut self,
        at: &impl Spanned,
        change: String,
        edits: &[(Range<usize>, &str)],
        form: EditForm,
    ) {
        let edit = |(range, changed): &(Range<usize>, &str)| Edit {
            range: range.clone(),
            changed: (*changed).to_owned(),
            form,
        };
        let site = MutationSite {
            line: at.span().start().line,
            function: self.around.join("::"),
            change: shorten(&change),
            edits: edits.iter().map(edit).collect(),
        };
        match &self.table {
            // Statements and blocks cannot occur in a table.
            Some(table) if form == EditForm::Value => self.in_table.push((table.clone(), site)),
            Some(_) => {}
            None if self.sites.contains(&site) => {}
            None => self.sites.push(site),
        }
    }

    /// Returns the sites, including those in tables: a table with a mutation is a second constant,
    /// and an expression that names the table reads one or the other.
    fn into_sites(mut self) -> Vec<MutationSite> {
        for (number, (table, site)) in std::mem::take(&mut self.in_table).into_iter().enumerate() {
            let mut edits: Vec<Edit> = Vec::new();
            let name = format!("{}_MUTANT_{number}", table.name);
            for (_, range) in self.uses.iter().filter(|(used, _)| *used == table.name) {
                edits.push(Edit {
                    range: range.clone(),
                    changed: name.clone(),
                    form: EditForm::Constant,
                });
            }
            if edits.is_empty() {
                continue;
            }
            let mut value = self.text[table.value.clone()].to_owned();
            let mut inner = site.edits.clone();
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
                form: EditForm::Addition,
            });
            self.sites.push(MutationSite { edits, ..site });
        }
        self.sites
    }

    /// Runs `look` for the code within a named item, whose name is part of the description of
    /// mutations found there.
    fn visit_named(&mut self, name: String, look: impl FnOnce(&mut Self)) {
        self.around.push(name);
        look(self);
        self.around.pop();
    }

    /// Visits the body of a function; tests and const functions have no mutation sites.
    fn visit_function(&mut self, attributes: &[Attribute], signature: &Signature, body: &Block) {
        if is_hidden(attributes) || signature.constness.is_some() {
            return;
        }
        let table = self.table.take();
        self.visit_named(signature.ident.to_string(), |this| this.visit_block(body));
        self.table = table;
    }

    /// Visits the value of a constant of a module as a table: its changes apply where code uses it.
    fn visit_module_table(
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
        self.table = Some(ModuleTable {
            name: name.to_string(),
            item,
            of: range(of),
            value: range(value),
        });
        self.visit_named(name.to_string(), |this| this.visit_expr(value));
        self.table = None;
    }

    /// Adds a condition that always or never holds. Conditions that bind names are excluded.
    fn add_condition_sites(&mut self, condition: &Expr) {
        match condition {
            Expr::Let(_) => {}
            Expr::Binary(both) if has_let(condition) => {
                self.add_condition_sites(&both.left);
                self.add_condition_sites(&both.right);
            }
            _ => self.add_constant_conditions(condition),
        }
    }

    /// Adds the replacements of a condition by true and by false.
    fn add_constant_conditions(&mut self, node: &impl Spanned) {
        for changed in ["true", "false"] {
            if self.text_of(node) != changed {
                self.add_replacement(node, changed);
            }
        }
    }

    /// Adds a mutation for each pair of consecutive arguments, which swaps them.
    fn add_argument_swaps<'b>(&mut self, arguments: impl Iterator<Item = &'b Expr>) {
        let arguments: Vec<&Expr> = arguments.collect();
        for pair in arguments.windows(2) {
            self.add_swap("arguments", pair[0], pair[1], EditForm::Value);
        }
    }

    /// Adds the exchange of two expressions, unless their source code is equal.
    fn add_swap(&mut self, what: &str, first: &Expr, second: &Expr, form: EditForm) {
        let a = self.text_of(first).to_owned();
        let b = self.text_of(second).to_owned();
        if a != b {
            let edits = [(range(first), b.as_str()), (range(second), a.as_str())];
            let change = format!("{what} {} <-> {}", abbreviate(&a), abbreviate(&b));
            self.add_site(first, change, &edits, form);
        }
    }

    /// Adds the replacement of a variant or constant by its neighbor. Notes uses of names, which
    /// may be those of tables.
    fn add_path_site(&mut self, path: &syn::ExprPath) {
        if let Some(name) = path.path.get_ident() {
            if self.table.is_none() {
                self.uses.push((name.to_string(), range(path)));
            }
        } else if let Some(sibling) = self.enums.find_sibling(path, &self.own_type, &self.paths) {
            let text = self.text_of(path);
            let prefix = text.rsplit_once("::").map_or("", |(prefix, _)| prefix);
            let changed = format!("{prefix}::{sibling}");
            self.add_replacement(path, &changed);
        }
    }
}

impl<'ast> Visit<'ast> for SiteVisitor<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(it) => self.visit_function(&it.attrs, &it.sig, &it.block),
            Item::Mod(it) if is_hidden(&it.attrs) => {}
            Item::Mod(it) => {
                self.visit_named(it.ident.to_string(), |this| visit::visit_item_mod(this, it))
            }
            Item::Const(it) => self.visit_module_table(&it.ident, range(it), &it.ty, &it.expr),
            Item::Static(it) => self.visit_module_table(&it.ident, range(it), &it.ty, &it.expr),
            Item::Impl(it) => {
                let of = it
                    .trait_
                    .as_ref()
                    .and_then(|(_, path, _)| path.segments.last());
                let prints =
                    of.is_some_and(|last| PRINTING_TRAITS.iter().any(|name| last.ident == name));
                if !prints && !is_hidden(&it.attrs) {
                    let name = self.text_of(&*it.self_ty);
                    let name = name.split('<').next().unwrap_or(name).to_owned();
                    let outer = std::mem::replace(&mut self.own_type, name.clone());
                    self.visit_named(name, |this| visit::visit_item_impl(this, it));
                    self.own_type = outer;
                }
            }
            Item::Trait(it) => self.visit_named(it.ident.to_string(), |this| {
                visit::visit_item_trait(this, it)
            }),
            _ => {}
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        if let syn::ImplItem::Fn(it) = item {
            self.visit_function(&it.attrs, &it.sig, &it.block);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        if let syn::TraitItem::Fn(it) = item
            && let Some(body) = &it.default
        {
            self.visit_function(&it.attrs, &it.sig, body);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(value, Some(_)) = statement
            && is_deletable(value)
        {
            let change = format!("{} -> nothing", self.text_of(statement));
            self.add_site(
                statement,
                change,
                &[(range(statement), "")],
                EditForm::Block,
            );
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.add_condition_sites(guard);
            self.visit_expr(guard);
        }
        self.visit_expr(&arm.body);
    }

    fn visit_expr(&mut self, value: &'ast Expr) {
        match value {
            Expr::Binary(it) if !has_let(value) => {
                if let Some(other) = find_binary_swap(&it.op) {
                    let changed = format!(
                        "{} {other} {}",
                        self.text_of(&it.left),
                        self.text_of(&it.right)
                    );
                    self.add_replacement(it, &changed);
                }
            }
            Expr::Unary(it) if can_drop_unary(&it.op) => {
                let changed = self.text_of(&it.expr).to_owned();
                self.add_replacement(it, &changed);
            }
            Expr::If(it) => self.add_condition_sites(&it.cond),
            Expr::While(it) => self.add_condition_sites(&it.cond),
            Expr::Macro(it) if it.mac.path.is_ident("matches") => self.add_constant_conditions(it),
            Expr::Lit(it) => {
                for changed in find_literal_changes(&it.lit) {
                    self.add_replacement(it, &changed);
                }
            }
            Expr::Call(it) => {
                if matches!(&*it.func, Expr::Path(path) if path.path.is_ident("Some")) {
                    self.add_replacement(it, "None");
                }
                self.add_argument_swaps(it.args.iter());
            }
            Expr::MethodCall(it) => self.add_argument_swaps(it.args.iter()),
            Expr::Match(it) => {
                for pair in it.arms.windows(2) {
                    self.add_swap("arms", &pair[0].body, &pair[1].body, EditForm::Block);
                }
            }
            Expr::Path(it) => self.add_path_site(it),
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

/// Returns true if a condition contains a `let` pattern, whose names the branch uses.
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

/// Joins a description to one line of limited length; the middle of a longer one is replaced by
/// dots.
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

/// Joins source code to one line and truncates it for the description of a change.
fn abbreviate(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(CHANGE_LENGTH / 3).collect();
    if short.len() < line.len() {
        short + ".."
    } else {
        short
    }
}
