//! Fixed prompts: instructions and short, varied examples. They are read once per process and reused.

use super::language::Language;
use crate::local::tokenizer::Role;

/// A system message and turns of user and assistant.
pub(crate) struct Prompt {
    system: &'static str,
    shots: &'static [(&'static str, &'static str)],
}

impl Prompt {
    pub(crate) fn turns(&self) -> Vec<(Role, &'static str)> {
        let mut turns = vec![(Role::System, self.system)];
        for (user, assistant) in self.shots {
            turns.push((Role::User, user));
            turns.push((Role::Assistant, assistant));
        }
        turns
    }
}

pub(crate) fn triples(language: Language) -> &'static Prompt {
    match language {
        Language::Spaced => &TRIPLES_EN,
        Language::Han => &TRIPLES_ZH,
    }
}

pub(crate) fn kinds(language: Language) -> &'static Prompt {
    match language {
        Language::Spaced => &KINDS_EN,
        Language::Han => &KINDS_ZH,
    }
}

pub(crate) fn subject(language: Language) -> &'static Prompt {
    match language {
        Language::Spaced => &SUBJECT_EN,
        Language::Han => &SUBJECT_ZH,
    }
}

/// The user's turn for one sentence. The context is given where the sentence points back at something.
pub(crate) fn sentence(language: Language, context: &[String], sentence: &str) -> String {
    let (about, text, separator) = match language {
        Language::Spaced => ("Context", "Sentence", "; "),
        Language::Han => ("上文", "句子", "；"),
    };
    if context.is_empty() {
        return format!("{text}: {sentence}");
    }
    format!("{about}: {}\n{text}: {sentence}", context.join(separator))
}

/// The user's turn for the kinds of names.
pub(crate) fn names(language: Language, passage: &str, names: &[String]) -> String {
    match language {
        Language::Spaced => format!("Text: {passage}\nNames: {}", names.join("; ")),
        Language::Han => format!("文本: {passage}\n名称: {}", names.join("；")),
    }
}

static TRIPLES_EN: Prompt = Prompt {
    system: "List the facts of the sentence as a JSON array of [subject, relation, object]. Copy subject and object word for word. The relation is a short verb phrase that leads from subject to object. Give every fact, and only what the sentence states.",
    shots: &[
        (
            "Sentence: The Alden Bridge, designed by Karl Brandt, crosses the Mirel River in Tovin.",
            r#"[["Alden Bridge","designed by","Karl Brandt"],["Alden Bridge","crosses","Mirel River"],["Alden Bridge","located in","Tovin"]]"#,
        ),
        (
            "Context: Ada Palmer\nSentence: She was born in Lisbon in 1921 and studied chemistry at Coimbra University.",
            r#"[["Ada Palmer","born in","Lisbon"],["Ada Palmer","born in","1921"],["Ada Palmer","studied","chemistry"],["Ada Palmer","studied at","Coimbra University"]]"#,
        ),
        (
            "Sentence: River of Glass is a novel by Mei Tanaka, who comes from Osaka, Japan.",
            r#"[["River of Glass","is a","novel"],["River of Glass","author","Mei Tanaka"],["Mei Tanaka","comes from","Osaka"],["Osaka","country","Japan"]]"#,
        ),
        ("Sentence: Nobody had expected that at all.", "[]"),
        (
            "Sentence: Hatfield, which has 8,200 inhabitants and is led by mayor John Avery, is part of Kent County.",
            r#"[["Hatfield","population","8,200"],["Hatfield","mayor","John Avery"],["Hatfield","part of","Kent County"]]"#,
        ),
        (
            "Sentence: Torvex Systems will pay 90 million dollars for the startup Lumio, said chief executive Ines Roth.",
            r#"[["Torvex Systems","will buy","Lumio"],["Torvex Systems","will pay","90 million dollars"],["Ines Roth","chief executive of","Torvex Systems"]]"#,
        ),
        (
            "Sentence: Bibb lettuce is an ingredient of the Polar salad, a dish served cold with dill sauce.",
            r#"[["Polar salad","ingredient","Bibb lettuce"],["Polar salad","served with","dill sauce"]]"#,
        ),
    ],
};

