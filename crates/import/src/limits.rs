//! How much of a file is read, so that none can fill the memory.

/// Files at once.
pub const FILES_MAX: usize = 16;

/// Bytes of one file, after decompression.
pub const BYTES_MAX: usize = 512 << 20;

/// Bytes of a YAML or INI file: those that people write, and small dumps.
pub(crate) const WRITTEN_BYTES_MAX: usize = 64 << 20;

/// Values of a YAML file, those that aliases repeat among them.
pub(crate) const VALUES_MAX: usize = 4_000_000;

/// Levels of nesting. JSON is bounded by its reader, at 128.
pub(crate) const DEPTH_MAX: usize = 100;

/// Pods of one import.
pub(crate) const PODS_MAX: usize = 2_000_000;

/// Different fields that are listed; beyond them they are only counted.
pub(crate) const LEFTOVERS_MAX: usize = 1_000;

/// Letters of a value that are shown.
pub(crate) const SHOWN_MAX: usize = 72;
