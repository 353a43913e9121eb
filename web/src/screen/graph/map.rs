//! The map: a canvas that is panned, zoomed and pointed at.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ResizeObserver};

use super::super::app::go;
use super::super::live::live;
use super::super::text::t;
use super::draw::{Marked, Widths, draw};
use super::palette::Palette;
use super::worker::LayoutLink;
use crate::catalogue::Key;
use crate::graph::{Camera, Scene};
use crate::route::Route;

/// Pixels an arrow key moves the map, the factor of one zoom key, pixels around everything when it is fitted.
const STEP: f32 = 60.0;
const ZOOM: f32 = 1.3;
const MARGIN: f32 = 48.0;
/// Pixels of movement that make a press a drag.
const SLACK: f32 = 4.0;

#[component]
pub fn Map(scene: Memo<Scene>, vertex: Signal<Option<u32>>) -> impl IntoView {
    let settings = live().settings;
    let canvas = NodeRef::<html::Canvas>::new();
    let view = View::new();
    let handle = StoredValue::new_local(view.clone());
    Effect::new({
        let view = view.clone();
        move |_| {
            if let Some(canvas) = canvas.get() {
                view.attach(canvas);
            }
        }
    });
    Effect::new({
        let view = view.clone();
        move |_| scene.with(|scene| view.show(scene))
    });
    Effect::new({
        let view = view.clone();
        move |_| {
            let id = vertex.get();
            scene.track();
            view.select(id);
        }
    });
    // Colours follow the theme.
    Effect::new({
        let view = view.clone();
        move |_| {
            settings.track();
            view.repaint();
        }
    });
    let act = move |change: &dyn Fn(&mut State)| handle.with_value(|view| view.change(change));
    on_cleanup(move || handle.with_value(View::detach));
    view! {
        <div class="map">
            <canvas
                node_ref=canvas
                tabindex="0"
                role="application"
                aria-label=t(Key::GraphCanvas)
                aria-describedby="map-help"
                on:keydown=move |event| handle.with_value(|view| view.key(&event))
                on:wheel=move |event| handle.with_value(|view| view.wheel(&event))
                on:pointerdown=move |event| handle.with_value(|view| view.press(&event))
                on:pointermove=move |event| handle.with_value(|view| view.drag(&event))
                on:pointerup=move |event| handle.with_value(|view| view.release(&event, true))
                on:pointercancel=move |event| handle.with_value(|view| view.release(&event, false))
                on:pointerleave=move |_| act(&|state| state.marked.hovered = None)
            ></canvas>
            <p id="map-help" class="hidden">{t(Key::GraphCanvasHelp)}</p>
            <div class="map-tools">
                <button type="button" aria-label=t(Key::GraphZoomIn) title=t(Key::GraphZoomIn) on:click=move |_| act(&|state| state.zoom(ZOOM))>"+"</button>
                <button type="button" aria-label=t(Key::GraphZoomOut) title=t(Key::GraphZoomOut) on:click=move |_| act(&|state| state.zoom(1.0 / ZOOM))>"−"</button>
                <button type="button" aria-label=t(Key::GraphFit) title=t(Key::GraphFit) on:click=move |_| act(&State::fit)>"⤢"</button>
            </div>
        </div>
    }
}

struct State {
    scene: Scene,
    camera: Camera,
    marked: Marked,
    /// Places by vertex id, kept when another part of the graph is shown.
    places: HashMap<u32, [f32; 2]>,
    /// The camera follows the layout until the user takes it.
    held: bool,
    pointers: Vec<Pointer>,
    widths: Widths,
    palette: Option<Palette>,
    load: f64,
}

struct Pointer {
    id: i32,
    at: [f32; 2],
    start: [f32; 2],
    /// The vertex under it when it was pressed.
    vertex: Option<u32>,
    moved: bool,
}

#[derive(Clone)]
struct View {
    state: Rc<RefCell<State>>,
    surface: Rc<RefCell<Option<Surface>>>,
    layout: Rc<RefCell<Option<LayoutLink>>>,
    frame_asked: Rc<RefCell<bool>>,
}

struct Surface {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    observer: ResizeObserver,
    _on_resize: Closure<dyn Fn()>,
}

impl View {
    fn new() -> View {
        let state = State {
            scene: Scene::default(),
            camera: Camera::default(),
            marked: Marked::default(),
            places: HashMap::new(),
            held: false,
            pointers: Vec::new(),
            widths: Widths::default(),
            palette: None,
            load: 0.0,
        };
        let view = View {
            state: Rc::new(RefCell::new(state)),
            surface: Rc::default(),
            layout: Rc::default(),
            frame_asked: Rc::default(),
        };
        let moved = view.clone();
        *view.layout.borrow_mut() = LayoutLink::new(move |load, positions, _| {
            moved.change(|state| state.take_positions(load, positions))
        });
        view
    }

