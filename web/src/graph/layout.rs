use super::quadtree::Quadtree;

/// Length a link wants to have, in layout units.
pub const LINK_LENGTH: f32 = 60.0;
/// Strength of repulsion between two vertices.
const REPULSION: f32 = 320.0;
/// Pull to the origin, so that unlinked parts stay in sight.
const GRAVITY: f32 = 0.035;
/// Share of the velocity that a tick keeps.
const KEEP: f32 = 0.6;
/// Share of its heat that the layout loses in a tick: about 300 ticks from start to rest.
const COOLING: f32 = 0.0228;
/// The layout rests below this heat.
const REST: f32 = 0.001;
/// Barnes–Hut opening angle: a cell of width w at distance d counts as one body when w / d is below it.
const THETA: f32 = 0.9;

/// A force-directed layout: repulsion by Barnes and Hut (Nature 324, 1986), links as springs weighted as in d3-force,
/// velocity Verlet steps under a falling heat. Deterministic; O((n + m) log n) a tick.
#[derive(Debug, Clone)]
pub struct Layout {
    positions: Vec<[f32; 2]>,
    velocities: Vec<[f32; 2]>,
    links: Vec<Link>,
    pinned: Option<usize>,
    heat: f32,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    from: usize,
    to: usize,
    /// 1 / the smaller degree of its ends: a hub is not pulled apart by its leaves.
    strength: f32,
    /// Share of the correction that `to` takes; the better linked end moves less.
    bias: f32,
}

impl Layout {
    /// `edges` are pairs of vertex indices; loops and pairs out of range are left out. `known` gives vertices a place
    /// to start from (kept from an earlier view); the others start on a sunflower spiral.
    pub fn new(vertices: usize, edges: &[(u32, u32)], known: &[Option<[f32; 2]>]) -> Layout {
        let start = |index: usize| {
            let [x, y] = spiral(index);
            // A known place is nudged by a hair: vertices that share one could never come apart.
            known
                .get(index)
                .copied()
                .flatten()
                .map_or([x, y], |[left, top]| [left + x * 1e-3, top + y * 1e-3])
        };
        let positions = (0..vertices).map(start).collect();
        Layout {
            positions,
            velocities: vec![[0.0; 2]; vertices],
            links: links(vertices, edges),
            pinned: None,
            heat: start_heat(vertices, known),
        }
    }

    /// One step. Does nothing at rest.
    pub fn tick(&mut self) {
        if self.at_rest() {
            return;
        }
        self.repel();
        self.pull_links();
        for index in 0..self.positions.len() {
            if self.pinned == Some(index) {
                self.velocities[index] = [0.0; 2];
                continue;
            }
            for axis in 0..2 {
                let velocity = &mut self.velocities[index][axis];
                *velocity = (*velocity - self.positions[index][axis] * GRAVITY * self.heat) * KEEP;
                self.positions[index][axis] += *velocity;
            }
        }
        self.heat -= self.heat * COOLING;
    }

    pub fn at_rest(&self) -> bool {
        self.heat < REST
    }

    pub fn positions(&self) -> &[[f32; 2]] {
        &self.positions
    }

    /// Holds a vertex where the pointer drags it, and warms the layout so that its neighbours follow.
    pub fn pin(&mut self, vertex: usize, position: [f32; 2]) {
        if let Some(place) = self.positions.get_mut(vertex) {
            *place = position;
            self.pinned = Some(vertex);
            self.heat = self.heat.max(0.25);
        }
    }

    pub fn unpin(&mut self) {
        self.pinned = None;
    }

    fn repel(&mut self) {
        let tree = Quadtree::new(&self.positions);
        let strength = REPULSION * self.heat;
        for (index, velocity) in self.velocities.iter_mut().enumerate() {
            let [x, y] = tree.repulsion(self.positions[index], THETA);
            velocity[0] += x * strength;
            velocity[1] += y * strength;
        }
    }

    fn pull_links(&mut self) {
        for &Link { from, to, strength, bias } in &self.links {
            let dx = self.positions[to][0] + self.velocities[to][0]
                - self.positions[from][0]
                - self.velocities[from][0];
            let dy = self.positions[to][1] + self.velocities[to][1]
                - self.positions[from][1]
                - self.velocities[from][1];
            let length = dx.hypot(dy).max(1e-3);
            let stretch = (length - LINK_LENGTH) / length * self.heat * strength;
            self.velocities[to][0] -= dx * stretch * bias;
            self.velocities[to][1] -= dy * stretch * bias;
            self.velocities[from][0] += dx * stretch * (1.0 - bias);
            self.velocities[from][1] += dy * stretch * (1.0 - bias);
        }
    }
}

