//! One archive with the whole page, for example for a USB stick: it needs a web server on the same machine, but no
//! network.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::page::service_worker::files_below;
use crate::{Outcome, project};

pub(crate) const HELP: &str = "build the page and pack it into one zip below target/ [--no-build]";

/// All crates of the project share one version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn run(words: &[String]) -> Outcome {
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => super::build::run(&[])?,
        ["--no-build"] => {}
        [word, ..] => return Err(format!("{word} is not known; {HELP}")),
    }
    project::need_dist()?;
    let file = PathBuf::from(format!("target/tiebreak-{VERSION}.zip"));
    let files = contents(Path::new(project::DIST))?;
    let write = || {
        std::fs::create_dir_all("target")?;
        pack(File::create(&file)?, &files)
    };
    write().map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    println!("{} files in {}", files.len(), file.display());
    Ok(())
}

/// The archive's content: paths and bytes.
fn contents(dist: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut files = vec![("README.txt".to_owned(), read_me().into_bytes())];
    for file in files_below(dist)? {
        let bytes = std::fs::read(dist.join(&file)).map_err(|error| format!("cannot read {file}: {error}"))?;
        files.push((file, bytes));
    }
    Ok(files)
}

/// The archive has no timestamps, so that the same files always give the same archive.
fn pack(into: impl Write + Seek, files: &[(String, Vec<u8>)]) -> ZipResult<()> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    let mut archive = ZipWriter::new(into);
    for (address, bytes) in files {
        archive.start_file(format!("tiebreak-{VERSION}/{address}"), options)?;
        archive.write_all(bytes)?;
    }
    archive.finish().map(drop)
}

fn read_me() -> String {
    format!(
        "Tiebreak {VERSION}: how a cloud places virtual machines. It runs in a browser and sends nothing anywhere.\n\
         1. Unpack the archive and open a terminal in the folder that this file is in.\n\
         2. Start a web server there: python3 -m http.server --bind 127.0.0.1 8000\n\
         3. Open http://127.0.0.1:8000/ in a browser. After the first visit the page opens without the server, too.\n\
         Any other web server will do. To show it to a room, serve the folder on a host of your own, best by https.\n\
         Opening index.html as a file does not work; for that, save the page as one file under Share.\n"
    )
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::*;

    #[test]
    fn what_is_packed_comes_out_again_and_twice_alike() {
        let files = [("a/b.wasm".to_owned(), vec![7; 1000]), ("README.txt".to_owned(), read_me().into_bytes())];
        let packed = || {
            let mut bytes = Cursor::new(Vec::new());
            pack(&mut bytes, &files).map(|()| bytes)
        };
        let bytes = packed().expect("memory takes it");
        assert_eq!(bytes, packed().expect("memory takes it"));
        let mut archive = zip::ZipArchive::new(bytes).expect("an archive");
        for (address, content) in files {
            let mut found = Vec::new();
            let mut file = archive.by_name(&format!("tiebreak-{VERSION}/{address}")).expect("it is in there");
            file.read_to_end(&mut found).expect("it can be read");
            assert_eq!(found, content, "{address}");
        }
    }

    #[test]
    fn the_read_me_has_six_lines() {
        assert_eq!(read_me().lines().count(), 6);
    }
}
