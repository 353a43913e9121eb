use loci_graph::{Graph, is_cjk};

use crate::aspect::{Aspect, Nature, aspect, relation_key};

/// What a relation tells of its holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub name: &'static str,
    /// What narrows it: "ticket" of "ticket price". Differently narrowed ones are different things.
    pub qualifier: String,
    pub nature: Nature,
    pub inverse: bool,
    pub ends: bool,
}

/// What a relation tells, by the seeds of the vocabulary: the relation itself, or its head ("ticket price" is a
/// price).
pub(crate) fn told(relation: &str) -> Option<Told> {
    let told = |aspect: Aspect, qualifier: &str| Told {
        name: aspect.name,
        qualifier: qualifier.trim().to_owned(),
        nature: aspect.nature,
        inverse: aspect.inverse,
        ends: aspect.ends,
    };
    if let Some(found) = aspect(relation) {
        return Some(told(found, ""));
    }
    let key = relation_key(relation);
    heads(&key).find_map(|(qualifier, head)| aspect(head).map(|aspect| told(aspect, qualifier)))
}

/// Whether the memory has seen a fact of the relation `old` outdated by one of the relation `new`, by a model's or
/// the user's judgement or by the text: then the two tell one thing that has one value at a time. So the vocabulary
/// grows with what is judged.
pub(crate) fn learned(graph: &Graph, new: &str, old: &str) -> bool {
    let mut outdated = graph.triples().filter_map(|triple| Some((triple, triple.meta.retired?.by?)));
    outdated.any(|(triple, by)| {
        relation_key(&triple.relation) == old
            && graph
                .triple(by)
                .is_some_and(|by| by.subject == triple.subject && relation_key(&by.relation) == new)
    })
}

/// Ways to cut a relation into qualifier and head, longest head first.
fn heads(key: &str) -> impl Iterator<Item = (&str, &str)> {
    let cjk = key.chars().any(is_cjk);
    let cuts = key.char_indices().skip(1).filter(move |(_, c)| cjk || *c == ' ').map(|(index, _)| index);
    // A single Chinese character is too little to tell what it heads.
    cuts.map(|index| (&key[..index], key[index..].trim())).filter(|(_, head)| head.chars().count() > 1)
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn narrowed_relations_are_their_own() {
        let qualified = |relation: &str| told(relation).map(|told| (told.name, told.qualifier));
        assert_eq!(qualified("ticket price"), Some(("price", "ticket".into())));
        assert_eq!(qualified("price"), Some(("price", String::new())));
        assert_eq!(qualified("门票价格"), Some(("price", "门票".into())));
        assert_ne!(qualified("vice president of"), qualified("president of"));
        assert_eq!(qualified("admires"), None);
    }
}
