use loci_protocol::{AnswerEvent, AnswerRequest};

use crate::answer::supporting;

/// Takes a streamed reply apart into statements and citations. A statement is passed on when a citation that exists
/// follows it, so that nothing is shown that rests on nothing.
pub(super) struct Statements<'a> {
    request: &'a AnswerRequest,
    /// Not yet passed on.
    text: String,
    has_text: bool,
    is_refusal: bool,
}

const NO_ANSWER: &str = "NO_ANSWER";

impl<'a> Statements<'a> {
    pub(super) fn new(request: &'a AnswerRequest) -> Statements<'a> {
        Statements { request, text: String::new(), has_text: false, is_refusal: false }
    }

    pub(super) fn push(&mut self, text: &str, emit: &mut dyn FnMut(AnswerEvent)) {
        self.text.push_str(text);
        if !self.has_text && self.text.trim_start().starts_with(NO_ANSWER) {
            self.is_refusal = true;
        }
        while !self.is_refusal {
            let Some(open) = self.text.find('[') else { return };
            let Some(length) = self.text[open..].find(']') else { return };
            let inside = self.text[open + 1..open + length].to_string();
            let before = self.text[..open].to_string();
            self.text.drain(..=open + length);
            let numbers = inside.split([',', ' ']).filter(|number| !number.is_empty());
            let Ok(numbers) = numbers.map(str::parse::<usize>).collect::<Result<Vec<_>, _>>() else {
                // Brackets of another kind are text.
                self.text.insert_str(0, &format!("{before}({inside})"));
                continue;
            };
            let cited: Vec<usize> = numbers.into_iter().filter(|number| self.exists(*number)).collect();
            if cited.is_empty() {
                self.text.insert_str(0, &before);
            } else {
                self.pass_on(&before, &cited, emit);
            }
        }
    }

    /// The rest of the reply: a statement without citation gets the passage that supports it best, or is dropped.
    /// Returns whether anything was said.
    pub(super) fn finish(&mut self, emit: &mut dyn FnMut(AnswerEvent)) -> bool {
        let rest = std::mem::take(&mut self.text);
        if !self.is_refusal && rest.chars().any(char::is_alphanumeric) {
            let support = supporting(&rest, self.request);
            if support.len() < self.request.passages.len() || self.request.passages.len() == 1 {
                self.pass_on(&rest, &support[..1], emit);
            }
        }
        self.has_text
    }

    fn pass_on(&mut self, text: &str, cited: &[usize], emit: &mut dyn FnMut(AnswerEvent)) {
        if !text.is_empty() {
            emit(AnswerEvent::Token { text: text.to_string() });
            self.has_text |= text.chars().any(char::is_alphanumeric);
        }
        for number in cited {
            emit(AnswerEvent::Citation { passage: *number as u32 });
        }
    }

    fn exists(&self, number: usize) -> bool {
        (1..=self.request.passages.len()).contains(&number)
    }
}

#[cfg(test)]
mod tests {
    use loci_protocol::AnswerPassage;

    use super::*;

    /// The reply in pieces of every size gives the same; `|` marks where it was passed on.
    fn check(reply: &str, expected: &str, says_something: bool) {
        let passage = |text: &str| AnswerPassage { title: String::new(), date: None, text: text.into() };
        let passages = vec![passage("Karl Brandt designed the bridge."), passage("Tovin is a port.")];
        let request = AnswerRequest { question: "Who?".into(), passages, facts: Vec::new(), max_tokens: 64 };
        for size in 1..reply.chars().count().max(2) {
            let mut out = String::new();
            let mut emit = |event| match event {
                AnswerEvent::Token { text } => out += &text,
                AnswerEvent::Citation { passage } => out += &format!("|{passage}"),
                other => panic!("{other:?}"),
            };
            let mut statements = Statements::new(&request);
            let letters: Vec<char> = reply.chars().collect();
            for piece in letters.chunks(size) {
                statements.push(&piece.iter().collect::<String>(), &mut emit);
            }
            assert_eq!(statements.finish(&mut emit), says_something, "{reply} by {size}");
            assert_eq!(out, expected, "{reply} by {size}");
        }
    }

    #[test]
    fn citations_must_exist() {
        check("Karl Brandt. [1]", "Karl Brandt. |1", true);
        check("Brandt [1], in Tovin [2, 1].", "Brandt |1, in Tovin |2|1", true);
        check("Brandt designed the bridge [7].", "Brandt designed the bridge .|1", true);
        check("The moon is far away.", "", false);
        check("NO_ANSWER", "", false);
        check("Tovin [a port] it is. [2]", "Tovin (a port) it is. |2", true);
    }
}
