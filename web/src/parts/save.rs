//! Files created in the browser: text, and pictures of drawings.

use gloo::timers::callback::Timeout;
use js_sys::{Array, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement, HtmlImageElement, Url};

/// Pixels of a picture per pixel of its drawing: sharp on dense screens and on paper.
const SHARPNESS: f64 = 2.0;

/// Time for a browser to fetch the file that it saves.
const FETCHED_MS: u32 = 60_000;

/// Saves text under a name.
///
/// # Errors
/// If the browser fails, with its message.
pub(crate) fn text(name: &str, kind: &str, text: &str) -> Result<(), JsValue> {
    file(name, &blob(text, kind)?)
}

/// Saves an SVG as a PNG.
///
/// # Errors
/// If the browser fails, with its message; for instance, a drawing may be too large for its canvas.
pub(crate) async fn picture(name: &str, svg: &str) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(&blob(svg, "image/svg+xml")?)?;
    let image = HtmlImageElement::new()?;
    image.set_src(&url);
    let decoded = JsFuture::from(image.decode()).await;
    Url::revoke_object_url(&url)?;
    decoded?;
    let (width, height) = (f64::from(image.width()) * SHARPNESS, f64::from(image.height()) * SHARPNESS);
    let canvas: HtmlCanvasElement = gloo::utils::document().create_element("canvas")?.unchecked_into();
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context = canvas.get_context("2d")?.ok_or("no canvas to draw on")?;
    let context: CanvasRenderingContext2d = context.unchecked_into();
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height)?;
    let drawn = Promise::new(&mut |resolve, reject| {
        if let Err(error) = canvas.to_blob(&resolve) {
            // The callbacks of a promise do not fail.
            let _ = reject.call1(&JsValue::NULL, &error);
        }
    });
    let png = JsFuture::from(drawn).await?;
    file(name, &png.dyn_into::<Blob>()?)
}

fn blob(text: &str, kind: &str) -> Result<Blob, JsValue> {
    let options = Object::new();
    Reflect::set(&options, &"type".into(), &kind.into())?;
    Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), options.unchecked_ref())
}

/// Saves a file under a name.
///
/// # Errors
/// If the browser fails, with its message.
pub(crate) fn file(name: &str, content: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(content)?;
    let anchor: HtmlAnchorElement = gloo::utils::document().create_element("a")?.unchecked_into();
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    Timeout::new(FETCHED_MS, move || drop(Url::revoke_object_url(&url))).forget();
    Ok(())
}