    fn attach(&self, canvas: HtmlCanvasElement) {
        let context = canvas.get_context("2d").ok().flatten().and_then(|context| context.dyn_into().ok());
        let Some(context) = context else { return };
        let view = self.clone();
        let on_resize = Closure::<dyn Fn()>::new(move || view.resize());
        let Ok(observer) = ResizeObserver::new(on_resize.as_ref().unchecked_ref()) else { return };
        observer.observe(&canvas);
        *self.surface.borrow_mut() = Some(Surface { canvas, context, observer, _on_resize: on_resize });
        self.resize();
    }

    /// Ends the worker and lets go of the canvas.
    fn detach(&self) {
        self.layout.borrow_mut().take();
        if let Some(surface) = self.surface.borrow_mut().take() {
            surface.observer.disconnect();
        }
    }

    fn resize(&self) {
        if let Some(surface) = &*self.surface.borrow() {
            let box_ = surface.canvas.get_bounding_client_rect();
            let ratio = window().device_pixel_ratio();
            surface.canvas.set_width((box_.width() * ratio).round() as u32);
            surface.canvas.set_height((box_.height() * ratio).round() as u32);
            // The context exists, so the transform is accepted.
            let _ = surface.context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
            self.state.borrow_mut().camera.viewport = [box_.width() as f32, box_.height() as f32];
        }
        self.change(|state| {
            if !state.held {
                state.fit_now();
            }
        });
    }

    fn show(&self, scene: &Scene) {
        let mut state = self.state.borrow_mut();
        let places = std::mem::take(&mut state.places);
        state.scene = scene.clone();
        state.scene.positions =
            scene.vertices.iter().map(|vertex| places.get(&vertex.id).copied().unwrap_or_default()).collect();
        state.marked = Marked::default();
        state.held = false;
        if let Some(layout) = &mut *self.layout.borrow_mut() {
            state.load = layout.load(scene, &places, wants_stillness());
        }
        state.places = places;
    }

    fn select(&self, id: Option<u32>) {
        self.change(|state| {
            state.marked.selected = id.and_then(|id| state.scene.index_of(id));
            state.bring_into_sight();
        });
    }

    fn repaint(&self) {
        self.change(|state| state.palette = None);
    }

    /// Changes the state and draws in the next frame.
    fn change(&self, change: impl Fn(&mut State)) {
        change(&mut self.state.borrow_mut());
        if !std::mem::replace(&mut *self.frame_asked.borrow_mut(), true) {
            let view = self.clone();
            request_animation_frame(move || {
                *view.frame_asked.borrow_mut() = false;
                view.draw();
            });
        }
    }

    fn draw(&self) {
        let surface = self.surface.borrow();
        let Some(surface) = &*surface else { return };
        let state = &mut *self.state.borrow_mut();
        if state.palette.is_none() {
            state.palette = Palette::of(&surface.canvas);
        }
        if let Some(palette) = &state.palette {
            draw(&surface.context, &state.scene, &state.camera, palette, state.marked, &mut state.widths);
        }
    }

    fn key(&self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let key = event.key();
        let pan = |by: [f32; 2]| self.change(move |state| state.pan(by));
        match key.as_str() {
            "ArrowLeft" => pan([STEP, 0.0]),
            "ArrowRight" => pan([-STEP, 0.0]),
            "ArrowUp" => pan([0.0, STEP]),
            "ArrowDown" => pan([0.0, -STEP]),
            "+" | "=" => self.change(|state| state.zoom(ZOOM)),
            "-" | "_" => self.change(|state| state.zoom(1.0 / ZOOM)),
            "0" => self.change(State::fit),
            "n" | "N" => self.change(|state| state.walk(1)),
            "p" | "P" => self.change(|state| state.walk(-1)),
            "Enter" => {
                let state = self.state.borrow();
                if let Some(index) = state.marked.hovered {
                    go(Route::Graph { vertex: Some(state.scene.vertices[index as usize].id) });
                }
            }
            "Escape" => go(Route::Graph { vertex: None }),
            _ => return,
        }
        event.prevent_default();
    }

    /// Plain wheel and pinch (which arrives as a wheel with the control key) zoom.
    fn wheel(&self, event: &WheelEvent) {
        event.prevent_default();
        let at = [event.offset_x() as f32, event.offset_y() as f32];
        let lines = if event.delta_mode() == 1 { 20.0 } else { 1.0 };
        let speed = if event.ctrl_key() { 0.01 } else { 0.0016 };
        let factor = (-event.delta_y() as f32 * lines * speed).exp().clamp(0.5, 2.0);
        self.change(|state| {
            state.camera.zoom(factor, at);
            state.held = true;
        });
    }

    fn press(&self, event: &PointerEvent) {
        if let Some(surface) = &*self.surface.borrow() {
            // A pointer that is gone already cannot be captured; its release will not come either.
            let _ = surface.canvas.set_pointer_capture(event.pointer_id());
        }
        let at = place_of(event);
        let state = &mut *self.state.borrow_mut();
        let vertex = state.scene.at(&state.camera, at);
        state.pointers.push(Pointer { id: event.pointer_id(), at, start: at, vertex, moved: false });
    }

