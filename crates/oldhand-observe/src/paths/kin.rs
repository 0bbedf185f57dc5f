//! Whether the names of two files say that they go together: nobody has to be told of such a pair.

use super::{
    ending, file_name, is_code, is_entry, is_overview, is_prose, is_test, stem, words,
    words_in_order,
};

/// Whether the names of two files say that they go together: a test with what it tests, with the folder of that or with the tests beside it, a file with its
/// namesake or with what its folder is read by, a page with its own style, code with its header, a copy with what it is made from, one part of
/// a thing with another part of it.
pub fn say_it(a: &str, b: &str) -> bool {
    is_own_test(a, b)
        || is_near_test(a, b)
        || is_test(a) && is_test(b) && folder(a) == folder(b)
        || is_namesake(a, b)
        || is_index_of(a, b)
        || is_index_of(b, a)
        || is_page_with_own(a, b)
        || is_side_of(a, b)
        || is_side_of(b, a)
        || is_made_from(a, b)
        || is_made_from(b, a)
        || is_part_of_same(a, b)
        || is_part_of_same(b, a)
        || is_page_about(a, b)
        || is_page_about(b, a)
}

/// Whether both lie under one name in two places of the project: what is alike, and easily changed in one of them only.
pub fn are_twins(a: &str, b: &str) -> bool {
    a != b && file_name(a) == file_name(b) && !is_of_many(a)
}

/// Whether both are pages of one folder, which are often gone through in one sweep.
pub fn are_pages_of_one_folder(a: &str, b: &str) -> bool {
    is_prose(a) && is_prose(b) && folder(a) == folder(b)
}

/// Whether a file that is called after a thing and the folder of its role belongs to the same thing as another: `controllers/cart_controller.rb`
/// and `views/cart/show.html.erb` or `services/cart_manager.rb`.
fn is_part_of_same(part: &str, other: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let words = words_in_order(name).into_iter();
        words
            .map(|word| word.trim_end_matches('s').to_owned())
            .collect()
    };
    let (called, other_called) = (words(stem(part)), words(stem(other)));
    let Some((role, thing)) = called.split_last() else {
        return false;
    };
    let is_role = |step: &str| words(step) == std::slice::from_ref(role);
    let within = file_name(folder(other).trim_end_matches('/'));
    // Two of one role are alike.
    !thing.is_empty()
        && other_called.last() != Some(role)
        && folder(part) != folder(other)
        && folder(part).split('/').any(is_role)
        && (words(within) == thing || other_called.starts_with(thing))
}

/// Whether one is a page about a thing and the other the code of it: `docs/cart.mdx` and `segments/cart.go`. What many are called says nothing.
fn is_page_about(page: &str, code: &str) -> bool {
    let is_own = |path: &str| !is_overview(path) && !is_of_many(path);
    is_prose(page) && is_code(code) && stem(page) == stem(code) && is_own(page) && is_own(code)
}

/// Whether one is the test of the other: its path has all words of the name of what it tests. Everybody knows that these go together.
pub fn is_own_test(a: &str, b: &str) -> bool {
    let (test, tested) = match (is_test(a), is_test(b)) {
        (true, false) => (a, b),
        (false, true) => (b, a),
        _ => return false,
    };
    // Folders that both lie in say nothing, unless it is by its folder that a file is known.
    let (test, name) = match named_by(tested) {
        Some(folder) => (test, folder),
        None => (&test[shared_folders(test, tested)..], stem(tested)),
    };
    let said = words(test);
    let is_said = |word: &String| {
        let bare = word.trim_end_matches('s');
        said.iter().any(|said| said.trim_end_matches('s') == bare)
    };
    let name = words(name);
    !name.is_empty() && name.iter().all(is_said)
}

/// Whether one is a test of the folder of the other: it lies in it, or in one of that name among the tests.
fn is_near_test(a: &str, b: &str) -> bool {
    let (test, tested) = match (is_test(a), is_test(b)) {
        (true, false) => (a, b),
        (false, true) => (b, a),
        _ => return false,
    };
    let mut mirrored = folder(&test[shared_folders(test, tested)..]).split('/');
    // Every package has its `src`.
    let named = tested.rsplit('/').nth(1).filter(|step| !is_common(step));
    folder(test) == folder(tested) || named.is_some_and(|named| mirrored.any(|step| step == named))
}

/// The folder that a file is known by, where its own name is that of many.
fn named_by(path: &str) -> Option<&str> {
    let is_many = is_entry(path) || matches!(stem(path), "page" | "route" | "layout");
    let mut folders = path.split('/').rev().skip(1);
    let named = folders.find(|step| !is_common(step) && !step.is_empty());
    named.filter(|_| is_many)
}

/// Whether many files of a project may be called so.
fn is_of_many(path: &str) -> bool {
    is_entry(path) || matches!(stem(path), "index" | "main" | "page" | "route" | "layout")
}

/// Whether a folder is called like one in most projects, which says nothing of what it holds.
fn is_common(step: &str) -> bool {
    matches!(step, "src" | "lib" | "app" | "pkg" | "internal")
}

