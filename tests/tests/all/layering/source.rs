//! A crate as a tree of modules, with the names that each one uses.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// How many re-exports a name is followed through: more than there are, so only a circle of them ends here.
const MOST_STEPS: usize = 16;

/// The modules that are compiled outside of tests, beginning with the crate's root.
#[derive(Debug)]
pub(super) struct Crate {
    modules: Vec<Module>,
    /// Files of test modules. What lies in a folder next to one, under its name, belongs to it as well.
    pub(super) tests: BTreeSet<String>,
}

/// One module, in a file of its own or inside another one.
#[derive(Debug)]
pub(super) struct Module {
    parent: Option<usize>,
    /// Path of the file from the folder `src`.
    pub(super) file: String,
    /// From the crate's root.
    path: Vec<String>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    macros: BTreeSet<String>,
    uses: Vec<Use>,
    /// Paths of at least two segments, outside of `use`.
    paths: BTreeSet<Vec<String>>,
    /// Names of macros that are called without a path.
    calls: BTreeSet<String>,
    /// First segments of paths: the names that the code of this module itself uses.
    words: BTreeSet<String>,
    /// What is `pub` and not hidden from the documentation, its own items as well.
    shown: Vec<Use>,
}

/// One name of a `use` item.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub(super) path: Vec<String>,
    /// `None`: all names of a module.
    pub(super) name: Option<String>,
    /// It has a visibility, so that other modules find the name here.
    is_reexport: bool,
}

/// Where a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Module(usize),
    /// Something that this module defines.
    Item(usize),
}

impl Crate {
    /// Reads the crate whose root is the file `root`; `load` has the text of a file, by its path from `src`.
    pub(super) fn read(root: &str, load: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut reading = Self { modules: Vec::new(), tests: BTreeSet::new() };
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        reading.file(root.to_owned(), folder, None, Vec::new(), load);
        reading
    }

    fn file(
        &mut self,
        file: String,
        folder: String,
        parent: Option<usize>,
        path: Vec<String>,
        load: &dyn Fn(&str) -> Option<String>,
    ) -> usize {
        let text = load(&file).unwrap_or_else(|| panic!("{file} cannot be read"));
        let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        self.module(file, folder, parent, path, &syntax.items, load)
    }

    /// Adds a module and those that it declares; files of the latter are looked for in `folder`.
    fn module(
        &mut self,
        file: String,
        folder: String,
        parent: Option<usize>,
        path: Vec<String>,
        items: &[syn::Item],
        load: &dyn Fn(&str) -> Option<String>,
    ) -> usize {
        let mut names = Names::default();
        items.iter().for_each(|item| names.visit_item(item));
        let number = self.modules.len();
        self.modules.push(Module {
            parent,
            file: file.clone(),
            path: path.clone(),
            children: BTreeMap::new(),
            items: items.iter().filter_map(name_of).collect(),
            macros: names.macros,
            uses: names.uses,
            paths: names.paths,
            calls: names.calls,
            words: names.words,
            shown: items.iter().flat_map(shown).collect(),
        });
        for item in items {
            let syn::Item::Mod(item) = item else { continue };
            let name = item.ident.to_string();
            let inner = join(&folder, &name);
            let mut path = path.clone();
            path.push(name.clone());
            let child = match (&item.content, is_test(&item.attrs)) {
                (Some(_), true) => continue,
                (Some((_, items)), false) => {
                    self.module(file.clone(), inner, Some(number), path, items, load)
                }
                (None, test) => {
                    // From where the file is, whatever module it is.
                    let beside = file.rsplit_once('/').map_or("", |(beside, _)| beside);
                    let stated = item.attrs.iter().find_map(stated_path).map(|name| join(beside, &name));
                    let found =
                        stated.iter().cloned().chain([format!("{inner}.rs"), format!("{inner}/mod.rs")]);
                    let found = found.into_iter().find(|name| load(name).is_some());
                    let found = found.unwrap_or_else(|| panic!("{file}: module {name} has no file"));
                    if test {
                        self.tests.insert(found);
                        continue;
                    }
                    // The modules in a file whose path is stated are next to it.
                    let inner = match &stated {
                        Some(stated) if *stated == found => {
                            found.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()
                        }
                        _ => inner,
                    };
                    self.file(found, inner, Some(number), path, load)
                }
            };
            self.modules[number].children.insert(name, child);
        }
        number
    }

