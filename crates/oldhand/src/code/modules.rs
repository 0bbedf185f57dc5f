//! Which module a person means by a name, and which names and places of memories are that module's.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use oldhand_code::answer::map::{Module, ModuleMap};
use oldhand_code::snapshot::Snapshot;
use oldhand_domain::path::ProjectPath;
use oldhand_domain::text::ModuleName;

use super::{peek, read_history, survey};
use crate::desk::Desk;
use crate::failure::Failure;
use crate::nearest::nearest;
use crate::out::Out;

/// How many names are told where one is not known.
const TOLD: usize = 8;

/// What memories of the modules that were asked for name.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Named {
    pub(crate) names: Vec<ModuleName>,
    /// Files of these modules, and folders in which nothing belongs to another.
    pub(crate) places: Vec<ProjectPath>,
}

/// What is meant by names of modules. The map is made only where there are some, of the code as it was read last; without it the names that memories
/// carry are all there is.
pub(crate) fn named(wanted: &[ModuleName], desk: &Desk, out: &Out) -> Result<Named> {
    if wanted.is_empty() {
        return Ok(Named::default());
    }
    let carried = desk.engine().modules()?;
    let project = desk.project.as_ref();
    let known = match project.and_then(|project| peek(project, &desk.settings)) {
        Some((index, _)) => {
            let map = survey::map(&index, &read_history(desk, out)?);
            parts_of(&map, index.snapshot())
        }
        None => Vec::new(),
    };
    let mut named = Named::default();
    for name in wanted {
        let meant = resolve(name, &known, &carried)?;
        named.names.extend(meant.names);
        named.places.extend(meant.places);
    }
    Ok(named)
}

/// A module of the map.
struct Part {
    name: String,
    /// `.` for the top of the project.
    folder: String,
    places: Vec<ProjectPath>,
}

impl Part {
    /// Whether a memory that names a module in these words means this one: sessions call modules by their folders.
    fn is_meant_by(&self, name: &ModuleName) -> bool {
        let is_below = |path: &ProjectPath| {
            let mut places = self.places.iter();
            places.any(|place| path.is_at_or_below(place))
        };
        is_same(name.as_str(), &self.name)
            || is_same(name.as_str(), &self.folder)
            || ProjectPath::new(name.as_str()).is_ok_and(|path| is_below(&path))
    }
}

fn parts_of(map: &ModuleMap, snapshot: &Snapshot) -> Vec<Part> {
    let paths_of = |module: &Module| -> Vec<ProjectPath> {
        let nodes = module.files.iter().chain(&module.tests);
        nodes
            .filter_map(|&file| ProjectPath::new(snapshot.path(file)).ok())
            .collect()
    };
    let files: Vec<Vec<ProjectPath>> = map.modules.iter().map(paths_of).collect();
    let parts = map.modules.iter().zip(own_places(&files));
    let part = |(module, places): (&Module, Vec<ProjectPath>)| Part {
        name: module.name.clone(),
        folder: match module.folder.as_str() {
            "" => ".".to_owned(),
            folder => folder.to_owned(),
        },
        places,
    };
    parts.map(part).collect()
}

/// The widest folders that hold files of one module alone, module by module, and files that share their folder with those of another. What lies
/// beside source code in such a folder, as a manifest does, is of the module as well.
fn own_places(files: &[Vec<ProjectPath>]) -> Vec<Vec<ProjectPath>> {
    // `None` is a folder that several modules have files in.
    let mut owners: BTreeMap<ProjectPath, Option<usize>> = BTreeMap::new();
    for (module, files) in files.iter().enumerate() {
        for folder in files.iter().flat_map(ProjectPath::folders) {
            let owner = owners.entry(folder).or_insert(Some(module));
            *owner = owner.filter(|owner| *owner == module);
        }
    }
    let place_of = |module: usize, file: &ProjectPath| {
        let is_own = |folder: &ProjectPath| owners.get(folder) == Some(&Some(module));
        let widest = file.folders().take_while(is_own).last();
        widest.unwrap_or_else(|| file.clone())
    };
    let places = files.iter().enumerate().map(|(module, files)| {
        let places: BTreeSet<ProjectPath> =
            files.iter().map(|file| place_of(module, file)).collect();
        places.into_iter().collect()
    });
    places.collect()
}

fn resolve(wanted: &ModuleName, known: &[Part], carried: &BTreeSet<ModuleName>) -> Result<Named> {
    let wanted = wanted.as_str();
    let by = |fits: &dyn Fn(&Part) -> bool| -> Vec<&Part> {
        known.iter().filter(|part| fits(part)).collect()
    };
    let carried_by = |fits: fn(&str, &str) -> bool| -> Vec<&ModuleName> {
        let names = carried.iter();
        names.filter(|name| fits(name.as_str(), wanted)).collect()
    };
    for parts in [
        by(&|part| is_same(&part.name, wanted)),
        by(&|part| {
            let mut places = part.places.iter();
            is_same(&part.folder, wanted) || places.any(|place| is_same(place.as_str(), wanted))
        }),
    ] {
        if !parts.is_empty() {
            return Ok(all_of(&parts, carried, carried_by(is_same)));
        }
    }
    let same = carried_by(is_same);
    if !same.is_empty() {
        return Ok(all_of(&[], carried, same));
    }
    let ending = by(&|part| ends_with(&part.name, wanted) || ends_with(&part.folder, wanted));
    let carried_ending = carried_by(ends_with);
    match (ending.as_slice(), carried_ending.as_slice()) {
        ([], []) => Err(unknown(wanted, known, carried).into()),
        ([part], _) => Ok(all_of(&[part], carried, Vec::new())),
        ([], [name]) => Ok(all_of(&[], carried, vec![name])),
        ([], names) => Err(several(wanted, names.iter().map(|name| name.as_str())).into()),
        (parts, _) => Err(several(wanted, parts.iter().map(|part| part.name.as_str())).into()),
    }
}

