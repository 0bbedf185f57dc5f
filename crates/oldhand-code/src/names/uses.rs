//! Whether code of one file uses that of another directly, as the graph would tell: asked of two files, without making one.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::{file_name, is_part};
use crate::extract::Extractor;
use crate::facts::{FileFacts, Import, ImportForm, Reach, Receiver};
use crate::language::{LanguageId, language_of};
use crate::project::{FileId, Manifest, Project, parent};
use crate::read::{Generated, read};
use crate::resolve::{Meaning, Resolver, Resolvers};
use crate::walk::is_manifest;

/// What was asked of files, so that many sessions ask once.
#[derive(Debug, Default)]
pub(super) struct Uses {
    manifests: OnceCell<Vec<Manifest>>,
    answers: RefCell<BTreeMap<[String; 2], bool>>,
}

impl Uses {
    /// Whether one of two files of a tree uses the other. Of the files only these two are parsed, and what an import leads through.
    pub(super) fn ask<I: Iterator<Item = String>>(
        &self,
        root: &Path,
        paths: impl Fn() -> I,
        files: [&str; 2],
    ) -> bool {
        let asked = files.map(str::to_owned);
        if let Some(known) = self.answers.borrow().get(&asked) {
            return *known;
        }
        let answer = self.look(root, paths, files);
        self.answers.borrow_mut().insert(asked, answer);
        answer
    }

    fn look<I: Iterator<Item = String>>(
        &self,
        root: &Path,
        paths: impl Fn() -> I,
        files: [&str; 2],
    ) -> bool {
        let languages = files.map(language_of);
        let [Some(one), Some(two)] = languages else {
            return false;
        };
        let resolvers = Resolvers::default();
        let family = resolvers.family(one);
        if resolvers.family(two) != family {
            return false;
        }
        let [a, b] = files;
        // What a path means there only all files of the crate tell.
        if one.name() == "rust" {
            let text = |file: &str| fs::read_to_string(root.join(file)).unwrap_or_default();
            return names_module(&text(a), b) || names_module(&text(b), a);
        }
        let manifests = self.manifests.get_or_init(|| {
            let all = paths().filter(|path| is_manifest(file_name(path)));
            all.filter_map(|path| {
                let text = fs::read_to_string(root.join(&path)).ok()?;
                Some(Manifest { path, text })
            })
            .collect()
        });
        let of_family = |path: String| {
            let language = language_of(&path)?;
            (resolvers.family(language) == family).then_some((path, language))
        };
        let mut code: Vec<(String, LanguageId)> = paths().filter_map(of_family).collect();
        code.sort_unstable_by(|(one, _), (two, _)| one.cmp(two));
        let load = |file: FileId| {
            let (path, language) = &code[file.0 as usize];
            let bytes = fs::read(root.join(path)).unwrap_or_default();
            let mut extractor = Extractor::default();
            Arc::new(read(&mut extractor, path, *language, &bytes, Generated::Skip).0)
        };
        let (paths, languages) = code.iter().cloned().unzip();
        let members = |_: &str| Vec::new();
        let project = Project::new(paths, languages, manifests.clone(), &load, &members);
        let (Some(a), Some(b)) = (project.find(a), project.find(b)) else {
            return false;
        };
        let uses = |user: FileId, used: FileId| {
            let resolver = resolvers.of(&project, user);
            resolver.is_some_and(|resolver| {
                Side {
                    project: &project,
                    resolver,
                    user,
                    used,
                }
                .uses()
            })
        };
        uses(a, b) || uses(b, a)
    }
}

/// One of two files, and the other as what it may use.
struct Side<'p> {
    project: &'p Project<'p>,
    resolver: &'p dyn Resolver,
    user: FileId,
    used: FileId,
}