/// How many bytes of two paths are the folders that both lie in.
fn shared_folders(a: &str, b: &str) -> usize {
    let steps = a.split_inclusive('/').zip(b.split_inclusive('/'));
    let shared = steps.take_while(|(one, two)| one == two && one.ends_with('/'));
    shared.map(|(step, _)| step.len()).sum()
}

/// Whether a language reads the folder of a file by another one, in which its files are entered.
fn is_index_of(index: &str, file: &str) -> bool {
    let is_named = |path: &str| {
        let name = file_name(path);
        matches!(name, "mod.rs" | "__init__.py")
            || stem(name) == "index" && matches!(ending(name), "ts" | "tsx" | "js" | "jsx" | "mjs")
    };
    // What stands for a folder lies in the one around it.
    let around = match folder(file) {
        within if is_named(file) => folder(within.trim_end_matches('/')),
        within => within,
    };
    let stands_for = index.strip_suffix(".rs").unwrap_or_default();
    is_named(index) && folder(index) == around || around.strip_suffix('/') == Some(stands_for)
}

/// The folder that a file lies in, with its last slash.
pub(super) fn folder(path: &str) -> &str {
    &path[..path.len() - file_name(path).len()]
}

/// Whether one file of a folder is named after another of it: `ChatView.swift` and `ChatViewModel.swift`, `parse.rs` and `parse_args.rs`.
fn is_namesake(a: &str, b: &str) -> bool {
    let (one, two) = (stem(a), stem(b));
    folder(a) == folder(b) && (one.starts_with(two) || two.starts_with(one))
}

/// Whether one is a page and the other its own style or script: they are called alike, or both by their parts alone, as `index.html`
/// and `js/app.js` below it are.
fn is_page_with_own(a: &str, b: &str) -> bool {
    let is_page = |path: &str| matches!(ending(path), "html" | "htm" | "vue" | "svelte" | "astro");
    let is_part = |path: &str| is_style(path) || matches!(ending(path), "js" | "mjs" | "ts");
    let is_bare = |path: &str| {
        let stem = stem(path).to_ascii_lowercase();
        let stem = stem.trim_end_matches('s');
        matches!(stem, "index" | "main" | "app" | "style" | "script")
    };
    // Folders of parts are named after their kind.
    let is_kind = |step: &str| {
        matches!(
            step,
            "" | "js" | "css" | "scripts" | "styles" | "assets" | "static" | "src"
        )
    };
    let has = |outer: &str, inner: &str| {
        let below = folder(inner).strip_prefix(folder(outer));
        below.is_some_and(|below| below.split('/').all(is_kind))
    };
    let is_beside = has(a, b) || has(b, a);
    let is_own = stem(a) == stem(b) && !is_bare(a) || is_beside && is_bare(a) && is_bare(b);
    (is_page(a) && is_part(b) || is_page(b) && is_part(a)) && is_own
}

fn is_style(path: &str) -> bool {
    matches!(ending(path), "css" | "scss" | "sass" | "less")
}

/// Whether a file is a side of its namesake, wherever that lies: a header, a declaration of its types, a style, a story.
fn is_side_of(side: &str, whole: &str) -> bool {
    let is_side = |path: &str| {
        let name = file_name(path);
        matches!(ending(name), "h" | "hh" | "hpp" | "hxx" | "pyi")
            || is_style(name)
            || name.ends_with(".d.ts")
            || name.contains(".stories.")
    };
    is_side(side) && !is_side(whole) && named_by(whole).is_none() && stem(side) == stem(whole)
}

/// Whether a file is called like another but for the ending of a template: `install.sh` of `install.sh.in`.
fn is_made_from(made: &str, from: &str) -> bool {
    const TEMPLATES: [&str; 12] = [
        "in", "tmpl", "template", "tpl", "j2", "jinja", "erb", "ejs", "hbs", "tera", "example",
        "dist",
    ];
    let from = file_name(from).rsplit_once('.');
    from.is_some_and(|(name, ending)| TEMPLATES.contains(&ending) && name == file_name(made))
}

