//! Which addresses may become links, and how they are written.

/// The address itself when a click on it is harmless: http and https only, so that neither `javascript:` nor `data:`
/// from a page can ever be followed.
pub fn safe(url: &str) -> Option<&str> {
    let scheme = url.split_once("://")?.0;
    (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")).then_some(url)
}

/// Host without `www.`, for people; the whole address when it has none.
pub fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = host.strip_prefix("www.").unwrap_or(host);
    if host.is_empty() { url } else { host }
}

/// Same document: equal but for the fragment.
pub fn same_document(a: &str, b: &str) -> bool {
    fn bare(url: &str) -> &str {
        url.split('#').next().unwrap_or(url)
    }
    bare(a) == bare(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_become_links() {
        for url in ["https://a.test/x#:~:text=y", "http://a.test", "HTTPS://A.TEST/"] {
            assert_eq!(safe(url), Some(url));
        }
        for url in [
            "javascript:alert(1)",
            "javascript://a.test/%0aalert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "note:1",
            "",
            "//a.test",
        ] {
            assert_eq!(safe(url), None, "{url}");
        }
    }

    #[test]
    fn hosts_are_written_short() {
        for (url, expected) in [
            ("https://www.example.test/a?b#c", "example.test"),
            ("http://user:word@a.test:8080/", "a.test:8080"),
            ("note:12", "note:12"),
            ("https://例子.test/百科", "例子.test"),
        ] {
            assert_eq!(host(url), expected);
        }
    }

    #[test]
    fn a_fragment_does_not_make_another_document() {
        assert!(same_document("https://a.test/x#one", "https://a.test/x"));
        assert!(!same_document("https://a.test/x", "https://a.test/y"));
    }
}
