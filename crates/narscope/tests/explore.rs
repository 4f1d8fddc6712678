//! The explorer's server and its exported page.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

mod terminal;
use terminal::{command, fails, succeeds};

/// A small untrained network: an explorer needs no good one.
const CONFIG: &str = "--algorithms bfs --hidden_size 32 --train_steps 2 --eval_every 1 \
                      --processor_type mpnn --train_lengths 4 --batch_size 2 --quiet";

/// A run in a folder.
fn train(folder: &Path, name: &str) {
    succeeds(folder, &format!("train {CONFIG} --out {name}"));
}

/// A running server.
struct Server {
    child: Child,
    /// Host and port.
    host: String,
    /// `/TOKEN/`.
    path: String,
}

impl Server {
    fn start(folder: &Path, arguments: &str) -> Self {
        let mut child = command(folder, &format!("explore {arguments}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let address = address.trim().strip_prefix("http://").expect("an address");
        let (host, path) = address.split_once('/').unwrap();
        Self { child, host: host.to_owned(), path: format!("/{path}") }
    }

    /// Status, headers and body of an answer.
    fn request(&self, method: &str, path: &str, host: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let request =
            format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = vec![];
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(answer[..end].to_vec()).unwrap().to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head, answer[end + 4..].to_vec())
    }

    fn get(&self, file: &str) -> (u16, String, Vec<u8>) {
        self.request("GET", &format!("{}{file}", self.path), &self.host)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn the_server_gives_the_page_and_the_named_runs_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    train(folder.path(), "run");
    train(folder.path(), "other");
    let server = Server::start(folder.path(), "run");
    for (file, media) in [
        ("", "text/html"),
        ("page.js", "text/javascript"),
        ("page.css", "text/css"),
        ("worker.js", "text/javascript"),
        ("engine.wasm", "application/wasm"),
        ("networks.json", "application/json"),
        ("weights/0", "application/octet-stream"),
    ] {
        let (status, head, body) = server.get(file);
        assert_eq!(status, 200, "{file}");
        assert!(head.contains(&format!("content-type: {media}")), "{file}: {head}");
        assert!(!body.is_empty(), "{file}");
    }
    let (_, _, listed) = server.get("networks.json");
    let listed: serde_json::Value = serde_json::from_slice(&listed).unwrap();
    assert_eq!(listed["networks"].as_array().unwrap().len(), 1);
    assert_eq!(listed["networks"][0]["name"], "run");
    for file in [
        "weights/1",
        "../other/config.toml",
        "..%2fother%2fconfig.toml",
        "run/config.toml",
        "weights/../../run/config.toml",
        "config.toml",
    ] {
        assert_eq!(server.get(file).0, 404, "{file}");
    }
}

#[test]
fn whoever_lacks_the_token_or_comes_by_another_name_learns_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), "");
    let token = server.path.trim_matches('/');
    assert_eq!(token.len(), 32);
    for path in ["/", "/page.js", "/networks.json", &format!("/{}x/", &token[..31]), "//", "/0/"] {
        let (status, _, body) = server.request("GET", path, &server.host);
        assert_eq!((status, body.as_slice()), (404, &b"404 Not Found\n"[..]), "{path}");
    }
    let port = server.host.rsplit(':').next().unwrap();
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", "localhost:1"] {
        assert_eq!(server.request("GET", &server.path, host).0, 421, "{host}");
    }
    assert_eq!(server.request("GET", &server.path, &format!("localhost:{port}")).0, 200);
    assert_eq!(server.request("POST", &server.path, &server.host).0, 405);
    // Another server has another token.
    assert_ne!(Server::start(folder.path(), "").path, server.path);
}

