//! The layout in a worker of its own: what runs there, and the page's end of it.

use std::collections::HashMap;

use js_sys::{Float32Array, Object, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::graph::{Layout, Scene};

/// Runs in `graph-worker.js`, which owns the loop and the messages.
#[wasm_bindgen]
pub struct LayoutWorker {
    layout: Layout,
}

#[wasm_bindgen]
impl LayoutWorker {
    /// `edges` are pairs of vertex indices, `places` pairs of coordinates, NaN where none is known.
    #[wasm_bindgen(constructor)]
    pub fn new(vertices: usize, edges: &[u32], places: &[f32]) -> LayoutWorker {
        let (pairs, _) = edges.as_chunks::<2>();
        let pairs: Vec<(u32, u32)> = pairs.iter().map(|&[from, to]| (from, to)).collect();
        let (places, _) = places.as_chunks::<2>();
        let known: Vec<_> =
            places.iter().map(|&[x, y]| (x.is_finite() && y.is_finite()).then_some([x, y])).collect();
        LayoutWorker { layout: Layout::new(vertices, &pairs, &known) }
    }

    /// Steps for about so many milliseconds, at least once. Whether the layout is at rest.
    pub fn run(&mut self, milliseconds: f64) -> bool {
        let end = js_sys::Date::now() + milliseconds;
        loop {
            self.layout.tick();
            if self.layout.at_rest() || js_sys::Date::now() >= end {
                return self.layout.at_rest();
            }
        }
    }

    /// x and y of every vertex in turn.
    pub fn positions(&self) -> Float32Array {
        Float32Array::from(self.layout.positions().as_flattened())
    }

    pub fn pin(&mut self, vertex: usize, x: f32, y: f32) {
        self.layout.pin(vertex, [x, y]);
    }

    pub fn unpin(&mut self) {
        self.layout.unpin();
    }
}

/// The page's end. Dropping it ends the worker.
pub struct LayoutLink {
    worker: Worker,
    /// Counts the graphs sent; positions of an earlier one are ignored.
    load: f64,
    _on_message: Closure<dyn Fn(MessageEvent)>,
}

impl LayoutLink {
    /// `moved` gets the number of the load, all positions, and whether they are final.
    pub fn new(moved: impl Fn(f64, &[f32], bool) + 'static) -> Option<LayoutLink> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name("loci-layout");
        let worker = Worker::new_with_options("graph-worker.js", &options).ok()?;
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data();
            let part = |name: &str| Reflect::get(&data, &name.into()).unwrap_or_default();
            if let Ok(positions) = part("positions").dyn_into::<Float32Array>() {
                let load = part("load").as_f64().unwrap_or_default();
                moved(load, &positions.to_vec(), part("rest").is_truthy());
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        Some(LayoutLink { worker, load: 0.0, _on_message: on_message })
    }

    /// Lays out a scene from the known places on. `quiet`: only the final positions are wanted. Returns the number
    /// of this load.
    pub fn load(&mut self, scene: &Scene, known: &HashMap<u32, [f32; 2]>, quiet: bool) -> f64 {
        self.load += 1.0;
        let edges: Vec<u32> = scene.edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        let place = |id: &u32| known.get(id).copied().unwrap_or([f32::NAN; 2]);
        let places: Vec<f32> = scene.vertices.iter().flat_map(|vertex| place(&vertex.id)).collect();
        self.post(&[
            ("load", self.load.into()),
            ("vertices", (scene.vertices.len() as f64).into()),
            ("edges", Uint32Array::from(edges.as_slice()).into()),
            ("places", Float32Array::from(places.as_slice()).into()),
            ("quiet", quiet.into()),
        ]);
        self.load
    }

    pub fn pin(&self, vertex: u32, position: [f32; 2]) {
        let [x, y] = position;
        self.post(&[("pin", vertex.into()), ("x", x.into()), ("y", y.into())]);
    }

    pub fn unpin(&self) {
        self.post(&[("unpin", true.into())]);
    }

    fn post(&self, entries: &[(&str, JsValue)]) {
        let message = Object::new();
        for (name, value) in entries {
            let _ = Reflect::set(&message, &(*name).into(), value);
        }
        // Fails only for values that cannot be cloned; these can.
        let _ = self.worker.post_message(&message);
    }
}

impl Drop for LayoutLink {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.terminate();
    }
}