/// What memories of these modules name, and of those that carry one of `names`.
fn all_of(parts: &[&Part], carried: &BTreeSet<ModuleName>, names: Vec<&ModuleName>) -> Named {
    let is_meant = |name: &&ModuleName| parts.iter().any(|part| part.is_meant_by(name));
    let names: BTreeSet<&ModuleName> = carried.iter().filter(is_meant).chain(names).collect();
    let called = parts
        .iter()
        .filter_map(|part| ModuleName::new(&part.name).ok());
    Named {
        // The module's own name, so that a module of no file and no memory still is a condition.
        names: names.into_iter().cloned().chain(called).collect(),
        places: parts.iter().flat_map(|part| part.places.clone()).collect(),
    }
}

fn is_same(name: &str, wanted: &str) -> bool {
    name.to_lowercase() == wanted.to_lowercase()
}

/// Whether `wanted` is the last part of a name, or its last parts.
fn ends_with(name: &str, wanted: &str) -> bool {
    let name = name.to_lowercase();
    let rest = name.strip_suffix(&wanted.to_lowercase());
    rest.is_some_and(|rest| rest.ends_with('/'))
}

fn several<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Failure {
    let names = told(&names.collect::<Vec<_>>());
    Failure::invalid(format!(
        "`{wanted}` is the last part of several modules: {names}"
    ))
    .hint("give more of the name")
}

fn unknown(wanted: &str, known: &[Part], carried: &BTreeSet<ModuleName>) -> Failure {
    let names = known.iter().map(|part| part.name.as_str());
    let others = carried.iter().filter(|name| {
        let mut parts = known.iter();
        !parts.any(|part| part.is_meant_by(name))
    });
    let names: Vec<&str> = names.chain(others.map(ModuleName::as_str)).collect();
    let message = format!("no module is called `{wanted}`");
    if names.is_empty() {
        return Failure::not_found(format!("{message}: none is known here"))
            .hint("`oldhand map` reads the code and lists its modules");
    }
    let hint = match nearest(wanted, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? `oldhand map` lists the modules"),
        None => "`oldhand map` lists the modules".to_owned(),
    };
    Failure::not_found(format!("{message}: there are {}", told(&names))).hint(hint)
}

/// The first of these names, and how many there are besides.
fn told(names: &[&str]) -> String {
    let first = names[..names.len().min(TOLD)].join(", ");
    match names.len() - names.len().min(TOLD) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> ProjectPath {
        ProjectPath::new(text).unwrap()
    }

    fn name(text: &str) -> ModuleName {
        ModuleName::new(text).unwrap()
    }

    fn part(name: &str, folder: &str, places: &[&str]) -> Part {
        Part {
            name: name.to_owned(),
            folder: folder.to_owned(),
            places: places.iter().map(|place| path(place)).collect(),
        }
    }

    #[test]
    fn a_folder_of_one_module_is_its_place_and_a_shared_one_is_of_none() {
        let files = [
            vec![
                path("crates/ignore/src/lib.rs"),
                path("crates/ignore/src/walk.rs"),
            ],
            vec![path("crates/core/main.rs"), path("build.rs")],
            vec![path("crates/core/flags/parse.rs")],
        ];
        let places = own_places(&files);
        assert_eq!(places[0], [path("crates/ignore")]);
        assert_eq!(places[1], [path("build.rs"), path("crates/core/main.rs")]);
        assert_eq!(places[2], [path("crates/core/flags")]);
    }

    #[test]
    fn a_name_is_that_of_the_map_its_folder_or_the_last_part_of_one() {
        let known = [
            part("cli/cmd/entire/cli", "cmd/entire/cli", &["cmd/entire/cli"]),
            part("ignore", "crates/ignore", &["crates/ignore"]),
            part("web/api", "web/api", &["web/api"]),
            part("shop/api", "shop/api", &["shop/api"]),
        ];
        let carried: BTreeSet<ModuleName> = ["cmd/entire/cli", "crates/ignore/src", "Payments"]
            .map(name)
            .into();
        let meant = |wanted: &str| resolve(&name(wanted), &known, &carried);
        for wanted in ["cli/cmd/entire/cli", "cmd/entire/CLI", "entire/cli", "cli"] {
            let named = meant(wanted).unwrap();
            assert_eq!(named.places, [path("cmd/entire/cli")], "{wanted}");
            assert!(named.names.contains(&name("cmd/entire/cli")), "{wanted}");
        }
        let named = meant("Ignore").unwrap();
        assert_eq!(named.names, ["crates/ignore/src", "ignore"].map(name));
        let named = meant("payments").unwrap();
        assert_eq!(
            (named.names, named.places),
            (vec![name("Payments")], vec![])
        );
        assert_eq!(
            meant("api").unwrap_err().to_string(),
            "`api` is the last part of several modules: web/api, shop/api"
        );
        assert_eq!(
            meant("parser").unwrap_err().to_string(),
            "no module is called `parser`: there are cli/cmd/entire/cli, ignore, web/api, shop/api, Payments"
        );
    }
}
