//! `oldhand impact`: who is touched when something changes.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;
use oldhand_code::answer::impact::{Bounds, Direction, Impact, Reached};
use oldhand_code::answer::map::{Module, ModuleMap};
use oldhand_code::answer::step::Step;
use oldhand_code::draw;
use oldhand_code::index::Index;
use oldhand_code::snapshot::{NodeId, Snapshot};
use oldhand_domain::filter::Filter;
use oldhand_domain::path::ProjectPath;
use oldhand_engine::{Kept, Shelved};

use super::most::Most;
use super::{Door, NOTHING_FOUND, tell_damaged};
use crate::card;
use crate::code::{self, Target, file_of, name_of};
use crate::desk::Desk;
use crate::out::Out;
use crate::out::style::{FAINT, STRONG, TYPE};
use crate::out::time::count;
use crate::out::wrap::shorten;
use crate::view::graph::{
    AffectedView, ImpactView, NodeView, ReachedModuleView, TargetView, TestView, rounded,
};
use crate::view::memory::MemoryView;

/// Show who is touched when something changes, and which tests to run
///
/// X is a file, a folder, `file:symbol`, `file:line` or a symbol such as `Cart.total`. Strength falls with every step and with
/// every link that is not sure; strongest first. Memories about the files that are touched come along.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand impact src/cart.ts
  oldhand impact src/cart.ts:Cart.total --depth 2
  oldhand impact Cart --depth 1 --draw svg > cart.svg
  oldhand impact parse_header --json")]
pub(crate) struct Args {
    #[arg(value_name = "X")]
    target: String,
    /// How many steps to follow
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=32))]
    depth: u8,
    /// At most this many files and definitions; 0 is 100,000
    #[arg(
        long,
        short = 'n',
        value_name = "N",
        allow_negative_numbers = true,
        default_value = "500"
    )]
    limit: Most,
    /// The other way: what it stands on
    #[arg(long)]
    dependencies: bool,
    /// Draw what is around it instead, in both directions
    #[arg(long, value_name = "FORMAT", conflicts_with = "dependencies")]
    draw: Option<Picture>,
}

/// How a picture is written.
#[derive(Clone, Copy, ValueEnum)]
enum Picture {
    /// For Graphviz
    Dot,
    /// For a browser
    Svg,
}

/// Links that are surer than a coin's toss: a name that several definitions have is followed to none of them by default.
const CONFIDENCE: u8 = 20;
/// Files told to a person; a program gets them all.
const FILES_SHOWN: usize = 20;
/// Definitions told of each file.
const NAMES_SHOWN: usize = 6;
/// Memories that come along.
const MEMORIES: usize = 10;
/// Files whose memories are looked for, strongest first.
const FILES_ASKED: usize = 100;

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    let desk = code::open_desk(&door.environment, &door.out)?;
    let index = code::open_index(&desk, &door.out)?;
    let target = code::resolve_place(&index, &desk, &args.target)?;
    if let Some(picture) = args.draw {
        return draw(picture, &index, &target, args, &mut door.out);
    }
    let direction = if args.dependencies {
        Direction::Dependencies
    } else {
        Direction::Dependents
    };
    let bounds = Bounds {
        depth: args.depth,
        nodes: args.limit.get().min(MOST_NODES),
        confidence: CONFIDENCE,
    };
    let impact = index.impact(&target.nodes, direction, bounds);
    let kept = memories(&index, &desk, &target, &impact)?;
    let map = index.map(Vec::new());
    let asked = Asked {
        snapshot: index.snapshot(),
        target: &target,
        direction,
        map: &map,
    };
    if door.out.is_json() {
        door.out.json(&asked.view(&desk, &impact, &kept))?;
    } else {
        asked.show(&impact, &mut door.out)?;
        if !kept.memories.is_empty() {
            writeln!(door.out, "\n{STRONG}Remembered about these files{STRONG:#}")?;
            for shelved in &kept.memories {
                card::brief(&mut door.out, shelved, desk.now)?;
            }
        }
        tell_others(&index, &target, &door.out);
        tell_damaged(&door.out, &kept.damaged);
    }
    Ok(ExitCode::from(if impact.reached.is_empty() {
        NOTHING_FOUND
    } else {
        0
    }))
}

