//! Trees that change under what hangs on them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{Anchors, Whereabouts};
use crate::index::{Index, Options};
use crate::read::Generated;
use crate::walk::Skip;

/// A tree, its graph and what hangs on it.
struct Tree {
    root: tempfile::TempDir,
    state: tempfile::TempDir,
    anchors: Anchors,
}

const CART: &str = "import { price } from './price'\n\
    export class Cart {\n  total(items: string[]): number {\n    \
    return items.map((item) => price(item)).reduce((sum, one) => sum + one, 0)\n  }\n}\n";

impl Tree {
    fn new() -> Self {
        let tree = Self {
            root: tempfile::tempdir().expect("a folder"),
            state: tempfile::tempdir().expect("a folder"),
            anchors: Anchors::default(),
        };
        tree.write("cart.ts", CART);
        tree.write(
            "price.ts",
            "export function price(item: string) { return item.length }\n",
        );
        tree
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.root.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn look(&mut self, place: &str, renamed: Option<&str>) -> Whereabouts {
        let options = Options {
            threads: 1,
            max_bytes: 1 << 20,
            skip: Skip::Usual,
            generated: Generated::Skip,
        };
        let built = Index::build(self.root.path(), self.state.path(), &options, &mut |_| {});
        let (index, _) = built.expect("builds");
        let places = BTreeSet::from([place.to_owned()]);
        let mut renamed = |_: &str| renamed.map(str::to_owned);
        self.anchors = Anchors::read(&self.anchors.write());
        let mut found = self.anchors.follow(&index, &places, &mut renamed);
        found.remove(place).expect("every place is answered")
    }
}

fn moved(to: &str) -> Whereabouts {
    Whereabouts::Moved { to: to.to_owned() }
}

const TOTAL: &str = "cart.ts:Cart.total";

#[test]
fn a_definition_holds_while_only_its_words_change() {
    let mut tree = Tree::new();
    assert_eq!(tree.look(TOTAL, None), Whereabouts::Holds);
    tree.write(
        "cart.ts",
        &format!("// a comment\n{}", CART.replace("sum + one", "one + sum")),
    );
    assert_eq!(tree.look(TOTAL, None), Whereabouts::Holds);
}

#[test]
fn a_definition_is_followed_into_another_file_and_under_another_name() {
    let mut tree = Tree::new();
    tree.look(TOTAL, None);
    fs::remove_file(tree.path("cart.ts")).expect("was there");
    tree.write("shop/basket.ts", &CART.replace("./price", "../price"));
    assert_eq!(tree.look(TOTAL, None), moved("shop/basket.ts:Cart.total"));
    tree.write(
        "shop/basket.ts",
        &CART
            .replace("./price", "../price")
            .replace("total(", "amount("),
    );
    let now = "shop/basket.ts:Cart.total";
    assert_eq!(tree.look(now, None), moved("shop/basket.ts:Cart.amount"));
}

#[test]
fn a_signature_and_a_lost_call_speak_against_it_until_they_are_back() {
    let mut tree = Tree::new();
    tree.look(TOTAL, None);
    let to = TOTAL.to_owned();
    tree.write(
        "cart.ts",
        &CART.replace("items: string[])", "items: string[], tax: number)"),
    );
    assert_eq!(
        tree.look(TOTAL, None),
        Whereabouts::Altered { to: to.clone() }
    );
    tree.write("cart.ts", &CART.replace("price(item)).reduce", "1).reduce"));
    assert_eq!(tree.look(TOTAL, None), Whereabouts::CallsLess { to });
    tree.write("cart.ts", CART);
    assert_eq!(tree.look(TOTAL, None), Whereabouts::Holds);
}

#[test]
fn what_is_accepted_is_taken_as_it_is() {
    let mut tree = Tree::new();
    tree.look(TOTAL, None);
    tree.write(
        "cart.ts",
        &CART.replace("items: string[])", "items: string[], tax: number)"),
    );
    tree.look(TOTAL, None);
    tree.anchors.accept(TOTAL);
    assert_eq!(tree.look(TOTAL, None), Whereabouts::Holds);
}

#[test]
fn what_is_gone_is_gone_and_may_come_back() {
    let mut tree = Tree::new();
    tree.look(TOTAL, None);
    fs::remove_file(tree.path("cart.ts")).expect("was there");
    assert_eq!(tree.look(TOTAL, None), Whereabouts::Gone);
    tree.write("cart.ts", CART);
    assert_eq!(tree.look(TOTAL, None), Whereabouts::Holds);
}

#[test]
fn a_file_is_followed_by_git_or_by_its_content() {
    let mut tree = Tree::new();
    assert_eq!(tree.look("price.ts", None), Whereabouts::Holds);
    fs::rename(tree.path("price.ts"), tree.path("cost.ts")).expect("movable");
    assert_eq!(tree.look("price.ts", None), moved("cost.ts"));
    assert_eq!(tree.look("price.ts", Some("tariff.ts")), moved("tariff.ts"));
    assert_eq!(tree.look("never.ts", None), Whereabouts::Holds);
    assert_eq!(tree.look("never.ts:never", None), Whereabouts::Holds);
}

#[test]
fn a_file_that_moved_is_missed_when_it_goes_from_its_new_place() {
    for renamed in [None, Some("shop/basket.ts")] {
        let mut tree = Tree::new();
        assert_eq!(tree.look("cart.ts", None), Whereabouts::Holds);
        fs::create_dir(tree.path("shop")).expect("a folder");
        fs::rename(tree.path("cart.ts"), tree.path("shop/basket.ts")).expect("was there");
        assert_eq!(tree.look("cart.ts", renamed), moved("shop/basket.ts"));
        fs::remove_file(tree.path("shop/basket.ts")).expect("was there");
        assert_eq!(tree.look("shop/basket.ts", None), Whereabouts::Gone);
    }
}
