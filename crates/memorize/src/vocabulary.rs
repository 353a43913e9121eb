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
pub(crate) fn told(_graph: &Graph, relation: &str) -> Option<Told> {
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

/// Ways to cut a relation into qualifier and head, longest head first.
fn heads(key: &str) -> impl Iterator<Item = (&str, &str)> {
    let cjk = key.chars().any(is_cjk);
    let cuts = key.char_indices().skip(1).filter(move |(_, c)| cjk || *c == ' ').map(|(index, _)| index);
    // A single Chinese character is too little to tell what it heads.
    cuts.map(|index| (&key[..index], key[index..].trim())).filter(|(_, head)| head.chars().count() > 1)
}

#[cfg(test)]
mod tests {
    use loci_graph::Graph;

    use super::told;

    #[test]
    fn narrowed_relations_are_their_own() {
        let graph = Graph::default();
        let qualified = |relation: &str| told(&graph, relation).map(|told| (told.name, told.qualifier));
        assert_eq!(qualified("ticket price"), Some(("price", "ticket".into())));
        assert_eq!(qualified("price"), Some(("price", String::new())));
        assert_eq!(qualified("门票价格"), Some(("price", "门票".into())));
        assert_ne!(qualified("vice president of"), qualified("president of"));
        assert_eq!(qualified("admires"), None);
    }
}
