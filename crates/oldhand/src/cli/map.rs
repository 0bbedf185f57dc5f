//! `oldhand map`: the project as a person would explain it.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use oldhand_code::answer::map::{Module, ModuleMap};
use oldhand_code::snapshot::{NodeId, Snapshot};

use super::most::Most;
use super::{Door, NOTHING_FOUND};
use crate::card::fact;
use crate::code::{self, survey};
use crate::out::Out;
use crate::out::style::{FAINT, STRONG};
use crate::out::time::count;
use crate::view::graph::{CommandView, LinkView, MapView, ModuleView};

/// Show the modules of this project: what they are for, where they start, what they need
///
/// Modules grow from folders, manifests and links, and from files that change together. Commands are those that the
/// manifests name.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand map
  oldhand map --limit 5
  oldhand map --json")]
pub(crate) struct Args {
    /// Show only the largest N modules; 0 is all
    #[arg(
        long,
        short = 'n',
        value_name = "N",
        allow_negative_numbers = true,
        default_value = "20"
    )]
    limit: Most,
}

/// Names told in one line.
const NAMES: usize = 4;

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = code::open_desk(&door.environment, &door.out)?;
    let index = code::open_index(&desk, &door.out)?;
    let history = code::read_history(&desk, &door.out)?;
    let map = survey::map(&index, &history);
    let snapshot = index.snapshot();
    let languages = survey::languages(&index);
    let limit = args.limit.get();
    let out = &mut door.out;
    if out.is_json() {
        let modules = map.modules.iter();
        out.json(&MapView {
            modules: modules.map(|module| view(snapshot, &map, module)).collect(),
            languages,
        })?;
    } else {
        let name = desk.location.place.name();
        let name = desk.project_name().unwrap_or(&name);
        let languages = survey::say_languages(&languages);
        if !map.modules.is_empty() {
            writeln!(out, "{STRONG}{name}{STRONG:#} {FAINT}{languages}{FAINT:#}")?;
        }
        for command in survey::chief_commands(&survey::commands(&map)) {
            fact(out, command.purpose, &command.say())?;
        }
        for module in map.modules.iter().take(limit) {
            show(snapshot, &map, module, out)?;
        }
        args.limit.tell_rest(map.modules.len(), out);
        if map.modules.is_empty() {
            out.note("there is no source code here that is known");
        }
    }
    Ok(ExitCode::from(if map.modules.is_empty() {
        NOTHING_FOUND
    } else {
        0
    }))
}

fn show(snapshot: &Snapshot, map: &ModuleMap, module: &Module, out: &mut Out) -> Result<()> {
    let folder = if module.folder.is_empty() {
        "."
    } else {
        &module.folder
    };
    let size = format!(
        "{} in {}",
        count(module.lines as usize, "line"),
        count(module.files.len(), "file")
    );
    // A module that is called like its folder is not named twice.
    let place = if module.name == folder {
        size
    } else {
        format!("{folder}, {size}")
    };
    writeln!(out)?;
    out.pieces("  ", &[("", STRONG, &module.name), (" ", FAINT, &place)])?;
    if !module.description.is_empty() {
        out.paragraph("  ", &module.description)?;
    }
    let paths = |nodes: &[NodeId]| {
        let mut names: Vec<String> = nodes
            .iter()
            .take(NAMES)
            .map(|&node| snapshot.path(node).to_owned())
            .collect();
        if nodes.len() > NAMES {
            names.push(format!("and {} more", nodes.len() - NAMES));
        }
        names.join(", ")
    };
    let needs: Vec<&str> = module
        .depends_on
        .iter()
        .take(NAMES)
        .map(|&(other, _)| map.modules[other].name.as_str())
        .collect();
    let externals: Vec<&str> = module.externals.iter().map(String::as_str).collect();
    for (label, value) in [
        ("starts at", paths(&module.entry_points)),
        ("core", paths(&module.core)),
        ("tests", paths(&module.tests)),
        ("depends on", needs.join(", ")),
        ("packages", externals.join(", ")),
    ] {
        if !value.is_empty() {
            fact(out, label, &value)?;
        }
    }
    Ok(())
}

fn view<'s>(snapshot: &'s Snapshot, map: &'s ModuleMap, module: &'s Module) -> ModuleView<'s> {
    let paths = |nodes: &[NodeId]| {
        let paths = nodes.iter().map(|&node| snapshot.path(node));
        paths.collect::<Vec<&str>>()
    };
    let depends_on = module.depends_on.iter().map(|&(other, links)| LinkView {
        module: &map.modules[other].name,
        links,
    });
    let commands = module.commands.iter().map(CommandView::new);
    ModuleView {
        name: &module.name,
        folder: &module.folder,
        description: &module.description,
        lines: module.lines,
        files: paths(&module.files),
        tests: paths(&module.tests),
        core: paths(&module.core),
        entry_points: paths(&module.entry_points),
        depends_on: depends_on.collect(),
        externals: &module.externals,
        commands: commands.collect(),
    }
}
