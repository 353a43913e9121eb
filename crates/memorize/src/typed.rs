use loci_graph::{Edit, is_cjk, normalize_name};

use crate::{CleanPage, PageReport, Passage, memorize_page};

/// What a line that the user typed is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypedLine {
    /// To be answered; never remembered, or it would come back as its own answer.
    Question,
    /// To be remembered.
    Statement,
}

/// Tells a typed question or request from a statement, by its words, in English and Chinese. Of what could be
/// either, it says question: an unwanted answer costs less than a wrong memory.
pub fn typed_line(line: &str) -> TypedLine {
    let line = line.trim();
    let normal = normalize_name(line);
    let question = line.is_empty()
        || line.ends_with(['?', '？', '؟'])
        || if normal.chars().any(is_cjk) { asks_in_chinese(&normal) } else { asks_in_english(&normal) };
    if question { TypedLine::Question } else { TypedLine::Statement }
}

fn asks_in_english(normal: &str) -> bool {
    const ASKING: &[&str] = &[
        "who", "whom", "whose", "what", "whats", "which", "when", "where", "wheres", "why", "how", "is",
        "are", "am", "was", "were", "do", "does", "did", "can", "could", "will", "would", "should", "shall",
        "has", "have", "had", "may", "might",
    ];
    const REQUESTS: &[&str] = &[
        "tell me",
        "show me",
        "list",
        "find",
        "explain",
        "describe",
        "summarize",
        "summarise",
        "give me",
        "search",
        "compare",
        "please tell",
        "please show",
        "please find",
        "do you",
        "i wonder",
        "i want to know",
        "remind me",
        "look up",
        "translate",
        "write",
        "delete",
        "forget",
    ];
    const STATING: &[&str] = &["remember", "note", "please remember", "note that", "remember that"];
    let starts = |phrases: &[&str]| {
        phrases.iter().any(|phrase| {
            normal.strip_prefix(phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    };
    !starts(STATING) && (starts(ASKING) || starts(REQUESTS))
}

fn asks_in_chinese(normal: &str) -> bool {
    const ENDINGS: &[&str] =
        &["吗", "呢", "么", "吧", "没有", "是谁", "是什么", "在哪", "在哪里", "多少", "几岁"];
    const WORDS: &[&str] = &[
        "什么",
        "谁",
        "哪里",
        "哪儿",
        "哪个",
        "哪些",
        "哪位",
        "哪年",
        "哪一",
        "为什么",
        "怎么",
        "怎样",
        "如何",
        "多少",
        "几点",
        "几个",
        "几岁",
        "是不是",
        "有没有",
        "能不能",
        "会不会",
        "何时",
        "何地",
    ];
    const REQUESTS: &[&str] =
        &["请问", "告诉我", "帮我", "列出", "查找", "搜索", "解释", "总结", "请告诉", "找出", "介绍"];
    const STATING: &[&str] = &["记住", "请记住", "记下", "备注"];
    !STATING.iter().any(|word| normal.starts_with(word))
        && (ENDINGS.iter().any(|ending| normal.ends_with(ending))
            || WORDS.iter().any(|word| normal.contains(word))
            || REQUESTS.iter().any(|word| normal.starts_with(word)))
}

/// Remembers a statement the user typed: a page of its own, `note:<hash>`, whose one passage it is. The same note
/// twice is one.
pub fn memorize_note(edit: &mut Edit<'_>, text: &str, hash: u64, language: Option<String>) -> PageReport {
    let text = text.trim().to_owned();
    let at = edit.at();
    let note = CleanPage {
        url: format!("note:{hash:016x}"),
        title: text.chars().take(60).collect(),
        site: None,
        author: None,
        language,
        published: Some(at),
        passages: vec![Passage { text, headings: Vec::new(), hash }],
        facts: Vec::new(),
    };
    memorize_page(edit, &note)
}

#[cfg(test)]
mod tests {
    use super::{TypedLine, typed_line};

    #[test]
    fn questions_are_answered_and_statements_remembered() {
        for question in [
            "Who am I?",
            "who am i",
            "Where does Ann live",
            "what's the price",
            "Tell me about Acme",
            "我是谁",
            "我是谁？",
            "王芳住在哪里",
            "公司什么时候成立的",
            "她结婚了吗",
            "请问总部在北京还是上海",
            "is Bo the CEO",
            "",
            "  ",
            "list my pages",
            "北京有多少人口",
            "Ann is the boss, right?",
        ] {
            assert_eq!(typed_line(question), TypedLine::Question, "{question}");
        }
        for statement in [
            "Ann is Bo's mother.",
            "I live in Berlin",
            "我住在北京。",
            "我的老板是李雷",
            "Remember that I am allergic to nuts",
            "记住我的生日是五月三日",
            "The meeting moved to Friday",
            "My favourite band is The Who",
            "Whoever calls, I am out.",
        ] {
            assert_eq!(typed_line(statement), TypedLine::Statement, "{statement}");
        }
    }
}
