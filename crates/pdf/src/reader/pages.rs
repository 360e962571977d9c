//! The pages of a file, without the inherited entries that each would copy.

use std::collections::HashSet;
use std::rc::Rc;

use pdfboss_core::{Dict, ObjRef, Object, ObjectSource, Page, Rect};

use super::File;

/// Most levels of the page tree.
const MAX_DEPTH: usize = 256;

/// A page that has not been read yet.
#[derive(Debug, Clone)]
pub(crate) struct PageNode {
    node: Node,
    inherited: Rc<Inherited>,
}

/// A node of the page tree: an object of its own, or one within another.
#[derive(Debug, Clone)]
enum Node {
    Reference(ObjRef),
    Direct(Rc<Object>),
}

/// What pages inherit from the nodes above them (PDF 32000-1, 7.7.3.4), not resolved.
#[derive(Debug, Clone, Default)]
struct Inherited {
    resources: Option<Rc<Object>>,
    media_box: Option<Rect>,
    crop_box: Option<Rect>,
    rotate: Option<i32>,
}

impl Inherited {
    /// What the kids of a node with these entries inherit.
    fn with(self: &Rc<Self>, file: &File<'_>, entries: &Dict) -> Rc<Self> {
        const KEYS: [&str; 4] = ["Resources", "MediaBox", "CropBox", "Rotate"];
        if KEYS.iter().all(|key| entries.get(key).is_none()) {
            return Rc::clone(self);
        }
        Rc::new(Self {
            resources: entries.get("Resources").cloned().map(Rc::new).or_else(|| self.resources.clone()),
            media_box: rect(file, entries, "MediaBox").or(self.media_box),
            crop_box: rect(file, entries, "CropBox").or(self.crop_box),
            rotate: rotation(file, entries).or(self.rotate),
        })
    }
}

/// All pages, in their order. A node that is its own ancestor, or is listed twice, counts once.
pub(crate) fn pages(file: &File<'_>) -> Vec<PageNode> {
    let root = file.dict(file.trailer(), "Root").and_then(|catalog| catalog.get("Pages").cloned());
    let found = root.map(|root| below(file, root)).unwrap_or_default();
    if found.is_empty() && file.exceeded().is_none() { without_tree(file) } else { found }
}

fn below(file: &File<'_>, root: Object) -> Vec<PageNode> {
    let mut pages = Vec::new();
    let mut visited = HashSet::new();
    let mut open = vec![(root, Rc::new(Inherited::default()), 0)];
    while let Some((object, inherited, depth)) = open.pop() {
        if let Object::Ref(reference) = &object
            && !visited.insert(*reference)
        {
            continue;
        }
        let Ok(Object::Dict(entries)) = file.resolve(&object) else { continue };
        let kind = entries.get_name("Type").map_or("", |name| name.0.as_str());
        let (is_page, is_node) = (kind == "Page", kind == "Pages");
        let kids = if is_page { None } else { file.value(&entries, "Kids") };
        match kids {
            Some(Object::Array(kids)) => {
                if depth < MAX_DEPTH {
                    let inherited = inherited.with(file, &entries);
                    open.extend(kids.into_iter().rev().map(|kid| (kid, Rc::clone(&inherited), depth + 1)));
                }
            }
            _ if is_node => {}
            _ => {
                let node = match object {
                    Object::Ref(reference) => Node::Reference(reference),
                    direct => Node::Direct(Rc::new(direct)),
                };
                pages.push(PageNode { node, inherited });
            }
        }
    }
    pages
}

/// The objects that say they are pages, if the tree has none.
fn without_tree(file: &File<'_>) -> Vec<PageNode> {
    let inherited = Rc::new(Inherited::default());
    let references = file.object_numbers().into_iter().map(|num| ObjRef { num, r#gen: 0 });
    let is_page = |reference: &ObjRef| {
        let object = file.get(*reference).ok();
        let kind = object.as_ref().and_then(Object::as_dict).and_then(|entries| entries.get_name("Type"));
        kind.is_some_and(|name| name.0 == "Page")
    };
    references
        .filter(is_page)
        .map(|reference| PageNode { node: Node::Reference(reference), inherited: Rc::clone(&inherited) })
        .collect()
}

impl PageNode {
    /// The object of the page, if it has one of its own.
    pub(crate) const fn reference(&self) -> Option<ObjRef> {
        match self.node {
            Node::Reference(reference) => Some(reference),
            Node::Direct(_) => None,
        }
    }

    /// Reads the page. It is empty if it cannot be read.
    pub(super) fn read(&self, file: &File<'_>, index: usize) -> Page {
        let entries = match &self.node {
            Node::Reference(reference) => file.get(*reference).ok(),
            Node::Direct(object) => file.resolve(object).ok(),
        };
        let entries = match entries {
            Some(Object::Dict(entries)) => entries,
            _ => Dict::new(),
        };
        let resources = file.dict(&entries, "Resources").or_else(|| {
            match file.resolve(self.inherited.resources.as_deref()?).ok()? {
                Object::Dict(resources) => Some(resources),
                _ => None,
            }
        });
        Page::from_tree_attrs(
            index,
            resources,
            rect(file, &entries, "MediaBox").or(self.inherited.media_box),
            rect(file, &entries, "CropBox").or(self.inherited.crop_box),
            None,
            None,
            None,
            rotation(file, &entries).or(self.inherited.rotate),
            entries,
            self.reference(),
        )
    }
}

fn rotation(file: &File<'_>, entries: &Dict) -> Option<i32> {
    let degrees = file.value(entries, "Rotate")?.as_f64().filter(|degrees| degrees.is_finite())?;
    Some(degrees as i32)
}

/// A rectangle: four numbers.
pub(super) fn rect(file: &File<'_>, entries: &Dict, key: &str) -> Option<Rect> {
    let Object::Array(items) = file.value(entries, key)? else { return None };
    let numbers: Vec<f32> = items
        .iter()
        .take(4)
        .map_while(|item| file.resolve(item).ok()?.as_f64())
        .map(|number| number as f32)
        .filter(|number| number.is_finite())
        .collect();
    let [x0, y0, x1, y1] = numbers.as_slice() else { return None };
    Some(Rect::new(*x0, *y0, *x1, *y1).normalize())
}
