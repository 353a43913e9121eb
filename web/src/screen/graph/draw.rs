//! A scene onto a canvas.

use std::collections::HashMap;
use std::f64::consts::TAU;

use wasm_bindgen::JsValue;
use web_sys::CanvasRenderingContext2d;

use super::palette::Palette;
use crate::graph::{Camera, Labels, Rectangle, Scene, shortened};

/// Pixels of a label's height, its font size, and the most characters it shows.
const LABEL: (f32, f32, usize) = (15.0, 12.0, 26);
/// Labels that are tried at most: the best linked vertices in sight.
const MOST_LABELS: usize = 300;
/// Up to so many vertices none is covered by a label; in a crowd there would be no room left.
const MOST_SPARED: usize = 120;
/// What is not near the selection fades to this.
const FADED: f64 = 0.22;

/// What stands out.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Marked {
    pub selected: Option<u32>,
    pub hovered: Option<u32>,
}

/// Widths of labels at the label font size, measured once each.
#[derive(Default)]
pub struct Widths(HashMap<String, f32>);

impl Widths {
    fn of(&mut self, context: &CanvasRenderingContext2d, text: &str) -> f32 {
        if let Some(width) = self.0.get(text) {
            return *width;
        }
        let width = context
            .measure_text(text)
            .map_or(LABEL.1 * text.chars().count() as f32, |metrics| metrics.width() as f32);
        self.0.insert(text.to_owned(), width);
        width
    }
}

pub fn draw(
    context: &CanvasRenderingContext2d,
    scene: &Scene,
    camera: &Camera,
    palette: &Palette,
    marked: Marked,
    widths: &mut Widths,
) {
    let [width, height] = camera.viewport;
    context.clear_rect(0.0, 0.0, f64::from(width), f64::from(height));
    let near = Near::new(scene, marked);
    draw_edges(context, scene, camera, palette, &near);
    draw_vertices(context, scene, camera, palette, &near, marked);
    draw_labels(context, scene, camera, palette, &near, marked, widths);
}

/// The selection (or what the pointer rests on) and its neighbours; everything when nothing is marked.
struct Near {
    focus: Option<u32>,
    members: Vec<bool>,
}

impl Near {
    fn new(scene: &Scene, marked: Marked) -> Near {
        let focus = marked.selected.or(marked.hovered);
        let mut members = vec![focus.is_none(); scene.vertices.len()];
        if let Some(focus) = focus {
            members[focus as usize] = true;
            scene.neighbours(focus).iter().for_each(|&neighbour| members[neighbour as usize] = true);
        }
        Near { focus, members }
    }

    fn holds(&self, vertex: u32) -> bool {
        self.members[vertex as usize]
    }
}

fn draw_edges(
    context: &CanvasRenderingContext2d,
    scene: &Scene,
    camera: &Camera,
    palette: &Palette,
    near: &Near,
) {
    let at_focus = |from: u32, to: u32| near.focus.is_some_and(|focus| focus == from || focus == to);
    for strong in [false, true] {
        context.begin_path();
        for edge in scene.edges.iter().filter(|edge| at_focus(edge.from, edge.to) == strong) {
            let [x, y] = camera.to_screen(scene.positions[edge.from as usize]);
            let [end_x, end_y] = camera.to_screen(scene.positions[edge.to as usize]);
            if out_of_sight(camera, [x, y], [end_x, end_y]) {
                continue;
            }
            context.move_to(f64::from(x), f64::from(y));
            context.line_to(f64::from(end_x), f64::from(end_y));
        }
        context.set_global_alpha(if near.focus.is_some() && !strong { 0.35 } else { 1.0 });
        context.set_stroke_style_str(if strong { &palette.accent } else { &palette.line });
        context.set_line_width(if strong { 1.6 } else { 1.0 });
        context.stroke();
    }
    context.set_global_alpha(1.0);
}

/// One path a kind and brightness: the canvas is told its colour a few times, not once a vertex.
fn draw_vertices(
    context: &CanvasRenderingContext2d,
    scene: &Scene,
    camera: &Camera,
    palette: &Palette,
    near: &Near,
    marked: Marked,
) {
    let mut groups: HashMap<(&str, bool), Vec<u32>> = HashMap::new();
    for (index, vertex) in (0..).zip(&scene.vertices) {
        groups.entry((palette.kind(&vertex.kind), near.holds(index))).or_default().push(index);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|((_, bright), _)| *bright);
    for ((color, bright), members) in groups {
        context.begin_path();
        for index in members {
            let [x, y] = camera.to_screen(scene.positions[index as usize]);
            let radius = radius(scene, camera, index);
            if !out_of_sight(camera, [x - radius, y - radius], [x + radius, y + radius]) {
                outline(
                    context,
                    &scene.vertices[index as usize].kind,
                    f64::from(x),
                    f64::from(y),
                    f64::from(radius),
                );
            }
        }
        context.set_global_alpha(if bright { 1.0 } else { FADED });
        context.set_fill_style_str(color);
        context.fill();
        // A hair of paper keeps touching vertices apart.
        context.set_stroke_style_str(&palette.paper);
        context.set_line_width(1.0);
        context.stroke();
    }
    context.set_global_alpha(1.0);
    for (vertex, width) in [(marked.hovered, 1.5), (marked.selected, 2.5)] {
        let Some(vertex) = vertex else { continue };
        let [x, y] = camera.to_screen(scene.positions[vertex as usize]);
        context.begin_path();
        let ring = f64::from(radius(scene, camera, vertex)) + 3.0;
        outline(context, &scene.vertices[vertex as usize].kind, f64::from(x), f64::from(y), ring);
        context.set_stroke_style_str(&palette.ink);
        context.set_line_width(width);
        context.stroke();
    }
}

