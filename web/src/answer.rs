//! An answer as it streams in: text with numbered citations in place.

/// A piece of an answer. Text is shown as text and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    Text(String),
    /// Number of a source, from 1.
    Citation(u32),
}

/// Collects the events of one answer in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pieces: Vec<Segment>,
}

impl Answer {
    /// An answer that came whole: `[n]` in the text are its citations; cited numbers that the text does not carry are
    /// appended, so that none is lost.
    pub fn whole(text: &str, cited: &[u32]) -> Answer {
        let mut answer = Answer::default();
        answer.push_text(text);
        let shown = answer.cited(cited);
        for &number in cited.iter().filter(|number| !shown.contains(number)) {
            answer.push_citation(number);
        }
        answer
    }

    pub fn push_text(&mut self, text: &str) {
        if let Some(Segment::Text(last)) = self.pieces.last_mut() {
            last.push_str(text);
        } else if !text.is_empty() {
            self.pieces.push(Segment::Text(text.to_owned()));
        }
    }

    pub fn push_citation(&mut self, number: u32) {
        self.pieces.push(Segment::Citation(number));
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The text without citations that came as events.
    pub fn text(&self) -> String {
        self.pieces
            .iter()
            .filter_map(|piece| if let Segment::Text(text) = piece { Some(text.as_str()) } else { None })
            .collect()
    }

    /// What to show: markers such as `[2]`, `[1, 3]` or `【2】` become citations where `known` holds the number, the
    /// same citation twice in a row is shown once, and no space stands before a citation.
    pub fn segments(&self, known: &[u32]) -> Vec<Segment> {
        let mut shown: Vec<Segment> = Vec::new();
        for piece in &self.pieces {
            match piece {
                Segment::Text(text) => parse_markers(text, known, &mut shown),
                Segment::Citation(number) => cite(*number, &mut shown),
            }
        }
        shown
    }

    /// Numbers shown, each once, in order of first appearance.
    pub fn cited(&self, known: &[u32]) -> Vec<u32> {
        let mut numbers = Vec::new();
        for segment in self.segments(known) {
            if let Segment::Citation(number) = segment
                && !numbers.contains(&number)
            {
                numbers.push(number);
            }
        }
        numbers
    }
}

fn parse_markers(text: &str, known: &[u32], shown: &mut Vec<Segment>) {
    let mut rest = text;
    while let Some(open) = rest.find(['[', '【']) {
        let inner = &rest[open + width_at(rest, open)..];
        let marker = inner.find([']', '】']).and_then(|close| {
            let numbers = marker_numbers(&inner[..close], known)?;
            Some((numbers, &inner[close + width_at(inner, close)..]))
        });
        match marker {
            Some((numbers, after)) => {
                append_text(&rest[..open], shown);
                numbers.into_iter().for_each(|number| cite(number, shown));
                rest = after;
            }
            None => {
                append_text(&rest[..rest.len() - inner.len()], shown);
                rest = inner;
            }
        }
    }
    append_text(rest, shown);
}

/// The numbers between brackets, if they are nothing but numbers of known sources.
fn marker_numbers(inner: &str, known: &[u32]) -> Option<Vec<u32>> {
    let numbers =
        inner.split([',', '，', '、']).map(|part| part.trim().parse().ok()).collect::<Option<Vec<u32>>>()?;
    numbers.iter().all(|number| known.contains(number)).then_some(numbers)
}

fn cite(number: u32, shown: &mut Vec<Segment>) {
    if let Some(Segment::Text(text)) = shown.last_mut() {
        let kept = text.trim_end_matches(' ').len();
        text.truncate(kept);
        if text.is_empty() {
            shown.pop();
        }
    }
    let run = shown.iter().rev().take_while(|segment| matches!(segment, Segment::Citation(_)));
    if !run.into_iter().any(|segment| *segment == Segment::Citation(number)) {
        shown.push(Segment::Citation(number));
    }
}

fn append_text(text: &str, shown: &mut Vec<Segment>) {
    match shown.last_mut() {
        _ if text.is_empty() => {}
        Some(Segment::Text(last)) => last.push_str(text),
        _ => shown.push(Segment::Text(text.to_owned())),
    }
}

fn width_at(text: &str, position: usize) -> usize {
    text[position..].chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows segments as text with `⟨n⟩` for citations.
    fn drawn(answer: &Answer, known: &[u32]) -> String {
        let draw = |segment| match segment {
            Segment::Text(text) => text,
            Segment::Citation(number) => format!("⟨{number}⟩"),
        };
        answer.segments(known).into_iter().map(draw).collect()
    }

    #[test]
    fn markers_become_citations_only_when_the_source_is_known() {
        for (text, expected) in [
            ("Paris [1].", "Paris⟨1⟩."),
            ("A [1][2] b [3]", "A⟨1⟩⟨2⟩ b⟨3⟩"),
            ("A [1, 3].", "A⟨1⟩⟨3⟩."),
            ("居里夫人【2】于1903年获奖[1]。", "居里夫人⟨2⟩于1903年获奖⟨1⟩。"),
            ("An array [0] and [9] and [x].", "An array [0] and [9] and [x]."),
            ("[[1]]", "[⟨1⟩]"),
            ("open [1", "open [1"),
            ("[note] of [2]", "[note] of⟨2⟩"),
            ("<img src=x onerror=alert(1)> [1]", "<img src=x onerror=alert(1)>⟨1⟩"),
            ("", ""),
        ] {
            assert_eq!(drawn(&Answer::whole(text, &[]), &[1, 2, 3]), expected, "{text}");
        }
    }

    #[test]
    fn a_marker_split_between_tokens_is_one_citation() {
        let mut answer = Answer::default();
        for token in ["She won in 1903 ", "[", "1", "]", "."] {
            answer.push_text(token);
        }
        assert_eq!(drawn(&answer, &[1]), "She won in 1903⟨1⟩.");
    }

    #[test]
    fn cited_events_stand_where_they_came_and_once() {
        let mut answer = Answer::default();
        answer.push_text("First. ");
        answer.push_citation(2);
        answer.push_citation(1);
        answer.push_citation(2);
        answer.push_text(" Then [1].");
        answer.push_citation(1);
        assert_eq!(drawn(&answer, &[1, 2]), "First.⟨2⟩⟨1⟩ Then⟨1⟩.⟨1⟩");
        assert_eq!(answer.cited(&[1, 2]), [2, 1]);
        assert_eq!(answer.text(), "First.  Then [1].");
    }

    #[test]
    fn no_citation_of_a_whole_answer_is_lost() {
        assert_eq!(drawn(&Answer::whole("Yes [1].", &[1, 3]), &[1, 3]), "Yes⟨1⟩.⟨3⟩");
    }
}
