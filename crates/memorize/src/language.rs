//! Which language is the page written in?

use crate::boilerplate::is_ideographic;

/// Characters of text looked at.
const SAMPLE: usize = 4000;
/// Fewest characters from which a language is told in spite of what the page declares.
const CERTAIN: usize = 300;

/// The language as a BCP 47 tag, lower case: the declared one, unless the text is clearly in another.
///
/// Templates often declare `en` whatever the text, so a reliable detection of another language wins.
pub fn language(declared: Option<&str>, text: &str) -> Option<String> {
    let declared = declared.and_then(tag);
    let sample: String = text.chars().take(SAMPLE).collect();
    let detected = detect(&sample);
    match (declared, detected) {
        (Some(declared), Some((detected, certain)))
            if certain && primary(&declared) != detected && !are_close(primary(&declared), detected) =>
        {
            Some(detected.to_owned())
        }
        (Some(declared), _) => Some(declared),
        (None, Some((detected, _))) => Some(detected.to_owned()),
        (None, None) => None,
    }
}

/// A well-formed tag, lower case with hyphens.
fn tag(declared: &str) -> Option<String> {
    let first = declared.split([',', ';']).next()?.trim();
    let tag = first.replace('_', "-").to_ascii_lowercase();
    let mut parts = tag.split('-');
    let language =
        parts.next().is_some_and(|p| (2..=3).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_lowercase()));
    let rest = parts.all(|p| (1..=8).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_alphanumeric()));
    (language && rest && tag != "und" && tag != "zxx").then_some(tag)
}

fn primary(tag: &str) -> &str {
    tag.split('-').next().unwrap_or(tag)
}

/// Written so much alike that letter statistics cannot overrule the page.
fn are_close(a: &str, b: &str) -> bool {
    const GROUPS: [&[&str]; 5] = [
        &["no", "nb", "nn", "da"],
        &["hr", "sr", "bs", "sl", "cnr"],
        &["cs", "sk"],
        &["id", "ms", "jv", "su"],
        &["es", "gl", "pt", "ca"],
    ];
    GROUPS.iter().any(|group| group.contains(&a) && group.contains(&b))
}

/// The language of a text and whether it is beyond doubt.
fn detect(text: &str) -> Option<(&'static str, bool)> {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 2 {
        return None;
    }
    // The scripts of East Asia tell the language by themselves.
    let count = |test: fn(char) -> bool| text.chars().filter(|&c| test(c)).count();
    let kana = count(|c| matches!(c, '\u{3040}'..='\u{30ff}'));
    let hangul = count(|c| matches!(c, '\u{ac00}'..='\u{d7a3}'));
    let ideographs = count(is_ideographic);
    if ideographs * 3 > letters {
        let language = match () {
            () if hangul * 2 > ideographs => "ko",
            () if kana * 20 > ideographs => "ja",
            () => "zh",
        };
        return Some((language, ideographs >= 20));
    }
    let info = whatlang::detect(text)?;
    let certain = info.is_reliable() && letters >= CERTAIN;
    if !info.is_reliable() && letters < 60 {
        return None;
    }
    Some((two_letters(info.lang()), certain))
}

/// ISO 639-1 code where there is one.
fn two_letters(language: whatlang::Lang) -> &'static str {
    match language.code() {
        "epo" => "eo",
        "eng" => "en",
        "rus" => "ru",
        "cmn" => "zh",
        "spa" => "es",
        "por" => "pt",
        "ita" => "it",
        "ben" => "bn",
        "fra" => "fr",
        "deu" => "de",
        "ukr" => "uk",
        "kat" => "ka",
        "ara" => "ar",
        "hin" => "hi",
        "jpn" => "ja",
        "heb" => "he",
        "yid" => "yi",
        "pol" => "pl",
        "amh" => "am",
        "jav" => "jv",
        "kor" => "ko",
        "nob" => "nb",
        "dan" => "da",
        "swe" => "sv",
        "fin" => "fi",
        "tur" => "tr",
        "nld" => "nl",
        "hun" => "hu",
        "ces" => "cs",
        "ell" => "el",
        "bul" => "bg",
        "bel" => "be",
        "mar" => "mr",
        "kan" => "kn",
        "ron" => "ro",
        "slv" => "sl",
        "hrv" => "hr",
        "srp" => "sr",
        "mkd" => "mk",
        "lit" => "lt",
        "lav" => "lv",
        "est" => "et",
        "tam" => "ta",
        "vie" => "vi",
        "urd" => "ur",
        "tha" => "th",
        "guj" => "gu",
        "uzb" => "uz",
        "pan" => "pa",
        "aze" => "az",
        "ind" => "id",
        "tel" => "te",
        "pes" => "fa",
        "mal" => "ml",
        "ori" => "or",
        "mya" => "my",
        "nep" => "ne",
        "sin" => "si",
        "khm" => "km",
        "tuk" => "tk",
        "aka" => "ak",
        "zul" => "zu",
        "sna" => "sn",
        "afr" => "af",
        "lat" => "la",
        "slk" => "sk",
        "cat" => "ca",
        "tgl" => "tl",
        "hye" => "hy",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::language;

    const GERMAN: &str = "Der Ausschuss tagte am Dienstag und sprach lange über den Hafen. Die Bürgermeisterin erklärte, dass die Arbeiten im nächsten Jahr beginnen sollen, sobald das Geld bewilligt ist. Viele Anwohner hatten Fragen zum Lärm und zu den Kosten, die noch niemand genau beziffern kann. Am Ende stimmten alle Mitglieder dem Plan zu, und die Sitzung wurde geschlossen, weil niemand mehr etwas sagen wollte.";

    #[test]
    fn declared_unless_clearly_wrong() {
        let cases = [
            (Some("de-AT"), GERMAN, Some("de-at")),
            (Some("en"), GERMAN, Some("de")),
            (None, GERMAN, Some("de")),
            (Some("en_US"), "Short text.", Some("en-us")),
            (Some("zh-Hant-TW"), "委員會在星期二開會,詳細討論了港口的未來發展計劃。", Some("zh-hant-tw")),
            (Some("en"), "委员会在星期二开会,详细讨论了港口的未来发展计划。", Some("zh")),
            (None, "東京は日本の首都です。人口は多いです。", Some("ja")),
            (None, "서울은 대한민국의 수도이다.", Some("ko")),
            (Some("x"), "?", None),
            (None, "", None),
        ];
        for (declared, text, expected) in cases {
            assert_eq!(language(declared, text).as_deref(), expected, "{declared:?} {text}");
        }
    }
}
