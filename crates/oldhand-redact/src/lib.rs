//! Secrets out of text, before it is stored or shown.
