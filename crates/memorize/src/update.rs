use std::collections::BTreeSet;

use loci_graph::{Edit, FactId, Graph, Key, Timestamp, Triple, VertexId, Via, normalize_name};

use crate::{
    Likeness,
    aspect::{Nature, is_past, relation_key},
    triple::asserted,
    vocabulary::{Told, learned, told},
};

/// What a new triple did to older ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// Facts that it made outdated.
    pub retired: Vec<Key>,
    /// Triples that contradict it; nothing says which is right.
    pub conflicts: Vec<FactId>,
    /// The newer triple by which it was past when it came.
    pub past: Option<FactId>,
}

/// Cosine (e5) from which two relations count as wordings of one.
const SAME_RELATION: f32 = 0.93;

/// Most facts that a model is asked about for one new fact.
const MOST_CANDIDATES: usize = 20;

/// The current triples that a new one may make outdated, for a model to judge: those about one of its ends, most
/// alike in relation first, at most 20.
pub fn possibly_outdated(graph: &Graph, fact: FactId) -> Vec<FactId> {
    let Some(new) = graph.triple(fact) else { return Vec::new() };
    let key = relation_key(&new.relation);
    let around = [new.subject, new.object].into_iter().flat_map(|end| graph.triples_at(end));
    let mut found: Vec<(u8, FactId)> = around
        .filter(|old| old.id != fact && old.meta.retired.is_none())
        .filter(|old| (old.subject, old.object) != (new.subject, new.object))
        .map(|old| {
            let alike = relation_key(&old.relation) == key;
            let aside = old.subject != new.subject;
            (u8::from(!alike) * 2 + u8::from(aside), old.id)
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST_CANDIDATES);
    found.into_iter().map(|(_, id)| id).collect()
}

/// Carries out a judgement that `new` and `old` tell the same of the same thing and cannot both hold: the one that
/// holds since later retires the other. Without an order in time they are flagged as a conflict.
pub fn outdate(edit: &mut Edit<'_>, new: FactId, old: FactId) -> Settled {
    let mut settled = Settled::default();
    let graph = edit.graph();
    let (Some(newer), Some(older)) = (graph.triple(new).cloned(), graph.triple(old).cloned()) else {
        return settled;
    };
    succeed(edit, &newer, &older, &mut settled);
    settled
}

/// Sets a new triple against the facts about the same thing, by a rule that keeps when unsure: only relations known
/// to have one value at a time outdate each other, and only along time.
pub(crate) fn settle(edit: &mut Edit<'_>, fact: FactId, likeness: &dyn Likeness) -> Settled {
    let mut settled = Settled::default();
    let Some(new) = edit.graph().triple(fact).cloned() else { return settled };
    if is_past(&new.relation) {
        return settled;
    }
    let mut rivals: Vec<(Rivalry, Triple)> = rivals(edit.graph(), &new, likeness);
    // Oldest first: a late fact is then past by the one that followed it next.
    rivals.sort_by_key(|(_, old)| (since(edit.graph(), old), old.id));
    for (rivalry, old) in rivals {
        let graph = edit.graph();
        match rivalry {
            Rivalry::Successive => succeed(edit, &new, &old, &mut settled),
            Rivalry::Contradictory if says_correction(graph, &new) => {
                retire(edit, &old, &new, None, &mut settled.retired);
            }
            Rivalry::Contradictory => conflict(edit, &new, &old, &mut settled),
            Rivalry::Ended if since(graph, &new) >= since(graph, &old) => {
                let end = Some(since(graph, &new));
                retire(edit, &old, &new, end, &mut settled.retired);
            }
            Rivalry::EndedBy if since(graph, &old) > since(graph, &new) => {
                past(edit, &new, &old, &mut settled);
            }
            Rivalry::Ended | Rivalry::EndedBy => {}
        }
        if settled.past.is_some() {
            break;
        }
    }
    settled
}

/// How an older triple stands to a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rivalry {
    /// Different values of one changing aspect.
    Successive,
    /// Different values of one that never changes.
    Contradictory,
    /// The new one says that the old one's value no longer holds.
    Ended,
    /// The old one says so of the new.
    EndedBy,
}

fn rivals(graph: &Graph, new: &Triple, likeness: &dyn Likeness) -> Vec<(Rivalry, Triple)> {
    let ends = BTreeSet::from([new.subject, new.object]);
    let around: BTreeSet<FactId> =
        ends.iter().flat_map(|end| graph.triples_at(*end)).map(|triple| triple.id).collect();
    let old = around.into_iter().filter(|id| *id != new.id).filter_map(|id| graph.triple(id));
    let believed = old.filter(|old| old.meta.retired.is_none() && !is_past(&old.relation));
    believed.filter_map(|old| Some((rivalry(graph, new, old, likeness)?, old.clone()))).collect()
}

