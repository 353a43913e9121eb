//! How is declared data said in words? schema.org types as kinds, properties as relations, values as text.

use std::collections::HashMap;

use dom_query::Document;
use loci_graph::ObjectKind;
use serde_json::{Map, Value};

use crate::declared::local_name;
use crate::dom::text;
use crate::page::Name;

/// Deepest nesting followed, most values of one property, most facts of one page.
const MAX_DEPTH: usize = 6;
const MAX_VALUES: usize = 30;
const MAX_FACTS: usize = 300;
/// Longest name of an object, and longest plain value, in characters.
pub const MAX_NAME_CHARS: usize = 160;
const MAX_TEXT_CHARS: usize = 400;

/// A triple not yet tied to a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Triple {
    pub subject: Name,
    pub relation: String,
    pub object: Name,
}

/// Reads the triples out of declared nodes. Nodes that stand for the page itself speak of `page`.
pub fn triples(nodes: &[Value], page: &Name) -> Vec<Triple> {
    let mut reader = Reader { by_id: HashMap::new(), page, out: Vec::new() };
    for node in nodes {
        if let (Some(id), true) = (node["@id"].as_str(), node.get("name").or(node.get("headline")).is_some())
        {
            reader.by_id.entry(id).or_insert(node);
        }
    }
    for node in nodes {
        if let Some(node) = node.as_object().filter(|node| !is_skipped_type(type_of(node)))
            && let Some(subject) = reader.subject(node)
        {
            reader.read(node, &subject, 0);
        }
    }
    reader.out
}

struct Reader<'a> {
    by_id: HashMap<&'a str, &'a Value>,
    page: &'a Name,
    out: Vec<Triple>,
}

impl<'a> Reader<'a> {
    fn subject(&self, node: &Map<String, Value>) -> Option<Name> {
        if is_page_type(type_of(node)) { Some(self.page.clone()) } else { name_of(node) }
    }

    fn read(&mut self, node: &'a Map<String, Value>, subject: &Name, depth: usize) {
        let kind = type_of(node);
        if !is_page_type(kind) && !is_plain_type(kind) && depth <= 1 {
            self.push(subject, "is a", Name::new(words(kind), ObjectKind::Concept));
        }
        for (property, value) in node.iter().filter(|(property, _)| !is_skipped_property(property)) {
            self.property(subject, local_name(property), value, depth);
        }
    }

    fn property(&mut self, subject: &Name, property: &str, value: &'a Value, depth: usize) {
        let values = match value {
            Value::Array(values) => values.as_slice(),
            single => std::slice::from_ref(single),
        };
        let mut taken = 0;
        for value in values.iter().take(MAX_VALUES) {
            match value {
                Value::String(string) if property == "keywords" => {
                    for keyword in string.split([',', '，', '、', ';']).take(MAX_VALUES.saturating_sub(taken))
                    {
                        taken += 1;
                        self.literal(subject, property, keyword);
                    }
                }
                Value::String(string) => self.literal(subject, property, string),
                Value::Number(number) => {
                    self.push(subject, &relation(property), Name::new(number.to_string(), ObjectKind::Value))
                }
                Value::Bool(yes) => self.push(
                    subject,
                    &relation(property),
                    Name::new(if *yes { "yes" } else { "no" }, ObjectKind::Value),
                ),
                Value::Object(node) => self.nested(subject, property, node, depth),
                Value::Array(_) | Value::Null => {}
            }
        }
    }

    fn literal(&mut self, subject: &Name, property: &str, value: &str) {
        if let Some(value) = readable(value) {
            let kind = if value.chars().count() > MAX_NAME_CHARS {
                ObjectKind::Value
            } else {
                kind_of_property(property)
            };
            self.push(subject, &relation(property), Name::new(value, kind));
        }
    }

