//! The server of an explorer: loopback only, behind a random token, for the files of the page and
//! the named networks only.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context as _;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use tokio::net::TcpListener;

use super::networks::{Network, list};
use super::{INDEX, PAGE};

/// Scripts, styles and requests of this server only; WebAssembly, but no `eval`.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
                      style-src 'self'; img-src data: blob:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";
/// Letters of the token: 128 bits.
const TOKEN: usize = 32;

/// What can be read: by the part of an address after the token, its media type and content.
type Files = HashMap<String, (&'static str, Bytes)>;

/// What the server knows.
struct Site {
    /// The values of `Host` that a browser sends here. Another one means that a foreign site has
    /// made its name point to this computer.
    hosts: [String; 2],
    token: String,
    files: Files,
}

/// Serves networks until the process ends. `started` is called with the address.
pub(crate) fn serve(
    networks: &[Network],
    port: u16,
    started: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).await.with_context(|| {
            format!("the explorer cannot listen on {address}; choose another --port")
        })?;
        let port = listener.local_addr()?.port();
        let site = Site {
            hosts: ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}")),
            token: token(),
            files: files(networks),
        };
        started(&format!("http://127.0.0.1:{port}/{}/", site.token))?;
        let router = Router::new().fallback(answer).with_state(Arc::new(site));
        Ok(axum::serve(listener, router).await?)
    })
}

/// A random token. The keys of `RandomState` come from the random generator of the operating system.
fn token() -> String {
    let word = || RandomState::new().hash_one(std::process::id());
    let mut token = format!("{:016x}{:016x}", word(), word());
    token.truncate(TOKEN);
    token
}

/// What is served, by name.
fn files(networks: &[Network]) -> Files {
    let page = PAGE
        .iter()
        .map(|file| (file.name.to_owned(), (file.media, Bytes::from_static(file.bytes))));
    let mut files: Files = page.collect();
    let index = files[INDEX.name].clone();
    files.insert(String::new(), index);
    let address = |index: usize| format!("weights/{index}");
    for (index, network) in networks.iter().enumerate() {
        let weights = Bytes::from(network.weights.clone());
        files.insert(address(index), ("application/octet-stream", weights));
    }
    let listed = serde_json::json!({ "networks": list(networks, |index, _| address(index)) });
    files.insert("networks.json".to_owned(), ("application/json", listed.to_string().into()));
    files
}

/// Answers a request. Without the token every answer is 404, whether the file exists or not.
async fn answer(State(site): State<Arc<Site>>, request: Request) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    if !host.is_some_and(|host| site.hosts.iter().any(|own| own == host)) {
        return refused(StatusCode::MISDIRECTED_REQUEST);
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return refused(StatusCode::METHOD_NOT_ALLOWED);
    }
    let path = request.uri().path().strip_prefix('/').and_then(|path| path.split_once('/'));
    let file = path.filter(|(token, _)| equal(token, &site.token));
    match file.and_then(|(_, file)| site.files.get(file)) {
        Some((media, bytes)) => (headers(media), bytes.clone()).into_response(),
        None => refused(StatusCode::NOT_FOUND),
    }
}

fn refused(status: StatusCode) -> Response {
    let text = format!("{status}\n");
    (status, headers("text/plain; charset=utf-8"), text).into_response()
}

fn headers(media: &'static str) -> [(HeaderName, &'static str); 6] {
    let name = HeaderName::from_static;
    [
        (CONTENT_TYPE, media),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        (name("x-content-type-options"), "nosniff"),
        (name("referrer-policy"), "no-referrer"),
        (name("cross-origin-resource-policy"), "same-origin"),
    ]
}

/// Whether two texts are equal, in a time that does not depend on where they differ.
fn equal(a: &str, b: &str) -> bool {
    let differences = a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && differences == 0
}
