//! What holds for every retriever, and the published faults that none may repeat.

use loci_graph::{Cause, Graph, Key, Record, Retired, Timestamp};
use loci_index::{Indexes, Item};

use crate::testing::{Told, World, embed};
use crate::{
    AStar, BeamSearch, Heuristic, Memory, Query, Restrict, Retriever, Sorting, TimeFilter, WaterCircles,
    by_name, retriever::NAMES,
};

const PAGES: [Told; 5] = [
    (
        "Marie Curie",
        "Marie Curie was born in Warsaw. She married Pierre Curie.",
        &[["Marie Curie", "born in", "Warsaw"], ["Marie Curie", "married", "Pierre Curie"]],
        &[("Marie Curie and Pierre Curie discovered radium.", &["Marie Curie", "Pierre Curie", "Radium"])],
    ),
    ("Warsaw", "Warsaw is the capital of Poland.", &[["Warsaw", "capital of", "Poland"]], &[]),
    ("Poland", "Poland borders Germany.", &[["Poland", "borders", "Germany"]], &[]),
    ("李", "李 住在北京。", &[["李", "住在", "北京"]], &[]),
    ("Otters", "Otters eat fish in rivers.", &[["Otters", "eat", "Fish"]], &[]),
];

fn all() -> Vec<Box<dyn Retriever>> {
    let names = NAMES.iter().copied().chain(["mix:beam+watercircles", "mix:astar-ip+bm25+dense"]);
    names.map(|name| by_name(name).expect("a known name")).collect()
}

fn says(world: &World, fact: Item) -> String {
    loci_index::embed_text(&world.graph, fact).unwrap_or_default()
}

#[test]
fn every_retriever_ranks_the_passage_that_answers_first_ones() {
    let world = World::new(&PAGES);
    for retriever in all() {
        let found = world.ask(&*retriever, "Where was Marie Curie born?");
        let top: Vec<&str> = found
            .passages
            .iter()
            .take(2)
            .filter_map(|passage| world.graph.episode(passage.episode))
            .map(|episode| episode.text.as_str())
            .collect();
        assert!(top.iter().any(|text| text.contains("born in Warsaw")), "{}: {top:?}", retriever.name());
        assert!(!found.facts.is_empty(), "{}", retriever.name());
    }
}

#[test]
fn bad_input_gives_sensible_results_never_a_panic() {
    let world = World::new(&PAGES);
    let (graph, indexes) = (Graph::default(), Indexes::default());
    let empty = Memory { graph: &graph, indexes: &indexes };
    let (nan, zero, short) = (vec![f32::NAN; 64], vec![0.0; 64], vec![1.0; 3]);
    for retriever in all() {
        let name = retriever.name();
        let found = retriever.retrieve(&empty, &Query::new("Anything?", Some(&zero)));
        assert!(found.facts.is_empty() && found.passages.is_empty(), "{name}");
        for vector in [None, Some(&nan[..]), Some(&zero[..]), Some(&short[..]), Some(&[][..])] {
            for question in ["", "李", "?!", "Where was Marie Curie born?", &"very ".repeat(3_000)] {
                world.ask_with(&*retriever, &Query::new(question, vector));
            }
        }
    }
}

#[test]
fn unknown_names_are_refused() {
    for name in ["", "Dense", "mix:", "mix:dense+", "mix:dense+nothing"] {
        assert!(by_name(name).is_err(), "{name}");
    }
    for name in NAMES {
        assert_eq!(by_name(name).expect("known").name(), name);
    }
}

