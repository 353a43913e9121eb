use loci_graph::VertexId;
use rustc_hash::FxHashMap;

use crate::{By, Path, Seed};

/// Personalised PageRank by forward push (Andersen, Chung & Lang, FOCS 2006): work only where mass arrives, so the
/// cost follows the neighbourhood of the seeds, not the size of the graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PageRank {
    /// Probability of walking on; 1 − damping returns to the seeds.
    pub damping: f32,
    /// A vertex passes mass on while it holds more than this share of all.
    pub tolerance: f32,
}

/// A weighted step out of a vertex.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arc {
    pub to: VertexId,
    pub weight: f32,
    pub by: By,
}

/// Ranks and the tree of first arrivals.
#[derive(Default)]
pub(crate) struct Ranks {
    places: FxHashMap<VertexId, u32>,
    vertices: Vec<Ranked>,
}

struct Ranked {
    vertex: VertexId,
    rank: f32,
    residual: f32,
    /// Where mass first came from; `None` for a seed.
    parent: Option<(u32, By)>,
    /// Range of the arcs, once they are known.
    arcs: Option<(u32, u32)>,
}

impl PageRank {
    /// Spreads the seeds' weights (normalised to 1) along the arcs that `expand` lists for a vertex. Arcs need not
    /// be normalised; those without positive weight are passed over.
    pub fn run(self, seeds: &[Seed], mut expand: impl FnMut(VertexId, &mut Vec<Arc>)) -> Ranks {
        /// By then less than damping³² of the mass is on its way.
        const MOST_ROUNDS: usize = 32;
        let mut ranks = Ranks::default();
        let total: f32 = seeds.iter().map(|seed| seed.weight).sum();
        if total <= 0.0 {
            return ranks;
        }
        for seed in seeds {
            let place = ranks.place(seed.vertex, None);
            ranks.vertices[place as usize].residual += seed.weight / total;
        }
        let mut targets: Vec<(u32, f32)> = Vec::new();
        let mut listed = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let active: Vec<u32> = (0..ranks.vertices.len() as u32)
                .filter(|&place| ranks.vertices[place as usize].residual > self.tolerance)
                .collect();
            if active.is_empty() {
                break;
            }
            for place in active {
                let at = place as usize;
                let residual = std::mem::take(&mut ranks.vertices[at].residual);
                let (start, end) = match ranks.vertices[at].arcs {
                    Some(range) => range,
                    None => {
                        listed.clear();
                        expand(ranks.vertices[at].vertex, &mut listed);
                        let range = ranks.add_arcs(place, &listed, &mut targets);
                        ranks.vertices[at].arcs = Some(range);
                        range
                    }
                };
                let arcs = &targets[start as usize..end as usize];
                if arcs.is_empty() {
                    ranks.vertices[at].rank += residual;
                    continue;
                }
                ranks.vertices[at].rank += (1.0 - self.damping) * residual;
                for &(to, share) in arcs {
                    ranks.vertices[to as usize].residual += self.damping * residual * share;
                }
            }
        }
        for vertex in &mut ranks.vertices {
            vertex.rank += (1.0 - self.damping) * std::mem::take(&mut vertex.residual);
        }
        ranks
    }
}

impl Ranks {
    fn place(&mut self, vertex: VertexId, parent: Option<(u32, By)>) -> u32 {
        let next = self.vertices.len() as u32;
        let place = *self.places.entry(vertex).or_insert(next);
        if place == next {
            self.vertices.push(Ranked { vertex, rank: 0.0, residual: 0.0, parent, arcs: None });
        }
        place
    }

    fn add_arcs(&mut self, from: u32, arcs: &[Arc], targets: &mut Vec<(u32, f32)>) -> (u32, u32) {
        let start = targets.len();
        let total: f32 = arcs.iter().map(|arc| arc.weight.max(0.0)).sum();
        for arc in arcs.iter().filter(|arc| arc.weight > 0.0) {
            let to = self.place(arc.to, Some((from, arc.by)));
            targets.push((to, arc.weight / total));
        }
        (start as u32, targets.len() as u32)
    }

