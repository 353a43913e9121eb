//! Who published what, where, when and in which language?

use loci_graph::Timestamp;
use serde_json::Value;

use crate::address::{canonical, host};
use crate::dates::{date_in_path, parse_date};
use crate::declared::Declared;
use crate::page::RawPage;
use crate::schema::{is_page_type, name_of, readable, type_of};

/// A day: clocks and time zones may differ by as much.
const DAY: i64 = 86_400_000;
/// Longest author or site name believed, in characters.
const MAX_NAME_CHARS: usize = 100;

/// What identifies a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    pub url: String,
    pub title: String,
    /// As the site names itself; `None` when it does not.
    pub site_name: Option<String>,
    pub host: Option<String>,
    pub author: Option<String>,
    pub published: Option<Timestamp>,
    pub declared_language: Option<String>,
}

pub fn metadata(page: &RawPage, declared: &Declared) -> Metadata {
    let url = canonical(&page.url, &declared.canonical);
    let host = host(&url);
    let site_name = site_name(declared);
    Metadata {
        title: title(page, declared, site_name.as_deref(), host.as_deref(), &url),
        author: author(declared, site_name.as_deref()),
        published: published(page, declared, &url),
        declared_language: language(declared),
        site_name,
        host,
        url,
    }
}

/// The level-one heading that the window title repeats; else the declared title; else the window title without the
/// name of the site.
fn title(page: &RawPage, declared: &Declared, site: Option<&str>, host: Option<&str>, url: &str) -> String {
    let window = [page.title.trim(), declared.document_title.as_deref().unwrap_or_default()]
        .into_iter()
        .find(|t| !t.is_empty())
        .unwrap_or_default();
    let window = window.split_whitespace().collect::<Vec<_>>().join(" ");
    let repeated = declared
        .headlines
        .iter()
        .filter(|headline| headline.chars().count() >= 2)
        .find(|headline| window.contains(headline.as_str()));
    // The shell of a single-page app declares one title for all its routes.
    let is_route = url.contains('#');
    let social = declared
        .meta(&["og:title", "twitter:title"])
        .and_then(readable)
        .map(|title| without_site(&title, site, host));
    let stripped = Some(without_site(&window, site, host)).filter(|title| !title.is_empty());
    repeated
        .cloned()
        .or(social.filter(|_| !is_route))
        .or(stripped)
        .or_else(|| declared.headlines.first().cloned())
        .unwrap_or_else(|| url.to_owned())
}

