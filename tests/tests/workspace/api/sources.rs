//! The sources of crates as trees of modules, and the items that paths in them lead to.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use quote::ToTokens as _;
use syn::{Attribute, Item, ItemMod, UseTree};

/// Maximum steps from a name through `use` to its item.
const MAX_STEPS: u8 = 24;

/// A module of a crate: the name of the crate, and the path of the module in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    krate: String,
    path: Vec<String>,
}

impl Place {
    pub(super) fn root(krate: &str) -> Self {
        Self { krate: krate.to_owned(), path: Vec::new() }
    }

    pub(super) fn child(&self, name: &str) -> Self {
        let mut child = self.clone();
        child.path.push(name.to_owned());
        child
    }

    fn parent(&self) -> Self {
        let mut parent = self.clone();
        parent.path.pop();
        parent
    }
}

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    Module(Place),
    /// An item of a module, with its name there.
    Item(Place, String),
    /// A path into another crate, or to an item that a macro writes.
    Foreign(String),
}

/// A name that a `use` brings in, and the path of what it means.
pub(super) struct Leaf {
    pub(super) name: String,
    pub(super) path: Vec<String>,
}

#[derive(Default)]
pub(super) struct Module {
    pub(super) items: Vec<Item>,
    modules: BTreeMap<String, Module>,
}

pub(super) struct Sources {
    crates: BTreeMap<String, Module>,
}

impl Sources {
    /// Reads the libraries among the crates of a folder.
    pub(super) fn read(folder: &str) -> Self {
        let mut crates = BTreeMap::new();
        for entry in fs::read_dir(folder).expect("the crates can be listed") {
            let entry = entry.expect("a crate can be listed");
            let (name, source) = (entry.file_name(), entry.path().join("src"));
            let name = match name.to_string_lossy().as_ref() {
                "gleaner" => "gleaner".to_owned(),
                name => format!("gleaner_{}", name.replace('-', "_")),
            };
            let library = source.join("lib.rs");
            if library.exists() {
                crates.insert(name, module_of(items_of(&read(&library)), Some(&source)));
            }
        }
        Self { crates }
    }

    /// Crates of one file each, by their names.
    pub(super) fn of(crates: &[(&str, &str)]) -> Self {
        let module = |text: &str| module_of(items_of(text), None);
        Self { crates: crates.iter().map(|&(name, text)| (name.to_owned(), module(text))).collect() }
    }

    pub(super) fn module(&self, place: &Place) -> Option<&Module> {
        place.path.iter().try_fold(self.crates.get(&place.krate)?, |module, name| module.modules.get(name))
    }

    /// All modules.
    pub(super) fn places(&self) -> Vec<Place> {
        let mut places: Vec<Place> = self.crates.keys().map(|name| Place::root(name)).collect();
        let mut next = 0;
        while let Some(place) = places.get(next).cloned() {
            if let Some(module) = self.module(&place) {
                places.extend(module.modules.keys().map(|name| place.child(name)));
            }
            next += 1;
        }
        places
    }

    /// What a path in a module leads to.
    pub(super) fn resolve(&self, from: &Place, path: &[String]) -> Entry {
        self.follow(from, path, MAX_STEPS)
    }

    fn follow(&self, from: &Place, path: &[String], steps: u8) -> Entry {
        let Some((first, rest)) = path.split_first() else { return Entry::Module(from.clone()) };
        let foreign = || Entry::Foreign(path.join("::"));
        let Some(steps) = steps.checked_sub(1) else { return foreign() };
        let start = match first.as_str() {
            "crate" => Some(Entry::Module(Place::root(&from.krate))),
            "self" => Some(Entry::Module(from.clone())),
            "super" => Some(Entry::Module(from.parent())),
            name if self.crates.contains_key(name) => Some(Entry::Module(Place::root(name))),
            name => self.find(from, name, rest.is_empty(), steps),
        };
        match start {
            Some(Entry::Module(place)) => self.follow(&place, rest, steps),
            Some(Entry::Foreign(start)) if !rest.is_empty() => {
                Entry::Foreign(format!("{start}::{}", rest.join("::")))
            }
            Some(entry) if rest.is_empty() => entry,
            _ => foreign(),
        }
    }