    /// Rank of a vertex, 0 where no mass arrived.
    pub fn of(&self, vertex: VertexId) -> f32 {
        self.places.get(&vertex).map_or(0.0, |&place| self.vertices[place as usize].rank)
    }

    pub fn iter(&self) -> impl Iterator<Item = (VertexId, f32)> + '_ {
        self.vertices.iter().map(|ranked| (ranked.vertex, ranked.rank))
    }

    /// The way by which mass first came to the vertex.
    pub fn path(&self, vertex: VertexId, seeds: &[Seed]) -> Option<Path> {
        let mut steps = Vec::new();
        let mut at = &self.vertices[*self.places.get(&vertex)? as usize];
        while let Some((parent, by)) = at.parent {
            steps.push(crate::Step { by, to: at.vertex });
            at = &self.vertices[parent as usize];
        }
        let mut path = seeds.iter().find(|seed| seed.vertex == at.vertex)?.path();
        path.steps.extend(steps.into_iter().rev());
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;

    fn seed(vertex: u32, weight: f32) -> Seed {
        Seed { vertex: VertexId(vertex), weight, origin: Origin::Name(VertexId(vertex)) }
    }

    /// Two triangles that share vertex 2.
    const EDGES: [(u32, u32); 6] = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)];

    fn expand(vertex: VertexId, arcs: &mut Vec<Arc>) {
        for (a, b) in EDGES {
            for (from, to) in [(a, b), (b, a)] {
                if from == vertex.0 {
                    arcs.push(Arc { to: VertexId(to), weight: 1.0, by: By::Mention });
                }
            }
        }
    }

    /// The same by dense power iteration.
    fn reference(damping: f32, seeds: &[Seed]) -> [f32; 5] {
        let total: f32 = seeds.iter().map(|seed| seed.weight).sum();
        let mut reset = [0.0; 5];
        seeds.iter().for_each(|seed| reset[seed.vertex.0 as usize] += seed.weight / total);
        let mut rank = reset;
        for _ in 0..200 {
            let mut next = reset.map(|x| x * (1.0 - damping));
            for (from, &mass) in rank.iter().enumerate() {
                let mut arcs = Vec::new();
                expand(VertexId(from as u32), &mut arcs);
                for arc in &arcs {
                    next[arc.to.0 as usize] += damping * mass / arcs.len() as f32;
                }
            }
            rank = next;
        }
        rank
    }

    #[test]
    fn equals_power_iteration() {
        for (damping, seeds) in [(0.5, vec![seed(0, 2.0)]), (0.75, vec![seed(0, 1.0), seed(4, 3.0)])] {
            let ranks = PageRank { damping, tolerance: 1e-7 }.run(&seeds, expand);
            for (vertex, expected) in reference(damping, &seeds).into_iter().enumerate() {
                assert!((ranks.of(VertexId(vertex as u32)) - expected).abs() < 1e-3, "{vertex}");
            }
        }
    }

    #[test]
    fn paths_lead_from_a_seed_step_by_step() {
        let seeds = [seed(0, 1.0)];
        let ranks = PageRank { damping: 0.5, tolerance: 1e-6 }.run(&seeds, expand);
        let path = ranks.path(VertexId(4), &seeds).expect("reached");
        let steps: Vec<u32> = path.steps.iter().map(|step| step.to.0).collect();
        assert_eq!(steps, [2, 4]);
        assert_eq!(ranks.path(VertexId(0), &seeds), Some(Path::start(seeds[0].origin)));
        assert_eq!(ranks.path(VertexId(9), &seeds), None);
    }

    #[test]
    fn no_seed_no_rank() {
        assert_eq!(PageRank { damping: 0.5, tolerance: 1e-6 }.run(&[], expand).iter().count(), 0);
    }
}