    pub(super) fn files(&self) -> BTreeSet<&str> {
        self.modules.iter().map(|module| &*module.file).collect()
    }

    /// What a module shows to other crates, if they come to it.
    pub(super) fn shown(&self, module: usize) -> &[Use] {
        &self.modules[module].shown
    }

    /// Where a path in a module leads to; `None` for another crate.
    pub(super) fn target(&self, module: usize, path: &[String]) -> Option<Target> {
        self.resolve(module, path, MOST_STEPS)
    }

    /// What each file takes from others: file, the file with the definition, and the path as it is written.
    ///
    /// * Names are followed through re-exports to the file that defines them: a `mod.rs` that only declares and
    ///   re-exports its children has no part in a circle.
    /// * For the same reason a re-export counts only if the code next to it uses the name as well.
    /// * A `use` of a module is nothing yet; what is then taken from it counts.
    /// * A call of a macro without a path leads to the module above that defines the macro.
    pub(super) fn edges(&self) -> Vec<(&str, &str, String)> {
        let mut edges = Vec::new();
        for (number, module) in self.modules.iter().enumerate() {
            let mut add = |target: Target, path: String| {
                let (Target::Item(to) | Target::Module(to)) = target;
                if self.modules[to].file != module.file {
                    edges.push((&*module.file, &*self.modules[to].file, path));
                }
            };
            for used in &module.uses {
                let is_used = used.name.as_ref().is_some_and(|name| module.words.contains(name));
                if used.is_reexport && !is_used {
                    continue;
                }
                match self.resolve(number, &used.path, MOST_STEPS) {
                    Some(Target::Module(_)) if used.name.is_some() => {}
                    Some(target) => add(target, used.path.join("::")),
                    None => {}
                }
            }
            for path in &module.paths {
                if let Some(target @ Target::Item(_)) = self.resolve(number, path, MOST_STEPS) {
                    add(target, path.join("::"));
                }
            }
            for call in &module.calls {
                let above = std::iter::successors(Some(number), |&number| self.modules[number].parent);
                if let Some(target) = { above }.find(|&number| self.modules[number].macros.contains(call)) {
                    add(Target::Item(target), format!("{call}!"));
                }
            }
        }
        edges
    }

    /// What each file takes from other modules at the root: file, the file of that module, and the path as it is
    /// written. Names that the root re-exports belong to the module that it has them from.
    pub(super) fn imports(&self) -> Vec<(&str, &str, String)> {
        let mut imports = Vec::new();
        for (number, module) in self.modules.iter().enumerate() {
            let uses = module.uses.iter().map(|used| &used.path);
            for path in uses.chain(&module.paths) {
                let Some(mut absolute) = self.absolute(number, path) else { continue };
                // A few steps at most: the root may re-export what the root of a module re-exports.
                for _ in 0..MOST_STEPS {
                    let Some(first) = absolute.first() else { break };
                    if let Some(&top) = self.modules[0].children.get(first) {
                        imports.push((&*module.file, &*self.modules[top].file, path.join("::")));
                        break;
                    }
                    let named = |used: &&Use| used.name.as_ref() == Some(first);
                    let Some(used) = self.modules[0].uses.iter().find(named) else { break };
                    let Some(next) = self.absolute(0, &used.path) else { break };
                    absolute = next;
                }
            }
        }
        imports
    }

    /// The path from the crate's root; `None` where it begins with a name that a `use` or another crate has brought.
    fn absolute(&self, module: usize, path: &[String]) -> Option<Vec<String>> {
        let first = path.first()?;
        let mut start = match &**first {
            "crate" => Vec::new(),
            "self" | "super" => self.modules[module].path.clone(),
            name if self.modules[module].children.contains_key(name) => {
                let mut absolute = self.modules[module].path.clone();
                absolute.push(name.to_owned());
                absolute
            }
            _ => return None,
        };
        for (position, segment) in path.iter().enumerate() {
            match &**segment {
                "super" => drop(start.pop()),
                _ if position == 0 => {}
                name => start.push(name.to_owned()),
            }
        }
        Some(start)
    }

