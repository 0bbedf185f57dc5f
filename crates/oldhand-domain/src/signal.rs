//! The seventeen behavioural signals, as one table: what each is worth and what it may become.

use crate::payload::BuiltInType;
use crate::spelled::spelled;

spelled! {
    /// One pattern of behaviour, seen in one session.
    SignalKind, "signal", {
        FileAccess => "file_access",
        CoAccess => "co_access",
        ErrorRetry => "error_retry",
        Backtrack => "backtrack",
        ReadAbandon => "read_abandon",
        RepeatedGrep => "repeated_grep",
        ToolSequence => "tool_sequence",
        TimeAnomaly => "time_anomaly",
        SelfCorrection => "self_correction",
        ExternalReference => "external_reference",
        GlobIgnore => "glob_ignore",
        ImportChase => "import_chase",
        TestOrder => "test_order",
        ConfigTouch => "config_touch",
        StepOverrun => "step_overrun",
        ParallelConflict => "parallel_conflict",
        ContextTokenSpike => "context_token_spike",
    }
}

/// What holds for a signal, whoever detects it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalRule {
    pub kind: SignalKind,
    /// How much it is worth, between 0 and 1.
    pub score: f64,
    /// The memories it may become, the likeliest first.
    pub becomes: &'static [BuiltInType],
    /// In how many sessions it must have been seen.
    pub sessions: u32,
}

/// Signals worth less than this are not looked at.
pub const VALUE_FLOOR: f64 = 0.4;

/// What a signal is worth: how much it tells, how far it carries, how seldom it is wrong.
pub fn value(diagnostic: f64, across_sessions: f64, false_positives: f64) -> f64 {
    0.5 * diagnostic + 0.3 * across_sessions + 0.2 * (1.0 - false_positives)
}

/// The whole table, in the order of the product's description.
#[rustfmt::skip]
pub const RULES: [SignalRule; 17] = {
    use BuiltInType as T;
    use SignalKind as S;
    const fn rule(kind: S, score: f64, becomes: &'static [T], sessions: u32) -> SignalRule {
        SignalRule { kind, score, becomes, sessions }
    }
    [
        rule(S::FileAccess,        0.72, &[T::PrefetchPattern],                      3),
        rule(S::CoAccess,          0.91, &[T::CausalDependency, T::PrefetchPattern], 3),
        rule(S::ErrorRetry,        0.85, &[T::ErrorPattern, T::Gotcha],              2),
        rule(S::Backtrack,         0.68, &[T::Gotcha],                               2),
        rule(S::ReadAbandon,       0.79, &[T::Gotcha],                               3),
        rule(S::RepeatedGrep,      0.76, &[T::ModuleInsight, T::Gotcha],             2),
        rule(S::ToolSequence,      0.73, &[T::WorkflowRecipe],                       3),
        // Time alone is noise: it strengthens an error or a backtrack, and becomes nothing itself.
        rule(S::TimeAnomaly,       0.48, &[],                                        3),
        rule(S::SelfCorrection,    0.88, &[T::Gotcha, T::ModuleInsight],             1),
        rule(S::ExternalReference, 0.61, &[T::ModuleInsight],                        3),
        rule(S::GlobIgnore,        0.64, &[T::Gotcha],                               2),
        rule(S::ImportChase,       0.52, &[T::CausalDependency],                     4),
        rule(S::TestOrder,         0.74, &[T::TaskCalibration],                      3),
        rule(S::ConfigTouch,       0.66, &[T::CausalDependency],                     2),
        rule(S::StepOverrun,       0.71, &[T::TaskCalibration],                      3),
        rule(S::ParallelConflict,  0.82, &[T::Gotcha],                               1),
        rule(S::ContextTokenSpike, 0.63, &[T::ContextCost],                          3),
    ]
};

/// A file that was edited, not only read, is worth believing one session earlier.
pub const SESSIONS_WHEN_EDITED: u32 = 2;

impl SignalKind {
    pub fn rule(self) -> SignalRule {
        RULES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_kinds() {
        for (rule, kind) in RULES.iter().zip(SignalKind::ALL) {
            assert_eq!(rule.kind, *kind);
            assert_eq!(kind.rule().kind, *kind);
        }
    }

    #[test]
    fn every_signal_is_worth_looking_at() {
        for rule in RULES {
            assert!(
                rule.score >= VALUE_FLOOR && rule.score <= 1.0,
                "{}",
                rule.kind
            );
            assert!(rule.sessions >= 1, "{}", rule.kind);
        }
    }

    #[test]
    fn every_row_is_the_described_one() {
        let told: Vec<String> = RULES
            .iter()
            .map(|rule| {
                let becomes: Vec<String> = rule.becomes.iter().map(ToString::to_string).collect();
                let (kind, score, sessions) = (rule.kind, rule.score, rule.sessions);
                format!("{kind} {score} {sessions} {}", becomes.join(" "))
            })
            .collect();
        assert_eq!(
            told,
            [
                "file_access 0.72 3 prefetch_pattern",
                "co_access 0.91 3 causal_dependency prefetch_pattern",
                "error_retry 0.85 2 error_pattern gotcha",
                "backtrack 0.68 2 gotcha",
                "read_abandon 0.79 3 gotcha",
                "repeated_grep 0.76 2 module_insight gotcha",
                "tool_sequence 0.73 3 workflow_recipe",
                "time_anomaly 0.48 3 ",
                "self_correction 0.88 1 gotcha module_insight",
                "external_reference 0.61 3 module_insight",
                "glob_ignore 0.64 2 gotcha",
                "import_chase 0.52 4 causal_dependency",
                "test_order 0.74 3 task_calibration",
                "config_touch 0.66 2 causal_dependency",
                "step_overrun 0.71 3 task_calibration",
                "parallel_conflict 0.82 1 gotcha",
                "context_token_spike 0.63 3 context_cost",
            ]
        );
    }

    #[test]
    fn a_signal_that_tells_little_and_errs_often_is_worthless() {
        assert!(value(0.3, 0.3, 0.6) < VALUE_FLOOR);
        assert!((value(1.0, 1.0, 0.0) - 1.0).abs() < 1e-9);
    }
}