/// Things are discs, theses diamonds, pages squares: the kind does not hang on the colour alone.
fn outline(context: &CanvasRenderingContext2d, kind: &str, x: f64, y: f64, radius: f64) {
    match kind {
        "thesis" => {
            let reach = radius * 1.15;
            context.move_to(x, y - reach);
            context.line_to(x + reach, y);
            context.line_to(x, y + reach);
            context.line_to(x - reach, y);
            context.close_path();
        }
        "page" | "episode" => context.rect(x - radius * 0.85, y - radius * 0.85, radius * 1.7, radius * 1.7),
        _ => {
            context.move_to(x + radius, y);
            // Fails only for a negative radius.
            let _ = context.arc(x, y, radius, 0.0, TAU);
        }
    }
}

fn draw_labels(
    context: &CanvasRenderingContext2d,
    scene: &Scene,
    camera: &Camera,
    palette: &Palette,
    near: &Near,
    marked: Marked,
    widths: &mut Widths,
) {
    context.set_font(&format!("{}px {}", LABEL.1, palette.font));
    context.set_text_align("center");
    context.set_text_baseline("top");
    context.set_line_join("round");
    context.set_line_width(3.0);
    context.set_stroke_style_str(&palette.paper);
    let mut labels = Labels::default();
    let discs = (0..scene.vertices.len() as u32).filter(|&vertex| near.holds(vertex));
    if discs.clone().count() <= MOST_SPARED {
        for vertex in discs {
            let [x, y] = camera.to_screen(scene.positions[vertex as usize]);
            let radius = radius(scene, camera, vertex);
            labels.take(Rectangle {
                x: x - radius,
                y: y - radius,
                width: 2.0 * radius,
                height: 2.0 * radius,
            });
        }
    }
    let important = marked.selected.into_iter().chain(marked.hovered);
    let neighbours = near.focus.into_iter().flat_map(|focus| scene.neighbours(focus).iter().copied());
    let ranked = scene.by_rank.iter().copied().filter(|&vertex| near.holds(vertex));
    let mut tried = vec![false; scene.vertices.len()];
    let mut tries = 0;
    for vertex in important.chain(neighbours).chain(ranked) {
        let index = vertex as usize;
        let [x, y] = camera.to_screen(scene.positions[index]);
        if std::mem::replace(&mut tried[index], true) || out_of_sight(camera, [x, y], [x, y]) {
            continue;
        }
        tries += 1;
        if tries > MOST_LABELS {
            break;
        }
        let text = shortened(&scene.vertices[index].label, LABEL.2);
        let width = widths.of(context, &text) + 6.0;
        if let Some(place) =
            places(x, y, radius(scene, camera, vertex), width).into_iter().find(|place| labels.place(*place))
        {
            let color = if near.focus == Some(vertex) { &palette.ink } else { &palette.muted };
            write(context, &text, place.x + width / 2.0, place.y, color);
        }
    }
    draw_relations(context, scene, camera, palette, near, &mut labels, widths);
}

/// Where a vertex's label may stand: below, above, to the right, to the left.
fn places(x: f32, y: f32, radius: f32, width: f32) -> [Rectangle; 4] {
    let (gap, height) = (radius + 3.0, LABEL.0);
    let at = |x, y| Rectangle { x, y, width, height };
    [
        at(x - width / 2.0, y + gap),
        at(x - width / 2.0, y - gap - height),
        at(x + gap, y - height / 2.0),
        at(x - gap - width, y - height / 2.0),
    ]
}

/// What the edges of the focus say, at their middle, where there is room left.
fn draw_relations(
    context: &CanvasRenderingContext2d,
    scene: &Scene,
    camera: &Camera,
    palette: &Palette,
    near: &Near,
    labels: &mut Labels,
    widths: &mut Widths,
) {
    let Some(focus) = near.focus else { return };
    for edge in
        scene.edges.iter().filter(|edge| (edge.from == focus || edge.to == focus) && !edge.label.is_empty())
    {
        let from = camera.to_screen(scene.positions[edge.from as usize]);
        let to = camera.to_screen(scene.positions[edge.to as usize]);
        let text = shortened(&edge.label, LABEL.2);
        let width = widths.of(context, &text) + 6.0;
        let (x, y) = ((from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0 - LABEL.0 / 2.0);
        let place = Rectangle { x: x - width / 2.0, y, width, height: LABEL.0 };
        if labels.place(place) {
            // The line it names would run through the letters.
            context.set_fill_style_str(&palette.paper);
            context.fill_rect(f64::from(place.x), f64::from(y), f64::from(width), f64::from(LABEL.0));
            write(context, &text, x, y, &palette.accent);
        }
    }
}

fn write(context: &CanvasRenderingContext2d, text: &str, x: f32, y: f32, color: &str) {
    context.set_fill_style_str(color);
    let written = |result: Result<(), JsValue>| drop(result);
    written(context.stroke_text(text, f64::from(x), f64::from(y)));
    written(context.fill_text(text, f64::from(x), f64::from(y)));
}

fn radius(scene: &Scene, camera: &Camera, vertex: u32) -> f32 {
    // Far out the vertices shrink less than the distances, so that they stay visible.
    (scene.vertices[vertex as usize].radius * camera.scale.powf(0.6)).max(1.5)
}

fn out_of_sight(camera: &Camera, a: [f32; 2], b: [f32; 2]) -> bool {
    (0..2).any(|axis| a[axis].max(b[axis]) < -20.0 || a[axis].min(b[axis]) > camera.viewport[axis] + 20.0)
}
