//! The explorer: a page on which networks run in the browser. Its files are built by
//! `cargo xtask explorer` and kept in `crates/narscope/explorer`.

pub(crate) mod export;
pub(crate) mod networks;
pub(crate) mod server;

/// A file of the page.
pub(crate) struct PageFile {
    /// Its name, which is its address.
    pub(crate) name: &'static str,
    /// Its media type.
    pub(crate) media: &'static str,
    /// Its content.
    pub(crate) bytes: &'static [u8],
}

macro_rules! page_files {
    ($($NAME:ident: $name:literal, $media:literal;)+) => {
        $(pub(crate) static $NAME: PageFile = PageFile {
            name: $name,
            media: $media,
            bytes: include_bytes!(concat!("../../explorer/", $name)),
        };)+

        /// All files of the page.
        pub(crate) static PAGE: &[&PageFile] = &[$(&$NAME),+];
    };
}

page_files! {
    INDEX: "index.html", "text/html; charset=utf-8";
    STYLE: "page.css", "text/css; charset=utf-8";
    SCRIPT: "page.js", "text/javascript; charset=utf-8";
    WORKER: "worker.js", "text/javascript; charset=utf-8";
    ENGINE: "engine.wasm", "application/wasm";
}

impl PageFile {
    /// The content of a text.
    pub(crate) fn text(&self) -> &'static str {
        str::from_utf8(self.bytes).expect("texts of the page are UTF-8")
    }
}
