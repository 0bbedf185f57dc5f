//! `oldhand model`: what makes the vectors that memories are found by.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use oldhand_domain::port::Embedder;
use oldhand_embed::MODELS;
use oldhand_recall::calibration::Calibration;
use oldhand_recall::candidate::UNMEASURED;
use oldhand_store::meaning::{self, Meaning};

use super::Door;
use crate::config::{self, FILE, keys};
use crate::desk::{Desk, Purpose, vectors_beside};
use crate::failure::Failure;
use crate::out::Progress;
use crate::out::style::{FAINT, STRONG};
use crate::out::time::count;
use crate::view::model::{ModelView, ModelsView};

/// Show or choose the model that memories are found by in search by meaning
///
/// All models here are part of the binary and need neither network nor key. A newly chosen model reads the memories of each project in the
/// background; until it is done, the vectors of the one before answer, and vectors of different models are never compared. Models that
/// run as a transformer or behind a network address are not part of this build.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  oldhand model list
  oldhand model use static-256-2
  oldhand model show --json")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Every model of this binary, and how far its vectors are
    List,
    /// The model that is chosen, and the one that answers
    Show,
    /// Choose a model, for all your projects
    Use {
        /// Its name, as `oldhand model list` shows it
        model: String,
    },
    /// Make the vectors of the chosen model now; searches do it by themselves
    Build,
}

pub(crate) fn run(args: &Args, door: &mut Door) -> Result<ExitCode> {
    match &args.command {
        None | Some(Command::List) => list(door),
        Some(Command::Show) => show(door),
        Some(Command::Use { model }) => choose(model, door),
        Some(Command::Build) => build(door),
    }
}

fn list(door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let models: Vec<ModelView> = MODELS.into_iter().map(|model| view(&desk, model)).collect();
    let out = &mut door.out;
    if out.is_json() {
        out.json(&ModelsView { models })?;
        return Ok(ExitCode::SUCCESS);
    }
    for model in &models {
        writeln!(out, "{STRONG}{}{STRONG:#}  {}", model.model, say(model))?;
    }
    writeln!(
        out,
        "{FAINT}transformers and models behind a network address are not part of this build{FAINT:#}"
    )?;
    Ok(ExitCode::SUCCESS)
}

fn show(door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let model = view(&desk, desk.settings.embedder());
    let out = &mut door.out;
    if out.is_json() {
        out.json(&model)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{STRONG}{}{STRONG:#}  {}", model.model, say(&model))?;
    let serving = desk.serving().model();
    if serving != model.model {
        out.note(&format!("until its vectors are made, {serving} answers"));
    }
    Ok(ExitCode::SUCCESS)
}

fn choose(model: &str, door: &mut Door) -> Result<ExitCode> {
    let key = keys::find("model").map_err(|_| Failure::invalid("there is no such setting"))?;
    let value = key.parse(model).map_err(|why| {
        Failure::invalid(why).hint("`oldhand model list` shows the models of this binary")
    })?;
    config::set(&door.environment.home.join(FILE), key, &value)?;
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    // Where a variable or the project's own file says otherwise, that still holds.
    if desk.settings.embedder().model() != model {
        door.out.note(&format!(
            "{} is set closer by and stays",
            desk.settings.embedder().model()
        ));
    }
    // Few memories are read at once, many in the background.
    drop(desk.meanings(&door.out));
    show(door)
}

fn build(door: &mut Door) -> Result<ExitCode> {
    let desk = Desk::open(&door.environment, Purpose::Look, &door.out)?;
    let chosen = desk.settings.embedder();
    for store in desk.stores() {
        let folder = vectors_beside(store.path());
        let progress = Progress::new("reading memories", meaning::behind(store, &folder, chosen));
        let made = Meaning::build(store, &folder, chosen, &mut |done| progress.reach(done));
        drop(progress);
        if let Some(why) = made.lag {
            return Err(Failure::invalid(format!("could not make the vectors: {why}")).into());
        }
    }
    // The vectors of other models have answered as long as they were needed. Other projects may still want those of personal memories.
    if let Some(store) = desk.project_store() {
        let others = MODELS
            .into_iter()
            .filter(|model| model.model() != chosen.model());
        for model in others {
            meaning::drop_vectors(&vectors_beside(store.path()), model);
        }
    }
    show(door)
}

fn view(desk: &Desk, model: &'static dyn Embedder) -> ModelView {
    let made = desk
        .stores()
        .map(|store| meaning::count(&vectors_beside(store.path()), model));
    ModelView {
        model: model.model(),
        dimensions: model.dimensions(),
        prefixes: model.prefixes(),
        measured: Calibration::of(model.model()).is_some(),
        chosen: desk.settings.embedder().model() == model.model(),
        serving: desk.serving().model() == model.model(),
        vectors: made.sum(),
        behind: desk.behind(model),
    }
}

fn say(model: &ModelView) -> String {
    let mut said = vec![format!("{} dimensions", model.dimensions)];
    said.extend(
        model
            .prefixes
            .iter()
            .map(|length| format!("the first {length} serve alone")),
    );
    if !model.measured {
        said.push(format!(
            "{UNMEASURED}: it answers searches, and nothing is volunteered"
        ));
    }
    said.push(count(model.vectors, "vector"));
    if model.chosen {
        said.push("chosen".to_owned());
    }
    if model.chosen && model.behind > 0 {
        said.push(format!("{} to read", count(model.behind, "change")));
    }
    said.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_model_that_nobody_measured_it_is_said_that_it_volunteers_nothing() {
        let model = |measured| ModelView {
            model: "remote-1024",
            dimensions: 1024,
            prefixes: &[],
            measured,
            chosen: true,
            serving: true,
            vectors: 2,
            behind: 0,
        };
        assert_eq!(
            say(&model(false)),
            "1024 dimensions · what relevance means for this model was not measured: it answers searches, and nothing is volunteered · 2 vectors · chosen"
        );
        assert_eq!(say(&model(true)), "1024 dimensions · 2 vectors · chosen");
    }
}
