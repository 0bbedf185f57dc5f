//! What every store of memories must do, as functions that panic when it does not.
//!
//! `contract!(make())` makes a test of each; `make()` gives a new, empty store every time.

mod change;
pub(crate) mod fixture;
mod list;
mod search;
mod session;

pub use change::*;
pub use list::*;
pub use search::*;
pub use session::*;

/// Makes a `#[test]` of every function of the contract. The expression gives a new, empty
/// store, behind anything that dereferences to it.
#[macro_export]
macro_rules! contract {
    ($store:expr) => {
        $crate::contract!(@each $store,
            a_saved_memory_comes_back_whole,
            what_is_not_there_is_none,
            saving_again_replaces_and_raises_the_revision,
            a_plan_sees_the_store_and_all_or_nothing_is_saved,
            an_erased_memory_is_gone_from_everywhere,
            touching_counts_and_leaves_the_rest_alone,
            sessions_count_what_they_left_behind,
            counts_sort_memories_by_where_they_are_in_life,
            ids_are_found_by_either_end,
            lists_are_newest_first_and_bounded,
            every_condition_of_a_filter_is_heard,
            a_folder_means_what_lies_below_it,
            a_file_goes_by_its_path_or_the_end_of_it,
            words_are_found_wherever_they_stand,
            more_of_the_words_is_better,
            a_store_rates_as_if_what_stands_beside_it_were_here,
            a_search_obeys_its_filter_and_limit,
            what_has_some_of_the_words_is_found_behind_what_was_deleted,
            no_query_text_is_an_error,
            sessions_are_replaced_found_and_removed,
            a_session_counts_what_it_used,
            what_was_erased_is_recognised,
        );
    };
    (@each $store:expr, $($name:ident,)+) => {
        $(
            #[test]
            fn $name() {
                let store = $store;
                $crate::contract::$name(&*store);
            }
        )+
    };
}
