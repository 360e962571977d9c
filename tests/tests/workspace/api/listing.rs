//! The public items of a crate as lines of text.
//!
//! Signatures are those of the sources: a type in them has the name that its crate uses. An item with several
//! names is listed under the shortest, and the others refer to it. Of the methods that macros write, only
//! those of `setters!` are listed; other macros are listed with their names.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, ItemMacro, Meta, Token, TraitItem, Type, Visibility};

use super::sources::{Entry, Place, Sources, is_hidden, leaves_of, name_of};

/// Definitions, by module and name, with the names that they are listed under.
type Named = BTreeMap<(Place, String), String>;

/// The public items of a crate, one a line.
pub(super) fn listing(sources: &Sources, krate: &str) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    let named = name_all(sources, krate, &mut lines);
    for ((place, own), name) in &named {
        let items = sources.module(place).map(|module| module.items.as_slice()).unwrap_or_default();
        for item in items.iter().filter(|item| name_of(item).is_some_and(|other| other == *own)) {
            describe(item, name, &mut lines);
        }
    }
    for place in sources.places() {
        let items = sources.module(&place).map(|module| module.items.as_slice()).unwrap_or_default();
        for item in items {
            let path = match item {
                Item::Impl(item) => path_of(&item.self_ty),
                Item::Macro(item) => first_name(item.mac.tokens.clone()),
                _ => continue,
            };
            let Entry::Item(place, own) = sources.resolve(&place, &path) else { continue };
            if let Some(name) = named.get(&(place, own)) {
                match item {
                    Item::Impl(item) => describe_impl(item, name, &mut lines),
                    Item::Macro(item) => describe_macro(item, name, &mut lines),
                    _ => {}
                }
            }
        }
    }
    lines
}

/// Finds the items that an embedder can name. Modules, other names and foreign items become lines.
fn name_all(sources: &Sources, krate: &str, lines: &mut BTreeSet<String>) -> Named {
    let (mut named, root) = (Named::new(), Place::root(krate));
    let mut modules = BTreeMap::from([(root.clone(), krate.to_owned())]);
    let mut waiting = VecDeque::from([(root, krate.to_owned())]);
    while let Some((place, prefix)) = waiting.pop_front() {
        for (name, entry) in public_entries(sources, &place) {
            let name = format!("{prefix}::{name}");
            let known = match &entry {
                Entry::Module(place) => modules.get(place),
                Entry::Item(place, own) => named.get(&(place.clone(), own.clone())),
                Entry::Foreign(path) => Some(path),
            };
            if let Some(known) = known {
                lines.insert(format!("{name} = {known}"));
                continue;
            }
            match entry {
                Entry::Module(place) => {
                    lines.insert(format!("{name} mod"));
                    modules.insert(place.clone(), name.clone());
                    waiting.push_back((place, name));
                }
                Entry::Item(place, own) => {
                    named.insert((place, own), name);
                }
                Entry::Foreign(_) => {}
            }
        }
    }
    named
}

/// The public names of a module, sorted.
fn public_entries(sources: &Sources, place: &Place) -> Vec<(String, Entry)> {
    let mut entries = BTreeMap::new();
    let items = sources.module(place).map(|module| module.items.as_slice()).unwrap_or_default();
    for item in items {
        match item {
            Item::Use(used) if is_public(&used.vis) => {
                for leaf in leaves_of(item) {
                    entries.insert(leaf.name, sources.resolve(place, &leaf.path));
                }
            }
            Item::Mod(module) if is_public(&module.vis) => {
                let name = module.ident.to_string();
                entries.entry(name.clone()).or_insert_with(|| Entry::Module(place.child(&name)));
            }
            _ => {
                if let Some(name) = name_of(item).filter(|_| visibility(item).is_some_and(is_public)) {
                    entries.insert(name.clone(), Entry::Item(place.clone(), name));
                }
            }
        }
    }
    entries.into_iter().collect()
}

