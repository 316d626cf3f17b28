//! lab.
