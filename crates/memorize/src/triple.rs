use loci_graph::{
    Edit, FactId, FactMeta, Graph, Key, Record, Timestamp, Triple, Validity, VertexId, normalize_name,
};

/// Subject, relation, object, and when the text says it held.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement<'a> {
    pub subject: VertexId,
    pub relation: &'a str,
    pub object: VertexId,
    pub valid: Validity,
}

/// The triple that holds a statement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stated {
    pub fact: FactId,
    /// Whether it was not known before.
    pub new: bool,
}

/// Makes a statement part of the memory: known ones gain the support of `meta`, others become a new triple.
///
/// A statement that a newer fact has outdated is known, not new: an old text read late does not bring it back. One
/// made after that newer fact is a new triple with a period of its own.
pub(crate) fn state(edit: &mut Edit<'_>, statement: &Statement<'_>, meta: FactMeta) -> Stated {
    let known = known(edit.graph(), statement, &meta);
    let fact = match known {
        Some(fact) => {
            edit.change_triple(fact, |triple| {
                triple.meta.valid.from = triple.meta.valid.from.or(statement.valid.from);
                if triple.meta.retired.is_none() {
                    triple.meta.valid.to = triple.meta.valid.to.or(statement.valid.to);
                }
                triple.meta.origin = triple.meta.origin.max(meta.origin);
            });
            fact
        }
        None => {
            let id = edit.new_fact();
            let Statement { subject, relation, object, valid } = *statement;
            let meta = FactMeta { valid, ..meta.clone() };
            edit.put(Record::Triple(Triple {
                id,
                subject,
                relation: relation.trim().to_owned(),
                object,
                meta,
            }));
            id
        }
    };
    for &episode in &meta.support {
        edit.support(Key::Triple(fact), episode);
    }
    Stated { fact, new: known.is_none() }
}

/// The latest date at which a source states the fact: the page's publication, else its capture.
pub(crate) fn asserted(graph: &Graph, meta: &FactMeta) -> Timestamp {
    let dates = meta.support.iter().filter_map(|episode| date_of(graph, *episode));
    dates.max().unwrap_or(meta.recorded)
}

/// The date an episode speaks from.
pub(crate) fn date_of(graph: &Graph, episode: VertexId) -> Option<Timestamp> {
    let episode = graph.episode(episode)?;
    let published = graph.page(episode.page).and_then(|page| page.published);
    Some(published.unwrap_or(episode.captured))
}

fn known(graph: &Graph, statement: &Statement<'_>, meta: &FactMeta) -> Option<FactId> {
    let relation = normalize_name(statement.relation);
    let end = [statement.subject, statement.object].into_iter().min_by_key(|end| graph.degree(*end))?;
    let now = asserted(graph, meta);
    let same = |triple: &&Triple| {
        triple.subject == statement.subject
            && triple.object == statement.object
            && normalize_name(&triple.relation) == relation
            && may_be_one(triple.meta.valid, statement.valid)
            && !outdated_before(graph, triple, now)
    };
    graph.triples_at(end).filter(same).map(|triple| triple.id).min()
}

/// Whether two periods may be one: they overlap as far as is known, and do not begin at different times.
fn may_be_one(a: Validity, b: Validity) -> bool {
    let before = |end: Option<Timestamp>, start: Option<Timestamp>| {
        end.zip(start).is_some_and(|(end, start)| end <= start)
    };
    let begin_apart = a.from.zip(b.from).is_some_and(|(a, b)| a != b);
    !before(a.to, b.from) && !before(b.to, a.from) && !begin_apart
}

/// Whether the triple had been outdated by something said before `now`.
fn outdated_before(graph: &Graph, triple: &Triple, now: Timestamp) -> bool {
    let by = triple.meta.retired.and_then(|retired| retired.by).and_then(|by| graph.triple(by));
    by.is_some_and(|by| by.meta.valid.from.unwrap_or(asserted(graph, &by.meta)) < now)
}
