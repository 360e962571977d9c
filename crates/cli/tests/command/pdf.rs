//! PDFs, which a worker process of the program converts.

use gleaner::pdf::PdfWorker;
use gleaner::request::ScrapeOptions;
use gleaner::{Document, Engine, EngineBuilder, Input, ScrapeRequest};
use gleaner_testkit::{RawServer, Step};

use super::support::{run, run_on_loopback, run_with_input, stderr, succeed};

/// A PDF without a cross-reference table: parsers find the objects without it.
const FILE: &[u8] = b"%PDF-1.7
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >> endobj
4 0 obj << /Length 124 >>
stream
BT /F1 12 Tf 72 720 Td 16 TL (The kiln is loaded in the evening.) Tj T* (Fire \"slowly\" until the water \\\\ is gone.) Tj T* ET
endstream endobj
5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
6 0 obj << /Title (Kiln notes) /Author (A. Potter) /CreationDate (D:20240115103000Z) >> endobj
trailer << /Size 7 /Root 1 0 R /Info 6 0 R >>
%%EOF
";

/// A page with more pieces of text than can be laid out.
fn crowded() -> Vec<u8> {
    let content = format!("BT /F1 12 Tf {} ET", "1 0 0 1 72 720 Tm (word) Tj ".repeat(100_000));
    let before = "%PDF-1.7
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >> endobj
5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj";
    let length = content.len();
    format!("{before}\n4 0 obj << /Length {length} >>\nstream\n{content}\nendstream endobj\ntrailer << /Size 6 /Root 1 0 R >>\n%%EOF\n")
        .into_bytes()
}

fn server(file: &[u8]) -> RawServer {
    let headers = [("content-type", "application/pdf"), ("connection", "close")];
    RawServer::start([Step::ReadRequest, Step::respond("200 OK", &headers, file), Step::Close]).unwrap()
}

fn on_loopback() -> EngineBuilder {
    Engine::builder().allow_private("127.0.0.0/8".parse().unwrap())
}

fn worker() -> PdfWorker {
    PdfWorker::new(env!("CARGO_BIN_EXE_gleaner")).arg("pdf-worker")
}

#[test]
fn a_scraped_pdf_is_converted_by_a_worker() {
    let server = server(FILE);
    let output = run_on_loopback(&["scrape", &format!("{}/kiln.pdf", server.base_url()), "-vv"]);
    let printed = succeed(&output);
    assert!(printed.contains("loaded in the evening") && printed.contains("slowly"), "{printed}");
    assert!(stderr(&output).contains("a worker converts a PDF"), "{}", stderr(&output));
}

#[test]
fn a_too_expensive_pdf_fails_with_a_reason() {
    let server = server(&crowded());
    let output = run_on_loopback(&["scrape", &format!("{}/crowded.pdf", server.base_url())]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(stderr(&output).contains("50000 texts"), "{}", stderr(&output));
}

/// Seen with `scrape .../broken.pdf`: other failures name their URL.
#[test]
fn a_broken_pdf_is_named_with_the_option_that_keeps_it() {
    let server = server(b"%PDF-1.7 and nothing else");
    let url = format!("{}/broken.pdf", server.base_url());
    let output = run_on_loopback(&["scrape", &url]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = stderr(&output);
    let error = stderr.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
    assert!(error.starts_with(&format!("error: {url}: ")) && error.contains("--parsers none"), "{stderr}");
    assert_eq!(error.matches("http://").count(), 1, "{stderr}");
}

#[test]
fn the_worker_is_an_internal_command() {
    let help = succeed(&run(&["--help"]));
    assert!(!help.contains("pdf-worker"), "{help}");
    let output = run_with_input(&["pdf-worker"], b"%PDF-1.7 and no request");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{}", stderr(&output));
}

#[test]
fn a_local_file_is_converted_without_a_worker() {
    let output = run_with_input(&["convert", "-", "--content-type", "application/pdf", "-vv"], FILE);
    assert!(succeed(&output).contains("loaded in the evening"));
    assert!(!stderr(&output).contains("worker"), "{}", stderr(&output));
}

#[tokio::test]
async fn a_worker_and_the_process_itself_convert_a_pdf_equally() {
    let server = server(FILE);
    let url = format!("{}/kiln.pdf", server.base_url());
    let mut documents: Vec<Document> = Vec::new();
    for builder in [on_loopback(), on_loopback().pdf_worker(worker())] {
        let mut document = builder.build().unwrap().scrape(ScrapeRequest::new(&url)).await.unwrap();
        document.metadata.scrape_id = None;
        document.metadata.duration = None;
        documents.push(document);
    }
    assert_eq!(documents[0], documents[1]);
    assert_eq!(documents[0].metadata.title.as_deref(), Some("Kiln notes"));
    let url = url.parse().unwrap();
    let input = Input::new(&url, Some("application/pdf"), FILE);
    let local = on_loopback().build().unwrap().convert(input, ScrapeOptions::default()).unwrap();
    assert_eq!(local.markdown, documents[1].markdown);
}

#[tokio::test]
async fn malicious_files_do_not_stop_others() {
    let (bad, good) = (server(&crowded()), server(FILE));
    let engine = on_loopback().pdf_worker(worker()).build().unwrap();
    let (bad, good) = (format!("{}/bad.pdf", bad.base_url()), format!("{}/good.pdf", good.base_url()));
    let scrape = |url: &str| {
        let (engine, request) = (engine.clone(), ScrapeRequest::new(url));
        tokio::spawn(async move { engine.scrape(request).await })
    };
    let bad: Vec<_> = (0..8).map(|_| scrape(&bad)).collect();
    let good = scrape(&good).await.unwrap().unwrap();
    assert!(good.markdown.is_some_and(|text| text.contains("slowly")));
    for scrape in bad {
        assert_eq!(scrape.await.unwrap().unwrap_err().code().as_str(), "SCRAPE_PDF_ERROR");
    }
}
