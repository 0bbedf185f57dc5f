//! What is asked of which lanes.

use super::*;

#[test]
fn names_make_an_identifier_question() {
    for question in [
        "parseConfig",
        "what does retry_count do",
        "src/main.rs",
        "std::fs",
        "open()",
        "why main.rs?",
    ] {
        assert_eq!(
            plan(question, RecentWork::Structure).query_type,
            QueryType::Identifier,
            "{question}"
        );
    }
}

#[test]
fn sentences_are_semantic_unless_structure_was_just_looked_at() {
    for question in [
        "How do we deploy?",
        "Wait. What about 3.5 and A/ B?",
        "e.g. this",
        "",
        "🙂",
        "v1.2",
    ] {
        assert_eq!(
            plan(question, RecentWork::Ordinary).query_type,
            QueryType::Semantic,
            "{question}"
        );
    }
    assert_eq!(
        plan("what breaks?", RecentWork::Structure).query_type,
        QueryType::Structural
    );
}

#[test]
fn common_words_are_left_out_unless_they_are_all_there_is() {
    assert_eq!(
        plan("What did we decide about the cache?", RecentWork::Ordinary).text(),
        "decide cache"
    );
    assert_eq!(
        plan("who are they", RecentWork::Ordinary).text(),
        "who are they"
    );
}

#[test]
fn contractions_and_several_of_an_acronym_are_asked_for_as_people_mean_them() {
    let text = |question| plan(question, RecentWork::Ordinary).text();
    assert_eq!(text("why don't we use libgit2"), "use libgit libgit2");
    assert_eq!(text("let's see why it won’t merge PRs"), "see merge pr");
    assert_eq!(text("who won the vote"), "won vote");
    assert_eq!(text("which URLs and IDs"), "url id");
    let nothing = plan("why won't you?", RecentWork::Ordinary);
    assert_eq!(nothing.said, Said::Nothing);
}

#[test]
fn a_question_says_nothing_little_or_enough() {
    for (question, said) in [
        ("", Said::Nothing),
        ("the of and", Said::Nothing),
        ("?! ... -- \"", Said::Nothing),
        ("q", Said::Little),
        ("x1 of v2", Said::Little),
        ("who deploys", Said::Enough),
        ("字", Said::Enough),
    ] {
        assert_eq!(
            plan(question, RecentWork::Ordinary).said,
            said,
            "{question}"
        );
    }
}

#[test]
fn a_question_for_what_came_last_asks_the_lane_of_age() {
    let planned = |question| plan(question, RecentWork::Ordinary);
    for (question, said) in [
        ("what did we do last", Said::Nothing),
        ("what happened today?", Said::Nothing),
        ("the latest decision about caching", Said::Enough),
        ("what did we change recently in the parser", Said::Enough),
    ] {
        let plan = planned(question);
        assert_eq!((plan.time, plan.said), (Time::Latest, said), "{question}");
        assert!(plan.weight(Lane::Recent) > 0.0, "{question}");
    }
    for question in [
        "the last element of a list",
        "last_accessed_at",
        "how long do sessions last?",
        "this time zone",
        "how do we deploy",
    ] {
        let plan = planned(question);
        assert_eq!(plan.time, Time::Any, "{question}");
        assert!(plan.weight(Lane::Recent) <= 0.0, "{question}");
    }
}

#[test]
fn a_day_that_is_counted_back_to_is_a_lane_and_no_word() {
    let planned = |question| plan(question, RecentWork::Ordinary);
    let about = planned("why did we change parse_config two weeks ago");
    assert!(matches!(about.time, Time::Around(_)));
    assert!(about.text().starts_with("change parse config"));
    assert!(
        !about
            .words
            .iter()
            .any(|word| word == "ago" || word == "weeks")
    );
    assert!(about.weight(Lane::Recent) > 0.0 && about.weight(Lane::Text) > 0.0);
    for question in [
        "what did we do two weeks ago?",
        "what did we do yesterday?",
        "what happened this week?",
        "what did we decide two weeks ago?",
        "what was decided yesterday?",
        "what had we agreed on last week?",
        "what did we discuss yesterday?",
    ] {
        let anything = planned(question);
        assert!(matches!(anything.time, Time::Around(_)), "{question}");
        assert!(anything.wants_newest() && anything.words.is_empty());
    }
    assert!(about.of_any_time().weight(Lane::Recent) <= 0.0);
}

#[test]
fn days_that_are_named_are_a_lane_beside_their_words() {
    let planned = |question| plan(question, RecentWork::Ordinary);
    let about = planned("what did we change in the parser last week");
    assert_eq!(about.time, Time::Around(Day::Of(Span::LastWeek)));
    assert_eq!(about.text(), "change parser last week");
    let latest = planned("the latest of the parser").weight(Lane::Recent);
    assert!((about.weight(Lane::Recent) - latest).abs() < f64::EPSILON);
    let volunteered = about.of_any_time();
    assert_eq!(volunteered.time, Time::Any);
    assert_eq!(volunteered.text(), "change parser last week");
    for question in ["how do we bill last month", "what changed since yesterday"] {
        assert_eq!(planned(question).time, Time::Latest, "{question}");
    }
}

#[test]
fn words_of_a_day_are_looked_for_where_none_is_asked_for() {
    let planned = |question| plan(question, RecentWork::Ordinary);
    let about = planned("who sees parse_weeks of two weeks ago");
    assert_eq!(about.text(), "sees parse weeks parseweeks");
    let volunteered = about.of_any_time();
    assert_eq!(volunteered.time, Time::Any);
    assert_eq!(volunteered.text(), "sees parse weeks parseweeks two ago");
    for question in [
        "users created before 2.weeks.ago",
        "where is two_weeks_ago",
        "invoices of the last Friday of the month",
    ] {
        let plan = planned(question);
        assert_eq!(plan.time, Time::Any, "{question}");
        assert_eq!(plan.words, telling_words(question));
    }
}

#[test]
fn code_is_found_by_meaning_before_words() {
    let code = plan_code("retry with backoff", RecentWork::Ordinary);
    assert!(code.weight(Lane::Dense) > code.weight(Lane::Text));
    let memories = plan("retry with backoff", RecentWork::Ordinary);
    assert!(memories.weight(Lane::Dense) < memories.weight(Lane::Text));
}

#[test]
fn code_has_no_age_to_be_asked_for_by() {
    for question in ["recent sessions", "sessions today", "recent work"] {
        let code = plan_code(question, RecentWork::Ordinary);
        assert_eq!(code.time, Time::Any, "{question}");
        assert!(code.weight(Lane::Dense) > 0.0, "{question}");
        assert!(!code.words.is_empty(), "{question}");
    }
}

#[test]
fn a_name_with_a_digit_is_looked_for_as_a_whole() {
    let text = |question| plan(question, RecentWork::Ordinary).text();
    assert_eq!(text("e2e tests of v2 on k8s"), "e2e tests v2 k8s");
    assert_eq!(text("c compiler"), "c compiler");
    assert_eq!(text("parseJSON2Text"), "parse json text parsejson2text");
}