    /// `None`: something of another crate, or a name that only the body of a function has.
    fn resolve(&self, module: usize, path: &[String], steps: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let (start, rest) = match &**first {
            "crate" => (0, rest),
            "self" => (module, rest),
            "super" => (self.modules[module].parent?, rest),
            _ if self.has(module, first) => (module, path),
            _ => return None,
        };
        self.descend(start, rest, steps)
    }

    fn has(&self, module: usize, name: &str) -> bool {
        let module = &self.modules[module];
        let is_used = |used: &Use| used.name.as_deref() == Some(name);
        module.children.contains_key(name) || module.items.contains(name) || module.uses.iter().any(is_used)
    }

    fn descend(&self, module: usize, path: &[String], steps: usize) -> Option<Target> {
        let Some((first, rest)) = path.split_first() else { return Some(Target::Module(module)) };
        let steps = steps.checked_sub(1)?;
        if first == "super" {
            return self.descend(self.modules[module].parent?, rest, steps);
        }
        if let Some(&child) = self.modules[module].children.get(first) {
            return self.descend(child, rest, steps);
        }
        if self.modules[module].items.contains(first) {
            return Some(Target::Item(module));
        }
        let uses = self.modules[module].uses.iter();
        if let Some(used) = uses.clone().find(|used| used.name.as_ref() == Some(first)) {
            // A name of another crate, such as that of `use std::fmt`, leads nowhere.
            return match self.resolve(module, &used.path, steps)? {
                Target::Module(module) => self.descend(module, rest, steps),
                item => Some(item),
            };
        }
        for used in uses.filter(|used| used.name.is_none()) {
            if let Some(Target::Module(from)) = self.resolve(module, &used.path, steps)
                && self.has(from, first)
            {
                return self.descend(from, path, steps);
            }
        }
        // Made by a macro.
        Some(Target::Item(module))
    }
}

/// What a visitor finds in a module, but not in those that it declares.
#[derive(Default)]
struct Names {
    uses: Vec<Use>,
    paths: BTreeSet<Vec<String>>,
    calls: BTreeSet<String>,
    macros: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl Names {
    fn tree(&mut self, before: &[String], tree: &syn::UseTree, is_reexport: bool) {
        let mut path = before.to_vec();
        let name = match tree {
            syn::UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                return self.tree(&path, &tree.tree, is_reexport);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.tree(&path, tree, is_reexport));
            }
            syn::UseTree::Glob(_) => None,
            syn::UseTree::Name(name) if name.ident == "self" => path.last().cloned(),
            syn::UseTree::Name(name) => {
                path.push(name.ident.to_string());
                path.last().cloned()
            }
            syn::UseTree::Rename(name) => {
                if name.ident != "self" {
                    path.push(name.ident.to_string());
                }
                Some(name.rename.to_string())
            }
        };
        self.uses.push(Use { path, name, is_reexport });
    }

    /// The paths in what a macro is given or made of, which need not be Rust.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Ident(_) => {
                    // `::a` is another crate, `$a` is whatever the macro is given.
                    let is_outer = at >= 2 && is_separator(&tokens, at - 2);
                    let is_variable =
                        at >= 1 && is_mark(tokens.get(at - 1), '$') && *token.to_string() != *"crate";
                    let mut path = Vec::new();
                    at = path_at(&tokens, at, &mut path);
                    self.words.insert(path[0].clone());
                    match tokens.get(at + 2) {
                        Some(TokenTree::Group(group))
                            if is_separator(&tokens, at) && group.delimiter() == Delimiter::Brace =>
                        {
                            self.group(&path, group.stream());
                            at += 3;
                        }
                        _ if path.len() > 1 && !is_outer && !is_variable => drop(self.paths.insert(path)),
                        _ => {}
                    }
                }
                TokenTree::Group(group) => {
                    self.tokens(group.stream());
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// `before::{..}` in a macro.
    fn group(&mut self, before: &[String], tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for part in tokens
            .split(|token| is_mark(Some(token), ','))
            .filter(|part| matches!(part.first(), Some(TokenTree::Ident(_))))
        {
            let mut path = before.to_vec();
            let end = path_at(part, 0, &mut path);
            match part.get(end + 2) {
                Some(TokenTree::Group(group)) => self.group(&path, group.stream()),
                _ => drop(self.paths.insert(path)),
            }
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        // `Crate::module` reads modules, since it knows their files.
        if !matches!(item, syn::Item::Mod(_)) && !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            self.tree(&[], &item.tree, !matches!(item.vis, syn::Visibility::Inherited));
        }
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        self.macros.extend(item.ident.as_ref().map(ToString::to_string));
        visit::visit_item_macro(self, item);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        let name = call.path.get_ident().map(ToString::to_string);
        // What these make is code of other crates.
        let is_template = name.as_deref().is_some_and(|name| name.contains("quote"));
        self.calls.extend(name);
        if !is_template {
            self.tokens(call.tokens.clone());
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string());
        let segments: Vec<String> = segments.collect();
        if path.leading_colon.is_none() {
            self.words.extend(segments.first().cloned());
            if segments.len() > 1 {
                self.paths.insert(segments);
            }
        }
        visit::visit_path(self, path);
    }

    // `pub(in crate::a)` says who may use something, and uses nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

/// Reads the path that begins at `at`, and returns where it ends.
fn path_at(tokens: &[TokenTree], mut at: usize, path: &mut Vec<String>) -> usize {
    while let Some(TokenTree::Ident(name)) = tokens.get(at) {
        path.push(name.to_string());
        at += 1;
        if !is_separator(tokens, at) || !matches!(tokens.get(at + 2), Some(TokenTree::Ident(_))) {
            break;
        }
        at += 2;
    }
    at
}

/// Is there `::`?
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    is_mark(tokens.get(at), ':') && is_mark(tokens.get(at + 1), ':')
}

