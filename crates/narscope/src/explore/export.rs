//! An explorer in a single file: it loads nothing, and works from disk.

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::networks::{Listed, Network, list};
use super::{ENGINE, INDEX, SCRIPT, STYLE, WORKER};

/// Where `index.html` names the style and the script.
const STYLE_PLACE: &str = r#"<link rel="stylesheet" href="page.css">"#;
const SCRIPT_PLACE: &str = r#"<script defer src="page.js"></script>"#;
const END: &str = "</body>";
/// Nothing may be loaded; scripts and styles are in the page, the worker is made of a text in it.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; \
                      worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; \
                      base-uri 'none'; form-action 'none'";

/// What the page holds; `tools/explorer/src/engine/bundle.ts` reads it.
#[derive(Serialize)]
struct Data<'a> {
    wasm: String,
    networks: Vec<Listed<'a>>,
}

/// The page with everything that it needs.
pub(crate) fn page(networks: &[Network]) -> anyhow::Result<String> {
    let data = Data {
        wasm: STANDARD.encode(ENGINE.bytes),
        networks: list(networks, |_, network| STANDARD.encode(&network.weights)),
    };
    // In JSON, a `<` occurs in strings only.
    let data = serde_json::to_string(&data)?.replace('<', r"\u003c");
    let style = STYLE.text().replace("</style", r"<\/style");
    let head = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<style>{style}</style>"
    );
    let end = format!(
        "<script type=\"application/json\" id=\"narscope-bundle\">{data}</script>\n\
         <script type=\"text/plain\" id=\"narscope-worker\">{}</script>\n\
         <script>{}</script>\n{END}",
        script(WORKER.text()),
        script(SCRIPT.text())
    );
    let page = put(INDEX.text(), STYLE_PLACE, &head)?;
    // A script in the page runs where it is: it has to come after what it works on.
    let page = put(&page, SCRIPT_PLACE, "")?;
    put(&page, END, &end)
}

/// A script that does not end the element that holds it.
fn script(text: &str) -> String {
    text.replace("</script", r"<\/script").replace("<!--", r"<\!--")
}

/// Replaces the only occurrence of a place.
fn put(page: &str, place: &str, content: &str) -> anyhow::Result<String> {
    let (before, after) = page.split_once(place).with_context(|| {
        format!("the explorer's page has no {place}: build it anew with `cargo xtask explorer`")
    })?;
    Ok([before, content, after].concat())
}
