//! Functions of a file: how long they are, what they take, and whether they ask for a family of languages.

use super::MOST_PARAMETERS;
use super::modules::Module;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A function with a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Function {
    /// File and name.
    pub(super) name: String,
    /// From `fn` to the closing brace.
    pub(super) lines: usize,
    /// Parameters, itself counted.
    pub(super) parameters: usize,
}

/// All functions of a crate, the shortest first.
#[derive(Default)]
pub(super) struct Functions {
    pub(super) list: Vec<Function>,
}

impl Functions {
    /// The length that so many percent of the functions do not exceed.
    pub(super) fn quantile(&self, percent: usize) -> usize {
        let last = self.list.len().saturating_sub(1);
        self.list
            .get(last * percent / 100)
            .map_or(0, |function| function.lines)
    }

    pub(super) fn with_many_parameters(&self) -> impl Iterator<Item = &Function> {
        self.list
            .iter()
            .filter(|function| function.parameters > MOST_PARAMETERS)
    }
}

/// What a file has.
#[derive(Default)]
pub(super) struct Found {
    pub(super) functions: Vec<Function>,
    /// Places that name a family or ask for one.
    pub(super) family_questions: usize,
}

/// The functions of a file.
pub(super) fn of(module: &Module) -> Found {
    let mut reader = Reader {
        file: &module.file,
        found: Found::default(),
    };
    module.items.iter().for_each(|item| reader.visit_item(item));
    reader.found
}

struct Reader<'m> {
    file: &'m str,
    found: Found,
}

impl Reader<'_> {
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let (start, end) = (signature.fn_token.span.start(), block.span().end());
        self.found.functions.push(Function {
            name: format!("{}: {}", self.file, signature.ident),
            lines: end.line + 1 - start.line,
            parameters: signature.inputs.len(),
        });
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.function(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.function(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut segments = path.segments.iter().rev().skip(1);
        let names_one = segments.next().is_some_and(|it| it.ident == "Family");
        self.found.family_questions += usize::from(names_one);
        visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.found.family_questions += usize::from(call.method == "is_arb");
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item_use(&mut self, _: &'ast syn::ItemUse) {}
}