fn rivalry(graph: &Graph, new: &Triple, old: &Triple, likeness: &dyn Likeness) -> Option<Rivalry> {
    let (a, b) = (told(&new.relation), told(&old.relation));
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (Some(a), None) if alike(new, old, likeness) => (a.clone(), a),
        (None, Some(b)) if alike(new, old, likeness) => (b.clone(), b),
        (None, None) => return unlisted(graph, new, old),
        _ => return None,
    };
    if (a.name, &a.qualifier) != (b.name, &b.qualifier) || a.nature == Nature::Many {
        return None;
    }
    let ((holder, value), (old_holder, old_value)) = (ends(new, &a), ends(old, &b));
    if holder != old_holder {
        return None;
    }
    let same = same_value(graph, value, old_value);
    match (a.ends, b.ends) {
        (true, false) => same.then_some(Rivalry::Ended),
        (false, true) => same.then_some(Rivalry::EndedBy),
        (true, true) => None,
        (false, false) if same => None,
        (false, false) if a.nature == Nature::Fixed => Some(Rivalry::Contradictory),
        (false, false) => Some(Rivalry::Successive),
    }
}

/// Relations of which the seeds say nothing: another value follows the older when the memory has seen the one
/// relation outdate the other before; the same relation also when both values are quantities, or when the new text
/// says that something changed.
fn unlisted(graph: &Graph, new: &Triple, old: &Triple) -> Option<Rivalry> {
    let (key, old_key) = (relation_key(&new.relation), relation_key(&old.relation));
    let (value, old_value) = if new.subject == old.subject {
        (new.object, old.object)
    } else if new.object == old.object {
        (new.subject, old.subject)
    } else {
        return None;
    };
    let quantities = [value, old_value].into_iter().all(|id| is_quantity(graph, id));
    let same_subject = new.subject == old.subject;
    let follows = key == old_key && (same_subject && quantities || says_change(graph, new))
        || same_subject && learned(graph, &key, &old_key);
    (follows && !same_value(graph, value, old_value)).then_some(Rivalry::Successive)
}

fn alike(new: &Triple, old: &Triple, likeness: &dyn Likeness) -> bool {
    let sides = new.subject == old.subject || new.object == old.object;
    sides && likeness.phrases(&new.relation, &old.relation).is_some_and(|cosine| cosine >= SAME_RELATION)
}

/// Holder and value of what the triple tells.
fn ends(triple: &Triple, told: &Told) -> (VertexId, VertexId) {
    if told.inverse { (triple.object, triple.subject) } else { (triple.subject, triple.object) }
}

/// The later of two values of one changing aspect retires the other.
fn succeed(edit: &mut Edit<'_>, new: &Triple, old: &Triple, settled: &mut Settled) {
    let graph = edit.graph();
    if periods_apart(new, old) {
        return;
    }
    match since(graph, new).cmp(&since(graph, old)) {
        std::cmp::Ordering::Greater => {
            let end = Some(since(graph, new));
            begin(edit, new, end);
            retire(edit, old, new, end, &mut settled.retired);
        }
        std::cmp::Ordering::Less => past(edit, new, old, settled),
        std::cmp::Ordering::Equal => conflict(edit, new, old, settled),
    }
}

/// Flags a contradiction, unless one page says both: then it means both.
fn conflict(edit: &mut Edit<'_>, new: &Triple, old: &Triple, settled: &mut Settled) {
    let graph = edit.graph();
    let pages = |triple: &Triple| -> BTreeSet<_> {
        let episodes = triple.meta.support.iter().filter_map(|id| graph.episode(*id));
        episodes.map(|episode| episode.page).collect()
    };
    if pages(new).is_disjoint(&pages(old)) {
        edit.flag_conflict(new.id, old.id);
        settled.conflicts.push(old.id);
    }
}

fn past(edit: &mut Edit<'_>, new: &Triple, newer: &Triple, settled: &mut Settled) {
    let end = since(edit.graph(), newer);
    begin(edit, newer, Some(end));
    edit.retire(Key::Triple(new.id), Some(newer.id), Some(end));
    settled.past = Some(newer.id);
}

/// A value that follows another began, as far as is known, when the other ended.
fn begin(edit: &mut Edit<'_>, triple: &Triple, at: Option<Timestamp>) {
    edit.change_triple(triple.id, |triple| triple.meta.valid.from = triple.meta.valid.from.or(at));
}