    fn nested(&mut self, subject: &Name, property: &str, node: &'a Map<String, Value>, depth: usize) {
        if let Some(value) = node.get("@value").and_then(Value::as_str) {
            return self.literal(subject, property, value);
        }
        let referred = node
            .get("@id")
            .and_then(Value::as_str)
            .and_then(|id| self.by_id.get(id))
            .and_then(|node| node.as_object());
        let whole = if name_of(node).is_none() { referred.unwrap_or(node) } else { node };
        let kind = type_of(whole);
        if depth >= MAX_DEPTH || is_skipped_type(kind) || is_page_type(kind) && property == "isPartOf" {
            return;
        }
        if matches!(kind, "Offer" | "AggregateOffer" | "AggregateRating" | "NutritionInformation") {
            return self.part(subject, kind, whole);
        }
        if let Some(mut name) = name_of(whole) {
            if name.kind == ObjectKind::Unknown {
                name.kind = Some(kind_of_property(property))
                    .filter(|&kind| kind != ObjectKind::Value)
                    .unwrap_or_default();
            }
            self.push(subject, &relation(property), name.clone());
            // A node that stands on its own is read on its own.
            if referred.is_none() {
                self.read(whole, &name, depth + 1);
            }
        } else if let Some(value) = composed(whole) {
            let kind = if kind == "PostalAddress" { ObjectKind::Place } else { ObjectKind::Value };
            self.push(subject, &relation(property), Name::new(value, kind));
        }
    }

    /// Parts that have no name of their own: what they say, they say of their owner.
    fn part(&mut self, subject: &Name, kind: &str, node: &Map<String, Value>) {
        let get = |key: &str| node.get(key).and_then(scalar);
        match kind {
            "AggregateRating" => {
                if let Some(value) = get("ratingValue") {
                    let best = get("bestRating").map(|best| format!(" of {best}")).unwrap_or_default();
                    let count = get("ratingCount")
                        .or_else(|| get("reviewCount"))
                        .map(|n| format!(" ({n} ratings)"))
                        .unwrap_or_default();
                    self.push(
                        subject,
                        "rating",
                        Name::new(format!("{value}{best}{count}"), ObjectKind::Value),
                    );
                }
            }
            "NutritionInformation" => {
                for (property, value) in node.iter().filter(|(property, _)| !property.starts_with('@')) {
                    if let Some(value) = scalar(value) {
                        self.push(subject, &relation(property), Name::new(value, ObjectKind::Value));
                    }
                }
            }
            _ => {
                let currency =
                    get("priceCurrency").map(|currency| format!(" {currency}")).unwrap_or_default();
                let price = get("price")
                    .or_else(|| Some(format!("{} to {}", get("lowPrice")?, get("highPrice")?)))
                    .or_else(|| get("lowPrice"));
                if let Some(price) = price {
                    self.push(subject, "price", Name::new(format!("{price}{currency}"), ObjectKind::Value));
                }
                if let Some(availability) = get("availability").and_then(|value| readable(&value)) {
                    self.push(subject, "availability", Name::new(availability, ObjectKind::Value));
                }
            }
        }
    }

    fn push(&mut self, subject: &Name, relation: &str, object: Name) {
        let known = |triple: &Triple| {
            triple.subject.text == subject.text
                && triple.relation == relation
                && triple.object.text == object.text
        };
        if self.out.len() < MAX_FACTS
            && !object.text.is_empty()
            && subject.text != object.text
            && !self.out.iter().any(known)
        {
            self.out.push(Triple { subject: subject.clone(), relation: relation.to_owned(), object });
        }
    }
}

/// The type's local name; of several the first.
pub fn type_of(node: &Map<String, Value>) -> &str {
    let value = match node.get("@type") {
        Some(Value::Array(types)) => types.first(),
        other => other,
    };
    local_name(value.and_then(Value::as_str).unwrap_or_default())
}

