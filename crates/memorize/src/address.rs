//! Which address is the identity of a page?

use url::Url;

/// The canonical address: the one the page declares when it is believable, else the one shown, without fragment and
/// tracking parameters. `declared` are `rel=canonical` and `og:url` in order of trust.
///
/// A declared address is believed when it lies on the same site, and is not the site's front page while another page
/// is shown (a frequent mistake of templates). Routes of single-page apps live in the fragment (`#/…`, `#!…`) and are kept.
pub fn canonical(shown: &str, declared: &[String]) -> String {
    let Ok(shown_url) = Url::parse(shown.trim()) else { return shown.trim().to_owned() };
    if !matches!(shown_url.scheme(), "http" | "https") {
        return fold(shown_url);
    }
    if route(&shown_url).is_some() {
        return fold(shown_url);
    }
    let believed = declared
        .iter()
        .filter_map(|address| shown_url.join(address.trim()).ok())
        .find(|url| is_believable(url, &shown_url));
    let mut url = believed.unwrap_or_else(|| shown_url.clone());
    if url.host_str() == shown_url.host_str() && url.scheme() != shown_url.scheme() {
        // Both are of the special kind, so the change cannot fail.
        let _ = url.set_scheme(shown_url.scheme());
    }
    fold(url)
}

/// The host without `www.`, or `None` for addresses without one.
pub fn host(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    Some(site_of(url.host_str()?).to_owned())
}

/// A link's target as an absolute address, folded; `None` when it leads nowhere on the web or within the page itself.
pub fn target(page: &str, href: &str) -> Option<String> {
    let base = Url::parse(page).ok()?;
    let url = base.join(href.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let folded = fold(url);
    (folded != fold(base)).then_some(folded)
}

fn is_believable(declared: &Url, shown: &Url) -> bool {
    let same_site = match (declared.host_str(), shown.host_str()) {
        (Some(a), Some(b)) => {
            let (a, b) = (site_of(a), site_of(b));
            a == b || is_under(a, b) || is_under(b, a)
        }
        _ => false,
    };
    let front_page = |url: &Url| url.path().trim_matches('/').is_empty() && url.query().is_none();
    same_site && matches!(declared.scheme(), "http" | "https") && (!front_page(declared) || front_page(shown))
}

fn site_of(host: &str) -> &str {
    ["www.", "m.", "mobile.", "amp."]
        .iter()
        .find_map(|prefix| host.strip_prefix(prefix))
        .filter(|rest| rest.contains('.'))
        .unwrap_or(host)
}

fn is_under(host: &str, site: &str) -> bool {
    site.contains('.') && host.strip_suffix(site).is_some_and(|rest| rest.ends_with('.'))
}

fn route(url: &Url) -> Option<&str> {
    url.fragment().filter(|fragment| fragment.starts_with('/') || fragment.starts_with("!"))
}

fn fold(mut url: Url) -> String {
    if route(&url).is_none() {
        url.set_fragment(None);
    }
    // Secrets in an address are no part of a page's identity; failure means that it can hold none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    if let Some(query) = url.query() {
        let kept: Vec<&str> = query
            .split('&')
            .filter(|pair| !is_tracking(pair.split('=').next().unwrap_or_default()))
            .collect();
        let kept = kept.join("&");
        url.set_query((!kept.is_empty()).then_some(&kept));
    }
    url.into()
}

fn is_tracking(parameter: &str) -> bool {
    let parameter = parameter.to_ascii_lowercase();
    parameter.is_empty()
        || ["utm_", "mtm_", "pk_", "hsa_", "_hs", "vero_", "oly_", "at_medium", "at_campaign"]
            .iter()
            .any(|prefix| parameter.starts_with(prefix))
        || matches!(
            parameter.as_str(),
            "fbclid"
                | "gclid"
                | "gclsrc"
                | "dclid"
                | "gbraid"
                | "wbraid"
                | "msclkid"
                | "yclid"
                | "twclid"
                | "ttclid"
                | "igshid"
                | "igsh"
                | "mc_cid"
                | "mc_eid"
                | "mkt_tok"
                | "_ga"
                | "_gl"
                | "ref_src"
                | "ref_url"
                | "spm"
                | "scm"
                | "cmpid"
                | "wt_mc"
                | "ncid"
                | "share_source"
                | "share_medium"
                | "from_source"
                | "s_cid"
                | "trk"
                | "trkcampaign"
                | "si"
                | "feature"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_addresses() {
        let cases: &[(&str, &[&str], &str)] = &[
            ("https://a.test/x?utm_source=n&id=3#part", &[], "https://a.test/x?id=3"),
            ("https://a.test/x?fbclid=9", &[], "https://a.test/x"),
            ("https://a.test/x?id=3", &["https://a.test/story"], "https://a.test/story"),
            ("https://a.test/x?id=3", &["/story"], "https://a.test/story"),
            ("https://a.test/x", &["http://a.test/x"], "https://a.test/x"),
            ("https://m.a.test/x", &["https://www.a.test/x"], "https://www.a.test/x"),
            ("https://blog.a.test/x", &["https://a.test/blog/x"], "https://a.test/blog/x"),
            // Another site, a front page, a scheme that is no web page: not believed.
            ("https://a.test/x", &["https://evil.test/x"], "https://a.test/x"),
            ("https://a.test/x", &["https://a.test/"], "https://a.test/x"),
            ("https://a.test/x", &["javascript:alert(1)"], "https://a.test/x"),
            ("https://a.test/x", &["https://evil.test/", "https://a.test/y"], "https://a.test/y"),
            ("https://a.test/x", &["https://nota.test/x"], "https://a.test/x"),
            // Routes of single-page apps.
            ("https://a.test/app#/items/7", &["https://a.test/app"], "https://a.test/app#/items/7"),
            ("https://a.test/app#!items", &[], "https://a.test/app#!items"),
            ("https://user:secret@a.test/x", &[], "https://a.test/x"),
            ("file:///home/me/a.html#top", &["https://a.test/"], "file:///home/me/a.html"),
            ("not an address", &["https://a.test/"], "not an address"),
        ];
        for (shown, declared, expected) in cases {
            let declared: Vec<String> = declared.iter().map(|&d| d.to_owned()).collect();
            assert_eq!(canonical(shown, &declared), *expected, "{shown} {declared:?}");
        }
    }

    #[test]
    fn canonical_is_idempotent() {
        for address in
            ["https://a.test/x?b=1&a=2", "https://a.test/#/r?x=1", "https://xn--fiqs8s.test/%E4%B8%AD"]
        {
            let once = canonical(address, &[]);
            assert_eq!(canonical(&once, &[]), once);
        }
    }

    #[test]
    fn link_targets() {
        assert_eq!(target("https://a.test/x/", "../y#z").as_deref(), Some("https://a.test/y"));
        assert_eq!(target("https://a.test/x", "#z"), None);
        assert_eq!(target("https://a.test/x", "mailto:a@a.test"), None);
    }
}