/// A layout whose places are mostly known is warmed only enough to take in what is new.
fn start_heat(vertices: usize, known: &[Option<[f32; 2]>]) -> f32 {
    let placed = known.iter().flatten().count();
    match vertices {
        0 => 0.0,
        _ if 2 * placed > vertices => 0.3,
        _ => 1.0,
    }
}

fn links(vertices: usize, edges: &[(u32, u32)]) -> Vec<Link> {
    let ends = || {
        edges
            .iter()
            .map(|&(from, to)| (from as usize, to as usize))
            .filter(|&(from, to)| from != to && from < vertices && to < vertices)
    };
    let mut degree = vec![0_u32; vertices];
    for (from, to) in ends() {
        degree[from] += 1;
        degree[to] += 1;
    }
    ends()
        .map(|(from, to)| Link {
            from,
            to,
            strength: 1.0 / degree[from].min(degree[to]) as f32,
            bias: degree[from] as f32 / (degree[from] + degree[to]) as f32,
        })
        .collect()
}

/// Evenly spread, no two vertices at one place (Vogel's spiral).
fn spiral(index: usize) -> [f32; 2] {
    const GOLDEN_ANGLE: f32 = 2.399_963;
    let radius = 12.0 * (0.5 + index as f32).sqrt();
    let angle = index as f32 * GOLDEN_ANGLE;
    [radius * angle.cos(), radius * angle.sin()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(vertices: usize, edges: &[(u32, u32)], known: &[Option<[f32; 2]>]) -> Layout {
        let mut layout = Layout::new(vertices, edges, known);
        for _ in 0..1_000 {
            layout.tick();
        }
        assert!(layout.at_rest());
        layout
    }

    fn distance(layout: &Layout, a: usize, b: usize) -> f32 {
        let [a, b] = [layout.positions()[a], layout.positions()[b]];
        (a[0] - b[0]).hypot(a[1] - b[1])
    }

    fn clique(from: u32, to: u32) -> impl Iterator<Item = (u32, u32)> {
        (from..to).flat_map(move |a| (a + 1..to).map(move |b| (a, b)))
    }

    #[test]
    fn linked_vertices_rest_about_a_link_apart() {
        let layout = settled(2, &[(0, 1)], &[]);
        let apart = distance(&layout, 0, 1);
        assert!((LINK_LENGTH * 0.8..LINK_LENGTH * 1.6).contains(&apart), "{apart}");
    }

    #[test]
    fn clusters_come_apart() {
        let edges: Vec<_> = clique(0, 8).chain(clique(8, 16)).chain([(0, 8)]).collect();
        let layout = settled(16, &edges, &[]);
        let mean = |pairs: Vec<(u32, u32)>| {
            pairs.iter().map(|&(a, b)| distance(&layout, a as usize, b as usize)).sum::<f32>()
                / pairs.len() as f32
        };
        let within = mean(clique(0, 8).chain(clique(8, 16)).collect());
        let between = mean((0..8).flat_map(|a| (8..16).map(move |b| (a, b))).collect());
        assert!(between > 2.0 * within, "within {within}, between {between}");
    }

    #[test]
    fn bad_input_stays_finite() {
        let same_place = vec![Some([3.0, 3.0]); 50];
        for (vertices, edges, known) in [
            (0, vec![], vec![]),
            (1, vec![(0, 0), (0, 9)], vec![]),
            (50, vec![(0, 1), (0, 1), (1, 0)], same_place),
        ] {
            let layout = settled(vertices, &edges, &known);
            assert!(layout.positions().iter().flatten().all(|value| value.is_finite()));
        }
    }

    #[test]
    fn coincident_vertices_separate() {
        let layout = settled(30, &[], &vec![Some([0.0, 0.0]); 30]);
        let nearest = (0..30)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .map(|(a, b)| distance(&layout, a, b))
            .fold(f32::MAX, f32::min);
        assert!(nearest > 1.0, "{nearest}");
    }

    #[test]
    fn a_pinned_vertex_stays_and_pulls_its_neighbour() {
        let mut layout = settled(2, &[(0, 1)], &[]);
        layout.pin(0, [500.0, 0.0]);
        for _ in 0..400 {
            layout.tick();
        }
        assert_eq!(layout.positions()[0], [500.0, 0.0]);
        assert!(distance(&layout, 0, 1) < 200.0);
    }

    #[test]
    fn the_same_graph_is_laid_out_the_same() {
        let edges: Vec<_> = clique(0, 6).collect();
        assert_eq!(settled(40, &edges, &[]).positions(), settled(40, &edges, &[]).positions());
    }
}