#[test]
fn restrictions_keep_walks_and_results_out() {
    let world = World::new(&PAGES);
    let vector = embed("What did Marie Curie and Pierre Curie discover?");
    for retriever in all() {
        let ask = |restrict: &str| {
            let restrict: Restrict = restrict.parse().expect("letters");
            let query = Query {
                restrict,
                ..Query::new("What did Marie Curie and Pierre Curie discover?", Some(&vector))
            };
            world.ask_with(&*retriever, &query)
        };
        let is_thesis = |fact: &crate::ScoredFact| matches!(fact.fact, Item::Vertex(_));
        assert!(!ask("T").facts.iter().any(is_thesis), "{}", retriever.name());
        assert!(ask("O").facts.iter().all(is_thesis), "{}", retriever.name());
        for found in [ask("E"), ask("E,T,O")] {
            let through = found.facts.iter().flat_map(|fact| &fact.path.steps);
            let mut inner = through.filter(|step| world.graph.episode(step.to).is_some());
            assert_eq!(inner.next(), None, "{}", retriever.name());
        }
    }
}

#[test]
fn retired_facts_are_found_only_when_asked_for() {
    let mut world = World::new(&PAGES);
    let triple = world.graph.triples().find(|triple| triple.relation == "born in").expect("told").clone();
    let mut edit = world.graph.edit(Timestamp(9), Cause::UserEdit);
    let mut retired = triple.clone();
    retired.meta.retired = Some(Retired { at: Timestamp(9), by: None, ended: true });
    retired.meta.valid.to = Some(Timestamp(9));
    edit.put(Record::Triple(retired));
    let transaction = edit.finish();
    assert_eq!(transaction.changes[0].key, Key::Triple(triple.id));
    world.indexes.apply(&world.graph, &transaction);
    let vector = embed("Marie Curie born in Warsaw");
    for retriever in all() {
        let has = |time: TimeFilter| {
            let query = Query { time, ..Query::new("Marie Curie born in Warsaw", Some(&vector)) };
            world.ask_with(&*retriever, &query).facts.iter().any(|fact| fact.fact == Item::Triple(triple.id))
        };
        assert!(!has(TimeFilter::Latest), "{}", retriever.name());
        assert!(!has(TimeFilter::AsOf(Timestamp(9))), "{}", retriever.name());
        assert!(has(TimeFilter::AsOf(Timestamp(8))), "{}", retriever.name());
        assert!(has(TimeFilter::Always), "{}", retriever.name());
    }
}

/// Published fault: the released A\* returns nothing for one linked vertex.
#[test]
fn astar_with_one_seed_walks_to_the_best_match() {
    let world = World::new(&PAGES);
    for heuristic in [Heuristic::Ip, Heuristic::Wsp, Heuristic::Awsp] {
        let found = world.ask(&AStar::new(heuristic), "Marie Curie: capital of Poland?");
        assert!(!found.facts.is_empty(), "{heuristic:?}");
        let found = world.ask(&AStar::new(heuristic), "Otters?");
        assert!(found.facts.iter().any(|fact| says(&world, fact.fact).contains("eat")), "{heuristic:?}");
    }
}

/// Published fault: the fallback vertex is the last one popped, not the nearest by the heuristic.
#[test]
fn astar_out_of_reach_goes_to_the_nearest_expanded_vertex() {
    let world = World::new(&[
        ("A", "a", &[["Start", "leads to", "Goal village"], ["Start", "leads to", "Unrelated zebra"]], &[]),
        ("B", "b", &[["Goal", "is", "Goal itself"]], &[]),
    ]);
    let found = world.ask(&AStar::new(Heuristic::Ip), "Start Goal");
    let texts: Vec<String> = found.facts.iter().map(|fact| says(&world, fact.fact)).collect();
    assert_eq!(texts, ["Start leads to Goal village"]);
}

/// Published fault: the average along the path is a running sum. With a true mean and hops to the goal the
/// heuristic of a path to the goal's neighbour stays below 2, however long the path is.
#[test]
fn astar_averages_over_the_path() {
    let chain: Vec<[String; 3]> =
        (0..8).map(|i| [format!("Node{i}"), "next".into(), format!("Node{}", i + 1)]).collect();
    let chain: Vec<[&str; 3]> = chain.iter().map(|triple| [&*triple[0], &*triple[1], &*triple[2]]).collect();
    let world = World::new(&[("Chain", "chain", &chain, &[])]);
    let found = world.ask_with(
        &AStar::new(Heuristic::Awsp),
        &Query {
            restrict: "E".parse().expect("a letter"),
            ..Query::new("Node0 Node8", Some(&embed("Node0 Node8")))
        },
    );
    assert_eq!(found.facts.len(), 8, "the whole chain is found");
}

