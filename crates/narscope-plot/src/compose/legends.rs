//! Where the entries of a picture are named.

use crate::legend::{Entry, Item, Key};
use crate::{Mark, Panel};

/// Entries of a panel, without repetitions.
pub(super) fn entries(panel: &Panel) -> Vec<Entry> {
    let mut all: Vec<Entry> = vec![];
    let of_marks = panel.marks.iter().flat_map(Mark::entries);
    for entry in of_marks.chain(panel.legend.iter().cloned()) {
        match all.iter_mut().find(|it| is_same(it, &entry)) {
            Some(known) => known.key = together(known.key, entry.key),
            None => all.push(entry),
        }
    }
    all
}

/// Whether entries say the same, though their signs may differ.
fn is_same(a: &Entry, b: &Entry) -> bool {
    a.name == b.name && a.colour == b.colour
}

/// The sign of two marks with the same name.
fn together(a: Key, b: Key) -> Key {
    match (a, b) {
        (Key::Line, Key::Dot) | (Key::Dot, Key::Line) => Key::DotOnLine,
        (first, _) => first,
    }
}

/// Where the entries of a picture are named.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Legends {
    /// Once for all panels.
    pub(super) shared: Vec<Item>,
    /// Above each panel.
    pub(super) own: Vec<Vec<Item>>,
    /// In the title of each panel: its only entry.
    pub(super) in_title: Vec<Option<String>>,
}

/// Whether no other panel has one of a panel's entries, so that names in the panel repeat nothing.
pub(super) fn are_its_own(panel: usize, panels: &[Panel]) -> bool {
    let others = panels.iter().enumerate().filter(|(index, _)| *index != panel);
    let others: Vec<Entry> = others.flat_map(|(_, it)| entries(it)).collect();
    !entries(&panels[panel]).iter().any(|entry| others.iter().any(|it| is_same(it, entry)))
}

/// Chooses where entries are named: those of several panels once above all, others above their panel. Panels that
/// name their entries otherwise have none.
pub(super) fn legends(panels: &[Panel], named_otherwise: &[bool]) -> Legends {
    let items: Vec<Vec<Item>> = panels
        .iter()
        .zip(named_otherwise)
        .map(|(panel, is_named)| {
            let entries = if *is_named { vec![] } else { entries(panel) };
            let bar = panel.colour_bar.clone().map(Item::Bar);
            entries.into_iter().map(Item::Entry).chain(bar).collect()
        })
        .collect();
    let mut all: Vec<Item> = vec![];
    for item in items.iter().flatten() {
        if !contains(&all, item) {
            all.push(item.clone());
        }
    }
    let panels_with = |item: &Item| items.iter().filter(|items| contains(items, item)).count();
    let one_has_all = items.iter().any(|items| all.iter().all(|item| contains(items, item)));
    let with_items = items.iter().filter(|items| !items.is_empty()).count();
    let is_shared =
        |item: &Item| panels.len() == 1 || panels_with(item) > 1 || (one_has_all && with_items > 1);
    let shared = match &all[..] {
        [Item::Entry(_)] => vec![],
        all => all.iter().filter(|item| is_shared(item)).cloned().collect(),
    };
    let mut legends = Legends { shared, ..Legends::default() };
    for items in items {
        let only = match &items[..] {
            [Item::Entry(entry)] if !contains(&legends.shared, &items[0]) => {
                Some(entry.name.clone())
            }
            _ => None,
        };
        let own = items.into_iter().filter(|item| !contains(&legends.shared, item));
        legends.own.push(if only.is_some() { vec![] } else { own.collect() });
        legends.in_title.push(only);
    }
    legends
}

fn contains(items: &[Item], item: &Item) -> bool {
    items.iter().any(|it| match (it, item) {
        (Item::Entry(a), Item::Entry(b)) => is_same(a, b),
        (a, b) => a == b,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Colour, Line};

    fn panels(names: &[&[&str]]) -> Vec<Panel> {
        let colour = |name: &str| Colour::Category(name.len());
        let line = |name: &&str| Line::new(vec![(0.0, 0.0)], colour(name)).named(*name).into();
        let panel =
            |names: &&[&str]| Panel { marks: names.iter().map(line).collect(), ..Panel::default() };
        names.iter().map(panel).collect()
    }

    fn names(items: &[Item]) -> Vec<String> {
        let name = |item: &Item| match item {
            Item::Entry(entry) => entry.name.clone(),
            Item::Bar(bar) => bar.label.clone(),
        };
        items.iter().map(name).collect()
    }

    #[test]
    fn entries_of_several_panels_are_named_once() {
        let panels = panels(&[&["a", "bb"], &["a", "bb"], &["ccc", "dddd"], &["bb", "eeeee"]]);
        let found = legends(&panels, &[false; 4]);
        assert_eq!(names(&found.shared), ["a", "bb"]);
        assert_eq!(names(&found.own[2]), ["ccc", "dddd"]);
        assert_eq!(names(&found.own[3]), ["eeeee"]);
        assert!(found.own[0].is_empty() && found.own[1].is_empty());
        assert!(are_its_own(2, &panels) && !are_its_own(3, &panels));
    }

    #[test]
    fn a_panel_with_all_entries_makes_them_shared() {
        let found = legends(&panels(&[&["a"], &["a", "bb"]]), &[false; 2]);
        assert_eq!(names(&found.shared), ["a", "bb"]);
        assert_eq!(found.in_title, [None, None]);
    }

    #[test]
    fn an_entry_alone_goes_to_the_title() {
        let found = legends(&panels(&[&["a"], &["bb"]]), &[false; 2]);
        assert!(found.shared.is_empty() && found.own.iter().all(Vec::is_empty));
        assert_eq!(found.in_title, [Some("a".to_owned()), Some("bb".to_owned())]);
        let found = legends(&panels(&[&["a"], &["a"]]), &[false; 2]);
        assert!(found.shared.is_empty());
    }

    #[test]
    fn signs_may_differ_between_panels() {
        let mut panels = panels(&[&["a", "bb"], &["a", "bb"]]);
        if let Mark::Line(line) = &mut panels[1].marks[0] {
            line.marked = true;
        }
        assert_eq!(names(&legends(&panels, &[false; 2]).shared), ["a", "bb"]);
    }
}