/// The names that the template of a file has, of which a program of the project makes it.
pub fn templates_of(path: &str) -> impl Iterator<Item = String> {
    const FILLED_IN: [&str; 5] = ["in", "tmpl", "tpl", "j2", "jinja"];
    let name = file_name(path).to_owned();
    FILLED_IN
        .iter()
        .map(move |ending| format!("{name}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::super::is_named_test;
    use super::*;

    #[test]
    fn a_test_is_known_by_the_name_of_what_it_tests() {
        for (a, b) in [
            ("a/user.go", "a/user_test.go"),
            ("App/Chat.swift", "AppTests/ChatTests.swift"),
            ("src/Shop.java", "test/ShopTest.java"),
            ("src/read-list.py", "test/test-read-list.py"),
            ("shop/lists/chart.py", "tests/lists/chart/test_list.py"),
            ("src/cart/index.ts", "src/cart/__tests__/total.test.ts"),
            ("app/models/user.rb", "spec/models/users_spec.rb"),
            ("web/src/cart.ts", "cypress/cart.cy.ts"),
            ("src/cart.ts", "tests/fixtures/cart.json"),
        ] {
            assert!(is_own_test(a, b) && is_own_test(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("App/Chat.swift", "AppTests/ShopTests.swift"),
            ("src/lists/base.py", "tests/lists/chart/test_list.py"),
            ("src/cart/cart.go", "src/cart/total_test.go"),
            ("src/cart.ts", "src/total.ts"),
        ] {
            assert!(!is_own_test(a, b), "{a} {b}");
        }
        for (test, tested, expected) in [
            ("src/cart/total_test.go", "src/cart/cart.go", true),
            ("src/test/lists/all.test.ts", "src/lists/base.ts", true),
            ("src/test/lists/all.test.ts", "src/shop.ts", false),
            ("e2e/lists.ts", "src/shop/cart.ts", false),
            ("b/src/__tests__/z.test.ts", "a/src/x.ts", false),
            (
                "mail/app/tests/test_send.py",
                "billing/app/charge.py",
                false,
            ),
        ] {
            assert_eq!(say_it(test, tested), expected, "{test} {tested}");
        }
        assert!(is_named_test("src/chat.test.ts") && !is_named_test("src/test/mock.ts"));
    }

    #[test]
    fn namesakes_lie_in_one_folder() {
        assert!(is_namesake("v/ChatView.swift", "v/ChatViewModel.swift"));
        assert!(!is_namesake("v/FilesView.swift", "v/PhotosView.swift"));
        assert!(!is_namesake("en/Text.strings", "pt/Text.strings"));
    }

    #[test]
    fn sides_and_copies_are_called_like_their_whole() {
        for (a, b) in [
            ("include/cart.h", "src/cart.c"),
            ("ui/Cart.tsx", "stories/Cart.stories.tsx"),
            ("ui/Cart.tsx", "styles/Cart.module.css"),
            ("installer/installer.sh.in", "installer.sh"),
            (".env", "deploy/.env.example"),
        ] {
            assert!(say_it(a, b) && say_it(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("include/cart.h", "src/shop.c"),
            ("ui/index.tsx", "styles/index.css"),
            ("app/cart_controller.rb", "app/views/cart/show.html.erb"),
        ] {
            assert!(!say_it(a, b), "{a} {b}");
        }
    }

    #[test]
    fn parts_of_one_thing_are_called_after_it() {
        for (a, b, expected) in [
            (
                "app/controllers/cart_controller.rb",
                "app/views/cart/show.html.erb",
                true,
            ),
            (
                "app/controllers/admin/user_controller.rb",
                "app/views/admin/users/edit.html.erb",
                true,
            ),
            (
                "app/controllers/cart_controller.rb",
                "app/services/cart_manager.rb",
                true,
            ),
            (
                "app/Controllers/CartController.php",
                "app/Models/Cart.php",
                true,
            ),
            (
                "src/shop/service/CartService.java",
                "src/shop/model/CartItem.java",
                true,
            ),
            ("src/segments/cart.go", "web/docs/segments/cart.mdx", true),
            // Of another thing, or of the same role in two places.
            (
                "app/controllers/cart_controller.rb",
                "app/views/shop/show.html.erb",
                false,
            ),
            (
                "app/controllers/cart_controller.rb",
                "app/services/shop_manager.rb",
                false,
            ),
            (
                "app/controllers/cart_controller.rb",
                "app/controllers/admin/cart_controller.rb",
                false,
            ),
            (
                "app/controllers/cart_controller.rb",
                "app/controllers/cart_items.rb",
                false,
            ),
            (
                "shop/cart_controller.rb",
                "app/services/cart_manager.rb",
                false,
            ),
            ("src/providers/schlage.py", "src/providers/akuvox.py", false),
            ("src/segments/cart.go", "web/docs/segments/shop.mdx", false),
            ("src/segments/cart.go", "themes/cart.json", false),
            ("src/index.ts", "docs/index.md", false),
        ] {
            assert_eq!(say_it(a, b), expected, "{a} {b}");
            assert_eq!(say_it(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn twins_lie_under_one_name_in_two_places() {
        for (a, b, expected) in [
            ("client.go", "unstable/client.go", true),
            ("en/Text.strings", "pt/Text.strings", true),
            ("client.go", "unstable/server.go", false),
            ("a/mod.rs", "b/mod.rs", false),
            ("a/index.ts", "b/index.ts", false),
            ("client.go", "client.go", false),
        ] {
            assert_eq!(are_twins(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn a_page_has_its_own_style_and_script() {
        for (a, b, expected) in [
            ("web/cart.html", "web/css/cart.css", true),
            ("src/Cart.vue", "styles/Cart.scss", true),
            ("index.html", "style.css", true),
            ("app.js", "index.html", true),
            ("index.html", "islandView.js", false),
            ("index.html", "admin/index.js", false),
            ("cart.html", "style.css", false),
            ("cart.css", "cart.js", false),
        ] {
            assert_eq!(is_page_with_own(a, b), expected, "{a} {b}");
        }
    }
}
