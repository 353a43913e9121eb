/// Least and greatest pixels per layout unit.
const SCALES: (f32, f32) = (0.05, 8.0);

/// What part of the layout the canvas shows. Screen units are CSS pixels from the canvas's upper left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// The layout point in the middle of the canvas.
    pub center: [f32; 2],
    /// Pixels per layout unit.
    pub scale: f32,
    /// Size of the canvas.
    pub viewport: [f32; 2],
}

impl Default for Camera {
    fn default() -> Camera {
        Camera { center: [0.0; 2], scale: 1.0, viewport: [1.0; 2] }
    }
}

impl Camera {
    pub fn to_screen(&self, world: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|axis| (world[axis] - self.center[axis]) * self.scale + self.viewport[axis] / 2.0)
    }

    pub fn to_world(&self, screen: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|axis| (screen[axis] - self.viewport[axis] / 2.0) / self.scale + self.center[axis])
    }

    /// Moves the picture by so many pixels.
    pub fn pan(&mut self, by: [f32; 2]) {
        for (center, by) in self.center.iter_mut().zip(by) {
            *center -= by / self.scale;
        }
    }

    /// Changes the scale; what is at the screen point `at` stays there.
    pub fn zoom(&mut self, factor: f32, at: [f32; 2]) {
        let held = self.to_world(at);
        self.scale = (self.scale * factor).clamp(SCALES.0, SCALES.1);
        let moved = self.to_world(at);
        for axis in 0..2 {
            self.center[axis] += held[axis] - moved[axis];
        }
    }

    /// Shows all of `points` with `margin` pixels around them, never larger than 1.8 pixels a unit.
    pub fn fit(&mut self, points: &[[f32; 2]], margin: f32) {
        if points.is_empty() {
            return;
        }
        let side = |axis: usize| {
            let low = points.iter().map(|point| point[axis]).fold(f32::MAX, f32::min);
            let high = points.iter().map(|point| point[axis]).fold(f32::MIN, f32::max);
            (low, high)
        };
        let sides = [side(0), side(1)];
        self.center = sides.map(|(low, high)| (low + high) / 2.0);
        let fits = |axis: usize| {
            (self.viewport[axis] - 2.0 * margin).max(40.0) / (sides[axis].1 - sides[axis].0).max(1.0)
        };
        self.scale = fits(0).min(fits(1)).clamp(SCALES.0, 1.8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: [f32; 2], b: [f32; 2]) -> bool {
        (a[0] - b[0]).hypot(a[1] - b[1]) < 1e-2
    }

    #[test]
    fn zooming_holds_the_point_under_the_pointer() {
        let mut camera = Camera { viewport: [800.0, 600.0], ..Camera::default() };
        for (factor, at) in
            [(1.3, [100.0, 50.0]), (0.2, [799.0, 1.0]), (100.0, [400.0, 300.0]), (1e-6, [10.0, 10.0])]
        {
            let before = camera.to_world(at);
            camera.zoom(factor, at);
            assert!(near(camera.to_screen(before), at), "{factor}");
        }
    }

    #[test]
    fn panning_moves_the_picture_with_the_pointer() {
        let mut camera = Camera { viewport: [800.0, 600.0], scale: 2.5, ..Camera::default() };
        let held = camera.to_world([10.0, 20.0]);
        camera.pan([30.0, -5.0]);
        assert!(near(camera.to_screen(held), [40.0, 15.0]));
    }

    #[test]
    fn everything_is_in_sight_after_fitting() {
        let points = [[-900.0, 4.0], [300.0, -2_000.0], [0.0, 50.0]];
        let mut camera = Camera { viewport: [360.0, 640.0], ..Camera::default() };
        camera.fit(&points, 24.0);
        for point in points {
            let [x, y] = camera.to_screen(point);
            assert!((23.9..=336.1).contains(&x) && (23.9..=616.1).contains(&y), "{x} {y}");
        }
    }
}