    /// What a name means in a module. A name before others is that of a module.
    fn find(&self, place: &Place, name: &str, is_last: bool, steps: u8) -> Option<Entry> {
        let module = self.module(place)?;
        if is_last && module.items.iter().any(|item| name_of(item).is_some_and(|own| own == name)) {
            return Some(Entry::Item(place.clone(), name.to_owned()));
        }
        let submodule = || module.modules.contains_key(name).then(|| Entry::Module(place.child(name)));
        let used = || {
            let mut leaves = module.items.iter().flat_map(leaves_of);
            let leaf = leaves.find(|leaf| leaf.name == name)?;
            Some(self.follow(place, &leaf.path, steps))
        };
        if is_last { used().or_else(submodule) } else { submodule().or_else(used) }
    }
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).expect("a source can be read")
}

fn items_of(text: &str) -> Vec<Item> {
    syn::parse_file(text).expect("a source is Rust").items
}

/// A module with the modules below it, whose files are in `folder`. Items that embedders do not see are left
/// out.
fn module_of(mut items: Vec<Item>, folder: Option<&Path>) -> Module {
    items.retain(|item| !is_hidden(attributes(item)));
    let mut modules = BTreeMap::new();
    for item in &items {
        if let Item::Mod(item) = item
            && let Some(module) = submodule(item, folder)
        {
            modules.insert(item.ident.to_string(), module);
        }
    }
    Module { items, modules }
}

fn submodule(item: &ItemMod, folder: Option<&Path>) -> Option<Module> {
    let name = item.ident.to_string();
    let below = folder.map(|folder| folder.join(&name));
    if let Some((_, items)) = &item.content {
        return Some(module_of(items.clone(), below.as_deref()));
    }
    let (folder, below) = (folder?, below?);
    let files = [folder.join(format!("{name}.rs")), below.join("mod.rs")];
    let file = files.iter().find(|file| file.exists())?;
    Some(module_of(items_of(&read(file)), Some(&below)))
}

/// Whether the documentation leaves an item out, or only tests or builds without a feature have it.
pub(super) fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.meta.to_token_stream().to_string().replace(' ', "");
        let is_of_tests = ["test", "testing", "simulation"].iter().any(|name| {
            text.contains(&format!("({name})"))
                || text.contains(&format!("({name},"))
                || text.contains(&format!("feature=\"{name}\""))
        });
        match text.split('(').next() {
            Some("cfg") => is_of_tests || text.starts_with("cfg(not(feature"),
            Some("doc") => text == "doc(hidden)",
            _ => false,
        }
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The name of an item that is neither a module nor a `use`.
pub(super) fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// The names that an item brings in, if it is a `use`. Those of a `*` are left out.
pub(super) fn leaves_of(item: &Item) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    if let Item::Use(item) = item {
        collect(&item.tree, &[], &mut leaves);
    }
    leaves
}

fn collect(tree: &UseTree, before: &[String], leaves: &mut Vec<Leaf>) {
    let path_to = |name: String| {
        let mut path = before.to_vec();
        // `use a::{self}` means `a`.
        if name != "self" || path.is_empty() {
            path.push(name);
        }
        path
    };
    match tree {
        UseTree::Path(part) => collect(&part.tree, &path_to(part.ident.to_string()), leaves),
        UseTree::Group(group) => group.items.iter().for_each(|tree| collect(tree, before, leaves)),
        UseTree::Name(part) => {
            let path = path_to(part.ident.to_string());
            if let Some(name) = path.last().cloned() {
                leaves.push(Leaf { name, path });
            }
        }
        UseTree::Rename(part) => {
            let path = path_to(part.ident.to_string());
            leaves.push(Leaf { name: part.rename.to_string(), path });
        }
        UseTree::Glob(_) => {}
    }
}
