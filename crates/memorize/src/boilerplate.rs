//! The vocabulary of what surrounds an article: names of page parts, titles of link sections, labels of controls.

/// Parts of class and id names that mark boilerplate wherever they stand.
const NAME_PARTS: &[&str] = &[
    "comment",
    "disqus",
    "respond",
    "reply",
    "replies",
    "sidebar",
    "footer",
    "masthead",
    "breadcrumb",
    "share",
    "sharing",
    "social",
    "related",
    "recommend",
    "promo",
    "newsletter",
    "subscri",
    "signup",
    "sign-up",
    "sponsor",
    "advert",
    "outbrain",
    "taboola",
    "popular",
    "trending",
    "most-read",
    "mostread",
    "widget",
    "menu",
    "navbar",
    "navigation",
    "pagination",
    "pager",
    "taglist",
    "tag-list",
    "tags-",
    "-tags",
    "author-bio",
    "about-author",
    "author-box",
    "authorbox",
    "byline",
    "read-more",
    "readmore",
    "more-stories",
    "morestories",
    "print",
    "toolbar",
    "skip-link",
    "login",
    "paywall",
    "cookie",
    "copyright",
    "disclaimer",
    "rating",
    "caption",
    "credit",
    "card-list",
    "post-meta",
    "postmeta",
    "entry-meta",
    "article-meta",
    "metadata",
    "timestamp",
    "dateline",
    "rightrail",
    "right-rail",
    "breaking",
    "nocontent",
    "donat",
];

/// Names that mark boilerplate as a whole word only.
const NAME_WORDS: &[&str] =
    &["ad", "ads", "nav", "tag", "tags", "meta", "date", "foot", "cta", "vote", "votes", "shop", "buy"];

/// Names of the element that holds an article; they outweigh the lists above.
const CONTENT_NAMES: &[&str] = &[
    "article-body",
    "articlebody",
    "story-body",
    "storybody",
    "post-content",
    "postcontent",
    "entry-content",
    "entrycontent",
    "main-content",
    "maincontent",
    "content-body",
    "contentbody",
    "articletext",
];

/// Beginnings of headings above links to other pages, comments and forms.
const SECTION_STARTS: &[&str] = &[
    "related",
    "more from",
    "more on",
    "more in",
    "more stories",
    "more news",
    "more about",
    "read more",
    "read next",
    "read also",
    "also read",
    "leave a comment",
    "leave a reply",
    "recommended",
    "you may also",
    "you might also",
    "most read",
    "most popular",
    "the most read",
    "the most popular",
    "latest news",
    "latest stories",
    "latest posts",
    "latest articles",
    "latest from",
    "trending",
    "share this",
    "share on",
    "newsletter",
    "about the author",
    "sign up",
    "subscribe",
    "follow us",
    "tell us",
    "next article",
    "previous article",
    "previous post",
    "previous story",
    "das könnte",
    "mehr zum thema",
    "mehr aus",
    "mehr von",
    "lesen sie auch",
    "lesen sie dazu",
    "kommentar schreiben",
    "kommentar verfassen",
    "schreibe einen kommentar",
    "auch interessant",
    "teilen",
    "schlagwörter",
    "schlagworte",
    "lire aussi",
    "à lire",
    "articles liés",
    "articles similaires",
    "commentaires",
    "sur le même sujet",
    "artículos relacionados",
    "relacionad",
    "te puede interesar",
    "comentarios",
    "notas relacionadas",
    "noticias relacionadas",
    "похожие",
    "популярные",
    "самые популярные",
    "отзывы",
    "комментарии",
    "читайте также",
    "по теме",
    "artikel terkait",
    "terkait",
    "baca juga",
    "相关",
    "推荐",
    "评论",
    "网友评论",
    "热门",
    "阅读更多",
    "更多",
    "相關",
    "延伸閱讀",
    "猜你喜欢",
    "関連",
    "おすすめ",
    "コメント",
];

/// Headings of such sections that are too common as beginnings and must match whole.
const SECTION_TITLES: &[&str] =
    &["comment", "comments", "tags", "popular", "latest", "kommentare", "diskussion"];

/// "Ähnliche Artikel", "weitere Meldungen": an adjective with a noun.
const SECTION_PAIRS: (&[&str], &[&str]) = (
    &["ähnliche", "verwandte", "weitere", "aktuelle", "beliebte", "neueste", "neuste", "meistgelesene"],
    &[
        "artikel",
        "beiträge",
        "meldungen",
        "nachrichten",
        "themen",
        "news",
        "posts",
        "produkte",
        "informationen",
        "links",
        "texte",
    ],
);

/// Lines that are labels of controls or advertisements.
const LABELS: &[&str] = &[
    "advert",
    "advertisement",
    "advertising",
    "adverts",
    "anzeige",
    "werbung",
    "iklan",
    "publicidad",
    "publicité",
    "реклама",
    "广告",
    "廣告",
    "continue reading",
    "continue reading below",
    "story continues below advertisement",
    "loading",
    "share",
    "print",
    "email",
    "tweet",
    "close",
    "menu",
    "video",
    "scroll back to top",
    "back to top",
    "nach oben",
    "drucken",
    "seite drucken",
    "teilen",
    "mehr",
    "weiterlesen",
    "read more",
    "more",
    "comment",
    "comments",
    "post comment",
    "post a comment",
    "kommentieren",
    "get short url",
    "photo gallery",
    "next",
    "previous",
];

/// Whether class and id names (lower case) mark an element as boilerplate.
pub fn is_boilerplate_name(names: &str) -> bool {
    !is_content_name(names)
        && (NAME_PARTS.iter().any(|part| names.contains(part))
            || names.split(|c: char| !c.is_alphanumeric()).any(|word| NAME_WORDS.contains(&word)))
}

/// Whether class and id names (lower case) mark the element that holds the article.
pub fn is_content_name(names: &str) -> bool {
    CONTENT_NAMES.iter().any(|name| names.contains(name))
}

/// Whether a heading stands above related links, comments or forms rather than above text of the article.
pub fn is_foreign_section(heading: &str) -> bool {
    let heading = heading.trim().to_lowercase();
    let starts = |start: &&str| {
        heading.strip_prefix(*start).is_some_and(|rest| {
            let spaced = start.chars().all(|c| !is_ideographic(c)) && !start.ends_with("relacionad");
            !(spaced && rest.starts_with(char::is_alphanumeric))
        })
    };
    let words: Vec<&str> = heading.split_whitespace().collect();
    let counted = matches!(words.as_slice(), [n, noun] if n.parse::<u32>().is_ok() && (noun.starts_with("comment") || noun.starts_with("kommentar")));
    let paired = matches!(words.as_slice(), [a, b, ..] if SECTION_PAIRS.0.contains(a) && SECTION_PAIRS.1.contains(&b.trim_end_matches(':')));
    counted
        || paired
        || SECTION_STARTS.iter().any(starts)
        || SECTION_TITLES.contains(&heading.trim_end_matches([':', '：']))
}

/// Whether a line is nothing but the label of a control or an advertisement.
pub fn is_label(line: &str) -> bool {
    let line = line.trim_matches(|c: char| !c.is_alphanumeric());
    line.chars().count() <= 40 && LABELS.contains(&line.to_lowercase().as_str())
}

/// Han, Kana and Hangul: scripts whose characters carry about as much as half a word.
pub fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{20000}'..='\u{3134f}')
}