#[test]
fn the_page_may_load_only_what_the_server_itself_gives() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), "");
    for (status, path) in [(200, server.path.as_str()), (404, "/")] {
        let (found, head, _) = server.request("GET", path, &server.host);
        assert_eq!(found, status);
        let policy = head.lines().find(|line| line.starts_with("content-security-policy")).unwrap();
        assert!(policy.contains("default-src 'none'"), "{policy}");
        assert!(policy.contains("script-src 'self' 'wasm-unsafe-eval';"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe-inline"), "{policy}");
        assert!(head.contains("x-content-type-options: nosniff"), "{head}");
        assert!(head.contains("cache-control: no-store"), "{head}");
    }
}

#[test]
fn an_exported_page_holds_everything_and_loads_nothing() {
    let folder = tempfile::tempdir().unwrap();
    train(folder.path(), "run");
    let said = succeeds(folder.path(), "explore run --export page.html");
    assert!(said.starts_with("page.html: run, "), "{said}");
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    for attribute in ["src=", "href="] {
        for (place, _) in page.match_indices(attribute) {
            // The icon is empty data; scripts may talk of attributes.
            let markup = page[..place].rfind('<').map(|tag| &page[tag..place]).unwrap();
            if markup.starts_with("<script ") || markup.starts_with("<link ") {
                let value = &page[place + attribute.len()..];
                assert!(value.starts_with("\"data:,\""), "{markup}{value:.60}");
            }
        }
    }
    assert!(page.contains("default-src 'none'") && !page.contains("connect-src"));
    let data = page.split("id=\"narscope-bundle\">").nth(1).unwrap();
    let data = data.split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    // The first bytes of a module, in base64.
    assert!(data["wasm"].as_str().unwrap().starts_with("AGFzbQEAAAA"));
    assert_eq!(data["networks"][0]["name"], "run");

    let error = fails(folder.path(), "explore run --export page.html");
    assert!(error.contains("page.html"), "{error}");
    succeeds(folder.path(), "explore run --export page.html --force --half");
    let half = fs::metadata(folder.path().join("page.html")).unwrap().len();
    assert!(half < page.len() as u64, "{half} and {}", page.len());
}

#[test]
fn a_name_cannot_end_the_element_that_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    train(folder.path(), "run");
    let name = "<!--<script>x<";
    fs::rename(folder.path().join("run"), folder.path().join(name)).unwrap();
    succeeds(folder.path(), &format!("explore {name} --export page.html"));
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(!page.contains(name));
    assert!(page.contains(r"\u003c!--\u003cscript>x\u003c"));
}

#[test]
fn runs_that_cannot_be_explored_are_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let explore = |run: &str| fails(folder.path(), &format!("explore {run} --export page.html"));
    assert!(explore("none").contains("none"), "{}", explore("none"));

    let untrained = folder.path().join("untrained");
    fs::create_dir(&untrained).unwrap();
    fs::write(untrained.join("config.toml"), "algorithms = ['bfs']").unwrap();
    assert!(explore("untrained").contains("is not trained, or not validated yet"));

    train(folder.path(), "run");
    let weights = folder.path().join("run/best.safetensors");
    let mut bytes = fs::read(&weights).unwrap();
    let end = bytes.len() - 1;
    bytes[end] ^= 1;
    fs::write(&weights, bytes).unwrap();
    assert!(explore("run").contains("damaged"), "{}", explore("run"));

    fs::write(folder.path().join("run/config.toml"), "algorithms = ['bsf']").unwrap();
    assert!(explore("run").contains("the closest name is \"bfs\""), "{}", explore("run"));
    assert!(!folder.path().join("page.html").exists());
}

#[test]
fn an_exported_folder_in_half_precision_is_a_run_of_half_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    train(folder.path(), "run");
    succeeds(folder.path(), "export run --out whole");
    succeeds(folder.path(), "export run --out half --half");
    let size =
        |name: &str| fs::metadata(folder.path().join(name).join("best.safetensors")).unwrap().len();
    assert!(size("half") < size("whole") * 2 / 3, "{} of {}", size("half"), size("whole"));
    let score = succeeds(folder.path(), "evaluate half --length 8 --num 2 --json");
    assert!(score.contains("\"score\""), "{score}");
    succeeds(folder.path(), "explore half --export page.html");
}