/// The node's name with its kind, its other names and addresses as aliases.
pub fn name_of(node: &Map<String, Value>) -> Option<Name> {
    let string = |key: &str| node.get(key).and_then(first_string).and_then(readable);
    let full = || Some(format!("{} {}", string("givenName")?, string("familyName")?));
    let name = string("name")
        .or_else(|| string("headline"))
        .or_else(|| string("title"))
        .or_else(|| string("legalName"))
        .or_else(full)?;
    if name.chars().count() > MAX_NAME_CHARS {
        return None;
    }
    let mut name = Name::new(name, kind_of_type(type_of(node)));
    for key in ["alternateName", "legalName", "sameAs"] {
        let values = match node.get(key) {
            Some(Value::Array(values)) => values.as_slice(),
            Some(single) => std::slice::from_ref(single),
            None => &[],
        };
        let values = values
            .iter()
            .filter_map(Value::as_str)
            .map(str::trim)
            .filter(|v| !v.is_empty() && v.chars().count() <= 2 * MAX_NAME_CHARS);
        for value in values.take(10) {
            if value != name.text && !name.aliases.iter().any(|known| known == value) {
                name.aliases.push(value.to_owned());
            }
        }
    }
    Some(name)
}

/// Whether nodes of the type stand for the page itself.
pub fn is_page_type(kind: &str) -> bool {
    kind.ends_with("Article")
        || kind.ends_with("Posting") && kind != "JobPosting"
        || kind.ends_with("WebPage")
        || matches!(
            kind,
            "ItemPage"
                | "AboutPage"
                | "ContactPage"
                | "ProfilePage"
                | "FAQPage"
                | "QAPage"
                | "CollectionPage"
                | "Report"
        )
}

/// Types that the kind of an object says well enough.
fn is_plain_type(kind: &str) -> bool {
    matches!(
        kind,
        "" | "Thing"
            | "Person"
            | "Organization"
            | "Place"
            | "Event"
            | "Product"
            | "CreativeWork"
            | "WebSite"
            | "Question"
            | "Answer"
            | "DefinedTerm"
    )
}

fn is_skipped_type(kind: &str) -> bool {
    kind.ends_with("Action")
        || matches!(
            kind,
            "BreadcrumbList"
                | "ListItem"
                | "ItemList"
                | "ImageObject"
                | "SiteNavigationElement"
                | "WPHeader"
                | "WPFooter"
                | "WPSideBar"
                | "WPAdBlock"
                | "SpeakableSpecification"
                | "EntryPoint"
                | "Comment"
                | "UserComments"
                | "Review"
                | "InteractionCounter"
                | "GeoCoordinates"
                | "WebPageElement"
                | "PropertyValueSpecification"
                | "ContactPoint"
        )
}

fn is_skipped_property(property: &str) -> bool {
    property.starts_with('@')
        || matches!(
            local_name(property),
            "name"
                | "headline"
                | "title"
                | "alternateName"
                | "legalName"
                | "givenName"
                | "familyName"
                | "sameAs"
                | "url"
                | "image"
                | "logo"
                | "thumbnail"
                | "thumbnailUrl"
                | "contentUrl"
                | "embedUrl"
                | "mainEntityOfPage"
                | "potentialAction"
                | "articleBody"
                | "text"
                | "inLanguage"
                | "wordCount"
                | "isAccessibleForFree"
                | "hasPart"
                | "speakable"
                | "identifier"
                | "comment"
                | "commentCount"
                | "interactionStatistic"
                | "review"
                | "reviews"
                | "breadcrumb"
                | "primaryImageOfPage"
                | "recipeInstructions"
                | "step"
                | "video"
                | "priceCurrency"
                | "itemListElement"
                | "geo"
                | "hasMap"
                | "gtin"
                | "gtin13"
                | "sku"
                | "mpn"
                | "productID"
                | "priceValidUntil"
                | "copyrightYear"
                | "copyrightHolder"
                | "publishingPrinciples"
                | "email"
                | "telephone"
                | "faxNumber"
                | "contactPoint"
                | "openingHoursSpecification"
                | "isPartOf"
                | "mainContentOfPage"
                | "alternativeHeadline"
                | "width"
                | "height"
                | "accessMode"
                | "accessibilityControl"
                | "accessibilityFeature"
                | "accessibilityHazard"
                | "worstRating"
                | "position"
                | "masthead"
        )
}

