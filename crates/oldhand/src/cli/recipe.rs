//! `oldhand recipe`: ways of working that went well again and again.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::event::Digest;
use oldhand_engine::KnownRecipe;
use oldhand_observe::learn::RecipeRecord;

use super::most::Most;
use super::{Door, NOTHING_FOUND, refuse_empty};
use crate::desk::{Desk, Purpose};
use crate::out::Out;
use crate::out::style::{FAINT, GOOD, ID, STRONG};
use crate::out::time::{ago, count};
use crate::view::learned::{RecipeView, RecipesView, outcome};

/// Show ways of working that went well here again and again
///
/// The same four or more steps in three successful sessions of a module within thirty days are a recipe; when the latest
/// session that went through them failed, they are none. RECIPE is an id from the list, or a module.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand recipe
  oldhand recipe 91c2
  oldhand recipe src/api --all --json")]
pub(crate) struct Args {
    recipe: Option<String>,
    /// Also what two or more sessions shared and is no recipe yet, or no more
    #[arg(long, short = 'a')]
    all: bool,
    /// At most this many; 0 is all
    #[arg(
        long,
        short = 'n',
        value_name = "N",
        allow_negative_numbers = true,
        default_value = "10"
    )]
    limit: Most,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    refuse_empty(args.recipe.as_deref(), "`oldhand recipe` lists them")?;
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let recipes = match desk.project_store() {
        Some(store) => desk.engine().recipes(store)?,
        None => Vec::new(),
    };
    let given = args.recipe.as_deref();
    let mut found: Vec<&KnownRecipe> = recipes
        .iter()
        .filter(|known| match given {
            Some(given) if id_of(&known.record).starts_with(given) => true,
            Some(given) => {
                known.record.module == given && (args.all || known.record.holds(desk.now))
            }
            None => args.all || known.record.holds(desk.now),
        })
        .collect();
    let total = found.len();
    found.truncate(args.limit.get());
    let out = &mut door.out;
    if out.is_json() {
        out.json(&RecipesView {
            recipes: found
                .iter()
                .map(|known| RecipeView::new(known, desk.now))
                .collect(),
            total,
        })?;
    } else {
        for known in &found {
            tell(known, out, desk.now)?;
        }
        if let ([only], Some(_)) = (found.as_slice(), given) {
            tell_uses(&only.record, out, desk.now)?;
        }
        args.limit.tell_rest(total, out);
        if total == 0 {
            out.note("no way of working went well in three sessions within thirty days");
            if !args.all && !recipes.is_empty() {
                let others = count(recipes.len(), "way");
                out.hint(&format!("`--all` shows {others} that sessions shared"));
            }
        }
    }
    Ok(ExitCode::from(if total == 0 { NOTHING_FOUND } else { 0 }))
}

fn id_of(record: &RecipeRecord) -> String {
    Digest::of(&record.key()).to_string()
}

fn tell(known: &KnownRecipe, out: &mut Out, now: Timestamp) -> Result<()> {
    let record = &known.record;
    let id = &id_of(record)[..8];
    let module = match record.module.as_str() {
        "." => ". (the top folder)",
        other => other,
    };
    let last = record.uses.last();
    let last = last.map_or_else(String::new, |used| format!(", last {}", ago(used.at, now)));
    let successes = count(record.successes(now), "successful session");
    let often = format!("{successes} lately{last}");
    out.pieces(
        "  ",
        &[("", ID, id), ("  ", STRONG, module), (" · ", FAINT, &often)],
    )?;
    for (at, step) in record.steps.iter().enumerate() {
        writeln!(out, "  {}. {step}", at + 1)?;
    }
    let standing = match (&known.memory, record.holds(now)) {
        (Some(memory), _) if memory.needs_review => {
            format!("memory {} waits for review", memory.id.short())
        }
        (Some(memory), _) => format!("memory {}", memory.id.short()),
        (None, true) => "not remembered".to_owned(),
        (None, false) if record.is_spoiled() => "no recipe: the latest session failed".to_owned(),
        (None, false) => "no recipe: three successful sessions in thirty days make one".to_owned(),
    };
    writeln!(out, "  {FAINT}{standing}{FAINT:#}")?;
    Ok(())
}

fn tell_uses(record: &RecipeRecord, out: &mut Out, now: Timestamp) -> Result<()> {
    writeln!(out, "\n{STRONG}sessions{STRONG:#}")?;
    for used in &record.uses {
        let ended = outcome(used);
        writeln!(
            out,
            "  {GOOD}{ended}{GOOD:#} {}{FAINT} · {}{FAINT:#}",
            used.session,
            ago(used.at, now)
        )?;
    }
    Ok(())
}
