//! Small trees and what the graph answers about them.

use std::fmt::Write as _;

use insta::assert_snapshot;
use oldhand_domain::tokens;

use super::dependencies::dependencies;
use super::find::find;
use super::flow::flow;
use super::hot::{Churn, hot_spots};
use super::impact::{Bounds, Direction, impact};
use super::map::{CoChange, MapInput, map};
use super::outline::outline;
use super::references::references;
use super::step::Step;
use super::target::{locate, qualified_name};
use crate::draw::{dot, neighbourhood, svg};
use crate::project::Manifest;
use crate::snapshot::Snapshot;
use crate::testing::{label, snapshot};

const SHOP: &str = r"
//- src/cart.ts
import { price } from './price'
import { log } from './log'
/** What a customer wants to buy. */
export class Cart {
  total() { return price(1) }
  add(item: string) { log(item) }
}
//- src/log.ts
export function log(text: string) {}
//- src/pay.ts
import { Cart } from './cart'
export function pay(cart: Cart) { return cart.total() }
//- src/price.ts
/** Adds the tax to a net amount. */
export function price(net: number) { return round(net * 1.2) }
function round(x: number) { return x }
//- tests/pay.test.ts
import { pay } from '../src/pay'
it('pays', () => { pay(null) })
";

const FAR: Bounds = Bounds {
    depth: 5,
    nodes: 100,
    confidence: 0,
};

fn reached(graph: &Snapshot, target: &str, direction: Direction, bounds: Bounds) -> String {
    let targets = locate(graph, target);
    let answer = impact(graph, &targets, direction, bounds);
    let mut text = String::new();
    for one in &answer.reached {
        let path: Vec<&str> = one.path.iter().map(Step::word).collect();
        writeln!(
            text,
            "{} {:.2} {} {}",
            one.depth,
            one.strength,
            label(graph, one.node),
            path.join(" ")
        )
        .expect("text");
    }
    let tests: Vec<String> = answer
        .tests
        .iter()
        .map(|&node| label(graph, node))
        .collect();
    write!(text, "tests {tests:?} cut {}", answer.is_cut).expect("text");
    text
}

