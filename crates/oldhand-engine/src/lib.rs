//! One method per thing a user can ask; the only caller of the ports.
