//! A client that can say anything, wrong things too, so it writes its requests itself.

use loci_protocol::{HEADER, PROTOCOL_VERSION, Problem, ProblemCode, trust};
use serde::{Serialize, de::DeserializeOwned};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

/// A request in the making; it starts as a correct one without a bearer.
#[derive(Clone)]
pub struct Ask {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    cut: bool,
}

/// A reply read to its end.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Ask {
    pub fn get(path: &str) -> Ask {
        Ask::method("GET", path)
    }

    pub fn method(method: &str, path: &str) -> Ask {
        Ask {
            line: format!("{method} {path} HTTP/1.1"),
            headers: vec![(HEADER.into(), PROTOCOL_VERSION.to_string())],
            body: Vec::new(),
            cut: false,
        }
    }

    pub fn post(path: &str, body: &impl Serialize) -> Ask {
        let bytes = serde_json::to_vec(body).expect("a test sends plain data");
        Ask::method("POST", path).set("content-type", "application/json").body(bytes)
    }

    pub fn body(mut self, body: Vec<u8>) -> Ask {
        let length = body.len().to_string();
        self.body = body;
        self.set("content-length", &length)
    }

    /// The same body without a declared length.
    pub fn chunked(mut self) -> Ask {
        let mut chunks = format!("{:x}\r\n", self.body.len()).into_bytes();
        chunks.extend(&self.body);
        chunks.extend(b"\r\n0\r\n\r\n");
        self.body = chunks;
        self.without("content-length").and("transfer-encoding", "chunked")
    }

    /// Declares more than is sent, and sends no more.
    pub fn cut_short(mut self) -> Ask {
        self.cut = true;
        let more = (self.body.len() + 100).to_string();
        self.set("content-length", &more)
    }

    pub fn bearer(self, token: &str) -> Ask {
        self.set("authorization", &format!("Bearer {}", trust::bearer(token)))
    }

    /// Replaces the header.
    pub fn set(self, name: &str, value: &str) -> Ask {
        self.without(name).and(name, value)
    }

    /// Adds a header, a second one of the same name too.
    pub fn and(mut self, name: &str, value: &str) -> Ask {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn without(mut self, name: &str) -> Ask {
        self.headers.retain(|(there, _)| there != name);
        self
    }

    /// Sends it and reads the reply to its end.
    pub async fn send(self, port: u16) -> Reply {
        self.open(port).await.finish().await
    }

    /// Sends it and reads the head of the reply.
    pub async fn open(self, port: u16) -> Open {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("the companion listens");
        let ask = if self.headers.iter().any(|(name, _)| name == "host") {
            self
        } else {
            self.and("host", &format!("127.0.0.1:{port}"))
        };
        let mut head = ask.line.clone();
        for (name, value) in &ask.headers {
            head += &format!("\r\n{name}: {value}");
        }
        head += "\r\nconnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).await.expect("the request goes out");
        // A refusal may come, and the connection end, before the whole body is out.
        let _ = stream.write_all(&ask.body).await;
        if ask.cut {
            stream.shutdown().await.expect("the sending side closes");
        }
        Open::read(BufReader::new(stream)).await
    }
}

/// A reply whose body is still coming.
pub struct Open {
    pub status: u16,
    headers: Vec<(String, String)>,
    stream: BufReader<TcpStream>,
    chunked: bool,
    pending: Vec<u8>,
}

impl Open {
    pub async fn read(mut stream: BufReader<TcpStream>) -> Open {
        let first = line(&mut stream).await.expect("the companion replies");
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status line");
        let mut headers = Vec::new();
        while let Some(header) = line(&mut stream).await.filter(|line| !line.is_empty()) {
            let (name, value) = header.split_once(':').expect("a header");
            headers.push((name.trim().to_lowercase(), value.trim().to_owned()));
        }
        let chunked = headers.contains(&("transfer-encoding".into(), "chunked".into()));
        Open { status, headers, stream, chunked, pending: Vec::new() }
    }

    /// The next event of a stream; `None` at its end.
    pub async fn event<E: DeserializeOwned>(&mut self) -> Option<E> {
        loop {
            if let Some(end) = self.pending.iter().position(|&byte| byte == b'\n') {
                let event: Vec<u8> = self.pending.drain(..=end).collect();
                return Some(serde_json::from_slice(&event).expect("a line is an event"));
            }
            let more = self.chunk().await?;
            self.pending.extend(more);
        }
    }

    pub async fn finish(mut self) -> Reply {
        let mut body = std::mem::take(&mut self.pending);
        if self.chunked {
            while let Some(more) = self.chunk().await {
                body.extend(more);
            }
        } else {
            // The connection may be reset when the request was not read to its end.
            let _ = self.stream.read_to_end(&mut body).await;
        }
        Reply { status: self.status, headers: self.headers, body }
    }

    async fn chunk(&mut self) -> Option<Vec<u8>> {
        let length = line(&mut self.stream).await?;
        let length = usize::from_str_radix(&length, 16).expect("the length of a chunk");
        let mut chunk = vec![0; length + 2];
        self.stream.read_exact(&mut chunk).await.ok()?;
        chunk.truncate(length);
        (length > 0).then_some(chunk)
    }
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(there, _)| there == name).map(|(_, value)| value.as_str())
    }

    pub fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The code of a refusal, whose form is checked on the way.
    pub fn refusal(&self) -> ProblemCode {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.text());
        let problem: Problem = self.json();
        assert_eq!(problem.status, self.status);
        assert!(!problem.hint.is_empty(), "{problem:?}");
        problem.code
    }

    /// Everything that came, for a search.
    pub fn everything(&self) -> String {
        format!("{:?} {}", self.headers, self.text())
    }
}

async fn line(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let read = stream.read_line(&mut line).await.ok()?;
    (read > 0).then(|| line.trim_end().to_owned())
}
