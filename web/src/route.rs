//! What the app shows, as its address says: `#memories/12`, `#graph`, `#settings`.

/// A screen of the app page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// The list, or one page of it.
    Memories {
        page: Option<u32>,
    },
    /// The graph; a vertex opens in the side sheet.
    Graph {
        vertex: Option<u32>,
    },
    Settings,
}

impl Route {
    /// Anything unknown leads to the list of memories.
    pub fn parse(hash: &str) -> Route {
        let mut parts = hash.trim_start_matches('#').split('/');
        let screen = parts.next().unwrap_or_default();
        let number = parts.next().and_then(|part| part.parse().ok());
        match screen {
            "graph" => Route::Graph { vertex: number },
            "settings" => Route::Settings,
            _ => Route::Memories { page: number },
        }
    }

    pub fn hash(self) -> String {
        let (screen, number) = match self {
            Route::Memories { page } => ("memories", page),
            Route::Graph { vertex } => ("graph", vertex),
            Route::Settings => ("settings", None),
        };
        number.map_or_else(|| format!("#{screen}"), |number| format!("#{screen}/{number}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_survives_the_address_bar() {
        for route in [
            Route::Memories { page: None },
            Route::Memories { page: Some(12) },
            Route::Graph { vertex: None },
            Route::Graph { vertex: Some(0) },
            Route::Settings,
        ] {
            assert_eq!(Route::parse(&route.hash()), route);
        }
    }

    #[test]
    fn an_unknown_address_leads_home() {
        for hash in ["", "#", "#nothing", "#memories/x", "#memories/-1"] {
            assert_eq!(Route::parse(hash), Route::Memories { page: None }, "{hash}");
        }
    }
}
