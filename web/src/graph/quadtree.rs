/// Cells are not split further below this depth, so that coincident bodies end in one leaf.
const MAX_DEPTH: u32 = 20;
/// Bodies nearer than this repel as if they were this far apart.
const MIN_DISTANCE_SQUARED: f32 = 9.0;
const NONE: u32 = u32::MAX;

/// A Barnes–Hut tree over points of mass 1.
#[derive(Debug)]
pub struct Quadtree {
    cells: Vec<Cell>,
    /// Width of the root cell.
    width: f32,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    children: [u32; 4],
    mass: f32,
    /// Sum of the positions while building, centre of mass afterwards.
    center: [f32; 2],
}

impl Cell {
    const EMPTY: Cell = Cell { children: [NONE; 4], mass: 0.0, center: [0.0; 2] };
}

impl Quadtree {
    pub fn new(bodies: &[[f32; 2]]) -> Quadtree {
        let (low, width) = bounds(bodies);
        let mut tree = Quadtree { cells: vec![Cell::EMPTY], width };
        for &body in bodies {
            tree.insert(body, low, width);
        }
        for cell in &mut tree.cells {
            cell.center = [cell.center[0] / cell.mass.max(1.0), cell.center[1] / cell.mass.max(1.0)];
        }
        tree
    }

    /// Σ (p − b) / |p − b|² over all other bodies b, cells seen under less than `theta` taken as one body. Bodies at
    /// the very place of `point` do not push it.
    pub fn repulsion(&self, point: [f32; 2], theta: f32) -> [f32; 2] {
        let mut force = [0.0_f32; 2];
        let mut open = vec![(0_usize, self.width)];
        while let Some((index, width)) = open.pop() {
            let cell = &self.cells[index];
            let (dx, dy) = (point[0] - cell.center[0], point[1] - cell.center[1]);
            let squared = dx * dx + dy * dy;
            let leaf = cell.children.iter().all(|&child| child == NONE);
            if leaf || width * width < theta * theta * squared {
                let weight = cell.mass / squared.max(MIN_DISTANCE_SQUARED);
                force[0] += dx * weight;
                force[1] += dy * weight;
            } else {
                open.extend(
                    cell.children
                        .iter()
                        .filter(|&&child| child != NONE)
                        .map(|&child| (child as usize, width / 2.0)),
                );
            }
        }
        force
    }

    /// Adds the body to every cell on its way down; a leaf is split when a second body arrives at another place.
    fn insert(&mut self, body: [f32; 2], mut low: [f32; 2], mut width: f32) {
        let mut index = 0_usize;
        for depth in 0.. {
            let cell = self.cells[index];
            let leaf = cell.children.iter().all(|&child| child == NONE);
            if leaf && cell.mass > 0.0 && depth < MAX_DEPTH {
                let resident = [cell.center[0] / cell.mass, cell.center[1] / cell.mass];
                let child = self.child(index, quadrant(resident, low, width));
                self.cells[child] = Cell { children: [NONE; 4], ..cell };
            }
            let is_leaf_now = leaf && (cell.mass == 0.0 || depth >= MAX_DEPTH);
            let cell = &mut self.cells[index];
            cell.mass += 1.0;
            cell.center[0] += body[0];
            cell.center[1] += body[1];
            if is_leaf_now {
                return;
            }
            let part = quadrant(body, low, width);
            index = self.child(index, part);
            width /= 2.0;
            low = [low[0] + width * (part & 1) as f32, low[1] + width * (part >> 1) as f32];
        }
    }

    fn child(&mut self, parent: usize, part: usize) -> usize {
        if self.cells[parent].children[part] == NONE {
            self.cells[parent].children[part] = self.cells.len() as u32;
            self.cells.push(Cell::EMPTY);
        }
        self.cells[parent].children[part] as usize
    }
}

fn quadrant(body: [f32; 2], low: [f32; 2], width: f32) -> usize {
    let half = width / 2.0;
    usize::from(body[0] >= low[0] + half) + 2 * usize::from(body[1] >= low[1] + half)
}

/// Lower corner and width of the smallest square that holds all bodies.
fn bounds(bodies: &[[f32; 2]]) -> ([f32; 2], f32) {
    let mut low = [f32::MAX; 2];
    let mut high = [f32::MIN; 2];
    for body in bodies {
        for axis in 0..2 {
            low[axis] = low[axis].min(body[axis]);
            high[axis] = high[axis].max(body[axis]);
        }
    }
    if bodies.is_empty() {
        return ([0.0; 2], 1.0);
    }
    (low, (high[0] - low[0]).max(high[1] - low[1]).max(1.0) * 1.001)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uneven but fixed points.
    fn points(count: usize) -> Vec<[f32; 2]> {
        (0..count)
            .map(|index| {
                let t = index as f32;
                [(t * 12.9898).sin() * 400.0, (t * 78.233).sin() * (50.0 + t)]
            })
            .collect()
    }

    fn exact(point: [f32; 2], bodies: &[[f32; 2]]) -> [f32; 2] {
        let mut force = [0.0; 2];
        for body in bodies {
            let (dx, dy) = (point[0] - body[0], point[1] - body[1]);
            let weight = 1.0 / (dx * dx + dy * dy).max(MIN_DISTANCE_SQUARED);
            force[0] += dx * weight;
            force[1] += dy * weight;
        }
        force
    }

    fn relative_error(theta: f32) -> f32 {
        let bodies = points(500);
        let tree = Quadtree::new(&bodies);
        let (mut error, mut size) = (0.0, 0.0);
        for &body in &bodies {
            let (near, true_force) = (tree.repulsion(body, theta), exact(body, &bodies));
            error += (near[0] - true_force[0]).powi(2) + (near[1] - true_force[1]).powi(2);
            size += true_force[0].powi(2) + true_force[1].powi(2);
        }
        (error / size).sqrt()
    }

    #[test]
    fn repulsion_is_exact_when_every_cell_is_opened() {
        assert!(relative_error(0.0) < 1e-3, "{}", relative_error(0.0));
    }

    #[test]
    fn the_approximation_stays_close() {
        assert!(relative_error(0.9) < 0.06, "{}", relative_error(0.9));
    }

    #[test]
    fn the_root_holds_every_body_once() {
        let mut bodies = points(100);
        bodies.extend([[7.0, 7.0]; 20]);
        assert_eq!(Quadtree::new(&bodies).cells[0].mass, 120.0);
    }
}