#[test]
fn beam_scores_by_mean_cost_and_sorts_ended_paths() {
    let world = World::new(&PAGES);
    for (sorting, share) in
        [(Sorting::Mixed, true), (Sorting::EndedFirst, true), (Sorting::ContinuousFirst, false)]
    {
        let beam = BeamSearch { sorting, share_vertices: share, share_facts: share, ..BeamSearch::default() };
        let found = world.ask(&beam, "Where was Marie Curie born?");
        let born = found.facts.iter().any(|fact| says(&world, fact.fact).contains("born in"));
        // A longer path that scores better may bar the way where nothing is shared.
        assert!(born || (!share && !found.facts.is_empty()), "{sorting:?}");
    }
    let found = world.ask(&BeamSearch::default(), "Marie Curie born in Warsaw");
    assert_eq!(says(&world, found.facts[0].fact), "Marie Curie born in Warsaw");
}

#[test]
fn beam_never_enters_a_vertex_twice() {
    let world =
        World::new(&[("Ring", "ring", &[["A1", "to", "B1"], ["B1", "to", "C1"], ["C1", "to", "A1"]], &[])]);
    let found = world.ask(&BeamSearch::default(), "A1");
    for fact in &found.facts {
        let mut visited: Vec<_> = fact.path.steps.iter().map(|step| step.to).collect();
        visited.sort_unstable();
        let length = visited.len();
        visited.dedup();
        assert_eq!(visited.len(), length, "{:?}", fact.path);
    }
}

#[test]
fn watercircles_keep_the_chain_where_rings_meet() {
    let world = World::new(&PAGES);
    let found = world.ask(&WaterCircles::default(), "Marie Curie Poland");
    let chain: Vec<String> = found.facts.iter().take(2).map(|fact| says(&world, fact.fact)).collect();
    assert!(chain.contains(&"Marie Curie born in Warsaw".to_string()), "{chain:?}");
    assert!(chain.contains(&"Warsaw capital of Poland".to_string()), "{chain:?}");
}

/// Published fault: it reads the second character of a name and crashes on a name of one.
#[test]
fn watercircles_know_names_of_one_character() {
    let world = World::new(&PAGES);
    let found = world.ask(&WaterCircles::default(), "李");
    assert_eq!(says(&world, found.facts[0].fact), "李 住在 北京");
}

#[test]
fn strict_watercircles_prefer_chains_through_more_seeds() {
    let world = World::new(&[(
        "Meet",
        "meet",
        &[["Ada", "knows", "Mid"], ["Bob", "knows", "Mid"], ["Cid", "knows", "Mid"], ["Ada", "met", "Bob"]],
        &[],
    )]);
    let query = Query { restrict: "E".parse().expect("a letter"), ..Query::new("Ada Bob Cid", None) };
    let strict = WaterCircles { strict: true, ..WaterCircles::default() };
    let texts = |retriever: &WaterCircles| -> Vec<String> {
        world.ask_with(retriever, &query).facts.iter().map(|fact| says(&world, fact.fact)).collect()
    };
    assert!(texts(&WaterCircles::default()).contains(&"Ada met Bob".to_string()));
    assert!(!texts(&strict).contains(&"Ada met Bob".to_string()));
}

#[test]
fn a_hub_of_ten_thousand_stalls_nothing() {
    let world = World::hub(10_000);
    for retriever in all() {
        let found = world.ask(&*retriever, "Hub Spoke 7");
        assert!(!found.passages.is_empty(), "{}", retriever.name());
    }
}

#[test]
fn disconnected_seeds_still_give_their_own_facts() {
    let world = World::new(&PAGES);
    for retriever in all() {
        let found = world.ask(&*retriever, "Otters Germany");
        assert!(!found.passages.is_empty(), "{}", retriever.name());
        assert!(world.object("Otters") != world.object("Germany"));
    }
}