impl Side<'_> {
    fn uses(&self) -> bool {
        let facts = self.project.facts(self.user);
        facts
            .imports
            .iter()
            .any(|import| self.imports(facts, import))
            || self.sees()
    }

    fn imports(&self, facts: &FileFacts, import: &Import) -> bool {
        match self.resolver.import(self.project, self.user, facts, import) {
            Meaning::Module(files) | Meaning::Inside(files, _) => files.contains(&self.used),
            Meaning::Name(files) => {
                let ImportForm::Named(name) = import.form else {
                    return files.contains(&self.used);
                };
                let name = facts.text(name);
                files.contains(&self.used) || files.iter().any(|&file| self.hands_on(file, name))
            }
            Meaning::Package(files) => {
                let local = import.local.map(|local| facts.text(local));
                let local = local.unwrap_or_else(|| file_name(facts.text(import.source)));
                files.contains(&self.used) && self.names_of(facts, Some(local))
            }
            Meaning::Namespace(files) => files.contains(&self.used) && self.names_of(facts, None),
            Meaning::External(_) | Meaning::Unresolved => false,
        }
    }

    /// Whether a file that is imported from only hands a name on that the used file has.
    fn hands_on(&self, file: FileId, name: &str) -> bool {
        let facts = self.project.facts(file);
        let mut others = facts.imports.iter().filter(|import| {
            let is_all = import.form == ImportForm::All && self.defined().contains(name);
            let local = import.local.map(|local| facts.text(local));
            import.reach != Reach::Private && (is_all || local == Some(name))
        });
        others.any(
            |import| match self.resolver.import(self.project, file, facts, import) {
                Meaning::Module(files) | Meaning::Name(files) => files.contains(&self.used),
                _ => false,
            },
        )
    }

    /// Whether it names what the other file defines, which it sees without an import.
    fn sees(&self) -> bool {
        let [user, used] = [self.user, self.used].map(|file| self.project.path(file));
        let is_visible = || {
            parent(user) == parent(used)
                && self
                    .resolver
                    .visible(self.project, self.user)
                    .contains(&self.used)
        };
        let is_near = is_of_module(user, used) || is_visible();
        is_near && self.names_of(self.project.facts(self.user), None)
    }

    /// Whether a file names what the other one defines: alone, or behind what it calls the package.
    fn names_of(&self, facts: &FileFacts, package: Option<&str>) -> bool {
        let defined = self.defined();
        let is_own = |name: &str| {
            facts
                .top_level()
                .any(|(_, own)| facts.text(own.name) == name)
        };
        let mut named = facts.references.iter().filter_map(|reference| {
            let name = facts.text(reference.name);
            let path = match reference.receiver {
                Receiver::None => "",
                Receiver::Path(path) | Receiver::Typed(path) | Receiver::Returned(path) => {
                    facts.text(path)
                }
                Receiver::Itself | Receiver::Parent | Receiver::Unknown => return None,
            };
            let mut steps = path.split(['.', ':']).filter(|step| !step.is_empty());
            match package {
                Some(package) if steps.next()? != package => None,
                _ => Some(steps.next().unwrap_or(name)),
            }
        });
        named.any(|name| defined.contains(name) && !is_own(name))
    }

    /// What the used file has at its top.
    fn defined(&self) -> BTreeSet<&str> {
        let facts = self.project.facts(self.used);
        let defined = facts.top_level();
        defined.map(|(_, own)| facts.text(own.name)).collect()
    }
}

/// Whether two files are of one module of Swift, whose files see each other whatever their folders. Modules lie below `Sources`, or at the top.
fn is_of_module(user: &str, used: &str) -> bool {
    let module = |path: &str| -> Option<String> {
        let folder = path.strip_suffix(".swift").map(parent)?;
        let steps: Vec<&str> = folder.split('/').collect();
        let sources = steps.iter().position(|step| *step == "Sources");
        let own = sources.map_or(1, |at| at + 2).min(steps.len());
        Some(steps[..own].join("/"))
    };
    module(user).is_some_and(|own| !own.is_empty() && module(used) == Some(own))
}