fn is_mark(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == mark)
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Is it compiled in tests only?
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        if attribute.path().is_ident("test") {
            return true;
        }
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let words: Vec<String> = list.tokens.clone().into_iter().map(|token| token.to_string()).collect();
        let is_all = words.first().is_some_and(|word| word == "all");
        let all = |list: &str| list.trim_matches(['(', ')']).split(',').any(|word| word.trim() == "test");
        list.path.is_ident("cfg")
            && (words == ["test"] || is_all && words.get(1).is_some_and(|list| all(list)))
    })
}

/// The file that `#[path = ".."]` names.
fn stated_path(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else { return None };
    pair.path.is_ident("path").then(|| text.value())
}

/// Is it hidden from the documentation?
pub(super) fn is_hidden(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("doc") && list.tokens.to_string() == "hidden"
    })
}

/// The names of an item that is `pub` and not hidden, as if a `use` had brought them.
fn shown(item: &syn::Item) -> Vec<Use> {
    let (syn::Visibility::Public(_), false) = (visibility(item), is_test(attributes(item))) else {
        return Vec::new();
    };
    let own = match item {
        syn::Item::Mod(item) => Some(item.ident.to_string()),
        _ => name_of(item),
    };
    match (item, own) {
        _ if is_hidden(attributes(item)) => Vec::new(),
        (syn::Item::Use(item), _) => {
            let mut names = Names::default();
            names.visit_item_use(item);
            names.uses
        }
        (_, Some(name)) => {
            vec![Use { path: vec!["self".to_owned(), name.clone()], name: Some(name), is_reexport: false }]
        }
        (_, None) => Vec::new(),
    }
}

fn visibility(item: &syn::Item) -> &syn::Visibility {
    match item {
        syn::Item::Const(item) => &item.vis,
        syn::Item::Enum(item) => &item.vis,
        syn::Item::Fn(item) => &item.vis,
        syn::Item::Mod(item) => &item.vis,
        syn::Item::Static(item) => &item.vis,
        syn::Item::Struct(item) => &item.vis,
        syn::Item::Trait(item) => &item.vis,
        syn::Item::Type(item) => &item.vis,
        syn::Item::Union(item) => &item.vis,
        syn::Item::Use(item) => &item.vis,
        _ => &syn::Visibility::Inherited,
    }
}

pub(super) fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

pub(super) fn name_of(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