/// A picture that has more than this is not looked at.
const DRAWN: usize = 80;
/// As many places as any answer goes through.
const MOST_NODES: usize = 100_000;

fn draw(
    picture: Picture,
    index: &Index,
    target: &Target,
    args: &Args,
    out: &mut Out,
) -> Result<ExitCode> {
    let most = DRAWN.min(args.limit.get());
    let part = index.neighbourhood(&target.nodes, args.depth, most);
    let text = match picture {
        Picture::Dot => draw::dot(index.snapshot(), &part),
        Picture::Svg => draw::svg(index.snapshot(), &part),
    };
    out.write_all(text.as_bytes())?;
    if part.is_cut {
        out.note(&format!(
            "the picture holds the nearest {most}; there are more"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Files of tests with the tests in them, strongest first.
fn tests<'s>(snapshot: &'s Snapshot, impact: &Impact) -> Vec<(&'s str, Vec<String>)> {
    let mut files: Vec<(&str, Vec<String>)> = Vec::new();
    for &node in &impact.tests {
        let path = file_of(snapshot, node);
        let at = files.iter().position(|(known, _)| *known == path);
        let at = at.unwrap_or_else(|| {
            files.push((path, Vec::new()));
            files.len() - 1
        });
        files[at].1.extend(name_of(snapshot, node));
    }
    files
}

/// Memories about the target's file and those that a change reaches, nearest first.
fn memories(index: &Index, desk: &Desk, target: &Target, impact: &Impact) -> Result<Kept> {
    let snapshot = index.snapshot();
    let nodes = target.nodes.iter().copied();
    let nodes = nodes.chain(impact.reached.iter().map(|reached| reached.node));
    let mut files: Vec<ProjectPath> = Vec::new();
    for node in nodes {
        if files.len() == FILES_ASKED {
            break;
        }
        // No memory can be about a file whose name no memory can hold.
        if let Ok(path) = ProjectPath::new(file_of(snapshot, node))
            && !files.contains(&path)
        {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Ok(Kept::default());
    }
    let filter = Filter {
        files: files.clone(),
        ..Filter::default()
    };
    let mut kept = desk.engine().list(None, &filter)?;
    let place = |shelved: &Shelved| {
        let named = &shelved.memory.files;
        files.iter().position(|file| named.contains(file))
    };
    kept.memories
        .sort_by_key(|shelved| place(shelved).unwrap_or(usize::MAX));
    kept.memories.truncate(MEMORIES);
    Ok(kept)
}

/// The question, for telling its answer.
struct Asked<'a> {
    snapshot: &'a Snapshot,
    target: &'a Target,
    direction: Direction,
    map: &'a ModuleMap,
}

impl<'a> Asked<'a> {
    fn view(&self, desk: &Desk, impact: &Impact, kept: &'a Kept) -> ImpactView<'a> {
        let snapshot = self.snapshot;
        let affected = impact.reached.iter().map(|reached| {
            let module = self.map.module_of(snapshot.file_of(reached.node));
            let module = module.map(|at| self.map.modules[at].name.as_str());
            AffectedView::new(snapshot, reached, module)
        });
        let others = self.target.others.iter();
        let groups = self.by_module(impact).into_iter();
        ImpactView {
            target: TargetView {
                node: match &self.target.folder {
                    Some(folder) => NodeView::folder(folder),
                    None => NodeView::new(snapshot, self.target.first()),
                },
                others: others.map(|&node| NodeView::new(snapshot, node)).collect(),
            },
            affected: affected.collect(),
            modules: groups.filter_map(|group| group.view()).collect(),
            tests: tests(snapshot, impact)
                .into_iter()
                .map(|(path, symbols)| TestView { path, symbols })
                .collect(),
            memories: kept
                .memories
                .iter()
                .map(|shelved| MemoryView::of(shelved, desk.now))
                .collect(),
            truncated: impact.is_cut,
        }
    }

    /// What was reached, by module and then by file, strongest first.
    fn by_module<'r>(&self, impact: &'r Impact) -> Vec<Group<'a, 'r>> {
        let groups = impact.by_module(self.snapshot, self.map).into_iter();
        groups
            .map(|(module, places)| {
                let reached: Vec<&Reached> = places.iter().map(|&at| &impact.reached[at]).collect();
                Group {
                    module: module.map(|at| &self.map.modules[at]),
                    places: reached.len(),
                    files: by_file(self.snapshot, &reached),
                }
            })
            .collect()
    }

    fn show(&self, impact: &Impact, out: &mut Out) -> Result<()> {
        match &self.target.folder {
            Some(folder) => {
                let files = count(self.target.nodes.len(), "file");
                writeln!(out, "{STRONG}{folder}{STRONG:#}  {FAINT}{files}{FAINT:#}")?;
            }
            None => show_node(self.snapshot, self.target.first(), out)?,
        }
        let groups = self.by_module(impact);
        let files: usize = groups.iter().map(|group| group.files.len()).sum();
        let what = impact.reached.len();
        if what == 0 {
            out.note(match self.direction {
                Direction::Dependents => "nothing is known to depend on it",
                Direction::Dependencies => "it depends on nothing in this project",
            });
            return Ok(());
        }
        let mut where_to = count(files, "file");
        if groups.len() > 1 {
            where_to = format!("{where_to} of {}", count(groups.len(), "module"));
        }
        let mut places = count(what, "place");
        if impact.is_cut {
            places = format!("at least {places}");
        }
        match self.direction {
            Direction::Dependents => writeln!(out, "A change reaches {places} in {where_to}.")?,
            Direction::Dependencies => writeln!(out, "It stands on {places} in {where_to}.")?,
        }
        let shown = shares(&groups);
        for (group, &shown) in groups.iter().zip(&shown) {
            writeln!(out)?;
            if groups.len() > 1 {
                group.show_heading(out)?;
            }
            for (path, reached) in group.files.iter().take(shown) {
                writeln!(out, "{STRONG}{path}{STRONG:#}")?;
                for reached in reached.iter().take(NAMES_SHOWN) {
                    self.show_reached(reached, out)?;
                }
                if reached.len() > NAMES_SHOWN {
                    let more = reached.len() - NAMES_SHOWN;
                    writeln!(out, "        {FAINT}and {more} more{FAINT:#}")?;
                }
            }
            let hidden = group.files.len() - shown;
            if hidden > 0 {
                writeln!(out, "{FAINT}and {} more{FAINT:#}", count(hidden, "file"))?;
            }
        }
        self.show_tests(impact, out)?;
        if impact.is_cut {
            out.note("there is more than this; `--limit N` goes further");
        } else if shown.iter().sum::<usize>() < files {
            out.hint("`--json` lists all of them");
        }
        Ok(())
    }

    fn show_reached(&self, reached: &Reached, out: &mut Out) -> Result<()> {
        let snapshot = self.snapshot;
        let name = name_of(snapshot, reached.node);
        let name = name.as_deref().unwrap_or("the file");
        let last = reached.path.last();
        let line = last.and_then(|step| snapshot.lines(step.edge.id).next());
        let line = line
            .map(|line| format!(", line {line}"))
            .unwrap_or_default();
        // From the far end one reads the last link first: who, does what, to whom.
        let through = reached.path.len().checked_sub(2).map(|at| {
            let node = reached.path[at].to;
            let name = name_of(snapshot, node);
            let name = name.unwrap_or_else(|| file_of(snapshot, node).to_owned());
            format!(" through {name}")
        });
        let how = format!(
            "{}{line}{}",
            last.map(spoken).unwrap_or_default(),
            through.unwrap_or_default()
        );
        let strength = reached.strength;
        let room = out.width().saturating_sub(10);
        let name = shorten(name, room.saturating_sub(16));
        let how = shorten(
            &how,
            room.saturating_sub(crate::out::wrap::width(&name) + 1),
        );
        writeln!(out, "  {strength:>4.2}  {name} {FAINT}{how}{FAINT:#}")?;
        Ok(())
    }

    fn show_tests(&self, impact: &Impact, out: &mut Out) -> Result<()> {
        if self.direction == Direction::Dependencies {
            return Ok(());
        }
        let tests = tests(self.snapshot, impact);
        if tests.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{STRONG}Tests to run{STRONG:#}")?;
        for (path, _) in tests.iter().take(FILES_SHOWN) {
            writeln!(out, "  {path}")?;
        }
        if tests.len() > FILES_SHOWN {
            let more = count(tests.len() - FILES_SHOWN, "file");
            writeln!(out, "  {FAINT}and {more} more{FAINT:#}")?;
        }
        Ok(())
    }
}

/// What a step does, as a person says it.
pub(super) fn spoken(step: &Step) -> String {
    step.word().replace('_', " ")
}

/// What was reached of one module.
struct Group<'s, 'r> {
    module: Option<&'s Module>,
    places: usize,
    files: Vec<(&'s str, Vec<&'r Reached>)>,
}

impl<'s> Group<'s, '_> {
    fn show_heading(&self, out: &mut Out) -> Result<()> {
        let name = self.module.map_or("elsewhere", |module| &module.name);
        let (places, files) = (count(self.places, "place"), count(self.files.len(), "file"));
        let reached = format!("{places} in {files}");
        out.pieces("  ", &[("", TYPE, name), (" ", FAINT, &reached)])?;
        Ok(())
    }

    fn view(&self) -> Option<ReachedModuleView<'s>> {
        let module = self.module?;
        let strongest = self.files.first().and_then(|(_, reached)| reached.first());
        Some(ReachedModuleView {
            name: &module.name,
            folder: &module.folder,
            places: self.places,
            files: self.files.len(),
            strength: rounded(strongest.map_or(0.0, |reached| reached.strength)),
        })
    }
}

/// How many files are told of each group: each has its share before the strongest takes what is left.
fn shares(groups: &[Group<'_, '_>]) -> Vec<usize> {
    let share = (FILES_SHOWN / groups.len().max(1)).max(1);
    let mut shares: Vec<usize> = groups
        .iter()
        .map(|group| group.files.len().min(share))
        .collect();
    let mut left = FILES_SHOWN.saturating_sub(shares.iter().sum());
    for (group, share) in groups.iter().zip(&mut shares) {
        let more = (group.files.len() - *share).min(left);
        *share += more;
        left -= more;
    }
    shares
}

/// What was reached, by file, strongest file first.
fn by_file<'s, 'r>(
    snapshot: &'s Snapshot,
    reached: &[&'r Reached],
) -> Vec<(&'s str, Vec<&'r Reached>)> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut files: Vec<(&str, Vec<&Reached>)> = Vec::new();
    for &reached in reached {
        let path = file_of(snapshot, reached.node);
        let at = *places.entry(path).or_insert_with(|| {
            files.push((path, Vec::new()));
            files.len() - 1
        });
        files[at].1.push(reached);
    }
    files
}

/// One line: what it is called, what it is, where it is.
pub(super) fn show_node(snapshot: &Snapshot, node: NodeId, out: &mut Out) -> Result<()> {
    let path = file_of(snapshot, node);
    let kind = snapshot.kind(node).as_str();
    match name_of(snapshot, node) {
        Some(name) => {
            let line = snapshot.symbol(node).first_line;
            let place = format!("{path}:{line}");
            out.pieces(
                "  ",
                &[
                    ("", STRONG, &name),
                    ("  ", TYPE, kind),
                    (" ", FAINT, &place),
                ],
            )?;
        }
        None => writeln!(out, "{STRONG}{path}{STRONG:#}")?,
    }
    Ok(())
}

/// Says what else the words may have meant.
pub(super) fn tell_others(index: &Index, target: &Target, out: &Out) {
    const MOST: usize = 3;
    if target.others.is_empty() {
        return;
    }
    let snapshot = index.snapshot();
    let mut names: Vec<String> = target
        .others
        .iter()
        .take(MOST)
        .map(|&node| match name_of(snapshot, node) {
            Some(name) => format!("{}:{name}", file_of(snapshot, node)),
            None => file_of(snapshot, node).to_owned(),
        })
        .collect();
    if target.others.len() > MOST {
        names.push(format!("{} more", target.others.len() - MOST));
    }
    out.note(&format!("it may also mean {}", names.join(", ")));
}
