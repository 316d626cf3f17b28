//! The bill of materials of the page, in the CycloneDX 1.6 format, for those who must account for third-party code.
//!
//! It lists what is compiled into the page's WebAssembly, without macros and build scripts, and SQLite. The standard
//! library is part of rustc. The page never requests the list, so the service worker does not cache it.

use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::Outcome;
use crate::packages::{Locked, Npm, Package, compiled, locked, npm};
use crate::tools::BROWSER_TARGET;

const FILE: &str = "sbom.cdx.json";

/// Writes the list into the folder of the built page.
pub(crate) fn write(staging: &Path) -> Outcome {
    let page = [
        "--package=tiebreak-web",
        "--features=parquet,imports",
        "--edges=normal,no-proc-macro",
        "--target",
        BROWSER_TARGET,
    ];
    let compiled = Vec::from_iter(compiled(&page)?);
    let shipped: Vec<Npm> = npm()?.into_iter().filter(|npm| npm.package.name == super::SQLITE).collect();
    let list = list(&compiled, &locked()?, &shipped)?;
    std::fs::write(staging.join(FILE), format!("{list:#}\n")).map_err(|error| format!("cannot write {FILE}: {error}"))
}

/// The same packages always give the same list: it has no timestamps and no random names.
fn list(compiled: &[Package], locked: &[Locked], shipped: &[Npm]) -> Result<Value, String> {
    let of_cargo = compiled.iter().filter_map(|package| {
        let is_it = |other: &&Locked| (&other.name, &other.version) == (&package.name, &package.version);
        // Our own crates have no checksum.
        let digest = locked.iter().find(is_it)?.checksum.as_ref()?;
        Some(Ok(component("cargo", package, "SHA-256", digest)))
    });
    let of_npm = shipped.iter().map(|npm| Ok(component("npm", &npm.package, "SHA-512", &sha512(&npm.integrity)?)));
    let components = of_cargo.chain(of_npm).collect::<Result<Vec<_>, String>>()?;
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {
            "type": "application",
            "name": "tiebreak",
            "version": env!("CARGO_PKG_VERSION"),
            "licenses": [{"expression": env!("CARGO_PKG_LICENSE")}],
        }},
        "components": components,
    }))
}

fn component(kind: &str, package: &Package, algorithm: &str, digest: &str) -> Value {
    let Package { name, version, licence } = package;
    let encoded = |text: &str| text.replace('@', "%40").replace('+', "%2B");
    let address = format!("pkg:{kind}/{}@{}", encoded(name), encoded(version));
    // Old manifests separate licences with a slash.
    let licence = licence.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ");
    json!({
        "type": "library",
        "bom-ref": address,
        "name": name,
        "version": version,
        "purl": address,
        "licenses": [{"expression": licence}],
        "hashes": [{"alg": algorithm, "content": digest}],
    })
}

/// Converts `sha512-` and base64 to hexadecimal.
fn sha512(integrity: &str) -> Result<String, String> {
    let base64 = integrity.strip_prefix("sha512-").and_then(|digest| BASE64_STANDARD.decode(digest).ok());
    let bytes = base64.ok_or(format!("package-lock.json has the digest '{integrity}', which is no SHA-512"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::{entries, npm_entries, packages};

    #[test]
    fn every_package_of_others_is_listed_with_licence_and_digest() {
        let compiled = "ours v0.1.0 (/somewhere)|MIT\nb v2.1.3+c.1|MIT / Zlib\na v1.0.0|MIT OR Apache-2.0\na v1.0.0|MIT OR Apache-2.0 (*)\n";
        let entry = |name: &str, rest: &str| format!("[[package]]\nname = \"{name}\"\nversion = {rest}\n");
        let lock = entry("ours", "\"0.1.0\"")
            + &entry("a", "\"1.0.0\"\nchecksum = \"c0ffee\"")
            + &entry("b", "\"2.1.3+c.1\"\nchecksum = \"beef\"")
            + &entry("unused", "\"1.0.0\"\nchecksum = \"dead\"");
        let npm = r#"{"packages": {"node_modules/@s/q": {"version": "3.1.0-b1", "license": "Apache-2.0", "integrity": "sha512-AP8="}}}"#;
        let compiled = Vec::from_iter(packages(compiled));
        let shipped = npm_entries(npm).expect("it can be read");
        let list = list(&compiled, &entries(&lock), &shipped).expect("all is there");
        let component = |address: &str, name: &str, version: &str, licence: &str, algorithm: &str, digest: &str| {
            json!({
                "type": "library", "bom-ref": address, "purl": address, "name": name, "version": version,
                "licenses": [{"expression": licence}], "hashes": [{"alg": algorithm, "content": digest}],
            })
        };
        let expected = json!([
            component("pkg:cargo/a@1.0.0", "a", "1.0.0", "MIT OR Apache-2.0", "SHA-256", "c0ffee"),
            component("pkg:cargo/b@2.1.3%2Bc.1", "b", "2.1.3+c.1", "MIT OR Zlib", "SHA-256", "beef"),
            component("pkg:npm/%40s/q@3.1.0-b1", "@s/q", "3.1.0-b1", "Apache-2.0", "SHA-512", "00ff"),
        ]);
        assert_eq!(list["components"], expected);
        assert_eq!((&list["bomFormat"], &list["specVersion"]), (&json!("CycloneDX"), &json!("1.6")));
    }

    #[test]
    fn a_digest_of_another_kind_is_refused() {
        assert!(sha512("sha1-AP8=").is_err_and(|sentence| sentence.contains("sha1-AP8=")));
    }
}