static TRIPLES_ZH: Prompt = Prompt {
    system: "把句子中的事实写成JSON数组，每项为[主体, 关系, 客体]。主体和客体逐字照抄原文，关系是从主体指向客体的简短动词或名词。写出所有事实，不写句子没有说的内容。",
    shots: &[
        (
            "句子: 林岚出生于苏州，毕业于浙江大学。",
            r#"[["林岚","出生于","苏州"],["林岚","毕业于","浙江大学"]]"#,
        ),
        (
            "上文: 远山科技\n句子: 公司的创始人周启明担任董事长，总部设在青岛。",
            r#"[["远山科技","创始人","周启明"],["周启明","担任","董事长"],["远山科技","总部","青岛"]]"#,
        ),
        ("句子: 大家都没有想到会这样。", "[]"),
        (
            "句子: 赵文博和妻子何雨晴育有一子赵子安。",
            r#"[["赵文博","妻子","何雨晴"],["赵文博","儿子","赵子安"],["何雨晴","儿子","赵子安"]]"#,
        ),
        (
            "句子: 《江上灯火》是作家许知秋的长篇小说，2011年由南风出版社出版。",
            r#"[["江上灯火","作者","许知秋"],["江上灯火","体裁","长篇小说"],["江上灯火","出版社","南风出版社"],["江上灯火","出版时间","2011年"]]"#,
        ),
        (
            "句子: 云栖镇位于安宁县东部，有居民八千人。",
            r#"[["云栖镇","位于","安宁县"],["云栖镇","人口","八千人"]]"#,
        ),
    ],
};

static KINDS_EN: Prompt = Prompt {
    system: "Say for each name what it is: person, organisation, place, work (book, film, song), product, event, concept, or value (date, number, amount).",
    shots: &[
        (
            "Text: Ada Palmer studied chemistry at Coimbra University and later wrote River of Glass in Lisbon.\nNames: Ada Palmer; chemistry; Coimbra University; River of Glass; Lisbon",
            r#"[["Ada Palmer","person"],["chemistry","concept"],["Coimbra University","organisation"],["River of Glass","work"],["Lisbon","place"]]"#,
        ),
        (
            "Text: Torvex Systems showed its V2 drone at the Harbour Fair and sold 300 of them to mayor John Avery.\nNames: Torvex Systems; V2 drone; Harbour Fair; 300; John Avery",
            r#"[["Torvex Systems","organisation"],["V2 drone","product"],["Harbour Fair","event"],["300","value"],["John Avery","person"]]"#,
        ),
    ],
};

static KINDS_ZH: Prompt = Prompt {
    system: "说明每个名称是什么：person（人）、organisation（机构）、place（地点）、work（书、电影、歌曲）、product（产品）、event（事件）、concept（概念）或value（日期、数量、金额）。",
    shots: &[
        (
            "文本: 林岚毕业于浙江大学，2011年在苏州写成《江上灯火》。\n名称: 林岚；浙江大学；2011年；苏州；江上灯火",
            r#"[["林岚","person"],["浙江大学","organisation"],["2011年","value"],["苏州","place"],["江上灯火","work"]]"#,
        ),
        (
            "文本: 远山科技在海港博览会上展出了人工智能芯片远山一号。\n名称: 远山科技；海港博览会；人工智能；远山一号",
            r#"[["远山科技","organisation"],["海港博览会","event"],["人工智能","concept"],["远山一号","product"]]"#,
        ),
    ],
};

static SUBJECT_EN: Prompt = Prompt {
    system: "The sentence begins with a word that stands for a name. Answer with that name alone.",
    shots: &[
        ("Context: Ada Palmer; Coimbra University\nSentence: She won a prize for her work.", "Ada Palmer"),
        ("Context: John Avery; Torvex Systems\nSentence: It employs 300 people.", "Torvex Systems"),
        (
            "Context: Alden Bridge; Karl Brandt\nSentence: It was closed for repairs last year.",
            "Alden Bridge",
        ),
    ],
};

static SUBJECT_ZH: Prompt = Prompt {
    system: "句子开头的词指代一个名称。只回答这个名称。",
    shots: &[
        ("上文: 林岚；浙江大学\n句子: 她因此获奖。", "林岚"),
        ("上文: 周启明；远山科技\n句子: 该公司有三百名员工。", "远山科技"),
    ],
};