    fn drag(&self, event: &PointerEvent) {
        let at = place_of(event);
        let id = event.pointer_id();
        let pinned = {
            let state = &mut *self.state.borrow_mut();
            state.move_pointer(id, at)
        };
        if let (Some((vertex, place)), Some(layout)) = (pinned, &*self.layout.borrow()) {
            layout.pin(vertex, place);
        }
        self.change(|_| {});
    }

    fn release(&self, event: &PointerEvent, may_click: bool) {
        let released = {
            let state = &mut *self.state.borrow_mut();
            let position = state.pointers.iter().position(|pointer| pointer.id == event.pointer_id());
            position.map(|position| state.pointers.remove(position))
        };
        if let Some(layout) = &*self.layout.borrow() {
            layout.unpin();
        }
        let Some(released) = released.filter(|pointer| may_click && !pointer.moved) else { return };
        let vertex = released.vertex.map(|index| self.state.borrow().scene.vertices[index as usize].id);
        go(Route::Graph { vertex });
    }
}

impl State {
    fn take_positions(&mut self, load: f64, positions: &[f32]) {
        let (positions, _) = positions.as_chunks::<2>();
        if load != self.load || positions.len() != self.scene.vertices.len() {
            return;
        }
        self.scene.positions = positions.to_vec();
        self.places.extend(self.scene.vertices.iter().map(|vertex| vertex.id).zip(positions.iter().copied()));
        if !self.held {
            self.fit_now();
        }
    }

    fn fit_now(&mut self) {
        self.camera.fit(&self.scene.positions, MARGIN);
    }

    fn fit(&mut self) {
        self.held = false;
        self.fit_now();
    }

    fn pan(&mut self, by: [f32; 2]) {
        self.held = true;
        self.camera.pan(by);
    }

    fn zoom(&mut self, factor: f32) {
        self.held = true;
        let middle = self.camera.viewport.map(|side| side / 2.0);
        self.camera.zoom(factor, middle);
    }

    /// Puts the mark on the next or previous vertex by rank, and the vertex into sight.
    fn walk(&mut self, by: i64) {
        let count = self.scene.by_rank.len() as i64;
        if count == 0 {
            return;
        }
        let marked = self.marked.hovered.or(self.marked.selected);
        let now = marked.and_then(|marked| self.scene.by_rank.iter().position(|&vertex| vertex == marked));
        let next = now.map_or(if by > 0 { 0 } else { count - 1 }, |now| (now as i64 + by).rem_euclid(count));
        let vertex = self.scene.by_rank[next as usize];
        self.marked.hovered = Some(vertex);
        self.center_if_hidden(vertex);
    }

    fn bring_into_sight(&mut self) {
        if let Some(selected) = self.marked.selected {
            self.center_if_hidden(selected);
        }
    }

    fn center_if_hidden(&mut self, vertex: u32) {
        let place = self.scene.positions[vertex as usize];
        let at = self.camera.to_screen(place);
        let hidden = (0..2).any(|axis| at[axis] < MARGIN || at[axis] > self.camera.viewport[axis] - MARGIN);
        if hidden {
            self.held = true;
            self.camera.center = place;
        }
    }

    /// Follows a pointer: hovering marks, one pressed pointer pans or drags a vertex, two pinch. A dragged vertex and
    /// its new place come back.
    fn move_pointer(&mut self, id: i32, at: [f32; 2]) -> Option<(u32, [f32; 2])> {
        let Some(index) = self.pointers.iter().position(|pointer| pointer.id == id) else {
            self.marked.hovered = self.scene.at(&self.camera, at);
            return None;
        };
        let other = self.pointers.iter().find(|pointer| pointer.id != id).map(|pointer| pointer.at);
        let pointer = &mut self.pointers[index];
        let before = std::mem::replace(&mut pointer.at, at);
        pointer.moved |= distance(pointer.start, at) > SLACK;
        if !pointer.moved {
            return None;
        }
        if let Some(other) = other {
            let middle = [(at[0] + other[0]) / 2.0, (at[1] + other[1]) / 2.0];
            let factor = distance(at, other) / distance(before, other).max(1.0);
            self.camera.zoom(factor.clamp(0.5, 2.0), middle);
            self.camera.pan([(at[0] - before[0]) / 2.0, (at[1] - before[1]) / 2.0]);
            self.held = true;
            return None;
        }
        self.held = true;
        match pointer.vertex {
            Some(vertex) => {
                let place = self.camera.to_world(at);
                self.scene.positions[vertex as usize] = place;
                Some((vertex, place))
            }
            None => {
                self.camera.pan([at[0] - before[0], at[1] - before[1]]);
                None
            }
        }
    }
}

fn place_of(event: &PointerEvent) -> [f32; 2] {
    [event.offset_x() as f32, event.offset_y() as f32]
}

fn distance(a: [f32; 2], b: [f32; 2]) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// With reduced motion the map appears laid out, it does not settle before the eyes.
fn wants_stillness() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)");
    query.ok().flatten().is_some_and(|query| query.matches())
}
