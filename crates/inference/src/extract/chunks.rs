use icu_segmenter::{WordSegmenter, options::WordBreakInvariantOptions};
use unicode_segmentation::UnicodeSegmentation;

use super::language::Language;

/// What a name is made of, in the order of the text: whole pieces of it, and barriers that no name crosses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Chunk {
    Piece(String),
    Barrier,
}

/// Words that end a name in English. Anything that holds a clause together: a name with one of these inside is a clause.
const BARRIERS: &str = " is was are were be been being am has have had will would can could may might must shall should do \
    does did not it he she they we you i him them us me who whom whose which that this these those there when where while \
    because if than then however although since until said says say tells told became become becomes began begin made \
    make makes took take takes went goes came comes gave gives won wins wrote writes written born bought buys sold sells \
    built builds led leads left leaves met meets held holds ran runs grew grows found finds got gets kept keeps known \
    in by at from to on into onto near during through after before between and or as located includes including serves served features contains lies stands belongs remains using used owns starred sits ";
/// The same in Chinese and Japanese.
const HAN_BARRIERS: &str = " 的 了 是 在 和 与 与其 及 以及 或 将 会 被 把 于 也 都 就 还 又 从 到 对 向 为 为了 以 因 因为 所以 但 但是 而 并 并且 \
    不 没有 没 有 让 使 使得 由 由于 如果 虽然 然后 后来 之后 之前 其中 其 该 这 那 这个 那个 这些 那些 他 她 它 他们 她们 它们 我 我们 你 您 \
    说 表示 称 认为 宣布 指出 介绍 告诉 出生 出生于 生于 成为 担任 出任 任 拥有 毕业 毕业于 创立 创办 创建 成立 发布 推出 发行 收购 投资 建设 建立 \
    建成 位于 属于 包括 来自 前往 加入 获得 荣获 获 曾 曾经 已 已经 正在 正 开始 进行 可以 能够 能 可能 应该 需要 必须 通过 根据 按照 对于 关于 \
    嫁给 娶 结婚 生下 去世 逝世 死于 写 写下 写作 创作 编写 导演 主演 出演 饰演 执导 居住 现居 住 住在 工作 学习 就读 参加 参与 领导 生产 制造 \
    は が を に で と の も へ や から まで です ます した する して いる ある なる れる ";
/// Marks that stand inside a name.
const INSIDE: [&str; 12] = ["-", "–", "'", "’", "&", "/", ".", "+", "#", "%", "$", "€"];

/// Cuts a text into the pieces of names: words in spaced scripts, dictionary segments in Chinese and Japanese.
pub(crate) fn chunks(text: &str, language: Language) -> Vec<Chunk> {
    match language {
        Language::Spaced => spaced(text),
        Language::Han => han(text),
    }
}

fn spaced(text: &str) -> Vec<Chunk> {
    let words: Vec<&str> = text.split_word_bounds().collect();
    let mut out = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let is_word = word.chars().any(char::is_alphanumeric);
        let is_last = words[index + 1..].iter().all(|word| !word.chars().any(char::is_alphanumeric));
        let is_inside = *word == " " || INSIDE.contains(word) && !(*word == "." && is_last);
        // "Centre for Design" is a name, "a ship for the navy" is none.
        let is_link = matches!(*word, "for" | "with");
        let joins = || is_capitalised(&words, index.wrapping_sub(2)) && is_capitalised(&words, index + 2);
        if is_word && !is_barrier(word) && (!is_link || joins()) || is_inside {
            out.push(Chunk::Piece((*word).to_string()));
        } else {
            push_barrier(&mut out);
        }
    }
    out
}

fn is_capitalised(words: &[&str], index: usize) -> bool {
    words.get(index).and_then(|word| word.chars().next()).is_some_and(char::is_uppercase)
}

fn is_barrier(word: &str) -> bool {
    let is_listed = BARRIERS.split_whitespace().any(|barrier| barrier == word);
    // A lower-case past tense: "founded", "designed".
    let is_past =
        word.len() > 4 && word.ends_with("ed") && word.chars().next().is_some_and(char::is_lowercase);
    is_listed || is_past
}

/// ICU's dictionary knows Chinese and Japanese in one table of 2 MB, and the same library is in the program already.
fn han(text: &str) -> Vec<Chunk> {
    let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
    let bounds: Vec<usize> = segmenter.segment_str(text).collect();
    let segments: Vec<&str> = bounds.windows(2).map(|bounds| &text[bounds[0]..bounds[1]]).collect();
    let is_foreign = |index: usize| {
        segments.get(index).is_some_and(|word| word.chars().all(|letter| letter.is_ascii_alphanumeric()))
    };
    let mut out = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        let is_word = segment.chars().any(char::is_alphanumeric);
        let is_listed = HAN_BARRIERS.split_whitespace().any(|barrier| barrier == *segment);
        // "iPhone 15" and "卡尔·马克思" are one name each.
        let is_inside = matches!(*segment, "·" | "・" | "-" | "." | "%")
            || *segment == " " && index > 0 && is_foreign(index - 1) && is_foreign(index + 1);
        if is_word && !is_listed || is_inside {
            out.push(Chunk::Piece((*segment).to_string()));
        } else {
            push_barrier(&mut out);
        }
    }
    out
}

fn push_barrier(out: &mut Vec<Chunk>) {
    if out.last().is_some_and(|last| *last != Chunk::Barrier) {
        out.push(Chunk::Barrier);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, language: Language) -> Vec<String> {
        let mut names = vec![String::new()];
        for chunk in chunks(text, language) {
            match chunk {
                Chunk::Piece(piece) => names.last_mut().expect("it begins with one").push_str(&piece),
                Chunk::Barrier => names.push(String::new()),
            }
        }
        names.iter().map(|name| name.trim().to_string()).filter(|name| !name.is_empty()).collect()
    }

    #[test]
    fn clauses_fall_apart_at_verbs_and_marks() {
        for (text, expected) in [
            ("Karl Brandt designed the Alden Bridge.", vec!["Karl Brandt", "the Alden Bridge"]),
            ("She was born in St. Ives, Cornwall.", vec!["She", "St. Ives", "Cornwall"]),
            ("a ship for the Centre for Design", vec!["a ship", "the Centre for Design"]),
            ("the University of Tovin and Ada", vec!["the University of Tovin", "Ada"]),
            ("Vestbjerg A/S costs $1.2 billion", vec!["Vestbjerg A/S costs $1.2 billion"]),
        ] {
            assert_eq!(pieces(text, Language::Spaced), expected, "{text}");
        }
    }

    #[test]
    fn chinese_is_cut_into_words() {
        for (text, expected) in [
            ("林岚毕业于浙江大学。", vec!["林岚", "浙江大学"]),
            ("卡尔·马克思在柏林学习", vec!["卡尔·马克思", "柏林"]),
            ("他买了iPhone 15。", vec!["买", "iPhone 15"]),
        ] {
            assert_eq!(pieces(text, Language::Han), expected, "{text}");
        }
    }

    #[test]
    fn no_piece_is_invented() {
        for (text, language) in
            [("A \"quoted\" \\ name—x\ty", Language::Spaced), ("“引号”与\\反斜杠", Language::Han)]
        {
            for chunk in chunks(text, language) {
                if let Chunk::Piece(piece) = chunk {
                    assert!(text.contains(&piece), "{piece:?} of {text:?}");
                }
            }
        }
    }
}
