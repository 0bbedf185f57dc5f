//! The options that narrow a search, a list or an export.

use anyhow::Result;
use jiff::Timestamp;
use oldhand_domain::confidence::Confidence;
use oldhand_domain::filter::Filter;
use oldhand_domain::id::SessionId;
use oldhand_domain::payload::MemoryType;
use oldhand_domain::text::{ModuleName, Tag};
use oldhand_domain::vocabulary::{Scope, Source};
use oldhand_engine::Shelf;

use super::words;
use crate::desk::Desk;

#[derive(clap::Args)]
#[command(next_help_heading = "Narrowing")]
pub(crate) struct Narrow {
    /// Only this type; may be given several times
    #[arg(long = "type", short = 't', value_name = "TYPE", value_parser = words::word::<MemoryType>)]
    types: Vec<MemoryType>,
    /// Only about this file, or a file below this folder; may be given several times
    #[arg(long = "file", short = 'f', value_name = "PATH")]
    files: Vec<String>,
    /// Only with this tag; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<Tag>,
    /// Only about this module; may be given several times
    #[arg(long = "module", value_name = "NAME")]
    modules: Vec<ModuleName>,
    /// Only what came about this way, such as user_taught
    #[arg(long = "source", value_name = "SOURCE", value_parser = words::word::<Source>)]
    sources: Vec<Source>,
    /// Only what reaches this far: global, module, work_unit, session
    #[arg(long = "scope", value_name = "SCOPE", value_parser = words::word::<Scope>)]
    scopes: Vec<Scope>,
    /// Only what was learned in this session
    #[arg(long, value_name = "ID")]
    session: Option<SessionId>,
    /// Only what was learned on this branch
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Only of at least this confidence
    #[arg(long, value_name = "0..1", value_parser = words::confidence)]
    min_confidence: Option<Confidence>,
    /// Only learned at or after this: 2026-01-31, or a time in RFC 3339
    #[arg(long, value_name = "TIME", value_parser = words::time)]
    since: Option<Timestamp>,
    /// Only what follows you from project to project
    #[arg(long)]
    personal: bool,
}

impl Narrow {
    /// `None` is every shelf.
    pub(crate) fn shelf(&self) -> Option<Shelf> {
        self.personal.then_some(Shelf::Personal)
    }

    pub(crate) fn filter(self, desk: &Desk) -> Result<Filter> {
        let files = self.files.iter().map(|file| desk.path(file));
        Ok(Filter {
            types: self.types,
            sources: self.sources,
            scopes: self.scopes,
            tags: self.tags,
            files: files.collect::<Result<_>>()?,
            modules: self.modules,
            session: self.session,
            branch: self.branch,
            at_least: self.min_confidence,
            created_since: self.since,
            ..Filter::default()
        })
    }
}