#[test]
fn a_change_reaches_callers_and_their_tests() {
    assert_snapshot!(reached(&snapshot(SHOP), "src/price.ts:price", Direction::Dependents, FAR), @r#"
    1 0.90 src/cart.ts imports
    1 0.78 src/cart.ts:Cart.total calls
    2 0.56 src/pay.ts:pay calls calls
    3 0.51 tests/pay.test.ts calls calls imports
    3 0.44 tests/pay.test.ts:pays calls calls calls
    2 0.40 src/pay.ts imports imports
    tests ["tests/pay.test.ts", "tests/pay.test.ts:pays"] cut false
    "#);
}

#[test]
fn a_file_stands_on_what_its_definitions_use() {
    assert_snapshot!(reached(&snapshot(SHOP), "src/cart.ts", Direction::Dependencies, FAR), @"
    1 0.90 src/log.ts imports
    1 0.90 src/price.ts imports
    1 0.90 src/log.ts:log imports
    1 0.90 src/price.ts:price imports
    2 0.71 src/price.ts:round imports calls
    tests [] cut false
    ");
}

#[test]
fn a_hub_is_cut_and_says_so() {
    let bounds = Bounds {
        depth: 5,
        nodes: 2,
        confidence: 0,
    };
    assert_snapshot!(reached(&snapshot(SHOP), "round", Direction::Dependents, bounds), @"
    1 0.78 src/price.ts:price calls
    2 0.71 src/cart.ts calls imports
    tests [] cut true
    ");
}

#[test]
fn targets_are_found_by_path_line_and_name() {
    let graph = snapshot(SHOP);
    let found = |text: &str| {
        locate(&graph, text)
            .iter()
            .map(|&node| label(&graph, node))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let asked = [
        "cart.ts",
        "src/cart.ts:Cart.add",
        "Cart.total",
        "price",
        "src/cart.ts:6",
        "nothing",
        "src/none.ts:x",
    ];
    let told: Vec<String> = asked
        .iter()
        .map(|text| format!("{text}: {}", found(text)))
        .collect();
    assert_snapshot!(told.join("\n"), @"
    cart.ts: src/cart.ts
    src/cart.ts:Cart.add: src/cart.ts:Cart.add
    Cart.total: src/cart.ts:Cart.total
    price: src/price.ts:price
    src/cart.ts:6: src/cart.ts:Cart.add
    nothing: 
    src/none.ts:x:
    ");
}

#[test]
fn a_file_knows_its_neighbours() {
    let graph = snapshot(SHOP);
    let answer = dependencies(&graph, graph.find_file("src/cart.ts").expect("is there"));
    let mut text = String::new();
    for (word, neighbours) in [("uses", &answer.uses), ("used by", &answer.used_by)] {
        for one in neighbours {
            let names: Vec<&str> = one.symbols.iter().map(|&node| graph.name(node)).collect();
            writeln!(
                text,
                "{word} {} {names:?} {:?}",
                graph.path(one.file),
                one.lines
            )
            .expect("text");
        }
    }
    assert_snapshot!(text, @r#"
    uses src/log.ts ["log"] [2, 6]
    uses src/price.ts ["price"] [1, 5]
    used by src/pay.ts ["Cart", "total"] [1, 2]
    "#);
}

#[test]
fn references_are_lines() {
    let graph = snapshot(SHOP);
    let sites = references(&graph, &locate(&graph, "Cart"));
    let told = sites.iter().map(|site| {
        format!(
            "{}:{} {}",
            graph.path(site.file),
            site.line,
            site.kind.as_str()
        )
    });
    assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @"
    src/pay.ts:1 imports
    src/pay.ts:2 uses
    ");
}

#[test]
fn a_flow_is_the_way_from_one_to_the_other() {
    let graph = snapshot(SHOP);
    let answer = flow(&graph, &locate(&graph, "pay"), &locate(&graph, "round"), 6);
    let path = |path: &super::flow::Path| {
        let steps = path
            .steps
            .iter()
            .map(|step| format!("{} {}", step.word(), qualified_name(&graph, step.to)));
        steps.collect::<Vec<_>>().join(", ")
    };
    assert_snapshot!(answer.paths.iter().map(path).collect::<Vec<_>>().join("\n"), @"calls Cart.total, calls price, calls round");
    assert!(
        flow(&graph, &locate(&graph, "round"), &locate(&graph, "pay"), 6)
            .paths
            .is_empty()
    );
}

#[test]
fn things_are_found_by_name_and_by_meaning() {
    let graph = snapshot(SHOP);
    let told = |question: &str| {
        let matches = find(&graph, question, 2);
        let shown: Vec<String> = matches
            .iter()
            .map(|one| format!("{} ({})", label(&graph, one.node), one.reason.as_str()))
            .collect();
        format!("{question}: {}", shown.join(", "))
    };
    let asked = [
        "Cart",
        "cart",
        "where is the tax of an amount",
        "customer buy",
        "zebra",
    ];
    assert_snapshot!(asked.map(told).join("\n"), @"
    Cart: src/cart.ts:Cart (name), src/cart.ts (start_of_name)
    cart: src/cart.ts:Cart (name_in_other_case), src/cart.ts (start_of_name)
    where is the tax of an amount: src/price.ts:price (words_of_doc)
    customer buy: src/cart.ts:Cart (words_of_doc)
    zebra:
    ");
}

#[test]
fn an_outline_keeps_to_its_budget() {
    let graph = snapshot(SHOP);
    let file = graph.find_file("src/cart.ts").expect("is there");
    assert_snapshot!(outline(&graph, file, 200).render(), @"
    4 class Cart
    5   total()
    6   add(item: string)
    ");
    let short = outline(&graph, file, 16);
    assert!(
        tokens::count(&short.render()) <= 24 && short.left_out > 0,
        "{short:?}"
    );
}

#[test]
fn hot_spots_weigh_use_against_churn() {
    let graph = snapshot(SHOP);
    let churn: Churn = [
        ("src/log.ts".to_owned(), 30.0),
        ("src/cart.ts".to_owned(), 1.0),
    ]
    .into_iter()
    .collect();
    let names = |churn: &Churn| {
        hot_spots(&graph, churn, 2)
            .iter()
            .map(|spot| graph.path(spot.file).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&Churn::default()), ["src/cart.ts", "src/price.ts"]);
    assert_eq!(names(&churn)[0], "src/log.ts");
}

#[test]
fn modules_follow_packages_links_and_history() {
    let graph = snapshot(
        r"
//- api/server.ts
import { query } from '../db/query'
export function serve() { query() }
//- api/routes.ts
import { serve } from './server'
export const routes = [serve]
//- api/auth.ts
export function auth() {}
//- api/auth.test.ts
import { auth } from './auth'
test('auth', () => { auth() })
//- db/query.ts
/** Talks to the database. */
export function query() {}
//- db/pool.ts
export const pool = 1
//- db/schema.ts
export const schema = 1
//- lonely/one.ts
export const one = 1
",
    );
    let input = MapInput {
        manifests: vec![Manifest {
            path: "package.json".to_owned(),
            text: r#"{"name":"shop","scripts":{"test":"vitest","build":"tsc"}}"#.to_owned(),
        }],
        readmes: vec![(
            "api/README.md".to_owned(),
            "# API\n\nAnswers requests.\n".to_owned(),
        )],
        together: vec![CoChange {
            a: "lonely/one.ts".to_owned(),
            b: "db/pool.ts".to_owned(),
            weight: 1.0,
        }],
    };
    let answer = map(&graph, &input);
    let mut text = String::new();
    for module in &answer.modules {
        let names = |nodes: &[crate::snapshot::NodeId]| {
            nodes
                .iter()
                .map(|&node| graph.path(node))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let depends: Vec<&str> = module
            .depends_on
            .iter()
            .map(|&(at, _)| answer.modules[at].name.as_str())
            .collect();
        let commands: Vec<&str> = module
            .commands
            .iter()
            .map(|command| command.line.as_str())
            .collect();
        writeln!(text, "{}: {}", module.name, module.description).expect("text");
        writeln!(
            text,
            "  files {} | tests {} | core {}",
            names(&module.files),
            names(&module.tests),
            names(&module.core)
        )
        .expect("text");
        writeln!(text, "  depends {depends:?} commands {commands:?}").expect("text");
    }
    assert_snapshot!(text, @r#"
    shop/api: Answers requests.
      files api/auth.ts api/routes.ts api/server.ts | tests api/auth.test.ts | core api/auth.ts api/server.ts
      depends ["shop/db"] commands ["npm run build", "npm run test"]
    shop/db: 
      files db/pool.ts db/query.ts db/schema.ts lonely/one.ts | tests  | core db/query.ts
      depends [] commands ["npm run build", "npm run test"]
    "#);
}

#[test]
fn an_impact_is_grouped_by_module() {
    let graph = snapshot(SHOP);
    let answer = impact(&graph, &locate(&graph, "price"), Direction::Dependents, FAR);
    let modules = map(&graph, &MapInput::default());
    let groups = answer.by_module(&graph, &modules);
    let count: usize = groups.iter().map(|(_, places)| places.len()).sum();
    assert_eq!((groups.len(), count), (1, answer.reached.len()));
}

#[test]
fn a_neighbourhood_can_be_drawn() {
    let graph = snapshot(SHOP);
    let part = neighbourhood(&graph, &locate(&graph, "price"), 1, 10);
    assert_snapshot!(dot(&graph, &part), @r#"
    digraph code {
      rankdir=LR;
      node [shape=box, fontname="sans-serif"];
      n0 [label="src/cart.ts"];
      n6 [label="Cart.total · cart.ts"];
      n10 [label="price · price.ts", style=bold];
      n11 [label="round · price.ts"];
      n0 -> n10 [label="imports"];
      n6 -> n10 [label="calls"];
      n10 -> n11 [label="calls"];
    }
    "#);
    let picture = svg(&graph, &part);
    assert!(
        picture.starts_with("<svg ")
            && picture.ends_with("</svg>\n")
            && picture.matches("<rect").count() == part.nodes.len()
    );
}
