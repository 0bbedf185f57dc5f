//! What puts a file first.

use super::*;

#[test]
fn fillers_are_sorted_for_the_search() {
    assert!(FILLERS.is_sorted());
}
