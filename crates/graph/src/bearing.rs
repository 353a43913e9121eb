use std::collections::BTreeSet;

use crate::{Edit, Graph, Object, VertexId, normalize_name};

/// Which names an object bears where. A name has no record of its own source, but every name is taken from the text
/// of some episode that mentions the object.
impl Edit<'_> {
    /// Takes from an object the names that `text` bears, a text that no longer speaks of it, and no remaining mention
    /// does.
    pub(crate) fn forget_names(&mut self, id: VertexId, text: &str) {
        let Some(object) = self.graph().object(id) else { return };
        let lost = names_only_in(self.graph(), object, text);
        if !lost.is_empty() {
            self.change_object(id, |object| drop_names(object, &lost));
        }
    }
}

/// The names of an object that `text` bears and none of its mentions does.
pub(crate) fn names_only_in(graph: &Graph, object: &Object, text: &str) -> BTreeSet<String> {
    let mut lost: BTreeSet<String> =
        object.names().filter(|name| bears(text, name)).map(str::to_owned).collect();
    for &episode in &object.mentions {
        // Most names are found in the first mention, so hubs cost little.
        if lost.is_empty() {
            break;
        }
        let remaining = bearing_text(graph, episode);
        lost.retain(|name| !bears(&remaining, name));
    }
    lost
}

/// Takes names off an object. Something must be shown: of an object that would lose all, the shown name stays.
pub(crate) fn drop_names(object: &mut Object, lost: &BTreeSet<String>) {
    object.aliases.retain(|alias| !lost.contains(alias));
    if lost.contains(&object.name)
        && let Some(alias) = object.aliases.pop_first()
    {
        object.name = alias;
    }
}

/// Everything an episode could have given a name by, normalised, a part a line: its page's address, title, author
/// and site, its headings, its text.
pub(crate) fn bearing_text(graph: &Graph, id: VertexId) -> String {
    let Some(episode) = graph.episode(id) else { return String::new() };
    let page = graph.page(episode.page);
    let mut text = page.map(|page| page.url.clone() + "\n").unwrap_or_default();
    let of_page =
        page.into_iter().flat_map(|page| [Some(&page.title), page.author.as_ref(), page.site.as_ref()]);
    for part in of_page.flatten().chain(&episode.headings).chain([&episode.text]) {
        text.push_str(&normalize_name(part));
        text.push('\n');
    }
    text
}

fn bears(text: &str, name: &str) -> bool {
    text.contains(&normalize_name(name)) || text.contains(name)
}