/// The kind of object a schema.org type stands for.
pub fn kind_of_type(kind: &str) -> ObjectKind {
    match kind {
        "Person" | "Patient" => ObjectKind::Person,
        "Place" | "City" | "Country" | "State" | "AdministrativeArea" | "Continent" | "Landform"
        | "Mountain" | "Residence" | "Accommodation" | "TouristAttraction" | "PostalAddress"
        | "VirtualLocation" | "CivicStructure" | "Park" | "Museum" => ObjectKind::Place,
        "Organization"
        | "Corporation"
        | "NGO"
        | "Airline"
        | "Brand"
        | "SportsTeam"
        | "MusicGroup"
        | "School"
        | "CollegeOrUniversity"
        | "Restaurant"
        | "Hotel"
        | "Hospital"
        | "PerformingGroup"
        | "GovernmentOffice"
        | "Library" => ObjectKind::Organisation,
        "Product"
        | "ProductModel"
        | "ProductGroup"
        | "SoftwareApplication"
        | "MobileApplication"
        | "WebApplication"
        | "VideoGame"
        | "Vehicle"
        | "Car" => ObjectKind::Product,
        "Book" | "Movie" | "CreativeWork" | "MusicRecording" | "MusicAlbum" | "TVSeries" | "TVEpisode"
        | "Recipe" | "Course" | "Dataset" | "VideoObject" | "AudioObject" | "PodcastEpisode"
        | "PodcastSeries" | "SoftwareSourceCode" | "WebSite" | "Periodical" | "Painting" | "Photograph"
        | "Play" | "HowTo" | "Thesis" | "Legislation" => ObjectKind::Work,
        "DefinedTerm" | "Intangible" | "Occupation" | "Language" | "MedicalCondition" | "Drug" | "Taxon" => {
            ObjectKind::Concept
        }
        _ if kind.ends_with("Event") || kind == "Festival" => ObjectKind::Event,
        _ if kind.ends_with("Organization") || kind.ends_with("Business") || kind.ends_with("Store") => {
            ObjectKind::Organisation
        }
        _ if is_page_type(kind) => ObjectKind::Work,
        _ => ObjectKind::Unknown,
    }
}

/// The kind of what a property given as plain text names.
fn kind_of_property(property: &str) -> ObjectKind {
    match property {
        "author" | "creator" | "editor" | "director" | "actor" | "actors" | "founder" | "spouse"
        | "children" | "parent" | "contributor" | "illustrator" | "translator" | "musicBy" | "performer"
        | "byArtist" | "employee" | "member" => ObjectKind::Person,
        "publisher" | "brand" | "manufacturer" | "worksFor" | "affiliation" | "alumniOf" | "provider"
        | "productionCompany" | "sponsor" | "parentOrganization" | "subOrganization" | "memberOf"
        | "sourceOrganization" => ObjectKind::Organisation,
        "location" | "birthPlace" | "deathPlace" | "address" | "areaServed" | "contentLocation"
        | "containedInPlace" | "addressLocality" | "addressCountry" | "addressRegion" | "homeLocation"
        | "workLocation" | "locationCreated" | "countryOfOrigin" | "foundingLocation" => ObjectKind::Place,
        "keywords"
        | "genre"
        | "articleSection"
        | "knowsAbout"
        | "recipeCategory"
        | "recipeCuisine"
        | "jobTitle"
        | "award"
        | "category"
        | "applicationCategory"
        | "hasOccupation" => ObjectKind::Concept,
        "about" | "mentions" | "organizer" | "nationality" | "subjectOf" | "exampleOfWork" | "isBasedOn"
        | "knows" => ObjectKind::Unknown,
        _ => ObjectKind::Value,
    }
}

/// A property as a relation in words.
pub fn relation(property: &str) -> String {
    match property {
        "keywords" => "keyword".to_owned(),
        "articleSection" => "section".to_owned(),
        "recipeIngredient" | "ingredients" => "ingredient".to_owned(),
        "recipeYield" => "yield".to_owned(),
        "recipeCategory" => "category".to_owned(),
        "recipeCuisine" => "cuisine".to_owned(),
        "actors" => "actor".to_owned(),
        _ => words(property),
    }
}

