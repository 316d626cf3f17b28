//! Limits on how much of a file is read, so that no file can exhaust memory.

/// Files per import.
pub const FILES_MAX: usize = 16;

/// Bytes of one file, after decompression.
pub const BYTES_MAX: usize = 512 << 20;

/// Bytes of a YAML or INI file, which are manually written or small dumps.
pub(crate) const WRITTEN_BYTES_MAX: usize = 64 << 20;

/// Values of a YAML file, including those that aliases repeat.
pub(crate) const VALUES_MAX: usize = 4_000_000;

/// Levels of nesting. The JSON parser has its own limit of 128.
pub(crate) const DEPTH_MAX: usize = 100;

/// Pods per import.
pub(crate) const PODS_MAX: usize = 2_000_000;

/// Different fields to list; further ones are only counted.
pub(crate) const LEFTOVERS_MAX: usize = 1_000;

/// Characters of a value to show.
pub(crate) const SHOWN_MAX: usize = 72;
