//! Files that need each other: by the names that they import, and by the functions that they call.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are foreign and grow"
)]

use super::modules::{Crate, Module, leaves};
use std::collections::{HashMap, HashSet};
use syn::visit::{self, Visit};

/// For each file those that it needs.
pub(super) type Graph = Vec<HashSet<usize>>;

/// Files that need each other, each with those of the circle that it needs itself.
pub(super) type Circle = Vec<(String, Vec<String>)>;

/// The circles of files, the largest first.
pub(super) fn circles(code: &Crate, graph: &Graph) -> Vec<Circle> {
    let reached: Vec<HashSet<usize>> = (0..graph.len()).map(|it| reach(graph, it)).collect();
    let mut circles: Vec<Vec<usize>> = Vec::new();
    for file in 0..graph.len() {
        let back = |other: &usize| reached[*other].contains(&file);
        let mut files: Vec<usize> = reached[file].iter().copied().filter(back).collect();
        files.sort_unstable();
        // Each circle is found from every file in it.
        if files.len() > 1 && !circles.contains(&files) {
            circles.push(files);
        }
    }
    circles.sort_by_key(|files| std::cmp::Reverse(files.len()));
    let name = |file: usize| code.modules[file].file.clone();
    let needs = |file: usize, circle: &[usize]| {
        let inside = circle.iter().filter(|it| graph[file].contains(it));
        inside.map(|&it| name(it)).collect()
    };
    let named = circles.iter().map(|circle| {
        let files = circle.iter().map(|&it| (name(it), needs(it, circle)));
        files.collect()
    });
    named.collect()
}

/// All files that lead on from a file, by one step or more.
fn reach(graph: &Graph, start: usize) -> HashSet<usize> {
    let mut reached = HashSet::new();
    let mut open: Vec<usize> = graph[start].iter().copied().collect();
    while let Some(file) = open.pop() {
        if reached.insert(file) {
            open.extend(&graph[file]);
        }
    }
    reached
}

/// Which files a file imports from: the files that hold the items, not those that pass them on.
pub(super) fn imports(code: &Crate) -> Graph {
    graph(code, |reader, module| {
        reader.follow_calls = false;
        module.items.iter().for_each(|item| reader.visit_item(item));
    })
}

/// Which files a file calls functions of. Methods are found where the type of the receiver is written: `self` and parameters.
pub(super) fn calls(code: &Crate) -> Graph {
    graph(code, |reader, module| {
        reader.follow_calls = true;
        module.items.iter().for_each(|item| reader.visit_item(item));
    })
}

fn graph(code: &Crate, read: impl Fn(&mut Reader<'_>, &Module)) -> Graph {
    let methods = methods(code);
    let mut graph = Graph::new();
    for (number, module) in code.modules.iter().enumerate() {
        let mut reader = Reader {
            code,
            methods: &methods,
            from: number,
            follow_calls: false,
            types: Vec::new(),
            receiver: None,
            found: HashSet::new(),
        };
        read(&mut reader, module);
        reader.found.remove(&number);
        graph.push(reader.found);
    }
    graph
}

/// The file of each method, by type and name.
type Methods = HashMap<(String, String), usize>;

fn methods(code: &Crate) -> Methods {
    let mut methods = Methods::new();
    for (number, module) in code.modules.iter().enumerate() {
        for item in &module.items {
            let syn::Item::Impl(item) = item else {
                continue;
            };
            let Some(of) = type_name(&item.self_ty).filter(|_| item.trait_.is_none()) else {
                continue;
            };
            for inner in &item.items {
                if let syn::ImplItem::Fn(function) = inner {
                    methods.insert((of.clone(), function.sig.ident.to_string()), number);
                }
            }
        }
    }
    methods
}

/// The last name of a type, without references.
fn type_name(ty: &syn::Type) -> Option<String> {
    match ty {
        syn::Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        syn::Type::Reference(reference) => type_name(&reference.elem),
        _ => None,
    }
}

struct Reader<'c> {
    code: &'c Crate,
    methods: &'c Methods,
    from: usize,
    follow_calls: bool,
    /// Types of the parameters of the functions around this place.
    types: Vec<HashMap<String, String>>,
    /// The type of `self`.
    receiver: Option<String>,
    found: HashSet<usize>,
}

impl Reader<'_> {
    fn take(&mut self, path: &[String]) {
        self.found.extend(self.code.file_of(self.from, path));
    }

    fn enter(&mut self, signature: &syn::Signature) {
        let types = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Receiver(_) => Some(("self".to_owned(), self.receiver.clone()?)),
            syn::FnArg::Typed(typed) => match &*typed.pat {
                syn::Pat::Ident(name) => Some((name.ident.to_string(), type_name(&typed.ty)?)),
                _ => None,
            },
        });
        let types = types.collect();
        self.types.push(types);
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !self.follow_calls {
            for (_, path) in leaves(&item.tree) {
                self.take(&path);
            }
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.receiver = type_name(&item.self_ty);
        visit::visit_item_impl(self, item);
        self.receiver = None;
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.enter(&function.sig);
        visit::visit_item_fn(self, function);
        self.types.pop();
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.enter(&function.sig);
        visit::visit_impl_item_fn(self, function);
        self.types.pop();
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if !self.follow_calls && path.segments.len() > 1 {
            let names: Vec<String> = path
                .segments
                .iter()
                .map(|it| it.ident.to_string())
                .collect();
            self.take(&names);
        }
        visit::visit_path(self, path);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let (true, syn::Expr::Path(path)) = (self.follow_calls, &*call.func) {
            let segments = path.path.segments.iter();
            let names: Vec<String> = segments.map(|it| it.ident.to_string()).collect();
            // Functions begin with a small letter, variants with a capital one.
            let is_function = names
                .last()
                .is_some_and(|it| it.starts_with(char::is_lowercase));
            if is_function {
                self.take(&names);
            }
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if let (true, syn::Expr::Path(path)) = (self.follow_calls, &*call.receiver)
            && let Some(name) = path.path.get_ident()
        {
            let types = self.types.iter().rev();
            let of = types.clone().find_map(|types| types.get(&name.to_string()));
            let key = of.map(|of| (of.clone(), call.method.to_string()));
            self.found
                .extend(key.and_then(|key| self.methods.get(&key)));
        }
        visit::visit_expr_method_call(self, call);
    }
}
