//! Facts out of passages, sentence by sentence, with a local model.

mod chunks;
mod grammar;
pub(crate) mod ground;
pub(crate) mod language;
mod prompts;
pub(crate) mod sentences;

use std::collections::HashMap;

use loci_protocol::{
    ExtractCounts, ExtractEpisode, ExtractEvent, ExtractRequest, ExtractedEpisode, ExtractedObject,
    ExtractedThesis, ExtractedTriple, Usage,
};

use self::{
    chunks::{Chunk, chunks},
    language::Language,
    prompts::Prompt,
    sentences::sentences,
};
use crate::{
    Cancel, InferenceError, LocalModel,
    local::{Decoder, tokenizer::Role},
};

pub(crate) use self::grammar::choice;

/// Most triples of one sentence.
const TRIPLES: usize = 8;
/// Most tokens of one triple; a longer one is dropped and counted.
const TRIPLE_TOKENS: usize = 64;
/// Most tokens for the kinds of one passage.
const KINDS_TOKENS: usize = 700;
/// Most names whose kinds are asked for at once.
const KINDS_AT_ONCE: usize = 16;
/// Names given as context where a sentence points back.
const CONTEXT: usize = 4;

pub(crate) fn extract(
    model: &LocalModel,
    request: &ExtractRequest,
    cancel: &Cancel,
    emit: &mut dyn FnMut(ExtractEvent),
) -> Result<(), InferenceError> {
    let total = request.episodes.iter().map(|episode| sentences(&episode.text).len() as u32).sum();
    let mut reader = Reader {
        model,
        request,
        cancel,
        usage: Usage::default(),
        done: 0,
        total,
        recent: Vec::new(),
        kinds: HashMap::new(),
    };
    for episode in &request.episodes {
        let extracted = reader.episode(episode, emit)?;
        emit(ExtractEvent::Episode(extracted));
    }
    emit(ExtractEvent::Done { usage: reader.usage });
    Ok(())
}

/// Reads the episodes of one page in order and remembers who was spoken of.
struct Reader<'a> {
    model: &'a LocalModel,
    request: &'a ExtractRequest,
    cancel: &'a Cancel,
    usage: Usage,
    done: u32,
    total: u32,
    /// Subjects so far, the latest last.
    recent: Vec<String>,
    kinds: HashMap<String, &'static str>,
}

