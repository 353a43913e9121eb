//! How does a graph become a picture? Layout, camera and labels, free of any canvas.

mod camera;
mod labels;
mod layout;
mod quadtree;
mod scene;

pub use camera::Camera;
pub use labels::{Labels, Rectangle, shortened};
pub use layout::{LINK_LENGTH, Layout};
pub use scene::{Scene, SceneEdge, SceneVertex};
