use std::collections::HashMap;

/// Side of the buckets that overlap is looked for in, in pixels.
const BUCKET: f32 = 64.0;

/// A rectangle on the screen, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

impl Rectangle {
    pub fn overlaps(&self, other: &Rectangle) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }
}

/// Places labels one after the other, the most important first; one that would cover an earlier label is left out.
#[derive(Debug, Default)]
pub struct Labels {
    placed: Vec<Rectangle>,
    buckets: HashMap<(i32, i32), Vec<u32>>,
}

impl Labels {
    /// Whether the label has room. If so the room is taken.
    pub fn place(&mut self, label: Rectangle) -> bool {
        let covered = buckets(&label)
            .filter_map(|key| self.buckets.get(&key))
            .flatten()
            .any(|&index| self.placed[index as usize].overlaps(&label));
        if covered {
            return false;
        }
        self.take(label);
        true
    }

    /// Takes the room whether it is free or not: for what labels must not cover.
    pub fn take(&mut self, room: Rectangle) {
        let index = self.placed.len() as u32;
        self.placed.push(room);
        for key in buckets(&room) {
            self.buckets.entry(key).or_default().push(index);
        }
    }
}

/// A name cut to at most `most` characters, with an ellipsis where it was cut.
pub fn shortened(name: &str, most: usize) -> String {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.chars().count() <= most {
        return name;
    }
    let kept: String = name.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

fn buckets(room: &Rectangle) -> impl Iterator<Item = (i32, i32)> + use<> {
    let (left, right) = (bucket(room.x), bucket(room.x + room.width));
    let (top, bottom) = (bucket(room.y), bucket(room.y + room.height));
    (left..=right).flat_map(move |x| (top..=bottom).map(move |y| (x, y)))
}

fn bucket(position: f32) -> i32 {
    (position / BUCKET).floor() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_placed_labels_overlap_and_none_is_left_out_needlessly() {
        let wanted: Vec<Rectangle> = (0..400)
            .map(|index| {
                let t = index as f32;
                Rectangle {
                    x: (t * 12.9898).sin() * 400.0,
                    y: (t * 78.233).sin() * 300.0,
                    width: 40.0 + t % 70.0,
                    height: 15.0,
                }
            })
            .collect();
        let mut labels = Labels::default();
        let mut placed: Vec<Rectangle> = Vec::new();
        for label in wanted {
            let free = !placed.iter().any(|other| other.overlaps(&label));
            assert_eq!(labels.place(label), free);
            if free {
                placed.push(label);
            }
        }
        assert!(placed.len() > 20);
    }

    #[test]
    fn long_names_are_cut_at_whole_characters() {
        for (name, expected) in [
            ("short", "short"),
            ("a very long name indeed", "a very lon…"),
            ("诺贝尔物理学奖获得者名单全集", "诺贝尔物理学奖获得者…"),
            ("a \n b", "a b"),
        ] {
            assert_eq!(shortened(name, 11), expected);
        }
    }
}
