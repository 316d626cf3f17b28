//! The laws of fitted workloads.