/// Retires a triple and the theses that say nothing else.
fn retire(edit: &mut Edit<'_>, old: &Triple, by: &Triple, end: Option<Timestamp>, retired: &mut Vec<Key>) {
    for thesis in theses_saying(edit.graph(), old) {
        edit.retire(Key::Vertex(thesis), Some(by.id), end);
        retired.push(Key::Vertex(thesis));
    }
    edit.retire(Key::Triple(old.id), Some(by.id), end);
    retired.push(Key::Triple(old.id));
}

/// Theses about both ends of the triple, from its sources alone, when it is all that these say of the two.
fn theses_saying(graph: &Graph, triple: &Triple) -> Vec<VertexId> {
    let says_more = graph.triples_at(triple.subject).any(|other| {
        other.id != triple.id
            && (other.object == triple.object || other.subject == triple.object)
            && !other.meta.support.is_disjoint(&triple.meta.support)
    });
    if says_more {
        return Vec::new();
    }
    let theses = graph.edges(triple.subject).filter(|edge| edge.via == Via::Thesis);
    let saying = theses.filter_map(|edge| graph.thesis(edge.to)).filter(|thesis| {
        thesis.meta.retired.is_none()
            && thesis.objects == BTreeSet::from([triple.subject, triple.object])
            && thesis.meta.support.is_subset(&triple.meta.support)
    });
    saying.map(|thesis| thesis.id).collect()
}

/// Since when a triple holds, as far as is known: as the text says, else since its source was written.
fn since(graph: &Graph, triple: &Triple) -> Timestamp {
    triple.meta.valid.from.unwrap_or_else(|| asserted(graph, &triple.meta))
}

/// Whether the texts give two periods that do not meet.
fn periods_apart(a: &Triple, b: &Triple) -> bool {
    let before =
        |a: &Triple, b: &Triple| a.meta.valid.to.zip(b.meta.valid.from).is_some_and(|(to, from)| to <= from);
    before(a, b) || before(b, a)
}

/// Whether two objects name one value: the same, or one name within the other ("Berlin", "Berlin, Germany").
fn same_value(graph: &Graph, a: VertexId, b: VertexId) -> bool {
    if a == b {
        return true;
    }
    let names = |id: VertexId| -> Vec<String> {
        graph.object(id).map(|object| object.names().map(normalize_name).collect()).unwrap_or_default()
    };
    let within = |part: &str, whole: &str| format!(" {whole} ").contains(&format!(" {part} "));
    let others = names(b);
    names(a).iter().any(|a| others.iter().any(|b| within(a, b) || within(b, a)))
}

fn is_quantity(graph: &Graph, id: VertexId) -> bool {
    graph.object(id).is_some_and(|object| {
        let digits = object.name.chars().filter(char::is_ascii_digit).count();
        digits > 0 && digits * 4 >= object.name.chars().filter(|c| c.is_alphanumeric()).count()
    })
}

fn says_change(graph: &Graph, triple: &Triple) -> bool {
    const MORE: &[&str] = &["also", "another", "additionally", "besides", "too", "both"];
    const CHANGE: &[&str] = &[
        "now",
        "longer",
        "changed",
        "changes",
        "replaced",
        "replaces",
        "replacing",
        "instead",
        "new",
        "switched",
        "became",
        "currently",
        "latest",
        "updated",
        "succeeds",
        "succeeded",
        "anymore",
        "formerly",
        "previously",
    ];
    const MORE_ZH: &[&str] = &["也", "还", "另", "又", "同时"];
    const CHANGE_ZH: &[&str] =
        &["现在", "不再", "改为", "改成", "换成", "取代", "接替", "目前", "新任", "变为", "如今", "已改"];
    says(graph, triple, CHANGE, CHANGE_ZH) && !says(graph, triple, MORE, MORE_ZH)
}

fn says_correction(graph: &Graph, triple: &Triple) -> bool {
    const WORDS: &[&str] =
        &["correction", "corrected", "mistakenly", "erroneously", "erratum", "wrongly", "actually"];
    const CHINESE: &[&str] = &["更正", "勘误", "纠正", "误报", "实为", "应为", "有误"];
    says(graph, triple, WORDS, CHINESE)
}

fn says(graph: &Graph, triple: &Triple, words: &[&str], chinese: &[&str]) -> bool {
    triple.meta.support.iter().filter_map(|id| graph.episode(*id)).any(|episode| {
        let normal = normalize_name(&episode.text);
        normal.split(' ').any(|word| words.contains(&word))
            || chinese.iter().any(|word| normal.contains(word))
    })
}