fn visibility(item: &Item) -> Option<&Visibility> {
    match item {
        Item::Const(item) => Some(&item.vis),
        Item::Enum(item) => Some(&item.vis),
        Item::Fn(item) => Some(&item.vis),
        Item::Static(item) => Some(&item.vis),
        Item::Struct(item) => Some(&item.vis),
        Item::Trait(item) => Some(&item.vis),
        Item::Type(item) => Some(&item.vis),
        _ => None,
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn describe(item: &Item, name: &str, lines: &mut BTreeSet<String>) {
    match item {
        Item::Const(item) => {
            lines.insert(format!("{name} const {}", text(&item.ty)));
        }
        Item::Static(item) => {
            lines.insert(format!("{name} static {}", text(&item.ty)));
        }
        Item::Type(item) => {
            lines.insert(format!("{name}{} type = {}", text(&item.generics), text(&item.ty)));
        }
        Item::Fn(item) => {
            lines.insert(format!("{name} {}", text(&item.sig)));
        }
        Item::Struct(item) => {
            let has_private = item.fields.iter().any(|field| !is_public(&field.vis));
            let private = if has_private { ", private fields" } else { "" };
            let (generics, marks) = (text(&item.generics), marks(&item.attrs));
            lines.insert(format!("{name}{generics} struct{private}{marks}"));
            describe_fields(&item.fields, name, lines);
        }
        Item::Enum(item) => {
            lines.insert(format!("{name}{} enum{}", text(&item.generics), marks(&item.attrs)));
            for variant in item.variants.iter().filter(|variant| !is_hidden(&variant.attrs)) {
                let mark = if is_non_exhaustive(&variant.attrs) { ", non_exhaustive" } else { "" };
                lines.insert(format!("{name}::{}{}{mark}", variant.ident, parts(&variant.fields)));
            }
        }
        Item::Trait(item) => {
            let above = match item.supertraits.is_empty() {
                true => String::new(),
                false => format!(": {}", text(&item.supertraits)),
            };
            lines.insert(format!("{name}{} trait{above}", text(&item.generics)));
            for item in &item.items {
                describe_trait_item(item, name, lines);
            }
        }
        _ => {}
    }
}

fn describe_fields(fields: &Fields, name: &str, lines: &mut BTreeSet<String>) {
    for (index, field) in fields.iter().enumerate().filter(|(_, field)| is_public(&field.vis)) {
        let own = field.ident.as_ref().map_or_else(|| index.to_string(), ToString::to_string);
        lines.insert(format!("{name}.{own}: {}", text(&field.ty)));
    }
}

/// The fields of a variant, without documentation.
fn parts(fields: &Fields) -> String {
    let list = |separated: Vec<String>| separated.join(", ");
    let typed = |field: &syn::Field| match &field.ident {
        Some(name) => format!("{name}: {}", text(&field.ty)),
        None => text(&field.ty),
    };
    match fields {
        Fields::Named(fields) => format!("{{{}}}", list(fields.named.iter().map(typed).collect())),
        Fields::Unnamed(fields) => format!("({})", list(fields.unnamed.iter().map(typed).collect())),
        Fields::Unit => String::new(),
    }
}

fn describe_trait_item(item: &TraitItem, name: &str, lines: &mut BTreeSet<String>) {
    match item {
        TraitItem::Fn(item) if !is_hidden(&item.attrs) => {
            let provided = if item.default.is_some() { ", provided" } else { "" };
            lines.insert(format!("{name}::{} {}{provided}", item.sig.ident, text(&item.sig)));
        }
        TraitItem::Const(item) => {
            lines.insert(format!("{name}::{} const {}", item.ident, text(&item.ty)));
        }
        TraitItem::Type(item) => {
            lines.insert(format!("{name}::{} type: {}", item.ident, text(&item.bounds)));
        }
        _ => {}
    }
}

fn describe_impl(item: &ItemImpl, name: &str, lines: &mut BTreeSet<String>) {
    if let Some((not, path, _)) = &item.trait_ {
        let not = if not.is_some() { "!" } else { "" };
        lines.insert(format!("{name} impl {not}{}", text(path)));
        return;
    }
    for item in &item.items {
        match item {
            ImplItem::Fn(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                lines.insert(format!("{name}::{} {}", item.sig.ident, text(&item.sig)));
            }
            ImplItem::Const(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                lines.insert(format!("{name}::{} const {}", item.ident, text(&item.ty)));
            }
            _ => {}
        }
    }
}

/// The methods that a macro writes for a type: those of setters, otherwise only the name of the macro.
fn describe_macro(item: &ItemMacro, name: &str, lines: &mut BTreeSet<String>) {
    let called = text(&item.mac.path);
    let setters = called.ends_with("setters").then(|| last_group(item.mac.tokens.clone())).flatten();
    let Some(setters) = setters else {
        lines.insert(format!("{name} {called}!"));
        return;
    };
    let setters = text(&without_attributes(setters));
    for setter in setters.split(';').map(str::trim).filter(|setter| !setter.is_empty()) {
        lines.insert(format!("{name} {called}! {setter}"));
    }
}

fn without_attributes(tokens: TokenStream) -> TokenStream {
    let mut is_attribute = false;
    let is_kept = |tree: &TokenTree| {
        let is_mark = matches!(tree, TokenTree::Punct(punct) if punct.as_char() == '#');
        let is_part = is_mark || is_attribute;
        is_attribute = is_mark;
        !is_part
    };
    tokens.into_iter().filter(is_kept).collect()
}

/// The tokens in braces at the end of a macro's.
fn last_group(tokens: TokenStream) -> Option<TokenStream> {
    match tokens.into_iter().last()? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    }
}

/// The first token of a macro, if it is a name.
fn first_name(tokens: TokenStream) -> Vec<String> {
    match tokens.into_iter().next() {
        Some(TokenTree::Ident(name)) => vec![name.to_string()],
        // No item has this name.
        _ => vec![String::new()],
    }
}

/// The names of a path to a type; a name that no item has for other types.
fn path_of(of: &Type) -> Vec<String> {
    match of {
        Type::Path(of) if of.qself.is_none() => {
            of.path.segments.iter().map(|segment| segment.ident.to_string()).collect()
        }
        _ => vec![String::new()],
    }
}

/// Whether a type may grow, and the traits that it derives.
fn marks(attributes: &[Attribute]) -> String {
    let mut marks = String::new();
    if is_non_exhaustive(attributes) {
        marks.push_str(", non_exhaustive");
    }
    let mut derived = BTreeSet::new();
    for meta in attributes.iter().flat_map(|attribute| of_any_feature(&attribute.meta)) {
        if let Meta::List(list) = &meta
            && list.path.is_ident("derive")
        {
            derived.extend(text(&list.tokens).split(", ").map(str::to_owned));
        }
    }
    if !derived.is_empty() {
        let derived: Vec<&str> = derived.iter().map(String::as_str).collect();
        marks.push_str(&format!(": {}", derived.join(", ")));
    }
    marks
}

/// The attributes that `cfg_attr` adds with all features, or the attribute itself.
fn of_any_feature(meta: &Meta) -> Vec<Meta> {
    match meta {
        Meta::List(list) if list.path.is_ident("cfg_attr") => {
            let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            let parts = parts.expect("`cfg_attr` has a condition and attributes");
            let is_met = parts.first().is_some_and(|condition| condition.path().is_ident("feature"));
            parts.into_iter().skip(1).filter(|_| is_met).collect()
        }
        meta => vec![meta.clone()],
    }
}

fn is_non_exhaustive(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive"))
}

/// Source text in one line, with the same spaces whatever prints the tokens.
fn text(tokens: &impl ToTokens) -> String {
    let printed = tokens.to_token_stream().to_string();
    let mut text = String::new();
    let mut letters =
        printed.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect::<VecDeque<_>>();
    while let Some(letter) = letters.pop_front() {
        let (before, next) = (text.chars().last(), letters.iter().find(|letter| **letter != ' ').copied());
        match letter {
            ' ' => {
                if before.is_some_and(is_of_word) && next.is_some_and(is_of_word) {
                    text.push(' ');
                }
            }
            ',' | ';' => {
                text.push(letter);
                text.push_str(if next.is_none_or(|next| ")]}>".contains(next)) { "" } else { " " });
            }
            '+' | '=' => {
                text.truncate(text.trim_end().len());
                text.push_str(if letter == '+' { " + " } else { " = " });
            }
            '-' if next == Some('>') => {
                letters.pop_front();
                text.push_str(" -> ");
            }
            ':' if letters.front() == Some(&':') => {
                letters.pop_front();
                text.push_str("::");
            }
            ':' => text.push_str(": "),
            letter => {
                if is_of_word(letter) && before.is_some_and(|before| ")]}>".contains(before)) {
                    text.push(' ');
                }
                text.push(letter);
            }
        }
    }
    text.trim().to_owned()
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