impl Reader<'_> {
    fn episode(
        &mut self,
        episode: &ExtractEpisode,
        emit: &mut dyn FnMut(ExtractEvent),
    ) -> Result<ExtractedEpisode, InferenceError> {
        let language = Language::of(&episode.text);
        // Who was spoken of in earlier passages is a name known on this page, too.
        let grounding = format!("{}\n{}", grounding(self.request, episode), self.recent.join("\n"));
        let mut counts = ExtractCounts::default();
        let mut triples = Vec::new();
        let mut read = Vec::new();
        for sentence in sentences(&episode.text) {
            self.cancel.check()?;
            let context = self.context(episode, sentence, language);
            let found = self.triples(sentence, &context, language, &mut counts)?;
            let subject =
                found.iter().map(|triple| triple.subject.clone()).find(|subject| context.contains(subject));
            for triple in found {
                self.remember(&triple.subject);
                ground::admit(triple, &grounding, &mut triples, &mut counts.ungrounded);
            }
            read.push((sentence, context, subject));
            self.done += 1;
            emit(ExtractEvent::Progress { done: self.done, total: self.total });
        }
        let mut names: Vec<String> = Vec::new();
        for triple in &triples {
            for name in [&triple.subject, &triple.object] {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
        let objects = self.objects(&episode.text, &names, language)?;
        let mut theses: Vec<ExtractedThesis> = Vec::new();
        for (sentence, context, subject) in read {
            theses.extend(self.thesis(sentence, &context, subject, &names, language)?);
        }
        let objects = with_thesis_objects(objects, &theses);
        Ok(ExtractedEpisode { id: episode.id, objects, triples, theses, counts })
    }

    /// What a sentence may point back at: who was spoken of last, names known on the page, its headings and title.
    fn context(&self, episode: &ExtractEpisode, sentence: &str, language: Language) -> Vec<String> {
        if !ground::points_back(sentence, language) {
            return Vec::new();
        }
        let recent = self.recent.iter().rev();
        let known = self.request.known_names.iter();
        let headings = episode.headings.iter().rev();
        let mut context: Vec<String> = Vec::new();
        for name in recent.chain(known).chain(headings).chain([&self.request.title]) {
            let is_new = !context.contains(name) && !ground::mentions(sentence, name);
            if is_new && !name.is_empty() && name.chars().count() <= 60 && context.len() < CONTEXT {
                context.push(name.clone());
            }
        }
        context
    }

    fn remember(&mut self, name: &str) {
        self.recent.retain(|other| other != name);
        self.recent.push(name.to_string());
    }

    /// Item by item, each under a grammar of its own, so that what is written stands whatever comes after.
    fn triples(
        &mut self,
        sentence: &str,
        context: &[String],
        language: Language,
        counts: &mut ExtractCounts,
    ) -> Result<Vec<ExtractedTriple>, InferenceError> {
        let mut names = chunks(sentence, language);
        for name in context {
            names.extend([Chunk::Barrier, Chunk::Piece(name.clone())]);
        }
        if !names.iter().any(|chunk| *chunk != Chunk::Barrier) {
            return Ok(Vec::new());
        }
        let user = prompts::sentence(language, context, sentence);
        let mut decoder = self.decoder(prompts::triples(language), &user)?;
        let mut triples: Vec<ExtractedTriple> = Vec::new();
        while triples.len() < TRIPLES {
            let written =
                decoder.write(&grammar::triple(&names, language, triples.is_empty()), TRIPLE_TOKENS)?;
            if !written.is_complete {
                counts.truncated += 1;
                break;
            }
            let item = written.text.get(1..).unwrap_or_default();
            let Ok([subject, relation, object]) = serde_json::from_str::<[String; 3]>(item) else { break };
            let triple = ExtractedTriple { subject, relation, object };
            if triples.contains(&triple) {
                // The model has begun to repeat itself.
                break;
            }
            triples.push(triple);
        }
        Ok(triples)
    }

    fn objects(
        &mut self,
        passage: &str,
        names: &[String],
        language: Language,
    ) -> Result<Vec<ExtractedObject>, InferenceError> {
        for name in names.iter().filter(|name| ground::is_value(name)) {
            self.kinds.insert(name.clone(), "value");
        }
        let unknown: Vec<String> =
            names.iter().filter(|name| !self.kinds.contains_key(*name)).cloned().collect();
        for names in unknown.chunks(KINDS_AT_ONCE) {
            let passage: String = passage.chars().take(600).collect();
            let mut decoder =
                self.decoder(prompts::kinds(language), &prompts::names(language, &passage, names))?;
            let written = decoder.write(&grammar::kinds(names), KINDS_TOKENS)?;
            drop(decoder);
            let kinds: Vec<(String, String)> = serde_json::from_str(&written.text).unwrap_or_default();
            for (name, kind) in kinds {
                self.kinds.extend(ground::known_kind(&kind).map(|kind| (name, kind)));
            }
        }
        let kind = |name: &String| self.kinds.get(name).copied().unwrap_or("unknown").to_string();
        Ok(names.iter().map(|name| ExtractedObject { name: name.clone(), kind: kind(name) }).collect())
    }

    /// The subject behind a pronoun is the one the triples found, else the model's choice among the context.
    fn thesis(
        &mut self,
        sentence: &str,
        context: &[String],
        subject: Option<String>,
        names: &[String],
        language: Language,
    ) -> Result<Option<ExtractedThesis>, InferenceError> {
        let subject = match subject {
            Some(subject) => Some(subject),
            None if ground::leading_pronoun(sentence, language).is_some() => {
                self.subject(sentence, context, language)?
            }
            None => None,
        };
        let mut names = names.to_vec();
        names.extend(subject.iter().filter(|subject| !names.contains(subject)).cloned().collect::<Vec<_>>());
        Ok(ground::thesis(sentence, subject.as_deref(), &names, language))
    }

    fn subject(
        &mut self,
        sentence: &str,
        context: &[String],
        language: Language,
    ) -> Result<Option<String>, InferenceError> {
        if context.len() < 2 {
            return Ok(context.first().cloned());
        }
        let user = prompts::sentence(language, context, sentence);
        let written =
            self.decoder(prompts::subject(language), &user)?.write(&choice(context), TRIPLE_TOKENS)?;
        Ok(written.is_complete.then_some(written.text))
    }

    fn decoder(&mut self, prompt: &Prompt, user: &str) -> Result<Decoder<'_>, InferenceError> {
        let tokenizer = &self.model.tokenizer;
        let mut turns: Vec<(Role, &str)> = prompt.turns();
        // All but the opening of the assistant's turn is the same for every sentence.
        let fixed = tokenizer.chat(&turns)?.len() - tokenizer.chat(&[])?.len();
        turns.push((Role::User, user));
        Decoder::new(self.model, tokenizer.chat(&turns)?, fixed, false, self.cancel, &mut self.usage)
    }
}

/// All that a name of this episode may be a piece of.
pub(crate) fn grounding(request: &ExtractRequest, episode: &ExtractEpisode) -> String {
    let parts = [&request.title]
        .into_iter()
        .chain(&episode.headings)
        .chain(&request.known_names)
        .chain([&episode.text]);
    parts.map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// A thesis may be about a name that no triple has.
pub(crate) fn with_thesis_objects(
    mut objects: Vec<ExtractedObject>,
    theses: &[ExtractedThesis],
) -> Vec<ExtractedObject> {
    for name in theses.iter().flat_map(|thesis| &thesis.objects) {
        if !objects.iter().any(|object| object.name == *name) {
            objects.push(ExtractedObject { name: name.clone(), kind: "unknown".into() });
        }
    }
    objects
}
