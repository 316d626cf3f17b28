//! Locations of the files that come with the page. Their addresses change with their content, so index.html names
//! them.

use gloo::utils::{document, window};
use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

/// The folder of the page.
pub(crate) fn folder() -> String {
    let address = document().base_uri().ok().flatten().unwrap_or_default();
    let path = address.split(['#', '?']).next().unwrap_or_default();
    path.rsplit_once('/').map_or_else(String::new, |(folder, _)| format!("{folder}/"))
}

/// The address, as index.html gives it, of the file with this name.
pub(crate) fn named(name: &str) -> Option<String> {
    let meta = document().query_selector(&format!("meta[name={name}]")).ok().flatten();
    meta.and_then(|meta| meta.get_attribute("content"))
}

/// The absolute address of the file with this name, for use outside of the page.
pub(crate) fn address(name: &str) -> String {
    format!("{}{}", folder(), named(name).unwrap_or_default().trim_start_matches("./"))
}

/// The bytes of the file that index.html calls by this name; `None` if the server does not deliver it.
pub(crate) async fn bytes(name: &str) -> Option<Vec<u8>> {
    bytes_at(&address(name)).await
}

/// The bytes of the file at this address; `None` if the server does not deliver it.
pub(crate) async fn bytes_at(address: &str) -> Option<Vec<u8>> {
    let response = fetched(address).await?;
    let buffer = JsFuture::from(response.array_buffer().ok()?).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}

/// The text of a file in the folder that index.html calls by this name; `None` if the server does not deliver it.
pub(crate) async fn text(folder: &str, file: &str) -> Option<String> {
    let response = fetched(&format!("{}{file}", address(folder))).await?;
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}

async fn fetched(address: &str) -> Option<Response> {
    let response = JsFuture::from(window().fetch_with_str(address)).await.ok()?;
    let response: Response = response.dyn_into().ok()?;
    response.ok().then_some(response)
}
