//! Atomic writes of files and folders: written under the name `NAME.unfinished` next to their destination, and moved
//! there when complete. A full disk or a signal leaves nothing that looks like a result.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::answer::Failure;

/// Writes a file.
///
/// # Errors
/// When it cannot be written; an existing file stays as it was.
pub fn write(place: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut file = Unfinished::begin(place)?;
    file.write(bytes)?;
    file.finish()
}

/// A file that is written incrementally.
pub struct Unfinished {
    place: PathBuf,
    /// The temporary path; the destination itself if that is a device or a pipe.
    beside: PathBuf,
    file: File,
}

impl Unfinished {
    /// Begins a file; nothing appears at its destination yet.
    pub fn begin(place: &Path) -> Result<Self, Failure> {
        // Follow a symbolic link, so that it stays a link.
        let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        let is_stream = fs::metadata(&place).is_ok_and(|there| !there.is_file() && !there.is_dir());
        let beside = if is_stream { place.clone() } else { beside(&place, "unfinished") };
        let begun = match fs::metadata(&place) {
            Ok(there) if there.is_dir() => Err(io::Error::from(ErrorKind::IsADirectory)),
            _ => File::create(&beside),
        };
        let file = begun.map_err(|error| unwritable(&place, &error))?;
        Ok(Self { place, beside, file })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file.write_all(bytes).map_err(|error| unwritable(&self.place, &error))
    }

    /// Moves the file to its destination.
    pub fn finish(mut self) -> Result<(), Failure> {
        let moved = if self.beside == self.place { Ok(()) } else { fs::rename(&self.beside, &self.place) };
        self.file.flush().and(moved).map_err(|error| unwritable(&self.place, &error))?;
        self.beside = self.place.clone();
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.beside != self.place {
            // The unfinished file is only a leftover, so a failed removal is not reported.
            let _ = fs::remove_file(&self.beside);
        }
    }
}

/// A folder of several files.
pub struct Folder {
    place: PathBuf,
    beside: PathBuf,
}

impl Folder {
    /// Begins a folder before the work that fills it, so that an obstacle is reported at once. An empty folder, or
    /// one with only these files from an earlier run, is replaced; any other stays as it is.
    pub fn begin(place: &Path, ours: &[&str]) -> Result<Self, Failure> {
        let failed = |error: io::Error| unwritable(place, &error);
        match fs::read_dir(place) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
            Ok(entries) => {
                let names: Vec<_> = entries
                    .map(|entry| entry.map(|entry| entry.file_name()))
                    .collect::<Result<_, _>>()
                    .map_err(failed)?;
                if let Some(other) = names.iter().find(|name| !ours.iter().any(|our| *name == our)) {
                    return Err(Failure(format!(
                        "expected a new folder or one of an earlier run for --out, got {} with {} in it; choose another",
                        place.display(),
                        other.to_string_lossy()
                    )));
                }
            }
        }
        let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        let beside = beside(&place, "unfinished");
        // Left by an earlier run that was stopped.
        let left = fs::remove_dir_all(&beside);
        if let Err(error) = left.or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
        {
            return Err(unwritable(&place, &error));
        }
        fs::create_dir_all(&beside).map_err(|error| unwritable(&place, &error))?;
        Ok(Self { place, beside })
    }

    /// The temporary path of one of its files.
    pub fn file(&self, name: &str) -> PathBuf {
        self.beside.join(name)
    }

    /// The failure for a file that could not be written.
    pub fn unwritable(&self, error: &dyn std::fmt::Display) -> Failure {
        unwritable(&self.place, error)
    }

    /// Moves the folder to its destination.
    pub fn finish(mut self) -> Result<(), Failure> {
        let before = beside(&self.place, "before");
        let moved = || {
            if self.place.exists() {
                fs::rename(&self.place, &before)?;
            }
            fs::rename(&self.beside, &self.place)?;
            if before.exists() { fs::remove_dir_all(&before) } else { Ok(()) }
        };
        moved().map_err(|error| self.unwritable(&error))?;
        self.beside = self.place.clone();
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.beside != self.place {
            let _ = fs::remove_dir_all(&self.beside);
        }
    }
}

fn beside(place: &Path, what: &str) -> PathBuf {
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(what);
    place.with_file_name(name)
}

fn unwritable(place: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure(format!("expected to write {}, got: {error}; choose another --out", place.display()))
}