/// Cuts " | Site" or " - Site" off either end of a window title.
fn without_site(title: &str, site: Option<&str>, host: Option<&str>) -> String {
    let squeeze = |text: &str| {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    let is_site = |part: &str| {
        let part = squeeze(part);
        !part.is_empty()
            && (site.is_some_and(|site| squeeze(site) == part)
                || host.is_some_and(|host| {
                    host.split('.').any(|label| squeeze(label) == part) || squeeze(host) == part
                }))
    };
    let separators = [" | ", " - ", " – ", " — ", " · ", " » ", " « ", " :: ", "_", "｜"];
    for separator in separators {
        if let Some((rest, last)) = title.rsplit_once(separator).filter(|(_, last)| is_site(last)) {
            debug_assert!(!last.is_empty());
            return without_site(rest.trim(), site, host);
        }
        if let Some((_, rest)) = title.split_once(separator).filter(|(first, _)| is_site(first)) {
            return rest.trim().to_owned();
        }
    }
    title.trim().to_owned()
}

fn site_name(declared: &Declared) -> Option<String> {
    let meta =
        declared.meta(&["og:site_name", "application-name", "apple-mobile-web-app-title"]).and_then(readable);
    let node = |wanted: fn(&str) -> bool| {
        let mut nodes =
            declared.nodes.iter().filter_map(Value::as_object).filter(|node| wanted(type_of(node)));
        nodes.find_map(name_of).map(|name| name.text)
    };
    let publisher = || {
        page_nodes(declared)
            .find_map(|node| name_of(node.get("publisher")?.as_object()?))
            .map(|name| name.text)
    };
    meta.or_else(|| node(|kind| kind == "WebSite"))
        .or_else(publisher)
        .filter(|name| name.chars().count() <= MAX_NAME_CHARS)
}

fn page_nodes(declared: &Declared) -> impl Iterator<Item = &serde_json::Map<String, Value>> {
    declared.nodes.iter().filter_map(Value::as_object).filter(|node| is_page_type(type_of(node)))
}

/// The author or authors, joined by commas.
fn author(declared: &Declared, site: Option<&str>) -> Option<String> {
    let by_id = |id: &str| {
        declared
            .nodes
            .iter()
            .filter_map(Value::as_object)
            .find(|node| node.get("@id").and_then(Value::as_str) == Some(id) && name_of(node).is_some())
    };
    let named = |value: &Value| match value {
        Value::String(name) => readable(name),
        Value::Object(node) => {
            name_of(node).or_else(|| name_of(by_id(node.get("@id")?.as_str()?)?)).map(|name| name.text)
        }
        _ => None,
    };
    let json = page_nodes(declared).find_map(|node| {
        let names: Vec<String> = match node.get("author").or_else(|| node.get("creator"))? {
            Value::Array(values) => {
                values.iter().filter_map(named).filter_map(|name| person(&name, site)).collect()
            }
            single => named(single).and_then(|name| person(&name, site)).into_iter().collect(),
        };
        (!names.is_empty()).then(|| unique(names).join(", "))
    });
    let meta = [
        "author",
        "article:author",
        "dc.creator",
        "dcterms.creator",
        "parsely-author",
        "sailthru.author",
        "citation_author",
        "twitter:creator",
    ];
    let meta = || {
        meta.iter().find_map(|name| {
            let names: Vec<String> =
                declared.all_meta(name).iter().filter_map(|name| person(&readable(name)?, site)).collect();
            (!names.is_empty()).then(|| unique(names).join(", "))
        })
    };
    json.or_else(meta).or_else(|| declared.bylines.iter().find_map(|line| person(line, site)))
}

fn unique(names: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

/// A byline's name without "By"; `None` for what is no name.
fn person(line: &str, site: Option<&str>) -> Option<String> {
    let mut name = line.trim();
    for prefix in [
        "written by ",
        "posted by ",
        "by ",
        "von ",
        "par ",
        "por ",
        "di ",
        "автор: ",
        "author: ",
        "作者：",
        "作者:",
        "文/",
        "文／",
        "记者 ",
        "责任编辑：",
    ] {
        if name.get(..prefix.len()).is_some_and(|start| start.to_lowercase() == prefix) {
            name = name[prefix.len()..].trim();
        }
    }
    let name = name.trim_end_matches([',', '|', '-', '•', '·']).trim();
    let words = name.split_whitespace().count();
    let is_name = name.chars().any(char::is_alphabetic)
        && name.chars().count() <= MAX_NAME_CHARS
        && words <= 12
        && !name.contains("://")
        && !name.starts_with('@')
        && !name.contains(['\n', '{', '<'])
        && !name.chars().any(|c| c.is_ascii_digit())
        && !matches!(
            name.to_lowercase().as_str(),
            "admin" | "administrator" | "author" | "staff" | "editor" | "unknown" | "none" | "null" | "user"
        )
        && site.is_none_or(|site| site != name);
    is_name.then(|| name.to_owned())
}

/// The declared date of publication; else the address's; never later than the capture.
fn published(page: &RawPage, declared: &Declared, url: &str) -> Option<Timestamp> {
    let believed = |date: &Timestamp| {
        date.0 > -DAY * 365 * 300 && (page.captured.0 <= 0 || date.0 <= page.captured.0 + DAY)
    };
    let property = |node: &serde_json::Map<String, Value>, key: &str| {
        node.get(key).and_then(Value::as_str).and_then(parse_date)
    };
    let json = |key: &'static str| page_nodes(declared).find_map(|node| property(node, key).filter(believed));
    let names = [
        "article:published_time",
        "og:article:published_time",
        "og:published_time",
        "datepublished",
        "date",
        "dc.date",
        "dc.date.issued",
        "dcterms.date",
        "dcterms.created",
        "dcterms.issued",
        "pubdate",
        "publishdate",
        "publish_date",
        "publish-date",
        "article:published",
        "parsely-pub-date",
        "sailthru.date",
        "citation_publication_date",
        "citation_date",
        "weibo: article:create_at",
        "release_date",
        "og:release_date",
        "apub:time",
        "publication_date",
    ];
    let meta = || {
        names.iter().find_map(|name| {
            declared.all_meta(name).iter().find_map(|date| parse_date(date).filter(believed))
        })
    };
    let path = || url::Url::parse(url).ok().and_then(|url| date_in_path(url.path())).filter(believed);
    let time = || declared.times.iter().find_map(|date| parse_date(date).filter(believed));
    json("datePublished").or_else(meta).or_else(|| json("dateCreated")).or_else(path).or_else(time)
}

fn language(declared: &Declared) -> Option<String> {
    let json = || page_nodes(declared).find_map(|node| node.get("inLanguage")?.as_str().map(str::to_owned));
    let meta =
        || declared.meta(&["content-language", "og:locale", "dc.language", "language"]).map(str::to_owned);
    declared.html_language.clone().or_else(json).or_else(meta)
}