/// Whether code in Rust names the module that a file is: `expr::`, `use crate::expr;`.
fn names_module(text: &str, file: &str) -> bool {
    let mut steps = file.trim_end_matches(".rs").rsplit('/');
    let module = steps.find(|step| !matches!(*step, "mod" | "lib" | "main"));
    let Some(module) = module.filter(|module| !module.is_empty()) else {
        return false;
    };
    text.match_indices(module).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + module.len()..]);
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        is_whole && (before.ends_with("::") || after.starts_with("::"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::split;

    /// Whether one of the first two files of a tree uses the other.
    fn uses(fixture: &str) -> bool {
        let tree = tempfile::tempdir().unwrap();
        let files = split(fixture);
        for (path, text) in &files {
            fs::create_dir_all(tree.path().join(parent(path))).unwrap();
            fs::write(tree.path().join(path), text).unwrap();
        }
        let asked = |[a, b]: [usize; 2]| {
            let paths = || files.iter().map(|(path, _)| path.clone());
            Uses::default().ask(tree.path(), paths, [&files[a].0, &files[b].0])
        };
        assert_eq!(asked([0, 1]), asked([1, 0]));
        asked([0, 1])
    }

    #[test]
    fn a_file_uses_what_it_imports() {
        for fixture in [
            "//- src/api/route.ts\nimport { find } from \"../db/rows\";\n//- src/db/rows.ts\nexport const find = 1;\n",
            "//- src/route.ts\nimport type { Row } from \"@/db/rows.js\";\n//- src/db/rows.ts\nexport interface Row {}\n//- tsconfig.json\n{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"] } } }\n",
            // Through a file that hands names on.
            "//- src/engine.ts\nimport { Row } from \"./types\";\n//- src/types/row.ts\nexport interface Row {}\n//- src/types/index.ts\nexport { Row } from \"./row\";\n",
            "//- src/engine.ts\nimport { Row } from \"./types\";\n//- src/types/row.ts\nexport interface Row {}\n//- src/types/index.ts\nexport * from \"./row\";\n",
            "//- src/engine.js\nconst rows = require(\"./rows\");\nrows.find();\n//- src/rows.js\nexports.find = 1;\n",
            "//- shop/cart.py\nfrom .price import price\n//- shop/price.py\ndef price(): pass\n//- shop/__init__.py\n",
            "//- shop/cart.py\nfrom shop import price\n//- shop/price.py\ndef price(): pass\n//- shop/__init__.py\n",
            "//- src/eval.rs\nuse crate::expr::Expr;\n//- src/expr.rs\npub struct Expr;\n",
            // Packages of Go, by the names that are used of them.
            "//- cmd/main.go\npackage main\nimport \"example.org/shop/rows\"\nfunc main() { rows.Find() }\n//- rows/find.go\npackage rows\nfunc Find() {}\n//- go.mod\nmodule example.org/shop\n",
            "//- rows/list.go\npackage rows\nfunc List() Row { return find() }\n//- rows/find.go\npackage rows\ntype Row struct{}\nfunc find() Row { return Row{} }\n",
            "//- src/main/java/shop/Cart.java\npackage shop;\nimport shop.rows.Row;\nclass Cart { Row row; }\n//- src/main/java/shop/rows/Row.java\npackage shop.rows;\npublic class Row {}\n",
            "//- Shop/Root/TabView.swift\nstruct TabView {\n    func show(route: Route) -> Int { return 1 }\n}\n//- Shop/Router/Router.swift\nenum Route { case cart }\n",
            "//- Core/Sources/Shop/A/Cart.swift\nstruct Cart { var price: Price }\n//- Core/Sources/Shop/B/Price.swift\nstruct Price {}\n",
            "//- lib/cart.rb\nrequire_relative \"price\"\n//- lib/price.rb\ndef price; end\n",
        ] {
            assert!(uses(fixture), "{fixture}");
        }
    }

    #[test]
    fn files_that_do_not_name_each_other_are_told_from_those() {
        for fixture in [
            // Both use a third.
            "//- src/a.ts\nimport { c } from \"./c\";\n//- src/b.ts\nimport { c } from \"./c\";\n//- src/c.ts\nexport const c = 1;\n",
            // Of the same name elsewhere.
            "//- src/a.ts\nimport { b } from \"./lib/b\";\n//- src/b.ts\nexport const b = 1;\n//- src/lib/b.ts\nexport const b = 1;\n",
            "//- src/a.ts\nimport { other } from \"./types\";\n//- src/types/row.ts\nexport interface Row {}\n//- src/types/index.ts\nexport * from \"./row\";\nexport * from \"./other\";\n//- src/types/other.ts\nexport const other = 1;\n",
            // Another file of the package is used.
            "//- cmd/main.go\npackage main\nimport \"example.org/shop/rows\"\nfunc main() { rows.Find() }\n//- rows/list.go\npackage rows\nfunc List() {}\n//- rows/find.go\npackage rows\nfunc Find() {}\n//- go.mod\nmodule example.org/shop\n",
            "//- agent/claude.go\npackage agent\nimport \"os/exec\"\nfunc Claude(cmd exec.Cmd) { cmd.Run() }\n//- agent/gemini.go\npackage agent\nfunc Run() {}\n",
            "//- Core/Sources/Shop/Cart.swift\nstruct Cart { var price: Price }\n//- Core/Sources/Bank/Price.swift\nstruct Price {}\n",
            "//- src/eval.rs\nlet expr = 1;\n//- src/expr.rs\npub struct Expr;\n",
            // Of two languages.
            "//- src/app.py\nimport schema\n//- src/schema.ts\nexport const schema = 1;\n",
            "//- src/app.ts\nimport text from \"./notes.md\";\n//- src/notes.md\n# Notes\n",
        ] {
            assert!(!uses(fixture), "{fixture}");
        }
    }

    #[test]
    fn a_module_is_named_by_its_path() {
        for (text, expected) in [
            ("use crate::expr::Expr;", true),
            ("use crate::expr;", true),
            ("fn eval(it: &expr::Expr)", true),
            ("let expr = 1;", false),
            ("use crate::expression::Expr;", false),
            ("my_expr::x()", false),
        ] {
            assert_eq!(names_module(text, "src/expr.rs"), expected, "{text}");
            assert_eq!(names_module(text, "src/expr/mod.rs"), expected, "{text}");
        }
        assert!(!names_module("src::x", "main.rs"));
    }
}
