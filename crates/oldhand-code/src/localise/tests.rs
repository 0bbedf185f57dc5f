//! What puts a file first.

use std::fs;

use super::*;
use crate::index::Options;
use crate::read::Generated;
use crate::walk::Skip;

const TREE: [(&str, &str); 6] = [
    (
        "shop/cart.py",
        "class Cart:\n    def add_item(self, item):\n        \"\"\"Put an item into the cart.\"\"\"\n        self.items.append(item)\n",
    ),
    (
        "shop/price.py",
        "from shop.cart import Cart\n\n\ndef round_total(cart):\n    \"\"\"Sum of all prices, rounded to cents.\"\"\"\n    return round(sum(cart.items), 2)\n",
    ),
    (
        "shop/http/views.py",
        "def render_invoice(request):\n    return request.invoice\n",
    ),
    (
        "tests/test_price.py",
        "from shop.price import round_total\n\n\ndef test_round_total():\n    assert round_total([]) == 0\n",
    ),
    (
        "docs/price.md",
        "# Prices\n\nPrices are rounded to cents, the total too.\n",
    ),
    ("README.md", "# Shop\n\nA shop with carts and prices.\n"),
];

/// The files that a text is about, likeliest first.
fn located(text: &str) -> Vec<String> {
    let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (path, text) in TREE {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let options = Options {
        threads: 1,
        max_bytes: 1 << 20,
        skip: Skip::Usual,
        generated: Generated::Skip,
    };
    let (index, _) = Index::build(root.path(), state.path(), &options, &mut |_| {}).unwrap();
    let (words, _) = Concordance::refresh(root.path(), &state.path().join("words"), 1).unwrap();
    let ground = Ground {
        index: &index,
        words: &words,
        history: &History::default(),
        embed: &|texts| texts.iter().map(|_| vec![0.0; 4]).collect(),
    };
    let located = localise(&ground, text, 10);
    assert!(located.is_sorted_by(|a, b| a.score >= b.score));
    located.into_iter().map(|file| file.path).collect()
}

#[test]
fn a_path_a_name_a_frame_or_the_words_are_enough() {
    for (text, expected) in [
        ("shop/http/views.py is slow", "shop/http/views.py"),
        ("`round_total` loses a cent", "shop/price.py"),
        ("shop.price gives wrong sums", "shop/price.py"),
        ("Cart.add_item() forgets the item", "shop/cart.py"),
        (
            "It crashes\n  File \"/usr/lib/shop/http/views.py\", line 2, in x\nKeyError",
            "shop/http/views.py",
        ),
        ("rounding of prices to cents is wrong", "shop/price.py"),
    ] {
        assert_eq!(located(text)[0], expected, "{text}");
    }
}

#[test]
fn tests_and_documents_come_after_what_they_are_about() {
    let order = located("the total is rounded wrongly, see test_round_total");
    let place = |path: &str| order.iter().position(|other| other == path);
    assert!(
        place("shop/price.py") < place("tests/test_price.py"),
        "{order:?}"
    );
    assert!(place("shop/price.py") < place("docs/price.md"), "{order:?}");
}

#[test]
fn nothing_said_locates_nothing() {
    for text in ["", "\0", "🙂 xyzzy", "\"' OR 1=1 --"] {
        assert_eq!(located(text), Vec::<String>::new(), "{text:?}");
    }
}

#[test]
fn fillers_are_sorted_for_the_search() {
    assert!(FILLERS.is_sorted());
}
