//! From what happened to what might be worth remembering.