/// "datePublished" → "date published"; abbreviations keep their capitals.
pub fn words(camel: &str) -> String {
    let mut out = String::new();
    let mut previous = ' ';
    let mut chars = camel.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '_' || c == '-' {
            out.push(' ');
        } else if c.is_uppercase() {
            if previous.is_lowercase() || previous.is_ascii_digit() {
                out.push(' ');
            }
            if previous.is_uppercase() || chars.peek().is_some_and(|next| next.is_uppercase()) {
                out.push(c);
            } else {
                out.extend(c.to_lowercase());
            }
        } else {
            out.push(c);
        }
        previous = c;
    }
    out.trim().to_owned()
}

/// Text as a reader would see it: markup and entities resolved, enumerations and durations in words. `None` for
/// bare addresses and blanks.
pub fn readable(value: &str) -> Option<String> {
    let value = value.trim();
    if let Some(term) =
        ["https://schema.org/", "http://schema.org/"].iter().find_map(|prefix| value.strip_prefix(prefix))
    {
        return Some(words(term)).filter(|term| !term.is_empty());
    }
    if value.is_empty()
        || value.starts_with("http://")
        || value.starts_with("https://")
        || value.starts_with("//")
    {
        return None;
    }
    if let Some(duration) = duration(value) {
        return Some(duration);
    }
    let plain = if value.contains('<') || (value.contains('&') && value.contains(';')) {
        let fragment: String = value.chars().take(4 * MAX_TEXT_CHARS).collect();
        text(&Document::fragment(fragment).root())
    } else {
        value.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let short: String = plain.chars().take(MAX_TEXT_CHARS).collect();
    let cut = if short.len() < plain.len() { format!("{}…", short.trim_end()) } else { short };
    Some(cut).filter(|text| !text.is_empty())
}

/// "PT1H30M" → "1 hour 30 minutes".
fn duration(value: &str) -> Option<String> {
    let rest = value.strip_prefix('P')?;
    let mut in_time = false;
    let mut number = String::new();
    let mut parts = Vec::new();
    for c in rest.chars() {
        match c {
            'T' if number.is_empty() => in_time = true,
            '0'..='9' | '.' => number.push(c),
            _ => {
                let unit = match (c, in_time) {
                    ('Y', false) => "year",
                    ('M', false) => "month",
                    ('W', false) => "week",
                    ('D', false) => "day",
                    ('H', true) => "hour",
                    ('M', true) => "minute",
                    ('S', true) => "second",
                    _ => return None,
                };
                let count: f64 = number.parse().ok()?;
                if count > 0.0 {
                    parts.push(format!("{count} {unit}{}", if count == 1.0 { "" } else { "s" }));
                }
                number.clear();
            }
        }
    }
    (number.is_empty() && !parts.is_empty()).then(|| parts.join(" "))
}

/// A node without a name as one line of text.
fn composed(node: &Map<String, Value>) -> Option<String> {
    let get = |key: &str| node.get(key).and_then(scalar).and_then(|value| readable(&value));
    let join = |keys: &[&str], between: &str| {
        keys.iter().filter_map(|key| get(key)).collect::<Vec<_>>().join(between)
    };
    let value = match type_of(node) {
        "PostalAddress" => {
            let town = join(&["postalCode", "addressLocality"], " ");
            let country =
                node.get("addressCountry").and_then(Value::as_object).and_then(name_of).map(|name| name.text);
            [get("streetAddress"), Some(town), get("addressRegion"), get("addressCountry").or(country)]
                .into_iter()
                .flatten()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(", ")
        }
        "QuantitativeValue" | "MonetaryAmount" | "PropertyValue" => {
            join(&["value", "unitText", "currency"], " ")
        }
        "Place" => {
            return node
                .get("address")
                .and_then(|address| scalar(address).or_else(|| composed(address.as_object()?)));
        }
        _ => join(&["text"], ""),
    };
    Some(value).filter(|value| !value.is_empty())
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(string) => Some(string.trim().to_owned()).filter(|string| !string.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(values) => values.first().and_then(scalar),
        _ => None,
    }
}

fn first_string(value: &Value) -> Option<&str> {
    match value {
        Value::String(string) => Some(string),
        Value::Array(values) => values.first().and_then(first_string),
        Value::Object(node) => node.get("@value").and_then(Value::as_str),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(json: &str) -> Vec<String> {
        let nodes: Vec<Value> = serde_json::from_str(json).expect("the case is valid JSON");
        let page = Name::new("The Page", ObjectKind::Work);
        triples(&nodes, &page)
            .iter()
            .map(|t| format!("{} | {} | {} ({:?})", t.subject.text, t.relation, t.object.text, t.object.kind))
            .collect()
    }

    #[test]
    fn typed_nodes_become_triples() {
        let cases: &[(&str, &[&str])] = &[
            (
                r#"[{"@type":"NewsArticle","headline":"H","datePublished":"2019-11-20","author":[{"@type":"Person","name":"Ann Lee","jobTitle":"Editor"}],"publisher":{"@type":"Organization","name":"Daily"},"keywords":"a, b","articleBody":"long"}]"#,
                &[
                    "The Page | author | Ann Lee (Person)",
                    "Ann Lee | job title | Editor (Concept)",
                    "The Page | date published | 2019-11-20 (Value)",
                    "The Page | keyword | a (Concept)",
                    "The Page | keyword | b (Concept)",
                    "The Page | publisher | Daily (Organisation)",
                ],
            ),
            (
                r#"[{"@type":"Product","name":"Lamp","brand":{"@type":"Brand","name":"Lux"},"offers":{"@type":"Offer","price":19.9,"priceCurrency":"EUR","availability":"https://schema.org/InStock"},"aggregateRating":{"@type":"AggregateRating","ratingValue":"4.5","bestRating":5,"ratingCount":12}}]"#,
                &[
                    "Lamp | rating | 4.5 of 5 (12 ratings) (Value)",
                    "Lamp | brand | Lux (Organisation)",
                    "Lux | is a | brand (Concept)",
                    "Lamp | price | 19.9 EUR (Value)",
                    "Lamp | availability | in stock (Value)",
                ],
            ),
            (
                r#"[{"@type":"MusicEvent","name":"Gala","startDate":"2026-05-01T20:00","location":{"@type":"Place","name":"Old Hall","address":{"@type":"PostalAddress","streetAddress":"1 Main St","postalCode":"1010","addressLocality":"Vienna"}}}]"#,
                &[
                    "Gala | is a | music event (Concept)",
                    "Gala | location | Old Hall (Place)",
                    "Old Hall | address | 1 Main St, 1010 Vienna (Place)",
                    "Gala | start date | 2026-05-01T20:00 (Value)",
                ],
            ),
            (
                r##"[{"@type":"Person","@id":"#a","name":"Ann &amp; Co"},{"@type":"WebPage","author":{"@id":"#a"}},{"@type":"BreadcrumbList","name":"x","itemListElement":[]}]"##,
                &["The Page | author | Ann & Co (Person)"],
            ),
            (
                r#"[{"@type":"Recipe","name":"Soup","totalTime":"PT1H5M","recipeIngredient":["1 leek","salt"],"nutrition":{"@type":"NutritionInformation","calories":"90 kcal"}}]"#,
                &[
                    "Soup | is a | recipe (Concept)",
                    "Soup | calories | 90 kcal (Value)",
                    "Soup | ingredient | 1 leek (Value)",
                    "Soup | ingredient | salt (Value)",
                    "Soup | total time | 1 hour 5 minutes (Value)",
                ],
            ),
            (r#"[{"@type":"Person"},{"@type":5},{"name":"untyped, unnamed kin"},3]"#, &[]),
        ];
        for (json, expected) in cases {
            let mut said = said(json);
            let mut expected: Vec<String> = expected.iter().map(|&line| line.to_owned()).collect();
            said.sort();
            expected.sort();
            assert_eq!(said, expected, "{json}");
        }
    }

    #[test]
    fn names_in_words() {
        assert_eq!(words("datePublished"), "date published");
        assert_eq!(words("MusicEvent"), "music event");
        assert_eq!(words("isbn"), "isbn");
        assert_eq!(words("hasURL"), "has URL");
        assert_eq!(words("ISBN"), "ISBN");
    }
}
