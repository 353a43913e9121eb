use std::collections::{HashMap, HashSet};

use loci_messages::GraphView;

use super::Camera;

/// Pixels around a vertex that still count as hitting it.
const REACH: f32 = 6.0;

/// A graph as it is drawn: vertices by index, each pair of linked vertices once, neighbours, and places.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    pub vertices: Vec<SceneVertex>,
    pub edges: Vec<SceneEdge>,
    /// Layout units; as many as vertices.
    pub positions: Vec<[f32; 2]>,
    /// Vertex indices, the best linked first.
    pub by_rank: Vec<u32>,
    index: HashMap<u32, u32>,
    neighbours: Vec<Vec<u32>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SceneVertex {
    pub id: u32,
    pub label: String,
    pub kind: String,
    pub degree: u32,
    /// Layout units; grows with the square root of the degree, so that the area tells it.
    pub radius: f32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneEdge {
    pub from: u32,
    pub to: u32,
    /// What the edge says; several relations between two vertices are joined.
    pub label: String,
}

impl Scene {
    /// Edges to vertices out of the view are left out. `known` are places by vertex id of an earlier scene.
    pub fn new(view: &GraphView, known: &HashMap<u32, [f32; 2]>) -> Scene {
        let vertices: Vec<SceneVertex> = view
            .vertices
            .iter()
            .map(|vertex| SceneVertex {
                id: vertex.id,
                label: vertex.label.clone(),
                kind: vertex.kind.clone(),
                degree: vertex.degree,
                radius: 3.5 + (vertex.degree as f32).sqrt().min(12.0),
            })
            .collect();
        let index: HashMap<u32, u32> =
            (0..).zip(&vertices).map(|(index, vertex)| (vertex.id, index)).collect();
        let edges = joined_edges(view, &index);
        let mut neighbours = vec![Vec::new(); vertices.len()];
        for edge in &edges {
            neighbours[edge.from as usize].push(edge.to);
            neighbours[edge.to as usize].push(edge.from);
        }
        let mut by_rank: Vec<u32> = (0..vertices.len() as u32).collect();
        by_rank.sort_by_key(|&index| std::cmp::Reverse(vertices[index as usize].degree));
        let positions =
            vertices.iter().map(|vertex| known.get(&vertex.id).copied().unwrap_or_default()).collect();
        Scene { vertices, edges, positions, by_rank, index, neighbours }
    }

    pub fn index_of(&self, id: u32) -> Option<u32> {
        self.index.get(&id).copied()
    }

    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[vertex as usize]
    }

    /// The vertex at a point of the screen: the nearest whose disc, a little widened, holds it.
    pub fn at(&self, camera: &Camera, point: [f32; 2]) -> Option<u32> {
        let distance = |index: usize| {
            let [x, y] = camera.to_screen(self.positions[index]);
            (x - point[0]).hypot(y - point[1])
        };
        (0..self.vertices.len())
            .map(|index| (distance(index), index))
            .filter(|&(distance, index)| {
                distance <= self.vertices[index].radius * camera.scale.max(0.6) + REACH
            })
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, index)| index as u32)
    }

    /// Vertices whose name holds `text`, case aside; names that begin with it first, then the best linked.
    pub fn find(&self, text: &str, most: usize) -> Vec<u32> {
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return Vec::new();
        }
        let (mut begins, mut holds) = (Vec::new(), Vec::new());
        for &index in &self.by_rank {
            match self.vertices[index as usize].label.to_lowercase().find(&text) {
                Some(0) => begins.push(index),
                Some(_) => holds.push(index),
                None => {}
            }
        }
        begins.extend(holds);
        begins.truncate(most);
        begins
    }

    /// Kinds in view with how many vertices are of each, the most frequent first.
    pub fn kinds(&self) -> Vec<(String, usize)> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for vertex in &self.vertices {
            *counts.entry(vertex.kind.as_str()).or_default() += 1;
        }
        let mut kinds: Vec<_> = counts.into_iter().map(|(kind, count)| (kind.to_owned(), count)).collect();
        kinds.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        kinds
    }
}

fn joined_edges(view: &GraphView, index: &HashMap<u32, u32>) -> Vec<SceneEdge> {
    let mut edges: Vec<SceneEdge> = Vec::new();
    let mut place: HashMap<(u32, u32), usize> = HashMap::new();
    let mut said: HashSet<(usize, &str)> = HashSet::new();
    for edge in &view.edges {
        let (Some(&from), Some(&to)) = (index.get(&edge.from), index.get(&edge.to)) else { continue };
        if from == to {
            continue;
        }
        let at = *place.entry((from.min(to), from.max(to))).or_insert_with(|| {
            edges.push(SceneEdge { from, to, label: String::new() });
            edges.len() - 1
        });
        if !edge.label.is_empty() && said.insert((at, &edge.label)) {
            let label = &mut edges[at].label;
            if !label.is_empty() {
                label.push_str(" · ");
            }
            label.push_str(&edge.label);
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use loci_messages::{GraphEdge, GraphVertex};

    use super::*;

    fn scene() -> Scene {
        let vertex = |(id, label, kind, degree): (u32, &str, &str, u32)| GraphVertex {
            id,
            label: label.into(),
            kind: kind.into(),
            degree,
        };
        let edge = |(from, to, label): (u32, u32, &str)| GraphEdge { from, to, label: label.into() };
        let vertices = [
            (7, "Marie Curie", "person", 4),
            (9, "Paris", "place", 1),
            (2, "Pierre Curie", "person", 9),
            (5, "居里", "person", 0),
        ];
        let edges = [
            (7, 9, "lives in"),
            (9, 7, "home of"),
            (7, 9, "lives in"),
            (7, 7, "knows"),
            (7, 99, "lost"),
            (2, 7, ""),
        ];
        let view =
            GraphView { vertices: vertices.map(vertex).to_vec(), edges: edges.map(edge).to_vec(), total: 4 };
        Scene::new(&view, &HashMap::from([(9, [100.0, 0.0])]))
    }

    #[test]
    fn each_pair_is_one_edge_and_lost_ends_are_left_out() {
        let scene = scene();
        let edges: Vec<_> =
            scene.edges.iter().map(|edge| (edge.from, edge.to, edge.label.as_str())).collect();
        assert_eq!(edges, [(0, 1, "lives in · home of"), (2, 0, "")]);
        assert_eq!(scene.neighbours(0), [1, 2]);
        assert_eq!(scene.by_rank[0], 2);
    }

    #[test]
    fn names_are_found_beginnings_first() {
        let scene = scene();
        for (text, expected) in
            [("CURIE", vec![2, 0]), ("p", vec![2, 1]), ("居", vec![3]), ("x", vec![]), (" ", vec![])]
        {
            assert_eq!(scene.find(text, 10), expected, "{text}");
        }
        assert_eq!(scene.find("curie", 1), [2]);
    }

    #[test]
    fn the_nearest_vertex_under_the_pointer_is_hit() {
        let scene = scene();
        let camera = Camera { center: [0.0; 2], scale: 2.0, viewport: [400.0, 400.0] };
        assert_eq!(scene.at(&camera, [400.0, 203.0]), Some(1));
        assert_eq!(scene.at(&camera, [300.0, 200.0]), None);
    }

    #[test]
    fn kinds_are_counted() {
        assert_eq!(scene().kinds(), [("person".to_owned(), 3), ("place".to_owned(), 1)]);
    }
}
