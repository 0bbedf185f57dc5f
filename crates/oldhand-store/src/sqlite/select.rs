//! A filter as SQL: conditions on `memory m`, answered by indexes.

use oldhand_domain::filter::{Filter, Only, State};
use rusqlite::ToSql;

use super::load::time_text;

/// The memories with a file at or below one of a list of places. `0` is the character after `/`: the range holds everything below a folder.
macro_rules! at_or_below {
    () => {
        "with wanted(path) as materialized (select value from json_each(?))
        select f.memory from wanted w join memory_file f on f.path = w.path
        union all
        select f.memory from wanted w join memory_file f
            on f.path > w.path || '/' and f.path < w.path || '0'"
    };
}

/// By how much at most a confidence is less than it is shown.
const ROUNDED_UP: f64 = 0.005_1;

/// Conditions joined by `and`, and what to bind to their `?`s, in order.
#[derive(Default)]
pub(super) struct Conditions {
    sql: Vec<&'static str>,
    pub(super) values: Vec<Box<dyn ToSql>>,
}

impl Conditions {
    /// Never lets less through than the filter asks for; [`crate::matching::passes`] decides in the end.
    pub(super) fn of(filter: &Filter) -> Self {
        let mut conditions = Self::default();
        match filter.state {
            State::Live => {
                conditions.say("m.deleted_since is null and m.deprecated_since is null");
            }
            State::Deleted => conditions.say("m.deleted_since is not null"),
            State::Any => {}
        }
        conditions.one_of(
            "m.type in (select value from json_each(?))",
            &texts(&filter.types),
        );
        conditions.one_of(
            "m.source in (select value from json_each(?))",
            &texts(&filter.sources),
        );
        conditions.one_of(
            "m.scope in (select value from json_each(?))",
            &texts(&filter.scopes),
        );
        conditions.one_of(
            "m.key in (select t.memory from json_each(?) j join memory_tag t on t.tag = j.value)",
            &texts(&filter.tags),
        );
        conditions.one_of(
            concat!("m.key in (", at_or_below!(), ")"),
            &texts(&filter.files),
        );
        if !(filter.modules.is_empty() && filter.module_places.is_empty()) {
            conditions.say(concat!(
                "(m.key in (select t.memory from json_each(?) j
                    join memory_module t on t.module = j.value) or m.key in (",
                at_or_below!(),
                "))"
            ));
            let (names, places) = (texts(&filter.modules), texts(&filter.module_places));
            conditions.bind(&names);
            conditions.bind(&places);
        }
        conditions.one_of(
            "m.key in (select t.memory from json_each(?) j
                join memory_fingerprint t on t.fingerprint = j.value)",
            &texts(&filter.fingerprints),
        );
        conditions.with(
            "m.session = ?",
            filter.session.as_ref().map(ToString::to_string),
        );
        conditions.with("m.branch = ?", filter.branch.clone());
        // Confidence only ever fades, so that what is not sure enough as it was stored is not now either.
        let at_least = filter.at_least;
        let at_least = at_least.map(|least| f64::from(least.confidence) - ROUNDED_UP);
        conditions.with("m.confidence >= ?", at_least);
        conditions.with("m.created_at >= ?", filter.created_since.map(time_text));
        conditions.with("m.created_at <= ?", filter.created_until.map(time_text));
        for mark in &filter.only {
            conditions.say(match mark {
                Only::NeedsReview => "m.needs_review = 1",
                Only::Pinned => "m.pinned = 1",
                Only::Flagged => "m.flagged_since is not null",
                Only::Stale => "m.stale_since is not null",
                Only::Verified => "m.verified_at is not null",
            });
        }
        conditions
    }

    pub(super) fn sql(&self) -> String {
        if self.sql.is_empty() {
            return "true".to_owned();
        }
        self.sql.join(" and ")
    }

    fn say(&mut self, sql: &'static str) {
        self.sql.push(sql);
    }

    fn with<T: ToSql + 'static>(&mut self, sql: &'static str, value: Option<T>) {
        if let Some(value) = value {
            self.say(sql);
            self.values.push(Box::new(value));
        }
    }

    /// One parameter however long the list is.
    fn one_of(&mut self, sql: &'static str, wanted: &[String]) {
        if !wanted.is_empty() {
            self.say(sql);
            self.bind(wanted);
        }
    }

    fn bind(&mut self, wanted: &[String]) {
        let list = serde_json::to_string(wanted).expect("a list of text always serialises");
        self.values.push(Box::new(list));
    }
}

fn texts<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}
