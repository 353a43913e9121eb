use loci_graph::{Vertex, VertexId, Via};
use loci_index::{Named, words};
use rustc_hash::FxHashMap;

use crate::pagerank::Arc;
use crate::{By, walk::Walk};

/// How strongly mass flows along each kind of link. Zero closes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// Between subject and object, per triple.
    pub triple: f32,
    /// Between an object or thesis and the episodes it was taken from.
    pub member: f32,
    /// Between a thesis and its objects.
    pub thesis: f32,
    /// Between an object and episodes that hold its name, beyond those it was taken from.
    pub name: f32,
    /// From an episode to the pages whose title occurs in it, and back.
    pub mention: f32,
    pub mentioned: f32,
    /// Between the pages that bear one title.
    pub same_title: f32,
    /// Between an object and the pages that bear its name as title.
    pub title: f32,
    /// Arcs towards an object are divided by its degree, and arcs towards a page by the number of episodes that
    /// mention it, to this power: what is everywhere tells little.
    pub rarity: f32,
    pub page_rarity: f32,
}

/// The mixed graph with the links of the phrase dictionary laid over it.
pub(crate) struct Network<'a> {
    walk: Walk<'a>,
    flow: Flow,
}

impl<'a> Network<'a> {
    pub fn new(walk: Walk<'a>, flow: Flow) -> Network<'a> {
        Network { walk, flow }
    }

    /// Lists the arcs out of a vertex; parallel ones are joined.
    pub fn expand(&self, from: VertexId, arcs: &mut Vec<Arc>) {
        let Some(vertex) = self.walk.memory.graph.vertex(from) else {
            return;
        };
        let mut out = Arcs { network: self, from, arcs, places: FxHashMap::default() };
        for edge in self.walk.edges(from) {
            let weight = match edge.via {
                Via::Triple(..) => self.flow.triple,
                Via::Thesis => self.flow.thesis,
                Via::Episode => self.flow.member,
            };
            out.add(edge.to, weight, edge.via.into());
        }
        match vertex {
            Vertex::Episode(episode) => {
                for &named in self.walk.memory.indexes.mentions(from) {
                    match named {
                        Named::Page(page) => out.add_page(page, self.flow.mention),
                        Named::Object(object) => out.add_new(object, self.flow.name, By::Mention),
                    }
                }
                if self.flow.same_title > 0.0
                    && let Some(page) = self.walk.memory.graph.page(episode.page)
                {
                    self.each_bearer(&page.title, |named| match named {
                        Named::Page(page) => out.add_page(page, self.flow.same_title),
                        Named::Object(_) => {}
                    });
                }
                if self.flow.mentioned > 0.0 {
                    for mentioning in self.walk.memory.indexes.mentioned_by(Named::Page(episode.page)) {
                        out.add(mentioning, self.flow.mentioned, By::Mention);
                    }
                }
            }
            Vertex::Object(object) => {
                if self.flow.title > 0.0 {
                    for name in object.names() {
                        self.each_bearer(name, |named| match named {
                            Named::Page(page) => out.add_page(page, self.flow.title),
                            Named::Object(other) => out.add_new(other, self.flow.title, By::Synonym),
                        });
                    }
                }
                if self.flow.name > 0.0 {
                    for mentioning in self.walk.memory.indexes.mentioned_by(Named::Object(from)) {
                        out.add_new(mentioning, self.flow.name, By::Mention);
                    }
                }
            }
            Vertex::Thesis(_) => {}
        }
    }

    /// Everything that bears exactly this name.
    fn each_bearer(&self, name: &str, visit: impl FnMut(Named)) {
        let name = words(name);
        let spans = self.walk.memory.indexes.names_in(&name);
        let whole = spans.into_iter().filter(|span| span.start == 0 && span.end == name.len());
        whole.flat_map(|span| span.named).for_each(visit);
    }
}

/// Arcs under construction.
struct Arcs<'n, 'a, 'o> {
    network: &'n Network<'a>,
    from: VertexId,
    arcs: &'o mut Vec<Arc>,
    places: FxHashMap<VertexId, usize>,
}

impl Arcs<'_, '_, '_> {
    fn add(&mut self, to: VertexId, weight: f32, by: By) {
        let walk = self.network.walk;
        if weight <= 0.0 || to == self.from || !walk.enters(to) {
            return;
        }
        let weight = match walk.memory.graph.vertex(to) {
            Some(Vertex::Object(_)) if self.network.flow.rarity > 0.0 => {
                weight / (walk.memory.graph.degree(to).max(1) as f32).powf(self.network.flow.rarity)
            }
            _ => weight,
        };
        match self.places.get(&to) {
            Some(&place) => self.arcs[place].weight += weight,
            None => {
                self.places.insert(to, self.arcs.len());
                self.arcs.push(Arc { to, weight, by });
            }
        }
    }

    /// Adds an arc unless the graph already holds one.
    fn add_new(&mut self, to: VertexId, weight: f32, by: By) {
        if !self.places.contains_key(&to) {
            self.add(to, weight, by);
        }
    }

    /// Arcs to the passages of a page, which share the weight.
    fn add_page(&mut self, page: loci_graph::PageId, weight: f32) {
        if weight <= 0.0 {
            return;
        }
        let Some(page) = self.network.walk.memory.graph.page(page) else {
            return;
        };
        let mentioned =
            self.network.walk.memory.indexes.mentioned_by(Named::Page(page.id)).len().max(1) as f32;
        let weight = weight / mentioned.powf(self.network.flow.page_rarity) / page.episodes.len() as f32;
        for &episode in &page.episodes {
            self.add(episode, weight, By::Mention);
        }
    }
}
