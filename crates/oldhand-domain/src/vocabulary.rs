//! The closed lists: where a memory comes from, how far it reaches, who sees it, what work is going on.

use crate::spelled::spelled;

spelled! {
    /// Who or what made a memory.
    Source, "source", {
        UserTaught => "user_taught",
        AgentExplicit => "agent_explicit",
        QaAuto => "qa_auto",
        McpAuto => "mcp_auto",
        CommitAuto => "commit_auto",
        ObserverInferred => "observer_inferred",
    }
}

spelled! {
    /// Why a memory waits for a person.
    ReviewReason, "review reason", {
        /// More sessions that show it free it.
        FewSessions => "few_sessions",
        /// A machine picked it from words or from work that nobody saw succeed, or is not sure enough of it to say it unasked.
        Guess => "guess",
        OutsideText => "outside_text",
        /// Somebody who was told it said that it is wrong.
        Contradicted => "contradicted",
        /// Two rules files of the project disagree on it.
        Disputed => "disputed",
        /// The code it is about is another by now.
        CodeChanged => "code_changed",
        /// It names a file that is not there, where another is of much the same name.
        MissingFile => "missing_file",
        /// Some of what belongs to it could not be read after the database was damaged.
        Damaged => "damaged",
    }
}

impl ReviewReason {
    /// As a person would be told.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::FewSessions => "few sessions show it yet",
            Self::Guess => "it is a guess that nobody confirmed",
            Self::OutsideText => "outside text had a hand in it",
            Self::Contradicted => "an agent or a person said that it is wrong",
            Self::Disputed => "another rules file says otherwise",
            Self::CodeChanged => "the code it is about has changed since",
            Self::MissingFile => "it names a file that is not there",
            Self::Damaged => {
                "some of its tags, files or links were lost when the database was damaged"
            }
        }
    }
}

impl Source {
    /// The multiplier a memory of this source gets in ranking.
    pub const fn trust(self) -> f64 {
        match self {
            Self::UserTaught => 1.4,
            Self::AgentExplicit => 1.2,
            Self::QaAuto => 1.1,
            Self::McpAuto | Self::CommitAuto => 1.0,
            Self::ObserverInferred => 0.85,
        }
    }

    /// What a person teaches is theirs until they share it; the rest belongs to the project.
    pub const fn default_visibility(self) -> Visibility {
        match self {
            Self::UserTaught => Visibility::Private,
            _ => Visibility::Project,
        }
    }
}

spelled! {
    /// How far a memory reaches.
    Scope, "scope", {
        Global => "global",
        Module => "module",
        WorkUnit => "work_unit",
        Session => "session",
    }
}

spelled! {
    /// Who may see a memory.
    Visibility, "visibility", {
        Private => "private",
        Project => "project",
        Team => "team",
        Organization => "organization",
    }
}

spelled! {
    /// What kind of work is going on. Every methodology maps its stages to these six.
    Phase, "phase", {
        Define => "define",
        Implement => "implement",
        Validate => "validate",
        Refine => "refine",
        Explore => "explore",
        Reflect => "reflect",
    }
}

spelled! {
    /// For whom a context is: who plans, who writes code, who checks it, who takes up work that went wrong.
    Role, "role", {
        Planner => "planner",
        Coder => "coder",
        Qa => "qa",
        Recovery => "recovery",
    }
}

spelled! {
    /// What is wrong with a memory, as whoever flags it says.
    Correction, "correction", {
        Inaccurate => "inaccurate",
        Outdated => "outdated",
        TooSpecific => "too_specific",
        Duplicate => "duplicate",
    }
}

spelled! {
    /// Who flagged a memory. Only a person's word is a judgement; an agent's asks for one.
    FlaggedBy, "who flagged it", {
        Person => "person",
        Agent => "agent",
    }
}

impl FlaggedBy {
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Person => "a person",
            Self::Agent => "an agent",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_round_trips() {
        for source in Source::ALL {
            assert_eq!(source.as_str().parse(), Ok(*source));
        }
        for scope in Scope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(*scope));
        }
        for phase in Phase::ALL {
            assert_eq!(
                serde_json::from_str::<Phase>(&format!("\"{phase}\"")).unwrap(),
                *phase
            );
        }
    }

    #[test]
    fn an_unknown_word_lists_the_known_ones() {
        let error = "shared".parse::<Visibility>().unwrap_err();
        assert_eq!(error.to_string(), "unknown visibility `shared`");
        assert_eq!(error.known, ["private", "project", "team", "organization"]);
    }

    #[test]
    fn only_what_a_person_taught_starts_private() {
        for source in Source::ALL {
            let private = source.default_visibility() == Visibility::Private;
            assert_eq!(private, *source == Source::UserTaught, "{source}");
        }
    }
}
